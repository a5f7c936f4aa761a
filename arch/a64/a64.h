/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What instructions do, from a table of opcodes to micro-operations, and what they are to who
 * follows the program. In: opcode and address. Out: uop.h's form; flow and target. Arm ARM DDI
 * 0487, chapters C4 (encodings) and C6, C7, C8 (operations).
 *
 * An opcode that no row has, and one whose fields are reserved in a way that a row checks, kills
 * everything and has UOP_NOT_IN_TABLE.
 */
#ifndef CSREPLAY_ARCH_A64_A64_H
#define CSREPLAY_ARCH_A64_A64_H

#include <stdint.h>

#include "arch/pattern/opcode.h"
#include "arch/uop/uop.h"

/* Every A64 opcode that is known: sem_a64.def. */
extern struct opcode_table a64_opcodes;

/* Its key: where the instructions of C4.1 branch off from each other. */
#define A64_KEY PATTERN_KEY(21, 10, 10, 2)

/* Fills `b`; the instruction is b->insn. */
void sem_a64(uint32_t opcode, uint64_t address, struct uop_builder *b);

/* What the opcode is to who follows the program; *target is where a direct branch goes. */
enum flow flow_a64(uint32_t opcode, uint64_t address, uint64_t *target);

/* MRS or MSR of SP_EL0 (Arm ARM C5.2), which are undefined while that is the SP in use. */
static inline bool a64_moves_sp_el0(uint32_t opcode)
{
	return (opcode & 0xffdfffe0) == 0xd5184100;
}

#endif
