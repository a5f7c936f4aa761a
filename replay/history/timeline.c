/* SPDX-License-Identifier: Apache-2.0 */
/* Positions and times of a history, by the marks that its trace has left; see timeline.h. */
#include "replay/history/timeline.h"

#include "replay/history/history_store.h"

/* First position of the run that holds `position`, or N. */
static uint64_t run_start(const struct history *history, uint64_t position)
{
	struct history_runs runs;
	struct history_run run;
	uint64_t start = 0;

	if (position >= history->length)
		return history->length;
	history_runs_begin(&runs, history, position);
	while (history_runs_next(&runs, &run) && run.position <= position)
		start = run.position;
	return start;
}

/* The first position after the run that begins at `position`. */
static uint64_t run_end(const struct history *history, uint64_t position)
{
	struct history_runs runs;
	struct history_run run;

	if (position >= history->length)
		return history->length;
	history_runs_begin(&runs, history, position);
	while (history_runs_next(&runs, &run)) {
		if (run.position > position)
			return run.position;
	}
	return history->length;
}

static bool is_time(const struct mark_entry *entry)
{
	return entry->known && entry->value != 0;
}

/* Where cycles stand at a position, between two marks of time, in proportion. */
static void estimate(const struct history *history, uint64_t position,
                     const struct mark_entry *before, const struct mark_entry *after,
                     struct moment *moment)
{
	uint64_t low;
	uint64_t high;
	uint64_t here;
	uint64_t ticks = after->value - before->value;

	if (history_mark(history, MARK_CYCLES, before->position, &low) != STATUS_OK ||
	    history_mark(history, MARK_CYCLES, after->position, &high) != STATUS_OK ||
	    history_mark(history, MARK_CYCLES, position, &here) != STATUS_OK || high <= low)
		return;
	if (here < low)
		here = low;
	if (here > high)
		here = high;
	moment->has_estimate = true;
	moment->estimate = before->value +
	                   (uint64_t)((double)ticks * (double)(here - low) / (double)(high - low));
	if (moment->estimate > after->value)
		moment->estimate = after->value;
}

static size_t timestamp_count(const struct history *history)
{
	return history->notes.marks[MARK_TIMESTAMP].count;
}

/* Index of the first timestamp at `position` or after it. */
static size_t timestamp_index(const struct history *history, uint64_t position)
{
	return position == 0 ? 0 : history_mark_after(history, MARK_TIMESTAMP, position - 1);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * The timestamps around a position: those before index `before` come before its run, those from
 * index `after` on not before it. `span` are the positions of which that is so, this one among
 * them.
 */
struct around {
	size_t before;
	size_t after;
	struct timeline_span span;
};

static struct around find_around(const struct history *history, uint64_t position)
{
	struct around around = {.after = timestamp_index(history, position),
	                        .span = {0, history->length - 1}};
	uint64_t last; /* position of a timestamp before this one */
	uint64_t end;

	/* A timestamp after the last run stands before nothing: the halt is later. */
	if (position == history->length) {
		around.before = timestamp_count(history);
		around.span = (struct timeline_span){position, position};
		return around;
	}
	if (around.after < timestamp_count(history))
		around.span.last =
		        earlier(history_mark_entry(history, MARK_TIMESTAMP, around.after).position,
		                around.span.last);
	if (around.after == 0)
		return around;
	last = history_mark_entry(history, MARK_TIMESTAMP, around.after - 1).position;
	end = run_end(history, last);
	if (position >= end) {
		around.before = around.after;
		around.span.first = end;
	} else {
		around.before = timestamp_index(history, run_start(history, last));
		around.span.first = last + 1;
		around.span.last = earlier(end - 1, around.span.last);
	}
	return around;
}

static struct moment moment_of(const struct history *history, const struct around *around,
                               uint64_t position, bool estimates)
{
	struct mark_entry before = {.known = false};
	struct mark_entry after = {.known = false};
	struct moment moment = {0};

	if (around->before > 0)
		before = history_mark_entry(history, MARK_TIMESTAMP, around->before - 1);
	if (around->after < timestamp_count(history))
		after = history_mark_entry(history, MARK_TIMESTAMP, around->after);
	if (is_time(&before) && is_time(&after) && before.value > after.value)
		return moment;
	moment.has_earliest = is_time(&before);
	moment.earliest = before.value;
	moment.has_latest = is_time(&after);
	moment.latest = after.value;
	if (estimates && moment.has_earliest && moment.has_latest)
		estimate(history, position, &before, &after, &moment);
	return moment;
}

struct moment timeline_at(const struct history *history, uint64_t position)
{
	struct around around = find_around(history, position);

	return moment_of(history, &around, position, true);
}

struct moment timeline_bounds(const struct history *history, uint64_t position,
                              struct timeline_span *span)
{
	struct around around = find_around(history, position);

	*span = around.span;
	return moment_of(history, &around, position, false);
}

/* The first timestamp, from index `i` on, that is at least `time`; SIZE_MAX: none. */
static size_t next_time(const struct history *history, size_t i, uint64_t time)
{
	for (; i < timestamp_count(history); i++) {
		struct mark_entry entry = history_mark_entry(history, MARK_TIMESTAMP, i);

		if (is_time(&entry) && entry.value >= time)
			return i;
	}
	return SIZE_MAX;
}

/* The last timestamp, before index `i`, that is less than `time`; SIZE_MAX: none. */
static size_t last_time(const struct history *history, size_t i, uint64_t time)
{
	while (i-- > 0) {
		struct mark_entry entry = history_mark_entry(history, MARK_TIMESTAMP, i);

		if (is_time(&entry) && entry.value < time)
			return i;
	}
	return SIZE_MAX;
}

/* Index of the first timestamp that is at least `time`, or their number. */
static size_t first_not_before(const struct history *history, uint64_t near, uint64_t time)
{
	size_t i = history_mark_after(history, MARK_TIMESTAMP, near);
	size_t before = last_time(history, i, time);
	size_t found = next_time(history, before == SIZE_MAX ? 0 : before + 1, time);

	return found == SIZE_MAX ? timestamp_count(history) : found;
}

uint64_t timeline_first_at(const struct history *history, uint64_t near, uint64_t time)
{
	size_t before = last_time(history, first_not_before(history, near, time), time);

	/* What came before a timestamp was over by then: the core has left that for its place. */
	if (before == SIZE_MAX)
		return 0;
	return history_mark_entry(history, MARK_TIMESTAMP, before).position;
}

uint64_t timeline_last_at(const struct history *history, uint64_t near, uint64_t time)
{
	size_t after;

	if (time == UINT64_MAX)
		return history->length;
	after = first_not_before(history, near, time + 1);
	/* Within the run that a timestamp stands in the core may be before it. */
	if (after == timestamp_count(history))
		return history->length;
	return run_end(history, history_mark_entry(history, MARK_TIMESTAMP, after).position) - 1;
}

enum status timeline_positions(const struct history *history, uint64_t time, uint64_t *first,
                               uint64_t *last)
{
	struct mark_entry previous = {.known = false};

	*first = 0;
	*last = history->length;
	for (size_t i = 0; i < timestamp_count(history); i++) {
		struct mark_entry entry = history_mark_entry(history, MARK_TIMESTAMP, i);

		if (!is_time(&entry))
			continue;
		if (previous.known && entry.value < previous.value) {
			*first = entry.position;
			return STATUS_BAD_DATA;
		}
		if (entry.value < time)
			*first = entry.position;
		if (entry.value > time && *last == history->length &&
		    entry.position < history->length)
			*last = run_end(history, entry.position) - 1;
		previous = entry;
	}
	return previous.known ? STATUS_OK : STATUS_UNAVAILABLE;
}

void timeline_cursor_positions(const struct history *history, struct timeline_cursor *cursor,
                               uint64_t time, uint64_t *first, uint64_t *last)
{
	size_t count = timestamp_count(history);
	struct mark_entry entry = {.known = false};

	for (; cursor->below < count; cursor->below++) {
		entry = history_mark_entry(history, MARK_TIMESTAMP, cursor->below);
		if (is_time(&entry) && entry.value >= time)
			break;
		if (is_time(&entry))
			cursor->first = entry.position;
	}
	for (; cursor->above < count; cursor->above++) {
		entry = history_mark_entry(history, MARK_TIMESTAMP, cursor->above);
		if (is_time(&entry) && entry.value > time && entry.position < history->length)
			break;
		cursor->has_last = false;
	}
	if (!cursor->has_last)
		cursor->last = cursor->above == count ? history->length
		                                      : run_end(history, entry.position) - 1;
	cursor->has_last = true;
	*first = cursor->first;
	*last = cursor->last;
}

enum order moment_order(const struct moment *a, const struct moment *b)
{
	if (a->has_latest && b->has_earliest && a->latest < b->earliest)
		return ORDER_BEFORE;
	if (a->has_earliest && b->has_latest && a->earliest > b->latest)
		return ORDER_AFTER;
	return ORDER_UNKNOWN;
}
