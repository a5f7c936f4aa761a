/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a memory map is made of, for memmap.c, which builds and reads it, and memmap_view.c, which
 * numbers its views, finds its pieces and knows which memory is a device's. Above a view's space
 * stands the class of its context, and above that, of a map with a log, its epoch:
 * (class + classes * epoch) << 8.
 */
#ifndef CSREPLAY_SNAPSHOT_MEMMAP_STORE_H
#define CSREPLAY_SNAPSHOT_MEMMAP_STORE_H

#include "snapshot/memmap.h"
#include "snapshot/system_log.h"

/* Contexts of a map with owners: not known, of nobody, of a process without code; then owners. */
enum {
	CLASS_UNKNOWN = 0,
	CLASS_OTHER = 1,
	CLASS_BARE = 2,
	CLASS_OWNERS = 3,
};

struct piece {
	uint64_t address;
	size_t first; /* in `seen` */
	size_t count;
	bool is_crowded;
	bool is_own;   /* memmap_is_own() */
	bool is_plain; /* one region, which everyone in its spaces sees always */
};

struct memmap {
	struct mem_region *regions; /* as added */
	size_t count;
	size_t capacity;
	struct piece *pieces;
	size_t piece_count;
	size_t piece_capacity;
	size_t *seen; /* indexes of regions */
	size_t seen_count;
	size_t seen_capacity;
	/* That regions belong to, in order, each once. */
	uint32_t *ids;
	size_t id_count;
	uint32_t *vmids;
	size_t vmid_count;
	size_t classes; /* of contexts, all together */
	bool has_rivals;
	bool is_all_dumped; /* memmap_set_all_dumped() */
	bool has_own;
	enum memmap_choice choice;
	const struct system_log *log; /* or NULL */
	bool has_owners;              /* of contexts: the log's */
	uint32_t width;               /* epochs of so many states have a number */
	const struct device_range *devices;
	size_t device_count;
	const struct code_past *past; /* of a shared map, or NULL */
	const struct memmap *base;    /* whose regions these are; NULL: its own */
};

/* Whose regions are looked at. */
static inline const struct memmap *memmap_base(const struct memmap *map)
{
	return map->base ? map->base : map;
}

/* The piece in which the address lies, of the map whose regions they are; NULL before the first. */
const struct piece *memmap_piece_of(const struct memmap *map, uint64_t address);

/* How many views there are: UNSUPPORTED if they are too many. */
MUST_USE enum status memmap_count_views(struct memmap *map);

/* How many contexts are told apart by their ID. */
size_t memmap_id_classes(const struct memmap *base);

/* An epoch's states; all of them for 0, the last one at the halt. */
struct state_range memmap_states_of(const struct memmap *base, uint32_t epoch);
uint32_t memmap_halt_epoch(const struct memmap *base);

#endif
