/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is supposed of stores of unknown address while a window is solved: a number an access. Who
 * supposes, and what makes it worth anything, is replay/values/solver/coherent.h.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SOLVER_SUPPOSITION_H
#define CSREPLAY_REPLAY_VALUES_SOLVER_SUPPOSITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct solver;

/*
 * Of what writes: nothing is supposed; that it hits nothing that is looked at; that it spares some
 * granules; else its address.
 */
#define SUPPOSED_NOT     UINT64_MAX
#define SUPPOSED_NOWHERE (UINT64_MAX - 1)
#define SUPPOSED_SPARES  (UINT64_MAX - 2)

/*
 * With an address: it is there that the store hits, but as long as the address does not follow
 * nothing is concluded of what it stores.
 */
#define SUPPOSED_DOUBTFUL (UINT64_C(1) << 62)

/* The instruction at `pc` hits the granule. */
struct supposed_hit {
	uint64_t pc;
	uint64_t granule;
};

/*
 * One an access, counted from the end of the window, so that it stays true of a window that begins
 * earlier. Addresses have no top byte. Zeroed: nothing is supposed.
 */
struct suppositions {
	uint64_t *of;
	size_t count;
	/* What is spared, but by an instruction that hits it elsewhere: both rising, by granules.
	 */
	uint64_t *spared;
	size_t spared_count;
	struct supposed_hit *hits;
	size_t hit_count;
};

void suppositions_fini(struct suppositions *supposed);
/* What a solver supposes of an access, be it doubtful or not. */
uint64_t supposed_of(const struct solver *s, uint32_t access);
bool supposed_is_doubtful(const struct solver *s, uint32_t access);
/* What is supposed of a granule: zeroed but for its address it is looked up when it is needed. */
struct supposed_granule {
	uint64_t address;
	bool is_looked_up;
	bool is_spared;
	const struct supposed_hit *hits; /* by which instructions it is not */
	size_t hit_count;
};

/* By what is supposed the access does not hit the granule. */
bool supposed_spares(const struct solver *s, uint32_t access, struct supposed_granule *granule);

/* Spared are the granules to which accesses go whose address is known in a solution. NO_MEM. */
MUST_USE enum status suppositions_spare(struct suppositions *supposed, const struct solver *s);
/* What the instructions hit that is known in a solution. NO_MEM. */
MUST_USE enum status suppositions_note_hits(struct suppositions *supposed, const struct solver *s);

#endif
