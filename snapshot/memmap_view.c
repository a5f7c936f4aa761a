/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The views of a memory map: whose contexts are told apart, and which times. And where its pieces
 * lie, and whether bytes of it are the core's own, or a device's.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/vec.h"
#include "snapshot/memmap_store.h"

enum { CODES_MOST = 1 << 24 }; /* of what stands above the space in a view */

/* Adds a number to an ordered list, once. */
static enum status collect(uint32_t **numbers, size_t *count, uint32_t number)
{
	size_t capacity = *count;
	size_t at = *count;

	for (size_t i = 0; i < *count; i++) {
		if ((*numbers)[i] == number)
			return STATUS_OK;
	}
	if (*count >= MEMMAP_CLASSES)
		return STATUS_UNSUPPORTED;
	TRY(vec_reserve((void **)numbers, &capacity, *count + 1, sizeof(**numbers)));
	for (; at > 0 && (*numbers)[at - 1] > number; at--)
		(*numbers)[at] = (*numbers)[at - 1];
	(*numbers)[at] = number;
	++*count;
	return STATUS_OK;
}

/* Of `count` numbers: how many a view tells apart. Not known, another one, each of them. */
static size_t class_count(size_t count)
{
	return count > 0 ? count + 2 : 1;
}

/* How many epochs have a number, and of how many states at most; 0 is any time. */
static void count_epochs(struct memmap *map)
{
	uint64_t states = map->log ? map->log->processes.states : 1;
	uint64_t codes = CODES_MOST / map->classes;

	map->width = 0;
	if (codes > states + 2)
		map->width =
		        (uint32_t)((codes - 2) / states < states ? (codes - 2) / states : states);
}

/* With a log, contexts are its owners. */
static enum status count_owners(struct memmap *map)
{
	map->classes = class_count(map->vmid_count) * (map->log->owner_count + CLASS_OWNERS);
	return map->classes < CODES_MOST / 4 ? STATUS_OK : STATUS_UNSUPPORTED;
}

enum status memmap_count_views(struct memmap *map)
{
	for (size_t i = 0; i < map->count; i++) {
		const struct memory_context *context = &map->regions[i].context;

		if (context->has_id && !map->has_owners)
			TRY(collect(&map->ids, &map->id_count, context->id));
		if (context->has_vmid)
			TRY(collect(&map->vmids, &map->vmid_count, context->vmid));
	}
	map->classes = class_count(map->id_count) * class_count(map->vmid_count);
	if (map->classes > MEMMAP_CLASSES)
		return STATUS_UNSUPPORTED;
	if (map->has_owners)
		TRY(count_owners(map));
	count_epochs(map);
	return STATUS_OK;
}

void memmap_set_log(struct memmap *map, const struct system_log *log)
{
	map->log = log;
	map->has_owners = log->processes.has_processes;
}

static size_t class_of(const uint32_t *numbers, size_t count, bool is_known, uint32_t number)
{
	size_t i = 0;

	if (count == 0 || !is_known)
		return 0;
	while (i < count && numbers[i] != number)
		i++;
	return i < count ? i + 2 : 1;
}

bool memmap_has_epochs(const struct memmap *map)
{
	const struct system_log *log = memmap_base(map)->log;

	return log && log->processes.states > 1;
}

/* The numbers of epochs, after that of any time: by their first state and how many they have. */
static uint32_t epoch_of(const struct memmap *base, struct state_range states)
{
	uint32_t count = states.end - states.first;

	if (count > base->width || count == base->log->processes.states)
		return 0;
	return 1 + states.first * base->width + (count - 1);
}

uint32_t memmap_halt_epoch(const struct memmap *base)
{
	return 1 + base->log->processes.states * base->width;
}

/* Its states; all of them for 0, the last one at the halt. */
struct state_range memmap_states_of(const struct memmap *base, uint32_t epoch)
{
	uint32_t states = base->log->processes.states;

	if (epoch == 0 || base->width == 0)
		return (struct state_range){0, states};
	if (epoch == memmap_halt_epoch(base))
		return (struct state_range){states - 1, states};
	return (struct state_range){(epoch - 1) / base->width,
	                            (epoch - 1) / base->width + (epoch - 1) % base->width + 1};
}

uint32_t memmap_epoch(const struct memmap *map, const uint64_t *earliest, const uint64_t *latest)
{
	const struct memmap *base = memmap_base(map);

	if (!memmap_has_epochs(map))
		return 0;
	return epoch_of(base, process_log_states(&base->log->processes, earliest, latest));
}

uint32_t memmap_epoch_at_halt(const struct memmap *map)
{
	const struct memmap *base = memmap_base(map);

	if (map->past)
		return (uint32_t)map->past->time_count + 1;
	return base->log && base->width > 0 ? memmap_halt_epoch(base) : 0;
}

/* Whose a context is, of a map with owners. */
static size_t owner_class(const struct memmap *base, const struct memory_context *context,
                          uint32_t epoch)
{
	const struct system_log *log = base->log;
	enum status status;
	size_t owner;
	uint64_t pid;

	assert(log); /* it is what has owners */
	/* Of a part of CONTEXTIDR an ASID alone is all there; a number may be another's, too. */
	if (!context->has_id || (context->is_part && log->form != CONTEXTIDR_ASID))
		return CLASS_UNKNOWN;
	status = process_log_owner(&log->processes, log->form, context->id,
	                           memmap_states_of(base, epoch), &pid);
	if (status != STATUS_OK)
		return status == STATUS_NOT_FOUND ? CLASS_OTHER : CLASS_UNKNOWN;
	owner = system_log_owner(log, pid);
	return owner < log->owner_count ? owner + CLASS_OWNERS : CLASS_BARE;
}

/* How many contexts are told apart by their ID. */
size_t memmap_id_classes(const struct memmap *base)
{
	assert(!base->has_owners || base->log);
	return base->has_owners ? base->log->owner_count + CLASS_OWNERS
	                        : class_count(base->id_count);
}

uint32_t memmap_view_at(const struct memmap *map, enum space space,
                        const struct memory_context *context, uint32_t epoch)
{
	const struct memmap *base = memmap_base(map);
	size_t id;
	size_t vmid;
	uint64_t code;

	if (!memmap_has_contexts(base) && !base->log && !map->past)
		return (uint32_t)space;
	id = base->has_owners ? owner_class(base, context, epoch)
	                      : class_of(base->ids, base->id_count, context->has_id, context->id);
	vmid = class_of(base->vmids, base->vmid_count, context->has_vmid, context->vmid);
	code = id + vmid * memmap_id_classes(base) + (uint64_t)epoch * base->classes;
	return (uint32_t)space | (uint32_t)(code << 8);
}

uint32_t memmap_view(const struct memmap *map, enum space space,
                     const struct memory_context *context)
{
	return memmap_view_at(map, space, context, 0);
}

bool memmap_has_contexts(const struct memmap *map)
{
	const struct memmap *base = memmap_base(map);

	return base->id_count > 0 || base->vmid_count > 0 || base->has_owners;
}

void memmap_set_past(struct memmap *map, const struct code_past *past)
{
	/* A view has room for so many. */
	if (past && past->time_count + 2 < ((uint64_t)1 << 24) / memmap_base(map)->classes)
		map->past = past;
}

const struct code_past *memmap_past(const struct memmap *map)
{
	return map->past;
}

bool memmap_changes(const struct memmap *map)
{
	return memmap_has_epochs(map) || map->past != NULL;
}

static const struct code_range *range_at(const struct memmap *map, uint64_t address)
{
	const struct code_range *range = map->past ? code_past_range(map->past, address) : NULL;

	return range && range->first <= address ? range : NULL;
}

bool memmap_is_past(const struct memmap *map, uint64_t address)
{
	return range_at(map, address) != NULL;
}

uint32_t memmap_epoch_of_place(const struct memmap *map, uint64_t place)
{
	return map->past ? (uint32_t)code_past_find(map->past, place) : 0;
}

uint32_t memmap_past_epoch(const struct memmap *map, uint32_t view)
{
	return map->past ? (uint32_t)((view >> 8) / memmap_base(map)->classes) : 0;
}

uint32_t memmap_view_at_halt(const struct memmap *map, uint32_t view)
{
	uint64_t epochs = (uint64_t)memmap_base(map)->classes << 8;

	if (!map->past)
		return view;
	return (uint32_t)(view % epochs + epochs * memmap_epoch_at_halt(map));
}

bool memmap_view_is_final(const struct memmap *map, uint32_t view)
{
	uint32_t epoch = memmap_past_epoch(map, view);

	return map->past && epoch > 0 &&
	       (epoch > map->past->time_count || map->past->times[epoch - 1].is_final);
}

void memmap_set_all_dumped(struct memmap *map)
{
	map->is_all_dumped = true;
}

bool memmap_has_own(const struct memmap *map)
{
	return memmap_base(map)->has_own;
}

void memmap_set_devices(struct memmap *map, const struct device_range *ranges, size_t count)
{
	map->devices = ranges;
	map->device_count = count;
}

size_t memmap_before_device(const struct memmap *map, uint64_t address, size_t size)
{
	const struct memmap *base = memmap_base(map);

	for (size_t i = 0; i < base->device_count; i++) {
		const struct device_range *range = &base->devices[i];

		if (address > range->last)
			continue;
		if (address >= range->first)
			return 0;
		if (range->first - address < size)
			size = (size_t)(range->first - address);
	}
	return size;
}

const struct piece *memmap_piece_of(const struct memmap *map, uint64_t address)
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

bool memmap_next(const struct memmap *map, uint64_t address, uint64_t *next)
{
	const struct memmap *base = memmap_base(map);
	const struct piece *piece = memmap_piece_of(base, address);

	piece = piece ? piece + 1 : base->pieces;
	if (piece == base->pieces + base->piece_count)
		return false;
	*next = piece->address;
	return true;
}
