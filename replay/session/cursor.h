/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moving through a history: one instruction or many, both ways. In: a history, a position,
 * breakpoints. Out: the new position and why it is there.
 */
#ifndef CSREPLAY_REPLAY_SESSION_CURSOR_H
#define CSREPLAY_REPLAY_SESSION_CURSOR_H

#include "replay/history/history.h"
#include "replay/session/session.h"

struct cursor {
	const struct history *history;
	uint64_t position; /* 0..N */
};

/* What ends a move of many instructions before its end. */
struct cursor_limits {
	struct history_search breakpoints;
	/* Whether a breakpoint that is met at a position counts; NULL: all do. */
	bool (*holds)(void *context, uint64_t position);
	void *context; /* of `holds` */
	enum gap_policy gaps;
	unsigned int caught; /* bit by enum session_caught */
	/* A continue goes no farther than to this position, as if the history ended there. */
	bool has_bound;
	uint64_t bound;
};

struct stop cursor_step(struct cursor *cursor, enum direction direction);

/* Until a breakpoint, a gap, an end or an interruption; where it starts never counts. */
struct stop cursor_continue(struct cursor *cursor, enum direction direction,
                            const struct cursor_limits *limits);

/* Forward until the PC is outside [low, high), or a breakpoint, a gap, the end or an interruption.
 */
struct stop cursor_step_range(struct cursor *cursor, uint64_t low, uint64_t high,
                              const struct cursor_limits *limits);

/* Gaps that a move from a position to another, where it stopped so, crosses in other places than
 * the stop's own.
 */
uint64_t cursor_gaps_passed(const struct history *history, uint64_t from, uint64_t to,
                            const struct stop *stop);

#endif
