/* SPDX-License-Identifier: Apache-2.0 */
/* Where the registers of Tarmac text are kept, by their lines and by their numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "replay/tarmac/tarmac_slot.h"

static struct slot_place of_line(enum tarmac_file file, unsigned int number, enum tarmac_mode bank,
                                 const struct tarmac_context *context)
{
	const struct tarmac_register reg = {.file = file, .number = (uint8_t)number, .bank = bank};

	return tarmac_slot_of(&reg, context);
}

static void assert_place(struct slot_place place, unsigned int slot, unsigned int from,
                         unsigned int size, unsigned int whole)
{
	assert_int_equal(place.slot, slot);
	assert_int_equal(place.from, from);
	assert_int_equal(place.size, size);
	assert_int_equal(place.whole, whole);
}

/* Arm ARM D1.20.1: the AArch64 register of R13 and R14 of each mode. */
static const struct {
	enum tarmac_mode mode;
	unsigned int sp;
	unsigned int lr;
} banks[] = {
        {TARMAC_MODE_USR, 13, 14},
        {TARMAC_MODE_SYS, 13, 14},
        {TARMAC_MODE_HYP, 15, 14},
        {TARMAC_MODE_IRQ, 17, 16},
        {TARMAC_MODE_SVC, 19, 18},
        {TARMAC_MODE_ABT, 21, 20},
        {TARMAC_MODE_UND, 23, 22},
        {TARMAC_MODE_FIQ, 29, 30},
        {TARMAC_MODE_MON, SLOT_SP_MON, SLOT_LR_MON},
};

static void banked_registers_lie_where_aarch64_has_them(void **state)
{
	const struct register_file file = register_file_of(CORE_A32);

	(void)state;
	for (size_t i = 0; i < sizeof(banks) / sizeof(banks[0]); i++) {
		struct tarmac_context context = {.arch = CORE_A32, .mode = TARMAC_MODE_USR};
		unsigned int fiq = banks[i].mode == TARMAC_MODE_FIQ ? 16 : 0;

		/* By the line's bank, then by the core's mode. */
		for (unsigned int by_mode = 0; by_mode < 2; by_mode++) {
			enum tarmac_mode bank = by_mode ? TARMAC_MODE_NONE : banks[i].mode;

			if (by_mode)
				context.mode = banks[i].mode;
			for (unsigned int r = 0; r < 13; r++)
				assert_place(of_line(TARMAC_FILE_R, r, bank, &context),
				             r < 8 ? r : r + fiq, 0, 4, 8);
			assert_place(of_line(TARMAC_FILE_R, 13, bank, &context), banks[i].sp, 0, 4,
			             8);
			assert_place(of_line(TARMAC_FILE_R, 14, bank, &context), banks[i].lr, 0, 4,
			             8);
		}
		assert_int_equal(tarmac_slot_of_number(&file, A32_sp, &context).slot, banks[i].sp);
		assert_int_equal(tarmac_slot_of_number(&file, A32_lr, &context).slot, banks[i].lr);
		assert_int_equal(tarmac_slot_of_number(&file, A32_r12, &context).slot, 12 + fiq);
		assert_int_equal(tarmac_slot_of_number(&file, A32_r7, &context).slot, 7);
		assert_int_equal(of_line(TARMAC_FILE_R, 15, banks[i].mode, &context).slot,
		                 TARMAC_SLOT_NONE);
	}
}

static void stack_pointer_is_that_of_the_level(void **state)
{
	static const struct {
		enum tarmac_mode mode;
		unsigned int level;
	} cases[] = {{TARMAC_MODE_EL0T, 0}, {TARMAC_MODE_EL1T, 0}, {TARMAC_MODE_EL1H, 1},
	             {TARMAC_MODE_EL2T, 0}, {TARMAC_MODE_EL2H, 2}, {TARMAC_MODE_EL3T, 0},
	             {TARMAC_MODE_EL3H, 3}, {TARMAC_MODE_EL1, 1},  {TARMAC_MODE_EL2, 2},
	             {TARMAC_MODE_EL3, 3}};
	const struct register_file file = register_file_of(CORE_A64);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tarmac_context context = {.arch = CORE_A64, .mode = cases[i].mode};
		struct slot_place wsp = of_line(TARMAC_FILE_W, 31, TARMAC_MODE_NONE, &context);

		assert_place(of_line(TARMAC_FILE_SP, 0, TARMAC_MODE_NONE, &context),
		             SLOT_SP_EL + cases[i].level, 0, 8, 8);
		assert_place(tarmac_slot_of_number(&file, A64_sp, &context),
		             SLOT_SP_EL + cases[i].level, 0, 8, 8);
		assert_place(wsp, SLOT_SP_EL + cases[i].level, 0, 4, 8);
		assert_true(wsp.zeroes);
		context.mode = TARMAC_MODE_EL2H;
		assert_int_equal(of_line(TARMAC_FILE_SP, 0, cases[i].mode, &context).slot,
		                 SLOT_SP_EL + cases[i].level);
	}
}

/* SP of the M profile: by the name, or in thread mode by CONTROL; two for each security state. */
static void stack_pointer_of_m_is_main_or_process(void **state)
{
	const struct register_file file = register_file_of(CORE_M);

	(void)state;
	for (unsigned int bits = 0; bits < 16; bits++) {
		bool handler = bits & 1;
		struct tarmac_context context = {
		        .arch = CORE_M,
		        .mode = handler ? TARMAC_MODE_HANDLER : TARMAC_MODE_THREAD,
		        .security = bits & 2 ? TARMAC_NON_SECURE : TARMAC_SECURE,
		        .has_stack = (bits & 4) != 0,
		        .is_process = (bits & 8) != 0};
		unsigned int main_stack = SLOT_SP_M + (bits & 2 ? 2U : 0U);
		unsigned int current = main_stack;

		if (!handler)
			current = !context.has_stack ? (unsigned int)TARMAC_SLOT_NONE
			                             : main_stack + context.is_process;
		assert_int_equal(tarmac_slot_of_number(&file, M_sp, &context).slot, current);
		assert_int_equal(tarmac_slot_of_number(&file, M_msp, &context).slot, main_stack);
		assert_int_equal(tarmac_slot_of_number(&file, M_psp, &context).slot,
		                 main_stack + 1);
		assert_int_equal(of_line(TARMAC_FILE_R, 13, TARMAC_MODE_NONE, &context).slot,
		                 current);
		assert_int_equal(of_line(TARMAC_FILE_R, 13, TARMAC_MODE_MAIN, &context).slot,
		                 main_stack);
		assert_int_equal(of_line(TARMAC_FILE_R, 13, TARMAC_MODE_PROCESS, &context).slot,
		                 main_stack + 1);
		assert_int_equal(of_line(TARMAC_FILE_R, 14, TARMAC_MODE_NONE, &context).slot, 14);
	}
}

/* S1 is bytes 4 to 7 of V0 in AArch32, and the low end of V1 in AArch64. */
static void parts_of_vectors_lie_as_the_architecture_has_them(void **state)
{
	static const struct {
		enum tarmac_file file;
		unsigned int size;
	} files[] = {
	        {TARMAC_FILE_B, 1}, {TARMAC_FILE_H, 2}, {TARMAC_FILE_S, 4}, {TARMAC_FILE_D, 8}};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		unsigned int size = files[i].size;
		const struct tarmac_value value = {.size = (uint16_t)size};

		for (unsigned int number = 0; number < 32; number++) {
			const struct tarmac_register reg = {
			        .file = files[i].file, .number = (uint8_t)number, .value = &value};
			struct tarmac_context context = {.arch = CORE_A64};

			assert_place(tarmac_slot_of(&reg, &context), SLOT_V + 2 * number, 0, size,
			             16);
			context.arch = CORE_A32;
			assert_place(tarmac_slot_of(&reg, &context), SLOT_V + number * size / 8,
			             number * size % 8, size, number * size % 8 + size);
		}
	}
}

static void other_registers_have_places_of_their_own(void **state)
{
	static const struct {
		enum tarmac_file file;
		unsigned int slot;
		unsigned int size;
	} cases[] = {{TARMAC_FILE_PSR, SLOT_PSR, 4},     {TARMAC_FILE_XPSR, SLOT_PSR, 4},
	             {TARMAC_FILE_FPSR, SLOT_FPSR, 4},   {TARMAC_FILE_FPCR, SLOT_FPCR, 4},
	             {TARMAC_FILE_FPSCR, SLOT_FPSCR, 4}, {TARMAC_FILE_Q, SLOT_V + 10, 16},
	             {TARMAC_FILE_V, SLOT_V + 10, 16},   {TARMAC_FILE_Z, SLOT_V + 10, 16},
	             {TARMAC_FILE_X, SLOT_X + 5, 8}};
	static const enum tarmac_file none[] = {TARMAC_FILE_PC, TARMAC_FILE_SPSR, TARMAC_FILE_ELR,
	                                        TARMAC_FILE_P, TARMAC_FILE_FFR};
	static const struct {
		const char *name;
		unsigned int slot;
	} system[] = {{"PRIMASK", SLOT_PRIMASK},
	              {"basepri", SLOT_BASEPRI},
	              {"FaultMask", SLOT_FAULTMASK},
	              {"CONTROL", SLOT_CONTROL},
	              {"CONTROL_EL1", TARMAC_SLOT_NONE}};
	const struct tarmac_context context = {.arch = CORE_A64};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_place(of_line(cases[i].file, 5, TARMAC_MODE_NONE, &context), cases[i].slot,
		             0, cases[i].size, cases[i].size);
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_int_equal(of_line(none[i], 0, TARMAC_MODE_NONE, &context).slot,
		                 TARMAC_SLOT_NONE);
	for (size_t i = 0; i < sizeof(system) / sizeof(system[0]); i++) {
		const struct tarmac_register reg = {.file = TARMAC_FILE_SYSTEM,
		                                    .name = str_of(system[i].name)};

		assert_int_equal(tarmac_slot_of(&reg, &context).slot, system[i].slot);
	}
	assert_int_equal(of_line(TARMAC_FILE_X, 31, TARMAC_MODE_NONE, &context).slot,
	                 TARMAC_SLOT_NONE);
	assert_place(of_line(TARMAC_FILE_W, 30, TARMAC_MODE_NONE, &context), SLOT_X + 30, 0, 4, 8);
}

struct named_place {
	unsigned int number;
	unsigned int slot;
	unsigned int size;
};

static void assert_numbers(enum core_arch arch, const struct named_place *places, size_t count)
{
	const struct register_file file = register_file_of(arch);
	const struct tarmac_context context = {.arch = arch, .mode = TARMAC_MODE_USR};

	for (size_t i = 0; i < count; i++) {
		struct slot_place p = tarmac_slot_of_number(&file, places[i].number, &context);

		assert_int_equal(p.slot, places[i].slot);
		if (p.slot == TARMAC_SLOT_NONE)
			continue;
		assert_int_equal(p.from, 0);
		assert_int_equal(p.size, places[i].size);
	}
}

static void numbers_of_each_file_have_the_same_places(void **state)
{
	static const struct named_place a64[] = {
	        {A64_x0, SLOT_X, 8},        {A64_x30, SLOT_X + 30, 8},    {A64_v0, SLOT_V, 16},
	        {A64_v31, SLOT_V + 62, 16}, {A64_cpsr, SLOT_PSR, 4},      {A64_fpsr, SLOT_FPSR, 4},
	        {A64_fpcr, SLOT_FPCR, 4},   {A64_pc, TARMAC_SLOT_NONE, 0}};
	static const struct named_place a32[] = {
	        {A32_r0, SLOT_X, 4},          {A32_r12, SLOT_X + 12, 4}, {A32_d0, SLOT_V, 8},
	        {A32_d31, SLOT_V + 31, 8},    {A32_cpsr, SLOT_PSR, 4},   {A32_fpscr, SLOT_FPSCR, 4},
	        {A32_pc, TARMAC_SLOT_NONE, 0}};
	static const struct named_place m[] = {{M_r0, SLOT_X, 4},
	                                       {M_r12, SLOT_X + 12, 4},
	                                       {M_lr, SLOT_X + 14, 4},
	                                       {M_d0, SLOT_V, 8},
	                                       {M_d15, SLOT_V + 15, 8},
	                                       {M_xpsr, SLOT_PSR, 4},
	                                       {M_fpscr, SLOT_FPSCR, 4},
	                                       {M_primask, SLOT_PRIMASK, 1},
	                                       {M_basepri, SLOT_BASEPRI, 1},
	                                       {M_faultmask, SLOT_FAULTMASK, 1},
	                                       {M_control, SLOT_CONTROL, 1},
	                                       {M_pc, TARMAC_SLOT_NONE, 0}};

	(void)state;
	assert_numbers(CORE_A64, a64, sizeof(a64) / sizeof(a64[0]));
	assert_numbers(CORE_A32, a32, sizeof(a32) / sizeof(a32[0]));
	assert_numbers(CORE_M, m, sizeof(m) / sizeof(m[0]));
}

static void context_comes_back_as_it_was_packed(void **state)
{
	(void)state;
	for (unsigned int bits = 0; bits < 4; bits++) {
		const struct tarmac_context packed = {.mode = TARMAC_MODE_EL2H,
		                                      .security = TARMAC_REALM,
		                                      .has_stack = (bits & 1) != 0,
		                                      .is_process = (bits & 2) != 0};
		struct tarmac_context context = {.arch = CORE_M};
		uint8_t known;
		uint64_t value = tarmac_context_pack(&packed, &known);

		tarmac_context_unpack(value, known, &context);
		assert_int_equal(context.mode, TARMAC_MODE_EL2H);
		assert_int_equal(context.security, TARMAC_REALM);
		assert_int_equal(context.has_stack, packed.has_stack);
		assert_int_equal(context.is_process, packed.has_stack && packed.is_process);
		assert_int_equal(context.arch, CORE_M);
		tarmac_context_unpack(value, 0, &context);
		assert_int_equal(context.mode, TARMAC_MODE_NONE);
		assert_int_equal(context.security, TARMAC_SECURITY_NOT_SAID);
		assert_false(context.has_stack);
	}
}

/* Arm ARM C5.2.19 and G8.2.33: M[4:0]. */
static void mode_is_that_of_the_status_register(void **state)
{
	static const enum tarmac_mode modes[32] = {
	        [0x00] = TARMAC_MODE_EL0T, [0x04] = TARMAC_MODE_EL1T, [0x05] = TARMAC_MODE_EL1H,
	        [0x08] = TARMAC_MODE_EL2T, [0x09] = TARMAC_MODE_EL2H, [0x0c] = TARMAC_MODE_EL3T,
	        [0x0d] = TARMAC_MODE_EL3H, [0x10] = TARMAC_MODE_USR,  [0x11] = TARMAC_MODE_FIQ,
	        [0x12] = TARMAC_MODE_IRQ,  [0x13] = TARMAC_MODE_SVC,  [0x16] = TARMAC_MODE_MON,
	        [0x17] = TARMAC_MODE_ABT,  [0x1a] = TARMAC_MODE_HYP,  [0x1b] = TARMAC_MODE_UND,
	        [0x1f] = TARMAC_MODE_SYS};

	(void)state;
	for (uint64_t psr = 0; psr < 32; psr++) {
		assert_int_equal(tarmac_mode_of_psr(psr), modes[psr]);
		assert_int_equal(tarmac_mode_of_psr(0xf00001e0 | psr), modes[psr]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(banked_registers_lie_where_aarch64_has_them),
	        cmocka_unit_test(stack_pointer_is_that_of_the_level),
	        cmocka_unit_test(stack_pointer_of_m_is_main_or_process),
	        cmocka_unit_test(parts_of_vectors_lie_as_the_architecture_has_them),
	        cmocka_unit_test(other_registers_have_places_of_their_own),
	        cmocka_unit_test(numbers_of_each_file_have_the_same_places),
	        cmocka_unit_test(context_comes_back_as_it_was_packed),
	        cmocka_unit_test(mode_is_that_of_the_status_register),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
