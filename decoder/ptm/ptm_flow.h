/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From PTM packets to generic elements (PFT IHI 0035, "Program flow trace protocol"). In: packets
 * in order, the code in memory. Out: elements. An atom, a branch address without exception and a
 * waypoint update are each a walk through the code to a waypoint.
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
	struct etm_queue *out;
	enum ptm_flow_state state;
	uint64_t packet_index; /* Idx of the last packet */
	bool needs_isync;      /* nothing was decoded since synchronisation was lost */

	/* Where the core is. */
	bool has_address;
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

/* `config`, `follow` and `out` must outlive the flow. */
void ptm_flow_init(struct ptm_flow *flow, const struct ptm_config *config, struct follow *follow,
                   struct etm_queue *out);

/* Takes the packet whose first byte has Idx `index`. NO_MEM is the only failure. */
MUST_USE enum status ptm_flow_packet(struct ptm_flow *flow, const struct ptm_packet *packet,
                                     uint64_t index);

/* The trace is at its end: EO_TRACE. */
MUST_USE enum status ptm_flow_end(struct ptm_flow *flow);

/* Where execution stands after all elements; false if the trace does not say. */
bool ptm_flow_next_address(const struct ptm_flow *flow, uint64_t *address);

#endif
