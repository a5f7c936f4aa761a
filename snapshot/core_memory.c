/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory map of each core: its own dumps, the images, the dumps of the other cores; and of each
 * memory space.
 *
 * What an image's segment shows is taken as never written if the segment is not writable, no dump
 * and no other segment holds other bytes there, and no writable segment lies over it. That is
 * decided by the page, as memory is protected by the page: a program that did write to a page
 * of its code had it writable as a whole. What a writable segment shows is what the program was
 * loaded with: code that ran, but no data at the halt.
 *
 * A second map takes dumps for what they are where cores halted in different contexts: memory of
 * the context that the core halted in (snap_core_memory_by_context()).
 */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "snapshot/load.h"

enum {
	PAGE = 4096,
	/* The states whose lower addresses the operating system maps anew for each process. */
	PROCESS_STATES = SPACE_EL1S | SPACE_EL1N | SPACE_EL1R,
};

/* Addresses from `first` to `last`, both included, that are never written. */
struct stretch {
	uint64_t first;
	uint64_t last;
};

struct stretches {
	struct stretch *items; /* by address; may touch and overlap */
	size_t count;
	size_t capacity;
};

/* A segment under examination, and which of its pages were found not to hold what it shows. */
struct candidate {
	const struct elf_segment *segment;
	bool *spoilt;
	size_t page_count;
};

/* Bytes at an address to compare with; `data` is NULL if they are known to change. */
struct claim {
	uint64_t address;
	uint64_t length;
	const uint8_t *data;
};

static uint64_t last_of(uint64_t address, uint64_t length)
{
	return address + (length - 1);
}

static void compare(const struct candidate *candidate, const struct claim *claim)
{
	uint64_t base = candidate->segment->address;
	uint64_t last = last_of(base, candidate->segment->file_size);
	uint64_t at = claim->address > base ? claim->address : base;

	if (claim->length == 0 || claim->address > last ||
	    last_of(claim->address, claim->length) < base)
		return;
	if (last > last_of(claim->address, claim->length))
		last = last_of(claim->address, claim->length);
	for (;;) {
		size_t page = (size_t)((at - base) / PAGE);
		uint64_t page_last = base + ((uint64_t)page * PAGE + (PAGE - 1));
		uint64_t end = page_last < last && page_last >= base ? page_last : last;

		if (!claim->data ||
		    memcmp(candidate->segment->data + (at - base),
		           claim->data + (at - claim->address), (size_t)(end - at) + 1) != 0)
			candidate->spoilt[page] = true;
		if (end == last)
			break;
		at = end + 1;
	}
}

static void compare_with_dumps(const struct snapshot *snapshot, const struct candidate *candidate)
{
	for (size_t i = 0; i < snapshot->core_count; i++) {
		const struct snap_device *device = snapshot->cores[i].device;

		for (size_t j = 0; j < device->dump_count; j++) {
			const struct snap_dump *dump = &device->dumps[j];

			compare(candidate,
			        &(struct claim){dump->address, dump->length, dump->data});
		}
	}
}

static void compare_with_segments(const struct snapshot *snapshot,
                                  const struct candidate *candidate)
{
	for (size_t i = 0; i < snapshot->image_count; i++) {
		const struct elf_image *image = snapshot->images[i];

		for (size_t j = 0; j < image->segment_count; j++) {
			const struct elf_segment *segment = &image->segments[j];

			if (segment == candidate->segment)
				continue;
			compare(candidate,
			        &(struct claim){segment->address,
			                        segment->writable ? segment->memory_size
			                                          : segment->file_size,
			                        segment->writable ? NULL : segment->data});
		}
	}
}

static enum status add_stretches(const struct candidate *candidate, struct stretches *stretches)
{
	const struct elf_segment *segment = candidate->segment;

	for (size_t i = 0; i < candidate->page_count; i++) {
		size_t begin = i;
		uint64_t length;

		while (i < candidate->page_count && !candidate->spoilt[i])
			i++;
		if (i == begin)
			continue;
		length = (uint64_t)(i - begin) * PAGE;
		if (length > segment->file_size - (uint64_t)begin * PAGE)
			length = segment->file_size - (uint64_t)begin * PAGE;
		TRY(vec_reserve((void **)&stretches->items, &stretches->capacity,
		                stretches->count + 1, sizeof(*stretches->items)));
		stretches->items[stretches->count].first =
		        segment->address + (uint64_t)begin * PAGE;
		stretches->items[stretches->count].last =
		        last_of(segment->address + (uint64_t)begin * PAGE, length);
		stretches->count++;
	}
	return STATUS_OK;
}

static enum status examine(const struct snapshot *snapshot, const struct elf_segment *segment,
                           struct stretches *stretches)
{
	struct candidate candidate = {.segment = segment};
	enum status status;

	if (segment->writable || segment->file_size == 0)
		return STATUS_OK;
	candidate.page_count = (size_t)((segment->file_size - 1) / PAGE) + 1;
	candidate.spoilt = calloc(candidate.page_count, sizeof(*candidate.spoilt));
	if (!candidate.spoilt)
		return STATUS_NO_MEM;
	compare_with_dumps(snapshot, &candidate);
	compare_with_segments(snapshot, &candidate);
	status = add_stretches(&candidate, stretches);
	free(candidate.spoilt);
	return status;
}

static int compare_stretches(const void *a, const void *b)
{
	const struct stretch *x = a;
	const struct stretch *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

/* Joins what overlaps or touches, so that stretches lie apart. */
static void merge(struct stretches *stretches)
{
	size_t kept = 0;

	if (stretches->count == 0)
		return;
	qsort(stretches->items, stretches->count, sizeof(*stretches->items), compare_stretches);
	for (size_t i = 1; i < stretches->count; i++) {
		struct stretch *before = &stretches->items[kept];
		const struct stretch *next = &stretches->items[i];

		if (before->last == UINT64_MAX || next->first <= before->last + 1) {
			if (next->last > before->last)
				before->last = next->last;
		} else {
			stretches->items[++kept] = *next;
		}
	}
	stretches->count = kept + 1;
}

static enum status find_stretches(const struct snapshot *snapshot, struct stretches *stretches)
{
	for (size_t i = 0; i < snapshot->image_count; i++) {
		const struct elf_image *image = snapshot->images[i];

		for (size_t j = 0; j < image->segment_count; j++)
			TRY(examine(snapshot, &image->segments[j], stretches));
	}
	merge(stretches);
	return STATUS_OK;
}

/* Adds a region in parts, each wholly read-only or wholly not. */
static enum status add_region(struct memmap *map, const struct stretches *stretches,
                              const struct mem_region *region)
{
	uint64_t last = last_of(region->address, region->length);
	struct mem_region part = *region;

	for (size_t i = 0; i < stretches->count; i++) {
		const struct stretch *stretch = &stretches->items[i];
		uint64_t end = stretch->last < last ? stretch->last : last;

		if (stretch->last < part.address)
			continue;
		if (stretch->first > last)
			break;
		if (stretch->first > part.address) {
			part.length = stretch->first - part.address;
			TRY(memmap_add(map, &part));
			part.data += part.length;
			part.address += part.length;
		}
		part.length = end - part.address + 1;
		part.read_only = true;
		TRY(memmap_add(map, &part));
		if (end == last)
			return STATUS_OK;
		part.data += part.length;
		part.address += part.length;
		part.read_only = false;
	}
	part.length = last - part.address + 1;
	return memmap_add(map, &part);
}

/* Where the parts of what a log has cut go. */
struct target {
	struct memmap *map;
	const struct stretches *stretches;
};

static enum status add_part(void *context, const struct mem_region *region)
{
	const struct target *target = context;

	/* What is there in some states alone was written. */
	if (region->states.first < region->states.end)
		return memmap_add(target->map, region);
	return add_region(target->map, target->stretches, region);
}

static enum status add_piece(void *context, const struct mem_region *region)
{
	return memmap_add(context, region);
}

/* Whether memory there is another one for each process: for A64, what TTBR0 translates. */
static bool is_of_process(const struct snap_core *core, enum space space, uint64_t address)
{
	if (core->arch == CORE_M || !space_meets(space, (enum space)PROCESS_STATES))
		return false;
	/* The R profile has no translation. */
	if (core->arch == CORE_A32)
		return !str_has_prefix_nocase(core->device->type, STR("Cortex-R")) &&
		       !str_has_suffix_nocase(core->device->type, STR("-R"));
	return (address >> 55 & 1) == 0;
}

/* The context in which a core halted, as its registers say. */
static struct memory_context halt_context(const struct snap_core *core)
{
	const struct snap_register *id =
	        snap_device_any_register(core->device, STR("CONTEXTIDR_EL1|CONTEXTIDR"));

	return (struct memory_context){.has_id = id != NULL,
	                               .id = id ? (uint32_t)snap_register_value(id) : 0};
}

bool snap_core_may_rival(const struct snap_core *core, const struct memory_context *halted,
                         const struct snap_core *other)
{
	struct memory_context of_other = halt_context(other);

	/* Threads of one core file share their list. */
	return core->device->dumps != other->device->dumps && other->device->dump_count > 0 &&
	       other->arch != CORE_M &&
	       !(halted->has_id && of_other.has_id && halted->id == of_other.id);
}

/* The bytes that both have; false if there are none. */
static bool overlap_of(uint64_t first, uint64_t last, const struct snap_dump *dump,
                       struct stretch *both)
{
	if (dump->length == 0 || dump->address > last ||
	    last_of(dump->address, dump->length) < first)
		return false;
	both->first = dump->address > first ? dump->address : first;
	both->last = last_of(dump->address, dump->length);
	if (both->last > last)
		both->last = last;
	return true;
}

static const uint8_t *dump_at(const struct snap_dump *dump, uint64_t address)
{
	return dump->data + (address - dump->address);
}

/* What the core's map has from an address of its dumps on differs from a dump of another core. */
static bool differs(const struct snap_core *core, uint32_t view, const struct snap_dump *dump,
                    struct stretch both, uint64_t *address)
{
	struct mem_span span;

	for (uint64_t at = both.first;; at += bytes_left(&span.bytes)) {
		uint64_t most = both.last - at + 1;

		if (memmap_find(core->memory, view, at, &span) != STATUS_OK)
			return false;
		if (most > bytes_left(&span.bytes))
			most = bytes_left(&span.bytes);
		if (span.region->kind != REGION_IMAGE &&
		    memcmp(span.bytes.pos, dump_at(dump, at), (size_t)most) != 0) {
			*address = at;
			return true;
		}
		if (both.last - at < bytes_left(&span.bytes))
			return false;
	}
}

bool snap_core_find_rival(const struct snap_core *core, const struct snap_core *other,
                          const struct snap_code *code, struct snap_rival *rival)
{
	if (!is_of_process(core, code->space, code->first))
		return false;
	for (size_t i = 0; i < other->device->dump_count; i++) {
		const struct snap_dump *dump = &other->device->dumps[i];
		struct stretch both;

		if (space_meets(dump->space, code->space) &&
		    overlap_of(code->first, code->last, dump, &both) &&
		    differs(core, (uint32_t)code->space, dump, both, &rival->address)) {
			rival->core = other;
			rival->dump = dump;
			rival->context = halt_context(other);
			return true;
		}
	}
	return false;
}

/* The dumps of a core, by whom they are seen. */
struct owned_dumps {
	struct memmap *map;
	const struct stretches *stretches;
	const struct snapshot *snapshot;
	const struct snap_core *core;
	struct memory_context halted; /* in which its core halted */
};

/* Some other core has dumped the bytes, and all that did have the same. */
static bool is_common(const struct owned_dumps *owned, const struct mem_region *part)
{
	bool found = false;

	for (size_t i = 0; i < owned->snapshot->core_count; i++) {
		const struct snap_device *device = owned->snapshot->cores[i].device;

		for (size_t j = 0;
		     device->dumps != owned->core->device->dumps && j < device->dump_count; j++) {
			const struct snap_dump *dump = &device->dumps[j];
			struct stretch both;

			if (!space_meets(dump->space, part->space) ||
			    !overlap_of(part->address, last_of(part->address, part->length), dump,
			                &both))
				continue;
			if (both.last - both.first + 1 != part->length ||
			    memcmp(dump_at(dump, both.first), part->data, part->length) != 0)
				return false;
			found = true;
		}
	}
	return found;
}

/* The page of a region in which the address is, from there to `last` at most. */
static struct mem_region page_of(const struct mem_region *region, uint64_t address, uint64_t last)
{
	uint64_t end = address | (PAGE - 1);
	struct mem_region page = *region;

	page.address = address;
	page.length = (end < last ? end : last) - address + 1;
	page.data += address - region->address;
	return page;
}

/* Adds a dump: pages that are common are everyone's, others are of its core's context. */
static enum status add_owned(const struct owned_dumps *owned, const struct mem_region *region)
{
	uint64_t end = last_of(region->address, region->length);
	uint64_t at = region->address;

	for (;;) {
		struct mem_region part = page_of(region, at, end);
		uint64_t last = last_of(part.address, part.length);
		bool common = is_common(owned, &part);

		while (last < end) {
			struct mem_region next = page_of(region, last + 1, end);

			if (is_common(owned, &next) != common)
				break;
			part.length += next.length;
			last = last_of(next.address, next.length);
		}
		part.of_halt = !common;
		if (part.of_halt)
			part.context = owned->halted;
		TRY(add_region(owned->map, owned->stretches, &part));
		if (last == end)
			return STATUS_OK;
		at = last + 1;
	}
}

static struct mem_region region_of(const struct snap_device *device, const struct snap_dump *dump,
                                   enum memmap_kind kind)
{
	return (struct mem_region){
	        .address = dump->address,
	        .length = dump->length,
	        .space = dump->space,
	        .kind = kind,
	        .data = dump->data,
	        .owner = device->dumps,
	        .origin = dump->file,
	};
}

static enum status add_owned_dumps(const struct owned_dumps *owned, enum memmap_kind kind)
{
	const struct snap_device *device = owned->core->device;

	for (size_t i = 0; i < device->dump_count; i++) {
		struct mem_region region = region_of(device, &device->dumps[i], kind);

		if (region.length == 0)
			continue;
		if (is_of_process(owned->core, region.space, region.address))
			TRY(add_owned(owned, &region));
		else
			TRY(add_region(owned->map, owned->stretches, &region));
	}
	return STATUS_OK;
}

static enum status add_dumps(struct memmap *map, const struct stretches *stretches,
                             const struct system_log *log, const struct snap_device *device,
                             enum memmap_kind kind)
{
	struct target target = {map, stretches};

	for (size_t i = 0; i < device->dump_count; i++) {
		const struct snap_dump *dump = &device->dumps[i];
		struct mem_region region = region_of(device, dump, kind);

		if (dump->length > 0 && log)
			TRY(logged_memory_cut_dump(log, device, &region, add_part, &target));
		else if (dump->length > 0)
			TRY(add_region(map, stretches, &region));
	}
	return STATUS_OK;
}

/* The dump that holds the address for all who see the region, or else the next one after it. */
static const struct snap_dump *dump_from(const struct snap_device *device,
                                         const struct mem_region *region)
{
	const struct snap_dump *found = NULL;

	for (size_t i = 0; i < device->dump_count; i++) {
		const struct snap_dump *dump = &device->dumps[i];

		if (((unsigned int)region->space & ~(unsigned int)dump->space) == 0 &&
		    dump->length > 0 && last_of(dump->address, dump->length) >= region->address &&
		    (!found || dump->address < found->address))
			found = dump;
	}
	return found;
}

/* Adds an image of the context in which the core halted: what that has there now are its dumps. */
static enum status add_beside_dumps(struct memmap *map, const struct stretches *stretches,
                                    const struct snap_device *device,
                                    const struct mem_region *region)
{
	uint64_t last = last_of(region->address, region->length);
	struct mem_region part = *region;

	for (;;) {
		const struct snap_dump *dump = dump_from(device, &part);
		uint64_t end;

		if (!dump || dump->address > last) {
			part.length = last - part.address + 1;
			return add_region(map, stretches, &part);
		}
		if (dump->address > part.address) {
			part.length = dump->address - part.address;
			TRY(add_region(map, stretches, &part));
		}
		end = last_of(dump->address, dump->length);
		if (end >= last)
			return STATUS_OK;
		part.address = end + 1;
		part.data = region->data + (part.address - region->address);
	}
}

static enum status add_images(struct memmap *map, const struct stretches *stretches,
                              const struct snapshot *snapshot, const struct snap_core *core)
{
	const struct memory_context halted = halt_context(core);

	for (size_t i = 0; i < snapshot->mapped_images; i++) {
		const struct elf_image *image = snapshot->images[i];

		for (size_t j = 0; j < image->segment_count; j++) {
			struct mem_region region = {
			        .address = image->segments[j].address,
			        .length = image->segments[j].file_size,
			        .space = image->space,
			        .context = image->context,
			        .kind = REGION_IMAGE,
			        .is_initial = elf_segment_is_initial(image, &image->segments[j]),
			        .data = image->segments[j].data,
			        .origin = image->path,
			};

			if (snapshot->log)
				logged_memory_bind(snapshot->log, &region);
			if (region.length == 0 || image->is_logged)
				continue;
			if (!snapshot->log && image->context.has_id && halted.has_id &&
			    image->context.id == halted.id)
				TRY(add_beside_dumps(map, stretches, core->device, &region));
			else
				TRY(add_region(map, stretches, &region));
		}
	}
	return STATUS_OK;
}

/* Every other core has dumps, and a list of them for itself: threads of one core file share theirs.
 */
static bool is_all_dumped(const struct snapshot *snapshot, const struct snap_core *core)
{
	for (size_t i = 0; i < snapshot->core_count; i++) {
		const struct snap_device *device = snapshot->cores[i].device;

		if (&snapshot->cores[i] != core &&
		    (device->dump_count == 0 || device->dumps == core->device->dumps))
			return false;
	}
	return snapshot->core_count > 1;
}

static enum status build(struct loader *loader, const struct snap_core *core,
                         const struct stretches *stretches)
{
	const struct snapshot *snapshot = loader->snapshot;
	enum status status;

	memmap_set_devices(core->memory, snapshot->device_ranges, snapshot->device_range_count);
	if (is_all_dumped(snapshot, core))
		memmap_set_all_dumped(core->memory);
	if (snapshot->log)
		memmap_set_log(core->memory, snapshot->log);
	TRY(add_dumps(core->memory, stretches, snapshot->log, core->device, REGION_DUMP));
	TRY(add_images(core->memory, stretches, snapshot, core));
	if (snapshot->log)
		TRY(logged_memory_add_pieces(snapshot, add_piece, core->memory));
	for (size_t i = 0; i < snapshot->core_count; i++) {
		/* Threads of one core file share their list. */
		if (&snapshot->cores[i] != core &&
		    snapshot->cores[i].device->dumps != core->device->dumps)
			TRY(add_dumps(core->memory, stretches, snapshot->log,
			              snapshot->cores[i].device, REGION_OTHERS));
	}
	status = memmap_freeze(core->memory);
	if (status != STATUS_UNSUPPORTED)
		return status;
	return diag_error(loader->diags, status, place_none(),
	                  "images of more contexts than can be told apart: %d contexts and VMIDs "
	                  "at most",
	                  MEMMAP_CLASSES - 2);
}

static enum status build_by_context(struct memmap *map, const struct snapshot *snapshot,
                                    const struct snap_core *core,
                                    const struct memory_context *halted,
                                    const struct stretches *stretches)
{
	struct owned_dumps owned = {map, stretches, snapshot, core, *halted};

	memmap_set_devices(map, snapshot->device_ranges, snapshot->device_range_count);
	if (is_all_dumped(snapshot, core))
		memmap_set_all_dumped(map);
	TRY(add_owned_dumps(&owned, REGION_DUMP));
	TRY(add_images(map, stretches, snapshot, core));
	for (size_t i = 0; i < snapshot->core_count; i++) {
		owned.core = &snapshot->cores[i];
		owned.halted = halt_context(owned.core);
		if (owned.core->device->dumps != core->device->dumps)
			TRY(add_owned_dumps(&owned, REGION_OTHERS));
	}
	return memmap_freeze(map);
}

enum status snap_core_memory_by_context(const struct snapshot *snapshot,
                                        const struct snap_core *core,
                                        const struct memory_context *halted, struct memmap **map)
{
	struct stretches stretches = {0};
	enum status status = find_stretches(snapshot, &stretches);

	*map = NULL;
	if (status == STATUS_OK)
		status = (*map = memmap_create())
		                 ? build_by_context(*map, snapshot, core, halted, &stretches)
		                 : STATUS_NO_MEM;
	free(stretches.items);
	if (status == STATUS_OK)
		return STATUS_OK;
	memmap_destroy(*map);
	*map = NULL;
	return status;
}

/* Nothing but their own dumps: no image says where it lies on a bus. */
static enum status load_memory_spaces(struct loader *loader)
{
	static const struct stretches none;
	struct snapshot *snapshot = loader->snapshot;

	TRY(load_array(loader, snapshot->device_count, sizeof(*snapshot->memory_spaces),
	               (void **)&snapshot->memory_spaces));
	for (size_t i = 0; i < snapshot->device_count; i++) {
		const struct snap_device *device = &snapshot->devices[i];
		struct memmap *memory;

		if (device->class != DEVICE_MEMORY_SPACE)
			continue;
		memory = memmap_create();
		if (!memory)
			return STATUS_NO_MEM;
		snapshot->memory_spaces[snapshot->memory_space_count++] =
		        (struct snap_memory_space){device, memory};
		TRY(add_dumps(memory, &none, NULL, device, REGION_DUMP));
		TRY(memmap_freeze(memory));
	}
	return STATUS_OK;
}

static bool has_big_endian_image(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->image_count; i++) {
		if (snapshot->images[i]->is_big_endian)
			return true;
	}
	return false;
}

enum status load_memory(struct loader *loader)
{
	struct snapshot *snapshot = loader->snapshot;
	struct stretches stretches = {0};
	enum status status = find_stretches(snapshot, &stretches);

	for (size_t i = 0; status == STATUS_OK && i < snapshot->core_count; i++) {
		snapshot->cores[i].runs_big_endian = has_big_endian_image(snapshot);
		snapshot->cores[i].memory = memmap_create();
		status = snapshot->cores[i].memory ? build(loader, &snapshot->cores[i], &stretches)
		                                   : STATUS_NO_MEM;
	}
	free(stretches.items);
	return status == STATUS_OK ? load_memory_spaces(loader) : status;
}
