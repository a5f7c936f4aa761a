/* SPDX-License-Identifier: Apache-2.0 */
/*
 * T32 instruction classes, from the table insn_t32.def. In: opcode and address. Out: class and
 * target of a direct branch. Arm ARM DDI 0487, F3.1, and DDI 0553 for the M profile; the PC reads
 * as the instruction's address plus 4 (E1.2.3), and addresses wrap at 32 bits.
 */
#include "arch/insn.h"
#include "arch/insn_row.h"

/* Keys of the groups: the highest digit of a halfword, or bits 28:27 of two. */
enum {
	GROUP_4 = 0x4,
	GROUP_B = 0xb,
	GROUP_D = 0xd,
	GROUP_E = 0xe,
	WIDE = 0xf, /* no halfword of its own begins with 0xf */
	GROUP_Ex = WIDE + 1,
	GROUP_Fx,
	GROUP_Lx,
	GROUP_COUNT,
};

enum {
	TARGET_NONE,
	TARGET_CBZ, /* forward only */
	TARGET_B_T1,
	TARGET_B_T2,
	TARGET_B_T3,
	TARGET_B_T4,
	TARGET_BLX, /* from the aligned PC, to A32 */
	TARGET_LE,  /* backward only */
	TARGET_WLS, /* forward only */
};

enum {
#define X(group, name, mask, match, class, subclass, flags, target) ROW_##name,
#include "arch/insn_t32.def"
#undef X
};

static const struct insn_row rows[] = {
#define X(group, name, mask, match, class, subclass, flags, target)                                \
	{mask, match, INSN_##class, INSN_SUB_##subclass, flags, TARGET_##target},
#include "arch/insn_t32.def"
#undef X
};

/* The rows of each key; the unit test compares with a search of the whole table. */
// clang-format off
static const struct insn_group groups[GROUP_COUNT] = {
	[GROUP_4]  = {ROW_MOV_PC_LR, ROW_BLX_REG + 1},
	[GROUP_B]  = {ROW_CBZ_CBNZ, ROW_IT + 1},
	[GROUP_D]  = {ROW_UDF_SVC, ROW_B_T1 + 1},
	[GROUP_E]  = {ROW_B_T2, ROW_B_T2 + 1},
	[GROUP_Ex] = {ROW_TBB_TBH, ROW_CP15_ISB + 1},
	[GROUP_Fx] = {ROW_BXJ, ROW_WLSTP + 1},
	[GROUP_Lx] = {ROW_LDR_PC_T3, ROW_LDR_PC_REG + 1},
};
// clang-format on

unsigned int insn_t32_size(uint32_t halfword)
{
	return (halfword & 0xf800) >= 0xe800 ? 4 : 2;
}

static uint32_t group_key(uint32_t opcode)
{
	if (opcode <= 0xffff)
		return insn_bits(opcode, 12, 4);
	return WIDE + insn_bits(opcode, 27, 2);
}

/* S:J:J:imm10:imm11:0 of B T4, BL and BLX; both J are stored as NOT(J XOR S). */
static uint32_t offset_25(uint32_t opcode)
{
	uint32_t s = insn_bits(opcode, 26, 1);
	uint32_t i1 = s ^ insn_bits(opcode, 13, 1) ^ 1;
	uint32_t i2 = s ^ insn_bits(opcode, 11, 1) ^ 1;
	uint32_t low = insn_bits(opcode, 16, 10) << 12 | insn_bits(opcode, 0, 11) << 1;

	return insn_sign_extend(s << 24 | i1 << 23 | i2 << 22 | low, 25);
}

/* S:J2:J1:imm6:imm11:0 of B T3. */
static uint32_t offset_21(uint32_t opcode)
{
	uint32_t high = insn_bits(opcode, 26, 1) << 20 | insn_bits(opcode, 11, 1) << 19 |
	                insn_bits(opcode, 13, 1) << 18;

	return insn_sign_extend(
	        high | insn_bits(opcode, 16, 6) << 12 | insn_bits(opcode, 0, 11) << 1, 21);
}

/* immh:imml:0 of the loop instructions, imml being bit 11. */
static uint32_t loop_offset(uint32_t opcode)
{
	return insn_bits(opcode, 1, 10) << 2 | insn_bits(opcode, 11, 1) << 1;
}

static uint32_t branch_target(uint32_t opcode, uint32_t address, unsigned int target)
{
	uint32_t pc = address + 4;

	switch (target) {
	case TARGET_CBZ:
		return pc + (insn_bits(opcode, 9, 1) << 6 | insn_bits(opcode, 3, 5) << 1);
	case TARGET_B_T1:
		return pc + insn_sign_extend(insn_bits(opcode, 0, 8), 8) * 2;
	case TARGET_B_T2:
		return pc + insn_sign_extend(insn_bits(opcode, 0, 11), 11) * 2;
	case TARGET_B_T3:
		return pc + offset_21(opcode);
	case TARGET_B_T4:
		return pc + offset_25(opcode);
	case TARGET_BLX:
		return (pc & ~UINT32_C(3)) + offset_25(opcode);
	case TARGET_LE:
		return pc - loop_offset(opcode);
	case TARGET_WLS:
		return pc + loop_offset(opcode);
	default:
		return 0;
	}
}

/* An IT mask's lowest one ends the block: xxx1 is four instructions, 1000 is one. */
static uint8_t it_count(uint32_t opcode)
{
	uint8_t count = 4;

	for (uint32_t mask = opcode; !(mask & 1) && count > 1; mask >>= 1)
		count--;
	return count;
}

void insn_t32_classify(uint32_t opcode, uint64_t address, const struct insn_options *options,
                       struct insn *insn)
{
	uint32_t first = opcode <= 0xffff ? opcode : opcode >> 16;
	const struct insn_row *row = insn_row_find(rows, groups[group_key(opcode)], opcode);

	*insn = (struct insn){.class = INSN_OTHER, .next_isa = ISA_T32};
	insn->size = (uint8_t)insn_t32_size(first);
	if (!row)
		return;
	insn_row_apply(row, options, insn);
	insn->is_conditional = (row->flags & INSN_FLAG_C) != 0;
	if (row->flags & INSN_FLAG_I)
		insn->it_count = it_count(opcode);
	insn->target = branch_target(opcode, (uint32_t)address, row->target);
	if (row->target == TARGET_BLX)
		insn->next_isa = ISA_A32;
}
