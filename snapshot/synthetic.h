/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A snapshot that is not read from snapshot files: the caller says which cores there are and what
 * code is known; memory is that and the images of --image. Made for traces that stand alone.
 */
#ifndef CSREPLAY_SNAPSHOT_SYNTHETIC_H
#define CSREPLAY_SNAPSHOT_SYNTHETIC_H

#include "snapshot/snapshot.h"

struct synthetic_core {
	struct str name;
	struct str type;
	enum core_arch arch;
	/* Before the images in the core's memory map; their data must outlive the snapshot. */
	const struct mem_region *regions;
	size_t region_count;
};

struct synthetic_snapshot {
	const char *path; /* of what it is made of, as the user named it */
	struct str description;
	const struct synthetic_core *cores;
	size_t core_count;
};

/*
 * Opens the images too; one that cannot be had goes to `diags` and is left out. Everything but the
 * regions' data is copied. NO_MEM is the one failure. snapshot_destroy() frees it.
 */
MUST_USE enum status snapshot_make(const struct synthetic_snapshot *made,
                                   const struct snapshot_options *options, struct diag_list *diags,
                                   struct snapshot **snapshot);

#endif
