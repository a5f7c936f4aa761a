/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a continue stops for where something is watched: proved accesses, possible ones once a
 * place, stretches of which nothing is known; and how far it looks. Without images a place is a PC.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/session/session_store.h"
#include "replay/values/solver/solver.h"
#include "tests/values/made_a64.h"

#define NOP       UINT32_C(0xd503201f)
#define STR_X4_X6 UINT32_C(0xf90000c4)
#define SUBS_X7_1 UINT32_C(0xf10004e7)
#define B_NE_3    UINT32_C(0x54ffffa1) /* back */
#define SUBS_X6_1 UINT32_C(0xf10004c6)
#define B_NE_1    UINT32_C(0x54ffffe1)
#define MOV_X6_0  UINT32_C(0xd2800006)

static const struct watch word = {WATCH_WRITE, DATA_AT, 8};

enum { LENGTH = 16 };

/*
 *	0 str x1, [x2]			to the word
 *	1, 5, 9 str x4, [x3]		it may be
 *	2, 6, 10 str x4, [x6]		so may it
 *	3, 7, 11 subs x7, x7, #1
 *	4, 8, 12 b.ne
 *	13 to 15			what they used is gone
 */
static void make(struct program *p)
{
	const struct element elements[] = {
	        range(CODE, 5, INSN_BRANCH, true),
	        range(CODE + 4, 4, INSN_BRANCH, true),
	        range(CODE + 4, 4, INSN_BRANCH, false),
	        range(CODE + 20, 3, INSN_OTHER, true),
	};

	BEGIN(p, STR_X1_X2, STR_X4_X3, STR_X4_X6, SUBS_X7_1, B_NE_3, MOV_X3_0, MOV_X4_0, MOV_X6_0);
	finish(p, elements, 4);
	assert_int_equal(history_length(p->f.history), LENGTH);
	assert_int_equal(session_watch_set(p->f.session, &word), STATUS_OK);
}

static struct stop go(struct program *p, enum direction direction)
{
	return session_continue(p->f.session, 0, direction, NULL, NULL);
}

static void assert_stop(const struct program *p, const struct stop *stop, enum stop_reason reason,
                        uint64_t position)
{
	assert_int_equal(stop->reason, reason);
	assert_int_equal(session_position(p->f.session, 0), position);
}

/* After each of two places; the others are counted. */
static void possible_accesses_are_one_stop_a_place(void **state)
{
	struct program p;
	struct stop stop;

	(void)state;
	make(&p);
	stop = go(&p, DIRECTION_BACKWARD);
	assert_stop(&p, &stop, STOP_POSSIBLE, 10);
	assert_true(stop.has_access);
	assert_int_equal(stop.access.verdict, VALUES_POSSIBLE);
	assert_int_equal(stop.access.position, 10);
	assert_int_equal(stop.watch.address, DATA_AT);
	assert_int_equal(stop.doubt.count, 0);
	stop = go(&p, DIRECTION_BACKWARD);
	assert_stop(&p, &stop, STOP_POSSIBLE, 9);
	assert_int_equal(stop.doubt.count, 0);
	stop = go(&p, DIRECTION_BACKWARD);
	assert_stop(&p, &stop, STOP_WATCH, 1); /* before it is undone */
	assert_int_equal(stop.access.position, 0);
	assert_int_equal(stop.doubt.count, 4);
	assert_int_equal(stop.doubt.position, 6);
	stop = go(&p, DIRECTION_BACKWARD);
	assert_stop(&p, &stop, STOP_WATCH, 1);
	/* Forward it stands after them. */
	stop = go(&p, DIRECTION_FORWARD);
	assert_stop(&p, &stop, STOP_POSSIBLE, 2);
	assert_int_equal(stop.access.position, 1);
	stop = go(&p, DIRECTION_FORWARD);
	assert_stop(&p, &stop, STOP_POSSIBLE, 3);
	stop = go(&p, DIRECTION_FORWARD);
	assert_stop(&p, &stop, STOP_END, LENGTH);
	assert_int_equal(stop.doubt.count, 4);
	assert_int_equal(stop.doubt.position, 5);
	end(&p);
}

/* From another place, the other way, or with other watchpoints, all are met again. */
static void continue_from_elsewhere_stops_anew(void **state)
{
	static const struct watch other = {WATCH_WRITE, DATA_AT + 8, 8};
	struct program p;
	struct stop stop;

	(void)state;
	make(&p);
	for (unsigned int i = 0; i < 2; i++) {
		stop = go(&p, DIRECTION_BACKWARD);
		assert_stop(&p, &stop, STOP_POSSIBLE, 10);
		assert_int_equal(session_seek(p.f.session, 0, LENGTH), STATUS_OK);
		stop = go(&p, DIRECTION_BACKWARD);
		stop = go(&p, DIRECTION_BACKWARD);
		assert_stop(&p, &stop, STOP_POSSIBLE, 9);
		/* As gdb does, which says nothing new. */
		session_watch_clear(p.f.session, &word);
		assert_int_equal(session_watch_set(p.f.session, &word), STATUS_OK);
		stop = go(&p, DIRECTION_BACKWARD);
		assert_stop(&p, &stop, STOP_WATCH, 1);
		assert_int_equal(session_seek(p.f.session, 0, LENGTH), STATUS_OK);
	}
	stop = go(&p, DIRECTION_BACKWARD);
	assert_int_equal(session_watch_set(p.f.session, &other), STATUS_OK);
	stop = go(&p, DIRECTION_BACKWARD);
	assert_stop(&p, &stop, STOP_POSSIBLE, 9);
	stop = go(&p, DIRECTION_BACKWARD);
	assert_stop(&p, &stop, STOP_POSSIBLE, 6);
	stop = go(&p, DIRECTION_FORWARD);
	assert_stop(&p, &stop, STOP_POSSIBLE, 7);
	end(&p);
}

static void possible_accesses_are_passed_where_that_is_wanted(void **state)
{
	struct text lines = {0};
	struct program p;
	struct stop stop;

	(void)state;
	make(&p);
	assert_int_equal(session_possible(p.f.session), POSSIBLE_STOP);
	for (unsigned int i = 0; i < 2; i++) {
		session_set_possible(p.f.session, i == 0 ? POSSIBLE_REPORT : POSSIBLE_SKIP);
		assert_int_equal(session_seek(p.f.session, 0, LENGTH), STATUS_OK);
		stop = go(&p, DIRECTION_BACKWARD);
		assert_stop(&p, &stop, STOP_WATCH, 1);
		assert_int_equal(stop.doubt.count, 6);
		assert_int_equal(stop.doubt.position, 10);
	}
	session_list_possible(p.f.session, 0, LENGTH, &lines);
	text_char(&lines, '\0');
	assert_string_equal(lines.data, "  position 10, 0x1008\n  position 9, 0x1004\n"
	                                "  position 6, 0x1008\n  position 5, 0x1004\n"
	                                "  position 2, 0x1008\n  position 1, 0x1004\n");
	text_fini(&lines);
	end(&p);
}

/* Of one place all that follow each other are one line; of many the first. */
static void list_of_possible_accesses_is_short(void **state)
{
	enum { STORES = 40 };
	static struct element elements[STORES + 2];

	(void)state;
	for (unsigned int many = 0; many < 2; many++) {
		struct text lines = {0};
		size_t count = 0;
		size_t newlines = 0;
		struct program p;

		BEGIN(&p, STR_X4_X3, STR_X4_X6, MOV_X3_0, MOV_X4_0, MOV_X6_0);
		for (size_t i = 0; i < STORES; i++)
			elements[count++] = range(CODE + 4 * (many & i), 1, INSN_OTHER, true);
		elements[count++] = range(CODE + 8, 3, INSN_OTHER, true);
		finish(&p, elements, count);
		assert_int_equal(session_watch_set(p.f.session, &word), STATUS_OK);
		session_list_possible(p.f.session, 0, 0, &lines);
		text_char(&lines, '\0');
		for (size_t i = 0; i < lines.length; i++)
			newlines += lines.data[i] == '\n';
		if (many) {
			assert_memory_equal(lines.data,
			                    "  position 0, 0x1000\n  position 1, 0x1004", 41);
			assert_int_equal(newlines, 21);
			assert_non_null(strstr(lines.data, "\n  and 20 more\n"));
		} else {
			assert_string_equal(lines.data,
			                    "  position 0, 0x1000, and 39 more of this line\n");
		}
		text_fini(&lines);
		end(&p);
	}
}

/* What ends a continue without watchpoints ends it where both are at once, and the access is said.
 */
static void breakpoint_at_a_possible_access_is_the_stop(void **state)
{
	struct program p;
	struct stop stop;

	(void)state;
	make(&p);
	assert_int_equal(session_break_set(p.f.session, CODE + 16), STATUS_OK);
	stop = go(&p, DIRECTION_BACKWARD);
	assert_stop(&p, &stop, STOP_BREAKPOINT, 12);
	assert_false(stop.has_access);
	session_break_clear(p.f.session, CODE + 16);
	assert_int_equal(session_break_set(p.f.session, CODE + 8), STATUS_OK);
	stop = go(&p, DIRECTION_BACKWARD);
	assert_stop(&p, &stop, STOP_BREAKPOINT, 10);
	assert_true(stop.has_access);
	assert_int_equal(stop.access.position, 10);
	stop = go(&p, DIRECTION_BACKWARD);
	assert_stop(&p, &stop, STOP_POSSIBLE, 9);
	end(&p);
}

/* Anything may have been written in it, and nothing that ran before it is passed with it. */
static void gap_is_a_stop_and_what_may_have_been_in_it_is_said(void **state)
{
	const struct element elements[] = {
	        range(CODE, 2, INSN_OTHER, true),
	        {.type = ELEMENT_TRACE_ON},
	        range(CODE + 8, 2, INSN_OTHER, true),
	};
	struct program p;
	struct stop stop;

	(void)state;
	BEGIN(&p, STR_X1_X2, NOP, NOP, NOP);
	finish(&p, elements, 3);
	assert_int_equal(session_watch_set(p.f.session, &word), STATUS_OK);
	stop = go(&p, DIRECTION_BACKWARD);
	assert_stop(&p, &stop, STOP_GAP, 1);
	assert_true(stop.has_gap);
	assert_true(stop.has_access);
	assert_true(stop.access.is_event);
	assert_int_equal(stop.access.position, 1);
	end(&p);
}

/* Once, and then it is passed; so are parts of it. */
static void blind_stretch_is_one_stop(void **state)
{
	struct text why = {0};
	struct program p;
	struct stop stop;

	(void)state;
	BEGIN(&p, NOP, STR_X1_X2, ADD_X1_X1_5, NOP);
	put_u64(p.x[1], 0x105);
	run(&p, COUNT);
	assert_int_equal(session_watch_set(p.f.session, &word), STATUS_OK);
	assert_int_equal(session_break_set(p.f.session, CODE + 8), STATUS_OK);
	stop = go(&p, DIRECTION_BACKWARD);
	assert_stop(&p, &stop, STOP_BLIND, 4);
	assert_int_equal(stop.access.position, 3);
	session_why_blind(p.f.session, 0, 3, &why);
	text_char(&why, '\0');
	assert_memory_equal(why.data, "snapshot and trace disagree at position ", 40);
	text_fini(&why);
	stop = go(&p, DIRECTION_BACKWARD);
	assert_stop(&p, &stop, STOP_BREAKPOINT, 2);
	assert_int_equal(stop.doubt.blind_first, 2);
	assert_int_equal(stop.doubt.blind_last, 4);
	stop = go(&p, DIRECTION_BACKWARD);
	assert_stop(&p, &stop, STOP_BEGIN, 0);
	assert_int_equal(stop.doubt.blind_first, 0);
	assert_int_equal(stop.doubt.blind_last, 2);
	/* What it rests on is new. */
	assert_int_equal(session_assume(p.f.session, ASSUME_ABI, true), STATUS_OK);
	assert_int_equal(session_seek(p.f.session, 0, 4), STATUS_OK);
	stop = go(&p, DIRECTION_BACKWARD);
	assert_stop(&p, &stop, STOP_BLIND, 4);
	end(&p);
}

/* A breakpoint near by, and accesses are looked for up to there alone. */
static void accesses_are_looked_for_up_to_the_next_stop(void **state)
{
	enum { ROUNDS = 30000 };
	static struct element elements[ROUNDS + 2];
	struct solve_options options;
	struct program p;
	struct stop stop;

	(void)state;
	BEGIN(&p, MOV_X5_4, NOP, SUBS_X6_1, B_NE_1, NOP, NOP);
	elements[0] = range(CODE, 4, INSN_BRANCH, true);
	for (size_t i = 1; i < ROUNDS; i++)
		elements[i] = range(CODE + 8, 2, INSN_BRANCH, i + 1 < ROUNDS);
	elements[ROUNDS] = range(CODE + 16, 2, INSN_OTHER, true);
	put_u64(p.x[6], 0);
	put_u64(p.x[5], 4);
	finish(&p, elements, ROUNDS + 1);
	assert_int_equal(session_watch_set(p.f.session, &word), STATUS_OK);
	assert_int_equal(session_break_set(p.f.session, CODE + 12), STATUS_OK);
	stop = go(&p, DIRECTION_BACKWARD);
	assert_int_equal(stop.reason, STOP_BREAKPOINT);
	assert_true(values_window(p.f.session->values[0], history_length(p.f.history),
	                          &p.f.session->assumptions, &options));
	assert_true(options.window.from > 40000);
	session_break_clear(p.f.session, CODE + 12);
	stop = go(&p, DIRECTION_BACKWARD);
	assert_stop(&p, &stop, STOP_BEGIN, 0);
	end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(possible_accesses_are_one_stop_a_place),
	        cmocka_unit_test(continue_from_elsewhere_stops_anew),
	        cmocka_unit_test(possible_accesses_are_passed_where_that_is_wanted),
	        cmocka_unit_test(list_of_possible_accesses_is_short),
	        cmocka_unit_test(breakpoint_at_a_possible_access_is_the_stop),
	        cmocka_unit_test(gap_is_a_stop_and_what_may_have_been_in_it_is_said),
	        cmocka_unit_test(blind_stretch_is_one_stop),
	        cmocka_unit_test(accesses_are_looked_for_up_to_the_next_stop),
	};

	(void)open_fixture;
	(void)run_of;
	(void)x1_value;
	(void)assert_is;
	(void)assert_unknown;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
