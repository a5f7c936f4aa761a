/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files as memory: mapped read-only, never read into a copy. A file that is cut while it is mapped
 * is outside what csreplay defends against, as with every debugger that maps its inputs.
 */
#ifndef CSREPLAY_BASE_FILE_H
#define CSREPLAY_BASE_FILE_H

#include <stddef.h>

#include "base/bytes.h"
#include "base/diag.h"
#include "base/status.h"

struct file_map {
	void *data;  /* read-only pages; NULL if size is 0 */
	size_t size; /* bytes */
};

/*
 * Maps the regular file at `path` (NUL-terminated). NOT_FOUND if there is none, IO if it is
 * something else or cannot be opened; `diags` gets one error naming `shown_at` as its place.
 */
MUST_USE enum status file_map_open(const char *path, struct place shown_at, struct diag_list *diags,
                                   struct file_map *map);
void file_map_close(struct file_map *map); /* a zeroed map is fine */

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
