/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A part of a history as a history of its own: what one context executed on a core. In: a history,
 * and stretches of it. Out: a history with the instructions, events, gaps and marks of these alone,
 * one stretch after the other. Between two of them is no gap, unless the base has one there after
 * which it does not know who ran; the trace's own events say that the context runs again.
 */
#ifndef CSREPLAY_REPLAY_HISTORY_HISTORY_SLICE_H
#define CSREPLAY_REPLAY_HISTORY_HISTORY_SLICE_H

#include "replay/history/history_read.h"

/* Positions from <= p < to. */
struct history_slice {
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

/*
 * The history of the slices of `base`, which are in order and as history_context_slices() made
 * them, at least one. Its end is where execution was after the last one; `base` must outlive it.
 * NO_MEM.
 */
MUST_USE enum status history_of_slices(const struct history *base,
                                       const struct history_slice *slices, size_t count,
                                       struct history **history);

#endif
