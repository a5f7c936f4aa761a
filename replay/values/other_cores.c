/* SPDX-License-Identifier: Apache-2.0 */
/* The other cores' accesses, from their own reconstruction; see other_cores.h. */
#include "replay/values/other_cores.h"

#include <stdlib.h>

#include "base/vec.h"
#include "replay/history/history.h"
#include "replay/values/pointed_lines.h"
#include "replay/values/solver/solver.h"

enum {
	LOOK_BACK_MOST = 1000000, /* instructions of each other core */
	LOOK_BACK_LEAST = 10000,  /* and of this one, for what follows from `coherent` */
	RANGE_MOST = 1 << 20,     /* bytes that one instruction writes */
	ACCESSES_PER_POLL = 4096, /* of whether somebody interrupts */
};

struct other_cores {
	const struct history *const *histories;
	size_t core_count;
	size_t core;
	struct interrupt *interrupt;
	bool is_found;
	bool is_cut;        /* of one of them less was looked at than there is, for `from` */
	enum status status; /* of looking for them */
	struct other_store *stores;
	size_t count;
	size_t capacity;
	struct other_writes writes;
	/* The same with all that is assumed of them, or NULL: nobody asked yet. */
	struct other_cores *coherent;
	/* Of `coherent` itself: without that, this core's and those of each other one, or NULL. */
	struct other_cores *plain;
	struct other_cores **theirs;
	uint64_t from; /* what they did since this core was here is looked for */
};

struct other_cores *other_cores_create(const struct history *const *histories, size_t count,
                                       size_t core, struct interrupt *interrupt)
{
	struct other_cores *others = calloc(1, sizeof(*others));

	if (!others)
		return NULL;
	others->histories = histories;
	others->core_count = count;
	others->core = core;
	others->interrupt = interrupt;
	return others;
}

static void forget(struct other_cores *others)
{
	free(others->stores);
	others->stores = NULL;
	others->count = 0;
	others->capacity = 0;
	other_writes_fini(&others->writes);
}

void other_cores_destroy(struct other_cores *others)
{
	if (!others)
		return;
	other_cores_destroy(others->coherent);
	for (size_t i = 0; others->theirs && i < others->core_count; i++)
		other_cores_destroy(others->theirs[i]);
	free(others->theirs);
	forget(others);
	free(others);
}

/* A moment, and the positions whose it is. */
struct bounds {
	struct moment moment;
	struct timeline_span span;
	bool is_found;
};

/* One of the other cores, while its accesses are gone through in order. */
struct writer {
	const struct history *history;
	const struct history *own;
	size_t core;
	uint64_t begin; /* where it was, at the earliest, when this core was at `from` */
	bool is_timed;  /* both have timestamps, and these do not go back */
	bool is_proved; /* what its accesses are known by */
	struct timeline_cursor earliest;
	struct timeline_cursor latest;
	struct bounds before; /* when it came to the position that is looked at */
	struct bounds after;  /* and to the one after that */
	size_t unseen_before;
	size_t open_before; /* stores of cores before this one */
	uint64_t position;  /* of the store that was looked at last */
	uint64_t first;     /* and where this core was then */
	uint64_t last;
};

static bool is_timed(const struct history *history)
{
	uint64_t first;
	uint64_t last;

	return timeline_positions(history, 0, &first, &last) == STATUS_OK;
}

static const struct moment *moment_of(const struct writer *w, struct bounds *bounds,
                                      uint64_t position)
{
	if (!bounds->is_found || position < bounds->span.first || position > bounds->span.last)
		bounds->moment = timeline_bounds(w->history, position, &bounds->span);
	bounds->is_found = true;
	return &bounds->moment;
}

/* Where this core was when the other one executed the instruction at a position. */
static void find_when(struct writer *w, uint64_t position)
{
	const struct moment *before = moment_of(w, &w->before, position);
	const struct moment *after = moment_of(w, &w->after, position + 1);
	uint64_t unused;

	w->position = position;
	w->first = 0;
	w->last = history_length(w->own);
	if (w->is_timed && before->has_earliest)
		timeline_cursor_positions(w->own, &w->earliest, before->earliest, &w->first,
		                          &unused);
	/* At the halt it may have been a while before it. */
	w->first -= w->first > 0 && w->first == history_length(w->own) ? 1 : 0;
	if (w->is_timed && after->has_latest)
		timeline_cursor_positions(w->own, &w->latest, after->latest, &unused, &w->last);
}

/* A store whose address is known. */
static enum status add_store(struct other_cores *others, const struct writer *w, uint64_t address,
                             uint64_t size, struct bits data)
{
	const struct other_store store = {
	        address, size, data, w->core, w->position, w->is_proved, w->first, w->last,
	};

	if (!others->plain) {
		TRY(vec_reserve((void **)&others->stores, &others->capacity, others->count + 1,
		                sizeof(*others->stores)));
		others->stores[others->count++] = store;
	}
	for (uint64_t at = address & ~UINT64_C(7); at < address + size; at += 8) {
		const struct other_write write = {at & ADDRESS_BITS, w->first, w->last};

		TRY(other_writes_add(&others->writes.known, &write));
	}
	return STATUS_OK;
}

static struct bits data_of(const struct solver *s, const struct memdep_access *a)
{
	if (a->kind != ACCESS_STORE)
		return (struct bits){0, 0};
	return memdep_masked(solve_slot(s, a->dyn, memdep_access_of(s, a)->data),
	                     bits_mask(8u * a->size));
}

/* What it did there is not traced, unless it only changed what addresses mean. */
static enum status add_unseen(struct other_cores *others, struct writer *w, uint64_t position,
                              const struct template *template)
{
	if (template->changes_translation)
		return STATUS_OK;
	if (position != w->position)
		find_when(w, position);
	return other_writes_add(&others->writes.unseen,
	                        &(struct other_write){0, w->first, w->last});
}

static enum status add(struct other_cores *others, struct writer *w, const struct solver *s,
                       const struct memdep_access *a)
{
	uint64_t position = window_position_of(&s->w, a->dyn);
	struct bits address;
	uint64_t size = a->size;
	bool is_known;

	if (a->state == ACCESS_ABSENT)
		return STATUS_OK;
	if (a->index == ACCESS_KILL)
		return add_unseen(others, w, position, window_template(&s->w, a->dyn));
	address = memdep_address(s, a);
	is_known = (~address.known & ADDRESS_BITS) == 0;
	if (a->kind == ACCESS_CLOBBER)
		size = memdep_range_length(s, a);
	if (size == 0)
		return STATUS_OK;
	if (size > RANGE_MOST)
		return STATUS_UNSUPPORTED;
	if (is_known)
		TRY(line_set_add(&others->writes.used, address.value & ADDRESS_BITS, size));
	if (a->kind == ACCESS_LOAD)
		return STATUS_OK;
	if (position != w->position)
		find_when(w, position);
	if (is_known)
		return add_store(others, w, address.value & ADDRESS_BITS, size, data_of(s, a));
	return other_writes_add(&others->writes.open, &(struct other_write){0, w->first, w->last});
}

static enum status add_all(struct other_cores *others, struct writer *w, const struct solver *s)
{
	w->earliest = (struct timeline_cursor){.below = 0};
	w->latest = (struct timeline_cursor){.below = 0};
	w->position = UINT64_MAX;
	/* What the other solution left open this one may know. */
	others->writes.open.count = w->open_before;
	others->writes.unseen.count = w->unseen_before;
	/* Its trace may have begun later than this one's, or ended before. */
	if (!w->is_timed)
		TRY(other_writes_add(&others->writes.unseen,
		                     &(struct other_write){0, 0, history_length(w->own)}));
	for (size_t i = 0; i < s->memory.access_count; i++) {
		if (i % ACCESSES_PER_POLL == 0 && interrupt_has_come(others->interrupt))
			return STATUS_INTERRUPTED;
		TRY(add(others, w, s, &s->memory.accesses[i]));
	}
	return STATUS_OK;
}

/* From where on of this core what the other did is in the window. */
static enum status begin(struct other_cores *others, struct writer *w, const struct solver *s)
{
	struct moment start = timeline_at(w->history, s->w.options.from);
	uint64_t first;
	uint64_t last = history_length(w->own);

	if (!w->is_timed)
		return s->w.options.from > 0 ? STATUS_UNSUPPORTED : STATUS_OK;
	if (start.has_latest)
		TRY(timeline_positions(w->own, start.latest, &first, &last));
	if (others->writes.from < last)
		others->writes.from = last;
	return STATUS_OK;
}

static enum status take(struct other_cores *others, struct writer *w, const struct solver *s)
{
	TRY(s->has_conflict ? STATUS_UNSUPPORTED : begin(others, w, s));
	return add_all(others, w, s);
}

/* Where the other core was, at the earliest, when this one was at `from`. */
static uint64_t begin_of(const struct other_cores *others, const struct writer *w)
{
	struct moment start = timeline_at(w->own, others->from);
	uint64_t first = 0;
	uint64_t last;

	if (others->from == 0 || !w->is_timed || !start.has_earliest ||
	    timeline_positions(w->history, start.earliest, &first, &last) != STATUS_OK)
		return 0;
	return first;
}

/* What is looked at of a core. */
static struct window_options window_of(const struct other_cores *others, const struct writer *w)
{
	uint64_t length = history_length(w->history);
	bool is_long = length - w->begin > LOOK_BACK_MOST;

	return (struct window_options){.from = is_long ? length - LOOK_BACK_MOST : w->begin,
	                               .to = length,
	                               .handler_preserves = true,
	                               .interrupt = others->interrupt};
}

/* UNSUPPORTED if it contradicts itself. */
static enum status add_solved(struct other_cores *others, struct writer *w, bool abi)
{
	const struct solve_options options = {
	        .window = window_of(others, w),
	        .single_writer = !w->is_proved,
	        .abi = abi,
	};
	struct solver s;
	enum status status = solve_init(&s, w->history, &options);

	if (status == STATUS_OK)
		status = take(others, w, &s);
	solve_fini(&s);
	return status;
}

/* What others wrote while the core traced, as far as it follows without `coherent`. */
static enum status their_writes(struct other_cores *others, size_t core,
                                const struct other_writes **writes)
{
	if (!others->theirs[core])
		others->theirs[core] = other_cores_create(others->histories, others->core_count,
		                                          core, others->interrupt);
	return others->theirs[core] ? other_cores_writes(others->theirs[core], writes)
	                            : STATUS_NO_MEM;
}

/*
 * As the core's own assumed tier has it, but for waiting-tasks: it makes known of another core what
 * it uses rather than what it writes, and that is doubt. UNSUPPORTED if it contradicts itself.
 */
static enum status add_coherent(struct other_cores *others, struct writer *w)
{
	struct solve_options options = {
	        .window = window_of(others, w),
	        .stack_private = true,
	        .own_dumps = true,
	        .abi = true,
	        .private_locals = true,
	};
	struct suppositions supposed = {0};
	struct solver s;
	enum status status;

	TRY(their_writes(others, w->core, &options.others));
	options.window.kernel_private = true;
	status = coherent_init(&s, w->history, &options, &supposed);
	if (status == STATUS_OK)
		status = take(others, w, &s);
	solve_fini(&s);
	suppositions_fini(&supposed);
	return status;
}

/* By what is proved, and what follows if the core is the only writer. */
static enum status add_plain(struct other_cores *others, struct writer *w)
{
	enum status status;

	w->is_proved = true;
	TRY(add_solved(others, w, false));
	/* Code may break the calling standard, and cores that write the same memory contradict
	 * this: then there is what is proved. */
	w->is_proved = false;
	status = add_solved(others, w, true);
	if (status == STATUS_UNSUPPORTED)
		status = add_solved(others, w, false);
	return status == STATUS_UNSUPPORTED ? STATUS_OK : status;
}

/* The tasks that the other core ran, and where this one was meanwhile. */
static enum status add_tasks(struct other_cores *others, struct writer *w)
{
	uint64_t length = history_length(w->history);
	uint64_t at = 0;
	struct context_change change;
	uint64_t number = OTHER_TASK_ANY;

	for (size_t i = 0; at < length; i++) {
		bool is_last = !history_context_change(w->history, i, &change);
		uint64_t end = is_last || change.position > length ? length : change.position;

		if (end > at) {
			struct other_write ran = {.granule = number};

			find_when(w, at);
			ran.first = w->first;
			find_when(w, end - 1);
			ran.last = w->last;
			TRY(other_writes_add(&others->writes.ran, &ran));
		}
		if (is_last)
			break;
		at = end;
		number = change.context.has_context_id ? change.context.context_id : OTHER_TASK_ANY;
	}
	return STATUS_OK;
}

static enum status add_core(struct other_cores *others, size_t core)
{
	struct writer w = {
	        .history = others->histories[core],
	        .own = others->histories[others->core],
	        .core = core,
	        .open_before = others->writes.open.count,
	        .unseen_before = others->writes.unseen.count,
	};
	enum status status;

	if (history_length(w.history) == 0 || history_data(w.history) ||
	    !solve_is_supported(w.history))
		return STATUS_UNSUPPORTED;
	w.is_timed = is_timed(w.history) && is_timed(w.own);
	w.begin = begin_of(others, &w);
	others->is_cut |= w.begin > 0;
	TRY(add_tasks(others, &w));
	status = others->plain ? add_coherent(others, &w) : STATUS_UNSUPPORTED;
	return status == STATUS_UNSUPPORTED ? add_plain(others, &w) : status;
}

static int compare(const void *left, const void *right)
{
	const struct other_store *a = left;
	const struct other_store *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if (a->core != b->core)
		return a->core < b->core ? -1 : 1;
	if (a->position != b->position)
		return a->position < b->position ? -1 : 1;
	return (int)b->is_proved - (int)a->is_proved;
}

/* In order; what both solutions have once, as proved. */
static void sort_stores(struct other_cores *others)
{
	size_t kept = 0;

	if (others->count == 0)
		return;
	qsort(others->stores, others->count, sizeof(*others->stores), compare);
	for (size_t i = 1; i < others->count; i++) {
		const struct other_store *last = &others->stores[kept];
		const struct other_store *next = &others->stores[i];

		if (next->address != last->address || next->core != last->core ||
		    next->position != last->position || next->size != last->size)
			others->stores[++kept] = *next;
	}
	others->count = kept + 1;
}

static enum status look(struct other_cores *others)
{
	if (others->is_found)
		return others->status;
	others->status = STATUS_OK;
	for (size_t core = 0; core < others->core_count && others->status == STATUS_OK; core++) {
		if (core != others->core)
			others->status = add_core(others, core);
	}
	if (others->status == STATUS_OK) {
		sort_stores(others);
		other_writes_sort(&others->writes);
		others->status =
		        pointed_lines_add(&others->writes, others->histories[others->core]);
	}
	if (others->status != STATUS_OK)
		forget(others);
	others->is_found = others->status != STATUS_INTERRUPTED;
	return others->status;
}

enum status other_cores_writes(struct other_cores *others, const struct other_writes **writes)
{
	TRY(look(others));
	*writes = &others->writes;
	return STATUS_OK;
}

/* NULL without memory. */
static struct other_cores *create_coherent(struct other_cores *plain)
{
	struct other_cores *others = other_cores_create(plain->histories, plain->core_count,
	                                                plain->core, plain->interrupt);

	if (!others)
		return NULL;
	others->plain = plain;
	others->theirs = calloc(plain->core_count, sizeof(struct other_cores *));
	if (others->theirs)
		return others;
	other_cores_destroy(others);
	return NULL;
}

/* Begins with all that is known without `coherent`, of whatever time. */
static enum status begin_coherent(struct other_cores *others)
{
	const struct other_writes *plain;

	TRY(other_cores_writes(others->plain, &plain));
	for (size_t i = 0; i < plain->known.count; i++)
		TRY(other_writes_add(&others->writes.known, &plain->known.items[i]));
	for (size_t i = 0; i < plain->used.count; i++)
		TRY(line_set_add(&others->writes.used, plain->used.numbers[i] * CACHE_LINE,
		                 CACHE_LINE));
	return STATUS_OK;
}

/*
 * Since this core was at `from`. Solvers have what was found for a later position: until there is
 * more it stays.
 */
static enum status look_from(struct other_cores *others, uint64_t from)
{
	struct other_cores found = *others;
	enum status status;

	found.is_found = false;
	found.is_cut = false;
	found.from = from;
	found.writes = (struct other_writes){.from = 0};
	status = begin_coherent(&found);
	if (status == STATUS_OK)
		status = look(&found);
	if (status != STATUS_OK) {
		forget(&found);
		if (status == STATUS_UNSUPPORTED) {
			others->is_found = true;
			others->status = status;
		}
		return status;
	}
	if (!found.is_cut)
		found.from = 0;
	forget(others);
	*others = found;
	return STATUS_OK;
}

/* What was found says what they did since this core was at `from`, or there is no more. */
static bool has_from(const struct other_cores *others, uint64_t from)
{
	return others->is_found && (others->status != STATUS_OK || others->from == 0 ||
	                            (from >= others->from && from >= others->writes.from));
}

/*
 * Twice as far back as was asked for, for timestamps that are not there at each instruction; and
 * further where they are rare.
 */
enum status other_cores_writes_coherent(struct other_cores *others, uint64_t from,
                                        const struct other_writes **writes)
{
	uint64_t length = history_length(others->histories[others->core]);
	uint64_t back = length - from > LOOK_BACK_LEAST ? length - from : LOOK_BACK_LEAST;
	struct other_cores *coherent;

	if (!others->coherent)
		others->coherent = create_coherent(others);
	coherent = others->coherent;
	if (!coherent)
		return STATUS_NO_MEM;
	while (!has_from(coherent, from)) {
		back *= 2;
		if (!coherent->is_found || length - coherent->from < back)
			TRY(look_from(coherent, back < length ? length - back : 0));
	}
	TRY(coherent->status);
	*writes = &coherent->writes;
	return STATUS_OK;
}

const struct history *other_cores_history(const struct other_cores *others, size_t core)
{
	return others->histories[core];
}

enum status other_cores_stores(struct other_cores *others, const struct other_store **stores,
                               size_t *count)
{
	TRY(look(others));
	*stores = others->stores;
	*count = others->count;
	return STATUS_OK;
}
