/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands between the instructions of a text, as events of its history: exceptions,
 * asynchronous events, Debug state (Tarmac Text Rev 3, 2.3.1 to 2.3.3).
 */
#include "made_text.h"

static void check_event(size_t index, uint64_t position, enum element_type type, const char *text)
{
	struct history_event event;
	struct text shown = {0};

	assert_true(history_event(session_history(rig.session, 0), index, &event));
	assert_int_equal(event.position, position);
	assert_int_equal(event.element.type, type);
	element_format_text(&event.element, &shown);
	assert_non_null(strstr(shown.data, text));
	text_fini(&shown);
}

static size_t event_count(void)
{
	return history_event_count(session_history(rig.session, 0));
}

/* 2.3.2: all nine; one that leads to an exception is told by that. */
static void events_asynchronous_without_exception_are_told(void **state)
{
	static const char *const names[] = {
	        "Reset",
	        "External Debug Event",
	        "IRQ",
	        "FIQ",
	        "System Error (Abort)",
	        "Virtual IRQ",
	        "Virtual FIQ",
	        "Virtual System Error (Virtual Abort)",
	        "Background Update",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct text text = {0};

		text_printf(&text,
		            "Tarmac Text Rev 3\n"
		            "ES (00001000:e1a00000) A svc: NOP\nES %s\n"
		            "ES (00001004:e1a00000) A svc: NOP\nES %s\n    EXC [0x18] IRQ "
		            "Interrupt\nES (00000018:e1a00000) A irq: NOP\nES %s\n",
		            names[i], names[i], names[i]);
		open_text(text.data);
		text_fini(&text);
		assert_int_equal(event_count(), 3);
		check_event(0, 1, ELEMENT_CUSTOM, names[i]);
		check_event(1, 2, ELEMENT_EXCEPTION, "\"IRQ Interrupt\"");
		check_event(2, 3, ELEMENT_CUSTOM, names[i]);
		assert_int_equal(rig.diags.count, 0);
		tear_down(state);
	}
}

/* An event between two instructions is no break of the program's flow. */
static void events_do_not_change_how_a_branch_went(void **state)
{
	struct instruction insn;
	size_t gaps;

	(void)state;
	open_text("Tarmac Text Rev 3\nES (0000000000001000:b4000040) O el1h: CBZ x0,0x1008\n"
	          "ES Background Update\nES (0000000000001008:b4000040) O el1h: CBZ x0,0x1010\n"
	          "ES Background Update\nES (000000000000100c:d503201f) O el1h: NOP\n");
	history_at(session_history(rig.session, 0), 0, &insn);
	assert_true(insn.executed);
	history_at(session_history(rig.session, 0), 1, &insn);
	assert_false(insn.executed);
	gaps = history_gap_count(session_history(rig.session, 0));
	assert_int_equal(gaps, 0);
}

/* 2.3.1, field 1: what is in EDITR or DBGITR was not fetched from an address. */
static void events_instructions_of_debug_state_are_no_part_of_the_flow(void **state)
{
	static const char *const registers[] = {"EDITR", "DBGITR"};

	for (size_t i = 0; i < 2; i++) {
		struct text text = {0};
		size_t gaps;

		text_printf(&text,
		            "Tarmac Text Rev 3\nES (00001000:e1a00000) A svc: NOP\n"
		            "    EXC Debug Halt Mode Entry\n"
		            "ES (%s:e3a00005) A svc: MOV r0,#5\n    R r0 (USR) 00000005\n"
		            "ES (00001004:e1a00000) A svc: NOP\n",
		            registers[i]);
		open_text(text.data);
		text_fini(&text);
		assert_int_equal(history_length(session_history(rig.session, 0)), 2);
		assert_int_equal(event_count(), 2);
		check_event(0, 1, ELEMENT_EXCEPTION, "\"Debug Halt Mode Entry\"");
		check_event(1, 1, ELEMENT_CUSTOM, registers[i]);
		check_known(1, A32_r0, 5);
		gaps = history_gap_count(session_history(rig.session, 0));
		assert_int_equal(gaps, 0);
		assert_int_equal(rig.diags.count, 0);
		tear_down(state);
	}
}

/* 2.3.3: the number in brackets is that of the exception, and where there is none it is not 0. */
static void events_exceptions_have_number_and_name(void **state)
{
	(void)state;
	open_text("Tarmac Text Rev 3\nES (00001000:e1a00000) A svc: NOP\n    EXC [0x04] Undefined "
	          "Instruction\nES (00000004:e1a00000) A und: NOP\n    EXC Debug Halt Mode Entry\n"
	          "ES (00000008:0000) E und: NOP\n    EXC [-8] Array Bound Check\n"
	          "ES (00000018:e1a00000) A irq: NOP\n");
	check_event(0, 1, ELEMENT_EXCEPTION, "excep num (0x04) \"Undefined Instruction\"");
	check_event(1, 2, ELEMENT_EXCEPTION, "ELEM_EXCEPTION(\"Debug Halt Mode Entry\")");
	check_event(2, 3, ELEMENT_EXCEPTION, "\"Array Bound Check\"");
}

/* What a simulator counts as an event and is no exception. */
static void events_change_of_mode_is_no_exception(void **state)
{
	(void)state;
	open_text("1 clk IT (1) 000200b8 e1a00000 A svc_s : NOP\n"
	          "1 clk E 000200b8 abt 00000019 CoreEvent_ModeChange\n"
	          "1 clk E 000200b8 00000005 CoreEvent_handleDataAbort\n"
	          "2 clk IT (2) 00000010 e1a00000 A abt_s : NOP\n");
	assert_int_equal(event_count(), 2);
	check_event(0, 1, ELEMENT_CUSTOM, "CoreEvent_ModeChange");
	check_event(1, 1, ELEMENT_EXCEPTION, "\"CoreEvent_handleDataAbort\"");
}

static int64_t vector_of(const char *name, enum core_arch arch)
{
	struct tarmac_exception exception = {.name = str_of(name)};
	int64_t vector;

	return tarmac_exception_vector(&exception, arch, &vector) ? vector : -1;
}

static void events_of_simulators_have_the_vectors_of_their_names(void **state)
{
	struct tarmac_exception svcall = {
	        .name = STR("CoreEvent_SVCALL"), .has_number = true, .number = 11};
	int64_t vector = 0;

	(void)state;
	assert_int_equal(vector_of("CoreEvent_CURRENT_SPx_SYNC", CORE_A64), 0x200);
	assert_int_equal(vector_of("CoreEvent_CURRENT_SP0_IRQ", CORE_A64), 0x080);
	assert_int_equal(vector_of("CoreEvent_LOWER_64_FIQ", CORE_A64), 0x500);
	assert_int_equal(vector_of("CoreEvent_LOWER_32_SERROR", CORE_A64), 0x780);
	assert_int_equal(vector_of("CoreEvent_RESET", CORE_A32), 0x00);
	assert_int_equal(vector_of("CoreEvent_SWI", CORE_A32), 0x08);
	assert_int_equal(vector_of("CoreEvent_handleDataAbort", CORE_A32), 0x10);
	assert_int_equal(vector_of("CoreEvent_IRQ", CORE_A32), 0x18);
	assert_int_equal(vector_of("CoreEvent_FIQ", CORE_A32), 0x1c);
	/* Not of that architecture, and not of a simulator. */
	assert_int_equal(vector_of("CoreEvent_RESET", CORE_A64), -1);
	assert_int_equal(vector_of("CoreEvent_SWI", CORE_A64), -1);
	assert_int_equal(vector_of("Debug Halt Mode Entry", CORE_A32), -1);
	assert_int_equal(vector_of("CoreEvent_Something", CORE_A32), -1);
	assert_true(tarmac_exception_vector(&svcall, CORE_M, &vector));
	assert_int_equal(vector, 11);
}

int main(void)
{
#define T(name) cmocka_unit_test_teardown(name, tear_down)
	const struct CMUnitTest tests[] = {
	        T(events_asynchronous_without_exception_are_told),
	        T(events_do_not_change_how_a_branch_went),
	        T(events_instructions_of_debug_state_are_no_part_of_the_flow),
	        T(events_exceptions_have_number_and_name),
	        T(events_change_of_mode_is_no_exception),
	        T(events_of_simulators_have_the_vectors_of_their_names),
	};
#undef T

	return cmocka_run_group_tests(tests, NULL, NULL);
}
