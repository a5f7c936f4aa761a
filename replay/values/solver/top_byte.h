/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the top byte of an address counts: A64 with address tagging off for that half of the
 * address space (Arm ARM D8, "Address tagging": TCR_EL1.TBI0, .TBI1, and .MTX0, .MTX1, of the
 * halves that bit 55 selects). In: TCR_EL1 at the halt, and from where on it was that. Out: whether
 * an access or a branch that took no fault had the address whole.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SOLVER_TOP_BYTE_H
#define CSREPLAY_REPLAY_VALUES_SOLVER_TOP_BYTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct solver;

struct top_byte {
	size_t from; /* dynamic instruction; SIZE_MAX: TCR_EL1 is not known */
	bool counts[2];
};

/* After what is known of the halt (halt_facts()) was learned. */
void top_byte_init(struct solver *s);
/* Bits 63 to 56 of an address, canonical, that the dynamic instruction used are those that its base
 * had. */
bool top_byte_counts(const struct solver *s, size_t dyn, uint64_t address);

#endif
