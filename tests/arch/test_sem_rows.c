/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the tables that no user-mode program can show, by hand: sem_case_a64.def and the like. */
#include "tests/arch/sem_case.h"

static const struct sem_case a64_cases[] = {
#define X(row, text, opcode, flags, went, ...) {#row, text, opcode, flags, went, {__VA_ARGS__}},
#include "tests/arch/sem_case_a64.def"
};

static const struct sem_case a32_cases[] = {
#include "tests/arch/sem_case_a32.def"
};

static const struct sem_case t32_cases[] = {
#include "tests/arch/sem_case_t32.def"
#undef X
};

typedef bool row_function(size_t index, struct sem_row_info *row);

static void check_row(row_function *row, size_t number, const struct sem_case *of)
{
	struct sem_row_info info;

	if (!row(number, &info) || strcmp(info.name, of->row) != 0)
		fail_msg("%s is not of row %s", of->text, of->row);
}

static void a64_rows_do_what_the_manual_says(void **state)
{
	static struct case_run r;

	(void)state;
	for (size_t i = 0; i < sizeof(a64_cases) / sizeof(a64_cases[0]); i++) {
		check_row(sem_a64_row, sem_a64_row_of(a64_cases[i].opcode), &a64_cases[i]);
		sem_a64(a64_cases[i].opcode, CASE_ADDRESS, &r.builder);
		check_case(&r, &a64_cases[i], false);
	}
}

static void a32_rows_do_what_the_manual_says(void **state)
{
	static struct case_run r;

	(void)state;
	for (size_t i = 0; i < sizeof(a32_cases) / sizeof(a32_cases[0]); i++) {
		check_row(sem_a32_row, sem_a32_row_of(a32_cases[i].opcode), &a32_cases[i]);
		sem_a32(a32_cases[i].opcode, CASE_ADDRESS, &r.builder);
		check_case(&r, &a32_cases[i], true);
	}
}

static void t32_rows_do_what_the_manual_says(void **state)
{
	static struct case_run r;

	(void)state;
	for (size_t i = 0; i < sizeof(t32_cases) / sizeof(t32_cases[0]); i++) {
		check_row(sem_t32_row, sem_t32_row_of(t32_cases[i].opcode), &t32_cases[i]);
		sem_t32(t32_cases[i].opcode, CASE_ADDRESS, SEM_NO_IT, &r.builder);
		check_case(&r, &t32_cases[i], true);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a64_rows_do_what_the_manual_says),
	        cmocka_unit_test(a32_rows_do_what_the_manual_says),
	        cmocka_unit_test(t32_rows_do_what_the_manual_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
