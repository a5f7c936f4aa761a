/* SPDX-License-Identifier: Apache-2.0 */
/* Code that a core wrote while it was traced; see code_past.h. */
#include "snapshot/events/code_past.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

static void forget_times(struct code_past *past)
{
	for (size_t i = 0; i < past->time_count; i++)
		free(past->times[i].bytes);
	past->time_count = 0;
}

void code_past_fini(struct code_past *past)
{
	forget_times(past);
	free(past->times);
	free(past->ranges);
	*past = (struct code_past){0};
}

/* Index of the first range that ends at or after the address, or their number. */
static size_t range_index(const struct code_past *past, uint64_t address)
{
	size_t low = 0;
	size_t high = past->range_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (past->ranges[middle].last < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct code_range *code_past_range(const struct code_past *past, uint64_t address)
{
	size_t i = range_index(past, address);

	return i < past->range_count ? &past->ranges[i] : NULL;
}

/* Where the bytes of each range stand, and how many these are. */
static void number_bytes(struct code_past *past)
{
	past->size = 0;
	for (size_t i = 0; i < past->range_count; i++) {
		struct code_range *range = &past->ranges[i];

		range->offset = past->size;
		past->size += (size_t)(range->last - range->first) + 1;
	}
}

enum status code_past_add(struct code_past *past, uint64_t first, uint64_t last, bool *is_new)
{
	size_t at = range_index(past, first);
	size_t end = at;
	struct code_range *ranges;

	if (at < past->range_count && past->ranges[at].first <= first &&
	    past->ranges[at].last >= last)
		return STATUS_OK;
	TRY(vec_reserve((void **)&past->ranges, &past->range_capacity, past->range_count + 1,
	                sizeof(*past->ranges)));
	ranges = past->ranges;
	for (; end < past->range_count && ranges[end].first <= last; end++) {
		first = ranges[end].first < first ? ranges[end].first : first;
		last = ranges[end].last > last ? ranges[end].last : last;
	}
	memmove(&ranges[at + 1], &ranges[end], (past->range_count - end) * sizeof(*ranges));
	past->range_count -= end - at;
	ranges[at] = (struct code_range){first, last, 0};
	past->range_count++;
	number_bytes(past);
	forget_times(past);
	*is_new = true;
	return STATUS_OK;
}

size_t code_past_find(const struct code_past *past, uint64_t place)
{
	size_t low = 0;
	size_t high = past->time_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (past->times[middle].place <= place)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

enum status code_past_time(struct code_past *past, uint64_t place, struct code_time **time)
{
	size_t at = code_past_find(past, place);
	struct code_time *times;
	uint8_t *bytes;

	*time = at > 0 ? &past->times[at - 1] : NULL;
	if (*time && (*time)->place == place)
		return STATUS_OK;
	if (past->size >= CODE_PAST_BYTES / (past->time_count + 1))
		return STATUS_UNSUPPORTED;
	TRY(vec_reserve((void **)&past->times, &past->time_capacity, past->time_count + 1,
	                sizeof(*past->times)));
	bytes = calloc(past->size + 1, 2);
	if (!bytes)
		return STATUS_NO_MEM;
	times = past->times;
	memmove(&times[at + 1], &times[at], (past->time_count - at) * sizeof(*times));
	times[at] = (struct code_time){place, false, bytes, bytes + past->size};
	past->time_count++;
	*time = &times[at];
	return STATUS_OK;
}
