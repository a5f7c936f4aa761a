/* SPDX-License-Identifier: Apache-2.0 */
/* What the snapshot's system registers say of the past: what MRS read, and what it does not show.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/values/made_a64.h"

#define MRS_X3_TPIDR_EL1 UINT32_C(0xd538d083)
#define MRS_X3_SP_EL0    UINT32_C(0xd5384103)
#define MRS_X3_SP_EL1    UINT32_C(0xd53c4103)
#define PACIASP          UINT32_C(0xd503233f)
#define PACIBSP          UINT32_C(0xd503237f)
#define MSR_SCTLR_EL1_X4 UINT32_C(0xd5181004)
#define MRS_X3_ELR_EL1   UINT32_C(0xd5384023)
#define MSR_TPIDR_EL1_X4 UINT32_C(0xd518d084)

enum { EL1T = 4, EL1H = 5, EL2H = 9, AARCH32_SVC = 0x13, OWN = REGISTERS, THREAD = 0x7700 };

/* A system register of the halt beside those of the program, and PSTATE.M; 0 for no PSTATE. */
static void run_with(struct program *p, const char *name, uint64_t value, uint8_t mode,
                     size_t count)
{
	static struct snap_register registers[REGISTERS + 2];
	static uint8_t bytes[8], cpsr[4];
	const struct element elements[] = {range(CODE, (uint32_t)count, INSN_OTHER, true)};

	put_u64(p->x[0], 1);
	put_u64(bytes, value);
	cpsr[0] = mode;
	memcpy(registers, p->registers, sizeof(p->registers));
	registers[OWN] = (struct snap_register){.name = str_of(name), .bits = 64, .value = bytes};
	registers[OWN + 1] = (struct snap_register){.name = STR("CPSR"), .bits = 32, .value = cpsr};
	finish_with(p, registers, REGISTERS + (mode ? 2 : 1), elements, 1);
}

/* X3 is what the one instruction before the last has read. */
static void assert_read(uint32_t opcode, const char *name, uint8_t mode, bool is_known)
{
	const uint32_t opcodes[] = {opcode, MOV_X0_1, MOV_X3_0};
	struct program p;

	begin(&p, opcodes, 3);
	run_with(&p, name, THREAD, mode, 3);
	if (is_known)
		assert_is(&p, 1, 3, THREAD);
	else
		assert_unknown(&p, 1, 3);
	end(&p);
}

/* Where Linux has the memory of a processor, and its task. */
static void thread_pointers_and_stacks_not_in_use_are_the_halts(void **state)
{
	(void)state;
	assert_read(MRS_X3_TPIDR_EL1, "TPIDR_EL1", EL1H, true);
	assert_read(MRS_X3_SP_EL0, "SP_EL0", EL1H, true);
	assert_read(MRS_X3_SP_EL1, "SP_EL1", EL2H, true);
}

static void stack_pointer_in_use_has_no_other_name(void **state)
{
	(void)state;
	assert_read(MRS_X3_SP_EL0, "SP_EL0", EL1T, false);
	assert_read(MRS_X3_SP_EL1, "SP_EL1", EL1H, false);
}

static void registers_that_exceptions_write_or_that_are_of_another_state_say_nothing(void **state)
{
	(void)state;
	assert_read(MRS_X3_ELR_EL1, "ELR_EL1", EL1H, false);
	assert_read(MRS_X3_TPIDR_EL1, "TPIDR_EL1", AARCH32_SVC, false);
	assert_read(MRS_X3_TPIDR_EL1, "TPIDR_EL1", 0, false);
	assert_read(MRS_X3_TPIDR_EL1, "TPIDR_EL0", EL1H, false);
}

static void before_it_is_written_it_is_not_the_halts(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, MRS_X3_TPIDR_EL1, MOV_X0_1, MSR_TPIDR_EL1_X4, MOV_X3_0, MOV_X4_0);
	run_with(&p, "TPIDR_EL1", THREAD, EL1H, COUNT);
	assert_unknown(&p, 1, 3);
	assert_is(&p, 2, 4, THREAD); /* what was written */
	end(&p);
}

static bool keeps_lr(uint32_t opcode, uint64_t sctlr, uint8_t mode)
{
	const uint32_t opcodes[] = {opcode, MOV_X0_1};
	struct program p;
	struct value value;
	bool keeps;

	begin(&p, opcodes, 2);
	put_u64(p.x[AT_LR], UINT64_C(0xffffffc008077fdc));
	run_with(&p, "SCTLR_EL1", sctlr, mode, 2);
	values_register(p.values, 0, A64_x30, &value);
	keeps = value_is_known(&value);
	end(&p);
	return keeps;
}

/* SCTLR_EL1.EnIA is bit 31, EnIB bit 30. */
static void codes_of_pointers_are_none_where_their_key_is_off(void **state)
{
	const uint64_t enable_a = UINT64_C(1) << 31;
	const uint64_t enable_b = UINT64_C(1) << 30;

	(void)state;
	assert_true(keeps_lr(PACIASP, enable_b, EL1H));
	assert_false(keeps_lr(PACIASP, enable_a, EL1H));
	assert_true(keeps_lr(PACIBSP, enable_a, EL1H));
	assert_false(keeps_lr(PACIBSP, enable_b, EL1H));
	/* At EL2, and perhaps at EL0, another register says so. */
	assert_false(keeps_lr(PACIASP, 0, EL2H));
	assert_false(keeps_lr(PACIASP, 0, 0));
}

static void before_sctlr_is_written_nothing_is_known_of_codes(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, PACIASP, MSR_SCTLR_EL1_X4, PACIASP, MOV_X0_1);
	run_with(&p, "SCTLR_EL1", 0, EL1H, COUNT);
	assert_is(&p, 1, 30, 0);
	assert_unknown(&p, 0, 30);
	end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(thread_pointers_and_stacks_not_in_use_are_the_halts),
	        cmocka_unit_test(stack_pointer_in_use_has_no_other_name),
	        cmocka_unit_test(
	                registers_that_exceptions_write_or_that_are_of_another_state_say_nothing),
	        cmocka_unit_test(before_it_is_written_it_is_not_the_halts),
	        cmocka_unit_test(codes_of_pointers_are_none_where_their_key_is_off),
	        cmocka_unit_test(before_sctlr_is_written_nothing_is_known_of_codes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
