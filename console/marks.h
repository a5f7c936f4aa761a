/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Marks: names that the user gives to positions, kept in his state folder from one session to the
 * next. Each history has a file of its own, so that a mark never names a position of another one:
 * that of the same files opened with other images is another one.
 *
 * The file is $XDG_STATE_HOME/csreplay/marks/HASH, or below ~/.local/state, readable for the user
 * alone: a comment, then lines NAME<TAB>CORE<TAB>POSITION, CORE being the core's number from 1 on.
 * Lines that are none of these are passed over.
 */
#ifndef CSREPLAY_CONSOLE_MARKS_H
#define CSREPLAY_CONSOLE_MARKS_H

#include "base/status.h"
#include "base/str.h"
#include "base/text.h"
#include "replay/session/session.h"

enum { MARKS_MOST = 10000 };

struct user_mark {
	struct str name;
	size_t core;
	uint64_t position;
};

/* In the order of their names; of equal ones the last counts. */
struct marks {
	struct user_mark *all;
	size_t count;
	struct text file; /* what the names lie in */
};

/*
 * Reads the marks of the session's histories; without a file there are none. IO if there is one
 * that cannot be read, UNSUPPORTED without a state folder, NO_MEM. marks_fini() in any case.
 */
MUST_USE enum status marks_read(const struct session *session, struct marks *marks);
void marks_fini(struct marks *marks);

const struct user_mark *marks_find(const struct marks *marks, struct str name);

/*
 * Adds or moves a mark, and writes the file; with `position` UINT64_MAX it is taken out. USAGE if
 * the name is none (marks_is_name()), UNSUPPORTED for a thread view, of which no mark is kept, or
 * where there are MARKS_MOST; others as above.
 */
MUST_USE enum status marks_set(const struct session *session, struct str name, size_t core,
                               uint64_t position);

/* Letters, digits, _ . and - of ASCII, the first a letter or _: 64 at most. */
bool marks_is_name(struct str name);

/* The file's path, for the user; empty without a state folder. */
void marks_path(const struct session *session, struct text *path);

#endif
