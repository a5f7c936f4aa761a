/* SPDX-License-Identifier: Apache-2.0 */
/* Between two writes, proved or possible, a value stays what it is; see values_over_time.h. */
#include "replay/past/values_over_time.h"

#include <stdlib.h>

#include "base/vec.h"
#include "replay/past/accesses.h"
#include "replay/past/other_writers.h"
#include "replay/past/past_window.h"

enum { WRITES_AT_ONCE = 256 };

struct search {
	struct values *values;
	const struct past_stretches_of *of;
	struct past_stretches *found;
	uint64_t last; /* what is older is to be found: positions up to this one */
};

/* Of the subject at a position. */
static struct past_value value_at(const struct search *search, uint64_t position, bool *is_linked)
{
	const struct past_subject *subject = &search->of->subject;
	unsigned int size = subject->size < 8 ? (unsigned int)subject->size : 8;
	struct past_value none = {.width = 8 * size};
	struct past_place place;

	*is_linked = true;
	if (!subject->is_memory)
		none.width = past_register_width(search->values, search->found->reg);
	if (!past_window_at(search->values, position, &place))
		return none;
	if (!subject->is_memory)
		return past_slot(&place.window, place.dyn, search->found->reg, none.width);
	*is_linked = place.window.proved->memory.is_linked &&
	             !past_is_device(&place, subject->address, subject->size);
	return past_bytes(&place.window, place.dyn, subject->address, size);
}

/* What nobody knows may have been written by others at any time. */
static struct past_value value_over(const struct search *search, uint64_t first, uint64_t last)
{
	bool is_linked;
	struct past_value value = value_at(search, first, &is_linked);
	struct past_value then;

	/* As far as a debugger would be told. */
	while (!past_value_is_known(&value) && values_widen(search->values))
		value = value_at(search, first, &is_linked);
	then = value;

	if (!is_linked && last > first)
		then = value_at(search, last, &is_linked);
	value.bits.known &= then.bits.known & ~(value.bits.value ^ then.bits.value);
	value.bits.value &= value.bits.known;
	return value;
}

static bool is_same(const struct past_value *a, const struct past_value *b)
{
	return a->bits.known == b->bits.known && a->bits.value == b->bits.value &&
	       a->is_assumed == b->is_assumed;
}

/* All from `first` on that is not told yet has this value. */
static enum status add(struct search *search, uint64_t first, struct past_value value)
{
	struct past_stretches *found = search->found;
	struct past_stretch *younger = found->count > 0 ? &found->all[found->count - 1] : NULL;
	const struct past_stretch stretch = {first, search->last, value};

	search->last = first - 1; /* 0 - 1: it was the oldest */
	if (younger && is_same(&younger->value, &value)) {
		younger->first = first;
		return STATUS_OK;
	}
	if (found->count == search->of->most) {
		found->is_cut = true;
		return STATUS_OK;
	}
	TRY(vec_reserve((void **)&found->all, &found->capacity, found->count + 1,
	                sizeof(*found->all)));
	found->all[found->count++] = stretch;
	return STATUS_OK;
}

static struct past_value nothing(const struct search *search)
{
	return (struct past_value){
	        .width = search->found->count > 0 ? search->found->all[0].value.width : 64};
}

/*
 * The stretch from `first` to what is told already, which no write of this core divides. Those of
 * other cores do: while one may have been executed, the value is not known.
 */
static enum status add_until(struct search *search, uint64_t first)
{
	struct other_writers others;
	enum status status = other_writers_find(search->values, &search->of->subject, first,
	                                        search->last, WRITES_AT_ONCE, &others);

	for (size_t i = 0; status == STATUS_OK && i < others.count && !search->found->is_cut &&
	                   search->last + 1 > first;
	     i++) {
		const struct other_store *store = &others.all[i].store;

		/* Of what is told already. */
		if (store->first > search->last)
			continue;
		if (store->last < search->last)
			status = add(search, store->last + 1,
			             value_over(search, store->last + 1, search->last));
		if (status == STATUS_OK && !search->found->is_cut)
			status = add(search, store->first > first ? store->first : first,
			             nothing(search));
	}
	if (status == STATUS_OK && others.is_cut && search->last + 1 > first &&
	    !search->found->is_cut)
		status = add(search, first, nothing(search));
	other_writers_fini(&others);
	if (status != STATUS_OK || search->found->is_cut || search->last + 1 == first)
		return status;
	return add(search, first, value_over(search, first, search->last));
}

/* The stretch after a write, and what is not known where that is a stretch itself. */
static enum status take(struct search *search, const struct past_access *write)
{
	/* One instruction may be told twice, with what lies after it. */
	if (write->position < search->last || write->position + 1 == search->last)
		TRY(add_until(search, write->position + 1));
	if (write->verdict == PAST_BLIND && write->last < search->last && !search->found->is_cut)
		TRY(add(search, write->last + 1, nothing(search)));
	return STATUS_OK;
}

static enum status search_all(struct search *search)
{
	struct past_accesses_of writes = {
	        .subject = search->of->subject,
	        .writes = true,
	        .first = search->of->first,
	        .end = search->of->last,
	        .most = WRITES_AT_ONCE,
	};
	bool is_more = true;

	while (is_more && !search->found->is_cut) {
		struct past_accesses some;
		enum status status = past_accesses_find(search->values, &writes, &some);

		search->found->reg = some.reg;
		for (size_t i = 0; status == STATUS_OK && i < some.count; i++) {
			status = take(search, &some.all[i]);
			writes.end = some.all[i].last;
			if (search->found->is_cut)
				break;
		}
		is_more = some.is_cut && writes.end > writes.first;
		past_accesses_fini(&some);
		TRY(status);
	}
	if (search->found->is_cut || search->last + 1 == search->of->first)
		return STATUS_OK;
	return add_until(search, search->of->first);
}

enum status past_stretches_find(struct values *values, const struct past_stretches_of *of,
                                struct past_stretches *found)
{
	struct search search = {values, of, found, of->last};

	*found = (struct past_stretches){.reg = REG_COUNT};
	return search_all(&search);
}

void past_stretches_fini(struct past_stretches *found)
{
	free(found->all);
	*found = (struct past_stretches){0};
}
