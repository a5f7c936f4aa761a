/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shell's moves: steps, continues, another core. In: how many. Out: text on what was met; the
 * core's position, which shell_run() tells.
 */
#include <inttypes.h>

#include "console/console_command.h"
#include "console/stop_text.h"
#include "console/threads.h"
#include "shell/shell_command.h"

/* Why it stands there, where the lines of stop_text() do not say it. */
static void tell_reason(const struct shell *shell, const struct stop *stop, struct text *out)
{
	struct value pc;

	switch (stop->reason) {
	case STOP_BREAKPOINT:
		session_register(shell->console.session, shell->console.core, REGISTER_PC, &pc);
		shell_name_stop(shell, value_u64(&pc), out);
		break;
	case STOP_BEGIN:
		text_puts(out, "the begin: the trace has nothing before it\n");
		break;
	case STOP_END:
		text_puts(out, "the halt: nothing was executed after it\n");
		break;
	case STOP_INTERRUPTED:
		text_puts(out, "interrupted\n");
		break;
	case STOP_STEPPED:
	case STOP_WATCH:
	case STOP_POSSIBLE:
	case STOP_BLIND:
	case STOP_GAP:
	case STOP_EVENT:
		break;
	}
}

/* The core that stopped is the one that commands are about from then on. */
static void tell(struct shell *shell, uint64_t from, const struct stop *stop, struct text *out)
{
	if (stop->is_of_other) {
		shell->console.core = stop->core;
		from = stop->from;
	}
	stop_text(&shell->console, from, stop, out);
	tell_reason(shell, stop, out);
	shell->console.failed = stop->reason == STOP_INTERRUPTED;
}

static void step(struct console *console, struct str args, enum direction direction,
                 struct text *out)
{
	const struct shell *shell = shell_of(console);
	uint64_t count = 1;

	if (args.n > 0 && str_to_u64(args, &count) != STATUS_OK) {
		console_say_wrong(console, "not a number:", args, "", out);
		return;
	}
	for (uint64_t i = 0; i < count; i++) {
		uint64_t from = session_position(console->session, console->core);
		struct stop stop = session_step(console->session, console->core, direction);

		tell(shell_of(console), from, &stop, out);
		if (stop.reason != STOP_STEPPED || stop.is_of_other)
			return;
		if (shell->options.interrupted &&
		    shell->options.interrupted(shell->options.context)) {
			text_puts(out, "interrupted\n");
			console->failed = true;
			return;
		}
	}
}

void shell_step(struct console *console, struct str args, struct text *out)
{
	step(console, args, DIRECTION_FORWARD, out);
}

void shell_reverse_step(struct console *console, struct str args, struct text *out)
{
	step(console, args, DIRECTION_BACKWARD, out);
}

static void run(struct console *console, enum direction direction, struct text *out)
{
	struct shell *shell = shell_of(console);
	uint64_t from = session_position(console->session, console->core);
	struct stop stop = session_continue(console->session, console->core, direction,
	                                    shell->options.interrupted, shell->options.context);

	tell(shell, from, &stop, out);
}

void shell_continue(struct console *console, struct str args, struct text *out)
{
	(void)args;
	run(console, DIRECTION_FORWARD, out);
}

void shell_reverse_continue(struct console *console, struct str args, struct text *out)
{
	(void)args;
	run(console, DIRECTION_BACKWARD, out);
}

/* The number of a core or a view, or its name. */
static bool is_core(const struct console *console, size_t core, struct str word)
{
	struct text name = {0};
	uint64_t number;
	bool is_named;

	if (!threads_is_listed(console->session, core))
		return false;
	threads_name(console->session, core, &name);
	is_named = str_eq(text_str(&name), word);
	text_fini(&name);
	return is_named || (str_to_u64(word, &number) == STATUS_OK && number == core + 1);
}

void shell_core(struct console *console, struct str args, struct text *out)
{
	if (args.n == 0) {
		console_run(console, STR("cores"), out);
		return;
	}
	for (size_t i = 0; i < threads_count(console->session); i++) {
		if (!is_core(console, i, args))
			continue;
		console->core = i;
		console->went = true;
		return;
	}
	console_say_wrong(console, "no core", args, "; `cores` lists them", out);
}
