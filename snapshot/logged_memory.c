/* SPDX-License-Identifier: Apache-2.0 */
/* Regions of a system event log; see load.h. */
#include <string.h>

#include "snapshot/load.h"

/* Whose memory the dumps of a device are. */
struct halted {
	const struct system_log *log;
	bool is_known;
	uint64_t pid;
};

static struct halted halted_of(const struct system_log *log, const struct snap_device *device)
{
	const struct snap_register *id =
	        snap_device_any_register(device, STR("CONTEXTIDR_EL1|CONTEXTIDR"));
	struct halted halted = {.log = log};

	halted.is_known = id && system_log_process(log, (uint32_t)snap_register_value(id),
	                                           &halted.pid) == STATUS_OK;
	return halted;
}

static void bind_to(const struct system_log *log, uint64_t pid, struct mem_region *region)
{
	size_t owner = system_log_owner(log, pid);

	region->context.has_id = true;
	region->context.id = owner < log->owner_count ? (uint32_t)owner : MEMMAP_NOBODY;
}

/* It holds from a state on to the halt. */
static void begin_at(const struct system_log *log, uint32_t since, struct mem_region *region)
{
	if (since == 0)
		return;
	region->states = (struct state_range){since, log->processes.states};
	region->read_only = false;
}

/* A part of a dump at a place where processes have code. */
static void give_to_process(const struct halted *halted, const struct code_place *place,
                            struct mem_region *region)
{
	if (halted->is_known && halted->pid != 0)
		bind_to(halted->log, halted->pid, region);
	else if (!place->has_several && place->lacks_bytes)
		bind_to(halted->log, place->pid, region);
	else
		bind_to(halted->log, UINT64_MAX, region);
	begin_at(halted->log, place->since, region);
}

/* A part of a dump; `place` is NULL if the log has nothing there. */
static void give_part(const struct halted *halted, const struct code_place *place,
                      struct mem_region *region)
{
	if (!place) {
		region->needs_owner = halted->log->processes.has_processes;
		return;
	}
	if (place->has_kernel)
		begin_at(halted->log, place->kernel_since, region);
	else
		give_to_process(halted, place, region);
}

static struct mem_region part_of(const struct mem_region *region, uint64_t first, uint64_t last)
{
	struct mem_region part = *region;

	part.data += first - region->address;
	part.address = first;
	part.length = last - first + 1;
	return part;
}

/* The last byte of what begins in `place` and goes to `last` at most; all of that if it is NULL. */
static uint64_t end_in(const struct code_place *place, uint64_t last)
{
	return place && place->last < last ? place->last : last;
}

enum status logged_memory_cut_dump(const struct system_log *log, const struct snap_device *device,
                                   const struct mem_region *region, logged_memory_adder *add,
                                   void *context)
{
	const struct code_places *places = &log->places;
	struct halted halted = halted_of(log, device);
	uint64_t last = region->address + (region->length - 1);
	uint64_t at = region->address;

	for (size_t i = code_places_find(places, at);; i++) {
		const struct code_place *place = i < places->count ? &places->items[i] : NULL;
		struct mem_region part;
		uint64_t end;

		if (place && place->first > at && place->first <= last) {
			/* What lies before the place. */
			part = part_of(region, at, place->first - 1);
			give_part(&halted, NULL, &part);
			TRY(add(context, &part));
			at = place->first;
		}
		if (place && place->first > last)
			place = NULL;
		end = end_in(place, last);
		part = part_of(region, at, end);
		give_part(&halted, place, &part);
		TRY(add(context, &part));
		if (end == last)
			return STATUS_OK;
		at = end + 1;
	}
}

void logged_memory_bind(const struct system_log *log, struct mem_region *region)
{
	uint64_t pid;

	if (!log->processes.has_processes)
		return;
	if (!region->context.has_id)
		region->needs_owner = true;
	else if (system_log_process(log, region->context.id, &pid) == STATUS_OK)
		bind_to(log, pid, region);
	else
		bind_to(log, UINT64_MAX, region);
}

/* A dump holds other bytes in a page of the piece. */
static bool is_contradicted(const struct snapshot *snapshot, const struct code_piece *piece)
{
	for (size_t i = 0; i < snapshot->core_count; i++) {
		const struct snap_device *device = snapshot->cores[i].device;

		for (size_t j = 0; j < device->dump_count; j++) {
			const struct snap_dump *dump = &device->dumps[j];
			uint64_t first =
			        dump->address > piece->address ? dump->address : piece->address;
			uint64_t last;

			if (dump->length == 0)
				continue;
			last = dump->address + (dump->length - 1);
			last = last < piece->last ? last : piece->last;
			if (first <= last && memcmp(dump->data + (first - dump->address),
			                            piece->data + (first - piece->address),
			                            (size_t)(last - first) + 1) != 0)
				return true;
		}
	}
	return false;
}

/* Nothing of its image was patched or taken away: it is as it was loaded, always. */
static bool is_constant(const struct snapshot *snapshot, const struct code_piece *piece)
{
	const struct system_log *log = snapshot->log;

	if (piece->is_initial || piece->states.first > 0 ||
	    piece->states.end < log->processes.states)
		return false;
	for (size_t i = 0; i < log->pieces.count; i++) {
		const struct code_piece *other = &log->pieces.items[i];

		/* What was patched was writable, by the page. */
		if (other->is_patch && other->pid == piece->pid &&
		    other->address >> 12 <= piece->last >> 12 &&
		    piece->address >> 12 <= other->last >> 12)
			return false;
	}
	return !is_contradicted(snapshot, piece);
}

enum status logged_memory_add_pieces(const struct snapshot *snapshot, logged_memory_adder *add,
                                     void *context)
{
	const struct system_log *log = snapshot->log;

	for (size_t i = 0; i < log->pieces.count; i++) {
		const struct code_piece *piece = &log->pieces.items[i];
		struct mem_region region = {
		        .address = piece->address,
		        .length = piece->last - piece->address + 1,
		        .space = SPACE_ANY,
		        .kind = REGION_IMAGE,
		        .is_initial = piece->is_initial,
		        .data = piece->data,
		        .origin = piece->origin,
		};

		if (!piece->data || region.length == 0)
			continue;
		if (piece->pid != 0)
			bind_to(log, piece->pid, &region);
		if (piece->states.first > 0 || piece->states.end < log->processes.states)
			region.states = piece->states;
		region.read_only = is_constant(snapshot, piece);
		TRY(add(context, &region));
	}
	return STATUS_OK;
}
