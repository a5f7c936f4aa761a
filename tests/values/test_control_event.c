/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of registers and memory survives between two instructions of A64 code, by what the trace
 * has there. Types of exceptions are those of IHI 0064 (A profile).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/values/ssa/control_event.h"
#include "tests/values/made_a64.h"
#include "tests/values/made_element.h"

#define NOP             UINT32_C(0xd503201f)
#define B_SELF          UINT32_C(0x14000000)
#define STR_X4_SP_M8    UINT32_C(0xf81f83e4)
#define HLT_SEMIHOSTING UINT32_C(0xd45e0000)
#define MOV_W8_GETPID   UINT32_C(0x52801588)

enum {
	RESET = 0,
	DEBUG = 1,
	CALL = 2,
	DATA_DEBUG = 7,
	DATA_FAULT = 12,
	IRQ = 14,
	FIQ = 15,
	GETPID = 172,
	TYPES = 20,
	MOST = 8
};

/* What is known before the place that a test is about. */
enum survivors {
	LOST = 0,
	X1 = 1,
	STACK = 2,
	NO_MEMORY = 3,
	MEMORY = 4,
	ALL = 7,
};

static struct element context(enum exception_level level)
{
	return (struct element){.type = ELEMENT_PE_CONTEXT,
	                        .context = {.level = level, .is_64bit = true}};
}

/* Survivors of position 0 to the halt, of X1, SP and a word of data. */
static unsigned int survivors(struct program *p)
{
	unsigned int found = 0;
	struct value value;
	uint8_t bytes[8];

	values_register(p->values, 0, A64_x0 + 1, &value);
	found |= value_is_known(&value) ? X1 : 0;
	if (value_is_known(&value))
		assert_int_equal(value_u64(&value), 0x100 - 10);
	values_register(p->values, 0, A64_sp, &value);
	found |= value_is_known(&value) ? STACK : 0;
	found |= values_memory(p->values, 0, DATA_AT, bytes, 8) == 8 ? MEMORY : 0;
	end(p);
	return found;
}

/*
 * Two instructions, the elements, two more at `after`. The last instruction of all is the one  *
 * before the halt.
 */
static unsigned int across(const struct element *elements, size_t count, uint64_t after)
{
	struct element all[MOST];
	struct program p;

	BEGIN(&p, ADD_X1_X1_5, ADD_X1_X1_5, NOP, NOP, NOP, NOP);
	assert_true(count + 3 <= MOST);
	all[0] = context(EL_1);
	all[1] = range(CODE, 2, INSN_OTHER, true);
	memcpy(all + 2, elements, count * sizeof(all[0]));
	all[count + 2] = range(after, (uint32_t)(COUNT - (after - CODE) / 4), INSN_OTHER, true);
	finish(&p, all, count + 3);
	return survivors(&p);
}

static unsigned int across_one(struct element e)
{
	return across(&e, 1, CODE + 8);
}

static void element_that_says_that_trace_was_lost_loses_all(void **state)
{
	static const struct {
		struct element element;
		unsigned int survivors;
	} cases[] = {
	        {{.type = ELEMENT_TIMESTAMP}, ALL},
	        {{.type = ELEMENT_EVENT}, ALL},
	        {{.type = ELEMENT_CYCLE_COUNT}, ALL},
	        {{.type = ELEMENT_MEMTRANS, .memtrans = MEMTRANS_START}, ALL},
	        {{.type = ELEMENT_MEMTRANS, .memtrans = MEMTRANS_COMMIT}, ALL},
	        {{.type = ELEMENT_MEMTRANS, .memtrans = MEMTRANS_FAIL}, LOST},
	        {{.type = ELEMENT_NO_SYNC}, LOST},
	        {{.type = ELEMENT_ADDR_NACC, .nacc = {.address = CODE + 8}}, LOST},
	        {{.type = ELEMENT_ADDR_UNKNOWN}, LOST},
	        {{.type = ELEMENT_I_RANGE_NOPATH,
	          .range = {.start = CODE + 8, .end = CODE + 12, .count = 1}},
	         LOST},
	        {{.type = ELEMENT_TRACE_ON}, LOST},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(across_one(cases[i].element), cases[i].survivors);
}

/*
 * EL0 and EL1 share their memory; a level that is not traced may be these. A change of CONTEXTIDR
 * alone is an instruction's, and changes neither registers nor memory.
 */
static void context_of_another_address_space_has_other_memory(void **state)
{
	static const struct {
		struct pe_context context;
		unsigned int survivors;
	} cases[] = {
	        {{.level = EL_1, .is_64bit = true}, ALL},
	        {{.level = EL_0, .is_64bit = true}, ALL},
	        {{.level = EL_UNKNOWN, .is_64bit = true}, ALL},
	        {{.level = EL_2, .is_64bit = true}, X1},
	        {{.level = EL_3, .is_64bit = true}, X1},
	        {{.level = EL_1, .is_64bit = true, .security = SECURITY_NON_SECURE}, X1},
	        {{.level = EL_1, .is_64bit = true, .has_context_id = true}, ALL},
	        {{.level = EL_1, .is_64bit = true, .has_vmid = true}, X1},
	        {{.level = EL_1, .is_64bit = true, .context_id = 1}, ALL},
	        {{.level = EL_1, .is_64bit = true, .vmid = 1}, ALL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct element e = {.type = ELEMENT_PE_CONTEXT, .context = cases[i].context};

		assert_int_equal(across_one(e), cases[i].survivors);
	}
}

/* The number of a virtual machine counts, that of a process does not by itself. */
static void vmid_tells_address_spaces(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		struct element before = context(EL_1);
		struct element after;
		struct element all[3];
		struct program p;

		before.context.has_context_id = before.context.has_vmid = true;
		before.context.context_id = before.context.vmid = 1;
		after = before;
		after.context.context_id += i & 1;
		after.context.vmid += i >> 1;
		BEGIN(&p, ADD_X1_X1_5, ADD_X1_X1_5, NOP);
		all[0] = before;
		all[1] = range(CODE, 2, INSN_OTHER, true);
		all[2] = after;
		{
			const struct element elements[] = {all[0], all[1], all[2],
			                                   range(CODE + 8, 1, INSN_OTHER, true)};

			finish(&p, elements, 4);
		}
		assert_int_equal(survivors(&p), i <= 1 ? ALL : X1);
	}
}

static void context_of_another_register_width_loses_all(void **state)
{
	const struct element e = {.type = ELEMENT_PE_CONTEXT, .context = {.level = EL_1}};

	(void)state;
	assert_int_equal(across_one(e), LOST);
}

/* With a gap beside it nothing says where the other address space began. */
static void gap_beside_a_change_of_space_loses_all(void **state)
{
	const struct element elements[] = {context(EL_2), {.type = ELEMENT_TRACE_ON}};

	(void)state;
	assert_int_equal(across(elements, 1, CODE + 8), X1);
	assert_int_equal(across(elements, 2, CODE + 8), LOST);
}

static bool is_fault(uint32_t type)
{
	return type == 3 || (type >= 5 && type <= 12);
}

/* After a reset registers are UNKNOWN, and in Debug state a debugger changes them. */
static bool is_end(uint32_t type)
{
	return type == RESET || type == DEBUG;
}

/* A handler that is traced has its own SP and leaves the rest as it is: it is in the trace. */
static void traced_handler_has_another_sp(void **state)
{
	(void)state;
	for (uint32_t type = 0; type < TYPES; type++) {
		struct element e = exception(type, CODE + 8);

		/* What a data fault leaves of the NOP that it is of is nothing. */
		assert_int_equal(across(&e, 1, CODE + 16), is_end(type) ? LOST : X1 | MEMORY);
		e.exception.has_return_address = false;
		assert_int_equal(across(&e, 1, CODE + 16),
		                 is_end(type) || type == DATA_DEBUG || type == DATA_FAULT
		                         ? LOST
		                         : X1 | MEMORY);
	}
}

static void return_from_a_handler_has_another_sp(void **state)
{
	const struct element elements[] = {{.type = ELEMENT_EXCEPTION_RET},
	                                   exception(IRQ, CODE + 8)};

	(void)state;
	assert_int_equal(across(elements, 1, CODE + 8), X1 | MEMORY);
	assert_int_equal(across(elements, 2, CODE + 16), X1 | MEMORY);
}

/* An endless loop of one instruction, an exception there, and its handler or, if at 0, the halt. */
static unsigned int at_a_loop(uint32_t type, uint64_t handler)
{
	const struct element elements[] = {context(EL_1), range(CODE, 3, INSN_BRANCH, true),
	                                   exception(type, CODE + 8),
	                                   range(handler, 1, INSN_OTHER, true)};
	struct program p;

	BEGIN(&p, ADD_X1_X1_5, ADD_X1_X1_5, B_SELF, NOP, NOP);
	if (handler == 0) {
		put_u64(p.x[AT_PC], CODE + 8);
		leads_to(CODE + 8);
	}
	finish(&p, elements, handler == 0 ? 3 : 4);
	return survivors(&p);
}

/* The return address is that of the instruction before: had it faulted it did not complete. */
static void instruction_that_faulted_may_not_have_completed(void **state)
{
	(void)state;
	for (uint32_t type = 0; type < TYPES; type++) {
		bool is_interrupt = type == IRQ || type == FIQ;

		assert_int_equal(at_a_loop(type, CODE + 16),
		                 is_fault(type) || is_end(type) ? LOST : X1 | MEMORY);
		assert_int_equal(at_a_loop(type, 0), is_interrupt    ? NO_MEMORY
		                                     : type == DEBUG ? ALL
		                                                     : LOST);
	}
}

/* Which of them is that of what is left after? */
static void two_data_faults_lose_all(void **state)
{
	const struct element elements[] = {exception(DATA_FAULT, CODE + 8),
	                                   exception(DATA_FAULT, CODE + 8),
	                                   exception(IRQ, CODE + 8)};

	(void)state;
	assert_int_equal(across(elements, 2, CODE + 16), LOST);
	assert_int_equal(across(elements + 1, 2, CODE + 16), X1 | MEMORY);
}

/* Execution goes on where the exception came from, and tracing was off in between. */
static unsigned int resume_at(enum exception_level level, uint32_t type, bool preserves, bool again)
{
	const struct element elements[] = {
	        context(level),
	        range(CODE, 2, INSN_OTHER, true),
	        exception(type, CODE + 8),
	        {.type = ELEMENT_TRACE_ON},
	        again ? exception(type, CODE + 8) : (struct element){.type = ELEMENT_TIMESTAMP},
	        range(CODE + 8, 1, INSN_OTHER, true),
	};
	struct program p;

	BEGIN(&p, ADD_X1_X1_5, ADD_X1_X1_5, NOP);
	p.options.handler_preserves = preserves;
	finish(&p, elements, 6);
	return survivors(&p);
}

/*
 * No NOP is a call; what the handler of a fault changed is not known. That of an interrupt is taken
 * to keep registers; memory is another matter where the code before it may share some with it.
 */
static void handler_of_an_interrupt_alone_is_assumed_to_preserve(void **state)
{
	(void)state;
	for (int level = EL_UNKNOWN; level <= EL_3; level++) {
		for (uint32_t type = 0; type < TYPES; type++) {
			bool is_interrupt = type == IRQ || type == FIQ;
			unsigned int kept = level == EL_0 ? ALL : NO_MEMORY;

			assert_int_equal(resume_at(level, type, true, false),
			                 is_interrupt ? kept : LOST);
			assert_int_equal(resume_at(level, type, false, false), LOST);
			assert_int_equal(resume_at(level, type, true, true), LOST);
		}
	}
}

/* getpid() of Linux is a program's alone: what runs elsewhere, by its SVC, may be another task. */
static void system_call_is_modelled_at_el0_alone(void **state)
{
	(void)state;
	for (int level = EL_UNKNOWN; level <= EL_3; level++) {
		const struct element elements[] = {
		        context(level),
		        range(CODE, 4, INSN_OTHER, true),
		        exception(CALL, CODE + 16),
		        {.type = ELEMENT_TRACE_ON},
		        range(CODE + 16, 1, INSN_OTHER, true),
		};
		struct program p;

		BEGIN(&p, ADD_X1_X1_5, ADD_X1_X1_5, MOV_W8_GETPID, SVC_0, NOP);
		put_u64(p.x[8], GETPID);
		finish(&p, elements, 5);
		assert_int_equal(survivors(&p), level == EL_UNKNOWN || level == EL_0 ? ALL : LOST);
	}
}

/* The halt is at the return address of an exception. */
static unsigned int halt_at(uint32_t type, uint32_t last)
{
	const struct element elements[] = {context(EL_1), range(CODE, 3, INSN_OTHER, true),
	                                   exception(type, CODE + 12)};
	struct program p;

	BEGIN(&p, ADD_X1_X1_5, ADD_X1_X1_5, NOP, NOP);
	put_u64(p.code + 12, last | (uint64_t)NOP << 32);
	put_u64(p.x[AT_PC], CODE + 12);
	leads_to(CODE + 12);
	finish(&p, elements, 3);
	return survivors(&p);
}

/*
 * The halt of a fault is before its handler; any other exception's handler may have run, and that
 * of an interrupt keeps registers.
 */
static void halt_at_a_fault_is_that_of_the_instruction(void **state)
{
	(void)state;
	for (uint32_t type = 0; type < TYPES; type++) {
		bool survives = is_fault(type) || type == DEBUG;
		bool is_interrupt = type == IRQ || type == FIQ;

		assert_int_equal(halt_at(type, NOP), survives       ? ALL
		                                     : is_interrupt ? NO_MEMORY
		                                                    : LOST);
	}
}

/* Elements after two instructions, and the halt at `pc`. */
static unsigned int halt_after(const struct element *elements, size_t count, uint32_t last,
                               uint64_t pc)
{
	struct element all[MOST];
	struct program p;

	BEGIN(&p, ADD_X1_X1_5, ADD_X1_X1_5, NOP, NOP, NOP);
	put_u64(p.code + 8, last | (uint64_t)NOP << 32);
	assert_true(count + 2 <= MOST);
	all[0] = context(EL_1);
	all[1] = range(CODE, 3, INSN_OTHER, true);
	memcpy(all + 2, elements, count * sizeof(all[0]));
	put_u64(p.x[AT_PC], pc);
	leads_to(pc);
	finish(&p, all, count + 2);
	return survivors(&p);
}

/* What a debugger halted is as it was, if nothing else lies there. */
static void debug_halt_ends_the_history_and_changes_nothing(void **state)
{
	const struct element debug = exception(DEBUG, CODE + 12);
	const struct element stamp = {.type = ELEMENT_TIMESTAMP};
	const struct element off = {.type = ELEMENT_TRACE_ON};
	const struct element told[] = {stamp, debug, stamp, {.type = ELEMENT_EO_TRACE}};
	const struct element before[] = {off, debug};
	const struct element after[] = {debug, off};
	const struct element twice[] = {debug, debug};
	const struct element other_space[] = {context(EL_2), debug};
	const struct element returned[] = {{.type = ELEMENT_EXCEPTION_RET}, debug};
	const struct element in_handler[] = {exception(IRQ, CODE + 12),
	                                     exception(DEBUG, CODE + 16)};
	const struct element elsewhere = exception(DEBUG, CODE + 16);

	(void)state;
	assert_int_equal(halt_after(told, 4, NOP, CODE + 12), ALL);
	assert_int_equal(halt_after(before, 2, NOP, CODE + 12), LOST);
	assert_int_equal(halt_after(after, 2, NOP, CODE + 12), LOST);
	assert_int_equal(halt_after(twice, 2, NOP, CODE + 12), LOST);
	assert_int_equal(halt_after(other_space, 2, NOP, CODE + 12), X1);
	assert_int_equal(halt_after(returned, 2, NOP, CODE + 12), X1 | MEMORY);
	/* As if there were none: an entry is an entry, and an SVC leads nowhere by itself. */
	assert_int_equal(halt_after(in_handler, 2, NOP, CODE + 16), X1 | MEMORY);
	assert_int_equal(halt_after(&debug, 1, SVC_0, CODE + 12), LOST);
	assert_int_equal(halt_after(&debug, 1, HLT_SEMIHOSTING, CODE + 12), LOST);
	assert_int_equal(halt_after(&elsewhere, 1, NOP, CODE + 12), LOST);
}

/* ETMv3 says no return address, and that an instruction which was given out did not execute. */
static void debug_halt_of_etm3_may_cancel_an_instruction(void **state)
{
	struct element e = exception(DEBUG, 0);

	(void)state;
	e.exception.has_return_address = false;
	assert_int_equal(halt_after(&e, 1, NOP, CODE + 12), ALL);
	e.exception.cancels_last = true;
	assert_int_equal(halt_after(&e, 1, NOP, CODE + 8), ALL);
}

/* A store that faulted may have stored some; of an interrupt it is not begun. */
static void store_that_faulted_may_have_written(void **state)
{
	(void)state;
	for (uint32_t type = 0; type < TYPES; type++) {
		bool is_of_data = type == DATA_DEBUG || type == DATA_FAULT;
		unsigned int found = halt_at(type, STR_X4_X2);

		if (is_fault(type))
			assert_int_equal(found, is_of_data ? X1 | STACK : ALL);
		/* 8 bytes below SP, which is after the data: not the word that is asked for. */
		if (is_of_data)
			assert_int_equal(halt_at(type, STR_X4_SP_M8), ALL);
	}
}

/* SVC leads nowhere by itself: without an exception what follows is not what it led to. */
static void call_without_an_exception_loses_all(void **state)
{
	struct program p;

	(void)state;
	BEGIN(&p, ADD_X1_X1_5, ADD_X1_X1_5, SVC_0, NOP);
	run(&p, COUNT);
	assert_int_equal(survivors(&p), LOST);
}

/* A call whose handler is traced is no other than that. */
static void call_with_a_traced_handler_has_another_sp(void **state)
{
	const struct element elements[] = {range(CODE, 3, INSN_OTHER, true),
	                                   exception(CALL, CODE + 12),
	                                   range(CODE + 16, 1, INSN_OTHER, true)};
	struct program p;

	(void)state;
	BEGIN(&p, ADD_X1_X1_5, ADD_X1_X1_5, SVC_0, NOP, NOP);
	finish(&p, elements, 3);
	assert_int_equal(survivors(&p), X1 | MEMORY);
}

/* The flags and all that is banked by level are another state's, too. */
static void change_of_level_forgets_the_flags(void **state)
{
	for (unsigned int traced = 0; traced < 2; traced++) {
		const struct element elements[] = {
		        range(CODE, 2, INSN_OTHER, true),
		        traced ? exception(IRQ, CODE + 8)
		               : (struct element){.type = ELEMENT_TIMESTAMP},
		        range(traced ? CODE + 12 : CODE + 8, traced ? 1 : 2, INSN_OTHER, true)};
		struct program p;
		struct value value;

		(void)state;
		BEGIN(&p, NOP, NOP, NOP, NOP);
		p.registers[8].name = STR("CPSR");
		put_u64(p.x[8], UINT64_C(0x60000000));
		finish(&p, elements, 3);
		values_register(p.values, 1, A64_cpsr, &value);
		assert_int_equal(value.known[3] & 0xf0, traced ? 0 : 0xf0);
		end(&p);
	}
}

/* A kernel's addresses mean the same in all processes, but not in other worlds. */
static void change_of_process_is_no_change_of_the_kernels_space(void **state)
{
	for (unsigned int is_other_world = 0; is_other_world < 2; is_other_world++) {
		struct element process = context(EL_1);
		struct element other = context(EL_1);
		struct program p;

		(void)state;
		process.context.has_context_id = other.context.has_context_id = true;
		process.context.context_id = 1;
		other.context.context_id = 2;
		other.context.security =
		        is_other_world != 0 ? SECURITY_NON_SECURE : SECURITY_SECURE;
		BEGIN(&p, NOP, NOP);
		{
			const struct element elements[] = {process,
			                                   range(CODE, 1, INSN_OTHER, true), other,
			                                   range(CODE + 4, 1, INSN_OTHER, true)};

			finish(&p, elements, 4);
		}
		assert_int_equal(control_event_space_change(p.f.history, false), 1);
		assert_int_equal(control_event_space_change(p.f.history, true), is_other_world);
		end(&p);
	}
}

/* The last place at which another address space comes, however often it came before. */
static void change_of_space_is_found_in_a_history(void **state)
{
	for (unsigned int changes = 0; changes < 3; changes++) {
		const struct element elements[] = {
		        context(EL_1),
		        range(CODE, 1, INSN_OTHER, true),
		        context(changes > 0 ? EL_2 : EL_1),
		        range(CODE + 4, 1, INSN_OTHER, true),
		        context(changes == 2   ? EL_1
		                : changes == 1 ? EL_2
		                               : EL_0),
		        range(CODE + 8, 1, INSN_OTHER, true),
		};
		struct program p;

		(void)state;
		BEGIN(&p, NOP, NOP, NOP);
		finish(&p, elements, 6);
		assert_int_equal(control_event_space_change(p.f.history, false), changes);
		end(&p);
	}
}

/* ETMv3: the last instruction that was listed did not execute: the history does not have it. */
static void instruction_that_was_cancelled_changed_nothing(void **state)
{
	struct element elements[] = {
	        context(EL_1),
	        range(CODE, 3, INSN_OTHER, true),
	        exception(IRQ, CODE + 8),
	        range(CODE + 16, 2, INSN_OTHER, true),
	};
	struct program p;

	(void)state;
	BEGIN(&p, ADD_X1_X1_5, ADD_X1_X1_5, ADD_X1_X1_5, NOP, NOP, NOP);
	elements[2].exception.cancels_last = true;
	finish(&p, elements, 4);
	assert_int_equal(survivors(&p), X1 | MEMORY);
}

/* ETMv3: an LDM or STM of which only a part is done when the handler begins. */
static void instruction_that_is_resumed_later_loses_all(void **state)
{
	struct element e = exception(IRQ, CODE + 8);

	(void)state;
	e.exception.last_resumes = true;
	assert_int_equal(across(&e, 1, CODE + 16), LOST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(element_that_says_that_trace_was_lost_loses_all),
	        cmocka_unit_test(context_of_another_address_space_has_other_memory),
	        cmocka_unit_test(vmid_tells_address_spaces),
	        cmocka_unit_test(context_of_another_register_width_loses_all),
	        cmocka_unit_test(gap_beside_a_change_of_space_loses_all),
	        cmocka_unit_test(traced_handler_has_another_sp),
	        cmocka_unit_test(return_from_a_handler_has_another_sp),
	        cmocka_unit_test(instruction_that_faulted_may_not_have_completed),
	        cmocka_unit_test(two_data_faults_lose_all),
	        cmocka_unit_test(handler_of_an_interrupt_alone_is_assumed_to_preserve),
	        cmocka_unit_test(system_call_is_modelled_at_el0_alone),
	        cmocka_unit_test(halt_at_a_fault_is_that_of_the_instruction),
	        cmocka_unit_test(debug_halt_ends_the_history_and_changes_nothing),
	        cmocka_unit_test(debug_halt_of_etm3_may_cancel_an_instruction),
	        cmocka_unit_test(store_that_faulted_may_have_written),
	        cmocka_unit_test(call_without_an_exception_loses_all),
	        cmocka_unit_test(call_with_a_traced_handler_has_another_sp),
	        cmocka_unit_test(change_of_level_forgets_the_flags),
	        cmocka_unit_test(change_of_process_is_no_change_of_the_kernels_space),
	        cmocka_unit_test(change_of_space_is_found_in_a_history),
	        cmocka_unit_test(instruction_that_was_cancelled_changed_nothing),
	        cmocka_unit_test(instruction_that_is_resumed_later_loses_all),
	};

	(void)open_fixture;
	(void)run_of;
	(void)x1_value;
	(void)assert_is;
	(void)assert_unknown;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
