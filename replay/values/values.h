/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of the past: what is proved of registers and memory at a position of a history. In: a
 * history, the snapshot that it ends in. Out: values with what is known of them.
 *
 * A window (replay/values/solver/solver.h) is solved when it is first asked of, from some way
 * before the position to the halt, and kept. As long as what is asked for is not known it grows to
 * the left, since what comes to light earlier often says something of later, too. A window that
 * contradicts itself is the last one: from there on nothing is known of the core's past.
 *
 * There are two tiers, and both are solved of the same window. What is proved rests on none of the
 * assumptions `abi`, `private-locals`, `kernel-private`, `waiting-tasks`, `coherent`,
 * `stack-private`, `traced-writers` and `own-dumps`. Where that leaves something open and one of
 * them is on, the assumed tier is looked at: what is proved and what follows under these, each
 * value marked as assumed. One that leads to a contradiction is given up for the window, and no
 * proved value is.
 */
#ifndef CSREPLAY_REPLAY_VALUES_VALUES_H
#define CSREPLAY_REPLAY_VALUES_VALUES_H

#include "arch/isa.h"
#include "base/text.h"
#include "replay/history/history.h"
#include "replay/values/assumption.h"

struct interrupt;   /* replay/history/interrupt.h */
struct other_cores; /* replay/values/other_cores.h */
struct values;
struct solve_options; /* replay/values/solver/solver.h */
struct solver;

struct values_options {
	/* Nobody but this core writes memory: a snapshot of one core, or the user says so. */
	bool single_writer;
	/* Registers survive an interrupt whose handler is not traced. */
	bool handler_preserves;
	/* Code that ran is known of the past where nothing shows that it was written. */
	bool code_unchanged;
	/* The history was made with this; see history_options. */
	bool one_address_space;
	/* Nobody but this core writes the stacks that it runs on:
	 * replay/values/solver/private_stack.h. */
	bool stack_private;
	/* Nor another core what of all cores' dumps this core's alone hold: memmap_is_own(). */
	bool own_dumps;
	/* Nor anybody the rest of its memory, but other cores where their traces say so. */
	bool traced_writers;
	/* Functions keep callee-saved registers: replay/values/solver/abi.h. */
	bool abi;
	/* EL0 that is not traced has written no memory of a kernel, and where tracing was off at
	 * EL0 alone nothing else ran: replay/values/ssa/el0_stay.h. */
	bool kernel_private;
	/* CONTEXTIDR names tasks of a kernel, and nobody writes what one has saved that waits:
	 * replay/values/solver/task_switch.h. */
	bool waiting_tasks;
	/* Nothing points at local variables whose address was not taken:
	 * replay/values/solver/local_frame.h. */
	bool private_locals;
	/* Stores of unknown address went where that is coherent: replay/values/solver/coherent.h.
	 */
	bool coherent;
	/*
	 * How many instructions a window grows to for a register that is not known, or an access
	 * that is not proved; 0 for as many as windows have at most. A debugger asks for all
	 * registers at once, and for each dynamic instruction.
	 */
	uint64_t register_window;
	/*
	 * How many instructions any window has, or 0 for as many as are ever solved at once: a
	 * window that does not reach the halt then lies around the position.
	 */
	uint64_t window_most;
	/* What `traced_writers` is about, or NULL; must outlive it. */
	struct other_cores *others;
	/* Ends what takes long: what is asked for is not known then. NULL: nobody does. */
	struct interrupt *interrupt;
};

/* What a snapshot of so many cores allows by itself. */
struct values_options values_options_of(size_t cores);

bool values_assume(const struct values_options *options, enum assumption assumption);
/* `single-writer` is taken for granted, and says as much. */
bool values_is_implied(const struct values_options *options, enum assumption assumption);
void values_set_assumption(struct values_options *options, enum assumption assumption, bool on);

/* The history must outlive it; one thread uses it. NULL without memory. */
struct values *values_create(const struct history *history, const struct values_options *options);
void values_destroy(struct values *values); /* NULL is fine */

/*
 * What is known of a register at a position of the history: `number` and size are those of the
 * core's register file (arch/register.h), not one of the trace. Of a core that halted with its
 * data big endian nothing is.
 */
void values_register(struct values *values, uint64_t position, unsigned int number,
                     struct value *value);

/*
 * Copies up to `size` bytes of memory as it was before instruction `position` and returns how many
 * are known before the first that is not.
 */
size_t values_memory(struct values *values, uint64_t position, uint64_t address, void *out,
                     size_t size);

/* From here on memory is looked up in windows as they are, or again in larger ones too. */
void values_keep_windows(struct values *values, bool keep);

/*
 * From here on memory is looked for in windows no larger than those for registers, and what is not
 * known of either in the largest of these at once; or again as far as it takes.
 */
void values_hurry(struct values *values, bool on);
/*
 * What is known at the position is found at the price of a window for a register at most, which
 * reaches from there to the halt.
 */
bool values_is_near(const struct values *values, uint64_t position);
/*
 * Solves the window that ends at the halt as far as it grows for a register, before somebody asks;
 * the next time what is assumed in it. False if there was nothing to do.
 */
bool values_prepare(struct values *values);

/* From here on all is answered of what is proved alone, or again of what is assumed too. */
void values_proved_only(struct values *values, bool proved_only);

/* Code that ran is at this position what it is at the halt: it was not written since. */
bool values_has_code(struct values *values, uint64_t position);

/*
 * The window at the halt was solved, and shows a store of known address to code that ran at some
 * time.
 */
bool values_show_written_code(const struct values *values);

/* Memory that nothing writes is at this position what it is at the halt: addresses mean the same.
 */
bool values_has_constants(struct values *values, uint64_t position);

const struct history *values_history(const struct values *values);
/*
 * What is known rests on this core's history alone: where nobody interrupts, a thread may ask while
 * others ask of other cores.
 */
bool values_is_apart(const struct values *values);
/* What is allowed. */
const struct values_options *values_allowed(const struct values *values);
/*
 * The window that answers for a position, as it was asked for, under what `allowed` says. False if
 * there is none.
 */
bool values_window(struct values *values, uint64_t position, const struct values_options *allowed,
                   struct solve_options *options);

/*
 * The window of the proved tier that has the instruction at a position; NULL if there is none.
 * Accesses are found in it: none is a hit, or ruled out, by an assumption about code.
 */
const struct solver *values_solved(struct values *values, uint64_t position);
/*
 * The same window in the assumed tier, with the same numbers of dynamic instructions and accesses;
 * NULL if there is none.
 */
const struct solver *values_assumed(struct values *values);
/* Makes it larger, so that more may be known of it. False if it is as large as it can be. */
bool values_widen(struct values *values);
/* False if nothing of the core's past is ever known. */
bool values_can(const struct values *values);
/* True if that is for the byte order of its data: an image, or registers at the halt say it is big.
 */
bool values_are_big_endian(const struct values *values);

/* OK, or why nothing was said when it was asked for last: NO_MEM, UNSUPPORTED, INTERRUPTED. */
enum status values_status(const struct values *values);

/*
 * True if snapshot and trace disagree, so that nothing is said: with the window in which that was
 * found, and the position.
 */
bool values_conflict(const struct values *values, struct solve_options *options,
                     uint64_t *position);

/*
 * True if an assumption led to a contradiction in the present window, and was given up for it: with
 * the window under that assumption, and the position.
 */
bool values_given_up(const struct values *values, enum assumption *assumption,
                     struct solve_options *options, uint64_t *position);

/* What is assumed in the present window rests on this assumption about the code, too. */
bool values_rests_on(const struct values *values, enum assumption assumption);

/* The rest of the public face of this room. */
#include "replay/values/other_cores.h"
#include "replay/values/values_access.h"
#include "replay/values/written_code.h"

#endif
