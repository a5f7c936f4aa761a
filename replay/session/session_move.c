/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moves of a session's cores, and what ends them: breakpoints, watchpoints, interruptions. In: a
 * direction. Out: the new position and why it is there. See session.h.
 */
#include "replay/session/session_store.h"
#include "replay/session/thread_view.h"

#include "base/vec.h"
#include "replay/history/history.h"

/* Index of the breakpoint, or breakpoint_count. */
static size_t find_breakpoint(const struct session *session, uint64_t address)
{
	size_t i = 0;

	while (i < session->breakpoint_count && session->breakpoints[i] != address)
		i++;
	return i;
}

enum status session_break_set(struct session *session, uint64_t address)
{
	if (find_breakpoint(session, address) < session->breakpoint_count)
		return STATUS_OK;
	TRY(vec_reserve((void **)&session->breakpoints, &session->breakpoint_capacity,
	                session->breakpoint_count + 1, sizeof(*session->breakpoints)));
	session->breakpoints[session->breakpoint_count++] = address;
	return STATUS_OK;
}

void session_break_clear(struct session *session, uint64_t address)
{
	size_t i = find_breakpoint(session, address);

	if (i < session->breakpoint_count)
		session->breakpoints[i] = session->breakpoints[--session->breakpoint_count];
}

void session_break_clear_all(struct session *session)
{
	session->breakpoint_count = 0;
	session->watches.count = 0;
}

bool session_can_watch(const struct session *session)
{
	for (size_t i = 0; i < session_core_count(session); i++) {
		if (history_data(session->histories[i]) ||
		    (session->values[i] && values_can(session->values[i])))
			return true;
	}
	return false;
}

enum status session_watch_set(struct session *session, const struct watch *watch)
{
	return watch_add(&session->watches, watch);
}

void session_watch_clear(struct session *session, const struct watch *watch)
{
	watch_remove(&session->watches, watch);
}

void session_watch_after(struct session *session, bool after)
{
	session->watches.stops_after = after;
}

void session_interrupt(struct session *session, bool (*asked)(void *), void *context)
{
	session->interrupt = (struct interrupt){asked, context, false};
}

bool session_has_returned(const struct session *session, size_t core)
{
	uint64_t position = session->cursors[core].position;
	struct instruction before;

	if (position == 0)
		return false;
	history_at(session->histories[core], position - 1, &before);
	return before.subclass == INSN_SUB_A64_RET || before.subclass == INSN_SUB_V7_IMPLIED_RET;
}

static struct history_search breakpoints_of(const struct session *session,
                                            bool (*interrupted)(void *), void *context)
{
	return (struct history_search){session->breakpoints, session->breakpoint_count, interrupted,
	                               context};
}

/* The instructions between a core's position and another one. */
static struct values_range range_to(const struct session *session, size_t core, uint64_t to)
{
	uint64_t from = session->cursors[core].position;

	return from < to ? (struct values_range){from, to, true}
	                 : (struct values_range){to, from, false};
}

static bool find_watch(const struct session *session, size_t core, uint64_t to,
                       struct watch_hit *hit)
{
	const struct values_range range = range_to(session, core, to);

	return range.first < range.last && session_find_watch(session, core, &range, hit);
}

static struct stop watch_stop(const struct watch_hit *hit)
{
	return (struct stop){
	        .reason = STOP_WATCH, .watch = hit->watch, .watch_address = hit->address};
}

/* Adds to a stop what is not known of the way from the position `from` to where the core is. */
static struct stop doubted(const struct session *session, size_t core, uint64_t from,
                           struct stop stop)
{
	struct values_range range = range_to(session, core, from);

	range.forward = !range.forward;
	if (range.first < range.last)
		session_find_doubt(session, core, &range, &stop.doubt);
	return stop;
}

struct stop session_step(struct session *session, size_t core, enum direction direction)
{
	struct cursor *cursor = &session->cursors[core];
	uint64_t from = cursor->position;
	bool forward = direction == DIRECTION_FORWARD;
	struct watch_hit hit;
	bool hits = (forward ? from < history_last(session->histories[core]) : from > 0) &&
	            find_watch(session, core, forward ? from + 1 : from - 1, &hit);
	struct stop stop;

	if (session->interrupt.has_come)
		return (struct stop){.reason = STOP_INTERRUPTED};
	if (hits && hit.stop == from)
		return watch_stop(&hit);
	stop = cursor_step(cursor, direction);
	if (hits && stop.reason == STOP_STEPPED)
		return watch_stop(&hit);
	return doubted(session, core, from, stop);
}

/* What a move with a hit on its way ended in. */
static struct stop judge(const struct session *session, size_t core, const struct watch_hit *hit,
                         struct stop stop)
{
	bool is_there = session->cursors[core].position == hit->stop;

	/* Before the access a breakpoint comes first, and the next move meets the hit. */
	if (stop.reason == STOP_LIMIT || (is_there && session->watches.stops_after))
		return watch_stop(hit);
	return stop;
}

struct stop session_continue(struct session *session, size_t core, enum direction direction,
                             bool (*interrupted)(void *), void *context)
{
	struct history_search breakpoints = breakpoints_of(session, interrupted, context);
	struct cursor *cursor = &session->cursors[core];
	uint64_t from = cursor->position;
	uint64_t end =
	        direction == DIRECTION_FORWARD ? history_length(session->histories[core]) : 0;
	struct watch_hit hit;
	bool hits = find_watch(session, core, end, &hit);
	struct stop stop;

	if (session->interrupt.has_come)
		return (struct stop){.reason = STOP_INTERRUPTED};
	if (hits && hit.stop == from)
		return watch_stop(&hit);
	stop = cursor_continue(cursor, direction, &breakpoints, hits ? &hit.stop : NULL);
	if (hits)
		stop = judge(session, core, &hit, stop);
	return doubted(session, core, from, stop);
}

struct stop session_step_range(struct session *session, size_t core, uint64_t low, uint64_t high,
                               bool (*interrupted)(void *), void *context)
{
	struct history_search breakpoints = breakpoints_of(session, interrupted, context);
	struct cursor *cursor = &session->cursors[core];
	uint64_t from = cursor->position;
	struct watch_hit hit;
	bool hits = find_watch(session, core, history_length(session->histories[core]), &hit);
	struct stop stop;

	if (session->interrupt.has_come)
		return (struct stop){.reason = STOP_INTERRUPTED};
	if (hits && hit.stop == from)
		return watch_stop(&hit);
	stop = cursor_step_range(cursor, low, high, &breakpoints, hits ? &hit.stop : NULL);
	if (hits)
		stop = judge(session, core, &hit, stop);
	return doubted(session, core, from, stop);
}
