/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What other cores may have written while a core was at some positions, for the assumption
 * `traced-writers` (replay/values/assumption.def). In: stores of other cores, each with the
 * positions at which this core may have been when it happened, and the cache lines that they use.
 * Out: whether a granule may have been written between two positions.
 *
 * A store whose address is not known, and what another core's trace does not say, may have gone to
 * any cache line that another core is seen to use, that a word there points to
 * (replay/values/pointed_lines.h), or that this core is not seen to use, and is assumed to have
 * gone to no other.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SOLVER_OTHER_WRITES_H
#define CSREPLAY_REPLAY_VALUES_SOLVER_OTHER_WRITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum { CACHE_LINE = 64 }; /* bytes */

/* This core was about to execute first <= p <= last when another one wrote to the granule. */
struct other_write {
	uint64_t granule; /* of 8 bytes: its address without the top byte */
	uint64_t first;
	uint64_t last;
};

struct other_write_list {
	struct other_write *items;
	size_t count;
	size_t capacity;
};

/* Cache lines, by number. Zeroed before the first is added. */
struct line_set {
	uint64_t *numbers; /* once sorted: each once */
	size_t count;
	size_t capacity;
};

/* The trace does not say which one ran. */
#define OTHER_TASK_ANY UINT64_MAX

/* Zeroed before the first is added. */
struct other_writes {
	struct other_write_list known;
	struct other_write_list open; /* stores of unknown address; the granule is 0 */
	/* What is not traced and may have written memory, as a gap; the granule is 0. */
	struct other_write_list unseen;
	/* The numbers of the tasks that other cores ran (CONTEXTIDR), in place of granules;
	 * OTHER_TASK_ANY. */
	struct other_write_list ran;
	struct line_set used;    /* by other cores, as their traces show */
	struct line_set pointed; /* to, in these */
	/* What other cores did while this one was before this position was not traced. */
	uint64_t from;
};

void other_writes_fini(struct other_writes *writes);

/* NO_MEM. */
MUST_USE enum status other_writes_add(struct other_write_list *list,
                                      const struct other_write *write);
/* The lines of bytes at an address without the top byte. NO_MEM. */
MUST_USE enum status line_set_add(struct line_set *set, uint64_t address, uint64_t size);
/* After all were added, before one is looked for: in order, each once. */
void line_set_sort(struct line_set *set);
/* After all were added: sorts, and makes one of what overlaps. */
void other_writes_sort(struct other_writes *writes);

/* Stores of unknown address were executed then: after other_writes_sort(). */
bool other_writes_are_open(const struct other_writes *writes, uint64_t first, uint64_t last);
/* Another core did then what its trace does not say: after other_writes_sort(). */
bool other_writes_are_unseen(const struct other_writes *writes, uint64_t first, uint64_t last);

/*
 * No other core ran the task of that number while this one was at positions first <= p <= last:
 * after other_writes_sort().
 */
bool other_writes_none_ran(const struct other_writes *writes, uint32_t number, uint64_t first,
                           uint64_t last);
/*
 * No other core wrote to the granule while this one was at positions first <= p <= last: after
 * other_writes_sort(). `uses`: this core is seen to use the cache line that it is in. O(log n).
 */
bool other_writes_none(const struct other_writes *writes, uint64_t granule, bool uses,
                       uint64_t first, uint64_t last);

#endif
