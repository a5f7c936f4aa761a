/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random cases of A32 and T32; see make_cases.h. What is arranged: base registers point into the
 * data and literals after the opcodes, direct branches stay in their slot, a branch to what comes
 * out of a register or memory does not go to code, a store-exclusive has its load in front, half of
 * the T32 opcodes are in an IT block.
 */
#include <string.h>

#include "arch/uop/uop_run.h"
#include "tests/semantics/make_cases.h"
#include "tests/support/opcode_rows.h"

static uint32_t random_pointer(struct random *r)
{
	uint64_t offset = random_below(r, 0x8000) - 0x4000;

	if (random_below(r, 4) != 0)
		offset &= ~UINT64_C(15);
	return (uint32_t)(DATA_MIDDLE + offset);
}

static uint32_t random_value(struct random *r)
{
	static const uint32_t corners[] = {
	        0,          1,          2,          0xffffffff, 0xfffffffe, 0x7fffffff, 0x80000000,
	        0x80000001, 0xffff0000, 0x0000ffff, 0x00008000, 0x01234567, 0x3f800000, 0x7fc00000};

	switch (random_below(r, 5)) {
	case 0:
		return corners[random_below(r, sizeof(corners) / sizeof(corners[0]))];
	case 1:
		return (uint32_t)random_below(r, 256);
	case 2:
		return (uint32_t)random_next(r) >> random_below(r, 32);
	case 3:
		return random_pointer(r);
	default:
		return (uint32_t)random_next(r);
	}
}

static void random_state(struct random *r, enum case_isa isa, struct case_state *state)
{
	for (unsigned int i = 0; i < 15; i++)
		state->x[i] = random_value(r);
	for (unsigned int i = 0; i < 32; i++)
		state->v[i] = (uint64_t)random_value(r) << 32 | random_value(r);
	state->x[13] = random_pointer(r) & ~UINT32_C(7);
	state->nzcv = random_below(r, 16);
	state->fpsr = random_next(r) & 0xf800009f; /* NZCV, QC and exceptions */
	state->tpidr = random_value(r);
	/* Q, GE; User mode */
	state->pstate = (random_next(r) & 0x080f0000) | 0x10;
	if (isa == CASE_T32)
		state->pstate |= CPSR_T;
}

static unsigned int register_at(uint32_t opcode, unsigned int low, unsigned int width)
{
	return opcode >> low & ((1U << width) - 1);
}

struct registers {
	unsigned int base; /* 15: none */
	unsigned int index;
};

static struct registers memory_registers_t16(uint32_t opcode)
{
	if (opcode >= 0x5000 && opcode < 0x6000)
		return (struct registers){register_at(opcode, 3, 3), register_at(opcode, 6, 3)};
	if (opcode >= 0x6000 && opcode < 0x9000)
		return (struct registers){register_at(opcode, 3, 3), 15};
	if (opcode >= 0xc000 && opcode < 0xd000)
		return (struct registers){register_at(opcode, 8, 3), 15};
	return (struct registers){15, 15};
}

/* Which registers are addresses, of loads and stores. */
static struct registers memory_registers(enum case_isa isa, uint32_t opcode)
{
	struct registers both = {register_at(opcode, 16, 4), register_at(opcode, 0, 4)};
	struct registers base = {both.base, 15};
	unsigned int top = opcode >> 24;

	if (isa == CASE_T32 && opcode < 0x10000)
		return memory_registers_t16(opcode);
	if (isa == CASE_T32)
		return top == 0xf8 || top == 0xf9 || (opcode & 0xfff0ffe0) == 0xe8d0f000 ? both
		       : top == 0xe8 || top == 0xe9 || top == 0xec || top == 0xed
		               ? base
		               : (struct registers){15, 15};
	if (opcode >> 28 == 15)
		return (top & 0xfe) == 0xf4 ? both : (struct registers){15, 15};
	if ((top & 0xe) == 4 || (top & 0xe) == 6 ||
	    ((top & 0xe) == 0 && (opcode & 0x90) == 0x90 && (opcode & 0xf0) != 0x90))
		return both;
	if ((top & 0xe) == 8 || (top & 0xe) == 12 || (opcode & 0x0f0000f0) == 0x01000090)
		return base;
	return (struct registers){15, 15};
}

/* TBB and TBH: a table of an even, small entry, so that the target is in the slot. */
static void aim_table(struct random *r, uint32_t opcode, struct case_state *state)
{
	unsigned int base = register_at(opcode, 16, 4);
	unsigned int index = register_at(opcode, 0, 4);
	bool is_half = (opcode >> 4 & 1) != 0;

	for (unsigned int i = 0; i < 60000 && base < 15 && index < 15; i++) {
		uint64_t at = DATA_BASE + random_below(r, DATA_SIZE - 8);
		uint64_t entry = case_pattern((at - DATA_BASE) / 8) >> at % 8 * 8;

		if (at % 8 == 7 || (entry & (is_half ? 0xffff : 0xff)) > 8)
			continue;
		state->x[index] = base == index ? 0 : random_below(r, 16);
		state->x[base] = at - (is_half ? 2 : 1) * state->x[index];
		return;
	}
}

static void aim_memory(struct random *r, enum case_isa isa, uint32_t opcode,
                       struct case_state *state)
{
	struct registers n = memory_registers(isa, opcode);

	if (isa == CASE_T32 && (opcode & 0xfff0ffe0) == 0xe8d0f000) {
		aim_table(r, opcode, state);
		return;
	}
	if (n.base == 15)
		return;
	if (n.index < 13 && n.index != n.base)
		state->x[n.index] = random_below(r, 2) != 0 ? random_below(r, 512)
		                                            : (uint32_t)(0 - random_below(r, 512));
	if (n.base != 13)
		state->x[n.base] =
		        random_pointer(r) & (random_below(r, 2) != 0 ? ~UINT32_C(3) : ~0U);
}

/* Offsets of direct branches become small, and those of literals come to lie after the opcode. */
static uint32_t aim_offset_a32(struct random *r, uint32_t opcode)
{
	if ((opcode & 0xfe000000) == 0xfa000000)
		return (opcode & 0xff000000) | (CASE_OTHER_SET - 8) / 4;
	if ((opcode & 0x0e000000) == 0x0a000000)
		return (opcode & 0xff000000) | (uint32_t)random_below(r, 4);
	if ((opcode & 0x0f7f0000) == 0x051f0000 && opcode >> 28 != 15)
		return (opcode & 0xfffff000) | 0x00800000 | (uint32_t)random_below(r, 12);
	return opcode;
}

static uint32_t aim_offset_t32(struct random *r, uint32_t opcode)
{
	uint32_t offset = 2 + (uint32_t)random_below(r, 6);

	if ((opcode & 0xf800) == 0xe000 && opcode < 0x10000)
		return (opcode & 0xf800) | offset;
	if ((opcode & 0xf000) == 0xd000 && opcode < 0xde00)
		return (opcode & 0xff00) | offset;
	if ((opcode & 0xf500) == 0xb100 && opcode < 0x10000)
		return (opcode & 0xfd07) | offset << 3;
	if ((opcode & 0xf800) == 0x4800 && opcode < 0x10000)
		return (opcode & 0xff00) | (1 + (uint32_t)random_below(r, 3));
	if ((opcode & 0xf800d000) == 0xf0008000 && (opcode >> 22 & 15) < 14)
		return (opcode & 0xfbc0d000) | offset;
	if ((opcode & 0xf8009000) == 0xf0009000) /* S, J1 and J2: a small positive offset */
		return (opcode & 0xf800d000) | 0x2800 | offset;
	if ((opcode & 0xf800d001) == 0xf000c000)
		return (opcode & 0xf800d000) | 0x2800 | (CASE_OTHER_SET - 4) / 2;
	if ((opcode & 0xfe5f0000) == 0xf81f0000)
		return (opcode & 0xfffff000) | 0x00800000 | (4 + (uint32_t)random_below(r, 12));
	return opcode;
}

/* Not to be run: system calls, semihosting, a change of byte order, on which the oracle relies. */
static bool is_barred(enum case_isa isa, uint32_t opcode)
{
	if (isa == CASE_A32)
		return (opcode & 0x0f000000) == 0x0f000000 || (opcode & 0x0ff000f0) == 0x01000070 ||
		       (opcode & 0xffff0000) == 0xf1010000;
	return (opcode & 0xffffff00) == 0xdf00 || (opcode & 0xffffffc0) == 0xba80 ||
	       (opcode & 0xfffffff0) == 0xb650;
}

/* CP15 registers that user mode has: of all their numbers hardly any would be hit. */
static uint32_t system_opcode(struct random *r, uint32_t opcode)
{
	static const uint32_t numbers[] = {0x000d0050, 0x000d0070, 0x00070095, 0x000700ba};

	if ((opcode & 0x0f000e10) != 0x0e000e10 || random_below(r, 4) == 0)
		return opcode;
	return (opcode & 0xff10f000) | 0xf10 | numbers[random_below(r, 4)];
}

static uint32_t random_opcode(struct random *r, enum case_isa isa, size_t row)
{
	struct sem_row_info info;
	uint32_t opcode = (uint32_t)random_next(r);
	bool has_row = isa == CASE_A32 ? sem_a32_row(row, &info) : sem_t32_row(row, &info);

	if (has_row)
		opcode = info.match | (opcode & ~info.mask);
	if (!has_row && random_below(r, 2) != 0)
		opcode |= 0xe8000000; /* A32: AL or none; T32: 32 bits */
	if (isa == CASE_T32 && opcode >> 27 < 0x1d && !has_row)
		opcode &= 0xffff; /* a first halfword that is an instruction by itself */
	if (isa == CASE_T32 && opcode < 0x10000 && opcode >> 11 >= 0x1d)
		opcode ^= 0x8000;
	if (isa == CASE_A32 && (!has_row || info.mask >> 28 == 0)) {
		if (has_row && opcode >> 28 == 15)
			opcode ^= (uint32_t)(1 + random_below(r, 15)) << 28;
		if (random_below(r, 2) != 0 && opcode >> 28 != 15)
			opcode = (opcode & 0x0fffffff) | 0xe0000000;
	}
	return system_opcode(r, opcode);
}

static void expand(const struct test_case *c, uint64_t index, struct uop_builder *b)
{
	uint32_t opcode = c->opcodes[c->count - 1];
	uint32_t address = (uint32_t)case_slot(index);

	if (c->isa == CASE_A32)
		sem_a32(opcode, address + 4 * (c->count - 1), b);
	else
		sem_t32(opcode, address + (c->count > 1 ? (c->opcodes[0] < 0x10000 ? 2 : 4) : 0),
		        c->it, b);
}

/* An earlier, narrower row may have the opcode, or the row may reject it. */
static bool is_wanted(enum case_isa isa, uint32_t opcode, size_t row)
{
	static struct uop_builder builder;
	struct test_case c = {.opcodes = {opcode}, .count = 1, .isa = isa, .it = SEM_NO_IT};

	if (is_barred(isa, opcode) ||
	    (isa == CASE_A32 ? sem_a32_row_of(opcode) : sem_t32_row_of(opcode)) != row)
		return false;
	expand(&c, 0, &builder);
	return (builder.insn.flags & UOP_NOT_IN_TABLE) == 0;
}

static struct bits read_pattern(void *context, uint64_t address, unsigned int size)
{
	uint64_t value = 0;

	(void)context;
	if (address - DATA_BASE >= DATA_SIZE - 8)
		return (struct bits){0, 0};
	for (unsigned int i = 0; i < size; i++) {
		uint64_t at = address + i - DATA_BASE;

		value |= (case_pattern(at / 8) >> at % 8 * 8 & 0xff) << 8 * i;
	}
	return bits_of(value);
}

/* An opcode that is not in the tables may write the PC, and what then runs is anybody's guess. */
static bool may_write_pc(uint32_t opcode)
{
	return (opcode & 0xf000) == 0xf000 || (opcode & 0xf0000) == 0xf0000 ||
	       (opcode & 0xf00) == 0xf00;
}

/* Where it would go is known, and is not code that it should not run. */
static bool is_safe(const struct test_case *c, uint64_t index)
{
	static struct uop_builder builder;
	static struct uop_run run;
	struct uop_memory memory = {read_pattern, NULL};
	struct bits registers[REG_COUNT] = {{0, 0}};
	const struct uop_branch *branch = &builder.insn.branch;
	struct bits slot;
	uint64_t target;

	for (unsigned int i = 0; i < 15; i++)
		registers[i] = bits_of(c->state.x[i]);
	registers[REG_NZCV] = bits_of(UINT64_C(1) << c->state.nzcv);
	expand(c, index, &builder);
	if ((builder.insn.flags & UOP_NOT_IN_TABLE) != 0)
		return !may_write_pc(c->opcodes[c->count - 1]);
	if (!uop_run(&builder.insn, registers, &memory, &run))
		return true;
	if (branch->kind == BRANCH_RETURN)
		return false; /* of no use in User mode */
	if (branch->kind != BRANCH_INDIRECT && branch->kind != BRANCH_CONDITIONAL_INDIRECT)
		return true;
	slot = uop_run_slot(&run, branch->slot);
	target = slot.value;
	if (!bits_all_known(&slot, 32))
		return false;
	if (target - case_slot(index) < CASE_SLOT)
		return !branch->interworks;
	/* the last page is the kernel's, and qemu has some around its stack */
	return target - CODE_BASE >= CODE_SIZE && target - ORACLE_BASE >= ORACLE_SIZE &&
	       target - 0x3f000000 >= 0x2000000 && target < 0xffff0000;
}

/* A store-exclusive works only after a load-exclusive of the same bytes. */
static void add_monitor(struct random *r, struct test_case *c)
{
	uint32_t opcode = c->opcodes[0];
	bool is_a32 = c->isa == CASE_A32 && (opcode & 0x0f900ff0) == 0x01800f90;
	bool is_t32 = c->isa == CASE_T32 && (opcode & 0xfff00000) == 0xe8400000;
	bool is_sized = c->isa == CASE_T32 && (opcode & 0xfff000c0) == 0xe8c00040;
	unsigned int spare = 12;

	if ((!is_a32 && !is_t32 && !is_sized) || c->it != SEM_NO_IT || random_below(r, 4) == 0)
		return;
	if (register_at(opcode, 16, 4) == spare)
		return;
	c->opcodes[1] = opcode;
	c->count = 2;
	if (is_a32)
		c->opcodes[0] =
		        (opcode & 0xfff00ff0) | (opcode & 0xf0000) | 0x00100000 | 0xf | spare << 12;
	else if (is_t32)
		c->opcodes[0] = (opcode & 0xffff00ff) | 0x00100f00 | spare << 12;
	else
		c->opcodes[0] = (opcode & 0xffff00f0) | 0x00100f0f | spare << 12;
	if (is_sized && (opcode & 0x30) == 0x30) /* a second register that is not the first */
		c->opcodes[0] = (c->opcodes[0] & ~UINT32_C(0xf00)) |
		                (register_at(opcode, 16, 4) == 11 ? 10U : 11U) << 8;
}

/* Whether T32 allows it in an IT block of one. */
static bool can_be_in_it(uint32_t opcode)
{
	if (opcode < 0x10000)
		return (opcode & 0xff00) != 0xbf00 && (opcode & 0xf500) != 0xb100 &&
		       (opcode & 0xf000) != 0xd000 && (opcode & 0xffe8) != 0xb660 &&
		       (opcode & 0xff00) != 0xbe00 && (opcode & 0xfff7) != 0xb610;
	return (opcode & 0xf800d000) != 0xf0008000 || (opcode >> 22 & 15) >= 14;
}

static void add_it(struct random *r, struct test_case *c)
{
	uint32_t condition = (uint32_t)random_below(r, 15);

	if (c->isa != CASE_T32 || random_below(r, 2) != 0 || !can_be_in_it(c->opcodes[0]))
		return;
	c->opcodes[1] = c->opcodes[0];
	c->opcodes[0] = 0xbf08 | condition << 4;
	c->count = 2;
	c->it = condition;
}

static uint32_t nop_of(enum case_isa isa)
{
	return isa == CASE_A32 ? 0xe320f000 : 0xbf00;
}

static uint32_t choose_opcode(struct random *r, enum case_isa isa, size_t row)
{
	uint32_t opcode = random_opcode(r, isa, row);

	/* one time in eight whatever comes */
	for (unsigned int i = 0; i < 60 && random_below(r, 8) != 0 && !is_wanted(isa, opcode, row);
	     i++)
		opcode = random_opcode(r, isa, row);
	if (is_barred(isa, opcode))
		opcode = nop_of(isa);
	return isa == CASE_A32 ? aim_offset_a32(r, opcode) : aim_offset_t32(r, opcode);
}

void make_case_a32(struct random *r, enum case_isa isa, size_t row, uint64_t index,
                   struct test_case *out)
{
	unsigned int tries = 0;

	do {
		memset(out, 0, sizeof(*out));
		random_state(r, isa, &out->state);
		out->isa = isa;
		out->it = SEM_NO_IT;
		out->count = 1;
		out->opcodes[0] = tries++ < 200 ? choose_opcode(r, isa, row) : nop_of(isa);
		out->row = (uint32_t)(isa == CASE_A32 ? sem_a32_row_of(out->opcodes[0])
		                                      : sem_t32_row_of(out->opcodes[0]));
		aim_memory(r, isa, out->opcodes[0], &out->state);
		add_it(r, out);
	} while (!is_safe(out, index));
	add_monitor(r, out);
}
