/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From PTM packets to generic elements (PFT IHI 0035, "Program flow trace protocol"). In: packets
 * in order, the code in memory. Out: atom batches through the code graph, elements. An atom, a
 * branch address without exception and a waypoint update are each a walk through the code to a
 * waypoint. What a packet gives in atom batches is before what it gives in elements.
 *
 * Elements, their order and Idx are those of OpenCSD 1.8, with two exceptions: an instruction set
 * that cannot be followed gives an ADDR_UNKNOWN where OpenCSD is silent, and a branch that was not
 * taken does not change the instruction set.
 */
#ifndef CSREPLAY_DECODER_PTM_PTM_FLOW_H
#define CSREPLAY_DECODER_PTM_PTM_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "decoder/element/element.h"
#include "decoder/flow/flow.h"
#include "decoder/ptm/ptm_config.h"
#include "decoder/ptm/ptm_pkt.h"

enum ptm_flow_state {
	PTM_FLOW_NO_SYNC, /* to be told to the user before the first packet */
	PTM_FLOW_WAIT_ASYNC,
	PTM_FLOW_WAIT_ISYNC,
	PTM_FLOW_DECODE,
};

struct ptm_flow {
	const struct ptm_config *config;
	bool keeps_to_code; /* as decoder_options says */
	struct follow *follow;
	struct graph *graph;
	struct batch_list *batches;
	struct etm_queue *out;
	enum ptm_flow_state state;
	uint64_t packet_index; /* Idx of the last packet */
	bool needs_isync;      /* nothing was decoded since synchronisation was lost */

	/* Where the core is. */
	bool has_address;
	bool is_lost;     /* it has none, and an element says already that execution is not known */
	uint32_t at;      /* the node at `address`, or GRAPH_NO_NODE if it is not looked up yet */
	uint32_t from;    /* the node whose indirect branch led to `address`, or GRAPH_NO_NODE */
	bool awaits_time; /* the view may change after the next waypoint: a timestamp came */
	uint32_t address; /* of the next instruction; valid if has_address */
	enum isa isa;
	enum isa shown_isa; /* of the last element that has one */
	struct pe_context context;
	uint32_t view; /* that it gives (snapshot/memmap.h) */
	struct retstack stack;
	/* The last exception, if nothing was executed since: where it would return to. */
	bool is_excepted;
	uint32_t return_address;
};

/* `config` and what the ends name must outlive the flow. */
void ptm_flow_init(struct ptm_flow *flow, const struct ptm_config *config,
                   const struct etm_flow_ends *ends);

/* Takes the packet whose first byte has Idx `index`. NO_MEM is the only failure. */
MUST_USE enum status ptm_flow_packet(struct ptm_flow *flow, const struct ptm_packet *packet,
                                     uint64_t index);

/*
 * Executes of `count` atoms (1 to 32, bit 0 first) without cycle counts those that the graph leads
 * through. `*ran` is how many; the next one is for ptm_flow_atoms(). NO_MEM.
 */
MUST_USE enum status ptm_flow_quick(struct ptm_flow *flow, uint32_t atoms, unsigned int count,
                                    uint64_t index, unsigned int *ran);

/*
 * As ptm_flow_packet(), of a branch address alone in a flow that decodes: what the reader knows
 * after it.
 */
MUST_USE enum status ptm_flow_branch(struct ptm_flow *flow, const struct ptm_known *known,
                                     uint64_t index);

/* Executes the atoms of a packet without cycle count, or what is left of them. */
MUST_USE enum status ptm_flow_atoms(struct ptm_flow *flow, uint32_t atoms, unsigned int count,
                                    uint64_t index);

/* The trace is at its end: EO_TRACE. */
MUST_USE enum status ptm_flow_end(struct ptm_flow *flow);

/* Where execution stands after all elements; false if the trace does not say. */
bool ptm_flow_next_address(const struct ptm_flow *flow, uint64_t *address);

/* Appends all that decoding to come may depend on, but for the graph. */
void ptm_flow_describe(const struct ptm_flow *flow, struct text *out);

/*
 * Private to the flow, ptm_walk.c: executes up to `count` atoms (bit 0 first; a branch that the
 * packet says was taken is one) from the current address, as long as that is known. NO_MEM.
 */
MUST_USE enum status ptm_walk_atoms(struct ptm_flow *flow, uint32_t atoms, unsigned int count,
                                    const struct ptm_packet *packet);

/*
 * Private: after an indirect branch of which no address came there is an atom, a waypoint or an
 * exception. Instructions ran, and which the trace does not say, or the code is not that which ran:
 * told once, for a history alone, as the reference decoder passes it over. NO_MEM.
 */
MUST_USE enum status ptm_tell_lost(struct ptm_flow *flow);

/* Private: execution up to the waypoint at `stop`, which the packet names. NO_MEM. */
MUST_USE enum status ptm_walk_to(struct ptm_flow *flow, uint32_t stop,
                                 const struct ptm_packet *packet);

/* Private, ptm_emit.c: an element at the current packet, to be filled. NO_MEM. */
MUST_USE enum status ptm_emit(struct ptm_flow *flow, enum element_type type,
                              struct element **element);
MUST_USE enum status ptm_emit_no_sync(struct ptm_flow *flow, enum no_sync_reason reason);

/* Private: a packet has no meaning, or contradicts the code: nothing holds until an I-Sync. */
MUST_USE enum status ptm_lose_sync(struct ptm_flow *flow);

/* Private: the context may be another now, and with it what is seen of memory. */
void ptm_take_view(struct ptm_flow *flow);

/* Private: execution is not where the graph leads. */
void ptm_leave_graph(struct ptm_flow *flow);

#endif
