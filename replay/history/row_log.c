/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of words as differences; see row_log.h. */
#include "replay/history/row_log.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/leb128.h"
#include "base/vec.h"

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

/* The bytes are those that row_put_delta() wrote. */
static const uint8_t *take_delta(const uint8_t *from, uint64_t *value)
{
	uint64_t coded;

	from = leb128_take(from, &coded);
	*value += leb128_unfold(coded);
	return from;
}

/*
 * The words that are to be coded: of those in which the row can differ the ones that do, and those
 * that were coded the last time.
 */
static unsigned int mask_of(struct row_coder *coder, unsigned int words, unsigned int kind,
                            unsigned int differs, const uint64_t *row)
{
	unsigned int mask = is_seen(coder, kind) ? coder->masks[kind] & differs : 0;
	unsigned int rest = (is_seen(coder, kind) ? differs : ROW_ANY) & ~mask;
	const uint64_t *before = words_of(coder, kind, words);

	for (rest &= (1U << words) - 1; rest != 0; rest &= rest - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(rest);

		mask |= (unsigned int)(row[i] != before[i]) << i;
	}
	return mask;
}

/* Codes a row that can differ from the last of its kind in the words of `differs` alone. */
static void code_row(struct row_open *open, unsigned int words, unsigned int kind,
                     unsigned int differs, const uint64_t *row)
{
	unsigned int mask = mask_of(&open->coder, words, kind, differs, row);
	uint8_t *head = open->end;
	bool is_same = mask == open->coder.masks[kind];

	if (open->coded == 0)
		open->first = row[0];
	if (!is_same) {
		/* Between the head and what row_code() has after it. */
		open->coder.masks[kind] = (uint16_t)mask;
		open->end += 2;
	}
	row_code(open, kind, row);
	if (is_same)
		return;
	head[0] = (uint8_t)(kind * 2);
	head[1] = (uint8_t)mask;
	head[2] = (uint8_t)(mask >> 8);
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
	if (!log->is_settled)
		free(log->blocks);
	log_store_fini(&log->store);
	free(log->open);
	*log = (struct row_log){.words = log->words};
}

static size_t row_size(const struct row_log *log)
{
	return log->words * sizeof(uint64_t);
}

static void begin_open(struct row_open *open)
{
	coder_begin(&open->coder);
	open->end = open->bytes;
	open->coded = 0;
	open->raw = 0;
	open->is_changed = false;
}

static size_t open_count(const struct row_log *log)
{
	return log->open ? log->open->coded + log->open->raw : 0;
}

static uint64_t *raw_row(const struct row_log *log, size_t index)
{
	return log->open->rows + index * log->words;
}

static void code_raw(struct row_log *log)
{
	struct row_open *open = log->open;

	for (size_t i = 0; i < open->raw; i++)
		code_row(open, log->words, open->kinds[i], ROW_ANY, raw_row(log, i));
	open->raw = 0;
}

/* What is coded, at least one row; NULL without memory. */
static const uint8_t *copy_coded(struct log_store *store, const struct row_open *open)
{
	size_t size = (size_t)(open->end - open->bytes);
	uint8_t *bytes;

	assert(size > 0);
	bytes = log_store_take(store, size);
	if (bytes)
		memcpy(bytes, open->bytes, size);
	return bytes;
}

static enum status close_block(struct row_log *log)
{
	struct row_block block = {.first_row = log->count - open_count(log)};

	if (open_count(log) == 0)
		return STATUS_OK;
	TRY(vec_reserve((void **)&log->blocks, &log->block_capacity, log->block_count + 1,
	                sizeof(*log->blocks)));
	code_raw(log);
	block.bytes = copy_coded(&log->store, log->open);
	if (!block.bytes)
		return STATUS_NO_MEM;
	block.first = log->open->first;
	block.last = log->open->last;
	log->blocks[log->block_count++] = block;
	begin_open(log->open);
	return STATUS_OK;
}

/* Room for one more row in the open block. */
static enum status reserve_row(struct row_log *log)
{
	if (open_count(log) == ROW_BLOCK)
		TRY(close_block(log));
	if (log->open)
		return STATUS_OK;
	log->open = malloc(sizeof(*log->open));
	if (!log->open)
		return STATUS_NO_MEM;
	begin_open(log->open);
	return STATUS_OK;
}

enum status row_log_add(struct row_log *log, unsigned int kind, const void *row)
{
	TRY(reserve_row(log));
	memcpy(raw_row(log, log->open->raw), row, row_size(log));
	log->open->kinds[log->open->raw++] = (uint8_t)kind;
	log->count++;
	return STATUS_OK;
}

enum status row_log_code(struct row_log *log, unsigned int kind, unsigned int mask, const void *row)
{
	TRY(reserve_row(log));
	code_raw(log);
	code_row(log->open, log->words, kind, log->open->is_changed ? ROW_ANY : mask, row);
	log->count++;
	return STATUS_OK;
}

static size_t rows_of(const struct row_log *log, const struct row_block *block)
{
	size_t next = block + 1 < log->blocks + log->block_count ? block[1].first_row
	                                                         : log->count - open_count(log);

	return next - block->first_row;
}

static void read_rows(const struct row_log *log, const struct row_block *block, size_t count,
                      struct row_cache *cache)
{
	struct row_coder coder;
	const uint8_t *from = block->bytes;

	coder_begin(&coder);
	cache->bytes = block->bytes;
	cache->first_row = block->first_row;
	cache->count = count;
	for (size_t i = 0; i < count; i++) {
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

static void read_block(const struct row_log *log, const struct row_block *block,
                       struct row_cache *cache)
{
	log_store_read(&log->store, ++cache->blocks);
	read_rows(log, block, rows_of(log, block), cache);
}

/* Those of the open block that are coded. */
static void read_open(const struct row_log *log, struct row_cache *cache)
{
	struct row_block block = {.bytes = log->open->bytes,
	                          .first_row = log->count - open_count(log),
	                          .last = UINT64_MAX};

	read_rows(log, &block, log->open->coded, cache);
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
	return index >= log->count - open_count(log);
}

static const uint64_t *row_at(const struct row_log *log, size_t index, struct row_cache *cache)
{
	size_t raw = log->open ? log->count - log->open->raw : log->count;

	if (index >= raw)
		return raw_row(log, index - raw);
	if (cache->bytes && index >= cache->first_row && index - cache->first_row < cache->count)
		return cache->rows + (index - cache->first_row) * log->words;
	if (is_open(log, index))
		read_open(log, cache);
	else
		read_block(log, block_of(log, index), cache);
	return cache->rows + (index - cache->first_row) * log->words;
}

void row_log_at(const struct row_log *log, size_t index, struct row_cache *cache, void *row)
{
	memcpy(row, row_at(log, index, cache), row_size(log));
}

/* The rows that the cache has, coded anew; those not coded stay. */
static void code_again(struct row_open *open, unsigned int words, const struct row_cache *cache)
{
	size_t raw = open->raw;

	begin_open(open);
	for (size_t i = 0; i < cache->count; i++)
		code_row(open, words, cache->kinds[i], ROW_ANY, cache->rows + i * words);
	open->raw = raw;
}

/* Those of its kind after it may differ from it now in any word. */
static void set_open(struct row_log *log, size_t index, const void *row)
{
	size_t raw = log->count - log->open->raw;
	struct row_cache cache;

	if (index >= raw) {
		memcpy(raw_row(log, index - raw), row, row_size(log));
	} else {
		read_open(log, &cache);
		memcpy(cache.rows + (index - cache.first_row) * log->words, row, row_size(log));
		code_again(log->open, log->words, &cache);
	}
	log->open->is_changed = true;
}

static enum status set_coded(struct row_log *log, struct row_block *block, size_t index,
                             const void *row)
{
	struct row_open *open = malloc(sizeof(*open));
	struct row_cache cache;
	const uint8_t *bytes;

	if (!open)
		return STATUS_NO_MEM;
	cache.blocks = 0;
	read_block(log, block, &cache);
	memcpy(cache.rows + (index - block->first_row) * log->words, row, row_size(log));
	begin_open(open);
	code_again(open, log->words, &cache);
	bytes = copy_coded(&log->store, open);
	free(open);
	if (!bytes)
		return STATUS_NO_MEM;
	block->bytes = bytes;
	block->add_position = 0;
	block->add_value = 0;
	return STATUS_OK;
}

enum status row_log_set(struct row_log *log, size_t index, const void *row)
{
	if (!is_open(log, index))
		return set_coded(log, log->blocks + (block_of(log, index) - log->blocks), index,
		                 row);
	set_open(log, index, row);
	return STATUS_OK;
}

enum status row_log_clamp(struct row_log *log, uint64_t position)
{
	if (log->open && log->open->coded > 0 && log->open->last > position)
		TRY(close_block(log));
	for (size_t i = log->open ? log->open->raw : 0; i-- > 0 && raw_row(log, i)[0] > position;)
		raw_row(log, i)[0] = position;
	for (size_t i = log->block_count; i-- > 0 && log->blocks[i].last > position;)
		log->blocks[i].last = position;
	return STATUS_OK;
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
	size_t low = is_coded ? log->blocks[block].first_row : log->count - open_count(log);
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
	log_store_done(&log->store);
	return STATUS_OK;
}

enum status row_log_settle(struct row_log *log)
{
	TRY(row_log_end(log));
	TRY(log_store_settle(&log->store, (void **)&log->blocks,
	                     log->block_count * sizeof(*log->blocks)));
	log->is_settled = true;
	return STATUS_OK;
}

enum status row_log_join(struct row_log *log, struct row_log *other, uint64_t position,
                         uint64_t value)
{
	TRY(close_block(log));
	TRY(row_log_end(other));
	TRY(vec_reserve((void **)&log->blocks, &log->block_capacity,
	                log->block_count + other->block_count, sizeof(*log->blocks)));
	TRY(log_store_join(&log->store, &other->store));
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
