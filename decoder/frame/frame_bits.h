/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of a formatter's frame, eight at a time. In: a frame. Out: where its IDs are, and its
 * data with the low bits that the last byte has.
 */
#ifndef CSREPLAY_DECODER_FRAME_FRAME_BITS_H
#define CSREPLAY_DECODER_FRAME_FRAME_BITS_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define EVEN_LOW_BITS UINT64_C(0x0001000100010001)

enum {
	FLAGS_AT = 15, /* bit i: low bit of even byte 2i, or "the odd byte is the old ID's" */
	LAST_AT = 14,  /* after seven pairs of an even and an odd byte, a byte alone */
};

/* Eight bytes in their order in memory, the first one lowest. */
static inline uint64_t eight_bytes(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return le64toh(value);
}

static inline void put_eight_bytes(uint8_t *to, uint64_t value)
{
	value = htole64(value);
	memcpy(to, &value, sizeof(value));
}

/* No even byte of the frame is an ID: all of it is data of the current one. */
static inline bool has_no_id(const uint8_t *frame)
{
	return ((eight_bytes(frame) | eight_bytes(frame + 8)) & EVEN_LOW_BITS) == 0;
}

/* Eight bytes of a frame whose even ones have their low bits in the four flags. */
static inline uint64_t with_flags(const uint8_t *at, unsigned int flags)
{
	/* Bit i of four flags in the low bit of even byte 2i. */
	static const uint64_t spread[16] = {
	        0x0000000000000000, 0x0000000000000001, 0x0000000000010000, 0x0000000000010001,
	        0x0000000100000000, 0x0000000100000001, 0x0000000100010000, 0x0000000100010001,
	        0x0001000000000000, 0x0001000000000001, 0x0001000000010000, 0x0001000000010001,
	        0x0001000100000000, 0x0001000100000001, 0x0001000100010000, 0x0001000100010001,
	};

	return eight_bytes(at) | spread[flags & 15];
}

/* The even bytes that are IDs: bit 2n for byte 2n. */
static inline unsigned int id_bytes(const uint8_t *frame)
{
	/* Gathers the low bits of the even bytes in the upper ones, without carries. */
	uint64_t low = (eight_bytes(frame) & EVEN_LOW_BITS) * UINT64_C(0x0001000400100040);
	uint64_t high = (eight_bytes(frame + 8) & EVEN_LOW_BITS) * UINT64_C(0x0001000400100040);

	return (unsigned int)(low >> 48 & 0x55) | (unsigned int)(high >> 48 & 0x55) << 8;
}

#endif
