/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PTM traces to elements: hand-made bytes whose meaning is known, from decoder_open() on. And
 * what no bytes may do: crash, hang, or yield elements without end.
 */
#include "tests/decoder/etm3_world.h"

/* PFT 1.1, timestamps of 64 bits, binary; a context ID of one byte where there are no cycles. */
#define CCER UINT32_C(0x30c00000)
static const struct setup plain = {PROTOCOL_PTM, 0x4000, CCER, 0x411cf312, CORE_A32};
static const struct setup stack = {PROTOCOL_PTM, 0x20004000, CCER, 0x411cf312, CORE_A32};
static const struct setup cycles = {PROTOCOL_PTM, 0x1000, CCER, 0x411cf312, CORE_A32};
static const struct setup barriers = {PROTOCOL_PTM, 0x4000, CCER | 1 << 24, 0x411cf312, CORE_A32};

/* I-Sync: Arm state, trace on, context ID 7, address 0x10xx. */
#define AT(low)    "\x08" low "\x10\0\0\x21\x07"
#define NS_AT(low) "\x08" low "\x10\0\0\x29\x07" /* the same, Non-secure */
#define E          "\x80"
#define N          "\x82"
#define EE         "\x88"

static void atom_is_a_walk_to_the_next_waypoint(void **state)
{
	(void)state;
	assert_trace(
	        &plain, BYTES(ASYNC AT("\x00") EE TO_1014 N), 0x1018,
	        "0 NO_SYNC( [init-decoder])\n"
	        "6 TRACE_ON( [begin or filter])\n"
	        "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "13 INSTR_RANGE(exec range=0x1000:[0x1008] num_i(2) last_sz(4) (ISA=A32) E BR  )\n"
	        "13 INSTR_RANGE(exec range=0x1010:[0x1014] num_i(1) last_sz(4) (ISA=A32) E BR  "
	        "b+link )\n"
	        "14 INSTR_RANGE(exec range=0x1100:[0x1108] num_i(2) last_sz(4) (ISA=A32) E iBR "
	        "V7:impl ret)\n"
	        "16 INSTR_RANGE(exec range=0x1014:[0x1018] num_i(1) last_sz(4) (ISA=A32) N BR   "
	        "<cond>)\n"
	        "16 EO_TRACE( [end-of-trace])\n");
}

static void several_atoms_are_walked_oldest_first(void **state)
{
	(void)state;
	/* N at 1014, E at 1018, whose target nobody tells: the third has no place. */
	assert_trace(&plain, BYTES(ASYNC AT("\x14") "\x98"), NOWHERE,
	             "0 NO_SYNC( [init-decoder])\n"
	             "6 TRACE_ON( [begin or filter])\n"
	             "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	             "13 INSTR_RANGE(exec range=0x1014:[0x1018] num_i(1) last_sz(4) (ISA=A32) N BR "
	             "  <cond>)\n"
	             "13 INSTR_RANGE(exec range=0x1018:[0x101c] num_i(1) last_sz(4) (ISA=A32) E "
	             "iBR V7:impl ret)\n"
	             "13 EO_TRACE( [end-of-trace])\n");
}

static void return_stack_gives_the_target_of_an_atom(void **state)
{
	(void)state;
	assert_trace(&stack, BYTES(ASYNC AT("\x10") EE), 0x1014,
	             "0 NO_SYNC( [init-decoder])\n"
	             "6 TRACE_ON( [begin or filter])\n"
	             "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	             "13 INSTR_RANGE(exec range=0x1010:[0x1014] num_i(1) last_sz(4) (ISA=A32) E BR "
	             " b+link )\n"
	             "13 INSTR_RANGE(exec range=0x1100:[0x1108] num_i(2) last_sz(4) (ISA=A32) E "
	             "iBR V7:impl ret)\n"
	             "13 EO_TRACE( [end-of-trace])\n");
}

static void return_without_call_is_lost_sync_until_the_next_isync(void **state)
{
	(void)state;
	assert_trace(&stack, BYTES(ASYNC AT("\x18") E N ASYNC E AT("\x10") E), 0x1100,
	             "0 NO_SYNC( [init-decoder])\n"
	             "6 TRACE_ON( [begin or filter])\n"
	             "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	             "13 NO_SYNC( [bad-packet])\n"
	             "22 TRACE_ON( [begin or filter])\n"
	             "22 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	             "29 INSTR_RANGE(exec range=0x1010:[0x1014] num_i(1) last_sz(4) (ISA=A32) E BR "
	             " b+link )\n"
	             "29 EO_TRACE( [end-of-trace])\n");
}

static void isync_empties_the_return_stack(void **state)
{
	(void)state;
	assert_trace(&stack, BYTES(ASYNC AT("\x10") E AT("\x18") E), NOWHERE,
	             "0 NO_SYNC( [init-decoder])\n"
	             "6 TRACE_ON( [begin or filter])\n"
	             "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	             "13 INSTR_RANGE(exec range=0x1010:[0x1014] num_i(1) last_sz(4) (ISA=A32) E BR "
	             " b+link )\n"
	             "14 TRACE_ON( [begin or filter])\n"
	             "14 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	             "21 NO_SYNC( [bad-packet])\n"
	             "21 EO_TRACE( [end-of-trace])\n");
}

static void periodic_isync_says_nothing(void **state)
{
	(void)state;
	assert_trace(
	        &plain, BYTES(ASYNC AT("\x00") E "\x08\x10\x10\0\0\x01\x07" E), 0x1100,
	        "0 NO_SYNC( [init-decoder])\n"
	        "6 TRACE_ON( [begin or filter])\n"
	        "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "13 INSTR_RANGE(exec range=0x1000:[0x1008] num_i(2) last_sz(4) (ISA=A32) E BR  )\n"
	        "21 INSTR_RANGE(exec range=0x1010:[0x1014] num_i(1) last_sz(4) (ISA=A32) E BR  "
	        "b+link )\n"
	        "21 EO_TRACE( [end-of-trace])\n");
}

static void trace_on_has_its_reason(void **state)
{
	(void)state;
	assert_trace(&plain,
	             BYTES(ASYNC AT("\x00") "\x08\x10\x10\0\0\x41\x07\x08\x10\x10\0\0\x61\x08"),
	             0x1010,
	             "0 NO_SYNC( [init-decoder])\n"
	             "6 TRACE_ON( [begin or filter])\n"
	             "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	             "13 TRACE_ON( [overflow])\n"
	             "13 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	             "20 TRACE_ON( [debug restart])\n"
	             "20 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x8; )\n"
	             "20 EO_TRACE( [end-of-trace])\n");
}

static void exception_has_its_return_address(void **state)
{
	(void)state;
	/* IRQ after 1008, taken to 1100; execution stands where it would return to. */
	assert_trace(
	        &plain, BYTES(ASYNC AT("\x00") E "\x81\x51\x1c"), 0x1010,
	        "0 NO_SYNC( [init-decoder])\n"
	        "6 TRACE_ON( [begin or filter])\n"
	        "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "13 INSTR_RANGE(exec range=0x1000:[0x1008] num_i(2) last_sz(4) (ISA=A32) E BR  )\n"
	        "14 EXCEPTION(pref ret addr:0x1010; excep num (0x0e) )\n"
	        "14 EO_TRACE( [end-of-trace])\n");
	assert_trace(
	        &plain, BYTES(ASYNC AT("\x00") E "\x81\x51\x1c" N), 0x1108,
	        "0 NO_SYNC( [init-decoder])\n"
	        "6 TRACE_ON( [begin or filter])\n"
	        "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "13 INSTR_RANGE(exec range=0x1000:[0x1008] num_i(2) last_sz(4) (ISA=A32) E BR  )\n"
	        "14 EXCEPTION(pref ret addr:0x1010; excep num (0x0e) )\n"
	        "17 INSTR_RANGE(exec range=0x1100:[0x1108] num_i(2) last_sz(4) (ISA=A32) N iBR "
	        "V7:impl ret)\n"
	        "17 EO_TRACE( [end-of-trace])\n");
}

static void exception_without_address_has_no_return_address(void **state)
{
	(void)state;
	assert_trace(&plain, BYTES(ASYNC AT("\x18") E "\x81\x51\x1c"), 0x1100,
	             "0 NO_SYNC( [init-decoder])\n"
	             "6 TRACE_ON( [begin or filter])\n"
	             "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	             "13 INSTR_RANGE(exec range=0x1018:[0x101c] num_i(1) last_sz(4) (ISA=A32) E "
	             "iBR V7:impl ret)\n"
	             "14 EXCEPTION(excep num (0x0e) )\n"
	             "14 EO_TRACE( [end-of-trace])\n");
}

static void waypoint_update_passes_branches(void **state)
{
	(void)state;
	/* Up to 1014, through 1010; then an abort taken to 1100. */
	assert_trace(&plain, BYTES(ASYNC AT("\x10") "\x72\x8b\x10\x81\x51\x18"), 0x1000,
	             "0 NO_SYNC( [init-decoder])\n"
	             "6 TRACE_ON( [begin or filter])\n"
	             "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	             "13 INSTR_RANGE(exec range=0x1010:[0x1018] num_i(2) last_sz(4) (ISA=A32) E BR "
	             "  <cond>)\n"
	             "16 EXCEPTION(pref ret addr:0x1000; excep num (0x0c) )\n"
	             "16 EO_TRACE( [end-of-trace])\n");
}

#define START                                                                                      \
	"0 NO_SYNC( [init-decoder])\n"                                                             \
	"6 TRACE_ON( [begin or filter])\n"                                                         \
	"6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
#define NO_PATH(from, to)                                                                          \
	"13 I_RANGE_NOPATH(first 0x" #from ":[next 0x" #to "] num_i(0) )\n"                        \
	"16 EXCEPTION(excep num (0x0c) )\n"                                                        \
	"16 EO_TRACE( [end-of-trace])\n"

/* For a history: through BL at 1010 execution cannot have come, nor back from 1018. */
static void waypoint_update_that_the_code_does_not_lead_to_is_not_reached(void **state)
{
	(void)state;
	keeps_to_code = true;
	assert_trace(&plain, BYTES(ASYNC AT("\x10") "\x72\x8b\x10\x81\x51\x18"), 0x1100,
	             START NO_PATH(1010, 1014));
	assert_trace(&plain, BYTES(ASYNC AT("\x18") "\x72\x8b\x10\x81\x51\x18"), 0x1100,
	             START NO_PATH(1018, 1014));
	/* Up to 1018, through BEQ. */
	assert_trace(&plain, BYTES(ASYNC AT("\x14") "\x72\x8d\x10"), NOWHERE,
	             START
	             "13 INSTR_RANGE(exec range=0x1014:[0x101c] num_i(2) last_sz(4) (ISA=A32) "
	             "E iBR V7:impl ret)\n"
	             "13 EO_TRACE( [end-of-trace])\n");
	/* What lies before the branch was executed. */
	assert_trace(&plain, BYTES(ASYNC AT("\x0c") "\x72\x8b\x10\x81\x51\x18"), 0x1100,
	             START
	             "13 INSTR_RANGE(exec range=0x100c:[0x1010] num_i(1) last_sz(4) (ISA=A32) "
	             "E --- )\n" NO_PATH(1010, 1014));
	keeps_to_code = false;
}

/*
 * Nobody tells where the branch at 1018 went to: what comes before the next address ran somewhere,
 * which a history is told once, and decode not at all, as OpenCSD has it.
 */
#define LEFT                                                                                       \
	"0 NO_SYNC( [init-decoder])\n"                                                             \
	"6 TRACE_ON( [begin or filter])\n"                                                         \
	"6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"                                        \
	"13 INSTR_RANGE(exec range=0x1018:[0x101c] num_i(1) last_sz(4) (ISA=A32) E iBR V7:impl "   \
	"ret)\n"
#define LOST "14 I_RANGE_NOPATH(first 0x101c:[next 0x101c] num_i(0) )\n"
#define GOES_ON                                                                                    \
	"17 INSTR_RANGE(exec range=0x1014:[0x1018] num_i(1) last_sz(4) (ISA=A32) N BR   <cond>)\n" \
	"17 EO_TRACE( [end-of-trace])\n"

static void atoms_without_an_address_before_them_are_not_walked(void **state)
{
	(void)state;
	assert_trace(&plain, BYTES(ASYNC AT("\x18") E E TO_1014 N), 0x1018, LEFT GOES_ON);
	keeps_to_code = true;
	assert_trace(&plain, BYTES(ASYNC AT("\x18") E E TO_1014 N), 0x1018, LEFT LOST GOES_ON);
	assert_trace(&plain, BYTES(ASYNC AT("\x18") E "\x81\x51\x1c"), 0x1100,
	             LEFT LOST "14 EXCEPTION(excep num (0x0e) )\n14 EO_TRACE( [end-of-trace])\n");
	keeps_to_code = false;
}

static void waypoint_update_beyond_the_code_ends_with_it(void **state)
{
	(void)state;
	assert_trace(
	        &plain, BYTES(ASYNC AT("\x24") "\x72\x8b\x30"), NOWHERE,
	        "0 NO_SYNC( [init-decoder])\n"
	        "6 TRACE_ON( [begin or filter])\n"
	        "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "13 INSTR_RANGE(exec range=0x1024:[0x1188] num_i(89) last_sz(4) (ISA=A32) E --- )\n"
	        "13 ADDR_NACC( 0x1188; Memspace [0x19:Any S] )\n"
	        "13 EO_TRACE( [end-of-trace])\n");
}

static void barrier_is_a_waypoint_where_the_unit_says_so(void **state)
{
	(void)state;
	assert_trace(
	        &plain, BYTES(ASYNC AT("\x20") E), NOWHERE,
	        "0 NO_SYNC( [init-decoder])\n"
	        "6 TRACE_ON( [begin or filter])\n"
	        "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "13 INSTR_RANGE(exec range=0x1020:[0x1028] num_i(2) last_sz(4) (ISA=A32) E iBR )\n"
	        "13 EO_TRACE( [end-of-trace])\n");
	assert_trace(&barriers, BYTES(ASYNC AT("\x20") E), 0x1024,
	             "0 NO_SYNC( [init-decoder])\n"
	             "6 TRACE_ON( [begin or filter])\n"
	             "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	             "13 INSTR_RANGE(exec range=0x1020:[0x1024] num_i(1) last_sz(4) (ISA=A32) E "
	             "DSB.DMB)\n"
	             "13 EO_TRACE( [end-of-trace])\n");
}

static void cycles_go_with_their_element(void **state)
{
	(void)state;
	/* I-Sync, atom, branch, exception, timestamp. */
	assert_trace(&cycles,
	             BYTES(ASYNC "\x08\x00\x10\0\0\x21\x04"
	                         "\x88"
	                         "\xc0\x01"
	                         "\x8b\x10\x0c"
	                         "\x81\x51\x1c\x10"
	                         "\x42\x05\x14"),
	             0x1014,
	             "0 NO_SYNC( [init-decoder])\n"
	             "6 TRACE_ON( [begin or filter] [CC=1]; )\n"
	             "6 PE_CONTEXT((ISA=A32) S; 32-bit; )\n"
	             "13 INSTR_RANGE(exec range=0x1000:[0x1008] num_i(2) last_sz(4) (ISA=A32) E BR "
	             "  [CC=2]; )\n"
	             "14 INSTR_RANGE(exec range=0x1010:[0x1014] num_i(1) last_sz(4) (ISA=A32) E BR "
	             " b+link  [CC=16]; )\n"
	             "16 INSTR_RANGE(exec range=0x1100:[0x1108] num_i(2) last_sz(4) (ISA=A32) E "
	             "iBR V7:impl ret [CC=3]; )\n"
	             "19 EXCEPTION(pref ret addr:0x1014; excep num (0x0e)  [CC=4]; )\n"
	             "23 TIMESTAMP( [ TS=0x000000000005];  [CC=5]; )\n"
	             "23 EO_TRACE( [end-of-trace])\n");
}

static void context_is_told_when_it_changes(void **state)
{
	(void)state;
	assert_trace(&plain,
	             BYTES(ASYNC AT("\x00") "\x6e\x07\x6e\x08\x6e\x08\x3c\x02\x3c\x02\x3c\x03"),
	             0x1000,
	             "0 NO_SYNC( [init-decoder])\n"
	             "6 TRACE_ON( [begin or filter])\n"
	             "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	             "15 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x8; )\n"
	             "19 PE_CONTEXT((ISA=A32) S; 32-bit; VMID=0x2; CTXTID=0x8; )\n"
	             "23 PE_CONTEXT((ISA=A32) S; 32-bit; VMID=0x3; CTXTID=0x8; )\n"
	             "23 EO_TRACE( [end-of-trace])\n");
}

/*
 * Two processes at one address: whose code it is, the I-Sync and Context ID packets say.
 */
static void code_is_that_of_the_context(void **state)
{
	(void)state;
	assert_in_two_spaces(
	        processes, &plain, BYTES(ASYNC AT("\x00") E "\x6e\x08" E E "\x6e\x07" N), 0x1018,
	        "0 NO_SYNC( [init-decoder])\n"
	        "6 TRACE_ON( [begin or filter])\n"
	        "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "13 INSTR_RANGE(exec range=0x1000:[0x1008] num_i(2) last_sz(4) (ISA=A32) E BR  )\n"
	        "14 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x8; )\n"
	        "16 INSTR_RANGE(exec range=0x1010:[0x1014] num_i(1) last_sz(4) (ISA=A32) E BR  )\n"
	        "17 INSTR_RANGE(exec range=0x1000:[0x1004] num_i(1) last_sz(4) (ISA=A32) E BR  )\n"
	        "18 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "20 INSTR_RANGE(exec range=0x1014:[0x1018] num_i(1) last_sz(4) (ISA=A32) N BR   "
	        "<cond>)\n"
	        "20 EO_TRACE( [end-of-trace])\n");
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
	assert_process_is_told(&setup, CONTEXTIDR_PID, BYTES(ASYNC "\x08\x00\x10\0\0\x21\x07" EE),
	                       false);
	assert_process_is_told(&setup, CONTEXTIDR_BOTH, BYTES(ASYNC "\x08\x00\x10\0\0\x21\x07" EE),
	                       false);
	assert_process_is_told(&setup, CONTEXTIDR_ASID, BYTES(ASYNC "\x08\x00\x10\0\0\x21\x07" EE),
	                       true);
	setup.cr = 0x8000;
	assert_process_is_told(&setup, CONTEXTIDR_PID,
	                       BYTES(ASYNC "\x08\x00\x10\0\0\x21\x07\x12" EE), false);
	assert_process_is_told(&setup, CONTEXTIDR_BOTH,
	                       BYTES(ASYNC "\x08\x00\x10\0\0\x21\x07\x12" EE), false);
	setup.cr = 0xc000;
	assert_process_is_told(&setup, CONTEXTIDR_PID,
	                       BYTES(ASYNC "\x08\x00\x10\0\0\x21\x07\x12\x00\x00" EE), true);
	assert_process_is_told(&setup, CONTEXTIDR_PID,
	                       BYTES(ASYNC "\x08\x00\x10\0\0\x21\x07\x12\x01\x00" EE), false);
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
	        BYTES(ASYNC AT("\x00") "\x42\x05" E "\x42\x06" E "\x42\x85\x01" AT("\x00")
	                      E TO_1014 N AT("\x00") E),
	        0x1014,
	        "0 NO_SYNC( [init-decoder])\n"
	        "6 TRACE_ON( [begin or filter])\n"
	        "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "13 TIMESTAMP( [ TS=0x000000000005]; )\n"
	        "15 INSTR_RANGE(exec range=0x1000:[0x1008] num_i(2) last_sz(4) (ISA=A32) E BR  )\n"
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
	        "13 INSTR_RANGE(exec range=0x1018:[0x101c] num_i(1) last_sz(4) (ISA=A32) E iBR "
	        "V7:impl ret)\n"
	        "15 ADDR_NACC( 0x1014; Memspace [0x19:Any S] )\n"
	        "16 TRACE_ON( [begin or filter])\n"
	        "16 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "23 INSTR_RANGE(exec range=0x1018:[0x101c] num_i(1) last_sz(4) (ISA=A32) E iBR "
	        "V7:impl ret)\n"
	        "25 INSTR_RANGE(exec range=0x1014:[0x1018] num_i(1) last_sz(4) (ISA=A32) E BR  )\n"
	        "25 EO_TRACE( [end-of-trace])\n");
}

/* Secure and Non-secure memory at one address: the I-Sync's NS bit says which. */
static void code_is_that_of_the_security_state(void **state)
{
	(void)state;
	assert_in_two_spaces(
	        security_states, &plain, BYTES(ASYNC AT("\x00") E NS_AT("\x00") E AT("\x00") E),
	        0x1010,
	        "0 NO_SYNC( [init-decoder])\n"
	        "6 TRACE_ON( [begin or filter])\n"
	        "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "13 INSTR_RANGE(exec range=0x1000:[0x1008] num_i(2) last_sz(4) (ISA=A32) E BR  )\n"
	        "14 TRACE_ON( [begin or filter])\n"
	        "14 PE_CONTEXT((ISA=A32) N; 32-bit; CTXTID=0x7; )\n"
	        "21 INSTR_RANGE(exec range=0x1000:[0x1004] num_i(1) last_sz(4) (ISA=A32) E BR  )\n"
	        "22 TRACE_ON( [begin or filter])\n"
	        "22 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "29 INSTR_RANGE(exec range=0x1000:[0x1008] num_i(2) last_sz(4) (ISA=A32) E BR  )\n"
	        "29 EO_TRACE( [end-of-trace])\n");
}

static void events_are_elements(void **state)
{
	(void)state;
	assert_trace(&plain, BYTES(ASYNC AT("\x00") "\x0c\x76\x66\x42\x85\x01"), 0x1000,
	             "0 NO_SYNC( [init-decoder])\n"
	             "6 TRACE_ON( [begin or filter])\n"
	             "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	             "13 EVENT( Trigger; )\n"
	             "14 EXCEPTION_RET()\n"
	             "16 TIMESTAMP( [ TS=0x000000000085]; )\n"
	             "16 EO_TRACE( [end-of-trace])\n");
}

static void no_memory_is_told_once(void **state)
{
	(void)state;
	assert_trace(&plain, BYTES(ASYNC AT("\x18") TO_5000 EE E "\x8b\x90\x00" N), 0x1018,
	             "0 NO_SYNC( [init-decoder])\n"
	             "6 TRACE_ON( [begin or filter])\n"
	             "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	             "13 INSTR_RANGE(exec range=0x1018:[0x101c] num_i(1) last_sz(4) (ISA=A32) E "
	             "iBR V7:impl ret)\n"
	             "16 ADDR_NACC( 0x5000; Memspace [0x19:Any S] )\n"
	             "21 INSTR_RANGE(exec range=0x1014:[0x1018] num_i(1) last_sz(4) (ISA=A32) N BR "
	             "  <cond>)\n"
	             "21 EO_TRACE( [end-of-trace])\n");
}

static void memory_that_ends_gives_what_was_before(void **state)
{
	(void)state;
	/* T32 from 1184 on: the return falls through in the trace, and then half an instruction. */
	assert_trace(&plain, BYTES(ASYNC "\x08\x85\x11\0\0\x21\x07" N E), NOWHERE,
	             "0 NO_SYNC( [init-decoder])\n"
	             "6 TRACE_ON( [begin or filter])\n"
	             "6 PE_CONTEXT((ISA=T32) S; 32-bit; CTXTID=0x7; )\n"
	             "13 INSTR_RANGE(exec range=0x1184:[0x1186] num_i(1) last_sz(2) (ISA=T32) N "
	             "iBR V7:impl ret)\n"
	             "14 ADDR_NACC( 0x1186; Memspace [0x19:Any S] )\n"
	             "14 EO_TRACE( [end-of-trace])\n");
}

static void exchange_changes_the_instruction_set(void **state)
{
	(void)state;
	assert_trace(
	        &plain, BYTES(ASYNC AT("\x1c") EE), 0x1180,
	        "0 NO_SYNC( [init-decoder])\n"
	        "6 TRACE_ON( [begin or filter])\n"
	        "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "13 INSTR_RANGE(exec range=0x101c:[0x1020] num_i(1) last_sz(4) (ISA=A32) E BR  "
	        "b+link )\n"
	        "13 INSTR_RANGE(exec range=0x1180:[0x1184] num_i(2) last_sz(2) (ISA=T32) E BR  )\n"
	        "13 EO_TRACE( [end-of-trace])\n");
	assert_trace(
	        &plain, BYTES(ASYNC AT("\x1c") N N), 0x1028,
	        "0 NO_SYNC( [init-decoder])\n"
	        "6 TRACE_ON( [begin or filter])\n"
	        "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "13 INSTR_RANGE(exec range=0x101c:[0x1020] num_i(1) last_sz(4) (ISA=A32) N BR  "
	        "b+link )\n"
	        "14 INSTR_RANGE(exec range=0x1020:[0x1028] num_i(2) last_sz(4) (ISA=A32) N iBR )\n"
	        "14 EO_TRACE( [end-of-trace])\n");
}

static void jazelle_is_an_unknown_address(void **state)
{
	(void)state;
	assert_trace(&plain,
	             BYTES(ASYNC AT("\x18") "\x81\xa0\x80\x80\x20" EE "\x8b\x90\x80\x80\x08"),
	             0x1014,
	             "0 NO_SYNC( [init-decoder])\n"
	             "6 TRACE_ON( [begin or filter])\n"
	             "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	             "13 INSTR_RANGE(exec range=0x1018:[0x101c] num_i(1) last_sz(4) (ISA=A32) E "
	             "iBR V7:impl ret)\n"
	             "18 ADDR_UNKNOWN()\n"
	             "19 EO_TRACE( [end-of-trace])\n");
}

static void reserved_header_is_lost_sync_until_the_next_isync(void **state)
{
	(void)state;
	assert_trace(
	        &plain, BYTES(ASYNC AT("\x00") E "\x10" E ASYNC E "\x08\x14\x10\0\0\x01\x07" N),
	        0x1018,
	        "0 NO_SYNC( [init-decoder])\n"
	        "6 TRACE_ON( [begin or filter])\n"
	        "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "13 INSTR_RANGE(exec range=0x1000:[0x1008] num_i(2) last_sz(4) (ISA=A32) E BR  )\n"
	        "14 NO_SYNC( [bad-packet])\n"
	        "23 TRACE_ON( [begin or filter])\n"
	        "23 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "30 INSTR_RANGE(exec range=0x1014:[0x1018] num_i(1) last_sz(4) (ISA=A32) N BR   "
	        "<cond>)\n"
	        "30 EO_TRACE( [end-of-trace])\n");
}

static void trace_without_async_is_not_decoded(void **state)
{
	(void)state;
	assert_trace(&plain, BYTES(AT("\x00") E E), NOWHERE,
	             "0 NO_SYNC( [init-decoder])\n"
	             "0 EO_TRACE( [end-of-trace])\n");
}

static void trace_before_isync_is_not_decoded(void **state)
{
	(void)state;
	assert_trace(&plain, BYTES(ASYNC E "\x0c\x10" AT("\x00")), 0x1000,
	             "0 NO_SYNC( [init-decoder])\n"
	             "9 TRACE_ON( [begin or filter])\n"
	             "9 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	             "9 EO_TRACE( [end-of-trace])\n");
}

static void cut_packet_at_the_end_says_nothing(void **state)
{
	(void)state;
	assert_trace(
	        &plain, BYTES(ASYNC AT("\x00") E "\x8b"), 0x1010,
	        "0 NO_SYNC( [init-decoder])\n"
	        "6 TRACE_ON( [begin or filter])\n"
	        "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "13 INSTR_RANGE(exec range=0x1000:[0x1008] num_i(2) last_sz(4) (ISA=A32) E BR  )\n"
	        "14 EO_TRACE( [end-of-trace])\n");
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
	static const char trace[] = ASYNC AT("\x00") EE TO_1014 N
	        "\x42\x85\x01" E "\x81\x51\x1c" EE "\x72\x8b\x10\x6e\x01\x3c\x02\x0c" ASYNC
	        "\x08\x10\x10\0\0\x01\x07" EE TO_5000 E AT("\x1c") EE;

	(void)state;
	assert_damage_ends(&plain, trace, sizeof(trace) - 1);
	assert_damage_ends(&stack, trace, sizeof(trace) - 1);
	assert_damage_ends(&cycles, trace, sizeof(trace) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(atom_is_a_walk_to_the_next_waypoint),
	        cmocka_unit_test(several_atoms_are_walked_oldest_first),
	        cmocka_unit_test(return_stack_gives_the_target_of_an_atom),
	        cmocka_unit_test(return_without_call_is_lost_sync_until_the_next_isync),
	        cmocka_unit_test(isync_empties_the_return_stack),
	        cmocka_unit_test(periodic_isync_says_nothing),
	        cmocka_unit_test(trace_on_has_its_reason),
	        cmocka_unit_test(exception_has_its_return_address),
	        cmocka_unit_test(exception_without_address_has_no_return_address),
	        cmocka_unit_test(waypoint_update_passes_branches),
	        cmocka_unit_test(waypoint_update_that_the_code_does_not_lead_to_is_not_reached),
	        cmocka_unit_test(atoms_without_an_address_before_them_are_not_walked),
	        cmocka_unit_test(waypoint_update_beyond_the_code_ends_with_it),
	        cmocka_unit_test(barrier_is_a_waypoint_where_the_unit_says_so),
	        cmocka_unit_test(cycles_go_with_their_element),
	        cmocka_unit_test(context_is_told_when_it_changes),
	        cmocka_unit_test(code_is_that_of_the_context),
	        cmocka_unit_test(part_of_contextidr_is_no_process),
	        cmocka_unit_test(code_is_that_of_the_time),
	        cmocka_unit_test(code_is_that_of_the_place),
	        cmocka_unit_test(code_is_that_of_the_security_state),
	        cmocka_unit_test(events_are_elements),
	        cmocka_unit_test(no_memory_is_told_once),
	        cmocka_unit_test(memory_that_ends_gives_what_was_before),
	        cmocka_unit_test(exchange_changes_the_instruction_set),
	        cmocka_unit_test(jazelle_is_an_unknown_address),
	        cmocka_unit_test(reserved_header_is_lost_sync_until_the_next_isync),
	        cmocka_unit_test(trace_without_async_is_not_decoded),
	        cmocka_unit_test(trace_before_isync_is_not_decoded),
	        cmocka_unit_test(cut_packet_at_the_end_says_nothing),
	        cmocka_unit_test(empty_trace_is_end_of_trace),
	        cmocka_unit_test(missing_register_is_an_error_that_names_it),
	        cmocka_unit_test(damaged_trace_comes_to_its_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
