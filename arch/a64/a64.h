/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What instructions do, from tables of opcodes to micro-operations. In: opcode and address. Out:
 * uop.h's form. Arm ARM DDI 0487, chapters C4 (encodings) and C6, C7, C8 (operations).
 *
 * An opcode that no row has, and one whose fields are reserved in a way that a row checks, kills
 * everything and has UOP_NOT_IN_TABLE.
 */
#ifndef CSREPLAY_ARCH_A64_A64_H
#define CSREPLAY_ARCH_A64_A64_H

#include <stddef.h>
#include <stdint.h>

#include "arch/uop/uop.h"

/* Fills `b`; the instruction is b->insn. */
void sem_a64(uint32_t opcode, uint64_t address, struct uop_builder *b);

/* A row of a table; an opcode is of the first row that it matches. */
struct sem_row_info {
	const char *name;
	uint32_t mask;
	uint32_t match;
};

/* Row `index`, for tests and statistics; false after the last one. */
bool sem_a64_row(size_t index, struct sem_row_info *row);
/* Index of the row of an opcode, or the number of rows if none has it. */
size_t sem_a64_row_of(uint32_t opcode);

#endif
