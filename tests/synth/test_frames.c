/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CoreSight frames: several streams interleaved by the encoder come out of the deframer byte for
 * byte, whatever the turns; and one frame worked out by hand from IHI 0029.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/frame/deframe.h"
#include "tests/synth/frames.h"

enum { STREAMS = 3, STREAM_SIZE = 5000 };

static void expect_stream(const struct buf *frames, const struct frame_stream *stream)
{
	static struct deframe d; /* large */
	size_t got = 0;

	deframe_init(&d, DEFRAME_CORESIGHT, bytes_of(frames->data, frames->size),
	             (uint8_t)stream->id);
	while (deframe_refill(&d) == STATUS_OK) {
		uint8_t byte;

		while (bytes_u8(&d.bytes, &byte) == STATUS_OK) {
			assert_true(got < stream->size);
			assert_int_equal(byte, stream->data[got]);
			got++;
		}
	}
	assert_int_equal(got, stream->size);
}

static void frames_interleaved_come_out_whole(void **state)
{
	static uint8_t data[STREAMS][STREAM_SIZE];
	static const size_t turns[] = {0, 1, 2, 3, 7, 14, 15, 100};
	struct frame_stream streams[STREAMS];
	uint32_t seed = 3;

	(void)state;
	for (unsigned int s = 0; s < STREAMS; s++) {
		for (unsigned int i = 0; i < STREAM_SIZE; i++) {
			seed = seed * 1664525U + 1013904223U;
			data[s][i] = (uint8_t)(seed >> 24);
		}
		/* Different sizes, so that at the end one is alone. */
		streams[s] =
		        (struct frame_stream){0x10 + 0x2f * s, data[s], STREAM_SIZE - 1501 * s};
	}
	for (size_t t = 0; t < sizeof(turns) / sizeof(turns[0]); t++) {
		for (unsigned int repeat = 0; repeat < 3; repeat++) {
			struct frame_options options = {turns[t], repeat};
			struct buf out = {0};

			frames_put(&out, streams, STREAMS, &options);
			assert_false(out.failed);
			assert_int_equal(out.size % FRAME_SIZE, 0);
			for (unsigned int s = 0; s < STREAMS; s++)
				expect_stream(&out, &streams[s]);
			buf_fini(&out);
		}
	}
}

/* ID 0x10, four bytes; ID 0x20 after the odd byte of its pair; then nothing. */
static void frames_by_hand_are_as_specified(void **state)
{
	static const uint8_t first[] = {0xa1, 0xb3, 0xc3};
	static const uint8_t second[] = {0xd5};
	static const uint8_t want[16] = {
	        0x21, 0xa1, /* ID 0x10 at once, its byte */
	        0xb2, 0xc3, /* data; bit 0 of the first is in the last byte */
	        0x41, 0xd5, /* ID 0x20 at once */
	        0x01, 0x00, /* ID 0 */
	        0,    0,    0, 0, 0, 0, 0, 0x02,
	};
	static const uint8_t want_late[16] = {
	        0x21, 0xa1, /* ID 0x10 at once, its byte */
	        0x41, 0xb3, /* ID 0x20 after this byte of 0x10 */
	        0x01, 0xd5, /* ID 0 after this byte of 0x20 */
	        0,    0,    0, 0, 0, 0, 0, 0, 0, 0x06,
	};
	const struct frame_stream even[] = {{0x10, first, 3}, {0x20, second, 1}};
	const struct frame_stream odd[] = {{0x10, first, 2}, {0x20, second, 1}};
	struct frame_options options = {0, 0};
	struct buf out = {0};

	(void)state;
	frames_put(&out, even, 2, &options);
	assert_int_equal(out.size, 16);
	assert_memory_equal(out.data, want, 16);
	buf_fini(&out);
	frames_put(&out, odd, 2, &options);
	assert_int_equal(out.size, 16);
	assert_memory_equal(out.data, want_late, 16);
	buf_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(frames_interleaved_come_out_whole),
	        cmocka_unit_test(frames_by_hand_are_as_specified),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
