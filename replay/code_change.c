/* SPDX-License-Identifier: Apache-2.0 */
/* Code that may have been written; see code_change.h. */
#include "replay/code_change.h"

#include "decoder/insn.h"
#include "replay/history_store.h"
#include "replay/plan_code.h"
#include "replay/sem.h"
#include "replay/sem_a32.h"

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

static bool makes_code(enum isa isa, unsigned int size, uint32_t opcode)
{
	return plan_maintains_icache(isa, size, opcode) || is_svc(isa, size, opcode);
}

static bool changes_translation(enum isa isa, unsigned int size, uint32_t opcode)
{
	struct uop_builder b;

	/* MSR and SYS, MCR and MCRR: the others need not be expanded. */
	if (size != 4 || (isa == ISA_A64 ? opcode >> 22 != 0xd5000000 >> 22
	                                 : (opcode & 0x0c000000) != 0x0c000000))
		return false;
	if (isa == ISA_A64)
		sem_a64(opcode, 0, &b);
	else if (isa == ISA_T32)
		sem_t32(opcode, 0, SEM_NO_IT, &b);
	else
		sem_a32(opcode, 0, &b);
	return (b.insn.flags & UOP_CHANGES_TRANSLATION) != 0;
}

/* The run has such an instruction. */
static bool has_any(const struct memmap *memory, const struct extent *e,
                    bool (*is_such)(enum isa, unsigned int, uint32_t))
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
		if (is_such(isa, size, low))
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
		makes = has_any(memory, &history->code[i], makes_code);
	return makes;
}

bool code_changes_translation(const struct history *history)
{
	bool changes = false;

	for (size_t i = 0; i < history->code_count && !changes; i++)
		changes = has_any(history->core->memory, &history->code[i], changes_translation);
	return changes;
}
