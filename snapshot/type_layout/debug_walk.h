/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From entry to entry of a unit: lists of children, and types behind their other names. In: a unit,
 * a cursor. Each entry that is read is one less of unit->left, so that a damaged file, in which
 * references may lead in circles, ends: BAD_DATA where none is left.
 */
#ifndef CSREPLAY_SNAPSHOT_TYPE_LAYOUT_DEBUG_WALK_H
#define CSREPLAY_SNAPSHOT_TYPE_LAYOUT_DEBUG_WALK_H

#include "snapshot/type_layout/debug_entry.h"

/* debug_entry_read(), counted. */
MUST_USE enum status debug_walk_read(struct debug_unit *unit, struct bytes *at,
                                     struct debug_entry *entry);
/* The entry at an offset; `children` comes to lie behind it. */
MUST_USE enum status debug_walk_at(struct debug_unit *unit, uint64_t offset,
                                   struct debug_entry *entry, struct bytes *children);
/* Moves behind the children of `entry`, whose list begins at `at`. */
MUST_USE enum status debug_walk_skip(struct debug_unit *unit, struct bytes *at,
                                     const struct debug_entry *entry);
/* The next child in a list; `at` comes to lie behind its own. END after the last. */
MUST_USE enum status debug_walk_next(struct debug_unit *unit, struct bytes *at,
                                     struct debug_entry *child);
/*
 * The type at an offset, without typedefs and qualifiers, and the list of its children. With
 * `is_element` an array's element instead of it. NOT_FOUND: it is void.
 */
MUST_USE enum status debug_walk_type(struct debug_unit *unit, uint64_t offset, bool is_element,
                                     struct debug_entry *type, struct bytes *children);
/* The elements of an array, whose children begin at `at`, of all its dimensions; 0: not said. */
uint64_t debug_walk_count(struct debug_unit *unit, const struct debug_entry *array,
                          struct bytes at);
/* Bytes of the type at an offset; 0: not said. */
uint64_t debug_walk_size(struct debug_unit *unit, uint64_t offset);

#endif
