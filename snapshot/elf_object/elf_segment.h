/* SPDX-License-Identifier: Apache-2.0 */
/* Loadable segments of an ELF image, and holes in them: what the file has and memory may not have.
 */
#ifndef CSREPLAY_SNAPSHOT_ELF_OBJECT_ELF_SEGMENT_H
#define CSREPLAY_SNAPSHOT_ELF_OBJECT_ELF_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"

struct elf_segment {
	uint64_t address;     /* p_vaddr, moved by the load address */
	uint64_t file_size;   /* bytes that the file holds; may be 0 */
	uint64_t memory_size; /* bytes in memory */
	bool writable;
	bool executable;
	const uint8_t *data; /* file_size bytes */
};

struct elf_segments {
	struct elf_segment *items; /* of calloc() or the like */
	size_t count;
};

/* Addresses begin <= a < end. */
struct elf_hole {
	uint64_t begin;
	uint64_t end;
};

struct elf_holes {
	struct elf_hole *items;
	size_t count;
	size_t capacity;
};

/* What the segments have from the address on, to the end of one; empty if nothing. */
struct bytes elf_segments_code(const struct elf_segments *segments, uint64_t address);

/* Adds a hole; one without bytes, or beyond the address space, is none. NO_MEM. */
MUST_USE enum status elf_holes_add(struct elf_holes *holes, uint64_t address, uint64_t size);

/*
 * Adds what segments of one address hold differently, as the vectors of a 32-bit Arm kernel, of
 * which it copies the set that the core needs: which of them is in memory the file does not say. Of
 * two segments that is all from the first byte that differs to the last one. NO_MEM.
 */
MUST_USE enum status elf_holes_add_rivals(struct elf_holes *holes,
                                          const struct elf_segments *segments);

/*
 * Sorts the holes and cuts them out of the segments, which become more; not if nothing would be
 * left. *bytes: how many bytes of memory were taken out. NO_MEM.
 */
MUST_USE enum status elf_holes_cut(struct elf_holes *holes, struct elf_segments *segments,
                                   uint64_t *bytes);

#endif
