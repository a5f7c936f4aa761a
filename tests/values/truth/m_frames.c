/* SPDX-License-Identifier: Apache-2.0 */
/* Frames on the stack; see m_frames.h. Armv7-M ARM DDI 0403, B1.5.6 to B1.5.8. */
#include "tests/values/truth/m_frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/values/truth/step.h"

enum {
	SP = 13,
	LR = 14,
	NESTED_MOST = 64,
	FRAME = 32,
	FRAME_WORDS = 8,
	XPSR_PADDED = 1 << 9,
	SVCALL = 11,
	NEAR = 256, /* bytes of stack that one instruction may move SP by, and less than a task has
	             */
};

#define NEVER SIZE_MAX

static const uint8_t stacked[] = {0, 1, 2, 3, 12, LR};

void m_events_take(struct m_events *events, const char *line, size_t position)
{
	static const char *const taking[] = {"...taking pending nonsecure exception ",
	                                     "...taking pending secure exception "};
	struct m_event *e = events->count > 0 ? &events->items[events->count - 1] : NULL;

	if (strncmp(line, "Exception return:", 17) != 0 && strncmp(line, taking[0], 10) != 0 &&
	    strncmp(line, "...tail", 7) != 0)
		return;
	if (!e || e->position != position) {
		recording_room((void *)&events->items, &events->capacity, events->count,
		               sizeof(*e));
		e = &events->items[events->count++];
		*e = (struct m_event){.position = position};
	}
	e->returned |= line[0] == 'E';
	e->chained |= strncmp(line, "...tail", 7) == 0;
	for (unsigned int i = 0; i < 2; i++) {
		if (strncmp(line, taking[i], strlen(taking[i])) == 0)
			e->entered = (uint32_t)strtoul(line + strlen(taking[i]), NULL, 10);
	}
}

/* An SVC that does not return: it ends a task. */
static bool is_last(const struct m_event *e)
{
	return e->entered == SVCALL && e->resumed == NEVER;
}

/* After MSR of PSP by a handler. */
static bool take_psp(const struct recording *r, size_t at, uint64_t *psp)
{
	struct insn_view step;

	step_read(r, at, &step);
	if ((step.opcode & 0xfff0ffff) != 0xf3808809)
		return false;
	*psp = r->states[at].x[step.opcode >> 16 & 15] & ~UINT64_C(3);
	return true;
}

/* SP right after a return. If another entry comes at once no state shows it: `last` was entered
 * before. */
static uint64_t sp_after(const struct recording *r, const struct m_event *e,
                         const struct m_event *last)
{
	uint64_t psp;

	if (e->entered == 0 || !last)
		return r->states[e->position].x[SP];
	for (size_t at = e->position; at-- > last->position;) {
		if (take_psp(r, at, &psp))
			return psp + FRAME;
	}
	return last->sp;
}

/*
 * The open entry whose frame a return unstacks. What a task on a stack of its own was interrupted
 * by need not be what was entered last: the frame is near where SP is after it. `depth` if it is
 * none.
 */
static size_t match_of(const struct m_events *events, const size_t *open, size_t depth, uint64_t sp)
{
	for (size_t i = depth; i-- > 0;) {
		if (events->items[open[i]].sp - sp + NEAR < 2 * (uint64_t)NEAR)
			return i;
	}
	return depth;
}

/* False if a handler does not return. */
static bool match(struct m_events *events, const struct recording *r)
{
	size_t open[NESTED_MOST];
	size_t depth = 0;

	for (size_t i = 0; i < events->count; i++) {
		struct m_event *e = &events->items[i];
		size_t at = depth;

		if (e->chained)
			continue;
		e->same_as = 0;
		e->resumed = NEVER;
		if (e->returned)
			at = match_of(
			        events, open, depth,
			        sp_after(r, e, depth > 0 ? &events->items[open[depth - 1]] : NULL));
		e->sp = r->states[e->position - 1].x[SP];
		if (at < depth) {
			events->items[open[at]].resumed = e->position;
			e->sp = events->items[open[at]].sp;
			e->same_as = e->entered != 0 ? open[at] + 1 : 0;
			memmove(&open[at], &open[at + 1], (--depth - at) * sizeof(*open));
		}
		if (e->entered != 0 && depth < NESTED_MOST)
			open[depth++] = i;
	}
	for (size_t i = events->count; i-- > 0;) {
		struct m_event *e = &events->items[i];

		if (e->same_as != 0)
			events->items[e->same_as - 1].resumed = e->resumed;
	}
	for (size_t i = 0; i < depth; i++) {
		if (!is_last(&events->items[open[i]]))
			return false;
	}
	return true;
}

/* Where execution goes on after the handler, and the flags there: at an SVC's, those before it. */
static uint64_t pc_after(const struct recording *r, const struct m_event *e)
{
	enum { SVC_SIZE = 2 };

	return is_last(e) ? r->states[e->position - 1].pc + SVC_SIZE : r->states[e->resumed].pc;
}

static uint32_t psr_after(const struct recording *r, const struct m_event *e)
{
	return r->states[is_last(e) ? e->position - 1 : e->resumed].psr;
}

static void add_between(struct recording *r, size_t position, struct element element)
{
	recording_room((void *)&r->betweens, &r->between_capacity, r->between_count,
	               sizeof(*r->betweens));
	r->betweens[r->between_count++] = (struct between){position, element};
}

static void add_elements(struct recording *r, const struct m_event *e)
{
	struct element entry = {.type = ELEMENT_EXCEPTION};

	if (e->returned)
		add_between(r, e->position, (struct element){.type = ELEMENT_EXCEPTION_RET});
	if (e->entered == 0)
		return;
	entry.exception.number = e->entered; /* those of ETMv4 are the same, as far as needed */
	entry.exception.has_return_address = !e->chained;
	entry.exception.return_address = e->chained ? 0 : pc_after(r, e);
	add_between(r, e->position, entry);
}

static bool is_same(const struct state *a, const struct state *b)
{
	return a->pc == b->pc && a->psr == b->psr && memcmp(a->x, b->x, sizeof(a->x)) == 0;
}

/*
 * The log shows a state before it finds that an interrupt comes first, and that of an access to a
 * device twice: qemu begins the instruction again, as the last of a block.
 */
static bool is_not_executed(const struct recording *r, size_t at, const struct m_event *next)
{
	if (!next)
		return at < r->count && is_same(&r->states[at], &r->states[at + 1]);
	return next->entered != 0 && !next->chained && next->resumed != NEVER &&
	       is_same(&r->states[at], &r->states[next->resumed]);
}

static void drop_states(struct m_events *events, const struct m_events *old, struct recording *r)
{
	size_t kept = 0;
	size_t event = 0;
	size_t count = 0;

	for (size_t i = 0; i <= r->count; i++) {
		const struct m_event *next = m_event_at(old, i + 1);

		if (event < old->count && old->items[event].position == i) {
			struct m_event e = old->items[event++];
			struct m_event *last = count > 0 ? &events->items[count - 1] : NULL;

			e.position = kept;
			if (last && last->position == kept) {
				last->entered = e.entered;
				last->chained = false;
			} else {
				events->items[count++] = e;
			}
		}
		if (is_not_executed(r, i, next))
			continue;
		r->states[kept] = r->states[i];
		kept++;
	}
	r->count = kept - 1;
	events->count = count;
}

bool m_events_resolve(struct m_events *events, struct recording *r)
{
	struct m_events old = {NULL, events->count, 0};

	if (!match(events, r))
		return false;
	if (events->count == 0)
		return true;
	old.items = malloc(events->count * sizeof(*old.items));
	memcpy(old.items, events->items, events->count * sizeof(*old.items));
	drop_states(events, &old, r);
	free(old.items);
	if (!match(events, r))
		return false;
	for (size_t i = 0; i < events->count; i++)
		add_elements(r, &events->items[i]);
	return true;
}

struct m_event *m_event_at(const struct m_events *events, size_t position)
{
	size_t low = 0;
	size_t high = events->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (events->items[middle].position < position)
			low = middle + 1;
		else
			high = middle;
	}
	return low < events->count && events->items[low].position == position ? &events->items[low]
	                                                                      : NULL;
}

static void store_word(struct recording *r, size_t step, uint32_t address, uint32_t value)
{
	struct change c = {.step = step, .address = address, .length = 4};

	for (unsigned int i = 0; i < 4; i++) {
		const uint8_t *byte = recording_byte(r, address + i);

		c.old[i] = byte ? *byte : 0;
		c.new[i] = (uint8_t)(value >> 8 * i);
	}
	recording_add_change(r, &c);
	recording_write(r, address, c.new, c.length);
	r->at_change = r->change_count;
}

void m_event_stack(const struct m_events *events, struct m_event *event, struct recording *r,
                   const struct uop_run *run)
{
	const struct state *handler = &r->states[event->position];
	size_t step = event->position - 1;
	uint32_t sp = (uint32_t)uop_run_after(run, SP).value;
	uint32_t words[FRAME_WORDS];

	if (event->same_as != 0) {
		event->frame = events->items[event->same_as - 1].frame;
		return;
	}
	for (unsigned int i = 0; i < sizeof(stacked); i++)
		words[i] = (uint32_t)uop_run_after(run, stacked[i]).value;
	words[6] = (uint32_t)pc_after(r, event);
	/* The flags and the state of an IT block are those after the handler. */
	words[7] =
	        (psr_after(r, event) & ~(uint32_t)XPSR_PADDED) | ((sp & 4) != 0 ? XPSR_PADDED : 0);
	event->frame = (handler->x[LR] & 4) != 0 ? (sp - FRAME) & ~7u : (uint32_t)handler->x[SP];
	for (unsigned int i = 0; i < FRAME_WORDS; i++)
		store_word(r, step, event->frame + 4 * i, words[i]);
}

/*
 * Threads on the process stack, handlers on the main one: known between an exception that was taken
 * in a thread and the next, as long as nobody writes MSP.
 */
void m_events_stacks(const struct m_events *events, struct recording *r)
{
	size_t event = 0;
	uint32_t msp = 0;
	uint64_t psp = 0;
	bool is_known = false;

	for (size_t i = 0; i <= r->count; i++) {
		struct state *s = &r->states[i];
		bool in_thread = (s->psr & 0x1ff) == 0;
		const struct m_event *e = NULL;

		if (event < events->count && events->items[event].position == i)
			e = &events->items[event++];
		if (e && e->entered != 0 && !e->chained && (s->x[LR] & 0xc) == 0xc) {
			msp = (uint32_t)s->x[SP]; /* and so it is again after the handler */
			psp = e->frame;
			is_known = true;
		}
		if (!in_thread && i > 0)
			(void)take_psp(r, i - 1, &psp);
		s->has_stacks = is_known;
		s->msp = in_thread ? msp : (uint32_t)s->x[SP];
		s->psp = (uint32_t)(in_thread ? s->x[SP] : psp);
	}
}

bool m_event_unstacks(const struct m_events *events, const struct m_event *event,
                      const struct recording *r)
{
	const struct state *s = &r->states[event->position];
	const struct m_event *entry = NULL;

	for (size_t i = 0; i < events->count; i++) {
		if (events->items[i].entered != 0 && events->items[i].resumed == event->position)
			entry = &events->items[i];
	}
	for (unsigned int i = 0; entry && i < sizeof(stacked); i++) {
		uint32_t word = 0;

		for (unsigned int k = 0; k < 4; k++) {
			const uint8_t *byte = recording_byte(r, entry->frame + 4 * i + k);

			word |= (uint32_t)(byte ? *byte : 0) << 8 * k;
		}
		if (word != s->x[stacked[i]])
			return false;
	}
	return true;
}
