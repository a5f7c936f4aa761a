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

/* What the memory map said last: the bytes of a view from an address on. */
struct found {
	struct mem_span span;
	uint64_t address;
	uint32_t view;
	bool is_set;
};

/* The bytes at an address of a view: mostly what was found last says it too. */
static bool find_content(const struct history *h, const struct extent *run, uint64_t at,
                         struct found *last, const uint8_t **begin, uint64_t *size)
{
	uint64_t offset = at - last->address;

	if (!last->is_set || last->view != run->view || at < last->address ||
	    offset >= bytes_left(&last->span.bytes)) {
		last->is_set = memmap_find(h->memory, run->view, at, &last->span) == STATUS_OK;
		last->address = at;
		last->view = run->view;
		offset = 0;
	}
	if (!last->is_set)
		return false;
	*begin = last->span.bytes.pos + offset;
	*size = bytes_left(&last->span.bytes) - offset;
	return true;
}

/* Appends the bytes of the memory map that the run's opcodes are. */
static enum status add_content(struct history *h, const struct extent *run, struct found *last)
{
	uint64_t at = run->first;
	const uint8_t *begin;
	uint64_t size;

	while (find_content(h, run, at, last, &begin, &size)) {
		if (size > run->last - at)
			size = run->last - at + 1;
		TRY(append_content(h, begin, size));
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
	struct found found = {.is_set = false};
	size_t kept = 0;

	for (size_t i = 0; i < h->code_count; i++)
		TRY(add_content(h, &h->code[i], &found));
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
