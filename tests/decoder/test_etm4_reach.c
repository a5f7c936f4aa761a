/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far a walk goes that no branch ends: to where an exception was taken, and for a history only
 * through what can have run (decoder_options.keeps_to_code).
 */
#include "tests/decoder/etm4_world.h"

#define IRQ "\x06\x1d"
#define IRQ_AT(index, address)                                                                     \
	"Idx:" #index "; ID:10; OCSD_GEN_TRC_ELEM_EXCEPTION(pref ret addr:0x" #address             \
	"; excep num (0x0e) )\n"
#define UNREACHED(index, from, to)                                                                 \
	"Idx:" #index "; ID:10; OCSD_GEN_TRC_ELEM_I_RANGE_NOPATH(first 0x" #from ":[next 0x" #to   \
	"] num_i(0) )\n"

/* A walk to where an exception was taken stops where execution cannot have gone on. */
static void exception_that_the_code_does_not_lead_to_is_not_reached(void **state)
{
	(void)state;
	/* Past the B at 1004. */
	ASSERT(NO_OPTIONS, SYNC ON AT(A_1000) IRQ GO(A_1018), 0x1018,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT(15) RANGE(25, 1000, 1018, 6, "E BR   <cond>")
	               IRQ_AT(25, 1018) END(27));
	ASSERT(KEEPS_TO_CODE, SYNC ON AT(A_1000) IRQ GO(A_1018), 0x1018,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT(15) RANGE(25, 1000, 1004, 1, "E --- ")
	               UNREACHED(25, 1004, 1018) IRQ_AT(25, 1018) END(27));
	/* CBZ may not have branched, BR at 1018 has to. */
	ASSERT(KEEPS_TO_CODE, SYNC ON AT(A_1014) IRQ GO(A_1018), 0x1018,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT(15) RANGE(25, 1014, 1018, 1, "E BR   <cond>")
	               IRQ_AT(25, 1018) END(27));
	ASSERT(KEEPS_TO_CODE, SYNC ON AT(A_1018) IRQ GO(A_1100), 0x1100,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT(15) UNREACHED(25, 1018, 1100) IRQ_AT(25, 1100)
	               END(27));
	ASSERT(KEEPS_TO_CODE, SYNC ON AT(A_1018) IRQ GO(A_1000), 0x1000,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT(15) UNREACHED(25, 1018, 1000) IRQ_AT(25, 1000)
	               END(27));
}

/* After an indirect branch, or another exception, only an address says where the core is. */
static void exception_without_an_address_before_it_is_not_reached(void **state)
{
	(void)state;
	ASSERT(KEEPS_TO_CODE, SYNC ON AT(A_1018) E IRQ GO(A_1100), 0x1100,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT(15) RANGE(25, 1018, 101c, 1, "E iBR ")
	               UNREACHED(26, 101c, 1100) IRQ_AT(26, 1100) END(28));
	ASSERT(KEEPS_TO_CODE, SYNC ON AT(A_1000) IRQ GO(A_1000) IRQ GO(A_1018), 0x1018,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT(15) IRQ_AT(25, 1000) UNREACHED(36, 1000, 1018)
	               IRQ_AT(36, 1018) END(38));
	ASSERT(KEEPS_TO_CODE, SYNC ON AT(A_1000) IRQ GO(A_1000) IRQ GO(A_1000), 0x1000,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT(15) IRQ_AT(25, 1000) IRQ_AT(36, 1000) END(38));
	/* That nothing is known is told once. */
	ASSERT(KEEPS_TO_CODE, SYNC ON AT("\x00\x28") E IRQ GO(A_1100), 0x1100,
	       NO_SYNC(0) TRACE_ON(14)
	               CONTEXT(15) "Idx:25; ID:10; OCSD_GEN_TRC_ELEM_ADDR_NACC( 0x5000; Memspace "
	                           "[0x2:EL1N] )\n" IRQ_AT(26, 1100) END(28));
}

/* Nor do the atoms say it that come before the address; decode passes them over, as OpenCSD does.
 */
static void atoms_without_an_address_before_them_are_not_walked(void **state)
{
	(void)state;
	ASSERT(NO_OPTIONS, SYNC ON AT(A_1018) E E E GO(A_1000) E, 0x1010,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT(15) RANGE(25, 1018, 101c, 1, "E iBR ")
	               RANGE(37, 1000, 1008, 2, "E BR  ") END(37));
	ASSERT(KEEPS_TO_CODE, SYNC ON AT(A_1018) E E E GO(A_1000) E, 0x1010,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT(15) RANGE(25, 1018, 101c, 1, "E iBR ")
	               UNREACHED(26, 101c, 101c) RANGE(37, 1000, 1008, 2, "E BR  ") END(37));
	ASSERT(KEEPS_TO_CODE, SYNC ON AT(A_1018) E GO(A_1000) E, 0x1010,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT(15) RANGE(25, 1018, 101c, 1, "E iBR ")
	               RANGE(35, 1000, 1008, 2, "E BR  ") END(35));
}

/* As an LDM gives it that is interrupted between two of its loads. */
static void exception_within_an_instruction_is_not_reached(void **state)
{
	(void)state;
	ASSERT(KEEPS_TO_CODE | M_PROFILE, SYNC ON "\x83\x21\x10\0\0\x20\x06\x21\x9b\x24\x10\0\0",
	       0x1048,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT_T32(
	               15) "Idx:21; ID:10; OCSD_GEN_TRC_ELEM_INSTR_RANGE("
	                   "exec range=0x1042:[0x1046] num_i(2) last_sz(2) "
	                   "(ISA=T32) E --- )\n" UNREACHED(
	                           21, 1046,
	                           1048) "Idx:21; ID:10; OCSD_GEN_TRC_ELEM_EXCEPTION(pref ret "
	                                 "addr:0x1048; excep num (0x10) )\n" END(23));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(exception_that_the_code_does_not_lead_to_is_not_reached),
	        cmocka_unit_test(exception_without_an_address_before_it_is_not_reached),
	        cmocka_unit_test(atoms_without_an_address_before_them_are_not_walked),
	        cmocka_unit_test(exception_within_an_instruction_is_not_reached),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
