/* SPDX-License-Identifier: Apache-2.0 */
/* Hash of a number, for tables whose size is a power of two (Knuth's multiplicative hash). */
#ifndef CSREPLAY_BASE_HASH_H
#define CSREPLAY_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* 32 good bits: take as many low ones as the table has. */
static inline size_t hash_u64(uint64_t key)
{
	return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

#endif
