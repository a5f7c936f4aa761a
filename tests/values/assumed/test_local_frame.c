/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The assumption private-locals (replay/values/solver/local_frame.h): which stores of unknown
 * address do not hit a local variable. In: a function that keeps X1 in its frame while it stores
 * through X3, of which nothing is known. Out: whether X1 is known as the function was called.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "replay/values/solver/solver.h"
#include "tests/values/adversary.h"

#define BL_TO_F      UINT32_C(0x94000004) /* + 16 */
#define BL_TO_G      UINT32_C(0x94000000)
#define SUB_SP_16    UINT32_C(0xd10043ff)
#define ADD_SP_16    UINT32_C(0x910043ff)
#define STR_X1_SP_8  UINT32_C(0xf90007e1)
#define LDR_X1_SP_8  UINT32_C(0xf94007e1)
#define ADD_X5_SP_8  UINT32_C(0x910023e5)
#define ADD_X5_SP_24 UINT32_C(0x910063e5)
#define MOV_X29_SP   UINT32_C(0x910003fd)
#define MOV_X5_X29   UINT32_C(0xaa1d03e5)
#define STR_X29_X2   UINT32_C(0xf900005d)
#define ADD_SP_SP_X6 UINT32_C(0x8b2663ff)

enum {
	F = 4,  /* where the function begins */
	G = 24, /* and another that it calls */
	F_MOST = 16,
	G_MOST = 6,
};

struct question {
	uint32_t f[F_MOST]; /* up to the first 0; one of BL_TO_G is a call of g */
	uint32_t g[G_MOST];
	bool is_off;
	bool is_inlined; /* f is not called, but runs from the start */
};

/* The instructions of f with a call of g among them as what was executed one after the other. */
static void lay_out(struct program *p, const struct question *q)
{
	size_t begin_at = F;
	size_t runs = 0;
	size_t length = 0;
	size_t g = 0;

	while (g < G_MOST && q->g[g] != 0)
		g++;
	if (!q->is_inlined)
		p->runs[runs++] = (struct run){0, 1, INSN_BRANCH, false};
	for (; length < F_MOST && q->f[length] != 0; length++) {
		if (q->f[length] != BL_TO_G)
			continue;
		p->runs[runs++] =
		        (struct run){begin_at, F + length + 1 - begin_at, INSN_BRANCH, false};
		p->runs[runs++] = (struct run){G, g, INSN_BRANCH_INDIRECT, false};
		begin_at = F + length + 1;
	}
	p->runs[runs++] =
	        (struct run){begin_at, F + length - begin_at, INSN_BRANCH_INDIRECT, false};
	p->runs[runs++] = (struct run){1, 3, INSN_OTHER, false};
	p->end = CODE + 4 * F;
	set(p, PC, p->end);
}

static void prepare(struct program *p, const struct question *q)
{
	uint32_t code[G + G_MOST] = {BL_TO_F, MOV_X3_0, MOV_X5_0, MOV_X6_0};

	for (size_t i = 0; i < F_MOST; i++) {
		code[F + i] = q->f[i] == 0 ? NOP : q->f[i];
		if (q->f[i] == BL_TO_G)
			code[F + i] |= (uint32_t)(G - F - i);
	}
	for (size_t i = 0; i < G_MOST; i++)
		code[G + i] = q->g[i] == 0 ? NOP : q->g[i];
	begin(p, code, G + G_MOST);
	set(p, 3, 0);
	set(p, 5, 0);
	set(p, 6, 0);
	set(p, 30, CODE + 4);
	/* X1 lies below the frame record, if there is one. */
	if (q->f[0] == PUSH_FRAME) {
		put_u64(p->data + 0xf0, 7);
		put_u64(p->data + 0xf8, CODE + 4);
		put_u64(p->data + 0xe8, 7);
		put_u64(p->data, DATA + 0xf0);
	} else {
		put_u64(p->data + 0xf8, 7);
	}
	lay_out(p, q);
	assumes_private_locals = !q->is_off;
	run(p);
	assumes_private_locals = false;
}

/* X1 is 7, as at the end, where the store through X3 does not hit the frame. */
static bool knows(struct question q)
{
	struct solve_options options;
	enum assumption given_up;
	struct program p;
	struct value value;
	uint64_t position;

	prepare(&p, &q);
	values_register(p.values, 0, A64_x0 + 1, &value);
	assert_false(values_given_up(p.values, &given_up, &options, &position));
	end(&p);
	if (!value_is_known(&value))
		return false;
	assert_int_equal(value_u64(&value), 7);
	assert_true(value.is_assumed);
	return true;
}

static void store_through_a_pointer_misses_a_local(void **state)
{
	struct question q = {.f = {SUB_SP_16, STR_X1_SP_8, STR_X4_X3, LDR_X1_SP_8, ADD_SP_16, RET}};

	(void)state;
	assert_true(knows(q));
	q.is_off = true;
	assert_false(knows(q));
}

/* Who called it is not seen, nor what it did before. */
static void function_that_was_not_called_says_nothing(void **state)
{
	(void)state;
	assert_false(knows((struct question){
	        .f = {SUB_SP_16, STR_X1_SP_8, STR_X4_X3, LDR_X1_SP_8, ADD_SP_16, RET},
	        .is_inlined = true}));
}

static void local_whose_address_was_taken_may_be_hit(void **state)
{
	(void)state;
	assert_false(knows((struct question){.f = {SUB_SP_16, STR_X1_SP_8, ADD_X5_SP_8, STR_X4_X3,
	                                           LDR_X1_SP_8, ADD_SP_16, RET}}));
	/* Any of its frame, and what is above belongs to the caller's, too. */
	assert_false(knows((struct question){.f = {SUB_SP_16, STR_X1_SP_8, ADD_X5_SP_24, STR_X4_X3,
	                                           LDR_X1_SP_8, ADD_SP_16, RET}}));
	/* Only afterwards. */
	assert_true(knows((struct question){.f = {SUB_SP_16, STR_X1_SP_8, STR_X4_X3, ADD_X5_SP_8,
	                                          LDR_X1_SP_8, ADD_SP_16, RET}}));
}

static void frame_pointer_is_no_address_until_it_is_copied(void **state)
{
	(void)state;
	assert_true(
	        knows((struct question){.f = {PUSH_FRAME, MOV_X29_SP, SUB_SP_16, STR_X1_SP_8,
	                                      STR_X4_X3, LDR_X1_SP_8, ADD_SP_16, POP_FRAME, RET}}));
	assert_false(knows(
	        (struct question){.f = {PUSH_FRAME, MOV_X29_SP, SUB_SP_16, STR_X1_SP_8, MOV_X5_X29,
	                                STR_X4_X3, LDR_X1_SP_8, ADD_SP_16, POP_FRAME, RET}}));
	assert_false(knows(
	        (struct question){.f = {PUSH_FRAME, MOV_X29_SP, SUB_SP_16, STR_X1_SP_8, STR_X29_X2,
	                                STR_X4_X3, LDR_X1_SP_8, ADD_SP_16, POP_FRAME, RET}}));
}

static void store_through_sp_is_none_through_a_pointer(void **state)
{
	(void)state;
	assert_false(knows((struct question){
	        .f = {SUB_SP_16, STR_X1_SP_8, STR_X4_SP_X3, LDR_X1_SP_8, ADD_SP_16, RET}}));
}

/* SP is made of a register, which may lead to another stack. */
static void other_stack_is_no_frame(void **state)
{
	(void)state;
	assert_false(knows((struct question){.f = {SUB_SP_16, STR_X1_SP_8, MOV_X6_0, ADD_SP_SP_X6,
	                                           STR_X4_X3, LDR_X1_SP_8, ADD_SP_16, RET}}));
}

/* f keeps X1 while g runs, which takes an address of its own frame, or of that of f. */
static void callee_takes_addresses_of_its_own(void **state)
{
	struct question q = {.f = {PUSH_FRAME, SUB_SP_16, STR_X1_SP_8, BL_TO_G, STR_X4_X3,
	                           LDR_X1_SP_8, ADD_SP_16, POP_FRAME, RET},
	                     .g = {NOP, RET}};

	(void)state;
	assert_true(knows(q));
	q.g[0] = ADD_X5_SP_8;
	assert_false(knows(q));
	memcpy(q.g, (uint32_t[]){SUB_SP_16, ADD_X5_SP_8, ADD_SP_16, RET, 0, 0}, sizeof(q.g));
	assert_true(knows(q));
	memcpy(q.g, (uint32_t[]){SUB_SP_16, ADD_X5_SP_24, ADD_SP_16, RET, 0, 0}, sizeof(q.g));
	assert_false(knows(q));
	/* The store is made by g. */
	memcpy(q.g, (uint32_t[]){STR_X4_X3, RET, 0, 0, 0, 0}, sizeof(q.g));
	assert_true(knows(q));
}

/* X1 was 7 and is something else afterwards: the assumption is given up, and nothing proved is. */
static void store_that_did_hit_is_a_contradiction(void **state)
{
	struct question q = {
	        .f = {MOV_X1_7, SUB_SP_16, STR_X1_SP_8, STR_X4_X3, LDR_X1_SP_8, ADD_SP_16, RET}};
	struct solve_options options;
	enum assumption given_up;
	struct program p;
	uint64_t position;
	uint64_t value;

	(void)state;
	assumes_private_locals = true;
	prepare(&p, &q);
	values_destroy(p.values);
	history_destroy(p.history);
	memmap_destroy(p.core.memory);
	set(&p, 1, 9);
	set(&p, 4, 9);
	put_u64(p.data + 0xf8, 9);
	assumes_private_locals = true;
	run(&p);
	assumes_private_locals = false;
	assert_false(is_known(&p, 0, A64_x0 + 1, &value));
	assert_true(values_given_up(p.values, &given_up, &options, &position));
	assert_int_equal(given_up, ASSUME_PRIVATE_LOCALS);
	assert_is(&p, 4, 1, 7);
	end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(store_through_a_pointer_misses_a_local),
	        cmocka_unit_test(function_that_was_not_called_says_nothing),
	        cmocka_unit_test(local_whose_address_was_taken_may_be_hit),
	        cmocka_unit_test(frame_pointer_is_no_address_until_it_is_copied),
	        cmocka_unit_test(store_through_sp_is_none_through_a_pointer),
	        cmocka_unit_test(other_stack_is_no_frame),
	        cmocka_unit_test(callee_takes_addresses_of_its_own),
	        cmocka_unit_test(store_that_did_hit_is_a_contradiction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
