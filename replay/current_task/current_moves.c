/* SPDX-License-Identifier: Apache-2.0 */
/* Where code moves a register, and where of a history that ran; see current_store.h. */
#include <stdlib.h>

#include "base/vec.h"
#include "replay/current_task/current_store.h"

void current_moves_fini(struct current_moves *moves)
{
	free(moves->addresses);
	*moves = (struct current_moves){.count = 0};
}

/* The instruction at `at` of a run, as struct instruction has it; its size. */
static unsigned int read_opcode(const struct memmap *memory, const struct history_code *code,
                                uint64_t at, uint32_t *opcode)
{
	uint32_t word;
	unsigned int first;

	if (code->isa != ISA_T32)
		return memmap_read_word(memory, code->view, at, opcode) ? 4 : 0;
	/* What moves a register is 4 bytes of a run, and the last two of memory are none. */
	if (!memmap_read_word(memory, code->view, at, &word))
		return 0;
	first = word & 0xffff;
	*opcode = first >> 11 < 0x1d ? first : first << 16 | word >> 16;
	return first >> 11 < 0x1d ? 2 : 4;
}

static enum status find_in_run(const struct memmap *memory, const struct history_code *code,
                               current_is_move *is_move, struct current_moves *moves)
{
	uint32_t opcode = 0;
	unsigned int size;

	for (uint64_t at = code->start; at < code->end; at += size) {
		size = read_opcode(memory, code, at, &opcode);
		if (size == 0)
			return STATUS_OK;
		if (!is_move(code->isa, opcode))
			continue;
		TRY(vec_reserve((void **)&moves->addresses, &moves->capacity, moves->count + 1,
		                sizeof(*moves->addresses)));
		moves->addresses[moves->count++] = at;
	}
	return STATUS_OK;
}

bool current_find_moves(const struct current_place *at, current_is_move *is_move,
                        struct current_moves *moves)
{
	struct history_code code;

	if (moves->is_known)
		return moves->count > 0;
	moves->count = 0;
	for (size_t i = 0; history_code(at->history, i, &code); i++) {
		if (find_in_run(history_memory(at->history), &code, is_move, moves) != STATUS_OK)
			return false;
	}
	moves->is_known = true;
	return moves->count > 0;
}

static struct history_search search_of(const struct current_moves *moves)
{
	return (struct history_search){.addresses = moves->addresses,
	                               .address_count = moves->count};
}

bool current_move_before(struct current_place *at, const struct current_moves *moves,
                         uint64_t limit)
{
	const struct history_search search = search_of(moves);

	return history_find_backward(at->history, &search, at->position, limit, &at->position) ==
	       STATUS_OK;
}

bool current_move_after(struct current_place *at, const struct current_moves *moves, uint64_t limit)
{
	const struct history_search search = search_of(moves);

	return history_find_forward(at->history, &search, at->position, limit, &at->position) ==
	       STATUS_OK;
}
