/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trial: a part of a recording as a snapshot whose trace says no value, and what is then said
 * of the values of its past. In: recording, the part, what is wrong with the snapshot. Out: how
 * much is known, how much of that is wrong.
 */
#ifndef CSREPLAY_TESTS_VALUES_TRUTH_TRIAL_H
#define CSREPLAY_TESTS_VALUES_TRUTH_TRIAL_H

#include "replay/values/values.h"
#include "tests/values/truth/recording.h"

enum { DISTANCES = 5 };

extern const uint64_t trial_distances[DISTANCES];

enum flip {
	FLIP_NONE,
	FLIP_REGISTER,
	FLIP_MEMORY, /* of a byte that nobody executes */
	FLIP_CODE,   /* of an instruction, which stays what it is for the flow */
};

/* Which memory the snapshot has; all of what was executed in any case. */
enum dumps {
	DUMPS_ALL,
	DUMPS_STACK, /* the 64 KiB about SP */
	DUMPS_HOLES, /* every other block of 512 bytes */
	DUMPS_CODE,
};

enum gap_shown {
	GAP_AS_TRACE_ON,
	GAP_AS_OVERFLOW,
	GAP_AS_BAD_PACKET,
	GAP_AS_NOTHING, /* what comes after it is no successor of what comes before it */
	GAPS_SHOWN,
};

struct trial {
	struct recording *recording;
	size_t from; /* the trace has states from <= s < to */
	size_t to;
	enum dumps dumps;
	enum flip flip;
	uint64_t seed;    /* which bit is flipped, which places are looked at */
	size_t positions; /* that are looked at; those next to the end are first */
	size_t spread;    /* so many more, anywhere */
	size_t words;     /* of memory that are looked at */
	bool is_shared;   /* another core may write, and has: nothing in the dumps is what it was */
	bool abi;         /* calls keep registers, frames their slots: is assumed */
	bool trusts;      /* all that can be assumed of the code is */
	size_t gap;       /* before this state, so many instructions are not in the trace */
	size_t gap_length;
	enum gap_shown gap_shown;
	size_t window; /* 0: as values.h does; else one window of so many instructions */
};

struct tally {
	uint64_t asked;
	uint64_t known;
};

struct score {
	struct tally all[DISTANCES];
	struct tally read[DISTANCES];
	struct tally memory;
	uint64_t wrong;       /* registers and words that are not what they were */
	uint64_t wrong_apart; /* the same without those that repeat the flipped register or byte */
	uint64_t trials;
	uint64_t conflicts;
	uint64_t tainted; /* trials with something wrong */
};

/* False without memory, or if the part cannot be a snapshot. */
bool trial_run(const struct trial *trial, struct score *score);

#endif
