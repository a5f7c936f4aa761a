/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The code graph of a trace source: its nodes are the distinct runs that were followed, its edges
 * lead from a run to the one that came after it. In: addresses, atoms. Out: node numbers.
 *
 * An atom costs a pointer chase here and not a walk: that is what the speed of decoding rests on.
 * A run of the trace is a node and an outcome (taken: branch taken or instruction executed), so a
 * history needs one bit for it, and a number only where the code does not say where to go.
 *
 * A node has for each outcome
 *   - `next`, what an atom may do without further thought: a node number, or LEAVES: the run ends
 *     in an indirect branch and the trace must say where to, or ALONE: the flow is to look at this
 *     run by itself. Every node begins ALONE; the flow decides.
 *   - `successor`, the node that came after it, where the code alone says which (0: none came
 *     yet). It never changes.
 *   - after an indirect branch, `targets`: the nodes that came, in order of first appearance.
 *
 * Numbers begin at GRAPH_FIRST, stay valid as long as the graph, and are never given anew.
 */
#ifndef CSREPLAY_DECODER_FLOW_GRAPH_H
#define CSREPLAY_DECODER_FLOW_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "decoder/flow/follow.h"

enum {
	GRAPH_LEAVES = 0,
	GRAPH_ALONE = 1,
	GRAPH_FIRST = 2,
	GRAPH_NO_NODE = 0,     /* where a node number may be absent */
	GRAPH_BATCH_RUNS = 32, /* of an atom batch, at most */
};

struct basic_block {
	struct walk walk; /* the run; of an odd one `last` says what its element said */
	uint32_t view;    /* that it was fetched from (snapshot/memmap.h): where its opcodes are */
	/*
	 * Not the walk from its start to the next waypoint but what an element gave: a run that an
	 * exception ended, or one of a source that is not followed through the graph.
	 */
	bool is_odd;
	bool lacks_target; /* a direct branch whose element did not say where to */
	/* Whether it ends in a branch that has to be taken; found out when first asked for. */
	enum graph_verdict { GRAPH_UNASKED, GRAPH_NO, GRAPH_YES } is_unconditional;
	uint32_t targets; /* 0, or index of its target list plus 1 */
};

/* What an atom needs of a node, and no more: these are what the cache of the machine holds. */
struct graph_step {
	uint32_t next[2]; /* by outcome */
	uint32_t count;   /* instructions */
	uint32_t epoch;   /* the last one in which it was run */
};

/* Runs one after the other, as the atoms of a packet or several made them. */
struct atom_batch {
	uint64_t index; /* Idx of the first packet */
	uint32_t first; /* node of the first run */
	uint32_t last;  /* node of the last run */
	uint32_t atoms; /* outcomes; bit 0 is the first run's */
	uint32_t instructions;
	/*
	 * The run before it and the first run's number among that one's targets, where the decoder
	 * knows both; else `from` is GRAPH_NO_NODE.
	 */
	uint32_t from;
	uint32_t number;
	uint32_t
	        counts; /* cycle counts among its runs: the next ones of those beside the batches */
	uint8_t count;  /* runs, up to GRAPH_BATCH_RUNS; 0: it has nothing but cycle counts */
	bool follows;   /* by an edge of the code after the last run of the atom batch before */
};

/* Cycles since the last count, among the runs of an atom batch. */
struct cycle_count {
	uint64_t index; /* Idx of the packet; valid for an element */
	uint32_t cycles;
	uint32_t instructions : 31; /* of the batch, before it */
	uint32_t is_element : 1;    /* not of the run before it but an ELEMENT_CYCLE_COUNT */
};

enum { CYCLE_COUNT_PLACE_MOST = INT32_MAX };

struct graph_slot;
struct graph_targets;
struct graph_edge;

struct graph {
	struct basic_block *nodes; /* by number; the first GRAPH_FIRST are none */
	struct graph_step *steps;  /* the same */
	uint32_t (*successors)[2];
	size_t count;
	size_t node_capacity;
	size_t step_capacity;
	size_t successor_capacity;
	/* Nodes run in this epoch, each once. */
	uint32_t epoch;
	/*
	 * Runs were taken back by the decoder in this epoch: `visited` may name what was not run.
	 */
	bool was_retracted;
	uint32_t *visited;
	size_t visited_count;
	size_t visited_capacity;
	/* Private. */
	struct graph_slot *slots; /* open addressing */
	size_t slot_count;
	struct graph_targets *targets;
	size_t target_count;
	size_t target_capacity;
	struct graph_edge *edges; /* indirect ones; open addressing */
	size_t edge_slots;
	size_t edge_count;
};

/* NULL without memory. */
struct graph *graph_create(void);
void graph_destroy(struct graph *graph); /* NULL is fine */

/* The node that was added at an address, or GRAPH_NO_NODE. */
uint32_t graph_find(const struct graph *graph, uint32_t view, enum isa isa, uint64_t start);

/*
 * Enters a walk that graph_find() does not find: to a waypoint, or, for a source that traces each
 * instruction, of one instruction. NO_MEM.
 */
MUST_USE enum status graph_add(struct graph *graph, uint32_t view, const struct walk *walk,
                               uint32_t *node);

/* True if the node is the odd one of these instructions, seen in the view. */
bool graph_is_odd_node(const struct graph *graph, uint32_t node, uint32_t view,
                       const struct walk *walk);

/* The odd node of these instructions, seen in the view, entered if it is new. NO_MEM. */
MUST_USE enum status graph_intern(struct graph *graph, uint32_t view, const struct walk *walk,
                                  uint32_t *node, bool *is_new);

/*
 * Says that `to` comes after the run, whose last instruction tells where it leads. False if
 * another node is said to already, or one of the two alone is odd: what cut a run short once may
 * not do so again.
 */
bool graph_link(struct graph *graph, uint32_t node, bool taken, uint32_t to);

/* The run's last instruction is a taken indirect branch: `targets` says where it leads. */
static inline bool graph_is_indirect(const struct graph *graph, uint32_t node, bool taken)
{
	return taken && graph->nodes[node].walk.last.class == INSN_BRANCH_INDIRECT;
}

/* The same, and an atom knows it: quick, and may say no where graph_is_indirect() says yes. */
static inline bool graph_leaves(const struct graph *graph, uint32_t node, bool taken)
{
	return graph->steps[node].next[taken] == GRAPH_LEAVES;
}

/*
 * A branch that has to be taken by its class, and was not: a history is to look at such a run by
 * itself, so that no edge leads on from it.
 */
static inline bool graph_contradicts(const struct insn *last, bool taken)
{
	return !taken && !last->is_conditional &&
	       (last->class == INSN_BRANCH || last->class == INSN_BRANCH_INDIRECT);
}

/* One of a node's targets. */
struct graph_target {
	uint32_t node;
	uint32_t number; /* in order of first appearance */
};

/* The target of `node` at an address, if it led there before. */
bool graph_find_target(const struct graph *graph, uint32_t node, uint32_t view, enum isa isa,
                       uint64_t address, struct graph_target *target);

/* The number of `to` among the targets of `node`, entered if it is new. NO_MEM. */
MUST_USE enum status graph_target_number(struct graph *graph, uint32_t node, uint32_t to,
                                         uint32_t *number);
/* Its inverse; `number` was given by it. */
uint32_t graph_target(const struct graph *graph, uint32_t node, uint32_t number);
/* How many targets a node has. */
size_t graph_target_count(const struct graph *graph, uint32_t node);

/* From here on, no node was visited. */
void graph_begin_epoch(struct graph *graph);

/* Notes that the node was run in this epoch. NO_MEM. */
MUST_USE enum status graph_visit(struct graph *graph, uint32_t node);

/* Room for `count` visits. */
MUST_USE enum status graph_reserve_visits(struct graph *graph, size_t count);

/* Private: as graph_visit(), where there is room. */
static inline void graph_mark(struct graph *graph, struct graph_step *step, uint32_t node)
{
	if (step->epoch == graph->epoch)
		return;
	step->epoch = graph->epoch;
	graph->visited[graph->visited_count++] = node;
}

/* Atoms that are run one after the other, for an atom batch. */
struct graph_walk {
	uint64_t left; /* atoms, and above them one bit, which is alone when there are none */
	uint32_t first;
	uint32_t last; /* run */
	uint32_t node; /* where execution stands */
	uint32_t instructions;
};

/* Of `count` (0 to 32) atoms, from a node on. */
static inline struct graph_walk graph_walk_begin(uint32_t node, uint32_t atoms, unsigned int count)
{
	uint64_t end = UINT64_C(1) << count;

	return (struct graph_walk){end | (atoms & (end - 1)), node, node, node, 0};
}

/* Runs the node where it stands, whose step this is; what comes after it is `next`. There is room
 * for its visit. */
static inline void graph_walk_on(struct graph *graph, struct graph_walk *walk,
                                 struct graph_step *step, uint32_t next)
{
	graph_mark(graph, step, walk->node);
	walk->instructions += step->count;
	walk->left >>= 1;
	walk->last = walk->node;
	walk->node = next;
}

/*
 * Fills the atom batch with what was run of those atoms but for `index`, `from`, `number` and
 * `follows`; it has no cycle counts. Returns how many runs they are; if 0 the atom batch says
 * nothing.
 */
static inline unsigned int graph_walk_end(const struct graph_walk *walk, uint32_t atoms,
                                          unsigned int count, struct atom_batch *batch)
{
	unsigned int left = 63 - (unsigned int)__builtin_clzll(walk->left);
	unsigned int ran = count - left;

	batch->first = walk->first;
	batch->last = walk->last;
	batch->atoms = atoms & (uint32_t)((UINT64_C(1) << ran) - 1);
	batch->instructions = walk->instructions;
	batch->count = (uint8_t)ran;
	batch->counts = 0;
	return ran;
}

/*
 * Runs up to `count` (1 to 32) atoms from node `at` on, as far as `next` leads, and fills the atom
 * batch as graph_walk_end() does. Returns how many were run; `*at` is then where execution stands:
 * a node, LEAVES after the last run, or, with atoms left, the node to be looked at by itself.
 * Whoever calls it has reserved 32 visits. Here and not in graph.c for speed.
 */
static inline unsigned int graph_run(struct graph *graph, uint32_t *at, uint32_t atoms,
                                     unsigned int count, struct atom_batch *batch)
{
	struct graph_step *steps = graph->steps;
	struct graph_walk walk = graph_walk_begin(*at, atoms, count);
	uint32_t next = GRAPH_FIRST;

	while (walk.left > 1) {
		struct graph_step *step = &steps[walk.node];

		next = step->next[walk.left & 1];
		/* One comparison for both that end it. */
		if (next < GRAPH_FIRST)
			break;
		graph_walk_on(graph, &walk, step, next);
	}
	if (next == GRAPH_LEAVES)
		graph_walk_on(graph, &walk, &steps[walk.node], next);
	*at = walk.node;
	return graph_walk_end(&walk, atoms, count, batch);
}

#endif
