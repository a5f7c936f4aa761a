/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source lines of code, from the line tables of ELF images (snapshot/line_table/). In: images. Out:
 * file and line of an address.
 *
 * An object's are where its sections lie. An image without a line table has that of a file with its
 * build ID: IMAGE.debug or .build-id/xx/yyyy.debug beside it, or the file that its .gnu_debuglink
 * names, beside it or in .debug beside it; the same in the user's folder for debug files (gdb's
 * debug-file-directory). One without build ID has none. No other file is opened, whatever an image
 * says, and none beside it that is a link out of its folder.
 */
#ifndef CSREPLAY_SNAPSHOT_SOURCE_LINES_H
#define CSREPLAY_SNAPSHOT_SOURCE_LINES_H

#include "snapshot/elf_image.h"
#include "snapshot/line_table/line_table.h"

struct source_lines;
struct elf_sections; /* snapshot/line_table/elf_sections.h */

/* The images and `debug_folder` (may be empty) outlive it. NULL without memory. */
struct source_lines *source_lines_open(struct elf_image *const *images, size_t count,
                                       struct str debug_folder);
void source_lines_close(struct source_lines *lines); /* NULL is fine */

/* False if no image says it; `lines` may be NULL. found->file is valid until
 * source_lines_close(). */
bool source_lines_find(const struct source_lines *lines, uint64_t address,
                       struct source_line *found);

/* line_table_visit() of all images, with their addresses; `lines` may be NULL. */
void source_lines_visit(const struct source_lines *lines, struct str file, line_visit *visit,
                        void *context);

/*
 * The files that lines are from, 0 to source_lines_count() - 1: sections, and what memory has an
 * address at less what the file says. NULL of one that is not there, and of an object, whose
 * sections are relative to where it lies. `lines` may be NULL.
 */
size_t source_lines_count(const struct source_lines *lines);
struct elf_sections *source_lines_file(const struct source_lines *lines, size_t i, uint64_t *bias);

#endif
