/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of why a value of the past is known: the whole text, of small A64 programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/values/explain/explain.h"
#include "tests/values/made_a64.h"
#include "tests/values/made_element.h"

#define NOP          UINT32_C(0xd503201f)
#define ADD_X1_X1_X2 UINT32_C(0x8b020021)
#define ADD_X1_X1_X3 UINT32_C(0x8b030021)
#define ADD_X1_X1_X4 UINT32_C(0x8b040021)
#define ADD_X1_X1_X5 UINT32_C(0x8b050021)
#define ADD_X1_X1_X6 UINT32_C(0x8b060021)
#define ADD_X1_X1_X7 UINT32_C(0x8b070021)
#define AND_X1_X4_3  UINT32_C(0x92400481)
#define AND_X1_X4_31 UINT32_C(0x92401081)
#define UNDEFINED    UINT32_C(0x80800000) /* SME left it unallocated */
#define STR_W1_X2    UINT32_C(0xb9000041)

static const struct why_subject x0 = {.number = A64_x0};
static const struct why_subject x1 = {.number = A64_x1};
static const struct why_subject data_word = {.is_memory = true, .address = DATA_AT + 3};

static void assert_says(struct program *p, uint64_t position, struct why_subject subject,
                        const char *expected)
{
	const struct why_options options = {.all = false};
	struct text said = {0};

	assert_int_equal(why_value(p->values, position, &subject, &options, &said), STATUS_OK);
	assert_string_equal(said.data, expected);
	text_fini(&said);
}

static void why_result_says_the_operand(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, ADD_X1_X1_5, ADD_X1_X1_1);
	run(&p, COUNT);
	assert_says(&p, 0, x1,
	            "x1 at position 0 is 0xfa, proved:\n"
	            "  0  0x1000  add x1, x1, #5: x1 = 0xfa, from its result\n"
	            "  1  0x1004  add x1, x1, #1: x1 = 0xff, from its result\n"
	            "  2  the halt: x1 = 0x100 in the snapshot\n");
	end(&p);
}

/* What the call keeps is X19's, which has it from X3; after the call X3 has something else. */
static void why_kept_register_is_that_of_the_call(void **state)
{
	static const struct why_subject x3 = {.number = A64_x3};
	const struct element elements[] = {
	        range(CODE, 4, INSN_BRANCH_INDIRECT, true),
	        range(CODE + 20, 2, INSN_BRANCH_INDIRECT, true),
	        range(CODE + 16, 1, INSN_OTHER, true),
	};
	struct program p;

	(void)state;
	BEGIN(&p, UINT32_C(0x8b040063), UINT32_C(0xaa0303f3), UINT32_C(0xd2800003),
	      UINT32_C(0x94000002), NOP, UINT32_C(0xf9400053), UINT32_C(0xd65f03c0));
	p.options.abi = true;
	put_u64(p.x[AT_X19], UINT64_C(0x1122334455667788));
	put_u64(p.x[AT_LR], CODE + 16);
	put_u64(p.x[AT_PC], CODE + 20);
	leads_to(CODE + 20);
	finish(&p, elements, 3);
	assert_says(
	        &p, 1, x3,
	        "x3 at position 1 is 0x1122334455667788, assumed:\n"
	        "  6  0x1010  nop: x19 = 0x1122334455667788, since the call before it keeps it: "
	        "assumed\n"
	        "  7  the halt: x19 = 0x1122334455667788 in the snapshot\n"
	        "  this is assumed, and not proved: it rests on abi (functions keep the registers "
	        "that the procedure call standard says they keep, and their frames; constants "
	        "beside code are kept)\n");
	end(&p);
}

/* Nothing but the instructions says it: the halt has another X1. */
static void why_constant_is_followed_forward(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, MOV_X1_7, ADD_X1_X1_5, MOV_X0_1, MOV_X1_7);
	put_u64(p.x[0], 1);
	put_u64(p.x[1], 7);
	run(&p, COUNT);
	assert_says(&p, 2, x1,
	            "x1 at position 2 is 0xc, proved:\n"
	            "  1  0x1004  add x1, x1, #5: x1 = 0xc\n"
	            "  0  0x1000  movz x1, #0x7: 0x7 is in the instruction\n");
	end(&p);
}

static void why_memory_is_that_of_the_dump(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, NOP, NOP);
	run(&p, COUNT);
	assert_says(&p, 1, data_word,
	            "the 8 bytes at 0x8000, 0x1122334455667788, are proved:\n"
	            "  1  from here to the halt nothing writes 0x8000, which the dump has\n");
	end(&p);
}

static void why_store_and_load_are_linked(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, STR_X1_X2, MOV_X1_7, LDR_X0_X2, STR_X4_X2, NOP, MOV_X4_0);
	put_u64(p.x[0], 0x55);
	put_u64(p.x[1], 7);
	put_u64(p.x[4], 0);
	run(&p, COUNT);
	assert_says(&p, 0, x1,
	            "x1 at position 0 is 0x55, proved:\n"
	            "  0  0x1000  str x1, [x2]: stored 0x55 at 0x8000\n"
	            "  1  from here to 2 nothing writes 0x8000\n"
	            "  2  0x1008  ldr x0, [x2]: what it loads is known: it reads 0x8000\n"
	            "  6  the halt: x0 = 0x55 in the snapshot\n");
	assert_says(&p, 1, data_word,
	            "the 8 bytes at 0x8000, 0x55, are proved:\n"
	            "  2  0x1008  ldr x0, [x2]: what it loads is known: it reads 0x8000\n"
	            "  6  the halt: x0 = 0x55 in the snapshot\n");
	end(&p);
}

static void why_load_is_of_the_dump(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, LDR_X1_X2, MOV_X1_7);
	put_u64(p.x[1], 7);
	run(&p, COUNT);
	assert_says(&p, 1, x1,
	            "x1 at position 1 is 0x1122334455667788, proved:\n"
	            "  0  0x1000  ldr x1, [x2]: loaded 0x1122334455667788 from 0x8000\n"
	            "  1  from here to the halt nothing writes 0x8000, which the dump has: "
	            "0x1122334455667788\n");
	end(&p);
}

/* Of a word four bytes are overwritten: the others are known, and said to be. */
static void why_word_that_is_known_in_part(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, NOP, STR_W1_X2);
	put_u64(p.x[1], 0x55667788);
	run(&p, COUNT);
	assert_says(
	        &p, 0, data_word,
	        "the 8 bytes at 0x8000, 0x1122334400000000 in the bits 0xffffffff00000000, are "
	        "not all known:\n"
	        "  1  0x1004  str w1, [x2]: overwrites it, and nobody had read it: 0x8000\n"
	        "  0  nothing is known to have been there from here on, where what is looked at "
	        "begins\n");
	end(&p);
}

/* CBZ X0 that was taken, or was not; the other way nothing is known of X0. */
static void why_branch_says_its_condition(void **state)
{
	const struct element elements[] = {
	        range(CODE, 1, INSN_BRANCH, true),
	        range(CODE + 8, 1, INSN_OTHER, true),
	};
	struct program p;

	(void)state;
	BEGIN(&p, CBZ_X0_2, MOV_X1_7, MOV_X0_1);
	put_u64(p.x[0], 1);
	finish(&p, elements, 2);
	assert_says(&p, 0, x0,
	            "x0 at position 0 is 0x0, proved:\n"
	            "  0  0x1000  cbz x0, 0x1008: x0 = 0x0, from its result\n"
	            "  0  0x1000  cbz x0, 0x1008: it was taken\n");
	end(&p);
}

static void why_branch_says_where_its_register_points(void **state)
{
	const struct element elements[] = {
	        range(CODE, 1, INSN_BRANCH_INDIRECT, true),
	        range(CODE + 8, 1, INSN_OTHER, true),
	};
	struct program p;

	(void)state;
	BEGIN(&p, BR_X1, MOV_X4_0, MOV_X1_7);
	put_u64(p.x[1], 7);
	finish(&p, elements, 2);
	/* A core may ignore the top byte. */
	assert_says(
	        &p, 0, x1,
	        "x1 at position 0 is not known:\n"
	        "  x1 is 0x1008 in the bits 0xffffffffffffff\n"
	        "  1  0x1008  movz x1, #0x7: overwrites it, and nothing before says what it was\n"
	        "  0  it is from before what is looked at\n");
	end(&p);
}

/* Of one of the two the handler follows. */
static void why_exception_says_whether_its_handler_was_traced(void **state)
{
	static const struct {
		uint32_t number; /* an alignment fault, a reset */
		uint64_t to;
		const char *expected;
	} cases[] = {
	        {10, CODE + 4, "an exception whose handler was not traced"},
	        {0, CODE + 8, "an exception, at which not all that it changes is known"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct element elements[] = {
		        range(CODE, 1, INSN_OTHER, true),
		        exception(cases[i].number, CODE + 4),
		        range(cases[i].to, 1, INSN_OTHER, true),
		};
		const struct why_options options = {.all = false};
		struct text said = {0};
		struct program p;

		BEGIN(&p, NOP, NOP, NOP);
		finish(&p, elements, 3);
		assert_int_equal(why_value(p.values, 0, &x1, &options, &said), STATUS_OK);
		assert_non_null(strstr(said.data, cases[i].expected));
		text_fini(&said);
		end(&p);
	}
}

static void assert_second_line(struct program *p, const char *expected)
{
	const struct why_options options = {.all = false};
	struct text said = {0};
	char *line;

	assert_int_equal(why_value(p->values, 1, &x1, &options, &said), STATUS_OK);
	line = strchr(said.data, '\n') + 1;
	*strchr(line, '\n') = '\0';
	assert_string_equal(line, expected);
	text_fini(&said);
}

static void why_lists_what_is_possible_where_that_is_little(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, AND_X1_X4_3, MOV_X4_0, MOV_X1_7);
	put_u64(p.x[1], 7);
	put_u64(p.x[4], 0);
	run(&p, COUNT);
	assert_second_line(&p, "  x1 is one of 4: 0x0, 0x1, 0x2, 0x3");
	end(&p);
}

static void why_lists_no_more_than_sixteen(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, AND_X1_X4_31, MOV_X4_0, MOV_X1_7);
	put_u64(p.x[1], 7);
	put_u64(p.x[4], 0);
	run(&p, COUNT);
	assert_second_line(&p, "  x1 is 0x0 in the bits 0xffffffffffffffe0");
	end(&p);
}

/* 16 lines are shown, or as many as there are. */
static void why_chain_is_cut_after_sixteen_lines(void **state)
{
	static const char cut[] = "  ... (`why -v` shows more)\n";
	uint32_t opcodes[CODE_MOST];

	(void)state;
	for (size_t i = 0; i < CODE_MOST; i++)
		opcodes[i] = ADD_X1_X1_1;
	for (size_t count = CODE_MOST - 1; count <= CODE_MOST; count++) {
		for (unsigned int all = 0; all < 2; all++) {
			const struct why_options options = {.all = all != 0};
			bool is_cut = count == CODE_MOST && !all;
			struct text said = {0};
			struct program p;
			size_t lines = 0;

			begin(&p, opcodes, count);
			run(&p, count);
			assert_int_equal(why_value(p.values, 0, &x1, &options, &said), STATUS_OK);
			for (size_t i = 0; i < said.length; i++)
				lines += said.data[i] == '\n';
			/* The first line, one an addition, the halt. */
			assert_int_equal(lines, is_cut ? 1 + 16 + 1 : count + 2);
			assert_int_equal(strstr(said.data, cut) != NULL, is_cut);
			assert_int_equal(strstr(said.data, "the halt") != NULL, !is_cut);
			text_fini(&said);
			end(&p);
		}
	}
}

/* What it rests on is in a list of four, and how many there are more. */
static void why_disagreement_lists_four_that_it_rests_on(void **state)
{
	struct program p;
	struct text said = {0};

	(void)state;
	BEGIN(&p, MOV_X1_7, ADD_X1_X1_X3, ADD_X1_X1_X4, ADD_X1_X1_X5, ADD_X1_X1_X6, ADD_X1_X1_X7);
	run(&p, COUNT); /* X3 to X7 are 0, and X1 is 0x100 at the halt */
	assert_unknown(&p, 0, 1);
	why_trouble(p.values, &said);
	/* At position 2 what comes forward meets what comes back over four additions. */
	assert_string_equal(
	        said.data,
	        "snapshot and trace disagree at position 1: no value of the past is "
	        "shown\n"
	        "  x1 is 0x100 at position 2, from x1 at the halt, x7 at the halt, x6 at "
	        "the halt, x5 at the halt and 1 more\n"
	        "  x1 is 0x7 at position 2, from the instruction at 0, x3 at the halt");
	text_fini(&said);
	end(&p);
}

/* What X1 was there is overwritten after it, and from before nothing leads there. */
static void why_value_after_what_kills_names_it(void **state)
{
	const struct why_options options = {.all = false};
	const struct element gap[] = {range(CODE, 1, INSN_OTHER, true),
	                              {.type = ELEMENT_TRACE_ON},
	                              range(CODE + 4, 2, INSN_OTHER, true)};
	const struct element none[] = {range(CODE, 3, INSN_OTHER, true)};

	(void)state;
	for (unsigned int is_gap = 0; is_gap < 2; is_gap++) {
		struct text said = {0};
		struct program p;

		BEGIN(&p, UNDEFINED, NOP, MOV_X1_7);
		put_u64(p.x[1], 7);
		finish(&p, is_gap ? gap : none, is_gap ? 3 : 1);
		assert_int_equal(why_value(p.values, 1, &x1, &options, &said), STATUS_OK);
		assert_non_null(strstr(said.data,
		                       "x1 at position 1 is not known:\n"
		                       "  2  0x1008  movz x1, #0x7: overwrites it, and nothing "
		                       "before says what it was\n"));
		assert_non_null(strstr(
		        said.data,
		        is_gap ? ": nothing is known to be the same before and after it\n"
		               : ": an opcode that the tables do not have: anything may have "
		                 "changed\n"));
		text_fini(&said);
		end(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(why_result_says_the_operand),
	        cmocka_unit_test(why_kept_register_is_that_of_the_call),
	        cmocka_unit_test(why_constant_is_followed_forward),
	        cmocka_unit_test(why_memory_is_that_of_the_dump),
	        cmocka_unit_test(why_store_and_load_are_linked),
	        cmocka_unit_test(why_load_is_of_the_dump),
	        cmocka_unit_test(why_word_that_is_known_in_part),
	        cmocka_unit_test(why_branch_says_its_condition),
	        cmocka_unit_test(why_branch_says_where_its_register_points),
	        cmocka_unit_test(why_exception_says_whether_its_handler_was_traced),
	        cmocka_unit_test(why_lists_what_is_possible_where_that_is_little),
	        cmocka_unit_test(why_lists_no_more_than_sixteen),
	        cmocka_unit_test(why_chain_is_cut_after_sixteen_lines),
	        cmocka_unit_test(why_disagreement_lists_four_that_it_rests_on),
	        cmocka_unit_test(why_value_after_what_kills_names_it),
	};

	(void)open_fixture;
	(void)run_of;
	(void)x1_value;
	(void)assert_is;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
