/* SPDX-License-Identifier: Apache-2.0 */
/* What is known across exceptions, calls and gaps of A64 code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/session/state.h"
#include "replay/values/solver/solver.h"
#include "tests/values/made_a64.h"
#include "tests/values/made_element.h"

#define TTBR0_X4 UINT32_C(0xd5182004)

static void put_opcode(struct program *p, size_t at, uint32_t opcode)
{
	for (unsigned int k = 0; k < 4; k++)
		p->code[4 * at + k] = (uint8_t)(opcode >> 8 * k);
}

/* Two instructions, an exception, tracing that is off for a while, all the others. */
static void run_across(struct program *p, size_t count, uint32_t number, uint64_t return_address)
{
	const struct element elements[] = {
	        range(CODE, 2, INSN_OTHER, true),
	        exception(number, return_address),
	        {.type = ELEMENT_TRACE_ON},
	        range(CODE + 8, (uint32_t)count - 2, INSN_OTHER, true),
	};

	finish(p, elements, 4);
}

static void solve_gap_is_not_crossed(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, STR_X1_X2, ADD_X1_X1_5, ADD_X1_X1_1, ADD_X1_X1_1);
	{
		const struct element elements[] = {
		        range(CODE, 2, INSN_OTHER, true),
		        {.type = ELEMENT_TRACE_ON},
		        range(CODE + 8, 2, INSN_OTHER, true),
		};

		finish(&p, elements, 3);
	}
	assert_is(&p, 2, 1, 0x100 - 2);
	assert_unknown(&p, 1, 1);
	assert_unknown(&p, 0, 2);
	end(&p);
}

static void solve_interrupt_preserves_if_assumed(void **state)
{
	for (int preserves = 0; preserves < 2; preserves++) {
		struct program p;

		(void)state;
		BEGIN(&p, ADD_X1_X1_5, ADD_X1_X1_5, ADD_X1_X1_1);
		p.options.handler_preserves = preserves != 0;
		run_across(&p, COUNT, 14, CODE + 8);
		if (preserves)
			assert_is(&p, 0, 1, 0x100 - 11);
		else
			assert_unknown(&p, 0, 1);
		end(&p);
	}
}

static void solve_interrupt_that_goes_elsewhere_is_a_gap(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, ADD_X1_X1_5, ADD_X1_X1_5, ADD_X1_X1_1);
	run_across(&p, COUNT, 14, CODE + 4);
	assert_unknown(&p, 0, 1);
	end(&p);
}

/* What the trace lacks may have been a round of a loop that came back to the same place. */
static void solve_interrupt_beside_lost_trace_is_a_gap(void **state)
{
	static const struct {
		struct element before;
		struct element after;
		bool is_gap;
	} cases[] = {
	        {{.type = ELEMENT_TIMESTAMP}, {.type = ELEMENT_TRACE_ON}, false},
	        {{.type = ELEMENT_TRACE_ON}, {.type = ELEMENT_TRACE_ON}, true},
	        {{.type = ELEMENT_TRACE_ON}, {.type = ELEMENT_TIMESTAMP}, true},
	        {{.type = ELEMENT_TIMESTAMP},
	         {.type = ELEMENT_TRACE_ON, .trace_on = TRACE_ON_OVERFLOW},
	         true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct program p;
		struct element elements[] = {
		        range(CODE, 2, INSN_OTHER, true),
		        cases[i].before,
		        exception(14, CODE + 8),
		        cases[i].after,
		        range(CODE + 8, 1, INSN_OTHER, true),
		};

		BEGIN(&p, ADD_X1_X1_5, ADD_X1_X1_5, ADD_X1_X1_1);
		for (unsigned int k = 0; k < 5; k++)
			elements[k].offset = k + 1;
		finish(&p, elements, 5);
		if (cases[i].is_gap)
			assert_unknown(&p, 0, 1);
		else
			assert_is(&p, 0, 1, 0x100 - 11);
		end(&p);
	}
}

/* No handler runs at EL0. */
static void solve_call_that_leads_to_el0_is_a_gap(void **state)
{
	static const struct element user = {.type = ELEMENT_PE_CONTEXT,
	                                    .context = {.level = EL_0, .is_64bit = true}};
	struct program p;

	(void)state;
	BEGIN(&p, ADD_X1_X1_5, SVC_0, ADD_X1_X1_1, ADD_X1_X1_1);
	{
		const struct element elements[] = {
		        user,
		        range(CODE, 2, INSN_OTHER, true),
		        exception(2, CODE + 8),
		        range(CODE + 12, 1, INSN_OTHER, true),
		};

		finish(&p, elements, 4);
	}
	assert_unknown(&p, 0, 1);
	end(&p);
}

/* After the window is not what the return led to but a handler. */
static void solve_exception_after_a_window_is_no_target(void **state)
{
	struct solve_options options = {.window = {0, 2, true}, .single_writer = true};
	struct solver solver;
	struct program p;

	(void)state;
	BEGIN(&p, ADD_X1_X1_5, RET, ADD_X1_X1_1, ADD_X1_X1_1);
	{
		const struct element elements[] = {
		        range(CODE, 2, INSN_BRANCH_INDIRECT, true),
		        exception(14, CODE + 8),
		        range(CODE + 12, 1, INSN_OTHER, true),
		};

		finish(&p, elements, 3);
	}
	assert_int_equal(solve_init(&solver, p.f.history, &options), STATUS_OK);
	assert_int_equal(solve_register(&solver, 1, REG_LR).known, 0);
	solve_fini(&solver);
	end(&p);
}

/* At the end of a window that ends before the halt the state is that after the call. */
static void solve_end_of_a_window_is_after_what_lies_there(void **state)
{
	struct solve_options options = {.window = {0, 2, true}, .single_writer = true};
	struct solver solver;
	struct program p;

	(void)state;
	BEGIN(&p, MOV_X0_1, SVC_0, ADD_X1_X1_1, ADD_X1_X1_1);
	{
		const struct element elements[] = {
		        range(CODE, 2, INSN_OTHER, true),
		        exception(2, CODE + 8),
		        {.type = ELEMENT_TRACE_ON},
		        range(CODE + 8, 2, INSN_OTHER, true),
		};

		finish(&p, elements, 4);
	}
	assert_int_equal(solve_init(&solver, p.f.history, &options), STATUS_OK);
	assert_int_equal(solve_register(&solver, 1, REG_X0).known, UINT64_MAX);
	assert_int_equal(solve_register(&solver, 2, REG_X0).known, 0);
	solve_fini(&solver);
	end(&p);
}

/* Where trace was lost before the next instruction, but not where it was lost later. */
static void solve_end_of_a_window_is_after_a_gap_that_lies_there(void **state)
{
	static const struct {
		uint32_t gap; /* instructions before it */
		uint64_t known;
	} cases[] = {{2, 0}, {3, UINT64_MAX}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct solve_options options = {.window = {0, 2, true}, .single_writer = true};
		uint32_t gap = cases[i].gap;
		struct solver solver;
		struct program p;

		BEGIN(&p, MOV_X0_1, ADD_X1_X1_1, ADD_X1_X1_1, ADD_X1_X1_1);
		{
			const struct element elements[] = {
			        range(CODE, gap, INSN_OTHER, true),
			        {.type = ELEMENT_TRACE_ON},
			        range(CODE + 4 * gap, COUNT - gap, INSN_OTHER, true),
			};

			finish(&p, elements, 3);
		}
		assert_int_equal(solve_init(&solver, p.f.history, &options), STATUS_OK);
		assert_int_equal(solve_register(&solver, 2, REG_X0).known, cases[i].known);
		solve_fini(&solver);
		end(&p);
	}
}

static size_t constant_bytes(struct program *p, uint64_t position)
{
	uint8_t bytes[8];

	return state_memory(p->f.history, p->values, position, DATA_AT, bytes, 8);
}

/* Constant memory of one process says nothing of another's, nor before the MMU is set up. */
static void solve_constant_memory_of_another_address_space_is_unknown(void **state)
{
	static const struct element one = {
	        .type = ELEMENT_PE_CONTEXT,
	        .context = {.is_64bit = true, .has_context_id = true, .context_id = 1}};
	static const struct element other = {
	        .type = ELEMENT_PE_CONTEXT,
	        .context = {.is_64bit = true, .has_context_id = true, .context_id = 2}};
	struct solve_options options = {.window = {0, 1, true}, .single_writer = true};

	(void)state;
	for (unsigned int i = 0; i < 3; i++) {
		struct solver solver;
		struct program p;

		BEGIN(&p, ADD_X1_X1_5, TTBR0_X4, ADD_X1_X1_1, ADD_X1_X1_1);
		if (i != 1)
			put_opcode(&p, 1, ADD_X1_X1_5);
		p.is_constant = true;
		{
			const struct element elements[] = {
			        one,
			        range(CODE, 2, INSN_OTHER, true),
			        i == 2 ? other : one,
			        range(CODE + 8, 2, INSN_OTHER, true),
			};

			finish(&p, elements, 4);
		}
		assert_int_equal(constant_bytes(&p, 2), 8);
		assert_int_equal(constant_bytes(&p, 1), i == 0 ? 8 : 0);
		assert_int_equal(solve_init(&solver, p.f.history, &options), STATUS_OK);
		assert_int_equal(solve_granule(&solver, 1, DATA_AT).known, i == 0 ? UINT64_MAX : 0);
		solve_fini(&solver);
		end(&p);
	}
}

/* TTBR0 translates the lower half alone; TTBR1, and TLBI by ASID, are a matter of the kernel. */
static void solve_kernel_memory_outlasts_changes_of_translation(void **state)
{
	enum half { NEITHER, KERNEL_IF_ASSUMED, KERNEL };
	static const struct {
		uint32_t opcode;
		enum half kept;
	} cases[] = {
	        {TTBR0_X4, KERNEL},
	        {0xd5182024, KERNEL_IF_ASSUMED}, /* MSR TTBR1_EL1, x4 */
	        {0xd5088344, KERNEL_IF_ASSUMED}, /* TLBI ASIDE1IS, x4 */
	        {0xd508831f, NEITHER},           /* TLBI VMALLE1IS */
	        {0xd5182044, NEITHER},           /* MSR TCR_EL1, x4 */
	};

	(void)state;
	for (unsigned int i = 0; i < 4 * sizeof(cases) / sizeof(cases[0]); i++) {
		bool is_kernel = i % 2 != 0;
		bool is_constant = i % 4 < 2;
		enum half kept = cases[i / 4].kept;

		for (int assumes = 0; assumes < 2; assumes++) {
			struct solve_options options = {
			        .window = {0, 3, true, .kernel_private = assumes != 0},
			        .single_writer = true};
			const struct element element = range(CODE, 3, INSN_OTHER, true);
			bool is_known = is_kernel && (kept == KERNEL ||
			                              (kept == KERNEL_IF_ASSUMED && assumes != 0));
			struct solver solver;
			struct program p;

			BEGIN(&p, ADD_X1_X1_5, TTBR0_X4, ADD_X1_X1_1);
			put_opcode(&p, 1, cases[i / 4].opcode);
			p.is_constant = is_constant;
			if (is_kernel)
				p.data_at = UINT64_C(0xffffff8000008000);
			finish(&p, &element, 1);
			assert_int_equal(solve_init(&solver, p.f.history, &options), STATUS_OK);
			assert_int_equal(solve_granule(&solver, 1, p.data_at).known,
			                 is_known ? UINT64_MAX : 0);
			assert_int_equal(solve_granule(&solver, 2, p.data_at).known, UINT64_MAX);
			solve_fini(&solver);
			end(&p);
		}
	}
}

static void solve_fault_is_a_gap(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, ADD_X1_X1_5, ADD_X1_X1_5, ADD_X1_X1_1);
	run_across(&p, COUNT, 12, CODE + 8);
	assert_unknown(&p, 0, 1);
	end(&p);
}

static void solve_known_call_returns_in_x0_alone(void **state)
{
	struct program p;
	uint8_t bytes[8];

	(void)state;
	BEGIN(&p, MOV_X8_GETPID, SVC_0, ADD_X1_X1_1);
	put_u64(p.x[8], 172);
	run_across(&p, COUNT, 2, CODE + 8);
	assert_is(&p, 0, 1, 0x100 - 1);
	assert_is(&p, 2, 0, 0);
	assert_unknown(&p, 1, 0);
	assert_int_equal(values_memory(p.values, 0, DATA_AT, bytes, 8), 8);
	end(&p);
}

static void solve_other_call_is_a_gap(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, MOV_X8_EXECVE, SVC_0, ADD_X1_X1_1);
	put_u64(p.x[8], 221);
	run_across(&p, COUNT, 2, CODE + 8);
	assert_unknown(&p, 0, 1);
	end(&p);
}

/* Its handler is traced, and of another exception registers would be the same. */
static void solve_reset_leaves_nothing(void **state)
{
	static const uint32_t numbers[] = {0, 14}; /* a reset, an interrupt */
	uint8_t bytes[8];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct program p;
		const struct element elements[] = {
		        range(CODE, 2, INSN_OTHER, true),
		        exception(numbers[i], CODE + 8),
		        range(CODE + 12, 1, INSN_OTHER, true),
		};

		BEGIN(&p, ADD_X1_X1_5, ADD_X1_X1_1, ADD_X1_X1_1, ADD_X1_X1_1);
		finish(&p, elements, 3);
		assert_is(&p, 2, 1, 0x100 - 1);
		if (i == 0)
			assert_unknown(&p, 1, 1);
		else
			assert_is(&p, 1, 1, 0x100 - 2);
		assert_int_equal(values_memory(p.values, 1, DATA_AT, bytes, 8), i == 0 ? 0 : 8);
		end(&p);
	}
}

/* Whatever the trace shows is not the exception that the SVC has taken. */
static void solve_call_of_which_the_trace_shows_nothing_is_a_gap(void **state)
{
	static const uint32_t numbers[] = {12, 14}; /* the fault of the halt, an interrupt */
	uint8_t bytes[8];

	for (size_t i = 0; i < 2; i++) {
		struct program p;
		const struct element elements[] = {range(CODE, 2, INSN_OTHER, true),
		                                   exception(numbers[i], CODE + 8)};

		(void)state;
		BEGIN(&p, MOV_X8_EXECVE, SVC_0);
		put_u64(p.x[8], 221);
		finish(&p, elements, 2);
		assert_unknown(&p, 0, 1);
		assert_int_equal(values_memory(p.values, 0, DATA_AT, bytes, 8), 0);
		assert_is(&p, 2, 1, 0x100);
		end(&p);
	}
}

/* SYS_CLOCK: nothing but X0 changes. */
static void solve_semihosting_returns_in_x0_alone(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, MOV_W0_CLOCK, HLT_SEMIHOSTING, ADD_X1_X1_1);
	run(&p, COUNT);
	assert_is(&p, 0, 1, 0x100 - 1);
	assert_unknown(&p, 0, 0);
	assert_is(&p, 1, 0, 0x10);
	assert_is(&p, 2, 0, 0);
	end(&p);
}

static void solve_other_halt_is_a_gap(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, MOV_X0_1, HLT_SEMIHOSTING + 0x20, ADD_X1_X1_1);
	run(&p, COUNT);
	assert_unknown(&p, 0, 1);
	end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(solve_gap_is_not_crossed),
	        cmocka_unit_test(solve_interrupt_preserves_if_assumed),
	        cmocka_unit_test(solve_interrupt_that_goes_elsewhere_is_a_gap),
	        cmocka_unit_test(solve_interrupt_beside_lost_trace_is_a_gap),
	        cmocka_unit_test(solve_call_that_leads_to_el0_is_a_gap),
	        cmocka_unit_test(solve_exception_after_a_window_is_no_target),
	        cmocka_unit_test(solve_end_of_a_window_is_after_what_lies_there),
	        cmocka_unit_test(solve_end_of_a_window_is_after_a_gap_that_lies_there),
	        cmocka_unit_test(solve_constant_memory_of_another_address_space_is_unknown),
	        cmocka_unit_test(solve_kernel_memory_outlasts_changes_of_translation),
	        cmocka_unit_test(solve_fault_is_a_gap),
	        cmocka_unit_test(solve_known_call_returns_in_x0_alone),
	        cmocka_unit_test(solve_other_call_is_a_gap),
	        cmocka_unit_test(solve_call_of_which_the_trace_shows_nothing_is_a_gap),
	        cmocka_unit_test(solve_reset_leaves_nothing),
	        cmocka_unit_test(solve_semihosting_returns_in_x0_alone),
	        cmocka_unit_test(solve_other_halt_is_a_gap),
	};

	(void)open_fixture;
	(void)run_of;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
