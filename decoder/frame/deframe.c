/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CoreSight formatter's frames: bytes of one trace ID out of a trace buffer. IHI 0029,
 * formatter frames; the two places of a byte are explained in deframe.h.
 */
#include "decoder/frame/deframe.h"

#include <string.h>

#include "decoder/frame/frame_bits.h"

enum {
	SEEK_BACK = 1 << 16, /* bytes in which the ID before a place is looked for */
	ID_RESERVED = 0x70,  /* this one and those after it, but for two */
	ID_FLUSH = 0x7b,
	ID_TRIGGER = 0x7d,
};

/* Bytes of a frame: from the first to before the last. */
struct places {
	unsigned int from;
	unsigned int end;
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

bool trace_id_is_reserved(unsigned int id)
{
	return id >= ID_RESERVED && id != ID_FLUSH && id != ID_TRIGGER;
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
	d->has_hole = false;
	d->follows_hole = false;
	d->held = 0;
	d->whole_end = NULL;
	d->bytes = bytes_of(d->window, 0);
	d->format = format;
	d->input = data;
	d->trace_id = trace_id;
	d->current_id = -1;
	d->seen_ids[0] = 0;
	d->seen_ids[1] = 0;
}

/* Moves what is held from `at` on to the window's start and returns how much it is. */
static size_t compact(struct deframe *d, size_t at)
{
	size_t left = d->held - at;
	uint16_t first;

	if (at == 0 || left == 0)
		return left;
	first = d->frames[at];
	memmove(d->frame_positions, d->frame_positions + first,
	        (d->frames[d->held - 1] - first + 1U) * sizeof(d->frame_positions[0]));
	memmove(d->window, d->window + at, left);
	memmove(d->places, d->places + at, left);
	for (size_t i = 0; i < left; i++)
		d->frames[i] = (uint16_t)(d->frames[at + i] - first);
	return left;
}

/* The number of the frame at a position, of which bytes come after those that are held. */
static inline uint16_t frame_number(struct deframe *d, size_t held, uint64_t position)
{
	uint16_t number = held > 0 ? d->frames[held - 1] : 0;

	if (held > 0 && d->frame_positions[number] != position)
		number++;
	d->frame_positions[number] = position;
	return number;
}

static void set_id(struct deframe *d, uint8_t id_byte)
{
	unsigned int id = id_byte >> 1;

	d->current_id = (int)id;
	d->seen_ids[id / 64] |= UINT64_C(1) << (id % 64);
}

/*
 * The current ID was announced after `held` bytes. Returns how many are held now: of two holes with
 * no whole frame between them, one is made.
 */
static size_t look_for_hole(struct deframe *d, size_t held)
{
	if (!trace_id_is_reserved((unsigned int)d->current_id))
		return held;
	if (!d->has_hole)
		d->hole = held;
	d->has_hole = true;
	return d->hole;
}

/* A new ID at `place`: a run with bytes in it ends; an empty one becomes the new ID's. */
static void change_id(struct deframe *d, struct run *run, unsigned int place, uint8_t id_byte)
{
	set_id(d, id_byte);
	if (run->count > 0)
		*run = (struct run){run->frame, place, 0};
}

/* Of a whole frame, which takes no loop: of bytes that are not there it is put over. */
static inline void put_places(struct deframe *d, size_t held, uint16_t number, unsigned int first)
{
	static const uint8_t places[FRAME_SIZE] = {0, 1, 2,  3,  4,  5,  6,  7,
	                                           8, 9, 10, 11, 12, 13, 14, 15};

	for (unsigned int i = 0; i < FRAME_SIZE; i++)
		d->frames[held + i] = number;
	for (unsigned int i = 0; i < FRAME_SIZE; i++)
		d->places[held + i] = (uint8_t)(first + places[i]);
}

/*
 * Bytes `from` to `end` - 1 of the frame, whose data is at `data`, are of the current ID. Returns
 * how many bytes are held now.
 */
static inline size_t put(struct deframe *d, size_t held, struct run *run, const uint8_t *data,
                         struct places places)
{
	unsigned int count = places.end - places.from;
	unsigned int lag = places.from - (run->begin + run->count);
	uint16_t number;

	run->count += count;
	if (d->current_id != d->trace_id || count == 0)
		return held;
	number = frame_number(d, held, run->frame);
	memcpy(d->window + held, data + places.from, FRAME_SIZE);
	put_places(d, held, number, lag * FRAME_SIZE + places.from);
	return held + count;
}

static size_t unpack_frame(struct deframe *d, size_t held, const uint8_t *frame, uint64_t position)
{
	struct run run = {position, 0, 0};
	unsigned int flags = frame[FLAGS_AT];
	uint8_t data[2 * FRAME_SIZE] = {0}; /* the second half is read, and not used */
	unsigned int from = 0;

	put_eight_bytes(data, with_flags(frame, flags));
	put_eight_bytes(data + 8, with_flags(frame + 8, flags >> 4));
	for (unsigned int ids = id_bytes(frame); ids != 0; ids &= ids - 1) {
		unsigned int at = (unsigned int)__builtin_ctz(ids);

		held = put(d, held, &run, data, (struct places){from, at});
		from = at + 1;
		if (at == LAST_AT) {
			d->is_broken |= run.count == 0 && d->current_id == d->trace_id;
			set_id(d, frame[at]);
			return look_for_hole(d, held);
		}
		if (frame[at] >> 1 == d->current_id)
			continue;
		if (flags >> (at / 2) & 1) {
			/* The new ID takes effect after the odd byte. */
			held = put(d, held, &run, data, (struct places){from, from + 1});
			from++;
		}
		change_id(d, &run, at, frame[at]);
		held = look_for_hole(d, held);
	}
	return put(d, held, &run, data, (struct places){from, FLAGS_AT});
}

/* A frame without an ID, which most are: fifteen bytes at once. */
static size_t unpack_whole(struct deframe *d, size_t held, const uint8_t *frame, uint64_t position)
{
	uint8_t flags = frame[FLAGS_AT];
	uint16_t number = frame_number(d, held, position);

	put_eight_bytes(d->window + held, with_flags(frame, flags));
	put_eight_bytes(d->window + held + 8, with_flags(frame + 8, flags >> 4U));
	put_places(d, held, number, 0);
	return held + FLAGS_AT;
}

static bool has_bytes_after_hole(const struct deframe *d, size_t held)
{
	return d->has_hole && held > d->hole;
}

/* There is no more to be unpacked into the window: it is full, or there are bytes after a hole. */
static bool is_full(const struct deframe *d, size_t held)
{
	return held >= DEFRAME_WINDOW || d->is_broken || has_bytes_after_hole(d, held);
}

static size_t refill_frames(struct deframe *d, size_t held)
{
	while (!is_full(d, held) && bytes_left(&d->input) >= FRAME_SIZE) {
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
	if (bytes_skip(&d->input, offset) != STATUS_OK)
		return;
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

	while (!is_full(d, held)) {
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
		uint64_t position = bytes_offset(&d->input);

		d->frames[held] = frame_number(d, held, position - position % FRAME_SIZE);
		d->places[held] = (uint8_t)(position % FRAME_SIZE);
		d->window[held++] = *d->input.pos++;
	}
	return held;
}

/* What is before the hole was read, or is no whole packet. */
static enum status pass_hole(struct deframe *d)
{
	d->held = compact(d, d->hole);
	d->bytes = bytes_of(d->window, d->held);
	d->has_hole = false;
	d->follows_hole = true;
	return STATUS_OK;
}

/* Unpacks after `before` bytes, and tells of those that are before a hole. Returns how many. */
static size_t unpack(struct deframe *d, size_t before)
{
	size_t told;

	/* One that was not passed yet has nothing after it. */
	d->hole = before;
	if (d->format == DEFRAME_SOURCE)
		d->held = refill_source(d, before);
	else if (is_port(d->format))
		d->held = refill_port(d, before);
	else
		d->held = refill_frames(d, before);
	told = d->has_hole ? d->hole : d->held;
	d->bytes = bytes_of(d->window, told);
	return told;
}

enum status deframe_refill(struct deframe *d)
{
	size_t before;
	size_t told;

	d->follows_hole = false;
	if (has_bytes_after_hole(d, d->held))
		return pass_hole(d);
	before = compact(d, bytes_offset(&d->bytes));
	told = unpack(d, before);
	if (told > before)
		return STATUS_OK;
	if (has_bytes_after_hole(d, d->held))
		return pass_hole(d);
	if (told >= DEFRAME_WINDOW)
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
