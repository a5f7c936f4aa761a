/* SPDX-License-Identifier: Apache-2.0 */
/* What other cores may have written: granules, cache lines and times; other_writes.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/values/solver/other_writes.h"

#define NEAR   UINT64_C(0x1000) /* one that another core uses */
#define BESIDE UINT64_C(0x1008) /* in the same cache line */
#define FAR    UINT64_C(0x1040) /* in the next one */

static void add(struct other_write_list *list, uint64_t granule, uint64_t first, uint64_t last)
{
	assert_int_equal(other_writes_add(list, &(struct other_write){granule, first, last}),
	                 STATUS_OK);
}

/*
 * Known stores to NEAR at 10 to 12, 11 to 20 and 40, one of unknown address at 30 to 32;
 * what is not traced at 50 to 52.
 */
static struct other_writes made(void)
{
	struct other_writes writes = {.from = 5};

	add(&writes.known, NEAR, 40, 40);
	add(&writes.known, NEAR, 11, 20);
	add(&writes.known, NEAR, 10, 12);
	add(&writes.open, 0, 30, 32);
	assert_int_equal(line_set_add(&writes.used, NEAR, 8), STATUS_OK);
	add(&writes.unseen, 0, 50, 52);
	other_writes_sort(&writes);
	return writes;
}

static void test_known_store_counts_while_it_may_have_happened(void **state)
{
	struct other_writes writes = made();

	(void)state;
	assert_int_equal(writes.known.count, 2);
	assert_false(other_writes_none(&writes, NEAR, true, 8, 10));
	assert_false(other_writes_none(&writes, NEAR, true, 15, 16));
	assert_false(other_writes_none(&writes, NEAR, true, 20, 25));
	assert_true(other_writes_none(&writes, NEAR, true, 6, 9));
	assert_true(other_writes_none(&writes, NEAR, true, 21, 29));
	assert_false(other_writes_none(&writes, NEAR, true, 33, 40));
	assert_true(other_writes_none(&writes, BESIDE, true, 8, 25));
	other_writes_fini(&writes);
}

static void test_store_of_unknown_address_may_be_to_a_line_in_use_alone(void **state)
{
	struct other_writes writes = made();

	(void)state;
	assert_false(other_writes_none(&writes, BESIDE, true, 25, 30));
	assert_false(other_writes_none(&writes, BESIDE, true, 32, 39));
	assert_true(other_writes_none(&writes, BESIDE, true, 33, 39));
	assert_true(other_writes_none(&writes, FAR, true, 6, 100));
	/* To one that nobody is seen to use it may have been as well. */
	assert_false(other_writes_none(&writes, FAR, false, 25, 30));
	assert_true(other_writes_none(&writes, FAR, false, 33, 39));
	/* And so may be what was not traced. */
	assert_false(other_writes_none(&writes, BESIDE, true, 40, 50));
	assert_true(other_writes_none(&writes, BESIDE, true, 53, 60));
	assert_true(other_writes_are_unseen(&writes, 52, 60));
	assert_false(other_writes_are_unseen(&writes, 53, 60));
	assert_true(other_writes_are_unseen(&writes, 4, 5));
	assert_true(other_writes_are_open(&writes, 0, 30));
	assert_false(other_writes_are_open(&writes, 33, 40));
	other_writes_fini(&writes);
}

static void test_use_over_the_end_of_a_line_is_of_both(void **state)
{
	struct other_writes writes = {.from = 0};

	(void)state;
	add(&writes.open, 0, 0, 100);
	assert_int_equal(line_set_add(&writes.used, FAR - 4, 8), STATUS_OK);
	other_writes_sort(&writes);
	assert_false(other_writes_none(&writes, BESIDE, true, 0, 1));
	assert_false(other_writes_none(&writes, FAR, true, 0, 1));
	assert_true(other_writes_none(&writes, FAR + 64, true, 0, 1));
	other_writes_fini(&writes);
}

static void test_line_that_is_pointed_to_is_as_one_in_use(void **state)
{
	struct other_writes writes = made();

	(void)state;
	assert_true(other_writes_none(&writes, FAR, true, 25, 30));
	assert_int_equal(line_set_add(&writes.pointed, FAR, 1), STATUS_OK);
	other_writes_sort(&writes);
	assert_false(other_writes_none(&writes, FAR, true, 25, 30));
	assert_true(other_writes_none(&writes, FAR, true, 33, 39));
	other_writes_fini(&writes);
}

static void test_nothing_is_known_before_the_others_were_traced(void **state)
{
	struct other_writes writes = made();

	(void)state;
	assert_false(other_writes_none(&writes, FAR, true, 4, 8));
	assert_true(other_writes_none(&writes, FAR, true, 5, 8));
	other_writes_fini(&writes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_known_store_counts_while_it_may_have_happened),
	        cmocka_unit_test(test_store_of_unknown_address_may_be_to_a_line_in_use_alone),
	        cmocka_unit_test(test_use_over_the_end_of_a_line_is_of_both),
	        cmocka_unit_test(test_line_that_is_pointed_to_is_as_one_in_use),
	        cmocka_unit_test(test_nothing_is_known_before_the_others_were_traced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
