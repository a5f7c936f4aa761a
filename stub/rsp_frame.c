/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of the remote serial protocol; see rsp_frame.h. */
#include "stub/rsp_frame.h"

#include "base/hex.h"

enum { ESCAPE_XOR = 0x20 };

void rsp_decoder_fini(struct rsp_decoder *decoder)
{
	text_fini(&decoder->payload);
	*decoder = (struct rsp_decoder){0};
}

static void begin_packet(struct rsp_decoder *decoder)
{
	text_clear(&decoder->payload);
	decoder->payload.failed = false;
	decoder->too_long = false;
	decoder->sum = 0;
	decoder->state = RSP_STATE_PAYLOAD;
}

static void add(struct rsp_decoder *decoder, uint8_t byte)
{
	if (decoder->payload.length < RSP_PACKET_SIZE)
		text_char(&decoder->payload, (char)byte);
	else
		decoder->too_long = true;
	decoder->too_long |= decoder->payload.failed;
}

static enum rsp_event feed_idle(struct rsp_decoder *decoder, uint8_t byte)
{
	switch (byte) {
	case '$':
		begin_packet(decoder);
		return RSP_NONE;
	case '+':
		return RSP_ACK;
	case '-':
		return RSP_NACK;
	case RSP_INTERRUPT_BYTE:
		return RSP_INTERRUPT;
	default:
		return RSP_NONE;
	}
}

static void feed_payload(struct rsp_decoder *decoder, uint8_t byte)
{
	if (byte == '$') { /* never in a payload: the end of the last frame was lost */
		begin_packet(decoder);
		return;
	}
	if (byte == '#') {
		decoder->state = RSP_STATE_SUM_HIGH;
		return;
	}
	decoder->sum = (uint8_t)(decoder->sum + byte);
	if (byte == '}')
		decoder->state = RSP_STATE_ESCAPED;
	else
		add(decoder, byte);
}

static enum rsp_event end_packet(struct rsp_decoder *decoder, int low)
{
	decoder->state = RSP_STATE_IDLE;
	if (decoder->sum_given < 0 || low < 0 || decoder->sum_given * 16 + low != decoder->sum)
		return RSP_BAD_CHECKSUM;
	return decoder->too_long ? RSP_TOO_LONG : RSP_PACKET;
}

enum rsp_event rsp_decoder_feed(struct rsp_decoder *decoder, uint8_t byte)
{
	switch (decoder->state) {
	case RSP_STATE_IDLE:
		return feed_idle(decoder, byte);
	case RSP_STATE_PAYLOAD:
		feed_payload(decoder, byte);
		break;
	case RSP_STATE_ESCAPED:
		decoder->sum = (uint8_t)(decoder->sum + byte);
		add(decoder, byte ^ ESCAPE_XOR);
		decoder->state = RSP_STATE_PAYLOAD;
		break;
	case RSP_STATE_SUM_HIGH:
		decoder->sum_given = hex_digit((char)byte);
		decoder->state = RSP_STATE_SUM_LOW;
		break;
	case RSP_STATE_SUM_LOW:
		return end_packet(decoder, hex_digit((char)byte));
	}
	return RSP_NONE;
}

void rsp_frame_append(struct text *out, struct str payload)
{
	uint8_t sum = 0;

	text_char(out, '$');
	for (size_t i = 0; i < payload.n; i++) {
		uint8_t byte = (uint8_t)payload.p[i];

		/* '*' would begin a run-length in what a stub sends. */
		if (byte == '#' || byte == '$' || byte == '}' || byte == '*') {
			text_char(out, '}');
			sum = (uint8_t)(sum + '}');
			byte ^= ESCAPE_XOR;
		}
		text_char(out, (char)byte);
		sum = (uint8_t)(sum + byte);
	}
	text_char(out, '#');
	text_hex(out, sum, 2);
}
