/* SPDX-License-Identifier: Apache-2.0 */
/* Building a part of a history; see history_part.h. */
#include "replay/history/history_part.h"

#include <stdlib.h>

#include "arch/isa.h"
#include "base/hash.h"
#include "base/vec.h"
#include "replay/history/run_insn.h"

/*
 * Runs of an index group. More make a search slower, which expands a group that has a hit; fewer
 * make the index larger.
 */
enum { GROUP_RUNS = 1 << 20 };

_Static_assert(sizeof(struct history_event) % sizeof(uint64_t) == 0 &&
                       sizeof(struct history_event) <= ROW_WORDS_MOST * sizeof(uint64_t) &&
                       (int)ELEMENT_PACKET < (int)ROW_KINDS_MOST,
               "an event fits a row, and its element's type the kinds");
_Static_assert(sizeof(struct context_change) % sizeof(uint64_t) == 0, "a context fits a row");
_Static_assert(sizeof(struct gap) % sizeof(uint64_t) == 0 && (int)GAP_HALT < (int)ROW_KINDS_MOST,
               "a gap fits a row, and its reason the kinds");

void notes_init(struct notes *notes)
{
	*notes = (struct notes){.gaps = {0}};
	row_log_init(&notes->gaps, sizeof(struct gap));
	row_log_init(&notes->events, sizeof(struct history_event));
	row_log_init(&notes->contexts, sizeof(struct context_change));
}

void notes_spill_to(struct notes *notes, struct spill_file *spill)
{
	notes->gaps.store.spill = spill;
	notes->events.store.spill = spill;
	notes->contexts.store.spill = spill;
	for (unsigned int i = 0; i < MARK_COUNT; i++)
		notes->marks[i].store.spill = spill;
}

void notes_fini(struct notes *notes)
{
	for (unsigned int i = 0; i < MARK_COUNT; i++)
		mark_log_fini(&notes->marks[i]);
	row_log_fini(&notes->events);
	row_log_fini(&notes->contexts);
	row_log_fini(&notes->gaps);
	*notes = (struct notes){0};
}

enum status part_init(struct part_builder *b, const struct snap_core *core, struct graph *graph)
{
	*b = (struct part_builder){.memory = core->memory, .graph = graph};
	notes_init(&b->notes);
	outcome_log_init(&b->log, graph);
	b->index = address_index_create();
	return b->index ? STATUS_OK : STATUS_NO_MEM;
}

void part_fini(struct part_builder *b)
{
	outcome_log_fini(&b->log);
	address_index_destroy(b->index);
	notes_fini(&b->notes);
	free(b->missing);
	*b = (struct part_builder){0};
}

struct part_builder *part_create(const struct snap_core *core, struct graph *graph)
{
	struct part_builder *b = malloc(sizeof(*b));

	if (!b)
		return NULL;
	if (part_init(b, core, graph) == STATUS_OK)
		return b;
	part_destroy(b);
	return NULL;
}

void part_destroy(struct part_builder *b)
{
	if (!b)
		return;
	part_fini(b);
	free(b);
}

void part_break(struct part_builder *b)
{
	outcome_log_break(&b->log);
}

static enum status add_mark(struct part_builder *b, enum mark mark, bool known, uint64_t value)
{
	struct mark_log *marks = &b->notes.marks[mark];

	/* Contexts are told again and again. */
	if (marks->count > 0 && marks->last.known == known && marks->last.value == value)
		return STATUS_OK;
	return mark_log_add(marks, (struct mark_entry){b->log.length, value, known});
}

/*
 * True if `gap` says no more than `last`, the gap before it: at the same place for the same reason,
 * or the restart of tracing that ends every loss of trace.
 */
static bool gap_continues(const struct gap *last, const struct gap *gap)
{
	return last->position == gap->position &&
	       (last->reason == gap->reason ||
	        (gap->reason == GAP_TRACE_ON && !gap_lacks_opcode(last->reason)));
}

/* The last gap goes to the others. */
static enum status keep_last_gap(struct notes *notes)
{
	const struct gap *last = &notes->last_gap;

	if (!notes->has_last_gap)
		return STATUS_OK;
	TRY(row_log_add_alike(&notes->gaps, last->reason, ROW_ANY, last));
	notes->has_last_gap = false;
	return STATUS_OK;
}

enum status notes_add_gap(struct notes *notes, const struct gap *gap)
{
	struct gap *last = &notes->last_gap;

	if (notes->has_last_gap && gap_continues(last, gap)) {
		last->merged += gap->merged + 1;
		return STATUS_OK;
	}
	TRY(keep_last_gap(notes));
	*last = *gap;
	notes->has_last_gap = true;
	notes->gap_counts[gap->reason]++;
	return STATUS_OK;
}

/* The first gap of a part. */
static bool first_gap(const struct notes *part, struct gap *gap)
{
	struct row_cache cache;

	cache.bytes = NULL;
	cache.blocks = 0;
	if (part->gaps.count > 0)
		row_log_at(&part->gaps, 0, &cache, gap);
	else
		*gap = part->last_gap;
	return part->gaps.count > 0 || part->has_last_gap;
}

static enum status join_one_by_one(struct notes *notes, struct notes *part, uint64_t position)
{
	struct row_cache *cache = calloc(1, sizeof(*cache));
	enum status status = cache ? keep_last_gap(part) : STATUS_NO_MEM;
	struct gap gap;

	for (size_t i = 0; i < part->gaps.count && status == STATUS_OK; i++) {
		row_log_at(&part->gaps, i, cache, &gap);
		gap.position += position;
		status = notes_add_gap(notes, &gap);
	}
	free(cache);
	return status;
}

enum status notes_join_gaps(struct notes *notes, struct notes *part, uint64_t position)
{
	struct gap gap;

	if (!first_gap(part, &gap))
		return STATUS_OK;
	gap.position += position;
	if (notes->has_last_gap && gap_continues(&notes->last_gap, &gap))
		return join_one_by_one(notes, part, position);
	TRY(keep_last_gap(notes));
	TRY(row_log_join(&notes->gaps, &part->gaps, position, 0));
	notes->last_gap = part->last_gap;
	notes->last_gap.position += position;
	notes->has_last_gap = part->has_last_gap;
	for (unsigned int reason = 0; reason <= GAP_HALT; reason++)
		notes->gap_counts[reason] += part->gap_counts[reason];
	return STATUS_OK;
}

enum status notes_settle(struct notes *notes)
{
	TRY(keep_last_gap(notes));
	TRY(row_log_settle(&notes->gaps));
	TRY(row_log_settle(&notes->events));
	TRY(row_log_settle(&notes->contexts));
	for (unsigned int i = 0; i < MARK_COUNT; i++)
		TRY(mark_log_settle(&notes->marks[i]));
	return STATUS_OK;
}

/* What comes next does not follow from the last run, and that is no riddle. */
static void explain(struct part_builder *b)
{
	outcome_log_break(&b->log);
	b->first_explained |= b->log.run_count == 0;
}

enum status part_add_gap(struct part_builder *b, struct gap gap)
{
	size_t count = b->notes.gap_counts[gap.reason];

	explain(b);
	gap.position = b->log.length;
	TRY(notes_add_gap(&b->notes, &gap));
	/* One that was merged loses no more. */
	if (b->notes.gap_counts[gap.reason] == count || !gap_loses_context(gap.reason))
		return STATUS_OK;
	TRY(add_mark(b, MARK_CONTEXT_ID, false, 0));
	return add_mark(b, MARK_VIEW, false, 0);
}

static bool is_same_context(const struct pe_context *a, const struct pe_context *b)
{
	return a->security == b->security && a->level == b->level && a->is_64bit == b->is_64bit &&
	       a->has_context_id == b->has_context_id && a->has_vmid == b->has_vmid &&
	       a->is_context_part == b->is_context_part && a->context_id == b->context_id &&
	       a->vmid == b->vmid;
}

enum status notes_add_event(struct notes *notes, const struct history_event *event)
{
	const struct element *element = &event->element;
	struct context_change change = {.position = event->position};

	/* Those before may be of any source. */
	TRY(row_log_add(&notes->events, element->type, event));
	if (element->type != ELEMENT_PE_CONTEXT ||
	    (notes->contexts.count > 0 && is_same_context(&notes->last_context, &element->context)))
		return STATUS_OK;
	notes->last_context = element->context;
	change.context = element->context;
	return row_log_add(&notes->contexts, 0, &change);
}

#define WORD(field) (1U << offsetof(struct history_event, field) / sizeof(uint64_t))

enum {
	/* The words of an event in which one cycle count of a source can differ from another. */
	COUNT_WORDS = WORD(element.cycles) | WORD(element.offset),
	/* And one place without code from another. */
	NACC_WORDS = COUNT_WORDS | WORD(element.nacc.address) | WORD(element.nacc.space) |
	             WORD(element.nacc.view) | WORD(element.nacc.place),
};

static enum status add_event(struct part_builder *b, const struct element *element)
{
	struct history_event event = {b->log.length, *element};

	/* Of what the history still has. */
	if (element->type == ELEMENT_EXCEPTION && b->has_cancelled)
		event.element.exception.cancels_last = false;
	b->has_cancelled = false;
	if (element->type == ELEMENT_ADDR_NACC)
		return row_log_add_alike(&b->notes.events, ELEMENT_ADDR_NACC, NACC_WORDS, &event);
	TRY(notes_add_event(&b->notes, &event));
	return data_items_add(&b->data, &b->notes.events, element);
}

/* Opcode and class of the last instruction of a run. */
static bool classify_last(const struct part_builder *b, const struct basic_block *block,
                          uint32_t *opcode, struct insn *insn)
{
	static const struct insn_options options = {0};
	struct run_insn last = run_insn_at(b->memory, block, block->walk.count - 1);

	if (!run_insn_opcode(b->memory, block, last, opcode))
		return false;
	return insn_classify(block->walk.isa, *opcode, last.address, &options, insn);
}

/*
 * True if the run ends in a branch that cannot but be taken: if the trace says that it was not,
 * what ran there is other code than the snapshot holds.
 */
static bool is_unconditional(const struct part_builder *b, const struct basic_block *block)
{
	struct insn insn;
	uint32_t opcode;

	return classify_last(b, block, &opcode, &insn) &&
	       insn_must_branch(block->walk.isa, opcode, &insn);
}

/* The same of a node, asked once. */
SELDOM static bool node_is_unconditional(struct part_builder *b, uint32_t number)
{
	struct basic_block *node = &b->graph->nodes[number];

	if (node->is_unconditional == GRAPH_UNASKED)
		node->is_unconditional = is_unconditional(b, node) ? GRAPH_YES : GRAPH_NO;
	return node->is_unconditional == GRAPH_YES;
}

/* Where execution goes after a run; false if the run's last opcode does not say. */
static bool successor_of(const struct basic_block *node, bool taken, uint64_t *address)
{
	const struct insn *last = &node->walk.last;

	*address = node->walk.end;
	if (!taken || (last->class != INSN_BRANCH && last->class != INSN_BRANCH_INDIRECT))
		return true;
	*address = last->target;
	return last->class == INSN_BRANCH && !node->lacks_target;
}

bool part_expected(const struct part_builder *b, uint64_t *address)
{
	const struct outcome_log *log = &b->log;

	return log->is_open && successor_of(&b->graph->nodes[log->last], log->last_taken, address);
}

/* The visits of the group again, from its outcome log: some of those noted were taken back. */
static enum status visit_again(struct part_builder *b)
{
	struct outcome_log_run *runs = malloc(LOG_BLOCK_RUNS * sizeof(*runs));
	enum status status = STATUS_OK;

	if (!runs)
		return STATUS_NO_MEM;
	graph_begin_epoch(b->graph);
	for (size_t block = b->group_block; block < b->log.block_count; block++) {
		uint32_t count = outcome_log_expand(&b->log, block, runs);

		for (uint32_t i = 0; i < count && status == STATUS_OK; i++)
			status = graph_visit(b->graph, runs[i].node);
	}
	free(runs);
	return status;
}

/* Everything that was visited lies in the outcome log by now, and the next run begins a block. */
static enum status end_group(struct part_builder *b)
{
	if (b->group_block < b->log.block_count) {
		if (b->graph->was_retracted || b->has_dropped_last)
			TRY(visit_again(b));
		TRY(address_index_add(b->index, b->group_block, b->graph->visited,
		                      b->graph->visited_count));
	}
	b->has_dropped_last = false;
	b->group_block = b->log.block_count;
	b->group_runs = b->log.run_count;
	graph_begin_epoch(b->graph);
	return STATUS_OK;
}

enum status part_end(struct part_builder *b)
{
	TRY(end_group(b));
	outcome_log_trim(&b->log);
	free(b->missing);
	b->missing = NULL;
	TRY(row_log_end(&b->notes.gaps));
	TRY(row_log_end(&b->notes.events));
	TRY(row_log_end(&b->notes.contexts));
	for (unsigned int mark = 0; mark < MARK_COUNT; mark++)
		TRY(mark_log_end(&b->notes.marks[mark]));
	return STATUS_OK;
}

void part_spill_to(struct part_builder *b, struct spill_file *spill)
{
	b->log.store.spill = spill;
	notes_spill_to(&b->notes, spill);
}

/* A run that is not where the last one leads. */
SELDOM static enum status add_misfit(struct part_builder *b, uint64_t address, uint64_t offset)
{
	return part_add_gap(b, (struct gap){.reason = GAP_MISFIT,
	                                    .address = address,
	                                    .has_address = true,
	                                    .offset = offset});
}

/* The atom batch is not after a known edge. */
SELDOM static enum status look_at_begin(struct part_builder *b, const struct atom_batch *batch)
{
	uint64_t start = b->graph->nodes[batch->first].walk.start;
	uint64_t expected;

	if (part_expected(b, &expected) && expected != start)
		TRY(add_misfit(b, start, batch->index));
	return STATUS_OK;
}

/* A branch that has to be taken was not. */
SELDOM static enum status add_contradiction(struct part_builder *b, const struct atom_batch *batch)
{
	const struct walk *walk = &b->graph->nodes[batch->first].walk;

	return add_misfit(b, walk->end - walk->last.size, batch->index);
}

/* What the core sees of memory is other than before, though no element says so. */
static inline bool is_other_view(const struct part_builder *b, const struct atom_batch *batch)
{
	const struct mark_log *views = &b->notes.marks[MARK_VIEW];

	return views->count == 0 || !views->last.known ||
	       views->last.value != b->graph->nodes[batch->first].view;
}

SELDOM static enum status mark_view(struct part_builder *b, const struct atom_batch *batch)
{
	return add_mark(b, MARK_VIEW, true, b->graph->nodes[batch->first].view);
}

MUST_USE static inline enum status count_cycles(struct part_builder *b, uint64_t position,
                                                uint32_t cycles)
{
	struct mark_log *marks = &b->notes.marks[MARK_CYCLES];

	b->cycles += cycles;
	if (cycles == 0 && marks->count > 0)
		return STATUS_OK;
	if (marks->count == 0 || marks->last.position != position)
		return mark_log_add(marks, (struct mark_entry){position, b->cycles, true});
	/* A core that waits is traced by many counts at one place, of which the last one counts. */
	marks->last.value = b->cycles;
	return STATUS_OK;
}

/* The cycle counts of a batch whose first instruction is at `position`. */
static enum status add_counts(struct part_builder *b, uint64_t position,
                              const struct cycle_count *counts, size_t count)
{
	struct history_event event = {.element = {.type = ELEMENT_CYCLE_COUNT,
	                                          .trace_id = b->trace_id,
	                                          .has_cycles = true}};

	for (const struct cycle_count *c = counts; c < counts + count; c++) {
		TRY(count_cycles(b, position + c->instructions, c->cycles));
		if (!c->is_element)
			continue;
		event.position = position + c->instructions;
		event.element.offset = c->index;
		event.element.cycles = c->cycles;
		TRY(row_log_add_alike(&b->notes.events, ELEMENT_CYCLE_COUNT, COUNT_WORDS, &event));
	}
	return STATUS_OK;
}

static enum status add_batch(struct part_builder *b, const struct atom_batch *batch)
{
	struct outcome_log *log = &b->log;

	if (batch->instructions == 0)
		return STATUS_OK;
	if (!batch->follows) {
		if (b->marks_views && is_other_view(b, batch))
			TRY(mark_view(b, batch));
		if (log->is_open && !outcome_log_is_targeted(log, batch) &&
		    !graph_leaves(b->graph, log->last, log->last_taken))
			TRY(look_at_begin(b, batch));
	}
	TRY(outcome_log_append(log, batch));
	/* A run that contradicts its code is always an atom batch, and its edge not known. */
	if (batch->count > 1 || (batch->atoms & 1) != 0 ||
	    b->graph->steps[batch->first].next[0] != GRAPH_ALONE ||
	    !node_is_unconditional(b, batch->first))
		return STATUS_OK;
	return add_contradiction(b, batch);
}

/* True if the range is what came after the last run before: most are. */
static bool is_successor(const struct part_builder *b, uint32_t view, const struct walk *walk,
                         uint32_t *number)
{
	const struct outcome_log *log = &b->log;

	if (!log->is_open)
		return false;
	*number = b->graph->successors[log->last][log->last_taken];
	return *number != GRAPH_NO_NODE && graph_is_odd_node(b->graph, *number, view, walk);
}

/* A range that was not followed through the graph becomes an odd node of it. */
static enum status add_walk(struct part_builder *b, uint32_t view, const struct walk *walk,
                            bool taken, uint64_t index)
{
	struct basic_block *node;
	struct insn insn;
	uint32_t opcode;
	uint32_t number;
	bool is_new;

	if (walk->count == 0)
		return STATUS_OK;
	if (is_successor(b, view, walk, &number))
		is_new = false;
	else
		TRY(graph_intern(b->graph, view, walk, &number, &is_new));
	node = &b->graph->nodes[number];
	if (is_new && walk->last.class == INSN_BRANCH) {
		node->lacks_target =
		        !classify_last(b, node, &opcode, &insn) || insn.class != INSN_BRANCH;
		if (!node->lacks_target)
			node->walk.last.target = insn.target;
	}
	TRY(graph_visit(b->graph, number));
	return add_batch(b, &(struct atom_batch){.index = index,
	                                         .first = number,
	                                         .last = number,
	                                         .atoms = taken,
	                                         .instructions = walk->count,
	                                         .count = 1});
}

static enum status add_range(struct part_builder *b, const struct element *element)
{
	struct walk walk = {
	        .start = element->range.start,
	        .end = element->range.end,
	        .count = element->range.count,
	        .isa = element->isa,
	        .last = {.class = element->range.last_class,
	                 .subclass = element->range.last_subclass,
	                 .size = element->range.last_size,
	                 .is_conditional = element->range.last_conditional},
	};

	/* The trace of a PTM may say another state without a word of context. */
	if (element->range.view != 0)
		TRY(add_mark(b, MARK_VIEW, true, element->range.view));
	return add_walk(b, element->range.view != 0 ? element->range.view : (uint32_t)SPACE_ANY,
	                &walk, element->range.last_executed, element->offset);
}

/* What was noted after an instruction that is taken back moves to where the outcome log ends now.
 */
static enum status clamp_positions(struct part_builder *b)
{
	TRY(row_log_clamp(&b->notes.events, b->log.length));
	TRY(row_log_clamp(&b->notes.contexts, b->log.length));
	for (unsigned int mark = 0; mark < MARK_COUNT; mark++)
		TRY(mark_log_clamp(&b->notes.marks[mark], b->log.length));
	return STATUS_OK;
}

/* The last instruction of the last run was cancelled by an exception: it did not execute. */
static enum status cancel_last(struct part_builder *b, uint64_t index)
{
	struct outcome_log *log = &b->log;
	struct basic_block whole;
	struct walk rest;
	struct run_insn insn;

	if (!log->is_open)
		return STATUS_OK;
	whole = b->graph->nodes[log->last];
	rest = whole.walk;
	TRY(data_items_cancel(&b->notes.events, log->length));
	outcome_log_drop_last(log);
	b->has_dropped_last = true;
	b->has_cancelled = true;
	if (b->group_block > log->block_count)
		b->group_block = log->block_count;
	rest.count--;
	if (rest.count > 0) {
		insn = run_insn_at(b->memory, &whole, rest.count - 1);
		rest.end = insn.address + insn.size;
		rest.last = (struct insn){.size = (uint8_t)insn.size};
		TRY(add_walk(b, whole.view, &rest, true, index));
	}
	return clamp_positions(b);
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
static enum status add_loss(struct part_builder *b, const struct element *element,
                            enum gap_reason reason)
{
	if (!b->in_trace)
		return STATUS_OK;
	return part_add_gap(b, (struct gap){.reason = reason, .offset = element->offset});
}

static enum status add_no_path(struct part_builder *b, const struct element *element)
{
	struct gap gap = {.reason = GAP_NO_PATH,
	                  .address = element->range.start,
	                  .has_address = true,
	                  .offset = element->offset};

	if (element->range.is_unreached) {
		gap.reason = GAP_UNREACHED;
		gap.address = element->range.end;
	}
	return part_add_gap(b, gap);
}

static enum status add_context(struct part_builder *b, const struct pe_context *context)
{
	struct memory_context memory = pe_context_memory(context);

	TRY(add_mark(b, MARK_CONTEXT_ID, context->has_context_id, context->context_id));
	return add_mark(b, MARK_VIEW, true,
	                memmap_view(b->memory, pe_context_space(context), &memory));
}

/*
 * The cycles since the last count ("Generic Trace Packet Descriptions", cycle_count). That of an
 * ETMv4 timestamp says how long ago the last count was, and the next one has those cycles again.
 */
static enum status add_cycles(struct part_builder *b, const struct element *element)
{
	if (!element->has_cycles ||
	    (element->type == ELEMENT_TIMESTAMP && !b->has_timestamp_cycles))
		return STATUS_OK;
	return count_cycles(b, b->log.length, element->cycles);
}

/*
 * An exception says where it was taken: at its preferred return address. If execution was
 * elsewhere, something between is missing.
 */
static enum status add_exception(struct part_builder *b, const struct element *element)
{
	uint64_t expected;

	if (element->exception.cancels_last)
		TRY(cancel_last(b, element->offset));
	else if (element->exception.has_return_address && part_expected(b, &expected) &&
	         element->exception.return_address != expected)
		TRY(add_misfit(b, element->exception.return_address, element->offset));
	explain(b);
	return STATUS_OK;
}

/* Why there is no opcode: none is there, or there are several. */
static enum gap_reason lack_reason(const struct memmap *memory, uint32_t view, uint64_t address)
{
	static const enum gap_reason reasons[] = {
	        [MEMMAP_LACKS_BYTES] = GAP_NO_MEMORY,    [MEMMAP_LACKS_CHOICE] = GAP_SEVERAL_CODES,
	        [MEMMAP_LACKS_TIME] = GAP_CODE_CHANGED,  [MEMMAP_LACKS_OWNER] = GAP_UNDECLARED,
	        [MEMMAP_LACKS_CONTEXT] = GAP_NO_CONTEXT, [MEMMAP_LACKS_PAST] = GAP_CODE_WRITTEN,
	};

	return reasons[memmap_lack_at(memory, view, address)];
}

/* The same, asked once of an address: trace comes to the same few again and again. */
static enum gap_reason missing_code(struct part_builder *b, const struct element *element)
{
	uint32_t view = element->nacc.view;
	uint64_t address = element->nacc.address;
	struct missing_code *known;

	if (view == 0)
		return GAP_NO_MEMORY;
	if (!b->missing)
		b->missing = calloc(MISSING_SLOTS, sizeof(*b->missing));
	if (!b->missing)
		return lack_reason(b->memory, view, address);
	known = &b->missing[hash_u64(address) % MISSING_SLOTS];
	if (known->view != view || known->address != address)
		*known =
		        (struct missing_code){address, view, lack_reason(b->memory, view, address)};
	return known->reason;
}

/* What an element other than a range means for the history, beside being an event in it. */
static enum status note_element(struct part_builder *b, const struct element *element)
{
	switch (element->type) {
	case ELEMENT_NO_SYNC:
		return add_loss(b, element, no_sync_gap(element->no_sync));
	case ELEMENT_TRACE_ON:
		return add_loss(b, element, trace_on_gap(element->trace_on));
	case ELEMENT_ADDR_NACC:
		return part_add_gap(b, (struct gap){.reason = missing_code(b, element),
		                                    .address = element->nacc.address,
		                                    .has_address = true,
		                                    .offset = element->offset,
		                                    .place = element->nacc.place});
	case ELEMENT_ADDR_UNKNOWN:
	case ELEMENT_UNKNOWN:
		return add_loss(b, element, GAP_BAD_PACKET);
	case ELEMENT_I_RANGE_NOPATH:
		return add_no_path(b, element);
	case ELEMENT_EXCEPTION:
		return add_exception(b, element);
	case ELEMENT_PE_CONTEXT:
		return add_context(b, &element->context);
	case ELEMENT_TIMESTAMP:
		return add_mark(b, MARK_TIMESTAMP, true, element->timestamp);
	case ELEMENT_MEMTRANS:
		/* A transaction that failed goes on after its start. */
		if (element->memtrans == MEMTRANS_FAIL)
			explain(b);
		break;
	case ELEMENT_EO_TRACE:
	case ELEMENT_INSTR_RANGE:
	case ELEMENT_CYCLE_COUNT:
	case ELEMENT_EXCEPTION_RET:
	case ELEMENT_EVENT:
	case ELEMENT_SWTRACE:
	case ELEMENT_SYNC_MARKER:
	case ELEMENT_INSTRUMENTATION:
	case ELEMENT_ITMTRACE:
	case ELEMENT_CUSTOM:
	case ELEMENT_DATA:
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

/* Of what the code does not lead to the gap says all, and of what nobody says where it ran. */
static bool is_event(const struct element *element)
{
	if (element->type != ELEMENT_I_RANGE_NOPATH)
		return element->type != ELEMENT_INSTR_RANGE;
	return !element->range.is_unreached && !element->range.is_untold;
}

static enum status add_element(struct part_builder *b, const struct element *element)
{
	enum status status = element->type == ELEMENT_INSTR_RANGE ? add_range(b, element)
	                                                          : note_element(b, element);

	TRY(status);
	TRY(add_cycles(b, element));
	b->in_trace |= tells_execution(element->type);
	return is_event(element) ? add_event(b, element) : STATUS_OK;
}

/* Idx of the first run. */
static void note_first(struct part_builder *b, const struct decoded *decoded)
{
	for (size_t i = decoded->batch_count; i-- > 0;) {
		if (decoded->batches[i].count > 0)
			b->first_index = decoded->batches[i].index;
	}
}

static enum status add_batches(struct part_builder *b, const struct decoded *decoded)
{
	const struct cycle_count *counts = decoded->counts;
	const struct atom_batch *end = decoded->batches + decoded->batch_count;

	if (b->log.run_count == 0)
		note_first(b, decoded);
	for (const struct atom_batch *batch = decoded->batches; batch < end; batch++) {
		TRY(add_batch(b, batch));
		if (batch->counts == 0)
			continue;
		TRY(add_counts(b, b->log.length - batch->instructions, counts, batch->counts));
		counts += batch->counts;
	}
	b->in_trace |= b->log.run_count > 0;
	return STATUS_OK;
}

enum status part_add(struct part_builder *b, const struct decoded *decoded)
{
	TRY(decoded->batch_count > 0 ? add_batches(b, decoded) : add_element(b, &decoded->element));
	if (b->log.run_count - b->group_runs < GROUP_RUNS || !decoded->is_drained)
		return STATUS_OK;
	outcome_log_end_block(&b->log);
	return end_group(b);
}
