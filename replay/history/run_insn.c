/* SPDX-License-Identifier: Apache-2.0 */
/* Where the instructions of a run begin; see run_insn.h. */
#include "replay/history/run_insn.h"

#include "arch/isa.h"

/* The size that all instructions of the run have, or 0 if there are both. */
static unsigned int common_size(const struct walk *walk)
{
	uint64_t bytes = walk->end - walk->start;

	if (bytes == 4 * (uint64_t)walk->count)
		return 4;
	return bytes == 2 * (uint64_t)walk->count ? 2 : 0;
}

/*
 * The decoder read this opcode when it followed the run. A hole in its place counts as 2 bytes,
 * so that the walk goes on and ends.
 */
static unsigned int size_at(const struct memmap *memory, uint32_t view, uint64_t address)
{
	uint8_t b[2];

	if (memmap_read(memory, view, address, b, sizeof(b)) != sizeof(b))
		return 2;
	return insn_t32_size(insn_opcode(b, sizeof(b), ISA_T32));
}

struct run_insn run_insn_at(const struct memmap *memory, const struct basic_block *block,
                            uint32_t index)
{
	const struct walk *walk = &block->walk;
	unsigned int size = common_size(walk);
	struct run_insn insn = {walk->start, 0};

	if (index == walk->count - 1)
		return (struct run_insn){walk->end - walk->last.size, walk->last.size};
	if (size > 0)
		return (struct run_insn){walk->start + (uint64_t)index * size, size};
	for (uint32_t i = 0; i <= index; i++) {
		insn.address += insn.size;
		insn.size = size_at(memory, block->view, insn.address);
	}
	return insn;
}

struct run_insn run_insn_after(const struct memmap *memory, const struct basic_block *block,
                               struct run_insn insn)
{
	unsigned int size = common_size(&block->walk);
	uint64_t address = insn.address + insn.size;

	return (struct run_insn){address, size > 0 ? size : size_at(memory, block->view, address)};
}

bool run_insn_find(const struct memmap *memory, const struct basic_block *block, uint64_t address,
                   uint32_t *index)
{
	const struct walk *walk = &block->walk;
	unsigned int size = common_size(walk);
	uint64_t at = walk->start;

	/* The end may be that of all addresses, 0. */
	if (address - walk->start >= walk->end - walk->start)
		return false;
	if (size > 0) {
		*index = (uint32_t)((address - walk->start) / size);
		return (address - walk->start) % size == 0;
	}
	*index = walk->count - 1;
	if (address == walk->end - walk->last.size)
		return true;
	for (*index = 0; at < address && *index < walk->count - 1; ++*index)
		at += size_at(memory, block->view, at);
	return at == address && *index < walk->count - 1;
}

bool run_insn_opcode(const struct memmap *memory, const struct basic_block *block,
                     struct run_insn insn, uint32_t *opcode)
{
	uint8_t b[4];

	if (memmap_read(memory, block->view, insn.address, b, insn.size) != insn.size)
		return false;
	*opcode = insn_opcode(b, insn.size, (enum isa)block->walk.isa);
	return true;
}
