/* SPDX-License-Identifier: Apache-2.0 */
/* Sweeps over the dynamic instructions of a window; see solver.h. */
#include "replay/values/solver/solver.h"

#include <string.h>

#include "arch/isa.h"
#include "replay/values/ssa/ssa.h"

static void set_dirty(struct solver *s, size_t dyn)
{
	s->dirty[dyn / 64] |= (uint64_t)1 << dyn % 64;
	s->dirty_granules[dyn / 4096] |= (uint64_t)1 << dyn / 64 % 64;
}

static void set_clean(struct solver *s, size_t dyn)
{
	s->dirty[dyn / 64] &= ~((uint64_t)1 << dyn % 64);
	if (s->dirty[dyn / 64] == 0)
		s->dirty_granules[dyn / 4096] &= ~((uint64_t)1 << dyn / 64 % 64);
}

static void ssa_changed(struct solver *s, uint32_t ssa)
{
	const uint32_t *user = window_users(&s->w, ssa);

	if (s->log)
		provenance_ssa(s->log, ssa, s->ssa_values[ssa].known);
	for (;; user++) {
		uint32_t dyn = *user & ~USER_LAST;

		if (dyn != USER_NONE)
			set_dirty(s, dyn);
		if ((*user & USER_LAST) != 0)
			break;
	}
}

void solve_disagree(struct solver *s, size_t dyn, const struct provenance_conflict *about)
{
	if (s->is_lenient)
		return;
	if (!s->has_conflict)
		s->conflict = dyn;
	s->has_conflict = true;
	if (s->log)
		provenance_disagree(s->log, about);
}

/* About an SSA value, or a constant of the dynamic instruction: MEMDEP_NONE. */
void solve_conflict(struct solver *s, size_t dyn, uint32_t ssa, struct bits fact)
{
	struct provenance_conflict about = {.kind = CONFLICT_SSA, .subject = ssa, .fact = fact};

	if (ssa != MEMDEP_NONE)
		about.held = s->ssa_values[ssa];
	solve_disagree(s, dyn, &about);
}

/* SSA value of a slot that is a register or a temporary. */
static uint32_t ssa_of(const struct solver *s, size_t dyn, unsigned int slot)
{
	struct dyn_numbers at = window_dyn(&s->w, dyn);

	if (slot >= REG_COUNT)
		return at.ssa + (slot - SLOT_TEMP);
	return s->w.reads[at.read + window_template(&s->w, dyn)->read_of[slot]];
}

struct bits solve_slot(const struct solver *s, size_t dyn, unsigned int slot)
{
	if (slot == SLOT_ZERO)
		return bits_of(0);
	if (slot >= SLOT_CONSTANT)
		return bits_of(window_template(&s->w, dyn)->insn->constants[slot - SLOT_CONSTANT]);
	return s->ssa_values[ssa_of(s, dyn, slot)];
}

static struct interval ssa_interval(const struct solver *s, uint32_t ssa)
{
	struct interval bits = interval_of_bits(s->ssa_values[ssa]);

	if (!interval_map_has(&s->intervals, ssa))
		return bits;
	return interval_meet(interval_map_find(&s->intervals, ssa), bits);
}

struct interval solve_interval(const struct solver *s, size_t dyn, unsigned int slot)
{
	if (slot >= SLOT_CONSTANT)
		return interval_of_bits(solve_slot(s, dyn, slot));
	return ssa_interval(s, ssa_of(s, dyn, slot));
}

uint32_t solve_ssa_of(const struct solver *s, size_t dyn, unsigned int slot)
{
	return slot < SLOT_CONSTANT ? ssa_of(s, dyn, slot) : MEMDEP_NONE;
}

void solve_learn_ssa(struct solver *s, size_t dyn, uint32_t ssa, struct bits fact)
{
	struct bits *b = &s->ssa_values[ssa];
	uint64_t known = b->known;

	if (!bits_learn(b, fact.value, fact.known))
		solve_conflict(s, dyn, ssa, fact);
	else if (b->known != known)
		ssa_changed(s, ssa);
}

void solve_learn(struct solver *s, size_t dyn, unsigned int slot, struct bits fact)
{
	struct bits constant;

	if (slot < SLOT_CONSTANT) {
		solve_learn_ssa(s, dyn, ssa_of(s, dyn, slot), fact);
		return;
	}
	constant = solve_slot(s, dyn, slot);
	if (!bits_learn(&constant, fact.value, fact.known))
		solve_conflict(s, dyn, MEMDEP_NONE, fact);
}

/* `new` is better than what is known. */
static void learn_ssa_interval(struct solver *s, size_t dyn, uint32_t ssa, struct interval new)
{
	struct bits bits = s->ssa_values[ssa];

	if (interval_map_put(&s->intervals, ssa, new) != STATUS_OK)
		s->memory.status = STATUS_NO_MEM;
	ssa_changed(s, ssa);
	if (interval_to_bits(new, &bits))
		solve_learn_ssa(s, dyn, ssa, bits);
	else
		solve_conflict(s, dyn, ssa, (struct bits){0, 0});
}

void solve_learn_interval(struct solver *s, size_t dyn, unsigned int slot, struct interval fact)
{
	struct interval old;
	struct interval new;

	if (slot >= SLOT_CONSTANT)
		return;
	old = solve_interval(s, dyn, slot);
	new = interval_meet(old, fact);
	if (interval_is_better(old, new))
		learn_ssa_interval(s, dyn, ssa_of(s, dyn, slot), new);
}

/* A dynamic instruction while it is run. */
struct frame {
	struct solver *s;
	size_t dyn;
	struct bits *constants;
	const uint32_t *reads;
	uint32_t ssa;
};

/* And one of its micro-operations. */
struct evaluation {
	const struct frame *frame;
	const struct template_op *op;
	uint32_t ssa_values[OPERANDS]; /* MEMDEP_NONE: a constant */
	struct bits *bits[OPERANDS];
	uint64_t known[OPERANDS]; /* before it */
};

static inline void resolve(struct evaluation *r, unsigned int i)
{
	const struct frame *f = r->frame;
	struct operand o = r->op->operands[i];

	if (o.kind == OPERAND_CONSTANT) {
		r->ssa_values[i] = MEMDEP_NONE;
		r->bits[i] = &f->constants[o.index];
	} else {
		r->ssa_values[i] = o.kind == OPERAND_READ ? f->reads[o.index] : f->ssa + o.index;
		r->bits[i] = &f->s->ssa_values[r->ssa_values[i]];
	}
	r->known[i] = r->bits[i]->known;
}

/* An operand whose range is as good as unknown: nothing comes of a sum that has two of them. */
static bool says_little(const struct evaluation *r, unsigned int i)
{
	uint64_t mask = bits_mask(r->op->op.width);
	const struct interval_map *map = &r->frame->s->intervals;
	uint64_t span = ~r->bits[i]->known;

	if (r->ssa_values[i] != MEMDEP_NONE && interval_map_has(map, r->ssa_values[i]))
		span = interval_span(ssa_interval(r->frame->s, r->ssa_values[i]));
	return span > mask - mask / 16;
}

/* The operation relates ranges, and may say something of one that is not known. */
static bool has_intervals(const struct evaluation *r)
{
	const struct uop *op = &r->op->op;

	if (op->op == UOP_ADD || op->op == UOP_SUB)
		return (op->width == 64 || op->width == 32) &&
		       (r->bits[0]->known & r->bits[1]->known & r->bits[2]->known) != UINT64_MAX &&
		       says_little(r, 0) + says_little(r, 1) + says_little(r, 2) < 2;
	return op->op == UOP_SUB_FLAGS && (op->size == 64 || op->size == 32) &&
	       r->ssa_values[1] != MEMDEP_NONE && r->bits[1]->known != UINT64_MAX &&
	       !bits_none_known(r->bits[0], 16) && bits_all_known(r->bits[2], op->size);
}

/* The same relation, for intervals. True if one of them changed. */
static bool run_intervals(const struct evaluation *r)
{
	const struct uop *op = &r->op->op;
	struct interval v[OPERANDS];
	struct interval old[OPERANDS];
	struct bits bits[OPERANDS];
	bool changed = false;

	for (unsigned int i = 0; i < OPERANDS; i++) {
		bits[i] = *r->bits[i];
		old[i] = r->ssa_values[i] == MEMDEP_NONE
		                 ? interval_of_bits(bits[i])
		                 : ssa_interval(r->frame->s, r->ssa_values[i]);
	}
	memcpy(v, old, sizeof(v));
	interval_refine(op, bits, v);
	for (unsigned int i = op->op == UOP_SUB_FLAGS ? 1 : 0; i < 3; i++) {
		if (r->ssa_values[i] == MEMDEP_NONE || !interval_is_better(old[i], v[i]))
			continue;
		learn_ssa_interval(r->frame->s, r->frame->dyn, r->ssa_values[i], v[i]);
		changed = true;
	}
	return changed;
}

/* The operands of a run that do not fit, before it: what the others say of the first of them. */
static void op_conflict(const struct evaluation *r, const struct bits before[OPERANDS])
{
	struct solver *s = r->frame->s;
	struct bits others[OPERANDS];
	struct bits *at[OPERANDS];
	unsigned int about = 0;

	while (about + 1 < OPERANDS && r->ssa_values[about] == MEMDEP_NONE)
		about++;
	for (unsigned int i = OPERANDS; i-- > 0;) {
		at[i] = &others[i];
		if (r->ssa_values[i] != MEMDEP_NONE)
			s->ssa_values[r->ssa_values[i]] = before[i];
		others[i] = i == about ? (struct bits){0, 0} : before[i];
		for (unsigned int k = i + 1; k < OPERANDS; k++) {
			if (r->ssa_values[i] != MEMDEP_NONE && r->ssa_values[k] == r->ssa_values[i])
				at[i] = at[k];
		}
	}
	if (!uop_refine(&r->op->op, at[0], at[1], at[2], at[3]))
		others[about] = (struct bits){0, 0};
	solve_conflict(s, r->frame->dyn, r->ssa_values[about], others[about]);
}

/* The same, with the operands kept as they were if they do not fit. */
static void refine_logged(struct evaluation *r)
{
	struct bits before[OPERANDS];

	for (unsigned int i = 0; i < OPERANDS; i++)
		before[i] = *r->bits[i];
	if (!uop_refine(&r->op->op, r->bits[0], r->bits[1], r->bits[2], r->bits[3]))
		op_conflict(r, before);
}

/* The set of operations that may find something new now. */
static uint64_t run_op(const struct frame *f, const struct template_op *op)
{
	struct solver *s = f->s;
	struct evaluation r;
	bool changed = false;
	uint64_t known;

	solve_because(s, CAUSE_OP, f->dyn,
	              (uint32_t)(op - window_template(&s->w, f->dyn)->ops.ops));
	r.frame = f;
	r.op = op;
	for (unsigned int i = 0; i < OPERANDS; i++)
		resolve(&r, i);
	if (s->log)
		refine_logged(&r);
	else if (!uop_refine(&op->op, r.bits[0], r.bits[1], r.bits[2], r.bits[3]))
		solve_conflict(s, f->dyn, MEMDEP_NONE, (struct bits){0, 0});
	for (unsigned int i = 0; i < OPERANDS; i++) {
		if (r.bits[i]->known == r.known[i])
			continue;
		changed = true;
		ssa_changed(s, r.ssa_values[i]);
	}
	if (!s->has_conflict && has_intervals(&r))
		changed |= run_intervals(&r);
	if (!changed)
		return 0;
	known = r.bits[0]->known & r.bits[1]->known & r.bits[2]->known & r.bits[3]->known;
	return known == UINT64_MAX ? op->wakes & ~op->self : op->wakes;
}

bool solve_same(struct solver *s, size_t dyn, uint32_t a, uint32_t b)
{
	struct interval both = interval_meet(ssa_interval(s, a), ssa_interval(s, b));
	struct bits old[2] = {s->ssa_values[a], s->ssa_values[b]};
	bool any = false;

	if ((old[0].known & old[1].known) == UINT64_MAX && old[0].value == old[1].value)
		return false;
	if (!bits_same(&s->ssa_values[a], &s->ssa_values[b], 64)) {
		solve_because(s, CAUSE_ABI, dyn, b);
		solve_conflict(s, dyn, a, s->ssa_values[b]);
		return false;
	}
	solve_because(s, CAUSE_ABI, dyn, b);
	if (s->ssa_values[a].known != old[0].known)
		ssa_changed(s, a);
	solve_because(s, CAUSE_ABI, dyn, a);
	if (s->ssa_values[b].known != old[1].known)
		ssa_changed(s, b);
	any = s->ssa_values[a].known != old[0].known || s->ssa_values[b].known != old[1].known;
	if (interval_is_better(ssa_interval(s, a), both))
		learn_ssa_interval(s, dyn, a, both);
	if (interval_is_better(ssa_interval(s, b), both))
		learn_ssa_interval(s, dyn, b, both);
	return any;
}

static void run_dyn(struct solver *s, size_t dyn)
{
	const struct template *template = window_template(&s->w, dyn);
	const struct template_ops *ops = &template->ops;
	struct dyn_numbers at = window_dyn(&s->w, dyn);
	const struct frame f = {s, dyn, ops->constants, &s->w.reads[at.read], at.ssa};
	uint64_t pending = template_ops_all(ops);

	s->runs++;
	while (pending != 0 && !s->has_conflict) {
		size_t i = (size_t)__builtin_ctzll(pending);
		size_t end = i + 1 < TEMPLATE_OPS_APART ? i + 1 : ops->count;

		pending &= pending - 1;
		for (; i < end && !s->has_conflict; i++)
			pending |= run_op(&f, &ops->ops[i]);
	}
	set_clean(s, dyn);
	if (template->access_count > 0)
		memdep_dyn(s, dyn);
}

/* Nothing more is to be learned: of a contradiction, or since the user will not wait. */
static bool is_over(struct solver *s)
{
	s->is_interrupted |= interrupt_has_come(s->w.options.interrupt);
	return s->has_conflict || s->is_interrupted;
}

/* Bits above and below number `bit`. */
static uint64_t above(unsigned int bit)
{
	return UINT64_MAX << bit << 1;
}

static uint64_t below(unsigned int bit)
{
	return ((uint64_t)1 << bit) - 1;
}

/*
 * Runs the dynamic instructions of a group that are dirty, each once, in rising order. What comes
 * to light of one that was passed waits for the next sweep, and is then run with all that came to
 * light by then.
 */
static void run_group_forward(struct solver *s, size_t group)
{
	uint64_t granules = UINT64_MAX;

	while ((s->dirty_granules[group] & granules) != 0 && !s->has_conflict) {
		unsigned int w = (unsigned int)__builtin_ctzll(s->dirty_granules[group] & granules);
		size_t granule = group * 64 + w;
		uint64_t dyns = UINT64_MAX;

		granules = above(w);
		while ((s->dirty[granule] & dyns) != 0 && !s->has_conflict) {
			unsigned int bit = (unsigned int)__builtin_ctzll(s->dirty[granule] & dyns);

			dyns = above(bit);
			run_dyn(s, granule * 64 + bit);
		}
	}
}

/* The same, in falling order. */
static void run_group_backward(struct solver *s, size_t group)
{
	uint64_t granules = UINT64_MAX;

	while ((s->dirty_granules[group] & granules) != 0 && !s->has_conflict) {
		unsigned int w =
		        63 - (unsigned int)__builtin_clzll(s->dirty_granules[group] & granules);
		size_t granule = group * 64 + w;
		uint64_t dyns = UINT64_MAX;

		granules = below(w);
		while ((s->dirty[granule] & dyns) != 0 && !s->has_conflict) {
			unsigned int bit =
			        63 - (unsigned int)__builtin_clzll(s->dirty[granule] & dyns);

			dyns = below(bit);
			run_dyn(s, granule * 64 + bit);
		}
	}
}

static bool sweep_forward(struct solver *s)
{
	size_t groups = s->w.dyn_count / 4096 + 1;
	bool any = false;

	for (size_t i = 0; i < groups; i++) {
		if (s->dirty_granules[i] == 0)
			continue;
		if (is_over(s))
			return false;
		any = true;
		run_group_forward(s, i);
	}
	return any && !s->has_conflict;
}

static bool sweep_backward(struct solver *s)
{
	size_t groups = s->w.dyn_count / 4096 + 1;
	bool any = false;

	for (size_t i = groups; i-- > 0;) {
		if (s->dirty_granules[i] == 0)
			continue;
		if (is_over(s))
			return false;
		any = true;
		run_group_backward(s, i);
	}
	return any && !s->has_conflict;
}

/* There is anything to run in the dynamic instruction. */
static bool has_work(const struct solver *s, size_t dyn)
{
	return window_template(&s->w, dyn)->ops.count > 0 ||
	       window_template(&s->w, dyn)->access_count > 0;
}

void solve_sweep(struct solver *s)
{
	for (size_t dyn = 0; dyn < s->w.dyn_count; dyn++) {
		if (has_work(s, dyn))
			set_dirty(s, dyn);
	}
	solve_sweep_dirty(s);
}

void solve_sweep_dirty(struct solver *s)
{
	bool any;

	do {
		any = sweep_backward(s);
		any |= sweep_forward(s);
		if (!any && !is_over(s)) {
			any = linear_apply(s) || abi_apply(s) || local_frames_place(s) ||
			      task_switches_apply(s);
			if (!any)
				memdep_retry(s);
			any |= sweep_backward(s);
		}
	} while (any && !is_over(s));
}
