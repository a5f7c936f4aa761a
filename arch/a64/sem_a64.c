/* SPDX-License-Identifier: Apache-2.0 */
/* A64 opcodes to micro-operations, by the table sem_a64.def; see a64.h. */
#include "arch/a64/a64.h"

#include "arch/a64/sem_a64_expand.h"

static const struct opcode_row rows[] = {
#define X(name, pattern, expand, ...) OPCODE_ROW(name, pattern, __VA_ARGS__),
#include "arch/a64/sem_a64.def"
#undef X
};

enum {
	ROWS = sizeof(rows) / sizeof(rows[0]),
	SYSTEM = 0xd5, /* the upper byte */
};

static sem_expand *const expanders[ROWS] = {
#define X(name, pattern, expand, ...) expand,
#include "arch/a64/sem_a64.def"
#undef X
};

static struct pattern patterns[ROWS];
struct opcode_table a64_opcodes = OPCODE_TABLE(rows, patterns, NULL, A64_KEY);

void sem_nothing(struct sem *s, unsigned int arg)
{
	(void)s;
	(void)arg;
}

void sem_kill(struct sem *s, unsigned int arg)
{
	(void)arg;
	opcode_reject(&s->opcode);
}

void sem_a64(uint32_t opcode, uint64_t address, struct uop_builder *b)
{
	size_t row = opcode_find(&a64_opcodes, opcode);
	struct sem s = {.b = b, .address = address, .opcode = {.bits = opcode}};

	uop_begin(b);
	if (row < ROWS) {
		s.opcode.pattern = &patterns[row];
		expanders[row](&s, rows[row].argument);
	}
	if (row == ROWS || s.opcode.rejected)
		b->overflow = true; /* and so it kills all */
	uop_finish(b);
	/* Of those for the system (Arm ARM C4.1) one may be MSRR of a TTBR, say, or SYSP. */
	if ((b->insn.flags & UOP_NOT_IN_TABLE) != 0 && opcode >> 24 == SYSTEM)
		b->insn.flags |= UOP_CHANGES_TRANSLATION;
}

enum flow flow_a64(uint32_t opcode, uint64_t address, uint64_t *target)
{
	size_t row = opcode_find(&a64_opcodes, opcode);
	enum flow flow = row < ROWS ? (enum flow)rows[row].flow : FLOW_NONE;

	if (flow_is_direct(flow))
		*target = address + sem_branch_offset(&patterns[row], opcode);
	return flow;
}
