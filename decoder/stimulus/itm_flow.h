/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From ITM packets to generic elements. Timestamps are summed up here: local ones count cycles
 * since the last one, global ones come in parts. In: packets with their Idx. Out: elements.
 */
#ifndef CSREPLAY_DECODER_STIMULUS_ITM_FLOW_H
#define CSREPLAY_DECODER_STIMULUS_ITM_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "decoder/stimulus/itm_pkt.h"
#include "decoder/stimulus/sw_drive.h"

enum itm_flow_state {
	ITM_FLOW_NO_SYNC, /* and it is still to be said */
	ITM_FLOW_WAIT_SYNC,
	ITM_FLOW_DECODE,
};

struct itm_flow {
	struct sw_out *out;
	uint32_t prescale; /* cycles of the timestamp clock for one of a local timestamp */
	enum itm_flow_state state;
	enum no_sync_reason reason;
	uint64_t last_index;   /* of the last packet */
	bool told_not_sync;    /* a NOT_SYNC has been seen */
	uint64_t cycles;       /* sum of the local timestamps since the last overflow */
	uint64_t timestamp;    /* global */
	uint8_t page;          /* of stimulus ports */
	bool needs_high_bits;  /* no GLOBAL_TIMESTAMP_2 yet, or wrapped since */
	bool is_clock_changed; /* not told yet */
	bool is_overflow;      /* not told yet */
};

/* `out` must outlive the flow. `control` is the value of ITM_TCR. */
void itm_flow_init(struct itm_flow *flow, struct sw_out *out, uint32_t control);
/* Adds what the packet means to the elements: at most SW_ELEMENTS. */
void itm_flow_packet(struct itm_flow *flow, const struct itm_packet *packet, uint64_t index);
/* The trace ends: adds EO_TRACE. */
void itm_flow_end(struct itm_flow *flow);

#endif
