/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64 instruction classes, from the table insn_a64.def. In: opcode and address. Out: class and
 * target of a direct branch. Arm ARM DDI 0487, C4.1; addresses wrap at 64 bits (D1.5, PC).
 */
#include <stddef.h>

#include "arch/insn.h"

enum {
	INSN_FLAG_C = 1, /* conditional */
	INSN_FLAG_L = 2, /* link */
	INSN_FLAG_R = 4, /* return */
};

/* Where the word offset of a direct branch is. */
enum insn_target {
	TARGET_NONE,
	TARGET_IMM26, /* bits 25:0 */
	TARGET_IMM19, /* bits 23:5 */
	TARGET_IMM14, /* bits 18:5 */
	TARGET_IMM9,  /* bits 13:5 */
};

struct insn_row {
	uint32_t mask;
	uint32_t match;
	enum insn_class class;
	enum insn_subclass subclass;
	unsigned int flags;
	enum insn_target target;
};

static const struct insn_row rows[] = {
#define X(name, mask, match, class, subclass, flags, target)                                       \
	{mask, match, INSN_##class, INSN_SUB_##subclass, flags, TARGET_##target},
#include "arch/insn_a64.def"
#undef X
};

static const struct insn_row *find_row(uint32_t opcode)
{
	/* The one encoding group that all rows are of; most opcodes are of another. */
	if ((opcode & 0x1c000000) != 0x14000000)
		return NULL;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if ((opcode & rows[i].mask) == rows[i].match)
			return &rows[i];
	}
	return NULL;
}

/* The byte offset in the `width` bits from bit `low` on, which count words and have a sign. */
static uint64_t branch_offset(uint32_t opcode, unsigned int low, unsigned int width)
{
	uint64_t field = (uint64_t)(opcode >> low) & ((UINT64_C(1) << width) - 1);
	uint64_t sign = UINT64_C(1) << (width - 1);

	return ((field ^ sign) - sign) * 4;
}

static uint64_t target_offset(uint32_t opcode, enum insn_target target)
{
	switch (target) {
	case TARGET_IMM26:
		return branch_offset(opcode, 0, 26);
	case TARGET_IMM19:
		return branch_offset(opcode, 5, 19);
	case TARGET_IMM14:
		return branch_offset(opcode, 5, 14);
	case TARGET_IMM9:
		return branch_offset(opcode, 5, 9);
	case TARGET_NONE:
		break;
	}
	return 0;
}

static bool is_waypoint(enum insn_class class, const struct insn_options *options)
{
	switch (class) {
	case INSN_DSB_DMB:
		return options->dsb_dmb_is_waypoint;
	case INSN_WFI_WFE:
		return options->wfi_wfe_is_branch;
	case INSN_TSTART:
		return options->tstart_is_waypoint;
	case INSN_OTHER:
		return false;
	case INSN_BRANCH:
	case INSN_BRANCH_INDIRECT:
	case INSN_ISB:
		break;
	}
	return true;
}

void insn_a64_classify(uint32_t opcode, uint64_t address, const struct insn_options *options,
                       struct insn *insn)
{
	const struct insn_row *row = find_row(opcode);

	*insn = (struct insn){.class = INSN_OTHER, .size = 4, .next_isa = ISA_A64};
	if (!row || !is_waypoint(row->class, options))
		return;
	insn->class = row->class;
	insn->subclass = row->subclass;
	insn->is_conditional = (row->flags & INSN_FLAG_C) != 0;
	insn->is_link = (row->flags & INSN_FLAG_L) != 0;
	insn->is_return = (row->flags & INSN_FLAG_R) != 0;
	if (row->target != TARGET_NONE)
		insn->target = address + target_offset(opcode, row->target);
}
