/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one bounded cursor over bytes in memory. Every parser reads through it.
 *
 * A reader that fails does not move the cursor and does not write its result. STATUS_END means
 * that not one byte was left, STATUS_TRUNCATED that some were, but too few.
 */
#ifndef CSREPLAY_BASE_BYTES_H
#define CSREPLAY_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/status.h"

struct bytes {
	const uint8_t *begin;
	const uint8_t *pos; /* begin <= pos <= end */
	const uint8_t *end;
};

static inline struct bytes bytes_of(const void *data, size_t size)
{
	const uint8_t *p = data;
	return (struct bytes){p, p, size > 0 ? p + size : p};
}

static inline size_t bytes_left(const struct bytes *b)
{
	return (size_t)(b->end - b->pos);
}

/* What is left of both is the same. */
static inline bool bytes_equal(struct bytes a, struct bytes b)
{
	return bytes_left(&a) == bytes_left(&b) &&
	       (bytes_left(&a) == 0 || memcmp(a.pos, b.pos, bytes_left(&a)) == 0);
}

/* Number of bytes already read. */
static inline size_t bytes_offset(const struct bytes *b)
{
	return (size_t)(b->pos - b->begin);
}

MUST_USE static inline enum status bytes_need(const struct bytes *b, size_t count)
{
	size_t left = bytes_left(b);

	if (left >= count)
		return STATUS_OK;
	return left == 0 ? STATUS_END : STATUS_TRUNCATED;
}

/* The byte `ahead` places after the cursor, without moving. */
MUST_USE static inline enum status bytes_peek(const struct bytes *b, size_t ahead, uint8_t *value)
{
	if (bytes_left(b) <= ahead)
		return bytes_left(b) == 0 ? STATUS_END : STATUS_TRUNCATED;
	*value = b->pos[ahead];
	return STATUS_OK;
}

MUST_USE static inline enum status bytes_u8(struct bytes *b, uint8_t *value)
{
	if (b->pos == b->end)
		return STATUS_END;
	*value = *b->pos++;
	return STATUS_OK;
}

MUST_USE static inline enum status bytes_skip(struct bytes *b, size_t count)
{
	TRY(bytes_need(b, count));
	if (count > 0) /* an empty cursor may be NULL */
		b->pos += count;
	return STATUS_OK;
}

/* How many zero bytes there are from `ahead` places after the cursor on, up to `most`. */
size_t bytes_count_zeros(const struct bytes *b, size_t ahead, size_t most);

/* Little-endian unsigned integer of `size` bytes, 1 to 8. */
MUST_USE enum status bytes_le(struct bytes *b, unsigned int size, uint64_t *value);

/* Moves back or forth to an absolute offset; STATUS_TRUNCATED past the end. */
MUST_USE enum status bytes_seek(struct bytes *b, size_t offset);

/* A cursor over the next `count` bytes, which `b` then lies after. */
MUST_USE enum status bytes_take(struct bytes *b, size_t count, struct bytes *taken);

#endif
