/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The console: commands in words, for gdb's and lldb's `monitor`. In: a line. Out: text for the
 * user. One table (console.c) gives names, arguments and help.
 */
#ifndef CSREPLAY_CONSOLE_CONSOLE_H
#define CSREPLAY_CONSOLE_CONSOLE_H

#include <stddef.h>

#include "base/str.h"
#include "base/text.h"
#include "replay/session/session.h"

struct console {
	struct session *session;
	size_t core; /* the core that commands are about */
	/*
	 * It is a debugger's `monitor`: commands are named so in what they say, and that the
	 * debugger does not know by itself what is another after them is said as well.
	 */
	bool is_monitor;
	/*
	 * The debugger has a script that reads all anew after the command: it said so, or asked
	 * `help --raw`.
	 * Without it a debugger goes on showing what it has read: a seek waits until it resumes.
	 */
	bool is_refreshed;
	/*
	 * The others are taken along where the debugger resumes one thread alone, too; what is left
	 * after a line is to be there before the next.
	 */
	bool takes_others;
	bool failed; /* the last line could not be done; the text says why */
	bool went;   /* the last line went to a position, perhaps the one that it was at */
	/* The last line is to go to a position when the debugger resumes the core next. */
	bool waits;
	uint64_t waiting_position;
};

/* A row of a table of commands. */
struct console_command {
	const char *name;
	const char *args; /* "": it takes none */
	const char *help; /* a clause */
	/* `args` without blanks around; `out` takes whole lines. console->failed is false before.
	 */
	void (*run)(struct console *console, struct str args, struct text *out);
};

/* The table of console_run(), for help and completion; valid for ever. */
const struct console_command *console_commands(size_t *count);
/* A line for each row: its name, its arguments, its help, in columns. */
void console_list(const struct console_command *of, size_t count, struct text *out);
/* Runs a row, or says that it takes no argument. */
void console_run_one(const struct console_command *command, struct console *console,
                     struct str args, struct text *out);

/* What `why` is asked about, a register or an address; false if the word is neither. */
bool console_subject(const struct console *console, struct str word, struct why_subject *subject);

/*
 * Runs one line: NAME ARGUMENTS. What is wrong with it is said in `out`, too, and console->failed;
 * output is bounded.
 */
void console_run(struct console *console, struct str line, struct text *out);

#endif
