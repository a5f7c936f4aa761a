/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building a history: the sources of a core one after the other, each decoded into parts
 * (source_decode.c), the parts joined, and what is known of the whole: the code that was executed,
 * and whether the trace leads to the halt.
 */
#include <stdlib.h>

#include "base/vec.h"
#include "decoder/decoder.h"
#include "replay/history/code_memory.h"
#include "replay/history/executed_code.h"
#include "replay/history/halt_tail.h"
#include "replay/history/history_store.h"
#include "replay/history/source_decode.h"

struct builder {
	struct history *history;
	/* Where execution goes on, if the last part says so and nothing parts it from the next. */
	bool has_expected;
	bool is_by_code; /* the last instruction itself says so, not the trace */
	uint64_t expected;
	bool in_trace; /* a source has said something of execution */
	uint64_t cycles;
};

/* Cycles are a sum from the part's start; all other marks are values. */
static enum status append_marks(struct notes *notes, struct part_builder *part, uint64_t position,
                                uint64_t cycles)
{
	for (unsigned int mark = 0; mark < MARK_COUNT; mark++)
		TRY(mark_log_join(&notes->marks[mark], &part->notes.marks[mark], position,
		                  mark == MARK_CYCLES ? cycles : 0));
	return STATUS_OK;
}

/* The first run of a part that continues a trace must be where the last one led to. */
static enum status check_join(struct builder *b, const struct part_builder *part)
{
	struct history *h = b->history;
	uint64_t start;

	if (!b->has_expected || part->first_explained || part->log.run_count == 0)
		return STATUS_OK;
	start = part->graph->nodes[part->log.blocks[0].node].walk.start;
	if (start == b->expected)
		return STATUS_OK;
	return notes_add_gap(&h->notes, &(struct gap){.position = h->length,
	                                              .reason = GAP_MISFIT,
	                                              .address = start,
	                                              .has_address = true,
	                                              .offset = part->first_index});
}

/* A gap at the history's present end. */
static enum status add_gap(struct builder *b, struct gap gap)
{
	struct history *h = b->history;
	struct mark_entry unknown = {.position = h->length, .known = false};

	b->has_expected = false;
	gap.position = h->length;
	TRY(notes_add_gap(&h->notes, &gap));
	TRY(mark_log_add(&h->notes.marks[MARK_CONTEXT_ID], unknown));
	return mark_log_add(&h->notes.marks[MARK_VIEW], unknown);
}

/* Puts a part after the history, which takes its outcome log and index over. */
static enum status join(struct builder *b, struct part_builder *part)
{
	struct history *h = b->history;
	uint64_t position = h->length;

	TRY(check_join(b, part));
	TRY(notes_join_gaps(&h->notes, &part->notes, position));
	TRY(row_log_join(&h->notes.events, &part->notes.events, position, 0));
	TRY(row_log_join(&h->notes.contexts, &part->notes.contexts, position, 0));
	TRY(append_marks(&h->notes, part, position, b->cycles));
	b->cycles += part->cycles;
	b->in_trace |= part->in_trace;
	if (part->log.run_count > 0 || part->first_explained)
		b->has_expected = part_expected(part, &b->expected);
	if (part->log.length == 0)
		return STATUS_OK;
	TRY(vec_reserve((void **)&h->parts, &h->part_capacity, h->part_count + 1,
	                sizeof(*h->parts)));
	h->parts[h->part_count++] =
	        (struct history_part){h->memory, part->log, part->index, position};
	h->length += part->log.length;
	part->log = (struct outcome_log){0};
	part->index = NULL;
	return STATUS_OK;
}

/* The history takes the graphs over. */
static enum status take_graphs(struct history *h, struct source_decode *decode)
{
	TRY(vec_reserve((void **)&h->graphs, &h->graph_capacity,
	                h->graph_count + decode->graph_count, sizeof(struct graph *)));
	for (size_t i = 0; i < decode->graph_count; i++)
		h->graphs[h->graph_count++] = decode->graphs[i];
	decode->graph_count = 0;
	return STATUS_OK;
}

static bool is_stimulus(enum protocol protocol)
{
	return protocol == PROTOCOL_ITM || protocol == PROTOCOL_STM;
}

/*
 * True if nothing of the core's execution can be in it: no trace of program flow, or no byte of the
 * source, as far as that is known.
 */
static bool is_silent(const struct source_decode *decode)
{
	const struct trace_ids *ids = decode->options->ids;
	uint8_t id;

	if (is_stimulus(decode->source->protocol))
		return true;
	ids = ids ? &ids[decode->buffer - decode->snapshot->buffers] : NULL;
	return ids && ids->is_known && decode->buffer->format == BUFFER_CORESIGHT &&
	       snap_source_trace_id(decode->source, &id) && !(ids->bits[id / 64] >> (id % 64) & 1);
}

/* `reason` parts it from what was before. */
static enum status join_source(struct builder *b, struct source_decode *decode,
                               enum gap_reason reason)
{
	bool silent = is_silent(decode);

	TRY(take_graphs(b->history, decode));
	if (b->in_trace && !silent)
		TRY(add_gap(b, (struct gap){.reason = reason}));
	for (size_t i = 0; i < decode->part_count; i++)
		TRY(join(b, &decode->parts[i]));
	if (silent)
		return STATUS_OK;
	b->is_by_code = b->has_expected;
	b->has_expected = decode->has_next;
	b->expected = decode->next;
	return STATUS_OK;
}

static enum status add_buffer(struct builder *b, struct source_decode *decode,
                              enum gap_reason reason)
{
	enum status status = source_decode(decode);

	if (status == STATUS_OK && decode->is_opened)
		status = join_source(b, decode, reason);
	source_decode_fini(decode);
	return status;
}

/* Its streams one after the other. */
static enum status add_streams(struct builder *b, const struct source_decode *source,
                               const struct source_streams *streams)
{
	/* The IDs of a buffer are not those of bytes that were taken out of several. */
	struct history_options joined = *source->options;
	bool is_opened = false;

	joined.ids = NULL;
	for (size_t i = 0; i < streams->count; i++) {
		const struct source_stream *stream = &streams->items[i];
		struct source_decode decode = *source;

		decode.buffer = stream->buffer;
		decode.options = stream->is_joined ? &joined : source->options;
		TRY(add_buffer(b, &decode,
		               is_opened                ? GAP_NEXT_BUFFER
		               : source->source->before ? GAP_NEW_TRACE_ID
		                                        : GAP_NEXT_SOURCE));
		is_opened |= decode.is_opened;
		/* What is wrong with the source would be said again of each buffer. */
		if (!decode.is_opened && decode.buffer->format != BUFFER_OTHER)
			break;
	}
	if (!is_opened && !is_stimulus(source->source->protocol))
		b->history->undecoded++;
	return STATUS_OK;
}

static enum status add_buffers(struct builder *b, const struct source_decode *decode,
                               const size_t *buffers, size_t count)
{
	struct source_streams streams;
	enum status status = source_streams_make(decode->snapshot, decode->source, buffers, count,
	                                         decode->diags, &streams);

	if (status == STATUS_OK)
		status = add_streams(b, decode, &streams);
	source_streams_fini(&streams);
	return status;
}

static enum status add_source(struct builder *b, const struct source_decode *decode)
{
	const struct snap_source *source = decode->source;
	enum status status;
	size_t *buffers;
	size_t count;

	if (source->buffer_count == 0)
		return STATUS_OK;
	buffers = calloc(source->buffer_count, sizeof(*buffers));
	if (!buffers)
		return STATUS_NO_MEM;
	status = source_buffers_choose(decode->snapshot, source, decode->diags, buffers, &count);
	if (status == STATUS_OK)
		status = add_buffers(b, decode, buffers, count);
	free(buffers);
	return status;
}

/*
 * The halt PC is the address that the trace leads to. An exception's return address and the target
 * of an indirect branch are the trace's word, and it cannot say all of their bits.
 */
static bool leads_to(const struct builder *b, uint64_t pc)
{
	uint64_t untraced = b->is_by_code ? 0 : history_untraced_bits(b->history);

	return b->has_expected && ((b->expected ^ pc) & ~untraced) == 0;
}

static enum status join_tail(struct builder *b, const struct walk *walk)
{
	struct history *h = b->history;
	struct part_builder part = {.graph = NULL};
	struct graph *graph = NULL;
	enum status status = vec_reserve((void **)&h->graphs, &h->graph_capacity,
	                                 h->graph_count + 1, sizeof(struct graph *));

	if (status == STATUS_OK)
		status = halt_tail_part(h, walk, &graph, &part);
	if (graph)
		h->graphs[h->graph_count++] = graph;
	if (status == STATUS_OK)
		status = join(b, &part);
	part_fini(&part);
	if (status != STATUS_OK)
		return status;
	b->has_expected = true;
	b->expected = walk->end;
	return STATUS_OK;
}

/* What was executed after the last packet. */
static enum status go_on_to_halt(struct builder *b)
{
	struct history *h = b->history;
	struct walk walk;
	uint64_t pc;
	bool is_found = false;

	if (b->has_expected && history_pc(h, h->length, &pc) == STATUS_OK)
		TRY(halt_tail_find(h, b->expected, pc, &walk, &is_found));
	return is_found ? join_tail(b, &walk) : STATUS_OK;
}

/*
 * A halt PC that the trace does not lead to is after a gap. Without a halt PC, as in a trace
 * package, the end is where the trace leads to.
 */
static enum status check_halt(struct builder *b)
{
	struct history *h = b->history;
	struct gap gap = {.reason = GAP_HALT};

	if (!b->in_trace)
		return STATUS_OK;
	gap.has_address = history_pc(h, h->length, &gap.address) == STATUS_OK;
	if (gap.has_address ? leads_to(b, gap.address) : b->has_expected) {
		h->has_end = true;
		h->end_address = b->expected;
		return STATUS_OK;
	}
	h->is_astray = b->has_expected;
	h->end_address = b->expected;
	return add_gap(b, gap);
}

static enum status build(struct builder *b, const struct snapshot *snapshot,
                         const struct history_options *options, struct diag_list *diags)
{
	const struct snap_core *core = b->history->core;

	notes_spill_to(&b->history->notes, options->spill);
	for (size_t i = 0; i < core->source_count; i++) {
		struct source_decode decode = {.snapshot = snapshot,
		                               .core = core,
		                               .source = core->sources[i],
		                               .options = options,
		                               .memory = b->history->memory,
		                               .diags = diags};

		TRY(add_source(b, &decode));
	}
	TRY(go_on_to_halt(b));
	TRY(check_halt(b));
	TRY(notes_settle(&b->history->notes));
	TRY(executed_code_runs(b->history));
	return executed_code_contents(b->history);
}

/* Names of registers are looked up here and nowhere else. */
static void resolve_registers(struct history *h)
{
	const struct register_file file = register_file_of(h->core->arch);

	for (unsigned int i = 0; i < file.trace; i++)
		h->registers[i] = register_in_snapshot(&file, i, h->core->device);
}

/* An empty one; NULL without memory. */
static struct history *history_create(const struct snap_core *core)
{
	struct history *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	h->core = core;
	h->memory = core->memory;
	notes_init(&h->notes);
	resolve_registers(h);
	h->cache = calloc(1, sizeof(*h->cache));
	if (h->cache)
		return h;
	free(h);
	return NULL;
}

/* What was built goes to the caller, or away. */
static enum status give(struct history *built, enum status status, struct history **history)
{
	if (status == STATUS_OK)
		*history = built;
	else
		history_destroy(built);
	return status;
}

/* With this memory, which the history takes over. */
static enum status build_with(const struct snapshot *snapshot, const struct snap_core *core,
                              const struct history_options *options, struct code_memory memory,
                              struct diag_list *diags, struct history **history)
{
	struct builder builder = {.history = history_create(core)};
	enum status status = STATUS_NO_MEM;

	if (!builder.history) {
		code_memory_fini(&memory);
		return STATUS_NO_MEM;
	}
	builder.history->code_memory = memory;
	builder.history->memory = memory.shared;
	if (!memmap_has_epochs(core->memory))
		memmap_set_past(memory.shared, options->past);
	status = build(&builder, snapshot, options, diags);
	return give(builder.history, status, history);
}

enum status history_build(const struct snapshot *snapshot, const struct snap_core *core,
                          const struct history_options *options, struct diag_list *diags,
                          struct history **history)
{
	struct diag_list said = {0};
	struct history *built = NULL;
	struct code_memory memory;
	enum status status = code_memory_of_core(core, options->one_address_space, &memory);

	if (status == STATUS_OK)
		status = build_with(snapshot, core, options, memory, &said, &built);
	if (status == STATUS_OK && !options->one_address_space)
		status = code_memory_of_contexts(snapshot, built, &memory);
	else
		memory.shared = NULL;
	if (status == STATUS_OK && memory.shared) {
		diag_list_fini(&said);
		said = (struct diag_list){0};
		history_destroy(built);
		built = NULL;
		status = build_with(snapshot, core, options, memory, &said, &built);
	}
	diag_list_move(diags, &said);
	return give(built, status, history);
}

static enum status build_of_part(struct builder *b, struct graph **graph, struct part_builder *part)
{
	struct history *h = b->history;

	TRY(vec_reserve((void **)&h->graphs, &h->graph_capacity, 1, sizeof(struct graph *)));
	h->graphs[h->graph_count++] = *graph;
	*graph = NULL;
	TRY(join(b, part));
	TRY(notes_settle(&h->notes));
	TRY(executed_code_runs(h));
	return executed_code_contents(h);
}

enum status history_of_part(const struct snap_core *core, struct graph **graph,
                            struct part_builder *part, const uint64_t *end,
                            struct history **history)
{
	struct builder builder = {.history = history_create(core)};
	enum status status;

	if (!builder.history)
		return STATUS_NO_MEM;
	builder.history->has_end = end != NULL;
	builder.history->end_address = end ? *end : 0;
	status = build_of_part(&builder, graph, part);
	return give(builder.history, status, history);
}

static enum status build_of_parts(struct builder *b, struct graph **graphs, size_t graph_count,
                                  struct part_builder *parts, size_t count)
{
	struct history *h = b->history;

	TRY(vec_reserve((void **)&h->graphs, &h->graph_capacity, graph_count,
	                sizeof(struct graph *)));
	for (size_t i = 0; i < graph_count; i++) {
		h->graphs[h->graph_count++] = graphs[i];
		graphs[i] = NULL;
	}
	for (size_t i = 0; i < count; i++) {
		size_t before = h->part_count;

		TRY(join(b, &parts[i]));
		b->has_expected = false;
		if (h->part_count > before)
			h->parts[before].memory = parts[i].memory;
	}
	TRY(notes_settle(&h->notes));
	return executed_code_runs(h);
}

enum status history_of_parts(const struct snap_core *core, struct graph **graphs,
                             size_t graph_count, struct part_builder *parts, size_t count,
                             struct history **history)
{
	struct builder builder = {.history = history_create(core)};

	if (!builder.history)
		return STATUS_NO_MEM;
	return give(builder.history, build_of_parts(&builder, graphs, graph_count, parts, count),
	            history);
}

void history_set_data(struct history *history, const struct tarmac_core *data,
                      history_opcode *correct_opcode)
{
	history->data = data;
	history->correct_opcode = correct_opcode;
}

void history_destroy(struct history *history)
{
	if (!history)
		return;
	for (size_t i = 0; i < history->part_count; i++) {
		outcome_log_fini(&history->parts[i].log);
		address_index_destroy(history->parts[i].index);
	}
	for (size_t i = 0; i < history->graph_count; i++)
		graph_destroy(history->graphs[i]);
	notes_fini(&history->notes);
	code_memory_fini(&history->code_memory);
	free(history->parts);
	free(history->graphs);
	free(history->code);
	free(history->executed);
	free(history->cache);
	free(history);
}

enum status history_note_store(struct history *history, size_t gap, uint64_t position)
{
	struct gap named;

	if (!history_gap(history, gap, &named))
		return STATUS_NOT_FOUND;
	named.has_store = true;
	named.store = position;
	history->cache->gaps.bytes = NULL;
	return row_log_set(&history->notes.gaps, gap, &named);
}
