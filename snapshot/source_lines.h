/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source lines of code, from the line tables of ELF images (DWARF 5, 6.2), read with libdw
 * (source_lines.c is the only file that includes it). In: images. Out: file and line of an address.
 *
 * An image without debug information has that of a file with its build ID: IMAGE.debug,
 * .build-id/xx/yyyy.debug beside it or under /usr/lib/debug, or the file that its .gnu_debuglink
 * names, beside it, in .debug beside it, or under /usr/lib/debug. One without build ID has none.
 */
#ifndef CSREPLAY_SNAPSHOT_SOURCE_LINES_H
#define CSREPLAY_SNAPSHOT_SOURCE_LINES_H

#include "snapshot/elf_image.h"

struct source_lines;

struct source_line {
	const char *file; /* without its folder; valid until source_lines_close() */
	int line;
};

/* The images outlive it. NULL without memory. */
struct source_lines *source_lines_open(struct elf_image *const *images, size_t count);
void source_lines_close(struct source_lines *lines); /* NULL is fine */

/* False if no image says it; NULL as `lines` is none. */
bool source_lines_find(const struct source_lines *lines, uint64_t address,
                       struct source_line *found);

#endif
