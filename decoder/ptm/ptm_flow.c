/* SPDX-License-Identifier: Apache-2.0 */
/* PTM flow, first part: from packets to generic elements. PFT IHI 0035; overview in ptm_flow.h. */
#include "decoder/ptm/ptm_flow.h"

void ptm_flow_init(struct ptm_flow *flow, const struct ptm_config *config,
                   const struct etm_flow_ends *ends)
{
	*flow = (struct ptm_flow){
	        .config = config,
	        .follow = ends->follow,
	        .graph = ends->graph,
	        .batches = ends->batches,
	        .out = ends->out,
	        .state = PTM_FLOW_NO_SYNC,
	        .needs_isync = true,
	        .context = {.security = SECURITY_SECURE, .level = EL_UNKNOWN},
	};
	ptm_take_view(flow);
	flow->context.is_context_part = config->context_id_size < sizeof(uint32_t);
	retstack_init(&flow->stack, config->has_return_stack);
}

static void add_cycles(struct element *element, const struct ptm_packet *packet)
{
	element->has_cycles = packet->has_cycles;
	element->cycles = packet->has_cycles ? packet->cycles : 0;
}

static enum status emit_context(struct ptm_flow *flow)
{
	struct element *element;

	ptm_take_view(flow);
	TRY(ptm_emit(flow, ELEMENT_PE_CONTEXT, &element));
	element->context = flow->context;
	element->isa = flow->shown_isa;
	return STATUS_OK;
}

static enum status emit_exception(struct ptm_flow *flow, const struct ptm_packet *packet)
{
	struct element *element;

	TRY(ptm_tell_lost(flow));
	TRY(ptm_emit(flow, ELEMENT_EXCEPTION, &element));
	element->exception.number = packet->exception;
	element->exception.info = exception_find(EXCEPTIONS_ETM3, packet->exception);
	element->exception.has_return_address = flow->has_address;
	element->exception.return_address = flow->has_address ? flow->address : 0;
	add_cycles(element, packet);
	flow->is_excepted = flow->has_address;
	flow->return_address = flow->address;
	return STATUS_OK;
}

/* The address in this packet, by which what is seen of memory may change. */
static void take_place(struct ptm_flow *flow)
{
	if (follow_take_place(flow->follow, flow->packet_index))
		ptm_take_view(flow);
}

/* Execution goes on at the last address. */
static void go_to(struct ptm_flow *flow, const struct ptm_known *known)
{
	flow->at = GRAPH_NO_NODE;
	take_place(flow);
	flow->isa = known->isa;
	flow->address = known->address;
	flow->has_address = true;
	flow->is_lost = false;
}

/* Without exception the branch was taken: the code up to it was executed. */
static enum status take_branch(struct ptm_flow *flow, const struct ptm_packet *packet)
{
	if (packet->has_exception)
		TRY(emit_exception(flow, packet));
	else
		TRY(ptm_walk_atoms(flow, 1, 1, packet));
	if (flow->state != PTM_FLOW_DECODE)
		return STATUS_OK;
	/* What was left by an indirect branch leads to the address. */
	if (packet->has_exception)
		ptm_leave_graph(flow);
	go_to(flow, &packet->known);
	return STATUS_OK;
}

enum status ptm_flow_branch(struct ptm_flow *flow, const struct ptm_known *known, uint64_t index)
{
	static const struct ptm_packet branch = {.type = PTM_BRANCH};

	flow->packet_index = index;
	TRY(ptm_walk_atoms(flow, 1, 1, &branch));
	if (flow->state == PTM_FLOW_DECODE)
		go_to(flow, known);
	return STATUS_OK;
}

static enum status emit_trace_on(struct ptm_flow *flow, const struct ptm_packet *packet)
{
	static const enum trace_on_reason reasons[] = {
	        [PTM_ISYNC_PERIODIC] = TRACE_ON_NORMAL,
	        [PTM_ISYNC_TRACE_ON] = TRACE_ON_NORMAL,
	        [PTM_ISYNC_OVERFLOW] = TRACE_ON_OVERFLOW,
	        [PTM_ISYNC_DEBUG_EXIT] = TRACE_ON_EX_DEBUG,
	};
	struct element *element;

	TRY(ptm_emit(flow, ELEMENT_TRACE_ON, &element));
	element->trace_on = reasons[packet->reason];
	add_cycles(element, packet);
	return STATUS_OK;
}

/* A periodic one tells nothing new, unless it is the first. */
static enum status take_isync(struct ptm_flow *flow, const struct ptm_packet *packet)
{
	bool is_change = flow->needs_isync || packet->reason != PTM_ISYNC_PERIODIC;

	take_place(flow);
	flow->address = packet->known.address;
	flow->isa = packet->known.isa;
	flow->has_address = true;
	flow->is_lost = false;
	flow->needs_isync = false;
	flow->context.security =
	        packet->known.is_non_secure ? SECURITY_NON_SECURE : SECURITY_SECURE;
	if (packet->has_context_id) {
		flow->context.context_id = packet->known.context_id;
		flow->context.has_context_id = true;
	}
	ptm_take_view(flow);
	retstack_flush(&flow->stack);
	if (!is_change)
		return STATUS_OK;
	flow->is_excepted = false;
	TRY(emit_trace_on(flow, packet));
	if (!packet->is_isa_changed && !packet->has_context_id)
		return STATUS_OK;
	flow->shown_isa = flow->isa;
	return emit_context(flow);
}

static enum status take_context_id(struct ptm_flow *flow, uint32_t context_id)
{
	struct pe_context *context = &flow->context;

	if (context->has_context_id && context->context_id == context_id)
		return STATUS_OK;
	context->has_context_id = true;
	context->context_id = context_id;
	return emit_context(flow);
}

static enum status take_vmid(struct ptm_flow *flow, uint8_t vmid)
{
	struct pe_context *context = &flow->context;

	if (context->has_vmid && context->vmid == vmid)
		return STATUS_OK;
	context->has_vmid = true;
	context->vmid = vmid;
	return emit_context(flow);
}

static enum status take_timestamp(struct ptm_flow *flow, const struct ptm_packet *packet)
{
	struct element *element;

	TRY(ptm_emit(flow, ELEMENT_TIMESTAMP, &element));
	element->has_timestamp = true;
	element->timestamp = packet->known.timestamp;
	if (follow_take_time(flow->follow, element->offset, element->timestamp))
		ptm_take_view(flow);
	flow->awaits_time = follow_awaits_time(flow->follow);
	add_cycles(element, packet);
	return STATUS_OK;
}

static enum status take_trigger(struct ptm_flow *flow)
{
	struct element *element;

	TRY(ptm_emit(flow, ELEMENT_EVENT, &element));
	element->event.type = 1;
	return STATUS_OK;
}

static enum status decode(struct ptm_flow *flow, const struct ptm_packet *packet)
{
	struct element *element;

	switch (packet->type) {
	case PTM_BAD_SEQUENCE:
	case PTM_RESERVED:
		return ptm_lose_sync(flow);
	case PTM_ISYNC:
		return take_isync(flow, packet);
	case PTM_BRANCH:
		return take_branch(flow, packet);
	case PTM_WAYPOINT:
		return flow->has_address ? ptm_walk_to(flow, packet->known.address, packet)
		                         : ptm_tell_lost(flow);
	case PTM_ATOM:
		return ptm_walk_atoms(flow, packet->atoms, packet->atom_count, packet);
	case PTM_CONTEXT_ID:
		return take_context_id(flow, packet->known.context_id);
	case PTM_VMID:
		return take_vmid(flow, packet->known.vmid);
	case PTM_TIMESTAMP:
		return take_timestamp(flow, packet);
	case PTM_TRIGGER:
		return take_trigger(flow);
	case PTM_EXCEPTION_RETURN:
		return ptm_emit(flow, ELEMENT_EXCEPTION_RET, &element);
	case PTM_NOT_SYNC:
	case PTM_INCOMPLETE:
	case PTM_ASYNC:
	case PTM_IGNORE:
	case PTM_TYPES:
		break;
	}
	return STATUS_OK;
}

enum status ptm_flow_packet(struct ptm_flow *flow, const struct ptm_packet *packet, uint64_t index)
{
	flow->packet_index = index;
	if (flow->state == PTM_FLOW_NO_SYNC) {
		flow->state = PTM_FLOW_WAIT_ASYNC;
		TRY(ptm_emit_no_sync(flow, NO_SYNC_INIT));
	}
	if (flow->state == PTM_FLOW_WAIT_ASYNC) {
		if (packet->type == PTM_ASYNC)
			flow->state = PTM_FLOW_WAIT_ISYNC;
		return STATUS_OK;
	}
	if (flow->state == PTM_FLOW_WAIT_ISYNC) {
		if (packet->type != PTM_ISYNC)
			return STATUS_OK;
		flow->state = PTM_FLOW_DECODE;
	}
	return decode(flow, packet);
}

enum status ptm_flow_end(struct ptm_flow *flow)
{
	struct element *element;

	TRY(ptm_emit(flow, ELEMENT_EO_TRACE, &element));
	element->no_sync = NO_SYNC_END;
	return STATUS_OK;
}

bool ptm_flow_next_address(const struct ptm_flow *flow, uint64_t *address)
{
	*address = flow->is_excepted ? flow->return_address : flow->address;
	return flow->is_excepted || flow->has_address;
}

void ptm_flow_describe(const struct ptm_flow *flow, struct text *out)
{
	text_printf(out,
	            "state %d needs isync %d address %d lost %d %x %s shown %s awaits time %d\n",
	            (int)flow->state, flow->needs_isync, flow->has_address, flow->is_lost,
	            flow->has_address ? flow->address : 0, isa_name(flow->isa),
	            isa_name(flow->shown_isa), flow->awaits_time);
	text_printf(out, "excepted %d %x view %x\n", flow->is_excepted,
	            flow->is_excepted ? flow->return_address : 0, flow->view);
	pe_context_describe(&flow->context, out);
	retstack_describe(&flow->stack, out);
}
