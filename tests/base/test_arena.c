/* SPDX-License-Identifier: Apache-2.0 */
/* The region allocator: alignment, zeroes, objects larger than a block. */
#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"

static void assert_zeroed(const unsigned char *p, size_t size)
{
	for (size_t i = 0; i < size; i++)
		assert_int_equal(p[i], 0);
}

static void arena_objects_are_aligned_zeroed_and_apart(void **state)
{
	enum { COUNT = 3000 };
	struct arena arena = {0};
	unsigned char *objects[COUNT];

	(void)state;
	for (size_t i = 0; i < COUNT; i++) {
		size_t size = 1 + i % 67;

		objects[i] = arena_alloc(&arena, size);
		assert_non_null(objects[i]);
		assert_int_equal((uintptr_t)objects[i] % alignof(max_align_t), 0);
		assert_zeroed(objects[i], size);
		memset(objects[i], (int)(i % 251) + 1, size);
	}
	for (size_t i = 0; i < COUNT; i++) {
		for (size_t k = 0; k < 1 + i % 67; k++)
			assert_int_equal(objects[i][k], i % 251 + 1);
	}
	arena_fini(&arena);
	assert_null(arena.blocks);
}

static void arena_object_larger_than_a_block_is_whole(void **state)
{
	static const size_t sizes[] = {16 * 1024 - 1, 16 * 1024, 16 * 1024 + 1, 1000000};
	struct arena arena = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		unsigned char *object = arena_alloc(&arena, sizes[i]);

		assert_non_null(object);
		assert_zeroed(object, sizes[i]);
		memset(object, 0xff, sizes[i]);
		assert_zeroed(arena_alloc(&arena, 8), 8);
	}
	arena_fini(&arena);
}

/* What is left of a block is used after an object that has one of its own. */
static void arena_block_is_used_to_its_end(void **state)
{
	static const size_t sizes[] = {1000000, 5000000};

	(void)state;
	for (int is_large = 0; is_large <= 1; is_large++) {
		struct arena arena = {.is_large = is_large != 0};
		unsigned char *before = arena_alloc(&arena, 16);
		unsigned char *large = arena_alloc(&arena, sizes[is_large]);
		unsigned char *after = arena_alloc(&arena, 16);

		assert_non_null(before);
		assert_non_null(large);
		assert_ptr_equal(after, before + 16);
		assert_zeroed(large, sizes[is_large]);
		memset(large, 0xff, sizes[is_large]);
		assert_zeroed(before, 16);
		assert_zeroed(after, 16);
		arena_fini(&arena);
	}
}

static void arena_size_zero_or_huge_is_null(void **state)
{
	struct arena arena = {0};

	(void)state;
	assert_null(arena_alloc(&arena, 0));
	assert_null(arena_alloc(&arena, SIZE_MAX));
	assert_null(arena_alloc(&arena, SIZE_MAX - 8));
	assert_null(arena_alloc(&arena, SIZE_MAX / 2 + 1));
	assert_non_null(arena_alloc(&arena, 1));
	arena_fini(&arena);
}

static void arena_str_is_a_terminated_copy(void **state)
{
	struct arena arena = {0};
	char text[] = "text";
	struct str copy = arena_str(&arena, str_of(text));
	struct str empty = arena_str(&arena, (struct str){NULL, 0});
	struct str one = arena_str(&arena, STR("x"));

	(void)state;
	text[0] = 'n';
	assert_true(str_eq(copy, STR("text")));
	assert_int_equal(copy.p[4], '\0');
	assert_non_null(empty.p);
	assert_int_equal(empty.n, 0);
	assert_int_equal(empty.p[0], '\0');
	assert_true(str_eq(one, STR("x")));
	assert_null(arena_str(&arena, (struct str){"x", SIZE_MAX}).p);
	assert_int_equal(arena_str(&arena, (struct str){"x", SIZE_MAX}).n, 0);
	arena_fini(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(arena_objects_are_aligned_zeroed_and_apart),
	        cmocka_unit_test(arena_object_larger_than_a_block_is_whole),
	        cmocka_unit_test(arena_block_is_used_to_its_end),
	        cmocka_unit_test(arena_size_zero_or_huge_is_null),
	        cmocka_unit_test(arena_str_is_a_terminated_copy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
