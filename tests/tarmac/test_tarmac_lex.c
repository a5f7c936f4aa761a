/* SPDX-License-Identifier: Apache-2.0 */
/* The words of Tarmac's lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "replay/tarmac/tarmac_lex.h"

#define CURSOR(literal) bytes_of(literal, sizeof(literal) - 1)

static void assert_str(struct str found, const char *expected)
{
	assert_int_equal(found.n, strlen(expected));
	assert_memory_equal(found.p, expected, found.n);
}

static void word_after_blanks_is_taken(void **state)
{
	struct bytes in = CURSOR(" \t el3h_s:-.#x");

	(void)state;
	assert_str(lex_word(&in), "el3h_s");
	assert_str(lex_word(&in), "");
	assert_true(lex_take(&in, ':'));
	assert_false(lex_take(&in, ':'));
	assert_str(lex_word(&in), "-.#x");
	assert_int_equal(lex_peek(&in), -1);
	assert_true(lex_is_break(&in));
}

static void word_with_nul_and_high_byte_ends(void **state)
{
	struct bytes in = CURSOR("ab\0c\xff");

	(void)state;
	assert_str(lex_word(&in), "ab");
	assert_str(lex_word(&in), "");
	assert_int_equal(lex_peek(&in), 0);
	in.pos++;
	assert_str(lex_word(&in), "c");
	assert_int_equal(lex_peek(&in), 0xff);
}

static void hex_of_16_digits_is_a_number_of_17_is_none(void **state)
{
	struct bytes in = CURSOR("fedcBA9876543210_NS");
	struct bytes longer = CURSOR("0fedcba9876543210");
	uint64_t value = 1;

	(void)state;
	assert_int_equal(lex_hex_word(&in, &value), 0);
	assert_int_equal(bytes_offset(&in), 0);
	assert_int_equal(lex_hex(&in, &value), 16);
	assert_true(value == 0xfedcba9876543210);
	assert_int_equal(bytes_offset(&in), 16);
	assert_false(lex_is_break(&in));
	assert_int_equal(lex_hex(&longer, &value), 0);
	assert_int_equal(bytes_offset(&longer), 0);
	assert_true(value == 0xfedcba9876543210);
}

static void decimal_beyond_64_bits_is_none(void **state)
{
	struct bytes most = CURSOR("18446744073709551615ns");
	struct bytes more = CURSOR("18446744073709551616");
	uint64_t value = 1;

	(void)state;
	assert_true(lex_decimal(&most, &value));
	assert_true(value == UINT64_MAX);
	assert_str(lex_word(&most), "ns");
	assert_false(lex_decimal(&more, &value));
	assert_int_equal(bytes_offset(&more), 0);
}

static void rest_keeps_blanks_at_its_end(void **state)
{
	struct bytes in = CURSOR("  a b ");

	(void)state;
	assert_str(lex_rest(&in), "a b ");
	assert_str(lex_rest(&in), "");
}

/* Each byte is of one kind, and a digit is always a part of words. */
static void classes_of_all_bytes_fit_together(void **state)
{
	(void)state;
	for (unsigned int c = 0; c < 256; c++) {
		assert_false((lex_class[c] & LEX_BLANK) && (lex_class[c] & LEX_WORD));
		assert_false((lex_class[c] & LEX_DECIMAL) && !(lex_nibble[c] & LEX_KNOWN));
		assert_false(lex_nibble[c] != 0 && !(lex_class[c] & LEX_WORD));
	}
	for (unsigned int digit = 0; digit < 16; digit++) {
		assert_int_equal(lex_nibble[(uint8_t) "0123456789abcdef"[digit]],
		                 LEX_KNOWN | digit);
		assert_int_equal(lex_nibble[(uint8_t) "0123456789ABCDEF"[digit]],
		                 LEX_KNOWN | digit);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(word_after_blanks_is_taken),
	        cmocka_unit_test(word_with_nul_and_high_byte_ends),
	        cmocka_unit_test(hex_of_16_digits_is_a_number_of_17_is_none),
	        cmocka_unit_test(decimal_beyond_64_bits_is_none),
	        cmocka_unit_test(rest_keeps_blanks_at_its_end),
	        cmocka_unit_test(classes_of_all_bytes_fit_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
