/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accesses to memory in the past of a core whose trace has no data. In: the bytes that are asked
 * for. Out: the accesses whose address is proved, and those of which it is not known whether they
 * were to these bytes.
 */
#ifndef CSREPLAY_REPLAY_VALUES_VALUES_ACCESS_H
#define CSREPLAY_REPLAY_VALUES_VALUES_ACCESS_H

#include "replay/values/values.h"

/* The instructions first <= p < last, in the order in which they are met. */
struct values_range {
	uint64_t first;
	uint64_t last;
	bool forward;
};

struct values_target {
	uint64_t address;
	uint64_t size;
	bool reads;
	bool writes;
};

struct values_access {
	uint64_t position; /* of the instruction */
	uint64_t address;  /* of the first of the bytes */
};

/* The first access that is met and known to be to one of the bytes. False if there is none. */
bool values_find_access(struct values *values, const struct values_range *range,
                        const struct values_target *target, struct values_access *access);

/* Accesses that may have been to one of the bytes. */
struct values_may_alias {
	uint64_t count;
	uint64_t position; /* of the first that is met */
	/* Positions of which nothing is known; none if they are equal. */
	uint64_t blind_first;
	uint64_t blind_last;
};

void values_find_may_alias(struct values *values, const struct values_range *range,
                           const struct values_target *target, struct values_may_alias *doubt);

#endif
