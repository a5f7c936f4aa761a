/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of a snapshot: names as the snapshot writes them to mapped bytes. A name may not lead
 * out of the snapshot's folder, neither by itself nor through a symbolic link, unless the user
 * allows it. A file that is named often is mapped once.
 *
 * The folder may be one in an archive; then the path of a file is ARCHIVE/MEMBER.
 */
#ifndef CSREPLAY_SNAPSHOT_FILE_FILES_H
#define CSREPLAY_SNAPSHOT_FILE_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/status.h"
#include "base/str.h"
#include "snapshot/file/package.h"

struct snap_file {
	struct str path; /* absolute, NUL-terminated, without symbolic links */
	struct file_map map;
};

struct snap_files {
	struct arena *arena;
	struct str folder;       /* absolute, without symbolic links; the archive if there is one */
	struct package *package; /* the archive, or NULL */
	struct str package_folder; /* where in it the snapshot is; empty: not in a folder */
	bool allow_outside;
	struct snap_file *items;
	size_t count;
	size_t capacity;
	struct file_map *joined; /* what snap_files_join() made */
	size_t joined_count;
	size_t joined_capacity;
};

/*
 * Maps the file called `name`, or finds it mapped. The bytes are valid until snap_files_fini();
 * `path`, if not NULL, gets where it is. One error in `diags` at `place` if it cannot be had.
 */
MUST_USE enum status snap_files_map(struct snap_files *files, struct str name, struct place place,
                                    struct diag_list *diags, struct bytes *bytes, struct str *path);

/*
 * The files of the comma-separated list `names`, one after the other, as one piece of memory.
 * Files are mapped, and copied only where one does not begin at a page of the whole.
 */
MUST_USE enum status snap_files_join(struct snap_files *files, struct str names, struct place place,
                                     struct diag_list *diags, struct bytes *bytes);

/* True if there is something at `path` and symbolic links do not lead it out of `folder`. */
bool snap_files_is_inside(struct str folder, const char *path);

void snap_files_fini(struct snap_files *files);

#endif
