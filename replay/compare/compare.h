/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two histories compared, of traces of any kinds. In: a core of a session, twice. Out: the places
 * where they differ, oldest first, and a summary.
 *
 * Instructions are matched by address and instruction set (replay/compare/alignment.h says how, and
 * how far). Of two that match, the aspects are compared that both traces know; what one of them
 * does not know is no difference. Registers are those that either instruction updates, memory is
 * the bytes that it reads and writes; both only where both traces carry data
 * (replay/tarmac/effects.h).
 *
 * What one history has more where the other has a gap is reported, and is no difference. Where both
 * go on with the same instruction, a gap of one alone is a difference of the aspect COMPARE_GAP:
 * what ran there is not known to be what the other has, nothing. The begin
 * of a trace of program flow is such a gap: a buffer holds the end of what was executed.
 */
#ifndef CSREPLAY_REPLAY_COMPARE_COMPARE_H
#define CSREPLAY_REPLAY_COMPARE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/str.h"
#include "replay/session/session.h"

enum compare_aspect {
#define X(name, text, what) COMPARE_##name,
#include "replay/compare/compare.def"
#undef X
	COMPARE_ASPECTS, /* how many */
};

/* What is compared if the user does not say: what every trace can know. */
enum {
	COMPARE_DEFAULT = 1U << COMPARE_ISA | 1U << COMPARE_OPCODE | 1U << COMPARE_EXECUTED,
};

struct compare_side {
	struct session *session; /* its cores' positions are moved */
	size_t core;
	uint64_t from; /* the first position to compare, at most N */
};

struct compare_options {
	unsigned int aspects; /* set of 1 << enum compare_aspect */
	bool is_strict;       /* what a gap accounts for is a difference, too */
};

/* Of an instruction that both have, what differs. */
struct compare_item {
	enum compare_aspect aspect;
	struct str name; /* of the register, or what was done to memory where; else empty */
	struct str a;
	struct str b;
};

enum { COMPARE_A, COMPARE_B, COMPARE_SIDES };

struct compare_difference {
	bool is_gap;  /* gaps account for it: none, unless is_strict */
	bool is_pair; /* one instruction of each, which match; see items. Else they do not */
	uint64_t position[COMPARE_SIDES];
	uint64_t count[COMPARE_SIDES];    /* instructions; 0 where the other has more */
	uint64_t before;                  /* pairs right before it that do not differ */
	const struct compare_item *items; /* valid until the next call, as is their text */
	size_t item_count;
};

struct compare_summary {
	uint64_t matched;                    /* pairs, the different ones too */
	uint64_t pairs;                      /* that differ */
	uint64_t only[COMPARE_SIDES];        /* instructions that the other has not */
	uint64_t in_gap[COMPARE_SIDES];      /* instructions where the other has a gap */
	uint64_t stretches;                  /* places with instructions that one has more */
	uint64_t gaps;                       /* places with instructions in a gap */
	uint64_t by_aspect[COMPARE_ASPECTS]; /* pairs that differ in it */
};

struct compare;

/* NO_MEM; NOT_FOUND if a side's `from` is after its end. */
MUST_USE enum status compare_open(const struct compare_side sides[COMPARE_SIDES],
                                  const struct compare_options *options, struct compare **compare);
void compare_close(struct compare *compare); /* NULL is fine */

/* The next difference. END after the last, with `before` alone in it. NO_MEM. */
MUST_USE enum status compare_next(struct compare *compare, struct compare_difference *difference);

/* Of what compare_next() has passed. */
struct compare_summary compare_summary(const struct compare *compare);
/* True if nothing that it has passed differs. */
bool compare_is_equal(const struct compare_summary *summary);

/* "registers"; NOT_FOUND for other names. */
const char *compare_aspect_name(enum compare_aspect aspect);
MUST_USE enum status compare_aspect_of(struct str name, enum compare_aspect *aspect);

#endif
