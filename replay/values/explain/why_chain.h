/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of replay/values/explain/explain.h: a chain, from a value back to what it rests on. In: a
 * walk, and the first premises. Out: lines of that walk, one premise after the other, the last that
 * was pushed first. Once explained, a fact or a leaf is not explained again. Where memory runs out
 * the walk's status says so, and the chain is shorter.
 */
#ifndef CSREPLAY_REPLAY_VALUES_EXPLAIN_WHY_CHAIN_H
#define CSREPLAY_REPLAY_VALUES_EXPLAIN_WHY_CHAIN_H

#include "replay/values/explain/why_walk.h"

/* What is yet to be explained: bits of an SSA value, or of one side of a memory version. */
struct why_premise {
	uint64_t wanted;
	uint32_t subject;
	uint32_t until; /* facts from this one on do not count */
	bool is_side;
	bool is_after; /* of a side */
};

struct why_chain {
	struct why_walk *walk;
	struct why_premise *premises;
	size_t premise_count;
	size_t premise_capacity;
	uint32_t *seen; /* facts */
	size_t seen_count;
	size_t seen_capacity;
	uint32_t *leaves; /* SSA values without a fact that were explained */
	size_t leaf_count;
	size_t leaf_capacity;
};

/* Explains the premise later; without effect if no bits of it are wanted. */
void why_push(struct why_chain *c, struct why_premise p);
/* The same of all that is known of an SSA value. */
void why_push_ssa(struct why_chain *c, uint32_t ssa, uint32_t until);
/* Of a conflict all matters that gave any of the bits, not what gave most. */
void why_push_rest(struct why_chain *c, const struct why_premise *p,
                   const struct provenance_fact *f);
/* Of a conflict it matters, too, that the access was to this place. */
void why_push_place(struct why_chain *c, const struct memdep_access *a, uint32_t number);
/* True the first time that the item is asked about; the list is one of the chain's. */
bool why_is_new(struct why_chain *c, uint32_t **items, size_t *count, size_t *capacity,
                uint32_t item);

/* A premise about a side of a memory version, and one fact of such a side (why_side.c). */
void why_side(struct why_chain *c, const struct why_premise *p);
void why_side_fact(struct why_chain *c, const struct provenance_fact *f,
                   const struct why_premise *p, uint32_t number);

#endif
