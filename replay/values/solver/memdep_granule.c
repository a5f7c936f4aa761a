/* SPDX-License-Identifier: Apache-2.0 */
/* Words of memory, and what follows for them from their memory versions; see memdep_clobber.h. */
#include <stdlib.h>

#include "base/hash.h"
#include "base/huge_pages.h"
#include "base/vec.h"
#include "replay/history/history.h"
#include "replay/values/solver/memdep_clobber.h"

static size_t granule_slot(const struct memdep_memory *m, uint64_t address)
{
	size_t mask = m->slot_count - 1;
	size_t at = hash_u64(address) & mask;

	while (m->slots[at] != 0 && m->granules[m->slots[at] - 1].address != address)
		at = (at + 1) & mask;
	return at;
}

enum status memdep_grow_granules(struct memdep_memory *m)
{
	size_t count = m->slots ? m->slot_count * 2 : 1024;
	uint32_t *slots;

	if (m->slots && m->granule_count * 2 < m->slot_count)
		return STATUS_OK;
	slots = huge_pages_calloc(count, sizeof(*slots));
	if (!slots)
		return STATUS_NO_MEM;
	free(m->slots);
	m->slots = slots;
	m->slot_count = count;
	for (size_t i = 0; i < m->granule_count; i++)
		m->slots[granule_slot(m, m->granules[i].address)] = (uint32_t)i + 1;
	return STATUS_OK;
}

static struct memdep_contents contents_of(const struct solver *s, uint64_t granule)
{
	struct memdep_contents c = {{0, 0}, 0, 0};

	for (unsigned int i = 0; i < 8; i++) {
		struct mem_span span;
		bool is_code;
		uint8_t byte;

		if (memmap_before_device(s->memory.map, granule + i, 1) == 0 ||
		    memmap_find(s->memory.map, s->memory.view, granule + i, &span) != STATUS_OK ||
		    bytes_peek(&span.bytes, 0, &byte) != STATUS_OK)
			continue;
		/*
		 * What an event log puts there for a time alone says nothing of other times, and
		 * what is known to be written code is followed as data is.
		 */
		is_code = !mem_region_is_passing(span.region) &&
		          !memmap_is_past(s->memory.map, granule + i) &&
		          history_executed_extent(s->w.history, &span) > 0;
		if (span.region->is_initial && !is_code)
			continue;
		c.value.value |= (uint64_t)byte << 8 * i;
		c.value.known |= UINT64_C(0xff) << 8 * i;
		if (span.region->read_only)
			c.constant |= (uint8_t)(1u << i);
		if (is_code)
			c.code |= (uint8_t)(1u << i);
	}
	return c;
}

/* A granule that no access was to yet. */
static struct memdep_granule new_granule(const struct solver *s, uint64_t address)
{
	struct memdep_granule granule = {
	        address,     contents_of(s, address),
	        {0, 0},      MEMDEP_NONE,
	        MEMDEP_NONE, MEMDEP_NONE,
	        false,       s->memory.takes_own && memmap_is_own(s->memory.map, address, 8)};

	if (s->w.options.to == history_length(s->w.history))
		granule.end = granule.contents.value;
	return granule;
}

enum status memdep_granule_of(struct solver *s, uint64_t address, uint32_t *number)
{
	struct memdep_memory *m = &s->memory;
	size_t slot;

	TRY(memdep_grow_granules(m));
	slot = granule_slot(m, address);
	if (m->slots[slot] == 0) {
		TRY(vec_reserve((void **)&m->granules, &m->granule_capacity, m->granule_count + 1,
		                sizeof(*m->granules)));
		m->granules[m->granule_count++] = new_granule(s, address);
		m->slots[slot] = (uint32_t)m->granule_count;
	}
	*number = m->slots[slot] - 1;
	return STATUS_OK;
}

/* The memory version after which one of this access belongs, or MEMDEP_NONE. */
uint32_t memdep_find_place(const struct memdep_memory *m, const struct memdep_granule *granule,
                           uint32_t access)
{
	uint32_t at = granule->hint;

	if (at == MEMDEP_NONE)
		return MEMDEP_NONE;
	while (at != MEMDEP_NONE && m->versions[at].access >= access)
		at = m->versions[at].previous;
	if (at == MEMDEP_NONE)
		return MEMDEP_NONE;
	while (m->versions[at].next != MEMDEP_NONE &&
	       m->versions[m->versions[at].next].access < access)
		at = m->versions[at].next;
	return at;
}

/* The granule of an address, be there accesses to it or not. */
struct memdep_granule memdep_known_granule(const struct solver *s, uint64_t address)
{
	const struct memdep_memory *m = &s->memory;
	size_t slot = granule_slot(m, address);

	return m->slots[slot] != 0 ? m->granules[m->slots[slot] - 1] : new_granule(s, address);
}

bool memdep_is_accessed(const struct memdep_memory *m, uint64_t address)
{
	size_t slot = granule_slot(m, address);

	return m->slots[slot] != 0 && m->granules[m->slots[slot] - 1].first != MEMDEP_NONE;
}

bool memdep_is_doubtful(const struct solver *s, const struct memory_version *e)
{
	struct bits address;

	if (!e->is_store || !s->supposed || !supposed_is_doubtful(s, e->access))
		return false;
	address = memdep_address(s, &s->memory.accesses[e->access]);
	return (~address.known & ADDRESS_BITS) != 0 ||
	       ((address.value ^ supposed_of(s, e->access)) & ADDRESS_BITS) != 0;
}

/* The granule before an access, from what is found after it. `before`: the memory version before
 * it.
 */
static struct bits from_after(const struct solver *s, const struct memdep_granule *granule,
                              struct memdep_stretch *in, uint32_t before, bool *is_hypothetical)
{
	const struct memdep_memory *m = &s->memory;
	uint32_t next = before == MEMDEP_NONE ? granule->first : m->versions[before].next;
	struct bits found = granule->end;
	struct memdep_scan r;

	in->end = (uint32_t)m->access_count;
	if (next != MEMDEP_NONE) {
		found = m->versions[next].before;
		in->end = m->versions[next].access;
	}
	r = memdep_scan_own(s, granule, in, found);
	*is_hypothetical = r.is_hypothetical;
	return memdep_masked(found, memdep_spread(r.open));
}

struct bits memdep_from_after(const struct solver *s, const struct memdep_granule *granule,
                              struct memdep_place at)
{
	struct memdep_stretch in = {granule->address, at.access == 0 ? MEMDEP_NONE : at.access - 1,
	                            0, MEMDEP_NO_HYPOTHESIS};
	bool is_hypothetical;

	return from_after(s, granule, &in, at.before, &is_hypothetical);
}

struct bits memdep_under_hypothesis(const struct solver *s, const struct memdep_granule *granule,
                                    struct memdep_place at, struct memdep_hypothesis hypothesis,
                                    bool *is_used)
{
	const struct memdep_memory *m = &s->memory;
	uint32_t access = at.access;
	uint32_t before = at.before;
	struct memdep_stretch in = {granule->address, access == 0 ? MEMDEP_NONE : access - 1, 0,
	                            hypothesis};
	struct bits value = from_after(s, granule, &in, before, is_used);
	struct bits found;
	struct memdep_scan r;

	if (before == MEMDEP_NONE)
		return value;
	found = m->versions[before].after;
	in.first = m->versions[before].access;
	in.end = access;
	r = memdep_scan_own(s, granule, &in, (struct bits){0, 0});
	*is_used |= r.is_hypothetical;
	found = memdep_masked(found, memdep_spread(r.open));
	if (!bits_learn(&value, found.value, found.known))
		return (struct bits){0, 0};
	return value;
}

struct bits memdep_between(const struct solver *s, const struct memdep_granule *granule,
                           uint32_t access)
{
	struct memdep_place at = {access, MEMDEP_NONE};
	bool is_used;

	if (access != 0)
		at.before = memdep_find_place(&s->memory, granule, access);
	return memdep_under_hypothesis(s, granule, at, MEMDEP_NO_HYPOTHESIS, &is_used);
}

struct bits memdep_granule_at(const struct solver *s, size_t dyn, uint64_t address)
{
	const struct memdep_memory *m = &s->memory;
	struct memdep_granule granule = memdep_known_granule(s, address);
	struct bits value =
	        memdep_masked(granule.contents.value, memdep_spread(granule.contents.constant));
	struct bits linked = {0, 0};

	if (!memdep_is_constant(m, dyn, address))
		value = (struct bits){0, 0};
	if (dyn == s->w.dyn_count && !m->is_linked)
		linked = granule.end;
	else if (memdep_is_linked(s, &granule))
		linked = memdep_between(s, &granule, window_access(&s->w, dyn));
	linked = memdep_masked(linked, ~value.known);
	return (struct bits){value.value | linked.value, value.known | linked.known};
}
