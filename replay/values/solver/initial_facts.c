/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of a window before anything follows from it; see initial_facts.h. */
#include "replay/values/solver/initial_facts.h"

#include "arch/isa.h"
#include "replay/history/history.h"
#include "replay/values/solver/data_facts.h"

/* What is known of SSA values by the templates alone; for constants see window.c. */
static void set_constants(struct solver *s)
{
	for (size_t dyn = 0; dyn < s->w.dyn_count; dyn++) {
		const struct template *template = window_template(&s->w, dyn);
		const struct uop_insn *insn = template->insn;
		struct dyn_numbers at = window_dyn(&s->w, dyn);

		for (uint32_t i = 0; i < template->ops.narrow_count; i++)
			s->ssa_values[at.ssa + template->ops.narrows[i].temp].known =
			        ~bits_mask(template->ops.narrows[i].width);
		if (!template->defines_constant)
			continue;
		for (uint32_t i = 0; i < insn->def_count; i++) {
			if (insn->defs[i].slot >= SLOT_CONSTANT)
				s->ssa_values[at.ssa + insn->temp_count + i] =
				        solve_slot(s, dyn, insn->defs[i].slot);
		}
	}
}

static void learn_end(struct solver *s, unsigned int reg, uint64_t value, unsigned int bits)
{
	uint32_t ssa = s->w.after[reg];
	struct bits old = s->ssa_values[ssa];

	solve_because(s, CAUSE_HALT, s->w.dyn_count, reg);
	if (!bits_learn(&s->ssa_values[ssa], value, bits_mask(bits)))
		solve_conflict(s, s->w.dyn_count, ssa, (struct bits){value, bits_mask(bits)});
	else if (s->log && s->ssa_values[ssa].known != old.known)
		provenance_ssa(s->log, ssa, s->ssa_values[ssa].known);
}

static void learn_vector(struct solver *s, unsigned int slot, const struct snap_register *reg)
{
	for (unsigned int half = 0; half < 2; half++) {
		uint64_t value = 0;

		if (reg->bits < 128)
			return;
		for (unsigned int i = 0; i < 8; i++)
			value |= (uint64_t)reg->value[8 * half + i] << 8 * i;
		learn_end(s, slot + half, value, 64);
	}
}

#define XPSR_NUMBER   UINT64_C(0x1ff)
#define CONTROL_SPSEL UINT64_C(2)

/* Of the M profile's two stack pointers, that which is not in use. */
static void learn_other_sp(struct solver *s)
{
	const struct history *history = s->w.history;
	const struct snap_register *xpsr = history_halt_register(history, M_xpsr);
	const struct snap_register *control = history_halt_register(history, M_control);
	bool is_handler = xpsr && (snap_register_value(xpsr) & XPSR_NUMBER) != 0;
	const struct snap_register *other;

	/* With Security Extension there are two of each. */
	if (!xpsr || (!is_handler && !control) ||
	    m_core_of(history_core(history)->device).has_security)
		return;
	/* Handlers use MSP; threads what SPSEL says. */
	if (is_handler || (snap_register_value(control) & CONTROL_SPSEL) == 0)
		other = history_halt_register(history, M_psp);
	else
		other = history_halt_register(history, M_msp);
	if (other)
		learn_end(s, M_OTHER_SP, snap_register_value(other) & UINT32_MAX, 64);
}

/* The registers at the halt. */
static void learn_halt(struct solver *s)
{
	const struct snap_core *core = history_core(s->w.history);
	const struct register_file file = register_file_of(core->arch);

	for (unsigned int i = 0; i < file.trace; i++) {
		const struct snap_register *reg = history_halt_register(s->w.history, i);
		struct register_slot at = register_slot_of(core->arch, i);
		uint64_t value;

		if (!reg || at.count == 0)
			continue;
		value = snap_register_value(reg);
		if (at.count == 2)
			learn_vector(s, at.slot, reg);
		else if (at.is_flags)
			learn_end(s, at.slot, (uint64_t)1 << (value >> 28 & 15), 64);
		else
			learn_end(s, at.slot, value & bits_mask(at.bits),
			          core->arch == CORE_A64 ? at.bits : 64);
	}
	if (core->arch == CORE_M)
		learn_other_sp(s);
}

/* The general registers of AArch32 have 32 bits. */
static void narrow(struct solver *s, uint32_t ssa)
{
	for (uint32_t reg = 0; reg <= REG_SP; reg++) {
		if (!bits_narrow(&s->ssa_values[ssa + reg], 32))
			solve_conflict(s, 0, ssa + reg, (struct bits){0, ~bits_mask(32)});
	}
}

/*
 * Of SSA values that no micro-operation makes: those at the start, and those after a dynamic
 * instruction that kills.
 */
static void narrow_all(struct solver *s)
{
	enum isa isa = s->w.end_isa; /* after the dynamic instruction */

	for (size_t dyn = s->w.dyn_count; dyn-- > 0;) {
		const struct template *template = window_template(&s->w, dyn);

		if ((template->insn->flags & UOP_KILLS_REGISTERS) != 0 && isa != ISA_A64 &&
		    isa != ISA_UNKNOWN)
			narrow(s, window_dyn(&s->w, dyn).ssa + template->killed_ssa);
		if (template->is_code)
			isa = (enum isa) template->isa;
	}
	if (isa != ISA_A64 && isa != ISA_UNKNOWN)
		narrow(s, 0);
}

static void learn_condition(struct solver *s, size_t dyn, unsigned int slot, bool holds)
{
	solve_learn(s, dyn, slot, (struct bits){holds ? 1 : 0, 1});
}

/* An indirect branch went to this PC. */
static void learn_target(struct solver *s, size_t dyn, uint64_t pc)
{
	const struct uop_branch *branch = &window_template(&s->w, dyn)->insn->branch;
	enum isa isa = window_next_isa(&s->w, dyn);
	/* The top byte is ignored wherever the core may be set up so. */
	uint64_t known = bits_mask(branch->target_bits < 56 ? branch->target_bits : 56);

	if (s->abi.is_assumed && abi_is_return(window_template(&s->w, dyn)))
		known = UINT64_MAX;
	known &= window_next_pc_bits(&s->w, dyn);
	solve_learn(s, dyn, branch->slot, (struct bits){pc & known, known});
	if (branch->interworks && (isa == ISA_A32 || isa == ISA_T32))
		learn_condition(s, dyn, branch->state, isa == ISA_T32);
}

/* What follows from where execution went. */
static void learn_branch(struct solver *s, size_t dyn)
{
	const struct template *template = window_template(&s->w, dyn);
	const struct uop_branch *branch = &template->insn->branch;
	uint64_t after = template->address + template->size;
	uint64_t pc;

	if (branch->slot == SLOT_NONE || !window_next_pc(&s->w, dyn, &pc))
		return;
	solve_because(s, CAUSE_BRANCH, dyn, 0);
	if (branch->kind == BRANCH_INDIRECT) {
		learn_target(s, dyn, pc);
	} else if (branch->kind == BRANCH_CONDITIONAL && branch->target != after) {
		bool taken = pc == branch->target;

		if (taken || pc == after)
			learn_condition(s, dyn, branch->slot, (branch->taken_value != 0) == taken);
	} else if (branch->kind == BRANCH_CONDITIONAL_INDIRECT &&
	           (pc != after || template->outcome == OUTCOME_PASSED)) {
		learn_condition(s, dyn, branch->when, true);
		learn_target(s, dyn, pc);
	}
}

/* What follows from what the trace says of whether an instruction was executed. */
static void learn_outcome(struct solver *s, size_t dyn)
{
	const struct template *template = window_template(&s->w, dyn);

	solve_because(s, CAUSE_OUTCOME, dyn, 0);
	if (template->outcome != OUTCOME_UNKNOWN && template->insn->when != SLOT_NONE)
		learn_condition(s, dyn, template->insn->when, template->outcome == OUTCOME_PASSED);
}

void initial_facts(struct solver *s)
{
	set_constants(s);
	narrow_all(s);
	if (s->w.options.to == history_length(s->w.history))
		learn_halt(s);
	for (size_t dyn = 0; dyn < s->w.dyn_count; dyn++) {
		learn_branch(s, dyn);
		learn_outcome(s, dyn);
	}
	data_facts(s);
}
