/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of software trace, on the way of a session's cores; see session.h. */
#include "replay/session/session_move.h"

#include <stdlib.h>

#include "replay/session/session_store.h"

enum status session_software_log(struct session *session, const struct software_log **log)
{
	if (!session->software)
		TRY(software_log_read(session->snapshot, &session->software));
	*log = session->software;
	return STATUS_OK;
}

/* Where the core passes each message with a time; NULL if it has no time, or without memory. */
static const uint64_t *places_of(struct session *session, size_t core)
{
	const struct software_log *log;

	if (core >= session_core_count(session) || !session_has_clock(session, core) ||
	    history_data(session->histories[core]) ||
	    history_length(session->histories[core]) == 0 ||
	    session_software_log(session, &log) != STATUS_OK)
		return NULL;
	if (!session->software_places[core] &&
	    software_log_places(log, session->histories[core], &session->software_places[core]) !=
	            STATUS_OK)
		session->software_places[core] = NULL;
	return session->software_places[core];
}

/* How many messages a core at a position is certainly after. */
static size_t passed_at(struct session *session, size_t core, uint64_t position)
{
	const uint64_t *places = places_of(session, core);
	size_t low = 0;
	size_t high = places ? software_log_timed(session->software) : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (places[middle] <= position)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool session_software_on_way(struct session *session, size_t core, uint64_t from, uint64_t to,
                             struct software_stop *stop)
{
	size_t before;
	size_t after;

	before = passed_at(session, core, from);
	after = passed_at(session, core, to);
	if (before == after)
		return false;
	stop->message = software_log_get(session->software, before < after ? before : before - 1);
	stop->place = places_of(session, core)[before < after ? before : before - 1];
	return true;
}

void session_software_went(struct session *session, size_t core)
{
	if (session->shows_software && session_takes_others(session, core))
		session->software_passed =
		        passed_at(session, core, session->cursors[core].position);
}

enum status session_show_software(struct session *session, bool on)
{
	const struct software_log *log;

	if (on)
		TRY(session_software_log(session, &log));
	session->shows_software = on;
	for (size_t i = 0; i < session_core_count(session) && on; i++)
		session_software_went(session, i);
	return STATUS_OK;
}

bool session_shows_software(const struct session *session)
{
	return session->shows_software;
}

void session_software_passed(struct session *session, size_t core, uint64_t from, size_t *first,
                             size_t *last)
{
	uint64_t to = session->cursors[core].position;
	size_t before;
	size_t after;

	*first = 0;
	*last = 0;
	if (!session->shows_software || from == to)
		return;
	before = passed_at(session, core, from);
	after = passed_at(session, core, to);
	if (session_takes_others(session, core)) {
		/* Another core was already there, as far as bounds say it. */
		before = session->software_passed;
		if ((from < to) != (before <= after))
			after = before;
		session->software_passed = after;
	}
	*first = before < after ? before : after;
	*last = before < after ? after : before;
}

bool session_software_at(const struct session *session, size_t core,
                         const struct software_message *message, uint64_t *first, uint64_t *last)
{
	const struct history *history = session->histories[core];
	const struct moment *moment = &message->moment;
	uint64_t near = session->cursors[core].position;

	if (core >= session_core_count(session) || history_length(history) == 0 ||
	    !session_has_clock(session, core) || (!moment->has_earliest && !moment->has_latest))
		return false;
	*first = moment->has_earliest ? session_first_at(session, core, near, moment->earliest) : 0;
	*last = moment->has_latest ? session_last_at(session, core, near, moment->latest)
	                           : history_last(history);
	return true;
}
