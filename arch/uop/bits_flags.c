/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Condition flags as a set of possible states, and conditions on them; see bits.h. Arm ARM C1.2.4.
 */
#include "arch/uop/bits.h"

uint32_t bits_flag_states(const struct bits *flags)
{
	if ((flags->value & FLAGS_ANY) != 0)
		return (uint32_t)(flags->value & FLAGS_ANY);
	return (uint32_t)(~flags->known & FLAGS_ANY);
}

bool bits_learn_states(struct bits *flags, uint32_t states)
{
	states &= bits_flag_states(flags);
	if (states == 0)
		return false;
	if ((states & (states - 1)) == 0)
		return bits_learn(flags, states, FLAGS_ANY);
	return bits_learn(flags, 0, ~(uint64_t)states & FLAGS_ANY);
}

uint32_t bits_condition_states(unsigned int condition)
{
	/* EQ, CS, MI, VS, HI, GE, GT, AL; each odd condition is the other states of the even one */
	static const uint16_t states[8] = {0xf0f0, 0xcccc, 0xff00, 0xaaaa,
	                                   0x0c0c, 0xaa55, 0x0a05, 0xffff};
	uint32_t even = states[condition >> 1 & 7];

	return (condition & 1) != 0 && even != FLAGS_ANY ? ~even & FLAGS_ANY : even;
}

struct bits bits_flags_packed(const struct bits *flags)
{
	uint32_t states = bits_flag_states(flags);
	struct bits packed = {15, 15};
	uint64_t any = 0;

	for (unsigned int i = 0; i < 16; i++) {
		if ((states >> i & 1) == 0)
			continue;
		packed.value &= i;
		any |= i;
	}
	packed.known = ~(packed.value ^ any) & 15;
	packed.value &= packed.known;
	return packed;
}

bool bits_condition(struct bits *result, struct bits *flags, unsigned int condition)
{
	uint32_t holds = bits_condition_states(condition);
	uint32_t states = bits_flag_states(flags);

	if ((states & holds) == 0 && !bits_learn(result, 0, 1))
		return false;
	if ((states & ~holds) == 0 && !bits_learn(result, 1, 1))
		return false;
	if ((result->known & 1) == 0)
		return true;
	return bits_learn_states(flags, (result->value & 1) != 0 ? holds : ~holds);
}

bool bits_pack_flags(struct bits *result, struct bits *flags)
{
	uint32_t states = 0;
	struct bits packed;

	for (unsigned int i = 0; i < 16; i++) {
		if (((result->value ^ i) & result->known & 15) == 0)
			states |= 1U << i;
	}
	if (!bits_learn_states(flags, states))
		return false;
	packed = bits_flags_packed(flags);
	return bits_learn(result, packed.value, packed.known);
}

/* Arm ARM C6.2: CFINV, AXFLAG, XAFLAG. */
static unsigned int map_state(unsigned int state, enum bits_flag_map map)
{
	bool z = (state & FLAG_Z) != 0;
	bool c = (state & FLAG_C) != 0;
	bool v = (state & FLAG_V) != 0;

	if (map == FLAG_MAP_CFINV)
		return state ^ FLAG_C;
	if (map == FLAG_MAP_AXFLAG)
		return (z || v ? FLAG_Z : 0U) | (c && !v ? FLAG_C : 0U);
	return (!c && !z ? FLAG_N : 0U) | (z && c ? FLAG_Z : 0U) | (c || z ? FLAG_C : 0U) |
	       (!c && z ? FLAG_V : 0U);
}

bool bits_map_flags(struct bits *result, struct bits *flags, enum bits_flag_map map)
{
	uint32_t before = bits_flag_states(flags);
	uint32_t after = bits_flag_states(result);
	uint32_t from = 0;
	uint32_t into = 0;

	for (unsigned int i = 0; i < 16; i++) {
		unsigned int mapped = map_state(i, map);

		if ((before >> i & 1) == 0 || (after >> mapped & 1) == 0)
			continue;
		from |= 1U << i;
		into |= 1U << mapped;
	}
	return bits_learn_states(flags, from) && bits_learn_states(result, into);
}
