/* SPDX-License-Identifier: Apache-2.0 */
/* Where values of small A64 programs were made; what was executed is in each test's first comment.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/history/interrupt.h"
#include "replay/past/past.h"
#include "tests/values/made_a64.h"

#define NOP           UINT32_C(0xd503201f)
#define MOV_X0_X1     UINT32_C(0xaa0103e0)
#define MOV_X1_X2     UINT32_C(0xaa0203e1)
#define ADD_X0_X0_X1  UINT32_C(0x8b010000)
#define ADD_X1_X1_X1  UINT32_C(0x8b010021)
#define ADD_X0_SP_16  UINT32_C(0x910043e0)
#define LDR_W0_X2     UINT32_C(0xb9400040)
#define LDR_X0_X4     UINT32_C(0xf9400080)
#define MRS_X0_CNTVCT UINT32_C(0xd53be040)
#define STR_XZR_X2    UINT32_C(0xf900005f)
#define STRB_W4_X2    UINT32_C(0x39000044)
#define STRB_W4_X3    UINT32_C(0x39000064)
#define STP_X4_X5_X2  UINT32_C(0xa9001444)
#define STP_X4_X5_X3  UINT32_C(0xa9001464)
#define MOV_W0_W0     UINT32_C(0x2a0003e0)

static const struct past_subject x0 = {.number = A64_x0};
static const struct past_subject x1 = {.number = A64_x1};
static const struct past_subject pc = {.number = REGISTER_PC};

static struct origin find(struct program *p, uint64_t position, struct past_subject subject)
{
	struct origin origin;

	assert_int_equal(origin_find(p->values, position, &subject, &origin), STATUS_OK);
	assert_true(origin.count > 0);
	for (size_t i = 0; i < origin.count; i++)
		assert_int_equal(origin_is_end(origin.steps[i].kind), i + 1 == origin.count);
	return origin;
}

static void assert_step(const struct origin *o, size_t i, enum origin_kind kind, uint64_t position)
{
	assert_true(i < o->count);
	assert_string_equal(origin_word(o->steps[i].kind), origin_word(kind));
	assert_int_equal(o->steps[i].position, position);
}

/*
 *	0 mov x1, #7
 *	1 str x1, [x2]
 *	2 mov x1, #7		of another value
 *	3 ldr x1, [x2]
 *	4 add x1, x1, #5
 *	5 mov x0, x1
 */
static void origin_passes_moves_arithmetic_loads_and_stores(void **state)
{
	struct program p;
	struct origin o;

	(void)state;
	BEGIN(&p, MOV_X1_7, STR_X1_X2, MOV_X1_7, LDR_X1_X2, ADD_X1_X1_5, MOV_X0_X1);
	put_u64(p.x[0], 12);
	put_u64(p.x[1], 12);
	put_u64(p.data, 7);
	run(&p, COUNT);
	o = find(&p, COUNT, x0);
	assert_int_equal(o.count, 5);
	assert_int_equal(o.value.bits.value, 12);
	assert_step(&o, 0, ORIGIN_MOVE, 5);
	assert_step(&o, 1, ORIGIN_COMPUTE, 4);
	assert_step(&o, 2, ORIGIN_LOAD, 3);
	assert_int_equal(o.steps[2].address, DATA_AT);
	assert_int_equal(o.steps[2].size, 8);
	assert_int_equal(o.steps[2].value.bits.value, 7);
	assert_step(&o, 3, ORIGIN_STORE, 1);
	assert_int_equal(o.steps[3].address, DATA_AT);
	assert_int_equal(o.steps[3].possible, 0);
	assert_false(o.steps[3].is_possible);
	assert_step(&o, 4, ORIGIN_IMMEDIATE, 0);
	assert_int_equal(o.steps[4].code.pc, CODE);
	origin_fini(&o);
	/* Of an older position: not what came after it. */
	o = find(&p, 3, x1);
	assert_int_equal(o.count, 1);
	assert_step(&o, 0, ORIGIN_IMMEDIATE, 2);
	origin_fini(&o);
	end(&p);
}

/* X1 is from before the trace, and so is memory that nothing writes. */
static void origin_from_before_the_trace_is_an_input(void **state)
{
	static const struct past_subject word = {.is_memory = true, .address = DATA_AT, .size = 8};
	struct program p;
	struct origin o;

	(void)state;
	BEGIN(&p, NOP, MOV_X0_X1, LDR_X0_X2);
	put_u64(p.x[0], STORED);
	run(&p, COUNT);
	o = find(&p, 2, x0);
	assert_int_equal(o.count, 2);
	assert_step(&o, 0, ORIGIN_MOVE, 1);
	assert_step(&o, 1, ORIGIN_INPUT, 0);
	origin_fini(&o);
	o = find(&p, 3, x0);
	assert_int_equal(o.count, 2);
	assert_step(&o, 0, ORIGIN_LOAD, 2);
	assert_step(&o, 1, ORIGIN_INPUT, 0);
	assert_true(o.steps[1].is_memory);
	origin_fini(&o);
	o = find(&p, 3, word);
	assert_int_equal(o.count, 1);
	assert_step(&o, 0, ORIGIN_INPUT, 0);
	assert_int_equal(o.value.bits.value, STORED);
	origin_fini(&o);
	end(&p);
}

/* Memory that nothing can write is no input. */
static void origin_in_constant_memory_ends_there(void **state)
{
	struct program p;
	struct origin o;

	(void)state;
	BEGIN(&p, LDR_X0_X2, NOP);
	put_u64(p.x[0], STORED);
	p.is_constant = true;
	run(&p, COUNT);
	o = find(&p, 2, x0);
	assert_int_equal(o.count, 2);
	assert_step(&o, 1, ORIGIN_CONSTANT, 0);
	origin_fini(&o);
	end(&p);
}

/* Of two values that are no constants; of one and one; of one with itself; of a constant. */
static void origin_ends_where_two_values_meet(void **state)
{
	struct program p;
	struct origin o;

	(void)state;
	BEGIN(&p, ADD_X0_X0_X1, MOV_X1_7, ADD_X0_X0_X1, ADD_X1_X1_X1);
	put_u64(p.x[0], 0x10e);
	put_u64(p.x[1], 14);
	run(&p, COUNT);
	o = find(&p, COUNT, x0);
	assert_int_equal(o.count, 2);
	assert_step(&o, 0, ORIGIN_COMPUTE, 2);
	assert_step(&o, 1, ORIGIN_COMBINED, 0);
	assert_int_equal(o.steps[1].source_count, 2);
	assert_int_equal(o.steps[1].sources[0].reg + o.steps[1].sources[1].reg, 1);
	origin_fini(&o);
	o = find(&p, COUNT, x1);
	assert_int_equal(o.count, 2);
	assert_step(&o, 0, ORIGIN_COMPUTE, 3);
	assert_step(&o, 1, ORIGIN_IMMEDIATE, 1);
	origin_fini(&o);
	end(&p);
}

static void origin_names_what_is_not_followed(void **state)
{
	struct program p;
	struct origin o;

	(void)state;
	BEGIN(&p, ADD_X0_SP_16, MRS_X0_CNTVCT, LDR_X0_X4, MOV_X4_0, NOP);
	run(&p, COUNT);
	o = find(&p, 1, x0);
	assert_int_equal(o.count, 1);
	assert_step(&o, 0, ORIGIN_STACK, 0);
	origin_fini(&o);
	o = find(&p, 2, x0);
	assert_int_equal(o.count, 1);
	assert_step(&o, 0, ORIGIN_RESULT, 1);
	origin_fini(&o);
	o = find(&p, 3, x0);
	assert_int_equal(o.count, 1);
	assert_step(&o, 0, ORIGIN_NO_ADDRESS, 2);
	origin_fini(&o);
	end(&p);
}

/* mov x1, #7; fourteen times add x1, x1, #1: one line for the loop, and how often. */
static void origin_tells_a_loop_once(void **state)
{
	const struct element elements[] = {
	        range(CODE, 2, INSN_BRANCH, true), range(CODE + 4, 1, INSN_BRANCH, true),
	        range(CODE + 4, 1, INSN_BRANCH, true), range(CODE + 4, 1, INSN_OTHER, true),
	        range(CODE + 8, 1, INSN_OTHER, true)};
	struct program p;
	struct origin o;

	(void)state;
	BEGIN(&p, MOV_X1_7, ADD_X1_X1_1, NOP);
	put_u64(p.x[1], 11);
	finish(&p, elements, 5);
	o = find(&p, history_length(p.f.history), x1);
	assert_int_equal(o.count, 2);
	assert_step(&o, 0, ORIGIN_COMPUTE, 4);
	assert_int_equal(o.steps[0].repeats, 3);
	assert_int_equal(o.steps[0].oldest, 1);
	assert_step(&o, 1, ORIGIN_IMMEDIATE, 0);
	origin_fini(&o);
	end(&p);
}

/*
 *	0 str xzr, [x2]
 *	1 str x4, [x3]		X3 and X4 are not known: perhaps to DATA
 *	2 ldr x0, [x2]
 *	3 mov x3, #0
 *	4 mov x4, #0
 */
static void origin_over_a_possible_write_says_so(void **state)
{
	struct program p;
	struct origin o;

	(void)state;
	BEGIN(&p, STR_XZR_X2, STR_X4_X3, LDR_X0_X2, MOV_X3_0, MOV_X4_0);
	put_u64(p.x[0], 0);
	put_u64(p.data, 0);
	run(&p, COUNT);
	o = find(&p, COUNT, x0);
	assert_int_equal(o.count, 2);
	assert_step(&o, 0, ORIGIN_LOAD, 2);
	assert_false(o.steps[0].is_possible);
	assert_step(&o, 1, ORIGIN_IMMEDIATE, 0);
	assert_int_equal(o.steps[1].possible, 1);
	assert_true(o.steps[1].is_possible);
	origin_fini(&o);
	end(&p);
}

/* The same, but what is found is not what the older store left: the other one it was. */
static void origin_is_the_only_candidate(void **state)
{
	struct program p;
	struct origin o;

	(void)state;
	BEGIN(&p, STR_XZR_X2, STR_X4_X3, LDR_X0_X2, MOV_X3_0, MOV_X4_0);
	put_u64(p.x[0], 5);
	put_u64(p.data, 5);
	run(&p, COUNT);
	o = find(&p, COUNT, x0);
	assert_int_equal(o.count, 3);
	assert_step(&o, 1, ORIGIN_STORE, 1);
	assert_true(o.steps[1].is_candidate);
	assert_int_equal(o.steps[1].possible, 1);
	assert_step(&o, 2, ORIGIN_INPUT, 0);
	assert_true(o.steps[2].is_possible);
	origin_fini(&o);
	end(&p);
}

/* 0 str x1, [x2]; 1 strb w4, [x2]: of the word that is loaded the youngest byte is followed. */
static void origin_of_parts_follows_the_youngest(void **state)
{
	struct program p;
	struct origin o;

	(void)state;
	BEGIN(&p, MOV_X4_0, STR_X1_X2, STRB_W4_X2, LDR_W0_X2, NOP);
	put_u64(p.x[0], 0x100);
	put_u64(p.data, 0x100);
	run(&p, COUNT);
	o = find(&p, COUNT, x0);
	assert_int_equal(o.count, 3);
	assert_step(&o, 0, ORIGIN_LOAD, 3);
	assert_int_equal(o.steps[0].size, 4);
	assert_step(&o, 1, ORIGIN_STORE, 2);
	assert_true(o.steps[1].is_part);
	assert_int_equal(o.steps[1].size, 1);
	assert_step(&o, 2, ORIGIN_IMMEDIATE, 0);
	origin_fini(&o);
	end(&p);
}

/*
 * 0 strb w4, [x3]: where is not known, and nothing older is: it need not be from there. The byte
 * that it stored is in the word.
 */
static void origin_of_an_input_is_no_candidate(void **state)
{
	struct program p;
	struct origin o;

	(void)state;
	BEGIN(&p, STRB_W4_X3, LDR_X0_X2, MOV_X3_0, NOP);
	put_u64(p.x[0], STORED);
	put_u64(p.x[4], 0x77);
	run(&p, COUNT);
	o = find(&p, COUNT, x0);
	assert_int_equal(o.count, 2);
	assert_step(&o, 0, ORIGIN_LOAD, 1);
	assert_step(&o, 1, ORIGIN_CANDIDATES, 0);
	assert_false(o.steps[1].is_candidate);
	assert_true(o.steps[1].is_possible);
	origin_fini(&o);
	end(&p);
}

/* 0 str xzr, [x2]; 1 strb w4, [x3]: of the word a byte, somewhere in it, is of this. */
static void origin_of_a_candidate_is_what_it_stored(void **state)
{
	struct program p;
	struct origin o;

	(void)state;
	BEGIN(&p, STR_XZR_X2, STRB_W4_X3, LDR_X0_X2, MOV_X3_0);
	put_u64(p.x[0], 0x7700);
	put_u64(p.x[4], 0x77);
	put_u64(p.data, 0x7700);
	run(&p, COUNT);
	o = find(&p, COUNT, x0);
	assert_int_equal(o.count, 3);
	assert_step(&o, 1, ORIGIN_STORE, 1);
	assert_true(o.steps[1].is_candidate);
	assert_true(o.steps[1].is_somewhere);
	assert_true(o.steps[1].is_part);
	assert_int_equal(o.steps[1].size, 1);
	assert_int_equal(o.steps[1].value.bits.value, 0x77);
	assert_int_equal(o.steps[1].value.width, 8);
	assert_step(&o, 2, ORIGIN_INPUT, 0);
	origin_fini(&o);
	end(&p);
}

/* 0 str xzr, [x2]; 1 stp x4, x5, [x3]: the one of the two that is found; or either, and neither. */
static void origin_of_a_pair_is_the_register_that_fits(void **state)
{
	(void)state;
	for (uint64_t second = 5; second <= 9; second += 4) {
		struct program p;
		struct origin o;

		BEGIN(&p, STR_XZR_X2, STP_X4_X5_X3, LDR_X0_X2, MOV_X3_0);
		put_u64(p.x[0], 5);
		put_u64(p.x[4], 5);
		put_u64(p.x[5], second);
		put_u64(p.data, 5);
		run(&p, COUNT);
		o = find(&p, COUNT, x0);
		assert_step(&o, 1, second == 5 ? ORIGIN_CANDIDATES : ORIGIN_STORE, 1);
		if (second == 9) {
			assert_int_equal(o.steps[1].value.bits.value, 5);
			assert_step(&o, 2, ORIGIN_INPUT, 0);
			assert_int_equal(o.steps[2].reg, 4);
		}
		origin_fini(&o);
		end(&p);
	}
}

/* 0 stp x4, x5, [x2]: of both words what the first byte is of. */
static void origin_of_more_than_a_register_begins_with_the_first_byte(void **state)
{
	static const struct past_subject words = {
	        .is_memory = true, .address = DATA_AT, .size = 16};
	struct program p;
	struct origin o;

	(void)state;
	BEGIN(&p, STP_X4_X5_X2, NOP);
	put_u64(p.x[4], STORED);
	put_u64(p.x[5], STORED);
	run(&p, COUNT);
	o = find(&p, COUNT, words);
	assert_int_equal(o.count, 2);
	assert_step(&o, 0, ORIGIN_STORE, 0);
	assert_int_equal(o.steps[0].address, DATA_AT);
	assert_int_equal(o.steps[0].size, 8);
	assert_true(o.steps[0].is_part);
	assert_step(&o, 1, ORIGIN_INPUT, 0);
	assert_int_equal(o.steps[1].reg, 4);
	origin_fini(&o);
	end(&p);
}

/* 0 ldr x0, [x2]; 1 mov w0, w0: which makes another value of it. */
static void origin_names_who_cut_a_register(void **state)
{
	struct program p;
	struct origin o;

	(void)state;
	BEGIN(&p, LDR_X0_X2, MOV_W0_W0);
	put_u64(p.x[0], STORED & UINT32_MAX);
	run(&p, COUNT);
	o = find(&p, COUNT, x0);
	assert_int_equal(o.count, 3);
	assert_step(&o, 0, ORIGIN_MOVE, 1);
	assert_int_equal(o.steps[0].value.bits.value, STORED & UINT32_MAX);
	assert_step(&o, 1, ORIGIN_LOAD, 0);
	assert_int_equal(o.steps[1].value.bits.value, STORED);
	assert_step(&o, 2, ORIGIN_INPUT, 0);
	origin_fini(&o);
	end(&p);
}

static void origin_stops_at_a_gap(void **state)
{
	const struct element elements[] = {
	        range(CODE, 1, INSN_OTHER, true),
	        {.type = ELEMENT_NO_SYNC},
	        range(CODE + 4, 2, INSN_OTHER, true),
	};
	struct program p;
	struct origin o;

	(void)state;
	BEGIN(&p, MOV_X1_7, NOP, MOV_X0_X1);
	put_u64(p.x[0], 0x100);
	finish(&p, elements, 3);
	o = find(&p, history_length(p.f.history), x0);
	assert_int_equal(o.count, 2);
	assert_step(&o, 0, ORIGIN_MOVE, 2);
	assert_step(&o, 1, ORIGIN_GAP, 1);
	origin_fini(&o);
	end(&p);
}

/* A branch through a register says where the PC came from, another one that none did. */
static void origin_of_the_pc_is_what_the_branch_read(void **state)
{
	const struct element elements[] = {
	        range(CODE, 2, INSN_BRANCH_INDIRECT, true),
	        range(CODE + 12, 1, INSN_OTHER, true),
	};
	struct program p;
	struct origin o;

	(void)state;
	BEGIN(&p, NOP, BR_X1, MOV_X4_0, MOV_X1_7);
	put_u64(p.x[1], 7);
	finish(&p, elements, 2);
	o = find(&p, 2, pc);
	assert_int_equal(o.value.bits.value, CODE + 12);
	assert_int_equal(o.count, 2);
	assert_step(&o, 0, ORIGIN_MOVE, 1);
	assert_int_equal(o.steps[0].reg, REG_COUNT);
	assert_step(&o, 1, ORIGIN_INPUT, 0);
	origin_fini(&o);
	o = find(&p, 1, pc);
	assert_int_equal(o.count, 1);
	assert_step(&o, 0, ORIGIN_FLOW, 0);
	origin_fini(&o);
	end(&p);
}

static bool yes(void *context)
{
	(void)context;
	return true;
}

static void origin_obeys_an_interrupt(void **state)
{
	struct interrupt interrupt = {.asked = yes};
	struct program p;
	struct origin o;

	(void)state;
	BEGIN(&p, STR_X1_X2, LDR_X0_X2);
	p.options.interrupt = &interrupt;
	run(&p, COUNT);
	assert_int_equal(origin_find(p.values, COUNT, &x0, &o), STATUS_INTERRUPTED);
	origin_fini(&o);
	end(&p);
}

static void origin_as_text(void **state)
{
	struct program p;
	struct origin o;
	struct text said = {0};
	struct past_names names;

	(void)state;
	BEGIN(&p, MOV_X1_7, ADD_X1_X1_5, MOV_X0_X1);
	put_u64(p.x[0], 12);
	put_u64(p.x[1], 12);
	run(&p, COUNT);
	o = find(&p, COUNT, x0);
	names = (struct past_names){.history = p.f.history, .disasm = disasm_create()};
	origin_format(&names, &o, &said);
	assert_string_equal(said.data, "#1   2  0x1008  mov x0, x1: x0 = 0xc\n"
	                               "#2   1  0x1004  add x1, x1, #5: x1 = 0xc\n"
	                               "#3   0  0x1000  movz x1, #0x7: x1 = 0x7: made here: it is "
	                               "in the instruction\n");
	disasm_destroy(names.disasm);
	text_fini(&said);
	origin_fini(&o);
	end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(origin_passes_moves_arithmetic_loads_and_stores),
	        cmocka_unit_test(origin_from_before_the_trace_is_an_input),
	        cmocka_unit_test(origin_in_constant_memory_ends_there),
	        cmocka_unit_test(origin_ends_where_two_values_meet),
	        cmocka_unit_test(origin_names_what_is_not_followed),
	        cmocka_unit_test(origin_tells_a_loop_once),
	        cmocka_unit_test(origin_over_a_possible_write_says_so),
	        cmocka_unit_test(origin_is_the_only_candidate),
	        cmocka_unit_test(origin_of_parts_follows_the_youngest),
	        cmocka_unit_test(origin_of_an_input_is_no_candidate),
	        cmocka_unit_test(origin_of_a_candidate_is_what_it_stored),
	        cmocka_unit_test(origin_of_a_pair_is_the_register_that_fits),
	        cmocka_unit_test(origin_of_more_than_a_register_begins_with_the_first_byte),
	        cmocka_unit_test(origin_names_who_cut_a_register),
	        cmocka_unit_test(origin_stops_at_a_gap),
	        cmocka_unit_test(origin_of_the_pc_is_what_the_branch_read),
	        cmocka_unit_test(origin_obeys_an_interrupt),
	        cmocka_unit_test(origin_as_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
