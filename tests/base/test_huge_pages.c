/* SPDX-License-Identifier: Apache-2.0 */
/* Memory in huge pages: where it begins, that it is zeroed, sizes that cannot be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/huge_pages.h"

/* For AddressSanitizer: too large an allocation fails as it does without. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static void what_is_large_begins_with_a_page(void **state)
{
	static const size_t sizes[] = {1, HUGE_PAGE / 2 - 1, HUGE_PAGE / 2, HUGE_PAGE + 1};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		unsigned char *memory = huge_pages_malloc(sizes[i]);

		assert_non_null(memory);
		if (sizes[i] >= HUGE_PAGE / 2)
			assert_int_equal((uintptr_t)memory % HUGE_PAGE, 0);
		memset(memory, 0xff, sizes[i]);
		free(memory);
	}
}

static void used_memory_is_zeroed(void **state)
{
	enum { COUNT = 3, ITEM = HUGE_PAGE / 3 + 5 };

	(void)state;
	for (unsigned int round = 0; round < 3; round++) {
		unsigned char *memory = huge_pages_calloc(COUNT, ITEM);

		assert_non_null(memory);
		for (size_t i = 0; i < (size_t)COUNT * ITEM; i++)
			assert_int_equal(memory[i], 0);
		memset(memory, 0xff, (size_t)COUNT * ITEM);
		free(memory);
	}
}

static void sizes_beyond_all_memory_are_refused(void **state)
{
	(void)state;
	assert_null(huge_pages_malloc(SIZE_MAX - 1));
	assert_null(huge_pages_calloc(SIZE_MAX / 2, 4));
	assert_null(huge_pages_calloc(SIZE_MAX / HUGE_PAGE, HUGE_PAGE));
}

/* An array that was advised grows as one that was not. */
static void advised_memory_can_be_moved(void **state)
{
	enum { SIZE = 3 * HUGE_PAGE };
	unsigned char *memory = malloc(SIZE);
	unsigned char *moved;

	(void)state;
	assert_non_null(memory);
	huge_pages_advise(memory, SIZE);
	for (size_t i = 0; i < SIZE; i++)
		memory[i] = (unsigned char)(i * 7);
	moved = realloc(memory, (size_t)4 * SIZE);
	assert_non_null(moved);
	for (size_t i = 0; i < SIZE; i++)
		assert_int_equal(moved[i], (unsigned char)(i * 7));
	huge_pages_advise(moved + 1, 1);
	free(moved);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(what_is_large_begins_with_a_page),
	        cmocka_unit_test(used_memory_is_zeroed),
	        cmocka_unit_test(sizes_beyond_all_memory_are_refused),
	        cmocka_unit_test(advised_memory_can_be_moved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
