/* SPDX-License-Identifier: Apache-2.0 */
/* Values that differ by a constant; see linear.h. */
#include "replay/values/solver/linear.h"

#include <stdlib.h>

#include "base/vec.h"
#include "replay/values/solver/solver.h"

enum { CHAIN_MOST = 16 }; /* additions of constants that a value is followed through */

/* A value as another one and a constant. */
struct term {
	uint32_t ssa;
	uint64_t offset;
};

/* x + y + offset or x - y + offset of two SSA values. */
struct sum {
	uint32_t x;
	uint32_t y;
	uint64_t offset;
	bool is_difference;
};

struct search {
	const struct linear *linear;
	const struct window *w;
	unsigned int width; /* of all sums that are looked at now */
};

/* An operand of a dynamic instruction: true if it is an SSA value, else *value is the constant. */
static bool operand_ssa(const struct window *w, size_t dyn, struct operand operand, uint32_t *ssa,
                        uint64_t *value)
{
	struct dyn_numbers at = window_dyn(w, dyn);

	if (operand.kind == OPERAND_CONSTANT) {
		*value = window_template(w, dyn)->ops.constants[operand.index].value;
		return false;
	}
	*ssa = operand.kind == OPERAND_READ ? w->reads[at.read + operand.index]
	                                    : at.ssa + operand.index;
	return true;
}

static bool is_sum(const struct template_op *op, unsigned int width)
{
	return (op->op.op == UOP_ADD || op->op.op == UOP_SUB) && op->op.width == width &&
	       op->operands[3].kind == OPERAND_CONSTANT;
}

/*
 * How many SSA values the operation adds up, 0 to 2: the first in x. What it adds besides is in
 * `offset`. A constant from which a value is taken is no sum: 3.
 */
static unsigned int read_sum(const struct window *w, size_t dyn, const struct template_op *op,
                             struct sum *sum)
{
	uint64_t a = 0;
	uint64_t b = 0;
	uint64_t carry = 0;
	uint32_t unused;
	bool has_x = operand_ssa(w, dyn, op->operands[1], &sum->x, &a);
	bool has_y = operand_ssa(w, dyn, op->operands[2], &sum->y, &b);

	(void)operand_ssa(w, dyn, op->operands[3], &unused, &carry);
	sum->is_difference = op->op.op == UOP_SUB;
	sum->offset = sum->is_difference ? a + ~b + carry : a + b + carry;
	/* ~b + carry is -b - 1 + carry: of an SSA value its negation is the sum's. */
	if (sum->is_difference && has_y)
		sum->offset = a + carry - 1;
	if (has_y && !has_x) {
		sum->x = sum->y;
		return sum->is_difference ? 3 : 1;
	}
	return (unsigned int)has_x + has_y;
}

/* The operation that makes an SSA value, and its dynamic instruction; NULL if none does. */
static const struct template_op *maker_of(const struct window *w, uint32_t ssa, size_t *dyn)
{
	const struct template_ops *ops;
	uint32_t temp;

	if (ssa < REG_COUNT || w->dyn_count == 0)
		return NULL;
	*dyn = window_maker_of(w, ssa);
	temp = ssa - window_dyn(w, *dyn).ssa;
	ops = &window_template(w, *dyn)->ops;
	for (size_t i = 0; i < ops->count; i++) {
		if (ops->ops[i].operands[0].kind == OPERAND_TEMP &&
		    ops->ops[i].operands[0].index == temp)
			return &ops->ops[i];
	}
	return NULL;
}

static const struct linear_relation *find_relation(const struct linear *linear, uint32_t ssa)
{
	size_t low = 0;
	size_t high = linear->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (linear->items[middle].ssa < ssa)
			low = middle + 1;
		else
			high = middle;
	}
	return low < linear->count && linear->items[low].ssa == ssa ? &linear->items[low] : NULL;
}

/* One step from a value to an older one from which it differs by a constant. */
static bool step_back(const struct search *search, struct term *term)
{
	const struct linear_relation *relation = find_relation(search->linear, term->ssa);
	const struct template_op *op;
	struct sum sum;
	size_t dyn;

	if (relation && relation->width == search->width && relation->base != LINEAR_CONSTANT) {
		term->ssa = relation->base;
		term->offset += relation->offset;
		return true;
	}
	op = maker_of(search->w, term->ssa, &dyn);
	if (!op || !is_sum(op, search->width) || read_sum(search->w, dyn, op, &sum) != 1)
		return false;
	term->ssa = sum.x;
	term->offset += sum.offset;
	return true;
}

uint32_t linear_older(const struct linear *linear, const struct window *w, uint32_t ssa)
{
	const struct search search = {linear, w, 64};
	struct term term = {ssa, 0};

	return step_back(&search, &term) ? term.ssa : ssa;
}

static struct term root_of(const struct search *search, uint32_t ssa)
{
	struct term term = {ssa, 0};

	for (unsigned int i = 0; i < CHAIN_MOST && step_back(search, &term); i++)
		;
	return term;
}

/* The two SSA values that a value is the sum or difference of, as far back as they are followed. */
static bool parts_of(const struct search *search, uint32_t ssa, struct sum *sum)
{
	size_t dyn;
	const struct template_op *op = maker_of(search->w, ssa, &dyn);
	struct term x;
	struct term y;

	if (!op || !is_sum(op, search->width) || read_sum(search->w, dyn, op, sum) != 2)
		return false;
	x = root_of(search, sum->x);
	y = root_of(search, sum->y);
	sum->x = x.ssa;
	sum->y = y.ssa;
	sum->offset += x.offset + (sum->is_difference ? 0 - y.offset : y.offset);
	return true;
}

/* The value is base + offset: of which something else cancels out. */
static bool cancel(const struct search *search, const struct sum *of, struct term *value)
{
	struct sum parts;

	value->offset = of->offset;
	if (of->is_difference && of->x == of->y) {
		value->ssa = LINEAR_CONSTANT;
		return true;
	}
	if (parts_of(search, of->x, &parts)) {
		/* (p - q) + q; (p + q) - q; (p + q) - p */
		value->offset = of->offset + parts.offset;
		value->ssa = parts.y == of->y ? parts.x : parts.y;
		if (parts.is_difference != of->is_difference &&
		    (parts.y == of->y || (of->is_difference && parts.x == of->y)))
			return true;
	}
	if (!parts_of(search, of->y, &parts) || !parts.is_difference)
		return false;
	/* q + (p - q); p - (p - q) */
	value->offset = of->offset + (of->is_difference ? 0 - parts.offset : parts.offset);
	value->ssa = of->is_difference ? parts.y : parts.x;
	return (of->is_difference ? parts.x : parts.y) == of->x;
}

static enum status add_relation(struct linear *linear, struct linear_relation relation)
{
	/* A temporary is written once, but not in order of its number. */
	size_t at = linear->count;

	TRY(vec_reserve((void **)&linear->items, &linear->capacity, linear->count + 1,
	                sizeof(*linear->items)));
	while (at > 0 && linear->items[at - 1].ssa > relation.ssa) {
		linear->items[at] = linear->items[at - 1];
		at--;
	}
	linear->items[at] = relation;
	linear->count++;
	return STATUS_OK;
}

/* An operation of two SSA values. */
static enum status look_at(struct linear *linear, struct search *search, size_t dyn,
                           const struct template_op *op)
{
	uint32_t ssa = window_dyn(search->w, dyn).ssa + op->operands[0].index;
	struct term value;
	struct sum sum;

	search->width = op->op.width;
	if (!parts_of(search, ssa, &sum) || !cancel(search, &sum, &value))
		return STATUS_OK;
	return add_relation(linear, (struct linear_relation){.ssa = ssa,
	                                                     .base = value.ssa,
	                                                     .offset = value.offset,
	                                                     .dyn = (uint32_t)dyn,
	                                                     .width = op->op.width});
}

static bool is_of_two(const struct template_op *op)
{
	return (is_sum(op, 64) || is_sum(op, 32)) && op->operands[1].kind != OPERAND_CONSTANT &&
	       op->operands[2].kind != OPERAND_CONSTANT;
}

static bool has_sum(const struct template *template)
{
	for (size_t i = 0; i < template->ops.count; i++) {
		if (is_of_two(&template->ops.ops[i]))
			return true;
	}
	return false;
}

static enum status find_all(struct linear *linear, struct search *search, const bool *has_sums)
{
	const struct window *w = search->w;

	for (size_t dyn = 0; dyn < w->dyn_count; dyn++) {
		const struct template_ops *ops = &window_template(w, dyn)->ops;

		if (!has_sums[w->dyns[dyn].template])
			continue;
		for (size_t i = 0; i < ops->count; i++) {
			if (is_of_two(&ops->ops[i]))
				TRY(look_at(linear, search, dyn, &ops->ops[i]));
		}
	}
	return STATUS_OK;
}

enum status linear_init(struct linear *linear, const struct window *w)
{
	struct search search = {.linear = linear, .w = w};
	bool *has_sums = calloc(w->template_count + 1, sizeof(*has_sums));
	enum status status;

	if (!has_sums)
		return STATUS_NO_MEM;
	for (size_t i = 0; i < w->template_count; i++)
		has_sums[i] = has_sum(w->templates[i]);
	status = find_all(linear, &search, has_sums);
	free(has_sums);
	return status;
}

void linear_fini(struct linear *linear)
{
	free(linear->items);
	*linear = (struct linear){.count = 0};
}

/* Of one relation. */
static bool apply(struct solver *s, struct linear_relation *r)
{
	static const struct bits zero = {0, UINT64_MAX};
	const struct uop add = {.op = UOP_ADD, .width = r->width};
	bool has_base = r->base != LINEAR_CONSTANT;
	struct bits value = s->ssa_values[r->ssa];
	struct bits base = has_base ? s->ssa_values[r->base] : zero;
	struct bits offset = bits_of(r->offset & bits_mask(r->width));
	struct bits carry = zero;
	bool any;

	/* The same base may be known in its low bits alone. */
	if (!uop_refine(&add, &value, &base, &offset, &carry)) {
		solve_because(s, CAUSE_LINEAR, r->dyn, r->base);
		solve_conflict(s, r->dyn, r->ssa, (struct bits){0, 0});
		return false;
	}
	any = value.known != s->ssa_values[r->ssa].known ||
	      (has_base && base.known != s->ssa_values[r->base].known);
	solve_because(s, CAUSE_LINEAR, r->dyn, r->base);
	solve_learn_ssa(s, r->dyn, r->ssa, value);
	if (has_base) {
		solve_because(s, CAUSE_LINEAR, r->dyn, r->ssa);
		solve_learn_ssa(s, r->dyn, r->base, base);
	}
	r->is_spent = bits_all_known(&value, r->width) && bits_all_known(&base, r->width);
	return any;
}

bool linear_apply(struct solver *s)
{
	bool any = false;

	/* Most of what is known comes from the halt. */
	for (size_t i = s->linear.count; i-- > 0 && !s->has_conflict;) {
		if (!s->linear.items[i].is_spent)
			any |= apply(s, &s->linear.items[i]);
	}
	return any && !s->has_conflict;
}
