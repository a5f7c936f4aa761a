/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a store of unknown address can go at all. In: a store S that keeps dependences closed. Out:
 * an address, and the granules that S may have hit instead.
 *
 * Why it holds. The address of S is computed before S, from loads. Suppose that S hits none of
 * the granules that they load: then each of these granules holds before S what is found there
 * after S, and if nothing else can have written it in between, that is what was loaded. The
 * address that follows from this is the one of S, if the supposition is true. If it is not, take
 * the first of the loads whose granule S hits. Its own address depends on loads before it alone,
 * whose granules S does not hit, so it is the right one, and S hits the granule there. So S goes to
 * that address, or to one of the granules that were used; and is a may-alias clobber for no other.
 *
 * That is how pointers behave that were spilled to the stack, or found by walking a list: their
 * own store is all that stands between them and what is known.
 */
#include "base/vec.h"
#include "replay/values/solver/hypothesis.h"

enum {
	TRIES_MOST = 6,    /* for one store */
	KNOWN_LEAST = 24,  /* bits of an address that is worth something */
	NARROWED_MOST = 8, /* granules */
};

/* [at, at + size) has bytes of the granule. */
static bool touches(uint64_t granule, uint64_t at, unsigned int size)
{
	return ((at + size - 1 - granule) & ADDRESS_BITS) < 7u + size;
}

/* The bytes that S would leave in a granule are those that are found there after it. */
static bool fits_granule(const struct solver *s, uint32_t store, struct bits data, uint64_t address,
                         uint64_t at)
{
	struct memdep_granule granule = memdep_known_granule(s, address);
	const struct memdep_access *a = &s->memory.accesses[store];
	struct bits found = memdep_between(s, &granule, store + 1);
	/* of `at` in the granule, negative before it */
	int shift = (int)((int64_t)(((at - address) & ADDRESS_BITS) << 8) >> 8);
	uint64_t bytes = memdep_spread(memdep_overlap(address & ADDRESS_BITS, at, a->size));
	struct bits left = memdep_masked(memdep_to_granule(data, shift), bytes);

	return ((left.value ^ found.value) & left.known & found.known) == 0;
}

/*
 * S hits what is at `at`, and so nothing else: false if that leads to a contradiction with where
 * its address comes from, or with what it stores.
 */
static bool can_hit(struct hypothesis_state *g, struct solver *s, uint32_t store, uint64_t at)
{
	const struct memdep_access *a = &s->memory.accesses[store];
	const struct uop_access *what = memdep_access_of(s, a);
	uint64_t first = memdep_canonical(at) & ~UINT64_C(7);
	struct bits address;
	struct bits data;

	hypothesis_begin(g, s, store);
	g->is_at = true;
	g->at = at;
	address = memdep_address_of(what,
	                            hypothesis_value(g, a->dyn, what->address, HYPOTHESIS_DEPTH),
	                            memdep_is_32bit(s, a));
	if (g->failed || ((address.value ^ at) & address.known & ADDRESS_BITS) != 0)
		return false;
	data = memdep_masked(hypothesis_value(g, a->dyn, what->data, HYPOTHESIS_DEPTH),
	                     bits_mask(8u * a->size));
	if (g->failed)
		return false;
	return fits_granule(s, store, data, first, at) &&
	       ((at & 7) + a->size <= 8 || fits_granule(s, store, data, first + 8, at));
}

/* Tries each place in the granules that the store may have hit. True if there are fewer now. */
static bool narrow(struct hypothesis_state *g, struct solver *s, uint32_t store,
                   struct points_to_set *r)
{
	const struct memdep_access *a = &s->memory.accesses[store];
	bool any = false;

	if (r->count > NARROWED_MOST)
		return false;
	for (size_t i = 0; i < r->count; i++) {
		for (int shift = 1 - (int)a->size; shift < 8; shift++) {
			uint16_t bit = (uint16_t)(1u << (shift + 7));
			uint64_t at = (r->granules[i] + (uint64_t)(int64_t)shift) & ADDRESS_BITS;

			if ((r->may_hit[i] & bit) == 0 ||
			    (points_to_has(s, a, at) && can_hit(g, s, store, at)))
				continue;
			r->may_hit[i] &= (uint16_t)~bit;
			any = true;
		}
	}
	return any;
}

/* The store has no other place to go to than the address. */
static bool is_exact(const struct points_to_set *r, unsigned int size)
{
	unsigned int shifts = POINTS_TO_ANY & ~((1u << (8 - size)) - 1u);

	for (size_t i = 0; i < r->count; i++) {
		if ((r->may_hit[i] & shifts) != 0)
			return false;
	}
	return true;
}

static unsigned int known_bits(struct bits address)
{
	return (unsigned int)__builtin_popcountll(address.known & ADDRESS_BITS);
}

/* False if nothing new was found. What was found before stays true; it says less. */
static bool add_points_to(struct hypothesis_state *g, struct solver *s, uint32_t store)
{
	struct memdep_memory *m = &s->memory;
	struct memdep_access *a = &m->accesses[store];
	const struct uop_access *what = memdep_access_of(s, a);
	unsigned int least = a->reach == MEMDEP_NONE
	                             ? KNOWN_LEAST
	                             : known_bits(m->points_to_sets[a->reach].address) + 1;

	hypothesis_begin(g, s, store);
	g->reach.address = memdep_address_of(
	        what, hypothesis_value(g, a->dyn, what->address, HYPOTHESIS_DEPTH),
	        memdep_is_32bit(s, a));
	if (g->failed || g->is_full || known_bits(g->reach.address) < least)
		return false;
	if (a->reach != MEMDEP_NONE) {
		m->points_to_sets[a->reach] = g->reach;
		return true;
	}
	if (vec_reserve((void **)&m->points_to_sets, &m->points_to_capacity, m->points_to_count + 1,
	                sizeof(*m->points_to_sets)) != STATUS_OK) {
		m->status = STATUS_NO_MEM;
		return false;
	}
	a->reach = (uint32_t)m->points_to_count;
	m->points_to_sets[m->points_to_count++] = g->reach;
	return true;
}

/* The store goes to the address of its reach. */
static void learn_address(struct solver *s, const struct memdep_access *a, struct bits address)
{
	const struct uop_access *what = memdep_access_of(s, a);
	uint64_t mask = memdep_is_32bit(s, a) ? bits_mask(32) : ADDRESS_BITS;
	struct bits base = memdep_masked(address, mask);

	if (what->align != 0 || (what->offset != 0 && (~address.known & mask) != 0))
		return;
	base.value = (base.value - (uint64_t)(int64_t)what->offset) & base.known;
	solve_because(s, CAUSE_REACH, a->dyn, 0);
	solve_learn(s, a->dyn, what->address, base);
}

bool points_to_find(struct solver *s, uint32_t store)
{
	struct memdep_access *a = &s->memory.accesses[store];
	struct hypothesis_state g;
	struct points_to_set *r;
	bool any = false;

	if (a->state != ACCESS_OPEN || a->kind == ACCESS_LOAD || a->index == ACCESS_KILL ||
	    a->tries >= TRIES_MOST || s->memory.points_to_work >= HYPOTHESIS_WORK)
		return false;
	a->tries++;
	any = add_points_to(&g, s, store);
	if (a->reach == MEMDEP_NONE)
		return false;
	r = &s->memory.points_to_sets[a->reach];
	if (a->kind != ACCESS_STORE)
		return any;
	any |= narrow(&g, s, store, r);
	if (is_exact(r, a->size))
		learn_address(s, a, r->address);
	return any;
}

bool points_to_has(const struct solver *s, const struct memdep_access *a, uint64_t at)
{
	const struct points_to_set *r;

	if (a->reach == MEMDEP_NONE)
		return true;
	r = &s->memory.points_to_sets[a->reach];
	if (((at ^ r->address.value) & r->address.known & ADDRESS_BITS) == 0)
		return true;
	for (size_t i = 0; i < r->count; i++) {
		if (touches(r->granules[i], at, a->size) &&
		    (r->may_hit[i] >> ((at - r->granules[i] + 7) & ADDRESS_BITS) & 1) != 0)
			return true;
	}
	return false;
}
