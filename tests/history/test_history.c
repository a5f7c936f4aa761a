/* SPDX-License-Identifier: Apache-2.0 */
/* History: instructions by position, searches, gaps and events, from elements made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/history/run_count.h"
#include "tests/session/made_session.h"

static struct gap only_gap(const struct fixture *f)
{
	struct gap gap;

	assert_int_equal(history_gap_count(f->history), 1);
	assert_true(history_gap(f->history, 0, &gap));
	return gap;
}

static void history_runs_give_instructions_by_position(void **state)
{
	const struct element elements[] = {
	        range(0x1000, 3, INSN_BRANCH, true),
	        range(0x1010, 2, INSN_BRANCH_INDIRECT, true),
	        range(0x1000, 3, INSN_BRANCH, true),
	};
	const uint64_t pcs[] = {0x1000, 0x1004, 0x1008, 0x1010, 0x1014, 0x1000, 0x1004, 0x1008};
	struct instruction insn;
	struct fixture f;
	uint64_t pc;

	(void)state;
	leads_to(0x1008);
	open_fixture(&f, elements, 3);
	assert_int_equal(history_length(f.history), 8);
	assert_int_equal(history_run_count(f.history), 3);
	for (size_t i = 0; i < 8; i++) {
		history_at(f.history, i, &insn);
		assert_int_equal(insn.address, pcs[i]);
		assert_true(insn.has_opcode);
	}
	assert_int_equal(insn.opcode, 0x14000002);
	assert_int_equal(insn.class, INSN_BRANCH);
	assert_int_equal(history_pc(f.history, 8, &pc), STATUS_OK);
	assert_int_equal(pc, 0x1008);
	close_fixture(&f);
}

static void history_that_leads_to_halt_has_no_gap(void **state)
{
	const struct element elements[] = {range(0x1000, 2, INSN_OTHER, true)};
	struct fixture f;
	size_t count;

	(void)state;
	leads_to(0x1008);
	open_fixture(&f, elements, 1);
	count = history_gap_count(f.history);
	assert_int_equal(count, 0);
	close_fixture(&f);
}

static void history_that_misses_halt_has_gap_at_end(void **state)
{
	const struct element elements[] = {range(0x1000, 2, INSN_OTHER, true)};
	struct fixture f;

	(void)state;
	leads_to(0x2000);
	open_fixture(&f, elements, 1);
	assert_int_equal(only_gap(&f).reason, GAP_HALT);
	assert_int_equal(only_gap(&f).position, 2);
	assert_int_equal(only_gap(&f).address, 0x1008);
	close_fixture(&f);
	leads_to(0);
	script.has_next_address = false;
	open_fixture(&f, elements, 1);
	assert_int_equal(only_gap(&f).reason, GAP_HALT);
	close_fixture(&f);
}

/*
 * Addresses of A64 and A32 are traced without bits 1:0, of T32 without bit 0: a core that branched
 * to an address that has them halts there. An instruction that does not branch leads to no such
 * one.
 */
static void history_leads_to_a_halt_that_is_not_aligned(void **state)
{
	static const struct {
		enum core_arch arch;
		uint8_t cpsr[4]; /* 0: the snapshot has none */
		bool falls_through;
		uint64_t traced;
		uint64_t halt;
		bool leads;
	} cases[] = {
	        {CORE_A64, {0}, false, 0x777774, 0x777777, true},
	        {CORE_A64, {0}, false, 0x777774, 0x777774, true},
	        {CORE_A64, {0}, false, 0x777774, 0x777770, false},
	        {CORE_A64, {0}, false, 0x777774, 0x777778, false},
	        {CORE_A64, {0}, true, 0x1008, 0x1008, true},
	        {CORE_A64, {0}, true, 0x1008, 0x1009, false},
	        {CORE_A32, {0x10}, false, 0x777774, 0x777776, true},
	        {CORE_A32, {0x30}, false, 0x777774, 0x777776, false},
	        {CORE_A32, {0x30}, false, 0x777776, 0x777777, true},
	        {CORE_A32, {0}, false, 0x777774, 0x777776, false},
	        {CORE_M, {0}, false, 0x777776, 0x777777, true},
	        {CORE_M, {0}, false, 0x777774, 0x777776, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct element elements[] = {
		        cases[i].falls_through ? range(0x1000, 2, INSN_OTHER, true)
		                               : range(0x1014, 1, INSN_BRANCH_INDIRECT, true)};
		uint8_t halt[8] = {0};
		struct fixture f;
		size_t count;

		for (unsigned int k = 0; k < 8; k++)
			halt[k] = (uint8_t)(cases[i].halt >> 8 * k);
		leads_to(cases[i].traced);
		make_registers(&f);
		f.core.arch = cases[i].arch;
		f.registers[0].value = halt;
		if (cases[i].cpsr[0] != 0)
			f.registers[1] = (struct snap_register){
			        .name = STR("CPSR"), .bits = 32, .value = cases[i].cpsr};
		open_made(&f, elements, 1);
		count = history_gap_count(f.history);
		assert_int_equal(count, cases[i].leads ? 0 : 1);
		if (!cases[i].leads)
			assert_int_equal(only_gap(&f).reason, GAP_HALT);
		close_fixture(&f);
	}
}

/* A trace package has cores without registers: the trace says where its end is. */
static void history_without_halt_pc_ends_where_the_trace_leads(void **state)
{
	const struct element elements[] = {range(0x1000, 2, INSN_OTHER, true)};
	struct fixture f;
	uint64_t pc;
	size_t count;

	(void)state;
	leads_to(0x1008);
	script.has_no_pc = true;
	open_fixture(&f, elements, 1);
	count = history_gap_count(f.history);
	assert_int_equal(count, 0);
	assert_int_equal(history_pc(f.history, 2, &pc), STATUS_OK);
	assert_int_equal(pc, 0x1008);
	close_fixture(&f);
	script.has_no_pc = true;
	open_fixture(&f, elements, 1);
	assert_int_equal(only_gap(&f).reason, GAP_HALT);
	assert_int_equal(history_pc(f.history, 2, &pc), STATUS_NOT_FOUND);
	close_fixture(&f);
}

static void history_range_elsewhere_is_misfit(void **state)
{
	const struct element elements[] = {
	        range(0x1000, 3, INSN_BRANCH, true), /* to 0x1010 */
	        range(0x1014, 1, INSN_BRANCH_INDIRECT, true),
	};
	struct fixture f;

	(void)state;
	leads_to(0x1008);
	open_fixture(&f, elements, 2);
	assert_int_equal(only_gap(&f).reason, GAP_MISFIT);
	assert_int_equal(only_gap(&f).position, 3);
	close_fixture(&f);
}

/* Code that was patched after the dump was made: a RET that the trace says was not executed. */
static void history_branch_that_cannot_fall_through_is_misfit(void **state)
{
	const struct element not_returned[] = {
	        range(0x1010, 2, INSN_BRANCH_INDIRECT, false),
	        range(0x1018, 1, INSN_OTHER, true),
	};
	const struct element not_branched[] = {
	        range(0x1000, 3, INSN_BRANCH, false), /* B at 0x1008 */
	        range(0x100c, 1, INSN_OTHER, true),
	};
	struct fixture f;

	(void)state;
	leads_to(0x1008);
	open_fixture(&f, not_returned, 2);
	assert_int_equal(only_gap(&f).reason, GAP_MISFIT);
	assert_int_equal(only_gap(&f).position, 2);
	assert_int_equal(only_gap(&f).address, 0x1014);
	close_fixture(&f);
	leads_to(0x1008);
	open_fixture(&f, not_branched, 2);
	assert_int_equal(only_gap(&f).reason, GAP_MISFIT);
	assert_int_equal(only_gap(&f).position, 3);
	close_fixture(&f);
}

static void history_t32_and_a32_follow_each_other(void **state)
{
	const struct element elements[] = {
	        run_of(ISA_T32, 0x2000, 4, 0x200c, 4),
	        run_of(ISA_A32, 0x3010, 2, 0x3018, 4),
	        run_of(ISA_T32, 0x2000, 4, 0x200c, 4),
	};
	const uint32_t expected[][3] = {
	        {0x2000, 2, 0xbf00},     {0x2002, 4, 0xf3af8000}, {0x2006, 2, 0xbf00},
	        {0x2008, 4, 0xf001e802}, {0x3010, 4, 0xe320f000}, {0x3014, 4, 0xfafffbf9},
	        {0x2000, 2, 0xbf00},     {0x2002, 4, 0xf3af8000}, {0x2006, 2, 0xbf00},
	        {0x2008, 4, 0xf001e802},
	};
	struct instruction insn;
	struct fixture f;
	uint64_t pc;
	size_t count;

	(void)state;
	leads_to(0x1008);
	open_fixture(&f, elements, 3);
	count = history_gap_count(f.history);
	assert_int_equal(count, 0);
	assert_int_equal(history_length(f.history), 10);
	for (size_t i = 0; i < 10; i++) {
		history_at(f.history, i, &insn);
		assert_int_equal(insn.address, expected[i][0]);
		assert_int_equal(insn.size, expected[i][1]);
		assert_int_equal(insn.opcode, expected[i][2]);
		assert_int_equal(history_pc(f.history, i, &pc), STATUS_OK);
		assert_int_equal(pc, expected[i][0]);
	}
	close_fixture(&f);
}

static void history_t32_breakpoints_hit_instructions_only(void **state)
{
	const struct element elements[] = {
	        run_of(ISA_T32, 0x2000, 4, 0x200c, 4),
	        run_of(ISA_A32, 0x3010, 2, 0x3018, 4),
	        run_of(ISA_T32, 0x2000, 4, 0x200c, 4),
	};
	const uint64_t hits[] = {8, 7, 2, 1, 0};
	struct fixture f;

	(void)state;
	leads_to(0x1008);
	open_fixture(&f, elements, 3);
	assert_int_equal(session_break_set(f.session, 0x2002), STATUS_OK);
	assert_int_equal(session_break_set(f.session, 0x2004), STATUS_OK); /* the middle of it */
	assert_int_equal(session_break_set(f.session, 0x2006), STATUS_OK);
	for (size_t i = 0; i < 5; i++) {
		struct stop stop = session_continue(f.session, 0, DIRECTION_BACKWARD, NULL, NULL);

		assert_int_equal(stop.reason, i < 4 ? STOP_BREAKPOINT : STOP_BEGIN);
		assert_int_equal(session_position(f.session, 0), hits[i]);
	}
	(void)session_continue(f.session, 0, DIRECTION_FORWARD, NULL, NULL);
	assert_int_equal(session_position(f.session, 0), 1);
	(void)session_continue(f.session, 0, DIRECTION_FORWARD, NULL, NULL);
	assert_int_equal(session_position(f.session, 0), 2);
	close_fixture(&f);
}

static void history_a32_branch_without_condition_is_taken(void **state)
{
	struct element taken[] = {
	        run_of(ISA_A32, 0x3018, 1, 0x301c, 4),
	        run_of(ISA_A32, 0x301c, 1, 0x3020, 4),
	};
	struct element conditional = run_of(ISA_A32, 0x301c, 1, 0x3020, 4);
	struct element in_it_block = run_of(ISA_T32, 0x2000, 4, 0x200c, 4);
	struct fixture f;
	size_t count;

	(void)state;
	leads_to(0x1008);
	open_fixture(&f, taken, 2); /* B leads elsewhere */
	assert_int_equal(only_gap(&f).reason, GAP_MISFIT);
	close_fixture(&f);
	taken[0].range.last_executed = false;
	leads_to(0x1008);
	open_fixture(&f, taken, 2); /* B cannot fall through */
	assert_int_equal(only_gap(&f).reason, GAP_MISFIT);
	close_fixture(&f);
	conditional.range.last_executed = false;
	leads_to(0x1008);
	open_fixture(&f, &conditional, 1);
	count = history_gap_count(f.history);
	assert_int_equal(count, 0);
	close_fixture(&f);
	in_it_block.range.last_executed = false;
	leads_to(0x1008);
	open_fixture(&f, &in_it_block, 1);
	count = history_gap_count(f.history);
	assert_int_equal(count, 0);
	close_fixture(&f);
}

static void history_branch_not_taken_falls_through(void **state)
{
	const struct element elements[] = {
	        range(0x1018, 1, INSN_BRANCH, false),
	        range(0x101c, 1, INSN_OTHER, true),
	};
	struct instruction insn;
	struct fixture f;
	size_t count;

	(void)state;
	leads_to(0x1008);
	open_fixture(&f, elements, 2);
	count = history_gap_count(f.history);
	assert_int_equal(count, 0);
	history_at(f.history, 0, &insn);
	assert_false(insn.executed);
	close_fixture(&f);
}

static void history_losses_become_gaps_with_reasons(void **state)
{
	struct element lost = {.type = ELEMENT_NO_SYNC, .no_sync = NO_SYNC_BAD_PACKET, .offset = 7};
	struct element on = {.type = ELEMENT_TRACE_ON, .trace_on = TRACE_ON_NORMAL};
	struct element overflow = {.type = ELEMENT_TRACE_ON, .trace_on = TRACE_ON_OVERFLOW};
	struct element nacc = {.type = ELEMENT_ADDR_NACC, .nacc = {0x5000, SPACE_EL1N}};
	struct element init = {.type = ELEMENT_NO_SYNC, .no_sync = NO_SYNC_INIT};
	struct element stamp = {.type = ELEMENT_TIMESTAMP, .timestamp = 1};
	const struct element elements[] = {
	        init,
	        stamp,
	        on, /* the beginning: no gap */
	        range(0x1000, 1, INSN_OTHER, true),
	        lost,
	        on, /* one gap */
	        range(0x1000, 1, INSN_OTHER, true),
	        overflow,
	        range(0x1000, 1, INSN_OTHER, true),
	        nacc,
	        nacc,
	        range(0x1000, 1, INSN_OTHER, true),
	        on,
	        range(0x1004, 1, INSN_OTHER, true),
	};
	static const enum gap_reason reasons[] = {GAP_BAD_PACKET, GAP_OVERFLOW, GAP_NO_MEMORY,
	                                          GAP_TRACE_ON};
	struct fixture f;
	struct gap gap;

	(void)state;
	leads_to(0x1008);
	open_fixture(&f, elements, sizeof(elements) / sizeof(elements[0]));
	assert_int_equal(history_gap_count(f.history), 4);
	for (size_t i = 0; i < 4; i++) {
		assert_true(history_gap(f.history, i, &gap));
		assert_int_equal(gap.reason, reasons[i]);
		assert_int_equal(gap.position, i + 1);
		assert_int_equal(gap.merged, i % 2 == 0 ? 1 : 0);
	}
	assert_true(history_gap(f.history, 2, &gap));
	assert_int_equal(gap.address, 0x5000);
	close_fixture(&f);
}

static void history_exception_explains_a_jump_only_where_it_was_taken(void **state)
{
	struct element right = {
	        .type = ELEMENT_EXCEPTION,
	        .exception = {.has_return_address = true, .return_address = 0x1004}};
	struct element wrong = {
	        .type = ELEMENT_EXCEPTION,
	        .exception = {.has_return_address = true, .return_address = 0x1010}};
	const struct element elements[] = {
	        range(0x1000, 1, INSN_OTHER, true), right,
	        range(0x1000, 1, INSN_OTHER, true), wrong,
	        range(0x1004, 1, INSN_OTHER, true),
	};
	struct fixture f;

	(void)state;
	leads_to(0x1008);
	open_fixture(&f, elements, 5);
	assert_int_equal(only_gap(&f).reason, GAP_MISFIT);
	assert_int_equal(only_gap(&f).position, 2);
	close_fixture(&f);
}

static void history_search_finds_nearest_both_ways(void **state)
{
	enum { ROUNDS = 1000 };
	struct element *elements = calloc(ROUNDS, sizeof(*elements));
	const uint64_t address = 0x1004;
	const uint64_t other = 0x7000;
	const struct history_search there = {&address, 1, NULL, NULL};
	const struct history_search nowhere = {&other, 1, NULL, NULL};
	struct fixture f;
	uint64_t position;

	(void)state;
	assert_non_null(elements);
	for (size_t i = 0; i < ROUNDS; i++)
		elements[i] = i % 100 == 50 ? range(0x1000, 3, INSN_BRANCH, true)
		                            : range(0x1010, 2, INSN_BRANCH_INDIRECT, true);
	open_fixture(&f, elements, ROUNDS);
	/* Round 950 begins at 950 * 2 + 9 (nine longer rounds before it). */
	assert_int_equal(
	        history_find_backward(f.history, &there, history_length(f.history), 0, &position),
	        STATUS_OK);
	assert_int_equal(position, 950 * 2 + 9 + 1);
	assert_int_equal(history_find_backward(f.history, &there, position, 0, &position),
	                 STATUS_OK);
	assert_int_equal(position, 850 * 2 + 8 + 1);
	assert_int_equal(
	        history_find_backward(f.history, &there, position, position - 5, &position),
	        STATUS_NOT_FOUND);
	assert_int_equal(history_find_forward(f.history, &there, position,
	                                      history_length(f.history), &position),
	                 STATUS_OK);
	assert_int_equal(position, 950 * 2 + 9 + 1);
	assert_int_equal(
	        history_find_forward(f.history, &there, 0, history_length(f.history), &position),
	        STATUS_OK);
	assert_int_equal(position, 50 * 2 + 1);
	assert_int_equal(
	        history_find_forward(f.history, &nowhere, 0, history_length(f.history), &position),
	        STATUS_NOT_FOUND);
	close_fixture(&f);
	free(elements);
}

/* ETMv3 lists an instruction that an exception cancelled before it ran. */
static void history_cancelled_instruction_is_taken_back(void **state)
{
	struct element stamp = {.type = ELEMENT_TIMESTAMP, .timestamp = 5};
	struct element cancel = {.type = ELEMENT_EXCEPTION,
	                         .exception = {.has_return_address = true,
	                                       .return_address = 0x1004,
	                                       .cancels_last = true}};
	const struct element elements[] = {
	        range(0x1000, 2, INSN_OTHER, true), stamp,  cancel,
	        range(0x1010, 1, INSN_OTHER, true), cancel, range(0x1000, 2, INSN_OTHER, true),
	};
	const uint64_t pcs[] = {0x1000, 0x1000, 0x1004};
	struct history_event event;
	struct instruction insn;
	struct fixture f;
	size_t count;

	(void)state;
	leads_to(0x1008);
	open_fixture(&f, elements, 6);
	assert_int_equal(history_length(f.history), 3);
	for (size_t i = 0; i < 3; i++) {
		history_at(f.history, i, &insn);
		assert_int_equal(insn.address, pcs[i]);
	}
	assert_int_equal(history_event_count(f.history), 3);
	for (size_t i = 0; history_event(f.history, i, &event); i++) {
		assert_int_equal(event.position, 1);
		/* Who reads the event beside what is left has nothing to take back. */
		if (event.element.type == ELEMENT_EXCEPTION)
			assert_false(event.element.exception.cancels_last);
	}
	count = history_gap_count(f.history);
	assert_int_equal(count, 0);
	close_fixture(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(history_runs_give_instructions_by_position),
	        cmocka_unit_test(history_that_leads_to_halt_has_no_gap),
	        cmocka_unit_test(history_that_misses_halt_has_gap_at_end),
	        cmocka_unit_test(history_leads_to_a_halt_that_is_not_aligned),
	        cmocka_unit_test(history_without_halt_pc_ends_where_the_trace_leads),
	        cmocka_unit_test(history_range_elsewhere_is_misfit),
	        cmocka_unit_test(history_branch_that_cannot_fall_through_is_misfit),
	        cmocka_unit_test(history_t32_and_a32_follow_each_other),
	        cmocka_unit_test(history_t32_breakpoints_hit_instructions_only),
	        cmocka_unit_test(history_a32_branch_without_condition_is_taken),
	        cmocka_unit_test(history_branch_not_taken_falls_through),
	        cmocka_unit_test(history_losses_become_gaps_with_reasons),
	        cmocka_unit_test(history_exception_explains_a_jump_only_where_it_was_taken),
	        cmocka_unit_test(history_search_finds_nearest_both_ways),
	        cmocka_unit_test(history_cancelled_instruction_is_taken_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
