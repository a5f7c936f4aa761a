/* SPDX-License-Identifier: Apache-2.0 */
/* Line tables of images, or of their debug files; see source_lines.h. */
#include "snapshot/source_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "snapshot/file/files.h"
#include "snapshot/line_table/elf_sections.h"
#include "snapshot/line_table/object_lines.h"

struct table {
	struct elf_sections *sections;
	struct line_table *lines; /* NULL: it has none */
	uint64_t bias;
	uint8_t *relocated;         /* of an object: .debug_line */
	struct file_map debug_file; /* that they are of, if it is not the image */
};

struct source_lines {
	size_t count;
	struct table tables[];
};

static void close_table(struct table *table)
{
	line_table_close(table->lines);
	free(table->relocated);
	elf_sections_close(table->sections);
	file_map_close(&table->debug_file);
	*table = (struct table){.bias = table->bias};
}

/* `object`: whose file it is, if it is one; else NULL. */
static void open_lines(struct table *table, struct bytes file, const struct elf_image *object)
{
	struct line_sections sections;
	size_t size = 0;

	table->sections = elf_sections_open(file);
	if (!table->sections)
		return;
	sections = (struct line_sections){
	        .lines = elf_sections_get(table->sections, STR(".debug_line")),
	        .line_strings = elf_sections_get(table->sections, STR(".debug_line_str")),
	        .strings = elf_sections_get(table->sections, STR(".debug_str")),
	        .is_big_endian = elf_sections_are_big_endian(table->sections),
	};
	if (object) {
		table->relocated = object_lines_make(table->sections, object->section_addresses,
		                                     object->section_count, &size);
		sections.lines = bytes_of(table->relocated, size);
	}
	table->lines = line_table_open(&sections);
}

/* A search for an image's debug file. */
struct search {
	struct table *table;
	struct bytes id;
	struct str folder; /* that a file beside the image may not lead out of; empty: the user's */
};

static bool has_build_id(const struct table *table, struct bytes id)
{
	struct bytes found = bytes_of(NULL, 0);

	if (table->sections)
		found = elf_sections_build_id(table->sections);
	return bytes_equal(found, id);
}

/* Takes the file if it is there, has that build ID and has lines. Ends and clears `path`. */
static void try_debug_file(const struct search *s, struct text *path)
{
	struct diag_list unheard = {0};
	struct table found = {.bias = s->table->bias};

	text_char(path, '\0');
	if (!s->table->lines && text_status(path) == STATUS_OK &&
	    (s->folder.n == 0 || snap_files_is_inside(s->folder, text_str(path).p)) &&
	    file_map_open(text_str(path).p, place_none(), &unheard, &found.debug_file) == STATUS_OK)
		open_lines(&found, file_map_bytes(&found.debug_file), NULL);
	diag_list_fini(&unheard);
	text_clear(path);
	if (found.lines && has_build_id(&found, s->id)) {
		close_table(s->table);
		*s->table = found;
	} else {
		close_table(&found);
	}
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
static const char *debug_link(const struct table *table)
{
	struct bytes link = bytes_of(NULL, 0);
	const char *name;

	if (table->sections)
		link = elf_sections_get(table->sections, STR(".gnu_debuglink"));
	name = (const char *)link.pos;
	if (bytes_left(&link) == 0 || !memchr(name, '\0', bytes_left(&link)))
		return NULL;
	return name[0] != '\0' && !strchr(name, '/') ? name : NULL;
}

/* Where gdb looks, too: manual, "Debugging Information in Separate Files". */
static void find_debug_file(struct table *table, const struct elf_image *image,
                            struct str debug_folder)
{
	struct search s = {table, elf_image_build_id(image), image->path};
	struct text path = {0};
	struct str beside;
	const char *link;

	if (bytes_left(&s.id) < 2)
		return;
	while (s.folder.n > 0 && s.folder.p[s.folder.n - 1] != '/')
		s.folder.n--;
	beside = s.folder;
	text_add(&path, image->path);
	text_puts(&path, ".debug");
	try_debug_file(&s, &path);
	text_add(&path, beside);
	text_puts(&path, ".");
	add_id_path(&path, s.id);
	try_debug_file(&s, &path);
	for (unsigned int i = 0; (link = debug_link(table)) && !table->lines && i < 2; i++) {
		text_add(&path, beside);
		text_puts(&path, i == 1 ? ".debug/" : "");
		text_puts(&path, link);
		try_debug_file(&s, &path);
	}
	s.folder = STR("");
	if (debug_folder.n > 0) {
		text_add(&path, debug_folder);
		add_id_path(&path, s.id);
		try_debug_file(&s, &path);
		link = debug_link(table);
	}
	if (debug_folder.n > 0 && link && !table->lines) {
		text_add(&path, debug_folder);
		text_add(&path, beside);
		text_puts(&path, link);
		try_debug_file(&s, &path);
	}
	text_fini(&path);
}

static void open_table(struct table *table, const struct elf_image *image, struct str debug_folder)
{
	table->bias = image->load_bias;
	if (!image->is_object || image->is_64bit)
		open_lines(table, image->file, image->is_object ? image : NULL);
	/* Lines of an object's debug file would be relative to its sections. */
	if (!table->lines && !image->is_object)
		find_debug_file(table, image, debug_folder);
}

struct source_lines *source_lines_open(struct elf_image *const *images, size_t count,
                                       struct str debug_folder)
{
	struct source_lines *lines = calloc(1, sizeof(*lines) + count * sizeof(lines->tables[0]));

	if (!lines)
		return NULL;
	lines->count = count;
	for (size_t i = 0; i < count; i++)
		open_table(&lines->tables[i], images[i], debug_folder);
	return lines;
}

void source_lines_close(struct source_lines *lines)
{
	if (!lines)
		return;
	for (size_t i = 0; i < lines->count; i++)
		close_table(&lines->tables[i]);
	free(lines);
}

bool source_lines_find(const struct source_lines *lines, uint64_t address,
                       struct source_line *found)
{
	for (size_t i = 0; lines && i < lines->count; i++) {
		const struct table *table = &lines->tables[i];

		if (table->lines && line_table_find(table->lines, address - table->bias, found))
			return true;
	}
	return false;
}

/* A visit of an image that lies elsewhere than its line table says. */
struct biased_visit {
	line_visit *visit;
	void *context;
	uint64_t bias;
};

static void visit_biased(void *context, uint64_t address, int line)
{
	const struct biased_visit *to = context;

	to->visit(to->context, address + to->bias, line);
}

void source_lines_visit(const struct source_lines *lines, struct str file, line_visit *visit,
                        void *context)
{
	for (size_t i = 0; lines && i < lines->count; i++) {
		struct biased_visit to = {visit, context, lines->tables[i].bias};

		if (lines->tables[i].lines)
			line_table_visit(lines->tables[i].lines, file, visit_biased, &to);
	}
}

size_t source_lines_count(const struct source_lines *lines)
{
	return lines ? lines->count : 0;
}

struct elf_sections *source_lines_file(const struct source_lines *lines, size_t i, uint64_t *bias)
{
	const struct table *table = &lines->tables[i];

	*bias = table->bias;
	return table->relocated ? NULL : table->sections;
}
