/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accesses to memory in the past of a core whose trace has no data. In: the bytes that are asked
 * for, a range of instructions and a direction. Out: the accesses to these bytes in the order in
 * which they are met: those whose address is proved, those that may have been to them, and
 * stretches of which nothing is known. What is not told is proved not to be one.
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

enum values_verdict {
	VALUES_PROVED,   /* it is to one of the bytes */
	VALUES_POSSIBLE, /* nothing says that it is not to one of them */
	VALUES_BLIND,    /* not known is what instructions accessed: values_why_blind() */
};

/* What follows of a possible access in the assumed tier (values.h), if there is one. */
enum values_assumed {
	SUPPOSED_OPEN,      /* nothing */
	SUPPOSED_THERE,     /* it is to one of the bytes */
	SUPPOSED_ELSEWHERE, /* it is to none of them */
};

struct values_access {
	enum values_verdict verdict;
	enum values_assumed supposed; /* POSSIBLE */
	/* POSSIBLE: it is what came after the instruction, such as an exception or a gap. */
	bool is_event;
	uint64_t position; /* of the instruction; BLIND: of the first that is met */
	uint64_t address;  /* PROVED: of the first of the bytes */
	uint64_t last;     /* BLIND: of the last that is met */
};

/* False: no more are wanted. */
typedef bool values_visit(void *context, const struct values_access *access);

/* The address of the memory that a pointer with a tag in its top byte leads to, in A64. */
uint64_t values_untagged(const struct values *values, uint64_t address);

/*
 * Calls `visit` for each access that is met, one an instruction; a proved one counts before a
 * possible one. Windows grow until nothing is possible in them that more of the past would decide.
 * NO_MEM; INTERRUPTED.
 */
MUST_USE enum status values_visit_accesses(struct values *values, const struct values_range *range,
                                           const struct values_target *target, values_visit *visit,
                                           void *context);

/* Appends why the stretch that was met last is blind, as a clause. */
void values_why_blind(const struct values *values, struct text *out);

/* The first access that is met and proved. False if there is none, or it was interrupted. */
bool values_find_access(struct values *values, const struct values_range *range,
                        const struct values_target *target, struct values_access *access);

/* Accesses that may have been to one of the bytes. */
struct values_may_alias {
	uint64_t count;
	uint64_t elsewhere; /* of these SUPPOSED_ELSEWHERE */
	uint64_t position;  /* of the first that is met */
	/* Positions of which nothing is known; none if they are equal. */
	uint64_t blind_first;
	uint64_t blind_last;
};

void values_find_may_alias(struct values *values, const struct values_range *range,
                           const struct values_target *target, struct values_may_alias *doubt);

#endif
