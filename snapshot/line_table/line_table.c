/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences by address, and the rows of those that were asked for; see line_table.h. */
#include "snapshot/line_table/line_table.h"

#include <limits.h>
#include <stdlib.h>

#include "base/vec.h"

/* Rows from an address up to another. */
struct sequence {
	uint64_t low;
	uint64_t high;
	size_t unit;           /* offset of its program's header in the section */
	size_t start;          /* of its first opcode in the program's code */
	struct line_row *rows; /* by address; NULL: not asked for */
	size_t row_count;
	size_t row_capacity;
};

struct line_table {
	struct line_sections sections;
	struct sequence *items; /* by address */
	size_t count;
	size_t capacity;
};

static int compare(const void *a, const void *b)
{
	const struct sequence *x = a;
	const struct sequence *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	/* Of those that begin together the order is that of the file. */
	if (x->unit != y->unit)
		return x->unit < y->unit ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

/* Notes the sequences of a program; what follows damage in it is left out. NO_MEM. */
static enum status add_program(struct line_table *table, const struct line_program *program,
                               size_t unit)
{
	struct line_run run = line_run_from(program, 0);
	struct sequence sequence = {.unit = unit};
	uint64_t before = 0;
	bool is_first = true;
	bool goes_up = true;

	while (line_run_next(&run) == STATUS_OK) {
		if (is_first)
			sequence.low = before = run.row.address;
		goes_up = goes_up && run.row.address >= before;
		before = run.row.address;
		is_first = run.row.is_end;
		if (!run.row.is_end)
			continue;
		sequence.high = run.row.address;
		if (goes_up && sequence.low < sequence.high) {
			TRY(vec_reserve((void **)&table->items, &table->capacity, table->count + 1,
			                sizeof(*table->items)));
			table->items[table->count++] = sequence;
		}
		sequence.start = bytes_offset(&run.code);
		goes_up = true;
	}
	return STATUS_OK;
}

static enum status add_programs(struct line_table *table)
{
	struct bytes lines = table->sections.lines;
	struct line_program program;
	enum status status;

	for (;;) {
		size_t unit = bytes_offset(&lines);

		status = line_program_read(&table->sections, &lines, &program);
		if (status == STATUS_END || status == STATUS_TRUNCATED)
			return STATUS_OK;
		if (status == STATUS_OK)
			TRY(add_program(table, &program, unit));
	}
}

/* Those at 0, if there are several: of code that is not in the file. */
static void drop_discarded(struct line_table *table)
{
	size_t at_zero = 0;

	while (at_zero < table->count && table->items[at_zero].low == 0)
		at_zero++;
	if (at_zero < 2)
		return;
	for (size_t i = at_zero; i < table->count; i++)
		table->items[i - at_zero] = table->items[i];
	table->count -= at_zero;
}

struct line_table *line_table_open(const struct line_sections *sections)
{
	struct line_table *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	table->sections = *sections;
	if (add_programs(table) != STATUS_OK || table->count == 0) {
		line_table_close(table);
		return NULL;
	}
	qsort(table->items, table->count, sizeof(*table->items), compare);
	drop_discarded(table);
	return table;
}

void line_table_close(struct line_table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->count; i++)
		free(table->items[i].rows);
	free(table->items);
	free(table);
}

/* The last sequence that begins at or before the address, if it has it. */
static struct sequence *find_sequence(const struct line_table *table, uint64_t address)
{
	size_t low = 0;
	size_t high = table->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->items[middle].low <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && address < table->items[low - 1].high ? &table->items[low - 1] : NULL;
}

static enum status read_rows(struct sequence *sequence, const struct line_program *program)
{
	struct line_run run = line_run_from(program, sequence->start);

	while (line_run_next(&run) == STATUS_OK && !run.row.is_end) {
		TRY(vec_reserve((void **)&sequence->rows, &sequence->row_capacity,
		                sequence->row_count + 1, sizeof(*sequence->rows)));
		sequence->rows[sequence->row_count++] = run.row;
	}
	return STATUS_OK;
}

/* NULL without rows. */
static const struct line_row *find_row(const struct sequence *sequence, uint64_t address)
{
	size_t low = 0;
	size_t high = sequence->rows ? sequence->row_count : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sequence->rows[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? &sequence->rows[low - 1] : NULL;
}

/* Reads a sequence's program, and its rows if they are not there. */
static bool have_rows(const struct line_table *table, struct sequence *sequence,
                      struct line_program *program)
{
	struct bytes lines = table->sections.lines;

	if (bytes_skip(&lines, sequence->unit) != STATUS_OK ||
	    line_program_read(&table->sections, &lines, program) != STATUS_OK)
		return false;
	if (sequence->rows || read_rows(sequence, program) == STATUS_OK)
		return true;
	free(sequence->rows);
	sequence->rows = NULL;
	sequence->row_count = sequence->row_capacity = 0;
	return false;
}

bool line_table_find(struct line_table *table, uint64_t address, struct source_line *found)
{
	struct sequence *sequence = find_sequence(table, address);
	struct line_program program;
	const struct line_row *row;

	if (!sequence || !have_rows(table, sequence, &program))
		return false;
	row = find_row(sequence, address);
	if (!row || row->line == 0 || row->line > INT_MAX)
		return false;
	found->line = (int)row->line;
	found->file = line_program_file(&program, row->file);
	return found->file != NULL;
}

static bool is_file(const struct line_program *program, uint64_t number, struct str file)
{
	const char *name = line_program_file(program, number);

	return name && str_eq(str_of(name), file);
}

void line_table_visit(struct line_table *table, struct str file, line_visit *visit, void *context)
{
	for (size_t i = 0; i < table->count; i++) {
		struct sequence *sequence = &table->items[i];
		struct line_program program;

		if (!have_rows(table, sequence, &program))
			continue;
		for (size_t j = 0; j < sequence->row_count; j++) {
			const struct line_row *row = &sequence->rows[j];

			if (row->is_statement && row->line > 0 && row->line <= INT_MAX &&
			    is_file(&program, row->file, file))
				visit(context, row->address, (int)row->line);
		}
	}
}
