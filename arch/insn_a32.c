/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A32 instruction classes, from the table insn_a32.def. In: opcode and address. Out: class and
 * target of a direct branch. Arm ARM DDI 0487, F4.1; the PC reads as the instruction's address
 * plus 8 (E1.2.3), and addresses wrap at 32 bits.
 */
#include "arch/insn.h"
#include "arch/insn_row.h"

/* Keys of the groups: bits 27:25, or UNCOND. */
enum { UNCOND = 8, GROUP_COUNT };

enum {
	TARGET_NONE,
	TARGET_IMM24,  /* bits 23:0 count words */
	TARGET_IMM24H, /* the same, bit 24 adds a halfword; the target is T32 */
};

enum {
#define X(group, name, mask, match, class, subclass, flags, target) ROW_##name,
#include "arch/insn_a32.def"
#undef X
};

static const struct insn_row rows[] = {
#define X(group, name, mask, match, class, subclass, flags, target)                                \
	{mask, match, INSN_##class, INSN_SUB_##subclass, flags, TARGET_##target},
#include "arch/insn_a32.def"
#undef X
};

/* The rows of each key; the unit test compares with a search of the whole table. */
// clang-format off
static const struct insn_group groups[GROUP_COUNT] = {
	[0]      = {ROW_BX_LR, ROW_DP_PC_REG + 1},
	[1]      = {ROW_WFE_WFI, ROW_DP_PC_IMM + 1},
	[2]      = {ROW_LDR_POP_PC, ROW_LDR_PC_IMM + 1},
	[3]      = {ROW_LDR_PC_REG, ROW_LDR_PC_REG + 1},
	[4]      = {ROW_POP_PC, ROW_LDM_PC + 1},
	[5]      = {ROW_B, ROW_BL + 1},
	[7]      = {ROW_CP15_DSB, ROW_CP15_ISB + 1},
	[UNCOND] = {ROW_RFE, ROW_MCR2_ISB + 1},
};
// clang-format on

static void set_target(uint32_t opcode, uint32_t address, unsigned int target, struct insn *insn)
{
	uint32_t npc = address + 8 + insn_sign_extend(insn_bits(opcode, 0, 24), 24) * 4;

	if (target == TARGET_NONE)
		return;
	if (target == TARGET_IMM24H) {
		npc += insn_bits(opcode, 24, 1) * 2;
		insn->next_isa = ISA_T32;
	}
	insn->target = npc;
}

void insn_a32_classify(uint32_t opcode, uint64_t address, const struct insn_options *options,
                       struct insn *insn)
{
	bool is_uncond = opcode >> 28 == 0xf;
	uint32_t key = is_uncond ? UNCOND : insn_bits(opcode, 25, 3);
	const struct insn_row *row = insn_row_find(rows, groups[key], opcode);

	*insn = (struct insn){.class = INSN_OTHER, .size = 4, .next_isa = ISA_A32};
	insn->is_conditional = opcode >> 28 < 0xe;
	if (!row)
		return;
	insn_row_apply(row, options, insn);
	set_target(opcode, (uint32_t)address, row->target, insn);
}
