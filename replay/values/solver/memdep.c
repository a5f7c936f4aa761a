/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses, their memory versions and the dependences between these; see memdep.h. */
#include "replay/values/solver/memdep.h"

#include "base/huge_pages.h"
#include "base/vec.h"
#include "replay/values/solver/memdep_clobber.h"

enum { ENTRIES_PER_POLL = 1024 };

static void enqueue(struct memdep_memory *m, uint32_t version)
{
	if (m->versions[version].is_queued)
		return;
	if (vec_reserve((void **)&m->queue, &m->queue_capacity, m->queue_count + 1,
	                sizeof(*m->queue)) != STATUS_OK) {
		m->status = STATUS_NO_MEM;
		return;
	}
	m->versions[version].is_queued = true;
	m->queue[m->queue_count++] = version;
}

/* Adds a fact to what a memory version has before or after it. */
static void learn(struct solver *s, uint32_t version, struct bits *side, struct bits fact)
{
	struct bits old = *side;

	if (!bits_learn(side, fact.value, fact.known)) {
		solve_disagree(s, s->memory.accesses[s->memory.versions[version].access].dyn,
		               &(struct provenance_conflict){
		                       .kind = CONFLICT_SIDE,
		                       .is_after = side == &s->memory.versions[version].after,
		                       .subject = version,
		                       .held = old,
		                       .fact = fact,
		               });
	} else if (side->known != old.known) {
		s->memory.versions[version].is_changed |=
		        side == &s->memory.versions[version].before;
		if (s->log)
			provenance_side(s->log, version, side == &s->memory.versions[version].after,
			                side->known);
		enqueue(&s->memory, version);
	}
}

static void stop_waiting(struct memdep_memory *m, uint32_t number)
{
	struct memory_version *e = &m->versions[number];

	if (e->waits_for == MEMDEP_NONE)
		return;
	if (e->wait_previous != MEMDEP_NONE)
		m->versions[e->wait_previous].wait_next = e->wait_next;
	else
		m->accesses[e->waits_for].waiting = e->wait_next;
	if (e->wait_next != MEMDEP_NONE)
		m->versions[e->wait_next].wait_previous = e->wait_previous;
	e->waits_for = MEMDEP_NONE;
}

static void wait_for(struct memdep_memory *m, uint32_t number, uint32_t access)
{
	struct memory_version *e = &m->versions[number];

	stop_waiting(m, number);
	e->waits_for = access;
	e->wait_previous = MEMDEP_NONE;
	e->wait_next = m->accesses[access].waiting;
	if (e->wait_next != MEMDEP_NONE)
		m->versions[e->wait_next].wait_previous = number;
	m->accesses[access].waiting = number;
}

/* Tries to link a memory version with what comes next in its granule. */
static void try_memdep(struct solver *s, uint32_t number)
{
	struct memdep_memory *m = &s->memory;
	struct memory_version *e = &m->versions[number];
	const struct memdep_granule *granule = &m->granules[e->granule];
	struct memory_version *next = e->next == MEMDEP_NONE ? NULL : &m->versions[e->next];
	uint32_t end = next ? next->access : (uint32_t)m->access_count;
	struct bits found = next ? next->before : granule->end;
	struct memdep_scan r;

	if (e->linked == 0xff || !memdep_is_own(s, granule, e->access, end))
		return;
	if (e->scanned > end)
		e->scanned = end;
	r = memdep_scan(s,
	                &(struct memdep_stretch){granule->address, e->access, e->scanned,
	                                         MEMDEP_NO_HYPOTHESIS},
	                found);
	e->scanned = r.clear;
	if (next)
		next->is_changed = false;
	if (r.blocker != MEMDEP_NONE)
		wait_for(m, number, r.blocker);
	else
		stop_waiting(m, number);
	if ((r.open & ~e->linked) == 0)
		return;
	e->linked |= r.open;
	enqueue(m, number);
}

/* Tries the dependences of the memory versions that have waited for an access. */
static void wake(struct solver *s, uint32_t access)
{
	struct memdep_memory *m = &s->memory;
	uint32_t number = m->accesses[access].waiting;

	/* Those that wait again for it are put in front. */
	m->accesses[access].waiting = MEMDEP_NONE;
	for (uint32_t e = number; e != MEMDEP_NONE; e = m->versions[e].wait_next)
		m->versions[e].waits_for = MEMDEP_NONE;
	while (number != MEMDEP_NONE) {
		uint32_t next = m->versions[number].wait_next;

		try_memdep(s, number);
		number = next;
	}
}

/* The instruction's side of a memory version. */
static void exchange_data(struct solver *s, uint32_t number)
{
	struct memory_version *e = &s->memory.versions[number];
	const struct memdep_access *a = &s->memory.accesses[e->access];
	uint64_t mask = memdep_spread(e->mask);
	unsigned int slot = SLOT_NONE;
	struct bits data;

	if (memdep_is_doubtful(s, e))
		return;
	if (a->placed.data == MEMDEP_NONE)
		slot = memdep_access_of(s, a)->data;
	data = a->placed.data == MEMDEP_NONE ? solve_slot(s, a->dyn, slot)
	                                     : s->ssa_values[a->placed.data];
	data = memdep_masked(memdep_to_granule(data, e->shift), mask);
	if ((((data.known ^ e->after.known) | (data.value ^ e->after.value)) & mask) == 0)
		return;
	solve_because(s, CAUSE_DATA, a->dyn, 0);
	learn(s, number, &e->after, data);
	data = memdep_to_granule(memdep_masked(e->after, mask), -e->shift);
	solve_because(s, CAUSE_ENTRY, a->dyn, number);
	if (a->placed.data == MEMDEP_NONE)
		solve_learn(s, a->dyn, slot, data);
	else
		solve_learn_ssa(s, a->dyn, a->placed.data, data);
}

/* Numbers of a memory version's ranges. */
static uint32_t range_before(uint32_t version)
{
	return 2 * version;
}

static uint32_t range_after(uint32_t version)
{
	return 2 * version + 1;
}

/* Keeps what a range of a memory version is less, if that is worth it. */
static void narrow_range(struct memdep_memory *m, uint32_t range, struct interval now)
{
	if (!interval_is_better(interval_map_get(&m->ranges, range), now))
		return;
	if (interval_map_put(&m->ranges, range, now) != STATUS_OK)
		m->status = STATUS_NO_MEM;
	enqueue(m, range / 2);
}

/* Both are the same value. */
static void exchange_ranges(struct memdep_memory *m, uint32_t a, uint32_t b)
{
	struct interval both;

	if (!interval_map_has(&m->ranges, a) && !interval_map_has(&m->ranges, b))
		return;
	both = interval_meet(interval_map_get(&m->ranges, a), interval_map_get(&m->ranges, b));
	narrow_range(m, a, both);
	narrow_range(m, b, both);
}

/* The instruction's side of a memory version that is a whole granule. */
static void exchange_data_range(struct solver *s, uint32_t number)
{
	struct memdep_memory *m = &s->memory;
	const struct memdep_access *a = &m->accesses[m->versions[number].access];
	uint32_t after = range_after(number);
	struct interval range = interval_map_get(&m->ranges, after);
	unsigned int slot;

	if (memdep_is_doubtful(s, &m->versions[number]))
		return;
	if (a->placed.data == MEMDEP_NONE || (!interval_map_has(&m->ranges, after) &&
	                                      !interval_map_has(&s->intervals, a->placed.data)))
		return;
	slot = memdep_access_of(s, a)->data;
	solve_because(s, CAUSE_ENTRY, a->dyn, number);
	narrow_range(m, after, interval_meet(range, solve_interval(s, a->dyn, slot)));
	solve_learn_interval(s, a->dyn, slot, interval_map_get(&m->ranges, after));
}

/* What update() does, for the ranges of granules that are read and written as a whole. */
static void update_ranges(struct solver *s, uint32_t number)
{
	struct memdep_memory *m = &s->memory;
	const struct memory_version *e = &m->versions[number];

	if (!e->is_store)
		exchange_ranges(m, range_before(number), range_after(number));
	if (e->mask == 0xff)
		exchange_data_range(s, number);
	if (e->previous != MEMDEP_NONE && m->versions[e->previous].linked == 0xff)
		exchange_ranges(m, range_after(e->previous), range_before(number));
	if (e->next != MEMDEP_NONE && e->linked == 0xff)
		exchange_ranges(m, range_after(number), range_before(e->next));
}

static void exchange(struct solver *s, uint32_t a, struct bits *after, uint32_t b,
                     struct bits *before, uint64_t mask)
{
	if ((((after->known ^ before->known) | (after->value ^ before->value)) & mask) == 0)
		return;
	solve_because(s, a == b ? CAUSE_KEPT : CAUSE_MEMDEP, 0, b);
	learn(s, a, after, memdep_masked(*before, mask));
	solve_because(s, a == b ? CAUSE_KEPT : CAUSE_MEMDEP, 0, a);
	if (!s->has_conflict)
		learn(s, b, before, memdep_masked(*after, mask));
}

static void update(struct solver *s, uint32_t number)
{
	struct memdep_memory *m = &s->memory;
	struct memory_version *e = &m->versions[number];
	uint64_t kept = e->is_store ? ~memdep_spread(e->mask) : UINT64_MAX;

	exchange(s, number, &e->before, number, &e->after, kept);
	if (!s->has_conflict)
		exchange_data(s, number);
	if (e->previous != MEMDEP_NONE && !s->has_conflict) {
		struct memory_version *p = &m->versions[e->previous];

		if (e->is_changed && p->linked != 0xff)
			try_memdep(s, e->previous);
		exchange(s, e->previous, &p->after, number, &e->before, memdep_spread(p->linked));
	}
	if (s->has_conflict)
		return;
	if (e->next != MEMDEP_NONE)
		exchange(s, number, &e->after, e->next, &m->versions[e->next].before,
		         memdep_spread(e->linked));
	else {
		solve_because(s, CAUSE_END, 0, 0);
		learn(s, number, &e->after,
		      memdep_masked(m->granules[e->granule].end, memdep_spread(e->linked)));
	}
	if (!s->has_conflict)
		update_ranges(s, number);
}

static void drain(struct solver *s)
{
	struct memdep_memory *m = &s->memory;

	while (m->queue_count > 0 && !s->has_conflict) {
		uint32_t number = m->queue[--m->queue_count];

		m->versions[number].is_queued = false;
		update(s, number);
	}
}

/* The store leaves what the access before it loaded or stored there: see memdep_scan(). */
static bool puts_back(const struct memdep_memory *m, const struct memory_version *before,
                      const struct memory_version *store)
{
	const struct memdep_access *of = &m->accesses[before->access];
	const struct memdep_access *a = &m->accesses[store->access];

	return before->shift == store->shift && of->size == a->size &&
	       a->placed.data != MEMDEP_NONE && of->placed.data == a->placed.data;
}

static void insert_version(struct solver *s, uint32_t number)
{
	struct memdep_memory *m = &s->memory;
	struct memory_version *e = &m->versions[number];
	struct memdep_granule *granule = &m->granules[e->granule];

	e->previous = memdep_find_place(m, granule, e->access);
	if (e->previous != MEMDEP_NONE) {
		struct memory_version *p = &m->versions[e->previous];

		e->next = p->next;
		e->linked = p->linked;
		e->scanned = p->scanned;
		p->next = number;
		if (p->scanned > e->access)
			p->scanned = e->access;
		/* It was proved that nothing wrote these bytes. */
		if (e->is_store && (p->linked & e->mask) != 0 && !puts_back(m, p, e))
			solve_disagree(s, m->accesses[e->access].dyn,
			               &(struct provenance_conflict){.kind = CONFLICT_STORE,
			                                             .subject = number});
	} else {
		e->next = granule->first;
		granule->first = number;
	}
	if (e->next != MEMDEP_NONE)
		m->versions[e->next].previous = number;
	else
		granule->last = number;
	if (e->scanned <= e->access)
		e->scanned = e->access + 1;
	granule->hint = number;
	enqueue(m, number);
	if (e->previous != MEMDEP_NONE)
		try_memdep(s, e->previous);
	try_memdep(s, number);
}

static enum status add_version(struct solver *s, uint32_t access, uint32_t granule, int shift,
                               uint8_t bytes, uint32_t *number)
{
	struct memdep_memory *m = &s->memory;
	const struct memdep_access *a = &m->accesses[access];
	struct memory_version e = {
	        .access = access,
	        .granule = granule,
	        .previous = MEMDEP_NONE,
	        .next = MEMDEP_NONE,
	        .waits_for = MEMDEP_NONE,
	        .scanned = MEMDEP_NONE,
	        .mask = bytes,
	        .shift = (int8_t)shift,
	        .is_store = a->kind == ACCESS_STORE,
	};

	TRY(vec_reserve((void **)&m->versions, &m->version_capacity, m->version_count + 1,
	                sizeof(*m->versions)));
	*number = (uint32_t)m->version_count;
	m->versions[m->version_count++] = e;
	return STATUS_OK;
}

/* From here on the granule is known to be one of a stack: what was placed there before may link. */
static void note_stack(struct solver *s, uint32_t number)
{
	struct memdep_memory *m = &s->memory;

	if (!s->stacks.is_assumed || m->granules[number].is_stack)
		return;
	m->granules[number].is_stack = true;
	for (uint32_t e = m->granules[number].first; e != MEMDEP_NONE; e = m->versions[e].next)
		try_memdep(s, e);
}

/* The part of an access that lies in one granule. */
static enum status place_in(struct solver *s, uint32_t access, uint64_t address, int shift)
{
	struct memdep_memory *m = &s->memory;
	struct memdep_access *a = &m->accesses[access];
	struct memdep_contents c;
	uint32_t version;
	uint32_t granule;
	uint8_t bytes =
	        memdep_overlap(address & ADDRESS_BITS,
	                       (address + (uint64_t)(int64_t)shift) & ADDRESS_BITS, a->size);

	TRY(memdep_granule_of(s, address, &granule));
	c = m->granules[granule].contents;
	if (a->kind == ACCESS_STORE && ((c.constant | c.code) & bytes) != 0 &&
	    m->modified_code <= a->dyn)
		m->modified_code = (size_t)a->dyn + 1;
	if (a->kind == ACCESS_LOAD && memdep_is_constant(m, a->dyn, address)) {
		struct bits data = memdep_masked(c.value, memdep_spread(c.constant & bytes));

		solve_because(s, CAUSE_CONSTANT, a->dyn, access);
		solve_learn(
		        s, a->dyn, memdep_access_of(s, a)->data,
		        memdep_masked(memdep_to_granule(data, -shift), bits_mask(8u * a->size)));
	}
	/* Where a dump ends within it, the rest of it may be a device. */
	bytes &= memdep_known_bytes(c.value);
	if ((!m->is_linked && !s->stacks.is_assumed && !s->others) || bytes == 0)
		return STATUS_OK;
	if (memdep_access_of(s, a)->address == REG_SP)
		note_stack(s, granule);
	TRY(add_version(s, access, granule, shift, bytes, &version));
	a->state = ACCESS_PLACED;
	if (a->placed.first == MEMDEP_NONE)
		a->placed.first = version;
	insert_version(s, version);
	return STATUS_OK;
}

/* An access whose address has become known. */
static void place(struct solver *s, uint32_t access)
{
	struct memdep_access *a = &s->memory.accesses[access];
	uint64_t address = memdep_canonical(a->address.value);
	uint64_t first = address & ~UINT64_C(7);
	int shift = (int)(address - first);

	a->state = ACCESS_UNLINKED;
	a->placed.first = MEMDEP_NONE;
	a->placed.data = solve_ssa_of(s, a->dyn, memdep_access_of(s, a)->data);
	if (place_in(s, access, first, shift) != STATUS_OK ||
	    (shift + a->size > 8 && place_in(s, access, first + 8, shift - 8) != STATUS_OK))
		s->memory.status = STATUS_NO_MEM;
}

void memdep_suppose(struct solver *s)
{
	struct memdep_memory *m = &s->memory;

	/* The last one first: what is linked after a store has no other store between. */
	for (uint32_t i = (uint32_t)m->access_count; s->supposed && i-- > 0 && !s->has_conflict;) {
		if (!memdep_is_supposed(s, i))
			continue;
		m->accesses[i].address = (struct bits){supposed_of(s, i), ADDRESS_BITS};
		place(s, i);
	}
}

struct bits memdep_address_of(const struct uop_access *access, struct bits base, bool is_32bit)
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
	sum = memdep_masked(sum, mask);
	sum.known |= ADDRESS_BITS & ~mask;
	return sum;
}

struct bits memdep_address(const struct solver *s, const struct memdep_access *a)
{
	const struct uop_access *access;
	struct bits base;

	if (a->index == ACCESS_KILL)
		return (struct bits){0, 0};
	access = memdep_access_of(s, a);
	base = solve_slot(s, a->dyn, access->address);
	if (base.known == 0)
		return (struct bits){0, 0};
	return memdep_address_of(access, base, memdep_is_32bit(s, a));
}

/* Where an access goes as far as known, or as it is supposed. */
static struct bits address_of(const struct solver *s, uint32_t access)
{
	uint64_t supposed = supposed_of(s, access);

	if (supposed < SUPPOSED_SPARES)
		return (struct bits){supposed, ADDRESS_BITS};
	return memdep_address(s, &s->memory.accesses[access]);
}

bool memdep_may_be_written(const struct solver *s, struct bits address)
{
	struct memdep_granule granule;
	uint8_t byte = (uint8_t)(1u << (address.value & 7));

	if ((~address.known & ADDRESS_BITS) != 0)
		return true;
	granule = memdep_known_granule(s, memdep_canonical(address.value) & ~UINT64_C(7));
	return ((granule.contents.constant | granule.contents.code) & byte) == 0 &&
	       (memdep_known_bytes(granule.contents.value) & byte) != 0;
}

/* What an access was made by is a whole address, where the top byte counts. */
static void learn_top_byte(struct solver *s, const struct memdep_access *a)
{
	const struct uop_access *what = memdep_access_of(s, a);
	struct bits base = solve_slot(s, a->dyn, what->address);
	uint64_t offset = (uint64_t)(int64_t)what->offset;
	uint64_t address = memdep_canonical(base.value + offset);

	if (what->when != SLOT_NONE || what->align > 0 || memdep_is_32bit(s, a) ||
	    (~base.known & ADDRESS_BITS) != 0 || base.known == UINT64_MAX ||
	    !top_byte_counts(s, a->dyn, address))
		return;
	solve_because(s, CAUSE_TOP_BYTE, a->dyn, 0);
	solve_learn(s, a->dyn, what->address, (struct bits){address - offset, UINT64_MAX});
}

/* Looks at where an access of unknown place goes by now. */
static void examine(struct solver *s, uint32_t access)
{
	struct memdep_memory *m = &s->memory;
	struct memdep_access *a = &m->accesses[access];
	const struct uop_access *what = memdep_access_of(s, a);
	struct bits happens = bits_of(1);
	bool is_known;

	if (what->when != SLOT_NONE)
		happens = solve_slot(s, a->dyn, what->when);
	a->address = address_of(s, access);
	is_known = (happens.known & 1) != 0;
	/* What is no guess is none. */
	if (supposed_of(s, access) == SUPPOSED_SPARES && !memdep_may_be_written(s, a->address))
		a->address = (struct bits){0, 0};
	if (is_known && what->when != SLOT_NONE &&
	    (happens.value & 1) != (what->when_value ? 1 : 0))
		a->state = ACCESS_ABSENT;
	else if (is_known && (~a->address.known & ADDRESS_BITS) == 0)
		a->state = a->kind == ACCESS_CLOBBER ? ACCESS_RANGE : ACCESS_PLACED;
	/* It is supposed to hit nothing: its address is what is asked for. */
	if (a->state == ACCESS_PLACED && supposed_of(s, access) == SUPPOSED_NOWHERE)
		a->state = ACCESS_UNLINKED;
	if (a->state == ACCESS_ABSENT || a->state == ACCESS_PLACED)
		memdep_clobber_clear(m, access);
	if (a->state == ACCESS_PLACED) {
		learn_top_byte(s, a);
		place(s, access);
	}
}

static void look(struct solver *s, uint32_t access)
{
	examine(s, access);
	if (s->memory.accesses[access].waiting != MEMDEP_NONE)
		wake(s, access);
}

void memdep_suppose_more(struct solver *s)
{
	struct memdep_memory *m = &s->memory;

	m->points_to_work = 0;
	for (uint32_t i = (uint32_t)m->access_count; i-- > 0 && !s->has_conflict;) {
		m->accesses[i].tries = 0;
		if (m->accesses[i].state != ACCESS_OPEN || supposed_of(s, i) == SUPPOSED_NOT)
			continue;
		if (supposed_of(s, i) == SUPPOSED_NOWHERE)
			memdep_clobber_clear(m, i);
		examine(s, i);
	}
	/* When all have their places: what waits for one does not wait for the next, then. */
	for (uint32_t i = (uint32_t)m->access_count; i-- > 0 && !s->has_conflict;) {
		if (supposed_of(s, i) != SUPPOSED_NOT && m->accesses[i].waiting != MEMDEP_NONE)
			wake(s, i);
	}
	drain(s);
}

void memdep_retry(struct solver *s)
{
	struct memdep_memory *m = &s->memory;

	for (uint32_t i = 0; i < m->version_count && !s->has_conflict; i++) {
		if (i % ENTRIES_PER_POLL == 0 && interrupt_has_come(s->w.options.interrupt))
			return;
		try_memdep(s, i);
	}
	drain(s);
	/* The last stores first: what is found after them is best known. */
	for (size_t i = m->access_count; i-- > 0 && !s->has_conflict;) {
		if (m->accesses[i].waiting == MEMDEP_NONE)
			continue;
		if (interrupt_has_come(s->w.options.interrupt))
			return;
		if (!points_to_find(s, (uint32_t)i))
			continue;
		wake(s, (uint32_t)i);
		drain(s);
	}
}

void memdep_dyn(struct solver *s, size_t dyn)
{
	struct memdep_memory *m = &s->memory;

	for (uint32_t i = window_access(&s->w, dyn); i < window_access(&s->w, dyn + 1); i++) {
		struct memdep_access *a = &m->accesses[i];

		if (a->index == ACCESS_KILL || s->has_conflict)
			continue;
		if ((a->state == ACCESS_OPEN || a->state == ACCESS_RANGE))
			look(s, i);
		/* Of memory versions nothing else can be new. */
		for (uint32_t e = a->placed.first;
		     a->state == ACCESS_PLACED && e < m->version_count &&
		     m->versions[e].access == i && !s->has_conflict;
		     e++) {
			exchange_data(s, e);
			if (m->versions[e].mask == 0xff && !s->has_conflict)
				exchange_data_range(s, e);
		}
	}
	drain(s);
}

static void init_access(struct solver *s, size_t dyn, uint32_t index)
{
	struct memdep_memory *m = &s->memory;
	const struct window *w = &s->w;
	const struct template *template = window_template(w, dyn);
	const struct uop_access *from = template->insn->accesses;
	size_t number = window_access(w, dyn) + index;
	struct memdep_access a = {
	        .dyn = (uint32_t)dyn,
	        .index = template->kills_memory ? ACCESS_KILL : (uint8_t)index,
	        .kind = template->kills_memory ? ACCESS_CLOBBER : from[index].kind,
	        .size = template->kills_memory ? 0 : from[index].size,
	        .waiting = MEMDEP_NONE,
	        .reach = MEMDEP_NONE,
	};

	m->accesses[number] = a;
	if (a.kind != ACCESS_LOAD && supposed_of(s, (uint32_t)number) != SUPPOSED_NOWHERE &&
	    !memdep_is_supposed(s, (uint32_t)number))
		memdep_clobber_set(m, number);
}

enum status memdep_init(struct solver *s, bool single_writer, bool own_dumps)
{
	struct memdep_memory *m = &s->memory;
	const struct window *w = &s->w;

	*m = (struct memdep_memory){.map = history_memory(w->history),
	                            .is_linked = single_writer,
	                            .takes_own = own_dumps};
	m->view = memmap_view_at_halt(m->map, history_view(w->history, w->options.to));
	m->access_count = w->access_count;
	m->accesses = huge_pages_malloc((m->access_count + 1) * sizeof(*m->accesses));
	m->clobbers = calloc(m->access_count / 64 + 64, sizeof(*m->clobbers));
	m->clobber_granules = calloc(m->access_count / 4096 + 2, sizeof(*m->clobber_granules));
	if (!m->accesses || !m->clobbers || !m->clobber_granules)
		return STATUS_NO_MEM;
	for (size_t dyn = 0; dyn < w->dyn_count; dyn++) {
		uint32_t count = window_template(w, dyn)->access_count;

		if (window_template(w, dyn)->changes_translation) {
			m->constant_from = dyn + 1;
			if (!memdep_spares_kernel(s, dyn))
				m->kernel_constant_from = dyn + 1;
		}
		for (uint32_t i = 0; i < count; i++)
			init_access(s, dyn, i);
	}
	if (s->after.of_translation || s->after.same_space_from > w->options.to)
		m->constant_from = w->dyn_count + 1;
	if (code_changes_kernel(&s->after, w->options.kernel_private) ||
	    s->after.same_kernel_from > w->options.to)
		m->kernel_constant_from = w->dyn_count + 1;
	TRY(interval_map_init(&m->ranges, 4 * m->access_count + 4));
	return memdep_grow_granules(m);
}

void memdep_trim(struct memdep_memory *m)
{
	struct memory_version *versions;

	free(m->queue);
	m->queue = NULL;
	m->queue_count = 0;
	m->queue_capacity = 0;
	if (m->version_count == 0)
		return;
	versions = realloc(m->versions, m->version_count * sizeof(*versions));
	if (!versions)
		return;
	m->versions = versions;
	m->version_capacity = m->version_count;
}

void memdep_fini(struct memdep_memory *m)
{
	free(m->accesses);
	free(m->clobbers);
	free(m->clobber_granules);
	free(m->versions);
	free(m->granules);
	free(m->slots);
	free(m->points_to_sets);
	free(m->queue);
	interval_map_fini(&m->ranges);
}
