/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moves through long histories with gaps, against what single steps over a plain list of
 * instructions come to: wherever a move begins, whatever breakpoints there are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/session/made_session.h"

enum {
	CODE = 0x1000,
	FUNCTIONS = 64, /* each three NOPs and a return */
	HALT = CODE + 16 * FUNCTIONS,
	ELEMENTS = 15000,
	MOST = 4 * ELEMENTS,
	BREAKPOINTS_MOST = 4,
};

/* What was executed. */
static struct {
	uint64_t pc[MOST + 1];
	bool gap[MOST + 1]; /* before the instruction */
	uint64_t length;
	uint64_t breakpoints[BREAKPOINTS_MOST];
	size_t breakpoint_count;
} list;

static uint32_t seed;

/* A number below `limit`. */
static uint32_t pick(uint32_t limit)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)(((uint64_t)seed * limit) >> 32);
}

/* One gap in `gap_every` calls, 0 being none; the last instruction leads to the halt. */
static size_t make_elements(struct element *elements, size_t calls, uint32_t gap_every)
{
	size_t count = 0;

	list.length = 0;
	for (size_t i = 0; i < calls; i++) {
		uint32_t first = pick(4);
		/* Few are called often, one is rare. */
		uint32_t function = pick(400) == 0 ? FUNCTIONS - 1 : pick(1 + pick(FUNCTIONS - 1));
		uint64_t start = CODE + 16 * (uint64_t)function + 4 * (uint64_t)first;

		list.gap[list.length] = gap_every > 0 && i > 0 && pick(gap_every) == 0;
		if (list.gap[list.length])
			elements[count++] = (struct element){.type = ELEMENT_TRACE_ON};
		elements[count] = range(start, 4 - first, INSN_BRANCH_INDIRECT, true);
		elements[count++].range.last_subclass = INSN_SUB_A64_RET;
		for (uint32_t n = first; n < 4; n++, start += 4) {
			list.pc[list.length++] = start;
			list.gap[list.length] = false;
		}
	}
	list.pc[list.length] = HALT;
	leads_to(HALT);
	return count;
}

static void open_moves(struct fixture *f, size_t calls, uint32_t gap_every)
{
	static struct element elements[2 * ELEMENTS];
	static uint8_t bytes[16 * FUNCTIONS];
	static const uint8_t halt[8] = {HALT & 0xff, HALT >> 8};
	size_t count = make_elements(elements, calls, gap_every);

	for (size_t i = 0; i < sizeof(bytes); i += 16) {
		for (size_t nop = 0; nop < 12; nop += 4)
			memcpy(bytes + i + nop, code, 4);
		memcpy(bytes + i + 12, code + 0x14, 4); /* ret */
	}
	memset(f, 0, sizeof(*f));
	f->registers[0] = (struct snap_register){.name = STR("PC"), .bits = 64, .value = halt};
	f->device = (struct snap_device){.name = STR("cpu_0"),
	                                 .class = DEVICE_CORE,
	                                 .registers = f->registers,
	                                 .register_count = 1};
	begin_core(f);
	add_region(f->core.memory, CODE, bytes, sizeof(bytes), true);
	assert_int_equal(open_core(f, elements, count), 0);
	assert_int_equal(history_length(f->history), list.length);
	list.breakpoint_count = 0;
}

static bool is_breakpoint(uint64_t position)
{
	for (size_t i = 0; i < list.breakpoint_count; i++) {
		if (list.breakpoints[i] == list.pc[position])
			return true;
	}
	return false;
}

struct expected {
	enum stop_reason reason;
	bool has_gap;
	uint64_t position;
};

/* session.h: the start does not count, a breakpoint before a gap, a gap before an end. */
static struct expected expect_continue(uint64_t from, enum direction direction)
{
	bool forward = direction == DIRECTION_FORWARD;
	uint64_t end = forward ? list.length : 0;
	struct expected e = {forward ? STOP_END : STOP_BEGIN, false, from};

	while (e.position != end) {
		bool gap = list.gap[forward ? e.position + 1 : e.position];

		e.position += forward ? 1 : UINT64_MAX;
		e.has_gap = gap;
		if (e.position != list.length && is_breakpoint(e.position)) {
			e.reason = STOP_BREAKPOINT;
			break;
		}
		if (gap) {
			e.reason = e.position == end ? e.reason : STOP_GAP;
			break;
		}
	}
	return e;
}

static struct expected expect_range(uint64_t from, uint64_t low, uint64_t high)
{
	struct expected e = {STOP_STEPPED, false, from};

	while (e.position < list.length) {
		e.position++;
		e.has_gap = list.gap[e.position];
		e.reason = STOP_STEPPED;
		if (e.has_gap)
			e.reason = STOP_GAP;
		else if (is_breakpoint(e.position))
			e.reason = STOP_BREAKPOINT;
		else if (list.pc[e.position] >= low && list.pc[e.position] < high)
			continue;
		return e;
	}
	return (struct expected){STOP_END, false, list.length};
}

static void assert_stop(const struct fixture *f, const struct stop *stop,
                        const struct expected *expected, uint64_t from)
{
	uint64_t position = session_position(f->session, 0);

	if (stop->reason != expected->reason || position != expected->position ||
	    (stop->has_gap) != expected->has_gap)
		fail_msg("from %llu: reason %d at %llu, gap %d; expected %d at %llu, gap %d",
		         (unsigned long long)from, (int)stop->reason, (unsigned long long)position,
		         stop->has_gap, (int)expected->reason,
		         (unsigned long long)expected->position, expected->has_gap);
	/* The gap that was crossed last. */
	if (stop->has_gap)
		assert_true(list.gap[stop->gap.position]);
	if (stop->has_gap && stop->gap.position != position)
		assert_int_equal(stop->gap.position, position + 1);
}

/* Others each time; now and then one that is set twice. */
static void change_breakpoints(struct fixture *f)
{
	for (size_t i = 0; i < list.breakpoint_count; i++) {
		session_break_clear(f->session, list.breakpoints[i]);
		session_break_clear(f->session, list.breakpoints[i]);
	}
	list.breakpoint_count = pick(BREAKPOINTS_MOST + 1);
	for (size_t i = 0; i < list.breakpoint_count; i++) {
		uint32_t function = pick(2) ? FUNCTIONS - 1 : pick(FUNCTIONS);

		list.breakpoints[i] = CODE + 16 * (uint64_t)function + 4 * (uint64_t)pick(4);
		if (pick(8) == 0)
			list.breakpoints[i] += 2; /* in no instruction's place */
		assert_int_equal(session_break_set(f->session, list.breakpoints[i]), STATUS_OK);
	}
}

static uint64_t pick_position(void)
{
	switch (pick(8)) {
	case 0:
		return pick(3);
	case 1:
		return list.length - pick(3);
	default:
		return pick((uint32_t)list.length + 1);
	}
}

static void move_from(struct fixture *f, uint64_t from)
{
	enum direction direction = pick(2) ? DIRECTION_FORWARD : DIRECTION_BACKWARD;
	uint64_t low = CODE + 16 * (uint64_t)pick(8);
	uint64_t high = low + 4 + 4 * (uint64_t)pick(4 * FUNCTIONS);
	struct expected expected;
	struct stop stop;

	assert_int_equal(session_seek(f->session, 0, from), STATUS_OK);
	stop = session_continue(f->session, 0, direction, NULL, NULL);
	expected = expect_continue(from, direction);
	assert_stop(f, &stop, &expected, from);
	assert_int_equal(session_seek(f->session, 0, from), STATUS_OK);
	stop = session_step_range(f->session, 0, low, high, NULL, NULL);
	expected = expect_range(from, low, high);
	assert_stop(f, &stop, &expected, from);
}

static void moves_end_where_steps_would(void **state)
{
	static const struct {
		size_t calls;
		uint32_t gap_every;
		unsigned int moves;
	} worlds[] = {{1, 0, 50},     {2, 2, 100},       {30, 3, 400},
	              {400, 40, 800}, {15000, 900, 600}, {15000, 0, 200}};

	(void)state;
	seed = 1;
	for (size_t w = 0; w < sizeof(worlds) / sizeof(worlds[0]); w++) {
		struct fixture f;

		open_moves(&f, worlds[w].calls, worlds[w].gap_every);
		for (unsigned int i = 0; i < worlds[w].moves; i++) {
			change_breakpoints(&f);
			move_from(&f, pick_position());
		}
		session_break_clear_all(f.session);
		list.breakpoint_count = 0;
		move_from(&f, pick_position());
		close_fixture(&f);
	}
}

/* A chain of moves meets every gap and every breakpoint of the history. */
static void chain_of_moves_passes_over_nothing(void **state)
{
	static const enum direction directions[] = {DIRECTION_BACKWARD, DIRECTION_FORWARD};
	struct fixture f;

	(void)state;
	seed = 2;
	open_moves(&f, 3000, 100);
	list.breakpoints[0] = CODE + 16 * (FUNCTIONS - 1) + 8;
	list.breakpoint_count = 1;
	assert_int_equal(session_break_set(f.session, list.breakpoints[0]), STATUS_OK);
	for (size_t i = 0; i < 2; i++) {
		enum stop_reason last = i == 0 ? STOP_BEGIN : STOP_END;
		struct expected expected;
		struct stop stop;

		do {
			uint64_t from = session_position(f.session, 0);

			stop = session_continue(f.session, 0, directions[i], NULL, NULL);
			expected = expect_continue(from, directions[i]);
			assert_stop(&f, &stop, &expected, from);
		} while (stop.reason != last);
		assert_int_equal(session_position(f.session, 0), i == 0 ? 0 : list.length);
	}
	close_fixture(&f);
}

static bool is_asked(void *context)
{
	++*(unsigned int *)context;
	return true;
}

/* Where nothing can be met nobody need be asked; else before much is looked through. */
static void interrupted_moves_say_so(void **state)
{
	uint64_t rare = CODE + 16 * (FUNCTIONS - 1) + 12;
	unsigned int asked = 0;
	struct fixture f;
	struct stop stop;

	(void)state;
	seed = 3;
	open_moves(&f, 15000, 0);
	assert_int_equal(session_break_set(f.session, rare), STATUS_OK);
	stop = session_continue(f.session, 0, DIRECTION_BACKWARD, is_asked, &asked);
	assert_int_equal(stop.reason, STOP_INTERRUPTED);
	assert_int_equal(asked, 1);
	assert_int_equal(session_position(f.session, 0), list.length);
	session_break_clear(f.session, rare);
	assert_int_equal(session_seek(f.session, 0, 5), STATUS_OK);
	asked = 0;
	stop = session_step_range(f.session, 0, 0, UINT64_MAX, is_asked, &asked);
	assert_int_equal(stop.reason, STOP_INTERRUPTED);
	assert_int_equal(asked, 1);
	assert_in_range(session_position(f.session, 0), 6, 10000);
	asked = 0;
	(void)session_step_range(f.session, 0, 0, 1, is_asked, &asked);
	assert_int_equal(asked, 0);
	close_fixture(&f);
}

static void steps_tell_of_each_gap_and_of_returns(void **state)
{
	struct fixture f;

	(void)state;
	seed = 4;
	open_moves(&f, 100, 4);
	assert_int_equal(session_seek(f.session, 0, 0), STATUS_OK);
	assert_false(session_has_returned(f.session, 0));
	for (uint64_t p = 1; p <= list.length; p++) {
		struct stop stop = session_step(f.session, 0, DIRECTION_FORWARD);

		assert_int_equal(stop.reason, STOP_STEPPED);
		assert_int_equal(stop.has_gap, list.gap[p]);
		assert_int_equal(session_position(f.session, 0), p);
		/* A return is the fourth instruction of a function. */
		assert_int_equal(session_has_returned(f.session, 0), list.pc[p - 1] % 16 == 12);
	}
	assert_int_equal(session_step(f.session, 0, DIRECTION_FORWARD).reason, STOP_END);
	for (uint64_t p = list.length; p-- > 0;) {
		struct stop stop = session_step(f.session, 0, DIRECTION_BACKWARD);

		assert_int_equal(stop.reason, STOP_STEPPED);
		assert_int_equal(stop.has_gap, list.gap[p + 1]);
		assert_int_equal(session_position(f.session, 0), p);
	}
	assert_int_equal(session_step(f.session, 0, DIRECTION_BACKWARD).reason, STOP_BEGIN);
	close_fixture(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(moves_end_where_steps_would),
	        cmocka_unit_test(chain_of_moves_passes_over_nothing),
	        cmocka_unit_test(interrupted_moves_say_so),
	        cmocka_unit_test(steps_tell_of_each_gap_and_of_returns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
