/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a value of the past is known, or is not. In: a register or an address, a position, the window
 * that answers for it (replay/values/values.h). Out: lines for a user: the chain of provenance from
 * the value back to the snapshot and the trace; or what first keeps an unknown one from being
 * known.
 *
 * The window is solved once more, with a log (replay/values/solver/provenance.h), and the log is
 * walked backward.
 */
#ifndef CSREPLAY_REPLAY_VALUES_EXPLAIN_EXPLAIN_H
#define CSREPLAY_REPLAY_VALUES_EXPLAIN_EXPLAIN_H

#include "base/text.h"
#include "replay/values/values.h"
#include "snapshot/source_lines.h"

struct why_subject {
	bool is_memory;
	unsigned int number; /* of a register in the register file */
	uint64_t address;    /* of memory: the 8 bytes that this one is in */
};

/* A line of the answer that is about a place: where in the text what of it is. */
struct why_place {
	size_t line;        /* where it begins */
	size_t instruction; /* and its instruction, or what lies between two; */
	size_t clause;      /* what is said of it, after ": " */
	uint64_t position;
	uint64_t pc;
	bool has_pc;
};

/* In the order of the text. Zeroed before; `items` is the owner's to free. */
struct why_places {
	struct why_place *items;
	size_t count;
	size_t capacity;
};

struct why_options {
	bool all;                         /* as many lines as there are */
	const struct source_lines *lines; /* or NULL */
	struct why_places *places;        /* to be filled, or NULL */
};

/* NO_MEM; UNSUPPORTED if the window is too large for a log. */
MUST_USE enum status why_value(struct values *values, uint64_t position,
                               const struct why_subject *subject, const struct why_options *options,
                               struct text *out);

/*
 * Of a window with a conflict: a line for each of the two provenances that disagree, with what it
 * rests on, each after a newline. As above.
 */
MUST_USE enum status why_disagreement(const struct history *history,
                                      const struct solve_options *options, struct text *out);

/*
 * Why nothing is said of the past, or the empty text: no memory, or a contradiction, with a line
 * for each of the two provenances and what it rests on.
 */
void why_trouble(const struct values *values, struct text *out);

/* Which assumption was given up, and for which contradiction, as above; or the empty text. */
void why_given_up(const struct values *values, struct text *out);

#endif
