/* SPDX-License-Identifier: Apache-2.0 */
/* The premises of a chain; see why_chain.h. */
#include "replay/values/explain/why_chain.h"

#include "base/vec.h"

void why_push(struct why_chain *c, struct why_premise p)
{
	if (p.wanted == 0)
		return;
	if (vec_reserve((void **)&c->premises, &c->premise_capacity, c->premise_count + 1,
	                sizeof(p)) == STATUS_OK)
		c->premises[c->premise_count++] = p;
	else
		c->walk->status = STATUS_NO_MEM;
}

void why_push_ssa(struct why_chain *c, uint32_t ssa, uint32_t until)
{
	why_push(c, (struct why_premise){c->walk->solver.ssa_values[ssa].known, ssa, until, false,
	                                 false});
}

void why_push_rest(struct why_chain *c, const struct why_premise *p,
                   const struct provenance_fact *f)
{
	const struct provenance_fact *facts = c->walk->log.facts;
	struct why_premise rest = *p;

	if (!f || !c->walk->is_whole)
		return;
	rest.wanted &= ~f->known | (f->previous != 0 ? facts[f->previous - 1].known : 0);
	why_push(c, rest);
}

bool why_is_new(struct why_chain *c, uint32_t **items, size_t *count, size_t *capacity,
                uint32_t item)
{
	for (size_t i = 0; i < *count; i++) {
		if ((*items)[i] == item)
			return false;
	}
	if (vec_reserve((void **)items, capacity, *count + 1, sizeof(item)) != STATUS_OK) {
		c->walk->status = STATUS_NO_MEM;
		return false;
	}
	(*items)[(*count)++] = item;
	return true;
}

void why_push_place(struct why_chain *c, const struct memdep_access *a, uint32_t number)
{
	const struct uop_access *access = memdep_access_of(&c->walk->solver, a);

	if (c->walk->is_whole && access->address < SLOT_CONSTANT)
		why_push_ssa(c, why_ssa(c->walk, a->dyn, access->address), number);
}
