/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Granule by granule, backward, as memory dependences are found (memdep.h): what is found after a
 * store says whether it may have been there, until another one may have covered it. See
 * possible_write.h.
 */
#include "replay/values/possible_write.h"

enum { ACCESSES_PER_POLL = 1024 };

/* A granule between two of its memory versions, on the way back. */
struct lane {
	struct memdep_granule granule;
	uint8_t bytes;     /* of the target */
	uint32_t before;   /* the memory version at the start, or MEMDEP_NONE */
	uint8_t open;      /* bytes that nothing may have written from here to the next version */
	struct bits found; /* in these after what comes next */
};

static uint32_t version_after(const struct memdep_memory *m, const struct lane *lane)
{
	return lane->before == MEMDEP_NONE ? lane->granule.first : m->versions[lane->before].next;
}

static void close_bytes(struct lane *lane, uint8_t open)
{
	lane->open &= open;
	lane->found = memdep_masked(lane->found, memdep_spread(lane->open));
}

static struct memdep_stretch stretch_of(const struct lane *lane, uint32_t begin, uint32_t end)
{
	return (struct memdep_stretch){
	        .granule = lane->granule.address,
	        .first = begin == 0 ? MEMDEP_NONE : begin - 1,
	        .end = end,
	        .hypothesis = MEMDEP_NO_HYPOTHESIS,
	};
}

/* Goes to before access `at`, which lies after the version `before`. */
static void enter(const struct solver *s, struct lane *lane, uint32_t before, uint32_t at)
{
	const struct memdep_memory *m = &s->memory;
	struct memdep_stretch in;
	uint32_t next;

	lane->before = before;
	next = version_after(m, lane);
	lane->open = 0xff;
	lane->found = (struct bits){0, 0};
	if (next != MEMDEP_NONE)
		lane->found = m->versions[next].before;
	else if (m->is_linked) /* else another writer may have covered what it left */
		lane->found = lane->granule.end;
	in = stretch_of(lane, at,
	                next == MEMDEP_NONE ? (uint32_t)m->access_count : m->versions[next].access);
	close_bytes(lane, memdep_scan(s, &in, lane->found).open);
}

/* Passes the access, which comes after the version `before`; true if it may have written. */
static bool pass(const struct solver *s, struct lane *lane, uint32_t access)
{
	const struct memdep_memory *m = &s->memory;
	const struct memdep_stretch in = stretch_of(lane, access, access + 1);
	uint8_t bytes = lane->bytes;

	close_bytes(lane, memdep_scan(s, &in, lane->found).open);
	bytes &= (uint8_t)~lane->open;
	if (lane->before != MEMDEP_NONE)
		bytes &= (uint8_t)~m->versions[lane->before].linked;
	return bytes != 0 &&
	       memdep_may_touch(s, &m->accesses[access], lane->granule.address, bytes);
}

/* It is proved that nothing wrote the bytes between this version and the next. */
static bool is_linked(const struct memdep_memory *m, uint32_t version, uint8_t bytes)
{
	return version != MEMDEP_NONE && (bytes & ~m->versions[version].linked) == 0;
}

static bool search(const struct solver *s, struct lane *lane, struct access_stretch in,
                   uint64_t *marks)
{
	const struct memdep_memory *m = &s->memory;
	uint32_t before = MEMDEP_NONE;
	uint32_t at = in.end;
	bool has_entered = false;

	if (at > 0)
		before = memdep_find_place(m, &lane->granule, at);
	for (uint32_t i = 1; at > 0; i++) {
		at = memdep_clobber_before(m, at);
		if (at == MEMDEP_NONE || at < in.begin)
			break;
		while (before != MEMDEP_NONE && m->versions[before].access > at)
			before = m->versions[before].previous;
		if (is_linked(m, before, lane->bytes)) {
			at = m->versions[before].access;
			continue;
		}
		if (!has_entered || before != lane->before)
			enter(s, lane, before, at + 1);
		has_entered = true;
		if (pass(s, lane, at))
			marks[(at - in.begin) / 64] |= UINT64_C(1) << (at - in.begin) % 64;
		if (i % ACCESSES_PER_POLL == 0 && interrupt_has_come(s->w.options.interrupt))
			return false;
	}
	return true;
}

bool possible_writes(const struct solver *s, const struct values_target *target,
                     struct access_stretch in, uint64_t *marks)
{
	uint64_t last = target->address + target->size - 1;

	if (memdep_clobber_before(&s->memory, in.end) == MEMDEP_NONE)
		return true;
	for (uint64_t at = target->address & ~UINT64_C(7); at <= last; at += 8) {
		struct lane lane = {
		        .granule = memdep_known_granule(s, at),
		        .bytes = memdep_overlap(at, target->address, target->size),
		};

		if (!search(s, &lane, in, marks) || interrupt_has_come(s->w.options.interrupt))
			return false;
		if (at > UINT64_MAX - 8)
			break;
	}
	return true;
}

bool possible_read(const struct solver *s, const struct memdep_access *load,
                   const struct values_target *target)
{
	uint64_t last = target->address + target->size - 1;

	for (uint64_t at = target->address & ~UINT64_C(7); at <= last; at += 8) {
		if (memdep_may_touch(s, load, at,
		                     memdep_overlap(at, target->address, target->size)))
			return true;
		if (at > UINT64_MAX - 8)
			break;
	}
	return false;
}
