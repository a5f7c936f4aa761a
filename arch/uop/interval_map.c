/* SPDX-License-Identifier: Apache-2.0 */
/* Intervals by a number; see interval_map.h. */
#include "arch/uop/interval_map.h"

#include <stdlib.h>

#include "base/hash.h"

enum { SLOTS_FIRST = 256 };

/* Of a free slot. */
#define KEY_NONE UINT32_MAX

static size_t slot_of(const struct interval_map *map, uint32_t key)
{
	size_t mask = map->slot_count - 1;
	size_t at = hash_u64(key) & mask;

	while (map->slots[at].key != KEY_NONE && map->slots[at].key != key)
		at = (at + 1) & mask;
	return at;
}

static enum status grow(struct interval_map *map)
{
	struct interval_map larger = *map;
	struct interval_slot *old = map->slots;

	if (map->count * 4 < map->slot_count * 3)
		return STATUS_OK;
	larger.slot_count = map->slot_count > 0 ? map->slot_count * 2 : SLOTS_FIRST;
	larger.slots = malloc(larger.slot_count * sizeof(*larger.slots));
	if (!larger.slots)
		return STATUS_NO_MEM;
	for (size_t i = 0; i < larger.slot_count; i++)
		larger.slots[i].key = KEY_NONE;
	for (size_t i = 0; i < map->slot_count; i++) {
		if (map->slots[i].key != KEY_NONE)
			larger.slots[slot_of(&larger, map->slots[i].key)] = map->slots[i];
	}
	*map = larger;
	free(old);
	return STATUS_OK;
}

enum status interval_map_init(struct interval_map *map, size_t keys)
{
	*map = (struct interval_map){.count = 0};
	map->has = calloc(keys / 64 + 1, sizeof(*map->has));
	return map->has ? grow(map) : STATUS_NO_MEM;
}

void interval_map_fini(struct interval_map *map)
{
	free(map->has);
	free(map->slots);
}

enum status interval_map_put(struct interval_map *map, uint32_t key, struct interval interval)
{
	size_t at;

	TRY(grow(map));
	at = slot_of(map, key);
	/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): grow() has put new slots there */
	map->count += map->slots[at].key == KEY_NONE;
	map->slots[at] = (struct interval_slot){key, interval};
	map->has[key / 64] |= (uint64_t)1 << key % 64;
	return STATUS_OK;
}

struct interval interval_map_find(const struct interval_map *map, uint32_t key)
{
	return map->slots[slot_of(map, key)].interval;
}
