/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The nearest position of an address. In: addresses, positions to search between. A search never
 * steps: it finds the nodes of the code graph that contain an address, steps over all groups of
 * blocks that ran none of them (address_index.h), and expands the rest.
 */
#include <stdlib.h>

#include "base/vec.h"
#include "replay/history/history_store.h"
#include "replay/history/run_insn.h"

/* What is looked for, in one graph. */
struct wanted {
	uint32_t *nodes;
	size_t count;
	size_t capacity;
	bool *is_wanted; /* one a node; NULL: not looked for yet */
};

/* A search within the positions that count: first <= p <= last. */
struct search {
	const struct history *history;
	const struct history_search *what;
	uint64_t first;
	uint64_t last;
	bool backward;
	struct wanted *wanted; /* one a graph of the history */
	uint64_t position;     /* of the hit */
};

/* The blocks of one group that count, and where the group lies. */
struct blocks {
	size_t first;
	size_t end;
};

static bool holds_address(const struct search *s, const struct memmap *memory,
                          const struct basic_block *block)
{
	uint32_t index;

	for (size_t i = 0; i < s->what->address_count; i++) {
		if (run_insn_find(memory, block, s->what->addresses[i], &index))
			return true;
	}
	return false;
}

/* The nodes of the part's graph that hold one of the addresses. */
static enum status find_wanted(const struct search *s, const struct history_part *part,
                               struct wanted *wanted)
{
	const struct graph *graph = part->log.graph;

	if (wanted->is_wanted)
		return STATUS_OK;
	wanted->is_wanted = calloc(graph->count, sizeof(bool));
	if (!wanted->is_wanted)
		return STATUS_NO_MEM;
	for (uint32_t i = GRAPH_FIRST; i < graph->count; i++) {
		if (!holds_address(s, part->memory, &graph->nodes[i]))
			continue;
		TRY(vec_reserve((void **)&wanted->nodes, &wanted->capacity, wanted->count + 1,
		                sizeof(*wanted->nodes)));
		wanted->nodes[wanted->count++] = i;
		wanted->is_wanted[i] = true;
	}
	return STATUS_OK;
}

/* The newest (or oldest) hit inside one run, limited to the search's positions. */
static bool hit_in_run(struct search *s, const struct memmap *memory,
                       const struct basic_block *block, uint64_t position)
{
	bool found = false;

	for (size_t i = 0; i < s->what->address_count; i++) {
		uint32_t index;
		uint64_t p;

		if (!run_insn_find(memory, block, s->what->addresses[i], &index))
			continue;
		p = position + index;
		if (p < s->first || p > s->last || (found && (p > s->position) != s->backward))
			continue;
		s->position = p;
		found = true;
	}
	return found;
}

/* The wanted of the part's graph, one of the history's. */
static struct wanted *wanted_of(const struct search *s, const struct history_part *part)
{
	size_t i = 0;

	while (s->history->graphs[i] != part->log.graph)
		i++;
	return &s->wanted[i];
}

static bool search_block(struct search *s, const struct history_part *part, const bool *is_wanted,
                         size_t block)
{
	const struct block_cache *cache = history_expand(s->history, part, block);
	uint64_t position = part->position + part->log.blocks[block].position;

	for (uint32_t i = 0; i < cache->count; i++) {
		const struct outcome_log_run *run =
		        &cache->runs[s->backward ? cache->count - 1 - i : i];

		if (is_wanted[run->node] &&
		    hit_in_run(s, part->memory, &part->log.graph->nodes[run->node],
		               position + run->offset))
			return true;
	}
	return false;
}

static bool is_interrupted(const struct search *s)
{
	return s->what->interrupted && s->what->interrupted(s->what->context);
}

/* NOT_FOUND goes on with the next group. */
static enum status search_group(struct search *s, const struct history_part *part, size_t group,
                                struct blocks blocks)
{
	const struct wanted *wanted = wanted_of(s, part);
	size_t count = blocks.end - blocks.first;

	if (!address_index_meets(part->index, group, wanted->nodes, wanted->count))
		return STATUS_NOT_FOUND;
	if (is_interrupted(s))
		return STATUS_INTERRUPTED;
	for (size_t i = 0; i < count; i++) {
		if (search_block(s, part, wanted->is_wanted,
		                 s->backward ? blocks.end - 1 - i : blocks.first + i))
			return STATUS_OK;
	}
	return STATUS_NOT_FOUND;
}

/* The blocks of the part whose positions count. */
static struct blocks blocks_of(const struct search *s, const struct history_part *part)
{
	uint64_t end = part->position + part->log.length;
	uint64_t first = s->first > part->position ? s->first : part->position;
	uint64_t last = s->last < end ? s->last : end - 1;

	return (struct blocks){outcome_log_find_block(&part->log, first - part->position),
	                       outcome_log_find_block(&part->log, last - part->position) + 1};
}

static enum status search_part(struct search *s, const struct history_part *part)
{
	struct wanted *wanted = wanted_of(s, part);
	struct blocks all = blocks_of(s, part);
	size_t first = address_index_group_of(part->index, all.first);
	size_t last = address_index_group_of(part->index, all.end - 1);

	TRY(find_wanted(s, part, wanted));
	for (size_t i = 0; i <= last - first && wanted->count > 0; i++) {
		size_t group = s->backward ? last - i : first + i;
		struct blocks blocks = {address_index_first_block(part->index, group), all.end};
		enum status status;

		if (group < last)
			blocks.end = address_index_first_block(part->index, group + 1);
		if (blocks.first < all.first)
			blocks.first = all.first;
		status = search_group(s, part, group, blocks);
		if (status != STATUS_NOT_FOUND)
			return status;
	}
	return STATUS_NOT_FOUND;
}

static enum status search_parts(struct search *s)
{
	const struct history *h = s->history;

	for (size_t i = 0; i < h->part_count; i++) {
		const struct history_part *part =
		        &h->parts[s->backward ? h->part_count - 1 - i : i];
		enum status status;

		if (part->position > s->last || part->position + part->log.length <= s->first)
			continue;
		status = search_part(s, part);
		if (status != STATUS_NOT_FOUND)
			return status;
	}
	return STATUS_NOT_FOUND;
}

static enum status search(struct search *s, uint64_t *position)
{
	enum status status;

	if (s->last >= s->history->length)
		s->last = s->history->length - 1;
	if (s->first > s->last || s->what->address_count == 0)
		return STATUS_NOT_FOUND;
	s->wanted = calloc(s->history->graph_count, sizeof(*s->wanted));
	if (!s->wanted)
		return STATUS_NO_MEM;
	status = search_parts(s);
	for (size_t i = 0; i < s->history->graph_count; i++) {
		free(s->wanted[i].nodes);
		free(s->wanted[i].is_wanted);
	}
	free(s->wanted);
	if (status == STATUS_OK)
		*position = s->position;
	return status;
}

enum status history_find_backward(const struct history *history, const struct history_search *what,
                                  uint64_t from, uint64_t limit, uint64_t *position)
{
	struct search s = {.history = history,
	                   .what = what,
	                   .first = limit,
	                   .last = from - 1,
	                   .backward = true};

	if (from == 0 || history->length == 0)
		return STATUS_NOT_FOUND;
	return search(&s, position);
}

enum status history_find_forward(const struct history *history, const struct history_search *what,
                                 uint64_t from, uint64_t limit, uint64_t *position)
{
	struct search s = {.history = history, .what = what, .first = from + 1, .last = limit};

	if (from >= history->length)
		return STATUS_NOT_FOUND;
	return search(&s, position);
}
