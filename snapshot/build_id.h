/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Build IDs of images against those that the snapshot has in memory. In: a loaded snapshot. Out: a
 * warning for each image that is another build; none where there is nothing to compare.
 */
#ifndef CSREPLAY_SNAPSHOT_BUILD_ID_H
#define CSREPLAY_SNAPSHOT_BUILD_ID_H

#include "base/diag.h"
#include "snapshot/snapshot.h"

/*
 * Of an image: held against the notes that a core's dump has where the image has its own, and
 * against that of a mapped file of a core file that lies in one of its segments.
 */
void build_id_check(const struct snapshot *snapshot, const struct elf_image *image,
                    struct diag_list *diags);

#endif
