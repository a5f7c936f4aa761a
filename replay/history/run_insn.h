/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instructions inside a run: where each begins, and its opcode. In: a basic block (first
 * address, end, count, and the view that it was fetched from) and the core's memory, which is read
 * in that view alone: the same address may hold other code for another security state. Where
 * instructions of two sizes may be mixed (T32), the opcodes say where the next one begins;
 * elsewhere it is a multiplication.
 */
#ifndef CSREPLAY_REPLAY_HISTORY_RUN_INSN_H
#define CSREPLAY_REPLAY_HISTORY_RUN_INSN_H

#include <stdbool.h>
#include <stdint.h>

#include "decoder/flow/flow.h"
#include "snapshot/memmap.h"

struct run_insn {
	uint64_t address;
	unsigned int size; /* bytes: 2 or 4 */
};

/* Instruction `index` < block->walk.count. */
struct run_insn run_insn_at(const struct memmap *memory, const struct basic_block *block,
                            uint32_t index);

/* The instruction after one that is not the last of the run. */
struct run_insn run_insn_after(const struct memmap *memory, const struct basic_block *block,
                               struct run_insn insn);

/* Which instruction begins at `address`; false if none of the run does. */
bool run_insn_find(const struct memmap *memory, const struct basic_block *block, uint64_t address,
                   uint32_t *index);

/* Its opcode as arch/insn.h takes it; false if memory does not hold it. */
bool run_insn_opcode(const struct memmap *memory, const struct basic_block *block,
                     struct run_insn insn, uint32_t *opcode);

#endif
