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
	assert_true(value_is_known(&value)); /* 32 bits written, the upper ones are zero */
	assert_int_equal(value_u64(&value), 0x90000000);
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
	assert_int_equal(stop.gap->position, 4);
	assert_int_equal(session_position(f.session, 0), 3);
	stop = session_continue(f.session, 0, DIRECTION_BACKWARD, NULL, NULL);
	assert_int_equal(stop.reason, STOP_GAP);
	assert_int_equal(session_position(f.session, 0), 1);
	stop = session_continue(f.session, 0, DIRECTION_BACKWARD, NULL, NULL);
	assert_int_equal(stop.reason, STOP_BEGIN);
	assert_null(stop.gap);
	stop = session_continue(f.session, 0, DIRECTION_FORWARD, NULL, NULL);
	assert_int_equal(stop.reason, STOP_GAP);
	assert_int_equal(session_position(f.session, 0), 2);
	/* A step across is told of it too. */
	stop = session_step(f.session, 0, DIRECTION_BACKWARD);
	assert_int_equal(stop.reason, STOP_STEPPED);
	assert_non_null(stop.gap);
	/* A breakpoint before the gap comes first. */
	assert_int_equal(session_break_set(f.session, 0x1004), STATUS_OK);
	assert_int_equal(session_seek(f.session, 0, 6), STATUS_OK);
	stop = session_continue(f.session, 0, DIRECTION_BACKWARD, NULL, NULL);
	assert_int_equal(stop.reason, STOP_BREAKPOINT);
	assert_int_equal(session_position(f.session, 0), 5);
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
	        cmocka_unit_test(cursor_range_step_leaves_the_range),
	        cmocka_unit_test(marks_hold_until_a_gap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
