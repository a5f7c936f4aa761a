/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Linear facts: SSA values that differ by a constant whatever they are, since a sum and a
 * difference of unknown values cancel each other. In: a window. Out: relations
 *
 *	value = base + offset	or	value = offset
 *
 * of SSA values modulo 2^width, which the solver learns from in both directions. Those that one
 * operation says (an addition of a constant) are the operation's, and are not here.
 *
 * What this is for: Linux's check of the stack at each exception entry, after which SP is what it
 * was before, though no instruction says so:
 *
 *	add sp, sp, x0;  sub x0, sp, x0;  tbnz x0, ...;  sub x0, sp, x0;  sub sp, sp, x0
 *
 * A value is looked at through chains of additions of constants and through relations found before.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SOLVER_LINEAR_H
#define CSREPLAY_REPLAY_VALUES_SOLVER_LINEAR_H

#include "replay/values/ssa/ssa.h"

struct solver;

struct linear_relation {
	uint32_t ssa;
	uint32_t base; /* an older SSA value, or LINEAR_CONSTANT */
	uint64_t offset;
	uint32_t dyn;  /* that makes `ssa` */
	uint8_t width; /* bits, 32 or 64, in which they agree */
	bool is_spent; /* nothing more can be learned from it */
};

#define LINEAR_CONSTANT UINT32_MAX

/* In order of `ssa`. */
struct linear {
	struct linear_relation *items;
	size_t count;
	size_t capacity;
};

/* Finds all relations of a window. NO_MEM. linear_fini() in any case; zeroed before. */
MUST_USE enum status linear_init(struct linear *linear, const struct window *w);
void linear_fini(struct linear *linear);

/* An older SSA value from which one differs by a constant, whatever they are; itself if none is
 * known. */
uint32_t linear_older(const struct linear *linear, const struct window *w, uint32_t ssa);

/* Learns what the relations say of what is known now. True if that is new of any bit. */
bool linear_apply(struct solver *s);

#endif
