/* SPDX-License-Identifier: Apache-2.0 */
/* Positions as users write them, on a session made by hand: ten instructions, a gap before 4, an
 * exception before 2, and times that rise by ten. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "console/position.h"
#include "tests/stub/fake_session.h"

static struct text wrong;

static int tear_down(void **state)
{
	(void)state;
	text_fini(&wrong);
	return 0;
}

/* What the word is from position 5 on; UINT64_MAX for none. */
static uint64_t parse(const char *word)
{
	struct session *session = fake_session();
	struct console console = {.session = session};
	uint64_t position = UINT64_MAX;

	assert_int_equal(session_seek(session, 0, 5), STATUS_OK);
	text_clear(&wrong);
	text_puts(&wrong, "");
	if (position_parse(&console, str_of(word), &position, &wrong))
		assert_string_equal(wrong.data, "");
	else
		assert_int_equal(position, UINT64_MAX);
	return position;
}

static void every_form_is_a_position(void **state)
{
	static const struct {
		const char *word;
		uint64_t position;
	} forms[] = {
	        {"0", 0},         {"10", 10},      {"0xa", 10},       {"-0", 10},     {"-1", 9},
	        {"-10", 0},       {"+0", 5},       {"+5", 10},        {"back 2", 3},  {"back 5", 0},
	        {"forward 2", 7}, {"begin", 0},    {"end", 10},       {"0%", 0},      {"50%", 5},
	        {"100%", 10},     {"99%", 9},      {"99.999999%", 9}, {"100.0%", 10}, {"@145", 4},
	        {"#2", 4},        {"origin#3", 6}, {"exception", 2},  {"gap", 4},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		assert_int_equal(parse(forms[i].word), forms[i].position);
}

static void what_is_outside_is_said_with_the_range(void **state)
{
	static const char *const words[] = {"11",
	                                    "-11",
	                                    "+6",
	                                    "back 6",
	                                    "forward 6",
	                                    "18446744073709551616",
	                                    "-18446744073709551616",
	                                    "101%",
	                                    "100.1%"};

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		assert_int_equal(parse(words[i]), UINT64_MAX);
		assert_string_equal(wrong.data, "position out of range (0..10)");
	}
}

static void what_is_none_is_said(void **state)
{
	static const char *const words[] = {"",        "x",    "-",          "+",  "%",  "5.%",
	                                    "1.2.3%",  "back", "back x",     "5x", "-x", "ends",
	                                    "begin 1", "1 2",  "5.0000000%", "x%"};

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		assert_int_equal(parse(words[i]), UINT64_MAX);
		assert_non_null(strstr(wrong.data, "not a position: "));
		assert_non_null(strstr(wrong.data, "; give N, -N, +N, back N"));
	}
	assert_int_equal(parse("why#1"), UINT64_MAX);
	assert_non_null(strstr(wrong.data, "no call of a function: \"why#1\""));
	assert_int_equal(parse("@x"), UINT64_MAX);
	assert_string_equal(wrong.data, "not a time: \"@x\"; give @ and a number, or such as "
	                                "@10us-before-end and @1.5ms-after-begin");
}

/* They are of before here, so that each seek goes further back. */
static void exceptions_and_gaps_are_the_last_before_here(void **state)
{
	struct session *session = fake_session();
	struct console console = {.session = session};
	uint64_t position = 10;

	(void)state;
	text_clear(&wrong);
	assert_int_equal(session_seek(session, 0, 10), STATUS_OK);
	assert_true(position_parse(&console, STR("exception"), &position, &wrong));
	assert_int_equal(position, 2);
	assert_int_equal(session_seek(session, 0, 2), STATUS_OK);
	assert_false(position_parse(&console, STR("exception"), &position, &wrong));
	assert_string_equal(wrong.data,
	                    "no exception was taken before here, as far as the trace tells");
	text_clear(&wrong);
	assert_int_equal(session_seek(session, 0, 4), STATUS_OK);
	assert_false(position_parse(&console, STR("gap"), &position, &wrong));
	assert_string_equal(wrong.data, "there is no gap before here");
	assert_int_equal(position, 2);
}

static void assert_range(const char *word, uint64_t from, uint64_t to)
{
	struct session *session = fake_session();
	struct console console = {.session = session};
	struct position_range range = {77, 77};

	text_clear(&wrong);
	assert_int_equal(session_seek(session, 0, 5), STATUS_OK);
	assert_true(position_parse_range(&console, str_of(word), &range, &wrong));
	assert_int_equal(range.from, from);
	assert_int_equal(range.to, to);
}

static void ranges_are_of_positions(void **state)
{
	struct session *session = fake_session();
	struct console console = {.session = session};
	struct position_range range = {77, 77};

	(void)state;
	assert_range("all", 0, UINT64_MAX);
	assert_range("3", 3, 3);
	assert_range("3-7", 3, 7);
	assert_range("3-", 3, UINT64_MAX);
	assert_range("3-99", 3, 99);
	assert_range("-3", 7, 7);
	assert_range("-3..end", 7, 10);
	assert_range("gap .. +2", 4, 7);
	assert_range("..50%", 0, 5);
	assert_range("exception..", 2, UINT64_MAX);
	assert_false(position_parse_range(&console, STR("1..x"), &range, &wrong));
	assert_false(position_parse_range(&console, STR("x-3"), &range, &wrong));
	assert_false(position_parse_range(&console, STR("x"), &range, &wrong));
	assert_int_equal(range.from, 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_teardown(every_form_is_a_position, tear_down),
	        cmocka_unit_test_teardown(what_is_outside_is_said_with_the_range, tear_down),
	        cmocka_unit_test_teardown(what_is_none_is_said, tear_down),
	        cmocka_unit_test_teardown(exceptions_and_gaps_are_the_last_before_here, tear_down),
	        cmocka_unit_test_teardown(ranges_are_of_positions, tear_down),
	};

	(void)unsetenv("XDG_STATE_HOME");
	(void)unsetenv("HOME");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
