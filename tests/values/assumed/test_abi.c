/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that returned, of A64 code: which they are, which registers they keep, where these were
 * saved, and whether SP is the same (AAPCS64 6.1). In: programs whose first instruction calls
 * number 3 and goes on at number 1.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/values/call_case.h"
#include "tests/values/made_a64.h"

#define NOP          UINT32_C(0xd503201f)
#define BLR_X1       UINT32_C(0xd63f0020)
#define BL_2         UINT32_C(0x94000002)
#define BL_BACK_1    UINT32_C(0x97ffffff)
#define BL_BACK_12   UINT32_C(0x97fffff4)
#define BL_4         UINT32_C(0x94000004)
#define MOV_X0_2     UINT32_C(0xd2800040)
#define B_BACK_3     UINT32_C(0x17fffffd)
#define SUB_SP_16    UINT32_C(0xd10043ff)
#define SUB_SP_32    UINT32_C(0xd10083ff)
#define MOV_X29_SP   UINT32_C(0x910003fd)
#define ADD_X29_SP   UINT32_C(0x910043fd)
#define BR_X21       UINT32_C(0xd61f02a0)
#define MOV_SP_X20   UINT32_C(0x9100029f)
#define MOV_SP_X29   UINT32_C(0x910003bf)
#define MOV_SP_X2    UINT32_C(0x9100005f)
#define SUB_SP_SP_X0 UINT32_C(0xcb2063ff)
#define LDR_X19_SP   UINT32_C(0xf94003f3)
#define LDR_X0_SP    UINT32_C(0xf94003e0)
#define STR_X19_SP   UINT32_C(0xf90003f3)
#define LDR_X19_X2   UINT32_C(0xf9400053)
#define LDR_D8_SP    UINT32_C(0xfd4003e8)
#define MOV_X18_0    UINT32_C(0xd2800012)
#define MOV_X29_0    UINT32_C(0xd280001d)
#define UNKNOWN      UINT32_C(0x80800000)

/* A program that was executed, and the calls in it. */
struct example {
	uint32_t opcodes[CODE_MOST];
	struct run runs[RUNS_MOST];
	struct found calls[CALLS_MOST];
};

static void finish_at(struct program *p, const struct run *runs, uint64_t end_pc)
{
	struct element elements[RUNS_MOST];
	size_t count = 0;

	for (; count < RUNS_MOST && runs[count].count > 0; count++)
		elements[count] = range(CODE + 4 * runs[count].first, runs[count].count,
		                        INSN_BRANCH_INDIRECT, true);
	put_u64(p->x[AT_PC], end_pc);
	leads_to(end_pc);
	finish(p, elements, count);
}

static void check(const struct example *e)
{
	struct program p;

	begin(&p, e->opcodes, CODE_MOST);
	finish_at(&p, e->runs, CODE + 8);
	check_calls(p.f.history, e->calls);
	end(&p);
}

/* Of a function alone: what is called, to its return. */
struct function {
	uint32_t opcodes[CODE_MOST - FUNCTION];
	uint32_t count;
	struct found call; /* begins at 0, and ends after the function */
};

static void check_functions(const struct function *functions, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct function *f = &functions[i];
		struct example e = {
		        {BL_3, NOP, NOP}, {{0, 1}, {FUNCTION, f->count}, {1, 1}}, {f->call}};

		memcpy(e.opcodes + FUNCTION, f->opcodes, sizeof(f->opcodes));
		if (f->call.same + f->call.restored[0] > 0 || f->call.keeps_sp)
			e.calls[0].end = f->count + 1;
		check(&e);
	}
}

#define CHECK(functions) check_functions(functions, sizeof(functions) / sizeof((functions)[0]))

static void saved_registers_are_the_same_after_a_call(void **state)
{
	static const struct function functions[] = {
	        /* Nothing was saved. */
	        {{NOP, RET}, 2, {0}},
	        {{MOV_X19_0, RET}, 2, {.same = 1, .keeps_sp = true}},
	        {{MOV_X19_0, MOV_X29_0, RET}, 3, {.same = 2, .keeps_sp = true}},
	        {{LDR_D8_SP, RET}, 2, {.same = 1, .restored = {1}, .keeps_sp = true}},
	        /* X18 belongs to the platform, X0 to X17 to nobody. */
	        {{MOV_X18_0, MOV_X3_0, RET}, 3, {0}},
	        /* BR returns, too; B does not. */
	        {{MOV_X19_0, BR_X1}, 2, {.same = 1, .keeps_sp = true}},
	        {{MOV_X19_0, B_BACK_3}, 2, {0}},
	        /* What it does to registers is not known. */
	        {{MOV_X19_0, UNKNOWN, RET}, 3, {0}},
	};

	(void)state;
	CHECK(functions);
}

static void saved_registers_are_loaded_through_sp(void **state)
{
	static const struct function functions[] = {
	        {{PUSH_X19_LR, MOV_X19_0, POP_X19_LR, RET},
	         4,
	         {.same = 1, .restored = {3}, .keeps_sp = true}},
	        {{LDR_X19_SP, RET}, 2, {.same = 1, .restored = {1}, .keeps_sp = true}},
	        {{LDR_X19_SP, POP_X19_LR, RET}, 3, {.same = 1, .restored = {2}, .keeps_sp = false}},
	        /* Overwritten since; none that is saved; through another register; a store. */
	        {{LDR_X19_SP, MOV_X19_0, RET}, 3, {.same = 1, .keeps_sp = true}},
	        {{LDR_X0_SP, RET}, 2, {0}},
	        {{LDR_X19_X2, RET}, 2, {.same = 1, .keeps_sp = true}},
	        {{STR_X19_SP, RET}, 2, {0}},
	};

	(void)state;
	CHECK(functions);
}

static void sp_is_the_same_if_constants_or_the_frame_pointer_say_so(void **state)
{
	static const struct function functions[] = {
	        {{SUB_SP_16, ADD_SP_16, RET}, 3, {.keeps_sp = true}},
	        {{SUB_SP_32, ADD_SP_16, ADD_SP_16, RET}, 4, {.keeps_sp = true}},
	        {{SUB_SP_32, ADD_SP_16, RET}, 3, {0}},
	        {{SUB_SP_32, ADD_SP_16, MOV_X19_0, RET}, 4, {.same = 1}},
	        {{MOV_X29_SP, SUB_SP_SP_X0, MOV_SP_X29, RET}, 4, {.same = 1, .keeps_sp = false}},
	        {{MOV_X29_SP, SUB_SP_32, MOV_SP_X29, RET}, 4, {.same = 1, .keeps_sp = true}},
	        /* Another stack. */
	        {{MOV_SP_X2, MOV_X19_0, RET}, 3, {.same = 1}},
	        {{SUB_SP_SP_X0, MOV_X19_0, RET}, 3, {.same = 1}},
	};

	(void)state;
	CHECK(functions);
}

static void call_ends_with_its_own_return(void **state)
{
	static const struct example examples[] = {
	        /* 3 saves X19, calls 7, which changes it, and loads it again. */
	        {{BL_3, NOP, NOP, PUSH_X19_LR, BL_3, POP_X19_LR, RET, MOV_X19_0, RET},
	         {{0, 1}, {3, 2}, {7, 2}, {5, 2}, {1, 1}},
	         {{2, 5, 1, {0}, true}, {0, 7, 1, {5}, true}}},
	        /* The same, and 7 returns to 1 itself, as longjmp() does. */
	        {{BL_3, NOP, NOP, PUSH_X19_LR, BL_3, POP_X19_LR, RET, MOV_X19_0, RET},
	         {{0, 1}, {3, 2}, {7, 2}, {1, 1}},
	         {{0, 5, 1, {0}, false}}},
	        /* 3 calls itself, by BR to 4, and in the end goes on at 6, and returns to 5. */
	        {{BL_3, NOP, NOP, BR_X1, BL_BACK_1, NOP, MOV_X19_0, RET},
	         {{0, 1}, {3, 1}, {4, 1}, {3, 1}, {4, 1}, {3, 1}, {6, 2}, {5, 3}, {5, 3}, {1, 1}},
	         {{4, 8, 1, {0}, true}, {2, 11, 1, {0}, true}, {0, 14, 1, {0}, true}}},
	        /* BLR calls. */
	        {{BLR_X1, NOP, NOP, MOV_X19_0, RET},
	         {{0, 1}, {3, 2}, {1, 1}},
	         {{0, 3, 1, {0}, true}}},
	        /* What was loaded before the last call in it is not what it returns with. */
	        {{BL_3, NOP, NOP, LDR_X19_SP, BL_3, NOP, RET, NOP, RET},
	         {{0, 1}, {3, 2}, {7, 2}, {5, 2}, {1, 1}},
	         {{0, 7, 1, {0}, true}}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++)
		check(&examples[i]);
}

/*
 * 0 calls 3, which calls 6, as it were setjmp(), and 8, which calls 10, as it were longjmp(): that
 * makes SP and X19 of what is not known, and goes to 4 again.
 */
#define PROGRAM                                                                                    \
	{                                                                                          \
		BL_3, NOP, NOP, BL_3, BR_X1, BL_3, NOP, RET, BL_2, BR_X1, MOV_SP_X2, MOV_X19_0,    \
		        BR_X1, MOV_X19_7, BR_X1, BL_BACK_12                                        \
	}
static const struct example again[] = {
        {PROGRAM,
         {{0, 1}, {3, 1}, {6, 2}, {4, 1}, {5, 1}, {8, 1}, {10, 3}, {4, 1}, {1, 1}},
         {{1, 10, 1, {0}, true}, {0, 11, 1, {0}, false}}},
        /* It is not SP that changed: that was no longjmp(). */
        {PROGRAM,
         {{0, 1}, {3, 1}, {6, 2}, {4, 1}, {5, 1}, {8, 1}, {11, 2}, {4, 1}, {1, 1}},
         {{0, 10, 1, {0}, true}}},
        /* Called by 3 itself it may be a switch of coroutines. */
        {PROGRAM,
         {{0, 1}, {3, 1}, {6, 2}, {4, 1}, {10, 3}, {4, 1}, {1, 1}},
         {{0, 9, 1, {0}, false}}},
        /* 3 was called before what is seen. There it may return: to 5. */
        {PROGRAM,
         {{3, 1}, {6, 2}, {4, 1}, {5, 1}, {8, 1}, {10, 3}, {4, 1}, {1, 1}},
         {{0, 9, 1, {0}, true}}},
        {PROGRAM, {{3, 1}, {6, 2}, {4, 1}, {7, 1}, {5, 1}, {8, 1}, {10, 3}, {4, 1}, {1, 1}}, {{0}}},
        /* 3 returned to 1 meanwhile. */
        {PROGRAM,
         {{0, 1}, {3, 1}, {6, 2}, {4, 1}, {1, 2}, {5, 1}, {8, 1}, {10, 3}, {4, 1}, {1, 1}},
         {{0}}},
        /* Of 3, which called itself, either may go on. */
        {PROGRAM,
         {{0, 1},
          {3, 1},
          {6, 2},
          {4, 1},
          {15, 1},
          {3, 1},
          {6, 2},
          {4, 1},
          {5, 1},
          {8, 1},
          {10, 3},
          {4, 1}},
         {{0}}},
        /* Something else ran in between, on a stack of its own. */
        {PROGRAM,
         {{0, 1}, {3, 1}, {6, 2}, {4, 1}, {5, 1}, {8, 1}, {10, 3}, {13, 2}, {4, 1}, {1, 1}},
         {{0, 13, 1, {0}, false}}},
        /* 3 called 6 twice, with two values of X19: either of them may be restored. */
        {PROGRAM,
         {{0, 1},
          {3, 1},
          {6, 2},
          {4, 1},
          {13, 2},
          {3, 1},
          {6, 2},
          {4, 1},
          {5, 1},
          {8, 1},
          {10, 3},
          {4, 1}},
         {{7, 16, 0, {0}, true}}},
};
#undef PROGRAM

static void call_returns_again_by_longjmp(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(again) / sizeof(again[0]); i++)
		check(&again[i]);
}

/* What is asked for where coroutines are seen to be switched by it. */
static void call_returns_once_if_asked(void **state)
{
	struct solve_options options = {.single_writer = true, .abi = true};

	(void)state;
	for (int once = 0; once < 2; once++) {
		struct program p;
		struct solver s;

		begin(&p, again[0].opcodes, CODE_MOST);
		finish_at(&p, again[0].runs, CODE + 8);
		options.window.to = history_length(p.f.history);
		options.returns_once = once == 1;
		assert_int_equal(solve_init(&s, p.f.history, &options), STATUS_OK);
		assert_int_equal(s.abi.has_again, once == 0);
		assert_int_equal(s.abi.call_count, once == 0 ? 2 : 1);
		solve_fini(&s);
		end(&p);
	}
}

/* Ends the program, of so many steps, which halts at instruction 3: SP before step `at`. */
static struct bits sp_of(struct program *p, const struct run *runs, uint64_t length, uint64_t at)
{
	struct solve_options options = {.single_writer = true, .abi = true};
	struct solver s;
	struct bits sp;

	finish_at(p, runs, CODE + 12);
	options.window.to = history_length(p->f.history);
	assert_int_equal(solve_init(&s, p->f.history, &options), STATUS_OK);
	assert_int_equal(history_length(p->f.history), length);
	sp = solve_register(&s, at, REG_SP);
	solve_fini(&s);
	end(p);
	return sp;
}

static void put_opcode(struct program *p, size_t at, uint32_t opcode)
{
	for (unsigned int i = 0; i < 4; i++)
		p->code[4 * at + i] = (uint8_t)(opcode >> 8 * i);
}

/* Of SP at the begin: 1 calls setjmp(), 6 longjmp() with what 2 makes X0. */
static struct bits sp_before_longjmp(uint32_t buffer)
{
	static const struct run runs[RUNS_MOST] = {{0, 2}, {5, 1}, {2, 2}, {6, 1}, {8, 2}, {2, 1}};
	struct program p;

	BEGIN(&p, MOV_X0_1, BL_4, MOV_X0_1, BL_3, NOP, RET, BL_2, NOP, MOV_SP_X20, BR_X21);
	put_opcode(&p, 2, buffer);
	put_u64(p.x[0], buffer == MOV_X0_1 ? 1 : 2);
	put_u64(p.x[AT_LR], CODE + 28);
	return sp_of(&p, runs, 9, 0);
}

/* Two buffers: that was a switch to another stack. */
static void longjmp_goes_to_the_setjmp_of_its_buffer(void **state)
{
	struct bits sp = sp_before_longjmp(MOV_X0_1);

	(void)state;
	assert_int_equal(sp.known, UINT64_MAX);
	assert_int_equal(sp.value, DATA_AT + 16);
	assert_int_equal(sp_before_longjmp(MOV_X0_2).known, 0);
}

/*
 * Where two calls have saved X19 and X30, one after the other, in the same two words: no store of
 * unknown address writes there between the store that saves and the load. Numbers are those of
 * accesses: PUSH 0 and 1, STR 2, POP 3 and 4, and once more.
 */
static void saved_registers_are_kept_while_the_function_runs(void **state)
{
	static const struct abi_slot slots[] = {
	        {DATA_AT, 1, 3}, {DATA_AT, 6, 8}, {DATA_AT + 8, 2, 4}, {DATA_AT + 8, 7, 9}};
	static const struct run runs[RUNS_MOST] = {{0, 1}, {3, 4}, {1, 1}, {3, 4}, {2, 1}};
	struct solve_options options = {.single_writer = true, .abi = true};
	struct program p;
	struct solver s;

	(void)state;
	BEGIN(&p, BL_3, BL_2, MOV_X3_0, PUSH_X19_LR, STR_X4_X3, POP_X19_LR, RET);
	put_u64(p.x[AT_PC], CODE + 12);
	put_u64(p.x[AT_LR], CODE + 8);
	put_u64(p.x[AT_X19], STORED);
	put_u64(p.data + 8, CODE + 8);
	finish_at(&p, runs, CODE + 12);
	options.window = (struct window_options){.to = history_length(p.f.history),
	                                         .handler_preserves = true};
	assert_int_equal(solve_init(&s, p.f.history, &options), STATUS_OK);
	assert_int_equal(s.abi.slot_count, 4);
	for (size_t i = 0; i < 4; i++)
		assert_memory_equal(&s.abi.slots[i], &slots[i], sizeof(slots[i]));
	for (uint32_t access = 0; access < 10; access++) {
		bool is_wild = access == 2 || access == 7;

		assert_int_equal(abi_slot_is_kept(&s, DATA_AT, access), is_wild);
		assert_int_equal(abi_slot_is_kept(&s, DATA_AT + 8, access), is_wild);
		assert_false(abi_slot_is_kept(&s, DATA_AT + 16, access));
	}
	assert_int_equal(memdep_apart_decides(&s, DATA_AT, 0, 3), MEMDEP_APART_ABI);
	assert_int_equal(memdep_apart_decides(&s, DATA_AT, 0, 2), MEMDEP_MAY_ALIAS);
	assert_int_equal(memdep_apart_decides(&s, DATA_AT, 3, 7), MEMDEP_MAY_ALIAS);
	assert_int_equal(memdep_apart_decides(&s, DATA_AT, 3, 8), MEMDEP_APART_ABI);
	assert_int_equal(memdep_apart_decides(&s, DATA_AT + 16, 0, 10), MEMDEP_MAY_ALIAS);
	solve_fini(&s);
	end(&p);
}

/* Of SP before instruction 2, which a return led to from a stack that is not known. */
static struct bits sp_after_return(uint32_t first)
{
	static const struct run runs[RUNS_MOST] = {{0, 2}, {4, 1}, {2, 2}, {5, 2}, {2, 1}};
	struct program p;

	BEGIN(&p, NOP, BL_3, MOV_SP_X29, BR_X21, RET, MOV_SP_X20, RET);
	put_u64(p.x[AT_LR], CODE + 8);
	put_opcode(&p, 0, first);
	return sp_of(&p, runs, 8, 7);
}

/* At the call that is seen SP is X29, or not: so it is after each return to there. */
static void sp_is_the_frame_pointer_after_a_return_if_it_was_at_a_call(void **state)
{
	struct bits sp = sp_after_return(MOV_X29_SP);

	(void)state;
	assert_int_equal(sp.known, UINT64_MAX);
	assert_int_equal(sp.value, DATA_AT + 16);
	assert_int_equal(sp_after_return(ADD_X29_SP).known, 0);
	assert_int_equal(sp_after_return(NOP).known, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(saved_registers_are_the_same_after_a_call),
	        cmocka_unit_test(saved_registers_are_loaded_through_sp),
	        cmocka_unit_test(sp_is_the_same_if_constants_or_the_frame_pointer_say_so),
	        cmocka_unit_test(call_ends_with_its_own_return),
	        cmocka_unit_test(call_returns_again_by_longjmp),
	        cmocka_unit_test(call_returns_once_if_asked),
	        cmocka_unit_test(longjmp_goes_to_the_setjmp_of_its_buffer),
	        cmocka_unit_test(saved_registers_are_kept_while_the_function_runs),
	        cmocka_unit_test(sp_is_the_frame_pointer_after_a_return_if_it_was_at_a_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
