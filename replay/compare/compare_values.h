/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What two instructions did that are the same: registers and memory side by side. In: the effects
 * of both. Out: items where they differ. A part of replay/compare/compare.c; nobody else needs it.
 */
#ifndef CSREPLAY_REPLAY_COMPARE_COMPARE_VALUES_H
#define CSREPLAY_REPLAY_COMPARE_COMPARE_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"
#include "replay/compare/compare.h"
#include "replay/tarmac/tarmac.h"

/* The items of one pair of instructions; their texts live as long as the list is not cleared. */
struct compare_list {
	struct compare_item *items;
	size_t count;
	size_t capacity;
	struct arena texts;
};

void compare_list_clear(struct compare_list *list);
void compare_list_fini(struct compare_list *list);
/* The texts are copied. */
MUST_USE enum status compare_list_add(struct compare_list *list, enum compare_aspect aspect,
                                      struct str name, struct str a, struct str b);

/* A byte that an instruction accessed. */
struct compare_byte {
	uint64_t address;
	size_t order; /* of the access */
	uint8_t bits;
	bool is_known;
};

struct compare_bytes {
	struct compare_byte *items;
	size_t count;
	size_t capacity;
};

/* One side of a pair. */
struct compare_values {
	struct session *session;
	size_t core;
	uint64_t position;
	const struct effects *effects;
};

/* Adds what differs in registers, as they are after the instruction. */
MUST_USE enum status compare_registers(const struct compare_values values[COMPARE_SIDES],
                                       struct compare_list *list);

/* Adds what differs in memory; `bytes` are for its use alone and belong to the caller. */
MUST_USE enum status compare_memory(const struct compare_values values[COMPARE_SIDES],
                                    struct compare_bytes bytes[COMPARE_SIDES],
                                    struct compare_list *list);

#endif
