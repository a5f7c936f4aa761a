/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files as memory, read-only. A small file is copied: whatever becomes of it, its bytes stay. A
 * large one, or one more than FILE_COPIES_MOST allows, is mapped and watched (file_watch.h): what
 * is read of it after it changed may be anything, and must not be shown.
 */
#ifndef CSREPLAY_BASE_FILE_H
#define CSREPLAY_BASE_FILE_H

#include <stddef.h>

#include "base/bytes.h"
#include "base/diag.h"
#include "base/file_watch.h"
#include "base/status.h"

enum {
	FILE_COPY_MOST = 1 << 20,   /* bytes of a file that is copied */
	FILE_COPIES_MOST = 4 << 20, /* of all that are copied at a time */
};

struct file_map {
	void *data;               /* read-only pages; NULL if size is 0 */
	size_t size;              /* bytes */
	size_t copied;            /* of them; the others are those of a file that is watched */
	struct file_watch *watch; /* of that, or NULL */
};

/*
 * Maps the regular file at `path` (NUL-terminated). NOT_FOUND if there is none, IO if it is
 * something else, cannot be opened or changes meanwhile; `diags` gets one error naming `shown_at`
 * as its place.
 */
MUST_USE enum status file_map_open(const char *path, struct place shown_at, struct diag_list *diags,
                                   struct file_map *map);
void file_map_close(struct file_map *map); /* a zeroed map is fine */

/*
 * Descriptor of a file on disk that has no name, to read and write, in the folder that TMPDIR names
 * or in /var/tmp: nobody else can open it, and it is gone when nothing uses it any more. -1 where
 * there can be none.
 */
int file_open_nameless(void);

/* The pages of `part` were moved into `whole`, which is closed in its place. */
void file_map_join(struct file_map *whole, struct file_map *part);

/*
 * Pages of a mapped file that will not be needed soon: they count as memory of this process no
 * more, and come back when they are read. Only for the mapping of a file, which these bytes are a
 * part of; a page that lies there in part stays.
 */
void file_forget(struct bytes bytes);

static inline struct bytes file_map_bytes(const struct file_map *map)
{
	return bytes_of(map->data, map->size);
}

#endif
