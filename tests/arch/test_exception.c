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
#define X(numbering, number, kind, name, fault, entry) {EXCEPTIONS_##numbering, number, number},
#define R(numbering, first, last, kind, name, index)   {EXCEPTIONS_##numbering, first, last},
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
	for (int64_t v = -12; v < 0x24; v++) {
		const struct exception_vector *row = exception_vector_find(CORE_A32, v);

		assert_int_equal(row != NULL, v >= -8 && v < 0x20 && v % 4 == 0);
		if (row)
			assert_int_equal(letters[row->kind], v < 0 ? 'F' : a32[v / 4]);
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

/* -1: none is said. */
static int64_t vector_of(enum exception_numbering numbering, uint32_t number,
                         struct exception_target target)
{
	const struct exception_info *info = exception_find(numbering, number);
	int64_t vector;

	assert_non_null(info);
	return exception_vector_of(info, number, &target, &vector) ? vector : -1;
}

/* Arm ARM D1.10.2, from the same level: by the address that it led to. */
static void vector_of_a64_is_said_by_its_address_or_its_levels(void **state)
{
	static const int64_t offsets[16] = {-1, -1, 0, 0, 0x180, -1, 0,     0,
	                                    -1, -1, 0, 0, 0,     -1, 0x080, 0x100};

	(void)state;
	for (uint32_t n = 0; n < 16; n++) {
		for (uint64_t low = 0; low < 0x800 && n != 13; low += 0x20) {
			bool fits = offsets[n] >= 0 && (int64_t)low % 0x200 == offsets[n];
			struct exception_target target = {true, true, 0xffff0000 + low,
			                                  -1,   -1,   false};

			assert_int_equal(vector_of(EXCEPTIONS_ETM4, n, target),
			                 fits ? (int64_t)low : -1);
			/* Of the same level it is in the first half, else in the second. */
			target.level = target.from = 1;
			assert_int_equal(vector_of(EXCEPTIONS_ETM4, n, target),
			                 fits && low < 0x400 ? (int64_t)low : -1);
		}
		/* EL0 of either width to EL1; the address is not known. */
		if (n != 13) {
			assert_int_equal(
			        vector_of(EXCEPTIONS_ETM4, n,
			                  (struct exception_target){false, true, 0, 1, 0, true}),
			        offsets[n] < 0 ? -1 : 0x400 + offsets[n]);
			assert_int_equal(
			        vector_of(EXCEPTIONS_ETM4, n,
			                  (struct exception_target){false, true, 0, 1, 0, false}),
			        offsets[n] < 0 ? -1 : 0x600 + offsets[n]);
			/* The level below EL3 is not EL0; but above one of AArch64 all are. */
			assert_int_equal(
			        vector_of(EXCEPTIONS_ETM4, n,
			                  (struct exception_target){false, true, 0, 3, 0, false}),
			        -1);
			assert_int_equal(
			        vector_of(EXCEPTIONS_ETM4, n,
			                  (struct exception_target){false, true, 0, -1, 0, true}),
			        offsets[n] < 0 ? -1 : 0x400 + offsets[n]);
		}
	}
}

/* Arm ARM G1.12.1. Not Hyp mode: each has one, but for those that are of two kinds. */
static void vector_of_a32_is_that_of_its_kind(void **state)
{
	static const int64_t etm4[] = {0x00, -1, 0x08, 0x04, 0x10, -1,   0x0c, 0x10,
	                               -1,   -1, -1,   0x0c, 0x10, 0xff, 0x18, 0x1c};
	static const int64_t etm3[] = {-1,   -1,   0x08, 0x08, 0x10, -1, -1,   -1,
	                               0x00, 0x04, 0x08, 0x0c, 0x10, -1, 0x18, 0x1c};
	const struct exception_target el1 = {false, false, 0, 1, -1, false};
	const struct exception_target hyp = {true, false, 0x80000014, 2, -1, false};
	const struct exception_target odd = {true, false, 0x8000f0f4, 1, -1, false};

	(void)state;
	for (uint32_t n = 0; n < 16; n++) {
		if (etm4[n] != 0xff) {
			assert_int_equal(vector_of(EXCEPTIONS_ETM4, n, el1), etm4[n]);
			assert_int_equal(vector_of(EXCEPTIONS_ETM4, n, odd), etm4[n]);
		}
		assert_int_equal(vector_of(EXCEPTIONS_ETM3, n, el1), etm3[n]);
	}
	assert_int_equal(vector_of(EXCEPTIONS_ETM4, 12, hyp), 0x14);
	assert_int_equal(vector_of(EXCEPTIONS_ETM4, 14, hyp), 0x18);
	assert_int_equal(vector_of(EXCEPTIONS_ETM4, 1, hyp), -1);
	assert_int_equal(vector_of(EXCEPTIONS_ETM4, 10,
	                           (struct exception_target){true, false, 0x10, 1, -1, false}),
	                 0x10);
}

/* Armv7-M ARM B1.5.2; IHI 0014, table of exceptions of the M profile. */
static void vector_of_m_is_the_number_of_xpsr(void **state)
{
	static const int64_t etm3[] = {-1, 17, 18, 19, 20, 21, 22, 23, 16, 6, 2,  11,
	                               12, 4,  14, 15, -1, 1,  -1, 3,  -1, 5, -1, -1};
	const struct exception_target target = {.level = -1, .from = -1};

	(void)state;
	for (uint32_t n = 0; n < 24; n++) {
		if (exception_find(EXCEPTIONS_ETM3_M, n))
			assert_int_equal(vector_of(EXCEPTIONS_ETM3_M, n, target), etm3[n]);
		if (n > 0 && exception_find(EXCEPTIONS_ETM4_M, n))
			assert_int_equal(vector_of(EXCEPTIONS_ETM4_M, n, target), n);
	}
	assert_int_equal(vector_of(EXCEPTIONS_ETM3_M, 24, target), 24);
	assert_int_equal(vector_of(EXCEPTIONS_ETM3_M, 0x1ff, target), 0x1ff);
	assert_int_equal(vector_of(EXCEPTIONS_ETM4_M, 0x208, target), 24);
	for (uint32_t n = 24; n <= 26; n++)
		assert_int_equal(vector_of(EXCEPTIONS_ETM4_M, n, target), -1);
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
	        cmocka_unit_test(vector_of_a64_is_said_by_its_address_or_its_levels),
	        cmocka_unit_test(vector_of_a32_is_that_of_its_kind),
	        cmocka_unit_test(vector_of_m_is_the_number_of_xpsr),
	        cmocka_unit_test(names_of_ranges_have_the_number_of_the_interrupt),
	};

	return cmocka_run_group_tests_name("exception", tests, NULL, NULL);
}
