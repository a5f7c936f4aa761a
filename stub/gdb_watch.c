/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a client is told of watchpoints. gdb compares what is watched with what it saw when it
 * looked last, passes over a hit where the two are equal or both unreadable, and shows what it saw
 * as the old value. Where that would not be so the stop is sent as one after a gap is, which gdb
 * keeps, and what it is about is said in words. gdb manual, "Set Watchpoints".
 */
#include <inttypes.h>
#include <string.h>

#include "stub/gdb.h"

enum { BYTES_SHOWN = 16 };

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

/* Bytes as a number, or one by one; ".." is one that is not known. */
static void add_value(const struct gdb *gdb, size_t core, const struct stop *stop, bool after,
                      struct text *line)
{
	struct gdb_look at = side(core, stop, after);
	bool is_number = stop->watch.size <= 8;
	size_t size = stop->watch.size < BYTES_SHOWN ? (size_t)stop->watch.size : BYTES_SHOWN;
	struct text digits = {0};
	size_t known = 0;

	for (size_t i = 0; i < size; i++) {
		uint64_t address = stop->watch.address + (is_number ? size - 1 - i : i);
		uint8_t byte;

		if (session_watched_at(gdb->session, core, at.position, address, &byte, 1) == 1) {
			text_printf(&digits, "%02x", byte);
			known++;
		} else {
			text_puts(&digits, "..");
		}
	}
	text_puts(line, after ? ", after it " : "before it ");
	if (known == 0)
		text_puts(line, "not known");
	else
		text_printf(line, "%s%.*s%s", is_number ? "0x" : "bytes ",
		            STR_ARG(text_str(&digits)), size < stop->watch.size ? " ..." : "");
	text_fini(&digits);
}

static const char *noun_of(const struct watch *watch)
{
	static const char *const nouns[] = {
	        [WATCH_WRITE] = "write of",
	        [WATCH_READ] = "read of",
	        [WATCH_ACCESS] = "access to",
	};

	return nouns[watch->kind];
}

static void tell_blind(const struct gdb *gdb, size_t core, const struct stop *stop,
                       struct text *line)
{
	text_printf(line,
	            "csreplay: from here on it is not known what instructions accessed, %" PRIu64
	            " to %" PRIu64 ": ",
	            stop->access.position, stop->access.last);
	session_why_blind(gdb->session, core, stop->access.position, line);
	text_puts(line, "; the same move again goes past them\n");
}

static const char *uncertainty_of(const struct values_access *access)
{
	if (access->is_event)
		return "; what came after it may have accessed any memory";
	return access->supposed == SUPPOSED_THERE ? "; it is assumed to be there, and not proved"
	                                          : "; where it went is not known";
}

void gdb_watch_tell(struct gdb *gdb, size_t core, const struct stop *stop)
{
	bool is_possible = stop->access.verdict == VALUES_POSSIBLE;
	const struct watch *watch = &stop->watch;
	struct text line = {0};

	if (stop->access.verdict == VALUES_BLIND) {
		tell_blind(gdb, core, stop, &line);
	} else if (stop->access.is_event && stop->gap &&
	           stop->gap->position == stop->access.position + 1) {
		text_puts(&line, "csreplay: what is watched may have been accessed in it\n");
	} else {
		text_printf(&line, "csreplay: %s%s the %" PRIu64 " byte%s at 0x%" PRIx64 ": ",
		            is_possible ? "possible " : "", noun_of(watch), watch->size,
		            watch->size == 1 ? "" : "s", watch->address);
		session_format_place(gdb->session, core, stop->access.position, &line);
		if (is_possible)
			text_puts(&line, uncertainty_of(&stop->access));
		text_puts(&line, "; ");
		add_value(gdb, core, stop, false, &line);
		add_value(gdb, core, stop, true, &line);
		text_char(&line, '\n');
	}
	gdb_console(gdb, text_str(&line));
	text_fini(&line);
}

static void tell_doubt(const struct gdb *gdb, const struct stop *stop, struct text *line)
{
	const struct values_may_alias *doubt = &stop->doubt;
	bool at_lines = stop->reason != STOP_STEPPED && doubt->count > doubt->elsewhere &&
	                session_possible(gdb->session) == POSSIBLE_STOP;

	text_printf(line,
	            "csreplay: %" PRIu64 " instruction%s on the way may have accessed what is "
	            "watched, the nearest at position %" PRIu64 ": the address is not known",
	            doubt->count, doubt->count == 1 ? "" : "s", doubt->position);
	if (doubt->elsewhere > 0)
		text_printf(line, "; of %" PRIu64 " it is assumed to be another", doubt->elsewhere);
	text_puts(line, at_lines ? " (lines that were stopped at)\n" : "\n");
}

void gdb_watch_tell_passed(struct gdb *gdb, size_t core, uint64_t from, const struct stop *stop)
{
	const struct values_may_alias *doubt = &stop->doubt;
	struct text line = {0};

	if (doubt->count > 0)
		tell_doubt(gdb, stop, &line);
	if (doubt->count > 0 && session_possible(gdb->session) == POSSIBLE_REPORT)
		session_list_possible(gdb->session, core, from, &line);
	if (doubt->blind_first < doubt->blind_last)
		text_printf(&line,
		            "csreplay: nothing is known of what the instructions %" PRIu64
		            " to %" PRIu64 " accessed\n",
		            doubt->blind_first, doubt->blind_last - 1);
	gdb_console(gdb, text_str(&line));
	text_fini(&line);
}
