/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ETMv4 flow, first part: synchronisation, and from a packet to entries of the P0 queue.
 * IHI 0064, "Instruction trace elements"; overview in etm4_flow.h.
 */
#include "decoder/etm4/etm4_flow.h"

#include <stdlib.h>

#include "base/vec.h"

void etm4_flow_init(struct etm4_flow *flow, const struct etm4_config *config, struct follow *follow,
                    struct graph *graph)
{
	*flow = (struct etm4_flow){
	        .config = config,
	        .follow = follow,
	        .graph = graph,
	        .state = FLOW_NO_SYNC,
	        .reason = NO_SYNC_INIT,
	        .isa = ISA_A32,
	        .needs_address = true,
	        .is_lost = true,
	        .needs_context = true,
	        .is_secure = true,
	        .view = SPACE_S,
	};
	retstack_init(&flow->stack, config->has_return_stack);
}

void etm4_flow_fini(struct etm4_flow *flow)
{
	p0_fini(&flow->queue);
	free(flow->out);
	batch_list_fini(&flow->batches);
	flow->out = NULL;
}

/* The packet is of use only as a sign that decoding is out of step. */
static bool is_bad(enum etm4_type type)
{
	return type == ETM4_INCOMPLETE || type == ETM4_BAD_SEQUENCE || type == ETM4_RESERVED ||
	       type == ETM4_RESERVED_CONFIG || type == ETM4_NOT_SYNC || type == ETM4_EXTENSION;
}

/* The P0 element that was waiting for an address is whole now. */
static void address_came(struct etm4_flow *flow)
{
	if (flow->awaits_address)
		flow->depth++;
	flow->awaits_address = false;
}

static enum status push_address(struct etm4_flow *flow, const struct etm4_packet *packet)
{
	struct p0 item;

	if (etm4_flow_is_immediate(flow)) {
		flow_take_place(flow, flow->packet_index);
		flow_take_address(flow, packet->address.value, packet->address.isa);
		return STATUS_OK;
	}
	item = (struct p0){.kind = P0_ADDRESS,
	                   .index = flow->packet_index,
	                   .address = packet->address.value,
	                   .isa = packet->address.isa};
	address_came(flow);
	return p0_push(&flow->queue, &item);
}

static enum status push_context(struct etm4_flow *flow, const struct etm4_packet *packet,
                                bool has_address)
{
	struct p0 item = {.kind = P0_CONTEXT,
	                  .index = flow->packet_index,
	                  .context = packet->context,
	                  .has_address = has_address,
	                  .isa = packet->address.isa};

	return p0_push(&flow->queue, &item);
}

/* The context is in force where the address is: an exception's return address has it already. */
static enum status push_address_context(struct etm4_flow *flow, const struct etm4_packet *packet)
{
	TRY(push_context(flow, packet, true));
	return push_address(flow, packet);
}

static enum status push_atoms(struct etm4_flow *flow, const struct etm4_packet *packet)
{
	struct p0 item = {.kind = P0_ATOMS,
	                  .is_p0 = true,
	                  .index = flow->packet_index,
	                  .count = packet->atom_count,
	                  .atoms = packet->atoms};

	if (packet->atom_count == 0)
		return STATUS_OK;
	if (etm4_flow_is_immediate(flow))
		return flow_run_atoms(flow, packet->atoms, packet->atom_count, flow->packet_index);
	flow->depth += packet->atom_count;
	return p0_push(&flow->queue, &item);
}

static enum status push_plain(struct etm4_flow *flow, enum p0_kind kind, uint32_t value)
{
	struct p0 item = {.kind = kind, .index = flow->packet_index, .value = value};

	return p0_push(&flow->queue, &item);
}

static enum status push_p0(struct etm4_flow *flow, enum p0_kind kind, uint32_t count)
{
	struct p0 item = {.kind = kind, .is_p0 = true, .count = count, .index = flow->packet_index};

	flow->depth += count;
	return p0_push(&flow->queue, &item);
}

static enum status push_exception(struct etm4_flow *flow, const struct etm4_packet *packet)
{
	struct p0 item = {.kind = P0_EXCEPTION,
	                  .is_p0 = true,
	                  .index = flow->packet_index,
	                  .value = packet->exception.type,
	                  .is_target = packet->exception.address_follows == 2};

	flow->awaits_address = true;
	return p0_push(&flow->queue, &item);
}

/* ETE: no address follows, and where execution went on does not follow from it either. */
static enum status push_reset(struct etm4_flow *flow, const struct etm4_packet *packet)
{
	struct p0 item = {.kind = P0_EXCEPTION,
	                  .is_p0 = true,
	                  .index = flow->packet_index,
	                  .value = packet->exception.type,
	                  .is_reset = true};

	flow->depth++;
	return p0_push(&flow->queue, &item);
}

static enum status push_source(struct etm4_flow *flow, const struct etm4_packet *packet)
{
	struct p0 item = {.kind = P0_SOURCE,
	                  .is_p0 = true,
	                  .index = flow->packet_index,
	                  .address = packet->address.value};

	flow->depth++;
	return p0_push(&flow->queue, &item);
}

static enum status push_transaction_start(struct etm4_flow *flow)
{
	return flow->config->transaction_is_p0 ? push_p0(flow, P0_TRANSACTION_START, 1)
	                                       : push_plain(flow, P0_TRANSACTION_START, 0);
}

static enum status push_instrumentation(struct etm4_flow *flow, const struct etm4_packet *packet)
{
	struct p0 item = {.kind = P0_INSTRUMENTATION,
	                  .index = flow->packet_index,
	                  .level = packet->instrumentation.level,
	                  .address = packet->instrumentation.value};

	return p0_push(&flow->queue, &item);
}

static enum status push_timestamp(struct etm4_flow *flow, const struct etm4_packet *packet)
{
	struct p0 item = {.kind = P0_TIMESTAMP,
	                  .index = flow->packet_index,
	                  .address = packet->timestamp,
	                  .has_cycles = flow->config->has_cycle_count,
	                  .value = packet->has_cycles ? packet->cycles : 0};

	return p0_push(&flow->queue, &item);
}

static enum status push_q(struct etm4_flow *flow, const struct etm4_packet *packet)
{
	struct p0 item = {.kind = P0_Q,
	                  .is_p0 = true,
	                  .index = flow->packet_index,
	                  .count = packet->count,
	                  .has_address = packet->has_address,
	                  .address = packet->address.value,
	                  .isa = packet->address.isa};

	if (packet->has_address)
		flow->depth++;
	else
		flow->awaits_address = true;
	return p0_push(&flow->queue, &item);
}

static enum status push_exception_return(struct etm4_flow *flow)
{
	return flow->config->is_m_profile ? push_p0(flow, P0_EXCEPTION_RETURN, 1)
	                                  : push_plain(flow, P0_EXCEPTION_RETURN, 0);
}

static enum status cancel(struct etm4_flow *flow, const struct etm4_packet *packet)
{
	flow->cancel = packet->cancel;
	if (packet->type == ETM4_CANCEL_F1)
		return STATUS_OK;
	flow->mispredict = true;
	return push_atoms(flow, packet);
}

/* The same as take(), of packets that ETMv4 has not. */
static enum status take_ete(struct etm4_flow *flow, const struct etm4_packet *packet)
{
	switch ((int)packet->type) {
	case ETM4_PE_RESET:
		return push_reset(flow, packet);
	case ETM4_SOURCE_MATCH:
	case ETM4_SOURCE_SHORT_IS0:
	case ETM4_SOURCE_SHORT_IS1:
	case ETM4_SOURCE_32_IS0:
	case ETM4_SOURCE_32_IS1:
	case ETM4_SOURCE_64_IS0:
	case ETM4_SOURCE_64_IS1:
		return push_source(flow, packet);
	case ETM4_TRANSACTION_START:
		return push_transaction_start(flow);
	case ETM4_TRANSACTION_COMMIT:
		return push_plain(flow, P0_TRANSACTION_COMMIT, 0);
	case ETM4_TRANSACTION_FAIL:
		return push_plain(flow, P0_TRANSACTION_FAIL, 0);
	case ETM4_INSTRUMENTATION:
		return push_instrumentation(flow, packet);
	default:
		/* A-Sync, ignore; conditional instructions, which do not change the flow. */
		return STATUS_OK;
	}
}

/* What a packet says of the entries that are in the queue. */
static enum status resolve(struct etm4_flow *flow, const struct etm4_packet *packet)
{
	switch ((int)packet->type) {
	case ETM4_CYCLES_F1:
	case ETM4_CYCLES_F2:
	case ETM4_CYCLES_F3:
		flow->commit = packet->commit;
		return push_plain(flow, P0_CYCLES, packet->cycles);
	case ETM4_COMMIT:
		flow->commit = packet->commit;
		return STATUS_OK;
	case ETM4_CANCEL_F1:
	case ETM4_CANCEL_F1_MISPREDICT:
	case ETM4_CANCEL_F2:
	case ETM4_CANCEL_F3:
	case ETM4_MISPREDICT:
		return cancel(flow, packet);
	case ETM4_OVERFLOW:
		flow->had_overflow = true;
		flow->discard = true;
		flow->depth = 0;
		return STATUS_OK;
	case ETM4_DISCARD:
		flow->discard = true;
		flow->depth = 0;
		return STATUS_OK;
	default:
		return take_ete(flow, packet);
	}
}

/* Entries of the queue for a packet, and what it says of those before. */
static enum status take(struct etm4_flow *flow, const struct etm4_packet *packet)
{
	switch ((int)packet->type) {
	case ETM4_ATOM_F1:
	case ETM4_ATOM_F2:
	case ETM4_ATOM_F3:
	case ETM4_ATOM_F4:
	case ETM4_ATOM_F5:
	case ETM4_ATOM_F6:
		return push_atoms(flow, packet);
	case ETM4_TRACE_INFO:
		return push_plain(flow, P0_TRACE_INFO, 0);
	case ETM4_TRACE_ON:
		return push_plain(flow, P0_TRACE_ON, 0);
	case ETM4_CONTEXT:
		return push_context(flow, packet, false);
	case ETM4_ADDRESS_CONTEXT_32_IS0:
	case ETM4_ADDRESS_CONTEXT_32_IS1:
	case ETM4_ADDRESS_CONTEXT_64_IS0:
	case ETM4_ADDRESS_CONTEXT_64_IS1:
		return push_address_context(flow, packet);
	case ETM4_ADDRESS_MATCH:
	case ETM4_ADDRESS_SHORT_IS0:
	case ETM4_ADDRESS_SHORT_IS1:
	case ETM4_ADDRESS_32_IS0:
	case ETM4_ADDRESS_32_IS1:
	case ETM4_ADDRESS_64_IS0:
	case ETM4_ADDRESS_64_IS1:
		return push_address(flow, packet);
	case ETM4_EXCEPTION:
		return push_exception(flow, packet);
	case ETM4_EXCEPTION_RETURN:
		return push_exception_return(flow);
	case ETM4_FUNCTION_RETURN:
		return push_p0(flow, P0_FUNCTION_RETURN, 1);
	case ETM4_EVENT:
		return push_plain(flow, P0_EVENT, packet->number);
	case ETM4_TIMESTAMP:
		return push_timestamp(flow, packet);
	case ETM4_TIMESTAMP_MARKER:
		return push_plain(flow, P0_MARKER, 0);
	case ETM4_Q:
		return push_q(flow, packet);
	default:
		return resolve(flow, packet);
	}
}

/* The first trace info packet after an A-Sync: from here on packets have a meaning. */
static enum status begin(struct etm4_flow *flow, const struct etm4_trace_info *info)
{
	retstack_flush(&flow->stack);
	flow->state = FLOW_DECODE;
	flow->depth = 0;
	if (info->speculation > 0)
		TRY(push_p0(flow, P0_UNSEEN, info->speculation));
	TRY(push_plain(flow, P0_TRACE_INFO, 0));
	if (!(info->info & TRACE_INFO_IN_TRANSACTION))
		return STATUS_OK;
	return push_plain(flow, P0_TRANSACTION_INIT, 0);
}

static enum status decode(struct etm4_flow *flow, const struct etm4_packet *packet)
{
	if (is_bad(packet->type))
		return STATUS_BAD_DATA;
	TRY(take(flow, packet));
	if (flow->depth > flow->config->max_speculation)
		flow->commit = flow->depth - flow->config->max_speculation;
	if (flow->commit > 0 || flow->cancel > 0 || flow->mispredict || flow->discard)
		TRY(flow_resolve(flow));
	if (flow->queue.tail - flow->queue.head >= P0_MOST)
		return flow_commit_certain(flow);
	return STATUS_OK;
}

/* NO_SYNC stands where the first packet of unknown meaning is. */
static enum status tell_no_sync(struct etm4_flow *flow)
{
	struct element *element;

	TRY(flow_emit(flow, ELEMENT_NO_SYNC, flow->packet_index, &element));
	element->no_sync = flow->reason;
	flow->state = FLOW_WAIT_ASYNC;
	return STATUS_OK;
}

/* What the packet says contradicts what was committed. */
static void lose(struct etm4_flow *flow)
{
	p0_clear(&flow->queue);
	flow_lose_sync(flow, NO_SYNC_BAD_PACKET);
}

/* Decodes; a packet that breaks what was committed is itself the place of NO_SYNC. */
static enum status decode_or_lose(struct etm4_flow *flow, const struct etm4_packet *packet)
{
	enum status status = decode(flow, packet);

	if (status == STATUS_BAD_DATA)
		lose(flow);
	else if (status != STATUS_OK)
		return status;
	if (flow->state == FLOW_NO_SYNC && !is_bad(packet->type))
		return tell_no_sync(flow);
	return STATUS_OK;
}

enum status etm4_flow_packet(struct etm4_flow *flow, const struct etm4_packet *packet,
                             uint64_t index)
{
	flow->packet_index = index;
	flow->out_kept = flow->out_count;
	flow->batch_kept = flow->batches.count;
	flow_settle(flow);
	if (flow->state == FLOW_DECODE)
		return decode_or_lose(flow, packet);
	if (flow->state == FLOW_NO_SYNC)
		TRY(tell_no_sync(flow));
	if (flow->state == FLOW_WAIT_ASYNC) {
		if (packet->type == ETM4_ASYNC)
			flow->state = FLOW_WAIT_INFO;
		return STATUS_OK;
	}
	/* ETE allows an event before the trace info packet. */
	if (packet->type == ETM4_EVENT && config_is_ete(flow->config))
		return take(flow, packet);
	flow->needs_address = true;
	flow->needs_context = true;
	return packet->type == ETM4_TRACE_INFO ? begin(flow, &packet->info) : STATUS_OK;
}

enum status etm4_flow_atoms(struct etm4_flow *flow, uint32_t atoms, unsigned int count,
                            uint64_t index)
{
	enum status status;

	flow->packet_index = index;
	flow->out_kept = flow->out_count;
	flow->batch_kept = flow->batches.count;
	status = flow_run_atoms(flow, atoms, count, index);
	if (status != STATUS_BAD_DATA)
		return status;
	lose(flow);
	return tell_no_sync(flow);
}

bool etm4_flow_next_address(const struct etm4_flow *flow, uint64_t *address)
{
	if (flow->state != FLOW_DECODE)
		return false;
	if (flow->at >= GRAPH_FIRST) {
		*address = flow->graph->nodes[flow->at].walk.start;
		return true;
	}
	*address = flow->is_excepted ? flow->return_address : flow->address;
	if (flow->is_excepted)
		return true;
	if (flow->stack.must_pop)
		return retstack_top(&flow->stack, address) == STATUS_OK;
	return !flow->needs_address && !flow->needs_context;
}

void etm4_flow_describe(const struct etm4_flow *flow, struct text *out)
{
	const struct pe_context *context = &flow->context;
	struct flow_place place = flow_place(flow);

	text_printf(out, "state %d needs address %d lost %d context %d at %llx %s\n",
	            (int)flow->state, flow->needs_address, flow->is_lost, flow->needs_context,
	            (unsigned long long)place.address, isa_name(place.isa));
	text_printf(out, "64-bit %d secure %d overflow %d marker %d excepted %d %llx\n",
	            flow->is_64bit, flow->is_secure, flow->had_overflow,
	            flow->had_marker && flow->config->has_timestamp_marker, flow->is_excepted,
	            (unsigned long long)(flow->is_excepted ? flow->return_address : 0));
	text_printf(out, "context %d security %d level %d 64-bit %d id %d %x vmid %d %x\n",
	            flow->has_context, (int)context->security, (int)context->level,
	            context->is_64bit, context->has_context_id, context->context_id,
	            context->has_vmid, context->vmid);
	retstack_describe(&flow->stack, out);
}
