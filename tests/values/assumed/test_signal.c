/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is assumed to be the same before a signal and after its handler has returned, of A64 code.
 * In: a program that is interrupted after its first two instructions; what is at HANDLER runs, ends
 * in a system call, and the program goes on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/values/solver/solver.h"
#include "tests/values/made_a64.h"
#include "tests/values/made_element.h"

#define NOP              UINT32_C(0xd503201f)
#define MOV_W8_SIGRETURN UINT32_C(0x52801168)
#define MOV_W8_EXECVE    UINT32_C(0x52801ba8)
#define HANDLER          (CODE + 16)
#define AFTER            (CODE + 8)

/* Exceptions of ETMv4. */
enum { CALL = 2, DATA_FAULT = 12, IRQ = 14 };

struct signal_case {
	uint32_t exception;
	uint32_t last;   /* what the handler does before SVC */
	uint64_t back;   /* where the program goes on */
	uint64_t sp;     /* then */
	bool is_assumed; /* abi */
	/* What is known at the begin: */
	bool x0, x19, has_sp, memory;
};

static void check(const struct signal_case *c)
{
	const struct element elements[] = {
	        range(CODE, 2, INSN_OTHER, true),    exception(c->exception, AFTER),
	        {.type = ELEMENT_TRACE_ON},          range(HANDLER, 3, INSN_OTHER, true),
	        exception(CALL, HANDLER + 12),       {.type = ELEMENT_TRACE_ON},
	        range(c->back, 1, INSN_OTHER, true),
	};
	struct solve_options options = {.single_writer = true, .abi = c->is_assumed};
	struct program p;
	struct solver s;

	BEGIN(&p, NOP, NOP, NOP, NOP, MOV_X19_7, NOP, SVC_0);
	for (unsigned int i = 0; i < 4; i++)
		p.code[HANDLER - CODE + 4 + i] = (uint8_t)(c->last >> 8 * i);
	put_u64(p.x[AT_SP], c->sp);
	put_u64(p.x[AT_PC], c->back + 4);
	leads_to(c->back + 4);
	finish(&p, elements, sizeof(elements) / sizeof(elements[0]));
	options.window = (struct window_options){.to = history_length(p.f.history),
	                                         .handler_preserves = true};
	assert_int_equal(solve_init(&s, p.f.history, &options), STATUS_OK);
	assert_int_equal(solve_register(&s, 0, 0).known == UINT64_MAX, c->x0);
	assert_int_equal(solve_register(&s, 0, 19).known == UINT64_MAX, c->x19);
	assert_int_equal(solve_register(&s, 0, REG_SP).known == UINT64_MAX, c->has_sp);
	assert_int_equal(solve_granule(&s, 0, DATA_AT).known == UINT64_MAX, c->memory);
	if (c->has_sp)
		assert_int_equal(solve_register(&s, 0, REG_SP).value, c->sp);
	if (c->memory)
		assert_int_equal(solve_granule(&s, 0, DATA_AT).value, STORED);
	solve_fini(&s);
	end(&p);
}

static void program_goes_on_as_it_was(void **state)
{
	static const struct signal_case cases[] = {
	        {IRQ, MOV_W8_SIGRETURN, AFTER, DATA_AT, true, true, true, true, true},
	        /* X0 has what the call returns. */
	        {CALL, MOV_W8_SIGRETURN, AFTER, DATA_AT, true, false, true, true, true},
	        /* The handler of a fault mends what it can. */
	        {DATA_FAULT, MOV_W8_SIGRETURN, AFTER, DATA_AT, true, false, false, true, true},
	        {DATA_FAULT, MOV_W8_SIGRETURN, AFTER + 4, DATA_AT, true, false, false, true, true},
	        /* Below SP is the handler's frame. */
	        {IRQ, MOV_W8_SIGRETURN, AFTER, DATA_AT + 8, true, true, true, true, false},
	        /* Elsewhere than where it was; another call; not assumed. */
	        {IRQ, MOV_W8_SIGRETURN, AFTER + 4, DATA_AT, true, false, false, false, false},
	        {IRQ, MOV_W8_EXECVE, AFTER, DATA_AT, true, false, false, false, false},
	        {IRQ, MOV_W8_SIGRETURN, AFTER, DATA_AT, false, false, false, false, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(&cases[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(program_goes_on_as_it_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
