/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PTM flow, second part: from atoms and addresses of waypoints to executed instructions. Most atoms
 * lead along known edges of the code graph (decoder/flow/graph.h); one that does not is walked by
 * itself, and what it finds becomes an edge. PFT IHI 0035, "Program flow trace".
 */
#include "decoder/ptm/ptm_flow.h"

static void lose_address(struct ptm_flow *flow)
{
	flow->has_address = false;
	ptm_leave_graph(flow);
}

/* The same, and an element says it. */
static void lose_execution(struct ptm_flow *flow)
{
	lose_address(flow);
	flow->is_lost = true;
}

/* As the reference decoder lists it: it knows of no third space. */
static enum space listed_space(const struct ptm_flow *flow)
{
	return flow->context.security == SECURITY_SECURE ? SPACE_S : SPACE_N;
}

/* Those of the packet, if it has any, are of the last run of the last batch. */
static enum status add_cycles(struct ptm_flow *flow, const struct ptm_packet *packet)
{
	if (!packet->has_cycles)
		return STATUS_OK;
	return batch_list_count(flow->batches, flow->packet_index, packet->cycles, false);
}

/* Instructions that are no walk from an address to the next waypoint. */
static enum status emit_odd(struct ptm_flow *flow, const struct walk *walk,
                            const struct ptm_packet *packet)
{
	uint32_t node;
	bool is_new;

	if (walk->count == 0)
		return STATUS_OK;
	TRY(graph_intern(flow->graph, flow->view, walk, &node, &is_new));
	TRY(batch_list_add_run(flow->batches, flow->graph, node, true, flow->packet_index));
	flow->shown_isa = walk->isa;
	return packet ? add_cycles(flow, packet) : STATUS_OK;
}

/* No opcode at the end of the walk: what was walked before, and that it goes no further. */
static enum status emit_no_memory(struct ptm_flow *flow, const struct walk *walk)
{
	struct element *element;

	lose_execution(flow);
	TRY(emit_odd(flow, walk, NULL));
	TRY(ptm_emit(flow, ELEMENT_ADDR_NACC, &element));
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

	lose_execution(flow);
	return ptm_emit(flow, ELEMENT_ADDR_UNKNOWN, &element);
}

/* What the code leads through on the way to a waypoint, and that it does not lead there. */
static enum status emit_unreached(struct ptm_flow *flow, const struct walk *walk, uint32_t stop)
{
	struct element *element;

	lose_execution(flow);
	TRY(emit_odd(flow, walk, NULL));
	TRY(ptm_emit(flow, ELEMENT_I_RANGE_NOPATH, &element));
	element->isa = walk->isa;
	element->range.start = walk->end;
	element->range.end = stop;
	element->range.is_unreached = true;
	return STATUS_OK;
}

/* The walk led nowhere, for this reason; NO_MEM is handed on. */
static enum status emit_failure(struct ptm_flow *flow, const struct walk *walk, enum status status)
{
	if (status == STATUS_UNSUPPORTED)
		return emit_unknown(flow);
	if (status == STATUS_NO_MEMORY_AT)
		return emit_no_memory(flow, walk);
	return status == STATUS_BAD_DATA ? ptm_lose_sync(flow) : status;
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

/* The first waypoint after a timestamp was passed. */
static void pass_time(struct ptm_flow *flow)
{
	flow->awaits_time = false;
	if (follow_pass_time(flow->follow))
		ptm_take_view(flow);
}

/*
 * After a run that was looked at by itself: where it led, and whether the next time it need not be
 * looked at, if all that it does is lead to another node, or to an address in the trace.
 */
static void learn_edge(struct ptm_flow *flow, uint32_t node, bool is_taken)
{
	const struct insn *last = &flow->graph->nodes[node].walk.last;
	uint32_t *next = &flow->graph->steps[node].next[is_taken];
	bool is_indirect = last->class == INSN_BRANCH_INDIRECT;
	/* Pushes or pops. */
	bool uses_stack = is_taken && flow->stack.is_active && (last->is_link || is_indirect);

	/* A branch that has to be taken, and was not: the history is to see that. */
	if (graph_contradicts(last, is_taken))
		return;
	if (is_taken && is_indirect) {
		flow->from = node;
		if (!uses_stack)
			*next = GRAPH_LEAVES;
		return;
	}
	flow->at = flow->graph->successors[node][is_taken];
	if (flow->at == GRAPH_NO_NODE || flow->graph->nodes[flow->at].view != flow->view)
		flow->at = graph_find(flow->graph, flow->view, flow->isa, flow->address);
	if (flow->at == GRAPH_NO_NODE || !graph_link(flow->graph, node, is_taken, flow->at))
		flow->at = GRAPH_NO_NODE;
	else if (!uses_stack)
		*next = flow->at;
}

/*
 * The node at the current address, or GRAPH_NO_NODE. The atom batch that begins there is told how
 * execution came there: `follows`, `from` and `number`.
 */
static uint32_t enter_graph(const struct ptm_flow *flow, struct atom_batch *batch)
{
	uint32_t node;

	batch->follows = flow->at != GRAPH_NO_NODE;
	batch->from = GRAPH_NO_NODE;
	if (batch->follows)
		return flow->at;
	node = batch_enter(batch, flow->graph, flow->from, flow->view, flow->isa, flow->address);
	return node != GRAPH_NO_NODE
	               ? node
	               : graph_find(flow->graph, flow->view, flow->isa, flow->address);
}

/* Where execution stands after a batch. */
static void settle(struct ptm_flow *flow, const struct atom_batch *batch)
{
	const struct walk *last = &flow->graph->nodes[batch->last].walk;
	const struct walk *next = &flow->graph->nodes[flow->at].walk;

	flow->shown_isa = last->isa;
	if (flow->at != GRAPH_LEAVES) {
		flow->address = (uint32_t)next->start;
		flow->isa = next->isa;
		return;
	}
	flow->address = (uint32_t)last->end;
	flow->isa = last->last.next_isa;
	lose_address(flow);
	flow->from = batch->last;
}

/* One atom at the node, if there is one, that the graph does not lead on from without thought. */
static enum status walk_atom(struct ptm_flow *flow, uint32_t node, bool is_taken,
                             const struct ptm_packet *packet, struct atom_batch *batch)
{
	const struct walk *walk;

	ptm_leave_graph(flow);
	if (node == GRAPH_NO_NODE) {
		struct walk found;
		enum status status =
		        follow_once(flow->follow, flow->view, flow->isa, flow->address, &found);

		if (status != STATUS_OK)
			return emit_failure(flow, &found, status);
		TRY(graph_add(flow->graph, flow->view, &found, &node));
	}
	walk = &flow->graph->nodes[node].walk;
	if (pass_waypoint(flow, walk, is_taken, packet->type == PTM_ATOM) != STATUS_OK)
		return ptm_lose_sync(flow);
	graph_mark(flow->graph, &flow->graph->steps[node], node);
	batch->first = node;
	batch->last = node;
	batch->atoms = is_taken;
	batch->instructions = walk->count;
	batch->counts = 0;
	batch->count = 1;
	batch->index = flow->packet_index;
	flow->batches->count++;
	TRY(add_cycles(flow, packet));
	flow->shown_isa = walk->isa;
	if (flow->awaits_time)
		pass_time(flow);
	else
		learn_edge(flow, node, is_taken);
	return STATUS_OK;
}

/* The code leads from the call to the node, in the same view. */
static bool calls(const struct ptm_flow *flow, const struct walk *call, uint32_t node)
{
	const struct basic_block *callee = &flow->graph->nodes[node];

	return node != GRAPH_NO_NODE && callee->view == flow->view &&
	       callee->walk.start == call->last.target && callee->walk.isa == call->last.next_isa;
}

/*
 * The branch at the end of the node, taken: a call that is known, which is pushed, or an indirect
 * branch to where the return stack says, or, if it is no atom's, the packet. `*next` is the node
 * called or GRAPH_LEAVES. False, and nothing has changed, for all others.
 */
static bool branch_by_stack(struct ptm_flow *flow, uint32_t node, bool is_atom, uint32_t *next)
{
	const struct walk *walk = &flow->graph->nodes[node].walk;
	uint32_t callee = flow->graph->successors[node][1];
	uint64_t address;

	if (!flow->stack.is_active)
		return false;
	if (walk->last.class == INSN_BRANCH_INDIRECT) {
		if (is_atom && retstack_pop(&flow->stack, &address, &flow->isa) != STATUS_OK)
			return false;
		flow->has_address = is_atom;
		if (is_atom)
			flow->address = (uint32_t)address;
		*next = GRAPH_LEAVES;
	} else if (walk->last.class == INSN_BRANCH && walk->last.is_link &&
	           calls(flow, walk, callee)) {
		*next = callee;
	} else {
		return false;
	}
	if (walk->last.is_link)
		retstack_push(&flow->stack, walk->end, walk->isa);
	return true;
}

/*
 * Of `count` atoms those that the graph and the return stack lead through from the node on, if
 * there is one; returns how many. If none, nothing has changed.
 */
static inline unsigned int run_atoms(struct ptm_flow *flow, uint32_t node, uint32_t atoms,
                                     unsigned int count, bool is_atom, struct atom_batch *batch)
{
	struct graph_walk walk = graph_walk_begin(node, atoms, count);
	bool is_left = false; /* by an indirect branch that the return stack is in */

	flow->is_excepted = false;
	if (node == GRAPH_NO_NODE || flow->awaits_time)
		return 0;
	while (walk.left > 1 && walk.node != GRAPH_LEAVES) {
		struct graph_step *step = &flow->graph->steps[walk.node];
		uint32_t next = step->next[walk.left & 1];

		if (next == GRAPH_ALONE) {
			if ((walk.left & 1) == 0 ||
			    !branch_by_stack(flow, walk.node, is_atom, &next))
				break;
			is_left = next == GRAPH_LEAVES;
		}
		graph_walk_on(flow->graph, &walk, step, next);
	}
	if (graph_walk_end(&walk, atoms, count, batch) == 0)
		return 0;
	batch->index = flow->packet_index;
	flow->batches->count++;
	flow->at = walk.node;
	flow->from = is_left ? batch->last : GRAPH_NO_NODE;
	if (is_left)
		flow->shown_isa = flow->graph->nodes[batch->last].walk.isa;
	else
		settle(flow, batch);
	return batch->count;
}

enum status ptm_tell_lost(struct ptm_flow *flow)
{
	struct element *element;

	if (!flow->keeps_to_code || flow->state != PTM_FLOW_DECODE || flow->has_address ||
	    flow->is_lost)
		return STATUS_OK;
	flow->is_lost = true;
	TRY(ptm_emit(flow, ELEMENT_I_RANGE_NOPATH, &element));
	element->isa = flow->isa;
	element->range.start = flow->address;
	element->range.end = flow->address;
	element->range.is_untold = true;
	return STATUS_OK;
}

enum status ptm_walk_atoms(struct ptm_flow *flow, uint32_t atoms, unsigned int count,
                           const struct ptm_packet *packet)
{
	while (count > 0 && flow->has_address) {
		struct atom_batch *batch;
		unsigned int ran;
		uint32_t node;

		TRY(batch_list_reserve(flow->batches, flow->graph, &batch));
		node = enter_graph(flow, batch);
		ran = run_atoms(flow, node, atoms, count, packet->type == PTM_ATOM, batch);
		if (ran > 0) {
			TRY(add_cycles(flow, packet));
		} else {
			TRY(walk_atom(flow, node, (atoms & 1) != 0, packet, batch));
			ran = 1;
		}
		atoms >>= ran;
		count -= ran;
	}
	return count > 0 ? ptm_tell_lost(flow) : STATUS_OK;
}

static const struct ptm_packet plain_atoms = {.type = PTM_ATOM};

enum status ptm_flow_quick(struct ptm_flow *flow, uint32_t atoms, unsigned int count,
                           uint64_t index, unsigned int *ran)
{
	struct atom_batch *batch;

	*ran = 0;
	flow->packet_index = index;
	if (!flow->has_address)
		return STATUS_OK;
	TRY(batch_list_reserve(flow->batches, flow->graph, &batch));
	*ran = run_atoms(flow, enter_graph(flow, batch), atoms, count, true, batch);
	return STATUS_OK;
}

enum status ptm_flow_atoms(struct ptm_flow *flow, uint32_t atoms, unsigned int count,
                           uint64_t index)
{
	flow->packet_index = index;
	return ptm_walk_atoms(flow, atoms, count, &plain_atoms);
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

enum status ptm_walk_to(struct ptm_flow *flow, uint32_t stop, const struct ptm_packet *packet)
{
	struct walk walk;
	enum status status;

	flow->is_excepted = false;
	status = flow->keeps_to_code ? walk_certain(flow, stop, &walk)
	                             : walk_through(flow, stop, &walk);
	ptm_leave_graph(flow);
	if (status == STATUS_NOT_FOUND)
		return emit_unreached(flow, &walk, stop);
	if (status != STATUS_OK)
		return emit_failure(flow, &walk, status);
	if (pass_waypoint(flow, &walk, true, false) != STATUS_OK)
		return ptm_lose_sync(flow);
	TRY(emit_odd(flow, &walk, packet));
	if (flow->awaits_time)
		pass_time(flow);
	return STATUS_OK;
}
