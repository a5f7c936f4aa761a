/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An archive as a folder of files: .zip, .tar, .tar.gz, .tar.xz. In: its bytes. Out: its members by
 * name, mapped. Read with libarchive (package.c is the only file that includes it).
 *
 * Members are unpacked once, one after the other into a single file without a name, which is gone
 * with the package. No name of an archive is ever used as a path. What an archive may hold is
 * bounded: see struct package_limits. Links, special files, names that lead out of the archive and
 * second members of a name are reported and left out.
 */
#ifndef CSREPLAY_SNAPSHOT_FILE_PACKAGE_H
#define CSREPLAY_SNAPSHOT_FILE_PACKAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text.h"

struct package;

struct package_limits {
	uint64_t bytes; /* of all members together, unpacked */
	size_t members; /* folders and what is left out too */
};

/* True if the file begins as an archive of a kind that package_open() reads, whatever its name. */
bool package_is_archive(struct bytes file);

/*
 * Unpacks `archive`, called `name` in messages; the bytes are not needed afterwards. What is
 * damaged is reported, and what is whole in spite of it is there. Fails with BAD_DATA if nothing
 * can be read, UNSUPPORTED beyond `limits` (NULL: 8 GiB, 10000 members), IO without room; one
 * error in `diags`. The caller closes it; NULL is fine there.
 */
MUST_USE enum status package_open(struct bytes archive, struct str name,
                                  const struct package_limits *limits, struct diag_list *diags,
                                  struct package **package);
void package_close(struct package *package);

size_t package_count(const struct package *package);

/* The name of a member: parts joined by "/", none of them empty, "." or "..". */
struct str package_member(const struct package *package, size_t index);

/* Index of the member called `name`, or package_count(). */
size_t package_find(const struct package *package, struct str name);

/* Maps a member, anew with each call; it may outlive the package. IO, diagnosed at `place`. */
MUST_USE enum status package_map(const struct package *package, size_t index, struct place place,
                                 struct diag_list *diags, struct file_map *map);

/*
 * Appends to `out` the member's name that `name`, as written in folder `folder` ("" is the archive
 * itself), stands for: without "." and "..". False if it leads out of the archive.
 */
bool package_resolve(struct str folder, struct str name, struct text *out);

#endif
