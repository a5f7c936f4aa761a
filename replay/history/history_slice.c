/* SPDX-License-Identifier: Apache-2.0 */
/* Histories of contexts; see history_slice.h. */
#include "replay/history/history_slice.h"

#include <stdlib.h>

#include "base/vec.h"
#include "replay/history/history_part.h"

static enum status add_slice(struct history_slice **slices, size_t *count, size_t *capacity,
                             struct history_slice slice)
{
	struct history_slice *last = *count > 0 ? &(*slices)[*count - 1] : NULL;

	if (slice.from >= slice.to)
		return STATUS_OK;
	if (last && last->to == slice.from && last->context_id == slice.context_id) {
		last->to = slice.to;
		return STATUS_OK;
	}
	TRY(vec_reserve((void **)slices, capacity, *count + 1, sizeof(**slices)));
	(*slices)[(*count)++] = slice;
	return STATUS_OK;
}

enum status history_context_slices(const struct history *history, struct history_slice **slices,
                                   size_t *count)
{
	size_t marks = history->notes.marks[MARK_CONTEXT_ID].count;
	struct mark_entry now = {.known = false};
	size_t capacity = 0;

	*slices = NULL;
	*count = 0;
	for (size_t i = 0; i <= marks; i++) {
		struct mark_entry next = {.position = history->length};
		enum status status = STATUS_OK;

		if (i < marks)
			next = history_mark_entry(history, MARK_CONTEXT_ID, i);
		if (now.known)
			status = add_slice(slices, count, &capacity,
			                   (struct history_slice){now.position, next.position,
			                                          (uint32_t)now.value});
		if (status != STATUS_OK) {
			free(*slices);
			*slices = NULL;
			return status;
		}
		now = next;
	}
	return STATUS_OK;
}

/* A base's notes that are being copied. */
struct copying {
	const struct history *base;
	struct part_builder *part;
	size_t event;
	size_t gap;
	size_t marks[MARK_COUNT];
};

static enum status add_mark(struct copying *c, unsigned int mark, struct mark_entry entry)
{
	entry.position = c->part->log.length;
	return row_log_add(&c->part->notes.marks[mark], 0, &entry);
}

/* Where the base does not know who ran, the context may have: of that, one gap is enough. */
static enum status pass_gaps(struct copying *c, uint64_t position, bool has_begun)
{
	const struct gap_list *gaps = &c->base->notes.gaps;

	for (; c->gap < gaps->count && gaps->items[c->gap].position < position; c->gap++) {
		if (has_begun && gap_loses_context(gaps->items[c->gap].reason))
			TRY(part_add_gap(c->part, gaps->items[c->gap]));
	}
	return STATUS_OK;
}

/* What the base's marks are at the slice's beginning. */
static enum status begin_slice(struct copying *c, const struct history_slice *slice, bool is_first)
{
	part_break(c->part);
	TRY(pass_gaps(c, slice->from, !is_first));
	c->event = history_event_index(c->base, slice->from);
	for (unsigned int mark = 0; mark < MARK_COUNT; mark++) {
		c->marks[mark] = history_mark_after(c->base, mark, slice->from);
		if (c->marks[mark] > 0)
			TRY(add_mark(c, mark,
			             history_mark_entry(c->base, mark, c->marks[mark] - 1)));
	}
	return STATUS_OK;
}

/* What the base has up to before its instruction `position`. */
static enum status copy_notes(struct copying *c, uint64_t position)
{
	const struct gap_list *gaps = &c->base->notes.gaps;
	struct history_event event;

	for (; c->gap < gaps->count && gaps->items[c->gap].position <= position; c->gap++)
		TRY(part_add_gap(c->part, gaps->items[c->gap]));
	for (; history_event(c->base, c->event, &event) && event.position <= position; c->event++) {
		event.position = c->part->log.length;
		TRY(row_log_add(&c->part->notes.events, event.element.type, &event));
	}
	for (unsigned int mark = 0; mark < MARK_COUNT; mark++) {
		for (; c->marks[mark] < c->base->notes.marks[mark].count; c->marks[mark]++) {
			struct mark_entry entry = history_mark_entry(c->base, mark, c->marks[mark]);

			if (entry.position > position)
				break;
			TRY(add_mark(c, mark, entry));
		}
	}
	return STATUS_OK;
}

/* The base has found out whether it follows from the run before, and has a gap if it does not. */
static enum status add_run(struct copying *c, const struct history_run *run)
{
	const struct basic_block *block = &run->graph->nodes[run->node];
	const struct walk *walk = &block->walk;
	struct decoded decoded = {.is_drained = true};
	struct element *e = &decoded.element;
	uint64_t expected;

	e->type = ELEMENT_INSTR_RANGE;
	e->isa = walk->isa;
	e->range.start = walk->start;
	e->range.end = walk->end;
	e->range.count = walk->count;
	e->range.view = block->view;
	e->range.last_class = walk->last.class;
	e->range.last_subclass = walk->last.subclass;
	e->range.last_size = walk->last.size;
	e->range.last_conditional = walk->last.is_conditional;
	e->range.last_executed = run->taken;
	if (part_expected(c->part, &expected) && expected != walk->start)
		part_break(c->part);
	return part_add(c->part, &decoded);
}

static enum status copy_slice(struct copying *c, const struct history_slice *slice, bool is_first)
{
	struct history_runs runs;
	struct history_run run;

	TRY(begin_slice(c, slice, is_first));
	history_runs_begin(&runs, c->base, slice->from);
	while (history_runs_next(&runs, &run) && run.position < slice->to) {
		if (run.position < slice->from)
			continue;
		TRY(copy_notes(c, run.position));
		TRY(add_run(c, &run));
	}
	/* At the halt there is no run after; else the next belongs to another context. */
	return slice->to == c->base->length ? copy_notes(c, slice->to) : STATUS_OK;
}

static enum status copy_slices(struct copying *c, const struct history_slice *slices, size_t count)
{
	for (size_t i = 0; i < count; i++)
		TRY(copy_slice(c, &slices[i], i == 0));
	TRY(pass_gaps(c, UINT64_MAX, true));
	return part_end(c->part);
}

/* Where execution was after the slices: another context's instruction, or the halt. */
static void set_end(struct history *h, const struct history *base, uint64_t position)
{
	uint64_t pc = 0;

	h->memory = base->memory;
	h->has_end = history_pc(base, position, &pc) == STATUS_OK;
	h->end_address = pc;
	if (position == base->length)
		return;
	for (unsigned int i = 0; i < REGISTER_FILE_MOST; i++)
		h->registers[i] = NULL;
}

enum status history_of_slices(const struct history *base, const struct history_slice *slices,
                              size_t count, struct history **history)
{
	struct graph *graph = graph_create();
	struct copying copying = {.base = base};
	enum status status = STATUS_NO_MEM;

	if (graph)
		copying.part = part_create(base->core, graph);
	if (copying.part) {
		copying.part->memory = base->memory;
		status = copy_slices(&copying, slices, count);
	}
	if (status == STATUS_OK)
		status = history_of_part(base->core, &graph, copying.part, NULL, history);
	if (status == STATUS_OK)
		set_end(*history, base, slices[count - 1].to);
	part_destroy(copying.part);
	graph_destroy(graph);
	return status;
}
