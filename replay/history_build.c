/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building a history: elements in, runs, events, gaps and marks out. The one question here is
 * whether each range follows from what was before it; where it does not, there is a gap.
 */
#include <stdlib.h>

#include "base/vec.h"
#include "decoder/decoder.h"
#include "decoder/insn.h"
#include "replay/history_store.h"
#include "replay/run_insn.h"

enum { ELEMENTS_PER_PROGRESS = 4096 };

struct builder {
	struct history *history;
	/* The address that must come next, if the last element says so. */
	bool has_expected;
	uint64_t expected;
	bool explained; /* a gap or an exception since the last range */
	bool in_trace;  /* this source has said something of execution */
	uint64_t cycles;
};

static enum status add_mark(struct history *h, enum mark mark, bool known, uint64_t value)
{
	struct mark_list *list = &h->marks[mark];

	TRY(vec_reserve((void **)&list->items, &list->capacity, list->count + 1,
	                sizeof(*list->items)));
	list->items[list->count++] = (struct mark_entry){h->length, value, known};
	return STATUS_OK;
}

/*
 * True if `gap` says no more than `last`, the gap before it: at the same place for the same reason,
 * or the restart of tracing that ends every loss of trace.
 */
static bool gap_continues(const struct gap *last, const struct gap *gap)
{
	return last->position == gap->position &&
	       (last->reason == gap->reason ||
	        (gap->reason == GAP_TRACE_ON && last->reason != GAP_NO_MEMORY));
}

static enum status add_gap(struct builder *b, struct gap gap)
{
	struct history *h = b->history;
	struct gap *last = h->gap_count > 0 ? &h->gaps[h->gap_count - 1] : NULL;

	b->has_expected = false;
	b->explained = true;
	gap.position = h->length;
	if (last && gap_continues(last, &gap)) {
		last->merged++;
		return STATUS_OK;
	}
	TRY(vec_reserve((void **)&h->gaps, &h->gap_capacity, h->gap_count + 1, sizeof(*h->gaps)));
	h->gaps[h->gap_count++] = gap;
	/* With opcodes missing or wrong the trace goes on, and so does what it says of the core. */
	if (gap.reason == GAP_NO_MEMORY || gap.reason == GAP_NO_PATH || gap.reason == GAP_MISFIT)
		return STATUS_OK;
	TRY(add_mark(h, MARK_CONTEXT_ID, false, 0));
	return add_mark(h, MARK_SPACE, false, 0);
}

static enum status add_event(struct builder *b, const struct element *element)
{
	struct history *h = b->history;

	TRY(vec_reserve((void **)&h->events, &h->event_capacity, h->event_count + 1,
	                sizeof(*h->events)));
	h->events[h->event_count++] = (struct history_event){h->length, *element};
	return STATUS_OK;
}

/* Opcode and class of the last instruction of a run. */
static bool classify_last(const struct history *h, const struct shape *shape, uint32_t *opcode,
                          struct insn *insn)
{
	static const struct insn_options options = {0};
	struct run_insn last = run_insn_at(h->core->memory, shape, shape->count - 1);

	if (!run_insn_opcode(h->core->memory, shape, last, opcode))
		return false;
	switch ((enum isa)shape->isa) {
	case ISA_A64:
		insn_a64_classify(*opcode, last.address, &options, insn);
		return true;
	case ISA_A32:
		insn_a32_classify(*opcode, last.address, &options, insn);
		return true;
	case ISA_T32:
	case ISA_TEE:
		insn_t32_classify(*opcode, last.address, &options, insn);
		return true;
	case ISA_JAZELLE:
	case ISA_UNKNOWN:
		break;
	}
	return false;
}

/*
 * True if the run ends in a branch that cannot but be taken, and the trace says it was not: what
 * ran there is other code than the snapshot holds. Without a condition are indirect branches, B
 * and BL of A64 (Arm ARM C4.1.66) and branches of A32 whose condition is AL. Of T32 nothing is
 * said: an IT block before the run may put any branch under a condition.
 */
static bool shape_contradicts(const struct history *h, const struct shape *shape)
{
	struct insn insn;
	uint32_t opcode;

	if (shape->last_executed || !classify_last(h, shape, &opcode, &insn) ||
	    (insn.class != INSN_BRANCH && insn.class != INSN_BRANCH_INDIRECT))
		return false;
	if (shape->isa == ISA_A64)
		return insn.class == INSN_BRANCH_INDIRECT || (opcode & 0x7c000000) == 0x14000000;
	return shape->isa == ISA_A32 && !insn.is_conditional;
}

/* Where execution goes after a run; false if the run's last opcode does not say. */
static bool shape_successor(const struct history *h, const struct shape *shape, uint64_t *address)
{
	struct insn insn;
	uint32_t opcode;

	*address = shape->end;
	if (!shape->last_executed ||
	    (shape->last_class != INSN_BRANCH && shape->last_class != INSN_BRANCH_INDIRECT))
		return true;
	if (shape->last_class == INSN_BRANCH_INDIRECT || !classify_last(h, shape, &opcode, &insn) ||
	    insn.class != INSN_BRANCH)
		return false;
	*address = insn.target;
	return true;
}

/* Appends the run of an INSTR_RANGE element with at least one instruction. */
static enum status append_run(struct history *h, const struct element *element, uint32_t *number)
{
	TRY(shape_intern(&h->table, element, number));
	if (h->run_count % RUNS_PER_CHECKPOINT == 0) {
		TRY(vec_reserve((void **)&h->checkpoints, &h->checkpoint_capacity,
		                h->checkpoint_count + 1, sizeof(*h->checkpoints)));
		h->checkpoints[h->checkpoint_count++] = h->length;
	}
	TRY(vec_reserve((void **)&h->runs, &h->run_capacity, h->run_count + 1, sizeof(*h->runs)));
	h->runs[h->run_count++] = *number;
	h->length += element->range.count;
	return STATUS_OK;
}

/* What was noted behind an instruction that is taken back moves to where the history ends now. */
static void clamp_positions(struct history *h)
{
	for (size_t i = h->event_count; i-- > 0 && h->events[i].position > h->length;)
		h->events[i].position = h->length;
	for (unsigned int mark = 0; mark < MARK_COUNT; mark++) {
		struct mark_list *list = &h->marks[mark];

		for (size_t i = list->count; i-- > 0 && list->items[i].position > h->length;)
			list->items[i].position = h->length;
	}
}

/* The last instruction of the last run was cancelled by an exception: it did not execute. */
static enum status cancel_last(struct builder *b)
{
	struct history *h = b->history;
	struct element rest = {.type = ELEMENT_INSTR_RANGE};
	struct run_insn insn;
	struct shape shape;
	uint32_t number;

	if (h->run_count == 0 || b->explained)
		return STATUS_OK;
	shape = h->table.shapes[h->runs[--h->run_count]];
	h->length -= shape.count;
	if (h->run_count % RUNS_PER_CHECKPOINT == 0)
		h->checkpoint_count--;
	if (shape.count > 1) {
		insn = run_insn_at(h->core->memory, &shape, shape.count - 2);
		rest.isa = (enum isa)shape.isa;
		rest.range.start = shape.start;
		rest.range.end = insn.address + insn.size;
		rest.range.count = shape.count - 1;
		rest.range.last_size = (uint8_t)insn.size;
		rest.range.last_executed = true;
		TRY(append_run(h, &rest, &number));
	}
	clamp_positions(h);
	b->has_expected = false;
	return STATUS_OK;
}

static enum status add_range(struct builder *b, const struct element *element)
{
	struct history *h = b->history;
	uint32_t number;

	if (element->range.count == 0)
		return STATUS_OK;
	if (b->has_expected && b->expected != element->range.start && !b->explained)
		TRY(add_gap(b, (struct gap){.reason = GAP_MISFIT,
		                            .address = element->range.start,
		                            .has_address = true,
		                            .offset = element->offset}));
	TRY(append_run(h, element, &number));
	b->explained = false;
	b->has_expected = shape_successor(h, &h->table.shapes[number], &b->expected);
	if (!shape_contradicts(h, &h->table.shapes[number]))
		return STATUS_OK;
	return add_gap(b, (struct gap){.reason = GAP_MISFIT,
	                               .address = element->range.end - element->range.last_size,
	                               .has_address = true,
	                               .offset = element->offset});
}

static enum gap_reason no_sync_gap(enum no_sync_reason reason)
{
	if (reason == NO_SYNC_OVERFLOW)
		return GAP_OVERFLOW;
	return reason == NO_SYNC_DISCARD ? GAP_DISCARD : GAP_BAD_PACKET;
}

static enum gap_reason trace_on_gap(enum trace_on_reason reason)
{
	if (reason == TRACE_ON_OVERFLOW)
		return GAP_OVERFLOW;
	return reason == TRACE_ON_EX_DEBUG ? GAP_DEBUG : GAP_TRACE_ON;
}

/* Where the trace begins there is nothing before that a gap could part from it. */
static enum status add_loss(struct builder *b, const struct element *element,
                            enum gap_reason reason)
{
	if (!b->in_trace)
		return STATUS_OK;
	return add_gap(b, (struct gap){.reason = reason, .offset = element->offset});
}

static enum status add_context(struct builder *b, const struct pe_context *context)
{
	TRY(add_mark(b->history, MARK_CONTEXT_ID, context->has_context_id, context->context_id));
	return add_mark(b->history, MARK_SPACE, true, (uint64_t)pe_context_space(context));
}

static enum status add_cycles(struct builder *b, const struct element *element)
{
	b->cycles += element->cycles;
	return add_mark(b->history, MARK_CYCLES, true, b->cycles);
}

/*
 * An exception says where it was taken: at its preferred return address. If execution was
 * elsewhere, something between is missing.
 */
static enum status add_exception(struct builder *b, const struct element *element)
{
	if (element->exception.cancels_last)
		TRY(cancel_last(b));
	if (b->has_expected && element->exception.has_return_address && !b->explained &&
	    element->exception.return_address != b->expected)
		TRY(add_gap(b, (struct gap){.reason = GAP_MISFIT,
		                            .address = element->exception.return_address,
		                            .has_address = true,
		                            .offset = element->offset}));
	b->has_expected = false;
	b->explained = true;
	return STATUS_OK;
}

/* What an element other than a range means for the history, beside being an event in it. */
static enum status note_element(struct builder *b, const struct element *element)
{
	switch (element->type) {
	case ELEMENT_NO_SYNC:
		return add_loss(b, element, no_sync_gap(element->no_sync));
	case ELEMENT_TRACE_ON:
		return add_loss(b, element, trace_on_gap(element->trace_on));
	case ELEMENT_ADDR_NACC:
		return add_gap(b, (struct gap){.reason = GAP_NO_MEMORY,
		                               .address = element->nacc.address,
		                               .has_address = true,
		                               .offset = element->offset});
	case ELEMENT_ADDR_UNKNOWN:
	case ELEMENT_UNKNOWN:
		return add_loss(b, element, GAP_BAD_PACKET);
	case ELEMENT_I_RANGE_NOPATH:
		return add_gap(b, (struct gap){.reason = GAP_NO_PATH,
		                               .address = element->range.start,
		                               .has_address = true,
		                               .offset = element->offset});
	case ELEMENT_EXCEPTION:
		return add_exception(b, element);
	case ELEMENT_PE_CONTEXT:
		return add_context(b, &element->context);
	case ELEMENT_TIMESTAMP:
		return add_mark(b->history, MARK_TIMESTAMP, true, element->timestamp);
	case ELEMENT_CYCLE_COUNT:
		return add_cycles(b, element);
	case ELEMENT_MEMTRANS:
		/* A transaction that failed goes on behind its start. */
		b->has_expected = b->has_expected && element->memtrans != MEMTRANS_FAIL;
		break;
	case ELEMENT_EO_TRACE:
	case ELEMENT_INSTR_RANGE:
	case ELEMENT_EXCEPTION_RET:
	case ELEMENT_EVENT:
	case ELEMENT_SWTRACE:
	case ELEMENT_SYNC_MARKER:
	case ELEMENT_INSTRUMENTATION:
	case ELEMENT_ITMTRACE:
	case ELEMENT_CUSTOM:
	case ELEMENT_PACKET:
		break;
	}
	return STATUS_OK;
}

/* True for an element that says what the core executed; before the first there is no gap. */
static bool tells_execution(enum element_type type)
{
	return type == ELEMENT_INSTR_RANGE || type == ELEMENT_I_RANGE_NOPATH ||
	       type == ELEMENT_ADDR_NACC || type == ELEMENT_EXCEPTION;
}

static enum status add_element(struct builder *b, const struct element *element)
{
	enum status status = element->type == ELEMENT_INSTR_RANGE ? add_range(b, element)
	                                                          : note_element(b, element);

	TRY(status);
	b->in_trace |= tells_execution(element->type);
	return element->type == ELEMENT_INSTR_RANGE ? STATUS_OK : add_event(b, element);
}

struct progress {
	history_progress report; /* may be NULL */
	void *context;
};

static enum status pull_all(struct builder *b, struct decoder *decoder,
                            const struct progress *progress, uint64_t total)
{
	struct element element;
	unsigned int countdown = ELEMENTS_PER_PROGRESS;

	for (;;) {
		enum status status = decoder_next(decoder, &element);

		if (status == STATUS_END)
			return STATUS_OK;
		TRY(status);
		TRY(add_element(b, &element));
		if (--countdown == 0) {
			countdown = ELEMENTS_PER_PROGRESS;
			if (progress->report &&
			    !progress->report(progress->context, decoder_position(decoder), total))
				return STATUS_INTERRUPTED;
		}
	}
}

static enum status add_source(struct builder *b, const struct snapshot *snapshot,
                              const struct snap_source *source, const struct progress *progress,
                              struct diag_list *diags)
{
	struct decoder_options options = {0};
	struct decoder *decoder;
	const struct snap_buffer *buffer;
	enum status status;

	if (source->buffer_count == 0)
		return STATUS_OK;
	/* Data that several buffers hold is the same data: the first one serves (format, 3.3.4). */
	buffer = &snapshot->buffers[source->buffers[0]];
	options.dstream = buffer->format == BUFFER_DSTREAM;
	status = decoder_open(snapshot, source, buffer, &options, diags, &decoder);
	if (status != STATUS_OK)
		return status == STATUS_NO_MEM ? status : STATUS_OK;
	if (b->in_trace) {
		status = add_gap(b, (struct gap){.reason = GAP_NEXT_SOURCE});
		b->in_trace = false;
	}
	if (status == STATUS_OK)
		status = pull_all(b, decoder, progress, bytes_left(&buffer->data));
	b->has_expected = decoder_next_address(decoder, &b->expected);
	decoder_destroy(decoder);
	return status;
}

static int compare_extents(const void *left, const void *right)
{
	const struct extent *a = left;
	const struct extent *b = right;

	return (a->first > b->first) - (a->first < b->first);
}

/* The addresses of all shapes as disjoint extents. */
static enum status index_executed(struct history *h)
{
	size_t count = 0;

	if (h->table.count == 0)
		return STATUS_OK;
	h->executed = calloc(h->table.count, sizeof(*h->executed));
	if (!h->executed)
		return STATUS_NO_MEM;
	for (size_t i = 0; i < h->table.count; i++)
		h->executed[i] =
		        (struct extent){h->table.shapes[i].start, h->table.shapes[i].end - 1};
	qsort(h->executed, h->table.count, sizeof(*h->executed), compare_extents);
	for (size_t i = 1; i < h->table.count; i++) {
		struct extent *last = &h->executed[count];
		const struct extent *next = &h->executed[i];

		if (next->first == 0 || next->first - 1 <= last->last)
			last->last = next->last > last->last ? next->last : last->last;
		else
			h->executed[++count] = *next;
	}
	h->executed_count = count + 1;
	return STATUS_OK;
}

/*
 * A halt PC that the trace does not lead to is behind a gap. Without a halt PC, as in a trace
 * package, the end is where the trace leads to.
 */
static enum status check_halt(struct builder *b)
{
	struct history *h = b->history;
	struct gap gap = {.reason = GAP_HALT};

	if (!b->in_trace)
		return STATUS_OK;
	gap.has_address = history_pc(h, h->length, &gap.address) == STATUS_OK;
	if (b->has_expected && (!gap.has_address || b->expected == gap.address)) {
		h->has_end = true;
		h->end_address = b->expected;
		return STATUS_OK;
	}
	return add_gap(b, gap);
}

static enum status build(struct builder *b, const struct snapshot *snapshot,
                         const struct progress *progress, struct diag_list *diags)
{
	const struct snap_core *core = b->history->core;

	for (size_t i = 0; i < core->source_count; i++)
		TRY(add_source(b, snapshot, core->sources[i], progress, diags));
	TRY(check_halt(b));
	return index_executed(b->history);
}

enum status history_build(const struct snapshot *snapshot, const struct snap_core *core,
                          history_progress progress, void *context, struct diag_list *diags,
                          struct history **history)
{
	struct progress report = {progress, context};
	struct builder builder = {0};
	enum status status;

	builder.history = calloc(1, sizeof(*builder.history));
	if (!builder.history)
		return STATUS_NO_MEM;
	builder.history->core = core;
	status = build(&builder, snapshot, &report, diags);
	if (status != STATUS_OK) {
		history_destroy(builder.history);
		return status;
	}
	*history = builder.history;
	return STATUS_OK;
}

void history_destroy(struct history *history)
{
	if (!history)
		return;
	shape_table_fini(&history->table);
	for (unsigned int i = 0; i < MARK_COUNT; i++)
		free(history->marks[i].items);
	free(history->runs);
	free(history->checkpoints);
	free(history->gaps);
	free(history->events);
	free(history->executed);
	free(history);
}
