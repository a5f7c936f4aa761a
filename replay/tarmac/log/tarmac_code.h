/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The code that a Tarmac text shows: the opcodes of its instructions by address, as memory. In:
 * address and opcode, one instruction at a time. Out: regions for a memory map. Where an address
 * had other bytes at another time the first ones are kept, and it is said that they changed.
 */
#ifndef CSREPLAY_REPLAY_TARMAC_LOG_TARMAC_CODE_H
#define CSREPLAY_REPLAY_TARMAC_LOG_TARMAC_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/str.h"
#include "snapshot/memmap.h"

struct tarmac_code_word {
	uint64_t value;
	uint64_t key;  /* address / 8 */
	uint8_t known; /* mask of bytes; 0: the place is free */
	uint8_t changed;
};

struct tarmac_code {
	struct tarmac_code_word *words; /* open addressing */
	size_t slots;
	size_t count;
	bool has_changed; /* some byte did */
	uint8_t *bytes;   /* of the regions */
	struct mem_region *regions;
	size_t region_count;
	size_t region_capacity;
};

enum tarmac_code_update {
	CODE_SEEN,    /* nothing new */
	CODE_NEW,     /* some of the bytes were not known */
	CODE_CHANGED, /* some of the bytes are, or were once, others */
};

/* `size` bytes (1 to 8), little endian in `bytes`. NO_MEM. */
MUST_USE enum status tarmac_code_add(struct tarmac_code *code, uint64_t address, uint64_t bytes,
                                     unsigned int size, enum tarmac_code_update *update);

/* Makes the regions, which belong to `code`; nothing can be added after that. NO_MEM. */
MUST_USE enum status tarmac_code_finish(struct tarmac_code *code, struct str origin);

void tarmac_code_fini(struct tarmac_code *code);

#endif
