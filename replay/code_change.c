/* SPDX-License-Identifier: Apache-2.0 */
/* Code that may have been written; see code_change.h. */
#include "replay/code_change.h"

#include "decoder/insn.h"
#include "replay/history_store.h"
#include "replay/plan_code.h"

static bool is_writable(const struct memmap *memory, const struct extent *e)
{
	struct mem_span span;

	return memmap_find(memory, SPACE_ANY, e->first, &span) != STATUS_OK ||
	       !span.region->read_only;
}

static bool is_svc(enum isa isa, unsigned int size, uint32_t opcode)
{
	if (isa == ISA_T32)
		return size == 2 && opcode >> 8 == 0xdf;
	return isa == ISA_A32 && (opcode & 0x0f000000) == 0x0f000000;
}

/* The run has an instruction that makes code of what was written. */
static bool makes_code(const struct memmap *memory, const struct extent *e)
{
	enum isa isa = (enum isa)e->isa;
	uint64_t at = e->first;
	uint8_t b[4];

	while (e->last - at >= 1 && memmap_read(memory, SPACE_ANY, at, b, 2) == 2) {
		uint32_t low = (uint32_t)b[0] | (uint32_t)b[1] << 8;
		unsigned int size = isa == ISA_T32 ? insn_t32_size(low) : 4;
		uint32_t high = 0;

		if (e->last - at < size - 1)
			return false;
		if (size == 4 && memmap_read(memory, SPACE_ANY, at + 2, b + 2, 2) == 2)
			high = (uint32_t)b[2] | (uint32_t)b[3] << 8;
		if (isa == ISA_T32 && size == 4)
			low = low << 16 | high;
		else
			low |= high << 16;
		if (plan_maintains_icache(isa, size, low) || is_svc(isa, size, low))
			return true;
		if (e->last - at == size - 1)
			return false;
		at += size;
	}
	return false;
}

bool code_may_change(const struct history *history)
{
	const struct memmap *memory = history->core->memory;
	bool writable = false;
	bool makes = false;

	for (size_t i = 0; i < history->code_count && !writable; i++)
		writable = is_writable(memory, &history->code[i]);
	for (size_t i = 0; i < history->code_count && writable && !makes; i++)
		makes = makes_code(memory, &history->code[i]);
	return makes;
}
