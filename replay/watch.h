/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watchpoints: the nearest access of a core to bytes that a user watches, and where execution stops
 * for it. In: watchpoints, a core's data, a position. Out: a stop. Nothing is stepped: the accesses
 * of a word are in order.
 */
#ifndef CSREPLAY_REPLAY_WATCH_H
#define CSREPLAY_REPLAY_WATCH_H

#include "replay/session.h"

struct tarmac_core;

struct watch_list {
	struct watch *items;
	size_t count;
	size_t capacity;
	bool stops_after; /* session_watch_after() */
};

/* Setting one twice is fine. NO_MEM; UNSUPPORTED for more than WATCH_MOST bytes, or none. */
MUST_USE enum status watch_add(struct watch_list *list, const struct watch *watch);
void watch_remove(struct watch_list *list, const struct watch *watch); /* none: fine */

struct watch_hit {
	struct watch watch;
	uint64_t address;
	uint64_t position; /* of the instruction */
	uint64_t stop;     /* position to stop at */
};

/* The first hit that a move from `position` on meets; `data` may be NULL. False if there is none.
 */
bool watch_find(const struct watch_list *list, const struct tarmac_core *data,
                enum direction direction, uint64_t position, struct watch_hit *hit);

#endif
