/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adapter over inih. In: the text of an INI file. Out: sections and entries with their lines.
 *
 * inih, as Debian builds it, reads lines of 200 bytes through a callback. The callback here sees
 * every line first and hands inih only what inih cannot misread:
 *   - a line with leading blanks would be taken as the continuation of the line before: trimmed;
 *   - a line that does not fit is handed over in pieces, as continuations of its own first piece;
 *   - inih splits at the first '=' or ':', so "PC(size:64)=0x80" falls apart: the parts are joined
 *     again and split where the format means it;
 *   - inih tells neither lines nor sections, cuts the names of both kinds at 50 bytes and keeps
 *     bad lines to itself: lines and sections are counted here, and a line for which inih called
 *     nobody is a bad one.
 */
#include "snapshot/file/ini.h"

#include <ini.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/vec.h"

struct found_section {
	struct str name;
	uint64_t line;
	size_t first_entry;
};

struct reader {
	struct arena *arena;
	struct str file;
	struct diag_list *diags;
	bool either;       /* ":" is as good as "=" */
	struct str rest;   /* of the file */
	struct str pieces; /* of a long line, not handed to inih yet */
	uint64_t line;     /* of what inih reads now */
	bool in_entry;     /* inih reads an entry now, */
	bool handled;      /* and called entry_found() for it */
	char separator;    /* where inih splits it */
	struct text entry; /* as put together so far */
	struct found_section *sections;
	size_t section_count;
	size_t section_capacity;
	struct ini_entry *entries;
	size_t entry_count;
	size_t entry_capacity;
	enum status status;
};

enum { SHOWN = 40 }; /* bytes of a bad line that a message shows */

static struct place here(const struct reader *r)
{
	return place_line(r->file, r->line);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static bool is_comment(char c)
{
	return c == ';' || c == '#';
}

/* Index of the first '=' or ':', or line.n. */
static size_t find_separator(struct str line)
{
	size_t equals = str_find(line, '=');
	size_t colon = str_find(line, ':');

	return equals < colon ? equals : colon;
}

/* Index of the first `c` that is not in parentheses, or line.n. */
static size_t find_outside(struct str line, char c)
{
	size_t depth = 0;

	for (size_t i = 0; i < line.n; i++) {
		if (line.p[i] == '(')
			depth++;
		else if (line.p[i] == ')' && depth > 0)
			depth--;
		else if (line.p[i] == c && depth == 0)
			return i;
	}
	return line.n;
}

static struct str without_comment(struct str line)
{
	line = str_trim(line);
	for (size_t i = 0; i < line.n; i++) {
		if (is_comment(line.p[i]) && (i == 0 || is_blank(line.p[i - 1])))
			line.n = i;
	}
	return str_trim(line);
}

static struct str shown(struct str line)
{
	return line.n > SHOWN ? (struct str){line.p, SHOWN} : line;
}

/* Cuts the next line off the file. */
static struct str next_line(struct reader *r)
{
	size_t end = str_find(r->rest, '\n');
	struct str line = {r->rest.p, end};

	r->rest = str_skip(r->rest, end + 1);
	r->line++;
	if (r->line == 1 && str_has_prefix(line, STR("\xef\xbb\xbf")))
		line = str_skip(line, 3);
	return line;
}

static enum status add_section(struct reader *r, struct str name)
{
	struct found_section section = {arena_str(r->arena, name), r->line, r->entry_count};

	if (!section.name.p)
		return STATUS_NO_MEM;
	TRY(vec_reserve((void **)&r->sections, &r->section_capacity, r->section_count + 1,
	                sizeof(*r->sections)));
	r->sections[r->section_count++] = section;
	return STATUS_OK;
}

/* A header that cannot be read opens a section too, so that its keys do not land elsewhere. */
static enum status open_section(struct reader *r, struct str line)
{
	size_t end = str_find(line, ']');

	if (end == line.n) {
		(void)diag_error(r->diags, STATUS_BAD_DATA, here(r), "\"%.*s\" has no closing ]",
		                 STR_ARG(shown(line)));
		return add_section(r, STR(""));
	}
	if (end + 1 < line.n)
		diag_warning(r->diags, here(r), "\"%.*s\" after the section's name is ignored",
		             STR_ARG(shown(str_skip(line, end + 1))));
	return add_section(r, str_trim((struct str){line.p + 1, end - 1}));
}

static enum status add_entry(struct reader *r, struct str key, struct str value)
{
	struct ini_entry entry = {arena_str(r->arena, str_trim(key)),
	                          arena_str(r->arena, str_trim(value)), r->line};

	if (!entry.key.p || !entry.value.p)
		return STATUS_NO_MEM;
	if (entry.key.n == 0) {
		(void)diag_error(r->diags, STATUS_BAD_DATA, here(r), "\"%.*s\" has no key",
		                 STR_ARG(shown(text_str(&r->entry))));
		return STATUS_OK;
	}
	if (r->section_count == 0) {
		(void)diag_error(r->diags, STATUS_BAD_DATA, here(r),
		                 "key \"%.*s\" is before the first section", STR_ARG(entry.key));
		return STATUS_OK;
	}
	TRY(vec_reserve((void **)&r->entries, &r->entry_capacity, r->entry_count + 1,
	                sizeof(*r->entries)));
	r->entries[r->entry_count++] = entry;
	return STATUS_OK;
}

/* Splits the entry that was put together where the format means it. */
static enum status split_entry(struct reader *r)
{
	struct str line = text_str(&r->entry);
	size_t at = find_outside(line, '=');

	if (at == line.n)
		at = str_find(line, '=');
	if (at == line.n) {
		at = find_outside(line, ':');
		if (at == line.n)
			at = str_find(line, ':');
		if (!r->either)
			diag_warning(r->diags, here(r), "\"%.*s\" has a : where = is expected",
			             STR_ARG(shown(line)));
	}
	return add_entry(r, (struct str){line.p, at}, str_skip(line, at + 1));
}

/* Ends the entry that inih has read to its end. */
static enum status end_entry(struct reader *r)
{
	if (!r->in_entry)
		return STATUS_OK;
	r->in_entry = false;
	TRY(text_status(&r->entry));
	if (r->handled)
		return split_entry(r);
	(void)diag_error(r->diags, STATUS_BAD_DATA, here(r), "expected KEY=VALUE, got \"%.*s\"",
	                 STR_ARG(shown(text_str(&r->entry))));
	return STATUS_OK;
}

/* True if the line may be cut before byte `at` so that inih gives back both parts unchanged. */
static bool may_cut(struct str line, size_t at)
{
	return !is_blank(line.p[at - 1]) && !is_blank(line.p[at]) && !is_comment(line.p[at]);
}

/*
 * Takes what fits in `room` bytes off r->pieces, at least `least` of them, for `out`. False if
 * there is no place to cut.
 */
static bool take_piece(struct reader *r, char *out, size_t least, size_t room)
{
	size_t size = r->pieces.n;

	if (size > room) {
		size = room;
		while (size > least && !may_cut(r->pieces, size))
			size--;
	}
	if (size < least || (size < r->pieces.n && !may_cut(r->pieces, size)))
		return false;
	memcpy(out, r->pieces.p, size);
	out[size] = '\0';
	r->pieces = str_skip(r->pieces, size);
	return true;
}

/* Gives the entry up; inih gets an empty line. */
static void drop_entry(struct reader *r, char *out)
{
	r->pieces = (struct str){"", 0};
	r->in_entry = false;
	*out = '\0';
}

static void report_no_cut(struct reader *r, size_t room)
{
	(void)diag_error(r->diags, STATUS_BAD_DATA, here(r),
	                 "the value is longer than %zu bytes and cannot be cut", room);
}

/* Begins an entry: its first piece holds the key, as inih splits it, and a byte of the value. */
static void begin_entry(struct reader *r, struct str line, char *out, size_t room)
{
	size_t separator = find_separator(line);
	size_t least = separator + 2 < line.n ? separator + 2 : line.n;

	r->pieces = line;
	r->in_entry = true;
	r->handled = false;
	text_clear(&r->entry);
	if (separator == line.n) {
		text_add(&r->entry, line); /* for the message that end_entry() will give */
		r->pieces = (struct str){"", 0};
		return;
	}
	r->separator = line.p[separator];
	if (least <= room && take_piece(r, out, least, room))
		return;
	if (least <= room)
		report_no_cut(r, room);
	else
		(void)diag_error(r->diags, STATUS_BAD_DATA, here(r),
		                 "key \"%.*s...\" is %zu bytes, expected at most %zu",
		                 STR_ARG(shown(line)), separator, room - 2);
	drop_entry(r, out);
}

/* The next piece of a long line: a leading blank makes it a continuation. */
static void continue_entry(struct reader *r, char *out, size_t room)
{
	r->handled = false;
	out[0] = ' ';
	if (take_piece(r, out + 1, 1, room - 1))
		return;
	report_no_cut(r, room - 1);
	drop_entry(r, out);
}

/* inih's reader: writes a line of at most room - 1 bytes to `out`; NULL at the end. */
static char *read_line(char *out, int room, void *context)
{
	struct reader *r = context;
	struct str line;

	out[0] = '\0';
	if (r->pieces.n > 0) {
		continue_entry(r, out, (size_t)room - 1);
		return out;
	}
	if (r->status == STATUS_OK)
		r->status = end_entry(r);
	if (r->status != STATUS_OK || r->rest.n == 0)
		return NULL;
	line = next_line(r);
	if (str_find(line, '\0') < line.n) {
		(void)diag_error(r->diags, STATUS_BAD_DATA, here(r),
		                 "the line holds a NUL byte; expected text");
		return out;
	}
	line = without_comment(line);
	if (line.n > 0 && line.p[0] == '[') {
		r->status = open_section(r, line);
		memcpy(out, "[s]", sizeof("[s]")); /* inih need not know which */
	} else if (line.n > 0) {
		begin_entry(r, line, out, (size_t)room - 1);
	}
	return out;
}

/* inih's handler: called for the first piece of an entry and for each further one. */
static int entry_found(void *context, const char *section, const char *name, const char *value)
{
	struct reader *r = context;

	(void)section;
	if (r->in_entry) {
		if (r->entry.length == 0) {
			text_puts(&r->entry, name);
			text_char(&r->entry, r->separator);
		}
		text_puts(&r->entry, value);
		r->handled = true;
	}
	return 1;
}

/* Moves what was found to the arena. */
static enum status keep(const struct reader *r, struct ini_file *file)
{
	struct ini_entry *entries = NULL;

	*file = (struct ini_file){.name = r->file, .section_count = r->section_count};
	if (r->section_count == 0)
		return STATUS_OK;
	file->sections = arena_alloc(r->arena, r->section_count * sizeof(*file->sections));
	if (!file->sections)
		return STATUS_NO_MEM;
	if (r->entry_count > 0) {
		entries = arena_alloc(r->arena, r->entry_count * sizeof(*entries));
		if (!entries)
			return STATUS_NO_MEM;
		memcpy(entries, r->entries, r->entry_count * sizeof(*entries));
	}
	for (size_t i = 0; i < r->section_count; i++) {
		size_t first = r->sections[i].first_entry;
		size_t end =
		        i + 1 < r->section_count ? r->sections[i + 1].first_entry : r->entry_count;

		file->sections[i] =
		        (struct ini_section){r->sections[i].name, r->sections[i].line,
		                             end > first ? entries + first : NULL, end - first};
	}
	return STATUS_OK;
}

static enum status load(struct reader *r, struct ini_file *file)
{
	(void)ini_parse_stream(read_line, r, entry_found, r);
	if (r->status == STATUS_OK)
		r->status = keep(r, file);
	text_fini(&r->entry);
	free(r->sections);
	free(r->entries);
	return r->status;
}

static struct reader reader_of(struct arena *arena, struct str name, struct str content,
                               struct diag_list *diags)
{
	return (struct reader){
	        .arena = arena,
	        .file = name,
	        .diags = diags,
	        .rest = content,
	        .pieces = {"", 0},
	};
}

enum status ini_load(struct arena *arena, struct str name, struct str content,
                     struct diag_list *diags, struct ini_file *file)
{
	struct reader r = reader_of(arena, name, content, diags);

	return load(&r, file);
}

enum status ini_load_either(struct arena *arena, struct str name, struct str content,
                            struct diag_list *diags, struct ini_file *file)
{
	struct reader r = reader_of(arena, name, content, diags);

	r.either = true;
	return load(&r, file);
}

const struct ini_entry *ini_section_find(const struct ini_section *section, struct str key)
{
	for (size_t i = 0; i < section->entry_count; i++) {
		if (str_eq_nocase(section->entries[i].key, key))
			return &section->entries[i];
	}
	return NULL;
}

struct str ini_unquote(struct str value)
{
	if (value.n >= 2 && (value.p[0] == '"' || value.p[0] == '\'') &&
	    value.p[value.n - 1] == value.p[0])
		return str_trim((struct str){value.p + 1, value.n - 2});
	return value;
}

struct str ini_section_value(const struct ini_section *section, struct str key)
{
	const struct ini_entry *entry = ini_section_find(section, key);

	return entry ? ini_unquote(entry->value) : (struct str){"", 0};
}
