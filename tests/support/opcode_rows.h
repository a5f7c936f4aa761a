/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the tables of opcodes, one after the other, and which of them has an opcode. */
#ifndef CSREPLAY_TESTS_SUPPORT_OPCODE_ROWS_H
#define CSREPLAY_TESTS_SUPPORT_OPCODE_ROWS_H

#include "arch/a32/a32.h"
#include "arch/a64/a64.h"

struct sem_row_info {
	const char *name;
	uint32_t mask;
	uint32_t match;
};

/* Row `index`; false after the last one. */
static inline bool opcode_row_info(struct opcode_table *table, size_t index,
                                   struct sem_row_info *row)
{
	if (index >= table->count)
		return false;
	opcode_table_read(table);
	*row = (struct sem_row_info){table->rows[index].name, table->patterns[index].mask,
	                             table->patterns[index].match};
	return true;
}

static inline bool sem_a64_row(size_t index, struct sem_row_info *row)
{
	return opcode_row_info(&a64_opcodes, index, row);
}

static inline bool sem_a32_row(size_t index, struct sem_row_info *row)
{
	return opcode_row_info(&a32_opcodes, index, row);
}

static inline bool sem_t32_row(size_t index, struct sem_row_info *row)
{
	return opcode_row_info(&t32_opcodes, index, row);
}

/* Number of the row of an opcode, or how many rows there are if none has it. */
static inline size_t sem_a64_row_of(uint32_t opcode)
{
	return opcode_find(&a64_opcodes, opcode);
}

static inline size_t sem_a32_row_of(uint32_t opcode)
{
	return opcode_find(&a32_opcodes, opcode);
}

static inline size_t sem_t32_row_of(uint32_t opcode)
{
	return opcode_find(&t32_opcodes, opcode);
}

#endif
