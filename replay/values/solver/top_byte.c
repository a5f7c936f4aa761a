/* SPDX-License-Identifier: Apache-2.0 */
/* Where the top byte of an address counts; see top_byte.h. */
#include "replay/values/solver/solver.h"

enum {
	TCR_TBI0 = 37,
	TCR_MTX0 = 60, /* each half's own are the next bits */
	HALF_BIT = 55,
};

void top_byte_init(struct solver *s)
{
	uint32_t ssa = window_ssa_of(&s->w, s->w.dyn_count, REG_TCR_EL1);
	struct bits tcr = s->ssa_values[ssa];

	s->top_byte.from = SIZE_MAX;
	/* 0 is what a snapshot has of registers that nobody read: T0SZ is never 0. */
	if (!bits_all_known(&tcr, 64) || tcr.value == 0)
		return;
	s->top_byte.from = ssa < REG_COUNT ? 0 : window_maker_of(&s->w, ssa) + 1;
	for (unsigned int half = 0; half < 2; half++)
		s->top_byte.counts[half] = (tcr.value >> (TCR_TBI0 + half) & 1) == 0 &&
		                           (tcr.value >> (TCR_MTX0 + half) & 1) == 0;
}

bool top_byte_counts(const struct solver *s, size_t dyn, uint64_t address)
{
	return dyn >= s->top_byte.from && s->top_byte.counts[address >> HALF_BIT & 1];
}
