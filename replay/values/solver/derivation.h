/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How values were derived: a log of what the solver learned, in order, each with its cause. In:
 * facts, as the solver learns them (replay/values/solver/solve.c, link.c: nothing where no log is
 * kept). Out: for a node, or for one side of a memory entry, the fact that gave the bits asked for.
 *
 * A fact rests on facts that are older, so that a walk from fact to cause ends.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SOLVER_DERIVATION_H
#define CSREPLAY_REPLAY_VALUES_SOLVER_DERIVATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/uop/uop.h"
#include "base/status.h"

enum cause_kind {
	CAUSE_NONE,
	CAUSE_OP,       /* a micro-operation of a step; `other` is its index in the plan */
	CAUSE_BRANCH,   /* where execution went from a step */
	CAUSE_OUTCOME,  /* the trace said whether a step was executed */
	CAUSE_CONSTANT, /* memory that is always the same, loaded by a step */
	CAUSE_ABI,   /* a call, whose return a step is behind, keeps what the node `other` holds */
	CAUSE_REACH, /* a store's other places are contradictions; replay/values/solver/link_reach.c
	              */
	CAUSE_ENTRY, /* a node of a step: what the memory entry `other` holds */
	CAUSE_DATA,  /* an entry: what its instruction, of a step, loads or stores */
	CAUSE_KEPT,  /* an entry: the same on its other side */
	CAUSE_LINK,  /* an entry: the neighbour `other`, with nothing between */
	CAUSE_END,   /* an entry: the memory at the halt */
	CAUSE_HALT,  /* a node: the register `other` at the halt */
};

struct cause {
	enum cause_kind kind;
	uint32_t step;
	uint32_t other;
};

struct derivation_fact {
	uint64_t known;    /* bits of the subject, from this fact on */
	uint32_t previous; /* of the same subject: its number plus 1, or 0 */
	uint32_t step;
	uint32_t other;
	uint8_t kind;
};

enum conflict_kind {
	CONFLICT_NONE,
	CONFLICT_NODE,
	CONFLICT_SIDE,
	CONFLICT_STORE, /* to an entry's bytes, of which it was proved that nothing writes them */
};

/* What two derivations disagree about. */
struct derivation_conflict {
	enum conflict_kind kind;
	bool is_behind;   /* of a side */
	uint32_t subject; /* a node, or an entry */
	struct bits held;
	struct bits fact; /* that does not fit; nothing known: a range */
};

struct derivation {
	struct cause cause; /* of what is learned now */
	struct derivation_fact *facts;
	size_t fact_count;
	size_t fact_capacity;
	uint32_t *of_node; /* the last fact: its number plus 1, or 0 */
	size_t node_count;
	uint32_t *of_side; /* the same, two an entry: before and behind it */
	size_t side_count;
	size_t side_capacity;
	struct derivation_conflict conflict; /* the first one */
	uint32_t conflict_fact; /* number of the fact that does not fit; the subject has it not */
	enum status status;     /* NO_MEM; UNSUPPORTED: too many facts. The rest is not there */
};

/* An empty log for a window of so many nodes; one that was used is emptied. NO_MEM. */
MUST_USE enum status derivation_begin(struct derivation *d, size_t node_count);
void derivation_fini(struct derivation *d);

/* The subject's known bits have become `known`. */
void derivation_node(struct derivation *d, uint32_t node, uint64_t known);
void derivation_side(struct derivation *d, uint32_t entry, bool behind, uint64_t known);

/* The fact, which is learned now, does not fit. */
void derivation_disagree(struct derivation *d, const struct derivation_conflict *conflict);

/*
 * The fact before number `until` that gave the node, or the side, most of the bits `wanted`, its
 * number in *number; NULL if none gave any.
 */
const struct derivation_fact *derivation_of_node(const struct derivation *d, uint32_t node,
                                                 uint64_t wanted, uint32_t until, uint32_t *number);
const struct derivation_fact *derivation_of_side(const struct derivation *d, uint32_t entry,
                                                 bool behind, uint64_t wanted, uint32_t until,
                                                 uint32_t *number);

#endif
