/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From ETMv4 and ETE packets to generic elements (IHI 0064, "Instruction trace elements"; Arm ARM
 * DDI 0487, chapter D5). In: packets in order, the code in memory. Out: elements, in a list that
 * the caller takes them from.
 *
 * A packet first becomes entries of the P0 queue (etm4_flow.c). What is committed leaves the
 * queue and becomes elements (etm4_commit.c): an atom is a walk through the code to its waypoint
 * (etm4_walk.c), a source address is the code up to it (ete_source.c). A source that does not
 * speculate (TRCIDR8 is 0) commits each P0 element at once.
 *
 * Elements, their order and Idx are those of OpenCSD 1.8. Where a packet does not fit, what was
 * made of it so far is taken back, NO_SYNC says so, and decoding goes on at the next A-Sync with
 * trace info.
 */
#ifndef CSREPLAY_DECODER_ETM4_ETM4_FLOW_H
#define CSREPLAY_DECODER_ETM4_ETM4_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "decoder/element/element.h"
#include "decoder/etm4/etm4_config.h"
#include "decoder/etm4/etm4_p0.h"
#include "decoder/etm4/etm4_pkt.h"
#include "decoder/flow/flow.h"

enum flow_state {
	FLOW_NO_SYNC, /* to be told to the user before the next packet */
	FLOW_WAIT_ASYNC,
	FLOW_WAIT_INFO,
	FLOW_DECODE,
};

/* An element, and how many atom batches were given before it. */
struct etm4_out {
	struct element element;
	size_t batches_before;
};

struct etm4_flow {
	const struct etm4_config *config;
	struct follow *follow;
	struct graph *graph;
	enum flow_state state;
	enum no_sync_reason reason; /* why not synchronised */
	uint64_t packet_index;      /* Idx of the last packet */

	/* Elements in doubt, and what the last packet said of them. */
	struct p0_queue queue;
	uint64_t depth;  /* P0 elements in the queue that are not committed */
	uint64_t commit; /* P0 elements to commit, then */
	uint32_t cancel;
	bool mispredict;
	bool discard;
	bool awaits_address; /* the newest P0 element is whole with the next address packet */

	/*
	 * Where the core is. While `at` is a node, address and isa are its own, and those below are
	 * after (flow_settle()). While `left` is one, its indirect branch was taken, and they are
	 * not yet the end of that node: mostly the next packet says another address.
	 */
	uint32_t at;
	uint32_t left;
	uint32_t hint; /* a node that may well be the one at the address */
	uint32_t from; /* the node whose indirect branch the next address is the target of, or none
	                */
	uint64_t address; /* of the next instruction, unless needs_address */
	enum isa isa;     /* A64, A32 or T32, which can all be followed */
	bool needs_address;
	bool is_lost; /* needs_address, and an element says already that execution is not known */
	bool needs_context;
	bool at_hole; /* etm4_flow_quick() found that there is no code at the address */
	bool is_64bit;
	bool is_secure;
	bool had_overflow;   /* trace was lost and has not begun again */
	bool had_marker;     /* a timestamp marker was seen */
	bool keeps_to_code;  /* as decoder_options says */
	bool splits_sources; /* branches not taken before a source address end ranges */
	bool has_context;
	struct pe_context context; /* as last traced */
	uint32_t view;             /* what the core sees of memory then (snapshot/memmap.h) */
	bool awaits_time;          /* and that changes after the next waypoint */
	struct retstack stack;
	/* The last exception, if nothing was executed since: where it would return to. */
	bool is_excepted;
	uint64_t return_address;

	/* Elements and atom batches for the caller: [next, count) are not taken yet. */
	struct etm4_out *out;
	size_t out_next;
	size_t out_count;
	size_t out_capacity;
	size_t out_kept; /* [0, out_kept) stay even if the packet turns out bad */
	struct batch_list batches;
	size_t batch_next;
	size_t batch_kept;
};

/* `config`, `follow` and `graph` must outlive the flow. */
void etm4_flow_init(struct etm4_flow *flow, const struct etm4_config *config, struct follow *follow,
                    struct graph *graph);
void etm4_flow_fini(struct etm4_flow *flow);

/* Takes the packet whose first byte has Idx `index`. NO_MEM is the only failure. */
MUST_USE enum status etm4_flow_packet(struct etm4_flow *flow, const struct etm4_packet *packet,
                                      uint64_t index);

/*
 * True if atoms and addresses are executed as they come: the source does not speculate and nothing
 * waits.
 */
static inline bool etm4_flow_is_immediate(const struct etm4_flow *flow)
{
	return flow->state == FLOW_DECODE && flow->config->max_speculation == 0 &&
	       !flow->awaits_address && p0_is_empty(&flow->queue);
}

/* True if atoms say nothing, since nobody knows where execution is. */
static inline bool etm4_flow_is_blind(const struct etm4_flow *flow)
{
	if (!flow->needs_context &&
	    (!flow->needs_address || (!flow->is_lost && flow->keeps_to_code)))
		return false;
	return flow->at == GRAPH_NO_NODE && !flow->stack.must_pop;
}

/*
 * Executes `count` atoms (bit 0 first); to be asked for by the caller only if the flow is
 * immediate. As etm4_flow_packet() otherwise.
 */
MUST_USE enum status etm4_flow_atoms(struct etm4_flow *flow, uint32_t atoms, unsigned int count,
                                     uint64_t index);

/*
 * Executes of `count` atoms (1 to 32) those that the graph leads through. `*ran` is how many; the
 * next one is for etm4_flow_atoms(). NO_MEM.
 */
MUST_USE enum status etm4_flow_quick(struct etm4_flow *flow, uint32_t atoms, unsigned int count,
                                     uint64_t index, unsigned int *ran);

/*
 * Appends all of an immediate flow that later elements depend on; equal texts, equal flows. The
 * nodes of the graph are told by their addresses.
 */
void etm4_flow_describe(const struct etm4_flow *flow, struct text *out);

/* The trace is at its end: the last elements, EO_TRACE among them. */
MUST_USE enum status etm4_flow_end(struct etm4_flow *flow);

/* Where execution stands after all elements; false if the trace does not say. */
bool etm4_flow_next_address(const struct etm4_flow *flow, uint64_t *address);

/* Between the files of the flow. */

/* Appends an element; `*element` is to be filled and valid until the next one. NO_MEM. */
MUST_USE enum status flow_emit(struct etm4_flow *flow, enum element_type type, uint64_t index,
                               struct element **element);
/*
 * Forgets everything but the context and the queue and waits for an A-Sync. A bad packet also takes
 * back what is not kept.
 */
void flow_lose_sync(struct etm4_flow *flow, enum no_sync_reason reason);
/* Commits, cancels, discards as the last packet said. BAD_DATA if that does not fit the queue. */
MUST_USE enum status flow_resolve(struct etm4_flow *flow);
/*
 * Commits the older half of a queue that has reached its bound, although nothing asked for it.
 * BAD_DATA if something there is in doubt: no trace unit has so much.
 */
MUST_USE enum status flow_commit_certain(struct etm4_flow *flow);
/* Emits what holds in any case, entries from P0_EVENT on; nothing for other ones. */
MUST_USE enum status flow_emit_fact(struct etm4_flow *flow, const struct p0 *item);
/* The context of an entry of the queue is in force. */
MUST_USE enum status flow_emit_context(struct etm4_flow *flow, const struct p0 *item,
                                       uint64_t index);
/* What comes next is after the packet there, by which what is seen of memory may change. */
void flow_take_place(struct etm4_flow *flow, uint64_t index);
/* An address packet of an immediate flow. */
void flow_take_address(struct etm4_flow *flow, uint64_t address, uint8_t is);
enum isa flow_isa(const struct etm4_flow *flow, uint8_t is);
/*
 * The range of instructions that are not a node's walk; where it was executed, the instruction set
 * after it is the current one.
 */
MUST_USE enum status flow_emit_range(struct etm4_flow *flow, const struct walk *walk,
                                     bool is_executed, uint64_t index);
MUST_USE enum status flow_emit_nacc(struct etm4_flow *flow, uint64_t address, uint64_t index);
/* The waypoint at the end of a walk was executed, as a branch: where to, if the opcode says so. */
void flow_take_branch(struct etm4_flow *flow, const struct walk *walk);
/*
 * Walks from the current address to `stop` through waypoints that were passed on the way: `walk`
 * is what lies before it, or before what ended it. Nothing of the flow changes.
 */
MUST_USE enum status flow_walk_through(struct etm4_flow *flow, uint64_t stop, struct walk *walk);
/* Execution came to `stop`, and flow->address does not lead there, or is not known. */
MUST_USE enum status flow_emit_unreached(struct etm4_flow *flow, uint64_t stop, uint64_t index);
/* ETE: a branch at `source` was taken, and none between the current address and it. */
MUST_USE enum status flow_walk_source(struct etm4_flow *flow, uint64_t source, uint64_t index);

/* What the core sees of memory changes with the time. */
void flow_move_view(struct etm4_flow *flow);
/* Where execution is, or was after an indirect branch that was taken: what flow_settle() keeps. */
struct flow_place {
	uint64_t address;
	enum isa isa;
};
struct flow_place flow_place(const struct etm4_flow *flow);
/* Makes address and isa those of the node that execution stands at, or left. */
void flow_settle(struct etm4_flow *flow);
/*
 * Atoms, the oldest in bit 0. BAD_DATA if one contradicts the return stack. After it `at` may be a
 * node.
 */
MUST_USE enum status flow_run_atoms(struct etm4_flow *flow, uint32_t atoms, unsigned int count,
                                    uint64_t index);
/* The address that an indirect branch took from the return stack, where no packet gave it. */
MUST_USE enum status flow_pop_return(struct etm4_flow *flow);
/* Execution up to where an exception was taken: a range, or what of it is in memory. */
MUST_USE enum status flow_walk_to(struct etm4_flow *flow, uint64_t stop, uint64_t index);
/* `count` instructions of which the trace says only where they led to. */
MUST_USE enum status flow_walk_q(struct etm4_flow *flow, uint32_t count, uint64_t next,
                                 uint64_t index);

#endif
