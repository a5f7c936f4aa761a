/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one context executed on a core, beside the cores of a session: a history of its own, and
 * which position of the core each of its positions is. Values are those of the core there. Private
 * to this room.
 */
#ifndef CSREPLAY_REPLAY_SESSION_THREAD_VIEW_H
#define CSREPLAY_REPLAY_SESSION_THREAD_VIEW_H

#include "replay/history/history.h"
#include "replay/session/session.h"
#include "replay/session/watch.h"

struct thread_view {
	size_t core;
	uint32_t context_id;
	struct history_slice *slices; /* of the core's history, in order */
	uint64_t *starts;             /* positions of theirs in the view */
	size_t count;
};

/* A position of a core. */
struct session_place {
	size_t core;
	uint64_t position;
};

/* Of a core itself the same. The end of a view is where the core was after the last slice. */
struct session_place session_place(const struct session *session, size_t core, uint64_t position);

/* watch_find() and watch_may_alias(), with positions of the core or of the view. */
bool session_find_watch(const struct session *session, size_t core,
                        const struct values_range *range, struct watch_hit *hit);
void session_find_doubt(const struct session *session, size_t core,
                        const struct values_range *range, struct values_may_alias *doubt);

/* Forgets all views. */
void session_drop_thread_views(struct session *session);

#endif
