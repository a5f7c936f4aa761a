/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A solution under more suppositions. In: a window that is solved to the fixed point, suppositions
 * on its accesses (supposition.h). Out: the fixed point with these, in a copy of what was known,
 * but not of the window; see solver.h.
 */
#include <stdlib.h>
#include <string.h>

#include "replay/values/solver/solver.h"
#include "replay/values/ssa/ssa.h"

/* An array of `count` items of `size` bytes that a solver has for itself. */
struct part {
	void *array; /* where the pointer to it is */
	size_t count;
	size_t size;
};

#define PART(array, count)                                                                         \
	{                                                                                          \
		&(array), (count), sizeof(*(array))                                                \
	}

/* Makes an array that is another's one of its own; NULL without memory. */
static enum status own(const struct part *part)
{
	size_t bytes = part->count * part->size;
	void *theirs;
	void *copy;

	memcpy(&theirs, part->array, sizeof(theirs));
	copy = theirs ? malloc(bytes > 0 ? bytes : 1) : NULL;
	if (copy && bytes > 0)
		memcpy(copy, theirs, bytes);
	memcpy(part->array, &copy, sizeof(copy));
	return copy || !theirs ? STATUS_OK : STATUS_NO_MEM;
}

/* All arrays, also after one that there is no memory for: none may stay shared. */
static enum status own_all(const struct part *parts, size_t count)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; i < count; i++) {
		if (own(&parts[i]) != STATUS_OK)
			status = STATUS_NO_MEM;
	}
	return status;
}

static enum status own_memory(struct memdep_memory *m)
{
	const struct part parts[] = {
	        PART(m->accesses, m->access_count),
	        PART(m->clobbers, m->access_count / 64 + 64),
	        PART(m->clobber_granules, m->access_count / 4096 + 2),
	        PART(m->versions, m->version_count),
	        PART(m->ranges.has, (4 * m->access_count + 4) / 64 + 1),
	        PART(m->ranges.slots, m->ranges.slot_count),
	        PART(m->granules, m->granule_count),
	        PART(m->slots, m->slot_count),
	        PART(m->points_to_sets, m->points_to_count),
	};

	m->version_capacity = m->version_count;
	m->granule_capacity = m->granule_count;
	m->points_to_capacity = m->points_to_count;
	m->queue = NULL;
	m->queue_count = 0;
	m->queue_capacity = 0;
	return own_all(parts, sizeof(parts) / sizeof(parts[0]));
}

static enum status own_facts(struct solver *s)
{
	const struct part parts[] = {
	        PART(s->ssa_values, s->w.ssa_count),
	        PART(s->intervals.has, s->w.ssa_count / 64 + 1),
	        PART(s->intervals.slots, s->intervals.slot_count),
	        PART(s->dirty, (s->w.dyn_count + 1) / 64 + 64),
	        PART(s->dirty_granules, (s->w.dyn_count + 1) / 4096 + 1),
	        PART(s->linear.items, s->linear.count),
	        PART(s->stacks.items, s->stacks.count),
	        PART(s->abi.calls, s->abi.call_count),
	        PART(s->abi.same, s->abi.same_count),
	        PART(s->abi.landings, s->abi.landing_count),
	        PART(s->abi.restores, s->abi.restore_count),
	        PART(s->abi.signals, s->abi.signal_count),
	        PART(s->abi.slots, s->abi.slot_count),
	        PART(s->frames.items, s->frames.count),
	        PART(s->tasks.items, s->tasks.count),
	        PART(s->tasks.numbers, s->tasks.number_count),
	        PART(s->tasks.waits, s->tasks.wait_count),
	};

	s->linear.capacity = s->linear.count;
	s->stacks.capacity = s->stacks.count;
	s->abi.call_capacity = s->abi.call_count;
	s->abi.same_capacity = s->abi.same_count;
	s->abi.landing_capacity = s->abi.landing_count;
	s->abi.restore_capacity = s->abi.restore_count;
	s->abi.signal_capacity = s->abi.signal_count;
	s->abi.slot_capacity = s->abi.slot_count;
	s->frames.capacity = s->frames.count;
	s->tasks.capacity = s->tasks.count;
	s->tasks.number_capacity = s->tasks.number_count;
	s->tasks.wait_capacity = s->tasks.wait_count;
	return own_all(parts, sizeof(parts) / sizeof(parts[0]));
}

enum status solve_extend(struct solver *s, const struct solver *of,
                         const struct suppositions *supposed, bool is_lenient)
{
	enum status status;
	enum status of_memory;

	*s = *of;
	s->shares_window = true;
	s->supposed = supposed;
	s->is_lenient = is_lenient;
	s->runs = 0;
	status = own_facts(s);
	of_memory = own_memory(&s->memory);
	TRY(status);
	TRY(of_memory);
	memdep_suppose_more(s);
	solve_sweep_dirty(s);
	memdep_trim(&s->memory);
	return s->is_interrupted ? STATUS_INTERRUPTED : s->memory.status;
}

void solve_replace(struct solver *of, struct solver *s)
{
	of->shares_window = true;
	solve_fini(of);
	*of = *s;
	of->shares_window = false;
	*s = (struct solver){.shares_window = true};
}
