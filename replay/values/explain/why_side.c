/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why the sides of a memory version are what they are: the data of an access, what a load leaves as
 * it is, a neighbour with nothing between that writes, the dump. See why_chain.h.
 */
#include <inttypes.h>

#include "replay/values/explain/why_chain.h"

/* Two neighbours of a granule: nothing between them wrote it. */
void why_say_memdep(struct why_walk *w, uint32_t first, uint32_t second)
{
	const struct solver *s = &w->solver;
	const struct memdep_memory *m = &s->memory;
	const struct memory_version *e = &m->versions[first];
	uint64_t from = window_position_of(&s->w, m->accesses[e->access].dyn);
	enum memdep_apart apart;

	if (second == MEMDEP_NONE)
		why_rests_on(w, "the doubleword at 0x%" PRIx64 " in the dump",
		             m->granules[e->granule].address);
	if (!why_line(w))
		return;
	text_printf(w->out, "%" PRIu64 "  from here to ", from + 1);
	if (second == MEMDEP_NONE)
		text_puts(w->out, "the halt");
	else
		text_printf(w->out, "%" PRIu64,
		            window_position_of(&s->w, m->accesses[m->versions[second].access].dyn));
	text_printf(w->out, " nothing writes 0x%" PRIx64, m->granules[e->granule].address);
	apart = memdep_apart_decides(s, m->granules[e->granule].address, e->access,
	                             second == MEMDEP_NONE ? (uint32_t)m->access_count
	                                                   : m->versions[second].access);
	if (apart != MEMDEP_MAY_ALIAS)
		text_printf(w->out, ", where %s: assumed", why_apart_text(apart));
	if (second == MEMDEP_NONE) {
		text_puts(w->out, ", which the dump has: ");
		why_bits(m->granules[e->granule].end, w->out);
	}
	text_char(w->out, '\n');
}

static void explain_data(struct why_chain *c, const struct why_premise *p, uint32_t number)
{
	const struct solver *s = &c->walk->solver;
	const struct memory_version *e = &s->memory.versions[p->subject];
	const struct memdep_access *a = &s->memory.accesses[e->access];
	const struct uop_access *access = memdep_access_of(s, a);

	if (why_dyn_line(c->walk, a->dyn)) {
		text_printf(c->walk->out, "%s 0x%" PRIx64,
		            e->is_store ? "writes" : "what it loads is known: it reads",
		            why_address(c->walk, a));
		text_char(c->walk->out, '\n');
	}
	why_push_place(c, a, number);
	if (access->data < SLOT_CONSTANT)
		why_push_ssa(c, why_ssa(c->walk, a->dyn, access->data), number);
}

void why_side_fact(struct why_chain *c, const struct provenance_fact *f,
                   const struct why_premise *p, uint32_t number)
{
	const struct memdep_memory *m = &c->walk->solver.memory;
	bool is_next;

	switch ((enum cause_kind)f->kind) {
	case CAUSE_DATA:
		explain_data(c, p, number);
		break;
	case CAUSE_KEPT:
		why_push(c,
		         (struct why_premise){p->wanted, p->subject, number, true, !p->is_after});
		break;
	case CAUSE_MEMDEP:
		/* What is linked later may lie between; the order is the same. */
		is_next = m->versions[f->other].access > m->versions[p->subject].access;
		why_say_memdep(c->walk, is_next ? p->subject : f->other,
		               is_next ? f->other : p->subject);
		why_push(c, (struct why_premise){p->wanted, f->other, number, true, !is_next});
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
	case CAUSE_TASK:
	case CAUSE_LINEAR:
	case CAUSE_SP_IN_USE:
	case CAUSE_TOP_BYTE:
	case CAUSE_REACH:
	case CAUSE_ENTRY:
	case CAUSE_HALT:
		break;
	}
}

void why_side(struct why_chain *c, const struct why_premise *p)
{
	uint32_t number = 0;
	const struct provenance_fact *f = provenance_of_side(&c->walk->log, p->subject, p->is_after,
	                                                     p->wanted, p->until, &number);

	why_push_rest(c, p, f);
	if (f && why_is_new(c, &c->seen, &c->seen_count, &c->seen_capacity, number))
		why_side_fact(c, f, p, number);
}
