/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sections of an ELF file by name, as libelf reads them from memory (elf_sections.c and
 * snapshot/elf_image.c are the files that include it). In: bytes of a file. Out: bytes of sections,
 * decompressed.
 */
#ifndef CSREPLAY_SNAPSHOT_LINE_TABLE_ELF_SECTIONS_H
#define CSREPLAY_SNAPSHOT_LINE_TABLE_ELF_SECTIONS_H

#include <stdbool.h>

#include "base/bytes.h"
#include "base/str.h"

struct elf_sections;

/* Of `file`, which outlives it. NULL if it is no ELF file with names of sections, or without
 * memory. */
struct elf_sections *elf_sections_open(struct bytes file);
void elf_sections_close(struct elf_sections *sections); /* NULL is fine */

bool elf_sections_are_big_endian(const struct elf_sections *sections);

/*
 * The first section called `name`, valid until elf_sections_close(): as it is in memory, whether it
 * is compressed as gABI says or, as ".zdebug", as GNU tools once did. Empty if it is not there,
 * holds nothing in the file, or cannot be decompressed.
 */
struct bytes elf_sections_get(struct elf_sections *sections, struct str name);

/* The name of section `number`; empty if it has none. */
struct str elf_sections_name(const struct elf_sections *sections, size_t number);

/* True if it has a section of this name that is in memory when it is loaded (SHF_ALLOC). */
bool elf_sections_has_memory(struct elf_sections *sections, struct str name);

/* Where the first such section was linked, and its bytes in memory. False if there is none. */
bool elf_sections_place(struct elf_sections *sections, struct str name, uint64_t *address,
                        uint64_t *size);

/* NT_GNU_BUILD_ID of its SHT_NOTE sections; empty if there is none. */
struct bytes elf_sections_build_id(struct elf_sections *sections);

#endif
