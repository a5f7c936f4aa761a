/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel module's file as an image: where its sections lie, as the kernel in memory says. In: a
 * snapshot with vmlinux among its images, the module's file. Out: the image that it is.
 */
#ifndef CSREPLAY_SNAPSHOT_LINUX_KERNEL_MODULE_IMAGE_H
#define CSREPLAY_SNAPSHOT_LINUX_KERNEL_MODULE_IMAGE_H

#include "base/arena.h"
#include "snapshot/snapshot.h"

/*
 * Fills `image` with the addresses of those sections that the file has. What it points to is in
 * `arena`. An error in `diags`, and its status, if the module's file cannot be read, if there is no
 * vmlinux, or if the kernel's list does not say where it lies.
 */
MUST_USE enum status module_image_place(const struct snapshot *snapshot, struct str path,
                                        struct arena *arena, struct diag_list *diags,
                                        struct image_option *image);

#endif
