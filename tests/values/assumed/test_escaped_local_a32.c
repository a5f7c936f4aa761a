/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Local variables whose address was taken, as in test_escaped_local.c, in A32 and T32 code: beside
 * a register of 4 bytes that was saved, and by way of the frame pointer's register. In: a function
 * that keeps 1 in a variable while something is stored through a pointer. Out: R1, which is loaded
 * from there then, is not known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/values/solver/solver.h"
#include "tests/values/made_a32.h"

enum { STACK_TOP = 0x8040, R1 = 1 };

static void assert_is_unknown(struct program *p, uint64_t position)
{
	struct value value;

	values_register(p->values, position, A32_r0 + R1, &value);
	assert_false(value_is_known(&value));
	assert_true(values_can(p->values));
	end(p);
}

/*
 * R4 is saved at SP + 12, and the variable is at SP + 8. `store` is that through R12, of which
 * `r12` is known at the end if it is not 0, and says that it hits the variable, if it is done.
 */
static void check_beside_saved(uint32_t store, uint32_t before_return, uint32_t r12)
{
	const uint32_t opcodes[] = {
	        0xeb000000,    /* bl 8 */
	        0xe320f000,    /* nop */
	        0xe92d4030,    /* push {r4, r5, lr} */
	        0xe24dd00c,    /* sub sp, sp, #12 */
	        0xe3a00001,    /* mov r0, #1 */
	        0xe58d0008,    /* str r0, [sp, #8] */
	        store,         /* r3 to [r12] */
	        0xe59d1008,    /* ldr r1, [sp, #8] */
	        0xe3a00005,    /* mov r0, #5 */
	        0xe58d0008,    /* str r0, [sp, #8] */
	        0xe3a01000,    /* mov r1, #0 */
	        0xe3a03000,    /* mov r3, #0 */
	        before_return, /* of r12, or of the flags, nothing is left */
	        0xe28dd00c,    /* add sp, sp, #12 */
	        0xe8bd8030,    /* pop {r4, r5, pc} */
	};
	const struct element elements[] = {run_of(ISA_A32, CODE, 1, CODE + 4, 4),
	                                   run_at(ISA_A32, CODE + 8, 13, true, true),
	                                   run_at(ISA_A32, CODE + 4, 1, false, true)};
	struct program p;

	begin_a32(&p, opcodes, sizeof(opcodes) / sizeof(opcodes[0]));
	p.options.abi = true;
	put_u32(p.r[0], 5);
	put_u32(p.r[1], 0);
	put_u32(p.r[12], r12);
	put_u32(p.r[R_SP], STACK_TOP);
	put_u32(p.r[R_LR], CODE + 4);
	put_u32(p.data + 0x30, 5);
	put_u32(p.data + 0x3c, CODE + 4);
	put_u32(p.r[R_PC], CODE + 8);
	put_u32(p.r[R_CPSR], 0x60000010); /* Z and C: what CMP leaves */
	leads_to(CODE + 8);
	finish(&p, elements, 3);
	assert_is_unknown(&p, 7);
}

static void variable_beside_a_saved_register_is_none(void **state)
{
	(void)state;
	check_beside_saved(0xe58c3000 /* str r3, [r12] */, 0xe3a0c000 /* mov r12, #0 */, 0);
}

/* A store under a condition of which the address is known is not through a pointer to anywhere. */
static void store_whose_address_is_known_is_not_apart(void **state)
{
	(void)state;
	check_beside_saved(0x158c3000 /* strne r3, [r12] */, 0xe1500000 /* cmp r0, r0 */,
	                   STACK_TOP - 16);
}

/* R7 is no frame pointer here, but the address of the variable, and a parameter on the stack. */
static void address_in_the_register_of_the_frame_pointer_is_taken(void **state)
{
	static const uint16_t opcodes[] = {
	        T_NOP,   T_NOP,  T_NOP, T_NOP, T_NOP,  T_NOP, 0xf000, 0xf800, /* bl 16 */
	        0xb084,                                                       /* sub sp, #16 */
	        0xaf02,                                                       /* add r7, sp, #8 */
	        0x2001,                                                       /* movs r0, #1 */
	        0x9002,                                                       /* str r0, [sp, #8] */
	        0x9700,                                                       /* str r7, [sp] */
	        0xf000,  0xf80a,                                              /* bl 50 */
	        0x9902,                                                       /* ldr r1, [sp, #8] */
	        0x2005,                                                       /* movs r0, #5 */
	        0x9002,                                                       /* str r0, [sp, #8] */
	        0x2100,                                                       /* movs r1, #0 */
	        0x2300,                                                       /* movs r3, #0 */
	        0xb004,                                                       /* add sp, #16 */
	        T_NOP,   T_NOP,  T_NOP, T_NOP, 0x601c,                        /* str r4, [r3] */
	        T_BX_LR,
	};
	const struct element elements[] = {run_at(ISA_T32, CODE, 6, false, true),
	                                   run_of(ISA_T32, CODE + 12, 1, CODE + 16, 4),
	                                   run_at(ISA_T32, CODE + 16, 5, false, true),
	                                   run_of(ISA_T32, CODE + 26, 1, CODE + 30, 4),
	                                   run_at(ISA_T32, CODE + 50, 2, true, true),
	                                   run_at(ISA_T32, CODE + 30, 7, false, true)};
	struct program p;

	(void)state;
	begin_t32(&p, opcodes, sizeof(opcodes) / sizeof(opcodes[0]));
	p.options.private_locals = true;
	put_u32(p.r[0], 5);
	put_u32(p.r[1], 0);
	put_u32(p.r[3], 0);
	put_u32(p.r[4], 99);
	put_u32(p.r[7], STACK_TOP - 8);
	put_u32(p.r[R_SP], STACK_TOP);
	put_u32(p.r[R_LR], CODE + 31);
	put_u32(p.data + 0x30, STACK_TOP - 8);
	put_u32(p.data + 0x38, 5);
	put_u32(p.r[R_CPSR], 0x40000030);
	put_u32(p.r[R_PC], CODE + 44);
	leads_to(CODE + 44);
	finish(&p, elements, 6);
	assert_is_unknown(&p, 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(variable_beside_a_saved_register_is_none),
	        cmocka_unit_test(store_whose_address_is_known_is_not_apart),
	        cmocka_unit_test(address_in_the_register_of_the_frame_pointer_is_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
