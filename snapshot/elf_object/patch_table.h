/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code that a Linux kernel writes over itself, by the tables of vmlinux and of modules that say
 * where: alternatives of instructions, static keys, entries of functions that are traced. In: the
 * name of a table's section, an entry. Out: which bytes may not be what the file has.
 */
#ifndef CSREPLAY_SNAPSHOT_ELF_OBJECT_PATCH_TABLE_H
#define CSREPLAY_SNAPSHOT_ELF_OBJECT_PATCH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum patch_length {
	PATCH_LENGTH_BYTE_10,     /* in the entry, at byte 10 */
	PATCH_LENGTH_INSTRUCTION, /* one, of 4 bytes */
	PATCH_LENGTH_NOPS,        /* what of NOP and BTI is there; at least one instruction */
};

struct patch_table {
	const char *section;
	unsigned int bits; /* of the ELF file */
	size_t entry;      /* bytes */
	bool is_relative;  /* the address is 32 bits, relative to the place of the entry */
	enum patch_length length;
};

/* Tables of vmlinux that are no section, but lie between two symbols. */
enum { PATCH_BOUNDED = 2 };
extern const struct patch_bounded {
	const char *section; /* that a module has */
	const char *begin;
	const char *end;
} patch_bounded[PATCH_BOUNDED];

/* NULL if the section is none. */
const struct patch_table *patch_table_of(struct str section, bool is_64bit);

/* The address in an entry of a linked file; `place` is the entry's own. 0: there is none. */
uint64_t patch_table_address(const struct patch_table *table, const uint8_t *entry, uint64_t place);

/*
 * How many bytes are written over at most; `code`: `size` bytes that the file has at the address.
 */
size_t patch_table_length(const struct patch_table *table, const uint8_t *entry,
                          const uint8_t *code, size_t size);

#endif
