/* SPDX-License-Identifier: Apache-2.0 */
/* What entries of exceptions make of the registers of AArch32's modes: Arm ARM, G1.12. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/values/ssa/a32_exception.h"

enum { VBAR = 0x8000, RETURNS = 0x1230, SP = 13, LR = 14 };
#define SVC_A32 0xef000000

/* As an ETMv4 numbers them. */
enum { CALL = 2, TRAP = 3, SYSTEM_ERROR = 4, INST_FAULT = 11, DATA_FAULT = 12, IRQ = 14, FIQ = 15 };

struct outcome {
	struct bits registers[REG_COUNT];
	bool is_known;
};

static struct bits scr; /* not known but where a test says it */

/* From System mode, where R0 to R14 and all slots are 16 times their number. */
static struct outcome enter(unsigned int number, unsigned int vector, struct a32_entry entry)
{
	const struct pe_context context = {.security = SECURITY_NON_SECURE, .level = EL_1};
	struct element e = {.type = ELEMENT_EXCEPTION};
	struct outcome outcome;
	struct bits registers[REG_COUNT];
	struct uop_builder b;
	static struct uop_run run;

	e.exception.number = number;
	e.exception.info = exception_find(EXCEPTIONS_ETM4, number);
	e.exception.has_return_address = true;
	e.exception.return_address = RETURNS;
	entry.exception = &e;
	entry.vector = VBAR + vector;
	entry.from = entry.from ? entry.from : &context;
	entry.to = entry.to ? entry.to : &context;
	entry.site.isa = entry.site.isa == ISA_UNKNOWN ? ISA_A32 : entry.site.isa;
	for (unsigned int reg = 0; reg < REG_COUNT; reg++)
		registers[reg] = bits_of(16 * (uint64_t)reg);
	registers[REG_NZCV] = bits_of(UINT64_C(1) << 9);
	registers[REG_A32_MODE] = bits_of(A32_SYS);
	registers[REG_A32_SCR] = scr;
	uop_begin(&b);
	outcome.is_known = a32_exception_enter(&entry, &b);
	uop_finish(&b);
	assert_true(uop_run(&b.insn, registers, NULL, &run));
	for (unsigned int reg = 0; reg < REG_COUNT; reg++)
		outcome.registers[reg] = uop_run_after(&run, reg);
	return outcome;
}

static void assert_is(const struct outcome *o, unsigned int reg, uint64_t value)
{
	assert_true(o->is_known);
	assert_int_equal(o->registers[reg].known & UINT32_MAX, UINT32_MAX);
	assert_int_equal(o->registers[reg].value & UINT32_MAX, value);
}

static void entries_bring_mode_link_and_stack(void **state)
{
	static const struct {
		unsigned int number;
		unsigned int vector;
		unsigned int mode;
		unsigned int sp; /* slot of the mode's */
		unsigned int offset;
	} rows[] = {
	        {TRAP, 0x04, A32_UND, 23, 4},         {CALL, 0x08, A32_SVC, 19, 0},
	        {INST_FAULT, 0x0c, A32_ABT, 21, 4},   {DATA_FAULT, 0x10, A32_ABT, 21, 8},
	        {SYSTEM_ERROR, 0x10, A32_ABT, 21, 8}, {IRQ, 0x18, A32_IRQ, 17, 4},
	        {IRQ, 0x100, A32_IRQ, 17, 4}, /* a vector of its own: SCTLR.VE */
	        {FIQ, 0x1c, A32_FIQ, 29, 4},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct outcome o =
		        enter(rows[i].number, rows[i].vector,
		              (struct a32_entry){.site.opcode = SVC_A32, .is_isa_known = true});

		assert_is(&o, REG_A32_MODE, rows[i].mode);
		assert_is(&o, SP, 16 * rows[i].sp);
		assert_is(&o, LR, RETURNS + rows[i].offset);
		assert_is(&o, REG_SP, 16 * SP); /* System mode's */
		assert_is(&o, REG_A32_LR_USR, 16 * LR);
		assert_int_equal(o.registers[REG_A32_SPSR].known & 0xf000001f, 0xf000001f);
		assert_int_equal(o.registers[REG_A32_SPSR].value & 0xf000001f, 0x9000001f);
		assert_is(&o, 8, rows[i].mode == A32_FIQ ? 16 * 24 : 16 * 8);
	}
}

static void link_of_t32_depends_on_the_instruction_set(void **state)
{
	struct a32_entry entry = {.site.isa = ISA_T32, .is_isa_known = true};
	struct outcome o = enter(TRAP, 0x04, entry);

	(void)state;
	assert_is(&o, LR, RETURNS + 2);
	entry.is_isa_known = false;
	o = enter(TRAP, 0x04, entry);
	assert_true(o.is_known);
	assert_int_equal(o.registers[LR].known & UINT32_MAX, 0);
	o = enter(DATA_FAULT, 0x10, entry);
	assert_is(&o, LR, RETURNS + 8);
	entry.site.opcode = 0xdf05; /* SVC */
	o = enter(CALL, 0x08, entry);
	assert_is(&o, REG_A32_MODE, A32_SVC);
}

/* SCR.IRQ, FIQ and EA: which mode it is the trace does not say. */
static void what_may_be_monitor_mode_has_no_stack_that_is_known(void **state)
{
	static const struct {
		unsigned int number;
		unsigned int vector;
		unsigned int mode;
		unsigned int open;
	} rows[] = {
	        {IRQ, 0x18, 0x12, 0x04}, {DATA_FAULT, 0x10, 0x16, 0x01}, {FIQ, 0x1c, 0x10, 0x07}};
	const struct pe_context secure = {.security = SECURITY_SECURE, .level = EL_UNKNOWN};
	const struct pe_context el1 = {.security = SECURITY_SECURE, .level = EL_1};
	struct a32_entry entry = {.has_monitor = true, .from = &secure, .to = &secure};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct outcome o = enter(rows[i].number, rows[i].vector, entry);

		assert_true(o.is_known);
		assert_int_equal(~o.registers[REG_A32_MODE].known & 0x1f, rows[i].open);
		assert_int_equal(o.registers[REG_A32_MODE].value & 0x1f, rows[i].mode);
		assert_true((o.registers[SP].known & UINT32_MAX) != UINT32_MAX);
		assert_is(&o, REG_SP, 16 * SP);
		entry.has_monitor = false; /* R profile */
		o = enter(rows[i].number, rows[i].vector, entry);
		assert_int_equal(~o.registers[REG_A32_MODE].known & 0x1f, 0);
		entry.has_monitor = true;
		o = enter(rows[i].number, rows[i].vector,
		          (struct a32_entry){.has_monitor = true, .from = &el1, .to = &el1});
		assert_int_equal(~o.registers[REG_A32_MODE].known & 0x1f, 0);
	}
}

/* IRQ is bit 1, FIQ bit 2, EA bit 3. */
static void what_goes_to_monitor_mode_scr_says(void **state)
{
	static const struct {
		unsigned int number;
		unsigned int vector;
		uint64_t scr;
		unsigned int mode;
	} rows[] = {
	        {IRQ, 0x18, ~UINT64_C(2), A32_IRQ},        {IRQ, 0x18, 2, A32_MON},
	        {FIQ, 0x1c, ~UINT64_C(4), A32_FIQ},        {FIQ, 0x1c, 4, A32_MON},
	        {DATA_FAULT, 0x10, ~UINT64_C(8), A32_ABT}, {INST_FAULT, 0x0c, 6, A32_ABT},
	};
	const struct pe_context secure = {.security = SECURITY_SECURE, .level = EL_3};
	const struct a32_entry entry = {.has_monitor = true, .from = &secure, .to = &secure};
	struct outcome o;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		scr = bits_of(rows[i].scr);
		o = enter(rows[i].number, rows[i].vector, entry);
		assert_is(&o, REG_A32_MODE, rows[i].mode);
		assert_int_equal((o.registers[SP].known & UINT32_MAX) == UINT32_MAX,
		                 rows[i].mode != A32_MON);
	}
	scr = bits_of(8); /* external or not the trace does not say */
	o = enter(DATA_FAULT, 0x10, entry);
	assert_int_equal(~o.registers[REG_A32_MODE].known & 0x1f, 1);
	scr = (struct bits){0, 0};
}

static void entries_of_hyp_mode_leave_lr(void **state)
{
	const struct pe_context from = {.security = SECURITY_NON_SECURE, .level = EL_1};
	const struct pe_context hyp = {.security = SECURITY_NON_SECURE, .level = EL_2};
	struct outcome o =
	        enter(CALL, 0x14,
	              (struct a32_entry){.site.opcode = 0xe1400070, .from = &from, .to = &hyp});

	(void)state;
	assert_is(&o, REG_A32_MODE, A32_HYP);
	assert_is(&o, LR, 16 * LR);
	assert_is(&o, SP, 16 * 15);
}

static void user_mode_is_known_by_its_level(void **state)
{
	const struct pe_context user = {.security = SECURITY_NON_SECURE, .level = EL_0};
	struct outcome o = enter(IRQ, 0x18, (struct a32_entry){.from = &user});

	(void)state;
	assert_int_equal(o.registers[REG_A32_SPSR].value & 0x1f, A32_USR);
}

static void other_entries_are_not_known(void **state)
{
	const struct pe_context secure = {.security = SECURITY_SECURE, .level = EL_UNKNOWN};
	const struct a32_entry smc = {.site.opcode = 0xe1600070};

	(void)state;
	assert_false(enter(CALL, 0x08, smc).is_known); /* SMC */
	assert_false(enter(IRQ, 0x18, (struct a32_entry){.to = &secure}).is_known);
	assert_false(enter(DATA_FAULT, 0x0c, smc).is_known); /* not its vector */
	assert_false(enter(0, 0x00, smc).is_known);          /* reset */
	assert_false(enter(13, 0x00, smc).is_known);         /* reserved */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(entries_bring_mode_link_and_stack),
	        cmocka_unit_test(link_of_t32_depends_on_the_instruction_set),
	        cmocka_unit_test(what_may_be_monitor_mode_has_no_stack_that_is_known),
	        cmocka_unit_test(what_goes_to_monitor_mode_scr_says),
	        cmocka_unit_test(entries_of_hyp_mode_leave_lr),
	        cmocka_unit_test(user_mode_is_known_by_its_level),
	        cmocka_unit_test(other_entries_are_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
