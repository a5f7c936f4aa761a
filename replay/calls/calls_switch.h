/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What changes stacks, and is no return: an instruction that sets SP to what is no frame's
 * (cpu_switch_to() of Linux, swapcontext()), and a handler of an exception (calls_task.h). All
 * tasks may wait in one function that does so and return to one place, so that the flow shows it
 * only some returns later. With CONTEXTIDR it shows at once (calls_switch_context()).
 *
 * Most such instructions change no stack (a function with an array of variable size), and most
 * programs have no tasks. So the calls are found as if none did, first; what may have is noted of
 * the calls that it was in and that it was returned to. Where one of these returns to what is not
 * its caller, what was noted is `shown`, and all calls are to be found anew, with it `active`.
 *
 * A site that is active leads to one of the stacks that it was left from, or to one that is not
 * known. A return tells which (calls_decide()), but for one to an address that is `common`: there
 * more than one task has returned to. These are all addresses that were returned to after the site,
 * before it came to light that the task was another one than was thought. Each time that more is
 * common the calls are found anew.
 *
 * Where SVC was taken, SWITCH_TASKS rests on the same (calls_task.h): a function that it was in has
 * returned to what was not known to be its caller. But a kernel in whose handlers a site changes
 * stacks switches tasks there, and each returns from its own exceptions: then that is no evidence,
 * and where nothing else is, there are no such tasks.
 *
 * CONTEXTIDR may be written before SP is set, with returns in between. A site in a function that
 * was active then, and to which was returned, shows it, and the calls are found anew: what writes
 * it `announces` a change that the site makes.
 */
#ifndef CSREPLAY_REPLAY_CALLS_CALLS_SWITCH_H
#define CSREPLAY_REPLAY_CALLS_CALLS_SWITCH_H

#include "arch/isa.h"
#include "replay/calls/calls_doubt.h"

/* It sets SP, and not to what a frame pointer or SP makes. T32 of 32 bits: first halfword above. */
bool calls_sets_sp(enum isa isa, uint32_t opcode);

/* A change of CONTEXTIDR in the function `announces` that SP will be set, and the stack change. */
bool calls_announces(const struct switches *s, uint64_t function);
/* If it is new, calls are to be found anew. */
void calls_add_announcer(struct switches *s, uint64_t function);

/*
 * The instruction at `address`, which sets SP, is in the run that begins at `to`, now. If it is
 * active, callers are not known from here on. NO_MEM.
 */
MUST_USE enum status calls_switch_stack(struct call_builder *b, uint64_t address, uint64_t to);

/* These have changed stacks: what went on was another one's. */
void calls_show(struct switches *s, uint32_t what);

/* A site that changes stacks is executed: perhaps in a handler of an exception. */
void calls_note_kernel_stacks(struct call_builder *b);

/* What is active explains the history no more, or need not be. */
bool calls_are_to_be_found_anew(const struct switches *s);

/* What is shown is to be active when the calls are found anew. */
void calls_activate(struct switches *s);

/* The active call returns to `to`, which awaits the call `found`; NONE: anything else. */
void calls_note_return(struct call_builder *b, uint32_t found, uint64_t to);

#endif
