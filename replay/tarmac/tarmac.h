/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tarmac traces: text that simulators and RTL write, one event a line. In: the text, mapped. Out:
 * typed events, pulled one by one, one for each line that is not blank (Tarmac Text Rev 3,
 * ARM-EPM-041435; the ISP RAS trace format; real files of other dialects, docs/formats/tarmac.md).
 *
 * Lines say themselves which dialect they are of, so a file may mix them. All slices of an event
 * point into the text, but its value belongs to the reader and is valid until the next call.
 * Nothing is allocated for a line; a reader takes a few kilobytes whatever the size of the text.
 *
 * A line that does not follow its format is an UNKNOWN event, so that nothing is passed over in
 * silence, and a diagnostic with its number and kind.
 */
#ifndef CSREPLAY_REPLAY_TARMAC_TARMAC_H
#define CSREPLAY_REPLAY_TARMAC_TARMAC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/diag.h"
#include "base/status.h"
#include "base/str.h"
#include "decoder/element/element.h"

enum {
	TARMAC_VALUE_MOST = 256, /* bytes of a value: a Z register of 2048 bits */
	TARMAC_CORES_MOST = 256,
	TARMAC_APSR = 1, /* the program status register's flags alone */
};

enum tarmac_kind {
#define TARMAC_KIND(name, text) TARMAC_##name,
#include "replay/tarmac/tarmac.def"
};

enum tarmac_dialect {
#define TARMAC_DIALECT(name, text) TARMAC_DIALECT_##name,
#include "replay/tarmac/tarmac.def"
};

enum tarmac_unit {
#define TARMAC_UNIT(name, text) TARMAC_UNIT_##name,
#include "replay/tarmac/tarmac.def"
};

/* A processor mode, or the bank of a register. NONE where the line does not say a known one. */
enum tarmac_mode {
#define TARMAC_MODE(name, text) TARMAC_MODE_##name,
#include "replay/tarmac/tarmac.def"
};

/* Of a core, a register bank or a physical address. Rev 3 says nothing where it is Secure. */
enum tarmac_security {
	TARMAC_SECURITY_NOT_SAID,
	TARMAC_SECURE,
	TARMAC_NON_SECURE,
	TARMAC_ROOT,
	TARMAC_REALM,
};

/* Bits that may be unknown. Only the first `size` bytes of the arrays are valid. */
struct tarmac_value {
	uint16_t size;                      /* bytes */
	uint8_t bits[TARMAC_VALUE_MOST];    /* little endian; 0 where not known */
	uint8_t touched[TARMAC_VALUE_MOST]; /* mask: the line is about these bits */
	uint8_t known[TARMAC_VALUE_MOST];   /* mask: and says their value; within touched */
};

enum tarmac_effect {
	TARMAC_EXECUTED,
	TARMAC_CCFAIL,       /* its condition failed */
	TARMAC_FETCH_FAILED, /* no opcode */
};

struct tarmac_instruction {
	enum tarmac_effect effect;
	enum isa isa;
	enum tarmac_mode mode;
	enum tarmac_security security;
	uint8_t size; /* bytes of the opcode: 2, 4, 8 */
	bool has_address;
	bool is_debug; /* of Debug state: it was in EDITR or DBGITR, and has no address */
	bool has_index;
	bool has_physical;
	bool has_second; /* the line says where its second page is: it crosses into one */
	enum tarmac_security physical_security; /* of both physical addresses */
	uint64_t address;
	uint64_t physical;
	uint64_t second;           /* physical address of its second halfword */
	uint64_t opcode;           /* 0 if TARMAC_FETCH_FAILED */
	uint64_t index;            /* of the instruction, as the producer counts */
	struct str debug_register; /* "EDITR", "DBGITR", if is_debug */
	struct str mode_text;
	struct str disassembly; /* up to the line's end, blanks there too */
};

struct tarmac_register {
	enum tarmac_file file;
	uint8_t number;        /* 0 where there is one of its kind; TARMAC_APSR of PSR */
	enum tarmac_mode bank; /* NONE: the one that is current */
	enum tarmac_security security;
	struct str name;    /* as the line has it */
	struct str context; /* what stood in parentheses after it */
	const struct tarmac_value *value;
};

struct tarmac_memory {
	bool is_write;
	bool is_fetch;
	bool is_aborted;
	bool is_exclusive;
	bool is_exclusive_failed; /* nothing was written */
	bool is_privileged;       /* said to be */
	bool is_unprivileged;     /* said to be */
	bool has_physical;
	enum tarmac_security security; /* of the physical address */
	uint64_t address;              /* of the value's first byte */
	uint64_t physical;
	uint8_t page_order;               /* logarithm of the page's size; 0: not said */
	struct str attributes;            /* what follows, page order and memory type */
	const struct tarmac_value *value; /* size 0 if is_aborted and nothing was moved */
};

struct tarmac_exception {
	bool has_vector;
	bool has_address;
	bool has_number;
	bool is_record;   /* the line begins a record, "ES  EXC": no instruction caused it */
	int64_t vector;   /* offset of the vector, for M profile the exception's number */
	uint64_t address; /* where it was taken */
	uint64_t number;  /* that the simulator has for it */
	struct str mode_text;
	struct str name; /* "Undefined Instruction", "CoreEvent_SWI", "IRQ" (of ASYNC, too) */
};

struct tarmac_branch {
	uint64_t target;
	enum isa isa;
};

struct tarmac_header {
	uint32_t revision;
	bool has_timestamps;
};

struct tarmac_event {
	enum tarmac_kind kind;
	enum tarmac_dialect dialect; /* whose kind of line it is */
	enum tarmac_unit unit;
	bool has_timestamp;
	bool is_unended;    /* the text ends before the line does, so something may be missing */
	uint32_t core;      /* tarmac_core_name() */
	uint64_t timestamp; /* if has_timestamp; that of the record's first line, for the others */
	uint64_t line;      /* from 1 */
	uint64_t offset;    /* bytes, of the line in the text */
	struct str text;    /* the line without its end */
	struct str word; /* that says the kind: "IT", "MR4"; "ST" in a line that goes on with it */
	struct str rest; /* what is after it */
	union {
		struct tarmac_header header;
		struct tarmac_instruction instruction;
		struct tarmac_register reg;
		struct tarmac_memory memory;
		struct tarmac_exception exception; /* EXCEPTION, ASYNC */
		struct tarmac_branch branch;
	};
};

/* What a reader carries from line to line: a place to come back to. */
struct tarmac_mark {
	uint64_t offset;
	uint64_t lines; /* read so far */
	uint64_t timestamp;
	uint32_t core;
	enum tarmac_unit unit;
	bool has_timestamp;
	bool is_continued;   /* the last line was LD or ST, another may go on with it */
	uint64_t column;     /* of the address in it */
	uint64_t word_place; /* of "LD" or "ST" in the text */
};

struct tarmac_options {
	struct str file; /* the name for diagnostics; must outlive the reader */
	bool is_strict;  /* a malformed line is an error that tarmac_next() returns */
};

struct tarmac_stats {
	uint64_t lines;
	uint64_t malformed; /* UNKNOWN events */
};

struct tarmac;

/*
 * The dialect of a file, by its first lines; TARMAC_DIALECT_NONE if most of them are not Tarmac.
 * Any bytes are fine. NO_MEM.
 */
MUST_USE enum status tarmac_detect(struct bytes text, enum tarmac_dialect *dialect);

/*
 * `text` and `diags` must outlive the reader, which tarmac_close() frees. Any text opens; NO_MEM is
 * the one failure.
 */
MUST_USE enum status tarmac_open(struct bytes text, const struct tarmac_options *options,
                                 struct diag_list *diags, struct tarmac **reader);
void tarmac_close(struct tarmac *t); /* NULL is fine */

/*
 * The next event. END after the last line. A malformed line is an UNKNOWN event with a warning; or,
 * if is_strict, BAD_DATA (TRUNCATED where the text ends in it) with an error, `event` holding the
 * UNKNOWN event all the same, and the next call goes on after it.
 */
MUST_USE enum status tarmac_next(struct tarmac *t, struct tarmac_event *event);

/*
 * A warning for each kind of word that lines read so far have and their format has not, and that
 * nothing depends on; with the first such line and how many there are.
 */
void tarmac_report_oddities(const struct tarmac *t, struct diag_list *diags);

/* As tarmac_detect() said of the text. */
enum tarmac_dialect tarmac_dialect(const struct tarmac *t);
struct tarmac_stats tarmac_stats(const struct tarmac *t);

/*
 * Cores are numbered in the order in which their names appear. Lines without a name belong to the
 * core of the line before; if no line has one, all are core 0, whose name is empty.
 */
uint32_t tarmac_core_count(const struct tarmac *t);
struct str tarmac_core_name(const struct tarmac *t, uint32_t core);

/*
 * The vector by which the handler was entered, as the line has it or as its name says: of
 * exception_vector_find() with the handler's architecture. False if it has none or does not say.
 */
bool tarmac_exception_vector(const struct tarmac_exception *exception, enum core_arch arch,
                             int64_t *vector);
/* True for what a simulator tells as an exception and is none: a change of mode. */
bool tarmac_exception_is_none(const struct tarmac_exception *exception);

/* True for a reset, after which a simulator may set the PC that it starts at. */
bool tarmac_exception_is_reset(const struct tarmac_exception *exception);

/* The place of the next line, and back to it: only with a mark that this reader gave. */
void tarmac_tell(const struct tarmac *t, struct tarmac_mark *mark);
void tarmac_seek(struct tarmac *t, const struct tarmac_mark *mark);

/* Low 64 bits. */
uint64_t tarmac_value_u64(const struct tarmac_value *value);
/* True if the line is about every bit and says it. */
bool tarmac_value_is_whole(const struct tarmac_value *value);

const char *tarmac_kind_name(enum tarmac_kind kind);
const char *tarmac_dialect_name(enum tarmac_dialect dialect);
const char *tarmac_unit_name(enum tarmac_unit unit);
const char *tarmac_mode_name(enum tarmac_mode mode);
const char *tarmac_file_name(enum tarmac_file file); /* "x", "sp"; a number may follow */

/* The rest of the public face of this room. */
#include "replay/tarmac/effects.h"
#include "replay/tarmac/tarmac_gap.h"
#include "replay/tarmac/tarmac_source.h"

#endif
