/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A32 and T32 operations on bytes and halves of registers, and with saturation, once decoded (Arm
 * ARM DDI 0487 F1.4, operations in F5.1). Q is part of PSTATE, which nothing says of afterwards; GE
 * is REG_A32_GE.
 */
#include "arch/a32/sem_a32_expand.h"

enum { LO = 3, HI = 8, LT = 11, GT = 12 }; /* conditions */

static unsigned int lanes(struct arm *s, struct bits_lanes how, unsigned int a, unsigned int second)
{
	return uop_emit(s->b, (struct uop){.op = UOP_LANES,
	                                   .width = 64,
	                                   .a = (uint8_t)a,
	                                   .b = (uint8_t)second,
	                                   .c = SLOT_NONE,
	                                   .lanes = {.kind = (uint8_t)how.kind,
	                                             .condition = (uint8_t)how.condition,
	                                             .size = (uint8_t)how.size}});
}

static unsigned int choose(struct arm *s, unsigned int condition, unsigned int size, unsigned int a,
                           unsigned int second)
{
	return lanes(s, (struct bits_lanes){LANES_CHOOSE, condition, size, false}, a, second);
}

static unsigned int low_word(struct arm *s, unsigned int slot)
{
	return arm_field(s, UOP_FIELD, slot, 0, 32, 0);
}

static unsigned int as_signed(struct arm *s, unsigned int slot)
{
	return uop_field(s->b, UOP_SIGNED, 64, slot, (struct bits_field){0, 32, 0});
}

/* The signed number of 64 bits, or what of the range is next to it. */
static unsigned int clamped(struct arm *s, unsigned int value, int64_t least, int64_t most)
{
	value = choose(s, LT, 64, value, uop_constant(s->b, (uint64_t)most));
	return choose(s, GT, 64, value, uop_constant(s->b, (uint64_t)least));
}

void arm_saturate(struct arm *s, unsigned int rd, unsigned int shifted, unsigned int bits,
                  bool is_unsigned)
{
	int64_t most = (INT64_C(1) << (is_unsigned ? bits : bits - 1)) - 1;
	unsigned int value = clamped(s, as_signed(s, shifted), is_unsigned ? 0 : -most - 1, most);

	arm_pstate_unknown(s);
	arm_set(s, rd, low_word(s, value));
}

/* Rm and Rn, or twice Rn. */
void arm_saturating_sum(struct arm *s, struct arm_saturating sum)
{
	unsigned int rn = as_signed(s, arm_r(s, sum.rn));
	unsigned int value;

	if (sum.doubles)
		rn = clamped(s, uop_sum(s->b, 64, rn, rn, false), INT32_MIN, INT32_MAX);
	value = uop_sum(s->b, 64, as_signed(s, arm_r(s, sum.rm)), rn, sum.subtracts);
	arm_pstate_unknown(s);
	arm_set(s, sum.rd, low_word(s, clamped(s, value, INT32_MIN, INT32_MAX)));
}

void arm_absolute_differences(struct arm *s, unsigned int rd, unsigned int rn, unsigned int rm,
                              unsigned int ra)
{
	const struct bits_lanes subtract = {LANES_SUBTRACT, 0, 8, false};
	unsigned int a = arm_r(s, rn);
	unsigned int b = arm_r(s, rm);
	unsigned int each = lanes(s, subtract, choose(s, HI, 8, a, b), choose(s, LO, 8, a, b));
	unsigned int value = arm_field(s, UOP_FIELD, each, 0, 8, 0);

	for (unsigned int at = 8; at < 32; at += 8)
		value = uop_sum(s->b, 32, value, arm_field(s, UOP_FIELD, each, at, 8, 0), false);
	if (ra != ARM_PC)
		value = uop_sum(s->b, 32, value, arm_r(s, ra), false);
	arm_set(s, rd, value);
}

void arm_saturate_halves(struct arm *s, unsigned int rd, unsigned int rn, unsigned int bits,
                         bool is_unsigned)
{
	int64_t most = (INT64_C(1) << (is_unsigned ? bits : bits - 1)) - 1;
	unsigned int value = SLOT_ZERO;

	for (unsigned int at = 0; at < 32; at += 16) {
		unsigned int half =
		        uop_field(s->b, UOP_SIGNED, 64, rn, (struct bits_field){at, 16, 0});

		value = uop_insert(s->b, 32, value,
		                   clamped(s, half, is_unsigned ? 0 : -most - 1, most),
		                   (struct bits_field){0, 16, at});
	}
	arm_pstate_unknown(s);
	arm_set(s, rd, value);
}

/* The sum or difference of lane `i`, a number of 64 bits. */
static unsigned int sum_of_lane(struct arm *s, const struct arm_parallel *p, unsigned int i)
{
	enum uop_op op = p->is_unsigned ? UOP_FIELD : UOP_SIGNED;
	unsigned int at = i * p->size;
	unsigned int at_rm = p->exchanges ? 16 - at : at;
	unsigned int a = uop_field(s->b, op, 64, p->rn, (struct bits_field){at, p->size, 0});
	unsigned int second =
	        uop_field(s->b, op, 64, p->rm, (struct bits_field){at_rm, p->size, 0});

	return uop_sum(s->b, 64, a, second, (p->subtracts >> i & 1) != 0);
}

/* 1 if it is not negative, or of an unsigned sum if it does not fit. */
static unsigned int ge_of_lane(struct arm *s, const struct arm_parallel *p, unsigned int i,
                               unsigned int sum)
{
	bool is_carry = p->is_unsigned && (p->subtracts >> i & 1) == 0;
	unsigned int bit = uop_field(s->b, UOP_FIELD, 1, sum,
	                             (struct bits_field){is_carry ? p->size : 63, 1, 0});

	return is_carry ? bit : uop_make(s->b, UOP_XOR, 1, bit, uop_constant(s->b, 1));
}

void arm_parallel(struct arm *s, const struct arm_parallel *p)
{
	bool saturates = p->kind == PARALLEL_SATURATES;
	int64_t most = (INT64_C(1) << (p->is_unsigned ? p->size : p->size - 1)) - 1;
	int64_t least = p->is_unsigned ? 0 : -most - 1;
	unsigned int from = p->kind == PARALLEL_HALVES ? 1 : 0;
	unsigned int value = SLOT_ZERO;
	unsigned int ge = SLOT_ZERO;

	for (unsigned int at = 0; at < 32; at += p->size) {
		unsigned int i = at / p->size;
		unsigned int sum = sum_of_lane(s, p, i);
		unsigned int lane = saturates ? clamped(s, sum, least, most) : sum;

		value = uop_insert(s->b, 32, value, lane, (struct bits_field){from, p->size, at});
		if (p->kind != PARALLEL_PLAIN)
			continue;
		lane = ge_of_lane(s, p, i, sum);
		for (unsigned int byte = at / 8; byte < (at + p->size) / 8; byte++)
			ge = uop_insert(s->b, 4, ge, lane, (struct bits_field){0, 1, byte});
	}
	arm_set(s, p->rd, value);
	if (p->kind == PARALLEL_PLAIN)
		uop_define(s->b, REG_A32_GE, ge);
}

void arm_select_bytes(struct arm *s, unsigned int rd, unsigned int rn, unsigned int rm)
{
	unsigned int value = SLOT_ZERO;

	for (unsigned int byte = 0; byte < 4; byte++) {
		unsigned int bit =
		        uop_field(s->b, UOP_FIELD, 1, REG_A32_GE, (struct bits_field){byte, 1, 0});

		value = uop_insert(s->b, 32, value, uop_select(s->b, 32, bit, rn, rm),
		                   (struct bits_field){8 * byte, 8, 8 * byte});
	}
	arm_set(s, rd, value);
}

/* SXTB16, UXTAB16 and the like. */
void arm_extend_two(struct arm *s, enum uop_op op, unsigned int rd, unsigned int ra,
                    unsigned int rotated)
{
	const struct bits_lanes add = {LANES_ADD, 0, 16, false};
	unsigned int value =
	        uop_insert(s->b, 32, arm_field(s, op, rotated, 0, 8, 0),
	                   arm_field(s, op, rotated, 16, 8, 0), (struct bits_field){0, 16, 16});

	arm_set(s, rd, ra == ARM_PC ? value : low_word(s, lanes(s, add, ra, value)));
}
