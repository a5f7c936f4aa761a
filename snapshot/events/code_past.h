/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code that a core wrote while it was traced: bytes that are at the halt what stores of the history
 * made them. In: which bytes, and what they were from which place of the trace on, as far as that
 * is proved. Out: to a memory map (memmap_set_past()), what a view of that time sees.
 *
 * Places are byte offsets of packets in the one buffer of the one source that the history is
 * decoded from. Before the first place, and between places where nothing is proved, the bytes are
 * not known: they are never taken for what they are at the halt. Owned by who made it.
 */
#ifndef CSREPLAY_SNAPSHOT_CODE_PAST_H
#define CSREPLAY_SNAPSHOT_CODE_PAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum { CODE_PAST_BYTES = 1 << 24 }; /* of all times, at most */

/* Of a byte at a time. */
enum code_byte {
	CODE_UNKNOWN,
	CODE_KNOWN,
	CODE_DOUBTED, /* unknown for good: it changed at no place of the trace */
};

/* Addresses first to last, apart from others. */
struct code_range {
	uint64_t first;
	uint64_t last;
	size_t offset; /* of its first byte among the bytes of all ranges */
};

/* From a place of the trace on. */
struct code_time {
	uint64_t place;
	bool is_final;  /* all is what it is at the halt */
	uint8_t *bytes; /* one a byte of the ranges, as the next */
	uint8_t *known; /* enum code_byte */
};

struct code_past {
	struct code_range *ranges; /* by address */
	size_t range_count;
	size_t range_capacity;
	size_t size;             /* bytes of all ranges */
	struct code_time *times; /* by place */
	size_t time_count;
	size_t time_capacity;
};

void code_past_fini(struct code_past *past);

/*
 * Adds bytes that change; what was known of any time is forgotten if they are new, as is said by
 * *is_new. NO_MEM.
 */
MUST_USE enum status code_past_add(struct code_past *past, uint64_t first, uint64_t last,
                                   bool *is_new);

/* The time from a place on, made if there is none. NO_MEM; UNSUPPORTED if they are too many. */
MUST_USE enum status code_past_time(struct code_past *past, uint64_t place,
                                    struct code_time **time);

/* The number of the last time that begins at the place or before it, from 1; 0: there is none. */
size_t code_past_find(const struct code_past *past, uint64_t place);

/* The range that has the address, or the first one after it; NULL if there is none. */
const struct code_range *code_past_range(const struct code_past *past, uint64_t address);

#endif
