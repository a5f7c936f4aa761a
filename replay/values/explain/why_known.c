/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The chain of a proved value, from the log of its window: each line is an instruction and what it
 * adds, or a place in memory that nothing wrote; the last ones rest on the snapshot or the trace.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/vec.h"
#include "replay/history/history.h"
#include "replay/values/explain/why_walk.h"
#include "replay/values/solver/solver.h"

/* What is yet to be explained: bits of a node, or of one side of a memory version. */
struct premise {
	uint64_t wanted;
	uint32_t subject;
	uint32_t until; /* facts from this one on do not count */
	bool is_side;
	bool is_after; /* of a side */
};

struct chain {
	struct why_walk *walk;
	struct premise *premises;
	size_t premise_count;
	size_t premise_capacity;
	uint32_t *seen; /* facts */
	size_t seen_count;
	size_t seen_capacity;
	uint32_t *leaves; /* nodes without a fact that were explained */
	size_t leaf_count;
	size_t leaf_capacity;
};

static void push(struct chain *c, struct premise p)
{
	if (p.wanted == 0)
		return;
	if (vec_reserve((void **)&c->premises, &c->premise_capacity, c->premise_count + 1,
	                sizeof(p)) == STATUS_OK)
		c->premises[c->premise_count++] = p;
	else
		c->walk->status = STATUS_NO_MEM;
}

static void push_node(struct chain *c, uint32_t node, uint32_t until)
{
	push(c, (struct premise){c->walk->solver.nodes[node].known, node, until, false, false});
}

/* Of a conflict all matters that gave any of the bits, not what gave most. */
static void push_rest(struct chain *c, const struct premise *p, const struct provenance_fact *f)
{
	const struct provenance_fact *facts = c->walk->log.facts;
	struct premise rest = *p;

	if (!f || !c->walk->is_whole)
		return;
	rest.wanted &= ~f->known | (f->previous != 0 ? facts[f->previous - 1].known : 0);
	push(c, rest);
}

/* True the first time. */
static bool is_new(struct chain *c, uint32_t **items, size_t *count, size_t *capacity,
                   uint32_t item)
{
	for (size_t i = 0; i < *count; i++) {
		if ((*items)[i] == item)
			return false;
	}
	if (vec_reserve((void **)items, capacity, *count + 1, sizeof(item)) != STATUS_OK) {
		c->walk->status = STATUS_NO_MEM;
		return false;
	}
	(*items)[(*count)++] = item;
	return true;
}

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
static bool say_value(struct chain *c, size_t step, uint32_t node, const char *since)
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

static void explain_op(struct chain *c, const struct provenance_fact *f, uint32_t node,
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
		push_node(c, other, number);
		is_alone = false;
	}
	if (is_alone)
		rests_on_step(c->walk, "the instruction", f->step);
}

/* Of a conflict it matters, too, that the access was to this place. */
static void push_place(struct chain *c, const struct memdep_access *a, uint32_t number)
{
	const struct uop_access *access = memdep_access_of(&c->walk->solver, a);

	if (c->walk->is_whole && access->address < SLOT_CONSTANT)
		push_node(c, why_node(c->walk, a->step, access->address), number);
}

static void explain_branch(struct chain *c, const struct provenance_fact *f, uint32_t node)
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
static void explain_version(struct chain *c, const struct provenance_fact *f, uint32_t node,
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
	push_place(c, a, number);
	push(c, (struct premise){memdep_spread(e->mask) & e->after.known, f->other, number, true,
	                         true});
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
static void explain_leaf(struct chain *c, uint32_t node)
{
	struct why_walk *w = c->walk;
	size_t step;

	if (w->solver.nodes[node].known != UINT64_MAX || !why_maker(w, node, &step) ||
	    !is_new(c, &c->leaves, &c->leaf_count, &c->leaf_capacity, node))
		return;
	rests_on_step(w, "the instruction", step);
	if (!why_step_line(w, step))
		return;
	why_bits(w->solver.nodes[node], w->out);
	text_puts(w->out, " is in the instruction\n");
}

static void explain_node_fact(struct chain *c, const struct provenance_fact *f, uint32_t node,
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
		push_node(c, f->other, number);
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

static void explain_node(struct chain *c, const struct premise *p)
{
	uint32_t number = 0;
	const struct provenance_fact *f =
	        provenance_of_node(&c->walk->log, p->subject, p->wanted, p->until, &number);

	push_rest(c, p, f);
	if (!f)
		explain_leaf(c, p->subject);
	else if (is_new(c, &c->seen, &c->seen_count, &c->seen_capacity, number))
		explain_node_fact(c, f, p->subject, number);
}

/* Two neighbours of a granule: nothing between them wrote it. */
void why_say_memdep(struct why_walk *w, uint32_t first, uint32_t second)
{
	const struct solver *s = &w->solver;
	const struct memdep_memory *m = &s->memory;
	const struct memory_version *e = &m->versions[first];
	uint64_t from = window_position_of(&s->w, m->accesses[e->access].step);

	if (second == MEMDEP_NONE)
		why_rests_on(w, "the doubleword at 0x%" PRIx64 " in the dump",
		             m->granules[e->granule].address);
	if (!why_line(w))
		return;
	text_printf(w->out, "%" PRIu64 "  from here to ", from + 1);
	if (second == MEMDEP_NONE)
		text_puts(w->out, "the halt");
	else
		text_printf(
		        w->out, "%" PRIu64,
		        window_position_of(&s->w, m->accesses[m->versions[second].access].step));
	text_printf(w->out, " nothing writes 0x%" PRIx64, m->granules[e->granule].address);
	if (abi_slot_decides(s, m->granules[e->granule].address, e->access + 1,
	                     second == MEMDEP_NONE ? (uint32_t)m->access_count
	                                           : m->versions[second].access))
		text_puts(w->out, ", where a function keeps registers: assumed");
	if (second == MEMDEP_NONE) {
		text_puts(w->out, ", which the dump has: ");
		why_bits(m->granules[e->granule].end, w->out);
	}
	text_char(w->out, '\n');
}

static void explain_data(struct chain *c, const struct premise *p, uint32_t number)
{
	const struct solver *s = &c->walk->solver;
	const struct memory_version *e = &s->memory.versions[p->subject];
	const struct memdep_access *a = &s->memory.accesses[e->access];
	const struct uop_access *access = memdep_access_of(s, a);

	if (why_step_line(c->walk, a->step)) {
		text_printf(c->walk->out, "%s 0x%" PRIx64,
		            e->is_store ? "writes" : "what it loads is known: it reads",
		            why_address(c->walk, a));
		text_char(c->walk->out, '\n');
	}
	push_place(c, a, number);
	if (access->data < SLOT_CONSTANT)
		push_node(c, why_node(c->walk, a->step, access->data), number);
}

static void explain_side_fact(struct chain *c, const struct provenance_fact *f,
                              const struct premise *p, uint32_t number)
{
	const struct memdep_memory *m = &c->walk->solver.memory;
	bool is_next;

	switch ((enum cause_kind)f->kind) {
	case CAUSE_DATA:
		explain_data(c, p, number);
		break;
	case CAUSE_KEPT:
		push(c, (struct premise){p->wanted, p->subject, number, true, !p->is_after});
		break;
	case CAUSE_MEMDEP:
		/* What is linked later may lie between; the order is the same. */
		is_next = m->versions[f->other].access > m->versions[p->subject].access;
		why_say_memdep(c->walk, is_next ? p->subject : f->other,
		               is_next ? f->other : p->subject);
		push(c, (struct premise){p->wanted, f->other, number, true, !is_next});
		break;
	case CAUSE_END:
		why_say_memdep(c->walk, p->subject, MEMDEP_NONE);
		break;
	case CAUSE_NONE:
	case CAUSE_OP:
	case CAUSE_BRANCH:
	case CAUSE_OUTCOME:
	case CAUSE_DATA_TRACE:
	case CAUSE_CONSTANT:
	case CAUSE_ABI:
	case CAUSE_REACH:
	case CAUSE_ENTRY:
	case CAUSE_HALT:
		break;
	}
}

static void explain_side(struct chain *c, const struct premise *p)
{
	uint32_t number = 0;
	const struct provenance_fact *f = provenance_of_side(&c->walk->log, p->subject, p->is_after,
	                                                     p->wanted, p->until, &number);

	push_rest(c, p, f);
	if (f && is_new(c, &c->seen, &c->seen_count, &c->seen_capacity, number))
		explain_side_fact(c, f, p, number);
}

static void run(struct chain *c)
{
	while (c->premise_count > 0 && !c->walk->is_cut) {
		struct premise p = c->premises[--c->premise_count];

		if (p.is_side)
			explain_side(c, &p);
		else
			explain_node(c, &p);
	}
	free(c->premises);
	free(c->seen);
	free(c->leaves);
}

void why_known_node(struct why_walk *w, uint32_t node, uint64_t wanted)
{
	struct chain c = {.walk = w};

	push(&c, (struct premise){wanted, node, UINT32_MAX, false, false});
	run(&c);
}

void why_known_side(struct why_walk *w, uint32_t version, bool is_after, uint64_t wanted)
{
	struct chain c = {.walk = w};

	push(&c, (struct premise){wanted, version, UINT32_MAX, true, is_after});
	run(&c);
}

void why_known_misfit(struct why_walk *w)
{
	const struct provenance_conflict *about = &w->log.conflict;
	const struct provenance_fact *f = &w->log.facts[w->log.conflict_fact];
	struct premise p = {about->held.known & about->fact.known, about->subject,
	                    w->log.conflict_fact, true, about->is_after};
	struct chain c = {.walk = w};

	if (about->kind == CONFLICT_SIDE) {
		explain_side_fact(&c, f, &p, w->log.conflict_fact);
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
	struct chain c = {.walk = w};
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
		push(&c, (struct premise){wanted & ~after.known, before, UINT32_MAX, true, true});
	if (next != MEMDEP_NONE)
		push(&c, (struct premise){wanted & after.known, next, UINT32_MAX, true, false});
	else if ((wanted & after.known) != 0)
		say_dump(w, &granule, window_position_of(&w->solver.w, step));
	run(&c);
}
