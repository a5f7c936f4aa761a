/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a stay at EL0 whose code no dump holds leaves of registers: those that EL0 cannot write, if
 * the trace shows that nothing else ran; and of memory. Code begins at a table of vectors.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/values/solver/solver.h"
#include "replay/values/ssa/ssa.h"
#include "tests/session/made_session.h"
#include "tests/values/made_element.h"

enum {
	TABLE = 0x1000,
	SVC_OWN = TABLE + 0x200,
	SVC_LOWER = TABLE + 0x400,
	IRQ_LOWER = TABLE + 0x480,
	SVC_LOWER32 = TABLE + 0x600,
	USER = 0x2000,    /* code at EL0 that a dump holds */
	UNKNOWN = 0x3000, /* and that none does */
	RESET = 0,
	DEBUG = 1,
	CALL = 2,
	IRQ = 14,
	MOST = 16,
};

#define NOP         UINT32_C(0xd503201f)
#define MRS_SP_EL0  UINT32_C(0xd5384100) /* x0 */
#define MSR_SP_EL0  UINT32_C(0xd5184117) /* x23 */
#define MRS_SP_EL1  UINT32_C(0xd53c4100)
#define MRS_SPSEL   UINT32_C(0xd5384200)
#define MSR_SPSEL_1 UINT32_C(0xd50041bf)

#define KERNEL_DATA UINT64_C(0xffffff8000008000)
#define USER_DATA   UINT64_C(0x8000)

static const uint8_t eret[4] = {0xe0, 0x03, 0x9f, 0xd6};
static const uint8_t nop[4] = {0x1f, 0x20, 0x03, 0xd5};

/* What is after the stay what it was before it. */
enum kept {
	LOST = 0,
	STACK = 1, /* the SP of EL1: in use, or not */
	THREAD = 2,
	SAVED = 4, /* ELR_EL1 and SPSR_EL1 */
	KEPT = STACK | THREAD,
};

static struct element context_of(enum exception_level level, bool is_64bit, uint32_t id)
{
	return (struct element){.type = ELEMENT_PE_CONTEXT,
	                        .context = {.level = level,
	                                    .is_64bit = is_64bit,
	                                    .has_context_id = true,
	                                    .context_id = id}};
}

static struct element context(enum exception_level level)
{
	return context_of(level, true, 1);
}

static struct element unknown_code(void)
{
	return (struct element){.type = ELEMENT_ADDR_NACC, .nacc = {.address = UNKNOWN}};
}

static bool is_same(const struct window *w, size_t from, unsigned int reg, size_t to,
                    unsigned int as)
{
	return window_ssa_of(w, from, reg) == window_ssa_of(w, to, as);
}

/* For window_options. */
static bool assumes_kernel_private;

/* What runs after another return, to EL1, and before the stay: none, and there is no such return.
 */
static uint32_t after_return[2];
static uint32_t after_count;

/* From the state before instruction `from` of a history to that before instruction `to`. */
static unsigned int kept_between(const struct history *history, uint64_t from, uint64_t to,
                                 unsigned int sp)
{
	const struct window_options options = {.to = history_length(history),
	                                       .kernel_private = assumes_kernel_private};
	struct window w;
	size_t first;
	size_t last;
	unsigned int kept = 0;

	assert_int_equal(window_init(&w, history, &options), STATUS_OK);
	first = window_dyn_of(&w, from);
	last = window_dyn_of(&w, to);
	kept |= is_same(&w, first, REG_SP, last, sp) ? STACK : 0;
	kept |= is_same(&w, first, REG_TPIDR_EL1, last, REG_TPIDR_EL1) ? THREAD : 0;
	kept |= is_same(&w, first, REG_ELR_EL1, last, REG_ELR_EL1) ? SAVED : 0;
	for (unsigned int reg = REG_X0; reg <= REG_LR; reg++)
		assert_false(is_same(&w, first, reg, last, reg));
	assert_false(is_same(&w, first, REG_NZCV, last, REG_NZCV));
	assert_false(is_same(&w, first, REG_TPIDR_EL0, last, REG_TPIDR_EL0));
	assert_false(is_same(&w, first, REG_V0, last, REG_V0));
	assert_false(is_same(&w, first, REG_SP_EL0, last, REG_SP_EL0));
	window_fini(&w);
	return kept;
}

/* At EL1 with its own SP, ERET; the elements; an instruction at `address`. Closed by its user. */
static void open_stay(struct fixture *f, const struct element *elements, size_t count,
                      uint64_t address)
{
	static const uint8_t word[8] = {0x37};
	static uint8_t bytes[USER + 16 - TABLE];
	static uint8_t pc[8];
	struct element all[MOST] = {context(EL_1), range(TABLE, 1, INSN_OTHER, true),
	                            exception(CALL, TABLE + 4),
	                            range(SVC_OWN, 1, INSN_BRANCH_INDIRECT, true)};
	size_t begun = 4;

	for (size_t at = 0; at < sizeof(bytes); at += 4)
		memcpy(bytes + at, nop, 4);
	memcpy(bytes + SVC_OWN - TABLE, eret, 4);
	if (after_count > 0) {
		memcpy(bytes + 4, after_return, 4u * after_count);
		memcpy(bytes + 4 + 4u * after_count, eret, 4);
		all[begun++] = range(TABLE + 4, after_count + 1, INSN_BRANCH_INDIRECT, true);
	}
	assert_true(begun + count + 1 <= MOST);
	memcpy(all + begun, elements, count * sizeof(all[0]));
	all[begun + count] = range(address, 1, INSN_OTHER, true);
	make_registers(f);
	for (unsigned int i = 0; i < sizeof(pc); i++)
		pc[i] = (uint8_t)((address + 4) >> 8 * i);
	f->registers[0].value = pc;
	f->source.protocol = PROTOCOL_ETM4;
	leads_to(address + 4);
	begin_core(f);
	add_region(f->core.memory, TABLE, bytes, sizeof(bytes), false);
	add_region(f->core.memory, KERNEL_DATA, word, sizeof(word), false);
	add_region(f->core.memory, USER_DATA, word, sizeof(word), false);
	(void)open_core(f, all, begun + count + 1);
	assert_int_equal(history_length(f->history), after_count > 0 ? 4 + after_count : 3);
}

/* SP is kept as `sp`. */
static unsigned int across(const struct element *elements, size_t count, uint64_t address,
                           unsigned int sp)
{
	struct fixture f;
	unsigned int kept;

	open_stay(&f, elements, count, address);
	kept = kept_between(f.history, history_length(f.history) - 2, history_length(f.history) - 1,
	                    sp);
	close_fixture(&f);
	return kept;
}

/* Before the stay a doubleword is what the dump says. */
static bool keeps_memory(const struct element *elements, size_t count, uint64_t granule)
{
	struct solve_options options = {.single_writer = true};
	struct solver solver;
	struct fixture f;
	struct bits before;
	struct bits after;

	open_stay(&f, elements, count, IRQ_LOWER);
	options.window.to = history_length(f.history);
	options.window.kernel_private = assumes_kernel_private;
	assert_int_equal(solve_init(&solver, f.history, &options), STATUS_OK);
	before = solve_granule(&solver, 1, granule);
	after = solve_granule(&solver, 2, granule);
	solve_fini(&solver);
	close_fixture(&f);
	assert_int_equal(after.known, UINT64_MAX);
	assert_int_equal(after.value, 0x37);
	return before.known == UINT64_MAX && before.value == 0x37;
}

static void entry_from_unknown_code_finds_what_el0_cannot_write(void **state)
{
	const struct element stay[] = {context(EL_0), unknown_code(), unknown_code(),
	                               exception(IRQ, UNKNOWN), context(EL_1)};
	const struct element call[] = {context(EL_0),
	                               {.type = ELEMENT_TIMESTAMP},
	                               unknown_code(),
	                               exception(CALL, UNKNOWN),
	                               context(EL_1)};

	(void)state;
	assert_int_equal(across(stay, 5, IRQ_LOWER, REG_SP), KEPT);
	assert_int_equal(across(call, 5, SVC_LOWER, REG_SP), KEPT);
	/* No vector, another exception's, the same level's, or one of AArch32. */
	assert_int_equal(across(stay, 5, IRQ_LOWER + 4, REG_SP), LOST);
	assert_int_equal(across(stay, 5, SVC_LOWER, REG_SP), LOST);
	assert_int_equal(across(call, 5, SVC_OWN + 4, REG_SP), LOST);
	assert_int_equal(across(call, 5, SVC_LOWER32, REG_SP), LOST);
}

/* The SPSR of the return before the stay that shows to have selected the SP of EL1. */
static unsigned int selecting_register(const struct element *elements, size_t count)
{
	struct window_options options = {.from = 0};
	unsigned int found;
	struct fixture f;
	struct window w;

	open_stay(&f, elements, count, IRQ_LOWER);
	options.to = history_length(f.history);
	assert_int_equal(window_init(&w, f.history, &options), STATUS_OK);
	assert_int_equal(w.inserted[1].position, 2);
	found = w.inserted[1].own_sp;
	assert_int_equal(w.inserted[0].own_sp, SLOT_NONE);
	window_fini(&w);
	close_fixture(&f);
	return found;
}

/*
 * A return to EL1 does not say which SP is in use after it: SPSR does, which may not be known. MRS
 * and MSR of SP_EL0 are undefined while that is in use, and executed they are not.
 */
static void access_to_sp_el0_shows_that_the_own_sp_is_in_use(void **state)
{
	const struct element stay[] = {context(EL_0), unknown_code(), exception(IRQ, UNKNOWN),
	                               context(EL_1)};
	static const struct {
		uint32_t opcodes[2];
		unsigned int kept;
		unsigned int selecting;
	} cases[] = {
	        {{MRS_SP_EL0}, KEPT, REG_SPSR_EL1},
	        {{MSR_SP_EL0}, KEPT, REG_SPSR_EL1},
	        {{NOP}, THREAD, SLOT_NONE},
	        {{MRS_SP_EL1}, THREAD, SLOT_NONE},
	        {{MRS_SPSEL}, THREAD, SLOT_NONE},
	        {{MRS_SP_EL0, NOP}, KEPT, REG_SPSR_EL1},
	        /* It is now, and nothing says that it was. */
	        {{MSR_SPSEL_1, MRS_SP_EL0}, KEPT, SLOT_NONE},
	        /* It was up to there. */
	        {{MRS_SP_EL0, MSR_SPSEL_1}, THREAD, REG_SPSR_EL1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memcpy(after_return, cases[i].opcodes, sizeof(after_return));
		after_count = after_return[1] != 0 ? 2 : 1;
		assert_int_equal(across(stay, 4, IRQ_LOWER, REG_SP), cases[i].kept);
		assert_int_equal(selecting_register(stay, 4), cases[i].selecting);
	}
	after_count = 0;
}

static void unknown_code_before_known_code_of_el0_leaves_the_same(void **state)
{
	const struct element stay[] = {context(EL_0), unknown_code()};

	(void)state;
	assert_int_equal(across(stay, 2, USER, REG_SP_EL1), KEPT | SAVED);
}

static void gap_that_may_hide_el1_loses_all(void **state)
{
	const struct element in = context(EL_0);
	const struct element irq = exception(IRQ, UNKNOWN);
	const struct element out = context(EL_1);
	const struct element lost = unknown_code();
	const struct element off = {.type = ELEMENT_TRACE_ON};
	const struct element cases[][6] = {
	        {off, out},                /* tracing was off */
	        {in, lost, off, irq, out}, /* and here for a while */
	        {in, lost, {.type = ELEMENT_NO_SYNC}, irq, out},
	        {in, lost, {.type = ELEMENT_ADDR_UNKNOWN}, irq, out},
	        {lost, in, irq, out},       /* code of EL1 */
	        {in, lost, irq, out, lost}, /* a handler of which no code is */
	        {in, lost, irq, lost, out},
	        {in, lost, irq, out, in, lost}, /* it returned unseen */
	        {in, lost, irq, out, irq, out},
	        {in, lost, irq},  /* to where? */
	        {in, lost, out},  /* how? */
	        {lost, irq, out}, /* the trace does not say EL0 */
	        {in, lost, exception(DEBUG, UNKNOWN), out},
	        {in, lost, exception(RESET, UNKNOWN), out},
	        {in, lost, irq, context(EL_2)},
	        {context_of(EL_0, false, 1), lost, irq, out},
	        {context_of(EL_0, true, 2), lost, irq, out}, /* another process */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t count = 0;

		while (count < 6 && cases[i][count].type != ELEMENT_UNKNOWN)
			count++;
		assert_int_equal(across(cases[i], count, IRQ_LOWER, REG_SP), LOST);
	}
}

/* Tracing that was off from the return on was off at EL0, if that is assumed. */
static void tracing_that_is_off_at_el0_hides_el0_alone(void **state)
{
	const struct element off = {.type = ELEMENT_TRACE_ON};
	const struct element out = context(EL_1);
	const struct element lost = unknown_code();
	const struct {
		struct element elements[4];
		uint64_t address;
		unsigned int kept;
	} cases[] = {
	        {{off, out}, IRQ_LOWER, KEPT},
	        {{off, out}, SVC_LOWER, KEPT},
	        {{off, {.type = ELEMENT_TIMESTAMP}, out}, SVC_LOWER, KEPT},
	        /* No vector, or one of the same level or of AArch32. */
	        {{off, out}, SVC_LOWER + 4, LOST},
	        {{off, out}, SVC_OWN + 4, LOST},
	        {{off, out}, SVC_LOWER32, LOST},
	        /* Not EL1, another process, more that is missing. */
	        {{off, context(EL_2)}, IRQ_LOWER, LOST},
	        {{off, context_of(EL_1, true, 2)}, IRQ_LOWER, LOST},
	        {{off, out, lost}, IRQ_LOWER, LOST},
	        {{off, lost, out}, IRQ_LOWER, LOST},
	        {{off, exception(IRQ, UNKNOWN), out}, IRQ_LOWER, LOST},
	        {{off}, IRQ_LOWER, LOST},
	        {{context(EL_0), lost, off, out}, IRQ_LOWER, LOST},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t count = 0;

		while (count < 4 && cases[i].elements[count].type != ELEMENT_UNKNOWN)
			count++;
		assumes_kernel_private = true;
		assert_int_equal(across(cases[i].elements, count, cases[i].address, REG_SP),
		                 cases[i].kept);
		assumes_kernel_private = false;
		assert_int_equal(across(cases[i].elements, count, cases[i].address, REG_SP), LOST);
	}
}

/* It wrote what it can, and under the assumption nothing of a kernel's. */
static void stay_at_el0_keeps_a_kernels_memory(void **state)
{
	const struct element seen[] = {context(EL_0), unknown_code(), exception(IRQ, UNKNOWN),
	                               context(EL_1)};
	const struct element unseen[] = {{.type = ELEMENT_TRACE_ON}, context(EL_1)};
	const struct element lost[] = {{.type = ELEMENT_NO_SYNC}, context(EL_1)};

	(void)state;
	assumes_kernel_private = true;
	assert_true(keeps_memory(seen, 4, KERNEL_DATA));
	assert_true(keeps_memory(unseen, 2, KERNEL_DATA));
	assert_false(keeps_memory(lost, 2, KERNEL_DATA));
	assert_false(keeps_memory(seen, 4, USER_DATA));
	assert_false(keeps_memory(unseen, 2, USER_DATA));
	assumes_kernel_private = false;
	assert_false(keeps_memory(seen, 4, KERNEL_DATA));
	assert_false(keeps_memory(unseen, 2, KERNEL_DATA));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(entry_from_unknown_code_finds_what_el0_cannot_write),
	        cmocka_unit_test(access_to_sp_el0_shows_that_the_own_sp_is_in_use),
	        cmocka_unit_test(unknown_code_before_known_code_of_el0_leaves_the_same),
	        cmocka_unit_test(gap_that_may_hide_el1_loses_all),
	        cmocka_unit_test(tracing_that_is_off_at_el0_hides_el0_alone),
	        cmocka_unit_test(stay_at_el0_keeps_a_kernels_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
