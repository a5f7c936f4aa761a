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
 * had been 0. The last block is coded while it grows, but for rows at its end of which nothing is
 * known beforehand: these are as they came until one comes of which it is.
 */
#ifndef CSREPLAY_REPLAY_HISTORY_ROW_LOG_H
#define CSREPLAY_REPLAY_HISTORY_ROW_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/leb128.h"
#include "base/log_store.h"
#include "base/status.h"

enum {
	ROW_BLOCK = 128,
	ROW_WORDS_MOST = 16, /* of a row */
	ROW_KINDS_MOST = 32,
	ROW_ANY = 0xfffe, /* a mask of words: all but the position */
	ROW_BYTES_MOST = 3 + ROW_WORDS_MOST * LEB128_MOST,
};

/* What the rows of a block before the one at hand were, by kind; the words of a seen kind hold. */
struct row_coder {
	uint64_t position;
	uint32_t seen; /* a bit a kind */
	uint16_t masks[ROW_KINDS_MOST];
	uint64_t words[ROW_KINDS_MOST][ROW_WORDS_MOST];
};

/* The block that rows are added to: first those that are coded, then those that are not yet. */
struct row_open {
	struct row_coder coder;
	uint8_t *end; /* of what is coded, in `bytes` */
	size_t coded; /* rows */
	size_t raw;
	bool is_changed; /* a row of it was replaced: those after it may differ in any word */
	uint64_t first;  /* position of the first coded row, and of the last */
	uint64_t last;
	uint8_t kinds[ROW_BLOCK]; /* of those that are not coded */
	uint64_t rows[ROW_BLOCK * ROW_WORDS_MOST];
	uint8_t bytes[ROW_BLOCK * ROW_BYTES_MOST];
};

struct row_block {
	const uint8_t *bytes; /* in the store */
	size_t first_row;     /* index in the log */
	uint64_t first;       /* position of the first row */
	uint64_t last;        /* and of the last; no row of the block has a later one */
	/* What the rows are to have added: to the position, to the word after it. */
	uint64_t add_position;
	uint64_t add_value;
};

struct row_log {
	unsigned int words;       /* of a row, the position one of them */
	struct row_block *blocks; /* coded */
	size_t block_count;
	size_t block_capacity;
	struct row_open *open;  /* rows after those of the blocks, or NULL: there are none */
	size_t count;           /* rows */
	struct log_store store; /* the blocks' bytes, and the blocks, once it is settled */
	bool is_settled;
};

/* A block as it was last read. `bytes` is NULL and `blocks` 0 before its first use. */
struct row_cache {
	const uint8_t *bytes; /* the block's */
	size_t blocks;        /* that were read */
	size_t first_row;
	size_t count;
	uint8_t kinds[ROW_BLOCK];
	uint64_t rows[ROW_BLOCK * ROW_WORDS_MOST];
};

/* `row_size`: of a row in bytes, a multiple of 8, at most ROW_WORDS_MOST words. */
void row_log_init(struct row_log *log, size_t row_size);
void row_log_fini(struct row_log *log);

/* Its position is not before that of the last row. NO_MEM leaves the log as it was. */
MUST_USE enum status row_log_add(struct row_log *log, unsigned int kind, const void *row);

/* Private: as row_log_add_alike(), whatever came before. */
MUST_USE enum status row_log_code(struct row_log *log, unsigned int kind, unsigned int mask,
                                  const void *row);

/* Private: the place after a delta. */
static inline uint8_t *row_put_delta(uint8_t *to, uint64_t from, uint64_t value)
{
	uint64_t folded = leb128_fold(value - from);

	*to = (uint8_t)folded;
	return folded < 0x80 ? to + 1 : leb128_put(to, folded);
}

/* Private: the row is coded as the words of the mask that the last one of its kind had. */
static inline void row_code(struct row_open *open, unsigned int kind, const uint64_t *row)
{
	uint64_t *before = open->coder.words[kind];
	uint8_t *to = open->end;

	*to++ = (uint8_t)(kind * 2 + 1);
	to = row_put_delta(to, open->coder.position, row[0]);
	open->coder.position = row[0];
	for (unsigned int rest = open->coder.masks[kind]; rest != 0; rest &= rest - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(rest);

		to = row_put_delta(to, before[i], row[i]);
		before[i] = row[i];
	}
	open->end = to;
	open->last = row[0];
	open->coded++;
}

/* Private: what row_code() codes of the row is all that differs, and no word too many. */
static inline bool row_is_alike(const struct row_open *open, unsigned int kind, unsigned int mask,
                                const uint64_t *row)
{
	const uint64_t *before = open->coder.words[kind];
	unsigned int coded = open->coder.masks[kind];

	if (!(open->coder.seen >> kind & 1) || (coded & ~mask) != 0)
		return false;
	for (unsigned int rest = mask & ~coded; rest != 0; rest &= rest - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(rest);

		if (row[i] != before[i])
			return false;
	}
	return true;
}

/*
 * As row_log_add(), of a kind whose rows are alike: `mask` has a bit for each word but the position
 * in which this one may differ from the last of its kind.
 */
MUST_USE static inline enum status row_log_add_alike(struct row_log *log, unsigned int kind,
                                                     unsigned int mask, const void *row)
{
	struct row_open *open = log->open;

	/* ROW_ANY is of as many words as a row can have. */
	mask &= (1U << log->words) - 1;
	if (!open || open->raw > 0 || open->coded == ROW_BLOCK || open->is_changed ||
	    !row_is_alike(open, kind, mask, row))
		return row_log_code(log, kind, mask, row);
	row_code(open, kind, row);
	log->count++;
	return STATUS_OK;
}

/* Copies out row `index` < count. The cache is this log's alone. */
void row_log_at(const struct row_log *log, size_t index, struct row_cache *cache, void *row);

/* Replaces row `index` < count by one of its kind and position. Cheap for one of the newest. */
MUST_USE enum status row_log_set(struct row_log *log, size_t index, const void *row);

/* No row is after `position`: those that are move there. NO_MEM. */
MUST_USE enum status row_log_clamp(struct row_log *log, uint64_t position);

/* Index of the first row at `position` or after it, or count. */
size_t row_log_index(const struct row_log *log, uint64_t position, struct row_cache *cache);

/* Codes what is not coded yet, and gives back what only adding needs. */
MUST_USE enum status row_log_end(struct row_log *log);

/* Nothing is added any more. NO_MEM. */
MUST_USE enum status row_log_settle(struct row_log *log);

/*
 * Moves the rows of `other`, which is empty then, after those of `log`, of the same size, with
 * `position` added to their positions and `value` to the word after it. After NO_MEM both are good
 * for row_log_fini() alone.
 */
MUST_USE enum status row_log_join(struct row_log *log, struct row_log *other, uint64_t position,
                                  uint64_t value);

#endif
