/* SPDX-License-Identifier: Apache-2.0 */
/* Which value a register of a small A32 program had when. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/past/past.h"
#include "tests/values/made_a32.h"
#include "tests/values/made_element.h"

#define MRC_R1   UINT32_C(0xee101f10) /* main ID: any number of 32 bits */
#define UNKNOWN  UINT32_C(0xe7b00010)
#define MOV_R1_7 UINT32_C(0xe3a01007)

/* Slots have 64 bits: what is known of the upper half is nothing of the register. */
static void stretches_go_by_the_bits_that_the_register_has(void **state)
{
	const struct past_subject r1 = {.number = A32_r0 + 1};
	const struct past_stretches_of of = {.subject = r1, .first = 1, .last = 3, .most = 9};
	struct past_stretches found;
	struct program p;

	(void)state;
	BEGIN_A32(&p, MRC_R1, UNKNOWN, MOV_R1_7);
	put_u32(p.r[1], 7);
	run_a32(&p, COUNT);
	assert_int_equal(past_stretches_find(p.values, &of, &found), STATUS_OK);
	assert_int_equal(found.count, 2);
	assert_int_equal(found.all[0].first, 3);
	assert_int_equal(found.all[0].value.bits.value, 7);
	assert_int_equal(found.all[1].first, 1);
	assert_int_equal(found.all[1].last, 2);
	assert_int_equal(found.all[1].value.bits.known, 0);
	past_stretches_fini(&found);
	end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(stretches_go_by_the_bits_that_the_register_has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
