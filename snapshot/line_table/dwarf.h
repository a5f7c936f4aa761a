/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers and strings of DWARF sections, through a bounded cursor (DWARF 5, 7.4 to 7.6). A reader
 * that fails does not move the cursor.
 */
#ifndef CSREPLAY_SNAPSHOT_LINE_TABLE_DWARF_H
#define CSREPLAY_SNAPSHOT_LINE_TABLE_DWARF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"

/* 1 to 8 bytes in the file's order. */
MUST_USE enum status dwarf_number(struct bytes *b, bool is_big_endian, unsigned int size,
                                  uint64_t *value);

/* LEB128; bits beyond 64 are lost. */
MUST_USE enum status dwarf_leb(struct bytes *b, bool is_signed, uint64_t *value);

/* The string at the cursor, which ends there with its NUL. */
MUST_USE enum status dwarf_string(struct bytes *b, const char **string);

/* The length of a unit, and whether offsets in it have 8 bytes; then the unit itself. */
MUST_USE enum status dwarf_unit(struct bytes *b, bool is_big_endian, bool *is_64bit,
                                struct bytes *unit);

/* A block: its length, of `size_bytes`, 0 for LEB128, and so many bytes. */
MUST_USE enum status dwarf_block(struct bytes *b, bool is_big_endian, unsigned int size_bytes,
                                 struct bytes *block);

#endif
