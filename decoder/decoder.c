/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decoder's public face: the table of protocols, and what they have in common before their
 * first byte: which buffer in which format.
 */
#include "decoder/decoder.h"

#include <stdlib.h>

#include "decoder/buffer_format.h"
#include "decoder/flow/flow.h"
#include "decoder/frame/frame.h"

struct decoder {
	const struct protocol_decoder *protocol;
	void *state;
	uint8_t trace_id;
	bool has_failed; /* without memory, or broken: at its end */
	bool is_broken;
	uint64_t broken_at; /* place in the buffer; valid if is_broken */
	enum deframe_format format;
	struct bytes data;
	struct graph *own_graph;   /* if the caller gave none */
	const struct graph *graph; /* the one in use */
	struct trace_clock clock;  /* where code changes with time */
	/* Atom batches that decoder_next() has not given out whole: of batches[0], if it was
	 * begun, `atoms` from node `at` on, and so many of its cycle counts.
	 */
	struct decoded decoded;
	bool is_begun;
	uint32_t at;
	uint32_t atoms;
	unsigned int atoms_left;
	uint32_t counts_left;
	uint32_t instructions; /* that were given out */
};

/* The protocols that this build decodes; NULL for the others. */
static const struct protocol_decoder *const protocols[] = {
        [PROTOCOL_ETM3] = &etm3_decoder, [PROTOCOL_PTM] = &ptm_decoder,
        [PROTOCOL_ETM4] = &etm4_decoder, [PROTOCOL_ETE] = &etm4_decoder,
        [PROTOCOL_ITM] = &itm_decoder,   [PROTOCOL_STM] = &stm_decoder,
};

static const struct protocol_decoder *protocol_of(enum protocol protocol)
{
	return protocol < sizeof(protocols) / sizeof(protocols[0]) ? protocols[protocol] : NULL;
}

bool decoder_supports(enum protocol protocol)
{
	return protocol_of(protocol) != NULL;
}

static enum status format_of(const struct snap_source *source, const struct snap_buffer *buffer,
                             const struct decoder_options *options, struct diag_list *diags,
                             enum deframe_format *format)
{
	if (buffer_format(buffer, options, format))
		return STATUS_OK;
	return diag_error(
	        diags, STATUS_UNSUPPORTED, buffer->place,
	        "trace source \"%.*s\": buffer \"%.*s\" has the format \"%.*s\", which is "
	        "not decoded",
	        STR_ARG(source->device->name), STR_ARG(buffer->name), STR_ARG(buffer->format_name));
}

/* What of the buffer will not be decoded. */
static void warn_of_size(const struct protocol_input *input, const struct snap_buffer *buffer)
{
	struct str source = input->source->device->name;
	uint64_t size = bytes_left(&buffer->data);
	uint64_t rest = deframe_remainder(input->format, size);

	if (size == 0)
		diag_warning(input->diags, buffer->place,
		             "trace source \"%.*s\": buffer \"%.*s\" is empty", STR_ARG(source),
		             STR_ARG(buffer->name));
	else if (rest > 0)
		diag_warning(input->diags, buffer->place,
		             "trace source \"%.*s\": buffer \"%.*s\" is %llu bytes, expected a "
		             "multiple of %d; the last %llu are not decoded",
		             STR_ARG(source), STR_ARG(buffer->name), (unsigned long long)size,
		             FRAME_SIZE, (unsigned long long)rest);
}

static enum status open_graph(struct decoder *d, struct decoder_options *options)
{
	if (!options->graph)
		options->graph = d->own_graph = graph_create();
	d->graph = options->graph;
	return d->graph ? STATUS_OK : STATUS_NO_MEM;
}

/* A source whose ID does not occur needs no look at the buffer. */
static enum status skip_absent(struct protocol_input *input)
{
	const struct trace_ids *ids = &input->options.ids;
	size_t left = bytes_left(&input->data);
	uint8_t id;

	if (ids->is_known && input->format == DEFRAME_CORESIGHT &&
	    snap_source_trace_id(input->source, &id) && id <= TRACE_ID_MASK &&
	    !(ids->bits[id / 64] >> (id % 64) & 1))
		return bytes_skip(&input->data, left - left % FRAME_SIZE);
	return STATUS_OK;
}

bool decoder_can_begin_at(const struct snap_source *source, const struct snap_buffer *buffer)
{
	const struct protocol_decoder *protocol = protocol_of(source->protocol);

	return protocol && protocol->sync_point_offset &&
	       (!protocol->can_begin || protocol->can_begin(source)) &&
	       (buffer->format == BUFFER_CORESIGHT || buffer->format == BUFFER_SOURCE_DATA);
}

static enum status read_clock(struct protocol_input *input, struct decoder *d);

enum status decoder_open(const struct snapshot *snapshot, const struct snap_source *source,
                         const struct snap_buffer *buffer, const struct decoder_options *options,
                         struct diag_list *diags, struct decoder **decoder)
{
	struct protocol_input input = {
	        .source = source, .data = buffer->data, .options = *options, .diags = diags};
	struct decoder *d;
	enum status status;

	(void)snapshot;
	*decoder = NULL;
	if (!decoder_supports(source->protocol))
		return diag_error(diags, STATUS_UNSUPPORTED, source->device->place,
		                  "trace source \"%.*s\" has the type \"%.*s\" (%s), which is not "
		                  "decoded",
		                  STR_ARG(source->device->name), STR_ARG(source->device->type),
		                  protocol_name(source->protocol));
	TRY(format_of(source, buffer, options, diags, &input.format));
	d = calloc(1, sizeof(*d));
	if (!d)
		return STATUS_NO_MEM;
	d->protocol = protocol_of(source->protocol);
	d->format = input.format;
	d->data = input.data;
	status = skip_absent(&input);
	input.joins_batches = input.options.graph != NULL;
	if (status == STATUS_OK)
		status = open_graph(d, &input.options);
	if (status == STATUS_OK)
		status = read_clock(&input, d);
	if (status == STATUS_OK)
		status = d->protocol->open(&input, &d->state, &d->trace_id);
	if (status != STATUS_OK) {
		graph_destroy(d->own_graph);
		trace_clock_fini(&d->clock);
		free(d);
		return status;
	}
	warn_of_size(&input, buffer);
	*decoder = d;
	return STATUS_OK;
}

void decoder_destroy(struct decoder *decoder)
{
	if (!decoder)
		return;
	decoder->protocol->destroy(decoder->state);
	graph_destroy(decoder->own_graph);
	trace_clock_fini(&decoder->clock);
	free(decoder);
}

/* The deframer comes once more to where it gave up, which it alone knows. */
static enum status find_break(struct decoder *decoder)
{
	struct deframe *d = malloc(sizeof(*d));

	if (!d)
		return STATUS_NO_MEM;
	deframe_init(d, decoder->format, decoder->data, decoder->trace_id);
	while (deframe_refill(d) == STATUS_OK)
		d->bytes.pos = d->bytes.end;
	decoder->broken_at = deframe_consumed(d);
	decoder->is_broken = true;
	free(d);
	return STATUS_END;
}

enum status decoder_pull(struct decoder *decoder, struct decoded *decoded)
{
	const struct protocol_decoder *protocol = decoder->protocol;
	enum status status;

	decoded->batch_count = 0;
	decoded->counts = NULL;
	decoded->is_sync_point = false;
	decoded->is_paused = false;
	decoded->is_drained = true;
	if (decoder->has_failed)
		return STATUS_END;
	status = protocol->pull ? protocol->pull(decoder->state, decoded)
	                        : protocol->next(decoder->state, &decoded->element);
	decoder->has_failed = status != STATUS_OK && status != STATUS_END;
	return status == STATUS_BAD_DATA ? find_break(decoder) : status;
}

/* The timestamps of all elements. */
static enum status collect_times(struct decoder *d, struct trace_clock *clock)
{
	struct decoded decoded;
	enum status status;

	while ((status = decoder_pull(d, &decoded)) == STATUS_OK) {
		const struct element *e = &decoded.element;

		if (decoded.batch_count == 0 && !decoded.is_sync_point &&
		    e->type == ELEMENT_TIMESTAMP)
			TRY(trace_clock_add(clock, e->offset, e->timestamp));
	}
	return status == STATUS_END ? STATUS_OK : status;
}

/* The same of a source's trace, decoded without any code. */
static enum status find_times(const struct protocol_input *input, struct trace_clock *clock)
{
	struct protocol_input blind = *input;
	struct memmap *nothing = memmap_create();
	struct graph *graph = graph_create();
	struct diag_list unheard = {0};
	struct decoder d = {.protocol = protocol_of(input->source->protocol),
	                    .format = input->format,
	                    .data = input->data,
	                    .graph = graph};
	enum status status = STATUS_NO_MEM;

	blind.options.memory = nothing;
	blind.options.graph = graph;
	blind.options.begin = 0;
	blind.options.stops_at_sync_points = false;
	blind.options.packets = false;
	blind.diags = &unheard;
	if (nothing && graph && d.protocol)
		status = memmap_freeze(nothing);
	if (status == STATUS_OK)
		status = d.protocol->open(&blind, &d.state, &d.trace_id);
	if (status == STATUS_OK) {
		status = collect_times(&d, clock);
		d.protocol->destroy(d.state);
	}
	diag_list_fini(&unheard);
	graph_destroy(graph);
	memmap_destroy(nothing);
	/* What is wrong with the trace is said when it is decoded. */
	return status == STATUS_NO_MEM ? status : STATUS_OK;
}

/* When was what, if the code depends on it. */
static enum status read_clock(struct protocol_input *input, struct decoder *d)
{
	const struct memmap *memory = input->options.memory;

	if (!memory && input->source->core)
		memory = input->source->core->memory;
	if (!memory || !memmap_has_epochs(memory) ||
	    !protocol_is_program_flow(input->source->protocol))
		return STATUS_OK;
	TRY(find_times(input, &d->clock));
	input->clock = &d->clock;
	return STATUS_OK;
}

static void begin_batch(struct decoder *decoder, const struct atom_batch *batch)
{
	decoder->is_begun = true;
	decoder->at = batch->first;
	decoder->atoms = batch->atoms;
	decoder->atoms_left = batch->count;
	decoder->counts_left = batch->counts;
	decoder->instructions = 0;
}

/* The next cycle count if it stands here, of a run or by itself; or NULL. */
static const struct cycle_count *take_count(struct decoder *decoder, bool is_element)
{
	const struct cycle_count *count = decoder->decoded.counts;

	if (decoder->counts_left == 0 || count->instructions != decoder->instructions ||
	    count->is_element != is_element)
		return NULL;
	decoder->counts_left--;
	decoder->decoded.counts++;
	return count;
}

static void fill_run(struct decoder *decoder, struct element *element)
{
	const struct walk *walk = &decoder->graph->nodes[decoder->at].walk;
	bool taken = (decoder->atoms & 1) != 0;
	const struct cycle_count *count;

	element->type = ELEMENT_INSTR_RANGE;
	element->offset = decoder->decoded.batches->index;
	walk_fill_range(walk, taken, element);
	decoder->at = decoder->graph->successors[decoder->at][taken];
	decoder->atoms >>= 1;
	decoder->atoms_left--;
	decoder->instructions += walk->count;
	count = take_count(decoder, false);
	element->has_cycles = count != NULL;
	element->cycles = count ? count->cycles : 0;
}

/* What comes next in the atom batches, as an element; false if there is nothing. */
static bool next_of_batches(struct decoder *decoder, struct element *element)
{
	struct decoded *decoded = &decoder->decoded;
	const struct cycle_count *count;

	if (decoded->batch_count == 0)
		return false;
	if (!decoder->is_begun)
		begin_batch(decoder, decoded->batches);
	*element = (struct element){.type = ELEMENT_CYCLE_COUNT, .trace_id = decoder->trace_id};
	count = take_count(decoder, true);
	if (count) {
		element->offset = count->index;
		element->has_cycles = true;
		element->cycles = count->cycles;
	} else {
		fill_run(decoder, element);
	}
	if (decoder->atoms_left == 0 && decoder->counts_left == 0) {
		decoder->is_begun = false;
		decoded->batches++;
		decoded->batch_count--;
	}
	return true;
}

enum status decoder_next(struct decoder *decoder, struct element *element)
{
	if (next_of_batches(decoder, element))
		return STATUS_OK;
	TRY(decoder_pull(decoder, &decoder->decoded));
	if (!next_of_batches(decoder, element))
		*element = decoder->decoded.element;
	return STATUS_OK;
}

bool decoder_broken_at(const struct decoder *decoder, uint64_t *offset)
{
	*offset = decoder->broken_at;
	return decoder->is_broken;
}

struct trace_ids decoder_seen_ids(const struct decoder *decoder)
{
	struct trace_ids ids = {.is_known = decoder->format == DEFRAME_CORESIGHT &&
	                                    decoder->protocol->seen_ids};
	const uint64_t *seen;

	if (ids.is_known) {
		seen = decoder->protocol->seen_ids(decoder->state);
		ids.bits[0] = seen[0];
		ids.bits[1] = seen[1];
	}
	return ids;
}

void decoder_limit(struct decoder *decoder, uint64_t end)
{
	decoder->protocol->limit(decoder->state, end);
}

uint64_t decoder_sync_point_offset(const struct decoder *decoder)
{
	return decoder->protocol->sync_point_offset(decoder->state);
}

enum status decoder_describe_sync_point(const struct decoder *decoder, struct text *out)
{
	text_printf(out, "position %llu\n", (unsigned long long)decoder_position(decoder));
	decoder->protocol->describe_sync_point(decoder->state, out);
	return text_status(out);
}

uint8_t decoder_trace_id(const struct decoder *decoder)
{
	return decoder->trace_id;
}

uint64_t decoder_position(const struct decoder *decoder)
{
	return decoder->protocol->position(decoder->state);
}

bool decoder_next_address(const struct decoder *decoder, uint64_t *address)
{
	return decoder->protocol->next_address(decoder->state, address);
}
