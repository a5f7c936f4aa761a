/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A32 and T32 floating point and Advanced SIMD as micro-operations: registers are carried by loads,
 * stores, moves and logical operations, all other results are unknown. D0 to D31 are the halves of
 * V0 to V15. Arm ARM DDI 0487 F4.1.7 to F4.1.22, F2.
 */
#include "arch/a32/sem_a32_expand.h"

static unsigned int slot_of_d(unsigned int d)
{
	return REG_V0 + d;
}

/* Number of a D register: the bit that stands alone is the highest. */
static unsigned int number_of_d(uint32_t bit, uint32_t rest)
{
	return bit << 4 | rest;
}

/* Of an S register it is the lowest. */
static unsigned int number_of_s(uint32_t bit, uint32_t rest)
{
	return rest << 1 | bit;
}

static unsigned int read_s(struct arm *s, unsigned int n)
{
	return arm_field(s, UOP_FIELD, slot_of_d(n / 2), n % 2 * 32, 32, 0);
}

static void set_s(struct arm *s, unsigned int n, unsigned int slot)
{
	unsigned int d = slot_of_d(n / 2);

	uop_define(s->b, d, uop_insert(s->b, 64, d, slot, (struct bits_field){0, 32, n % 2 * 32}));
}

/* S registers n and n + 1: of one D register it is a whole. */
static void set_two_s(struct arm *s, unsigned int n, unsigned int first, unsigned int second)
{
	if (n % 2 != 0) {
		set_s(s, n, first);
		set_s(s, n + 1, second);
		return;
	}
	uop_define(s->b, slot_of_d(n / 2),
	           uop_insert(s->b, 64,
	                      uop_field(s->b, UOP_FIELD, 64, first, (struct bits_field){0, 32, 0}),
	                      second, (struct bits_field){0, 32, 32}));
}

static void forget_d(struct arm *s, unsigned int d)
{
	uop_define_unknown(s->b, slot_of_d(d), 64);
}

static void forget_pair(struct arm *s, unsigned int d)
{
	forget_d(s, d & ~1U);
	forget_d(s, d | 1);
}

/* One D register, or the S register that is `half` of it. */
static void transfer_d(struct arm *s, unsigned int d, struct uop_place at)
{
	if (FLAG(s, L))
		uop_define(s->b, slot_of_d(d), uop_load(s->b, at, 8));
	else
		uop_store(s->b, at, 8, slot_of_d(d));
}

static void transfer_s(struct arm *s, unsigned int n, struct uop_place at)
{
	if (FLAG(s, L))
		set_s(s, n, uop_load(s->b, at, 4));
	else
		uop_store(s->b, at, 4, read_s(s, n));
}

/* `words` from S register `n` on; two of them at a time where they are a D register. */
static void transfer_words(struct arm *s, unsigned int n, unsigned int words, struct uop_place at)
{
	while (words > 0) {
		bool whole = n % 2 == 0 && words >= 2;

		if (whole)
			transfer_d(s, n / 2, at);
		else
			transfer_s(s, n, at);
		n += whole ? 2 : 1;
		words -= whole ? 2 : 1;
		at.offset += whole ? 8 : 4;
	}
}

/* VLDR, VSTR, VLDM, VSTM and with them VPUSH and VPOP */
void arm_vfp_memory(struct arm *s, unsigned int arg)
{
	unsigned int mode = FIELD(s, P) << 2 | FIELD(s, U) << 1 | FIELD(s, W);
	bool is_double = FLAG(s, sz);
	unsigned int first = is_double ? 2 * number_of_d(FIELD(s, D), FIELD(s, Vd))
	                               : number_of_s(FIELD(s, D), FIELD(s, Vd));
	unsigned int words = FIELD(s, imm8);
	unsigned int rn = FIELD(s, Rn);
	uint32_t size = 4 * words;
	struct uop_place at = {rn, 0};

	(void)arg;
	if (rn == ARM_PC)
		at.base = arm_constant(s, s->pc & ~UINT32_C(3));
	if ((mode & 5) == 4) { /* VLDR, VSTR */
		at.offset = (mode & 2) != 0 ? (int64_t)size : -(int64_t)size;
		transfer_words(s, first, is_double ? 2 : 1, at);
		return;
	}
	if ((mode != 2 && mode != 3 && mode != 5) || words == 0 || first + words > 64 ||
	    (is_double ? words % 2 != 0 || words > 32 : first + words > 32) ||
	    (((mode & 1) != 0 || s->is_t32) && rn == ARM_PC)) { /* VSCCLRM of the M profile */
		opcode_reject(&s->opcode);
		return;
	}
	if (mode == 5)
		at.offset = -(int64_t)size;
	transfer_words(s, first, words, at);
	if ((mode & 1) != 0)
		uop_define(s->b, rn, uop_sum(s->b, 32, rn, arm_constant(s, size), mode == 5));
}

/* VMOV between two core registers and a D register or two S registers */
void arm_vfp_pair(struct arm *s, unsigned int arg)
{
	unsigned int rt = FIELD(s, Rt);
	unsigned int rt2 = FIELD(s, Rt2);
	unsigned int m = FLAG(s, sz) ? 2 * number_of_d(FIELD(s, M), FIELD(s, Vm))
	                             : number_of_s(FIELD(s, M), FIELD(s, Vm));

	(void)arg;
	if (rt == ARM_PC || rt2 == ARM_PC || m == 31) {
		opcode_reject(&s->opcode);
		return;
	}
	if (FLAG(s, L)) {
		arm_set(s, rt, read_s(s, m));
		arm_set(s, rt2, read_s(s, m + 1));
	} else {
		set_two_s(s, m, rt, rt2);
	}
}

/* VFPExpandImm: a sign, three bits of exponent, four of fraction. */
static uint64_t expand_immediate(unsigned int imm8, bool is_double)
{
	uint64_t sign = imm8 >> 7;
	uint64_t high = imm8 >> 6 & 1;
	uint64_t rest = imm8 & 63;

	if (is_double)
		return sign << 63 | (high ^ 1) << 62 | (high != 0 ? UINT64_C(0xff) << 54 : 0) |
		       rest << 48;
	return sign << 31 | (high ^ 1) << 30 | (high != 0 ? UINT64_C(0x1f) << 25 : 0) | rest << 19;
}

/* opc1 is 7 where there is but one operand. */
static bool is_conversion(const struct arm *s)
{
	unsigned int opc2 = FIELD(s, opc2);

	return FIELD(s, opc1) == 7 && FIELD(s, opc3) % 2 != 0 &&
	       (opc2 == 2 || opc2 == 3 || opc2 == 7 || opc2 >= 8);
}

/* VMOV of a register, VMOV of a constant, of single or double precision; VCMP, VCMPE */
static bool is_move(const struct arm *s)
{
	return FIELD(s, opc1) == 7 && FIELD(s, opc2) == 0 && FIELD(s, opc3) == 1;
}

static bool is_constant(const struct arm *s)
{
	return FIELD(s, opc1) == 7 && FIELD(s, opc3) == 0 && !FLAG(s, M);
}

static bool is_comparison(const struct arm *s)
{
	return FIELD(s, opc1) == 7 && FIELD(s, opc2) >> 1 == 2 && FIELD(s, opc3) % 2 != 0;
}

/* Data processing; `is_new`: VSEL, VRINT and the like, of which the kind of destination is not
 * known */
void arm_vfp_data(struct arm *s, unsigned int is_new)
{
	bool is_double = FIELD(s, size) == 3;
	bool is_single = FIELD(s, size) == 2;
	unsigned int d = number_of_d(FIELD(s, D), FIELD(s, Vd));
	unsigned int n = number_of_s(FIELD(s, D), FIELD(s, Vd));
	bool is_any = is_new != 0 || is_conversion(s);

	if (is_new == 0 && (is_double || is_single) && is_move(s)) {
		if (is_double)
			uop_define(s->b, slot_of_d(d),
			           slot_of_d(number_of_d(FIELD(s, M), FIELD(s, Vm))));
		else
			set_s(s, n, read_s(s, number_of_s(FIELD(s, M), FIELD(s, Vm))));
		return;
	}
	if (is_new == 0 && (is_double || is_single) && is_constant(s)) {
		unsigned int value = uop_constant(
		        s->b, expand_immediate(FIELD(s, opc2) << 4 | FIELD(s, Vm), is_double));

		if (is_double)
			uop_define(s->b, slot_of_d(d), value);
		else
			set_s(s, n, value);
		return;
	}
	arm_fpscr_unknown(s);
	if (is_new == 0 && is_comparison(s))
		return;
	if (is_any || is_double)
		forget_d(s, d);
	if (!is_any && !is_double)
		set_s(s, n, uop_unknown(s->b, 32));
	else if (is_any && n / 2 != d)
		forget_d(s, n / 2);
}

/* Bits of opc1 of a move to or from a lane. */
enum { LANE_HIGH = 1, LANE_BYTE = 2, LANE_UNSIGNED = 4 };

/* How many bits a lane has, and its lowest one; false where it is none. */
static bool decode_lane(const struct arm *s, unsigned int *bits, unsigned int *low)
{
	unsigned int opc1 = FIELD(s, opc1);
	unsigned int opc2 = FIELD(s, opc2);
	unsigned int index = (opc1 & LANE_HIGH) << 2 | opc2;

	if ((opc1 & LANE_BYTE) != 0) {
		*bits = 8;
		*low = 8 * index;
	} else if (opc2 % 2 != 0) {
		*bits = 16;
		*low = 16 * (index >> 1);
	} else {
		*bits = 32;
		*low = 32 * (index >> 2);
	}
	return (opc1 & LANE_BYTE) != 0 || opc2 != 2;
}

static void move_lane(struct arm *s, unsigned int rt)
{
	unsigned int d = slot_of_d(number_of_d(FIELD(s, N), FIELD(s, Vn)));
	bool is_unsigned = (FIELD(s, opc1) & LANE_UNSIGNED) != 0;
	unsigned int bits;
	unsigned int low;

	if (!decode_lane(s, &bits, &low) || (bits == 32 && FLAG(s, L) && is_unsigned)) {
		opcode_reject(&s->opcode);
		return;
	}
	if (!FLAG(s, L))
		uop_define(s->b, d, uop_insert(s->b, 64, d, rt, (struct bits_field){0, bits, low}));
	else
		arm_set(s, rt,
		        arm_field(s, is_unsigned || bits == 32 ? UOP_FIELD : UOP_SIGNED, d, low,
		                  bits, 0));
}

/*
 * MVE of the M profile has Q0 to Q7 in the same opcodes, and there a VPT block or a loop may leave
 * lanes as they were.
 */
static bool may_be_predicated(const struct arm *s, unsigned int d)
{
	return s->is_t32 && d < 16;
}

static unsigned int in_each_lane(struct arm *s, unsigned int value, unsigned int bits)
{
	unsigned int one = uop_field(s->b, UOP_FIELD, 64, value, (struct bits_field){0, bits, 0});

	return uop_make(s->b, UOP_MUL, 64, one, uop_constant(s->b, UINT64_MAX / bits_mask(bits)));
}

/* VDUP from a core register */
static void duplicate(struct arm *s, unsigned int rt)
{
	static const uint8_t sizes[] = {32, 16, 8, 0};
	unsigned int opc1 = FIELD(s, opc1);
	unsigned int opc2 = FIELD(s, opc2);
	unsigned int bits = sizes[(opc1 & LANE_BYTE) | opc2 % 2];
	bool is_quad = (opc1 & LANE_HIGH) != 0;
	unsigned int d = number_of_d(FIELD(s, N), FIELD(s, Vn));
	unsigned int value;

	if (bits == 0 || opc2 >> 1 != 0 || (is_quad && d % 2 != 0)) {
		opcode_reject(&s->opcode);
		return;
	}
	if (is_quad && may_be_predicated(s, d)) {
		forget_pair(s, d);
		return;
	}
	value = in_each_lane(s, rt, bits);
	uop_define(s->b, slot_of_d(d), value);
	if (is_quad)
		uop_define(s->b, slot_of_d(d + 1), value);
}

/* VMRS, VMSR; FPSCR alone is followed, and only the reading of it. */
static void move_system(struct arm *s, unsigned int rt)
{
	enum { FPSCR = 1 };
	bool is_fpscr = FIELD(s, Vn) == FPSCR;
	unsigned int flags;

	if (!FLAG(s, L)) {
		uop_use(s->b, arm_r(s, rt));
		arm_fpscr_unknown(s);
	} else if (rt != ARM_PC && is_fpscr) {
		arm_set(s, rt, arm_field(s, UOP_FIELD, REG_FPSR, 0, 32, 0));
	} else if (rt != ARM_PC) {
		arm_set_unknown(s, rt);
	} else if (is_fpscr) {
		flags = uop_field(s->b, UOP_FIELD, 4, REG_FPSR, (struct bits_field){28, 4, 0});
		uop_define(s->b, REG_NZCV, uop_make(s->b, UOP_UNPACK, 16, flags, SLOT_NONE));
	} else {
		opcode_reject(&s->opcode);
	}
}

/* Between core registers and S registers, lanes, FPSCR */
void arm_vfp_move(struct arm *s, unsigned int arg)
{
	unsigned int rt = FIELD(s, Rt);
	unsigned int opc1 = FIELD(s, opc1);

	(void)arg;
	if (!FLAG(s, C) && opc1 == 7) {
		move_system(s, rt);
	} else if (rt == ARM_PC || (!FLAG(s, C) && opc1 != 0)) {
		opcode_reject(&s->opcode);
	} else if (!FLAG(s, C)) {
		if (FLAG(s, L))
			arm_set(s, rt, read_s(s, number_of_s(FIELD(s, N), FIELD(s, Vn))));
		else
			set_s(s, number_of_s(FIELD(s, N), FIELD(s, Vn)), rt);
	} else if ((opc1 & LANE_UNSIGNED) != 0 && !FLAG(s, L)) {
		duplicate(s, rt);
	} else {
		move_lane(s, rt);
	}
}

/* VAND, VBIC, VORR (VMOV), VORN, VEOR: of one D register or, with Q, two. */
static bool logical(struct arm *s)
{
	static const uint8_t ops[] = {UOP_AND, UOP_AND, UOP_OR, UOP_OR};
	unsigned int kind = FIELD(s, size);
	bool is_xor = FLAG(s, U);

	if (is_xor && kind != 0)
		return false;
	for (unsigned int i = 0; i <= FIELD(s, Q); i++) {
		unsigned int d = slot_of_d(number_of_d(FIELD(s, D), FIELD(s, Vd)) + i);
		unsigned int n = slot_of_d(number_of_d(FIELD(s, N), FIELD(s, Vn)) + i);
		unsigned int m = slot_of_d(number_of_d(FIELD(s, M), FIELD(s, Vm)) + i);

		if (kind == 2 && n == m && !is_xor) {
			uop_define(s->b, d, m);
			continue;
		}
		if (kind % 2 != 0)
			m = uop_make(s->b, UOP_XOR, 64, m, uop_constant(s->b, UINT64_MAX));
		uop_define(s->b, d,
		           uop_make(s->b, is_xor ? UOP_XOR : (enum uop_op)ops[kind], 64, n, m));
	}
	return true;
}

/* AdvSIMDExpandImm of VMOV and VMVN; false for VORR and VBIC, and what is not defined. */
static bool expand_vector_immediate(const struct arm *s, uint64_t *value)
{
	uint64_t imm8 = FIELD(s, imm8);
	unsigned int cmode = FIELD(s, cmode);
	bool inverts = FLAG(s, op);
	uint64_t word = imm8 << (cmode >> 1 & 3) * 8;

	if ((cmode < 12 && cmode % 2 != 0) || (cmode == 15 && inverts))
		return false;
	if (cmode >= 8 && cmode < 12)
		word = (imm8 << (cmode >> 1 & 1) * 8) * 0x10001;
	else if (cmode == 12 || cmode == 13)
		word = cmode == 12 ? imm8 << 8 | 0xff : imm8 << 16 | 0xffff;
	else if (cmode == 14)
		word = imm8 * 0x01010101;
	else if (cmode == 15)
		word = expand_immediate((unsigned int)imm8, false);
	*value = word << 32 | word;
	if (cmode < 14 && inverts)
		*value = ~*value;
	if (cmode == 14 && inverts) { /* a bit for each byte */
		*value = 0;
		for (unsigned int i = 0; i < 8; i++)
			*value |= (imm8 >> i & 1) != 0 ? UINT64_C(0xff) << (8 * i) : 0;
	}
	return true;
}

static bool immediate(struct arm *s)
{
	unsigned int d = number_of_d(FIELD(s, D), FIELD(s, Vd));
	uint64_t value = 0;

	if (!expand_vector_immediate(s, &value))
		return false;
	for (unsigned int i = 0; i <= FIELD(s, Q); i++)
		uop_define(s->b, slot_of_d(d + i), uop_constant(s->b, value));
	return true;
}

/*
 * Advanced SIMD data processing. Where an opcode does not say by a Q bit whether one D register or
 * two are written, both are unknown; a few exchange their operands, so that Vm is written too.
 */
void arm_neon_data(struct arm *s, unsigned int kind)
{
	bool is_quad = FLAG(s, Q);
	unsigned int d = number_of_d(FIELD(s, D), FIELD(s, Vd));
	bool is_followed = !is_quad || (d % 2 == 0 && !may_be_predicated(s, d));

	if (!FLAG(s, o1) && is_quad && d % 2 != 0) {
		opcode_reject(&s->opcode);
		return;
	}
	if (is_followed &&
	    ((kind == NEON_LOGICAL && logical(s)) || (kind == NEON_CONSTANT && immediate(s))))
		return;
	arm_fpscr_unknown(s);
	if (!FLAG(s, o1) && !is_quad)
		forget_d(s, d);
	else
		forget_pair(s, d);
	if (kind == NEON_EXCHANGES && (number_of_d(FIELD(s, M), FIELD(s, Vm)) | 1) != (d | 1))
		forget_pair(s, number_of_d(FIELD(s, M), FIELD(s, Vm)));
}

/* VCMLA, VCADD, VDOT, VFMAL and the like */
void arm_neon_complex(struct arm *s, unsigned int arg)
{
	(void)arg;
	arm_fpscr_unknown(s);
	forget_pair(s, number_of_d(FIELD(s, D), FIELD(s, Vd)));
}

/* Rm says how the base goes on: 15 not at all, 13 by what was transferred, else by itself. */
static void advance(struct arm *s, unsigned int bytes)
{
	unsigned int rn = FIELD(s, Rn);
	unsigned int rm = FIELD(s, Rm);

	if (rm == 15)
		return;
	uop_define(s->b, rn, uop_sum(s->b, 32, rn, rm == 13 ? arm_constant(s, bytes) : rm, false));
}

struct structures {
	uint8_t registers; /* 0: not defined */
	uint8_t stride;
	bool is_plain; /* VLD1: registers follow one another in memory */
};

static const struct structures multiple_types[16] = {
        [0] = {4, 1, false}, [1] = {4, 2, false}, [2] = {4, 1, true},  [3] = {4, 1, false},
        [4] = {3, 1, false}, [5] = {3, 2, false}, [6] = {3, 1, true},  [7] = {1, 1, true},
        [8] = {2, 1, false}, [9] = {2, 2, false}, [10] = {2, 1, true},
};

/* Of interleaved elements the loaded registers are unknown, and so is what is stored. */
static void multiple_structures(struct arm *s)
{
	struct structures type = multiple_types[FIELD(s, size) << 2 | FIELD(s, num)];
	unsigned int d = number_of_d(FIELD(s, D), FIELD(s, Vd));
	bool is_load = FLAG(s, L);
	struct uop_place at = {FIELD(s, Rn), 0};

	if (type.registers == 0 || d + (type.registers - 1U) * type.stride > 31) {
		opcode_reject(&s->opcode);
		return;
	}
	if (!type.is_plain && !is_load)
		uop_clobber(s->b, at, 8U * type.registers, 0);
	for (unsigned int i = 0; i < type.registers; i++, at.offset += 8) {
		unsigned int slot = slot_of_d(d + i * type.stride);

		if (type.is_plain && is_load)
			uop_define(s->b, slot, uop_load(s->b, at, 8));
		else if (type.is_plain)
			uop_store(s->b, at, 8, slot);
		else if (is_load)
			forget_d(s, d + i * type.stride);
	}
	advance(s, 8U * type.registers);
}

/* One element to all lanes of each of `count` registers; VLD1 repeats it in a second one. */
static void element_to_all(struct arm *s)
{
	unsigned int count = FIELD(s, num) + 1;
	unsigned int size = FIELD(s, index_align) >> 2;
	unsigned int bytes = size == 3 ? 4 : 1U << size;
	unsigned int step = (FIELD(s, index_align) >> 1 & 1) + 1;
	unsigned int d = number_of_d(FIELD(s, D), FIELD(s, Vd));
	struct uop_place at = {FIELD(s, Rn), 0};

	if (!FLAG(s, L) || d + (count == 1 ? step - 1 : (count - 1) * step) > 31 ||
	    (size == 3 && count != 4)) {
		opcode_reject(&s->opcode);
		return;
	}
	for (unsigned int i = 0; i < count; i++, at.offset += bytes) {
		unsigned int value = in_each_lane(s, uop_load(s->b, at, bytes), 8 * bytes);

		uop_define(s->b, slot_of_d(d + i * step), value);
		if (count == 1 && step == 2)
			uop_define(s->b, slot_of_d(d + 1), value);
	}
	advance(s, count * bytes);
}

static void element_to_lane(struct arm *s)
{
	unsigned int count = FIELD(s, num) + 1;
	unsigned int size = FIELD(s, size);
	unsigned int bytes = 1U << size;
	unsigned int low = (FIELD(s, index_align) >> (1 + size)) * 8 * bytes;
	unsigned int step =
	        size > 0 && count > 1 && (FIELD(s, index_align) >> size & 1) != 0 ? 2 : 1;
	unsigned int d = number_of_d(FIELD(s, D), FIELD(s, Vd));
	struct uop_place at = {FIELD(s, Rn), 0};

	if (d + (count - 1) * step > 31) {
		opcode_reject(&s->opcode);
		return;
	}
	for (unsigned int i = 0; i < count; i++, at.offset += bytes) {
		unsigned int slot = slot_of_d(d + i * step);
		struct bits_field in = {0, 8 * bytes, low};
		struct bits_field out = {low, 8 * bytes, 0};

		if (FLAG(s, L))
			uop_define(s->b, slot,
			           uop_insert(s->b, 64, slot, uop_load(s->b, at, bytes), in));
		else
			uop_store(s->b, at, bytes, uop_field(s->b, UOP_FIELD, 64, slot, out));
	}
	advance(s, count * bytes);
}

/* VLD1 to VLD4, VST1 to VST4 */
void arm_neon_memory(struct arm *s, unsigned int arg)
{
	(void)arg;
	if (FIELD(s, Rn) == ARM_PC)
		opcode_reject(&s->opcode);
	else if (!FLAG(s, o1))
		multiple_structures(s);
	else if (FIELD(s, size) == 3)
		element_to_all(s);
	else
		element_to_lane(s);
}
