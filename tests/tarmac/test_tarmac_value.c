/* SPDX-License-Identifier: Apache-2.0 */
/* Register updates: names and banks, and values of all forms. */
#include <stdio.h>
#include <stdlib.h>

#include "tarmac_world.h"

struct update {
	const char *line;
	enum tarmac_file file;
	unsigned int number;
	enum tarmac_mode bank;
	enum tarmac_security security;
	const char *value; /* as assert_value() has it */
};

// clang-format off
#define ROW(line, file, number, bank, security, value)                                             \
	{line, TARMAC_FILE_##file, number, TARMAC_MODE_##bank, security, value}
#define NOT_SAID TARMAC_SECURITY_NOT_SAID
static const struct update updates[] = {
	ROW("R r0 0000ab34", R, 0, NONE, NOT_SAID, "0000ab34"),
	ROW("R r14_svc 00008004", R, 14, SVC, NOT_SAID, "00008004"),
	ROW("R r13_main_s 30040000", R, 13, MAIN, TARMAC_SECURE, "30040000"),
	ROW("R r13_process_ns 30040000", R, 13, PROCESS, TARMAC_NON_SECURE, "30040000"),
	ROW("R MSP_NS 30040000", R, 13, MAIN, TARMAC_NON_SECURE, "30040000"),
	ROW("R PSP 30040000", R, 13, PROCESS, NOT_SAID, "30040000"),
	ROW("R R12 (FIQ) 0000e598", R, 12, FIQ, NOT_SAID, "0000e598"),
	ROW("R LR (SVC) 0000d804", R, 14, SVC, NOT_SAID, "0000d804"),
	ROW("R LR 000000000000d804", X, 30, NONE, NOT_SAID, "000000000000d804"),
	ROW("R SP 01234567", R, 13, NONE, NOT_SAID, "01234567"),
	ROW("R SP 0123456789abcdef", SP, 0, NONE, NOT_SAID, "0123456789abcdef"),
	ROW("R SP_EL0 0123456789ABCDEF", SP, 0, EL0, NOT_SAID, "0123456789abcdef"),
	ROW("R x30 0123456789abcdef", X, 30, NONE, NOT_SAID, "0123456789abcdef"),
	ROW("R W8 89abcdef", W, 8, NONE, NOT_SAID, "89abcdef"),
	ROW("R SPSR_fiq 600000d3", SPSR, 0, FIQ, NOT_SAID, "600000d3"),
	ROW("R SPSR (SVC) 600000d3", SPSR, 0, SVC, NOT_SAID, "600000d3"),
	ROW("R ELR_EL3 0000000000210124", ELR, 0, EL3, NOT_SAID, "0000000000210124"),
	ROW("R CPSR (AArch32) 800001d3", PSR, 0, NONE, NOT_SAID, "800001d3"),
	ROW("R cpsr 20000000 __C_", PSR, 0, NONE, NOT_SAID, "20000000"),
	ROW("R cpsr 1220023cd", PSR, 0, NONE, NOT_SAID, "220023cd"),
	ROW("R cpsr 3cd", PSR, 0, NONE, NOT_SAID, "000003cd"),
	ROW("R psr xx0xxXxx", PSR, 0, NONE, NOT_SAID, "xx0xxxxx"),
	ROW("R fpscr xXX000Xx", FPSCR, 0, NONE, NOT_SAID, "xxx000xx"),
	ROW("R fpscr __0000d3", FPSCR, 0, NONE, NOT_SAID, "xx0000d3"),
	ROW("R XPSR f9000000", XPSR, 0, NONE, NOT_SAID, "f9000000"),
	ROW("R FPCR 01230123:23452345", FPCR, 0, NONE, NOT_SAID, "0123012323452345"),
	ROW("R b1 7f", B, 1, NONE, NOT_SAID, "7f"),
	ROW("R h1 3c00", H, 1, NONE, NOT_SAID, "3c00"),
	ROW("R s0 3f800000", S, 0, NONE, NOT_SAID, "3f800000"),
	ROW("R d31 0123456789abcdef", D, 31, NONE, NOT_SAID, "0123456789abcdef"),
	ROW("R Q0 93c467e3 7db0c7a4 d1be3f81 0152cb56", Q, 0, NONE, NOT_SAID,
	    "93c467e37db0c7a4d1be3f810152cb56"),
	ROW("R V0 93c467e37db0c7a4_d1be3f810152cb56", V, 0, NONE, NOT_SAID,
	    "93c467e37db0c7a4d1be3f810152cb56"),
	ROW("R Q0 -------- -------- 3ff6a09e 667f3bcd", Q, 0, NONE, NOT_SAID,
	    "----------------3ff6a09e667f3bcd"),
	ROW("R V5<127:64> ffeeddccbbaa9988", V, 5, NONE, NOT_SAID,
	    "ffeeddccbbaa9988----------------"),
	ROW("R V5<63:0> 00000000", V, 5, NONE, NOT_SAID, "----------------0000000000000000"),
	ROW("R V5<15:8> 7x", V, 5, NONE, NOT_SAID, "----------------------------7x--"),
	ROW("R X0 01234567 89abcdef", X, 0, NONE, NOT_SAID, "0123456789abcdef"),
	ROW("R X0 01234567 --------", X, 0, NONE, NOT_SAID, "01234567--------"),
	ROW("R X1 --------", X, 1, NONE, NOT_SAID, "----------------"),
	ROW("R X1 0", X, 1, NONE, NOT_SAID, "0000000000000000"),
	ROW("R P0 a682", P, 0, NONE, NOT_SAID, "a682"),
	ROW("R P31 01010101_01010101", P, 31, NONE, NOT_SAID, "0101010101010101"),
	ROW("R Z3 00000003_00000002_00000001_00000000", Z, 3, NONE, NOT_SAID,
	    "00000003000000020000000100000000"),
	ROW("R E15 0000007f99d14b94", X, 15, NONE, NOT_SAID, "0000007f99d14b94"),
	ROW("R SCTLR_EL3 30c50878", SYSTEM, 0, NONE, NOT_SAID, "30c50878"),
	ROW("R SCTLR (AARCH32) 00c50878", SYSTEM, 0, NONE, NOT_SAID, "00c50878"),
	ROW("R TTBR0_64_S 0000000000000001", SYSTEM, 0, NONE, NOT_SAID, "0000000000000001"),
	ROW("R PC_ODD 00000001", SYSTEM, 0, NONE, NOT_SAID, "00000001"),
	ROW("R r16 00000001", SYSTEM, 0, NONE, NOT_SAID, "00000001"),
	ROW("R X100 00000001", SYSTEM, 0, NONE, NOT_SAID, "00000001"),
	ROW("R FAR 7", SYSTEM, 0, NONE, NOT_SAID, "07"),
};
// clang-format on

static void update_of_each_form_is_read(void **state)
{
	struct world w;

	(void)state;
	for (size_t i = 0; i < sizeof(updates) / sizeof(updates[0]); i++) {
		const struct tarmac_event *event;
		char text[128];

		(void)snprintf(text, sizeof(text), "%s\n", updates[i].line);
		world_open(&w, text);
		event = world_next(&w, TARMAC_REGISTER);
		assert_string_equal(tarmac_file_name(event->reg.file),
		                    tarmac_file_name(updates[i].file));
		assert_int_equal(event->reg.number, updates[i].number);
		assert_string_equal(tarmac_mode_name(event->reg.bank),
		                    tarmac_mode_name(updates[i].bank));
		assert_int_equal(event->reg.security, updates[i].security);
		assert_value(event->reg.value, updates[i].value);
		world_end(&w);
		assert_int_equal(w.diags.count, 0);
		world_close(&w);
	}
}

static void update_that_does_not_fit_is_malformed(void **state)
{
	static const char *const lines[][2] = {
	        {"R", "register line: expected a register, found \"\""},
	        {"R X0", "register line: expected a value, found \"\""},
	        {"R X0 00008004", "register line: \"X0\": 8 digits, expected 16"},
	        {"R X0 1000", "register line: \"X0\": 4 digits, expected 16"},
	        {"R X0 0100", "register line: \"X0\": 4 digits, expected 16"},
	        {"R X0 0001", "register line: \"X0\": 4 digits, expected 16"},
	        {"R X0 ---0", "register line: \"X0\": 4 digits, expected 16"},
	        {"R X0 0---", "register line: \"X0\": 4 digits, expected 16"},
	        {"R X0 xxxx", "register line: \"X0\": 4 digits, expected 16"},
	        {"R r0 0000000000008004", "register line: \"r0\": 16 digits, expected 8"},
	        {"R r0 0000g004", "register line: expected a value, found \"0000g004\""},
	        {"R r0 (USR 00000000", "register line: expected ')', found \"00000000\""},
	        {"R r0 () 00000000", "register line: expected the register's context, found \")\""},
	        {"R V0<63:1> 0", "register line: expected a range of whole bytes in the register, "
	                         "found \"0\""},
	        {"R V0<191:64> 0", "register line: expected a range of whole bytes in the "
	                           "register, found \"0\""},
	        {"R V0<0:63> 0", "register line: expected a range of whole bytes in the register, "
	                         "found \"0\""},
	        {"R V0<63> 0", "register line: expected a range of bits, as <63:0>, found \">\""},
	        {"R SP<31:0> 0", "register line: expected a register of known size before '<', "
	                         "found \"31\""},
	        {"R FOO ___", "register line: expected a value, found \"\""},
	};
	struct world w;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char text[64];

		(void)snprintf(text, sizeof(text), "%s\n", lines[i][0]);
		world_open(&w, text);
		world_next(&w, TARMAC_UNKNOWN);
		assert_int_equal(w.diags.count, 1);
		assert_string_equal(w.diags.items[0].text, lines[i][1]);
		assert_int_equal(w.diags.items[0].severity, SEVERITY_WARNING);
		world_close(&w);
	}
}

/* A Z register of 2048 bits is read; a value of more is malformed, however long. */
static void update_longer_than_any_register_is_malformed(void **state)
{
	enum { LONG = 3 << 20 };
	static const char head[] = "R Z0 ";
	char *text = malloc(LONG);
	struct world w;

	(void)state;
	assert_non_null(text);
	memset(text, '7', LONG);
	memmove(text, head, sizeof(head) - 1);
	world_open_bytes(&w, bytes_of(text, 5 + 2 * TARMAC_VALUE_MOST), false);
	assert_int_equal(world_next(&w, TARMAC_REGISTER)->reg.value->size, TARMAC_VALUE_MOST);
	world_close(&w);
	world_open_bytes(&w, bytes_of(text, 5 + 2 * TARMAC_VALUE_MOST + 1), false);
	world_next(&w, TARMAC_UNKNOWN);
	world_close(&w);
	world_open_bytes(&w, bytes_of(text, LONG), false);
	world_next(&w, TARMAC_UNKNOWN);
	world_end(&w);
	assert_in_range(strlen(w.diags.items[0].text), 1, 200);
	world_close(&w);
	free(text);
}

static void value_is_whole_if_each_bit_is_known(void **state)
{
	static const struct {
		const char *line;
		bool is_whole;
	} rows[] = {
	        {"R X0 8123456789abcdef", true},
	        {"R X0 8123456789abcdex", false},
	        {"R X0 -123456789abcdef", false},
	        {"R Q0 -------- -------- 3ff6a09e 667f3bcd", false},
	};
	struct world w;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct tarmac_value *value;

		world_open(&w, rows[i].line);
		value = world_next(&w, TARMAC_REGISTER)->reg.value;
		assert_int_equal(tarmac_value_is_whole(value), rows[i].is_whole);
		if (rows[i].is_whole)
			assert_true(tarmac_value_u64(value) == 0x8123456789abcdef);
		world_close(&w);
	}
}

static void operation_is_no_update(void **state)
{
	static const char *const names[] = {"DC", "IC", "TLBI", "AT"};
	struct world w;

	(void)state;
	world_open(&w,
	           "40 clk R DC CISW 00000000:00000000\n1 clk R IC IALLU 00000000:0000000\n"
	           "3 clk R TLBI ALLE3 00000000:00000000\n39 clk R AT S12E1W 00000000:00000004");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_str(world_next(&w, TARMAC_OPERATION)->reg.name, names[i]);
	world_end(&w);
	assert_int_equal(w.diags.count, 0);
	world_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(update_of_each_form_is_read),
	        cmocka_unit_test(update_that_does_not_fit_is_malformed),
	        cmocka_unit_test(update_longer_than_any_register_is_malformed),
	        cmocka_unit_test(value_is_whole_if_each_bit_is_known),
	        cmocka_unit_test(operation_is_no_update),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
