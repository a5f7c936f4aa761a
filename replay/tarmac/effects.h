/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an instruction of a history did, where the trace says it: the lines of a Tarmac text that
 * belong to it. In: a history, a position. Out: the line of the instruction and those
 * after it, up to the next instruction of the same core: register updates, memory accesses,
 * exceptions, branches.
 *
 * Trace of program flow says none of this, and the answer is that none is known. The lines are
 * read again from the text, from a place nearby; reading positions in rising order is quick.
 */
#ifndef CSREPLAY_REPLAY_TARMAC_EFFECTS_H
#define CSREPLAY_REPLAY_TARMAC_EFFECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "replay/history/history.h"
#include "replay/tarmac/tarmac.h"

/* In place of a position: what the text says of the core before its first instruction. */
#define EFFECTS_INITIAL UINT64_MAX

struct effect {
	/*
	 * Any kind of line but INSTRUCTION. Its slices are of the text, and its register's or
	 * memory's value is the one below.
	 */
	struct tarmac_event event;
	struct tarmac_value value;
};

struct effects {
	bool has_instruction; /* false for EFFECTS_INITIAL */
	struct tarmac_event instruction;
	const struct effect *items; /* in the order of the text */
	size_t count;
};

struct effects_reader;

/* True if the trace carries registers and memory. */
bool effects_known(const struct history *history);

/*
 * A reader of a history's effects, which must outlive it. Several may be open, one thread
 * uses them all. NO_MEM; UNSUPPORTED if effects_known() says no.
 */
MUST_USE enum status effects_open(const struct history *history, struct effects_reader **reader);
void effects_close(struct effects_reader *reader); /* NULL is fine */

/*
 * What the instruction at `position` < N did; `effects` points into the reader, valid until its
 * next call. UNAVAILABLE if the trace does not say; NO_MEM.
 */
MUST_USE enum status effects_at(struct effects_reader *reader, uint64_t position,
                                struct effects *effects);

#endif
