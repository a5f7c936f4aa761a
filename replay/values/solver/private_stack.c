/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks that are a core's own; see private_stack.h. */
#include "replay/values/solver/private_stack.h"

#include <stdlib.h>

#include "base/vec.h"
#include "replay/values/solver/memdep_clobber.h"
#include "replay/values/ssa/ssa.h"

enum { CHAIN_MOST = 16 }; /* steps that SP's new value is followed back */

/* Bytes of one stack of a kernel, at most, and of what lies between two. */
#define STACK_MOST (UINT64_C(1) << 15)

/* After the instruction SP is what it was, or that and a constant. */
static bool keeps_sp(const struct template *t)
{
	unsigned int slot = uop_insn_after(t->insn, REG_SP);

	if (t->kills_registers || slot == REG_SP)
		return !t->kills_registers;
	for (size_t i = 0; i < t->insn->op_count; i++) {
		const struct uop *op = &t->insn->ops[i];

		if (op->dst == slot && (op->op == UOP_ADD || op->op == UOP_SUB) &&
		    op->a == REG_SP && op->b >= SLOT_CONSTANT && op->c >= SLOT_CONSTANT)
			return true;
	}
	return false;
}

/* The SSA value is one that SP had. */
static bool was_sp(const struct window *w, size_t dyn, uint32_t ssa)
{
	return window_ssa_of(w, dyn + 1, REG_SP) == ssa;
}

/* SP's new value comes from elsewhere than from SP or a stack. */
static bool is_switch(const struct solver *s, uint32_t ssa)
{
	const struct window *w = &s->w;

	for (unsigned int i = 0; i < CHAIN_MOST; i++) {
		const struct uop *op;
		uint32_t older;
		size_t dyn;

		if (ssa < REG_COUNT)
			return ssa != REG_SP;
		op = window_uop_of(w, ssa, &dyn);
		/* The change itself makes an SSA value of SP. */
		if (i > 0 && was_sp(w, dyn, ssa))
			return false;
		if (op && op->op == UOP_LOAD)
			return window_template(w, dyn)->insn->accesses[op->access].address !=
			       REG_SP;
		older = linear_older(&s->linear, w, ssa);
		if (older == ssa)
			return true;
		ssa = older;
	}
	return true;
}

/* `keeps`: of each template. */
static enum status add_changes(struct solver *s, const bool *keeps)
{
	const struct window *w = &s->w;
	struct private_stacks *stacks = &s->stacks;

	for (size_t dyn = 0; dyn < w->dyn_count; dyn++) {
		uint32_t ssa;

		if (keeps[w->dyns[dyn].template])
			continue;
		ssa = window_ssa_of(w, dyn + 1, REG_SP);
		TRY(vec_reserve((void **)&stacks->items, &stacks->capacity, stacks->count + 1,
		                sizeof(*stacks->items)));
		stacks->items[stacks->count++] =
		        (struct sp_change){(uint32_t)dyn, ssa, is_switch(s, ssa)};
	}
	return STATUS_OK;
}

enum status private_stacks_init(struct solver *s, bool is_assumed)
{
	bool *keeps;
	enum status status;

	s->stacks.is_assumed = is_assumed;
	if (!is_assumed)
		return STATUS_OK;
	keeps = calloc(s->w.template_count + 1, sizeof(*keeps));
	if (!keeps)
		return STATUS_NO_MEM;
	for (size_t i = 0; i < s->w.template_count; i++)
		keeps[i] = keeps_sp(s->w.templates[i]);
	status = add_changes(s, keeps);
	free(keeps);
	return status;
}

void private_stacks_fini(struct private_stacks *stacks)
{
	free(stacks->items);
	*stacks = (struct private_stacks){.is_assumed = false};
}

/* The first change at or after a dynamic instruction. */
static size_t first_from(const struct private_stacks *stacks, size_t dyn)
{
	size_t low = 0;
	size_t high = stacks->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (stacks->items[middle].dyn < dyn)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* With the change another stack than that of the granule came into use. */
static bool leads_elsewhere(const struct solver *s, const struct sp_change *change,
                            uint64_t granule)
{
	struct bits sp = s->ssa_values[change->ssa];

	return ~sp.known == 0 && granule - sp.value + STACK_MOST > 2 * STACK_MOST;
}

bool private_stack_holds(const struct solver *s, uint64_t granule, size_t from, size_t to)
{
	const struct private_stacks *stacks = &s->stacks;

	for (size_t i = first_from(stacks, from); i < stacks->count && stacks->items[i].dyn < to;
	     i++) {
		const struct sp_change *change = &stacks->items[i];
		const struct sp_change *next = change + 1;

		if (!change->is_switch)
			continue;
		/* Below, stacks of programs, which are as large as they like. */
		if ((granule & KERNEL_HALF) == 0)
			return false;
		if (leads_elsewhere(s, change, granule))
			continue;
		/* One that is not known, and is left again for one that was kept. */
		if (~s->ssa_values[change->ssa].known == 0 || i + 1 == stacks->count ||
		    next->dyn >= to || next->is_switch)
			return false;
	}
	return true;
}
