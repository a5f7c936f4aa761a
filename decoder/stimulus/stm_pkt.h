/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets of the STM (MIPI STPv2, CoreSight STM TRM). In: the bytes of one trace ID, which hold
 * two nibbles each, the low one first. Out: packets, pulled one by one, with their fields.
 *
 * A packet may end in the middle of a byte: the cursor then stays at this byte and the reader
 * knows that its low nibble is done. A packet that is cut changes neither the reader nor the
 * cursor, so that it can be read again once there are more bytes.
 */
#ifndef CSREPLAY_DECODER_STIMULUS_STM_PKT_H
#define CSREPLAY_DECODER_STIMULUS_STM_PKT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "base/text.h"

enum stm_type {
#define PACKET(name, listed, what) STM_##name,
#include "decoder/stimulus/stm_pkt.def"
#undef PACKET
	STM_TYPES, /* how many */
};

enum {
	STM_ASYNC_NIBBLES = 21, /* of 0xf, or more, and then 0x0 */
};

/* How timestamps are encoded; the version packet says it. */
enum stm_clock {
	STM_CLOCK_UNKNOWN,
	STM_CLOCK_BINARY, /* version 3 */
	STM_CLOCK_GRAY,   /* version 4 */
};

struct stm_packet {
	enum stm_type type;
	enum stm_type meant; /* INCOMPLETE, BAD_SEQUENCE: what it began as */
	const char *name;    /* as listed, such as "D32MTS" */
	uint32_t size;       /* bytes that it has nibbles in */
	bool begins_high;    /* its first nibble is the high one of its byte */
	bool is_marker;
	bool has_timestamp;
	uint8_t digits;     /* nibbles of the value */
	uint64_t value;     /* data, master, channel, error, version, frequency; RESERVED: opcode */
	uint64_t timestamp; /* whole, if has_timestamp */
	uint8_t master;     /* current one, after this packet */
	uint16_t channel;   /* the same */
};

struct stm_reader {
	bool is_synced;    /* false: looking for the next synchronisation packet */
	bool is_high_next; /* the low nibble of the byte at the cursor is done */
	enum stm_clock clock;
	uint64_t timestamp;
	uint8_t master;
	uint16_t channel;
};

void stm_reader_init(struct stm_reader *reader);

/*
 * The next packet at the cursor, which then lies after it.
 * TRUNCATED or END: nibbles are missing, nothing changed. BAD_DATA: `packet` has the type
 * BAD_SEQUENCE or RESERVED, the cursor lies after the nibbles that are none, and synchronisation
 * is lost. Without synchronisation packets are of type NOT_SYNC: nibbles that were passed over.
 */
MUST_USE enum status stm_reader_next(struct stm_reader *reader, struct bytes *in,
                                     struct stm_packet *packet);

/*
 * The packet type of an opcode of `nibbles` nibbles, 1 to 3, that ends in `opcode`; or RESERVED.
 * STM_TYPES for the nibbles that a longer opcode begins with.
 */
enum stm_type stm_opcode_type(unsigned int nibbles, uint8_t opcode);

const char *stm_type_name(enum stm_type type); /* such as "M8" */

/* Appends what the packet is and its fields: "Data; Data=0x10; TS=0x0000000000001234". */
void stm_packet_format(const struct stm_packet *packet, struct text *out);

#endif
