/* SPDX-License-Identifier: Apache-2.0 */
/* The console's commands, on a session made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "console/console.h"
#include "console/position.h"
#include "tests/stub/fake_session.h"

static struct text out;

static const char *run_in(struct console *console, struct str line)
{
	text_clear(&out);
	text_puts(&out, "");
	console_run(console, line, &out);
	assert_int_equal(text_status(&out), STATUS_OK);
	return out.data;
}

static const char *run(struct session *session, size_t core, struct str line)
{
	struct console console = {.session = session, .core = core, .is_monitor = true};

	return run_in(&console, line);
}

/* As a debugger with a script that reads all anew after it. */
static const char *run_refreshed(struct session *session, size_t core, struct str line)
{
	struct console console = {
	        .session = session, .core = core, .is_monitor = true, .is_refreshed = true};

	(void)run_in(&console, line);
	assert_false(console.waits);
	return out.data;
}

static int tear_down(void **state)
{
	(void)state;
	text_fini(&out);
	return 0;
}

static void console_help_names_every_command(void **state)
{
	static const char *const names[] = {"help",  "position", "seek",  "events",     "gaps",
	                                    "cores", "stack",    "calls", "up-in-time", "return",
	                                    "info",  "assume",   "set",   "why",        "origin",
	                                    "time",  "crash"};
	struct session *session = fake_session();

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_non_null(strstr(run(session, 0, STR("help")), names[i]));
	assert_non_null(strstr(run(session, 0, STR("  ")), "position"));
}

static void console_unknown_command_is_named(void **state)
{
	char word[500];

	(void)state;
	assert_string_equal(run(fake_session(), 0, STR("fly away")),
	                    "no command \"fly\"; `monitor help` lists them\n");
	memset(word, '\x01', sizeof(word));
	assert_true(strlen(run(fake_session(), 0, (struct str){word, sizeof(word)})) < 150);
	assert_null(strchr(out.data, '\x01'));
	assert_string_equal(run(fake_session(), 0, STR("position 3")),
	                    "position takes no argument\n");
}

static void console_assume_changes_and_lists(void **state)
{
	struct session *session = fake_session();

	(void)state;
	assert_non_null(strstr(run(session, 0, STR("assume")), "single-writer is off: nobody"));
	assert_non_null(strstr(out.data, "handler-preserves-registers is off: "));
	assert_non_null(strstr(run(session, 0, STR("assume single-writer on")),
	                       "single-writer is on: nobody"));
	assert_non_null(strstr(out.data, "gdb notices at the next stop"));
	assert_true(session_assumes(session, ASSUME_SINGLE_WRITER));
	run(session, 0, STR("set assume single-writer off"));
	assert_false(session_assumes(session, ASSUME_SINGLE_WRITER));
	run(session, 0, STR("set assume handler-preserves-registers on"));
	assert_true(session_assumes(session, ASSUME_HANDLER_PRESERVES));
	assert_non_null(strstr(run(session, 0, STR("assume handler-preserves-registers")),
	                       "handler-preserves-registers is on: "));
	assert_non_null(strstr(run(session, 0, STR("assume abi on")), "abi is on: functions keep"));
	assert_true(session_assumes(session, ASSUME_ABI));
}

static void console_trust_changes_the_assumptions_about_code(void **state)
{
	struct session *session = fake_session();

	(void)state;
	assert_non_null(strstr(run(session, 0, STR("trust")), "proved: what is not proved"));
	assert_non_null(strstr(run(session, 0, STR("trust assumed")), "assumed: where a value"));
	assert_non_null(strstr(out.data, "gdb notices at the next stop"));
	assert_true(session_assumes(session, ASSUME_ABI));
	assert_true(session_assumes(session, ASSUME_COHERENT));
	assert_false(session_assumes(session, ASSUME_SINGLE_WRITER));
	assert_string_equal(run(session, 0, STR("trust blindly")),
	                    "neither proved nor assumed: \"blindly\"\n");
	assert_true(session_assumes(session, ASSUME_ABI));
	assert_non_null(strstr(run(session, 0, STR("trust proved")), "proved: "));
	assert_false(session_assumes(session, ASSUME_ABI));
	assert_false(session_assumes(session, ASSUME_COHERENT));
}

static void console_says_what_possible_writes_do(void **state)
{
	struct session *session = fake_session();

	(void)state;
	assert_memory_equal(run(session, 0, STR("set possible-writes")),
	                    "possible-writes is stop: ", 25);
	assert_memory_equal(run(session, 0, STR("set possible-writes report")),
	                    "possible-writes is report: ", 27);
	assert_int_equal(session_possible(session), POSSIBLE_REPORT);
	assert_memory_equal(run(session, 0, STR("set possible-writes  skip")),
	                    "possible-writes is skip: ", 25);
	assert_int_equal(session_possible(session), POSSIBLE_SKIP);
	assert_string_equal(run(session, 0, STR("set possible-writes no")),
	                    "neither stop, report nor skip: \"no\"\n");
	assert_int_equal(session_possible(session), POSSIBLE_SKIP);
	(void)run(session, 0, STR("set possible-writes stop"));
	assert_int_equal(session_possible(session), POSSIBLE_STOP);
}

static void console_says_what_a_continue_stops_for(void **state)
{
	struct session *session = fake_session();

	(void)state;
	assert_memory_equal(run(session, 0, STR("set gap")), "gap is ask: a continue stops", 28);
	assert_memory_equal(run(session, 0, STR("set gap pass")), "gap is pass: ", 13);
	assert_int_equal(session_gap_policy(session), GAP_POLICY_PASS);
	assert_string_equal(run(session, 0, STR("set gap never")),
	                    "neither stop, pass nor ask: \"never\"\n");
	assert_int_equal(session_gap_policy(session), GAP_POLICY_PASS);
	assert_memory_equal(run(session, 0, STR("catch gap")), "gap is stop: ", 13);
	assert_int_equal(session_gap_policy(session), GAP_POLICY_STOP);
	(void)run(session, 0, STR("catch gap off"));
	assert_int_equal(session_gap_policy(session), GAP_POLICY_ASK);
	assert_string_equal(run(session, 0, STR("catch context on")),
	                    "catch context is on: a continue stops at what the trace says of "
	                    "contexts\n");
	assert_true(session_catches(session, SESSION_CATCH_CONTEXT));
	assert_false(session_catches(session, SESSION_CATCH_EXCEPTION));
	assert_non_null(strstr(run(session, 0, STR("catch")), "catch exception is off: "));
	assert_non_null(strstr(out.data, "catch context is on: "));
	assert_non_null(strstr(out.data, "gap is ask: "));
	(void)run(session, 0, STR("catch exception"));
	assert_true(session_catches(session, SESSION_CATCH_EXCEPTION));
	assert_string_equal(run(session, 0, STR("catch rain")),
	                    "neither exception, gap, context nor software-trace: \"rain\"\n");
	assert_string_equal(run(session, 0, STR("catch gap maybe")),
	                    "neither on nor off: \"maybe\"\n");
	/* Without memory to read it there is none. */
	assert_non_null(strstr(run(session, 0, STR("catch software-trace")), "out of memory"));
	assert_true(session_catches(session, SESSION_CATCH_SOFTWARE));
}

static void console_assume_refuses_what_it_does_not_know(void **state)
{
	struct session *session = fake_session();

	(void)state;
	assert_string_equal(run(session, 0, STR("assume luck on")),
	                    "no assumption \"luck\"; `assume` lists them\n");
	assert_string_equal(run(session, 0, STR("assume single-writer yes")),
	                    "neither on nor off: \"yes\"\n");
	assert_false(session_assumes(session, ASSUME_SINGLE_WRITER));
	assert_string_equal(
	        run(session, 0, STR("set colour red")),
	        "nothing to set is called \"colour\"; `set assume`, `set cores`, `set gap`, "
	        "`set software-trace` and `set possible-writes` are all that there is\n");
	assert_string_equal(
	        run(session, 0, STR("set")),
	        "nothing to set is called \"\"; `set assume`, `set cores`, `set gap`, `set "
	        "software-trace` and `set possible-writes` are all that there is\n");
	fake_session_set_data(true);
	assert_string_equal(run(session, 0, STR("assume")),
	                    "the trace has the data itself: nothing is assumed\n");
}

/* In lines of its own, one for each; of one that is named that one's, with a hint if it changed. */
static void console_assumptions_have_a_line_each(void **state)
{
	static const char *const hint = "(gdb notices at the next stop, or with `set stack-cache "
	                                "off` and `maintenance flush register-cache` at once)\n";
	struct session *session = fake_session();
	struct text expected = {0};

	(void)state;
	for (unsigned int i = 0; i < ASSUMPTIONS; i++)
		text_printf(&expected, "%s is off: %s\n", assumption_name((enum assumption)i),
		            assumption_text((enum assumption)i));
	assert_string_equal(run(session, 0, STR("assume")), expected.data);
	assert_string_equal(run(session, 0, STR("set assume")), expected.data);
	text_clear(&expected);
	text_printf(&expected, "abi is on: %s\n%s", assumption_text(ASSUME_ABI), hint);
	assert_string_equal(run(session, 0, STR("set  assume  abi  on")), expected.data);
	text_clear(&expected);
	text_printf(&expected, "abi is on: %s\n", assumption_text(ASSUME_ABI));
	assert_string_equal(run(session, 0, STR("assume abi")), expected.data);
	assert_non_null(strstr(run(session, 0, STR("assume abi off")), "abi is off: "));
	assert_false(session_assumes(session, ASSUME_ABI));
	text_fini(&expected);
}

static void console_space_says_and_changes_who_sees(void **state)
{
	struct session *session = fake_session();

	(void)state;
	assert_string_equal(run(session, 0, STR("space")),
	                    "memory is as seen from EL1N, context 0x0\n");
	assert_non_null(strstr(run(session, 0, STR("space S, context=0x100")),
	                       "memory is as seen from Any S, context 0x100\n(gdb notices"));
	assert_non_null(strstr(run(session, 0, STR("space EL9")), "no address space; give"));
	assert_non_null(strstr(run(session, 0, STR("space context=x")), "no address space; give"));
	assert_non_null(strstr(run(session, 0, STR("space")), "Any S, context 0x100"));
	assert_non_null(strstr(run(session, 0, STR("space core")), "EL1N, context 0x0"));
}

static void console_x_shows_what_is_known(void **state)
{
	struct session *session = fake_session();

	(void)state;
	assert_string_equal(run(session, 0, STR("x EL1N:0x1000 4")), "0x1000: 00 01 02 03\n");
	assert_non_null(strstr(run(session, 0, STR("x N:0x1020")), "0x1028: not known\n"));
	assert_string_equal(run(session, 0, STR("x EL3:0x1000")), "0x1000: not known\n");
	assert_non_null(strstr(run(session, 0, STR("x nowhere:0x1000")), "no address space"));
	assert_non_null(strstr(run(session, 0, STR("x 0x1000")), "x SPACE:ADDRESS [COUNT]"));
	assert_non_null(strstr(run(session, 0, STR("x N:y")), "x SPACE:ADDRESS [COUNT]"));
	assert_non_null(strstr(run(session, 0, STR("x N:0 z")), "x SPACE:ADDRESS [COUNT]"));
}

/* Each line of the help names a command that there is, but the last. */
static void console_help_has_what_commands_take(void **state)
{
	struct session *session = fake_session();
	struct text help = {0};
	const char *line;

	(void)state;
	text_puts(&help, run(session, 0, STR("help")));
	assert_string_equal(run(session, 0, STR("")), help.data);
	for (line = help.data; strncmp(line, "POSITION ", 9) != 0; line = strchr(line, '\n') + 1) {
		struct str name = {line, strcspn(line, " ")};
		bool takes_more = line[17] != ' ';

		assert_null(strstr(run(session, 0, name), "no command"));
		text_clear(&out);
		text_printf(&out, "%.*s x", STR_ARG(name));
		assert_int_equal(strstr(run(session, 0, str_of(strdupa(out.data))),
		                        "takes no argument") == NULL,
		                 takes_more);
		assert_true(strcspn(line, "\n") > 36);
		assert_int_equal(line[35], ' ');
		assert_int_not_equal(line[36], ' ');
	}
	assert_string_equal(line, "POSITION is " POSITION_FORMS ".\n"
	                          "RANGE is POSITION, FROM..TO, FROM.. or all.\n");
	text_fini(&help);
}

static void console_info_says_what_values_rest_on(void **state)
{
	struct session *session = fake_session();

	(void)state;
	assert_non_null(strstr(run(session, 0, STR("info")), "position 10 of 10 (the halt)"));
	/* A core without trouble has no line of its own after the assumptions. */
	assert_null(strstr(run(session, 0, STR("info")), "cpu_0: \n"));
	assert_null(strstr(run(session, 0, STR("info")), "null"));
	assert_non_null(strstr(out.data, "single-writer is off"));
	assert_null(strstr(out.data, "disagree"));
	run(session, 0, STR("assume single-writer on"));
	assert_non_null(strstr(run(session, 0, STR("info")), "snapshot and trace disagree"));
}

static void console_why_takes_registers_and_addresses(void **state)
{
	struct session *session = fake_session();

	(void)state;
	assert_string_equal(run(session, 0, STR("why x3")), "register 4\n");
	assert_string_equal(run(session, 0, STR("why $LR")), "register 1f\n");
	assert_string_equal(run(session, 0, STR("why -v sp")), "all of register 20\n");
	assert_string_equal(run(session, 0, STR("why 0x7008")), "memory 7008\n");
	assert_string_equal(run(session, 0, STR("why not")),
	                    "no register and no address: \"not\"\n");
	/* A position is no value of the core. */
	assert_string_equal(run(session, 0, STR("why trace_pos")),
	                    "no register and no address: \"trace_pos\"\n");
	assert_string_equal(run(session, 0, STR("why")), "why REGISTER, or why ADDRESS\n");
}

static void console_position_names_each_thread(void **state)
{
	struct session *session = fake_session();

	(void)state;
	assert_int_equal(session_seek(session, 0, 3), STATUS_OK);
	assert_string_equal(run(session, 0, STR("position")),
	                    "* 1 cpu_0: position 3 of 10, PC 0x100c\n"
	                    "  2 cpu<1>: position 0 of 0 (the halt), PC 0x9000\n");
}

static void console_origin_asks_and_numbers_are_places(void **state)
{
	struct session *session = fake_session();

	(void)state;
	assert_string_equal(run(session, 0, STR("origin")),
	                    "origin REGISTER, origin ADDRESS[+SIZE], or origin VARIABLE\n");
	assert_int_equal(session_seek(session, 0, 5), STATUS_OK);
	assert_string_equal(run(session, 0, STR("origin x3")),
	                    "origin of a register at 5\n(`monitor seek #N` goes to a step)\n");
	assert_non_null(strstr(run(session, 0, STR("origin 0x10+4")), "origin of memory at 5\n"));
	assert_string_equal(run(session, 0, STR("origin unknown")),
	                    "no register, no address and no variable: \"unknown\"\n");
	assert_non_null(strstr(run(session, 0, STR("origin several")), "several variables"));
	assert_non_null(strstr(run(session, 0, STR("origin no-values")), "not reconstructed"));
	assert_non_null(strstr(run(session, 0, STR("origin bad-size")), "+SIZE of 1 to"));
	assert_non_null(strstr(run(session, 1, STR("origin x3")), "has the data itself"));
	assert_non_null(
	        strstr(run_refreshed(session, 0, STR("seek #3")), "* 1 cpu_0: position 6 of 10"));
	assert_non_null(
	        strstr(run_refreshed(session, 0, STR("seek origin#1")), "position 2 of 10"));
	assert_non_null(
	        strstr(run(session, 0, STR("seek #4")), "no place of the last answer: \"#4\""));
	assert_non_null(strstr(run(session, 0, STR("seek why#1")), "no place"));
	assert_non_null(strstr(run(session, 0, STR("seek #")), "no place"));
	assert_int_equal(session_position(session, 0), 2);
}

static void console_writes_and_reads_have_a_range(void **state)
{
	struct session *session = fake_session();

	(void)state;
	assert_int_equal(session_seek(session, 0, 5), STATUS_OK);
	assert_string_equal(run(session, 0, STR("last-write x3")),
	                    "last-write of 0 to 5, 1 writes\n");
	assert_string_equal(run(session, 0, STR("next-candidate")), "older\n");
	assert_non_null(strstr(run(session, 1, STR("next-candidate")), "`last-write` first"));
	assert_string_equal(run(session, 0, STR("writes x3")), "writes of 0 to 5, 100 writes\n");
	assert_string_equal(run(session, 0, STR("reads x3 from 2 to 0x4")),
	                    "reads of 2 to 4, 100 reads\n");
	assert_string_equal(run(session, 0, STR("reads x3 to 99")),
	                    "position out of range (0..10)\n");
	assert_string_equal(run(session, 0, STR("reads x3 from 9")),
	                    "reads of 5 to 5, 100 reads\n");
	assert_string_equal(run(session, 0, STR("writes x3 till 9")),
	                    "neither from N nor to N: \"till\"\n");
	assert_non_null(strstr(run(session, 0, STR("writes x3 from")), "not a position"));
	assert_non_null(strstr(run(session, 0, STR("writes unknown")), "no register"));
	assert_non_null(strstr(run(session, 1, STR("writes x3")), "has the data itself"));
	assert_non_null(
	        strstr(run_refreshed(session, 0, STR("next-write x3")),
	               "next-write of 6 to 10, 1 writes forward\n* 1 cpu_0: position 2 of 10"));
	assert_non_null(strstr(run(session, 0, STR("previous-write x3")),
	                       "previous-write of 0 to 2, 1 writes\n"));
	assert_string_equal(run(session, 0, STR("values-of x3 from 1")), "values of 1 to 2, 100\n");
	assert_non_null(strstr(run(session, 0, STR("values-of unknown")), "no register"));
	assert_non_null(strstr(run(session, 1, STR("values-of x3")), "has the data itself"));
}

static void console_seek_moves_or_says_the_range(void **state)
{
	struct session *session = fake_session();

	(void)state;
	assert_non_null(
	        strstr(run_refreshed(session, 0, STR("seek 7")), "* 1 cpu_0: position 7 of 10"));
	assert_int_equal(session_position(session, 0), 7);
	assert_string_equal(run(session, 0, STR("seek 11")), "position out of range (0..10)\n");
	assert_string_equal(run(session, 0, STR("seek")),
	                    "not a position: \"\"; give " POSITION_FORMS "\n");
	assert_int_equal(session_position(session, 0), 7);
	assert_string_equal(run_refreshed(session, 0, STR("seek end")),
	                    "* 1 cpu_0: position 10 of 10 (the halt), PC 0x1028\n"
	                    "  2 cpu<1>: position 0 of 0 (the halt), PC 0x9000\n");
	assert_int_equal(session_position(session, 0), 10);
	assert_string_equal(run(session, 0, STR("seek x")),
	                    "not a position: \"x\"; give " POSITION_FORMS "\n");
}

static void console_seek_waits_for_a_debugger_without_a_script(void **state)
{
	static const char *const lines[] = {"seek 7", "back 3", "seek -3"};
	struct session *session = fake_session();

	(void)state;
	assert_int_equal(session_seek(session, 0, 10), STATUS_OK);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct console console = {.session = session, .core = 0, .is_monitor = true};

		(void)run_in(&console, str_of(lines[i]));
		assert_true(console.waits);
		assert_false(console.went);
		assert_int_equal(console.waiting_position, 7);
		assert_int_equal(session_position(session, 0), 10);
		assert_non_null(strstr(out.data, "stops at position 7; nothing has moved yet"));
	}
}

/* The fake's core 0 is at position p from 100 + 10 p to 110 + 10 p; core 1 has no times. */
static void console_time_says_when_and_where_the_others_were(void **state)
{
	struct session *session = fake_session();

	(void)state;
	assert_string_equal(
	        run(session, 0, STR("time 3")),
	        "* 1 cpu_0: position 3, time 130 to 140, about 135 by cycles, precision 10\n");
	assert_string_equal(run(session, 0, STR("time 0")),
	                    "* 1 cpu_0: position 0, time up to 110\n");
	assert_string_equal(run(session, 0, STR("time 10")),
	                    "* 1 cpu_0: position 10, time 200 or later\n");
	assert_string_equal(run(session, 0, STR("time 11")), "position out of range (0..10)\n");
	assert_string_equal(run(session, 1, STR("time")), "* 2 cpu<1>: position 0, time unknown\n");
	assert_non_null(
	        strstr(run_refreshed(session, 0, STR("seek @145")), "* 1 cpu_0: position 4 of 10"));
	assert_string_equal(run(session, 0, STR("seek @x")),
	                    "not a time: \"@x\"; give @ and a number, or such as @10us-before-end "
	                    "and @1.5ms-after-begin\n");
	assert_string_equal(run(session, 1, STR("seek @145")),
	                    "* 2 cpu<1>: its trace says nothing of time\n");
	assert_string_equal(run(session, 0, STR("seek @9999")),
	                    "* 1 cpu_0: its timestamps go back at position 7\n");
	assert_int_equal(session_position(session, 0), 4);
}

static void console_gaps_names_reason_and_place(void **state)
{
	(void)state;
	assert_string_equal(
	        run(fake_session(), 1, STR("gaps")),
	        "  1 cpu_0: 1 gap in 10 instructions\n"
	        "    1: the trace source overflowed\n"
	        "    gap before position 4: the trace source overflowed (trace byte 77)\n"
	        "* 2 cpu<1>: 0 gaps in 0 instructions\n"
	        "  3 cpu_2: 0 gaps in 0 instructions\n"
	        "  4 cpu_3: 0 gaps in 0 instructions\n");
	assert_null(strstr(run(fake_session(), 0, STR("gaps 5-9")), "gap before"));
	assert_non_null(strstr(run(fake_session(), 0, STR("gaps 4")), "gap before"));
	assert_non_null(strstr(run(fake_session(), 0, STR("gaps all")), "gap before"));
	assert_non_null(strstr(run(fake_session(), 0, STR("gaps 2-")), "gap before"));
	assert_string_equal(
	        run(fake_session(), 0, STR("gaps x")),
	        "not a range of positions: \"x\"; give a position, FROM..TO, FROM.. or all\n");
}

/* How often a text is in what was said last. */
static size_t count_of(const char *text)
{
	size_t count = 0;

	for (const char *at = out.data; (at = strstr(at, text)) != NULL; at++)
		count++;
	return count;
}

static void console_gaps_shows_twenty_or_those_asked_for(void **state)
{
	struct session *session = fake_session();
	const unsigned int reasons = GAP_HALT + 1; /* the gaps have them in turn */
	char begin[200];
	char end[200];

	(void)state;
	(void)snprintf(begin, sizeof(begin),
	               "* 1 cpu_0: 21 gaps in 10 instructions\n"
	               "    %u: tracing was off\n"
	               "    %u: the trace source overflowed\n",
	               (21 - 1) / reasons + 1, (21 - 2) / reasons + 1);
	(void)snprintf(end, sizeof(end),
	               "    %u: the trace does not lead to the halt\n"
	               "    gap before position 0: tracing was off\n",
	               21 / reasons);
	fake_session_set_gaps(20);
	assert_null(strstr(run(session, 0, STR("gaps")), "more"));
	assert_int_equal(count_of("gap before position "), 20);
	fake_session_set_gaps(21);
	assert_non_null(strstr(run(session, 0, STR("gaps")),
	                       "\n    ... and 1 more; `gaps FROM-TO` or `gaps all` shows them\n"));
	assert_int_equal(count_of("gap before position "), 20);
	assert_int_equal(count_of("gap before position 19: "), 1);
	/* Of each reason how many, in the order of the reasons. */
	assert_ptr_equal(strstr(out.data, begin), out.data);
	assert_non_null(strstr(out.data, end));
	(void)run(session, 0, STR("gaps all"));
	assert_int_equal(count_of("gap before position "), 21);
	assert_int_equal(count_of("more"), 0);
	(void)run(session, 0, STR("gaps 3-19"));
	assert_int_equal(count_of("gap before position "), 17);
	assert_int_equal(count_of("position 3: "), 1);
	assert_int_equal(count_of("position 19: "), 1);
	(void)run(session, 0, STR("gaps 19-"));
	assert_int_equal(count_of("gap before position "), 2);
}

static void console_gaps_lists_five_thousand_at_most(void **state)
{
	struct session *session = fake_session();

	(void)state;
	fake_session_set_gaps(5000);
	assert_null(strstr(run(session, 0, STR("gaps all")), "more"));
	fake_session_set_gaps(5003);
	assert_non_null(strstr(run(session, 0, STR("gaps all")), "\n    ... and 3 more; "));
	assert_int_equal(count_of("gap before position 4999: "), 1);
	assert_int_equal(count_of("gap before position "), 5000);
}

static void console_events_are_those_of_the_range(void **state)
{
	struct session *session = fake_session();

	(void)state;
	assert_non_null(strstr(run(session, 0, STR("events")), "before 2: "));
	assert_non_null(strstr(out.data, "before 10: "));
	assert_non_null(strstr(run(session, 0, STR("events 3-10")), "before 10: "));
	assert_null(strstr(out.data, "before 2: "));
	assert_int_equal(session_seek(session, 0, 5), STATUS_OK);
	assert_null(strstr(run(session, 0, STR("events")), "before 10: "));
	assert_non_null(strstr(run(session, 0, STR("events all")), "before 10: "));
	assert_string_equal(run(session, 1, STR("events")),
	                    "0 events in all; `events FROM-TO` shows others\n");
}

/* Whether these numbers of exceptions, and no more, are in what was said last. */
static void assert_listed(unsigned int first, unsigned int end)
{
	assert_int_equal(count_of("before "), end - first);
	for (unsigned int i = first; i < end; i++) {
		char number[32];

		(void)snprintf(number, sizeof(number), "before %u: ", i / 4);
		assert_true(count_of(number) > 0);
		(void)snprintf(number, sizeof(number), "excep num (0x%02x)", i);
		assert_int_equal(count_of(number), 1);
	}
}

static void console_events_shows_the_latest_twenty_or_those_asked_for(void **state)
{
	struct session *session = fake_session();

	(void)state;
	fake_session_set_events(45);
	(void)run(session, 0, STR("events"));
	assert_listed(24, 44); /* those before 11 are after the halt */
	assert_non_null(strstr(out.data, "\n45 events in all; `events FROM-TO` shows others\n"));
	assert_int_equal(session_seek(session, 0, 2), STATUS_OK);
	(void)run(session, 0, STR("events"));
	assert_listed(0, 12);
	(void)run(session, 0, STR("events 3-4"));
	assert_listed(12, 20);
	(void)run(session, 0, STR("events 3"));
	assert_listed(12, 16);
	(void)run(session, 0, STR("events 11-"));
	assert_listed(44, 45);
	(void)run(session, 0, STR("events all"));
	assert_listed(0, 45);
	assert_int_equal(count_of("more"), 0);
	assert_string_equal(run(session, 0, STR("events 4-3")),
	                    "45 events in all; `events FROM-TO` shows others\n");
	assert_string_equal(
	        run(session, 0, STR("events 3-x")),
	        "not a range of positions: \"3-x\"; give a position, FROM..TO, FROM.. or all\n");
}

static void console_events_lists_five_thousand_at_most(void **state)
{
	struct session *session = fake_session();

	(void)state;
	fake_session_set_events(5000);
	assert_null(strstr(run(session, 0, STR("events all")), "more"));
	assert_int_equal(count_of("before "), 5000);
	fake_session_set_events(5003);
	assert_non_null(strstr(run(session, 0, STR("events 0-")),
	                       ")\n... and 3 more\n5003 events in all; "));
	assert_int_equal(count_of("before "), 5000);
}

/* X30 is what LR is in A64 alone. */
static void console_lr_is_that_of_the_architecture(void **state)
{
	struct session *session = fake_session();

	(void)state;
	assert_string_equal(run(session, 0, STR("why x30")), "register 1f\n");
	fake_session_set_arch(CORE_A32);
	assert_string_equal(run(session, 0, STR("why lr")), "register f\n");
	assert_string_equal(run(session, 0, STR("why $")), "no register and no address: \"$\"\n");
}

static void console_without_memory_says_so(void **state)
{
	struct session *session = fake_session();
	struct text expected = {0};

	(void)state;
	text_printf(&expected, "%s\n", status_text(STATUS_NO_MEM));
	fake_session_set_exhausted(true);
	assert_string_equal(run(session, 0, STR("assume abi on")), expected.data);
	assert_string_equal(run(session, 0, STR("why x0")), expected.data);
	text_fini(&expected);
}

static void console_cores_says_why_one_is_no_thread(void **state)
{
	(void)state;
	assert_string_equal(
	        run(fake_session(), 0, STR("cores")),
	        "* 1 cpu_0: Cortex-A53, 10 instructions\n"
	        "  2 cpu<1>: Cortex-A53, no trace\n"
	        "  3 cpu_2: Cortex-A53, no trace; no thread: the snapshot has no PC for it\n"
	        "  4 cpu_3: Cortex-A53, no trace; no thread: a session has one register "
	        "description, "
	        "and this one's is AArch64\n");
}

static void crash_is_a_sentence_a_core(void **state)
{
	struct session *session = fake_session();

	(void)state;
	assert_non_null(strstr(run(session, 0, STR("crash")), "* 1 cpu_0: data fault\n"));
	assert_non_null(strstr(run(session, 0, STR("crash")), "  2 cpu<1>: neither registers"));
	assert_non_null(strstr(run(session, 0, STR("info")), "* 1 cpu_0: data fault\n"));
	fake_session_set_fault(false);
	assert_non_null(strstr(run(session, 0, STR("crash")), "* 1 cpu_0: neither registers"));
	assert_null(strstr(run(session, 0, STR("info")), "neither"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_teardown(crash_is_a_sentence_a_core, tear_down),
	        cmocka_unit_test_teardown(console_help_names_every_command, tear_down),
	        cmocka_unit_test_teardown(console_unknown_command_is_named, tear_down),
	        cmocka_unit_test_teardown(console_assume_changes_and_lists, tear_down),
	        cmocka_unit_test_teardown(console_trust_changes_the_assumptions_about_code,
	                                  tear_down),
	        cmocka_unit_test_teardown(console_says_what_a_continue_stops_for, tear_down),
	        cmocka_unit_test_teardown(console_assume_refuses_what_it_does_not_know, tear_down),
	        cmocka_unit_test_teardown(console_says_what_possible_writes_do, tear_down),
	        cmocka_unit_test_teardown(console_assumptions_have_a_line_each, tear_down),
	        cmocka_unit_test_teardown(console_help_has_what_commands_take, tear_down),
	        cmocka_unit_test_teardown(console_info_says_what_values_rest_on, tear_down),
	        cmocka_unit_test_teardown(console_origin_asks_and_numbers_are_places, tear_down),
	        cmocka_unit_test_teardown(console_writes_and_reads_have_a_range, tear_down),
	        cmocka_unit_test_teardown(console_why_takes_registers_and_addresses, tear_down),
	        cmocka_unit_test_teardown(console_position_names_each_thread, tear_down),
	        cmocka_unit_test_teardown(console_time_says_when_and_where_the_others_were,
	                                  tear_down),
	        cmocka_unit_test_teardown(console_seek_moves_or_says_the_range, tear_down),
	        cmocka_unit_test_teardown(console_seek_waits_for_a_debugger_without_a_script,
	                                  tear_down),
	        cmocka_unit_test_teardown(console_space_says_and_changes_who_sees, tear_down),
	        cmocka_unit_test_teardown(console_x_shows_what_is_known, tear_down),
	        cmocka_unit_test_teardown(console_gaps_names_reason_and_place, tear_down),
	        cmocka_unit_test_teardown(console_gaps_shows_twenty_or_those_asked_for, tear_down),
	        cmocka_unit_test_teardown(console_gaps_lists_five_thousand_at_most, tear_down),
	        cmocka_unit_test_teardown(console_events_are_those_of_the_range, tear_down),
	        cmocka_unit_test_teardown(console_events_shows_the_latest_twenty_or_those_asked_for,
	                                  tear_down),
	        cmocka_unit_test_teardown(console_events_lists_five_thousand_at_most, tear_down),
	        cmocka_unit_test_teardown(console_lr_is_that_of_the_architecture, tear_down),
	        cmocka_unit_test_teardown(console_without_memory_says_so, tear_down),
	        cmocka_unit_test_teardown(console_cores_says_why_one_is_no_thread, tear_down),
	};

	/* What `mark` is tried with is kept nowhere. */
	(void)unsetenv("XDG_STATE_HOME");
	(void)unsetenv("HOME");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
