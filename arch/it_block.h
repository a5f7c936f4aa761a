/* SPDX-License-Identifier: Apache-2.0 */
/*
 * T32: which condition an IT instruction put the next ones under. It is not in their opcodes, and
 * trace does not say it. In: instructions in the order in which they ran. Out: the condition of
 * each. Arm ARM DDI 0487 F1.2 (ITSTATE), F5.1 (IT).
 *
 * A branch ends a block, and into one only an exception return leads. Where it is not known how
 * execution came to an instruction, the code before it says whether it can be in a block.
 */
#ifndef CSREPLAY_ARCH_IT_BLOCK_H
#define CSREPLAY_ARCH_IT_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "snapshot/memmap.h"

enum {
	IT_UNKNOWN = 16, /* beside 0 to 14 and SEM_NO_IT */
};

struct it_block {
	uint8_t state;  /* ITSTATE; 0: no block */
	bool is_unsure; /* IT_UNKNOWN may be true of the next `left` instructions */
	uint8_t left;
	uint64_t next; /* where execution goes on without a branch */
};

/*
 * The instruction at `address` comes next, and is in which block? `is_interrupted`: by an
 * exception, a return from one, a gap; or it is the first.
 */
void it_block_enter(struct it_block *block, const struct memmap *memory, uint32_t view,
                    uint64_t address, bool is_interrupted);
/* Its condition, SEM_NO_IT or IT_UNKNOWN. */
unsigned int it_block_condition(const struct it_block *block);
/* It is over. `opcode` as sem_t32() takes it. */
void it_block_pass(struct it_block *block, uint32_t opcode, uint64_t address, unsigned int size);

#endif
