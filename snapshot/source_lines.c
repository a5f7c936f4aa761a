/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Line tables of images, or of their debug files; see source_lines.h. libdw reads a table when it
 * is first asked for.
 */
#include "snapshot/source_lines.h"

#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"

#define SYSTEM_FOLDER "/usr/lib/debug"

struct table {
	Elf *elf;
	Dwarf *dwarf; /* NULL: it has none */
	uint64_t bias;
	struct file_map debug_file; /* that `elf` is, if it is not the image */
};

struct source_lines {
	size_t count;
	struct table tables[];
};

static void open_elf(struct bytes file, Elf **elf, Dwarf **dwarf)
{
	/* libelf wants a pointer that is not const; it does not write through it. */
	char *data;

	memcpy(&data, &file.pos, sizeof(data));
	if (elf_version(EV_CURRENT) != EV_NONE)
		*elf = elf_memory(data, bytes_left(&file));
	if (*elf)
		*dwarf = dwarf_begin_elf(*elf, DWARF_C_READ, NULL);
}

static bool has_build_id(Elf *elf, struct bytes id)
{
	const void *found;
	ssize_t size = dwelf_elf_gnu_build_id(elf, &found);

	return size > 0 && (size_t)size == bytes_left(&id) &&
	       memcmp(found, id.pos, (size_t)size) == 0;
}

/* Takes the file if it is there, has that build ID and has lines. Ends and clears `path`. */
static void try_debug_file(struct table *table, struct bytes id, struct text *path)
{
	struct diag_list unheard = {0};
	struct file_map map = {0};
	Dwarf *dwarf = NULL;
	Elf *elf = NULL;

	text_char(path, '\0');
	if (!table->dwarf && text_status(path) == STATUS_OK &&
	    file_map_open(text_str(path).p, place_none(), &unheard, &map) == STATUS_OK)
		open_elf(file_map_bytes(&map), &elf, &dwarf);
	diag_list_fini(&unheard);
	text_clear(path);
	if (dwarf && has_build_id(elf, id)) {
		(void)elf_end(table->elf);
		table->elf = elf;
		table->dwarf = dwarf;
		table->debug_file = map;
		return;
	}
	(void)dwarf_end(dwarf);
	(void)elf_end(elf);
	file_map_close(&map);
}

static void add_id_path(struct text *path, struct bytes id)
{
	text_puts(path, "/.build-id/");
	text_hex_bytes(path, id.pos, 1);
	text_char(path, '/');
	text_hex_bytes(path, id.pos + 1, bytes_left(&id) - 1);
	text_puts(path, ".debug");
}

/* The name in .gnu_debuglink, which is one of a file and no path; NULL without one. */
static const char *debug_link(Elf *elf)
{
	GElf_Word crc;
	const char *name = elf ? dwelf_elf_gnu_debuglink(elf, &crc) : NULL;

	return name && !strchr(name, '/') ? name : NULL;
}

/* Where gdb looks, too: manual, "Debugging Information in Separate Files". */
static void find_debug_file(struct table *table, const struct elf_image *image)
{
	struct bytes id = elf_image_build_id(image);
	const char *link = debug_link(table->elf);
	struct str folder = image->path;
	struct text path = {0};

	if (bytes_left(&id) < 2)
		return;
	while (folder.n > 0 && folder.p[folder.n - 1] != '/')
		folder.n--;
	text_add(&path, image->path);
	text_puts(&path, ".debug");
	try_debug_file(table, id, &path);
	text_add(&path, folder);
	text_puts(&path, ".");
	add_id_path(&path, id);
	try_debug_file(table, id, &path);
	text_puts(&path, SYSTEM_FOLDER);
	add_id_path(&path, id);
	try_debug_file(table, id, &path);
	for (unsigned int i = 0; !table->dwarf && link && i < 3; i++) {
		text_puts(&path, i == 2 ? SYSTEM_FOLDER : "");
		text_add(&path, folder);
		text_puts(&path, i == 1 ? ".debug/" : "");
		text_puts(&path, link);
		try_debug_file(table, id, &path);
	}
	text_fini(&path);
}

static void open_table(struct table *table, const struct elf_image *image)
{
	/* Lines of an object are relative to its sections. */
	if (image->is_object)
		return;
	table->bias = image->load_bias;
	open_elf(image->file, &table->elf, &table->dwarf);
	if (!table->dwarf)
		find_debug_file(table, image);
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
		file_map_close(&lines->tables[i].debug_file);
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
