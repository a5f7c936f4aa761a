/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moving through a history. A gap lies before the position it bears: going forward it is crossed
 * on arrival there, going backward on leaving there. A continue that stops for one does so at once
 * after it, seen in its direction; the others are counted, so that nobody crosses unknown execution
 * without being told. What else lies between two instructions is met in the same places.
 */
#include "replay/session/cursor.h"

#include "arch/isa.h"

enum {
	STEPS_PER_POLL = 1 << 12,
	MISSES_PER_POLL = 64, /* of breakpoints whose condition does not hold */
};

static struct stop stop_at(enum stop_reason reason)
{
	return (struct stop){.reason = reason};
}

/* A step that crosses what lies before `place`. */
static struct stop stepped(const struct cursor *cursor, uint64_t place)
{
	struct stop stop = {.reason = STOP_STEPPED};

	stop.has_gap = history_gap_at(cursor->history, place, &stop.gap);
	return stop;
}

struct stop cursor_step(struct cursor *cursor, enum direction direction)
{
	if (direction == DIRECTION_BACKWARD) {
		if (cursor->position == 0)
			return stop_at(STOP_BEGIN);
		return stepped(cursor, cursor->position--);
	}
	if (cursor->position == history_last(cursor->history))
		return stop_at(STOP_END);
	return stepped(cursor, ++cursor->position);
}

/* The instruction before `position` leads to the one there, as far as its opcode says. */
static bool is_next_address(const struct history *history, uint64_t position)
{
	static const struct insn_options options = {0};
	struct instruction last;
	struct insn insn;
	uint64_t next;

	if (position == 0 || history_pc(history, position, &next) != STATUS_OK)
		return false;
	history_at(history, position - 1, &last);
	if (!last.is_last || last.class == INSN_OTHER)
		return next == last.address + last.size;
	if (!last.has_opcode ||
	    !insn_classify(last.isa, (uint32_t)last.opcode, last.address, &options, &insn))
		return false;
	if (!last.executed)
		return next == last.address + last.size;
	return insn.class == INSN_BRANCH && next == insn.target;
}

/* Nothing but a filter, or a switch, and execution may have gone on where it was left. */
static bool is_plain(const struct history *history, const struct gap *gap)
{
	struct gap next;

	if (gap->reason != GAP_TRACE_ON || gap->merged > 0)
		return false;
	if (history_gap(history, history_gap_index(history, gap->position) + 1, &next) &&
	    next.position == gap->position)
		return false;
	return is_next_address(history, gap->position);
}

static bool stops_at(const struct history *history, const struct gap *gap, enum gap_policy policy)
{
	return policy == GAP_POLICY_STOP || (policy == GAP_POLICY_ASK && !is_plain(history, gap));
}

/*
 * Finds the gap that a continue to `target` would meet first and stop for. A gap at the starting
 * position counts backward (leaving crosses it), one at the target counts forward (arriving does).
 */
static bool gap_on_way(const struct cursor *c, enum direction direction, uint64_t target,
                       enum gap_policy policy, struct gap *gap)
{
	bool forward = direction == DIRECTION_FORWARD;
	uint64_t from = forward ? c->position : target;
	uint64_t to = (forward ? target : c->position) + 1;

	if (policy == GAP_POLICY_PASS || to == 0)
		return false;
	while (history_gap_between(c->history, from, to, !forward, gap)) {
		if (stops_at(c->history, gap, policy))
			return true;
		if (forward)
			from = gap->position;
		else
			to = gap->position;
	}
	return false;
}

uint64_t cursor_gaps_passed(const struct history *history, uint64_t from, uint64_t to,
                            const struct stop *stop)
{
	uint64_t first = from < to ? from : to;
	uint64_t last = from < to ? to : from;
	uint64_t passed = 0;
	struct gap gap;

	for (size_t i = history_gap_index(history, first + 1);
	     history_gap(history, i, &gap) && gap.position <= last; i++)
		passed += !stop->has_gap || gap.position != stop->gap.position;
	return passed;
}

static bool is_caught(const struct history_event *event, unsigned int caught)
{
	enum element_type type = event->element.type;

	if (type == ELEMENT_PE_CONTEXT)
		return caught >> SESSION_CATCH_CONTEXT & 1;
	return (type == ELEMENT_EXCEPTION || type == ELEMENT_EXCEPTION_RET) &&
	       caught >> SESSION_CATCH_EXCEPTION & 1;
}

/* The first event on the way to `target` that is caught; false if there is none. */
static bool event_on_way(const struct cursor *c, enum direction direction, uint64_t target,
                         unsigned int caught, struct history_event *event)
{
	size_t index;

	if (!caught)
		return false;
	index = history_event_index(c->history, c->position + 1);
	if (direction == DIRECTION_FORWARD) {
		for (; history_event(c->history, index, event) && event->position <= target;
		     index++) {
			if (is_caught(event, caught))
				return true;
		}
		return false;
	}
	while (index-- > 0 && history_event(c->history, index, event) && event->position > target) {
		if (is_caught(event, caught))
			return true;
	}
	return false;
}

/* Where what lies before `place` leaves the cursor: there forward, before it backward. */
static struct stop stop_after(struct cursor *c, enum direction direction, enum stop_reason reason,
                              uint64_t place)
{
	c->position = direction == DIRECTION_FORWARD ? place : place - 1;
	if (direction == DIRECTION_BACKWARD && c->position == 0)
		reason = STOP_BEGIN;
	if (direction == DIRECTION_FORWARD && c->position == history_length(c->history))
		reason = STOP_END;
	return stop_at(reason);
}

static struct stop stop_after_gap(struct cursor *c, enum direction direction, const struct gap *gap)
{
	struct stop stop = stop_after(c, direction, STOP_GAP, gap->position);

	stop_set_gap(&stop, gap);
	return stop;
}

/* The nearest breakpoint up to `target` that counts; the cursor is there, or at the last miss. */
static enum status find_breakpoint(struct cursor *c, enum direction direction, uint64_t target,
                                   const struct cursor_limits *limits)
{
	const struct history_search *search = &limits->breakpoints;
	bool forward = direction == DIRECTION_FORWARD;

	for (unsigned int misses = 1; c->position != target; misses++) {
		TRY(forward ? history_find_forward(c->history, search, c->position, target,
		                                   &c->position)
		            : history_find_backward(c->history, search, c->position, target,
		                                    &c->position));
		if (!limits->holds || limits->holds(limits->context, c->position))
			return STATUS_OK;
		if (misses % MISSES_PER_POLL == 0 && search->interrupted &&
		    search->interrupted(search->context))
			return STATUS_INTERRUPTED;
	}
	return STATUS_NOT_FOUND;
}

static uint64_t end_of(const struct history *history, enum direction direction,
                       const struct cursor_limits *limits)
{
	uint64_t end = direction == DIRECTION_FORWARD ? history_last(history) : 0;

	if (!limits->has_bound)
		return end;
	if (direction == DIRECTION_FORWARD)
		return limits->bound < end ? limits->bound : end;
	return limits->bound;
}

struct stop cursor_continue(struct cursor *cursor, enum direction direction,
                            const struct cursor_limits *limits)
{
	const struct history *h = cursor->history;
	const struct cursor start = *cursor;
	bool forward = direction == DIRECTION_FORWARD;
	uint64_t end = end_of(h, direction, limits);
	struct history_event event;
	struct gap gap;
	bool has_gap;
	bool has_event;
	struct stop stop;
	enum status status;

	if (cursor->position == end)
		return stop_at(forward ? STOP_END : STOP_BEGIN);
	/* The first of these bounds the search: what lies after it is not looked at. */
	has_gap = gap_on_way(cursor, direction, end, limits->gaps, &gap);
	stop = has_gap ? stop_after_gap(cursor, direction, &gap)
	               : stop_at(forward ? STOP_END : STOP_BEGIN);
	if (!has_gap)
		cursor->position = end;
	has_event = event_on_way(&start, direction, cursor->position, limits->caught, &event);
	if (has_event && (!has_gap || gap.position != event.position))
		stop = stop_after(cursor, direction, STOP_EVENT, event.position);
	stop.has_event = has_event;
	if (has_event)
		stop.event = event;
	end = cursor->position;
	*cursor = start;
	status = find_breakpoint(cursor, direction, end, limits);
	if (status == STATUS_OK) {
		stop = stop_at(STOP_BREAKPOINT);
		stop.has_gap =
		        gap_on_way(&start, direction, cursor->position, limits->gaps, &stop.gap);
		return stop;
	}
	if (status == STATUS_INTERRUPTED)
		return stop_at(STOP_INTERRUPTED);
	cursor->position = end;
	return stop;
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
                              const struct cursor_limits *limits)
{
	const struct history_search *breakpoints = &limits->breakpoints;

	for (unsigned int steps = 0;; steps++) {
		struct stop stop = cursor_step(cursor, DIRECTION_FORWARD);
		uint64_t pc;

		if (stop.reason != STOP_STEPPED)
			return stop;
		if (stop.has_gap && stops_at(cursor->history, &stop.gap, limits->gaps))
			return stop_after_gap(cursor, DIRECTION_FORWARD, &stop.gap);
		if (history_pc(cursor->history, cursor->position, &pc) != STATUS_OK)
			return stop;
		if (is_breakpoint(breakpoints, pc) &&
		    (!limits->holds || limits->holds(limits->context, cursor->position)))
			return stop_at(STOP_BREAKPOINT);
		if (pc < low || pc >= high)
			return stop;
		if (steps % STEPS_PER_POLL == STEPS_PER_POLL - 1 && breakpoints->interrupted &&
		    breakpoints->interrupted(breakpoints->context))
			return stop_at(STOP_INTERRUPTED);
	}
}
