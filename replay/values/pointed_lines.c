/* SPDX-License-Identifier: Apache-2.0 */
/* Words in cache lines, taken for pointers; see pointed_lines.h. */
#include "replay/values/pointed_lines.h"

#include "snapshot/memmap.h"

struct memory {
	const struct memmap *map;
	uint32_t view;
	unsigned int word; /* bytes of a pointer */
};

/* Memory at the halt that can be written. */
static bool is_data(const struct memory *m, uint64_t address, struct mem_span *span)
{
	return memmap_find(m->map, m->view, address, span) == STATUS_OK && !span->region->read_only;
}

static enum status add_line(struct other_writes *writes, const struct memory *m, uint64_t line)
{
	struct mem_span span;

	if (!is_data(m, memdep_canonical(line * CACHE_LINE), &span))
		return STATUS_OK;
	for (size_t at = 0; at < CACHE_LINE && at + m->word <= bytes_left(&span.bytes);
	     at += m->word) {
		struct bytes bytes = span.bytes;
		struct mem_span target;
		uint64_t pointer;

		TRY(bytes_seek(&bytes, at));
		TRY(bytes_le(&bytes, m->word, &pointer));
		pointer = memdep_canonical(pointer & ADDRESS_BITS);
		if (pointer >= CACHE_LINE && is_data(m, pointer, &target))
			TRY(line_set_add(&writes->pointed, (pointer & ADDRESS_BITS) - CACHE_LINE,
			                 3 * (uint64_t)CACHE_LINE));
	}
	return STATUS_OK;
}

enum status pointed_lines_add(struct other_writes *writes, const struct history *history)
{
	const struct memmap *map = history_memory(history);
	const struct memory memory = {
	        map, memmap_view_at_halt(map, history_view(history, history_length(history))),
	        history_core(history)->arch == CORE_A64 ? 8 : 4};

	if (writes->open.count == 0 && writes->unseen.count == 0)
		return STATUS_OK;
	for (size_t i = 0; i < writes->used.count; i++)
		TRY(add_line(writes, &memory, writes->used.numbers[i]));
	line_set_sort(&writes->pointed);
	return STATUS_OK;
}
