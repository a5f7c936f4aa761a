/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fault status registers against what others say of the same values: what Linux prints of them
 * ("Mem abort info"), and the manuals' fields written out by hand beside each case.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arch/syndrome.h"

struct expected {
	uint32_t value;
	const char *what; /* NULL: nothing is recorded */
	enum syndrome_signal signal;
	enum syndrome_access access;
	enum syndrome_address address;
	const char *details; /* with ", " between */
};

static void check(const struct expected *expected, bool found, const struct syndrome *s)
{
	char details[256] = "";

	assert_int_equal(found, expected->what != NULL);
	if (!found)
		return;
	for (size_t i = 0; i < s->detail_count; i++) {
		(void)strcat(details, i > 0 ? ", " : "");
		(void)strcat(details, s->details[i]);
	}
	assert_string_equal(s->what, expected->what);
	assert_string_equal(details, expected->details);
	assert_int_equal(s->signal, expected->signal);
	assert_int_equal(s->access, expected->access);
	assert_int_equal(s->address, expected->address);
}

static const struct expected esr_cases[] = {
        {0, NULL, SYNDROME_NONE, 0, 0, NULL},
        /* EC = 0x25: DABT (current EL), IL = 32 bits, FSC = 0x04: level 0 translation fault
         */
        {0x96000004, "data abort", SYNDROME_SEGV, SYNDROME_READ, SYNDROME_FAR,
         "translation fault level 0"},
        /* EC = 0x24: DABT (lower EL), FSC = 0x05, WnR = 0 */
        {0x92000005, "data abort", SYNDROME_SEGV, SYNDROME_READ, SYNDROME_FAR,
         "translation fault level 1"},
        /* WnR = 1, FSC = 0x4f & 0x3f: level 3 permission fault */
        {0x9600004f, "data abort", SYNDROME_SEGV, SYNDROME_WRITE, SYNDROME_FAR,
         "permission fault level 3"},
        /* FSC = 0x21: alignment fault */
        {0x96000061, "data abort", SYNDROME_BUS, SYNDROME_WRITE, SYNDROME_FAR, "alignment fault"},
        /* CM = 1, WnR = 1: a cache maintenance instruction */
        {0x96000146, "data abort", SYNDROME_SEGV, SYNDROME_MAINTENANCE, SYNDROME_FAR,
         "translation fault level 2"},
        /* FSC = 0x10: synchronous external abort; FnV = 1: FAR is not valid */
        {0x96000410, "data abort", SYNDROME_BUS, SYNDROME_READ, SYNDROME_NO_ADDRESS,
         "synchronous external abort"},
        {0x96000010, "data abort", SYNDROME_BUS, SYNDROME_READ, SYNDROME_FAR,
         "synchronous external abort"},
        /* S1PTW = 1 */
        {0x92000087, "data abort", SYNDROME_SEGV, SYNDROME_READ, SYNDROME_FAR,
         "translation fault level 3, on a stage 2 translation for a table walk"},
        /* a status that is reserved: nothing is said of it */
        {0x9200003e, "data abort", SYNDROME_SEGV, SYNDROME_READ, SYNDROME_FAR, ""},
        /* EC = 0x21: IABT (current EL), FSC = 0x04 */
        {0x86000004, "instruction abort", SYNDROME_SEGV, SYNDROME_FETCH, SYNDROME_FAR,
         "translation fault level 0"},
        /* EC = 0x22: PC alignment */
        {0x8a000000, "PC alignment fault", SYNDROME_BUS, SYNDROME_FETCH, SYNDROME_FAR, ""},
        {0x9a000000, "SP alignment fault", SYNDROME_BUS, SYNDROME_NO_ACCESS, SYNDROME_NO_ADDRESS,
         ""},
        /* EC = 0x00: what UDF leaves */
        {0x02000000, "undefined instruction or other unknown reason", SYNDROME_ILL,
         SYNDROME_NO_ACCESS, SYNDROME_NO_ADDRESS, ""},
        /* EC = 0x2c, TFV, IOF and DZF */
        {0xb2800003, "floating-point exception", SYNDROME_FPE, SYNDROME_NO_ACCESS,
         SYNDROME_NO_ADDRESS, "invalid operation, division by zero"},
        /* the same without TFV: which of them is not known */
        {0xb2000003, "floating-point exception", SYNDROME_FPE, SYNDROME_NO_ACCESS,
         SYNDROME_NO_ADDRESS, ""},
        /* EC = 0x2f, DFSC = 0x11: asynchronous */
        {0xbe000011, "SError", SYNDROME_BUS, SYNDROME_NO_ACCESS, SYNDROME_NO_ADDRESS,
         "asynchronous"},
        /* IDS: the rest is the implementation's */
        {0xbf000011, "SError", SYNDROME_BUS, SYNDROME_NO_ACCESS, SYNDROME_NO_ADDRESS, ""},
        {0xd2000062, "watchpoint", SYNDROME_TRAP, SYNDROME_WRITE, SYNDROME_FAR, ""},
        /* EC = 0x02: reserved */
        {0x0a000000, NULL, SYNDROME_NONE, 0, 0, NULL},
};

static void esr_reads_as_linux_prints_it(void **state)
{
	struct syndrome s;

	(void)state;
	for (size_t i = 0; i < sizeof(esr_cases) / sizeof(esr_cases[0]); i++)
		check(&esr_cases[i], syndrome_of_esr(esr_cases[i].value, &s), &s);
}

static void esr_has_immediates_and_a_transfer_register(void **state)
{
	struct syndrome s;

	(void)state;
	assert_true(syndrome_of_esr(0xf2000800, &s)); /* brk #0x800 */
	assert_string_equal(s.what, "BRK instruction");
	assert_int_equal(s.signal, SYNDROME_TRAP);
	assert_true(s.has_immediate);
	assert_int_equal(s.immediate, 0x800);
	assert_true(syndrome_of_esr(0x56000000, &s)); /* svc #0: no fault */
	assert_int_equal(s.signal, SYNDROME_NONE);
	assert_null(syndrome_signal_name(s.signal));
	/* ISV = 1, SRT = 3 */
	assert_true(syndrome_of_esr(0x93830006, &s));
	assert_true(s.has_transfer_register);
	assert_int_equal(s.transfer_register, 3);
	assert_true(syndrome_of_esr(0x92030006, &s));
	assert_false(s.has_transfer_register);
}

/* G8.2.42: FS[4] is bit 10, LPAE bit 9, WnR bit 11, CM bit 13. */
static void dfsr_reads_with_either_kind_of_descriptors(void **state)
{
	static const struct expected cases[] = {
	        {0, NULL, SYNDROME_NONE, 0, 0, NULL},
	        {0x005, "data abort", SYNDROME_SEGV, SYNDROME_READ, SYNDROME_FAR,
	         "translation fault level 1"},
	        {0x817, "data abort", SYNDROME_SEGV, SYNDROME_WRITE, SYNDROME_FAR,
	         "translation fault level 2"},
	        {0x001, "data abort", SYNDROME_BUS, SYNDROME_READ, SYNDROME_FAR, "alignment fault"},
	        {0x2806, "data abort", SYNDROME_SEGV, SYNDROME_MAINTENANCE, SYNDROME_FAR,
	         "access flag fault level 2"},
	        /* FS = 0b10110: asynchronous, DFAR is unknown */
	        {0x406, "data abort", SYNDROME_BUS, SYNDROME_NO_ACCESS, SYNDROME_NO_ADDRESS,
	         "asynchronous external abort"},
	        {0x205, "data abort", SYNDROME_SEGV, SYNDROME_READ, SYNDROME_FAR,
	         "translation fault level 1"},
	        {0x211, "data abort", SYNDROME_BUS, SYNDROME_NO_ACCESS, SYNDROME_NO_ADDRESS,
	         "asynchronous external abort"},
	        {0x000f0000, NULL, SYNDROME_NONE, 0, 0, NULL},
	};
	struct syndrome s;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(&cases[i], syndrome_of_dfsr(cases[i].value, &s), &s);
}

static void ifsr_of_a_breakpoint_has_no_address(void **state)
{
	static const struct expected cases[] = {
	        {0, NULL, SYNDROME_NONE, 0, 0, NULL},
	        {0x00d, "prefetch abort", SYNDROME_SEGV, SYNDROME_FETCH, SYNDROME_FAR,
	         "permission fault level 1"},
	        {0x002, "prefetch abort", SYNDROME_TRAP, SYNDROME_NO_ACCESS, SYNDROME_NO_ADDRESS,
	         "debug event"},
	};
	struct syndrome s;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(&cases[i], syndrome_of_ifsr(cases[i].value, &s), &s);
}

/* DDI 0553: CFSR is MMFSR, BFSR in bits 15:8 and UFSR in bits 31:16. */
static void m_faults_read_by_their_bits(void **state)
{
	static const struct {
		struct m_fault_status status;
		struct expected expected;
	} cases[] = {
	        {{0, 0, 0, 0}, {0, NULL, SYNDROME_NONE, 0, 0, NULL}},
	        {{0, 0, 0, 15}, {0, NULL, SYNDROME_NONE, 0, 0, NULL}},
	        {{0, 0, 0, 3}, {0, "HardFault", SYNDROME_SEGV, 0, 0, ""}},
	        {{0x8200, 0x40000000, 0, 3},
	         {0, "HardFault", SYNDROME_BUS, 0, SYNDROME_BFAR,
	          "escalated, precise data bus error"}},
	        {{0x200, 0, 0, 5}, {0, "BusFault", SYNDROME_BUS, 0, 0, "precise data bus error"}},
	        {{0x82, 0, 0, 4},
	         {0, "MemManage fault", SYNDROME_SEGV, 0, SYNDROME_MMFAR, "data access violation"}},
	        /* Stacking does not write MMFAR. */
	        {{0x90, 0, 0, 4},
	         {0, "MemManage fault", SYNDROME_SEGV, 0, SYNDROME_NO_ADDRESS,
	          "access violation on exception entry stacking"}},
	        {{0x02000000, 0, 0, 0}, {0, "UsageFault", SYNDROME_FPE, 0, 0, "division by zero"}},
	        {{0x00010000, 0, 0, 6},
	         {0, "UsageFault", SYNDROME_ILL, 0, 0, "undefined instruction"}},
	        {{0x01000000, 0, 0, 6}, {0, "UsageFault", SYNDROME_BUS, 0, 0, "unaligned access"}},
	        {{0, 2, 0, 3},
	         {0, "HardFault", SYNDROME_BUS, 0, 0, "bus error on a vector table read"}},
	        {{0, 0, 0x48, 7},
	         {0, "SecureFault", SYNDROME_SEGV, 0, SYNDROME_SFAR, "attribution unit violation"}},
	};
	struct syndrome s;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(&cases[i].expected, syndrome_of_m(&cases[i].status, &s), &s);
}

static void m_bits_of_all_registers_at_once_fit(void **state)
{
	static const struct m_fault_status all = {UINT32_MAX, UINT32_MAX, UINT32_MAX, 3};
	struct syndrome s;

	(void)state;
	assert_true(syndrome_of_m(&all, &s));
	assert_int_equal(s.detail_count, SYNDROME_DETAILS);
}

static void signals_are_those_of_the_remote_protocol(void **state)
{
	(void)state;
	assert_int_equal(syndrome_signal_of("data fault"), 11);
	assert_int_equal(syndrome_signal_of("alignment fault"), 10);
	assert_int_equal(syndrome_signal_of("undefined instruction"), 4);
	assert_int_equal(SYNDROME_FPE, 8);
	assert_int_equal(SYNDROME_TRAP, 5);
	/* asm-generic/signal.h: SIGBUS is 7, SIGABRT 6, SIGTERM 15. */
	assert_int_equal(syndrome_signal_of_linux(7), SYNDROME_BUS);
	assert_int_equal(syndrome_signal_of_linux(6), SYNDROME_ABRT);
	assert_int_equal(syndrome_signal_of_linux(11), SYNDROME_SEGV);
	assert_int_equal(syndrome_signal_of_linux(15), SYNDROME_NONE);
	assert_int_equal(syndrome_signal_of_linux(10), SYNDROME_NONE);
	assert_string_equal(syndrome_signal_name(SYNDROME_BUS), "SIGBUS");
	assert_null(syndrome_access_name(SYNDROME_NO_ACCESS));
	assert_string_equal(syndrome_access_name(SYNDROME_WRITE), "write");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(esr_reads_as_linux_prints_it),
	        cmocka_unit_test(esr_has_immediates_and_a_transfer_register),
	        cmocka_unit_test(dfsr_reads_with_either_kind_of_descriptors),
	        cmocka_unit_test(ifsr_of_a_breakpoint_has_no_address),
	        cmocka_unit_test(m_faults_read_by_their_bits),
	        cmocka_unit_test(m_bits_of_all_registers_at_once_fit),
	        cmocka_unit_test(signals_are_those_of_the_remote_protocol),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
