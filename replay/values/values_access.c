/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses of solved windows, in order; see values_access.h. */
#include "replay/values/values_access.h"

#include "replay/values/solver/solver.h"

/* A window, and the accesses in it that belong to a range. */
struct part {
	const struct solver *solver; /* NULL: nothing is known there */
	uint64_t first;              /* positions */
	uint64_t last;
	uint32_t begin; /* accesses */
	uint32_t end;
};

enum verdict {
	VERDICT_NO,
	VERDICT_PERHAPS,
	VERDICT_YES,
};

/* What the window that has the first or the last position of the range holds of it. */
static struct part next_part(struct values *values, const struct values_range *range)
{
	uint64_t at = range->forward ? range->first : range->last - 1;
	const struct solver *s = values_solved(values, at);
	struct part p = {.first = range->first, .last = range->last};
	const struct window_options *w;

	if (!s || s->has_conflict || at < s->w.options.from || at >= s->w.options.to)
		return p;
	w = &s->w.options;
	if (p.first < w->from)
		p.first = w->from;
	if (p.last > w->to)
		p.last = w->to;
	p.solver = s;
	/* What lies between two instructions is part of the one before. */
	p.begin = p.first == w->from ? 0 : window_access(&s->w, window_step_of(&s->w, p.first));
	p.end = window_access(&s->w,
	                      p.last == w->to ? s->w.step_count : window_step_of(&s->w, p.last));
	return p;
}

/* Takes the part from the range; false if that was the rest. */
static bool pass(struct values_range *range, const struct part *p)
{
	if (range->forward)
		range->first = p->last;
	else
		range->last = p->first;
	return range->first < range->last;
}

static uint64_t position_of(const struct solver *s, const struct memdep_access *a)
{
	uint64_t position = window_position_of(&s->w, a->step);

	return window_template(&s->w, a->step)->is_code || position == s->w.options.from
	               ? position
	               : position - 1;
}

/* False if it is proved that the access has not written the bytes. */
static bool may_write(const struct solver *s, uint32_t number, const struct values_target *target)
{
	const struct memdep_memory *m = &s->memory;
	uint64_t last = target->address + target->size - 1;

	for (uint64_t at = target->address & ~UINT64_C(7); at <= last; at += 8) {
		struct memdep_granule granule = memdep_known_granule(s, at);
		uint32_t before = memdep_find_place(m, &granule, number);
		uint32_t next = before == MEMDEP_NONE ? granule.first : m->versions[before].next;
		bool is_last = next == MEMDEP_NONE;
		uint8_t bytes = memdep_overlap(at, target->address, target->size);
		const struct memdep_stretch in = {
		        .granule = at,
		        .first = number == 0 ? MEMDEP_NONE : number - 1,
		        .end = is_last ? (uint32_t)m->access_count : m->versions[next].access,
		        .hypothesis = MEMDEP_NO_HYPOTHESIS,
		};
		/* Another writer may have covered what it left. */
		struct bits found = m->is_linked && is_last ? granule.end : (struct bits){0, 0};
		struct memdep_scan r =
		        memdep_scan(s, &in, is_last ? found : m->versions[next].before);

		if (before != MEMDEP_NONE && (bytes & ~m->versions[before].linked) == 0)
			continue;
		if ((bytes & ~r.open) != 0 && memdep_may_touch(s, &m->accesses[number], at, bytes))
			return true;
		if (at > UINT64_MAX - 8)
			break;
	}
	return false;
}

static bool may_read(const struct solver *s, const struct memdep_access *a,
                     const struct values_target *target)
{
	uint64_t last = target->address + target->size - 1;

	for (uint64_t at = target->address & ~UINT64_C(7); at <= last; at += 8) {
		if (memdep_may_touch(s, a, at, memdep_overlap(at, target->address, target->size)))
			return true;
		if (at > UINT64_MAX - 8)
			break;
	}
	return false;
}

static bool overlaps(const struct solver *s, const struct memdep_access *a,
                     const struct values_target *target, uint64_t *first)
{
	uint64_t address = (uint64_t)((int64_t)(memdep_address(s, a).value << 8) >> 8);

	*first = address < target->address ? target->address : address;
	return *first - target->address < target->size && *first - address < a->size;
}

static bool is_placed(const struct memdep_access *a)
{
	return a->state == ACCESS_PLACED || a->state == ACCESS_UNLINKED;
}

static enum verdict judge(const struct solver *s, uint32_t number,
                          const struct values_target *target, uint64_t *first)
{
	const struct memdep_access *a = &s->memory.accesses[number];
	bool is_load = a->kind == ACCESS_LOAD && a->index != ACCESS_KILL;

	if (a->state == ACCESS_ABSENT || (is_load ? !target->reads : !target->writes))
		return VERDICT_NO;
	if (is_placed(a))
		return overlaps(s, a, target, first) ? VERDICT_YES : VERDICT_NO;
	if (is_load ? may_read(s, a, target) : may_write(s, number, target))
		return VERDICT_PERHAPS;
	return VERDICT_NO;
}

bool values_find_access(struct values *values, const struct values_range *range,
                        const struct values_target *target, struct values_access *access)
{
	struct values_range rest = *range;
	struct part p;

	if (rest.first >= rest.last)
		return false;
	do {
		p = next_part(values, &rest);
		if (!p.solver)
			return false;
		for (uint32_t i = 0; i < p.end - p.begin; i++) {
			uint32_t number = range->forward ? p.begin + i : p.end - 1 - i;
			const struct memdep_access *a = &p.solver->memory.accesses[number];

			if (!is_placed(a) ||
			    judge(p.solver, number, target, &access->address) != VERDICT_YES)
				continue;
			access->position = position_of(p.solver, a);
			return true;
		}
	} while (pass(&rest, &p));
	return false;
}

void values_find_may_alias(struct values *values, const struct values_range *range,
                           const struct values_target *target, struct values_may_alias *doubt)
{
	struct values_range rest = *range;
	struct part p;

	*doubt = (struct values_may_alias){0};
	if (rest.first >= rest.last)
		return;
	do {
		p = next_part(values, &rest);
		if (!p.solver) {
			doubt->blind_first = rest.first;
			doubt->blind_last = rest.last;
			return;
		}
		for (uint32_t i = 0; i < p.end - p.begin; i++) {
			uint32_t number = range->forward ? p.begin + i : p.end - 1 - i;
			const struct memdep_access *a = &p.solver->memory.accesses[number];
			uint64_t first;

			if (is_placed(a) ||
			    judge(p.solver, number, target, &first) != VERDICT_PERHAPS)
				continue;
			if (doubt->count++ == 0)
				doubt->position = position_of(p.solver, a);
		}
	} while (pass(&rest, &p));
}
