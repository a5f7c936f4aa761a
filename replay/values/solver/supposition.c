/* SPDX-License-Identifier: Apache-2.0 */
/* Suppositions on accesses; see supposition.h. */
#include "replay/values/solver/supposition.h"

#include <stdlib.h>

#include "replay/values/solver/solver.h"

void suppositions_fini(struct suppositions *supposed)
{
	free(supposed->of);
	*supposed = (struct suppositions){0};
}

uint64_t supposed_of(const struct solver *s, uint32_t access)
{
	size_t back = s->memory.access_count - 1 - access;

	return s->supposed && back < s->supposed->count ? s->supposed->of[back] : SUPPOSED_NOT;
}

bool supposed_spares(const struct solver *s, uint32_t access, uint64_t granule)
{
	size_t from = 0;
	size_t to;

	if (supposed_of(s, access) != SUPPOSED_SPARES)
		return false;
	to = s->supposed->spared_count;
	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (s->supposed->spared[middle] < granule)
			from = middle + 1;
		else
			to = middle;
	}
	return from < s->supposed->spared_count && s->supposed->spared[from] == granule;
}
