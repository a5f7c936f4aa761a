/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a SNAPSHOT argument stands for. In: a path. Out: the folder or archive in which everything
 * else is looked for, and whether it is a snapshot (snapshot.ini; format 1.0, section 3.1) or a
 * trace package (contents.ini; trace metadata, section 6.4). Where both are there, it is a
 * snapshot.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "snapshot/load.h"

static const char *const heads[] = {SNAPSHOT_HEAD, PACKAGE_HEAD};

enum { HEAD_COUNT = sizeof(heads) / sizeof(heads[0]) };

/* True with what is before the last "/", if what is after it is a head file's name. */
static bool is_head(struct str name, struct str *folder)
{
	for (size_t i = 0; i < HEAD_COUNT; i++) {
		struct str head = str_of(heads[i]);

		if (!str_has_suffix_nocase(name, head))
			continue;
		*folder = (struct str){name.p, name.n - head.n};
		if (folder->n == 0 || folder->p[folder->n - 1] == '/')
			return true;
	}
	return false;
}

static size_t depth_of(struct str name)
{
	size_t depth = 0;

	for (size_t i = 0; i < name.n; i++)
		depth += name.p[i] == '/';
	return depth;
}

/* The folder of the archive that the snapshot is in: the highest with a head file. */
static enum status find_in_archive(struct loader *loader)
{
	const struct package *package = loader->files->package;
	struct str first = {"", 0};
	struct str rival = {"", 0}; /* in another folder as high as that of `first` */
	struct str folder;
	struct str found = {"", 0};

	for (size_t i = 0; i < package_count(package); i++) {
		struct str name = package_member(package, i);

		if (!is_head(name, &folder))
			continue;
		if (first.n == 0 || depth_of(name) < depth_of(first)) {
			first = name;
			found = folder;
			rival.n = 0;
		} else if (depth_of(name) == depth_of(first) && !str_eq(folder, found)) {
			rival = name;
		}
	}
	if (first.n == 0)
		return diag_error(
		        loader->diags, STATUS_NOT_FOUND, place_file(loader->snapshot->path),
		        "the archive holds neither a " SNAPSHOT_HEAD " nor a " PACKAGE_HEAD);
	if (rival.n > 0)
		return diag_error(loader->diags, STATUS_BAD_DATA,
		                  place_file(loader->snapshot->path),
		                  "the archive holds several snapshots, such as \"%.*s\" and "
		                  "\"%.*s\"; expected one",
		                  STR_ARG(first), STR_ARG(rival));
	loader->files->package_folder = found;
	return STATUS_OK;
}

/* Sets the folder or archive, as the user calls it and as the system does. */
static enum status set_folder(struct loader *loader, struct str name)
{
	char *real;

	loader->snapshot->path = arena_str(loader->arena, name);
	if (!loader->snapshot->path.p)
		return STATUS_NO_MEM;
	real = realpath(name.n > 0 ? loader->snapshot->path.p : ".", NULL);
	if (real)
		loader->files->folder = arena_str(loader->arena, str_of(real));
	free(real);
	return loader->files->folder.p ? STATUS_OK : STATUS_NO_MEM;
}

/* Unpacks the file if it is an archive. */
static enum status open_archive(struct loader *loader, const char *path)
{
	struct snap_files *files = loader->files;
	struct file_map map;
	enum status status;

	TRY(file_map_open(path, place_none(), loader->diags, &map));
	if (package_is_archive(file_map_bytes(&map)))
		status = package_open(file_map_bytes(&map), str_of(path), NULL, loader->diags,
		                      &files->package);
	else
		status = diag_error(
		        loader->diags, STATUS_BAD_DATA, place_none(),
		        "\"%s\" is a file, expected a folder, an archive, a " SNAPSHOT_HEAD
		        " or a " PACKAGE_HEAD,
		        path);
	file_map_close(&map);
	TRY(status);
	TRY(set_folder(loader, str_of(path)));
	return find_in_archive(loader);
}

bool load_has_file(const struct loader *loader, const char *name)
{
	const struct snap_files *files = loader->files;
	struct text path = {0};
	bool found;

	if (files->package) {
		text_add(&path, files->package_folder);
		text_puts(&path, name);
		found = package_find(files->package, text_str(&path)) <
		        package_count(files->package);
	} else {
		text_add(&path, files->folder);
		text_char(&path, '/');
		text_puts(&path, name);
		found = !path.failed && access(path.data, F_OK) == 0;
	}
	text_fini(&path);
	return found;
}

enum status load_is_elf(const char *path, bool *is_elf)
{
	struct diag_list unheard = {0};
	struct file_map map = {0};
	struct stat info;
	enum status status = STATUS_NOT_FOUND;

	if (stat(path, &info) == 0 && S_ISREG(info.st_mode))
		status = file_map_open(path, place_none(), &unheard, &map);
	*is_elf = status == STATUS_OK && elf_image_is_elf(file_map_bytes(&map));
	if (status == STATUS_OK)
		file_map_close(&map);
	diag_list_fini(&unheard);
	return status == STATUS_NO_MEM ? status : STATUS_OK;
}

enum status load_locate(struct loader *loader, const char *path)
{
	struct stat info;
	struct str folder;

	if (stat(path, &info) != 0)
		return diag_error(loader->diags, errno == ENOENT ? STATUS_NOT_FOUND : STATUS_IO,
		                  place_none(), "cannot open \"%s\": %s", path, strerror(errno));
	if (S_ISDIR(info.st_mode))
		TRY(set_folder(loader, str_of(path)));
	else if (is_head(str_of(path), &folder))
		TRY(set_folder(loader, folder.n > 0 ? folder : STR(".")));
	else
		TRY(open_archive(loader, path));
	loader->snapshot->is_trace_package =
	        load_has_file(loader, PACKAGE_HEAD) && !load_has_file(loader, SNAPSHOT_HEAD);
	return STATUS_OK;
}
