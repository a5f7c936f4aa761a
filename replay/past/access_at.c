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

bool past_access_at(struct values *values, uint64_t position, const struct values_target *target,
                    bool is_possible, struct past_place *place, uint32_t *access)
{
	const struct window *w;
	size_t end;

	if (!past_window_at(values, position, place))
		return false;
	w = past_dyns(&place->window);
	end = position < w->options.to ? window_dyn_of(w, position + 1) : w->dyn_count;
	for (uint32_t i = window_access(w, end); i-- > window_access(w, place->dyn);) {
		const struct memdep_access *a = &place->window.proved->memory.accesses[i];

		if (!is_asked(place, a, target, is_possible))
			continue;
		place->dyn = a->dyn;
		*access = i;
		return true;
	}
	return false;
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
