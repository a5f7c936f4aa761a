/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of flow of A32 and T32, and offsets of branches; see flow.h. Arm ARM DDI 0487 F3.1, F4.1;
 * DDI 0553 for loops. A RETURN is OpenCSD's V7_IMPLIED_RET: what the return stack of PTM and ETMv4
 * expects. (*): not as the Arm ARM has it.
 */
#include "arch/a32/flow.h"

const enum field arm_flow_fields[] = {
        [ARM_FLOW_RD - FLOW_RULES] = FIELD_Rd,       [ARM_FLOW_BX - FLOW_RULES] = FIELDS,
        [T32_FLOW_MOV - FLOW_RULES] = FIELD_Rd,      [A32_FLOW_DATA - FLOW_RULES] = FIELD_Rd,
        [A32_FLOW_DATA_IMM - FLOW_RULES] = FIELD_Rd, [A32_FLOW_LOAD - FLOW_RULES] = FIELD_Rt,
        [T32_FLOW_LOAD - FLOW_RULES] = FIELD_Rt,     [A32_FLOW_LIST - FLOW_RULES] = FIELD_L,
        [A32_FLOW_LIST_USER - FLOW_RULES] = FIELD_L, [T32_FLOW_LIST - FLOW_RULES] = FIELD_L,
};

enum { SP = 13, LR = 14, PC = 15 };

/* Of `opcode`, as `pattern` has it. */
#define HAS(name)  pattern_has(pattern, FIELD_##name)
#define READ(name) pattern_field(pattern, opcode, FIELD_##name)

/* By position, since not all of the group have the fields. */
static uint32_t data_operation(uint32_t opcode)
{
	return opcode >> 21 & 15;
}

static bool sets_flags(uint32_t opcode)
{
	return (opcode >> 20 & 1) != 0;
}

/* TST, TEQ, CMP and CMN, which have no Rd; without S it is no data processing. */
static bool compares(uint32_t opcode)
{
	return data_operation(opcode) >> 2 == 2;
}

/*
 * (*) OpenCSD takes bits 15:12 for Rd in all of the group, though multiplications, extra loads and
 * stores and the like have another operand there; and TSTP and the like, obsolete since Armv6, are
 * branches to it.
 */
static enum flow data_flow(uint32_t opcode)
{
	enum { MOV = 13 };
	bool is_mov = data_operation(opcode) == MOV && !sets_flags(opcode);
	bool is_store_exclusive = !is_mov && (opcode & 0x0f9000f0) == 0x01800090;
	bool is_miscellaneous = compares(opcode) && !sets_flags(opcode) && (opcode & 0x80) == 0;

	if ((opcode >> 12 & 15) != PC || is_store_exclusive || is_miscellaneous)
		return FLOW_NONE;
	if (is_mov && (opcode & 0xfff) == LR)
		return FLOW_RETURN;
	return sets_flags(opcode) && !compares(opcode) ? FLOW_EXCEPTION_RETURN : FLOW_INDIRECT;
}

/* (*) MOVW and MOVT, too, of which Rd is never the PC. */
static enum flow data_immediate_flow(const struct pattern *pattern, uint32_t opcode)
{
	if (READ(Rd) != PC || (sets_flags(opcode) && compares(opcode)))
		return FLOW_NONE;
	return sets_flags(opcode) ? FLOW_EXCEPTION_RETURN : FLOW_INDIRECT;
}

/* (*) LDR PC, [SP], #imm is POP {PC} for any immediate to OpenCSD, not 4 alone. */
static enum flow a32_load_flow(const struct pattern *pattern, uint32_t opcode)
{
	if (READ(L) == 0 || READ(B) == 1 || READ(Rt) != PC)
		return FLOW_NONE;
	return HAS(imm12) && READ(Rn) == SP && READ(P) == 0 && READ(U) == 1 && READ(W) == 0
	               ? FLOW_RETURN
	               : FLOW_INDIRECT;
}

/* (*) the same */
static enum flow t32_load_flow(const struct pattern *pattern, uint32_t opcode)
{
	if (READ(L) == 0 || READ(size) != 2 || READ(sign) == 1 || READ(Rt) != PC)
		return FLOW_NONE;
	return HAS(P) && READ(Rn) == SP && READ(P) == 0 && READ(U) == 1 && READ(W) == 1
	               ? FLOW_RETURN
	               : FLOW_INDIRECT;
}

static bool loads_pc(const struct pattern *pattern, uint32_t opcode)
{
	return READ(L) == 1 && READ(list) >> PC != 0;
}

static enum flow list_flow(const struct pattern *pattern, uint32_t opcode)
{
	if (!loads_pc(pattern, opcode))
		return FLOW_NONE;
	return READ(Rn) == SP && READ(P) == 0 && READ(U) == 1 && READ(W) == 1 ? FLOW_RETURN
	                                                                      : FLOW_INDIRECT;
}

/* POP has no SP in its list. In T32 no LDM has. */
static enum flow a32_list_flow(const struct pattern *pattern, uint32_t opcode)
{
	enum flow flow = list_flow(pattern, opcode);

	return flow == FLOW_RETURN && (READ(list) >> SP & 1) == 1 ? FLOW_INDIRECT : flow;
}

static enum flow mov_flow(const struct pattern *pattern, uint32_t opcode)
{
	if (READ(Rd) != PC)
		return FLOW_NONE;
	return READ(Rm) == LR ? FLOW_RETURN : FLOW_INDIRECT;
}

enum flow arm_flow(unsigned int flow, const struct pattern *pattern, uint32_t opcode)
{
	switch (flow) {
	case ARM_FLOW_RD:
		return READ(Rd) == PC ? FLOW_INDIRECT : FLOW_NONE;
	case ARM_FLOW_BX:
		return READ(Rm) == LR ? FLOW_RETURN : FLOW_INDIRECT;
	case T32_FLOW_MOV:
		return mov_flow(pattern, opcode);
	case A32_FLOW_DATA:
		return data_flow(opcode);
	case A32_FLOW_DATA_IMM:
		return data_immediate_flow(pattern, opcode);
	case A32_FLOW_LOAD:
		return a32_load_flow(pattern, opcode);
	case T32_FLOW_LOAD:
		return t32_load_flow(pattern, opcode);
	case A32_FLOW_LIST:
		return a32_list_flow(pattern, opcode);
	case A32_FLOW_LIST_USER:
		return loads_pc(pattern, opcode) ? FLOW_EXCEPTION_RETURN : FLOW_NONE;
	case T32_FLOW_LIST:
		return list_flow(pattern, opcode);
	default:
		return (enum flow)flow;
	}
}

/* B, BL; BLX, of which H is a halfword. */
uint32_t a32_branch_offset(const struct pattern *pattern, uint32_t opcode)
{
	uint32_t words = (uint32_t)pattern_signed_field(pattern, opcode, FIELD_imm24);

	return words * 4 + (HAS(H) ? READ(H) * 2 : 0);
}

/* A field of `width` bits that has a sign. */
static uint32_t sign_extended(uint32_t field, unsigned int width)
{
	uint32_t sign = UINT32_C(1) << (width - 1);

	return (field ^ sign) - sign;
}

/* B<c>.W; B.W, BL and BLX, which have NOT(J XOR S) in place of each J. */
static uint32_t wide_offset(const struct pattern *pattern, uint32_t opcode)
{
	uint32_t sign = READ(S);
	uint32_t j1 = READ(J1);
	uint32_t j2 = READ(J2);
	uint32_t low = READ(imm11) << 1;

	if (HAS(imm6))
		return sign_extended(sign << 20 | j2 << 19 | j1 << 18 | READ(imm6) << 12 | low, 21);
	j1 ^= 1 ^ sign;
	j2 ^= 1 ^ sign;
	return sign_extended(sign << 24 | j1 << 23 | j2 << 22 | READ(imm10) << 12 | low, 25);
}

/* Loops start with WLS, which has Rn and goes forward, and end with LE, which goes back. */
static uint32_t loop_offset(const struct pattern *pattern, uint32_t opcode)
{
	uint32_t offset = READ(immhi) << 2 | READ(immlo) << 1;

	return HAS(Rn) ? offset : 0 - offset;
}

static uint32_t halfwords(const struct pattern *pattern, uint32_t opcode, enum field field)
{
	return (uint32_t)pattern_signed_field(pattern, opcode, field) * 2;
}

uint32_t t32_branch_offset(const struct pattern *pattern, uint32_t opcode)
{
	if (HAS(imm8)) /* B<c> */
		return halfwords(pattern, opcode, FIELD_imm8);
	if (HAS(S))
		return wide_offset(pattern, opcode);
	if (HAS(imm6)) /* CBZ, CBNZ: forward alone */
		return READ(imm6) << 1;
	if (HAS(immhi))
		return loop_offset(pattern, opcode);
	return halfwords(pattern, opcode, FIELD_imm11); /* B */
}
