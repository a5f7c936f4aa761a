/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory map: regions in the order they were added, and what they make of the address space.
 *
 * memmap_freeze() cuts the address space at every beginning and end of a region. Between two cuts
 * lies a piece; it lists the regions that can be seen there, those that count before others first.
 * A region whose spaces all belong to earlier ones of any context is hidden and not listed, but for
 * rivals: those that would count as much and hold other bytes. Of these a few are listed, and a
 * piece with more of them is crowded. Neighbours with equal lists are one piece. Invariants after
 * that:
 *   - pieces are ordered by their beginning, and a piece ends where the next one begins;
 *   - the last piece lists nothing, or ends with the address space.
 */
#include "snapshot/memmap.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "snapshot/memmap_store.h"

enum {
	RIVALS_MOST = 4,
	COMPARED = 64, /* bytes of a span that are compared with others at once */
};

/* A region begins or ends at the address. */
struct edge {
	uint64_t address;
	size_t region;
	bool is_end;
};

/* The regions that cover the address where the sweep stands, by what counts. */
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
	free(map->ids);
	free(map->vmids);
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

/* What the core has, what its images were loaded with, and what another core has. */
static unsigned int group_of(const struct mem_region *region)
{
	return region->kind == REGION_OTHERS ? 2 : region->is_initial ? 1 : 0;
}

/* Equal of them count by the order in which they were added. */
static unsigned int weight_of(const struct mem_region *region)
{
	unsigned int bound = (unsigned int)(region->context.has_id || region->of_halt) +
	                     region->context.has_vmid;
	unsigned int spaces = 0;

	for (unsigned int bits = (unsigned int)region->space; bits != 0; bits &= bits - 1)
		spaces++;
	return group_of(region) << 8 | (2 - bound) << 4 | spaces;
}

static int order_regions(const struct memmap *map, size_t a, size_t b)
{
	unsigned int x = weight_of(&map->regions[a]);
	unsigned int y = weight_of(&map->regions[b]);

	if (x != y)
		return x < y ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* Index of the first active region that does not count before `region`. */
static size_t sweep_place(const struct memmap *map, const struct sweep *sweep, size_t region)
{
	size_t low = 0;
	size_t high = sweep->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (order_regions(map, sweep->active[middle], region) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void sweep_pass(const struct memmap *map, struct sweep *sweep, const struct edge *edge)
{
	size_t at = sweep_place(map, sweep, edge->region);
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

/* It is not seen by everyone and always. */
static bool is_bound(const struct mem_region *region)
{
	return region->context.has_id || region->context.has_vmid || region->of_halt ||
	       region->needs_owner || mem_region_is_passing(region);
}

static bool same_binding(const struct mem_region *a, const struct mem_region *b)
{
	return !a->of_halt && !b->of_halt && a->needs_owner == b->needs_owner &&
	       a->states.first == b->states.first && a->states.end == b->states.end &&
	       !a->context.has_id && !b->context.has_id && !a->context.has_vmid &&
	       !b->context.has_vmid;
}

/* They would count as much, where both are seen, and neither says more than the other. */
static bool are_equals(const struct mem_region *a, const struct mem_region *b)
{
	return a->kind == b->kind && a->is_initial == b->is_initial && same_binding(a, b) &&
	       space_meets(a->space, b->space) && weight_of(a) == weight_of(b);
}

/* How many of `most` bytes from `address` on, which both have, are equal. */
static uint64_t equal_bytes(const struct mem_region *a, const struct mem_region *b,
                            uint64_t address, uint64_t most)
{
	const uint8_t *x = a->data + (address - a->address);
	const uint8_t *y = b->data + (address - b->address);
	uint64_t i = 0;

	if (x == y || memcmp(x, y, (size_t)most) == 0)
		return most;
	while (x[i] == y[i])
		i++;
	return i;
}

static bool same_view(const struct memmap *map, const struct piece *a, const struct piece *b)
{
	return a->count == b->count && a->is_crowded == b->is_crowded && a->is_own == b->is_own &&
	       (a->count == 0 || memcmp(map->seen + a->first, map->seen + b->first,
	                                a->count * sizeof(*map->seen)) == 0);
}

static enum status list_region(struct memmap *map, struct piece *piece, size_t region)
{
	TRY(vec_reserve((void **)&map->seen, &map->seen_capacity, map->seen_count + 1,
	                sizeof(*map->seen)));
	map->seen[map->seen_count++] = region;
	piece->count++;
	return STATUS_OK;
}

/* The region is hidden; is it a rival of one that is listed? `length` bytes of the piece. */
static bool is_rival(const struct memmap *map, const struct piece *piece, size_t region,
                     uint64_t length)
{
	const struct mem_region *hidden = &map->regions[region];

	for (size_t i = 0; i < piece->count; i++) {
		const struct mem_region *listed = &map->regions[map->seen[piece->first + i]];

		if (are_equals(listed, hidden) &&
		    equal_bytes(listed, hidden, piece->address, length) < length)
			return true;
	}
	return false;
}

/* Lists what is seen of the active regions in the piece, which has `length` bytes. */
static enum status list_active(struct memmap *map, const struct sweep *sweep, struct piece *piece,
                               uint64_t length)
{
	unsigned int hidden = 0;
	size_t rivals = 0;

	for (size_t i = 0; i < sweep->count; i++) {
		const struct mem_region *region = &map->regions[sweep->active[i]];
		unsigned int space = (unsigned int)region->space;
		bool is_hidden = (space & ~hidden) == 0;

		bool has_rival = (is_hidden || is_bound(region)) && !piece->is_crowded &&
		                 is_rival(map, piece, sweep->active[i], length);

		if (is_hidden && !has_rival)
			continue;
		map->has_rivals |= has_rival;
		if (has_rival && rivals++ == RIVALS_MOST) {
			piece->is_crowded = true;
			continue;
		}
		if (!is_bound(region))
			hidden |= space;
		TRY(list_region(map, piece, sweep->active[i]));
	}
	return STATUS_OK;
}

/* Dumps of the core are active, and none of another core. */
static bool is_own(const struct memmap *map, const struct sweep *sweep)
{
	bool found = false;

	for (size_t i = 0; i < sweep->count; i++) {
		enum memmap_kind kind = map->regions[sweep->active[i]].kind;

		if (kind == REGION_OTHERS)
			return false;
		found |= kind == REGION_DUMP;
	}
	return found;
}

/* Adds the piece that begins at `address`, and has `length` bytes, with what is active there. */
static enum status add_piece(struct memmap *map, const struct sweep *sweep, uint64_t address,
                             uint64_t length)
{
	struct piece piece = {.address = address,
	                      .first = map->seen_count,
	                      .is_own = map->is_all_dumped && is_own(map, sweep)};

	map->has_own |= piece.is_own;
	TRY(list_active(map, sweep, &piece, length));
	piece.is_plain = piece.count == 1 && !piece.is_crowded &&
	                 !is_bound(&map->regions[map->seen[piece.first]]);
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
		sweep_pass(map, sweep, &edges[i]);
		if (i + 1 < edge_count && edges[i + 1].address == edges[i].address)
			continue;
		/* To the next edge; regions that are active after the last end with the space. */
		TRY(add_piece(map, sweep, edges[i].address,
		              (i + 1 < edge_count ? edges[i + 1].address : 0) - edges[i].address));
	}
	return STATUS_OK;
}

struct memmap *memmap_share(const struct memmap *map, enum memmap_choice choice)
{
	struct memmap *shared = memmap_create();

	if (!shared)
		return NULL;
	shared->base = memmap_base(map);
	shared->choice = choice;
	return shared;
}

enum status memmap_freeze(struct memmap *map)
{
	struct edge *edges = NULL;
	struct sweep sweep = {0};
	enum status status = STATUS_NO_MEM;

	map->classes = 1;
	if (map->count == 0)
		return STATUS_OK;
	TRY(memmap_count_views(map));
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

bool memmap_is_own(const struct memmap *map, uint64_t address, uint64_t size)
{
	const struct memmap *base = memmap_base(map);
	const struct piece *piece = memmap_piece_of(base, address);
	uint64_t last = address + (size - 1);

	if (!piece || last < address)
		return false;
	while (piece->is_own && piece + 1 < base->pieces + base->piece_count &&
	       piece[1].address <= last)
		piece++;
	return piece->is_own;
}

enum fit {
	FIT_NOT,
	FIT_PERHAPS, /* the view's number is not known */
	FIT_SURELY,
	FIT_HALT, /* a core's own dump at the halt */
};

/* A place in a piece, as seen in a view. */
struct look {
	const struct memmap *base;
	const struct piece *piece;
	uint32_t states; /* enum space, bits of it */
	size_t id;       /* class */
	size_t vmid;     /* class */
	uint32_t moment; /* the log's state */
	bool at_halt;
	uint64_t address;
};

/* Where it looks from, and in which states of the log. */
static struct look look_of(const struct memmap *base, const struct piece *piece, uint32_t view,
                           uint64_t address, struct state_range *times)
{
	size_t code = view >> 8;
	size_t ids = memmap_id_classes(base);
	struct look look = {.base = base,
	                    .piece = piece,
	                    .states = view & SPACE_ANY,
	                    .address = address,
	                    .id = code,
	                    .vmid = 0};

	*times = (struct state_range){0, 1};
	if (code == 0 && !base->log)
		return look;
	/* The epoch of a past (memmap_set_past()) is not for here. */
	if (!base->log)
		code %= base->classes;
	if (base->log) {
		uint32_t epoch = (uint32_t)(code / base->classes);

		look.at_halt = epoch != 0 && epoch == memmap_halt_epoch(base);
		*times = memmap_states_of(base, epoch);
		code %= base->classes;
	}
	look.id = code % ids;
	look.vmid = code / ids;
	return look;
}

static enum fit fit_of(bool has_number, uint32_t number, const uint32_t *numbers, size_t class)
{
	if (!has_number)
		return FIT_SURELY;
	if (class == 0)
		return FIT_PERHAPS;
	return class > 1 && numbers[class - 2] == number ? FIT_SURELY : FIT_NOT;
}

/* The same of a region of a log's owner, or for all contexts that are declared. */
static enum fit owner_fit(const struct mem_region *region, size_t class)
{
	if (class == CLASS_UNKNOWN)
		return FIT_PERHAPS;
	if (region->context.has_id)
		return class == region->context.id + (size_t)CLASS_OWNERS ? FIT_SURELY : FIT_NOT;
	return class != CLASS_OTHER ? FIT_SURELY : FIT_NOT;
}

/* Is the region one of the view's context and moment? */
static enum fit region_fit(const struct look *look, const struct mem_region *region)
{
	const struct memmap *base = look->base;
	enum fit id;
	enum fit vmid;

	if (!is_bound(region))
		return look->at_halt && region->kind == REGION_DUMP ? FIT_HALT : FIT_SURELY;
	if (mem_region_is_passing(region) &&
	    (look->moment < region->states.first || look->moment >= region->states.end))
		return FIT_NOT;
	if (look->at_halt && region->kind == REGION_DUMP)
		return FIT_HALT;
	if (!base->has_owners)
		id = fit_of(region->context.has_id, region->context.id, base->ids, look->id);
	else
		id = region->context.has_id || region->needs_owner ? owner_fit(region, look->id)
		                                                   : FIT_SURELY;
	vmid = fit_of(region->context.has_vmid, region->context.vmid, base->vmids, look->vmid);
	if (region->of_halt && (id == FIT_NOT || !region->context.has_id))
		id = FIT_PERHAPS;
	return id < vmid ? id : vmid;
}

static const struct mem_region *listed(const struct look *look, size_t i)
{
	return &look->base->regions[look->base->seen[look->piece->first + i]];
}

/*
 * The region that counts for the view: of its context, else perhaps of it; of one group, that of
 * all its states before one of some. Where nothing is known of the state, the first one added.
 */
static const struct mem_region *choose(const struct look *look)
{
	unsigned int states = look->states;
	const struct mem_region *found = NULL;
	unsigned int best = 0;

	for (size_t i = 0; i < look->piece->count; i++) {
		const struct mem_region *region = listed(look, i);
		enum fit fit = region_fit(look, region);
		bool covers = states != SPACE_ANY && (states & ~(unsigned int)region->space) == 0;
		unsigned int score = 8 * (unsigned int)fit + 2 * (2 - group_of(region)) + covers;

		if (fit == FIT_NOT || !space_meets((enum space)states, region->space))
			continue;
		if (!found || score > best) {
			found = region;
			best = score;
		}
	}
	return found;
}

/* Makes the span as short as what it has in common with another region. */
static void share(const struct look *look, const struct mem_region *chosen,
                  const struct mem_region *other, uint64_t *length)
{
	if (other != chosen && *length > 0)
		*length = equal_bytes(chosen, other, look->address, *length);
}

/* How many of `length` bytes of the chosen region are what any of the states would see. */
static uint64_t same_in_states(const struct look *look, const struct mem_region *chosen,
                               uint64_t length)
{
	for (unsigned int state = 1; state < SPACE_ANY; state <<= 1) {
		struct look one = *look;
		const struct mem_region *other;

		one.states = state;
		other = look->states & state ? choose(&one) : NULL;
		if (other && group_of(other) == group_of(chosen))
			share(look, chosen, other, &length);
	}
	return length;
}

/* How many bytes of the chosen region are what the view sees for sure; at most COMPARED. */
static uint64_t sure_bytes(const struct look *look, const struct mem_region *chosen,
                           enum memmap_choice choice, uint64_t length)
{
	bool of_many = choice == MEMMAP_SURE_OF_MANY;
	enum fit fit = region_fit(look, chosen);

	if (fit < FIT_SURELY || (of_many && look->piece->is_crowded))
		return 0;
	if (look->piece->count == 1)
		return length;
	if (length > COMPARED)
		length = COMPARED;
	length = same_in_states(look, chosen, length);
	for (size_t i = 0; i < look->piece->count && length > 0; i++) {
		const struct mem_region *other = listed(look, i);
		/* A context in which a core halted sees what that core dumped of it. */
		bool may_count = fit < FIT_HALT && !(chosen->of_halt && other->of_halt) &&
		                 region_fit(look, other) == FIT_PERHAPS &&
		                 weight_of(other) < weight_of(chosen);

		if (space_meets((enum space)look->states, other->space) &&
		    (may_count || (of_many && are_equals(chosen, other))))
			share(look, chosen, other, &length);
	}
	return length;
}

/* The first state after the look's, and before `end`, in which the piece may differ; or `end`. */
static uint32_t next_change(const struct look *look, uint32_t end)
{
	for (size_t i = 0; i < look->piece->count; i++) {
		const struct mem_region *region = listed(look, i);

		if (!mem_region_is_passing(region))
			continue;
		if (region->states.first > look->moment && region->states.first < end)
			end = region->states.first;
		if (region->states.end > look->moment && region->states.end < end)
			end = region->states.end;
	}
	return end;
}

/* The region that counts in the last of the states in which there is one. */
static const struct mem_region *choose_latest(struct look look, struct state_range times)
{
	const struct mem_region *found = NULL;

	for (look.moment = times.first; look.moment < times.end;
	     look.moment = next_change(&look, times.end)) {
		const struct mem_region *region = choose(&look);

		found = region ? region : found;
	}
	return found;
}

/* As sure_bytes(), in each of the states in which something is there. */
static uint64_t sure_always(struct look look, struct state_range times,
                            const struct mem_region *chosen, enum memmap_choice choice,
                            uint64_t length)
{
	for (look.moment = times.first; look.moment < times.end && length > 0;
	     look.moment = next_change(&look, times.end)) {
		const struct mem_region *region = choose(&look);

		if (!region)
			continue;
		length = sure_bytes(&look, region, choice, length);
		share(&look, chosen, region, &length);
	}
	return length;
}

/* The region from an address on, as far as the piece goes. */
static struct mem_span span_of(const struct memmap *base, const struct piece *piece,
                               const struct mem_region *region, uint64_t address)
{
	uint64_t left = region->length - (address - region->address);

	if (piece + 1 < base->pieces + base->piece_count && piece[1].address - address < left)
		left = piece[1].address - address;
	return (struct mem_span){bytes_of(region->data + (address - region->address), (size_t)left),
	                         region};
}

/* How many bytes of the chosen region no other dump of its owner contradicts. */
static uint64_t agreed_bytes(const struct look *look, const struct mem_region *chosen,
                             uint64_t length)
{
	for (size_t i = 0; chosen->owner && i < look->piece->count; i++) {
		const struct mem_region *other = listed(look, i);

		if (other->owner == chosen->owner && other->space == chosen->space)
			share(look, chosen, other, &length);
	}
	return length;
}

/* As memmap_find(), where it depends on the view. */
static enum status find_chosen(const struct memmap *map, const struct piece *piece, uint32_t view,
                               uint64_t address, struct mem_span *span)
{
	const struct memmap *base = memmap_base(map);
	struct state_range times;
	struct look look = look_of(base, piece, view, address, &times);
	const struct mem_region *region = choose_latest(look, times);
	struct mem_span found;
	uint64_t left;

	if (!region)
		return STATUS_NO_MEMORY_AT;
	found = span_of(base, piece, region, address);
	left = bytes_left(&found.bytes);
	if (map->choice != MEMMAP_FIRST)
		left = sure_always(look, times, region, map->choice,
		                   agreed_bytes(&look, region, left));
	if (left == 0)
		return STATUS_NO_MEMORY_AT;
	found.bytes.end = found.bytes.pos + left;
	*span = found;
	return STATUS_OK;
}

static enum status find_now(const struct memmap *map, uint32_t view, uint64_t address,
                            struct mem_span *span)
{
	const struct memmap *base = memmap_base(map);
	const struct piece *piece = memmap_piece_of(base, address);
	const struct mem_region *region;

	if (!piece || piece->count == 0)
		return STATUS_NO_MEMORY_AT;
	if (!piece->is_plain)
		return find_chosen(map, piece, view, address, span);
	region = &base->regions[base->seen[piece->first]];
	if (!space_meets((enum space)(view & SPACE_ANY), region->space))
		return STATUS_NO_MEMORY_AT;
	*span = span_of(base, piece, region, address);
	return STATUS_OK;
}

/* What is seen of code that was written: the program's own, at one time. */
static const struct mem_region written = {
        .space = SPACE_ANY, .kind = REGION_DUMP, .length = UINT64_MAX, .is_initial = true};

/* The bytes known from an address of the range on. */
static enum status find_written(const struct code_past *past, const struct code_range *range,
                                uint32_t epoch, uint64_t address, struct mem_span *span)
{
	const struct code_time *time = epoch > 0 ? &past->times[epoch - 1] : NULL;
	size_t at = range->offset + (size_t)(address - range->first);
	size_t end = range->offset + (size_t)(range->last - range->first) + 1;
	size_t known = at;

	while (time && known < end && time->known[known] == CODE_KNOWN)
		known++;
	if (known == at)
		return STATUS_NO_MEMORY_AT;
	*span = (struct mem_span){bytes_of(time->bytes + at, known - at), &written};
	return STATUS_OK;
}

enum status memmap_find(const struct memmap *map, uint32_t view, uint64_t address,
                        struct mem_span *span)
{
	const struct code_range *range;

	if (!map->past || memmap_view_is_final(map, view))
		return find_now(map, view, address, span);
	range = code_past_range(map->past, address);
	if (range && range->first <= address)
		return find_written(map->past, range, memmap_past_epoch(map, view), address, span);
	TRY(find_now(map, view, address, span));
	if (range && range->first - address < bytes_left(&span->bytes))
		span->bytes.end = span->bytes.pos + (range->first - address);
	return STATUS_OK;
}

enum status memmap_find_near(const struct memmap *map, uint32_t view, uint64_t address,
                             struct mem_recent *recent, struct mem_span *span)
{
	uint64_t offset = address - recent->address;

	if (!recent->is_found || recent->view != view || address < recent->address ||
	    offset >= bytes_left(&recent->span.bytes)) {
		recent->is_found = false;
		TRY(memmap_find(map, view, address, &recent->span));
		recent->address = address;
		recent->view = view;
		recent->is_found = true;
		offset = 0;
	}
	*span = recent->span;
	span->bytes.pos += offset;
	return STATUS_OK;
}

bool memmap_is_ambiguous(const struct memmap *map, uint32_t view, uint64_t address)
{
	struct mem_span span;

	return map->base && memmap_find(map, view, address, &span) != STATUS_OK &&
	       memmap_find(map->base, view, address, &span) == STATUS_OK;
}

/* In one of its states the view would find something. */
static bool is_found_once(const struct memmap *map, uint32_t view, uint64_t address)
{
	const struct memmap *base = memmap_base(map);
	struct state_range times;
	struct look look = look_of(base, memmap_piece_of(base, address), view, address, &times);

	for (look.moment = times.first; look.moment < times.end;
	     look.moment = next_change(&look, times.end)) {
		const struct mem_region *region = choose(&look);

		if (region && sure_bytes(&look, region, map->choice, 1) > 0)
			return true;
	}
	return false;
}

enum memmap_lack memmap_lack_at(const struct memmap *map, uint32_t view, uint64_t address)
{
	const struct memmap *base = memmap_base(map);
	struct mem_span span;
	size_t class = base->has_owners ? (view >> 8) % base->classes % memmap_id_classes(base) : 0;

	if (class == CLASS_OTHER)
		return MEMMAP_LACKS_OWNER;
	for (unsigned int i = 0; i < 3 && memmap_find(map, view, address, &span) == STATUS_OK; i++)
		address++;
	if (memmap_is_past(map, address) && find_now(map, view, address, &span) == STATUS_OK)
		return MEMMAP_LACKS_PAST;
	if (!memmap_is_ambiguous(map, view, address))
		return MEMMAP_LACKS_BYTES;
	if (base->log && is_found_once(map, view, address))
		return MEMMAP_LACKS_TIME;
	return base->has_owners && class == CLASS_UNKNOWN ? MEMMAP_LACKS_CONTEXT
	                                                  : MEMMAP_LACKS_CHOICE;
}

bool memmap_has_rivals(const struct memmap *map)
{
	return memmap_base(map)->has_rivals;
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

bool memmap_read_word(const struct memmap *map, uint32_t view, uint64_t address, uint32_t *word)
{
	uint8_t b[4];

	if (memmap_read(map, view, address, b, sizeof(b)) != sizeof(b))
		return false;
	*word = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
	return true;
}
