/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of histories as a history of its own: what one context executed. In: histories, and
 * stretches of them. Out: a history with the instructions, events, gaps and marks of these alone,
 * one stretch after the other. Between two of them is no gap, unless there is one after which a
 * core does not know who ran, and nothing says that it was at another time; the trace's own events
 * say that the context runs again.
 */
#ifndef CSREPLAY_REPLAY_HISTORY_HISTORY_SLICE_H
#define CSREPLAY_REPLAY_HISTORY_HISTORY_SLICE_H

#include "replay/history/history_read.h"

/* Positions from <= p < to of a history. */
struct history_slice {
	const struct history *base;
	uint64_t from;
	uint64_t to;
	uint32_t context_id;
};

/*
 * The stretches whose context ID the trace says, in order; none is empty, and no two neighbours
 * that touch have the same ID. The caller frees *slices. NO_MEM.
 */
MUST_USE enum status history_context_slices(const struct history *history,
                                            struct history_slice **slices, size_t *count);

/* Stretches of one or more histories. */
struct history_slices {
	/* As history_context_slices() made them, at least one; in the order of their times. */
	const struct history_slice *items;
	size_t count;
	/*
	 * Those of the slices, and others where it may have been executed, too, each once: a gap of
	 * theirs, or the time before their trace begins, may be between two slices. Of one history
	 * alone only its own gaps count.
	 */
	const struct history *const *bases;
	size_t base_count;
};

/*
 * The history of the slices. Its end is where execution was after the last one, on the core of
 * that; the bases must outlive it. NO_MEM.
 */
MUST_USE enum status history_of_slices(const struct history_slices *what, struct history **history);

#endif
