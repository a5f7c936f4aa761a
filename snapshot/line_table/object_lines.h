/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The line table of an AArch64 object (a kernel module), whose addresses are relative to its
 * sections. In: the image as it is placed, its sections. Out: .debug_line with the addresses where
 * they lie.
 */
#ifndef CSREPLAY_SNAPSHOT_LINE_TABLE_OBJECT_LINES_H
#define CSREPLAY_SNAPSHOT_LINE_TABLE_OBJECT_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "snapshot/line_table/elf_sections.h"

/*
 * `addresses` are those of sections by number, 0 of one that is not placed.
 *
 * A copy of .debug_line, relocated, for the caller to free; its size is *size. An address in a
 * section that is not placed is the last there is, from which no lines go up. NULL if there are no
 * lines, relocations are damaged, or without memory.
 */
MUST_USE uint8_t *object_lines_make(struct elf_sections *sections, const uint64_t *addresses,
                                    size_t count, size_t *size);

#endif
