/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which other cores wrote some bytes, and when. In: the bytes and a range of this core's positions,
 * what the other cores' traces say (replay/values/other_cores.h). Out: the stores that may have
 * happened meanwhile, the youngest first, and whether there may be more.
 */
#ifndef CSREPLAY_REPLAY_PAST_OTHER_WRITERS_H
#define CSREPLAY_REPLAY_PAST_OTHER_WRITERS_H

#include "base/status.h"
#include "base/text.h"
#include "replay/history/history.h"
#include "replay/past/past_subject.h"
#include "replay/values/values.h"

/* A store of another core; what it stored is of the bytes that were asked for, their first 8. */
struct other_writer {
	struct other_store store;
	const struct history *history; /* of its core */
	struct past_code code;
	struct past_value value;
};

struct other_writers {
	struct other_writer *all;
	size_t count;
	size_t capacity;
	bool is_cut;     /* there are more */
	bool is_open;    /* meanwhile other cores executed stores of unknown address */
	bool is_unknown; /* what other cores wrote is not traced */
};

/*
 * Those that may have happened while this core was at first <= p <= last, `most` of them;
 * other_writers_fini() in any case. None where a core is the only writer. NO_MEM; INTERRUPTED.
 */
MUST_USE enum status other_writers_find(struct values *values, const struct past_subject *subject,
                                        uint64_t first, uint64_t last, size_t most,
                                        struct other_writers *found);
void other_writers_fini(struct other_writers *found);

#endif
