/* SPDX-License-Identifier: Apache-2.0 */
/* See stop_text.h. */
#include "console/stop_text.h"

#include <inttypes.h>

#include "console/console_command.h"
#include "console/threads.h"

enum { BYTES_SHOWN = 16 };

/* What a line begins with. */
static void begin_line(const struct console *console, struct text *out)
{
	text_puts(out, console->is_monitor ? "csreplay: " : "");
}

static void tell_passed(const struct console *console, uint64_t count, struct text *out)
{
	begin_line(console, out);
	text_printf(out, "passed %" PRIu64 " gap%s on the way (`%sset gap stop` stops at each)\n",
	            count, count == 1 ? "" : "s", console_prefix(console));
}

static void tell_gap(const struct console *console, const struct stop *stop, struct text *out)
{
	begin_line(console, out);
	text_puts(out, stop->reason == STOP_GAP ? "stopped after a " : "crossed a ");
	gap_format(&stop->gap, out);
	text_char(out, '\n');
}

void stop_event_text(const struct stop *stop, struct text *out)
{
	if (stop->message)
		software_message_format(stop->message, out);
	else
		element_format_text(&stop->event.element, out);
}

static void tell_event(const struct console *console, const struct stop *stop, struct text *out)
{
	begin_line(console, out);
	text_printf(out, "caught before position %" PRIu64 ": ", stop->event.position);
	stop_event_text(stop, out);
	text_char(out, '\n');
}

/* How many of the registers that are shown here are not proved, and by what they are known. */
static void tell_assumed(const struct console *console, struct text *out)
{
	const struct register_file *file = session_core_registers(console->session, console->core);
	const char *comma = "";
	unsigned int known = 0;
	unsigned int assumed = 0;

	if (!session_trusts_assumed(console->session))
		return;
	for (unsigned int i = 0; i < file->trace; i++) {
		struct value value;

		session_register(console->session, console->core, i, &value);
		known += value_is_known(&value);
		assumed += value_is_known(&value) && value.is_assumed;
	}
	if (assumed == 0)
		return;
	begin_line(console, out);
	text_printf(out, "%u of the %u registers that are known here are assumed (", assumed,
	            known);
	for (enum assumption i = 0; i < ASSUMPTIONS; i++) {
		if (!assumption_is_of_code(i) || !session_assumes(console->session, i))
			continue;
		text_printf(out, "%s%s", comma, assumption_name(i));
		comma = ", ";
	}
	text_puts(out, "), and not proved\n");
}

/* Bytes as a number, or one by one; ".." is one that is not known. */
static void add_value(const struct console *console, const struct stop *stop, bool after,
                      struct text *line)
{
	uint64_t position = stop->access.position + after;
	bool is_number = stop->watch.size <= 8;
	size_t size = stop->watch.size < BYTES_SHOWN ? (size_t)stop->watch.size : BYTES_SHOWN;
	bool is_known = !session_is_later_halt(console->session, console->core, position);
	struct text digits = {0};
	size_t known = 0;

	for (size_t i = 0; i < size; i++) {
		uint64_t address = stop->watch.address + (is_number ? size - 1 - i : i);
		uint8_t byte;

		if (is_known && session_watched_at(console->session, console->core, position,
		                                   address, &byte, 1) == 1) {
			text_printf(&digits, "%02x", byte);
			known++;
		} else {
			text_puts(&digits, "..");
		}
	}
	text_puts(line, after ? ", after it " : "before it ");
	if (known == 0)
		text_puts(line, "not known");
	else
		text_printf(line, "%s%.*s%s", is_number ? "0x" : "bytes ",
		            STR_ARG(text_str(&digits)), size < stop->watch.size ? " ..." : "");
	text_fini(&digits);
}

static const char *noun_of(const struct watch *watch)
{
	static const char *const nouns[] = {
	        [WATCH_WRITE] = "write of",
	        [WATCH_READ] = "read of",
	        [WATCH_ACCESS] = "access to",
	};

	return nouns[watch->kind];
}

static void tell_blind(const struct console *console, const struct stop *stop, struct text *line)
{
	text_printf(line,
	            "from here on it is not known what instructions accessed, %" PRIu64
	            " to %" PRIu64 ": ",
	            stop->access.position, stop->access.last);
	session_why_blind(console->session, console->core, stop->access.position, line);
	text_puts(line, "; the same move again goes past them\n");
}

static const char *uncertainty_of(const struct values_access *access)
{
	if (access->is_event)
		return "; what came after it may have accessed any memory";
	return access->supposed == SUPPOSED_THERE ? "; it is assumed to be there, and not proved"
	                                          : "; where it went is not known";
}

static void tell_access(const struct console *console, const struct stop *stop, struct text *line)
{
	bool is_possible = stop->access.verdict == VALUES_POSSIBLE;
	const struct watch *watch = &stop->watch;

	begin_line(console, line);
	if (stop->access.verdict == VALUES_BLIND) {
		tell_blind(console, stop, line);
	} else if (stop->access.is_event && stop->has_gap &&
	           stop->gap.position == stop->access.position + 1) {
		text_puts(line, "what is watched may have been accessed in it\n");
	} else {
		text_printf(line, "%s%s the %" PRIu64 " byte%s at 0x%" PRIx64 ": ",
		            is_possible ? "possible " : "", noun_of(watch), watch->size,
		            watch->size == 1 ? "" : "s", watch->address);
		session_format_place(console->session, console->core, stop->access.position, line);
		if (is_possible)
			text_puts(line, uncertainty_of(&stop->access));
		text_puts(line, "; ");
		add_value(console, stop, false, line);
		add_value(console, stop, true, line);
		text_char(line, '\n');
	}
}

static void tell_doubt(const struct console *console, const struct stop *stop, struct text *line)
{
	const struct values_may_alias *doubt = &stop->doubt;
	bool at_lines = stop->reason != STOP_STEPPED && doubt->count > doubt->elsewhere &&
	                session_possible(console->session) == POSSIBLE_STOP;

	begin_line(console, line);
	text_printf(line,
	            "%" PRIu64 " instruction%s on the way may have accessed what is "
	            "watched, the nearest at position %" PRIu64 ": the address is not known",
	            doubt->count, doubt->count == 1 ? "" : "s", doubt->position);
	if (doubt->elsewhere > 0)
		text_printf(line, "; of %" PRIu64 " it is assumed to be another", doubt->elsewhere);
	text_puts(line, at_lines ? " (lines that were stopped at)\n" : "\n");
}

/* Accesses that the move went past, and may not have. */
static void tell_doubts(const struct console *console, uint64_t from, const struct stop *stop,
                        struct text *out)
{
	const struct values_may_alias *doubt = &stop->doubt;

	if (doubt->count > 0)
		tell_doubt(console, stop, out);
	if (doubt->count > 0 && session_possible(console->session) == POSSIBLE_REPORT)
		session_list_possible(console->session, console->core, from, out);
	if (doubt->blind_first >= doubt->blind_last)
		return;
	begin_line(console, out);
	text_printf(out,
	            "nothing is known of what the instructions %" PRIu64 " to %" PRIu64
	            " accessed\n",
	            doubt->blind_first, doubt->blind_last - 1);
}

/* What concerns the cores that went along. */
static void tell_others(const struct console *console, const struct others_met *others,
                        struct text *out)
{
	if (others->unordered > 0) {
		begin_line(console, out);
		text_puts(out, "within the precision of time ");
		threads_name(console->session, others->first, out);
		if (others->unordered > 1)
			text_printf(out, " and %zu more cores", others->unordered - 1);
		text_printf(out,
		            " would have stopped, too (position %" PRIu64 "): which came first is "
		            "not known\n",
		            others->position);
	}
	if (others->doubts > 0) {
		begin_line(console, out);
		text_printf(out,
		            "%" PRIu64
		            " instruction%s of other cores on the way may have accessed what "
		            "is watched: the address is not known\n",
		            others->doubts, others->doubts == 1 ? "" : "s");
	}
	if (others->blind > 0) {
		begin_line(console, out);
		text_printf(out,
		            "of a part of the way of %zu other core%s nothing is known of what "
		            "was accessed\n",
		            others->blind, others->blind == 1 ? "" : "s");
	}
}

static void tell_alone(const struct console *console, struct text *out)
{
	struct text why = {0};

	together_why_not(console->session, &why);
	if (why.length > 0) {
		begin_line(console, out);
		text_printf(out, "%s\n", why.data);
	}
	text_fini(&why);
}

/* The debugger names the thread that stopped; the shell has to say it. */
static void tell_first(const struct console *console, const struct stop *stop, struct text *out)
{
	if (!stop->is_of_other || console->is_monitor)
		return;
	text_puts(out, "first came ");
	threads_name(console->session, stop->core, out);
	text_char(out, '\n');
}

void stop_text(const struct console *console, uint64_t from, const struct stop *stop,
               struct text *out)
{
	bool is_shown = console->is_monitor && stop->reason == STOP_WATCH;

	stop_text_software(console, from, out);
	if (stop->says_alone)
		tell_alone(console, out);
	tell_first(console, stop, out);
	if (stop->gaps_passed > 0)
		tell_passed(console, stop->gaps_passed, out);
	if (stop->has_gap)
		tell_gap(console, stop, out);
	if (stop->has_event)
		tell_event(console, stop, out);
	tell_doubts(console, from, stop, out);
	if (stop->has_access && !is_shown)
		tell_access(console, stop, out);
	tell_others(console, &stop->others, out);
	tell_assumed(console, out);
}
