/* SPDX-License-Identifier: Apache-2.0 */
/* The growing text: appends, growth, failure that is remembered. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include <cmocka.h>

#include "base/text.h"

/* For AddressSanitizer: too large an allocation fails as it does without. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static void text_zeroed_is_empty(void **state)
{
	struct text t = {0};

	(void)state;
	assert_int_equal(text_str(&t).n, 0);
	assert_non_null(text_str(&t).p);
	assert_int_equal(text_status(&t), STATUS_OK);
	text_clear(&t);
	text_fini(&t);
	assert_null(t.data);
}

static void text_appends_are_joined_and_terminated(void **state)
{
	struct text t = {0};

	(void)state;
	text_add(&t, (struct str){NULL, 0});
	assert_string_equal(t.data, "");
	text_puts(&t, "ab");
	text_char(&t, 'c');
	text_add(&t, STR("d\0e"));
	text_printf(&t, "<%d %s>", -7, "x");
	assert_int_equal(t.length, 12);
	assert_memory_equal(t.data, "abcd\0e<-7 x>", 13);
	text_clear(&t);
	assert_int_equal(t.length, 0);
	assert_string_equal(t.data, "");
	text_puts(&t, "again");
	assert_string_equal(t.data, "again");
	text_printf(&t, "%s", "");
	assert_string_equal(t.data, "again");
	assert_int_equal(text_status(&t), STATUS_OK);
	text_fini(&t);
	assert_int_equal(text_str(&t).n, 0);
	text_puts(&t, "anew");
	assert_string_equal(t.data, "anew");
	text_fini(&t);
}

static void text_grows_over_each_size(void **state)
{
	struct text t = {0};

	(void)state;
	for (size_t i = 0; i < 5000; i++) {
		size_t before = t.capacity;

		text_char(&t, (char)('a' + i % 26));
		/* By half at most: it is not to cost a multiple of what is in it. */
		assert_true(t.capacity <= 64 || t.capacity <= before + before / 2);
		assert_int_equal(t.length, i + 1);
		assert_true(t.capacity > t.length);
		assert_int_equal(t.data[t.length], '\0');
	}
	for (size_t i = 0; i < 5000; i++)
		assert_int_equal(t.data[i], 'a' + (int)(i % 26));
	/* A formatted text that is longer than the room that is left. */
	text_printf(&t, "%6000d", 1);
	assert_int_equal(t.length, 11000);
	assert_int_equal(t.data[10999], '1');
	text_fini(&t);
}

static void text_hex_is_padded_and_never_cut(void **state)
{
	struct text t = {0};

	(void)state;
	text_hex(&t, 0, 1);
	text_char(&t, ' ');
	text_hex(&t, 0, 0);
	text_char(&t, ' ');
	text_hex(&t, 0xabc, 2);
	text_char(&t, ' ');
	text_hex(&t, 0xabc, 8);
	text_char(&t, ' ');
	text_hex(&t, UINT64_MAX, 1);
	text_char(&t, ' ');
	text_hex(&t, 1, 18);
	assert_string_equal(t.data, "0 0 abc 00000abc ffffffffffffffff 000000000000000001");
	text_fini(&t);
}

static void text_hex_bytes_are_two_digits_each(void **state)
{
	static const uint8_t bytes[] = {0x00, 0x0f, 0xa5, 0xff};
	static const uint8_t many[500];
	struct text t = {0};

	(void)state;
	text_hex_bytes(&t, bytes, 0);
	assert_int_equal(text_str(&t).n, 0);
	text_hex_bytes(&t, bytes, sizeof(bytes));
	assert_string_equal(t.data, "000fa5ff");
	/* There is room for all of them, whatever was there. */
	for (size_t i = 0; i < 100; i++) {
		text_hex_bytes(&t, bytes, sizeof(bytes));
		assert_true(t.capacity > t.length);
	}
	assert_int_equal(t.length, 808);
	text_clear(&t);
	text_fini(&t);
	text_hex_bytes(&t, many, sizeof(many));
	assert_int_equal(t.length, 2 * sizeof(many));
	assert_true(t.capacity > t.length);
	text_fini(&t);
}

static void text_decimal_at_its_bounds(void **state)
{
	struct text t = {0};

	(void)state;
	text_decimal(&t, 0);
	text_char(&t, ' ');
	text_decimal(&t, 10);
	text_char(&t, ' ');
	text_decimal(&t, UINT64_MAX);
	assert_string_equal(t.data, "0 10 18446744073709551615");
	text_fini(&t);
}

static void assert_decimal(uint64_t value)
{
	struct text t = {0};
	char expected[32];

	(void)snprintf(expected, sizeof(expected), "%" PRIu64, value);
	text_decimal(&t, value);
	assert_string_equal(t.data, expected);
	text_fini(&t);
}

static void text_decimal_has_as_many_digits_as_the_number(void **state)
{
	uint64_t power = 1;

	(void)state;
	for (unsigned int i = 0; i < 20; i++, power *= 10) {
		assert_decimal(power - 1);
		assert_decimal(power);
		assert_decimal(power + 1);
		assert_decimal(power / 3 * 2);
	}
	for (unsigned int bit = 0; bit < 64; bit++) {
		assert_decimal((UINT64_C(1) << bit) - 1);
		assert_decimal(UINT64_C(1) << bit);
	}
}

/* No byte of these slices is read: there can be no memory for them. */
static void text_without_memory_fails_and_stays_failed(void **state)
{
	static const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - 3, SIZE_MAX / 2 + 1,
	                               SIZE_MAX / 4};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct text t = {0};

		text_puts(&t, "abc");
		text_add(&t, (struct str){"x", sizes[i]});
		assert_int_equal(text_status(&t), STATUS_NO_MEM);
		text_puts(&t, "def");
		text_printf(&t, "%d", 1);
		text_hex_bytes(&t, (const uint8_t *)"x", 1);
		assert_int_equal(text_status(&t), STATUS_NO_MEM);
		assert_string_equal(t.data, "abc");
		text_clear(&t);
		assert_int_equal(text_status(&t), STATUS_OK);
		text_hex_bytes(&t, (const uint8_t *)"x", sizes[i]);
		assert_int_equal(text_status(&t), STATUS_NO_MEM);
		text_fini(&t);
	}
}

/* It has no multibyte character. */
static void text_that_cannot_be_formatted_fails(void **state)
{
	struct text t = {0};

	(void)state;
	text_puts(&t, "abc");
	text_printf(&t, "%lc", (wint_t)0x7fffffff);
	assert_int_equal(text_status(&t), STATUS_NO_MEM);
	text_puts(&t, "def");
	assert_string_equal(t.data, "abc");
	text_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(text_zeroed_is_empty),
	        cmocka_unit_test(text_appends_are_joined_and_terminated),
	        cmocka_unit_test(text_grows_over_each_size),
	        cmocka_unit_test(text_hex_is_padded_and_never_cut),
	        cmocka_unit_test(text_hex_bytes_are_two_digits_each),
	        cmocka_unit_test(text_decimal_at_its_bounds),
	        cmocka_unit_test(text_decimal_has_as_many_digits_as_the_number),
	        cmocka_unit_test(text_that_cannot_be_formatted_fails),
	        cmocka_unit_test(text_without_memory_fails_and_stays_failed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
