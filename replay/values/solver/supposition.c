/* SPDX-License-Identifier: Apache-2.0 */
/* Suppositions on accesses; see supposition.h. */
#include "replay/values/solver/supposition.h"

#include <stdlib.h>

#include "replay/values/solver/solver.h"

void suppositions_fini(struct suppositions *supposed)
{
	free(supposed->of);
	*supposed = (struct suppositions){NULL, 0};
}

uint64_t supposed_of(const struct solver *s, uint32_t access)
{
	size_t back = s->memory.access_count - 1 - access;

	return s->supposed && back < s->supposed->count ? s->supposed->of[back] : SUPPOSED_NOT;
}
