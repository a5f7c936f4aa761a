/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of histories made by hand: what each kind of branch, exception and gap does to the stack.
 * Functions are "f" at 0x1000, "g" at 0x1100, "h" at 0x1200, "v" at 0x1400, "s" at 0x1600, "w" at
 * 0x1800, of 0x100 bytes each.
 */
#include "replay/calls/calls_switch.h"
#include "tests/session/made_session.h"
#include "tests/support/made_symbols.h"

enum { STEPS_MOST = 64, ELEMENTS_MOST = 3 * 256 };

/* How a step's last instruction ends. */
enum how {
	CALL,
	RETURN,
	JUMP,     /* direct */
	INDIRECT, /* through a register */
	ERET,
	EXC_RETURN, /* M profile: RETURN, and the trace says that it is from an exception */
	FALL,       /* no branch */
};

/* A run of two instructions, and what lies after it. */
struct step {
	uint64_t start;
	enum how how;
	enum { NOTHING, EXCEPTION, SYSTICK, SVC, FAULT, CHAINED, OVERFLOW, CONTEXT, OFF } then;
	/* Of the exception; of CHAINED: its number; of CONTEXT and after OFF: CONTEXTIDR. */
	uint64_t return_address;
};

static enum core_arch arch; /* of the core; EXCEPTION is PendSV on CORE_M, else IRQ */

static const struct made_function functions[] = {{"f", 0x1000, 0x100, 2}, {"g", 0x1100, 0x100, 2},
                                                 {"h", 0x1200, 0x100, 2}, {"v", 0x1400, 0x100, 2},
                                                 {"s", 0x1600, 0x100, 2}, {"w", 0x1800, 0x100, 2}};

static const uint8_t s_code[] = {
        0x3f, 0x01, 0x00, 0x91, /* 1600: mov sp, x9 */
        0xc0, 0x03, 0x5f, 0xd6, /* 1604: ret */
};

static struct element made[ELEMENTS_MOST];

static struct element run_of_step(const struct step *step)
{
	static const enum insn_class classes[] = {
	        INSN_BRANCH,          INSN_BRANCH_INDIRECT, INSN_BRANCH, INSN_BRANCH_INDIRECT,
	        INSN_BRANCH_INDIRECT, INSN_BRANCH_INDIRECT, INSN_OTHER};
	static const enum insn_subclass subclasses[] = {
	        INSN_SUB_LINK,     INSN_SUB_A64_RET, INSN_SUB_NONE, INSN_SUB_NONE,
	        INSN_SUB_A64_ERET, INSN_SUB_A64_RET, INSN_SUB_NONE};
	struct element e = range(step->start, 2, classes[step->how], true);

	e.range.last_subclass = subclasses[step->how];
	return e;
}

static struct element exception_of_step(const struct step *step)
{
	static const uint32_t numbers[] = {
	        [EXCEPTION] = 14, [SYSTICK] = 15, [SVC] = 2, [FAULT] = 12};
	static const uint32_t m_numbers[] = {
	        [EXCEPTION] = 14, [SYSTICK] = 15, [SVC] = 11, [FAULT] = 6};
	struct element e = {.type = ELEMENT_EXCEPTION};

	if (step->then != CHAINED)
		e.exception.number = (arch == CORE_M ? m_numbers : numbers)[step->then];
	if (step->then == CHAINED) {
		e.exception.number = (uint32_t)step->return_address;
	} else {
		e.exception.has_return_address = true;
		e.exception.return_address = step->return_address;
	}
	return e;
}

static size_t make_elements(const struct step *steps, size_t count)
{
	size_t made_count = 0;

	for (size_t i = 0; i < count; i++) {
		made[made_count++] = run_of_step(&steps[i]);
		if (steps[i].how == EXC_RETURN)
			made[made_count++] = (struct element){.type = ELEMENT_EXCEPTION_RET};
		if (steps[i].then >= EXCEPTION && steps[i].then <= CHAINED) {
			made[made_count++] = exception_of_step(&steps[i]);
		} else if (steps[i].then == CONTEXT || steps[i].then == OFF) {
			if (steps[i].then == OFF)
				made[made_count++] = (struct element){.type = ELEMENT_TRACE_ON};
			made[made_count] = (struct element){.type = ELEMENT_PE_CONTEXT};
			made[made_count].context.has_context_id = true;
			made[made_count++].context.context_id = (uint32_t)steps[i].return_address;
		} else if (steps[i].then == OVERFLOW) {
			made[made_count] = (struct element){.type = ELEMENT_TRACE_ON};
			made[made_count++].trace_on = TRACE_ON_OVERFLOW;
		}
	}
	return made_count;
}

/* On a core of `arch`. */
static void open_steps(struct fixture *f, const struct step *steps, size_t count)
{
	make_registers(f);
	f->core.arch = arch;
	f->source.protocol = PROTOCOL_ETM4;
	begin_core(f);
	add_region(f->core.memory, 0x1000, code, sizeof(code), false);
	add_region(f->core.memory, 0x1600, s_code, sizeof(s_code), false);
	assert_int_equal(open_core(f, made, make_elements(steps, count)), 0);
}

/* The calls of some steps. */
struct made_calls {
	struct symbols *symbols;
	struct fixture f;
	struct calls *calls;
};

static void make_calls(struct made_calls *m, const struct step *steps, size_t count, uint64_t halt)
{
	make_functions(functions, sizeof(functions) / sizeof(functions[0]));
	assert_int_equal(symbols_open(made_images, 1, &m->symbols), STATUS_OK);
	leads_to(halt);
	script.has_no_pc = true;
	open_steps(&m->f, steps, count);
	assert_int_equal(calls_build(m->f.history, m->symbols, NULL, &m->calls), STATUS_OK);
}

static void drop_calls(struct made_calls *m)
{
	calls_destroy(m->calls);
	symbols_close(m->symbols);
	close_fixture(&m->f);
}

/* The stack at a position: "h g f?", '?' where the caller is not known. */
static void add_stack(const struct calls *calls, uint64_t position, struct text *out)
{
	struct call_frame frame;

	for (uint32_t i = 0; calls_frame(calls, position, i, &frame) == STATUS_OK; i++) {
		const struct call *call = calls_get(calls, frame.call);

		text_puts(out, i > 0 ? " " : "");
		call_name(calls, call, out);
		if (call->parent == CALL_NONE)
			text_char(out, '?');
	}
}

/* The stretch of a position has one innermost call, and those beside it others. */
static void assert_stretch(const struct calls *calls, uint64_t position)
{
	uint32_t call = calls_at(calls, position);
	uint64_t first;
	uint64_t last;

	assert_int_equal(calls_stretch(calls, position, &first, &last), STATUS_OK);
	assert_true(first <= position && position <= last);
	assert_true(last <= history_last(calls_history(calls)));
	for (uint64_t i = first; i <= last; i++)
		assert_int_equal(calls_at(calls, i), call);
	assert_true(first == 0 || calls_at(calls, first - 1) != call);
	assert_true(last == history_last(calls_history(calls)) ||
	            calls_at(calls, last + 1) != call);
}

/* The stacks at each step and at the halt, with '|' between; then what was odd, after ';'. */
static void assert_stacks(const struct step *steps, size_t count, uint64_t halt, const char *want)
{
	struct made_calls m;
	struct text out = {0};

	make_calls(&m, steps, count, halt);
	for (size_t i = 0; i <= count; i++) {
		text_puts(&out, i > 0 ? " | " : "");
		add_stack(m.calls, 2 * i, &out);
		assert_stretch(m.calls, 2 * i);
	}
	for (uint32_t i = 0; i < calls_count(m.calls); i++) {
		const struct call *call = calls_get(m.calls, i);

		if (call->end != CALL_END_STRAY && call->end != CALL_END_UNWOUND)
			continue;
		text_puts(&out, "; ");
		call_name(m.calls, call, &out);
		text_char(&out, ' ');
		call_oddity(m.calls, call, &out);
	}
	assert_string_equal(out.data, want);
	text_fini(&out);
	drop_calls(&m);
}

#define AT(start, how)                                                                             \
	{                                                                                          \
		start, how, NOTHING, 0                                                             \
	}

#define STACKS(halt, want, ...)                                                                    \
	do {                                                                                       \
		const struct step steps[] = {__VA_ARGS__};                                         \
		assert_stacks(steps, sizeof(steps) / sizeof(steps[0]), halt, want);                \
	} while (0)

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

/* ---- s sets SP ---- */

/* All tasks return from s to g; this one had another caller. */
static void stack_that_was_switched_shows_at_a_later_return(void **state)
{
	(void)state;
	STACKS(0x1210, "f? | g f? | s? | g h? | h? | h?", AT(0x1000, CALL), AT(0x1100, CALL),
	       AT(0x1600, RETURN), AT(0x1108, RETURN), AT(0x1208, FALL));
	/* That returns to f again, where the first one would have: who knows which this is. */
	STACKS(0x1010, "f? | g f? | s? | g h? | h? | g h? | s? | g? | g?", AT(0x1000, CALL),
	       AT(0x1100, CALL), AT(0x1600, RETURN), AT(0x1108, RETURN), AT(0x1208, CALL),
	       AT(0x1100, CALL), AT(0x1600, RETURN), AT(0x1108, FALL));
}

/* An array of variable size. */
static void setting_sp_alone_switches_no_stack(void **state)
{
	(void)state;
	STACKS(0x1010, "f? | g f? | s g f? | g f? | f? | f?", AT(0x1000, CALL), AT(0x1100, CALL),
	       AT(0x1600, RETURN), AT(0x1108, RETURN), AT(0x1008, FALL));
	/* longjmp */
	STACKS(0x1010,
	       "f? | g f? | s g f? | f? | f?; g left to 0x1008, not to its caller at f+0x8; "
	       "s left to 0x1008, not to its caller at g+0x8",
	       AT(0x1000, CALL), AT(0x1100, CALL), AT(0x1600, RETURN), AT(0x1008, FALL));
}

/* CONTEXTIDR has said it: whose stack it is shows as in contexts_have_stacks_of_their_own. */
static void stack_that_is_switched_with_its_context_is_known_again(void **state)
{
	(void)state;
	STACKS(0x1010, "f? | g f? | s? | g? | s? | g f? | f? | f?", {0x1000, CALL, CONTEXT, 1},
	       {0x1100, CALL, CONTEXT, 2}, AT(0x1600, RETURN), {0x1110, CALL, CONTEXT, 1},
	       AT(0x1600, RETURN), AT(0x1108, RETURN), AT(0x1008, FALL));
}

static void what_sets_sp(void **state)
{
	static const struct {
		enum isa isa;
		uint32_t opcode;
		bool want;
	} rows[] = {
	        {ISA_A64, 0x9100013f, true},  /* mov sp, x9 */
	        {ISA_A64, 0x910003bf, false}, /* mov sp, x29 */
	        {ISA_A64, 0x910003ff, false}, /* mov sp, sp */
	        {ISA_A64, 0x910043ff, false}, /* add sp, sp, #16 */
	        {ISA_A64, 0x910003e9, false}, /* mov x9, sp */
	        {ISA_A32, 0xe1a0d000, true},  /* mov sp, r0 */
	        {ISA_A32, 0xe1a0d00b, false}, /* mov sp, fp */
	        {ISA_A32, 0xe28dd008, false}, /* add sp, sp, #8 */
	        {ISA_A32, 0xe590d000, true},  /* ldr sp, [r0] */
	        {ISA_A32, 0xe59dd000, false}, /* ldr sp, [sp] */
	        {ISA_A32, 0xe580d000, false}, /* str sp, [r0] */
	        {ISA_A32, 0xe89cafff, true},  /* ldm ip, {r0-fp, sp, pc} */
	        {ISA_A32, 0xe91ba800, false}, /* ldmdb fp, {fp, sp, pc} */
	        {ISA_A32, 0xe88c2000, false}, /* stm ip, {sp} */
	        {ISA_A32, 0xf590d000, false}, /* pld [r0]: no LDR of that condition */
	        {ISA_T32, 0x4685, true},      /* mov sp, r0 */
	        {ISA_T32, 0x46bd, false},     /* mov sp, r7 */
	        {ISA_T32, 0x4668, false},     /* mov r0, sp */
	        {ISA_T32, 0xf8d0d000, true},  /* ldr.w sp, [r0] */
	        {ISA_T32, 0xf85cdb04, true},  /* ldr.w sp, [ip], #4 */
	        {ISA_T32, 0xf8c0d000, false}, /* str.w sp, [r0] */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(calls_sets_sp(rows[i].isa, rows[i].opcode), rows[i].want);
}

/* ---- tasks of M profile: v is PendSV, w is SysTick, h is where tasks ask for a switch ---- */

static int of_m_profile(void **state)
{
	(void)state;
	arch = CORE_M;
	return 0;
}

static int of_a64(void **state)
{
	(void)state;
	arch = CORE_A64;
	return 0;
}

/* The second one was not seen before; the return of h tells the two apart. */
static void two_tasks_wait_at_one_instruction(void **state)
{
	(void)state;
	STACKS(0x1010, "f? | h f? | v h f? | h g? | g? | h g? | v h g? | h f? | f? | f?",
	       AT(0x1000, CALL), {0x1200, FALL, EXCEPTION, 0x1208}, AT(0x1400, EXC_RETURN),
	       AT(0x1208, RETURN), AT(0x1108, CALL), {0x1200, FALL, EXCEPTION, 0x1208},
	       AT(0x1400, EXC_RETURN), AT(0x1208, RETURN), AT(0x1008, FALL));
}

static void task_that_asked_and_does_not_return_may_be_any(void **state)
{
	(void)state;
	STACKS(0x1210, "f? | h f? | v h f? | g? | v g? | h? | h?", AT(0x1000, CALL),
	       {0x1200, FALL, EXCEPTION, 0x1208}, AT(0x1400, EXC_RETURN),
	       {0x1110, FALL, EXCEPTION, 0x1118}, AT(0x1400, EXC_RETURN), AT(0x1208, FALL));
}

static void where_no_task_was_switched_to_there_is_one(void **state)
{
	(void)state;
	STACKS(0x1210, "f? | h f? | v h f? | h f? | h f?", AT(0x1000, CALL),
	       {0x1200, FALL, EXCEPTION, 0x1208}, AT(0x1400, EXC_RETURN), AT(0x1208, FALL));
}

static void task_that_was_interrupted_goes_on(void **state)
{
	(void)state;
	STACKS(0x1010, "f? | g f? | w g f? | v g f? | h? | w h? | v h? | g f? | f? | f?",
	       AT(0x1000, CALL), {0x1100, FALL, SYSTICK, 0x1108}, {0x1800, EXC_RETURN, CHAINED, 14},
	       AT(0x1400, EXC_RETURN), {0x1210, FALL, SYSTICK, 0x1218},
	       {0x1800, EXC_RETURN, CHAINED, 14}, AT(0x1400, EXC_RETURN), AT(0x1108, RETURN),
	       AT(0x1008, FALL));
}

static void handler_that_switches_nothing_returns_to_what_it_interrupted(void **state)
{
	(void)state;
	STACKS(0x1010, "f? | g f? | w g f? | g f? | g f?", AT(0x1000, CALL),
	       {0x1100, FALL, SYSTICK, 0x1108}, AT(0x1800, EXC_RETURN), AT(0x1108, FALL));
}

static void handler_may_interrupt_another(void **state)
{
	(void)state;
	STACKS(0x1110, "f? | v f? | w v f? | v f? | f? | f?", {0x1000, FALL, EXCEPTION, 0x1008},
	       {0x1400, FALL, SYSTICK, 0x1408}, AT(0x1800, EXC_RETURN), AT(0x1408, EXC_RETURN),
	       AT(0x1008, FALL));
}

/* What PendSV has chosen is interrupted, and nothing tells yet what that is. */
static void handler_chained_to_a_switch_interrupts_any_task(void **state)
{
	(void)state;
	STACKS(0x1018, "f? | h f? | v h f? | w? | h f? | f? | v f? | g? | g?", AT(0x1000, CALL),
	       {0x1200, FALL, EXCEPTION, 0x1208}, {0x1400, EXC_RETURN, CHAINED, 15},
	       AT(0x1800, EXC_RETURN), AT(0x1208, RETURN), {0x1008, FALL, EXCEPTION, 0x1010},
	       AT(0x1400, EXC_RETURN), AT(0x1110, FALL));
}

/* Interrupted again before an instruction ran: it waits as before. */
static void task_that_did_not_run_waits_on(void **state)
{
	(void)state;
	STACKS(0x1018, "f? | h f? | v h f? | w h? | v h? | h f? | f? | v f? | g? | g?",
	       AT(0x1000, CALL), {0x1200, FALL, EXCEPTION, 0x1208},
	       {0x1400, EXC_RETURN, SYSTICK, 0x1208}, {0x1800, EXC_RETURN, CHAINED, 14},
	       AT(0x1400, EXC_RETURN), AT(0x1208, RETURN), {0x1008, FALL, EXCEPTION, 0x1010},
	       AT(0x1400, EXC_RETURN), AT(0x1110, FALL));
}

/* The handler of a fault goes on after the instruction that it is of. */
static void handler_may_change_where_it_returns_to(void **state)
{
	(void)state;
	STACKS(0x1018, "f? | g f? | w g f? | g f? | g f?", AT(0x1000, CALL),
	       {0x1100, FALL, FAULT, 0x1108}, AT(0x1800, EXC_RETURN), AT(0x1110, FALL));
	/* That of an interrupt does not: this is another task. */
	STACKS(0x1018, "f? | g f? | w g f? | g? | g?", AT(0x1000, CALL),
	       {0x1100, FALL, SYSTICK, 0x1108}, AT(0x1800, EXC_RETURN), AT(0x1110, FALL));
}

/* As long as nothing shows that there are tasks, there are none. */
static void one_that_asks_again_and_again_keeps_its_callers(void **state)
{
	(void)state;
	STACKS(0x1110, "f? | g f? | v g f? | g f? | v g f? | g f? | g f?", AT(0x1000, CALL),
	       {0x1100, FALL, SVC, 0x1108}, AT(0x1400, EXC_RETURN), {0x1108, JUMP, SVC, 0x1108},
	       AT(0x1400, EXC_RETURN), AT(0x1108, FALL));
}

/* One that loops and asks again and again leaves no more behind than one task. */
static void tasks_that_never_return_do_not_add_up(void **state)
{
	static struct step steps[3 * 100 + 3];
	size_t count = 0;
	struct made_calls m;
	struct text out = {0};

	(void)state;
	steps[count++] = (struct step){0x1100, CALL, NOTHING, 0};
	steps[count++] = (struct step){0x1200, FALL, SYSTICK, 0x1208};
	steps[count++] = (struct step){0x1800, EXC_RETURN, CHAINED, 14};
	for (unsigned int i = 0; i < 100; i++) {
		steps[count++] = (struct step){0x1400, EXC_RETURN, NOTHING, 0};
		steps[count++] = (struct step){0x1008, JUMP, EXCEPTION, 0x1008};
	}
	steps[count++] = (struct step){0x1400, EXC_RETURN, NOTHING, 0};
	steps[count++] = (struct step){0x1208, FALL, NOTHING, 0};
	make_calls(&m, steps, count, 0x1210);
	add_stack(m.calls, 2 * count, &out);
	assert_string_equal(out.data, "h g?");
	text_fini(&out);
	drop_calls(&m);
}

/* ---- tasks of A and R profile: v is the handler of SVC, w that of IRQ ---- */

static void tasks_change_in_a_supervisor_call(void **state)
{
	(void)state;
	STACKS(0x1010, "f? | h f? | v h f? | h g? | g? | h g? | v h g? | h f? | f? | f?",
	       AT(0x1000, CALL), {0x1200, FALL, SVC, 0x1208}, AT(0x1400, ERET), AT(0x1208, RETURN),
	       AT(0x1108, CALL), {0x1200, FALL, SVC, 0x1208}, AT(0x1400, ERET), AT(0x1208, RETURN),
	       AT(0x1008, FALL));
	/* Which one waits there is not known until it returns. */
	STACKS(0x1210, "f? | h f? | v h f? | g? | v g? | h? | h?", AT(0x1000, CALL),
	       {0x1200, FALL, SVC, 0x1208}, AT(0x1400, ERET), {0x1110, FALL, SVC, 0x1118},
	       AT(0x1400, ERET), AT(0x1208, FALL));
}

static void tasks_change_in_an_interrupt(void **state)
{
	(void)state;
	STACKS(0x1010, "f? | g f? | w g f? | h? | w h? | g f? | f? | f?", AT(0x1000, CALL),
	       {0x1100, FALL, EXCEPTION, 0x1108}, AT(0x1800, ERET),
	       {0x1210, FALL, EXCEPTION, 0x1218}, AT(0x1800, ERET), AT(0x1108, RETURN),
	       AT(0x1008, FALL));
	/* In the function that was interrupted, but elsewhere. */
	STACKS(0x1120, "f? | g f? | w g f? | g? | g?", AT(0x1000, CALL),
	       {0x1100, FALL, EXCEPTION, 0x1108}, AT(0x1800, ERET), AT(0x1118, FALL));
	/* Of an abort that is where the code for it is. */
	STACKS(0x1120, "f? | g f? | w g f? | g f? | g f?", AT(0x1000, CALL),
	       {0x1100, FALL, FAULT, 0x1108}, AT(0x1800, ERET), AT(0x1118, FALL));
}

/* A program that calls the system, and returns from where it did. */
static void supervisor_calls_of_one_task_change_nothing(void **state)
{
	(void)state;
	STACKS(0x1110, "f? | g f? | h g f? | v h g f? | h g f? | g f? | v g f? | g f? | g f?",
	       AT(0x1000, CALL), AT(0x1100, CALL), {0x1200, FALL, SVC, 0x1208}, AT(0x1400, ERET),
	       AT(0x1208, RETURN), {0x1108, JUMP, SVC, 0x1108}, AT(0x1400, ERET), AT(0x1108, FALL));
}

/* The handler of an interrupt begins a signal's handler, which calls the system to go back. */
static void signal_interrupts_and_returns(void **state)
{
	(void)state;
	STACKS(0x1010, "f? | g f? | w g f? | h? | v h? | g f? | f? | f?", AT(0x1000, CALL),
	       {0x1100, FALL, EXCEPTION, 0x1108}, AT(0x1800, ERET), {0x1200, FALL, SVC, 0x1208},
	       AT(0x1400, ERET), AT(0x1108, RETURN), AT(0x1008, FALL));
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

#define M_PROFILE(test) cmocka_unit_test_setup_teardown(test, of_m_profile, of_a64)

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
	        cmocka_unit_test(stack_that_was_switched_shows_at_a_later_return),
	        cmocka_unit_test(setting_sp_alone_switches_no_stack),
	        cmocka_unit_test(stack_that_is_switched_with_its_context_is_known_again),
	        cmocka_unit_test(what_sets_sp),
	        cmocka_unit_test(tasks_change_in_a_supervisor_call),
	        cmocka_unit_test(tasks_change_in_an_interrupt),
	        cmocka_unit_test(supervisor_calls_of_one_task_change_nothing),
	        cmocka_unit_test(signal_interrupts_and_returns),
	        cmocka_unit_test(any_flow_has_stacks_that_end),
	        cmocka_unit_test(calls_end_when_the_user_interrupts),
	        M_PROFILE(two_tasks_wait_at_one_instruction),
	        M_PROFILE(task_that_asked_and_does_not_return_may_be_any),
	        M_PROFILE(where_no_task_was_switched_to_there_is_one),
	        M_PROFILE(task_that_was_interrupted_goes_on),
	        M_PROFILE(handler_that_switches_nothing_returns_to_what_it_interrupted),
	        M_PROFILE(handler_may_interrupt_another),
	        M_PROFILE(handler_chained_to_a_switch_interrupts_any_task),
	        M_PROFILE(task_that_did_not_run_waits_on),
	        M_PROFILE(handler_may_change_where_it_returns_to),
	        M_PROFILE(one_that_asks_again_and_again_keeps_its_callers),
	        M_PROFILE(tasks_that_never_return_do_not_add_up),
	        M_PROFILE(any_flow_has_stacks_that_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
