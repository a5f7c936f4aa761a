/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watchpoints: the nearest access of a core to bytes that a user watches, and where execution stops
 * for it. In: watchpoints, a core's data or what is proved of its past, a range of positions. Out:
 * a stop. Nothing is stepped: accesses are in order.
 */
#ifndef CSREPLAY_REPLAY_SESSION_WATCH_H
#define CSREPLAY_REPLAY_SESSION_WATCH_H

#include "replay/session/session.h"
#include "replay/values/values.h"

struct tarmac_core;

/* Who knows the accesses of a core; both NULL: nobody. */
struct watch_source {
	const struct tarmac_core *data;
	struct values *values;
};

struct watch_list {
	struct watch *items;
	size_t count;
	size_t capacity;
	bool stops_after; /* session_watch_after() */
};

/* 1 to WATCH_MOST bytes, and no more than there are addresses. */
bool watch_is_range(uint64_t address, uint64_t size);
/* Setting one twice is fine. NO_MEM; UNSUPPORTED for what is no watch_is_range(). */
MUST_USE enum status watch_add(struct watch_list *list, const struct watch *watch);
void watch_remove(struct watch_list *list, const struct watch *watch); /* none: fine */

struct watch_hit {
	struct watch watch;
	struct values_access access;
	/*
	 * Position to stop at. Of a possible access that is after it, seen in the direction, so
	 * that who goes on does not meet it again; of a blind stretch before it.
	 */
	uint64_t stop;
};

/* Whether a move goes past an access that is possible, or a blind stretch, of that core. */
typedef bool watch_passes(void *context, size_t core, const struct values_access *access);

struct watch_pass {
	watch_passes *passes;
	void *context;
	size_t core; /* that the range is of */
};

/*
 * The first that a move meets which executes, or undoes, the instructions of the range, in its
 * direction: a proved access, or what it does not pass; without `pass` all but proved accesses.
 * False if there is none, or it was interrupted.
 */
bool watch_find(const struct watch_list *list, const struct watch_source *source,
                const struct values_range *range, const struct watch_pass *pass,
                struct watch_hit *hit);
/* Of which of these instructions it is not known whether they access what is watched. */
void watch_may_alias(const struct watch_list *list, const struct watch_source *source,
                     const struct values_range *range, struct values_may_alias *doubt);

#endif
