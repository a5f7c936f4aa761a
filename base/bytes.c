/* SPDX-License-Identifier: Apache-2.0 */
/* The bounded cursor: what is too long for its header. */
#include "base/bytes.h"

#include <assert.h>

size_t bytes_count_zeros(const struct bytes *b, size_t ahead, size_t most)
{
	size_t count = 0;

	while (count < most && bytes_left(b) > ahead + count && b->pos[ahead + count] == 0)
		count++;
	return count;
}

enum status bytes_le(struct bytes *b, unsigned int size, uint64_t *value)
{
	uint64_t v = 0;

	assert(size >= 1 && size <= 8);
	TRY(bytes_need(b, size));
	for (unsigned int i = 0; i < size; i++)
		v |= (uint64_t)b->pos[i] << (8 * i);
	b->pos += size;
	*value = v;
	return STATUS_OK;
}

enum status bytes_seek(struct bytes *b, size_t offset)
{
	if (offset > (size_t)(b->end - b->begin))
		return STATUS_TRUNCATED;
	b->pos = offset > 0 ? b->begin + offset : b->begin;
	return STATUS_OK;
}

enum status bytes_take(struct bytes *b, size_t count, struct bytes *taken)
{
	const uint8_t *begin = b->pos;

	TRY(bytes_skip(b, count));
	*taken = (struct bytes){begin, begin, b->pos};
	return STATUS_OK;
}
