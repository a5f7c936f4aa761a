/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ETMv4 flow, second part: what is committed, cancelled, mispredicted or discarded of the P0
 * queue, and what that makes known. IHI 0064, "Speculation" and "Instruction trace elements".
 */
#include "decoder/etm4/etm4_flow.h"

/* Return address of an M-profile exception that has none. */
static const uint64_t m_tail_chained = 0xfffffffe;

/* A timestamp that is emitted tells the time, by which what the core sees of memory may change. */
static enum status take_fact(struct etm4_flow *flow, const struct p0 *item)
{
	bool is_time = item->kind == P0_TIMESTAMP &&
	               (!flow->config->has_timestamp_marker || flow->had_marker);

	TRY(flow_emit_fact(flow, item));
	if (is_time && follow_take_time(flow->follow, item->index, item->address))
		flow_move_view(flow);
	return STATUS_OK;
}

static void set_address(struct etm4_flow *flow, uint64_t address, uint8_t is)
{
	flow->left = GRAPH_NO_NODE;
	flow->address = address;
	flow->isa = flow_isa(flow, is);
	flow->needs_address = false;
	flow->is_lost = false;
	flow->is_excepted = false;
}

void flow_take_place(struct etm4_flow *flow, uint64_t index)
{
	if (follow_take_place(flow->follow, index))
		flow_move_view(flow);
}

void flow_take_address(struct etm4_flow *flow, uint64_t address, uint8_t is)
{
	retstack_address(&flow->stack);
	set_address(flow, address, is);
}

static enum status commit_atoms(struct etm4_flow *flow, struct p0 *item)
{
	uint32_t count = item->count < flow->commit ? item->count : (uint32_t)flow->commit;
	uint32_t atoms = item->atoms;

	/* An atom packet has less than 32. */
	item->atoms >>= count;
	item->count -= count;
	flow->commit -= count;
	TRY(flow_run_atoms(flow, atoms, count, item->index));
	if (item->count == 0)
		p0_drop_oldest(&flow->queue);
	return STATUS_OK;
}

static enum status commit_unseen(struct etm4_flow *flow, struct p0 *item)
{
	uint64_t count = item->count < flow->commit ? item->count : flow->commit;

	item->count -= (uint32_t)count;
	flow->commit -= count;
	if (item->count == 0)
		p0_drop_oldest(&flow->queue);
	return STATUS_OK;
}

static enum status commit_trace_on(struct etm4_flow *flow, const struct p0 *item)
{
	struct element *element;

	TRY(flow_emit(flow, ELEMENT_TRACE_ON, item->index, &element));
	element->trace_on = flow->had_overflow ? TRACE_ON_OVERFLOW : TRACE_ON_NORMAL;
	flow->had_overflow = false;
	flow->is_excepted = false;
	retstack_flush(&flow->stack);
	p0_drop_oldest(&flow->queue);
	return STATUS_OK;
}

static void set_exception(const struct etm4_flow *flow, uint32_t number, struct element *element)
{
	enum exception_numbering numbering =
	        flow->config->is_m_profile ? EXCEPTIONS_ETM4_M : EXCEPTIONS_ETM4;

	element->exception.number = number;
	element->exception.info = exception_find(numbering, number);
}

/* Execution up to where an exception was taken. */
static enum status walk_to_exception(struct etm4_flow *flow, uint64_t address, uint64_t index)
{
	if (flow->config->is_m_profile && address == m_tail_chained)
		return STATUS_OK;
	/* The reference decoder goes on from the last address, were it that of a branch. */
	if (flow->keeps_to_code && (flow->needs_address || flow->address > address ||
	                            (flow->is_excepted && flow->address != address)))
		return flow_emit_unreached(flow, address, index);
	return flow->address < address ? flow_walk_to(flow, address, index) : STATUS_OK;
}

/*
 * Execution up to the exception, then the exception. The address entry that belongs to it is the
 * oldest in the queue.
 */
static enum status take_exception(struct etm4_flow *flow, const struct p0 *exception,
                                  const struct p0 *address, const struct p0 *context)
{
	struct element *element;
	bool is_tail_chained = flow->config->is_m_profile && address->address == m_tail_chained;

	if (exception->is_target) {
		bool is_64bit = context ? context->context.is_64bit : flow->isa == ISA_A64;

		flow->address = address->address;
		flow->isa = is_64bit ? ISA_A64 : ISA_A32;
		if (address->isa != 0)
			flow->isa = ISA_T32;
		flow->needs_address = false;
		flow->is_lost = false;
	}
	if (context)
		TRY(flow_emit_context(flow, context, exception->index));
	TRY(walk_to_exception(flow, address->address, exception->index));
	TRY(flow_emit(flow, ELEMENT_EXCEPTION, exception->index, &element));
	set_exception(flow, exception->value, element);
	element->exception.is_tail_chained = is_tail_chained;
	element->exception.has_return_address = !is_tail_chained;
	element->exception.return_address = address->address;
	element->exception.return_is_branch_target = exception->is_target;
	flow->is_excepted = !is_tail_chained;
	flow->return_address = address->address;
	return STATUS_OK;
}

/* Nothing is known of what the core did last, nor of where it goes on. */
static enum status commit_reset(struct etm4_flow *flow, const struct p0 *reset)
{
	struct element *element;

	flow->stack.must_pop = false;
	flow->is_excepted = false;
	flow->needs_address = true;
	TRY(flow_emit(flow, ELEMENT_EXCEPTION, reset->index, &element));
	set_exception(flow, reset->value, element);
	p0_drop_oldest(&flow->queue);
	flow->commit--;
	return STATUS_OK;
}

static enum status commit_exception(struct etm4_flow *flow)
{
	struct p0 exception = *p0_oldest(&flow->queue);
	struct p0 context;
	bool has_context;
	const struct p0 *item;

	if (exception.is_reset)
		return commit_reset(flow, &exception);
	/* What says where the last branch went leaves nothing for the return stack to say. */
	if (exception.is_target)
		retstack_address(&flow->stack);
	else
		TRY(flow_pop_return(flow));
	p0_drop_oldest(&flow->queue);
	item = p0_oldest(&flow->queue);
	has_context = item && item->kind == P0_CONTEXT;
	if (has_context) {
		context = *item;
		p0_drop_oldest(&flow->queue);
		item = p0_oldest(&flow->queue);
	}
	if (!item || item->kind != P0_ADDRESS)
		return STATUS_BAD_DATA;
	TRY(take_exception(flow, &exception, item, has_context ? &context : NULL));
	p0_drop_oldest(&flow->queue);
	flow->commit--;
	return STATUS_OK;
}

/* Nothing, if it does not update the one before. */
static enum status enter_context(struct etm4_flow *flow, const struct p0 *item)
{
	if (!item->context.is_update)
		return STATUS_OK;
	TRY(flow_emit_context(flow, item, item->index));
	/* What was known before the new context holds, whatever comes after it. */
	flow->out_kept = flow->out_count;
	flow->batch_kept = flow->batches.count;
	return STATUS_OK;
}

static enum status commit_context(struct etm4_flow *flow, const struct p0 *item)
{
	TRY(enter_context(flow, item));
	p0_drop_oldest(&flow->queue);
	return STATUS_OK;
}

/*
 * A Q element's own address, or the one after it in the queue, whose context is in force from there
 * on.
 */
static enum status commit_q(struct etm4_flow *flow)
{
	struct p0 q = *p0_oldest(&flow->queue);
	struct p0 address = q;
	struct p0 context = {.context = {.is_update = false}};
	const struct p0 *item;

	p0_drop_oldest(&flow->queue);
	if (!q.has_address) {
		item = p0_oldest(&flow->queue);
		if (item && item->kind == P0_CONTEXT) {
			context = *item;
			p0_drop_oldest(&flow->queue);
			item = p0_oldest(&flow->queue);
		}
		if (!item || item->kind != P0_ADDRESS)
			return STATUS_BAD_DATA;
		address = *item;
		p0_drop_oldest(&flow->queue);
	}
	TRY(flow_walk_q(flow, q.count, address.address, q.index));
	TRY(enter_context(flow, &context));
	set_address(flow, address.address, address.isa);
	flow->commit--;
	return STATUS_OK;
}

static enum status commit_exception_return(struct etm4_flow *flow, const struct p0 *item)
{
	struct element *element;

	TRY(flow_emit(flow, ELEMENT_EXCEPTION_RET, item->index, &element));
	if (item->is_p0)
		flow->commit--;
	p0_drop_oldest(&flow->queue);
	return STATUS_OK;
}

static enum status emit_transaction(struct etm4_flow *flow, const struct p0 *item)
{
	struct element *element;

	TRY(flow_emit(flow, ELEMENT_MEMTRANS, item->index, &element));
	element->memtrans = item->kind == P0_TRANSACTION_START    ? MEMTRANS_START
	                    : item->kind == P0_TRANSACTION_COMMIT ? MEMTRANS_COMMIT
	                    : item->kind == P0_TRANSACTION_FAIL   ? MEMTRANS_FAIL
	                                                          : MEMTRANS_INIT;
	return STATUS_OK;
}

static enum status commit_transaction(struct etm4_flow *flow, const struct p0 *item)
{
	if (item->is_p0)
		flow->commit--;
	TRY(emit_transaction(flow, item));
	p0_drop_oldest(&flow->queue);
	return STATUS_OK;
}

static enum status commit_source(struct etm4_flow *flow, const struct p0 *item)
{
	TRY(flow_walk_source(flow, item->address, item->index));
	flow->commit--;
	p0_drop_oldest(&flow->queue);
	return STATUS_OK;
}

/* The oldest entry of the queue, or one atom after the other of it. */
static enum status commit_oldest(struct etm4_flow *flow, struct p0 *item)
{
	if (item->kind != P0_ATOMS)
		flow_settle(flow);
	switch (item->kind) {
	case P0_ATOMS:
		return commit_atoms(flow, item);
	case P0_EXCEPTION:
		return commit_exception(flow);
	case P0_Q:
		return commit_q(flow);
	case P0_UNSEEN:
		return commit_unseen(flow, item);
	case P0_TRACE_ON:
		return commit_trace_on(flow, item);
	case P0_CONTEXT:
		return commit_context(flow, item);
	case P0_EXCEPTION_RETURN:
		return commit_exception_return(flow, item);
	case P0_SOURCE:
		return commit_source(flow, item);
	case P0_TRANSACTION_INIT:
	case P0_TRANSACTION_START:
	case P0_TRANSACTION_COMMIT:
	case P0_TRANSACTION_FAIL:
		return commit_transaction(flow, item);
	case P0_FUNCTION_RETURN:
		flow->commit--;
		break;
	case P0_ADDRESS:
		flow_take_place(flow, item->index);
		flow_take_address(flow, item->address, item->isa);
		break;
	case P0_TRACE_INFO:
		retstack_hold(&flow->stack);
		break;
	case P0_EVENT:
	case P0_CYCLES:
	case P0_TIMESTAMP:
	case P0_MARKER:
	case P0_INSTRUMENTATION:
		TRY(take_fact(flow, item));
		break;
	}
	p0_drop_oldest(&flow->queue);
	return STATUS_OK;
}

/* The trace gave up: nothing in doubt was executed as far as is known. */
static enum status discard(struct etm4_flow *flow)
{
	const struct p0 *item;

	while ((item = p0_oldest(&flow->queue)) != NULL) {
		TRY(take_fact(flow, item));
		p0_drop_oldest(&flow->queue);
	}
	flow_lose_sync(flow, flow->had_overflow ? NO_SYNC_OVERFLOW : NO_SYNC_DISCARD);
	return STATUS_OK;
}

enum status flow_resolve(struct etm4_flow *flow)
{
	uint64_t wanted = flow->commit;

	while (flow->commit > 0) {
		struct p0 *item = p0_oldest(&flow->queue);

		if (!item)
			return STATUS_BAD_DATA;
		TRY(commit_oldest(flow, item));
	}
	flow->depth -= wanted < flow->depth ? wanted : flow->depth;
	if (flow->cancel > 0) {
		uint32_t cancelled = flow->cancel;

		flow->cancel = 0;
		if (p0_cancel(&flow->queue, cancelled) > 0) {
			/* What holds in any case is left in the queue, and told later. */
			flow_lose_sync(flow, NO_SYNC_BAD_PACKET);
			return STATUS_OK;
		}
		flow->depth -= cancelled < flow->depth ? cancelled : flow->depth;
	}
	if (flow->mispredict) {
		flow->mispredict = false;
		if (!p0_mispredict(&flow->queue))
			return STATUS_BAD_DATA;
	}
	return flow->discard ? discard(flow) : STATUS_OK;
}

enum status flow_commit_certain(struct etm4_flow *flow)
{
	while (flow->queue.tail - flow->queue.head > P0_MOST / 2) {
		struct p0 *item = p0_oldest(&flow->queue);

		if (item->is_p0)
			return STATUS_BAD_DATA;
		TRY(commit_oldest(flow, item));
	}
	return STATUS_OK;
}

/*
 * An entry at the end of the trace that nothing committed. No element comes of it, but an address
 * says where the last branch went. False if what is after it does not follow from the trace.
 */
static bool end_entry(struct etm4_flow *flow, const struct p0 *item)
{
	switch (item->kind) {
	case P0_ATOMS:
	case P0_Q:
	case P0_UNSEEN:
		return false;
	case P0_EXCEPTION:
	case P0_TRACE_ON:
		flow->is_excepted = false;
		flow->needs_address = true;
		flow->stack.must_pop = false;
		return false;
	case P0_ADDRESS:
		flow_take_address(flow, item->address, item->isa);
		return true;
	case P0_EXCEPTION_RETURN:
	case P0_TRANSACTION_START:
		return !item->is_p0;
	case P0_SOURCE:
		/* The reference goes on to what is after it. */
		flow->is_excepted = false;
		flow->needs_address = true;
		flow->stack.must_pop = false;
		return true;
	case P0_FUNCTION_RETURN:
	case P0_CONTEXT:
	case P0_TRACE_INFO:
	case P0_TRANSACTION_INIT:
	case P0_TRANSACTION_COMMIT:
	case P0_TRANSACTION_FAIL:
	case P0_INSTRUMENTATION:
	case P0_EVENT:
	case P0_CYCLES:
	case P0_TIMESTAMP:
	case P0_MARKER:
		break;
	}
	return true;
}

enum status etm4_flow_end(struct etm4_flow *flow)
{
	const struct p0 *item;
	struct element *element;
	bool tells = true;

	flow_settle(flow);
	flow->out_kept = flow->out_count;
	flow->batch_kept = flow->batches.count;
	while ((item = p0_oldest(&flow->queue)) != NULL && end_entry(flow, item)) {
		bool is_outcome =
		        item->kind == P0_TRANSACTION_COMMIT || item->kind == P0_TRANSACTION_FAIL;

		/* The reference tells nothing that stands after an exception return. */
		tells = tells && item->kind != P0_EXCEPTION_RETURN;
		if (tells)
			TRY(take_fact(flow, item));
		/* No P0 element is in doubt: that a transaction ended is sure. */
		if (tells && is_outcome && (flow->depth == 0 || !flow->config->max_speculation))
			TRY(emit_transaction(flow, item));
		p0_drop_oldest(&flow->queue);
	}
	p0_clear(&flow->queue);
	TRY(flow_emit(flow, ELEMENT_EO_TRACE, flow->packet_index, &element));
	element->no_sync = flow->had_overflow ? NO_SYNC_OVERFLOW : NO_SYNC_END;
	return STATUS_OK;
}
