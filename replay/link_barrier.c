/* SPDX-License-Identifier: Apache-2.0 */
/* Which accesses may have written a word; see link_barrier.h. */
#include "replay/link_barrier.h"

void link_barrier_set(struct link_memory *m, size_t access)
{
	m->barriers[access / 64] |= (uint64_t)1 << access % 64;
	m->barrier_words[access / 4096] |= (uint64_t)1 << access / 64 % 64;
}

void link_barrier_clear(struct link_memory *m, size_t access)
{
	m->barriers[access / 64] &= ~((uint64_t)1 << access % 64);
	if (m->barriers[access / 64] == 0)
		m->barrier_words[access / 4096] &= ~((uint64_t)1 << access / 64 % 64);
}

/* The last barrier before access `end`, or LINK_NONE. */
uint32_t link_barrier_before(const struct link_memory *m, uint32_t end)
{
	size_t word = end / 64;
	uint64_t bits = m->barriers[word] & (((uint64_t)1 << end % 64) - 1);
	size_t group = word / 64;
	uint64_t words;

	if (bits != 0)
		return (uint32_t)(word * 64 + 63 - (size_t)__builtin_clzll(bits));
	words = m->barrier_words[group] & (((uint64_t)1 << word % 64) - 1);
	while (words == 0) {
		if (group == 0)
			return LINK_NONE;
		words = m->barrier_words[--group];
	}
	word = group * 64 + 63 - (size_t)__builtin_clzll(words);
	return (uint32_t)(word * 64 + 63 - (size_t)__builtin_clzll(m->barriers[word]));
}

const struct uop_access *link_access_of(const struct solver *s, const struct link_access *a)
{
	return &window_plan(&s->w, a->step)->insn->accesses[a->index];
}

/* Bytes that a range writes at most. */
static uint64_t range_length(const struct solver *s, const struct link_access *a)
{
	const struct uop_access *access = link_access_of(s, a);
	struct bits bound;

	if (access->data == SLOT_NONE)
		return access->length;
	bound = solve_slot(s, a->step, access->data);
	return bits_max(&bound, 64) < access->length ? bits_max(&bound, 64) : access->length;
}

/* The access may go to this address, which has no top byte, as far as its range says. */
static bool is_in_range(const struct solver *s, const struct link_access *a, struct interval range,
                        uint64_t address)
{
	uint64_t base = address - (uint64_t)(int64_t)link_access_of(s, a)->offset;
	uint64_t mask = link_is_32bit(s, a) ? bits_mask(32) : ADDRESS_BITS;

	return interval_span(range) >= mask ||
	       ((base - range.first) & mask) <= interval_span(range);
}

/* Which of the `open` bytes a store may have written of which this was found behind it. */
static uint8_t store_hits(const struct solver *s, const struct link_access *a, uint64_t word,
                          struct bits found, uint8_t open)
{
	struct bits data = {0, 0};
	uint8_t hits = 0;
	struct interval range = solve_interval(s, a->step, link_access_of(s, a)->address);
	bool has_data = false;

	word &= ADDRESS_BITS;
	for (int shift = 1 - (int)a->size; shift < 8; shift++) {
		uint64_t at = (word + (uint64_t)(int64_t)shift) & ADDRESS_BITS;
		uint8_t bytes;
		struct bits left;

		if (((at ^ a->address.value) & a->address.known & ADDRESS_BITS) != 0 ||
		    !is_in_range(s, a, range, at))
			continue;
		bytes = link_overlap(word, at, a->size) & open;
		if (!has_data) {
			data = link_masked(solve_slot(s, a->step, link_access_of(s, a)->data),
			                   bits_mask(8u * a->size));
			has_data = true;
		}
		left = link_masked(link_to_word(data, shift), link_spread(bytes));
		if (((left.value ^ found.value) & left.known & found.known) == 0)
			hits |= bytes;
	}
	return hits;
}

/* Bytes of the word that a range may write of which not all is known where it begins. */
static uint8_t range_hits(const struct solver *s, const struct link_access *a, uint64_t word)
{
	const struct uop_access *access = link_access_of(s, a);
	struct interval base = solve_interval(s, a->step, access->address);
	uint64_t length = range_length(s, a);
	uint64_t first = base.first + (uint64_t)(int64_t)access->offset;

	if (access->align != 0 || __builtin_add_overflow(length, interval_span(base), &length) ||
	    length >= ADDRESS_BITS)
		return 0xff;
	/* Around the end of 32 bits */
	if (link_is_32bit(s, a) && (first > UINT32_MAX || first + length > UINT32_MAX))
		return 0xff;
	return link_overlap(word & ADDRESS_BITS, first & ADDRESS_BITS, length);
}

static uint8_t barrier_hits(const struct solver *s, const struct link_access *a, uint64_t word,
                            struct bits found, uint8_t open)
{
	if (a->index == ACCESS_KILL)
		return open;
	if (a->kind == ACCESS_STORE)
		return store_hits(s, a, word, found, open);
	if (a->state != ACCESS_RANGE)
		return range_hits(s, a, word) & open;
	return link_overlap(word & ADDRESS_BITS, a->address.value & ADDRESS_BITS,
	                    range_length(s, a)) &
	       open;
}

/* Barriers between the accesses first < a < end for a word in which `found` is found at `end`. */
struct link_scan link_scan(const struct solver *s, uint32_t first, uint32_t end, uint64_t word,
                           struct bits found)
{
	const struct link_memory *m = &s->memory;
	struct link_scan r = {0xff, end, LINK_NONE};
	uint32_t at = end;

	while (r.open != 0) {
		uint8_t hits;

		at = at == 0 ? LINK_NONE : link_barrier_before(m, at);
		if (at == LINK_NONE || (first != LINK_NONE && at <= first))
			break;
		hits = barrier_hits(s, &m->accesses[at], word, found, r.open);
		r.open &= (uint8_t)~hits;
		if (hits != 0)
			r.blocker = at;
		if (r.open == 0xff)
			r.clear = at;
	}
	return r;
}

size_t link_code_doubt(const struct solver *s)
{
	const struct link_memory *m = &s->memory;

	for (size_t step = s->w.step_count; step-- > 0;) {
		uint32_t first;

		if (!window_plan(&s->w, step)->maintains_icache)
			continue;
		first = link_barrier_before(m, s->w.steps[step].access);
		return first != LINK_NONE ? step + 1 : 0;
	}
	return 0;
}
