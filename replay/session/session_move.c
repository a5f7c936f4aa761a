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

void session_break_condition(struct session *session, session_condition *holds, void *context)
{
	session->holds = holds;
	session->holds_context = context;
}

void session_set_gap_policy(struct session *session, enum gap_policy policy)
{
	session->gap_policy = policy;
}

enum gap_policy session_gap_policy(const struct session *session)
{
	return session->gap_policy;
}

void session_catch(struct session *session, enum session_caught what, bool on)
{
	session->caught &= ~(1U << what);
	session->caught |= (unsigned int)on << what;
}

bool session_catches(const struct session *session, enum session_caught what)
{
	return session->caught >> what & 1;
}

/* A core's move, for those who are asked on its way. */
struct core_move {
	const struct session *session;
	size_t core;
};

static bool holds(void *context, uint64_t position)
{
	const struct core_move *move = context;

	return move->session->holds(move->session->holds_context, move->core, position);
}

static struct cursor_limits limits_of(struct core_move *move, bool (*interrupted)(void *),
                                      void *context)
{
	const struct session *session = move->session;

	return (struct cursor_limits){
	        .breakpoints = {session->breakpoints, session->breakpoint_count, interrupted,
	                        context},
	        .holds = session->holds ? holds : NULL,
	        .context = move,
	        .gaps = session->gap_policy,
	        .caught = session->caught,
	};
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
static bool is_crossed(uint64_t place, uint64_t position, bool forward)
{
	return forward ? position >= place : position < place;
}

/* What may have been an access in a gap that the move would have passed is a stop for the gap. */
static void tell_gap_of(const struct history *history, struct stop *stop)
{
	const struct gap *gap = NULL;

	if (stop->access.is_event)
		gap = history_gap_at(history, stop->access.position + 1);
	if (!gap)
		return;
	stop->gap = gap;
	stop->reason = STOP_GAP;
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
		const struct gap *gap = stop.gap;

		stop = watch_stop(&hit);
		if (gap && is_crossed(gap->position, hit.stop, forward))
			stop.gap = gap;
		tell_gap_of(session->histories[core], &stop);
	} else if (hits) {
		stop.has_access = true;
		stop.watch = hit.watch;
		stop.access = hit.access;
	}
	cursor->position = hits ? hit.stop : goal->position;
	session_met(session, core);
	stop.gaps_passed =
	        cursor_gaps_passed(session->histories[core], from, cursor->position, stop.gap);
	return doubted(session, core, from, stop);
}

struct stop session_continue(struct session *session, size_t core, enum direction direction,
                             bool (*interrupted)(void *), void *context)
{
	struct core_move way = {session, core};
	struct cursor_limits limits = limits_of(&way, interrupted, context);
	struct cursor goal = session->cursors[core];
	struct stop stop = cursor_continue(&goal, direction, &limits);

	return move_to(session, core, &goal, stop);
}

struct stop session_step_range(struct session *session, size_t core, uint64_t low, uint64_t high,
                               bool (*interrupted)(void *), void *context)
{
	struct core_move way = {session, core};
	struct cursor_limits limits = limits_of(&way, interrupted, context);
	struct cursor goal = session->cursors[core];
	struct stop stop = cursor_step_range(&goal, low, high, &limits);

	return move_to(session, core, &goal, stop);
}
