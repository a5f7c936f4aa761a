/* SPDX-License-Identifier: Apache-2.0 */
/* Which handler of a signal has ended, and what goes on after it; see calls_signal.h. */
#include "replay/calls/calls_signal.h"

#include <string.h>

#include "replay/calls/calls_task.h"

/* The call that `call` came in the place of by tail calls. */
static uint32_t first_of(const struct call_builder *b, uint32_t call)
{
	while (calls_of(b, call)->begin == CALL_BEGIN_TAIL &&
	       calls_of(b, call)->replaced != CALL_NONE)
		call = calls_of(b, call)->replaced;
	return call;
}

static const struct signal_wait *find(const struct call_builder *b, uint32_t root)
{
	root = first_of(b, root);
	for (size_t i = b->signal_count; i-- > 0;) {
		if (b->signals[i].root == root)
			return &b->signals[i];
	}
	return NULL;
}

/* Its handler has returned, and what runs is what that returned to. */
static bool has_ended(const struct signal_wait *wait)
{
	return wait && wait->ended != CALL_NONE;
}

static void add(struct call_builder *b, struct signal_wait wait)
{
	if (b->signal_count == SIGNALS_MOST) {
		b->signal_count--;
		memmove(b->signals, b->signals + 1, b->signal_count * sizeof(*b->signals));
	}
	b->signals[b->signal_count++] = wait;
}

void calls_note_signal(struct call_builder *b, uint32_t waits)
{
	const struct signal_wait *before = find(b, calls_oldest_of(b, waits));

	/* Of two signals at once the handler of the second one runs first, then that of the first.
	 */
	if (has_ended(before))
		waits = before->waits;
	add(b, (struct signal_wait){.root = b->top, .waits = waits, .ended = CALL_NONE});
}

void calls_note_signal_end(struct call_builder *b, uint32_t root)
{
	const struct signal_wait *wait = find(b, root);

	if (wait && !has_ended(wait))
		add(b, (struct signal_wait){.root = b->top,
		                            .waits = wait->waits,
		                            .ended = root,
		                            .position = b->position});
}

/*
 * It waits at `to`, or in the function of that, and nobody else there. By CONTEXTIDR, of which each
 * has one stack, another one has gone on since.
 */
static bool waits_alone(const struct call_builder *b, uint32_t waits, uint64_t to)
{
	bool is_there = false;

	for (size_t i = 0; i < b->suspended_count; i++) {
		const struct suspended_stack *stack = &b->suspended[i];
		const struct call *c = calls_of(b, stack->call);

		if (stack->call == waits)
			is_there = calls_fits_context(b, &stack->context) && c->has_return &&
			           (c->return_address == to ||
			            calls_is_one_function(b, c->return_address, to));
		else if (c->is_exception && c->has_return && c->return_address == to &&
		         !(b->context.is_known && stack->context.is_known))
			return false;
	}
	return is_there;
}

enum signal_end calls_signal_end(const struct call_builder *b, uint32_t handler, uint64_t to,
                                 uint32_t *waits)
{
	const struct signal_wait *wait;
	const struct call *root;
	uint32_t first;

	if (b->is_m_profile || (b->switches->active & SWITCH_TASKS) != 0 ||
	    !calls_of(b, handler)->may_switch || calls_may_go_back(b, calls_of(b, handler), to) ||
	    calls_is_entry(b, to))
		return SIGNAL_NONE;
	first = calls_oldest_of(b, handler);
	wait = find(b, first);
	root = calls_of(b, first_of(b, first));
	if (has_ended(wait) && waits_alone(b, wait->waits, to)) {
		*waits = wait->waits;
		return SIGNAL_INTERRUPTED;
	}
	return !wait && !root->has_return && root->begin != CALL_BEGIN_STACK ? SIGNAL_OLDER
	                                                                     : SIGNAL_NONE;
}

enum status calls_resume_interrupted(struct call_builder *b, uint32_t waits, uint64_t to)
{
	struct signal_wait wait = *find(b, calls_oldest(b));
	const struct call *asked = calls_of(b, waits);
	uint32_t left = b->top;

	/* What asked for a switch: should another caller come out, there are tasks. */
	if (asked->may_be_asked && asked->parent != CALL_NONE)
		calls_of(b, asked->parent)->may_be_other |= SWITCH_TASKS;
	calls_end(b, wait.ended, CALL_END_RETURN, to);
	calls_of(b, wait.ended)->leave = wait.position;
	TRY(calls_take_stack(b, wait.ended));
	calls_leave_unknown(b, to);
	TRY(calls_resume(b, waits));
	return calls_take_stack(b, left); /* nobody waits there */
}
