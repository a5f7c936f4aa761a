/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GE of CPSR through small programs of A32: what sets it, what reads it, and what the halt says of
 * it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/values/made_a32.h"
#include "tests/values/made_element.h"

#define MOV_R1_7        UINT32_C(0xe3a01007)
#define MSR_CPSR_S_R4   UINT32_C(0xe124f004)
#define MRS_R1_CPSR     UINT32_C(0xe10f1000)
#define UBFX_R1_16_4    UINT32_C(0xe7e31851)
#define USUB8_R6_R4_R5  UINT32_C(0xe6546ff5)
#define UHADD8_R3_R4_R5 UINT32_C(0xe6743f95)
#define SEL_R1_R4_R5    UINT32_C(0xe6841fb5)

/* The last instruction writes R1. */
static void run(struct program *p, size_t count, uint32_t ge)
{
	put_u32(p->r[1], 7);
	put_u32(p->r[R_CPSR], ge << 16 | 0x10);
	run_a32(p, count);
}

static void ge_is_that_of_the_halt(void **state)
{
	struct program p;

	(void)state;
	BEGIN_A32(&p, MRS_R1_CPSR, UBFX_R1_16_4, MOV_R1_7);
	run(&p, COUNT, 5);
	assert_is(&p, 2, 1, 5);
	end(&p);
}

static void sel_goes_by_differences_of_bytes(void **state)
{
	struct program p;

	(void)state;
	BEGIN_A32(&p, USUB8_R6_R4_R5, UHADD8_R3_R4_R5, SEL_R1_R4_R5, MOV_R1_7);
	put_u32(p.r[4], UINT32_C(0x80ff1020));
	put_u32(p.r[5], UINT32_C(0x7f1020ff));
	put_u32(p.r[3], UINT32_C(0x7f87188f));
	put_u32(p.r[6], UINT32_C(0x01eff021));
	run(&p, COUNT, 12);
	assert_is(&p, 2, 3, UINT32_C(0x7f87188f));
	assert_is(&p, 3, 1, UINT32_C(0x80ff20ff));
	end(&p);
}

static void msr_sets_ge(void **state)
{
	struct program p;

	(void)state;
	BEGIN_A32(&p, MSR_CPSR_S_R4, MRS_R1_CPSR, UBFX_R1_16_4, MOV_R1_7, USUB8_R6_R4_R5);
	put_u32(p.r[4], 0xa0000);
	put_u32(p.r[6], 0xa0000);
	run(&p, COUNT, 15);
	assert_is(&p, 3, 1, 10);
	end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(ge_is_that_of_the_halt),
	        cmocka_unit_test(sel_goes_by_differences_of_bytes),
	        cmocka_unit_test(msr_sets_ge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
