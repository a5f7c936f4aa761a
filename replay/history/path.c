/* SPDX-License-Identifier: Apache-2.0 */
/* A path through a code graph: bits, target numbers and blocks; the form is in path.h. */
#include "replay/history/path.h"

#include <assert.h>
#include <stdlib.h>

#include "base/vec.h"

enum {
	/* A target number from here on has four bytes behind this one. */
	TARGET_LONG = 0xff,
	TARGET_BYTES_MOST = 5,
};

void path_init(struct path *path, struct graph *graph)
{
	*path = (struct path){.graph = graph};
}

void path_fini(struct path *path)
{
	free(path->blocks);
	free(path->bits);
	free(path->targets);
	*path = (struct path){0};
}

enum status path_reserve(struct path *path, size_t runs, size_t targets)
{
	TRY(vec_reserve((void **)&path->bits, &path->bit_capacity, runs / PATH_WORD_BITS + 1,
	                sizeof(*path->bits)));
	TRY(vec_reserve((void **)&path->blocks, &path->block_capacity, runs / PATH_BLOCK_RUNS + 1,
	                sizeof(*path->blocks)));
	return vec_reserve((void **)&path->targets, &path->target_capacity, targets, 1);
}

static enum status begin_block(struct path *path, uint32_t node)
{
	TRY(vec_reserve((void **)&path->blocks, &path->block_capacity, path->block_count + 1,
	                sizeof(*path->blocks)));
	path->blocks[path->block_count++] = (struct path_block){
	        .position = path->length,
	        .bit = path->run_count,
	        .target = path->target_count,
	        .node = node,
	};
	path->is_open = true;
	path->block_limit = path->run_count + PATH_BLOCK_RUNS;
	return STATUS_OK;
}

static enum status append_target(struct path *path, const struct leg *leg)
{
	uint32_t number = leg->number;

	if (leg->from != path->last)
		TRY(graph_target_number(path->graph, path->last, leg->first, &number));
	TRY(vec_reserve((void **)&path->targets, &path->target_capacity,
	                path->target_count + TARGET_BYTES_MOST, 1));
	if (number < TARGET_LONG) {
		path->targets[path->target_count++] = (uint8_t)number;
		return STATUS_OK;
	}
	path->targets[path->target_count++] = TARGET_LONG;
	for (unsigned int i = 0; i < 4; i++)
		path->targets[path->target_count++] = (uint8_t)(number >> (8 * i));
	return STATUS_OK;
}

enum status path_reach(struct path *path, const struct leg *leg)
{
	if (!path->is_open || path->run_count + leg->count > path->block_limit)
		return begin_block(path, leg->first);
	if (graph_leaves(path->graph, path->last, path->last_taken) ||
	    graph_is_indirect(path->graph, path->last, path->last_taken))
		return append_target(path, leg);
	if (graph_link(path->graph, path->last, path->last_taken, leg->first))
		return STATUS_OK;
	return begin_block(path, leg->first);
}

void path_drop_last(struct path *path)
{
	uint64_t bit = --path->run_count;

	assert(bit + 1 > 0);
	path->bits[bit / PATH_WORD_BITS] &= ~(UINT64_C(1) << (bit % PATH_WORD_BITS));
	path->length -= path->graph->steps[path->last].count;
	if (path->blocks[path->block_count - 1].bit == bit)
		path->block_count--;
	path->is_open = false;
}

static void trim(void **items, size_t *capacity, size_t used, size_t item_size)
{
	void *trimmed = used > 0 ? realloc(*items, used * item_size) : NULL;

	if (!trimmed)
		return;
	*items = trimmed;
	*capacity = used;
}

void path_trim(struct path *path)
{
	size_t words = (size_t)(path->run_count / PATH_WORD_BITS) + 1;

	if (words < path->bit_capacity)
		trim((void **)&path->bits, &path->bit_capacity, words, sizeof(*path->bits));
	trim((void **)&path->targets, &path->target_capacity, path->target_count, 1);
	trim((void **)&path->blocks, &path->block_capacity, path->block_count,
	     sizeof(*path->blocks));
}

size_t path_find_block(const struct path *path, uint64_t position)
{
	size_t low = 0;
	size_t high = path->block_count;

	assert(position < path->length);
	/* The last block at or before the position lies in [low, high). */
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (path->blocks[middle].position <= position)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static uint32_t read_target(const uint8_t *targets, uint64_t *at)
{
	uint32_t number = targets[(*at)++];

	if (number < TARGET_LONG)
		return number;
	number = 0;
	for (unsigned int i = 0; i < 4; i++)
		number |= (uint32_t)targets[(*at)++] << (8 * i);
	return number;
}

uint32_t path_expand(const struct path *path, size_t block, struct path_run *runs)
{
	const struct path_block *b = &path->blocks[block];
	const struct graph *graph = path->graph;
	uint64_t target = b->target;
	uint32_t count = path_block_runs(path, block);
	uint32_t node = b->node;
	uint32_t offset = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t bit = b->bit + i;
		bool taken = (path->bits[bit / PATH_WORD_BITS] >> (bit % PATH_WORD_BITS) & 1) != 0;
		const struct graph_step *step = &graph->steps[node];
		uint32_t next = step->next[taken];

		runs[i] = (struct path_run){node, offset, taken};
		offset += step->count;
		/* An edge that an atom may take is the successor, and lies nearer. */
		if (next < GRAPH_FIRST)
			next = graph->successors[node][taken];
		if (next == GRAPH_NO_NODE && i + 1 < count)
			next = graph_target(graph, node, read_target(path->targets, &target));
		node = next;
	}
	return count;
}
