/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a store of unknown address can go at all. In: a store S that keeps links closed. Out: an
 * address, and the words that S may have hit instead.
 *
 * Why it holds. The address of S is computed before S, from loads. Suppose that S hits none of
 * the words that they load: then each of these words holds before S what is found there
 * behind S, and if nothing else can have written it in between, that is what was loaded. The
 * address that follows from this is the one of S, if the supposition is true. If it is not, take
 * the first of the loads whose word S hits. Its own address depends on loads before it alone, whose
 * words S does not hit, so it is the right one, and S hits the word there. So S goes to that
 * address, or to one of the words that were used; and is a barrier for no other.
 *
 * That is how pointers behave that were spilled to the stack, or found by walking a list: their
 * own store is all that stands between them and what is known.
 */
#include <string.h>

#include "base/vec.h"
#include "replay/values/solver/link_barrier.h"

enum {
	NODES_MOST = 64, /* looked at for one store */
	HOPS_MOST = 8,   /* entries of a word */
	USERS_MOST = 8,  /* steps that use a node */
	DEPTH_MOST = 160,
	TRIES_MOST = 6,      /* for one store */
	WORK_MOST = 1 << 18, /* nodes in all */
	KNOWN_LEAST = 24,    /* bits of an address that is worth something */
	NARROWED_MOST = 8,   /* words */
	ANY_SHIFT = 0x7fff,
};

/* What the nodes are if the store hits none of the words, or only the bytes at `at`. */
struct supposing {
	struct solver *s;
	uint32_t store; /* access */
	bool is_at;
	uint64_t at; /* without the top byte */
	uint32_t nodes[NODES_MOST];
	struct bits values[NODES_MOST];
	size_t count;
	struct link_reach reach;
	bool is_full;
	bool failed; /* that cannot be */
};

static struct bits value_of(struct supposing *g, uint32_t node, unsigned int depth);

/* [at, at + size) has bytes of the word. */
static bool touches(uint64_t word, uint64_t at, unsigned int size)
{
	return ((at + size - 1 - word) & ADDRESS_BITS) < 7u + size;
}

/* What is supposed of the store in this word. */
static struct link_supposed supposed_of(const struct supposing *g, uint64_t word)
{
	const struct link_access *a = &g->s->memory.accesses[g->store];

	if (!g->is_at)
		return (struct link_supposed){g->store, 0};
	return (struct link_supposed){g->store, link_overlap(word & ADDRESS_BITS, g->at, a->size)};
}

/* The word there, of which the store has left all alone that it is not supposed to hit. */
static struct bits supposed_word(const struct supposing *g, const struct link_word *word,
                                 struct link_place at, bool *is_used)
{
	struct link_supposed supposed = supposed_of(g, word->address);
	struct bits found = link_supposing(g->s, word, at, supposed, is_used);

	return link_masked(found, ~link_spread(supposed.bytes));
}

static struct bits slot_value(struct supposing *g, size_t step, unsigned int slot,
                              unsigned int depth)
{
	if (slot == SLOT_NONE)
		return (struct bits){0, 0};
	if (slot >= SLOT_CONSTANT)
		return solve_slot(g->s, step, slot);
	return value_of(g, solve_node_of(g->s, step, slot), depth);
}

/* A word is what it is found to be behind the store. */
static void use_word(struct supposing *g, uint64_t address)
{
	struct link_reach *r = &g->reach;

	for (size_t i = 0; i < r->count; i++) {
		if (r->words[i] == address)
			return;
	}
	/* Below, a store may come over the end of memory. */
	if (r->count == LINK_REACH_WORDS || address < 16) {
		g->is_full = true;
		return;
	}
	r->may_hit[r->count] = ANY_SHIFT;
	r->words[r->count++] = address;
}

/* The entry of an access in a word, or the last one in front of it. */
static uint32_t entry_before(struct solver *s, uint64_t address, uint32_t access)
{
	struct link_memory *m = &s->memory;
	const struct link_access *a = &m->accesses[access];
	uint32_t number;
	uint32_t entry;

	for (entry = a->state == ACCESS_PLACED ? a->placed.first : LINK_NONE;
	     entry < m->entry_count && m->entries[entry].access == access; entry++) {
		if (m->words[m->entries[entry].word].address == address)
			return entry;
	}
	if (link_word_of(s, address, &number) != STATUS_OK) {
		m->status = STATUS_NO_MEM;
		return LINK_NONE;
	}
	entry = link_find_place(m, &m->words[number], access);
	if (entry != LINK_NONE)
		m->words[number].hint = entry;
	return entry;
}

/* What stores in front of the access left in the word; `at` is its entry, or the one before. */
static struct bits stored_value(struct supposing *g, uint64_t word, struct link_place place,
                                unsigned int depth)
{
	const struct solver *s = g->s;
	const struct link_memory *m = &s->memory;
	struct link_stretch in = {word, LINK_NONE, place.access, LINK_NOTHING_SUPPOSED};
	struct bits value = {0, 0};
	uint32_t at = place.before;
	uint8_t open = 0xff; /* bytes that nothing wrote since */

	for (unsigned int hops = 0; at != LINK_NONE && open != 0 && hops < HOPS_MOST; hops++) {
		const struct link_entry *e = &m->entries[at];
		const struct link_access *a = &m->accesses[e->access];
		struct bits data;

		in.first = e->access;
		open &= link_scan(s, &in, (struct bits){0, 0}).open;
		in.end = e->access;
		if (e->is_store && (e->mask & open) != 0) {
			data = slot_value(g, a->step, link_access_of(s, a)->data, depth);
			data = link_masked(data, bits_mask(8u * a->size));
			data = link_masked(link_to_word(data, e->shift),
			                   link_spread(e->mask & open));
			value.value |= data.value;
			value.known |= data.known;
			open &= (uint8_t)~e->mask;
		}
		at = e->previous;
	}
	return value;
}

/* The word as the access finds it, a load or a store that has a place there. */
static struct bits word_value(struct supposing *g, uint32_t access, uint64_t address,
                              unsigned int depth)
{
	struct link_memory *m = &g->s->memory;
	struct link_word word = link_known_word(g->s, address);
	struct bits value = link_masked(word.contents.value, link_spread(word.contents.constant));
	struct link_place at = {access + 1, LINK_NONE};
	struct bits linked;
	bool is_used = false;

	if (m->accesses[access].step < m->constant_from)
		value = (struct bits){0, 0};
	if (~value.known == 0 || !m->is_linked || ~word.contents.value.known != 0)
		return value;
	/* A load leaves it as it is. */
	at.before = entry_before(g->s, address, access);
	linked = supposed_word(g, &word, at, &is_used);
	if (~linked.known != 0) {
		struct bits stored = stored_value(g, address, at, depth);

		g->failed |= !bits_learn(&linked, stored.value, stored.known);
	}
	linked = link_masked(linked, ~value.known);
	if (is_used && linked.known != 0 && !g->is_at)
		use_word(g, address);
	return (struct bits){value.value | linked.value, value.known | linked.known};
}

static struct bits loaded_value(struct supposing *g, size_t step, unsigned int index,
                                unsigned int depth)
{
	uint32_t number = window_access(&g->s->w, step) + index;
	const struct link_access *a = &g->s->memory.accesses[number];
	const struct uop_access *what;
	struct bits address;
	struct bits value;
	uint64_t first;
	int shift;

	if (a->index == ACCESS_KILL || number >= g->store)
		return (struct bits){0, 0};
	what = link_access_of(g->s, a);
	if (what->when != SLOT_NONE)
		return (struct bits){0, 0};
	address = link_address_of(what, slot_value(g, step, what->address, depth),
	                          link_is_32bit(g->s, a));
	if ((~address.known & ADDRESS_BITS) != 0)
		return (struct bits){0, 0};
	first = link_canonical(address.value) & ~UINT64_C(7);
	shift = (int)(address.value & 7);
	value = link_to_word(word_value(g, number, first, depth), -shift);
	if (shift + a->size > 8) {
		struct bits rest = link_to_word(word_value(g, number, first + 8, depth), 8 - shift);

		value.value |= rest.value;
		value.known |= rest.known;
	}
	value = link_masked(value, bits_mask(8u * a->size));
	value.known |= ~bits_mask(8u * a->size);
	return value;
}

/* What is found behind the supposed store where the store `access` put the node. */
static struct bits left_by_store(struct supposing *g, uint32_t access, uint32_t node)
{
	const struct solver *s = g->s;
	const struct link_memory *m = &s->memory;
	const struct link_access *a = &m->accesses[access];
	struct bits found = {0, 0};
	bool is_used = false;
	struct link_word word;

	if (a->kind != ACCESS_STORE || a->state != ACCESS_PLACED || a->size != 8 ||
	    access >= g->store || m->entries[a->placed.first].mask != 0xff ||
	    a->placed.data != node)
		return found;
	word = m->words[m->entries[a->placed.first].word];
	found = supposed_word(g, &word, (struct link_place){access + 1, a->placed.first}, &is_used);
	if (is_used && found.known != 0 && !g->is_at)
		use_word(g, word.address);
	return found;
}

/*
 * What is found behind the store where the value was stored before it: in a pointer that is linked
 * into a list before what it points at is written.
 */
static struct bits kept_value(struct supposing *g, uint32_t node)
{
	const struct window *w = &g->s->w;
	const uint32_t *user = window_users(w, node);
	struct bits value = {0, 0};
	bool is_last = false;

	for (unsigned int u = 0; u < USERS_MOST && !is_last; u++, user++) {
		size_t step = *user & ~USER_LAST;

		is_last = (*user & USER_LAST) != 0;
		if (step == USER_NONE)
			continue;
		for (uint32_t i = window_access(w, step); i < window_access(w, step + 1); i++) {
			struct bits found = left_by_store(g, i, node);

			g->failed |= !bits_learn(&value, found.value, found.known);
		}
	}
	return value;
}

static struct bits computed_value(struct supposing *g, uint32_t node, unsigned int depth)
{
	const struct solver *s = g->s;
	size_t step = window_maker_of(&s->w, node);
	const struct uop_insn *insn = window_plan(&s->w, step)->insn;
	struct bits value = s->nodes[node];
	uint32_t temp = node - window_step(&s->w, step).node;

	if (node < REG_COUNT || temp >= insn->temp_count)
		return value;
	for (size_t i = 0; i < insn->op_count; i++) {
		const struct uop *op = &insn->ops[i];
		struct bits a;
		struct bits b;
		struct bits c;

		if (op->dst != SLOT_TEMP + temp)
			continue;
		if (op->op == UOP_LOAD) {
			a = loaded_value(g, step, op->lsb, depth);
			g->failed |= !bits_learn(&value, a.value, a.known);
			return value;
		}
		if (op->op == UOP_UNKNOWN)
			return value;
		a = slot_value(g, step, op->a, depth);
		b = slot_value(g, step, op->b, depth);
		c = slot_value(g, step, op->c, depth);
		g->failed |= !uop_refine(op, &value, &a, &b, &c);
		return value;
	}
	return value;
}

static struct bits value_of(struct supposing *g, uint32_t node, unsigned int depth)
{
	size_t at = g->count;

	if (bits_all_known(&g->s->nodes[node], 64) || depth == 0 || g->failed)
		return g->s->nodes[node];
	for (size_t i = 0; i < g->count; i++) {
		if (g->nodes[i] == node)
			return g->values[i];
	}
	if (g->count == NODES_MOST || g->s->memory.reach_work >= WORK_MOST)
		return g->s->nodes[node];
	g->nodes[at] = node;
	g->values[at] = g->s->nodes[node];
	g->count++;
	g->s->memory.reach_work++;
	g->values[at] = computed_value(g, node, depth - 1);
	if (!bits_all_known(&g->values[at], 64)) {
		struct bits kept = kept_value(g, node);

		g->failed |= !bits_learn(&g->values[at], kept.value, kept.known);
	}
	return g->values[at];
}

static void suppose(struct supposing *g, struct solver *s, uint32_t store)
{
	g->s = s;
	g->store = store;
	g->is_at = false;
	g->count = 0;
	g->is_full = false;
	g->failed = false;
	g->reach = (struct link_reach){.count = 0};
}

/* The bytes that S would leave in a word are those that are found there behind it. */
static bool fits_word(const struct solver *s, uint32_t store, struct bits data, uint64_t address,
                      uint64_t at)
{
	struct link_word word = link_known_word(s, address);
	const struct link_access *a = &s->memory.accesses[store];
	struct bits found = link_between(s, &word, store + 1);
	/* of `at` in the word, negative before it */
	int shift = (int)((int64_t)(((at - address) & ADDRESS_BITS) << 8) >> 8);
	uint64_t bytes = link_spread(link_overlap(address & ADDRESS_BITS, at, a->size));
	struct bits left = link_masked(link_to_word(data, shift), bytes);

	return ((left.value ^ found.value) & left.known & found.known) == 0;
}

/*
 * S hits what is at `at`, and so nothing else: false if that leads to a contradiction with where
 * its address comes from, or with what it stores.
 */
static bool can_hit(struct supposing *g, struct solver *s, uint32_t store, uint64_t at)
{
	const struct link_access *a = &s->memory.accesses[store];
	const struct uop_access *what = link_access_of(s, a);
	uint64_t first = link_canonical(at) & ~UINT64_C(7);
	struct bits address;
	struct bits data;

	suppose(g, s, store);
	g->is_at = true;
	g->at = at;
	address = link_address_of(what, slot_value(g, a->step, what->address, DEPTH_MOST),
	                          link_is_32bit(s, a));
	if (g->failed || ((address.value ^ at) & address.known & ADDRESS_BITS) != 0)
		return false;
	data = link_masked(slot_value(g, a->step, what->data, DEPTH_MOST), bits_mask(8u * a->size));
	if (g->failed)
		return false;
	return fits_word(s, store, data, first, at) &&
	       ((at & 7) + a->size <= 8 || fits_word(s, store, data, first + 8, at));
}

/* Tries each place in the words that the store may have hit. True if there are fewer now. */
static bool narrow(struct supposing *g, struct solver *s, uint32_t store, struct link_reach *r)
{
	const struct link_access *a = &s->memory.accesses[store];
	bool any = false;

	if (r->count > NARROWED_MOST)
		return false;
	for (size_t i = 0; i < r->count; i++) {
		for (int shift = 1 - (int)a->size; shift < 8; shift++) {
			uint16_t bit = (uint16_t)(1u << (shift + 7));
			uint64_t at = (r->words[i] + (uint64_t)(int64_t)shift) & ADDRESS_BITS;

			if ((r->may_hit[i] & bit) == 0 ||
			    (link_reach_has(s, a, at) && can_hit(g, s, store, at)))
				continue;
			r->may_hit[i] &= (uint16_t)~bit;
			any = true;
		}
	}
	return any;
}

/* The store has no other place to go to than the address. */
static bool is_exact(const struct link_reach *r, unsigned int size)
{
	unsigned int shifts = ANY_SHIFT & ~((1u << (8 - size)) - 1u);

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
static bool add_reach(struct supposing *g, struct solver *s, uint32_t store)
{
	struct link_memory *m = &s->memory;
	struct link_access *a = &m->accesses[store];
	const struct uop_access *what = link_access_of(s, a);
	unsigned int least =
	        a->reach == LINK_NONE ? KNOWN_LEAST : known_bits(m->reaches[a->reach].address) + 1;

	suppose(g, s, store);
	g->reach.address = link_address_of(what, slot_value(g, a->step, what->address, DEPTH_MOST),
	                                   link_is_32bit(s, a));
	if (g->failed || g->is_full || known_bits(g->reach.address) < least)
		return false;
	if (a->reach != LINK_NONE) {
		m->reaches[a->reach] = g->reach;
		return true;
	}
	if (vec_reserve((void **)&m->reaches, &m->reach_capacity, m->reach_count + 1,
	                sizeof(*m->reaches)) != STATUS_OK) {
		m->status = STATUS_NO_MEM;
		return false;
	}
	a->reach = (uint32_t)m->reach_count;
	m->reaches[m->reach_count++] = g->reach;
	return true;
}

/* The store goes to the address of its reach. */
static void learn_address(struct solver *s, const struct link_access *a, struct bits address)
{
	const struct uop_access *what = link_access_of(s, a);
	uint64_t mask = link_is_32bit(s, a) ? bits_mask(32) : ADDRESS_BITS;
	struct bits base = link_masked(address, mask);

	if (what->align != 0 || (what->offset != 0 && (~address.known & mask) != 0))
		return;
	base.value = (base.value - (uint64_t)(int64_t)what->offset) & base.known;
	solve_because(s, CAUSE_REACH, a->step, 0);
	solve_learn(s, a->step, what->address, base);
}

bool link_reach_find(struct solver *s, uint32_t store)
{
	struct link_access *a = &s->memory.accesses[store];
	struct supposing g;
	struct link_reach *r;
	bool any = false;

	if (a->state != ACCESS_OPEN || a->kind != ACCESS_STORE || a->index == ACCESS_KILL ||
	    a->tries >= TRIES_MOST || s->memory.reach_work >= WORK_MOST)
		return false;
	a->tries++;
	any = add_reach(&g, s, store);
	if (a->reach == LINK_NONE)
		return false;
	r = &s->memory.reaches[a->reach];
	any |= narrow(&g, s, store, r);
	if (is_exact(r, a->size))
		learn_address(s, a, r->address);
	return any;
}

bool link_reach_has(const struct solver *s, const struct link_access *a, uint64_t at)
{
	const struct link_reach *r;

	if (a->reach == LINK_NONE)
		return true;
	r = &s->memory.reaches[a->reach];
	if (((at ^ r->address.value) & r->address.known & ADDRESS_BITS) == 0)
		return true;
	for (size_t i = 0; i < r->count; i++) {
		if (touches(r->words[i], at, a->size) &&
		    (r->may_hit[i] >> ((at - r->words[i] + 7) & ADDRESS_BITS) & 1) != 0)
			return true;
	}
	return false;
}
