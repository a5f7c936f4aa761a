/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of replay/values/solver/memdep.h: what values would be under a hypothesis on a store of
 * unknown address. In: the store, and the supposition that it hits none of the granules that are
 * looked at, or only the bytes at `at`. Out: the value of a slot, worked out from what is found in
 * memory after the store, and the granules that were used for it. Of the
 * solver no fact changes: points_to_work counts, and granules that are new to memdep_memory are
 * entered (its status says NO_MEM). Why a value proves anything is said in points_to.c.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SOLVER_HYPOTHESIS_H
#define CSREPLAY_REPLAY_VALUES_SOLVER_HYPOTHESIS_H

#include "replay/values/solver/memdep_clobber.h"

enum {
	HYPOTHESIS_VALUES = 64,    /* looked at for one store */
	HYPOTHESIS_DEPTH = 160,    /* of values that rest on values */
	HYPOTHESIS_WORK = 1 << 18, /* SSA values in all: points_to_work */
};

/* What the SSA values are if the store hits none of the granules, or only the bytes at `at`. */
struct hypothesis_state {
	struct solver *s;
	uint32_t store; /* access */
	bool is_at;
	uint64_t at; /* without the top byte */
	uint32_t ssa_values[HYPOTHESIS_VALUES];
	struct bits values[HYPOTHESIS_VALUES];
	size_t count;
	struct points_to_set reach;
	bool is_full;
	bool failed; /* that cannot be */
};

/* The store hits nothing that is used; for bytes alone that it hits the caller sets `at`. */
void hypothesis_begin(struct hypothesis_state *g, struct solver *s, uint32_t store);
/*
 * What is known of a slot of a dynamic instruction then, `depth` values deep (HYPOTHESIS_DEPTH at
 * first).
 */
struct bits hypothesis_value(struct hypothesis_state *g, size_t dyn, unsigned int slot,
                             unsigned int depth);

#endif
