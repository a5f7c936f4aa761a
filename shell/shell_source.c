/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source code in the shell: text of lines, and where code of a line is. A source file is looked for
 * by its name alone beside the images and in the snapshot's folder, and nowhere else, whatever an
 * image says; a link out of these is none.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "console/console_command.h"
#include "shell/shell_command.h"
#include "snapshot/file/files.h"

/* Maps FOLDER/NAME, if it is there and inside. */
static bool open_in(struct str folder, const char *name, struct file_map *map)
{
	struct diag_list unheard = {0};
	struct text path = {0};
	bool is_there = false;

	text_add(&path, folder);
	if (folder.p[folder.n - 1] != '/')
		text_char(&path, '/');
	text_puts(&path, name);
	if (text_status(&path) == STATUS_OK && snap_files_is_inside(folder, path.data))
		is_there = file_map_open(path.data, place_none(), &unheard, map) == STATUS_OK;
	diag_list_fini(&unheard);
	text_fini(&path);
	return is_there;
}

static void find_file(const struct snapshot *snapshot, struct shell_source *source)
{
	const char *name = source->name;
	bool is_there = false;

	if (strchr(name, '/') || strcmp(name, "..") == 0)
		return;
	for (size_t i = 0; i < snapshot->image_count && !is_there; i++)
		is_there = open_in(str_folder(snapshot->images[i]->path), name, &source->map);
	if (!is_there && snapshot->path.n > 0)
		(void)open_in(snapshot->path, name, &source->map);
}

/* The file of that name, opened when it is asked for first. NULL without memory. */
static const struct shell_source *source_of(struct shell *shell, const char *name)
{
	struct shell_source *source;

	for (size_t i = 0; i < shell->source_count; i++) {
		if (strcmp(shell->sources[i].name, name) == 0)
			return &shell->sources[i];
	}
	if (vec_reserve((void **)&shell->sources, &shell->source_capacity, shell->source_count + 1,
	                sizeof(*shell->sources)) != STATUS_OK)
		return NULL;
	source = &shell->sources[shell->source_count++];
	*source = (struct shell_source){.name = name};
	find_file(session_snapshot(shell->console.session), source);
	return source;
}

/* Line `number`, from 1 on, without its newline; p is NULL if there is none. */
static struct str line_of(const struct file_map *map, int number)
{
	struct str rest = {map->data, map->size};

	for (int i = 1; i < number && rest.n > 0; i++)
		rest = str_skip(rest, str_find(rest, '\n') + 1);
	return rest.n > 0 ? (struct str){rest.p, str_find(rest, '\n')} : (struct str){NULL, 0};
}

bool shell_source_line(struct shell *shell, uint64_t pc, struct source_line *line)
{
	return source_lines_find(shell_names(shell)->lines, pc, line);
}

void shell_source_text(struct shell *shell, const struct source_line *line, struct text *out)
{
	const struct shell_source *source = source_of(shell, line->file);
	struct str text = {NULL, 0};

	if (source && source->map.data)
		text = line_of(&source->map, line->line);
	if (!text.p)
		return;
	text_printf(out, "%6d  ", line->line);
	for (size_t i = 0; i < text.n && text.p[i] != '\r'; i++) {
		if (text.p[i] == '\t')
			text_puts(out, "    ");
		else
			text_char(out, str_printable(text.p[i]));
	}
	text_char(out, '\n');
}

void shell_close_sources(struct shell *shell)
{
	for (size_t i = 0; i < shell->source_count; i++)
		file_map_close(&shell->sources[i].map);
	free(shell->sources);
}

/* Places of the first line from `line` on that has code. */
struct line_search {
	int line;
	int found; /* 0: none */
	uint64_t *places;
	size_t count;
	size_t capacity;
	enum status status;
};

static void take_place(void *context, uint64_t address, int line)
{
	struct line_search *search = context;

	if (line < search->line || (search->found > 0 && line > search->found))
		return;
	if (line != search->found)
		search->count = 0;
	search->found = line;
	if (search->status == STATUS_OK)
		search->status = vec_reserve((void **)&search->places, &search->capacity,
		                             search->count + 1, sizeof(*search->places));
	if (search->status == STATUS_OK)
		search->places[search->count++] = address;
}

static int compare_places(const void *left, const void *right)
{
	const uint64_t *a = left;
	const uint64_t *b = right;

	return *a < *b ? -1 : *a > *b;
}

/* Of each function the first; its others are the same line again. */
static void take_first(const struct symbols *symbols, struct line_search *search)
{
	struct function_symbol function = {.end = 0};
	size_t kept = 0;

	if (search->count > 1)
		qsort(search->places, search->count, sizeof(*search->places), compare_places);
	for (size_t i = 0; i < search->count; i++) {
		if (i > 0 && search->places[i] < function.end)
			continue;
		function.end = 0;
		if (!symbols_find(symbols, search->places[i], &function))
			function.end = 0;
		search->places[kept++] = search->places[i];
	}
	search->count = kept;
}

bool shell_is_line(struct str word, struct str *file, int *line)
{
	size_t colon = str_find(word, ':');
	uint64_t number;

	if (colon == 0 || colon == word.n ||
	    str_to_u64(str_skip(word, colon + 1), &number) != STATUS_OK || number == 0 ||
	    number > INT32_MAX)
		return false;
	*file = (struct str){word.p, colon};
	*line = (int)number;
	return true;
}

size_t shell_find_line(struct shell *shell, struct str file, int line, uint64_t **places,
                       struct text *out)
{
	struct line_search search = {.line = line};

	*places = NULL;
	source_lines_visit(shell_names(shell)->lines, file, take_place, &search);
	take_first(shell_names(shell)->symbols, &search);
	if (search.status != STATUS_OK) {
		console_say_status(&shell->console, search.status, out);
		search.count = 0;
	} else if (search.count == 0) {
		console_wrong(
		        out,
		        "no code of this line or a later one, by the line tables of images:", file);
		text_printf(out, ":%d\n", line);
		shell->console.failed = true;
	} else if (search.found != line) {
		text_printf(out, "line %d has no code, line %d is the next that has\n", line,
		            search.found);
	}
	*places = search.places;
	return search.count;
}
