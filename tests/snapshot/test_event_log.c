/* SPDX-License-Identifier: Apache-2.0 */
/* The system event log: each message of trace metadata 5.5 and 5.8, and each way to be none. */
#include "scratch.h"

#include "snapshot/events/event_log.h"

struct fixture {
	struct arena arena;
	struct diag_list diags;
	struct event_log log;
};

static void load(struct fixture *f, const char *content)
{
	memset(f, 0, sizeof(*f));
	assert_int_equal(event_log_read(&f->arena, STR("log"), str_of(content), &f->diags, &f->log),
	                 STATUS_OK);
}

static void unload(struct fixture *f)
{
	diag_list_fini(&f->diags);
	arena_fini(&f->arena);
}

static void assert_text(struct str got, const char *want)
{
	assert_true(str_eq(got, str_of(want)));
}

/* The two of 5.6, and those of 5.5.2 and 5.5.4 with all their parameters. */
static void processes_and_libraries_have_images(void **state)
{
	struct fixture f;
	const struct system_event *e;

	(void)state;
	load(&f, "declare_process(CURRENT, 0, 0x0000, \"kernel.exe\")\n"
	         "declare_process(CURRENT, 1, 0x8000, \"/bin/ls\")\r\n"
	         "  DECLARE_LIBRARY( end ,18446744073709551615,0xffff800000000000,"
	         "\"a, \\\"b\\\\\", 5A-01 )  \n");
	assert_int_equal(f.diags.count, 0);
	assert_int_equal(f.log.count, 3);
	assert_false(f.log.has_times);
	e = f.log.events;
	assert_int_equal(e[0].kind, SYSTEM_EVENT_PROCESS);
	assert_int_equal(e[0].state, SYSTEM_EVENT_CURRENT);
	assert_int_equal(e[0].pid, 0);
	assert_int_equal(e[0].address, 0);
	assert_text(e[0].image, "kernel.exe");
	assert_text(e[0].uuid, "");
	assert_false(e[0].has_time);
	assert_int_equal(e[1].pid, 1);
	assert_int_equal(e[1].address, 0x8000);
	assert_text(e[1].image, "/bin/ls");
	assert_int_equal(e[2].kind, SYSTEM_EVENT_LIBRARY);
	assert_int_equal(e[2].state, SYSTEM_EVENT_END);
	assert_true(e[2].pid == UINT64_MAX);
	assert_true(e[2].address == UINT64_C(0xffff800000000000));
	assert_text(e[2].image, "a, \"b\\");
	assert_text(e[2].uuid, "5A-01");
	assert_int_equal(e[2].place.line, 3);
	assert_string_equal(system_event_name(e[2].kind), "declare_library");
	unload(&f);
}

/* 5.5.3 has the thread first; 5.5.6 the ASID. */
static void threads_and_asids_belong_to_processes(void **state)
{
	struct fixture f;

	(void)state;
	load(&f, "# comment\n\n7 declare_thread(START, 12, 10)\n0x8 declare_asid(START, 3, 10)");
	assert_int_equal(f.diags.count, 0);
	assert_int_equal(f.log.count, 2);
	assert_true(f.log.has_times);
	assert_int_equal(f.log.events[0].time, 7);
	assert_int_equal(f.log.events[0].tid, 12);
	assert_int_equal(f.log.events[0].pid, 10);
	assert_int_equal(f.log.events[1].time, 8);
	assert_int_equal(f.log.events[1].asid, 3);
	assert_int_equal(f.log.events[1].pid, 10);
	unload(&f);
}

/* 5.5.5: the code itself, what finds it, or nothing. */
static void patches_have_code_or_say_where(void **state)
{
	static const uint8_t nop[] = {0x1f, 0x20, 0x03, 0xd5};
	struct fixture f;

	(void)state;
	load(&f, "1 patch_code(5, 0x9000, 4, hex:1F2003d5)\n"
	         "2 patch_code(5, 0x9000, 4, 0x77)\n"
	         "3 patch_code(5, 0x9000, 4, None)\n"
	         "4 patch_code(5, 0xfffffffffffffffc, 4)\n");
	assert_int_equal(f.diags.count, 0);
	assert_int_equal(f.log.count, 4);
	assert_int_equal(f.log.events[0].code, PATCHED_CODE_BYTES);
	assert_int_equal(bytes_left(&f.log.events[0].code_bytes), 4);
	assert_memory_equal(f.log.events[0].code_bytes.pos, nop, 4);
	assert_int_equal(f.log.events[0].address, 0x9000);
	assert_int_equal(f.log.events[0].pid, 5);
	assert_int_equal(f.log.events[1].code, PATCHED_CODE_ID);
	assert_int_equal(f.log.events[1].code_id, 0x77);
	assert_int_equal(f.log.events[2].code, PATCHED_CODE_NONE);
	assert_int_equal(f.log.events[3].code, PATCHED_CODE_NONE);
	unload(&f);
}

/* 5.5.2: an image by its UUID alone, without a name; or by neither. */
static void images_may_have_a_uuid_alone(void **state)
{
	struct fixture f;

	(void)state;
	load(&f, "1 declare_process(CURRENT, 1, 0x8000, , 5A-01)\n"
	         "1 declare_library(CURRENT, 1, 0x9000, \"\")\n");
	assert_int_equal(f.diags.count, 0);
	assert_int_equal(f.log.count, 2);
	assert_text(f.log.events[0].image, "");
	assert_text(f.log.events[0].uuid, "5A-01");
	assert_text(f.log.events[1].image, "");
	assert_text(f.log.events[1].uuid, "");
	unload(&f);
}

/* 5.8: END has no configuration, START has ETMCR; newer trace units need more than one register. */
static void trace_sources_change_their_id(void **state)
{
	struct fixture f;
	const struct system_event *e;

	(void)state;
	load(&f, "1 define_trace(END, 0x10, ETM_0)\n"
	         "1 define_trace(START, 111, \"ETM_0\", 0x1234)\n"
	         "2 define_trace(START, 1, ETM_0, TRCCONFIGR=0x19, TRCTRACEIDR = 1)\n");
	assert_int_equal(f.diags.count, 0);
	assert_int_equal(f.log.count, 3);
	e = f.log.events;
	assert_int_equal(e[0].trace_id, 0x10);
	assert_int_equal(e[0].register_count, 0);
	assert_text(e[0].source, "ETM_0");
	assert_int_equal(e[1].trace_id, 111);
	assert_text(e[1].source, "ETM_0");
	assert_int_equal(e[1].register_count, 1);
	assert_text(e[1].registers[0].name, "ETMCR");
	assert_int_equal(e[1].registers[0].value, 0x1234);
	assert_int_equal(e[2].register_count, 2);
	assert_text(e[2].registers[0].name, "TRCCONFIGR");
	assert_int_equal(e[2].registers[0].value, 0x19);
	assert_text(e[2].registers[1].name, "TRCTRACEIDR");
	assert_int_equal(e[2].registers[1].value, 1);
	unload(&f);
}

/* A line between two messages, and what is said of it. */
struct bad_line {
	const char *line;
	const char *diag;
};

/* It is left out, and reported with its number; the messages around it stay. */
static void assert_left_out(const struct bad_line *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct text content = {0};
		struct text diag = {0};
		struct fixture f;

		text_printf(&content, "declare_asid(START, 1, 1)\n%s\ndeclare_asid(END, 1, 1)\n",
		            cases[i].line);
		text_printf(&diag, "log:2: error: %s; the message is left out\n", cases[i].diag);
		load(&f, content.data);
		assert_diags(&f.diags, diag.data);
		assert_int_equal(f.log.count, 2);
		assert_int_equal(f.log.events[1].place.line, 3);
		unload(&f);
		text_fini(&content);
		text_fini(&diag);
	}
}

static void lines_of_another_form_are_reported(void **state)
{
	static const struct bad_line cases[] = {
	        {"declare_asid(BEGIN, 1, 2)", "not START, END or CURRENT: \"BEGIN\""},
	        {"declare_asid(START, 1)", "declare_asid has 2 arguments, expected at least 3"},
	        {"declare_asid(START, 1, 2, 3)", "declare_asid has more than 3 arguments"},
	        {"declare_asid(START, x, 2)", "not an ASID: \"x\""},
	        {"declare_asid(START, 0x10000000000000000, 2)",
	         "a number of more than 64 bits: \"0x10000000000000000\""},
	        {"declare_fish(START)", "no message is called so: \"declare_fish\""},
	        {"declare_asid START 1 2",
	         "not of the form [TIME] NAME(ARGUMENT, ...): \"declare_asid START 1 2\""},
	        {"declare_asid(START, 1, 2",
	         "not of the form [TIME] NAME(ARGUMENT, ...): \"declare_asid(START, 1, 2\""},
	        {"5x declare_asid(START, 1, 2)", "not a time: \"5x\""},
	        /* What /proc/PID/maps has (5.2.3) is no message. */
	        {"00400000-0040b000 r-xp 00000000 fd:00 123 /bin/x",
	         "not a time: \"00400000-0040b000\""},
	        {"declare_process(START, 1, 2, \"a)", "a text in quotes has no end: \"\"a\""},
	        {"declare_process(START, 1, 2, \"a\"b)",
	         "something follows a text in quotes: \"\"a\"b\""},
	};

	(void)state;
	assert_left_out(cases, sizeof(cases) / sizeof(cases[0]));
}

static void numbers_that_cannot_be_are_reported(void **state)
{
	static const struct bad_line cases[] = {
	        {"define_trace(START, 0x70, ETM)", "not an ATB ID of 1 to 111: \"0x70\""},
	        {"define_trace(START, 0, ETM)", "not an ATB ID of 1 to 111: \"0\""},
	        {"define_trace(START, 1, ETM, =3)", "a register without a name: \"=3\""},
	        {"patch_code(1, 2, 0, None)", "code of 0 bytes at 0x2 is nowhere"},
	        {"patch_code(1, 0xffffffffffffffff, 2, None)",
	         "code of 2 bytes at 0xffffffffffffffff is nowhere"},
	        {"patch_code(1, 2, 4, hex:001122)", "code of 6 hexadecimal digits, expected those "
	                                            "of 4 bytes"},
	        {"patch_code(1, 2, 1, hex:0g)", "code of 2 hexadecimal digits, expected those of 1 "
	                                        "bytes"},
	        {"patch_code(1, 2, 1, code)", "not None, hex: and bytes, or a number: \"code\""},
	};

	(void)state;
	assert_left_out(cases, sizeof(cases) / sizeof(cases[0]));
}

/* Equal times keep the order of lines; without the time of one, lines are all the order there is.
 */
static void order_is_that_of_times(void **state)
{
	struct fixture f;

	(void)state;
	load(&f,
	     "9 declare_asid(START, 0, 1)\n5 declare_asid(START, 1, 1)\n5 declare_asid(START, 2, "
	     "1)\n7 declare_asid(START, 3, 1)\n");
	assert_diags(&f.diags,
	             "log:2: warning: time 5 is before 9 of the message before it; the order "
	             "of time counts\n");
	assert_true(f.log.has_times);
	assert_int_equal(f.log.events[0].asid, 1);
	assert_int_equal(f.log.events[1].asid, 2);
	assert_int_equal(f.log.events[2].asid, 3);
	assert_int_equal(f.log.events[3].asid, 0);
	unload(&f);
	load(&f, "9 declare_asid(START, 0, 1)\ndeclare_asid(START, 1, 1)\n5 declare_asid(START, 2, "
	         "1)\n");
	assert_diags(&f.diags, "log:2: warning: the message has no time, others have: the order in "
	                       "which they are written counts\n");
	assert_false(f.log.has_times);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(f.log.events[i].asid, i);
	unload(&f);
}

static void empty_logs_have_no_messages(void **state)
{
	static const char *const logs[] = {"", "\n\n", "# nothing", "  \t\r\n#\n"};
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		load(&f, logs[i]);
		assert_int_equal(f.log.count, 0);
		assert_int_equal(f.diags.count, 0);
		unload(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(processes_and_libraries_have_images),
	        cmocka_unit_test(threads_and_asids_belong_to_processes),
	        cmocka_unit_test(patches_have_code_or_say_where),
	        cmocka_unit_test(images_may_have_a_uuid_alone),
	        cmocka_unit_test(trace_sources_change_their_id),
	        cmocka_unit_test(lines_of_another_form_are_reported),
	        cmocka_unit_test(numbers_that_cannot_be_are_reported),
	        cmocka_unit_test(order_is_that_of_times),
	        cmocka_unit_test(empty_logs_have_no_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
