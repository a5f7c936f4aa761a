/* SPDX-License-Identifier: Apache-2.0 */
/* Frames: round trips, damage, sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stub/rsp_frame.h"

/* Feeds all bytes and returns the last event that is not RSP_NONE. */
static enum rsp_event feed(struct rsp_decoder *decoder, struct str bytes)
{
	enum rsp_event last = RSP_NONE;

	for (size_t i = 0; i < bytes.n; i++) {
		enum rsp_event event = rsp_decoder_feed(decoder, (uint8_t)bytes.p[i]);

		if (event != RSP_NONE)
			last = event;
	}
	return last;
}

static void frame_plain_packet_is_decoded(void **state)
{
	struct rsp_decoder decoder = {0};

	(void)state;
	assert_int_equal(feed(&decoder, STR("+$bs#d5")), RSP_PACKET);
	assert_true(str_eq(text_str(&decoder.payload), STR("bs")));
	rsp_decoder_fini(&decoder);
}

static void frame_every_byte_value_survives_round_trip(void **state)
{
	struct rsp_decoder decoder = {0};
	struct text frame = {0};
	char payload[256];

	(void)state;
	for (unsigned int i = 0; i < 256; i++)
		payload[i] = (char)i;
	rsp_frame_append(&frame, (struct str){payload, 256});
	/* What would end, restart or run-length-expand the frame is never sent as it is. */
	for (size_t i = 1; i + 3 < frame.length; i++)
		assert_null(memchr("#$*", frame.data[i], 3));
	assert_int_equal(feed(&decoder, text_str(&frame)), RSP_PACKET);
	assert_true(str_eq(text_str(&decoder.payload), (struct str){payload, 256}));
	text_fini(&frame);
	rsp_decoder_fini(&decoder);
}

static void frame_known_checksum_is_sent(void **state)
{
	struct text frame = {0};

	(void)state;
	rsp_frame_append(&frame, STR("OK"));
	assert_true(str_eq(text_str(&frame), STR("$OK#9a")));
	text_clear(&frame);
	rsp_frame_append(&frame, STR("}"));
	assert_true(str_eq(text_str(&frame), STR("$}]#da")));
	text_clear(&frame);
	rsp_frame_append(&frame, STR(""));
	assert_true(str_eq(text_str(&frame), STR("$#00")));
	text_fini(&frame);
}

static void frame_cut_anywhere_is_no_packet_until_complete(void **state)
{
	const struct str whole = STR("$m400000,4#f1");

	(void)state;
	for (size_t cut = 0; cut < whole.n; cut++) {
		struct rsp_decoder decoder = {0};

		assert_int_equal(feed(&decoder, (struct str){whole.p, cut}), RSP_NONE);
		assert_int_equal(feed(&decoder, str_skip(whole, cut)), RSP_PACKET);
		rsp_decoder_fini(&decoder);
	}
}

static void frame_bad_checksum_is_reported(void **state)
{
	struct rsp_decoder decoder = {0};

	(void)state;
	assert_int_equal(feed(&decoder, STR("$bs#d6")), RSP_BAD_CHECKSUM);
	assert_int_equal(feed(&decoder, STR("$bs#xy")), RSP_BAD_CHECKSUM);
	assert_int_equal(feed(&decoder, STR("$bs#d5")), RSP_PACKET);
	rsp_decoder_fini(&decoder);
}

static void frame_dollar_inside_begins_anew(void **state)
{
	struct rsp_decoder decoder = {0};

	(void)state;
	assert_int_equal(feed(&decoder, STR("$m4000$bs#d5")), RSP_PACKET);
	assert_true(str_eq(text_str(&decoder.payload), STR("bs")));
	rsp_decoder_fini(&decoder);
}

static void frame_interrupt_byte_counts_only_outside(void **state)
{
	struct rsp_decoder decoder = {0};

	(void)state;
	assert_int_equal(feed(&decoder, STR("\x03")), RSP_INTERRUPT);
	assert_int_equal(feed(&decoder, STR("$\x03#03")), RSP_PACKET);
	assert_int_equal(decoder.payload.length, 1);
	rsp_decoder_fini(&decoder);
}

static void frame_noise_and_acknowledgements_are_told_apart(void **state)
{
	struct rsp_decoder decoder = {0};

	(void)state;
	assert_int_equal(feed(&decoder, STR("noise\n#00")), RSP_NONE);
	assert_int_equal(feed(&decoder, STR("+")), RSP_ACK);
	assert_int_equal(feed(&decoder, STR("-")), RSP_NACK);
	rsp_decoder_fini(&decoder);
}

static void frame_over_limit_is_dropped_and_memory_bounded(void **state)
{
	struct rsp_decoder decoder = {0};
	uint8_t sum = 0;
	char end[4] = {'#'};

	(void)state;
	(void)rsp_decoder_feed(&decoder, '$');
	for (size_t i = 0; i < 1 << 20; i++) {
		assert_int_equal(rsp_decoder_feed(&decoder, 'a'), RSP_NONE);
		sum = (uint8_t)(sum + 'a');
	}
	assert_true(decoder.payload.length <= RSP_PACKET_SIZE);
	end[1] = "0123456789abcdef"[sum >> 4];
	end[2] = "0123456789abcdef"[sum & 15];
	assert_int_equal(feed(&decoder, (struct str){end, 3}), RSP_TOO_LONG);
	assert_int_equal(feed(&decoder, STR("$bs#d5")), RSP_PACKET);
	rsp_decoder_fini(&decoder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(frame_plain_packet_is_decoded),
	        cmocka_unit_test(frame_every_byte_value_survives_round_trip),
	        cmocka_unit_test(frame_known_checksum_is_sent),
	        cmocka_unit_test(frame_cut_anywhere_is_no_packet_until_complete),
	        cmocka_unit_test(frame_bad_checksum_is_reported),
	        cmocka_unit_test(frame_dollar_inside_begins_anew),
	        cmocka_unit_test(frame_interrupt_byte_counts_only_outside),
	        cmocka_unit_test(frame_noise_and_acknowledgements_are_told_apart),
	        cmocka_unit_test(frame_over_limit_is_dropped_and_memory_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
