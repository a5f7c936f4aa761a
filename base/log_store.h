/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the logs of a history keep what is written and does not change: bytes after bytes, in
 * chunks that never move and are freed all at once. In: sizes. Out: places. What is beyond the
 * memory that a history may have lies in a file (base/spill_file.h).
 */
#ifndef CSREPLAY_BASE_LOG_STORE_H
#define CSREPLAY_BASE_LOG_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "base/spill_file.h"
#include "base/status.h"

/* One that is all zeros is empty, and keeps all in memory. */
struct log_store {
	struct spill_file *spill; /* borrowed while there is something to take; may be NULL */
	struct spill_part *chunks;
	size_t count;
	size_t capacity;
	size_t used; /* of the last chunk */
};

/* `size` bytes > 0, of any alignment, to be written before the next call. NULL: no memory. */
void *log_store_take(struct log_store *store, size_t size);

/* Room for so many arrays that log_store_keep() is to take over. NO_MEM. */
MUST_USE enum status log_store_reserve(struct log_store *store, size_t count);
/* Takes over an array of malloc(), and says in *bytes where it is then: NULL, if it has 0 bytes. */
void log_store_keep(struct log_store *store, void **bytes, size_t size);

/* It takes nothing, and needs no file, any more. */
void log_store_end(struct log_store *store);
/* The same after one array more. NO_MEM. */
MUST_USE enum status log_store_settle(struct log_store *store, void **bytes, size_t size);

/* All that was taken is written, and not read soon. */
void log_store_done(const struct log_store *store);

/*
 * Called for each block that is read, with how many that makes: now and then all that lies in a
 * file leaves memory, so that who reads all of a log does not have all of it there.
 */
void log_store_read(const struct log_store *store, size_t blocks);

/* What `other` has is in `store`, too, where it was; `other` is empty then. NO_MEM changes nothing.
 */
MUST_USE enum status log_store_join(struct log_store *store, struct log_store *other);

void log_store_fini(struct log_store *store);

#endif
