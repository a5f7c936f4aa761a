/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registers that no register file has, as "R" lines write them (Tarmac Text Rev 3, 2.3.5; Arm ARM
 * G8 for which of AArch32's are which of AArch64's), at positions of texts made here.
 */
#include "made_text.h"

/* The register's value at a position as hexadecimal, "-" where it is not known, "" without it. */
static void check_system(uint64_t position, const char *name, const char *expected)
{
	struct value value;
	struct text shown = {0};
	unsigned int number;

	text_puts(&shown, "");
	if (register_system_find(session_registers(rig.session), str_of(name), &number)) {
		session_register_at(rig.session, 0, position, number, &value);
		for (unsigned int i = value.size; value_is_known(&value) && i-- > 0;)
			text_hex(&shown, value.bits[i], 2);
		if (!value_is_known(&value))
			text_puts(&shown, "-");
	}
	assert_string_equal(shown.data, expected);
	text_fini(&shown);
}

static void system_registers_hold_from_after_their_line(void **state)
{
	(void)state;
	open_text("0 clk R SCTLR_EL1 0000000030d00800\n" NOP(
	        1, "00001000") "1 clk R ESR_EL1 0000000096000045\n1 clk R elr_el1 "
	                       "0000000000001000\n1 clk R SPSR_EL1 600003c5\n" NOP(2, "00000200")
	                               NOP(3, "00000204") "3 clk R SCTLR_EL1 0000000030d00801\n");
	check_system(0, "sctlr_el1", "0000000030d00800");
	check_system(0, "esr_el1", "-");
	check_system(1, "ESR_EL1", "0000000096000045");
	check_system(1, "elr_el1", "0000000000001000");
	check_system(1, "spsr_el1", "600003c5");
	check_system(2, "sctlr_el1", "0000000030d00800");
	check_system(3, "sctlr_el1", "0000000030d00801");
	check_system(0, "x0", ""); /* it is of the file */
	check_system(0, "vbar_el1", "");
}

/* Dashes are what was not updated; x is what was, to what is not known. */
static void system_registers_may_be_updated_in_part(void **state)
{
	(void)state;
	open_text("0 clk R FPEXC 40000000\n" NOP(1, "00001000") "1 clk R FPEXC --------\n" NOP(
	        2, "00001004") "2 clk R FPEXC ----0007\n" NOP(3, "00001008") "3 clk R FPEXC "
	                                                                     "xx------\n");
	check_system(0, "fpexc", "40000000");
	check_system(1, "fpexc", "40000000");
	check_system(2, "fpexc", "40000007");
	check_system(3, "fpexc", "-");
}

#define A32(n, address, mode) #n " clk IT (" #n ") " address " e1a00000 A " mode " : NOP\n"

/* A register of another mode is there under its name, whatever the mode is (2.3.5, field 2). */
static void system_registers_of_other_modes_are_served(void **state)
{
	(void)state;
	open_text("Tarmac Text Rev 3\n"
	          "ES (00001000:e1a00000) A svc: NOP\n    R R13 (SVC) 00000100\n"
	          "    R R12 (FIQ) 0000e598\n    R SPSR (SVC) 600000d3\n"
	          "    R SCTLR (AARCH32) 00c50878\n"
	          "ES (00001004:e1a00000) A usr: NOP\n    R R13 (USR) 00000200\n"
	          "    R R0 (USR) 00000001\n");
	check_system(1, "r13_svc", "00000100");
	check_system(2, "r13_svc", "00000100");
	check_system(2, "r12_fiq", "0000e598");
	check_system(2, "spsr_svc", "600000d3");
	check_system(2, "sctlr", "00c50878");
	check_system(2, "r13_usr", "00000200");
	check_system(2, "r0_usr", "");
	check_known(2, A32_sp, 0x200);
}

/* Of M profile MSP is that of the world, which the line or the mode says. */
static void system_registers_of_either_world_are_told_apart(void **state)
{
	(void)state;
	open_text("Tarmac Text Rev 3\nES (00001000:bf00) T thrd_s: NOP\n    R MSP_S 20000000\n"
	          "    R MSP_NS 30000000\n    R r13_main 20000008\n"
	          "ES (00001002:bf00) T thrd_ns: NOP\n    R r13_main 30000008\n");
	check_system(1, "msp_s", "20000008");
	check_system(1, "msp_ns", "30000000");
	check_system(2, "msp_s", "20000008");
	check_system(2, "msp_ns", "30000008");
	check_system(2, "r13_main", "");
}

/* One stack pointer under two names is one. */
static void system_registers_of_slots_follow_the_plain_name(void **state)
{
	(void)state;
	open_text("0 clk R SP_EL0 0000000000000010\n" IT(
	        1, "00001000", "d503201f",
	        "EL0t_n") "1 clk R SP 0000000000000020\n" IT(2, "00001004", "d503201f", "EL1h_n"));
	check_system(0, "sp_el0", "0000000000000010");
	check_system(1, "sp_el0", "0000000000000020");
}

/* Two names of one register: what one writes the other does not show as it was. */
static void system_registers_of_two_names_do_not_grow_stale(void **state)
{
	static const char *const cases[][2] = {
	        {"SCTLR", "SCTLR_EL1"},      {"DFAR_NS", "FAR_EL1"},  {"TTBR0_S", "TTBR0_64_S"},
	        {"DFSR", "DFSR_S"},          {"HSCTLR", "SCTLR_EL2"}, {"SPSR_svc", "SPSR_EL1"},
	        {"SCTLR_EL1", "SCTLR_EL12"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (unsigned int k = 0; k < 2; k++) {
			struct text text = {0};

			text_printf(
			        &text,
			        "0 clk R %s 00000001\n" A32(1, "00001000", "svc_s") "1 clk R "
			                                                            "%s 00000002\n",
			        cases[i][k], cases[i][!k]);
			open_text(text.data);
			text_fini(&text);
			check_system(0, cases[i][k], "00000001");
			check_system(1, cases[i][k], "-");
			check_system(1, cases[i][!k], "00000002");
			tear_down(state);
		}
	}
}

static void system_registers_of_other_banks_stay(void **state)
{
	static const char *const cases[][2] = {{"DFSR_S", "DFSR_NS"},
	                                       {"VBAR_EL1", "VBAR_EL2"},
	                                       {"DFAR_S", "IFAR_S"},
	                                       {"SPSR_abt", "SPSR_svc"},
	                                       {"ICC_PMR_EL1", "ICC_BPR0_EL1"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct text text = {0};

		text_printf(&text,
		            "0 clk R %s 00000001\n" A32(1, "00001000", "svc_s") "1 clk R %s "
		                                                                "00000002\n",
		            cases[i][0], cases[i][1]);
		open_text(text.data);
		text_fini(&text);
		check_system(1, cases[i][0], "00000001");
		check_system(1, cases[i][1], "00000002");
		tear_down(state);
	}
}

/* A line that is malformed may have been of any register. */
static void system_registers_are_lost_with_the_others(void **state)
{
	(void)state;
	open_text("0 clk R SCTLR_EL1 0000000030d00800\n" NOP(1, "00001000") "1 clk R X0 12\n" NOP(
	        2, "00001004") "2 clk R SCTLR_EL1 0000000030d00801\n");
	check_system(0, "sctlr_el1", "0000000030d00800");
	check_system(1, "sctlr_el1", "-");
	check_system(2, "sctlr_el1", "0000000030d00801");
}

/* Each core has its own; the description has the widest of all. */
static void system_registers_are_of_their_core(void **state)
{
	struct value value;
	unsigned int number;

	(void)state;
	open_text("0 clk cpu0 R MPIDR_EL1 80000000\n1 clk cpu0 IT (1) 00001000 d503201f O EL1h_s : "
	          "NOP\n0 clk cpu1 R MPIDR_EL1 0000000080000001\n"
	          "1 clk cpu1 IT (1) 00002000 d503201f O EL1h_s : NOP\n");
	assert_int_equal(session_registers(rig.session)->system_count, 1);
	assert_true(
	        register_system_find(session_registers(rig.session), STR("mpidr_el1"), &number));
	session_register_at(rig.session, 1, 0, number, &value);
	assert_true(value_is_known(&value));
	assert_int_equal(value_u64(&value), 0x80000001);
	session_register_at(rig.session, 0, 0, number, &value);
	assert_int_equal(value.size, 8);
	assert_false(value_is_known(&value));
}

static void check_bits(uint64_t position, unsigned int number, int64_t expected)
{
	if (expected < 0)
		check_unknown(position, number);
	else
		check_known(position, number, (uint64_t)expected);
}

/* Arm ARM, C5.2: NZCV, DAIF and the like stand in PSTATE where CPSR has them. */
static void system_registers_that_are_parts_of_cpsr_are_written_in_it(void **state)
{
	static const struct {
		const char *line;
		int64_t cpsr; /* after it; before 600003c5; -1: not known */
		const char *part;
		const char *value;
	} cases[] = {
	        {"NZCV 0000000080000000", 0x800003c5, "nzcv", "0000000080000000"},
	        {"NZCV 80000000", 0x800003c5, "nzcv", "-"},
	        {"DAIF 0000000000000080", 0x60000085, "daif", "0000000000000080"},
	        {"SPSel 0000000000000000", 0x600003c4, "spsel", "0000000000000000"},
	        {"PAN 0000000000400000", 0x604003c5, "pan", "0000000000400000"},
	        {"SSBS 0000000000001000", 0x600013c5, "ssbs", "0000000000001000"},
	        /* Not at their places: what they are is not said. */
	        {"NZCV 00000008", -1, "nzcv", "-"},
	        {"PAN 01", -1, "pan", "-"},
	        {"APSR 80000000", 0x800003c5, "nzcv", "-"},
	        {"APSR --------", 0x600003c5, "nzcv", "-"},
	        {"APSR xx------", -1, "nzcv", "-"},
	        {"CPSR 800003c5", 0x800003c5, "nzcv", "-"},
	        {"SCTLR_EL1 0000000000000000", 0x600003c5, "nzcv", "0000000060000000"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct text made = {0};

		text_printf(&made,
		            "0 clk R NZCV 0000000000000000\n0 clk R CPSR 600003c5\n"
		            "0 clk IT (1) 00001000 d503201f O EL1h_n : NOP\n"
		            "1 clk R NZCV 0000000060000000\n1 clk R PAN 0000000000000000\n"
		            "1 clk R CPSR 600003c5\n1 clk R NZCV 0000000060000000\n"
		            "2 clk R %s\n",
		            cases[i].line);
		open_text(made.data);
		check_bits(0, A64_cpsr, 0x600003c5);
		check_system(0, "nzcv", "-");
		check_bits(1, A64_cpsr, cases[i].cpsr);
		check_system(1, cases[i].part, cases[i].value);
		text_fini(&made);
		tear_down(NULL);
	}
}

/* Arm ARM, FPSCR: FPSR and FPCR are mapped to it. M profile has FPSCR alone. */
static void fpscr_and_what_it_is_made_of_do_not_grow_stale(void **state)
{
	(void)state;
	open_text("0 clk R FPSR 00000010\n0 clk R FPCR 01000000\n" NOP(
	        1, "00001000") "1 clk R FPSCR 0300009f\n" NOP(2, "00001004"));
	check_known(0, A64_fpsr, 0x10);
	check_unknown(1, A64_fpsr);
	check_unknown(1, A64_fpcr);
	tear_down(NULL);
	open_text("0 clk R FPSCR 0300009f\n1 clk IT (1) 00001000 e1a00000 A svc : NOP\n"
	          "1 clk R FPSR 00000010\n2 clk IT (2) 00001004 e1a00000 A svc : NOP\n");
	check_known(0, A32_fpscr, 0x0300009f);
	check_unknown(1, A32_fpscr);
}

int main(void)
{
#define T(name) cmocka_unit_test_teardown(name, tear_down)
	const struct CMUnitTest tests[] = {
	        T(system_registers_hold_from_after_their_line),
	        T(system_registers_may_be_updated_in_part),
	        T(system_registers_of_other_modes_are_served),
	        T(system_registers_of_slots_follow_the_plain_name),
	        T(system_registers_of_either_world_are_told_apart),
	        T(system_registers_of_two_names_do_not_grow_stale),
	        T(system_registers_of_other_banks_stay),
	        T(system_registers_that_are_parts_of_cpsr_are_written_in_it),
	        T(fpscr_and_what_it_is_made_of_do_not_grow_stale),
	        T(system_registers_are_lost_with_the_others),
	        T(system_registers_are_of_their_core),
	};
#undef T

	return cmocka_run_group_tests(tests, NULL, NULL);
}
