/* SPDX-License-Identifier: Apache-2.0 */
/* The bounded cursor: every reader at, before and after the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bytes.h"

static const uint8_t data[] = {1, 2, 3, 4, 5, 6, 7, 0x88, 9, 10};

static void bytes_empty_is_end(void **state)
{
	struct bytes none = bytes_of(NULL, 0);
	struct bytes taken = none;
	uint8_t byte = 0xa5;
	uint64_t value = 0xa5;

	(void)state;
	assert_int_equal(bytes_left(&none), 0);
	assert_int_equal(bytes_offset(&none), 0);
	assert_int_equal(bytes_u8(&none, &byte), STATUS_END);
	assert_int_equal(bytes_peek(&none, 0, &byte), STATUS_END);
	assert_int_equal(bytes_peek(&none, 7, &byte), STATUS_END);
	assert_int_equal(bytes_le(&none, 4, &value), STATUS_END);
	assert_int_equal(bytes_skip(&none, 1), STATUS_END);
	assert_int_equal(bytes_take(&none, 1, &taken), STATUS_END);
	assert_int_equal(bytes_seek(&none, 1), STATUS_TRUNCATED);
	assert_int_equal(byte, 0xa5);
	assert_int_equal(value, 0xa5);
}

static void bytes_empty_gives_nothing_at_all(void **state)
{
	struct bytes none = bytes_of(NULL, 0);
	struct bytes taken = bytes_of(data, 3);

	(void)state;
	assert_int_equal(bytes_need(&none, 0), STATUS_OK);
	assert_int_equal(bytes_skip(&none, 0), STATUS_OK);
	assert_int_equal(bytes_seek(&none, 0), STATUS_OK);
	assert_int_equal(bytes_take(&none, 0, &taken), STATUS_OK);
	assert_int_equal(bytes_left(&taken), 0);
}

static void bytes_cut_is_truncated_and_does_not_move(void **state)
{
	struct bytes b = bytes_of(data, 3);
	struct bytes taken;
	uint64_t value = 0xa5;
	uint8_t byte = 0xa5;

	(void)state;
	assert_int_equal(bytes_le(&b, 4, &value), STATUS_TRUNCATED);
	assert_int_equal(bytes_skip(&b, 4), STATUS_TRUNCATED);
	assert_int_equal(bytes_skip(&b, SIZE_MAX), STATUS_TRUNCATED);
	assert_int_equal(bytes_take(&b, 4, &taken), STATUS_TRUNCATED);
	assert_int_equal(bytes_peek(&b, 3, &byte), STATUS_TRUNCATED);
	assert_int_equal(bytes_seek(&b, 4), STATUS_TRUNCATED);
	assert_int_equal(bytes_offset(&b), 0);
	assert_int_equal(value, 0xa5);
	assert_int_equal(byte, 0xa5);
}

static void bytes_le_of_each_size_is_little_endian(void **state)
{
	static const uint64_t values[] = {
	        0x01,         0x0201,         0x030201,        0x04030201,
	        0x0504030201, 0x060504030201, 0x7060504030201, 0x8807060504030201};

	(void)state;
	for (unsigned int size = 1; size <= 8; size++) {
		struct bytes b = bytes_of(data, size);
		uint64_t value = 0;

		assert_int_equal(bytes_le(&b, size, &value), STATUS_OK);
		assert_int_equal(value, values[size - 1]);
		assert_int_equal(bytes_left(&b), 0);
		assert_int_equal(bytes_offset(&b), size);
		assert_int_equal(bytes_le(&b, size, &value), STATUS_END);
	}
}

static void bytes_le_is_of_these_bytes_alone(void **state)
{
	static const uint8_t zeros_and_ones[] = {0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff};
	struct bytes b = bytes_of(zeros_and_ones, sizeof(zeros_and_ones));
	uint64_t value = 0xa5;

	(void)state;
	assert_int_equal(bytes_le(&b, 8, &value), STATUS_OK);
	assert_int_equal(value, 0);
	assert_int_equal(bytes_le(&b, 2, &value), STATUS_OK);
	assert_int_equal(value, 0xffff);
}

static void bytes_zeros_are_counted_from_a_place_up_to_a_most(void **state)
{
	static const uint8_t zeros[] = {7, 0, 0, 0, 1, 0, 0};
	struct bytes b = bytes_of(zeros, sizeof(zeros));
	struct bytes none = bytes_of(NULL, 0);

	(void)state;
	assert_int_equal(bytes_count_zeros(&b, 0, 9), 0);
	assert_int_equal(bytes_count_zeros(&b, 1, 9), 3);
	assert_int_equal(bytes_count_zeros(&b, 2, 9), 2);
	assert_int_equal(bytes_count_zeros(&b, 1, 3), 3);
	assert_int_equal(bytes_count_zeros(&b, 1, 2), 2);
	assert_int_equal(bytes_count_zeros(&b, 1, 0), 0);
	assert_int_equal(bytes_count_zeros(&b, 4, 9), 0);
	assert_int_equal(bytes_count_zeros(&b, 5, 9), 2);
	assert_int_equal(bytes_count_zeros(&b, 7, 9), 0);
	assert_int_equal(bytes_count_zeros(&b, 8, 9), 0);
	assert_int_equal(bytes_count_zeros(&none, 0, 9), 0);
	/* Of the whole: it does not move. */
	assert_int_equal(bytes_offset(&b), 0);
	assert_int_equal(bytes_skip(&b, 2), STATUS_OK);
	assert_int_equal(bytes_count_zeros(&b, 0, 9), 2);
	assert_int_equal(bytes_count_zeros(&b, 3, 9), 2);
}

static void bytes_readers_move_by_what_they_read(void **state)
{
	struct bytes b = bytes_of(data, sizeof(data));
	uint8_t byte = 0;

	(void)state;
	assert_int_equal(bytes_u8(&b, &byte), STATUS_OK);
	assert_int_equal(byte, 1);
	assert_int_equal(bytes_peek(&b, 0, &byte), STATUS_OK);
	assert_int_equal(byte, 2);
	assert_int_equal(bytes_peek(&b, 8, &byte), STATUS_OK);
	assert_int_equal(byte, 10);
	assert_int_equal(bytes_offset(&b), 1);
	assert_int_equal(bytes_skip(&b, 9), STATUS_OK);
	assert_int_equal(bytes_u8(&b, &byte), STATUS_END);
	assert_int_equal(bytes_seek(&b, 1), STATUS_OK);
	assert_int_equal(bytes_offset(&b), 1);
	assert_int_equal(bytes_seek(&b, 0), STATUS_OK);
	assert_int_equal(bytes_offset(&b), 0);
	assert_int_equal(bytes_seek(&b, 7), STATUS_OK);
	assert_int_equal(bytes_u8(&b, &byte), STATUS_OK);
	assert_int_equal(byte, 0x88);
	assert_int_equal(bytes_seek(&b, sizeof(data)), STATUS_OK);
	assert_int_equal(bytes_left(&b), 0);
}

static void bytes_taken_begin_anew(void **state)
{
	struct bytes b = bytes_of(data, sizeof(data));
	struct bytes taken;
	uint8_t byte = 0;

	(void)state;
	assert_int_equal(bytes_skip(&b, 2), STATUS_OK);
	assert_int_equal(bytes_take(&b, 3, &taken), STATUS_OK);
	assert_int_equal(bytes_offset(&b), 5);
	assert_int_equal(bytes_offset(&taken), 0);
	assert_int_equal(bytes_left(&taken), 3);
	assert_int_equal(bytes_u8(&taken, &byte), STATUS_OK);
	assert_int_equal(byte, 3);
	assert_int_equal(bytes_skip(&taken, 3), STATUS_TRUNCATED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(bytes_empty_is_end),
	        cmocka_unit_test(bytes_empty_gives_nothing_at_all),
	        cmocka_unit_test(bytes_cut_is_truncated_and_does_not_move),
	        cmocka_unit_test(bytes_le_of_each_size_is_little_endian),
	        cmocka_unit_test(bytes_le_is_of_these_bytes_alone),
	        cmocka_unit_test(bytes_zeros_are_counted_from_a_place_up_to_a_most),
	        cmocka_unit_test(bytes_readers_move_by_what_they_read),
	        cmocka_unit_test(bytes_taken_begin_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
