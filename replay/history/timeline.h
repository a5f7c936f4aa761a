/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a core was at a position, and where it was at a time. In: the timestamps and cycle counts of
 * its history. Out: bounds that hold, and an estimate between them.
 *
 * A trace unit puts a timestamp between two waypoints: what was traced before it was executed no
 * later, and the waypoint that comes after it no earlier (IHI 0064, Timestamp elements; IHI 0035,
 * Timestamp packets). Instructions between it and that waypoint may be on either side. So the
 * precision is the distance of two timestamps. Cycle counts say more of where between them a
 * position lies, but not how long a cycle took: what follows from them is an estimate.
 *
 * Times are the counts of the CoreSight timestamp generator, which all sources of a system share:
 * those of two cores of a snapshot can be compared. A timestamp of 0 says that there is none (IHI
 * 0064). Where timestamps go back, they are of two clocks, and nothing is said between them.
 */
#ifndef CSREPLAY_REPLAY_HISTORY_TIMELINE_H
#define CSREPLAY_REPLAY_HISTORY_TIMELINE_H

#include "replay/history/history_read.h"

/* A moment, as far as it is known: earliest <= it <= latest. */
struct moment {
	uint64_t earliest;
	uint64_t latest;
	uint64_t estimate; /* between the two, in proportion to the cycles */
	bool has_earliest;
	bool has_latest;
	bool has_estimate; /* only with both bounds and with cycle counts */
};

enum order {
	ORDER_UNKNOWN, /* within the precision, or no time is known */
	ORDER_BEFORE,
	ORDER_AFTER,
};

/* When the core was at `position` <= N: about to execute that instruction. O(log n). */
struct moment timeline_at(const struct history *history, uint64_t position);

/* Positions, both included. */
struct timeline_span {
	uint64_t first;
	uint64_t last;
};

/* The same without an estimate. `span`: positions that all have these bounds, this one among them.
 */
struct moment timeline_bounds(const struct history *history, uint64_t position,
                              struct timeline_span *span);

/*
 * The positions first <= p <= last at which the core may have been at a time. UNAVAILABLE if the
 * trace has no timestamps; BAD_DATA if they go back, and *first is the position where. O(n) of the
 * timestamps.
 */
MUST_USE enum status timeline_positions(const struct history *history, uint64_t time,
                                        uint64_t *first, uint64_t *last);

/*
 * The first and the last position at which the core may be at a time: that it has not certainly
 * left, and not certainly yet to reach. A core is at a position from when it is about to execute
 * that instruction until it is about to execute the next. They are looked for from `near` on:
 * O(timestamps between) and O(log n). For timestamps that do not go back, and N > 0.
 */
uint64_t timeline_first_at(const struct history *history, uint64_t near, uint64_t time);
uint64_t timeline_last_at(const struct history *history, uint64_t near, uint64_t time);

/* For times that are asked for in ascending order; zeroed before the first. */
struct timeline_cursor {
	size_t below; /* timestamps before this one are less than the time */
	size_t above; /* and those before this one no greater */
	uint64_t first;
	uint64_t last; /* of the run at `above`, once `has_last` */
	bool has_last;
};

/*
 * What timeline_positions() finds, where it finds something at all; all times together O(n) of the
 * timestamps.
 */
void timeline_cursor_positions(const struct history *history, struct timeline_cursor *cursor,
                               uint64_t time, uint64_t *first, uint64_t *last);

/* How `a` lies to `b`, both by the same clock. */
enum order moment_order(const struct moment *a, const struct moment *b);

#endif
