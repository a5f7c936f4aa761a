/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A row of the tables insn_a32.def and insn_t32.def, and what is common to their look-up. In: an
 * opcode and the rows of its encoding group. Out: the fields of struct insn that a row decides.
 * Private to the instruction classifiers.
 */
#ifndef CSREPLAY_ARCH_INSN_ROW_H
#define CSREPLAY_ARCH_INSN_ROW_H

#include <stddef.h>

#include "arch/insn.h"

enum {
	INSN_FLAG_C = 1, /* conditional by itself */
	INSN_FLAG_L = 2, /* link */
	INSN_FLAG_R = 4, /* return, from a function or an exception */
	INSN_FLAG_I = 8, /* T32 IT */
};

struct insn_row {
	uint32_t mask;
	uint32_t match;
	enum insn_class class;
	enum insn_subclass subclass;
	unsigned int flags;
	unsigned int target; /* how the opcode holds its target, in words of the table's file */
};

/* Rows [first, end) of a table. */
struct insn_group {
	uint8_t first;
	uint8_t end;
};

/* The first row of the group that the opcode matches, or NULL. */
static inline const struct insn_row *insn_row_find(const struct insn_row *rows,
                                                   struct insn_group group, uint32_t opcode)
{
	for (size_t i = group.first; i < group.end; i++) {
		if ((opcode & rows[i].mask) == rows[i].match)
			return &rows[i];
	}
	return NULL;
}

/* The class, given what the trace source takes as waypoints. */
static inline enum insn_class insn_class_of(enum insn_class class,
                                            const struct insn_options *options)
{
	if (class == INSN_DSB_DMB && !options->dsb_dmb_is_waypoint)
		return INSN_OTHER;
	if (class == INSN_WFI_WFE && !options->wfi_wfe_is_branch)
		return INSN_OTHER;
	return class;
}

/* Takes over what the row says, all but the target. */
static inline void insn_row_apply(const struct insn_row *row, const struct insn_options *options,
                                  struct insn *insn)
{
	insn->class = insn_class_of(row->class, options);
	insn->subclass = row->subclass;
	insn->is_link = (row->flags & INSN_FLAG_L) != 0;
	insn->is_return = (row->flags & INSN_FLAG_R) != 0;
}

/* `width` bits of the opcode from bit `low` on. */
static inline uint32_t insn_bits(uint32_t opcode, unsigned int low, unsigned int width)
{
	return (opcode >> low) & ((UINT32_C(1) << width) - 1);
}

/* A field of `width` bits that has a sign, as 32 bits. */
static inline uint32_t insn_sign_extend(uint32_t field, unsigned int width)
{
	uint32_t sign = UINT32_C(1) << (width - 1);

	return (field ^ sign) - sign;
}

#endif
