/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines that a user edits on a terminal, by libedit: with a history that is kept in a file, and
 * words that complete what is typed. In: keys. Out: lines.
 */
#ifndef CSREPLAY_CLI_LINE_EDIT_H
#define CSREPLAY_CLI_LINE_EDIT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/str.h"
#include "base/text.h"

struct line_edit;

typedef void line_edit_word(void *context, struct str word);

struct line_edit_options {
	const char *history; /* its file, which need not be there; NULL: it is not kept */
	/* Appends what a line is asked for with. */
	void (*prompt)(void *context, struct text *out);
	/*
	 * Tells of each word that may stand in place of the last of `line`, which ends where the
	 * cursor is; the index where that begins.
	 */
	size_t (*complete)(void *context, struct str line, line_edit_word *visit, void *words);
	/* A signal has come that ends the line. */
	bool (*interrupted)(void *context);
	void *context;
};

/* Of standard input and output. NO_MEM, also where the terminal is not one that libedit knows. */
MUST_USE enum status line_edit_open(const struct line_edit_options *options,
                                    struct line_edit **edit);
void line_edit_close(struct line_edit *edit); /* writes the history; NULL is fine */

/*
 * The next line, without its newline, valid until the next call. END at the end of the input,
 * INTERRUPTED if the user gave it up.
 */
MUST_USE enum status line_edit_read(struct line_edit *edit, struct str *line);

#endif
