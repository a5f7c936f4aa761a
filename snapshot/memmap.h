/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory map of one core: what each address held when the snapshot was taken.
 *
 * A map is an ordered set of regions, each a slice of a mapped file visible at an address in a
 * set of spaces. Regions come from the core's own dumps, then its images, then the dumps of the
 * other cores of the snapshot; where they overlap, the earlier one wins. A map is built once
 * (add, then freeze) and only read afterwards, so that several threads may read it.
 *
 * A byte that no region holds is not there; it is never zero. An image's zero-initialised part
 * (.bss) is not a region: its content at the halt is not known.
 */
#ifndef CSREPLAY_SNAPSHOT_MEMMAP_H
#define CSREPLAY_SNAPSHOT_MEMMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "base/str.h"
#include "snapshot/space.h"

struct memmap;

struct mem_region {
	uint64_t address; /* of the first byte */
	uint64_t length;  /* bytes, at least 1; address + length - 1 does not wrap */
	enum space space;
	/*
	 * The image says that the program never writes it (no PF_W), and no dump holds other
	 * bytes in the same 4 KiB of it: content that is the same at every position of the history.
	 */
	bool read_only;
	/*
	 * What the image was loaded with and the program may have written: the code that runs, but
	 * no data, neither at the halt nor before.
	 */
	bool is_initial;
	const uint8_t *data;
	struct str origin; /* file that it comes from; lives as long as the snapshot */
};

/* A stretch of memory that is there: `bytes` begins at the address asked for. */
struct mem_span {
	struct bytes bytes; /* at least one byte */
	const struct mem_region *region;
};

/* NULL without memory. */
struct memmap *memmap_create(void);
void memmap_destroy(struct memmap *map); /* NULL is fine */

/* Adds a region after those already there. NO_MEM; BAD_DATA if the region is empty or wraps. */
MUST_USE enum status memmap_add(struct memmap *map, const struct mem_region *region);

/* Orders the regions and resolves overlaps. To be called once, before the first read. */
MUST_USE enum status memmap_freeze(struct memmap *map);

/*
 * The memory at `address` as seen from `space`, up to the end of its region or to where another
 * region begins or ends; more of the same region may follow. NO_MEMORY_AT if there is none.
 * O(log n).
 */
MUST_USE enum status memmap_find(const struct memmap *map, uint32_t view, uint64_t address,
                                 struct mem_span *span);

/* Copies up to `size` bytes, across regions; returns how many there were before the first hole. */
size_t memmap_read(const struct memmap *map, uint32_t view, uint64_t address, void *out,
                   size_t size);

#endif
