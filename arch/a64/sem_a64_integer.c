/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64 data processing on general registers as micro-operations: Arm ARM C4.1.92 (immediate) and
 * C4.1.95 (register), operations in C6.2.
 */
#include "arch/a64/sem_a64_expand.h"

/* The result of an addition or subtraction and, with S, its flags. */
static void add(struct sem *s, unsigned int a, unsigned int second, unsigned int rd)
{
	bool subtract = FLAG(s, op);
	bool sets_flags = FLAG(s, S);
	unsigned int width = sem_width(s);
	struct uop flags = {
	        .op = subtract ? UOP_SUB_FLAGS : UOP_ADD_FLAGS,
	        .width = 16,
	        .size = (uint8_t)width,
	        .a = (uint8_t)a,
	        .b = (uint8_t)second,
	        .c = (uint8_t)uop_constant(s->b, subtract),
	};

	if (rd != SLOT_ZERO)
		uop_define(s->b, rd, uop_sum(s->b, width, a, second, subtract));
	if (sets_flags)
		uop_define(s->b, REG_NZCV, uop_emit(s->b, flags));
}

/* Number 31 as destination: SP, or with S the zero register. */
static unsigned int sum_destination(const struct sem *s)
{
	return FLAG(s, S) ? sem_x(FIELD(s, Rd)) : FIELD(s, Rd);
}

void sem_adr(struct sem *s, unsigned int pages)
{
	int64_t offset = SIGNED_FIELD(s, immhi) * 4 + FIELD(s, immlo);
	uint64_t base = s->address;

	if (pages != 0) {
		offset *= 4096;
		base &= ~(uint64_t)4095;
	}
	sem_set_x(s, FIELD(s, Rd), uop_constant(s->b, base + (uint64_t)offset));
}

void sem_add_immediate(struct sem *s, unsigned int arg)
{
	uint64_t value = (uint64_t)FIELD(s, imm12) << (FLAG(s, sh) ? 12 : 0);

	(void)arg;
	add(s, FIELD(s, Rn), uop_constant(s->b, value), sum_destination(s));
}

/* DecodeBitMasks of the Arm ARM, C4: 0, which no mask is, if it is reserved. */
static uint64_t bit_mask(unsigned int n, unsigned int immr, unsigned int imms)
{
	unsigned int size = 64;
	uint64_t ones;

	if (n == 0) {
		for (size = 32; size > 1 && (imms & size) != 0; size /= 2)
			;
	}
	if (size < 2 || (imms & (size - 1)) == size - 1)
		return 0;
	ones = bits_mask((imms & (size - 1)) + 1);
	immr &= size - 1;
	if (immr > 0)
		ones = (ones >> immr | ones << (size - immr)) & bits_mask(size);
	for (; size < 64; size *= 2)
		ones |= ones << size;
	return ones;
}

static const uint8_t logical_ops[4] = {UOP_AND, UOP_OR, UOP_XOR, UOP_AND};

/* With opc 3 (ANDS, BICS) the flags of the result; its destination is never SP. */
static void logical(struct sem *s, unsigned int a, unsigned int second, unsigned int rd)
{
	unsigned int opc = FIELD(s, opc);
	unsigned int width = sem_width(s);
	struct uop test = {.op = UOP_TEST,
	                   .width = 16,
	                   .size = (uint8_t)width,
	                   .b = SLOT_NONE,
	                   .c = SLOT_NONE};
	unsigned int result = second;

	if (opc == 1 && a == SLOT_ZERO && width == 32)
		result = uop_field(s->b, UOP_FIELD, 64, second, (struct bits_field){0, 32, 0});
	else if (opc == 2 && a == second)
		result = SLOT_ZERO;
	else if (opc != 1 || a != SLOT_ZERO)
		result = uop_make(s->b, (enum uop_op)logical_ops[opc], width, a, second);
	if (rd != SLOT_ZERO)
		uop_define(s->b, rd, result);
	if (opc != 3)
		return;
	test.a = (uint8_t)result;
	uop_define(s->b, REG_NZCV, uop_emit(s->b, test));
}

void sem_logical_immediate(struct sem *s, unsigned int arg)
{
	uint64_t mask = bit_mask(FIELD(s, N), FIELD(s, immr), FIELD(s, imms));

	(void)arg;
	if (mask == 0 || (!FLAG(s, sf) && FLAG(s, N))) {
		opcode_reject(&s->opcode);
		return;
	}
	logical(s, sem_x(FIELD(s, Rn)), uop_constant(s->b, mask & bits_mask(sem_width(s))),
	        FIELD(s, opc) == 3 ? sem_x(FIELD(s, Rd)) : FIELD(s, Rd));
}

void sem_move_wide(struct sem *s, unsigned int arg)
{
	unsigned int opc = FIELD(s, opc);
	unsigned int shift = 16 * FIELD(s, hw);
	unsigned int width = sem_width(s);
	unsigned int rd = FIELD(s, Rd);
	uint64_t value = (uint64_t)FIELD(s, imm16) << shift;

	(void)arg;
	if (opc == 1 || shift >= width) {
		opcode_reject(&s->opcode);
		return;
	}
	if (opc == 3 && rd != 31) {
		struct bits_field field = {shift, 16, shift};

		uop_define(s->b, rd, uop_insert(s->b, width, rd, uop_constant(s->b, value), field));
		return;
	}
	if (opc == 0)
		value = ~value & bits_mask(width);
	sem_set_x(s, rd, uop_constant(s->b, value));
}

void sem_bitfield(struct sem *s, unsigned int arg)
{
	unsigned int opc = FIELD(s, opc);
	unsigned int width = sem_width(s);
	unsigned int immr = FIELD(s, immr);
	unsigned int imms = FIELD(s, imms);
	unsigned int rd = FIELD(s, Rd);
	struct bits_field field = {immr, imms - immr + 1, 0};
	unsigned int a = sem_x(FIELD(s, Rn));

	(void)arg;
	if (opc == 3 || FLAG(s, N) != FLAG(s, sf) || immr >= width || imms >= width) {
		opcode_reject(&s->opcode);
		return;
	}
	if (imms < immr)
		field = (struct bits_field){0, imms + 1, width - immr};
	if (opc == 1)
		sem_set_x(s, rd, uop_insert(s->b, width, sem_x(FIELD(s, Rd)), a, field));
	else
		sem_set_x(s, rd,
		          uop_field(s->b, opc == 0 ? UOP_SIGNED : UOP_FIELD, width, a, field));
}

/* (high:low) >> lsb; a shift by nothing is a move. */
static unsigned int extract(struct sem *s, unsigned int high, unsigned int low, unsigned int lsb)
{
	return uop_emit(s->b, (struct uop){.op = UOP_EXTRACT,
	                                   .width = (uint8_t)sem_width(s),
	                                   .a = (uint8_t)high,
	                                   .b = (uint8_t)low,
	                                   .c = SLOT_NONE,
	                                   .amount = (uint8_t)lsb});
}

void sem_extract(struct sem *s, unsigned int arg)
{
	unsigned int lsb = FIELD(s, imms);

	(void)arg;
	if (FLAG(s, N) != FLAG(s, sf) || lsb >= sem_width(s))
		opcode_reject(&s->opcode);
	else
		sem_set_x(s, FIELD(s, Rd),
		          extract(s, sem_x(FIELD(s, Rn)), sem_x(FIELD(s, Rm)), lsb));
}

/* Rm shifted by an immediate. */
static unsigned int shifted(struct sem *s)
{
	unsigned int type = FIELD(s, shift);
	unsigned int amount = FIELD(s, imm6);
	unsigned int width = sem_width(s);
	unsigned int rm = sem_x(FIELD(s, Rm));
	struct bits_field right = {amount, width - amount, 0};

	if (amount >= width)
		opcode_reject(&s->opcode);
	if (amount == 0 || amount >= width)
		return rm;
	if (type == 0)
		return uop_field(s->b, UOP_FIELD, width, rm,
		                 (struct bits_field){0, width - amount, amount});
	if (type == 3)
		return extract(s, rm, rm, amount);
	return uop_field(s->b, type == 1 ? UOP_FIELD : UOP_SIGNED, width, rm, right);
}

void sem_logical_register(struct sem *s, unsigned int arg)
{
	unsigned int second = shifted(s);

	(void)arg;
	if (FLAG(s, N))
		second = uop_make(s->b, UOP_XOR, sem_width(s), second,
		                  uop_constant(s->b, bits_mask(sem_width(s))));
	logical(s, sem_x(FIELD(s, Rn)), second, sem_x(FIELD(s, Rd)));
}

void sem_add_shifted(struct sem *s, unsigned int arg)
{
	unsigned int second = shifted(s);
	unsigned int first = sem_x(FIELD(s, Rn));

	(void)arg;
	if (FIELD(s, shift) == 3) {
		opcode_reject(&s->opcode);
		return;
	}
	/* x + x and x - x say more when they do not look like sums of two numbers */
	if (first == second && first != SLOT_ZERO && !FLAG(s, S)) {
		struct bits_field twice = {0, sem_width(s) - 1, 1};

		sem_set_x(s, FIELD(s, Rd),
		          FLAG(s, op) ? SLOT_ZERO
		                      : uop_field(s->b, UOP_FIELD, sem_width(s), first, twice));
		return;
	}
	add(s, first, second, sem_x(FIELD(s, Rd)));
}

void sem_add_extended(struct sem *s, unsigned int arg)
{
	unsigned int shift = FIELD(s, imm3);

	(void)arg;
	if (shift > 4) {
		opcode_reject(&s->opcode);
		return;
	}
	add(s, FIELD(s, Rn),
	    sem_extended(s, sem_width(s), sem_x(FIELD(s, Rm)), FIELD(s, option), shift),
	    sum_destination(s));
}

void sem_add_carry(struct sem *s, unsigned int arg)
{
	bool subtract = FLAG(s, op);
	struct uop op = {
	        .op = subtract ? UOP_SUB : UOP_ADD,
	        .width = (uint8_t)sem_width(s),
	        .a = (uint8_t)sem_x(FIELD(s, Rn)),
	        .b = (uint8_t)sem_x(FIELD(s, Rm)),
	};
	enum { CARRY_SET = 2 };

	(void)arg;
	op.c = (uint8_t)uop_condition(s->b, CARRY_SET);
	sem_set_x(s, FIELD(s, Rd), uop_emit(s->b, op));
	if (!FLAG(s, S))
		return;
	op.op = subtract ? UOP_SUB_FLAGS : UOP_ADD_FLAGS;
	op.size = op.width;
	op.width = 16;
	uop_define(s->b, REG_NZCV, uop_emit(s->b, op));
}

/* N, Z, C, V as a number; unpack() is the way back. */
static unsigned int pack(struct sem *s)
{
	return uop_make(s->b, UOP_PACK, 4, REG_NZCV, SLOT_NONE);
}

static void define_unpacked(struct sem *s, unsigned int packed)
{
	uop_define(s->b, REG_NZCV, uop_make(s->b, UOP_UNPACK, 16, packed, SLOT_NONE));
}

/* RMIF: bits of a register, rotated, become those flags that the mask names. */
void sem_rmif(struct sem *s, unsigned int arg)
{
	unsigned int mask = FIELD(s, mask);
	unsigned int value = extract(s, sem_x(FIELD(s, Rn)), sem_x(FIELD(s, Rn)), FIELD(s, imm6));
	unsigned int packed = pack(s);

	(void)arg;
	for (unsigned int i = 0; i < 4; i++) {
		if ((mask >> i & 1) != 0)
			packed = uop_insert(s->b, 4, packed, value, (struct bits_field){i, 1, i});
	}
	define_unpacked(s, packed);
}

/* SETF8, SETF16: N and Z of the low bits, V if the next bit differs from their sign. */
void sem_setf(struct sem *s, unsigned int width)
{
	unsigned int x = sem_x(FIELD(s, Rn));
	unsigned int is_zero = uop_equal(s->b, width, x, SLOT_ZERO);
	unsigned int above = uop_field(s->b, UOP_FIELD, 64, x, (struct bits_field){width, 1, 0});
	unsigned int sign = uop_field(s->b, UOP_FIELD, 64, x, (struct bits_field){width - 1, 1, 0});
	unsigned int packed = pack(s);

	packed = uop_insert(s->b, 4, packed, sign, (struct bits_field){0, 1, 3});
	packed = uop_insert(s->b, 4, packed, is_zero, (struct bits_field){0, 1, 2});
	packed = uop_insert(s->b, 4, packed, uop_make(s->b, UOP_XOR, 1, above, sign),
	                    (struct bits_field){0, 1, 0});
	define_unpacked(s, packed);
}

void sem_conditional_compare(struct sem *s, unsigned int immediate)
{
	bool subtract = FLAG(s, op);
	struct uop flags = {
	        .op = subtract ? UOP_SUB_FLAGS : UOP_ADD_FLAGS,
	        .width = 16,
	        .size = (uint8_t)sem_width(s),
	        .a = (uint8_t)sem_x(FIELD(s, Rn)),
	        .b = (uint8_t)(immediate != 0 ? uop_constant(s->b, FIELD(s, imm5))
	                                      : sem_x(FIELD(s, Rm))),
	        .c = (uint8_t)uop_constant(s->b, subtract),
	};
	unsigned int otherwise = uop_constant(s->b, UINT64_C(1) << FIELD(s, nzcv));
	unsigned int compared = uop_emit(s->b, flags);

	uop_define(s->b, REG_NZCV,
	           uop_select(s->b, 16, uop_condition(s->b, FIELD(s, cond)), compared, otherwise));
}

void sem_conditional_select(struct sem *s, unsigned int arg)
{
	unsigned int width = sem_width(s);
	unsigned int kind = FIELD(s, op) * 2 + FIELD(s, op2);
	unsigned int other = sem_x(FIELD(s, Rm));
	struct uop increment = {.op = UOP_ADD,
	                        .width = (uint8_t)width,
	                        .a = (uint8_t)other,
	                        .b = SLOT_ZERO,
	                        .c = (uint8_t)uop_constant(s->b, 1)};

	(void)arg;
	if (kind == 1)
		other = other == SLOT_ZERO ? increment.c : uop_emit(s->b, increment);
	else if (kind == 2)
		other = uop_make(s->b, UOP_XOR, width, other, uop_constant(s->b, bits_mask(width)));
	else if (kind == 3)
		other = uop_sum(s->b, width, SLOT_ZERO, other, true);
	sem_set_x(s, FIELD(s, Rd),
	          uop_select(s->b, width, uop_condition(s->b, FIELD(s, cond)), sem_x(FIELD(s, Rn)),
	                     other));
}

/* The product added to Ra or subtracted from it (bit 15). */
static void accumulate(struct sem *s, unsigned int width, unsigned int product)
{
	unsigned int ra = sem_x(FIELD(s, Ra));

	if (ra != SLOT_ZERO || FLAG(s, o0))
		product = uop_sum(s->b, width, ra, product, FLAG(s, o0));
	sem_set_x(s, FIELD(s, Rd), product);
}

void sem_multiply(struct sem *s, unsigned int arg)
{
	unsigned int width = sem_width(s);

	(void)arg;
	accumulate(s, width,
	           uop_make(s->b, UOP_MUL, width, sem_x(FIELD(s, Rn)), sem_x(FIELD(s, Rm))));
}

void sem_multiply_long(struct sem *s, unsigned int extend)
{
	struct bits_field word = {0, 32, 0};
	unsigned int a = uop_field(s->b, (enum uop_op)extend, 64, sem_x(FIELD(s, Rn)), word);
	unsigned int second = uop_field(s->b, (enum uop_op)extend, 64, sem_x(FIELD(s, Rm)), word);

	accumulate(s, 64, uop_make(s->b, UOP_MUL, 64, a, second));
}

void sem_multiply_high(struct sem *s, unsigned int op)
{
	sem_set_x(s, FIELD(s, Rd),
	          uop_make(s->b, (enum uop_op)op, 64, sem_x(FIELD(s, Rn)), sem_x(FIELD(s, Rm))));
}

void sem_divide(struct sem *s, unsigned int op)
{
	sem_set_x(s, FIELD(s, Rd),
	          uop_make(s->b, (enum uop_op)op, sem_width(s), sem_x(FIELD(s, Rn)),
	                   sem_x(FIELD(s, Rm))));
}

void sem_shift_variable(struct sem *s, unsigned int kind)
{
	sem_set_x(s, FIELD(s, Rd),
	          uop_emit(s->b, (struct uop){.op = UOP_SHIFT,
	                                      .width = (uint8_t)sem_width(s),
	                                      .a = (uint8_t)sem_x(FIELD(s, Rn)),
	                                      .b = (uint8_t)sem_x(FIELD(s, Rm)),
	                                      .c = SLOT_NONE,
	                                      .direction = (uint8_t)kind}));
}

void sem_crc(struct sem *s, unsigned int arg)
{
	unsigned int bytes = 1U << FIELD(s, sz);

	(void)arg;
	if ((bytes == 8) != FLAG(s, sf)) {
		opcode_reject(&s->opcode);
		return;
	}
	sem_set_x(s, FIELD(s, Rd),
	          uop_emit(s->b, (struct uop){.op = FLAG(s, C) ? UOP_CRC32C : UOP_CRC32,
	                                      .width = 32,
	                                      .a = (uint8_t)sem_x(FIELD(s, Rn)),
	                                      .b = (uint8_t)sem_x(FIELD(s, Rm)),
	                                      .c = SLOT_NONE,
	                                      .count = (uint8_t)bytes}));
}

/* Reversals; `swap` is for 64 bits, and what of it lies within 32 for those. */
void sem_swizzle(struct sem *s, unsigned int swap)
{
	sem_set_x(s, FIELD(s, Rd),
	          uop_emit(s->b, (struct uop){.op = UOP_SWIZZLE,
	                                      .width = (uint8_t)sem_width(s),
	                                      .a = (uint8_t)sem_x(FIELD(s, Rn)),
	                                      .b = SLOT_NONE,
	                                      .c = SLOT_NONE,
	                                      .flip = (uint8_t)(swap & (sem_width(s) - 1))}));
}

void sem_count_leading(struct sem *s, unsigned int op)
{
	sem_set_x(s, FIELD(s, Rd),
	          uop_make(s->b, (enum uop_op)op, sem_width(s), sem_x(FIELD(s, Rn)), SLOT_NONE));
}

/* Writes Rd, of sf bits or of `width` where that is not 0, and nothing else. */
void sem_x_unknown(struct sem *s, unsigned int width)
{
	uop_use(s->b, sem_x(FIELD(s, Rn)));
	if (HAS_FIELD(s, Rm))
		uop_use(s->b, sem_x(FIELD(s, Rm)));
	sem_set_x_unknown(s, FIELD(s, Rd), width != 0 ? width : sem_width(s));
}
