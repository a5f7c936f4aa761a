/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Knowledge that instructions keep: with all registers and all of memory known, what an instruction
 * makes is known, but for what sem_losses.def names. That what is known is also right is shown by
 * tests/semantics.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arch/uop/uop_run.h"
#include "tests/support/opcode_rows.h"

enum {
	OPCODES = 1000, /* a row */
	ADDRESS = 0x10000,
	BITS_OF_A_VECTOR = 256,
};

/* What an instruction can leave unknown. */
enum loss {
	NOTHING = 0,
	GENERAL = 1, /* a general register, or one of another mode */
	FLAGS = 2,
	PSTATE = 4, /* all else of PSTATE */
	FPSR = 8,
	VECTORS = 16,
	PREDICATES = 32, /* how far one of SVE reaches */
	SYSTEM = 64,     /* an SP, ELR or SPSR of another level, a TPIDR, the vector length; A32:
	                    the mode, an SPSR, LR_usr */
	MEMORY = 128,
	BRANCH = 256, /* whether or where to it branches */
	ALL = 512,    /* all registers */
};

enum isa_of_row { ROW_A64, ROW_A32, ROW_T32 };

struct row_loss {
	enum isa_of_row isa;
	const char *row;
	unsigned int losses;
	unsigned int exact; /* per mille of its opcodes that lose nothing */
};

static const struct row_loss known_losses[] = {
#define X(isa, row, losses, exact, reason) {ROW_##isa, #row, losses, exact},
#include "tests/arch/sem_losses.def"
#undef X
};

typedef bool row_function(size_t index, struct sem_row_info *row);
typedef size_t row_of_function(uint32_t opcode);

static row_function *const rows[] = {sem_a64_row, sem_a32_row, sem_t32_row};
static row_of_function *const row_numbers[] = {sem_a64_row_of, sem_a32_row_of, sem_t32_row_of};
static const char *const isa_names[] = {"A64", "A32", "T32"};

static uint64_t next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 32 ^ *state << 13;
}

static struct bits read_all(void *context, uint64_t address, unsigned int size)
{
	(void)context;
	return (struct bits){(address * UINT64_C(0x9e3779b97f4a7c15)) & bits_mask(8 * size),
	                     bits_mask(8 * size)};
}

/* Each of the modes that have registers which are followed. */
static void set_modes(struct bits registers[REG_COUNT], uint64_t random)
{
	static const uint8_t modes[] = {A32_USR, A32_FIQ, A32_IRQ, A32_SVC,
	                                A32_ABT, A32_HYP, A32_UND, A32_SYS};

	registers[REG_A32_MODE] = bits_of(modes[next_random(&random) % 8]);
	for (unsigned int reg = REG_A32_SPSR; reg <= REG_A32_SPSR_UND; reg++)
		registers[reg] = bits_of((next_random(&random) & 0xffffffe0) |
		                         modes[next_random(&random) % 8]);
}

static void set_registers(struct bits registers[REG_COUNT], enum isa_of_row isa, uint64_t *random)
{
	for (unsigned int reg = 0; reg < REG_COUNT; reg++)
		registers[reg] = bits_of(next_random(random));
	for (unsigned int reg = 0; reg <= REG_SP && isa != ROW_A64; reg++)
		registers[reg].value &= UINT32_MAX;
	registers[REG_NZCV] = bits_of(UINT64_C(1) << next_random(random) % 16);
	registers[REG_A32_GE].value &= 15;
	if (isa == ROW_A64)
		registers[REG_VL] = bits_of(BITS_OF_A_VECTOR / 8);
	registers[REG_DCZID] = bits_of(4);
	for (unsigned int reg = REG_P0; reg < REG_NAMED_END; reg++)
		registers[reg] = bits_of(BITS_OF_A_VECTOR / 8);
	if (isa != ROW_A64)
		set_modes(registers, *random);
}

static unsigned int loss_of(bool is_aarch32, unsigned int reg)
{
	if (is_aarch32 && reg >= REG_A32_MODE && reg <= REG_A32_SCR)
		return SYSTEM;
	if (reg <= REG_SP)
		return GENERAL;
	if (reg >= REG_V0)
		return VECTORS;
	if (reg >= REG_P0)
		return PREDICATES;
	switch (reg) {
	case REG_NZCV:
		return FLAGS;
	case REG_PSTATE:
		return PSTATE;
	case REG_FPSR:
	case REG_FPCR:
		return FPSR;
	default:
		return SYSTEM;
	}
}

static bool is_known(const struct uop_run *run, unsigned int slot, unsigned int width)
{
	struct bits value = uop_run_slot(run, slot);

	return bits_all_known(&value, width);
}

static unsigned int access_losses(const struct uop_run *run, const struct uop_access *access)
{
	struct bits happens = uop_run_happens(run, access);
	struct bits address = uop_run_address(run, access);

	if (happens.known != 0 && happens.value == 0)
		return 0;
	if (access->kind == ACCESS_LOAD)
		return 0; /* a register that it leaves unknown is one that counts */
	if ((happens.known & 1) == 0 || !bits_all_known(&address, 64) ||
	    access->kind == ACCESS_CLOBBER || !is_known(run, access->data, 8U * access->size))
		return MEMORY;
	return 0;
}

static unsigned int branch_losses(const struct uop_run *run, const struct uop_branch *branch)
{
	switch (branch->kind) {
	case BRANCH_CONDITIONAL:
		return branch->slot == SLOT_NONE || !is_known(run, branch->slot, 1) ? BRANCH : 0;
	case BRANCH_INDIRECT:
		return is_known(run, branch->slot, branch->target_bits) &&
		                       branch->target_bits >= 32 &&
		                       (!branch->interworks || is_known(run, branch->state, 1))
		               ? 0
		               : BRANCH;
	case BRANCH_RETURN:
	case BRANCH_EXCEPTION:
		return BRANCH;
	default:
		return 0;
	}
}

static unsigned int losses_of(const struct uop_insn *insn, const struct bits *registers)
{
	static struct uop_run run;
	struct uop_memory memory = {read_all, NULL};
	unsigned int losses = 0;

	assert_true(uop_run(insn, registers, &memory, &run));
	if ((insn->flags & UOP_KILLS_REGISTERS) != 0)
		losses |= ALL;
	if ((insn->flags & UOP_KILLS_MEMORY) != 0)
		losses |= MEMORY;
	for (size_t i = 0; i < insn->def_count; i++) {
		if (!is_known(&run, insn->defs[i].slot, 64))
			losses |= loss_of((insn->flags & UOP_AARCH32) != 0, insn->defs[i].reg);
	}
	for (size_t i = 0; i < insn->access_count; i++)
		losses |= access_losses(&run, &insn->accesses[i]);
	return losses | branch_losses(&run, &insn->branch);
}

static void expand(enum isa_of_row isa, uint32_t opcode, struct uop_builder *builder)
{
	if (isa == ROW_A64)
		sem_a64(opcode, ADDRESS, builder);
	else if (isa == ROW_A32)
		sem_a32(opcode, ADDRESS, builder);
	else
		sem_t32(opcode, ADDRESS, SEM_NO_IT, builder);
}

struct score {
	unsigned int losses;
	unsigned int tried; /* those that are an instruction */
	unsigned int exact;
};

/* A random opcode of the row; of A32 one that is executed always. */
static uint32_t opcode_of(enum isa_of_row isa, const struct sem_row_info *info, uint64_t *random)
{
	uint32_t mask = info->mask;
	uint32_t match = info->match;

	if (isa == ROW_A32 && mask >> 28 == 0) {
		mask |= UINT32_C(0xf0000000);
		match |= UINT32_C(0xe0000000);
	}
	return match | ((uint32_t)next_random(random) & ~mask);
}

static struct score score_of(enum isa_of_row isa, size_t row, const struct sem_row_info *info)
{
	static struct uop_builder builder;
	static struct bits registers[REG_COUNT];
	struct score score = {0};
	uint64_t random = info->match * UINT64_C(77) + isa;

	for (unsigned int i = 0; i < OPCODES; i++) {
		uint32_t opcode = opcode_of(isa, info, &random);
		unsigned int losses;

		set_registers(registers, isa, &random);
		expand(isa, opcode, &builder);
		if (row_numbers[isa](opcode) != row || (builder.insn.flags & UOP_NOT_IN_TABLE) != 0)
			continue;
		losses = losses_of(&builder.insn, registers);
		score.losses |= losses;
		score.tried++;
		score.exact += losses == 0;
	}
	return score;
}

static const struct row_loss *loss_known(enum isa_of_row isa, const char *row)
{
	for (size_t i = 0; i < sizeof(known_losses) / sizeof(known_losses[0]); i++) {
		if (known_losses[i].isa == isa && strcmp(known_losses[i].row, row) == 0)
			return &known_losses[i];
	}
	return NULL;
}

/* Says all that differs before it fails. */
static bool check_row(enum isa_of_row isa, size_t row, const struct sem_row_info *info)
{
	static const struct row_loss none = {.exact = 1000};
	const struct row_loss *known = loss_known(isa, info->name);
	struct score score = score_of(isa, row, info);
	unsigned int share = score.tried == 0 ? 0 : score.exact * 1000 / score.tried;

	if (!known)
		known = &none;
	if (score.losses == known->losses && share == known->exact)
		return true;
	print_message("%s %s: loses %#x, %u per mille of %u exact; expected %#x, %u\n",
	              isa_names[isa], info->name, score.losses, share, score.tried, known->losses,
	              known->exact);
	return false;
}

static void instructions_lose_only_what_is_listed(void **state)
{
	struct sem_row_info info;
	unsigned int failures = 0;

	(void)state;
	for (unsigned int isa = ROW_A64; isa <= ROW_T32; isa++) {
		for (size_t row = 0; rows[isa](row, &info); row++)
			failures += !check_row((enum isa_of_row)isa, row, &info);
	}
	assert_int_equal(failures, 0);
}

static bool has_row(const struct row_loss *loss)
{
	struct sem_row_info info;

	for (size_t row = 0; rows[loss->isa](row, &info); row++) {
		if (strcmp(info.name, loss->row) == 0)
			return true;
	}
	return false;
}

static void what_is_listed_is_in_the_tables(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(known_losses) / sizeof(known_losses[0]); i++) {
		if (!has_row(&known_losses[i]))
			fail_msg("no row %s", known_losses[i].row);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(what_is_listed_is_in_the_tables),
	        cmocka_unit_test(instructions_lose_only_what_is_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
