/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a memory map: its source is compiled here, and comes before that of the library. */
#include "tests/support/memmap_regions.h"

#include "snapshot/memmap.c" /* NOLINT(bugprone-suspicious-include): what it hides is wanted */

/* By address; the rest only makes the order certain. */
static int compare_regions(const void *a, const void *b)
{
	const struct mem_region *x = a;
	const struct mem_region *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->length != y->length)
		return x->length < y->length ? -1 : 1;
	return (int)x->space - (int)y->space;
}

struct mem_region *memmap_regions(const struct memmap *map, size_t *count)
{
	size_t size = map->count * sizeof(struct mem_region);
	struct mem_region *regions = size > 0 ? malloc(size) : NULL;

	*count = regions ? map->count : 0;
	if (!regions)
		return NULL;
	memcpy(regions, map->regions, size);
	qsort(regions, map->count, sizeof(*regions), compare_regions);
	return regions;
}
