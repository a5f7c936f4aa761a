/* SPDX-License-Identifier: Apache-2.0 */
/* Names to mapped files, and several files as one (POSIX realpath, mmap; Linux mremap). */
#include "snapshot/file/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"
#include "base/vec.h"

static enum status outside(struct str name, struct place place, struct diag_list *diags)
{
	return diag_error(diags, STATUS_BAD_DATA, place,
	                  "\"%.*s\" leaves the snapshot's folder; see --allow-outside",
	                  STR_ARG(name));
}

/* True if the name is absolute or goes up further than it came down. */
static bool leads_outside(struct str name)
{
	struct str rest = name;
	size_t depth = 0;

	if (str_has_prefix(name, STR("/")))
		return true;
	while (rest.p) {
		struct str part = str_next_part(&rest, '/');

		if (str_eq(part, STR(".."))) {
			if (depth == 0)
				return true;
			depth--;
		} else if (part.n > 0 && !str_eq(part, STR("."))) {
			depth++;
		}
	}
	return false;
}

static bool is_inside(struct str folder, struct str path)
{
	if (str_eq(folder, STR("/")) || str_eq(folder, path))
		return true;
	return str_has_prefix(path, folder) && path.n > folder.n && path.p[folder.n] == '/';
}

bool snap_files_is_inside(struct str folder, const char *path)
{
	char *copy = strndup(folder.p, folder.n);
	char *real_folder = copy ? realpath(copy, NULL) : NULL;
	char *real = realpath(path, NULL);
	bool inside = real_folder && real && is_inside(str_of(real_folder), str_of(real));

	free(copy);
	free(real_folder);
	free(real);
	return inside;
}

/* The path of a member: ARCHIVE/MEMBER, in the arena. */
static enum status resolve_member(struct snap_files *files, struct str name, struct place place,
                                  struct diag_list *diags, struct str *path)
{
	struct text member = {0};
	struct text joined = {0};
	enum status status = STATUS_OK;

	if (!package_resolve(files->package_folder, name, &member))
		status = diag_error(diags, STATUS_BAD_DATA, place, "\"%.*s\" leaves the archive",
		                    STR_ARG(name));
	else if (package_find(files->package, text_str(&member)) == package_count(files->package))
		status = diag_error(diags, STATUS_NOT_FOUND, place,
		                    "cannot open \"%.*s\": the archive has no member \"%.*s\"",
		                    STR_ARG(name), STR_ARG(text_str(&member)));
	text_add(&joined, files->folder);
	text_char(&joined, '/');
	text_add(&joined, text_str(&member));
	if (status == STATUS_OK) {
		*path = arena_str(files->arena, text_str(&joined));
		status = member.failed || joined.failed || !path->p ? STATUS_NO_MEM : STATUS_OK;
	}
	text_fini(&member);
	text_fini(&joined);
	return status;
}

/* The absolute path of `name`, in the arena. */
static enum status resolve(struct snap_files *files, struct str name, struct place place,
                           struct diag_list *diags, struct str *path)
{
	struct text joined = {0};
	char *real;
	int error;

	if (name.n == 0)
		return diag_error(diags, STATUS_BAD_DATA, place, "the name of a file is empty");
	if (!files->allow_outside && leads_outside(name))
		return outside(name, place, diags);
	if (files->package && !str_has_prefix(name, STR("/")))
		return resolve_member(files, name, place, diags, path);
	if (!str_has_prefix(name, STR("/"))) {
		text_add(&joined, files->folder);
		text_char(&joined, '/');
	}
	text_add(&joined, name);
	real = joined.failed ? NULL : realpath(joined.data, NULL);
	error = joined.failed ? ENOMEM : errno;
	text_fini(&joined);
	if (!real && error == ENOMEM)
		return STATUS_NO_MEM;
	if (!real)
		return diag_error(diags, error == ENOENT ? STATUS_NOT_FOUND : STATUS_IO, place,
		                  "cannot open \"%.*s\": %s", STR_ARG(name), strerror(error));
	*path = arena_str(files->arena, str_of(real));
	free(real);
	if (!path->p)
		return STATUS_NO_MEM;
	if (!files->allow_outside && !is_inside(files->folder, *path))
		return outside(name, place, diags);
	return STATUS_OK;
}

/* Maps the file at a path that resolve() gave. */
static enum status map_path(const struct snap_files *files, struct str path, struct place place,
                            struct diag_list *diags, struct file_map *map)
{
	if (!files->package || !is_inside(files->folder, path))
		return file_map_open(path.p, place, diags, map);
	return package_map(files->package,
	                   package_find(files->package, str_skip(path, files->folder.n + 1)), place,
	                   diags, map);
}

enum status snap_files_map(struct snap_files *files, struct str name, struct place place,
                           struct diag_list *diags, struct bytes *bytes, struct str *path)
{
	struct snap_file file = {0};

	TRY(resolve(files, name, place, diags, &file.path));
	if (path)
		*path = file.path;
	for (size_t i = 0; i < files->count; i++) {
		if (!str_eq(files->items[i].path, file.path))
			continue;
		*bytes = file_map_bytes(&files->items[i].map);
		return STATUS_OK;
	}
	TRY(vec_reserve((void **)&files->items, &files->capacity, files->count + 1,
	                sizeof(*files->items)));
	TRY(map_path(files, file.path, place, diags, &file.map));
	files->items[files->count++] = file;
	*bytes = file_map_bytes(&file.map);
	return STATUS_OK;
}

/*
 * Puts the file's mapping at `at`, which lies in a reserved range: whole pages are moved there if
 * they can lie there, the rest is copied. The last file may keep its last, partial page.
 */
static enum status place_file_map(struct file_map *map, uint8_t *at, bool is_last,
                                  struct file_map *whole)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const uint8_t *from = map->data;
	size_t moved = 0;

	if ((uintptr_t)at % page == 0) {
		moved = is_last ? map->size : map->size / page * page;
		/* MREMAP_FIXED wants pages of its own: the tail stays after and is copied. */
		if (moved > 0 && mremap(map->data, moved, moved, MREMAP_MAYMOVE | MREMAP_FIXED,
		                        at) == MAP_FAILED)
			return STATUS_NO_MEM;
	}
	if (map->size > moved)
		memcpy(at + moved, from + moved, map->size - moved);
	if (map->size > moved)
		(void)munmap((uint8_t *)map->data + moved, map->size - moved);
	file_map_join(whole, map);
	return STATUS_OK;
}

/* Opens each file of the list into `maps`; the sum of their sizes. */
static enum status open_parts(struct snap_files *files, struct str names, struct place place,
                              struct diag_list *diags, struct file_map *maps, size_t *total)
{
	size_t sum = 0;

	for (size_t i = 0; names.p; i++) {
		struct str path = {"", 0};

		TRY(resolve(files, str_next_part(&names, ','), place, diags, &path));
		TRY(map_path(files, path, place, diags, &maps[i]));
		if (maps[i].size > SIZE_MAX / 2 - sum)
			return diag_error(diags, STATUS_NO_MEM, place,
			                  "the files are too large together");
		sum += maps[i].size;
	}
	*total = sum;
	return STATUS_OK;
}

static enum status join_parts(struct file_map *maps, size_t count, struct file_map *whole)
{
	size_t at = 0;

	whole->data = mmap(NULL, whole->size, PROT_READ | PROT_WRITE,
	                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (whole->data == MAP_FAILED) {
		*whole = (struct file_map){0};
		return STATUS_NO_MEM;
	}
	for (size_t i = 0; i < count; i++) {
		size_t size = maps[i].size;

		if (size > 0)
			TRY(place_file_map(&maps[i], (uint8_t *)whole->data + at,
			                   at + size == whole->size, whole));
		at += size;
	}
	(void)mprotect(whole->data, whole->size, PROT_READ);
	return STATUS_OK;
}

static enum status join(struct snap_files *files, struct str names, struct place place,
                        struct diag_list *diags, size_t count, struct bytes *bytes)
{
	struct file_map *maps = calloc(count, sizeof(*maps));
	struct file_map *whole;
	enum status status;

	if (!maps)
		return STATUS_NO_MEM;
	status = vec_reserve((void **)&files->joined, &files->joined_capacity,
	                     files->joined_count + 1, sizeof(*files->joined));
	if (status != STATUS_OK)
		goto out;
	whole = &files->joined[files->joined_count];
	*whole = (struct file_map){0};
	status = open_parts(files, names, place, diags, maps, &whole->size);
	if (status != STATUS_OK)
		goto out;
	if (whole->size > 0)
		status = join_parts(maps, count, whole);
	files->joined_count++;
	*bytes = file_map_bytes(whole);
out:
	for (size_t i = 0; i < count; i++)
		file_map_close(&maps[i]);
	free(maps);
	return status;
}

enum status snap_files_join(struct snap_files *files, struct str names, struct place place,
                            struct diag_list *diags, struct bytes *bytes)
{
	struct str rest = names;
	size_t count = 0;

	while (rest.p) {
		(void)str_next_part(&rest, ',');
		count++;
	}
	if (count <= 1)
		return snap_files_map(files, str_trim(names), place, diags, bytes, NULL);
	return join(files, names, place, diags, count, bytes);
}

void snap_files_fini(struct snap_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		file_map_close(&files->items[i].map);
	for (size_t i = 0; i < files->joined_count; i++)
		file_map_close(&files->joined[i]);
	package_close(files->package);
	free(files->items);
	free(files->joined);
	*files = (struct snap_files){0};
}
