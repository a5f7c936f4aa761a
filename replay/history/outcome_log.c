/* SPDX-License-Identifier: Apache-2.0 */
/* An outcome log through a code graph: bits, target numbers and blocks; the form is in
 * outcome_log.h. */
#include "replay/history/outcome_log.h"

#include <assert.h>
#include <stdlib.h>

#include "base/leb128.h"
#include "base/vec.h"

enum {
	/* A target number from here on has four bytes after this one. */
	TARGET_LONG = 0xff,
	TARGET_BYTES_MOST = 5,
	BREAK_BYTES_MOST = 2 * LEB128_MOST,
};

void outcome_log_init(struct outcome_log *log, struct graph *graph)
{
	*log = (struct outcome_log){.graph = graph};
}

void outcome_log_fini(struct outcome_log *log)
{
	if (!log->is_settled) {
		free(log->blocks);
		free(log->bits);
		free(log->targets);
		free(log->breaks);
	}
	log_store_fini(&log->store);
	*log = (struct outcome_log){0};
}

enum status outcome_log_reserve(struct outcome_log *log, size_t runs, size_t targets)
{
	TRY(vec_reserve((void **)&log->bits, &log->bit_capacity, runs / LOG_WORD_BITS + 1,
	                sizeof(*log->bits)));
	TRY(vec_reserve((void **)&log->blocks, &log->block_capacity, runs / LOG_BLOCK_RUNS + 1,
	                sizeof(*log->blocks)));
	return vec_reserve((void **)&log->targets, &log->target_capacity, targets, 1);
}

static enum status begin_block(struct outcome_log *log, uint32_t node)
{
	TRY(vec_reserve((void **)&log->blocks, &log->block_capacity, log->block_count + 1,
	                sizeof(*log->blocks)));
	log->blocks[log->block_count++] = (struct outcome_log_block){
	        .position = log->length,
	        .bit = log->run_count,
	        .target = log->target_count,
	        .breaks = log->break_count,
	        .node = node,
	};
	log->is_open = true;
	log->block_limit = log->run_count + LOG_BLOCK_RUNS;
	log->break_run = log->run_count;
	log->break_node = node;
	return STATUS_OK;
}

static enum status append_break(struct outcome_log *log, uint32_t node)
{
	uint8_t *to;

	if (log->break_count + BREAK_BYTES_MOST > log->break_capacity)
		TRY(vec_reserve((void **)&log->breaks, &log->break_capacity,
		                log->break_count + BREAK_BYTES_MOST, 1));
	to = leb128_put(log->breaks + log->break_count, log->run_count - log->break_run);
	to = leb128_put(to, leb128_fold((uint64_t)node - log->break_node));
	log->break_count = (size_t)(to - log->breaks);
	log->break_run = log->run_count;
	log->break_node = node;
	log->is_open = true;
	return STATUS_OK;
}

static enum status append_target(struct outcome_log *log, const struct atom_batch *batch)
{
	uint32_t number = batch->number;

	if (!outcome_log_is_targeted(log, batch))
		TRY(graph_target_number(log->graph, log->last, batch->first, &number));
	if (log->target_count + TARGET_BYTES_MOST > log->target_capacity)
		TRY(vec_reserve((void **)&log->targets, &log->target_capacity,
		                log->target_count + TARGET_BYTES_MOST, 1));
	if (number < TARGET_LONG) {
		log->targets[log->target_count++] = (uint8_t)number;
		return STATUS_OK;
	}
	log->targets[log->target_count++] = TARGET_LONG;
	for (unsigned int i = 0; i < 4; i++)
		log->targets[log->target_count++] = (uint8_t)(number >> (8 * i));
	return STATUS_OK;
}

enum status outcome_log_reach(struct outcome_log *log, const struct atom_batch *batch)
{
	if (log->run_count + batch->count > log->block_limit)
		return begin_block(log, batch->first);
	if (!log->is_open)
		return append_break(log, batch->first);
	if (outcome_log_is_targeted(log, batch) ||
	    graph_leaves(log->graph, log->last, log->last_taken) ||
	    graph_is_indirect(log->graph, log->last, log->last_taken))
		return append_target(log, batch);
	if (graph_link(log->graph, log->last, log->last_taken, batch->first))
		return STATUS_OK;
	return append_break(log, batch->first);
}

void outcome_log_drop_last(struct outcome_log *log)
{
	uint64_t bit = --log->run_count;

	assert(bit + 1 > 0);
	log->bits[bit / LOG_WORD_BITS] &= ~(UINT64_C(1) << (bit % LOG_WORD_BITS));
	log->length -= log->graph->steps[log->last].count;
	if (log->blocks[log->block_count - 1].bit == bit)
		log->block_count--;
	log->is_open = false;
	/* What led to that run may be among the targets or breaks: no reader of the block comes to
	 * it. */
	outcome_log_end_block(log);
}

static void trim(void **items, size_t *capacity, size_t used, size_t item_size)
{
	void *trimmed = used > 0 ? realloc(*items, used * item_size) : NULL;

	if (!trimmed)
		return;
	*items = trimmed;
	*capacity = used;
}

void outcome_log_trim(struct outcome_log *log)
{
	size_t words = (size_t)(log->run_count / LOG_WORD_BITS) + 1;

	if (words < log->bit_capacity)
		trim((void **)&log->bits, &log->bit_capacity, words, sizeof(*log->bits));
	trim((void **)&log->targets, &log->target_capacity, log->target_count, 1);
	trim((void **)&log->breaks, &log->break_capacity, log->break_count, 1);
	trim((void **)&log->blocks, &log->block_capacity, log->block_count, sizeof(*log->blocks));
}

enum status outcome_log_settle(struct outcome_log *log)
{
	size_t words = (size_t)((log->run_count + LOG_WORD_BITS - 1) / LOG_WORD_BITS);

	if (log->is_settled)
		return STATUS_OK;
	/* Of all four or of none. */
	TRY(log_store_reserve(&log->store, 4));
	log_store_keep(&log->store, (void **)&log->bits, words * sizeof(*log->bits));
	log_store_keep(&log->store, (void **)&log->blocks, log->block_count * sizeof(*log->blocks));
	log_store_keep(&log->store, (void **)&log->targets, log->target_count);
	log_store_keep(&log->store, (void **)&log->breaks, log->break_count);
	log_store_end(&log->store);
	log->is_settled = true;
	return STATUS_OK;
}

size_t outcome_log_find_block(const struct outcome_log *log, uint64_t position)
{
	size_t low = 0;
	size_t high = log->block_count;

	assert(position < log->length);
	/* The last block at or before the position lies in [low, high). */
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (log->blocks[middle].position <= position)
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

/* The breaks of a block, one after the other. */
struct break_reader {
	const uint8_t *at;
	const uint8_t *end;
	uint64_t run; /* of the block, before which the next break is; UINT64_MAX: there is none */
	uint64_t node;
};

static void next_break(struct break_reader *breaks)
{
	uint64_t runs;
	uint64_t moves;

	if (breaks->at == breaks->end) {
		breaks->run = UINT64_MAX;
		return;
	}
	breaks->at = leb128_take(breaks->at, &runs);
	breaks->at = leb128_take(breaks->at, &moves);
	breaks->run += runs;
	breaks->node += leb128_unfold(moves);
}

static struct break_reader breaks_of(const struct outcome_log *log, size_t block)
{
	const struct outcome_log_block *b = &log->blocks[block];
	uint64_t end = block + 1 < log->block_count ? b[1].breaks : log->break_count;
	struct break_reader breaks = {.node = b->node};

	/* Where there are none at all there are no bytes. */
	if (b->breaks < end) {
		breaks.at = log->breaks + b->breaks;
		breaks.end = log->breaks + end;
	}
	next_break(&breaks);
	return breaks;
}

uint32_t outcome_log_expand(const struct outcome_log *log, size_t block,
                            struct outcome_log_run *runs)
{
	const struct outcome_log_block *b = &log->blocks[block];
	const struct graph *graph = log->graph;
	struct break_reader breaks = breaks_of(log, block);
	uint64_t target = b->target;
	uint32_t count = outcome_log_block_runs(log, block);
	uint32_t node = b->node;
	uint32_t offset = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t bit = b->bit + i;
		bool taken = (log->bits[bit / LOG_WORD_BITS] >> (bit % LOG_WORD_BITS) & 1) != 0;
		const struct graph_step *step = &graph->steps[node];
		uint32_t next = step->next[taken];

		runs[i] = (struct outcome_log_run){node, offset, taken};
		offset += step->count;
		/* An edge that an atom may take is the successor, and lies nearer. */
		if (next < GRAPH_FIRST)
			next = graph->successors[node][taken];
		if (i + 1 == breaks.run) {
			next = (uint32_t)breaks.node;
			next_break(&breaks);
		} else if (next == GRAPH_NO_NODE && i + 1 < count) {
			next = graph_target(graph, node, read_target(log->targets, &target));
		}
		node = next;
	}
	return count;
}
