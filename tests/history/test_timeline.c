/* SPDX-License-Identifier: Apache-2.0 */
/* Times of positions and positions of times, of histories whose marks are made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/history/history.h"
#include "tests/session/made_session.h"

static const struct element on = {.type = ELEMENT_TRACE_ON};

/* `count` NOPs and a branch to 0x1000, or a branch from 0x1000 on itself. */
static struct element nops(uint32_t count)
{
	return range(0x1000, count, INSN_OTHER, true);
}

static struct element at_time(uint64_t timestamp)
{
	return (struct element){.type = ELEMENT_TIMESTAMP, .timestamp = timestamp};
}

static struct element after_cycles(uint32_t cycles)
{
	return (struct element){.type = ELEMENT_CYCLE_COUNT, .has_cycles = true, .cycles = cycles};
}

/* Each run is two instructions; before each of them comes a gap, so that nothing has to follow. */
static void open_runs(struct fixture *f, const struct element *elements, size_t count)
{
	leads_to(0x1008);
	open_fixture(f, elements, count);
}

enum { NONE = -1 };

static void assert_moment(const struct fixture *f, uint64_t position, int64_t earliest,
                          int64_t latest)
{
	struct moment m = timeline_at(f->history, position);

	assert_int_equal(m.has_earliest, earliest != NONE);
	assert_int_equal(m.has_latest, latest != NONE);
	if (earliest != NONE)
		assert_int_equal(m.earliest, earliest);
	if (latest != NONE)
		assert_int_equal(m.latest, latest);
}

/*
 * Runs 0-1, 2-3, 4-5, 6-7; timestamps 100 after position 2, 140 after 4. What was executed before a
 * timestamp was so no later; only what comes after the waypoint after it is surely not earlier.
 */
static void times_lie_between_the_timestamps_around(void **state)
{
	const struct element elements[] = {nops(2), at_time(100), on, nops(2), at_time(140),
	                                   on,      nops(2),      on, nops(2)};
	struct fixture f;

	(void)state;
	open_runs(&f, elements, sizeof(elements) / sizeof(elements[0]));
	assert_int_equal(history_length(f.history), 8);
	assert_moment(&f, 0, NONE, 100);
	assert_moment(&f, 1, NONE, 100);
	assert_moment(&f, 2, NONE, 100);
	/* within the run after the timestamp: its first instruction may have been before it */
	assert_moment(&f, 3, NONE, 140);
	assert_moment(&f, 4, 100, 140);
	assert_moment(&f, 5, 100, NONE);
	assert_moment(&f, 6, 140, NONE);
	assert_moment(&f, 8, 140, NONE);
	close_fixture(&f);
}

/* A timestamp of zero says nothing; of two that go back nothing is said between them. */
static void zero_and_clocks_that_go_back_say_nothing(void **state)
{
	const struct element zero[] = {nops(2), at_time(0), on, nops(2), on, nops(2)};
	const struct element back[] = {at_time(500), nops(2), on, nops(2), at_time(300),
	                               on,           nops(2), on, nops(2)};
	struct fixture f;
	uint64_t first;
	uint64_t last;

	(void)state;
	open_runs(&f, zero, sizeof(zero) / sizeof(zero[0]));
	for (uint64_t p = 0; p <= 6; p++)
		assert_moment(&f, p, NONE, NONE);
	assert_int_equal(timeline_positions(f.history, 0, &first, &last), STATUS_UNAVAILABLE);
	close_fixture(&f);
	open_runs(&f, back, sizeof(back) / sizeof(back[0]));
	assert_moment(&f, 0, NONE, 500);
	assert_moment(&f, 1, NONE, 300);
	assert_moment(&f, 2, NONE, NONE);
	assert_moment(&f, 4, NONE, NONE);
	assert_moment(&f, 6, 300, NONE);
	assert_int_equal(timeline_positions(f.history, 400, &first, &last), STATUS_BAD_DATA);
	assert_int_equal(first, 4);
	close_fixture(&f);
}

/* 40 ticks are 10 cycles: what comes 4 cycles after the first timestamp is at 16 ticks of these. */
static void cycles_say_where_between_two_timestamps(void **state)
{
	const struct element elements[] = {nops(2),         after_cycles(3), at_time(100), on,
	                                   nops(2),         after_cycles(4), on,           nops(2),
	                                   after_cycles(6), at_time(140),    on,           nops(2)};
	struct fixture f;
	struct moment m;

	(void)state;
	open_runs(&f, elements, sizeof(elements) / sizeof(elements[0]));
	m = timeline_at(f.history, 4);
	assert_true(m.has_estimate);
	assert_int_equal(m.estimate, 116);
	assert_int_equal(m.earliest, 100);
	assert_int_equal(m.latest, 140);
	m = timeline_at(f.history, 6);
	assert_true(m.has_estimate);
	assert_int_equal(m.estimate, 140);
	assert_false(timeline_at(f.history, 2).has_estimate);
	assert_false(timeline_at(f.history, 8).has_estimate);
	close_fixture(&f);
}

/* Has the core certainly left the position before the time? In a gap it is at the one after it. */
static bool has_left(const struct history *history, uint64_t position, uint64_t time)
{
	struct moment m;

	if (position == history_length(history))
		return false;
	m = timeline_at(history, position + 1);
	return m.has_latest && m.latest < time;
}

/* The core may have been at a position at a time if it may have come, and may not have left. */
static void positions_are_those_that_it_may_have_come_to_and_not_left(void **state)
{
	const struct element elements[] = {nops(2), at_time(100), on, nops(3),      on,
	                                   nops(1), at_time(140), on, nops(2),      at_time(140),
	                                   on,      nops(2),      on, at_time(200), nops(2)};
	struct fixture f;

	(void)state;
	open_runs(&f, elements, sizeof(elements) / sizeof(elements[0]));
	for (uint64_t time = 95; time < 205; time++) {
		uint64_t first;
		uint64_t last;

		assert_int_equal(timeline_positions(f.history, time, &first, &last), STATUS_OK);
		for (uint64_t p = 0; p <= history_length(f.history); p++) {
			struct moment m = timeline_at(f.history, p);
			bool may_be = (!m.has_earliest || m.earliest <= time) &&
			              !has_left(f.history, p, time);

			assert_int_equal(may_be, first <= p && p <= last);
		}
	}
	close_fixture(&f);
}

/* Positions of a span have the bounds of all of it, and the position is in it. */
static void assert_spans(const struct history *history)
{
	for (uint64_t p = 0; p <= history_length(history); p++) {
		struct timeline_span span;
		struct moment bounds = timeline_bounds(history, p, &span);

		assert_in_range(p, span.first, span.last);
		assert_in_range(span.last, span.first, history_length(history));
		for (uint64_t q = span.first; q <= span.last; q++) {
			struct moment m = timeline_at(history, q);

			assert_int_equal(m.has_earliest, bounds.has_earliest);
			assert_int_equal(m.has_latest, bounds.has_latest);
			assert_int_equal(m.earliest, bounds.earliest);
			assert_int_equal(m.latest, bounds.latest);
		}
	}
}

/* The core is at p from when it came there until it comes to p + 1. From whereever it is looked
 * for. */
static void core_may_be_where_it_has_come_and_not_left(void **state)
{
	const struct element elements[] = {nops(2),      at_time(100), on,           nops(3),
	                                   on,           nops(1),      at_time(140), on,
	                                   nops(2),      at_time(140), on,           nops(2),
	                                   at_time(140), on,           nops(1),      on,
	                                   at_time(200), nops(2),      at_time(210)};
	struct fixture f;

	(void)state;
	open_runs(&f, elements, sizeof(elements) / sizeof(elements[0]));
	assert_spans(f.history);
	for (uint64_t time = 95; time < 215; time++) {
		uint64_t length = history_length(f.history);
		uint64_t first = length;
		uint64_t last = 0;

		for (uint64_t p = 0; p <= length; p++) {
			struct moment came = timeline_at(f.history, p);

			if (p < first && !has_left(f.history, p, time))
				first = p;
			if (!came.has_earliest || came.earliest <= time)
				last = p;
		}
		for (uint64_t near = 0; near <= length; near++) {
			assert_int_equal(timeline_first_at(f.history, near, time), first);
			assert_int_equal(timeline_last_at(f.history, near, time), last);
		}
	}
	close_fixture(&f);
}

static void order_is_known_where_bounds_are_apart(void **state)
{
	const struct moment early = {.latest = 10, .has_latest = true};
	const struct moment middle = {
	        .earliest = 10, .latest = 20, .has_earliest = true, .has_latest = true};
	const struct moment late = {.earliest = 21, .has_earliest = true};
	const struct moment never = {0};

	(void)state;
	assert_int_equal(moment_order(&early, &late), ORDER_BEFORE);
	assert_int_equal(moment_order(&late, &early), ORDER_AFTER);
	assert_int_equal(moment_order(&middle, &late), ORDER_BEFORE);
	assert_int_equal(moment_order(&early, &middle), ORDER_UNKNOWN);
	assert_int_equal(moment_order(&middle, &middle), ORDER_UNKNOWN);
	assert_int_equal(moment_order(&never, &late), ORDER_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(times_lie_between_the_timestamps_around),
	        cmocka_unit_test(zero_and_clocks_that_go_back_say_nothing),
	        cmocka_unit_test(cycles_say_where_between_two_timestamps),
	        cmocka_unit_test(positions_are_those_that_it_may_have_come_to_and_not_left),
	        cmocka_unit_test(core_may_be_where_it_has_come_and_not_left),
	        cmocka_unit_test(order_is_known_where_bounds_are_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
