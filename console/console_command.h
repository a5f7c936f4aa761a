/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Behind console/console.h: the commands that are not in console.c, and what all of them, and those
 * of shell/, write. In: the session, the core that the command is about, the command's arguments
 * without blanks around them. Out: text for the user, whole lines; what is wrong with the arguments
 * is said there, too.
 */
#ifndef CSREPLAY_CONSOLE_CONSOLE_COMMAND_H
#define CSREPLAY_CONSOLE_CONSOLE_COMMAND_H

#include "console/console.h"

/* Positions (console_position.c). */
void console_position(struct console *console, struct str args, struct text *out);
void console_seek(struct console *console, struct str args, struct text *out);
void console_back(struct console *console, struct str args, struct text *out);
void console_forward(struct console *console, struct str args, struct text *out);
/* As position_parse(); what is wrong is a line, the reason why the command failed. */
bool console_parse_position(struct console *console, struct str word, uint64_t *position,
                            struct text *out);
/* What positions and ranges are, two lines. */
void console_say_forms(struct text *out);
/* When the core was at a position, and where the others were then. */
void console_time(struct console *console, struct str args, struct text *out);

/* What each core halted at (console_crash.c). */
void console_crash(struct console *console, struct str args, struct text *out);
/* A line of a core; false, and nothing, if nothing is known of why it halted. */
bool console_write_crash(struct console *console, size_t core, struct text *out);

/* Memory at the halt by its contents (console_find.c). */
void console_pointers(struct console *console, struct str args, struct text *out);
/* A line if the value reads as text; with where the core's dumps have these bytes. */
void console_write_text(const struct console *console, size_t core, uint64_t value,
                        struct text *out);

/* Threads (console_thread.c). */
void console_threads(struct console *console, struct str args, struct text *out);

/* Names of positions (console_mark.c). */
void console_mark(struct console *console, struct str args, struct text *out);
void console_marks(struct console *console, struct str args, struct text *out);
void console_unmark(struct console *console, struct str args, struct text *out);

/* What lies between instructions (console_events.c). */
void console_events(struct console *console, struct str args, struct text *out);
void console_gaps(struct console *console, struct str args, struct text *out);

/* Address spaces (console_space.c). */
void console_space(struct console *console, struct str args, struct text *out);
void console_x(struct console *console, struct str args, struct text *out);

/* Calls: the stack, a function's calls, and to where one began or ended (console_calls.c). */
void console_stack(struct console *console, struct str args, struct text *out);
void console_calls(struct console *console, struct str args, struct text *out);
void console_up_in_time(struct console *console, struct str args, struct text *out);
void console_return(struct console *console, struct str args, struct text *out);

/* What a continue does with accesses that may be to what is watched (console_watch.c). */
void console_possible_writes(struct console *console, struct str args, struct text *out);

/* Whether a move takes the other cores along: `set cores` (console_together.c). */
void console_set_cores(struct console *console, struct str args, struct text *out);

/* Messages of ITM and STM: their list, and whether moves show them (console_software.c). */
void console_software_trace(struct console *console, struct str args, struct text *out);
void console_set_software(struct console *console, struct str args, struct text *out);
/* Why no message is on the way of the core, a line; nothing if some may be. */
void console_say_software(struct console *console, struct text *out);

/* What it stops for: `set gap` and `catch` (console_stops.c). */
void console_set_gap(struct console *console, struct str args, struct text *out);
void console_catch(struct console *console, struct str args, struct text *out);

/* Questions about the past (console_past.c). */
/* What a word is about; false, and it is said, if it is nothing. */
bool console_find_subject(struct console *console, struct str word, struct past_subject *subject,
                          struct text *out);
void console_origin(struct console *console, struct str args, struct text *out);
void console_last_write(struct console *console, struct str args, struct text *out);
void console_next_candidate(struct console *console, struct str args, struct text *out);
void console_writes(struct console *console, struct str args, struct text *out);
void console_reads(struct console *console, struct str args, struct text *out);
void console_next_write(struct console *console, struct str args, struct text *out);
void console_previous_write(struct console *console, struct str args, struct text *out);
void console_values_of(struct console *console, struct str args, struct text *out);

/* Parts of lines (console_text.c). */
/* WHAT and "WORD", the word cut short and made printable. */
void console_wrong(struct text *out, const char *what, struct str word);
/* The command failed: these, and `rest` after them, are its reason; a line. */
void console_say_wrong(struct console *console, const char *what, struct str word, const char *rest,
                       struct text *out);
/* The same of a status, */
void console_say_status(struct console *console, enum status status, struct text *out);
/* and of arguments that lack: how the command is used. */
void console_say_usage(struct console *console, const char *usage, struct text *out);
/* What comes before a command's name where it is told: "monitor ", or nothing. */
const char *console_prefix(const struct console *console);
/* That a debugger does not know by itself that what it has read is another now, if there is one. */
void console_say_stale(const struct console *console, struct text *out);

/* One of the values of a setting. */
struct console_choice {
	const char *word;
	const char *text; /* what it means, a clause */
};
/* All of them, and what is said of another word: "neither this nor that:". */
struct console_choices {
	const struct console_choice *all;
	unsigned int count;
	const char *wrong;
};
/* The index of the word. False, and it is said why the command failed, if it is none. */
bool console_choose(struct console *console, const struct console_choices *choices, struct str word,
                    unsigned int *choice, struct text *out);
/* The core's number and name, marked if it is the one that commands are about. */
void console_core(const struct console *console, size_t core, struct text *out);
/* How many instructions the core's history has. */
uint64_t console_length(const struct console *console, size_t core);

#endif
