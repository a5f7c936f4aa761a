/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which memory an address is, in texts made here: physical address spaces and translation regimes
 * (Tarmac Text Rev 3, 2.3.4 fields 4 and 5; Arm ARM D8.1.2). Expectations are by hand.
 */
#include "made_text.h"

#define ES(n, address, mode) #n " clk ES (00000000" address ":d503201f) O " mode ": NOP\n"
#define WORD_AT(word, page, value, physical)                                                       \
	"    " word " 000000000000" page " ........ ........ ........ " value "    " physical "\n"
#define ST(page, value, physical) WORD_AT("ST", page, value, physical)
#define LD(page, value, physical) WORD_AT("LD", page, value, physical)

static void spaces_secure_and_non_secure_pages_of_one_number_are_two(void **state)
{
	(void)state;
	open_text("Tarmac Text Rev 3t\n" ES(1, "00001000", "el3h")
	                  ST("5000", "11111111", "S:0000005000/12 NM") ES(2, "00001004", "el1h_ns")
	                          ST("5000", "22222222", "NS:0000005000/12")
	                                  ES(3, "00001008", "el3h") ES(4, "0000100c", "el1h_ns")
	                                          ES(5, "00001010", "el3h"));
	check_memory(2, 0x5000, 0x11111111);
	check_memory(3, 0x5000, 0x22222222);
	check_memory(4, 0x5000, 0x11111111);
	/* Not from the text's start on either: the write is after position 1. */
	check_no_memory(1, 0x5000);
}

/* A core in the Secure world may access both. */
static void spaces_one_regime_names_pages_of_both(void **state)
{
	(void)state;
	open_text("Tarmac Text Rev 3t\n" ES(1, "00001000", "el3h")
	                  ST("5000", "11111111", "S:0000009000") ES(2, "00001004", "el3h")
	                          ST("6000", "22222222", "NS:0000009000") ES(3, "00001008", "el3h")
	                                  ST("7000", "33333333", "RT:0000009000")
	                                          ES(4, "0000100c", "el3h")
	                                                  ST("8000", "44444444", "RL:0000009000")
	                                                          ES(5, "00001010", "el3h"));
	check_memory(4, 0x5000, 0x11111111);
	check_memory(4, 0x6000, 0x22222222);
	check_memory(4, 0x7000, 0x33333333);
	check_memory(4, 0x8000, 0x44444444);
}

static void spaces_translations_are_of_their_regime(void **state)
{
	(void)state;
	open_text("Tarmac Text Rev 3t\n" ES(1, "00001000", "el1h_ns")
	                  ST("8000", "11111111", "NS:0000108000") ES(2, "00001004", "el3h")
	                          ES(3, "00001008", "el1h_ns") ES(4, "0000100c", "el2h_ns")
	                                  ES(5, "00001010", "el1h") ES(6, "00001014", "el1h_ns"));
	check_no_memory(1, 0x8000); /* EL3 */
	check_memory(2, 0x8000, 0x11111111);
	check_no_memory(3, 0x8000); /* EL2 */
	check_no_memory(4, 0x8000); /* Secure EL1 */
	check_memory(5, 0x8000, 0x11111111);
}

/* So are those of pages at their own address. */
static void spaces_a_page_at_its_own_address_is_of_its_regime(void **state)
{
	(void)state;
	open_text("Tarmac Text Rev 3t\n" ES(1, "00001000", "el1h_ns")
	                  ST("8000", "11111111", "NS:0000008000") ES(2, "00001004", "el3h")
	                          ES(3, "00001008", "el1h_ns"));
	check_no_memory(1, 0x8000);
	check_memory(2, 0x8000, 0x11111111);
}

static void spaces_el0_is_in_the_regime_of_el1_unless_el2_ran(void **state)
{
	(void)state;
	open_text("Tarmac Text Rev 3t\n" ES(1, "00001000", "el1h_ns")
	                  ST("8000", "11111111", "NS:0000108000") ES(2, "00001004", "el0t_ns")
	                          ES(3, "00001008", "el2h_ns") ES(4, "0000100c", "el0t_ns")
	                                  ES(5, "00001010", "el1h_ns"));
	check_memory(1, 0x8000, 0x11111111);
	check_no_memory(2, 0x8000);
	check_no_memory(3, 0x8000); /* an application of a host in EL2, or a guest's */
	check_memory(4, 0x8000, 0x11111111);
}

/* Rev 3, 2.3.1 field 5: no suffix is Secure. AArch32's Monitor mode has the regime of Secure PL1.
 */
static void spaces_monitor_mode_is_with_the_secure_ones(void **state)
{
	(void)state;
	open_text("Tarmac Text Rev 3\n"
	          "ES (00001000:e1a00000) A svc: NOP\n"
	          "    ST 00008000 ........ ........ ........ 11111111 S:0000108000/12 SO\n"
	          "ES (00001004:e1a00000) A mon: NOP\nES (00001008:e1a00000) A svc_ns: NOP\n"
	          "ES (0000100c:e1a00000) A usr: NOP\nES (00001010:e1a00000) A hyp_ns: NOP\n"
	          "ES (00001014:e1a00000) A irq: NOP\n");
	check_memory(1, 0x8000, 0x11111111);
	check_no_memory(2, 0x8000);
	check_memory(3, 0x8000, 0x11111111);
	check_no_memory(4, 0x8000);
	check_memory(5, 0x8000, 0x11111111);
}

/* Which space an access is in that says no physical address is not known where others say theirs.
 */
static void spaces_untranslated_write_hides_what_it_may_have_hit(void **state)
{
	(void)state;
	open_text("Tarmac Text Rev 3t\n" ES(1, "00001000", "el1h_ns")
	                  ST("5000", "11111111", "NS:0000005000") ES(2, "00001004", "el1h_ns")
	                          ES(3, "00001008", "el3h") ST("5000", "22222222", "")
	                                  ES(4, "0000100c", "el3h") ES(5, "00001010", "el1h_ns"));
	check_memory(1, 0x5000, 0x11111111);
	check_memory(3, 0x5000, 0x22222222);
	check_no_memory(4, 0x5000);
}

static void spaces_translated_write_hides_what_has_no_translation(void **state)
{
	(void)state;
	open_text("Tarmac Text Rev 3t\n" ES(1, "00001000", "el3h") ST("5000", "22222222", "")
	                  ES(2, "00001004", "el3h") ES(3, "00001008", "el1h_ns")
	                          ST("5000", "11111111", "NS:0000005000")
	                                  ES(4, "0000100c", "el1h_ns") ES(5, "00001010", "el3h"));
	check_memory(1, 0x5000, 0x22222222);
	check_memory(3, 0x5000, 0x11111111);
	check_no_memory(4, 0x5000);
}

/* A page's line may come after an access to it, whose line did not say where it went. */
static void spaces_write_before_the_page_is_said_hides_what_it_may_have_hit(void **state)
{
	for (unsigned int is_written = 0; is_written < 2; is_written++) {
		char text[1000];

		(void)snprintf(text, sizeof(text),
		               "Tarmac Text Rev 3t\n" ES(1, "00001000", "el3h")
		                       ST("7000", "11111111", "S:0000009000") ES(
		                               2, "00001004", "el3h") "%s" ES(3, "00001008", "el3h")
		                               LD("5010", "33333333", "S:0000009010")
		                                       ES(4, "0000100c", "el3h"),
		               is_written ? ST("5000", "22222222", "") : "");
		open_text(text);
		check_memory(1, 0x7000, 0x11111111);
		for (uint64_t position = 2; position <= 3 && is_written; position++)
			check_no_memory(position, 0x7000);
		if (is_written)
			check_no_memory(3, 0x5000);
		else
			check_memory(3, 0x5000, 0x11111111);
		/* What the line that says the page shows is known. */
		check_memory(3, 0x5010, 0x33333333);
		check_memory(3, 0x7010, 0x33333333);
		(void)tear_down(state);
	}
}

/*
 * Of an access between two translations of its page that does not say where it went, either may be
 * it; between two that are the same it went there. The page is first elsewhere, and first at its
 * own address.
 */
/* Field 6: the line of one address in a page of 2 MiB says where all of them are. */
static void spaces_a_large_page_says_where_all_of_it_is(void **state)
{
	static const struct {
		const char *line; /* of the address 5000, or of another one in its large page */
		bool is_known;
	} cases[] = {
	        {ST("5000", "11111111", "NS:0000205000/21 NM"), true},
	        {ST("5000", "11111111", "NS:0000205000/13"), false},
	        {ST("4000", "11111111", "NS:0000204000/14"), true},
	        {ST("5000", "11111111", "NS:0000205000/12"), false},
	        {ST("5000", "11111111", "NS:0000205000"), false},
	        /* One that does not fit the page's size, which is no size then. */
	        {ST("5000", "11111111", "NS:0000207000/21"), false},
	        {ST("5000", "11111111", "NS:0000305000/21"), false},
	        /* What was said of the page before is over. */
	        {ST("5000", "11111111", "NS:0000205000/21")
	                 ST("7000", "11111111", "NS:0000997000/12"),
	         false},
	        {ST("5000", "11111111", "NS:0000205000/21")
	                 ST("7000", "11111111", "NS:0000407000/21"),
	         false},
	        {ST("5000", "11111111", "NS:0000405000/21")
	                 ST("7000", "11111111", "NS:0000207000/21"),
	         true},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[1000];

		(void)snprintf(
		        text, sizeof(text),
		        "Tarmac Text Rev 3t\n" ES(1, "00001000", "el1h_ns") "%s" ES(
		                2, "00001004", "el1h_ns") ST("6000", "22222222", "")
		                ES(3, "00001008", "el3h") LD("9010", "33333333", "NS:0000206010/12")
		                        ES(4, "0000100c", "el3h") ES(5, "00001010", "el1h_ns"),
		        cases[i].line);
		open_text(text);
		check_memory(4, 0x6000, 0x22222222);
		if (cases[i].is_known)
			check_memory(3, 0x9000, 0x22222222);
		else
			check_no_memory(3, 0x9000);
		(void)tear_down(state);
	}
}

/* Of another regime nothing is said. */
static void spaces_a_large_page_is_of_its_regime(void **state)
{
	(void)state;
	open_text("Tarmac Text Rev 3t\n" ES(1, "00001000", "el2h_ns")
	                  ST("5000", "11111111", "NS:0000205000/21") ES(2, "00001004", "el1h_ns")
	                          ST("6000", "22222222", "") ES(3, "00001008", "el3h")
	                                  LD("9010", "33333333", "NS:0000206010/12")
	                                          ES(4, "0000100c", "el3h"));
	check_no_memory(3, 0x9000);
}

static void spaces_write_between_two_translations_hides_both(void **state)
{
	static const char *const first[] = {"S:0000009000", "S:0000005000"};

	for (unsigned int i = 0; i < 4; i++) {
		bool is_same = i >= 2;
		char text[1000];

		(void)snprintf(text, sizeof(text),
		               "Tarmac Text Rev 3t\n" ES(1, "00001000", "el3h") LD(
		                       "5000", "11111111", "%s") ES(2, "00001004", "el3h")
		                       LD("7000", "77777777", "S:000000a000") ES(
		                               3, "00001008", "el3h") LD("8000", "11111111", "%s")
		                               ES(4, "0000100c", "el3h") ST("5000", "22222222", "")
		                                       ES(5, "00001010",
		                                          "el3h") "%s" ES(6, "00001014", "el3h"),
		               first[i % 2], first[i % 2],
		               is_same ? "" : LD("5010", "33333333", "S:000000a010"));
		open_text(text);
		check_memory(1, 0x5000, 0x11111111);
		check_memory(2, 0x7000, 0x77777777);
		check_memory(3, 0x8000, 0x11111111);
		if (is_same) {
			check_memory(5, 0x5000, 0x22222222);
			check_memory(5, 0x7000, 0x77777777);
			check_memory(5, 0x8000, 0x22222222);
			(void)tear_down(state);
			continue;
		}
		for (uint64_t position = 4; position <= 5; position++) {
			check_no_memory(position, 0x5000);
			check_no_memory(position, 0x7000);
			check_no_memory(position, 0x8000);
		}
		check_memory(5, 0x5010, 0x33333333);
		(void)tear_down(state);
	}
}

/*
 * A process writes to its page 5, and then another one runs, of which only its code is seen: said
 * by the register that chooses the page table, or by a page that is elsewhere, or by neither.
 */
static void spaces_translations_are_over_where_another_process_may_run(void **state)
{
	static const char *const switches[] = {
	        "2 clk R TTBR0_EL1 0002000000040000\n", "2 clk R CONTEXTIDR_EL1 00000005\n",
	        "2 clk R TLBI VMALLE1 0000000000000000\n",
	        "2 clk IT (3) 00001000:0000000a1000 d503201f O EL0t_n : NOP\n",
	        "2 clk R VBAR_EL1 0000000000040000\n"};
	size_t count = sizeof(switches) / sizeof(switches[0]);

	for (size_t i = 0; i < count; i++) {
		char text[1000];

		(void)snprintf(
		        text, sizeof(text),
		        "0 clk IT (0) 00001000:000000081000 d503201f O EL0t_n : NOP\n"
		        "0 clk MW8 00005000:000000085000_NS 0000000000000011\n"
		        "1 clk IT (1) 00001004:000000081004 d503201f O EL0t_n : NOP\n"
		        "2 clk IT (2) ffff0000:000000090000 d5182000 O EL1h_n : MSR TTBR0_EL1,x0\n"
		        "%s"
		        "3 clk IT (4) ffff0004:000000090004 d503201f O EL1h_n : NOP\n"
		        "4 clk IT (5) ffff0008:000000090008 d503201f O EL1h_n : NOP\n"
		        "5 clk MR8 00005000:000000085000_NS 0000000000000011\n",
		        switches[i]);
		open_text(text);
		check_memory(1, 0x5000, 0x11);
		if (i + 1 < count)
			check_no_memory(3, 0x5000);
		else
			check_memory(3, 0x5000, 0x11);
		(void)tear_down(state);
	}
}

/* A text that never says a physical address is of one address space. */
static void spaces_text_without_physical_addresses_has_one(void **state)
{
	(void)state;
	open_text("Tarmac Text Rev 3t\n" ES(1, "00001000", "el3h") ST("5000", "22222222", "")
	                  ES(2, "00001004", "el1h_ns") ES(3, "00001008", "el0t_ns"));
	check_memory(1, 0x5000, 0x22222222);
	check_memory(2, 0x5000, 0x22222222);
	check_memory(3, 0x5000, 0x22222222);
}

/* Where an exception return ends the text nothing says which security state it went to. */
static void spaces_after_the_last_line_the_security_state_may_be_unknown(void **state)
{
	(void)state;
	open_text("Tarmac Text Rev 3t\n" ES(1, "00001000", "el1h_ns")
	                  ST("5000", "11111111", "NS:0000105000")
	                          ES(2, "00001004", "el3h") "    R CPSR 000003c5\n");
	check_no_memory(2, 0x5000);
}

/* "ADDRESS:PHYSICAL_NS,PHYSICAL_NS": either halfword of an instruction says where its page is. */
static void spaces_instruction_says_where_its_pages_are(void **state)
{
	(void)state;
	open_text("1 clk IT (1) 00001000:000000105000_NS d503201f O EL1h_n : NOP\n"
	          "1 clk MW4 00001800 11111111\n"
	          "2 clk IT (2) 00003ffe:000000203ffe_NS,000000304000_NS f3af8000 T svc_n : NOP\n"
	          "2 clk MW4 00004010 22222222\n2 clk MW4 00005010:000000304010_NS 33333333\n"
	          "3 clk IT (3) 00004002:000000304002_NS bf00 T svc_n : NOP\n");
	check_memory(1, 0x1800, 0x11111111);
	check_memory(2, 0x4010, 0x33333333);
}

/* The opcode of a position is its line's, whichever world had another at that address. */
static void spaces_opcodes_of_two_worlds_at_one_address(void **state)
{
	static const uint32_t expected[] = {0xd503201f, 0xd2800020, 0xd503201f, 0xd2800040,
	                                    0xd503201f};
	struct instruction insn;

	(void)state;
	open_text("1 clk IT (1) 00001000:000000001000_NS d503201f O EL1h_n : NOP\n"
	          "2 clk IT (2) 00001000:000000001000_S d2800020 O EL3h_s : MOV x0,#1\n"
	          "3 clk IT (3) 00001000:000000001000_S d503201f O EL3h_s : NOP\n"
	          "4 clk IT (4) 00001000:000000001000_S d2800040 O EL3h_s : MOV x0,#2\n"
	          "5 clk IT (5) 00001000:000000001000_NS d503201f O EL1h_n : NOP\n");
	for (unsigned int i = 0; i < 5; i++) {
		history_at(session_history(rig.session, 0), i, &insn);
		assert_int_equal(insn.opcode, expected[i]);
		check_memory(i, 0x1000, expected[i]);
	}
}

static void spaces_watch_is_of_the_page_that_the_address_is(void **state)
{
	struct watch watch = {WATCH_WRITE, 0x5000, 4};

	(void)state;
	open_text("Tarmac Text Rev 3t\n" ES(1, "00001000", "el1h_ns")
	                  ST("5000", "11111111", "NS:0000105000") ES(2, "00001004", "el1h_ns")
	                          ST("6000", "22222222", "NS:0000205000") ES(3, "00001008", "el3h")
	                                  ST("7000", "33333333", "S:0000105000")
	                                          ES(4, "0000100c", "el1h_ns"));
	assert_int_equal(session_watch_set(rig.session, &watch), STATUS_OK);
	assert_int_equal(session_continue(rig.session, 0, DIRECTION_BACKWARD, NULL, NULL).reason,
	                 STOP_WATCH);
	assert_int_equal(session_position(rig.session, 0), 1);
}

int main(void)
{
#define T(name) cmocka_unit_test_teardown(name, tear_down)
	const struct CMUnitTest tests[] = {
	        T(spaces_secure_and_non_secure_pages_of_one_number_are_two),
	        T(spaces_one_regime_names_pages_of_both),
	        T(spaces_translations_are_of_their_regime),
	        T(spaces_a_page_at_its_own_address_is_of_its_regime),
	        T(spaces_el0_is_in_the_regime_of_el1_unless_el2_ran),
	        T(spaces_monitor_mode_is_with_the_secure_ones),
	        T(spaces_untranslated_write_hides_what_it_may_have_hit),
	        T(spaces_translated_write_hides_what_has_no_translation),
	        T(spaces_write_before_the_page_is_said_hides_what_it_may_have_hit),
	        T(spaces_a_large_page_says_where_all_of_it_is),
	        T(spaces_a_large_page_is_of_its_regime),
	        T(spaces_write_between_two_translations_hides_both),
	        T(spaces_translations_are_over_where_another_process_may_run),
	        T(spaces_text_without_physical_addresses_has_one),
	        T(spaces_after_the_last_line_the_security_state_may_be_unknown),
	        T(spaces_instruction_says_where_its_pages_are),
	        T(spaces_opcodes_of_two_worlds_at_one_address),
	        T(spaces_watch_is_of_the_page_that_the_address_is),
	};
#undef T

	return cmocka_run_group_tests(tests, NULL, NULL);
}
