/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which value a register or memory had when. In: a subject and a range of positions. Out: stretches
 * of positions, the youngest first, without a hole between them; over each nothing is known to have
 * been another value, and it is that where all of the value is known.
 */
#ifndef CSREPLAY_REPLAY_PAST_VALUES_OVER_TIME_H
#define CSREPLAY_REPLAY_PAST_VALUES_OVER_TIME_H

#include <stddef.h>

#include "base/status.h"
#include "replay/past/past_subject.h"
#include "replay/values/values.h"

/* The positions first <= p <= last: the state before instruction p. */
struct past_stretch {
	uint64_t first;
	uint64_t last;
	struct past_value value; /* of memory its first 8 bytes; nothing known: not known */
};

struct past_stretches {
	struct past_stretch *all;
	size_t count;
	size_t capacity;
	bool is_cut;      /* there are more, older ones */
	unsigned int reg; /* of a register its slot, else REG_COUNT */
};

struct past_stretches_of {
	struct past_subject subject;
	uint64_t first; /* positions first <= p <= last */
	uint64_t last;
	size_t most;
};

/*
 * Finds them; past_stretches_fini() in any case. UNSUPPORTED for a register that is not
 * reconstructed; NO_MEM; INTERRUPTED.
 */
MUST_USE enum status past_stretches_find(struct values *values, const struct past_stretches_of *of,
                                         struct past_stretches *found);
void past_stretches_fini(struct past_stretches *found);

#endif
