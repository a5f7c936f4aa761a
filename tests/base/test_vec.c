/* SPDX-License-Identifier: Apache-2.0 */
/* Growable arrays: room, content, sizes that cannot be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/vec.h"

/* For AddressSanitizer: too large an allocation fails as it does without. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static void vec_growing_keeps_the_items(void **state)
{
	uint32_t *items = NULL;
	size_t capacity = 0;
	size_t moves = 0;

	(void)state;
	for (uint32_t count = 0; count < 10000; count++) {
		size_t before = capacity;

		assert_int_equal(vec_reserve((void **)&items, &capacity, count + 1, sizeof(*items)),
		                 STATUS_OK);
		assert_true(capacity > count);
		assert_true(capacity <= 8 || capacity <= before + before / 2);
		moves += capacity != before;
		items[count] = count * 3;
	}
	for (uint32_t i = 0; i < 10000; i++)
		assert_int_equal(items[i], i * 3);
	/* Growth by half: the number of moves is that of a logarithm. */
	assert_true(moves < 25);
	free(items);
}

static void vec_with_room_is_left_alone(void **state)
{
	uint8_t *items = NULL;
	size_t capacity = 0;
	uint8_t *before;

	(void)state;
	assert_int_equal(vec_reserve((void **)&items, &capacity, 0, 1), STATUS_OK);
	assert_null(items);
	assert_int_equal(vec_reserve((void **)&items, &capacity, 100, 1), STATUS_OK);
	assert_int_equal(capacity, 100);
	before = items;
	assert_int_equal(vec_reserve((void **)&items, &capacity, 100, 1), STATUS_OK);
	assert_ptr_equal(items, before);
	assert_int_equal(capacity, 100);
	free(items);
}

static void vec_too_large_is_no_mem_and_unchanged(void **state)
{
	uint64_t *items = NULL;
	size_t capacity = 0;
	uint64_t *before;

	(void)state;
	assert_int_equal(vec_reserve((void **)&items, &capacity, 10, sizeof(*items)), STATUS_OK);
	before = items;
	assert_int_equal(vec_reserve((void **)&items, &capacity, SIZE_MAX / 8 + 1, sizeof(*items)),
	                 STATUS_NO_MEM);
	assert_int_equal(vec_reserve((void **)&items, &capacity, SIZE_MAX, sizeof(*items)),
	                 STATUS_NO_MEM);
	assert_ptr_equal(items, before);
	assert_int_equal(capacity, 10);
	/* Not more than the address space holds, but than there can be. */
	assert_int_equal(vec_reserve((void **)&items, &capacity, SIZE_MAX / 32, sizeof(*items)),
	                 STATUS_NO_MEM);
	assert_ptr_equal(items, before);
	assert_int_equal(capacity, 10);
	free(items);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(vec_growing_keeps_the_items),
	        cmocka_unit_test(vec_with_room_is_left_alone),
	        cmocka_unit_test(vec_too_large_is_no_mem_and_unchanged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
