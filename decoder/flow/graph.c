/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The code graph: nodes in arrays by number, found by a hash table of addresses; targets of
 * indirect branches in a list a node, found by a hash table of edges.
 */
#include "decoder/flow/graph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/huge_pages.h"
#include "base/vec.h"

enum {
	/*
	 * Room at first: arrays that need not grow need not move, which costs other threads too. Of
	 * what is not used no page is ever touched.
	 */
	NODES_FIRST = 1 << 14,
	SLOTS_FIRST = 1 << 15, /* power of two, as all sizes of the tables */
	EDGES_FIRST = 1 << 13,
};

struct graph_slot {
	uint64_t start;
	uint32_t node; /* GRAPH_NO_NODE: the slot is free */
	uint32_t view;
	uint8_t isa;
	bool is_odd;
};

struct graph_targets {
	uint32_t *nodes;
	size_t count;
	size_t capacity;
};

struct graph_edge {
	uint64_t address; /* of `to` */
	uint32_t from;    /* GRAPH_NO_NODE: the slot is free */
	uint32_t to;
	uint32_t number;
	uint64_t kind; /* of `to`: edge_kind() */
};

enum { EDGE_ODD = 1 }; /* in the kind: there may be other nodes at the address */

/* View and instruction set in one: each way of the trace through the graph compares them. */
static uint64_t edge_kind(uint32_t view, enum isa isa, bool is_odd)
{
	return (uint64_t)view << 8 | (uint64_t)isa << 1 | (is_odd ? EDGE_ODD : 0);
}

struct graph *graph_create(void)
{
	struct graph *graph = calloc(1, sizeof(*graph));

	if (!graph)
		return NULL;
	graph->epoch = 1;
	return graph;
}

void graph_destroy(struct graph *graph)
{
	if (!graph)
		return;
	for (size_t i = 0; i < graph->target_count; i++)
		free(graph->targets[i].nodes);
	free(graph->targets);
	free(graph->edges);
	free(graph->slots);
	free(graph->visited);
	free(graph->successors);
	free(graph->steps);
	free(graph->nodes);
	free(graph);
}

static size_t hash_of(uint64_t start, enum isa isa, uint32_t view)
{
	return hash_u64(start ^ ((uint64_t)view << 56 | (uint64_t)isa << 44));
}

uint32_t graph_find(const struct graph *graph, uint32_t view, enum isa isa, uint64_t start)
{
	size_t mask = graph->slot_count - 1;

	if (graph->slot_count == 0)
		return GRAPH_NO_NODE;
	for (size_t i = hash_of(start, isa, view);; i++) {
		const struct graph_slot *slot = &graph->slots[i & mask];

		if (slot->node == GRAPH_NO_NODE ||
		    (slot->start == start && slot->isa == (uint8_t)isa && slot->view == view &&
		     !slot->is_odd))
			return slot->node;
	}
}

/* A free slot for a node that is not in the table. */
static struct graph_slot *free_slot(struct graph_slot *slots, size_t count, uint64_t start,
                                    enum isa isa, uint32_t view)
{
	size_t i = hash_of(start, isa, view);

	while (slots[i & (count - 1)].node != GRAPH_NO_NODE)
		i++;
	return &slots[i & (count - 1)];
}

/* Keeps a quarter of the slots free: fewer would make searches long, more the table. */
static enum status make_room(struct graph *graph)
{
	size_t grown = graph->slot_count ? 2 * graph->slot_count : SLOTS_FIRST;
	struct graph_slot *slots;

	if (graph->count + 1 <= graph->slot_count / 4 * 3)
		return STATUS_OK;
	slots = huge_pages_calloc(grown, sizeof(*slots));
	if (!slots)
		return STATUS_NO_MEM;
	for (size_t i = 0; i < graph->slot_count; i++) {
		const struct graph_slot *old = &graph->slots[i];

		if (old->node != GRAPH_NO_NODE)
			*free_slot(slots, grown, old->start, (enum isa)old->isa, old->view) = *old;
	}
	free(graph->slots);
	graph->slots = slots;
	graph->slot_count = grown;
	return STATUS_OK;
}

/* Room for nodes up to number `count` - 1 in all arrays. */
static enum status reserve_nodes(struct graph *graph, size_t count)
{
	TRY(vec_reserve((void **)&graph->nodes, &graph->node_capacity, count,
	                sizeof(*graph->nodes)));
	TRY(vec_reserve((void **)&graph->steps, &graph->step_capacity, count,
	                sizeof(*graph->steps)));
	return vec_reserve((void **)&graph->successors, &graph->successor_capacity, count,
	                   sizeof(*graph->successors));
}

static enum status add_node(struct graph *graph, uint32_t view, const struct walk *walk,
                            bool is_odd, uint32_t *node)
{
	size_t number = graph->count < GRAPH_FIRST ? GRAPH_FIRST : graph->count;

	if (number >= UINT32_MAX / 2)
		return STATUS_NO_MEM;
	TRY(make_room(graph));
	TRY(reserve_nodes(graph, number < NODES_FIRST ? NODES_FIRST : number + 1));
	if (graph->count == 0) {
		memset(graph->nodes, 0, GRAPH_FIRST * sizeof(*graph->nodes));
		memset(graph->steps, 0, GRAPH_FIRST * sizeof(*graph->steps));
		memset(graph->successors, 0, GRAPH_FIRST * sizeof(*graph->successors));
	}
	graph->nodes[number] = (struct basic_block){.walk = *walk, .view = view, .is_odd = is_odd};
	graph->steps[number] =
	        (struct graph_step){.next = {GRAPH_ALONE, GRAPH_ALONE}, .count = walk->count};
	graph->successors[number][0] = GRAPH_NO_NODE;
	graph->successors[number][1] = GRAPH_NO_NODE;
	graph->count = number + 1;
	*free_slot(graph->slots, graph->slot_count, walk->start, walk->isa, view) =
	        (struct graph_slot){walk->start, (uint32_t)number, view, (uint8_t)walk->isa,
	                            is_odd};
	*node = (uint32_t)number;
	return STATUS_OK;
}

enum status graph_add(struct graph *graph, uint32_t view, const struct walk *walk, uint32_t *node)
{
	assert(walk->count > 0);
	return add_node(graph, view, walk, false, node);
}

static bool is_same_run(const struct walk *a, const struct walk *b)
{
	return a->start == b->start && a->end == b->end && a->count == b->count &&
	       a->isa == b->isa && a->last.size == b->last.size && a->last.class == b->last.class &&
	       a->last.subclass == b->last.subclass &&
	       a->last.is_conditional == b->last.is_conditional;
}

bool graph_is_odd_node(const struct graph *graph, uint32_t node, uint32_t view,
                       const struct walk *walk)
{
	const struct basic_block *n = &graph->nodes[node];

	return n->is_odd && n->view == view && is_same_run(&n->walk, walk);
}

enum status graph_intern(struct graph *graph, uint32_t view, const struct walk *walk,
                         uint32_t *node, bool *is_new)
{
	size_t mask = graph->slot_count - 1;

	*is_new = false;
	for (size_t i = hash_of(walk->start, walk->isa, view); graph->slot_count > 0; i++) {
		const struct graph_slot *slot = &graph->slots[i & mask];

		*node = slot->node;
		if (slot->node == GRAPH_NO_NODE)
			break;
		if (slot->is_odd && slot->start == walk->start && slot->view == view &&
		    is_same_run(&graph->nodes[slot->node].walk, walk))
			return STATUS_OK;
	}
	*is_new = true;
	return add_node(graph, view, walk, true, node);
}

bool graph_link(struct graph *graph, uint32_t node, bool taken, uint32_t to)
{
	uint32_t *successor = &graph->successors[node][taken];

	if (*successor == GRAPH_NO_NODE && graph->nodes[node].is_odd == graph->nodes[to].is_odd)
		*successor = to;
	return *successor == to;
}

/* The slot of the edge, or the free one that it would take; there is always a free one. */
static inline struct graph_edge *edge_slot(struct graph_edge *edges, size_t count,
                                           const struct graph_edge *edge)
{
	size_t i = hash_u64(edge->address ^ (uint64_t)edge->from << 32 ^ edge->kind << 44);

	for (;; i++) {
		struct graph_edge *slot = &edges[i & (count - 1)];

		if ((slot->from == edge->from && slot->address == edge->address &&
		     slot->kind == edge->kind &&
		     ((edge->kind & EDGE_ODD) == 0 || slot->to == edge->to)) ||
		    slot->from == GRAPH_NO_NODE)
			return slot;
	}
}

static enum status make_edge_room(struct graph *graph)
{
	size_t grown = graph->edge_slots ? 2 * graph->edge_slots : EDGES_FIRST;
	struct graph_edge *edges;

	if (graph->edge_count + 1 <= graph->edge_slots / 4 * 3)
		return STATUS_OK;
	edges = huge_pages_calloc(grown, sizeof(*edges));
	if (!edges)
		return STATUS_NO_MEM;
	for (size_t i = 0; i < graph->edge_slots; i++) {
		const struct graph_edge *old = &graph->edges[i];

		if (old->from != GRAPH_NO_NODE)
			*edge_slot(edges, grown, old) = *old;
	}
	free(graph->edges);
	graph->edges = edges;
	graph->edge_slots = grown;
	return STATUS_OK;
}

bool graph_find_target(const struct graph *graph, uint32_t node, uint32_t view, enum isa isa,
                       uint64_t address, struct graph_target *target)
{
	struct graph_edge wanted = {
	        .address = address, .from = node, .kind = edge_kind(view, isa, false)};
	const struct graph_edge *edge;

	if (graph->edge_slots == 0)
		return false;
	edge = edge_slot(graph->edges, graph->edge_slots, &wanted);
	*target = (struct graph_target){edge->to, edge->number};
	return edge->from != GRAPH_NO_NODE;
}

/* The node's list of targets, made if it has none. NO_MEM. */
static enum status targets_of(struct graph *graph, uint32_t node, struct graph_targets **targets)
{
	uint32_t *index = &graph->nodes[node].targets;

	if (*index == 0) {
		TRY(vec_reserve((void **)&graph->targets, &graph->target_capacity,
		                graph->target_count + 1, sizeof(*graph->targets)));
		graph->targets[graph->target_count++] = (struct graph_targets){0};
		*index = (uint32_t)graph->target_count;
	}
	*targets = &graph->targets[*index - 1];
	return STATUS_OK;
}

enum status graph_target_number(struct graph *graph, uint32_t node, uint32_t to, uint32_t *number)
{
	const struct basic_block *target = &graph->nodes[to];
	struct graph_edge wanted = {
	        .address = target->walk.start,
	        .from = node,
	        .to = to,
	        .kind = edge_kind(target->view, target->walk.isa, target->is_odd)};
	struct graph_targets *targets;
	struct graph_edge *edge;

	TRY(make_edge_room(graph));
	edge = edge_slot(graph->edges, graph->edge_slots, &wanted);
	*number = edge->number;
	if (edge->from != GRAPH_NO_NODE)
		return STATUS_OK;
	TRY(targets_of(graph, node, &targets));
	TRY(vec_reserve((void **)&targets->nodes, &targets->capacity, targets->count + 1,
	                sizeof(*targets->nodes)));
	*number = (uint32_t)targets->count;
	targets->nodes[targets->count++] = to;
	wanted.number = *number;
	*edge = wanted;
	graph->edge_count++;
	return STATUS_OK;
}

uint32_t graph_target(const struct graph *graph, uint32_t node, uint32_t number)
{
	return graph->targets[graph->nodes[node].targets - 1].nodes[number];
}

size_t graph_target_count(const struct graph *graph, uint32_t node)
{
	uint32_t index = graph->nodes[node].targets;

	return index == 0 ? 0 : graph->targets[index - 1].count;
}

void graph_begin_epoch(struct graph *graph)
{
	graph->epoch++;
	graph->visited_count = 0;
	graph->was_retracted = false;
}

enum status graph_reserve_visits(struct graph *graph, size_t count)
{
	return vec_reserve((void **)&graph->visited, &graph->visited_capacity,
	                   graph->visited_count + count, sizeof(*graph->visited));
}

enum status graph_visit(struct graph *graph, uint32_t node)
{
	TRY(graph_reserve_visits(graph, 1));
	graph_mark(graph, &graph->steps[node], node);
	return STATUS_OK;
}
