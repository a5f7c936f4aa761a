/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets of ETMv3 (ETM IHI 0014, chapter "Trace port protocol of ETMv3"). In: the bytes of one
 * trace ID. Out: packets, pulled one by one, each with its fields as numbers.
 *
 * A packet holds only what changed since the packets before it: struct etm3_reader keeps the rest.
 * A packet that is cut changes neither the reader nor the cursor, so that it can be read again
 * once there are more bytes.
 */
#ifndef CSREPLAY_DECODER_ETM3_ETM3_PKT_H
#define CSREPLAY_DECODER_ETM3_ETM3_PKT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "base/text.h"
#include "decoder/element/element.h"
#include "decoder/etm3/etm3_config.h"

enum etm3_type {
#define PACKET(name, listed, what) ETM3_##name,
#include "decoder/etm3/etm3_pkt.def"
#undef PACKET
	ETM3_TYPES, /* how many */
};

/* Why an I-Sync packet was sent. */
enum etm3_isync_reason {
	ETM3_ISYNC_PERIODIC,
	ETM3_ISYNC_TRACE_ON,
	ETM3_ISYNC_OVERFLOW,
	ETM3_ISYNC_DEBUG_EXIT,
};

/* What is known from the packets so far, this one included. */
struct etm3_known {
	uint32_t address;
	enum isa isa;
	bool is_alt_isa; /* ThumbEE where the packet says Thumb */
	bool is_non_secure;
	bool is_hyp;
	bool is_big_endian; /* of data */
	bool has_timestamp;
	uint8_t vmid;
	uint32_t context_id;
	uint32_t data_address;
	uint8_t data_bits; /* low bits of data_address that the trace has said: 32 are all */
	uint64_t timestamp;
};

/* Atoms of a P-header, and where its cycles are. */
enum etm3_atoms_format {
	ETM3_ATOMS_EACH = 1, /* a cycle before each atom; without cycle accuracy no cycles */
	ETM3_ATOMS_FIRST,    /* a cycle before the first of two; without cycle accuracy none */
	ETM3_ATOMS_LAST,     /* cycles, and perhaps an atom after them */
	ETM3_ATOMS_NONE,     /* an atom without a cycle */
};

struct etm3_exception {
	uint16_t number; /* 0 is none */
	uint8_t resume;  /* M profile: where in the instruction execution resumes */
	bool is_old;     /* numbered as in ETMv1 */
	bool is_cancel;  /* the instruction before was not executed */
};

struct etm3_packet {
	enum etm3_type type;
	enum etm3_type meant; /* INCOMPLETE, BAD_SEQUENCE, BAD_MODE: what it began as */
	uint32_t size;        /* bytes */
	uint8_t header;
	struct etm3_known known;
	/* Which of the following are valid depends on the type. */
	uint8_t sent_bits;   /* low bits of the address that the packet held */
	bool is_isa_changed; /* against the packet before */
	bool has_state;      /* it says is_non_secure, is_hyp */
	bool has_context_id; /* ISYNC */
	bool has_address;    /* ISYNC, and data packets: its address */
	bool is_in_progress; /* ISYNC: in a load or store of several words */
	bool has_exception;  /* BRANCH */
	struct etm3_exception exception;
	enum etm3_isync_reason reason;
	bool has_cycles;
	uint32_t cycles;
	enum etm3_atoms_format atoms_format; /* P_HEADER */
	uint8_t atom_count;
	uint32_t atoms; /* bit 0 is the oldest; 1 is E, 0 is N */
	bool has_value; /* DATA, OOO_DATA */
	uint8_t tag;    /* OOO_DATA, OOO_PLACE */
	uint32_t value;
};

enum { ETM3_ATOMS_MOST = 16 }; /* of a P-header */

/* What a P-header's one byte says. */
struct etm3_atoms {
	bool is_p_header; /* false: the byte is none, or one without atoms and cycles */
	uint8_t count;
	uint16_t atoms;   /* as in struct etm3_packet */
	uint16_t counted; /* those that take cycles: bit 0 is the oldest */
	uint8_t cycles;   /* that each of these takes; without atoms, those of the packet */
};

struct etm3_reader {
	const struct etm3_config *config;
	bool is_synced; /* false: looking for the first A-Sync */
	struct etm3_known known;
	uint8_t rows[256]; /* 0: reserved, else index in the table of HEADER rows plus 1 */
	struct etm3_atoms atoms[256]; /* by header byte */
};

/* `config` must outlive the reader. */
void etm3_reader_init(struct etm3_reader *reader, const struct etm3_config *config);

/*
 * The next packet at the cursor, which then lies after it.
 * TRUNCATED or END: bytes are missing, nothing changed. BAD_DATA: `packet` has the type
 * BAD_SEQUENCE, BAD_MODE or RESERVED, and the cursor lies after the bytes that are none.
 * Before the first A-Sync packets are of type NOT_SYNC: bytes that were passed over, in groups
 * that end with `block_end`, a pointer into the bytes or their end.
 */
MUST_USE enum status etm3_reader_next(struct etm3_reader *reader, struct bytes *in,
                                      const uint8_t *block_end, struct etm3_packet *packet);

/* The packet type that a header byte begins in this configuration, or RESERVED or BAD_MODE. */
enum etm3_type etm3_header_type(const struct etm3_reader *reader, uint8_t header);

/* Appends all that packets to come may be read by. */
void etm3_reader_describe(const struct etm3_reader *reader, struct text *out);

const char *etm3_type_name(enum etm3_type type); /* such as "P_HDR" */

/* Appends what the packet is and its fields: "Atom P-header.; EEN". */
void etm3_packet_format(const struct etm3_packet *packet, struct text *out);

/* Shared by etm3_pkt.c and etm3_fields.c: reads the fields after the header at the cursor. */
typedef enum status (*etm3_read_fields)(struct etm3_reader *reader, struct bytes *in,
                                        struct etm3_packet *packet);

#define HEADER(name, mask, match, needs, fields)                                                   \
	enum status etm3_read_##fields(struct etm3_reader *reader, struct bytes *in,               \
	                               struct etm3_packet *packet);
#include "decoder/etm3/etm3_pkt.def"
#undef HEADER

#endif
