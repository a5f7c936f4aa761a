/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Histories made by hand, and the stacks of their calls as text. Functions are "f" at 0x1000, "g"
 * at 0x1100, "h" at 0x1200, "v" at 0x1400, "s" at 0x1600, which sets SP, "w" at 0x1800, of 0x100
 * bytes each.
 */
#ifndef CSREPLAY_TESTS_CALLS_MADE_CALLS_H
#define CSREPLAY_TESTS_CALLS_MADE_CALLS_H

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

	if (step->then == CHAINED) {
		e.exception.number = (uint32_t)step->return_address;
	} else {
		e.exception.number = (arch == CORE_M ? m_numbers : numbers)[step->then];
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

/* ---- tests of M profile ---- */

static inline int of_m_profile(void **state)
{
	(void)state;
	arch = CORE_M;
	return 0;
}

static inline int of_a64(void **state)
{
	(void)state;
	arch = CORE_A64;
	return 0;
}

#define M_PROFILE(test) cmocka_unit_test_setup_teardown(test, of_m_profile, of_a64)

#endif
