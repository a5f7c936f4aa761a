/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code that cannot have been what ran: it has an opcode that only raises an exception (UDF) where
 * the history goes on with the next instruction. What a buffer or a stack holds after code was in
 * it reads as such opcodes sooner or later: small numbers and upper halves of pointers are UDF in
 * A64. In: a history. Out: what was followed on the way there, from the last indirect branch on,
 * which is where the trace last gave an address.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SSA_REFUTED_CODE_H
#define CSREPLAY_REPLAY_VALUES_SSA_REFUTED_CODE_H

#include "decoder/flow/flow.h"
#include "replay/history/history.h"

/* A run of such code. */
struct refuted_run {
	uint64_t position; /* of its first instruction */
	struct walk walk;
	uint32_t view; /* that it was fetched from */
	/* The code that the last indirect branch before it was in; `walk.start` where none was
	 * seen. */
	uint64_t from;
};

struct refuted_code {
	struct refuted_run *items; /* by position */
	size_t count;
	size_t capacity;
};

/* The memory that the stack pointer of an A64 halt leads to. Returns how many there are: 1 or 0. */
size_t refuted_code_stack(const struct history *history, uint32_t view,
                          const struct mem_region **stack);

/* There is some where the stack pointer of the halt leads, and execution was lost. */
bool refuted_code_is_on_stack(const struct history *history);

/* Replaces what `found` has. NO_MEM. */
MUST_USE enum status refuted_code_find(const struct history *history, struct refuted_code *found);

void refuted_code_fini(struct refuted_code *found);

#endif
