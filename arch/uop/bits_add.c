/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Known bits through additions; see bits.h.
 *
 * An addition is a chain: bit i of both operands and the carry into it say bit i of the result and
 * the carry out of it. One pass finds which carries can be reached before each bit, another
 * one which of them lead on to the end; what is common to the combinations that remain is all that
 * can be known, exactly. The chain is walked in words: what several neighbouring bits make of a
 * carry is joined with what the next so many make of it, twice as many in each round.
 */
#include "arch/uop/bits.h"

/*
 * Which carry out of a bit, or of several that end or begin there, each carry into it can lead to;
 * a bit of a word each.
 */
struct carries {
	uint64_t from0_to0;
	uint64_t from0_to1;
	uint64_t from1_to0;
	uint64_t from1_to1;
};

/* First those of `low`, then those of `high`. */
static inline struct carries carries_join(struct carries low, struct carries high)
{
	return (struct carries){
	        (low.from0_to0 & high.from0_to0) | (low.from0_to1 & high.from1_to0),
	        (low.from0_to0 & high.from0_to1) | (low.from0_to1 & high.from1_to1),
	        (low.from1_to0 & high.from0_to0) | (low.from1_to1 & high.from1_to0),
	        (low.from1_to0 & high.from0_to1) | (low.from1_to1 & high.from1_to1),
	};
}

/* Those of the bit `by` further down; what is below bit 0 leaves the carry alone. */
static inline struct carries carries_below(struct carries c, unsigned int by)
{
	uint64_t none = bits_mask(by);

	return (struct carries){c.from0_to0 << by | none, c.from0_to1 << by, c.from1_to0 << by,
	                        c.from1_to1 << by | none};
}

/* Those of the bit `by` further up; what is above bit 63 leaves the carry alone. */
static inline struct carries carries_above(struct carries c, unsigned int by)
{
	uint64_t none = ~(UINT64_MAX >> by);

	return (struct carries){c.from0_to0 >> by | none, c.from0_to1 >> by, c.from1_to0 >> by,
	                        c.from1_to1 >> by | none};
}

/* What a bit can be: a bit of each word. */
struct choice {
	uint64_t may_be_0;
	uint64_t may_be_1;
};

static inline struct choice choice_of(const struct bits *b)
{
	return (struct choice){~b->known | ~b->value, ~b->known | b->value};
}

/* The carries into each bit that the first one leads to, and that lead on to the end. */
static struct choice carries_into(struct carries one, struct choice carry, unsigned int width)
{
	struct carries up = one;
	struct carries down = one;
	uint64_t from0 = (carry.may_be_0 & 1) != 0 ? UINT64_MAX : 0;
	uint64_t from1 = (carry.may_be_1 & 1) != 0 ? UINT64_MAX : 0;
	struct choice in;

	for (unsigned int by = 1; by < width; by *= 2) {
		up = carries_join(carries_below(up, by), up);
		down = carries_join(down, carries_above(down, by));
	}
	in.may_be_0 = ((from0 & up.from0_to0) | (from1 & up.from1_to0)) << 1 | (from0 & 1);
	in.may_be_1 = ((from0 & up.from0_to1) | (from1 & up.from1_to1)) << 1 | (from1 & 1);
	in.may_be_0 &= down.from0_to0 | down.from0_to1;
	in.may_be_1 &= down.from1_to0 | down.from1_to1;
	return in;
}

/* Learns the bits under `mask` that can be one of both only. */
static bool learn_choice(struct bits *b, struct choice c, uint64_t mask)
{
	return bits_learn(b, c.may_be_1, (c.may_be_0 ^ c.may_be_1) & mask);
}

/* Both passes: what is common to all combinations that are left. */
static bool add_words(struct bits *result, const struct bits_sum *sum, unsigned int width)
{
	uint64_t mask = bits_mask(width);
	struct bits y = sum->invert ? bits_not(*sum->b) : *sum->b;
	struct choice a = choice_of(sum->a);
	struct choice b = choice_of(&y);
	struct choice d = choice_of(result);
	/* Combinations of a and b. With a carry of 0 and with one of 1: */
	uint64_t none = a.may_be_0 & b.may_be_0;   /* d = 0, out 0; d = 1, out 0 */
	uint64_t a_only = a.may_be_1 & b.may_be_0; /* d = 1, out 0; d = 0, out 1 */
	uint64_t b_only = a.may_be_0 & b.may_be_1;
	uint64_t both = a.may_be_1 & b.may_be_1; /* d = 0, out 1; d = 1, out 1 */
	uint64_t one = a_only | b_only;
	struct carries c = {
	        (none & d.may_be_0) | (one & d.may_be_1) | ~mask,
	        both & d.may_be_0 & mask,
	        none & d.may_be_1 & mask,
	        (one & d.may_be_0) | (both & d.may_be_1) | ~mask,
	};
	struct choice in = carries_into(c, choice_of(sum->carry), width);
	uint64_t out0 = in.may_be_0 >> 1 | UINT64_C(1) << 63;
	uint64_t out1 = in.may_be_1 >> 1 | UINT64_C(1) << 63;
	/* Where `one` gives 1 and 0; where the others give 0 and 1. */
	uint64_t one_d1 = d.may_be_1 & in.may_be_0 & out0;
	uint64_t one_d0 = d.may_be_0 & in.may_be_1 & out1;
	uint64_t none_d0 = none & d.may_be_0 & in.may_be_0 & out0;
	uint64_t none_d1 = none & d.may_be_1 & in.may_be_1 & out0;
	uint64_t both_d0 = both & d.may_be_0 & in.may_be_0 & out1;
	uint64_t both_d1 = both & d.may_be_1 & in.may_be_1 & out1;

	a_only &= one_d0 | one_d1;
	b_only &= one_d0 | one_d1;
	none = none_d0 | none_d1;
	both = both_d0 | both_d1;
	if ((~(a_only | b_only | none | both) & mask) != 0)
		return false;
	one = a_only | b_only;
	d = (struct choice){none_d0 | both_d0 | (one & one_d0), none_d1 | both_d1 | (one & one_d1)};
	a = (struct choice){none | b_only, both | a_only};
	b = (struct choice){none | a_only, both | b_only};
	if (sum->invert)
		b = (struct choice){b.may_be_1, b.may_be_0};
	return learn_choice(sum->carry, in, 1) && learn_choice(result, d, mask) &&
	       learn_choice(sum->a, a, mask) && learn_choice(sum->b, b, mask);
}

/* Where all of result, a, b and carry are known but one at most, it is plain arithmetic. */
static bool add_known(struct bits *result, const struct bits_sum *sum, uint64_t mask)
{
	uint64_t b = sum->invert ? ~sum->b->value : sum->b->value;
	uint64_t carry = sum->carry->value & 1;
	uint64_t other;

	if ((~sum->a->known & mask) == 0) {
		if ((~sum->b->known & mask) == 0)
			return bits_learn(result, sum->a->value + b + carry, mask);
		other = result->value - sum->a->value - carry;
		return bits_learn(sum->b, sum->invert ? ~other : other, mask);
	}
	return bits_learn(sum->a, result->value - b - carry, mask);
}

/*
 * What x + y + carry is, and no more can be: a carry into a bit is known if it is the same in the
 * smallest and in the largest of the sums.
 */
static struct bits sum_of(struct bits x, struct bits y, struct bits carry)
{
	uint64_t low = x.value + y.value + (carry.value & 1);
	uint64_t high_x = x.value | ~x.known;
	uint64_t high_y = y.value | ~y.known;
	uint64_t high = high_x + high_y + ((carry.value | ~carry.known) & 1);
	uint64_t carries = ~((low ^ x.value ^ y.value) ^ (high ^ high_x ^ high_y));
	uint64_t known = x.known & y.known & carries;

	return (struct bits){low & known, known};
}

bool bits_add(struct bits *result, const struct bits_sum *sum, unsigned int width)
{
	uint64_t mask = bits_mask(width);
	bool has_a = (~sum->a->known & mask) == 0;
	bool has_b = (~sum->b->known & mask) == 0;
	bool has_result = (~result->known & mask) == 0;
	bool has_carry = (sum->carry->known & 1) != 0;
	bool no_a = (sum->a->known & mask) == 0;
	bool no_b = (sum->b->known & mask) == 0;
	bool no_result = (result->known & mask) == 0;
	struct bits y;
	struct bits found;

	if (has_carry && has_a + has_b + has_result >= 2)
		return add_known(result, sum, mask);
	if (no_result + no_a + no_b > 1)
		return true;
	if (no_result + no_a + no_b == 0)
		return add_words(result, sum, width);
	/* Whatever the other two are, the one of which nothing is known fits them. */
	y = sum->invert ? bits_not(*sum->b) : *sum->b;
	if (no_result) {
		found = sum_of(*sum->a, y, *sum->carry);
		return bits_learn(result, found.value, found.known & mask);
	}
	/* result - x - carry is result + ~x + 1 - carry */
	found = sum_of(*result, bits_not(no_a ? y : *sum->a), bits_not(*sum->carry));
	if (no_a)
		return bits_learn(sum->a, found.value, found.known & mask);
	found = sum->invert ? bits_not(found) : found;
	return bits_learn(sum->b, found.value, found.known & mask);
}
