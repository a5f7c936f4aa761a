/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64 floating point and vectors as micro-operations: Arm ARM C4.1.96, operations in C7.2. Moves
 * between registers, constants and bitwise logic are exact; of everything else the destination is
 * all that is known, FPSR being always one of them.
 */
#include "arch/a64/sem_a64_expand.h"

static void vector_unknown(struct sem *s)
{
	sem_set_v_unknown(s, FIELD(s, Rd));
	uop_define_unknown(s->b, REG_FPSR, 64);
}

void sem_vector_unknown(struct sem *s, unsigned int arg)
{
	(void)arg;
	vector_unknown(s);
}

/* Bits of a floating-point number by ptype; 0 if that is reserved. */
static unsigned int fp_size(const struct sem *s)
{
	static const uint8_t sizes[4] = {32, 64, 0, 16};

	return sizes[FIELD(s, ftype)];
}

void sem_fp_unknown(struct sem *s, unsigned int arg)
{
	(void)arg;
	if (fp_size(s) == 0)
		opcode_reject(&s->opcode);
	vector_unknown(s);
}

/* The low `width` bits of a slot, zero-extended. */
static unsigned int low_bits(struct sem *s, unsigned int slot, unsigned int width)
{
	return uop_field(s->b, UOP_FIELD, 64, slot, (struct bits_field){0, width, 0});
}

/* FMOV between general and vector registers. */
static void fmov_general(struct sem *s, bool to_vector)
{
	unsigned int rd = FIELD(s, Rd);
	unsigned int rn = FIELD(s, Rn);
	unsigned int half = FIELD(s, rmode); /* rmode: 1 is Vn.D[1] */
	unsigned int size = half == 1 ? 64 : fp_size(s);
	bool wide = FLAG(s, sf);

	if (half > 1 || (half == 1) != (FIELD(s, ftype) == 2) ||
	    (size != 16 && wide != (size == 64))) {
		opcode_reject(&s->opcode);
		return;
	}
	if (!to_vector)
		sem_set_x(s, rd, low_bits(s, slot_of_vector(rn, half), size));
	else if (half == 1)
		uop_define(s->b, slot_of_vector(rd, 1), sem_x(FIELD(s, Rn)));
	else
		sem_set_v(s, rd, low_bits(s, sem_x(FIELD(s, Rn)), size), SLOT_ZERO);
}

/* Conversions between floating point and integers in general registers. */
void sem_fp_general(struct sem *s, unsigned int arg)
{
	unsigned int rmode = FIELD(s, rmode);
	unsigned int opcode = FIELD(s, opcode);
	bool is_fjcvtzs = !FLAG(s, sf) && FIELD(s, ftype) == 1 && rmode == 3 && opcode == 6;

	(void)arg;
	if (opcode >= 6 && !is_fjcvtzs) {
		fmov_general(s, opcode == 7);
		return;
	}
	if (!is_fjcvtzs && (fp_size(s) == 0 || (rmode != 0 && opcode > 1))) {
		opcode_reject(&s->opcode);
		return;
	}
	if (opcode == 2 || opcode == 3) { /* SCVTF, UCVTF */
		uop_use(s->b, sem_x(FIELD(s, Rn)));
		vector_unknown(s);
		return;
	}
	sem_set_x_unknown(s, FIELD(s, Rd), sem_width(s));
	uop_define_unknown(s->b, REG_FPSR, 64);
	if (is_fjcvtzs)
		uop_define_unknown(s->b, REG_NZCV, 16);
}

/* The same with fixed-point numbers. */
void sem_fp_fixed(struct sem *s, unsigned int arg)
{
	unsigned int rmode_opcode = FIELD(s, rmode) << 3 | FIELD(s, opcode);

	(void)arg;
	if (fp_size(s) == 0 || (!FLAG(s, sf) && FIELD(s, scale) < 32)) {
		opcode_reject(&s->opcode);
		return;
	}
	switch (rmode_opcode) {
	case 0x02: /* SCVTF, UCVTF */
	case 0x03:
		uop_use(s->b, sem_x(FIELD(s, Rn)));
		vector_unknown(s);
		return;
	case 0x18: /* FCVTZS, FCVTZU */
	case 0x19:
		sem_set_x_unknown(s, FIELD(s, Rd), sem_width(s));
		uop_define_unknown(s->b, REG_FPSR, 64);
		return;
	default:
		opcode_reject(&s->opcode);
	}
}

/* FMOV (register) */
void sem_fp_move(struct sem *s, unsigned int arg)
{
	(void)arg;
	if (fp_size(s) == 0)
		opcode_reject(&s->opcode);
	else
		sem_set_v(s, FIELD(s, Rd), low_bits(s, slot_of_vector(FIELD(s, Rn), 0), fp_size(s)),
		          SLOT_ZERO);
}

/* VFPExpandImm: the number that the 8 bits stand for, in the format of `size` bits. */
static uint64_t fp_constant(unsigned int imm8, unsigned int size)
{
	unsigned int exponent_bits = size == 16 ? 5 : size == 32 ? 8 : 11;
	unsigned int fraction_bits = size - 1 - exponent_bits;
	uint64_t sign = imm8 >> 7 & 1;
	uint64_t repeated = (imm8 >> 6 & 1) != 0 ? bits_mask(exponent_bits - 3) : 0;
	uint64_t exponent =
	        (uint64_t)(~imm8 >> 6 & 1) << (exponent_bits - 1) | repeated << 2 | (imm8 >> 4 & 3);

	return sign << (size - 1) | exponent << fraction_bits |
	       (uint64_t)(imm8 & 15) << (fraction_bits - 4);
}

void sem_fp_immediate(struct sem *s, unsigned int arg)
{
	(void)arg;
	if (fp_size(s) == 0)
		opcode_reject(&s->opcode);
	else
		sem_set_v(s, FIELD(s, Rd),
		          uop_constant(s->b, fp_constant(FIELD(s, imm8), fp_size(s))), SLOT_ZERO);
}

void sem_fp_compare(struct sem *s, unsigned int arg)
{
	(void)arg;
	if (fp_size(s) == 0)
		opcode_reject(&s->opcode);
	uop_define_unknown(s->b, REG_NZCV, 16);
	uop_define_unknown(s->b, REG_FPSR, 64);
}

void sem_fp_conditional_compare(struct sem *s, unsigned int arg)
{
	unsigned int otherwise = uop_constant(s->b, UINT64_C(1) << FIELD(s, nzcv));
	unsigned int compared = uop_unknown(s->b, 16);

	(void)arg;
	if (fp_size(s) == 0)
		opcode_reject(&s->opcode);
	uop_define(s->b, REG_NZCV,
	           uop_select(s->b, 16, uop_condition(s->b, FIELD(s, cond)), compared, otherwise));
	uop_define_unknown(s->b, REG_FPSR, 64);
}

void sem_fp_select(struct sem *s, unsigned int arg)
{
	unsigned int choice;

	(void)arg;
	if (fp_size(s) == 0) {
		opcode_reject(&s->opcode);
		return;
	}
	choice = uop_condition(s->b, FIELD(s, cond));
	sem_set_v(s, FIELD(s, Rd),
	          uop_select(s->b, fp_size(s), choice, slot_of_vector(FIELD(s, Rn), 0),
	                     slot_of_vector(FIELD(s, Rm), 0)),
	          SLOT_ZERO);
}

/* Size and number of a lane as imm5 of DUP, INS, UMOV and SMOV encodes them. */
struct vector_lane {
	unsigned int bits;
	unsigned int half;
	unsigned int lsb; /* within that half */
};

static bool lane_of(unsigned int imm5, struct vector_lane *lane)
{
	unsigned int scale;
	unsigned int bit;

	if ((imm5 & 15) == 0)
		return false;
	scale = (unsigned int)__builtin_ctz(imm5);
	bit = (imm5 >> (scale + 1)) << (3 + scale);
	*lane = (struct vector_lane){8U << scale, bit / 64, bit % 64};
	return true;
}

/* A lane of the register, as the low bits of a number. */
static unsigned int lane_value(struct sem *s, unsigned int v, const struct vector_lane *lane,
                               enum uop_op op, unsigned int width)
{
	return uop_field(s->b, op, width, slot_of_vector(v, lane->half),
	                 (struct bits_field){lane->lsb, lane->bits, 0});
}

static void duplicate(struct sem *s, unsigned int value, unsigned int bits)
{
	if (bits < 64)
		value = uop_make(s->b, UOP_MUL, 64, low_bits(s, value, bits),
		                 uop_constant(s->b, UINT64_MAX / bits_mask(bits)));
	sem_set_v(s, FIELD(s, Rd), value, FLAG(s, Q) ? value : SLOT_ZERO);
}

static void insert_lane(struct sem *s, const struct vector_lane *lane, unsigned int value,
                        unsigned int lsb)
{
	unsigned int slot = slot_of_vector(FIELD(s, Rd), lane->half);

	uop_define(
	        s->b, slot,
	        uop_insert(s->b, 64, slot, value, (struct bits_field){lsb, lane->bits, lane->lsb}));
}

/* INS (element): imm4 is the lane of the source. */
static void insert_element(struct sem *s, const struct vector_lane *lane)
{
	unsigned int from = FIELD(s, imm4) * 8;

	from &= ~(lane->bits - 1);
	/* a whole half is the register itself and not a field of it */
	insert_lane(s, lane, slot_of_vector(FIELD(s, Rn), from / 64), from % 64);
}

enum copy_kind { DUP_ELEMENT = 0, DUP_GENERAL = 1, INS_GENERAL = 3, SMOV = 5, UMOV = 7 };

/* Which kind (imm4, with INS_GENERAL for INS of an element too) takes lanes of that size. */
static bool has_copy(const struct sem *s, unsigned int kind, unsigned int bits)
{
	bool quad = FLAG(s, Q);

	switch (kind) {
	case DUP_ELEMENT:
	case DUP_GENERAL:
		return quad || bits < 64;
	case INS_GENERAL:
		return quad;
	case UMOV:
		return quad == (bits == 64);
	case SMOV:
		return bits < (quad ? 64U : 32U);
	default:
		return false;
	}
}

void sem_vector_copy(struct sem *s, unsigned int arg)
{
	unsigned int kind = FIELD(s, imm4);
	bool is_element = FLAG(s, op);
	unsigned int rd = FIELD(s, Rd);
	unsigned int rn = FIELD(s, Rn);
	struct vector_lane lane;

	(void)arg;
	if (!lane_of(FIELD(s, imm5), &lane) ||
	    !has_copy(s, is_element ? INS_GENERAL : kind, lane.bits))
		opcode_reject(&s->opcode);
	else if (is_element)
		insert_element(s, &lane);
	else if (kind == DUP_ELEMENT)
		duplicate(s, lane_value(s, rn, &lane, UOP_FIELD, 64), lane.bits);
	else if (kind == DUP_GENERAL)
		duplicate(s, sem_x(FIELD(s, Rn)), lane.bits);
	else if (kind == INS_GENERAL)
		insert_lane(s, &lane, sem_x(FIELD(s, Rn)), 0);
	else if (kind == UMOV)
		sem_set_x(s, rd, lane_value(s, rn, &lane, UOP_FIELD, 64));
	else
		sem_set_x(s, rd, lane_value(s, rn, &lane, UOP_SIGNED, FLAG(s, Q) ? 64 : 32));
}

/* DUP (element), scalar */
void sem_vector_copy_scalar(struct sem *s, unsigned int arg)
{
	struct vector_lane lane;

	(void)arg;
	if (!lane_of(FIELD(s, imm5), &lane))
		opcode_reject(&s->opcode);
	else
		sem_set_v(s, FIELD(s, Rd), lane_value(s, FIELD(s, Rn), &lane, UOP_FIELD, 64),
		          SLOT_ZERO);
}

static unsigned int inverted(struct sem *s, unsigned int slot)
{
	return uop_make(s->b, UOP_XOR, 64, slot, uop_constant(s->b, UINT64_MAX));
}

/* BSL, BIT, BIF: bits of d, n or m chosen by a mask. */
static unsigned int choose_bits(struct sem *s, unsigned int kind, const unsigned int dnm[3])
{
	unsigned int base = kind == 1 ? dnm[2] : dnm[0];
	unsigned int mask = kind == 1 ? dnm[0] : dnm[2];
	unsigned int differ = uop_make(s->b, UOP_XOR, 64, base, dnm[1]);

	if (kind == 3)
		mask = inverted(s, mask);
	return uop_make(s->b, UOP_XOR, 64, base, uop_make(s->b, UOP_AND, 64, differ, mask));
}

static unsigned int vector_logic(struct sem *s, unsigned int half)
{
	static const uint8_t ops[4] = {UOP_AND, UOP_AND, UOP_OR, UOP_OR};
	unsigned int kind = FIELD(s, size);
	unsigned int dnm[3] = {slot_of_vector(FIELD(s, Rd), half),
	                       slot_of_vector(FIELD(s, Rn), half),
	                       slot_of_vector(FIELD(s, Rm), half)};

	if (FLAG(s, U)) {
		if (kind == 0)
			return dnm[1] == dnm[2] ? SLOT_ZERO
			                        : uop_make(s->b, UOP_XOR, 64, dnm[1], dnm[2]);
		return choose_bits(s, kind, dnm);
	}
	if (dnm[1] == dnm[2] && (kind & 1) == 0)
		return dnm[1];
	if ((kind & 1) != 0)
		dnm[2] = inverted(s, dnm[2]);
	return uop_make(s->b, (enum uop_op)ops[kind], 64, dnm[1], dnm[2]);
}

/* AND, BIC, ORR (and MOV), ORN, EOR, BSL, BIT, BIF */
void sem_vector_logic(struct sem *s, unsigned int arg)
{
	unsigned int low = vector_logic(s, 0);

	(void)arg;
	sem_set_v(s, FIELD(s, Rd), low, FLAG(s, Q) ? vector_logic(s, 1) : SLOT_ZERO);
}

/* ADD and SUB of 64-bit lanes: one, or with `both` two. */
void sem_vector_add(struct sem *s, unsigned int both)
{
	unsigned int result[2] = {SLOT_ZERO, SLOT_ZERO};

	for (unsigned int half = 0; half <= both; half++)
		result[half] = uop_sum(s->b, 64, slot_of_vector(FIELD(s, Rn), half),
		                       slot_of_vector(FIELD(s, Rm), half), FLAG(s, U));
	sem_set_v(s, FIELD(s, Rd), result[0], result[1]);
}

/* AdvSIMDExpandImm for the byte-wise constants of cmode 14 and op 1: a byte for each bit. */
static uint64_t bytes_of_bits(unsigned int imm8)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < 8; i++)
		value |= (imm8 >> i & 1) != 0 ? (uint64_t)0xff << (8 * i) : 0;
	return value;
}

/* The constant without the inversion that MVNI and BIC do. */
static uint64_t vector_constant(const struct sem *s)
{
	unsigned int imm8 = FIELD(s, imm8);
	unsigned int cmode = FIELD(s, cmode);
	uint64_t value = imm8;

	if (cmode < 8)
		return (value << (8 * (cmode >> 1))) * 0x0000000100000001;
	if (cmode < 12)
		return (value << (8 * (cmode >> 1 & 1))) * 0x0001000100010001;
	if (cmode < 14)
		return (value << (cmode == 12 ? 8 : 16) | bits_mask(cmode == 12 ? 8 : 16)) *
		       0x0000000100000001;
	if (FLAG(s, o2))
		return fp_constant(imm8, 16) * 0x0001000100010001;
	if (cmode == 14)
		return FLAG(s, op) ? bytes_of_bits(imm8) : value * 0x0101010101010101;
	return FLAG(s, op) ? fp_constant(imm8, 64) : fp_constant(imm8, 32) * 0x0000000100000001;
}

/* MOVI, MVNI, FMOV (vector, immediate), ORR and BIC (vector, immediate) */
void sem_vector_immediate(struct sem *s, unsigned int arg)
{
	unsigned int cmode = FIELD(s, cmode);
	bool modifies = cmode < 12 && (cmode & 1) != 0;
	bool inverts = FLAG(s, op) && cmode < 14;
	uint64_t value = vector_constant(s);
	unsigned int rd = FIELD(s, Rd);
	unsigned int constant = uop_constant(s->b, inverts ? ~value : value);
	unsigned int result[2] = {constant, constant};

	(void)arg;
	if ((FLAG(s, o2) && (cmode != 15 || FLAG(s, op))) ||
	    (cmode == 15 && FLAG(s, op) && !FLAG(s, Q))) {
		opcode_reject(&s->opcode);
		return;
	}
	for (unsigned int half = 0; modifies && half < 2; half++)
		result[half] = uop_make(s->b, inverts ? UOP_AND : UOP_OR, 64,
		                        slot_of_vector(rd, half), constant);
	sem_set_v(s, rd, result[0], FLAG(s, Q) ? result[1] : SLOT_ZERO);
}

/*
 * FABS, FNEG: the sign bit alone. FPCR.AH spares NaNs, so only the bits below are sure; FPCR.NEP
 * spares what lies above the number.
 */
void sem_fp_sign(struct sem *s, unsigned int arg)
{
	unsigned int size = fp_size(s);
	struct bits_field below = {0, size - 1, 0};
	unsigned int source = slot_of_vector(FIELD(s, Rn), 0);

	(void)arg;
	if (size == 0) {
		opcode_reject(&s->opcode);
		return;
	}
	sem_set_v(s, FIELD(s, Rd), uop_insert(s->b, 64, uop_unknown(s->b, 64), source, below),
	          uop_unknown(s->b, 64));
}
