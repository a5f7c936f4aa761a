/* SPDX-License-Identifier: Apache-2.0 */
/* Calls by number and by position; see calls.h. */
#include <stdlib.h>

#include "replay/calls/calls_store.h"

void calls_destroy(struct calls *calls)
{
	if (!calls)
		return;
	free(calls->items);
	free(calls->segments);
	free(calls);
}

const struct history *calls_history(const struct calls *calls)
{
	return calls->history;
}

const struct symbols *calls_symbols(const struct calls *calls)
{
	return calls->symbols;
}

uint32_t calls_count(const struct calls *calls)
{
	return (uint32_t)calls->count;
}

const struct call *calls_get(const struct calls *calls, uint32_t call)
{
	return &calls->items[call];
}

uint32_t calls_first_stray(const struct calls *calls)
{
	return calls->first_stray;
}

void calls_count_own(const struct calls *calls, uint64_t *own)
{
	for (size_t i = 0; i < calls->count; i++)
		own[i] = 0;
	for (size_t i = 0; i < calls->segment_count; i++) {
		uint64_t end = i + 1 < calls->segment_count ? calls->segments[i + 1].position
		                                            : history_length(calls->history);

		own[calls->segments[i].call] += end - calls->segments[i].position;
	}
}

/* How many segments begin at the position or before it. */
static size_t segments_until(const struct calls *calls, uint64_t position)
{
	size_t low = 0;
	size_t high = calls->segment_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (calls->segments[middle].position <= position)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t calls_at(const struct calls *calls, uint64_t position)
{
	size_t until = segments_until(calls, position);

	return until > 0 ? calls->segments[until - 1].call : CALL_NONE;
}

enum status calls_stretch(const struct calls *calls, uint64_t position, uint64_t *first,
                          uint64_t *last)
{
	size_t until = segments_until(calls, position);

	if (until == 0)
		return STATUS_NOT_FOUND;
	*first = calls->segments[until - 1].position;
	*last = until < calls->segment_count ? calls->segments[until].position - 1
	                                     : history_last(calls->history);
	return STATUS_OK;
}

enum status calls_frame(const struct calls *calls, uint64_t position, uint32_t level,
                        struct call_frame *frame)
{
	uint32_t call = calls_at(calls, position);
	const struct call *callee = NULL;

	for (uint32_t i = 0; call != CALL_NONE && i < level; i++) {
		callee = &calls->items[call];
		call = callee->parent;
	}
	if (call == CALL_NONE)
		return STATUS_NOT_FOUND;
	*frame = (struct call_frame){.call = call};
	if (!callee) {
		frame->has_pc = history_pc(calls->history, position, &frame->pc) == STATUS_OK;
	} else {
		frame->has_pc = callee->has_return;
		frame->pc = callee->return_address;
	}
	return STATUS_OK;
}
