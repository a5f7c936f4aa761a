/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of words as differences; see row_log.h. */
#include "replay/history/row_log.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/leb128.h"
#include "base/vec.h"

enum {
	ROW_BYTES_MOST = 3 + ROW_WORDS_MOST * LEB128_MOST,
};

/* What the rows of a block before the one at hand were, by kind; the words of a seen kind hold. */
struct row_coder {
	uint64_t position;
	uint32_t seen; /* a bit a kind */
	uint16_t masks[ROW_KINDS_MOST];
	uint64_t words[ROW_KINDS_MOST][ROW_WORDS_MOST];
};

static void coder_begin(struct row_coder *coder)
{
	coder->position = 0;
	coder->seen = 0;
	memset(coder->masks, 0, sizeof(coder->masks));
}

static bool is_seen(const struct row_coder *coder, unsigned int kind)
{
	return coder->seen >> kind & 1;
}

/* The words of the last row of the kind, which are zeros for the first. */
static uint64_t *words_of(struct row_coder *coder, unsigned int kind, unsigned int words)
{
	if (!is_seen(coder, kind)) {
		coder->seen |= UINT32_C(1) << kind;
		coder->masks[kind] = 0;
		memset(coder->words[kind], 0, words * sizeof(uint64_t));
	}
	return coder->words[kind];
}

static uint8_t *put_delta(uint8_t *to, uint64_t from, uint64_t value)
{
	return leb128_put(to, leb128_fold(value - from));
}

/* The bytes are those that put_delta() wrote. */
static const uint8_t *take_delta(const uint8_t *from, uint64_t *value)
{
	uint64_t coded;

	from = leb128_take(from, &coded);
	*value += leb128_unfold(coded);
	return from;
}

/*
 * The words but the position that are to be coded: those that differ, and those that were coded the
 * last time.
 */
static unsigned int mask_of(struct row_coder *coder, unsigned int words, unsigned int kind,
                            unsigned int differs, const uint64_t *row)
{
	unsigned int rest = is_seen(coder, kind) ? differs & ~coder->masks[kind] : ROW_ANY;
	const uint64_t *before = words_of(coder, kind, words);
	unsigned int mask = coder->masks[kind];

	for (rest &= (1U << words) - 2; rest != 0; rest &= rest - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(rest);

		mask |= (unsigned int)(row[i] != before[i]) << i;
	}
	return mask;
}

static uint8_t *put_row(struct row_coder *coder, unsigned int words, unsigned int kind,
                        unsigned int differs, const uint64_t *row, uint8_t *to)
{
	unsigned int mask = coder->masks[kind];
	uint64_t *before = coder->words[kind];

	if (!is_seen(coder, kind) || (differs & ~mask) != 0)
		mask = mask_of(coder, words, kind, differs, row);
	*to++ = (uint8_t)(kind * 2 + (mask == coder->masks[kind]));
	if (mask != coder->masks[kind]) {
		*to++ = (uint8_t)mask;
		*to++ = (uint8_t)(mask >> 8);
		coder->masks[kind] = (uint16_t)mask;
	}
	to = put_delta(to, coder->position, row[0]);
	coder->position = row[0];
	for (unsigned int rest = mask; rest != 0; rest &= rest - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(rest);

		to = put_delta(to, before[i], row[i]);
		before[i] = row[i];
	}
	return to;
}

static const uint8_t *take_row(struct row_coder *coder, unsigned int words, const uint8_t *from,
                               uint64_t *row)
{
	unsigned int kind = *from / 2;
	bool is_same = *from++ & 1;
	uint64_t *before = words_of(coder, kind, words);

	if (!is_same) {
		coder->masks[kind] = (uint16_t)(from[0] | from[1] << 8);
		from += 2;
	}
	from = take_delta(from, &coder->position);
	for (unsigned int rest = coder->masks[kind]; rest != 0; rest &= rest - 1)
		from = take_delta(from, &before[__builtin_ctz(rest)]);
	memcpy(row, before, words * sizeof(uint64_t));
	row[0] = coder->position;
	return from;
}

void row_log_init(struct row_log *log, size_t row_size)
{
	assert(row_size % sizeof(uint64_t) == 0 && row_size / sizeof(uint64_t) <= ROW_WORDS_MOST);
	*log = (struct row_log){.words = (unsigned int)(row_size / sizeof(uint64_t))};
}

void row_log_fini(struct row_log *log)
{
	for (size_t i = 0; i < log->block_count; i++)
		free(log->blocks[i].bytes);
	free(log->blocks);
	free(log->open);
	*log = (struct row_log){.words = log->words};
}

static size_t row_size(const struct row_log *log)
{
	return log->words * sizeof(uint64_t);
}

static uint64_t *open_row(const struct row_log *log, size_t index)
{
	return log->open + index * log->words;
}

/* The coded bytes of `count` rows; NULL without memory. Without masks, any word may differ. */
static uint8_t *encode(const uint64_t *rows, const uint8_t *kinds, const uint16_t *masks,
                       size_t count, unsigned int words)
{
	struct row_coder coder;
	uint8_t room[ROW_BLOCK * ROW_BYTES_MOST];
	uint8_t *end = room;
	uint8_t *bytes;

	assert(count > 0);
	coder_begin(&coder);
	for (size_t i = 0; i < count; i++)
		end = put_row(&coder, words, kinds[i], masks ? masks[i] : ROW_ANY, rows + i * words,
		              end);
	bytes = malloc((size_t)(end - room));
	if (bytes)
		memcpy(bytes, room, (size_t)(end - room));
	return bytes;
}

static enum status close_block(struct row_log *log)
{
	struct row_block block = {.first_row = log->count - log->open_count};

	if (log->open_count == 0)
		return STATUS_OK;
	TRY(vec_reserve((void **)&log->blocks, &log->block_capacity, log->block_count + 1,
	                sizeof(*log->blocks)));
	block.bytes =
	        encode(log->open, log->open_kinds, log->open_masks, log->open_count, log->words);
	if (!block.bytes)
		return STATUS_NO_MEM;
	block.first = open_row(log, 0)[0];
	block.last = open_row(log, log->open_count - 1)[0];
	log->blocks[log->block_count++] = block;
	log->open_count = 0;
	return STATUS_OK;
}

enum status row_log_add(struct row_log *log, unsigned int kind, unsigned int mask, const void *row)
{
	if (log->open_count == ROW_BLOCK)
		TRY(close_block(log));
	if (!log->open)
		log->open = malloc(ROW_BLOCK * row_size(log));
	if (!log->open)
		return STATUS_NO_MEM;
	memcpy(open_row(log, log->open_count), row, row_size(log));
	log->open_kinds[log->open_count] = (uint8_t)kind;
	log->open_masks[log->open_count++] = (uint16_t)mask;
	log->count++;
	return STATUS_OK;
}

static size_t rows_of(const struct row_log *log, const struct row_block *block)
{
	size_t next = block + 1 < log->blocks + log->block_count ? block[1].first_row
	                                                         : log->count - log->open_count;

	return next - block->first_row;
}

static void read_block(const struct row_log *log, const struct row_block *block,
                       struct row_cache *cache)
{
	struct row_coder coder;
	const uint8_t *from = block->bytes;

	coder_begin(&coder);
	cache->bytes = block->bytes;
	cache->first_row = block->first_row;
	cache->count = rows_of(log, block);
	for (size_t i = 0; i < cache->count; i++) {
		uint64_t *row = cache->rows + i * log->words;

		cache->kinds[i] = *from / 2;
		from = take_row(&coder, log->words, from, row);
		row[0] += block->add_position;
		if (row[0] > block->last)
			row[0] = block->last;
		if (log->words > 1)
			row[1] += block->add_value;
	}
}

/* The block of a coded row. */
static const struct row_block *block_of(const struct row_log *log, size_t index)
{
	size_t low = 0;
	size_t high = log->block_count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (log->blocks[middle].first_row <= index)
			low = middle;
		else
			high = middle;
	}
	return &log->blocks[low];
}

static bool is_open(const struct row_log *log, size_t index)
{
	return index >= log->count - log->open_count;
}

static const uint64_t *row_at(const struct row_log *log, size_t index, struct row_cache *cache)
{
	if (is_open(log, index))
		return open_row(log, index - (log->count - log->open_count));
	if (!cache->bytes || index < cache->first_row || index - cache->first_row >= cache->count)
		read_block(log, block_of(log, index), cache);
	return cache->rows + (index - cache->first_row) * log->words;
}

void row_log_at(const struct row_log *log, size_t index, struct row_cache *cache, void *row)
{
	memcpy(row, row_at(log, index, cache), row_size(log));
}

/* Those of its kind after it may differ from it now in any word. */
static void set_open(struct row_log *log, size_t at, const void *row)
{
	memcpy(open_row(log, at), row, row_size(log));
	for (size_t i = at; i < log->open_count; i++)
		log->open_masks[i] = ROW_ANY;
}

enum status row_log_set(struct row_log *log, size_t index, const void *row)
{
	struct row_cache cache;
	struct row_block *block;
	uint8_t *bytes;

	if (is_open(log, index)) {
		set_open(log, index - (log->count - log->open_count), row);
		return STATUS_OK;
	}
	block = log->blocks + (block_of(log, index) - log->blocks);
	read_block(log, block, &cache);
	memcpy(cache.rows + (index - block->first_row) * log->words, row, row_size(log));
	bytes = encode(cache.rows, cache.kinds, NULL, cache.count, log->words);
	if (!bytes)
		return STATUS_NO_MEM;
	free(block->bytes);
	block->bytes = bytes;
	block->add_position = 0;
	block->add_value = 0;
	return STATUS_OK;
}

void row_log_clamp(struct row_log *log, uint64_t position)
{
	for (size_t i = log->open_count; i-- > 0 && open_row(log, i)[0] > position;)
		open_row(log, i)[0] = position;
	for (size_t i = log->block_count; i-- > 0 && log->blocks[i].last > position;)
		log->blocks[i].last = position;
}

/* The first block whose last row is at `position` or after it, or the number of blocks. */
static size_t block_index(const struct row_log *log, uint64_t position)
{
	size_t low = 0;
	size_t high = log->block_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (log->blocks[middle].last < position)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t row_log_index(const struct row_log *log, uint64_t position, struct row_cache *cache)
{
	size_t block = block_index(log, position);
	bool is_coded = block < log->block_count;
	size_t low = is_coded ? log->blocks[block].first_row : log->count - log->open_count;
	size_t high = is_coded ? low + rows_of(log, &log->blocks[block]) : log->count;

	if (is_coded && log->blocks[block].first >= position)
		return low;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (row_at(log, middle, cache)[0] < position)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

enum status row_log_end(struct row_log *log)
{
	TRY(close_block(log));
	free(log->open);
	log->open = NULL;
	return STATUS_OK;
}

enum status row_log_join(struct row_log *log, struct row_log *other, uint64_t position,
                         uint64_t value)
{
	TRY(close_block(log));
	TRY(row_log_end(other));
	TRY(vec_reserve((void **)&log->blocks, &log->block_capacity,
	                log->block_count + other->block_count, sizeof(*log->blocks)));
	for (size_t i = 0; i < other->block_count; i++) {
		struct row_block block = other->blocks[i];

		block.first_row += log->count;
		block.first += position;
		block.last += position;
		block.add_position += position;
		block.add_value += value;
		log->blocks[log->block_count++] = block;
	}
	log->count += other->count;
	other->block_count = 0;
	other->count = 0;
	return STATUS_OK;
}
