/* SPDX-License-Identifier: Apache-2.0 */
/* See fuzz_batches.h. */
#include "fuzz_batches.h"

#include <string.h>

#include "base/text.h"
#include "base/vec.h"
#include "fuzz.h"

enum { JOINTS_COMPARED = 4 };

/* Elements in short. Printing is what costs: of many, only some are printed. */
struct sum {
	uint64_t hash; /* FNV-1a */
	uint64_t count;
};

/* What is decoded, and the place of a synchronization point in it. */
struct input {
	const struct snap_source *source;
	const struct snap_buffer *buffer;
	struct decoder_options options;
	bool can_begin; /* it has synchronization points, and can be begun and paused anywhere */
	struct batches_seen *seen;
};

/* A decoder that is pulled. */
struct puller {
	const struct input *input;
	struct decoder *decoder;
	struct graph *graph;
	struct sum sum;
	struct text text;
	uint64_t limit;
	/* The run before the next atom batch. */
	uint32_t last;
	bool last_taken;
	/* By node, the epoch in which it was given out, and how many were in this one. */
	uint32_t *given;
	size_t given_capacity;
	size_t given_known;
	size_t given_count;
};

/* A synchronization point, and what came after it. */
struct sync_point {
	uint64_t sync;
	struct text state;
	struct sum rest;
};

static void mix(struct sum *sum, uint64_t value)
{
	sum->hash = (sum->hash ^ value) * UINT64_C(0x100000001b3);
}

static struct sum no_elements(void)
{
	return (struct sum){.hash = UINT64_C(0xcbf29ce484222325)};
}

static void mix_range(struct sum *sum, const struct element *element)
{
	mix(sum, element->range.start);
	mix(sum, element->range.end);
	mix(sum, element->range.count);
	mix(sum, element->range.last_size | (uint64_t)element->range.last_class << 8 |
	                 (uint64_t)element->range.last_subclass << 16);
	mix(sum, element->range.last_executed | (unsigned int)element->range.last_conditional << 1);
	mix(sum, element->has_cycles ? element->cycles : UINT64_MAX);
}

/*
 * The same by both ways: not the instruction set of an ETMv3's context, which a listing takes from
 * an element that was given out before, as OpenCSD does (decoder/flow/etm_queue.h); and not the Idx
 * of its EO_TRACE, which in a listing is that of the last packet, bytes without synchronization
 * among them.
 */
static struct element without_chance(const struct input *input, const struct element *element)
{
	struct element same = *element;

	if (input->source->protocol == PROTOCOL_ETM3 && same.type == ELEMENT_PE_CONTEXT)
		same.isa = ISA_A32;
	if (input->source->protocol == PROTOCOL_ETM3 && same.type == ELEMENT_EO_TRACE)
		same.offset = 0;
	return same;
}

static void take_element(const struct input *input, struct sum *sum, struct text *text,
                         const struct element *given)
{
	const struct element same = without_chance(input, given);
	const struct element *element = &same;
	uint64_t number = sum->count++;

	mix(sum, (uint64_t)element->type << 16 | (uint64_t)element->isa << 8 | element->trace_id);
	if (element->type == ELEMENT_INSTR_RANGE) {
		mix_range(sum, element);
		return;
	}
	mix(sum, element->offset);
	if (number >= 24 && number % 64 != 0)
		return;
	text_clear(text);
	element_format_text(element, text);
	FUZZ_CHECK(text_status(text) == STATUS_OK);
	for (size_t i = 0; i < text->length; i++)
		mix(sum, (uint8_t)text->data[i]);
}

/* What a decoder says after its last element. */
static void mix_end(struct sum *sum, struct decoder *decoder)
{
	uint64_t value = 0;
	bool stands;

	mix(sum, decoder_position(decoder));
	mix(sum, decoder_broken_at(decoder, &value));
	mix(sum, value);
	stands = decoder_next_address(decoder, &value);
	mix(sum, stands);
	mix(sum, stands ? value : 0);
}

static struct decoder *open_decoder(const struct input *input,
                                    const struct decoder_options *options)
{
	struct diag_list diags = {0};
	struct decoder *decoder;

	if (decoder_open(NULL, input->source, input->buffer, options, &diags, &decoder) !=
	    STATUS_OK)
		decoder = NULL;
	diag_list_fini(&diags);
	return decoder;
}

/* All elements, one by one; false if the source cannot be decoded. */
static bool take_elements(const struct input *input, struct sum *sum)
{
	struct decoder *decoder = open_decoder(input, &input->options);
	struct text text = {0};
	struct element element;
	enum status status;

	if (!decoder)
		return false;
	*sum = no_elements();
	while ((status = decoder_next(decoder, &element)) == STATUS_OK)
		take_element(input, sum, &text, &element);
	FUZZ_CHECK(status == STATUS_END);
	mix_end(sum, decoder);
	decoder_destroy(decoder);
	text_fini(&text);
	return true;
}

static void open_puller(struct puller *p, const struct input *input, uint64_t begin)
{
	struct decoder_options options = input->options;

	*p = (struct puller){.input = input, .limit = begin, .graph = graph_create()};
	FUZZ_CHECK(p->graph);
	options.graph = p->graph;
	options.begin = begin;
	options.stops_at_sync_points = input->can_begin;
	p->decoder = open_decoder(input, &options);
	FUZZ_CHECK(p->decoder);
	p->sum = no_elements();
	if (input->can_begin)
		decoder_limit(p->decoder, begin);
}

static void close_puller(struct puller *p)
{
	decoder_destroy(p->decoder);
	graph_destroy(p->graph);
	text_fini(&p->text);
	free(p->given);
}

/* The node was given out in this epoch. */
static void note_given(struct puller *p, uint32_t node)
{
	size_t count = p->graph->count;

	FUZZ_CHECK(node >= GRAPH_FIRST && node < count);
	FUZZ_CHECK(vec_reserve((void **)&p->given, &p->given_capacity, count, sizeof(*p->given)) ==
	           STATUS_OK);
	for (; p->given_known < count; p->given_known++)
		p->given[p->given_known] = 0;
	FUZZ_CHECK(p->graph->steps[node].epoch == p->graph->epoch);
	p->given_count += p->given[node] != p->graph->epoch;
	p->given[node] = p->graph->epoch;
}

/* Cycle counts of a batch: what is left of them. */
struct counts {
	const struct cycle_count *next;
	uint32_t left;
};

/* The next count, if it stands after so many instructions; or NULL. */
static const struct cycle_count *take_count(struct counts *counts, uint64_t instructions,
                                            bool is_element)
{
	if (counts->left == 0 || counts->next->instructions != instructions ||
	    counts->next->is_element != is_element)
		return NULL;
	counts->left--;
	return counts->next++;
}

/* Those that stand by themselves. */
static void take_counts(struct puller *p, struct counts *counts, uint64_t instructions)
{
	const struct cycle_count *count;

	while ((count = take_count(counts, instructions, true)) != NULL) {
		struct element element = {.type = ELEMENT_CYCLE_COUNT,
		                          .trace_id = decoder_trace_id(p->decoder),
		                          .offset = count->index,
		                          .has_cycles = true,
		                          .cycles = count->cycles};

		take_element(p->input, &p->sum, &p->text, &element);
		p->input->seen->counts++;
	}
}

static void take_run(struct puller *p, const struct cycle_count *count, uint32_t node, bool taken)
{
	struct element element = {.type = ELEMENT_INSTR_RANGE,
	                          .trace_id = decoder_trace_id(p->decoder),
	                          .has_cycles = count != NULL,
	                          .cycles = count ? count->cycles : 0};

	note_given(p, node);
	walk_fill_range(&p->graph->nodes[node].walk, taken, &element);
	take_element(p->input, &p->sum, &p->text, &element);
	p->last = node;
	p->last_taken = taken;
}

static void take_batch(struct puller *p, const struct atom_batch *batch,
                       const struct cycle_count *next)
{
	const struct graph *graph = p->graph;
	struct counts counts = {next, batch->counts};
	uint32_t node = batch->first;
	uint64_t instructions = 0;

	take_counts(p, &counts, 0);
	if (batch->count == 0) {
		FUZZ_CHECK(batch->counts > 0 && counts.left == 0 && batch->instructions == 0);
		return;
	}
	FUZZ_CHECK(batch->count <= 32);
	FUZZ_CHECK((uint64_t)batch->atoms >> batch->count == 0);
	if (batch->follows)
		FUZZ_CHECK(p->last != GRAPH_NO_NODE &&
		           graph->successors[p->last][p->last_taken] == batch->first);
	if (batch->from != GRAPH_NO_NODE)
		FUZZ_CHECK(graph_target(graph, batch->from, batch->number) == batch->first);
	for (unsigned int i = 0; i < batch->count; i++) {
		bool taken = batch->atoms >> i & 1;

		instructions += graph->steps[node].count;
		take_run(p, take_count(&counts, instructions, false), node, taken);
		take_counts(p, &counts, instructions);
		node = graph->successors[node][taken];
		FUZZ_CHECK(i + 1 == batch->count || node >= GRAPH_FIRST);
	}
	FUZZ_CHECK(p->last == batch->last && instructions == batch->instructions);
	FUZZ_CHECK(counts.left == 0);
	p->input->seen->batches++;
	p->input->seen->joined += batch->count > 1;
}

/* Where all was given out, a history ends its groups. */
static void check_visits(struct puller *p)
{
	struct graph *graph = p->graph;

	if (!graph->was_retracted)
		FUZZ_CHECK(graph->visited_count == p->given_count);
	FUZZ_CHECK(graph->visited_count >= p->given_count);
	if (p->given_count < 8)
		return;
	graph_begin_epoch(graph);
	p->given_count = 0;
}

/* The next limit, some frames on. */
static void move_limit(struct puller *p)
{
	p->input->seen->pauses++;
	p->limit += 16 * (1 + (p->limit >> 4) * 7 % 61);
	decoder_limit(p->decoder, p->limit);
}

/* Up to a synchronization point (true) or the end. */
static bool pull_to_sync_point(struct puller *p)
{
	struct decoded decoded;
	enum status status;

	while ((status = decoder_pull(p->decoder, &decoded)) == STATUS_OK) {
		FUZZ_CHECK(p->input->can_begin || !(decoded.is_sync_point || decoded.is_paused));
		if (decoded.is_sync_point)
			return true;
		if (decoded.is_paused) {
			move_limit(p);
			continue;
		}
		for (size_t i = 0; i < decoded.batch_count; i++) {
			take_batch(p, &decoded.batches[i], decoded.counts);
			if (decoded.batches[i].counts > 0)
				decoded.counts += decoded.batches[i].counts;
		}
		if (decoded.batch_count == 0)
			take_element(p->input, &p->sum, &p->text, &decoded.element);
		if (decoded.is_drained)
			check_visits(p);
	}
	FUZZ_CHECK(status == STATUS_END);
	mix_end(&p->sum, p->decoder);
	return false;
}

/* To the end; the sum is `expected`, and that of what lies after synchronization point `number` is
 * kept. */
static bool pull_all(const struct input *input, const struct sum *expected, uint64_t number,
                     struct sync_point *sync_point)
{
	struct puller p;
	struct sum all = no_elements();
	uint64_t sync_points = 0;

	open_puller(&p, input, 0);
	while (pull_to_sync_point(&p)) {
		if (sync_points++ != number)
			continue;
		sync_point->sync = decoder_sync_point_offset(p.decoder);
		FUZZ_CHECK(decoder_describe_sync_point(p.decoder, &sync_point->state) == STATUS_OK);
		all = p.sum;
		p.sum = no_elements();
	}
	if (sync_points > number)
		sync_point->rest = p.sum;
	else
		FUZZ_CHECK(p.sum.hash == expected->hash && p.sum.count == expected->count);
	FUZZ_CHECK(sync_points <= number || all.count + p.sum.count == expected->count);
	input->seen->sync_points += sync_points;
	close_puller(&p);
	return sync_points > number;
}

/* A decoder that begins with the synchronization point's A-Sync, or before it. */
static void resume(const struct input *input, const struct sync_point *sync_point, uint64_t begin)
{
	struct puller p;
	bool is_at_sync_point;

	open_puller(&p, input, begin / 16 * 16);
	do {
		is_at_sync_point = pull_to_sync_point(&p);
	} while (is_at_sync_point && decoder_sync_point_offset(p.decoder) < sync_point->sync);
	if (is_at_sync_point && decoder_sync_point_offset(p.decoder) == sync_point->sync) {
		struct text state = {0};

		FUZZ_CHECK(decoder_describe_sync_point(p.decoder, &state) == STATUS_OK);
		if (str_eq(text_str(&state), text_str(&sync_point->state))) {
			p.sum = no_elements();
			while (pull_to_sync_point(&p))
				continue;
			FUZZ_CHECK(p.sum.count == sync_point->rest.count);
			FUZZ_CHECK(p.sum.hash == sync_point->rest.hash);
			input->seen->resumed++;
		}
		text_fini(&state);
	}
	close_puller(&p);
}

void fuzz_check_batches(const struct snap_source *source, const struct snap_buffer *buffer,
                        const struct decoder_options *options, struct batches_seen *seen)
{
	bool is_port = options->tpiu || options->tpiu_hsync || options->dstream;
	struct input input = {.source = source,
	                      .buffer = buffer,
	                      .options = *options,
	                      .can_begin = decoder_can_begin_at(source, buffer) && !is_port,
	                      .seen = seen};
	struct sum expected;
	bool has_sync_point = true;

	input.options.packets = false;
	if (!take_elements(&input, &expected))
		return;
	seen->elements += expected.count;
	(void)pull_all(&input, &expected, UINT64_MAX, NULL);
	for (uint64_t i = 0; i < JOINTS_COMPARED && input.can_begin && has_sync_point; i++) {
		struct sync_point sync_point = {0};

		has_sync_point = pull_all(&input, &expected, i, &sync_point);
		if (has_sync_point) {
			resume(&input, &sync_point, sync_point.sync);
			resume(&input, &sync_point, sync_point.sync / 2);
		}
		text_fini(&sync_point.state);
	}
}
