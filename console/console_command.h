/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of console/console.h: the commands that are not in console.c, and what all of them write.
 * In: the session, the core that the command is about, the command's arguments without blanks
 * around them. Out: text for the user, whole lines; what is wrong with the arguments is said there,
 * too.
 */
#ifndef CSREPLAY_CONSOLE_CONSOLE_COMMAND_H
#define CSREPLAY_CONSOLE_CONSOLE_COMMAND_H

#include "console/console.h"

/* Positions (console_position.c). */
void console_position(const struct console *console, struct str args, struct text *out);
void console_seek(const struct console *console, struct str args, struct text *out);
void console_back(const struct console *console, struct str args, struct text *out);
void console_forward(const struct console *console, struct str args, struct text *out);
/* When the core was at a position, and where the others were then. */
void console_time(const struct console *console, struct str args, struct text *out);

/* Threads (console_thread.c). */
void console_threads(const struct console *console, struct str args, struct text *out);

/* Names of positions (console_mark.c). */
void console_mark(const struct console *console, struct str args, struct text *out);
void console_marks(const struct console *console, struct str args, struct text *out);
void console_unmark(const struct console *console, struct str args, struct text *out);

/* What lies between instructions (console_events.c). */
void console_events(const struct console *console, struct str args, struct text *out);
void console_gaps(const struct console *console, struct str args, struct text *out);

/* Address spaces (console_space.c). */
void console_space(const struct console *console, struct str args, struct text *out);
void console_x(const struct console *console, struct str args, struct text *out);

/* Calls: the stack, a function's calls, and to where one began or ended (console_calls.c). */
void console_stack(const struct console *console, struct str args, struct text *out);
void console_calls(const struct console *console, struct str args, struct text *out);
void console_up_in_time(const struct console *console, struct str args, struct text *out);
void console_return(const struct console *console, struct str args, struct text *out);

/* What a continue does with accesses that may be to what is watched (console_watch.c). */
void console_possible_writes(const struct console *console, struct str args, struct text *out);

/* What it stops for: `set gap` and `catch` (console_stops.c). */
void console_set_gap(const struct console *console, struct str args, struct text *out);
void console_catch(const struct console *console, struct str args, struct text *out);

/* Questions about the past (console_past.c). */
void console_origin(const struct console *console, struct str args, struct text *out);
void console_last_write(const struct console *console, struct str args, struct text *out);
void console_next_candidate(const struct console *console, struct str args, struct text *out);
void console_writes(const struct console *console, struct str args, struct text *out);
void console_reads(const struct console *console, struct str args, struct text *out);
void console_next_write(const struct console *console, struct str args, struct text *out);
void console_previous_write(const struct console *console, struct str args, struct text *out);
void console_values_of(const struct console *console, struct str args, struct text *out);

/* Parts of lines (console_text.c). */
/* WHAT and "WORD", the word cut short and made printable. */
void console_wrong(struct text *out, const char *what, struct str word);
/* That a debugger does not know by itself that what it has read is another now. */
void console_say_stale(struct text *out);

/* One of the values of a setting. */
struct console_choice {
	const char *word;
	const char *text; /* what it means, a clause */
};
/* The index of the word among `count`. False, and it is said with `wrong`, if it is none. */
bool console_choose(const struct console_choice *choices, unsigned int count, struct str word,
                    const char *wrong, unsigned int *choice, struct text *out);
/* The core's number and name, marked if it is the one that commands are about. */
void console_core(const struct console *console, size_t core, struct text *out);
/* How many instructions the core's history has. */
uint64_t console_length(const struct console *console, size_t core);

#endif
