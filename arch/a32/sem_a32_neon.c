/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Advanced SIMD of A32 and T32 as micro-operations: registers are carried by loads, stores, moves
 * and logical operations, all other results are unknown. Arm ARM DDI 0487 F4.1.20 to F4.1.22, F2.
 */
#include "arch/a32/sem_a32_expand.h"

/* VAND, VBIC, VORR (VMOV), VORN, VEOR: of one D register or, with Q, two. */
static bool logical(struct arm *s)
{
	static const uint8_t ops[] = {UOP_AND, UOP_AND, UOP_OR, UOP_OR};
	unsigned int kind = FIELD(s, size);
	bool is_xor = FLAG(s, U);

	if (is_xor && kind != 0)
		return false;
	for (unsigned int i = 0; i <= FIELD(s, Q); i++) {
		unsigned int d = arm_slot_of_d(arm_number_of_d(FIELD(s, D), FIELD(s, Vd)) + i);
		unsigned int n = arm_slot_of_d(arm_number_of_d(FIELD(s, N), FIELD(s, Vn)) + i);
		unsigned int m = arm_slot_of_d(arm_number_of_d(FIELD(s, M), FIELD(s, Vm)) + i);

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
		word = arm_vfp_immediate((unsigned int)imm8, false);
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
	unsigned int d = arm_number_of_d(FIELD(s, D), FIELD(s, Vd));
	uint64_t value = 0;

	if (!expand_vector_immediate(s, &value))
		return false;
	for (unsigned int i = 0; i <= FIELD(s, Q); i++)
		uop_define(s->b, arm_slot_of_d(d + i), uop_constant(s->b, value));
	return true;
}

/*
 * Advanced SIMD data processing. Where an opcode does not say by a Q bit whether one D register or
 * two are written, both are unknown; a few exchange their operands, so that Vm is written too.
 */
void arm_neon_data(struct arm *s, unsigned int kind)
{
	bool is_quad = FLAG(s, Q);
	unsigned int d = arm_number_of_d(FIELD(s, D), FIELD(s, Vd));
	bool is_followed = !is_quad || (d % 2 == 0 && !arm_may_be_predicated(s, d));

	if (!FLAG(s, o1) && is_quad && d % 2 != 0) {
		opcode_reject(&s->opcode);
		return;
	}
	if (is_followed &&
	    ((kind == NEON_LOGICAL && logical(s)) || (kind == NEON_CONSTANT && immediate(s))))
		return;
	arm_fpscr_unknown(s);
	if (!FLAG(s, o1) && !is_quad)
		arm_forget_d(s, d);
	else
		arm_forget_pair(s, d);
	if (kind == NEON_EXCHANGES && (arm_number_of_d(FIELD(s, M), FIELD(s, Vm)) | 1) != (d | 1))
		arm_forget_pair(s, arm_number_of_d(FIELD(s, M), FIELD(s, Vm)));
}

/* VCMLA, VCADD, VDOT, VFMAL and the like */
void arm_neon_complex(struct arm *s, unsigned int arg)
{
	(void)arg;
	arm_fpscr_unknown(s);
	arm_forget_pair(s, arm_number_of_d(FIELD(s, D), FIELD(s, Vd)));
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
	uint8_t vectors; /* whose elements take turns; 1: none, registers follow one another */
};

static const struct structures multiple_types[16] = {
        [0] = {4, 1, 4}, [1] = {4, 2, 4}, [2] = {4, 1, 1},  [3] = {4, 1, 2},
        [4] = {3, 1, 3}, [5] = {3, 2, 3}, [6] = {3, 1, 1},  [7] = {1, 1, 1},
        [8] = {2, 1, 2}, [9] = {2, 2, 2}, [10] = {2, 1, 1},
};

static void multiple_structures(struct arm *s)
{
	struct structures type = multiple_types[FIELD(s, size) << 2 | FIELD(s, num)];
	unsigned int d = arm_number_of_d(FIELD(s, D), FIELD(s, Vd));
	struct uop_place at = {FIELD(s, Rn), 0};
	unsigned int slots[STRUCTURE_VECTORS * STRUCTURE_WORDS] = {0};

	if (type.registers == 0 || d + (type.registers - 1U) * type.stride > 31 ||
	    (type.vectors > 1 && FIELD(s, index_align) >> 2 == 3)) {
		opcode_reject(&s->opcode);
		return;
	}
	for (unsigned int i = 0; i < type.registers; i++)
		slots[i] = arm_slot_of_d(d + i * type.stride);
	if (type.vectors > 1)
		uop_structure_transfer(s->b,
		                       &(struct uop_structure){type.vectors,
		                                               type.registers / type.vectors,
		                                               1U << (FIELD(s, index_align) >> 2)},
		                       FLAG(s, L), at, slots);
	for (unsigned int i = 0; i < type.registers && type.vectors == 1; i++, at.offset += 8) {
		if (FLAG(s, L))
			uop_define(s->b, slots[i], uop_load(s->b, at, 8));
		else
			uop_store(s->b, at, 8, slots[i]);
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
	unsigned int d = arm_number_of_d(FIELD(s, D), FIELD(s, Vd));
	struct uop_place at = {FIELD(s, Rn), 0};

	if (!FLAG(s, L) || d + (count == 1 ? step - 1 : (count - 1) * step) > 31 ||
	    (size == 3 && count != 4)) {
		opcode_reject(&s->opcode);
		return;
	}
	for (unsigned int i = 0; i < count; i++, at.offset += bytes) {
		unsigned int value = arm_in_each_lane(s, uop_load(s->b, at, bytes), 8 * bytes);

		uop_define(s->b, arm_slot_of_d(d + i * step), value);
		if (count == 1 && step == 2)
			uop_define(s->b, arm_slot_of_d(d + 1), value);
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
	unsigned int d = arm_number_of_d(FIELD(s, D), FIELD(s, Vd));
	struct uop_place at = {FIELD(s, Rn), 0};

	if (d + (count - 1) * step > 31) {
		opcode_reject(&s->opcode);
		return;
	}
	for (unsigned int i = 0; i < count; i++, at.offset += bytes) {
		unsigned int slot = arm_slot_of_d(d + i * step);
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
