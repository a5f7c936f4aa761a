/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of code over time; see logged_code.h. */
#include "snapshot/events/logged_code.h"

#include <stdlib.h>

#include "base/vec.h"

void code_pieces_fini(struct code_pieces *pieces)
{
	free(pieces->items);
	*pieces = (struct code_pieces){0};
}

void code_places_fini(struct code_places *places)
{
	free(places->items);
	*places = (struct code_places){0};
}

static enum status append(struct code_pieces *pieces, const struct code_piece *piece)
{
	TRY(vec_reserve((void **)&pieces->items, &pieces->capacity, pieces->count + 1,
	                sizeof(*pieces->items)));
	pieces->items[pieces->count++] = *piece;
	return STATUS_OK;
}

/* The part of a piece from `first` to `last`, which lie in it. */
static struct code_piece part_of(const struct code_piece *piece, uint64_t first, uint64_t last)
{
	struct code_piece part = *piece;

	if (part.data)
		part.data += first - part.address;
	part.address = first;
	part.last = last;
	return part;
}

/* The same process, addresses and states: `above` takes the place of what `below` has there. */
static bool is_over(const struct code_piece *above, const struct code_piece *below, bool replaces)
{
	return above->pid == below->pid && above->address <= below->last &&
	       below->address <= above->last && above->states.first < below->states.end &&
	       (below->states.first < above->states.first ||
	        (replaces && below->states.first == above->states.first));
}

/*
 * Takes what `above` lies over out of piece number `index`, from its first state on; the parts
 * beside it are pieces of their own.
 */
static enum status carve(struct code_pieces *pieces, size_t index, const struct code_piece *above)
{
	struct code_piece below = pieces->items[index];
	uint64_t first = above->address > below.address ? above->address : below.address;
	uint64_t last = above->last < below.last ? above->last : below.last;
	struct code_piece part;

	pieces->items[index] = part_of(&below, first, last);
	pieces->items[index].states.end = above->states.first;
	if (below.address < first) {
		part = part_of(&below, below.address, first - 1);
		TRY(append(pieces, &part));
	}
	if (last < below.last) {
		part = part_of(&below, last + 1, below.last);
		TRY(append(pieces, &part));
	}
	return STATUS_OK;
}

/* The end of the states of what lies at an address below `piece`, and up to where that is so. */
static uint32_t end_below(const struct code_pieces *pieces, const struct code_piece *piece,
                          uint64_t address, uint64_t *last)
{
	uint32_t end = piece->states.end;

	*last = piece->last;
	for (size_t i = 0; i < pieces->count; i++) {
		const struct code_piece *below = &pieces->items[i];

		if (!is_over(piece, below, true))
			continue;
		if (below->address > address) {
			if (below->address - 1 < *last)
				*last = below->address - 1;
		} else if (below->last >= address) {
			if (below->last < *last)
				*last = below->last;
			if (below->states.end < end)
				end = below->states.end;
		}
	}
	return end;
}

/* What was patched goes with what it was patched into. */
static enum status split_patch(const struct code_pieces *pieces, const struct code_piece *patch,
                               struct code_pieces *parts)
{
	uint64_t address = patch->address;
	uint64_t last;

	for (;;) {
		uint32_t end = end_below(pieces, patch, address, &last);
		struct code_piece part = part_of(patch, address, last);

		part.states.end = end;
		TRY(append(parts, &part));
		if (last == patch->last)
			return STATUS_OK;
		address = last + 1;
	}
}

static enum status lay_over(struct code_pieces *pieces, const struct code_piece *piece,
                            bool replaces, struct code_pieces *parts)
{
	size_t count = pieces->count;
	size_t kept = 0;

	if (piece->is_patch)
		TRY(split_patch(pieces, piece, parts));
	else
		TRY(append(parts, piece));
	for (size_t i = 0; i < count; i++) {
		if (is_over(piece, &pieces->items[i], replaces))
			TRY(carve(pieces, i, piece));
	}
	for (size_t i = 0; i < pieces->count; i++) {
		if (pieces->items[i].states.first < pieces->items[i].states.end)
			pieces->items[kept++] = pieces->items[i];
	}
	pieces->count = kept;
	for (size_t i = 0; i < parts->count; i++)
		TRY(append(pieces, &parts->items[i]));
	return STATUS_OK;
}

enum status code_pieces_add(struct code_pieces *pieces, const struct code_piece *piece,
                            bool replaces)
{
	struct code_pieces parts = {0};
	enum status status = lay_over(pieces, piece, replaces, &parts);

	code_pieces_fini(&parts);
	return status;
}

static int compare_addresses(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static int compare_pieces(const void *a, const void *b)
{
	const struct code_piece *x = *(const struct code_piece *const *)a;
	const struct code_piece *y = *(const struct code_piece *const *)b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/* What the piece says of a place that it covers. */
static void note_piece(const struct code_piece *piece, uint32_t states, struct code_place *place)
{
	uint32_t since = piece->states.end < states ? piece->states.end : piece->states.first;
	bool lacks = !piece->data && piece->states.end == states;
	bool is_kernel = piece->pid == 0;
	uint32_t *last = is_kernel ? &place->kernel_since : &place->since;

	if (since > *last)
		*last = since;
	place->lacks_kernel_bytes |= is_kernel && lacks;
	place->lacks_bytes |= !is_kernel && lacks;
	place->has_kernel |= is_kernel;
	if (is_kernel)
		return;
	place->has_several |= place->has_process && place->pid != piece->pid;
	place->has_process = true;
	place->pid = piece->pid;
}

struct sweep {
	uint64_t *edges; /* places begin there, in order */
	size_t edge_count;
	const struct code_piece **order; /* pieces by address */
	const struct code_piece **active;
	size_t active_count;
	size_t next;
};

static void collect_edges(const struct code_pieces *pieces, struct sweep *sweep)
{
	size_t kept = 0;

	for (size_t i = 0; i < pieces->count; i++) {
		sweep->order[i] = &pieces->items[i];
		sweep->edges[sweep->edge_count++] = pieces->items[i].address;
		if (pieces->items[i].last != UINT64_MAX)
			sweep->edges[sweep->edge_count++] = pieces->items[i].last + 1;
	}
	qsort(sweep->edges, sweep->edge_count, sizeof(*sweep->edges), compare_addresses);
	qsort(sweep->order, pieces->count, sizeof(const struct code_piece *), compare_pieces);
	for (size_t i = 0; i < sweep->edge_count; i++) {
		if (kept == 0 || sweep->edges[kept - 1] != sweep->edges[i])
			sweep->edges[kept++] = sweep->edges[i];
	}
	sweep->edge_count = kept;
}

/* Those that cover `address` are active. */
static void move_to(const struct code_pieces *pieces, struct sweep *sweep, uint64_t address)
{
	size_t kept = 0;

	for (size_t i = 0; i < sweep->active_count; i++) {
		if (sweep->active[i]->last >= address)
			sweep->active[kept++] = sweep->active[i];
	}
	sweep->active_count = kept;
	while (sweep->next < pieces->count && sweep->order[sweep->next]->address == address)
		sweep->active[sweep->active_count++] = sweep->order[sweep->next++];
}

static enum status find_places(const struct code_pieces *pieces, uint32_t states,
                               struct sweep *sweep, struct code_places *places)
{
	collect_edges(pieces, sweep);
	for (size_t i = 0; i < sweep->edge_count; i++) {
		struct code_place place = {.first = sweep->edges[i], .last = UINT64_MAX};

		if (i + 1 < sweep->edge_count)
			place.last = sweep->edges[i + 1] - 1;
		move_to(pieces, sweep, place.first);
		if (sweep->active_count == 0)
			continue;
		for (size_t j = 0; j < sweep->active_count; j++)
			note_piece(sweep->active[j], states, &place);
		TRY(vec_reserve((void **)&places->items, &places->capacity, places->count + 1,
		                sizeof(*places->items)));
		places->items[places->count++] = place;
	}
	return STATUS_OK;
}

enum status code_pieces_places(const struct code_pieces *pieces, uint32_t states,
                               struct code_places *places)
{
	struct sweep sweep = {0};
	enum status status = STATUS_NO_MEM;

	sweep.edges = calloc(pieces->count + 1, 2 * sizeof(*sweep.edges));
	sweep.order = calloc(pieces->count + 1, sizeof(const struct code_piece *));
	sweep.active = calloc(pieces->count + 1, sizeof(const struct code_piece *));
	if (sweep.edges && sweep.order && sweep.active)
		status = find_places(pieces, states, &sweep, places);
	free(sweep.edges);
	free(sweep.order);
	free(sweep.active);
	return status;
}

size_t code_places_find(const struct code_places *places, uint64_t address)
{
	size_t low = 0;
	size_t high = places->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (places->items[middle].last < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
