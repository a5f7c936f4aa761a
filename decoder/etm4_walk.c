/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ETMv4 flow, third part: from a committed atom, exception or Q element to ranges of executed
 * instructions, by following the code in memory. IHI 0064, "Instruction trace elements".
 */
#include "decoder/etm4_flow.h"

/*
 * Instructions in one walk: 64 MiB of code. The reference decoder walks as far as there is memory;
 * so far it is followed, but not so far that damaged trace could keep us busy for hours.
 */
enum { WALK_LIMIT = 16 * FOLLOW_LIMIT };

/* As the last context packet says. */
enum space flow_space(const struct etm4_flow *flow)
{
	if (!flow->has_context)
		return flow->is_secure ? SPACE_S : SPACE_N;
	return pe_context_space(&flow->context);
}

enum status flow_emit_range(struct etm4_flow *flow, const struct walk *walk, bool is_executed,
                            uint64_t index)
{
	struct element *element;

	TRY(flow_emit(flow, ELEMENT_INSTR_RANGE, index, &element));
	walk_fill_range(walk, is_executed, element);
	if (is_executed)
		flow->isa = walk->last.next_isa;
	return STATUS_OK;
}

enum status flow_emit_nacc(struct etm4_flow *flow, uint64_t address, uint64_t index)
{
	struct element *element;

	TRY(flow_emit(flow, ELEMENT_ADDR_NACC, index, &element));
	element->nacc.address = address;
	element->nacc.space = flow_space(flow);
	return STATUS_OK;
}

/* No opcode at flow->address: what was walked before, and that it goes no further. */
static enum status emit_no_memory(struct etm4_flow *flow, const struct walk *walk, uint64_t index)
{
	flow->needs_address = true;
	if (walk->count > 0)
		TRY(flow_emit_range(flow, walk, true, index));
	return flow_emit_nacc(flow, walk->end, index);
}

enum status flow_emit_unknown(struct etm4_flow *flow, uint64_t index)
{
	struct element *element;

	flow->needs_address = true;
	flow->needs_context = true;
	return flow_emit(flow, ELEMENT_ADDR_UNKNOWN, index, &element);
}

enum status flow_pop_return(struct etm4_flow *flow)
{
	if (!flow->stack.must_pop)
		return STATUS_OK;
	TRY(retstack_pop(&flow->stack, &flow->address, &flow->isa));
	flow->needs_address = false;
	return STATUS_OK;
}

void flow_take_branch(struct etm4_flow *flow, const struct walk *walk)
{
	if (walk->last.class != INSN_BRANCH && walk->last.class != INSN_BRANCH_INDIRECT)
		return;
	if (walk->last.is_link)
		retstack_push(&flow->stack, walk->end, walk->isa);
	if (walk->last.class == INSN_BRANCH) {
		flow->address = walk->last.target;
		return;
	}
	flow->needs_address = true;
	retstack_await(&flow->stack);
}

/* Appends what was walked behind it; its waypoint is then the walk's. */
static void append(struct walk *walk, const struct walk *part)
{
	if (part->count == 0)
		return;
	walk->end = part->end;
	walk->count += part->count;
	walk->last = part->last;
	walk->ends_at_waypoint = part->ends_at_waypoint;
}

/* To the next waypoint, however far it is. */
static enum status walk_to_waypoint(struct etm4_flow *flow, struct walk *walk)
{
	enum space space = flow_space(flow);
	enum status status =
	        follow_to_waypoint(flow->follow, space, flow->isa, flow->address, walk);

	while (status == STATUS_BAD_DATA && walk->count < WALK_LIMIT) {
		struct walk part;

		status = follow_to_waypoint(flow->follow, space, flow->isa, walk->end, &part);
		if (status == STATUS_NO_MEM)
			return status;
		append(walk, &part);
	}
	return status;
}

enum status flow_walk_atom(struct etm4_flow *flow, bool is_taken, uint64_t index)
{
	struct element *element;
	struct walk walk;
	enum status status;

	TRY(flow_pop_return(flow));
	flow->is_excepted = false;
	if (flow->needs_address || flow->needs_context)
		return STATUS_OK;
	status = walk_to_waypoint(flow, &walk);
	if (status == STATUS_UNSUPPORTED)
		return flow_emit_unknown(flow, index);
	if (status != STATUS_OK && status != STATUS_NO_MEMORY_AT)
		return status;
	flow->address = walk.end;
	if (status == STATUS_NO_MEMORY_AT)
		return emit_no_memory(flow, &walk, index);
	if (is_taken)
		flow_take_branch(flow, &walk);
	TRY(flow_emit_range(flow, &walk, is_taken, index));
	/* ETE has no exception return packets: the instruction says it. */
	if (!is_taken || !config_is_ete(flow->config) || walk.last.subclass != INSN_SUB_A64_ERET)
		return STATUS_OK;
	return flow_emit(flow, ELEMENT_EXCEPTION_RET, index, &element);
}

enum status flow_walk_through(struct etm4_flow *flow, uint64_t stop, struct walk *walk)
{
	struct walk part;
	enum status status;

	*walk = (struct walk){.start = flow->address, .end = flow->address, .isa = flow->isa};
	do {
		status = follow_to_address(flow->follow, flow_space(flow), flow->isa, walk->end,
		                           (struct follow_limit){stop, false}, &part);
		if (status == STATUS_NO_MEM || status == STATUS_UNSUPPORTED)
			return status;
		append(walk, &part);
		if (status == STATUS_NO_MEMORY_AT || walk->end == stop)
			return status == STATUS_BAD_DATA ? STATUS_OK : status;
	} while (part.count > 0 && walk->count < WALK_LIMIT);
	return STATUS_BAD_DATA;
}

enum status flow_walk_to(struct etm4_flow *flow, uint64_t stop, uint64_t index)
{
	struct walk walk;
	enum status status = flow_walk_through(flow, stop, &walk);

	if (status == STATUS_UNSUPPORTED)
		return flow_emit_unknown(flow, index);
	if (status != STATUS_OK && status != STATUS_NO_MEMORY_AT)
		return status;
	flow->address = walk.end;
	if (status == STATUS_NO_MEMORY_AT)
		return emit_no_memory(flow, &walk, index);
	return walk.count > 0 ? flow_emit_range(flow, &walk, true, index) : STATUS_OK;
}

/*
 * Up to `count` instructions, ended early by a branch, which nobody says was taken or not.
 * `*is_whole` if that many are there. Instructions of four bytes are walked at once, T32's one by
 * one.
 */
static enum status walk_count(struct etm4_flow *flow, uint32_t count, struct walk *walk,
                              bool *is_whole)
{
	bool is_t32 = flow->isa == ISA_T32;
	uint64_t stop = flow->address + 4 * (uint64_t)count;
	bool is_branch = false;

	*walk = (struct walk){.start = flow->address, .end = flow->address, .isa = flow->isa};
	while (walk->count < count && walk->count < WALK_LIMIT && !is_branch) {
		struct walk part;
		enum status status = follow_to_address(
		        flow->follow, flow_space(flow), flow->isa, walk->end,
		        (struct follow_limit){is_t32 ? walk->end : stop, is_t32}, &part);

		if (status == STATUS_NO_MEM)
			return status;
		if (status == STATUS_UNSUPPORTED || part.count == 0)
			break;
		append(walk, &part);
		is_branch =
		        part.last.class == INSN_BRANCH || part.last.class == INSN_BRANCH_INDIRECT;
		if (status != STATUS_OK)
			break;
	}
	walk->ends_at_waypoint = is_branch;
	*is_whole = count > 0 && walk->count == count;
	return STATUS_OK;
}

enum status flow_walk_q(struct etm4_flow *flow, uint32_t count, uint64_t next, uint64_t index)
{
	struct element *element;
	struct walk walk;
	bool is_whole;

	TRY(walk_count(flow, count, &walk, &is_whole));
	if (is_whole && (walk.end == next || walk.ends_at_waypoint))
		return flow_emit_range(flow, &walk, true, index);
	TRY(flow_emit(flow, ELEMENT_I_RANGE_NOPATH, index, &element));
	element->isa = flow->isa;
	element->range.start = walk.start;
	element->range.end = next;
	element->range.count = count;
	return STATUS_OK;
}
