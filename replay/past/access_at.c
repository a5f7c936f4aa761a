/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses of one instruction; see access_at.h. */
#include "replay/past/access_at.h"

bool past_access_is_write(const struct memdep_access *a)
{
	return a->kind != ACCESS_LOAD || a->index == ACCESS_KILL;
}

bool past_access_is_placed(const struct memdep_access *a)
{
	return a->state == ACCESS_PLACED || a->state == ACCESS_UNLINKED;
}

bool past_access_is_open_write(const struct memdep_access *a)
{
	return past_access_is_write(a) && a->state != ACCESS_ABSENT && !past_access_is_placed(a);
}

static bool overlaps(const struct solver *s, const struct memdep_access *a, uint64_t address,
                     uint64_t size)
{
	uint64_t start = memdep_canonical(memdep_address(s, a).value);

	return start - address < size || address - start < a->size;
}

static bool is_asked(const struct past_place *place, const struct memdep_access *a,
                     const struct values_target *target, bool is_possible)
{
	if (a->state == ACCESS_ABSENT ||
	    !(past_access_is_write(a) ? target->writes : target->reads))
		return false;
	if (is_possible)
		return !past_access_is_placed(a);
	return past_access_is_placed(a) &&
	       overlaps(place->window.proved, a, target->address, target->size);
}

bool past_access_is_decided(const struct past_place *place, uint32_t access, uint64_t address,
                            uint64_t size, bool *is_there)
{
	const struct solver *assumed = place->window.assumed;
	const struct memdep_access *a;

	if (!assumed)
		return false;
	a = &assumed->memory.accesses[access];
	*is_there = past_access_is_placed(a) && overlaps(assumed, a, address, size);
	return past_access_is_placed(a) || a->state == ACCESS_ABSENT;
}

/* How much an access of an instruction says of the bytes: the first of them say most. */
enum choice {
	CHOICE_NONE,
	CHOICE_ELSEWHERE,
	CHOICE_OPEN,
	CHOICE_OVERLAPS,
	CHOICE_HAS_FIRST, /* of the bytes asked for */
};

static enum choice choice_of(const struct past_place *place, uint32_t access,
                             const struct values_target *target, bool is_possible)
{
	const struct solver *s = is_possible ? place->window.assumed : place->window.proved;
	bool is_there = true;

	if (is_possible &&
	    !past_access_is_decided(place, access, target->address, target->size, &is_there))
		return CHOICE_OPEN;
	if (!is_there)
		return CHOICE_ELSEWHERE;
	return overlaps(s, &s->memory.accesses[access], target->address, 1) ? CHOICE_HAS_FIRST
	                                                                    : CHOICE_OVERLAPS;
}

bool past_access_at(struct values *values, uint64_t position, const struct values_target *target,
                    bool is_possible, struct past_place *place, uint32_t *access)
{
	enum choice best = CHOICE_NONE;
	const struct window *w;
	size_t end;

	if (!past_window_at(values, position, place))
		return false;
	w = past_dyns(&place->window);
	end = position < w->options.to ? window_dyn_of(w, position + 1) : w->dyn_count;
	for (uint32_t i = window_access(w, end), first = window_access(w, place->dyn);
	     i-- > first;) {
		const struct memdep_access *a = &place->window.proved->memory.accesses[i];
		enum choice choice = CHOICE_NONE;

		if (is_asked(place, a, target, is_possible))
			choice = choice_of(place, i, target, is_possible);
		if (choice <= best)
			continue;
		best = choice;
		*access = i;
	}
	if (best != CHOICE_NONE)
		place->dyn = place->window.proved->memory.accesses[*access].dyn;
	return best != CHOICE_NONE;
}

bool past_access_is_only(const struct past_place *place, uint32_t access)
{
	const struct window *w = past_dyns(&place->window);
	uint32_t first = window_access(w, place->dyn);
	uint32_t end = window_access(w, place->dyn + 1);

	for (uint32_t i = first; i < end; i++) {
		if (i != access &&
		    past_access_is_open_write(&place->window.proved->memory.accesses[i]))
			return false;
	}
	return true;
}
