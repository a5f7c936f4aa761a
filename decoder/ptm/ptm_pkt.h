/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets of PTM (PFT IHI 0035, chapter "Program flow trace protocol"). In: the bytes of one trace
 * ID. Out: packets, pulled one by one, each with its fields as numbers.
 *
 * A packet holds only what changed since the packets before it: struct ptm_reader keeps the rest.
 * A packet that is cut changes neither the reader nor the cursor, so that it can be read again
 * once there are more bytes.
 */
#ifndef CSREPLAY_DECODER_PTM_PTM_PKT_H
#define CSREPLAY_DECODER_PTM_PTM_PKT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "base/text.h"
#include "decoder/element/element.h"
#include "decoder/flow/flow.h"
#include "decoder/ptm/ptm_config.h"

enum ptm_type {
#define PACKET(name, listed, what) PTM_##name,
#include "decoder/ptm/ptm_pkt.def"
#undef PACKET
	PTM_TYPES, /* how many */
};

/* Why an I-Sync packet was sent. */
enum ptm_isync_reason {
	PTM_ISYNC_PERIODIC,
	PTM_ISYNC_TRACE_ON,
	PTM_ISYNC_OVERFLOW,
	PTM_ISYNC_DEBUG_EXIT,
};

/* What is known from the packets so far, this one included. */
struct ptm_known {
	uint32_t address;
	enum isa isa;
	bool is_alt_isa; /* ThumbEE where the packet says Thumb */
	bool is_non_secure;
	bool is_hyp;
	uint32_t context_id;
	uint8_t vmid;
	uint64_t timestamp;
};

struct ptm_packet {
	enum ptm_type type;
	enum ptm_type meant; /* INCOMPLETE, BAD_SEQUENCE: what it began as */
	uint32_t size;       /* bytes */
	uint8_t header;
	struct ptm_known known;
	/* Which of the following are valid depends on the type. */
	uint8_t sent_bits;   /* low bits of the address or timestamp that the packet held */
	bool is_isa_changed; /* against the packet before */
	bool has_state;      /* it says is_non_secure, is_hyp */
	bool has_context_id; /* ISYNC */
	bool has_exception;  /* BRANCH */
	uint16_t exception;
	enum ptm_isync_reason reason;
	bool has_cycles; /* since the last count; ATOM, BRANCH, ISYNC, TIMESTAMP */
	uint32_t cycles;
	uint8_t atom_count;
	uint8_t atoms; /* bit 0 is the oldest; 1 is E, 0 is N */
};

struct ptm_reader {
	const struct ptm_config *config;
	bool is_synced; /* false: looking for the first A-Sync */
	struct ptm_known known;
	uint8_t rows[256];         /* 0: reserved, else index in the table of HEADER rows plus 1 */
	struct atom_headers atoms; /* none if cycles follow each of them */
};

/* `config` must outlive the reader. */
void ptm_reader_init(struct ptm_reader *reader, const struct ptm_config *config);

/*
 * The next packet at the cursor, which then lies after it.
 * TRUNCATED or END: bytes are missing, nothing changed. BAD_DATA: `packet` has the type
 * BAD_SEQUENCE or RESERVED, and the cursor lies after the bytes that are none.
 * Before the first A-Sync packets are of type NOT_SYNC: bytes that were passed over, in groups
 * that end with `block_end`, a pointer into the bytes or their end.
 */
MUST_USE enum status ptm_reader_next(struct ptm_reader *reader, struct bytes *in,
                                     const uint8_t *block_end, struct ptm_packet *packet);

/*
 * A branch address at the cursor, without exception and cycles, of up to four bytes: the reader
 * knows it then, and the cursor lies after it. False, and nothing has changed, if what is there is
 * another packet, or not whole.
 */
bool ptm_reader_branch(struct ptm_reader *reader, struct bytes *in);

/* The packet type that a header byte begins, or RESERVED. */
enum ptm_type ptm_header_type(const struct ptm_reader *reader, uint8_t header);

/* Appends all that packets to come may be read by. */
void ptm_reader_describe(const struct ptm_reader *reader, struct text *out);

const char *ptm_type_name(enum ptm_type type); /* such as "ATOM" */

/* Appends what the packet is and its fields: "Atom packet; E; ". */
void ptm_packet_format(const struct ptm_packet *packet, struct text *out);

#endif
