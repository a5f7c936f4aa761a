/* SPDX-License-Identifier: Apache-2.0 */
/* What a context executed, as if it were a core; see thread_view.h. */
#include "replay/session/thread_view.h"

#include <inttypes.h>

#include "replay/session/session_store.h"

static const struct thread_view *view_of(const struct session *session, size_t core)
{
	size_t cores = session->snapshot->core_count;

	return core < cores ? NULL : &session->thread_views[core - cores];
}

size_t session_base_core(const struct session *session, size_t core)
{
	return core < session->snapshot->core_count
	               ? core
	               : session_place(session, core, session->cursors[core].position).core;
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

/* The stay that holds a position of the view; its end is in the last one. */
static size_t stay_at(const struct thread_view *view, uint64_t position)
{
	size_t low = 0;
	size_t high = view->count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (view->stays[middle].start <= position)
			low = middle;
		else
			high = middle;
	}
	return low;
}

struct session_place session_place(const struct session *session, size_t core, uint64_t position)
{
	const struct thread_view *view = view_of(session, core);
	const struct stay *stay;

	if (!view)
		return (struct session_place){core, position};
	stay = &view->stays[stay_at(view, position)];
	return (struct session_place){stay->core, stay->from + (position - stay->start)};
}

static bool is_after(const struct stay *stay, struct session_place place)
{
	return stay->core > place.core || (stay->core == place.core && stay->from > place.position);
}

/* The last stay that begins at a place or before it, on that core; else its first one there. */
static const struct stay *stay_on(const struct thread_view *view, struct session_place place)
{
	size_t low = 0;
	size_t high = view->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (is_after(&view->stays[view->by_core[middle]], place))
			high = middle;
		else
			low = middle + 1;
	}
	if (low > 0 && view->stays[view->by_core[low - 1]].core == place.core)
		return &view->stays[view->by_core[low - 1]];
	if (low < view->count && view->stays[view->by_core[low]].core == place.core)
		return &view->stays[view->by_core[low]];
	return NULL;
}

bool thread_view_position(const struct thread_view *view, struct session_place place,
                          uint64_t *position)
{
	const struct stay *stay = stay_on(view, place);

	if (!stay)
		return false;
	if (place.position <= stay->from)
		*position = stay->start;
	else if (place.position < stay->to)
		*position = stay->start + (place.position - stay->from);
	else
		*position = stay->start + (stay->to - stay->from) -
		            (stay != &view->stays[view->count - 1]);
	return true;
}

bool session_ran_on(const struct session *session, size_t core, size_t base)
{
	const struct thread_view *view = view_of(session, core);
	uint64_t position;

	return view ? thread_view_position(view, (struct session_place){base, 0}, &position)
	            : core == base;
}

static void write_place(const struct session *session, struct session_place place, struct text *out)
{
	text_printf(out, "position %" PRIu64 " of %.*s", place.position,
	            STR_ARG(session->snapshot->cores[place.core].device->name));
}

void session_why_parted(const struct session *session, size_t core, struct text *out)
{
	const struct thread_view *view = view_of(session, core);

	if (view)
		thread_view_why_parted(session, view, out);
}

void thread_view_why_parted(const struct session *session, const struct thread_view *view,
                            struct text *out)
{
	const struct parting *parting = &view->parting;

	if (parting->why == PARTED_NOT)
		return;
	text_printf(out, "not one thread with that of %.*s: ",
	            STR_ARG(session->snapshot->cores[parting->there.core].device->name));
	if (parting->why == PARTED_ARCH) {
		text_puts(out, "the cores are of two architectures");
		return;
	}
	text_puts(out, parting->why == PARTED_AT_ONCE ? "the context ran at "
	                                              : "no timestamps say whether ");
	write_place(session, parting->there, out);
	text_puts(out, parting->why == PARTED_AT_ONCE ? " and " : " or ");
	write_place(session, parting->here, out);
	text_puts(out, parting->why == PARTED_AT_ONCE ? " at the same time" : " was first");
}

/* The range's part in a stay, in positions of the core. False if there is none. */
static bool part_of(const struct stay *stay, const struct values_range *range,
                    struct values_range *part)
{
	uint64_t end = stay->start + (stay->to - stay->from);
	uint64_t first = range->first > stay->start ? range->first : stay->start;
	uint64_t last = range->last < end ? range->last : end;

	if (first >= last)
		return false;
	*part = (struct values_range){stay->from + (first - stay->start),
	                              stay->from + (last - stay->start), range->forward};
	return true;
}

static struct watch_source source_of(const struct session *session, size_t core)
{
	return (struct watch_source){history_data(session->histories[core]), session->values[core]};
}

/* The stays of a range in its direction: the first one, and how many. */
struct stay_range {
	size_t first;
	size_t count;
	bool forward;
};

static struct stay_range stays_of(const struct thread_view *view, const struct values_range *range)
{
	size_t first = stay_at(view, range->first);
	size_t last = stay_at(view, range->last);

	return (struct stay_range){range->forward ? first : last, last - first + 1, range->forward};
}

static const struct stay *stay_of(const struct thread_view *view, const struct stay_range *range,
                                  size_t n)
{
	return &view->stays[range->forward ? range->first + n : range->first - n];
}

/* watch_find() on one core. */
static bool find_on(const struct session *session, size_t core, const struct values_range *range,
                    const struct watch_pass *pass, struct watch_hit *hit)
{
	const struct watch_source source = source_of(session, core);
	struct watch_pass here;

	if (!pass)
		return watch_find(&session->watches, &source, range, NULL, hit);
	here = *pass;
	here.core = core;
	return watch_find(&session->watches, &source, range, &here, hit);
}

bool session_find_watch(const struct session *session, size_t core,
                        const struct values_range *range, const struct watch_pass *pass,
                        struct watch_hit *hit)
{
	const struct thread_view *view = view_of(session, core);
	struct stay_range stays;
	struct values_range part;

	if (!view)
		return find_on(session, core, range, pass, hit);
	stays = stays_of(view, range);
	for (size_t n = 0; n < stays.count; n++) {
		const struct stay *stay = stay_of(view, &stays, n);

		if (!part_of(stay, range, &part) || !find_on(session, stay->core, &part, pass, hit))
			continue;
		hit->access.position = hit->access.position - stay->from + stay->start;
		hit->access.last = hit->access.last - stay->from + stay->start;
		hit->stop = hit->stop - stay->from + stay->start;
		return true;
	}
	return false;
}

/* Adds what one stay leaves in doubt, in the view's positions. */
static void add_doubt(struct values_may_alias *doubt, const struct values_may_alias *one,
                      uint64_t shift)
{
	if (doubt->count == 0)
		doubt->position = one->position + shift;
	doubt->count += one->count;
	doubt->elsewhere += one->elsewhere;
	if (one->blind_first < one->blind_last) {
		doubt->blind_first = one->blind_first + shift;
		doubt->blind_last = one->blind_last + shift;
	}
}

void session_find_doubt(const struct session *session, size_t core,
                        const struct values_range *range, struct values_may_alias *doubt)
{
	const struct thread_view *view = view_of(session, core);
	struct watch_source source;
	struct stay_range stays;
	struct values_range part;

	if (!view) {
		source = source_of(session, core);
		watch_may_alias(&session->watches, &source, range, doubt);
		return;
	}
	*doubt = (struct values_may_alias){0};
	stays = stays_of(view, range);
	for (size_t n = 0; n < stays.count; n++) {
		const struct stay *stay = stay_of(view, &stays, n);
		struct values_may_alias one;

		if (!part_of(stay, range, &part))
			continue;
		source = source_of(session, stay->core);
		watch_may_alias(&session->watches, &source, &part, &one);
		add_doubt(doubt, &one, stay->start - stay->from);
	}
}

size_t session_thread_view_at(const struct session *session, size_t core)
{
	size_t cores = session->snapshot->core_count;
	const struct session_place here = {core, session->cursors[core].position};

	for (size_t i = 0; i < session->thread_view_count; i++) {
		struct session_place place;
		uint64_t position;

		if (!thread_view_position(&session->thread_views[i], here, &position))
			continue;
		place = session_place(session, cores + i, position);
		if (place.core == core && place.position == here.position)
			return cores + i;
	}
	return core;
}

void session_follow(struct session *session, size_t from, size_t to)
{
	const struct thread_view *view = view_of(session, to);
	struct session_place place = session_place(session, from, session->cursors[from].position);
	uint64_t position = place.position;

	if (view ? thread_view_position(view, place, &position) : place.core == to)
		session->cursors[to].position = position;
}
