/* SPDX-License-Identifier: Apache-2.0 */
/* Windows as they are asked for; see values.h. */
#include "replay/values/values.h"

#include <stdlib.h>
#include <string.h>

#include "arch/isa.h"
#include "replay/history/history.h"
#include "replay/values/assumed_solution.h"
#include "replay/values/other_cores.h"
#include "replay/values/solver/solver.h"
#include "replay/values/ssa/ssa.h"

enum {
	LOOK_BACK = 10000, /* instructions before what is asked for, at first */
	GROWTH = 4,
	WINDOW_MOST = 2000000, /* instructions; positions further back have windows of their own */
};

/* A solved window, with what is proved of it or assumed. */
struct tier {
	struct solver solver;
	bool has_solver;
	/*
	 * SSA values of the registers before a dynamic instruction, which the next question is
	 * likely to be near.
	 */
	uint32_t ssa_values[REG_COUNT];
	size_t ssa_dyn;
	bool has_ssa;
};

/* A set of enum assumption. */
typedef uint32_t assumption_set;

#define ASSUMED(assumption) ((assumption_set)1 << (assumption))

/* What is taken for granted of the code from the start, in the order in which it is given up. */
static const enum assumption given_up_order[] = {
        ASSUME_WAITING_TASKS, ASSUME_KERNEL_PRIVATE, ASSUME_PRIVATE_LOCALS, ASSUME_ABI,
        ASSUME_STACK_PRIVATE, ASSUME_TRACED_WRITERS, ASSUME_OWN_DUMPS,
};

enum { GIVEN_UP_ORDER = sizeof(given_up_order) / sizeof(given_up_order[0]) };

struct values {
	const struct history *history;
	struct values_options options;
	bool is_supported;
	struct code_changes changes;
	bool has_changes; /* they were looked up */
	struct tier proved;
	uint64_t asked_from; /* the window asked for; what was solved may begin later */
	enum status status;  /* of the proved tier */
	/* Of the same window, where it was wanted; it has no solver if nothing can be assumed. */
	struct tier assumed;
	bool is_assumed_tried;
	bool is_proved_only;     /* it is not to be looked at */
	bool keeps_windows;      /* values_keep_windows() */
	bool hurries;            /* values_hurry() */
	assumption_set choice;   /* that the assumed tier rests on: what contradicts is given up */
	assumption_set given_up; /* the last one that contradicts what is known, if any: */
	uint64_t contradiction;  /* position */
	bool returns_once;       /* solve_options: setjmp() has contradicted once */
	struct suppositions supposed;
	uint64_t supposed_to; /* the end of the window that they are of */
};

struct values_options values_options_of(size_t cores)
{
	return (struct values_options){.single_writer = cores <= 1,
	                               .handler_preserves = true,
	                               .code_unchanged = cores > 1};
}

/* Where an assumption is kept. */
static bool *switch_of(struct values_options *options, enum assumption assumption)
{
	bool *const switches[ASSUMPTIONS] = {
	        [ASSUME_SINGLE_WRITER] = &options->single_writer,
	        [ASSUME_HANDLER_PRESERVES] = &options->handler_preserves,
	        [ASSUME_ABI] = &options->abi,
	        [ASSUME_COHERENT] = &options->coherent,
	        [ASSUME_STACK_PRIVATE] = &options->stack_private,
	        [ASSUME_PRIVATE_LOCALS] = &options->private_locals,
	        [ASSUME_KERNEL_PRIVATE] = &options->kernel_private,
	        [ASSUME_WAITING_TASKS] = &options->waiting_tasks,
	        [ASSUME_TRACED_WRITERS] = &options->traced_writers,
	        [ASSUME_OWN_DUMPS] = &options->own_dumps,
	        [ASSUME_CODE_UNCHANGED] = &options->code_unchanged,
	        [ASSUME_ONE_ADDRESS_SPACE] = &options->one_address_space,
	};

	return switches[assumption];
}

bool values_assume(const struct values_options *options, enum assumption assumption)
{
	struct values_options copy = *options;

	return *switch_of(&copy, assumption);
}

bool values_is_implied(const struct values_options *options, enum assumption assumption)
{
	return options->single_writer &&
	       (assumption == ASSUME_STACK_PRIVATE || assumption == ASSUME_TRACED_WRITERS ||
	        assumption == ASSUME_OWN_DUMPS);
}

void values_set_assumption(struct values_options *options, enum assumption assumption, bool on)
{
	*switch_of(options, assumption) = on;
}

struct values *values_create(const struct history *history, const struct values_options *options)
{
	struct values *values = calloc(1, sizeof(*values));

	if (!values)
		return NULL;
	values->history = history;
	values->options = *options;
	values->is_supported = solve_is_supported(history);
	return values;
}

static void tier_drop(struct tier *tier)
{
	if (tier->has_solver)
		solve_fini(&tier->solver);
	tier->has_solver = false;
	tier->has_ssa = false;
}

void values_destroy(struct values *values)
{
	if (!values)
		return;
	tier_drop(&values->proved);
	tier_drop(&values->assumed);
	suppositions_fini(&values->supposed);
	free(values);
}

const struct history *values_history(const struct values *values)
{
	return values->history;
}

/* Once, and only where a question needs it. */
static void find_changes(struct values *values)
{
	if (!values->has_changes)
		values->changes = code_changes_of(values->history);
	values->has_changes = true;
}

static struct solve_options options_from(const struct values *values,
                                         const struct values_options *allowed, uint64_t from,
                                         uint64_t to)
{
	return (struct solve_options){
	        .window = {from, to, allowed->handler_preserves, allowed->kernel_private,
	                   allowed->interrupt},
	        .single_writer = allowed->single_writer,
	        .stack_private = allowed->stack_private,
	        .abi = allowed->abi,
	        .returns_once = values->returns_once,
	        .private_locals = allowed->private_locals,
	        .waiting_tasks = allowed->waiting_tasks,
	        .changes = values->has_changes ? &values->changes : NULL,
	};
}

/* What other cores wrote while this one was in a window, as far as their traces say. */
static enum status find_writes(const struct values *values, uint64_t from,
                               const struct other_writes **writes)
{
	const struct values_options *options = &values->options;

	return options->coherent ? other_cores_writes_coherent(options->others, from, writes)
	                         : other_cores_writes(options->others, writes);
}

/* Of traced writers, if they are in it, find_writes() has said something. */
static void take_choice(const struct values *values, assumption_set choice,
                        struct solve_options *options)
{
	options->window.kernel_private = (choice & ASSUMED(ASSUME_KERNEL_PRIVATE)) != 0;
	options->abi = (choice & ASSUMED(ASSUME_ABI)) != 0;
	options->private_locals = (choice & ASSUMED(ASSUME_PRIVATE_LOCALS)) != 0;
	options->waiting_tasks = (choice & ASSUMED(ASSUME_WAITING_TASKS)) != 0;
	options->stack_private = (choice & ASSUMED(ASSUME_STACK_PRIVATE)) != 0;
	options->own_dumps = (choice & ASSUMED(ASSUME_OWN_DUMPS)) != 0;
	options->others = NULL;
	if ((choice & ASSUMED(ASSUME_TRACED_WRITERS)) != 0 &&
	    find_writes(values, options->window.from, &options->others) != STATUS_OK)
		options->others = NULL;
}

static void solve_from(struct values *values, uint64_t from, uint64_t to)
{
	struct solve_options options;

	if (to < history_length(values->history))
		find_changes(values);
	options = options_from(values, &values->options, from, to);
	take_choice(values, 0, &options);
	tier_drop(&values->assumed);
	values->is_assumed_tried = false;
	values->given_up = 0;
	tier_drop(&values->proved);
	values->proved.has_solver = true;
	values->asked_from = from;
	values->status = solve_init(&values->proved.solver, values->history, &options);
	/* What was learned is true, but not all: the next one shall not take it for that. */
	if (values->status == STATUS_INTERRUPTED)
		tier_drop(&values->proved);
}

/* Code that breaks the calling standard, say, need not break anything else. */
static void note_contradiction(struct values *values, assumption_set choice, enum status status)
{
	const struct solver *s = &values->assumed.solver;

	if (status != STATUS_OK || !s->has_conflict)
		return;
	values->given_up = choice;
	values->contradiction = window_position_of(&s->w, s->conflict);
}

static enum status solve_tier(struct values *values, const struct solve_options *options)
{
	return assumed_solution_init(&values->assumed.solver, values->history, options,
	                             values->options.coherent ? &values->supposed : NULL);
}

/* Solves the window of the proved tier anew; without a solver if that says nothing more. */
static enum status solve_assumed(struct values *values, assumption_set choice)
{
	const struct window_options *proved = &values->proved.solver.w.options;
	struct solve_options options =
	        options_from(values, &values->options, proved->from, proved->to);
	struct tier *tier = &values->assumed;
	enum status status;
	bool fails;

	take_choice(values, choice, &options);
	if (values->supposed_to != proved->to)
		suppositions_fini(&values->supposed);
	values->supposed_to = proved->to;
	tier->has_solver = true;
	status = solve_tier(values, &options);
	if (status == STATUS_OK && tier->solver.has_conflict && tier->solver.abi.has_again) {
		solve_fini(&tier->solver);
		suppositions_fini(&values->supposed);
		values->returns_once = options.returns_once = true;
		status = solve_tier(values, &options);
	}
	note_contradiction(values, choice, status);
	fails = tier->solver.has_conflict || tier->solver.w.options.from != proved->from;
	/* What was supposed may follow by what is given up alone. */
	if (status == STATUS_OK && fails)
		suppositions_fini(&values->supposed);
	if (status != STATUS_OK || fails)
		tier_drop(tier);
	values->choice = tier->has_solver ? choice : 0;
	return status;
}

/* The other cores' traces say what they wrote, and that is wanted. */
static bool knows_writers(const struct values *values)
{
	const struct values_options *options = &values->options;
	const struct other_writes *writes;

	return options->traced_writers && options->others &&
	       !values_is_implied(options, ASSUME_TRACED_WRITERS) &&
	       find_writes(values, values->proved.solver.w.options.from, &writes) == STATUS_OK;
}

/* It is on, and says more than what is taken for granted anyway. */
static bool is_tried(struct values *values, enum assumption assumption)
{
	if (assumption == ASSUME_TRACED_WRITERS)
		return knows_writers(values);
	if (assumption == ASSUME_KERNEL_PRIVATE && history_gap_count(values->history) == 0) {
		find_changes(values);
		if (!values->changes.of_tables)
			return false;
	}
	if (assumption == ASSUME_WAITING_TASKS && !task_switches_are_numbered(values->history))
		return false;
	if (assumption == ASSUME_OWN_DUMPS && !memmap_has_own(history_memory(values->history)))
		return false;
	return values_assume(&values->options, assumption) &&
	       !values_is_implied(&values->options, assumption);
}

/* All that is tried but for those of given_up_order that are dropped, by their numbers there. */
static assumption_set without(assumption_set all, unsigned int dropped)
{
	for (unsigned int i = 0; i < GIVEN_UP_ORDER; i++) {
		if ((dropped >> i & 1) != 0)
			all &= ~ASSUMED(given_up_order[i]);
	}
	return all;
}

/* Which of several to give up is tried: as few as possible. False if it was interrupted. */
static bool find_assumed(struct values *values)
{
	assumption_set all = 0;
	unsigned int tried = 0; /* numbers of given_up_order */

	for (unsigned int i = 0; i < GIVEN_UP_ORDER; i++) {
		if (!is_tried(values, given_up_order[i]))
			continue;
		all |= ASSUMED(given_up_order[i]);
		tried |= 1u << i;
	}
	for (int count = 0; count <= __builtin_popcount(tried); count++) {
		for (unsigned int dropped = 0; dropped < 1u << GIVEN_UP_ORDER; dropped++) {
			assumption_set choice = without(all, dropped);

			if (__builtin_popcount(dropped) != count || (dropped & ~tried) != 0 ||
			    (choice == 0 && !values->options.coherent))
				continue;
			if (solve_assumed(values, choice) == STATUS_INTERRUPTED)
				return false;
			if (values->assumed.has_solver)
				return true;
		}
	}
	return true;
}

/* True if there is an assumed tier of the present window. */
static bool has_assumed(struct values *values)
{
	if (values->is_proved_only || !values->proved.has_solver || values->status != STATUS_OK ||
	    values->proved.solver.has_conflict)
		return false;
	if (!values->is_assumed_tried)
		values->is_assumed_tried = find_assumed(values);
	return values->assumed.has_solver;
}

static uint64_t window_most(const struct values *values)
{
	return values->options.window_most > 0 ? values->options.window_most : WINDOW_MOST;
}

/* What a window grows to for a register. */
static uint64_t register_most(const struct values *values)
{
	uint64_t most = values->options.register_window;

	return most > 0 && most < window_most(values) ? most : window_most(values);
}

static bool has_conflict(const struct values *values)
{
	return values->proved.has_solver && values->proved.solver.has_conflict;
}

/* The present window answers for the position. */
static bool is_covered(const struct values *values, uint64_t position)
{
	const struct window_options *w = &values->proved.solver.w.options;
	uint64_t length = history_length(values->history);
	uint64_t ahead = values->options.window_most > 0 && w->to < length ? LOOK_BACK : 1;

	return values->proved.has_solver && position >= values->asked_from &&
	       ((position < w->to && w->to - position >= ahead) || position == length);
}

/* Has a window with the position in it. False if there is none. */
static bool cover(struct values *values, uint64_t position)
{
	const struct window_options *w = &values->proved.solver.w.options;
	uint64_t to = history_length(values->history);
	uint64_t most = window_most(values);
	uint64_t back = LOOK_BACK;
	uint64_t from;

	if (!values->is_supported)
		return false;
	/* What is wrong with this window may be wrong with any other. */
	if (has_conflict(values) || is_covered(values, position))
		return values->status == STATUS_OK;
	/*
	 * Who goes back dynamic instruction by dynamic instruction shall not need a window every
	 * few of them.
	 */
	if (values->proved.has_solver && position < values->asked_from)
		back += (w->to - values->asked_from) / 2;
	if (back > most / 2)
		back = most / 2;
	from = position > back ? position - back : 0;
	if (to - from > most)
		to = from + most;
	solve_from(values, from, to);
	return values->status == STATUS_OK;
}

/*
 * Makes the window larger, to so many instructions at most; false if that is not possible, or there
 * is no point in it.
 */
static bool grow(struct values *values, uint64_t most)
{
	const struct window_options *w = &values->proved.solver.w.options;
	uint64_t to = w->to;
	uint64_t now = to - values->asked_from;

	/* What it could not cross it will not cross. */
	if (values->proved.solver.has_conflict || values->asked_from == 0 || now >= most ||
	    w->from != values->asked_from)
		return false;
	/* Each size on the way costs its part, which a client that asks for all pays at once. */
	now = now * GROWTH < most && !values->hurries ? now * GROWTH : most;
	solve_from(values, to > now ? to - now : 0, to);
	return values->status == STATUS_OK;
}

static void put(struct value *value, unsigned int at, struct bits b)
{
	for (unsigned int i = 0; i < 8 && at + i < value->size; i++) {
		value->bits[at + i] = (uint8_t)(b.value >> 8 * i);
		value->known[at + i] = (uint8_t)(b.known >> 8 * i);
	}
}

/* A register, enum uop_register, at a position that the window has. */
static struct bits read_slot(struct tier *tier, uint64_t position, unsigned int slot)
{
	const struct window *w = &tier->solver.w;
	size_t dyn;

	if (tier->solver.has_conflict || position < w->options.from || position > w->options.to)
		return (struct bits){0, 0};
	dyn = window_dyn_of(w, position);
	if (!tier->has_ssa || tier->ssa_dyn != dyn)
		window_ssa_at(w, dyn, tier->ssa_values, tier->has_ssa ? tier->ssa_dyn : SIZE_MAX);
	tier->has_ssa = true;
	tier->ssa_dyn = dyn;
	return tier->solver.ssa_values[tier->ssa_values[slot]];
}

/* MSP and PSP of the M profile: SP is the one in use, and nothing is known of either where it is
 * not known which. */
static bool is_banked_sp(enum core_arch arch, unsigned int number)
{
	return arch == CORE_M && (number == M_msp || number == M_psp);
}

static struct register_slot slot_at(struct tier *tier, uint64_t position, unsigned int number)
{
	enum core_arch arch = history_core(tier->solver.w.history)->arch;
	struct register_slot at = register_slot_of(arch, number);
	struct bits on_psp;

	if (!is_banked_sp(arch, number))
		return at;
	on_psp = read_slot(tier, position, REG_M_ON_PSP);
	if ((on_psp.known & 1) == 0)
		return at;
	at = register_slot_of(arch, M_sp);
	if ((on_psp.value & 1) != (number == M_psp))
		at.slot = REG_M_OTHER_SP;
	return at;
}

static void read_tier(struct tier *tier, uint64_t position, unsigned int number,
                      struct value *value)
{
	struct register_slot at = slot_at(tier, position, number);

	for (unsigned int i = 0; i < at.count; i++) {
		struct bits b = read_slot(tier, position, at.slot + i);

		if (at.is_flags) {
			b = bits_flags_packed(&b);
			b = (struct bits){b.value << 28, b.known << 28 & 0xf0000000u};
		}
		put(value, 8 * i, b);
	}
}

static bool is_known(const struct value *value, bool is_flags)
{
	return is_flags ? (value->known[3] & 0xf0) == 0xf0 : value_is_known(value);
}

/* What is proved, and of what is not what is assumed. */
static void read_register(struct values *values, uint64_t position, unsigned int number,
                          bool is_flags, struct value *value)
{
	struct value assumed = value_unknown(value->size);

	*value = assumed;
	read_tier(&values->proved, position, number, value);
	if (is_known(value, is_flags) || !has_assumed(values))
		return;
	read_tier(&values->assumed, position, number, &assumed);
	for (unsigned int i = 0; i < value->size; i++) {
		uint8_t more = assumed.known[i] & (uint8_t)~value->known[i];

		value->bits[i] |= assumed.bits[i] & more;
		value->known[i] |= more;
		value->is_assumed |= more != 0;
	}
}

void values_register(struct values *values, uint64_t position, unsigned int number,
                     struct value *value)
{
	enum core_arch arch = history_core(values->history)->arch;
	const struct register_file file = register_file_of(arch);
	struct register_slot at = register_slot_of(arch, number);
	uint64_t most = register_most(values);

	*value = value_unknown(file.table[number].bits / 8);
	if ((at.count == 0 && !is_banked_sp(arch, number)) || !cover(values, position))
		return;
	read_register(values, position, number, at.is_flags, value);
	while (!value_is_known(value) && !at.is_flags && grow(values, most))
		read_register(values, position, number, at.is_flags, value);
}

static size_t read_memory(const struct solver *s, uint64_t position, uint64_t address, uint8_t *out,
                          size_t size)
{
	struct bits granule = {0, 0};
	uint64_t of = 1;
	size_t done;

	for (done = 0; done < size; done++) {
		uint64_t at = address + done;
		unsigned int shift = 8u * (unsigned int)(at & 7);

		if (of != (at & ~UINT64_C(7))) {
			of = at & ~UINT64_C(7);
			granule = solve_granule(s, position, of);
		}
		if ((granule.known >> shift & 0xff) != 0xff || at < address)
			break;
		out[done] = (uint8_t)(granule.value >> shift);
	}
	return done;
}

/* The bytes that are proved, and after these those that are assumed. */
static size_t read_bytes(struct values *values, uint64_t position, uint64_t address, uint8_t *out,
                         size_t size)
{
	size_t done = read_memory(&values->proved.solver, position, address, out, size);

	if (done == size || !has_assumed(values))
		return done;
	return done + read_memory(&values->assumed.solver, position, address + done, out + done,
	                          size - done);
}

size_t values_memory(struct values *values, uint64_t position, uint64_t address, void *out,
                     size_t size)
{
	uint64_t most = values->hurries ? register_most(values) : window_most(values);
	size_t done;

	if (!cover(values, position))
		return 0;
	done = read_bytes(values, position, address, out, size);
	while (done < size && !values->keeps_windows && grow(values, most))
		done = read_bytes(values, position, address, out, size);
	return done;
}

void values_keep_windows(struct values *values, bool keep)
{
	values->keeps_windows = keep;
}

void values_hurry(struct values *values, bool on)
{
	values->hurries = on;
}

bool values_is_near(const struct values *values, uint64_t position)
{
	uint64_t from = position > LOOK_BACK ? position - LOOK_BACK : 0;

	return !values->is_supported || has_conflict(values) || is_covered(values, position) ||
	       history_length(values->history) - from <= register_most(values);
}

/* There is a window that values_prepare() would make, or another where somebody has looked. */
static bool is_prepared(const struct values *values, uint64_t from)
{
	const struct window_options *w = &values->proved.solver.w.options;

	return values->proved.has_solver &&
	       (has_conflict(values) || values->status != STATUS_OK ||
	        w->to != history_length(values->history) || w->from != values->asked_from ||
	        values->asked_from <= from);
}

bool values_prepare(struct values *values)
{
	uint64_t length = history_length(values->history);
	uint64_t most = register_most(values);
	uint64_t from = length > most ? length - most : 0;

	if (!values_can(values))
		return false;
	if (is_prepared(values, from))
		return !values->is_assumed_tried && has_assumed(values);
	solve_from(values, from, length);
	return true;
}

void values_proved_only(struct values *values, bool proved_only)
{
	values->is_proved_only = proved_only;
}

bool values_is_apart(const struct values *values)
{
	return !values->options.traced_writers || !values->options.others;
}

const struct values_options *values_allowed(const struct values *values)
{
	return &values->options;
}

static bool is_same(const struct values_options *a, const struct values_options *b)
{
	for (enum assumption i = 0; i < ASSUMPTIONS; i++) {
		if (values_assume(a, i) != values_assume(b, i))
			return false;
	}
	return true;
}

bool values_window(struct values *values, uint64_t position, const struct values_options *allowed,
                   struct solve_options *options)
{
	if (!cover(values, position))
		return false;
	*options = options_from(values, allowed, values->asked_from,
	                        values->proved.solver.w.options.to);
	if (!is_same(allowed, &values->options))
		return true;
	/* What of it holds, and of stores that was supposed. */
	options->window.from = values->proved.solver.w.options.from;
	take_choice(values, 0, options);
	if (!has_assumed(values))
		return true;
	take_choice(values, values->choice, options);
	options->supposed = &values->supposed;
	return true;
}

bool values_show_written_code(const struct values *values)
{
	const struct solver *s = &values->proved.solver;

	return values->proved.has_solver && values->status == STATUS_OK &&
	       s->cut == CUT_CODE_WRITTEN && s->w.options.to == history_length(values->history);
}

const struct solver *values_solved(struct values *values, uint64_t position)
{
	while (values->proved.has_solver && values->status == STATUS_OK &&
	       position < values->asked_from && grow(values, window_most(values)))
		;
	return cover(values, position) ? &values->proved.solver : NULL;
}

const struct solver *values_assumed(struct values *values)
{
	const struct solver *s = &values->assumed.solver;

	if (!has_assumed(values) ||
	    s->memory.access_count != values->proved.solver.memory.access_count)
		return NULL;
	return s;
}

bool values_widen(struct values *values)
{
	uint64_t from = values->asked_from;

	if (!values->proved.has_solver || values->status != STATUS_OK)
		return false;
	(void)grow(values, register_most(values));
	return values->asked_from != from;
}

void values_why_blind(const struct values *values, struct text *out)
{
	static const char *const cuts[] = {
	        [CUT_NONE] = "nothing is known of the core's past",
	        [CUT_CODE_MAY_ALIAS] = ("a store of unknown address may have written code that was "
	                                "fetched anew after it"),
	        [CUT_CODE_WRITTEN] = "code that ran there may have been other than it is now",
	        [CUT_ENDIAN] = "data had another byte order there",
	};
	const struct solver *s = &values->proved.solver;

	if (!values->is_supported)
		text_puts(out, "data is big endian at the halt, or in part of the code");
	else if (values_status(values) != STATUS_OK)
		text_puts(out, status_text(values_status(values)));
	else if (values->proved.has_solver && s->has_conflict)
		text_printf(out, "snapshot and trace disagree at position %llu",
		            (unsigned long long)window_position_of(&s->w, s->conflict));
	else
		text_puts(out, cuts[values->proved.has_solver ? s->cut : CUT_NONE]);
}

bool values_has_code(struct values *values, uint64_t position)
{
	const struct solver *s = &values->proved.solver;

	if (!values->is_supported || has_conflict(values))
		return true;
	return cover(values, position) && position >= s->w.options.from;
}

bool values_has_constants(struct values *values, uint64_t position)
{
	const struct solver *s = &values->proved.solver;

	find_changes(values);
	if (position < values->changes.same_space_from)
		return false;
	if (!values->changes.of_translation)
		return true;
	return cover(values, position) && position >= s->w.options.from &&
	       position <= s->w.options.to &&
	       window_dyn_of(&s->w, position) >= s->memory.constant_from;
}

bool values_are_big_endian(const struct values *values)
{
	return !values->is_supported;
}

bool values_can(const struct values *values)
{
	return values->is_supported && history_length(values->history) > 0;
}

enum status values_status(const struct values *values)
{
	return values->proved.has_solver ? values->status : STATUS_OK;
}

bool values_conflict(const struct values *values, struct solve_options *options, uint64_t *position)
{
	const struct solver *s = &values->proved.solver;

	if (!values->proved.has_solver || !s->has_conflict)
		return false;
	*options = options_from(values, &values->options, values->asked_from, s->w.options.to);
	*position = window_position_of(&s->w, s->conflict);
	return true;
}

bool values_given_up(const struct values *values, enum assumption *assumption,
                     struct solve_options *options, uint64_t *position)
{
	const struct window_options *w = &values->proved.solver.w.options;
	unsigned int i = 0;

	if (!values->proved.has_solver || values->given_up == 0)
		return false;
	while (i + 1 < GIVEN_UP_ORDER &&
	       (values->given_up & ~values->choice & ASSUMED(given_up_order[i])) == 0)
		i++;
	*assumption = given_up_order[i];
	*options = options_from(values, &values->options, w->from, w->to);
	take_choice(values, values->given_up, options);
	*position = values->contradiction;
	return true;
}

bool values_rests_on(const struct values *values, enum assumption assumption)
{
	for (unsigned int i = 0; i < GIVEN_UP_ORDER; i++) {
		if (given_up_order[i] == assumption)
			return (values->choice & ASSUMED(assumption)) != 0;
	}
	return assumption_is_of_code(assumption) && values_assume(&values->options, assumption);
}
