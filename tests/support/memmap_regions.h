/* SPDX-License-Identifier: Apache-2.0 */
/* The regions of a memory map, which the product asks for by address alone. */
#ifndef CSREPLAY_TESTS_SUPPORT_MEMMAP_REGIONS_H
#define CSREPLAY_TESTS_SUPPORT_MEMMAP_REGIONS_H

#include "snapshot/memmap.h"

/* All of them, by address, in an array for free(); NULL if there are none. */
struct mem_region *memmap_regions(const struct memmap *map, size_t *count);

#endif
