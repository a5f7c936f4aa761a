/* SPDX-License-Identifier: Apache-2.0 */
/* Which trace IDs a buffer has; see id_census.h. */
#include "decoder/frame/id_census.h"

#include <string.h>

enum {
	FLAGS_AT = 15,
	LAST_AT = 14,
	ID_RESERVED = 0x70,
	ID_FLUSH = 0x7b,
	ID_TRIGGER = 0x7d,
	/*
	 * What every protocol synchronizes with: five 0x00 and 0x80 (ETMv3, PTM, ITM; ETMv4 has
	 * more of them), or ten 0xff and what ends them (STM: 21 nibbles of ones, a zero).
	 */
	SYNC_ZEROS = 5,
	SYNC_END = 0x80,
	SYNC_ONES = 10,
};

void id_census_init(struct id_census *census)
{
	memset(census, 0, sizeof(*census));
	census->current_id = -1;
}

static void look_for_sync(struct id_census *census, unsigned int id, uint8_t value)
{
	struct id_count *count = &census->ids[id];
	uint8_t *zeros = &census->zeros[id];
	uint8_t *ones = &census->ones[id];

	count->is_synced |= (value == SYNC_END && *zeros == SYNC_ZEROS) ||
	                    (value != 0xff && *ones == SYNC_ONES);
	if (value != 0)
		*zeros = 0;
	else if (*zeros < SYNC_ZEROS)
		++*zeros;
	if (value != 0xff)
		*ones = 0;
	else if (*ones < SYNC_ONES)
		++*ones;
}

static void put(struct id_census *census, uint8_t value, uint64_t place)
{
	struct id_count *count;

	if (census->current_id < 0)
		return;
	count = &census->ids[census->current_id];
	if (count->bytes++ == 0)
		count->first = place;
	count->last = place;
	if (!count->is_synced)
		look_for_sync(census, (unsigned int)census->current_id, value);
}

/* False, and no frames from here on, for an ID that nothing has. */
static bool set_id(struct id_census *census, uint8_t id_byte, uint64_t place)
{
	unsigned int id = id_byte >> 1;

	if (id >= ID_RESERVED && id != ID_FLUSH && id != ID_TRIGGER) {
		census->is_broken = true;
		census->broken_at = place;
		return false;
	}
	census->current_id = (int)id;
	return true;
}

/* An even byte that is an ID, and the odd byte after it. */
static bool count_change(struct id_census *census, const uint8_t *pair, bool is_late,
                         uint64_t place)
{
	if (is_late)
		put(census, pair[1], place + 1);
	if (!set_id(census, pair[0], place))
		return false;
	if (!is_late)
		put(census, pair[1], place + 1);
	return true;
}

static bool count_frame(struct id_census *census, const uint8_t *frame, uint64_t place)
{
	bool has_no_byte = false; /* of the current ID, since it became that in this frame */
	unsigned int flags = frame[FLAGS_AT];

	for (unsigned int at = 0; at < LAST_AT; at += 2, flags >>= 1) {
		bool is_late = (flags & 1) && frame[at] >> 1 != census->current_id;

		if (!(frame[at] & 1)) {
			put(census, frame[at] | (flags & 1), place + at);
			put(census, frame[at + 1], place + at + 1);
			has_no_byte = false;
			continue;
		}
		if (!count_change(census, frame + at, is_late, place + at))
			return false;
		has_no_byte = is_late;
	}
	if (!(frame[LAST_AT] & 1)) {
		put(census, frame[LAST_AT] | (flags & 1), place + LAST_AT);
		return true;
	}
	census->is_broken = has_no_byte;
	census->broken_at = place + LAST_AT;
	return !has_no_byte && set_id(census, frame[LAST_AT], place + LAST_AT);
}

/* True if all of the frame is data of the current ID. */
static bool has_no_id(const uint8_t *frame)
{
	uint8_t low_bits = 0;

	for (unsigned int at = 0; at <= LAST_AT; at += 2)
		low_bits |= frame[at];
	return !(low_bits & 1);
}

static bool count_one(struct id_census *census, const uint8_t *frame, uint64_t place)
{
	struct id_count *count = census->current_id >= 0 ? &census->ids[census->current_id] : NULL;

	/* Most frames are so, of an ID that is known to be a trace. */
	if (!has_no_id(frame) || (count && !count->is_synced))
		return count_frame(census, frame, place);
	if (count) {
		count->bytes += FLAGS_AT;
		count->last = place + LAST_AT;
	}
	return true;
}

void id_census_add(struct id_census *census, struct bytes frames, uint64_t place)
{
	struct bytes frame;

	while (!census->is_broken && bytes_take(&frames, FRAME_SIZE, &frame) == STATUS_OK) {
		if (!count_one(census, frame.pos, place))
			return;
		place += FRAME_SIZE;
	}
}

static void add_port(struct id_census *census, enum deframe_format format, struct bytes data)
{
	bool has_hsync = format == DEFRAME_TPIU_HSYNC || format == DEFRAME_DSTREAM_HSYNC;
	bool is_dstream = format == DEFRAME_DSTREAM || format == DEFRAME_DSTREAM_HSYNC;
	uint8_t frame[TPIU_FRAME];
	struct tpiu tpiu;
	uint64_t place;
	enum status status;

	tpiu_init(&tpiu, data, has_hsync, is_dstream);
	do {
		status = tpiu_next(&tpiu, frame, &place);
	} while (status == STATUS_OK && count_one(census, frame, place));
	if (status == STATUS_BAD_DATA) {
		census->is_broken = true;
		census->broken_at = tpiu_consumed(&tpiu);
	}
}

void id_census_add_buffer(struct id_census *census, enum deframe_format format, struct bytes data)
{
	if (format == DEFRAME_CORESIGHT)
		id_census_add(census, data, 0);
	else if (format != DEFRAME_SOURCE)
		add_port(census, format, data);
}
