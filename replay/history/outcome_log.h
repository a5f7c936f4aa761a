/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An outcome log through a code graph: runs one after the other, as a history keeps them. In: atom
 * batches. Out: the runs of a block.
 *
 * Kept is what the code does not say: one bit a run, its outcome (branch taken, instruction
 * executed), and after an indirect branch the number of its target among those that the graph
 * knows for it, mostly one byte. A run that does not follow from the one before is a break: how
 * many runs after the break before it, and its node as a difference, mostly three bytes. Every
 * 2048th run begins a block, which can be expanded without those before it; that costs
 * microseconds, and is all that a seek costs.
 *
 * Invariants: blocks are ordered by position and by bit; all runs of a block but the first and
 * those after breaks follow from the one before through the graph; bits, targets, breaks and blocks
 * only grow, but for outcome_log_drop_last().
 */
#ifndef CSREPLAY_REPLAY_HISTORY_OUTCOME_LOG_H
#define CSREPLAY_REPLAY_HISTORY_OUTCOME_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/log_store.h"
#include "base/status.h"
#include "base/vec.h"
#include "decoder/flow/flow.h"

enum {
	LOG_BLOCK_RUNS = 2048,
	LOG_WORD_BITS = 64, /* of `bits` */
};

struct outcome_log_block {
	uint64_t position; /* of its first instruction, from the start of the outcome log */
	uint64_t bit;      /* of its first run; that of the next block less this is how many runs */
	uint64_t target;   /* first of its target bytes */
	uint64_t breaks;   /* first of its breaks' bytes */
	uint32_t node;     /* of its first run */
};

struct outcome_log {
	struct graph *graph; /* borrowed */
	struct outcome_log_block *blocks;
	size_t block_count;
	size_t block_capacity;
	uint64_t *bits;
	uint64_t run_count;  /* bits in use */
	size_t bit_capacity; /* words */
	uint8_t *targets;
	size_t target_count;
	size_t target_capacity;
	/* Breaks, two LEB128 numbers each: runs since the last one of the block, or its begin; and
	 * from its node to this one's, the sign in bit 0.
	 */
	uint8_t *breaks;
	size_t break_count; /* bytes */
	size_t break_capacity;
	uint64_t break_run;   /* of the last one; or the block's first run */
	uint32_t break_node;  /* its node */
	uint64_t length;      /* instructions */
	uint64_t block_limit; /* of run_count, for the last block */
	/* The last run; without `is_open` the next one is a break. */
	bool is_open;
	bool last_taken;
	uint32_t last;
	struct log_store store; /* all of the above arrays, once it is settled */
	bool is_settled;
};

/* A run of an expanded block. */
struct outcome_log_run {
	uint32_t node;
	uint32_t offset; /* instructions of the block before it */
	bool taken;
};

void outcome_log_init(struct outcome_log *log, struct graph *graph);
void outcome_log_fini(struct outcome_log *log);

/*
 * Room for so many runs and target bytes, so that an outcome log that is written beside others does
 * not move: what is not used costs addresses, and no memory after outcome_log_trim(). NO_MEM.
 */
MUST_USE enum status outcome_log_reserve(struct outcome_log *log, size_t runs, size_t targets);

/* The decoder came to the atom batch by the indirect branch of the last run, and says which of its
 * targets that is. */
static inline bool outcome_log_is_targeted(const struct outcome_log *log,
                                           const struct atom_batch *batch)
{
	return batch->from != GRAPH_NO_NODE && batch->from == log->last;
}

/* Private: reaches the atom batch's first run from the last one, where that is not by an edge of
 * the code.
 */
MUST_USE enum status outcome_log_reach(struct outcome_log *log, const struct atom_batch *batch);

/*
 * Appends an atom batch with at least one instruction in each run. If the outcome log is open the
 * atom batch must lead on from its last run: through an edge of the code, or to any node if that
 * run ends in an indirect branch. NO_MEM.
 */
MUST_USE static inline enum status outcome_log_append(struct outcome_log *log,
                                                      const struct atom_batch *batch)
{
	size_t word = (size_t)(log->run_count / LOG_WORD_BITS);
	unsigned int at = (unsigned int)(log->run_count % LOG_WORD_BITS);

	if (!batch->follows || !log->is_open || log->run_count + batch->count > log->block_limit)
		TRY(outcome_log_reach(log, batch));
	if (word + 2 > log->bit_capacity)
		TRY(vec_reserve((void **)&log->bits, &log->bit_capacity, word + 2,
		                sizeof(*log->bits)));
	/* After the last bit in use its word has zeros. */
	log->bits[word] = at == 0 ? batch->atoms : log->bits[word] | (uint64_t)batch->atoms << at;
	if (at + batch->count > LOG_WORD_BITS)
		log->bits[word + 1] = (uint64_t)batch->atoms >> (LOG_WORD_BITS - at);
	log->run_count += batch->count;
	log->length += batch->instructions;
	log->last = batch->last;
	log->last_taken = (batch->atoms >> (batch->count - 1) & 1) != 0;
	return STATUS_OK;
}

/* What comes next does not follow from what was. */
static inline void outcome_log_break(struct outcome_log *log)
{
	log->is_open = false;
}

/* The next run begins a block, though it may follow from the last one. */
static inline void outcome_log_end_block(struct outcome_log *log)
{
	log->block_limit = 0;
}

/* Takes the last run back, of an open outcome log. It is not open then, and at a block's end. */
void outcome_log_drop_last(struct outcome_log *log);

/* Gives back memory that was reserved and not used. */
void outcome_log_trim(struct outcome_log *log);

/* Nothing is appended any more, nor taken back: it goes to the store. NO_MEM leaves it as it was.
 */
MUST_USE enum status outcome_log_settle(struct outcome_log *log);

/* Runs in the block. */
static inline uint32_t outcome_log_block_runs(const struct outcome_log *log, size_t block)
{
	uint64_t end = block + 1 < log->block_count ? log->blocks[block + 1].bit : log->run_count;

	return (uint32_t)(end - log->blocks[block].bit);
}

/* The block that holds `position` < length. O(log n). */
size_t outcome_log_find_block(const struct outcome_log *log, uint64_t position);

/* The runs of the block; room for LOG_BLOCK_RUNS. Returns how many. */
uint32_t outcome_log_expand(const struct outcome_log *log, size_t block,
                            struct outcome_log_run *runs);

#endif
