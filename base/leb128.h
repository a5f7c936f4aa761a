/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers in as few bytes as they need, LEB128 (DWARF 5, 7.6), in memory that this program wrote
 * itself: what is taken is not bounded. In and out: unsigned numbers, and differences as such.
 */
#ifndef CSREPLAY_BASE_LEB128_H
#define CSREPLAY_BASE_LEB128_H

#include <stdint.h>

enum { LEB128_MOST = 10 }; /* bytes of a number */

/* Returns the place after its bytes. */
static inline uint8_t *leb128_put(uint8_t *to, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		*to++ = (uint8_t)(number | 0x80);
	*to++ = (uint8_t)number;
	return to;
}

/* The bytes are those that leb128_put() wrote. */
static inline const uint8_t *leb128_take(const uint8_t *from, uint64_t *number)
{
	unsigned int shift = 0;

	*number = *from;
	/* Most are of one byte. */
	if (*number < 0x80)
		return from + 1;
	*number = 0;
	for (; *from & 0x80; shift += 7)
		*number |= (uint64_t)(*from++ & 0x7f) << shift;
	*number |= (uint64_t)*from++ << shift;
	return from;
}

/* A difference modulo 2^64 as a number that is small if it is, in either direction; and back. */
static inline uint64_t leb128_fold(uint64_t difference)
{
	return difference >> 63 ? ~(difference << 1) : difference << 1;
}

static inline uint64_t leb128_unfold(uint64_t number)
{
	return number & 1 ? ~(number >> 1) : number >> 1;
}

#endif
