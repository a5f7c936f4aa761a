/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Breakpoints, and where moves of a core lead: to a breakpoint, a watchpoint, a gap, an end or an
 * interruption. See session.h, session_move.h.
 */
#include "replay/session/session_move.h"
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

struct planned_stop session_plan_step(const struct session *session, size_t core,
                                      enum direction direction)
{
	struct cursor goal = session->cursors[core];
	uint64_t from = goal.position;
	bool forward = direction == DIRECTION_FORWARD;
	const struct values_range one = forward ? (struct values_range){from, from + 1, true}
	                                        : (struct values_range){from - 1, from, false};
	struct watch_hit hit;
	bool hits = (forward ? from < history_last(session->histories[core]) : from > 0) &&
	            session_find_watch(session, core, &one, NULL, &hit);
	struct stop stop;

	if (hits && hit.stop == from)
		return (struct planned_stop){core, from, watch_stop(&hit)};
	stop = cursor_step(&goal, direction);
	if (hits && stop.reason == STOP_STEPPED)
		stop = watch_stop(&hit);
	return (struct planned_stop){core, goal.position, stop};
}

/* Whether one who stops at a position has crossed the gap on his way. */
static bool is_crossed(uint64_t place, uint64_t position, bool forward)
{
	return forward ? position >= place : position < place;
}

/* What may have been an access in a gap that the move would have passed is a stop for the gap. */
static void tell_gap_of(const struct history *history, struct stop *stop)
{
	struct gap gap;

	if (!stop->access.is_event || !history_gap_at(history, stop->access.position + 1, &gap))
		return;
	stop_set_gap(stop, &gap);
	stop->reason = STOP_GAP;
}

/*
 * Of a move that would lead to `goal` and end there with `stop` if nothing was watched: what is
 * watched is looked for up to there alone.
 */
static struct planned_stop plan_to(struct session *session, size_t core, const struct cursor *goal,
                                   struct stop stop)
{
	uint64_t from = session->cursors[core].position;
	bool forward = goal->position > from;
	struct watch_hit hit;
	bool hits = goal->position != from && session_meet(session, core, goal->position, &hit);

	if (hits && (hit.stop != goal->position || hit.access.verdict == VALUES_PROVED)) {
		const struct stop passed = stop;

		stop = watch_stop(&hit);
		if (passed.has_gap && is_crossed(passed.gap.position, hit.stop, forward))
			stop_set_gap(&stop, &passed.gap);
		tell_gap_of(session->histories[core], &stop);
	} else if (hits) {
		stop.has_access = true;
		stop.watch = hit.watch;
		stop.access = hit.access;
	}
	return (struct planned_stop){core, hits ? hit.stop : goal->position, stop};
}

/*
 * A message that is caught, where it is on the way to `goal`. It is of no core: that which is to
 * move stops for it.
 */
static struct stop catch_software(struct session *session, size_t core, struct cursor *goal,
                                  struct stop stop)
{
	uint64_t from = session->cursors[core].position;
	struct software_stop met;
	uint64_t at;

	if (!session_catches(session, SESSION_CATCH_SOFTWARE) || stop.reason == STOP_INTERRUPTED ||
	    !session_software_on_way(session, core, from, goal->position, &met))
		return stop;
	at = met.place - (goal->position < from);
	if (at != goal->position) {
		goal->position = at;
		stop = (struct stop){.reason = STOP_EVENT};
	}
	stop.has_event = true;
	stop.event.position = met.place;
	stop.message = met.message;
	return stop;
}

/* What is possible of other cores is counted, not stopped at. */
static bool pass_all(void *context, size_t core, const struct values_access *access)
{
	(void)context;
	(void)core;
	return access->verdict != VALUES_PROVED;
}

struct planned_stop session_plan_other(struct session *session, size_t core,
                                       enum direction direction, uint64_t bound,
                                       bool (*interrupted)(void *), void *context)
{
	struct core_move way = {session, core};
	struct cursor_limits limits = limits_of(&way, interrupted, context);
	struct cursor goal = session->cursors[core];
	uint64_t from = goal.position;
	struct values_range range;
	struct watch_hit hit;
	struct stop stop;

	if (limits.gaps != GAP_POLICY_STOP)
		limits.gaps = GAP_POLICY_PASS;
	if (session->company == COMPANY_QUIET)
		limits.holds = NULL; /* nobody is told of an error in a condition */
	limits.has_bound = true;
	limits.bound = bound;
	stop = cursor_continue(&goal, direction, &limits);
	range = direction == DIRECTION_FORWARD ? (struct values_range){from, goal.position, true}
	                                       : (struct values_range){goal.position, from, false};
	if (session->watches.count > 0 && goal.position != from &&
	    session_find_watch(session, core, &range, &(struct watch_pass){pass_all, NULL, 0},
	                       &hit)) {
		goal.position = hit.stop;
		stop = watch_stop(&hit);
	}
	return (struct planned_stop){core, goal.position, stop};
}

struct planned_stop session_plan_continue(struct session *session, size_t core,
                                          enum direction direction, bool (*interrupted)(void *),
                                          void *context)
{
	struct core_move way = {session, core};
	struct cursor_limits limits = limits_of(&way, interrupted, context);
	struct cursor goal = session->cursors[core];
	struct stop stop = cursor_continue(&goal, direction, &limits);

	stop = catch_software(session, core, &goal, stop);
	return plan_to(session, core, &goal, stop);
}

struct planned_stop session_plan_range(struct session *session, size_t core, uint64_t low,
                                       uint64_t high, bool (*interrupted)(void *), void *context)
{
	struct core_move way = {session, core};
	struct cursor_limits limits = limits_of(&way, interrupted, context);
	struct cursor goal = session->cursors[core];
	struct stop stop = cursor_step_range(&goal, low, high, &limits);

	return plan_to(session, core, &goal, stop);
}
