/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a continue meets of what a session watches, by session_possible(). In: a core, the position
 * that it would go to. Out: a hit. Private to this room.
 */
#ifndef CSREPLAY_REPLAY_SESSION_SESSION_WATCH_H
#define CSREPLAY_REPLAY_SESSION_SESSION_WATCH_H

#include "replay/session/session.h"
#include "replay/session/watch.h"

/*
 * The first that the core meets on its way to the position `to`. False if there is none, or it was
 * interrupted.
 */
bool session_meet(struct session *session, size_t core, uint64_t to, struct watch_hit *hit);
/* A continue of the core ended where it is: the next one from there goes on with it. */
void session_met(struct session *session, size_t core);

#endif
