/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of aligned columns. In: titles, then cells, row after row from the left. Out: a text, in
 * which each column is as wide as its widest cell. table_begin() and table_end() go together: what
 * is between them owns memory. That it ran out shows in the text at the end.
 */
#ifndef CSREPLAY_CLI_TABLE_H
#define CSREPLAY_CLI_TABLE_H

#include <stddef.h>

#include "base/str.h"
#include "base/text.h"

enum { TABLE_COLUMNS_MOST = 10 };

/* A table in the making: cells one after the other, each ended by a NUL. */
struct table {
	size_t columns;
	struct text cells;
};

/* Its first row: `columns` titles, TABLE_COLUMNS_MOST at most. */
struct table table_begin(const char *const *titles, size_t columns);
/* Writes the table under its name and frees it; nothing if it has no row but the titles. */
void table_end(struct table *table, const char *name, struct text *out);

/* The next cell. No text in it has a NUL. */
void table_cell(struct table *table, struct str s);
void table_cell_printf(struct table *table, const char *format, ...) PRINTF_LIKE(2, 3);
/* A cell of a text, which is freed; "-" if it is empty. */
void table_cell_text(struct table *table, struct text *text);
/* What an empty cell says: "-". */
struct str table_or_dash(struct str s);

#endif
