/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of histories made by hand: what each kind of branch, exception and gap does to the stack.
 */
#include "tests/calls/made_calls.h"

static void call_and_return(void **state)
{
	(void)state;
	STACKS(0x1010, "f? | g f? | h g f? | g f? | f? | f?", AT(0x1000, CALL), AT(0x1100, CALL),
	       AT(0x1200, RETURN), AT(0x1108, RETURN), AT(0x1008, FALL));
}

/* g calls itself three times from one place. */
static void recursion(void **state)
{
	(void)state;
	STACKS(0x1010, "f? | g f? | g g f? | g g g f? | g g f? | g f? | f? | f?", AT(0x1000, CALL),
	       AT(0x1100, CALL), AT(0x1100, CALL), AT(0x1110, RETURN), AT(0x1108, RETURN),
	       AT(0x1108, RETURN), AT(0x1008, FALL));
}

/* The trace begins within it, and it is called again from the same place. */
static void recursion_older_than_the_trace(void **state)
{
	(void)state;
	STACKS(0x1018, "g g f? | g f? | f? | g f? | g g f? | g g g f? | g g f? | g f? | f? | f?",
	       AT(0x1110, RETURN), AT(0x1108, RETURN), AT(0x1008, CALL), AT(0x1100, CALL),
	       AT(0x1100, CALL), AT(0x1110, RETURN), AT(0x1108, RETURN), AT(0x1108, RETURN),
	       AT(0x1010, FALL));
}

static void jump_to_a_function_takes_the_place_of_its_caller(void **state)
{
	(void)state;
	STACKS(0x1010, "f? | g f? | h f? | f? | f?", AT(0x1000, CALL), AT(0x1100, JUMP),
	       AT(0x1200, RETURN), AT(0x1008, FALL));
	STACKS(0x1010, "f? | g f? | h f? | f? | f?", AT(0x1000, CALL), AT(0x1100, INDIRECT),
	       AT(0x1200, RETURN), AT(0x1008, FALL));
}

/* Within a function, and into the middle of another one. */
static void other_jumps_are_no_calls(void **state)
{
	(void)state;
	STACKS(0x1010, "f? | g f? | g f? | g f? | f? | f?", AT(0x1000, CALL), AT(0x1100, INDIRECT),
	       AT(0x1120, JUMP), AT(0x1220, RETURN), AT(0x1008, FALL));
}

static void indirect_jump_to_behind_a_call_returns(void **state)
{
	(void)state;
	STACKS(0x1010, "f? | g f? | f? | f?", AT(0x1000, CALL), AT(0x1100, INDIRECT),
	       AT(0x1008, FALL));
}

/* f calls g (setjmp), which returns; then h, from which it goes to after the call of g again. */
static void longjmp_goes_on_where_setjmp_was_called(void **state)
{
	(void)state;
	STACKS(0x1010,
	       "f? | g f? | f? | g f? | h g f? | f? | f?; g left to 0x1008, not to its caller at "
	       "f+0x10; h left to 0x1008, not to its caller at g+0x8",
	       AT(0x1000, CALL), AT(0x1100, RETURN), AT(0x1008, CALL), AT(0x1100, CALL),
	       AT(0x1200, INDIRECT), AT(0x1008, FALL));
}

static void return_to_an_older_frame_pops_what_is_younger(void **state)
{
	(void)state;
	STACKS(0x1010,
	       "f? | g f? | h g f? | f? | f?; g left to 0x1008, not to its caller at f+0x8; h left "
	       "to "
	       "0x1008, not to its caller at g+0x8",
	       AT(0x1000, CALL), AT(0x1100, CALL), AT(0x1200, RETURN), AT(0x1008, FALL));
}

static void smashed_return_is_said(void **state)
{
	(void)state;
	STACKS(0x41414140,
	       "f? | g f? | 0x41414140 f?; g returned to 0x41414140, not to its caller at f+0x8",
	       AT(0x1000, CALL), AT(0x1100, RETURN));
}

/* A return to a function begins another stack; who was left goes on where it was. */
static void coroutines_have_stacks_of_their_own(void **state)
{
	(void)state;
	STACKS(0x1010, "f? | g f? | h? | g h? | f? | g f? | h? | h?", AT(0x1000, CALL),
	       AT(0x1100, RETURN), AT(0x1200, CALL), AT(0x1100, RETURN), AT(0x1008, CALL),
	       AT(0x1100, RETURN), AT(0x1208, FALL));
}

/* h jumps into g, which has called itself: the flow does not say into which g. */
static void landing_in_one_of_two_calls_is_not_known(void **state)
{
	(void)state;
	STACKS(0x1130, "f? | g f? | g g f? | h g g f? | g? | g?", AT(0x1000, CALL),
	       AT(0x1100, CALL), AT(0x1110, CALL), AT(0x1200, INDIRECT), AT(0x1120, FALL));
}

/* ... until it returns, which is said from the landing on. */
static void return_of_what_was_landed_in_says_which_call_it_is(void **state)
{
	(void)state;
	STACKS(0x1130,
	       "f? | g f? | g g f? | h g g f? | g g f? | g f? | g f?; h left to 0x1120, not to its "
	       "caller at g+0x18",
	       AT(0x1000, CALL), AT(0x1100, CALL), AT(0x1110, CALL), AT(0x1200, INDIRECT),
	       AT(0x1120, RETURN), AT(0x1108, FALL));
	STACKS(0x1010,
	       "f? | g f? | g g f? | h g g f? | g f? | f? | f?; g left to 0x1120, not to its "
	       "caller "
	       "at g+0x8; h left to 0x1120, not to its caller at g+0x18",
	       AT(0x1000, CALL), AT(0x1100, CALL), AT(0x1110, CALL), AT(0x1200, INDIRECT),
	       AT(0x1120, RETURN), AT(0x1008, FALL));
}

/* Three calls of g, two from one place: the return says no more than that its caller is g. */
static void landing_among_equal_callers_names_the_one_that_is_sure(void **state)
{
	(void)state;
	STACKS(0x1130, "f? | g f? | g g f? | g g g f? | h g g g f? | g g? | g? | g?",
	       AT(0x1000, CALL), AT(0x1100, CALL), AT(0x1100, CALL), AT(0x1110, CALL),
	       AT(0x1200, INDIRECT), AT(0x1120, RETURN), AT(0x1108, FALL));
}

/* There is but one g, and yet it returns to where that would not: it was another one. */
static void landing_is_not_in_a_call_that_returns_elsewhere(void **state)
{
	(void)state;
	STACKS(0x1260, "f? | g f? | h g f? | g h? | h? | h?", AT(0x1000, CALL), AT(0x1100, CALL),
	       AT(0x1200, INDIRECT), AT(0x1120, RETURN), AT(0x1250, FALL));
}

static void landing_in_the_only_call_that_does_not_return_is_in_that(void **state)
{
	(void)state;
	STACKS(0x1130,
	       "f? | g f? | h g f? | g f? | g f?; h left to 0x1120, not to its caller at g+0x8",
	       AT(0x1000, CALL), AT(0x1100, CALL), AT(0x1200, INDIRECT), AT(0x1120, FALL));
}

/* Into the middle of a function that nobody called, as into one from before the trace. */
static void jump_into_no_call_leaves_nothing_known(void **state)
{
	(void)state;
	STACKS(0x1230, "f? | g f? | h? | h?", AT(0x1000, CALL), AT(0x1100, INDIRECT),
	       AT(0x1220, FALL));
	STACKS(0x1010, "f? | g f? | h f? | f? | f?", AT(0x1000, CALL), AT(0x1100, INDIRECT),
	       AT(0x1220, RETURN), AT(0x1008, FALL));
}

/* What runs there may have moved SP. */
static void callers_after_a_smashed_return_are_not_known_once_it_ran(void **state)
{
	(void)state;
	STACKS(0x1230, "f? | g f? | h? | h?; g returned to 0x1220, not to its caller at f+0x8",
	       AT(0x1000, CALL), AT(0x1100, RETURN), AT(0x1220, FALL));
}

static void exception_interrupts_and_returns(void **state)
{
	(void)state;
	STACKS(0x1010, "f? | h f? | g h f? | h f? | f? | f?", {0x1000, FALL, EXCEPTION, 0x1008},
	       AT(0x1200, CALL), AT(0x1100, RETURN), AT(0x1208, ERET), AT(0x1008, FALL));
}

static void exception_that_comes_back_at_once_is_none(void **state)
{
	(void)state;
	STACKS(0x1010, "f? | g f? | g f? | f? | f?", AT(0x1000, CALL),
	       {0x1100, FALL, EXCEPTION, 0x1108}, AT(0x1108, RETURN), AT(0x1008, FALL));
}

/* The branch that comes before the exception is judged by where it would have gone on. */
static void exception_after_a_call_is_taken_in_the_function_called(void **state)
{
	(void)state;
	STACKS(0x1010, "f? | h g f? | g f? | f? | f?", {0x1000, CALL, EXCEPTION, 0x1100},
	       AT(0x1200, ERET), AT(0x1100, RETURN), AT(0x1008, FALL));
}

/* Callers are older than the trace, and show when they are returned to: for all the time before. */
static void callers_before_the_trace_show_when_they_are_returned_to(void **state)
{
	(void)state;
	STACKS(0x1010, "h g f? | g f? | f? | f?", AT(0x1200, RETURN), AT(0x1108, RETURN),
	       AT(0x1008, FALL));
}

static void callers_before_a_gap_are_not_known(void **state)
{
	(void)state;
	STACKS(0x1010, "f? | g f? | g f? | f? | f?", AT(0x1000, CALL), {0x1100, FALL, OVERFLOW, 0},
	       AT(0x1108, RETURN), AT(0x1008, FALL));
	STACKS(0x1110, "f? | g f? | g? | g?", AT(0x1000, CALL), {0x1100, FALL, OVERFLOW, 0},
	       AT(0x1108, FALL));
}

/* Of the gap's function the caller after it is another call than f before it. */
static void calls_do_not_span_a_gap(void **state)
{
	static const struct step steps[] = {AT(0x1000, CALL),
	                                    {0x1100, FALL, OVERFLOW, 0},
	                                    AT(0x1108, RETURN),
	                                    AT(0x1008, FALL)};
	const struct calls *calls;
	const struct call *first;
	struct fixture f;

	(void)state;
	leads_to(0x1010);
	script.has_no_pc = true;
	open_fixture(&f, made, make_elements(steps, 4));
	assert_int_equal(session_calls(f.session, 0, &calls), STATUS_OK);
	first = calls_get(calls, 0);
	assert_int_equal(first->begin, CALL_BEGIN_FIRST);
	assert_int_equal(first->end, CALL_END_GAP);
	assert_int_equal(first->leave, 4);
	assert_int_equal(calls_get(calls, 1)->begin, CALL_BEGIN_CALL);
	assert_int_equal(calls_get(calls, 1)->enter, 2);
	assert_int_equal(calls_get(calls, 1)->site, 1);
	assert_int_equal(calls_get(calls, 1)->end, CALL_END_GAP);
	assert_int_equal(calls_get(calls, calls_at(calls, 6))->begin, CALL_BEGIN_BEFORE);
	assert_true(calls_get(calls, calls_at(calls, 6))->enter == CALL_NOT_KNOWN);
	close_fixture(&f);
}

/*
 * h is where threads are switched, at the same place for all: CONTEXTIDR says to which, and until h
 * returns both stacks may be there.
 */
static void contexts_have_stacks_of_their_own(void **state)
{
	(void)state;
	STACKS(0x1010, "f? | g f? | h? | g? | h? | g f? | f? | f?", {0x1000, CALL, CONTEXT, 1},
	       {0x1100, CALL, CONTEXT, 2}, AT(0x1200, RETURN), {0x1110, CALL, CONTEXT, 1},
	       AT(0x1200, RETURN), AT(0x1108, RETURN), AT(0x1008, FALL));
}

/*
 * A thread, 2, returns to EL0, which is not traced, and comes back at `vector`; what 1 had called
 * before it waits on, if that is a stay at EL0.
 */
static void assert_stay(enum how how, uint64_t vector, uint64_t context, const char *want)
{
	STACKS(0x1110, want, {0x1000, CALL, CONTEXT, 1}, {0x1100, CALL, CONTEXT, 2},
	       AT(0x1200, RETURN), {0x1110, how, OFF, context}, {vector, CALL, CONTEXT, 1},
	       AT(0x1200, RETURN), AT(0x1108, FALL));
}

static void stay_below_leaves_stacks_that_wait(void **state)
{
	static const char kept[] = "f? | g f? | h? | g? | v? | h? | g f? | g f?";
	static const char lost[] = "f? | g f? | h? | g? | v? | h? | g? | g?";

	(void)state;
	assert_stay(ERET, 0x1400, 2, kept);
	assert_stay(ERET, 0x1480, 2, kept);
	/* No vector, one of the same level, no return from an exception, another context. */
	assert_stay(ERET, 0x1440, 2, lost);
	assert_stay(ERET, 0x1800, 2, "f? | g f? | h? | g? | w? | h? | g? | g?");
	assert_stay(INDIRECT, 0x1400, 2, lost);
	assert_stay(ERET, 0x1400, 3, lost);
}

/* One thread's context, said again, changes nothing. */
static void context_that_is_the_same_keeps_the_stack(void **state)
{
	(void)state;
	STACKS(0x1010, "f? | g f? | h g f? | g f? | f? | f?", {0x1000, CALL, CONTEXT, 1},
	       {0x1100, CALL, CONTEXT, 1}, AT(0x1200, RETURN), AT(0x1108, RETURN),
	       AT(0x1008, FALL));
}

/*
 * Any flow at all, mostly one that no program has: a stack ends at each position, and no call is
 * older than the trace and younger than what it called.
 */
static void any_flow_has_stacks_that_end(void **state)
{
	static const int thens[16] = {
	        [3] = SYSTICK, [5] = EXCEPTION, [7] = CHAINED, [9] = SVC, [11] = CONTEXT};
	static const uint64_t starts[5] = {0x1000, 0x1100, 0x1200, 0x1300, 0x1600};
	uint32_t random = 14;

	(void)state;
	for (unsigned int round = 0; round < 2000; round++) {
		struct step steps[STEPS_MOST];
		struct text out = {0};
		struct made_calls m;

		for (size_t i = 0; i < STEPS_MOST; i++) {
			random = random * 1664525 + 1013904223;
			steps[i] = (struct step){
			        .start = starts[(random >> 8) % 5] + (random >> 12) % 4 * 8,
			        .how = (enum how)((random >> 16) % FALL),
			        .then = thens[(random >> 20) % 16],
			        .return_address = 0x1008 + (random >> 24) % 3 * 0x100};
			if (steps[i].then == CHAINED) /* PendSV or SysTick */
				steps[i].return_address = 14 + (random >> 24) % 2;
		}
		make_calls(&m, steps, STEPS_MOST, 0x1010);
		for (size_t i = 0; i <= STEPS_MOST; i++) {
			assert_true(calls_at(m.calls, 2 * i) < calls_count(m.calls));
			add_stack(m.calls, 2 * i, &out);
		}
		for (uint32_t i = 0; i < calls_count(m.calls); i++) {
			const struct call *call = calls_get(m.calls, i);

			assert_true(call->depth < calls_count(m.calls));
			assert_true(call->enter == CALL_NOT_KNOWN || call->enter <= call->leave);
		}
		text_fini(&out);
		drop_calls(&m);
	}
}

static bool always(void *context)
{
	(void)context;
	return true;
}

static void calls_end_when_the_user_interrupts(void **state)
{
	static struct element many[70000];
	struct interrupt interrupt = {.asked = always};
	struct calls *calls;
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < 70000; i++)
		many[i] = range(i % 2 ? 0x1010 : 0x1000, 2, INSN_BRANCH, true);
	script.has_no_pc = true;
	open_fixture(&f, many, 70000);
	assert_int_equal(calls_build(f.history, NULL, &interrupt, &calls), STATUS_INTERRUPTED);
	close_fixture(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(call_and_return),
	        cmocka_unit_test(recursion),
	        cmocka_unit_test(recursion_older_than_the_trace),
	        cmocka_unit_test(jump_to_a_function_takes_the_place_of_its_caller),
	        cmocka_unit_test(other_jumps_are_no_calls),
	        cmocka_unit_test(indirect_jump_to_behind_a_call_returns),
	        cmocka_unit_test(longjmp_goes_on_where_setjmp_was_called),
	        cmocka_unit_test(return_to_an_older_frame_pops_what_is_younger),
	        cmocka_unit_test(smashed_return_is_said),
	        cmocka_unit_test(coroutines_have_stacks_of_their_own),
	        cmocka_unit_test(landing_in_one_of_two_calls_is_not_known),
	        cmocka_unit_test(return_of_what_was_landed_in_says_which_call_it_is),
	        cmocka_unit_test(landing_among_equal_callers_names_the_one_that_is_sure),
	        cmocka_unit_test(landing_is_not_in_a_call_that_returns_elsewhere),
	        cmocka_unit_test(landing_in_the_only_call_that_does_not_return_is_in_that),
	        cmocka_unit_test(jump_into_no_call_leaves_nothing_known),
	        cmocka_unit_test(callers_after_a_smashed_return_are_not_known_once_it_ran),
	        cmocka_unit_test(exception_interrupts_and_returns),
	        cmocka_unit_test(exception_that_comes_back_at_once_is_none),
	        cmocka_unit_test(exception_after_a_call_is_taken_in_the_function_called),
	        cmocka_unit_test(callers_before_the_trace_show_when_they_are_returned_to),
	        cmocka_unit_test(callers_before_a_gap_are_not_known),
	        cmocka_unit_test(calls_do_not_span_a_gap),
	        cmocka_unit_test(contexts_have_stacks_of_their_own),
	        cmocka_unit_test(stay_below_leaves_stacks_that_wait),
	        cmocka_unit_test(context_that_is_the_same_keeps_the_stack),
	        cmocka_unit_test(any_flow_has_stacks_that_end),
	        cmocka_unit_test(calls_end_when_the_user_interrupts),
	        M_PROFILE(any_flow_has_stacks_that_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
