/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of Rev 3 and of ISP RAS lines that decide what a position is, in texts made here. */
#include "made_text.h"

static struct instruction instruction_at(uint64_t position)
{
	struct instruction insn;

	history_at(session_history(rig.session, 0), position, &insn);
	return insn;
}

/* Rev 3, 2.3.1, field 2: on a prefetch abort there is no opcode, whatever the address had before.
 */
static void fields_opcode_of_a_failed_fetch_is_not_that_of_another_time(void **state)
{
	size_t gaps;

	(void)state;
	open_text("Tarmac Text Rev 3\nES (00001000:e1a00000) A svc: NOP\n"
	          "ES (00001000:--------) A svc:\n    EXC [0x0c] Prefetch Abort\n"
	          "ES (0000000c:e1a00000) A abt: NOP\n");
	assert_int_equal(history_length(session_history(rig.session, 0)), 3);
	assert_true(instruction_at(0).has_opcode);
	assert_false(instruction_at(1).has_opcode);
	assert_int_equal(instruction_at(1).address, 0x1000);
	assert_true(instruction_at(2).has_opcode);
	(void)history_gaps(session_history(rig.session, 0), &gaps);
	assert_int_equal(gaps, 0);
}

/* ISP RAS: "16\32\64-bit code for the instruction". */
static void fields_opcodes_have_16_32_or_64_bits(void **state)
{
	size_t gaps;

	(void)state;
	open_text("1 clk 0 IT (1) 00001000 bf00 T svc_s : NOP\n"
	          "2 clk 0 IT (2) 00001002 e1a00000 A svc_s : NOP\n"
	          "3 clk 0 IT (3) 00001008 0123456789abcdef A svc_s : VOP\n"
	          "4 clk 0 IT (4) 00001010 e1a00001 A svc_s : MOV\n");
	assert_int_equal(instruction_at(0).opcode, 0xbf00);
	assert_int_equal(instruction_at(0).size, 2);
	assert_int_equal(instruction_at(1).opcode, 0xe1a00000);
	assert_true(instruction_at(2).has_opcode);
	assert_int_equal(instruction_at(2).size, 8);
	assert_int_equal(instruction_at(2).opcode, UINT64_C(0x0123456789abcdef));
	assert_int_equal(instruction_at(3).opcode, 0xe1a00001);
	check_memory(3, 0x1008, 0x89abcdef);
	check_memory(3, 0x100c, 0x01234567);
	(void)history_gaps(session_history(rig.session, 0), &gaps);
	assert_int_equal(gaps, 0);
}

/* Rev 3, 2.2: a record has its own timestamp or none; its other lines have the record's. */
static void fields_record_without_timestamp_has_none(void **state)
{
	struct value stamp;

	(void)state;
	open_text("Tarmac Text Rev 3t\n"
	          "       9627 clk ES  (00001000:e1a00000) A svc: NOP\n"
	          "                ES  (00001004:e1a00000) A svc: NOP\n"
	          "-----------     ES  (00001008:e1a00000) A svc: NOP\n"
	          "       9629 clk ES  (0000100c:e1a00000) A svc: NOP\n");
	stamp = register_of(0, 0, A32_trace_timestamp);
	assert_int_equal(value_u64(&stamp), 9627);
	for (uint64_t i = 1; i < 3; i++) {
		stamp = register_of(0, i, A32_trace_timestamp);
		assert_false(value_is_known(&stamp));
	}
	stamp = register_of(0, 3, A32_trace_timestamp);
	assert_int_equal(value_u64(&stamp), 9629);
}

/* APSR is the flags of CPSR (Arm ARM G8.2.12), and says nothing of its other bits. */
static void fields_apsr_is_the_flags_of_cpsr(void **state)
{
	(void)state;
	open_text("Tarmac Text Rev 3\nES (00001000:e1a00000) A svc: NOP\n    R CPSR (AArch32) "
	          "600001d3\n"
	          "ES (00001004:e1a00000) A svc: NOP\n    R APSR 800f0000\n"
	          "ES (00001008:e1a00000) A svc: NOP\n");
	check_known(1, A32_cpsr, 0x600001d3);
	check_known(2, A32_cpsr, 0x800f01d3);
}

/* Rev 3, 2.3.4, field 1: of the five only LD and ST moved anything. */
static void fields_only_completed_accesses_move_memory(void **state)
{
	(void)state;
	open_text(
	        "Tarmac Text Rev 3\nES (00001000:e1a00000) A svc: NOP\n"
	        "    ST 00008000 ........ ........ ........ 00000001 S:0000008000/20 SO\n"
	        "    LA 00008000 ........ ........ ........ 00000002 S:0000008000/20 SO\n"
	        "    SA 00008000 ........ ........ ........ 00000003 S:0000008000/20 SO\n"
	        "    SX 00008000 ........ ........ ........ 00000004 S:0000008000/20 SO\n"
	        "    LD 00008010 00000008 ........ ......## 00000005 S:0000008010/20 NM ISH IWBRWA "
	        "OWBRWA\nES (00001004:e1a00000) A svc: NOP\n");
	check_memory(1, 0x8000, 1);
	check_memory(1, 0x8010, 5);
	check_no_memory(1, 0x8014);
	check_no_memory(1, 0x8018);
	check_memory(1, 0x801c, 8);
	assert_int_equal(rig.diags.count, 0);
}

int main(void)
{
#define T(name) cmocka_unit_test_teardown(name, tear_down)
	const struct CMUnitTest tests[] = {
	        T(fields_opcode_of_a_failed_fetch_is_not_that_of_another_time),
	        T(fields_opcodes_have_16_32_or_64_bits),
	        T(fields_record_without_timestamp_has_none),
	        T(fields_apsr_is_the_flags_of_cpsr),
	        T(fields_only_completed_accesses_move_memory),
	};
#undef T

	return cmocka_run_group_tests(tests, NULL, NULL);
}
