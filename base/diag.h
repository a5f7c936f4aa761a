/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Diagnostics: what is wrong with the input, each with its place. Loaders append to a list that
 * the caller gives, so that all problems are reported and not the first alone; only cli/ prints.
 *
 * Texts are lower case, without a full stop, name the thing and both values:
 *	trace.ini:14: error: buffer "ETB_1": file "b.bin" is 90 bytes, expected a multiple of 16
 */
#ifndef CSREPLAY_BASE_DIAG_H
#define CSREPLAY_BASE_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/str.h"
#include "base/text.h"

enum severity {
	SEVERITY_NOTE,
	SEVERITY_WARNING,
	SEVERITY_ERROR,
};

/* Where in the input. A place with an empty file has no place. */
struct place {
	struct str file;
	uint64_t line;   /* from 1; 0 when not a line of text */
	uint64_t offset; /* bytes from the file's start; valid if has_offset */
	bool has_offset;
};

struct diag {
	enum severity severity;
	enum status status;
	struct place place; /* its file points into `file` */
	char *file;         /* owned, as is `text` */
	char *text;
};

struct diag_list {
	struct diag *items;
	size_t count;
	size_t capacity;
	size_t errors;  /* all, the dropped ones too */
	size_t dropped; /* beyond DIAG_MOST, or without memory */
};

enum { DIAG_MOST = 1000 };

static inline struct place place_none(void)
{
	return (struct place){.file = {"", 0}};
}

static inline struct place place_file(struct str file)
{
	return (struct place){.file = file};
}

static inline struct place place_line(struct str file, uint64_t line)
{
	return (struct place){.file = file, .line = line};
}

static inline struct place place_offset(struct str file, uint64_t offset)
{
	return (struct place){.file = file, .offset = offset, .has_offset = true};
}

/* Appends an error and returns `status`, so that it can be returned at once. */
enum status diag_error(struct diag_list *list, enum status status, struct place place,
                       const char *format, ...) PRINTF_LIKE(4, 5);
void diag_warning(struct diag_list *list, struct place place, const char *format, ...)
        PRINTF_LIKE(3, 4);
void diag_note(struct diag_list *list, struct place place, const char *format, ...)
        PRINTF_LIKE(3, 4);

/* Appends "FILE:LINE: error: TEXT" (or FILE+0xOFFSET, or without place), no newline. */
void diag_format(const struct diag *diag, struct text *out);
const char *severity_name(enum severity severity);

/* Puts the diagnostics of `from` after those of `to`; `from` is empty then. */
void diag_list_move(struct diag_list *to, struct diag_list *from);

/* Drops all after the first `count`. */
void diag_list_cut(struct diag_list *list, size_t count);

void diag_list_fini(struct diag_list *list);

#endif
