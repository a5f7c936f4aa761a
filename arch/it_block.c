/* SPDX-License-Identifier: Apache-2.0 */
/* ITSTATE as code says it; see it_block.h. */
#include "arch/it_block.h"

#include "arch/a32/a32.h"
#include "arch/insn.h"

enum { BLOCK_MOST = 4 }; /* instructions of a block */

static bool is_it(uint32_t opcode)
{
	return (opcode & ~UINT32_C(0xff)) == 0xbf00 && (opcode & 15) != 0;
}

/* How many instructions the IT is for. */
static unsigned int count_of(uint32_t opcode)
{
	unsigned int count = BLOCK_MOST;

	for (; (opcode & 1) == 0; opcode >>= 1)
		count--;
	return count;
}

static bool read_halfword(const struct memmap *memory, uint32_t view, uint64_t address,
                          uint32_t *halfword)
{
	uint8_t b[2];

	if (memmap_read(memory, view, address, b, sizeof(b)) != sizeof(b))
		return false;
	*halfword = (uint32_t)b[0] | (uint32_t)b[1] << 8;
	return true;
}

/* The IT, if it is one, at `at` may have this instruction in its block. */
static bool may_cover(const struct memmap *memory, uint32_t view, uint64_t at, uint64_t address)
{
	uint32_t halfword;
	unsigned int count;

	if (!read_halfword(memory, view, at, &halfword) || !is_it(halfword))
		return false;
	count = count_of(halfword);
	at += 2;
	for (unsigned int i = 0; i + 1 < count && at < address; i++) {
		if (!read_halfword(memory, view, at, &halfword))
			return true;
		at += insn_t32_size(halfword);
	}
	return at == address;
}

static bool may_be_in_block(const struct memmap *memory, uint32_t view, uint64_t address)
{
	for (unsigned int back = 2; back <= 2 + 4 * (BLOCK_MOST - 1); back += 2) {
		if (may_cover(memory, view, address - back, address))
			return true;
	}
	return false;
}

void it_block_enter(struct it_block *block, const struct memmap *memory, uint32_t view,
                    uint64_t address, bool is_interrupted)
{
	/* An instruction that was interrupted, or is followed, goes on as it was. */
	if (address == block->next)
		return;
	block->state = 0;
	block->is_unsure = is_interrupted && may_be_in_block(memory, view, address);
	block->left = BLOCK_MOST;
}

unsigned int it_block_condition(const struct it_block *block)
{
	if (block->is_unsure)
		return IT_UNKNOWN;
	return block->state == 0 ? (unsigned int)SEM_NO_IT : (unsigned int)block->state >> 4;
}

void it_block_pass(struct it_block *block, uint32_t opcode, uint64_t address, unsigned int size)
{
	block->next = address + size;
	if (is_it(opcode)) {
		block->state = (uint8_t)opcode;
		block->is_unsure = false;
		return;
	}
	if (block->is_unsure && --block->left == 0)
		block->is_unsure = false;
	if ((block->state & 7) == 0)
		block->state = 0;
	else
		block->state = (uint8_t)((block->state & 0xe0) | (block->state << 1 & 0x1f));
}
