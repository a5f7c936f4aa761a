/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A long log of small records, kept in few bytes. In: rows, each a struct of whole 64-bit words
 * whose first is a position, in order of positions; and with each its kind, a small number of the
 * owner's: rows of one kind are alike. Out: the same rows, by index or by position.
 *
 * Rows lie in blocks of up to ROW_BLOCK. A row of a block is what changed in it since the row of
 * its kind before (the position: since the row before, of any kind):
 *
 *	kind * 2 + 1, delta of the position, deltas of the words that the last row of its kind named
 *	kind * 2, mask of words (2 bytes), delta of the position, deltas of the words of the mask
 *
 * A delta is a LEB128 number of the difference, its sign in bit 0. A block begins as if all words
 * had been 0. The rows of the last block are as they came, until row_log_end().
 */
#ifndef CSREPLAY_REPLAY_HISTORY_ROW_LOG_H
#define CSREPLAY_REPLAY_HISTORY_ROW_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum {
	ROW_BLOCK = 128,
	ROW_WORDS_MOST = 16, /* of a row */
	ROW_KINDS_MOST = 32,
	ROW_ANY = 0xffff, /* a mask of words: all */
};

struct row_block {
	uint8_t *bytes;
	size_t first_row; /* index in the log */
	uint64_t first;   /* position of the first row */
	uint64_t last;    /* and of the last; no row of the block has a later one */
	/* What the rows are to have added: to the position, to the word after it. */
	uint64_t add_position;
	uint64_t add_value;
};

struct row_log {
	unsigned int words;       /* of a row, the position one of them */
	struct row_block *blocks; /* coded */
	size_t block_count;
	size_t block_capacity;
	uint64_t *open; /* rows after those of the blocks: ROW_BLOCK of `words` words, or NULL */
	uint8_t open_kinds[ROW_BLOCK];
	uint16_t open_masks[ROW_BLOCK]; /* words in which they can differ from the row before */
	size_t open_count;
	size_t count; /* rows */
};

/* A block as it was last read. `bytes` is NULL before its first use. */
struct row_cache {
	const uint8_t *bytes; /* the block's */
	size_t first_row;
	size_t count;
	uint8_t kinds[ROW_BLOCK];
	uint64_t rows[ROW_BLOCK * ROW_WORDS_MOST];
};

/* `row_size`: of a row in bytes, a multiple of 8, at most ROW_WORDS_MOST words. */
void row_log_init(struct row_log *log, size_t row_size);
void row_log_fini(struct row_log *log);

/*
 * Its position is not before that of the last row. `mask` has a bit for each word in which it may
 * differ from the last row of its kind, or is ROW_ANY. NO_MEM leaves the log as it was.
 */
MUST_USE enum status row_log_add(struct row_log *log, unsigned int kind, unsigned int mask,
                                 const void *row);

/* Copies out row `index` < count. The cache is this log's alone. */
void row_log_at(const struct row_log *log, size_t index, struct row_cache *cache, void *row);

/* Replaces row `index` < count by one of its kind and position. Cheap for one of the newest. */
MUST_USE enum status row_log_set(struct row_log *log, size_t index, const void *row);

/* No row is after `position`: those that are move there. */
void row_log_clamp(struct row_log *log, uint64_t position);

/* Index of the first row at `position` or after it, or count. */
size_t row_log_index(const struct row_log *log, uint64_t position, struct row_cache *cache);

/* Codes what is not coded yet, and gives back what only adding needs. */
MUST_USE enum status row_log_end(struct row_log *log);

/*
 * Moves the rows of `other`, which is empty then, after those of `log`, of the same size, with
 * `position` added to their positions and `value` to the word after it. After NO_MEM both are good
 * for row_log_fini() alone.
 */
MUST_USE enum status row_log_join(struct row_log *log, struct row_log *other, uint64_t position,
                                  uint64_t value);

#endif
