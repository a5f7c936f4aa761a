/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans (replay/values/ssa/window.h) of whole runs: a run that is executed again has its steps
 * copied. In: the plans of a run's instructions, once. Out: the same, by the run's node in a code
 * graph.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SSA_RUN_PLANS_H
#define CSREPLAY_REPLAY_VALUES_SSA_RUN_PLANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "decoder/flow/flow.h"

/* What a run does to a register of which the constant that it has matters (arch/call_model.h). */
enum run_effect { RUN_KEEPS, RUN_SETS, RUN_LOSES };

struct run_constant {
	uint8_t effect; /* enum run_effect */
	uint64_t value;
};

struct run_plan {
	uint32_t first; /* index of its plans plus 1; 0: not entered */
	/* An instruction before the last one does not lead on by itself: copied it cannot be. */
	bool is_interrupted;
	struct run_constant number; /* of a call */
	struct run_constant operation;
};

/* The runs of one graph. */
struct run_table {
	const struct graph *graph;
	struct run_plan *runs; /* by node */
};

struct run_plans {
	struct run_table *tables;
	size_t table_count;
	size_t table_capacity;
	uint32_t *plans; /* numbers, a run's one behind the other */
	size_t plan_count;
	size_t plan_capacity;
};

void run_plans_fini(struct run_plans *r);
/* The table of a graph that does not grow, made if it is new; valid until the next call. NO_MEM. */
MUST_USE enum status run_plans_table(struct run_plans *r, const struct graph *graph,
                                     struct run_table *table);
/* Appends a plan's number. NO_MEM. */
MUST_USE enum status run_plans_add(struct run_plans *r, uint32_t plan);

#endif
