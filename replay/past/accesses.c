/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses to memory, as replay/values finds them, as answers; see accesses.h. */
#include "replay/past/accesses.h"

#include "replay/past/access_at.h"
#include "replay/past/register_accesses.h"

/* A visit on its way. */
struct visit {
	struct values *values;
	const struct past_accesses_of *of;
	struct past_accesses *found;
	enum status status;
};

static bool put(struct visit *v, const struct past_access *access)
{
	v->status = past_accesses_add(v->found, v->of, access);
	return v->status == STATUS_OK && !v->found->is_cut;
}

/* What the bytes hold beside the access, or what it stored. */
static struct past_value value_of(const struct visit *v, const struct past_place *place,
                                  uint32_t number, enum past_verdict verdict)
{
	const struct past_subject *subject = &v->of->subject;
	const struct solver *s = place->window.proved;
	const struct memdep_access *a = &s->memory.accesses[number];
	unsigned int size = subject->size < 8 ? (unsigned int)subject->size : 8;
	struct past_value value = {.width = 8 * size};

	if (verdict != PAST_POSSIBLE)
		return past_bytes(&place->window, place->dyn + (past_access_is_write(a) ? 1 : 0),
		                  subject->address, size);
	/* Of a pair either may be the one. */
	if (a->index == ACCESS_KILL || a->kind != ACCESS_STORE ||
	    !past_access_is_only(place, number))
		return value;
	value = past_slot(&place->window, place->dyn, memdep_access_of(s, a)->data, 8u * a->size);
	value.bits = memdep_masked(value.bits, bits_mask(8u * a->size));
	return value;
}

/* Where it is assumed to have gone; false if that is elsewhere. */
static bool judge(const struct visit *v, const struct past_place *place, uint32_t number,
                  enum past_verdict *verdict)
{
	bool is_there;

	if (*verdict == PAST_PROVED ||
	    !past_access_is_decided(place, number, v->of->subject.address, v->of->subject.size,
	                            &is_there))
		return true;
	*verdict = PAST_ASSUMED;
	return is_there;
}

static bool take(void *context, const struct values_access *access)
{
	struct visit *v = context;
	struct past_access told = {.position = access->position, .last = access->position};
	const struct values_target target = {v->of->subject.address, v->of->subject.size,
	                                     v->of->reads, v->of->writes};
	struct past_place place;
	uint32_t number;

	if (access->verdict == VALUES_BLIND) {
		told.verdict = PAST_BLIND;
		told.last = access->last;
		return put(v, &told);
	}
	told.verdict = access->verdict == VALUES_PROVED ? PAST_PROVED : PAST_POSSIBLE;
	if (!past_access_at(v->values, access->position, &target, told.verdict == PAST_POSSIBLE,
	                    &place, &number))
		return put(v, &told);
	if (!judge(v, &place, number, &told.verdict))
		return true;
	told.code = past_code_of(past_dyns(&place.window), place.dyn);
	told.is_write = past_access_is_write(&place.window.proved->memory.accesses[number]);
	told.value = value_of(v, &place, number, told.verdict);
	return put(v, &told);
}

/* Those of the same time; a possible write ends nothing. */
static enum status find_others(struct values *values, const struct past_accesses_of *of,
                               struct past_accesses *found)
{
	uint64_t first = of->first;
	uint64_t end = of->end;

	if (found->count > 0 && found->count >= of->most) {
		const struct past_access *last = &found->all[found->count - 1];

		if (last->verdict != PAST_POSSIBLE && of->forward)
			end = last->position;
		else if (last->verdict != PAST_POSSIBLE)
			first = last->position;
	}
	return other_writers_find(values, &of->subject, first, end, of->most, &found->others);
}

enum status past_accesses_find(struct values *values, const struct past_accesses_of *of,
                               struct past_accesses *found)
{
	struct visit v = {.values = values, .of = of, .found = found};
	const struct values_range range = {of->first, of->end, of->forward};
	const struct values_target target = {of->subject.address, of->subject.size, of->reads,
	                                     of->writes};

	*found = (struct past_accesses){.reg = REG_COUNT};
	if (!of->subject.is_memory)
		return register_accesses_find(values, of, found);
	TRY(values_visit_accesses(values, &range, &target, take, &v));
	TRY(v.status);
	return of->writes ? find_others(values, of, found) : STATUS_OK;
}
