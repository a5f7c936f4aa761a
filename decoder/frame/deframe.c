/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CoreSight formatter's frames: bytes of one trace ID out of a trace buffer. IHI 0029,
 * formatter frames; the two places of a byte are explained in deframe.h.
 */
#include "decoder/frame/deframe.h"

#include <endian.h>
#include <string.h>

#define EVEN_LOW_BITS UINT64_C(0x0001000100010001)

enum {
	FLAGS_AT = 15,       /* bit i: low bit of even byte 2i, or "the odd byte is the old ID's" */
	SEEK_BACK = 1 << 16, /* bytes in which the ID before a place is looked for */
	LAST_AT = 14,        /* after seven pairs of an even and an odd byte, a byte alone */
	ID_RESERVED = 0x70   /* this one and those after it */
};

/* A run of bytes of one ID within a frame. */
struct run {
	uint64_t frame;     /* position of the frame */
	unsigned int begin; /* index of the run's first byte, from the frame's start */
	unsigned int count; /* data bytes in it so far, of whatever ID */
};

bool trace_id_is_source(unsigned int id)
{
	return id > 0 && id < ID_RESERVED;
}

static bool is_port(enum deframe_format format)
{
	return format != DEFRAME_CORESIGHT && format != DEFRAME_SOURCE;
}

void deframe_init(struct deframe *d, enum deframe_format format, struct bytes data,
                  uint8_t trace_id)
{
	bool has_hsync = format == DEFRAME_TPIU_HSYNC || format == DEFRAME_DSTREAM_HSYNC;
	bool is_dstream = format == DEFRAME_DSTREAM || format == DEFRAME_DSTREAM_HSYNC;

	tpiu_init(&d->tpiu, data, has_hsync, is_dstream);
	d->is_broken = false;
	d->whole_end = NULL;
	d->bytes = bytes_of(d->window, 0);
	d->format = format;
	d->input = data;
	d->trace_id = trace_id;
	d->current_id = -1;
	d->seen_ids[0] = 0;
	d->seen_ids[1] = 0;
}

/* Moves what was not read to the window's start and returns how much it is. */
static size_t compact(struct deframe *d)
{
	size_t at = bytes_offset(&d->bytes);
	size_t left = bytes_left(&d->bytes);

	if (at > 0 && left > 0) {
		memmove(d->window, d->window + at, left);
		memmove(d->lag, d->lag + at, left);
		memmove(d->positions, d->positions + at, left * sizeof(d->positions[0]));
	}
	return left;
}

/* The byte at `place` of the frame, as data of the current ID. Returns how many are held now. */
static size_t put(struct deframe *d, size_t held, struct run *run, unsigned int place,
                  uint8_t value)
{
	unsigned int index = run->begin + run->count++;

	if (d->current_id != d->trace_id)
		return held;
	d->window[held] = value;
	d->lag[held] = (uint8_t)(place - index);
	d->positions[held] = run->frame + place;
	return held + 1;
}

static void set_id(struct deframe *d, uint8_t id_byte)
{
	unsigned int id = id_byte >> 1;

	d->current_id = (int)id;
	d->seen_ids[id / 64] |= UINT64_C(1) << (id % 64);
}

/* A new ID at `place`: a run with bytes in it ends; an empty one becomes the new ID's. */
static void change_id(struct deframe *d, struct run *run, unsigned int place, uint8_t id_byte)
{
	set_id(d, id_byte);
	if (run->count > 0)
		*run = (struct run){run->frame, place, 0};
}

static size_t unpack_frame(struct deframe *d, size_t held, const uint8_t *frame, uint64_t position)
{
	struct run run = {position, 0, 0};
	uint8_t flags = frame[FLAGS_AT];
	uint8_t last = frame[LAST_AT];

	for (unsigned int place = 0; place < LAST_AT; place += 2, flags >>= 1) {
		uint8_t even = frame[place];
		uint8_t odd = frame[place + 1];

		if (!(even & 1)) {
			held = put(d, held, &run, place, even | (flags & 1));
		} else if ((flags & 1) && even >> 1 != d->current_id) {
			/* The new ID takes effect after the odd byte. */
			held = put(d, held, &run, place + 1, odd);
			change_id(d, &run, place, even);
			continue;
		} else if (even >> 1 != d->current_id) {
			change_id(d, &run, place, even);
		}
		held = put(d, held, &run, place + 1, odd);
	}
	if (last & 1) {
		d->is_broken |= run.count == 0 && d->current_id == d->trace_id;
		set_id(d, last);
	} else {
		held = put(d, held, &run, LAST_AT, last | (flags & 1));
	}
	return held;
}

/* Eight bytes in their order in memory, the first one lowest. */
static inline uint64_t eight_bytes(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return le64toh(value);
}

static inline void put_eight_bytes(uint8_t *to, uint64_t value)
{
	value = htole64(value);
	memcpy(to, &value, sizeof(value));
}

/* No even byte of the frame is an ID: all of it is data of the current one. */
static inline bool has_no_id(const uint8_t *frame)
{
	return ((eight_bytes(frame) | eight_bytes(frame + 8)) & EVEN_LOW_BITS) == 0;
}

/* A frame without an ID, which most are: fifteen bytes at once. */
static size_t unpack_whole(struct deframe *d, size_t held, const uint8_t *frame, uint64_t position)
{
	/* Bit i of four flags in the low bit of even byte 2i. */
	static const uint64_t spread[16] = {
	        0x0000000000000000, 0x0000000000000001, 0x0000000000010000, 0x0000000000010001,
	        0x0000000100000000, 0x0000000100000001, 0x0000000100010000, 0x0000000100010001,
	        0x0001000000000000, 0x0001000000000001, 0x0001000000010000, 0x0001000000010001,
	        0x0001000100000000, 0x0001000100000001, 0x0001000100010000, 0x0001000100010001,
	};
	uint8_t flags = frame[FLAGS_AT];

	put_eight_bytes(d->window + held, eight_bytes(frame) | spread[flags & 15]);
	put_eight_bytes(d->window + held + 8, eight_bytes(frame + 8) | spread[flags >> 4]);
	memset(d->lag + held, 0, FRAME_SIZE);
	for (unsigned int i = 0; i < FRAME_SIZE; i++)
		d->positions[held + i] = position + i;
	return held + FLAGS_AT;
}

static size_t refill_frames(struct deframe *d, size_t held)
{
	while (held < DEFRAME_WINDOW && !d->is_broken && bytes_left(&d->input) >= FRAME_SIZE) {
		const uint8_t *frame = d->input.pos;
		uint64_t position = bytes_offset(&d->input);

		d->input.pos += FRAME_SIZE;
		if (!has_no_id(frame))
			held = unpack_frame(d, held, frame, position);
		else if (d->current_id == d->trace_id)
			held = unpack_whole(d, held, frame, position);
	}
	return held;
}

/* The ID that is current after a frame that has one. */
static unsigned int last_id(const uint8_t *frame)
{
	unsigned int id = 0;

	for (unsigned int place = 0; place <= LAST_AT; place += 2) {
		if (frame[place] & 1)
			id = frame[place] >> 1;
	}
	return id;
}

void deframe_seek(struct deframe *d, uint64_t offset)
{
	const uint8_t *first;
	const uint8_t *frame;

	/* Of a source that does not occur, nothing is left to be read. */
	if (offset > bytes_left(&d->input))
		return;
	d->input.pos += offset;
	first = offset > SEEK_BACK ? d->input.pos - SEEK_BACK : d->input.begin;
	for (frame = d->input.pos; d->format == DEFRAME_CORESIGHT && frame > first;) {
		frame -= FRAME_SIZE;
		if (has_no_id(frame))
			continue;
		set_id(d, (uint8_t)(last_id(frame) << 1));
		return;
	}
}

void deframe_limit(struct deframe *d, uint64_t end)
{
	const uint8_t *whole_end = d->whole_end ? d->whole_end : d->input.end;
	uint64_t size = (uint64_t)(whole_end - d->input.begin);

	if (end < bytes_offset(&d->input))
		end = bytes_offset(&d->input);
	d->whole_end = end < size ? whole_end : NULL;
	d->input.end = end < size ? d->input.begin + end : whole_end;
}

static size_t refill_port(struct deframe *d, size_t held)
{
	uint8_t frame[TPIU_FRAME];
	uint64_t position;
	enum status status = STATUS_OK;

	while (held < DEFRAME_WINDOW && !d->is_broken) {
		status = tpiu_next(&d->tpiu, frame, &position);
		if (status != STATUS_OK)
			break;
		held = unpack_frame(d, held, frame, position);
	}
	d->is_broken |= status == STATUS_BAD_DATA;
	return held;
}

static size_t refill_source(struct deframe *d, size_t held)
{
	while (held < DEFRAME_WINDOW && bytes_left(&d->input) > 0) {
		d->positions[held] = bytes_offset(&d->input);
		d->lag[held] = 0;
		d->window[held++] = *d->input.pos++;
	}
	return held;
}

enum status deframe_refill(struct deframe *d)
{
	size_t before = compact(d);
	size_t held;

	if (d->format == DEFRAME_SOURCE)
		held = refill_source(d, before);
	else if (is_port(d->format))
		held = refill_port(d, before);
	else
		held = refill_frames(d, before);
	d->bytes = bytes_of(d->window, held);
	if (held > before)
		return STATUS_OK;
	if (held >= DEFRAME_WINDOW)
		return STATUS_TRUNCATED;
	if (d->whole_end && !d->is_broken)
		return STATUS_UNAVAILABLE;
	return d->is_broken ? STATUS_BAD_DATA : STATUS_END;
}

uint64_t deframe_consumed(const struct deframe *d)
{
	return is_port(d->format) ? tpiu_consumed(&d->tpiu) : bytes_offset(&d->input);
}

uint64_t deframe_remainder(enum deframe_format format, uint64_t size)
{
	return format == DEFRAME_CORESIGHT ? size % FRAME_SIZE : 0;
}
