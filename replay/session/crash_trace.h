/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fault whose handler a core halted in, as its trace shows it, or that it halted in a call of
 * the system. In: a history. Out: the exception, where it is in the history, and its preferred
 * return address; its instruction set.
 */
#ifndef CSREPLAY_REPLAY_SESSION_CRASH_TRACE_H
#define CSREPLAY_REPLAY_SESSION_CRASH_TRACE_H

#include "replay/calls/calls.h"

struct crash_fault {
	const struct exception_info *info; /* a fault, or what a debug exception may be of */
	bool has_address;
	uint64_t address; /* preferred return address */
	uint64_t position;
	uint64_t after; /* instructions executed since */
	enum isa isa;   /* of AArch32: of the instruction that is traced before it; else UNKNOWN */
	bool is_newest; /* no other was taken since, nor an error */
};

/*
 * The innermost synchronous exception that is not a call and whose handler did not return before
 * the halt, with nothing unknown between the two. False if there is none, or if it is not known
 * where handlers return: in AArch32 state one is found only if nothing was executed after it, and
 * is for crash_fault_on_stack().
 */
bool crash_fault_find(const struct history *history, struct crash_fault *fault);

/*
 * The last that the trace shows of the core is an exception of a call of the system (SVC and its
 * kin), with nothing executed or unknown after it.
 */
bool crash_ends_in_call(const struct history *history);

/*
 * A fault was taken, no further before the halt than crash_fault_find() looks, and nothing between
 * the two is unknown: where not, calls are not to be made for it.
 */
bool crash_fault_may_be(const struct history *history);
/*
 * The fault whose handler is on the stack at the halt, as the innermost but for those of
 * interrupts. False if there is none, or a call (SVC and its kin) is younger.
 */
bool crash_fault_on_stack(const struct calls *calls, struct crash_fault *fault);

#endif
