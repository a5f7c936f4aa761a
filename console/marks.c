/* SPDX-License-Identifier: Apache-2.0 */
/* Marks and their file; see marks.h. */
#include "console/marks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "console/state_folder.h"

enum { NAME_MOST = 64, FILE_MOST = 1 << 20 };

/* FNV-1a, 64 bits. */
static uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
	const uint8_t *bytes = data;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* Of a core: its name, how much ran, where it began, and its registers at the halt. */
static uint64_t hash_core(const struct session *session, size_t core, uint64_t hash)
{
	const struct history *history = session_history(session, core);
	struct str name = session_core(session, core)->device->name;
	uint64_t length = history_length(history);
	uint64_t pc = 0;
	size_t gaps = history_gap_count(history);

	if (length > 0 && history_pc(history, 0, &pc) != STATUS_OK)
		pc = 0;
	hash = hash_bytes(hash, name.p, name.n);
	hash = hash_bytes(hash, &length, sizeof(length));
	hash = hash_bytes(hash, &gaps, sizeof(gaps));
	hash = hash_bytes(hash, &pc, sizeof(pc));
	for (unsigned int i = 0; i < session_core_registers(session, core)->trace; i++) {
		struct value value = {.size = 0};

		session_register_at(session, core, length, i, &value);
		if (value_is_known(&value))
			hash = hash_bytes(hash, value.bits, value.size);
	}
	return hash;
}

static uint64_t identity(const struct session *session)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < session_core_count(session); i++)
		hash = hash_core(session, i, hash);
	return hash;
}

static void add_file_name(const struct session *session, struct text *path)
{
	text_printf(path, "/%016" PRIx64, identity(session));
}

void marks_path(const struct session *session, struct text *path)
{
	state_folder("/marks", path);
	if (path->length > 0)
		add_file_name(session, path);
}

bool marks_is_name(struct str name)
{
	if (name.n == 0 || name.n > NAME_MOST)
		return false;
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];
		bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
		bool is_other = (c >= '0' && c <= '9') || c == '.' || c == '-';

		if (!is_letter && (i == 0 || !is_other))
			return false;
	}
	return true;
}

static enum status read_file(const char *path, struct text *content)
{
	FILE *file = fopen(path, "re");
	char part[4096];
	size_t got;
	enum status status;

	if (!file)
		return errno == ENOENT || errno == ENOTDIR ? STATUS_OK : STATUS_IO;
	while (content->length < FILE_MOST && (got = fread(part, 1, sizeof(part), file)) > 0)
		text_add(content, (struct str){part, got});
	status = ferror(file) ? STATUS_IO : text_status(content);
	(void)fclose(file);
	return status;
}

/* False if the line is no mark of a core that there is, at a position that it has. */
static bool parse_line(const struct session *session, struct str line, struct user_mark *mark)
{
	struct str rest = line;
	uint64_t core;

	mark->name = str_next_part(&rest, '\t');
	if (!marks_is_name(mark->name) ||
	    str_to_u64(str_next_part(&rest, '\t'), &core) != STATUS_OK || core == 0 ||
	    core > session_core_count(session))
		return false;
	mark->core = (size_t)core - 1;
	return str_to_u64(rest, &mark->position) == STATUS_OK &&
	       mark->position <= history_length(session_history(session, mark->core));
}

static int compare_names(struct str a, struct str b)
{
	int order = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);

	return order != 0 ? order : (a.n > b.n) - (a.n < b.n);
}

/* The mark of the name, or where it belongs. */
static size_t place_of(const struct marks *marks, struct str name)
{
	size_t i = 0;

	while (i < marks->count && compare_names(marks->all[i].name, name) < 0)
		i++;
	return i;
}

static bool is_at(const struct marks *marks, size_t i, struct str name)
{
	return i < marks->count && str_eq(marks->all[i].name, name);
}

/* Room for MARKS_MOST is made once. */
static enum status add(struct marks *marks, const struct user_mark *mark)
{
	size_t i = place_of(marks, mark->name);

	if (!is_at(marks, i, mark->name)) {
		if (marks->count == MARKS_MOST)
			return STATUS_UNSUPPORTED;
		memmove(&marks->all[i + 1], &marks->all[i],
		        (marks->count - i) * sizeof(marks->all[0]));
		marks->count++;
	}
	marks->all[i] = *mark;
	return STATUS_OK;
}

enum status marks_read(const struct session *session, struct marks *marks)
{
	struct text path = {0};
	enum status status;
	struct str rest;

	*marks = (struct marks){.all = calloc(MARKS_MOST, sizeof(marks->all[0]))};
	marks_path(session, &path);
	status = !marks->all ? STATUS_NO_MEM : text_status(&path);
	if (status == STATUS_OK)
		status = path.length == 0 ? STATUS_UNSUPPORTED : read_file(path.data, &marks->file);
	text_fini(&path);
	rest = text_str(&marks->file);
	while (status == STATUS_OK && rest.n > 0) {
		struct user_mark mark;

		if (parse_line(session, str_next_part(&rest, '\n'), &mark))
			status = add(marks, &mark);
	}
	return status;
}

void marks_fini(struct marks *marks)
{
	free(marks->all);
	text_fini(&marks->file);
	*marks = (struct marks){0};
}

const struct user_mark *marks_find(const struct marks *marks, struct str name)
{
	size_t i = place_of(marks, name);

	return is_at(marks, i, name) ? &marks->all[i] : NULL;
}

/* As another file that takes the place of the old one when it is whole. */
static enum status write_file(const char *path, const struct text *content)
{
	struct text made = {0};
	enum status status;
	FILE *file = NULL;
	int fd;

	text_printf(&made, "%s.XXXXXX", path);
	status = text_status(&made);
	if (status != STATUS_OK)
		return status;
	fd = mkstemp(made.data);
	if (fd >= 0)
		file = fdopen(fd, "w");
	if (!file) {
		status = STATUS_IO;
	} else {
		bool is_written =
		        fwrite(content->data, 1, content->length, file) == content->length;

		if (fclose(file) != 0 || !is_written || rename(made.data, path) != 0)
			status = STATUS_IO;
	}
	if (fd >= 0 && status != STATUS_OK)
		(void)unlink(made.data);
	text_fini(&made);
	return status;
}

static enum status write_marks(const struct session *session, const struct marks *marks)
{
	struct text path = {0};
	struct text content = {0};
	enum status status = state_folder_make("/marks", &path);

	add_file_name(session, &path);
	text_puts(&content, "# csreplay: name, core, position\n");
	for (size_t i = 0; i < marks->count; i++) {
		const struct user_mark *mark = &marks->all[i];

		text_add(&content, mark->name);
		text_printf(&content, "\t%zu\t%" PRIu64 "\n", mark->core + 1, mark->position);
	}
	if (status == STATUS_OK)
		status = text_status(&path);
	if (status == STATUS_OK)
		status = text_status(&content);
	if (status == STATUS_OK)
		status = write_file(path.data, &content);
	text_fini(&path);
	text_fini(&content);
	return status;
}

static void take_out(struct marks *marks, struct str name)
{
	size_t i = place_of(marks, name);

	if (!is_at(marks, i, name))
		return;
	marks->count--;
	memmove(&marks->all[i], &marks->all[i + 1], (marks->count - i) * sizeof(marks->all[0]));
}

enum status marks_set(const struct session *session, struct str name, size_t core,
                      uint64_t position)
{
	struct user_mark mark = {name, core, position};
	struct marks marks;
	enum status status;

	if (!marks_is_name(name))
		return STATUS_USAGE;
	if (core >= session_core_count(session))
		return STATUS_UNSUPPORTED;
	status = marks_read(session, &marks);
	if (status == STATUS_OK && position == UINT64_MAX)
		take_out(&marks, name);
	else if (status == STATUS_OK)
		status = add(&marks, &mark);
	if (status == STATUS_OK)
		status = write_marks(session, &marks);
	marks_fini(&marks);
	return status;
}
