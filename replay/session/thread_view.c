/* SPDX-License-Identifier: Apache-2.0 */
/* What a context executed, as if it were a core; see thread_view.h. */
#include "replay/session/thread_view.h"

#include <stdlib.h>

#include "replay/session/session_store.h"

static const struct thread_view *view_of(const struct session *session, size_t core)
{
	size_t cores = session->snapshot->core_count;

	return core < cores ? NULL : &session->thread_views[core - cores];
}

size_t session_base_core(const struct session *session, size_t core)
{
	const struct thread_view *view = view_of(session, core);

	return view ? view->core : core;
}

size_t session_thread_view_count(const struct session *session)
{
	return session->thread_view_count;
}

bool session_context(const struct session *session, size_t core, uint32_t *context_id)
{
	const struct thread_view *view = view_of(session, core);

	if (view)
		*context_id = view->context_id;
	return view != NULL;
}

/* The slice that holds a position of the view; its end is in the last one. */
static size_t slice_of(const struct thread_view *view, uint64_t position)
{
	size_t i = view->count - 1;

	while (i > 0 && view->starts[i] > position)
		i--;
	return i;
}

struct session_place session_place(const struct session *session, size_t core, uint64_t position)
{
	const struct thread_view *view = view_of(session, core);
	size_t i;

	if (!view)
		return (struct session_place){core, position};
	i = slice_of(view, position);
	return (struct session_place){view->core,
	                              view->slices[i].from + (position - view->starts[i])};
}

/* The view's position at, or else before, that of its core; its start if there is none. */
static uint64_t position_in(const struct thread_view *view, uint64_t position)
{
	size_t i = view->count - 1;

	while (i > 0 && view->slices[i].from > position)
		i--;
	if (position <= view->slices[i].from)
		return view->starts[i];
	if (position >= view->slices[i].to)
		return view->starts[i] + (view->slices[i].to - view->slices[i].from) -
		       (i + 1 < view->count);
	return view->starts[i] + (position - view->slices[i].from);
}

/* The range's part in a slice, in positions of the core. False if there is none. */
static bool part_of(const struct thread_view *view, size_t i, const struct values_range *range,
                    struct values_range *part)
{
	uint64_t start = view->starts[i];
	uint64_t end = start + (view->slices[i].to - view->slices[i].from);
	uint64_t first = range->first > start ? range->first : start;
	uint64_t last = range->last < end ? range->last : end;

	if (first >= last)
		return false;
	*part = (struct values_range){view->slices[i].from + (first - start),
	                              view->slices[i].from + (last - start), range->forward};
	return true;
}

static struct watch_source source_of(const struct session *session, size_t core)
{
	return (struct watch_source){history_data(session->histories[core]), session->values[core]};
}

bool session_find_watch(const struct session *session, size_t core,
                        const struct values_range *range, struct watch_hit *hit)
{
	const struct thread_view *view = view_of(session, core);
	const struct watch_source source = source_of(session, session_base_core(session, core));
	struct values_range part;

	if (!view)
		return watch_find(&session->watches, &source, range, hit);
	for (size_t n = 0; n < view->count; n++) {
		size_t i = range->forward ? n : view->count - 1 - n;

		if (part_of(view, i, range, &part) &&
		    watch_find(&session->watches, &source, &part, hit)) {
			hit->position = hit->position - view->slices[i].from + view->starts[i];
			hit->stop = hit->stop - view->slices[i].from + view->starts[i];
			return true;
		}
	}
	return false;
}

void session_find_doubt(const struct session *session, size_t core,
                        const struct values_range *range, struct values_may_alias *doubt)
{
	const struct thread_view *view = view_of(session, core);
	const struct watch_source source = source_of(session, session_base_core(session, core));
	struct values_range part;

	if (!view) {
		watch_may_alias(&session->watches, &source, range, doubt);
		return;
	}
	*doubt = (struct values_may_alias){0};
	for (size_t n = 0; n < view->count; n++) {
		size_t i = range->forward ? n : view->count - 1 - n;
		uint64_t shift = view->starts[i] - view->slices[i].from;
		struct values_may_alias one;

		if (!part_of(view, i, range, &part))
			continue;
		watch_may_alias(&session->watches, &source, &part, &one);
		if (doubt->count == 0)
			doubt->position = one.position + shift;
		doubt->count += one.count;
		if (one.blind_first < one.blind_last) {
			doubt->blind_first = one.blind_first + shift;
			doubt->blind_last = one.blind_last + shift;
		}
	}
}

static void drop_view(struct thread_view *view)
{
	free(view->slices);
	free(view->starts);
}

void session_drop_thread_views(struct session *session)
{
	size_t cores = session->snapshot->core_count;

	for (size_t i = 0; i < session->thread_view_count; i++) {
		history_destroy(session->histories[cores + i]);
		drop_view(&session->thread_views[i]);
	}
	free(session->thread_views);
	session->thread_views = NULL;
	session->thread_view_count = 0;
	session->has_thread_views = false;
	session->shows_thread_views = false;
}

static int compare_ids(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left;
	uint32_t b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

static bool grow(void **items, size_t count, size_t size)
{
	void *grown = realloc(*items, count * size);

	*items = grown ? grown : *items;
	return grown != NULL;
}

/* Room for one more in all that a session has one a core of. */
static enum status make_room(struct session *session)
{
	size_t count = session->snapshot->core_count + session->thread_view_count + 1;
	bool is_there = grow((void **)&session->histories, count, sizeof(struct history *)) &&
	                grow((void **)&session->cursors, count, sizeof(*session->cursors)) &&
	                grow((void **)&session->eyes, count, sizeof(*session->eyes)) &&
	                grow((void **)&session->thread_views, session->thread_view_count + 1,
	                     sizeof(*session->thread_views));

	return is_there ? STATUS_OK : STATUS_NO_MEM;
}

/* The view's slices are those of all contexts that are the view's. */
static enum status choose_slices(struct thread_view *view, const struct history_slice *all,
                                 size_t count)
{
	uint64_t length = 0;

	view->slices = calloc(count, sizeof(*view->slices));
	view->starts = calloc(count, sizeof(*view->starts));
	if (!view->slices || !view->starts)
		return STATUS_NO_MEM;
	for (size_t i = 0; i < count; i++) {
		if (all[i].context_id != view->context_id)
			continue;
		view->slices[view->count] = all[i];
		view->starts[view->count++] = length;
		length += all[i].to - all[i].from;
	}
	return STATUS_OK;
}

static enum status add_view(struct session *session, struct thread_view *view)
{
	size_t core = session->snapshot->core_count + session->thread_view_count;
	struct history *history;

	TRY(make_room(session));
	TRY(history_of_slices(session->histories[view->core], view->slices, view->count, &history));
	session->histories[core] = history;
	session->eyes[core] = (struct eyes){.are_given = false};
	session->thread_views[session->thread_view_count++] = *view;
	session->cursors[core] =
	        (struct cursor){history, position_in(view, session->cursors[view->core].position)};
	return STATUS_OK;
}

static enum status add_context(struct session *session, size_t core, uint32_t id,
                               const struct history_slice *slices, size_t count)
{
	struct thread_view view = {.core = core, .context_id = id};
	enum status status = choose_slices(&view, slices, count);

	if (status == STATUS_OK)
		status = add_view(session, &view);
	if (status != STATUS_OK)
		drop_view(&view);
	return status;
}

static enum status add_contexts(struct session *session, size_t core,
                                const struct history_slice *slices, size_t count)
{
	uint32_t *ids = calloc(count + 1, sizeof(*ids));
	enum status status = ids ? STATUS_OK : STATUS_NO_MEM;

	for (size_t i = 0; ids && i < count; i++)
		ids[i] = slices[i].context_id;
	if (ids)
		qsort(ids, count, sizeof(*ids), compare_ids);
	for (size_t i = 0; i < count && status == STATUS_OK; i++) {
		if (i == 0 || ids[i] != ids[i - 1])
			status = add_context(session, core, ids[i], slices, count);
	}
	free(ids);
	return status;
}

enum status session_make_thread_views(struct session *session)
{
	enum status status = STATUS_OK;

	if (session->has_thread_views)
		return STATUS_OK;
	for (size_t i = 0; i < session->snapshot->core_count && status == STATUS_OK; i++) {
		struct history_slice *slices;
		size_t count;

		/* A text with data names no contexts. */
		if (history_data(session->histories[i]))
			continue;
		status = history_context_slices(session->histories[i], &slices, &count);
		if (status != STATUS_OK)
			break;
		status = add_contexts(session, i, slices, count);
		free(slices);
	}
	session->has_thread_views = true;
	if (status != STATUS_OK)
		session_drop_thread_views(session);
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

size_t session_thread_view_at(const struct session *session, size_t core)
{
	size_t cores = session->snapshot->core_count;
	uint64_t position = session->cursors[core].position;

	for (size_t i = 0; i < session->thread_view_count; i++) {
		const struct thread_view *view = &session->thread_views[i];
		uint64_t there = position_in(view, position);
		struct session_place place = session_place(session, cores + i, there);

		if (view->core == core && place.position == position)
			return cores + i;
	}
	return core;
}

void session_follow(struct session *session, size_t from, size_t to)
{
	const struct thread_view *view = view_of(session, to);
	struct session_place place = session_place(session, from, session->cursors[from].position);

	if (place.core == session_base_core(session, to))
		session->cursors[to].position =
		        view ? position_in(view, place.position) : place.position;
}
