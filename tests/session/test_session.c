/* SPDX-License-Identifier: Apache-2.0 */
/* Moving and asking: cursor, state and session, on elements made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/session/made_session.h"

static void state_a32_registers_are_those_of_its_file(void **state)
{
	static const uint8_t odd_pc[4] = {0x09, 0x10};
	const struct element elements[] = {run_of(ISA_T32, 0x2000, 4, 0x200c, 4)};
	struct value value;
	struct fixture f;
	uint64_t pc;

	(void)state;
	leads_to(0x1008);
	make_registers(&f);
	f.core.arch = CORE_A32;
	f.registers[0] = (struct snap_register){.name = STR("R15"), .bits = 32, .value = odd_pc};
	f.registers[1] = (struct snap_register){.name = STR("R13"), .bits = 32, .value = sp_value};
	f.registers[2] = (struct snap_register){.name = STR("R7"), .bits = 64, .value = x1_value};
	open_made(&f, elements, 1);
	assert_int_equal(history_pc(f.history, 4, &pc), STATUS_OK);
	assert_int_equal(pc, 0x1008);
	state_register(f.history, NULL, 4, A32_pc, &value);
	assert_int_equal(value.size, 4);
	assert_int_equal(value_u64(&value), 0x1008);
	state_register(f.history, NULL, 4, A32_sp, &value);
	assert_int_equal(value_u64(&value), 0x90000000);
	/* A value that does not fit is not that register's. */
	state_register(f.history, NULL, 4, A32_r7, &value);
	assert_false(value_is_known(&value));
	state_register(f.history, NULL, 1, A32_pc, &value);
	assert_int_equal(value_u64(&value), 0x2002);
	state_register(f.history, NULL, 1, A32_cpsr, &value);
	assert_int_equal(value.size, 4);
	assert_false(value_is_known(&value));
	state_register(f.history, NULL, 1, A32_trace_pos, &value);
	assert_int_equal(value_u64(&value), 1);
	close_fixture(&f);
}

static void state_past_knows_what_nothing_can_have_written(void **state)
{
	const struct element elements[] = {range(0x1000, 2, INSN_OTHER, true)};
	struct fixture f;
	struct value value;
	uint8_t bytes[32];

	(void)state;
	leads_to(0x1008);
	open_fixture(&f, elements, 1);
	session_register(f.session, 0, A64_x1, &value);
	assert_true(value_is_known(&value));
	assert_int_equal(value_u64(&value), UINT64_C(0x8877665544332211));
	session_register(f.session, 0, A64_sp, &value);
	/* 32 bits written: nothing says what is above. */
	assert_false(value_is_known(&value));
	for (unsigned int i = 0; i < 8; i++)
		assert_int_equal(value.known[i], i < 4 ? 0xff : 0);
	assert_memory_equal(value.bits, sp_value, sizeof(sp_value));
	session_register(f.session, 0, A64_x2, &value);
	assert_false(value_is_known(&value));
	assert_int_equal(session_memory(f.session, 0, 0x8000, bytes, 32), 16);
	assert_int_equal(bytes[1], 0xad);

	assert_int_equal(session_seek(f.session, 0, 1), STATUS_OK);
	session_register(f.session, 0, REGISTER_PC, &value);
	assert_int_equal(value_u64(&value), 0x1004);
	/* A NOP writes nothing. */
	session_register(f.session, 0, A64_x1, &value);
	assert_int_equal(value_u64(&value), UINT64_C(0x8877665544332211));
	session_register(f.session, 0, A64_x2, &value);
	assert_false(value_is_known(&value));
	assert_int_equal(session_memory(f.session, 0, 0x8000, bytes, 32), 16);
	/* Another core may. */
	assert_true(session_assumes(f.session, ASSUME_SINGLE_WRITER));
	assert_int_equal(session_assume(f.session, ASSUME_SINGLE_WRITER, false), STATUS_OK);
	assert_int_equal(session_memory(f.session, 0, 0x8000, bytes, 16), 0);
	session_register(f.session, 0, A64_x1, &value);
	assert_true(value_is_known(&value));
	assert_int_equal(session_memory(f.session, 0, 0x9000, bytes, 16), 8);
	/* Two instructions were executed; the code after them may have been other code. */
	assert_int_equal(session_memory(f.session, 0, 0x1000, bytes, 16), 8);
	assert_int_equal(session_memory(f.session, 0, 0x1004, bytes, 16), 4);
	assert_int_equal(session_seek(f.session, 0, 3), STATUS_NOT_FOUND);
	assert_int_equal(session_position(f.session, 0), 1);
	close_fixture(&f);
}

static void cursor_steps_to_both_ends_and_back(void **state)
{
	const struct element elements[] = {range(0x1000, 2, INSN_OTHER, true)};
	struct fixture f;

	(void)state;
	leads_to(0x1008);
	open_fixture(&f, elements, 1);
	assert_int_equal(session_step(f.session, 0, DIRECTION_FORWARD).reason, STOP_END);
	assert_int_equal(session_step(f.session, 0, DIRECTION_BACKWARD).reason, STOP_STEPPED);
	assert_int_equal(session_step(f.session, 0, DIRECTION_BACKWARD).reason, STOP_STEPPED);
	assert_int_equal(session_position(f.session, 0), 0);
	assert_int_equal(session_step(f.session, 0, DIRECTION_BACKWARD).reason, STOP_BEGIN);
	assert_int_equal(session_continue(f.session, 0, DIRECTION_FORWARD, NULL, NULL).reason,
	                 STOP_END);
	assert_int_equal(session_position(f.session, 0), 2);
	close_fixture(&f);
}

static void cursor_breakpoint_where_it_starts_does_not_count(void **state)
{
	const struct element elements[] = {
	        range(0x1000, 3, INSN_BRANCH, true),
	        range(0x1010, 2, INSN_BRANCH_INDIRECT, true),
	        range(0x1000, 2, INSN_OTHER, true),
	};
	struct fixture f;

	(void)state;
	leads_to(0x1008);
	open_fixture(&f, elements, 3);
	assert_int_equal(session_break_set(f.session, 0x1004), STATUS_OK);
	assert_int_equal(session_continue(f.session, 0, DIRECTION_BACKWARD, NULL, NULL).reason,
	                 STOP_BREAKPOINT);
	assert_int_equal(session_position(f.session, 0), 6);
	assert_int_equal(session_continue(f.session, 0, DIRECTION_BACKWARD, NULL, NULL).reason,
	                 STOP_BREAKPOINT);
	assert_int_equal(session_position(f.session, 0), 1);
	assert_int_equal(session_continue(f.session, 0, DIRECTION_BACKWARD, NULL, NULL).reason,
	                 STOP_BEGIN);
	assert_int_equal(session_continue(f.session, 0, DIRECTION_FORWARD, NULL, NULL).reason,
	                 STOP_BREAKPOINT);
	assert_int_equal(session_position(f.session, 0), 1);
	session_break_clear(f.session, 0x1004);
	assert_int_equal(session_continue(f.session, 0, DIRECTION_FORWARD, NULL, NULL).reason,
	                 STOP_END);
	close_fixture(&f);
}

static void cursor_continue_stops_after_each_gap(void **state)
{
	struct element on = {.type = ELEMENT_TRACE_ON, .trace_on = TRACE_ON_NORMAL};
	const struct element elements[] = {
	        range(0x1000, 2, INSN_OTHER, true), on, range(0x1000, 2, INSN_OTHER, true), on,
	        range(0x1000, 2, INSN_OTHER, true),
	};
	struct fixture f;
	struct stop stop;

	(void)state;
	leads_to(0x1008);
	open_fixture(&f, elements, 5);
	stop = session_continue(f.session, 0, DIRECTION_BACKWARD, NULL, NULL);
	assert_int_equal(stop.reason, STOP_GAP);
	assert_int_equal(stop.gap.position, 4);
	assert_int_equal(session_position(f.session, 0), 3);
	stop = session_continue(f.session, 0, DIRECTION_BACKWARD, NULL, NULL);
	assert_int_equal(stop.reason, STOP_GAP);
	assert_int_equal(session_position(f.session, 0), 1);
	stop = session_continue(f.session, 0, DIRECTION_BACKWARD, NULL, NULL);
	assert_int_equal(stop.reason, STOP_BEGIN);
	assert_false(stop.has_gap);
	stop = session_continue(f.session, 0, DIRECTION_FORWARD, NULL, NULL);
	assert_int_equal(stop.reason, STOP_GAP);
	assert_int_equal(session_position(f.session, 0), 2);
	/* A step across is told of it too. */
	stop = session_step(f.session, 0, DIRECTION_BACKWARD);
	assert_int_equal(stop.reason, STOP_STEPPED);
	assert_true(stop.has_gap);
	/* A breakpoint before the gap comes first. */
	assert_int_equal(session_break_set(f.session, 0x1004), STATUS_OK);
	assert_int_equal(session_seek(f.session, 0, 6), STATUS_OK);
	stop = session_continue(f.session, 0, DIRECTION_BACKWARD, NULL, NULL);
	assert_int_equal(stop.reason, STOP_BREAKPOINT);
	assert_int_equal(session_position(f.session, 0), 5);
	close_fixture(&f);
}

/* Gaps before 2: the next address; before 3: another; before 5: lost; before 6: the target. */
static void open_gaps(struct fixture *f)
{
	struct element elements[9];

	for (unsigned int i = 1; i < 9; i += 2)
		elements[i] =
		        (struct element){.type = ELEMENT_TRACE_ON,
		                         .trace_on = i == 5 ? TRACE_ON_OVERFLOW : TRACE_ON_NORMAL};
	elements[0] = range(0x1000, 2, INSN_OTHER, true);
	elements[2] = range(0x1008, 1, INSN_BRANCH, true);
	elements[4] = range(0x1000, 2, INSN_OTHER, true);
	elements[6] = range(0x1008, 1, INSN_BRANCH, true);
	elements[8] = range(0x1010, 1, INSN_OTHER, true);
	leads_to(0x1008);
	open_fixture(f, elements, 9);
}

static void assert_stop(const struct fixture *f, const struct stop *stop, enum stop_reason reason,
                        uint64_t position, uint64_t passed)
{
	assert_int_equal(stop->reason, reason);
	assert_int_equal(session_position(f->session, 0), position);
	assert_int_equal(stop->gaps_passed, passed);
}

static void cursor_continue_passes_gaps_where_execution_went_on(void **state)
{
	struct fixture f;
	struct stop stop;

	(void)state;
	open_gaps(&f);
	stop = session_continue(f.session, 0, DIRECTION_BACKWARD, NULL, NULL);
	assert_stop(&f, &stop, STOP_GAP, 4, 1);
	stop = session_continue(f.session, 0, DIRECTION_BACKWARD, NULL, NULL);
	assert_stop(&f, &stop, STOP_GAP, 2, 0);
	stop = session_continue(f.session, 0, DIRECTION_BACKWARD, NULL, NULL);
	assert_stop(&f, &stop, STOP_BEGIN, 0, 1);
	stop = session_continue(f.session, 0, DIRECTION_FORWARD, NULL, NULL);
	assert_stop(&f, &stop, STOP_GAP, 3, 1);
	assert_int_equal(session_seek(f.session, 0, 0), STATUS_OK);
	stop = session_step_range(f.session, 0, 0x1000, 0x1010, NULL, NULL);
	assert_stop(&f, &stop, STOP_GAP, 3, 1);
	close_fixture(&f);
}

static void cursor_continue_stops_at_all_gaps_or_none(void **state)
{
	struct fixture f;
	struct stop stop;

	(void)state;
	open_gaps(&f);
	session_set_gap_policy(f.session, GAP_POLICY_PASS);
	stop = session_continue(f.session, 0, DIRECTION_BACKWARD, NULL, NULL);
	assert_stop(&f, &stop, STOP_BEGIN, 0, 4);
	assert_false(stop.has_gap);
	stop = session_continue(f.session, 0, DIRECTION_FORWARD, NULL, NULL);
	assert_stop(&f, &stop, STOP_END, 7, 4);
	/* A breakpoint is met behind gaps. */
	assert_int_equal(session_break_set(f.session, 0x1004), STATUS_OK);
	stop = session_continue(f.session, 0, DIRECTION_BACKWARD, NULL, NULL);
	assert_stop(&f, &stop, STOP_BREAKPOINT, 4, 2);
	session_break_clear(f.session, 0x1004);
	session_set_gap_policy(f.session, GAP_POLICY_STOP);
	assert_int_equal(session_seek(f.session, 0, 2), STATUS_OK);
	stop = session_continue(f.session, 0, DIRECTION_BACKWARD, NULL, NULL);
	assert_stop(&f, &stop, STOP_GAP, 1, 0);
	close_fixture(&f);
}

static void cursor_continue_stops_at_events_that_are_caught(void **state)
{
	const struct element elements[] = {
	        range(0x1000, 2, INSN_OTHER, true),
	        {.type = ELEMENT_EXCEPTION, .exception = {.number = 14}},
	        range(0x1000, 2, INSN_OTHER, true),
	        {.type = ELEMENT_EXCEPTION_RET},
	        range(0x1008, 2, INSN_OTHER, true),
	};
	struct fixture f;
	struct stop stop;

	(void)state;
	leads_to(0x1008);
	open_fixture(&f, elements, 5);
	session_set_gap_policy(f.session, GAP_POLICY_PASS);
	session_catch(f.session, SESSION_CATCH_CONTEXT, true);
	stop = session_continue(f.session, 0, DIRECTION_BACKWARD, NULL, NULL);
	assert_int_equal(stop.reason, STOP_BEGIN);
	session_catch(f.session, SESSION_CATCH_EXCEPTION, true);
	stop = session_continue(f.session, 0, DIRECTION_FORWARD, NULL, NULL);
	assert_int_equal(stop.reason, STOP_EVENT);
	assert_int_equal(session_position(f.session, 0), 2);
	assert_int_equal(stop.event.element.exception.number, 14);
	stop = session_continue(f.session, 0, DIRECTION_FORWARD, NULL, NULL);
	assert_int_equal(stop.event.element.type, ELEMENT_EXCEPTION_RET);
	assert_int_equal(session_position(f.session, 0), 4);
	stop = session_continue(f.session, 0, DIRECTION_BACKWARD, NULL, NULL);
	assert_int_equal(stop.event.element.type, ELEMENT_EXCEPTION_RET);
	assert_int_equal(session_position(f.session, 0), 3);
	stop = session_continue(f.session, 0, DIRECTION_BACKWARD, NULL, NULL);
	assert_int_equal(stop.event.element.exception.number, 14);
	assert_int_equal(session_position(f.session, 0), 1);
	stop = session_continue(f.session, 0, DIRECTION_BACKWARD, NULL, NULL);
	assert_int_equal(stop.reason, STOP_BEGIN);
	assert_false(stop.has_event);
	close_fixture(&f);
}

struct asked_of {
	uint64_t wanted;
	unsigned int times;
};

static bool is_wanted(void *context, size_t core, uint64_t position)
{
	struct asked_of *asked = context;

	assert_int_equal(core, 0);
	asked->times++;
	return position == asked->wanted;
}

static void cursor_breakpoint_counts_where_its_condition_holds(void **state)
{
	const struct element loop = range(0x1000, 2, INSN_BRANCH, true);
	const struct element elements[] = {loop, loop, loop, loop, loop};
	struct asked_of asked = {.wanted = 4};
	struct fixture f;

	(void)state;
	leads_to(0x1008);
	open_fixture(&f, elements, 5);
	session_set_gap_policy(f.session, GAP_POLICY_PASS);
	assert_int_equal(session_break_set(f.session, 0x1000), STATUS_OK);
	session_break_condition(f.session, is_wanted, &asked);
	assert_int_equal(session_continue(f.session, 0, DIRECTION_BACKWARD, NULL, NULL).reason,
	                 STOP_BREAKPOINT);
	assert_int_equal(session_position(f.session, 0), 4);
	assert_int_equal(asked.times, 3); /* 8, 6, 4 */
	assert_int_equal(session_continue(f.session, 0, DIRECTION_BACKWARD, NULL, NULL).reason,
	                 STOP_BEGIN);
	assert_int_equal(session_step_range(f.session, 0, 0x1000, 0x1010, NULL, NULL).reason,
	                 STOP_BREAKPOINT);
	assert_int_equal(session_position(f.session, 0), 4);
	close_fixture(&f);
}

static void cursor_range_step_leaves_the_range(void **state)
{
	const struct element elements[] = {
	        range(0x1000, 3, INSN_BRANCH, true),
	        range(0x1010, 2, INSN_BRANCH_INDIRECT, true),
	        range(0x1000, 2, INSN_OTHER, true),
	};
	struct fixture f;
	struct stop stop;

	(void)state;
	leads_to(0x1008);
	open_fixture(&f, elements, 3);
	assert_int_equal(session_seek(f.session, 0, 0), STATUS_OK);
	stop = session_step_range(f.session, 0, 0x1000, 0x100c, NULL, NULL);
	assert_int_equal(stop.reason, STOP_STEPPED);
	assert_int_equal(session_position(f.session, 0), 3);
	stop = session_step_range(f.session, 0, 0, UINT64_MAX, NULL, NULL);
	assert_int_equal(stop.reason, STOP_END);
	close_fixture(&f);
}

static void marks_hold_until_a_gap(void **state)
{
	struct element context = {.type = ELEMENT_PE_CONTEXT,
	                          .context = {.security = SECURITY_NON_SECURE,
	                                      .level = EL_0,
	                                      .is_64bit = true,
	                                      .has_context_id = true,
	                                      .context_id = 0x77}};
	struct element stamp = {.type = ELEMENT_TIMESTAMP, .timestamp = 1234};
	struct element on = {.type = ELEMENT_TRACE_ON};
	const struct element elements[] = {
	        range(0x1000, 1, INSN_OTHER, true),
	        context,
	        range(0x1004, 1, INSN_OTHER, true),
	        stamp,
	        on,
	        range(0x1000, 2, INSN_OTHER, true),
	};
	struct fixture f;
	struct value value;

	(void)state;
	leads_to(0x1008);
	open_fixture(&f, elements, 6);
	state_register(f.history, NULL, 0, A64_contextid, &value);
	assert_false(value_is_known(&value));
	state_register(f.history, NULL, 1, A64_contextid, &value);
	assert_true(value_is_known(&value));
	assert_int_equal(value_u64(&value), 0x77);
	state_register(f.history, NULL, 2, A64_contextid, &value);
	assert_false(value_is_known(&value));
	state_register(f.history, NULL, 1, A64_trace_timestamp, &value);
	assert_false(value_is_known(&value));
	state_register(f.history, NULL, 3, A64_trace_timestamp, &value);
	assert_int_equal(value_u64(&value), 1234);
	state_register(f.history, NULL, 3, A64_trace_pos, &value);
	assert_int_equal(value_u64(&value), 3);
	close_fixture(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(state_a32_registers_are_those_of_its_file),
	        cmocka_unit_test(state_past_knows_what_nothing_can_have_written),
	        cmocka_unit_test(cursor_steps_to_both_ends_and_back),
	        cmocka_unit_test(cursor_breakpoint_where_it_starts_does_not_count),
	        cmocka_unit_test(cursor_continue_stops_after_each_gap),
	        cmocka_unit_test(cursor_continue_passes_gaps_where_execution_went_on),
	        cmocka_unit_test(cursor_continue_stops_at_all_gaps_or_none),
	        cmocka_unit_test(cursor_continue_stops_at_events_that_are_caught),
	        cmocka_unit_test(cursor_breakpoint_counts_where_its_condition_holds),
	        cmocka_unit_test(cursor_range_step_leaves_the_range),
	        cmocka_unit_test(marks_hold_until_a_gap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
