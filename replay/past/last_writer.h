/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of the room: what wrote some bytes last before a position, as far as is known. In: the
 * bytes and what they hold then. Out: an access of a window, and how many others may have been it.
 */
#ifndef CSREPLAY_REPLAY_PAST_LAST_WRITER_H
#define CSREPLAY_REPLAY_PAST_LAST_WRITER_H

#include "replay/past/past_window.h"

struct last_writer_of {
	uint64_t address;
	uint64_t size;    /* bytes, 1 or more */
	struct bits held; /* what is known of the first 8 of them, with zeros above */
};

struct last_writer {
	bool is_found;
	struct past_place at; /* the dynamic instruction of the write */
	uint32_t access;      /* in the window */
	bool is_assumed;      /* its place is */
	uint64_t possible;    /* younger writes that may have been to it */
	uint64_t youngest;    /* of these, its position; if there are any */
	/* The write is not proved to be to the bytes: it is the youngest of `possible` ones, and
	 * nothing older is known to have left what they hold. */
	bool is_candidate;
	/*
	 * And a candidate that has: the next older write that is proved to be to them did not leave
	 * what they hold, and of all between them only this access can have left some of it.
	 */
	bool is_only;
	bool is_blind;
	uint64_t blind; /* the first position of which nothing is known */
};

/* INTERRUPTED; NO_MEM. */
MUST_USE enum status last_writer_find(struct values *values, uint64_t position,
                                      const struct last_writer_of *of, struct last_writer *found);

/* Nothing can write the bytes, from the place to the halt and before it. */
bool past_is_constant(const struct past_place *place, uint64_t address, uint64_t size);

#endif
