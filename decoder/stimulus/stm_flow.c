/* SPDX-License-Identifier: Apache-2.0 */
/* From STM packets to generic elements. In: packets with their Idx. Out: elements. MIPI STPv2. */
#include "decoder/stimulus/stm_flow.h"

static void lose_sync(struct stm_flow *flow, enum no_sync_reason reason)
{
	flow->state = STM_FLOW_NO_SYNC;
	flow->reason = reason;
	flow->has_ids = false;
	flow->master = 0;
	flow->channel = 0;
}

void stm_flow_init(struct stm_flow *flow, struct sw_out *out)
{
	*flow = (struct stm_flow){.out = out};
	lose_sync(flow, NO_SYNC_INIT);
}

static struct software_trace *add(struct stm_flow *flow, const struct stm_packet *packet,
                                  uint64_t index)
{
	struct element *e = sw_out_add(flow->out, ELEMENT_SWTRACE, index);

	e->has_timestamp = packet->has_timestamp;
	e->timestamp = packet->timestamp;
	e->software = (struct software_trace){
	        .has_ids = flow->has_ids,
	        .master = flow->master,
	        .channel = flow->channel,
	        .bits = (uint8_t)(4 * packet->digits),
	        .value = packet->value,
	        .is_marker = packet->is_marker,
	};
	return &e->software;
}

static void take_ids(struct stm_flow *flow, const struct stm_packet *packet)
{
	flow->master = packet->master;
	flow->channel = packet->channel;
}

static void take(struct stm_flow *flow, const struct stm_packet *packet, uint64_t index)
{
	switch (packet->type) {
	case STM_VERSION:
		take_ids(flow, packet);
		break;
	case STM_MASTER:
		take_ids(flow, packet);
		flow->has_ids = true;
		break;
	case STM_CHANNEL_8:
	case STM_CHANNEL_16:
		flow->channel = packet->channel;
		break;
	case STM_EMPTY:
		if (packet->has_timestamp)
			(void)add(flow, packet, index);
		break;
	case STM_DATA:
		(void)add(flow, packet, index);
		break;
	case STM_FLAG:
		add(flow, packet, index)->is_marker = true;
		break;
	case STM_TRIGGER:
		add(flow, packet, index)->is_trigger = true;
		break;
	case STM_FREQUENCY:
		add(flow, packet, index)->is_frequency = true;
		break;
	case STM_MASTER_ERROR:
		flow->channel = packet->channel;
		add(flow, packet, index)->is_master_error = true;
		break;
	case STM_GLOBAL_ERROR:
		take_ids(flow, packet);
		flow->has_ids = false;
		add(flow, packet, index)->is_global_error = true;
		break;
	case STM_BAD_SEQUENCE:
	case STM_RESERVED:
	case STM_NOT_SYNC:
		lose_sync(flow, NO_SYNC_BAD_PACKET);
		break;
	case STM_ASYNC:
	case STM_INCOMPLETE:
	case STM_TYPES:
		break;
	}
}

void stm_flow_packet(struct stm_flow *flow, const struct stm_packet *packet, uint64_t index)
{
	flow->last_index = index;
	if (flow->state == STM_FLOW_NO_SYNC) {
		sw_out_add(flow->out, ELEMENT_NO_SYNC, index)->no_sync = flow->reason;
		flow->state = STM_FLOW_WAIT_SYNC;
	}
	if (flow->state == STM_FLOW_DECODE)
		take(flow, packet, index);
	else if (packet->type == STM_ASYNC)
		flow->state = STM_FLOW_DECODE;
}

void stm_flow_end(struct stm_flow *flow)
{
	sw_out_add(flow->out, ELEMENT_EO_TRACE, flow->last_index)->no_sync = NO_SYNC_END;
}
