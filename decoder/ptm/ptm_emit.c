/* SPDX-License-Identifier: Apache-2.0 */
/* PTM flow, third part: what the other two change together: elements, synchronization, the view. */
#include "decoder/ptm/ptm_flow.h"

enum status ptm_emit(struct ptm_flow *flow, enum element_type type, struct element **element)
{
	return etm_queue_add(flow->out, type, flow->packet_index, element);
}

void ptm_leave_graph(struct ptm_flow *flow)
{
	flow->at = GRAPH_NO_NODE;
	flow->from = GRAPH_NO_NODE;
}

enum status ptm_emit_no_sync(struct ptm_flow *flow, enum no_sync_reason reason)
{
	struct element *element;

	TRY(ptm_emit(flow, ELEMENT_NO_SYNC, &element));
	element->no_sync = reason;
	return STATUS_OK;
}

void ptm_take_view(struct ptm_flow *flow)
{
	flow->view = follow_view(flow->follow, &flow->context);
	ptm_leave_graph(flow);
}

enum status ptm_lose_sync(struct ptm_flow *flow)
{
	flow->state = PTM_FLOW_WAIT_ASYNC;
	flow->needs_isync = true;
	flow->has_address = false;
	flow->is_excepted = false;
	ptm_leave_graph(flow);
	return ptm_emit_no_sync(flow, NO_SYNC_BAD_PACKET);
}
