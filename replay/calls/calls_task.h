/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks of a kernel that switches between them in the handlers of exceptions: such a handler, of
 * PendSV or SVC or of the interrupt of a timer, has another task go on than it interrupted (M
 * profile: Armv7-M ARM DDI 0403 B1.5.8, the process stack; A and R profile: ERET, RFE and the like
 * with the state of the other task; Arm ARM D1.4, G1.15). Kernels as Linux do not concern this:
 * there each task returns from its own exceptions, and a function changes stacks.
 *
 * Most programs have none. Their calls are found with b->has_tasks false: what an exception
 * interrupted goes on after it. Where that can't be, b->shows_tasks is set, and the calls are to
 * be found anew, with b->has_tasks.
 */
#ifndef CSREPLAY_REPLAY_CALLS_CALLS_TASK_H
#define CSREPLAY_REPLAY_CALLS_CALLS_TASK_H

#include "replay/calls/calls_doubt.h"

/* The newest handler among `call` (or NONE) and its callers; or NONE. */
uint32_t calls_newest_handler(const struct call_builder *b, uint32_t call);

/* What the handler interrupted may go on at `to`: there it was, or a fault of it was. */
bool calls_may_go_back(const struct call_builder *b, const struct call *handler, uint64_t to);

/*
 * Without b->has_tasks: the active call ends with a return from an exception to `to`, or with a
 * return to there that is `found`'s (or NONE). Sets b->shows_tasks if tasks alone explain it.
 */
void calls_note_exception_return(struct call_builder *b, uint32_t handler, uint64_t to);
void calls_note_return(struct call_builder *b, uint32_t found);

/*
 * With b->has_tasks: the active call ends with a return from an exception, to `to`. `handler` is
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
