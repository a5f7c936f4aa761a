/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses, their entries and the links between these; see link.h. */
#include "replay/values/solver/link.h"

#include <stdlib.h>

#include "base/vec.h"
#include "replay/history/history.h"
#include "replay/values/solver/link_barrier.h"

enum { ENTRIES_PER_POLL = 1024 };

static void enqueue(struct link_memory *m, uint32_t entry)
{
	if (m->entries[entry].is_queued)
		return;
	if (vec_reserve((void **)&m->queue, &m->queue_capacity, m->queue_count + 1,
	                sizeof(*m->queue)) != STATUS_OK) {
		m->status = STATUS_NO_MEM;
		return;
	}
	m->entries[entry].is_queued = true;
	m->queue[m->queue_count++] = entry;
}

/* Adds a fact to what an entry has before or behind it. */
static void learn(struct solver *s, uint32_t entry, struct bits *side, struct bits fact)
{
	struct bits old = *side;

	if (!bits_learn(side, fact.value, fact.known)) {
		solve_disagree(s, s->memory.accesses[s->memory.entries[entry].access].step,
		               &(struct derivation_conflict){
		                       .kind = CONFLICT_SIDE,
		                       .is_behind = side == &s->memory.entries[entry].after,
		                       .subject = entry,
		                       .held = old,
		                       .fact = fact,
		               });
	} else if (side->known != old.known) {
		s->memory.entries[entry].is_news |= side == &s->memory.entries[entry].before;
		if (s->log)
			derivation_side(s->log, entry, side == &s->memory.entries[entry].after,
			                side->known);
		enqueue(&s->memory, entry);
	}
}

static void stop_waiting(struct link_memory *m, uint32_t number)
{
	struct link_entry *e = &m->entries[number];

	if (e->waits_for == LINK_NONE)
		return;
	if (e->wait_previous != LINK_NONE)
		m->entries[e->wait_previous].wait_next = e->wait_next;
	else
		m->accesses[e->waits_for].waiting = e->wait_next;
	if (e->wait_next != LINK_NONE)
		m->entries[e->wait_next].wait_previous = e->wait_previous;
	e->waits_for = LINK_NONE;
}

static void wait_for(struct link_memory *m, uint32_t number, uint32_t access)
{
	struct link_entry *e = &m->entries[number];

	stop_waiting(m, number);
	e->waits_for = access;
	e->wait_previous = LINK_NONE;
	e->wait_next = m->accesses[access].waiting;
	if (e->wait_next != LINK_NONE)
		m->entries[e->wait_next].wait_previous = number;
	m->accesses[access].waiting = number;
}

/* Tries to link an entry with what comes next in its word. */
static void try_link(struct solver *s, uint32_t number)
{
	struct link_memory *m = &s->memory;
	struct link_entry *e = &m->entries[number];
	const struct link_word *word = &m->words[e->word];
	struct link_entry *next = e->next == LINK_NONE ? NULL : &m->entries[e->next];
	uint32_t end = next ? next->access : (uint32_t)m->access_count;
	struct bits found = next ? next->before : word->end;
	struct link_scan r;

	if (e->linked == 0xff)
		return;
	if (e->scanned > end)
		e->scanned = end;
	r = link_scan(
	        s,
	        &(struct link_stretch){word->address, e->access, e->scanned, LINK_NOTHING_SUPPOSED},
	        found);
	e->scanned = r.clear;
	if (next)
		next->is_news = false;
	if (r.blocker != LINK_NONE)
		wait_for(m, number, r.blocker);
	else
		stop_waiting(m, number);
	if ((r.open & ~e->linked) == 0)
		return;
	e->linked |= r.open;
	enqueue(m, number);
}

/* Tries the links of the entries that have waited for an access. */
static void wake(struct solver *s, uint32_t access)
{
	struct link_memory *m = &s->memory;
	uint32_t number = m->accesses[access].waiting;

	/* Those that wait again for it are put in front. */
	m->accesses[access].waiting = LINK_NONE;
	for (uint32_t e = number; e != LINK_NONE; e = m->entries[e].wait_next)
		m->entries[e].waits_for = LINK_NONE;
	while (number != LINK_NONE) {
		uint32_t next = m->entries[number].wait_next;

		try_link(s, number);
		number = next;
	}
}

/* The instruction's side of an entry. */
static void exchange_data(struct solver *s, uint32_t number)
{
	struct link_entry *e = &s->memory.entries[number];
	const struct link_access *a = &s->memory.accesses[e->access];
	uint64_t mask = link_spread(e->mask);
	unsigned int slot = SLOT_NONE;
	struct bits data;

	if (a->placed.data == LINK_NONE)
		slot = link_access_of(s, a)->data;
	data = a->placed.data == LINK_NONE ? solve_slot(s, a->step, slot)
	                                   : s->nodes[a->placed.data];
	data = link_masked(link_to_word(data, e->shift), mask);
	if ((((data.known ^ e->after.known) | (data.value ^ e->after.value)) & mask) == 0)
		return;
	solve_because(s, CAUSE_DATA, a->step, 0);
	learn(s, number, &e->after, data);
	data = link_to_word(link_masked(e->after, mask), -e->shift);
	solve_because(s, CAUSE_ENTRY, a->step, number);
	if (a->placed.data == LINK_NONE)
		solve_learn(s, a->step, slot, data);
	else
		solve_learn_node(s, a->step, a->placed.data, data);
}

/* Numbers of an entry's ranges. */
static uint32_t range_before(uint32_t entry)
{
	return 2 * entry;
}

static uint32_t range_behind(uint32_t entry)
{
	return 2 * entry + 1;
}

/* Keeps what a range of an entry is less, if that is worth it. */
static void narrow_range(struct link_memory *m, uint32_t range, struct interval now)
{
	if (!interval_is_better(interval_map_get(&m->ranges, range), now))
		return;
	if (interval_map_put(&m->ranges, range, now) != STATUS_OK)
		m->status = STATUS_NO_MEM;
	enqueue(m, range / 2);
}

/* Both are the same value. */
static void exchange_ranges(struct link_memory *m, uint32_t a, uint32_t b)
{
	struct interval both;

	if (!interval_map_has(&m->ranges, a) && !interval_map_has(&m->ranges, b))
		return;
	both = interval_meet(interval_map_get(&m->ranges, a), interval_map_get(&m->ranges, b));
	narrow_range(m, a, both);
	narrow_range(m, b, both);
}

/* The instruction's side of an entry that is a whole word. */
static void exchange_data_range(struct solver *s, uint32_t number)
{
	struct link_memory *m = &s->memory;
	const struct link_access *a = &m->accesses[m->entries[number].access];
	uint32_t behind = range_behind(number);
	struct interval range = interval_map_get(&m->ranges, behind);
	unsigned int slot;

	if (a->placed.data == LINK_NONE || (!interval_map_has(&m->ranges, behind) &&
	                                    !interval_map_has(&s->intervals, a->placed.data)))
		return;
	slot = link_access_of(s, a)->data;
	solve_because(s, CAUSE_ENTRY, a->step, number);
	narrow_range(m, behind, interval_meet(range, solve_interval(s, a->step, slot)));
	solve_learn_interval(s, a->step, slot, interval_map_get(&m->ranges, behind));
}

/* What update() does, for the ranges of words that are read and written as a whole. */
static void update_ranges(struct solver *s, uint32_t number)
{
	struct link_memory *m = &s->memory;
	const struct link_entry *e = &m->entries[number];

	if (!e->is_store)
		exchange_ranges(m, range_before(number), range_behind(number));
	if (e->mask == 0xff)
		exchange_data_range(s, number);
	if (e->previous != LINK_NONE && m->entries[e->previous].linked == 0xff)
		exchange_ranges(m, range_behind(e->previous), range_before(number));
	if (e->next != LINK_NONE && e->linked == 0xff)
		exchange_ranges(m, range_behind(number), range_before(e->next));
}

static void exchange(struct solver *s, uint32_t a, struct bits *behind, uint32_t b,
                     struct bits *before, uint64_t mask)
{
	if ((((behind->known ^ before->known) | (behind->value ^ before->value)) & mask) == 0)
		return;
	solve_because(s, a == b ? CAUSE_KEPT : CAUSE_LINK, 0, b);
	learn(s, a, behind, link_masked(*before, mask));
	solve_because(s, a == b ? CAUSE_KEPT : CAUSE_LINK, 0, a);
	if (!s->has_conflict)
		learn(s, b, before, link_masked(*behind, mask));
}

static void update(struct solver *s, uint32_t number)
{
	struct link_memory *m = &s->memory;
	struct link_entry *e = &m->entries[number];
	uint64_t kept = e->is_store ? ~link_spread(e->mask) : UINT64_MAX;

	exchange(s, number, &e->before, number, &e->after, kept);
	if (!s->has_conflict)
		exchange_data(s, number);
	if (e->previous != LINK_NONE && !s->has_conflict) {
		struct link_entry *p = &m->entries[e->previous];

		if (e->is_news && p->linked != 0xff)
			try_link(s, e->previous);
		exchange(s, e->previous, &p->after, number, &e->before, link_spread(p->linked));
	}
	if (s->has_conflict)
		return;
	if (e->next != LINK_NONE)
		exchange(s, number, &e->after, e->next, &m->entries[e->next].before,
		         link_spread(e->linked));
	else {
		solve_because(s, CAUSE_END, 0, 0);
		learn(s, number, &e->after,
		      link_masked(m->words[e->word].end, link_spread(e->linked)));
	}
	if (!s->has_conflict)
		update_ranges(s, number);
}

static void drain(struct solver *s)
{
	struct link_memory *m = &s->memory;

	while (m->queue_count > 0 && !s->has_conflict) {
		uint32_t number = m->queue[--m->queue_count];

		m->entries[number].is_queued = false;
		update(s, number);
	}
}

static void insert_entry(struct solver *s, uint32_t number)
{
	struct link_memory *m = &s->memory;
	struct link_entry *e = &m->entries[number];
	struct link_word *word = &m->words[e->word];

	e->previous = link_find_place(m, word, e->access);
	if (e->previous != LINK_NONE) {
		struct link_entry *p = &m->entries[e->previous];

		e->next = p->next;
		e->linked = p->linked;
		e->scanned = p->scanned;
		p->next = number;
		if (p->scanned > e->access)
			p->scanned = e->access;
		/* It was proved that nothing wrote these bytes. */
		if (e->is_store && (p->linked & e->mask) != 0)
			solve_disagree(s, m->accesses[e->access].step,
			               &(struct derivation_conflict){.kind = CONFLICT_STORE,
			                                             .subject = number});
	} else {
		e->next = word->first;
		word->first = number;
	}
	if (e->next != LINK_NONE)
		m->entries[e->next].previous = number;
	else
		word->last = number;
	if (e->scanned <= e->access)
		e->scanned = e->access + 1;
	word->hint = number;
	enqueue(m, number);
	if (e->previous != LINK_NONE)
		try_link(s, e->previous);
	try_link(s, number);
}

static enum status add_entry(struct solver *s, uint32_t access, uint32_t word, int shift,
                             uint8_t bytes, uint32_t *number)
{
	struct link_memory *m = &s->memory;
	const struct link_access *a = &m->accesses[access];
	struct link_entry e = {
	        .access = access,
	        .word = word,
	        .previous = LINK_NONE,
	        .next = LINK_NONE,
	        .waits_for = LINK_NONE,
	        .scanned = LINK_NONE,
	        .mask = bytes,
	        .shift = (int8_t)shift,
	        .is_store = a->kind == ACCESS_STORE,
	};

	TRY(vec_reserve((void **)&m->entries, &m->entry_capacity, m->entry_count + 1,
	                sizeof(*m->entries)));
	*number = (uint32_t)m->entry_count;
	m->entries[m->entry_count++] = e;
	return STATUS_OK;
}

/* The part of an access that lies in one word. */
static enum status place_in(struct solver *s, uint32_t access, uint64_t address, int shift)
{
	struct link_memory *m = &s->memory;
	struct link_access *a = &m->accesses[access];
	struct link_contents c;
	uint32_t entry;
	uint32_t word;
	uint8_t bytes = link_overlap(address & ADDRESS_BITS,
	                             (address + (uint64_t)(int64_t)shift) & ADDRESS_BITS, a->size);

	TRY(link_word_of(s, address, &word));
	c = m->words[word].contents;
	if (a->kind == ACCESS_STORE && ((c.constant | c.code) & bytes) != 0 &&
	    m->modified_code <= a->step)
		m->modified_code = (size_t)a->step + 1;
	if (a->kind == ACCESS_LOAD && a->step >= m->constant_from) {
		struct bits data = link_masked(c.value, link_spread(c.constant & bytes));

		solve_because(s, CAUSE_CONSTANT, a->step, access);
		solve_learn(s, a->step, link_access_of(s, a)->data,
		            link_masked(link_to_word(data, -shift), bits_mask(8u * a->size)));
	}
	/* Where a dump ends within it, the rest of it may be a device. */
	bytes &= link_known_bytes(c.value);
	if (!m->is_linked || bytes == 0)
		return STATUS_OK;
	TRY(add_entry(s, access, word, shift, bytes, &entry));
	a->state = ACCESS_PLACED;
	if (a->placed.first == LINK_NONE)
		a->placed.first = entry;
	insert_entry(s, entry);
	return STATUS_OK;
}

/* An access whose address has become known. */
static void place(struct solver *s, uint32_t access)
{
	struct link_access *a = &s->memory.accesses[access];
	uint64_t address = link_canonical(a->address.value);
	uint64_t first = address & ~UINT64_C(7);
	int shift = (int)(address - first);

	a->state = ACCESS_UNLINKED;
	a->placed.first = LINK_NONE;
	a->placed.data = solve_node_of(s, a->step, link_access_of(s, a)->data);
	if (place_in(s, access, first, shift) != STATUS_OK ||
	    (shift + a->size > 8 && place_in(s, access, first + 8, shift - 8) != STATUS_OK))
		s->memory.status = STATUS_NO_MEM;
}

struct bits link_address_of(const struct uop_access *access, struct bits base, bool is_32bit)
{
	uint64_t mask = is_32bit ? bits_mask(32) : ADDRESS_BITS;
	struct bits offset = bits_of((uint64_t)(int64_t)access->offset);
	struct bits carry = bits_of(0);
	struct bits sum = {0, 0};
	struct bits_sum add = {&base, &offset, &carry, false};

	base.value &= ~bits_mask(access->align);
	if (access->align > 0)
		base.known |= bits_mask(access->align);
	if (access->offset == 0)
		sum = base;
	else if ((~base.known & mask) == 0)
		sum = (struct bits){base.value + offset.value, mask};
	else if (!bits_add(&sum, &add, 64))
		return (struct bits){0, 0};
	sum = link_masked(sum, mask);
	sum.known |= ADDRESS_BITS & ~mask;
	return sum;
}

struct bits link_address(const struct solver *s, const struct link_access *a)
{
	const struct uop_access *access = link_access_of(s, a);
	struct bits base = solve_slot(s, a->step, access->address);

	if (base.known == 0)
		return (struct bits){0, 0};
	return link_address_of(access, base, link_is_32bit(s, a));
}

static void look(struct solver *s, uint32_t access)
{
	struct link_memory *m = &s->memory;
	struct link_access *a = &m->accesses[access];
	const struct uop_access *what = link_access_of(s, a);
	struct bits happens = bits_of(1);
	bool is_known;

	if (what->when != SLOT_NONE)
		happens = solve_slot(s, a->step, what->when);
	a->address = link_address(s, a);
	is_known = (happens.known & 1) != 0;
	if (is_known && what->when != SLOT_NONE &&
	    (happens.value & 1) != (what->when_value ? 1 : 0))
		a->state = ACCESS_ABSENT;
	else if (is_known && (~a->address.known & ADDRESS_BITS) == 0)
		a->state = a->kind == ACCESS_CLOBBER ? ACCESS_RANGE : ACCESS_PLACED;
	if (a->state == ACCESS_ABSENT || a->state == ACCESS_PLACED)
		link_barrier_clear(m, access);
	if (a->state == ACCESS_PLACED)
		place(s, access);
	if (a->waiting != LINK_NONE)
		wake(s, access);
}

void link_retry(struct solver *s)
{
	struct link_memory *m = &s->memory;

	for (uint32_t i = 0; i < m->entry_count && !s->has_conflict; i++) {
		if (i % ENTRIES_PER_POLL == 0 && interrupt_has_come(s->interrupt))
			return;
		try_link(s, i);
	}
	drain(s);
	/* The last stores first: what is found behind them is best known. */
	for (size_t i = m->access_count; i-- > 0 && !s->has_conflict;) {
		if (m->accesses[i].waiting == LINK_NONE)
			continue;
		if (interrupt_has_come(s->interrupt))
			return;
		if (!link_reach_find(s, (uint32_t)i))
			continue;
		wake(s, (uint32_t)i);
		drain(s);
	}
}

static void init_access(struct link_memory *m, const struct window *w, size_t step, uint32_t index)
{
	const struct plan *plan = window_plan(w, step);
	const struct uop_access *from = plan->insn->accesses;
	size_t number = window_access(w, step) + index;
	struct link_access a = {
	        .step = (uint32_t)step,
	        .index = plan->kills_memory ? ACCESS_KILL : (uint8_t)index,
	        .kind = plan->kills_memory ? ACCESS_CLOBBER : from[index].kind,
	        .size = plan->kills_memory ? 0 : from[index].size,
	        .waiting = LINK_NONE,
	        .reach = LINK_NONE,
	};

	m->accesses[number] = a;
	if (a.kind != ACCESS_LOAD)
		link_barrier_set(m, number);
}

enum status link_init(struct solver *s, bool single_writer)
{
	struct link_memory *m = &s->memory;
	const struct window *w = &s->w;
	uint64_t space;

	*m = (struct link_memory){.map = history_core(w->history)->memory,
	                          .is_linked = single_writer};
	m->space = SPACE_ANY;
	if (history_mark(w->history, MARK_SPACE, w->options.to, &space) == STATUS_OK)
		m->space = (enum space)space;
	m->access_count = w->access_count;
	m->accesses = malloc((m->access_count + 1) * sizeof(*m->accesses));
	m->barriers = calloc(m->access_count / 64 + 64, sizeof(*m->barriers));
	m->barrier_words = calloc(m->access_count / 4096 + 2, sizeof(*m->barrier_words));
	if (!m->accesses || !m->barriers || !m->barrier_words)
		return STATUS_NO_MEM;
	for (size_t step = 0; step < w->step_count; step++) {
		uint32_t count = window_plan(w, step)->access_count;

		if (window_plan(w, step)->changes_translation)
			m->constant_from = step + 1;
		for (uint32_t i = 0; i < count; i++)
			init_access(m, w, step, i);
	}
	if (s->behind.of_translation || s->behind.same_space_from > w->options.to)
		m->constant_from = w->step_count + 1;
	TRY(interval_map_init(&m->ranges, 4 * m->access_count + 4));
	return link_grow_words(m);
}

void link_trim(struct link_memory *m)
{
	struct link_entry *entries;

	free(m->queue);
	m->queue = NULL;
	m->queue_count = 0;
	m->queue_capacity = 0;
	if (m->entry_count == 0)
		return;
	entries = realloc(m->entries, m->entry_count * sizeof(*entries));
	if (!entries)
		return;
	m->entries = entries;
	m->entry_capacity = m->entry_count;
}

void link_fini(struct link_memory *m)
{
	free(m->accesses);
	free(m->barriers);
	free(m->barrier_words);
	free(m->entries);
	free(m->words);
	free(m->slots);
	free(m->reaches);
	free(m->queue);
	interval_map_fini(&m->ranges);
}

void link_step(struct solver *s, size_t step)
{
	struct link_memory *m = &s->memory;

	for (uint32_t i = window_access(&s->w, step); i < window_access(&s->w, step + 1); i++) {
		struct link_access *a = &m->accesses[i];

		if (a->index == ACCESS_KILL || s->has_conflict)
			continue;
		if ((a->state == ACCESS_OPEN || a->state == ACCESS_RANGE))
			look(s, i);
		/* Of entries nothing else can be new. */
		for (uint32_t e = a->placed.first;
		     a->state == ACCESS_PLACED && e < m->entry_count && m->entries[e].access == i &&
		     !s->has_conflict;
		     e++) {
			exchange_data(s, e);
			if (m->entries[e].mask == 0xff && !s->has_conflict)
				exchange_data_range(s, e);
		}
	}
	drain(s);
}
