/* SPDX-License-Identifier: Apache-2.0 */
/* ETMv3 flow: from packets to generic elements. IHI 0014; overview in etm3_flow.h. */
#include "decoder/etm3/etm3_flow.h"

static const struct pe_context no_context = {.security = SECURITY_SECURE, .level = EL_UNKNOWN};

void etm3_flow_init(struct etm3_flow *flow, const struct etm3_config *config,
                    const struct etm_flow_ends *ends)
{
	*flow = (struct etm3_flow){
	        .config = config,
	        .follow = ends->follow,
	        .out = ends->out,
	        .runs = {.follow = ends->follow, .graph = ends->graph, .batches = ends->batches},
	        .state = ETM3_FLOW_NO_SYNC,
	        .reason = NO_SYNC_INIT,
	        .context = no_context,
	        .view = follow_view(ends->follow, &no_context),
	};
}

/* The context may be another now, and with it what is seen of memory. */
static void take_view(struct etm3_flow *flow)
{
	flow->view = follow_view(flow->follow, &flow->context);
	etm3_runs_break(&flow->runs);
}

static enum status emit(struct etm3_flow *flow, enum element_type type, struct element **element)
{
	return etm_queue_add(flow->out, type, flow->packet_index, element);
}

static enum status emit_cycles(struct etm3_flow *flow, enum element_type type, uint32_t cycles)
{
	struct element *element;

	TRY(emit(flow, type, &element));
	element->has_cycles = flow->config->is_cycle_accurate || type == ELEMENT_CYCLE_COUNT;
	element->cycles = cycles;
	return STATUS_OK;
}

/* That of a packet, by which what is seen of memory may change. */
static void set_address(struct etm3_flow *flow, const struct etm3_known *known)
{
	if (follow_take_place(flow->follow, flow->packet_index))
		take_view(flow);
	flow->address = known->address;
	flow->isa = known->isa;
	flow->has_address = true;
	flow->told_unknown = false;
	etm3_runs_jump(&flow->runs);
}

static void lose_address(struct etm3_flow *flow)
{
	flow->has_address = false;
	flow->told_unknown = false;
	etm3_runs_break(&flow->runs);
}

/* A packet that has no meaning: what is in doubt is given up, and the next packet tells it. */
static void lose_sync(struct etm3_flow *flow)
{
	etm_queue_reset(flow->out);
	etm3_runs_drop(&flow->runs);
	lose_address(flow);
	flow->has_last = false;
	flow->is_excepted = false;
	flow->state = ETM3_FLOW_NO_SYNC;
	flow->reason = NO_SYNC_BAD_PACKET;
}

static enum status emit_context(struct etm3_flow *flow, struct element **element)
{
	flow->context.is_context_part = flow->config->context_id_size < sizeof(uint32_t);
	take_view(flow);
	TRY(emit(flow, ELEMENT_PE_CONTEXT, element));
	(*element)->context = flow->context;
	(*element)->isa = flow->runs.graph ? flow->packet_isa : etm_queue_recycled_isa(flow->out);
	return STATUS_OK;
}

static enum status emit_trace_on(struct etm3_flow *flow, enum etm3_isync_reason reason)
{
	static const enum trace_on_reason reasons[] = {
	        [ETM3_ISYNC_PERIODIC] = TRACE_ON_NORMAL,
	        [ETM3_ISYNC_TRACE_ON] = TRACE_ON_NORMAL,
	        [ETM3_ISYNC_OVERFLOW] = TRACE_ON_OVERFLOW,
	        [ETM3_ISYNC_DEBUG_EXIT] = TRACE_ON_EX_DEBUG,
	};
	struct element *element;

	TRY(emit(flow, ELEMENT_TRACE_ON, &element));
	element->trace_on = reasons[reason];
	return STATUS_OK;
}

/* True if the security state or the level is another one now. */
static bool set_state(struct etm3_flow *flow, const struct etm3_known *known)
{
	struct pe_context *context = &flow->context;
	struct pe_context old = *context;

	context->security = known->is_non_secure ? SECURITY_NON_SECURE : SECURITY_SECURE;
	context->level = known->is_hyp ? EL_2 : EL_UNKNOWN;
	return context->security != old.security || context->level != old.level;
}

static enum status take_isync(struct etm3_flow *flow, const struct etm3_packet *packet,
                              bool is_first)
{
	bool is_change = is_first || packet->reason != ETM3_ISYNC_PERIODIC;
	struct element *element;

	if (is_change) {
		flow->is_excepted = false;
		TRY(emit_trace_on(flow, packet->reason));
	}
	if (is_first)
		flow->context = no_context;
	if (packet->has_context_id) {
		flow->context.has_context_id = true;
		flow->context.context_id = packet->known.context_id;
	}
	set_state(flow, &packet->known);
	TRY(emit_context(flow, &element));
	element->isa = packet->known.isa;
	element->has_cycles = packet->has_cycles;
	element->cycles = packet->cycles;
	if (packet->has_address)
		set_address(flow, &packet->known);
	return STATUS_OK;
}

/* What an exception would return to: after what was executed and not cancelled. */
static void note_exception(struct etm3_flow *flow, bool is_cancel)
{
	bool returns_to_last = is_cancel && flow->has_last;

	flow->is_excepted = returns_to_last || flow->has_address;
	flow->return_address = returns_to_last ? flow->last : flow->address;
}

static enum exception_numbering numbering_of(const struct etm3_flow *flow,
                                             const struct etm3_exception *exception)
{
	if (exception->is_old)
		return EXCEPTIONS_ETM3_OLD;
	return flow->config->is_m_profile ? EXCEPTIONS_ETM3_M : EXCEPTIONS_ETM3;
}

/*
 * What note_exception() noted is the preferred return address. It is not of an instruction that
 * faulted and that the trace has as executed, which is returned to (BKPT is a Prefetch Abort, too);
 * and of one that was cancelled before the last address the trace does not say which it was.
 */
static bool knows_return(const struct etm3_flow *flow, const struct etm3_exception *exception)
{
	enum exception_kind kind =
	        exception_kind_of(exception_find(numbering_of(flow, exception), exception->number));

	if (!flow->is_excepted)
		return false;
	if (exception->is_cancel)
		return flow->has_last;
	return !flow->has_last || kind == EXCEPTION_INTERRUPT || kind == EXCEPTION_SYSTEM ||
	       kind == EXCEPTION_DEBUG || kind == EXCEPTION_CALL;
}

static enum status emit_exception(struct etm3_flow *flow, const struct etm3_exception *exception,
                                  bool cancels_last, bool has_return)
{
	struct element *element;

	TRY(emit(flow, ELEMENT_EXCEPTION, &element));
	element->exception.number = exception->number;
	element->exception.info = exception_find(numbering_of(flow, exception), exception->number);
	element->exception.cancels_last = cancels_last;
	element->exception.last_resumes = exception->resume != 0 && !exception->is_cancel;
	element->exception.has_return_address = has_return;
	element->exception.return_is_implied = has_return;
	element->exception.return_address = has_return ? flow->return_address : 0;
	return STATUS_OK;
}

/*
 * An address, and perhaps an exception, which may say that the instruction before was not
 * executed. Where that was given out already, the exception tells.
 */
static enum status take_branch(struct etm3_flow *flow, const struct etm3_packet *packet)
{
	const struct etm3_exception *exception = &packet->exception;
	bool is_exception = packet->has_exception && exception->number != 0;
	bool is_cancel = packet->has_exception && exception->is_cancel;
	bool is_given_out = flow->out->doubtful == 0 && !flow->runs.has_held && flow->has_last;
	bool has_return = false;
	struct element *element;

	if (is_exception) {
		note_exception(flow, is_cancel);
		has_return = knows_return(flow, exception);
		flow->runs.from = GRAPH_NO_NODE;
	}
	if (is_cancel) {
		etm3_runs_drop(&flow->runs);
		etm_queue_cancel(flow->out);
	}
	TRY(etm3_runs_release(&flow->runs));
	etm_queue_doubt(flow->out, 0);
	flow->has_last = false;
	set_address(flow, &packet->known);
	if (packet->has_state && set_state(flow, &packet->known))
		TRY(emit_context(flow, &element));
	return is_exception ? emit_exception(flow, exception, is_cancel && is_given_out, has_return)
	                    : STATUS_OK;
}

/* Cycles that the atom `i` of the packet takes, or with `all` it and those after it. */
static uint32_t atom_cycles(const struct etm3_packet *packet, unsigned int i, bool all)
{
	switch (packet->atoms_format) {
	case ETM3_ATOMS_EACH:
		if (all)
			return packet->atom_count - i;
		return i < packet->atom_count ? 1 : 0;
	case ETM3_ATOMS_FIRST:
		return i == 0 ? 1 : 0;
	case ETM3_ATOMS_LAST:
		return packet->cycles;
	case ETM3_ATOMS_NONE:
		break;
	}
	return 0;
}

/* As the reference decoder lists it: it knows of no third space. */
static enum space listed_space(const struct etm3_flow *flow)
{
	return flow->context.security == SECURITY_SECURE ? SPACE_S : SPACE_N;
}

static enum status emit_range(struct etm3_flow *flow, const struct walk *walk, bool is_executed,
                              uint32_t cycles)
{
	struct element *element;

	TRY(emit_cycles(flow, ELEMENT_INSTR_RANGE, cycles));
	element = &flow->out->items[flow->out->count - 1];
	walk_fill_range(walk, is_executed, element);
	element->range.view = flow->view;
	if (follow_pass_time(flow->follow))
		take_view(flow);
	return STATUS_OK;
}

static enum status emit_no_memory(struct etm3_flow *flow, uint32_t cycles)
{
	struct element *element;

	lose_address(flow);
	TRY(emit_cycles(flow, ELEMENT_ADDR_NACC, cycles));
	element = &flow->out->items[flow->out->count - 1];
	element->nacc.address = flow->address;
	element->nacc.space = listed_space(flow);
	element->nacc.view = flow->view;
	element->nacc.place = follow_place(flow->follow);
	return STATUS_OK;
}

/* Where execution goes on after the instruction. */
static void pass_insn(struct etm3_flow *flow, const struct walk *walk, bool is_executed)
{
	flow->last = flow->address;
	flow->has_last = true;
	flow->address = (uint32_t)walk->end;
	if (!is_executed)
		return;
	flow->isa = walk->last.next_isa;
	if (walk->last.class == INSN_BRANCH)
		flow->address = (uint32_t)walk->last.target;
	if (walk->last.class == INSN_BRANCH_INDIRECT)
		lose_address(flow);
}

/* The instruction was executed, or its condition failed: a run, or an element. */
static enum status give_insn(struct etm3_flow *flow, const struct walk *walk, bool is_executed,
                             uint32_t cycles)
{
	struct etm3_run run = {flow->packet_index, is_executed, flow->config->is_cycle_accurate,
	                       cycles};
	struct etm3_place next = {flow->view, flow->address, flow->isa};

	if (!flow->uses_runs)
		return emit_range(flow, walk, is_executed, cycles);
	TRY(etm3_runs_hold(&flow->runs, run, flow->has_address ? &next : NULL));
	if (follow_pass_time(flow->follow))
		take_view(flow);
	return STATUS_OK;
}

static enum status walk_atom(struct etm3_flow *flow, bool is_executed, uint32_t cycles)
{
	struct etm3_place place = {flow->view, flow->address, flow->isa};
	const struct walk *walk;
	enum status status = flow->uses_runs ? etm3_runs_enter(&flow->runs, place, &walk)
	                                     : follow_insn(flow->follow, place.view, place.isa,
	                                                   place.address, &walk);

	flow->is_excepted = false;
	if (status == STATUS_NO_MEM)
		return status;
	if (status != STATUS_OK)
		TRY(etm3_runs_release(&flow->runs));
	if (status == STATUS_UNSUPPORTED) {
		lose_address(flow);
		flow->told_unknown = true;
		return emit_cycles(flow, ELEMENT_ADDR_UNKNOWN, cycles);
	}
	if (walk->count == 0)
		return emit_no_memory(flow, cycles);
	pass_insn(flow, walk, is_executed);
	return give_insn(flow, walk, is_executed, cycles);
}

/* Atoms without an address: that they are not known is told once, their cycles always. */
static enum status emit_unknown(struct etm3_flow *flow, const struct etm3_packet *packet,
                                unsigned int atom)
{
	bool is_told = flow->told_unknown || atom >= packet->atom_count;

	if (flow->told_unknown && !flow->config->is_cycle_accurate)
		return STATUS_OK;
	if (packet->atom_count == 0 && !flow->config->is_cycle_accurate)
		return STATUS_OK;
	TRY(etm3_runs_release(&flow->runs));
	flow->told_unknown = true;
	return emit_cycles(flow, is_told ? ELEMENT_CYCLE_COUNT : ELEMENT_ADDR_UNKNOWN,
	                   atom_cycles(packet, atom, true));
}

static enum status take_p_header(struct etm3_flow *flow, const struct etm3_packet *packet)
{
	unsigned int i = 0;

	do {
		if (!flow->has_address) {
			TRY(emit_unknown(flow, packet, i));
			break;
		}
		if (packet->atom_count > 0)
			TRY(walk_atom(flow, (packet->atoms >> i & 1) != 0,
			              atom_cycles(packet, i, false)));
		else if (flow->config->is_cycle_accurate)
			TRY(emit_cycles(flow, ELEMENT_CYCLE_COUNT, atom_cycles(packet, i, false)));
	} while (++i < packet->atom_count);
	if (flow->runs.graph)
		return etm3_runs_end_packet(&flow->runs);
	if (etm_queue_count(flow->out) > 0 &&
	    etm_queue_newest(flow->out, 0)->type == ELEMENT_INSTR_RANGE)
		etm_queue_doubt(flow->out, 1);
	return STATUS_OK;
}

static enum status take_context_id(struct etm3_flow *flow, const struct etm3_known *known)
{
	struct element *element;

	flow->context.has_context_id = true;
	flow->context.context_id = known->context_id;
	return emit_context(flow, &element);
}

static enum status take_vmid(struct etm3_flow *flow, const struct etm3_known *known)
{
	struct element *element;

	flow->context.has_vmid = true;
	flow->context.vmid = known->vmid;
	return emit_context(flow, &element);
}

static enum status take_timestamp(struct etm3_flow *flow, const struct etm3_known *known)
{
	struct element *element;

	TRY(emit(flow, ELEMENT_TIMESTAMP, &element));
	element->has_timestamp = true;
	element->timestamp = known->timestamp;
	if (follow_take_time(flow->follow, element->offset, element->timestamp))
		take_view(flow);
	return STATUS_OK;
}

static enum status take_trigger(struct etm3_flow *flow)
{
	struct element *element;

	TRY(emit(flow, ELEMENT_EVENT, &element));
	element->event.type = 1;
	return STATUS_OK;
}

/* M profile: the trace of an exception's data begins. */
static enum status take_exception_entry(struct etm3_flow *flow)
{
	struct element *element;

	TRY(emit(flow, ELEMENT_EXCEPTION, &element));
	element->exception.is_data_marker = true;
	return STATUS_OK;
}

/* Not certain yet, and in A and R profile neither is the instruction that it belongs to. */
static enum status take_exception_return(struct etm3_flow *flow)
{
	struct element *element;
	size_t doubt = 1;

	TRY(emit(flow, ELEMENT_EXCEPTION_RET, &element));
	if (!flow->config->is_m_profile && etm_queue_count(flow->out) > 1 &&
	    etm_queue_newest(flow->out, 1)->type == ELEMENT_INSTR_RANGE)
		doubt = 2;
	etm_queue_doubt(flow->out, doubt);
	return STATUS_OK;
}

/* A packet cut by the end of trace: OpenCSD takes what was known before for what it says. */
static enum status take_incomplete(struct etm3_flow *flow, const struct etm3_packet *packet)
{
	const struct etm3_known *known = &packet->known;
	struct element *element;

	if (packet->meant == ETM3_TIMESTAMP && known->has_timestamp)
		return take_timestamp(flow, known);
	if ((packet->meant == ETM3_CONTEXT_ID && flow->context.has_context_id) ||
	    (packet->meant == ETM3_VMID && flow->context.has_vmid))
		return emit_context(flow, &element);
	return STATUS_OK;
}

static enum data_kind data_kind_of(enum etm3_type type)
{
	switch ((int)type) {
	case ETM3_OOO_PLACE:
		return DATA_PLACE;
	case ETM3_OOO_DATA:
		return DATA_LATE;
	case ETM3_VALUE_NOT_TRACED:
		return DATA_NOT_TRACED;
	case ETM3_STORE_FAIL:
		return DATA_STORE_FAILED;
	case ETM3_DATA_SUPPRESSED:
		return DATA_SUPPRESSED;
	default:
		return DATA_TRANSFER;
	}
}

/* An address whose upper bits the trace has not said yet is none. */
static enum status take_data(struct etm3_flow *flow, const struct etm3_packet *packet)
{
	const struct etm3_known *known = &packet->known;
	struct element *element;

	TRY(emit(flow, ELEMENT_DATA, &element));
	element->data = (struct data_trace){
	        .kind = data_kind_of(packet->type),
	        .tag = packet->tag,
	        .has_address = packet->has_address && known->data_bits == 32,
	        .has_value = packet->has_value,
	        .is_big_endian = known->is_big_endian,
	        .address = known->data_address,
	        .value = packet->value,
	};
	return STATUS_OK;
}

/* A run that an exception return may be cancelled with is an element before that. */
static enum status give_held(struct etm3_flow *flow)
{
	struct atom_batch held = flow->runs.held;

	if (!flow->runs.has_held)
		return STATUS_OK;
	etm3_runs_drop(&flow->runs);
	return emit_range(flow, &flow->runs.graph->nodes[held.first].walk, held.atoms != 0,
	                  flow->runs.held_cycles);
}

/* What the packet before left in doubt, if it is not this one that decides. */
static enum status end_doubt(struct etm3_flow *flow, const struct etm3_packet *packet)
{
	flow->runs.queued = flow->runs.has_held || flow->runs.was_in_doubt;
	flow->runs.was_in_doubt = false;
	switch ((int)packet->type) {
	case ETM3_BRANCH:
		return STATUS_OK;
	case ETM3_NOT_SYNC:
	case ETM3_BAD_SEQUENCE:
	case ETM3_BAD_MODE:
	case ETM3_RESERVED:
		break;
	case ETM3_EXCEPTION_RETURN:
		if (!flow->config->is_m_profile)
			TRY(give_held(flow));
		break;
	case ETM3_P_HEADER:
		/* One that says nothing decides nothing. */
		if (packet->atom_count > 0 || flow->config->is_cycle_accurate)
			TRY(etm3_runs_release(&flow->runs));
		break;
	default:
		TRY(etm3_runs_release(&flow->runs));
		break;
	}
	etm_queue_doubt(flow->out, 0);
	return STATUS_OK;
}

static enum status decode(struct etm3_flow *flow, const struct etm3_packet *packet)
{
	TRY(end_doubt(flow, packet));
	switch ((int)packet->type) {
	case ETM3_NOT_SYNC:
	case ETM3_BAD_SEQUENCE:
	case ETM3_BAD_MODE:
	case ETM3_RESERVED:
		lose_sync(flow);
		return STATUS_OK;
	case ETM3_INCOMPLETE:
		return take_incomplete(flow, packet);
	case ETM3_CYCLE_COUNT:
		return emit_cycles(flow, ELEMENT_CYCLE_COUNT, packet->cycles);
	case ETM3_TRIGGER:
		return take_trigger(flow);
	case ETM3_BRANCH:
		return take_branch(flow, packet);
	case ETM3_ISYNC:
	case ETM3_ISYNC_CYCLES:
		return take_isync(flow, packet, false);
	case ETM3_P_HEADER:
		return take_p_header(flow, packet);
	case ETM3_CONTEXT_ID:
		return take_context_id(flow, &packet->known);
	case ETM3_VMID:
		return take_vmid(flow, &packet->known);
	case ETM3_EXCEPTION_ENTRY:
		return take_exception_entry(flow);
	case ETM3_EXCEPTION_RETURN:
		return take_exception_return(flow);
	case ETM3_TIMESTAMP:
		return take_timestamp(flow, &packet->known);
	case ETM3_DATA:
	case ETM3_OOO_PLACE:
	case ETM3_OOO_DATA:
	case ETM3_VALUE_NOT_TRACED:
	case ETM3_STORE_FAIL:
	case ETM3_DATA_SUPPRESSED:
		return take_data(flow, packet);
	default:
		/* A-Sync, ignore. */
		return STATUS_OK;
	}
}

/* Packets that have a meaning before the first I-Sync. */
static bool is_valid_early(const struct etm3_flow *flow, enum etm3_type type)
{
	if (type == ETM3_TIMESTAMP)
		return true;
	return flow->config->is_cycle_accurate &&
	       (type == ETM3_CYCLE_COUNT || type == ETM3_P_HEADER);
}

static enum status wait_isync(struct etm3_flow *flow, const struct etm3_packet *packet)
{
	if (packet->type == ETM3_ISYNC || packet->type == ETM3_ISYNC_CYCLES) {
		flow->state = ETM3_FLOW_DECODE;
		return take_isync(flow, packet, true);
	}
	return is_valid_early(flow, packet->type) ? decode(flow, packet) : STATUS_OK;
}

static enum status tell_no_sync(struct etm3_flow *flow)
{
	struct element *element;

	flow->state = ETM3_FLOW_WAIT_ASYNC;
	TRY(emit(flow, ELEMENT_NO_SYNC, &element));
	element->no_sync = flow->reason;
	return STATUS_OK;
}

enum status etm3_flow_packet(struct etm3_flow *flow, const struct etm3_packet *packet,
                             uint64_t index)
{
	flow->packet_index = index;
	flow->packet_isa = packet->known.isa;
	/* What comes after an element in doubt is an element, too. */
	flow->uses_runs = flow->runs.graph && etm_queue_count(flow->out) == 0;
	if (!flow->uses_runs)
		etm3_runs_break(&flow->runs);
	if (flow->state == ETM3_FLOW_NO_SYNC)
		TRY(tell_no_sync(flow));
	if (flow->state == ETM3_FLOW_WAIT_ASYNC) {
		if (packet->type == ETM3_ASYNC)
			flow->state = ETM3_FLOW_WAIT_ISYNC;
		return STATUS_OK;
	}
	if (flow->state == ETM3_FLOW_WAIT_ISYNC)
		return wait_isync(flow, packet);
	return decode(flow, packet);
}

enum status etm3_flow_end(struct etm3_flow *flow)
{
	struct element *element;

	TRY(etm3_runs_release(&flow->runs));
	etm_queue_doubt(flow->out, 0);
	TRY(emit(flow, ELEMENT_EO_TRACE, &element));
	element->no_sync = NO_SYNC_END;
	return STATUS_OK;
}

bool etm3_flow_next_address(const struct etm3_flow *flow, uint64_t *address)
{
	*address = flow->is_excepted ? flow->return_address : flow->address;
	return flow->is_excepted || flow->has_address;
}

void etm3_flow_describe(const struct etm3_flow *flow, struct text *out)
{
	text_printf(out, "state %d address %d %x isa %d told unknown %d last %d %x\n",
	            (int)flow->state, flow->has_address, flow->has_address ? flow->address : 0,
	            flow->has_address ? (int)flow->isa : 0, flow->told_unknown, flow->has_last,
	            flow->has_last ? flow->last : 0);
	text_printf(out, "excepted %d %x view %x held %d in doubt %d\n", flow->is_excepted,
	            flow->is_excepted ? flow->return_address : 0, flow->view, flow->runs.has_held,
	            flow->runs.was_in_doubt);
	pe_context_describe(&flow->context, out);
}
