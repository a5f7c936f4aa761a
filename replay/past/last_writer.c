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
		bool is_decided;

		/* What the address meant before is not known. */
		if (is_kill &&
		    window_template(past_dyns(&place.window), place.dyn)->changes_translation) {
			v->found->is_blind = true;
			v->found->blind = access->position;
			return false;
		}
		is_decided = !is_kill && past_access_is_decided(&place, number, v->of->address,
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
	if (v->found->possible++ == 0) {
		v->candidate = *access;
		v->found->youngest = access->position;
	}
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

/* What an access stores; false if it is no store of one value. */
static bool stored_by(const struct past_place *place, uint32_t number, struct bits *stored)
{
	const struct solver *s = place->window.proved;
	const struct memdep_access *a = &s->memory.accesses[number];

	if (a->index == ACCESS_KILL || a->kind != ACCESS_STORE)
		return false;
	*stored = past_slot(&place->window, place->dyn, memdep_access_of(s, a)->data, 64).bits;
	*stored = memdep_masked(*stored, bits_mask(8u * a->size));
	return true;
}

/* The bits, of the first 8 bytes asked for, that the proved write did not leave as they are held.
 */
static uint64_t refuted(const struct visit *v)
{
	const struct last_writer *found = v->found;
	const struct solver *s = found->at.window.proved;
	const struct memdep_access *a = &s->memory.accesses[found->access];
	struct bits stored;
	uint64_t start;

	if (!past_access_is_placed(a) || !stored_by(&found->at, found->access, &stored))
		return 0;
	start = memdep_canonical(memdep_address(s, a).value);
	if (start > v->of->address)
		return 0;
	return ((stored.value >> 8 * (v->of->address - start)) ^ v->of->held.value) &
	       stored.known >> 8 * (v->of->address - start) & v->of->held.known;
}

/* The access may have left some of the wrong bits, wherever in the bytes it went. */
static bool may_have_left(const struct visit *v, const struct past_place *place, uint32_t number,
                          uint64_t wrong)
{
	const struct memdep_access *a = &place->window.proved->memory.accesses[number];
	struct bits held = v->of->held;
	struct bits stored;

	if (!stored_by(place, number, &stored))
		return true;
	for (int at = 1 - (int)a->size; at < 8; at++) {
		unsigned int up = at > 0 ? 8u * (unsigned int)at : 0;
		unsigned int down = at < 0 ? 8u * (unsigned int)-at : 0;
		uint64_t there = bits_mask(8u * a->size - down) << up;
		uint64_t both = stored.known >> down << up & held.known & there;

		if ((there & wrong) != 0 && ((stored.value >> down << up ^ held.value) & both) == 0)
			return true;
	}
	return false;
}

/* The one access of the candidate that may have left some of the wrong bits, if it is one. */
static bool find_only(const struct visit *v, uint64_t wrong)
{
	struct last_writer *found = v->found;
	const struct window *w = past_dyns(&found->at.window);
	unsigned int count = 0;

	for (uint32_t i = window_access(w, found->at.dyn); i < window_access(w, found->at.dyn + 1);
	     i++) {
		const struct memdep_access *a = &found->at.window.proved->memory.accesses[i];

		if (!past_access_is_open_write(a) || !may_have_left(v, &found->at, i, wrong))
			continue;
		found->access = i;
		count++;
	}
	return count == 1;
}

enum status last_writer_find(struct values *values, uint64_t position,
                             const struct last_writer_of *of, struct last_writer *found)
{
	struct visit v = {.values = values,
	                  .of = of,
	                  .target = {.address = of->address, .size = of->size, .writes = true},
	                  .found = found};
	const struct values_range range = {.first = 0, .last = position};
	uint64_t wrong;

	*found = (struct last_writer){0};
	TRY(values_visit_accesses(values, &range, &v.target, take, &v));
	if (found->possible == 0)
		return STATUS_OK;
	wrong = found->is_found ? refuted(&v) : 0;
	if (found->is_found && wrong == 0)
		return STATUS_OK;
	/* Of the window that is at hand now. */
	found->is_found = found->is_candidate = past_access_at(
	        values, v.candidate.position, &v.target, true, &found->at, &found->access);
	found->is_only =
	        found->is_candidate && found->possible == 1 && wrong != 0 && find_only(&v, wrong);
	return STATUS_OK;
}
