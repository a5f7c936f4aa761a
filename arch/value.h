/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A value that may be unknown: bits, and which of them are known. An unknown bit is kept as zero
 * in `bits` and says nothing; nobody may show it.
 */
#ifndef CSREPLAY_ARCH_VALUE_H
#define CSREPLAY_ARCH_VALUE_H

#include <stdbool.h>
#include <stdint.h>

struct value {
	uint8_t size;      /* bytes, 1 to 16 */
	uint8_t bits[16];  /* little endian */
	uint8_t known[16]; /* mask: 1 where the bit is known */
	bool is_assumed;   /* some of them by an assumption, and not proved */
};

static inline struct value value_unknown(unsigned int size)
{
	return (struct value){.size = (uint8_t)size};
}

static inline struct value value_of_u64(uint64_t v, unsigned int size)
{
	struct value value = value_unknown(size);

	for (unsigned int i = 0; i < size; i++) {
		value.bits[i] = (uint8_t)(i < 8 ? v >> (8 * i) : 0);
		value.known[i] = 0xff;
	}
	return value;
}

/* True if every bit is known. */
static inline bool value_is_known(const struct value *value)
{
	for (unsigned int i = 0; i < value->size; i++) {
		if (value->known[i] != 0xff)
			return false;
	}
	return true;
}

/* The low 64 bits; unknown ones read as zero, so ask value_is_known() first. */
static inline uint64_t value_u64(const struct value *value)
{
	uint64_t v = 0;

	for (unsigned int i = 0; i < value->size && i < 8; i++)
		v |= (uint64_t)value->bits[i] << (8 * i);
	return v;
}

#endif
