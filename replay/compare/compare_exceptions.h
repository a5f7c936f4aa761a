/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exceptions that were taken between two instructions, side by side. In: two histories, each with a
 * position. Out: items where they differ. A part of replay/compare/compare.c; nobody else needs it.
 *
 * Two exceptions are the same if their vectors are; where one of the traces does not say its
 * vector, if their kinds are (interrupt, error, reset, debug, or of an instruction). What neither
 * says is no difference.
 */
#ifndef CSREPLAY_REPLAY_COMPARE_COMPARE_EXCEPTIONS_H
#define CSREPLAY_REPLAY_COMPARE_COMPARE_EXCEPTIONS_H

#include <stdint.h>

#include "base/status.h"
#include "replay/compare/compare_values.h"

struct compare_place {
	const struct history *history;
	uint64_t position; /* the exceptions right before it */
};

/* Adds what differs, with `name`. Nothing does where one of the histories has a gap. NO_MEM. */
MUST_USE enum status compare_exceptions(const struct compare_place places[COMPARE_SIDES],
                                        struct str name, struct compare_list *list);

#endif
