/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stacks that a builder has: calls begin, end, wait while another stack runs, and are taken up
 * again. What leads to that calls_flow.c judges. In: calls. Out: items and segments of the calls.
 */
#include <stdlib.h>

#include "base/vec.h"
#include "replay/calls/calls_stack.h"

enum { FIRST_SLOTS = 256 };

/* ---- live return addresses ---- */

static struct return_count *find_slot(struct return_count *slots, size_t count, uint64_t address)
{
	size_t i = (size_t)((address >> 1) * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (count - 1);

	while (slots[i].is_used && slots[i].address != address)
		i = (i + 1) & (count - 1);
	return &slots[i];
}

static enum status grow_slots(struct call_builder *b)
{
	size_t count = b->return_slots > 0 ? 2 * b->return_slots : FIRST_SLOTS;
	struct return_count *slots;

	if (2 * (b->return_used + 1) <= b->return_slots)
		return STATUS_OK;
	slots = calloc(count, sizeof(*slots));
	if (!slots)
		return STATUS_NO_MEM;
	for (size_t i = 0; i < b->return_slots; i++) {
		if (b->returns[i].is_used)
			*find_slot(slots, count, b->returns[i].address) = b->returns[i];
	}
	free(b->returns);
	b->returns = slots;
	b->return_slots = count;
	return STATUS_OK;
}

/* Room for one more was made. */
static void count_return(struct call_builder *b, const struct call *call, int by)
{
	struct return_count *slot;

	if (!call->has_return)
		return;
	slot = find_slot(b->returns, b->return_slots, call->return_address);
	b->return_used += !slot->is_used;
	*slot = (struct return_count){call->return_address, slot->count + (uint32_t)by, true};
}

bool calls_is_awaited(const struct call_builder *b, uint64_t address)
{
	return b->return_slots > 0 && find_slot(b->returns, b->return_slots, address)->count > 0;
}

/* ---- calls begin and end ---- */

uint32_t calls_oldest_of(const struct call_builder *b, uint32_t call)
{
	while (calls_of(b, call)->parent != CALL_NONE)
		call = calls_of(b, call)->parent;
	return call;
}

uint32_t calls_oldest(const struct call_builder *b)
{
	return calls_oldest_of(b, b->top);
}

static enum status activate(struct call_builder *b, uint32_t call)
{
	struct calls *c = b->calls;

	b->top = call;
	if (c->segment_count > 0 && c->segments[c->segment_count - 1].position == b->position) {
		c->segments[c->segment_count - 1].call = call;
		return STATUS_OK;
	}
	TRY(vec_reserve((void **)&c->segments, &c->segment_capacity, c->segment_count + 1,
	                sizeof(*c->segments)));
	c->segments[c->segment_count++] = (struct call_segment){b->position, call};
	return STATUS_OK;
}

/* Adds a call and makes it the active one. */
enum status calls_add(struct call_builder *b, struct call call, uint64_t address)
{
	struct calls *c = b->calls;
	struct function_extent function = calls_function(b, address);
	struct function_symbol symbol;

	if (c->count >= CALL_NONE)
		return STATUS_UNSUPPORTED;
	TRY(grow_slots(b));
	TRY(vec_reserve((void **)&c->items, &c->capacity, c->count + 1, sizeof(*c->items)));
	if (b->top != CALL_NONE)
		calls_of(b, b->top)->stub = STUB_NONE;
	call.function = function.is_known ? function.start : address;
	call.has_function = function.is_known;
	call.leave = CALL_NOT_KNOWN;
	call.end = CALL_END_HALT;
	if (call.begin == CALL_BEGIN_CALL || call.begin == CALL_BEGIN_TAIL)
		call.has_function = true;
	/* A call to where no code is, as of a crash. */
	if (call.begin == CALL_BEGIN_CALL && !symbols_find(c->symbols, address, &symbol))
		call.function = address;
	c->items[c->count] = call;
	count_return(b, &call, 1);
	return activate(b, (uint32_t)c->count++);
}

void calls_end(struct call_builder *b, uint32_t index, enum call_end end, uint64_t to)
{
	struct call *call = calls_of(b, index);

	if (call->end != CALL_END_HALT)
		return;
	count_return(b, call, -1);
	call->end = (uint8_t)end;
	call->leave = b->position;
	call->went_to = to;
	if (end == CALL_END_STRAY && b->calls->first_stray == CALL_NONE)
		b->calls->first_stray = index;
}

enum status calls_pop_to(struct call_builder *b, uint32_t stay, enum call_end end, uint64_t to)
{
	uint32_t call = b->top;

	while (call != stay && call != CALL_NONE) {
		uint32_t parent = calls_of(b, call)->parent;

		calls_end(b, call, end, to);
		call = parent;
	}
	return activate(b, stay);
}

enum status calls_begin(struct call_builder *b, enum call_begin begin, uint64_t address)
{
	b->stack_context = b->context;
	b->is_switching = false;
	b->site = 0;
	return calls_add(b,
	                 (struct call){.enter = b->position,
	                               .site = CALL_NOT_KNOWN,
	                               .parent = CALL_NONE,
	                               .replaced = CALL_NONE,
	                               .begin = (uint8_t)begin},
	                 address);
}

static void end_stack(struct call_builder *b, uint32_t call)
{
	while (call != CALL_NONE && calls_of(b, call)->end == CALL_END_HALT) {
		calls_end(b, call, CALL_END_GAP, 0);
		call = calls_of(b, call)->parent;
	}
}

enum status calls_after_stay(struct call_builder *b, uint64_t address)
{
	end_stack(b, b->top);
	return calls_begin(b, CALL_BEGIN_GAP, address);
}

enum status calls_after_gap(struct call_builder *b, uint64_t address)
{
	end_stack(b, b->top);
	for (size_t i = 0; i < b->suspended_count; i++)
		end_stack(b, b->suspended[i].call);
	b->suspended_count = 0;
	b->has_lost_stacks = false;
	return calls_begin(b, CALL_BEGIN_GAP, address);
}

enum status calls_push(struct call_builder *b, const struct exit *exit, uint64_t to)
{
	return calls_add(b,
	                 (struct call){.enter = b->position,
	                               .site = b->position - 1,
	                               .return_address = exit->after,
	                               .has_return = true,
	                               .parent = b->top,
	                               .replaced = CALL_NONE,
	                               .begin = CALL_BEGIN_CALL},
	                 to);
}

enum status calls_replace(struct call_builder *b, enum call_begin begin, enum call_end end,
                          uint64_t to)
{
	uint32_t old = b->top;
	struct call call = *calls_of(b, old);

	calls_end(b, old, end, to);
	call.enter = b->position;
	call.replaced = old;
	call.begin = (uint8_t)begin;
	call.went_to = 0;
	return calls_add(b, call, to);
}

/* ---- other stacks ---- */

static void forget_stack(struct call_builder *b, uint32_t call)
{
	size_t kept = 0;

	for (size_t i = 0; i < b->suspended_count; i++) {
		if (b->suspended[i].call != call)
			b->suspended[kept++] = b->suspended[i];
	}
	b->suspended_count = kept;
}

/* Makes room: those that were unwound go on more seldom. */
static void drop_stack(struct call_builder *b)
{
	for (size_t i = 0; i < b->suspended_count; i++) {
		if (b->suspended[i].base != CALL_NONE) {
			forget_stack(b, b->suspended[i].call);
			return;
		}
	}
	forget_stack(b, b->suspended[0].call);
	b->has_lost_stacks = true;
}

void calls_suspend(struct call_builder *b, uint32_t call, uint32_t base)
{
	if (b->suspended_count == SUSPENDED_MOST)
		drop_stack(b);
	b->suspended[b->suspended_count++] = (struct suspended_stack){
	        .call = call, .base = base, .position = b->position, .context = b->stack_context};
}

bool calls_fits_context(const struct call_builder *b, const struct call_context *context)
{
	return !context->is_known || !b->context.is_known || context->id == b->context.id;
}

struct suspended_stack *calls_find_stack(struct call_builder *b, uint32_t call)
{
	for (size_t i = 0; i < b->suspended_count; i++) {
		if (b->suspended[i].call == call)
			return &b->suspended[i];
	}
	return NULL;
}

void calls_leave_unknown(struct call_builder *b, uint64_t to)
{
	for (uint32_t call = b->top; call != CALL_NONE; call = calls_of(b, call)->parent)
		calls_end(b, call, CALL_END_RETURN, to);
}

enum status calls_set_caller(struct call_builder *b, uint32_t call, uint32_t caller, uint64_t to)
{
	while (call != CALL_NONE) {
		struct call *c = calls_of(b, call);
		bool is_live = c->end == CALL_END_HALT;

		TRY(grow_slots(b));
		if (is_live)
			count_return(b, c, -1);
		c->parent = caller;
		c->return_address = to;
		c->has_return = true;
		if (is_live)
			count_return(b, c, 1);
		call = c->begin == CALL_BEGIN_TAIL ? c->replaced : CALL_NONE;
	}
	return STATUS_OK;
}

static enum status take_up(struct call_builder *b, struct call *call)
{
	call->end = CALL_END_HALT;
	call->leave = CALL_NOT_KNOWN;
	TRY(grow_slots(b));
	count_return(b, call, 1);
	return STATUS_OK;
}

/* They were not unwound: they are a stack of their own, which nobody called. */
static enum status revive(struct call_builder *b, const struct suspended_stack *stack)
{
	uint32_t call = stack->call;
	bool is_last = false;

	while (call != CALL_NONE && !is_last) {
		struct call *c = calls_of(b, call);

		is_last = call == stack->base;
		call = c->parent;
		if (is_last) {
			c->parent = CALL_NONE;
			c->has_return = false;
			c->site = CALL_NOT_KNOWN;
			c->begin = CALL_BEGIN_STACK;
		}
		if (c->end == CALL_END_UNWOUND)
			TRY(take_up(b, c));
	}
	return STATUS_OK;
}

enum status calls_take_stack(struct call_builder *b, uint32_t call)
{
	struct suspended_stack *found = calls_find_stack(b, call);
	struct suspended_stack stack;

	if (!found)
		return STATUS_OK;
	stack = *found;
	b->stack_context = stack.context;
	forget_stack(b, call);
	return stack.base != CALL_NONE ? revive(b, &stack) : STATUS_OK;
}

enum status calls_resume(struct call_builder *b, uint32_t call)
{
	TRY(calls_take_stack(b, call));
	calls_suspend(b, b->top, CALL_NONE);
	calls_end(b, call, CALL_END_RETURN, 0);
	b->is_switching = false;
	b->site = 0;
	return activate(b, calls_of(b, call)->parent);
}

enum status calls_begin_stack(struct call_builder *b, uint64_t to)
{
	calls_suspend(b, b->top, CALL_NONE);
	return calls_begin(b, CALL_BEGIN_STACK, to);
}
