/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The console's commands on positions: where cores are, when that was, and to go elsewhere. In: a
 * position or a time. Out: text, and the core's new position.
 */
#include <inttypes.h>

#include "console/console_command.h"
#include "console/moment_text.h"
#include "console/position.h"
#include "console/position_time.h"
#include "console/threads.h"

void console_position(struct console *console, struct str args, struct text *out)
{
	(void)args;
	for (size_t i = 0; i < threads_count(console->session); i++) {
		uint64_t position = session_position(console->session, i);
		struct value pc;

		if (!threads_is_listed(console->session, i))
			continue;
		session_register(console->session, i, REGISTER_PC, &pc);
		console_core(console, i, out);
		text_printf(out, ": position %" PRIu64 " of %" PRIu64 "%s, PC 0x%" PRIx64 "\n",
		            position, console_length(console, i),
		            position == console_length(console, i) ? " (the halt)" : "",
		            value_u64(&pc));
	}
}

bool console_parse_position(struct console *console, struct str word, uint64_t *position,
                            struct text *out)
{
	if (position_parse(console, word, position, out))
		return true;
	text_char(out, '\n');
	console->failed = true;
	return false;
}

/*
 * A monitor command cannot tell a debugger that registers and memory are others now: a stop can. So
 * nothing moves before the debugger waits for one.
 */
static void wait_to_go(struct console *console, uint64_t position, struct text *out)
{
	console->waits = true;
	console->waiting_position = position;
	text_printf(out,
	            "the next step or continue of core %zu, in either direction, stops at position "
	            "%" PRIu64 "; nothing has moved yet\n"
	            "(this debugger would go on showing what it has read; with csreplay's gdbinit "
	            "or lldbinit `seek` goes there at once)\n",
	            console->core + 1, position);
}

/* Goes to where the word says. */
static void go(struct console *console, struct str word, struct text *out)
{
	uint64_t position = 0;

	if (!console_parse_position(console, word, &position, out))
		return;
	if (console->is_monitor && !console->is_refreshed) {
		wait_to_go(console, position, out);
		return;
	}
	if (session_go(console->session, console->core, position) != STATUS_OK) {
		console_say_status(console, STATUS_NOT_FOUND, out);
		return;
	}
	console->went = true;
	if (console->is_monitor)
		console_position(console, STR(""), out);
}

void console_say_forms(struct text *out)
{
	text_puts(out, "POSITION is " POSITION_FORMS ".\n"
	               "RANGE is POSITION, FROM..TO, FROM.. or all.\n");
}

void console_seek(struct console *console, struct str args, struct text *out)
{
	go(console, args, out);
}

/* "back" or "forward", and how many: one without a number. */
static void move(struct console *console, const char *verb, struct str args, struct text *out)
{
	struct text word = {0};

	text_printf(&word, "%s ", verb);
	text_add(&word, args.n > 0 ? args : STR("1"));
	go(console, text_str(&word), out);
	text_fini(&word);
}

void console_back(struct console *console, struct str args, struct text *out)
{
	move(console, "back", args, out);
}

void console_forward(struct console *console, struct str args, struct text *out)
{
	move(console, "forward", args, out);
}

/* The positions of another core at any time of the moment. */
static void write_positions_at(const struct console *console, size_t core,
                               const struct moment *moment, struct text *out)
{
	uint64_t first = 0;
	uint64_t last = console_length(console, core);
	uint64_t other;
	enum status status = STATUS_OK;

	if (moment->has_earliest)
		status = session_positions_at(console->session, core, moment->earliest, &first,
		                              &other);
	if (status == STATUS_OK && moment->has_latest) {
		status =
		        session_positions_at(console->session, core, moment->latest, &other, &last);
		first = status == STATUS_OK ? first : other;
	}
	if (status != STATUS_OK) {
		position_say_no_time(status, first, out);
		text_char(out, '\n');
	} else if (first == last) {
		text_printf(out, "position %" PRIu64 "\n", first);
	} else {
		text_printf(out, "positions %" PRIu64 " to %" PRIu64 "\n", first, last);
	}
}

void console_time(struct console *console, struct str args, struct text *out)
{
	uint64_t position = session_position(console->session, console->core);
	struct moment moment;

	if (args.n > 0 && !console_parse_position(console, args, &position, out))
		return;
	moment = session_execution(console->session, console->core, position);
	console_core(console, console->core, out);
	text_printf(out, ": position %" PRIu64 ", ", position);
	moment_text(&moment, out);
	if (moment.has_earliest && moment.has_latest && moment.latest > moment.earliest)
		text_printf(out, ", precision %" PRIu64, moment.latest - moment.earliest);
	text_char(out, '\n');
	if (!moment.has_earliest && !moment.has_latest)
		return;
	for (size_t i = 0; i < session_core_count(console->session); i++) {
		if (i == console->core || console_length(console, i) == 0)
			continue;
		console_core(console, i, out);
		text_puts(out, ": ");
		write_positions_at(console, i, &moment, out);
	}
}
