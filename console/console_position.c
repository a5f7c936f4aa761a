/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The console's commands on positions: where cores are, when that was, and to go elsewhere. In: a
 * position or a time. Out: text, and the core's new position.
 */
#include <inttypes.h>

#include "console/console_command.h"
#include "console/threads.h"

void console_position(const struct console *console, struct str args, struct text *out)
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

/* Why a core's position at a time is not known. */
static void say_no_time(enum status status, uint64_t position, struct text *out)
{
	if (status == STATUS_BAD_DATA)
		text_printf(out, "its timestamps go back at position %" PRIu64 "\n", position);
	else
		text_puts(out, "its trace says nothing of time\n");
}

/* Where the core may have been first at "@TIME". False, and it is said, if that is not known. */
static bool parse_time(const struct console *console, struct str word, uint64_t *position,
                       struct text *out)
{
	uint64_t time;
	uint64_t last;
	enum status status;

	if (str_to_u64(str_skip(word, 1), &time) != STATUS_OK) {
		console_wrong(out, "not a time:", word);
		text_puts(out, "; give @ and a number\n");
		return false;
	}
	status = session_positions_at(console->session, console->core, time, position, &last);
	if (status == STATUS_OK)
		return true;
	console_core(console, console->core, out);
	text_puts(out, ": ");
	say_no_time(status, *position, out);
	return false;
}

/* The position of "#3" or "origin#3", a number of the last answer; false, and it is said, if none.
 */
static bool parse_place(const struct console *console, struct str word, uint64_t *position,
                        struct text *out)
{
	size_t hash = str_find(word, '#');
	uint64_t number;

	if (str_to_u64(str_skip(word, hash + 1), &number) == STATUS_OK &&
	    session_place_of(console->session, console->core, (struct str){word.p, hash}, number,
	                     position) == STATUS_OK)
		return true;
	console_wrong(out, "no place of the last answer:", word);
	text_puts(out, "; `origin` and the like number theirs\n");
	return false;
}

void console_seek(const struct console *console, struct str args, struct text *out)
{
	uint64_t end = console_length(console, console->core);
	uint64_t position = end;
	bool is_time = str_has_prefix(args, STR("@"));

	bool is_place = str_find(args, '#') < args.n;

	if (is_time && !parse_time(console, args, &position, out))
		return;
	if (is_place && !parse_place(console, args, &position, out))
		return;
	if (!is_time && !is_place && !str_eq(args, STR("end")) &&
	    str_to_u64(args, &position) != STATUS_OK) {
		console_wrong(out, "not a position:", args);
		text_puts(out, "; give N, @TIME, #N or end\n");
	} else if (session_seek(console->session, console->core, position) != STATUS_OK) {
		text_printf(out, "position out of range (0..%" PRIu64 ")\n", end);
	} else {
		console_position(console, STR(""), out);
		/* A monitor command cannot tell gdb that registers and memory are others now. */
		text_puts(out, "(gdb notices `set $trace_pos = N`; after this command it needs "
		               "`maintenance flush register-cache`)\n");
	}
}

/* "time 100 to 140, about 116 by cycles" */
static void write_moment(const struct moment *moment, struct text *out)
{
	if (!moment->has_earliest && !moment->has_latest)
		text_puts(out, "time unknown");
	else if (!moment->has_earliest)
		text_printf(out, "time up to %" PRIu64, moment->latest);
	else if (!moment->has_latest)
		text_printf(out, "time %" PRIu64 " or later", moment->earliest);
	else if (moment->earliest == moment->latest)
		text_printf(out, "time %" PRIu64, moment->earliest);
	else
		text_printf(out, "time %" PRIu64 " to %" PRIu64, moment->earliest, moment->latest);
	if (moment->has_estimate)
		text_printf(out, ", about %" PRIu64 " by cycles", moment->estimate);
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
	if (status != STATUS_OK)
		say_no_time(status, first, out);
	else if (first == last)
		text_printf(out, "position %" PRIu64 "\n", first);
	else
		text_printf(out, "positions %" PRIu64 " to %" PRIu64 "\n", first, last);
}

void console_time(const struct console *console, struct str args, struct text *out)
{
	uint64_t position = session_position(console->session, console->core);
	struct moment moment;

	if (args.n > 0 && (str_to_u64(args, &position) != STATUS_OK ||
	                   position > console_length(console, console->core))) {
		console_wrong(out, "not a position:", args);
		text_printf(out, "; give 0 to %" PRIu64 "\n",
		            console_length(console, console->core));
		return;
	}
	moment = session_moment(console->session, console->core, position);
	console_core(console, console->core, out);
	text_printf(out, ": position %" PRIu64 ", ", position);
	write_moment(&moment, out);
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
