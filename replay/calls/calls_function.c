/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which function an address is of: by symbols, and where there are none by what calls lead
 * to. In: addresses, the code graph of a history. Out: where functions begin.
 */
#include <stdlib.h>

#include "base/vec.h"
#include "decoder/flow/flow.h"
#include "replay/calls/calls_store.h"

struct function_extent calls_function(const struct call_builder *b, uint64_t address)
{
	struct function_symbol symbol;
	size_t low = 0;
	size_t high = b->entry_count;

	if (symbols_find(b->calls->symbols, address, &symbol))
		return (struct function_extent){symbol.start, true};
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (b->entries[middle] <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return (struct function_extent){address, false};
	/* A function with a name ends before code without one. */
	if (symbols_find(b->calls->symbols, b->entries[low - 1], &symbol))
		return (struct function_extent){address, false};
	return (struct function_extent){b->entries[low - 1], true};
}

bool calls_is_entry(const struct call_builder *b, uint64_t address)
{
	struct function_extent function = calls_function(b, address);

	return function.is_known && function.start == address;
}

/* "parse" and "parse.cold", which a compiler makes of what is seldom run. */
static bool is_part(struct str whole, struct str part)
{
	return str_has_prefix(part, whole) && str_has_prefix(str_skip(part, whole.n), STR(".cold"));
}

bool calls_is_one_function(const struct call_builder *b, uint64_t from, uint64_t to)
{
	struct function_extent a = calls_function(b, from);
	struct function_extent z = calls_function(b, to);
	struct function_symbol x;
	struct function_symbol y;

	if (a.is_known && z.is_known && a.start == z.start)
		return true;
	return symbols_find(b->calls->symbols, from, &x) &&
	       symbols_find(b->calls->symbols, to, &y) && x.key == y.key &&
	       (is_part(x.name, y.name) || is_part(y.name, x.name));
}

static int compare_addresses(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static enum status add_entry(struct call_builder *b, const struct walk *from, uint64_t address)
{
	/* A call of what comes next asks for its own address. */
	if (address == from->end)
		return STATUS_OK;
	TRY(vec_reserve((void **)&b->entries, &b->entry_capacity, b->entry_count + 1,
	                sizeof(*b->entries)));
	b->entries[b->entry_count++] = address;
	return STATUS_OK;
}

/* Where the call goes that the run ends in; an indirect one may go to several functions. */
static enum status add_entries_of(struct call_builder *b, const struct graph *graph, uint32_t node)
{
	const struct walk *walk = &graph->nodes[node].walk;

	if (graph->nodes[node].is_odd || !walk->last.is_link)
		return STATUS_OK;
	if (walk->last.class == INSN_BRANCH)
		return add_entry(b, walk, walk->last.target);
	if (!graph_is_indirect(graph, node, true))
		return STATUS_OK;
	for (size_t i = 0; i < graph_target_count(graph, node); i++) {
		uint32_t to = graph_target(graph, node, (uint32_t)i);

		TRY(add_entry(b, walk, graph->nodes[to].walk.start));
	}
	return STATUS_OK;
}

enum status calls_add_entries(struct call_builder *b, const struct graph *graph)
{
	size_t kept = 0;

	for (size_t i = GRAPH_FIRST; i < graph->count; i++)
		TRY(add_entries_of(b, graph, (uint32_t)i));
	if (b->entry_count > 0)
		qsort(b->entries, b->entry_count, sizeof(*b->entries), compare_addresses);
	for (size_t i = 0; i < b->entry_count; i++) {
		if (kept == 0 || b->entries[i] != b->entries[kept - 1])
			b->entries[kept++] = b->entries[i];
	}
	b->entry_count = kept;
	return STATUS_OK;
}
