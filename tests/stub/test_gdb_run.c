/* SPDX-License-Identifier: Apache-2.0 */
/* Moves and stop replies in full: what is told beside them, faults, vCont's actions. */
#include <stdio.h>
#include <stdlib.h>

#include "gdb_rig.h"

/* The reply to a move, after what the console is told. */
static const char *stop_of(const char *request)
{
	const char *stop;

	(void)ask(request);
	stop = strrchr(rig.replies.data, '\n');
	return stop ? stop + 1 : rig.replies.data;
}

/* That the console is told this text, or nothing, and then the stop is this one. */
static void assert_told(const char *request, const char *text, const char *stop)
{
	struct text expected = {0};

	if (text[0] != '\0') {
		text_char(&expected, 'O');
		hex_of(&expected, text);
		text_char(&expected, '\n');
	}
	text_puts(&expected, stop);
	assert_string_equal(ask(request), expected.data);
	text_fini(&expected);
}

/* That the console is told this text in any number of packets, and the stop begins like this. */
static void assert_all_told(const char *request, const char *text, const char *stop)
{
	const char *at = ask(request);
	struct text told = {0};

	for (; at[0] == 'O'; at = strchr(at, '\n') + 1) {
		for (const char *hex = at + 1; hex[0] != '\n'; hex += 2) {
			unsigned int byte;

			assert_int_equal(sscanf(hex, "%2x", &byte), 1);
			text_char(&told, (char)byte);
		}
	}
	text_char(&told, '\0');
	assert_string_equal(told.data, text);
	assert_memory_equal(at, stop, strlen(stop));
	text_fini(&told);
}

static void gap_is_named_with_what_became_of_it(void **state)
{
	(void)state;
	connect_gdb();
	assert_told("bc",
	            "csreplay: stopped after a gap before position 4: the trace source "
	            "overflowed (trace byte 77)\n",
	            "T0000:0c10000000000000;thread:1;core:0;");
	assert_told("s",
	            "csreplay: crossed a gap before position 4: the trace source overflowed "
	            "(trace byte 77)\n",
	            "T0500:1010000000000000;thread:1;core:0;");
	assert_told("s", "", "T0500:1410000000000000;thread:1;core:0;");
}

/* Nothing that a watchpoint may have missed is passed over in silence. */
static void doubt_of_watchpoints_is_told(void **state)
{
	(void)state;
	connect_gdb();
	fake_session_set_doubt(&(struct values_may_alias){.count = 1, .position = 7});
	assert_told("bs",
	            "csreplay: 1 instruction on the way may have accessed what is watched, the "
	            "nearest at position 7: the address is not known\n",
	            "T0500:2410000000000000;thread:1;core:0;");
	fake_session_set_doubt(&(struct values_may_alias){.count = 2, .position = 8});
	assert_told("bs",
	            "csreplay: 2 instructions on the way may have accessed what is watched, the "
	            "nearest at position 8: the address is not known\n",
	            "T0500:2010000000000000;thread:1;core:0;");
	fake_session_set_doubt(
	        &(struct values_may_alias){.count = 3, .elsewhere = 2, .position = 8});
	assert_told("bs",
	            "csreplay: 3 instructions on the way may have accessed what is watched, the "
	            "nearest at position 8: the address is not known; of 2 it is assumed to be "
	            "another\n",
	            "T0500:1c10000000000000;thread:1;core:0;");
	fake_session_set_doubt(&(struct values_may_alias){.blind_first = 3, .blind_last = 6});
	assert_told("bs", "csreplay: nothing is known of what the instructions 3 to 5 accessed\n",
	            "T0500:1810000000000000;thread:1;core:0;");
	fake_session_set_doubt(&(struct values_may_alias){.blind_first = 6, .blind_last = 6});
	assert_told("bs", "", "T0500:1410000000000000;thread:1;core:0;");
}

/* What gdb would not show as what it is, it is sent as a stop that it keeps, after the access. */
static void hit_that_gdb_would_pass_over_is_kept(void **state)
{
	static const struct {
		const char *watch; /* packet */
		uint8_t before;
		uint8_t after;
		const char *told; /* NULL: an ordinary hit */
	} cases[] = {
	        {"Z2,7008,4", 0x11, 0x22, NULL},
	        {"Z2,7008,4", 0x11, 0x11, NULL}, /* gdb passes over it, as it does anywhere */
	        {"Z2,7008,4", 0, 0x22, NULL},
	        {"Z2,7008,4", 0x11, 0, NULL}, /* what it saw last is not known */
	        {"Z2,7008,4", 0, 0,
	         "csreplay: write of the 4 bytes at 0x7008: position 6; before it not known, after "
	         "it not known\n"},
	        {"Z3,7008,4", 0, 0, NULL},
	        {"Z4,7008,4", 0, 0, NULL},
	};

	(void)state;
	fake_session_set_data(true);
	connect_gdb();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fake_session_set_watched(cases[i].before, cases[i].after);
		assert_int_equal(session_seek(rig.gdb.session, 0, FAKE_LENGTH), STATUS_OK);
		assert_string_equal(ask(cases[i].watch), "OK");
		if (cases[i].told) {
			/* Its step is made: the instruction is yet to come. */
			assert_all_told("bc", cases[i].told,
			                "T0000:1810000000000000;thread:1;core:0;");
			assert_int_equal(session_position(rig.gdb.session, 0), FAKE_STORE);
		} else {
			assert_non_null(strstr(ask("bc"), "watch:7008;"));
		}
		rig.gdb.look_count = 0;
	}
}

/* gdb would show as the old value what it saw at the end: 0x22. */
static void old_value_of_a_hit_is_that_after_it(void **state)
{
	(void)state;
	fake_session_set_data(true);
	fake_session_set_watched(0x11, 0x22);
	connect_gdb();
	assert_string_equal(ask("Z2,7008,2"), "OK");
	assert_int_equal(session_seek(rig.gdb.session, 0, FAKE_STORE - 1), STATUS_OK);
	assert_all_told(
	        "c",
	        "csreplay: write of the 2 bytes at 0x7008: position 6; before it 0x1111, after "
	        "it 0x2222\n",
	        "T0000:1c10000000000000;thread:1;core:0;");
	/* Back, it was the value then. */
	assert_non_null(strstr(ask("bc"), "T05watch:7008;"));
	/* Now it has seen that before it; and forward again that is right, too. */
	assert_int_equal(session_seek(rig.gdb.session, 0, FAKE_STORE - 1), STATUS_OK);
	assert_non_null(strstr(ask("c"), "T05watch:7008;"));
	rig.gdb.client = CLIENT_LLDB; /* looks by itself */
	assert_int_equal(session_seek(rig.gdb.session, 0, FAKE_STORE - 1), STATUS_OK);
	assert_non_null(strstr(ask("c"), "watch:7008;"));
}

/*
 * A watchpoint of the same place that is made after a hit was shown has another old value: gdb read
 * it where it was made, and would pass over a hit that leaves the same.
 */
static void old_value_may_be_what_was_read_since(void **state)
{
	static const char *const reads[] = {"m7010,10", "m7000,10"};

	(void)state;
	fake_session_set_data(true);
	fake_session_set_watched(0x11, 0x22);
	for (size_t i = 0; i < 2; i++) {
		connect_gdb();
		assert_int_equal(session_seek(rig.gdb.session, 0, FAKE_LENGTH), STATUS_OK);
		assert_string_equal(ask("Z2,7008,2"), "OK");
		assert_non_null(strstr(ask("bc"), "T05watch:7008;"));
		(void)ask("bs"); /* gdb's own */
		assert_int_equal(session_seek(rig.gdb.session, 0, FAKE_LENGTH), STATUS_OK);
		(void)ask(reads[i]);
		assert_int_equal(session_seek(rig.gdb.session, 0, FAKE_STORE - 1), STATUS_OK);
		assert_string_equal(ask("Z2,7008,2"), "OK");
		if (i == 0)
			assert_non_null(strstr(ask("c"), "T05watch:7008;"));
		else
			assert_all_told("c",
			                "csreplay: write of the 2 bytes at 0x7008: position 6; "
			                "before it 0x1111, after it 0x2222\n",
			                "T0000:1c10000000000000;thread:1;core:0;");
		rig.gdb.look_count = 0;
	}
}

/* It is not known any more what was read since, where that was too much. */
static void old_value_is_not_known_after_too_many_reads(void **state)
{
	(void)state;
	fake_session_set_data(true);
	fake_session_set_watched(0x11, 0x22);
	connect_gdb();
	assert_int_equal(session_seek(rig.gdb.session, 0, FAKE_LENGTH), STATUS_OK);
	assert_string_equal(ask("Z2,7008,2"), "OK");
	assert_non_null(strstr(ask("bc"), "T05watch:7008;"));
	(void)ask("bs");
	assert_int_equal(session_seek(rig.gdb.session, 0, FAKE_LENGTH), STATUS_OK);
	(void)ask("m7000,10");
	for (unsigned int i = 0; i < GDB_READS; i++)
		(void)ask(i % 2 == 0 ? "m9000,4" : "m8000,4");
	assert_int_equal(session_seek(rig.gdb.session, 0, FAKE_STORE - 1), STATUS_OK);
	assert_string_equal(ask("Z2,7008,2"), "OK");
	assert_null(strstr(ask("c"), "watch:"));
	rig.gdb.look_count = 0;
}

/* An older hit is not shown as the last where a younger access is possible. */
static void hit_in_doubt_is_kept_where_doubt_is_reported(void **state)
{
	(void)state;
	fake_session_set_data(true);
	connect_gdb();
	assert_string_equal(ask("Z2,7008,1"), "OK");
	fake_session_set_doubt(&(struct values_may_alias){.count = 2, .position = 8});
	session_set_possible(rig.gdb.session, POSSIBLE_REPORT);
	assert_all_told(
	        "bc",
	        "csreplay: 2 instructions on the way may have accessed what is watched, the "
	        "nearest at position 8: the address is not known\n"
	        "  from 10 to 6\n"
	        "csreplay: write of the 1 byte at 0x7008: position 6; before it 0x11, after it "
	        "0x11\n",
	        "T0000:1810000000000000;thread:1;core:0;");
	session_set_possible(rig.gdb.session, POSSIBLE_SKIP);
	assert_int_equal(session_seek(rig.gdb.session, 0, FAKE_LENGTH), STATUS_OK);
	assert_all_told(
	        "bc",
	        "csreplay: 2 instructions on the way may have accessed what is watched, the "
	        "nearest at position 8: the address is not known\n",
	        "T05watch:7008;00:1810");
}

static void what_may_be_an_access_is_named_as_such(void **state)
{
	const struct {
		struct stop stop;
		const char *told;
	} cases[] = {
	        {{.reason = STOP_GAP,
	          .has_gap = true,
	          .gap = {.position = 10, .reason = GAP_OVERFLOW, .offset = 77},
	          .watch = {WATCH_WRITE, 0x7008, 8},
	          .access = {.verdict = VALUES_POSSIBLE, .is_event = true, .position = 9}},
	         "csreplay: stopped after a gap before position 10: the trace source overflowed "
	         "(trace byte 77)\ncsreplay: what is watched may have been accessed in it\n"},
	        {{.reason = STOP_POSSIBLE,
	          .watch = {WATCH_WRITE, 0x7008, 8},
	          .access = {.verdict = VALUES_POSSIBLE, .position = 9}},
	         "csreplay: possible write of the 8 bytes at 0x7008: position 9; where it went is "
	         "not known; before it 0x1111111111111111, after it 0x1111111111111111\n"},
	        {{.reason = STOP_POSSIBLE,
	          .watch = {WATCH_READ, 0x7008, 1},
	          .access = {.verdict = VALUES_POSSIBLE, .is_event = true, .position = 9}},
	         "csreplay: possible read of the 1 byte at 0x7008: position 9; what came after it "
	         "may have accessed any memory; before it 0x11, after it 0x11\n"},
	        {{.reason = STOP_POSSIBLE,
	          .watch = {WATCH_ACCESS, 0x7008, 20},
	          .access = {.verdict = VALUES_POSSIBLE, .position = 9}},
	         "csreplay: possible access to the 20 bytes at 0x7008: position 9; where it went "
	         "is "
	         "not known; before it bytes 11111111111111111111111111111111 ..., after it bytes "
	         "11111111111111111111111111111111 ...\n"},
	        {{.reason = STOP_POSSIBLE,
	          .watch = {WATCH_WRITE, 0x7008, 1},
	          .access = {.verdict = VALUES_POSSIBLE,
	                     .supposed = SUPPOSED_THERE,
	                     .position = 9}},
	         "csreplay: possible write of the 1 byte at 0x7008: position 9; it is assumed to "
	         "be "
	         "there, and not proved; before it 0x11, after it 0x11\n"},
	        {{.reason = STOP_BLIND,
	          .watch = {WATCH_WRITE, 0x7008, 8},
	          .access = {.verdict = VALUES_BLIND, .position = 9, .last = 2}},
	         "csreplay: from here on it is not known what instructions accessed, 9 to 2: so "
	         "it is; the "
	         "same move again goes past them\n"},
	};

	(void)state;
	fake_session_set_data(true);
	connect_gdb();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stop stop = cases[i].stop;

		stop.has_access = true;
		fake_session_set_met(&stop);
		assert_all_told("bc", cases[i].told, "T0000:2810");
		rig.gdb.client = CLIENT_LLDB; /* signal 0 is none there */
		assert_memory_equal(stop_of("bc"), "T05", 3);
		rig.gdb.client = CLIENT_GDB;
	}
}

/* gdb manual, "Stop Reply Packets"; lldb's reasons are in its document of the protocol. */
static void reasons_of_stops_are_those_of_the_client(void **state)
{
	(void)state;
	connect_gdb();
	assert_string_equal(stop_of("bs"), "T0500:2410000000000000;thread:1;core:0;");
	rig.gdb.client = CLIENT_LLDB;
	assert_string_equal(stop_of("bs"), "T05reason:trace;00:2010000000000000;thread:1;core:0;");
	/* "gap before position 4: the trace source overflowed (trace byte 77)" */
	assert_string_equal(stop_of("bc"),
	                    "T05reason:exception;description:"
	                    "676170206265666f726520706f736974696f6e20343a2074686520747261636520"
	                    "736f75726365206f766572666c6f77656420287472616365206279746520373729;"
	                    "00:0c10000000000000;thread:1;core:0;");
	/* "begin of the history" */
	assert_string_equal(stop_of("bc"), "T05replaylog:begin;description:"
	                                   "626567696e206f662074686520686973746f7279;"
	                                   "00:0010000000000000;thread:1;core:0;");
	(void)ask("c");
	/* "end of the history: the halt" */
	assert_non_null(strstr(stop_of("c"),
	                       "T05replaylog:end;description:656e64206f6620746865206869"
	                       "73746f72793a207468652068616c74;00:2810"));
	rig.gdb.client = CLIENT_GDB;
	assert_non_null(strstr(stop_of("c"), "T05replaylog:end;00:2810"));
}

/* Asked for a thread, lldb is told the reason of its stop, as long as it is there; others have
 * none. */
static void threads_have_the_reason_of_the_last_stop(void **state)
{
	(void)state;
	connect_lldb();
	assert_memory_equal(ask("qThreadStopInfo1"), "T0000:2810000000000000;", 23);
	assert_string_equal(stop_of("bs"), "T05reason:trace;00:2410000000000000;thread:1;core:0;");
	assert_string_equal(ask("qThreadStopInfo1"),
	                    "T05reason:trace;00:2410000000000000;thread:1;core:0;");
	assert_memory_equal(ask("qThreadStopInfo2"), "T00", 3);
	assert_string_equal(ask("qThreadStopInfo99"), "E01");
	assert_string_equal(ask("qThreadStopInfo"), "E01");
	assert_int_equal(session_seek(rig.gdb.session, 0, FAKE_LENGTH), STATUS_OK);
	assert_memory_equal(ask("qThreadStopInfo1"), "T00", 3);
}

/* Who did not say that he understands a reason is not told it. */
static void breakpoint_reasons_are_for_who_asked_for_them(void **state)
{
	static const struct {
		const char *features;
		const char *software;
		const char *hardware;
	} cases[] = {
	        {"qSupported:xmlRegisters=i386", "T0500:", "T0500:"},
	        {"qSupported:swbreak+", "T05swbreak:;00:", "T0500:"},
	        {"qSupported:hwbreak+", "T0500:", "T05hwbreak:;00:"},
	        {"qSupported:hwbreak-;swbreak+;x+", "T05swbreak:;00:", "T0500:"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		rig.gdb.has_swbreak = rig.gdb.has_hwbreak = false;
		(void)ask(cases[i].features);
		assert_int_equal(session_seek(rig.gdb.session, 0, FAKE_LENGTH), STATUS_OK);
		assert_string_equal(ask("Z0,1020,4"), "OK");
		assert_memory_equal(ask("bc"), cases[i].software, strlen(cases[i].software));
		assert_string_equal(ask("z0,1020,4"), "OK");
		assert_string_equal(ask("Z1,101c,4"), "OK");
		assert_memory_equal(ask("bc"), cases[i].hardware, strlen(cases[i].hardware));
		assert_string_equal(ask("z1,101c,4"), "OK");
	}
}

static void breakpoint_counts_where_a_condition_holds(void **state)
{
	static const struct {
		const char *insert;
		uint64_t position;
	} cases[] = {
	        /* q0, of 128 bits, is not known: gdb decides. */
	        {"Z0,1020,4;X7,26002222001327", 8},
	        {"Z0,1020,4;X3,220027", 4},           /* "0" */
	        {"Z0,1020,4;X3,220127", 8},           /* "1" */
	        {"Z0,1020,4;X3,220027X3,220127", 8},  /* one of two */
	        {"Z0,1020,4;X3,220027;X3,220027", 4}, /* neither */
	        {"Z0,1020,4;X3,2200", 8},             /* no sound one: it counts */
	        {"Z0,1020,4;X3,22zz27", 8},
	        {"Z0,1020,4;X0,", 8},
	        {"Z0,1020,4;Xffffffffffffffff,22", 8},
	        {"Z0,1020,4;cmds:1,X3,220027", 8},
	        {"Z1,1020,4;X3,220027", 4},
	};

	(void)state;
	connect_gdb();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(session_seek(rig.gdb.session, 0, FAKE_LENGTH), STATUS_OK);
		assert_string_equal(ask(cases[i].insert), "OK");
		(void)ask("bc");
		/* Without the breakpoint it is the gap that it stops after: before position 4. */
		assert_int_equal(session_position(rig.gdb.session, 0),
		                 cases[i].position == 4 ? FAKE_GAP - 1 : cases[i].position);
		if (cases[i].insert[1] == '0')
			assert_string_equal(ask("z0,1020,4"), "OK");
		else
			assert_string_equal(ask("z1,1020,4"), "OK");
	}
	/* Set again without one: it counts. */
	assert_int_equal(session_seek(rig.gdb.session, 0, FAKE_LENGTH), STATUS_OK);
	assert_string_equal(ask("Z0,1020,4;X3,220027"), "OK");
	assert_string_equal(ask("Z0,1020,4"), "OK");
	(void)ask("bc");
	assert_int_equal(session_position(rig.gdb.session, 0), 8);
}

/*
 * Numbers of exceptions in trace: IHI 0064 (ETMv4), exception packet, TYPE of A and R profile and
 * of M profile cores; IHI 0014 (ETMv3) and IHI 0035 (PTM), exception numbers.
 */
static void fault_at_the_halt_is_named_as_its_trace_numbers_it(void **state)
{
	static const struct {
		enum core_arch arch;
		enum protocol protocol;
		uint32_t number;
		const char *name; /* NULL: no fault */
		const char *signal;
	} cases[] = {
	        {CORE_A64, PROTOCOL_ETM4, 0xa, "alignment fault", "T0a"},
	        {CORE_A64, PROTOCOL_ETE, 0xb, "instruction fault", "T0b"},
	        {CORE_A32, PROTOCOL_ETM4, 0xc, "data fault", "T0b"},
	        {CORE_A64, PROTOCOL_ETE, 0xc, "data fault", "T0b"},
	        {CORE_A64, PROTOCOL_ETM4, 2, NULL, "T05"}, /* a call */
	        {CORE_A64, PROTOCOL_ETM4, 3, NULL, "T05"}, /* a trap */
	        {CORE_A64, PROTOCOL_ETM4, 9, NULL, "T05"},
	        {CORE_A64, PROTOCOL_ETM4, 0xe, NULL, "T05"}, /* an interrupt */
	        {CORE_A64, PROTOCOL_ETM4, 0x1a, NULL, "T05"},
	        {CORE_M, PROTOCOL_ETM4, 3, "HardFault", "T0b"},
	        {CORE_M, PROTOCOL_ETM4, 4, "MemManage fault", "T0b"},
	        {CORE_M, PROTOCOL_ETM4, 5, "BusFault", "T0a"},
	        {CORE_M, PROTOCOL_ETE, 6, "UsageFault", "T04"},
	        {CORE_M, PROTOCOL_ETM4, 0x1a, "lockup", "T0b"},
	        {CORE_M, PROTOCOL_ETM4, 0xc, NULL, "T05"}, /* the debug monitor */
	        {CORE_M, PROTOCOL_ETM4, 2, NULL, "T05"},   /* NMI */
	        {CORE_A32, PROTOCOL_PTM, 9, "undefined instruction", "T04"},
	        {CORE_A32, PROTOCOL_ETM3, 0xb, "prefetch abort", "T0b"},
	        {CORE_A32, PROTOCOL_PTM, 0xc, "data abort", "T0b"},
	        {CORE_A32, PROTOCOL_ETM3, 0xa, NULL, "T05"}, /* SVC */
	        {CORE_A32, PROTOCOL_PTM, 0xf, NULL, "T05"},  /* FIQ */
	        {CORE_M, PROTOCOL_ETM3, 0xc, NULL, "T05"},
	        {CORE_M, PROTOCOL_ETM3, 3, NULL, "T05"},
	        {CORE_A32, PROTOCOL_UNKNOWN, 0xc, NULL, "T05"},
	        {CORE_A32, PROTOCOL_ITM, 0xc, NULL, "T05"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct text expected = {0};

		connect_gdb_to(cases[i].arch);
		fake_session_set_exception(cases[i].protocol, cases[i].number);
		text_puts(&expected, cases[i].signal);
		assert_memory_equal(ask("?"), expected.data, expected.length);
		assert_memory_equal(rig.replies.data + expected.length, "00:", 3);
		rig.gdb.client = CLIENT_LLDB;
		if (cases[i].name)
			text_puts(&expected, "reason:exception;description:");
		if (cases[i].name) {
			hex_of(&expected, "at the halt: ");
			hex_of(&expected, cases[i].name);
		}
		text_puts(&expected, cases[i].name ? ";00:" : "00:");
		assert_memory_equal(ask("?"), expected.data, expected.length);
		text_fini(&expected);
	}
}

/* A fault is why the core halted only if nothing is unknown between the two. */
static void fault_before_a_gap_or_on_the_way_is_none_of_the_halt(void **state)
{
	(void)state;
	connect_gdb();
	fake_session_set_halt_gap(true);
	assert_memory_equal(ask("?"), "T0500:", 6);
	fake_session_set_halt_gap(false);
	assert_memory_equal(ask("?"), "T0b00:", 6);
	fake_session_set_fault(false);
	assert_memory_equal(ask("?"), "T0500:", 6);
	fake_session_set_fault(true);
	(void)ask("vCont;s:2");
	assert_memory_equal(ask("?"), "T0500:0090000000000000;", 23);
}

/* gdb's `finish` would print a value that is unavailable as 0. */
static void value_that_finish_would_show_is_none_if_it_is_unknown(void **state)
{
	static const char *const said =
	        "csreplay: x0 is not known here: a value that `finish` shows "
	        "is none\n";
	static const char *const stop = "T05swbreak:;00:2010000000000000;thread:1;core:0;";

	(void)state;
	connect_gdb();
	fake_session_set_returned(true);
	assert_string_equal(ask("Z0,1020,4"), "OK");
	assert_told("bc", "", stop);
	(void)ask("bs");
	assert_told("c", said, stop);
	(void)ask("bs");
	assert_told("vCont;c", said, stop);
	/* `next` over a loop with calls in one line: once. */
	for (int turn = 0; turn < 2; turn++) {
		assert_int_equal(session_seek(rig.gdb.session, 0, 5), STATUS_OK);
		(void)ask("vCont;r1014,1018:1");
		assert_told("vCont;c", turn == 0 ? said : "", stop);
	}
	(void)ask("bs");
	assert_told("vCont;c", said, stop);
	(void)ask("bs");
	fake_session_set_returned(false);
	assert_told("c", "", stop);
	(void)ask("bs");
	fake_session_set_returned(true);
	rig.gdb.client = CLIENT_LLDB;
	assert_told("c", "", stop);
	rig.gdb.client = CLIENT_GDB;
	/* At the halt it is known; and it has to be a breakpoint that ends the run. */
	assert_string_equal(ask("Z0,1028,4"), "OK");
	assert_memory_equal(ask("c"), "T05swbreak:;00:2810000000000000;", 32);
	assert_int_equal(session_seek(rig.gdb.session, 0, 5), STATUS_OK);
	rig.runs_left = 1;
	assert_told("c", "", "T0200:1c10000000000000;thread:1;core:0;");
}

static void result_register_is_that_of_the_architecture(void **state)
{
	(void)state;
	for (unsigned int arch = CORE_A32; arch <= CORE_M; arch++) {
		if (arch == CORE_A64)
			continue;
		assert_int_equal(session_seek(rig.gdb.session, 0, 5), STATUS_OK);
		connect_gdb_to((enum core_arch)arch);
		fake_session_set_returned(true);
		rig.gdb.interrupted = interrupt_after_some;
		assert_string_equal(ask("Z0,1020,4"), "OK");
		assert_told("c",
		            "csreplay: r0 is not known here: a value that `finish` shows is none\n",
		            "T05swbreak:;00:20100000;thread:1;core:0;");
		(void)ask("z0,1020,4");
	}
}

/* Only who set the breakpoint knows of which kind it was. */
static void breakpoint_of_nobody_has_no_kind(void **state)
{
	(void)state;
	connect_gdb();
	assert_int_equal(session_break_set(rig.gdb.session, 0x1018), STATUS_OK);
	assert_string_equal(ask("bc"), "T0500:1810000000000000;thread:1;core:0;");
}

/* While a core moves, and only then, the session may ask whether the user interrupts. */
static void session_may_ask_during_each_move(void **state)
{
	static const char *const moves[] = {
	        "bs", "s", "bc", "c", "vCont;s:1", "vCont;r1000,1008:1", "vCont;c"};

	(void)state;
	connect_gdb();
	for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++) {
		assert_int_equal(session_seek(rig.gdb.session, 0, 6), STATUS_OK);
		(void)ask(moves[i]);
		assert_true(fake_session_was_asking());
		assert_false(fake_session_is_asking());
	}
	assert_true(rig.was_told);
}

/*
 * What clients ask for by themselves hurries; what a user asks for does not, nor do conditions and
 * watchpoints on the way of a move.
 */
static void session_hurries_but_for_what_a_user_asks(void **state)
{
	static const struct {
		const char *request;
		const char *hurries;
	} expected[] = {
	        {"g", "+"},
	        {"p0", "+"},
	        {"m1000,4", "+"},
	        {"x1000,4", "+"},
	        {"qRcmd,68656c70", "-"},
	        {"qCRC:1000,4", "-"},
	        {"c", "+-+"},
	        {"bc", "+-+"},
	        {"s", "+-+"},
	        {"bs", "+-+"},
	        {"vCont;r1000,1008:1", "+-+"},
	};

	(void)state;
	connect_gdb();
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		assert_int_equal(session_seek(rig.gdb.session, 0, 6), STATUS_OK);
		(void)fake_session_hurries();
		(void)ask(expected[i].request);
		assert_string_equal(fake_session_hurries(), expected[i].hurries);
	}
}

/* A stop chooses its thread for what is asked next: registers, memory, and the next move. */
static void stop_chooses_the_thread_that_stopped(void **state)
{
	(void)state;
	connect_gdb();
	assert_string_equal(ask("Hg2"), "OK");
	assert_string_equal(ask("p0"), "0090000000000000");
	assert_non_null(strstr(ask("vCont;s:1"), "thread:1;"));
	assert_string_equal(ask("qC"), "QC1");
	assert_string_equal(ask("p0"), "2810000000000000");
	assert_non_null(strstr(ask("vCont;s:2"), "thread:2;"));
	assert_string_equal(ask("qC"), "QC2");
	assert_int_equal(rig.stopped, 1); /* also for the next client */
	assert_non_null(strstr(ask("bs"), "thread:2;"));
	assert_memory_equal(ask("g"), "0090000000000000", 16);
	assert_non_null(strstr(ask("?"), "thread:2;core:1;"));
}

static void vcont_actions_are_those_that_are_told(void **state)
{
	(void)state;
	connect_gdb();
	assert_string_equal(ask("vCont?"), "vCont;c;C;s;S;t;r");
	assert_string_equal(ask("vCont;t"), "OK");
	assert_int_equal(session_position(rig.gdb.session, 0), FAKE_LENGTH);
	assert_int_equal(session_seek(rig.gdb.session, 0, 5), STATUS_OK);
	assert_non_null(strstr(ask("vCont;s:1;c:-1"), "00:1810000000000000;"));
	assert_non_null(strstr(ask("vCont;s:p1.1"), "00:1c10000000000000;"));
	assert_non_null(strstr(ask("vCont;s:-1"), "00:2010000000000000;"));
	assert_non_null(strstr(ask("vCont;S05:0"), "00:2410000000000000;"));
	assert_int_equal(session_seek(rig.gdb.session, 0, 5), STATUS_OK);
	assert_non_null(strstr(ask("vCont;r1014,1020:1"), "00:2010000000000000;"));
	assert_int_equal(session_seek(rig.gdb.session, 0, 5), STATUS_OK);
	assert_non_null(strstr(ask("vCont;r1014,1020"), "00:2010000000000000;"));
	assert_non_null(strstr(ask("vCont;c:1"), "replaylog:end;"));
	assert_non_null(strstr(ask("vCont;c:2"), "thread:2;"));
	assert_int_equal(session_seek(rig.gdb.session, 0, 5), STATUS_OK);
	/* Thread 2 has stopped last. */
	assert_non_null(strstr(ask("vCont;s"), "thread:2;"));
}

static void vcont_refuses_what_is_no_action(void **state)
{
	static const char *const wrong[] = {
	        "vCont",        "vCont;",       "vCont;:1",        "vCont;s:3",
	        "vCont;s:zz",   "vCont;x",      "vCont;r",         "vCont;r1014",
	        "vCont;r,1020", "vCont;rx,1:1", "vCont;r1014,x:1", "vCont;r1014,1020,1:1",
	        "vCont;R1,2"};

	(void)state;
	connect_gdb();
	assert_int_equal(session_seek(rig.gdb.session, 0, 5), STATUS_OK);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_string_equal(ask(wrong[i]), "E01");
	assert_int_equal(session_position(rig.gdb.session, 0), 5);
}

/* What a client lets run goes along; of what it holds gdb would go on showing what it has read. */
static void company_is_who_the_client_lets_run(void **state)
{
	static const struct {
		const char *select;
		const char *packet;
		enum company of_gdb;
		enum company of_lldb;
	} cases[] = {
	        {"Hc0", "vCont;s:1;c", COMPANY_ALL, COMPANY_ALL},
	        {"Hc0", "vCont;s:p1.1;c:p1.-1", COMPANY_ALL, COMPANY_ALL},
	        {"Hc0", "vCont;c", COMPANY_ALL, COMPANY_ALL},
	        {"Hc0", "vCont;c:-1", COMPANY_ALL, COMPANY_ALL},
	        {"Hc0", "vCont;s:1", COMPANY_NONE, COMPANY_QUIET},
	        {"Hc0", "vCont;c:1", COMPANY_NONE, COMPANY_QUIET},
	        {"Hc0", "vCont;r1000,1008:1", COMPANY_NONE, COMPANY_QUIET},
	        {"Hc0", "vCont;s:1;t:2", COMPANY_NONE, COMPANY_QUIET},
	        {"Hc0", "bs", COMPANY_ALL, COMPANY_ALL},
	        {"Hc0", "bc", COMPANY_ALL, COMPANY_ALL},
	        {"Hc1", "bs", COMPANY_NONE, COMPANY_QUIET},
	        {"Hc1", "bc", COMPANY_NONE, COMPANY_ALL},
	        {"Hc1", "s", COMPANY_NONE, COMPANY_QUIET},
	        {"Hc1", "c", COMPANY_NONE, COMPANY_ALL},
	};

	(void)state;
	connect_gdb();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (unsigned int lldb = 0; lldb < 2; lldb++) {
			rig.gdb.client = lldb ? CLIENT_LLDB : CLIENT_GDB;
			assert_string_equal(ask(cases[i].select), "OK");
			(void)ask(cases[i].packet);
			if (fake_session_company() != (lldb ? cases[i].of_lldb : cases[i].of_gdb))
				fail_msg("%s %s", cases[i].select, cases[i].packet);
		}
	}
}

/* `set cores always`: also of what a client of gdb's holds, but where it steps off a breakpoint. */
static void company_comes_along_where_one_is_resumed_if_asked(void **state)
{
	static const char *const packets[] = {"vCont;s:1", "vCont;c:1", "vCont;r1000,1008:1"};

	struct value pc;

	(void)state;
	connect_gdb();
	rig.gdb.takes_others = true;
	for (size_t i = 0; i < sizeof(packets) / sizeof(packets[0]); i++) {
		(void)ask(packets[i]);
		assert_int_equal(fake_session_company(), COMPANY_ALL);
	}
	rig.gdb.has_lifted = true;
	session_register(rig.gdb.session, 0, REGISTER_PC, &pc);
	rig.gdb.lifted = value_u64(&pc);
	(void)ask("vCont;s:1");
	assert_int_equal(fake_session_company(), COMPANY_NONE);
	(void)ask("vCont;s:1");
	assert_int_equal(fake_session_company(), COMPANY_ALL);
}

static void stop_of_another_core_is_told_as_its_own(void **state)
{
	struct stop stop = {.reason = STOP_BREAKPOINT, .is_of_other = true, .core = 1};

	(void)state;
	connect_gdb();
	assert_string_equal(ask("Z0,9000,4"), "OK");
	fake_session_set_met(&stop);
	assert_true(strncmp(ask("vCont;c:1;c"), "T05swbreak:;00:0090000000000000;", 32) == 0);
	assert_non_null(strstr(ask("vCont;c:1;c"), "thread:2;core:1;"));
	/* gdb resumed thread 1 alone, and bears no stop of another. */
	assert_all_told("vCont;c:1",
	                "csreplay: thread 2 (cpu<1>) met a breakpoint at position 0; all stopped "
	                "there\n",
	                "T00");
	assert_non_null(strstr(ask("vCont;c:1"), "thread:1;core:0;"));
	assert_non_null(strstr(ask("vCont;c:1;c"), "thread:2;core:1;"));
	/* The next one that names nobody moves that core. */
	assert_string_equal(ask("qC"), "QC2");
	stop = (struct stop){
	        .reason = STOP_BREAKPOINT,
	        .says_alone = true,
	        .others = {.unordered = 2, .first = 1, .position = 77, .doubts = 1, .blind = 1}};
	fake_session_set_traced(1);
	fake_session_set_met(&stop);
	assert_all_told(
	        "vCont;c:1;c",
	        "csreplay: no time in common with others, by their traces: cpu<1>; a step or "
	        "continue neither moves them with others nor others with them\n"
	        "csreplay: within the precision of time cpu<1> and 1 more cores would have "
	        "stopped, "
	        "too (position 77): which came first is not known\n"
	        "csreplay: 1 instruction of other cores on the way may have accessed what is "
	        "watched: the address is not known\n"
	        "csreplay: of a part of the way of 1 other core nothing is known of what was "
	        "accessed\n",
	        "T05");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
	        T(breakpoint_counts_where_a_condition_holds),
	        T(gap_is_named_with_what_became_of_it),
	        T(doubt_of_watchpoints_is_told),
	        T(hit_that_gdb_would_pass_over_is_kept),
	        T(old_value_of_a_hit_is_that_after_it),
	        T(old_value_may_be_what_was_read_since),
	        T(old_value_is_not_known_after_too_many_reads),
	        T(hit_in_doubt_is_kept_where_doubt_is_reported),
	        T(what_may_be_an_access_is_named_as_such),
	        T(reasons_of_stops_are_those_of_the_client),
	        T(threads_have_the_reason_of_the_last_stop),
	        T(breakpoint_reasons_are_for_who_asked_for_them),
	        T(fault_at_the_halt_is_named_as_its_trace_numbers_it),
	        T(fault_before_a_gap_or_on_the_way_is_none_of_the_halt),
	        T(value_that_finish_would_show_is_none_if_it_is_unknown),
	        T(result_register_is_that_of_the_architecture),
	        T(breakpoint_of_nobody_has_no_kind),
	        T(session_may_ask_during_each_move),
	        T(session_hurries_but_for_what_a_user_asks),
	        T(stop_chooses_the_thread_that_stopped),
	        T(vcont_actions_are_those_that_are_told),
	        T(vcont_refuses_what_is_no_action),
	        T(company_is_who_the_client_lets_run),
	        T(company_comes_along_where_one_is_resumed_if_asked),
	        T(stop_of_another_core_is_told_as_its_own),
	};
#undef T

	return cmocka_run_group_tests(tests, NULL, NULL);
}
