/* SPDX-License-Identifier: Apache-2.0 */
/* Which trace IDs a buffer has; see id_census.h. */
#include "decoder/frame/id_census.h"

#include <string.h>

#include "decoder/frame/frame_bits.h"

enum {
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

/* Byte `at` of a frame, which is data: of an even one bit 0 is among the flags. */
static uint8_t data_byte(const uint8_t *frame, unsigned int at)
{
	return (uint8_t)(frame[at] | (at % 2 == 0 ? frame[FLAGS_AT] >> (at / 2) & 1 : 0));
}

/* Bytes `from` to `end` - 1 of the frame are data of the current ID. */
static void count_data(struct id_census *census, const uint8_t *frame, unsigned int from,
                       unsigned int end, uint64_t place)
{
	struct id_count *count;

	if (census->current_id < 0 || from >= end)
		return;
	count = &census->ids[census->current_id];
	if (count->bytes == 0)
		count->first = place + from;
	count->bytes += end - from;
	count->last = place + end - 1;
	for (; from < end && !count->is_synced; from++)
		look_for_sync(census, (unsigned int)census->current_id, data_byte(frame, from));
}

/* False, and no frames from here on, for an ID that nothing has. */
static bool set_id(struct id_census *census, uint8_t id_byte, uint64_t place)
{
	unsigned int id = id_byte >> 1;

	if (trace_id_is_reserved(id)) {
		census->is_broken = true;
		census->broken_at = place;
		return false;
	}
	census->current_id = (int)id;
	return true;
}

static bool count_frame(struct id_census *census, const uint8_t *frame, uint64_t place)
{
	unsigned int from = 0;    /* data begin that are not counted yet */
	bool has_no_byte = false; /* of the ID at `from` - 2, since the byte after it was not its */

	for (unsigned int ids = id_bytes(frame); ids != 0; ids &= ids - 1) {
		unsigned int at = (unsigned int)__builtin_ctz(ids);
		bool is_late = at != LAST_AT && (frame[FLAGS_AT] >> (at / 2) & 1) != 0 &&
		               frame[at] >> 1 != census->current_id;

		count_data(census, frame, from, at, place);
		if (at == LAST_AT && has_no_byte && from == at) {
			census->is_broken = true;
			census->broken_at = place + at;
			return false;
		}
		if (is_late)
			count_data(census, frame, at + 1, at + 2, place);
		if (!set_id(census, frame[at], place + at))
			return false;
		from = is_late ? at + 2 : at + 1;
		has_no_byte = is_late;
	}
	count_data(census, frame, from, FLAGS_AT, place);
	return true;
}

void id_census_add(struct id_census *census, struct bytes frames, uint64_t place)
{
	struct bytes frame;

	while (!census->is_broken && bytes_take(&frames, FRAME_SIZE, &frame) == STATUS_OK) {
		if (!count_frame(census, frame.pos, place))
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
	} while (status == STATUS_OK && count_frame(census, frame, place));
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
