/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of a flow on their way out, and the loss of those that were not certain; see
 * etm4_flow.h. */
#include "decoder/etm4/etm4_flow.h"

#include "base/vec.h"

enum status flow_emit(struct etm4_flow *flow, enum element_type type, uint64_t index,
                      struct element **element)
{
	TRY(vec_reserve((void **)&flow->out, &flow->out_capacity, flow->out_count + 1,
	                sizeof(*flow->out)));
	flow->out[flow->out_count].batches_before = flow->batch_count;
	*element = &flow->out[flow->out_count++].element;
	**element =
	        (struct element){.type = type, .trace_id = flow->config->trace_id, .offset = index};
	return STATUS_OK;
}

static void clear_resolution(struct etm4_flow *flow)
{
	flow->depth = 0;
	flow->commit = 0;
	flow->cancel = 0;
	flow->mispredict = false;
	flow->discard = false;
	flow->awaits_address = false;
	flow->at = GRAPH_NO_NODE;
	flow->needs_address = true;
	flow->is_lost = true;
	flow->needs_context = true;
}

void flow_lose_sync(struct etm4_flow *flow, enum no_sync_reason reason)
{
	bool is_bad = reason == NO_SYNC_BAD_PACKET;

	clear_resolution(flow);
	flow->state = FLOW_NO_SYNC;
	flow->reason = reason;
	flow->is_excepted = false;
	if (!is_bad)
		return;
	flow->is_64bit = false;
	flow->is_secure = true;
	flow->had_overflow = false;
	flow->had_marker = false;
	flow->out_count = flow->out_kept;
	flow->graph->was_retracted |= flow->batch_count > flow->batch_kept;
	flow->batch_count = flow->batch_kept;
}
