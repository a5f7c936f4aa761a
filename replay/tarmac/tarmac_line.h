/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Between the parts of the Tarmac reader: one line being read. tarmac.c finds the line, its
 * timestamp, its core and the word that says its kind; a function of the dialect that such lines
 * are of reads the rest. Each such function is called with the cursor after the word and fills the
 * event's part. Anything that does not fit is a fault, whose place and text tarmac.c reports.
 */
#ifndef CSREPLAY_REPLAY_TARMAC_TARMAC_LINE_H
#define CSREPLAY_REPLAY_TARMAC_TARMAC_LINE_H

#include "replay/tarmac/tarmac.h"
#include "replay/tarmac/tarmac_lex.h"

/* What is wrong with a line. */
struct tarmac_fault {
	const char *expected; /* a noun; NULL where the numbers say it */
	struct str found;     /* what stands there, or of what the numbers are */
	uint64_t digits_expected;
	uint64_t digits_found;
};

/* The mode of the instruction before, which that of the next one mostly is, and the same of
 * accesses. */
struct tarmac_last_mode {
	struct str text;
	enum tarmac_mode mode;
	enum tarmac_security security;
	struct str attributes; /* of an access; all of its words are known */
};

enum tarmac_oddity {
#define TARMAC_ODDITY(name, what, outcome) TARMAC_ODD_##name,
#include "replay/tarmac/tarmac.def"
	TARMAC_ODDITIES, /* how many */
};

/* Lines that have a word of a kind that the format has not. */
struct tarmac_odd_lines {
	uint64_t count;
	uint64_t line;   /* the first one */
	struct str word; /* in it */
};

struct tarmac_line {
	struct bytes in; /* the line without its end */
	struct tarmac_event *event;
	struct tarmac_value *value;
	struct tarmac_mark *state; /* goes on to the next line */
	struct tarmac_last_mode *last;
	struct tarmac_odd_lines *odd; /* by enum tarmac_oddity */
	bool is_isp;                  /* the file is ISP RAS, where letters mean other things */
	bool has_own_time;            /* a timestamp, or dashes, stand on the line itself */
	struct tarmac_fault fault;
};

/* What every dialect has. */
enum status tarmac_fault(struct tarmac_line *line, const char *expected); /* BAD_DATA, always */
/* The line has the word, which its format has not; the event counts all the same. */
void tarmac_note_oddity(struct tarmac_line *line, enum tarmac_oddity oddity, struct str word);
MUST_USE enum status tarmac_read_isa(struct str word, enum isa *isa);
void tarmac_read_mode(struct str word, enum tarmac_mode *mode, enum tarmac_security *security);
/* "s", "ns" and the like: of which security state. */
enum tarmac_security tarmac_read_security(struct str suffix);
/* ISA, mode and disassembly, the end of all instruction lines. */
MUST_USE enum status tarmac_read_code(struct tarmac_line *line);
MUST_USE enum status tarmac_read_opcode(struct tarmac_line *line);
/* Decimal, or hexadecimal with 0x. */
MUST_USE enum status tarmac_read_vector(struct tarmac_line *line);
/* Digits with "_S" or "_NS" after them: the physical address that follows ':'. */
MUST_USE enum status tarmac_read_physical(struct tarmac_line *line, uint64_t *address,
                                          enum tarmac_security *security);

/* Values, tarmac_value.c: into line->value. */
MUST_USE enum status tarmac_read_value(struct tarmac_line *line, unsigned int size);
/* Of as many bytes as there are digits; `joins` says that words of 8 or 16 digits follow. */
MUST_USE enum status tarmac_read_open_value(struct tarmac_line *line, bool joins);
/* To its low bytes, or with leading zeros, which the producer left out. */
void tarmac_value_resize(struct tarmac_value *value, unsigned int size);
/* Moves it up by `low` bytes in a register of `size`. */
void tarmac_value_place(struct tarmac_value *value, unsigned int low, unsigned int size);
void tarmac_value_forget(struct tarmac_value *value);  /* no bit is known */
void tarmac_value_reverse(struct tarmac_value *value); /* the order of its bytes */

/* The register that a word names, tarmac_register.c. Fills file, number, bank and security. */
unsigned int tarmac_register_find(struct str name, struct tarmac_register *reg);
void tarmac_register_narrow(struct tarmac_register *reg, unsigned int size);

/* Kinds of lines, by dialect. */
MUST_USE enum status tarmac_rev3_step(struct tarmac_line *line);      /* ES */
MUST_USE enum status tarmac_rev3_exception(struct tarmac_line *line); /* EXC */
MUST_USE enum status tarmac_rev3_memory(struct tarmac_line *line);    /* LD LA ST SA SX */
MUST_USE enum status tarmac_rev3_branch(struct tarmac_line *line);    /* BR */
MUST_USE enum status tarmac_rev3_header(struct tarmac_line *line);    /* Tarmac Text Rev */
MUST_USE enum status tarmac_fm_instruction(struct tarmac_line *line); /* IT IS IF */
MUST_USE enum status tarmac_fm_memory(struct tarmac_line *line);      /* MR4, MW8X */
MUST_USE enum status tarmac_fm_event(struct tarmac_line *line);       /* E */
MUST_USE enum status tarmac_fm_note(struct tarmac_line *line);        /* SIGNAL:, CADI */
MUST_USE enum status tarmac_rtl_memory(struct tarmac_line *line);     /* MNW4___D */
MUST_USE enum status tarmac_rtl_access(struct tarmac_line *line);     /* R08, W08 */
MUST_USE enum status tarmac_register_line(struct tarmac_line *line);  /* R, of all dialects */
/* The letters after MR4 and MW4 where they are those of ISP RAS. */
void tarmac_isp_attributes(struct tarmac_line *line, struct str letters);

#endif
