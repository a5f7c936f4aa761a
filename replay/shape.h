/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shapes: the distinct runs of a history, each stored once and known by its number. In: runs as
 * INSTR_RANGE elements give them. Out: numbers, small and dense, in order of first appearance.
 */
#ifndef CSREPLAY_REPLAY_SHAPE_H
#define CSREPLAY_REPLAY_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "decoder/element.h"

struct shape {
	uint64_t start;        /* of the first instruction */
	uint64_t end;          /* behind the last one */
	uint32_t count;        /* instructions, at least 1 */
	uint8_t isa;           /* enum isa */
	uint8_t last_size;     /* bytes: 2 or 4 */
	uint8_t last_class;    /* enum insn_class */
	uint8_t last_subclass; /* enum insn_subclass */
	bool last_executed;
};

struct shape_table {
	struct shape *shapes;
	size_t count;
	size_t capacity;
	uint32_t *slots;   /* open addressing; shape number + 1, 0 is free */
	size_t slot_count; /* a power of two, or 0 */
};

/* The number of the shape of an INSTR_RANGE element, entered if it is new. NO_MEM. */
MUST_USE enum status shape_intern(struct shape_table *table, const struct element *range,
                                  uint32_t *number);
void shape_table_fini(struct shape_table *table);

#endif
