/* SPDX-License-Identifier: Apache-2.0 */
/* Which task is which, and what those have that wait; see task_switch.h. */
#include <stdlib.h>

#include "base/vec.h"
#include "replay/history/history.h"
#include "replay/values/solver/memdep_clobber.h"
#include "replay/values/solver/task_switch.h"

enum { IDLE = 0, STACK_ALIGN = 16 };

/* NULL without memory. */
static struct task_number *of_number(struct solver *s, uint32_t number)
{
	struct task_switches *switches = &s->tasks;

	for (size_t i = 0; i < switches->number_count; i++) {
		if (switches->numbers[i].number == number)
			return &switches->numbers[i];
	}
	if (vec_reserve((void **)&switches->numbers, &switches->number_capacity,
	                switches->number_count + 1, sizeof(*switches->numbers)) != STATUS_OK) {
		s->memory.status = STATUS_NO_MEM;
		return NULL;
	}
	switches->numbers[switches->number_count] = (struct task_number){.number = number};
	return &switches->numbers[switches->number_count++];
}

static bool read_word(const struct solver *s, uint64_t address, uint64_t *word)
{
	uint8_t bytes[8];
	struct bytes in = bytes_of(bytes, sizeof(bytes));

	return memmap_read(s->memory.map, s->memory.view, address, bytes, sizeof(bytes)) ==
	               sizeof(bytes) &&
	       bytes_le(&in, sizeof(bytes), word) == STATUS_OK;
}

/* Memory at the halt has the number where a task there has its own. */
static bool has_number(const struct solver *s, uint64_t task, uint32_t number)
{
	uint32_t its_number;

	return memmap_read_word(s->memory.map, s->memory.view, task + s->tasks.layout.number,
	                        &its_number) &&
	       its_number == number;
}

/* The same, and a stack that there is. */
static bool is_task(const struct solver *s, uint64_t task, uint32_t number)
{
	uint64_t sp;
	uint64_t on_stack;

	return has_number(s, task, number) && read_word(s, task + s->tasks.layout.sp, &sp) &&
	       sp % STACK_ALIGN == 0 && sp >= memdep_canonical(KERNEL_HALF) &&
	       read_word(s, sp, &on_stack);
}

/* Looks through a stretch of memory; how many tasks of the number there are. */
static size_t look_in(const struct solver *s, struct bytes bytes, uint64_t address,
                      struct task_number *of)
{
	const struct task_layout *layout = &s->tasks.layout;
	size_t found = 0;
	uint64_t word;

	if (bytes_seek(&bytes, -address % sizeof(word)) != STATUS_OK)
		return 0;
	for (address += -address % sizeof(word); bytes_le(&bytes, sizeof(word), &word) == STATUS_OK;
	     address += sizeof(word)) {
		if (word != layout->lr_value || !is_task(s, address - layout->lr, of->number))
			continue;
		of->task = address - layout->lr;
		found++;
	}
	return found;
}

/* Looks for a task in what dumps have of the kernel's addresses. */
static void look_for(const struct solver *s, struct task_number *of)
{
	const struct memdep_memory *m = &s->memory;
	uint64_t at = memdep_canonical(KERNEL_HALF);
	size_t found = 0;
	bool goes_on = true;

	of->is_looked_for = true;
	while (goes_on) {
		struct mem_span span;

		if (memmap_find(m->map, m->view, at, &span) != STATUS_OK) {
			goes_on = memmap_next(m->map, at, &at);
			continue;
		}
		if (span.region->kind != REGION_IMAGE)
			found += look_in(s, span.bytes, at, of);
		at += bytes_left(&span.bytes);
		goes_on = at != 0;
	}
	of->is_found = found == 1;
}

/* The task of a number, or NULL if that is not known. */
static const struct task_number *find_task(struct solver *s, uint32_t number)
{
	struct task_number *of = of_number(s, number);

	if (of && !of->is_found && !of->is_looked_for)
		look_for(s, of);
	return of && of->is_found ? of : NULL;
}

/* A task that is known elsewhere, if it has the number: what is supposed may be wrong. */
static void note(struct solver *s, uint32_t number, uint32_t ssa)
{
	struct bits task = s->ssa_values[ssa];
	struct task_number *of;

	if (task.known != UINT64_MAX || !has_number(s, task.value, number))
		return;
	of = of_number(s, number);
	if (!of || of->is_found)
		return;
	of->is_found = true;
	of->task = task.value;
}

/* True if that is new. Where contradictions are passed over it may be another value, and is not. */
static bool learn(struct solver *s, const struct task_switch *at, uint32_t ssa, uint64_t value)
{
	uint64_t known = s->ssa_values[ssa].known;

	if (s->has_conflict)
		return false;
	solve_because(s, CAUSE_TASK, at->dyn, ssa);
	solve_learn_ssa(s, at->dyn, ssa, bits_of(value));
	return s->ssa_values[ssa].known != known;
}

/* The position at which CONTEXTIDR has a number again, or that of the end of the window. */
static uint64_t find_again(const struct solver *s, uint32_t number, uint64_t from)
{
	struct context_change change;
	uint64_t end = s->w.options.to;

	for (size_t i = 0; history_context_change(s->w.history, i, &change); i++) {
		if (change.position >= end)
			break;
		if (change.position > from && change.context.has_context_id &&
		    change.context.context_id == number)
			return change.position;
	}
	return end;
}

/*
 * Until which dynamic instruction the old task of a switch waits: the switch that goes back to it,
 * or, if that is not one of those that were found, where CONTEXTIDR has its number.
 */
static size_t find_return(const struct solver *s, const struct task_switch *from)
{
	const struct task_switches *switches = &s->tasks;
	const struct task_switch *last = switches->items + switches->count;
	uint64_t position = find_again(s, from->before, window_position_of(&s->w, from->dyn));

	for (const struct task_switch *at = from + 1; at < last; at++) {
		if (at->after == from->before &&
		    window_position_of(&s->w, at->number) <= position &&
		    position <= window_position_of(&s->w, at->dyn))
			return at->dyn;
	}
	return window_dyn_of(&s->w, position);
}

/* No other core ran the task of a number between two dynamic instructions. */
static bool is_alone(const struct solver *s, uint32_t number, size_t from, size_t to)
{
	if (s->memory.is_linked || number == IDLE)
		return true;
	return s->others &&
	       other_writes_none_ran(s->others, number, window_position_of(&s->w, from),
	                             window_position_of(&s->w, to));
}

static int compare_waits(const void *left, const void *right)
{
	const struct task_wait *a = left;
	const struct task_wait *b = right;

	if (a->task != b->task)
		return a->task < b->task ? -1 : 1;
	return (a->first > b->first) - (a->first < b->first);
}

/* The old task of a switch waits until it is switched to again. True if that is new. */
static bool note_wait(struct solver *s, struct task_switch *from, uint64_t task)
{
	struct task_switches *switches = &s->tasks;
	size_t end;

	if (from->is_noted)
		return false;
	from->is_noted = true;
	end = find_return(s, from);
	if (!is_alone(s, from->before, from->dyn, end))
		return false;
	if (vec_reserve((void **)&switches->waits, &switches->wait_capacity,
	                switches->wait_count + 1, sizeof(*switches->waits)) != STATUS_OK) {
		s->memory.status = STATUS_NO_MEM;
		return false;
	}
	switches->waits[switches->wait_count++] =
	        (struct task_wait){task, from->first_access, window_access(&s->w, end)};
	return true;
}

bool task_switches_apply(struct solver *s)
{
	struct task_switches *switches = &s->tasks;
	bool any = false;
	bool any_wait = false;

	if (!switches->is_assumed || s->has_conflict)
		return false;
	if (!switches->is_found && task_switches_find(s) != STATUS_OK)
		s->memory.status = STATUS_NO_MEM;
	switches->is_found = true;
	for (size_t i = switches->count; i-- > 0;) {
		note(s, switches->items[i].after, switches->items[i].next);
		note(s, switches->items[i].before, switches->items[i].current);
	}
	for (size_t i = switches->count; i-- > 0 && !s->has_conflict;) {
		struct task_switch *at = &switches->items[i];
		const struct task_number *of = find_task(s, at->after);

		if (of)
			any |= learn(s, at, at->next, of->task);
		of = find_task(s, at->before);
		if (!of)
			continue;
		any |= learn(s, at, at->current, of->task);
		any |= learn(s, at, at->saved.ssa,
		             of->task + switches->layout.sp - at->saved.offset);
		any_wait |= note_wait(s, at, of->task);
	}
	if (any_wait)
		qsort(switches->waits, switches->wait_count, sizeof(*switches->waits),
		      compare_waits);
	return any | any_wait;
}

bool task_switches_keep(const struct solver *s, uint64_t granule, uint32_t first, uint32_t end)
{
	const struct task_switches *switches = &s->tasks;
	uint64_t into = granule - switches->layout.saved[0];
	size_t low = 0;
	size_t high = switches->wait_count;

	/* The last one that begins at or before `first`, of the last task before the granule. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct task_wait *wait = &switches->waits[middle];

		if (wait->task < into || (wait->task == into && wait->first <= first))
			low = middle + 1;
		else
			high = middle;
	}
	for (; low > 0; low--) {
		const struct task_wait *wait = &switches->waits[low - 1];

		if (granule - wait->task - switches->layout.saved[0] >=
		    switches->layout.saved[1] - switches->layout.saved[0])
			return false;
		if (wait->first <= first)
			return end <= wait->last;
	}
	return false;
}
