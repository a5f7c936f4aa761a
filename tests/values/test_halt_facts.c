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
#define MSR_TCR_EL1_X5   UINT32_C(0xd5182045)
#define LSL_X3_X0_8      UINT32_C(0xd378dc03)
#define LDR_X4_X0        UINT32_C(0xf9400004)

/* TCR_EL1: a T0SZ, the halves of which the top byte is ignored, and one of which it is a tag. */
#define TCR  UINT64_C(16)
#define TBI0 (UINT64_C(1) << 37)
#define TBI1 (UINT64_C(1) << 38)
#define MTX1 (UINT64_C(1) << 61)

enum { EL1T = 4, EL1H = 5, EL2H = 9, AARCH32_SVC = 0x13, OWN = REGISTERS, THREAD = 0x7700 };

/* A system register of the halt beside those of the program, and PSTATE.M; 0 for no PSTATE. */
static void run_elements(struct program *p, const char *name, uint64_t value, uint8_t mode,
                         const struct element *elements, size_t count)
{
	static struct snap_register registers[REGISTERS + 2];
	static uint8_t bytes[8], cpsr[4];

	put_u64(p->x[0], 1);
	put_u64(bytes, value);
	cpsr[0] = mode;
	memcpy(registers, p->registers, sizeof(p->registers));
	registers[OWN] = (struct snap_register){.name = str_of(name), .bits = 64, .value = bytes};
	registers[OWN + 1] = (struct snap_register){.name = STR("CPSR"), .bits = 32, .value = cpsr};
	finish_with(p, registers, REGISTERS + (mode ? 2 : 1), elements, count);
}

static void run_with(struct program *p, const char *name, uint64_t value, uint8_t mode,
                     size_t count)
{
	const struct element elements[] = {range(CODE, (uint32_t)count, INSN_OTHER, true)};

	run_elements(p, name, value, mode, elements, 1);
}

/* A register at the first position; the program ends. */
static bool knew(struct program *p, unsigned int reg)
{
	struct value value;

	values_register(p->values, 0, reg, &value);
	end(p);
	return value_is_known(&value);
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

	begin(&p, opcodes, 2);
	put_u64(p.x[AT_LR], UINT64_C(0xffffffc008077fdc));
	run_with(&p, "SCTLR_EL1", sctlr, mode, 2);
	return knew(&p, A64_x30);
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

enum { LOW, HIGH, HALVES };
static const uint64_t half_at[HALVES] = {DATA_AT, UINT64_C(0xffff800000008000)};

/* X0, of which all but the top byte is in X3 at the halt, was the address of a load. */
static bool knows_base(unsigned int half, uint64_t tcr, uint8_t mode)
{
	static const uint32_t opcodes[] = {LSL_X3_X0_8, LDR_X4_X0, MOV_X0_1};
	struct program p;
	bool knows;
	struct value value;

	begin(&p, opcodes, 3);
	p.data_at = half_at[half];
	put_u64(p.x[3], half_at[half] << 8);
	put_u64(p.x[4], STORED);
	run_with(&p, "TCR_EL1", tcr, mode, 3);
	values_register(p.values, 0, A64_x0, &value);
	knows = value_is_known(&value);
	if (knows)
		assert_int_equal(value_u64(&value), half_at[half]);
	end(&p);
	return knows;
}

static void bases_are_whole_addresses_where_no_top_byte_is_ignored(void **state)
{
	(void)state;
	assert_true(knows_base(LOW, TCR, EL1H));
	assert_true(knows_base(HIGH, TCR, EL1H));
	assert_false(knows_base(LOW, TCR | TBI0, EL1H));
	assert_true(knows_base(HIGH, TCR | TBI0, EL1H));
	assert_true(knows_base(LOW, TCR | TBI1, EL1H));
	assert_false(knows_base(HIGH, TCR | TBI1, EL1H));
	assert_false(knows_base(HIGH, TCR | MTX1, EL1H));
	/* As where nobody read it; and what another level's register says. */
	assert_false(knows_base(LOW, 0, EL1H));
	assert_false(knows_base(LOW, TCR, EL2H));
	assert_false(knows_base(LOW, TCR, 0));
}

static void before_tcr_is_written_no_base_is_whole(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, LSL_X3_X0_8, LDR_X4_X0, MSR_TCR_EL1_X5, MOV_X0_1);
	put_u64(p.x[3], (uint64_t)DATA_AT << 8);
	put_u64(p.x[4], STORED);
	put_u64(p.x[5], TCR);
	run_with(&p, "TCR_EL1", TCR, EL1H, COUNT);
	assert_unknown(&p, 0, 0);
	end(&p);
}

/* X1 at a branch, which X1 at the halt says nothing of. */
static bool knows_target(uint64_t tcr)
{
	static const uint32_t opcodes[] = {BR_X1, MOV_X4_0, MOV_X1_7};
	const struct element elements[] = {range(CODE, 1, INSN_BRANCH_INDIRECT, true),
	                                   range(CODE + 8, 1, INSN_OTHER, true)};
	struct program p;

	begin(&p, opcodes, 3);
	put_u64(p.x[1], 7);
	run_elements(&p, "TCR_EL1", tcr, EL1H, elements, 2);
	return knew(&p, A64_x1);
}

static void targets_are_whole_addresses_where_no_top_byte_is_ignored(void **state)
{
	(void)state;
	assert_true(knows_target(TCR));
	assert_false(knows_target(TCR | TBI0));
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
	        cmocka_unit_test(bases_are_whole_addresses_where_no_top_byte_is_ignored),
	        cmocka_unit_test(before_tcr_is_written_no_base_is_whole),
	        cmocka_unit_test(targets_are_whole_addresses_where_no_top_byte_is_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
