/* SPDX-License-Identifier: Apache-2.0 */
/* Cores as threads; see threads.h. */
#include "console/threads.h"

#include <inttypes.h>

#include "console/moment_text.h"

const char *threads_why_not(const struct session *session, size_t core)
{
	static const char *const only[] = {
	        [CORE_A64] = "a session has one register description, and this one's is AArch64",
	        [CORE_A32] = "a session has one register description, and this one's is AArch32",
	        [CORE_M] = "a session has one register description, and this one's is M profile",
	};
	enum core_arch served = session_registers(session)->arch;

	if (!session_core_has_pc(session, core))
		return "the snapshot has no PC for it";
	return session_core(session, core)->arch == served ? NULL : only[served];
}

bool threads_has(const struct session *session, size_t core)
{
	return core < threads_count(session) && !threads_why_not(session, core);
}

size_t threads_count(const struct session *session)
{
	return session_core_count(session) + session_thread_view_count(session);
}

/* Of such a core the trace says contexts. */
static bool has_views(const struct session *session, size_t core)
{
	for (size_t i = session_core_count(session); i < threads_count(session); i++) {
		if (session_ran_on(session, i, core))
			return true;
	}
	return false;
}

bool threads_is_listed(const struct session *session, size_t core)
{
	bool is_view = core >= session_core_count(session);

	if (!threads_has(session, core))
		return false;
	if (!session_shows_thread_views(session))
		return !is_view;
	return is_view || !has_views(session, core);
}

void threads_name(const struct session *session, size_t core, struct text *out)
{
	const char *between = "";
	uint32_t context_id;

	for (size_t i = 0; i < session_core_count(session); i++) {
		if (!session_ran_on(session, core, i))
			continue;
		text_printf(out, "%s%.*s", between,
		            STR_ARG(session_core(session, i)->device->name));
		between = ", ";
	}
	if (session_context(session, core, &context_id))
		text_printf(out, " context 0x%x", (unsigned int)context_id);
}

enum status threads_first(const struct session *session, size_t *core)
{
	size_t count = session_core_count(session);
	size_t first = count;

	for (size_t i = count; i-- > 0;) {
		if (threads_has(session, i))
			first = i;
	}
	if (first == count)
		return STATUS_NOT_FOUND;
	*core = first;
	for (size_t i = first; i < count; i++) {
		if (threads_has(session, i) && history_length(session_history(session, i)) > 0) {
			*core = i;
			break;
		}
	}
	return STATUS_OK;
}

enum thread_choice threads_parse(const struct session *session, struct str id, size_t *core)
{
	uint64_t number;

	if (id.n > 0 && id.p[0] == 'p') {
		size_t dot = str_find(id, '.');

		/* There is one process; without a thread after it all of its threads are meant. */
		id = dot < id.n ? str_skip(id, dot + 1) : STR("-1");
	}
	if (str_eq(id, STR("-1")))
		return THREAD_ALL;
	if (str_hex_to_u64(id, &number) != STATUS_OK)
		return THREAD_NONE;
	if (number == 0)
		return THREAD_ANY;
	if (number > threads_count(session) || !threads_has(session, (size_t)number - 1))
		return THREAD_NONE;
	*core = (size_t)number - 1;
	return THREAD_ONE;
}

static void add_task(struct session *session, size_t core, struct text *out)
{
	struct session_task task;

	if (!session_task(session, core, session_position(session, core), &task))
		return;
	text_puts(out, ", runs ");
	session_task_format(&task, out);
}

void threads_describe(struct session *session, size_t core, struct text *out)
{
	uint64_t length = history_length(session_history(session, core));
	struct str cluster = session_core(session, core)->cluster;

	text_add(out, session_core(session, core)->device->type);
	if (cluster.n > 0 && session_snapshot(session)->cluster_count > 1)
		text_printf(out, ", %.*s", STR_ARG(cluster));
	if (length == 0)
		text_puts(out, ", no trace");
	else
		text_printf(out, ", %llu instructions", (unsigned long long)length);
	add_task(session, core, out);
}

/* At `now` the time is certainly before the core's first timestamp: it may not be traced yet. */
static bool may_begin_later(const struct session *session, size_t core, size_t now)
{
	uint64_t there = session_position(session, now);
	struct moment moment = session_moment(session, core, session_position(session, core));
	struct moment first = session_moment(session, core, 0);

	if (moment.has_earliest || !first.has_latest ||
	    there == history_length(session_history(session, now)))
		return false;
	moment = session_moment(session, now, there + 1);
	return moment.has_latest && moment.latest < first.latest;
}

/* The same of its last one: it may be at its halt, and have been for long. */
static bool may_have_ended(const struct session *session, size_t core, size_t now)
{
	uint64_t there = session_position(session, now);
	uint64_t position = session_position(session, core);
	uint64_t length = history_length(session_history(session, core));
	struct moment moment = session_moment(session, now, there);
	struct moment last = session_moment(session, core, length);

	return (position == length || !session_moment(session, core, position + 1).has_latest) &&
	       there < history_length(session_history(session, now)) && moment.has_earliest &&
	       last.has_earliest && moment.earliest >= last.earliest;
}

void threads_place(const struct session *session, size_t core, size_t now, struct text *out)
{
	struct moment moment;

	if (history_length(session_history(session, core)) == 0)
		return;
	moment = session_execution(session, core, session_position(session, core));
	text_printf(out, ", at position %" PRIu64 ", ", session_position(session, core));
	moment_text(&moment, out);
	if (core == now)
		return;
	if (may_begin_later(session, core, now))
		text_puts(out, "; its trace begins about here, or later");
	if (may_have_ended(session, core, now))
		text_puts(out, "; its trace ends about here, or ended before");
}
