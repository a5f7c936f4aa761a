/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The console's command on threads: whether these are cores, or what each context executed.
 * In: "core" or "context". Out: text, and other threads from then on.
 */
#include "console/console_command.h"
#include "console/threads.h"

static void add_parting(const struct session *session, size_t core, struct text *out)
{
	struct text why = {0};

	session_why_parted(session, core, &why);
	if (why.length > 0)
		text_printf(out, "  %.*s\n", STR_ARG(text_str(&why)));
	text_fini(&why);
}

static void list(const struct console *console, struct text *out)
{
	for (size_t i = 0; i < threads_count(console->session); i++) {
		if (!threads_is_listed(console->session, i))
			continue;
		text_printf(out, "%zu ", i + 1);
		threads_name(console->session, i, out);
		text_puts(out, ": ");
		threads_describe(console->session, i, out);
		threads_place(console->session, i, console->core, out);
		text_char(out, '\n');
		add_parting(console->session, i, out);
	}
}

void console_threads(struct console *console, struct str args, struct text *out)
{
	bool by_context = str_eq(args, STR("context"));

	if (args.n > 0 && !by_context && !str_eq(args, STR("core"))) {
		console_say_wrong(console, "neither core nor context:", args, "", out);
		return;
	}
	if (args.n > 0 && session_show_thread_views(console->session, by_context) != STATUS_OK) {
		console_say_status(console, STATUS_NO_MEM, out);
		return;
	}
	if (by_context && session_thread_view_count(console->session) == 0)
		text_puts(out, "the trace names no context: threads are the cores\n");
	list(console, out);
	if (args.n > 0 && console->is_monitor)
		text_puts(out, "`info threads` shows them; `thread N` takes one\n");
}
