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

struct stop cursor_step(struct cursor *cursor, enum direction direction);

/* Until a breakpoint, a gap, an end or an interruption; where it starts never counts. */
struct stop cursor_continue(struct cursor *cursor, enum direction direction,
                            const struct history_search *breakpoints);

/* Forward until the PC is outside [low, high), or what ends cursor_continue(). */
struct stop cursor_step_range(struct cursor *cursor, uint64_t low, uint64_t high,
                              const struct history_search *breakpoints);

#endif
