/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which memory of a window is a stack that nobody else writes, for the assumption `stack-private`
 * (replay/values/assumption.def). In: a window, of which SP is known here and there. Out: where SP
 * goes to another stack, and whether a granule was this core's between two instructions.
 *
 * Several cores share memory, but hardly ever stacks. What a core accesses through SP is taken to
 * be its own while the stack is in use: until SP is loaded from memory that is no stack, as a
 * scheduler does it that puts a thread on the core. While the thread was not, another core may have
 * run it. A handler's stack that is left again, with an SP that was kept in a register, ends
 * nothing; nor do exceptions, returns from them, and sums.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SOLVER_PRIVATE_STACK_H
#define CSREPLAY_REPLAY_VALUES_SOLVER_PRIVATE_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct solver;

/* Where SP is made of anything but SP and constants. */
struct sp_change {
	uint32_t dyn;
	uint32_t ssa;   /* of SP after it */
	bool is_switch; /* it is not SP's of before, nor was kept on a stack */
};

struct private_stacks {
	bool is_assumed;
	struct sp_change *items; /* in order of `dyn` */
	size_t count;
	size_t capacity;
};

/*
 * Of a window whose linear facts are found; nothing if it is not assumed. NO_MEM. Zeroed before;
 * private_stacks_fini() in any case.
 */
MUST_USE enum status private_stacks_init(struct solver *s, bool is_assumed);
void private_stacks_fini(struct private_stacks *stacks);

/*
 * Nobody but the core wrote the granule, one that it accesses through SP, after the dynamic
 * instruction `from` and before `to`; `to` == dyn_count is the halt. What is not known yet says no.
 */
bool private_stack_holds(const struct solver *s, uint64_t granule, size_t from, size_t to);

#endif
