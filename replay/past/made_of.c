/* SPDX-License-Identifier: Apache-2.0 */
/* From a slot through the micro-operations that made it; see made_of.h. */
#include "replay/past/made_of.h"

/* A walk through the temporaries of one dynamic instruction. */
struct made_walk {
	const struct past_window *window;
	size_t dyn;
	unsigned int width; /* bits of a register */
	struct made_of *out;
	bool seen[UOP_TEMPS];
	unsigned int pending[UOP_TEMPS];
	unsigned int count;
};

unsigned int made_of_register(const struct window *w, size_t dyn, unsigned int reg)
{
	const struct uop_insn *insn = window_template(w, dyn)->insn;

	for (unsigned int i = 0; i < insn->def_count; i++) {
		if (insn->defs[i].reg == reg)
			return insn->defs[i].slot;
	}
	return SLOT_NONE;
}

static void add_source(struct made_of *out, unsigned int source)
{
	for (unsigned int i = 0; i < out->count; i++) {
		if (out->sources[i] == source)
			return;
	}
	if (out->count == MADE_OF_MOST)
		out->is_more = true;
	else
		out->sources[out->count++] = source;
}

static void add_slot(struct made_walk *walk, unsigned int slot)
{
	if (slot < REG_COUNT) {
		add_source(walk->out, slot);
	} else if (slot < SLOT_CONSTANT && !walk->seen[slot - SLOT_TEMP]) {
		walk->seen[slot - SLOT_TEMP] = true;
		walk->pending[walk->count++] = slot;
	}
}

/* One side, if it is known which it was. */
static void add_select(struct made_walk *walk, const struct uop *op)
{
	struct past_value which = past_slot(walk->window, walk->dyn, op->c, 1);

	if (!past_value_is_known(&which) || (which.bits.value & 1) != 0)
		add_slot(walk, op->a);
	if (!past_value_is_known(&which) || (which.bits.value & 1) == 0)
		add_slot(walk, op->b);
}

/* The value as it is, or its low part: what a load or a move does. */
static bool is_copy(const struct uop *op)
{
	return (op->op == UOP_FIELD || op->op == UOP_SIGNED) && op->field.lsb == 0 &&
	       op->field.to == 0;
}

static void add_operands(struct made_walk *walk, const struct uop *op)
{
	if (op->op == UOP_LOAD) {
		add_source(walk->out, REG_COUNT + op->access);
	} else if (op->op == UOP_SELECT) {
		add_select(walk, op);
	} else if (op->op == UOP_UNKNOWN) {
		walk->out->is_not_known = true;
	} else {
		walk->out->is_changed |= !is_copy(op);
		walk->out->is_cut |= is_copy(op) && op->field.len < walk->width;
		add_slot(walk, op->a);
		add_slot(walk, op->b);
		add_slot(walk, op->c);
	}
}

struct made_of made_of_slot(const struct past_window *window, size_t dyn, unsigned int slot)
{
	const struct uop_insn *insn = window_template(past_dyns(window), dyn)->insn;
	struct made_of out = {0};
	struct made_walk walk = {
	        .window = window,
	        .dyn = dyn,
	        .width = window_template(past_dyns(window), dyn)->isa == ISA_A64 ? 64 : 32,
	        .out = &out,
	};

	add_slot(&walk, slot);
	while (walk.count > 0) {
		unsigned int temp = walk.pending[--walk.count];
		unsigned int i = 0;

		while (i < insn->op_count && insn->ops[i].dst != temp)
			i++;
		if (i < insn->op_count)
			add_operands(&walk, &insn->ops[i]);
		else
			out.is_not_known = true;
	}
	return out;
}
