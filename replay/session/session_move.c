/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moves of a session's cores, and what ends them: breakpoints, watchpoints, interruptions. In: a
 * direction. Out: the new position and why it is there. See session.h.
 */
#include "replay/session/session_store.h"
#include "replay/session/session_watch.h"
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

static struct stop watch_stop(const struct watch_hit *hit)
{
	static const enum stop_reason reasons[] = {
	        [VALUES_PROVED] = STOP_WATCH,
	        [VALUES_POSSIBLE] = STOP_POSSIBLE,
	        [VALUES_BLIND] = STOP_BLIND,
	};

	return (struct stop){.reason = reasons[hit->access.verdict],
	                     .has_access = true,
	                     .watch = hit->watch,
	                     .access = hit->access};
}

/* Adds to a stop what is not known of the way from the position `from` to where the core is. */
static struct stop doubted(const struct session *session, size_t core, uint64_t from,
                           struct stop stop)
{
	uint64_t to = session->cursors[core].position;
	struct values_range way = {from, to, true};

	if (to < from)
		way = (struct values_range){to, from, false};
	/* What it stopped after is not on the way. */
	if (stop.has_access && stop.access.verdict == VALUES_POSSIBLE) {
		way.last -= way.forward;
		way.first += !way.forward;
	}
	if (way.first < way.last)
		session_find_doubt(session, core, &way, &stop.doubt);
	return stop;
}

struct stop session_step(struct session *session, size_t core, enum direction direction)
{
	struct cursor *cursor = &session->cursors[core];
	uint64_t from = cursor->position;
	bool forward = direction == DIRECTION_FORWARD;
	const struct values_range one = forward ? (struct values_range){from, from + 1, true}
	                                        : (struct values_range){from - 1, from, false};
	struct watch_hit hit;
	bool hits = (forward ? from < history_last(session->histories[core]) : from > 0) &&
	            session_find_watch(session, core, &one, NULL, &hit);
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

/* Whether one who stops at a position has crossed the gap on his way. */
static bool is_crossed(const struct gap *gap, uint64_t position, bool forward)
{
	return gap && (forward ? position >= gap->position : position < gap->position);
}

/*
 * Ends a move that would lead to `goal` and end there with `stop` if nothing was watched: what is
 * watched is looked for up to there alone.
 */
static struct stop move_to(struct session *session, size_t core, const struct cursor *goal,
                           struct stop stop)
{
	struct cursor *cursor = &session->cursors[core];
	uint64_t from = cursor->position;
	bool forward = goal->position > from;
	struct watch_hit hit;
	bool hits = goal->position != from && session_meet(session, core, goal->position, &hit);

	if (session->interrupt.has_come)
		return (struct stop){.reason = STOP_INTERRUPTED};
	if (hits && (hit.stop != goal->position || hit.access.verdict == VALUES_PROVED)) {
		const struct gap *gap = is_crossed(stop.gap, hit.stop, forward) ? stop.gap : NULL;

		stop = watch_stop(&hit);
		stop.gap = gap;
	} else if (hits) {
		stop.has_access = true;
		stop.watch = hit.watch;
		stop.access = hit.access;
	}
	cursor->position = hits ? hit.stop : goal->position;
	session_met(session, core);
	return doubted(session, core, from, stop);
}

struct stop session_continue(struct session *session, size_t core, enum direction direction,
                             bool (*interrupted)(void *), void *context)
{
	struct history_search breakpoints = breakpoints_of(session, interrupted, context);
	struct cursor goal = session->cursors[core];
	struct stop stop = cursor_continue(&goal, direction, &breakpoints);

	return move_to(session, core, &goal, stop);
}

struct stop session_step_range(struct session *session, size_t core, uint64_t low, uint64_t high,
                               bool (*interrupted)(void *), void *context)
{
	struct history_search breakpoints = breakpoints_of(session, interrupted, context);
	struct cursor goal = session->cursors[core];
	struct stop stop = cursor_step_range(&goal, low, high, &breakpoints);

	return move_to(session, core, &goal, stop);
}
