/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of physical address spaces and of regimes; see tarmac_frames.h. */
#include "replay/tarmac/tarmac_frames.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/vec.h"

enum {
	FIRST_SLOTS = 256,
	PHYSICAL_SPACES = TARMAC_REALM + 1,
};

uint32_t tarmac_space_physical(enum tarmac_security security)
{
	return (uint32_t)security;
}

uint32_t tarmac_space_regime(uint32_t core, uint8_t regime)
{
	return PHYSICAL_SPACES + core * TARMAC_REGIMES + regime;
}

static bool is_physical(uint32_t space)
{
	return space < PHYSICAL_SPACES;
}

/* The slot of the page's frame, or the free one that it would take; there is always one. */
static uint32_t *find(const struct tarmac_frames *f, uint32_t space, uint64_t page)
{
	size_t i = hash_u64(page ^ (uint64_t)space << 56 ^ (uint64_t)space << 32);

	for (;; i++) {
		uint32_t *slot = &f->table[i & (f->slots - 1)];

		if (*slot == 0 ||
		    (f->frames[*slot - 1].page == page && f->frames[*slot - 1].space == space))
			return slot;
	}
}

static enum status grow(struct tarmac_frames *f)
{
	size_t slots = f->slots > 0 ? 2 * f->slots : FIRST_SLOTS;
	uint32_t *table;

	if (2 * (f->count + 1) <= f->slots)
		return STATUS_OK;
	table = calloc(slots, sizeof(*table));
	if (!table)
		return STATUS_NO_MEM;
	free(f->table);
	f->table = table;
	f->slots = slots;
	for (size_t i = 0; i < f->count; i++)
		*find(f, f->frames[i].space, f->frames[i].page) = (uint32_t)i + 1;
	return STATUS_OK;
}

static void note_space(struct tarmac_frames *f, uint32_t space)
{
	if (is_physical(space))
		f->physical |= 1U << space;
	else
		f->regimes |= UINT64_C(1) << (space - PHYSICAL_SPACES) % TARMAC_REGIMES;
}

static enum status reserve(struct tarmac_frames *frames)
{
	if (frames->count == TARMAC_FRAME_NONE - 1)
		return STATUS_NO_MEM;
	return vec_reserve((void **)&frames->frames, &frames->capacity, frames->count + 1,
	                   sizeof(*frames->frames));
}

static void put_frame(struct tarmac_frames *frames, uint32_t space, uint64_t page)
{
	uint32_t number = (uint32_t)frames->count++;

	frames->frames[number] = (struct tarmac_frame){.page = page,
	                                               .space = space,
	                                               .place = number,
	                                               .beside = number,
	                                               .perhaps = {number, number}};
}

enum status tarmac_frame_of(struct tarmac_frames *frames, uint32_t space, uint64_t page,
                            uint32_t *frame)
{
	uint32_t number = (uint32_t)frames->count;
	uint32_t *slot;

	*frame = tarmac_frame_find(frames, space, page);
	if (*frame != TARMAC_FRAME_NONE)
		return STATUS_OK;
	TRY(grow(frames));
	TRY(reserve(frames));
	slot = find(frames, space, page);
	put_frame(frames, space, page);
	*slot = number + 1;
	*frame = number;
	note_space(frames, space);
	return STATUS_OK;
}

uint32_t tarmac_frame_find(const struct tarmac_frames *frames, uint32_t space, uint64_t page)
{
	uint32_t slot = frames->slots > 0 ? *find(frames, space, page) : 0;

	return slot > 0 ? slot - 1 : TARMAC_FRAME_NONE;
}

void tarmac_frames_join(struct tarmac_frames *frames, uint32_t frame, uint32_t place)
{
	frames->frames[frame].place = place;
}

enum status tarmac_frames_stand_in(struct tarmac_frames *frames, uint32_t place, uint32_t *frame)
{
	TRY(reserve(frames));
	*frame = (uint32_t)frames->count;
	put_frame(frames, frames->frames[place].space, frames->frames[place].page);
	frames->frames[*frame].place = place;
	return STATUS_OK;
}

void tarmac_frames_doubt(struct tarmac_frames *frames, uint32_t frame, uint32_t place,
                         uint32_t other)
{
	frames->frames[frame].place = frame;
	frames->frames[frame].perhaps[0] = place;
	frames->frames[frame].perhaps[1] = other;
}

uint32_t tarmac_frame_place(const struct tarmac_frames *frames, uint32_t frame)
{
	return frames->frames[frame].place;
}

bool tarmac_frames_are_flat(const struct tarmac_frames *frames)
{
	return frames->physical == 0;
}

bool tarmac_frame_is_physical(const struct tarmac_frames *frames, uint32_t frame)
{
	return is_physical(frames->frames[frame].space);
}

bool tarmac_frames_are_alike(const struct tarmac_frames *frames, bool of_physical)
{
	uint64_t spaces = of_physical ? frames->physical : frames->regimes;

	return (frames->physical & (frames->physical - 1)) == 0 && (spaces & (spaces - 1)) == 0;
}

struct ordered {
	uint64_t page;
	uint32_t frame;
};

static int compare_pages(const void *left, const void *right)
{
	const struct ordered *a = left;
	const struct ordered *b = right;

	if (a->page != b->page)
		return a->page < b->page ? -1 : 1;
	return a->frame < b->frame ? -1 : a->frame > b->frame;
}

/* Frames [begin, end) of the order are of one page. */
static void settle_page(struct tarmac_frames *f, const struct ordered *order, size_t begin,
                        size_t end)
{
	for (size_t i = begin; i < end; i++) {
		struct tarmac_frame *frame = &f->frames[order[i].frame];

		frame->beside = order[i + 1 < end ? i + 1 : begin].frame;
		if (tarmac_frames_are_flat(f))
			frame->place = order[begin].frame;
	}
}

enum status tarmac_frames_settle(struct tarmac_frames *frames)
{
	struct ordered *order = malloc((frames->count + 1) * sizeof(*order));
	size_t end;

	if (!order)
		return STATUS_NO_MEM;
	for (size_t i = 0; i < frames->count; i++)
		order[i] = (struct ordered){frames->frames[i].page, (uint32_t)i};
	qsort(order, frames->count, sizeof(*order), compare_pages);
	for (size_t begin = 0; begin < frames->count; begin = end) {
		for (end = begin; end < frames->count && order[end].page == order[begin].page;)
			end++;
		settle_page(frames, order, begin, end);
	}
	free(order);
	return STATUS_OK;
}

/* A place of which no line says in which physical address space it is. */
static bool is_vague(const struct tarmac_frame *frame)
{
	return !is_physical(frame->space) || frame->space == TARMAC_SECURITY_NOT_SAID;
}

uint64_t tarmac_frame_key(uint32_t frame, uint64_t address)
{
	return (uint64_t)frame * TARMAC_PAGE_WORDS + address / 8 % TARMAC_PAGE_WORDS;
}

uint64_t tarmac_frame_address(const struct tarmac_frames *frames, uint64_t key)
{
	uint64_t page = frames->frames[key / TARMAC_PAGE_WORDS].page;

	return page << TARMAC_PAGE_BITS | key % TARMAC_PAGE_WORDS * 8;
}

bool tarmac_frames_spread(void *frames, uint64_t key, unsigned int index, uint64_t *to)
{
	const struct tarmac_frames *f = frames;
	uint32_t own = (uint32_t)(key / TARMAC_PAGE_WORDS);
	uint32_t place = tarmac_frame_place(f, own);
	uint64_t address = key * 8;
	uint32_t at = place;

	*to = tarmac_frame_key(place, address);
	if (index == 0 || tarmac_frames_are_flat(f))
		return index == 0;
	for (unsigned int i = 0; i < 2; i++) {
		uint32_t perhaps = f->frames[own].perhaps[i];

		*to = tarmac_frame_key(tarmac_frame_place(f, perhaps), address);
		if (perhaps != own && --index == 0)
			return true;
	}
	for (at = f->frames[at].beside; at != place; at = f->frames[at].beside) {
		const struct tarmac_frame *other = &f->frames[at];

		if (other->place != at || (!is_vague(other) && !is_vague(&f->frames[place])))
			continue;
		*to = tarmac_frame_key(at, address);
		if (--index == 0)
			return true;
	}
	return false;
}

void tarmac_frames_fini(struct tarmac_frames *frames)
{
	free(frames->table);
	free(frames->frames);
	*frames = (struct tarmac_frames){0};
}
