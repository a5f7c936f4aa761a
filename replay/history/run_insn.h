/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instructions inside a run: where each begins, and its opcode. In: a walk (first address,
 * end, count) and the core's memory. Where instructions of two sizes may be mixed (T32), the
 * opcodes say where the next one begins; elsewhere it is a multiplication.
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

/* Instruction `index` < walk->count. */
struct run_insn run_insn_at(const struct memmap *memory, const struct walk *walk, uint32_t index);

/* Which instruction begins at `address`; false if none of the run does. */
bool run_insn_find(const struct memmap *memory, const struct walk *walk, uint64_t address,
                   uint32_t *index);

/* Its opcode as arch/insn.h takes it; false if memory does not hold it. */
bool run_insn_opcode(const struct memmap *memory, const struct walk *walk, struct run_insn insn,
                     uint32_t *opcode);

#endif
