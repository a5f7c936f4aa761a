/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a history: the instruction at a position, the nearest position of an address, and what
 * the trace said there. A search by address never steps: it marks the shapes that contain the
 * address and then looks at shape numbers only.
 */
#include <assert.h>
#include <stdlib.h>

#include "replay/history_store.h"
#include "replay/run_insn.h"

enum { RUNS_PER_POLL = 1 << 16 };

/* A run and the position of its first instruction. */
struct run_place {
	size_t run;
	uint64_t position;
};

static const struct shape *shape_of(const struct history *h, size_t run)
{
	return &h->table.shapes[h->runs[run]];
}

/* The run that holds `position` < N. */
static struct run_place find_run(const struct history *h, uint64_t position)
{
	size_t low = 0;
	size_t high = h->checkpoint_count;
	struct run_place place;

	assert(position < h->length);
	/* The last checkpoint at or before the position lies in [low, high). */
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (h->checkpoints[middle] <= position)
			low = middle;
		else
			high = middle;
	}
	place = (struct run_place){low * RUNS_PER_CHECKPOINT, h->checkpoints[low]};
	while (position - place.position >= shape_of(h, place.run)->count)
		place.position += shape_of(h, place.run++)->count;
	return place;
}

const struct snap_core *history_core(const struct history *history)
{
	return history->core;
}

uint64_t history_length(const struct history *history)
{
	return history->length;
}

uint64_t history_run_count(const struct history *history)
{
	return history->run_count;
}

const struct shape *history_shapes(const struct history *history, size_t *count)
{
	*count = history->table.count;
	return history->table.shapes;
}

void history_at(const struct history *history, uint64_t position, struct instruction *out)
{
	const struct memmap *memory = history->core->memory;
	struct run_place place = find_run(history, position);
	const struct shape *shape = shape_of(history, place.run);
	uint32_t index = (uint32_t)(position - place.position);
	struct run_insn insn = run_insn_at(memory, shape, index);
	bool is_last = index == shape->count - 1;

	*out = (struct instruction){
	        .address = insn.address,
	        .size = (uint8_t)insn.size,
	        .isa = (enum isa)shape->isa,
	        .is_last = is_last,
	        .executed = !is_last || shape->last_executed,
	        .class = is_last ? (enum insn_class)shape->last_class : INSN_OTHER,
	        .subclass = is_last ? (enum insn_subclass)shape->last_subclass : INSN_SUB_NONE,
	};
	out->has_opcode = run_insn_opcode(memory, shape, insn, &out->opcode);
}

enum status history_pc(const struct history *history, uint64_t position, uint64_t *pc)
{
	const struct snap_register *reg;
	struct run_place place;

	if (position < history->length) {
		place = find_run(history, position);
		*pc = run_insn_at(history->core->memory, shape_of(history, place.run),
		                  (uint32_t)(position - place.position))
		              .address;
		return STATUS_OK;
	}
	reg = snap_device_any_register(history->core->device, STR("PC|R15"));
	*pc = reg ? snap_register_value(reg) : history->end_address;
	if (!reg)
		return history->has_end ? STATUS_OK : STATUS_NOT_FOUND;
	/* Some tools write the PC as a branch target, with the T32 state in bit 0. */
	if (history->core->arch != CORE_A64)
		*pc &= ~UINT64_C(1);
	return STATUS_OK;
}

/*
 * The shapes with an instruction at one of the addresses, as one byte a shape. The caller frees it;
 * NULL in *marked if there is none.
 */
static enum status mark_shapes(const struct history *h, const struct history_search *what,
                               uint8_t **marked)
{
	bool any = false;
	uint8_t *flags = h->table.count > 0 ? calloc(h->table.count, 1) : NULL;

	*marked = NULL;
	if (!flags)
		return h->table.count > 0 ? STATUS_NO_MEM : STATUS_OK;
	for (size_t i = 0; i < h->table.count; i++) {
		const struct shape *shape = &h->table.shapes[i];
		uint32_t index;

		for (size_t k = 0; k < what->address_count && !flags[i]; k++)
			flags[i] =
			        run_insn_find(h->core->memory, shape, what->addresses[k], &index);
		any |= flags[i] != 0;
	}
	if (any)
		*marked = flags;
	else
		free(flags);
	return STATUS_OK;
}

/* A search within the positions that count: first <= p <= last. */
struct search {
	const struct history *history;
	const struct history_search *what;
	uint64_t first;
	uint64_t last;
};

static bool is_interrupted(const struct search *s, size_t run)
{
	return run % RUNS_PER_POLL == 0 && s->what->interrupted &&
	       s->what->interrupted(s->what->context);
}

/* The newest (or oldest) hit inside one run, limited to the search's positions. */
static bool hit_in_run(const struct search *s, struct run_place place, bool newest,
                       uint64_t *position)
{
	const struct shape *shape = shape_of(s->history, place.run);
	bool found = false;

	for (size_t i = 0; i < s->what->address_count; i++) {
		uint32_t index;
		uint64_t p;

		if (!run_insn_find(s->history->core->memory, shape, s->what->addresses[i], &index))
			continue;
		p = place.position + index;
		if (p < s->first || p > s->last || (found && (p > *position) != newest))
			continue;
		*position = p;
		found = true;
	}
	return found;
}

static enum status search_backward(const struct search *s, const uint8_t *marked,
                                   uint64_t *position)
{
	const struct history *h = s->history;
	struct run_place place = find_run(h, s->last);

	for (;;) {
		if (marked[h->runs[place.run]] && hit_in_run(s, place, true, position))
			return STATUS_OK;
		if (place.position <= s->first)
			return STATUS_NOT_FOUND;
		place.run--;
		place.position -= shape_of(h, place.run)->count;
		if (is_interrupted(s, place.run))
			return STATUS_INTERRUPTED;
	}
}

static enum status search_forward(const struct search *s, const uint8_t *marked, uint64_t *position)
{
	const struct history *h = s->history;
	struct run_place place = find_run(h, s->first);

	for (;;) {
		if (marked[h->runs[place.run]] && hit_in_run(s, place, false, position))
			return STATUS_OK;
		place.position += shape_of(h, place.run)->count;
		place.run++;
		if (place.position > s->last)
			return STATUS_NOT_FOUND;
		if (is_interrupted(s, place.run))
			return STATUS_INTERRUPTED;
	}
}

static enum status search_run(const struct search *s, bool backward, uint64_t *position)
{
	uint8_t *marked;
	enum status status;

	TRY(mark_shapes(s->history, s->what, &marked));
	if (!marked)
		return STATUS_NOT_FOUND;
	status = backward ? search_backward(s, marked, position)
	                  : search_forward(s, marked, position);
	free(marked);
	return status;
}

enum status history_find_backward(const struct history *history,
                                  const struct history_search *search, uint64_t from,
                                  uint64_t limit, uint64_t *position)
{
	struct search s = {history, search, limit, from - 1};

	if (from == 0 || history->length == 0)
		return STATUS_NOT_FOUND;
	if (s.last >= history->length)
		s.last = history->length - 1;
	return s.first > s.last ? STATUS_NOT_FOUND : search_run(&s, true, position);
}

enum status history_find_forward(const struct history *history, const struct history_search *search,
                                 uint64_t from, uint64_t limit, uint64_t *position)
{
	struct search s = {history, search, from + 1, limit};

	if (from >= history->length)
		return STATUS_NOT_FOUND;
	if (s.last >= history->length)
		s.last = history->length - 1;
	return s.first > s.last ? STATUS_NOT_FOUND : search_run(&s, false, position);
}

uint64_t history_executed_extent(const struct history *history, uint64_t address)
{
	size_t low = 0;
	size_t high = history->executed_count;

	/* The first extent that ends at or behind the address. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (history->executed[middle].last < address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == history->executed_count || history->executed[low].first > address)
		return 0;
	return history->executed[low].last - address + 1;
}

const struct gap *history_gaps(const struct history *history, size_t *count)
{
	*count = history->gap_count;
	return history->gaps;
}

/* Index of the first gap at or behind `position`. */
static size_t gap_index(const struct history *h, uint64_t position)
{
	size_t low = 0;
	size_t high = h->gap_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (h->gaps[middle].position < position)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct gap *history_gap_at(const struct history *history, uint64_t position)
{
	size_t i = gap_index(history, position);

	if (i == history->gap_count || history->gaps[i].position != position)
		return NULL;
	return &history->gaps[i];
}

const struct gap *history_gap_between(const struct history *history, uint64_t from, uint64_t to,
                                      bool newest)
{
	size_t first = gap_index(history, from + 1);
	size_t end = gap_index(history, to);

	if (to <= from || first >= end)
		return NULL;
	return newest ? history_gap_at(history, history->gaps[end - 1].position)
	              : &history->gaps[first];
}

const struct history_event *history_events(const struct history *history, size_t *count)
{
	*count = history->event_count;
	return history->events;
}

size_t history_event_index(const struct history *history, uint64_t position)
{
	size_t low = 0;
	size_t high = history->event_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (history->events[middle].position < position)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

enum status history_mark(const struct history *history, enum mark mark, uint64_t position,
                         uint64_t *value)
{
	const struct mark_list *list = &history->marks[mark];
	size_t low = 0;
	size_t high = list->count;

	/* The first entry behind the position; the one before it holds. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list->items[middle].position <= position)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || !list->items[low - 1].known)
		return STATUS_UNAVAILABLE;
	*value = list->items[low - 1].value;
	return STATUS_OK;
}
