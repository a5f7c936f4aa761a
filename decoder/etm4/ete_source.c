/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source address elements of ETE (Arm ARM DDI 0487, D5 "Source Address element"). In: the address
 * of a branch that was taken. Out: the range of instructions up to it, and where it led to.
 *
 * The branches between the current address and the source address were not taken: as the user
 * wishes, each ends a range, or all is one range, which is how OpenCSD counts by default: in A64
 * and A32 without a look at what lies between.
 */
#include "decoder/etm4/etm4_flow.h"

/* The one instruction at the source address; NO_MEMORY_AT if it is not in memory. */
static enum status source_insn(struct etm4_flow *flow, uint64_t source, struct walk *walk)
{
	return follow_to_address(flow->follow, flow->view, flow->isa, source,
	                         (struct follow_limit){source, true}, walk);
}

/*
 * The instructions from flow->address to the source address, those not taken being ranges of
 * their own: `range` becomes what is left. NO_MEMORY_AT with `range` as it was if a part is not in
 * memory.
 */
static enum status split(struct etm4_flow *flow, uint64_t index, struct walk *range)
{
	uint64_t at = range->start;
	uint32_t looked_at = 0;
	struct walk part;

	do {
		TRY(follow_to_address(flow->follow, flow->view, flow->isa, at,
		                      (struct follow_limit){range->end, false}, &part));
		looked_at += part.count;
		at = part.end;
		if (at == range->end)
			break;
		TRY(flow_emit_range(flow, &part, false, index));
	} while (at < range->end && looked_at < FOLLOW_LIMIT);
	if (at != range->end)
		return STATUS_BAD_DATA;
	range->start = part.start;
	range->count = part.count;
	return STATUS_OK;
}

/* How many instructions there are from flow->address to the source address. */
static enum status count(struct etm4_flow *flow, struct walk *range)
{
	uint64_t size = range->end - range->start;
	struct walk walk;

	if (range->isa != ISA_T32) {
		/* A trace that says so many in a row, or half a one, does not fit the memory. */
		if (size % 4 != 0 || size / 4 > FOLLOW_LIMIT)
			return STATUS_BAD_DATA;
		range->count = (uint32_t)(size / 4);
		return STATUS_OK;
	}
	TRY(flow_walk_through(flow, range->end, &walk));
	range->count = walk.count;
	return STATUS_OK;
}

/* Extends `range`, the source instruction, to what was executed before it. */
static enum status extend(struct etm4_flow *flow, uint64_t index, struct walk *range)
{
	struct walk insn = *range;
	enum status status;

	range->start = flow->address;
	status = flow->splits_sources ? split(flow, index, range) : count(flow, range);
	if (status != STATUS_NO_MEMORY_AT)
		return status;
	*range = insn;
	return flow_emit_nacc(flow, insn.start, index);
}

/* Whether the code leads to the source address; if not, how far it leads is told, and that. */
static enum status keep_to_code(struct etm4_flow *flow, uint64_t source, uint64_t index,
                                bool *is_reached)
{
	struct walk walk = {.end = flow->address};
	enum status status = STATUS_NOT_FOUND;

	if (!flow->needs_address && flow->address <= source)
		status = follow_certain(flow->follow, flow->view, flow->isa, flow->address, source,
		                        &walk);
	*is_reached = status != STATUS_NOT_FOUND;
	if (*is_reached)
		return status == STATUS_NO_MEMORY_AT ? STATUS_OK : status;
	flow->address = walk.end;
	if (walk.count > 0)
		TRY(flow_emit_range(flow, &walk, true, index));
	return flow_emit_unreached(flow, source, index);
}

/*
 * Where an indirect branch led to, if no packet said it: the newest entry of the return stack. With
 * none it is not known, and the range begins at the source address.
 */
static void pop_return(struct etm4_flow *flow)
{
	if (flow->stack.must_pop &&
	    retstack_pop(&flow->stack, &flow->address, &flow->isa) == STATUS_OK)
		flow->needs_address = flow->is_lost = false;
	flow->stack.must_pop = false;
}

enum status flow_walk_source(struct etm4_flow *flow, uint64_t source, uint64_t index)
{
	struct walk range;
	enum status status;
	bool is_reached = true;

	pop_return(flow);
	flow->is_excepted = false;
	status = source_insn(flow, source, &range);
	if (status == STATUS_NO_MEMORY_AT)
		return flow_emit_nacc(flow, source, index);
	TRY(status);
	if (flow->keeps_to_code)
		TRY(keep_to_code(flow, source, index, &is_reached));
	if (is_reached && !flow->needs_address && flow->address < source)
		TRY(extend(flow, index, &range));
	flow->needs_address = false;
	flow->is_lost = false;
	flow->address = range.end;
	flow_take_branch(flow, &range);
	return flow_emit_range(flow, &range, true, index);
}
