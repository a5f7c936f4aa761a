/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks of a kernel that switches between them in the handlers of exceptions: such a handler, of
 * PendSV or SVC or of the interrupt of a timer, has another task go on than it interrupted (M
 * profile: Armv7-M ARM DDI 0403 B1.5.8, the process stack; A and R profile: ERET, RFE and the like
 * with the state of the other task; Arm ARM D1.4, G1.15). Kernels as Linux do not concern this:
 * there each task returns from its own exceptions, and a function changes stacks.
 *
 * Where SWITCH_TASKS is not active (calls_switch.h) what an exception interrupted goes on after it.
 */
#ifndef CSREPLAY_REPLAY_CALLS_CALLS_TASK_H
#define CSREPLAY_REPLAY_CALLS_CALLS_TASK_H

#include "replay/calls/calls_switch.h"

/* The newest handler among `call` (or NONE) and its callers; or NONE. */
uint32_t calls_newest_handler(const struct call_builder *b, uint32_t call);

/* What the handler interrupted may go on at `to`: there it was, a fault of it was, or it asks
 * again.
 */
bool calls_may_go_back(const struct call_builder *b, const struct call *handler, uint64_t to);

/*
 * Without SWITCH_TASKS: the active call ends with a return from an exception, of `handler` (not
 * NONE), to `to`. Notes whether that shows tasks, or may have gone to another one.
 */
void calls_note_exception_return(struct call_builder *b, uint32_t handler, uint64_t to);

/*
 * With SWITCH_TASKS: the active call ends with a return from an exception, to `to`. `handler` is
 * the newest call of its stack that is a handler whose interrupted code is known, or NONE. NO_MEM.
 */
MUST_USE enum status calls_return_to_task(struct call_builder *b, uint32_t handler, uint64_t to);
/*
 * A handler begins, at `to`, upon the end of another one, which may have changed what goes on after
 * it: `ended`, or NONE if what that interrupted is not known. NO_MEM.
 */
MUST_USE enum status calls_chain_after_switch(struct call_builder *b, uint32_t ended,
                                              struct call handler, uint64_t to);

#endif
