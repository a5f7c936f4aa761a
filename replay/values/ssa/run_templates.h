/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Templates (replay/values/ssa/window.h) of whole runs: a run that is executed again has its
 * dynamic instructions copied. In: the templates of a run's instructions, once. Out: the same, by
 * the run's node in a code graph.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SSA_RUN_TEMPLATES_H
#define CSREPLAY_REPLAY_VALUES_SSA_RUN_TEMPLATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/isa.h"
#include "base/status.h"
#include "decoder/flow/flow.h"

/* What a run does to a register of which the constant that it has matters (arch/call_model.h). */
enum run_effect { RUN_KEEPS, RUN_SETS, RUN_LOSES, RUN_MOVES };

struct run_constant {
	uint8_t effect; /* enum run_effect */
	uint64_t value;
};

/* The end of a run whose last instruction was executed, or was not. */
struct run_end {
	uint32_t last;              /* template of the last instruction */
	struct run_constant number; /* of a call; RUN_MOVES: what `moved` was */
	struct run_constant operation;
	struct run_constant moved;
};

struct run_template {
	uint32_t first; /* index of its templates, all but the last one's, plus 1; 0: not entered */
	/* One instruction does what the others of the run must know of: copied it cannot be. */
	bool is_stepwise;
	bool has_own_sp;          /* SP_IN_USE_OWN (control_event_from.h) after all but the last */
	struct run_end ends[2];   /* by the outcome of the run */
	struct it_block it_after; /* T32: of a run that no IT block led into */
};

/* The runs of one graph. */
struct run_table {
	const struct graph *graph;
	struct run_template *runs; /* by node */
};

struct run_templates {
	struct run_table *tables;
	size_t table_count;
	size_t table_capacity;
	uint32_t *templates; /* numbers, a run's one after the other */
	size_t template_count;
	size_t template_capacity;
};

void run_templates_fini(struct run_templates *r);
/* The table of a graph that does not grow, made if it is new; valid until the next call. NO_MEM. */
MUST_USE enum status run_templates_table(struct run_templates *r, const struct graph *graph,
                                         struct run_table *table);
/* Appends a template's number. NO_MEM. */
MUST_USE enum status run_templates_add(struct run_templates *r, uint32_t template);

#endif
