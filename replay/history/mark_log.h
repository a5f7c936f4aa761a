/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What holds from a position on, such as the sum of cycles: values in order of positions, kept as
 * differences. In: entries, one by one. Out: the same entries, by index or by position.
 *
 * Entries lie in blocks of up to MARK_BLOCK. The first of a block stands in its header; each other
 * one is a byte, and what does not fit in it after:
 *
 *	bits 0-2: delta of the position; 7: 7 less than it follows, as a LEB128 number
 *	bits 3-6: delta of the value; 15: it follows, as a LEB128 number with its sign in bit 0
 *	bit 7: whether the value is known is not as in the entry before
 */
#ifndef CSREPLAY_REPLAY_HISTORY_MARK_LOG_H
#define CSREPLAY_REPLAY_HISTORY_MARK_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/leb128.h"
#include "base/log_store.h"
#include "base/status.h"

enum { MARK_BLOCK = 128, MARK_BYTES_MOST = 1 + 2 * LEB128_MOST };

/* A value that holds from `position` on. */
struct mark_entry {
	uint64_t position;
	uint64_t value;
	bool known; /* false: from here on nothing is known */
};

struct mark_block {
	struct mark_entry first;
	size_t index;         /* of the first entry in the log */
	const uint8_t *bytes; /* what its other entries are, in the store, or in the open block */
};

struct mark_log {
	size_t count;
	struct mark_entry last; /* valid if there is one; it is not among the bytes yet */
	/* Private. */
	struct mark_entry before; /* that one */
	unsigned int room;        /* for entries in the open block, the last one */
	uint8_t *open;            /* its bytes, room for all of them; NULL before the first */
	uint8_t *end;             /* of those that are there */
	struct mark_block *blocks;
	size_t block_count;
	size_t block_capacity;
	struct log_store store; /* the blocks' bytes, and the blocks, once it is settled */
	bool is_settled;
};

/* A block as it was last read. `count` and `blocks` are 0 before its first use. */
struct mark_cache {
	size_t blocks; /* that were read */
	size_t index;
	size_t count;
	struct mark_entry entries[MARK_BLOCK];
};

/* A log that is all zeros has no entry. */
void mark_log_fini(struct mark_log *log);

/* Private: as mark_log_add(), for any entry. */
MUST_USE enum status mark_log_add_any(struct mark_log *log, struct mark_entry entry);

enum { MARK_POSITION_LONG = 7, MARK_VALUE_AT = 3, MARK_VALUE_LONG = 15 }; /* of the byte */

/* Its position is not before the last one's. After NO_MEM the log is good for mark_log_fini(). */
MUST_USE static inline enum status mark_log_add(struct mark_log *log, struct mark_entry entry)
{
	uint64_t moves = log->last.position - log->before.position;
	uint64_t grows = log->last.value - log->before.value;

	/* With room in a block there is a last entry. */
	if (log->room == 0 || moves >= MARK_POSITION_LONG || grows >= MARK_VALUE_LONG ||
	    log->last.known != log->before.known)
		return mark_log_add_any(log, entry);
	*log->end++ = (uint8_t)(moves | grows << MARK_VALUE_AT);
	log->before = log->last;
	log->last = entry;
	log->room--;
	log->count++;
	return STATUS_OK;
}

/* Entry `index` < count. The cache is this log's alone, and new if the log was clamped since. */
struct mark_entry mark_log_at(const struct mark_log *log, size_t index, struct mark_cache *cache);

/* Index of the first entry at `position` or after it, or count. */
size_t mark_log_index(const struct mark_log *log, uint64_t position, struct mark_cache *cache);

/* No entry is after `position`: those that are move there. NO_MEM as of mark_log_add(). */
MUST_USE enum status mark_log_clamp(struct mark_log *log, uint64_t position);

/* Gives back what only adding needs. NO_MEM as of mark_log_add(). */
MUST_USE enum status mark_log_end(struct mark_log *log);

/* Nothing is added any more. NO_MEM. */
MUST_USE enum status mark_log_settle(struct mark_log *log);

/*
 * Moves the entries of `other`, which is empty then, after those of `log`, with `position` added to
 * their positions and `value` to their values. After NO_MEM both are good for mark_log_fini()
 * alone.
 */
MUST_USE enum status mark_log_join(struct mark_log *log, struct mark_log *other, uint64_t position,
                                   uint64_t value);

#endif
