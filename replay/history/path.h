/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A path through a code graph: runs one behind the other, as a history keeps them. In: legs. Out:
 * the runs of a block.
 *
 * Kept is what the code does not say: one bit a run, its outcome (branch taken, instruction
 * executed), and behind an indirect branch the number of its target among those that the graph
 * knows for it, mostly one byte. A run that does not follow from the one before begins a block, and
 * so does every 2048th. A block can be expanded without those before it; that costs microseconds,
 * and is all that a seek costs.
 *
 * Invariants: blocks are ordered by position and by bit; all runs of a block but the first follow
 * from the one before through the graph; bits, targets and blocks only grow, but for
 * path_drop_last().
 */
#ifndef CSREPLAY_REPLAY_HISTORY_PATH_H
#define CSREPLAY_REPLAY_HISTORY_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/vec.h"
#include "decoder/flow/flow.h"

enum {
	PATH_BLOCK_RUNS = 2048,
	PATH_WORD_BITS = 64, /* of `bits` */
};

struct path_block {
	uint64_t position; /* of its first instruction, from the begin of the path */
	uint64_t bit;      /* of its first run; that of the next block less this is how many runs */
	uint64_t target;   /* first of its target bytes */
	uint32_t node;     /* of its first run */
};

struct path {
	struct graph *graph; /* borrowed */
	struct path_block *blocks;
	size_t block_count;
	size_t block_capacity;
	uint64_t *bits;
	uint64_t run_count;  /* bits in use */
	size_t bit_capacity; /* words */
	uint8_t *targets;
	size_t target_count;
	size_t target_capacity;
	uint64_t length;      /* instructions */
	uint64_t block_limit; /* of run_count, for the last block */
	/* The last run; without `is_open` the next one begins a block. */
	bool is_open;
	bool last_taken;
	uint32_t last;
};

/* A run of an expanded block. */
struct path_run {
	uint32_t node;
	uint32_t offset; /* instructions of the block before it */
	bool taken;
};

void path_init(struct path *path, struct graph *graph);
void path_fini(struct path *path);

/*
 * Room for so many runs and target bytes, so that a path that is written beside others does not
 * move: what is not used costs addresses, and no memory after path_trim(). NO_MEM.
 */
MUST_USE enum status path_reserve(struct path *path, size_t runs, size_t targets);

/* Private: reaches the leg's first run from the last one, where that is not by an edge of the code.
 */
MUST_USE enum status path_reach(struct path *path, const struct leg *leg);

/*
 * Appends a leg with at least one instruction in each run. If the path is open the leg must lead on
 * from its last run: through an edge of the code, or to any node if that run ends in an indirect
 * branch. NO_MEM.
 */
MUST_USE static inline enum status path_append(struct path *path, const struct leg *leg)
{
	size_t word = (size_t)(path->run_count / PATH_WORD_BITS);
	unsigned int at = (unsigned int)(path->run_count % PATH_WORD_BITS);

	if (!leg->follows || !path->is_open || path->run_count + leg->count > path->block_limit)
		TRY(path_reach(path, leg));
	if (word + 2 > path->bit_capacity)
		TRY(vec_reserve((void **)&path->bits, &path->bit_capacity, word + 2,
		                sizeof(*path->bits)));
	/* Behind the last bit in use its word has zeros. */
	path->bits[word] = at == 0 ? leg->atoms : path->bits[word] | (uint64_t)leg->atoms << at;
	if (at + leg->count > PATH_WORD_BITS)
		path->bits[word + 1] = (uint64_t)leg->atoms >> (PATH_WORD_BITS - at);
	path->run_count += leg->count;
	path->length += leg->instructions;
	path->last = leg->last;
	path->last_taken = (leg->atoms >> (leg->count - 1) & 1) != 0;
	return STATUS_OK;
}

/* What comes next does not follow from what was. */
static inline void path_break(struct path *path)
{
	path->is_open = false;
}

/* The next run begins a block, though it may follow from the last one. */
static inline void path_end_block(struct path *path)
{
	path->block_limit = 0;
}

/* Takes the last run back; there must be one. The path is not open then. */
void path_drop_last(struct path *path);

/* Gives back memory that was reserved and not used. */
void path_trim(struct path *path);

/* Runs in the block. */
static inline uint32_t path_block_runs(const struct path *path, size_t block)
{
	uint64_t end =
	        block + 1 < path->block_count ? path->blocks[block + 1].bit : path->run_count;

	return (uint32_t)(end - path->blocks[block].bit);
}

/* The block that holds `position` < length. O(log n). */
size_t path_find_block(const struct path *path, uint64_t position);

/* The runs of the block; room for PATH_BLOCK_RUNS. Returns how many. */
uint32_t path_expand(const struct path *path, size_t block, struct path_run *runs);

#endif
