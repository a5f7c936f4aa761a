/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moves of cores, inside: where a move of one core would lead by itself (session_move.c), where
 * cores are at a time and which of them go along (clock.c), messages of software trace on the way
 * (session_software.c). Private to this room.
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

/* A core that goes along with a move of another one. */
struct companion {
	bool goes;
	bool has_stop; /* something on its way would stop it: `plan` */
	struct planned_stop plan;
	uint64_t from; /* where it is before the move */
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
struct planned_stop session_plan_other(struct session *session, size_t core,
                                       enum direction direction, uint64_t bound,
                                       bool (*interrupted)(void *), void *context);

/* It has a past, is shown as a thread, and it is known when that was. */
bool session_can_go_along(const struct session *session, size_t core);
/*
 * The first and the last position, up to history_last(), at which the core may be at a time, as
 * timeline_first_at() says; it is one with session_has_clock().
 */
uint64_t session_first_at(const struct session *session, size_t core, uint64_t near, uint64_t time);
uint64_t session_last_at(const struct session *session, size_t core, uint64_t near, uint64_t time);

struct software_stop {
	const struct software_message *message;
	uint64_t place; /* the first position that is certainly after it */
};

/* The first that a move of the core passes; false if there is none. */
bool session_software_on_way(struct session *session, size_t core, uint64_t from, uint64_t to,
                             struct software_stop *stop);
/* The core was put elsewhere: what lies between was not passed. */
void session_software_went(struct session *session, size_t core);

#endif
