/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making thread views: the stretches that each core was in each context, put together where
 * timestamps say in which order they were executed. See thread_view.h and timeline.h.
 */
#include <stdlib.h>

#include "base/vec.h"
#include "replay/history/history.h"
#include "replay/session/session_store.h"
#include "replay/session/thread_view.h"

/* What one core executed in one context: slices of its history, in order. */
struct group {
	size_t core;
	const struct history_slice *slices;
	size_t count;
	bool is_taken; /* a view has it */
	struct parting parting;
};

/* Which views are made. */
struct wish {
	const uint32_t *context_id; /* NULL: of all contexts */
	const size_t *core;         /* NULL: of all cores, together where that is known */
	bool several_cores;         /* none of a context that ran on one core */
};

struct maker {
	const struct session *session;
	struct wish wish;
	struct history_slice **slices; /* one a core; groups are parts of these */
	const struct history **bases;  /* of the cores whose trace says contexts */
	size_t base_count;
	struct group *groups; /* by context, then by core */
	size_t group_count;
	size_t group_capacity;
	struct thread_view *views;
	size_t view_count;
	size_t view_capacity;
};

static int compare_slices(const void *left, const void *right)
{
	const struct history_slice *a = left;
	const struct history_slice *b = right;

	if (a->context_id != b->context_id)
		return a->context_id < b->context_id ? -1 : 1;
	return a->from < b->from ? -1 : a->from > b->from;
}

static int compare_groups(const void *left, const void *right)
{
	const struct group *a = left;
	const struct group *b = right;

	if (a->slices->context_id != b->slices->context_id)
		return a->slices->context_id < b->slices->context_id ? -1 : 1;
	return a->core < b->core ? -1 : a->core > b->core;
}

/* In the order in which clients see them. */
static int compare_views(const void *left, const void *right)
{
	const struct thread_view *a = left;
	const struct thread_view *b = right;
	size_t core_a = a->stays[a->by_core[0]].core;
	size_t core_b = b->stays[b->by_core[0]].core;

	if (core_a != core_b)
		return core_a < core_b ? -1 : 1;
	return a->context_id < b->context_id ? -1 : a->context_id > b->context_id;
}

static enum status add_group(struct maker *m, size_t core, const struct history_slice *slices,
                             size_t count)
{
	if (m->wish.context_id && slices->context_id != *m->wish.context_id)
		return STATUS_OK;
	TRY(vec_reserve((void **)&m->groups, &m->group_capacity, m->group_count + 1,
	                sizeof(*m->groups)));
	m->groups[m->group_count++] = (struct group){
	        .core = core, .slices = slices, .count = count, .parting = {.why = PARTED_NOT}};
	return STATUS_OK;
}

static enum status collect_core(struct maker *m, size_t core)
{
	const struct history *history = m->session->histories[core];
	struct history_slice *slices;
	size_t count;

	/* A text with data names no contexts. */
	if (history_data(history) || (m->wish.core && *m->wish.core != core))
		return STATUS_OK;
	TRY(history_context_slices(history, &m->slices[core], &count));
	slices = m->slices[core];
	if (count == 0)
		return STATUS_OK;
	m->bases[m->base_count++] = history;
	qsort(slices, count, sizeof(*slices), compare_slices);
	for (size_t begin = 0, end = 1; begin < count; begin = end++) {
		while (end < count && slices[end].context_id == slices[begin].context_id)
			end++;
		TRY(add_group(m, core, &slices[begin], end - begin));
	}
	return STATUS_OK;
}

static struct moment moment_of(const struct maker *m, struct session_place place)
{
	return timeline_at(m->session->histories[place.core], place.position);
}

/* How the stays `a` and `b`, of two cores, lie to each other. */
static enum order order_of(const struct maker *m, const struct stay *a, const struct stay *b)
{
	struct moment begin_a = moment_of(m, (struct session_place){a->core, a->from});
	struct moment begin_b = moment_of(m, (struct session_place){b->core, b->from});
	struct moment end_a = moment_of(m, (struct session_place){a->core, a->to});
	struct moment end_b = moment_of(m, (struct session_place){b->core, b->to});

	if (moment_order(&end_a, &begin_b) == ORDER_BEFORE)
		return ORDER_BEFORE;
	return moment_order(&end_b, &begin_a) == ORDER_BEFORE ? ORDER_AFTER : ORDER_UNKNOWN;
}

/* Two stays of which each began before the other ended. */
static bool are_at_once(const struct maker *m, const struct stay *a, const struct stay *b)
{
	struct moment begin_a = moment_of(m, (struct session_place){a->core, a->from + 1});
	struct moment begin_b = moment_of(m, (struct session_place){b->core, b->from + 1});
	struct moment end_a = moment_of(m, (struct session_place){a->core, a->to - 1});
	struct moment end_b = moment_of(m, (struct session_place){b->core, b->to - 1});

	return moment_order(&begin_a, &end_b) == ORDER_BEFORE &&
	       moment_order(&begin_b, &end_a) == ORDER_BEFORE;
}

static struct parting parting_of(const struct maker *m, const struct stay *there,
                                 const struct stay *here)
{
	return (struct parting){are_at_once(m, there, here) ? PARTED_AT_ONCE : PARTED_UNORDERED,
	                        {here->core, here->from},
	                        {there->core, there->from}};
}

static struct stay stay_of(const struct group *group, size_t i)
{
	return (struct stay){group->core, group->slices[i].from, group->slices[i].to, 0};
}

/* The stays of a view with those of a group among them, if all are in one order. */
static enum order merge(const struct maker *m, const struct thread_view *view, struct group *group,
                        struct stay *merged)
{
	size_t i = 0;
	size_t j = 0;

	while (i < view->count && j < group->count) {
		struct stay next = stay_of(group, j);
		enum order order = order_of(m, &view->stays[i], &next);

		if (order == ORDER_UNKNOWN) {
			group->parting = parting_of(m, &view->stays[i], &next);
			return ORDER_UNKNOWN;
		}
		merged[i + j] = order == ORDER_BEFORE ? view->stays[i] : next;
		i += order == ORDER_BEFORE;
		j += order != ORDER_BEFORE;
	}
	for (; i < view->count; i++)
		merged[i + j] = view->stays[i];
	for (; j < group->count; j++)
		merged[i + j] = stay_of(group, j);
	return ORDER_BEFORE;
}

static bool have_other_registers(const struct maker *m, const struct thread_view *view,
                                 struct group *group)
{
	const struct snap_core *cores = m->session->snapshot->cores;
	size_t first = view->stays[0].core;

	if (cores[first].arch == cores[group->core].arch)
		return false;
	group->parting = (struct parting){PARTED_ARCH, {group->core, 0}, {first, 0}};
	return true;
}

/* Makes the group a part of the view, if it is known when it was executed. */
static enum status add_to_view(const struct maker *m, struct thread_view *view, struct group *group)
{
	struct stay *merged;

	if (have_other_registers(m, view, group))
		return STATUS_OK;
	merged = calloc(view->count + group->count, sizeof(*merged));
	if (!merged)
		return STATUS_NO_MEM;
	if (merge(m, view, group, merged) == ORDER_UNKNOWN) {
		free(merged);
		return STATUS_OK;
	}
	free(view->stays);
	view->stays = merged;
	view->count += group->count;
	group->is_taken = true;
	return STATUS_OK;
}

/* Counts the view's positions, and orders its stays by core. */
static enum status index_stays(struct thread_view *view)
{
	uint64_t length = 0;
	size_t filled = 0;

	view->by_core = calloc(view->count, sizeof(*view->by_core));
	if (!view->by_core)
		return STATUS_NO_MEM;
	for (size_t i = 0; i < view->count; i++) {
		view->stays[i].start = length;
		length += view->stays[i].to - view->stays[i].from;
	}
	for (size_t core = 0; filled < view->count; core++) {
		for (size_t i = 0; i < view->count; i++) {
			if (view->stays[i].core == core)
				view->by_core[filled++] = i;
		}
	}
	return STATUS_OK;
}

/* A view that has the stays of a group alone. */
static enum status begin_view(struct maker *m, const struct group *group, struct thread_view **view)
{
	TRY(vec_reserve((void **)&m->views, &m->view_capacity, m->view_count + 1,
	                sizeof(*m->views)));
	*view = &m->views[m->view_count++];
	**view = (struct thread_view){.context_id = group->slices->context_id,
	                              .stays = calloc(group->count, sizeof(*(*view)->stays)),
	                              .parting = group->parting};
	if (!(*view)->stays)
		return STATUS_NO_MEM;
	for (; (*view)->count < group->count; (*view)->count++)
		(*view)->stays[(*view)->count] = stay_of(group, (*view)->count);
	return STATUS_OK;
}

/* The groups `first` to `end` - 1 are of one context; one view or more of them. */
static enum status make_context(struct maker *m, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++) {
		struct thread_view *view;

		if (m->groups[i].is_taken)
			continue;
		TRY(begin_view(m, &m->groups[i], &view));
		for (size_t j = i + 1; j < end; j++) {
			if (!m->groups[j].is_taken)
				TRY(add_to_view(m, view, &m->groups[j]));
		}
		TRY(index_stays(view));
	}
	return STATUS_OK;
}

static enum status make_views(struct maker *m)
{
	for (size_t i = 0; i < m->session->snapshot->core_count; i++)
		TRY(collect_core(m, i));
	if (m->group_count == 0)
		return STATUS_OK;
	qsort(m->groups, m->group_count, sizeof(*m->groups), compare_groups);
	for (size_t first = 0, end = 1; first < m->group_count; first = end++) {
		while (end < m->group_count &&
		       m->groups[end].slices->context_id == m->groups[first].slices->context_id)
			end++;
		if (end - first > 1 || !m->wish.several_cores)
			TRY(make_context(m, first, end));
	}
	if (m->view_count > 0)
		qsort(m->views, m->view_count, sizeof(*m->views), compare_views);
	return STATUS_OK;
}

/* Where else than on one core alone the view may have been executed counts for several only. */
static enum status make_history(const struct maker *m, const struct thread_view *view,
                                struct history **history)
{
	struct history *const *histories = m->session->histories;
	const struct history *base = histories[view->stays[0].core];
	bool is_one = view->stays[view->by_core[0]].core ==
	              view->stays[view->by_core[view->count - 1]].core;
	struct history_slice *slices = calloc(view->count, sizeof(*slices));
	struct history_slices what = {slices, view->count, is_one ? &base : m->bases,
	                              is_one ? 1 : m->base_count};
	enum status status;

	if (!slices)
		return STATUS_NO_MEM;
	for (size_t i = 0; i < view->count; i++)
		slices[i] =
		        (struct history_slice){histories[view->stays[i].core], view->stays[i].from,
		                               view->stays[i].to, view->context_id};
	status = history_of_slices(&what, history);
	free(slices);
	return status;
}

/* Where the view is, as its cores are: the latest of these places. */
static uint64_t find_position(const struct session *session, const struct thread_view *view)
{
	uint64_t latest = 0;

	for (size_t core = 0; core < session->snapshot->core_count; core++) {
		const struct session_place place = {core, session->cursors[core].position};
		uint64_t position;

		if (thread_view_position(view, place, &position) && position > latest)
			latest = position;
	}
	return latest;
}

static bool resize(void **items, size_t count, size_t size)
{
	void *resized = realloc(*items, count * size);

	*items = resized ? resized : *items;
	return resized != NULL;
}

/* The views become the session's. */
static enum status give_views(struct maker *m, struct session *session)
{
	size_t cores = session->snapshot->core_count;
	size_t count = cores + m->view_count;

	if (m->view_count == 0)
		return STATUS_OK;
	if (!resize((void **)&session->histories, count, sizeof(struct history *)) ||
	    !resize((void **)&session->cursors, count, sizeof(*session->cursors)) ||
	    !resize((void **)&session->eyes, count, sizeof(*session->eyes)) ||
	    !resize((void **)&session->calls, count, sizeof(struct calls *)))
		return STATUS_NO_MEM;
	for (size_t i = 0; i < m->view_count; i++) {
		session->histories[cores + i] = NULL;
		session->calls[cores + i] = NULL;
	}
	session->thread_views = m->views;
	session->thread_view_count = m->view_count;
	m->views = NULL;
	m->view_count = 0;
	for (size_t i = 0; i < session->thread_view_count; i++) {
		const struct thread_view *view = &session->thread_views[i];
		struct history **history = &session->histories[cores + i];

		TRY(make_history(m, view, history));
		session->cursors[cores + i] =
		        (struct cursor){*history, find_position(session, view)};
		session->eyes[cores + i] = (struct eyes){.are_given = false};
	}
	return STATUS_OK;
}

static void drop_views(struct thread_view *views, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(views[i].stays);
		free(views[i].by_core);
	}
	free(views);
}

void session_drop_thread_views(struct session *session)
{
	size_t cores = session->snapshot->core_count;

	for (size_t i = 0; i < session->thread_view_count; i++) {
		calls_destroy(session->calls[cores + i]);
		history_destroy(session->histories[cores + i]);
	}
	drop_views(session->thread_views, session->thread_view_count);
	session->thread_views = NULL;
	session->thread_view_count = 0;
	session->has_thread_views = false;
	session->shows_thread_views = false;
}

static void fini_maker(struct maker *m)
{
	for (size_t i = 0; m->slices && i < m->session->snapshot->core_count; i++)
		free(m->slices[i]);
	free(m->slices);
	free(m->bases);
	free(m->groups);
	drop_views(m->views, m->view_count);
}

/* The views that are wished for, without histories; to be ended with fini_maker() in any case. */
static enum status find_views(const struct session *session, struct wish wish, struct maker *m)
{
	size_t cores = session->snapshot->core_count;

	*m = (struct maker){
	        .session = session,
	        .wish = wish,
	        .slices = calloc(cores + 1, sizeof(struct history_slice *)),
	        .bases = calloc(cores + 1, sizeof(struct history *)),
	};
	return m->slices && m->bases ? make_views(m) : STATUS_NO_MEM;
}

static enum status make(struct session *session, struct wish wish)
{
	struct maker m;
	enum status status = find_views(session, wish, &m);

	if (status == STATUS_OK)
		status = give_views(&m, session);
	fini_maker(&m);
	if (status != STATUS_OK)
		session_drop_thread_views(session);
	return status;
}

enum status session_make_thread_views(struct session *session)
{
	if (session->has_thread_views)
		return STATUS_OK;
	session_drop_thread_views(session);
	TRY(make(session, (struct wish){.context_id = NULL}));
	session->has_thread_views = true;
	return STATUS_OK;
}

enum status session_visit_parted(const struct session *session, session_parted *visit,
                                 void *context)
{
	struct maker m;
	enum status status = find_views(session, (struct wish){.several_cores = true}, &m);

	for (size_t i = 0; i < m.view_count && status == STATUS_OK; i++) {
		const struct thread_view *view = &m.views[i];
		struct text why = {0};

		thread_view_why_parted(session, view, &why);
		status = text_status(&why);
		if (status == STATUS_OK && why.length > 0)
			visit(context, view->parting.here.core, view->context_id, text_str(&why));
		text_fini(&why);
	}
	fini_maker(&m);
	return status;
}

bool session_shows_thread_views(const struct session *session)
{
	return session->shows_thread_views;
}

enum status session_show_thread_views(struct session *session, bool on)
{
	if (on)
		TRY(session_make_thread_views(session));
	session->shows_thread_views = on;
	return STATUS_OK;
}

enum status session_make_context(struct session *session, uint32_t context_id, const size_t *core)
{
	session_drop_thread_views(session);
	TRY(make(session, (struct wish){.context_id = &context_id, .core = core}));
	return session->thread_view_count > 0 ? STATUS_OK : STATUS_NOT_FOUND;
}
