/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The atoms of an ETMv3 as runs of one instruction through the code graph. In: where execution
 * stands, what each atom did. Out: atom batches. The last run is held back, since the next packet
 * may cancel it; nothing of it is noted before it is given out.
 */
#ifndef CSREPLAY_DECODER_ETM3_ETM3_RUNS_H
#define CSREPLAY_DECODER_ETM3_ETM3_RUNS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "decoder/flow/flow.h"

struct etm3_runs {
	struct follow *follow;
	struct graph *graph; /* NULL: there are none */
	struct batch_list *batches;
	uint32_t at;   /* node that an edge of the code leads to, or GRAPH_NO_NODE */
	uint32_t from; /* node whose indirect branch led to where execution stands, or none */
	uint32_t node; /* that was entered last */
	bool has_held;
	bool was_in_doubt;   /* the last run up to the next packet, though it was given out */
	unsigned int queued; /* runs since the packet before, one that it left in doubt included */
	struct atom_batch held;
	bool held_counts; /* it has cycles: */
	uint32_t held_cycles;
	struct atom_batch entry; /* how execution came to the node that was entered last */
};

/* Where execution stands, and what is seen of memory there. */
struct etm3_place {
	uint32_t view;
	uint32_t address;
	enum isa isa;
};

/* What an atom did. */
struct etm3_run {
	uint64_t index; /* Idx of its packet */
	bool is_executed;
	bool has_cycles;
	uint32_t cycles;
};

/* Execution is not where the last run leads: the next one begins where an address says. */
void etm3_runs_jump(struct etm3_runs *runs);
/* Nor where its branch leads: nothing parts what is before from what comes but the trace. */
void etm3_runs_break(struct etm3_runs *runs);

/* The node at the place, or GRAPH_NO_NODE; `entry` is then how execution came there. */
uint32_t etm3_runs_find(struct etm3_runs *runs, struct etm3_place place);

/*
 * The instruction at the place, which etm3_runs_hold() takes; the walk is valid until the next
 * call. As follow_insn().
 */
MUST_USE enum status etm3_runs_enter(struct etm3_runs *runs, struct etm3_place place,
                                     const struct walk **walk);

/*
 * Gives out the run that is held back and holds the one that was entered instead. `next` is where
 * execution stands after it; NULL if the trace has to say. NO_MEM.
 */
MUST_USE enum status etm3_runs_hold(struct etm3_runs *runs, struct etm3_run run,
                                    const struct etm3_place *next);

/*
 * At the end of a packet of atoms: the last one stays in doubt where it would as an element, which
 * is if no other one waits (etm_queue_doubt()). NO_MEM.
 */
MUST_USE enum status etm3_runs_end_packet(struct etm3_runs *runs);

/* Gives out the run that is held back, if there is one. NO_MEM. */
MUST_USE enum status etm3_runs_release(struct etm3_runs *runs);

/* It was not executed, or nothing is known of it any more. */
void etm3_runs_drop(struct etm3_runs *runs);

#endif
