/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of histories made by hand, of several tasks: what handlers of exceptions switch, and what
 * instructions that set SP do.
 */
#include "replay/calls/calls_switch.h"
#include "tests/calls/made_calls.h"

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

/* Once g returns to f, which is where the first one alone waited. */
static void stack_that_was_switched_is_known_again_by_where_it_returns(void **state)
{
	static const struct step steps[] = {
	        AT(0x1000, CALL), AT(0x1100, CALL), AT(0x1600, RETURN), AT(0x1108, RETURN),
	        AT(0x1208, CALL), AT(0x1100, CALL), AT(0x1600, RETURN), AT(0x1108, RETURN),
	        AT(0x1008, CALL), AT(0x1100, CALL), AT(0x1600, RETURN), AT(0x1108, RETURN),
	        AT(0x1210, FALL)};
	struct made_calls m;

	(void)state;
	assert_stacks(
	        steps, 13, 0x1218,
	        "f? | g f? | s? | g h? | h? | g h? | s? | g f? | f? | g f? | s? | g h? | h? | h?");
	make_calls(&m, steps, 13, 0x1218);
	assert_int_equal(calls_at(m.calls, 2 * 8), calls_at(m.calls, 0));
	assert_int_equal(calls_at(m.calls, 2 * 12), calls_at(m.calls, 2 * 4));
	drop_calls(&m);
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

/* CONTEXTIDR is written by g, and s sets SP after that has returned: until then f's stack is in
 * use. */
static void context_may_change_before_the_stack_does(void **state)
{
	static const struct step steps[] = {{0x1000, CALL, CONTEXT, 1},
	                                    AT(0x1608, CALL),
	                                    {0x1100, FALL, CONTEXT, 2},
	                                    AT(0x1108, RETURN),
	                                    AT(0x1610, JUMP),
	                                    AT(0x1600, RETURN),
	                                    AT(0x1208, CALL),
	                                    AT(0x1608, CALL),
	                                    {0x1100, FALL, CONTEXT, 1},
	                                    AT(0x1108, RETURN),
	                                    AT(0x1610, JUMP),
	                                    AT(0x1600, RETURN),
	                                    AT(0x1008, FALL)};
	struct made_calls m;

	(void)state;
	assert_stacks(steps, 13, 0x1010,
	              "f? | s f? | g s f? | g s f? | s f? | s? | h? | s h? | g s h? | g s h? | "
	              "s h? | s? | f? | f?");
	make_calls(&m, steps, 13, 0x1010);
	assert_int_equal(calls_at(m.calls, 2 * 12), calls_at(m.calls, 0));
	drop_calls(&m);
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

static void what_a_stub_does(void **state)
{
	static const struct {
		enum isa isa;
		uint32_t opcode;
		enum stub want;
	} rows[] = {
	        {ISA_A32, 0xe24ee004, STUB_KEEPS}, /* sub lr, lr, #4 */
	        {ISA_A32, 0xe88d4001, STUB_KEEPS}, /* stmia sp, {r0, lr} */
	        {ISA_A32, 0xe14fe000, STUB_KEEPS}, /* mrs lr, spsr */
	        {ISA_A32, 0xe16ff000, STUB_SETS},  /* msr spsr_cxsf, r0 */
	        {ISA_A32, 0x016ff000, STUB_KEEPS}, /* msreq spsr_cxsf, r0 */
	        {ISA_A32, 0xe79fe10e, STUB_KEEPS}, /* ldr lr, [pc, lr, lsl #2] */
	        {ISA_A32, 0xee070fd5, STUB_KEEPS}, /* mcr p15, 0, r0, c7, c5, 6: BPIALL */
	        {ISA_A32, 0xf57ff047, STUB_KEEPS}, /* dsb nsh */
	        {ISA_A32, 0xeafffffe, STUB_KEEPS}, /* b . */
	        {ISA_A32, 0xe1b0f00e, STUB_KEEPS}, /* movs pc, lr */
	        {ISA_A32, 0x01b0f00e, STUB_NONE},  /* movseq pc, lr */
	        {ISA_A32, 0xf8bd0a00, STUB_NONE},  /* rfeia sp! */
	        {ISA_A32, 0xe8ddffff, STUB_NONE},  /* ldmia sp, {r0-pc}^ */
	        {ISA_A32, 0xe8d06000, STUB_NONE},  /* ldmia r0, {sp, lr}^ */
	        {ISA_A32, 0xe92d4001, STUB_NONE},  /* push {r0, lr} */
	        {ISA_A32, 0xe1a0d000, STUB_NONE},  /* mov sp, r0 */
	        {ISA_A32, 0xf102001f, STUB_NONE},  /* cps #31 */
	        {ISA_A32, 0xe121f000, STUB_NONE},  /* msr cpsr_c, r0 */
	        {ISA_A32, 0xe125f200, STUB_NONE},  /* msr sp_usr, r0 */
	        {ISA_A32, 0xf96d051f, STUB_NONE},  /* srsdb sp!, #31 */
	        {ISA_A32, 0xee020f10, STUB_NONE},  /* mcr p15, 0, r0, c2, c0, 0: TTBR0 */
	        {ISA_T32, 0xf3908f00, STUB_SETS},  /* msr spsr_cxsf, r0 */
	        {ISA_T32, 0xf3de8f00, STUB_KEEPS}, /* subs pc, lr, #0 */
	        {ISA_T32, 0x4685, STUB_NONE},      /* mov sp, r0 */
	        {ISA_T32, 0xb501, STUB_NONE},      /* push {r0, lr} */
	        {ISA_A64, 0xd69f03e0, STUB_NONE},  /* eret */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(stub_of_opcode(rows[i].isa, rows[i].opcode), rows[i].want);
}

/* ---- tasks of M profile: v is PendSV, w is SysTick, h is where tasks ask for a switch ---- */

/* The second one was not seen before; the return of h tells the two apart. */
static void two_tasks_wait_at_one_instruction(void **state)
{
	(void)state;
	STACKS(0x1010, "f? | h f? | v h f? | h g? | g? | h g? | v h g? | h f? | f? | f?",
	       AT(0x1000, CALL), {0x1200, FALL, EXCEPTION, 0x1208}, AT(0x1400, EXC_RETURN),
	       AT(0x1208, RETURN), AT(0x1108, CALL), {0x1200, FALL, EXCEPTION, 0x1208},
	       AT(0x1400, EXC_RETURN), AT(0x1208, RETURN), AT(0x1008, FALL));
}

/* Of one that is older than the trace no caller is known: it has returned to g, so that the one
 * that f called waits on, and returns there. */
static void task_that_returns_elsewhere_waits_on(void **state)
{
	static const struct step steps[] = {
	        {0x1200, FALL, EXCEPTION, 0x1208},
	        AT(0x1400, EXC_RETURN),
	        AT(0x1000, CALL),
	        {0x1200, FALL, EXCEPTION, 0x1208},
	        AT(0x1400, EXC_RETURN),
	        AT(0x1208, RETURN),
	        AT(0x1108, CALL),
	        {0x1200, FALL, EXCEPTION, 0x1208},
	        AT(0x1400, EXC_RETURN),
	        AT(0x1208, RETURN),
	        AT(0x1008, FALL),
	};
	struct made_calls m;

	(void)state;
	assert_stacks(
	        steps, 11, 0x1010,
	        "h? | v h? | f? | h f? | v h f? | h g? | g? | h g? | v h g? | h f? | f? | f?");
	make_calls(&m, steps, 11, 0x1010);
	assert_int_equal(calls_at(m.calls, 2 * 10), calls_at(m.calls, 2 * 2));
	drop_calls(&m);
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

/* The signal's handler returns to code that asks for what was interrupted, which goes on with its
 * callers. */
static void handler_of_a_signal_ends_and_what_it_interrupted_goes_on(void **state)
{
	(void)state;
	STACKS(0x1110,
	       "f? | g f? | v g f? | h? | 0x1300? | v 0x1300? | g f? | g f?; h returned to 0x1300",
	       AT(0x1000, CALL), {0x1100, FALL, SVC, 0x1108}, AT(0x1400, ERET), AT(0x1200, RETURN),
	       {0x1300, FALL, SVC, 0x1308}, AT(0x1400, ERET), AT(0x1108, FALL));
}

/* It began before the trace. */
static void handler_of_a_signal_from_before_is_no_task(void **state)
{
	(void)state;
	STACKS(0x1010, "h 0x1300? | 0x1300? | v 0x1300? | g? | v g? | g f? | f? | f?",
	       AT(0x1200, RETURN), {0x1300, FALL, SVC, 0x1308}, AT(0x1400, ERET),
	       {0x1108, FALL, SVC, 0x1110}, AT(0x1400, ERET), AT(0x1110, RETURN), AT(0x1008, FALL));
}

/* A call of the system that a signal has cut short is made once more. */
static void call_of_the_system_is_made_again(void **state)
{
	(void)state;
	STACKS(0x1010, "f? | g f? | v g f? | g f? | v g f? | g f? | f? | f?", AT(0x1000, CALL),
	       {0x1100, FALL, SVC, 0x1108}, AT(0x1400, ERET), {0x1104, FALL, SVC, 0x110c},
	       AT(0x1400, ERET), AT(0x110c, RETURN), AT(0x1008, FALL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(stack_that_was_switched_shows_at_a_later_return),
	        cmocka_unit_test(stack_that_was_switched_is_known_again_by_where_it_returns),
	        cmocka_unit_test(setting_sp_alone_switches_no_stack),
	        cmocka_unit_test(stack_that_is_switched_with_its_context_is_known_again),
	        cmocka_unit_test(context_may_change_before_the_stack_does),
	        cmocka_unit_test(what_sets_sp),
	        cmocka_unit_test(what_a_stub_does),
	        cmocka_unit_test(tasks_change_in_a_supervisor_call),
	        cmocka_unit_test(tasks_change_in_an_interrupt),
	        cmocka_unit_test(supervisor_calls_of_one_task_change_nothing),
	        cmocka_unit_test(signal_interrupts_and_returns),
	        cmocka_unit_test(handler_of_a_signal_ends_and_what_it_interrupted_goes_on),
	        cmocka_unit_test(handler_of_a_signal_from_before_is_no_task),
	        cmocka_unit_test(call_of_the_system_is_made_again),
	        M_PROFILE(two_tasks_wait_at_one_instruction),
	        M_PROFILE(task_that_returns_elsewhere_waits_on),
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
