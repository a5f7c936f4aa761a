/* SPDX-License-Identifier: Apache-2.0 */
/* The assumption stack-private: what it makes known where another core may write memory, and what
 * not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/values/solver/solver.h"
#include "tests/values/made_a64.h"

#define STACK     UINT64_C(0xffffffc008004000)
#define ELSEWHERE UINT64_C(0xffffffc00a000000)
#define ANOTHER   UINT64_C(0xffffffc008006000) /* as near as the same stack may be */

#define PUSH_X19_X30 UINT32_C(0xa9bf7bf3) /* STP x19, x30, [sp, #-16]! */
#define POP_X19_X30  UINT32_C(0xa8c17bf3)
#define STR_X19_X2   UINT32_C(0xf9000053)
#define LDR_X19_X2   UINT32_C(0xf9400053)
#define LDR_X4_X5    UINT32_C(0xf94000a4)
#define LDR_X4_SP_8  UINT32_C(0xf94007e4)
#define MOV_X3_SP    UINT32_C(0x910003e3)
#define MOV_SP_X3    UINT32_C(0x9100007f)
#define MOV_SP_X4    UINT32_C(0x9100009f)
#define KEPT         UINT64_C(0x1900)

enum { MOST = 8 };

/* Straight-line code; other cores may write memory. Of X19 at its start is asked, KEPT if it is
 * known. */
struct question {
	uint32_t opcodes[MOST]; /* up to the first 0 */
	uint64_t x4;            /* at the halt */
	uint64_t x30;
	bool is_low; /* the stack lies where those of programs do */
	bool is_off;
};

static void prepare(struct program *p, const struct question *q, size_t count)
{
	uint64_t stack = q->is_low ? DATA_AT : STACK;

	begin(p, q->opcodes, count);
	p->data_at = stack;
	put_u64(p->x[2], stack);
	put_u64(p->x[3], stack);
	put_u64(p->x[4], q->x4);
	put_u64(p->x[AT_SP], stack + 16);
	put_u64(p->x[AT_X19], KEPT);
	put_u64(p->x[AT_LR], q->x30);
	put_u64(p->data, KEPT);
	put_u64(p->data + 8, q->x30);
	p->options = values_options_of(2);
	values_set_assumption(&p->options, ASSUME_STACK_PRIVATE, !q->is_off);
}

static bool knows(struct question q)
{
	struct program p;
	struct solve_options options;
	struct value value;
	enum assumption given_up;
	uint64_t position;
	size_t count = 0;

	while (count < MOST && q.opcodes[count] != 0)
		count++;
	prepare(&p, &q, count);
	run(&p, count);
	values_register(p.values, 0, A64_x0 + 19, &value);
	assert_false(values_conflict(p.values, &options, &position));
	assert_false(values_given_up(p.values, &given_up, &options, &position));
	end(&p);
	if (!value_is_known(&value))
		return false;
	assert_int_equal(value_u64(&value), KEPT);
	assert_true(value.is_assumed);
	return true;
}

static void what_was_pushed_is_what_is_popped(void **state)
{
	struct question q = {.opcodes = {PUSH_X19_X30, MOV_X19_7, POP_X19_X30}};

	(void)state;
	assert_true(knows(q));
	q.is_low = true;
	assert_true(knows(q));
	q.is_off = true;
	assert_false(knows(q));
}

/* Whoever stored it: what SP reaches is the stack. */
static void memory_that_sp_does_not_reach_is_no_stack(void **state)
{
	(void)state;
	assert_false(knows((struct question){.opcodes = {STR_X19_X2, MOV_X19_7, LDR_X19_X2}}));
	assert_true(knows((struct question){.opcodes = {STR_X19_X2, MOV_X19_7, POP_X19_X30}}));
}

/* As Linux does it for an interrupt. */
static void stack_of_a_handler_ends_nothing(void **state)
{
	struct question q = {
	        .opcodes = {PUSH_X19_X30, MOV_X19_7, MOV_X3_SP, LDR_X4_X5, MOV_SP_X4, MOV_SP_X3,
	                    POP_X19_X30},
	        .x4 = ELSEWHERE,
	};

	(void)state;
	assert_true(knows(q));
	/* It may be a thread's that another core has run. */
	q.x4 = ANOTHER;
	assert_false(knows(q));
	q.x4 = ELSEWHERE;
	q.is_low = true;
	assert_false(knows(q));
}

static void stack_of_a_handler_need_not_be_known(void **state)
{
	(void)state;
	assert_true(
	        knows((struct question){.opcodes = {PUSH_X19_X30, MOV_X19_7, MOV_X3_SP, LDR_X4_X5,
	                                            MOV_SP_X4, MOV_SP_X3, POP_X19_X30, MOV_X4_0}}));
}

/* SP comes back from where a scheduler keeps it: meanwhile another core may have run the thread. */
static void switch_of_threads_ends_all(void **state)
{
	(void)state;
	assert_false(knows((struct question){
	        .opcodes = {PUSH_X19_X30, MOV_X19_7, LDR_X4_X5, MOV_SP_X4, LDR_X4_X5, MOV_SP_X4,
	                    POP_X19_X30},
	        .x4 = STACK,
	}));
}

static void sp_that_was_kept_on_a_stack_is_no_switch(void **state)
{
	(void)state;
	assert_true(knows((struct question){
	        .opcodes = {PUSH_X19_X30, MOV_X19_7, MOV_X3_SP, LDR_X4_SP_8, MOV_SP_X4,
	                    POP_X19_X30},
	        .x4 = STACK,
	        .x30 = STACK,
	}));
}

/* After it was popped another core wrote it: what is proved is shown, and which assumption is not
 * true. */
static void assumption_that_is_contradicted_is_given_up(void **state)
{
	const struct question q = {.opcodes = {PUSH_X19_X30, MOV_X19_7, POP_X19_X30}};
	struct program p;
	struct solve_options options;
	enum assumption given_up;
	struct value value;
	uint64_t position;

	(void)state;
	prepare(&p, &q, 3);
	put_u64(p.data, KEPT + 1);
	run(&p, 3);
	values_register(p.values, 0, A64_x0 + 19, &value);
	assert_false(value_is_known(&value));
	values_register(p.values, 2, A64_x0 + 19, &value);
	assert_int_equal(value_u64(&value), 7);
	assert_true(value_is_known(&value) && !value.is_assumed);
	assert_false(values_conflict(p.values, &options, &position));
	assert_true(values_given_up(p.values, &given_up, &options, &position));
	assert_int_equal(given_up, ASSUME_STACK_PRIVATE);
	assert_false(values_rests_on(p.values, ASSUME_STACK_PRIVATE));
	end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(what_was_pushed_is_what_is_popped),
	        cmocka_unit_test(memory_that_sp_does_not_reach_is_no_stack),
	        cmocka_unit_test(stack_of_a_handler_ends_nothing),
	        cmocka_unit_test(stack_of_a_handler_need_not_be_known),
	        cmocka_unit_test(switch_of_threads_ends_all),
	        cmocka_unit_test(sp_that_was_kept_on_a_stack_is_no_switch),
	        cmocka_unit_test(assumption_that_is_contradicted_is_given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
