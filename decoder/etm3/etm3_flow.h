/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From ETMv3 packets to generic elements (ETM IHI 0014, "Trace port protocol of ETMv3"). In:
 * packets in order, the code in memory. Out: elements, and instructions as runs through the code
 * graph where the caller has one (etm3_runs.h). An atom is one instruction. The last
 * instruction of a P-header, and an exception return, are in doubt until the next packet: a
 * branch packet may cancel them.
 *
 * Elements, their order and Idx are those of OpenCSD 1.8, where that decodes at all: it ends at a
 * bad packet and refuses data trace. Here a bad packet is a NO_SYNC and decoding goes on at the
 * next A-Sync; data packets are DATA elements.
 */
#ifndef CSREPLAY_DECODER_ETM3_ETM3_FLOW_H
#define CSREPLAY_DECODER_ETM3_ETM3_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "decoder/element/element.h"
#include "decoder/etm3/etm3_config.h"
#include "decoder/etm3/etm3_pkt.h"
#include "decoder/etm3/etm3_runs.h"
#include "decoder/flow/flow.h"
#include "decoder/frame/frame.h"

enum etm3_flow_state {
	ETM3_FLOW_NO_SYNC, /* to be told to the user before the next packet */
	ETM3_FLOW_WAIT_ASYNC,
	ETM3_FLOW_WAIT_ISYNC,
	ETM3_FLOW_DECODE,
};

struct etm3_flow {
	const struct etm3_config *config;
	struct follow *follow;
	struct etm_queue *out;
	struct etm3_runs runs;
	bool uses_runs; /* for the atoms of this packet */
	enum etm3_flow_state state;
	enum no_sync_reason reason; /* why not synchronised */
	uint64_t packet_index;      /* Idx of the last packet */
	enum isa packet_isa;

	/* Where the core is. */
	bool has_address;
	uint32_t address;  /* of the next instruction; valid if has_address */
	enum isa isa;      /* of it: as the last packet with an address says, or BLX since */
	bool told_unknown; /* that there is no address */
	bool has_last;     /* an instruction was executed since the last branch packet */
	uint32_t last;     /* its address; valid if has_last */
	struct pe_context context;
	uint32_t view; /* that it gives (snapshot/memmap.h) */
	/* The last exception, if nothing was executed since: where it would return to. */
	bool is_excepted;
	uint32_t return_address;
};

/*
 * `config` and what the ends name must outlive the flow. Without a graph instructions are elements,
 * too.
 */
void etm3_flow_init(struct etm3_flow *flow, const struct etm3_config *config,
                    const struct etm_flow_ends *ends);

/* Takes the packet whose first byte has Idx `index`. NO_MEM is the only failure. */
MUST_USE enum status etm3_flow_packet(struct etm3_flow *flow, const struct etm3_packet *packet,
                                      uint64_t index);

/*
 * P-headers, which most of a trace is, taken together: those at the cursor through whose atoms the
 * graph leads. The first that does not, or that the packet after it may cancel, stays at the
 * cursor. Of a flow that is not told of each packet by itself, and is synchronized.
 */
MUST_USE enum status etm3_flow_quick(struct etm3_flow *flow, const struct etm3_reader *reader,
                                     struct deframe *deframe);

/* The trace is at its end: the last elements, EO_TRACE among them. */
MUST_USE enum status etm3_flow_end(struct etm3_flow *flow);

/* Where execution stands after all elements; false if the trace does not say. */
bool etm3_flow_next_address(const struct etm3_flow *flow, uint64_t *address);

/* Appends all that decoding to come may depend on, but for the graph. */
void etm3_flow_describe(const struct etm3_flow *flow, struct text *out);

#endif
