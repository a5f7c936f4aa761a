/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses visited backward until one is proved; see last_writer.h. */
#include "replay/past/last_writer.h"

#include "replay/past/access_at.h"

/* A visit on its way. */
struct visit {
	struct values *values;
	const struct last_writer_of *of;
	struct values_target target;
	struct last_writer *found;
	struct values_access candidate; /* the youngest possible one */
};

bool past_is_constant(const struct past_place *place, uint64_t address, uint64_t size)
{
	const struct solver *s = place->window.proved;

	if (!memdep_is_constant(&s->memory, place->dyn, address))
		return false;
	for (uint64_t at = address & ~UINT64_C(7);
	     at - (address & ~UINT64_C(7)) < size + (address & 7); at += 8) {
		struct memdep_granule granule = memdep_known_granule(s, at);

		if ((memdep_overlap(at, address, size) & ~granule.contents.constant) != 0)
			return false;
	}
	return true;
}

static bool take_possible(struct visit *v, const struct values_access *access)
{
	struct past_place place;
	uint32_t number;
	bool is_there;

	if (past_access_at(v->values, access->position, &v->target, true, &place, &number)) {
		bool is_kill = place.window.proved->memory.accesses[number].index == ACCESS_KILL;
		bool is_decided = !is_kill && past_access_is_decided(&place, number, v->of->address,
		                                                     v->of->size, &is_there);

		if (is_decided && !is_there)
			return true;
		/* Whatever is older is gone if anything was written there. */
		if (is_kill || is_decided) {
			v->found->is_found = true;
			v->found->at = place;
			v->found->access = number;
			v->found->is_assumed = !is_kill;
			return false;
		}
	}
	if (v->found->possible++ == 0)
		v->candidate = *access;
	return v->found->possible < PAST_WRITES_COUNTED;
}

static bool take(void *context, const struct values_access *access)
{
	struct visit *v = context;

	if (access->verdict == VALUES_POSSIBLE)
		return take_possible(v, access);
	if (access->verdict == VALUES_BLIND) {
		v->found->is_blind = true;
		v->found->blind = access->position;
		return false;
	}
	v->found->is_found = past_access_at(v->values, access->position, &v->target, false,
	                                    &v->found->at, &v->found->access);
	return false;
}

/* What the proved write left is not what is found there. */
static bool is_refuted(const struct visit *v)
{
	const struct last_writer *found = v->found;
	const struct past_window *window = &found->at.window;
	const struct memdep_access *a = &window->proved->memory.accesses[found->access];
	uint64_t start = memdep_canonical(memdep_address(window->proved, a).value);
	const struct uop_access *access;
	struct bits stored;

	if (a->index == ACCESS_KILL || a->kind != ACCESS_STORE || !past_access_is_placed(a) ||
	    start > v->of->address)
		return false;
	access = memdep_access_of(window->proved, a);
	stored = past_slot(window, found->at.dyn, access->data, 64).bits;
	stored = memdep_masked(stored, bits_mask(8 * a->size));
	stored = (struct bits){stored.value >> 8 * (v->of->address - start),
	                       stored.known >> 8 * (v->of->address - start)};
	return ((stored.value ^ v->of->held.value) & stored.known & v->of->held.known) != 0;
}

enum status last_writer_find(struct values *values, uint64_t position,
                             const struct last_writer_of *of, struct last_writer *found)
{
	struct visit v = {.values = values,
	                  .of = of,
	                  .target = {.address = of->address, .size = of->size, .writes = true},
	                  .found = found};
	const struct values_range range = {.first = 0, .last = position};

	*found = (struct last_writer){0};
	TRY(values_visit_accesses(values, &range, &v.target, take, &v));
	if (found->possible == 0)
		return STATUS_OK;
	/* Of the window that is at hand now. */
	if (!found->is_found || is_refuted(&v))
		found->is_found = found->is_candidate = past_access_at(
		        values, v.candidate.position, &v.target, true, &found->at, &found->access);
	return STATUS_OK;
}
