/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Following code. In: the memory map, an address. Out: the instructions from there to a waypoint
 * (ETMv4 IHI 0064, P0 elements).
 *
 * The unit of the cache is the stretch: the instructions from an address to a waypoint, to a hole
 * in memory or to the next multiple of GRID, whichever comes first. Nearly every walk is one
 * stretch. Where code goes on over the grid without a waypoint, walks that began at different
 * addresses share the stretches after it: so a megabyte of zeros does not cost a megabyte for
 * each address in it that a trace names.
 */
#include "decoder/flow/follow.h"

#include <stdlib.h>
#include <string.h>

#include "arch/a32/a32.h"
#include "base/hash.h"
#include "base/huge_pages.h"

enum {
	GRID = 16 * 1024,     /* bytes */
	SLOTS_FIRST = 1024,   /* power of two, as all sizes of the cache */
	SLOTS_MOST = 1 << 20, /* 64 MiB; a cache that needs more is emptied */
	HOLE_SLOTS = 1 << 13, /* addresses without code, each in the slot of its address */
	INSN_SLOTS = 1 << 13, /* single instructions, each in the slot of its address */
};

struct stretch {
	struct walk walk; /* at a hole and at the grid ends_at_waypoint is false */
	bool is_used;     /* false: the slot is free */
	bool ends_at_hole;
	uint32_t view;
};

/* An address without code. */
struct hole {
	uint64_t start;
	uint32_t view;
	uint8_t isa; /* enum isa */
	bool is_used;
};

struct follow {
	const struct memmap *memory;
	struct insn_options options;
	struct stretch *slots; /* open addressing by start, isa and view */
	size_t slot_count;     /* 0 before the first stretch */
	size_t used;
	struct hole holes[HOLE_SLOTS];
	struct stretch *insns;   /* as stretches of one instruction; NULL before the first */
	struct stretch uncached; /* the last one that has no slot */
	bool caller_keeps;       /* walks to a waypoint need no slot */
	const struct trace_clock *clock; /* or NULL */
	bool has_time;
	bool has_floor;
	uint64_t time;        /* the last timestamp; valid if has_time */
	uint64_t floor;       /* the last before the last waypoint; valid if has_floor */
	uint64_t place;       /* the last one, where places matter */
	uint32_t epoch;       /* of what comes next (snapshot/memmap.h) */
	uint32_t epoch_after; /* and after the next waypoint */
};

/* Reads code that lies one after the other. */
struct reader {
	const struct follow *follow;
	uint32_t view;
	struct bytes bytes; /* memory from the next opcode on; may be empty */
	uint32_t opcode;    /* the last one */
	uint8_t it_left;    /* T32: instructions that an IT before them puts under a condition */
};

struct follow *follow_create(const struct memmap *memory, const struct insn_options *options)
{
	struct follow *follow = calloc(1, sizeof(*follow));

	if (!follow)
		return NULL;
	follow->memory = memory;
	follow->options = *options;
	return follow;
}

uint32_t follow_view(const struct follow *follow, const struct pe_context *context)
{
	struct memory_context memory = pe_context_memory(context);

	return memmap_view_at(follow->memory, pe_context_space(context), &memory, follow->epoch);
}

/* Not before *earliest, nor after the first timestamp after a place. */
static uint32_t epoch_to(const struct follow *follow, const uint64_t *earliest,
                         const struct trace_time *next)
{
	return memmap_epoch(follow->memory, earliest, next ? &next->time : NULL);
}

void follow_set_clock(struct follow *follow, const struct trace_clock *clock)
{
	if (!clock || clock->goes_back)
		return;
	follow->clock = clock;
	follow->epoch = epoch_to(follow, NULL, clock->count > 0 ? &clock->items[0] : NULL);
	follow->epoch_after = follow->epoch;
}

bool follow_take_time(struct follow *follow, uint64_t offset, uint64_t time)
{
	uint32_t before = follow->epoch;
	const struct trace_time *next;

	if (!follow->clock || time == 0)
		return false;
	next = trace_clock_after(follow->clock, offset);
	/* What is on the way to the waypoint is after what was before the last one. */
	if (follow->has_time && !follow_awaits_time(follow)) {
		follow->has_floor = true;
		follow->floor = follow->time;
	}
	follow->epoch = epoch_to(follow, follow->has_floor ? &follow->floor : NULL, next);
	follow->epoch_after = epoch_to(follow, &time, next);
	follow->has_time = true;
	follow->time = time;
	return follow->epoch != before || follow_awaits_time(follow);
}

bool follow_has_places(const struct follow *follow)
{
	return memmap_past(follow->memory) != NULL;
}

bool follow_take_place(struct follow *follow, uint64_t offset)
{
	uint32_t before = follow->epoch;

	if (!follow_has_places(follow))
		return false;
	follow->place = offset;
	follow->epoch = memmap_epoch_of_place(follow->memory, offset);
	follow->epoch_after = follow->epoch;
	return follow->epoch != before;
}

uint64_t follow_place(const struct follow *follow)
{
	return follow->place;
}

bool follow_awaits_time(const struct follow *follow)
{
	return follow->epoch != follow->epoch_after;
}

bool follow_pass_time(struct follow *follow)
{
	bool changes = follow_awaits_time(follow);

	follow->epoch = follow->epoch_after;
	return changes;
}

void follow_destroy(struct follow *follow)
{
	if (!follow)
		return;
	free(follow->slots);
	free(follow->insns);
	free(follow);
}

/* The opcode of `size` bytes at `address`. False if one of them is not in memory. */
static bool read_opcode(struct reader *reader, uint64_t address, unsigned int size,
                        uint64_t *opcode)
{
	const struct memmap *memory = reader->follow->memory;
	struct mem_span next = {.bytes = {0}};
	uint8_t raw[4];
	struct bytes across;

	if (bytes_le(&reader->bytes, size, opcode) == STATUS_OK)
		return true;
	/* The first opcode, or one that begins in the next region or lies across its border. */
	if (memmap_read(memory, reader->view, address, raw, size) < size)
		return false;
	if (memmap_find(memory, reader->view, address + size, &next) != STATUS_OK)
		next.bytes = bytes_of(NULL, 0);
	reader->bytes = next.bytes;
	across = bytes_of(raw, size);
	return bytes_le(&across, size, opcode) == STATUS_OK;
}

/* A T32 opcode is one halfword or two, the first one in the high half. */
static bool read_t32_opcode(struct reader *reader, uint64_t address, uint64_t *opcode)
{
	uint64_t second;

	if (!read_opcode(reader, address, 2, opcode))
		return false;
	if (insn_t32_size((uint32_t)*opcode) == 2)
		return true;
	if (!read_opcode(reader, address + 2, 2, &second))
		return false;
	*opcode = *opcode << 16 | second;
	return true;
}

/* False if the instruction at `address` is not in memory. */
static bool classify_at(struct reader *reader, enum isa isa, uint64_t address, struct insn *insn)
{
	const struct insn_options *options = &reader->follow->options;
	bool is_t32 = isa == ISA_T32;
	uint64_t opcode;

	if (is_t32 ? !read_t32_opcode(reader, address, &opcode)
	           : !read_opcode(reader, address, 4, &opcode))
		return false;
	reader->opcode = (uint32_t)opcode;
	return insn_classify(isa, (uint32_t)opcode, address, options, insn);
}

/* Appends the instruction at walk->end. False if it is not in memory. */
static bool walk_insn(struct reader *reader, struct walk *walk)
{
	if (!classify_at(reader, walk->isa, walk->end, &walk->last))
		return false;
	if (reader->it_left > 0) {
		reader->it_left--;
		walk->last.is_conditional = true;
	} else if (reader->follow->options.it_is_conditional) {
		reader->it_left = walk->last.it_count;
	}
	walk->ends_at_waypoint = walk->last.class != INSN_OTHER;
	walk->end += walk->last.size;
	walk->count++;
	return true;
}

static bool can_follow(enum isa isa)
{
	return isa == ISA_A64 || isa == ISA_A32 || isa == ISA_T32;
}

static struct stretch walk_stretch(const struct follow *follow, uint32_t view, enum isa isa,
                                   uint64_t start)
{
	struct reader reader = {.follow = follow, .view = view};
	struct stretch stretch = {
	        .walk = {.start = start, .end = start, .isa = isa}, .is_used = true, .view = view};
	struct walk *walk = &stretch.walk;

	while (!walk->ends_at_waypoint &&
	       (walk->end / GRID == start / GRID || reader.it_left > 0)) {
		if (!walk_insn(&reader, walk)) {
			stretch.ends_at_hole = true;
			break;
		}
	}
	return stretch;
}

static bool is_at(const struct stretch *slot, uint32_t view, enum isa isa, uint64_t start)
{
	return slot->walk.start == start && slot->walk.isa == isa && slot->view == view;
}

/* The slot of the stretch, or the free one that it would take; there is always a free one. */
static struct stretch *find_slot(struct stretch *slots, size_t slot_count, uint32_t view,
                                 enum isa isa, uint64_t start)
{
	uint64_t key = start ^ ((uint64_t)view << 48 | (uint64_t)isa << 44);
	size_t at = hash_u64(key);

	for (;; at++) {
		struct stretch *slot = &slots[at & (slot_count - 1)];

		if (!slot->is_used || is_at(slot, view, isa, start))
			return slot;
	}
}

/* Makes room for one more stretch: at most three of four slots are used. */
static enum status make_room(struct follow *follow)
{
	size_t grown = follow->slot_count ? 2 * follow->slot_count : SLOTS_FIRST;
	struct stretch *slots;

	if (follow->used + 1 <= follow->slot_count / 4 * 3)
		return STATUS_OK;
	if (grown > SLOTS_MOST) {
		memset(follow->slots, 0, follow->slot_count * sizeof(*follow->slots));
		follow->used = 0;
		return STATUS_OK;
	}
	slots = huge_pages_calloc(grown, sizeof(*slots));
	if (!slots)
		return STATUS_NO_MEM;
	for (size_t i = 0; i < follow->slot_count; i++) {
		const struct stretch *old = &follow->slots[i];

		if (old->is_used)
			*find_slot(slots, grown, old->view, old->walk.isa, old->walk.start) = *old;
	}
	free(follow->slots);
	follow->slots = slots;
	follow->slot_count = grown;
	return STATUS_OK;
}

bool follow_knows_hole(const struct follow *follow, uint32_t view, enum isa isa, uint64_t start)
{
	const struct hole *hole = &follow->holes[hash_u64(start) % HOLE_SLOTS];

	return hole->start == start && hole->is_used && hole->isa == isa && hole->view == view;
}

/*
 * Walks the stretch and enters it, unless it is a walk that the caller keeps. `*found` is valid
 * until the next call.
 */
static enum status add_stretch(struct follow *follow, uint32_t view, enum isa isa, uint64_t start,
                               const struct stretch **found)
{
	struct stretch *slot = &follow->uncached;
	struct stretch stretch;
	bool is_kept;

	/* Trace that comes to code which is not there comes to it again and again. */
	if (follow_knows_hole(follow, view, isa, start)) {
		*slot = (struct stretch){.walk = {.start = start, .end = start, .isa = isa},
		                         .is_used = true,
		                         .ends_at_hole = true,
		                         .view = view};
		*found = slot;
		return STATUS_OK;
	}
	stretch = walk_stretch(follow, view, isa, start);
	is_kept = follow->caller_keeps && stretch.walk.ends_at_waypoint;
	if (stretch.walk.count == 0) {
		follow->holes[hash_u64(start) % HOLE_SLOTS] =
		        (struct hole){start, view, (uint8_t)isa, true};
	} else if (!is_kept) {
		TRY(make_room(follow));
		slot = find_slot(follow->slots, follow->slot_count, view, isa, start);
		follow->used++;
	}
	*slot = stretch;
	*found = slot;
	return STATUS_OK;
}

static inline enum status stretch_at(struct follow *follow, uint32_t view, enum isa isa,
                                     uint64_t start, const struct stretch **found)
{
	if (follow->slot_count > 0) {
		*found = find_slot(follow->slots, follow->slot_count, view, isa, start);
		if ((*found)->is_used)
			return STATUS_OK;
	}
	return add_stretch(follow, view, isa, start, found);
}

void walk_append(struct walk *walk, const struct walk *part)
{
	if (part->count == 0)
		return;
	walk->end = part->end;
	walk->count += part->count;
	walk->last = part->last;
	walk->ends_at_waypoint = part->ends_at_waypoint;
}

/* What a walk that has come to the end of `stretch` answers; END if it goes on. */
static enum status walk_status(const struct walk *walk, const struct stretch *stretch)
{
	if (walk->ends_at_waypoint)
		return STATUS_OK;
	if (stretch->ends_at_hole)
		return STATUS_NO_MEMORY_AT;
	return walk->count >= FOLLOW_LIMIT ? STATUS_BAD_DATA : STATUS_END;
}

enum status follow_once(struct follow *follow, uint32_t view, enum isa isa, uint64_t start,
                        struct walk *walk)
{
	enum status status;

	follow->caller_keeps = true;
	status = follow_to_waypoint(follow, view, isa, start, walk);
	follow->caller_keeps = false;
	return status;
}

enum status follow_to_waypoint(struct follow *follow, uint32_t view, enum isa isa, uint64_t start,
                               struct walk *walk)
{
	const struct stretch *stretch;
	enum status status;

	if (!can_follow(isa))
		return STATUS_UNSUPPORTED;
	TRY(stretch_at(follow, view, isa, start, &stretch));
	*walk = stretch->walk;
	while ((status = walk_status(walk, stretch)) == STATUS_END) {
		TRY(stretch_at(follow, view, isa, walk->end, &stretch));
		walk_append(walk, &stretch->walk);
	}
	return status;
}

/*
 * Appends the part of the stretch at walk->end before `stop`, which lies in it, and with
 * `inclusive` the instruction there. False with the whole stretch if none begins at `stop`.
 */
static bool append_until(const struct follow *follow, const struct stretch *stretch, uint64_t stop,
                         bool inclusive, struct walk *walk)
{
	struct reader reader = {.follow = follow, .view = stretch->view};

	while (walk->end != stop) {
		if (walk->end == stretch->walk.end || !walk_insn(&reader, walk))
			return false;
	}
	return !inclusive || walk_insn(&reader, walk);
}

enum status follow_to_address(struct follow *follow, uint32_t view, enum isa isa, uint64_t start,
                              struct follow_limit limit, struct walk *walk)
{
	const struct stretch *stretch;
	enum status status = STATUS_END;

	if (!can_follow(isa))
		return STATUS_UNSUPPORTED;
	*walk = (struct walk){.start = start, .end = start, .isa = isa};
	while (status == STATUS_END) {
		if (!limit.inclusive && walk->end == limit.stop)
			return STATUS_OK;
		TRY(stretch_at(follow, view, isa, walk->end, &stretch));
		/* Differences, since a stretch may end with the address space. */
		if (limit.stop - walk->end >= stretch->walk.end - walk->end)
			walk_append(walk, &stretch->walk);
		else if (append_until(follow, stretch, limit.stop, limit.inclusive, walk))
			return STATUS_OK;
		status = walk_status(walk, stretch);
	}
	return !limit.inclusive && walk->end == limit.stop ? STATUS_OK : status;
}

/*
 * The last instruction of the walk cannot but branch: of T32 one that no IT can have put under a
 * condition.
 */
static bool has_to_branch(const struct reader *reader, const struct walk *walk,
                          const struct it_block *it)
{
	const struct insn *last = &walk->last;

	if (walk->isa != ISA_T32)
		return insn_must_branch(walk->isa, reader->opcode, last);
	return (last->class == INSN_BRANCH || last->class == INSN_BRANCH_INDIRECT) &&
	       !last->is_conditional && it_block_condition(it) == SEM_NO_IT;
}

enum status follow_certain(struct follow *follow, uint32_t view, enum isa isa, uint64_t start,
                           uint64_t stop, struct walk *walk)
{
	struct reader reader = {.follow = follow, .view = view};
	struct it_block it = {.next = UINT64_MAX};

	if (!can_follow(isa))
		return STATUS_UNSUPPORTED;
	*walk = (struct walk){.start = start, .end = start, .isa = isa};
	while (walk->end != stop) {
		struct walk before = *walk;

		if (walk->count >= FOLLOW_LIMIT) {
			*walk = (struct walk){.start = start, .end = start, .isa = isa};
			return STATUS_NOT_FOUND;
		}
		if (!walk_insn(&reader, walk))
			return STATUS_NO_MEMORY_AT;
		if (isa == ISA_T32)
			it_block_enter(&it, follow->memory, view, before.end, before.count == 0);
		/* Differences, since code may end with the address space. */
		if (walk->end - start > stop - start || has_to_branch(&reader, walk, &it)) {
			*walk = before;
			return STATUS_NOT_FOUND;
		}
		if (isa == ISA_T32)
			it_block_pass(&it, reader.opcode, before.end, walk->last.size);
	}
	return STATUS_OK;
}

enum status follow_insn(struct follow *follow, uint32_t view, enum isa isa, uint64_t address,
                        const struct walk **walk)
{
	struct reader reader = {.follow = follow, .view = view};
	struct stretch *slot;

	if (!follow->insns) {
		follow->insns = huge_pages_calloc(INSN_SLOTS, sizeof(*follow->insns));
		if (!follow->insns)
			return STATUS_NO_MEM;
	}
	slot = &follow->insns[hash_u64(address) % INSN_SLOTS];
	*walk = &slot->walk;
	if (!slot->is_used || !is_at(slot, view, isa, address)) {
		*slot = (struct stretch){.view = view,
		                         .is_used = can_follow(isa),
		                         .walk = {.start = address, .end = address, .isa = isa}};
		if (!slot->is_used)
			return STATUS_UNSUPPORTED;
		slot->ends_at_hole = !walk_insn(&reader, &slot->walk);
	}
	return slot->ends_at_hole ? STATUS_NO_MEMORY_AT : STATUS_OK;
}

void walk_fill_range(const struct walk *walk, bool is_executed, struct element *element)
{
	element->isa = walk->isa;
	element->range.start = walk->start;
	element->range.end = walk->end;
	element->range.count = walk->count;
	element->range.last_size = walk->last.size;
	element->range.last_class = walk->last.class;
	element->range.last_subclass = walk->last.subclass;
	element->range.last_executed = is_executed;
	element->range.last_conditional = walk->last.is_conditional;
}
