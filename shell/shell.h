/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shell: a session in commands, for a user without a debugger. In: a line, which is a command
 * of its own (shell.c) or of the console (console/console.h), by its name, the beginning of one
 * that no other has, or an alias. Out: text. No terminal is known here.
 */
#ifndef CSREPLAY_SHELL_SHELL_H
#define CSREPLAY_SHELL_SHELL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/str.h"
#include "base/text.h"
#include "replay/session/session.h"

struct shell;

struct shell_options {
	size_t core;     /* to begin with */
	bool has_colour; /* the text may have escape sequences of a terminal (ECMA-48 SGR) */
	/* Asked now and then while a command runs; true ends it. */
	bool (*interrupted)(void *context);
	void *context;
};

/* What whoever reads the lines is to do after one. */
enum shell_wish {
	SHELL_GO_ON,
	SHELL_QUIT,
	SHELL_SOURCE,  /* run the lines of the file `argument` */
	SHELL_PROGRAM, /* have the user's command shell run `argument` */
};

struct shell_answer {
	bool failed; /* why is in the text */
	enum shell_wish wish;
	struct str argument; /* a part of the line */
};

/* The session outlives it. NO_MEM. */
MUST_USE enum status shell_open(struct session *session, const struct shell_options *options,
                                struct shell **shell);
void shell_close(struct shell *shell); /* NULL is fine */

/* Appends where the core is and what it halted at: lines to begin with. */
void shell_greet(struct shell *shell, struct text *out);
/* Appends what to ask for a line with, such as "cpu_0 39990> ". */
void shell_prompt(const struct shell *shell, struct text *out);
/* Runs a line, and appends what it has to say, whole lines. Nothing in a line is nothing to do. */
struct shell_answer shell_run(struct shell *shell, struct str line, struct text *out);

/*
 * Tells of each word that may stand in place of the last of `line`, which ends where the cursor is;
 * in no order, some perhaps twice. The last word begins at the returned index; `word` is valid
 * during the call.
 */
typedef void shell_word(void *context, struct str word);
size_t shell_complete(struct shell *shell, struct str line, shell_word *visit, void *context);

#endif
