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
	flow->out[flow->out_count].batches_before = flow->batches.count;
	*element = &flow->out[flow->out_count++].element;
	**element =
	        (struct element){.type = type, .trace_id = flow->config->trace_id, .offset = index};
	return STATUS_OK;
}

/* The element that a fact becomes. */
static void fill_fact(struct etm4_flow *flow, const struct p0 *item, struct element *element)
{
	switch ((int)element->type) {
	case ELEMENT_EVENT:
		element->event.type = 2;
		element->event.number = (uint16_t)item->value;
		break;
	case ELEMENT_CYCLE_COUNT:
		element->has_cycles = true;
		element->cycles = item->value;
		break;
	case ELEMENT_TIMESTAMP:
		element->has_timestamp = true;
		element->timestamp = item->address;
		element->has_cycles = item->has_cycles;
		element->cycles = item->value;
		break;
	case ELEMENT_SYNC_MARKER:
		element->sync_marker = item->value;
		flow->had_marker = true;
		break;
	default:
		element->instrumentation.level = item->level;
		element->instrumentation.value = item->address;
		break;
	}
}

enum status flow_emit_fact(struct etm4_flow *flow, const struct p0 *item)
{
	static const enum element_type types[] = {
	        [P0_EVENT] = ELEMENT_EVENT,
	        [P0_CYCLES] = ELEMENT_CYCLE_COUNT,
	        [P0_TIMESTAMP] = ELEMENT_TIMESTAMP,
	        [P0_MARKER] = ELEMENT_SYNC_MARKER,
	        [P0_INSTRUMENTATION] = ELEMENT_INSTRUMENTATION,
	};
	struct element *element;

	if ((size_t)item->kind >= sizeof(types) / sizeof(types[0]) ||
	    types[item->kind] == ELEMENT_UNKNOWN)
		return STATUS_OK;
	if (item->kind == P0_TIMESTAMP && flow->config->has_timestamp_marker && !flow->had_marker)
		return STATUS_OK;
	TRY(flow_emit(flow, types[item->kind], item->index, &element));
	fill_fact(flow, item, element);
	return STATUS_OK;
}

enum isa flow_isa(const struct etm4_flow *flow, uint8_t is)
{
	if (flow->is_64bit)
		return ISA_A64;
	return is == 0 ? ISA_A32 : ISA_T32;
}

enum status flow_emit_context(struct etm4_flow *flow, const struct p0 *item, uint64_t index)
{
	const struct etm4_context *context = &item->context;
	struct pe_context *known = &flow->context;
	struct element *element;

	flow->is_64bit = context->is_64bit;
	flow->is_secure = !context->is_non_secure;
	flow->needs_context = false;
	if (item->has_address)
		flow->isa = flow_isa(flow, item->isa);
	else if (context->is_64bit)
		flow->isa = ISA_A64;
	else if (flow->isa == ISA_A64)
		flow->isa = ISA_A32;
	if (context->is_realm_root)
		known->security = context->is_non_secure ? SECURITY_REALM : SECURITY_ROOT;
	else
		known->security = context->is_non_secure ? SECURITY_NON_SECURE : SECURITY_SECURE;
	known->level = (enum exception_level)context->level;
	known->is_64bit = context->is_64bit;
	if (context->has_context_id) {
		known->has_context_id = true;
		known->context_id = context->context_id;
	}
	if (context->has_vmid) {
		known->has_vmid = true;
		known->vmid = context->vmid;
	}
	flow->has_context = true;
	flow->view = follow_view(flow->follow, known);
	TRY(flow_emit(flow, ELEMENT_PE_CONTEXT, index, &element));
	element->isa = flow->isa;
	element->context = *known;
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
	flow->graph->was_retracted |= flow->batches.count > flow->batch_kept;
	flow->batches.count = flow->batch_kept;
}
