/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two things that a row of arch/a64 and arch/a32 says of an opcode: its flow, as classification
 * gives it, and its semantics. Is it a branch and of what kind, is it conditional, does it link,
 * does it return from an exception, where does a direct branch go. Each difference must be one that
 * opcode_difference.def explains, row by row.
 *
 *     check_opcodes ISA COUNT [FIRST]        a64, a32 or t32
 *
 * Opcodes number FIRST to FIRST + COUNT of a random order of all 2^32, so that 4294967296 are all
 * of them, each once, and parts can be run at the same time; what is no T32 opcode is left out.
 * Part 0 starts with some of each row and the T32 opcodes of 16 bits. Prints what
 * differs: row by row, how many, an example. Exit 1 if one of them is not explained.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/isa.h"
#include "tests/support/opcode_rows.h"

/* What of the two differs. */
enum aspect {
	SAME,
	UNKNOWN,   /* a branch to the one; no instruction, or an UNPREDICTABLE one, to the other */
	BRANCH,    /* of another kind, or none to one of them */
	CONDITION, /* conditional to one of them */
	LINK,
	RETURN, /* from an exception, where classification has no return */
	TARGET,
};

static const char *const aspect_names[] = {"same", "unknown", "branch", "condition",
                                           "link", "return",  "target"};

struct explained {
	enum isa isa;
	enum aspect aspect;
	const char *row;
};

static const struct explained explained[] = {
#define X(isa, aspect, row, why) {ISA_##isa, aspect, #row},
#include "tests/arch/opcode_difference.def"
#undef X
};

struct difference {
	enum aspect aspect;
	size_t row;
	uint32_t example;
	unsigned long count;
};

#define ADDRESS UINT32_C(0x10000)

enum { DIFFERENCES = 1000, EACH_ROW = 500 };

struct sweep {
	enum isa isa;
	struct opcode_table *table;
	struct difference differences[DIFFERENCES];
	size_t count;
	unsigned long checked;
	struct uop_builder builder;
};

static const struct insn_options options = {true, true, true, false};

static void classify(const struct sweep *s, uint32_t opcode, struct insn *insn)
{
	if (s->isa == ISA_A64)
		insn_a64_classify(opcode, ADDRESS, &options, insn);
	else if (s->isa == ISA_A32)
		insn_a32_classify(opcode, ADDRESS, &options, insn);
	else
		insn_t32_classify(opcode, ADDRESS, &options, insn);
}

static void expand(struct sweep *s, uint32_t opcode)
{
	if (s->isa == ISA_A64)
		sem_a64(opcode, ADDRESS, &s->builder);
	else if (s->isa == ISA_A32)
		sem_a32(opcode, ADDRESS, &s->builder);
	else
		sem_t32(opcode, ADDRESS, SEM_NO_IT, &s->builder);
}

static enum insn_class class_of_branch(const struct uop_branch *branch)
{
	switch ((enum uop_branch_kind)branch->kind) {
	case BRANCH_DIRECT:
	case BRANCH_CONDITIONAL:
		return INSN_BRANCH;
	case BRANCH_INDIRECT:
	case BRANCH_CONDITIONAL_INDIRECT:
	case BRANCH_RETURN:
		return INSN_BRANCH_INDIRECT;
	case BRANCH_NONE:
	case BRANCH_EXCEPTION:
		break;
	}
	return INSN_OTHER;
}

/* A constant slot, or the one that a predicated instruction selects. */
static unsigned int constant_of(const struct uop_insn *insn, unsigned int slot)
{
	for (size_t i = 0; i < insn->op_count; i++) {
		if (insn->ops[i].dst == slot && insn->ops[i].op == UOP_SELECT)
			return insn->ops[i].a;
	}
	return slot;
}

/* The link register becomes the address after the instruction, in T32 with bit 0. */
static bool links(const struct sweep *s, unsigned int size)
{
	const struct uop_insn *insn = &s->builder.insn;
	unsigned int reg = s->isa == ISA_A64 ? (unsigned int)REG_LR : 14U;
	unsigned int slot = constant_of(insn, uop_insn_after(insn, reg));

	if (slot < SLOT_CONSTANT || slot - SLOT_CONSTANT >= insn->constant_count)
		return false;
	return insn->constants[slot - SLOT_CONSTANT] ==
	       ADDRESS + size + (s->isa == ISA_T32 ? 1U : 0U);
}

static bool is_branch_class(enum insn_class class)
{
	return class == INSN_BRANCH || class == INSN_BRANCH_INDIRECT;
}

static bool is_conditional(const struct uop_insn *insn)
{
	return insn->when != SLOT_NONE || insn->branch.kind == BRANCH_CONDITIONAL ||
	       insn->branch.kind == BRANCH_CONDITIONAL_INDIRECT;
}

static enum aspect compare(struct sweep *s, uint32_t opcode)
{
	const struct uop_insn *sem = &s->builder.insn;
	struct insn insn;
	bool is_branch;

	classify(s, opcode, &insn);
	expand(s, opcode);
	is_branch = is_branch_class(insn.class);
	if ((sem->flags & UOP_NOT_IN_TABLE) != 0)
		return is_branch ? UNKNOWN : SAME;
	if (class_of_branch(&sem->branch) != (is_branch ? insn.class : INSN_OTHER))
		return BRANCH;
	if (!is_branch)
		return SAME;
	if (is_conditional(sem) != insn.is_conditional)
		return CONDITION;
	if (links(s, insn.size) != insn.is_link)
		return LINK;
	if (sem->branch.kind == BRANCH_RETURN && !insn.is_return)
		return RETURN;
	return insn.class == INSN_BRANCH && sem->branch.target != insn.target ? TARGET : SAME;
}

static void remember(struct sweep *s, enum aspect aspect, uint32_t opcode)
{
	size_t row = opcode_find(s->table, opcode);

	for (size_t i = 0; i < s->count; i++) {
		struct difference *known = &s->differences[i];

		if (known->aspect == aspect && known->row == row) {
			known->count++;
			return;
		}
	}
	if (s->count == DIFFERENCES)
		abort();
	s->differences[s->count++] = (struct difference){aspect, row, opcode, 1};
}

/* The first halfword says whether there is a second one. */
static bool is_opcode(const struct sweep *s, uint32_t opcode)
{
	return s->isa != ISA_T32 || insn_t32_size(opcode > 0xffff ? opcode >> 16 : opcode) ==
	                                    (opcode > 0xffff ? 4U : 2U);
}

static void check_opcode(struct sweep *s, uint32_t opcode)
{
	enum aspect aspect;

	if (!is_opcode(s, opcode))
		return;
	s->checked++;
	aspect = compare(s, opcode);
	if (aspect != SAME)
		remember(s, aspect, opcode);
}

/* All of one halfword. */
static void check_narrow(struct sweep *s)
{
	for (uint32_t opcode = 0; s->isa == ISA_T32 && opcode <= 0xffff; opcode++)
		check_opcode(s, opcode);
}

/* A permutation of the numbers of 32 bits: the finalizer of MurmurHash3. */
static uint32_t mixed(uint32_t n)
{
	n = (n ^ n >> 16) * 0x85ebca6b;
	n = (n ^ n >> 13) * 0xc2b2ae35;
	return n ^ n >> 16;
}

static void check_row(struct sweep *s, uint32_t mask, uint32_t match)
{
	for (uint32_t i = 0; i < EACH_ROW; i++)
		check_opcode(s, match | (mixed(match + i) & ~mask));
}

static void check_rows(struct sweep *s)
{
	struct sem_row_info info;

	for (size_t i = 0; opcode_row_info(s->table, i, &info); i++)
		check_row(s, info.mask, info.match);
}

static const char *row_name(const struct sweep *s, const struct difference *d)
{
	return d->row < s->table->count ? s->table->rows[d->row].name : "NO_ROW";
}

static bool is_explained(const struct sweep *s, const struct difference *d)
{
	for (size_t i = 0; i < sizeof(explained) / sizeof(explained[0]); i++) {
		if (explained[i].isa == s->isa && explained[i].aspect == d->aspect &&
		    strcmp(explained[i].row, row_name(s, d)) == 0)
			return true;
	}
	return false;
}

static int report(const struct sweep *s)
{
	unsigned long all = 0;
	int unexplained = 0;

	for (size_t i = 0; i < s->count; i++) {
		const struct difference *d = &s->differences[i];
		bool known = is_explained(s, d);

		printf("%-9s %-16s %10lu, such as %08" PRIx32 "%s\n", aspect_names[d->aspect],
		       row_name(s, d), d->count, d->example, known ? "" : ": not explained");
		all += d->count;
		unexplained += !known;
	}
	printf("%lu opcodes: %lu differ, in %zu groups, of which %d are not explained\n",
	       s->checked, all, s->count, unexplained);
	return unexplained;
}

static bool choose(struct sweep *s, const char *isa)
{
	if (strcmp(isa, "a64") == 0)
		*s = (struct sweep){.isa = ISA_A64, .table = &a64_opcodes};
	else if (strcmp(isa, "a32") == 0)
		*s = (struct sweep){.isa = ISA_A32, .table = &a32_opcodes};
	else if (strcmp(isa, "t32") == 0)
		*s = (struct sweep){.isa = ISA_T32, .table = &t32_opcodes};
	else
		return false;
	return true;
}

int main(int argc, char **argv)
{
	static struct sweep sweep;
	uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 0) : 0;
	uint64_t first = argc > 3 ? strtoull(argv[3], NULL, 0) : 0;

	if (argc < 3 || argc > 4 || !choose(&sweep, argv[1])) {
		fprintf(stderr, "usage: check_opcodes a64|a32|t32 COUNT [FIRST]\n");
		return 2;
	}
	if (first == 0) {
		check_narrow(&sweep);
		check_rows(&sweep);
	}
	for (uint64_t i = 0; i < count; i++)
		check_opcode(&sweep, mixed((uint32_t)(first + i)));
	return report(&sweep) > 0;
}
