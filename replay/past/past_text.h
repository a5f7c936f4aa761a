/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers of this room as lines for a user. In: an answer, the names of functions and the source
 * lines. Out: text, a line each, with a number that a user can go to: "#3".
 */
#ifndef CSREPLAY_REPLAY_PAST_PAST_TEXT_H
#define CSREPLAY_REPLAY_PAST_PAST_TEXT_H

#include "arch/isa.h"
#include "base/text.h"
#include "replay/history/history.h"
#include "replay/past/accesses.h"
#include "replay/past/origin.h"
#include "replay/past/values_over_time.h"
#include "snapshot/source_lines.h"
#include "snapshot/symbols/symbols.h"

/* Each may be NULL but the history. */
struct past_names {
	const struct history *history;
	const struct symbols *symbols;
	const struct source_lines *lines;
	struct disasm *disasm;
};

/* "x3", "lr"; "r3" of a 32-bit core. */
void past_register_text(const struct past_names *names, unsigned int reg, struct text *out);
/* "0x5", "0x5 in the bits 0xff" or "not known", and "(assumed)". */
void past_value_text(unsigned int reg, const struct past_value *value, struct text *out);
/* "main+0x1c  crash.c:12  str x0, [x1]", as far as there is. */
void past_code_text(const struct past_names *names, const struct past_code *code, struct text *out);
/*
 * What is said beside a list of accesses to the subject: a clause without a newline, or nothing. A
 * device that may change it (snapshot/memmap.h) does so in between.
 */
void past_device_text(const struct past_names *names, const struct past_subject *subject,
                      struct text *out);
/* All of them: a line for each. */
void past_accesses_format(const struct past_names *names, const struct past_accesses *found,
                          struct text *out);

/* Why other cores may have written it that are not among these; or NULL: nothing says so. */
const char *past_others_doubt(const struct other_writers *found);
/* What other cores wrote of it meanwhile: a line for each, and what may be missing. */
void past_others_format(const struct past_names *names, const struct other_writers *found,
                        struct text *out);

/* "13433 to 13706  0x20202020", a line for each. */
void past_stretches_format(const struct past_stretches *found, struct text *out);

/* One line that says what the step did; without its number and a newline. */
void origin_step_text(const struct past_names *names, const struct origin_step *step,
                      struct text *out);
/* All of it: a heading, and a line for each step. */
void origin_format(const struct past_names *names, const struct origin *origin, struct text *out);

#endif
