/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of exceptions against the lists of IHI 0064 (ETMv4), IHI 0035 (PTM) and IHI 0014
 * (ETMv3), written here a second time in another form: a letter a number.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arch/exception.h"

static const char letters[] = "?CFDMISERHL"; /* in the order of enum exception_kind */

/* Kinds of the numbers from 0 on; '.' is a reserved number. Those from `irqs` on are interrupts. */
static void check(enum exception_numbering numbering, const char *kinds, uint32_t irqs,
                  uint32_t last_irq)
{
	size_t count = strlen(kinds);

	for (uint32_t n = 0; n < 0x500; n++) {
		const struct exception_info *info = exception_find(numbering, n);
		char expected = n >= irqs && n <= last_irq ? 'I' : '.';

		if (n < count)
			expected = kinds[n];
		if (expected == '.') {
			assert_null(info);
			assert_int_equal(exception_kind_of(info), EXCEPTION_OTHER);
			continue;
		}
		assert_non_null(info);
		assert_int_equal(info->numbering, numbering);
		assert_int_equal(letters[exception_kind_of(info)], expected);
	}
}

static void numbers_are_those_of_the_protocols(void **state)
{
	(void)state;
	assert_int_equal(strlen(letters), EXCEPTION_KINDS);
	check(EXCEPTIONS_NONE, "", 1, 0);
	check(EXCEPTIONS_ETM4, "RHCFEFFDFFFFD.II", 1, 0);
	check(EXCEPTIONS_ETM4_M, ".RSFFFF....CM.SIIIIIIIIIH?L", 0x208, 0x3ef);
	check(EXCEPTIONS_ETM3, "?H??EF??RFCFDFII", 1, 0);
	check(EXCEPTIONS_ETM3_OLD, "RI..FIEH", 1, 0);
	check(EXCEPTIONS_ETM3_M, ".IIIIIIIIFSCMFSI.R.F.F..", 0x18, 0x1ff);
}

static void no_two_rows_have_a_number_in_common(void **state)
{
	static const struct {
		enum exception_numbering numbering;
		uint32_t first;
		uint32_t last;
	} rows[] = {
#define X(numbering, number, kind, name, fault)      {EXCEPTIONS_##numbering, number, number},
#define R(numbering, first, last, kind, name, index) {EXCEPTIONS_##numbering, first, last},
#include "arch/exception.def"
	};
	size_t count = sizeof(rows) / sizeof(rows[0]);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		assert_true(rows[i].first <= rows[i].last);
		for (size_t k = 0; k < i; k++)
			assert_true(rows[i].numbering != rows[k].numbering ||
			            rows[i].first > rows[k].last || rows[i].last < rows[k].first);
	}
}

static void synchronous_are_those_that_an_instruction_causes(void **state)
{
	(void)state;
	for (unsigned int kind = 0; kind < EXCEPTION_KINDS; kind++) {
		assert_int_equal(exception_is_synchronous((enum exception_kind)kind),
		                 strchr("CFDML", letters[kind]) != NULL);
		assert_int_equal(exception_is_fault((enum exception_kind)kind),
		                 strchr("FD", letters[kind]) != NULL);
	}
}

/* A64: sixteen, of which every fourth is synchronous; the others by letters as above. */
static void vectors_tell_what_is_synchronous(void **state)
{
	static const char a32[] = "RFCFDFII";
	static const char m[] = ".RSFFFF....CM.SII";

	(void)state;
	for (int64_t v = -1; v < 0x900; v++) {
		const struct exception_vector *a64 = exception_vector_find(CORE_A64, v);

		assert_int_equal(a64 != NULL, v >= 0 && v < 0x800 && v % 0x80 == 0);
		if (a64)
			assert_int_equal(exception_is_synchronous(a64->kind), v % 0x200 == 0);
	}
	for (int64_t v = -4; v < 0x24; v++) {
		const struct exception_vector *row = exception_vector_find(CORE_A32, v);

		assert_int_equal(row != NULL, v >= 0 && v < 0x20 && v % 4 == 0);
		if (row)
			assert_int_equal(letters[row->kind], a32[v / 4]);
	}
	for (int64_t v = -1; v < 600; v++) {
		const struct exception_vector *row = exception_vector_find(CORE_M, v);
		char expected = v < 0 ? '.' : m[v < 16 ? v : 16];

		assert_int_equal(row ? letters[row->kind] : '.', expected);
	}
	assert_string_equal(exception_vector_find(CORE_M, 511)->name, "External Interrupt");
	assert_string_equal(exception_vector_find(CORE_A32, 8)->name, "System Call");
	assert_string_equal(exception_vector_find(CORE_A64, 0x480)->name,
	                    "IRQ/vIRQ Lower EL using AArch64");
}

static void assert_name(enum exception_numbering numbering, uint32_t number, const char *expected)
{
	const struct exception_info *info = exception_find(numbering, number);
	struct text text = {0};

	assert_non_null(info);
	exception_format(info, number, &text);
	assert_string_equal(text.data, expected);
	text_fini(&text);
}

static void names_of_ranges_have_the_number_of_the_interrupt(void **state)
{
	(void)state;
	assert_name(EXCEPTIONS_ETM4, 12, "Data Fault");
	assert_name(EXCEPTIONS_ETM4_M, 3, "HardFault");
	assert_name(EXCEPTIONS_ETM4_M, 16, "IRQ0");
	assert_name(EXCEPTIONS_ETM4_M, 23, "IRQ7");
	assert_name(EXCEPTIONS_ETM4_M, 0x208, "IRQ8");
	assert_name(EXCEPTIONS_ETM4_M, 0x3ef, "IRQ495");
	assert_name(EXCEPTIONS_ETM3, 14, "IRQ");
	assert_name(EXCEPTIONS_ETM3_M, 1, "IRQ1");
	assert_name(EXCEPTIONS_ETM3_M, 8, "IRQ0");
	assert_name(EXCEPTIONS_ETM3_M, 0x1ff, "IRQ495");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(numbers_are_those_of_the_protocols),
	        cmocka_unit_test(no_two_rows_have_a_number_in_common),
	        cmocka_unit_test(synchronous_are_those_that_an_instruction_causes),
	        cmocka_unit_test(vectors_tell_what_is_synchronous),
	        cmocka_unit_test(names_of_ranges_have_the_number_of_the_interrupt),
	};

	return cmocka_run_group_tests_name("exception", tests, NULL, NULL);
}
