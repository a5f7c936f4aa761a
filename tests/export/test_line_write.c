/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events as lines of Tarmac text: Rev 3 (ARM-EPM-041435) and the format of ISP RAS, as
 * docs/formats/tarmac.md has them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "replay/export/line_write.h"

#define REST "                    " /* before what belongs to a record */

static struct text out;

static int tear_down(void **state)
{
	(void)state;
	text_fini(&out);
	return 0;
}

static struct line_writer writer(void)
{
	return (struct line_writer){.out = &out, .is_a64 = true, .core = 2, .position = 6};
}

static void check(const struct line_style *style, struct line_writer *w,
                  const struct tarmac_event *event, const char *expected)
{
	text_clear(&out);
	text_puts(&out, "");
	style->event(w, event);
	assert_string_equal(out.data, expected);
}

static struct tarmac_event instruction(void)
{
	return (struct tarmac_event){
	        .kind = TARMAC_INSTRUCTION,
	        .instruction = {.isa = ISA_A64,
	                        .mode = TARMAC_MODE_EL1H,
	                        .security = TARMAC_NON_SECURE,
	                        .size = 4,
	                        .has_address = true,
	                        .address = 0x8001000,
	                        .opcode = 0xd503201f,
	                        .disassembly = STR(" NOP ")},
	};
}

static void instruction_has_its_columns(void **state)
{
	struct line_writer w = writer();
	struct tarmac_event e = instruction();

	(void)state;
	check(&rev3_style, &w, &e, "ES  (0000000008001000:d503201f) O el1h_ns:        NOP\n");
	check(&isp_style, &w, &e, "7 clk 2 IT (7) 0000000008001000 d503201f X el1h_ns : NOP\n");
	e.instruction.effect = TARMAC_CCFAIL;
	check(&rev3_style, &w, &e, "ES  (0000000008001000:d503201f) O el1h_ns: CCFAIL NOP\n");
	check(&isp_style, &w, &e, "7 clk 2 IS (7) 0000000008001000 d503201f X el1h_ns : NOP\n");
	e.instruction.effect = TARMAC_FETCH_FAILED;
	e.instruction.security = TARMAC_SECURE;
	check(&rev3_style, &w, &e, "ES  (0000000008001000:--------) O el1h:           NOP\n");
	check(&isp_style, &w, &e, "7 clk 2 IT (7) 0000000008001000 -------- X el1h_s : NOP\n");
	e.instruction.has_address = false;
	e.instruction.mode = TARMAC_MODE_NONE;
	check(&rev3_style, &w, &e, "ES  (----------------:--------) O -:              NOP\n");
	check(&isp_style, &w, &e, "7 clk E DebugEvent_TraceGap the trace is damaged\n");
}

static void instruction_of_32_bits_is_narrower(void **state)
{
	struct line_writer w = writer();
	struct tarmac_event e = instruction();

	(void)state;
	w.is_a64 = false;
	e.instruction.isa = ISA_T32;
	e.instruction.size = 2;
	e.instruction.opcode = 0xbf00;
	e.instruction.mode = TARMAC_MODE_SVC;
	e.instruction.security = TARMAC_SECURITY_NOT_SAID;
	check(&rev3_style, &w, &e, "ES  (08001000:bf00)     T svc:            NOP\n");
	check(&isp_style, &w, &e, "7 clk 2 IT (7) 08001000 bf00 T svc : NOP\n");
	e.instruction.effect = TARMAC_FETCH_FAILED;
	check(&rev3_style, &w, &e, "ES  (08001000:----)     T svc:            NOP\n");
	check(&isp_style, &w, &e, "7 clk 2 IT (7) 08001000 ---- T svc : NOP\n");
	e.instruction.has_address = false;
	e.instruction.isa = ISA_TEE;
	check(&rev3_style, &w, &e, "ES  (--------:----)     E svc:            NOP\n");
	e.instruction.has_address = true;
	e.instruction.effect = TARMAC_EXECUTED;
	check(&isp_style, &w, &e, "7 clk 2 IT (7) 08001000 bf00 T svc : NOP\n");
	e.instruction.isa = ISA_A32;
	e.instruction.size = 4;
	e.instruction.opcode = 0x1a;
	e.instruction.security = TARMAC_ROOT;
	check(&rev3_style, &w, &e, "ES  (08001000:0000001a) A svc_rt:         NOP\n");
	check(&isp_style, &w, &e, "7 clk 2 IT (7) 08001000 0000001a A svc_rt : NOP\n");
	e.instruction.security = TARMAC_REALM;
	check(&rev3_style, &w, &e, "ES  (08001000:0000001a) A svc_rl:         NOP\n");
	check(&isp_style, &w, &e, "7 clk 2 IT (7) 08001000 0000001a A svc_rl : NOP\n");
}

/* The header says whether there are any; a record without has blanks in place of its own. */
static void time_stands_in_front_of_a_record(void **state)
{
	struct line_writer w = writer();
	struct tarmac_event e = instruction();

	(void)state;
	rev3_style.begin(&w);
	assert_string_equal(out.data, "Tarmac Text Rev 3\n");
	text_clear(&out);
	w.has_timestamps = true;
	rev3_style.begin(&w);
	assert_string_equal(out.data, "Tarmac Text Rev 3t\n");
	check(&rev3_style, &w, &e,
	      "                ES  (0000000008001000:d503201f) O el1h_ns:        NOP\n");
	e.has_timestamp = true;
	e.timestamp = 12345;
	e.unit = TARMAC_UNIT_PS;
	check(&rev3_style, &w, &e,
	      "      12345 ps  ES  (0000000008001000:d503201f) O el1h_ns:        NOP\n");
	check(&isp_style, &w, &e, "12345 ps 2 IT (7) 0000000008001000 d503201f X el1h_ns : NOP\n");
	e.unit = TARMAC_UNIT_CLK;
	check(&rev3_style, &w, &e,
	      "      12345 clk ES  (0000000008001000:d503201f) O el1h_ns:        NOP\n");
	e.unit = TARMAC_UNIT_NONE;
	check(&isp_style, &w, &e, "12345 clk 2 IT (7) 0000000008001000 d503201f X el1h_ns : NOP\n");
	text_clear(&out);
	isp_style.begin(&w);
	assert_int_equal(out.length, 0);
}

static struct tarmac_value value_of(const char *bytes, size_t size)
{
	struct tarmac_value value = {.size = (uint16_t)size};

	memcpy(value.bits, bytes, size);
	memset(value.known, 0xff, size);
	memset(value.touched, 0xff, size);
	return value;
}

/* Digits that are unknown are x; those that the line is not about, -. */
static void register_has_its_digits(void **state)
{
	struct tarmac_value value = value_of("\x12\x34\x56\x78", 4);
	struct line_writer w = writer();
	struct tarmac_event e = {.kind = TARMAC_REGISTER,
	                         .reg = {.name = STR("X17"), .value = &value}};

	(void)state;
	check(&rev3_style, &w, &e, REST "R X17 78563412\n");
	check(&isp_style, &w, &e, "7 clk R x17 78563412\n");
	value.touched[3] = 0x0f;
	value.known[3] = 0x0f;
	value.known[1] = 0xf0;
	value.known[0] = 0x7f;
	check(&rev3_style, &w, &e, REST "R X17 -8563xx2\n");
	e.reg.context = STR("SVC");
	check(&rev3_style, &w, &e, REST "R X17 (SVC) -8563xx2\n");
	check(&isp_style, &w, &e, "7 clk R x17 -8563xx2\n");
	e.reg.bank = TARMAC_MODE_SVC;
	check(&isp_style, &w, &e, "7 clk R x17_svc -8563xx2\n");
}

/* 16 bytes from a multiple of 16 on, the highest first; .. is what was not accessed. */
static void memory_is_shown_in_lines_of_16_bytes(void **state)
{
	struct tarmac_value value = value_of("\x01\x02\x03\x04", 4);
	struct line_writer w = writer();
	struct tarmac_event e = {.kind = TARMAC_MEMORY,
	                         .dialect = TARMAC_DIALECT_REV3,
	                         .memory = {.is_write = true, .address = 0x1004, .value = &value}};

	(void)state;
	check(&rev3_style, &w, &e,
	      REST "ST 0000000000001000 ........ ........ 04030201 ........\n");
	check(&isp_style, &w, &e, "7 clk MW4 0000000000001004 04030201\n");
	w.is_a64 = false;
	e.memory.is_write = false;
	e.memory.address = 0x100e;
	value.known[2] = 0;
	check(&rev3_style, &w, &e,
	      REST "LD 00001000 0201.... ........ ........ ........\n" REST
	           "LD 00001010 ........ ........ ........ ....04##\n");
	check(&isp_style, &w, &e,
	      "7 clk MR2 0000100e 0201\n7 clk MR1 00001010 xx\n7 clk MR1 00001011 04\n");
	value.touched[2] = 0;
	check(&rev3_style, &w, &e,
	      REST "LD 00001000 0201.... ........ ........ ........\n" REST
	           "LD 00001010 ........ ........ ........ ....04..\n");
	check(&isp_style, &w, &e, "7 clk MR2 0000100e 0201\n7 clk MR1 00001011 04\n");
	value = value_of("0123456789abcdefghi", 19);
	e.memory.address = 0x1000;
	e.memory.is_privileged = true;
	check(&isp_style, &w, &e,
	      "7 clk MR8X 00001000 3736353433323130\n7 clk MR8X 00001008 6665646362613938\n"
	      "7 clk MR2X 00001010 6867\n7 clk MR1X 00001012 69\n");
	value = value_of("0123456", 7);
	e.memory.is_privileged = false;
	e.memory.is_unprivileged = true;
	check(&isp_style, &w, &e,
	      "7 clk MR4T 00001000 33323130\n7 clk MR2T 00001004 3534\n"
	      "7 clk MR1T 00001006 36\n");
	e.memory.is_fetch = true;
	check(&rev3_style, &w, &e, "");
	check(&isp_style, &w, &e, "");
}

/* An access that was aborted moved nothing that is known; its line's word has its size. */
static void memory_that_was_not_accessed_is_unknown(void **state)
{
	static const struct {
		const char *word;
		const char *bytes;
	} cases[] = {
	        {"MR4", "........ ........ ........ ########"},
	        {"MW16X", "######## ######## ######## ########"},
	        {"MR17", "........ ........ ........ ......##"},
	        {"MR0", "........ ........ ........ ......##"},
	        {"LA", "........ ........ ........ ......##"},
	        {"MR2_ABT", "........ ........ ........ ....####"},
	};
	struct tarmac_value none = {.size = 0};
	struct tarmac_value value = value_of("a", 1);
	struct line_writer w = writer();
	struct tarmac_event e = {.kind = TARMAC_MEMORY,
	                         .memory = {.is_aborted = true, .address = 0x1000, .value = &none}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct text expected = {0};

		e.word = str_of(cases[i].word);
		text_printf(&expected, REST "LA 0000000000001000 %s\n", cases[i].bytes);
		check(&rev3_style, &w, &e, expected.data);
		check(&isp_style, &w, &e, "");
		text_fini(&expected);
	}
	e.memory.is_write = true;
	e.memory.value = &value;
	check(&rev3_style, &w, &e,
	      REST "SA 0000000000001000 ........ ........ ........ ......61\n");
	e.memory.is_aborted = false;
	e.memory.is_exclusive_failed = true;
	check(&rev3_style, &w, &e,
	      REST "SX 0000000000001000 ........ ........ ........ ......61\n");
	check(&isp_style, &w, &e, "");
}

static void physical_address_is_that_of_the_line(void **state)
{
	static const struct {
		enum tarmac_security security;
		const char *text;
	} cases[] = {{TARMAC_SECURITY_NOT_SAID, ""},
	             {TARMAC_SECURE, "S:"},
	             {TARMAC_NON_SECURE, "NS:"},
	             {TARMAC_ROOT, "RT:"},
	             {TARMAC_REALM, "RL:"}};
	struct tarmac_value value = value_of("ab", 2);
	struct line_writer w = writer();
	struct tarmac_event e = {.kind = TARMAC_MEMORY,
	                         .dialect = TARMAC_DIALECT_REV3,
	                         .memory = {.address = 0x100f,
	                                    .has_physical = true,
	                                    .physical = 0x8000200f,
	                                    .attributes = STR("/12 WB"),
	                                    .value = &value}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct text expected = {0};

		e.memory.security = cases[i].security;
		text_printf(&expected,
		            REST "LD 0000000000001000 61...... ........ ........ ........    "
		                 "%s0080002000/12 WB\n" REST
		                 "LD 0000000000001010 ........ ........ ........ ......62    "
		                 "%s0080002010/12 WB\n",
		            cases[i].text, cases[i].text);
		check(&rev3_style, &w, &e, expected.data);
		text_fini(&expected);
	}
	value = value_of("a", 1);
	e.memory.security = TARMAC_SECURE;
	e.memory.attributes = STR("Normal");
	check(&rev3_style, &w, &e,
	      REST "LD 0000000000001000 61...... ........ ........ ........    S:0080002000    "
	           "Normal\n");
	e.dialect = TARMAC_DIALECT_ISP;
	check(&rev3_style, &w, &e,
	      REST "LD 0000000000001000 61...... ........ ........ ........    S:0080002000\n");
}

/* As lines of Fast Models have them: the format itself has neither. */
static void isp_says_what_would_else_be_untrue(void **state)
{
	static const struct {
		enum tarmac_security security;
		const char *suffix;
	} cases[] = {{TARMAC_SECURITY_NOT_SAID, ""},
	             {TARMAC_SECURE, "_S"},
	             {TARMAC_NON_SECURE, "_NS"},
	             {TARMAC_ROOT, "_RT"},
	             {TARMAC_REALM, "_RL"}};
	struct tarmac_value value = value_of("abcdefghijkl", 12);
	struct line_writer w = writer();
	struct tarmac_event e = {.kind = TARMAC_MEMORY,
	                         .memory = {.address = 0x1000,
	                                    .has_physical = true,
	                                    .physical = 0x80002000,
	                                    .value = &value}};
	struct text expected = {0};

	(void)state;
	check(&isp_style, &w, &e,
	      "7 clk MR8 0000000000001000 6867666564636261\n"
	      "7 clk MR4 0000000000001008 6c6b6a69\n");
	w.has_places = true;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		e.memory.security = cases[i].security;
		text_clear(&expected);
		text_printf(&expected,
		            "7 clk MR8 0000000000001000:000080002000%s 6867666564636261\n"
		            "7 clk MR4 0000000000001008:000080002008%s 6c6b6a69\n",
		            cases[i].suffix, cases[i].suffix);
		check(&isp_style, &w, &e, expected.data);
	}
	text_fini(&expected);
	w.is_elsewhere = true;
	text_clear(&out);
	isp_style.gap(&w, &(struct gap){.reason = GAP_OVERFLOW, .has_address = true});
	assert_string_equal(out.data, "7 clk 2 E DebugEvent_TraceGap the trace source overflowed "
	                              "at 0x0\n");
	e = instruction();
	e.instruction.has_address = false;
	check(&isp_style, &w, &e, "7 clk E DebugEvent_TraceGap the trace is damaged\n");
}

/* What comes between instructions (IRQ, FIQ, SError, reset) is a record; the rest is an effect. */
static void exceptions_are_records_or_effects(void **state)
{
	static const struct {
		bool is_a64;
		bool is_m;
		int64_t vector;
		const char *begin;
	} cases[] = {
	        {true, false, 0x200, REST "EXC [0x200] "},
	        {true, false, 0x280, "ES  EXC [0x280] "},
	        {true, false, 0x300, "ES  EXC [0x300] "},
	        {true, false, 0x380, "ES  EXC [0x380] "},
	        {true, false, 0, REST "EXC [0x000] "},
	        {true, false, 0x400, REST "EXC [0x400] "},
	        {true, false, 0x480, "ES  EXC [0x480] "},
	        {false, false, 0, "ES  EXC [0x00] "},
	        {false, false, 4, REST "EXC [0x04] "},
	        {false, false, 8, REST "EXC [0x08] "},
	        {false, false, 0x10, REST "EXC [0x10] "},
	        {false, false, 0x18, "ES  EXC [0x18] "},
	        {false, false, 0x1c, "ES  EXC [0x1c] "},
	        {false, true, 1, "ES  EXC [1] "},
	        {false, true, 2, "ES  EXC [2] "},
	        {false, true, 3, REST "EXC [3] "},
	        {false, true, 11, REST "EXC [11] "},
	        {false, true, 12, REST "EXC [12] "},
	        {false, true, 14, "ES  EXC [14] "},
	        {false, true, 15, "ES  EXC [15] "},
	        {false, true, 40, "ES  EXC [40] "},
	        {true, false, -1, REST "EXC [-1] "},
	        {false, false, -8, REST "EXC [-8] "},
	        {false, false, -4, REST "EXC [-4] "},
	        {false, false, 0x600, REST "EXC [0x600] "},
	        {false, false, 0x680, "ES  EXC [0x680] "},
	};
	struct line_writer w = writer();
	struct tarmac_event e = {.kind = TARMAC_EXCEPTION,
	                         .exception = {.has_vector = true, .name = STR(" The\x01 name ")}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct text expected = {0};

		w.is_a64 = cases[i].is_a64;
		w.is_m = cases[i].is_m;
		e.exception.vector = cases[i].vector;
		text_printf(&expected, "%sThe? name\n", cases[i].begin);
		check(&rev3_style, &w, &e, expected.data);
		check(&isp_style, &w, &e, "");
		text_fini(&expected);
	}
	e.exception.has_vector = false;
	check(&rev3_style, &w, &e, "ES  EXC The? name\n");
}

static void exceptions_of_asynchronous_events_are_lines_of_theirs(void **state)
{
	struct line_writer w = writer();
	struct tarmac_event e = {.kind = TARMAC_ASYNC,
	                         .exception = {.has_vector = true, .name = STR(" The\x01 name ")}};

	(void)state;
	w.is_a64 = false;
	w.has_timestamps = true;
	check(&rev3_style, &w, &e, "                ES  The? name\n");
	/* What an asynchronous event leads to is a line of its record. */
	e.kind = TARMAC_EXCEPTION;
	e.exception.vector = 0x18;
	check(&rev3_style, &w, &e, REST "EXC [0x18] The? name\n");
	check(&rev3_style, &w, &e, "                ES  EXC [0x18] The? name\n");
	/* Of Rev 3 itself each is what it was. */
	e.dialect = TARMAC_DIALECT_REV3;
	check(&rev3_style, &w, &e, REST "EXC [0x18] The? name\n");
	e.exception.is_record = true;
	e.exception.has_vector = false;
	check(&rev3_style, &w, &e, "                ES  EXC The? name\n");
}

/* 2.3.1, field 1: of Debug state the register that had the opcode. */
static void instruction_of_debug_state_has_no_address(void **state)
{
	struct line_writer w = writer();
	struct tarmac_event e = instruction();

	(void)state;
	e.instruction.has_address = false;
	e.instruction.is_debug = true;
	e.instruction.debug_register = STR("EDITR");
	check(&rev3_style, &w, &e, "ES  (EDITR:d503201f) O el1h_ns:        NOP\n");
	check(&isp_style, &w, &e, "");
	assert_int_equal(w.lost.count[EXPORT_LOST_DEBUG], 1);
}

/* What a dialect has no place for is counted, and said in one line. */
static void what_is_left_out_is_counted(void **state)
{
	struct tarmac_value value = value_of("abcd", 4);
	struct line_writer w = writer();
	struct tarmac_event e = {.kind = TARMAC_MEMORY,
	                         .memory = {.is_aborted = true, .value = &value}};
	struct tarmac_event others[] = {{.kind = TARMAC_EXCEPTION}, {.kind = TARMAC_ASYNC},
	                                {.kind = TARMAC_BRANCH},    {.kind = TARMAC_NOTE},
	                                {.kind = TARMAC_OPERATION}, {.kind = TARMAC_UNKNOWN},
	                                {.kind = TARMAC_HEADER}};

	(void)state;
	isp_style.event(&w, &e);
	isp_style.event(&w, &e);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		isp_style.event(&w, &others[i]);
	isp_style.gap(&w, &(struct gap){.reason = GAP_OVERFLOW});
	value.known[0] = 0;
	e = (struct tarmac_event){.kind = TARMAC_REGISTER,
	                          .reg = {.name = STR("r0"), .value = &value}};
	isp_style.event(&w, &e);
	w.is_elsewhere = true;
	isp_style.event(&w, &e);
	text_clear(&out);
	export_losses_write(&w.lost, &out);
	assert_string_equal(
	        out.data, "1 gap, 1 exception, 1 asynchronous event, 1 branch target, 2 notes and "
	                  "operations, 2 aborted and failed accesses, 1 core of a line that is no "
	                  "instruction's, 2 values of which digits are - or x, 1 malformed line");
}

static void check_lost(const struct line_style *style, struct tarmac_event e, bool is_m,
                       const char *expected)
{
	struct line_writer w = writer();

	w.is_m = is_m;
	style->event(&w, &e);
	text_clear(&out);
	text_puts(&out, "");
	export_losses_write(&w.lost, &out);
	assert_string_equal(out.data, expected);
}

/* Rev 3, 2.3.1, field 4, and ISP RAS, <mode>: which modes there are. */
static void modes_that_the_format_has_not_are_counted(void **state)
{
	static const enum tarmac_mode both[] = {TARMAC_MODE_USR, TARMAC_MODE_SYS, TARMAC_MODE_SVC,
	                                        TARMAC_MODE_ABT, TARMAC_MODE_UND, TARMAC_MODE_IRQ,
	                                        TARMAC_MODE_FIQ, TARMAC_MODE_MON};
	static const enum tarmac_mode rev3[] = {
	        TARMAC_MODE_HYP,  TARMAC_MODE_EL0T, TARMAC_MODE_EL1T, TARMAC_MODE_EL1H,
	        TARMAC_MODE_EL2T, TARMAC_MODE_EL2H, TARMAC_MODE_EL3T, TARMAC_MODE_EL3H};
	static const enum tarmac_mode none[] = {TARMAC_MODE_EL1, TARMAC_MODE_EL2, TARMAC_MODE_EL3};
	static const char level[] = "1 mode of which no more than the level is known";
	static const char other_mode[] = "1 mode that is none of its eight";
	struct tarmac_event e = instruction();

	(void)state;
	for (size_t i = 0; i < sizeof(both) / sizeof(both[0]); i++) {
		e.instruction.mode = both[i];
		check_lost(&rev3_style, e, false, "");
		check_lost(&isp_style, e, false, "");
	}
	for (size_t i = 0; i < sizeof(rev3) / sizeof(rev3[0]); i++) {
		e.instruction.mode = rev3[i];
		check_lost(&rev3_style, e, false, "");
		check_lost(&isp_style, e, false, other_mode);
	}
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		e.instruction.mode = none[i];
		check_lost(&rev3_style, e, false, level);
		check_lost(&isp_style, e, false, other_mode);
	}
	e.instruction.mode = TARMAC_MODE_NONE;
	check_lost(&rev3_style, e, false, level);
	check_lost(&isp_style, e, false, "1 mode or security state of an instruction");
	/* M profile has no modes there. */
	check_lost(&rev3_style, e, true, "");
	e.instruction.mode = TARMAC_MODE_THREAD;
	check_lost(&rev3_style, e, true, "");
	check_lost(&isp_style, e, true, other_mode);
}

/* ISP RAS: <inst_id> is the text's, if it has one; what is no number there is counted. */
static void what_isp_has_no_digits_for_is_counted(void **state)
{
	struct tarmac_value value = value_of("abcdefgh", 8);
	struct line_writer w = writer();
	struct tarmac_event e = instruction();

	(void)state;
	e.instruction.has_index = true;
	e.instruction.index = 4711;
	check(&isp_style, &w, &e, "7 clk 2 IT (4711) 0000000008001000 d503201f X el1h_ns : NOP\n");
	e.instruction.mode = TARMAC_MODE_SVC;
	e.instruction.effect = TARMAC_FETCH_FAILED;
	check_lost(&isp_style, e, false, "1 instruction without an opcode");
	value.known[2] = 0;
	e = (struct tarmac_event){.kind = TARMAC_MEMORY,
	                          .memory = {.address = 0x1000, .value = &value}};
	check_lost(&isp_style, e, false, "1 value of which digits are - or x");
	check_lost(&rev3_style, e, false, "");
	/* What was not accessed is no hole. */
	value.touched[2] = 0;
	check_lost(&isp_style, e, false, "");
}

/* Rev 3, 2.3.4, fields 7 to 10 belong to a physical address. */
static void what_rev3_leaves_out_of_a_text_is_counted(void **state)
{
	struct tarmac_value value = value_of("abcd", 4);
	struct tarmac_event e = {
	        .kind = TARMAC_MEMORY,
	        .dialect = TARMAC_DIALECT_REV3,
	        .memory = {.address = 0x1000, .attributes = STR("NM NSH"), .value = &value}};

	(void)state;
	check_lost(&rev3_style, e, false, "1 attribute of an access");
	e.memory.has_physical = true;
	check_lost(&rev3_style, e, false, "");
	e.dialect = TARMAC_DIALECT_FM;
	check_lost(&rev3_style, e, false, "1 attribute of an access");
	check_lost(&isp_style, instruction(), false, "1 mode that is none of its eight");
}

static struct tarmac_event other(enum tarmac_kind kind, const char *text, size_t word,
                                 size_t length)
{
	return (struct tarmac_event){
	        .kind = kind, .text = str_of(text), .word = {text + word, length}};
}

static void branches_and_notes_are_kept(void **state)
{
	struct line_writer w = writer();
	struct tarmac_event e = {.kind = TARMAC_BRANCH, .branch = {0x1234, ISA_A64}};
	char longest[1100];

	(void)state;
	check(&rev3_style, &w, &e, REST "BR (0000000000001234) O\n");
	check(&isp_style, &w, &e, "");
	e.branch.isa = ISA_T32;
	check(&rev3_style, &w, &e, REST "BR (00001234) T\n");
	e = other(TARMAC_NOTE, "12 clk cpu0 SIGNAL: IRQ\t=1 ", 12, 7);
	check(&rev3_style, &w, &e, REST "SIGNAL: IRQ?=1\n");
	e.kind = TARMAC_OPERATION;
	check(&rev3_style, &w, &e, REST "SIGNAL: IRQ?=1\n");
	check(&isp_style, &w, &e, "");
	e.kind = TARMAC_HEADER;
	check(&rev3_style, &w, &e, "");
	memset(longest, 'n', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	e = other(TARMAC_NOTE, longest, 0, 1);
	text_clear(&out);
	rev3_style.event(&w, &e);
	assert_int_equal(out.length, 20 + 1000 + 1);
}

/* A malformed line of a kind that has effects leaves a gap. */
static void malformed_line_with_effects_is_a_gap(void **state)
{
	static const char *const with[] = {"IT", "IS", "IF", "ES",  "R",  "LD",  "ST", "LA",
	                                   "SA", "SX", "MR", "MW4", "M8", "R08", "W16"};
	static const char *const without[] = {"E",     "X",    "M", "I",   "RX",
	                                      "R0088", "CADI", "L", "ITX", "X08"};
	struct line_writer w = writer();

	(void)state;
	for (size_t i = 0; i < sizeof(with) / sizeof(with[0]); i++) {
		struct tarmac_event e = other(TARMAC_UNKNOWN, with[i], 0, strlen(with[i]));

		check(&rev3_style, &w, &e, REST "E DebugEvent_TraceGap the trace is damaged\n");
		check(&isp_style, &w, &e, "7 clk E DebugEvent_TraceGap the trace is damaged\n");
	}
	for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++) {
		struct tarmac_event e = other(TARMAC_UNKNOWN, without[i], 0, strlen(without[i]));

		check(&rev3_style, &w, &e, "");
		check(&isp_style, &w, &e, "");
	}
	text_clear(&out);
	rev3_style.gap(
	        &w, &(struct gap){.reason = GAP_NO_MEMORY, .has_address = true, .address = 0x50});
	assert_string_equal(out.data,
	                    REST "E DebugEvent_TraceGap the snapshot lacks the code at 0x50\n");
}

int main(void)
{
#define T(name) cmocka_unit_test_teardown(name, tear_down)
	const struct CMUnitTest tests[] = {
	        T(instruction_has_its_columns),
	        T(instruction_of_32_bits_is_narrower),
	        T(time_stands_in_front_of_a_record),
	        T(register_has_its_digits),
	        T(memory_is_shown_in_lines_of_16_bytes),
	        T(memory_that_was_not_accessed_is_unknown),
	        T(physical_address_is_that_of_the_line),
	        T(isp_says_what_would_else_be_untrue),
	        T(exceptions_are_records_or_effects),
	        T(branches_and_notes_are_kept),
	        T(malformed_line_with_effects_is_a_gap),
	        T(instruction_of_debug_state_has_no_address),
	        T(exceptions_of_asynchronous_events_are_lines_of_theirs),
	        T(what_is_left_out_is_counted),
	        T(modes_that_the_format_has_not_are_counted),
	        T(what_isp_has_no_digits_for_is_counted),
	        T(what_rev3_leaves_out_of_a_text_is_counted),
	};
#undef T

	return cmocka_run_group_tests(tests, NULL, NULL);
}
