/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is supposed of stores (replay/values/solver/supposition.h): two that each say where the
 * other went are coherent with memory that happens to fit, and say nothing as long as they are
 * doubtful. In: a list's item is unlinked, where memory has another list that is empty.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "replay/values/solver/solver.h"
#include "tests/values/adversary.h"

#define LDR_X5_X4   UINT32_C(0xf9400085)
#define LDR_X6_X4_8 UINT32_C(0xf9400486)
#define STR_X6_X5_8 UINT32_C(0xf90004a6)

#define STR_X2_X8_8  UINT32_C(0xf9000502)
#define STR_X8_X2    UINT32_C(0xf9000048)
#define LDR_X3_X10   UINT32_C(0xf9400143)
#define LDR_X7_X3_8  UINT32_C(0xf9400467)
#define STR_X11_X10  UINT32_C(0xf900014b)
#define STR_X9_X3    UINT32_C(0xf9000069)
#define STR_X12_X8_8 UINT32_C(0xf900050c)

enum {
	ITEM = DATA + 0x40,
	HEAD = DATA + 0x80,
	ACCESSES = 4,
	BEFORE_STORES = 2,
	LOAD_ACCESSES = 7,
	AFTER_LOADS = 4,
};

/* The window of the program, which nothing contradicts, under the suppositions. */
static void solve(struct program *p, const struct suppositions *supposed, struct solver *solver)
{
	struct solve_options options;

	assert_true(values_window(p->values, 0, values_allowed(p->values), &options));
	options.supposed = supposed;
	assert_int_equal(solve_init(solver, p->history, &options), STATUS_OK);
	assert_false(solver->has_conflict);
}

/* An item is unlinked, and there is an empty list. `has_x5`: X5 is what it is at the halt. */
static void unlink_item(struct program *p, bool has_x5)
{
	const uint32_t code[] = {LDR_X5_X4, LDR_X6_X4_8, STR_X6_X5_8,
	                         STR_X5_X6, MOV_X4_0,    has_x5 ? NOP : MOV_X5_0,
	                         MOV_X6_0,  NOP};

	begin(p, code, sizeof(code) / sizeof(code[0]));
	set(p, 4, 0);
	set(p, 5, has_x5 ? HEAD : 0);
	set(p, 6, 0);
	put_u64(p->data + 0x80, HEAD);
	put_u64(p->data + 0x88, HEAD);
	run(p);
}

/* X5 and X6 before the stores, with these doubts. */
static void solve_both(uint64_t doubt, bool has_x5, struct bits *x5, struct bits *x6)
{
	/* Counted from the last access on. */
	uint64_t of[ACCESSES] = {HEAD | doubt, (HEAD + 8) | doubt, SUPPOSED_NOT, SUPPOSED_NOT};
	struct suppositions supposed = {.of = of, .count = ACCESSES};
	struct solver solver;
	struct program p;

	unlink_item(&p, has_x5);
	solve(&p, &supposed, &solver);
	*x5 = solve_register(&solver, BEFORE_STORES, REG_X0 + 5);
	*x6 = solve_register(&solver, BEFORE_STORES, REG_X0 + 6);
	solve_fini(&solver);
	end(&p);
}

static void stores_that_place_each_other_say_nothing_while_doubtful(void **state)
{
	struct bits x5;
	struct bits x6;

	(void)state;
	solve_both(0, false, &x5, &x6);
	assert_int_equal(x5.known & x6.known, UINT64_MAX);
	assert_int_equal(x5.value, HEAD);
	solve_both(SUPPOSED_DOUBTFUL, false, &x5, &x6);
	assert_true(x5.known != UINT64_MAX && x6.known != UINT64_MAX);
}

/* Then the first store says what X6 is, and that where the second one went. */
static void store_is_trusted_once_its_address_follows(void **state)
{
	struct bits x5;
	struct bits x6;

	(void)state;
	solve_both(SUPPOSED_DOUBTFUL, true, &x5, &x6);
	assert_int_equal(x5.known & x6.known, UINT64_MAX);
	assert_int_equal(x6.value, HEAD);
}

/* Nor where they were supposed before, in another window or under other assumptions. */
static void stores_that_place_each_other_are_not_carried_on(void **state)
{
	struct suppositions supposed = {.of = malloc(ACCESSES * sizeof(uint64_t)),
	                                .count = ACCESSES};
	struct solve_options options;
	struct solver solver;
	struct program p;
	struct bits x5;

	(void)state;
	assert_non_null(supposed.of);
	supposed.of[0] = HEAD;
	supposed.of[1] = HEAD + 8;
	supposed.of[2] = supposed.of[3] = SUPPOSED_NOT;
	unlink_item(&p, false);
	assert_true(values_window(p.values, 0, values_allowed(p.values), &options));
	assert_int_equal(coherent_init(&solver, p.history, &options, &supposed), STATUS_OK);
	x5 = solve_register(&solver, BEFORE_STORES, REG_X0 + 5);
	assert_true(x5.known != UINT64_MAX);
	solve_fini(&solver);
	suppositions_fini(&supposed);
	end(&p);
}

/*
 * X2 and X3 after the loads. Where the second store goes says what the first load loads, X8; so the
 * second load loads what the first store stored, X2, which is where the second store goes. That X8
 * is loaded says the last store through X3, too, since it does not hit what X3 was loaded from.
 */
static void solve_by_a_load(uint64_t doubt, struct bits *x2, struct bits *x3)
{
	const uint32_t code[] = {STR_X2_X8_8, STR_X8_X2, LDR_X3_X10,   LDR_X7_X3_8, STR_X11_X10,
	                         STR_X9_X3,   NOP,       STR_X12_X8_8, MOV_X2_0,    MOV_X3_0};
	uint64_t of[LOAD_ACCESSES] = {SUPPOSED_NOT, SUPPOSED_NOT, SUPPOSED_NOT, SUPPOSED_NOT,
	                              SUPPOSED_NOT, HEAD | doubt, SUPPOSED_NOT};
	struct suppositions supposed = {.of = of, .count = LOAD_ACCESSES};
	struct solver solver;
	struct program p;

	begin(&p, code, sizeof(code) / sizeof(code[0]));
	set(&p, 2, 0);
	set(&p, 3, 0);
	set(&p, 7, HEAD);
	set(&p, 8, ITEM);
	set(&p, 10, HEAD);
	set(&p, 11, NAIVE);
	set(&p, 12, NAIVE);
	put_u64(p.data + ITEM - DATA, 7);
	run(&p);
	solve(&p, &supposed, &solver);
	*x2 = solve_register(&solver, AFTER_LOADS, REG_X0 + 2);
	*x3 = solve_register(&solver, AFTER_LOADS, REG_X0 + 3);
	solve_fini(&solver);
	end(&p);
}

static void store_says_nothing_of_itself_by_way_of_where_a_load_goes(void **state)
{
	struct bits x2;
	struct bits x3;

	(void)state;
	solve_by_a_load(0, &x2, &x3);
	assert_int_equal(x2.known & x3.known, UINT64_MAX);
	assert_int_equal(x2.value, HEAD);
	assert_int_equal(x3.value, ITEM);
	solve_by_a_load(SUPPOSED_DOUBTFUL, &x2, &x3);
	assert_true(x2.known != UINT64_MAX && x3.known != UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(stores_that_place_each_other_say_nothing_while_doubtful),
	        cmocka_unit_test(store_is_trusted_once_its_address_follows),
	        cmocka_unit_test(store_says_nothing_of_itself_by_way_of_where_a_load_goes),
	        cmocka_unit_test(stores_that_place_each_other_are_not_carried_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
