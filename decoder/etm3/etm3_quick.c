/* SPDX-License-Identifier: Apache-2.0 */
/*
 * P-headers of ETMv3 taken together, without a packet or an element each. In: bytes; the code graph
 * as far as it is known. Out: atom batches and cycle counts, the same as packet by packet.
 */
#include "decoder/etm3/etm3_flow.h"

struct quick {
	struct etm3_flow *flow;
	const struct etm3_reader *reader;
	const struct deframe *deframe;
	const uint8_t *at;        /* the next packet */
	struct atom_batch *batch; /* that runs are appended to; valid if there is a last one */
	uint32_t last;            /* node of the last run that was taken, or GRAPH_NO_NODE */
	uint32_t node;            /* after it: the next one, or GRAPH_LEAVES */
	bool in_doubt;            /* the last run is, up to the next packet */
};

static bool can_begin(const struct etm3_flow *flow)
{
	return flow->runs.graph && flow->state == ETM3_FLOW_DECODE &&
	       etm_queue_count(flow->out) == 0 && !follow_awaits_time(flow->follow);
}

static uint64_t index_of(const struct quick *q)
{
	return deframe_index(q->deframe, q->at);
}

/*
 * The nodes of the atoms from the node on, and where they lead. False if one is to be looked at by
 * itself.
 */
static inline bool find_path(const struct graph *graph, const struct etm3_atoms *header,
                             uint32_t node, uint32_t *path)
{
	const struct graph_step *steps = graph->steps;
	unsigned int atoms = header->atoms;
	unsigned int last = header->count - 1;

	for (unsigned int i = 0; i <= last; i++, atoms >>= 1) {
		path[i] = node;
		node = steps[node].next[atoms & 1];
		if (node < GRAPH_FIRST && (node == GRAPH_ALONE || i < last))
			return false;
	}
	path[last + 1] = node;
	return true;
}

/* For the next runs: it begins where the last one ended, or as etm3_runs_find() found. */
static enum status begin_batch(struct quick *q, uint32_t node)
{
	struct etm3_runs *runs = &q->flow->runs;
	struct atom_batch *batch;

	TRY(batch_list_reserve(runs->batches, runs->graph, &batch));
	*batch = (struct atom_batch){.index = index_of(q), .first = node, .follows = true};
	if (q->last == GRAPH_NO_NODE) {
		batch->follows = runs->entry.follows;
		batch->from = runs->entry.from;
		batch->number = runs->entry.number;
	}
	runs->batches->count++;
	q->batch = batch;
	return STATUS_OK;
}

/* The cycles of the packet's runs, of which the batch has one instruction each, at its end. */
static inline enum status append_counts(const struct quick *q, const struct etm3_atoms *header)
{
	struct batch_list *list = q->flow->runs.batches;
	struct atom_batch *batch = q->batch;
	uint32_t place = batch->instructions - header->count;
	unsigned int counted = header->counted;
	struct cycle_count *to;

	TRY(batch_list_reserve_counts(list, header->count));
	to = list->counts + list->counted;
	for (unsigned int i = 0; i < header->count; i++, counted >>= 1)
		to[i] = (struct cycle_count){.cycles = (counted & 1) != 0 ? header->cycles : 0,
		                             .instructions = ++place & CYCLE_COUNT_PLACE_MOST};
	list->counted += header->count;
	batch->counts += header->count;
	return STATUS_OK;
}

/* Each run is of one instruction. */
static inline enum status append_runs(struct quick *q, const struct etm3_atoms *header,
                                      const uint32_t *path)
{
	struct graph *graph = q->flow->runs.graph;
	struct atom_batch *batch = q->batch;
	unsigned int count = header->count;

	for (unsigned int i = 0; i < count; i++)
		graph_mark(graph, &graph->steps[path[i]], path[i]);
	batch->atoms |= (uint32_t)header->atoms << batch->count;
	batch->count = (uint8_t)(batch->count + count);
	batch->instructions += count;
	batch->last = path[count - 1];
	q->last = path[count - 1];
	q->node = path[count];
	return q->flow->config->is_cycle_accurate ? append_counts(q, header) : STATUS_OK;
}

/* Where execution stands; false if nobody knows. */
static inline bool stands_at(struct quick *q, uint32_t *node)
{
	struct etm3_flow *flow = q->flow;

	*node = q->node;
	if (q->last == GRAPH_NO_NODE)
		*node = flow->has_address
		                ? etm3_runs_find(
		                          &flow->runs,
		                          (struct etm3_place){flow->view, flow->address, flow->isa})
		                : GRAPH_NO_NODE;
	return *node != GRAPH_NO_NODE;
}

/* Executes the packet's atoms. `*is_taken` is false, and nothing done, if they do not go on. */
static inline enum status take_atoms(struct quick *q, const struct etm3_atoms *header,
                                     bool *is_taken)
{
	struct etm3_flow *flow = q->flow;
	uint32_t path[ETM3_ATOMS_MOST + 1];
	uint32_t node;

	*is_taken = stands_at(q, &node) && find_path(flow->runs.graph, header, node, path);
	if (!*is_taken)
		return STATUS_OK;
	if (flow->runs.has_held)
		TRY(etm3_runs_release(&flow->runs));
	if (q->last == GRAPH_NO_NODE || q->batch->count + header->count > GRAPH_BATCH_RUNS)
		TRY(begin_batch(q, node));
	TRY(append_runs(q, header, path));
	if (q->node == GRAPH_LEAVES) {
		flow->has_address = false;
		flow->told_unknown = false;
	}
	return STATUS_OK;
}

/* A packet that counts cycles alone. */
static inline enum status take_cycles(struct quick *q, const struct etm3_atoms *header)
{
	struct etm3_flow *flow = q->flow;
	struct batch_list *list = flow->runs.batches;
	struct atom_batch *batch;

	if (flow->runs.has_held)
		TRY(etm3_runs_release(&flow->runs));
	if (!flow->has_address)
		flow->told_unknown = true;
	if (list->count == 0) {
		TRY(batch_list_reserve(list, flow->runs.graph, &batch));
		*batch = (struct atom_batch){.index = index_of(q)};
		list->count++;
	}
	return batch_list_count(list, index_of(q), header->cycles, true);
}

/* The P-header at the cursor; NULL if there is none, or what comes after may cancel its last run.
 */
static inline const struct etm3_atoms *next_header(const struct quick *q)
{
	const struct etm3_atoms *headers = q->reader->atoms;
	const uint8_t *end = q->deframe->bytes.end;
	const struct etm3_atoms *header;

	if (q->at == end || !headers[*q->at].is_p_header)
		return NULL;
	header = &headers[*q->at];
	if (header->count == 1 && !q->in_doubt &&
	    (q->at + 1 == end || !headers[q->at[1]].is_p_header))
		return NULL;
	return header;
}

static enum status take_headers(struct quick *q)
{
	const struct etm3_atoms *header;
	bool is_taken = true;

	while ((header = next_header(q)) != NULL) {
		if (header->count > 0)
			TRY(take_atoms(q, header, &is_taken));
		else
			TRY(take_cycles(q, header));
		if (!is_taken)
			break;
		/* As etm3_runs_end_packet() has it. */
		q->in_doubt = header->count == 1 && !q->in_doubt;
		q->at++;
	}
	return STATUS_OK;
}

/* Where execution stands after the runs that were taken. */
static void settle(const struct quick *q)
{
	struct etm3_flow *flow = q->flow;
	const struct graph *graph = flow->runs.graph;
	const struct walk *last = &graph->nodes[q->last].walk;

	flow->is_excepted = false;
	flow->has_last = true;
	flow->last = (uint32_t)last->start;
	flow->runs.at = q->node;
	flow->runs.from = q->node == GRAPH_LEAVES ? q->last : GRAPH_NO_NODE;
	if (q->node == GRAPH_LEAVES) {
		flow->address = (uint32_t)last->end;
		return;
	}
	flow->address = (uint32_t)graph->nodes[q->node].walk.start;
	flow->isa = graph->nodes[q->node].walk.isa;
}

enum status etm3_flow_quick(struct etm3_flow *flow, const struct etm3_reader *reader,
                            struct deframe *deframe)
{
	struct quick q = {.flow = flow,
	                  .reader = reader,
	                  .deframe = deframe,
	                  .at = deframe->bytes.pos,
	                  .in_doubt = flow->runs.has_held || flow->runs.was_in_doubt};
	enum status status;

	if (!can_begin(flow))
		return STATUS_OK;
	status = take_headers(&q);
	if (q.at > deframe->bytes.pos) {
		flow->runs.was_in_doubt = q.in_doubt;
		flow->packet_index = deframe_index(deframe, q.at - 1);
	}
	if (q.last != GRAPH_NO_NODE)
		settle(&q);
	deframe->bytes.pos = q.at;
	return status;
}
