/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Offsets of named members of C structures and unions, from .debug_info. In: the sections, and what
 * is wanted: the name of a structure and a path in it. Out: offset and size of each.
 *
 * The first definition of a structure counts that has one of the members that are wanted of it; of
 * one of which no member is wanted the first. A
 * bit-field is none, nor is what lies in another unit (a kernel that was optimised at link time) or
 * in another file. Of a file that lies or is damaged nothing more follows.
 */
#ifndef CSREPLAY_SNAPSHOT_TYPE_LAYOUT_TYPE_LAYOUT_H
#define CSREPLAY_SNAPSHOT_TYPE_LAYOUT_TYPE_LAYOUT_H

#include "snapshot/type_layout/debug_walk.h"

struct elf_sections; /* snapshot/line_table/elf_sections.h */

/* "module", and "mem.base": a member, of an array its first element, members without a name passed
 * through; several of them with '|' between, of which the first that is there is meant. "": all of
 * it. */
struct member_wanted {
	const char *structure;
	const char *path;
};

struct member_layout {
	bool is_found;
	uint64_t offset; /* bytes from the structure's first */
	uint64_t size;   /* bytes; 0: not said */
};

/* Those of a file, as long as it is open. */
struct debug_sections type_layout_sections(struct elf_sections *file);

/* Fills one of `found` for each of `wanted`. NO_MEM alone. */
MUST_USE enum status type_layout_find(const struct debug_sections *sections,
                                      const struct member_wanted *wanted, size_t count,
                                      struct member_layout *found);

#endif
