/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any text as an INI file. Holds: no line is passed over in silence (each is empty, a comment, a
 * section, an entry, or has a diagnostic), sections and entries are in the order of their lines,
 * and no key is empty.
 */
#include <stdlib.h>

#include "fuzz.h"
#include "snapshot/file/ini.h"

static uint64_t count_lines(struct str content)
{
	uint64_t lines = 1;

	for (size_t i = 0; i < content.n; i++)
		lines += content.p[i] == '\n';
	return lines;
}

static void mark(bool *is_told, uint64_t lines, uint64_t line)
{
	FUZZ_CHECK(line >= 1 && line <= lines);
	is_told[line] = true;
}

static void mark_file(const struct ini_file *file, bool *is_told, uint64_t lines)
{
	uint64_t before = 0;

	for (size_t i = 0; i < file->section_count; i++) {
		const struct ini_section *section = &file->sections[i];

		FUZZ_CHECK(section->line > before);
		before = section->line;
		mark(is_told, lines, before);
		for (size_t k = 0; k < section->entry_count; k++) {
			const struct ini_entry *entry = &section->entries[k];

			FUZZ_CHECK(entry->line > before && entry->key.n > 0);
			FUZZ_CHECK(ini_section_find(section, entry->key));
			FUZZ_CHECK(ini_unquote(entry->value).n <= entry->value.n);
			before = entry->line;
			mark(is_told, lines, before);
		}
	}
}

static void check_lines(struct str content, const bool *is_told)
{
	struct str rest = content;

	if (str_has_prefix(rest, STR("\xef\xbb\xbf")))
		rest = str_skip(rest, 3);
	for (uint64_t line = 1; rest.n > 0; line++) {
		size_t end = str_find(rest, '\n');
		struct str text = str_trim((struct str){rest.p, end});
		bool is_empty = text.n == 0 || text.p[0] == ';' || text.p[0] == '#';

		FUZZ_CHECK(is_empty || is_told[line]);
		rest = str_skip(rest, end < rest.n ? end + 1 : end);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str content = {size > 0 ? (const char *)data : "", size};
	uint64_t lines = count_lines(content);
	bool *is_told = calloc((size_t)lines + 1, sizeof(*is_told));
	struct arena arena = {0};
	struct diag_list diags = {0};
	struct ini_file file;

	FUZZ_CHECK(is_told);
	FUZZ_CHECK(ini_load(&arena, STR("x.ini"), content, &diags, &file) == STATUS_OK);
	mark_file(&file, is_told, lines);
	for (size_t i = 0; i < diags.count; i++)
		mark(is_told, lines, diags.items[i].place.line);
	if (diags.dropped == 0)
		check_lines(content, is_told);
	diag_list_fini(&diags);
	arena_fini(&arena);
	free(is_told);
	return 0;
}
