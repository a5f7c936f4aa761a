/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows of a long history, as they are asked for: X5 and a word of data are written at its start,
 * and overwritten at its end. What is between needs a window that points_to_sets back to the start.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "replay/values/solver/solver.h"
#include "tests/values/made_a64.h"

#define SUBS_X6_1 UINT32_C(0xf10004c6)
#define B_NE_BACK UINT32_C(0x54ffffe1)
#define MOV_X5_0  UINT32_C(0xd2800005)
#define STR_X5_X2 UINT32_C(0xf9000045)
#define UNKNOWN   UINT32_C(0x80800000)

enum {
	ROUNDS = 30000, /* of a loop of two instructions, from position 2 on */
	LENGTH = 2 + 2 * ROUNDS + 3,
	LATE = 59000,
};

/* Makes `opcodes`, of which numbers 2 and 3 are the loop. */
static void make_in(struct program *p, const uint32_t *opcodes, uint64_t register_window,
                    uint64_t window_most)
{
	static struct element elements[ROUNDS + 2];

	elements[0] = range(CODE, 4, INSN_BRANCH, true);
	for (size_t i = 1; i < ROUNDS; i++)
		elements[i] = range(CODE + 8, 2, INSN_BRANCH, i + 1 < ROUNDS);
	elements[ROUNDS] = range(CODE + 16, 3, INSN_OTHER, true);
	begin(p, opcodes, 7);
	put_u64(p->x[4], 0);
	put_u64(p->x[5], 0);
	put_u64(p->data, 0);
	p->options.register_window = register_window;
	p->options.window_most = window_most;
	finish(p, elements, ROUNDS + 1);
	assert_int_equal(history_length(p->f.history), LENGTH);
}

static void make(struct program *p, const uint32_t *opcodes, uint64_t register_window)
{
	make_in(p, opcodes, register_window, 0);
}

static const uint32_t plain[] = {MOV_X5_4, STR_X5_X2, SUBS_X6_1, B_NE_BACK,
                                 MOV_X5_0, MOV_X4_0,  STR_X4_X2};

static void window_grows_until_a_register_is_known(void **state)
{
	struct program p;

	(void)state;
	make(&p, plain, 0);
	assert_is(&p, LATE, 5, 4);
	/* What is asked for next is in the same window, and what lies before is in it, too. */
	assert_is(&p, LATE - 1, 5, 4);
	assert_is(&p, 1, 5, 4);
	assert_unknown(&p, 0, 5);
	assert_is(&p, LENGTH, 5, 0);
	end(&p);
}

static void window_grows_until_memory_is_known(void **state)
{
	uint8_t bytes[16] = {0};
	struct program p;

	(void)state;
	make(&p, plain, 0);
	assert_int_equal(values_memory(p.values, LATE, DATA_AT, bytes, 8), 8);
	assert_int_equal(bytes[0], 4);
	assert_int_equal(values_memory(p.values, 2, DATA_AT, bytes, 8), 8);
	assert_int_equal(values_memory(p.values, 1, DATA_AT, bytes, 8), 0);
	/* Up to the first byte that is not known. */
	assert_int_equal(values_memory(p.values, LATE, DATA_AT + 8, bytes, 16), 8);
	end(&p);
}

/* A window that is asked for registers grows to so many instructions, counted from its end. */
static void window_grows_no_further_than_is_allowed(void **state)
{
	uint8_t bytes[8];
	struct program p;

	(void)state;
	make(&p, plain, LENGTH - 1);
	assert_unknown(&p, LATE, 5);
	/* For memory there is no such limit. */
	assert_int_equal(values_memory(p.values, LATE, DATA_AT, bytes, 8), 8);
	assert_is(&p, LATE, 5, 4);
	end(&p);
	make(&p, plain, LENGTH);
	assert_is(&p, LATE, 5, 4);
	end(&p);
}

static void window_begins_where_it_is_looked_at(void **state)
{
	struct solve_options options;
	struct program p;

	(void)state;
	make(&p, plain, 0);
	assert_true(values_window(p.values, LATE, &p.options, &options));
	assert_true(options.window.from > 2);
	assert_true(options.window.from < LATE);
	assert_int_equal(options.window.to, LENGTH);
	assert_non_null(values_solved(p.values, LATE));
	assert_true(values_window(p.values, LATE, &p.options, &options));
	assert_true(options.window.from > 2);
	/* All of the history has room in one. */
	while (values_widen(p.values))
		;
	assert_true(values_window(p.values, LATE, &p.options, &options));
	assert_int_equal(options.window.from, 0);
	assert_true(values_can(p.values));
	assert_true(values_has_code(p.values, 0));
	assert_true(values_has_constants(p.values, 0));
	end(&p);
}

/* After what is not known at all nothing is gained by going back. */
static void window_does_not_grow_over_what_it_cannot_cross(void **state)
{
	static const uint32_t opcodes[] = {MOV_X5_4, UNKNOWN,  SUBS_X6_1, B_NE_BACK,
	                                   MOV_X5_0, MOV_X4_0, STR_X4_X2};
	uint8_t bytes[8];
	struct program p;

	(void)state;
	make(&p, opcodes, 0);
	assert_unknown(&p, LATE, 5);
	assert_int_equal(values_memory(p.values, LATE, DATA_AT, bytes, 8), 0);
	assert_is(&p, 1, 5, 4);
	end(&p);
}

static void assert_window(struct program *p, uint64_t position, uint64_t from, uint64_t to)
{
	struct solve_options options;

	assert_true(values_window(p->values, position, &p->options, &options));
	assert_int_equal(options.window.from, from);
	assert_int_equal(options.window.to, to);
}

/* A window that may not reach the halt has what comes after its positions, too. */
static void small_window_lies_around_its_position(void **state)
{
	uint8_t bytes[8];
	struct program p;

	(void)state;
	make_in(&p, plain, 0, 30000);
	assert_unknown(&p, LATE, 5);
	assert_window(&p, LATE, LENGTH - 30000, LENGTH);
	/* Half of the last window more is before it, but no more than half of this one. */
	assert_window(&p, 20000, 5000, 35000);
	assert_window(&p, 25000, 5000, 35000);
	assert_window(&p, 25001, 15001, 45001);
	assert_unknown(&p, 25001, 5);
	assert_int_equal(values_memory(p.values, 25001, DATA_AT, bytes, 8), 0);
	assert_window(&p, 25001, 15001, 45001);
	/* It was written in this one; which memory was takes the halt, where X2 is known. */
	assert_is(&p, 4000, 5, 4);
	assert_int_equal(values_memory(p.values, 4000, DATA_AT, bytes, 8), 0);
	assert_window(&p, 4000, 0, 30000);
	end(&p);
}

static void hurry_grows_once_and_as_far_as_for_registers(void **state)
{
	uint8_t bytes[8];
	struct program p;

	(void)state;
	make(&p, plain, LENGTH - 1);
	values_hurry(p.values, true);
	assert_int_equal(values_memory(p.values, LATE, DATA_AT, bytes, 8), 0);
	assert_window(&p, LATE, 1, LENGTH);
	values_hurry(p.values, false);
	assert_int_equal(values_memory(p.values, LATE, DATA_AT, bytes, 8), 8);
	end(&p);
}

static void prepared_window_is_the_one_that_registers_grow_to(void **state)
{
	struct program p;

	(void)state;
	make(&p, plain, 40000);
	assert_true(values_is_near(p.values, LATE));
	assert_true(values_is_near(p.values, LENGTH - 30000));
	assert_false(values_is_near(p.values, LENGTH - 30001));
	assert_true(values_prepare(p.values));
	assert_false(values_prepare(p.values));
	assert_window(&p, LATE, LENGTH - 40000, LENGTH);
	assert_true(values_is_near(p.values, LENGTH - 40000));
	assert_false(values_is_near(p.values, LENGTH - 40001));
	/* What reaches further is not given up for it. */
	assert_non_null(values_solved(p.values, 0));
	assert_false(values_prepare(p.values));
	assert_true(values_is_near(p.values, 0));
	end(&p);
}

/* And what is assumed in it, unless somebody comes. */
static void what_is_assumed_is_prepared_after_it(void **state)
{
	struct interrupt interrupt = {.has_come = false};
	struct program p;

	(void)state;
	make(&p, plain, 40000);
	values_destroy(p.values);
	p.options.abi = true;
	p.options.interrupt = &interrupt;
	p.values = values_create(p.f.history, &p.options);
	assert_non_null(p.values);
	assert_true(values_prepare(p.values));
	interrupt.has_come = true;
	assert_false(values_prepare(p.values));
	interrupt.has_come = false;
	assert_true(values_prepare(p.values));
	assert_false(values_prepare(p.values));
	end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(window_grows_until_a_register_is_known),
	        cmocka_unit_test(window_grows_until_memory_is_known),
	        cmocka_unit_test(window_grows_no_further_than_is_allowed),
	        cmocka_unit_test(window_begins_where_it_is_looked_at),
	        cmocka_unit_test(window_does_not_grow_over_what_it_cannot_cross),
	        cmocka_unit_test(small_window_lies_around_its_position),
	        cmocka_unit_test(hurry_grows_once_and_as_far_as_for_registers),
	        cmocka_unit_test(prepared_window_is_the_one_that_registers_grow_to),
	        cmocka_unit_test(what_is_assumed_is_prepared_after_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
