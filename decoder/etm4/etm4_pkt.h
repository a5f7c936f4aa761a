/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets of ETMv4 and ETE instruction trace (IHI 0064, chapter "Instruction trace protocol";
 * Arm ARM DDI 0487, chapter D5, which extends it). In: the bytes of one trace ID. Out: packets,
 * pulled one by one, each with its fields as numbers.
 *
 * A packet may refer to what packets before it said (addresses, the timestamp): struct
 * etm4_reader keeps that. A packet that is cut changes neither the reader nor the cursor, so that
 * it can be read again once there are more bytes.
 */
#ifndef CSREPLAY_DECODER_ETM4_ETM4_PKT_H
#define CSREPLAY_DECODER_ETM4_ETM4_PKT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "base/text.h"
#include "decoder/etm4/etm4_config.h"
#include "decoder/flow/flow.h"

enum etm4_type {
#define PACKET(name, listed, what) ETM4_##name,
#include "decoder/etm4/etm4_pkt.def"

#include "decoder/etm4/ete_pkt.def"
#undef PACKET
	ETM4_TYPES, /* how many */
};

struct etm4_address {
	uint64_t value;
	uint8_t isa;       /* IS: 0 is A64 or A32, 1 is T32 */
	uint8_t sent_bits; /* low bits that the packet held; the others are from before */
	bool is_64bit;
};

struct etm4_context {
	bool is_update; /* false: same as before, and that is what the rest holds */
	uint8_t level;
	bool is_non_secure; /* NS */
	bool is_realm_root; /* NSE: with NS Realm, else Root */
	bool is_64bit;      /* SF */
	bool has_vmid;
	bool has_context_id;
	uint32_t vmid;
	uint32_t context_id;
};

enum { TRACE_INFO_IN_TRANSACTION = 0x40 };

/* What a trace info packet holds; absent fields are zero. */
struct etm4_trace_info {
	uint32_t info; /* bit 0: cycle counting is on; TRACE_INFO_IN_TRANSACTION */
	uint32_t key;
	uint32_t speculation; /* uncommitted P0 elements before this packet */
	uint32_t threshold;   /* that cycle counts are relative to */
	bool has_speculation;
};

struct etm4_exception {
	uint16_t type;
	uint8_t address_follows; /* 0 no, 1 yes, 2 yes: it is the last branch's target too */
	bool is_fault_pending;   /* M profile */
};

/* Conditional instruction and result packets; which are valid depends on the type. */
struct etm4_condition {
	uint32_t keys[2];
	uint8_t results[2]; /* result token; bit 7 of F1 removed */
	uint8_t count;      /* elements or payloads */
	uint16_t tokens;    /* F2, F3, F4 */
};

/* What the program wrote into the trace. */
struct ete_instrumentation {
	uint8_t level; /* exception level */
	uint64_t value;
};

struct etm4_packet {
	enum etm4_type type;
	enum etm4_type meant; /* INCOMPLETE, BAD_SEQUENCE, RESERVED_CONFIG: what it began as */
	uint32_t size;        /* bytes */
	uint8_t header;
	/* Which of the following are valid depends on the type. */
	uint8_t atom_count; /* ATOM, MISPREDICT, CANCEL_F2, CANCEL_F3; may be 0 */
	uint32_t atoms;     /* bit 0 is the oldest; 1 is E, 0 is N */
	uint32_t commit;    /* P0 elements; COMMIT, CYCLES */
	uint32_t cancel;    /* P0 elements; CANCEL, MISPREDICT */
	uint32_t cycles;    /* CYCLES; TIMESTAMP if has_cycles */
	bool has_cycles;
	bool has_address; /* Q */
	bool has_count;   /* Q */
	uint8_t match;    /* ADDRESS_MATCH, SOURCE_MATCH; Q with an address from before. Which: 0 is
	                     the newest */
	uint8_t number;   /* EVENT: bit field; MARKER */
	uint32_t count;   /* Q: instructions */
	uint64_t timestamp;
	struct etm4_address address; /* ADDRESS, SOURCE; Q if has_address */
	struct etm4_context context; /* CONTEXT, ADDRESS_CONTEXT */
	union {
		struct etm4_trace_info info;
		struct etm4_exception exception;
		struct etm4_condition condition;
		struct ete_instrumentation instrumentation;
	};
};

enum { ETM4_ADDRESSES = 3 };

struct etm4_reader {
	const struct etm4_config *config;
	bool is_synced;                                /* false: looking for the next A-Sync */
	struct etm4_address addresses[ETM4_ADDRESSES]; /* newest first */
	struct etm4_context context;                   /* the last one */
	bool has_timestamp;
	bool had_trace_info;
	uint64_t timestamp;
	uint32_t threshold;
	/* The header table, expanded for the configuration. */
	uint8_t rows[256];    /* 0: reserved, else index in the table of HEADER rows plus 1 */
	bool lacks[256];      /* the configuration has no such packet */
	bool is_address[256]; /* a packet with an address and nothing else */
	struct atom_headers atoms;
};

/* `config` must outlive the reader. */
void etm4_reader_init(struct etm4_reader *reader, const struct etm4_config *config);

/*
 * The next packet at the cursor, which then lies after it.
 * TRUNCATED or END: bytes are missing, nothing changed. BAD_DATA: `packet` has the type
 * BAD_SEQUENCE, RESERVED or RESERVED_CONFIG, and the cursor lies after the bytes that are none.
 * Before the first A-Sync packets are of type NOT_SYNC: bytes that were passed over.
 */
MUST_USE enum status etm4_reader_next(struct etm4_reader *reader, struct bytes *in,
                                      struct etm4_packet *packet);

/* The packet type that a header byte begins in this configuration, or a RESERVED one. */
enum etm4_type etm4_header_type(const struct etm4_reader *reader, uint8_t header);

/* Appends all that the reader remembers for later packets; equal texts, equal readers. */
void etm4_reader_describe(const struct etm4_reader *reader, struct text *out);

const char *etm4_type_name(enum etm4_type type); /* such as "I_ATOM_F1" */

/* Appends what the packet is and its fields: "Atom format 1.; E". */
void etm4_packet_format(const struct etm4_packet *packet, const struct etm4_config *config,
                        struct text *out);

/* Shared by etm4_pkt.c, etm4_fields.c and etm4_conditional.c. */
enum {
	ETM4_CONTINUES = 0x80, /* another byte of the field follows */
	ETM4_FIELD_BYTES = 5,  /* of 32 bits */
};

/*
 * A field of seven bits a byte, least significant first, up to the first byte without
 * ETM4_CONTINUES. Bytes beyond the `most` that carry bits are read and say nothing.
 */
enum status etm4_continued_field(struct bytes *in, unsigned int most, uint32_t *value);

/* Reads the fields after the header at the cursor. */
typedef enum status (*etm4_read_fields)(struct etm4_reader *reader, struct bytes *in,
                                        struct etm4_packet *packet);

#define HEADER(name, first, last, needs, fields)                                                   \
	enum status etm4_read_##fields(struct etm4_reader *reader, struct bytes *in,               \
	                               struct etm4_packet *packet);
#include "decoder/etm4/etm4_pkt.def"

#include "decoder/etm4/ete_pkt.def"
#undef HEADER

#endif
