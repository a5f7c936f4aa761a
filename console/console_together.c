/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The console's setting on cores: whether a move of one takes the others along (session.h). In:
 * "together", "always" or "alone". Out: text, and other moves from then on.
 */
#include "console/console_command.h"
#include "console/stop_text.h"
#include "console/threads.h"

enum { ALONE, TOGETHER, ALWAYS };

static const struct console_choice ways[] = {
        [ALONE] = {"alone", "a step or continue moves its own core, and the others stay"},
        [TOGETHER] = {"together",
                      "a step or continue takes the other cores along to the same time, "
                      "and stops where one of them meets a breakpoint"},
        [ALWAYS] = {"always", "together, also where a debugger resumes one thread alone "
                              "(scheduler-locking), as front ends do to say which"},
};

static const struct console_choices way_choices = {ways, sizeof(ways) / sizeof(ways[0]),
                                                   "neither together, always nor alone:"};

/*
 * Of a thread that it has not resumed gdb goes on showing what it has read, unless its script makes
 * it read all anew at each stop.
 */
static bool can_be_always(const struct console *console)
{
	return console->is_monitor && console->is_refreshed;
}

/* A core with a past that is shown as a thread. */
static bool has_past(const struct session *session, size_t core)
{
	return threads_is_listed(session, core) && core < session_core_count(session) &&
	       history_length(session_history(session, core)) > 0;
}

void together_why_not(const struct session *session, struct text *out)
{
	const char *between = "no time in common with others, by their traces: ";

	if (session_shows_thread_views(session)) {
		text_puts(out, "threads that are contexts move alone");
		return;
	}
	for (size_t i = 0; i < session_core_count(session); i++) {
		if (!has_past(session, i) || session_has_clock(session, i))
			continue;
		text_puts(out, between);
		threads_name(session, i, out);
		between = ", ";
	}
	if (out->length > 0)
		text_puts(out, "; a step or continue neither moves them with others nor others "
		               "with them");
}

void console_set_cores(struct console *console, struct str args, struct text *out)
{
	unsigned int way;
	struct text why_not = {0};

	if (args.n > 0) {
		if (!console_choose(console, &way_choices, args, &way, out))
			return;
		if (way == ALWAYS && !can_be_always(console)) {
			console_wrong(out, "for gdb with gdbinit and Python alone:", args);
			text_puts(out, "\n");
			console->failed = true;
			return;
		}
		session_set_together(console->session, way != ALONE);
		console->takes_others = way == ALWAYS;
	}
	way = !session_is_together(console->session) ? ALONE
	      : console->takes_others                ? ALWAYS
	                                             : TOGETHER;
	text_printf(out, "cores is %s: %s\n", ways[way].word, ways[way].text);
	together_why_not(console->session, &why_not);
	if (way != ALONE && why_not.length > 0)
		text_printf(out, "%s\n", why_not.data);
	text_fini(&why_not);
}
