/* SPDX-License-Identifier: Apache-2.0 */
/* Values by position as differences; see mark_log.h. */
#include "replay/history/mark_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

enum { KNOWN_CHANGES = 0x80 };

void mark_log_fini(struct mark_log *log)
{
	if (!log->is_settled)
		free(log->blocks);
	log_store_fini(&log->store);
	free(log->open);
	*log = (struct mark_log){.count = 0};
}

/* What is in the open block, if there is one, goes to the store. */
static enum status close_block(struct mark_log *log)
{
	struct mark_block *last = log->block_count > 0 ? &log->blocks[log->block_count - 1] : NULL;
	uint8_t *bytes = NULL;
	size_t size;

	if (!last || !last->bytes || last->bytes != log->open)
		return STATUS_OK;
	size = (size_t)(log->end - log->open);
	if (size > 0) {
		bytes = log_store_take(&log->store, size);
		if (!bytes)
			return STATUS_NO_MEM;
		memcpy(bytes, log->open, size);
	}
	last->bytes = bytes;
	log->room = 0;
	return STATUS_OK;
}

static enum status begin_block(struct mark_log *log)
{
	TRY(close_block(log));
	if (!log->open)
		log->open = malloc((size_t)MARK_BLOCK * MARK_BYTES_MOST);
	if (!log->open)
		return STATUS_NO_MEM;
	TRY(vec_reserve((void **)&log->blocks, &log->block_capacity, log->block_count + 1,
	                sizeof(*log->blocks)));
	log->blocks[log->block_count++] = (struct mark_block){
	        .first = log->last, .index = log->count - 1, .bytes = log->open};
	log->end = log->open;
	log->room = MARK_BLOCK - 1;
	return STATUS_OK;
}

static void put_entry(struct mark_log *log)
{
	uint64_t moves = log->last.position - log->before.position;
	uint64_t grows = log->last.value - log->before.value;
	uint8_t *head = log->end;
	uint8_t *to = head + 1;

	*head = log->last.known != log->before.known ? KNOWN_CHANGES : 0;
	*head |= (uint8_t)(moves < MARK_POSITION_LONG ? moves : MARK_POSITION_LONG);
	*head |= (uint8_t)((grows < MARK_VALUE_LONG ? grows : MARK_VALUE_LONG) << MARK_VALUE_AT);
	if (moves >= MARK_POSITION_LONG)
		to = leb128_put(to, moves - MARK_POSITION_LONG);
	if (grows >= MARK_VALUE_LONG)
		to = leb128_put(to, leb128_fold(grows));
	log->end = to;
	log->room--;
}

/* The last entry goes to the others. */
static enum status keep_last(struct mark_log *log)
{
	if (log->room == 0)
		TRY(begin_block(log));
	else
		put_entry(log);
	log->before = log->last;
	return STATUS_OK;
}

enum status mark_log_add_any(struct mark_log *log, struct mark_entry entry)
{
	if (log->count > 0)
		TRY(keep_last(log));
	log->last = entry;
	log->count++;
	return STATUS_OK;
}

static const uint8_t *take_entry(const uint8_t *from, struct mark_entry *entry)
{
	uint8_t head = *from++;
	uint64_t moves = head & MARK_POSITION_LONG;
	uint64_t grows = head >> MARK_VALUE_AT & MARK_VALUE_LONG;

	if (moves == MARK_POSITION_LONG) {
		from = leb128_take(from, &moves);
		moves += MARK_POSITION_LONG;
	}
	if (grows == MARK_VALUE_LONG) {
		from = leb128_take(from, &grows);
		grows = leb128_unfold(grows);
	}
	entry->position += moves;
	entry->value += grows;
	entry->known ^= (head & KNOWN_CHANGES) != 0;
	return from;
}

/* How many entries have been kept: all but the last. */
static size_t kept(const struct mark_log *log)
{
	return log->count > 0 ? log->count - 1 : 0;
}

static void read_block(const struct mark_log *log, size_t number, struct mark_cache *cache)
{
	const struct mark_block *block = &log->blocks[number];
	size_t end = number + 1 < log->block_count ? block[1].index : kept(log);
	const uint8_t *from = block->bytes;

	log_store_read(&log->store, ++cache->blocks);
	cache->index = block->index;
	cache->count = end - block->index;
	cache->entries[0] = block->first;
	/* Where there is one entry alone there are no bytes. */
	for (size_t i = 1; from && i < cache->count; i++) {
		cache->entries[i] = cache->entries[i - 1];
		from = take_entry(from, &cache->entries[i]);
	}
}

/* The block of a kept entry. */
static size_t block_of(const struct mark_log *log, size_t index)
{
	size_t low = 0;
	size_t high = log->block_count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (log->blocks[middle].index <= index)
			low = middle;
		else
			high = middle;
	}
	return low;
}

struct mark_entry mark_log_at(const struct mark_log *log, size_t index, struct mark_cache *cache)
{
	if (index == kept(log))
		return log->last;
	if (index < cache->index || index - cache->index >= cache->count)
		read_block(log, block_of(log, index), cache);
	return cache->entries[index - cache->index];
}

/* The number of blocks that begin before `position`. */
static size_t blocks_before(const struct mark_log *log, uint64_t position)
{
	size_t low = 0;
	size_t high = log->block_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (log->blocks[middle].first.position < position)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t mark_log_index(const struct mark_log *log, uint64_t position, struct mark_cache *cache)
{
	size_t before = blocks_before(log, position);
	size_t low = before > 0 ? log->blocks[before - 1].index : 0;
	size_t high = before < log->block_count ? log->blocks[before].index : log->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (mark_log_at(log, middle, cache).position < position)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* From the block on there is nothing. */
static void cut(struct mark_log *log, size_t number)
{
	log->count = log->blocks[number].index;
	log->block_count = number;
	log->room = 0;
}

enum status mark_log_clamp(struct mark_log *log, uint64_t position)
{
	struct mark_log rest = {.count = 0};
	struct mark_cache cache = {.count = 0};
	enum status status = STATUS_OK;
	size_t first;
	size_t block;

	if (log->count == 0 || log->last.position <= position)
		return STATUS_OK;
	first = mark_log_index(log, position + 1, &cache);
	if (first == kept(log)) {
		log->last.position = position;
		return STATUS_OK;
	}
	/* The block in which the first of them lies is written again, and those after it. */
	block = block_of(log, first);
	for (size_t i = log->blocks[block].index; i < log->count && status == STATUS_OK; i++)
		status = mark_log_add(&rest, mark_log_at(log, i, &cache));
	cut(log, block);
	cache.count = 0;
	for (size_t i = 0; i < rest.count && status == STATUS_OK; i++) {
		log->last = mark_log_at(&rest, i, &cache);
		if (log->last.position > position)
			log->last.position = position;
		log->count++;
		if (i + 1 < rest.count)
			status = keep_last(log);
	}
	mark_log_fini(&rest);
	return status;
}

enum status mark_log_end(struct mark_log *log)
{
	TRY(close_block(log));
	free(log->open);
	log->open = NULL;
	log->end = NULL;
	log_store_done(&log->store);
	return STATUS_OK;
}

enum status mark_log_settle(struct mark_log *log)
{
	TRY(mark_log_end(log));
	TRY(log_store_settle(&log->store, (void **)&log->blocks,
	                     log->block_count * sizeof(*log->blocks)));
	log->is_settled = true;
	return STATUS_OK;
}

enum status mark_log_join(struct mark_log *log, struct mark_log *other, uint64_t position,
                          uint64_t value)
{
	if (other->count == 0)
		return STATUS_OK;
	if (log->count > 0)
		TRY(keep_last(log));
	TRY(mark_log_end(log));
	TRY(mark_log_end(other));
	TRY(vec_reserve((void **)&log->blocks, &log->block_capacity,
	                log->block_count + other->block_count, sizeof(*log->blocks)));
	TRY(log_store_join(&log->store, &other->store));
	for (size_t i = 0; i < other->block_count; i++) {
		struct mark_block block = other->blocks[i];

		block.first.position += position;
		block.first.value += value;
		block.index += log->count;
		log->blocks[log->block_count++] = block;
	}
	log->count += other->count;
	log->last = other->last;
	log->last.position += position;
	log->last.value += value;
	mark_log_fini(other);
	return STATUS_OK;
}
