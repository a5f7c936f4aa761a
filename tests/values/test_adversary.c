/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the naive answer is wrong, nothing is said. Each program is a few A64 instructions whose
 * obvious reading gives the value NAIVE, or says that something is unchanged, and is false in an
 * execution that leads to the same trace and the same end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/values/solver/solver.h"
#include "replay/values/values_access.h"
#include "tests/values/adversary.h"

#define STR_X4_X2     UINT32_C(0xf9000044)
#define LD1_4_X3_64   UINT32_C(0x4cdf2060) /* ld1 {v0.16b - v3.16b}, [x3], #64 */
#define FADD_D9       UINT32_C(0x1e692929) /* fadd d9, d9, d9: its result is not followed */
#define FMOV_X3_D9    UINT32_C(0x9e660123)
#define FMOV_X4_D9    UINT32_C(0x9e660124)
#define ADD_X9_X7_X8  UINT32_C(0x8b0800e9)
#define ADD_X9_X5_X8  UINT32_C(0x8b0800a9)
#define SUB_X3_X9_X8  UINT32_C(0xcb080123)
#define SUB_X6_X9_X8  UINT32_C(0xcb080126)
#define MOV_X8_0      UINT32_C(0xd2800008)
#define MOV_X9_0      UINT32_C(0xd2800009)
#define LDR_W6_X2_4   UINT32_C(0xb9400446)
#define LDXR_W1_X2    UINT32_C(0x885f7c41)
#define STXR_W5_W1_X2 UINT32_C(0x88057c41)
#define LD1_4_X5      UINT32_C(0x4c4020a0) /* ld1 {v0.16b - v3.16b}, [x5] */

/* What a store through X3, of X4, does between a store of X1 to DATA and the end. */
static void assert_may_hit(uint32_t store)
{
	void **state = NULL;
	uint32_t code[] = {STR_X1_X2, MOV_X1_7, store, MOV_X3_0, MOV_X4_0, MOV_X5_0};
	struct program p;

	(void)state;
	begin(&p, code, 6);
	set(&p, 3, 0);
	set(&p, 4, 0);
	set(&p, 5, 0);
	run(&p);
	assert_unknown(&p, 0, 1);
	assert_true(bytes_known(&p, 1, DATA) < 8);
	end(&p);
}

static void wild_store_of_any_kind_may_have_hit(void **state)
{
	static const uint32_t stores[] = {STR_X4_X3,    STR_W4_X3, STRB_W4_X3,  STUR_X4_X3_M3,
	                                  STP_X4_X5_X3, STR_Q4_X3, STSET_X4_X3, DC_ZVA_X3,
	                                  DC_IVAC_X3,   SVE_ST1B,  SME_STR_ZA,  SETP_X3,
	                                  UNDEFINED,    TTBR0_X4};

	(void)state;
	for (size_t i = 0; i < sizeof(stores) / sizeof(stores[0]); i++)
		assert_may_hit(stores[i]);
}

/*
 * A pointer is followed over `count` words from DATA on, 0x80 bytes apart, and X4 stored where the
 * last of them points. At the end each points to the next, and the last to after them.
 */
static void follow_pointers(struct program *p, size_t count)
{
	uint32_t code[CODE_MOST] = {LDR_X0_X2};

	for (size_t i = 1; i < count; i++)
		code[i] = LDR_X0_X0;
	code[count] = STR_X4_X0;
	code[count + 1] = MOV_X0_0;
	code[count + 2] = MOV_X4_0;
	begin(p, code, count + 3);
	for (size_t i = 0; i < count; i++)
		put_u64(&p->data[0x80 * i], DATA + 0x80 * (i + 1));
	set(p, 0, 0);
	set(p, 4, 0);
	run(p);
}

/* It went there, or to one of the words that it came from: that is known of so many words alone. */
static void store_at_the_end_of_many_pointers_may_have_hit_each(void **state)
{
	struct program p;

	(void)state;
	follow_pointers(&p, POINTS_TO_MOST);
	assert_int_equal(bytes_known(&p, 0, DATA + 0x1f00), 8);
	for (size_t i = 0; i <= POINTS_TO_MOST; i++)
		assert_int_equal(bytes_known(&p, 0, DATA + 0x80 * i), 0);
	end(&p);
	/* The last word may have pointed to itself before the store. */
	follow_pointers(&p, POINTS_TO_MOST + 1);
	for (size_t i = 0; i <= POINTS_TO_MOST + 1; i++)
		assert_int_equal(bytes_known(&p, 0, DATA + 0x80 * i), 0);
	end(&p);
}

/* What a naive reading gives for X19 before the call is the value that it has after it. */
static void saved_register_may_have_been_smashed(void **state)
{
	PROGRAM(p, STR_X19_SP_M16, MOV_X19_7, STR_X4_X3, MOV_X3_0, MOV_X4_0, LDR_X19_SP_16);
	set(&p, 3, 0);
	set(&p, 4, 0);
	set(&p, 19, NAIVE);
	run(&p);
	assert_is(&p, 6, 19, NAIVE);
	assert_is(&p, 2, 19, 7);
	assert_unknown(&p, 0, 19);
	assert_unknown(&p, 1, 19);
	end(&p);
}

static void frame_that_is_used_again_says_nothing_of_the_first(void **state)
{
	PROGRAM(p, STR_X19_SP_M16, MOV_X19_7, LDR_X19_SP_16, STR_X19_SP_M16, MOV_X19_7,
	        LDR_X19_SP_16, MOV_X19_7);
	run(&p);
	/* Saved, restored and saved again: one value, which is in the dump. */
	assert_is(&p, 0, 19, NAIVE);
	end(&p);
}

static void frame_of_another_call_says_nothing(void **state)
{
	PROGRAM(p, STR_X19_SP_M16, LDR_X19_SP_16, MOV_X19_7, ADD_X1_X1_1, STR_X19_SP_M16, MOV_X19_7,
	        LDR_X19_SP_16);
	set(&p, 3, 0);
	set(&p, 4, 0);
	put_u64(&p.data[0xf0], 7);
	run(&p);
	assert_unknown(&p, 0, 19);
	assert_unknown(&p, 2, 19);
	assert_is(&p, 3, 19, 7);
	end(&p);
}

/* A load through a pointer that is lost, after a store through another one. */
static void store_through_another_name_may_have_changed_it(void **state)
{
	PROGRAM(p, LDR_X5_X2, STR_X4_X3, MOV_X5_0, MOV_X3_0, MOV_X4_0, LDR_X1_X2);
	set(&p, 1, NAIVE);
	set(&p, 3, 0);
	set(&p, 4, 0);
	set(&p, 5, 0);
	run(&p);
	assert_is(&p, 6, 1, NAIVE);
	assert_unknown(&p, 1, 5);
	end(&p);
}

static void tag_in_a_pointer_does_not_hide_what_it_points_to(void **state)
{
	PROGRAM(p, STR_X1_X2, MOV_X1_7, STR_X4_X3, MOV_X4_0);
	set(&p, 3, UINT64_C(0x5500000000008000));
	set(&p, 4, 0);
	run(&p);
	assert_unknown(&p, 0, 1);
	assert_is(&p, 0, 4, NAIVE);
	end(&p);
}

static void exclusive_store_may_have_failed(void **state)
{
	PROGRAM(p, STXR_W5_X1_X2, MOV_X1_7, MOV_X5_0);
	set(&p, 5, 0);
	run(&p);
	assert_unknown(&p, 0, 1);
	assert_int_equal(bytes_known(&p, 0, DATA), 0);
	end(&p);
}

static void exclusive_store_that_failed_stored_nothing(void **state)
{
	PROGRAM(p, STXR_W5_X1_X2, MOV_X1_7);
	set(&p, 5, 1);
	run(&p);
	assert_unknown(&p, 0, 1);
	assert_int_equal(bytes_known(&p, 0, DATA), 8);
	end(&p);
}

/* What it stores if it is done was there before. */
static void exclusive_store_of_what_was_loaded_changes_nothing(void **state)
{
	PROGRAM(p, LDXR_X1_X2, STXR_W5_X1_X2, MOV_X1_7, MOV_X5_0);
	set(&p, 5, 0);
	run(&p);
	assert_is(&p, 1, 1, NAIVE);
	end(&p);
}

static void exclusive_store_of_what_was_loaded_may_undo_another_store(void **state)
{
	PROGRAM(p, LDXR_X1_X2, STR_X4_X3, STXR_W5_X1_X2, MOV_X1_7, MOV_X3_0, MOV_X4_0, MOV_X5_0);
	set(&p, 3, 0);
	set(&p, 4, 0);
	set(&p, 5, 0);
	run(&p);
	assert_unknown(&p, 1, 1);
	end(&p);
}

/* What is found there is what it put back, and no sign of where the store before it went. */
static void exclusive_store_of_what_was_loaded_hides_what_an_older_store_left(void **state)
{
	PROGRAM(p, LDR_W6_X2_4, LDXR_W1_X2, STR_X4_X3, STXR_W5_W1_X2, MOV_X3_0, MOV_X5_0, MOV_X6_0);
	set(&p, 1, NAIVE & 0xffffffff);
	set(&p, 3, 0);
	set(&p, 4, NAIVE & ~UINT64_C(0xffffffff));
	set(&p, 5, 0);
	set(&p, 6, 0);
	run(&p);
	assert_unknown(&p, 1, 6);
	assert_int_equal(bytes_known(&p, 1, DATA), 4);
	end(&p);
}

/* Of a store between the two, whose address is found later, it is no store of the same. */
static void exclusive_store_of_what_was_loaded_may_undo_one_that_is_found_later(void **state)
{
	PROGRAM(p, ADD_X9_X7_X8, SUB_X3_X9_X8, LDXR_X1_X2, STR_X4_X3, STXR_W5_X1_X2, MOV_X3_0,
	        MOV_X4_0, MOV_X5_0, MOV_X8_0, MOV_X9_0, MOV_X1_7);
	set(&p, 3, 0);
	set(&p, 4, 0);
	set(&p, 5, 0);
	set(&p, 7, DATA);
	set(&p, 8, 0);
	set(&p, 9, 0);
	run(&p);
	assert_is(&p, 2, 3, DATA);
	assert_unknown(&p, 3, 4);
	assert_int_equal(bytes_known(&p, 4, DATA), 0);
	end(&p);
}

/* That it was done follows late, and contradicts nothing. */
static void exclusive_store_of_what_was_loaded_may_be_found_to_be_done(void **state)
{
	PROGRAM(p, LDXR_X1_X2, STXR_W5_X1_X2, ADD_X9_X5_X8, SUB_X6_X9_X8, MOV_X5_0, MOV_X8_0,
	        MOV_X9_0);
	set(&p, 1, NAIVE);
	set(&p, 5, 0);
	set(&p, 6, 0);
	set(&p, 8, 0);
	set(&p, 9, 0);
	run(&p);
	assert_is(&p, 2, 5, 0);
	assert_is(&p, 1, 1, NAIVE);
	end(&p);
}

static void exclusive_store_of_another_value_may_have_been_done(void **state)
{
	PROGRAM(p, LDXR_X1_X2, ADD_X1_X1_1, STXR_W5_X1_X2, MOV_X1_7, MOV_X5_0);
	set(&p, 5, 0);
	run(&p);
	assert_unknown(&p, 1, 1);
	end(&p);
}

static void compare_and_swap_may_have_failed(void **state)
{
	PROGRAM(p, CAS_X1_X4_X2, MOV_X1_7, MOV_X4_0);
	set(&p, 4, 0);
	run(&p);
	assert_unknown(&p, 0, 1);
	assert_unknown(&p, 0, 4);
	assert_int_equal(bytes_known(&p, 0, DATA), 0);
	end(&p);
}

static void swap_says_what_was_stored_and_not_what_was_there(void **state)
{
	PROGRAM(p, SWP_X1_X4_X2, MOV_X1_7, MOV_X4_0);
	set(&p, 4, 0);
	run(&p);
	assert_is(&p, 0, 1, NAIVE);
	assert_unknown(&p, 1, 4);
	assert_unknown(&p, 0, 4);
	assert_int_equal(bytes_known(&p, 0, DATA), 0);
	end(&p);
}

/* It may do nothing, or load, or write back. */
static void pair_that_writes_its_base_says_nothing(void **state)
{
	PROGRAM(p, LDP_X2_X3_X2_16, NOP);
	set(&p, 2, NAIVE);
	set(&p, 3, NAIVE);
	run(&p);
	assert_unknown(&p, 0, 2);
	assert_unknown(&p, 0, 3);
	assert_is(&p, 0, 1, 7);
	end(&p);
}

/* The branch says nothing of the comparison before the flags were written. */
static void written_flags_are_not_those_of_the_comparison(void **state)
{
	PROGRAM(p, CMP_X1_7, MSR_NZCV_X4, B_EQ_8, NOP, MOV_X4_0, ADD_X1_X1_1, MOV_X1_7);
	p.skipped = 3;
	set(&p, FLAGS, UINT64_C(4) << 28);
	set(&p, 4, 0);
	run(&p);
	assert_unknown(&p, 0, 1);
	end(&p);
}

static void store_into_the_next_page_which_no_dump_holds_is_not_followed(void **state)
{
	PROGRAM(p, STR_X4_X3, MOV_X4_0);
	set(&p, 3, DATA + DATA_SIZE - 4);
	set(&p, 4, 0);
	run(&p);
	assert_unknown(&p, 0, 4);
	assert_int_equal(bytes_known(&p, 0, DATA + DATA_SIZE - 8), 4);
	end(&p);
}

static void device_is_not_memory(void **state)
{
	PROGRAM(p, STR_X4_X3, MOV_X4_0, LDR_X5_X2, MOV_X2_0);
	set(&p, 2, 0);
	set(&p, 3, 0x50000);
	set(&p, 4, 0);
	run(&p);
	assert_unknown(&p, 0, 4);
	assert_int_equal(bytes_known(&p, 1, 0x50000), 0);
	end(&p);
}

/* What is in its memory at one time says nothing of any other time, whoever stored it. */
static void memory_that_a_device_may_change_is_not_followed(void **state)
{
	PROGRAM(p, MOV_X1_7, STR_X1_X2, LDR_X0_X2, MOV_X0_0, LDR_X1_X2, MOV_X1_7, LDR_X5_X2);
	const struct why_options options = {.all = false};
	const struct why_subject x1 = {.number = A64_x1};
	struct text said = {0};

	set(&p, 0, 0);
	p.changed = (struct device_range){DATA, DATA + 7};
	run(&p);
	assert_unknown(&p, 3, 0);
	assert_unknown(&p, 5, 1);
	assert_is(&p, 7, 5, 7);
	for (uint64_t position = 0; position < p.count; position++)
		assert_int_equal(bytes_known(&p, position, DATA), 0);
	assert_int_equal(bytes_known(&p, 0, DATA + 8), 8);
	assert_int_equal(why_value(p.values, 5, &x1, &options, &said), STATUS_OK);
	assert_non_null(strstr(said.data, "  0x8000 is in the memory of a device, which may change "
	                                  "it at any time (--device)\n"));
	text_fini(&said);
	end(&p);
}

/* Of a doubleword that is a device's in part the rest is memory. */
static void memory_beside_a_device_is_followed(void **state)
{
	PROGRAM(p, NOP, LDR_X1_X2, MOV_X1_7);
	struct value x1;

	p.changed = (struct device_range){DATA + 4, DATA + 5};
	run(&p);
	assert_int_equal(bytes_known(&p, 0, DATA), 4);
	values_register(p.values, 2, A64_x1, &x1);
	for (unsigned int i = 0; i < 8; i++)
		assert_int_equal(x1.known[i], i == 4 || i == 5 ? 0 : 0xff);
	end(&p);
}

/* Code after the store may be what was stored, code before it what is gone. */
static void code_that_a_wild_store_wrote_is_not_believed(void **state)
{
	PROGRAM(p, ADD_X1_X1_1, STR_X4_X3, IC_IVAU_X3, ADD_X1_X1_1, MOV_X3_0, MOV_X4_0);
	set(&p, 3, 0);
	set(&p, 4, 0);
	run(&p);
	assert_unknown(&p, 0, 1);
	end(&p);
}

/* How many of the 4 bytes of an instruction a debugger is shown. */
static size_t code_shown(struct program *p, uint64_t position, size_t instruction)
{
	uint8_t bytes[4];

	return state_memory(p->history, p->values, position, CODE + 4 * instruction, bytes, 4);
}

static void code_that_was_stored_is_not_shown_before(void **state)
{
	PROGRAM(p, NOP, STR_W4_X3, NOP, NOP);
	set(&p, 3, CODE + 8);
	set(&p, 4, NOP);
	run(&p);
	assert_int_equal(code_shown(&p, 1, 2), 0);
	assert_int_equal(code_shown(&p, 2, 2), 4);
	end(&p);
}

static void code_that_nobody_wrote_is_shown(void **state)
{
	PROGRAM(p, NOP, STR_W4_X3, NOP, MOV_X3_0);
	set(&p, 3, 0);
	run(&p);
	assert_int_equal(code_shown(&p, 0, 2), 4);
	end(&p);
}

/* Where code ran there was something else before, and may be again. */
static void data_where_code_runs_may_have_been_written(void **state)
{
	PROGRAM(p, LDR_X1_X2, MOV_X1_7, STR_X4_X3, NOP, MOV_X3_0, MOV_X4_0);
	set(&p, 2, CODE + 12);
	set(&p, 3, 0);
	set(&p, 4, 0);
	run(&p);
	assert_unknown(&p, 1, 1);
	end(&p);
}

/* The last of the opcodes is not executed: it faults. */
static void make_fault(struct program *p)
{
	p->count--;
	p->end = CODE + 4 * p->count;
	set(p, PC, p->end);
	p->faults = true;
}

/* The first half of what it stores is in the page that is there. */
static void store_that_faulted_may_have_stored_some(void **state)
{
	static const uint32_t stores[] = {STP_X4_X5_X3, STR_Q4_X3, STR_X4_X3, SVE_ST1B, SETP_X3};

	(void)state;
	for (size_t i = 0; i < sizeof(stores) / sizeof(stores[0]); i++) {
		uint32_t code[] = {NOP, NOP, stores[i]};
		struct program p;

		begin(&p, code, 3);
		make_fault(&p);
		set(&p, 3, DATA + DATA_SIZE - 8);
		run(&p);
		assert_true(bytes_known(&p, 1, DATA + DATA_SIZE - 8) < 8);
		assert_is(&p, 1, 2, DATA);
		end(&p);
	}
}

/* What the instruction before says is known all the same. */
static void branch_to_what_faulted_says_where_to(void **state)
{
	PROGRAM(p, NOP, CBZ_X1_8, NOP, STR_X4_X3);
	make_fault(&p);
	p.runs[0] = (struct run){0, 2, INSN_BRANCH, false};
	p.end = CODE + 12;
	p.count = 3;
	set(&p, PC, p.end);
	set(&p, 1, 0);
	p.registers[1].name = STR("X99");
	run(&p);
	assert_is(&p, 0, 1, 0);
	end(&p);
}

static void load_that_faulted_may_have_loaded_some(void **state)
{
	PROGRAM(p, NOP, NOP, LDP_X4_X5_X3_M16);
	make_fault(&p);
	set(&p, 3, DATA + DATA_SIZE + 8);
	run(&p);
	assert_unknown(&p, 1, 4);
	assert_is(&p, 1, 3, DATA + DATA_SIZE + 8);
	assert_int_equal(bytes_known(&p, 1, DATA + DATA_SIZE - 8), 8);
	end(&p);
}

static void instruction_that_changes_a_register_in_silence_makes_it_unknown(void **state)
{
	static const struct {
		uint32_t opcode;
		unsigned int x;
	} cases[] = {{PACIASP, 30}, {CHKFEAT_X16, 16}, {SVE_CNTB_X1, 1}, {LD64B_X0_X3, 6},
	             {SVC_0, 5},    {SETP_X3, 4},      {UNDEFINED, 9}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct program p;
		uint32_t code[] = {NOP, cases[i].opcode, NOP};

		begin(&p, code, 3);
		set(&p, 3, DATA);
		set(&p, 5, DATA);
		run(&p);
		assert_unknown(&p, 1, cases[i].x);
		assert_is(&p, 2, 0, 7);
		end(&p);
	}
}

static void flags_that_sve_sets_say_nothing_of_the_comparison(void **state)
{
	PROGRAM(p, CMP_X1_7, SVE_WHILELO, B_EQ_8, NOP, MOV_X1_7);
	p.skipped = 3;
	set(&p, FLAGS, UINT64_C(6) << 28);
	run(&p);
	assert_unknown(&p, 0, 1);
	end(&p);
}

static void streaming_mode_clears_the_vectors(void **state)
{
	uint64_t value;
	PROGRAM(p, NOP, SMSTART, NOP);
	p.registers[20] = (struct snap_register){.name = STR("V3"), .bits = 128, .value = p.data};
	run(&p);
	assert_true(is_known(&p, 2, A64_v3, &value));
	assert_false(is_known(&p, 1, A64_v3, &value));
	end(&p);
}

static void tag_store_changes_no_data(void **state)
{
	PROGRAM(p, STG_X3, NOP);
	set(&p, 3, DATA);
	run(&p);
	assert_int_equal(bytes_known(&p, 0, DATA), 8);
	assert_is(&p, 0, 1, 7);
	end(&p);
}

/* The dump ends within the word: of the bytes that it has the store leaves nothing as it was. */
static void dump_that_ends_within_a_store_loses_its_bytes(void **state)
{
	PROGRAM(p, STR_X1_X2, NOP);
	p.data_size = 4;
	set(&p, 1, NAIVE);
	run(&p);
	assert_int_equal(bytes_known(&p, 0, DATA), 0);
	assert_int_equal(bytes_known(&p, 1, DATA), 4);
	end(&p);
}

/* What an image had in data when it was loaded is not what is there at the halt. */
static void data_of_an_image_is_not_that_of_the_halt(void **state)
{
	uint8_t bytes[8];

	PROGRAM(p, LDR_X1_X2, MOV_X1_7, NOP);
	p.is_initial = true;
	run(&p);
	assert_unknown(&p, 1, 1);
	assert_int_equal(bytes_known(&p, 0, DATA), 0);
	for (uint64_t position = 0; position <= 3; position++)
		assert_int_equal(state_memory(p.history, p.values, position, DATA, bytes, 8), 0);
	assert_int_equal(code_shown(&p, 0, 2), 4);
	assert_int_equal(code_shown(&p, 3, 2), 4);
	end(&p);
}

/* What others have written since does not show that a store has not hit. */
static void store_that_another_core_may_have_covered_is_in_doubt(void **state)
{
	for (size_t others = 0; others < 2; others++) {
		static const struct values_range all = {0, 3, true};
		static const struct values_target word = {DATA, 8, false, true};
		struct values_may_alias doubt;

		PROGRAM(p, STR_X4_X3, MOV_X3_0, NOP);
		p.other_cores = others;
		set(&p, 3, 0);
		run(&p);
		values_find_may_alias(p.values, &all, &word, &doubt);
		assert_int_equal(doubt.count, others);
		end(&p);
	}
}

/*
 * The pointer was to the word that it was read from. X5 has covered it, and X4 a half of X5: that
 * this half is not what X5 left does not show that X5 was not stored there.
 */
static void store_that_another_one_has_covered_in_part_may_have_hit(void **state)
{
	PROGRAM(p, LDR_W3_X2_4, LDR_X1_X2_8, STR_X5_X6, STR_W4_X3, MOV_X3_0, MOV_X6_0);
	set(&p, 3, 0);
	set(&p, 4, 0x0badcafe);
	set(&p, 5, UINT64_C(0x5566778811223344));
	set(&p, 6, 0);
	put_u64(p.data, UINT64_C(0x556677880badcafe));
	put_u64(p.data + 8, 0x0badcafe);
	set(&p, 1, 0x0badcafe);
	run(&p);
	assert_unknown(&p, 1, 3);
	assert_int_equal(bytes_known(&p, 0, DATA), 0);
	end(&p);
}

/* X1 is stored, many words are loaded, and X1's is loaded again and overwritten. */
static void word_is_found_again_among_many(void **state)
{
	enum { LOADS = 119 };
	uint32_t code[LOADS + 5] = {STR_X1_X2, MOV_X1_7};
	struct program p;

	(void)state;
	for (size_t i = 0; i < LOADS; i++)
		code[2 + i] = LD1_4_X3_64;
	code[LOADS + 2] = LDR_X5_X2;
	code[LOADS + 3] = STR_X4_X2;
	code[LOADS + 4] = MOV_X4_0;
	begin(&p, code, LOADS + 5);
	put_u64(p.data, 4);
	set(&p, 3, DATA + 0x100 + 64 * LOADS);
	set(&p, 4, 0);
	set(&p, 5, 0x55);
	run(&p);
	assert_is(&p, 0, 1, 0x55);
	assert_is(&p, LOADS + 3, 4, 4);
	assert_int_equal(bytes_known(&p, 1, DATA), 8);
	assert_int_equal(bytes_known(&p, 0, DATA), 0);
	end(&p);
}

/* However many accesses lie after a wild store, before it nothing is known. */
static void store_that_thousands_of_accesses_follow_may_have_hit(void **state)
{
	enum { LOADS = 100, ROUNDS = 7 };
	uint32_t code[LOADS + 4] = {STR_X4_X3, MOV_X3_0, MOV_X4_0};
	struct program p;

	(void)state;
	for (size_t i = 0; i < LOADS; i++)
		code[3 + i] = LD1_4_X5;
	code[LOADS + 3] = UINT32_C(0x14000000) | (UINT32_C(0x3ffffff) & (0u - LOADS));
	begin(&p, code, LOADS + 4);
	p.runs[0] = (struct run){0, LOADS + 4, INSN_BRANCH, false};
	for (size_t i = 1; i < ROUNDS; i++)
		p.runs[i] = (struct run){3, LOADS + 1, INSN_BRANCH, false};
	p.runs[ROUNDS] = (struct run){3, 1, INSN_OTHER, false};
	p.end = CODE + 16;
	set(&p, PC, p.end);
	set(&p, 3, 0);
	set(&p, 4, 0);
	set(&p, 5, DATA + 0x800);
	run(&p);
	for (uint64_t at = DATA; at < DATA + 0x2000; at += 0x800) {
		assert_int_equal(bytes_known(&p, 1, at), 8);
		assert_int_equal(bytes_known(&p, 0, at), 0);
	}
	end(&p);
}

/* One of them in each round: after the last one all is known, before it nothing, anywhere. */
static void last_of_many_wild_stores_may_have_hit(void **state)
{
	enum { LOADS = 100, ROUNDS = 8 };
	uint32_t code[LOADS + 5] = {STR_X4_X3, FADD_D9, FMOV_X3_D9, FMOV_X4_D9};
	struct program p;

	(void)state;
	for (size_t i = 0; i < LOADS; i++)
		code[4 + i] = LD1_4_X5;
	code[LOADS + 4] = UINT32_C(0x14000000) | (UINT32_C(0x3ffffff) & (0u - (LOADS + 4)));
	begin(&p, code, LOADS + 5);
	for (size_t i = 0; i + 1 < ROUNDS; i++)
		p.runs[i] = (struct run){0, LOADS + 5, INSN_BRANCH, false};
	p.runs[ROUNDS - 1] = (struct run){0, LOADS + 4, INSN_OTHER, false};
	p.end = CODE + 4 * (LOADS + 4);
	set(&p, PC, p.end);
	set(&p, 5, DATA + 0x800);
	run(&p);
	for (uint64_t round = 0; round < ROUNDS; round++) {
		uint64_t after = (LOADS + 5) * round + 1;

		assert_int_equal(bytes_known(&p, after, DATA), round == ROUNDS - 1 ? 8 : 0);
		assert_int_equal(bytes_known(&p, after + LOADS, DATA + 0x800),
		                 round == ROUNDS - 1 ? 8 : 0);
	}
	end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(word_is_found_again_among_many),
	        cmocka_unit_test(store_that_thousands_of_accesses_follow_may_have_hit),
	        cmocka_unit_test(last_of_many_wild_stores_may_have_hit),
	        cmocka_unit_test(dump_that_ends_within_a_store_loses_its_bytes),
	        cmocka_unit_test(data_of_an_image_is_not_that_of_the_halt),
	        cmocka_unit_test(store_that_another_core_may_have_covered_is_in_doubt),
	        cmocka_unit_test(store_that_another_one_has_covered_in_part_may_have_hit),
	        cmocka_unit_test(wild_store_of_any_kind_may_have_hit),
	        cmocka_unit_test(store_at_the_end_of_many_pointers_may_have_hit_each),
	        cmocka_unit_test(saved_register_may_have_been_smashed),
	        cmocka_unit_test(frame_that_is_used_again_says_nothing_of_the_first),
	        cmocka_unit_test(frame_of_another_call_says_nothing),
	        cmocka_unit_test(store_through_another_name_may_have_changed_it),
	        cmocka_unit_test(tag_in_a_pointer_does_not_hide_what_it_points_to),
	        cmocka_unit_test(exclusive_store_may_have_failed),
	        cmocka_unit_test(exclusive_store_that_failed_stored_nothing),
	        cmocka_unit_test(exclusive_store_of_what_was_loaded_changes_nothing),
	        cmocka_unit_test(exclusive_store_of_what_was_loaded_may_undo_another_store),
	        cmocka_unit_test(exclusive_store_of_what_was_loaded_hides_what_an_older_store_left),
	        cmocka_unit_test(
	                exclusive_store_of_what_was_loaded_may_undo_one_that_is_found_later),
	        cmocka_unit_test(exclusive_store_of_what_was_loaded_may_be_found_to_be_done),
	        cmocka_unit_test(exclusive_store_of_another_value_may_have_been_done),
	        cmocka_unit_test(compare_and_swap_may_have_failed),
	        cmocka_unit_test(swap_says_what_was_stored_and_not_what_was_there),
	        cmocka_unit_test(pair_that_writes_its_base_says_nothing),
	        cmocka_unit_test(written_flags_are_not_those_of_the_comparison),
	        cmocka_unit_test(store_into_the_next_page_which_no_dump_holds_is_not_followed),
	        cmocka_unit_test(device_is_not_memory),
	        cmocka_unit_test(memory_that_a_device_may_change_is_not_followed),
	        cmocka_unit_test(memory_beside_a_device_is_followed),
	        cmocka_unit_test(code_that_a_wild_store_wrote_is_not_believed),
	        cmocka_unit_test(code_that_was_stored_is_not_shown_before),
	        cmocka_unit_test(code_that_nobody_wrote_is_shown),
	        cmocka_unit_test(data_where_code_runs_may_have_been_written),
	        cmocka_unit_test(store_that_faulted_may_have_stored_some),
	        cmocka_unit_test(branch_to_what_faulted_says_where_to),
	        cmocka_unit_test(load_that_faulted_may_have_loaded_some),
	        cmocka_unit_test(instruction_that_changes_a_register_in_silence_makes_it_unknown),
	        cmocka_unit_test(flags_that_sve_sets_say_nothing_of_the_comparison),
	        cmocka_unit_test(streaming_mode_clears_the_vectors),
	        cmocka_unit_test(tag_store_changes_no_data),
	};

	int failed = cmocka_run_group_tests_name("nothing assumed", tests, NULL, NULL);

	assumes_abi = true;
	return failed + cmocka_run_group_tests_name("abi", tests, NULL, NULL);
}
