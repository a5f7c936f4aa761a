/* SPDX-License-Identifier: Apache-2.0 */
/* The log of what was learned; see provenance.h. */
#include "replay/values/solver/provenance.h"

#include <stdlib.h>

#include "base/huge_pages.h"
#include "base/vec.h"

enum { FACTS_MOST = 1 << 24 };

enum status provenance_begin(struct provenance *d, size_t ssa_count)
{
	provenance_fini(d);
	*d = (struct provenance){.ssa_count = ssa_count};
	d->of_ssa = huge_pages_calloc(ssa_count, sizeof(*d->of_ssa));
	return d->of_ssa ? STATUS_OK : STATUS_NO_MEM;
}

void provenance_fini(struct provenance *d)
{
	free(d->facts);
	free(d->of_ssa);
	free(d->of_side);
}

static void append(struct provenance *d, uint32_t previous, uint64_t known)
{
	if (d->fact_count == FACTS_MOST)
		d->status = STATUS_UNSUPPORTED;
	else if (d->status == STATUS_OK)
		d->status = vec_reserve((void **)&d->facts, &d->fact_capacity, d->fact_count + 1,
		                        sizeof(*d->facts));
	if (d->status != STATUS_OK)
		return;
	d->facts[d->fact_count++] = (struct provenance_fact){.known = known,
	                                                     .previous = previous,
	                                                     .dyn = d->cause.dyn,
	                                                     .other = d->cause.other,
	                                                     .kind = (uint8_t)d->cause.kind};
}

static void add(struct provenance *d, uint32_t *last, uint64_t known)
{
	/* Ranges that change are no bits. */
	if (*last != 0 && d->facts[*last - 1].known == known)
		return;
	append(d, *last, known);
	if (d->status == STATUS_OK)
		*last = (uint32_t)d->fact_count;
}

void provenance_disagree(struct provenance *d, const struct provenance_conflict *conflict)
{
	if (d->conflict.kind != CONFLICT_NONE)
		return;
	append(d, 0, conflict->fact.known);
	if (d->status != STATUS_OK)
		return;
	d->conflict = *conflict;
	d->conflict_fact = (uint32_t)d->fact_count - 1;
}

void provenance_ssa(struct provenance *d, uint32_t ssa, uint64_t known)
{
	add(d, &d->of_ssa[ssa], known);
}

void provenance_side(struct provenance *d, uint32_t version, bool after, uint64_t known)
{
	size_t side = (size_t)version * 2 + (after ? 1 : 0);

	if (vec_reserve((void **)&d->of_side, &d->side_capacity, side + 1, sizeof(*d->of_side)) !=
	    STATUS_OK) {
		d->status = STATUS_NO_MEM;
		return;
	}
	while (d->side_count <= side)
		d->of_side[d->side_count++] = 0;
	add(d, &d->of_side[side], known);
}

static const struct provenance_fact *find(const struct provenance *d, uint32_t last,
                                          uint64_t wanted, uint32_t until, uint32_t *number)
{
	const struct provenance_fact *best = NULL;
	int most = 0;

	while (last != 0) {
		const struct provenance_fact *fact = &d->facts[last - 1];
		uint64_t before = fact->previous != 0 ? d->facts[fact->previous - 1].known : 0;
		int gained = __builtin_popcountll(fact->known & ~before & wanted);

		if (last - 1 < until && gained > most) {
			best = fact;
			most = gained;
			*number = last - 1;
		}
		last = fact->previous;
	}
	return best;
}

const struct provenance_fact *provenance_of_ssa(const struct provenance *d, uint32_t ssa,
                                                uint64_t wanted, uint32_t until, uint32_t *number)
{
	return ssa < d->ssa_count ? find(d, d->of_ssa[ssa], wanted, until, number) : NULL;
}

const struct provenance_fact *provenance_of_side(const struct provenance *d, uint32_t version,
                                                 bool after, uint64_t wanted, uint32_t until,
                                                 uint32_t *number)
{
	size_t side = (size_t)version * 2 + (after ? 1 : 0);

	return side < d->side_count ? find(d, d->of_side[side], wanted, until, number) : NULL;
}
