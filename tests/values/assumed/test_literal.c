/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Constants that A32 code loads from beside itself, and stores of unknown address. In: a load, such
 * a store. Out: what was loaded is known by the assumption abi, and only where the code that loads
 * it was there already.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/values/made_a32.h"

/* What is known of a register at a position. */
static bool is_known(struct program *p, unsigned int reg, uint64_t position, uint32_t expected)
{
	struct value value;

	values_register(p->values, position, A32_r0 + reg, &value);
	if (!value_is_known(&value))
		return false;
	assert_int_equal(value_u64(&value), expected);
	return true;
}

/*
 *	0 ldr r0, [pc, #20]	a constant after the code
 *	1 str r3, [r12]		of which nothing is known
 *	2 mov r0, #0; mov r3, #0; mov r12, #0; nop; nop
 *
 * or 0 is ldr r1, [r2], which loads the same and is no literal, and 2 loads it as one.
 */
static bool constant_is_known(bool assumes, bool is_literal)
{
	const uint32_t opcodes[] = {
	        is_literal ? 0xe59f0014u : 0xe5921000u,
	        0xe58c3000u,
	        is_literal ? 0xe3a00000u : 0xe59f000cu,
	        0xe3a03000u,
	        0xe3a0c000u,
	        0xe3a01000u, /* mov r1, #0 */
	        0xe320f000u,
	        STORED, /* the constant */
	};
	const struct element elements[] = {run_at(ISA_A32, CODE, 7, false, true)};
	struct program p;
	bool known;

	begin_a32(&p, opcodes, sizeof(opcodes) / sizeof(opcodes[0]));
	p.options.abi = assumes;
	put_u32(p.r[0], is_literal ? 0 : STORED);
	put_u32(p.r[1], 0);
	put_u32(p.r[2], CODE + 28);
	put_u32(p.r[3], 0);
	put_u32(p.r[12], 0);
	put_u32(p.r[R_PC], CODE + 28);
	leads_to(CODE + 28);
	finish(&p, elements, 1);
	known = is_known(&p, is_literal ? 0 : 1, 1, STORED);
	end(&p);
	return known;
}

static void constant_beside_code_is_kept_from_its_first_load_on(void **state)
{
	(void)state;
	assert_false(constant_is_known(false, true));
	assert_true(constant_is_known(true, true));
	/* It may have been copied there after that. */
	assert_false(constant_is_known(true, false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(constant_beside_code_is_kept_from_its_first_load_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
