/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From STM packets to generic elements: each packet that carries something is one, with the master
 * and the channel that are current. In: packets with their Idx. Out: elements.
 */
#ifndef CSREPLAY_DECODER_STIMULUS_STM_FLOW_H
#define CSREPLAY_DECODER_STIMULUS_STM_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "decoder/stimulus/stm_pkt.h"
#include "decoder/stimulus/sw_drive.h"

enum stm_flow_state {
	STM_FLOW_NO_SYNC, /* and it is still to be said */
	STM_FLOW_WAIT_SYNC,
	STM_FLOW_DECODE,
};

struct stm_flow {
	struct sw_out *out;
	enum stm_flow_state state;
	enum no_sync_reason reason;
	uint64_t last_index; /* of the last packet */
	bool has_ids;        /* a master was named since synchronisation or a global error */
	uint8_t master;      /* as the packets since synchronisation say */
	uint16_t channel;
};

/* `out` must outlive the flow. */
void stm_flow_init(struct stm_flow *flow, struct sw_out *out);
/* Adds what the packet means to the elements: at most SW_ELEMENTS. */
void stm_flow_packet(struct stm_flow *flow, const struct stm_packet *packet, uint64_t index);
/* The trace ends: adds EO_TRACE. */
void stm_flow_end(struct stm_flow *flow);

#endif
