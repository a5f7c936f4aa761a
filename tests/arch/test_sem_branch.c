/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Branches as the decoder follows them (arch/insn.h) and as values are learned from them (a64.h)
 * must go to the same place and return to the same. Those of T32 are also compared with the manual:
 * qemu runs no branch that goes far.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arch/a32/a32.h"
#include "arch/a64/a64.h"
#include "arch/insn.h"

enum { OPCODES = 400000 / TEST_SHARE, ADDRESS = 0x40008002 };

static struct uop_builder builder;
static const struct insn_options no_options;

static const struct uop_insn *expand(enum isa isa, uint32_t opcode, uint64_t address)
{
	if (isa == ISA_A64)
		sem_a64(opcode, address, &builder);
	else if (isa == ISA_A32)
		sem_a32(opcode, (uint32_t)address, &builder);
	else
		sem_t32(opcode, (uint32_t)address, SEM_NO_IT, &builder);
	return &builder.insn;
}

static struct insn classify(enum isa isa, uint32_t opcode, uint64_t address)
{
	struct insn insn;

	if (isa == ISA_A64)
		insn_a64_classify(opcode, address, &no_options, &insn);
	else if (isa == ISA_A32)
		insn_a32_classify(opcode, address, &no_options, &insn);
	else
		insn_t32_classify(opcode, address, &no_options, &insn);
	return insn;
}

static bool is_direct(const struct uop_branch *branch)
{
	return branch->kind == BRANCH_DIRECT || branch->kind == BRANCH_CONDITIONAL;
}

static unsigned int link_register(enum isa isa)
{
	return isa == ISA_A64 ? REG_LR : 14;
}

/* What it says of the address to return to, with T in bit 0. */
static void check_link(enum isa isa, uint32_t opcode, uint64_t address, const struct insn *insn)
{
	unsigned int slot = uop_insn_after(&builder.insn, link_register(isa));
	uint64_t next = address + insn->size + (isa == ISA_T32);

	if (!insn->is_link)
		return;
	/* a condition selects it, in the operation that makes the slot */
	for (size_t i = 0; i < builder.insn.op_count && slot < SLOT_CONSTANT; i++) {
		if (builder.insn.ops[i].dst == slot && builder.insn.ops[i].op == UOP_SELECT)
			slot = builder.insn.ops[i].a;
	}
	if (slot < SLOT_CONSTANT || slot >= SLOT_ZERO ||
	    builder.insn.constants[slot - SLOT_CONSTANT] != next)
		fail_msg("%08x does not return to %llx", opcode, (unsigned long long)next);
}

/* True if it is a direct branch. */
static bool check_target(enum isa isa, uint32_t opcode, uint64_t address)
{
	const struct uop_insn *ours = expand(isa, opcode, address);
	struct insn insn = classify(isa, opcode, address);

	if ((ours->flags & UOP_NOT_IN_TABLE) != 0)
		return false;
	if ((insn.class == INSN_BRANCH) != is_direct(&ours->branch))
		fail_msg("%08x is a branch for one of the two", opcode);
	if (insn.class != INSN_BRANCH)
		return false;
	if (ours->branch.target != insn.target)
		fail_msg("%08x goes to %llx and to %llx", opcode,
		         (unsigned long long)ours->branch.target, (unsigned long long)insn.target);
	check_link(isa, opcode, address, &insn);
	return true;
}

static uint32_t next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 32);
}

static void flow_and_semantics_go_to_the_same_place(void **state)
{
	static const enum isa isas[] = {ISA_A64, ISA_A32, ISA_T32};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		uint64_t random = i;
		unsigned int branches = 0;

		for (unsigned int n = 0; n < OPCODES; n++) {
			uint32_t opcode = next_random(&random);
			uint64_t address = isas[i] == ISA_T32 ? ADDRESS : ADDRESS - 2;

			if (isas[i] == ISA_T32 && n % 2 == 0) /* B, BL and BLX, all of them */
				opcode = (opcode & 0x07ffffff) | 0xf0008000;
			else if (isas[i] == ISA_T32 && opcode < 0xe8000000)
				opcode >>= 16;
			branches += check_target(isas[i], opcode, address);
		}
		print_message("%u branches\n", branches);
		assert_true(branches > OPCODES / 40);
	}
}

struct target {
	uint32_t opcode;
	uint32_t address;
	uint32_t target;
};

/* Sign, J1 and J2 of branches, by F5.1.18 and F5.1.25 of the Arm ARM. */
static void t32_branches_go_where_the_manual_says(void **state)
{
	static const struct target cases[] = {
	        {0xd07f, 0x8000, 0x8102},           /* BEQ: 254 on */
	        {0xd080, 0x8000, 0x7f04},           /* 256 back */
	        {0xe3ff, 0x8000, 0x8802},           /* B: 2046 on */
	        {0xe400, 0x8000, 0x7804},           /* 2048 back */
	        {0xf03fafff, 0x100000, 0x200002},   /* BEQ.W: 1 MiB - 2 on */
	        {0xf4008000, 0x8000100, 0x7f00104}, /* 1 MiB back */
	        {0xf0008800, 0x8000, 0x88004},      /* J2 is bit 19 */
	        {0xf000a000, 0x8000, 0x48004},      /* J1 is bit 18 */
	        {0xf3ff97ff, 0x8000, 0x1008002},    /* B.W: 16 MiB - 2 on */
	        {0xf4009000, 0x1008000, 0x8004},    /* 16 MiB back */
	        {0xf3ffd7ff, 0x8000, 0x1008002},    /* BL */
	        {0xf7fffffe, 0x8000, 0x8000},
	        {0xf000e800, 0x8002, 0x8004}, /* BLX: from the aligned PC */
	        {0xf3ffc7fe, 0x8002, 0x1008000},
	        {0xf400c000, 0x1008002, 0x8004},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct uop_insn *insn = expand(ISA_T32, cases[i].opcode, cases[i].address);

		if (!is_direct(&insn->branch) || insn->branch.target != cases[i].target)
			fail_msg("%08x goes to %llx, not to %x", cases[i].opcode,
			         (unsigned long long)insn->branch.target, cases[i].target);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(flow_and_semantics_go_to_the_same_place),
	        cmocka_unit_test(t32_branches_go_where_the_manual_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
