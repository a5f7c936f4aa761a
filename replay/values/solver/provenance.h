/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How values were derived: a log of what the solver learned, in order, each with its cause. In:
 * facts, as the solver learns them (replay/values/solver/solve.c, memdep.c: nothing where no log is
 * kept). Out: for an SSA value, or for one side of a memory version, the fact that gave the bits
 * asked for.
 *
 * A fact rests on facts that are older, so that a walk from fact to cause ends.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SOLVER_PROVENANCE_H
#define CSREPLAY_REPLAY_VALUES_SOLVER_PROVENANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/uop/uop.h"
#include "base/status.h"

enum cause_kind {
	CAUSE_NONE,
	CAUSE_OP,         /* a micro-operation; `other` is its index in the template */
	CAUSE_BRANCH,     /* where execution went from a dynamic instruction */
	CAUSE_OUTCOME,    /* the trace said whether a dynamic instruction was executed */
	CAUSE_DATA_TRACE, /* the data trace of a dynamic instruction's transfers */
	CAUSE_CONSTANT,   /* memory that is always the same, loaded by a dynamic instruction */
	CAUSE_ABI,        /* what a call keeps, after its return: the SSA value `other` */
	CAUSE_TASK,      /* CONTEXTIDR names the task that is switched from or to (task_switch.h) */
	CAUSE_LINEAR,    /* it differs by a constant from the SSA value `other`, or is one */
	CAUSE_SP_IN_USE, /* which SP was in use after a return from an exception (window.h) */
	CAUSE_TOP_BYTE,  /* an address that was accessed has no tag (top_byte.h) */
	CAUSE_REACH,     /* a store's other places are contradictions (points_to.c) */
	CAUSE_ENTRY,     /* an SSA value: what the memory version `other` holds */
	CAUSE_DATA,      /* a memory version: what its instruction loads or stores */
	CAUSE_KEPT,      /* a memory version: the same on its other side */
	CAUSE_MEMDEP,    /* a memory version: the neighbour `other`, with nothing between */
	CAUSE_END,       /* a memory version: the memory at the halt */
	CAUSE_HALT,      /* an SSA value: the register `other` at the halt */
};

struct cause {
	enum cause_kind kind;
	uint32_t dyn;
	uint32_t other;
};

struct provenance_fact {
	uint64_t known;    /* bits of the subject, from this fact on */
	uint32_t previous; /* of the same subject: its number plus 1, or 0 */
	uint32_t dyn;
	uint32_t other;
	uint8_t kind;
};

enum conflict_kind {
	CONFLICT_NONE,
	CONFLICT_SSA,
	CONFLICT_SIDE,
	CONFLICT_STORE, /* to a memory version's bytes, of which it was proved that nothing writes
	                   them */
};

/* What two provenances disagree about. */
struct provenance_conflict {
	enum conflict_kind kind;
	bool is_after;    /* of a side */
	uint32_t subject; /* an SSA value, or a memory version */
	struct bits held;
	struct bits fact; /* that does not fit; nothing known: a range */
};

struct provenance {
	struct cause cause; /* of what is learned now */
	struct provenance_fact *facts;
	size_t fact_count;
	size_t fact_capacity;
	uint32_t *of_ssa; /* the last fact: its number plus 1, or 0 */
	size_t ssa_count;
	uint32_t *of_side; /* the same, two a memory version: before and after it */
	size_t side_count;
	size_t side_capacity;
	struct provenance_conflict conflict; /* the first one */
	uint32_t conflict_fact; /* number of the fact that does not fit; the subject has it not */
	enum status status;     /* NO_MEM; UNSUPPORTED: too many facts. The rest is not there */
};

/* An empty log for a window of so many SSA values; one that was used is emptied. NO_MEM. */
MUST_USE enum status provenance_begin(struct provenance *d, size_t ssa_count);
void provenance_fini(struct provenance *d);

/* The subject's known bits have become `known`. */
void provenance_ssa(struct provenance *d, uint32_t ssa, uint64_t known);
void provenance_side(struct provenance *d, uint32_t version, bool after, uint64_t known);

/* The fact, which is learned now, does not fit. */
void provenance_disagree(struct provenance *d, const struct provenance_conflict *conflict);

/*
 * The fact before number `until` that gave the SSA value, or the side, most of the bits `wanted`,
 * its number in *number; NULL if none gave any.
 */
const struct provenance_fact *provenance_of_ssa(const struct provenance *d, uint32_t ssa,
                                                uint64_t wanted, uint32_t until, uint32_t *number);
const struct provenance_fact *provenance_of_side(const struct provenance *d, uint32_t version,
                                                 bool after, uint64_t wanted, uint32_t until,
                                                 uint32_t *number);

#endif
