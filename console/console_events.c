/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The console's lists of what lies between instructions: events and gaps. In: a range of positions.
 * Out: text, of so many lines at most.
 */
#include <inttypes.h>

#include "console/console_command.h"

enum {
	LIST_MOST = 20,         /* lines where no range is given */
	LIST_MOST_RANGE = 5000, /* lines at most */
};

/* Positions from..to, both included. */
struct range {
	uint64_t from;
	uint64_t to;
	bool given;
};

/* "", "all", "N", "A-B", "A-"; says what is wrong otherwise. */
static bool parse_range(struct str args, struct range *range, struct text *out)
{
	size_t dash = str_find(args, '-');
	struct str first = str_trim((struct str){args.p, dash});
	struct str second = str_trim(str_skip(args, dash + 1));

	*range = (struct range){0, UINT64_MAX, args.n > 0};
	if (args.n == 0 || str_eq(args, STR("all")))
		return true;
	if (str_to_u64(first, &range->from) == STATUS_OK) {
		if (dash == args.n)
			range->to = range->from;
		if (second.n == 0 || str_to_u64(second, &range->to) == STATUS_OK)
			return true;
	}
	console_wrong(out, "not a range of positions:", args);
	text_puts(out, "; give N, FROM-TO, FROM- or all\n");
	return false;
}

void console_events(const struct console *console, struct str args, struct text *out)
{
	const struct history *history = session_history(console->session, console->core);
	size_t count = history_event_count(history);
	struct history_event event;
	uint64_t position = session_position(console->session, console->core);
	struct range range;
	size_t first;
	size_t last;
	size_t most;

	if (!parse_range(args, &range, out))
		return;
	first = history_event_index(history, range.from);
	last = range.to == UINT64_MAX ? count : history_event_index(history, range.to + 1);
	most = range.given ? LIST_MOST_RANGE : LIST_MOST;
	if (!range.given) {
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
	if (range.given && last > first && last - first > most)
		text_printf(out, "... and %zu more\n", last - first - most);
	text_printf(out, "%zu events in all; `events FROM-TO` shows others\n", count);
}

static void write_reasons(const struct gap *gaps, size_t count, struct text *out)
{
	for (unsigned int reason = GAP_TRACE_ON; reason <= GAP_HALT; reason++) {
		size_t found = 0;

		for (size_t i = 0; i < count; i++)
			found += gaps[i].reason == (enum gap_reason)reason ? 1 : 0;
		if (found > 0)
			text_printf(out, "    %zu: %s\n", found,
			            gap_reason_text((enum gap_reason)reason));
	}
}

static void write_gaps(const struct console *console, size_t core, const struct range *range,
                       struct text *out)
{
	size_t most = range->given ? LIST_MOST_RANGE : LIST_MOST;
	size_t count;
	size_t listed = 0;
	size_t left = 0;
	const struct gap *gaps = history_gaps(session_history(console->session, core), &count);

	console_core(console, core, out);
	text_printf(out, ": %zu gap%s in %" PRIu64 " instructions\n", count, count == 1 ? "" : "s",
	            console_length(console, core));
	write_reasons(gaps, count, out);
	for (size_t i = 0; i < count; i++) {
		if (gaps[i].position < range->from || gaps[i].position > range->to)
			continue;
		if (listed == most) {
			left++;
			continue;
		}
		listed++;
		text_puts(out, "    ");
		gap_format(&gaps[i], out);
		text_char(out, '\n');
	}
	if (left > 0)
		text_printf(out, "    ... and %zu more; `gaps FROM-TO` or `gaps all` shows them\n",
		            left);
}

void console_gaps(const struct console *console, struct str args, struct text *out)
{
	struct range range;

	if (!parse_range(args, &range, out))
		return;
	for (size_t i = 0; i < session_core_count(console->session); i++)
		write_gaps(console, i, &range, out);
}
