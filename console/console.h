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
};

/* What `why` is asked about, a register or an address; false if the word is neither. */
bool console_subject(const struct console *console, struct str word, struct why_subject *subject);

/* Runs one line. What is wrong with it is said in `out`, too; output is bounded. */
void console_run(const struct console *console, struct str line, struct text *out);

#endif
