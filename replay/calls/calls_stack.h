/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stacks of a struct call_builder: the active one, whose youngest call is `top`, and those that
 * were left and may go on. What is done to them happens at b->position. Indexes are of calls that
 * are there. NO_MEM; UNSUPPORTED for more than four billion calls.
 */
#ifndef CSREPLAY_REPLAY_CALLS_CALLS_STACK_H
#define CSREPLAY_REPLAY_CALLS_CALLS_STACK_H

#include "replay/calls/calls_store.h"

static inline struct call *calls_of(const struct call_builder *b, uint32_t call)
{
	return &b->calls->items[call];
}

/* Of the stack that a call is in. */
uint32_t calls_oldest_of(const struct call_builder *b, uint32_t call);
/* Of the active stack. */
uint32_t calls_oldest(const struct call_builder *b);

/* A live call returns to `address`: a filter, before stacks are searched. */
bool calls_is_awaited(const struct call_builder *b, uint64_t address);

/* Adds a call at `address` and makes it the active one. */
MUST_USE enum status calls_add(struct call_builder *b, struct call call, uint64_t address);
/* The last instruction of the run, a call, led to `to`. */
MUST_USE enum status calls_push(struct call_builder *b, const struct exit *exit, uint64_t to);
/* A function comes in the place of the active one, and returns to where that would. */
MUST_USE enum status calls_replace(struct call_builder *b, enum call_begin begin, enum call_end end,
                                   uint64_t to);
/* Ends a call, if it has not ended. */
void calls_end(struct call_builder *b, uint32_t index, enum call_end end, uint64_t to);
/* Ends the active call and those that it was called from, up to `stay`, which is active then. */
MUST_USE enum status calls_pop_to(struct call_builder *b, uint32_t stay, enum call_end end,
                                  uint64_t to);
/* The active call, whose caller is not known, returns to `to`, and its caller remains unknown. */
void calls_leave_unknown(struct call_builder *b, uint64_t to);
/* `call`, whose caller was not known, was called by `caller`; and so was what it came in place of.
 */
MUST_USE enum status calls_set_caller(struct call_builder *b, uint32_t call, uint32_t caller,
                                      uint64_t to);

/*
 * The stack whose youngest call this is may go on. `base`: NONE, or what was unwound of it; see
 * struct suspended_stack.
 */
void calls_suspend(struct call_builder *b, uint32_t call, uint32_t base);
/* It may be what runs now, by CONTEXTIDR. */
bool calls_fits_context(const struct call_builder *b, const struct call_context *context);
/* The stack that waits, or NULL. */
struct suspended_stack *calls_find_stack(struct call_builder *b, uint32_t call);
/* It goes on, and waits no more. */
MUST_USE enum status calls_take_stack(struct call_builder *b, uint32_t call);
/* It goes on in the caller of the call that it was left from, and the active one waits. */
MUST_USE enum status calls_resume(struct call_builder *b, uint32_t call);
/* A stack of its own begins at `to`, and the active one waits. */
MUST_USE enum status calls_begin_stack(struct call_builder *b, uint64_t to);

#endif
