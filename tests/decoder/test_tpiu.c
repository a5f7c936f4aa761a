/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames as a trace port sends them and as a DSTREAM stores them: the same bytes of a trace ID as
 * from the frames alone, at the reference's places; and where the bytes are no frames.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/frame/deframe.h"
#include "decoder/frame/tpiu.h"

#define FSYNC "\xff\xff\xff\x7f"
#define HSYNC "\xff\x7f"
/* A frame of ID 0x10, with fourteen letters but that every second is made even. */
#define FRAME_A                                                                                    \
	"\x21"                                                                                     \
	"abbdffhjjlnnpp\0"
#define FRAME_B                                                                                    \
	"\x21"                                                                                     \
	"ABBDFFHJJLNNPP\0"

enum { OUR_ID = 0x10, MOST = 1 << 16 };

struct port {
	uint8_t data[MOST];
	size_t size;
};

static void put(struct port *port, const void *bytes, size_t size)
{
	assert_true(port->size + size <= MOST);
	memcpy(port->data + port->size, bytes, size);
	port->size += size;
}

static void assert_frames(const char *data, size_t size, bool has_hsync, const char *frames,
                          const uint64_t *places, enum status last)
{
	size_t count = strlen(frames);
	uint8_t frame[TPIU_FRAME];
	struct tpiu tpiu;
	uint64_t place;

	tpiu_init(&tpiu, bytes_of(data, size), has_hsync, false);
	for (size_t i = 0; i < count; i++) {
		const char *expected = frames[i] == 'A' ? FRAME_A : FRAME_B;

		assert_int_equal(tpiu_next(&tpiu, frame, &place), STATUS_OK);
		assert_memory_equal(frame, expected, TPIU_FRAME);
		assert_int_equal(place, places[i]);
	}
	assert_int_equal(tpiu_next(&tpiu, frame, &place), last);
	assert_int_equal(tpiu_next(&tpiu, frame, &place), last);
	assert_true(tpiu_consumed(&tpiu) <= size);
}

#define ASSERT_FRAMES(data, has_hsync, frames, last, ...)                                          \
	assert_frames(data, sizeof(data) - 1, has_hsync, frames, (const uint64_t[]){__VA_ARGS__},  \
	              last)

static void fsync_between_frames_is_left_out(void **state)
{
	(void)state;
	ASSERT_FRAMES(FSYNC FRAME_A FRAME_B, false, "AB", STATUS_END, 4, 20);
	ASSERT_FRAMES(FSYNC FRAME_A FSYNC FSYNC FRAME_B FSYNC, false, "AB", STATUS_END, 4, 28);
}

static void begin_before_fsync_is_left_out(void **state)
{
	(void)state;
	ASSERT_FRAMES("abc" FSYNC FRAME_A, false, "A", STATUS_END, 7);
	ASSERT_FRAMES(FRAME_B "\xff" FSYNC FRAME_A, true, "A", STATUS_END, 21);
	ASSERT_FRAMES(FRAME_A FRAME_B, false, "", STATUS_END, 0);
	ASSERT_FRAMES("", false, "", STATUS_END, 0);
}

static void frame_cut_is_left_out(void **state)
{
	static const char data[] = FSYNC FRAME_A FRAME_B;

	(void)state;
	for (size_t size = 0; size < sizeof(data) - 1; size++)
		assert_frames(data, size, false, size < 20 ? "" : "A", (const uint64_t[]){4},
		              STATUS_END);
}

static void hsync_within_frame_is_left_out(void **state)
{
	static const char whole[] = FRAME_A;

	(void)state;
	for (size_t at = 0; at < TPIU_FRAME; at += 2) {
		char data[64] = FSYNC;

		memcpy(data + 4, whole, at);
		memcpy(data + 4 + at, HSYNC HSYNC, 4);
		memcpy(data + 8 + at, whole + at, TPIU_FRAME - at);
		memcpy(data + 24, FRAME_B, TPIU_FRAME);
		assert_frames(data, 40, true, "AB", (const uint64_t[]){4, 24}, STATUS_END);
		assert_frames(data, 40, false, "", NULL, STATUS_BAD_DATA);
	}
}

static void fsync_within_frame_is_bad_data(void **state)
{
	static const char whole[] = FRAME_B;

	(void)state;
	for (size_t at = 2; at < TPIU_FRAME; at += 2) {
		char data[64] = FSYNC FRAME_A;

		memcpy(data + 20, whole, at);
		memcpy(data + 20 + at, FSYNC, 4);
		memcpy(data + 24 + at, whole + at, TPIU_FRAME - at);
		assert_frames(data, 40, false, "A", (const uint64_t[]){4}, STATUS_BAD_DATA);
		assert_frames(data, 40, true, "A", (const uint64_t[]){4}, STATUS_BAD_DATA);
	}
}

/* Random frames, and the same as a trace port sends them. */
static void make_random(struct port *frames, struct port *port, bool has_hsync, uint32_t seed)
{
	put(port, "xyz" FSYNC, 7);
	for (unsigned int i = 0; i < 1000; i++) {
		uint8_t frame[TPIU_FRAME];

		for (unsigned int j = 0; j < TPIU_FRAME; j++) {
			seed = seed * 1664525 + 1013904223;
			frame[j] = (uint8_t)(seed >> 24);
		}
		/* Our ID in most frames, and neither 0x7f nor an ID without data. */
		frame[0] = i % 4 ? OUR_ID << 1 | 1 : frame[0];
		for (unsigned int j = 0; j < TPIU_FRAME; j += 2)
			frame[j] &= j == 14 ? 0xfe : 0x7f;
		put(frames, frame, TPIU_FRAME);
		put(port, frame, has_hsync ? 6 : TPIU_FRAME);
		if (has_hsync) {
			put(port, HSYNC HSYNC, i % 3 * 2);
			put(port, frame + 6, TPIU_FRAME - 6);
		}
		put(port, FSYNC FSYNC, i % 3 * 4);
	}
}

static void store_as_dstream(const struct port *port, struct port *stored)
{
	for (size_t at = 0; at < port->size; at += DSTREAM_DATA) {
		size_t left = port->size - at;

		put(stored, port->data + at, left < DSTREAM_DATA ? left : DSTREAM_DATA);
		if (left >= DSTREAM_DATA)
			put(stored, "\0\0\0\0" FSYNC, 8);
	}
}

static size_t unpack(enum deframe_format format, const struct port *port, uint8_t *bytes,
                     uint64_t *indexes)
{
	struct deframe *d = malloc(sizeof(*d));
	size_t count = 0;
	enum status status;

	assert_non_null(d);
	deframe_init(d, format, bytes_of(port->data, port->size), OUR_ID);
	while ((status = deframe_refill(d)) == STATUS_OK) {
		while (bytes_left(&d->bytes) > 0) {
			assert_true(count < MOST);
			indexes[count] = deframe_index(d, d->bytes.pos);
			assert_int_equal(bytes_u8(&d->bytes, &bytes[count++]), STATUS_OK);
		}
	}
	assert_int_equal(status, STATUS_END);
	assert_true(deframe_consumed(d) <= port->size);
	free(d);
	return count;
}

static void bytes_are_those_of_the_frames(void **state)
{
	struct port *ports = calloc(3, sizeof(*ports));
	uint8_t *bytes = malloc(3 * MOST);
	uint64_t *indexes = malloc(3 * MOST * sizeof(*indexes));

	(void)state;
	assert_non_null(ports);
	assert_non_null(bytes);
	assert_non_null(indexes);
	for (uint32_t round = 0; round < 20; round++) {
		bool has_hsync = round % 2;
		size_t count;

		memset(ports, 0, 3 * sizeof(*ports));
		make_random(&ports[0], &ports[1], has_hsync, round);
		store_as_dstream(&ports[1], &ports[2]);
		count = unpack(DEFRAME_CORESIGHT, &ports[0], bytes, indexes);
		assert_true(count > 1000);
		assert_int_equal(unpack(has_hsync ? DEFRAME_TPIU_HSYNC : DEFRAME_TPIU, &ports[1],
		                        bytes + MOST, indexes + MOST),
		                 count);
		assert_int_equal(unpack(has_hsync ? DEFRAME_DSTREAM_HSYNC : DEFRAME_DSTREAM,
		                        &ports[2], bytes + 2 * MOST, indexes + 2 * MOST),
		                 count);
		assert_memory_equal(bytes, bytes + MOST, count);
		assert_memory_equal(bytes, bytes + 2 * MOST, count);
		/* The DSTREAM's own bytes do not count. */
		assert_memory_equal(indexes + MOST, indexes + 2 * MOST, count * sizeof(*indexes));
	}
	free(indexes);
	free(bytes);
	free(ports);
}

/* What gives `d` no byte more, and why. */
static enum status last_status(enum deframe_format format, const void *data, size_t size,
                               size_t *count)
{
	struct deframe *d = malloc(sizeof(*d));
	enum status status;

	assert_non_null(d);
	*count = 0;
	deframe_init(d, format, bytes_of(data, size), OUR_ID);
	while ((status = deframe_refill(d)) == STATUS_OK) {
		*count += bytes_left(&d->bytes);
		d->bytes.pos = d->bytes.end;
	}
	assert_int_equal(deframe_refill(d), status);
	free(d);
	return status;
}

static void frames_after_wrong_sync_are_not_trusted(void **state)
{
	static const char data[] = FSYNC FRAME_A "\x21zzz" FSYNC "zzzzzzzz" FSYNC FRAME_B;
	size_t count;

	(void)state;
	assert_int_equal(last_status(DEFRAME_TPIU, data, sizeof(data) - 1, &count),
	                 STATUS_BAD_DATA);
	assert_int_equal(count, 14);
}

static void frames_after_id_without_byte_are_not_trusted(void **state)
{
	/* Byte 12: ID 0x10, after byte 13; byte 14: another ID. */
	uint8_t data[48] = {[0] = OUR_ID << 1 | 1, [16] = 0x41, [28] = OUR_ID << 1 | 1,
	                    [30] = 0x41,           [31] = 0x40, [32] = OUR_ID << 1 | 1};
	size_t count;

	(void)state;
	assert_int_equal(last_status(DEFRAME_CORESIGHT, data, 48, &count), STATUS_BAD_DATA);
	assert_int_equal(count, 14);
	/* Another source's turn without a byte is nothing to us. */
	data[28] = 0x51;
	assert_int_equal(last_status(DEFRAME_CORESIGHT, data, 48, &count), STATUS_END);
	assert_int_equal(count, 28);
	/* With the byte at once, or with a byte after, it is in order. */
	data[28] = OUR_ID << 1 | 1;
	data[31] = 0;
	assert_int_equal(last_status(DEFRAME_CORESIGHT, data, 48, &count), STATUS_END);
	assert_int_equal(count, 29);
	data[31] = 0x40;
	data[30] = 'x' & ~1;
	assert_int_equal(last_status(DEFRAME_CORESIGHT, data, 48, &count), STATUS_END);
	assert_int_equal(count, 29);
}

static void bytes_random_come_to_an_end(void **state)
{
	static const enum deframe_format formats[] = {DEFRAME_TPIU, DEFRAME_TPIU_HSYNC,
	                                              DEFRAME_DSTREAM, DEFRAME_DSTREAM_HSYNC};
	struct port *port = calloc(1, sizeof(*port));
	uint32_t seed = 3;

	(void)state;
	assert_non_null(port);
	for (unsigned int i = 0; i < 400; i++) {
		size_t count;
		enum status status;

		port->size = 0;
		put(port, FSYNC, 4);
		while (port->size < 40 + 7 * i) {
			uint8_t byte;

			seed = seed * 1664525 + 1013904223;
			byte = (uint8_t)(seed >> 24);
			/* Synchronisation packets more often than by chance. */
			put(port,
			    byte < 4   ? FSYNC
			    : byte < 8 ? HSYNC "ab"
			               : (const char *)&byte,
			    byte < 8 ? 4 : 1);
		}
		status = last_status(formats[i % 4], port->data, port->size, &count);
		assert_true(status == STATUS_END || status == STATUS_BAD_DATA);
		assert_true(count < port->size);
	}
	free(port);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(fsync_between_frames_is_left_out),
	        cmocka_unit_test(begin_before_fsync_is_left_out),
	        cmocka_unit_test(frame_cut_is_left_out),
	        cmocka_unit_test(hsync_within_frame_is_left_out),
	        cmocka_unit_test(fsync_within_frame_is_bad_data),
	        cmocka_unit_test(bytes_are_those_of_the_frames),
	        cmocka_unit_test(frames_after_wrong_sync_are_not_trusted),
	        cmocka_unit_test(frames_after_id_without_byte_are_not_trusted),
	        cmocka_unit_test(bytes_random_come_to_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
