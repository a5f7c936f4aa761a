/* SPDX-License-Identifier: Apache-2.0 */
/* What code a history ran, see executed_code.h: from the basic blocks of its parts. */
#include "replay/history/executed_code.h"

#include <stdlib.h>

#include "base/vec.h"
#include "replay/history/history_store.h"

struct collector {
	const struct graph *graph;
	bool *is_run; /* one a node */
	size_t count;
};

static void note_run(void *context, uint32_t node)
{
	struct collector *collector = context;

	collector->count += !collector->is_run[node];
	collector->is_run[node] = true;
}

/* Appends the nodes of one graph that parts of the history ran. */
static enum status collect_graph(struct history *h, const struct graph *graph)
{
	struct collector collector = {.graph = graph};
	enum status status;

	if (graph->count == 0)
		return STATUS_OK;
	collector.is_run = calloc(graph->count, sizeof(bool));
	if (!collector.is_run)
		return STATUS_NO_MEM;
	for (size_t i = 0; i < h->part_count; i++) {
		const struct history_part *part = &h->parts[i];

		for (size_t g = 0;
		     part->log.graph == graph && g < address_index_groups(part->index); g++)
			address_index_nodes(part->index, g, note_run, &collector);
	}
	status = vec_reserve((void **)&h->code, &h->code_capacity, h->code_count + collector.count,
	                     sizeof(*h->code));
	for (size_t i = 0; i < graph->count && status == STATUS_OK; i++) {
		const struct walk *walk = &graph->nodes[i].walk;

		if (collector.is_run[i])
			h->code[h->code_count++] =
			        (struct extent){walk->start, walk->end - 1, (uint8_t)walk->isa,
			                        graph->nodes[i].view};
	}
	free(collector.is_run);
	return status;
}

/* Appends the bytes from `begin` on; they extend the last ones where they touch them. */
static enum status append_content(struct history *h, const uint8_t *begin, uint64_t size)
{
	struct content *last = h->executed_count > 0 ? &h->executed[h->executed_count - 1] : NULL;

	if (last && begin >= last->begin && begin <= last->end) {
		if (begin + size > last->end)
			last->end = begin + size;
		return STATUS_OK;
	}
	TRY(vec_reserve((void **)&h->executed, &h->executed_capacity, h->executed_count + 1,
	                sizeof(*h->executed)));
	h->executed[h->executed_count++] = (struct content){begin, begin + size};
	return STATUS_OK;
}

/* Appends the bytes of the memory map that the run's opcodes are. */
static enum status add_content(struct history *h, const struct extent *run,
                               struct mem_recent *recent)
{
	uint64_t at = run->first;
	struct mem_span span;

	while (memmap_find_near(h->memory, run->view, at, recent, &span) == STATUS_OK) {
		uint64_t size = bytes_left(&span.bytes);

		if (size > run->last - at)
			size = run->last - at + 1;
		TRY(append_content(h, span.bytes.pos, size));
		if (size == 0 || run->last - at < size)
			break;
		at += size;
	}
	return STATUS_OK;
}

static int compare_contents(const void *left, const void *right)
{
	uintptr_t a = (uintptr_t)((const struct content *)left)->begin;
	uintptr_t b = (uintptr_t)((const struct content *)right)->begin;

	return a < b ? -1 : a > b;
}

enum status executed_code_contents(struct history *h)
{
	struct mem_recent recent = {.is_found = false};
	size_t kept = 0;

	for (size_t i = 0; i < h->code_count; i++)
		TRY(add_content(h, &h->code[i], &recent));
	if (h->executed_count == 0)
		return STATUS_OK;
	qsort(h->executed, h->executed_count, sizeof(*h->executed), compare_contents);
	for (size_t i = 1; i < h->executed_count; i++) {
		struct content *last = &h->executed[kept];
		const struct content *next = &h->executed[i];

		if ((uintptr_t)next->begin > (uintptr_t)last->end)
			h->executed[++kept] = *next;
		else if ((uintptr_t)next->end > (uintptr_t)last->end)
			last->end = next->end;
	}
	h->executed_count = kept + 1;
	return STATUS_OK;
}

enum status executed_code_runs(struct history *h)
{
	for (size_t i = 0; i < h->graph_count; i++)
		TRY(collect_graph(h, h->graphs[i]));
	return STATUS_OK;
}
