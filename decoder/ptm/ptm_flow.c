/* SPDX-License-Identifier: Apache-2.0 */
/* PTM flow: from packets to generic elements. PFT IHI 0035; overview in ptm_flow.h. */
#include "decoder/ptm/ptm_flow.h"

void ptm_flow_init(struct ptm_flow *flow, const struct ptm_config *config, struct follow *follow,
                   struct etm_queue *out)
{
	*flow = (struct ptm_flow){
	        .config = config,
	        .follow = follow,
	        .out = out,
	        .state = PTM_FLOW_NO_SYNC,
	        .needs_isync = true,
	        .context = {.security = SECURITY_SECURE, .level = EL_UNKNOWN},
	};
	flow->view = follow_view(follow, &flow->context);
	flow->context.is_context_part = config->context_id_size < sizeof(uint32_t);
	retstack_init(&flow->stack, config->has_return_stack);
}

static enum status emit(struct ptm_flow *flow, enum element_type type, struct element **element)
{
	return etm_queue_add(flow->out, type, flow->packet_index, element);
}

static void add_cycles(struct element *element, const struct ptm_packet *packet)
{
	element->has_cycles = packet->has_cycles;
	element->cycles = packet->has_cycles ? packet->cycles : 0;
}

static enum status emit_no_sync(struct ptm_flow *flow, enum no_sync_reason reason)
{
	struct element *element;

	TRY(emit(flow, ELEMENT_NO_SYNC, &element));
	element->no_sync = reason;
	return STATUS_OK;
}

/* A packet that has no meaning, or contradicts the code: nothing holds until the next I-Sync. */
static enum status lose_sync(struct ptm_flow *flow)
{
	flow->state = PTM_FLOW_WAIT_ASYNC;
	flow->needs_isync = true;
	flow->has_address = false;
	flow->is_excepted = false;
	return emit_no_sync(flow, NO_SYNC_BAD_PACKET);
}

static enum status emit_context(struct ptm_flow *flow)
{
	struct element *element;

	flow->view = follow_view(flow->follow, &flow->context);
	TRY(emit(flow, ELEMENT_PE_CONTEXT, &element));
	element->context = flow->context;
	element->isa = flow->shown_isa;
	return STATUS_OK;
}

/* As the reference decoder lists it: it knows of no third space. */
static enum space listed_space(const struct ptm_flow *flow)
{
	return flow->context.security == SECURITY_SECURE ? SPACE_S : SPACE_N;
}

static enum status emit_range(struct ptm_flow *flow, const struct walk *walk, bool is_executed,
                              const struct ptm_packet *packet)
{
	struct element *element;

	TRY(emit(flow, ELEMENT_INSTR_RANGE, &element));
	walk_fill_range(walk, is_executed, element);
	element->range.view = flow->view;
	if (packet)
		add_cycles(element, packet);
	flow->shown_isa = walk->isa;
	return STATUS_OK;
}

/* No opcode at the end of the walk: what was walked before, and that it goes no further. */
static enum status emit_no_memory(struct ptm_flow *flow, const struct walk *walk)
{
	struct element *element;

	flow->has_address = false;
	if (walk->count > 0)
		TRY(emit_range(flow, walk, true, NULL));
	TRY(emit(flow, ELEMENT_ADDR_NACC, &element));
	element->nacc.address = walk->end;
	element->nacc.space = listed_space(flow);
	element->nacc.view = flow->view;
	element->nacc.place = follow_place(flow->follow);
	return STATUS_OK;
}

/* An instruction set that no classifier knows: execution is lost until the next address. */
static enum status emit_unknown(struct ptm_flow *flow)
{
	struct element *element;

	flow->has_address = false;
	return emit(flow, ELEMENT_ADDR_UNKNOWN, &element);
}

/*
 * An indirect branch was taken. Its target is in the packet that said so, or, for an atom, on the
 * return stack.
 */
static enum status take_indirect(struct ptm_flow *flow, bool is_atom, enum isa *next_isa)
{
	uint64_t address;

	flow->has_address = false;
	if (!is_atom || !flow->stack.is_active)
		return STATUS_OK;
	TRY(retstack_pop(&flow->stack, &address, next_isa));
	flow->address = (uint32_t)address;
	flow->has_address = true;
	return STATUS_OK;
}

/* The waypoint at the end of the walk: where execution goes on. BAD_DATA if it cannot be. */
static enum status pass_waypoint(struct ptm_flow *flow, const struct walk *walk, bool is_taken,
                                 bool is_atom)
{
	const struct insn *last = &walk->last;
	enum isa next_isa = last->next_isa;

	flow->address = (uint32_t)walk->end;
	if (!is_taken)
		return STATUS_OK;
	if (last->class == INSN_BRANCH)
		flow->address = (uint32_t)last->target;
	if (last->class == INSN_BRANCH_INDIRECT)
		TRY(take_indirect(flow, is_atom, &next_isa));
	if (last->is_link)
		retstack_push(&flow->stack, walk->end, walk->isa);
	flow->isa = next_isa;
	return STATUS_OK;
}

/* What the code leads through on the way to a waypoint, and that it does not lead there. */
static enum status emit_unreached(struct ptm_flow *flow, const struct walk *walk, uint32_t stop)
{
	struct element *element;

	flow->has_address = false;
	if (walk->count > 0)
		TRY(emit_range(flow, walk, true, NULL));
	TRY(emit(flow, ELEMENT_I_RANGE_NOPATH, &element));
	element->isa = walk->isa;
	element->range.start = walk->end;
	element->range.end = stop;
	element->range.is_unreached = true;
	return STATUS_OK;
}

/* The first waypoint after a timestamp was passed. */
static void pass_time(struct ptm_flow *flow)
{
	flow->awaits_time = false;
	if (follow_pass_time(flow->follow))
		flow->view = follow_view(flow->follow, &flow->context);
}

static enum status end_walk(struct ptm_flow *flow, const struct walk *walk, enum status status,
                            bool is_taken, const struct ptm_packet *packet)
{
	if (status == STATUS_UNSUPPORTED)
		return emit_unknown(flow);
	if (status == STATUS_NO_MEMORY_AT)
		return emit_no_memory(flow, walk);
	if (status == STATUS_OK)
		status = pass_waypoint(flow, walk, is_taken, packet->type == PTM_ATOM);
	if (status == STATUS_BAD_DATA)
		return lose_sync(flow);
	TRY(status);
	TRY(emit_range(flow, walk, is_taken, packet));
	if (flow->awaits_time)
		pass_time(flow);
	return STATUS_OK;
}

/* Execution up to the next waypoint. */
static enum status walk_to_waypoint(struct ptm_flow *flow, bool is_taken,
                                    const struct ptm_packet *packet)
{
	struct walk walk;
	enum status status;

	flow->is_excepted = false;
	status = follow_to_waypoint(flow->follow, flow->view, flow->isa, flow->address, &walk);
	return end_walk(flow, &walk, status, is_taken, packet);
}

/*
 * Execution up to the waypoint at `stop`, through others that the trace did not tell of: it is
 * sent where an exception follows, and from time to time.
 */
static enum status walk_through(struct ptm_flow *flow, uint32_t stop, struct walk *walk)
{
	enum status status;
	struct walk part;

	*walk = (struct walk){.start = flow->address, .end = flow->address, .isa = flow->isa};
	do {
		status = follow_to_address(flow->follow, flow->view, flow->isa, walk->end,
		                           (struct follow_limit){stop, true}, &part);
		if (status == STATUS_NO_MEM || status == STATUS_UNSUPPORTED)
			return status;
		walk_append(walk, &part);
		if (status == STATUS_OK && walk->end - walk->last.size == stop)
			return STATUS_OK;
	} while (status == STATUS_OK && walk->count < FOLLOW_LIMIT);
	return status == STATUS_OK ? STATUS_BAD_DATA : status;
}

/* The same, as far as execution can have come: the waypoint is the first one from here on. */
static enum status walk_certain(struct ptm_flow *flow, uint32_t stop, struct walk *walk)
{
	struct walk last;

	*walk = (struct walk){.start = flow->address, .end = flow->address, .isa = flow->isa};
	if (stop < flow->address)
		return STATUS_NOT_FOUND;
	TRY(follow_certain(flow->follow, flow->view, flow->isa, flow->address, stop, walk));
	TRY(follow_to_address(flow->follow, flow->view, flow->isa, stop,
	                      (struct follow_limit){stop, true}, &last));
	walk_append(walk, &last);
	return STATUS_OK;
}

static enum status take_waypoint(struct ptm_flow *flow, const struct ptm_packet *packet)
{
	uint32_t stop = packet->known.address;
	struct walk walk;
	enum status status;

	if (!flow->has_address)
		return STATUS_OK;
	flow->is_excepted = false;
	if (flow->keeps_to_code)
		status = walk_certain(flow, stop, &walk);
	else
		status = walk_through(flow, stop, &walk);
	if (status == STATUS_NOT_FOUND)
		return emit_unreached(flow, &walk, stop);
	return end_walk(flow, &walk, status, true, packet);
}

static enum status take_atoms(struct ptm_flow *flow, const struct ptm_packet *packet)
{
	for (unsigned int i = 0; i < packet->atom_count && flow->has_address; i++)
		TRY(walk_to_waypoint(flow, (packet->atoms >> i & 1) != 0, packet));
	return STATUS_OK;
}

static enum status emit_exception(struct ptm_flow *flow, const struct ptm_packet *packet)
{
	struct element *element;

	TRY(emit(flow, ELEMENT_EXCEPTION, &element));
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
		flow->view = follow_view(flow->follow, &flow->context);
}

/* Without exception the branch was taken: the code up to it was executed. */
static enum status take_branch(struct ptm_flow *flow, const struct ptm_packet *packet)
{
	if (packet->has_exception)
		TRY(emit_exception(flow, packet));
	else if (flow->has_address)
		TRY(walk_to_waypoint(flow, true, packet));
	if (flow->state != PTM_FLOW_DECODE)
		return STATUS_OK;
	take_place(flow);
	flow->isa = packet->known.isa;
	flow->address = packet->known.address;
	flow->has_address = true;
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

	TRY(emit(flow, ELEMENT_TRACE_ON, &element));
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
	flow->needs_isync = false;
	flow->context.security =
	        packet->known.is_non_secure ? SECURITY_NON_SECURE : SECURITY_SECURE;
	if (packet->has_context_id) {
		flow->context.context_id = packet->known.context_id;
		flow->context.has_context_id = true;
	}
	flow->view = follow_view(flow->follow, &flow->context);
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

	TRY(emit(flow, ELEMENT_TIMESTAMP, &element));
	element->has_timestamp = true;
	element->timestamp = packet->known.timestamp;
	if (follow_take_time(flow->follow, element->offset, element->timestamp))
		flow->view = follow_view(flow->follow, &flow->context);
	flow->awaits_time = follow_awaits_time(flow->follow);
	add_cycles(element, packet);
	return STATUS_OK;
}

static enum status take_trigger(struct ptm_flow *flow)
{
	struct element *element;

	TRY(emit(flow, ELEMENT_EVENT, &element));
	element->event.type = 1;
	return STATUS_OK;
}

static enum status decode(struct ptm_flow *flow, const struct ptm_packet *packet)
{
	struct element *element;

	switch (packet->type) {
	case PTM_BAD_SEQUENCE:
	case PTM_RESERVED:
		return lose_sync(flow);
	case PTM_ISYNC:
		return take_isync(flow, packet);
	case PTM_BRANCH:
		return take_branch(flow, packet);
	case PTM_WAYPOINT:
		return take_waypoint(flow, packet);
	case PTM_ATOM:
		return take_atoms(flow, packet);
	case PTM_CONTEXT_ID:
		return take_context_id(flow, packet->known.context_id);
	case PTM_VMID:
		return take_vmid(flow, packet->known.vmid);
	case PTM_TIMESTAMP:
		return take_timestamp(flow, packet);
	case PTM_TRIGGER:
		return take_trigger(flow);
	case PTM_EXCEPTION_RETURN:
		return emit(flow, ELEMENT_EXCEPTION_RET, &element);
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
		TRY(emit_no_sync(flow, NO_SYNC_INIT));
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

	TRY(emit(flow, ELEMENT_EO_TRACE, &element));
	element->no_sync = NO_SYNC_END;
	return STATUS_OK;
}

bool ptm_flow_next_address(const struct ptm_flow *flow, uint64_t *address)
{
	*address = flow->is_excepted ? flow->return_address : flow->address;
	return flow->is_excepted || flow->has_address;
}
