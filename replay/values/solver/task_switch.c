/* SPDX-License-Identifier: Apache-2.0 */
/* The code that switches tasks, in a window; see task_switch.h. What follows: waiting_task.c. */
#include "replay/values/solver/task_switch.h"

#include <stdlib.h>

#include "base/vec.h"
#include "replay/history/history.h"
#include "replay/values/solver/solver.h"
#include "replay/values/ssa/ssa.h"

enum {
	FRAME_POINTER = 29,
	CHAIN_MOST = 24,   /* sums that a value is followed through */
	COPIES_MOST = 3,   /* of SP and of the link register */
	RELOADS_MOST = 8,  /* that a register is followed through: of functions that were called */
	RELOAD_SPAN = 256, /* dynamic instructions from a save to its reload */
	NEAR = 8,          /* dynamic instructions between the MSR SP_EL0 and the change of SP, */
	SAVE_SPAN = 48,    /* and those that save before it */
	NUMBER_SPAN = 1200 /* from the MSR CONTEXTIDR_EL1 on */
};

#define MSR_SP_EL0     0xd5184100u
#define MSR_CONTEXTIDR 0xd518d020u

static bool is_msr(const struct template *template, uint32_t opcode)
{
	return template->is_code && template->isa == ISA_A64 &&
	       (template->opcode & ~31u) == opcode && (template->opcode & 31) != 31;
}

/* One step back through a sum with a constant. */
static bool step_back(const struct solver *s, struct task_term *term)
{
	size_t dyn;
	const struct uop *op = window_uop_of(&s->w, term->ssa, &dyn);
	struct bits b;
	struct bits carry;

	if (!op || (op->op != UOP_ADD && op->op != UOP_SUB) || op->width != 64 ||
	    op->a >= SLOT_CONSTANT)
		return false;
	b = solve_slot(s, dyn, op->b);
	carry = solve_slot(s, dyn, op->c);
	if ((b.known & carry.known) != UINT64_MAX)
		return false;
	term->ssa = solve_ssa_of(s, dyn, op->a);
	term->offset += (op->op == UOP_ADD ? b.value : ~b.value) + carry.value;
	return true;
}

static struct task_term root_of(const struct solver *s, uint32_t ssa)
{
	struct task_term term = {ssa, 0};

	for (unsigned int i = 0; i < CHAIN_MOST && step_back(s, &term); i++)
		;
	return term;
}

/* The SSA value is a copy of another one. */
static bool is_copy(const struct solver *s, uint32_t ssa, uint32_t of)
{
	struct task_term term = {ssa, 0};

	for (unsigned int i = 0; i < COPIES_MOST; i++) {
		if (term.ssa == of && term.offset == 0)
			return true;
		if (!step_back(s, &term))
			return false;
	}
	return false;
}

/* An access of 8 bytes of which neither address nor data are constants. */
static bool is_plain(const struct uop_access *access, enum uop_access_kind kind)
{
	return access->kind == kind && access->size == 8 && access->data < SLOT_CONSTANT &&
	       access->address < SLOT_CONSTANT;
}

static struct task_term address_of(const struct solver *s, size_t dyn,
                                   const struct uop_access *access)
{
	struct task_term at = root_of(s, solve_ssa_of(s, dyn, access->address));

	at.offset += (uint64_t)(int64_t)access->offset;
	return at;
}

/* The last store before a dynamic instruction to an address: the SSA value that it stored. */
static bool find_stored(const struct solver *s, size_t end, struct task_term at, uint32_t *ssa)
{
	for (size_t dyn = end; dyn-- > 0 && end - dyn <= RELOAD_SPAN;) {
		const struct uop_insn *insn = window_template(&s->w, dyn)->insn;

		for (unsigned int i = 0; i < insn->access_count; i++) {
			struct task_term to;

			if (!is_plain(&insn->accesses[i], ACCESS_STORE))
				continue;
			to = address_of(s, dyn, &insn->accesses[i]);
			if (to.ssa != at.ssa || to.offset != at.offset)
				continue;
			*ssa = solve_ssa_of(s, dyn, insn->accesses[i].data);
			return true;
		}
	}
	return false;
}

/* What a function has loaded from its frame is what it had saved there. */
static bool step_over_call(const struct solver *s, struct task_term *term)
{
	size_t dyn;
	const struct uop *op = window_uop_of(&s->w, term->ssa, &dyn);
	const struct uop_access *load;
	struct task_term saved;

	if (!op || op->op != UOP_LOAD)
		return false;
	load = &window_template(&s->w, dyn)->insn->accesses[op->access];
	if (!is_plain(load, ACCESS_LOAD) || load->address != REG_SP ||
	    !find_stored(s, dyn, address_of(s, dyn, load), &saved.ssa))
		return false;
	saved = root_of(s, saved.ssa);
	term->ssa = saved.ssa;
	term->offset += saved.offset;
	return true;
}

/* As root_of(), and through what functions keep. */
static struct task_term origin_of(const struct solver *s, uint32_t ssa)
{
	struct task_term term = root_of(s, ssa);

	for (unsigned int i = 0; i < RELOADS_MOST && step_over_call(s, &term); i++)
		;
	return term;
}

/* The SSA value was loaded, and perhaps extended: from where. */
static bool loaded_from(const struct solver *s, uint32_t ssa, struct task_term *from)
{
	size_t dyn;
	const struct uop *op = window_uop_of(&s->w, ssa, &dyn);
	const struct uop_access *load;
	struct task_term base;

	if (op && (op->op == UOP_SIGNED || op->op == UOP_FIELD) && op->a < SLOT_CONSTANT)
		op = window_uop_of(&s->w, solve_ssa_of(s, dyn, op->a), &dyn);
	if (!op || op->op != UOP_LOAD)
		return false;
	load = &window_template(&s->w, dyn)->insn->accesses[op->access];
	if (load->address >= SLOT_CONSTANT)
		return false;
	*from = address_of(s, dyn, load);
	base = origin_of(s, from->ssa);
	from->ssa = base.ssa;
	from->offset += base.offset;
	return true;
}

/* The number of the task that the core runs at a position. */
static bool number_at(const struct solver *s, uint64_t position, uint32_t *number)
{
	struct context_change change;

	if (!history_last_context(s->w.history, position, &change) ||
	    !change.context.has_context_id)
		return false;
	*number = change.context.context_id;
	return true;
}

/*
 * Where in the task the number is that CONTEXTIDR got last before a dynamic instruction, and the
 * one by which it got it.
 */
static bool find_number(const struct solver *s, size_t end, struct task_term task, uint64_t *at,
                        size_t *by)
{
	for (size_t dyn = end; dyn-- > 0 && end - dyn <= NUMBER_SPAN;) {
		const struct template *template = window_template(&s->w, dyn);
		struct task_term from;

		if (is_msr(template, MSR_SP_EL0))
			return false;
		if (!is_msr(template, MSR_CONTEXTIDR))
			continue;
		if (!loaded_from(s, window_ssa_of(&s->w, dyn, template->opcode & 31), &from) ||
		    from.ssa != task.ssa)
			return false;
		*at = from.offset - task.offset;
		*by = dyn;
		return true;
	}
	return false;
}

/* Where near an MSR SP_EL0 SP is loaded from the task that it makes the current one. */
static bool find_change(const struct solver *s, size_t msr, struct task_term task, size_t *change,
                        uint64_t *sp_at)
{
	const struct window *w = &s->w;

	for (size_t dyn = msr > NEAR ? msr - NEAR : 0; dyn < msr + NEAR && dyn < w->dyn_count;
	     dyn++) {
		uint32_t sp = window_ssa_of(w, dyn + 1, REG_SP);
		struct task_term from;

		if (sp == window_ssa_of(w, dyn, REG_SP) ||
		    !loaded_from(s, root_of(s, sp).ssa, &from) || from.ssa != task.ssa)
			continue;
		*change = dyn;
		*sp_at = from.offset - task.offset;
		return true;
	}
	return false;
}

/* The first dynamic instruction that may save before SP changes. */
static size_t first_save(size_t change)
{
	return change > SAVE_SPAN ? change - SAVE_SPAN : 0;
}

/* The store before SP changes that saves it: its address. */
static bool find_saved_sp(const struct solver *s, size_t change, struct task_term *saved)
{
	uint32_t sp = window_ssa_of(&s->w, change, REG_SP);
	bool found = false;

	for (size_t dyn = first_save(change); dyn < change; dyn++) {
		const struct uop_insn *insn = window_template(&s->w, dyn)->insn;

		for (unsigned int i = 0; i < insn->access_count; i++) {
			/* The frame pointer may be SP as well. */
			if (!is_plain(&insn->accesses[i], ACCESS_STORE) ||
			    insn->accesses[i].data == FRAME_POINTER ||
			    !is_copy(s, solve_ssa_of(s, dyn, insn->accesses[i].data), sp))
				continue;
			found = true;
			*saved = address_of(s, dyn, &insn->accesses[i]);
		}
	}
	return found;
}

/* A store near that, perhaps to the same structure. */
static void note_saved(const struct solver *s, size_t dyn, const struct uop_access *access,
                       struct task_switch *found, struct task_layout *layout)
{
	uint32_t lr = window_ssa_of(&s->w, dyn, REG_LR);
	struct task_term to = address_of(s, dyn, access);
	uint64_t at = layout->sp + to.offset - found->saved.offset;

	if (to.ssa != found->saved.ssa)
		return;
	if (layout->saved[0] == layout->saved[1])
		found->first_access = window_access(&s->w, dyn);
	if (at < layout->saved[0])
		layout->saved[0] = at;
	if (at + 8 > layout->saved[1])
		layout->saved[1] = at + 8;
	if (access->data != REG_LR || s->ssa_values[lr].known != UINT64_MAX)
		return;
	layout->lr = at;
	layout->lr_value = s->ssa_values[lr].value;
}

/*
 * What is saved before SP changes: where SP is, what part of the task that is, and where in it the
 * return address. False if one of the two is not saved.
 */
static bool find_saves(const struct solver *s, size_t change, struct task_switch *found,
                       struct task_layout *layout)
{
	if (!find_saved_sp(s, change, &found->saved))
		return false;
	layout->saved[0] = layout->saved[1] = layout->sp;
	for (size_t dyn = first_save(change); dyn < change; dyn++) {
		const struct uop_insn *insn = window_template(&s->w, dyn)->insn;

		for (unsigned int i = 0; i < insn->access_count; i++) {
			if (is_plain(&insn->accesses[i], ACCESS_STORE))
				note_saved(s, dyn, &insn->accesses[i], found, layout);
		}
	}
	return layout->lr_value != 0;
}

static bool is_same_layout(const struct task_layout *a, const struct task_layout *b)
{
	return a->sp == b->sp && a->lr == b->lr && a->number == b->number &&
	       a->saved[0] == b->saved[0] && a->saved[1] == b->saved[1] &&
	       a->lr_value == b->lr_value;
}

/* The instruction, an MSR SP_EL0, may be the end of a switch. */
static enum status look_at(struct solver *s, size_t dyn)
{
	struct task_switches *switches = &s->tasks;
	const struct window *w = &s->w;
	uint32_t next = window_ssa_of(w, dyn, window_template(w, dyn)->opcode & 31);
	struct task_term task = origin_of(s, next);
	struct task_switch found = {.dyn = (uint32_t)dyn, .next = next};
	struct task_layout layout = {0};
	size_t change = 0;
	size_t number = 0;

	if (!find_change(s, dyn, task, &change, &layout.sp) ||
	    !find_saves(s, change, &found, &layout) ||
	    !find_number(s, dyn, task, &layout.number, &number) ||
	    !number_at(s, window_position_of(w, number), &found.before) ||
	    !number_at(s, window_position_of(w, dyn), &found.after))
		return STATUS_OK;
	/* Of another kernel, or not what it looks like. */
	if (switches->count > 0 && !is_same_layout(&layout, &switches->layout))
		return STATUS_OK;
	switches->layout = layout;
	found.current = window_ssa_of(w, dyn, REG_SP_EL0);
	found.number = (uint32_t)number;
	TRY(vec_reserve((void **)&switches->items, &switches->capacity, switches->count + 1,
	                sizeof(*switches->items)));
	switches->items[switches->count++] = found;
	return STATUS_OK;
}

bool task_switches_are_numbered(const struct history *history)
{
	struct context_change last;

	return history_core(history)->arch == CORE_A64 &&
	       history_last_context(history, history_length(history), &last) &&
	       last.context.has_context_id;
}

bool task_switches_may_be(const struct solver *s)
{
	bool found = false;

	for (size_t i = 0; i < s->w.template_count && !found; i++)
		found = is_msr(s->w.templates[i], MSR_SP_EL0);
	return found;
}

enum status task_switches_find(struct solver *s)
{
	for (size_t dyn = 0; dyn < s->w.dyn_count; dyn++) {
		if (is_msr(window_template(&s->w, dyn), MSR_SP_EL0))
			TRY(look_at(s, dyn));
	}
	return STATUS_OK;
}

void task_switches_fini(struct task_switches *switches)
{
	free(switches->items);
	free(switches->numbers);
	free(switches->waits);
}
