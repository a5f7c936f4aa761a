/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What calls, returns, jumps and exceptions do to stacks; the rules are those of calls.h. In: where
 * one run left to. Out: calls begun and ended, and which one is active.
 */
#include "replay/calls/calls_signal.h"
#include "replay/calls/calls_task.h"

enum { SEARCH_FRAMES = 65536 };

/* ---- searches ---- */

/* The newest call of the stack, from `call` on, that returns to `to`; or NONE. */
static uint32_t find_return(const struct call_builder *b, uint32_t call, uint64_t to,
                            bool exceptions_only)
{
	if (!calls_is_awaited(b, to))
		return CALL_NONE;
	for (unsigned int i = 0; call != CALL_NONE && i < SEARCH_FRAMES; i++) {
		const struct call *c = calls_of(b, call);

		if (c->has_return && c->return_address == to &&
		    (c->is_exception || !exceptions_only))
			return call;
		call = c->parent;
	}
	return CALL_NONE;
}

/* The callers of all calls of the stack, from `call` on, that return to `to`. */
static void find_callers(const struct call_builder *b, uint32_t call, uint64_t to,
                         struct candidates *callers)
{
	*callers = (struct candidates){0};
	for (call = find_return(b, call, to, false); call != CALL_NONE;
	     call = find_return(b, call, to, false)) {
		call = calls_of(b, call)->parent;
		candidates_add(callers, (struct candidate){call, b->top, false});
	}
}

/* ---- other stacks ---- */

/* The stacks that were left from a call which returns to `to`: their callers, and one of these
 * calls. */
static uint32_t find_suspended(const struct call_builder *b, uint64_t to, bool are_unwound,
                               struct candidates *callers)
{
	uint32_t found = CALL_NONE;

	*callers = (struct candidates){.has_more = b->has_lost_stacks, .is_weak = true};
	for (size_t i = 0; i < b->suspended_count; i++) {
		const struct suspended_stack *stack = &b->suspended[i];
		const struct call *call = calls_of(b, stack->call);

		if (stack->site != 0 || !calls_fits_context(b, &stack->context) ||
		    !call->has_return || call->parent == CALL_NONE || call->return_address != to ||
		    (stack->base != CALL_NONE) != are_unwound)
			continue;
		found = stack->call;
		candidates_add(callers, (struct candidate){call->parent, found, are_unwound});
	}
	return found;
}

/* Where another stack, or one of several, was left execution goes on: *is_done. */
static enum status switch_stack(struct call_builder *b, uint64_t to, bool *is_done)
{
	struct candidates callers;
	uint32_t found = find_suspended(b, to, false, &callers);

	if (found == CALL_NONE)
		found = find_suspended(b, to, true, &callers);
	*is_done = found != CALL_NONE;
	if (!*is_done)
		return STATUS_OK;
	if (callers.count > 1 || callers.has_more)
		return calls_land(b, CALL_BEGIN_LANDED, to, &callers);
	return calls_resume(b, found);
}

/* The stack is that of CONTEXTIDR now, or will be after the next return. */
static enum status switch_to_context(struct call_builder *b, uint64_t to)
{
	struct candidates waiting = {.is_weak = true, .is_switch = true};

	for (size_t i = 0; i < b->suspended_count; i++) {
		const struct suspended_stack *stack = &b->suspended[i];

		if (stack->context.is_known && stack->context.id == b->context.id &&
		    stack->base == CALL_NONE)
			candidates_add(&waiting,
			               (struct candidate){stack->call, stack->call, false});
	}
	return calls_land(b, CALL_BEGIN_LANDED, to, &waiting);
}

enum status calls_switch_context(struct call_builder *b, uint64_t to)
{
	uint64_t function;

	if (calls_fits_context(b, &b->stack_context)) {
		b->stack_context = b->context;
		b->change.is_announced = false;
		return STATUS_OK;
	}
	if (b->change.is_announced && b->change.id == b->context.id)
		return STATUS_OK;
	function = calls_of(b, b->top)->function;
	b->change = (struct announcement){.is_there = true,
	                                  .is_announced = calls_announces(b->switches, function),
	                                  .id = b->context.id,
	                                  .function = function};
	return b->change.is_announced ? STATUS_OK : switch_to_context(b, to);
}

enum status calls_set_sp(struct call_builder *b, uint64_t address, uint64_t to)
{
	struct announcement *change = &b->change;

	/* In a function that was active then, and is again, or still. */
	if (!change->is_there || change->depth != change->least_depth)
		return calls_switch_stack(b, address, to);
	change->is_there = false;
	if (change->is_announced) {
		change->is_announced = false;
		calls_note_kernel_stacks(b);
		return switch_to_context(b, to);
	}
	if (change->depth < 0)
		calls_add_announcer(b->switches, change->function);
	return calls_switch_stack(b, address, to);
}

/* ---- returns ---- */

/*
 * The oldest call of the stack, whose caller is not known, and which is no other stack's first, has
 * returned: its caller is where it went to, perhaps one of the candidates.
 */
static enum status find_caller(struct call_builder *b, uint32_t root, uint64_t to,
                               struct candidates *callers)
{
	uint32_t top = b->top;
	uint32_t caller = (uint32_t)b->calls->count;

	TRY(calls_add(b,
	              (struct call){.enter = CALL_NOT_KNOWN,
	                            .site = CALL_NOT_KNOWN,
	                            .parent = CALL_NONE,
	                            .replaced = CALL_NONE,
	                            .begin = CALL_BEGIN_BEFORE},
	              to));
	b->top = top;
	if (callers->is_switch) {
		calls_leave_unknown(b, to);
		b->top = caller;
		b->is_switching = false;
		callers->is_switch = false;
	} else {
		TRY(calls_set_caller(b, root, caller, to));
	}
	TRY(calls_pop_to(b, caller, CALL_END_RETURN, to));
	return calls_doubt(b, caller, callers);
}

/* Its caller is not known and may become so. */
static bool is_open(const struct call_builder *b, uint32_t call)
{
	const struct call *c = calls_of(b, call);

	while (c->begin == CALL_BEGIN_TAIL && c->replaced != CALL_NONE)
		c = calls_of(b, c->replaced);
	return c->parent == CALL_NONE && !c->has_return && c->begin != CALL_BEGIN_STACK;
}

/*
 * A handler went on in a function by a jump, and had put into LR where that is to return to:
 * ret_fast_syscall of Linux. It is still the handler, on its stack: none of its parts has set SP.
 */
static bool goes_on_in_handler(const struct call_builder *b, uint64_t to)
{
	const struct call *c = calls_of(b, b->top);

	return c->is_exception && c->begin == CALL_BEGIN_TAIL && c->has_switched == 0 &&
	       calls_is_entry(b, to);
}

/*
 * A return to what neither called nor was left. What was the caller is there as long as nothing
 * ran: what ran may have moved SP.
 */
static enum status stray(struct call_builder *b, uint64_t to)
{
	uint32_t left = b->top;
	struct candidates itself = {0};

	if (calls_of(b, left)->is_exception && calls_of(b, left)->begin == CALL_BEGIN_EXCEPTION)
		return STATUS_OK; /* the handler of a signal goes on in a trampoline */
	if (goes_on_in_handler(b, to))
		return calls_replace(b, CALL_BEGIN_TAIL, CALL_END_TAIL, to);
	if (calls_is_entry(b, to)) {
		TRY(calls_begin_stack(b, to));
		calls_note_signal_end(b, left);
		return STATUS_OK;
	}
	if (b->is_halt)
		return calls_replace(b, CALL_BEGIN_STRAY, CALL_END_STRAY, to);
	candidates_add(&itself, (struct candidate){left, left, false});
	itself.is_weak = true;
	calls_end(b, left, CALL_END_STRAY, to);
	TRY(calls_land(b, CALL_BEGIN_STRAY, to, &itself));
	calls_of(b, b->top)->replaced = left;
	calls_note_signal_end(b, left);
	return STATUS_OK;
}

/* The call of the stack that `caller` made. */
static uint32_t called_by(const struct call_builder *b, uint32_t caller)
{
	uint32_t call = b->top;

	while (calls_of(b, call)->parent != caller)
		call = calls_of(b, call)->parent;
	return call;
}

/* After an older call than the active one: what was called from there is left. */
static enum status return_to_older(struct call_builder *b, uint32_t found, uint64_t to)
{
	struct candidates callers;

	find_callers(b, found, to, &callers);
	if (callers.count > 1)
		return calls_land(b, CALL_BEGIN_LANDED, to, &callers);
	if (calls_of(b, b->top)->parent != found)
		calls_suspend(b, b->top, called_by(b, found));
	return calls_pop_to(b, calls_of(b, found)->parent, CALL_END_UNWOUND, to);
}

static enum status take_return(struct call_builder *b, uint64_t to)
{
	uint32_t found = find_return(b, b->top, to, false);
	struct candidates candidates = {0};
	bool is_done;

	calls_note_return(b, found, to);
	if (found == b->top)
		return calls_pop_to(b, calls_of(b, found)->parent, CALL_END_RETURN, to);
	if (found != CALL_NONE)
		return return_to_older(b, found, to);
	if (is_open(b, b->top)) {
		TRY(calls_decide(b, b->top, to, &is_done, &candidates));
		if (is_done)
			return STATUS_OK;
	}
	if (candidates.count == 0) {
		TRY(switch_stack(b, to, &is_done));
		if (is_done)
			return STATUS_OK;
	}
	if (is_open(b, b->top))
		return find_caller(b, b->top, to, &candidates);
	candidates_find(b, to, &candidates);
	return candidates.count > 0 ? calls_land(b, CALL_BEGIN_LANDED, to, &candidates)
	                            : stray(b, to);
}

/* The newest handler of an exception whose interrupted code is known. */
static uint32_t newest_exception(const struct call_builder *b)
{
	uint32_t call = calls_newest_handler(b, b->top);

	return call != CALL_NONE && calls_of(b, call)->parent != CALL_NONE ? call : CALL_NONE;
}

/* The active call is a stub's, which neither returns nor skips what it interrupted. */
static bool hands_over(const struct call_builder *b, uint64_t to)
{
	const struct call *c = calls_of(b, b->top);

	return c->stub == STUB_SETS && (calls_is_entry(b, to) || !c->has_return ||
	                                !calls_is_one_function(b, c->return_address, to));
}

/* *is_done if a handler of a signal has ended, and what it interrupted goes on. */
static enum status return_from_signal(struct call_builder *b, uint32_t handler, uint64_t to,
                                      bool *is_done)
{
	struct candidates unknown = {.has_more = true, .is_weak = true};
	uint32_t waits = CALL_NONE;
	enum signal_end end = calls_signal_end(b, handler, to, &waits);

	*is_done = end != SIGNAL_NONE;
	if (end == SIGNAL_INTERRUPTED)
		return calls_resume_interrupted(b, waits, to);
	return *is_done ? calls_land(b, CALL_BEGIN_LANDED, to, &unknown) : STATUS_OK;
}

/* The stack's oldest call, whose caller is not known, was a handler of an exception. */
static enum status return_of_oldest(struct call_builder *b, uint32_t root, uint64_t to)
{
	struct candidates none = {0};
	bool is_done = false;

	calls_of(b, root)->is_exception = true;
	if (b->site != 0)
		TRY(calls_decide(b, root, to, &is_done, &none));
	return is_done ? STATUS_OK : find_caller(b, root, to, &none);
}

/* Another thread, or a handler of a signal: this one waits where it was interrupted. */
static enum status begin_other(struct call_builder *b, uint32_t handler, uint64_t to)
{
	if (handler == CALL_NONE)
		return calls_begin_stack(b, to);
	TRY(calls_pop_to(b, handler, CALL_END_UNWOUND, to));
	TRY(calls_begin_stack(b, to));
	calls_note_signal(b, handler);
	return STATUS_OK;
}

static enum status take_exception_return(struct call_builder *b, uint64_t to)
{
	uint32_t found = find_return(b, b->top, to, true);
	uint32_t handler = newest_exception(b);
	bool is_done;
	uint32_t root;

	if (found == CALL_NONE && hands_over(b, to)) {
		calls_of(b, b->top)->stub = STUB_NONE;
		return calls_replace(b, CALL_BEGIN_TAIL, CALL_END_TAIL, to);
	}
	if (b->switches->active & SWITCH_TASKS)
		return calls_return_to_task(b, handler, to);
	if (found == CALL_NONE && handler != CALL_NONE) {
		TRY(return_from_signal(b, handler, to, &is_done));
		if (is_done)
			return STATUS_OK;
	}
	if (handler != CALL_NONE)
		calls_note_exception_return(b, found != CALL_NONE ? found : handler, to);
	if (found == CALL_NONE && handler != CALL_NONE &&
	    calls_may_go_back(b, calls_of(b, handler), to))
		found = handler; /* to after the instruction, or to its fixup */
	if (found != CALL_NONE)
		return calls_pop_to(b, calls_of(b, found)->parent, CALL_END_RETURN, to);
	TRY(switch_stack(b, to, &is_done));
	if (is_done)
		return STATUS_OK;
	root = calls_oldest(b);
	return handler == CALL_NONE && is_open(b, root) ? return_of_oldest(b, root, to)
	                                                : begin_other(b, handler, to);
}

static enum status take_jump(struct call_builder *b, const struct exit *exit, uint64_t to)
{
	struct candidates candidates;

	if (calls_is_one_function(b, exit->address, to))
		return STATUS_OK;
	if (exit->kind != EXIT_JUMP && find_return(b, b->top, to, false) != CALL_NONE)
		return take_return(b, to);
	if (calls_is_entry(b, to))
		return calls_replace(b, CALL_BEGIN_TAIL, CALL_END_TAIL, to);
	if (exit->kind == EXIT_JUMP)
		return STATUS_OK;
	if (exit->kind == EXIT_VENEER && !calls_function(b, to).is_known)
		return calls_replace(b, CALL_BEGIN_TAIL, CALL_END_TAIL, to);
	calls_note_return(b, CALL_NONE, to);
	candidates_find(b, to, &candidates);
	if (candidates.count == 0) {
		/* Perhaps nothing was left. */
		candidates_add(&candidates, (struct candidate){b->top, b->top, false});
		candidates.is_weak = true;
	}
	return calls_land(b, CALL_BEGIN_LANDED, to, &candidates);
}

/* A call that has not returned, or a return of one that was before the change. */
static void count_depth(struct announcement *change, const struct exit *exit, uint64_t to)
{
	if (exit->kind == EXIT_CALL && to != exit->after)
		change->depth++;
	if (exit->kind == EXIT_RETURN)
		change->depth--;
	if (change->depth < change->least_depth)
		change->least_depth = change->depth;
}

enum status calls_leave(struct call_builder *b, const struct exit *exit, uint64_t to)
{
	count_depth(&b->change, exit, to);
	switch (exit->kind) {
	case EXIT_CALL:
		return to == exit->after ? STATUS_OK : calls_push(b, exit, to);
	case EXIT_RETURN:
		return take_return(b, to);
	case EXIT_EXCEPTION_RETURN:
		return take_exception_return(b, to);
	case EXIT_JUMP:
	case EXIT_VENEER:
	case EXIT_INDIRECT:
		return take_jump(b, exit, to);
	case EXIT_PLAIN:
	case EXIT_UNASKED:
		break;
	}
	return STATUS_OK;
}

/* The handler of a signal has ended, and the code that it edited goes on elsewhere. */
static uint32_t find_edited(const struct call_builder *b, uint64_t to)
{
	uint32_t handler = newest_exception(b);

	if (handler == CALL_NONE || calls_is_entry(b, to) ||
	    !calls_is_one_function(b, calls_of(b, handler)->return_address, to))
		return CALL_NONE;
	return handler;
}

enum status calls_interrupt(struct call_builder *b, const struct call_exception *e)
{
	struct call handler;
	uint32_t found;

	if (e->has_return && e->to == e->return_address)
		return STATUS_OK;
	found = find_return(b, b->top, e->to, true);
	if (found == CALL_NONE && e->is_untraced)
		found = find_edited(b, e->to);
	if (found != CALL_NONE)
		return calls_pop_to(b, calls_of(b, found)->parent, CALL_END_RETURN, e->to);
	if (e->is_untraced && !calls_is_entry(b, e->to))
		return calls_after_gap(b, e->to);
	handler = (struct call){.enter = b->position,
	                        .site = CALL_NOT_KNOWN,
	                        .return_address = e->return_address,
	                        .has_return = e->has_return,
	                        .is_exception = true,
	                        .is_fault = e->is_fault,
	                        .may_switch = e->may_switch,
	                        .may_be_asked = e->may_switch && !e->is_chained,
	                        .stub = b->has_stubs ? STUB_KEEPS : STUB_NONE,
	                        .parent = b->top,
	                        .replaced = CALL_NONE,
	                        .begin = CALL_BEGIN_EXCEPTION};
	found = e->is_chained ? newest_exception(b) : CALL_NONE;
	if (e->is_chained && (found == CALL_NONE || ((b->switches->active & SWITCH_TASKS) != 0 &&
	                                             calls_of(b, found)->may_switch)))
		return calls_chain_after_switch(b, found, handler, e->to);
	if (found != CALL_NONE) {
		handler.parent = calls_of(b, found)->parent;
		handler.return_address = calls_of(b, found)->return_address;
		handler.has_return = calls_of(b, found)->has_return;
		handler.may_be_asked = calls_of(b, found)->may_be_asked;
		TRY(calls_pop_to(b, handler.parent, CALL_END_RETURN, e->to));
	}
	return calls_add(b, handler, e->to);
}
