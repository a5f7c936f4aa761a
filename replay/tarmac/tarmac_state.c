/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registers, memory and accesses at a position, from what tarmac_read.c kept. Each answer is a few
 * binary searches.
 */
#include <string.h>

#include "replay/tarmac/tarmac_source.h"
#include "replay/tarmac/tarmac_store.h"

enum { PLACES_MOST = 32 }; /* frames of one page */

/* The core's turn that holds the instruction at `position`; the core has one. */
static const struct tarmac_turn *turn_of_position(const struct tarmac_core *core, uint64_t position)
{
	size_t low = 0;
	size_t high = core->turn_count;

	/* The last turn that begins at or before the position lies in [low, high). */
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (core->source->turns[core->turns[middle]].position <= position)
			low = middle;
		else
			high = middle;
	}
	return &core->source->turns[core->turns[low]];
}

/* The clock of the instruction at `position` < N. */
static uint64_t clock_of(const struct tarmac_core *core, uint64_t position)
{
	const struct tarmac_turn *turn = turn_of_position(core, position);

	return turn->clock + 1 + (position - turn->position);
}

/* The time of memory before the instruction at `position`; at N it is the text's end. */
static uint64_t memory_time(const struct tarmac_core *core, uint64_t position)
{
	return position < core->length ? 2 * clock_of(core, position) : WORD_TIME_MOST;
}

/* The instruction of this core that a tick is, or that its lines belong to. */
static bool position_of_clock(const struct tarmac_core *core, uint64_t clock, uint64_t *position)
{
	const struct tarmac_source *source = core->source;
	const struct tarmac_turn *turn;
	size_t low = 0;
	size_t high = source->turn_count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (source->turns[middle].clock <= clock)
			low = middle;
		else
			high = middle;
	}
	turn = &source->turns[low];
	if (source->turn_count == 0 || turn->core != core->index || turn->clock > clock)
		return false;
	/* Lines before the first instruction are of none. */
	if (turn->position == 0 && clock == turn->clock)
		return false;
	*position = turn->position + (clock - turn->clock) - 1;
	return true;
}

static struct tarmac_context context_at(const struct tarmac_core *core, uint64_t time)
{
	struct tarmac_context context = {.arch = core->arch};
	uint64_t packed;
	bool is_there;
	uint8_t known = word_log_at(&core->registers, SLOT_MODE, time, &packed, &is_there);

	tarmac_context_unpack(packed, known, &context);
	return context;
}

void tarmac_register_at(const struct tarmac_core *core, uint64_t position, unsigned int number,
                        struct value *value)
{
	const struct register_file file = register_file_of(core->arch);
	uint64_t time = 2 * position + 2;
	struct tarmac_context context = context_at(core, time);
	struct slot_place place = tarmac_slot_of_number(&file, number, &context);
	uint64_t word = 0;
	uint8_t known = 0;

	*value = value_unknown(file.table[number].bits / 8);
	if (place.slot == TARMAC_SLOT_NONE)
		return;
	for (unsigned int i = 0; i < value->size && i < place.size; i++) {
		unsigned int at = place.from + i;
		bool is_there;

		if (i == 0 || at % 8 == 0)
			known = word_log_at(&core->registers, place.slot + at / 8, time, &word,
			                    &is_there);
		if ((known & 1U << at % 8) == 0)
			continue;
		value->bits[i] = (uint8_t)(word >> (8 * (at % 8)));
		value->known[i] = 0xff;
	}
}

/* The place of the page that the address is in at `time` of memory, which is in a regime. */
static bool place_at(const struct tarmac_core *core, uint8_t regime, uint64_t address,
                     uint64_t time, uint32_t *place)
{
	const struct tarmac_frames *frames = &core->source->frames;
	uint32_t page = tarmac_frame_find(frames, tarmac_space_regime(core->index, regime),
	                                  address >> TARMAC_PAGE_BITS);

	*place = page;
	if (page == TARMAC_FRAME_NONE)
		return true;
	if (!tarmac_pages_at(&core->pages, page, time, place))
		return false;
	*place = tarmac_frame_place(frames, *place);
	return true;
}

/* In a text without physical addresses the place of an address is that of any regime. */
static uint32_t flat_place(const struct tarmac_core *core, uint64_t address)
{
	const struct tarmac_source *source = core->source;
	uint32_t page = TARMAC_FRAME_NONE;

	if (!tarmac_frames_are_flat(&source->frames))
		return page;
	for (uint32_t i = 0; i < source->core_count && page == TARMAC_FRAME_NONE; i++) {
		for (unsigned int k = 0; k < TARMAC_REGIMES && page == TARMAC_FRAME_NONE; k++) {
			if ((source->frames.regimes >> k & 1U) != 0)
				page = tarmac_frame_find(&source->frames,
				                         tarmac_space_regime(i, (uint8_t)k),
				                         address >> TARMAC_PAGE_BITS);
		}
	}
	return page == TARMAC_FRAME_NONE ? page : tarmac_frame_place(&source->frames, page);
}

size_t tarmac_system_count(const struct tarmac_core *core)
{
	return core->system.count;
}

struct str tarmac_system_name(const struct tarmac_core *core, size_t index, unsigned int *bits)
{
	*bits = 8 * core->system.items[index].size;
	return core->system.items[index].name;
}

bool tarmac_system_find(const struct tarmac_core *core, struct str name, size_t *index)
{
	for (*index = 0; *index < core->system.count; ++*index) {
		if (str_eq(core->system.items[*index].name, name))
			return true;
	}
	return false;
}

void tarmac_system_at(const struct tarmac_core *core, uint64_t position, size_t index,
                      struct value *value)
{
	tarmac_system_read(&core->system, &core->registers, index, 2 * position + 2, value);
}

/* A word of memory; what no line names is as the images have it, unless a loss hides it. */
static uint8_t word_at(const struct tarmac_core *core, uint8_t regime, uint64_t address,
                       uint64_t time, uint64_t *word)
{
	const struct tarmac_source *source = core->source;
	bool is_physical = false;
	bool is_there = false;
	uint32_t place;
	uint8_t known = 0;

	*word = 0;
	if (!place_at(core, regime, address, time, &place))
		return 0;
	if (place == TARMAC_FRAME_NONE)
		place = flat_place(core, address);
	if (place != TARMAC_FRAME_NONE) {
		known = word_log_at(&source->memory, tarmac_frame_key(place, address), time, word,
		                    &is_there);
		is_physical = tarmac_frame_is_physical(&source->frames, place);
	}
	if (is_there || word_log_lost(&source->memory, 0, time))
		return known;
	return tarmac_image_word(source, is_physical, address & ~UINT64_C(7), word);
}

/* The regime that the core's addresses are in before the instruction at `position`. */
static uint8_t regime_at(const struct tarmac_core *core, uint64_t position)
{
	return context_at(core, 2 * position + 2).regime;
}

size_t tarmac_memory_at(const struct tarmac_core *core, uint64_t position, uint64_t address,
                        void *out, size_t size)
{
	uint64_t time = memory_time(core, position);
	uint8_t regime = regime_at(core, position);
	uint64_t word = 0;
	uint8_t known = 0;
	uint8_t *to = out;

	for (size_t i = 0; i < size; i++) {
		uint64_t at = address + i;

		if (i == 0 || at % 8 == 0)
			known = word_at(core, regime, at, time, &word);
		/* The address space ends; it does not begin again. */
		if ((known & 1U << at % 8) == 0 || at < address)
			return i;
		to[i] = (uint8_t)(word >> (8 * (at % 8)));
	}
	return size;
}

unsigned int tarmac_features(const struct tarmac_core *core)
{
	return core->features;
}

struct history *tarmac_core_history(const struct tarmac_core *core)
{
	return core->history;
}

bool tarmac_has_places(const struct tarmac_core *core)
{
	const struct tarmac_source *source = core->source;

	return source->has_moved || !tarmac_frames_are_alike(&source->frames, true);
}

/* Bytes of the images hold until something is written there. */
uint8_t tarmac_image_word(const struct tarmac_source *source, bool is_physical, uint64_t address,
                          uint64_t *value)
{
	const struct snapshot *snapshot = source->snapshot;
	uint8_t known = 0;

	*value = 0;
	/* Images are by addresses, which are one place only where there is one space. */
	if (source->has_moved || !(tarmac_frames_are_flat(&source->frames) ||
	                           tarmac_frames_are_alike(&source->frames, is_physical)))
		return 0;
	for (size_t i = 0; i < snapshot->mapped_images; i++) {
		const struct elf_image *image = snapshot->images[i];

		for (size_t j = 0; j < image->segment_count; j++) {
			const struct elf_segment *s = &image->segments[j];

			for (unsigned int k = 0; k < 8; k++) {
				uint64_t offset = address + k - s->address;

				if (offset >= s->file_size || (known & 1U << k) != 0)
					continue;
				known |= (uint8_t)(1U << k);
				*value |= (uint64_t)s->data[offset] << (8 * k);
			}
		}
	}
	return known;
}

/* The opcode that an address had at that position, where it had several. */
static bool patched_opcode(const struct tarmac_core *core, uint64_t position,
                           const struct instruction *insn, uint32_t *opcode)
{
	bool halfwords = insn->isa == ISA_T32 || insn->isa == ISA_TEE;
	uint64_t time = 2 * position + 2;
	uint32_t bytes = 0;

	if (!core->code.has_changed)
		return false;
	for (unsigned int i = 0; i < insn->size; i++) {
		uint64_t at = insn->address + i;
		uint64_t word;
		bool is_there;
		uint8_t known = word_log_at(&core->patched, at / 8, time, &word, &is_there);

		/* The memory map has what was first there. */
		if ((known & 1U << at % 8) == 0)
			return false;
		bytes |= (uint32_t)(word >> (8 * (at % 8)) & 0xff) << (8 * i);
	}
	*opcode = halfwords && insn->size == 4 ? bytes << 16 | bytes >> 16 : bytes;
	return true;
}

/* The instruction if it is one of 8 bytes, or one that was not fetched. */
static const struct tarmac_odd *odd_at(const struct tarmac_core *core, uint64_t position)
{
	size_t low = 0;
	size_t high = core->odd_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (core->odd[middle].position < position)
			low = middle + 1;
		else
			high = middle;
	}
	return low < core->odd_count && core->odd[low].position == position ? &core->odd[low]
	                                                                    : NULL;
}

void tarmac_correct_opcode(const struct tarmac_core *core, uint64_t position,
                           struct instruction *insn)
{
	const struct tarmac_odd *odd = odd_at(core, position);
	uint32_t opcode;

	if (odd) {
		insn->has_opcode = odd->size > 0;
		insn->opcode = odd->opcode;
		insn->size = odd->size > 0 ? odd->size : insn->size;
	} else if (patched_opcode(core, position, insn, &opcode)) {
		insn->has_opcode = true;
		insn->opcode = opcode;
	}
}

/* A search for accesses by a core to a word, while its page is a place. */
struct wanted {
	const struct tarmac_core *core;
	uint64_t address;
	uint32_t place;
	uint64_t position; /* of the hit */
};

static bool is_wanted(void *context, const struct word_hit *hit)
{
	struct wanted *wanted = context;
	const struct tarmac_core *core = wanted->core;
	uint32_t place;

	return position_of_clock(core, hit->time / 2, &wanted->position) &&
	       place_at(core, regime_at(core, wanted->position), wanted->address, hit->time,
	                &place) &&
	       place == wanted->place;
}

/* The bytes of word `key` that lie in [address, last]. */
static uint8_t bytes_inside(uint64_t key, uint64_t address, uint64_t last)
{
	uint8_t mask = 0;

	for (unsigned int i = 0; i < 8; i++) {
		if (key * 8 + i >= address && key * 8 + i <= last)
			mask |= (uint8_t)(1U << i);
	}
	return mask;
}

static uint64_t first_byte(uint8_t touched)
{
	uint64_t i = 0;

	while ((touched & 1U << i) == 0)
		i++;
	return i;
}

/* What is looked for, and the best that was found. */
struct access_search {
	bool forward;
	uint64_t from;
	unsigned int kinds;
	bool found;
	uint64_t time;
	struct tarmac_access access;
};

/* The accesses to bytes `inside` of the doubleword at `address`, while its page was `place`. */
static void search_word(const struct tarmac_core *core, uint64_t address, uint32_t place,
                        uint8_t inside, struct access_search *s)
{
	const struct word_log *log = &core->source->memory;
	struct wanted wanted = {.core = core, .address = address, .place = place};
	struct word_search search = {tarmac_frame_key(place, address), inside, s->kinds, is_wanted,
	                             &wanted};
	struct word_hit hit;
	bool hits = s->forward ? word_log_next(log, &search, s->from, &hit)
	                       : word_log_last(log, &search, s->from, &hit);

	if (!hits || (s->found && (s->forward ? hit.time >= s->time : hit.time <= s->time)))
		return;
	s->found = true;
	s->time = hit.time;
	s->access =
	        (struct tarmac_access){wanted.position, address + first_byte(hit.touched & inside),
	                               hit.kind == WORD_WRITE};
}

static bool is_among(const uint32_t *items, unsigned int count, uint32_t item)
{
	for (unsigned int i = 0; i < count; i++) {
		if (items[i] == item)
			return true;
	}
	return false;
}

/* The places that were searched. */
struct searched {
	uint32_t places[PLACES_MOST];
	unsigned int count;
};

/* The accesses to bytes `inside` of the doubleword at `address` in a regime, whatever its page was.
 */
static void search_page(const struct tarmac_core *core, uint32_t page, uint64_t address,
                        uint8_t inside, struct searched *done, struct access_search *s)
{
	const struct tarmac_frames *frames = &core->source->frames;
	uint32_t place;

	for (size_t i = 0; tarmac_pages_any(&core->pages, page, i, &place); i++) {
		place = tarmac_frame_place(frames, place);
		if (is_among(done->places, done->count, place))
			continue;
		search_word(core, address, place, inside, s);
		/* What does not fit is looked at again. */
		if (done->count < PLACES_MOST)
			done->places[done->count++] = place;
	}
}

/* The accesses to bytes `inside` of the doubleword at `address`, wherever it was. */
static void search_places(const struct tarmac_core *core, uint64_t address, uint8_t inside,
                          struct access_search *s)
{
	struct searched done = {.count = 0};

	for (unsigned int i = 0; i < TARMAC_REGIMES; i++) {
		uint32_t space = tarmac_space_regime(core->index, (uint8_t)i);
		uint32_t page = tarmac_frame_find(&core->source->frames, space,
		                                  address >> TARMAC_PAGE_BITS);

		if (page != TARMAC_FRAME_NONE)
			search_page(core, page, address, inside, &done, s);
	}
}

enum status tarmac_find_access(const struct tarmac_core *core, bool forward, uint64_t position,
                               const struct tarmac_target *target, struct tarmac_access *access)
{
	uint64_t address = target->address;
	uint64_t last = address + (target->size - 1);
	struct access_search s = {
	        .forward = forward, .from = memory_time(core, position), .kinds = target->kinds};

	if (target->size == 0)
		return STATUS_NOT_FOUND;
	if (last < address)
		last = UINT64_MAX;
	for (uint64_t key = address / 8; key <= last / 8; key++)
		search_places(core, key * 8, bytes_inside(key, address, last), &s);
	if (!s.found)
		return STATUS_NOT_FOUND;
	*access = s.access;
	return STATUS_OK;
}
