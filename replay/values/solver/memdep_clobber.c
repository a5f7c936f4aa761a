/* SPDX-License-Identifier: Apache-2.0 */
/* Which accesses may have written a granule; see memdep_clobber.h. */
#include "replay/values/solver/memdep_clobber.h"

enum { SCAN_PARTIAL_MOST = 1024 }; /* accesses looked at for a part of a granule */

void memdep_clobber_set(struct memdep_memory *m, size_t access)
{
	m->clobbers[access / 64] |= (uint64_t)1 << access % 64;
	m->clobber_granules[access / 4096] |= (uint64_t)1 << access / 64 % 64;
}

void memdep_clobber_clear(struct memdep_memory *m, size_t access)
{
	m->clobbers[access / 64] &= ~((uint64_t)1 << access % 64);
	if (m->clobbers[access / 64] == 0)
		m->clobber_granules[access / 4096] &= ~((uint64_t)1 << access / 64 % 64);
}

/* The last may-alias clobber before access `end`, or MEMDEP_NONE. */
uint32_t memdep_clobber_before(const struct memdep_memory *m, uint32_t end)
{
	size_t granule = end / 64;
	uint64_t bits = m->clobbers[granule] & (((uint64_t)1 << end % 64) - 1);
	size_t group = granule / 64;
	uint64_t granules;

	if (bits != 0)
		return (uint32_t)(granule * 64 + 63 - (size_t)__builtin_clzll(bits));
	granules = m->clobber_granules[group] & (((uint64_t)1 << granule % 64) - 1);
	while (granules == 0) {
		if (group == 0)
			return MEMDEP_NONE;
		granules = m->clobber_granules[--group];
	}
	granule = group * 64 + 63 - (size_t)__builtin_clzll(granules);
	return (uint32_t)(granule * 64 + 63 - (size_t)__builtin_clzll(m->clobbers[granule]));
}

const struct uop_access *memdep_access_of(const struct solver *s, const struct memdep_access *a)
{
	return &window_template(&s->w, a->dyn)->insn->accesses[a->index];
}

bool memdep_is_supposed(const struct solver *s, uint32_t access)
{
	const struct memdep_access *a = &s->memory.accesses[access];

	return supposed_of(s, access) < SUPPOSED_SPARES && a->kind == ACCESS_STORE &&
	       memdep_access_of(s, a)->when == SLOT_NONE;
}

uint64_t memdep_range_length(const struct solver *s, const struct memdep_access *a)
{
	const struct uop_access *access = memdep_access_of(s, a);
	struct bits bound;

	if (access->data == SLOT_NONE)
		return access->length;
	bound = solve_slot(s, a->dyn, access->data);
	return bits_max(&bound, 64) < access->length ? bits_max(&bound, 64) : access->length;
}

/* A store of unknown address, as a granule sees it. */
struct store_view {
	struct bits address;
	struct bits data;
	struct interval base; /* of the address before its offset */
	uint64_t offset;
	uint64_t mask; /* of addresses */
	uint8_t bytes; /* that it writes, from bit 0 up */
};

static bool knows_range(const struct store_view *v)
{
	return interval_span(v->base) < v->mask;
}

/* As far as its bits and its range say the store may go to this address, which has no top byte. */
static bool may_be_at(const struct store_view *v, uint64_t at)
{
	return ((at ^ v->address.value) & v->address.known & ADDRESS_BITS) == 0 &&
	       (!knows_range(v) ||
	        ((at - v->offset - v->base.first) & v->mask) <= interval_span(v->base));
}

/* The bytes that it writes of the granule if it goes to byte `shift` of it, and leaves as found. */
static uint8_t left_by(const struct store_view *v, int shift, struct bits found, uint8_t open)
{
	uint8_t bytes = (uint8_t)((shift < 0 ? v->bytes >> -shift : v->bytes << shift) & open);
	struct bits left = memdep_masked(memdep_to_granule(v->data, shift), memdep_spread(bytes));

	return ((left.value ^ found.value) & left.known & found.known) == 0 ? bytes : 0;
}

/* Which of the `open` bytes a store may have written of which this was found after it. */
static uint8_t store_hits(const struct solver *s, const struct memdep_access *a, uint64_t granule,
                          struct bits found, uint8_t open)
{
	const struct uop_access *access = memdep_access_of(s, a);
	/* Whether it may begin in this granule, and in the one before it. */
	uint64_t known = a->address.known & ADDRESS_BITS & ~UINT64_C(7);
	bool here = ((granule ^ a->address.value) & known) == 0;
	bool before = a->size > 1 && (((granule - 8) ^ a->address.value) & known) == 0;
	struct store_view v;
	uint8_t hits = 0;

	if (!here && !before)
		return 0;
	v.address = a->address;
	v.data = memdep_masked(solve_slot(s, a->dyn, access->data), bits_mask(8u * a->size));
	v.base = solve_interval(s, a->dyn, access->address);
	v.offset = (uint64_t)(int64_t)access->offset;
	v.mask = memdep_is_32bit(s, a) ? bits_mask(32) : ADDRESS_BITS;
	v.bytes = memdep_first_bytes(a->size);
	if (here && (a->address.known & 7) == 0 && !knows_range(&v) && a->reach == MEMDEP_NONE &&
	    (v.data.known == 0 || found.known == 0))
		return open;
	for (int shift = here ? 7 : -1; shift > (before ? -(int)a->size : -1); shift--) {
		uint64_t at = (granule + (uint64_t)(int64_t)shift) & ADDRESS_BITS;

		if (may_be_at(&v, at) && points_to_has(s, a, at))
			hits |= left_by(&v, shift, found, open);
	}
	return hits;
}

/* Where ranges begin that a range may be, and how many bytes from there on they have. */
struct range_view {
	uint64_t first;
	uint64_t length;
};

/* Bytes of the granule that it has; all that it might have where it goes round the end of 32 bits.
 */
static uint8_t range_view_hits(struct range_view v, uint64_t granule, bool is_32bit)
{
	if (v.length >= ADDRESS_BITS ||
	    (is_32bit && (v.first > UINT32_MAX || v.first + v.length > UINT64_C(1) << 32)))
		return 0xff;
	return memdep_overlap(granule & ADDRESS_BITS, v.first & ADDRESS_BITS, v.length);
}

/* Of a range of so many bytes whose address is known as far as this. */
static struct range_view range_view_of(struct bits address, uint64_t length)
{
	uint64_t unknown = ~address.known & ADDRESS_BITS;
	struct range_view v = {address.value & address.known & ADDRESS_BITS, UINT64_MAX};

	if (!__builtin_add_overflow(length, unknown, &length))
		v.length = length;
	return v;
}

/* Of one of which it is known where it can go at all: points_to.c. */
static uint8_t range_reaches(const struct points_to_set *r, uint64_t granule, uint64_t length,
                             bool is_32bit)
{
	uint8_t bytes = range_view_hits(range_view_of(r->address, length), granule, is_32bit);
	uint64_t around = length > 0 ? length - 1 : 0;

	for (size_t i = 0; i < r->count && bytes != 0xff && length > 0; i++)
		bytes |= range_view_hits(
		        (struct range_view){r->granules[i] - around, 2 * around + 8}, granule,
		        is_32bit);
	return bytes;
}

/* Bytes of the granule that a range may write of which not all is known where it begins. */
static uint8_t range_hits(const struct solver *s, const struct memdep_access *a, uint64_t granule)
{
	const struct uop_access *access = memdep_access_of(s, a);
	struct interval base = solve_interval(s, a->dyn, access->address);
	uint64_t length = memdep_range_length(s, a);
	uint64_t first = base.first + (uint64_t)(int64_t)access->offset;
	bool is_32bit = memdep_is_32bit(s, a);
	uint8_t bytes = range_view_hits(range_view_of(a->address, length), granule, is_32bit);

	if (a->reach != MEMDEP_NONE)
		bytes &= range_reaches(&s->memory.points_to_sets[a->reach], granule, length,
		                       is_32bit);
	if (access->align != 0 || __builtin_add_overflow(length, interval_span(base), &length))
		return bytes;
	return bytes & range_view_hits((struct range_view){first, length}, granule, is_32bit);
}

/* By the assumption code-unchanged: what is written through the stack pointer is no code. */
static bool is_kept_code(const struct solver *s, const struct memdep_access *a, uint64_t granule)
{
	return s->code_unchanged && memmap_is_past(s->memory.map, granule) &&
	       a->kind == ACCESS_STORE &&
	       window_template(&s->w, a->dyn)->read_of[REG_SP] != READ_NONE;
}

bool memdep_spares_kernel(const struct solver *s, size_t dyn)
{
	uint16_t flags = window_template(&s->w, dyn)->insn->flags;

	return (flags & UOP_SPARES_KERNEL) != 0 ||
	       ((flags & UOP_KEEPS_KERNEL) != 0 && s->w.options.kernel_private);
}

bool memdep_is_constant(const struct memdep_memory *m, size_t dyn, uint64_t address)
{
	return dyn >= ((address & KERNEL_HALF) != 0 ? m->kernel_constant_from : m->constant_from);
}

static uint8_t clobber_hits(const struct solver *s, const struct memdep_access *a,
                            struct supposed_granule *of, struct bits found, uint8_t open)
{
	uint64_t granule = of->address;

	if (a->index == ACCESS_KILL)
		return (granule & KERNEL_HALF) != 0 && memdep_spares_kernel(s, a->dyn) ? 0 : open;
	if (is_kept_code(s, a, granule) ||
	    supposed_spares(s, (uint32_t)(a - s->memory.accesses), of))
		return 0;
	if (a->kind == ACCESS_STORE)
		return store_hits(s, a, granule, found, open);
	if (a->state != ACCESS_RANGE)
		return range_hits(s, a, granule) & open;
	return memdep_overlap(granule & ADDRESS_BITS, a->address.value & ADDRESS_BITS,
	                      memdep_range_length(s, a)) &
	       open;
}

bool memdep_may_touch(const struct solver *s, const struct memdep_access *a, uint64_t granule,
                      uint8_t bytes)
{
	const struct bits anything = {0, 0};
	struct supposed_granule of = {.address = granule};

	if (a->kind == ACCESS_LOAD && a->index != ACCESS_KILL)
		return store_hits(s, a, granule, anything, bytes) != 0;
	return clobber_hits(s, a, &of, anything, bytes) != 0;
}

enum memdep_apart memdep_apart(const struct solver *s, uint64_t granule, uint32_t access)
{
	const struct memdep_access *a = &s->memory.accesses[access];

	/* It is no access through a pointer that may lead anywhere. */
	if (a->index != ACCESS_KILL && a->state != ACCESS_PLACED &&
	    (~a->address.known & ADDRESS_BITS) == 0)
		return MEMDEP_MAY_ALIAS;
	if (abi_slot_is_kept(s, granule, access))
		return MEMDEP_APART_ABI;
	if (abi_signal_is_apart(s, granule, access))
		return MEMDEP_APART_SIGNAL;
	if (local_frames_are_apart(s, granule, access))
		return MEMDEP_APART_LOCALS;
	return a->index != ACCESS_KILL && task_switches_keep(s, granule, access, access + 1)
	               ? MEMDEP_APART_TASK
	               : MEMDEP_MAY_ALIAS;
}

/*
 * Bytes of the granule that an access, or MEMDEP_NONE, loads from beside its code (LDR literal),
 * and that no access of unknown address writes afterwards, by the assumption abi: abi.h.
 */
static uint8_t literal_bytes(const struct solver *s, uint64_t granule, uint32_t access)
{
	const struct memdep_memory *m = &s->memory;
	const struct memdep_access *a;
	unsigned int slot;

	if (!s->abi.is_assumed || access == MEMDEP_NONE)
		return 0;
	a = &m->accesses[access];
	if (a->kind != ACCESS_LOAD || a->index == ACCESS_KILL || a->state != ACCESS_PLACED ||
	    a->placed.first == MEMDEP_NONE || !window_template(&s->w, a->dyn)->is_code)
		return 0;
	slot = memdep_access_of(s, a)->address;
	if (slot < SLOT_CONSTANT || slot >= SLOT_ZERO)
		return 0;
	/* Code there is known to have changed. */
	for (unsigned int i = 0; i < 8; i++) {
		if (memmap_is_past(m->map, granule + i))
			return 0;
	}
	for (uint32_t v = a->placed.first; v < m->version_count && m->versions[v].access == access;
	     v++) {
		if (m->granules[m->versions[v].granule].address == granule)
			return m->versions[v].mask;
	}
	return 0;
}

/* An access through a pointer that may lead anywhere, and that spares such bytes. */
static bool spares_literals(const struct memdep_access *a)
{
	return a->index != ACCESS_KILL && a->state != ACCESS_PLACED &&
	       (~a->address.known & ADDRESS_BITS) != 0;
}

/* There is an access `at`, and it comes after `first` or, if that is MEMDEP_NONE, at any place. */
static bool is_after(uint32_t first, uint32_t at)
{
	return at != MEMDEP_NONE && (first == MEMDEP_NONE || at > first);
}

enum memdep_apart memdep_apart_decides(const struct solver *s, uint64_t granule, uint32_t first,
                                       uint32_t end)
{
	const struct memdep_memory *m = &s->memory;
	uint8_t literal = literal_bytes(s, granule, first);
	uint32_t at = end;

	while (at > 0) {
		enum memdep_apart apart;

		at = memdep_clobber_before(m, at);
		if (!is_after(first, at))
			break;
		apart = memdep_apart(s, granule, at);
		if (apart == MEMDEP_MAY_ALIAS && spares_literals(&m->accesses[at]) &&
		    memdep_may_touch(s, &m->accesses[at], granule, literal))
			return MEMDEP_APART_LITERAL;
		if (apart != MEMDEP_MAY_ALIAS &&
		    memdep_may_touch(s, &m->accesses[at], granule, 0xff))
			return apart;
	}
	return MEMDEP_MAY_ALIAS;
}

/*
 * A store under a condition, to where the access `first` loaded or stored the same value: be it
 * done or not, it changes nothing that nothing in between has changed.
 */
static bool stores_back(const struct solver *s, const struct memdep_access *a, uint32_t first)
{
	const struct memdep_memory *m = &s->memory;
	const struct memdep_access *from = first == MEMDEP_NONE ? NULL : &m->accesses[first];
	const struct memory_version *v;

	if (!from || from->state != ACCESS_PLACED || from->placed.first == MEMDEP_NONE ||
	    from->placed.data == MEMDEP_NONE || from->size != a->size ||
	    a->state == ACCESS_PLACED || a->kind != ACCESS_STORE || a->index == ACCESS_KILL ||
	    (~a->address.known & ADDRESS_BITS) != 0)
		return false;
	v = &m->versions[from->placed.first];
	return ((m->granules[v->granule].address + (uint64_t)(int64_t)v->shift - a->address.value) &
	        ADDRESS_BITS) == 0 &&
	       solve_ssa_of(s, a->dyn, memdep_access_of(s, a)->data) == from->placed.data;
}

struct memdep_scan memdep_scan(const struct solver *s, const struct memdep_stretch *in,
                               struct bits found)
{
	const struct memdep_memory *m = &s->memory;
	struct supposed_granule of = {.address = in->granule};
	struct memdep_scan r = {0xff, in->end, MEMDEP_NONE, false};
	uint8_t literal = literal_bytes(s, in->granule, in->first);
	uint32_t at = in->end;
	unsigned int partial = 0;
	bool is_clear = true;

	while (r.open != 0 && partial < SCAN_PARTIAL_MOST) {
		uint8_t hits;

		partial += r.open != 0xff;
		at = at == 0 ? MEMDEP_NONE : memdep_clobber_before(m, at);
		if (!is_after(in->first, at))
			break;
		hits = clobber_hits(s, &m->accesses[at], &of, found, r.open);
		if (hits != 0 && at == in->hypothesis.store) {
			r.is_hypothetical = true;
			/* What is found there says nothing of the stores before. */
			r.open &= (uint8_t)~in->hypothesis.bytes;
			continue;
		}
		if (hits != 0 && memdep_apart(s, in->granule, at) != MEMDEP_MAY_ALIAS)
			hits = 0;
		if ((hits & literal) != 0 && spares_literals(&m->accesses[at]))
			hits &= (uint8_t)~literal;
		if (hits != 0 && stores_back(s, &m->accesses[at], in->first)) {
			/* What is found there may be what it put back: of older stores it says
			 * nothing. */
			found = memdep_masked(found, ~memdep_spread(hits));
			/* For another first access it is a may-alias clobber. */
			is_clear = false;
			continue;
		}
		r.open &= (uint8_t)~hits;
		if (hits != 0)
			r.blocker = at;
		if (r.open == 0xff && is_clear)
			r.clear = at;
	}
	/* Where thousands of stores write single bytes each scan would go past all, and is done
	 * again whenever one of them is placed. */
	r.open = partial < SCAN_PARTIAL_MOST ? r.open : 0;
	return r;
}

/* The window has an access to the cache line that the granule is in. */
static bool uses_line(const struct memdep_memory *m, const struct memdep_granule *granule)
{
	uint64_t line = granule->address - granule->address % CACHE_LINE;
	bool is_used = granule->first != MEMDEP_NONE;

	for (uint64_t at = 0; at < CACHE_LINE && !is_used; at += 8)
		is_used = memdep_is_accessed(m, line + at);
	return is_used;
}

bool memdep_is_own(const struct solver *s, const struct memdep_granule *granule, uint32_t first,
                   uint32_t end)
{
	const struct memdep_memory *m = &s->memory;

	size_t from;
	size_t to;

	if (m->is_linked || !memdep_is_linked(s, granule))
		return m->is_linked;
	if (granule->is_own)
		return true;
	if (first != MEMDEP_NONE && task_switches_keep(s, granule->address, first, end))
		return true;
	from = first == MEMDEP_NONE ? 0 : m->accesses[first].dyn;
	to = end >= m->access_count ? s->w.dyn_count : m->accesses[end].dyn;
	if (s->stacks.is_assumed && granule->is_stack &&
	    private_stack_holds(s, granule->address, from, to))
		return true;
	return s->others &&
	       other_writes_none(s->others, granule->address & ADDRESS_BITS, uses_line(m, granule),
	                         window_position_of(&s->w, from), window_position_of(&s->w, to));
}

struct memdep_scan memdep_scan_own(const struct solver *s, const struct memdep_granule *granule,
                                   const struct memdep_stretch *in, struct bits found)
{
	if (!memdep_is_own(s, granule, in->first, in->end))
		return (struct memdep_scan){0, in->end, MEMDEP_NONE, false};
	return memdep_scan(s, in, found);
}

size_t memdep_code_may_alias(const struct solver *s)
{
	const struct memdep_memory *m = &s->memory;
	bool is_followed = memmap_past(m->map) != NULL && !code_change_of_code(s->w.history);

	for (size_t dyn = s->w.dyn_count; dyn-- > 0;) {
		uint32_t first;

		if (!window_template(&s->w, dyn)->maintains_icache)
			continue;
		/* Of code whose past is followed all that ran was looked up when it ran. */
		if (is_followed && !memmap_view_is_final(m->map, window_template(&s->w, dyn)->view))
			continue;
		first = memdep_clobber_before(m, window_access(&s->w, dyn));
		return first != MEMDEP_NONE ? dyn + 1 : 0;
	}
	return 0;
}
