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
	gaps = history_gap_count(session_history(rig.session, 0));
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
	gaps = history_gap_count(session_history(rig.session, 0));
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

#define REV3          "Tarmac Text Rev 3\n"
#define ES_A(address) "ES (" address ":e1a00000) A svc: NOP\n"

/* Rev 3, 2.3.6: where the text ends, where its opcodes do not say it. 0: it is not known. */
static void fields_branch_line_says_where_the_text_leads(void **state)
{
	static const struct {
		const char *text;
		uint64_t end;
	} cases[] = {
	        {"ES (00001000:e12fff13) A svc: BX r3\n    BR (00003000) A\n", 0x3000},
	        {"ES (00001000:e12fff13) A svc: BX r3\n", 0},
	        {"ES (00001000:0a000000) A svc: BEQ\n    BR (00001008) A\n", 0x1008},
	        {"ES (0000000000001000:b4000040) O el1h: CBZ\n    BR (0000000000001008) O\n",
	         0x1008},
	        {"ES (0000000000001000:d61f00a0) O el1h: BR x5\n    BR (0000000000002000) O\n",
	         0x2000},
	        /* Of the exception that came after the instruction, 2.4's example. */
	        {"ES (0000d800:ef000002) A svc: SVC #0x2\n    EXC [0x08] System Call\n"
	         "    R LR (SVC) 0000d804\n    BR (00000008) A\n",
	         8},
	        {"ES (00001000:0a000000) A svc: CCFAIL BEQ\n", 0x1004},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[400];
		const struct history *history;
		enum status status;
		uint64_t pc = 0;

		(void)snprintf(text, sizeof(text), REV3 "%s", cases[i].text);
		open_text(text);
		history = session_history(rig.session, 0);
		assert_int_equal(history_length(history), 1);
		status = history_pc(history, 1, &pc);
		if ((status == STATUS_OK ? pc : 0) != cases[i].end)
			fail_msg("%s: 0x%llx", cases[i].text, (unsigned long long)pc);
		/* 2.3.6: a BR line is that of a branch that was taken. */
		if (strstr(cases[i].text, "BR ("))
			assert_true(instruction_at(0).executed);
		if (strstr(cases[i].text, "CCFAIL"))
			assert_false(instruction_at(0).executed);
		assert_int_equal(rig.diags.count, 0);
		(void)tear_down(state);
	}
}

/* 2.4 has such a line in its example, and no word of what it is. */
static void fields_line_of_the_example_without_a_meaning_is_told(void **state)
{
	size_t gaps;

	(void)state;
	open_text(REV3 ES_A("00001000") "    R R1 (USR) 00000001\n#0000000000004840\n" ES_A(
	        "00001004") ES_A("00001008"));
	assert_int_equal(rig.diags.count, 1);
	assert_int_equal(rig.diags.items[0].severity, SEVERITY_WARNING);
	assert_int_equal(rig.diags.items[0].place.line, 4);
	assert_int_equal(history_length(session_history(rig.session, 0)), 3);
	gaps = history_gap_count(session_history(rig.session, 0));
	assert_int_equal(gaps, 0);
	check_known(1, A32_r1, 1);
}

static void check_astray(const char *text, size_t expected_gaps)
{
	size_t gaps;

	open_text(text);
	gaps = history_gap_count(session_history(rig.session, 0));
	assert_int_equal(gaps, expected_gaps);
	assert_int_equal(rig.diags.count, expected_gaps > 0 ? 1 : 0);
}

/* The same: the next instruction is there, unless lines are missing, and what they did with them.
 */
static void fields_instruction_is_where_the_branch_before_it_leads(void **state)
{
#define BRANCH                                                                                     \
	REV3 "ES (00001000:e1a00000) A svc: NOP\n    R R1 (USR) 00000001\n"                        \
	     "    ST 00008000 ........ ........ ........ 00000007\n"                               \
	     "ES (00001004:ea000000) A svc: B\n    BR (0000100c) A\n"
	(void)state;
	check_astray(BRANCH ES_A("0000100c"), 0);
	check_known(3, A32_r1, 1);
	check_memory(3, 0x8000, 7);
	(void)tear_down(state);

	check_astray(BRANCH ES_A("00001010") "    LD 00009000 ........ ........ ........ "
	                                     "00000009\n" ES_A("00001014"),
	             1);
	assert_int_equal(rig.diags.items[0].place.line, 7);
	assert_string_equal(
	        rig.diags.items[0].text,
	        "instruction at 0x1010, but the branch before it leads to 0x100c: lines "
	        "are missing, a gap");
	assert_true(history_has_gap_at(session_history(rig.session, 0), 2));
	check_known(2, A32_pc, 0x1010);
	check_known(1, A32_r1, 1);
	check_unknown(3, A32_r1);
	check_unknown(4, A32_r1);
	check_memory(1, 0x8000, 7);
	check_no_memory(3, 0x8000);
	/* What the instruction itself reads is after the gap. */
	check_memory(4, 0x9000, 9);
	(void)tear_down(state);

	/* Another core's lines, and an exception, are no contradiction. */
	check_astray(BRANCH "    EXC [0x18] IRQ Interrupt\n" ES_A("00000018"), 0);
	(void)tear_down(state);
	check_astray(BRANCH
	             "ES IRQ\n    EXC [0x18] IRQ Interrupt\n    BR (00000018) A\n" ES_A("00000018"),
	             0);
	(void)tear_down(state);
	check_astray(REV3 "ES EXC [0x00] Reset\n    BR (00000000) A\n" ES_A("00008000"), 0);
	(void)tear_down(state);
	check_astray(BRANCH ES_A("00001010") "    BR (00002000) A\n" ES_A("00002004"), 2);
	assert_string_equal(
	        rig.diags.items[0].text,
	        "instruction at 0x1010, but the branch before it leads to 0x100c: lines "
	        "are missing, a gap; 1 more");
#undef BRANCH
}

/* What the format has not, and nothing depends on: the first of a kind, and how many there are. */
static void fields_words_that_the_format_has_not_are_told_once(void **state)
{
	static const struct {
		const char *text;
		unsigned int line;
		const char *said;
	} cases[] = {
	        {"Tarmac Text Rev 4t\n" ES_A("00001000"), 1,
	         "revision of the header \"4\" is not 3, and is read as 3"},
	        {"Tarmac Text Rev 3tx\n" ES_A("00001000"), 1,
	         "flag of the header \"x\" is not known"},
	        {REV3 "ES (00001000:e1a00000) A boot: NOP\nES (00001004:e1a00000) A svc: NOP\n"
	              "ES (00001008:e1a00000) A boot_ns: NOP\n",
	         2,
	         "mode of an instruction \"boot\" is not known, and counts as none; 2 lines have "
	         "one"},
	        {REV3 ES_A("00001000") "    LD 00009000 ........ ........ ........ 00000009 "
	                               "S:0000009000/12 NM XSH\n",
	         3, "attribute of an access \"XSH\" is not known"},
	        {REV3 ES_A("00001000") "    LD 00009000 ........ ........ ........ 00000009 "
	                               "S:000000a000/16 NM\n",
	         3,
	         "page order of an access \"/16\" does not fit its two addresses, and counts as "
	         "4 KiB"},
	        {REV3 ES_A("00001000") "    EXC [0x08] Data Abort\n", 3,
	         "vector of an exception \"0x08\" is not that of its name; both are kept"},
	        {REV3 ES_A("00001000") "    EXC [0x404] Synchronous Lower EL using AArch64\n", 3,
	         "vector of an exception \"0x404\" is not that of its name; both are kept"},
	        {"1 clk 0 IT (1) 00001000 e1a00000 A svc_s : NOP\n1 clk MR4Q 00002000 00000001\n",
	         2, "attribute of an access \"Q\" is not known"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		open_text(cases[i].text);
		assert_int_equal(rig.diags.count, 1);
		assert_int_equal(rig.diags.items[0].severity, SEVERITY_WARNING);
		assert_int_equal(rig.diags.items[0].place.line, cases[i].line);
		assert_string_equal(rig.diags.items[0].text, cases[i].said);
		(void)tear_down(state);
	}
}

/* All words of 2.3.1, field 4, and of 2.3.4, fields 6 to 10. */
static void fields_words_of_the_format_are_known(void **state)
{
	static const char *const modes[][2] = {
	        {"A", "usr sys svc abt und irq fiq hyp mon"},
	        {"O", "el0t el1t el1h el2t el2h el3t el3h"},
	};
	static const char *const attributes[] = {"/0 SO",
	                                         "/20 DV OSH",
	                                         "/12 NM NSH INC ONC",
	                                         "nGnRnE OSH",
	                                         "nGnRE ISH",
	                                         "nGRE",
	                                         "GRE",
	                                         "NM ISH IWTNA OWTRA",
	                                         "NM IWTWA OWTRWA",
	                                         "NM IWBNA OWBRA",
	                                         "NM IWBWA OWBRWA",
	                                         "NM NSH IWBRWA OWBWA"};
	char text[300];

	for (size_t i = 0; i < 2; i++) {
		struct str rest = str_of(modes[i][1]);

		while (rest.p) {
			struct str mode = str_next_part(&rest, ' ');

			(void)snprintf(text, sizeof(text),
			               REV3 "ES (00001000:e1a00000) %s %.*s_ns: NOP\n", modes[i][0],
			               STR_ARG(mode));
			open_text(text);
			assert_int_equal(rig.diags.count, 0);
			(void)tear_down(state);
		}
	}
	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
		(void)snprintf(text, sizeof(text),
		               REV3 ES_A("00001000") "    LD 00009000 ........ ........ ........ "
		                                     "00000009 S:0000009000%s%s\n",
		               attributes[i][0] == '/' ? "" : "    ", attributes[i]);
		open_text(text);
		assert_int_equal(rig.diags.count, 0);
		check_memory(1, 0x9000, 9);
		(void)tear_down(state);
	}
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
	        T(fields_branch_line_says_where_the_text_leads),
	        T(fields_line_of_the_example_without_a_meaning_is_told),
	        T(fields_instruction_is_where_the_branch_before_it_leads),
	        T(fields_words_that_the_format_has_not_are_told_once),
	        T(fields_words_of_the_format_are_known),
	};
#undef T

	return cmocka_run_group_tests(tests, NULL, NULL);
}
