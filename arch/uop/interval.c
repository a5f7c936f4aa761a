/* SPDX-License-Identifier: Apache-2.0 */
/* Intervals modulo 2^64; see interval.h. */
#include "arch/uop/interval.h"

/* `x` is in the interval. */
static bool holds(struct interval i, uint64_t x)
{
	return x - i.first <= interval_span(i);
}

static uint64_t last_of(struct interval i)
{
	return i.first + interval_span(i);
}

struct interval interval_meet(struct interval a, struct interval b)
{
	struct interval smaller = interval_span(a) <= interval_span(b) ? a : b;
	bool b_in_a = holds(a, b.first);
	bool a_in_b = holds(b, a.first);

	/* Each begins in the other: one in the other, or two pieces. */
	if (b_in_a && a_in_b)
		return a.first == b.first                                                 ? smaller
		       : holds(a, last_of(b)) && interval_span(b) <= last_of(a) - b.first ? b
		       : holds(b, last_of(a)) && interval_span(a) <= last_of(b) - a.first ? a
		                                                                          : smaller;
	if (b_in_a)
		return interval_span(b) <= last_of(a) - b.first ? b
		                                                : interval_of(b.first, last_of(a));
	if (a_in_b)
		return interval_span(a) <= last_of(b) - a.first ? a
		                                                : interval_of(a.first, last_of(b));
	return smaller; /* disjoint: the bits will tell */
}

struct interval interval_add(struct interval a, struct interval b)
{
	uint64_t span;

	if (__builtin_add_overflow(interval_span(a), interval_span(b), &span))
		return (struct interval){0, 0};
	return (struct interval){a.first + b.first, UINT64_MAX - span};
}

struct interval interval_subtract(struct interval a, struct interval b)
{
	struct interval negative = {0 - last_of(b), b.narrowed};

	return interval_add(a, negative);
}

struct interval interval_of_bits(struct bits b)
{
	return interval_of(bits_min(&b, 64), bits_max(&b, 64));
}

bool interval_to_bits(struct interval i, struct bits *b)
{
	if (i.narrowed == 0 || last_of(i) < i.first)
		return true;
	return bits_learn_range(b, 64, i.first, last_of(i));
}

bool interval_is_better(struct interval old, struct interval new)
{
	uint64_t span = interval_span(old);

	return interval_span(new) < span && interval_span(new) <= span - span / 4;
}

/* Of the low 32 bits of a value that is in the interval. */
static struct interval low_half(struct interval i)
{
	uint64_t first = i.first & UINT32_MAX;

	if (interval_span(i) > UINT32_MAX || first + interval_span(i) > UINT32_MAX)
		return interval_of(0, UINT32_MAX);
	return interval_of(first, first + interval_span(i));
}

/* The interval of a of which these flags of a - k, of so many bits, say how it compares with k. */
static struct interval compared(uint32_t states, uint64_t k, bool is_signed, unsigned int width)
{
	uint64_t mask = bits_mask(width);
	uint64_t base = is_signed ? UINT64_C(1) << (width - 1) : 0;
	bool less = false;
	bool equal = false;
	bool more = false;
	uint64_t first = base;
	uint64_t last = (base - 1) & mask;

	for (unsigned int state = 0; state < 16; state++) {
		bool n = (state & FLAG_N) != 0;
		bool v = (state & FLAG_V) != 0;
		bool below = is_signed ? n != v : (state & FLAG_C) == 0;

		if ((states >> state & 1) == 0)
			continue;
		equal |= (state & FLAG_Z) != 0;
		less |= below;
		more |= !below && (state & FLAG_Z) == 0;
	}
	if (!less && !equal && k == last)
		return (struct interval){0, 0};
	if (!more && !equal && k == first)
		return (struct interval){0, 0};
	if (!less)
		first = equal ? k : (k + 1) & mask;
	if (!more)
		last = equal ? k : (k - 1) & mask;
	/* Over the end of 32 bits it is no interval of 64. */
	if (first > last && width < 64)
		return (struct interval){0, 0};
	return interval_of(first, last);
}

/* Nothing but its low half is in the value. */
static bool is_half(struct bits b)
{
	return b.known >> 32 == UINT32_MAX && b.value >> 32 == 0;
}

static void refine_flags(const struct uop *op, const struct bits bits[4], struct interval v[4])
{
	uint32_t states = bits_flag_states(&bits[0]);
	uint64_t k = bits[2].value & bits_mask(op->size);

	/* A comparison with a number, of 64 bits, or of 32 of a value that has no more. */
	if (!bits_all_known(&bits[2], op->size) || (bits[3].known & 1) == 0 ||
	    (bits[3].value & 1) == 0 || states == 0 ||
	    (op->size != 64 && (op->size != 32 || !is_half(bits[1]))))
		return;
	v[1] = interval_meet(v[1], compared(states, k, false, op->size));
	v[1] = interval_meet(v[1], compared(states, k, true, op->size));
}

/* dst = a + b + carry, or a - (b + 1 - carry), in all directions. */
static void refine_sum(struct interval v[3], bool subtracts, uint64_t carry)
{
	struct interval in = interval_of(carry, carry);
	struct interval second;

	if (subtracts) {
		in = interval_of(1 - carry, 1 - carry);
		second = interval_add(v[2], in);
		v[0] = interval_meet(v[0], interval_subtract(v[1], second));
		v[1] = interval_meet(v[1], interval_add(v[0], second));
		v[2] = interval_meet(v[2], interval_subtract(interval_subtract(v[1], v[0]), in));
		return;
	}
	v[0] = interval_meet(v[0], interval_add(interval_add(v[1], v[2]), in));
	v[1] = interval_meet(v[1], interval_subtract(interval_subtract(v[0], v[2]), in));
	v[2] = interval_meet(v[2], interval_subtract(interval_subtract(v[0], v[1]), in));
}

/* The same modulo 2^32, of the low halves of a and b. */
static void refine_half_sum(const struct bits bits[4], struct interval v[4], bool subtracts)
{
	static const struct interval any = {0, 0};
	uint64_t carry = bits[3].value & 1;

	for (unsigned int i = 0; i < 3; i++) {
		struct interval x[3] = {low_half(v[0]), low_half(v[1]), low_half(v[2])};

		if (i > 0 && !is_half(bits[i]))
			continue;
		x[i] = any;
		refine_sum(x, subtracts, carry);
		v[i] = interval_meet(v[i], low_half(x[i]));
	}
}

void interval_refine(const struct uop *op, const struct bits bits[4], struct interval v[4])
{
	bool subtracts = op->op == UOP_SUB;

	if (op->op == UOP_SUB_FLAGS)
		refine_flags(op, bits, v);
	if ((op->op != UOP_ADD && !subtracts) || (bits[3].known & 1) == 0)
		return;
	if (op->width == 64)
		refine_sum(v, subtracts, bits[3].value & 1);
	else if (op->width == 32)
		refine_half_sum(bits, v, subtracts);
}
