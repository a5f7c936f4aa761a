/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a client is told of watchpoints. gdb compares what is watched with what it saw when it
 * looked last, passes over a hit where the two are equal or both unreadable, and shows what it saw
 * as the old value. Where that would not be so the stop is sent as one after a gap is, which gdb
 * keeps, and what it is about is said in words (console/stop_text.h). gdb manual, "Set
 * Watchpoints".
 */
#include <string.h>

#include "stub/gdb.h"

/* Index of the last look at it, or GDB_LOOKS. */
static size_t find_look(const struct gdb *gdb, const struct watch *watch)
{
	for (size_t i = 0; i < GDB_LOOKS && i < gdb->look_count; i++) {
		if (watch_is_same(&gdb->looks[i].watch, watch))
			return i;
	}
	return GDB_LOOKS;
}

void gdb_watch_set(struct gdb *gdb, const struct watch *watch)
{
	size_t core = gdb->general;

	if (find_look(gdb, watch) < GDB_LOOKS)
		return;
	gdb->looks[gdb->look_count++ % GDB_LOOKS] =
	        (struct gdb_look){*watch, core, session_position(gdb->session, core)};
}

/* What is watched at two positions; unknown ones are equal, to a debugger. */
enum likeness {
	LIKE_EQUAL,
	LIKE_OTHER,
	LIKE_UNREADABLE, /* both */
};

static enum likeness compare(const struct gdb *gdb, const struct watch *watch,
                             const struct gdb_look *a, const struct gdb_look *b)
{
	uint8_t of_a[64];
	uint8_t of_b[64];

	for (uint64_t done = 0; done < watch->size; done += sizeof(of_a)) {
		uint64_t at = watch->address + done;
		size_t size = sizeof(of_a);
		size_t known_a;
		size_t known_b;

		if (size > watch->size - done)
			size = (size_t)(watch->size - done);
		known_a = session_watched_at(gdb->session, a->core, a->position, at, of_a, size);
		known_b = session_watched_at(gdb->session, b->core, b->position, at, of_b, size);
		if (known_a < size && known_b < size)
			return LIKE_UNREADABLE;
		if (known_a != known_b || memcmp(of_a, of_b, size) != 0)
			return LIKE_OTHER;
	}
	return LIKE_EQUAL;
}

/* Before the access or after it. */
static struct gdb_look side(size_t core, const struct stop *stop, bool after)
{
	return (struct gdb_look){stop->watch, core, stop->access.position + after};
}

bool gdb_watch_is_shown(const struct gdb *gdb, size_t core, const struct stop *stop,
                        enum direction direction)
{
	bool forward = direction == DIRECTION_FORWARD;
	const struct gdb_look near = side(core, stop, !forward);
	const struct gdb_look far = side(core, stop, forward);
	size_t look = find_look(gdb, &stop->watch);

	if (gdb->client != CLIENT_GDB || stop->watch.kind == WATCH_READ || look == GDB_LOOKS)
		return true;
	if (compare(gdb, &stop->watch, &gdb->looks[look], &near) == LIKE_OTHER)
		return false;
	return stop->watch.kind != WATCH_WRITE ||
	       compare(gdb, &stop->watch, &gdb->looks[look], &far) != LIKE_UNREADABLE;
}

void gdb_watch_shown(struct gdb *gdb, size_t core, const struct stop *stop,
                     enum direction direction)
{
	size_t look = find_look(gdb, &stop->watch);

	if (look < GDB_LOOKS)
		gdb->looks[look] = side(core, stop, direction == DIRECTION_FORWARD);
}
