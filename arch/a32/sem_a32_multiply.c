/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A32 and T32 operations on registers that are not data processing, once decoded: products,
 * extensions, reversals, bit fields. Arm ARM DDI 0487 F1.4, operations in F5.1.
 */
#include "arch/a32/sem_a32_expand.h"

static unsigned int wide(struct arm *s, enum uop_op op, unsigned int slot, unsigned int lsb,
                         unsigned int len)
{
	return uop_field(s->b, op, 64, slot, (struct bits_field){lsb, len, 0});
}

static unsigned int low_word(struct arm *s, unsigned int slot)
{
	return arm_field(s, UOP_FIELD, slot, 0, 32, 0);
}

/* `ra` is a slot, SLOT_NONE for none. */
void arm_multiply(struct arm *s, unsigned int rd, unsigned int product, unsigned int ra,
                  bool sets_flags)
{
	if (ra != SLOT_NONE)
		product = uop_sum(s->b, 32, product, ra, false);
	arm_set(s, rd, product);
	if (sets_flags)
		arm_set_logical_flags(s, product, 32, SLOT_NONE);
}

/* high:low */
static unsigned int pair_of(struct arm *s, unsigned int low, unsigned int high)
{
	return uop_insert(s->b, 64, wide(s, UOP_FIELD, arm_r(s, low), 0, 32), arm_r(s, high),
	                  (struct bits_field){0, 32, 32});
}

static void set_pair(struct arm *s, unsigned int low, unsigned int high, unsigned int value)
{
	arm_set(s, low, low_word(s, value));
	arm_set(s, high, arm_field(s, UOP_FIELD, value, 32, 32, 0));
}

void arm_multiply_long(struct arm *s, struct arm_long product)
{
	enum uop_op extend = product.is_signed ? UOP_SIGNED : UOP_FIELD;
	unsigned int a = wide(s, extend, arm_r(s, product.rn), 0, 32);
	unsigned int second = wide(s, extend, arm_r(s, product.rm), 0, 32);
	unsigned int value = uop_make(s->b, UOP_MUL, 64, a, second);

	if (product.accumulates)
		value = uop_sum(s->b, 64, value, pair_of(s, product.low, product.high), false);
	set_pair(s, product.low, product.high, value);
	if (product.sets_flags)
		arm_set_logical_flags(s, value, 64, SLOT_NONE);
}

void arm_umaal(struct arm *s, unsigned int low, unsigned int high, unsigned int rn, unsigned int rm)
{
	unsigned int value = uop_make(s->b, UOP_MUL, 64, wide(s, UOP_FIELD, arm_r(s, rn), 0, 32),
	                              wide(s, UOP_FIELD, arm_r(s, rm), 0, 32));

	value = uop_sum(s->b, 64, value, wide(s, UOP_FIELD, arm_r(s, low), 0, 32), false);
	value = uop_sum(s->b, 64, value, wide(s, UOP_FIELD, arm_r(s, high), 0, 32), false);
	set_pair(s, low, high, value);
}

unsigned int arm_product_of_halves(struct arm *s, unsigned int rn, unsigned int rm,
                                   unsigned int tops)
{
	unsigned int a = wide(s, UOP_SIGNED, arm_r(s, rn), (tops & 1) * 16, 16);
	unsigned int second = wide(s, UOP_SIGNED, arm_r(s, rm), (tops >> 1 & 1) * 16, 16);

	return uop_make(s->b, UOP_MUL, 64, a, second);
}

/* Bits 47..16 of the product of a word and a half. */
unsigned int arm_product_word_half(struct arm *s, unsigned int rn, unsigned int rm, bool top)
{
	unsigned int a = wide(s, UOP_SIGNED, arm_r(s, rn), 0, 32);
	unsigned int second = wide(s, UOP_SIGNED, arm_r(s, rm), top ? 16 : 0, 16);

	return arm_field(s, UOP_FIELD, uop_make(s->b, UOP_MUL, 64, a, second), 16, 32, 0);
}

/* `ra` is the number of a register, 15 for none; the sum of signed numbers may set Q. */
void arm_accumulate(struct arm *s, unsigned int rd, unsigned int product, unsigned int ra)
{
	product = low_word(s, product);
	if (ra != ARM_PC) {
		product = uop_sum(s->b, 32, product, arm_r(s, ra), false);
		arm_pstate_unknown(s);
	}
	arm_set(s, rd, product);
}

void arm_accumulate_long(struct arm *s, unsigned int low, unsigned int high, unsigned int product)
{
	set_pair(s, low, high, uop_sum(s->b, 64, product, pair_of(s, low, high), false));
}

unsigned int arm_two_products(struct arm *s, unsigned int rn, unsigned int rm, bool swaps,
                              bool subtracts)
{
	unsigned int low = arm_product_of_halves(s, rn, rm, swaps ? 2 : 0);
	unsigned int high = arm_product_of_halves(s, rn, rm, swaps ? 1 : 3);

	return uop_sum(s->b, 64, low, high, subtracts);
}

/* `ra` is the number of a register, 15 for none. */
void arm_sum_of_products(struct arm *s, unsigned int rd, unsigned int products, unsigned int ra)
{
	if (ra == ARM_PC)
		arm_pstate_unknown(s);
	arm_accumulate(s, rd, products, ra);
}

/* SMMUL, SMMLA (kind 0), SMMLS (kind 2) and with bit 0 set their rounding forms. */
void arm_product_top(struct arm *s, unsigned int rd, unsigned int rn, unsigned int rm,
                     unsigned int ra, unsigned int kind)
{
	unsigned int value = uop_make(s->b, UOP_MUL, 64, wide(s, UOP_SIGNED, arm_r(s, rn), 0, 32),
	                              wide(s, UOP_SIGNED, arm_r(s, rm), 0, 32));

	if (ra != ARM_PC || (kind & 2) != 0)
		value = uop_sum(s->b, 64,
		                uop_field(s->b, UOP_FIELD, 64, arm_r(s, ra),
		                          (struct bits_field){0, 32, 32}),
		                value, (kind & 2) != 0);
	if ((kind & 1) != 0)
		value = uop_sum(s->b, 64, value, uop_constant(s->b, UINT64_C(0x80000000)), false);
	arm_set(s, rd, arm_field(s, UOP_FIELD, value, 32, 32, 0));
}

void arm_extend(struct arm *s, unsigned int kind, unsigned int rd, unsigned int ra, unsigned int rm,
                unsigned int rotation)
{
	enum uop_op op = (kind & 4) != 0 ? UOP_FIELD : UOP_SIGNED;
	unsigned int len = (kind & 3) == 3 ? 16 : 8;
	unsigned int x = arm_r(s, rm);

	if ((kind & 3) == 1 || rd == ARM_PC || rm == ARM_PC) {
		opcode_reject(&s->opcode);
		return;
	}
	if ((kind & 3) == 0) { /* of two bytes */
		arm_extend_two(s, op, rd, ra, rotation ? arm_rotated(s, x, rotation) : x);
		return;
	}
	if (rotation + len > 32) { /* bits on both sides of the end */
		x = arm_rotated(s, x, rotation);
		rotation = 0;
	}
	x = arm_field(s, op, x, rotation, len, 0);
	if (ra != ARM_PC)
		x = uop_sum(s->b, 32, ra, x, false);
	arm_set(s, rd, x);
}

void arm_reverse(struct arm *s, enum arm_reverse kind, unsigned int rd, unsigned int rm)
{
	static const uint8_t swaps[] = {24, 8, 31, 8};
	struct uop op = {.op = UOP_SWIZZLE,
	                 .width = 32,
	                 .a = (uint8_t)arm_r(s, rm),
	                 .b = SLOT_NONE,
	                 .c = SLOT_NONE,
	                 .flip = swaps[kind]};
	unsigned int value = uop_emit(s->b, op);

	if (kind == REVERSE_SIGNED)
		value = arm_field(s, UOP_SIGNED, value, 0, 16, 0);
	arm_set(s, rd, value);
}

void arm_bit_field(struct arm *s, enum uop_op op, unsigned int rd, unsigned int rn,
                   unsigned int lsb, unsigned int len)
{
	if (lsb + len > 32 || len == 0 || len > 32 || rd == ARM_PC || rn == ARM_PC) {
		opcode_reject(&s->opcode);
		return;
	}
	if (op == UOP_INSERT)
		arm_set(s, rd, uop_insert(s->b, 32, rd, rn, (struct bits_field){0, len, lsb}));
	else
		arm_set(s, rd, arm_field(s, op, rn, lsb, len, 0));
}

void arm_divide(struct arm *s, enum uop_op op, unsigned int rd, unsigned int rn, unsigned int rm)
{
	arm_set(s, rd, uop_make(s->b, op, 32, arm_r(s, rn), arm_r(s, rm)));
}

void arm_clz(struct arm *s, unsigned int rd, unsigned int rm)
{
	arm_set(s, rd, uop_make(s->b, UOP_CLZ, 32, arm_r(s, rm), SLOT_NONE));
}

void arm_crc(struct arm *s, unsigned int rd, unsigned int rn, unsigned int rm, unsigned int bytes,
             bool castagnoli)
{
	arm_set(s, rd,
	        uop_emit(s->b, (struct uop){.op = castagnoli ? UOP_CRC32C : UOP_CRC32,
	                                    .width = 32,
	                                    .a = (uint8_t)arm_r(s, rn),
	                                    .b = (uint8_t)arm_r(s, rm),
	                                    .c = SLOT_NONE,
	                                    .count = (uint8_t)bytes}));
}

void arm_move_top(struct arm *s, unsigned int rd, uint32_t value)
{
	arm_set(s, rd,
	        uop_insert(s->b, 32, arm_r(s, rd), arm_constant(s, value),
	                   (struct bits_field){0, 16, 16}));
}

void arm_pack_halves(struct arm *s, unsigned int rd, unsigned int rn, unsigned int shifted,
                     bool top_is_rn)
{
	unsigned int base = top_is_rn ? arm_r(s, rn) : shifted;
	unsigned int low = top_is_rn ? shifted : arm_r(s, rn);

	arm_set(s, rd, uop_insert(s->b, 32, base, low, (struct bits_field){0, 16, 0}));
}
