/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The chain of a proved value, from the log of its window: each line is an instruction and what it
 * adds, or a place in memory that nothing wrote; the last ones rest on the snapshot or the trace.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "replay/history/history.h"
#include "replay/values/explain/why_chain.h"
#include "replay/values/solver/solver.h"

unsigned int why_register_of(const struct why_walk *walk, size_t step, uint32_t node,
                             bool *is_result)
{
	const struct window *w = &walk->solver.w;
	const struct template *template = window_template(w, step);
	const struct step_numbers at = window_step(w, step);

	*is_result = node >= at.node && node < window_step(w, step + 1).node;
	for (unsigned int i = 0; !*is_result && i < template->reg_count; i++) {
		if (w->reads[at.read + i] == node)
			return template->regs[i];
	}
	for (unsigned int i = 0; *is_result && i < template->def_count; i++) {
		if (!template->defs[i].is_copy && at.node + template->defs[i].from == node)
			return template->defs[i].reg;
	}
	if (*is_result && template->kills_registers && node >= at.node + template->killed_node)
		return node - at.node - template->killed_node;
	return REG_COUNT;
}

/* "x3 = 0x20, since ..."; nothing, and false, for a value that no register has. */
static bool say_value(struct why_chain *c, size_t step, uint32_t node, const char *since)
{
	bool is_result;
	unsigned int reg = why_register_of(c->walk, step, node, &is_result);
	struct bits b = c->walk->solver.nodes[node];

	if (reg == REG_COUNT)
		return false;
	if (!why_step_line(c->walk, step))
		return true;
	why_name(c->walk, reg, c->walk->out);
	text_puts(c->walk->out, " = ");
	why_bits(reg == REG_NZCV ? bits_flags_packed(&b) : b, c->walk->out);
	if (since)
		text_printf(c->walk->out, ", since %s", since);
	else if (!is_result)
		text_puts(c->walk->out, ", from its result");
	text_char(c->walk->out, '\n');
	return true;
}

static void rests_on_step(struct why_walk *w, const char *what, size_t step)
{
	why_rests_on(w, "%s at %" PRIu64, what, window_position_of(&w->solver.w, step));
}

static void explain_op(struct why_chain *c, const struct provenance_fact *f, uint32_t node,
                       uint32_t number)
{
	const struct window *w = &c->walk->solver.w;
	const struct template_op *op = &window_template(w, f->step)->ops.ops[f->other];

	bool is_alone = true;

	(void)say_value(c, f->step, node, NULL);
	for (unsigned int i = OPERANDS; i-- > 0;) {
		const struct step_numbers at = window_step(w, f->step);
		uint32_t other;

		if (op->operands[i].kind == OPERAND_READ)
			other = w->reads[at.read + op->operands[i].index];
		else if (op->operands[i].kind == OPERAND_TEMP)
			other = at.node + op->operands[i].index;
		else
			continue;
		if (other == node)
			continue;
		why_push_node(c, other, number);
		is_alone = false;
	}
	if (is_alone)
		rests_on_step(c->walk, "the instruction", f->step);
}

static void explain_branch(struct why_chain *c, const struct provenance_fact *f, uint32_t node)
{
	const struct template *template = window_template(&c->walk->solver.w, f->step);
	uint64_t pc = 0;
	const char *since = "it was not taken";

	rests_on_step(c->walk, "the branch", f->step);
	(void)window_next_pc(&c->walk->solver.w, f->step, &pc);
	if (template->insn->branch.kind != BRANCH_CONDITIONAL)
		since = "it went there";
	else if (pc == template->insn->branch.target)
		since = "it was taken";
	if (!say_value(c, f->step, node, since) && why_step_line(c->walk, f->step))
		text_printf(c->walk->out, "%s\n", since);
}

/* The side of a memory version that an instruction's data is on is the one after it. */
static void explain_version(struct why_chain *c, const struct provenance_fact *f, uint32_t node,
                            uint32_t number)
{
	const struct memdep_memory *m = &c->walk->solver.memory;
	const struct memory_version *e = &m->versions[f->other];
	const struct memdep_access *a = &m->accesses[e->access];

	if (why_step_line(c->walk, f->step)) {
		text_puts(c->walk->out, e->is_store ? "stored " : "loaded ");
		why_bits(c->walk->solver.nodes[node], c->walk->out);
		text_printf(c->walk->out, "%s 0x%" PRIx64 "\n", e->is_store ? " at" : " from",
		            why_address(c->walk, a));
	}
	why_push_place(c, a, number);
	why_push(c, (struct why_premise){memdep_spread(e->mask) & e->after.known, f->other, number,
	                                 true, true});
}

static void rests_on_register(struct why_walk *w, unsigned int reg)
{
	struct text name = {0};

	why_name(w, reg, &name);
	why_rests_on(w, "%s at the halt", name.data ? name.data : "");
	text_fini(&name);
}

static void explain_halt(struct why_walk *w, unsigned int reg, uint32_t node)
{
	struct bits b = w->solver.nodes[node];

	rests_on_register(w, reg);
	if (!why_line(w))
		return;
	text_printf(w->out, "%" PRIu64 "  the halt: ", w->solver.w.options.to);
	why_name(w, reg, w->out);
	text_puts(w->out, " = ");
	why_bits(reg == REG_NZCV ? bits_flags_packed(&b) : b, w->out);
	text_puts(w->out, " in the snapshot\n");
}

/* The step after a call, of a register that no instruction in between need mention. */
static void explain_kept(struct why_walk *w, const struct provenance_fact *f, uint32_t node)
{
	unsigned int reg = node;
	bool is_result;
	size_t maker;

	rests_on_step(w, "the assumption abi for the call before", f->step);
	if (why_maker(w, node, &maker))
		reg = why_register_of(w, maker, node, &is_result);
	if (!why_step_line(w, f->step))
		return;
	why_name(w, reg, w->out);
	text_puts(w->out, " = ");
	why_bits(w->solver.nodes[node], w->out);
	text_puts(w->out, ", since the call before it keeps it: assumed\n");
}

/* A node without a fact is a constant, or was known to be narrow from the start. */
static void explain_leaf(struct why_chain *c, uint32_t node)
{
	struct why_walk *w = c->walk;
	size_t step;

	if (w->solver.nodes[node].known != UINT64_MAX || !why_maker(w, node, &step) ||
	    !why_is_new(c, &c->leaves, &c->leaf_count, &c->leaf_capacity, node))
		return;
	rests_on_step(w, "the instruction", step);
	if (!why_step_line(w, step))
		return;
	why_bits(w->solver.nodes[node], w->out);
	text_puts(w->out, " is in the instruction\n");
}

static void explain_node_fact(struct why_chain *c, const struct provenance_fact *f, uint32_t node,
                              uint32_t number)
{
	switch ((enum cause_kind)f->kind) {
	case CAUSE_OP:
		explain_op(c, f, node, number);
		break;
	case CAUSE_BRANCH:
		explain_branch(c, f, node);
		break;
	case CAUSE_OUTCOME:
		rests_on_step(c->walk, "the condition", f->step);
		(void)say_value(c, f->step, node, "the trace says so of its condition");
		break;
	case CAUSE_DATA_TRACE:
		rests_on_step(c->walk, "the data trace", f->step);
		if (!say_value(c, f->step, node, "the data trace has it") &&
		    why_step_line(c->walk, f->step)) {
			why_bits(c->walk->solver.nodes[node], c->walk->out);
			text_puts(c->walk->out, " is in the data trace\n");
		}
		break;
	case CAUSE_CONSTANT:
		rests_on_step(c->walk, "the constant loaded", f->step);
		(void)say_value(c, f->step, node, "nothing can write that memory");
		break;
	case CAUSE_ABI:
		explain_kept(c->walk, f, node);
		why_push_node(c, f->other, number);
		break;
	case CAUSE_REACH:
		rests_on_step(c->walk, "what is found where the store did not go", f->step);
		(void)say_value(c, f->step, node,
		                "wherever else the store went, it would be found");
		break;
	case CAUSE_ENTRY:
		explain_version(c, f, node, number);
		break;
	case CAUSE_HALT:
		explain_halt(c->walk, f->other, node);
		break;
	case CAUSE_NONE:
	case CAUSE_DATA:
	case CAUSE_KEPT:
	case CAUSE_MEMDEP:
	case CAUSE_END:
		break;
	}
}

static void explain_node(struct why_chain *c, const struct why_premise *p)
{
	uint32_t number = 0;
	const struct provenance_fact *f =
	        provenance_of_node(&c->walk->log, p->subject, p->wanted, p->until, &number);

	why_push_rest(c, p, f);
	if (!f)
		explain_leaf(c, p->subject);
	else if (why_is_new(c, &c->seen, &c->seen_count, &c->seen_capacity, number))
		explain_node_fact(c, f, p->subject, number);
}

static void run(struct why_chain *c)
{
	while (c->premise_count > 0 && !c->walk->is_cut) {
		struct why_premise p = c->premises[--c->premise_count];

		if (p.is_side)
			why_side(c, &p);
		else
			explain_node(c, &p);
	}
	free(c->premises);
	free(c->seen);
	free(c->leaves);
}

void why_known_node(struct why_walk *w, uint32_t node, uint64_t wanted)
{
	struct why_chain c = {.walk = w};

	why_push(&c, (struct why_premise){wanted, node, UINT32_MAX, false, false});
	run(&c);
}

void why_known_side(struct why_walk *w, uint32_t version, bool is_after, uint64_t wanted)
{
	struct why_chain c = {.walk = w};

	why_push(&c, (struct why_premise){wanted, version, UINT32_MAX, true, is_after});
	run(&c);
}

void why_known_misfit(struct why_walk *w)
{
	const struct provenance_conflict *about = &w->log.conflict;
	const struct provenance_fact *f = &w->log.facts[w->log.conflict_fact];
	struct why_premise p = {about->held.known & about->fact.known, about->subject,
	                        w->log.conflict_fact, true, about->is_after};
	struct why_chain c = {.walk = w};

	if (about->kind == CONFLICT_SIDE) {
		why_side_fact(&c, f, &p, w->log.conflict_fact);
	} else if (about->kind == CONFLICT_NODE && about->subject != MEMDEP_NONE) {
		struct bits *node = &w->solver.nodes[about->subject];

		/* Its first line is about the value that the node could not take. */
		*node = about->fact;
		explain_node_fact(&c, f, about->subject, w->log.conflict_fact);
		*node = about->held;
	}
	run(&c);
}

/* Beside the memory versions of a granule: the halt, or memory that is always the same. */
static void say_dump(struct why_walk *w, const struct memdep_granule *granule, uint64_t position)
{
	if (!why_line(w))
		return;
	text_printf(w->out,
	            "%" PRIu64 "  from here to the halt nothing writes 0x%" PRIx64
	            ", which the dump has\n",
	            position, granule->address);
}

void why_known_granule(struct why_walk *w, size_t step, uint64_t address, uint64_t wanted)
{
	const struct memdep_memory *m = &w->solver.memory;
	struct memdep_granule granule = memdep_known_granule(&w->solver, address);
	uint32_t access = window_access(&w->solver.w, step);
	uint32_t before = access == 0 ? MEMDEP_NONE : memdep_find_place(m, &granule, access);
	uint32_t next = before == MEMDEP_NONE ? granule.first : m->versions[before].next;
	struct bits after =
	        memdep_from_after(&w->solver, &granule, (struct memdep_place){access, before});
	uint64_t always = step >= m->constant_from ? memdep_spread(granule.contents.constant) : 0;
	struct why_chain c = {.walk = w};
	uint32_t end;

	if ((wanted & always) != 0 && why_line(w))
		text_puts(w->out,
		          "nothing can have written it: it is read-only, or code that ran\n");
	wanted &= ~always;
	end = next == MEMDEP_NONE ? (uint32_t)m->access_count : m->versions[next].access;
	if ((wanted & after.known) != 0 && abi_slot_decides(&w->solver, address, access, end) &&
	    why_line(w))
		text_puts(w->out, "a function keeps registers there: assumed\n");
	if (before != MEMDEP_NONE)
		why_push(&c, (struct why_premise){wanted & ~after.known, before, UINT32_MAX, true,
		                                  true});
	if (next != MEMDEP_NONE)
		why_push(&c,
		         (struct why_premise){wanted & after.known, next, UINT32_MAX, true, false});
	else if ((wanted & after.known) != 0)
		say_dump(w, &granule, window_position_of(&w->solver.w, step));
	run(&c);
}
