/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entry to and return from exceptions of the M profile, executed: frames as DDI 0403 (B1.5.6 to
 * B1.5.8) and DDI 0553 (B3.18 to B3.22) draw them, numbers as IHI 0064 and IHI 0014 have them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arch/uop/uop_run.h"
#include "replay/values/ssa/m_exception.h"
#include "tests/history/made_exception.h"

enum {
	BX_LR = 0x4770,
	BX_R3 = 0x4718,
	SP = 13,
	LR = 14,
	MSP = 0x20000100, /* R13 */
	PSP = 0x20008000, /* the other one */
	FLAGS = 6,        /* Z and C */
	GE = 9,
	NOP = 0xbf00,
	CORE_M0 = 0,
	CORE_M3,
	CORE_M4,
	CORE_M33_NS,
	CORE_M33_S,
	CORES,
};

/* Frames of a core: bytes of FP state after the basic frame, whether it aligns to 8 in any case.
 */
static const struct {
	const char *type;
	bool is_secure;
	bool is_aligned;
	unsigned int fp;
} cores[CORES] = {{"Cortex-M0", false, true, 0},
                  {"Cortex-M3", false, false, 0},
                  {"Cortex-M4", false, false, 72},
                  {"Cortex-M33", false, true, 72},
                  {"Cortex-M33", true, true, 136}};

static const uint8_t stacked[] = {0, 1, 2, 3, 12, LR};

static struct m_core core_of(unsigned int which)
{
	const struct snap_device device = {.type = str_of(cores[which].type)};
	struct m_core core = m_core_of(&device);

	core.is_secure = cores[which].is_secure;
	return core;
}

struct machine {
	struct uop_builder b;
	struct bits registers[REG_COUNT];
	struct uop_run run;
	uint32_t words[64];
	uint32_t first; /* address of the words */
};

static void begin(struct machine *m)
{
	*m = (struct machine){.first = MSP - 0x20};
	for (unsigned int i = 0; i < REG_COUNT; i++)
		m->registers[i] = bits_of(0x100 + i);
	m->registers[REG_NZCV] = bits_of(1U << FLAGS);
	m->registers[REG_A32_GE] = bits_of(GE);
	m->registers[SP] = bits_of(MSP);
	m->registers[REG_M_OTHER_SP] = bits_of(PSP);
	for (unsigned int i = REG_M_ON_PSP; i <= REG_M_FPCA; i++)
		m->registers[i] = (struct bits){0, 0};
	for (unsigned int i = 0; i < 64; i++)
		m->words[i] = UINT32_C(0x50000000) + i;
}

static struct bits read_word(void *context, uint64_t address, unsigned int size)
{
	const struct machine *m = context;
	size_t index = (size_t)(address - m->first) / 4;

	assert_int_equal(size, 4);
	assert_int_equal(address % 4, m->first % 4);
	assert_true(address >= m->first && index < 64);
	return bits_of(m->words[index]);
}

static void execute(struct machine *m)
{
	const struct uop_memory memory = {read_word, m};

	assert_true(uop_run(&m->b.insn, m->registers, &memory, &m->run));
	assert_int_equal(m->b.insn.flags & UOP_AARCH32, UOP_AARCH32);
}

static void assert_bits(struct bits b, uint32_t known, uint32_t value)
{
	assert_int_equal(b.known & UINT32_MAX, known);
	assert_int_equal(b.value, value);
}

static void assert_after(const struct machine *m, unsigned int reg, uint32_t known, uint32_t value)
{
	assert_bits(uop_run_after(&m->run, reg), known, value);
}

/* The access is of this kind, so many bytes from there on, as far as that is known. */
static void assert_access(const struct machine *m, unsigned int number, enum uop_access_kind kind,
                          uint32_t address, uint64_t length)
{
	const struct uop_access *a = &m->b.insn.accesses[number];

	assert_true(number < m->b.insn.access_count);
	assert_int_equal(a->kind, kind);
	assert_bits(uop_run_address(&m->run, a), UINT32_MAX, address);
	assert_int_equal(uop_run_length(&m->run, a), length);
}

/* Eight words from `frame` on; the flags, GE and whether the frame is lower by 4 are in the last.
 */
static void assert_frame(const struct machine *m, uint32_t frame, uint32_t return_address,
                         bool is_padded)
{
	const struct uop_access *a = m->b.insn.accesses;

	for (unsigned int i = 0; i < 8; i++) {
		assert_access(m, i, ACCESS_STORE, frame + 4 * i, 4);
		assert_int_equal(a[i].when, SLOT_NONE);
	}
	for (unsigned int i = 0; i < sizeof(stacked); i++)
		assert_bits(uop_run_slot(&m->run, a[i].data), UINT32_MAX, 0x100U + stacked[i]);
	assert_bits(uop_run_slot(&m->run, a[6].data), UINT32_MAX, return_address);
	assert_bits(uop_run_slot(&m->run, a[7].data), UINT32_C(0xf00f0200),
	            (uint32_t)FLAGS << 28 | (uint32_t)GE << 16 | (is_padded ? 0x200U : 0));
}

/* What a handler finds in these is not known. */
static void assert_forgotten(const struct machine *m, unsigned int scalars, bool keeps_lr)
{
	for (unsigned int i = 0; i + keeps_lr < sizeof(stacked); i++)
		assert_after(m, stacked[i], 0, 0);
	assert_int_equal(uop_run_after(&m->run, REG_PSTATE).known, 0);
	assert_int_equal(uop_run_after(&m->run, REG_NZCV).known & 0xffff, 0);
	assert_int_equal(uop_run_after(&m->run, REG_A32_GE).known, 0);
	assert_int_equal(uop_run_after(&m->run, REG_FPSR).known, scalars > 0 ? 0 : UINT64_MAX);
	for (unsigned int d = 0; d < 32; d++)
		assert_int_equal(uop_run_after(&m->run, REG_V0 + d).known,
		                 d < scalars ? 0 : UINT64_MAX);
}

static unsigned int scalars_of(unsigned int which)
{
	return cores[which].fp == 0 ? 0 : cores[which].fp == 72 ? 8 : 16;
}

/* EXC_RETURN: 0xfffffff1, -f9, -fd; -e1, -e9, -ed with an FP frame; see DDI 0553 for ES, DCRS, S.
 */
static void entry_leaves_exc_return_in_lr(void **state)
{
	static const struct {
		uint32_t known;
		uint32_t value;
	} expected[CORES] = {{UINT32_C(0xfffffff3), UINT32_C(0xfffffff1)},
	                     {UINT32_C(0xfffffff3), UINT32_C(0xfffffff1)},
	                     {UINT32_C(0xffffffe3), UINT32_C(0xffffffe1)},
	                     {UINT32_C(0xffffffe2), UINT32_C(0xffffffa0)},
	                     {UINT32_C(0xffffffc2), UINT32_C(0xffffffc0)}};

	(void)state;
	for (unsigned int i = 0; i < CORES; i++) {
		struct m_core core = core_of(i);
		struct machine m;

		begin(&m);
		m_exception_enter(&core, 0x1004, NOP, &m.b);
		execute(&m);
		assert_after(&m, LR, expected[i].known, expected[i].value);
		assert_true(uop_insn_uses(&m.b.insn, SP));
		assert_true(uop_insn_uses(&m.b.insn, REG_M_OTHER_SP));
		assert_true(uop_insn_uses(&m.b.insn, REG_NZCV));
		assert_forgotten(&m, scalars_of(i), true);
		assert_int_equal(m.b.insn.flags, UOP_AARCH32);
		for (unsigned int reg = 4; reg <= 11; reg++)
			assert_after(&m, reg, i == CORE_M33_S ? 0 : UINT32_MAX,
			             i == CORE_M33_S ? 0 : 0x100 + reg);
	}
}

/* Who is interrupted: EXC_RETURN, the frame, and the stack pointers after it. */
static void entry_is_of_what_it_interrupts(void **state)
{
	static const struct {
		unsigned int which;
		bool on_psp;
		bool is_handler;
		bool has_fp;
		uint32_t exc_return;
	} cases[] = {
	        {CORE_M3, false, true, false, UINT32_C(0xfffffff1)},
	        {CORE_M3, false, false, false, UINT32_C(0xfffffff9)},
	        {CORE_M3, true, false, false, UINT32_C(0xfffffffd)},
	        {CORE_M4, false, true, true, UINT32_C(0xffffffe1)},
	        {CORE_M4, true, false, false, UINT32_C(0xfffffffd)},
	        {CORE_M4, true, false, true, UINT32_C(0xffffffed)},
	        {CORE_M33_NS, true, false, false, UINT32_C(0xffffffbc)},
	        {CORE_M33_NS, false, false, true, UINT32_C(0xffffffa8)},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct m_core core = core_of(cases[i].which);
		uint32_t untold = cases[i].which == CORE_M33_NS ? 1 : 0; /* ES */
		uint32_t size = 32 + (cases[i].has_fp ? 72 : 0);
		struct machine m;

		begin(&m);
		m.registers[REG_M_ON_PSP] = bits_of(cases[i].on_psp);
		m.registers[REG_M_HANDLER] = bits_of(cases[i].is_handler);
		m.registers[REG_M_FPCA] = bits_of(cases[i].has_fp);
		m_exception_enter(&core, 0x1004, NOP, &m.b);
		execute(&m);
		assert_after(&m, LR, UINT32_MAX & ~untold, cases[i].exc_return & ~untold);
		assert_frame(&m, MSP - size, 0x1004, false);
		assert_after(&m, SP, UINT32_MAX, cases[i].on_psp ? PSP : MSP - size);
		assert_after(&m, REG_M_OTHER_SP, UINT32_MAX, cases[i].on_psp ? MSP - size : PSP);
		assert_after(&m, REG_M_ON_PSP, UINT32_MAX, 0);
		assert_after(&m, REG_M_HANDLER, UINT32_MAX, 1);
		if (cases[i].which != CORE_M3)
			assert_after(&m, REG_M_FPCA, UINT32_MAX, 0);
	}
}

/* And after a return who goes on. */
static void return_is_to_what_was_interrupted(void **state)
{
	static const struct {
		uint32_t exc_return;
		bool on_psp;
		bool is_handler;
		bool has_fp;
	} cases[] = {{UINT32_C(0xfffffff1), false, true, false},
	             {UINT32_C(0xfffffff9), false, false, false},
	             {UINT32_C(0xfffffffd), true, false, false},
	             {UINT32_C(0xffffffe1), false, true, true},
	             {UINT32_C(0xffffffed), true, false, true}};
	struct m_core core = core_of(CORE_M4);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct machine m;

		begin(&m);
		if (cases[i].on_psp)
			m.first = PSP - 0x20;
		m.registers[LR] = bits_of(cases[i].exc_return);
		m_exception_return(&core, BX_LR, false, &m.b);
		execute(&m);
		assert_int_equal(uop_run_after(&m.run, REG_M_ON_PSP).value, cases[i].on_psp);
		assert_int_equal(uop_run_after(&m.run, REG_M_HANDLER).value, cases[i].is_handler);
		assert_int_equal(uop_run_after(&m.run, REG_M_FPCA).value, cases[i].has_fp);
		assert_int_equal(uop_run_after(&m.run, REG_M_ON_PSP).known & 1, 1);
		assert_int_equal(uop_run_after(&m.run, REG_M_HANDLER).known & 1, 1);
		assert_int_equal(uop_run_after(&m.run, REG_M_FPCA).known & 1, 1);
	}
}

/* Without FPU all of the frame's place is known; SP is where that is, or MSP if it is on PSP. */
static void entry_without_fpu_stacks_eight_words(void **state)
{
	(void)state;
	for (unsigned int i = CORE_M0; i <= CORE_M3; i++) {
		struct m_core core = core_of(i);
		struct machine m;

		begin(&m);
		m_exception_enter(&core, 0x1004, NOP, &m.b);
		execute(&m);
		assert_int_equal(m.b.insn.access_count, 8);
		assert_frame(&m, MSP - 32, 0x1004, false);
	}
}

/* A frame is at a multiple of 8 where the core does that, and says so; else it is not known. */
static void entry_aligns_the_frame(void **state)
{
	struct m_core core = core_of(CORE_M0);
	struct machine m;

	(void)state;
	begin(&m);
	m.registers[SP] = bits_of(MSP + 4);
	m_exception_enter(&core, 0x1004, NOP, &m.b);
	execute(&m);
	assert_frame(&m, MSP - 32, 0x1004, true);
	core = core_of(CORE_M3);
	begin(&m);
	m.registers[SP] = bits_of(MSP + 4);
	m_exception_enter(&core, 0x1004, NOP, &m.b);
	execute(&m);
	assert_bits(uop_run_address(&m.run, &m.b.insn.accesses[0]), ~UINT32_C(4), MSP - 32);
	assert_bits(uop_run_slot(&m.run, m.b.insn.accesses[7].data), UINT32_C(0xf00f0000),
	            (uint32_t)FLAGS << 28 | (uint32_t)GE << 16);
}

/* After the basic frame S0 to S15, FPSCR and a word (and S16 to S31); below it R4 to R11. */
static void entry_may_write_what_the_fpu_has(void **state)
{
	(void)state;
	for (unsigned int i = CORE_M4; i < CORES; i++) {
		const struct uop_access *a;
		struct m_core core = core_of(i);
		struct machine m;

		begin(&m);
		m_exception_enter(&core, 0x1004, NOP, &m.b);
		execute(&m);
		a = &m.b.insn.accesses[8];
		assert_int_equal(m.b.insn.access_count, i == CORE_M33_S ? 10 : 9);
		assert_int_equal(a->kind, ACCESS_CLOBBER);
		assert_int_equal(a->address, m.b.insn.accesses[0].address);
		assert_int_equal(a->offset, 32);
		assert_int_equal(a->length, cores[i].fp);
		assert_false(a->when_value);
		assert_int_not_equal(a->when, SLOT_NONE);
		if (i != CORE_M33_S)
			continue;
		assert_int_equal(a[1].kind, ACCESS_CLOBBER);
		assert_int_equal(a[1].address, a->address);
		assert_int_equal(a[1].offset, -40);
		assert_int_equal(a[1].length, 40);
		assert_false(a[1].when_value);
	}
}

/* PUSH, POP, STM, LDM, LDRD and FP may have been interrupted half done: by their encodings. */
static void instruction_of_many_accesses_is_told(void **state)
{
	enum { NO, LIST, KILLS };
	static const struct {
		uint32_t opcode;
		unsigned int many;
	} cases[] = {
	        {0xb402, LIST},      {0xb5f0, LIST},      {0xbc02, LIST},      {0xbd00, LIST},
	        {0xc802, LIST},      {0xc002, LIST},      {0xcfff, LIST},      {NOP, NO},
	        {0xb002, NO},        {0xb6f0, NO},        {0xba00, NO},        {0xbe00, NO},
	        {0xd000, NO},        {0x6808, NO},        {0xe8bd0030, LIST},  {0xe92d4ff0, LIST},
	        {0xe8900030, LIST},  {0xe9100030, LIST},  {0xe8d00030, KILLS}, {0xe9d00100, KILLS},
	        {0xecb08a04, KILLS}, {0xed900a00, KILLS}, {0xee300a00, KILLS}, {0xfc000a00, KILLS},
	        {0xf8d00000, NO},    {0xf3af8000, NO},    {0xeb000001, NO},
	};
	struct m_core core = core_of(CORE_M3);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct uop_builder b;
		unsigned int kills = cases[i].many == KILLS ? UOP_KILLS_ALL : 0;

		assert_int_equal(m_has_many_accesses(cases[i].opcode), cases[i].many != NO);
		m_exception_enter(&core, 0x1004, cases[i].opcode, &b);
		assert_int_equal(b.insn.flags & UOP_KILLS_ALL, kills);
		if (cases[i].many == NO)
			continue;
		m_exception_again(cases[i].opcode, &b);
		assert_int_equal(b.insn.flags & UOP_KILLS_ALL, kills);
	}
}

/* What it may have loaded is not known, in registers and in the frame. */
static void entry_at_a_load_of_several_loses_what_it_loads(void **state)
{
	struct m_core core = core_of(CORE_M3);
	struct machine m;

	(void)state;
	begin(&m);
	m_exception_enter(&core, 0x1004, UINT32_C(0xe8bd0032), &m.b); /* pop {r1, r4, r5} */
	execute(&m);
	assert_int_equal(m.b.insn.access_count, 8);
	assert_bits(uop_run_slot(&m.run, m.b.insn.accesses[0].data), UINT32_MAX, 0x100);
	assert_bits(uop_run_slot(&m.run, m.b.insn.accesses[1].data), 0, 0);
	assert_after(&m, 4, 0, 0);
	assert_after(&m, 5, 0, 0);
	assert_after(&m, 6, UINT32_MAX, 0x106);
}

/* What it may have stored is there before the frame is. */
static void entry_at_a_store_of_several_loses_memory(void **state)
{
	static const struct {
		uint32_t opcode;
		uint32_t place;
		uint32_t length;
	} cases[] = {{0xb530, MSP - 12, 12},                /* push {r4, r5, lr} */
	             {UINT32_C(0xe92d0030), MSP - 8, 8},    /* push.w {r4, r5} */
	             {0xc338, 0x103, 12},                   /* stm r3!, {r3, r4, r5} */
	             {UINT32_C(0xe8860030), 0x106, 8},      /* stm.w r6, {r4, r5} */
	             {UINT32_C(0xe9060030), 0x106 - 8, 8}}; /* stmdb r6, {r4, r5} */
	struct m_core core = core_of(CORE_M3);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct machine m;

		begin(&m);
		m_exception_enter(&core, 0x1004, cases[i].opcode, &m.b);
		execute(&m);
		assert_int_equal(m.b.insn.access_count, 9);
		assert_access(&m, 0, ACCESS_CLOBBER, cases[i].place, cases[i].length);
		assert_access(&m, 1, ACCESS_STORE, MSP - 32, 4);
		assert_after(&m, 4, UINT32_MAX, 0x104);
	}
}

/* One that is gone on with after a return: its base is as it is after it, its data is not known. */
static void load_or_store_of_several_goes_on(void **state)
{
	struct machine m;

	(void)state;
	begin(&m);
	m_exception_again(0xbd30, &m.b); /* pop {r4, r5, pc} */
	execute(&m);
	assert_after(&m, 4, 0, 0);
	assert_after(&m, 5, 0, 0);
	assert_after(&m, 6, UINT32_MAX, 0x106);
	assert_after(&m, SP, UINT32_MAX, MSP + 12);
	assert_int_equal(m.b.insn.branch.kind, BRANCH_INDIRECT);
	begin(&m);
	m_exception_again(0xb530, &m.b); /* push {r4, r5, lr} */
	execute(&m);
	assert_int_equal(m.b.insn.access_count, 1);
	assert_access(&m, 0, ACCESS_CLOBBER, MSP - 12, 12);
	assert_after(&m, SP, UINT32_MAX, MSP - 12);
	assert_after(&m, 4, UINT32_MAX, 0x104);
	begin(&m);
	m_exception_again(0xcb38, &m.b); /* ldm r3, {r3, r4, r5} */
	execute(&m);
	assert_after(&m, 3, 0, 0);
	begin(&m);
	m_exception_again(0xcb30, &m.b); /* ldm r3!, {r4, r5} */
	execute(&m);
	assert_after(&m, 3, UINT32_MAX, 0x103 + 8);
}

static uint64_t branch_target(const struct machine *m)
{
	const struct uop_branch *branch = &m->b.insn.branch;
	struct bits b = uop_run_slot(&m->run, branch->slot);

	assert_int_equal(branch->kind, BRANCH_INDIRECT);
	assert_int_equal(branch->target_bits, 32);
	assert_int_equal(b.known, UINT64_MAX);
	return b.value;
}

/* The frame is at word `at`; SP ends `size` bytes after it. */
static void assert_unstacked(const struct machine *m, unsigned int at, unsigned int size)
{
	for (unsigned int i = 0; i < sizeof(stacked); i++)
		assert_after(m, stacked[i], UINT32_MAX, m->words[at + i]);
	assert_int_equal(branch_target(m), m->words[at + 6] & ~1U);
	assert_int_equal(uop_run_after(&m->run, REG_NZCV).value, 1U << (m->words[at + 7] >> 28));
	assert_after(m, REG_A32_GE, UINT32_MAX, m->words[at + 7] >> 16 & 15);
	assert_after(m, SP, UINT32_MAX, m->first + 4 * at + size);
	assert_int_equal(uop_run_after(&m->run, REG_PSTATE).known, 0);
}

/* A return through a register: BX. */
static void leave(struct machine *m, unsigned int which, uint32_t exc_return, bool is_padded)
{
	struct m_core core = core_of(which);

	begin(m);
	m->registers[LR] = bits_of(exc_return);
	for (unsigned int i = 0; i < 64; i++)
		m->words[i] =
		        (m->words[i] & ~UINT32_C(0x200)) | i << 16 | (is_padded ? 0x200U : 0) | 1;
	if ((exc_return & 12) == 12)
		m->first = PSP - 0x20;
	m_exception_return(&core, BX_LR, false, &m->b);
	execute(m);
	assert_int_equal(m->b.insn.flags, UOP_AARCH32);
}

static void return_is_unstacked_from_the_stack_that_exc_return_says(void **state)
{
	static const struct {
		unsigned int core;
		uint32_t exc_return;
		unsigned int size;
	} cases[] = {
	        {CORE_M0, UINT32_C(0xfffffff9), 32},     {CORE_M3, UINT32_C(0xfffffff1), 32},
	        {CORE_M3, UINT32_C(0xfffffff9), 32},     {CORE_M3, UINT32_C(0xfffffffd), 32},
	        {CORE_M4, UINT32_C(0xfffffff9), 32},     {CORE_M4, UINT32_C(0xffffffe9), 104},
	        {CORE_M4, UINT32_C(0xffffffed), 104},    {CORE_M33_NS, UINT32_C(0xffffffb8), 32},
	        {CORE_M33_NS, UINT32_C(0xffffffbc), 32}, {CORE_M33_NS, UINT32_C(0xffffffac), 104},
	        {CORE_M33_NS, UINT32_C(0xffffffb4), 32}, {CORE_M33_S, UINT32_C(0xfffffff9), 32},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (unsigned int padded = 0; padded < 2; padded++) {
			bool on_psp = (cases[i].exc_return & 12) == 12;
			struct machine m;

			leave(&m, cases[i].core, cases[i].exc_return, padded != 0);
			assert_unstacked(&m, 8, cases[i].size + 4 * padded);
			assert_after(&m, REG_M_OTHER_SP, UINT32_MAX, on_psp ? MSP : PSP);
			assert_after(&m, 4, UINT32_MAX, 0x104);
			assert_after(&m, 11, UINT32_MAX, 0x10b);
			assert_int_equal(uop_run_after(&m.run, REG_FPSR).known,
			                 scalars_of(cases[i].core) > 0 ? 0 : UINT64_MAX);
			assert_int_equal(uop_run_after(&m.run, REG_V0 + 7).known,
			                 scalars_of(cases[i].core) > 0 ? 0 : UINT64_MAX);
		}
	}
}

/* With FP registers a frame of Secure state has S16 to S31, or not: where SP is then is not known.
 */
static void return_in_secure_state(void **state)
{
	struct machine m;

	(void)state;
	leave(&m, CORE_M33_S, UINT32_C(0xffffffd9), false); /* R4 to R11 are below the frame */
	assert_unstacked(&m, 18, 32);
	for (unsigned int reg = 4; reg <= 11; reg++)
		assert_after(&m, reg, 0, 0);
	leave(&m, CORE_M33_S, UINT32_C(0xffffffe9), false);
	assert_after(&m, 0, UINT32_MAX, m.words[8]);
	assert_int_not_equal(uop_run_after(&m.run, SP).known, UINT64_MAX);
}

/* Bit 2 of SP is zero on a core that aligns, whatever an instruction made of it. */
static void return_on_a_core_that_aligns_ignores_bit_2(void **state)
{
	struct m_core core = core_of(CORE_M0);
	struct machine m;

	(void)state;
	begin(&m);
	m.registers[SP] = bits_of(MSP + 4);
	m.registers[LR] = bits_of(UINT32_C(0xfffffff9));
	m.words[15] = 0;
	m_exception_return(&core, BX_LR, false, &m.b);
	execute(&m);
	assert_unstacked(&m, 8, 32);
}

/* Where the instruction took EXC_RETURN from; LR would say another stack. */
static void return_is_by_what_the_instruction_put_into_the_pc(void **state)
{
	static const struct {
		uint32_t opcode;
		char from; /* r: R3, m: memory, n: not known */
	} cases[] = {
	        {BX_R3, 'r'},      {0xbd00, 'm'},     {0xbdf0, 'm'},     {0xe8bd8000, 'm'},
	        {0xe8bd9ff0, 'm'}, {0xf85dfb04, 'm'}, {0x4778, 'n'},     {0x4798, 'n'},
	        {0xbc00, 'n'},     {0xe8bd4000, 'n'}, {0xf85dfb08, 'n'}, {0xe8bcbd00, 'n'},
	        {0xf8d04718, 'n'},
	};
	struct m_core core = core_of(CORE_M3);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct machine m;

		begin(&m);
		m.registers[3] = bits_of(cases[i].from == 'r' ? UINT32_C(0xfffffff9) : 0);
		m.registers[LR] = bits_of(UINT32_C(0xfffffffd));
		m.words[7] = cases[i].from == 'm' ? UINT32_C(0xfffffff9) : 0;
		m_exception_return(&core, cases[i].opcode, false, &m.b);
		if (cases[i].from == 'n') {
			m.registers[REG_M_OTHER_SP] = bits_of(MSP);
			m.registers[SP] = bits_of(MSP);
		}
		execute(&m);
		assert_after(&m, 0, UINT32_MAX, m.words[8]);
		assert_int_equal(m.b.insn.access_count, cases[i].from == 'm' ? 9 : 8);
		if (cases[i].from == 'm')
			assert_access(&m, 0, ACCESS_LOAD, MSP - 4, 4);
	}
}

/* It is not known which stack it was if EXC_RETURN is not. */
static void return_by_something_else_is_from_either_stack(void **state)
{
	struct m_core core = core_of(CORE_M3);
	struct uop_builder b;

	(void)state;
	m_exception_return(&core, 0x4798, false, &b); /* BLX R3 is none */
	assert_int_equal(b.ops[0].op, UOP_UNKNOWN);
	m_exception_return(&core, 0x4778, false, &b); /* and BX PC */
	assert_int_equal(b.ops[0].op, UOP_UNKNOWN);
	m_exception_return(&core, BX_R3, false, &b);
	assert_int_not_equal(b.ops[0].op, UOP_UNKNOWN);
}

/* A chained exception: nothing is unstacked, nothing stacked, the handler has the same LR. */
static void chained_exception_leaves_the_stack_alone(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < CORES; i++) {
		struct m_core core = core_of(i);
		struct machine m;

		begin(&m);
		m.registers[LR] = bits_of(UINT32_C(0xffffffb9));
		m_exception_return(&core, BX_LR, true, &m.b);
		execute(&m);
		assert_int_equal(m.b.insn.access_count, 0);
		assert_int_equal(m.b.insn.flags, UOP_AARCH32);
		assert_int_equal(m.b.insn.branch.kind, BRANCH_NONE);
		assert_forgotten(&m, scalars_of(i), true);
		assert_after(&m, LR, i == CORE_M33_S ? ~UINT32_C(0x20) : UINT32_MAX,
		             UINT32_C(0xffffffb9) &
		                     (i == CORE_M33_S ? ~UINT32_C(0x20) : UINT32_MAX));
		assert_after(&m, SP, UINT32_MAX, MSP);
		assert_after(&m, REG_M_OTHER_SP, UINT32_MAX, PSP);
		assert_after(&m, 4, UINT32_MAX, 0x104);
	}
}

/* An untraced handler leaves the registers alone; what it wrote is not known. */
static void unseen_handler_and_lazy_stacking_write_memory_alone(void **state)
{
	struct machine m;

	(void)state;
	begin(&m);
	m_exception_unseen(&m.b);
	assert_int_equal(m.b.insn.flags, UOP_KILLS_MEMORY | UOP_AARCH32);
	assert_int_equal(m.b.insn.def_count, 0);
	assert_int_equal(m.b.insn.access_count, 0);
	m_exception_lazy(&m.b);
	m.registers[REG_M_FPCA] = bits_of(0);
	execute(&m);
	assert_int_equal(m.b.insn.flags, UOP_KILLS_MEMORY | UOP_AARCH32);
	assert_int_equal(m.b.insn.def_count, 2);
	assert_int_equal(uop_run_after(&m.run, REG_FPSR).known, 0);
	assert_after(&m, REG_M_FPCA, ~UINT32_C(1), 0);
}

static enum m_exception_kind expected_kind(enum protocol protocol, uint32_t n)
{
	if (protocol == PROTOCOL_ETM4) {
		if (n == 15 || (n >= 16 && n <= 23) || (n >= 0x208 && n <= 0x3ef))
			return M_EXCEPTION_INTERRUPT; /* SysTick, IRQ0 to 7, IRQ8 to 495 */
		/* NMI, HardFault, MemManage, BusFault, UsageFault, SVC, DebugMonitor, PendSV */
		return (n >= 2 && n <= 6) || n == 11 || n == 12 || n == 14 ? M_EXCEPTION_PLAIN
		                                                           : M_EXCEPTION_OTHER;
	}
	if (protocol != PROTOCOL_ETM3)
		return M_EXCEPTION_OTHER;
	if (n == 15 || (n >= 1 && n <= 8) || (n >= 24 && n <= 511))
		return M_EXCEPTION_INTERRUPT; /* SysTick, IRQ1 to 7 and 0, IRQ8 to 495 */
	/* UsageFault, NMI, SVC, DebugMonitor, MemManage, PendSV, HardFault, BusFault */
	return (n >= 9 && n <= 14) || n == 19 || n == 21 ? M_EXCEPTION_PLAIN : M_EXCEPTION_OTHER;
}

static void exceptions_have_the_numbers_of_their_protocol(void **state)
{
	static const enum protocol protocols[] = {PROTOCOL_ETM4, PROTOCOL_ETM3, PROTOCOL_PTM,
	                                          PROTOCOL_UNKNOWN};
	struct m_core m3 = core_of(CORE_M3);
	struct m_core m33 = core_of(CORE_M33_NS);

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		for (uint32_t n = 0; n < 0x400; n++) {
			enum m_exception_kind kind = expected_kind(protocols[i], n);
			/* With Security Extension what may come of the stacking itself is out. */
			const struct exception_info *info =
			        exception_find(numbering_of(protocols[i], CORE_M), n);
			bool is_out = protocols[i] != PROTOCOL_ETM4 || (n >= 3 && n <= 6);

			assert_int_equal(m_exception_kind_of(&m3, info), kind);
			assert_int_equal(m_exception_kind_of(&m33, info),
			                 is_out ? M_EXCEPTION_OTHER : kind);
		}
	}
}

/* What each core has, by its reference manual; of others it is not known. */
static void cores_are_those_of_armv6_m_to_armv8_m(void **state)
{
	static const struct {
		const char *type;
		struct m_core core;
	} cases[] = {
	        {"Cortex-M0", {true, false, true, false, false}},
	        {"Cortex-M0+", {true, false, true, false, false}},
	        {"cortex-m0plus", {true, false, true, false, false}},
	        {"Cortex-M1", {true, false, true, false, false}},
	        {"Cortex-M3", {true, false, false, false, false}},
	        {"Cortex-M4", {true, true, false, false, false}},
	        {"Cortex-M7", {true, true, false, false, false}},
	        {"Cortex-M33", {true, true, true, true, false}},
	        {"Cortex-M35P", {true, true, true, true, false}},
	        {"Cortex-M55", {false, true, false, false, false}},
	        {"", {false, true, false, false, false}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct snap_device device = {.type = str_of(cases[i].type)};
		struct m_core core = m_core_of(&device);

		assert_int_equal(core.is_followed, cases[i].core.is_followed);
		assert_int_equal(core.may_have_fpu, cases[i].core.may_have_fpu);
		assert_int_equal(core.is_aligned, cases[i].core.is_aligned);
		assert_int_equal(core.has_security, cases[i].core.has_security);
		assert_false(core.is_secure);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(entry_leaves_exc_return_in_lr),
	        cmocka_unit_test(entry_without_fpu_stacks_eight_words),
	        cmocka_unit_test(entry_aligns_the_frame),
	        cmocka_unit_test(entry_may_write_what_the_fpu_has),
	        cmocka_unit_test(instruction_of_many_accesses_is_told),
	        cmocka_unit_test(entry_is_of_what_it_interrupts),
	        cmocka_unit_test(return_is_to_what_was_interrupted),
	        cmocka_unit_test(entry_at_a_load_of_several_loses_what_it_loads),
	        cmocka_unit_test(entry_at_a_store_of_several_loses_memory),
	        cmocka_unit_test(load_or_store_of_several_goes_on),
	        cmocka_unit_test(return_is_unstacked_from_the_stack_that_exc_return_says),
	        cmocka_unit_test(return_in_secure_state),
	        cmocka_unit_test(return_on_a_core_that_aligns_ignores_bit_2),
	        cmocka_unit_test(return_is_by_what_the_instruction_put_into_the_pc),
	        cmocka_unit_test(return_by_something_else_is_from_either_stack),
	        cmocka_unit_test(chained_exception_leaves_the_stack_alone),
	        cmocka_unit_test(unseen_handler_and_lazy_stacking_write_memory_alone),
	        cmocka_unit_test(exceptions_have_the_numbers_of_their_protocol),
	        cmocka_unit_test(cores_are_those_of_armv6_m_to_armv8_m),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
