/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Known bits through the flags that additions and logical operations set; see bits.h.
 *
 * Where one operand is known, each state of the flags is a range or two of the other one. Else an
 * addition is a chain, from the lowest bit up (bits_add.c does the same for the result): bit i of
 * both operands and the state before it say the state after it. A pass upwards finds which
 * states can be reached before each bit, one downwards which of them lead to an end that is
 * allowed; what is common to the transitions that remain is all that can be known, exactly. A state
 * is the carry and whether any bit of the result was set so far.
 */
#include "arch/uop/bits.h"

/*
 * What can be at one bit is a set of combinations, 16 bits: number nonzero * 8 + carry * 4 + a * 2
 * + b, `nonzero` and `carry` being the state before the bit. States are sets of 4 bits, number
 * nonzero * 2 + carry.
 */
enum {
	STATES_ALL = 15,
	A_IS_0 = 0x3333,
	A_IS_1 = 0xcccc,
	B_IS_0 = 0x5555,
	B_IS_1 = 0xaaaa,
};

/* Combinations that lead to each state. */
static const uint16_t leads_to[4] = {0x0001, 0x0068, 0x1716, 0xe880};

struct chain {
	struct bits a;
	struct bits b;    /* as it is added: inverted already */
	uint32_t starts;  /* set of states */
	uint32_t allowed; /* set of flag states at the end */
	unsigned int width;
	uint16_t valid[64]; /* combinations at each bit */
	uint64_t fresh;     /* bits at which column and states are not seen to be those below */
};

/* The combinations that agree with what is known of bit i of x. */
static uint32_t agreeing(const struct bits *x, unsigned int i, uint32_t if_0, uint32_t if_1)
{
	if ((x->known >> i & 1) == 0)
		return if_0 | if_1;
	return (x->value >> i & 1) != 0 ? if_1 : if_0;
}

/* Those in any of the states. */
static uint32_t in_states(uint32_t states)
{
	return (states & 1) * 0x000f | (states >> 1 & 1) * 0x00f0 | (states >> 2 & 1) * 0x0f00 |
	       (states >> 3 & 1) * 0xf000;
}

/* The states that the combinations begin in. */
static uint32_t states_of(uint32_t valid)
{
	return ((valid & 0x000f) != 0) * 1U | ((valid & 0x00f0) != 0) * 2U |
	       ((valid & 0x0f00) != 0) * 4U | ((valid & 0xf000) != 0) * 8U;
}

/* The states that they lead to, and the combinations that lead to any of the states. */
static uint32_t states_after(uint32_t valid)
{
	uint32_t states = 0;

	for (unsigned int i = 0; i < 4; i++)
		states |= ((valid & leads_to[i]) != 0) * (1U << i);
	return states;
}

static uint32_t leading_to(uint32_t states)
{
	uint32_t valid = 0;

	for (unsigned int i = 0; i < 4; i++)
		valid |= (states >> i & 1) * leads_to[i];
	return valid;
}

/* The flags that a combination at the top bit gives. */
static unsigned int end_flags(unsigned int combination)
{
	unsigned int carry_in = combination >> 2 & 1;
	unsigned int sum = (combination >> 1 & 1) + (combination & 1) + carry_in;
	unsigned int carry = sum >> 1;
	bool nonzero = combination >= 8 || (sum & 1) != 0;

	return (sum & 1) * FLAG_N + (nonzero ? 0 : FLAG_Z) + carry * FLAG_C +
	       (carry ^ carry_in) * FLAG_V;
}

/* Leaves those combinations at the top bit whose flags are allowed, and says which they give. */
static uint32_t filter_end(struct chain *c)
{
	uint32_t valid = c->valid[c->width - 1];
	uint32_t flags = 0;

	for (unsigned int i = 0; i < 16; i++) {
		uint32_t state = 1U << end_flags(i);

		if ((valid >> i & 1) == 0)
			continue;
		if ((state & c->allowed) == 0)
			valid &= ~(1U << i);
		else
			flags |= state;
	}
	c->valid[c->width - 1] = (uint16_t)valid;
	return flags;
}

/* Learns bit i if only one of its values occurs, and says whether. */
static bool note_bit(struct bits *x, unsigned int i, bool may_be_0, bool may_be_1)
{
	if (may_be_0 && may_be_1)
		return false;
	if ((x->known >> i & 1) != 0)
		return false;
	x->known |= (uint64_t)1 << i;
	x->value |= (uint64_t)may_be_1 << i;
	return true;
}

static bool note_column(struct chain *c, unsigned int i, uint32_t valid)
{
	bool changed = note_bit(&c->a, i, (valid & A_IS_0) != 0, (valid & A_IS_1) != 0);

	return note_bit(&c->b, i, (valid & B_IS_0) != 0, (valid & B_IS_1) != 0) || changed;
}

/* The bits at which x is not what it is at the bit below. */
static uint64_t steps_of(const struct bits *x)
{
	return (x->known ^ x->known << 1) | (x->value ^ x->value << 1);
}

/* The bits at which a column is not what it is at the bit below. */
static uint64_t column_steps(const struct chain *c)
{
	return steps_of(&c->a) | steps_of(&c->b) | 1;
}

/* Fills `valid` from bit 0 up. Where column and states are those of the bit below, so is it. */
static void pass_upwards(struct chain *c)
{
	uint64_t steps = column_steps(c);
	uint32_t states = c->starts;
	uint32_t before = 0;

	c->fresh = 0;
	for (unsigned int i = 0; i < c->width; i++) {
		if ((steps >> i & 1) == 0 && states == before) {
			c->valid[i] = c->valid[i - 1];
			continue;
		}
		c->fresh |= (uint64_t)1 << i;
		before = states;
		c->valid[i] = (uint16_t)(in_states(states) & agreeing(&c->a, i, A_IS_0, A_IS_1) &
		                         agreeing(&c->b, i, B_IS_0, B_IS_1));
		states = states_after(c->valid[i]);
	}
}

/*
 * Learns from the top bit down, and ends with the states before bit 0. Below a bit that did not
 * change, one with the same column, the same combinations and the same states after it does not,
 * nor does any below it that is not fresh, to the last one that the pass upwards found to be like
 * them.
 */
static bool pass_downwards(struct chain *c, uint32_t *starts)
{
	uint32_t states = STATES_ALL;
	uint32_t above = 0;
	uint32_t valid_above = 0;
	bool changed = true;

	for (unsigned int i = c->width; i-- > 0;) {
		uint32_t valid = c->valid[i];

		if (!changed && states == above && valid == valid_above &&
		    (c->fresh >> i >> 1 & 1) == 0) {
			i = 63 - (unsigned int)__builtin_clzll(c->fresh & bits_mask(i + 1));
			continue;
		}
		above = states;
		valid_above = valid;
		valid &= leading_to(states);
		if (valid == 0)
			return false;
		changed = note_column(c, i, valid);
		states = states_of(valid);
	}
	*starts = states;
	return true;
}

/* Both passes; a and b get all that can be known. False if nothing fits. */
static bool run_chain(struct chain *c, uint32_t *flags, uint32_t *starts)
{
	pass_upwards(c);
	*flags = filter_end(c);
	return pass_downwards(c, starts);
}

/* Of the carry before bit 0. */
static uint32_t carry_states(const struct bits *carry)
{
	if ((carry->known & 1) == 0)
		return 3;
	return (carry->value & 1) != 0 ? 2 : 1;
}

static struct chain chain_of(const struct bits *flags, const struct bits_sum *sum,
                             unsigned int width)
{
	return (struct chain){
	        .a = *sum->a,
	        .b = sum->invert ? bits_not(*sum->b) : *sum->b,
	        .starts = carry_states(sum->carry),
	        .allowed = bits_flag_states(flags),
	        .width = width,
	};
}

/* Gives back what the chain found out about the operands. */
static bool learn_operands(const struct bits_sum *sum, const struct chain *c, uint32_t starts)
{
	uint64_t mask = bits_mask(c->width);
	struct bits b = sum->invert ? bits_not(c->b) : c->b;

	if (starts != 3 && !bits_learn(sum->carry, starts >> 1, 1))
		return false;
	return bits_learn(sum->a, c->a.value, c->a.known & mask) &&
	       bits_learn(sum->b, b.value, b.known & mask);
}

/* The state of the flags of an addition of known numbers below 2^width, as a set of that one. */
static uint32_t known_flags(uint64_t a, uint64_t b, uint64_t carry, unsigned int width)
{
	uint64_t sum = (a + b + carry) & bits_mask(width);
	uint64_t top = (uint64_t)1 << (width - 1);
	unsigned int flags = 0;

	if ((sum & top) != 0)
		flags |= FLAG_N;
	if (sum == 0)
		flags |= FLAG_Z;
	if (sum < a || (carry != 0 && sum == a)) /* it has wrapped */
		flags |= FLAG_C;
	if ((~(a ^ b) & (a ^ sum) & top) != 0)
		flags |= FLAG_V;
	return 1U << flags;
}

enum { FLAG_RANGES = 5 };

/*
 * Where another state of the flags of x + other + carry may begin as x grows, in rising order:
 * where x gets a sign, where the sum becomes zero, leaves it, and gets a sign.
 */
static void flag_ranges(uint64_t other, uint64_t carry, unsigned int width,
                        uint64_t first[FLAG_RANGES])
{
	uint64_t mask = bits_mask(width);
	uint64_t top = (uint64_t)1 << (width - 1);
	uint64_t zero = (0 - other - carry) & mask;
	const uint64_t points[FLAG_RANGES] = {0, top, zero, (zero + 1) & mask, (zero + top) & mask};

	for (unsigned int count = 0; count < FLAG_RANGES; count++) {
		unsigned int at = count;

		for (; at > 0 && first[at - 1] > points[count]; at--)
			first[at] = first[at - 1];
		first[at] = points[count];
	}
}

/*
 * The flags where only one operand, `x`, is not known: in each of a few ranges of it they are the
 * same. What is learned of a range is all that can be, and so is what the ranges have in common.
 */
static bool flags_of_one(struct bits *flags, struct bits *x, uint64_t other, uint64_t carry,
                         unsigned int width)
{
	uint64_t first[FLAG_RANGES];
	uint32_t allowed = bits_flag_states(flags);
	uint32_t states = 0;
	struct bits common = {0, 0};

	flag_ranges(other, carry, width, first);
	for (unsigned int i = 0; i < FLAG_RANGES; i++) {
		uint64_t last = i + 1 < FLAG_RANGES ? first[i + 1] - 1 : bits_mask(width);
		uint32_t state = known_flags(first[i], other, carry, width);
		struct bits in = *x;

		if ((i + 1 < FLAG_RANGES && first[i] == first[i + 1]) || (state & allowed) == 0 ||
		    !bits_learn_range(&in, width, first[i], last))
			continue;
		common.known = states == 0 ? in.known
		                           : common.known & in.known & ~(common.value ^ in.value);
		common.value = in.value & common.known;
		states |= state;
	}
	return bits_learn_states(flags, states) && bits_learn(x, common.value, common.known);
}

bool bits_add_flags(struct bits *flags, const struct bits_sum *sum, unsigned int width)
{
	uint64_t mask = bits_mask(width);
	struct bits y = sum->invert ? bits_not(*sum->b) : *sum->b;
	uint64_t carry = sum->carry->value & 1;
	bool has_carry = (sum->carry->known & 1) != 0;
	bool has_a = bits_all_known(sum->a, width);
	bool has_b = bits_all_known(&y, width);
	struct chain c;
	uint32_t states;
	uint32_t starts;

	if (has_carry && has_a && has_b)
		return bits_learn_states(
		        flags, known_flags(sum->a->value & mask, y.value & mask, carry, width));
	if (has_carry && has_b)
		return flags_of_one(flags, sum->a, y.value & mask, carry, width);
	if (has_carry && has_a) {
		if (!flags_of_one(flags, &y, sum->a->value & mask, carry, width))
			return false;
		y = sum->invert ? bits_not(y) : y;
		return bits_learn(sum->b, y.value, y.known);
	}
	c = chain_of(flags, sum, width);
	return run_chain(&c, &states, &starts) && bits_learn_states(flags, states) &&
	       learn_operands(sum, &c, starts);
}

/* The states that a result of which this is known can set. */
static uint32_t test_states(const struct bits *a, unsigned int width)
{
	uint64_t sign = (uint64_t)1 << (width - 1);
	uint32_t states = 0;

	if (bits_min(a, width) == 0)
		states |= 1U << FLAG_Z;
	if ((a->value & sign) != 0 || (a->known & sign) == 0)
		states |= 1U << FLAG_N;
	if ((a->value & sign) == 0 && (bits_max(a, width) & ~sign) != 0)
		states |= 1U << 0;
	return states;
}

bool bits_test_flags(struct bits *flags, struct bits *a, unsigned int width)
{
	uint64_t sign = (uint64_t)1 << (width - 1);
	uint64_t open = ~a->known & bits_mask(width);
	uint32_t states;

	if (!bits_learn_states(flags, test_states(a, width)))
		return false;
	states = bits_flag_states(flags);
	if (states == 1U << FLAG_Z)
		return bits_learn(a, 0, bits_mask(width));
	if (states == 1U << FLAG_N && !bits_learn(a, sign, sign))
		return false;
	if ((states & 1U << FLAG_N) == 0 && !bits_learn(a, 0, sign))
		return false;
	if (states != 1U << 0 || bits_min(a, width) != 0)
		return true;
	open &= ~sign;
	return (open & (open - 1)) != 0 || bits_learn(a, open, open);
}
