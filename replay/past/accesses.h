/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who wrote or read a register or memory, and when. In: a subject, a range of positions and a
 * direction. Out: the writes and reads in the order in which they are met. What is not told is
 * proved, or where the user trusts assumptions assumed, to be none, but of reads that are not
 * reconstructed (loads of SVE, opcodes that are not known, system calls).
 */
#ifndef CSREPLAY_REPLAY_PAST_ACCESSES_H
#define CSREPLAY_REPLAY_PAST_ACCESSES_H

#include <stddef.h>

#include "base/status.h"
#include "replay/past/other_writers.h"
#include "replay/past/past_subject.h"
#include "replay/values/values.h"

enum past_verdict {
#define X(name, word) PAST_##name,
#include "replay/past/accesses.def"
#undef X
};

struct past_access {
	enum past_verdict verdict;
	/* BLIND, where it is not known what was written or read: the first and the last that are
	 * met. Else of the instruction, both. */
	uint64_t position;
	uint64_t last;
	struct past_code code;
	bool is_write;
	/*
	 * What the subject, its first 8 bytes, held after the write, or before the read. Of a
	 * POSSIBLE access to memory what it wrote, wherever that was.
	 */
	struct past_value value;
};

struct past_accesses_of {
	struct past_subject subject;
	bool reads;
	bool writes;
	uint64_t first; /* positions first <= p < end */
	uint64_t end;
	bool forward;
	size_t most; /* that are told */
};

struct past_accesses {
	struct past_access *all;
	size_t count;
	size_t capacity;
	bool is_cut;                 /* there may be more */
	unsigned int reg;            /* of a register its slot, else REG_COUNT */
	struct other_writers others; /* writes of other cores meanwhile */
};

/*
 * Finds them; past_accesses_fini() in any case. UNSUPPORTED for a register that is not
 * reconstructed; NO_MEM; INTERRUPTED.
 */
MUST_USE enum status past_accesses_find(struct values *values, const struct past_accesses_of *of,
                                        struct past_accesses *found);
void past_accesses_fini(struct past_accesses *found);

/* "proved" */
const char *past_verdict_word(enum past_verdict verdict);

#endif
