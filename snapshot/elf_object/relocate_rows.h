/* SPDX-License-Identifier: Apache-2.0 */
/* What relocate.c asks of the two architectures; private to this room. */
#ifndef CSREPLAY_SNAPSHOT_ELF_OBJECT_RELOCATE_ROWS_H
#define CSREPLAY_SNAPSHOT_ELF_OBJECT_RELOCATE_ROWS_H

#include "snapshot/elf_object/relocate.h"

/* As relocation_size() and relocate(). */
size_t relocation_size_a64(uint32_t type);
size_t relocation_size_arm(uint32_t type);
MUST_USE enum status relocate_a64(const struct relocation *relocation, uint8_t *at);
MUST_USE enum status relocate_arm(const struct relocation *relocation, uint8_t *at);

static inline uint64_t relocate_read(const uint8_t *at, size_t size)
{
	uint64_t value = 0;

	for (size_t i = 0; i < size; i++)
		value |= (uint64_t)at[i] << (8 * i);
	return value;
}

static inline void relocate_write(uint8_t *at, size_t size, uint64_t value)
{
	for (size_t i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> (8 * i));
}

/* True if a number of 64 bits is one of `bits` with a sign. */
static inline bool relocate_fits(uint64_t value, unsigned int bits)
{
	uint64_t half = UINT64_C(1) << (bits - 1);

	return bits >= 64 || value + half < half * 2;
}

/* The low bits of a number, which has a sign. */
static inline int64_t relocate_extend(uint64_t value, unsigned int bits)
{
	uint64_t half = UINT64_C(1) << (bits - 1);

	return (int64_t)(((value & (half * 2 - 1)) ^ half) - half);
}

#endif
