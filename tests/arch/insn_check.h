/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tests of the A32 and the T32 classifier share: opcodes with the class that is expected
 * of them, and the list of explained differences to another decoder of instructions.
 */
#ifndef CSREPLAY_TESTS_ARCH_INSN_CHECK_H
#define CSREPLAY_TESTS_ARCH_INSN_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <capstone/capstone.h>
#include <cmocka.h>

#include "arch/insn.h"
#include "tests/support/opcode_rows.h"

/* Short names for the tables of opcodes. */
#define BR        INSN_BRANCH
#define IBR       INSN_BRANCH_INDIRECT
#define OTHER     INSN_OTHER
#define NO        INSN_SUB_NONE
#define LNK       INSN_SUB_LINK
#define RET       INSN_SUB_V7_IMPLIED_RET
#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))

enum { COND = 1, LINK = 2, RETURN = 4, TO_A32 = 8, TO_T32 = 16 };

/* An opcode of the assembler and what it is; `row` is its row in the table, NULL for none. */
struct expected {
	const char *text;
	const char *row;
	uint32_t opcode;
	enum insn_class class;
	enum insn_subclass subclass;
	unsigned int flags;
};

/* Opcodes that the other decoder takes for a branch and we do not, or the reverse. */
struct difference {
	uint32_t mask;
	uint32_t match;
	bool is_branch; /* to us */
	const char *why;
	unsigned long count;
};

static const struct insn_options all_waypoints = {true, true, true, false};

static inline bool is_branch_class(enum insn_class class)
{
	return class == INSN_BRANCH || class == INSN_BRANCH_INDIRECT;
}

static inline void check_fields(const struct expected *expected, const struct insn *insn)
{
	unsigned int flags = (insn->is_conditional ? COND : 0U) | (insn->is_link ? LINK : 0U) |
	                     (insn->is_return ? RETURN : 0U);

	if (insn->class != expected->class || insn->subclass != expected->subclass ||
	    flags != (expected->flags & (COND | LINK | RETURN)))
		fail_msg("%08x %s: class %d, subclass %d, flags %u; expected %d, %d, %u",
		         expected->opcode, expected->text, (int)insn->class, (int)insn->subclass,
		         flags, (int)expected->class, (int)expected->subclass, expected->flags);
}

/* Each opcode is of its row, and each row that has a flow has an opcode. */
static inline void check_rows(struct opcode_table *table, const struct expected *opcodes,
                              size_t count)
{
	static unsigned int hits[1000];

	for (size_t i = 0; i < count; i++) {
		size_t row = opcode_find(table, opcodes[i].opcode);

		hits[row]++;
		if (row == table->count
		            ? opcodes[i].row != NULL
		            : !opcodes[i].row || strcmp(opcodes[i].row, table->rows[row].name) != 0)
			fail_msg("%08x %s is not of that row", opcodes[i].opcode, opcodes[i].text);
	}
	for (size_t i = 0; i < table->count; i++) {
		if (table->rows[i].flow != FLOW_NONE && hits[i] == 0)
			fail_msg("no opcode for row %s", table->rows[i].name);
	}
}

/* The difference that explains the opcode is counted; false if there is none. */
static inline bool explain(struct difference *list, size_t count, uint32_t opcode, bool is_branch)
{
	for (size_t i = 0; i < count; i++) {
		if (list[i].is_branch == is_branch && (opcode & list[i].mask) == list[i].match) {
			list[i].count++;
			return true;
		}
	}
	return false;
}

/* Fails where an explanation explains nothing. */
static inline void check_all_used(const struct difference *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!list[i].count)
			fail_msg("no opcode met: %s", list[i].why);
	}
}

/* The first operand is the PC. */
static inline bool cs_writes_pc(const cs_arm *arm)
{
	return arm->op_count > 0 && arm->operands[0].type == ARM_OP_REG &&
	       arm->operands[0].reg == ARM_REG_PC;
}

/* The PC is in the register list, which begins with operand `first`. */
static inline bool cs_lists_pc(const cs_arm *arm, unsigned int first)
{
	for (unsigned int i = first; i < arm->op_count; i++) {
		if (arm->operands[i].type == ARM_OP_REG && arm->operands[i].reg == ARM_REG_PC)
			return true;
	}
	return false;
}

/* The target of a direct branch, its last operand. */
static inline uint32_t cs_target(const cs_arm *arm)
{
	return (uint32_t)arm->operands[arm->op_count - 1].imm;
}

#endif
