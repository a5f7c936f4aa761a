/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is proved of each register and of memory in one window of a history. In: the window
 * (replay/values/ssa/window.h), the state at the halt if the window reaches it, where execution
 * went. Out: for each value which of its bits are known, and what they are.
 *
 * The method is abstract interpretation of the executed trace in SSA form, run forward and backward
 * to a fixed point:
 *   - The trace has no loops left, so that each definition of a register is one SSA value, and each
 *     dynamic instruction a set of relations between values: its template's micro-operations.
 *   - The abstract domains are known bits (arch/uop/bits.h) and unsigned intervals
 *     (arch/uop/interval.h). Each operation refines all of its operands by one another: forward
 *     from sources to the result and backward from the result to the sources.
 *   - Memory is versions of 8-byte granules, in the manner of MemorySSA: a load depends on the
 *     store before it unless a may-alias clobber, a store whose address is not known, lies in
 *     between (replay/values/solver/memdep.h). What such a store may hit is narrowed by a points-to
 *     set (points_to.c).
 *   - Which branches were taken is known, and a relation like any other.
 *   - Values that differ by a constant though no operation says so are related, too (linear.h).
 * Sweeps over the dynamic instructions that are to be run go back and forth until nothing changes.
 * Facts are only ever added, so that the order does not matter and the end is the same.
 *
 * Two provenances that disagree make the whole window say nothing: it, or the snapshot, is not what
 * it seems to be. Which of its registers, granules and instructions is wrong does not show, and
 * there is no value that does not rest on the instructions.
 *
 * To read: P. and R. Cousot, "Abstract interpretation" (POPL 1977); Cytron et al., "Efficiently
 * computing static single assignment form" (TOPLAS 1991); Novillo, "Memory SSA" (GCC summit 2007);
 * Regehr and Duongsaa, "Deriving abstract transfer functions for analyzing embedded software"
 * (LCTES 2006), for known bits.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SOLVER_SOLVER_H
#define CSREPLAY_REPLAY_VALUES_SOLVER_SOLVER_H

#include <limits.h>

#include "arch/uop/uop.h"
#include "replay/history/history.h"
#include "replay/values/solver/abi.h"
#include "replay/values/solver/linear.h"
#include "replay/values/solver/local_frame.h"
#include "replay/values/solver/memdep.h"
#include "replay/values/solver/other_writes.h"
#include "replay/values/solver/private_stack.h"
#include "replay/values/solver/provenance.h"
#include "replay/values/solver/supposition.h"
#include "replay/values/solver/task_switch.h"
#include "replay/values/solver/top_byte.h"
#include "replay/values/ssa/ssa.h"

/* For `without`: of the registers at the halt the PC alone is taken. */
#define WITHOUT_ALL UINT_MAX

struct solve_options {
	struct window_options window;
	/* Nobody but this core writes memory. */
	bool single_writer;
	/* Nobody but this core writes the stacks that it runs on: private_stack.h. */
	bool stack_private;
	/* No other core writes what dumps of this one alone hold: memmap_is_own(). */
	bool own_dumps;
	/* Nobody writes memory but this core and, where this says so, others; or NULL: anybody. */
	const struct other_writes *others;
	/* Functions keep the registers that the procedure call standard says they keep. */
	bool abi;
	/* But no call returns twice, as setjmp(): coroutines may be switched by longjmp(). */
	bool returns_once;
	/* Nothing points at local variables whose address was not taken: local_frame.h. */
	bool private_locals;
	/* CONTEXTIDR names a task, and nobody writes what a waiting one has saved: task_switch.h.
	 */
	bool waiting_tasks;
	/* Of stores of unknown address, or NULL: coherent.h. Must outlive the solver. */
	const struct suppositions *supposed;
	/* A register at the halt that is not taken, by number; REGISTER_PC: all are. */
	unsigned int without;
	/* What contradicts what is known is passed over: what comes out is a guess. */
	bool is_lenient;
	/*
	 * Code that the window shows to have been written counts all the same, for who looks for
	 * what wrote it: what is learned is a suspicion, then, and no more.
	 */
	bool through_writes;
	/*
	 * The assumption code-unchanged: code that ran is only what stores of known address wrote,
	 * if any did; and of what some did, stores through the stack pointer wrote nothing.
	 */
	bool code_unchanged;
	/* Those of the history, where they were looked up before, or NULL. */
	const struct code_changes *changes;
	struct provenance *log; /* of how all was learned; zeroed before its first use, or NULL */
};

/* Why a window begins later than it was asked for. */
enum window_cut {
	CUT_NONE,
	CUT_CODE_MAY_ALIAS, /* code was fetched anew that a store of unknown address may have
	                       written */
	CUT_CODE_WRITTEN,   /* code that ran was written later */
	CUT_ENDIAN,         /* data had another byte order */
};

struct solver {
	struct window w;
	struct bits *ssa_values;       /* known bits of each SSA value */
	struct interval_map intervals; /* of SSA values of which they say more than the bits */
	uint64_t *dirty;               /* bit s: dynamic instruction s is to be run */
	uint64_t *dirty_granules;      /* bit i: dirty[i] is not 0 */
	struct memdep_memory memory;
	struct linear linear;
	struct top_byte top_byte;
	struct private_stacks stacks;      /* none without that assumption */
	const struct other_writes *others; /* solve_options */
	struct abi abi;                    /* the same */
	struct local_frames frames;        /* the same */
	struct task_switches tasks;        /* the same */
	const struct suppositions *supposed;
	bool is_lenient;
	unsigned int without;      /* solve_options */
	struct provenance *log;    /* NULL but for `monitor why` */
	struct code_changes after; /* a window that ends before the halt; none for others */
	bool code_unchanged;       /* assumed */
	bool is_interrupted;
	enum window_cut cut;
	bool has_conflict;
	size_t conflict;    /* the dynamic instruction that it was found at */
	uint64_t runs;      /* of dynamic instructions, for statistics */
	bool shares_window; /* `w` is another's: solve_extend() */
};

/* The core halted with its data little endian: what of others is solved is not true. */
bool solve_is_supported(const struct history *history);

/* NO_MEM; UNSUPPORTED if the window is too large; INTERRUPTED. solve_fini() in any case. */
MUST_USE enum status solve_init(struct solver *s, const struct history *history,
                                const struct solve_options *options);
void solve_fini(struct solver *s);

/*
 * What `of` says under more suppositions (extension.c): found from it, for facts are only ever
 * added, so that what was known holds still and what is new alone is run. `of` was solved without a
 * log, without a conflict, and strictly; it has the window, and must outlive `s`, as must
 * `supposed`, of which what is said of accesses whose place is known is not looked at. `is_lenient`
 * is that of solve_options, for `s`, which nothing extends then. NO_MEM, INTERRUPTED; solve_fini()
 * in any case.
 */
MUST_USE enum status solve_extend(struct solver *s, const struct solver *of,
                                  const struct suppositions *supposed, bool is_lenient);
/*
 * `s`, which extends `of` directly or through others, takes its place and its window, and is
 * finished by that.
 */
void solve_replace(struct solver *of, struct solver *s);

/*
 * For extension.c: how many of the first dynamic instructions are not what the window takes them
 * for, and why: code that was written, or may have been; data of the other byte order.
 */
size_t solve_valid_from(const struct solver *s, enum window_cut *cut);
/*
 * Between the dynamic instruction that contradicts something and the end of the window nothing is
 * kept of registers and memory: what they are at the end has no part in it.
 */
bool solve_conflict_is_parted(const struct solver *s);

/* A register (enum uop_register) at a position from <= p <= to of the window. */
struct bits solve_register(const struct solver *s, uint64_t position, unsigned int reg);
/* The 8 bytes at a multiple of 8, little endian. */
struct bits solve_granule(const struct solver *s, uint64_t position, uint64_t address);

/*
 * For solve_window.c: runs all dynamic instructions, and what that makes known, to the fixed point.
 */
void solve_sweep(struct solver *s);
/* The same of those that something new is known of. */
void solve_sweep_dirty(struct solver *s);
/* For abi.c: two SSA values have the same value; true if that is new of any bit. */
bool solve_same(struct solver *s, size_t dyn, uint32_t a, uint32_t b);
/* What is learned from here on is learned for this reason. */
static inline void solve_because(struct solver *s, enum cause_kind kind, size_t dyn, uint32_t other)
{
	if (s->log)
		s->log->cause = (struct cause){kind, (uint32_t)dyn, other};
}

/*
 * A fact contradicts what is known of an SSA value, or of a constant of the dynamic instruction
 * (MEMDEP_NONE).
 */
void solve_conflict(struct solver *s, size_t dyn, uint32_t ssa, struct bits fact);
/* At this dynamic instruction two provenances disagree. */
void solve_disagree(struct solver *s, size_t dyn, const struct provenance_conflict *about);

/* For memdep.c, of a dynamic instruction. */
/* The SSA value of a slot, or MEMDEP_NONE for a constant or none; and a fact about an SSA value. */
uint32_t solve_ssa_of(const struct solver *s, size_t dyn, unsigned int slot);
void solve_learn_ssa(struct solver *s, size_t dyn, uint32_t ssa, struct bits fact);
/* The value of a slot but SLOT_NONE, and a fact about it. */
struct bits solve_slot(const struct solver *s, size_t dyn, unsigned int slot);
void solve_learn(struct solver *s, size_t dyn, unsigned int slot, struct bits fact);
struct interval solve_interval(const struct solver *s, size_t dyn, unsigned int slot);
void solve_learn_interval(struct solver *s, size_t dyn, unsigned int slot, struct interval fact);
/* The rest of the public face of this room. */
#include "replay/values/solver/coherent.h"
#include "replay/values/solver/memdep_clobber.h"

#endif
