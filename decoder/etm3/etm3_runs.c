/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions of an ETMv3 through the code graph; see etm3_runs.h. */
#include "decoder/etm3/etm3_runs.h"

void etm3_runs_jump(struct etm3_runs *runs)
{
	runs->at = GRAPH_NO_NODE;
}

void etm3_runs_break(struct etm3_runs *runs)
{
	runs->at = GRAPH_NO_NODE;
	runs->from = GRAPH_NO_NODE;
}

uint32_t etm3_runs_find(struct etm3_runs *runs, struct etm3_place place)
{
	uint32_t node;

	runs->entry.from = GRAPH_NO_NODE;
	runs->entry.follows = runs->at != GRAPH_NO_NODE;
	if (runs->entry.follows)
		return runs->at;
	node = batch_enter(&runs->entry, runs->graph, runs->from, place.view, place.isa,
	                   place.address);
	return node != GRAPH_NO_NODE
	               ? node
	               : graph_find(runs->graph, place.view, place.isa, place.address);
}

enum status etm3_runs_enter(struct etm3_runs *runs, struct etm3_place place,
                            const struct walk **walk)
{
	runs->node = etm3_runs_find(runs, place);
	if (runs->node == GRAPH_NO_NODE) {
		TRY(follow_insn(runs->follow, place.view, place.isa, place.address, walk));
		TRY(graph_add(runs->graph, place.view, *walk, &runs->node));
	}
	*walk = &runs->graph->nodes[runs->node].walk;
	return STATUS_OK;
}

/* Where the code leads from the node that was entered. */
static void learn_edge(struct etm3_runs *runs, bool is_executed, const struct etm3_place *next)
{
	uint32_t *edge = &runs->graph->steps[runs->node].next[is_executed];

	etm3_runs_break(runs);
	if (!next) {
		if (graph_is_indirect(runs->graph, runs->node, is_executed)) {
			*edge = GRAPH_LEAVES;
			runs->from = runs->node;
		}
		return;
	}
	if (*edge >= GRAPH_FIRST) {
		runs->at = *edge;
		return;
	}
	/* The history is to see that. */
	if (graph_contradicts(&runs->graph->nodes[runs->node].walk.last, is_executed))
		return;
	runs->at = graph_find(runs->graph, next->view, next->isa, next->address);
	if (runs->at == GRAPH_NO_NODE ||
	    !graph_link(runs->graph, runs->node, is_executed, runs->at))
		runs->at = GRAPH_NO_NODE;
	else
		*edge = runs->at;
}

enum status etm3_runs_hold(struct etm3_runs *runs, struct etm3_run run,
                           const struct etm3_place *next)
{
	TRY(etm3_runs_release(runs));
	runs->held = runs->entry;
	runs->held.index = run.index;
	runs->held.first = runs->node;
	runs->held.last = runs->node;
	runs->held.atoms = run.is_executed;
	runs->held.instructions = runs->graph->steps[runs->node].count;
	runs->held.count = 1;
	runs->held_counts = run.has_cycles;
	runs->held_cycles = run.cycles;
	runs->has_held = true;
	runs->queued++;
	learn_edge(runs, run.is_executed, next);
	return STATUS_OK;
}

/* The run goes on where the last batch ends, and has nothing of its own to say. */
static bool can_join(const struct etm3_runs *runs, const struct atom_batch *last)
{
	const struct atom_batch *held = &runs->held;

	return held->follows && last->count > 0 && last->count < GRAPH_BATCH_RUNS &&
	       !graph_contradicts(&runs->graph->nodes[held->last].walk.last, held->atoms != 0);
}

/* The run that was held goes to the batches: to the last one, or to one of its own. */
static enum status append_held(struct etm3_runs *runs)
{
	struct batch_list *list = runs->batches;
	struct atom_batch *last = list->count > 0 ? &list->items[list->count - 1] : NULL;
	const struct atom_batch *held = &runs->held;

	if (last && can_join(runs, last)) {
		last->atoms |= held->atoms << last->count;
		last->last = held->last;
		last->instructions += held->instructions;
		last->count++;
		return STATUS_OK;
	}
	TRY(vec_reserve((void **)&list->items, &list->capacity, list->count + 1,
	                sizeof(*list->items)));
	list->items[list->count] = *held;
	list->items[list->count++].counts = 0;
	return STATUS_OK;
}

enum status etm3_runs_end_packet(struct etm3_runs *runs)
{
	return runs->queued > 1 ? etm3_runs_release(runs) : STATUS_OK;
}

enum status etm3_runs_release(struct etm3_runs *runs)
{
	if (!runs->has_held)
		return STATUS_OK;
	runs->has_held = false;
	TRY(graph_visit(runs->graph, runs->held.last));
	TRY(append_held(runs));
	if (!runs->held_counts)
		return STATUS_OK;
	return batch_list_count(runs->batches, runs->held.index, runs->held_cycles, false);
}

void etm3_runs_drop(struct etm3_runs *runs)
{
	runs->has_held = false;
	runs->was_in_doubt = false;
	etm3_runs_break(runs);
}
