/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times of a session's cores: of a trace without data by its timeline, of a Tarmac text by what its
 * lines say; and which cores go along with others. See session.h and timeline.h.
 */
#include "replay/session/session_move.h"

#include "replay/history/history.h"
#include "replay/session/session_store.h"
#include "replay/session/thread_view.h"
#include "replay/tarmac/tarmac.h"

struct moment session_moment(const struct session *session, size_t core, uint64_t position)
{
	const struct session_place at = session_place(session, core, position);
	const struct history *history = session_history(session, at.core);
	uint64_t length = history_length(history);
	struct moment moment = {0};
	uint64_t time;

	if (!history_data(history))
		return timeline_at(history, at.position);
	if (length == 0 || !tarmac_has_clock(history_data(history)) ||
	    tarmac_timestamp(history_data(history), position < length ? position : length - 1,
	                     &time) != STATUS_OK)
		return moment;
	moment.has_earliest = true;
	moment.earliest = time;
	moment.has_latest = position < length;
	moment.latest = time;
	return moment;
}

struct moment session_execution(const struct session *session, size_t core, uint64_t position)
{
	const struct session_place at = session_place(session, core, position);
	const struct history *history = session_history(session, at.core);
	struct moment moment = session_moment(session, core, position);
	struct moment next;

	if (history_data(history) || at.position >= history_length(history) ||
	    !history_has_gap_at(history, at.position))
		return moment;
	next = session_moment(session, core, position + 1);
	moment.has_latest = next.has_latest;
	moment.latest = next.latest;
	moment.has_estimate = false;
	return moment;
}

/* The first instruction whose line has a time of at least `time`, or N. */
static enum status find_line(const struct history *history, uint64_t time, uint64_t *position)
{
	uint64_t low = 0;
	uint64_t high = history_length(history);

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		uint64_t here;

		TRY(tarmac_timestamp(history_data(history), middle, &here));
		if (here < time)
			low = middle + 1;
		else
			high = middle;
	}
	*position = low;
	return STATUS_OK;
}

enum status session_positions_at(const struct session *session, size_t core, uint64_t time,
                                 uint64_t *first, uint64_t *last)
{
	const struct history *history = session_history(session, core);

	if (!history_data(history))
		return timeline_positions(history, time, first, last);
	if (history_length(history) == 0 || !tarmac_has_clock(history_data(history)))
		return STATUS_UNAVAILABLE;
	TRY(find_line(history, time, first));
	*last = history_length(history);
	if (time < UINT64_MAX)
		TRY(find_line(history, time + 1, last));
	/* Between two lines it was about to execute the later one. */
	if (*last > *first)
		--*last;
	return STATUS_OK;
}

/* The position before the first line of that time or later; 0 if that is the first. */
static uint64_t line_before(const struct history *history, uint64_t time)
{
	uint64_t position = 0;

	if (find_line(history, time, &position) != STATUS_OK || position == 0)
		return 0;
	return position - 1;
}

static uint64_t within(const struct history *history, uint64_t position)
{
	uint64_t last = history_last(history);

	return position < last ? position : last;
}

uint64_t session_first_at(const struct session *session, size_t core, uint64_t near, uint64_t time)
{
	const struct history *history = session_history(session, core);

	return within(history, history_data(history) ? line_before(history, time)
	                                             : timeline_first_at(history, near, time));
}

uint64_t session_last_at(const struct session *session, size_t core, uint64_t near, uint64_t time)
{
	const struct history *history = session_history(session, core);

	if (!history_data(history))
		return within(history, timeline_last_at(history, near, time));
	return time == UINT64_MAX ? history_last(history) : line_before(history, time + 1);
}

void session_set_together(struct session *session, bool together)
{
	session->is_apart = !together;
	session->has_said_alone = false;
}

bool session_is_together(const struct session *session)
{
	return !session->is_apart;
}

bool session_has_clock(const struct session *session, size_t core)
{
	enum clock *clock;
	uint64_t first;
	uint64_t last;

	if (core >= session_core_count(session))
		return false;
	clock = &session->clocks[core];
	if (*clock == CLOCK_NOT_ASKED)
		*clock = session_positions_at(session, core, 0, &first, &last) == STATUS_OK
		                 ? CLOCK_ONE
		                 : CLOCK_NONE;
	return *clock == CLOCK_ONE;
}

bool session_can_go_along(const struct session *session, size_t core)
{
	return core < session_core_count(session) && !session_shows_thread_views(session) &&
	       history_length(session->histories[core]) > 0 && session_core_has_pc(session, core) &&
	       session_core(session, core)->arch == session->served &&
	       session_has_clock(session, core);
}

bool session_takes_others(const struct session *session, size_t core)
{
	if (session->is_apart || !session_can_go_along(session, core))
		return false;
	for (size_t i = 0; i < session_core_count(session); i++) {
		if (i != core && session_can_go_along(session, i))
			return true;
	}
	return false;
}
