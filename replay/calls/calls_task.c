/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which task goes on after a handler; see calls_task.h. In: where the handler returned to, and the
 * stacks that wait. Out: the stack that is active.
 *
 * Several tasks may wait at one instruction, since most wait in the few functions of their kernel
 * that ask for a switch; one of them may not have run in the trace so far. The return of what goes
 * on tells which it was (calls_doubt.h). Where a task was interrupted anywhere else, nobody else
 * waits there.
 */
#include "replay/calls/calls_task.h"

enum { CALL_SIZE_MOST = 4 }; /* bytes of SVC */

uint32_t calls_newest_handler(const struct call_builder *b, uint32_t call)
{
	while (call != CALL_NONE && !calls_of(b, call)->is_exception)
		call = calls_of(b, call)->parent;
	return call;
}

bool calls_may_go_back(const struct call_builder *b, const struct call *handler, uint64_t to)
{
	/* A call of the kernel that was interrupted may be made once more. */
	return !handler->has_return || handler->return_address == to ||
	       (handler->may_switch && handler->return_address - to <= CALL_SIZE_MOST) ||
	       (handler->is_fault && calls_is_one_function(b, handler->return_address, to));
}

/* The tasks that wait at `to`. */
static void find_waiting(const struct call_builder *b, uint64_t to, struct candidates *tasks)
{
	*tasks = (struct candidates){
	        .has_more = b->has_lost_stacks, .is_weak = true, .is_task = true};
	for (size_t i = 0; i < b->suspended_count; i++) {
		const struct suspended_stack *stack = &b->suspended[i];
		const struct call *c = calls_of(b, stack->call);

		if (c->is_exception && c->has_return && c->return_address == to &&
		    c->parent != CALL_NONE && calls_fits_context(b, &stack->context))
			candidates_add(tasks, (struct candidate){c->parent, stack->call, false});
	}
}

/* ---- whether there are any ---- */

void calls_note_exception_return(struct call_builder *b, uint32_t handler, uint64_t to)
{
	const struct call *c = calls_of(b, handler);
	struct candidates tasks;

	find_waiting(b, to, &tasks);
	/* At an entry a task may begin, or a handler of a signal. */
	if (tasks.count > 0 || !(calls_may_go_back(b, c, to) || calls_is_entry(b, to))) {
		b->switches->are_tasks_sure = true;
		calls_show(b->switches, SWITCH_TASKS);
	} else if (c->may_be_asked) {
		calls_of(b, c->parent)->may_be_other |= SWITCH_TASKS;
	}
}

/* ---- which one goes on ---- */

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

/*
 * An older handler was interrupted: that, and no task, goes on. Of A and R profile only where it
 * was, since a kernel may have dropped it.
 */
static bool is_nested(const struct call_builder *b, const struct call *handler, bool may_go_back)
{
	return calls_newest_handler(b, handler->parent) != CALL_NONE &&
	       (b->is_m_profile || may_go_back);
}

/* What the handler interrupted is not known, unless where it returns to tells. */
static enum status return_from_unknown(struct call_builder *b, uint64_t to)
{
	struct candidates callers;
	bool is_decided = false;

	if (b->site != 0)
		TRY(calls_decide(b, calls_oldest(b), to, &is_decided, &callers));
	if (is_decided)
		return STATUS_OK;
	calls_leave_unknown(b, to);
	return leave(b, to);
}

enum status calls_return_to_task(struct call_builder *b, uint32_t handler, uint64_t to)
{
	struct candidates tasks;
	const struct call *c;
	bool may_go_back;

	if (handler == CALL_NONE)
		return return_from_unknown(b, to);
	c = calls_of(b, handler);
	find_waiting(b, to, &tasks);
	may_go_back = calls_may_go_back(b, c, to);
	if (is_nested(b, c, may_go_back) || (tasks.count == 0 && !c->may_be_asked && may_go_back))
		return calls_pop_to(b, c->parent, CALL_END_RETURN, to);
	if (has_not_run(b, handler)) {
		TRY(calls_pop_to(b, c->parent, CALL_END_RETURN, to));
		calls_end(b, b->top, CALL_END_GAP, 0);
		return leave(b, to);
	}
	TRY(calls_pop_to(b, handler, CALL_END_UNWOUND, to));
	if (c->may_be_asked) {
		TRY(calls_forget_candidates(b));
		find_waiting(b, to, &tasks);
	}
	if (may_go_back)
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
