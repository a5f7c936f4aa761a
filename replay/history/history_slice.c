/* SPDX-License-Identifier: Apache-2.0 */
/* Histories of contexts; see history_slice.h. */
#include "replay/history/history_slice.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "replay/history/history_part.h"
#include "replay/history/timeline.h"

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
			                   (struct history_slice){history, now.position,
			                                          next.position,
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

/* One of the histories that slices are of. */
struct base {
	const struct history *history;
	struct graph *graph; /* of its slices */
	size_t gap;          /* the first that is not known to be before what comes next */
	uint64_t done;       /* what is before this position was copied, or is too old */
};

/* A base's notes that are being copied, and where they go. */
struct copying {
	const struct history_slices *what;
	struct base *bases;
	struct part_builder *parts; /* of slices one after the other of the same base */
	size_t part_count;
	const struct history *base; /* of the slice that is copied; as are all below */
	struct part_builder *part;
	size_t event;
	size_t gap;
	size_t marks[MARK_COUNT];
};

static struct base *base_of(const struct copying *c, size_t slice)
{
	size_t i = 0;

	while (c->bases[i].history != c->what->items[slice].base)
		i++;
	return &c->bases[i];
}

static enum status add_mark(struct copying *c, unsigned int mark, struct mark_entry entry)
{
	entry.position = c->part->log.length;
	return mark_log_add(&c->part->notes.marks[mark], entry);
}

/* When a stretch of positions was executed: not before `earliest`, not after `latest`. */
static struct moment time_of(const struct history *history, uint64_t first, uint64_t last)
{
	struct moment moment = timeline_at(history, first);
	/* A timestamp at a position is not after what comes there. */
	struct moment after = {.has_latest = false};

	if (last < history->length)
		after = timeline_at(history, last + 1);
	moment.has_latest = after.has_latest;
	moment.latest = after.latest;
	return moment;
}

/* That of a gap, from the instruction before it to the one after it. */
static struct moment time_of_gap(const struct history *history, const struct gap *gap)
{
	struct moment moment =
	        time_of(history, gap->position > 0 ? gap->position - 1 : 0, gap->position);

	moment.has_earliest &= gap->position > 0;
	return moment;
}

/* What lies between two slices that are neighbours. */
struct between {
	size_t next;         /* slice; their count: the end */
	struct moment begin; /* the last instruction before */
	struct moment end;   /* the first instruction after; nothing is known of it at the end */
};

static struct between between_slices(const struct copying *c, size_t next)
{
	const struct history_slice *items = c->what->items;
	const struct history_slice *before = &items[next - 1];
	struct between between = {.next = next};

	between.begin = time_of(before->base, before->to - 1, before->to - 1);
	if (next < c->what->count)
		between.end = time_of(items[next].base, items[next].from, items[next].from);
	return between;
}

/* Where a base does not know who ran, the context may have: of that, one gap is enough. */
static enum status add_doubts(struct copying *c, struct base *base, const struct between *between)
{
	bool is_after = base == base_of(c, between->next - 1);
	bool is_before = between->next < c->what->count && base == base_of(c, between->next);
	uint64_t limit = is_before ? c->what->items[between->next].from : UINT64_MAX;
	struct gap gap;

	for (; history_gap(base->history, base->gap, &gap) && gap.position < limit; base->gap++) {
		struct moment time;

		if (gap.position < base->done || !gap_loses_context(gap.reason))
			continue;
		if (is_after && (is_before || c->what->base_count == 1)) {
			TRY(part_add_gap(c->part, gap));
			continue;
		}
		time = time_of_gap(base->history, &gap);
		if (moment_order(&time, &between->begin) == ORDER_BEFORE)
			continue;
		/* It may be before later slices, too. */
		return moment_order(&time, &between->end) == ORDER_AFTER
		               ? STATUS_OK
		               : part_add_gap(c->part, gap);
	}
	return STATUS_OK;
}

/* Before its trace begins, a core may have executed anything. */
static enum status add_beginning(struct copying *c, const struct base *base,
                                 const struct between *between)
{
	struct moment first = timeline_at(base->history, 0);

	if (base->done > 0 || (first.has_latest && between->begin.has_earliest &&
	                       first.latest <= between->begin.earliest))
		return STATUS_OK;
	return part_add_gap(c->part, (struct gap){.reason = GAP_TRACE_ON});
}

/* Gaps after the slice before `next`, at the present end of the part. */
static enum status add_gaps(struct copying *c, size_t next)
{
	const struct between between = between_slices(c, next);

	for (size_t i = 0; i < c->what->base_count; i++) {
		if (c->what->base_count > 1)
			TRY(add_beginning(c, &c->bases[i], &between));
		TRY(add_doubts(c, &c->bases[i], &between));
	}
	return STATUS_OK;
}

/* What the base's marks are at the slice's beginning. */
static enum status begin_slice(struct copying *c, const struct history_slice *slice)
{
	part_break(c->part);
	c->gap = history_gap_index(c->base, slice->from);
	c->event = history_event_index(c->base, slice->from);
	for (unsigned int mark = 0; mark < MARK_COUNT; mark++) {
		c->marks[mark] = history_mark_after(c->base, mark, slice->from);
		if (c->marks[mark] > 0)
			TRY(add_mark(c, mark,
			             history_mark_entry(c->base, mark, c->marks[mark] - 1)));
	}
	return STATUS_OK;
}

static enum status copy_marks(struct copying *c, enum mark mark, uint64_t position)
{
	for (; c->marks[mark] < c->base->notes.marks[mark].count; c->marks[mark]++) {
		struct mark_entry entry = history_mark_entry(c->base, mark, c->marks[mark]);

		if (entry.position > position)
			break;
		TRY(add_mark(c, mark, entry));
	}
	return STATUS_OK;
}

/* What the base has up to before its instruction `position`. */
static enum status copy_notes(struct copying *c, uint64_t position)
{
	struct history_event event;
	struct gap gap;

	for (; history_gap(c->base, c->gap, &gap) && gap.position <= position; c->gap++)
		TRY(part_add_gap(c->part, gap));
	for (; history_event(c->base, c->event, &event) && event.position <= position; c->event++) {
		event.position = c->part->log.length;
		TRY(notes_add_event(&c->part->notes, &event));
	}
	for (unsigned int mark = 0; mark < MARK_COUNT; mark++)
		TRY(copy_marks(c, (enum mark)mark, position));
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

static enum status copy_slice(struct copying *c, const struct history_slice *slice)
{
	struct history_runs runs;
	struct history_run run;

	TRY(begin_slice(c, slice));
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

/* The next part, of slices of this history, which is the base's; the one before is whole. */
static enum status begin_part(struct copying *c, struct base *base, const struct history *history)
{
	if (c->part_count > 0)
		TRY(part_end(c->part));
	if (!base->graph)
		base->graph = graph_create();
	if (!base->graph)
		return STATUS_NO_MEM;
	graph_begin_epoch(base->graph);
	c->base = history;
	c->part = &c->parts[c->part_count++];
	TRY(part_init(c->part, c->base->core, base->graph));
	c->part->memory = c->base->memory;
	return STATUS_OK;
}

static enum status copy_slices(struct copying *c)
{
	const struct history_slice *items = c->what->items;

	for (size_t i = 0; i < c->what->count; i++) {
		struct base *base = base_of(c, i);

		if (i > 0)
			TRY(add_gaps(c, i));
		if (i == 0 || items[i].base != items[i - 1].base)
			TRY(begin_part(c, base, items[i].base));
		TRY(copy_slice(c, &items[i]));
		/* At the halt all is copied. */
		base->done = items[i].to + (items[i].to == c->base->length);
	}
	TRY(add_gaps(c, c->what->count));
	return part_end(c->part);
}

/* Where execution was after the slices: another context's instruction, or the halt. */
static void set_end(struct history *h, const struct history_slice *last)
{
	uint64_t pc = 0;

	h->memory = last->base->memory;
	h->has_end = history_pc(last->base, last->to, &pc) == STATUS_OK;
	h->end_address = pc;
	if (last->to == last->base->length) {
		memcpy(h->left_out, last->base->left_out, sizeof(h->left_out));
		return;
	}
	for (unsigned int i = 0; i < REGISTER_FILE_MOST; i++)
		h->registers[i] = NULL;
}

/* The graphs of bases that have slices go to the history. */
static enum status join_parts(struct copying *c, struct history **history)
{
	const struct history_slice *last = &c->what->items[c->what->count - 1];
	struct graph **graphs = calloc(c->what->base_count, sizeof(struct graph *));
	size_t count = 0;
	enum status status;

	if (!graphs)
		return STATUS_NO_MEM;
	for (size_t i = 0; i < c->what->base_count; i++) {
		if (c->bases[i].graph)
			graphs[count++] = c->bases[i].graph;
		c->bases[i].graph = NULL;
	}
	status =
	        history_of_parts(last->base->core, graphs, count, c->parts, c->part_count, history);
	if (status == STATUS_OK)
		set_end(*history, last);
	for (size_t i = 0; i < count; i++)
		graph_destroy(graphs[i]);
	free(graphs);
	return status;
}

/* How often the base is another than that of the slice before. */
static size_t count_parts(const struct history_slices *what)
{
	size_t count = 1;

	for (size_t i = 1; i < what->count; i++)
		count += what->items[i].base != what->items[i - 1].base;
	return count;
}

enum status history_of_slices(const struct history_slices *what, struct history **history)
{
	struct copying copying = {
	        .what = what,
	        .bases = calloc(what->base_count, sizeof(*copying.bases)),
	        .parts = calloc(count_parts(what), sizeof(*copying.parts)),
	};
	enum status status = STATUS_NO_MEM;

	for (size_t i = 0; copying.bases && i < what->base_count; i++)
		copying.bases[i].history = what->bases[i];
	if (copying.bases && copying.parts)
		status = copy_slices(&copying);
	if (status == STATUS_OK)
		status = join_parts(&copying, history);
	for (size_t i = 0; i < copying.part_count; i++)
		part_fini(&copying.parts[i]);
	for (size_t i = 0; copying.bases && i < what->base_count; i++)
		graph_destroy(copying.bases[i].graph);
	free(copying.parts);
	free(copying.bases);
	return status;
}
