/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formatter frames out of what a trace port sent: IHI 0029, "Frame synchronization packet",
 * "Halfword synchronization packet". The blocks of a DSTREAM are explained in tpiu.h.
 */
#include "decoder/frame/tpiu.h"

#include <string.h>

enum {
	FSYNC_SIZE = 4,
	HSYNC_SIZE = 2,
};

static const uint8_t fsync_bytes[FSYNC_SIZE] = {0xff, 0xff, 0xff, 0x7f};
static const uint8_t hsync_bytes[HSYNC_SIZE] = {0xff, 0x7f};

void tpiu_init(struct tpiu *tpiu, struct bytes data, bool has_hsync, bool is_dstream)
{
	*tpiu = (struct tpiu){.in = data, .has_hsync = has_hsync, .is_dstream = is_dstream};
}

/* Puts the cursor at captured bytes, and says where they are among these. */
static enum status settle(struct tpiu *tpiu, uint64_t *place)
{
	size_t offset = bytes_offset(&tpiu->in);
	size_t block = offset / DSTREAM_BLOCK;
	size_t within = offset % DSTREAM_BLOCK;

	*place = offset;
	if (!tpiu->is_dstream)
		return bytes_need(&tpiu->in, 1);
	if (within >= DSTREAM_DATA) {
		block++;
		within = 0;
		if (bytes_seek(&tpiu->in, block * DSTREAM_BLOCK) != STATUS_OK)
			return STATUS_END;
	}
	*place = (uint64_t)block * DSTREAM_DATA + within;
	return bytes_need(&tpiu->in, 1);
}

/* Reads `count` captured bytes; `place` is that of the first. Nothing is read on failure. */
static enum status read(struct tpiu *tpiu, uint8_t *bytes, unsigned int count, uint64_t *place)
{
	const uint8_t *begin = tpiu->in.pos;

	for (unsigned int i = 0; i < count; i++) {
		uint64_t at;
		enum status status = settle(tpiu, &at);

		if (status == STATUS_OK)
			status = bytes_u8(&tpiu->in, &bytes[i]);
		if (status != STATUS_OK) {
			tpiu->in.pos = begin;
			return STATUS_END;
		}
		if (i == 0)
			*place = at;
	}
	return STATUS_OK;
}

static bool is_fsync_next(struct tpiu *tpiu)
{
	const uint8_t *begin = tpiu->in.pos;
	uint8_t bytes[FSYNC_SIZE];
	uint64_t place;
	bool is_fsync = read(tpiu, bytes, FSYNC_SIZE, &place) == STATUS_OK &&
	                memcmp(bytes, fsync_bytes, FSYNC_SIZE) == 0;

	tpiu->in.pos = begin;
	return is_fsync;
}

static enum status find_fsync(struct tpiu *tpiu)
{
	uint8_t byte;
	uint64_t place;

	while (!is_fsync_next(tpiu))
		TRY(read(tpiu, &byte, 1, &place));
	tpiu->is_synced = true;
	return STATUS_OK;
}

static enum status skip_fsyncs(struct tpiu *tpiu)
{
	uint8_t bytes[FSYNC_SIZE];
	uint64_t place;

	while (is_fsync_next(tpiu))
		TRY(read(tpiu, bytes, FSYNC_SIZE, &place));
	return STATUS_OK;
}

static enum status read_frame(struct tpiu *tpiu, uint8_t frame[TPIU_FRAME], uint64_t *place)
{
	unsigned int count = 0;
	uint64_t at;

	/* The place is that of the first pair, a half-word synchronisation packet or not. */
	TRY(skip_fsyncs(tpiu));
	TRY(settle(tpiu, place));
	while (count < TPIU_FRAME) {
		if (is_fsync_next(tpiu))
			return STATUS_BAD_DATA;
		TRY(read(tpiu, frame + count, HSYNC_SIZE, &at));
		if (memcmp(frame + count, hsync_bytes, HSYNC_SIZE) != 0)
			count += HSYNC_SIZE;
		else if (!tpiu->has_hsync)
			return STATUS_BAD_DATA;
	}
	return STATUS_OK;
}

enum status tpiu_next(struct tpiu *tpiu, uint8_t frame[TPIU_FRAME], uint64_t *place)
{
	const uint8_t *begin;
	enum status status;

	if (!tpiu->is_synced)
		TRY(find_fsync(tpiu));
	begin = tpiu->in.pos;
	status = read_frame(tpiu, frame, place);
	if (status != STATUS_OK)
		tpiu->in.pos = begin;
	return status == STATUS_TRUNCATED ? STATUS_END : status;
}

uint64_t tpiu_consumed(const struct tpiu *tpiu)
{
	return bytes_offset(&tpiu->in);
}
