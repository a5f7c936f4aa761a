/* SPDX-License-Identifier: Apache-2.0 */
/* Atom batches on their way from a flow to the caller of decoder_pull(): filled, then given whole.
 */
#ifndef CSREPLAY_DECODER_FLOW_BATCH_LIST_H
#define CSREPLAY_DECODER_FLOW_BATCH_LIST_H

#include <stddef.h>
#include <stdlib.h>

#include "base/status.h"
#include "base/vec.h"
#include "decoder/flow/graph.h"

struct batch_list {
	struct atom_batch *items; /* owned: to be freed */
	size_t count;
	size_t capacity;
	struct cycle_count *counts; /* of the batches, in their order; owned */
	size_t counted;
	size_t count_capacity;
};

static inline void batch_list_fini(struct batch_list *list)
{
	free(list->items);
	free(list->counts);
	*list = (struct batch_list){.count = 0};
}

static inline void batch_list_clear(struct batch_list *list)
{
	list->count = 0;
	list->counted = 0;
}

/* Room for so many more cycle counts. NO_MEM. */
MUST_USE static inline enum status batch_list_reserve_counts(struct batch_list *list, size_t more)
{
	if (list->counted + more <= list->count_capacity)
		return STATUS_OK;
	return vec_reserve((void **)&list->counts, &list->count_capacity, list->counted + more,
	                   sizeof(*list->counts));
}

/*
 * Appends a cycle count after what the last batch has so far: of its last run, or as an element by
 * itself. There is a batch. NO_MEM.
 */
MUST_USE static inline enum status batch_list_count(struct batch_list *list, uint64_t index,
                                                    uint32_t cycles, bool is_element)
{
	struct atom_batch *batch = &list->items[list->count - 1];

	TRY(batch_list_reserve_counts(list, 1));
	list->counts[list->counted++] = (struct cycle_count){
	        .index = index,
	        .cycles = cycles,
	        .instructions = batch->instructions & CYCLE_COUNT_PLACE_MOST,
	        .is_element = is_element,
	};
	batch->counts++;
	return STATUS_OK;
}

/*
 * Room for one more, and for the visits of its runs; `*batch` is to be filled, and counts with
 * list->count++. NO_MEM.
 */
MUST_USE static inline enum status batch_list_reserve(struct batch_list *list, struct graph *graph,
                                                      struct atom_batch **batch)
{
	if (graph->visited_count + GRAPH_BATCH_RUNS > graph->visited_capacity)
		TRY(graph_reserve_visits(graph, GRAPH_BATCH_RUNS));
	if (list->count == list->capacity)
		TRY(vec_reserve((void **)&list->items, &list->capacity, list->count + 1,
		                sizeof(*list->items)));
	*batch = &list->items[list->count];
	return STATUS_OK;
}

/*
 * Tells the batch that execution comes to it by the indirect branch of `from`, or GRAPH_NO_NODE:
 * the node there, if that branch led to the address before, else GRAPH_NO_NODE.
 */
static inline uint32_t batch_enter(struct atom_batch *batch, const struct graph *graph,
                                   uint32_t from, uint32_t view, enum isa isa, uint64_t address)
{
	struct graph_target target;

	batch->from = GRAPH_NO_NODE;
	if (from == GRAPH_NO_NODE || !graph_find_target(graph, from, view, isa, address, &target))
		return GRAPH_NO_NODE;
	batch->from = from;
	batch->number = target.number;
	return target.node;
}

/* Appends a batch of one run, which is visited. NO_MEM. */
MUST_USE static inline enum status batch_list_add_run(struct batch_list *list, struct graph *graph,
                                                      uint32_t node, bool is_taken, uint64_t index)
{
	struct atom_batch *batch;

	TRY(batch_list_reserve(list, graph, &batch));
	graph_mark(graph, &graph->steps[node], node);
	*batch = (struct atom_batch){.index = index,
	                             .first = node,
	                             .last = node,
	                             .atoms = is_taken,
	                             .instructions = graph->steps[node].count,
	                             .count = 1};
	list->count++;
	return STATUS_OK;
}

#endif
