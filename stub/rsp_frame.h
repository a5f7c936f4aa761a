/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames of the remote serial protocol: bytes from a client to packets, payloads to frames. Pure:
 * no socket, no state but the decoder's own. gdb manual, section "Overview" of the remote protocol.
 *
 * In a frame $PAYLOAD#CC the checksum is over the bytes as sent; '}' and a byte XOR 0x20 stand for
 * the bytes that cannot be sent as they are.
 */
#ifndef CSREPLAY_STUB_RSP_FRAME_H
#define CSREPLAY_STUB_RSP_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "base/text.h"

enum {
	RSP_PACKET_SIZE = 0x20000, /* largest payload either way, as told in qSupported */
	RSP_INTERRUPT_BYTE = 0x03,
};

enum rsp_event {
	RSP_NONE, /* more bytes are needed, or the byte means nothing */
	RSP_PACKET,
	RSP_BAD_CHECKSUM,
	RSP_TOO_LONG, /* a sound frame with a payload over RSP_PACKET_SIZE, dropped */
	RSP_ACK,
	RSP_NACK,
	RSP_INTERRUPT,
};

enum rsp_state {
	RSP_STATE_IDLE,
	RSP_STATE_PAYLOAD,
	RSP_STATE_ESCAPED,
	RSP_STATE_SUM_HIGH,
	RSP_STATE_SUM_LOW,
};

/* Zeroed to begin with. */
struct rsp_decoder {
	enum rsp_state state;
	struct text payload; /* without escapes; valid after RSP_PACKET until the next feed */
	bool too_long;
	uint8_t sum;
	int sum_given; /* -1 after a digit that is none */
};

enum rsp_event rsp_decoder_feed(struct rsp_decoder *decoder, uint8_t byte);
void rsp_decoder_fini(struct rsp_decoder *decoder);

/* Appends the frame of a payload of any bytes. */
void rsp_frame_append(struct text *out, struct str payload);

#endif
