/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of the past, on small programs: what is proved, and what is not although it looks so. In
 * all of them X2 is 0x8000 at the halt, an address of data that the dump holds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/values/explain/explain.h"
#include "replay/values/solver/solver.h"
#include "tests/support/opcode_rows.h"
#include "tests/values/made_a64.h"
#include "tests/values/made_element.h"

enum { ALIGNMENT = 10 };

static void solve_sum_is_inverted(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, ADD_X1_X1_5, ADD_X1_X1_1);
	run(&p, COUNT);
	assert_is(&p, 0, 1, 0x100 - 6);
	assert_is(&p, 1, 1, 0x100 - 1);
	assert_is(&p, 2, 1, 0x100);
	assert_is(&p, 0, 2, DATA_AT);
	end(&p);
}

/* What Linux does at each exception entry: SP is what it was, whatever X0 is. */
static void solve_sums_that_cancel_leave_what_was(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, ADD_SP_SP_X0, SUB_X0_SP_X0, SUB_X0_SP_X0, SUB_SP_SP_X0, MOV_X0_1);
	put_u64(p.x[0], 1);
	run(&p, COUNT);
	assert_is(&p, 0, 31, DATA_AT + 16);
	assert_unknown(&p, 1, 31);
	assert_is(&p, 2, 0, DATA_AT + 16);
	assert_unknown(&p, 0, 0);
	end(&p);
}

/* What is taken off is another register than what was added. */
static void solve_sums_of_others_do_not_cancel(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, ADD_SP_SP_X0, SUB_SP_SP_X3, MOV_X0_1, MOV_X3_0);
	put_u64(p.x[0], 1);
	put_u64(p.x[3], 0);
	run(&p, COUNT);
	assert_unknown(&p, 0, 31);
	assert_unknown(&p, 1, 31);
	end(&p);
}

/* Constants that were added count; what is left may be a constant alone. */
static void solve_sums_that_cancel_leave_constants(void **state)
{
	struct program p;

	(void)state;
	/* x1 = x0 - x3 + 5 + x3 - x0 */
	BEGIN(&p, SUB_X1_X0_X3, ADD_X1_X1_5, ADD_X1_X3_X1, SUB_X1_X1_X0, MOV_X1_7, MOV_X0_1,
	      MOV_X3_0);
	put_u64(p.x[0], 1);
	put_u64(p.x[1], 7);
	put_u64(p.x[3], 0);
	run(&p, COUNT);
	assert_is(&p, 4, 1, 5);
	assert_unknown(&p, 3, 1);
	end(&p);
}

/* x0 - (x0 - x3) is x3. */
static void solve_difference_of_a_difference_is_what_was_taken(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, SUB_X1_X0_X3, SUB_X3_X0_X1, MOV_X0_1, MOV_X1_7);
	put_u64(p.x[0], 1);
	put_u64(p.x[1], 7);
	put_u64(p.x[3], 0x77);
	run(&p, COUNT);
	assert_is(&p, 0, 3, 0x77);
	assert_unknown(&p, 0, 0);
	end(&p);
}

static void solve_overwritten_register_is_unknown(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, MOV_X1_7, ADD_X1_X1_1);
	put_u64(p.x[1], 8);
	run(&p, COUNT);
	assert_unknown(&p, 0, 1);
	assert_is(&p, 1, 1, 7);
	end(&p);
}

static void solve_stored_value_is_read_from_the_dump(void **state)
{
	struct program p;
	uint8_t bytes[8];

	(void)state;
	BEGIN(&p, STR_X1_X2, MOV_X1_7);
	put_u64(p.x[1], 7);
	run(&p, COUNT);
	assert_is(&p, 0, 1, STORED);
	/* What the store has overwritten is lost, what is beside it was always there. */
	assert_int_equal(values_memory(p.values, 0, DATA_AT, bytes, 8), 0);
	assert_int_equal(values_memory(p.values, 1, DATA_AT, bytes, 8), 8);
	assert_int_equal(values_memory(p.values, 0, DATA_AT + 8, bytes, 8), 8);
	assert_int_equal(values_memory(p.values, 0, DATA_AT + 16, bytes, 8), 0);
	end(&p);
}

static void solve_other_writer_makes_memory_unknown(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, STR_X1_X2, MOV_X1_7);
	put_u64(p.x[1], 7);
	p.options = values_options_of(2);
	run(&p, COUNT);
	assert_unknown(&p, 0, 1);
	assert_is(&p, 1, 2, DATA_AT);
	end(&p);
}

static void solve_overwritten_memory_is_unknown(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, STR_X1_X2, MOV_X1_7, STR_X4_X2, MOV_X4_0);
	put_u64(p.x[1], 7);
	put_u64(p.x[4], 0);
	run(&p, COUNT);
	assert_unknown(&p, 0, 1);
	assert_is(&p, 0, 4, STORED);
	end(&p);
}

static void solve_wild_store_may_have_hit(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, STR_X1_X2, MOV_X1_7, STR_X4_X3, MOV_X3_0, MOV_X4_0);
	put_u64(p.x[1], 7);
	run(&p, COUNT);
	assert_unknown(&p, 0, 1);
	assert_unknown(&p, 0, 4);
	end(&p);
}

static void solve_store_of_another_value_has_not_hit(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, STR_X1_X2, MOV_X1_7, MOV_X4_0, STR_X4_X3, MOV_X3_0);
	put_u64(p.x[1], 7);
	run(&p, COUNT);
	assert_is(&p, 0, 1, STORED);
	end(&p);
}

/*
 * X0 is read from X2, something is stored there, and X0 is read again. The store may have hit what
 * X0 was read from, or it has left it alone: it has not hit what lies beside it.
 */
static void solve_store_through_a_spilled_pointer_hits_it_or_its_target(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, STR_X1_X2_8, MOV_X1_7, LDR_X0_X2, STR_X4_X0, LDR_X0_X2, MOV_X4_0);
	put_u64(p.x[0], STORED);
	put_u64(p.x[1], 7);
	put_u64(p.x[4], 0);
	run(&p, COUNT);
	assert_is(&p, 0, 1, STORED);
	/* X0 may have been X2 itself, and X4 what is found there now. */
	assert_unknown(&p, 3, 0);
	assert_unknown(&p, 3, 4);
	end(&p);
}

/* As before, but four bytes: had it hit the pointer, the rest of that would show. */
static void solve_store_that_would_show_in_its_pointer_went_to_the_target(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, STR_X1_X2_8, MOV_X1_7, LDR_X0_X2, STR_W4_X0, LDR_X0_X2, MOV_X4_0);
	put_u64(p.x[0], STORED);
	put_u64(p.x[1], 7);
	put_u64(p.x[4], 0);
	run(&p, COUNT);
	assert_is(&p, 0, 1, STORED);
	assert_is(&p, 3, 0, STORED);
	end(&p);
}

/* A second wild store in between: then the first may have gone anywhere. */
static void solve_pointer_that_may_be_overwritten_says_nothing_of_its_target(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, STR_X1_X2_8, MOV_X1_7, LDR_X0_X2, STR_X4_X0, STR_X4_X3, LDR_X0_X2, MOV_X3_0,
	      MOV_X4_0);
	put_u64(p.x[0], STORED);
	put_u64(p.x[1], 7);
	put_u64(p.x[3], 0);
	put_u64(p.x[4], 0);
	run(&p, COUNT);
	assert_unknown(&p, 0, 1);
	end(&p);
}

static void solve_load_is_linked_with_the_dump(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, LDR_X1_X2, ADD_X1_X1_5, MOV_X1_7);
	put_u64(p.x[1], 7);
	run(&p, COUNT);
	assert_unknown(&p, 0, 1);
	assert_is(&p, 1, 1, STORED);
	assert_is(&p, 2, 1, STORED + 5);
	end(&p);
}

static void solve_unknown_opcode_kills_all(void **state)
{
	struct program p;
	uint8_t bytes[8];

	(void)state;
	assert_false(sem_a64_row(sem_a64_row_of(0x80800000), &(struct sem_row_info){0}));
	BEGIN(&p, ADD_X1_X1_5, UINT32_C(0x80800000), ADD_X1_X1_1);
	run(&p, COUNT);
	assert_unknown(&p, 1, 1);
	assert_unknown(&p, 1, 2);
	assert_is(&p, 2, 1, 0x100 - 1);
	assert_int_equal(values_memory(p.values, 1, DATA_AT, bytes, 8), 0);
	assert_int_equal(values_memory(p.values, 2, DATA_AT, bytes, 8), 8);
	end(&p);
}

static void solve_branch_says_its_condition(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, CBZ_X0_2, MOV_X1_7, MOV_X0_1);
	put_u64(p.x[0], 1);
	{
		const struct element elements[] = {
		        range(CODE, 1, INSN_BRANCH, true),
		        range(CODE + 8, 1, INSN_OTHER, true),
		};

		finish(&p, elements, 2);
	}
	assert_is(&p, 0, 0, 0);
	end(&p);
}

/* Nothing is known, and this is said of it; the same that `why` says, with `more`. */
static void assert_disagrees(struct program *p, const char *expected, const char *more)
{
	const struct why_options options = {.all = false};
	struct why_subject subject = {.number = A64_x0};
	struct text said = {0};

	assert_unknown(p, 0, 1);
	assert_unknown(p, 1, 2);
	why_trouble(p->values, &said);
	assert_string_equal(said.data, expected);
	text_fini(&said);
	assert_int_equal(why_value(p->values, 0, &subject, &options, &said), STATUS_OK);
	assert_non_null(strstr(said.data, more));
	text_fini(&said);
	end(p);
}

static void solve_contradiction_says_nothing(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, ADD_X1_X1_5, MOV_X1_7);
	run(&p, COUNT); /* X1 is 0x100 at the halt */
	assert_disagrees(&p,
	                 "snapshot and trace disagree at position 2: no value of the past is "
	                 "shown\n"
	                 "  x1 is 0x7 at position 2, from the instruction at 1\n"
	                 "  x1 is 0x100 at position 2, from x1 at the halt",
	                 "and yet x1 is 0x100 at position 2:\n"
	                 "  2  the halt: x1 = 0x100 in the snapshot\n");
}

static void solve_word_of_the_dump_disagrees(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, STR_X1_X2, ADD_X1_X1_5);
	put_u64(p.x[1], 0x105);
	run(&p, COUNT);
	assert_disagrees(&p,
	                 "snapshot and trace disagree at position 0: no value of the past is "
	                 "shown\n"
	                 "  the 8 bytes at 0x8000 are 0x100 after position 0, from x1 at the "
	                 "halt, x2 at the halt\n"
	                 "  the 8 bytes at 0x8000 are 0x1122334455667788 after position 0, from "
	                 "the doubleword at 0x8000 in the dump",
	                 "  1  0x1004  add x1, x1, #5: x1 = 0x100, from its result\n"
	                 "  2  the halt: x1 = 0x105 in the snapshot\n"
	                 "  2  the halt: x2 = 0x8000 in the snapshot\n"
	                 "and yet the 8 bytes at 0x8000 are");
}

static void solve_branch_disagrees(void **state)
{
	const struct element elements[] = {
	        range(CODE, 1, INSN_BRANCH, true),
	        range(CODE + 8, 1, INSN_OTHER, true),
	};
	struct program p;

	(void)state;
	BEGIN(&p, CBZ_X0_2, MOV_X1_7, ADD_X1_X1_5);
	put_u64(p.x[0], 2);
	finish(&p, elements, 2);
	assert_disagrees(&p,
	                 "snapshot and trace disagree at position 0: no value of the past is "
	                 "shown\n"
	                 "  a value on the way is 0x1 at position 0, from the branch at 0\n"
	                 "  a value on the way is 0x0 at position 0, from x0 at the halt",
	                 "  0  0x1000  cbz x0, 0x1008: it was taken\n"
	                 "and yet a value on the way is");
}

/* BR X1 went to where X1 does not point, at the halt or before: only the branch says so. */
static void solve_indirect_branch_disagrees(void **state)
{
	const struct element elements[] = {
	        range(CODE, 1, INSN_BRANCH_INDIRECT, true),
	        range(CODE + 8, 1, INSN_OTHER, true),
	};
	struct program p;
	struct text said = {0};

	(void)state;
	BEGIN(&p, BR_X1, MOV_X4_0, MOV_X4_0);
	put_u64(p.x[1], CODE + 12);
	finish(&p, elements, 2);
	assert_unknown(&p, 0, 1);
	why_trouble(p.values, &said);
	assert_string_equal(said.data,
	                    "snapshot and trace disagree at position 0: no value of the past is "
	                    "shown\n"
	                    "  x1 is 0x100c at position 0, from x1 at the halt\n"
	                    "  x1 is 0x1008 in the bits 0xffffffffffffff at position 0, from the "
	                    "branch at 0");
	text_fini(&said);
	end(&p);
}

/* The same of a register that is a constant. */
static void solve_branch_to_zero_disagrees(void **state)
{
	const struct element elements[] = {
	        range(CODE, 1, INSN_BRANCH_INDIRECT, true),
	        range(CODE + 8, 1, INSN_OTHER, true),
	};
	struct program p;

	(void)state;
	BEGIN(&p, BR_XZR, MOV_X4_0, MOV_X4_0);
	finish(&p, elements, 2);
	assert_unknown(&p, 0, 1);
	end(&p);
}

/*
 * The bits of a register that are known at a position of a program of `count` instructions; number
 * `branch` is B.HI.
 */
static struct bits known_past_branch(struct program *p, uint32_t branch, uint32_t count,
                                     uint64_t position, unsigned int reg)
{
	const struct element elements[] = {
	        range(CODE, branch + 1, INSN_BRANCH, false),
	        range(CODE + 4 * (branch + 1), count - branch - 1, INSN_OTHER, true),
	};
	const struct solve_options options = {.window = {0, count, true}, .single_writer = true};
	struct solver s;
	struct bits known;

	finish(p, elements, 2);
	assert_int_equal(solve_init(&s, p->f.history, &options), STATUS_OK);
	assert_false(s.has_conflict);
	known = solve_register(&s, position, reg);
	solve_fini(&s);
	return known;
}

/* From 0 to 5, and so 2 to 7 with 2 added: bit 3 is zero, which no single bit of X0 says. */
static void solve_range_of_an_operand_bounds_the_sum(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, CMP_X0_5, B_HI_2, ADD_X1_X0_2, MOV_X3_0, MOV_X0_1);
	put_u64(p.x[0], 1);
	p.registers[1].name = STR("X99");
	assert_int_equal(known_past_branch(&p, 1, COUNT, 3, 1).known, ~UINT64_C(7));
	end(&p);
}

static void solve_range_of_a_32_bit_operand_bounds_the_sum(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, MOV_W0_W5, CMP_W0_5, B_HI_2, ADD_W1_W0_2, MOV_X3_0, MOV_X0_1);
	put_u64(p.x[0], 1);
	p.registers[5].name = STR("X98"); /* nothing else is known of X0 */
	p.registers[1].name = STR("X99");
	assert_int_equal(known_past_branch(&p, 2, COUNT, 4, 1).known, ~UINT64_C(7));
	end(&p);
}

/* X0 is from 5 to 7, and so X1 from 0 to 2, which the same instruction makes of it. */
static void solve_range_of_an_operand_bounds_the_difference_that_set_the_flags(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, AND_X0_X0_7, SUBS_X1_X0_5, B_LO_2, MOV_X0_1, MOV_X3_0, MOV_X1_7);
	put_u64(p.x[0], 1);
	put_u64(p.x[1], 7);
	assert_int_equal(known_past_branch(&p, 2, COUNT, 2, 1).known, ~UINT64_C(3));
	end(&p);
}

/* The other way: X1 is X0 - 2, and from 0 to 5. */
static void solve_range_of_a_difference_bounds_its_operand(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, SUB_X1_X0_2, CMP_X1_5, B_HI_2, MOV_X3_0, MOV_X0_1, MOV_X1_7);
	put_u64(p.x[0], 1);
	put_u64(p.x[1], 7);
	assert_int_equal(known_past_branch(&p, 2, COUNT, 0, 0).known, ~UINT64_C(7));
	end(&p);
}

/* It is stored, read again and 2 is added; then the word is overwritten. */
static void solve_range_of_a_stored_value_bounds_what_is_loaded(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, CMP_X0_5, B_HI_2, STR_X0_X2, LDR_X1_X2, ADD_X1_X1_2, MOV_X0_1, STR_X0_X2);
	put_u64(p.x[0], 1);
	put_u64(p.data, 1);
	p.registers[1].name = STR("X99");
	assert_int_equal(known_past_branch(&p, 1, COUNT, 5, 1).known, ~UINT64_C(7));
	end(&p);
}

/* The other way: X4 is stored, and is what X0 is found to be. */
static void solve_range_of_a_loaded_value_bounds_what_was_stored(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, ADD_X1_X4_2, STR_X4_X2, LDR_X0_X2, CMP_X0_5, B_HI_2, MOV_X0_1, MOV_X4_0,
	      STR_X4_X2);
	put_u64(p.x[0], 1);
	put_u64(p.x[4], 0);
	put_u64(p.data, 0);
	p.registers[1].name = STR("X99");
	assert_int_equal(known_past_branch(&p, 4, COUNT, 1, 1).known, ~UINT64_C(7));
	end(&p);
}

/* No bit says more than AND did, and that was passed on before X5 and with it the range was known.
 */
static void solve_range_alone_is_news_to_what_is_loaded(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, MOV_X5_4, ADD_X5_X5_1, AND_X0_X0_7, STR_X0_X2, LDR_X1_X2, CMP_X0_X5, B_HI_2,
	      ADD_X1_X1_2, MOV_X0_1, STR_X0_X2);
	put_u64(p.x[0], 1);
	put_u64(p.data, 1);
	p.registers[1].name = STR("X99");
	p.registers[5].name = STR("X98");
	assert_int_equal(known_past_branch(&p, 6, COUNT, 8, 1).known, ~UINT64_C(7));
	end(&p);
}

static void solve_range_alone_is_news_to_what_was_stored(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, MOV_X5_4, ADD_X5_X5_1, AND_X4_X4_7, ADD_X1_X4_2, STR_X4_X2, LDR_X0_X2, CMP_X0_X5,
	      B_HI_2, MOV_X0_1, MOV_X4_0, STR_X4_X2);
	put_u64(p.x[0], 1);
	put_u64(p.x[4], 0);
	put_u64(p.data, 0);
	p.registers[1].name = STR("X99");
	p.registers[5].name = STR("X98");
	assert_int_equal(known_past_branch(&p, 7, COUNT, 4, 1).known, ~UINT64_C(7));
	end(&p);
}

/* Half of a word is none of which a range is kept. */
static void solve_range_of_half_a_word_is_not_that_of_all(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, CMP_W0_5, B_HI_2, STR_W0_X2, LDR_X1_X2, ADD_X1_X1_2, MOV_X0_1, STR_X0_X2);
	put_u64(p.x[0], 1);
	put_u64(p.data, 1);
	p.registers[1].name = STR("X99");
	assert_int_equal(known_past_branch(&p, 1, COUNT, 5, 1).known, UINT64_C(0xfffffff0));
	end(&p);
}

/* Number 0 at the halt contradicts X1 there; a window that is far from the halt does not see it. */
static void solve_contradiction_says_nothing_of_other_windows(void **state)
{
	enum { ROUNDS = 150000 };
	uint32_t opcodes[CODE_MOST] = {MOV_X1_7};
	struct element *elements = malloc((ROUNDS + 1) * sizeof(*elements));
	struct program p;

	(void)state;
	assert_non_null(elements);
	for (size_t i = 1; i < CODE_MOST; i++)
		opcodes[i] = i == CODE_MOST - 1 ? B_BACK_15 : ADD_X1_X1_5;
	for (size_t i = 0; i < ROUNDS; i++)
		elements[i] = range(CODE, CODE_MOST, INSN_BRANCH, true);
	elements[ROUNDS] = range(CODE, 1, INSN_OTHER, true);
	begin(&p, opcodes, CODE_MOST);
	put_u64(p.x[AT_PC], CODE + 4);
	leads_to(CODE + 4);
	finish(&p, elements, ROUNDS + 1);
	assert_unknown(&p, history_length(p.f.history) - 1, 1);
	assert_unknown(&p, 1, 1);
	end(&p);
	free(elements);
}

/* What a branch to a wild address proves of it are the bits that the trace can carry. */
static void solve_wild_branch_proves_what_is_traced(void **state)
{
	static const struct {
		uint64_t pc;
		uint64_t lr;
		bool fits;
	} cases[] = {
	        {0x777777, 0x777777, true},  {0x777774, 0x777774, true},
	        {0x777774, 0x777777, true}, /* whoever wrote the PC dropped them, too */
	        {0x777777, 0x777773, false}, {0x777774, 0x777770, false},
	};
	const struct element elements[] = {range(CODE, 2, INSN_BRANCH_INDIRECT, true),
	                                   exception(ALIGNMENT, 0x777774)};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct program p;

		BEGIN(&p, ADD_X1_X1_5, RET);
		put_u64(p.x[AT_PC], cases[i].pc);
		put_u64(p.x[AT_LR], cases[i].lr);
		leads_to(0x777774);
		finish(&p, elements, 2);
		if (cases[i].fits)
			assert_is(&p, 0, 1, 0x100 - 5);
		else
			assert_unknown(&p, 0, 1);
		end(&p);
	}
}

static void solve_code_that_was_written_is_not_believed(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, ADD_X1_X1_5, STR_X4_X2, ADD_X1_X1_1);
	put_u64(p.x[2], CODE);
	run(&p, COUNT);
	assert_unknown(&p, 0, 1);
	assert_is(&p, 2, 1, 0x100 - 1);
	end(&p);
}

/* Instruction 0 calls number 3, which goes on to `count`, and returns to 1; the halt is at 2. */
static void run_call(struct program *p, size_t count)
{
	const struct element elements[] = {
	        range(CODE, 1, INSN_BRANCH, true),
	        range(CODE + 12, (uint32_t)count - 3, INSN_BRANCH_INDIRECT, true),
	        range(CODE + 4, 1, INSN_OTHER, true),
	};

	put_u64(p->x[AT_PC], CODE + 8);
	leads_to(CODE + 8);
	put_u64(p->x[AT_LR], CODE + 4);
	finish(p, elements, 3);
}

static void call_with_wild_store(struct program *p, bool abi)
{
	BEGIN(p, BL_3, MOV_X1_7, MOV_X1_7, PUSH_X19_LR, MOV_X19_0, STR_X4_X3, MOV_X3_0, MOV_X4_0,
	      POP_X19_LR, RET);
	put_u64(p->x[1], 7);
	put_u64(p->x[AT_X19], STORED);
	put_u64(p->data + 8, CODE + 4);
	p->options.abi = abi;
	run_call(p, COUNT);
}

/* The store may have hit the stack: what X19 was is not known without the assumption. */
static void solve_saved_register_is_unknown_after_a_wild_store(void **state)
{
	struct program p;

	(void)state;
	call_with_wild_store(&p, false);
	assert_unknown(&p, 0, 19);
	assert_is(&p, 7, 19, STORED);
	end(&p);
}

static void solve_saved_register_is_kept_if_assumed(void **state)
{
	struct program p;

	(void)state;
	call_with_wild_store(&p, true);
	assert_is(&p, 0, 19, STORED);
	assert_is(&p, 1, 19, STORED);
	assert_unknown(&p, 0, 4);
	end(&p);
}

/* It comes back on another stack: not from that call, although to the address after it. */
static void solve_return_on_another_stack_is_not_that_of_the_call(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, BL_3, MOV_X1_7, MOV_X1_7, MOV_X19_7, ADD_SP_16, RET);
	put_u64(p.x[1], 7);
	put_u64(p.x[AT_X19], 7);
	p.options.abi = true;
	run_call(&p, COUNT);
	assert_unknown(&p, 0, 19);
	assert_is(&p, 2, 19, 7);
	end(&p);
}

static bool says_yes(void *context)
{
	(*(int *)context)++;
	return true;
}

/* Of a value that takes long the user need not wait for the end; the next time it is there. */
static void solve_interrupted_says_nothing_this_time(void **state)
{
	struct program p;
	struct value value;
	int asked = 0;

	(void)state;
	BEGIN(&p, ADD_X1_X1_5, ADD_X1_X1_1);
	run(&p, COUNT);
	assert_int_equal(session_seek(p.f.session, 0, 0), STATUS_OK);
	/* What was solved when the session was opened is forgotten. */
	assert_int_equal(session_assume(p.f.session, ASSUME_HANDLER_PRESERVES, false), STATUS_OK);
	session_interrupt(p.f.session, says_yes, &asked);
	session_register(p.f.session, 0, A64_x0 + 1, &value);
	assert_false(value_is_known(&value));
	assert_int_equal(asked, 1);
	session_interrupt(p.f.session, NULL, NULL);
	session_register(p.f.session, 0, A64_x0 + 1, &value);
	assert_true(value_is_known(&value));
	end(&p);
}

static void solve_interrupted_watch_does_not_move(void **state)
{
	const struct watch watch = {WATCH_WRITE, DATA_AT, 8};
	struct program p;
	struct stop stop;
	int asked = 0;

	(void)state;
	BEGIN(&p, STR_X1_X2, ADD_X1_X1_1, MOV_X1_7);
	put_u64(p.x[1], 7);
	run(&p, COUNT);
	assert_int_equal(session_watch_set(p.f.session, &watch), STATUS_OK);
	session_interrupt(p.f.session, says_yes, &asked);
	stop = session_continue(p.f.session, 0, DIRECTION_BACKWARD, NULL, NULL);
	assert_int_equal(stop.reason, STOP_INTERRUPTED);
	assert_int_equal(session_position(p.f.session, 0), COUNT);
	session_interrupt(p.f.session, NULL, NULL);
	stop = session_continue(p.f.session, 0, DIRECTION_BACKWARD, NULL, NULL);
	assert_int_equal(stop.reason, STOP_WATCH);
	assert_int_equal(session_position(p.f.session, 0), 1);
	end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(solve_sum_is_inverted),
	        cmocka_unit_test(solve_sums_that_cancel_leave_what_was),
	        cmocka_unit_test(solve_sums_of_others_do_not_cancel),
	        cmocka_unit_test(solve_sums_that_cancel_leave_constants),
	        cmocka_unit_test(solve_difference_of_a_difference_is_what_was_taken),
	        cmocka_unit_test(solve_overwritten_register_is_unknown),
	        cmocka_unit_test(solve_stored_value_is_read_from_the_dump),
	        cmocka_unit_test(solve_other_writer_makes_memory_unknown),
	        cmocka_unit_test(solve_overwritten_memory_is_unknown),
	        cmocka_unit_test(solve_wild_store_may_have_hit),
	        cmocka_unit_test(solve_store_of_another_value_has_not_hit),
	        cmocka_unit_test(solve_load_is_linked_with_the_dump),
	        cmocka_unit_test(solve_unknown_opcode_kills_all),
	        cmocka_unit_test(solve_branch_says_its_condition),
	        cmocka_unit_test(solve_contradiction_says_nothing),
	        cmocka_unit_test(solve_word_of_the_dump_disagrees),
	        cmocka_unit_test(solve_branch_disagrees),
	        cmocka_unit_test(solve_indirect_branch_disagrees),
	        cmocka_unit_test(solve_branch_to_zero_disagrees),
	        cmocka_unit_test(solve_range_of_an_operand_bounds_the_sum),
	        cmocka_unit_test(solve_range_of_a_32_bit_operand_bounds_the_sum),
	        cmocka_unit_test(
	                solve_range_of_an_operand_bounds_the_difference_that_set_the_flags),
	        cmocka_unit_test(solve_range_of_a_difference_bounds_its_operand),
	        cmocka_unit_test(solve_range_of_a_stored_value_bounds_what_is_loaded),
	        cmocka_unit_test(solve_range_of_a_loaded_value_bounds_what_was_stored),
	        cmocka_unit_test(solve_range_alone_is_news_to_what_is_loaded),
	        cmocka_unit_test(solve_range_alone_is_news_to_what_was_stored),
	        cmocka_unit_test(solve_range_of_half_a_word_is_not_that_of_all),
	        cmocka_unit_test(solve_contradiction_says_nothing_of_other_windows),
	        cmocka_unit_test(solve_wild_branch_proves_what_is_traced),
	        cmocka_unit_test(solve_code_that_was_written_is_not_believed),
	        cmocka_unit_test(solve_store_through_a_spilled_pointer_hits_it_or_its_target),
	        cmocka_unit_test(solve_store_that_would_show_in_its_pointer_went_to_the_target),
	        cmocka_unit_test(solve_pointer_that_may_be_overwritten_says_nothing_of_its_target),
	        cmocka_unit_test(solve_saved_register_is_unknown_after_a_wild_store),
	        cmocka_unit_test(solve_saved_register_is_kept_if_assumed),
	        cmocka_unit_test(solve_return_on_another_stack_is_not_that_of_the_call),
	        cmocka_unit_test(solve_interrupted_says_nothing_this_time),
	        cmocka_unit_test(solve_interrupted_watch_does_not_move),
	};

	(void)open_fixture;
	(void)run_of;
	(void)x1_value;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
