/* SPDX-License-Identifier: Apache-2.0 */
/* Timestamps by their place; see trace_clock.h. */
#include "decoder/flow/trace_clock.h"

#include <stdlib.h>

#include "base/vec.h"

void trace_clock_fini(struct trace_clock *clock)
{
	free(clock->items);
	*clock = (struct trace_clock){0};
}

enum status trace_clock_add(struct trace_clock *clock, uint64_t offset, uint64_t time)
{
	if (time == 0)
		return STATUS_OK;
	TRY(vec_reserve((void **)&clock->items, &clock->capacity, clock->count + 1,
	                sizeof(*clock->items)));
	if (clock->count > 0)
		clock->goes_back |= time < clock->items[clock->count - 1].time ||
		                    offset < clock->items[clock->count - 1].offset;
	clock->items[clock->count++] = (struct trace_time){offset, time};
	return STATUS_OK;
}

const struct trace_time *trace_clock_after(const struct trace_clock *clock, uint64_t offset)
{
	size_t low = 0;
	size_t high = clock->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (clock->items[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < clock->count ? &clock->items[low] : NULL;
}
