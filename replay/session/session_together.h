/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A core that goes along with a move of another one (session_set_together()), and its places at a
 * time. Private to this room.
 */
#ifndef CSREPLAY_REPLAY_SESSION_SESSION_TOGETHER_H
#define CSREPLAY_REPLAY_SESSION_SESSION_TOGETHER_H

#include "replay/session/session_move.h"

struct companion {
	bool goes;
	bool has_stop; /* something on its way would stop it: `plan` */
	struct planned_stop plan;
	uint64_t from; /* where it is before the move */
};

/*
 * clock.c. The first and the last position, up to history_last(), at which the core may be at a
 * time, as timeline_first_at() says; it is one with session_has_clock().
 */
uint64_t session_first_at(const struct session *session, size_t core, uint64_t near, uint64_t time);
uint64_t session_last_at(const struct session *session, size_t core, uint64_t near, uint64_t time);

#endif
