/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The deframer in each packing; byte 0 of the input is the packing, byte 1 the trace ID. Holds:
 * every refill gives at least one byte or an end; each byte given is the one at its place in the
 * buffer (the low bit of an even one is elsewhere in its frame), places rise, Idx is not beyond the
 * place, and all that is the same whatever part of the window the caller leaves unread.
 */
#include "decoder/frame/deframe.h"
#include "fuzz.h"

enum { PACKINGS = DEFRAME_DSTREAM_HSYNC + 1 };

struct seen {
	uint64_t hash; /* of all bytes, places and Idx (FNV-1a) */
	uint64_t count;
	uint64_t last_place;
	bool has_hole;
};

static void mix(struct seen *seen, uint64_t value)
{
	seen->hash = (seen->hash ^ value) * UINT64_C(0x100000001b3);
}

/* Place in the file of a place among the captured bytes. */
static uint64_t file_place(enum deframe_format format, uint64_t place)
{
	if (format != DEFRAME_DSTREAM && format != DEFRAME_DSTREAM_HSYNC)
		return place;
	return place / DSTREAM_DATA * DSTREAM_BLOCK + place % DSTREAM_DATA;
}

/* In a buffer of frames the low bit of an even byte is in the frame's last byte. */
static uint8_t low_bit(struct bytes data, uint64_t place)
{
	uint64_t flags_at = place | (FRAME_SIZE - 1);

	if (place % 2 != 0)
		return data.pos[place] & 1;
	return data.pos[flags_at] >> (place % FRAME_SIZE / 2) & 1;
}

static void take_byte(struct deframe *d, struct bytes data, struct seen *seen)
{
	uint64_t place = deframe_position(d, d->bytes.pos);
	uint64_t index = deframe_index(d, d->bytes.pos);
	uint64_t in_file = file_place(d->format, place);
	uint8_t byte = 0;

	FUZZ_CHECK(bytes_u8(&d->bytes, &byte) == STATUS_OK);
	FUZZ_CHECK(seen->count == 0 || place > seen->last_place);
	FUZZ_CHECK(index <= place && in_file < bytes_left(&data));
	/* In frames with half-word synchronisation a byte lies after where it is counted. */
	if (d->format != DEFRAME_TPIU_HSYNC && d->format != DEFRAME_DSTREAM_HSYNC)
		FUZZ_CHECK(((data.pos[in_file] ^ byte) & 0xfe) == 0);
	if (d->format == DEFRAME_CORESIGHT)
		FUZZ_CHECK((byte & 1) == low_bit(data, place));
	seen->last_place = place;
	seen->count++;
	mix(seen, byte);
	mix(seen, place);
	mix(seen, index);
}

static struct seen unpack(struct deframe *d, enum deframe_format format, struct bytes data,
                          uint8_t trace_id, size_t keep)
{
	struct seen seen = {.hash = UINT64_C(0xcbf29ce484222325)};
	uint64_t consumed = 0;
	enum status status;

	deframe_init(d, format, data, trace_id);
	for (;;) {
		size_t left = bytes_left(&d->bytes);

		status = deframe_refill(d);
		FUZZ_CHECK(deframe_consumed(d) >= consumed);
		consumed = deframe_consumed(d);
		FUZZ_CHECK(consumed <= bytes_left(&data));
		if (status != STATUS_OK)
			break;
		FUZZ_CHECK(bytes_left(&d->bytes) > (d->follows_hole ? 0 : left));
		seen.has_hole |= d->follows_hole;
		while (bytes_left(&d->bytes) > keep)
			take_byte(d, data, &seen);
	}
	FUZZ_CHECK(status == STATUS_END || status == STATUS_BAD_DATA);
	while (bytes_left(&d->bytes) > 0)
		take_byte(d, data, &seen);
	mix(&seen, status);
	return seen;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const size_t keeps[] = {7, DEFRAME_WINDOW - 1};
	static struct deframe d;
	struct bytes in = bytes_of(data, size);
	enum deframe_format format = (enum deframe_format)(fuzz_number(&in, 1) % PACKINGS);
	uint8_t trace_id = (uint8_t)fuzz_number(&in, 1) & TRACE_ID_MASK;
	struct bytes buffer = bytes_of(in.pos, bytes_left(&in));
	struct seen first = unpack(&d, format, buffer, trace_id, 0);
	uint64_t rest = deframe_remainder(format, bytes_left(&buffer));

	FUZZ_CHECK(rest <= bytes_left(&buffer));
	for (unsigned int i = 0; i < sizeof(keeps) / sizeof(keeps[0]); i++) {
		struct seen again = unpack(&d, format, buffer, trace_id, keeps[i]);

		/* What is not read before a hole is gone. */
		FUZZ_CHECK(again.has_hole == first.has_hole && again.count <= first.count);
		if (!first.has_hole)
			FUZZ_CHECK(again.count == first.count && again.hash == first.hash);
	}
	return 0;
}
