/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which opcodes belong to which row: capstone is asked what they are. Of each row of the tables
 * some opcodes are drawn, and in each of them each bit is toggled; what comes of it must be an
 * instruction that sem_name.def has for the row that takes it, and what capstone has a name for
 * must have a row. So a mask with a bit too many loses opcodes and one with a bit too few takes
 * those of others.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <capstone/capstone.h>

#include "tests/support/opcode_rows.h"

enum {
	DRAWN = 96, /* opcodes of a row */
	ADDRESS = 0x10000,
	NAME_SIZE = 32,
	CAPSTONE_MAJOR = 4,
	SKIPPED = 77,
};

enum isa_of_row { ROW_A64, ROW_A32, ROW_T32 };

struct row_names {
	enum isa_of_row isa;
	const char *row;
	const char *names;
};

/* What capstone takes for an instruction though it is none. */
struct no_opcode {
	enum isa_of_row isa;
	uint32_t mask;
	uint32_t match;
	uint32_t bits;
	uint32_t are;
	const char *names;
};

static const struct row_names known_names[] = {
#define NOT(isa, mask, match, bits, are, names)
#define X(isa, row, names) {ROW_##isa, #row, names},
#include "tests/arch/sem_name.def"
#undef X
#undef NOT
};

static const struct no_opcode no_opcodes[] = {
#define X(isa, row, names)
#define NOT(isa, mask, match, bits, are, names) {ROW_##isa, mask, match, bits, are, names},
#include "tests/arch/sem_name.def"
#undef NOT
#undef X
};

struct encoding {
	enum isa_of_row isa;
	const char *row;
	uint32_t mask;
	uint32_t match;
	const char *name;
};

/* Without a row: no instruction. */
static const struct encoding encodings[] = {
#define NONE(isa, mask, match)         {ROW_##isa, NULL, mask, match, NULL},
#define X(isa, row, mask, match, name) {ROW_##isa, #row, mask, match, name},
#include "tests/arch/sem_encoding.def"
#undef X
#undef NONE
};

typedef bool row_function(size_t index, struct sem_row_info *row);
typedef size_t row_of_function(uint32_t opcode);

static row_function *const rows[] = {sem_a64_row, sem_a32_row, sem_t32_row};
static row_of_function *const row_numbers[] = {sem_a64_row_of, sem_a32_row_of, sem_t32_row_of};
static const char *const isa_names[] = {"A64", "A32", "T32"};

struct world {
	enum isa_of_row isa;
	csh handle;
	struct uop_builder builder;
	unsigned int wrong;
};

static uint32_t next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 32);
}

/* "*" is any name. */
static bool has_name(const char *names, const char *name)
{
	size_t length = strlen(name);

	if (strcmp(names, "*") == 0)
		return true;
	for (const char *at = strstr(names, name); at; at = strstr(at + 1, name)) {
		if ((at == names || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
			return true;
	}
	return false;
}

static bool is_wide(uint32_t opcode)
{
	return opcode >> 16 != 0;
}

/* A T32 opcode is wide if its first halfword says so, and only then. */
static bool is_opcode(enum isa_of_row isa, uint32_t opcode)
{
	uint32_t first = is_wide(opcode) ? opcode >> 16 : opcode;

	return isa != ROW_T32 || is_wide(opcode) == (first >= 0xe800);
}

/* Capstone 4 looks for the vector instructions of Armv8 among T32 opcodes of all kinds. */
static bool is_misread_vector(uint32_t opcode, const char *name)
{
	if (strncmp(name, "sha", 3) == 0 || strncmp(name, "aes", 3) == 0)
		return opcode >> 28 != 0xf || (opcode >> 24 & 0xf) != 0xf;
	return name[0] == 'v' && (opcode & 0xec000000) != 0xec000000 && opcode >> 24 != 0xf9;
}

/* What capstone calls it, without its condition; "?" if it does not know it. */
static void name_of(const struct world *w, uint32_t opcode, char name[NAME_SIZE])
{
	bool is_short = w->isa == ROW_T32 && !is_wide(opcode);
	uint32_t bytes = w->isa == ROW_T32 && !is_short ? opcode << 16 | opcode >> 16 : opcode;
	const uint8_t code[4] = {(uint8_t)bytes, (uint8_t)(bytes >> 8), (uint8_t)(bytes >> 16),
	                         (uint8_t)(bytes >> 24)};
	size_t size = is_short ? 2 : 4;
	cs_insn *insn = NULL;
	size_t count = cs_disasm(w->handle, code, size, ADDRESS, 1, &insn);

	(void)snprintf(name, NAME_SIZE, "?");
	if (count == 1 && insn->size == size)
		(void)snprintf(name, NAME_SIZE, "%s", cs_insn_name(w->handle, insn->id));
	/* Without op0 there is no system register, but capstone says "s3_0_c1_c0_0". */
	if ((count == 1 && w->isa == ROW_A64 && (opcode & 0xffd80000) == 0xd5000000 &&
	     strstr(insn->op_str, "s3_")) ||
	    (w->isa == ROW_T32 && is_misread_vector(opcode, name)))
		(void)snprintf(name, NAME_SIZE, "?");
	if (count > 0)
		cs_free(insn, count);
}

static const struct row_names *names_of(enum isa_of_row isa, const char *row)
{
	for (size_t i = 0; i < sizeof(known_names) / sizeof(known_names[0]); i++) {
		if (known_names[i].isa == isa && strcmp(known_names[i].row, row) == 0)
			return &known_names[i];
	}
	return NULL;
}

static bool is_no_opcode(enum isa_of_row isa, uint32_t opcode, const char *name)
{
	for (size_t i = 0; i < sizeof(no_opcodes) / sizeof(no_opcodes[0]); i++) {
		const struct no_opcode *no = &no_opcodes[i];

		if (no->isa == isa && (opcode & no->mask) == no->match &&
		    (opcode & no->bits) != no->are && has_name(no->names, name))
			return true;
	}
	return false;
}

static bool is_rejected(struct world *w, uint32_t opcode)
{
	if (w->isa == ROW_A64)
		sem_a64(opcode, ADDRESS, &w->builder);
	else if (w->isa == ROW_A32)
		sem_a32(opcode, ADDRESS, &w->builder);
	else
		sem_t32(opcode, ADDRESS, SEM_NO_IT, &w->builder);
	return (w->builder.insn.flags & UOP_NOT_IN_TABLE) != 0;
}

/* What capstone knows may be unpredictable, so that its row rejects it. */
static void check_opcode(struct world *w, uint32_t opcode)
{
	struct sem_row_info info = {.name = "(none)"};
	const struct row_names *known;
	char name[NAME_SIZE];

	if (!is_opcode(w->isa, opcode))
		return;
	(void)rows[w->isa](row_numbers[w->isa](opcode), &info);
	name_of(w, opcode, name);
	known = names_of(w->isa, info.name);
	if (known && has_name(known->names, name))
		return;
	if (is_rejected(w, opcode) &&
	    (strcmp(name, "?") == 0 || is_no_opcode(w->isa, opcode, name)))
		return;
	if (w->wrong++ < 10)
		print_error("%s %08x: %s in row %s\n", isa_names[w->isa], opcode, name, info.name);
}

static void check_row(struct world *w, const struct sem_row_info *row)
{
	uint64_t random = row->match;

	if (!names_of(w->isa, row->name))
		fail_msg("sem_name.def lacks %s of %s", row->name, isa_names[w->isa]);
	for (unsigned int i = 0; i < DRAWN; i++) {
		uint32_t opcode = row->match | (next_random(&random) & ~row->mask);

		check_opcode(w, opcode);
		for (unsigned int bit = 0; bit < 32; bit++)
			check_opcode(w, opcode ^ UINT32_C(1) << bit);
	}
}

static void check_table(enum isa_of_row isa, cs_arch arch, unsigned int mode)
{
	static struct world w;
	struct sem_row_info row;

	w = (struct world){.isa = isa};
	assert_int_equal(cs_open(arch, (cs_mode)mode, &w.handle), CS_ERR_OK);
	for (size_t i = 0; rows[isa](i, &row); i++)
		check_row(&w, &row);
	(void)cs_close(&w.handle);
	assert_int_equal(w.wrong, 0);
}

static void a64_opcodes_have_the_row_of_their_instruction(void **state)
{
	(void)state;
	check_table(ROW_A64, CS_ARCH_ARM64, CS_MODE_ARM);
}

static void a32_opcodes_have_the_row_of_their_instruction(void **state)
{
	(void)state;
	check_table(ROW_A32, CS_ARCH_ARM, CS_MODE_ARM | CS_MODE_V8);
}

static void t32_opcodes_have_the_row_of_their_instruction(void **state)
{
	(void)state;
	check_table(ROW_T32, CS_ARCH_ARM, CS_MODE_THUMB | CS_MODE_V8);
}

static void check_encoded(const struct encoding *encoding, uint32_t opcode)
{
	static struct world w;
	struct sem_row_info info = {.name = "(none)"};

	(void)rows[encoding->isa](row_numbers[encoding->isa](opcode), &info);
	w.isa = encoding->isa;
	if (!encoding->row && !is_rejected(&w, opcode))
		fail_msg("%s %08x in row %s", isa_names[encoding->isa], opcode, info.name);
	if (encoding->row && strcmp(info.name, encoding->row) != 0)
		fail_msg("%s %08x: %s in row %s", isa_names[encoding->isa], opcode, encoding->name,
		         info.name);
}

static void opcodes_that_capstone_does_not_know_have_a_row(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(encodings) / sizeof(encodings[0]); i++) {
		const struct encoding *encoding = &encodings[i];
		uint64_t random = encoding->match;

		for (unsigned int k = 0; k < DRAWN; k++) {
			uint32_t opcode =
			        encoding->match | (next_random(&random) & ~encoding->mask);

			/* In A32 1111 is no condition. */
			if (encoding->isa == ROW_A32 && encoding->mask >> 28 == 0)
				opcode &= ~(UINT32_C(1) << 31);
			check_encoded(encoding, opcode);
		}
	}
}

int main(void)
{
	int major, minor;
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a64_opcodes_have_the_row_of_their_instruction),
	        cmocka_unit_test(a32_opcodes_have_the_row_of_their_instruction),
	        cmocka_unit_test(t32_opcodes_have_the_row_of_their_instruction),
	        cmocka_unit_test(opcodes_that_capstone_does_not_know_have_a_row),
	};

	cs_version(&major, &minor);
	if (major != CAPSTONE_MAJOR) {
		printf("SKIPPED: the names are those of capstone %d, this is %d\n", CAPSTONE_MAJOR,
		       major);
		return SKIPPED;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
