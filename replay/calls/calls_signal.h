/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handlers of signals: a kernel returns from an exception to where such a handler begins, and not
 * to what it interrupted. The handler returns to code that nobody called, which asks (SVC) for what
 * was interrupted to go on (sigreturn): the kernel returns to there. That is no other task.
 *
 * It looks as if a task began and, after its function returned, another one went on, and is told
 * from that by where it leads to: what had to wait as the function began, which nobody else does
 * there. Where tasks are known to be that proves nothing (calls_task.h), nor on the M profile.
 *
 * A handler may have begun before the trace. Then what goes on is as old, as far as the flow tells.
 */
#ifndef CSREPLAY_REPLAY_CALLS_CALLS_SIGNAL_H
#define CSREPLAY_REPLAY_CALLS_CALLS_SIGNAL_H

#include "replay/calls/calls_stack.h"

/* The active stack has begun upon a return from an exception: its handler `waits` was left. */
void calls_note_signal(struct call_builder *b, uint32_t waits);
/*
 * `root`, which nobody had called, has returned, and another stack has begun where it returned to,
 * or goes on there.
 */
void calls_note_signal_end(struct call_builder *b, uint32_t root);

/* What a return from an exception in the active stack leads to, `handler` being the newest one. */
enum signal_end {
	SIGNAL_NONE,        /* nothing that a handler of a signal explains */
	SIGNAL_INTERRUPTED, /* what waits for it, in *waits */
	SIGNAL_OLDER,       /* what waits for one that began before the trace */
};
enum signal_end calls_signal_end(const struct call_builder *b, uint32_t handler, uint64_t to,
                                 uint32_t *waits);
/* What `waits` goes on, and the active stack ends. NO_MEM. */
MUST_USE enum status calls_resume_interrupted(struct call_builder *b, uint32_t waits, uint64_t to);

#endif
