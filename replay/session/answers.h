/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of session.h: what questions about the past leave for the next one: the places that the
 * lines of the last answer were about.
 */
#ifndef CSREPLAY_REPLAY_SESSION_ANSWERS_H
#define CSREPLAY_REPLAY_SESSION_ANSWERS_H

#include "replay/past/past.h"

/* Places of an answer, in the order of their numbers from 1 on. */
struct places {
	uint64_t *positions;
	size_t count;
	size_t capacity;
	enum status status; /* NO_MEM: some are missing */
};

struct answers {
	/* Of the last answer that has places; NULL: none. */
	const char *command;
	size_t core;
	struct places places;
	/* Of the last `last-write` about the core; what is older is before `end`. */
	bool has_question;
	struct past_accesses_of question;
};

void answers_fini(struct answers *answers);

void places_add(struct places *places, uint64_t position);
/* From here on these are the places that numbers mean; they are taken over. NO_MEM. */
MUST_USE enum status answers_keep(struct answers *answers, size_t core, const char *command,
                                  struct places *places);

#endif
