/* SPDX-License-Identifier: Apache-2.0 */
/* Status codes: each has a name and a text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/status.h"

static enum status count_and_give(enum status status, int *calls)
{
	(*calls)++;
	return status;
}

static enum status try_both(enum status first, enum status second, int *calls)
{
	TRY(count_and_give(first, calls));
	TRY(count_and_give(second, calls));
	return STATUS_END;
}

static void status_try_returns_the_first_failure(void **state)
{
	int calls = 0;

	(void)state;
	assert_int_equal(try_both(STATUS_IO, STATUS_NO_MEM, &calls), STATUS_IO);
	assert_int_equal(calls, 1);
	assert_int_equal(try_both(STATUS_OK, STATUS_NO_MEM, &calls), STATUS_NO_MEM);
	assert_int_equal(calls, 3);
	assert_int_equal(try_both(STATUS_OK, STATUS_OK, &calls), STATUS_END);
	assert_int_equal(calls, 5);
}

static void status_names_are_the_enumerators(void **state)
{
	(void)state;
#define X(name, text)                                                                              \
	assert_string_equal(status_name(STATUS_##name), #name);                                    \
	assert_string_equal(status_text(STATUS_##name), text);
#include "base/status.def"
#undef X
	assert_int_equal(STATUS_OK, 0);
}

static void status_that_is_none_still_has_a_name(void **state)
{
	(void)state;
	assert_string_equal(status_name((enum status)1000), "?");
	assert_string_equal(status_text((enum status)1000), "unknown status");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(status_try_returns_the_first_failure),
	        cmocka_unit_test(status_names_are_the_enumerators),
	        cmocka_unit_test(status_that_is_none_still_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
