/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory map: regions in the order they were added, and what they make of the address space.
 *
 * memmap_freeze() cuts the address space at every beginning and end of a region. Between two cuts
 * lies a piece; it lists the regions that can be seen there, the first added first. A region whose
 * spaces all belong to earlier ones is hidden and not listed, so a list has at most one region for
 * each bit of a space. Neighbours with equal lists are one piece. Invariants after that:
 *   - pieces are ordered by their beginning, and a piece ends where the next one begins;
 *   - the last piece lists nothing, or ends with the address space.
 */
#include "snapshot/memmap.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

struct piece {
	uint64_t address;
	size_t first; /* in `seen` */
	size_t count;
};

/* A region begins or ends at the address. */
struct edge {
	uint64_t address;
	size_t region;
	bool is_end;
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
};

/* The regions that cover the address where the sweep stands, by index. */
struct sweep {
	size_t *active;
	size_t count;
};

struct memmap *memmap_create(void)
{
	return calloc(1, sizeof(struct memmap));
}

void memmap_destroy(struct memmap *map)
{
	if (!map)
		return;
	free(map->regions);
	free(map->pieces);
	free(map->seen);
	free(map);
}

enum status memmap_add(struct memmap *map, const struct mem_region *region)
{
	if (region->length == 0 || region->address + (region->length - 1) < region->address)
		return STATUS_BAD_DATA;
	TRY(vec_reserve((void **)&map->regions, &map->capacity, map->count + 1,
	                sizeof(*map->regions)));
	map->regions[map->count++] = *region;
	return STATUS_OK;
}

static int compare_edges(const void *a, const void *b)
{
	const struct edge *x = a;
	const struct edge *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/* All edges, ordered. A region that ends with the address space has no end. */
static size_t collect_edges(const struct memmap *map, struct edge *edges)
{
	size_t count = 0;

	for (size_t i = 0; i < map->count; i++) {
		const struct mem_region *region = &map->regions[i];
		uint64_t end = region->address + region->length;

		edges[count++] = (struct edge){region->address, i, false};
		if (end != 0)
			edges[count++] = (struct edge){end, i, true};
	}
	qsort(edges, count, sizeof(*edges), compare_edges);
	return count;
}

/* Index of the first active region that was added as or after `region`. */
static size_t sweep_place(const struct sweep *sweep, size_t region)
{
	size_t low = 0;
	size_t high = sweep->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sweep->active[middle] < region)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void sweep_pass(struct sweep *sweep, const struct edge *edge)
{
	size_t at = sweep_place(sweep, edge->region);
	size_t *place = sweep->active + at;

	if (edge->is_end) {
		sweep->count--;
		memmove(place, place + 1, (sweep->count - at) * sizeof(*place));
		return;
	}
	memmove(place + 1, place, (sweep->count - at) * sizeof(*place));
	*place = edge->region;
	sweep->count++;
}

static bool same_view(const struct memmap *map, const struct piece *a, const struct piece *b)
{
	return a->count == b->count &&
	       (a->count == 0 || memcmp(map->seen + a->first, map->seen + b->first,
	                                a->count * sizeof(*map->seen)) == 0);
}

/* Adds the piece that begins at `address` with what is active there. */
static enum status add_piece(struct memmap *map, const struct sweep *sweep, uint64_t address)
{
	struct piece piece = {address, map->seen_count, 0};
	unsigned int hidden = 0;

	for (size_t i = 0; i < sweep->count && hidden != SPACE_ANY; i++) {
		unsigned int space = (unsigned int)map->regions[sweep->active[i]].space;

		if ((space & ~hidden) == 0)
			continue;
		hidden |= space;
		TRY(vec_reserve((void **)&map->seen, &map->seen_capacity, map->seen_count + 1,
		                sizeof(*map->seen)));
		map->seen[map->seen_count++] = sweep->active[i];
		piece.count++;
	}
	if (map->piece_count > 0 && same_view(map, &map->pieces[map->piece_count - 1], &piece)) {
		map->seen_count = piece.first;
		return STATUS_OK;
	}
	TRY(vec_reserve((void **)&map->pieces, &map->piece_capacity, map->piece_count + 1,
	                sizeof(*map->pieces)));
	map->pieces[map->piece_count++] = piece;
	return STATUS_OK;
}

static enum status build_pieces(struct memmap *map, const struct edge *edges, size_t edge_count,
                                struct sweep *sweep)
{
	for (size_t i = 0; i < edge_count; i++) {
		sweep_pass(sweep, &edges[i]);
		if (i + 1 < edge_count && edges[i + 1].address == edges[i].address)
			continue;
		TRY(add_piece(map, sweep, edges[i].address));
	}
	return STATUS_OK;
}

enum status memmap_freeze(struct memmap *map)
{
	struct edge *edges = NULL;
	struct sweep sweep = {0};
	enum status status = STATUS_NO_MEM;

	if (map->count == 0)
		return STATUS_OK;
	edges = calloc(map->count, 2 * sizeof(*edges));
	sweep.active = calloc(map->count + 1, sizeof(*sweep.active));
	if (!edges || !sweep.active)
		goto out;
	status = build_pieces(map, edges, collect_edges(map, edges), &sweep);
out:
	free(edges);
	free(sweep.active);
	return status;
}

/* The piece that holds `address`, or NULL. */
static const struct piece *find_piece(const struct memmap *map, uint64_t address)
{
	size_t low = 0;
	size_t high = map->piece_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (map->pieces[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? &map->pieces[low - 1] : NULL;
}

enum status memmap_find(const struct memmap *map, uint32_t view, uint64_t address,
                        struct mem_span *span)
{
	const struct piece *piece = find_piece(map, address);

	if (!piece)
		return STATUS_NO_MEMORY_AT;
	for (size_t i = 0; i < piece->count; i++) {
		const struct mem_region *region = &map->regions[map->seen[piece->first + i]];
		uint64_t skip = address - region->address;
		uint64_t left = region->length - skip;

		if (!space_meets((enum space)view, region->space))
			continue;
		if (piece + 1 < map->pieces + map->piece_count && piece[1].address - address < left)
			left = piece[1].address - address;
		*span = (struct mem_span){bytes_of(region->data + skip, (size_t)left), region};
		return STATUS_OK;
	}
	return STATUS_NO_MEMORY_AT;
}

size_t memmap_read(const struct memmap *map, uint32_t view, uint64_t address, void *out,
                   size_t size)
{
	struct mem_span span;
	size_t done = 0;

	while (done < size && address + done >= address &&
	       memmap_find(map, view, address + done, &span) == STATUS_OK) {
		size_t part = bytes_left(&span.bytes);

		if (part > size - done)
			part = size - done;
		memcpy((uint8_t *)out + done, span.bytes.pos, part);
		done += part;
	}
	return done;
}
