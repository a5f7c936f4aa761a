/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two sequences beside each other: what they have in common, and what only one of them has. In: a
 * key for each position of both, equal where the two may show the same instruction, and the gaps
 * of both. Out: stretches, oldest first: the same in both, or different.
 *
 * The two are read in step while they are equal. Where they part, the nearest place is looked for
 * at which MATCH_ANCHOR keys in a row are equal again: in windows that grow up to MATCH_HORIZON
 * positions of each side. Costs, for n positions: time O(n) whatever the input, since a search
 * costs a multiple of what it passes over, or a first window of fixed size where that is more;
 * memory O(MATCH_HORIZON), 32 MiB at most, and next to none where the two are equal. Two sequences
 * that part for more than MATCH_HORIZON positions do not find each other again.
 *
 * A gap is a place where execution is not known: the other side may have more there. What it has
 * more is a stretch that is_gap. Where both have more, that is one only if the two meet again, and
 * a gap of one stands at its begin and one of the other at its end.
 */
#ifndef CSREPLAY_REPLAY_COMPARE_MATCH_H
#define CSREPLAY_REPLAY_COMPARE_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

enum {
	MATCH_ANCHOR = 8,
	MATCH_HORIZON = 1 << 20,
};

#define MATCH_NO_GAP UINT64_MAX

struct match_side {
	uint64_t (*key)(void *context, uint64_t position);
	/* The first gap at or behind `position`, or MATCH_NO_GAP. A gap at i is before position i.
	 */
	uint64_t (*next_gap)(void *context, uint64_t position);
	void *context;
	uint64_t begin;
	uint64_t end; /* not read */
};

enum { MATCH_A, MATCH_B, MATCH_SIDES };

struct match_stretch {
	bool is_same;
	bool is_gap;                    /* different, but gaps account for all of it */
	uint64_t position[MATCH_SIDES]; /* where it begins */
	uint64_t count[MATCH_SIDES];    /* equal if is_same; one may be 0 if not */
};

struct match;

/* Both sides' contexts must outlive it. NO_MEM. */
MUST_USE enum status match_open(const struct match_side sides[MATCH_SIDES], struct match **match);
void match_close(struct match *match); /* NULL is fine */

/*
 * The next stretch, END behind the last. One that is the same may be followed by another; each has
 * a position at least. NO_MEM.
 */
MUST_USE enum status match_next(struct match *match, struct match_stretch *stretch);

#endif
