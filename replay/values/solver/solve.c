/* SPDX-License-Identifier: Apache-2.0 */
/* Sweeps over the steps of a window; see solver.h. */
#include "replay/values/solver/solver.h"

#include <string.h>

#include "arch/isa.h"
#include "replay/values/ssa/ssa.h"

static void set_dirty(struct solver *s, size_t step)
{
	s->dirty[step / 64] |= (uint64_t)1 << step % 64;
	s->dirty_granules[step / 4096] |= (uint64_t)1 << step / 64 % 64;
}

static void set_clean(struct solver *s, size_t step)
{
	s->dirty[step / 64] &= ~((uint64_t)1 << step % 64);
	if (s->dirty[step / 64] == 0)
		s->dirty_granules[step / 4096] &= ~((uint64_t)1 << step / 64 % 64);
}

static void node_changed(struct solver *s, uint32_t node)
{
	const uint32_t *user = window_users(&s->w, node);

	if (s->log)
		provenance_node(s->log, node, s->nodes[node].known);
	for (;; user++) {
		uint32_t step = *user & ~USER_LAST;

		if (step != USER_NONE)
			set_dirty(s, step);
		if ((*user & USER_LAST) != 0)
			break;
	}
}

void solve_disagree(struct solver *s, size_t step, const struct provenance_conflict *about)
{
	if (s->is_lenient)
		return;
	if (!s->has_conflict)
		s->conflict = step;
	s->has_conflict = true;
	if (s->log)
		provenance_disagree(s->log, about);
}

/* About a node, or a constant of the step: MEMDEP_NONE. */
void solve_conflict(struct solver *s, size_t step, uint32_t node, struct bits fact)
{
	struct provenance_conflict about = {.kind = CONFLICT_NODE, .subject = node, .fact = fact};

	if (node != MEMDEP_NONE)
		about.held = s->nodes[node];
	solve_disagree(s, step, &about);
}

/* Node of a slot that is a register or a temporary. */
static uint32_t node_of(const struct solver *s, size_t step, unsigned int slot)
{
	struct step_numbers at = window_step(&s->w, step);

	if (slot >= REG_COUNT)
		return at.node + (slot - SLOT_TEMP);
	return s->w.reads[at.read + window_template(&s->w, step)->read_of[slot]];
}

struct bits solve_slot(const struct solver *s, size_t step, unsigned int slot)
{
	if (slot == SLOT_ZERO)
		return bits_of(0);
	if (slot >= SLOT_CONSTANT)
		return bits_of(window_template(&s->w, step)->insn->constants[slot - SLOT_CONSTANT]);
	return s->nodes[node_of(s, step, slot)];
}

static struct interval node_interval(const struct solver *s, uint32_t node)
{
	struct interval bits = interval_of_bits(s->nodes[node]);

	if (!interval_map_has(&s->intervals, node))
		return bits;
	return interval_meet(interval_map_find(&s->intervals, node), bits);
}

struct interval solve_interval(const struct solver *s, size_t step, unsigned int slot)
{
	if (slot >= SLOT_CONSTANT)
		return interval_of_bits(solve_slot(s, step, slot));
	return node_interval(s, node_of(s, step, slot));
}

uint32_t solve_node_of(const struct solver *s, size_t step, unsigned int slot)
{
	return slot < SLOT_CONSTANT ? node_of(s, step, slot) : MEMDEP_NONE;
}

void solve_learn_node(struct solver *s, size_t step, uint32_t node, struct bits fact)
{
	struct bits *b = &s->nodes[node];
	uint64_t known = b->known;

	if (!bits_learn(b, fact.value, fact.known))
		solve_conflict(s, step, node, fact);
	else if (b->known != known)
		node_changed(s, node);
}

void solve_learn(struct solver *s, size_t step, unsigned int slot, struct bits fact)
{
	struct bits constant;

	if (slot < SLOT_CONSTANT) {
		solve_learn_node(s, step, node_of(s, step, slot), fact);
		return;
	}
	constant = solve_slot(s, step, slot);
	if (!bits_learn(&constant, fact.value, fact.known))
		solve_conflict(s, step, MEMDEP_NONE, fact);
}

/* `new` is better than what is known. */
static void learn_node_interval(struct solver *s, size_t step, uint32_t node, struct interval new)
{
	struct bits bits = s->nodes[node];

	if (interval_map_put(&s->intervals, node, new) != STATUS_OK)
		s->memory.status = STATUS_NO_MEM;
	node_changed(s, node);
	if (interval_to_bits(new, &bits))
		solve_learn_node(s, step, node, bits);
	else
		solve_conflict(s, step, node, (struct bits){0, 0});
}

void solve_learn_interval(struct solver *s, size_t step, unsigned int slot, struct interval fact)
{
	struct interval old;
	struct interval new;

	if (slot >= SLOT_CONSTANT)
		return;
	old = solve_interval(s, step, slot);
	new = interval_meet(old, fact);
	if (interval_is_better(old, new))
		learn_node_interval(s, step, node_of(s, step, slot), new);
}

/* A step while it is run. */
struct frame {
	struct solver *s;
	size_t step;
	struct bits *constants;
	const uint32_t *reads;
	uint32_t node;
};

/* And one of its micro-operations. */
struct evaluation {
	const struct frame *frame;
	const struct template_op *op;
	uint32_t nodes[OPERANDS]; /* MEMDEP_NONE: a constant */
	struct bits *bits[OPERANDS];
	uint64_t known[OPERANDS]; /* before it */
};

static inline void resolve(struct evaluation *r, unsigned int i)
{
	const struct frame *f = r->frame;
	struct operand o = r->op->operands[i];

	if (o.kind == OPERAND_CONSTANT) {
		r->nodes[i] = MEMDEP_NONE;
		r->bits[i] = &f->constants[o.index];
	} else {
		r->nodes[i] = o.kind == OPERAND_READ ? f->reads[o.index] : f->node + o.index;
		r->bits[i] = &f->s->nodes[r->nodes[i]];
	}
	r->known[i] = r->bits[i]->known;
}

/* An operand whose range is as good as unknown: nothing comes of a sum that has two of them. */
static bool says_little(const struct evaluation *r, unsigned int i)
{
	uint64_t mask = bits_mask(r->op->op.width);
	const struct interval_map *map = &r->frame->s->intervals;
	uint64_t span = ~r->bits[i]->known;

	if (r->nodes[i] != MEMDEP_NONE && interval_map_has(map, r->nodes[i]))
		span = interval_span(node_interval(r->frame->s, r->nodes[i]));
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
	       r->nodes[1] != MEMDEP_NONE && r->bits[1]->known != UINT64_MAX &&
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
		old[i] = r->nodes[i] == MEMDEP_NONE ? interval_of_bits(bits[i])
		                                    : node_interval(r->frame->s, r->nodes[i]);
	}
	memcpy(v, old, sizeof(v));
	interval_refine(op, bits, v);
	for (unsigned int i = op->op == UOP_SUB_FLAGS ? 1 : 0; i < 3; i++) {
		if (r->nodes[i] == MEMDEP_NONE || !interval_is_better(old[i], v[i]))
			continue;
		learn_node_interval(r->frame->s, r->frame->step, r->nodes[i], v[i]);
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

	while (about + 1 < OPERANDS && r->nodes[about] == MEMDEP_NONE)
		about++;
	for (unsigned int i = OPERANDS; i-- > 0;) {
		at[i] = &others[i];
		if (r->nodes[i] != MEMDEP_NONE)
			s->nodes[r->nodes[i]] = before[i];
		others[i] = i == about ? (struct bits){0, 0} : before[i];
		for (unsigned int k = i + 1; k < OPERANDS; k++) {
			if (r->nodes[i] != MEMDEP_NONE && r->nodes[k] == r->nodes[i])
				at[i] = at[k];
		}
	}
	if (!uop_refine(&r->op->op, at[0], at[1], at[2], at[3]))
		others[about] = (struct bits){0, 0};
	solve_conflict(s, r->frame->step, r->nodes[about], others[about]);
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

	solve_because(s, CAUSE_OP, f->step,
	              (uint32_t)(op - window_template(&s->w, f->step)->ops.ops));
	r.frame = f;
	r.op = op;
	for (unsigned int i = 0; i < OPERANDS; i++)
		resolve(&r, i);
	if (s->log)
		refine_logged(&r);
	else if (!uop_refine(&op->op, r.bits[0], r.bits[1], r.bits[2], r.bits[3]))
		solve_conflict(s, f->step, MEMDEP_NONE, (struct bits){0, 0});
	for (unsigned int i = 0; i < OPERANDS; i++) {
		if (r.bits[i]->known == r.known[i])
			continue;
		changed = true;
		node_changed(s, r.nodes[i]);
	}
	if (!s->has_conflict && has_intervals(&r))
		changed |= run_intervals(&r);
	if (!changed)
		return 0;
	known = r.bits[0]->known & r.bits[1]->known & r.bits[2]->known & r.bits[3]->known;
	return known == UINT64_MAX ? op->wakes & ~op->self : op->wakes;
}

bool solve_same(struct solver *s, size_t step, uint32_t a, uint32_t b)
{
	struct interval both = interval_meet(node_interval(s, a), node_interval(s, b));
	struct bits old[2] = {s->nodes[a], s->nodes[b]};
	bool any = false;

	if ((old[0].known & old[1].known) == UINT64_MAX && old[0].value == old[1].value)
		return false;
	if (!bits_same(&s->nodes[a], &s->nodes[b], 64)) {
		solve_because(s, CAUSE_ABI, step, b);
		solve_conflict(s, step, a, s->nodes[b]);
		return false;
	}
	solve_because(s, CAUSE_ABI, step, b);
	if (s->nodes[a].known != old[0].known)
		node_changed(s, a);
	solve_because(s, CAUSE_ABI, step, a);
	if (s->nodes[b].known != old[1].known)
		node_changed(s, b);
	any = s->nodes[a].known != old[0].known || s->nodes[b].known != old[1].known;
	if (interval_is_better(node_interval(s, a), both))
		learn_node_interval(s, step, a, both);
	if (interval_is_better(node_interval(s, b), both))
		learn_node_interval(s, step, b, both);
	return any;
}

static void run_step(struct solver *s, size_t step)
{
	const struct template *template = window_template(&s->w, step);
	const struct template_ops *ops = &template->ops;
	struct step_numbers at = window_step(&s->w, step);
	const struct frame f = {s, step, ops->constants, &s->w.reads[at.read], at.node};
	uint64_t pending = template_ops_all(ops);

	s->runs++;
	while (pending != 0 && !s->has_conflict) {
		size_t i = (size_t)__builtin_ctzll(pending);
		size_t end = i + 1 < TEMPLATE_OPS_APART ? i + 1 : ops->count;

		pending &= pending - 1;
		for (; i < end && !s->has_conflict; i++)
			pending |= run_op(&f, &ops->ops[i]);
	}
	set_clean(s, step);
	if (template->access_count > 0)
		memdep_step(s, step);
}

/* Nothing more is to be learned: of a contradiction, or since the user will not wait. */
static bool is_over(struct solver *s)
{
	s->is_interrupted |= interrupt_has_come(s->interrupt);
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
 * Runs the steps of a group that are dirty, each once, in rising order. What comes to light of one
 * that was passed waits for the next sweep, and is then run with all that came to light by then.
 */
static void run_group_forward(struct solver *s, size_t group)
{
	uint64_t granules = UINT64_MAX;

	while ((s->dirty_granules[group] & granules) != 0 && !s->has_conflict) {
		unsigned int w = (unsigned int)__builtin_ctzll(s->dirty_granules[group] & granules);
		size_t granule = group * 64 + w;
		uint64_t steps = UINT64_MAX;

		granules = above(w);
		while ((s->dirty[granule] & steps) != 0 && !s->has_conflict) {
			unsigned int bit = (unsigned int)__builtin_ctzll(s->dirty[granule] & steps);

			steps = above(bit);
			run_step(s, granule * 64 + bit);
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
		uint64_t steps = UINT64_MAX;

		granules = below(w);
		while ((s->dirty[granule] & steps) != 0 && !s->has_conflict) {
			unsigned int bit =
			        63 - (unsigned int)__builtin_clzll(s->dirty[granule] & steps);

			steps = below(bit);
			run_step(s, granule * 64 + bit);
		}
	}
}

static bool sweep_forward(struct solver *s)
{
	size_t groups = s->w.step_count / 4096 + 1;
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
	size_t groups = s->w.step_count / 4096 + 1;
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

/* There is anything to run in the step. */
static bool has_work(const struct solver *s, size_t step)
{
	return window_template(&s->w, step)->ops.count > 0 ||
	       window_template(&s->w, step)->access_count > 0;
}

void solve_sweep(struct solver *s)
{
	bool any;

	for (size_t step = 0; step < s->w.step_count; step++) {
		if (has_work(s, step))
			set_dirty(s, step);
	}
	do {
		any = sweep_backward(s);
		any |= sweep_forward(s);
		if (!any && !is_over(s)) {
			any = abi_apply(s);
			if (!any)
				memdep_retry(s);
			any |= sweep_backward(s);
		}
	} while (any && !is_over(s));
}
