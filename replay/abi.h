/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the procedure call standards (AAPCS64 6.1, AAPCS32 6.1) say of registers, if the user says
 * that the code follows them: behind a call the callee-saved registers are what they were before
 * it. In: the steps of a window. Out: pairs of nodes that have the same value.
 *
 * That is not proved of any code: a wild store to a stack frame breaks it, and is what one
 * looks for. So it is an assumption (replay/assumption.def), off by default.
 *
 * A return is that of a call if it goes to the address behind it, no return in between belongs to
 * the call, and SP is the same on both sides: other stacks, such as those of coroutines and of
 * other tasks, have other values of SP.
 */
#ifndef CSREPLAY_REPLAY_ABI_H
#define CSREPLAY_REPLAY_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct solver;

/* Nodes a and b have the same value if SP was the same. */
struct abi_same {
	uint32_t a;
	uint32_t b;
};

struct abi_call {
	uint32_t step;  /* behind the return */
	uint32_t sp[2]; /* nodes: before the call and behind the return */
	uint32_t same;  /* the first of its pairs */
	uint32_t count;
};

struct abi {
	struct abi_call *calls; /* that returned, in order of returns */
	size_t call_count;
	size_t call_capacity;
	struct abi_same *same;
	size_t same_count;
	size_t same_capacity;
};

/* Finds the calls of the window. NO_MEM; abi_fini() in any case. */
MUST_USE enum status abi_init(struct abi *abi, const struct solver *s);
void abi_fini(struct abi *abi);
/* Applies what follows; true if something new did. */
bool abi_apply(struct solver *s);

#endif
