/* SPDX-License-Identifier: Apache-2.0 */
/* What functions keep, assumed or not, and what is said where provenances disagree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/values/adversary.h"

/* Instruction 0 calls number 2, which goes on to the last and returns to 1; the halt is after it.
 */
static void make_call(struct program *p)
{
	p->runs[0] = (struct run){0, 1, INSN_BRANCH, false};
	p->runs[1] = (struct run){2, p->count - 2, INSN_BRANCH_INDIRECT, false};
	p->runs[2] = (struct run){1, 1, INSN_OTHER, false};
	p->end = CODE + 8;
	set(p, PC, p->end);
	set(p, 30, CODE + 4);
}

/* What is said last of why something is not known. */
static void assert_why_ends(struct program *p, uint64_t position, struct why_subject subject,
                            const char *expected)
{
	const struct why_options options = {.all = false};
	struct text said = {0};

	assert_int_equal(why_value(p->values, position, &subject, &options, &said), STATUS_OK);
	assert_true(said.length > strlen(expected));
	assert_string_equal(said.data + said.length - strlen(expected), expected);
	text_fini(&said);
}

static void make_smashed(struct program *p)
{
	make_call(p);
	set(p, 3, 0);
	set(p, 4, 0);
	put_u64(&p->data[0xf0], 7);
	put_u64(&p->data[0xf8], CODE + 4);
}

/*
 * By the assumption the frame is what it was: a wild store that did hit it would make that wrong,
 * and what follows from it. This and the next two are all that the assumption can be wrong in.
 */
static void frame_of_a_call_that_returned_may_have_been_smashed(void **state)
{
	PROGRAM(p, BL_8, NOP, PUSH_FRAME, STR_X4_X3, MOV_X3_0, MOV_X4_0, POP_FRAME, RET);
	make_smashed(&p);
	run(&p);
	assert_int_equal(bytes_known(&p, 3, DATA + 0xf0), 8);
	assert_int_equal(bytes_known(&p, 2, DATA + 0xf0), assumes_abi ? 8 : 0);
	assert_unknown(&p, 2, 4);
	if (assumes_abi)
		assert_is(&p, 0, 29, 7);
	else
		assert_unknown(&p, 0, 29);
	end(&p);
}

/* So that a user knows what to assume, if he wants to. */
static void assumption_under_which_a_value_is_known_is_named(void **state)
{
	PROGRAM(p, BL_8, NOP, PUSH_FRAME, STR_X4_X3, MOV_X3_0, MOV_X4_0, POP_FRAME, RET);
	const struct why_subject x29 = {.number = A64_x29};
	const struct why_subject frame = {.is_memory = true, .address = DATA + 0xf0};

	make_smashed(&p);
	p.other_cores = 1;
	run(&p);
	if (assumes_abi) {
		assert_why_ends(&p, 2, frame,
		                "  assuming single-writer, which is off, it is 0x7\n"
		                "  assuming stack-private, which is off, it is 0x7\n");
	} else {
		assert_why_ends(&p, 0, x29, "  assuming abi, which is off, it is 0x7\n");
		assert_why_ends(&p, 2, frame, "  with every assumption on, it is 0x7\n");
	}
	end(&p);
}

/* SP is DATA + 0x20; X29 leads to a record at DATA + 0x40. */
static void make_frame(struct program *p, uint64_t return_address)
{
	put_u64(&p->code[4 * (CODE_MOST - 2)], BL_8);
	set(p, SP, DATA + 0x20);
	set(p, 3, 0);
	set(p, 4, 0);
	set(p, 29, DATA + 0x40);
	put_u64(&p->data[0x40], 0);
	put_u64(&p->data[0x48], return_address);
}

enum { BEHIND_BL = CODE + 4 * (CODE_MOST - 1) };

static void frame_that_is_active_may_have_been_smashed(void **state)
{
	PROGRAM(p, STR_X4_X3, MOV_X3_0, MOV_X4_0);
	make_frame(&p, BEHIND_BL);
	run(&p);
	assert_int_equal(bytes_known(&p, 0, DATA + 0x40), assumes_abi ? 8 : 0);
	assert_int_equal(bytes_known(&p, 0, DATA + 0x50), 0);
	assert_int_equal(bytes_known(&p, 0, DATA + 0x38), 0);
	end(&p);
}

/* A core may ignore the top byte of the address. */
static void return_address_may_have_a_tag(void **state)
{
	PROGRAM(p, RET, NOP, MOV_X30_0);
	p.runs[0] = (struct run){0, 1, INSN_BRANCH_INDIRECT, false};
	p.runs[1] = (struct run){2, 1, INSN_OTHER, false};
	set(&p, 30, 0);
	run(&p);
	if (assumes_abi)
		assert_is(&p, 0, 30, CODE + 8);
	else
		assert_unknown(&p, 0, 30);
	end(&p);
}

/* It may be the one that made the frame. */
static void store_through_sp_may_have_made_the_frame(void **state)
{
	PROGRAM(p, STR_X4_SP_X3, MOV_X3_0, MOV_X4_0);
	make_frame(&p, BEHIND_BL);
	run(&p);
	assert_int_equal(bytes_known(&p, 0, DATA + 0x40), 0);
	assert_int_equal(bytes_known(&p, 1, DATA + 0x40), 8);
	end(&p);
}

static void record_that_no_call_made_is_no_frame(void **state)
{
	PROGRAM(p, STR_X4_X3, MOV_X3_0, MOV_X4_0);
	make_frame(&p, BEHIND_BL + 4);
	run(&p);
	assert_int_equal(bytes_known(&p, 0, DATA + 0x40), 0);
	end(&p);
}

/* What lay there before the frame was made is not kept by it. */
static void frame_says_nothing_of_what_was_there_before(void **state)
{
	uint64_t value;

	PROGRAM(p, LDR_X5_X2, STR_X4_X3, MOV_X3_0, MOV_X4_0, LDR_X1_X2, STR_X1_X2, MOV_X1_7,
	        MOV_X5_0);
	make_frame(&p, BEHIND_BL);
	set(&p, 2, DATA + 0x40);
	set(&p, 5, 0);
	run(&p);
	assert_true(is_known(&p, 5, A64_x1, &value));
	assert_unknown(&p, 1, 5);
	end(&p);
}

/* The frame was made by the last of the stores that are known to go there, not by the first. */
static void frame_is_kept_from_the_last_store_to_it_on(void **state)
{
	PROGRAM(p, STR_X1_X2, STR_X4_X3, MOV_X3_0, MOV_X4_0, STR_X1_X2, NOP);
	make_frame(&p, BEHIND_BL);
	set(&p, 1, 0);
	set(&p, 2, DATA + 0x40);
	run(&p);
	assert_int_equal(bytes_known(&p, 1, DATA + 0x40), 8);
	assert_int_equal(bytes_known(&p, 2, DATA + 0x40), 0);
	assert_int_equal(bytes_known(&p, 4, DATA + 0x40), 0);
	assert_int_equal(bytes_known(&p, 5, DATA + 0x40), 8);
	end(&p);
}

/* Nothing is known, and of what contradicts each other all of `expected` is said. */
static void assert_disagrees(struct program *p, const char *expected)
{
	const struct why_options options = {.all = false};
	const struct why_subject subject = {.number = A64_x0};
	struct text said = {0};

	assert_unknown(p, 0, 2);
	assert_unknown(p, 1, 7);
	why_trouble(p->values, &said);
	text_char(&said, '\n');
	assert_int_equal(why_value(p->values, 0, &subject, &options, &said), STATUS_OK);
	assert_string_equal(said.data, expected);
	text_fini(&said);
	values_destroy(p->values);
	history_destroy(p->history);
	memmap_destroy(p->core.memory);
}

/* The assumption is given up, and of what contradicts it all of `expected` is said. */
static void assert_given_up(struct program *p, const char *expected)
{
	struct text said = {0};

	why_given_up(p->values, &said);
	assert_string_equal(said.data, expected);
	text_fini(&said);
}

/*
 * It stores 0, and NAIVE is found there: so the store of X1 is what wrote it. That it goes there
 * shows later, where its address comes forward from the start.
 */
static void store_of_another_value_than_is_found_disagrees(void **state)
{
	PROGRAM(p, MOV_X3_7FF8, ADD_X3_X3_8, MOV_X4_0, STR_X1_X2, MOV_X1_7, STR_X4_X3, MOV_X3_0);
	set(&p, 3, 0);
	set(&p, 4, 0);
	run(&p);
	assert_disagrees(
	        &p,
	        "snapshot and trace disagree at position 5: no value of the past is shown\n"
	        "  the store at position 5 goes to 0x8000, from the instruction at 0\n"
	        "  it does not go there, from the instruction at 2, the doubleword at 0x8000 in "
	        "the "
	        "dump\n"
	        "snapshot and trace disagree, found at position 5: no value of the past is shown\n"
	        "the store at position 5 goes to 0x8000:\n"
	        "  5  0x1014  str x4, [x3]: writes 0x8000\n"
	        "  1  0x1004  add x3, x3, #8: x3 = 0x8000\n"
	        "  0  0x1000  movz x3, #0x7ff8: 0x7ff8 is in the instruction\n"
	        "and yet it does not go there:\n"
	        "  5  0x1014  str x4, [x3]: what it stores is not what is found there\n"
	        "  2  0x1008  movz x4, #0: 0x0 is in the instruction\n"
	        "  4  from here to the halt nothing writes 0x8000, which the dump has: "
	        "0x1122334455667788\n");
}

/* The frame record at DATA + 0x40 is one that no store hits, and with what is found there this one
 * does. */
static void store_over_a_frame_that_is_kept_disagrees(void **state)
{
	PROGRAM(p, LDR_X5_X2, ADD_X3_X5_X6, STR_X4_X3, MOV_X3_0, MOV_X4_0, MOV_X5_0);
	make_frame(&p, BEHIND_BL);
	set(&p, 2, DATA + 0x40);
	set(&p, 5, 0);
	set(&p, 6, DATA + 0x40);
	run(&p);
	assert_unknown(&p, 1, 5);
	assert_is(&p, 1, 2, DATA + 0x40);
	if (assumes_abi)
		assert_given_up(
		        &p, "the assumption abi does not hold at position 2: it is given up here, "
		            "and what rests on it is not shown\n"
		            "  the store at position 2 goes to 0x8040, from the doubleword at "
		            "0x8040 in the dump, x2 at the halt, x6 at the halt\n"
		            "  it does not go there, from the assumption abi for 0x8040, the "
		            "doubleword at 0x8040 in the dump");
	end(&p);
}

/* X19 is 7 before the call and 0 after it. */
static void register_that_a_call_does_not_keep_disagrees(void **state)
{
	PROGRAM(p, MOV_X19_7, BL_8, NOP, MOV_X19_0, RET);
	set(&p, 19, 0);
	p.runs[0] = (struct run){0, 2, INSN_BRANCH, false};
	p.runs[1] = (struct run){3, 2, INSN_BRANCH_INDIRECT, false};
	p.runs[2] = (struct run){2, 1, INSN_OTHER, false};
	p.end = CODE + 12;
	set(&p, PC, p.end);
	set(&p, 30, CODE + 8);
	run(&p);
	assert_is(&p, 2, 19, 7);
	assert_is(&p, 4, 19, 0);
	assert_unknown(&p, 0, 19);
	if (assumes_abi)
		assert_given_up(
		        &p, "the assumption abi does not hold at position 4: it is given up here, "
		            "and what rests on it is not shown\n"
		            "  x19 is 0x7 at position 1, from the instruction at 0\n"
		            "  x19 is 0x0 at position 1, from the assumption abi for the call "
		            "before at 4, the instruction at 2");
	end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(frame_of_a_call_that_returned_may_have_been_smashed),
	        cmocka_unit_test(assumption_under_which_a_value_is_known_is_named),
	        cmocka_unit_test(frame_that_is_active_may_have_been_smashed),
	        cmocka_unit_test(return_address_may_have_a_tag),
	        cmocka_unit_test(store_through_sp_may_have_made_the_frame),
	        cmocka_unit_test(record_that_no_call_made_is_no_frame),
	        cmocka_unit_test(frame_says_nothing_of_what_was_there_before),
	        cmocka_unit_test(frame_is_kept_from_the_last_store_to_it_on),
	        cmocka_unit_test(store_of_another_value_than_is_found_disagrees),
	        cmocka_unit_test(store_over_a_frame_that_is_kept_disagrees),
	        cmocka_unit_test(register_that_a_call_does_not_keep_disagrees),
	};

	int failed = cmocka_run_group_tests_name("nothing assumed", tests, NULL, NULL);

	assumes_abi = true;
	return failed + cmocka_run_group_tests_name("abi", tests, NULL, NULL);
}
