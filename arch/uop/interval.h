/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Intervals of 64-bit numbers modulo 2^64: what known bits cannot say of an address, such as
 * "within this heap". An interval is `first` and the `span` numbers after it; it may go over the
 * end to zero. One with the span UINT64_MAX is every number, and the zeroed one is taken for it.
 */
#ifndef CSREPLAY_ARCH_UOP_INTERVAL_H
#define CSREPLAY_ARCH_UOP_INTERVAL_H

#include "arch/uop/uop_insn.h"

/* `narrowed` is UINT64_MAX less the span, so that zeroed memory knows nothing. */
struct interval {
	uint64_t first;
	uint64_t narrowed;
};

static inline uint64_t interval_span(struct interval i)
{
	return UINT64_MAX - i.narrowed;
}

static inline struct interval interval_of(uint64_t first, uint64_t last)
{
	return (struct interval){first, UINT64_MAX - (last - first)};
}

/* The value is in both; where that is two pieces, the smaller of the two. */
struct interval interval_meet(struct interval a, struct interval b);
/* a + b, and a - b. */
struct interval interval_add(struct interval a, struct interval b);
struct interval interval_subtract(struct interval a, struct interval b);
/* Of what is known of the bits. */
struct interval interval_of_bits(struct bits b);
/* What follows for the bits; false if they contradict it. */
MUST_USE bool interval_to_bits(struct interval i, struct bits *b);
/* `new` is worth keeping: what is gained in ever smaller steps is not. */
bool interval_is_better(struct interval old, struct interval new);

/*
 * What a micro-operation says of the intervals of its result and operands, in the order dst, a, b,
 * c; `bits` is what is known of them. Only those that change it writes.
 */
void interval_refine(const struct uop *op, const struct bits bits[4], struct interval v[4]);

#endif
