/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Knowledge that comes backward: of operations that have an inverse an operand that is not known is
 * found from the result, if all else is known. Values are random; what is found is compared with
 * what was hidden. The rest of a table's row is in test_sem_exact.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arch/a32/a32.h"
#include "arch/a64/a64.h"
#include "arch/uop/uop_run.h"

enum { SLOTS = 256, ROUNDS = 50, SWEEPS = 6, ADDRESS = 0x10000 };

enum set { A64, A32, T32 };

struct inverse {
	enum set set;
	const char *text;
	uint32_t opcode;
	unsigned int hidden; /* register */
	uint64_t found;      /* bits that come back, of every value */
};

#define ALL   UINT64_MAX
#define LOW32 UINT64_C(0xffffffff)

static const struct inverse inverses[] = {
#define X(set, text, opcode, hidden, found) {set, text, opcode, hidden, found},
#include "tests/arch/sem_backward.def"
#undef X
};

struct trial {
	struct uop_builder builder;
	struct bits before[REG_COUNT];
	struct bits nodes[SLOTS];
	struct bits none;
};

static uint64_t next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 32 ^ *state << 13;
}

static void expand(struct trial *t, const struct inverse *of)
{
	if (of->set == A64)
		sem_a64(of->opcode, ADDRESS, &t->builder);
	else if (of->set == A32)
		sem_a32(of->opcode, ADDRESS, &t->builder);
	else
		sem_t32(of->opcode, ADDRESS, SEM_NO_IT, &t->builder);
}

static void set_registers(struct trial *t, enum set set, uint64_t *random)
{
	for (unsigned int reg = 0; reg < REG_COUNT; reg++)
		t->before[reg] = bits_of(next_random(random));
	for (unsigned int reg = 0; reg <= REG_SP && set != A64; reg++)
		t->before[reg].value &= UINT32_MAX;
	t->before[REG_NZCV] = bits_of(UINT64_C(1) << next_random(random) % 16);
	t->before[REG_VL] = bits_of(32);
}

static struct bits read_nothing(void *context, uint64_t address, unsigned int size)
{
	(void)context;
	(void)address;
	(void)size;
	return (struct bits){0, 0};
}

static struct bits *node(struct trial *t, unsigned int slot)
{
	if (slot == SLOT_NONE)
		return &t->none;
	if (slot == SLOT_ZERO)
		t->nodes[slot] = bits_of(0);
	else if (slot >= SLOT_CONSTANT)
		t->nodes[slot] = bits_of(t->builder.constants[slot - SLOT_CONSTANT]);
	return &t->nodes[slot];
}

/* Registers after the instruction, and those before it but for one. */
static void hide(struct trial *t, const struct inverse *of)
{
	static struct uop_run run;
	const struct uop_memory memory = {read_nothing, NULL};
	const struct uop_insn *insn = &t->builder.insn;

	assert_true(uop_run(insn, t->before, &memory, &run));
	memset(t->nodes, 0, sizeof(t->nodes));
	memcpy(t->nodes, t->before, sizeof(t->before));
	t->nodes[of->hidden] = (struct bits){0, of->set == A64 || of->hidden > REG_SP ? 0 : ~LOW32};
	for (size_t i = 0; i < insn->def_count; i++)
		*node(t, insn->defs[i].slot) = uop_run_after(&run, insn->defs[i].reg);
}

static void solve(struct trial *t, const struct inverse *of)
{
	const struct uop_insn *insn = &t->builder.insn;

	for (unsigned int sweep = 0; sweep < SWEEPS; sweep++) {
		for (size_t i = insn->op_count; i-- > 0;) {
			const struct uop *op = &insn->ops[i];

			if (!uop_refine(op, node(t, op->dst), node(t, op->a), node(t, op->b),
			                node(t, op->c)))
				fail_msg("%s denies the truth", of->text);
		}
	}
}

static bool comes_back(struct trial *t, const struct inverse *of, uint64_t *random)
{
	struct bits found;
	struct bits truth;

	set_registers(t, of->set, random);
	expand(t, of);
	assert_true((t->builder.insn.flags & UOP_NOT_IN_TABLE) == 0);
	hide(t, of);
	solve(t, of);
	found = t->nodes[of->hidden];
	truth = t->before[of->hidden];
	if ((of->found & ~found.known) == 0 && ((found.value ^ truth.value) & found.known) == 0)
		return true;
	print_message("%s: of %#llx is found %#llx in %#llx, not all of %#llx\n", of->text,
	              (unsigned long long)truth.value, (unsigned long long)found.value,
	              (unsigned long long)found.known, (unsigned long long)of->found);
	return false;
}

static void operand_comes_back_from_the_result(void **state)
{
	static struct trial t;
	uint64_t random = 1;
	size_t failures = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(inverses) / sizeof(inverses[0]); i++) {
		unsigned int round = 0;

		while (round < ROUNDS && comes_back(&t, &inverses[i], &random))
			round++;
		failures += round < ROUNDS;
	}
	assert_int_equal(failures, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(operand_comes_back_from_the_result),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
