/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of a window before anything follows from it; see initial_facts.h. */
#include "replay/values/solver/initial_facts.h"

#include "arch/isa.h"
#include "replay/history/history.h"

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
	/* The top byte is ignored wherever the core may be set up so (top_byte.h). */
	uint64_t known = bits_mask(branch->target_bits < 56 ? branch->target_bits : 56);
	/* Of a target that faults, a core need not keep the top bits (Arm ARM D1.3). */
	bool ran = window_next_ran(&s->w, dyn);

	if ((s->abi.is_assumed && abi_is_return(window_template(&s->w, dyn))) ||
	    (branch->target_bits == 64 && ran && top_byte_counts(s, dyn, pc)))
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

/* SPSR.M[0] of returns from exceptions after which a level's own SP was in use. */
static void learn_own_sp(struct solver *s)
{
	for (size_t i = 0; i < s->w.inserted_count; i++) {
		const struct inserted *event = &s->w.inserted[i];

		if (event->own_sp == SLOT_NONE)
			continue;
		solve_because(s, CAUSE_SP_IN_USE, event->dyn, 0);
		solve_learn_ssa(s, event->dyn, window_ssa_of(&s->w, event->dyn, event->own_sp),
		                (struct bits){1, 1});
	}
}

void initial_facts(struct solver *s)
{
	set_constants(s);
	narrow_all(s);
	if (s->w.options.to == history_length(s->w.history))
		halt_facts(s);
	top_byte_init(s);
	for (size_t dyn = 0; dyn < s->w.dyn_count; dyn++) {
		learn_branch(s, dyn);
		learn_outcome(s, dyn);
	}
	learn_own_sp(s);
	data_facts(s);
}
