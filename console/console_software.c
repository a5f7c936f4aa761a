/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Software trace in the console: the list of messages, and those that a move passes. In: a range of
 * positions; a move. Out: text.
 */
#include <inttypes.h>

#include "console/console_command.h"
#include "console/moment_text.h"
#include "console/position.h"
#include "console/stop_text.h"
#include "console/threads.h"

enum {
	LIST_MOST = 20,         /* messages where no range is given */
	LIST_MOST_RANGE = 5000, /* at most */
	PASSED_MOST = 200,      /* of a move */
};

/* "cpu_0 at 12 to 40, cpu_1 at 7": where each core may have been; nothing of whom that is not
 * known. */
static void write_places(const struct console *console, const struct software_message *message,
                         struct text *out)
{
	const char *between = "; then ";

	for (size_t i = 0; i < session_core_count(console->session); i++) {
		uint64_t first;
		uint64_t last;

		if (!session_software_at(console->session, i, message, &first, &last))
			continue;
		text_puts(out, between);
		threads_name(console->session, i, out);
		text_printf(out, " was at %" PRIu64, first);
		if (last > first)
			text_printf(out, " to %" PRIu64, last);
		between = ", ";
	}
}

static void write_message(const struct console *console, const struct software_message *message,
                          struct text *out)
{
	moment_text(&message->moment, out);
	text_puts(out, ": ");
	software_message_format(message, out);
	write_places(console, message, out);
	text_char(out, '\n');
}

/* The core may have been within the range when it came. */
static bool is_within(const struct console *console, const struct software_message *message,
                      const struct position_range *range)
{
	uint64_t first;
	uint64_t last;

	return session_software_at(console->session, console->core, message, &first, &last) &&
	       first <= range->to && last >= range->from;
}

void console_software_trace(struct console *console, struct str args, struct text *out)
{
	const struct software_log *log;
	struct position_range range = {0, UINT64_MAX};
	bool is_all = args.n == 0 || str_eq(args, STR("all"));
	size_t most = args.n > 0 ? LIST_MOST_RANGE : LIST_MOST;
	size_t found = 0;

	if (!is_all && !position_parse_range(console, args, &range, out)) {
		text_char(out, '\n');
		console->failed = true;
		return;
	}
	if (session_software_log(console->session, &log) != STATUS_OK) {
		console_say_status(console, STATUS_NO_MEM, out);
		return;
	}
	for (size_t i = 0; i < software_log_count(log); i++) {
		const struct software_message *message = software_log_get(log, i);

		if (!is_all && !is_within(console, message, &range))
			continue;
		if (found++ < most)
			write_message(console, message, out);
	}
	if (found > most)
		text_printf(out, "... and %zu more\n", found - most);
	text_printf(out,
	            "%zu message%s in all, %zu of them with a time; `software-trace RANGE` shows "
	            "those of a part\n",
	            software_log_count(log), software_log_count(log) == 1 ? "" : "s",
	            software_log_timed(log));
}

/* Why nothing of it is met on the way of the core; NULL if it may be. */
static const char *why_not_met(struct console *console, const struct software_log *log)
{
	if (software_log_count(log) == 0)
		return "the snapshot has no message of ITM, DWT or STM";
	if (software_log_timed(log) == 0)
		return "no message has a time, so that none is on the way of a core; "
		       "`software-trace` "
		       "lists them";
	if (!session_has_clock(console->session, console->core))
		return "the trace of this core says nothing of time, so that no message is on its "
		       "way; "
		       "`software-trace` lists them";
	return NULL;
}

void console_say_software(struct console *console, struct text *out)
{
	const struct software_log *log;
	const char *why_not;

	if (session_software_log(console->session, &log) != STATUS_OK) {
		console_say_status(console, STATUS_NO_MEM, out);
		return;
	}
	why_not = why_not_met(console, log);
	if (why_not)
		text_printf(out, "(%s)\n", why_not);
}

void console_set_software(struct console *console, struct str args, struct text *out)
{
	bool on = str_eq(args, STR("on"));

	if (args.n > 0 && !on && !str_eq(args, STR("off"))) {
		console_say_wrong(console, "neither on nor off:", args, "", out);
		return;
	}
	if (args.n > 0 && session_show_software(console->session, on) != STATUS_OK) {
		console_say_status(console, STATUS_NO_MEM, out);
		return;
	}
	on = session_shows_software(console->session);
	text_printf(
	        out,
	        "software-trace is %s: messages of ITM, DWT and STM that a move passes are %s\n",
	        on ? "on" : "off", on ? "shown" : "not shown");
	if (on)
		console_say_software(console, out);
}

void stop_text_software(const struct console *console, uint64_t from, struct text *out)
{
	struct session *session = console->session;
	bool forward = session_position(session, console->core) > from;
	const struct software_log *log;
	size_t first;
	size_t last;

	if (!session_shows_software(session) || session_software_log(session, &log) != STATUS_OK)
		return;
	session_software_passed(session, console->core, from, &first, &last);
	for (size_t i = 0; i < last - first && i < PASSED_MOST; i++) {
		const struct software_message *message =
		        software_log_get(log, forward ? first + i : last - 1 - i);

		moment_text(&message->moment, out);
		text_puts(out, forward ? ": " : ", undone: ");
		software_message_format(message, out);
		text_char(out, '\n');
	}
	if (last - first > PASSED_MOST)
		text_printf(out,
		            "... and %zu more messages on the way; `%ssoftware-trace` lists them\n",
		            last - first - PASSED_MOST, console_prefix(console));
}
