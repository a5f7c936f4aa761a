/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses of solved windows, in order; see values_access.h. */
#include "replay/values/values_access.h"

#include <stdlib.h>

#include "replay/values/possible_write.h"
#include "replay/values/solver/solver.h"

enum {
	CHUNK_FIRST = 1 << 12, /* accesses that are looked at together; then more and more */
	CHUNK_GROWTH = 4,
	POLL = 1 << 12, /* accesses */
};

/* A visit on its way. */
struct visit {
	struct values *values;
	struct values_target target; /* without a tag */
	uint64_t tag;                /* what its address was more than that */
	struct values_range rest;    /* not visited yet */
	values_visit *take;
	void *context;
	struct values_access held; /* of the instruction that is looked at */
	bool holds;
	bool is_over;
};

/* A window, and the accesses in it that belong to a range. */
struct part {
	const struct solver *solver; /* NULL: nothing is known there */
	uint64_t first;              /* positions */
	uint64_t last;
	struct access_stretch in;
};

/* What nothing is known of, from `at` on in the direction of the range. */
static struct part blind_part(const struct solver *s, const struct values_range *rest, uint64_t at)
{
	struct part p = {.first = rest->first, .last = rest->last};

	/* Back of where a window could not begin none can. */
	if (s && !s->has_conflict && rest->forward && at < s->w.options.from &&
	    p.last > s->w.options.from)
		p.last = s->w.options.from;
	return p;
}

/* What the window that has the first or the last position of the range holds of it. */
static struct part next_part(struct values *values, const struct values_range *rest)
{
	uint64_t at = rest->forward ? rest->first : rest->last - 1;
	const struct solver *s = values_solved(values, at);
	struct part p = {.solver = s, .first = rest->first, .last = rest->last};
	const struct window_options *w;

	if (!s || s->has_conflict || at < s->w.options.from || at >= s->w.options.to)
		return blind_part(s, rest, at);
	w = &s->w.options;
	if (p.first < w->from)
		p.first = w->from;
	if (p.last > w->to)
		p.last = w->to;
	/* What lies between two instructions is part of the one before. */
	p.in.begin = p.first == w->from ? 0 : window_access(&s->w, window_dyn_of(&s->w, p.first));
	p.in.end = window_access(&s->w,
	                         p.last == w->to ? s->w.dyn_count : window_dyn_of(&s->w, p.last));
	return p;
}

static bool overlaps(const struct solver *s, const struct memdep_access *a,
                     const struct values_target *target, uint64_t *first)
{
	uint64_t address = memdep_canonical(memdep_address(s, a).value);

	*first = address < target->address ? target->address : address;
	return *first - target->address < target->size && *first - address < a->size;
}

/* False if it is none; `is_marked`: of a write whose place is not known, that it may be one. */
static bool judge(const struct solver *s, const struct memdep_access *a,
                  const struct values_target *target, bool is_marked, struct values_access *access)
{
	bool is_load = a->kind == ACCESS_LOAD && a->index != ACCESS_KILL;

	if (a->state == ACCESS_ABSENT || (is_load ? !target->reads : !target->writes))
		return false;
	*access = (struct values_access){.verdict = VALUES_POSSIBLE,
	                                 .is_event = a->index == ACCESS_KILL};
	if (a->state == ACCESS_PLACED || a->state == ACCESS_UNLINKED) {
		access->verdict = VALUES_PROVED;
		if (!overlaps(s, a, target, &access->address))
			return false;
	} else if (is_load ? !possible_read(s, a, target) : !is_marked) {
		return false;
	}
	access->position = window_instruction_of(&s->w, a->dyn);
	return true;
}

/* What is left begins there, forward, or ends there, backward. */
static void go_to(struct visit *v, uint64_t forward, uint64_t backward)
{
	if (v->rest.forward)
		v->rest.first = forward;
	else
		v->rest.last = backward;
	v->is_over |= v->rest.first >= v->rest.last;
}

/* Ends the instruction that is held. */
static void release(struct visit *v)
{
	struct values_access held = v->held;

	if (!v->holds)
		return;
	v->holds = false;
	if (held.verdict == VALUES_PROVED)
		held.address += v->tag;
	go_to(v, held.position + 1, held.position);
	v->is_over |= !v->take(v->context, &held);
}

/* What the assumed tier says of an access that is possible. */
static enum values_assumed suppose(struct visit *v, uint32_t number)
{
	const struct access_stretch one = {number, number + 1};
	const struct solver *s = values_assumed(v->values);
	struct values_access access;
	uint64_t marks = 0;

	if (!s || !possible_writes(s, &v->target, one, &marks))
		return SUPPOSED_OPEN;
	if (!judge(s, &s->memory.accesses[number], &v->target, marks != 0, &access))
		return SUPPOSED_ELSEWHERE;
	return access.verdict == VALUES_PROVED ? SUPPOSED_THERE : SUPPOSED_OPEN;
}

/* Of two possible accesses of an instruction. */
static enum values_assumed either(enum values_assumed a, enum values_assumed b)
{
	if (a == SUPPOSED_THERE || b == SUPPOSED_THERE)
		return SUPPOSED_THERE;
	return a == b ? a : SUPPOSED_OPEN;
}

/*
 * One instruction may make more than one access. False if the window is another one now, in which
 * the visit begins again with this instruction.
 */
static bool hold(struct visit *v, uint32_t number, struct values_access access)
{
	bool holds;

	if (v->holds && v->held.position != access.position)
		release(v);
	holds = v->holds;
	if (v->is_over || (holds && v->held.verdict == VALUES_PROVED))
		return true;
	if (access.verdict == VALUES_POSSIBLE) {
		go_to(v, access.position, access.position + 1);
		v->holds = false;
		if (values_widen(v->values))
			return false;
		access.supposed = suppose(v, number);
		if (holds)
			access.supposed = either(access.supposed, v->held.supposed);
	}
	v->holds = true;
	v->held = access;
	return true;
}

/* The accesses of a stretch in the order of the visit; false as hold(). */
static bool visit_chunk(struct visit *v, const struct solver *s, struct access_stretch in,
                        const uint64_t *marks)
{
	for (uint32_t i = 0; i < in.end - in.begin && !v->is_over; i++) {
		uint32_t at = v->rest.forward ? i : in.end - in.begin - 1 - i;
		struct values_access access;

		if (judge(s, &s->memory.accesses[in.begin + at], &v->target,
		          (marks[at / 64] >> at % 64 & 1) != 0, &access) &&
		    !hold(v, in.begin + at, access))
			return false;
		if (i % POLL == 0 && interrupt_has_come(s->w.options.interrupt))
			break;
	}
	return true;
}

/* The part of a stretch that comes first in the direction; takes it from the stretch. */
static struct access_stretch next_chunk(struct access_stretch *rest, uint32_t size, bool forward)
{
	struct access_stretch chunk = *rest;

	if (rest->end - rest->begin <= size)
		rest->begin = rest->end;
	else if (forward)
		rest->begin = chunk.end = rest->begin + size;
	else
		rest->end = chunk.begin = rest->end - size;
	return chunk;
}

/* What is met in a window. */
static enum status visit_part(struct visit *v, const struct part *p)
{
	struct access_stretch rest = p->in;
	uint32_t size = CHUNK_FIRST;

	while (rest.begin < rest.end && !v->is_over) {
		struct access_stretch chunk = next_chunk(&rest, size, v->rest.forward);
		uint64_t *marks = calloc((chunk.end - chunk.begin) / 64 + 1, sizeof(*marks));
		bool is_same = true;

		if (!marks)
			return STATUS_NO_MEM;
		if (!v->target.writes || possible_writes(p->solver, &v->target, chunk, marks))
			is_same = visit_chunk(v, p->solver, chunk, marks);
		free(marks);
		if (!is_same)
			return STATUS_OK;
		if (interrupt_has_come(p->solver->w.options.interrupt))
			return STATUS_INTERRUPTED;
		size *= CHUNK_GROWTH;
	}
	release(v);
	go_to(v, p->last, p->first);
	return STATUS_OK;
}

static void visit_blind(struct visit *v, const struct part *p)
{
	bool forward = v->rest.forward;
	struct values_access blind = {
	        .verdict = VALUES_BLIND,
	        .position = forward ? p->first : p->last - 1,
	        .last = forward ? p->last - 1 : p->first,
	};

	go_to(v, p->last, p->first);
	v->is_over |= !v->take(v->context, &blind);
}

uint64_t values_untagged(const struct values *values, uint64_t address)
{
	bool has_tags = history_core(values_history(values))->arch == CORE_A64;

	return has_tags ? memdep_canonical(address) : address;
}

enum status values_visit_accesses(struct values *values, const struct values_range *range,
                                  const struct values_target *target, values_visit *visit,
                                  void *context)
{
	struct visit v = {
	        .values = values,
	        .target = *target,
	        .rest = *range,
	        .take = visit,
	        .context = context,
	        .is_over = range->first >= range->last,
	};

	v.target.address = values_untagged(values, target->address);
	v.tag = target->address - v.target.address;
	while (!v.is_over) {
		struct part p = next_part(values, &v.rest);

		if (p.solver)
			TRY(visit_part(&v, &p));
		else if (interrupt_has_come(values_allowed(values)->interrupt))
			return STATUS_INTERRUPTED;
		else
			visit_blind(&v, &p);
	}
	return STATUS_OK;
}

struct found {
	struct values_access *access;
	bool is_found;
};

static bool take_proved(void *context, const struct values_access *access)
{
	struct found *found = context;

	found->is_found = access->verdict == VALUES_PROVED;
	if (found->is_found)
		*found->access = *access;
	return !found->is_found;
}

bool values_find_access(struct values *values, const struct values_range *range,
                        const struct values_target *target, struct values_access *access)
{
	struct found found = {access, false};
	enum status status = values_visit_accesses(values, range, target, take_proved, &found);

	return status == STATUS_OK && found.is_found;
}

/* Of several stretches all from the first to the last. */
static void add_blind(struct values_may_alias *doubt, const struct values_access *blind)
{
	bool forward = blind->position <= blind->last;
	uint64_t first = forward ? blind->position : blind->last;
	uint64_t last = (forward ? blind->last : blind->position) + 1;
	bool is_first = doubt->blind_first == doubt->blind_last;

	if (is_first || first < doubt->blind_first)
		doubt->blind_first = first;
	if (is_first || last > doubt->blind_last)
		doubt->blind_last = last;
}

static bool take_doubt(void *context, const struct values_access *access)
{
	struct values_may_alias *doubt = context;

	if (access->verdict == VALUES_POSSIBLE && doubt->count++ == 0)
		doubt->position = access->position;
	doubt->elsewhere += access->supposed == SUPPOSED_ELSEWHERE;
	if (access->verdict == VALUES_BLIND)
		add_blind(doubt, access);
	return true;
}

void values_find_may_alias(struct values *values, const struct values_range *range,
                           const struct values_target *target, struct values_may_alias *doubt)
{
	enum status status;

	*doubt = (struct values_may_alias){0};
	status = values_visit_accesses(values, range, target, take_doubt, doubt);
	if (status != STATUS_OK && doubt->blind_first == doubt->blind_last) {
		doubt->blind_first = range->first;
		doubt->blind_last = range->last;
	}
}
