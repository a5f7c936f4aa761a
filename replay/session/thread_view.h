/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one context executed, beside the cores of a session: a history of its own, and which
 * position of which core each of its positions is. Values are those of that core there. Made by
 * thread_view_make.c, read by thread_view.c. Private to this room.
 */
#ifndef CSREPLAY_REPLAY_SESSION_THREAD_VIEW_H
#define CSREPLAY_REPLAY_SESSION_THREAD_VIEW_H

#include "replay/history/history.h"
#include "replay/session/session.h"
#include "replay/session/watch.h"

/* A position of a core. */
struct session_place {
	size_t core;
	uint64_t position;
};

/* A stretch that a core was in the context. */
struct stay {
	size_t core;
	uint64_t from; /* positions of the core: from <= p < to */
	uint64_t to;
	uint64_t start; /* that of `from` in the view */
};

/* Why what two cores executed in a context is two views. */
struct parting {
	enum {
		PARTED_NOT,
		PARTED_UNORDERED, /* of two places no one knows which came first */
		PARTED_AT_ONCE,   /* both executed it at the same time */
		PARTED_ARCH,      /* they have other registers */
	} why;
	struct session_place here;
	struct session_place there;
};

struct thread_view {
	uint32_t context_id;
	struct stay *stays; /* in the order of their times */
	size_t *by_core;    /* indices of stays: by core, then by position */
	size_t count;       /* at least 1 */
	struct parting parting;
};

/*
 * The place of a position of a view; of a core itself the same. The end of a view is where the core
 * was after the last stay.
 */
struct session_place session_place(const struct session *session, size_t core, uint64_t position);

/* The view's position at, or else before, that of a core; its first one there if there is none. */
bool thread_view_position(const struct thread_view *view, struct session_place place,
                          uint64_t *position); /* false: it was never on that core */

/*
 * watch_find() and watch_may_alias(), with positions of the core or of the view; `pass`, or NULL,
 * is asked of positions of the core.
 */
bool session_find_watch(const struct session *session, size_t core,
                        const struct values_range *range, const struct watch_pass *pass,
                        struct watch_hit *hit);
void session_find_doubt(const struct session *session, size_t core,
                        const struct values_range *range, struct values_may_alias *doubt);

/* Appends why the view is not one with another of its context; nothing if it is. */
void thread_view_why_parted(const struct session *session, const struct thread_view *view,
                            struct text *out);

/* Forgets all views. */
void session_drop_thread_views(struct session *session);

#endif
