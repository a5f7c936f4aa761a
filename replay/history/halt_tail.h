/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last instructions before the halt, of which a source that traces waypoints says nothing if no
 * exception packet closes the trace: those from where the trace leads to up to the halt PC, where
 * no waypoint lies between. In: the history so far. Out: a part of one instruction range.
 *
 * It rests on what every halt does to which a trace leads: that the trace was captured up to the
 * halt. A core that went on untraced and came by there again would be taken for halted at once.
 */
#ifndef CSREPLAY_REPLAY_HISTORY_HALT_TAIL_H
#define CSREPLAY_REPLAY_HISTORY_HALT_TAIL_H

#include "replay/history/history_part.h"

/*
 * True if execution at `from`, where the history ends so far, comes to the halt PC `pc` through
 * whole instructions of which none is a waypoint. NO_MEM, else OK.
 */
MUST_USE enum status halt_tail_find(const struct history *history, uint64_t from, uint64_t pc,
                                    struct walk *walk, bool *is_found);

/* A part of this walk; *graph is its own, and the caller's, as the part is. NO_MEM. */
MUST_USE enum status halt_tail_part(const struct history *history, const struct walk *walk,
                                    struct graph **graph, struct part_builder *part);

#endif
