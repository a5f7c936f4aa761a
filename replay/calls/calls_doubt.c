/* SPDX-License-Identifier: Apache-2.0 */
/* Which call goes on; see calls_doubt.h. */
#include "replay/calls/calls_doubt.h"

#include "base/vec.h"

enum { SEARCH_FRAMES = 4096 };

/* ---- candidates ---- */

void candidates_add(struct candidates *candidates, struct candidate candidate)
{
	for (size_t i = 0; i < candidates->count; i++) {
		if (candidates->items[i].call == candidate.call)
			return;
	}
	if (candidates->count == CANDIDATES_MOST)
		candidates->has_more = true;
	else
		candidates->items[candidates->count++] = candidate;
}

/* Of the stack whose youngest call is stack->call, from `call` on. */
static void find_in_stack(const struct call_builder *b, uint32_t call,
                          const struct suspended_stack *stack, uint64_t to,
                          struct candidates *candidates)
{
	uint64_t function = calls_function(b, to).start;
	unsigned int looked = 0;

	while (call != CALL_NONE) {
		const struct call *c = calls_of(b, call);

		if (++looked > SEARCH_FRAMES) {
			candidates->has_more = true;
			return;
		}
		if (c->function == function || calls_is_one_function(b, c->function, to))
			candidates_add(candidates, (struct candidate){call, stack->call,
			                                              stack->base != CALL_NONE});
		call = call == stack->base ? CALL_NONE : c->parent;
	}
}

void candidates_find(const struct call_builder *b, uint64_t to, struct candidates *candidates)
{
	const struct suspended_stack active = {.call = b->top, .base = CALL_NONE};
	struct function_extent function = calls_function(b, to);

	*candidates = (struct candidates){.has_more = b->has_lost_stacks};
	if (!function.is_known || function.start == to)
		return;
	find_in_stack(b, calls_of(b, b->top)->parent, &active, to, candidates);
	for (size_t i = b->suspended_count; i-- > 0;) {
		if (calls_fits_context(b, &b->suspended[i].context) && b->suspended[i].site == 0)
			find_in_stack(b, b->suspended[i].call, &b->suspended[i], to, candidates);
	}
}

/* ---- doubts ---- */

enum status calls_doubt(struct call_builder *b, uint32_t root, const struct candidates *candidates)
{
	bool is_lost = candidates->has_more && candidates->site == 0;
	uint32_t count = is_lost ? 0 : (uint32_t)candidates->count;

	if (count == 0 && !candidates->is_switch)
		return STATUS_OK;
	TRY(vec_reserve((void **)&b->doubts, &b->doubt_capacity, b->doubt_count + 1,
	                sizeof(*b->doubts)));
	TRY(vec_reserve((void **)&b->candidates, &b->candidate_capacity, b->candidate_count + count,
	                sizeof(*b->candidates)));
	b->doubts[b->doubt_count++] = (struct doubt){.root = root,
	                                             .count = count,
	                                             .first = b->candidate_count,
	                                             .position = candidates->position,
	                                             .to = candidates->to,
	                                             .is_weak = candidates->is_weak,
	                                             .is_task = candidates->is_task,
	                                             .is_switch = candidates->is_switch,
	                                             .has_more = candidates->has_more,
	                                             .site = candidates->site};
	for (size_t i = 0; i < count; i++)
		b->candidates[b->candidate_count++] = candidates->items[i];
	return STATUS_OK;
}

static const struct doubt *find_doubt(const struct call_builder *b, uint32_t root)
{
	size_t low = 0;
	size_t high = b->doubt_count;

	while (calls_of(b, root)->begin == CALL_BEGIN_TAIL)
		root = calls_of(b, root)->replaced;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (b->doubts[middle].root < root)
			low = middle + 1;
		else
			high = middle;
	}
	return low < b->doubt_count && b->doubts[low].root == root ? &b->doubts[low] : NULL;
}

bool calls_is_common(const struct call_builder *b, uint32_t site, uint64_t to)
{
	const struct switch_site *s;

	if (site == 0)
		return false;
	s = &b->switches->sites[__builtin_ctz(site)];
	for (uint32_t i = 0; i < s->common_count && i < COMMON_MOST; i++) {
		if (s->common[i] == to)
			return true;
	}
	return s->common_count > COMMON_MOST || b->switches->rounds > ROUNDS_MOST;
}

enum status calls_land(struct call_builder *b, enum call_begin begin, uint64_t to,
                       struct candidates *candidates)
{
	calls_suspend(b, b->top, CALL_NONE);
	calls_find_stack(b, b->top)->is_doubtful = true;
	TRY(calls_begin(b, begin, to));
	b->is_switching = candidates->is_switch;
	b->site = candidates->site;
	candidates->position = b->position;
	candidates->to = to;
	return calls_doubt(b, b->top, candidates);
}

/* `found` goes on, on top of its stack: what it had called was unwound, or is another stack. */
static enum status split(struct call_builder *b, const struct candidate *found,
                         const struct doubt *doubt)
{
	uint32_t base = CALL_NONE;

	TRY(calls_take_stack(b, found->stack));
	for (uint32_t call = found->stack; call != found->call && call != CALL_NONE;
	     call = calls_of(b, call)->parent) {
		const struct call *c = calls_of(b, call);
		bool has_returned =
		        doubt->site != 0 || (call == found->stack && c->is_exception &&
		                             c->has_return && c->return_address == doubt->to);

		base = call;
		calls_end(b, call, has_returned ? CALL_END_RETURN : CALL_END_UNWOUND, doubt->to);
		calls_of(b, call)->leave = doubt->position;
	}
	/* The first function of a stack returns to nobody. */
	if (base != found->stack && base != CALL_NONE && doubt->site == 0)
		calls_suspend(b, found->stack, base);
	return STATUS_OK;
}

/* It may go on: it is live, or was unwound at most, and its stack waits. */
static bool is_there(struct call_builder *b, const struct candidate *candidate)
{
	uint8_t end = calls_of(b, candidate->call)->end;

	return calls_find_stack(b, candidate->stack) &&
	       (end == CALL_END_HALT || end == CALL_END_STRAY ||
	        (candidate->is_unwound && end == CALL_END_UNWOUND));
}

/* What was left, and perhaps goes on, nobody knows the end of. */
static void end_doubtful(struct call_builder *b, const struct suspended_stack *stack)
{
	for (uint32_t call = stack->call; call != CALL_NONE; call = calls_of(b, call)->parent) {
		calls_end(b, call, CALL_END_GAP, 0);
		if (calls_of(b, call)->end == CALL_END_GAP)
			calls_of(b, call)->leave = stack->position;
	}
}

/* Forgets the candidates; of one whose return address is known and is not `*to`, if given, none. */
static enum status forget(struct call_builder *b, const uint64_t *to)
{
	const struct doubt *doubt = find_doubt(b, calls_oldest(b));

	for (uint32_t i = 0; doubt && i < doubt->count; i++) {
		const struct candidate *candidate = &b->candidates[doubt->first + i];
		const struct suspended_stack *stack = calls_find_stack(b, candidate->stack);
		const struct call *call = calls_of(b, candidate->call);

		/* It waits as before. */
		if (!stack || (to && call->has_return && call->return_address != *to))
			continue;
		end_doubtful(b, stack);
		TRY(calls_take_stack(b, candidate->stack));
	}
	return STATUS_OK;
}

enum status calls_forget_candidates(struct call_builder *b)
{
	return forget(b, NULL);
}

/* The candidates that return to `to`; their callers in *callers. */
static void find_callers(struct call_builder *b, const struct doubt *doubt, uint64_t to,
                         bool are_unwound, struct candidate *found, struct candidates *callers)
{
	for (uint32_t i = 0; i < doubt->count; i++) {
		const struct candidate *candidate = &b->candidates[doubt->first + i];
		const struct call *call = calls_of(b, candidate->call);

		if (candidate->is_unwound != are_unwound || !is_there(b, candidate))
			continue;
		/* A call whose caller is not known may have been called from anywhere. */
		if (!call->has_return || call->parent == CALL_NONE) {
			callers->has_more = true;
		} else if (call->return_address == to) {
			*found = *candidate;
			candidates_add(callers, (struct candidate){call->parent, candidate->stack,
			                                           are_unwound});
		}
	}
}

static void replace(uint32_t *call, uint32_t old, uint32_t new)
{
	if (*call == old)
		*call = new;
}

/*
 * What went on at the doubt's position, its root, is this call, which waited; or else, if it is of
 * another function or that call had been left for good, came in the place of it.
 */
static void merge(struct call_builder *b, const struct doubt *doubt, uint32_t call)
{
	struct calls *c = b->calls;
	uint32_t root = doubt->root;

	if (calls_of(b, root)->function != calls_of(b, call)->function ||
	    calls_of(b, call)->end != CALL_END_HALT)
		return;
	for (size_t i = c->segment_count; i > 0; i--) {
		if (c->segments[i - 1].position < doubt->position)
			break;
		replace(&c->segments[i - 1].call, root, call);
	}
	for (size_t i = root + 1; i < c->count; i++) {
		replace(&c->items[i].parent, root, call);
		replace(&c->items[i].replaced, root, call);
	}
	for (size_t i = 0; i < b->suspended_count; i++) {
		replace(&b->suspended[i].call, root, call);
		replace(&b->suspended[i].base, root, call);
	}
	replace(&b->top, root, call);
	replace(&c->first_stray, root, call);
	calls_end(b, root, CALL_END_RETURN, 0);
	calls_of(b, root)->replaced = call;
	calls_of(b, root)->is_merged = true;
}

enum status calls_decide(struct call_builder *b, uint32_t root, uint64_t to, bool *is_decided,
                         struct candidates *callers)
{
	const struct doubt *doubt = find_doubt(b, root);
	struct candidate found = {0};

	*is_decided = false;
	*callers = (struct candidates){.is_weak = true};
	if (!doubt)
		return STATUS_OK;
	callers->position = doubt->position;
	callers->to = doubt->to;
	callers->is_task = doubt->is_task;
	callers->is_switch = doubt->is_switch;
	callers->has_more = doubt->has_more;
	callers->site = doubt->site;
	find_callers(b, doubt, to, false, &found, callers);
	if (callers->count == 0)
		find_callers(b, doubt, to, true, &found, callers);
	/* Tasks come back again and again: they would be more each time. */
	if (callers->has_more && doubt->is_task)
		return forget(b, &to);
	if (callers->count != 1 || callers->has_more || calls_is_common(b, doubt->site, to))
		return STATUS_OK;
	*is_decided = true;
	b->is_switching = false;
	b->site = 0;
	/* Should another caller come out, more is common. */
	calls_of(b, callers->items[0].call)->may_be_other |= doubt->site;
	TRY(split(b, &found, doubt));
	if (doubt->is_switch) {
		calls_leave_unknown(b, to);
		b->top = found.call;
	} else {
		TRY(calls_set_caller(b, root, callers->items[0].call, to));
		merge(b, doubt, found.call);
	}
	return calls_pop_to(b, callers->items[0].call, CALL_END_RETURN, to);
}

static enum status decide_at_end(struct call_builder *b, const struct doubt *doubt)
{
	struct candidate only;
	const struct call *call;

	if (doubt->count != 1 || doubt->is_weak || calls_of(b, doubt->root)->parent != CALL_NONE)
		return STATUS_OK;
	only = b->candidates[doubt->first];
	call = calls_of(b, only.call);
	if (!is_there(b, &only))
		return STATUS_OK;
	if (call->has_return)
		TRY(calls_set_caller(b, doubt->root, call->parent, call->return_address));
	TRY(split(b, &only, doubt));
	merge(b, doubt, only.call);
	return STATUS_OK;
}

enum status calls_decide_rest(struct call_builder *b)
{
	for (size_t i = b->doubt_count; i-- > 0;)
		TRY(decide_at_end(b, &b->doubts[i]));
	for (size_t i = 0; i < b->suspended_count; i++) {
		if (b->suspended[i].is_doubtful)
			end_doubtful(b, &b->suspended[i]);
	}
	return STATUS_OK;
}
