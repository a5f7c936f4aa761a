/* SPDX-License-Identifier: Apache-2.0 */
/* Values under a hypothesis on a store; see hypothesis.h. */
#include "replay/values/solver/hypothesis.h"

enum {
	HOPS_MOST = 8,  /* memory versions of a granule */
	USERS_MOST = 8, /* dynamic instructions that use an SSA value */
};

static struct bits value_of(struct hypothesis_state *g, uint32_t ssa, unsigned int depth);

/* What is supposed of the store in this granule. */
static struct memdep_hypothesis hypothesis_of(const struct hypothesis_state *g, uint64_t granule)
{
	const struct memdep_access *a = &g->s->memory.accesses[g->store];

	if (!g->is_at)
		return (struct memdep_hypothesis){g->store, 0};
	return (struct memdep_hypothesis){g->store,
	                                  memdep_overlap(granule & ADDRESS_BITS, g->at, a->size)};
}

/* The granule there, of which the store has left all alone that it is not supposed to hit. */
static struct bits hypothetical_granule(const struct hypothesis_state *g,
                                        const struct memdep_granule *granule,
                                        struct memdep_place at, bool *is_used)
{
	struct memdep_hypothesis hypothesis = hypothesis_of(g, granule->address);
	struct bits found = memdep_under_hypothesis(g->s, granule, at, hypothesis, is_used);

	return memdep_masked(found, ~memdep_spread(hypothesis.bytes));
}

struct bits hypothesis_value(struct hypothesis_state *g, size_t dyn, unsigned int slot,
                             unsigned int depth)
{
	if (slot == SLOT_NONE)
		return (struct bits){0, 0};
	if (slot >= SLOT_CONSTANT)
		return solve_slot(g->s, dyn, slot);
	return value_of(g, solve_ssa_of(g->s, dyn, slot), depth);
}

/* A granule is what it is found to be after the store. */
static void use_granule(struct hypothesis_state *g, uint64_t address)
{
	struct points_to_set *r = &g->reach;

	for (size_t i = 0; i < r->count; i++) {
		if (r->granules[i] == address)
			return;
	}
	/* Below, a store may come over the end of memory. */
	if (r->count == POINTS_TO_MOST || address < 16) {
		g->is_full = true;
		return;
	}
	r->may_hit[r->count] = POINTS_TO_ANY;
	r->granules[r->count++] = address;
}

/* The memory version of an access in a granule, or the last one before it. */
static uint32_t version_before(struct solver *s, uint64_t address, uint32_t access)
{
	struct memdep_memory *m = &s->memory;
	const struct memdep_access *a = &m->accesses[access];
	uint32_t number;
	uint32_t version;

	for (version = a->state == ACCESS_PLACED ? a->placed.first : MEMDEP_NONE;
	     version < m->version_count && m->versions[version].access == access; version++) {
		if (m->granules[m->versions[version].granule].address == address)
			return version;
	}
	if (memdep_granule_of(s, address, &number) != STATUS_OK) {
		m->status = STATUS_NO_MEM;
		return MEMDEP_NONE;
	}
	version = memdep_find_place(m, &m->granules[number], access);
	if (version != MEMDEP_NONE)
		m->granules[number].hint = version;
	return version;
}

/* What stores before the access left in the granule; `at` is its memory version, or the one before.
 */
static struct bits stored_value(struct hypothesis_state *g, uint64_t granule,
                                struct memdep_place place, unsigned int depth)
{
	const struct solver *s = g->s;
	const struct memdep_memory *m = &s->memory;
	struct memdep_stretch in = {granule, MEMDEP_NONE, place.access, MEMDEP_NO_HYPOTHESIS};
	struct bits value = {0, 0};
	uint32_t at = place.before;
	uint8_t open = 0xff; /* bytes that nothing wrote since */

	for (unsigned int hops = 0; at != MEMDEP_NONE && open != 0 && hops < HOPS_MOST; hops++) {
		const struct memory_version *e = &m->versions[at];
		const struct memdep_access *a = &m->accesses[e->access];
		struct bits data;

		in.first = e->access;
		open &= memdep_scan(s, &in, (struct bits){0, 0}).open;
		in.end = e->access;
		if (memdep_is_doubtful(s, e))
			open &= (uint8_t)~e->mask;
		if (e->is_store && (e->mask & open) != 0) {
			data = hypothesis_value(g, a->dyn, memdep_access_of(s, a)->data, depth);
			data = memdep_masked(data, bits_mask(8u * a->size));
			data = memdep_masked(memdep_to_granule(data, e->shift),
			                     memdep_spread(e->mask & open));
			value.value |= data.value;
			value.known |= data.known;
			open &= (uint8_t)~e->mask;
		}
		at = e->previous;
	}
	return value;
}

/* The granule as the access finds it, a load or a store that has a place there. */
static struct bits granule_value(struct hypothesis_state *g, uint32_t access, uint64_t address,
                                 unsigned int depth)
{
	struct memdep_memory *m = &g->s->memory;
	struct memdep_granule granule = memdep_known_granule(g->s, address);
	struct bits value =
	        memdep_masked(granule.contents.value, memdep_spread(granule.contents.constant));
	struct memdep_place at = {access + 1, MEMDEP_NONE};
	struct bits linked;
	bool is_used = false;

	if (!memdep_is_constant(m, m->accesses[access].dyn, address))
		value = (struct bits){0, 0};
	if (~value.known == 0 || !memdep_is_linked(g->s, &granule) ||
	    ~granule.contents.value.known != 0)
		return value;
	/* A load leaves it as it is. */
	at.before = version_before(g->s, address, access);
	linked = hypothetical_granule(g, &granule, at, &is_used);
	if (~linked.known != 0) {
		struct bits stored = stored_value(g, address, at, depth);

		g->failed |= !bits_learn(&linked, stored.value, stored.known);
	}
	linked = memdep_masked(linked, ~value.known);
	if (is_used && linked.known != 0 && !g->is_at)
		use_granule(g, address);
	return (struct bits){value.value | linked.value, value.known | linked.known};
}

static struct bits loaded_value(struct hypothesis_state *g, size_t dyn, unsigned int index,
                                unsigned int depth)
{
	uint32_t number = window_access(&g->s->w, dyn) + index;
	const struct memdep_access *a = &g->s->memory.accesses[number];
	const struct uop_access *what;
	struct bits address;
	struct bits value;
	uint64_t first;
	int shift;

	if (a->index == ACCESS_KILL || number >= g->store)
		return (struct bits){0, 0};
	what = memdep_access_of(g->s, a);
	if (what->when != SLOT_NONE)
		return (struct bits){0, 0};
	address = memdep_address_of(what, hypothesis_value(g, dyn, what->address, depth),
	                            memdep_is_32bit(g->s, a));
	if ((~address.known & ADDRESS_BITS) != 0)
		return (struct bits){0, 0};
	first = memdep_canonical(address.value) & ~UINT64_C(7);
	shift = (int)(address.value & 7);
	value = memdep_to_granule(granule_value(g, number, first, depth), -shift);
	if (shift + a->size > 8) {
		struct bits rest =
		        memdep_to_granule(granule_value(g, number, first + 8, depth), 8 - shift);

		value.value |= rest.value;
		value.known |= rest.known;
	}
	value = memdep_masked(value, bits_mask(8u * a->size));
	value.known |= ~bits_mask(8u * a->size);
	return value;
}

/* What is found after the supposed store where the store `access` put the SSA value. */
static struct bits left_by_store(struct hypothesis_state *g, uint32_t access, uint32_t ssa)
{
	const struct solver *s = g->s;
	const struct memdep_memory *m = &s->memory;
	const struct memdep_access *a = &m->accesses[access];
	struct bits found = {0, 0};
	bool is_used = false;
	struct memdep_granule granule;

	if (a->kind != ACCESS_STORE || a->state != ACCESS_PLACED || a->size != 8 ||
	    access >= g->store || m->versions[a->placed.first].mask != 0xff ||
	    a->placed.data != ssa || memdep_is_doubtful(s, &m->versions[a->placed.first]))
		return found;
	granule = m->granules[m->versions[a->placed.first].granule];
	found = hypothetical_granule(g, &granule,
	                             (struct memdep_place){access + 1, a->placed.first}, &is_used);
	if (is_used && found.known != 0 && !g->is_at)
		use_granule(g, granule.address);
	return found;
}

/*
 * What is found after the store where the value was stored before it: in a pointer that is linked
 * into a list before what it points at is written.
 */
static struct bits kept_value(struct hypothesis_state *g, uint32_t ssa)
{
	const struct window *w = &g->s->w;
	const uint32_t *user = window_users(w, ssa);
	struct bits value = {0, 0};
	bool is_last = false;

	for (unsigned int u = 0; u < USERS_MOST && !is_last; u++, user++) {
		size_t dyn = *user & ~USER_LAST;

		is_last = (*user & USER_LAST) != 0;
		if (dyn == USER_NONE)
			continue;
		for (uint32_t i = window_access(w, dyn); i < window_access(w, dyn + 1); i++) {
			struct bits found = left_by_store(g, i, ssa);

			g->failed |= !bits_learn(&value, found.value, found.known);
		}
	}
	return value;
}

static struct bits computed_value(struct hypothesis_state *g, uint32_t ssa, unsigned int depth)
{
	size_t dyn;
	const struct uop *op = window_uop_of(&g->s->w, ssa, &dyn);
	struct bits value = g->s->ssa_values[ssa];
	struct bits a;
	struct bits b;
	struct bits c;

	if (!op || op->op == UOP_UNKNOWN)
		return value;
	if (op->op == UOP_LOAD) {
		a = loaded_value(g, dyn, op->access, depth);
		g->failed |= !bits_learn(&value, a.value, a.known);
		return value;
	}
	a = hypothesis_value(g, dyn, op->a, depth);
	b = hypothesis_value(g, dyn, op->b, depth);
	c = hypothesis_value(g, dyn, op->c, depth);
	g->failed |= !uop_refine(op, &value, &a, &b, &c);
	return value;
}

static struct bits value_of(struct hypothesis_state *g, uint32_t ssa, unsigned int depth)
{
	size_t at = g->count;

	if (bits_all_known(&g->s->ssa_values[ssa], 64) || depth == 0 || g->failed)
		return g->s->ssa_values[ssa];
	for (size_t i = 0; i < g->count; i++) {
		if (g->ssa_values[i] == ssa)
			return g->values[i];
	}
	if (g->count == HYPOTHESIS_VALUES || g->s->memory.points_to_work >= HYPOTHESIS_WORK)
		return g->s->ssa_values[ssa];
	g->ssa_values[at] = ssa;
	g->values[at] = g->s->ssa_values[ssa];
	g->count++;
	g->s->memory.points_to_work++;
	g->values[at] = computed_value(g, ssa, depth - 1);
	if (!bits_all_known(&g->values[at], 64)) {
		struct bits kept = kept_value(g, ssa);

		g->failed |= !bits_learn(&g->values[at], kept.value, kept.known);
	}
	return g->values[at];
}

void hypothesis_begin(struct hypothesis_state *g, struct solver *s, uint32_t store)
{
	g->s = s;
	g->store = store;
	g->is_at = false;
	g->count = 0;
	g->is_full = false;
	g->failed = false;
	g->reach = (struct points_to_set){.count = 0};
}
