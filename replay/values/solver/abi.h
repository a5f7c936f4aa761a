/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the procedure call standards (AAPCS64 6.1 and 6.4, AAPCS32 6.1) say of registers, if the
 * user says that the code follows them: after a call the callee-saved registers are what they were
 * before it; where a function has saved them and the link register on its stack, nothing else
 * writes until it returns; a return address has no tag; and constants that code loads from beside
 * itself (LDR literal) are code, and not written. In: the dynamic instructions of a window. Out:
 * pairs of SSA values that have the same value, granules that stores of unknown address do not hit.
 *
 * That is not proved of any code: a wild store to a stack frame breaks it, and is what one looks
 * for. So it is an assumption (replay/values/assumption.def), off by default.
 *
 * Where the frame pointer was SP at a call it is SP after each return to there, be it that of
 * another task or coroutine: by how much they differ is compiled into a function, but for arrays of
 * variable length. So SP is known where code makes it of the frame pointer, as each system call of
 * Linux.
 *
 * A program of Linux that a signal interrupted has the registers that it had once the signal's
 * handler has returned (sigreturn) to where it was, though the handler may have changed them; and
 * the memory, but for the frame below SP, or on a stack of its own, that the handler got.
 *
 * A return is that of a call if it goes to the address after it, no return in between belongs to
 * the call, and SP is the same on both sides: other stacks, such as those of coroutines and of
 * other tasks, have other values of SP. It is the same, too, if nothing in between makes SP of
 * anything but SP, the frame pointer and constants.
 *
 * A call returns once more, as setjmp() does by longjmp(), if its function is active and execution
 * goes to the address after it, that no call waits at, with an SP that was made of something else,
 * out of a function that was called since: SP and the registers are what they were at the call. Not
 * if two active functions called there, for which of them goes on the flow does not tell; nor if
 * the two calls are seen to have had two buffers (X0), as those of coroutines have.
 *
 * What a function that returned has saved is what it loads through SP before it returns, and from
 * the call on; what one has saved that is active at the halt is the frame record (AAPCS64 6.4.6)
 * that the chain of X29 leads to, from the last store on; that of an exception's handler has the
 * address that it interrupted, as Linux stores it. Of a constant it is from the first load on:
 * before it the code may have been copied there. A store through SP of which the address is unknown
 * may be the one that saves, and is doubted as before.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SOLVER_ABI_H
#define CSREPLAY_REPLAY_VALUES_SOLVER_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct template;
struct solver;

/* SSA values a and b have the same value if SP was the same. */
struct abi_same {
	uint32_t a;
	uint32_t b;
};

struct abi_call {
	uint32_t dyn;       /* after the return */
	uint32_t sp[2];     /* SSA values: before the call and after the return */
	uint32_t buffer[2]; /* if is_again: of X0 before the call, and before longjmp() */
	uint32_t same;      /* the first of its pairs */
	uint32_t count;
	uint32_t begin;    /* dynamic instruction of the call */
	uint32_t restores; /* the first of the dynamic instructions that load what it has saved */
	uint32_t restore_count;
	bool is_done;  /* of these: what they say is in `slots` */
	bool keeps_sp; /* nothing in between may have switched stacks, so SP is the same */
	bool is_again; /* it returned a second time, by longjmp() */
};

/* Where a return led to: SSA values of SP and of the frame pointer there, that are the same. */
struct abi_landing {
	uint32_t dyn;
	uint32_t sp;
	uint32_t fp;
};

/*
 * What the handler of a signal began at or ended at that returned to what it had interrupted: no
 * memory changed there but the frame that the operating system made for it, at the begin, below SP.
 */
struct abi_signal {
	uint32_t dyn;
	uint32_t sp; /* SSA value of SP before the begin; ABI_NO_FRAME: it is the end */
};

/* No store of unknown address but through SP hits the granule, of accesses first <= a < last. */
struct abi_slot {
	uint64_t granule;
	uint32_t first;
	uint32_t last;
};

enum { ABI_LIVE_MOST = 64 };

#define ABI_NO_FRAME UINT32_MAX

struct abi {
	bool is_assumed;
	bool has_again;         /* some call is_again */
	struct abi_call *calls; /* that returned, in order of returns */
	size_t call_count;
	size_t call_capacity;
	struct abi_same *same;
	size_t same_count;
	size_t same_capacity;
	struct abi_landing *landings;
	size_t landing_count;
	size_t landing_capacity;
	uint32_t *restores;
	size_t restore_count;
	size_t restore_capacity;
	struct abi_signal *signals; /* in order of `dyn` */
	size_t signal_count;
	size_t signal_capacity;
	struct abi_slot *slots; /* in order of granules and accesses */
	size_t slot_count;
	size_t slot_capacity;
	struct abi_slot live[ABI_LIVE_MOST]; /* of frames that are active at the halt; the same */
	size_t live_count;
};

/* Finds the calls of the window. NO_MEM; abi_fini() in any case. `returns_once`: solve_options. */
MUST_USE enum status abi_init(struct abi *abi, const struct solver *s, bool returns_once);
void abi_fini(struct abi *abi);
/* True if the access is no change of that memory, as that of a signal whose handler returned. */
bool abi_signal_is_apart(const struct solver *s, uint64_t granule, uint32_t access);
/* Applies what follows; true if something new did. */
bool abi_apply(struct solver *s);

/* For abi.c: looks for slots, where the call of that number has SP back, and of frames at the halt.
 */
bool abi_slot_call(struct solver *s, struct abi_call *call);
void abi_slot_sort(struct abi *abi);
bool abi_slot_live(struct solver *s);
/* True if the access is one that does not hit the granule. */
bool abi_slot_is_kept(const struct solver *s, uint64_t granule, uint32_t access);
/* The template returns by the link register, and the address is no other. */
bool abi_is_return(const struct template *template);

#endif
