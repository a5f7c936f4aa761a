/* SPDX-License-Identifier: Apache-2.0 */
/* Line tables of images; see source_lines.h. libdw reads a table when it is first asked for. */
#include "snapshot/source_lines.h"

#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

struct table {
	Elf *elf;
	Dwarf *dwarf; /* NULL: it has none */
	uint64_t bias;
};

struct source_lines {
	size_t count;
	struct table tables[];
};

static void open_table(struct table *table, const struct elf_image *image)
{
	/* libelf wants a pointer that is not const; it does not write through it. */
	char *data;

	memcpy(&data, &image->file.pos, sizeof(data));
	table->bias = image->load_bias;
	if (elf_version(EV_CURRENT) != EV_NONE)
		table->elf = elf_memory(data, bytes_left(&image->file));
	if (table->elf)
		table->dwarf = dwarf_begin_elf(table->elf, DWARF_C_READ, NULL);
}

struct source_lines *source_lines_open(struct elf_image *const *images, size_t count)
{
	struct source_lines *lines = calloc(1, sizeof(*lines) + count * sizeof(lines->tables[0]));

	if (!lines)
		return NULL;
	lines->count = count;
	for (size_t i = 0; i < count; i++)
		open_table(&lines->tables[i], images[i]);
	return lines;
}

void source_lines_close(struct source_lines *lines)
{
	if (!lines)
		return;
	for (size_t i = 0; i < lines->count; i++) {
		(void)dwarf_end(lines->tables[i].dwarf);
		(void)elf_end(lines->tables[i].elf);
	}
	free(lines);
}

/* Of a unit that says that it has the address, or else of any. */
static Dwarf_Line *find_line(Dwarf *dwarf, uint64_t address)
{
	Dwarf_Die die;
	Dwarf_CU *unit = NULL;
	Dwarf_Line *line = NULL;

	if (dwarf_addrdie(dwarf, address, &die))
		line = dwarf_getsrc_die(&die, address);
	while (!line && dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
		line = dwarf_getsrc_die(&die, address);
	return line;
}

bool source_lines_find(const struct source_lines *lines, uint64_t address,
                       struct source_line *found)
{
	for (size_t i = 0; lines && i < lines->count; i++) {
		const struct table *table = &lines->tables[i];
		Dwarf_Line *line = NULL;
		const char *slash;

		if (table->dwarf)
			line = find_line(table->dwarf, address - table->bias);
		if (!line || dwarf_lineno(line, &found->line) != 0 || found->line == 0)
			continue;
		found->file = dwarf_linesrc(line, NULL, NULL);
		if (!found->file)
			continue;
		slash = strrchr(found->file, '/');
		if (slash)
			found->file = slash + 1;
		return true;
	}
	return false;
}
