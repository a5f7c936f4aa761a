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

unsigned int why_register_of(const struct why_walk *walk, size_t dyn, uint32_t ssa, bool *is_result)
{
	const struct window *w = &walk->solver.w;
	const struct template *template = window_template(w, dyn);
	const struct dyn_numbers at = window_dyn(w, dyn);

	*is_result = ssa >= at.ssa && ssa < window_dyn(w, dyn + 1).ssa;
	for (unsigned int i = 0; !*is_result && i < template->reg_count; i++) {
		if (w->reads[at.read + i] == ssa)
			return template->regs[i];
	}
	for (unsigned int i = 0; *is_result && i < template->def_count; i++) {
		if (!template->defs[i].is_copy && at.ssa + template->defs[i].from == ssa)
			return template->defs[i].reg;
	}
	if (*is_result && template->kills_registers && ssa >= at.ssa + template->killed_ssa)
		return ssa - at.ssa - template->killed_ssa;
	return REG_COUNT;
}

/* "x3 = 0x20, since ..."; nothing, and false, for a value that no register has. */
static bool say_value(struct why_chain *c, size_t dyn, uint32_t ssa, const char *since)
{
	bool is_result;
	unsigned int reg = why_register_of(c->walk, dyn, ssa, &is_result);
	struct bits b = c->walk->solver.ssa_values[ssa];

	if (reg == REG_COUNT)
		return false;
	if (!why_dyn_line(c->walk, dyn))
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

static void rests_on_dyn(struct why_walk *w, const char *what, size_t dyn)
{
	why_rests_on(w, "%s at %" PRIu64, what, window_position_of(&w->solver.w, dyn));
}

static void explain_op(struct why_chain *c, const struct provenance_fact *f, uint32_t ssa,
                       uint32_t number)
{
	const struct window *w = &c->walk->solver.w;
	const struct template_op *op = &window_template(w, f->dyn)->ops.ops[f->other];

	bool is_alone = true;

	(void)say_value(c, f->dyn, ssa, NULL);
	for (unsigned int i = OPERANDS; i-- > 0;) {
		const struct dyn_numbers at = window_dyn(w, f->dyn);
		uint32_t other;

		if (op->operands[i].kind == OPERAND_READ)
			other = w->reads[at.read + op->operands[i].index];
		else if (op->operands[i].kind == OPERAND_TEMP)
			other = at.ssa + op->operands[i].index;
		else
			continue;
		if (other == ssa)
			continue;
		why_push_ssa(c, other, number);
		is_alone = false;
	}
	if (is_alone)
		rests_on_dyn(c->walk, "the instruction", f->dyn);
}

static void explain_branch(struct why_chain *c, const struct provenance_fact *f, uint32_t ssa)
{
	const struct template *template = window_template(&c->walk->solver.w, f->dyn);
	uint64_t pc = 0;
	const char *since = "it was not taken";

	rests_on_dyn(c->walk, "the branch", f->dyn);
	(void)window_next_pc(&c->walk->solver.w, f->dyn, &pc);
	if (template->insn->branch.kind != BRANCH_CONDITIONAL)
		since = "it went there";
	else if (pc == template->insn->branch.target)
		since = "it was taken";
	if (!say_value(c, f->dyn, ssa, since) && why_dyn_line(c->walk, f->dyn))
		text_printf(c->walk->out, "%s\n", since);
}

/* The side of a memory version that an instruction's data is on is the one after it. */
static void explain_version(struct why_chain *c, const struct provenance_fact *f, uint32_t ssa,
                            uint32_t number)
{
	const struct memdep_memory *m = &c->walk->solver.memory;
	const struct memory_version *e = &m->versions[f->other];
	const struct memdep_access *a = &m->accesses[e->access];

	if (why_dyn_line(c->walk, f->dyn)) {
		text_puts(c->walk->out, e->is_store ? "stored " : "loaded ");
		why_bits(c->walk->solver.ssa_values[ssa], c->walk->out);
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

static void explain_halt(struct why_walk *w, unsigned int reg, uint32_t ssa)
{
	struct bits b = w->solver.ssa_values[ssa];

	rests_on_register(w, reg);
	if (!why_line(w))
		return;
	text_printf(w->out, "%" PRIu64 "  the halt: ", w->solver.w.options.to);
	why_name(w, reg, w->out);
	text_puts(w->out, " = ");
	why_bits(reg == REG_NZCV ? bits_flags_packed(&b) : b, w->out);
	text_puts(w->out, " in the snapshot\n");
}

/* The register that has the value after the call: before it another one may have had it first. */
static unsigned int kept_register(const struct why_walk *w, const struct provenance_fact *f,
                                  uint32_t ssa)
{
	uint32_t now[REG_COUNT];

	window_ssa_at(&w->solver.w, f->dyn, now, SIZE_MAX);
	for (unsigned int reg = 0; reg < REG_COUNT; reg++) {
		if (now[reg] == ssa || now[reg] == f->other)
			return reg;
	}
	return REG_COUNT;
}

/*
 * The dynamic instruction after a call, of a register that no instruction in between need mention.
 */
static void explain_kept(struct why_walk *w, const struct provenance_fact *f, uint32_t ssa)
{
	unsigned int reg = kept_register(w, f, ssa);

	rests_on_dyn(w, "the assumption abi for the call before", f->dyn);
	if (reg == REG_COUNT || !why_dyn_line(w, f->dyn))
		return;
	why_name(w, reg, w->out);
	text_puts(w->out, " = ");
	why_bits(w->solver.ssa_values[ssa], w->out);
	text_puts(w->out, ", since the call before it keeps it: assumed\n");
}

/* An SSA value without a fact is a constant, or was known to be narrow from the start. */
static void explain_leaf(struct why_chain *c, uint32_t ssa)
{
	struct why_walk *w = c->walk;
	size_t dyn;

	if (w->solver.ssa_values[ssa].known != UINT64_MAX || !why_maker(w, ssa, &dyn) ||
	    !why_is_new(c, &c->leaves, &c->leaf_count, &c->leaf_capacity, ssa))
		return;
	rests_on_dyn(w, "the instruction", dyn);
	if (!why_dyn_line(w, dyn))
		return;
	why_bits(w->solver.ssa_values[ssa], w->out);
	text_puts(w->out, " is in the instruction\n");
}

/* Of causes that are one dynamic instruction alone: what is asked of it, and what it says. */
static const struct {
	enum cause_kind kind;
	const char *on;
	const char *says;
} plain_causes[] = {
        {CAUSE_OUTCOME, "the condition", "the trace says so of its condition"},
        {CAUSE_CONSTANT, "the constant loaded", "nothing can write that memory"},
        {CAUSE_SP_IN_USE, "which SP is in use after it", "SP_EL0 was not in use after the return"},
        {CAUSE_TOP_BYTE, "the access", "by TCR_EL1 the top byte of what it accesses counts"},
        {CAUSE_TASK, "the task that CONTEXTIDR names at",
         "CONTEXTIDR names the task, by the assumption waiting-tasks"},
        {CAUSE_REACH, "what is found where the store did not go",
         "wherever else the store went, it would be found"},
};

static void explain_plain(struct why_chain *c, const struct provenance_fact *f, uint32_t ssa)
{
	for (size_t i = 0; i < sizeof(plain_causes) / sizeof(plain_causes[0]); i++) {
		if (plain_causes[i].kind != (enum cause_kind)f->kind)
			continue;
		rests_on_dyn(c->walk, plain_causes[i].on, f->dyn);
		(void)say_value(c, f->dyn, ssa, plain_causes[i].says);
	}
}

static void explain_ssa_fact(struct why_chain *c, const struct provenance_fact *f, uint32_t ssa,
                             uint32_t number)
{
	switch ((enum cause_kind)f->kind) {
	case CAUSE_OP:
		explain_op(c, f, ssa, number);
		break;
	case CAUSE_BRANCH:
		explain_branch(c, f, ssa);
		break;
	case CAUSE_DATA_TRACE:
		rests_on_dyn(c->walk, "the data trace", f->dyn);
		if (!say_value(c, f->dyn, ssa, "the data trace has it") &&
		    why_dyn_line(c->walk, f->dyn)) {
			why_bits(c->walk->solver.ssa_values[ssa], c->walk->out);
			text_puts(c->walk->out, " is in the data trace\n");
		}
		break;
	case CAUSE_ABI:
		explain_kept(c->walk, f, ssa);
		why_push_ssa(c, f->other, number);
		break;
	case CAUSE_LINEAR:
		rests_on_dyn(c->walk, "sums that cancel", f->dyn);
		(void)say_value(c, f->dyn, ssa,
		                "what was added to it and what was taken from it cancel");
		if (f->other != LINEAR_CONSTANT)
			why_push_ssa(c, f->other, number);
		break;
	case CAUSE_OUTCOME:
	case CAUSE_CONSTANT:
	case CAUSE_SP_IN_USE:
	case CAUSE_TOP_BYTE:
	case CAUSE_REACH:
	case CAUSE_TASK:
		explain_plain(c, f, ssa);
		break;
	case CAUSE_ENTRY:
		explain_version(c, f, ssa, number);
		break;
	case CAUSE_HALT:
		explain_halt(c->walk, f->other, ssa);
		break;
	case CAUSE_NONE:
	case CAUSE_DATA:
	case CAUSE_KEPT:
	case CAUSE_MEMDEP:
	case CAUSE_END:
		break;
	}
}

static void explain_ssa(struct why_chain *c, const struct why_premise *p)
{
	uint32_t number = 0;
	const struct provenance_fact *f =
	        provenance_of_ssa(&c->walk->log, p->subject, p->wanted, p->until, &number);

	why_push_rest(c, p, f);
	if (!f)
		explain_leaf(c, p->subject);
	else if (why_is_new(c, &c->seen, &c->seen_count, &c->seen_capacity, number))
		explain_ssa_fact(c, f, p->subject, number);
}

static void run(struct why_chain *c)
{
	while (c->premise_count > 0 && !c->walk->is_cut) {
		struct why_premise p = c->premises[--c->premise_count];

		if (p.is_side)
			why_side(c, &p);
		else
			explain_ssa(c, &p);
	}
	free(c->premises);
	free(c->seen);
	free(c->leaves);
}

void why_known_ssa(struct why_walk *w, uint32_t ssa, uint64_t wanted)
{
	struct why_chain c = {.walk = w};

	why_push(&c, (struct why_premise){wanted, ssa, UINT32_MAX, false, false});
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
	} else if (about->kind == CONFLICT_SSA && about->subject != MEMDEP_NONE) {
		struct bits *ssa = &w->solver.ssa_values[about->subject];

		/* Its first line is about the value that the SSA value could not take. */
		*ssa = about->fact;
		explain_ssa_fact(&c, f, about->subject, w->log.conflict_fact);
		*ssa = about->held;
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

void why_known_granule(struct why_walk *w, size_t dyn, uint64_t address, uint64_t wanted)
{
	const struct memdep_memory *m = &w->solver.memory;
	struct memdep_granule granule = memdep_known_granule(&w->solver, address);
	uint32_t access = window_access(&w->solver.w, dyn);
	uint32_t before = access == 0 ? MEMDEP_NONE : memdep_find_place(m, &granule, access);
	uint32_t next = before == MEMDEP_NONE ? granule.first : m->versions[before].next;
	struct bits after =
	        memdep_from_after(&w->solver, &granule, (struct memdep_place){access, before});
	uint64_t always =
	        memdep_is_constant(m, dyn, address) ? memdep_spread(granule.contents.constant) : 0;
	struct why_chain c = {.walk = w};
	enum memdep_apart apart = MEMDEP_MAY_ALIAS;
	uint32_t end;

	if ((wanted & always) != 0 && why_line(w))
		text_puts(w->out,
		          "nothing can have written it: it is read-only, or code that ran\n");
	wanted &= ~always;
	end = next == MEMDEP_NONE ? (uint32_t)m->access_count : m->versions[next].access;
	if ((wanted & after.known) != 0)
		apart = memdep_apart_decides(&w->solver, address,
		                             access == 0 ? MEMDEP_NONE : access - 1, end);
	if (apart != MEMDEP_MAY_ALIAS && why_line(w))
		text_printf(w->out, "%s there: assumed\n", why_apart_text(apart));
	if (before != MEMDEP_NONE)
		why_push(&c, (struct why_premise){wanted & ~after.known, before, UINT32_MAX, true,
		                                  true});
	if (next != MEMDEP_NONE)
		why_push(&c,
		         (struct why_premise){wanted & after.known, next, UINT32_MAX, true, false});
	else if ((wanted & after.known) != 0)
		say_dump(w, &granule, window_position_of(&w->solver.w, dyn));
	run(&c);
}
