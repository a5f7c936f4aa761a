/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Known bits: ranges, equality, logic, and operations that move bits about; see bits.h.
 */
#include "arch/uop/bits.h"

unsigned int bits_known_low(const struct bits *b, unsigned int width)
{
	uint64_t unknown = ~b->known & bits_mask(width);

	return unknown == 0 ? width : (unsigned int)__builtin_ctzll(unknown);
}

/* Number of the highest bit that is set; x is not 0. */
static unsigned int top_bit(uint64_t x)
{
	return 63 - (unsigned int)__builtin_clzll(x);
}

/* The smallest value >= min that agrees with the known bits; false if there is none. */
static bool next_match(struct bits b, unsigned int width, uint64_t min, uint64_t *match)
{
	uint64_t mask = bits_mask(width);
	uint64_t wrong = (min ^ b.value) & b.known & mask;
	uint64_t free;
	unsigned int at;

	if (wrong == 0) {
		*match = min;
		return true;
	}
	at = top_bit(wrong);
	if ((b.value >> at & 1) == 0) { /* a larger digit is needed further up */
		free = ~b.known & ~min & mask & ~bits_mask(at + 1);
		if (free == 0)
			return false;
		at = (unsigned int)__builtin_ctzll(free);
	}
	*match = (min & ~bits_mask(at)) | (uint64_t)1 << at;
	*match |= b.value & bits_mask(at);
	return true;
}

bool bits_learn_range(struct bits *b, unsigned int width, uint64_t min, uint64_t max)
{
	uint64_t mask = bits_mask(width);
	uint64_t low;
	uint64_t high;

	if (min > max || !next_match(*b, width, min, &low) ||
	    !next_match(bits_not(*b), width, ~max & mask, &high))
		return false;
	high = ~high & mask;
	if (low > high)
		return false;
	if (low == high)
		return bits_learn(b, low, mask);
	return bits_learn(b, low, mask & ~bits_mask(top_bit(low ^ high) + 1));
}

bool bits_same(struct bits *a, struct bits *b, unsigned int width)
{
	uint64_t mask = bits_mask(width);

	return bits_learn(a, b->value, b->known & mask) && bits_learn(b, a->value, a->known & mask);
}

/* An operand of AND from the result and the other operand. */
static bool and_back(struct bits *a, const struct bits *result, const struct bits *b, uint64_t mask)
{
	uint64_t ones = result->value;
	uint64_t zeros = result->known & ~result->value & b->value;

	return bits_learn(a, ones, (ones | zeros) & mask);
}

bool bits_and(struct bits *result, struct bits *a, struct bits *b, unsigned int width)
{
	uint64_t mask = bits_mask(width);
	uint64_t zeros = (a->known & ~a->value) | (b->known & ~b->value);

	return bits_learn(result, a->value & b->value, (zeros | (a->known & b->known)) & mask) &&
	       and_back(a, result, b, mask) && and_back(b, result, a, mask);
}

/* Through De Morgan's law; each operand is inverted, refined and inverted again. */
bool bits_or(struct bits *result, struct bits *a, struct bits *b, unsigned int width)
{
	struct bits r = bits_not(*result);
	struct bits x = bits_not(*a);
	struct bits y = bits_not(*b);

	if (!bits_and(&r, &x, &y, width))
		return false;
	r = bits_not(r);
	x = bits_not(x);
	y = bits_not(y);
	return bits_learn(result, r.value, r.known) && bits_learn(a, x.value, x.known) &&
	       bits_learn(b, y.value, y.known);
}

bool bits_xor(struct bits *result, struct bits *a, struct bits *b, unsigned int width)
{
	uint64_t mask = bits_mask(width);

	return bits_learn(result, a->value ^ b->value, a->known & b->known & mask) &&
	       bits_learn(a, result->value ^ b->value, result->known & b->known & mask) &&
	       bits_learn(b, result->value ^ a->value, result->known & a->known & mask);
}

/* The `len` bits at *lsb of `from` and at `to` of *into are the same bits. */
static bool same_field(struct bits *into, unsigned int to, struct bits *from, unsigned int lsb,
                       unsigned int len)
{
	struct bits low = {into->value >> to, into->known >> to};
	struct bits other = {from->value >> lsb, from->known >> lsb};

	if (!bits_same(&low, &other, len))
		return false;
	low.known &= bits_mask(len);
	other.known &= bits_mask(len);
	return bits_learn(into, low.value << to, low.known << to) &&
	       bits_learn(from, other.value << lsb, other.known << lsb);
}

/* All bits of `b` under `mask`, which is not 0, are equal to each other. */
static bool all_equal(struct bits *b, uint64_t mask)
{
	if ((b->known & mask) == 0)
		return true;
	return bits_learn(b, (b->value & mask) != 0 ? mask : 0, mask);
}

bool bits_field(struct bits *result, struct bits *a, struct bits_field field, bool is_signed,
                unsigned int width)
{
	unsigned int end = field.to + field.len;
	uint64_t mask = bits_mask(width);
	uint64_t sign = mask & ~bits_mask(end - 1);
	uint64_t zeros = bits_mask(field.to) | (is_signed ? 0 : mask & ~bits_mask(end));

	if (!bits_learn(result, 0, zeros) || !same_field(result, field.to, a, field.lsb, field.len))
		return false;
	if (!is_signed)
		return true;
	return all_equal(result, sign) && same_field(result, field.to, a, field.lsb, field.len);
}

bool bits_insert(struct bits *result, struct bits *base, struct bits *a, struct bits_field field,
                 unsigned int width)
{
	uint64_t rest = bits_mask(width) & ~(bits_mask(field.len) << field.to);

	return bits_learn(result, base->value, base->known & rest) &&
	       bits_learn(base, result->value, result->known & rest) &&
	       same_field(result, field.to, a, field.lsb, field.len);
}

/* Bit i of the result is bit i ^ swap of x. */
static uint64_t swizzle(uint64_t x, unsigned int swap)
{
	static const uint64_t even[] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
	                                0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff};

	for (unsigned int i = 0; i < 6; i++) {
		unsigned int by = 1U << i;

		if ((swap & by) != 0)
			x = (x & even[i]) << by | (x >> by & even[i]);
	}
	return x;
}

bool bits_swizzle(struct bits *result, struct bits *a, unsigned int swap, unsigned int width)
{
	uint64_t mask = bits_mask(width);

	return bits_learn(result, swizzle(a->value & mask, swap), swizzle(a->known & mask, swap)) &&
	       bits_learn(a, swizzle(result->value & mask, swap),
	                  swizzle(result->known & mask, swap));
}

bool bits_low(struct bits *result, struct bits *a, unsigned int count)
{
	return bits_same(result, a, count);
}

bool bits_extract_pair(struct bits *result, struct bits *high, struct bits *low, unsigned int lsb,
                       unsigned int width)
{
	if (!same_field(result, 0, low, lsb, width - lsb))
		return false;
	return lsb == 0 || same_field(result, width - lsb, high, 0, lsb);
}

static bool shift_by(struct bits *result, struct bits *a, unsigned int amount, enum bits_shift kind,
                     unsigned int width)
{
	unsigned int len = width - amount;

	switch (kind) {
	case SHIFT_LEFT:
		return bits_field(result, a, (struct bits_field){0, len, amount}, false, width);
	case SHIFT_RIGHT:
		return bits_field(result, a, (struct bits_field){amount, len, 0}, false, width);
	case SHIFT_RIGHT_SIGNED:
		return bits_field(result, a, (struct bits_field){amount, len, 0}, true, width);
	case SHIFT_ROTATE:
		return bits_extract_pair(result, a, a, amount, width);
	}
	return true;
}

/* Keeps of *both what *one says too; `first` takes *one as it is. */
static void keep_common(struct bits *both, const struct bits *one, bool first)
{
	if (first) {
		*both = *one;
		return;
	}
	both->known &= one->known & ~(both->value ^ one->value);
	both->value &= both->known;
}

/* Tries each amount that is possible and learns what all of them that fit agree on. */
bool bits_shift(struct bits *result, struct bits *a, struct bits *amount, enum bits_shift kind,
                unsigned int width)
{
	struct bits common[3] = {{0, 0}, {0, 0}, {0, 0}};
	uint64_t modulo = width - 1;
	bool any = false;

	if (bits_all_known(amount, top_bit(width)))
		return shift_by(result, a, (unsigned int)(amount->value & modulo), kind, width);
	if (bits_none_known(result, width) && bits_none_known(a, width) &&
	    bits_none_known(amount, top_bit(width)))
		return true;
	for (unsigned int i = 0; i < width; i++) {
		struct bits r = *result;
		struct bits x = *a;
		struct bits n = {i, modulo};

		if (((amount->value ^ i) & amount->known & modulo) != 0 ||
		    !shift_by(&r, &x, i, kind, width))
			continue;
		keep_common(&common[0], &r, !any);
		keep_common(&common[1], &x, !any);
		keep_common(&common[2], &n, !any);
		any = true;
	}
	return any && bits_learn(result, common[0].value, common[0].known) &&
	       bits_learn(a, common[1].value, common[1].known) &&
	       bits_learn(amount, common[2].value, common[2].known);
}

/* True if the low bits of both may be equal. */
static bool may_be_same(const struct bits *a, const struct bits *b, unsigned int width)
{
	return ((a->value ^ b->value) & a->known & b->known & bits_mask(width)) == 0;
}

bool bits_select(struct bits *result, struct bits *choice, struct bits *a, struct bits *b,
                 unsigned int width)
{
	struct bits common = *a;

	if (!may_be_same(result, a, width) && !bits_learn(choice, 0, 1))
		return false;
	if (!may_be_same(result, b, width) && !bits_learn(choice, 1, 1))
		return false;
	if ((choice->known & 1) != 0)
		return bits_same(result, (choice->value & 1) != 0 ? a : b, width);
	keep_common(&common, b, false);
	return bits_learn(result, common.value, common.known & bits_mask(width));
}

/* a != b: if all bits but one are known and equal, that one differs. */
static bool learn_different(struct bits *a, struct bits *b, unsigned int width)
{
	uint64_t mask = bits_mask(width);
	uint64_t open = mask & ~(a->known & b->known);
	uint64_t differ = (a->value ^ b->value) & a->known & b->known & mask;

	if (differ != 0)
		return true;
	if (open == 0)
		return false;
	if ((open & (open - 1)) != 0)
		return true;
	if ((a->known & open) != 0)
		return bits_learn(b, ~a->value, open);
	if ((b->known & open) != 0)
		return bits_learn(a, ~b->value, open);
	return true;
}

bool bits_equal(struct bits *result, struct bits *a, struct bits *b, unsigned int width)
{
	uint64_t mask = bits_mask(width);

	if (!may_be_same(a, b, width) && !bits_learn(result, 0, 1))
		return false;
	if ((mask & ~(a->known & b->known)) == 0 && may_be_same(a, b, width) &&
	    !bits_learn(result, 1, 1))
		return false;
	if ((result->known & 1) == 0)
		return true;
	return (result->value & 1) != 0 ? bits_same(a, b, width) : learn_different(a, b, width);
}
