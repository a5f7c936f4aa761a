/* SPDX-License-Identifier: Apache-2.0 */
/* Calls, their returns, and the registers that outlive them; see abi.h. Their frames: abi_slot.c.
 */
#include "replay/values/solver/abi.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "replay/values/solver/solver.h"
#include "replay/values/ssa/ssa.h"

enum {
	SAVED_MOST = 19,
	DEPTH_SEARCHED = 64, /* calls that a return may leave open, as longjmp() does */
	RESTORES_MOST = 32,
	RETURNED_MOST = 64, /* calls of one function */
	SIGNALS_MOST = 16,  /* handlers that are active */
	SIGNAL_SAVED_MOST = 31 + 1 + 64,
	SIGNAL_FRAME_MOST = 0x10000, /* bytes below SP, with all that SVE and SME may add */
	THROW_DEPTH = 2, /* open calls from who called setjmp() to longjmp(), at least */
};

#define VALUE_CHANGED UINT32_MAX

/* A call that did not return yet. */
struct open_call {
	uint64_t after;                  /* the address after it */
	uint32_t ssa_values[SAVED_MOST]; /* of the registers that are saved */
	uint32_t sp;
	uint32_t argument; /* SSA value of X0 or R0 */
	uint32_t dyn;
	bool has_fp; /* the frame pointer was SP */
	struct sp_track sp_track;
};

/*
 * A call that returned and may do so again, as setjmp() does by longjmp(): the function that made
 * it, the one of `depth` open calls, is active.
 */
struct returned {
	struct open_call
	        call; /* its SSA values are VALUE_CHANGED where not all such calls had them */
	size_t depth;
};

/* A signal whose handler did not return yet. */
struct open_signal {
	uint64_t interrupted; /* the address */
	uint32_t ssa_values[SIGNAL_SAVED_MOST];
	uint32_t sp;
	uint32_t dyn;
	enum exception_kind exception; /* that was taken there */
	size_t base;                   /* of struct find, and how many calls were open */
	size_t open_count;
};

/* Of an instruction that returns led to: the frame pointer at the calls of these. */
enum landing {
	LANDING_NOT_SEEN,
	LANDING_HAS_FP, /* was always SP */
	LANDING_APART,
};

/* A dynamic instruction that loads a register through SP. */
struct restore {
	uint32_t dyn;
	uint32_t ssa;
	uint8_t reg;
};

struct find {
	struct abi *abi;
	const struct window *w;
	struct open_call *open;
	size_t open_count;
	size_t open_capacity;
	bool returns_once;
	struct returned *returned; /* in order of their depth */
	size_t returned_count;
	size_t returned_capacity;
	uint32_t switches; /* of `sp`, at the last return */
	size_t base;       /* so many of the open calls are those of what a signal interrupted */
	struct open_signal signals[SIGNALS_MOST];
	size_t signal_count;
	size_t inserted; /* the next one of the window, */
	enum diversion_kind
	        diversion; /* and what the one before was, if it is the last instruction */
	uint32_t now[REG_COUNT];
	struct restore restores[RESTORES_MOST]; /* since the last call or return */
	size_t restore_count;
	struct sp_track sp;
	uint8_t *landings; /* enum landing, by template */
};

/* X19 to X29 and the lower halves of V8 to V15. */
static const uint8_t saved_a64[] = {19,          20,          21,          22,          23,
                                    24,          25,          26,          27,          28,
                                    29,          REG_V0 + 16, REG_V0 + 18, REG_V0 + 20, REG_V0 + 22,
                                    REG_V0 + 24, REG_V0 + 26, REG_V0 + 28, REG_V0 + 30};
/* R4 to R11 but for R9, which is the platform's. */
static const uint8_t saved_a32[] = {4, 5, 6, 7, 8, 10, 11};

static size_t saved_of(const struct template *template, const uint8_t **saved)
{
	bool is_a64 = template->isa == ISA_A64;

	*saved = is_a64 ? saved_a64 : saved_a32;
	return is_a64 ? sizeof(saved_a64) : sizeof(saved_a32);
}

bool abi_is_return(const struct template *template)
{
	return template->is_code && template->isa == ISA_A64 &&
	       (template->opcode & ~0x3e0u) == 0xd65f0000;
}

static enum status open_call(struct find *f, const struct template *template, size_t dyn)
{
	const uint8_t *saved;
	size_t count = saved_of(template, &saved);
	struct open_call *call;

	TRY(vec_reserve((void **)&f->open, &f->open_capacity, f->open_count + 1, sizeof(*f->open)));
	call = &f->open[f->open_count++];
	call->after = template->address + template->size;
	call->sp = f->now[sp_track_sp(template)];
	call->argument = f->now[REG_X0];
	call->dyn = (uint32_t)dyn;
	call->has_fp = call->sp == f->now[sp_track_fp(template)];
	call->sp_track = f->sp;
	for (size_t i = 0; i < count; i++)
		call->ssa_values[i] = f->now[saved[i]];
	return STATUS_OK;
}

static bool is_kept(const struct template *template, unsigned int reg)
{
	const uint8_t *saved;
	size_t count = saved_of(template, &saved);

	return reg == sp_track_lr(template) || memchr(saved, (int)reg, count) != NULL;
}

/* A dynamic instruction after which the registers are `now`. */
static void note_restores(struct find *f, const struct template *template, size_t dyn)
{
	if (template->access_count == 0 || !uop_insn_uses(template->insn, sp_track_sp(template)) ||
	    template->insn->accesses[0].kind != ACCESS_LOAD)
		return;
	for (size_t i = 0; i < template->def_count && f->restore_count < RESTORES_MOST; i++) {
		uint8_t reg = template->defs[i].reg;

		if (is_kept(template, reg))
			f->restores[f->restore_count++] =
			        (struct restore){(uint32_t)dyn, f->now[reg], reg};
	}
}

static enum status add_restore(struct abi *abi, struct abi_call *call, uint32_t dyn)
{
	if (call->restore_count > 0 && abi->restores[abi->restore_count - 1] == dyn)
		return STATUS_OK;
	TRY(vec_reserve((void **)&abi->restores, &abi->restore_capacity, abi->restore_count + 1,
	                sizeof(*abi->restores)));
	abi->restores[abi->restore_count++] = dyn;
	call->restore_count++;
	return STATUS_OK;
}

/* What was loaded through SP, and is after the return at `dyn` what it was loaded as. */
static enum status add_restores(struct find *f, struct abi_call *call)
{
	const struct template *template = window_template(f->w, call->dyn - 1);

	call->restores = (uint32_t)f->abi->restore_count;
	for (size_t i = 0; i < f->restore_count; i++) {
		const struct restore *r = &f->restores[i];

		if (f->now[r->reg] == r->ssa)
			TRY(add_restore(f->abi, call, r->dyn));
	}
	/* POP {pc} */
	if (template->access_count > 0 && uop_insn_uses(template->insn, sp_track_sp(template)) &&
	    template->insn->accesses[0].kind == ACCESS_LOAD)
		TRY(add_restore(f->abi, call, call->dyn - 1));
	return STATUS_OK;
}

/* Of these registers, what they were before and are now, as far as that is not one SSA value. */
static enum status add_pairs(struct find *f, struct abi_call *done, const uint8_t *registers,
                             const uint32_t *before, size_t count)
{
	struct abi *abi = f->abi;

	done->same = (uint32_t)abi->same_count;
	TRY(vec_reserve((void **)&abi->same, &abi->same_capacity, abi->same_count + count,
	                sizeof(*abi->same)));
	for (size_t i = 0; i < count; i++) {
		if (before[i] != f->now[registers[i]] && before[i] != VALUE_CHANGED)
			abi->same[abi->same_count++] =
			        (struct abi_same){before[i], f->now[registers[i]]};
	}
	done->count = (uint32_t)abi->same_count - done->same;
	return STATUS_OK;
}

/* The registers that are kept from the call to its return. */
static enum status add_same(struct find *f, const struct open_call *call, struct abi_call *done)
{
	const uint8_t *saved;
	size_t count = saved_of(window_template(f->w, done->dyn), &saved);

	return add_pairs(f, done, saved, call->ssa_values, count);
}

static enum status add_call(struct abi *abi, const struct abi_call *done)
{
	if (done->count == 0 && done->restore_count == 0 &&
	    (!done->keeps_sp || done->sp[0] == done->sp[1]))
		return STATUS_OK;
	TRY(vec_reserve((void **)&abi->calls, &abi->call_capacity, abi->call_count + 1,
	                sizeof(*abi->calls)));
	abi->calls[abi->call_count++] = *done;
	return STATUS_OK;
}

static enum status close_call(struct find *f, const struct open_call *call, size_t dyn)
{
	const struct template *template = window_template(f->w, dyn);
	struct abi_call done = {
	        .dyn = (uint32_t)dyn,
	        .sp = {call->sp, f->now[sp_track_sp(template)]},
	        .begin = call->dyn,
	        .keeps_sp = sp_track_is_kept(template, &call->sp_track, &f->sp),
	};

	TRY(add_same(f, call, &done));
	TRY(add_restores(f, &done));
	return add_call(f->abi, &done);
}

/* Functions returned: what these called does not return again. */
static void drop_returned(struct find *f)
{
	while (f->returned_count > 0 && f->returned[f->returned_count - 1].depth > f->open_count)
		f->returned_count--;
}

/*
 * One call is made again, where its function has one SP: which of the two longjmp() goes back to is
 * not known.
 */
static void merge_returned(struct returned *known, const struct open_call *call)
{
	for (size_t i = 0; i < SAVED_MOST; i++) {
		if (known->call.ssa_values[i] != call->ssa_values[i])
			known->call.ssa_values[i] = VALUE_CHANGED;
	}
	known->call.sp = call->sp;
	known->call.argument = call->argument;
	known->call.dyn = call->dyn;
}

/* The call is no open one any more. */
static enum status keep_returned(struct find *f, const struct open_call *call)
{
	size_t depth = f->open_count;
	size_t first = f->returned_count;

	/* By the handler of a signal, in the place of what it interrupted. */
	if (f->signal_count > 0 && depth == f->base)
		return STATUS_OK;
	for (; first > 0 && f->returned[first - 1].depth == depth; first--) {
		if (f->returned[first - 1].call.after != call->after)
			continue;
		merge_returned(&f->returned[first - 1], call);
		return STATUS_OK;
	}
	if (f->returned_count - first == RETURNED_MOST)
		return STATUS_OK;
	TRY(vec_reserve((void **)&f->returned, &f->returned_capacity, f->returned_count + 1,
	                sizeof(*f->returned)));
	f->returned[f->returned_count++] = (struct returned){*call, depth};
	return STATUS_OK;
}

/* The only call that returned to the address and may do so again, or NULL. */
static const struct returned *find_returned(const struct find *f, uint64_t address)
{
	const struct returned *found = NULL;

	for (size_t i = 0; i < f->returned_count; i++) {
		if (f->returned[i].call.after != address)
			continue;
		if (found)
			return NULL;
		found = &f->returned[i];
	}
	return found;
}

static enum status add_signal(struct abi *abi, struct abi_signal signal)
{
	TRY(vec_reserve((void **)&abi->signals, &abi->signal_capacity, abi->signal_count + 1,
	                sizeof(*abi->signals)));
	abi->signals[abi->signal_count++] = signal;
	return STATUS_OK;
}

/* Handlers of signals that longjmp() leaves: what goes on is older. */
static enum status leave_handlers(struct find *f, size_t depth)
{
	while (depth <= f->base && f->signal_count > 0) {
		const struct open_signal *signal = &f->signals[--f->signal_count];

		f->base = signal->base;
		TRY(add_signal(f->abi, (struct abi_signal){signal->dyn, signal->sp}));
	}
	return STATUS_OK;
}

/* A call returns once more: the registers are what they were at the call. */
static enum status return_again(struct find *f, size_t dyn)
{
	const struct template *template = window_template(f->w, dyn);
	const struct returned *found = find_returned(f, template->address);
	struct abi_call done = {.dyn = (uint32_t)dyn, .keeps_sp = true, .is_again = true};

	if (f->returns_once || !found || f->open_count < found->depth + THROW_DEPTH) {
		/* It may be another stack. */
		f->returned_count = 0;
		return STATUS_OK;
	}
	done.sp[0] = found->call.sp;
	done.sp[1] = f->now[sp_track_sp(template)];
	done.begin = found->call.dyn;
	done.buffer[0] = found->call.argument;
	done.buffer[1] = f->open[f->open_count - 1].argument;
	f->abi->has_again = true;
	TRY(leave_handlers(f, found->depth));
	f->open_count = found->depth;
	TRY(add_same(f, &found->call, &done));
	drop_returned(f);
	return add_call(f->abi, &done);
}

/* Keeps where SP and the frame pointer may be the same without its being known. */
static enum status add_landing(struct find *f, size_t dyn)
{
	const struct template *template = window_template(f->w, dyn);
	struct abi *abi = f->abi;
	struct abi_landing landing = {(uint32_t)dyn, f->now[sp_track_sp(template)],
	                              f->now[sp_track_fp(template)]};

	if (landing.sp == landing.fp)
		return STATUS_OK;
	TRY(vec_reserve((void **)&abi->landings, &abi->landing_capacity, abi->landing_count + 1,
	                sizeof(*abi->landings)));
	abi->landings[abi->landing_count++] = landing;
	return STATUS_OK;
}

static void note_landing(struct find *f, const struct open_call *call, size_t dyn)
{
	uint8_t *landing = &f->landings[f->w->dyns[dyn].template];

	if (!call->has_fp)
		*landing = LANDING_APART;
	else if (*landing == LANDING_NOT_SEEN)
		*landing = LANDING_HAS_FP;
}

/* BR, which sp_track_is_return() takes for a return: A64 has others for these. */
static bool is_jump(const struct template *template)
{
	return template->isa == ISA_A64 && (template->opcode & ~0x3e0u) == 0xd61f0000;
}

/* Execution is at `dyn`, after a return. */
static enum status arrive(struct find *f, size_t dyn)
{
	uint64_t address = window_template(f->w, dyn)->address;
	bool is_switched = f->sp.switches != f->switches;

	f->switches = f->sp.switches;
	TRY(add_landing(f, dyn));
	for (size_t i = 0; i < DEPTH_SEARCHED && f->base + i < f->open_count; i++) {
		const struct open_call *call = &f->open[f->open_count - 1 - i];

		if (call->after != address)
			continue;
		f->open_count -= i + 1;
		drop_returned(f);
		note_landing(f, call, dyn);
		TRY(close_call(f, call, dyn));
		return keep_returned(f, call);
	}
	if (is_switched)
		return return_again(f, dyn);
	/* The function that was active at the window's begin may have returned. */
	if (f->open_count + f->signal_count == 0 && !is_jump(window_template(f->w, dyn - 1)))
		f->returned_count = 0;
	return STATUS_OK;
}

/* X0 to X30 or R0 to R14 but for SP, the flags, the vectors: what a signal's frame has. */
static size_t signal_saved(bool is_a64, uint8_t saved[SIGNAL_SAVED_MOST])
{
	size_t count = 0;

	for (unsigned int reg = 0; reg < (is_a64 ? 31U : 15U); reg++) {
		if (is_a64 || reg != 13)
			saved[count++] = (uint8_t)reg;
	}
	saved[count++] = REG_NZCV;
	for (unsigned int i = 0; i < (is_a64 ? 64U : 32U); i++)
		saved[count++] = (uint8_t)(REG_V0 + i);
	return count;
}

/* Nothing is known to be active any more. */
static void forget_calls(struct find *f)
{
	f->open_count = 0;
	f->returned_count = 0;
	f->base = 0;
	f->signal_count = 0;
}

static void begin_signal(struct find *f, const struct inserted *event, bool is_a64)
{
	uint8_t saved[SIGNAL_SAVED_MOST];
	size_t count = signal_saved(is_a64, saved);
	struct open_signal *signal;

	if (f->signal_count == SIGNALS_MOST)
		forget_calls(f);
	signal = &f->signals[f->signal_count++];
	signal->interrupted = event->diversion.interrupted;
	for (size_t i = 0; i < count; i++)
		signal->ssa_values[i] = f->now[saved[i]];
	signal->sp = f->now[is_a64 ? REG_SP : 13];
	signal->dyn = event->dyn;
	signal->exception = (enum exception_kind)event->diversion.exception;
	signal->base = f->base;
	signal->open_count = f->open_count;
	f->base = f->open_count;
}

/*
 * The registers from `first` on that are the same after the handler. Of a system call X0 has the
 * result; what the handler of a fault mends so that execution can go on is not known.
 */
static size_t first_same(const struct open_signal *signal, size_t count)
{
	if (signal->exception == EXCEPTION_CALL)
		return 1;
	return signal->exception == EXCEPTION_INTERRUPT ? 0 : count;
}

/* The registers at `dyn`, after the handler, are those at the signal. */
static enum status resume(struct find *f, const struct open_signal *signal, size_t dyn, bool is_a64)
{
	uint8_t saved[SIGNAL_SAVED_MOST];
	size_t count = signal_saved(is_a64, saved);
	size_t first = first_same(signal, count);
	struct abi_call done = {
	        .dyn = (uint32_t)dyn,
	        .sp = {signal->sp, f->now[is_a64 ? REG_SP : 13]},
	        .begin = signal->dyn,
	        .keeps_sp = true,
	};

	TRY(add_pairs(f, &done, saved + first, signal->ssa_values + first, count - first));
	TRY(add_signal(f->abi, (struct abi_signal){signal->dyn, signal->sp}));
	TRY(add_signal(f->abi, (struct abi_signal){(uint32_t)dyn - 1, ABI_NO_FRAME}));
	return add_call(f->abi, &done);
}

/* It goes on where it was, or after the instruction that faulted. */
static bool goes_on(const struct open_signal *signal, const struct template *template)
{
	uint64_t moved = template->address - signal->interrupted;

	if (moved == 0 || signal->exception == EXCEPTION_CALL ||
	    signal->exception == EXCEPTION_INTERRUPT)
		return moved == 0;
	return moved == 4 || (moved == 2 && template->isa == ISA_T32);
}

/* After the control event before `dyn`, by which a handler of a signal may have ended. */
static enum status end_signal(struct find *f, size_t dyn)
{
	const struct template *template = window_template(f->w, dyn);

	for (size_t i = f->signal_count; i-- > 0;) {
		const struct open_signal *signal = &f->signals[i];

		if (!template->is_code || !goes_on(signal, template))
			continue;
		f->signal_count = i;
		f->base = signal->base;
		f->open_count = signal->open_count;
		drop_returned(f);
		return resume(f, signal, dyn, template->isa == ISA_A64);
	}
	f->open_count = f->base;
	drop_returned(f);
	return STATUS_OK;
}

/* A signal that ends before a dynamic instruction, or begins at it; registers are as before it. */
static enum status pass_event(struct find *f, size_t dyn)
{
	const struct inserted *event = &f->w->inserted[f->inserted];

	if (f->diversion == DIVERSION_SIGRETURN)
		TRY(end_signal(f, dyn));
	f->diversion = DIVERSION_NONE;
	if (f->inserted < f->w->inserted_count && event->dyn == dyn) {
		f->inserted++;
		f->diversion = (enum diversion_kind)event->diversion.kind;
	}
	if (f->diversion == DIVERSION_ELSEWHERE)
		f->returned_count = 0;
	if ((f->diversion == DIVERSION_ELSEWHERE || f->diversion == DIVERSION_SIGNAL) && dyn > 0)
		begin_signal(f, event, window_template(f->w, dyn - 1)->isa == ISA_A64);
	if (f->diversion == DIVERSION_NONE &&
	    (window_template(f->w, dyn)->insn->flags & UOP_KILLS_REGISTERS) != 0)
		forget_calls(f);
	return STATUS_OK;
}

static enum status find_calls(struct find *f)
{
	for (size_t dyn = 0; dyn < f->w->dyn_count; dyn++) {
		const struct template *template = window_template(f->w, dyn);

		if (dyn > 0 && template->is_code &&
		    sp_track_is_return(window_template(f->w, dyn - 1))) {
			TRY(arrive(f, dyn));
			f->restore_count = 0;
		}
		TRY(pass_event(f, dyn));
		if (sp_track_is_call(template)) {
			TRY(open_call(f, template, dyn));
			f->restore_count = 0;
		}
		sp_track_follow(&f->sp, template);
		window_advance(f->w, dyn, f->now);
		note_restores(f, template, dyn);
	}
	return STATUS_OK;
}

/* Drops those at which the frame pointer is not known to be SP. */
static void choose_landings(struct find *f)
{
	struct abi *abi = f->abi;
	size_t kept = 0;

	for (size_t i = 0; i < abi->landing_count; i++) {
		uint32_t template = f->w->dyns[abi->landings[i].dyn].template;

		if (f->landings[template] == LANDING_HAS_FP)
			abi->landings[kept++] = abi->landings[i];
	}
	abi->landing_count = kept;
}

static int compare_signals(const void *a, const void *b)
{
	const struct abi_signal *x = a;
	const struct abi_signal *y = b;

	return (x->dyn > y->dyn) - (x->dyn < y->dyn);
}

enum status abi_init(struct abi *abi, const struct solver *s, bool returns_once)
{
	struct find *f = calloc(1, sizeof(*f));
	enum status status;

	*abi = (struct abi){.is_assumed = true};
	if (!f)
		return STATUS_NO_MEM;
	f->abi = abi;
	f->w = &s->w;
	f->returns_once = returns_once;
	for (uint32_t reg = 0; reg < REG_COUNT; reg++)
		f->now[reg] = reg;
	f->landings = calloc(f->w->template_count + 1, sizeof(*f->landings));
	status = f->landings ? find_calls(f) : STATUS_NO_MEM;
	if (status == STATUS_OK)
		choose_landings(f);
	if (abi->signal_count > 0)
		qsort(abi->signals, abi->signal_count, sizeof(*abi->signals), compare_signals);
	free(f->landings);
	free(f->returned);
	free(f->open);
	free(f);
	return status;
}

void abi_fini(struct abi *abi)
{
	free(abi->calls);
	free(abi->same);
	free(abi->landings);
	free(abi->restores);
	free(abi->signals);
	free(abi->slots);
}

bool abi_signal_is_apart(const struct solver *s, uint64_t granule, uint32_t access)
{
	const struct abi_signal wanted = {.dyn = s->memory.accesses[access].dyn};
	const struct abi_signal *signal =
	        s->abi.signal_count == 0 ? NULL
	                                 : bsearch(&wanted, s->abi.signals, s->abi.signal_count,
	                                           sizeof(wanted), compare_signals);
	const struct bits *sp;

	if (!signal || signal->sp == ABI_NO_FRAME)
		return signal != NULL;
	sp = &s->ssa_values[signal->sp];
	return sp->known == UINT64_MAX &&
	       granule - (sp->value - SIGNAL_FRAME_MOST) >= SIGNAL_FRAME_MOST;
}

/* setjmp() and longjmp() had two buffers: that was another one, of another stack. */
static bool has_two_buffers(const struct solver *s, const struct abi_call *call)
{
	const struct bits *kept = &s->ssa_values[call->buffer[0]];
	const struct bits *used = &s->ssa_values[call->buffer[1]];

	return call->is_again && ((kept->value ^ used->value) & kept->known & used->known) != 0;
}

bool abi_apply(struct solver *s)
{
	bool any = false;
	bool any_slot = false;

	if (!s->abi.is_assumed)
		return false;
	for (size_t i = s->abi.call_count; i-- > 0 && !s->has_conflict;) {
		struct abi_call *call = &s->abi.calls[i];
		const struct bits *before = &s->ssa_values[call->sp[0]];
		const struct bits *after = &s->ssa_values[call->sp[1]];
		bool is_same;

		if (has_two_buffers(s, call))
			continue;
		if (call->keeps_sp)
			any |= solve_same(s, call->dyn, call->sp[0], call->sp[1]);
		is_same = (before->known & after->known) == UINT64_MAX &&
		          before->value == after->value;
		for (uint32_t k = 0; k < call->count && (is_same || call->keeps_sp); k++)
			any |= solve_same(s, call->dyn, s->abi.same[call->same + k].a,
			                  s->abi.same[call->same + k].b);
		if (is_same)
			any_slot |= abi_slot_call(s, call);
	}
	if (any_slot)
		abi_slot_sort(&s->abi);
	for (size_t i = s->abi.landing_count; i-- > 0 && !s->has_conflict;) {
		const struct abi_landing *landing = &s->abi.landings[i];

		any |= solve_same(s, landing->dyn, landing->sp, landing->fp);
	}
	return any | abi_slot_live(s) | any_slot;
}
