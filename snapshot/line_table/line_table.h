/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All line programs of a file as a table: which line an address is of. In: the sections. Out: file
 * and line.
 *
 * Addresses of a sequence only go up (DWARF 5, 6.2.5); one whose do not says nothing here. Nor do
 * several that begin at 0: that is where linkers leave the lines of what they threw away.
 */
#ifndef CSREPLAY_SNAPSHOT_LINE_TABLE_LINE_TABLE_H
#define CSREPLAY_SNAPSHOT_LINE_TABLE_LINE_TABLE_H

#include "base/str.h"
#include "snapshot/line_table/line_program.h"

struct source_line {
	const char *file; /* without its folder; in the sections */
	int line;         /* from 1 */
};

struct line_table;

/* The bytes of the sections outlive it. NULL without lines or without memory. */
struct line_table *line_table_open(const struct line_sections *sections);
void line_table_close(struct line_table *table); /* NULL is fine */

/*
 * The line of the last row at or before `address` in the sequence that has it. False if there is
 * none, or without memory. The rows of a sequence are kept when they are first asked for.
 */
bool line_table_find(struct line_table *table, uint64_t address, struct source_line *found);

/*
 * Tells of each row of a file, by its name without folder, where a debugger is to stop for a line
 * (is_stmt); some perhaps twice. Without memory not of all.
 */
typedef void line_visit(void *context, uint64_t address, int line);
void line_table_visit(struct line_table *table, struct str file, line_visit *visit, void *context);

#endif
