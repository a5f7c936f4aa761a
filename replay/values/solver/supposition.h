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

struct solver;

/*
 * Of what writes: nothing is supposed; that it hits nothing that is looked at; that it hits none of
 * the granules `spared`; else its address.
 */
#define SUPPOSED_NOT     UINT64_MAX
#define SUPPOSED_NOWHERE (UINT64_MAX - 1)
#define SUPPOSED_SPARES  (UINT64_MAX - 2)

/*
 * One an access, counted from the end of the window, so that it stays true of a window that begins
 * earlier. Addresses have no top byte. Zeroed: nothing is supposed.
 */
struct suppositions {
	uint64_t *of;
	size_t count;
	const uint64_t *spared; /* rising; borrowed */
	size_t spared_count;
};

void suppositions_fini(struct suppositions *supposed);
/* What a solver supposes of an access. */
uint64_t supposed_of(const struct solver *s, uint32_t access);
/* By what is supposed the access does not hit the granule. */
bool supposed_spares(const struct solver *s, uint32_t access, uint64_t granule);

#endif
