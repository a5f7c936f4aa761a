/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets of the ITM (Armv7-M ARM DDI 0403, appendix D4). In: the bytes of one trace ID. Out:
 * packets, pulled one by one, each with its fields as numbers.
 *
 * A packet that is cut changes neither the reader nor the cursor, so that it can be read again
 * once there are more bytes.
 */
#ifndef CSREPLAY_DECODER_STIMULUS_ITM_PKT_H
#define CSREPLAY_DECODER_STIMULUS_ITM_PKT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "base/text.h"
#include "decoder/element/element.h"

enum itm_type {
#define PACKET(name, listed, what) ITM_##name,
#include "decoder/stimulus/itm_pkt.def"
#undef PACKET
	ITM_TYPES, /* how many */
};

enum {
	ITM_ASYNC_ZEROS = 5, /* bytes, or more, and then 0x80 */
};

struct itm_packet {
	enum itm_type type;
	enum itm_type meant; /* INCOMPLETE, BAD_SEQUENCE: what it began as */
	uint32_t size;       /* bytes */
	uint8_t header;
	/* Which of the following are valid depends on the type. */
	uint8_t source;        /* SOFTWARE: port within its page; HARDWARE: discriminator */
	uint8_t value_size;    /* bytes that held the value; EXTENSION: after the header */
	uint64_t value;        /* payload, cycles, timestamp bits, extension information */
	enum itm_delay delay;  /* LOCAL_TIMESTAMP */
	bool is_clock_changed; /* GLOBAL_TIMESTAMP_1 */
	bool is_wrapped;       /* GLOBAL_TIMESTAMP_1: the high bits changed, and will follow */
	bool is_hardware;      /* EXTENSION: of a hardware source packet (SH) */
};

struct itm_reader {
	bool is_synced; /* false: looking for the next synchronisation packet */
};

void itm_reader_init(struct itm_reader *reader);

/*
 * The next packet at the cursor, which then lies after it.
 * TRUNCATED or END: bytes are missing, nothing changed. BAD_DATA: `packet` has the type
 * BAD_SEQUENCE or RESERVED, the cursor lies after the bytes that are none, and synchronisation is
 * lost. Without synchronisation packets are of type NOT_SYNC: bytes that were passed over.
 */
MUST_USE enum status itm_reader_next(struct itm_reader *reader, struct bytes *in,
                                     struct itm_packet *packet);

/* The packet type that a header byte begins, or RESERVED. */
enum itm_type itm_header_type(uint8_t header);

const char *itm_type_name(enum itm_type type); /* such as "ITM_SWIT" */

/* Appends what the packet is and its fields: "Software source; Port=0x03; Data=0xbb". */
void itm_packet_format(const struct itm_packet *packet, struct text *out);

#endif
