/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What A32 and T32 instructions do, from tables of opcodes to micro-operations, and what they are
 * to who follows the program. In: opcode, address, for T32 the condition that an IT put the
 * instruction under. Out: uop.h's form; flow and target. Arm ARM DDI 0487, chapters F3 and F4
 * (encodings), F5 and F6 (operations); Armv8-M ARM DDI 0553.
 *
 * An opcode that no row has, and one whose fields are reserved or unpredictable in a way that
 * a row checks, kills everything and has UOP_NOT_IN_TABLE.
 *
 * Taken as given: data is little endian, unaligned words are read as they are (SCTLR.U), and
 * FPSCR.LEN is 0. SETEND kills everything; after it the caller must not go on.
 *
 * R0 to R14 and SPSR are those of the mode in use; the others' are where uop_mode.h says. What
 * changes the mode exchanges them; so must the caller where an exception is taken. MSP and PSP of
 * the M profile are R13 and REG_M_OTHER_SP; what a thread makes of them is unknown, since it may be
 * unprivileged.
 */
#ifndef CSREPLAY_ARCH_A32_A32_H
#define CSREPLAY_ARCH_A32_A32_H

#include "arch/pattern/opcode.h"
#include "arch/uop/uop.h"

/* Every A32 and T32 opcode that is known: sem_a32.def, sem_t32.def. */
extern struct opcode_table a32_opcodes;
extern struct opcode_table t32_opcodes;

/* Their keys: where the instructions of F4.1 and F3.1 branch off from each other. */
#define A32_KEY PATTERN_KEY(20, 8, 4, 4)
#define T32_KEY PATTERN_KEY(25, 4, 8, 8)

enum {
	SEM_NO_IT = 15, /* T32, outside of an IT block */
};

void sem_a32(uint32_t opcode, uint32_t address, struct uop_builder *b);

/*
 * `opcode`: one halfword, or two with the first in the high half. `it`: the condition (0 to 14)
 * where the instruction is in an IT block, else SEM_NO_IT. Anything else kills everything.
 */
void sem_t32(uint32_t opcode, uint32_t address, unsigned int it, struct uop_builder *b);

/* What the opcode is to who follows the program; *target is where a direct branch goes. */
enum flow flow_a32(uint32_t opcode, uint32_t address, uint64_t *target);
enum flow flow_t32(uint32_t opcode, uint32_t address, uint64_t *target);

#endif
