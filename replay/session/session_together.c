/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moves of a session's cores, alone or several on one timeline. Going forward a core comes to a
 * position when it is about to execute that instruction; going backward it comes to one when it
 * leaves the next one, so that this is when it was about to execute the next. These are the moments
 * that stops are ordered by. See session_move.h.
 */
#include "replay/session/session_move.h"

#include "replay/history/history.h"
#include "replay/session/session_store.h"
#include "replay/session/session_watch.h"
#include "replay/session/thread_view.h"

void session_set_company(struct session *session, enum company company, const uint64_t *lifted)
{
	session->company = company;
	session->has_lifted = lifted != NULL;
	session->lifted = lifted ? *lifted : 0;
}

/* Of several cores with a past at least one cannot go along with another. */
static bool some_cannot(const struct session *session)
{
	size_t with_past = 0;
	size_t fit = 0;

	for (size_t i = 0; i < session_core_count(session); i++) {
		with_past += history_length(session->histories[i]) > 0;
		fit += session_can_go_along(session, i);
	}
	return with_past > 1 && fit < with_past;
}

static bool says_alone(struct session *session)
{
	if (session->is_apart || session->has_said_alone)
		return false;
	session->has_said_alone = true;
	return some_cannot(session);
}

/* How a move is made once it is known where it would lead. */
struct making {
	enum direction direction;
	bool is_continue; /* or a step through a range */
	bool (*interrupted)(void *);
	void *context;
};

/* When the core comes to its goal. */
static struct moment moment_of(const struct session *session, const struct planned_stop *plan,
                               enum direction direction)
{
	if (direction == DIRECTION_FORWARD)
		return session_execution(session, plan->core, plan->goal);
	if (plan->goal == history_length(session->histories[plan->core]))
		return session_moment(session, plan->core, plan->goal);
	return session_moment(session, plan->core, plan->goal + 1);
}

/* How `a` comes to `b`, in the direction. */
static enum order order_of(const struct session *session, const struct planned_stop *a,
                           const struct planned_stop *b, enum direction direction)
{
	struct moment of_a = moment_of(session, a, direction);
	struct moment of_b = moment_of(session, b, direction);

	return direction == DIRECTION_FORWARD ? moment_order(&of_a, &of_b)
	                                      : moment_order(&of_b, &of_a);
}

static bool is_end(const struct stop *stop)
{
	return stop->reason == STOP_END || stop->reason == STOP_BEGIN;
}

/* How far others can come before the core comes to its goal. */
static uint64_t bound_of(const struct session *session, size_t core,
                         const struct planned_stop *first, enum direction direction)
{
	uint64_t near = session->cursors[core].position;
	struct moment moment = moment_of(session, first, direction);
	uint64_t bound;

	if (direction == DIRECTION_FORWARD) {
		bound = history_last(session->histories[core]);
		if (!is_end(&first->stop) && moment.has_latest)
			bound = session_last_at(session, core, near, moment.latest);
		return bound > near ? bound : near;
	}
	bound = 0;
	if (!is_end(&first->stop) && moment.has_earliest)
		bound = session_first_at(session, core, near, moment.earliest);
	return bound < near ? bound : near;
}

static bool comes_first(const struct session *session, const struct planned_stop *a,
                        const struct planned_stop *b, enum direction direction)
{
	/* The end of a trace is no event that others wait for. */
	return is_end(&b->stop) || order_of(session, a, b, direction) == ORDER_BEFORE;
}

/* Breakpoints that are there for the time of a move. */
struct guards {
	uint64_t addresses[2];
	size_t count;
};

static void guard(struct session *session, struct guards *guards, uint64_t address)
{
	size_t count = session->breakpoint_count;

	if (session_break_set(session, address) == STATUS_OK && session->breakpoint_count > count)
		guards->addresses[guards->count++] = address;
}

/*
 * A debugger that steps one core may have taken a breakpoint away to do so: where the core stands,
 * or, if it was led elsewhere since, where it stood. Others stay before it, too, until they run as
 * well.
 */
static struct guards set_guards(struct session *session, size_t core)
{
	struct guards guards = {.count = 0};
	uint64_t pc;

	if (session->company != COMPANY_QUIET)
		return guards;
	if (history_pc(session->histories[core], session->cursors[core].position, &pc) == STATUS_OK)
		guard(session, &guards, pc);
	if (session->has_lifted)
		guard(session, &guards, session->lifted);
	return guards;
}

/* False if it was interrupted. */
static bool find_stop_of(struct session *session, size_t core, const struct planned_stop *own,
                         const struct making *how, struct planned_stop *first)
{
	enum direction direction = how->direction;
	struct companion *c = &session->companions[core];

	*c = (struct companion){.goes = session_can_go_along(session, core),
	                        .from = session->cursors[core].position};
	if (core == own->core)
		c->plan = *own;
	else if (c->goes)
		c->plan = session_plan_other(session, core, direction,
		                             bound_of(session, core, first, direction),
		                             how->interrupted, how->context);
	if (c->plan.stop.reason == STOP_INTERRUPTED || session->interrupt.has_come)
		return false;
	c->has_stop = c->goes && !is_end(&c->plan.stop) &&
	              (c->plan.goal != c->from || c->plan.stop.reason == STOP_WATCH);
	if (core != own->core && c->has_stop && session->company == COMPANY_ALL &&
	    comes_first(session, &c->plan, first, direction))
		*first = c->plan;
	return true;
}

static bool find_first(struct session *session, const struct planned_stop *own,
                       const struct making *how, struct planned_stop *first)
{
	struct guards guards = set_guards(session, own->core);
	bool goes_on = true;

	*first = *own;
	for (size_t i = 0; i < session_core_count(session) && goes_on; i++)
		goes_on = find_stop_of(session, i, own, how, first);
	while (guards.count > 0)
		session_break_clear(session, guards.addresses[--guards.count]);
	return goes_on;
}

/* Where the core may have been first, or last, when another one was where it is. */
static uint64_t meet(const struct session *session, size_t core, size_t other)
{
	uint64_t position = session->cursors[core].position;
	uint64_t there = session->cursors[other].position;
	struct moment moment = session_moment(session, other, there);
	uint64_t bound;

	if (moment.has_earliest) {
		bound = session_first_at(session, core, position, moment.earliest);
		position = position > bound ? position : bound;
	}
	if (there == history_length(session->histories[other]))
		return position;
	moment = session_moment(session, other, there + 1);
	if (!moment.has_latest)
		return position;
	bound = session_last_at(session, core, position, moment.latest);
	return position < bound ? position : bound;
}

/* No farther than before what would stop it. */
static uint64_t held(const struct companion *c, enum direction direction, uint64_t position)
{
	if (!c->has_stop)
		return position;
	if (c->plan.goal == c->from)
		return c->from;
	if (direction == DIRECTION_FORWARD)
		return position < c->plan.goal ? position : c->plan.goal - 1;
	return position > c->plan.goal ? position : c->plan.goal + 1;
}

static void add_doubts(const struct session *session, size_t core, uint64_t from,
                       struct others_met *others)
{
	uint64_t to = session->cursors[core].position;
	const struct values_range way = {from < to ? from : to, from < to ? to : from, from < to};
	struct values_may_alias doubt = {0};

	if (session->watches.count == 0 || from == to)
		return;
	session_find_doubt(session, core, &way, &doubt);
	others->doubts += doubt.count;
	others->blind += doubt.blind_first < doubt.blind_last;
}

/* Where the stop of a core would have come within the precision of the one that was first. */
static void add_unordered(const struct session *session, const struct planned_stop *first,
                          const struct companion *c, enum direction direction,
                          struct others_met *others)
{
	if (!c->has_stop || is_end(&first->stop) ||
	    order_of(session, &c->plan, first, direction) != ORDER_UNKNOWN)
		return;
	if (others->unordered++ > 0)
		return;
	others->first = c->plan.core;
	others->position = c->plan.goal;
}

static void take_along(struct session *session, const struct planned_stop *first,
                       enum direction direction, struct stop *stop)
{
	bool ends = is_end(&first->stop) && session->company == COMPANY_ALL;

	for (size_t i = 0; i < session_core_count(session); i++) {
		const struct companion *c = &session->companions[i];
		struct cursor *cursor = &session->cursors[i];

		if (!c->goes || i == first->core)
			continue;
		if (ends)
			cursor->position =
			        direction == DIRECTION_FORWARD ? history_last(cursor->history) : 0;
		else
			cursor->position = held(c, direction, meet(session, i, first->core));
		add_unordered(session, first, c, direction, &stop->others);
		add_doubts(session, i, c->from, &stop->others);
	}
}

/* Puts the others where they were then. */
static void gather(struct session *session, size_t core)
{
	for (size_t i = 0; i < session_core_count(session); i++) {
		struct cursor *cursor = &session->cursors[i];

		if (i == core || !session_can_go_along(session, i))
			continue;
		/* The halt is that of all of them. */
		cursor->position =
		        session->cursors[core].position == history_length(session->histories[core])
		                ? history_last(cursor->history)
		                : meet(session, i, core);
	}
	session->is_scattered = false;
}

enum status session_seek(struct session *session, size_t core, uint64_t position)
{
	if (position > history_last(session->histories[core]))
		return STATUS_NOT_FOUND;
	session->cursors[core].position = position;
	session_software_went(session, core);
	return STATUS_OK;
}

enum status session_seek_alone(struct session *session, size_t core, uint64_t position)
{
	TRY(session_seek(session, core, position));
	session->is_scattered = true;
	return STATUS_OK;
}

bool session_is_in_step(const struct session *session, size_t core, size_t other)
{
	return !session->is_apart && !session->is_scattered &&
	       session_can_go_along(session, core) && session_can_go_along(session, other);
}

enum status session_go(struct session *session, size_t core, uint64_t position)
{
	TRY(session_seek(session, core, position));
	if (session_takes_others(session, core))
		gather(session, core);
	return STATUS_OK;
}

/* Adds to a stop what is not known of the way from the position `from` to where the core is. */
static struct stop doubted(const struct session *session, size_t core, uint64_t from,
                           struct stop stop)
{
	uint64_t to = session->cursors[core].position;
	struct values_range way = {from, to, true};

	if (to == from)
		return stop;
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

/* The move of `own`, or as much of it as comes before another core's stop. */
static struct stop make(struct session *session, const struct planned_stop *own,
                        const struct making *how)
{
	/* A step at an end goes nowhere, and takes nobody. */
	bool takes_others = session->company != COMPANY_NONE &&
	                    session_takes_others(session, own->core) &&
	                    (how->is_continue || own->goal != session->cursors[own->core].position);
	struct planned_stop first = *own;
	uint64_t from;
	struct stop stop;

	if (takes_others && session->is_scattered)
		gather(session, own->core);
	session->is_scattered |= !takes_others && how->is_continue;
	if (session->interrupt.has_come || (takes_others && !find_first(session, own, how, &first)))
		return (struct stop){.reason = STOP_INTERRUPTED};
	from = session->cursors[first.core].position;
	session->cursors[first.core].position = first.goal;
	stop = first.stop;
	if (first.core != own->core) {
		/* Nobody is told of what its own way would have met. */
		session->blind_told.any = false;
		stop.is_of_other = true;
		stop.core = first.core;
		stop.from = from;
	} else if (how->is_continue) {
		session_met(session, own->core);
	}
	if (how->is_continue)
		stop.gaps_passed =
		        cursor_gaps_passed(session->histories[first.core], from, first.goal, &stop);
	stop = doubted(session, first.core, from, stop);
	if (takes_others)
		take_along(session, &first, how->direction, &stop);
	stop.says_alone = says_alone(session);
	return stop;
}

struct stop session_step(struct session *session, size_t core, enum direction direction)
{
	const struct making how = {.direction = direction};
	struct planned_stop own = session_plan_step(session, core, direction);

	return make(session, &own, &how);
}

struct stop session_continue(struct session *session, size_t core, enum direction direction,
                             bool (*interrupted)(void *), void *context)
{
	const struct making how = {direction, true, interrupted, context};
	struct planned_stop own =
	        session_plan_continue(session, core, direction, interrupted, context);

	return make(session, &own, &how);
}

struct stop session_step_range(struct session *session, size_t core, uint64_t low, uint64_t high,
                               bool (*interrupted)(void *), void *context)
{
	const struct making how = {DIRECTION_FORWARD, true, interrupted, context};
	struct planned_stop own =
	        session_plan_range(session, core, low, high, interrupted, context);

	return make(session, &own, &how);
}
