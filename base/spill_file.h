/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that may be more than the machine has: up to an amount it is of the process, beyond it is
 * mapped from a file without a name, whose pages leave memory when they are not used. In: sizes.
 * Out: memory, which stays after the file is closed. For what is written once and read in parts.
 *
 * What is taken of the process are parts of slabs in huge pages (base/huge_pages.h), which all who
 * take share; a slab is freed with the last part of it.
 *
 * The file is made when it is first needed, in the folder that TMPDIR names, or in /var/tmp. Where
 * none can be made, or the disk is full, memory is of the process however much it is.
 */
#ifndef CSREPLAY_BASE_SPILL_FILE_H
#define CSREPLAY_BASE_SPILL_FILE_H

#include <stddef.h>
#include <stdint.h>

struct spill_file;

/* Up to `memory_most` bytes are of the process. NULL without memory. */
struct spill_file *spill_file_create(uint64_t memory_most);
void spill_file_destroy(struct spill_file *spill); /* NULL is fine */

struct spill_slab;

struct spill_part {
	uint8_t *bytes; /* for any type */
	size_t size;
	size_t mapped;           /* bytes of the mapping; 0: it is of the process */
	struct spill_slab *slab; /* that it is of; NULL: none */
};

/*
 * At least `least` bytes > 0, up to `most` if they are at hand. `spill` may be NULL: of the
 * process. `bytes` is NULL without memory. From any thread.
 */
struct spill_part spill_file_take(struct spill_file *spill, size_t least, size_t most);
/* The same with what `bytes` has, of malloc(), which it takes over if it is not without memory. */
struct spill_part spill_file_keep(struct spill_file *spill, void *bytes, size_t size);
/* The disk has its blocks back when all parts of the file were freed. */
void spill_part_free(struct spill_part *part);

/* It is written, and will not be read soon. */
void spill_part_done(const struct spill_part *part);

#endif
