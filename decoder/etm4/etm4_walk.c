/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ETMv4 flow, third part: from a committed atom, exception or Q element to ranges of executed
 * instructions, by following the code in memory. IHI 0064, "Instruction trace elements".
 */
#include "decoder/etm4/etm4_flow.h"

/*
 * Instructions in one walk: 64 MiB of code. The reference decoder walks as far as there is memory;
 * so far it is followed, but not so far that damaged trace could keep us busy for hours.
 */
enum { WALK_LIMIT = 16 * FOLLOW_LIMIT };

/* An atom batch of one run. */
static enum status emit_run(struct etm4_flow *flow, uint32_t node, bool is_taken, uint64_t index)
{
	TRY(batch_list_add_run(&flow->batches, flow->graph, node, is_taken, index));
	if (is_taken)
		flow->isa = flow->graph->nodes[node].walk.last.next_isa;
	return STATUS_OK;
}

enum status flow_emit_range(struct etm4_flow *flow, const struct walk *walk, bool is_executed,
                            uint64_t index)
{
	uint32_t node;
	bool is_new;

	TRY(graph_intern(flow->graph, flow->view, walk, &node, &is_new));
	TRY(emit_run(flow, node, is_executed, index));
	/* That of this very walk: an odd node is found by less. */
	if (is_executed)
		flow->isa = walk->last.next_isa;
	return STATUS_OK;
}

enum status flow_emit_nacc(struct etm4_flow *flow, uint64_t address, uint64_t index)
{
	struct element *element;

	TRY(flow_emit(flow, ELEMENT_ADDR_NACC, index, &element));
	element->nacc.address = address;
	element->nacc.space = flow->has_context ? pe_context_space(&flow->context) : SPACE_S;
	element->nacc.view = flow->view;
	element->nacc.place = follow_place(flow->follow);
	return STATUS_OK;
}

/* Execution is lost between where it is and `stop`. */
static enum status lose_path(struct etm4_flow *flow, uint64_t stop, uint64_t index,
                             struct element **element)
{
	TRY(flow_emit(flow, ELEMENT_I_RANGE_NOPATH, index, element));
	(*element)->isa = flow->isa;
	(*element)->range.start = flow->address;
	(*element)->range.end = stop;
	flow->is_lost = true;
	return STATUS_OK;
}

enum status flow_emit_unreached(struct etm4_flow *flow, uint64_t stop, uint64_t index)
{
	struct element *element;

	if (flow->is_lost)
		return STATUS_OK;
	TRY(lose_path(flow, stop, index, &element));
	element->range.is_unreached = true;
	flow->needs_address = true;
	return STATUS_OK;
}

/* No opcode at flow->address: what was walked before, and that it goes no further. */
static enum status emit_no_memory(struct etm4_flow *flow, const struct walk *walk, uint64_t index)
{
	flow->needs_address = true;
	flow->is_lost = true;
	if (walk->count > 0)
		TRY(flow_emit_range(flow, walk, true, index));
	return flow_emit_nacc(flow, walk->end, index);
}

enum status flow_pop_return(struct etm4_flow *flow)
{
	if (!flow->stack.must_pop)
		return STATUS_OK;
	TRY(retstack_pop(&flow->stack, &flow->address, &flow->isa));
	flow->needs_address = false;
	flow->is_lost = false;
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

/* To the next waypoint, however far it is. */
static enum status walk_to_waypoint(struct etm4_flow *flow, struct walk *walk)
{
	uint32_t view = flow->view;
	enum status status = follow_once(flow->follow, view, flow->isa, flow->address, walk);

	while (status == STATUS_BAD_DATA && walk->count < WALK_LIMIT) {
		struct walk part;

		status = follow_once(flow->follow, view, flow->isa, walk->end, &part);
		if (status == STATUS_NO_MEM)
			return status;
		walk_append(walk, &part);
	}
	return status;
}

struct flow_place flow_place(const struct etm4_flow *flow)
{
	const struct basic_block *nodes = flow->graph->nodes;

	if (flow->at >= GRAPH_FIRST)
		return (struct flow_place){nodes[flow->at].walk.start, nodes[flow->at].walk.isa};
	if (flow->left >= GRAPH_FIRST)
		return (struct flow_place){nodes[flow->left].walk.end,
		                           nodes[flow->left].walk.last.next_isa};
	return (struct flow_place){flow->address, flow->isa};
}

void flow_settle(struct etm4_flow *flow)
{
	struct flow_place place = flow_place(flow);

	flow->address = place.address;
	flow->isa = place.isa;
	flow->left = GRAPH_NO_NODE;
	if (flow->at < GRAPH_FIRST)
		return;
	flow->hint = flow->at;
	flow->at = GRAPH_NO_NODE;
}

void flow_move_view(struct etm4_flow *flow)
{
	flow_settle(flow);
	/* The graph leads from nodes of a view to nodes of the same. */
	flow->from = GRAPH_NO_NODE;
	flow->awaits_time = follow_awaits_time(flow->follow);
	if (flow->has_context)
		flow->view = follow_view(flow->follow, &flow->context);
}

/* The node at the current address, or GRAPH_NO_NODE. Odd nodes are never a hint. */
static uint32_t find_node(struct etm4_flow *flow)
{
	uint32_t view = flow->view;

	if (flow->hint != GRAPH_NO_NODE) {
		const struct basic_block *hint = &flow->graph->nodes[flow->hint];

		if (hint->walk.start == flow->address && hint->walk.isa == flow->isa &&
		    hint->view == view)
			return flow->hint;
	}
	return graph_find(flow->graph, view, flow->isa, flow->address);
}

/*
 * Where execution stands after a run that was looked at by itself, and whether the next time it
 * need not be: if all that it does is lead to another node, or to an address in the trace.
 */
static void pass_run(struct etm4_flow *flow, uint32_t node, bool is_taken)
{
	const struct insn *last = &flow->graph->nodes[node].walk.last;
	uint32_t *next = &flow->graph->steps[node].next[is_taken];

	/* These push, pop or have an element of their own. */
	if (is_taken && ((flow->stack.is_active && (last->is_link || flow->needs_address)) ||
	                 last->subclass == INSN_SUB_A64_ERET))
		return;
	/* A branch that has to be taken, and was not: the history is to see that. */
	if (graph_contradicts(last, is_taken))
		return;
	if (flow->needs_address) {
		*next = GRAPH_LEAVES;
		return;
	}
	flow->at = find_node(flow);
	if (flow->at == GRAPH_NO_NODE)
		return;
	if (graph_link(flow->graph, node, is_taken, flow->at))
		*next = flow->at;
	else
		flow->at = GRAPH_NO_NODE;
}

/* One atom whose node the graph does not lead to, or not without thought. */
SELDOM static enum status walk_atom(struct etm4_flow *flow, bool is_taken, uint64_t index)
{
	uint32_t node = find_node(flow);
	struct element *element;
	enum status status;
	struct walk walk;

	if (node == GRAPH_NO_NODE) {
		status = walk_to_waypoint(flow, &walk);
		if (status == STATUS_NO_MEMORY_AT) {
			flow->address = walk.end;
			return emit_no_memory(flow, &walk, index);
		}
		TRY(status);
		TRY(graph_add(flow->graph, flow->view, &walk, &node));
	}
	walk = flow->graph->nodes[node].walk;
	flow->address = walk.end;
	if (is_taken)
		flow_take_branch(flow, &walk);
	TRY(emit_run(flow, node, is_taken, index));
	pass_run(flow, node, is_taken);
	/* ETE has no exception return packets: the instruction says it. */
	if (!is_taken || !config_is_ete(flow->config) || walk.last.subclass != INSN_SUB_A64_ERET)
		return STATUS_OK;
	return flow_emit(flow, ELEMENT_EXCEPTION_RET, index, &element);
}

/* Where the code at the current address is in the graph; the atom batch is told how it came there.
 */
static inline bool enter_graph(struct etm4_flow *flow, struct atom_batch *batch)
{
	flow->at =
	        batch_enter(batch, flow->graph, flow->from, flow->view, flow->isa, flow->address);
	flow->from = GRAPH_NO_NODE;
	if (flow->at != GRAPH_NO_NODE)
		return true;
	flow->at_hole = follow_knows_hole(flow->follow, flow->view, flow->isa, flow->address);
	if (!flow->at_hole)
		flow->at = find_node(flow);
	return flow->at != GRAPH_NO_NODE;
}

enum status etm4_flow_quick(struct etm4_flow *flow, uint32_t atoms, unsigned int count,
                            uint64_t index, unsigned int *ran)
{
	struct atom_batch *batch;

	*ran = 0;
	TRY(batch_list_reserve(&flow->batches, flow->graph, &batch));
	batch->follows = flow->at != GRAPH_NO_NODE;
	batch->from = GRAPH_NO_NODE;
	if (!batch->follows &&
	    (flow->needs_address || flow->needs_context || flow->stack.must_pop ||
	     flow->awaits_time || !enter_graph(flow, batch)))
		return STATUS_OK;
	flow->is_excepted = false;
	*ran = graph_run(flow->graph, &flow->at, atoms, count, batch);
	if (*ran == 0)
		return STATUS_OK;
	batch->index = index;
	flow->batches.count++;
	if (flow->at == GRAPH_LEAVES) {
		flow->needs_address = true;
		flow->left = batch->last;
		flow->from = batch->last;
	}
	return STATUS_OK;
}

/* One atom at a place that is known to have no code. */
static enum status run_hole(struct etm4_flow *flow, uint64_t index)
{
	flow->at_hole = false;
	flow->needs_address = true;
	flow->is_lost = true;
	return flow_emit_nacc(flow, flow->address, index);
}

/* One atom by itself, after which what is seen of memory may be another. */
static enum status run_alone(struct etm4_flow *flow, bool is_taken, uint64_t index)
{
	flow_settle(flow);
	TRY(walk_atom(flow, is_taken, index));
	if (flow->awaits_time && follow_pass_time(flow->follow))
		flow_move_view(flow);
	return STATUS_OK;
}

/*
 * Atoms after an indirect branch of which no address came: instructions ran, and which the trace
 * does not say, or the code is not that which ran. The reference decoder passes them over.
 */
static enum status pass_atoms(struct etm4_flow *flow, uint64_t index)
{
	struct element *element;

	if (!flow->keeps_to_code || flow->is_lost || flow->needs_context)
		return STATUS_OK;
	flow_settle(flow);
	TRY(lose_path(flow, flow->address, index, &element));
	element->range.is_untold = true;
	return STATUS_OK;
}

/* Some atoms of these; *ran is 0 if the others say nothing. */
static enum status run_some(struct etm4_flow *flow, uint32_t atoms, unsigned int count,
                            uint64_t index, unsigned int *ran)
{
	*ran = 0;
	if (!flow->at_hole)
		TRY(etm4_flow_quick(flow, atoms, count, index, ran));
	if (flow->at_hole) {
		*ran = 0;
		return run_hole(flow, index);
	}
	if (*ran > 0)
		return STATUS_OK;
	if (flow->needs_address || flow->needs_context)
		return pass_atoms(flow, index);
	*ran = 1;
	return run_alone(flow, (atoms & 1) != 0, index);
}

enum status flow_run_atoms(struct etm4_flow *flow, uint32_t atoms, unsigned int count,
                           uint64_t index)
{
	flow->is_excepted = false;
	while (count > 0) {
		unsigned int ran;

		TRY(flow_pop_return(flow));
		TRY(run_some(flow, atoms, count, index, &ran));
		if (ran == 0)
			break;
		atoms >>= ran;
		count -= ran;
	}
	return STATUS_OK;
}

enum status flow_walk_through(struct etm4_flow *flow, uint64_t stop, struct walk *walk)
{
	struct walk part;
	enum status status;

	*walk = (struct walk){.start = flow->address, .end = flow->address, .isa = flow->isa};
	do {
		status = follow_to_address(flow->follow, flow->view, flow->isa, walk->end,
		                           (struct follow_limit){stop, false}, &part);
		if (status == STATUS_NO_MEM)
			return status;
		walk_append(walk, &part);
		if (status == STATUS_NO_MEMORY_AT || walk->end == stop)
			return status == STATUS_BAD_DATA ? STATUS_OK : status;
	} while (part.count > 0 && walk->count < WALK_LIMIT);
	return STATUS_BAD_DATA;
}

enum status flow_walk_to(struct etm4_flow *flow, uint64_t stop, uint64_t index)
{
	struct walk walk;
	enum status status;

	if (flow->keeps_to_code)
		status = follow_certain(flow->follow, flow->view, flow->isa, flow->address, stop,
		                        &walk);
	else
		status = flow_walk_through(flow, stop, &walk);
	if (status != STATUS_OK && status != STATUS_NO_MEMORY_AT && status != STATUS_NOT_FOUND)
		return status;
	flow->address = walk.end;
	if (status == STATUS_NO_MEMORY_AT)
		return emit_no_memory(flow, &walk, index);
	if (walk.count > 0)
		TRY(flow_emit_range(flow, &walk, true, index));
	return status == STATUS_OK ? STATUS_OK : flow_emit_unreached(flow, stop, index);
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
		        flow->follow, flow->view, flow->isa, walk->end,
		        (struct follow_limit){is_t32 ? walk->end : stop, is_t32}, &part);

		if (status == STATUS_NO_MEM)
			return status;
		if (part.count == 0)
			break;
		walk_append(walk, &part);
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
