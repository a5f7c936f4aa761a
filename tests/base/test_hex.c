/* SPDX-License-Identifier: Apache-2.0 */
/* Hexadecimal digits to bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/hex.h"

static void hex_digit_of_every_character(void **state)
{
	(void)state;
	for (int c = -128; c < 256; c++) {
		int want = -1;

		for (int i = 0; i < 16 && c > 0; i++) {
			if (c == "0123456789abcdef"[i] || c == "0123456789ABCDEF"[i])
				want = i;
		}
		assert_int_equal(hex_digit((char)c), want);
	}
	assert_string_equal(hex_digits, "0123456789abcdef");
}

static void hex_to_bytes_fills_its_room(void **state)
{
	static const uint8_t want[] = {0x00, 0xfF, 0xa5, 0x5a};
	uint8_t out[5] = {0, 0, 0, 0, 0x77};
	size_t count = 4;

	(void)state;
	assert_int_equal(hex_to_bytes(STR("00ffA55a"), out, &count), STATUS_OK);
	assert_int_equal(count, 4);
	assert_memory_equal(out, want, 4);
	assert_int_equal(out[4], 0x77);
	assert_int_equal(hex_to_bytes(STR(""), out, &count), STATUS_OK);
	assert_int_equal(count, 0);
}

static void hex_to_bytes_bad_digits_leave_the_count(void **state)
{
	uint8_t out[4];
	size_t count = 4;

	(void)state;
	assert_int_equal(hex_to_bytes(STR("123"), out, &count), STATUS_BAD_DATA);
	assert_int_equal(hex_to_bytes(STR("1g"), out, &count), STATUS_BAD_DATA);
	assert_int_equal(hex_to_bytes(STR("g1"), out, &count), STATUS_BAD_DATA);
	assert_int_equal(hex_to_bytes(STR("0x"), out, &count), STATUS_BAD_DATA);
	assert_int_equal(hex_to_bytes(STR(" 1"), out, &count), STATUS_BAD_DATA);
	assert_int_equal(hex_to_bytes(STR("0011223344"), out, &count), STATUS_TRUNCATED);
	assert_int_equal(count, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(hex_digit_of_every_character),
	        cmocka_unit_test(hex_to_bytes_fills_its_room),
	        cmocka_unit_test(hex_to_bytes_bad_digits_leave_the_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
