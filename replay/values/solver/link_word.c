/* SPDX-License-Identifier: Apache-2.0 */
/* Words of memory, and what follows for them from their entries; see link_barrier.h. */
#include <stdlib.h>

#include "base/hash.h"
#include "base/vec.h"
#include "replay/history/history.h"
#include "replay/values/solver/link_barrier.h"

static size_t word_slot(const struct link_memory *m, uint64_t address)
{
	size_t mask = m->slot_count - 1;
	size_t at = hash_u64(address) & mask;

	while (m->slots[at] != 0 && m->words[m->slots[at] - 1].address != address)
		at = (at + 1) & mask;
	return at;
}

enum status link_grow_words(struct link_memory *m)
{
	size_t count = m->slots ? m->slot_count * 2 : 1024;
	uint32_t *slots;

	if (m->slots && m->word_count * 2 < m->slot_count)
		return STATUS_OK;
	slots = calloc(count, sizeof(*slots));
	if (!slots)
		return STATUS_NO_MEM;
	free(m->slots);
	m->slots = slots;
	m->slot_count = count;
	for (size_t i = 0; i < m->word_count; i++)
		m->slots[word_slot(m, m->words[i].address)] = (uint32_t)i + 1;
	return STATUS_OK;
}

static struct link_contents contents_of(const struct solver *s, uint64_t word)
{
	struct link_contents c = {{0, 0}, 0, 0};

	for (unsigned int i = 0; i < 8; i++) {
		struct mem_span span;
		bool is_code = history_executed_extent(s->w.history, word + i) > 0;
		uint8_t byte;

		if (memmap_find(s->memory.map, s->memory.space, word + i, &span) != STATUS_OK ||
		    bytes_peek(&span.bytes, 0, &byte) != STATUS_OK ||
		    (span.region->is_initial && !is_code))
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

/* A word that no access was to yet. */
static struct link_word new_word(const struct solver *s, uint64_t address)
{
	struct link_word word = {address,  contents_of(s, address), {0, 0}, LINK_NONE, LINK_NONE,
	                         LINK_NONE};

	if (s->w.options.to == history_length(s->w.history))
		word.end = word.contents.value;
	return word;
}

enum status link_word_of(struct solver *s, uint64_t address, uint32_t *number)
{
	struct link_memory *m = &s->memory;
	size_t slot;

	TRY(link_grow_words(m));
	slot = word_slot(m, address);
	if (m->slots[slot] == 0) {
		TRY(vec_reserve((void **)&m->words, &m->word_capacity, m->word_count + 1,
		                sizeof(*m->words)));
		m->words[m->word_count++] = new_word(s, address);
		m->slots[slot] = (uint32_t)m->word_count;
	}
	*number = m->slots[slot] - 1;
	return STATUS_OK;
}

/* The entry behind which one of this access belongs, or LINK_NONE. */
uint32_t link_find_place(const struct link_memory *m, const struct link_word *word, uint32_t access)
{
	uint32_t at = word->hint;

	if (at == LINK_NONE)
		return LINK_NONE;
	while (at != LINK_NONE && m->entries[at].access >= access)
		at = m->entries[at].previous;
	if (at == LINK_NONE)
		return LINK_NONE;
	while (m->entries[at].next != LINK_NONE && m->entries[m->entries[at].next].access < access)
		at = m->entries[at].next;
	return at;
}

/* The word of an address, be there accesses to it or not. */
struct link_word link_known_word(const struct solver *s, uint64_t address)
{
	const struct link_memory *m = &s->memory;
	size_t slot = word_slot(m, address);

	return m->slots[slot] != 0 ? m->words[m->slots[slot] - 1] : new_word(s, address);
}

/* The word before an access, from what is found behind it. `before`: the entry in front of it. */
static struct bits from_behind(const struct solver *s, const struct link_word *word,
                               struct link_stretch *in, uint32_t before, bool *is_supposed)
{
	const struct link_memory *m = &s->memory;
	uint32_t next = before == LINK_NONE ? word->first : m->entries[before].next;
	struct bits found = word->end;
	struct link_scan r;

	in->end = (uint32_t)m->access_count;
	if (next != LINK_NONE) {
		found = m->entries[next].before;
		in->end = m->entries[next].access;
	}
	r = link_scan(s, in, found);
	*is_supposed = r.is_supposed;
	return link_masked(found, link_spread(r.open));
}

struct bits link_from_behind(const struct solver *s, const struct link_word *word,
                             struct link_place at)
{
	struct link_stretch in = {word->address, at.access == 0 ? LINK_NONE : at.access - 1, 0,
	                          LINK_NOTHING_SUPPOSED};
	bool is_supposed;

	return from_behind(s, word, &in, at.before, &is_supposed);
}

struct bits link_supposing(const struct solver *s, const struct link_word *word,
                           struct link_place at, struct link_supposed supposed, bool *is_used)
{
	const struct link_memory *m = &s->memory;
	uint32_t access = at.access;
	uint32_t before = at.before;
	struct link_stretch in = {word->address, access == 0 ? LINK_NONE : access - 1, 0, supposed};
	struct bits value = from_behind(s, word, &in, before, is_used);
	struct bits found;
	struct link_scan r;

	if (before == LINK_NONE)
		return value;
	found = m->entries[before].after;
	in.first = m->entries[before].access;
	in.end = access;
	r = link_scan(s, &in, (struct bits){0, 0});
	*is_used |= r.is_supposed;
	found = link_masked(found, link_spread(r.open));
	if (!bits_learn(&value, found.value, found.known))
		return (struct bits){0, 0};
	return value;
}

struct bits link_between(const struct solver *s, const struct link_word *word, uint32_t access)
{
	struct link_place at = {access, LINK_NONE};
	bool is_used;

	if (access != 0)
		at.before = link_find_place(&s->memory, word, access);
	return link_supposing(s, word, at, LINK_NOTHING_SUPPOSED, &is_used);
}

struct bits link_word_at(const struct solver *s, size_t step, uint64_t address)
{
	const struct link_memory *m = &s->memory;
	struct link_word word = link_known_word(s, address);
	struct bits value = link_masked(word.contents.value, link_spread(word.contents.constant));
	struct bits linked = {0, 0};

	if (step < m->constant_from)
		value = (struct bits){0, 0};
	if (m->is_linked)
		linked = link_between(s, &word, window_access(&s->w, step));
	else if (step == s->w.step_count)
		linked = word.end;
	linked = link_masked(linked, ~value.known);
	return (struct bits){value.value | linked.value, value.known | linked.known};
}
