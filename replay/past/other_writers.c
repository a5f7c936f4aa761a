/* SPDX-License-Identifier: Apache-2.0 */
/* Stores of other cores, picked by address and time; see other_writers.h. */
#include "replay/past/other_writers.h"

#include <stdlib.h>

#include "base/vec.h"
#include "replay/values/solver/solver.h"

/* Of the subject's first 8 bytes, what the store left in those that it wrote. */
static struct past_value value_of(const struct past_subject *subject,
                                  const struct other_store *store)
{
	unsigned int size = subject->size < 8 ? (unsigned int)subject->size : 8;
	struct past_value value = {.width = 8 * size, .is_assumed = !store->is_proved};
	uint64_t ahead = (subject->address - store->address) & ADDRESS_BITS;
	uint64_t behind = (store->address - subject->address) & ADDRESS_BITS;

	if (ahead < 8)
		value.bits = (struct bits){store->data.value >> 8 * ahead,
		                           store->data.known >> 8 * ahead};
	else if (behind < 8)
		value.bits = (struct bits){store->data.value << 8 * behind,
		                           store->data.known << 8 * behind};
	value.bits = memdep_masked(value.bits, bits_mask(value.width));
	return value;
}

static bool touches(const struct past_subject *subject, const struct other_store *store)
{
	return ((subject->address - store->address) & ADDRESS_BITS) < store->size ||
	       ((store->address - subject->address) & ADDRESS_BITS) < subject->size;
}

static int compare(const void *left, const void *right)
{
	const struct other_store *a = &((const struct other_writer *)left)->store;
	const struct other_store *b = &((const struct other_writer *)right)->store;

	if (a->last != b->last)
		return a->last > b->last ? -1 : 1;
	if (a->first != b->first)
		return a->first > b->first ? -1 : 1;
	if (a->core != b->core)
		return a->core < b->core ? -1 : 1;
	if (a->position != b->position)
		return a->position > b->position ? -1 : 1;
	return 0;
}

static enum status add(const struct other_cores *others, const struct past_subject *subject,
                       const struct other_store *store, struct other_writers *found)
{
	struct other_writer writer = {
	        .store = *store,
	        .history = other_cores_history(others, store->core),
	        .value = value_of(subject, store),
	};
	struct instruction at;

	history_at(writer.history, store->position, &at);
	writer.code = (struct past_code){.is_there = true,
	                                 .pc = at.address,
	                                 .opcode = (uint32_t)at.opcode,
	                                 .size = at.size,
	                                 .isa = (uint8_t)at.isa};
	TRY(vec_reserve((void **)&found->all, &found->capacity, found->count + 1,
	                sizeof(*found->all)));
	found->all[found->count++] = writer;
	return STATUS_OK;
}

enum status other_writers_find(struct values *values, const struct past_subject *subject,
                               uint64_t first, uint64_t last, size_t most,
                               struct other_writers *found)
{
	const struct values_options *allowed = values_allowed(values);
	const struct other_writes *writes;
	const struct other_store *stores;
	enum status status;
	size_t count;

	*found = (struct other_writers){.count = 0};
	if (allowed->single_writer || !subject->is_memory ||
	    (allowed->own_dumps && memmap_is_own(history_memory(values_history(values)),
	                                         subject->address, subject->size)))
		return STATUS_OK;
	status = allowed->others ? other_cores_stores(allowed->others, &stores, &count)
	                         : STATUS_UNSUPPORTED;
	found->is_unknown = status == STATUS_UNSUPPORTED;
	if (status != STATUS_OK)
		return found->is_unknown ? STATUS_OK : status;
	for (size_t i = 0; i < count; i++) {
		if (touches(subject, &stores[i]) && stores[i].first <= last &&
		    stores[i].last >= first)
			TRY(add(allowed->others, subject, &stores[i], found));
	}
	if (found->count > 0)
		qsort(found->all, found->count, sizeof(*found->all), compare);
	found->is_cut = found->count > most;
	if (found->is_cut)
		found->count = most;
	TRY(other_cores_writes(allowed->others, &writes));
	found->is_open = other_writes_are_open(writes, first, last);
	found->is_unknown = other_writes_are_unseen(writes, first, last);
	return STATUS_OK;
}

void other_writers_fini(struct other_writers *found)
{
	free(found->all);
	*found = (struct other_writers){.count = 0};
}
