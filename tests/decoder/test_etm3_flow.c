/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ETMv3 traces to elements: hand-made bytes whose meaning is known, from decoder_open() on. And
 * what no bytes may do: crash, hang, or yield elements without end.
 */
#include "tests/decoder/etm3_packets.h"
#include "tests/decoder/etm3_world.h"

static const struct setup plain = {PROTOCOL_ETM3, 0x4000, CCER, 0x410cf250, CORE_A32};
static const struct setup alt = {PROTOCOL_ETM3, 0x4000, CCER, 0x411cf250, CORE_A32};
static const struct setup cycles = {PROTOCOL_ETM3, 0x5000, CCER, 0x410cf250, CORE_A32};
static const struct setup data = {PROTOCOL_ETM3, 0x400c, CCER, 0x410cf250, CORE_A32};
static const struct setup m_profile = {PROTOCOL_ETM3, 0x4000, CCER, 0x410cf250, CORE_M};

static void atom_is_one_instruction(void **state)
{
	(void)state;
	assert_trace(
	        &plain, BYTES(ASYNC AT("\x00") EE E TO_1014 N), 0x1018,
	        "0 NO_SYNC( [init-decoder])\n"
	        "6 TRACE_ON( [begin or filter])\n"
	        "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "13 INSTR_RANGE(exec range=0x1000:[0x1004] num_i(1) last_sz(4) (ISA=A32) E --- )\n"
	        "13 INSTR_RANGE(exec range=0x1004:[0x1008] num_i(1) last_sz(4) (ISA=A32) E BR  )\n"
	        "14 INSTR_RANGE(exec range=0x1010:[0x1014] num_i(1) last_sz(4) (ISA=A32) E BR  "
	        "b+link )\n"
	        "17 INSTR_RANGE(exec range=0x1014:[0x1018] num_i(1) last_sz(4) (ISA=A32) N BR   "
	        "<cond>)\n"
	        "17 EO_TRACE( [end-of-trace])\n");
}

static void p_header_goes_through_branches(void **state)
{
	(void)state;
	assert_trace(
	        &plain,
	        BYTES(ASYNC AT("\x10") "\x90"
	                               "\x86"),
	        NOWHERE,
	        "0 NO_SYNC( [init-decoder])\n"
	        "6 TRACE_ON( [begin or filter])\n"
	        "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "13 INSTR_RANGE(exec range=0x1010:[0x1014] num_i(1) last_sz(4) (ISA=A32) E BR  "
	        "b+link )\n"
	        "13 INSTR_RANGE(exec range=0x1100:[0x1104] num_i(1) last_sz(4) (ISA=A32) E --- )\n"
	        "13 INSTR_RANGE(exec range=0x1104:[0x1108] num_i(1) last_sz(4) (ISA=A32) E iBR "
	        "V7:impl ret)\n"
	        "13 ADDR_UNKNOWN()\n"
	        "14 EO_TRACE( [end-of-trace])\n");
}

static void atoms_without_address_are_unknown_once(void **state)
{
	(void)state;
	assert_trace(&plain, BYTES(ASYNC AT("\x18") "\x8c" EE TO_1014 N), 0x1018,
	             "0 NO_SYNC( [init-decoder])\n"
	             "6 TRACE_ON( [begin or filter])\n"
	             "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	             "13 INSTR_RANGE(exec range=0x1018:[0x101c] num_i(1) last_sz(4) (ISA=A32) E "
	             "iBR V7:impl ret)\n"
	             "13 ADDR_UNKNOWN()\n"
	             "17 INSTR_RANGE(exec range=0x1014:[0x1018] num_i(1) last_sz(4) (ISA=A32) N BR "
	             "  <cond>)\n"
	             "17 EO_TRACE( [end-of-trace])\n");
}

static void no_memory_is_an_element_and_then_unknown(void **state)
{
	(void)state;
	assert_trace(&plain, BYTES(ASYNC AT("\x00") TO_5000 EE), NOWHERE,
	             "0 NO_SYNC( [init-decoder])\n"
	             "6 TRACE_ON( [begin or filter])\n"
	             "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	             "16 ADDR_NACC( 0x5000; Memspace [0x19:Any S] )\n"
	             "16 ADDR_UNKNOWN()\n"
	             "16 EO_TRACE( [end-of-trace])\n");
}

static void cycles_go_with_their_atoms(void **state)
{
	(void)state;
	/* WEWE, W, WWE, WEN, E, a count; from 1018 on without an address. */
	assert_trace(&cycles,
	             BYTES(ASYNC AT("\x00") "\x88\xa0\xe4\x86\x92\x04\x85\x01" AT(
	                     "\x18") "\x88\xa8\x84"),
	             NOWHERE,
	             "0 NO_SYNC( [init-decoder])\n"
	             "6 TRACE_ON( [begin or filter])\n"
	             "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	             "13 INSTR_RANGE(exec range=0x1000:[0x1004] num_i(1) last_sz(4) (ISA=A32) E "
	             "---  [CC=1]; )\n"
	             "13 INSTR_RANGE(exec range=0x1004:[0x1008] num_i(1) last_sz(4) (ISA=A32) E BR "
	             "  [CC=1]; )\n"
	             "14 CYCLE_COUNT( [CC=1]; )\n"
	             "15 INSTR_RANGE(exec range=0x1010:[0x1014] num_i(1) last_sz(4) (ISA=A32) E BR "
	             " b+link  [CC=2]; )\n"
	             "16 INSTR_RANGE(exec range=0x1100:[0x1104] num_i(1) last_sz(4) (ISA=A32) E "
	             "---  [CC=1]; )\n"
	             "16 INSTR_RANGE(exec range=0x1104:[0x1108] num_i(1) last_sz(4) (ISA=A32) N "
	             "iBR V7:impl ret [CC=0]; )\n"
	             "17 INSTR_RANGE(exec range=0x1108:[0x110c] num_i(1) last_sz(4) (ISA=A32) E "
	             "---  [CC=0]; )\n"
	             "18 CYCLE_COUNT( [CC=133]; )\n"
	             "21 TRACE_ON( [begin or filter])\n"
	             "21 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	             "28 INSTR_RANGE(exec range=0x1018:[0x101c] num_i(1) last_sz(4) (ISA=A32) E "
	             "iBR V7:impl ret [CC=1]; )\n"
	             "28 ADDR_UNKNOWN( [CC=1]; )\n"
	             "29 CYCLE_COUNT( [CC=3]; )\n"
	             "30 CYCLE_COUNT( [CC=1]; )\n"
	             "30 EO_TRACE( [end-of-trace])\n");
}

static void cycles_count_before_the_first_isync(void **state)
{
	(void)state;
	assert_trace(&cycles, BYTES(ASYNC "\xa4\x04\x03\x42\x05\x84\x84\x0c\x10" AT("\x00")),
	             0x1000,
	             "0 NO_SYNC( [init-decoder])\n"
	             "6 CYCLE_COUNT( [CC=2]; )\n"
	             "7 CYCLE_COUNT( [CC=3]; )\n"
	             "9 TIMESTAMP( [ TS=0x000000000005]; )\n"
	             "11 CYCLE_COUNT( [CC=1]; )\n"
	             "12 CYCLE_COUNT( [CC=1]; )\n"
	             "15 TRACE_ON( [begin or filter])\n"
	             "15 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	             "15 EO_TRACE( [end-of-trace])\n");
}

static void isync_with_cycles_gives_them_to_the_context(void **state)
{
	(void)state;
	assert_trace(&cycles, BYTES(ASYNC "\x70\x81\x01\x07\x21\x00\x10\0\0"), 0x1000,
	             "0 NO_SYNC( [init-decoder])\n"
	             "6 TRACE_ON( [begin or filter])\n"
	             "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7;  [CC=129]; )\n"
	             "6 EO_TRACE( [end-of-trace])\n");
}

static void periodic_isync_tells_the_context_only(void **state)
{
	(void)state;
	assert_trace(
	        &plain, BYTES(ASYNC AT("\x00") "\x08\x08\x0b\x00\x10\0\0" E), 0x1004,
	        "0 NO_SYNC( [init-decoder])\n"
	        "6 TRACE_ON( [begin or filter])\n"
	        "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "13 PE_CONTEXT((ISA=A32) EL2N; 32-bit; CTXTID=0x8; )\n"
	        "20 INSTR_RANGE(exec range=0x1000:[0x1004] num_i(1) last_sz(4) (ISA=A32) E --- )\n"
	        "20 EO_TRACE( [end-of-trace])\n");
}

static void trace_on_has_its_reason(void **state)
{
	(void)state;
	assert_trace(&plain,
	             BYTES(ASYNC AT("\x00") "\x08\x07\x41\x10\x10\0\0\x08\x07\x61\x10\x10\0\0"),
	             0x1010,
	             "0 NO_SYNC( [init-decoder])\n"
	             "6 TRACE_ON( [begin or filter])\n"
	             "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	             "13 TRACE_ON( [overflow])\n"
	             "13 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	             "20 TRACE_ON( [debug restart])\n"
	             "20 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	             "20 EO_TRACE( [end-of-trace])\n");
}

static void isync_in_a_multiple_load_starts_after_it(void **state)
{
	(void)state;
	assert_trace(&plain, BYTES(ASYNC "\x08\x07\xa1\x00\x10\0\0\x8b\x10" N), 0x1018,
	             "0 NO_SYNC( [init-decoder])\n"
	             "6 TRACE_ON( [begin or filter])\n"
	             "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	             "15 INSTR_RANGE(exec range=0x1014:[0x1018] num_i(1) last_sz(4) (ISA=A32) N BR "
	             "  <cond>)\n"
	             "15 EO_TRACE( [end-of-trace])\n");
}

static void contexts_and_events_are_elements(void **state)
{
	(void)state;
	assert_trace(&plain,
	             BYTES(ASYNC AT("\x00") "\x6e\x07\x6e\x08\x3c\x02\x0c\x66\x42\x85\x01\x7e"),
	             0x1000,
	             "0 NO_SYNC( [init-decoder])\n"
	             "6 TRACE_ON( [begin or filter])\n"
	             "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	             "13 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	             "15 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x8; )\n"
	             "17 PE_CONTEXT((ISA=A32) S; 32-bit; VMID=0x2; CTXTID=0x8; )\n"
	             "19 EVENT( Trigger; )\n"
	             "21 TIMESTAMP( [ TS=0x000000000085]; )\n"
	             "24 EXCEPTION(excep num (0x00) )\n"
	             "24 EO_TRACE( [end-of-trace])\n");
}

/* Two processes at one address: whose code it is, the I-Sync and Context ID packets say. */
static void code_is_that_of_the_context(void **state)
{
	(void)state;
	assert_in_two_spaces(
	        processes, &plain, BYTES(ASYNC AT("\x00") EE "\x6e\x08" EE "\x6e\x07" N), 0x1018,
	        "0 NO_SYNC( [init-decoder])\n"
	        "6 TRACE_ON( [begin or filter])\n"
	        "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "13 INSTR_RANGE(exec range=0x1000:[0x1004] num_i(1) last_sz(4) (ISA=A32) E --- )\n"
	        "13 INSTR_RANGE(exec range=0x1004:[0x1008] num_i(1) last_sz(4) (ISA=A32) E BR  )\n"
	        "14 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x8; )\n"
	        "16 INSTR_RANGE(exec range=0x1010:[0x1014] num_i(1) last_sz(4) (ISA=A32) E BR  )\n"
	        "16 INSTR_RANGE(exec range=0x1000:[0x1004] num_i(1) last_sz(4) (ISA=A32) E BR  )\n"
	        "17 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "19 INSTR_RANGE(exec range=0x1014:[0x1018] num_i(1) last_sz(4) (ISA=A32) N BR   "
	        "<cond>)\n"
	        "19 EO_TRACE( [end-of-trace])\n");
}

/*
 * Of CONTEXTIDR 8, 16 or 32 bits are traced (ETMCR 15:14). From a part of it no process is told,
 * whose number may have more bits; an ASID has 8.
 */
static void part_of_contextidr_is_no_process(void **state)
{
	struct setup setup = plain;

	(void)state;
	setup.cr = 0x4000;
	assert_process_is_told(&setup, CONTEXTIDR_PID, BYTES(ASYNC "\x08\x07\x21\x00\x10\0\0" EE),
	                       false);
	assert_process_is_told(&setup, CONTEXTIDR_BOTH, BYTES(ASYNC "\x08\x07\x21\x00\x10\0\0" EE),
	                       false);
	assert_process_is_told(&setup, CONTEXTIDR_ASID, BYTES(ASYNC "\x08\x07\x21\x00\x10\0\0" EE),
	                       true);
	setup.cr = 0x8000;
	assert_process_is_told(&setup, CONTEXTIDR_PID,
	                       BYTES(ASYNC "\x08\x07\x12\x21\x00\x10\0\0" EE), false);
	assert_process_is_told(&setup, CONTEXTIDR_BOTH,
	                       BYTES(ASYNC "\x08\x07\x12\x21\x00\x10\0\0" EE), false);
	setup.cr = 0xc000;
	assert_process_is_told(&setup, CONTEXTIDR_PID,
	                       BYTES(ASYNC "\x08\x07\x12\x00\x00\x21\x00\x10\0\0" EE), true);
	assert_process_is_told(&setup, CONTEXTIDR_PID,
	                       BYTES(ASYNC "\x08\x07\x12\x01\x00\x21\x00\x10\0\0" EE), false);
}

/*
 * Code that changes at time 0x50: before and after it, by the timestamps, is what was there then;
 * between, and on the way to the first waypoint after it, what both have.
 */
static void code_is_that_of_the_time(void **state)
{
	(void)state;
	assert_in_time(
	        &plain,
	        BYTES(ASYNC AT("\x00") "\x42\x05" EE "\x42\x06" E "\x42\x85\x01" AT("\x00")
	                      E TO_1014 N AT("\x00") E),
	        0x1014,
	        "0 NO_SYNC( [init-decoder])\n"
	        "6 TRACE_ON( [begin or filter])\n"
	        "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "13 TIMESTAMP( [ TS=0x000000000005]; )\n"
	        "15 INSTR_RANGE(exec range=0x1000:[0x1004] num_i(1) last_sz(4) (ISA=A32) E --- )\n"
	        "15 INSTR_RANGE(exec range=0x1004:[0x1008] num_i(1) last_sz(4) (ISA=A32) E BR  )\n"
	        "16 TIMESTAMP( [ TS=0x000000000006]; )\n"
	        "18 ADDR_NACC( 0x1010; Memspace [0x19:Any S] )\n"
	        "19 TIMESTAMP( [ TS=0x000000000085]; )\n"
	        "22 TRACE_ON( [begin or filter])\n"
	        "22 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "29 ADDR_NACC( 0x1000; Memspace [0x19:Any S] )\n"
	        "32 INSTR_RANGE(exec range=0x1014:[0x1018] num_i(1) last_sz(4) (ISA=A32) N BR   "
	        "<cond>)\n"
	        "33 TRACE_ON( [begin or filter])\n"
	        "33 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "40 INSTR_RANGE(exec range=0x1000:[0x1004] num_i(1) last_sz(4) (ISA=A32) E BR  )\n"
	        "40 EO_TRACE( [end-of-trace])\n");
}

/* Code that was written is looked up at the addresses in the trace. */
static void code_is_that_of_the_place(void **state)
{
	(void)state;
	assert_written(
	        &plain, BYTES(ASYNC AT("\x18") TO_1014 E AT("\x18") TO_1014 E), 22, 0x101c,
	        "0 NO_SYNC( [init-decoder])\n"
	        "6 TRACE_ON( [begin or filter])\n"
	        "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "15 ADDR_NACC( 0x1014; Memspace [0x19:Any S] )\n"
	        "16 TRACE_ON( [begin or filter])\n"
	        "16 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "25 INSTR_RANGE(exec range=0x1014:[0x1018] num_i(1) last_sz(4) (ISA=A32) E BR  )\n"
	        "25 EO_TRACE( [end-of-trace])\n");
}

/* Secure and Non-secure memory at one address: the I-Sync's NS bit says which. */
static void code_is_that_of_the_security_state(void **state)
{
	(void)state;
	assert_in_two_spaces(
	        security_states, &plain, BYTES(ASYNC AT("\x00") EE NS_AT("\x00") E AT("\x00") E),
	        0x1004,
	        "0 NO_SYNC( [init-decoder])\n"
	        "6 TRACE_ON( [begin or filter])\n"
	        "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "13 INSTR_RANGE(exec range=0x1000:[0x1004] num_i(1) last_sz(4) (ISA=A32) E --- )\n"
	        "13 INSTR_RANGE(exec range=0x1004:[0x1008] num_i(1) last_sz(4) (ISA=A32) E BR  )\n"
	        "14 TRACE_ON( [begin or filter])\n"
	        "14 PE_CONTEXT((ISA=A32) N; 32-bit; CTXTID=0x7; )\n"
	        "21 INSTR_RANGE(exec range=0x1000:[0x1004] num_i(1) last_sz(4) (ISA=A32) E BR  )\n"
	        "22 TRACE_ON( [begin or filter])\n"
	        "22 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "29 INSTR_RANGE(exec range=0x1000:[0x1004] num_i(1) last_sz(4) (ISA=A32) E --- )\n"
	        "29 EO_TRACE( [end-of-trace])\n");
}

static void exchange_changes_the_instruction_set(void **state)
{
	(void)state;
	assert_trace(
	        &plain, BYTES(ASYNC AT("\x1c") EE), 0x1182,
	        "0 NO_SYNC( [init-decoder])\n"
	        "6 TRACE_ON( [begin or filter])\n"
	        "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "13 INSTR_RANGE(exec range=0x101c:[0x1020] num_i(1) last_sz(4) (ISA=A32) E BR  "
	        "b+link )\n"
	        "13 INSTR_RANGE(exec range=0x1180:[0x1182] num_i(1) last_sz(2) (ISA=T32) E --- )\n"
	        "13 EO_TRACE( [end-of-trace])\n");
	/* A P-header that begins there, and one more that goes on. */
	assert_trace(
	        &plain, BYTES(ASYNC AT("\x1c") E EE), 0x1180,
	        "0 NO_SYNC( [init-decoder])\n"
	        "6 TRACE_ON( [begin or filter])\n"
	        "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "13 INSTR_RANGE(exec range=0x101c:[0x1020] num_i(1) last_sz(4) (ISA=A32) E BR  "
	        "b+link )\n"
	        "14 INSTR_RANGE(exec range=0x1180:[0x1182] num_i(1) last_sz(2) (ISA=T32) E --- )\n"
	        "14 INSTR_RANGE(exec range=0x1182:[0x1184] num_i(1) last_sz(2) (ISA=T32) E BR  )\n"
	        "14 EO_TRACE( [end-of-trace])\n");
	assert_trace(
	        &plain, BYTES(ASYNC AT("\x1c") "\x8e"), 0x1024,
	        "0 NO_SYNC( [init-decoder])\n"
	        "6 TRACE_ON( [begin or filter])\n"
	        "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "13 INSTR_RANGE(exec range=0x101c:[0x1020] num_i(1) last_sz(4) (ISA=A32) N BR  "
	        "b+link )\n"
	        "13 INSTR_RANGE(exec range=0x1020:[0x1024] num_i(1) last_sz(4) (ISA=A32) N --- )\n"
	        "13 EO_TRACE( [end-of-trace])\n");
}

static void jazelle_is_an_unknown_address(void **state)
{
	(void)state;
	assert_trace(&plain, BYTES(ASYNC AT("\x18") "\x81\xa0\x80\x80\x20" EE), NOWHERE,
	             "0 NO_SYNC( [init-decoder])\n"
	             "6 TRACE_ON( [begin or filter])\n"
	             "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	             "18 ADDR_UNKNOWN()\n"
	             "18 EO_TRACE( [end-of-trace])\n");
}

static void data_packets_are_elements(void **state)
{
	(void)state;
	assert_trace(
	        &data,
	        BYTES(ASYNC AT("\x00") E "\x2e\x84\x01\x04\x03\x02\x01\x44\x55\x54\x50\x62"
	                                 "\x7a\x05" E),
	        0x1010,
	        "0 NO_SYNC( [init-decoder])\n"
	        "6 TRACE_ON( [begin or filter])\n"
	        "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "13 INSTR_RANGE(exec range=0x1000:[0x1004] num_i(1) last_sz(4) (ISA=A32) E --- )\n"
	        "14 DATA(val=0x1020304; )\n"
	        "21 DATA(val=0x55; late; tag=2; )\n"
	        "23 DATA(late; tag=1; )\n"
	        "24 DATA(store failed; )\n"
	        "25 DATA(suppressed; )\n"
	        "26 DATA(not traced; )\n"
	        "28 INSTR_RANGE(exec range=0x1004:[0x1008] num_i(1) last_sz(4) (ISA=A32) E BR  )\n"
	        "28 EO_TRACE( [end-of-trace])\n");
}

/* 0x89abcdec, all of it, little and big endian; then its low seven bits alone. */
#define AT_89ABCDEC "\xec\x9b\xaf\xcd\x08"
#define AT_BE       "\xec\x9b\xaf\xcd\x18"
#define AT_LOW_70   "\x70"

/* Bits that the trace has not said are not taken for zeros, nor for those before a loss. */
static void data_address_is_whole_or_none(void **state)
{
	(void)state;
	assert_trace(
	        &data,
	        BYTES(ASYNC AT("\x00") E "\x22" AT_LOW_70 "\x26" AT_89ABCDEC "\x55\x22" AT_LOW_70
	                                 "\x22" AT_BE "\x08\x07\x41\x00\x10\x00\x00" E
	                                 "\x22" AT_LOW_70 "\x22" AT_89ABCDEC),
	        0x1004,
	        "0 NO_SYNC( [init-decoder])\n"
	        "6 TRACE_ON( [begin or filter])\n"
	        "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "13 INSTR_RANGE(exec range=0x1000:[0x1004] num_i(1) last_sz(4) (ISA=A32) E --- )\n"
	        "14 DATA(val=0x0; )\n"
	        "16 DATA(addr=0x89abcdec; val=0x55; )\n"
	        "23 DATA(addr=0x89abcdf0; val=0x0; )\n"
	        "25 DATA(addr=0x89abcdec BE; val=0x0; )\n"
	        "31 TRACE_ON( [overflow])\n"
	        "31 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "38 INSTR_RANGE(exec range=0x1000:[0x1004] num_i(1) last_sz(4) (ISA=A32) E --- )\n"
	        "39 DATA(val=0x0; )\n"
	        "41 DATA(addr=0x89abcdec; val=0x0; )\n"
	        "41 EO_TRACE( [end-of-trace])\n");
}

/* A byte that is no packet: an address may have been lost with it. */
static void data_address_is_unknown_after_a_bad_packet(void **state)
{
	(void)state;
	assert_trace(
	        &data,
	        BYTES(ASYNC AT("\x00") E "\x22" AT_89ABCDEC "\x10" ASYNC AT("\x00") E
	              "\x22" AT_LOW_70),
	        0x1004,
	        "0 NO_SYNC( [init-decoder])\n"
	        "6 TRACE_ON( [begin or filter])\n"
	        "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "13 INSTR_RANGE(exec range=0x1000:[0x1004] num_i(1) last_sz(4) (ISA=A32) E --- )\n"
	        "14 DATA(addr=0x89abcdec; val=0x0; )\n"
	        "21 NO_SYNC( [bad-packet])\n"
	        "27 TRACE_ON( [begin or filter])\n"
	        "27 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "34 INSTR_RANGE(exec range=0x1000:[0x1004] num_i(1) last_sz(4) (ISA=A32) E --- )\n"
	        "35 DATA(val=0x0; )\n"
	        "35 EO_TRACE( [end-of-trace])\n");
}

/* The data of an instruction that an abort cancels come before it is said. */
static void data_is_listed_before_its_instruction_is_cancelled(void **state)
{
	(void)state;
	assert_trace(
	        &data, BYTES(ASYNC AT("\x00") E "\x26" AT_89ABCDEC "\x55" ABORT), 0x1000,
	        "0 NO_SYNC( [init-decoder])\n"
	        "6 TRACE_ON( [begin or filter])\n"
	        "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "13 INSTR_RANGE(exec range=0x1000:[0x1004] num_i(1) last_sz(4) (ISA=A32) E --- )\n"
	        "14 DATA(addr=0x89abcdec; val=0x55; )\n"
	        "21 EXCEPTION(excep num (0x0c) )\n"
	        "21 EO_TRACE( [end-of-trace])\n");
}

static void bad_packet_is_lost_sync_until_the_next_isync(void **state)
{
	(void)state;
	assert_trace(&plain, BYTES(ASYNC AT("\x00") E "\x10" E ASYNC E AT("\x14") N), 0x1018,
	             "0 NO_SYNC( [init-decoder])\n"
	             "6 TRACE_ON( [begin or filter])\n"
	             "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	             "15 NO_SYNC( [bad-packet])\n"
	             "23 TRACE_ON( [begin or filter])\n"
	             "23 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	             "30 INSTR_RANGE(exec range=0x1014:[0x1018] num_i(1) last_sz(4) (ISA=A32) N BR "
	             "  <cond>)\n"
	             "30 EO_TRACE( [end-of-trace])\n");
	assert_trace(&plain, BYTES(ASYNC AT("\x00") "\x02" E), NOWHERE,
	             "0 NO_SYNC( [init-decoder])\n"
	             "6 TRACE_ON( [begin or filter])\n"
	             "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	             "14 NO_SYNC( [bad-packet])\n"
	             "14 EO_TRACE( [end-of-trace])\n");
}

static void trace_without_async_is_not_decoded(void **state)
{
	(void)state;
	/* The last group that was passed over begins at the zero. */
	assert_trace(&plain, BYTES(AT("\x01") "\x00" E), NOWHERE,
	             "0 NO_SYNC( [init-decoder])\n"
	             "5 EO_TRACE( [end-of-trace])\n");
}

static void cut_packet_at_the_end_says_what_was_known(void **state)
{
	(void)state;
	assert_trace(
	        &plain, BYTES(ASYNC AT("\x00") E "\x8b"), 0x1004,
	        "0 NO_SYNC( [init-decoder])\n"
	        "6 TRACE_ON( [begin or filter])\n"
	        "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "13 INSTR_RANGE(exec range=0x1000:[0x1004] num_i(1) last_sz(4) (ISA=A32) E --- )\n"
	        "14 EO_TRACE( [end-of-trace])\n");
	assert_trace(&plain, BYTES(ASYNC AT("\x00") "\x42\x85"), 0x1000,
	             "0 NO_SYNC( [init-decoder])\n"
	             "6 TRACE_ON( [begin or filter])\n"
	             "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	             "13 EO_TRACE( [end-of-trace])\n");
	assert_trace(&plain, BYTES(ASYNC AT("\x00") "\x42\x05\x42\x86"), 0x1000,
	             "0 NO_SYNC( [init-decoder])\n"
	             "6 TRACE_ON( [begin or filter])\n"
	             "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	             "13 TIMESTAMP( [ TS=0x000000000005]; )\n"
	             "15 TIMESTAMP( [ TS=0x000000000005]; )\n"
	             "15 EO_TRACE( [end-of-trace])\n");
	assert_trace(&plain, BYTES(ASYNC AT("\x00") "\x6e"), 0x1000,
	             "0 NO_SYNC( [init-decoder])\n"
	             "6 TRACE_ON( [begin or filter])\n"
	             "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	             "13 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	             "13 EO_TRACE( [end-of-trace])\n");
}

static void empty_trace_is_end_of_trace(void **state)
{
	(void)state;
	assert_trace(&plain, BYTES(""), NOWHERE, "0 EO_TRACE( [end-of-trace])\n");
}

static void missing_register_is_an_error_that_names_it(void **state)
{
	(void)state;
	assert_registers_are_needed(&plain);
}

static void damaged_trace_comes_to_its_end(void **state)
{
	static const char trace[] = ASYNC AT("\x00") EE TO_1014 EN
	        "\x42\x85\x01\x04\x03" E IRQ EE "\x76" ABORT "\x6e\x01\x3c\x02\x0c" ASYNC
	        "\x08\x07\x01\x10\x10\0\0" EE TO_5000 E AT("\x1c") EE
	        "\x70\x85\x01\x07\x21\x00\x10\0\0\x86\xa4";

	(void)state;
	assert_damage_ends(&plain, trace, sizeof(trace) - 1);
	assert_damage_ends(&alt, trace, sizeof(trace) - 1);
	assert_damage_ends(&cycles, trace, sizeof(trace) - 1);
	assert_damage_ends(&data, trace, sizeof(trace) - 1);
	assert_damage_ends(&m_profile, trace, sizeof(trace) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(atom_is_one_instruction),
	        cmocka_unit_test(p_header_goes_through_branches),
	        cmocka_unit_test(atoms_without_address_are_unknown_once),
	        cmocka_unit_test(no_memory_is_an_element_and_then_unknown),
	        cmocka_unit_test(cycles_go_with_their_atoms),
	        cmocka_unit_test(cycles_count_before_the_first_isync),
	        cmocka_unit_test(isync_with_cycles_gives_them_to_the_context),
	        cmocka_unit_test(periodic_isync_tells_the_context_only),
	        cmocka_unit_test(trace_on_has_its_reason),
	        cmocka_unit_test(isync_in_a_multiple_load_starts_after_it),
	        cmocka_unit_test(contexts_and_events_are_elements),
	        cmocka_unit_test(code_is_that_of_the_context),
	        cmocka_unit_test(part_of_contextidr_is_no_process),
	        cmocka_unit_test(code_is_that_of_the_time),
	        cmocka_unit_test(code_is_that_of_the_place),
	        cmocka_unit_test(code_is_that_of_the_security_state),
	        cmocka_unit_test(exchange_changes_the_instruction_set),
	        cmocka_unit_test(jazelle_is_an_unknown_address),
	        cmocka_unit_test(data_packets_are_elements),
	        cmocka_unit_test(data_address_is_whole_or_none),
	        cmocka_unit_test(data_address_is_unknown_after_a_bad_packet),
	        cmocka_unit_test(data_is_listed_before_its_instruction_is_cancelled),
	        cmocka_unit_test(bad_packet_is_lost_sync_until_the_next_isync),
	        cmocka_unit_test(trace_without_async_is_not_decoded),
	        cmocka_unit_test(cut_packet_at_the_end_says_what_was_known),
	        cmocka_unit_test(empty_trace_is_end_of_trace),
	        cmocka_unit_test(missing_register_is_an_error_that_names_it),
	        cmocka_unit_test(damaged_trace_comes_to_its_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
