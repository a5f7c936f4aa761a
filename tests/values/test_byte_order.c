/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Byte order of AArch32 data where code changes it and exceptions lead from one order to another:
 * what the halt says is not of code that an exception has left (Arm ARM E2.8, G1.16).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/values/made_a32.h"

#define ADD_R0_R0_1   UINT32_C(0xe2800001)
#define MOV_R1_7      UINT32_C(0xe3a01007)
#define LDR_R1_R2     UINT32_C(0xe5921000)
#define SETEND_LE     UINT32_C(0xf1010000)
#define SETEND_BE     UINT32_C(0xf1010200)
#define MSR_CPSR_X_R7 UINT32_C(0xe122f007)
#define MOVS_PC_LR    UINT32_C(0xe1b0f00e)
#define RFE_SP        UINT32_C(0xf8bd0a00)
#define LDM_SP_R0_PC  UINT32_C(0xe8fd8001)
#define NOP           UINT32_C(0xe1a00000)

enum { R1 = 1, IRQ = 14, VECTOR = CODE + 0x18, IRQ_MODE = 0x92 };

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* R1 is what LDR_R1_R2 loaded, and the last instruction overwrites it. */
static bool is_loaded(struct program *p, uint64_t position)
{
	struct value value;

	values_register(p->values, position, A32_r0 + R1, &value);
	assert_true(!value_is_known(&value) || value_u64(&value) == STORED);
	return value_is_known(&value);
}

static struct element at_el1(void)
{
	struct element e = {.type = ELEMENT_PE_CONTEXT};

	e.context.level = EL_1;
	e.context.security = SECURITY_NON_SECURE;
	return e;
}

/* Halted in the handler of an interrupt that came before `returns`. */
static void begin_handler(struct program *p, const uint32_t *opcodes, size_t count,
                          uint32_t returns)
{
	begin_a32(p, opcodes, count);
	p->protocol = PROTOCOL_ETM3;
	put_u32(p->r[R1], 7);
	put_u32(p->r[R_CPSR], IRQ_MODE);
	put_u32(p->r[R_LR], returns + 4);
}

/* A load, an interrupt, and one instruction of its handler, after `order`. */
static bool is_known_before_interrupt(uint32_t order)
{
	const struct element elements[] = {
	        at_el1(),
	        run_at(ISA_A32, CODE, 3, false, true),
	        exception(IRQ, CODE + 12),
	        run_at(ISA_A32, VECTOR, 2, false, true),
	};
	const uint32_t opcodes[] = {order, LDR_R1_R2, NOP,      MOV_R1_7,
	                            NOP,   NOP,       MOV_R1_7, ADD_R0_R0_1};
	struct program p;
	bool is_known;

	begin_handler(&p, opcodes, COUNT_OF(opcodes), CODE + 12);
	finish(&p, elements, COUNT_OF(elements));
	is_known = is_loaded(&p, 2);
	end(&p);
	return is_known;
}

static void order_of_the_halt_is_not_that_before_an_exception(void **state)
{
	(void)state;
	assert_true(is_known_before_interrupt(NOP));
	assert_true(is_known_before_interrupt(SETEND_LE));
	assert_false(is_known_before_interrupt(MSR_CPSR_X_R7));
	assert_false(is_known_before_interrupt(SETEND_BE));
}

/* A handler, which has set the order for itself, returns to a load; then comes another interrupt.
 */
static bool is_known_after_return(uint32_t order, uint32_t return_opcode)
{
	const struct element elements[] = {
	        at_el1(),
	        run_at(ISA_A32, CODE, 2, false, true),
	        exception(IRQ, CODE + 8),
	        run_at(ISA_A32, VECTOR, 2, true, true),
	        run_at(ISA_A32, CODE + 8, 2, false, true),
	        exception(IRQ, CODE + 16),
	        run_at(ISA_A32, VECTOR + 8, 2, false, true),
	};
	const uint32_t opcodes[] = {order, NOP,       LDR_R1_R2,     NOP,      NOP,
	                            NOP,   SETEND_LE, return_opcode, MOV_R1_7, ADD_R0_R0_1};
	struct program p;
	bool is_known;

	begin_handler(&p, opcodes, COUNT_OF(opcodes), CODE + 16);
	finish(&p, elements, COUNT_OF(elements));
	is_known = is_loaded(&p, 5);
	end(&p);
	return is_known;
}

static void return_from_an_exception_restores_another_order(void **state)
{
	static const uint32_t returns[] = {MOVS_PC_LR, RFE_SP, LDM_SP_R0_PC};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(returns); i++) {
		assert_false(is_known_after_return(SETEND_BE, returns[i]));
		assert_false(is_known_after_return(MSR_CPSR_X_R7, returns[i]));
	}
}

/* Data trace says it though no instruction that was traced does: as of a program that began so. */
static void data_trace_says_big_endian(void **state)
{
	struct element item = {.type = ELEMENT_DATA};
	struct program p;

	(void)state;
	item.data.has_address = true;
	item.data.address = DATA_AT;
	for (unsigned int is_big = 0; is_big < 2; is_big++) {
		const uint32_t opcodes[] = {LDR_R1_R2, NOP, NOP,      NOP,
		                            NOP,       NOP, MOV_R1_7, ADD_R0_R0_1};
		struct element elements[] = {
		        at_el1(),
		        run_at(ISA_A32, CODE, 1, false, true),
		        item,
		        run_at(ISA_A32, CODE + 4, 1, false, true),
		        exception(IRQ, CODE + 8),
		        run_at(ISA_A32, VECTOR, 2, false, true),
		};

		begin_handler(&p, opcodes, COUNT_OF(opcodes), CODE + 8);
		elements[2].data.is_big_endian = is_big != 0;
		finish(&p, elements, COUNT_OF(elements));
		assert_int_equal(is_loaded(&p, 2), is_big == 0);
		end(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(order_of_the_halt_is_not_that_before_an_exception),
	        cmocka_unit_test(return_from_an_exception_restores_another_order),
	        cmocka_unit_test(data_trace_says_big_endian),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
