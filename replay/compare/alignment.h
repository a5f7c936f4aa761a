/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two sequences beside each other: what they have in common, and what only one of them has. In: a
 * key for each position of both, equal where the two may show the same instruction, and the gaps
 * of both. Out: stretches, oldest first: the same in both, or different.
 *
 * The two are read in step while they are equal. Where they part, the nearest place is looked for
 * at which ALIGNMENT_ANCHOR keys in a row are equal again: in windows that grow up to
 * ALIGNMENT_HORIZON positions of each side. Costs, for n positions: time O(n) whatever the input,
 * since a search costs a multiple of what it passes over, or a first window of fixed size where
 * that is more; memory O(ALIGNMENT_HORIZON), 32 MiB at most, and next to none where the two are
 * equal. Two sequences that part for more than ALIGNMENT_HORIZON positions do not find each other
 * again.
 *
 * A gap is a place where execution is not known: the other side may have more there. What it has
 * more is a stretch that is_gap. Where both have more, that is one only if the two meet again, and
 * a gap of one stands at its start and one of the other at its end.
 */
#ifndef CSREPLAY_REPLAY_COMPARE_ALIGNMENT_H
#define CSREPLAY_REPLAY_COMPARE_ALIGNMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

enum {
	ALIGNMENT_ANCHOR = 8,
	ALIGNMENT_HORIZON = 1 << 20,
};

#define ALIGNMENT_NO_GAP UINT64_MAX

struct alignment_side {
	uint64_t (*key)(void *context, uint64_t position);
	/* The first gap at or after `position`, or ALIGNMENT_NO_GAP. A gap at i is before position
	 * i.
	 */
	uint64_t (*next_gap)(void *context, uint64_t position);
	void *context;
	uint64_t begin;
	uint64_t end; /* not read */
};

enum { ALIGNMENT_A, ALIGNMENT_B, ALIGNMENT_SIDES };

struct alignment_stretch {
	bool is_same;
	bool is_gap;                        /* different, but gaps account for all of it */
	uint64_t position[ALIGNMENT_SIDES]; /* where it begins */
	uint64_t count[ALIGNMENT_SIDES];    /* equal if is_same; one may be 0 if not */
};

struct alignment;

/* Both sides' contexts must outlive it. NO_MEM. */
MUST_USE enum status alignment_open(const struct alignment_side sides[ALIGNMENT_SIDES],
                                    struct alignment **alignment);
void alignment_close(struct alignment *alignment); /* NULL is fine */

/*
 * The next stretch, END after the last. One that is the same may be followed by another; each has
 * a position at least. NO_MEM.
 */
MUST_USE enum status alignment_next(struct alignment *alignment, struct alignment_stretch *stretch);

#endif
