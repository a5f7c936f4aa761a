/* SPDX-License-Identifier: Apache-2.0 */
/* What the messages of a log amount to; see process_log.h. */
#include "snapshot/events/process_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

enum { ASID_MASK = 0xff, ASID_BITS = 8 };

enum name_kind {
	NAME_PID,
	NAME_TID,
	NAME_ASID,
};

/* That a number meant a process. */
struct logged_name {
	enum name_kind kind;
	uint64_t number;
	uint64_t pid;
	struct state_range states;
};

struct maker {
	const struct event_log *events;
	uint32_t state; /* that the message being read begins, or is in */
	uint32_t states;
	struct logged_code *code;
	size_t code_count;
	size_t code_capacity;
	struct logged_name *names;
	size_t name_count;
	size_t name_capacity;
	uint64_t *times;
};

/* The message says that something changed then. */
static bool is_change(const struct system_event *e)
{
	return e->kind == SYSTEM_EVENT_PATCH_CODE ||
	       (e->kind != SYSTEM_EVENT_TRACE && e->state != SYSTEM_EVENT_CURRENT);
}

/* How many states there are, and when they begin. */
static void count_states(struct maker *m)
{
	m->states = 1;
	for (size_t i = 0; i < m->events->count; i++) {
		const struct system_event *e = &m->events->events[i];

		if (!is_change(e) ||
		    (m->events->has_times && m->states > 1 && m->times[m->states - 2] == e->time))
			continue;
		m->times[m->states++ - 1] = e->time;
	}
}

/* The state that the message begins, if it is a change; else the one that it is in. */
static void enter_state(struct maker *m, const struct system_event *e)
{
	if (m->events->has_times) {
		while (m->state + 1 < m->states && m->times[m->state] <= e->time)
			m->state++;
	} else if (is_change(e)) {
		m->state++;
	}
}

static bool is_open(const struct maker *m, struct state_range states)
{
	return states.end == m->states;
}

/* Ends in the present state; what began in it never was. */
static void close_range(const struct maker *m, struct state_range *states)
{
	if (is_open(m, *states))
		states->end = m->state;
}

static enum status add_code(struct maker *m, const struct system_event *e,
                            struct state_range states)
{
	TRY(vec_reserve((void **)&m->code, &m->code_capacity, m->code_count + 1, sizeof(*m->code)));
	m->code[m->code_count++] = (struct logged_code){e, states};
	return STATUS_OK;
}

static bool same_place(const struct system_event *a, const struct system_event *b)
{
	return a->kind == b->kind && a->pid == b->pid && a->address == b->address &&
	       (a->image.n == 0 || b->image.n == 0 || str_eq(a->image, b->image));
}

/* An address space is gone with all that was in it. */
static void close_process(struct maker *m, uint64_t pid)
{
	for (size_t i = 0; i < m->code_count; i++) {
		if (m->code[i].event->pid == pid)
			close_range(m, &m->code[i].states);
	}
}

/* The code that the message is about and that is there, or NULL; *since: from when it may be. */
static struct logged_code *find_code(const struct maker *m, const struct system_event *e,
                                     uint32_t *since)
{
	*since = 0;
	for (size_t i = m->code_count; i-- > 0;) {
		struct logged_code *code = &m->code[i];

		if (!same_place(code->event, e))
			continue;
		if (is_open(m, code->states))
			return code;
		*since = code->states.end > *since ? code->states.end : *since;
	}
	return NULL;
}

static bool has_process(const struct maker *m, uint64_t pid)
{
	for (size_t i = 0; i < m->code_count; i++) {
		if (m->code[i].event->kind == SYSTEM_EVENT_PROCESS &&
		    m->code[i].event->pid == pid && is_open(m, m->code[i].states))
			return true;
	}
	return false;
}

/* PROCESS and LIBRARY. */
static enum status take_image(struct maker *m, const struct system_event *e)
{
	bool is_process = e->kind == SYSTEM_EVENT_PROCESS;
	struct logged_code *code;
	uint32_t since;

	/* A process that is there becomes another: what ran in it is gone. */
	if (is_process && e->state == SYSTEM_EVENT_START && has_process(m, e->pid))
		close_process(m, e->pid);
	code = find_code(m, e, &since);
	if (e->state == SYSTEM_EVENT_START)
		since = m->state;
	if (e->state != SYSTEM_EVENT_END)
		return code ? STATUS_OK : add_code(m, e, (struct state_range){since, m->states});
	if (code)
		close_range(m, &code->states);
	if (is_process)
		close_process(m, e->pid);
	return code || since >= m->state ? STATUS_OK
	                                 : add_code(m, e, (struct state_range){since, m->state});
}

static enum status add_name(struct maker *m, struct logged_name name)
{
	TRY(vec_reserve((void **)&m->names, &m->name_capacity, m->name_count + 1,
	                sizeof(*m->names)));
	m->names[m->name_count++] = name;
	return STATUS_OK;
}

/*
 * What a message says of a number's earlier meaning, which is this process or another. True if it
 * says what is known; *since: from when the meaning that it tells may hold.
 */
static bool note_earlier(const struct maker *m, const struct system_event *e,
                         struct logged_name *earlier, uint32_t *since)
{
	bool was_open = is_open(m, earlier->states);
	bool is_same = earlier->pid == e->pid;

	if (was_open && is_same) {
		if (e->state == SYSTEM_EVENT_END)
			earlier->states.end = m->state;
		return true;
	}
	if (was_open && e->state == SYSTEM_EVENT_START) {
		earlier->states.end = m->state;
	} else if (was_open && e->state == SYSTEM_EVENT_CURRENT) {
		/* When it became this one nobody says: from then on until now it is either. */
		*since = earlier->states.first;
		earlier->states.end = m->state + 1;
	} else if (!was_open && earlier->states.end > *since) {
		*since = earlier->states.end;
	}
	return false;
}

/* THREAD and ASID, and PROCESS for its own number. */
static enum status take_name(struct maker *m, const struct system_event *e, enum name_kind kind,
                             uint64_t number)
{
	uint32_t end = e->state == SYSTEM_EVENT_END ? m->state : m->states;
	uint32_t since = 0;

	for (size_t i = 0; i < m->name_count; i++) {
		struct logged_name *name = &m->names[i];

		if (name->kind == kind && name->number == number &&
		    note_earlier(m, e, name, &since))
			return STATUS_OK;
	}
	if (e->state == SYSTEM_EVENT_START)
		since = m->state;
	return add_name(m, (struct logged_name){kind, number, e->pid, {since, end}});
}

static enum status take(struct maker *m, const struct system_event *e)
{
	switch (e->kind) {
	case SYSTEM_EVENT_PROCESS:
		TRY(take_name(m, e, NAME_PID, e->pid));
		return take_image(m, e);
	case SYSTEM_EVENT_LIBRARY:
		return take_image(m, e);
	case SYSTEM_EVENT_THREAD:
		return take_name(m, e, NAME_TID, e->tid);
	case SYSTEM_EVENT_ASID:
		return take_name(m, e, NAME_ASID, e->asid);
	case SYSTEM_EVENT_PATCH_CODE:
		return add_code(m, e, (struct state_range){m->state, m->states});
	case SYSTEM_EVENT_TRACE:
	case SYSTEM_EVENTS:
		break;
	}
	return STATUS_OK;
}

static int compare_names(const void *a, const void *b)
{
	const struct logged_name *x = a;
	const struct logged_name *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return 0;
}

/* Index of the first name that is not before this one. */
static size_t find_names(const struct logged_name *names, size_t count, enum name_kind kind,
                         uint64_t number)
{
	struct logged_name wanted = {.kind = kind, .number = number};
	size_t low = 0;
	size_t high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_names(&names[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* A process that only its threads, libraries, patches or ASIDs name was there all the time. */
static enum status name_others(struct maker *m)
{
	for (size_t i = 0; i < m->events->count; i++) {
		const struct system_event *e = &m->events->events[i];
		size_t j = 0;

		if (e->kind == SYSTEM_EVENT_TRACE || e->kind == SYSTEM_EVENT_PROCESS)
			continue;
		while (j < m->name_count &&
		       (m->names[j].kind != NAME_PID || m->names[j].number != e->pid))
			j++;
		if (j == m->name_count)
			TRY(add_name(
			        m, (struct logged_name){NAME_PID, e->pid, e->pid, {0, m->states}}));
	}
	return STATUS_OK;
}

/* Without what never was. */
static void drop_empty(struct maker *m)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->code_count; i++) {
		if (m->code[i].states.first < m->code[i].states.end)
			m->code[kept++] = m->code[i];
	}
	m->code_count = kept;
	kept = 0;
	for (size_t i = 0; i < m->name_count; i++) {
		if (m->names[i].states.first < m->names[i].states.end)
			m->names[kept++] = m->names[i];
	}
	m->name_count = kept;
}

static enum status keep(struct arena *arena, const void *items, size_t count, size_t size,
                        const void **kept)
{
	void *copy;

	*kept = NULL;
	if (count == 0)
		return STATUS_OK;
	copy = arena_alloc(arena, count * size);
	if (!copy)
		return STATUS_NO_MEM;
	memcpy(copy, items, count * size);
	*kept = copy;
	return STATUS_OK;
}

static enum status keep_log(struct arena *arena, const struct maker *m, struct process_log *log)
{
	const void *code;
	const void *names;

	TRY(keep(arena, m->code, m->code_count, sizeof(*m->code), &code));
	TRY(keep(arena, m->names, m->name_count, sizeof(*m->names), &names));
	*log = (struct process_log){.times = m->times,
	                            .states = m->states,
	                            .has_times = m->events->has_times,
	                            .code = code,
	                            .code_count = m->code_count,
	                            .names = names,
	                            .name_count = m->name_count};
	for (size_t i = 0; i < m->name_count; i++) {
		log->has_processes |= m->names[i].pid != 0;
		log->has_asids |= m->names[i].kind == NAME_ASID;
	}
	return STATUS_OK;
}

static enum status make(struct arena *arena, struct maker *m, struct process_log *log)
{
	count_states(m);
	for (size_t i = 0; i < m->events->count; i++) {
		enter_state(m, &m->events->events[i]);
		TRY(take(m, &m->events->events[i]));
	}
	TRY(name_others(m));
	drop_empty(m);
	if (m->name_count > 0)
		qsort(m->names, m->name_count, sizeof(*m->names), compare_names);
	return keep_log(arena, m, log);
}

enum status process_log_make(struct arena *arena, const struct event_log *events,
                             struct process_log *log)
{
	struct maker m = {.events = events};
	enum status status = STATUS_NO_MEM;

	m.times = arena_alloc(arena, (events->count + 1) * sizeof(*m.times));
	if (m.times)
		status = make(arena, &m, log);
	free(m.code);
	free(m.names);
	return status;
}

/* How many states begin before a time, or, with `at`, then too. */
static uint32_t begun(const struct process_log *log, uint64_t time, bool at)
{
	uint32_t low = 0;
	uint32_t high = log->states - 1;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (log->times[middle] < time || (at && log->times[middle] == time))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct state_range process_log_states(const struct process_log *log, const uint64_t *earliest,
                                      const uint64_t *latest)
{
	struct state_range states = {0, log->states};

	if (!log->has_times)
		return states;
	if (earliest)
		states.first = begun(log, *earliest, false);
	if (latest)
		states.end = begun(log, *latest, true) + 1;
	return states;
}

/* Whose a number is: several readings of a value, all of which have to agree. */
struct owner {
	bool is_found;
	bool is_several;
	uint64_t pid;
};

static void merge(struct owner *owner, struct owner other)
{
	if (!other.is_found)
		return;
	owner->is_several |= other.is_several || (owner->is_found && owner->pid != other.pid);
	owner->is_found = true;
	owner->pid = other.pid;
}

static struct owner owner_of(const struct process_log *log, enum name_kind kind, uint64_t number,
                             struct state_range states)
{
	struct owner owner = {.is_found = false};

	for (size_t i = find_names(log->names, log->name_count, kind, number);
	     i < log->name_count && log->names[i].kind == kind && log->names[i].number == number;
	     i++) {
		const struct logged_name *name = &log->names[i];

		if (name->states.first < states.end && states.first < name->states.end)
			merge(&owner, (struct owner){true, false, name->pid});
	}
	return owner;
}

/* The process or thread of this number; a thread of a process that is gone is nobody's. */
static struct owner owner_of_task(const struct process_log *log, uint64_t number,
                                  struct state_range states)
{
	struct owner owner = owner_of(log, NAME_PID, number, states);

	merge(&owner, owner_of(log, NAME_TID, number, states));
	return owner;
}

static struct owner owner_of_both(const struct process_log *log, uint32_t id,
                                  struct state_range states)
{
	struct owner owner = owner_of(log, NAME_ASID, id & ASID_MASK, states);

	merge(&owner, owner_of_task(log, id >> ASID_BITS, states));
	return owner;
}

static struct owner owner_as_logged(const struct process_log *log, uint32_t id,
                                    struct state_range states)
{
	struct owner owner = owner_of_task(log, id, states);

	if (!log->has_asids)
		return owner;
	merge(&owner, owner_of(log, NAME_ASID, id, states));
	/* A number above bits 0 to 7 alone may be a part of a larger one: it has to fit the ASID.
	 */
	if (id > ASID_MASK && owner_of(log, NAME_ASID, id & ASID_MASK, states).is_found)
		merge(&owner, owner_of_both(log, id, states));
	return owner;
}

enum status process_log_owner(const struct process_log *log, enum contextidr_form form, uint32_t id,
                              struct state_range states, uint64_t *pid)
{
	struct owner owner = {.is_found = false};

	switch (form) {
	case CONTEXTIDR_AS_LOGGED:
		owner = owner_as_logged(log, id, states);
		break;
	case CONTEXTIDR_PID:
		owner = owner_of_task(log, id, states);
		break;
	case CONTEXTIDR_ASID:
		owner = owner_of(log, NAME_ASID, id & ASID_MASK, states);
		break;
	case CONTEXTIDR_BOTH:
		owner = owner_of_both(log, id, states);
		break;
	}
	/* The process that an ASID or a thread names has to be there itself. */
	if (owner.is_found && !owner.is_several &&
	    !owner_of(log, NAME_PID, owner.pid, states).is_found)
		return STATUS_NOT_FOUND;
	if (owner.is_several)
		return STATUS_UNAVAILABLE;
	*pid = owner.pid;
	return owner.is_found ? STATUS_OK : STATUS_NOT_FOUND;
}
