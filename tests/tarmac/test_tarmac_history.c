/* SPDX-License-Identifier: Apache-2.0 */
/* Tarmac text to histories with registers and memory, in small texts made here. */
#include "made_text.h"
#include "tests/history/run_count.h"

static void history_register_holds_from_after_its_instruction(void **state)
{
	(void)state;
	open_text("0 clk R X0 0000000000000005\n" NOP(
	        1, "00001000") "1 clk R X0 0000000000000006\n" NOP(2, "00001004")
	                  NOP(3, "00001008") "3 clk R X1 00000000000000aa\n");
	assert_int_equal(history_length(session_history(rig.session, 0)), 3);
	check_known(0, A64_x0, 5);
	check_known(1, A64_x0, 6);
	check_known(3, A64_x0, 6);
	check_unknown(2, A64_x1);
	check_known(3, A64_x1, 0xaa);
	check_known(3, A64_pc, 0x100c);
	assert_int_equal(session_position(rig.session, 0), 3);
}

static void history_w_and_vector_parts_say_what_they_leave_above(void **state)
{
	(void)state;
	open_text("0 clk R X0 1111111122222222\n0 clk R V1 00112233445566778899aabbccddeeff\n"
	          "0 clk R V2<127:64> 0123456789abcdef\n" NOP(
	                  1, "00001000") "1 clk R W0 00000007\n1 clk R D1 0000000000000009\n");
	struct value v;

	check_known(1, A64_x0, 7);
	v = register_of(0, 0, A64_v1);
	assert_true(value_is_known(&v));
	assert_int_equal(v.bits[15], 0);
	assert_int_equal(v.bits[14], 0x11);
	assert_int_equal(v.bits[0], 0xff);
	/* What a scalar write does to the rest the line does not say. */
	v = register_of(0, 1, A64_v1);
	assert_int_equal(v.bits[0], 9);
	assert_int_equal(v.known[7], 0xff);
	assert_int_equal(v.known[8], 0);
	v = register_of(0, 0, A64_v2);
	assert_int_equal(v.known[0], 0);
	assert_int_equal(v.bits[8], 0xef);
	assert_int_equal(v.known[15], 0xff);
}

static void history_partial_flags_keep_the_other_digits(void **state)
{
	(void)state;
	open_text("0 clk R CPSR 600003c5\n" NOP(1, "00001000") "1 clk R CPSR 8-------\n");
	check_known(0, A64_cpsr, 0x600003c5);
	check_known(1, A64_cpsr, 0x800003c5);
}

static void history_sp_is_the_one_of_the_mode(void **state)
{
	(void)state;
	open_text("0 clk R SP_EL0 0000000000000010\n0 clk R SP_EL1 0000000000000020\n" IT(
	        1, "00001000", "d503201f", "EL0t_ns") IT(2, "00001004", "d503201f", "EL1h_s")
	                  IT(3, "00001008", "d503201f", "EL1t_s"));
	check_known(0, A64_sp, 0x10);
	check_known(1, A64_sp, 0x20);
	check_known(2, A64_sp, 0x10);
}

#define A32(n, address, mode) #n " clk IT (" #n ") " address " e1a00000 A " mode " : NOP\n"

static void history_a32_banks_follow_the_mode(void **state)
{
	(void)state;
	open_text("0 clk R r13_svc 00000100\n0 clk R r13_usr 00000200\n0 clk R r8_fiq 00000008\n"
	          "0 clk R r8 00000003\n0 clk R cpsr 000001d3\n" A32(1, "00001000", "svc_s")
	                  A32(2, "00001004", "usr_s")
	                          A32(3, "00001008", "fiq_s") "3 clk R r13 00000300\n" A32(
	                                  4, "0000100c", "sys_s"));
	check_known(0, A32_sp, 0x100);
	check_known(1, A32_sp, 0x200);
	check_known(1, A32_r8, 3);
	check_known(2, A32_r8, 8);
	check_unknown(2, A32_sp);
	check_known(3, A32_sp, 0x200);
	check_known(3, A32_r8, 3);
}

static void history_a32_s_and_q_registers_are_parts_of_d(void **state)
{
	(void)state;
	open_text("0 clk R S1 3f800000\n0 clk R S0 40000000\n"
	          "0 clk R Q1 00000000000000220000000000000011\n" A32(1, "00001000", "svc_s"));
	check_known(0, A32_d0, UINT64_C(0x3f80000040000000));
	check_known(0, A32_d2, 0x11);
	check_known(0, A32_d3, 0x22);
}

#define T16(n, address, opcode, mode)                                                              \
#n " clk IT (" #n ") " address " " opcode " T " mode " : NOP\n"

static void history_m_stack_pointer_is_msp_or_psp(void **state)
{
	(void)state;
	open_text(
	        "0 clk E 00000100 00000001 CoreEvent_RESET\n0 clk R MSP 20001000\n"
	        "0 clk R PSP 20002000\n" T16(
	                1, "00000100", "bf00",
	                "thread") "1 clk R CONTROL 00000002\n" T16(2, "00000102", "bf00", "thread")
	                T16(3, "00000200", "bf00", "handler"));
	check_known(0, M_sp, 0x20001000);
	check_known(1, M_sp, 0x20002000);
	check_known(2, M_sp, 0x20001000);
	check_known(2, M_msp, 0x20001000);
	check_known(2, M_psp, 0x20002000);
	assert_true(register_file_has(session_registers(rig.session), M_psp));
}

static void history_m_stack_pointer_without_proof_is_unknown(void **state)
{
	(void)state;
	open_text("0 clk R MSP 20001000\n" T16(1, "00000100", "bf00", "thread"));
	check_unknown(0, M_sp);
	check_known(0, M_msp, 0x20001000);
}

/* Each register of M profile is the one that lines of its name say, and no other. */
static void history_m_registers_are_those_of_their_names(void **state)
{
	static const struct {
		unsigned int number;
		uint64_t value;
	} registers[] = {
	        {M_r0, 0x10},
	        {M_r7, 0x17},
	        {M_r12, 0x1c},
	        {M_lr, 0xfffffff9},
	        {M_msp, 0x20001000},
	        {M_psp, 0x20002000},
	        {M_xpsr, 0x61000003},
	        {M_fpscr, 0x03000010},
	        {M_primask, 1},
	        {M_basepri, 0x40},
	        {M_faultmask, 0},
	        {M_control, 2},
	        {M_d0, 0x1122334455667788},
	        {M_d15, 0x99aabbccddeeff00},
	};

	(void)state;
	open_text("0 clk E 00000100 00000001 CoreEvent_RESET\n"
	          "0 clk R r0 00000010\n0 clk R r7 00000017\n0 clk R r12 0000001c\n"
	          "0 clk R r14 fffffff9\n0 clk R MSP 20001000\n0 clk R PSP 20002000\n"
	          "0 clk R cpsr 61000003\n0 clk R fpscr 03000010\n0 clk R PRIMASK 00000001\n"
	          "0 clk R BASEPRI 00000040\n0 clk R FAULTMASK 00000000\n"
	          "0 clk R CONTROL 00000002\n0 clk R d0 1122334455667788\n"
	          "0 clk R d15 99aabbccddeeff00\n" T16(1, "00000100", "bf00", "handler"));
	for (size_t i = 0; i < sizeof(registers) / sizeof(registers[0]); i++)
		check_known(0, registers[i].number, registers[i].value);
	check_unknown(0, M_r0 + 1);
	check_unknown(0, M_d0 + 1);
	/* What is no register of the file has no place. */
	check_known(0, REGISTER_PC, 0x100);
}

/* Of an exception that wrote it a text need not say so. */
static void history_psr_that_a_line_refutes_is_not_known(void **state)
{
	static const struct {
		const char *text;
		unsigned int psr;
		bool is_refuted;
	} cases[] = {
	        {"1 clk IT (1) 8000 d503201f O EL0t_n : NOP\n1 clk R CPSR 60000000\n"
	         "2 clk IT (2) 8004 d4000001 O EL0t_n : SVC #0\n"
	         "3 clk IT (3) 10400 d503201f O EL1h_n : NOP\n",
	         A64_cpsr, true},
	        {"1 clk IT (1) 8000 d503201f O EL0t_n : NOP\n1 clk R CPSR 60000000\n"
	         "2 clk IT (2) 8004 d503201f O EL0t_n : NOP\n"
	         "3 clk IT (3) 8008 d503201f O EL0t_n : NOP\n",
	         A64_cpsr, false},
	        {"1 clk IT (1) 8000 e1a00000 A svc : NOP\n1 clk R CPSR 600001d3\n"
	         "2 clk IT (2) 8004 e1a00000 A svc : NOP\n"
	         "3 clk IT (3) 8008 46c0 T svc : NOP\n",
	         A32_cpsr, true},
	        {"1 clk IT (1) 100 bf00 T thread : NOP\n1 clk R cpsr 61000000\n"
	         "2 clk IT (2) 102 bf00 T thread : NOP\n"
	         "3 clk IT (3) 200 bf00 T handler : NOP\n",
	         M_xpsr, true},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		open_text(cases[i].text);
		for (uint64_t position = 1; position <= 2; position++) {
			struct value psr = register_of(0, position, cases[i].psr);

			assert_int_equal(value_is_known(&psr),
			                 position == 1 || !cases[i].is_refuted);
		}
		(void)tear_down(state);
	}
}

static void history_memory_is_what_was_written_and_read(void **state)
{
	(void)state;
	open_text(NOP(1, "00001000") "1 clk MW4 00008000 11223344\n" NOP(
	        2,
	        "00001004") "2 clk MR4 00009000 cafecafe\n" NOP(3,
	                                                        "00001008") "3 clk MW1 00008001 "
	                                                                    "99\n" NOP(4,
	                                                                               "0000100c"));
	check_no_memory(0, 0x8000);
	check_memory(1, 0x8000, 0x11223344);
	check_memory(2, 0x8000, 0x11223344);
	check_memory(3, 0x8000, 0x11229944);
	check_memory(4, 0x8000, 0x11229944);
	/* A read says what was there since the last write. */
	check_memory(0, 0x9000, 0xcafecafe);
	check_memory(4, 0x9000, 0xcafecafe);
	check_no_memory(4, 0xa000);
}

static void history_memory_that_others_write_is_known_where_it_was_seen(void **state)
{
	(void)state;
	open_text(NOP(1, "00001000") "1 clk MR4 00008000 00000001\n" NOP(2, "00001004")
	                  NOP(3, "00001008") "3 clk MR4 00008000 00000002\n" NOP(
	                          4, "0000100c") "4 clk MW4 00008000 00000003\n" NOP(5, "00001010")
	                          NOP(6, "00001014") "6 clk MR4 00008000 00000004\n");
	check_memory(0, 0x8000, 1);
	check_no_memory(1, 0x8000);
	check_memory(2, 0x8000, 2);
	check_memory(3, 0x8000, 2);
	check_memory(4, 0x8000, 3); /* right after the write */
	check_memory(5, 0x8000, 4);
	check_memory(6, 0x8000, 4);
}

static void history_memory_of_aborted_and_failed_accesses_is_not_touched(void **state)
{
	(void)state;
	open_text("Tarmac Text Rev 3t\n"
	          "1 clk ES (0000000000001000:d503201f) O el1h_ns: NOP\n"
	          "    ST 0000000000008000 ........ ........ ........ 11223344\n"
	          "1 clk ES (0000000000001004:d503201f) O el1h_ns: NOP\n"
	          "    SA 0000000000008000 ........ ........ ........ 55555555\n"
	          "    SX 0000000000008000 ........ ........ ........ 66666666\n"
	          "1 clk ES (0000000000001008:d503201f) O el1h_ns: NOP\n");
	check_memory(1, 0x8000, 0x11223344);
	check_memory(2, 0x8000, 0x11223344);
	check_memory(3, 0x8000, 0x11223344);
}

static void history_cores_share_memory_in_the_order_of_the_text(void **state)
{
	uint32_t word;

	(void)state;
	open_text("1 clk cpu0 IT (1) 00001000 d503201f O EL1h_s : NOP\n"
	          "1 clk cpu1 IT (1) 00002000 d503201f O EL1h_s : NOP\n"
	          "1 clk cpu1 MW4 00008000 00000007\n"
	          "1 clk cpu1 R X0 0000000000000077\n"
	          "2 clk cpu0 IT (2) 00001004 d503201f O EL1h_s : NOP\n"
	          "2 clk cpu0 MW4 00008000 00000008\n"
	          "2 clk cpu1 IT (2) 00002004 d503201f O EL1h_s : NOP\n"
	          "3 clk cpu0 IT (3) 00001008 d503201f O EL1h_s : NOP\n");
	assert_int_equal(session_core_count(rig.session), 2);
	assert_int_equal(history_length(session_history(rig.session, 0)), 3);
	assert_int_equal(history_length(session_history(rig.session, 1)), 2);
	check_no_memory(0, 0x8000);
	check_memory(1, 0x8000, 7);
	check_memory(2, 0x8000, 8);
	assert_int_equal(memory_of(1, 0, 0x8000, &word), 0);
	assert_int_equal(memory_of(1, 1, 0x8000, &word), 4);
	assert_int_equal(word, 8);
	check_unknown(3, A64_x0);
	assert_int_equal(register_of(1, 1, A64_x0).bits[0], 0x77);
}

/* Lines of one access each, by its address and its physical one. */
#define ACCESS(n, address, line) NOP(n, address) #n " clk " line "\n"

static const char places[] = ACCESS(1, "00001000", "MW4 00008000:000000108000 00000001")
        ACCESS(2, "00001004", "MW4 00009000:000000108000 00000002")
                ACCESS(3, "00001008", "MR4 00008000:000000208000 00000005")
                        ACCESS(4, "0000100c", "MW4 00008000:000000108000 00000007")
                                NOP(5, "00001010");
static const char moved[] = ACCESS(1, "00001000", "MW4 00008000:000000008000 00000001")
        NOP(2, "00001004") NOP(3, "00001008")
                ACCESS(4, "0000100c", "MR4 00008000:000000108000 00000002") NOP(5, "00001010");

static void history_memory_is_of_the_physical_page_that_an_address_is(void **state)
{
	struct watch watch = {WATCH_WRITE, 0x8000, 4};

	(void)state;
	open_text(places);
	check_no_memory(0, 0x8000);
	check_memory(1, 0x8000, 1);
	check_memory(2, 0x9000, 2);
	check_memory(2, 0x8000, 5);
	/* Another name of the page wrote it. */
	check_memory(3, 0x8000, 2);
	check_memory(4, 0x8000, 7);
	/* Whoever is there after others moved may have it elsewhere. */
	check_no_memory(5, 0x9000);
	assert_int_equal(session_watch_set(rig.session, &watch), STATUS_OK);
	assert_int_equal(session_continue(rig.session, 0, DIRECTION_BACKWARD, NULL, NULL).reason,
	                 STOP_WATCH);
	assert_int_equal(session_position(rig.session, 0), 4);
	assert_int_equal(session_seek(rig.session, 0, 3), STATUS_OK);
	assert_int_equal(session_continue(rig.session, 0, DIRECTION_BACKWARD, NULL, NULL).reason,
	                 STOP_WATCH);
	assert_int_equal(session_position(rig.session, 0), 1);
}

static void history_address_between_two_translations_is_not_known(void **state)
{
	(void)state;
	open_text(moved);
	check_memory(1, 0x8000, 1);
	check_no_memory(2, 0x8000);
	check_memory(3, 0x8000, 2);
	check_memory(5, 0x8000, 2);
}

static void history_malformed_lines_make_unknown_what_they_may_hide(void **state)
{
	size_t gaps;

	(void)state;
	open_text("0 clk R X0 0000000000000001\n" NOP(
	        1, "00001000") "1 clk MW4 00008000 00000001\n1 "
	                       "clk R X1 12\n" NOP(2, "00001004") "2 clk R X2 "
	                                                          "00000000000"
	                                                          "00002\n2 "
	                                                          "clk MW4 "
	                                                          "00008000 "
	                                                          "1\n" NOP(3, "0"
	                                                                       "0"
	                                                                       "0"
	                                                                       "0"
	                                                                       "1"
	                                                                       "0"
	                                                                       "0"
	                                                                       "8"));
	check_known(0, A64_x0, 1);
	check_unknown(1, A64_x0);
	check_memory(1, 0x8000, 1);
	check_known(2, A64_x2, 2);
	check_unknown(2, A64_x0);
	check_no_memory(2, 0x8000);
	assert_int_equal(rig.diags.count, 2);
	assert_int_equal(rig.diags.errors, 0);
	gaps = history_gap_count(session_history(rig.session, 0));
	assert_int_equal(gaps, 0);
}

static void history_malformed_instruction_is_a_gap(void **state)
{
	struct gap gap;

	(void)state;
	open_text("0 clk R X0 0000000000000001\n" NOP(
	        1, "00001000") "1 clk IT (2) 0000zzzz d503201f O EL1h_s : NOP\n" NOP(3,
	                                                                             "00001008"));
	assert_int_equal(history_gap_count(session_history(rig.session, 0)), 1);
	assert_true(history_gap(session_history(rig.session, 0), 0, &gap));
	assert_int_equal(gap.position, 1);
	check_known(0, A64_x0, 1);
	check_unknown(1, A64_x0);
}

static void history_malformed_line_is_an_error_if_strict(void **state)
{
	(void)state;
	assert_int_equal(open_with(NOP(1, "00001000") "1 clk R X1 12\n" NOP(2, "00001004"), true),
	                 STATUS_BAD_DATA);
	assert_null(rig.snapshot);
	assert_int_equal(rig.diags.errors, 1);
}

static void history_changed_code_has_the_opcode_that_ran(void **state)
{
	static const uint32_t expected[] = {0xd503201f, 0xd2800020, 0xd2800020, 0xd503201f};
	struct instruction insn;

	(void)state;
	open_text(NOP(1, "00001000") IT(2, "00001000", "d2800020", "EL1h_s")
	                  IT(3, "00001000", "d2800020", "EL1h_s") NOP(4, "00001000"));
	for (unsigned int i = 0; i < 4; i++) {
		history_at(session_history(rig.session, 0), i, &insn);
		assert_true(insn.has_opcode);
		assert_int_equal(insn.opcode, expected[i]);
	}
}

static void history_code_is_memory_once_it_was_executed(void **state)
{
	(void)state;
	open_text("0 clk R X0 0000000000000001\n" NOP(1, "00001000")
	                  NOP(2, "00001004") "2 clk MW4 00001000 d65f03c0\n" NOP(3, "00001008"));
	check_memory(0, 0x1000, 0xd503201f);
	check_memory(1, 0x1000, 0xd503201f);
	check_memory(2, 0x1000, 0xd65f03c0);
	check_memory(0, 0x1008, 0xd503201f);
}

static void history_runs_end_at_branches_and_say_how_they_went(void **state)
{
	struct instruction insn;

	(void)state;
	/* CBZ not taken, CBZ taken, then B. */
	open_text(IT(1, "00001000", "b4000040", "EL1h_s") IT(2, "00001004", "b4000040", "EL1h_s")
	                  IT(3, "0000100c", "17fffffd", "EL1h_s") NOP(4, "00001000"));
	history_at(session_history(rig.session, 0), 0, &insn);
	assert_true(insn.is_last);
	assert_int_equal(insn.class, INSN_BRANCH);
	assert_false(insn.executed);
	history_at(session_history(rig.session, 0), 1, &insn);
	assert_true(insn.executed);
	history_at(session_history(rig.session, 0), 2, &insn);
	assert_true(insn.executed);
	assert_int_equal(history_run_count(session_history(rig.session, 0)), 4);
}

static void history_failed_condition_has_no_effect_and_is_not_executed(void **state)
{
	struct instruction insn;

	(void)state;
	open_text("Tarmac Text Rev 3\n"
	          "1 clk ES (00001000:03a00001) A svc_ns: CCFAIL MOVEQ r0,#1\n"
	          "1 clk ES (00001004:e3a00002) A svc_ns: MOV r0,#2\n    R r0 00000002\n");
	history_at(session_history(rig.session, 0), 0, &insn);
	assert_false(insn.executed);
	check_unknown(1, A32_r0);
	check_known(2, A32_r0, 2);
}

static void history_exceptions_are_events_and_no_gaps(void **state)
{
	size_t count;
	struct history_event event;

	(void)state;
	open_text(NOP(1, "00001000") "1 clk E 00001000 00000084 CoreEvent_CURRENT_SPx_SYNC\n"
	                             "1 clk R ELR_EL1 0000000000001000\n" NOP(2, "00000200"));
	assert_int_equal(history_event_count(session_history(rig.session, 0)), 1);
	assert_true(history_event(session_history(rig.session, 0), 0, &event));
	assert_int_equal(event.position, 1);
	assert_int_equal(event.element.type, ELEMENT_EXCEPTION);
	assert_int_equal(event.element.exception.return_address, 0x1000);
	count = history_gap_count(session_history(rig.session, 0));
	assert_int_equal(count, 0);
}

static void history_that_does_not_say_what_comes_next_ends_at_its_last_instruction(void **state)
{
	(void)state;
	open_text(NOP(1, "00001000") NOP(
	        2, "00001004") "2 clk E 00001004 00000084 CoreEvent_CURRENT_SPx_SYNC\n");
	assert_int_equal(history_length(session_history(rig.session, 0)), 2);
	assert_int_equal(session_position(rig.session, 0), 1);
	assert_true(session_core_has_pc(rig.session, 0));
	assert_int_equal(session_step(rig.session, 0, DIRECTION_FORWARD).reason, STOP_END);
	assert_int_equal(session_seek(rig.session, 0, 2), STATUS_NOT_FOUND);
}

static void history_end_of_a_return_is_the_link_register(void **state)
{
	(void)state;
	open_text("0 clk R X30 0000000000002000\n" IT(1, "00001000", "d65f03c0", "EL1h_s"));
	check_known(1, A64_pc, 0x2000);
}

static void effects_are_the_lines_of_the_instruction(void **state)
{
	struct effects_reader *reader;
	struct effects effects;

	(void)state;
	open_text("0 clk R X0 0000000000000005\n" NOP(
	        1, "00001000") "1 clk R X1 0000000000000006\n1 clk MW4 00008000 "
	                       "00000007\n" NOP(2, "00001004"));
	assert_true(effects_known(session_history(rig.session, 0)));
	assert_int_equal(effects_open(session_history(rig.session, 0), &reader), STATUS_OK);
	assert_int_equal(effects_at(reader, 1, &effects), STATUS_OK);
	assert_int_equal(effects.count, 0);
	assert_int_equal(effects.instruction.instruction.address, 0x1004);
	assert_int_equal(effects_at(reader, 0, &effects), STATUS_OK);
	assert_int_equal(effects.count, 2);
	assert_int_equal(effects.items[0].event.kind, TARMAC_REGISTER);
	assert_int_equal(tarmac_value_u64(effects.items[0].event.reg.value), 6);
	assert_int_equal(effects.items[1].event.kind, TARMAC_MEMORY);
	assert_int_equal(effects.items[1].event.memory.address, 0x8000);
	assert_int_equal(tarmac_value_u64(effects.items[1].event.memory.value), 7);
	assert_true(effects.has_instruction);
	assert_int_equal(effects_at(reader, EFFECTS_INITIAL, &effects), STATUS_OK);
	assert_int_equal(effects.count, 1);
	assert_false(effects.has_instruction);
	assert_int_equal(tarmac_value_u64(effects.items[0].event.reg.value), 5);
	assert_int_equal(effects_at(reader, 0, &effects), STATUS_OK);
	assert_int_equal(effects.instruction.instruction.address, 0x1000);
	assert_int_equal(effects_at(reader, 2, &effects), STATUS_UNAVAILABLE);
	effects_close(reader);
	effects_close(NULL);
}

static void effects_of_a_long_history_are_found_in_any_order(void **state)
{
	enum { COUNT = 1000 };
	static char text[COUNT * 100];
	struct effects_reader *reader;
	struct effects effects;
	size_t used = 0;

	(void)state;
	for (unsigned int i = 0; i < COUNT; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
		                         "%u clk IT (%u) %08x d503201f O EL1h_s : NOP\n"
		                         "%u clk R X0 %016x\n",
		                         i, i, 0x1000 + 4 * i, i, i);
	open_text(text);
	assert_int_equal(effects_open(session_history(rig.session, 0), &reader), STATUS_OK);
	for (unsigned int i = 0; i < COUNT; i++) {
		unsigned int position = i * 377 % COUNT;
		struct value stamp = register_of(0, position, A64_trace_timestamp);

		assert_int_equal(effects_at(reader, position, &effects), STATUS_OK);
		assert_int_equal(effects.count, 1);
		assert_int_equal(tarmac_value_u64(effects.items[0].event.reg.value), position);
		assert_int_equal(value_u64(&stamp), position);
		check_known(position + 1, A64_x0, position);
	}
	effects_close(reader);
}

static void history_of_an_empty_text_is_no_tarmac(void **state)
{
	(void)state;
	assert_int_not_equal(open_with("", false), STATUS_OK);
	assert_int_not_equal(open_with("[snapshot]\nversion=1.0\n", false), STATUS_OK);
}

/* However far it is, and the logs are sorted and filled after the last line. */
static void open_interrupted_anywhere_has_no_result(void **state)
{
	enum status status = STATUS_INTERRUPTED;
	unsigned int count;

	(void)state;
	rig.stops = true;
	for (count = 0; status == STATUS_INTERRUPTED && count < 100; count++) {
		rig.polls = count;
		status = open_with("0 clk R X0 0000000000000001\n"
		                   "1 clk IT (1) 00001000 f9000020 O EL1h_s : STR x0,[x1]\n"
		                   "1 clk MW8 0000000000002000 00000000_00000001\n"
		                   "2 clk IT (2) 00001004 d2800041 O EL1h_s : MOV x1,#2\n"
		                   "2 clk R X1 0000000000000002\n",
		                   false);
		assert_true((status == STATUS_OK) == (rig.snapshot != NULL));
	}
	assert_int_equal(status, STATUS_OK);
	assert_true(count > 4);
	check_known(2, A64_x1, 2);
}

#define LAST_A64(opcode)      "1 clk IT (1) 00001000 " opcode " O EL1h_s : X\n"
#define LAST_A32(opcode, isa) "1 clk IT (1) 00001000 " opcode " " isa " svc_s : X\n"

/* Where the last instruction leads, if the text says so: the PC of the halt. 0: it does not. */
static void history_end_is_where_the_last_instruction_leads(void **state)
{
	static const struct {
		const char *text;
		uint64_t end;
	} cases[] = {
	        {LAST_A64("d503201f"), 0x1004},                                  /* nop */
	        {LAST_A64("14000002"), 0x1008},                                  /* b */
	        {LAST_A64("b4000040"), 0},                                       /* cbz */
	        {"0 clk R X5 0000000000002000\n" LAST_A64("d61f00a0"), 0x2000},  /* br x5 */
	        {"0 clk R X5 0000000000002000\n" LAST_A64("d63f00a0"), 0x2000},  /* blr x5 */
	        {"0 clk R X30 0000000000002004\n" LAST_A64("d65f03c0"), 0x2004}, /* ret */
	        {"0 clk R X30 0000000000002004\n" LAST_A64("d63f03c0"), 0},      /* blr x30 */
	        {"0 clk R X5 00000000xxxx2000\n" LAST_A64("d61f00a0"), 0},
	        {LAST_A64("d61f00a0"), 0},
	        {"0 clk R X31 0000000000002000\n" LAST_A64("d61f03e0"), 0},  /* br xzr */
	        {LAST_A32("e1a00000", "A"), 0x1004},                         /* nop */
	        {LAST_A32("ea000000", "A"), 0x1008},                         /* b */
	        {LAST_A32("bf00", "T"), 0x1002},                             /* nop */
	        {LAST_A32("0a000000", "A"), 0x1008},                         /* beq, executed */
	        {LAST_A32("b100", "T"), 0},                                  /* cbz */
	        {"0 clk R R3 00003001\n" LAST_A32("4718", "T"), 0x3000},     /* bx r3 */
	        {"0 clk R R3 00003000\n" LAST_A32("e12fff13", "A"), 0x3000}, /* bx r3 */
	        {"0 clk R r14_svc 00003001\n" LAST_A32("e12fff1e", "A"), 0x3000}, /* bx lr */
	        {"0 clk R r14_svc 00003001\n" LAST_A32("e12fff3e", "A"), 0},      /* blx lr */
	        {LAST_A32("e12fff13", "A"), 0},
	        {LAST_A32("e49df004", "A") "1 clk MR4 00009000 00004005\n", 0x4004}, /* ldr pc */
	        {LAST_A32("bd00", "T") "1 clk MR4 00009000 00004005\n", 0x4004},     /* pop pc */
	        {LAST_A32("bd00", "T") "1 clk MR4 00009000 0000xx05\n", 0},
	        {LAST_A32("bd00", "T") "1 clk MW4 00009000 00004005\n", 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct history *history;
		enum status status;
		uint64_t pc = 0;

		open_text(cases[i].text);
		history = session_history(rig.session, 0);
		assert_int_equal(history_length(history), 1);
		status = history_pc(history, 1, &pc);
		if ((status == STATUS_OK ? pc : 0) != cases[i].end)
			fail_msg("%s: 0x%llx", cases[i].text, (unsigned long long)pc);
		(void)tear_down(state);
	}
}

/* "3 ns", "2500 ps": as numbers the second is later. */
static void history_times_that_cannot_be_compared_are_none(void **state)
{
#define AT(time, core, address) time " " core " IT (1) " address " d503201f O EL1h_s : NOP\n"
	static const struct {
		const char *text;
		bool has_clock[2];
	} cases[] = {
	        {AT("1 ns", "cpu0", "00001000") AT("2 ns", "cpu1", "00002000")
	                 AT("2 ns", "cpu0", "00001004") AT("3 ns", "cpu1", "00002004"),
	         {true, true}},
	        {AT("1 ns", "cpu0", "00001000") AT("3 ns", "cpu0", "00001004")
	                 AT("2500 ps", "cpu1", "00002000") AT("5000 ps", "cpu1", "00002004"),
	         {false, false}},
	        {AT("1 ns", "cpu0", "00001000") AT("2 ns", "cpu1", "00002000")
	                 AT("2500 ps", "cpu1", "00002004") AT("3 ns", "cpu0", "00001004"),
	         {false, false}},
	        {AT("1 ns", "cpu0", "00001000") AT("4 ns", "cpu1", "00002000")
	                 AT("3 ns", "cpu1", "00002004") AT("5 ns", "cpu0", "00001004"),
	         {true, false}},
	};
#undef AT

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		open_text(cases[i].text);
		for (size_t core = 0; core < 2; core++) {
			bool expected = cases[i].has_clock[core];

			assert_int_equal(session_has_clock(rig.session, core), expected);
			assert_int_equal(session_moment(rig.session, core, 1).has_earliest,
			                 expected);
		}
		(void)tear_down(state);
	}
}

int main(void)
{
#define T(name) cmocka_unit_test_teardown(name, tear_down)
	const struct CMUnitTest tests[] = {
	        T(history_register_holds_from_after_its_instruction),
	        T(history_w_and_vector_parts_say_what_they_leave_above),
	        T(history_partial_flags_keep_the_other_digits),
	        T(history_sp_is_the_one_of_the_mode),
	        T(history_a32_banks_follow_the_mode),
	        T(history_a32_s_and_q_registers_are_parts_of_d),
	        T(history_m_stack_pointer_is_msp_or_psp),
	        T(history_m_stack_pointer_without_proof_is_unknown),
	        T(history_m_registers_are_those_of_their_names),
	        T(history_psr_that_a_line_refutes_is_not_known),
	        T(history_memory_is_what_was_written_and_read),
	        T(history_memory_that_others_write_is_known_where_it_was_seen),
	        T(history_memory_of_aborted_and_failed_accesses_is_not_touched),
	        T(history_cores_share_memory_in_the_order_of_the_text),
	        T(history_memory_is_of_the_physical_page_that_an_address_is),
	        T(history_address_between_two_translations_is_not_known),
	        T(history_malformed_lines_make_unknown_what_they_may_hide),
	        T(history_malformed_instruction_is_a_gap),
	        T(history_malformed_line_is_an_error_if_strict),
	        T(history_changed_code_has_the_opcode_that_ran),
	        T(history_code_is_memory_once_it_was_executed),
	        T(history_runs_end_at_branches_and_say_how_they_went),
	        T(history_failed_condition_has_no_effect_and_is_not_executed),
	        T(history_exceptions_are_events_and_no_gaps),
	        T(history_that_does_not_say_what_comes_next_ends_at_its_last_instruction),
	        T(history_end_of_a_return_is_the_link_register),
	        T(effects_are_the_lines_of_the_instruction),
	        T(effects_of_a_long_history_are_found_in_any_order),
	        T(history_of_an_empty_text_is_no_tarmac),
	        T(open_interrupted_anywhere_has_no_result),
	        T(history_end_is_where_the_last_instruction_leads),
	        T(history_times_that_cannot_be_compared_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
