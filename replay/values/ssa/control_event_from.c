/* SPDX-License-Identifier: Apache-2.0 */
/* What instructions leave for the next control event; see control_event_from.h. */
#include "replay/values/ssa/control_event_from.h"

#include "arch/a64/a64.h"
#include "arch/isa.h"

/* Keeps the constant that a register has after the instruction, or loses what was known. */
static void pass_constant(const struct uop_insn *insn, unsigned int reg, bool *has, uint64_t *value)
{
	unsigned int slot = uop_insn_after(insn, reg);

	if (slot == SLOT_ZERO || (slot >= SLOT_CONSTANT && slot < SLOT_ZERO)) {
		*has = true;
		*value = slot == SLOT_ZERO ? 0 : insn->constants[slot - SLOT_CONSTANT];
	} else if (slot != reg || (insn->flags & UOP_KILLS_REGISTERS) != 0) {
		*has = false;
	}
}

enum { NUMBER_A64 = 8, NUMBER_A32 = 7, MOVED_A32 = 12 };

/* The registers that say what is called, and R12, which R7 may have been before. */
static void pass_site(const struct uop_insn *insn, struct control_event_from *before)
{
	struct call_site *site = &before->site;
	unsigned int reg = site->isa == ISA_A64 ? NUMBER_A64 : NUMBER_A32;

	if (reg == NUMBER_A32 && uop_insn_after(insn, reg) == MOVED_A32 && before->has_moved) {
		site->has_number = true;
		site->number = before->moved;
	} else {
		pass_constant(insn, reg, &site->has_number, &site->number);
	}
	pass_constant(insn, REG_X0, &site->has_operation, &site->operation);
	pass_constant(insn, MOVED_A32, &before->has_moved, &before->moved);
}

/* Of A64: the SP in use may be another one after the instruction. */
static bool selects_sp(const struct template *template)
{
	return template->isa == ISA_A64 &&
	       ((template->insn->flags & UOP_KILLS_REGISTERS) != 0 ||
	        uop_insn_after(template->insn, REG_SP_EL1) != REG_SP_EL1);
}

/* Which SP is in use a return from an exception does not say: this does, as in Linux. */
static bool has_own_sp(const struct template *template)
{
	return template->isa == ISA_A64 && a64_moves_sp_el0(template->opcode);
}

static void pass_own_sp(struct control_event_from *before)
{
	before->sp = before->sp == SP_IN_USE_KEPT || before->sp == SP_IN_USE_OWN
	                     ? SP_IN_USE_OWN
	                     : SP_IN_USE_OWN_SINCE;
}

void control_event_from_pass(struct control_event_from *before, const struct template *template)
{
	const struct uop_insn *insn = template->insn;
	struct call_site *site = &before->site;

	before->address = template->address;
	before->size = template->size;
	before->view = template->view;
	before->is_exception = insn->branch.kind == BRANCH_EXCEPTION;
	before->is_return = insn->branch.kind == BRANCH_RETURN && template->isa == ISA_A64;
	if (selects_sp(template))
		before->sp = SP_IN_USE_SELECTED;
	else if (has_own_sp(template))
		pass_own_sp(before);
	before->is_known = true;
	before->insn = insn;
	site->isa = (enum isa) template->isa;
	site->opcode = template->opcode;
	pass_site(insn, before);
}

/* From what is known of a constant after the run if it was not and if it was known before. */
static struct run_constant constant_of(bool without, bool with, uint64_t value)
{
	return (struct run_constant){without ? RUN_SETS : with ? RUN_KEEPS : RUN_LOSES, value};
}

/* What R12 is known to be before the run where it was: no register of 32 bits is that. */
#define BEFORE_RUN (UINT64_C(1) << 32)

struct control_event_from control_event_from_any(void)
{
	return (struct control_event_from){
	        .site = {.has_number = true, .has_operation = true},
	        .has_moved = true,
	        .moved = BEFORE_RUN,
	};
}

void control_event_from_effects(struct run_end *end, const struct control_event_from *without,
                                const struct control_event_from *with)
{
	end->number =
	        constant_of(without->site.has_number, with->site.has_number, without->site.number);
	if (end->number.effect == RUN_KEEPS && with->site.number == BEFORE_RUN)
		end->number.effect = RUN_MOVES;
	end->operation = constant_of(without->site.has_operation, with->site.has_operation,
	                             without->site.operation);
	end->moved = constant_of(without->has_moved, with->has_moved, without->moved);
}

static void pass_run_constant(const struct run_constant *run, bool *has, uint64_t *value)
{
	if (run->effect == RUN_SETS)
		*value = run->value;
	*has = run->effect == RUN_SETS || (run->effect != RUN_LOSES && *has);
}

void control_event_from_pass_run(struct control_event_from *before, const struct run_template *run,
                                 bool taken, const struct template *last)
{
	const struct run_end *end = &run->ends[taken];
	struct call_site *site = &before->site;
	struct call_site was = *site;
	bool had_moved = before->has_moved;
	uint64_t moved = before->moved;

	if (run->has_own_sp)
		pass_own_sp(before);
	control_event_from_pass(before, last);
	site->has_number = end->number.effect == RUN_MOVES ? had_moved : was.has_number;
	site->number = end->number.effect == RUN_MOVES ? moved : was.number;
	site->has_operation = was.has_operation;
	site->operation = was.operation;
	before->has_moved = had_moved;
	before->moved = moved;
	pass_run_constant(&end->number, &site->has_number, &site->number);
	pass_run_constant(&end->operation, &site->has_operation, &site->operation);
	pass_run_constant(&end->moved, &before->has_moved, &before->moved);
}
