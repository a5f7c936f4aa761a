/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A32 and T32 floating point as micro-operations: registers are carried by loads, stores and moves,
 * all other results are unknown. D0 to D31 are the halves of V0 to V15. Arm ARM DDI 0487 F4.1.7 to
 * F4.1.19, F2.
 */
#include "arch/a32/sem_a32_expand.h"

/* Number of an S register: the bit that stands alone is the lowest. */
static unsigned int number_of_s(uint32_t bit, uint32_t rest)
{
	return rest << 1 | bit;
}

static unsigned int read_s(struct arm *s, unsigned int n)
{
	return arm_field(s, UOP_FIELD, arm_slot_of_d(n / 2), n % 2 * 32, 32, 0);
}

static void set_s(struct arm *s, unsigned int n, unsigned int slot)
{
	unsigned int d = arm_slot_of_d(n / 2);

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
	uop_define(s->b, arm_slot_of_d(n / 2),
	           uop_insert(s->b, 64,
	                      uop_field(s->b, UOP_FIELD, 64, first, (struct bits_field){0, 32, 0}),
	                      second, (struct bits_field){0, 32, 32}));
}

void arm_forget_d(struct arm *s, unsigned int d)
{
	uop_define_unknown(s->b, arm_slot_of_d(d), 64);
}

void arm_forget_pair(struct arm *s, unsigned int d)
{
	arm_forget_d(s, d & ~1U);
	arm_forget_d(s, d | 1);
}

/* One D register, or the S register that is `half` of it. */
static void transfer_d(struct arm *s, unsigned int d, struct uop_place at)
{
	if (FLAG(s, L))
		uop_define(s->b, arm_slot_of_d(d), uop_load(s->b, at, 8));
	else
		uop_store(s->b, at, 8, arm_slot_of_d(d));
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
	unsigned int first = is_double ? 2 * arm_number_of_d(FIELD(s, D), FIELD(s, Vd))
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
	unsigned int m = FLAG(s, sz) ? 2 * arm_number_of_d(FIELD(s, M), FIELD(s, Vm))
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

/* A sign, three bits of exponent, four of fraction. */
uint64_t arm_vfp_immediate(unsigned int imm8, bool is_double)
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
	unsigned int d = arm_number_of_d(FIELD(s, D), FIELD(s, Vd));
	unsigned int n = number_of_s(FIELD(s, D), FIELD(s, Vd));
	bool is_any = is_new != 0 || is_conversion(s);

	if (is_new == 0 && (is_double || is_single) && is_move(s)) {
		if (is_double)
			uop_define(s->b, arm_slot_of_d(d),
			           arm_slot_of_d(arm_number_of_d(FIELD(s, M), FIELD(s, Vm))));
		else
			set_s(s, n, read_s(s, number_of_s(FIELD(s, M), FIELD(s, Vm))));
		return;
	}
	if (is_new == 0 && (is_double || is_single) && is_constant(s)) {
		unsigned int value = uop_constant(
		        s->b, arm_vfp_immediate(FIELD(s, opc2) << 4 | FIELD(s, Vm), is_double));

		if (is_double)
			uop_define(s->b, arm_slot_of_d(d), value);
		else
			set_s(s, n, value);
		return;
	}
	arm_fpscr_unknown(s);
	if (is_new == 0 && is_comparison(s))
		return;
	if (is_any || is_double)
		arm_forget_d(s, d);
	if (!is_any && !is_double)
		set_s(s, n, uop_unknown(s->b, 32));
	else if (is_any && n / 2 != d)
		arm_forget_d(s, n / 2);
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
	unsigned int d = arm_slot_of_d(arm_number_of_d(FIELD(s, N), FIELD(s, Vn)));
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

bool arm_may_be_predicated(const struct arm *s, unsigned int d)
{
	return s->is_t32 && d < 16;
}

unsigned int arm_in_each_lane(struct arm *s, unsigned int value, unsigned int bits)
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
	unsigned int d = arm_number_of_d(FIELD(s, N), FIELD(s, Vn));
	unsigned int value;

	if (bits == 0 || opc2 >> 1 != 0 || (is_quad && d % 2 != 0)) {
		opcode_reject(&s->opcode);
		return;
	}
	if (is_quad && arm_may_be_predicated(s, d)) {
		arm_forget_pair(s, d);
		return;
	}
	value = arm_in_each_lane(s, rt, bits);
	uop_define(s->b, arm_slot_of_d(d), value);
	if (is_quad)
		uop_define(s->b, arm_slot_of_d(d + 1), value);
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
