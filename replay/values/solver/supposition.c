/* SPDX-License-Identifier: Apache-2.0 */
/* Suppositions on accesses; see supposition.h. */
#include "replay/values/solver/supposition.h"

#include <stdlib.h>

#include "replay/values/solver/solver.h"

void suppositions_fini(struct suppositions *supposed)
{
	free(supposed->of);
	free(supposed->spared);
	free(supposed->hits);
	*supposed = (struct suppositions){0};
}

static uint64_t raw_of(const struct solver *s, uint32_t access)
{
	size_t back = s->memory.access_count - 1 - access;

	return s->supposed && back < s->supposed->count ? s->supposed->of[back] : SUPPOSED_NOT;
}

uint64_t supposed_of(const struct solver *s, uint32_t access)
{
	uint64_t raw = raw_of(s, access);

	return raw < SUPPOSED_SPARES ? raw & ~SUPPOSED_DOUBTFUL : raw;
}

bool supposed_is_doubtful(const struct solver *s, uint32_t access)
{
	uint64_t raw = raw_of(s, access);

	return raw < SUPPOSED_SPARES && (raw & SUPPOSED_DOUBTFUL) != 0;
}

static int compare_granules(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left;
	uint64_t b = *(const uint64_t *)right;

	return a == b ? 0 : a < b ? -1 : 1;
}

static int compare_hits(const void *left, const void *right)
{
	const struct supposed_hit *a = left;
	const struct supposed_hit *b = right;
	int of_granules = compare_granules(&a->granule, &b->granule);

	return of_granules != 0 ? of_granules : a->pc == b->pc ? 0 : a->pc < b->pc ? -1 : 1;
}

/* The number of the first hit that is not before this one. */
static size_t first_hit(const struct suppositions *supposed, struct supposed_hit hit)
{
	size_t low = 0;
	size_t high = supposed->hit_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_hits(&supposed->hits[middle], &hit) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void look_up(const struct suppositions *supposed, struct supposed_granule *granule)
{
	size_t first;

	granule->is_looked_up = true;
	granule->is_spared = supposed->spared_count > 0 &&
	                     bsearch(&granule->address, supposed->spared, supposed->spared_count,
	                             sizeof(granule->address), compare_granules);
	if (!granule->is_spared || supposed->hit_count == 0)
		return;
	first = first_hit(supposed, (struct supposed_hit){0, granule->address});
	granule->hits = supposed->hits + first;
	granule->hit_count =
	        first_hit(supposed, (struct supposed_hit){UINT64_MAX, granule->address}) - first;
}

bool supposed_spares(const struct solver *s, uint32_t access, struct supposed_granule *granule)
{
	struct supposed_hit hit = {.granule = granule->address};

	if (supposed_of(s, access) != SUPPOSED_SPARES)
		return false;
	if (!granule->is_looked_up)
		look_up(s->supposed, granule);
	if (!granule->is_spared || granule->hit_count == 0)
		return granule->is_spared;
	hit.pc = window_template(&s->w, s->memory.accesses[access].dyn)->address;
	return !bsearch(&hit, granule->hits, granule->hit_count, sizeof(hit), compare_hits);
}

enum status suppositions_spare(struct suppositions *supposed, const struct solver *s)
{
	const struct memdep_memory *m = &s->memory;

	free(supposed->spared);
	supposed->spared = calloc(m->granule_count + 1, sizeof(*supposed->spared));
	supposed->spared_count = 0;
	if (!supposed->spared)
		return STATUS_NO_MEM;
	for (size_t i = 0; i < m->granule_count; i++) {
		if (m->granules[i].first != MEMDEP_NONE)
			supposed->spared[supposed->spared_count++] = m->granules[i].address;
	}
	qsort(supposed->spared, supposed->spared_count, sizeof(*supposed->spared),
	      compare_granules);
	return STATUS_OK;
}

enum status suppositions_note_hits(struct suppositions *supposed, const struct solver *s)
{
	const struct memdep_memory *m = &s->memory;
	size_t kept = 0;

	free(supposed->hits);
	supposed->hits = calloc(m->version_count + 1, sizeof(*supposed->hits));
	supposed->hit_count = 0;
	if (!supposed->hits)
		return STATUS_NO_MEM;
	for (size_t i = 0; i < m->version_count; i++) {
		const struct memory_version *version = &m->versions[i];
		size_t dyn = m->accesses[version->access].dyn;

		if (version->is_store)
			supposed->hits[supposed->hit_count++] = (struct supposed_hit){
			        .pc = window_template(&s->w, dyn)->address,
			        .granule = m->granules[version->granule].address,
			};
	}
	qsort(supposed->hits, supposed->hit_count, sizeof(*supposed->hits), compare_hits);
	for (size_t i = 0; i < supposed->hit_count; i++) {
		if (kept == 0 || compare_hits(&supposed->hits[kept - 1], &supposed->hits[i]) != 0)
			supposed->hits[kept++] = supposed->hits[i];
	}
	supposed->hit_count = kept;
	return STATUS_OK;
}
