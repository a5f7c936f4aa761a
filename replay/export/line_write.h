/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a dialect of Tarmac writes events: one table of functions each. In: events as a reader gives
 * them, or made of a history. Out: lines. For the files of replay/export/tarmac_writer.h.
 */
#ifndef CSREPLAY_REPLAY_EXPORT_LINE_WRITE_H
#define CSREPLAY_REPLAY_EXPORT_LINE_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "replay/export/export.h"
#include "replay/history/history.h"
#include "replay/tarmac/tarmac.h"

struct line_writer {
	struct text *out;
	bool has_timestamps; /* some record has one */
	uint32_t core;
	uint64_t position; /* of the instruction that is written, or was last */
	bool is_a64;       /* it is of AArch64 */
	bool is_m;         /* the core is of the M profile */
	bool in_record;    /* an asynchronous event began a record, which an exception belongs to */
	bool has_places;   /* some address is of several places, as physical addresses say */
	bool is_elsewhere; /* the line before is of another core */
	bool has_target;   /* a branch says where the next instruction is, and has no line */
	bool is_reset;     /* no instruction came after a reset */
	uint64_t target;   /* valid if has_target */
	struct export_losses lost;
};

struct line_style {
	void (*begin)(struct line_writer *w);
	/* INSTRUCTION, and what it does; kinds that the dialect has no line for write nothing. */
	void (*event)(struct line_writer *w, const struct tarmac_event *event);
	void (*gap)(struct line_writer *w, const struct gap *gap);
};

extern const struct line_style rev3_style; /* replay/export/rev3_write.c */
extern const struct line_style isp_style;  /* replay/export/isp_write.c */

/* Bytes of the access from `at` on, up to `most`, that are alike: *is_known says how. 0: none. */
unsigned int line_known_bytes(const struct tarmac_value *value, unsigned int at, unsigned int most,
                              bool *is_known);

/* True if a malformed line that begins with the word may have hidden an effect. */
bool line_hides_effect(struct str word);

/* One more that is left out. */
static inline void line_lose(struct line_writer *w, enum export_loss loss)
{
	w->lost.count[loss]++;
}

/* True if digits of the value are not written as such. */
bool line_has_holes(const struct tarmac_value *value);

/* Digits, highest first; '-' for what the line is not about, 'x' for what it does not know. */
void line_put_register(struct text *out, const struct tarmac_value *value);

/* "svc", "el1h", or "-"; for a level with either stack pointer "el1". */
void line_put_mode(struct text *out, const struct tarmac_instruction *insn);

/* The text of a line that is kept as it is; what cannot be printed is '?', and its end is cut. */
void line_put_text(struct text *out, struct str text);

#endif
