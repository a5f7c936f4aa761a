/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Local variables whose address was taken, where that is hard to see: a store through a pointer
 * hits such a one, whatever private-locals and abi say. In: A64 programs that keep 1 in a variable,
 * store X4 through X3 and load it again to X1, of which the end says nothing. Out: X1 is not known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/values/solver/solver.h"
#include "tests/values/adversary.h"

enum { LENGTH = 32, LOCAL = 0xf0 };

struct line {
	size_t at;
	uint32_t opcode;
};

/* At the end X1, X3 and X4 are 0, X8 is 1 and X0 is the variable's address. */
static void lay_out(struct program *p, const struct line *lines, size_t line_count, uint64_t end)
{
	uint32_t code[LENGTH];

	for (size_t i = 0; i < LENGTH; i++)
		code[i] = NOP;
	for (size_t i = 0; i < line_count; i++)
		code[lines[i].at] = lines[i].opcode;
	begin(p, code, LENGTH);
	set(p, 0, DATA + LOCAL);
	set(p, 1, 0);
	set(p, 3, 0);
	set(p, 4, 0);
	set(p, 8, 1);
	put_u64(p->data + LOCAL, 0);
	p->end = CODE + 4 * end;
	set(p, PC, p->end);
}

/* After the load X1 is not known, and nothing contradicts. */
static void assert_hits(struct program *p, const struct run *runs, size_t count, uint64_t position)
{
	memcpy(p->runs, runs, count * sizeof(*runs));
	run(p);
	assert_unknown(p, position, 1);
	end(p);
}

/*
 * The function at 5 calls that at 24, which calls 26, which makes SP of SP and X5, as an unwinder
 * does, and goes on at 9 in the first one. There the address is taken for the first time.
 */
static void after_unwinding_the_frame_is_that_of_the_catcher(void **state)
{
	static const struct line lines[] = {
	        {0, 0x94000004},                                    /* bl 4 */
	        {4, 0xd10083ff},                                    /* sub sp, sp, #32 */
	        {5, 0x94000013},                                    /* bl 24 */
	        {9, 0xd2800028},                                    /* mov x8, #1 */
	        {10, 0xf9000be8},                                   /* str x8, [sp, #16] */
	        {11, 0x910043e0},                                   /* add x0, sp, #16 */
	        {12, 0x94000011},                                   /* bl 29 */
	        {13, 0xf9400be1},                                   /* ldr x1, [sp, #16] */
	        {14, 0xf9000bff},                                   /* str xzr, [sp, #16] */
	        {15, MOV_X3_0},   {16, MOV_X4_0}, {17, 0xd2800001}, /* mov x1, #0 */
	        {18, 0x910083ff},                                   /* add sp, sp, #32 */
	        {24, 0xd10103ff},                                   /* sub sp, sp, #64 */
	        {25, 0x94000001},                                   /* bl 26 */
	        {27, 0x8b2563ff},                                   /* add sp, sp, x5 */
	        {28, 0xd61f00c0},                                   /* br x6 */
	        {29, STR_X4_X3},  {30, RET},
	};
	static const struct run runs[] = {
	        {0, 1, INSN_BRANCH, false},  {4, 2, INSN_BRANCH, false},
	        {24, 2, INSN_BRANCH, false}, {26, 3, INSN_BRANCH_INDIRECT, false},
	        {9, 4, INSN_BRANCH, false},  {29, 2, INSN_BRANCH_INDIRECT, false},
	        {13, 7, INSN_OTHER, false},
	};
	struct program p;

	(void)state;
	lay_out(&p, lines, sizeof(lines) / sizeof(lines[0]), 20);
	set(&p, 5, 64);
	set(&p, 6, CODE + 4 * 9);
	set(&p, 30, CODE + 4 * 13);
	assumes_private_locals = true;
	assert_hits(&p, runs, sizeof(runs) / sizeof(runs[0]), 15);
	assumes_private_locals = false;
}

/*
 * The function at 16 calls 24, which makes SP of X29 at its end, and takes the address of a
 * parameter in its caller's frame, that at 2.
 */
static void parameter_is_in_the_frame_of_the_caller_after_any_call(void **state)
{
	static const struct line lines[] = {
	        {0, 0x94000002},                                     /* bl 2 */
	        {2, 0xd10043ff},                                     /* sub sp, sp, #16 */
	        {3, 0xd2800028},                                     /* mov x8, #1 */
	        {4, 0xf90003e8},                                     /* str x8, [sp] */
	        {5, 0x9400000b},                                     /* bl 16 */
	        {6, MOV_X3_0},    {7, MOV_X4_0},    {8, 0xd2800001}, /* mov x1, #0 */
	        {9, 0x910043ff},                                     /* add sp, sp, #16 */
	        {16, 0xd10083ff},                                    /* sub sp, sp, #32 */
	        {17, 0x94000007},                                    /* bl 24 */
	        {18, 0x910083e0},                                    /* add x0, sp, #32 */
	        {19, STR_X4_X3},  {20, 0xf94013e1},                  /* ldr x1, [sp, #32] */
	        {21, 0xf90013ff},                                    /* str xzr, [sp, #32] */
	        {22, 0x910083ff},                                    /* add sp, sp, #32 */
	        {23, 0xd61f00e0},                                    /* br x7 */
	        {24, 0x910003fd},                                    /* mov x29, sp */
	        {25, 0xd10103ff},                                    /* sub sp, sp, #64 */
	        {26, 0x910003bf},                                    /* mov sp, x29 */
	        {27, RET},
	};
	static const struct run runs[] = {
	        {0, 1, INSN_BRANCH, false},           {2, 4, INSN_BRANCH, false},
	        {16, 2, INSN_BRANCH, false},          {24, 4, INSN_BRANCH_INDIRECT, false},
	        {18, 6, INSN_BRANCH_INDIRECT, false}, {6, 5, INSN_OTHER, false},
	};
	struct program p;

	(void)state;
	lay_out(&p, lines, sizeof(lines) / sizeof(lines[0]), 11);
	set(&p, 29, DATA + 0x100 - 48);
	set(&p, 7, CODE + 4 * 6);
	set(&p, 30, CODE + 4 * 18);
	assumes_private_locals = true;
	assert_hits(&p, runs, sizeof(runs) / sizeof(runs[0]), 14);
	assumes_private_locals = false;
}

/*
 * The function at 8 has a variable, and ends with a jump to 28, which saves X19 where that was: the
 * same call, but it has not saved yet when the function at 24 stores.
 */
static void what_is_saved_later_keeps_no_variable_of_before(void **state)
{
	static const struct line lines[] = {
	        {0, 0x94000008},                                   /* bl 8 */
	        {1, 0xd2800001},                                   /* mov x1, #0 */
	        {2, MOV_X3_0},    {3, MOV_X4_0}, {8, 0xd10083ff},  /* sub sp, sp, #32 */
	        {9, 0xf90003fe},                                   /* str x30, [sp] */
	        {10, 0xd2800028},                                  /* mov x8, #1 */
	        {11, 0xf9000be8},                                  /* str x8, [sp, #16] */
	        {12, 0x910043e0},                                  /* add x0, sp, #16 */
	        {13, 0x9400000b},                                  /* bl 24 */
	        {14, 0xf9400be1},                                  /* ldr x1, [sp, #16] */
	        {15, 0xf9000bff},                                  /* str xzr, [sp, #16] */
	        {16, 0xf94003fe},                                  /* ldr x30, [sp] */
	        {17, 0x910083ff},                                  /* add sp, sp, #32 */
	        {18, 0x1400000a},                                  /* b 28 */
	        {24, STR_X4_X3},  {25, RET},     {28, 0xa9bf7bf3}, /* stp x19, x30, [sp, #-16]! */
	        {29, 0xa8c17bf3},                                  /* ldp x19, x30, [sp], #16 */
	        {30, RET},
	};
	static const struct run runs[] = {
	        {0, 1, INSN_BRANCH, false},           {8, 6, INSN_BRANCH, false},
	        {24, 2, INSN_BRANCH_INDIRECT, false}, {14, 5, INSN_BRANCH, false},
	        {28, 3, INSN_BRANCH_INDIRECT, false}, {1, 4, INSN_OTHER, false},
	};
	struct program p;

	(void)state;
	lay_out(&p, lines, sizeof(lines) / sizeof(lines[0]), 5);
	set(&p, 30, CODE + 4);
	put_u64(p.data + LOCAL, 7);
	put_u64(p.data + LOCAL + 8, CODE + 4);
	put_u64(p.data + LOCAL - 16, CODE + 4);
	assumes_abi = true;
	assert_hits(&p, runs, sizeof(runs) / sizeof(runs[0]), 10);
	assumes_abi = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(after_unwinding_the_frame_is_that_of_the_catcher),
	        cmocka_unit_test(parameter_is_in_the_frame_of_the_caller_after_any_call),
	        cmocka_unit_test(what_is_saved_later_keeps_no_variable_of_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
