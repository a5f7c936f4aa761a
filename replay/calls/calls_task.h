/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks of a kernel on a core of M profile: all handlers run on the main stack, and one of them,
 * PendSV as a rule, changes the process stack, so that another task goes on where it was
 * interrupted (Armv7-M ARM DDI 0403 B1.5.8; Armv8-M ARM DDI 0553, exception return).
 */
#ifndef CSREPLAY_REPLAY_CALLS_CALLS_TASK_H
#define CSREPLAY_REPLAY_CALLS_CALLS_TASK_H

#include "replay/calls/calls_doubt.h"

/*
 * The active call, of a core of M profile, ends with a return from an exception, to `to`. `handler`
 * is the newest call of its stack that is a handler whose interrupted code is known, or NONE.
 * NO_MEM.
 */
MUST_USE enum status calls_return_to_task(struct call_builder *b, uint32_t handler, uint64_t to);
/*
 * A handler begins, at `to`, upon the end of another one, which may have changed what goes on after
 * it: `ended`, or NONE if what that interrupted is not known. NO_MEM.
 */
MUST_USE enum status calls_chain_after_switch(struct call_builder *b, uint32_t ended,
                                              struct call handler, uint64_t to);

#endif
