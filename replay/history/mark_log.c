/* SPDX-License-Identifier: Apache-2.0 */
/* Values by position as differences; see mark_log.h. */
#include "replay/history/mark_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/leb128.h"
#include "base/vec.h"

enum {
	KNOWN_CHANGES = 0x80,
	ENTRY_BYTES_MOST = 1 + 2 * LEB128_MOST,
};

void mark_log_fini(struct mark_log *log)
{
	free(log->bytes);
	free(log->blocks);
	*log = (struct mark_log){.count = 0};
}

static enum status begin_block(struct mark_log *log)
{
	TRY(vec_reserve((void **)&log->blocks, &log->block_capacity, log->block_count + 1,
	                sizeof(*log->blocks)));
	log->blocks[log->block_count++] = (struct mark_block){
	        .first = log->last, .index = log->count - 1, .offset = log->byte_count};
	log->room = MARK_BLOCK - 1;
	return STATUS_OK;
}

static void put_entry(struct mark_log *log)
{
	uint64_t moves = log->last.position - log->before.position;
	uint64_t grows = log->last.value - log->before.value;
	uint8_t *head = log->bytes + log->byte_count;
	uint8_t *to = head + 1;

	*head = log->last.known != log->before.known ? KNOWN_CHANGES : 0;
	*head |= (uint8_t)(moves < MARK_POSITION_LONG ? moves : MARK_POSITION_LONG);
	*head |= (uint8_t)((grows < MARK_VALUE_LONG ? grows : MARK_VALUE_LONG) << MARK_VALUE_AT);
	if (moves >= MARK_POSITION_LONG)
		to = leb128_put(to, moves - MARK_POSITION_LONG);
	if (grows >= MARK_VALUE_LONG)
		to = leb128_put(to, leb128_fold(grows));
	log->byte_count = (size_t)(to - log->bytes);
	log->room--;
}

/* The last entry goes to the others. */
static enum status keep_last(struct mark_log *log)
{
	if (log->room == 0) {
		TRY(begin_block(log));
	} else {
		if (log->byte_count + ENTRY_BYTES_MOST > log->byte_capacity)
			TRY(vec_reserve((void **)&log->bytes, &log->byte_capacity,
			                log->byte_count + ENTRY_BYTES_MOST, 1));
		put_entry(log);
	}
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
	const uint8_t *from = log->bytes ? log->bytes + block->offset : NULL;

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
	log->byte_count = log->blocks[number].offset;
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

void mark_log_trim(struct mark_log *log)
{
	uint8_t *bytes = log->byte_count > 0 ? realloc(log->bytes, log->byte_count) : NULL;

	if (!bytes)
		return;
	log->bytes = bytes;
	log->byte_capacity = log->byte_count;
}

enum status mark_log_join(struct mark_log *log, const struct mark_log *other, uint64_t position,
                          uint64_t value)
{
	if (other->count == 0)
		return STATUS_OK;
	if (log->count > 0)
		TRY(keep_last(log));
	TRY(vec_reserve((void **)&log->blocks, &log->block_capacity,
	                log->block_count + other->block_count, sizeof(*log->blocks)));
	TRY(vec_reserve((void **)&log->bytes, &log->byte_capacity,
	                log->byte_count + other->byte_count + 1, 1));
	for (size_t i = 0; i < other->block_count; i++) {
		struct mark_block block = other->blocks[i];

		block.first.position += position;
		block.first.value += value;
		block.index += log->count;
		block.offset += log->byte_count;
		log->blocks[log->block_count++] = block;
	}
	if (other->byte_count > 0)
		memcpy(log->bytes + log->byte_count, other->bytes, other->byte_count);
	log->byte_count += other->byte_count;
	log->count += other->count;
	log->room = other->room;
	log->before = other->before;
	log->before.position += position;
	log->before.value += value;
	log->last = other->last;
	log->last.position += position;
	log->last.value += value;
	return STATUS_OK;
}
