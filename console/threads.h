/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads of the protocol: thread id = number in the session + 1. They are the cores, or, where the
 * user wants that, what each context executed (session_make_thread_views()). A core
 * without a PC, or of another architecture than the session describes, is no thread; its number
 * stays free.
 */
#ifndef CSREPLAY_CONSOLE_THREADS_H
#define CSREPLAY_CONSOLE_THREADS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "base/text.h"
#include "replay/session/session.h"

bool threads_has(const struct session *session, size_t core);

/* The numbers of the session that may be threads: cores and views. */
size_t threads_count(const struct session *session);
/* True if it is a thread that clients are told of: of the kind that the user wants. */
bool threads_is_listed(const struct session *session, size_t core);
/* Its name: that of the core, of a view of all of its cores, and the context. */
void threads_name(const struct session *session, size_t core, struct text *out);

/* Why the core is no thread, as a clause; NULL if it is one. */
const char *threads_why_not(const struct session *session, size_t core);

/*
 * The core to begin with: the first thread that has a history, or else the first thread.
 * NOT_FOUND if no core is a thread.
 */
MUST_USE enum status threads_first(const struct session *session, size_t *core);

/* What a thread id of a packet names. */
enum thread_choice {
	THREAD_ONE,
	THREAD_ANY,  /* 0 */
	THREAD_ALL,  /* -1 */
	THREAD_NONE, /* no such thread, or no thread id */
};

/* Takes "1", "-1", "p1.1", "p1.-1"; *core is set for THREAD_ONE. */
enum thread_choice threads_parse(const struct session *session, struct str id, size_t *core);

/*
 * Where the core is and when that was, as clauses after threads_describe(): "", "at position 5,
 * time 100 to 140". Where `now` is at a time before its trace's begin, or after its end, that too.
 */
void threads_place(const struct session *session, size_t core, size_t now, struct text *out);

/*
 * One line on the core: its type, its cluster if there are several, how much history there is, and
 * the Linux task that it runs where it is, as far as vmlinux and memory say.
 */
void threads_describe(struct session *session, size_t core, struct text *out);

#endif
