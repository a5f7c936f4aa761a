/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a move of one core would lead, by itself. In: a core, a direction. Out: a position and why
 * it is there; nothing has moved. Private to this room.
 */
#ifndef CSREPLAY_REPLAY_SESSION_SESSION_MOVE_H
#define CSREPLAY_REPLAY_SESSION_SESSION_MOVE_H

#include "replay/session/session.h"

/* Where a core would stop, and why. */
struct planned_stop {
	size_t core;
	uint64_t goal;
	struct stop stop;
};

struct planned_stop session_plan_step(const struct session *session, size_t core,
                                      enum direction direction);
/* What it meets of what is possible counts as told, as session_meet() says. */
struct planned_stop session_plan_continue(struct session *session, size_t core,
                                          enum direction direction, bool (*interrupted)(void *),
                                          void *context);
struct planned_stop session_plan_range(struct session *session, size_t core, uint64_t low,
                                       uint64_t high, bool (*interrupted)(void *), void *context);
/*
 * Of a core that goes along: the first breakpoint, event that is caught or, if that is the policy,
 * gap that it would stop for on its way, no farther than `bound`; or the first proved access.
 */
struct planned_stop session_plan_other(const struct session *session, size_t core,
                                       enum direction direction, uint64_t bound,
                                       bool (*interrupted)(void *), void *context);

#endif
