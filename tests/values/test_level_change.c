/* SPDX-License-Identifier: Apache-2.0 */
/* What entries of exceptions and returns make of the registers of levels: Arm ARM, D1.3. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/values/ssa/level_change.h"

enum { RETURNS = 0x1230, VBAR = 0x8000, SPSR_EL1H = 0x60000085, SPSR_EL1T = 0x60000004 };
enum { DAIF = 0x3c0 };

/* Registers before: each its number times 16, but for SPSR. */
static uint64_t before(unsigned int reg, uint64_t spsr)
{
	return reg >= REG_SPSR_EL1 && reg <= REG_SPSR_EL3 ? spsr : 16 * (uint64_t)reg;
}

struct outcome {
	struct bits registers[REG_COUNT];
	bool is_known;
	bool has_own_sp;
};

static bool is_killed(const struct uop_insn *insn, unsigned int reg)
{
	for (unsigned int i = 0; i < insn->def_count; i++) {
		if (insn->defs[i].reg == reg)
			return false;
	}
	return (insn->flags & UOP_KILLS_REGISTERS) != 0;
}

static struct outcome change(struct level_change c, uint64_t spsr)
{
	struct outcome outcome = {.has_own_sp = false};
	struct bits registers[REG_COUNT];
	struct uop_builder b;
	struct uop_run run;

	for (unsigned int reg = 0; reg < REG_COUNT; reg++)
		registers[reg] = bits_of(before(reg, spsr));
	uop_begin(&b);
	outcome.is_known = level_change_define(&c, &b, &outcome.has_own_sp);
	uop_finish(&b);
	assert_true(uop_run(&b.insn, registers, NULL, &run));
	for (unsigned int reg = 0; reg < REG_COUNT; reg++)
		outcome.registers[reg] =
		        is_killed(&b.insn, reg) ? (struct bits){0, 0} : uop_run_after(&run, reg);
	return outcome;
}

static void assert_was(const struct outcome *o, unsigned int reg, unsigned int was)
{
	assert_int_equal(o->registers[reg].known, UINT64_MAX);
	assert_int_equal(o->registers[reg].value, before(was, 0));
}

static void assert_unknown(const struct outcome *o, unsigned int reg)
{
	assert_int_equal(o->registers[reg].known, 0);
}

/* The state of before in ELR and SPSR, with these masks of interrupts; all are set from here on. */
static void assert_saved_with(const struct outcome *o, unsigned int elr, unsigned int spsr,
                              uint64_t mode, uint64_t daif)
{
	assert_int_equal(o->registers[elr].known, UINT64_MAX);
	assert_int_equal(o->registers[elr].value, RETURNS);
	assert_int_equal(o->registers[spsr].known, DAIF | 0x1f);
	assert_int_equal(o->registers[spsr].value, daif | mode);
	assert_int_equal(o->registers[REG_DAIF].known, UINT64_MAX);
	assert_int_equal(o->registers[REG_DAIF].value, DAIF);
}

static void assert_saved(const struct outcome *o, unsigned int elr, unsigned int spsr,
                         unsigned int mode)
{
	assert_saved_with(o, elr, spsr, mode, before(REG_DAIF, 0) & DAIF);
}

static struct level_change entry(enum exception_level from, enum exception_level to,
                                 uint64_t offset)
{
	return (struct level_change){.has_entry = true,
	                             .from = from,
	                             .to = to,
	                             .vector = VBAR + offset,
	                             .returns = RETURNS,
	                             .has_returns = true,
	                             .is_interrupt = offset % 0x200 != 0};
}

static void entry_at_the_same_level_keeps_its_stack(void **state)
{
	struct outcome o = change(entry(EL_1, EL_1, 0x280), 0);

	(void)state;
	assert_true(o.is_known && o.has_own_sp);
	assert_was(&o, REG_SP, REG_SP);
	assert_was(&o, REG_SP_EL0, REG_SP_EL0);
	assert_was(&o, REG_X0, REG_X0);
	assert_was(&o, REG_ELR_EL2, REG_ELR_EL2);
	assert_was(&o, REG_SCTLR_EL1, REG_SCTLR_EL1);
	assert_was(&o, REG_TCR_EL1, REG_TCR_EL1);
	assert_was(&o, REG_VL, REG_VL);
	assert_saved(&o, REG_ELR_EL1, REG_SPSR_EL1, 5);
	assert_unknown(&o, REG_PSTATE);
	o = change(entry(EL_3, EL_3, 0x200), 0);
	assert_was(&o, REG_SP, REG_SP);
	assert_saved(&o, REG_ELR_EL3, REG_SPSR_EL3, 13);
	/* From SP_EL0 at EL1. */
	o = change(entry(EL_1, EL_1, 0), 0);
	assert_was(&o, REG_SP, REG_SP_EL1);
	assert_was(&o, REG_SP_EL0, REG_SP);
	assert_unknown(&o, REG_SP_EL1);
	assert_saved(&o, REG_ELR_EL1, REG_SPSR_EL1, 4);
}

static void entry_from_a_lower_level_takes_the_own_stack(void **state)
{
	struct level_change c = entry(EL_1, EL_2, 0x480);
	struct outcome o = change(entry(EL_0, EL_1, 0x400), 0);

	(void)state;
	assert_was(&o, REG_SP, REG_SP_EL1);
	assert_was(&o, REG_SP_EL0, REG_SP);
	assert_unknown(&o, REG_SP_EL1);
	assert_saved(&o, REG_ELR_EL1, REG_SPSR_EL1, 0);
	/* Which SP EL1 used must be known. */
	assert_false(change(c, 0).is_known);
	c.has_own_sp = true;
	o = change(c, 0);
	assert_was(&o, REG_SP, REG_SP_EL2);
	assert_was(&o, REG_SP_EL1, REG_SP);
	assert_was(&o, REG_SP_EL0, REG_SP_EL0);
	assert_saved(&o, REG_ELR_EL2, REG_SPSR_EL2, 5);
	/* VHE: the name may mean EL2's. */
	assert_unknown(&o, REG_ELR_EL1);
	assert_unknown(&o, REG_SCTLR_EL1);
	assert_unknown(&o, REG_TCR_EL1);
	o = change(entry(EL_0, EL_3, 0x400), 0);
	assert_unknown(&o, REG_SP);
	assert_was(&o, REG_SP_EL0, REG_SP);
}

static void entry_elsewhere_than_at_a_vector_is_not_followed(void **state)
{
	struct level_change c = entry(EL_1, EL_1, 0x280);

	(void)state;
	assert_false(change(entry(EL_1, EL_1, 0x284), 0).is_known);
	assert_false(change(entry(EL_0, EL_1, 0x600), 0).is_known);
	assert_false(change(entry(EL_0, EL_1, 0x280), 0).is_known);
	assert_false(change(entry(EL_1, EL_1, 0x480), 0).is_known);
	assert_false(change(entry(EL_0, EL_0, 0x400), 0).is_known);
	assert_false(change(entry(EL_1, EL_UNKNOWN, 0x200), 0).is_known);
	c.is_interrupt = false;
	assert_false(change(c, 0).is_known);
}

static void entry_after_a_fault_of_the_address_does_not_say_elr(void **state)
{
	struct level_change c = entry(EL_1, EL_1, 0x200);
	struct outcome o;

	(void)state;
	c.has_returns = false;
	o = change(c, 0);
	assert_unknown(&o, REG_ELR_EL1);
	c.has_returns = c.is_indirect = true;
	o = change(c, 0);
	assert_int_equal(o.registers[REG_ELR_EL1].known, ~UINT64_C(3));
	assert_int_equal(o.registers[REG_ELR_EL1].value, RETURNS);
}

static void return_to_el0_puts_the_own_stack_away(void **state)
{
	struct level_change c = {.is_return = true, .from = EL_1, .to = EL_0};
	struct outcome o;

	(void)state;
	assert_false(change(c, 0).is_known);
	c.has_own_sp = true;
	o = change(c, 0);
	assert_true(o.is_known && !o.has_own_sp);
	assert_was(&o, REG_SP, REG_SP_EL0);
	assert_was(&o, REG_SP_EL1, REG_SP);
	assert_unknown(&o, REG_SP_EL0);
	assert_was(&o, REG_ELR_EL1, REG_ELR_EL1);
}

static void return_to_the_same_level_has_the_stack_that_spsr_says(void **state)
{
	struct level_change c = {.is_return = true, .from = EL_1, .to = EL_1, .has_own_sp = true};
	struct outcome o = change(c, SPSR_EL1H);

	(void)state;
	assert_was(&o, REG_SP, REG_SP);
	assert_unknown(&o, REG_SP_EL1);
	assert_false(o.has_own_sp);
	assert_int_equal(o.registers[REG_DAIF].known, UINT64_MAX);
	assert_int_equal(o.registers[REG_DAIF].value, 0x80);
	o = change(c, SPSR_EL1T);
	assert_int_equal(o.registers[REG_DAIF].value, 0);
	assert_was(&o, REG_SP, REG_SP_EL0);
	assert_was(&o, REG_SCTLR_EL1, REG_SCTLR_EL1);
	assert_was(&o, REG_TCR_EL1, REG_TCR_EL1);
	c.from = EL_2;
	o = change(c, SPSR_EL1H);
	assert_unknown(&o, REG_SCTLR_EL1);
	assert_unknown(&o, REG_TCR_EL1);
	assert_unknown(&o, REG_ELR_EL1);
	assert_unknown(&o, REG_SPSR_EL1);
	assert_unknown(&o, REG_VL);
	assert_was(&o, REG_SP, REG_SP_EL1);
	assert_was(&o, REG_SP_EL2, REG_SP);
	c.to = EL_3;
	assert_false(change(c, SPSR_EL1H).is_known);
}

static void exception_right_after_a_return_finds_the_same_stack(void **state)
{
	struct level_change c = entry(EL_1, EL_1, 0x280);
	struct outcome o;

	(void)state;
	c.is_return = c.has_own_sp = true;
	o = change(c, SPSR_EL1H);
	assert_true(o.is_known && o.has_own_sp);
	assert_was(&o, REG_SP, REG_SP);
	assert_saved_with(&o, REG_ELR_EL1, REG_SPSR_EL1, 5, 0x80);
	c.vector = VBAR + 0x480; /* by way of EL0 */
	o = change(c, 0);
	assert_was(&o, REG_SP, REG_SP);
	assert_was(&o, REG_SP_EL0, REG_SP_EL0);
	assert_saved_with(&o, REG_ELR_EL1, REG_SPSR_EL1, 0, 0);
	c.has_own_sp = false;
	assert_false(change(c, 0).is_known);
}

static void unknown_code_of_el0_leaves_what_it_cannot_write(void **state)
{
	struct level_change c = entry(EL_1, EL_1, 0x480);
	struct outcome o;

	(void)state;
	c.has_stay = c.is_return = c.has_own_sp = c.is_indirect = true;
	o = change(c, 0);
	assert_true(o.is_known && o.has_own_sp);
	assert_was(&o, REG_SP, REG_SP);
	assert_was(&o, REG_TPIDR_EL1, REG_TPIDR_EL1);
	assert_was(&o, REG_TCR_EL1, REG_TCR_EL1);
	assert_was(&o, REG_ELR_EL2, REG_ELR_EL2);
	assert_unknown(&o, REG_X0);
	assert_unknown(&o, REG_SP_EL0);
	assert_unknown(&o, REG_SP_EL1);
	assert_unknown(&o, REG_TPIDR_EL0);
	assert_int_equal(o.registers[REG_ELR_EL1].known, ~UINT64_C(3));
	assert_int_equal(o.registers[REG_SPSR_EL1].known, 0x1f);
	assert_int_equal(o.registers[REG_SPSR_EL1].value, 0);
	/* Which SP was in use before is not known. */
	c.has_own_sp = false;
	o = change(c, 0);
	assert_true(o.is_known && o.has_own_sp);
	assert_unknown(&o, REG_SP);
	assert_was(&o, REG_TPIDR_EL1, REG_TPIDR_EL1);
	/* It began at EL0. */
	c.is_return = false;
	c.from = EL_0;
	o = change(c, 0);
	assert_was(&o, REG_SP, REG_SP_EL1);
	/* It does not end. */
	c.has_entry = false;
	c.to = EL_0;
	o = change(c, 0);
	assert_true(o.is_known && !o.has_own_sp);
	assert_unknown(&o, REG_SP);
	assert_was(&o, REG_SP_EL1, REG_SP_EL1);
	assert_was(&o, REG_ELR_EL1, REG_ELR_EL1);
	c.to = EL_1;
	assert_false(change(c, 0).is_known);
	c = entry(EL_0, EL_2, 0x480);
	c.has_stay = true;
	assert_false(change(c, 0).is_known);
}

/* Its handler keeps registers, but not these: whoever takes an exception writes them. */
static void unseen_exception_has_written_what_an_entry_writes(void **state)
{
	static const unsigned int lost[] = {REG_ELR_EL1,  REG_ELR_EL2,  REG_ELR_EL3,
	                                    REG_SPSR_EL1, REG_SPSR_EL2, REG_SPSR_EL3};
	struct uop_builder b;
	unsigned int count = 0;

	(void)state;
	uop_begin(&b);
	level_change_forget(&b);
	uop_finish(&b);
	for (unsigned int reg = 0; reg < REG_COUNT; reg++)
		count += uop_insn_after(&b.insn, reg) != reg;
	for (size_t i = 0; i < sizeof(lost) / sizeof(lost[0]); i++)
		assert_true(uop_insn_after(&b.insn, lost[i]) != lost[i]);
	assert_int_equal(count, sizeof(lost) / sizeof(lost[0]));
	assert_int_equal(b.insn.flags & UOP_KILLS_ALL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(entry_at_the_same_level_keeps_its_stack),
	        cmocka_unit_test(entry_from_a_lower_level_takes_the_own_stack),
	        cmocka_unit_test(entry_elsewhere_than_at_a_vector_is_not_followed),
	        cmocka_unit_test(entry_after_a_fault_of_the_address_does_not_say_elr),
	        cmocka_unit_test(return_to_el0_puts_the_own_stack_away),
	        cmocka_unit_test(return_to_the_same_level_has_the_stack_that_spsr_says),
	        cmocka_unit_test(exception_right_after_a_return_finds_the_same_stack),
	        cmocka_unit_test(unknown_code_of_el0_leaves_what_it_cannot_write),
	        cmocka_unit_test(unseen_exception_has_written_what_an_entry_writes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
