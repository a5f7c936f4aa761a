/* SPDX-License-Identifier: Apache-2.0 */
/* Exceptions of the M profile: what is proved across them, and what is not although it looks so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/values/solver/solver.h"
#include "tests/values/made_a32.h"

enum { M_SVC = 11, FRAME = 0x10 /* in the data */ };

/*
 * A core of the M profile whose SVC after an addition leads to a handler at CODE + 16, in which it
 * halts with an empty R0 to R3. SP was 0x8034, so that the frame is at 0x8010 after 4 bytes.
 */
static void begin_m(struct program *p, const char *type, uint32_t exc_return)
{
	static const uint32_t frame[] = {0x36,   0x105, DATA_AT,  4,
	                                 0x1212, 0x77,  CODE + 4, UINT32_C(0x01000200)};

	p->arch = CORE_M;
	p->protocol = PROTOCOL_ETM4;
	p->registers[R_CPSR].name = STR("XPSR");
	p->f.device.type = str_of(type);
	for (unsigned int i = 0; i < 8; i++)
		put_u32(p->data + FRAME + 4 * i, frame[i]);
	for (unsigned int i = 0; i < 4; i++)
		put_u32(p->r[i], 0);
	put_u32(p->r[R_SP], DATA_AT + FRAME);
	put_u32(p->r[R_LR], exc_return);
	put_u32(p->r[R_CPSR], UINT32_C(0x4100000b));
	put_u32(p->r[R_PC], CODE + 18);
	leads_to(CODE + 18);
}

#define M_PROGRAM T_ADD_R1_5, T_SVC, T_NOP, T_NOP, T_NOP, T_NOP, T_NOP, T_NOP, T_NOP

static void enter(struct program *p)
{
	const struct element elements[] = {
	        run_at(ISA_T32, CODE, 2, false, true),
	        exception(M_SVC, CODE + 4),
	        run_at(ISA_T32, CODE + 16, 1, false, true),
	};

	finish(p, elements, 3);
}

static void m_entry_is_stacked(void **state)
{
	struct program p;
	uint8_t bytes[4];

	(void)state;
	BEGIN_T32(&p, M_PROGRAM);
	begin_m(&p, "Cortex-M3", UINT32_C(0xfffffff9));
	enter(&p);
	assert_is(&p, 0, 0, 0x36);
	assert_is(&p, 0, 1, 0x100);
	assert_is(&p, 1, 2, DATA_AT);
	assert_is(&p, 1, 3, 4);
	assert_is(&p, 1, 12, 0x1212);
	assert_is(&p, 1, R_LR, 0x77);
	assert_is(&p, 1, 4, 0);
	assert_is(&p, 0, R_SP, DATA_AT + FRAME + 0x24);
	assert_is(&p, 2, R_SP, DATA_AT + FRAME);
	assert_is(&p, 2, R_LR, UINT32_C(0xfffffff9));
	/* What was there before the frame is lost, what is below it is not. */
	assert_int_equal(values_memory(p.values, 1, DATA_AT + FRAME, bytes, 4), 0);
	assert_int_equal(values_memory(p.values, 1, DATA_AT + FRAME - 4, bytes, 4), 4);
	assert_int_equal(values_memory(p.values, 2, DATA_AT + FRAME, bytes, 4), 4);
	end(&p);
}

/* The frame was pushed to PSP, of which nothing is known: R13 is MSP. */
static void m_entry_from_a_thread_with_psp(void **state)
{
	struct program p;
	uint8_t bytes[4];

	(void)state;
	BEGIN_T32(&p, M_PROGRAM);
	begin_m(&p, "Cortex-M3", UINT32_C(0xfffffffd));
	enter(&p);
	assert_unknown(&p, 0, 0);
	assert_unknown(&p, 0, 1);
	assert_unknown(&p, 1, R_SP);
	assert_is(&p, 1, 4, 0);
	assert_is(&p, 2, R_SP, DATA_AT + FRAME);
	assert_int_equal(values_memory(p.values, 1, DATA_AT + FRAME - 4, bytes, 4), 0);
	end(&p);
}

/* As much as is known where the PSP is: R0 is PSP, by another name. */
static void m_entry_from_a_thread_with_known_psp(void **state)
{
	struct program p;

	(void)state;
	BEGIN_T32(&p, M_PROGRAM);
	begin_m(&p, "Cortex-M3", UINT32_C(0xfffffffd));
	p.registers[5].name = STR("PSP");
	put_u32(p.r[5], DATA_AT + FRAME);
	put_u32(p.r[R_SP], DATA_AT);
	enter(&p);
	assert_is(&p, 0, 0, 0x36);
	assert_is(&p, 0, R_SP, DATA_AT + FRAME + 0x24);
	assert_is(&p, 2, R_SP, DATA_AT);
	end(&p);
}

/* A frame with FP registers is larger; EXC_RETURN says which it is. */
static void m_entry_with_fp_frame(void **state)
{
	struct program p;

	(void)state;
	BEGIN_T32(&p, M_PROGRAM);
	begin_m(&p, "Cortex-M4", UINT32_C(0xffffffe9));
	enter(&p);
	assert_is(&p, 0, 0, 0x36);
	assert_is(&p, 0, R_SP, DATA_AT + FRAME + 104 + 4);
	end(&p);
}

static struct element context(enum security_state security)
{
	struct element e = {.type = ELEMENT_PE_CONTEXT};

	e.context.security = security;
	return e;
}

/* SVC, or another exception, between these two states. */
static void enter_between(struct program *p, uint32_t exc_return, uint32_t number,
                          enum security_state before, enum security_state after)
{
	const struct element elements[] = {
	        context(before),
	        run_at(ISA_T32, CODE, 2, false, true),
	        exception(number, CODE + 4),
	        context(after),
	        run_at(ISA_T32, CODE + 16, 1, false, true),
	};

	BEGIN_T32(p, M_PROGRAM);
	begin_m(p, "Cortex-M33", exc_return);
	if ((exc_return & 0x20) == 0)
		put_u32(p->r[R_SP], DATA_AT + FRAME - 40);
	finish(p, elements, 5);
}

/* The last one is of a handler that SPSEL says nothing of. */
static void m_entry_in_one_security_state_is_stacked(void **state)
{
	static const struct {
		uint32_t exc_return;
		enum security_state security;
	} cases[] = {{UINT32_C(0xffffffb8), SECURITY_NON_SECURE},
	             {UINT32_C(0xfffffff9), SECURITY_SECURE},
	             {UINT32_C(0xfffffff5), SECURITY_SECURE}};

	(void)state;
	for (unsigned int i = 0; i < 3; i++) {
		struct program p;

		enter_between(&p, cases[i].exc_return, M_SVC, cases[i].security, cases[i].security);
		assert_is(&p, 0, 0, 0x36);
		assert_is(&p, 0, 1, 0x100);
		assert_is(&p, 0, 4, 0);
		assert_is(&p, 0, R_SP, DATA_AT + FRAME + 0x24);
		end(&p);
	}
}

/* An exception of the other state came first, and this one late: R4 to R11 are below the frame. */
static void m_entry_after_registers_that_were_stacked(void **state)
{
	struct program p;

	(void)state;
	enter_between(&p, UINT32_C(0xffffffd9), M_SVC, SECURITY_SECURE, SECURITY_SECURE);
	assert_is(&p, 0, 0, 0x36);
	assert_is(&p, 0, R_SP, DATA_AT + FRAME + 0x24);
	assert_unknown(&p, 0, 4);
	end(&p);
}

/* From one security state to the other; a UsageFault may be of the stack's limit. */
static void m_entry_that_may_stack_otherwise_is_a_gap(void **state)
{
	static const struct {
		uint32_t number;
		enum security_state before;
		enum security_state after;
	} cases[] = {{M_SVC, SECURITY_SECURE, SECURITY_NON_SECURE},
	             {M_SVC, SECURITY_NON_SECURE, SECURITY_SECURE},
	             {6, SECURITY_SECURE, SECURITY_SECURE}};

	(void)state;
	for (unsigned int i = 0; i < 3; i++) {
		struct program p;

		enter_between(&p, UINT32_C(0xfffffff9), cases[i].number, cases[i].before,
		              cases[i].after);
		assert_unknown(&p, 0, 0);
		assert_unknown(&p, 0, 4);
		assert_is(&p, 2, 4, 0);
		end(&p);
	}
}

/* Of what it loads some is there already, of what it stores some is written. */
static void m_halt_within_a_load_of_several_says_nothing(void **state)
{
	enum { T_LDM = 0xc818 /* ldm r0!, {r3, r4} */, AT_R4 = 0x4000 };

	(void)state;
	for (uint32_t ici = 0; ici <= AT_R4; ici += AT_R4) {
		struct program p;

		BEGIN_T32(&p, T_ADD_R1_5, T_LDM);
		p.arch = CORE_M;
		p.protocol = PROTOCOL_ETM4;
		p.registers[R_CPSR].name = STR("XPSR");
		p.f.device.type = STR("Cortex-M3");
		put_u32(p.r[R_CPSR], UINT32_C(0x01000000) | ici);
		put_u32(p.r[3], 3);
		put_u32(p.r[R_PC], CODE + 2);
		leads_to(CODE + 2);
		{
			const struct element elements[] = {run_at(ISA_T32, CODE, 1, false, true)};

			finish(&p, elements, 1);
		}
		if (ici == 0)
			assert_is(&p, 0, 3, 3);
		else
			assert_unknown(&p, 0, 3);
		end(&p);
	}
}

/* A core with Security Extension of unknown state, a reset, and an exception taken elsewhere. */
static void m_other_exception_is_a_gap(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 3; i++) {
		struct program p;

		BEGIN_T32(&p, M_PROGRAM);
		begin_m(&p, i == 0 ? "Cortex-M33" : "Cortex-M3", UINT32_C(0xfffffff9));
		{
			const struct element elements[] = {
			        run_at(ISA_T32, CODE, 2, false, true),
			        exception(i == 1 ? 1 : M_SVC, i == 2 ? CODE + 6 : CODE + 4),
			        run_at(ISA_T32, CODE + 16, 1, false, true),
			};

			finish(&p, elements, 3);
		}
		assert_unknown(&p, 0, 0);
		assert_unknown(&p, 0, 4);
		assert_is(&p, 2, 4, 0);
		end(&p);
	}
}

/* VORR Q0, Q1, Q1, which VPT may have made conditional, and VSCCLRM, which is no VLDM. */
static void m_vector_is_not_that_of_the_a_profile(void **state)
{
	static const uint16_t halfwords[][2] = {{0xef22, 0x0152}, {0xec9f, 0x0a04}};

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		struct program p;

		BEGIN_T32(&p, T_NOP, T_NOP, T_NOP, T_NOP);
		begin_m(&p, "Cortex-M55", UINT32_C(0xfffffff9));
		for (unsigned int k = 0; k < 4; k++)
			p.code[4 + k] = (uint8_t)(halfwords[i][k / 2] >> 8 * (k % 2));
		put_u32(p.r[R_PC], CODE + 8);
		leads_to(CODE + 8);
		{
			struct element e = run_at(ISA_T32, CODE, 3, false, true);

			e.range.end = CODE + 8;
			e.range.last_size = 4;
			finish(&p, &e, 1);
		}
		assert_unknown(&p, 2, 4);
		assert_is(&p, 3, 4, 0);
		end(&p);
	}
}

/* An interrupted POP may have loaded some of its registers. */
static void m_interrupted_pop_loses_what_it_loads(void **state)
{
	struct program p;

	(void)state;
	BEGIN_T32(&p, M_PROGRAM);
	p.code[4] = 0x02; /* pop {r1} */
	p.code[5] = 0xbc;
	begin_m(&p, "Cortex-M3", UINT32_C(0xfffffff9));
	enter(&p);
	assert_is(&p, 0, 0, 0x36);
	assert_unknown(&p, 1, 1);
	assert_is(&p, 0, 4, 0);
	assert_is(&p, 0, R_SP, DATA_AT + FRAME + 0x24);
	end(&p);
}

/* SVC, a handler of MOV LR, R4 and BX LR, and on after the SVC. SP is 4 more if it was padded. */
static void end_return_m(struct program *p, enum security_state security)
{
	const struct element elements[] = {
	        context(security),
	        run_at(ISA_T32, CODE, 2, false, true),
	        exception(M_SVC, CODE + 4),
	        run_at(ISA_T32, CODE + 14, 2, true, true),
	        {.type = ELEMENT_EXCEPTION_RET},
	        run_at(ISA_T32, CODE + 4, 1, false, true),
	};

	finish(p, elements, 6);
}

static void begin_return_m(struct program *p, const char *type, uint32_t exc_return,
                           uint32_t padding)
{
	BEGIN_T32(p, T_ADD_R1_5, T_SVC, T_NOP, T_NOP, T_NOP, T_NOP, T_NOP, T_MOV_LR_R4, T_BX_LR);
	begin_m(p, type, 0x77);
	put_u32(p->data + FRAME + 28, UINT32_C(0x01000000) | padding << 7);
	put_u32(p->r[0], 0x36);
	put_u32(p->r[1], 0x105);
	put_u32(p->r[2], DATA_AT);
	put_u32(p->r[3], 4);
	put_u32(p->r[4], exc_return);
	put_u32(p->r[12], 0x1212);
	put_u32(p->r[R_SP], DATA_AT + FRAME + 0x20 + padding);
	put_u32(p->r[R_CPSR], UINT32_C(0x01000000));
	put_u32(p->r[R_PC], CODE + 6);
	leads_to(CODE + 6);
}

static void return_m(struct program *p, const char *type, uint32_t exc_return, uint32_t padding)
{
	begin_return_m(p, type, exc_return, padding);
	end_return_m(p, (exc_return & 0x40) != 0 ? SECURITY_SECURE : SECURITY_NON_SECURE);
}

static void m_return_is_unstacked(void **state)
{
	static const struct {
		const char *type;
		uint32_t padding;
	} cases[] = {{"Cortex-M3", 0}, {"Cortex-M0", 0}, {"Cortex-M0", 4}};

	(void)state;
	for (unsigned int i = 0; i < 3; i++) {
		struct program p;

		return_m(&p, cases[i].type, UINT32_C(0xfffffff9), cases[i].padding);
		assert_is(&p, 4, 0, 0x36);
		assert_is(&p, 4, R_SP, DATA_AT + FRAME + 0x20 + cases[i].padding);
		assert_is(&p, 3, R_LR, UINT32_C(0xfffffff9));
		assert_unknown(&p, 3, 0);
		if (i == 0) /* of a core that aligns bit 2 of SP does not matter here */
			assert_is(&p, 3, R_SP, DATA_AT + FRAME);
		end(&p);
	}
}

/* In Secure state R4 has EXC_RETURN, and EXC_RETURN says whether R4 is still the same. */
static void m_return_in_one_security_state_is_unstacked(void **state)
{
	struct program p;

	(void)state;
	return_m(&p, "Cortex-M33", UINT32_C(0xffffffb8), 0);
	assert_is(&p, 4, 0, 0x36);
	assert_is(&p, 4, R_SP, DATA_AT + FRAME + 0x20);
	assert_is(&p, 3, R_LR, UINT32_C(0xffffffb8));
	assert_is(&p, 3, 5, 0);
	end(&p);
	return_m(&p, "Cortex-M33", UINT32_C(0xfffffff9), 0);
	assert_is(&p, 4, 0, 0x36);
	assert_unknown(&p, 3, 4);
	assert_unknown(&p, 3, R_SP);
	end(&p);
}

/* A core that need not align its stack; an EXC_RETURN of a frame that is on PSP. */
static void m_return_to_unknown_frame(void **state)
{
	struct program p;

	(void)state;
	return_m(&p, "Cortex-M3", UINT32_C(0xfffffff9), 4);
	assert_is(&p, 4, 1, 0x105);
	assert_unknown(&p, 3, R_SP);
	end(&p);
	return_m(&p, "Cortex-M3", UINT32_C(0xfffffffd), 0);
	assert_is(&p, 4, 1, 0x105);
	assert_unknown(&p, 3, R_SP);
	end(&p);
}

/* At the halt CONTROL says that PSP is in use: so it was before the exception, and MSP in the
 * handler. */
static void m_halt_says_which_stack_is_in_use(void **state)
{
	static const struct {
		const char *type;
		const char *other;
		uint32_t control;
		uint32_t known_at_return;
	} cases[] = {{"Cortex-M3", "MSP", 2, DATA_AT},
	             {"Cortex-M33", "MSP", 2, DATA_AT},
	             {"Cortex-M3", "PSP", 0, DATA_AT + FRAME}};

	(void)state;
	for (unsigned int i = 0; i < 3; i++) {
		bool is_m33 = i == 1;
		struct program p;

		begin_return_m(&p, cases[i].type, 0x77, 0);
		p.code[14] = 0; /* NOP: only the entry makes EXC_RETURN */
		p.code[15] = 0xbf;
		p.registers[5].name = str_of(cases[i].other);
		p.registers[6].name = STR("CONTROL");
		put_u32(p.r[5], DATA_AT);
		put_u32(p.r[6], cases[i].control);
		end_return_m(&p, is_m33 ? SECURITY_NON_SECURE : SECURITY_SECURE);
		assert_is(&p, 3, R_SP, cases[i].known_at_return);
		if (!is_m33) {
			assert_is(&p, 1, R_SP, DATA_AT + FRAME + 0x20);
			assert_is(&p, 1, 0, 0x36);
		}
		end(&p);
	}
}

/* A handler that returns, and at once PendSV: its frame is the one that is there. */
static void chain_m(struct program *p, enum protocol protocol, bool has_address)
{
	struct element pend_sv = exception(14, CODE + 4);
	struct element elements[] = {
	        run_at(ISA_T32, CODE, 2, false, true),
	        exception(M_SVC, CODE + 4),
	        run_at(ISA_T32, CODE + 14, 2, true, true),
	        {.type = ELEMENT_EXCEPTION_RET},
	        pend_sv,
	        run_at(ISA_T32, CODE + 10, 1, false, true),
	};

	elements[4].exception.has_return_address = has_address;
	BEGIN_T32(p, T_ADD_R1_5, T_SVC, T_NOP, T_NOP, T_NOP, T_NOP, T_NOP, T_NOP, T_BX_LR);
	begin_m(p, "Cortex-M3", UINT32_C(0xfffffff9));
	p->protocol = protocol;
	put_u32(p->r[R_PC], CODE + 12);
	leads_to(CODE + 12);
	finish(p, elements, 6);
}

/* ETMv3 does not say whether it is chained: then it is another entry, or not. */
static void m_chained_exception_has_the_frame_of_the_one_before(void **state)
{
	static const struct {
		enum protocol protocol;
		bool has_address;
		bool is_known;
	} cases[] = {{PROTOCOL_ETM4, false, true},
	             {PROTOCOL_ETM4, true, true}, /* unstacked, and stacked again */
	             {PROTOCOL_ETM3, false, false}};

	(void)state;
	for (unsigned int i = 0; i < 3; i++) {
		struct program p;

		chain_m(&p, cases[i].protocol, cases[i].has_address);
		if (cases[i].is_known) {
			assert_is(&p, 3, R_SP, DATA_AT + FRAME);
			assert_is(&p, 3, R_LR, UINT32_C(0xfffffff9));
			assert_is(&p, 0, 4, 0);
			assert_unknown(&p, 3, 1);
			assert_is(&p, 0, 0, 0x36); /* what SVC has stacked is still there */
		} else {
			assert_unknown(&p, 3, 4);
			assert_unknown(&p, 3, R_SP);
		}
		assert_is(&p, 4, 4, 0);
		end(&p);
	}
}

/* One instruction, `opcode` at CODE + 2, and an exception that is to return to `address`. */
static void enter_after(struct program *p, uint16_t opcode, enum protocol protocol,
                        uint32_t address, bool is_told)
{
	struct element elements[] = {
	        run_at(ISA_T32, CODE, 2, false, true),
	        exception(M_SVC, address),
	        run_at(ISA_T32, CODE + 16, 1, false, true),
	};

	BEGIN_T32(p, M_PROGRAM);
	begin_m(p, "Cortex-M3", UINT32_C(0xfffffff9));
	p->protocol = protocol;
	p->code[2] = (uint8_t)opcode;
	p->code[3] = (uint8_t)(opcode >> 8);
	put_u32(p->data + FRAME + 24, address);
	if ((opcode & 0xe000) == 0xe000 || opcode >> 12 == 13)
		elements[0].range.last_class = opcode == T_SVC ? INSN_OTHER : INSN_BRANCH;
	if (opcode == T_BX_LR)
		elements[0].range.last_class = INSN_BRANCH_INDIRECT;
	elements[1].exception.has_return_address = is_told;
	finish(p, elements, 3);
}

/* ETMv3 does not say where an exception returns to: after the instruction, if that is certain. */
static void m_entry_returns_to_where_the_instruction_led(void **state)
{
	enum { T_B_4 = 0xe000, T_BEQ_4 = 0xd000 }; /* to CODE + 6, from CODE + 2 */
	static const struct {
		uint16_t opcode;
		enum protocol protocol;
		uint32_t address;
		bool is_told;
		bool is_certain;
	} cases[] = {
	        {T_SVC, PROTOCOL_ETM3, CODE + 4, false, true},
	        {T_NOP, PROTOCOL_ETM3, CODE + 4, false, true},
	        {T_B_4, PROTOCOL_ETM3, CODE + 6, false, true},
	        {T_BEQ_4, PROTOCOL_ETM3, CODE + 6, false, false},
	        {T_BX_LR, PROTOCOL_ETM3, CODE + 6, false, false},
	        {T_NOP, PROTOCOL_ETM4, CODE + 4, true, true},
	        {T_NOP, PROTOCOL_ETM3, CODE + 4, true, true},
	        {T_B_4, PROTOCOL_ETM4, CODE + 6, true, true},
	        {T_B_4, PROTOCOL_ETM4, CODE + 4, true, false},
	        {T_BEQ_4, PROTOCOL_ETM4, CODE + 6, true, true},
	        {T_BX_LR, PROTOCOL_ETM4, CODE + 6, true, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct program p;

		enter_after(&p, cases[i].opcode, cases[i].protocol, cases[i].address,
		            cases[i].is_told);
		if (cases[i].is_certain) {
			assert_is(&p, 0, 0, 0x36);
			assert_is(&p, 0, R_SP, DATA_AT + FRAME + 0x24);
		} else {
			assert_unknown(&p, 0, 0);
			assert_unknown(&p, 0, R_SP);
		}
		end(&p);
	}
}

/* An interrupt whose handler is not traced leaves the registers alone, if that is assumed. */
static void m_unseen_handler_of_an_interrupt_preserves_registers(void **state)
{
	enum { SYSTICK = 15, IRQ_0 = 16 };
	static const struct {
		uint32_t number;
		bool preserves;
		uint32_t address;
		bool is_kept;
	} cases[] = {{SYSTICK, true, CODE + 12, true},
	             {IRQ_0, true, CODE + 12, true},
	             {IRQ_0, false, CODE + 12, false},
	             {M_SVC, true, CODE + 12, false},
	             {IRQ_0, true, CODE + 24, false}};
	struct solve_options options = {.window = {0, 3, true}, .single_writer = true};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct solver solver;
		struct program p;
		const struct element elements[] = {
		        run_at(ISA_T32, CODE + 8, 2, false, true),
		        exception(cases[i].number, cases[i].address),
		        {.type = ELEMENT_TRACE_ON},
		        run_at(ISA_T32, CODE + 12, 1, false, true),
		};

		BEGIN_T32(&p, T_NOP, T_NOP, T_NOP, T_NOP, T_ADD_R1_5, T_NOP, T_NOP, T_NOP);
		begin_m(&p, "Cortex-M3", 0x77);
		put_u32(p.r[1], 0x105);
		put_u32(p.r[R_CPSR], UINT32_C(0x01000000));
		put_u32(p.r[R_PC], CODE + 14);
		leads_to(CODE + 14);
		finish(&p, elements, 4);
		options.window.handler_preserves = cases[i].preserves;
		assert_int_equal(solve_init(&solver, p.f.history, &options), STATUS_OK);
		assert_int_equal(solve_register(&solver, 0, 1).value, cases[i].is_kept ? 0x100 : 0);
		assert_int_equal(solve_granule(&solver, 1, DATA_AT + FRAME).known, 0);
		assert_int_equal(solve_granule(&solver, 2, DATA_AT + FRAME).known, UINT64_MAX);
		solve_fini(&solver);
		end(&p);
	}
}

/* A marker of data trace (ETMv3) alone: something happened that is not told. */
static void m_marker_without_an_exception_is_a_gap(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		struct element marker = exception(0, 0);
		struct program p;

		marker.exception.is_data_marker = true;
		marker.exception.has_return_address = false;
		{
			const struct element elements[] = {
			        run_at(ISA_T32, CODE, 2, false, true),
			        marker,
			        i == 0 ? exception(M_SVC, CODE + 4)
			               : (struct element){.type = ELEMENT_TIMESTAMP},
			        run_at(ISA_T32, i == 0 ? CODE + 16 : CODE + 4, i == 0 ? 1 : 7,
			               false, true),
			};

			BEGIN_T32(&p, M_PROGRAM);
			begin_m(&p, "Cortex-M3", UINT32_C(0xfffffff9));
			finish(&p, elements, 4);
		}
		if (i == 0)
			assert_is(&p, 0, 0, 0x36);
		else
			assert_unknown(&p, 0, 0);
		assert_is(&p, 2, 4, 0);
		end(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(m_entry_is_stacked),
	        cmocka_unit_test(m_entry_from_a_thread_with_psp),
	        cmocka_unit_test(m_entry_from_a_thread_with_known_psp),
	        cmocka_unit_test(m_entry_with_fp_frame),
	        cmocka_unit_test(m_halt_within_a_load_of_several_says_nothing),
	        cmocka_unit_test(m_other_exception_is_a_gap),
	        cmocka_unit_test(m_interrupted_pop_loses_what_it_loads),
	        cmocka_unit_test(m_vector_is_not_that_of_the_a_profile),
	        cmocka_unit_test(m_return_is_unstacked),
	        cmocka_unit_test(m_return_to_unknown_frame),
	        cmocka_unit_test(m_halt_says_which_stack_is_in_use),
	        cmocka_unit_test(m_entry_in_one_security_state_is_stacked),
	        cmocka_unit_test(m_entry_after_registers_that_were_stacked),
	        cmocka_unit_test(m_entry_that_may_stack_otherwise_is_a_gap),
	        cmocka_unit_test(m_return_in_one_security_state_is_unstacked),
	        cmocka_unit_test(m_chained_exception_has_the_frame_of_the_one_before),
	        cmocka_unit_test(m_entry_returns_to_where_the_instruction_led),
	        cmocka_unit_test(m_unseen_handler_of_an_interrupt_preserves_registers),
	        cmocka_unit_test(m_marker_without_an_exception_is_a_gap),
	};

	(void)open_fixture;
	(void)x1_value;
	(void)begin_a32;
	(void)run_a32;
	(void)run_t32;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
