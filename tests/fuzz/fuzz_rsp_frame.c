/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes of a client, and payloads to be framed. Holds: no payload is longer than RSP_PACKET_SIZE;
 * a sound frame is understood, unless the bytes end in an escape or in a checksum, and then the
 * second is; and a payload that is framed is what the decoder gives back, in one packet.
 */
#include "fuzz.h"
#include "stub/rsp_frame.h"

/* Feeds all of it; the event of the last byte. */
static enum rsp_event feed(struct rsp_decoder *decoder, struct str bytes, size_t *packets)
{
	enum rsp_event event = RSP_NONE;

	for (size_t i = 0; i < bytes.n; i++) {
		event = rsp_decoder_feed(decoder, (uint8_t)bytes.p[i]);
		FUZZ_CHECK(decoder->payload.length <= RSP_PACKET_SIZE);
		*packets += event == RSP_PACKET;
	}
	return event;
}

static void check_bytes(struct str bytes)
{
	struct str sound = STR("$OK#9a");
	struct rsp_decoder decoder = {0};
	size_t packets = 0;
	bool is_open;
	enum rsp_event event;

	(void)feed(&decoder, bytes, &packets);
	FUZZ_CHECK(packets <= bytes.n / 4);
	is_open = decoder.state != RSP_STATE_IDLE && decoder.state != RSP_STATE_PAYLOAD;
	event = feed(&decoder, sound, &packets);
	FUZZ_CHECK(event == RSP_PACKET || is_open);
	FUZZ_CHECK(feed(&decoder, sound, &packets) == RSP_PACKET);
	FUZZ_CHECK(str_eq(text_str(&decoder.payload), STR("OK")));
	rsp_decoder_fini(&decoder);
}

static void check_payload(struct str payload)
{
	struct rsp_decoder decoder = {0};
	struct text frame = {0};
	size_t packets = 0;

	rsp_frame_append(&frame, payload);
	FUZZ_CHECK(text_status(&frame) == STATUS_OK);
	FUZZ_CHECK(frame.length >= payload.n + 4 && frame.length <= 2 * payload.n + 4);
	FUZZ_CHECK(feed(&decoder, text_str(&frame), &packets) ==
	           (payload.n > RSP_PACKET_SIZE ? RSP_TOO_LONG : RSP_PACKET));
	FUZZ_CHECK(packets == (payload.n > RSP_PACKET_SIZE ? 0 : 1));
	FUZZ_CHECK(packets == 0 || str_eq(text_str(&decoder.payload), payload));
	text_fini(&frame);
	rsp_decoder_fini(&decoder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str bytes = {size > 0 ? (const char *)data : "", size};

	check_bytes(bytes);
	check_payload(bytes);
	return 0;
}
