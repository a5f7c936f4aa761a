/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Debuggers that csreplay starts: which program that is, and its command line. In: a session and
 * what the user gave. Out: words for execvp(), and the same for a shell.
 */
#ifndef CSREPLAY_CLI_DEBUGGER_H
#define CSREPLAY_CLI_DEBUGGER_H

#include "cli/cli.h"

struct debugger; /* gdb or lldb */

extern const struct debugger debugger_gdb;
extern const struct debugger debugger_lldb;

/* A command line that is put together. */
struct command_line {
	char **words; /* ends in NULL */
	size_t count;
	size_t capacity;
};

void command_line_fini(struct command_line *line);

/* CLI_INPUT, and it is said what to install, if the debugger is not there. */
enum cli_exit debugger_check(const struct debugger *debugger);

/*
 * The command line of a debugger that connects to `target`, a path of a unix socket or, for gdb, "|
 * COMMAND". CLI_INPUT without the script of settings that belongs to it; CLI_INTERNAL without
 * memory; both said. command_line_fini() in any case.
 */
enum cli_exit debugger_command(const struct debugger *debugger, const struct cli_args *args,
                               const struct session *session, struct str target,
                               struct command_line *line);

/* Prints what a shell does the same with. */
enum cli_exit debugger_print(const struct debugger *debugger, const struct cli_args *args,
                             const struct session *session);

#endif
