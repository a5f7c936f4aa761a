/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks that are a core's own; see private_stack.h. */
#include "replay/values/solver/private_stack.h"

#include <stdlib.h>

#include "base/vec.h"
#include "replay/values/solver/solver.h"
#include "replay/values/ssa/ssa.h"

enum {
	CHAIN_MOST = 16, /* steps that SP's new value is followed back */
	STACK_MOST =
	        1
	        << 15, /* bytes: of one stack of a kernel, at most, and of what lies between two */
};

#define KERNEL_HALF (UINT64_C(1) << 55)

/* What a template does to SP. */
enum sp_effect {
	SP_KEPT, /* or a constant is added */
	SP_CHANGED,
};

static enum sp_effect effect_of(const struct template *t)
{
	unsigned int slot = uop_insn_after(t->insn, REG_SP);

	if (t->kills_registers)
		return SP_CHANGED;
	if (slot == REG_SP)
		return SP_KEPT;
	for (size_t i = 0; i < t->insn->op_count; i++) {
		const struct uop *op = &t->insn->ops[i];

		if (op->dst == slot && (op->op == UOP_ADD || op->op == UOP_SUB) &&
		    op->a == REG_SP && op->b >= SLOT_CONSTANT && op->c >= SLOT_CONSTANT)
			return SP_KEPT;
	}
	return SP_CHANGED;
}

/* The load that makes an SSA value, of its template; NULL if it is something else. */
static const struct uop_access *load_of(const struct window *w, size_t dyn, uint32_t ssa)
{
	const struct template *t = window_template(w, dyn);
	uint32_t temp = ssa - window_dyn(w, dyn).ssa;

	for (size_t i = 0; i < t->insn->op_count; i++) {
		const struct uop *op = &t->insn->ops[i];

		if (op->op == UOP_LOAD && op->dst == SLOT_TEMP + temp)
			return &t->insn->accesses[op->access];
	}
	return NULL;
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
		size_t dyn = ssa < REG_COUNT ? 0 : window_maker_of(w, ssa);
		const struct uop_access *load;
		uint32_t older;

		if (ssa < REG_COUNT)
			return ssa != REG_SP;
		/* The change itself makes an SSA value of SP. */
		if (i > 0 && was_sp(w, dyn, ssa))
			return false;
		load = load_of(w, dyn, ssa);
		if (load)
			return load->address != REG_SP;
		older = linear_older(&s->linear, w, ssa);
		if (older == ssa)
			return true;
		ssa = older;
	}
	return true;
}

static enum status add_changes(struct solver *s, const enum sp_effect *effects)
{
	const struct window *w = &s->w;
	struct private_stacks *stacks = &s->stacks;

	for (size_t dyn = 0; dyn < w->dyn_count; dyn++) {
		uint32_t ssa;

		if (effects[w->dyns[dyn].template] == SP_KEPT)
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
	enum sp_effect *effects;
	enum status status;

	s->stacks.is_assumed = is_assumed;
	if (!is_assumed)
		return STATUS_OK;
	effects = calloc(s->w.template_count + 1, sizeof(*effects));
	if (!effects)
		return STATUS_NO_MEM;
	for (size_t i = 0; i < s->w.template_count; i++)
		effects[i] = effect_of(s->w.templates[i]);
	status = add_changes(s, effects);
	free(effects);
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
