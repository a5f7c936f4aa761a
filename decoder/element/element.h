/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Generic elements: what every decoder yields, in program order, one channel for ranges and
 * events alike. Names and fields are those of the specification "Generic Trace Packet
 * Descriptions" (OpenCSD); which fields are valid depends on the type, as the comments say.
 */
#ifndef CSREPLAY_DECODER_ELEMENT_ELEMENT_H
#define CSREPLAY_DECODER_ELEMENT_ELEMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/isa.h"
#include "base/str.h"
#include "base/text.h"
#include "snapshot/space.h"

enum element_type {
#define X(name) ELEMENT_##name,
#include "decoder/element/element.def"
#undef X
	/* Not an element of the specification: a packet, listed for the user (--packets). */
	ELEMENT_PACKET,
};

enum no_sync_reason {
	NO_SYNC_INIT, /* before the first synchronisation */
	NO_SYNC_RESET,
	NO_SYNC_OVERFLOW,
	NO_SYNC_DISCARD,
	NO_SYNC_BAD_PACKET,
	NO_SYNC_END,
};

/* Transactional memory; the values are those of the specification's mem_trans. */
enum memtrans {
	MEMTRANS_INIT, /* the trace begins in a transaction */
	MEMTRANS_START,
	MEMTRANS_COMMIT,
	MEMTRANS_FAIL,
};

enum trace_on_reason {
	TRACE_ON_NORMAL, /* begin of trace, or a filter */
	TRACE_ON_OVERFLOW,
	TRACE_ON_EX_DEBUG, /* restart after debug state */
};

enum exception_level {
	EL_UNKNOWN = -1,
	EL_0,
	EL_1,
	EL_2,
	EL_3,
};

enum security_state {
	SECURITY_SECURE,
	SECURITY_NON_SECURE,
	SECURITY_ROOT,
	SECURITY_REALM,
};

struct pe_context {
	enum security_state security;
	enum exception_level level; /* EL_UNKNOWN where the protocol does not trace it */
	bool is_64bit;
	bool has_context_id;
	bool has_vmid;
	uint32_t context_id;
	uint32_t vmid;
	bool is_context_part; /* context_id is low bits of CONTEXTIDR, as ETMv3 and PTM may trace it
	                       */
};

/* What an ITM packet is about. The timestamps are those of Armv7-M ARM appendix D4. */
enum itm_kind {
	ITM_KIND_SOFTWARE, /* write to a stimulus port */
	ITM_KIND_HARDWARE, /* packet of the DWT */
	ITM_KIND_LOCAL_TIMESTAMP,
	ITM_KIND_GLOBAL_TIMESTAMP,
};

/* Local timestamp: what was delayed against the packet before it (TC). */
enum itm_delay {
	ITM_DELAY_NONE,
	ITM_DELAY_TIMESTAMP,
	ITM_DELAY_PACKET,
	ITM_DELAY_BOTH,
};

struct itm_trace {
	enum itm_kind kind;
	enum itm_delay delay;  /* LOCAL_TIMESTAMP */
	bool is_overflow;      /* packets before this one were lost */
	bool is_clock_changed; /* GLOBAL_TIMESTAMP: the clock's rate changed since the last one */
	uint8_t source;        /* SOFTWARE: channel; HARDWARE: discriminator */
	uint8_t size;          /* bytes of `value`; SOFTWARE, HARDWARE: 1, 2 or 4 */
	uint32_t value;        /* LOCAL_TIMESTAMP: cycles since the last one, as sent */
};

/* What an STM packet is about. */
struct software_trace {
	bool has_ids; /* master and channel are known */
	uint8_t master;
	uint16_t channel;
	uint8_t bits; /* of `value`: 4 to 64, or 0 for none */
	uint64_t value;
	bool is_marker;
	bool is_trigger;
	bool is_frequency;
	bool is_master_error;
	bool is_global_error;
};

/* What a packet of data trace says. */
enum data_kind {
	DATA_TRANSFER,     /* a transfer, in order: its value, its address, or both */
	DATA_PLACE,        /* the same, but the value comes later, with this tag */
	DATA_LATE,         /* the value for the place with this tag */
	DATA_NOT_TRACED,   /* a transfer that was filtered out */
	DATA_STORE_FAILED, /* the transfer before was of a store exclusive that failed */
	DATA_SUPPRESSED,   /* transfers are missing here */
};

/*
 * An item of data trace. A transfer is of the last instruction before it that transfers data; it
 * has 32 bits at most, and what is loaded or stored of them the instruction says.
 */
struct data_trace {
	enum data_kind kind;
	uint8_t tag; /* PLACE, LATE */
	bool has_address;
	bool has_value;
	bool is_big_endian;
	/* A history's: its instruction was cancelled, its store failed, its place is not certain.
	 */
	bool is_void;
	uint64_t address; /* of the first byte, as the program sees it */
	uint64_t value;   /* before any extension; its upper bytes may be zero or not transferred */
};

/* A packet as it is listed. What it points to is valid until the next call. */
struct listed_packet {
	const char *name;     /* such as "I_ATOM_F3" */
	const uint8_t *bytes; /* `size` raw bytes */
	uint32_t size;
	const char *fields; /* text of what it carries */
};

struct element {
	enum element_type type;
	uint8_t trace_id;
	bool has_cycles;
	bool has_timestamp;
	uint32_t cycles;    /* valid if has_cycles */
	enum isa isa;       /* INSTR_RANGE, PE_CONTEXT */
	uint64_t offset;    /* "Idx": byte of the buffer at which its packet begins */
	uint64_t timestamp; /* valid if has_timestamp; TIMESTAMP always */
	union {
		struct {
			uint64_t start; /* of the first instruction */
			uint64_t end;   /* after the last one */
			uint32_t count; /* instructions */
			/* That it was fetched from (snapshot/memmap.h); 0: not said. */
			uint32_t view;
			enum insn_class last_class;
			enum insn_subclass last_subclass;
			uint8_t last_size;  /* bytes of the last instruction: 2 or 4 */
			bool last_executed; /* branch taken; other instructions executed */
			bool last_conditional;
			/* I_RANGE_NOPATH: the code at `start` leads to no instruction at `end`. */
			bool is_unreached;
			/* I_RANGE_NOPATH: atoms came at `start`, and no address before them. */
			bool is_untold;
		} range; /* INSTR_RANGE; I_RANGE_NOPATH: start, end, count */
		struct {
			uint64_t address;
			enum space space; /* as listed */
			uint32_t view;    /* that it was looked for in; 0: not said */
			uint64_t place;   /* of the address in the trace before it; 0: not said */
		} nacc;                   /* ADDR_NACC: no opcode at `address` */
		struct {
			uint32_t number; /* as the protocol numbers it */
			bool has_return_address : 1;
			/* ETMv3: no packet has it; it is where execution stood. Not listed. */
			bool return_is_implied : 1;
			/* ETMv4, M profile: follows another, without a return. */
			bool is_tail_chained : 1;
			bool return_is_branch_target : 1; /* also target of the last branch */
			/* ETMv3, M profile: the exception's stacking begins; it has no number. */
			bool is_data_marker : 1;
			/* ETMv3: the last instruction listed was not executed; not in a history
			   that has taken it back. */
			bool cancels_last : 1;
			/* ETMv3, M profile: it was executed in part, and is resumed later. */
			bool last_resumes : 1;
			bool has_vector : 1;    /* of a text */
			bool is_unnumbered : 1; /* of a text: it says a name alone */
			/* What it is; NULL for a number that is reserved, or not of trace. */
			const struct exception_info *info;
			uint64_t return_address; /* preferred; valid if has_return_address */
			int64_t vector;          /* as exception_vector_find() has it */
			struct str name; /* of a text: as it has it; lives as long as that */
		} exception;
		struct {
			uint16_t type;   /* 0 unknown, 1 trigger, 2 numbered */
			uint16_t number; /* bit field of the events */
		} event;
		struct listed_packet packet;
		struct str custom;    /* CUSTOM: a line of a text, which lives as long */
		uint32_t sync_marker; /* value of a timestamp marker */
		enum memtrans memtrans;
		enum no_sync_reason no_sync; /* NO_SYNC, EO_TRACE */
		enum trace_on_reason trace_on;
		struct pe_context context; /* PE_CONTEXT */
		struct {
			uint8_t level; /* exception level, as sent */
			uint64_t value;
		} instrumentation;              /* INSTRUMENTATION */
		struct itm_trace itm;           /* ITMTRACE; timestamps have `timestamp` */
		struct software_trace software; /* SWTRACE; may have `timestamp` */
		struct data_trace data;         /* DATA */
	};
};

/* The listing of a packet that begins at `offset`. */
struct element element_of_packet(const struct listed_packet *packet, uint8_t trace_id,
                                 uint64_t offset);

/* Which process and virtual machine, as far as was traced. */
struct memory_context pe_context_memory(const struct pe_context *context);
/* Whose memory a core in this context sees. */
enum space pe_context_space(const struct pe_context *context);
/* Appends all that the context says, a line. */
void pe_context_describe(const struct pe_context *context, struct text *out);

/* An exception that was taken: an EXCEPTION that is no data marker. */
static inline bool element_is_exception(const struct element *element)
{
	return element->type == ELEMENT_EXCEPTION && !element->exception.is_data_marker;
}

/* Name without prefix, such as "INSTR_RANGE". Never NULL. */
const char *element_type_name(enum element_type type);
const char *isa_name(enum isa isa);                          /* "A64", "A32", "T32", ... */
const char *no_sync_reason_name(enum no_sync_reason reason); /* "bad-packet", ... */
const char *isa_packet_name(enum isa isa); /* as packet listings name it: \"ARM(32)\", ... */

/*
 * Appends the element as OpenCSD 1.8's trc_pkt_lister prints it, without a newline:
 * "Idx:1692; ID:10; OCSD_GEN_TRC_ELEM_INSTR_RANGE(exec range=0x...".
 */
void element_format_text(const struct element *element, struct text *out);

/* Appends the element as one JSON object on one line, without a newline. */
void element_format_json(const struct element *element, struct text *out);

#endif
