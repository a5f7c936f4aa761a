/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a history is made of; for history_build.c, which writes it, and history_read.c, which
 * reads it. The invariants are in history.h.
 */
#ifndef CSREPLAY_REPLAY_HISTORY_STORE_H
#define CSREPLAY_REPLAY_HISTORY_STORE_H

#include "replay/history.h"
#include "replay/shape.h"

enum { RUNS_PER_CHECKPOINT = 256 };

/* A value that holds from `position` on. */
struct mark_entry {
	uint64_t position;
	uint64_t value;
	bool known; /* false: from here on nothing is known */
};

struct mark_list {
	struct mark_entry *items; /* by position; the last of equal ones counts */
	size_t count;
	size_t capacity;
};

/* Addresses first <= a < end. */
struct extent {
	uint64_t first;
	uint64_t last; /* inclusive, so that the last byte of the address space fits */
};

struct history {
	const struct snap_core *core;
	uint64_t length; /* N */
	/* Where the trace leads to, for a core whose snapshot has no PC; valid if has_end. */
	uint64_t end_address;
	bool has_end;
	struct shape_table table;
	uint32_t *runs; /* shape numbers, oldest first */
	size_t run_count;
	size_t run_capacity;
	uint64_t *checkpoints; /* position of run 0, 256, 512, ... */
	size_t checkpoint_count;
	size_t checkpoint_capacity;
	struct gap *gaps;
	size_t gap_count;
	size_t gap_capacity;
	struct history_event *events;
	size_t event_count;
	size_t event_capacity;
	struct mark_list marks[MARK_COUNT];
	struct extent *executed; /* disjoint, by address */
	size_t executed_count;
};

#endif
