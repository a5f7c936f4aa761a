/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of one core's history: who called whom, at every position. In: the history's runs,
 * exceptions and gaps, and the names of functions. No value of a register or of memory: what is
 * said of callers rests on the flow alone, on this:
 *
 * - A branch with link calls; its caller goes on after it.
 * - A return goes to the caller of the newest call. Where it goes to after the call of an older
 * one, it pops all that is younger; the same for an indirect branch to there out of another
 * function (ldm with the PC and the like). Where it goes to where another stack was left, that
 * stack goes on (coroutines, threads of a kernel).
 * - Where it goes into the middle of a function (longjmp, the landing pad of a C++ exception,
 *   coroutines again) some call of that function goes on. Each returns to its own caller, and so
 * the return of that call shows which it was, for all the time from there on. If it does not
 * return: the only one that there is; if there are several, or none, the callers are not known.
 * - Where CONTEXTIDR is traced, each has a stack of its own: that of another goes on after the next
 *   return of what the switch was in. Until then either may be there, and callers are not known.
 *   Where a function that was active then sets SP after such returns, that is where stacks change,
 *   each time that CONTEXTIDR is written at that place (contextidr_notifier() of Linux on A32).
 * - A return from an exception (ERET and the like; on M profile where the trace says so) goes back
 *   to what the exception interrupted, a fault's to anywhere in the function. If one goes elsewhere
 *   in the history, but to where a function begins, or if a function that SVC or PendSV was taken
 *   in returns to another caller, there are tasks, and all of these returns are judged so: to the
 *   handler that was interrupted, or else to the task that waits where it goes to. Where SVC or
 *   PendSV was taken any number of tasks may wait, seen or not: as in the middle of a function,
 *   returns tell.
 * - Where a handler of a signal has returned, and what it returned to makes a call of the system
 *   (SVC) that leads to where the signal came, what that interrupted goes on (calls_signal.h).
 * - What a vector's stub of AArch32 hands over to (Linux: vector_irq to __irq_svc) came in the
 *   place of the handler (calls_stub.h); so did the function that another returns to which the
 *   handler jumped to, with LR set (ret_fast_syscall).
 * - An instruction that sets SP from a register or from memory may change stacks (cpu_switch_to of
 *   Linux), where all tasks wait at one place. If a function that it was in returned to its caller,
 *   and that or one of its callers to another one later, it does. What goes on after it is one of
 *   the stacks that it was executed on, or another: the first return tells to where one of these
 *   alone returns to. Until then callers are those that it returns to.
 * - Everything else is a return "to X, not to its caller at Y". What was the caller is there still
 * if the core was halted at X; if X ran, SP may have moved, and the callers are not known.
 * - A jump to the first instruction of another function is a tail call.
 * - An exception whose handler is not traced and that comes back to where it was taken is none.
 * - After a gap nothing is known of callers, until calls from before it are returned from: what
 *   returned to X was called from before X, all the time. So it is for calls older than the trace.
 * - A gap in which tracing was off, from a return from an exception to a vector for lower exception
 *   levels, with one CONTEXTIDR, is a stay there: stacks of other contexts wait on.
 *
 * What a program can do and the flow does not show: a jump to the first instruction of a function
 * with another stack, until that is left; a longjmp to a call from before the trace, if one of the
 * same function is in the trace and neither returns; a function that is called by a plain jump and
 * whose name is not known; two tasks that wait at one instruction and return to the same places.
 */
#ifndef CSREPLAY_REPLAY_CALLS_CALLS_H
#define CSREPLAY_REPLAY_CALLS_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "replay/history/history.h"
#include "snapshot/symbols/symbols.h"

enum call_begin {
#define BEGIN(name, text) CALL_BEGIN_##name,
#include "replay/calls/calls.def"
};

enum call_end {
#define END(name, text) CALL_END_##name,
#include "replay/calls/calls.def"
};

#define CALL_NONE      UINT32_MAX
#define CALL_NOT_KNOWN UINT64_MAX /* a position */

/* One activation of a function. */
struct call {
	uint64_t enter;    /* position of its first instruction; NOT_KNOWN if the trace lacks it */
	uint64_t leave;    /* position after its last one; NOT_KNOWN if it is there at the halt */
	uint64_t site;     /* position of the call; for TAIL that of the first one. Or NOT_KNOWN */
	uint64_t function; /* first address: by symbol, else where it was entered */
	uint64_t return_address; /* where its caller goes on; valid if has_return */
	uint64_t went_to;        /* STRAY, UNWOUND, TAIL: where it left to */
	uint32_t parent;         /* its caller, or CALL_NONE: not known */
	uint32_t replaced;       /* TAIL: the call in whose place it came */
	uint32_t depth;          /* callers above it */
	uint8_t begin;           /* enum call_begin */
	uint8_t end;             /* enum call_end */
	bool has_return;
	bool has_function; /* `function` is the first address, not just where it was seen first */
	bool is_exception; /* its caller did not call it but was interrupted, there at
	                      return_address */
	bool is_fault;     /* is_exception: of an instruction, and may go on after that */
	bool may_switch;   /* is_exception: as SVC and PendSV, perhaps to another task */
	bool may_be_asked; /* may_switch: and perhaps its caller asked for it */
	/* While calls are built: */
	bool is_merged;        /* `replaced` is the same one */
	uint8_t stub;          /* of a handler of AArch32: enum stub, of all that it has executed */
	uint32_t has_switched; /* struct switches: what may have changed stacks in it */
	uint32_t may_be_other; /* and in what it had called, so that it is perhaps another's */
};

struct calls;

/*
 * Of the whole history, which must outlive it, as the symbols must (NULL: there are none). NO_MEM;
 * INTERRUPTED; UNSUPPORTED for more than four billion calls.
 */
MUST_USE enum status calls_build(const struct history *history, const struct symbols *symbols,
                                 struct interrupt *interrupt, struct calls **calls);
void calls_destroy(struct calls *calls); /* NULL is fine */

const struct history *calls_history(const struct calls *calls);
const struct symbols *calls_symbols(const struct calls *calls);

/* In order of their first instructions, but for those with BEGIN_BEFORE. */
uint32_t calls_count(const struct calls *calls);
const struct call *calls_get(const struct calls *calls, uint32_t call);

/* Of each call how many instructions ran in it and not in what it called; `own` has room for all.
 */
void calls_count_own(const struct calls *calls, uint64_t *own);

/* The call that a position (0 to N) is in; CALL_NONE in an empty history. */
uint32_t calls_at(const struct calls *calls, uint64_t position);

/*
 * The positions around one, first and last, between which the innermost call is the same one.
 * NOT_FOUND in an empty history.
 */
MUST_USE enum status calls_stretch(const struct calls *calls, uint64_t position, uint64_t *first,
                                   uint64_t *last);

/* A frame of a stack. */
struct call_frame {
	uint32_t call;
	uint64_t pc; /* where it is, or goes on when the frame before it is left */
	bool has_pc;
};

/*
 * The frame `level` (0: the innermost) at a position. Between the level that it says OK for last
 * and the outermost function of the program may be frames that are not known. NOT_FOUND.
 */
MUST_USE enum status calls_frame(const struct calls *calls, uint64_t position, uint32_t level,
                                 struct call_frame *frame);

/*
 * Where a frame is, "panic+0x2c0": of a caller that goes on after its call the function of the
 * call, whose last instruction that may have been. `newer`: the frame before it; NULL of the first.
 */
void call_frame_format(const struct calls *calls, const struct call_frame *frame,
                       const struct call_frame *newer, struct text *out);

/* The first return of the history that did not go to its caller; CALL_NONE if there is none. */
uint32_t calls_first_stray(const struct calls *calls);

/* How a call began and ended: "tail-call", "return". */
const char *call_begin_text(const struct call *call);
const char *call_end_text(const struct call *call);
/* The name of its function, or its address. */
void call_name(const struct calls *calls, const struct call *call, struct text *out);
bool call_is_named(const struct calls *calls, const struct call *call, struct str name);
/* One clause where it did not return to its caller, such as "returned to 0x41414140, not to its
 * caller at main+0x1c"; else nothing. */
void call_oddity(const struct calls *calls, const struct call *call, struct text *out);

#endif
