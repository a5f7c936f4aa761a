/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moving through a history. A gap lies before the position it bears: going forward it is crossed
 * on arrival there, going backward on leaving there. A continue that meets one stops at once
 * after it, seen in its direction, so that nobody crosses unknown execution without being told.
 */
#include "replay/session/cursor.h"

enum { STEPS_PER_POLL = 1 << 12 };

static struct stop stop_at(enum stop_reason reason, const struct gap *gap)
{
	return (struct stop){.reason = reason, .gap = gap};
}

struct stop cursor_step(struct cursor *cursor, enum direction direction)
{
	const struct gap *gap;

	if (direction == DIRECTION_BACKWARD) {
		if (cursor->position == 0)
			return stop_at(STOP_BEGIN, NULL);
		gap = history_gap_at(cursor->history, cursor->position);
		cursor->position--;
		return stop_at(STOP_STEPPED, gap);
	}
	if (cursor->position == history_last(cursor->history))
		return stop_at(STOP_END, NULL);
	cursor->position++;
	return stop_at(STOP_STEPPED, history_gap_at(cursor->history, cursor->position));
}

/*
 * The gap that a continue to `target` would meet first, or NULL. A gap at the starting position
 * counts backward (leaving crosses it), one at the target counts forward (arriving does).
 */
static const struct gap *gap_on_way(const struct cursor *c, enum direction direction,
                                    uint64_t target)
{
	if (direction == DIRECTION_FORWARD)
		return target == UINT64_MAX
		               ? NULL
		               : history_gap_between(c->history, c->position, target + 1, false);
	return history_gap_between(c->history, target, c->position + 1, true);
}

/* Where the gap leaves the cursor: at its position forward, before it backward. */
static struct stop stop_after_gap(struct cursor *c, enum direction direction, const struct gap *gap)
{
	c->position = direction == DIRECTION_FORWARD ? gap->position : gap->position - 1;
	if (direction == DIRECTION_BACKWARD && c->position == 0)
		return stop_at(STOP_BEGIN, gap);
	if (direction == DIRECTION_FORWARD && c->position == history_length(c->history))
		return stop_at(STOP_END, gap);
	return stop_at(STOP_GAP, gap);
}

struct stop cursor_continue(struct cursor *cursor, enum direction direction,
                            const struct history_search *breakpoints)
{
	const struct history *h = cursor->history;
	bool forward = direction == DIRECTION_FORWARD;
	uint64_t end = forward ? history_last(h) : 0;
	uint64_t target = end;
	const struct gap *gap;
	enum status status;

	if (cursor->position == end)
		return stop_at(forward ? STOP_END : STOP_BEGIN, NULL);
	/* The first gap bounds the search: what lies after it is not looked at. */
	gap = gap_on_way(cursor, direction, end);
	if (gap)
		target = forward ? gap->position : gap->position - 1;
	status = forward ? history_find_forward(h, breakpoints, cursor->position, target, &target)
	                 : history_find_backward(h, breakpoints, cursor->position, target, &target);
	if (status == STATUS_OK) {
		cursor->position = target;
		return stop_at(STOP_BREAKPOINT, gap_on_way(cursor, direction, target));
	}
	if (status == STATUS_INTERRUPTED)
		return stop_at(STOP_INTERRUPTED, NULL);
	if (gap)
		return stop_after_gap(cursor, direction, gap);
	cursor->position = end;
	return stop_at(forward ? STOP_END : STOP_BEGIN, NULL);
}

static bool is_breakpoint(const struct history_search *breakpoints, uint64_t pc)
{
	for (size_t i = 0; i < breakpoints->address_count; i++) {
		if (breakpoints->addresses[i] == pc)
			return true;
	}
	return false;
}

struct stop cursor_step_range(struct cursor *cursor, uint64_t low, uint64_t high,
                              const struct history_search *breakpoints)
{
	for (unsigned int steps = 0;; steps++) {
		struct stop stop = cursor_step(cursor, DIRECTION_FORWARD);
		uint64_t pc;

		if (stop.reason != STOP_STEPPED)
			return stop;
		if (stop.gap)
			return stop_after_gap(cursor, DIRECTION_FORWARD, stop.gap);
		if (history_pc(cursor->history, cursor->position, &pc) != STATUS_OK)
			return stop;
		if (is_breakpoint(breakpoints, pc))
			return stop_at(STOP_BREAKPOINT, NULL);
		if (pc < low || pc >= high)
			return stop;
		if (steps % STEPS_PER_POLL == STEPS_PER_POLL - 1 && breakpoints->interrupted &&
		    breakpoints->interrupted(breakpoints->context))
			return stop_at(STOP_INTERRUPTED, NULL);
	}
}
