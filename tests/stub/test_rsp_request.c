/* SPDX-License-Identifier: Apache-2.0 */
/* Requests: whole names, arguments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stub/rsp_request.h"

static void check(const char *payload, enum rsp_request expected, const char *expected_args)
{
	struct str args = {"unset", 5};

	assert_int_equal(rsp_request_parse(str_of(payload), &args), expected);
	if (expected != RSP_UNKNOWN)
		assert_true(str_eq(args, str_of(expected_args)));
}

static void request_name_is_matched_whole(void **state)
{
	(void)state;
	check("qC", RSP_CURRENT_THREAD, "");
	check("qCRC:400000,10", RSP_MEMORY_CRC, "400000,10");
	check("qSupported:multiprocess+;swbreak+", RSP_SUPPORTED, "multiprocess+;swbreak+");
	check("qSupportedX", RSP_UNKNOWN, NULL);
	check("vCont?", RSP_VCONT_QUERY, "");
	check("vCont;s:1;c", RSP_VCONT, "s:1;c");
	check("bs", RSP_BACKWARD_STEP, "");
	check("bsx", RSP_UNKNOWN, NULL);
	check("b", RSP_UNKNOWN, NULL);
	check("D", RSP_DETACH, "");
	check("D;1", RSP_DETACH, "1");
	check("k", RSP_KILL, "");
	check("vKill;1", RSP_VKILL, "1");
	check("vMustReplyEmpty", RSP_UNKNOWN, NULL);
	check("", RSP_UNKNOWN, NULL);
}

static void request_letter_takes_arguments_at_once(void **state)
{
	(void)state;
	check("m400000,4", RSP_READ_MEMORY, "400000,4");
	check("Hg-1", RSP_SELECT_THREAD, "g-1");
	check("Z0,1000,4", RSP_INSERT_BREAKPOINT, "0,1000,4");
	check("z1,1000,4", RSP_REMOVE_BREAKPOINT, "1,1000,4");
	check("p1f", RSP_READ_REGISTER, "1f");
	check("P43=00", RSP_WRITE_REGISTER, "43=00");
	check("qThreadExtraInfo,1", RSP_THREAD_EXTRA, "1");
	check("qRcmd,68", RSP_COMMAND, "68");
}

static void request_numbers_are_cut_off_in_turn(void **state)
{
	struct str rest = STR("1f,,4");
	uint64_t value = 0;

	(void)state;
	assert_int_equal(rsp_next_hex(&rest, ',', &value), STATUS_OK);
	assert_int_equal(value, 0x1f);
	assert_int_not_equal(rsp_next_hex(&rest, ',', &value), STATUS_OK);
	assert_int_equal(rsp_next_hex(&rest, ',', &value), STATUS_OK);
	assert_int_equal(value, 4);
	assert_int_equal(rest.n, 0);
	assert_int_not_equal(rsp_next_hex(&rest, ',', &value), STATUS_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(request_name_is_matched_whole),
	        cmocka_unit_test(request_letter_takes_arguments_at_once),
	        cmocka_unit_test(request_numbers_are_cut_off_in_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
