/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A window that is solved, from its start to its end: what of it is looked at, and what was
 * learned. In: a history and the window's bounds. Out: values at positions; see solver.h.
 */
#include <stdlib.h>

#include "base/huge_pages.h"
#include "replay/history/history.h"
#include "replay/values/solver/initial_facts.h"
#include "replay/values/solver/solver.h"
#include "replay/values/ssa/ssa.h"

#define CPSR_E    UINT64_C(0x200)
#define SCTLR_E0E (UINT64_C(1) << 24)
#define SCTLR_EE  (UINT64_C(1) << 25)

/* A register that says which byte order data has, and where. */
struct order_register {
	enum core_arch arch;
	const char *name;
	uint64_t big; /* its bits that say big endian */
};

/* DDI 0487, SCTLR_ELx.E0E, .EE; DDI 0406, SCTLR.EE: what CPSR.E is at exceptions; DDI 0403, AIRCR.
 */
static const struct order_register order_registers[] = {
        {CORE_A64, "SCTLR_EL1", SCTLR_E0E | SCTLR_EE},
        {CORE_A64, "SCTLR_EL2", SCTLR_E0E | SCTLR_EE},
        {CORE_A64, "SCTLR_EL3", SCTLR_EE},
        {CORE_A32, "SCTLR", SCTLR_EE},
        {CORE_A32, "HSCTLR", SCTLR_EE},
        {CORE_M, "AIRCR", UINT64_C(1) << 15},
};

static bool is_big_endian(const struct snap_core *core)
{
	for (size_t i = 0; i < sizeof(order_registers) / sizeof(order_registers[0]); i++) {
		const struct order_register *order = &order_registers[i];
		const struct snap_register *reg =
		        snap_device_register(core->device, str_of(order->name));

		if (core->arch == order->arch && reg &&
		    (snap_register_value(reg) & order->big) != 0)
			return true;
	}
	return false;
}

bool solve_is_supported(const struct history *history)
{
	const struct snap_core *core = history_core(history);
	const struct snap_register *cpsr;

	if (core->runs_big_endian || is_big_endian(core))
		return false;
	if (core->arch != CORE_A32)
		return true;
	cpsr = history_halt_register(history, A32_cpsr);
	return !cpsr || (snap_register_value(cpsr) & CPSR_E) == 0;
}

static enum status alloc(struct solver *s)
{
	size_t dyns = s->w.dyn_count + 1;

	s->ssa_values = huge_pages_calloc((size_t)s->w.ssa_count, sizeof(*s->ssa_values));
	TRY(interval_map_init(&s->intervals, s->w.ssa_count));
	s->dirty = calloc(dyns / 64 + 64, sizeof(*s->dirty));
	s->dirty_granules = calloc(dyns / 4096 + 1, sizeof(*s->dirty_granules));
	return s->ssa_values && s->dirty && s->dirty_granules ? STATUS_OK : STATUS_NO_MEM;
}

static void take_options(struct solver *s, const struct solve_options *options)
{
	*s = (struct solver){
	        .code_unchanged = options->code_unchanged,
	        .supposed = options->supposed,
	        .is_lenient = options->is_lenient,
	        .without = options->without,
	        .others = options->single_writer ? NULL : options->others,
	};
}

/* What is taken for granted of the code. */
static enum status assume(struct solver *s, const struct solve_options *options)
{
	TRY(private_stacks_init(s, options->stack_private && !options->single_writer));
	if (options->abi)
		TRY(abi_init(&s->abi, s, options->returns_once));
	s->tasks.is_assumed = options->waiting_tasks;
	if (options->private_locals)
		TRY(local_frames_init(&s->frames, s));
	return STATUS_OK;
}

/* Between steps that take long in a large window. */
static enum status go_on(const struct solver *s)
{
	return interrupt_has_come(s->w.options.interrupt) ? STATUS_INTERRUPTED : STATUS_OK;
}

/* All that is made of the window before its facts. */
static enum status prepare(struct solver *s, const struct solve_options *options)
{
	TRY(go_on(s));
	TRY(alloc(s));
	TRY(memdep_init(s, options->single_writer, options->own_dumps));
	TRY(go_on(s));
	TRY(linear_init(&s->linear, &s->w));
	TRY(go_on(s));
	TRY(assume(s, options));
	return go_on(s);
}

static enum status solve_window(struct solver *s, const struct history *history,
                                const struct solve_options *options)
{
	take_options(s, options);
	TRY(window_init(&s->w, history, &options->window));
	if (options->window.to < history_length(history))
		s->after = options->changes ? *options->changes : code_changes_of(history);
	TRY(prepare(s, options));
	if (options->log)
		TRY(provenance_begin(options->log, s->w.ssa_count));
	s->log = options->log;
	initial_facts(s);
	memdep_suppose(s);
	solve_sweep(s);
	memdep_trim(&s->memory);
	return s->is_interrupted ? STATUS_INTERRUPTED : s->memory.status;
}

/*
 * Code that was written is not what it is now: what ran before that is not known. Where a store may
 * have written code that is then fetched anew, that is so from the fetch on. A window that does not
 * reach the halt does not show what was written after it. Data of the other byte order is not
 * looked at.
 */
size_t solve_valid_from(const struct solver *s, enum window_cut *cut)
{
	size_t from = s->code_unchanged ? 0 : memdep_code_may_alias(s);
	/* Where nothing in a window before the halt sets it, it may be what is set after it. */
	size_t big = s->w.little_endian_from == 0 && s->after.of_byte_order
	                     ? s->w.dyn_count
	                     : s->w.little_endian_from;

	if (from > 0)
		*cut = CUT_CODE_MAY_ALIAS;
	if (s->after.of_code && !s->code_unchanged) {
		*cut = CUT_CODE_WRITTEN;
		return s->w.dyn_count;
	}
	if (from < s->memory.modified_code) {
		*cut = CUT_CODE_WRITTEN;
		from = s->memory.modified_code;
	}
	if (from < big) {
		*cut = CUT_ENDIAN;
		from = big;
	}
	return from;
}

enum status solve_init(struct solver *s, const struct history *history,
                       const struct solve_options *options)
{
	struct solve_options o = *options;
	enum status status = solve_window(s, history, &o);
	enum window_cut cut = CUT_NONE;

	while (status == STATUS_OK && !o.through_writes) {
		size_t dyn = solve_valid_from(s, &cut);
		uint64_t from;

		s->cut = cut;
		if (dyn == 0)
			break;
		from = window_position_of(&s->w, dyn);
		if (from <= o.window.from)
			from = o.window.from + 1;
		if (from > o.window.to)
			break;
		o.window.from = from;
		solve_fini(s);
		status = solve_window(s, history, &o);
	}
	return status;
}

void solve_fini(struct solver *s)
{
	free(s->ssa_values);
	interval_map_fini(&s->intervals);
	free(s->dirty);
	free(s->dirty_granules);
	memdep_fini(&s->memory);
	linear_fini(&s->linear);
	private_stacks_fini(&s->stacks);
	abi_fini(&s->abi);
	local_frames_fini(&s->frames);
	task_switches_fini(&s->tasks);
	if (!s->shares_window)
		window_fini(&s->w);
}

bool solve_conflict_is_parted(const struct solver *s)
{
	const struct template *last;

	if (!s->has_conflict || s->w.dyn_count == 0 || s->conflict >= s->w.dyn_count - 1)
		return false;
	/* Where the trace does not lead to the halt that is said by the last one. */
	last = window_template(&s->w, s->w.dyn_count - 1);
	return (last->insn->flags & UOP_KILLS_ALL) == UOP_KILLS_ALL;
}

static bool is_inside(const struct solver *s, uint64_t position)
{
	return !s->has_conflict && position >= s->w.options.from && position <= s->w.options.to;
}

struct bits solve_register(const struct solver *s, uint64_t position, unsigned int reg)
{
	size_t dyn;

	if (!is_inside(s, position))
		return (struct bits){0, 0};
	dyn = window_dyn_of(&s->w, position);
	return s->ssa_values[window_ssa_of(&s->w, dyn, reg)];
}

struct bits solve_granule(const struct solver *s, uint64_t position, uint64_t address)
{
	if (!is_inside(s, position))
		return (struct bits){0, 0};
	return memdep_granule_at(s, window_dyn_of(&s->w, position), address);
}
