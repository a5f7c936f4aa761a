/* SPDX-License-Identifier: Apache-2.0 */
/* The register files: what each holds, and which features a device adds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arch/register.h"

static const enum core_arch archs[] = {CORE_A64, CORE_A32, CORE_M};

static void register_names_are_unique_and_features_in_blocks(void **state)
{
	(void)state;
	for (size_t a = 0; a < 3; a++) {
		struct register_file file = register_file_of(archs[a]);

		assert_int_equal(file.arch, archs[a]);
		assert_string_equal(file.table[REGISTER_PC].name, "pc");
		assert_string_equal(file.table[file.trace + TRACE_POSITION].name, "trace_pos");
		assert_string_equal(file.table[file.trace + TRACE_CONTEXT_ID].name, "contextid");
		assert_int_equal(file.trace + TRACE_REGISTERS, file.count);
		for (unsigned int i = 0; i < file.count; i++) {
			assert_int_equal(file.table[i].feature == REGISTER_TRACE, i >= file.trace);
			assert_int_equal(file.table[i].bits % 8, 0);
			for (unsigned int k = 0; k < i; k++)
				assert_string_not_equal(file.table[i].name, file.table[k].name);
		}
	}
}

static void register_frame_is_what_unwinding_needs(void **state)
{
	static const char *const expected[] = {"pc sp x29 x30 ", "pc sp lr cpsr r11 r7 ",
	                                       "pc sp lr xpsr r11 r7 msp psp "};

	(void)state;
	for (size_t a = 0; a < 3; a++) {
		struct register_file file = register_file_of(archs[a]);
		char names[64] = "";

		for (size_t i = 0; i < file.frame_count; i++) {
			strcat(names, file.table[file.frame[i]].name);
			strcat(names, " ");
		}
		assert_string_equal(names, expected[a]);
	}
}

static void register_features_come_with_the_device(void **state)
{
	static const uint8_t zero[8] = {0};
	struct snap_register registers[] = {
	        {.name = STR("R0"), .bits = 32, .value = zero},
	        {.name = STR("d3"), .bits = 64, .value = zero},
	        {.name = STR("PRIMASK"), .bits = 32, .value = zero},
	};
	struct snap_device device = {.registers = registers, .register_count = 1};
	struct register_file file = register_file_of(CORE_M);

	(void)state;
	register_file_add(&file, &device);
	assert_true(register_file_has(&file, M_xpsr));
	assert_true(register_file_has(&file, M_contextid));
	assert_false(register_file_has(&file, M_d0));
	assert_false(register_file_has(&file, M_msp));
	assert_false(register_file_has(&file, M_REGISTERS));
	assert_false(register_file_has(&file, UINT64_MAX));
	device.register_count = 3;
	register_file_add(&file, &device);
	assert_true(register_file_has(&file, M_fpscr));
	assert_true(register_file_has(&file, M_msp));
	file = register_file_of(CORE_A32);
	assert_false(register_file_has(&file, A32_d31));
	register_file_add(&file, &device);
	assert_true(register_file_has(&file, A32_d31));
}

/* By any of its names, whatever their case; the first name of the table counts. */
static void register_of_a_snapshot_is_found_by_its_number(void **state)
{
	static const struct {
		enum core_arch arch;
		unsigned int number;
		int found; /* index below; -1: none */
	} cases[] = {
	        {CORE_A64, A64_pc, 0}, {CORE_A64, A64_x30, 2}, {CORE_A64, A64_sp, 1},
	        {CORE_A64, A64_v7, 4}, {CORE_A64, A64_x0, -1}, {CORE_A32, A32_pc, 0},
	        {CORE_A32, A32_sp, 3}, {CORE_A32, A32_lr, 2},  {CORE_M, M_sp, 3},
	        {CORE_M, M_d7, -1},    {CORE_M, M_xpsr, -1},
	};
	static const uint8_t zero[8];
	struct snap_register registers[] = {
	        {.name = STR("r15"), .bits = 64, .value = zero},
	        {.name = STR("X31")},
	        {.name = STR("LR")},
	        {.name = STR("R13")},
	        {.name = STR("q7")},
	        {.name = STR("R14")},
	};
	const struct snap_device device = {.registers = registers, .register_count = 6};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct register_file file = register_file_of(cases[i].arch);
		const struct snap_register *found =
		        register_in_snapshot(&file, cases[i].number, &device);

		assert_ptr_equal(found, cases[i].found < 0 ? NULL : &registers[cases[i].found]);
	}
}

/* Of 128 bits; the size is cut. */
static struct snap_register reg_of(const char *name, uint32_t bits, const uint8_t value[16])
{
	return (struct snap_register){.name = str_of(name), .bits = bits, .value = value};
}

static void registers_of_a_snapshot_are_examined(void **state)
{
	static const uint8_t one[16] = {1};
	static const uint8_t two[16] = {2};
	static const uint8_t high[16] = {1, [8] = 1};
	const struct {
		unsigned int number;
		struct snap_register registers[2];
		enum register_fault fault;
		unsigned int known; /* 0: not used */
	} cases[] = {
	        {A64_x30, {reg_of("X30", 64, one), reg_of("LR", 64, two)}, REGISTER_CONTESTED, 0},
	        {A64_x30, {reg_of("X30", 64, one), reg_of("LR", 64, one)}, REGISTER_SOUND, 64},
	        {A64_x21, {reg_of("X21", 64, high), reg_of("W21", 32, two)}, REGISTER_CONTESTED, 0},
	        {A64_x21, {reg_of("W21", 32, one), reg_of("X21", 64, one)}, REGISTER_SOUND, 64},
	        {A64_x21, {reg_of("W21", 32, one), reg_of("X2", 64, two)}, REGISTER_PARTLY, 32},
	        {A64_x21, {reg_of("X21", 128, high), reg_of("X2", 64, two)}, REGISTER_WIDE, 0},
	        {A64_x21, {reg_of("X21", 128, one), reg_of("X2", 64, two)}, REGISTER_SOUND, 64},
	        {A64_sp, {reg_of("SP", 64, one), reg_of("X31", 64, two)}, REGISTER_SOUND, 64},
	        {A64_sp, {reg_of("SP", 32, one), reg_of("X2", 64, two)}, REGISTER_PARTLY, 32},
	        {A64_pc, {reg_of("PC", 32, one), reg_of("X2", 64, two)}, REGISTER_NARROW, 0},
	        {A64_cpsr, {reg_of("CPSR", 8, one), reg_of("X2", 64, two)}, REGISTER_NARROW, 0},
	};
	const struct register_file file = register_file_of(CORE_A64);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct snap_register registers[] = {cases[i].registers[0], cases[i].registers[1]};
		const struct snap_device device = {.registers = registers, .register_count = 2};
		const struct snap_register *reg;
		const struct snap_register *other;

		assert_int_equal(register_examine(&file, cases[i].number, &device, &reg, &other),
		                 cases[i].fault);
		assert_int_equal(other != NULL, cases[i].fault == REGISTER_CONTESTED);
		reg = register_in_snapshot(&file, cases[i].number, &device);
		assert_int_equal(reg ? register_known_bits(&file, cases[i].number, reg) : 0,
		                 cases[i].known);
	}
}

/* AArch32 has none of A64's names, and what is no register of its is named in words. */
static void slots_have_the_names_of_their_architecture(void **state)
{
	static const struct {
		enum core_arch arch;
		unsigned int slot;
		const char *name;
	} cases[] = {
	        {CORE_A64, REG_X16, "x16"},
	        {CORE_A64, REG_V0 + 1, "v0.hi"},
	        {CORE_A32, REG_X0 + 12, "r12"},
	        {CORE_A32, REG_X0 + 13, "sp"},
	        {CORE_A32, REG_SP, "sp_usr"},
	        {CORE_A32, REG_V0 + 1, "d1"},
	        {CORE_A32, REG_NZCV, "nzcv"},
	        {CORE_A32, REG_FPSR, "fpscr"},
	        {CORE_A32, REG_TPIDR_EL1, "tpidrprw"},
	        {CORE_A32, REG_A32_MODE, "mode"},
	        {CORE_M, REG_X0 + 14, "lr"},
	        {CORE_M, REG_M_OTHER_SP, "the SP not in use"},
	        {CORE_M, REG_M_ON_PSP, "control.spsel"},
	        {CORE_M, REG_V0 + 15, "d15"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct text text = {0};

		register_slot_name(cases[i].arch, cases[i].slot, &text);
		assert_string_equal(text.data, cases[i].name);
		text_fini(&text);
	}
}

/* Each register of a file has slots of its own; none for those that the solver does not know. */
static void solver_has_the_registers_of_each_file(void **state)
{
	static const struct {
		enum core_arch arch;
		unsigned int number;
		struct register_slot slot;
	} cases[] = {
	        {CORE_A64, A64_x0, {REG_X0, 1, 64, false}},
	        {CORE_A64, A64_x30, {REG_X0 + 30, 1, 64, false}},
	        {CORE_A64, A64_sp, {REG_SP, 1, 64, false}},
	        {CORE_A64, A64_cpsr, {REG_NZCV, 1, 0, true}},
	        {CORE_A64, A64_v0, {REG_V0, 2, 0, false}},
	        {CORE_A64, A64_v31, {REG_V0 + 62, 2, 0, false}},
	        {CORE_A64, A64_fpsr, {REG_FPSR, 1, 32, false}},
	        {CORE_A64, A64_fpcr, {REG_FPCR, 1, 32, false}},
	        {CORE_A64, A64_pc, {0}},
	        {CORE_A32, A32_r0, {REG_X0, 1, 32, false}},
	        {CORE_A32, A32_sp, {REG_X0 + 13, 1, 32, false}},
	        {CORE_A32, A32_lr, {REG_X0 + 14, 1, 32, false}},
	        {CORE_A32, A32_cpsr, {REG_NZCV, 1, 0, true}},
	        {CORE_A32, A32_d31, {REG_V0 + 31, 1, 64, false}},
	        {CORE_A32, A32_fpscr, {REG_FPSR, 1, 32, false}},
	        {CORE_A32, A32_pc, {0}},
	        {CORE_M, M_r12, {REG_X0 + 12, 1, 32, false}},
	        {CORE_M, M_lr, {REG_X0 + 14, 1, 32, false}},
	        {CORE_M, M_xpsr, {REG_NZCV, 1, 0, true}},
	        {CORE_M, M_d15, {REG_V0 + 15, 1, 64, false}},
	        {CORE_M, M_fpscr, {REG_FPSR, 1, 32, false}},
	        {CORE_M, M_msp, {0}},
	        {CORE_M, M_primask, {0}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct register_slot slot = register_slot_of(cases[i].arch, cases[i].number);

		assert_int_equal(slot.count, cases[i].slot.count);
		if (slot.count == 0)
			continue;
		assert_int_equal(slot.slot, cases[i].slot.slot);
		assert_int_equal(slot.bits, cases[i].slot.bits);
		assert_int_equal(slot.is_flags, cases[i].slot.is_flags);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(register_names_are_unique_and_features_in_blocks),
	        cmocka_unit_test(register_frame_is_what_unwinding_needs),
	        cmocka_unit_test(register_features_come_with_the_device),
	        cmocka_unit_test(register_of_a_snapshot_is_found_by_its_number),
	        cmocka_unit_test(registers_of_a_snapshot_are_examined),
	        cmocka_unit_test(slots_have_the_names_of_their_architecture),
	        cmocka_unit_test(solver_has_the_registers_of_each_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
