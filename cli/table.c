/* SPDX-License-Identifier: Apache-2.0 */
/* Cells of a table, and its lines; see table.h. */
#include "cli/table.h"

enum {
	INDENT = 2,
	GAP = 2, /* blanks between columns */
};

void table_cell(struct table *table, struct str s)
{
	text_add(&table->cells, s);
	text_char(&table->cells, '\0');
}

void table_cell_printf(struct table *table, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text_vprintf(&table->cells, format, args);
	va_end(args);
	text_char(&table->cells, '\0');
}

static struct str next_cell(struct str *rest)
{
	struct str s = {rest->p, str_find(*rest, '\0')};

	*rest = str_skip(*rest, s.n + 1);
	return s;
}

struct table table_begin(const char *const *titles, size_t columns)
{
	struct table table = {.columns = columns};

	for (size_t i = 0; i < columns; i++)
		table_cell(&table, str_of(titles[i]));
	return table;
}

void table_end(struct table *table, const char *name, struct text *out)
{
	size_t widths[TABLE_COLUMNS_MOST] = {0};
	struct str rest = text_str(&table->cells);
	size_t cells = 0;

	for (; rest.n > 0; cells++) {
		struct str s = next_cell(&rest);

		if (s.n > widths[cells % table->columns])
			widths[cells % table->columns] = s.n;
	}
	rest = text_str(&table->cells);
	if (cells > table->columns)
		text_printf(out, "\n%s\n", name);
	for (size_t i = 0; cells > table->columns && i < cells; i++) {
		size_t column = i % table->columns;
		struct str s = next_cell(&rest);

		text_printf(out, "%*s%.*s", column == 0 ? INDENT : 0, "", STR_ARG(s));
		if (column + 1 < table->columns)
			text_printf(out, "%*s", (int)(widths[column] - s.n) + GAP, "");
		else
			text_char(out, '\n');
	}
	if (table->cells.failed)
		out->failed = true;
	text_fini(&table->cells);
}

struct str table_or_dash(struct str s)
{
	return s.n > 0 ? s : STR("-");
}

void table_cell_text(struct table *table, struct text *text)
{
	table_cell(table, table_or_dash(text_str(text)));
	table->cells.failed |= text->failed;
	text_fini(text);
}
