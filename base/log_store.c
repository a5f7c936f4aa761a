/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks that logs write to, one after the other; see log_store.h. */
#include "base/log_store.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

enum {
	CHUNK_LEAST = 4 << 10,
	CHUNK_MOST = 1 << 20, /* but for what is larger by itself */
	BLOCKS_IN_MEMORY = 1 << 14,
};

/* A small log has small chunks. */
static size_t chunk_size(const struct log_store *store, size_t size)
{
	size_t chunk = store->count > 0 ? 2 * store->chunks[store->count - 1].size : CHUNK_LEAST;

	if (chunk > CHUNK_MOST)
		chunk = CHUNK_MOST;
	return chunk > size ? chunk : size;
}

static enum status add_chunk(struct log_store *store, size_t size)
{
	struct spill_part chunk;

	TRY(log_store_reserve(store, 1));
	log_store_done(store);
	chunk = spill_file_take(store->spill, size, chunk_size(store, size));
	if (!chunk.bytes)
		return STATUS_NO_MEM;
	store->chunks[store->count++] = chunk;
	store->used = 0;
	return STATUS_OK;
}

void *log_store_take(struct log_store *store, size_t size)
{
	uint8_t *bytes;

	if ((store->count == 0 || store->chunks[store->count - 1].size - store->used < size) &&
	    add_chunk(store, size) != STATUS_OK)
		return NULL;
	bytes = store->chunks[store->count - 1].bytes + store->used;
	store->used += size;
	return bytes;
}

enum status log_store_reserve(struct log_store *store, size_t count)
{
	return vec_reserve((void **)&store->chunks, &store->capacity, store->count + count,
	                   sizeof(*store->chunks));
}

void log_store_keep(struct log_store *store, void **bytes, size_t size)
{
	struct spill_part *chunk;

	if (size == 0) {
		free(*bytes);
		*bytes = NULL;
		return;
	}
	log_store_done(store);
	chunk = &store->chunks[store->count++];
	*chunk = spill_file_keep(store->spill, *bytes, size);
	store->used = size;
	*bytes = chunk->bytes;
}

enum status log_store_settle(struct log_store *store, void **bytes, size_t size)
{
	TRY(log_store_reserve(store, 1));
	log_store_keep(store, bytes, size);
	log_store_end(store);
	return STATUS_OK;
}

void log_store_end(struct log_store *store)
{
	log_store_done(store);
	store->spill = NULL;
}

void log_store_done(const struct log_store *store)
{
	if (store->count > 0)
		spill_part_done(&store->chunks[store->count - 1]);
}

void log_store_read(const struct log_store *store, size_t blocks)
{
	if (blocks % BLOCKS_IN_MEMORY != 0)
		return;
	for (size_t i = 0; i < store->count; i++)
		spill_part_done(&store->chunks[i]);
}

enum status log_store_join(struct log_store *store, struct log_store *other)
{
	if (other->count == 0)
		return STATUS_OK;
	TRY(log_store_reserve(store, other->count));
	memcpy(store->chunks + store->count, other->chunks, other->count * sizeof(*store->chunks));
	store->count += other->count;
	store->used = other->used;
	other->count = 0;
	log_store_fini(other);
	return STATUS_OK;
}

void log_store_fini(struct log_store *store)
{
	for (size_t i = 0; i < store->count; i++)
		spill_part_free(&store->chunks[i]);
	free(store->chunks);
	*store = (struct log_store){.spill = store->spill};
}
