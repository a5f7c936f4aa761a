/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which task goes on after a handler of M profile; see calls_task.h. In: where the handler returned
 * to, and the stacks that wait. Out: the stack that is active.
 *
 * Several tasks may wait at one instruction, since most wait in the few functions of their kernel
 * that ask for a switch; one of them may not have run in the trace so far. The return of what goes
 * on tells which it was (calls_doubt.h). Where a task was interrupted anywhere else, nobody else
 * waits there.
 */
#include "replay/calls/calls_task.h"

/* An older handler is interrupted: that, and no task, goes on. */
static bool is_nested(const struct call_builder *b, uint32_t handler)
{
	uint32_t call = calls_of(b, handler)->parent;

	while (call != CALL_NONE && !calls_of(b, call)->is_exception)
		call = calls_of(b, call)->parent;
	return call != CALL_NONE;
}

/* The tasks that wait at `to`. */
static void find_waiting(const struct call_builder *b, uint64_t to, struct candidates *tasks)
{
	*tasks = (struct candidates){.has_more = b->has_lost_stacks, .is_weak = true};
	for (size_t i = 0; i < b->suspended_count; i++) {
		uint32_t handler = b->suspended[i].call;
		const struct call *c = calls_of(b, handler);

		if (c->is_exception && c->has_return && c->return_address == to &&
		    c->parent != CALL_NONE)
			candidates_add(tasks, (struct candidate){c->parent, handler, false});
	}
}

/* The task that the handler interrupted may be what goes on. */
static bool may_be_interrupted(const struct call_builder *b, const struct call *handler,
                               const struct candidates *tasks, uint64_t to)
{
	if (!handler->has_return || handler->return_address == to)
		return true;
	/* The handler of a fault has changed where it returns to. */
	return tasks->count == 0 && calls_is_one_function(b, handler->return_address, to);
}

/* What waits at `to` goes on, or else a task that was not seen before. */
static enum status go_on(struct call_builder *b, uint64_t to, struct candidates *tasks)
{
	if (tasks->count == 0 && calls_is_entry(b, to))
		return calls_begin_stack(b, to);
	if (tasks->count == 1 && !tasks->has_more && tasks->items[0].stack != b->top &&
	    !calls_of(b, tasks->items[0].stack)->may_be_asked)
		return calls_resume(b, tasks->items[0].stack);
	return calls_land(b, CALL_BEGIN_LANDED, to, tasks);
}

/* The active stack ends, and another goes on. */
static enum status leave(struct call_builder *b, uint64_t to)
{
	uint32_t left = b->top;
	struct candidates tasks;

	find_waiting(b, to, &tasks);
	TRY(go_on(b, to, &tasks));
	return calls_take_stack(b, left); /* nobody waits there */
}

/* What the handler interrupted is not known, and had not run since it went on: it waits as before.
 */
static bool has_not_run(const struct call_builder *b, uint32_t handler)
{
	const struct call *c = calls_of(b, calls_of(b, handler)->parent);

	return c->begin == CALL_BEGIN_LANDED && c->parent == CALL_NONE &&
	       c->enter == calls_of(b, handler)->enter;
}

enum status calls_return_to_task(struct call_builder *b, uint32_t handler, uint64_t to)
{
	struct candidates tasks;
	const struct call *c;

	if (handler == CALL_NONE) {
		calls_leave_unknown(b, to);
		return leave(b, to);
	}
	c = calls_of(b, handler);
	find_waiting(b, to, &tasks);
	if (is_nested(b, handler) ||
	    (tasks.count == 0 && !c->may_be_asked && may_be_interrupted(b, c, &tasks, to)))
		return calls_pop_to(b, c->parent, CALL_END_RETURN, to);
	if (has_not_run(b, handler)) {
		TRY(calls_pop_to(b, c->parent, CALL_END_RETURN, to));
		calls_end(b, b->top, CALL_END_GAP, 0);
		return leave(b, to);
	}
	TRY(calls_pop_to(b, handler, CALL_END_UNWOUND, to));
	b->has_switched |= !may_be_interrupted(b, c, &tasks, to);
	if (c->may_be_asked) {
		TRY(calls_forget_candidates(b));
		find_waiting(b, to, &tasks);
	}
	if (may_be_interrupted(b, c, &tasks, to))
		candidates_add(&tasks, (struct candidate){c->parent, handler, false});
	return go_on(b, to, &tasks);
}

enum status calls_chain_after_switch(struct call_builder *b, uint32_t ended, struct call handler,
                                     uint64_t to)
{
	if (ended == CALL_NONE) {
		calls_leave_unknown(b, to);
	} else {
		TRY(calls_pop_to(b, ended, CALL_END_UNWOUND, to));
		calls_suspend(b, ended, CALL_NONE);
	}
	handler.parent = CALL_NONE;
	handler.has_return = false;
	return calls_add(b, handler, to);
}
