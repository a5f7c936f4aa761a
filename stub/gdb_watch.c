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

/* Of a look: gdb makes a step of its own over the access, and shows the hit after that. */
#define STEP_TO_COME SIZE_MAX

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
	gdb->looks[gdb->look_count++ % GDB_LOOKS] = (struct gdb_look){
	        .watch = *watch,
	        .core = core,
	        .position = session_position(gdb->session, core),
	        .since = gdb->reads_before,
	        /* It may be one of those that were, and looked at before. */
	        .is_lost = gdb->look_count >= GDB_LOOKS ||
	                   gdb->read_count - gdb->reads_before > GDB_READS,
	};
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

static bool is_of(const struct gdb_read *read, const struct watch *watch)
{
	const struct watch of = {.address = read->address, .size = read->size};

	return watch_meet(&of, watch);
}

static struct gdb_look look_of(const struct gdb_read *read, const struct watch *watch)
{
	return (struct gdb_look){.watch = *watch, .core = read->core, .position = read->position};
}

/* The read is not kept any longer: where that makes a difference to a look nothing is known of it.
 */
static void forget(struct gdb *gdb, size_t number)
{
	const struct gdb_read *read = &gdb->reads[number % GDB_READS];

	for (size_t i = 0; i < GDB_LOOKS && i < gdb->look_count; i++) {
		struct gdb_look *look = &gdb->looks[i];
		const struct gdb_look other = look_of(read, &look->watch);

		if (!look->is_lost && look->since <= number && is_of(read, &look->watch))
			look->is_lost = compare(gdb, &look->watch, look, &other) == LIKE_OTHER;
	}
}

void gdb_watch_read(struct gdb *gdb, uint64_t address, uint64_t size)
{
	size_t core = gdb->general;
	uint64_t position = session_position(gdb->session, core);
	struct gdb_read *last = &gdb->reads[(gdb->read_count + GDB_READS - 1) % GDB_READS];

	if (gdb->client != CLIENT_GDB || size == 0)
		return;
	/* One after the other, as gdb reads what does not fit a packet. */
	if (gdb->read_count > gdb->reads_before && last->core == core &&
	    last->position == position && address - last->address <= last->size) {
		if (last->size < address - last->address + size)
			last->size = address - last->address + size;
		return;
	}
	if (gdb->read_count >= GDB_READS)
		forget(gdb, gdb->read_count - GDB_READS);
	gdb->reads[gdb->read_count++ % GDB_READS] =
	        (struct gdb_read){core, position, address, size};
}

void gdb_watch_resumed(struct gdb *gdb)
{
	gdb->reads_before = gdb->read_count;
	for (size_t i = 0; i < GDB_LOOKS && i < gdb->look_count; i++) {
		if (gdb->looks[i].since == STEP_TO_COME)
			gdb->looks[i].since = gdb->read_count;
	}
}

/* Before the access or after it. */
static struct gdb_look side(size_t core, const struct stop *stop, bool after)
{
	return (struct gdb_look){
	        .watch = stop->watch, .core = core, .position = stop->access.position + after};
}

/* The client would take its old value, from one of the places, for that beside the access. */
static bool is_told(const struct gdb *gdb, const struct stop *stop, const struct gdb_look *look,
                    const struct gdb_look *near, const struct gdb_look *far)
{
	if (compare(gdb, &stop->watch, look, near) == LIKE_OTHER)
		return false;
	return stop->watch.kind != WATCH_WRITE ||
	       compare(gdb, &stop->watch, look, far) != LIKE_UNREADABLE;
}

bool gdb_watch_is_shown(const struct gdb *gdb, size_t core, const struct stop *stop,
                        enum direction direction)
{
	bool forward = direction == DIRECTION_FORWARD;
	const struct gdb_look near = side(core, stop, !forward);
	const struct gdb_look far = side(core, stop, forward);
	size_t look = find_look(gdb, &stop->watch);
	size_t first;

	if (gdb->client != CLIENT_GDB)
		return true;
	/* gdb compares what each of them watches, and takes what it cannot read for another value.
	 */
	if (session_watches_beside(gdb->session, &stop->watch))
		return false;
	if (stop->watch.kind == WATCH_READ || look == GDB_LOOKS)
		return true;
	first = gdb->looks[look].since;
	if (session_is_later_halt(gdb->session, core, stop->access.position + 1) ||
	    gdb->looks[look].is_lost || !is_told(gdb, stop, &gdb->looks[look], &near, &far))
		return false;
	/* What was forgotten is no other value. */
	if (first < gdb->read_count && gdb->read_count - first > GDB_READS)
		first = gdb->read_count - GDB_READS;
	for (size_t i = first; i < gdb->read_count; i++) {
		const struct gdb_read *read = &gdb->reads[i % GDB_READS];
		const struct gdb_look other = look_of(read, &stop->watch);

		if (is_of(read, &stop->watch) && !is_told(gdb, stop, &other, &near, &far))
			return false;
	}
	return true;
}

void gdb_watch_shown(struct gdb *gdb, size_t core, const struct stop *stop,
                     enum direction direction)
{
	size_t look = find_look(gdb, &stop->watch);

	if (look == GDB_LOOKS)
		return;
	gdb->looks[look] = side(core, stop, direction == DIRECTION_FORWARD);
	gdb->looks[look].since = STEP_TO_COME;
}
