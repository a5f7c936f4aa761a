/* SPDX-License-Identifier: Apache-2.0 */
/* Formatter frames: by hand-made frames, and random ones against a plain unpacker. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/frame/deframe.h"

enum {
	OUR_ID = 0x10,
	OTHER_ID = 0x22,
	RANDOM_FRAMES = 3000,
};

/* The even byte that announces an ID. */
#define ID(id) (uint8_t)((id) << 1 | 1)

struct unpacked {
	uint8_t *bytes;
	uint64_t *positions;
	uint64_t *indexes;
	size_t count;
};

static void unpacked_init(struct unpacked *u, size_t room)
{
	u->bytes = calloc(room + 1, 1);
	u->positions = calloc(room + 1, sizeof(uint64_t));
	u->indexes = calloc(room + 1, sizeof(uint64_t));
	u->count = 0;
	assert_non_null(u->bytes);
	assert_non_null(u->positions);
	assert_non_null(u->indexes);
}

static void unpacked_fini(struct unpacked *u)
{
	free(u->bytes);
	free(u->positions);
	free(u->indexes);
}

/* Takes all bytes of OUR_ID, leaving up to `keep` of them for the next window. */
static void unpack(enum deframe_format format, const void *data, size_t size, size_t keep,
                   struct unpacked *u)
{
	struct deframe *d = malloc(sizeof(*d));
	enum status status;

	assert_non_null(d);
	deframe_init(d, format, bytes_of(data, size), OUR_ID);
	while ((status = deframe_refill(d)) == STATUS_OK) {
		while (bytes_left(&d->bytes) > keep) {
			u->positions[u->count] = deframe_position(d, d->bytes.pos);
			u->indexes[u->count] = deframe_index(d, d->bytes.pos);
			assert_int_equal(bytes_u8(&d->bytes, &u->bytes[u->count++]), STATUS_OK);
		}
	}
	assert_int_equal(status, STATUS_END);
	while (bytes_left(&d->bytes) > 0) {
		u->positions[u->count] = deframe_position(d, d->bytes.pos);
		u->indexes[u->count] = deframe_index(d, d->bytes.pos);
		assert_int_equal(bytes_u8(&d->bytes, &u->bytes[u->count++]), STATUS_OK);
	}
	free(d);
}

static void assert_frame(const uint8_t *frames, size_t size, const char *expected,
                         const uint64_t *positions, const uint64_t *indexes)
{
	struct unpacked u;

	unpacked_init(&u, size);
	unpack(DEFRAME_CORESIGHT, frames, size, 0, &u);
	assert_int_equal(u.count, strlen(expected));
	assert_memory_equal(u.bytes, expected, u.count);
	for (size_t i = 0; i < u.count; i++) {
		assert_int_equal(u.positions[i], positions[i]);
		assert_int_equal(u.indexes[i], indexes[i]);
	}
	unpacked_fini(&u);
}

static void frame_id_at_once_gives_bytes_after_it(void **state)
{
	/* Bit 1 of byte 15 is the low bit of byte 2: 'b' becomes 'c'. */
	static const uint8_t frame[16] = {ID(OUR_ID), 'a', 'b', 'c', 'd', 'e', 'f', 'g',
	                                  'h',        'i', 'j', 'k', 'l', 'm', 'n', 2};
	static const uint64_t positions[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
	static const uint64_t indexes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};

	(void)state;
	assert_frame(frame, 16, "accdefghijklmn", positions, indexes);
}

static void frame_id_delayed_gives_odd_byte_to_old_id(void **state)
{
	/* Byte 4 announces the other ID after byte 5; byte 8 ours again at once. */
	static const uint8_t frame[16] = {ID(OUR_ID), 'a', 'b', 'c', ID(OTHER_ID), 'd', 'x', 'y',
	                                  ID(OUR_ID), 'e', 'f', 'g', 'h',          'i', 'j', 4};
	static const uint64_t positions[] = {1, 2, 3, 5, 9, 10, 11, 12, 13, 14};
	static const uint64_t indexes[] = {0, 1, 2, 3, 8, 9, 10, 11, 12, 13};

	(void)state;
	assert_frame(frame, 16, "abcdefghij", positions, indexes);
}

static void frame_same_id_again_is_no_new_run(void **state)
{
	static const uint8_t frame[16] = {ID(OUR_ID),   'a', ID(OUR_ID), 'b', ID(OTHER_ID), 'x',
	                                  ID(OTHER_ID), 'y', 'z',        'z', 'z',          'z',
	                                  'z',          'z', ID(OUR_ID), 2};
	static const uint64_t positions[] = {1, 3};
	static const uint64_t indexes[] = {0, 1};

	(void)state;
	assert_frame(frame, 16, "ab", positions, indexes);
}

static void frame_last_byte_id_holds_for_next_frame(void **state)
{
	uint8_t frames[32];
	static const uint64_t positions[] = {16, 17};
	static const uint64_t indexes[] = {16, 17};

	(void)state;
	memset(frames, 'x', sizeof(frames));
	frames[14] = ID(OUR_ID);
	frames[15] = 0;
	frames[16] = 'p';
	frames[17] = 'q';
	frames[18] = ID(OTHER_ID);
	frames[31] = 0;
	assert_frame(frames, 32, "pq", positions, indexes);
}

static void frame_before_first_id_is_dropped(void **state)
{
	static const uint8_t frame[16] = {'x', 'x', 'x', 'x', 'x', 'x', ID(OUR_ID), 'a',
	                                  'b', 'c', 'd', 'e', 'f', 'g', 'h',        0};
	static const uint64_t positions[] = {7, 8, 9, 10, 11, 12, 13, 14};
	static const uint64_t indexes[] = {6, 7, 8, 9, 10, 11, 12, 13};

	(void)state;
	assert_frame(frame, 16, "abcdefgh", positions, indexes);
}

static void frame_cut_is_left_out(void **state)
{
	uint8_t frames[32] = {ID(OUR_ID), 'a', 'b', 'c', 'd', 'e', 'f', 'g',
	                      'h',        'i', 'j', 'k', 'l', 'm', 'n'};
	struct unpacked u;

	(void)state;
	for (size_t size = 0; size < 16; size++) {
		unpacked_init(&u, 32);
		unpack(DEFRAME_CORESIGHT, frames, size, 0, &u);
		assert_int_equal(u.count, 0);
		assert_int_equal(deframe_remainder(DEFRAME_CORESIGHT, size), size);
		unpack(DEFRAME_CORESIGHT, frames, 16 + size, 0, &u);
		assert_int_equal(u.count, 14);
		assert_int_equal(deframe_remainder(DEFRAME_CORESIGHT, 16 + size), size);
		unpacked_fini(&u);
	}
}

static void source_data_is_taken_as_it_is(void **state)
{
	static const char data[] = "\x21\x43 anything";
	struct unpacked u;

	(void)state;
	unpacked_init(&u, sizeof(data));
	unpack(DEFRAME_SOURCE, data, sizeof(data), 3, &u);
	assert_int_equal(u.count, sizeof(data));
	assert_memory_equal(u.bytes, data, u.count);
	for (size_t i = 0; i < u.count; i++) {
		assert_int_equal(u.positions[i], i);
		assert_int_equal(u.indexes[i], i);
	}
	assert_int_equal(deframe_remainder(DEFRAME_SOURCE, 7), 0);
	unpacked_fini(&u);
}

static void id_of_source_is_0x01_to_0x6f(void **state)
{
	(void)state;
	for (unsigned int id = 0; id < 0x80; id++)
		assert_int_equal(trace_id_is_source(id), id >= 0x01 && id <= 0x6f);
}

static void id_is_reserved_from_0x70_on_but_for_flush_and_trigger(void **state)
{
	(void)state;
	for (unsigned int id = 0; id < 0x80; id++)
		assert_int_equal(trace_id_is_reserved(id), id >= 0x70 && id != 0x7b && id != 0x7d);
}

/* What one refill after the other gives: the bytes, `|` before those that follow a hole. */
static void assert_refills(const uint8_t *frames, size_t size, size_t keep, const char *expected)
{
	struct deframe *d = malloc(sizeof(*d));
	char found[64];
	size_t count = 0;

	assert_non_null(d);
	deframe_init(d, DEFRAME_CORESIGHT, bytes_of(frames, size), OUR_ID);
	while (deframe_refill(d) == STATUS_OK) {
		if (d->follows_hole)
			found[count++] = '|';
		while (bytes_left(&d->bytes) > keep)
			assert_int_equal(bytes_u8(&d->bytes, (uint8_t *)&found[count++]),
			                 STATUS_OK);
		assert_in_range(count, 0, 40);
	}
	while (bytes_left(&d->bytes) > 0)
		assert_int_equal(bytes_u8(&d->bytes, (uint8_t *)&found[count++]), STATUS_OK);
	found[count] = 0;
	assert_string_equal(found, expected);
	free(d);
}

static void reserved_id_is_a_hole_before_the_next_bytes(void **state)
{
	/* The one at 4 comes after byte 5, the one at 14 of the second frame after that. */
	static const uint8_t frames[48] = {
	        ID(OUR_ID), 'a', 'b', 'c', ID(0x70), 'e', 'x', 'x', ID(OUR_ID), 'g', 'h', 'i', 'j',
	        'k',        'l', 4,   'n', 'n',      'p', 'p', 'r', 's',        't', 'u', 'v', 'w',
	        'x',        'y', 'z', 'z', ID(0x7e), 0,   'x', 'x', ID(OUR_ID), 'A', 'B', 'C', 'D',
	        'E',        'F', 'G', 'H', 'I',      'J', 'K', 'L', 0,
	};

	(void)state;
	assert_refills(frames, 48, 0, "abce|ghijklnnpprstuvwxyzz|ABCDEFGHIJKL");
	/* What was not read before a hole is no whole packet. */
	assert_refills(frames, 48, 2, "ab|ghijklnnpprstuvwxy|ABCDEFGHIJKL");
}

static void reserved_ids_in_a_frame_are_one_hole(void **state)
{
	static const uint8_t frame[16] = {ID(OUR_ID), 'a', ID(0x7c), 'x', ID(OUR_ID), 'c',
	                                  'd',        'e', ID(0x71), 'x', ID(OUR_ID), 'g',
	                                  'h',        'i', 'j',      0};

	(void)state;
	assert_refills(frame, 16, 0, "a|ghij");
}

static void padding_flush_trigger_and_other_sources_are_no_hole(void **state)
{
	static const uint8_t frame[16] = {ID(OUR_ID),   'a', ID(0x7b),   'x', ID(OUR_ID), 'c',
	                                  ID(0x7d),     'x', ID(OUR_ID), 'e', ID(0),      'x',
	                                  ID(OTHER_ID), 'x', 'x',        0};

	(void)state;
	assert_refills(frame, 16, 0, "ace");
}

/* The formatter's rules once more, byte by byte over the whole buffer. */
static void unpack_plainly(const uint8_t *data, size_t size, struct unpacked *u)
{
	unsigned int id = 0xff;

	for (size_t f = 0; f + 16 <= size; f += 16) {
		unsigned int after = id;

		for (size_t i = 0; i < 15; i++) {
			unsigned int flag = data[f + 15] >> (i / 2) & 1;
			bool is_id = i % 2 == 0 && (data[f + i] & 1);
			uint8_t value = data[f + i];

			if (is_id) {
				after = value >> 1;
				if (!flag || i == 14)
					id = after;
				continue;
			}
			if (i % 2 == 0)
				value = (uint8_t)(value | flag);
			if (id == OUR_ID) {
				u->positions[u->count] = f + i;
				u->bytes[u->count++] = value;
			}
			if (i % 2 == 1)
				id = after;
			else
				after = id;
		}
	}
}

static void frames_random_are_those_of_plain_unpacking(void **state)
{
	size_t size = RANDOM_FRAMES * 16;
	uint8_t *data = malloc(size);
	uint32_t seed = 1;

	(void)state;
	assert_non_null(data);
	for (size_t i = 0; i < size; i++) {
		seed = seed * 1664525 + 1013904223;
		data[i] = (uint8_t)(seed >> 24);
		/* Half of the IDs are ours. */
		if (i % 2 == 0 && (data[i] & 3) == 1)
			data[i] = ID(OUR_ID);
		/* No turn of an ID is without a byte, and no ID is reserved. */
		if (i % 16 == 14 || (i % 2 == 0 && trace_id_is_reserved(data[i] >> 1)))
			data[i] &= 0xfe;
	}
	for (size_t keep = 0; keep < 100; keep += 33) {
		struct unpacked expected;
		struct unpacked u;

		unpacked_init(&expected, size);
		unpacked_init(&u, size);
		unpack_plainly(data, size, &expected);
		unpack(DEFRAME_CORESIGHT, data, size, keep, &u);
		assert_true(u.count > DEFRAME_WINDOW);
		assert_int_equal(u.count, expected.count);
		assert_memory_equal(u.bytes, expected.bytes, u.count);
		assert_memory_equal(u.positions, expected.positions, u.count * sizeof(uint64_t));
		for (size_t i = 0; i < u.count; i++) {
			assert_true(u.indexes[i] <= u.positions[i]);
			assert_true(u.positions[i] - u.indexes[i] < 16);
		}
		unpacked_fini(&expected);
		unpacked_fini(&u);
	}
	free(data);
}

static void window_full_of_unread_bytes_is_truncated(void **state)
{
	size_t size = 3 * (size_t)DEFRAME_WINDOW;
	uint8_t *data = calloc(size, 1);
	struct deframe *d = malloc(sizeof(*d));

	(void)state;
	assert_non_null(data);
	assert_non_null(d);
	deframe_init(d, DEFRAME_SOURCE, bytes_of(data, size), OUR_ID);
	assert_int_equal(deframe_refill(d), STATUS_OK);
	assert_int_equal(deframe_refill(d), STATUS_TRUNCATED);
	assert_int_equal(bytes_left(&d->bytes), DEFRAME_WINDOW);
	assert_int_equal(bytes_skip(&d->bytes, 1), STATUS_OK);
	assert_int_equal(deframe_refill(d), STATUS_OK);
	free(d);
	free(data);
}

/* How often an even byte of random frames is an ID: never, seldom, often. */
static const unsigned int id_rates[] = {0, 2, 40};

/* Random frames, of 1000 even bytes `rate` with an ID: ours, or one of a few others. */
static uint8_t *random_frames(size_t size, unsigned int rate)
{
	static const uint8_t ids[] = {OUR_ID, OUR_ID, OTHER_ID, 0x00, 0x6f, 0x7b};
	uint8_t *data = malloc(size);
	uint32_t seed = rate + 1;

	assert_non_null(data);
	for (size_t i = 0; i < size; i++) {
		seed = seed * 1664525 + 1013904223;
		data[i] = (uint8_t)(seed >> 24);
		if (i % 2 == 1)
			continue;
		data[i] &= 0xfe;
		/* No turn of an ID is without a byte. */
		if ((i % 16 != 14 || !(data[i - 2] & 1)) && (seed >> 8) % 1000 < rate)
			data[i] = ID(ids[(seed >> 20) % sizeof(ids)]);
	}
	/* Without one all that comes is nobody's. */
	data[160] = ID(OUR_ID);
	return data;
}

/* What is to be unpacked, and where it is cut. */
struct piece {
	enum deframe_format format;
	struct bytes data;
	uint64_t begin;
	uint64_t pause; /* multiples of it are limits; 0: none */
	size_t keep;    /* bytes that are not read before the next window */
};

static void take_byte(struct deframe *d, struct unpacked *u)
{
	u->positions[u->count] = deframe_position(d, d->bytes.pos);
	u->indexes[u->count] = deframe_index(d, d->bytes.pos);
	assert_int_equal(bytes_u8(&d->bytes, &u->bytes[u->count++]), STATUS_OK);
}

/* As unpack(); the IDs that were seen go to `ids`. */
static void unpack_piece(const struct piece *piece, struct unpacked *u, uint64_t ids[2])
{
	struct deframe *d = malloc(sizeof(*d));
	uint64_t limit = piece->begin;
	enum status status;

	assert_non_null(d);
	deframe_init(d, piece->format, piece->data, OUR_ID);
	if (piece->begin > 0)
		deframe_seek(d, piece->begin);
	if (piece->pause > 0)
		deframe_limit(d, limit);
	while ((status = deframe_refill(d)) == STATUS_OK || status == STATUS_UNAVAILABLE) {
		while (bytes_left(&d->bytes) > piece->keep)
			take_byte(d, u);
		if (status == STATUS_OK)
			continue;
		assert_true(piece->pause > 0);
		assert_int_equal(deframe_consumed(d), limit);
		/* It stays where it is until it is told. */
		assert_int_equal(deframe_refill(d), STATUS_UNAVAILABLE);
		limit += piece->pause;
		deframe_limit(d, limit);
	}
	assert_int_equal(status, STATUS_END);
	while (bytes_left(&d->bytes) > 0)
		take_byte(d, u);
	ids[0] = d->seen_ids[0];
	ids[1] = d->seen_ids[1];
	free(d);
}

/* `u` is what `whole` has from position `begin` on. */
static void assert_is_rest(const struct unpacked *u, const struct unpacked *whole, uint64_t begin)
{
	size_t at = 0;

	while (at < whole->count && whole->positions[at] < begin)
		at++;
	assert_int_equal(u->count, whole->count - at);
	assert_memory_equal(u->bytes, whole->bytes + at, u->count);
	assert_memory_equal(u->positions, whole->positions + at, u->count * sizeof(uint64_t));
	assert_memory_equal(u->indexes, whole->indexes + at, u->count * sizeof(uint64_t));
}

static void frames_random_from_any_place_are_the_rest_of_all(void **state)
{
	size_t size = 600 * 16;
	uint64_t ids[2];

	(void)state;
	for (size_t i = 0; i < sizeof(id_rates) / sizeof(id_rates[0]); i++) {
		uint8_t *data = random_frames(size, id_rates[i]);
		struct piece piece = {.format = DEFRAME_CORESIGHT, .data = bytes_of(data, size)};
		struct unpacked whole;
		struct unpacked u;

		unpacked_init(&whole, size);
		unpacked_init(&u, size);
		unpack_piece(&piece, &whole, ids);
		assert_true(whole.count > DEFRAME_WINDOW / 2);
		for (; piece.begin <= size; piece.begin += 16) {
			u.count = 0;
			unpack_piece(&piece, &u, ids);
			assert_is_rest(&u, &whole, piece.begin);
		}
		unpacked_fini(&u);
		unpacked_fini(&whole);
		free(data);
	}
}

static void frames_random_with_pauses_are_the_same(void **state)
{
	static const uint64_t pauses[] = {16, 48, 4096, 4112, 160000};
	size_t size = 1200 * 16 + 5;

	(void)state;
	for (size_t i = 0; i < sizeof(id_rates) / sizeof(id_rates[0]); i++) {
		uint8_t *data = random_frames(size, id_rates[i]);
		struct piece piece = {.format = DEFRAME_CORESIGHT, .data = bytes_of(data, size)};
		struct unpacked whole;
		struct unpacked u;
		uint64_t whole_ids[2];
		uint64_t ids[2];

		unpacked_init(&whole, size);
		unpacked_init(&u, size);
		unpack_piece(&piece, &whole, whole_ids);
		for (size_t k = 0; k < 2 * sizeof(pauses) / sizeof(pauses[0]); k++) {
			piece.pause = pauses[k / 2];
			piece.keep = k % 2 ? 77 : 0;
			u.count = 0;
			unpack_piece(&piece, &u, ids);
			assert_is_rest(&u, &whole, 0);
			assert_memory_equal(ids, whole_ids, sizeof(ids));
		}
		unpacked_fini(&u);
		unpacked_fini(&whole);
		free(data);
	}
}

static void source_data_from_any_place_with_pauses_is_the_rest_of_all(void **state)
{
	size_t size = 9000;
	uint8_t *data = random_frames(size, 40);
	struct piece piece = {.format = DEFRAME_SOURCE, .data = bytes_of(data, size)};
	struct unpacked whole;
	struct unpacked u;
	uint64_t ids[2];

	(void)state;
	unpacked_init(&whole, size);
	unpacked_init(&u, size);
	unpack_piece(&piece, &whole, ids);
	assert_int_equal(whole.count, size);
	piece.pause = 496;
	for (; piece.begin <= size; piece.begin += 16 * 37) {
		u.count = 0;
		unpack_piece(&piece, &u, ids);
		assert_is_rest(&u, &whole, piece.begin);
	}
	unpacked_fini(&u);
	unpacked_fini(&whole);
	free(data);
}

/* A limit that lies after what was read already holds from there. */
static void limit_after_what_was_read_stops_at_once(void **state)
{
	uint8_t *data = random_frames(100 * 16, 0);
	struct deframe *d = malloc(sizeof(*d));

	(void)state;
	assert_non_null(d);
	deframe_init(d, DEFRAME_CORESIGHT, bytes_of(data, 100 * 16), OUR_ID);
	deframe_limit(d, 50 * 16);
	assert_int_equal(deframe_refill(d), STATUS_OK);
	d->bytes.pos = d->bytes.end;
	deframe_limit(d, 20 * 16);
	assert_int_equal(deframe_refill(d), STATUS_UNAVAILABLE);
	assert_int_equal(deframe_consumed(d), 50 * 16);
	deframe_limit(d, UINT64_MAX);
	assert_int_equal(deframe_refill(d), STATUS_OK);
	d->bytes.pos = d->bytes.end;
	assert_int_equal(deframe_refill(d), STATUS_END);
	assert_int_equal(deframe_consumed(d), 100 * 16);
	free(d);
	free(data);
}

static void seek_beyond_the_end_of_an_empty_buffer_is_the_end(void **state)
{
	static const uint8_t none[1] = {0};
	struct deframe *d = malloc(sizeof(*d));

	(void)state;
	assert_non_null(d);
	deframe_init(d, DEFRAME_CORESIGHT, bytes_of(none, 0), OUR_ID);
	deframe_seek(d, 1600);
	assert_int_equal(deframe_refill(d), STATUS_END);
	free(d);
}

/* Those of a buffer are those of its pieces together, and no other. */
static void seen_ids_are_all_that_occur(void **state)
{
	uint64_t size = 900 * 16;
	uint8_t *data = random_frames(size, 3);
	struct piece piece = {.format = DEFRAME_CORESIGHT, .data = bytes_of(data, size)};
	struct unpacked u;
	uint64_t expected[2] = {0};
	uint64_t ids[2];

	(void)state;
	memset(data + size - 32, 0, 32);
	data[size - 20] = ID(0x41);
	unpacked_init(&u, size);
	for (uint64_t i = 0; i < size; i += 2) {
		if (data[i] & 1)
			expected[data[i] >> 7] |= UINT64_C(1) << (data[i] >> 1 & 63);
	}
	assert_true(expected[1] >> 1 & 1);
	unpack_piece(&piece, &u, ids);
	assert_memory_equal(ids, expected, sizeof(ids));
	piece.data = bytes_of(data, size - 32);
	u.count = 0;
	unpack_piece(&piece, &u, ids);
	assert_false(ids[1] >> 1 & 1);
	assert_int_equal(ids[0], expected[0]);
	unpacked_fini(&u);
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(frame_id_at_once_gives_bytes_after_it),
	        cmocka_unit_test(frame_id_delayed_gives_odd_byte_to_old_id),
	        cmocka_unit_test(frame_same_id_again_is_no_new_run),
	        cmocka_unit_test(frame_last_byte_id_holds_for_next_frame),
	        cmocka_unit_test(frame_before_first_id_is_dropped),
	        cmocka_unit_test(frame_cut_is_left_out),
	        cmocka_unit_test(source_data_is_taken_as_it_is),
	        cmocka_unit_test(id_of_source_is_0x01_to_0x6f),
	        cmocka_unit_test(id_is_reserved_from_0x70_on_but_for_flush_and_trigger),
	        cmocka_unit_test(reserved_id_is_a_hole_before_the_next_bytes),
	        cmocka_unit_test(reserved_ids_in_a_frame_are_one_hole),
	        cmocka_unit_test(padding_flush_trigger_and_other_sources_are_no_hole),
	        cmocka_unit_test(frames_random_are_those_of_plain_unpacking),
	        cmocka_unit_test(window_full_of_unread_bytes_is_truncated),
	        cmocka_unit_test(frames_random_from_any_place_are_the_rest_of_all),
	        cmocka_unit_test(frames_random_with_pauses_are_the_same),
	        cmocka_unit_test(source_data_from_any_place_with_pauses_is_the_rest_of_all),
	        cmocka_unit_test(limit_after_what_was_read_stops_at_once),
	        cmocka_unit_test(seek_beyond_the_end_of_an_empty_buffer_is_the_end),
	        cmocka_unit_test(seen_ids_are_all_that_occur),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
