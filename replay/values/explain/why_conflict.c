/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two provenances that disagree, of a window with a conflict. In: the window, solved with a
 * log. Out: both chains, or a line for each with what it rests on: registers at the halt, granules
 * of the dump, instructions, branches. One of these is wrong; which one does not show.
 */
#include <inttypes.h>

#include "replay/values/explain/why_walk.h"
#include "replay/values/solver/solver.h"

enum {
	LINES_SEARCHED = 1000, /* of a chain whose leaves are wanted */
	LEAVES_SHOWN = 4,
};

static bool is_at_halt(const struct why_walk *w)
{
	return w->log.facts[w->log.conflict_fact].kind == CAUSE_HALT;
}

/*
 * The register that the conflict is about, or REG_COUNT for a value on the way, and a dynamic
 * instruction before which it holds the value.
 */
static unsigned int subject_register(const struct why_walk *w, size_t *dyn)
{
	uint32_t ssa = w->log.conflict.subject;
	unsigned int reg = REG_COUNT;
	bool is_result = false;

	*dyn = w->solver.conflict;
	if (is_at_halt(w))
		return w->log.facts[w->log.conflict_fact].other;
	if (*dyn < w->solver.w.dyn_count)
		reg = why_register_of(w, *dyn, ssa, &is_result);
	if (reg == REG_COUNT && why_maker(w, ssa, dyn))
		reg = why_register_of(w, *dyn, ssa, &is_result);
	if (reg < REG_COUNT && is_result)
		++*dyn;
	return reg;
}

static void say_side(struct why_walk *w, struct bits b)
{
	const struct memdep_memory *m = &w->solver.memory;
	const struct memory_version *e = &m->versions[w->log.conflict.subject];
	size_t dyn = m->accesses[e->access].dyn;

	text_printf(w->out, "the 8 bytes at 0x%" PRIx64 " are ", m->granules[e->granule].address);
	why_bits(b, w->out);
	text_printf(w->out, " %s position %" PRIu64, w->log.conflict.is_after ? "after" : "before",
	            window_position_of(&w->solver.w, dyn));
}

static void say_ssa(struct why_walk *w, struct bits b)
{
	size_t dyn;
	unsigned int reg = subject_register(w, &dyn);

	if (reg < REG_COUNT)
		why_name(w, reg, w->out);
	else
		text_puts(w->out, "a value on the way");
	text_puts(w->out, " is ");
	why_bits(reg == REG_NZCV ? bits_flags_packed(&b) : b, w->out);
	text_printf(w->out, " at position %" PRIu64, window_position_of(&w->solver.w, dyn));
}

static void say_store(struct why_walk *w, bool is_second)
{
	const struct memdep_memory *m = &w->solver.memory;
	const struct memdep_access *a = &m->accesses[m->versions[w->log.conflict.subject].access];

	if (is_second)
		text_puts(w->out, "it does not go there");
	else
		text_printf(w->out, "the store at position %" PRIu64 " goes to 0x%" PRIx64,
		            window_position_of(&w->solver.w, a->dyn), why_address(w, a));
}

/* What one of the two provenances says. */
static void say(struct why_walk *w, bool is_second)
{
	const struct provenance_conflict *about = &w->log.conflict;
	struct bits b = is_second ? about->fact : about->held;

	if (about->kind == CONFLICT_SIDE)
		say_side(w, b);
	else if (about->kind == CONFLICT_STORE)
		say_store(w, is_second);
	else if (about->subject == MEMDEP_NONE)
		text_puts(w->out,
		          is_second ? "another value follows" : "a value is in the instruction");
	else
		say_ssa(w, b);
}

static void first_ssa(struct why_walk *w)
{
	const struct provenance_conflict *about = &w->log.conflict;
	uint64_t against = about->fact.known != 0 ? about->fact.known : UINT64_MAX;

	why_known_ssa(w, about->subject, about->held.known & against);
}

/* Why no store was to write the memory version's bytes: it would be found, or functions keep them.
 */
static void no_store_chain(struct why_walk *w, const struct memory_version *e)
{
	const struct memdep_memory *m = &w->solver.memory;
	const struct memdep_access *a = &m->accesses[e->access];
	const struct memdep_granule *granule = &m->granules[e->granule];
	struct bits found = e->next == MEMDEP_NONE ? granule->end : m->versions[e->next].before;
	unsigned int slot = memdep_access_of(&w->solver, a)->data;
	struct bits data = memdep_to_granule(solve_slot(&w->solver, a->dyn, slot), e->shift);
	bool differs = (data.known & found.known & memdep_spread(e->mask) &
	                (data.value ^ found.value)) != 0;
	enum memdep_apart apart = memdep_apart(&w->solver, granule->address, e->access);

	if (apart != MEMDEP_MAY_ALIAS) {
		why_rests_on(w, "the assumption %s for 0x%" PRIx64, why_apart_name(apart),
		             granule->address);
		if (why_dyn_line(w, a->dyn))
			text_printf(w->out, "%s there: assumed\n", why_apart_text(apart));
	}
	if (differs && why_dyn_line(w, a->dyn))
		text_puts(w->out, "what it stores is not what is found there\n");
	if (differs && slot < SLOT_CONSTANT)
		why_known_ssa(w, why_ssa(w, a->dyn, slot), UINT64_MAX);
	why_say_memdep(w, e->previous, e->next);
	if (e->next != MEMDEP_NONE)
		why_known_side(w, e->next, false, memdep_spread(e->mask));
}

/* Where the store goes, and why it does not. */
static void store_chain(struct why_walk *w, bool is_second)
{
	const struct memdep_memory *m = &w->solver.memory;
	const struct memory_version *e = &m->versions[w->log.conflict.subject];
	const struct memdep_access *a = &m->accesses[e->access];
	unsigned int slot = memdep_access_of(&w->solver, a)->address;

	if (is_second) {
		no_store_chain(w, e);
		return;
	}
	if (why_dyn_line(w, a->dyn))
		text_printf(w->out, "writes 0x%" PRIx64 "\n", why_address(w, a));
	if (slot < SLOT_CONSTANT)
		why_known_ssa(w, why_ssa(w, a->dyn, slot), UINT64_MAX);
}

/* How that came about. */
static void chain(struct why_walk *w, bool is_second)
{
	const struct provenance_conflict *about = &w->log.conflict;

	w->lines = 0;
	w->is_cut = false;
	w->is_whole = true;
	if (about->kind == CONFLICT_STORE)
		store_chain(w, is_second);
	else if (is_second)
		why_known_misfit(w);
	else if (about->kind == CONFLICT_SIDE)
		why_known_side(w, about->subject, about->is_after,
		               about->held.known & about->fact.known);
	else if (about->subject != MEMDEP_NONE)
		first_ssa(w);
}

void why_conflict(struct why_walk *w)
{
	bool is_cut;

	text_printf(w->out,
	            "snapshot and trace disagree, found at position %" PRIu64
	            ": no value of the past is shown\n",
	            window_position_of(&w->solver.w, w->solver.conflict));
	if (w->log.conflict.kind == CONFLICT_NONE)
		return;
	say(w, false);
	text_puts(w->out, ":\n");
	chain(w, false);
	is_cut = w->is_cut;
	if (is_cut)
		text_puts(w->out, "  ...\n");
	text_puts(w->out, "and yet ");
	say(w, true);
	text_puts(w->out, ":\n");
	chain(w, true);
}

/* The lines that were found, as a list. */
static void list_leaves(struct text *out, const struct text *leaves)
{
	unsigned int count = 0;
	const char *at = leaves->length > 0 ? leaves->data + 1 : "";

	for (; *at != '\0'; at++) {
		const char *begin = at;

		while (*at != '\n')
			at++;
		if (count++ >= LEAVES_SHOWN)
			continue;
		text_puts(out, count == 1 ? ", from " : ", ");
		text_printf(out, "%.*s", (int)(at - begin), begin);
	}
	if (count > LEAVES_SHOWN)
		text_printf(out, " and %u more", count - LEAVES_SHOWN);
}

void why_conflict_short(struct why_walk *w)
{
	struct text *out = w->out;

	w->lines_most = LINES_SEARCHED;
	for (unsigned int i = 0; i < 2 && w->log.conflict.kind != CONFLICT_NONE; i++) {
		struct text lines = {0};
		struct text leaves = {0};

		text_puts(out, "\n  ");
		say(w, i == 1);
		w->out = &lines;
		w->leaves = &leaves;
		chain(w, i == 1);
		w->out = out;
		w->leaves = NULL;
		list_leaves(out, &leaves);
		text_fini(&lines);
		text_fini(&leaves);
	}
}
