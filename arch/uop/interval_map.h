/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Intervals by a number: of those few values among many of which a range says more than their bits.
 *
 * Invariants: bit k of `has` is set if and only if k has a slot, so that the many others are told
 * by one bit. The slots are a hash table with open addressing, a power of two in size and at least
 * half of them free.
 */
#ifndef CSREPLAY_ARCH_UOP_INTERVAL_MAP_H
#define CSREPLAY_ARCH_UOP_INTERVAL_MAP_H

#include <stddef.h>

#include "arch/uop/interval.h"
#include "base/status.h"

struct interval_slot {
	uint32_t key; /* UINT32_MAX: free */
	struct interval interval;
};

struct interval_map {
	uint64_t *has;
	struct interval_slot *slots;
	size_t slot_count;
	size_t count;
};

/* Keys are 0 <= k < keys. NO_MEM. interval_map_fini() in any case. */
MUST_USE enum status interval_map_init(struct interval_map *map, size_t keys);
void interval_map_fini(struct interval_map *map);
/* Without room for it the interval is not kept: NO_MEM. */
MUST_USE enum status interval_map_put(struct interval_map *map, uint32_t key,
                                      struct interval interval);
/* For keys that the map has. */
struct interval interval_map_find(const struct interval_map *map, uint32_t key);

static inline bool interval_map_has(const struct interval_map *map, uint32_t key)
{
	return (map->has[key / 64] >> key % 64 & 1) != 0;
}

/* Every number, for a key that it does not have. */
static inline struct interval interval_map_get(const struct interval_map *map, uint32_t key)
{
	return interval_map_has(map, key) ? interval_map_find(map, key) : (struct interval){0, 0};
}

#endif
