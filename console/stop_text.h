/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a user is told of a stop, in words. In: the stop of a move. Out: lines on the gaps that it
 * met or passed, on what is caught, on accesses to what is watched with the values before and after
 * as far as they are known, on possible ones, and on how many registers are assumed and not proved.
 */
#ifndef CSREPLAY_CONSOLE_STOP_TEXT_H
#define CSREPLAY_CONSOLE_STOP_TEXT_H

#include "console/console.h"

/*
 * Of a move of console->core from a position to where it is. For a debugger each line begins with
 * "csreplay: ", since its own are beside them, and nothing is said of the access that a STOP_WATCH
 * is for: the debugger does.
 */
void stop_text(const struct console *console, uint64_t from, const struct stop *stop,
               struct text *out);

/* What is caught, if something is. */
void stop_event_text(const struct stop *stop, struct text *out);

/* Messages of software trace that the move has passed, a line each, if they are to be shown. */
void stop_text_software(const struct console *console, uint64_t from, struct text *out);

/*
 * Appends which cores do not go along with others, and why, as a clause; nothing if all do, as far
 * as they have a past.
 */
void together_why_not(const struct session *session, struct text *out);

#endif
