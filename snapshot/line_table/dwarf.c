/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and strings of DWARF; see dwarf.h. Numbers in brackets are of DWARF 5. */
#include "snapshot/line_table/dwarf.h"

#include <string.h>

enum {
	LEB_BITS = 7,
	LEB_MORE = 0x80,
	LEB_SIGN = 0x40,
	VALUE_BITS = 64,
};

/* A length that says that a longer one follows [7.4]. */
static const uint64_t long_format = 0xffffffff;

enum status dwarf_number(struct bytes *b, bool is_big_endian, unsigned int size, uint64_t *value)
{
	uint64_t little;
	uint64_t big = 0;

	TRY(bytes_le(b, size, &little));
	for (unsigned int i = 0; i < size; i++)
		big = big << 8 | (little >> 8 * i & 0xff);
	*value = is_big_endian ? big : little;
	return STATUS_OK;
}

enum status dwarf_leb(struct bytes *b, bool is_signed, uint64_t *value)
{
	struct bytes ahead = *b;
	uint64_t bits = 0;
	unsigned int shift = 0;
	uint8_t byte;

	do {
		TRY(bytes_u8(&ahead, &byte));
		if (shift < VALUE_BITS)
			bits |= (uint64_t)(byte & (LEB_MORE - 1)) << shift;
		shift += shift < VALUE_BITS ? LEB_BITS : 0;
	} while ((byte & LEB_MORE) != 0);
	if (is_signed && (byte & LEB_SIGN) != 0 && shift < VALUE_BITS)
		bits |= UINT64_MAX << shift;
	*b = ahead;
	*value = bits;
	return STATUS_OK;
}

enum status dwarf_string(struct bytes *b, const char **string)
{
	const uint8_t *end = bytes_left(b) > 0 ? memchr(b->pos, '\0', bytes_left(b)) : NULL;

	if (!end)
		return STATUS_TRUNCATED;
	*string = (const char *)b->pos;
	b->pos = end + 1;
	return STATUS_OK;
}

enum status dwarf_unit(struct bytes *b, bool is_big_endian, bool *is_64bit, struct bytes *unit)
{
	struct bytes ahead = *b;
	uint64_t length;

	TRY(dwarf_number(&ahead, is_big_endian, 4, &length));
	*is_64bit = length == long_format;
	if (*is_64bit)
		TRY(dwarf_number(&ahead, is_big_endian, 8, &length));
	if (length > bytes_left(&ahead))
		return STATUS_TRUNCATED;
	TRY(bytes_take(&ahead, (size_t)length, unit));
	*b = ahead;
	return STATUS_OK;
}

enum status dwarf_block(struct bytes *b, bool is_big_endian, unsigned int size_bytes,
                        struct bytes *block)
{
	struct bytes ahead = *b;
	uint64_t size;

	if (size_bytes == 0)
		TRY(dwarf_leb(&ahead, false, &size));
	else
		TRY(dwarf_number(&ahead, is_big_endian, size_bytes, &size));
	if (size > bytes_left(&ahead))
		return STATUS_TRUNCATED;
	TRY(bytes_take(&ahead, (size_t)size, block));
	*b = ahead;
	return STATUS_OK;
}
