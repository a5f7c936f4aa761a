/* SPDX-License-Identifier: Apache-2.0 */
/* Packets in, replies out, on a session made by hand; no socket. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gdb_rig.h"

static void gdb_unknown_packets_get_the_empty_reply(void **state)
{
	static const char *const packets[] = {"vMustReplyEmpty",
	                                      "qTStatus",
	                                      "qSearch:memory:0;1;a",
	                                      "Qbtracebts",
	                                      "jThreadsInfo",
	                                      "QNonStop:1",
	                                      "qHostInfo",
	                                      "!",
	                                      "vRun;",
	                                      "qXferx"};

	(void)state;
	connect_gdb();
	for (size_t i = 0; i < sizeof(packets) / sizeof(packets[0]); i++)
		assert_string_equal(ask(packets[i]), "");
}

static void gdb_features_never_promise_what_is_not_served(void **state)
{
	const char *features;

	(void)state;
	features = ask("qSupported:swbreak+");
	assert_non_null(strstr(features, "ReverseStep+;ReverseContinue+"));
	assert_non_null(strstr(features, "qXfer:exec-file:read+"));
	assert_null(strstr(features, "btrace"));
	assert_non_null(strstr(features, "ConditionalBreakpoints+"));
	assert_null(strstr(features, "multiprocess"));
	assert_null(strstr(features, "memory-map"));
}

static void gdb_halt_at_fault_is_a_segv_and_else_a_trap(void **state)
{
	(void)state;
	connect_gdb();
	assert_ptr_equal(strstr(ask("?"), "T0b"), rig.replies.data);
	assert_null(strstr(rig.replies.data, "reason"));
	(void)ask("bs");
	assert_ptr_equal(strstr(ask("?"), "T05"), rig.replies.data);
	(void)ask("vCont;s:1");
	fake_session_set_fault(false);
	assert_ptr_equal(strstr(ask("?"), "T05"), rig.replies.data);
}

static void lldb_halt_at_fault_has_its_reason(void **state)
{
	(void)state;
	connect_lldb();
	/* "at the halt: data fault" */
	assert_non_null(strstr(ask("?"), "T0breason:exception;description:"
	                                 "6174207468652068616c743a2064617461206661756c74;"));
}

static void gdb_stop_replies_never_hold_unknown_digits(void **state)
{
	(void)state;
	connect_gdb();
	for (unsigned int i = 0; i < FAKE_LENGTH; i++) {
		const char *stop = strrchr(ask("bs"), 'T');

		assert_non_null(stop);
		assert_null(strchr(stop, 'x'));
		assert_non_null(strstr(stop, "00:"));
		assert_non_null(strstr(stop, "thread:1;"));
	}
}

static void gdb_registers_are_whole_or_unknown(void **state)
{
	size_t at = 0;
	const char *registers;

	(void)state;
	connect_gdb();
	for (unsigned int position = FAKE_LENGTH + 1; position-- > 0;) {
		registers = ask("g");
		at = 0;
		for (unsigned int i = 0; i < A64_REGISTERS; i++) {
			const struct register_file *file = session_registers(rig.gdb.session);
			size_t digits = file->table[i].bits / 4;

			if (!register_file_has(file, i))
				continue;
			assert_true(strspn(registers + at, "x") >= digits ||
			            strcspn(registers + at, "x") >= digits);
			at += digits;
		}
		assert_int_equal(strlen(registers), at);
		(void)ask("bs");
	}
}

static void gdb_unknown_register_differs_by_client(void **state)
{
	(void)state;
	connect_gdb();
	assert_string_equal(ask("p6"), "xxxxxxxxxxxxxxxx"); /* x5 */
	assert_string_equal(ask("p0"), "2810000000000000");
	assert_string_equal(ask("p999"), "E45");
	assert_string_equal(ask("p"), "E45");
	rig.gdb.client = CLIENT_LLDB;
	assert_string_equal(ask("p6"), "E01");
	assert_string_equal(ask("p0"), "2810000000000000");
}

/* Beside the file: numbered after it, not in `g`, which gdb then asks for one by one. */
static void gdb_system_registers_are_read_one_by_one(void **state)
{
	char request[16];
	size_t length;

	(void)state;
	connect_gdb();
	length = strlen(ask("g"));
	(void)snprintf(request, sizeof(request), "p%x", A64_REGISTERS);
	assert_string_equal(ask(request), "E45");
	fake_session_set_system(true);
	assert_string_equal(ask(request), "xxxxxxxx");
	(void)snprintf(request, sizeof(request), "p%x", A64_REGISTERS + 1);
	assert_string_equal(ask(request), "0a000000d0300000");
	(void)ask("bs");
	assert_string_equal(ask(request), "09000000d0300000");
	(void)snprintf(request, sizeof(request), "p%x", A64_REGISTERS + 2);
	assert_string_equal(ask(request), "E45");
	assert_int_equal(strlen(ask("g")), length);
	(void)snprintf(request, sizeof(request), "P%x=0", A64_REGISTERS + 1);
	assert_non_null(strstr(ask(request), "E"));
	rig.gdb.client = CLIENT_LLDB;
	(void)snprintf(request, sizeof(request), "p%x", A64_REGISTERS);
	assert_string_equal(ask(request), "E01");
}

static void gdb_memory_is_short_at_the_first_unknown_byte(void **state)
{
	(void)state;
	connect_gdb();
	assert_string_equal(ask("m1000,4"), "00010203");
	assert_string_equal(ask("m1024,8"), "24252627");
	assert_string_equal(ask("x1024,8"), "b$%&'");
	assert_string_equal(ask("x1028,4"), "E14");
	assert_string_equal(ask("x1024,0"), "b");
	assert_string_equal(ask("m1028,4"), "E14");
	assert_string_equal(ask("m8000000000000000,ffffffffffffffff"), "E14");
	assert_string_equal(ask("m1000"), "E01");
	assert_string_equal(ask("mx,y"), "E01");
}

static void gdb_crc_is_of_known_bytes_alone(void **state)
{
	char request[64];

	(void)state;
	connect_gdb();
	assert_string_equal(ask("qCRC:1000,4"), "C6b6dc92a");
	(void)snprintf(request, sizeof(request), "qCRC:%llx,1800", (unsigned long long)FAKE_LARGE);
	assert_string_equal(ask(request), "C5caf172e");
	assert_string_equal(ask("qCRC:1000,0"), "Cffffffff");
	assert_string_equal(ask("qCRC:1024,8"), "E14");
	assert_string_equal(ask("qCRC:1024,ffffffffffffffff"), "E14");
	assert_string_equal(ask("qCRC:1000"), "E01");
	assert_string_equal(ask("qCRC:x,y"), "E01");
}

/* What `monitor LINE` says. */
static const char *say(const char *line)
{
	static char said[4096];
	char request[512] = "qRcmd,";
	const char *reply;
	size_t length = 0;

	for (size_t i = 0; line[i] != '\0'; i++)
		(void)snprintf(request + 6 + 2 * i, 3, "%02x",
		               (unsigned int)(unsigned char)line[i]);
	reply = ask(request);
	for (; *reply != '\0'; reply++) {
		unsigned int c;

		if (reply[0] == 'O' && reply[1] != 'K')
			continue;
		if (sscanf(reply, "%2x", &c) != 1)
			continue;
		said[length++] = (char)c;
		reply++;
	}
	said[length] = '\0';
	return said;
}

static void gdb_each_answers_several_questions_in_one_packet(void **state)
{
	(void)state;
	connect_gdb();
	assert_string_equal(say("--each --same 1000,4,6b6dc92a"), "same\n;\n");
	assert_string_equal(
	        say("--each --same 1000,4,6b6dc92a 1000,0,ffffffff; --same 1000,4,6b6dc92b"),
	        "same\n;\nother\n;\n");
	/* Not known; no range. */
	assert_string_equal(say("--each --same 1024,8,0;--same 1000,4;"), "other\n;\nother\n;\n");
	assert_non_null(strstr(say("--each position;--same 1000,0,ffffffff"), "\n;\nsame\n;\n"));
}

static void gdb_writes_are_refused(void **state)
{
	(void)state;
	connect_gdb();
	assert_string_equal(ask("M1000,1:00"), "E01");
	assert_string_equal(ask("X1000,0:"), "OK");
	assert_string_equal(ask("X1000,1:a"), "E01");
	assert_string_equal(ask("P0=0000000000000000"), "E.the replay is read-only");
	assert_string_equal(ask("G00"), "E.the replay is read-only");
	assert_string_equal(ask("m1000,1"), "00");
	rig.gdb.client = CLIENT_LLDB;
	assert_string_equal(ask("P0=0000000000000000"), "E01");
}

static void gdb_writing_trace_pos_seeks(void **state)
{
	char packet[64];

	(void)state;
	connect_gdb();
	(void)snprintf(packet, sizeof(packet), "P%x=0300000000000000", (unsigned int)A64_trace_pos);
	assert_string_equal(ask(packet), "OK");
	assert_string_equal(ask("p0"), "0c10000000000000");
	(void)snprintf(packet, sizeof(packet), "P%x=0b00000000000000", (unsigned int)A64_trace_pos);
	assert_string_equal(ask(packet), "E.position out of range (0..10)");
	(void)snprintf(packet, sizeof(packet), "P%x=zz", (unsigned int)A64_trace_pos);
	assert_string_equal(ask(packet), "E01");
	assert_string_equal(ask("p0"), "0c10000000000000");
}

/* `monitor seek 3` of a client that would go on showing what it has read. */
static void gdb_seek_of_the_console_waits_for_a_resume(void **state)
{
	static const char *const resumes[] = {"bs", "bc", "vCont;s:1", "vCont;c",
	                                      "vCont;r1000,1010:1"};
	const char *seek = "qRcmd,7365656b2033";

	(void)state;
	connect_gdb();
	for (size_t i = 0; i < sizeof(resumes) / sizeof(resumes[0]); i++) {
		assert_int_equal(session_seek(rig.gdb.session, 0, 9), STATUS_OK);
		assert_non_null(strstr(ask(seek), "\nOK"));
		assert_string_equal(ask("p0"), "2410000000000000");
		assert_non_null(strstr(ask(resumes[i]), "\nT00"));
		assert_string_equal(ask("p0"), "0c10000000000000");
		(void)ask("vCont;s:1");
		assert_string_equal(ask("p0"), "1010000000000000");
	}
}

static void gdb_seek_of_a_script_goes_there_at_once(void **state)
{
	char packet[64];

	(void)state;
	connect_gdb();
	/* --reread seek 3 */
	assert_non_null(strstr(ask("qRcmd,2d2d726572656164207365656b2033"), "\nOK"));
	assert_string_equal(ask("p0"), "0c10000000000000");
	/* What goes elsewhere afterwards ends what waits: seek 9, then 4. */
	assert_non_null(strstr(ask("qRcmd,7365656b2039"), "\nOK"));
	(void)snprintf(packet, sizeof(packet), "P%x=0400000000000000", (unsigned int)A64_trace_pos);
	assert_string_equal(ask(packet), "OK");
	(void)ask("bs");
	assert_string_equal(ask("p0"), "0c10000000000000");
}

static void lldb_seek_of_the_console_waits_for_a_resume(void **state)
{
	(void)state;
	connect_lldb();
	assert_non_null(strstr(ask("qRcmd,7365656b2033"), "\nOK"));
	/* "position as asked" */
	assert_non_null(strstr(ask("vCont;s:1"), "T05reason:exception;description:"
	                                         "706f736974696f6e2061732061736b6564;"));
	assert_string_equal(ask("p0"), "0c10000000000000");
}

static void gdb_history_ends_have_their_stops(void **state)
{
	(void)state;
	connect_gdb();
	assert_non_null(strstr(ask("vCont;c"), "replaylog:end;"));
	(void)ask("bc"); /* the gap */
	assert_non_null(strstr(ask("bc"), "replaylog:begin;"));
	assert_non_null(strstr(ask("bs"), "replaylog:begin;"));
	assert_null(strstr(rig.replies.data, "description"));
	rig.gdb.client = CLIENT_LLDB;
	assert_non_null(strstr(ask("bc"), "replaylog:begin;description:"));
}

static void gdb_gap_is_told_before_the_stop(void **state)
{
	(void)state;
	connect_gdb();
	(void)ask("bc");
	/* "csreplay: stopped after a gap before position 4" */
	assert_ptr_equal(strstr(rig.replies.data, "O637372"), rig.replies.data);
	assert_non_null(strstr(rig.replies.data, "\nT0000:0c10000000000000;thread:1;core:0;"));
	assert_string_equal(ask("vCont;s:1") + strcspn(rig.replies.data, "\n"),
	                    "\nT0500:1010000000000000;thread:1;core:0;");
	assert_non_null(strstr(ask("bs"), "O637372"));
	assert_null(strstr(ask("bs"), "O637372"));
}

static void gdb_breakpoints_stop_and_name_their_kind(void **state)
{
	(void)state;
	connect_gdb();
	assert_string_equal(ask("Z0,1020,4"), "OK");
	assert_string_equal(ask("Z1,1018,4"), "OK");
	assert_string_equal(ask("bc"), "T05swbreak:;00:2010000000000000;thread:1;core:0;");
	assert_string_equal(ask("bc"), "T05hwbreak:;00:1810000000000000;thread:1;core:0;");
	assert_string_equal(ask("Z1,1020,4"), "OK");
	assert_string_equal(ask("z0,1020,4"), "OK");
	assert_string_equal(ask("c"), "T05hwbreak:;00:2010000000000000;thread:1;core:0;");
	assert_string_equal(ask("z1,1020,4"), "OK");
	assert_string_equal(ask("z1,1020,4"), "OK");
	assert_non_null(strstr(ask("c"), "replaylog:end;"));
}

static void gdb_breakpoints_that_cannot_be_are_refused(void **state)
{
	(void)state;
	connect_gdb();
	assert_string_equal(ask("Z0,1001,4"),
	                    "E.an A64 instruction has 4 bytes and lies at a multiple of 4");
	assert_string_equal(ask("Z0,1000,2"),
	                    "E.an A64 instruction has 4 bytes and lies at a multiple of 4");
	assert_int_equal(ask("Z2,1000,4")[0], 'E');
	assert_string_equal(ask("Z9,1000,4"), "E01");
	assert_string_equal(ask("Z0"), "E01");
	assert_string_equal(ask("z2,1000,4"), "E01");
	assert_int_equal(rig.gdb.breakpoint_count, 0);
}

/* gdb takes a stop for a watchpoint as before the access, and steps over it by itself. */
static void gdb_watchpoints_stop_in_front_of_the_access(void **state)
{
	(void)state;
	fake_session_set_data(true);
	connect_gdb();
	assert_string_equal(ask("Z2,7000,10"), "OK");
	assert_string_equal(ask("Z3,7000,0"), "E.a watchpoint has 1 to 1048576 bytes");
	assert_string_equal(ask("Z2,7000,100001"), "E.a watchpoint has 1 to 1048576 bytes");
	assert_int_equal(session_seek(rig.gdb.session, 0, FAKE_GAP), STATUS_OK);
	assert_string_equal(ask("c"), "T05watch:7008;00:1810000000000000;thread:1;core:0;");
	assert_string_equal(ask("c"), "T05watch:7008;00:1810000000000000;thread:1;core:0;");
	assert_string_equal(ask("z2,7000,10"), "OK");
	assert_non_null(strstr(ask("c"), "replaylog:end;"));
}

static void gdb_watchpoint_kinds_have_their_stop_reasons(void **state)
{
	(void)state;
	fake_session_set_data(true);
	connect_gdb();
	assert_int_equal(session_seek(rig.gdb.session, 0, FAKE_STORE), STATUS_OK);
	assert_string_equal(ask("Z3,7008,1"), "OK");
	assert_non_null(strstr(ask("c"), "rwatch:7008;"));
	assert_string_equal(ask("Z4,7001,8"), "OK");
	assert_non_null(strstr(ask("c"), "awatch:7008;"));
	assert_string_equal(ask("z4,7001,8"), "OK");
}

static void gdb_lldb_is_told_that_watchpoints_stop_after_the_access(void **state)
{
	(void)state;
	fake_session_set_data(true);
	connect_lldb();
	assert_string_equal(ask("qHostInfo"),
	                    "endian:little;ptrsize:8;watchpoint_exceptions_received:after;");
	assert_string_equal(ask("Z2,7000,10"), "OK");
	assert_int_equal(session_seek(rig.gdb.session, 0, FAKE_STORE), STATUS_OK);
	/* The watchpoint's address, not that of the access. */
	assert_non_null(strstr(ask("c"), "watch:7000;"));
	assert_int_equal(session_position(rig.gdb.session, 0), FAKE_STORE + 1);
}

static void gdb_watchpoints_without_data_are_refused_and_lldb_not_told_of_them(void **state)
{
	(void)state;
	connect_gdb();
	assert_string_equal(ask("Z2,7008,8"), "E.watchpoints need past values of memory, which are "
	                                      "not known");
	assert_string_equal(ask("qHostInfo"), "");
}

static void gdb_interrupt_ends_a_run_with_sigint(void **state)
{
	(void)state;
	connect_gdb();
	rig.runs_left = 2;
	assert_string_equal(ask("bc"), "T0200:1c10000000000000;thread:1;core:0;");
}

static void gdb_range_step_runs_to_its_end(void **state)
{
	(void)state;
	connect_gdb();
	(void)ask("bc");
	(void)ask("bc");
	assert_string_equal(ask("vCont;r1000,100c:1;c") + strcspn(rig.replies.data, "T"),
	                    "T0500:0c10000000000000;thread:1;core:0;");
	assert_string_equal(ask("vCont;r1000:1"), "E01");
}

static void gdb_signals_of_resumes_are_ignored(void **state)
{
	(void)state;
	connect_gdb();
	(void)ask("bs");
	(void)ask("bs");
	assert_non_null(strstr(ask("vCont;S0b:1;c"), "00:2410000000000000;"));
	assert_non_null(strstr(ask("vCont;C0b"), "replaylog:end;"));
	assert_string_equal(ask("vCont;q:1"), "E01");
	assert_string_equal(ask("vCont;s:7"), "E01");
	assert_string_equal(ask("vCont;"), "E01");
}

static void gdb_threads_are_the_cores_that_can_be_served(void **state)
{
	(void)state;
	connect_gdb();
	assert_string_equal(ask("qfThreadInfo"), "m1,2");
	assert_string_equal(ask("qsThreadInfo"), "l");
	assert_string_equal(ask("qC"), "QC1");
	assert_non_null(strstr(ask("qXfer:threads:read::0,1000"),
	                       "<thread id=\"2\" core=\"1\" name=\"cpu&lt;1&gt;\">Cortex-A53, no "
	                       "trace</thread>\n</threads>"));
	assert_string_equal(ask("T2"), "OK");
	assert_string_equal(ask("T3"), "E01");
	assert_string_equal(ask("T4"), "E01");
	assert_string_equal(ask("T0"), "E01");
	assert_string_equal(ask("Hg2"), "OK");
	assert_string_equal(ask("Hgp1.2"), "OK");
	assert_string_equal(ask("Hg0"), "OK");
	assert_string_equal(ask("Hc-1"), "OK");
	assert_string_equal(ask("Hg3"), "E01");
	assert_string_equal(ask("Hx1"), "E01");
	assert_string_equal(ask("p0"), "0090000000000000");
}

static void gdb_resume_moves_the_chosen_thread(void **state)
{
	(void)state;
	connect_gdb();
	(void)ask("Hg2"); /* as `info threads` leaves it */
	assert_non_null(strstr(ask("bs"), "thread:1;"));
	(void)ask("Hc2");
	assert_non_null(strstr(ask("bs"), "replaylog:begin;00:0090000000000000;"));
	assert_non_null(strstr(rig.replies.data, "thread:2;core:1;"));
	(void)ask("Hc0");
	assert_string_equal(ask("T1"), "OK"); /* gdb's command `thread 1` */
	assert_non_null(strstr(ask("bs"), "thread:1;"));
	assert_non_null(strstr(ask("vCont;s:2"), "thread:2;"));
}

static void gdb_documents_come_in_parts(void **state)
{
	(void)state;
	connect_gdb();
	assert_string_equal(ask("qXfer:features:read:target.xml:0,5"), "m<?xml");
	assert_string_equal(ask("qXfer:features:read:target.xml:fffff,5"), "E01");
	assert_string_equal(ask("qXfer:features:read:other.xml:0,5"), "E00");
	assert_string_equal(ask("qXfer:features:write:target.xml:0,5"), "");
	assert_string_equal(ask("qXfer:auxv:read::0,5"), "");
	assert_string_equal(ask("qXfer:exec-file:read:1:0,100"), "l" FAKE_IMAGE);
	assert_string_equal(ask("qOffsets"), "Text=10000;Data=10000;Bss=10000");
}

/* Newest first, up to what is next; a gap ends before it begins. */
static void gdb_branch_trace_is_the_history_up_to_the_position(void **state)
{
	static const char head[] =
	        "l<!DOCTYPE btrace SYSTEM \"btrace.dtd\">\n<btrace version=\"1.0\">\n";

	(void)state;
	connect_gdb();
	assert_string_equal(ask("qXfer:btrace-conf:read::0,1000"), "E01");
	assert_string_equal(ask("qXfer:btrace:read:all:0,1000"), "E01");
	assert_string_equal(ask("Qbtrace:pt"), "E.there is no branch trace but bts");
	assert_string_equal(ask("Qbtrace-conf:bts:size=0xx"), "E01");
	assert_string_equal(ask("Qbtrace-conf:bts:size=0x480"), "OK");
	assert_string_equal(ask("Qbtrace:bts"), "OK");
	assert_non_null(strstr(ask("qXfer:btrace-conf:read::0,1000"), "<bts size=\"0x480\"/>"));
	assert_string_equal(ask("qXfer:btrace:read:delta:0,1000"), "E01");
	assert_string_equal(ask("qXfer:btrace:read:new:0,5"), "m<!DOC");
	assert_ptr_equal(strstr(ask("qXfer:btrace:read:new:0,1000"), head), rig.replies.data);
	assert_string_equal(rig.replies.data + sizeof(head) - 1,
	                    "<block begin=\"0x1010\" end=\"0x1028\"/>\n"
	                    "<block begin=\"0x100c\" end=\"0x100b\"/>\n"
	                    "<block begin=\"0x1000\" end=\"0x100c\"/>\n</btrace>\n");
	(void)ask("bs");
	assert_non_null(strstr(ask("qXfer:btrace:read:all:0,1000"),
	                       "<block begin=\"0x1010\" end=\"0x1024\"/>"));
	/* One record is all that it wants. */
	assert_string_equal(ask("Qbtrace-conf:bts:size=0x18"), "OK");
	assert_string_equal(strstr(ask("qXfer:btrace:read:all:0,1000"), "1024"),
	                    "1024\"/>\n<block begin=\"0x100c\" end=\"0x100b\"/>\n</btrace>\n");
	(void)ask("Hg2"); /* without trace */
	assert_string_equal(ask("qXfer:btrace:read:all:0,1000"), "E01");
	(void)ask("Hg1");
	assert_string_equal(ask("Qbtrace:off"), "OK");
	assert_string_equal(ask("qXfer:btrace:read:all:0,1000"), "E01");
}

static void gdb_only_the_image_can_be_read_as_file(void **state)
{
	static const char *const others[] = {"/etc/passwd", "/fake/../fake/program.elf",
	                                     "/fake/program.elf/", "", "program.elf"};
	struct text packet = {0};

	(void)state;
	connect_gdb();
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		text_clear(&packet);
		text_puts(&packet, "vFile:open:");
		hex_of(&packet, others[i]);
		text_puts(&packet, ",0,0");
		assert_string_equal(ask(packet.data), "F-1,2");
	}
	text_clear(&packet);
	text_puts(&packet, "vFile:open:");
	hex_of(&packet, FAKE_IMAGE);
	text_puts(&packet, ",1,0"); /* for writing */
	assert_string_equal(ask(packet.data), "F-1,1e");
	packet.data[packet.length - 3] = '0';
	assert_string_equal(ask(packet.data), "F0");
	assert_string_equal(ask("vFile:setfs:0"), "F0");
	assert_memory_equal(ask("vFile:pread:0,100,0"), "F9;ELF}#$*\0\1", 12);
	assert_string_equal(ask("vFile:pread:0,2,1"), "F2;LF");
	assert_string_equal(ask("vFile:pread:0,2,ffffffff"), "F0;");
	assert_int_equal(ask_bytes(STR("vFile:fstat:0")).n, 4 + 64);
	assert_int_equal(rig.replies.data[4 + 28 + 7], 9); /* size, big endian */
	assert_string_equal(ask("vFile:pwrite:0,0,aa"), "");
	assert_string_equal(ask("vFile:unlink:00"), "");
	assert_string_equal(ask("vFile:close:0"), "F0");
	assert_string_equal(ask("vFile:close:0"), "F-1,9");
	assert_string_equal(ask("vFile:pread:7,1,0"), "F-1,9");
	assert_string_equal(ask("vFile:pread:99,1,0"), "F-1,9");
	for (unsigned int i = 0; i < GDB_FILES; i++)
		assert_int_equal(ask(packet.data)[1], '0' + (int)i);
	assert_string_equal(ask(packet.data), "F-1,18");
	text_fini(&packet);
}

static void gdb_thread_has_its_name_and_what_it_has(void **state)
{
	(void)state;
	connect_gdb();
	/* "cpu<1>: Cortex-A53, no trace" */
	assert_string_equal(ask("qThreadExtraInfo,2"),
	                    "6370753c313e3a20436f727465782d4135332c206e6f207472616365");
	assert_string_equal(ask("qThreadExtraInfo,3"), "E01");
	assert_string_equal(ask("qThreadExtraInfo,0"), "E01");
}

/* gdb manual, "struct stat": big endian, 64 bytes. */
static void gdb_status_of_a_file_is_that_of_the_image(void **state)
{
	static const uint8_t expected[64] = {
	        [10] = 0x81, [11] = 0x24, /* a regular file that all may read */
	        [15] = 1,                 /* links */
	        [35] = 9,                 /* bytes */
	        [42] = 2,                 /* of a block: 512 */
	        [51] = 1,                 /* blocks */
	};
	struct text packet = {0};

	(void)state;
	connect_gdb();
	text_puts(&packet, "vFile:open:");
	hex_of(&packet, FAKE_IMAGE);
	text_puts(&packet, ",0,0");
	assert_string_equal(ask(packet.data), "F0");
	assert_int_equal(ask_bytes(STR("vFile:fstat:0")).n, 4 + sizeof(expected));
	assert_memory_equal(rig.replies.data, "F40;", 4);
	assert_memory_equal(rig.replies.data + 4, expected, sizeof(expected));
	assert_string_equal(ask("vFile:fstat:1"), "F-1,9");
	assert_string_equal(ask("vFile:open:2f,0"), "F-1,2");
	assert_string_equal(ask("vFile:open:2f,x"), "F-1,16");
	text_fini(&packet);
}

/* What one client has set is not the next one's. */
static void gdb_breakpoints_of_another_client_are_gone(void **state)
{
	(void)state;
	connect_gdb();
	assert_int_equal(session_break_set(rig.gdb.session, 0x1018), STATUS_OK);
	gdb_init(&rig.gdb);
	(void)ask("bc"); /* the gap */
	assert_non_null(strstr(ask("bc"), "replaylog:begin;"));
	assert_non_null(strstr(ask("c"), "T00"));
	assert_non_null(strstr(ask("c"), "replaylog:end;"));
	assert_int_equal(session_break_set(rig.gdb.session, 0x1018), STATUS_OK);
	gdb_fini(&rig.gdb);
	rig.gdb = (struct gdb){.session = rig.gdb.session,
	                       .stopped = &rig.stopped,
	                       .interrupted = interrupt_after_some};
	assert_int_equal(session_seek(rig.gdb.session, 0, FAKE_GAP), STATUS_OK);
	connect_gdb();
	assert_non_null(strstr(ask("c"), "replaylog:end;"));
}

static void gdb_monitor_answers_in_console_text(void **state)
{
	(void)state;
	connect_gdb();
	assert_non_null(strstr(ask("qRcmd,706f736974696f6e"), "\nOK")); /* position */
	assert_int_equal(rig.replies.data[0], 'O');
	(void)ask("Hg2"); /* as `info threads` leaves it; the user is at thread 1 still */
	/* position: "* 1 cpu_0" */
	assert_ptr_equal(strstr(ask("qRcmd,706f736974696f6e"), "O2a2031206370755f30"),
	                 rig.replies.data);
	assert_non_null(strstr(ask("qRcmd,7"), "E01"));
	assert_non_null(strstr(ask("qRcmd,zz"), "E01"));
	assert_non_null(strstr(ask("qRcmd,"), "\nOK"));
}

static void gdb_leaving_is_acknowledged(void **state)
{
	(void)state;
	connect_gdb();
	assert_string_equal(ask("D"), "OK");
	assert_true(rig.gdb.leaving);
	rig.gdb.leaving = false;
	assert_string_equal(ask("vKill;1"), "OK");
	assert_true(rig.gdb.leaving);
	rig.gdb.leaving = false;
	assert_string_equal(ask("k"), "X09");
	assert_true(rig.gdb.leaving);
}

static void lldb_resumes_never_fail(void **state)
{
	static const char *const resumes[] = {"bc",      "bc",        "bc", "bs",
	                                      "vCont;c", "vCont;s:1", "c",  "s"};

	(void)state;
	connect_lldb();
	for (size_t i = 0; i < sizeof(resumes) / sizeof(resumes[0]); i++) {
		const char *stop = strrchr(ask(resumes[i]), 'T');

		assert_non_null(stop);
		assert_memory_equal(stop, "T05", 3);
	}
}

/* Any bytes get one well-formed answer and leave the session as it was to use. */
static void gdb_random_requests_do_no_harm(void **state)
{
	static const char letters[] = "?HTgGpPmMXZzbsckvqQD,;:.-=0123456789abcdefx";
	uint32_t seed = 1;

	(void)state;
	connect_gdb();
	for (unsigned int round = 0; round < 20000; round++) {
		char packet[24];
		size_t length = round % sizeof(packet);

		for (size_t i = 0; i < length; i++) {
			seed = seed * 1664525 + 1013904223;
			packet[i] = letters[(seed >> 16) % (sizeof(letters) - 1)];
		}
		(void)ask_bytes((struct str){packet, length});
		assert_int_equal(text_status(&rig.gdb.out), STATUS_OK);
	}
	assert_string_equal(ask("m1000,4"), "00010203");
}

static void gdb_32_bit_registers_are_those_of_the_file(void **state)
{
	(void)state;
	connect_gdb_to(CORE_A32);
	/* pc, sp, lr, cpsr, r11, r7 at the halt; before it the PC alone. */
	assert_string_equal(ask("?"), "T0b00:28100000;0e:0e110000;0f:0f110000;10:10110000;"
	                              "0c:0c110000;08:08110000;thread:1;core:0;");
	assert_string_equal(ask("bs"), "T0500:24100000;thread:1;core:0;");
	assert_int_equal(strlen(ask("g")), 8 * 17 + 3 * 16 + 8);
	assert_string_equal(ask("p10"), "xxxxxxxx");
	assert_string_equal(ask("p11"), "E45"); /* d0, which no core has */
	assert_string_equal(ask("P32=0300000000000000"), "OK");
	assert_string_equal(ask("p0"), "0c100000");
	assert_non_null(strstr(ask("qXfer:features:read:target.xml:0,1000"), "arm.core"));
}

static void gdb_t32_breakpoint_address_loses_bit_0(void **state)
{
	(void)state;
	connect_gdb_to(CORE_A32);
	assert_string_equal(ask("Z0,1023,3"), "OK"); /* "break *0x1023" */
	assert_non_null(gdb_find_breakpoint(&rig.gdb, 0x1022));
	assert_string_equal(ask("z0,1022,3"), "OK"); /* as gdb takes it away */
	assert_null(gdb_find_breakpoint(&rig.gdb, 0x1022));
	assert_string_equal(ask("Z0,101e,2"), "OK");
	assert_string_equal(ask("Z0,1018,4"), "OK");
	assert_string_equal(ask("Z0,1019,4"),
	                    "E.an instruction has 2 or 4 bytes and lies at a multiple of 2");
	assert_string_equal(ask("Z0,1018,5"),
	                    "E.an instruction has 2 or 4 bytes and lies at a multiple of 2");
}

/* gdb has none at 0x1020, and would take a reason for one of a breakpoint that it took away. */
static void gdb_t32_breakpoint_at_an_odd_address_is_met_without_a_reason(void **state)
{
	(void)state;
	connect_gdb_to(CORE_A32);
	assert_non_null(strstr(ask("qSupported:swbreak+"), "swbreak+"));
	assert_string_equal(ask("Z0,1021,2"), "OK");
	assert_null(strstr(ask("bc"), "swbreak"));
	assert_string_equal(ask("p0"), "20100000");
}

static void gdb_64_bit_without_program_gets_none(void **state)
{
	(void)state;
	connect_gdb_to(CORE_A64);
	assert_null(gdb_program(&rig.gdb));
	assert_null(strstr(ask("qSupported:swbreak+"), "exec-file"));
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
	        T(gdb_unknown_packets_get_the_empty_reply),
	        T(gdb_t32_breakpoint_at_an_odd_address_is_met_without_a_reason),
	        T(gdb_features_never_promise_what_is_not_served),
	        T(gdb_halt_at_fault_is_a_segv_and_else_a_trap),
	        T(lldb_halt_at_fault_has_its_reason),
	        T(gdb_stop_replies_never_hold_unknown_digits),
	        T(gdb_registers_are_whole_or_unknown),
	        T(gdb_unknown_register_differs_by_client),
	        T(gdb_system_registers_are_read_one_by_one),
	        T(gdb_32_bit_registers_are_those_of_the_file),
	        T(gdb_t32_breakpoint_address_loses_bit_0),
	        T(gdb_64_bit_without_program_gets_none),
	        T(gdb_memory_is_short_at_the_first_unknown_byte),
	        T(gdb_crc_is_of_known_bytes_alone),
	        T(gdb_each_answers_several_questions_in_one_packet),
	        T(gdb_writes_are_refused),
	        T(gdb_writing_trace_pos_seeks),
	        T(gdb_seek_of_the_console_waits_for_a_resume),
	        T(gdb_seek_of_a_script_goes_there_at_once),
	        T(lldb_seek_of_the_console_waits_for_a_resume),
	        T(gdb_history_ends_have_their_stops),
	        T(gdb_gap_is_told_before_the_stop),
	        T(gdb_breakpoints_stop_and_name_their_kind),
	        T(gdb_breakpoints_that_cannot_be_are_refused),
	        T(gdb_watchpoints_stop_in_front_of_the_access),
	        T(gdb_watchpoint_kinds_have_their_stop_reasons),
	        T(gdb_lldb_is_told_that_watchpoints_stop_after_the_access),
	        T(gdb_watchpoints_without_data_are_refused_and_lldb_not_told_of_them),
	        T(gdb_interrupt_ends_a_run_with_sigint),
	        T(gdb_range_step_runs_to_its_end),
	        T(gdb_signals_of_resumes_are_ignored),
	        T(gdb_threads_are_the_cores_that_can_be_served),
	        T(gdb_resume_moves_the_chosen_thread),
	        T(gdb_documents_come_in_parts),
	        T(gdb_branch_trace_is_the_history_up_to_the_position),
	        T(gdb_only_the_image_can_be_read_as_file),
	        T(gdb_thread_has_its_name_and_what_it_has),
	        T(gdb_status_of_a_file_is_that_of_the_image),
	        T(gdb_breakpoints_of_another_client_are_gone),
	        T(gdb_monitor_answers_in_console_text),
	        T(gdb_leaving_is_acknowledged),
	        T(lldb_resumes_never_fail),
	        T(gdb_random_requests_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
