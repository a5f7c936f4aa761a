/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of the past of A32 and T32 code, on small programs; as test_solve.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/values/solver/solver.h"
#include "replay/values/ssa/code_change.h"
#include "tests/support/opcode_rows.h"
#include "tests/values/made_a32.h"
#include "tests/values/made_element.h"

enum { PREFETCH_ABORT = 11 };
#define A_BX_LR UINT32_C(0xe12fff1e)

#define ADD_R1_R1_5     UINT32_C(0xe2811005)
#define ADD_R1_R1_1     UINT32_C(0xe2811001)
#define CMP_R4_3        UINT32_C(0xe3540003)
#define CMP_R1_0        UINT32_C(0xe3510000)
#define MOV_R1_7        UINT32_C(0xe3a01007)
#define MOV_R4_0        UINT32_C(0xe3a04000)
#define MOV_R5_0        UINT32_C(0xe3a05000)
#define MOVEQ_R1_7      UINT32_C(0x03a01007)
#define STR_R1_R2       UINT32_C(0xe5821000)
#define STREQ_R1_R2     UINT32_C(0x05821000)
#define LDR_R1_R2       UINT32_C(0xe5921000)
#define BX_R6           UINT32_C(0xe12fff16)
#define BXEQ_R6         UINT32_C(0x012fff16)
#define POP_PC          UINT32_C(0xe49df004)
#define MOV_R0_6        UINT32_C(0xe3a00006)
#define MOV_R7_GETPID   UINT32_C(0xe3a07014)
#define MOV_R12_GETPID  UINT32_C(0xe3a0c014)
#define MOV_R12_R5      UINT32_C(0xe1a0c005)
#define MOV_R7_R12      UINT32_C(0xe1a0700c)
#define ADD_R3_R3_1     UINT32_C(0xe2833001)
#define SVC_0           UINT32_C(0xef000000)
#define SVC_SEMIHOSTING UINT32_C(0xef123456)
#define STR_R4_R1_4     UINT32_C(0xe5814004)
#define STR_R5_R1_8     UINT32_C(0xe5815008)
#define MOV_R6_0        UINT32_C(0xe3a06000)
#define UNKNOWN         UINT32_C(0xe7b00010)
#define SETEND_LE       UINT32_C(0xf1010000)
#define SETEND_BE       UINT32_C(0xf1010200)
#define MSR_CPSR_X_R7   UINT32_C(0xe122f007)
#define MSR_CPSR_X_0    UINT32_C(0xe322f000)

static void a32_sum_is_inverted(void **state)
{
	struct program p;

	(void)state;
	BEGIN_A32(&p, ADD_R1_R1_5, ADD_R1_R1_1);
	put_u32(p.r[1], 2);
	run_a32(&p, COUNT);
	assert_is(&p, 0, 1, UINT32_C(0xfffffffc));
	assert_is(&p, 1, 1, 1);
	assert_is(&p, 2, 1, 2);
	end(&p);
}

static void a32_load_is_linked_with_the_dump(void **state)
{
	struct program p;
	uint8_t bytes[8];

	(void)state;
	BEGIN_A32(&p, LDR_R1_R2, ADD_R1_R1_5, MOV_R1_7);
	put_u32(p.r[1], 7);
	run_a32(&p, COUNT);
	assert_unknown(&p, 0, 1);
	assert_is(&p, 2, 1, STORED + 5);
	assert_int_equal(values_memory(p.values, 0, DATA_AT, bytes, 8), 8);
	end(&p);
}

/* A32 at an address of a halfword: the trace has it without bits 1:0. */
static void a32_wild_branch_leads_to_the_halt(void **state)
{
	const struct element elements[] = {run_at(ISA_A32, CODE, 2, true, true),
	                                   exception(PREFETCH_ABORT, 0x777774)};
	struct program p;

	(void)state;
	BEGIN_A32(&p, ADD_R1_R1_5, A_BX_LR);
	put_u32(p.r[R_LR], 0x777776);
	put_u32(p.r[R_PC], 0x777776);
	leads_to(0x777774);
	finish(&p, elements, 2);
	assert_is(&p, 0, 1, 0x100 - 5);
	end(&p);
}

/* The base is zero: modulo 2^32 the access is after all memory, and not below zero. */
static void a32_address_wraps_at_32_bits(void **state)
{
	struct program p;
	uint8_t bytes[8];

	(void)state;
	BEGIN_A32(&p, STR_R1_R2, MOV_R1_7, UINT32_C(0xe5045004), MOV_R5_0); /* str r5, [r4, #-4] */
	put_u32(p.r[1], 7);
	put_u32(p.r[5], 0);
	run_a32(&p, COUNT);
	assert_is(&p, 0, 1, STORED);
	assert_int_equal(values_memory(p.values, 1, DATA_AT, bytes, 8), 8);
	end(&p);
}

static void a32_failed_condition_leaves_all(void **state)
{
	struct program p;
	uint8_t bytes[8];

	(void)state;
	BEGIN_A32(&p, CMP_R4_3, STREQ_R1_R2, MOVEQ_R1_7);
	put_u32(p.r[R_CPSR], 0x80000010);
	run_a32(&p, COUNT); /* R4 is 0 */
	assert_is(&p, 0, 1, 0x100);
	assert_int_equal(values_memory(p.values, 0, DATA_AT, bytes, 8), 8);
	end(&p);
}

static void a32_unknown_condition_may_have_stored(void **state)
{
	struct program p;
	uint8_t bytes[8];

	(void)state;
	BEGIN_A32(&p, STREQ_R1_R2, MOVEQ_R1_7, CMP_R1_0);
	put_u32(p.r[R_CPSR], 0x20000010);
	put_u32(p.r[1], 7);
	put_u32(p.data, 7);
	run_a32(&p, COUNT);
	assert_unknown(&p, 0, 1);
	assert_int_equal(values_memory(p.values, 0, DATA_AT, bytes, 8), 0);
	assert_int_equal(values_memory(p.values, 1, DATA_AT, bytes, 8), 8);
	end(&p);
}

/* PTM does not say whether a MOVEQ was executed, ETMv3 does. */
static void a32_atom_says_the_condition(void **state)
{
	static const enum protocol protocols[] = {PROTOCOL_ETM3, PROTOCOL_PTM};

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		struct program p;

		BEGIN_A32(&p, MOVEQ_R1_7, MOV_R4_0, CMP_R1_0);
		put_u32(p.r[R_CPSR], 0x20000010);
		put_u32(p.r[1], 7);
		p.protocol = protocols[i];
		{
			const struct element elements[] = {
			        run_at(ISA_A32, CODE, 1, false, false),
			        run_at(ISA_A32, CODE + 4, 1, false, true),
			        run_at(ISA_A32, CODE + 8, 1, false, true),
			};

			finish(&p, elements, 3);
		}
		if (protocols[i] == PROTOCOL_ETM3)
			assert_is(&p, 0, 1, 7);
		else
			assert_unknown(&p, 0, 1);
		end(&p);
	}
}

/* BX R6 to the halt PC. */
static void a32_branch_says_its_target(void **state)
{
	struct program p;

	(void)state;
	BEGIN_A32(&p, BX_R6, UINT32_C(0xe3a06000)); /* mov r6, #0 */
	{
		const struct element elements[] = {
		        run_at(ISA_A32, CODE, 1, true, true),
		        run_at(ISA_A32, CODE + 4, 1, false, true),
		};

		finish(&p, elements, 2);
	}
	assert_is(&p, 0, 6, CODE + 4);
	end(&p);
}

/* To T32 code bit 0 of the register is 1. */
static void a32_branch_says_its_state(void **state)
{
	struct program p;

	(void)state;
	BEGIN_A32(&p, BX_R6, UINT32_C(0x26002600)); /* movs r6, #0, twice */
	put_u32(p.r[R_CPSR], 0x40000030);
	{
		const struct element elements[] = {
		        run_at(ISA_A32, CODE, 1, true, true),
		        run_at(ISA_T32, CODE + 4, 2, false, true),
		};

		finish(&p, elements, 2);
	}
	assert_is(&p, 0, 6, CODE + 5);
	end(&p);
}

/* BXEQ R6, not taken: R6 is lost, and the flags were not EQ. */
static void a32_branch_not_taken_says_no_target(void **state)
{
	struct program p;

	(void)state;
	BEGIN_A32(&p, MOVEQ_R1_7, BXEQ_R6, UINT32_C(0xe3a06000), CMP_R1_0);
	put_u32(p.r[R_CPSR], 0x20000010);
	put_u32(p.r[1], 7);
	{
		const struct element elements[] = {
		        run_at(ISA_A32, CODE, 2, true, false),
		        run_at(ISA_A32, CODE + 8, 2, false, true),
		};

		finish(&p, elements, 2);
	}
	assert_unknown(&p, 0, 6);
	assert_is(&p, 0, 1, 7);
	end(&p);
}

/* POP {PC}: the word on the stack is known, though it was overwritten since. */
static void a32_popped_pc_is_in_memory(void **state)
{
	struct program p;
	uint8_t bytes[4];

	(void)state;
	BEGIN_A32(&p, POP_PC, STR_R1_R2);
	put_u32(p.r[R_SP], DATA_AT + 4);
	put_u32(p.data, 0x100);
	{
		const struct element elements[] = {
		        run_at(ISA_A32, CODE, 1, true, true),
		        run_at(ISA_A32, CODE + 4, 1, false, true),
		};

		finish(&p, elements, 2);
	}
	assert_is(&p, 0, R_SP, DATA_AT);
	assert_int_equal(values_memory(p.values, 0, DATA_AT, bytes, 4), 4);
	assert_int_equal(bytes[0] | bytes[1] << 8, CODE + 4);
	end(&p);
}

static void a32_unknown_opcode_kills_all(void **state)
{
	struct program p;
	uint8_t bytes[8];

	(void)state;
	assert_false(sem_a32_row(sem_a32_row_of(UINT32_C(0xe7b00010)), &(struct sem_row_info){0}));
	BEGIN_A32(&p, ADD_R1_R1_5, UINT32_C(0xe7b00010), ADD_R1_R1_1);
	run_a32(&p, COUNT);
	assert_unknown(&p, 1, 1);
	assert_unknown(&p, 1, 2);
	assert_is(&p, 2, 1, 0x100 - 1);
	assert_int_equal(values_memory(p.values, 1, DATA_AT, bytes, 8), 0);
	assert_int_equal(values_memory(p.values, 2, DATA_AT, bytes, 8), 8);
	end(&p);
}

/* Of a register of which nothing else is known, at the start and after what is not known. */
static void a32_registers_have_32_bits(void **state)
{
	static const uint64_t upper = UINT64_C(0xffffffff00000000);
	struct solve_options options = {.window = {0, 3, true}, .single_writer = true};
	struct solver solver;
	struct program p;

	(void)state;
	BEGIN_A32(&p, STR_R1_R2, UNKNOWN, MOV_R6_0);
	put_u32(p.r[6], 0);
	run_a32(&p, COUNT);
	assert_int_equal(solve_init(&solver, p.f.history, &options), STATUS_OK);
	assert_int_equal(solve_register(&solver, 0, REG_X0 + 6).known, upper);
	assert_int_equal(solve_register(&solver, 0, REG_X0 + 6).value, 0);
	assert_int_equal(solve_register(&solver, 0, REG_LR).known, upper);
	assert_int_equal(solve_register(&solver, 2, REG_X0 + 6).known, upper);
	solve_fini(&solver);
	end(&p);
}

static void a32_other_byte_order_is_not_looked_at(void **state)
{
	struct program p;

	(void)state;
	BEGIN_A32(&p, LDR_R1_R2, SETEND_LE, ADD_R1_R1_1);
	run_a32(&p, COUNT);
	assert_unknown(&p, 1, 2);
	assert_is(&p, 2, 1, 0x100 - 1);
	end(&p);
}

/* MSR of bits 15:8 of CPSR writes E; of bits 7:0 alone it does not. */
static void a32_msr_may_change_the_byte_order(void **state)
{
	static const uint32_t opcodes[] = {MSR_CPSR_X_R7, MSR_CPSR_X_0};
	struct program p;

	(void)state;
	for (size_t i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++) {
		const uint32_t run[] = {LDR_R1_R2, opcodes[i], ADD_R1_R1_1};

		begin_a32(&p, run, 3);
		run_a32(&p, 3);
		assert_unknown(&p, 1, 2);
		assert_unknown(&p, 1, 1);
		assert_is(&p, 2, 1, 0x100 - 1);
		end(&p);
	}
}

/* A window before the halt may be where data was big endian, whatever it is at the halt. */
static void a32_window_before_a_setend_says_nothing(void **state)
{
	struct solve_options options = {.window = {0, 2, true}, .single_writer = true};
	static const uint32_t run[] = {ADD_R1_R1_5, ADD_R1_R1_1, SETEND_LE};
	struct solver solver;
	struct program p;

	(void)state;
	begin_a32(&p, run, 3);
	run_a32(&p, 3);
	assert_int_equal(solve_init(&solver, p.f.history, &options), STATUS_OK);
	assert_int_equal(solver.w.options.from, 2);
	assert_int_equal(solver.cut, CUT_ENDIAN);
	solve_fini(&solver);
	end(&p);
}

static void a32_big_endian_halt_says_nothing(void **state)
{
	struct program p;

	(void)state;
	BEGIN_A32(&p, SETEND_BE, LDR_R1_R2, ADD_R1_R1_1);
	put_u32(p.r[R_CPSR], 0x210);
	run_a32(&p, COUNT);
	assert_unknown(&p, 2, 1);
	end(&p);
}

static void t32_it_is_followed(void **state)
{
	struct program p;

	(void)state;
	/* cmp r4, #3; ite eq; moveq r1, #7; addne r1, #5 */
	BEGIN_T32(&p, T_CMP_R4_3, T_ITE_EQ, T_MOV_R1_7, T_ADD_R1_5, T_NOP);
	put_u32(p.r[R_CPSR], 0x80000030);
	run_t32(&p, COUNT); /* R4 is 0 */
	assert_is(&p, 0, 1, 0x100 - 5);
	assert_is(&p, 3, 1, 0x100 - 5);
	assert_is(&p, 4, 1, 0x100);
	end(&p);
}

/* The instruction after a block is executed, whatever its condition was. */
static void t32_it_ends(void **state)
{
	struct program p;

	(void)state;
	BEGIN_T32(&p, T_CMP_R4_3, T_IT_EQ, T_MOV_R1_7, T_ADD_R1_5, T_NOP);
	run_t32(&p, COUNT);
	assert_is(&p, 4, 1, 0x100);
	assert_is(&p, 3, 1, 0x100 - 5);
	assert_is(&p, 0, 1, 0x100 - 5);
	end(&p);
}

/* The window begins, or goes on after an interrupt's handler, inside of the block. */
static void t32_unknown_it_kills(void **state)
{
	struct program p;
	struct value value;

	(void)state;
	BEGIN_T32(&p, T_IT_EQ, T_MOV_R1_7, T_ADD_R1_5, T_NOP, T_NOP);
	{
		const struct element elements[] = {
		        run_at(ISA_T32, CODE + 2, 4, false, true),
		};

		finish(&p, elements, 1);
	}
	values_register(p.values, 0, A32_r0 + 2, &value);
	assert_false(value_is_known(&value));
	assert_is(&p, 4, 1, 0x100);
	end(&p);
}

static void t32_unknown_opcode_kills_all(void **state)
{
	struct program p;

	(void)state;
	assert_false(sem_t32_row(sem_t32_row_of(0xb680), &(struct sem_row_info){0}));
	BEGIN_T32(&p, T_ADD_R1_5, 0xb680, T_ADD_R1_5);
	run_t32(&p, COUNT);
	assert_unknown(&p, 1, 1);
	assert_unknown(&p, 1, 2);
	assert_is(&p, 2, 1, 0x100 - 5);
	end(&p);
}

/* An IRQ, whose handler is traced: it has its own SP, and may have other R8 to R12. */
static void a32_traced_handler_has_banked_registers(void **state)
{
	struct program p;

	(void)state;
	BEGIN_A32(&p, ADD_R1_R1_5, ADD_R1_R1_1, ADD_R1_R1_1);
	put_u32(p.r[R_PC], CODE + 12);
	{
		const struct element elements[] = {
		        run_at(ISA_A32, CODE, 1, false, true),
		        exception(14, CODE + 4),
		        run_at(ISA_A32, CODE + 8, 1, false, true),
		};

		finish(&p, elements, 3);
	}
	assert_is(&p, 0, 1, 0x100 - 6);
	assert_unknown(&p, 0, 8);
	assert_unknown(&p, 0, R_SP);
	assert_is(&p, 1, 8, 0);
	end(&p);
}

/* 14 is IRQ in PTM and in ETMv4; 10 is SVC in PTM, a fault in ETMv4. */
static void a32_interrupt_preserves(void **state)
{
	(void)state;
	for (uint32_t number = 10; number <= 14; number += 4) {
		struct program p;

		BEGIN_A32(&p, ADD_R1_R1_5, ADD_R1_R1_5, ADD_R1_R1_1);
		{
			const struct element elements[] = {
			        run_at(ISA_A32, CODE, 2, false, true),
			        exception(number, CODE + 8),
			        {.type = ELEMENT_TRACE_ON},
			        run_at(ISA_A32, CODE + 8, 1, false, true),
			};

			finish(&p, elements, 4);
		}
		if (number == 14)
			assert_is(&p, 0, 1, 0x100 - 11);
		else
			assert_unknown(&p, 0, 1);
		end(&p);
	}
}

/* Two instructions, an exception, tracing that is off for a while, all the others. */
static void run_across(struct program *p, size_t count, uint32_t number)
{
	const struct element elements[] = {
	        run_at(ISA_A32, CODE, 2, false, true),
	        exception(number, CODE + 8),
	        {.type = ELEMENT_TRACE_ON},
	        run_at(ISA_A32, CODE + 8, (uint32_t)count - 2, false, true),
	};

	finish(p, elements, 4);
}

static void a32_known_call_returns_in_r0_alone(void **state)
{
	struct program p;
	uint8_t bytes[8];

	(void)state;
	BEGIN_A32(&p, MOV_R7_GETPID, SVC_0, ADD_R1_R1_1);
	put_u32(p.r[7], 20);
	run_across(&p, COUNT, 10);
	assert_is(&p, 0, 1, 0x100 - 1);
	assert_is(&p, 2, 0, 0);
	assert_unknown(&p, 1, 0);
	assert_is(&p, 1, 8, 0);
	assert_int_equal(values_memory(p.values, 0, DATA_AT, bytes, 8), 8);
	end(&p);
}

/* read(r0, r1, r2) of four bytes to the data. */
static void a32_call_writes_what_it_reads(void **state)
{
	struct program p;
	uint8_t bytes[8];

	(void)state;
	BEGIN_A32(&p, UINT32_C(0xe3a07003), SVC_0, ADD_R1_R1_1); /* mov r7, #3 */
	put_u32(p.r[7], 3);
	put_u32(p.r[1], DATA_AT + 1);
	put_u32(p.r[2], 4);
	run_across(&p, COUNT, 10);
	assert_int_equal(values_memory(p.values, 0, DATA_AT, bytes, 4), 0);
	assert_int_equal(values_memory(p.values, 0, DATA_AT + 4, bytes, 4), 4);
	assert_int_equal(values_memory(p.values, 2, DATA_AT, bytes, 4), 4);
	end(&p);
}

/* As in __libc_do_syscall of glibc, to which its T32 code hands the number in R12, in a run before.
 */
static void a32_number_of_a_call_may_come_from_r12(void **state)
{
	static const uint32_t between[] = {BX_R6, MOV_R12_R5};

	(void)state;
	for (unsigned int i = 0; i < 2; i++) { /* changed in between it is not known */
		struct program p;
		const struct element elements[] = {
		        run_at(ISA_A32, CODE, 2, i == 0, true),
		        run_at(ISA_A32, CODE + 8, 2, false, true),
		        exception(10, CODE + 16),
		        {.type = ELEMENT_TRACE_ON},
		        run_at(ISA_A32, CODE + 16, 1, false, true),
		};

		BEGIN_A32(&p, MOV_R12_GETPID, BX_R6, MOV_R7_R12, SVC_0, ADD_R1_R1_1);
		put_u32(p.code + 4, between[i]);
		put_u32(p.r[6], CODE + 8);
		put_u32(p.r[12], i == 0 ? 20 : 0);
		put_u32(p.r[7], 20);
		finish(&p, elements, sizeof(elements) / sizeof(elements[0]));
		if (i == 0)
			assert_is(&p, 3, 1, 0x100 - 1);
		else
			assert_unknown(&p, 3, 1);
		end(&p);
	}
}

static void a32_other_call_is_a_gap(void **state)
{
	static const uint32_t numbers[] = {UINT32_C(0xe3a0700b), UINT32_C(0xe1a07007)};

	(void)state;
	for (unsigned int i = 0; i < 2; i++) { /* execve; mov r7, r7: not known which */
		struct program p;

		BEGIN_A32(&p, MOV_R7_GETPID, SVC_0, ADD_R1_R1_1);
		put_u32(p.code, numbers[i]);
		put_u32(p.r[7], 11);
		run_across(&p, COUNT, 10);
		assert_unknown(&p, 0, 1);
		end(&p);
	}
}

/* A call that may be cacheflush, after a wild store: what ran before need not be what is there
 * now. */
static void a32_cache_flush_makes_code_doubtful(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 2; i++) { /* a call of another number does not */
		struct program p;
		const struct element elements[] = {
		        run_at(ISA_A32, CODE, 4, false, true),
		        exception(10, CODE + 16),
		        {.type = ELEMENT_TRACE_ON},
		        run_at(ISA_A32, CODE + 16, 1, false, true),
		};

		BEGIN_A32(&p, MOV_R1_7, UINT32_C(0xe5840000), UINT32_C(0xe307700b), SVC_0,
		          ADD_R3_R3_1); /* str r0, [r4]; movw r7, #0x700b */
		if (i == 0)
			put_u32(p.code + 8, UINT32_C(0xe1a07007)); /* mov r7, r7 */
		finish(&p, elements, 4);
		if (i == 0)
			assert_unknown(&p, 1, 1);
		else
			assert_is(&p, 1, 1, 7);
		end(&p);
	}
}

/* What Linux does when it switches address spaces is no reason to look for code that was written.
 */
static void a32_branch_predictor_is_no_instruction_cache(void **state)
{
	static const struct {
		uint32_t opcode;
		bool is_likely;
	} rows[] = {
	        {UINT32_C(0xee070f35), true},  /* ICIMVAU */
	        {UINT32_C(0xee070f15), true},  /* ICIALLU */
	        {UINT32_C(0xee070f11), true},  /* ICIALLUIS */
	        {UINT32_C(0xee070fd1), false}, /* BPIALLIS */
	        {UINT32_C(0xee070fd5), false}, /* BPIALL */
	        {UINT32_C(0xee070ff5), false}, /* BPIMVA */
	        {UINT32_C(0xee070f95), false}, /* CP15ISB */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct program p;

		BEGIN_A32(&p, MOV_R1_7, 0, ADD_R1_R1_1);
		put_u32(p.code + 4, rows[i].opcode);
		run_a32(&p, COUNT);
		assert_int_equal(code_change_is_likely(p.f.history), rows[i].is_likely);
		end(&p);
	}
}

/*
 * SYS_READ of the block at R1, the data: to where its second word points, as many as its third.
 * What was not seen to be stored in the block may have been read over it.
 */
static void a32_semihosting_writes_by_its_block(void **state)
{
	struct program p;
	uint8_t bytes[4];

	(void)state;
	BEGIN_A32(&p, STR_R4_R1_4, STR_R5_R1_8, MOV_R0_6, SVC_SEMIHOSTING, ADD_R3_R3_1);
	put_u32(p.r[1], DATA_AT);
	put_u32(p.r[3], 9);
	put_u32(p.r[4], DATA_AT + 12);
	put_u32(p.r[5], 2);
	put_u32(p.data + 4, DATA_AT + 12);
	put_u32(p.data + 8, 2);
	run_a32(&p, COUNT);
	assert_is(&p, 0, 3, 8);
	assert_unknown(&p, 0, 0);
	assert_is(&p, 3, 0, 6);
	assert_int_equal(values_memory(p.values, 3, DATA_AT + 8, bytes, 4), 4);
	assert_int_equal(values_memory(p.values, 3, DATA_AT + 12, bytes, 4), 0);
	assert_int_equal(values_memory(p.values, 3, DATA_AT + 14, bytes, 2), 2);
	assert_int_equal(values_memory(p.values, 4, DATA_AT + 12, bytes, 4), 4);
	end(&p);
}

/* An operation that is not known, and one that is with an exception traced. */
static void a32_other_trap_is_a_gap(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		struct program p;

		BEGIN_A32(&p, MOV_R0_6, SVC_SEMIHOSTING, ADD_R3_R3_1);
		put_u32(p.r[1], DATA_AT);
		if (i == 0)
			put_u32(p.code, UINT32_C(0xe1a00000)); /* mov r0, r0 */
		if (i == 0)
			run_a32(&p, COUNT);
		else
			run_across(&p, COUNT, 10);
		assert_unknown(&p, 0, 3);
		end(&p);
	}
}

#define MRC_R4_TPIDRURO UINT32_C(0xee1d4f70)
#define MRC_R4_TPIDRPRW UINT32_C(0xee1d4f90)

/* What MRC read is a thread pointer of the halt, which the snapshot has in the place of R12. */
static bool reads_thread_pointer(uint32_t opcode, const char *name, enum security_state before)
{
	const uint32_t opcodes[] = {opcode, MOV_R4_0};
	const struct element elements[] = {
	        {.type = ELEMENT_PE_CONTEXT, .context = {.security = before, .level = EL_UNKNOWN}},
	        run_at(ISA_A32, CODE, 1, false, true),
	        {.type = ELEMENT_PE_CONTEXT,
	         .context = {.security = SECURITY_NON_SECURE, .level = EL_UNKNOWN}},
	        run_at(ISA_A32, CODE + 4, 1, false, true),
	};
	struct program p;
	struct value value;

	begin_a32(&p, opcodes, 2);
	p.registers[12].name = str_of(name);
	put_u32(p.r[12], 0x7700);
	finish(&p, elements, 4);
	assert_is(&p, 2, 4, 0);
	values_register(p.values, 1, A32_r4, &value);
	if (value_is_known(&value))
		assert_int_equal(value_u64(&value), 0x7700);
	end(&p);
	return value_is_known(&value);
}

/* Where programs have their thread's memory, and kernels that of a processor. */
static void a32_thread_pointers_are_those_of_the_halt(void **state)
{
	(void)state;
	assert_true(reads_thread_pointer(MRC_R4_TPIDRURO, "TPIDRURO", SECURITY_NON_SECURE));
	assert_true(reads_thread_pointer(MRC_R4_TPIDRPRW, "TPIDRPRW", SECURITY_NON_SECURE));
	assert_false(reads_thread_pointer(MRC_R4_TPIDRPRW, "TPIDRURW", SECURITY_NON_SECURE));
	/* Of two the trace shows the one, and the snapshot has the other. */
	assert_false(reads_thread_pointer(MRC_R4_TPIDRPRW, "TPIDRPRW", SECURITY_SECURE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a32_sum_is_inverted),
	        cmocka_unit_test(a32_load_is_linked_with_the_dump),
	        cmocka_unit_test(a32_wild_branch_leads_to_the_halt),
	        cmocka_unit_test(a32_address_wraps_at_32_bits),
	        cmocka_unit_test(a32_failed_condition_leaves_all),
	        cmocka_unit_test(a32_unknown_condition_may_have_stored),
	        cmocka_unit_test(a32_atom_says_the_condition),
	        cmocka_unit_test(a32_branch_says_its_target),
	        cmocka_unit_test(a32_branch_says_its_state),
	        cmocka_unit_test(a32_branch_not_taken_says_no_target),
	        cmocka_unit_test(a32_popped_pc_is_in_memory),
	        cmocka_unit_test(a32_unknown_opcode_kills_all),
	        cmocka_unit_test(a32_registers_have_32_bits),
	        cmocka_unit_test(a32_other_byte_order_is_not_looked_at),
	        cmocka_unit_test(a32_msr_may_change_the_byte_order),
	        cmocka_unit_test(a32_window_before_a_setend_says_nothing),
	        cmocka_unit_test(a32_big_endian_halt_says_nothing),
	        cmocka_unit_test(t32_it_is_followed),
	        cmocka_unit_test(t32_it_ends),
	        cmocka_unit_test(t32_unknown_it_kills),
	        cmocka_unit_test(t32_unknown_opcode_kills_all),
	        cmocka_unit_test(a32_traced_handler_has_banked_registers),
	        cmocka_unit_test(a32_interrupt_preserves),
	        cmocka_unit_test(a32_known_call_returns_in_r0_alone),
	        cmocka_unit_test(a32_call_writes_what_it_reads),
	        cmocka_unit_test(a32_number_of_a_call_may_come_from_r12),
	        cmocka_unit_test(a32_other_call_is_a_gap),
	        cmocka_unit_test(a32_cache_flush_makes_code_doubtful),
	        cmocka_unit_test(a32_branch_predictor_is_no_instruction_cache),
	        cmocka_unit_test(a32_semihosting_writes_by_its_block),
	        cmocka_unit_test(a32_other_trap_is_a_gap),
	        cmocka_unit_test(a32_thread_pointers_are_those_of_the_halt),
	};

	(void)open_fixture;
	(void)x1_value;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
