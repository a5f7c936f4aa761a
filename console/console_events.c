/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The console's lists of what lies between instructions: events and gaps. In: a range of positions.
 * Out: text, of so many lines at most.
 */
#include <inttypes.h>

#include "console/console_command.h"
#include "console/position.h"

enum {
	LIST_MOST = 20,         /* lines where no range is given */
	LIST_MOST_RANGE = 5000, /* lines at most */
};

/* "" is all, of which some are listed; false, and it is said, if it is none. */
static bool parse_range(struct console *console, struct str args, struct position_range *range,
                        struct text *out)
{
	*range = (struct position_range){0, UINT64_MAX};
	if (args.n == 0 || position_parse_range(console, args, range, out))
		return true;
	text_char(out, '\n');
	console->failed = true;
	return false;
}

void console_events(struct console *console, struct str args, struct text *out)
{
	const struct history *history = session_history(console->session, console->core);
	size_t count = history_event_count(history);
	struct history_event event;
	uint64_t position = session_position(console->session, console->core);
	struct position_range range;
	size_t first;
	size_t last;
	size_t most;
	bool is_given = args.n > 0;

	if (!parse_range(console, args, &range, out))
		return;
	first = history_event_index(history, range.from);
	last = range.to == UINT64_MAX ? count : history_event_index(history, range.to + 1);
	most = is_given ? LIST_MOST_RANGE : LIST_MOST;
	if (!is_given) {
		/* The latest that the user has after him. */
		last = position == UINT64_MAX ? count : history_event_index(history, position + 1);
		first = last > most ? last - most : 0;
	}
	for (size_t i = first; i < last && i - first < most && history_event(history, i, &event);
	     i++) {
		text_printf(out, "before %" PRIu64 ": ", event.position);
		element_format_text(&event.element, out);
		text_char(out, '\n');
	}
	if (is_given && last > first && last - first > most)
		text_printf(out, "... and %zu more\n", last - first - most);
	text_printf(out, "%zu events in all; `events FROM-TO` shows others\n", count);
}

static void write_reasons(const struct history *history, struct text *out)
{
	for (unsigned int reason = GAP_TRACE_ON; reason <= GAP_HALT; reason++) {
		size_t found = history_gap_count_of(history, (enum gap_reason)reason);

		if (found > 0)
			text_printf(out, "    %zu: %s\n", found,
			            gap_reason_text((enum gap_reason)reason));
	}
}

static void write_gaps(const struct console *console, size_t core,
                       const struct position_range *range, bool is_given, struct text *out)
{
	size_t most = is_given ? LIST_MOST_RANGE : LIST_MOST;
	const struct history *history = session_history(console->session, core);
	size_t count = history_gap_count(history);
	size_t listed = 0;
	size_t left = 0;
	struct gap gap;

	console_core(console, core, out);
	text_printf(out, ": %zu gap%s in %" PRIu64 " instructions\n", count, count == 1 ? "" : "s",
	            console_length(console, core));
	write_reasons(history, out);
	for (size_t i = history_gap_index(history, range->from);
	     history_gap(history, i, &gap) && gap.position <= range->to; i++) {
		if (listed == most) {
			left++;
			continue;
		}
		listed++;
		text_puts(out, "    ");
		gap_format(&gap, out);
		text_char(out, '\n');
	}
	if (left > 0)
		text_printf(out, "    ... and %zu more; `gaps FROM-TO` or `gaps all` shows them\n",
		            left);
}

void console_gaps(struct console *console, struct str args, struct text *out)
{
	struct position_range range;

	if (!parse_range(console, args, &range, out))
		return;
	for (size_t i = 0; i < session_core_count(console->session); i++)
		write_gaps(console, i, &range, args.n > 0, out);
}
