/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watchpoints of a session: which ones there are, and what a continue stops for. Possible accesses
 * of one source line are one stop of a run of continues, and so is a stretch of which nothing is
 * known. See session.h, session_watch.h.
 */
#include "replay/session/session_watch.h"

#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"
#include "replay/history/history.h"
#include "replay/session/session_store.h"
#include "replay/session/thread_view.h"

enum { LINES_MOST = 20 };

bool session_can_watch(const struct session *session)
{
	for (size_t i = 0; i < session_core_count(session); i++) {
		if (history_data(session->histories[i]) ||
		    (session->values[i] && values_can(session->values[i])))
			return true;
	}
	return false;
}

enum status session_watch_set(struct session *session, const struct watch *watch)
{
	return watch_add(&session->watches, watch);
}

void session_watch_clear(struct session *session, const struct watch *watch)
{
	watch_remove(&session->watches, watch);
}

bool session_watches_beside(const struct session *session, const struct watch *watch)
{
	const struct watch_list *list = &session->watches;

	for (size_t i = 0; i < list->count; i++) {
		if (!watch_is_same(&list->items[i], watch) && watch_meet(&list->items[i], watch))
			return true;
	}
	return false;
}

void session_watch_after(struct session *session, bool after)
{
	session->watches.stops_after = after;
}

void session_set_possible(struct session *session, enum possible_access what)
{
	session->possible = what;
}

enum possible_access session_possible(const struct session *session)
{
	return session->possible;
}

/* The history is that of a core, or of a view. */
static struct source_place place_of(struct session *session, const struct history *history,
                                    uint64_t position)
{
	struct source_place place = {.is_known = false};
	const struct source_lines *lines;

	place.is_known = position < history_length(history) &&
	                 history_pc(history, position, &place.pc) == STATUS_OK;
	/* Without memory for them there are no lines. */
	if (place.is_known && (session_source_lines(session, &lines) != STATUS_OK ||
	                       !source_lines_find(lines, place.pc, &place.line)))
		place.line.file = NULL;
	return place;
}

static bool is_same_place(const struct source_place *a, const struct source_place *b)
{
	if (!a->is_known || !b->is_known)
		return false;
	if (a->pc == b->pc)
		return true;
	return a->line.file && b->line.file && a->line.line == b->line.line &&
	       strcmp(a->line.file, b->line.file) == 0;
}

/* It is the stretch that was told last, or goes on from there. */
static bool was_told(const struct blind_told *told, size_t core, uint64_t position)
{
	return told->any && told->core == core && position + 1 >= told->first &&
	       position <= told->last + 1;
}

static void extend(struct blind_told *told, const struct values_access *blind)
{
	uint64_t first = blind->position < blind->last ? blind->position : blind->last;
	uint64_t last = blind->position < blind->last ? blind->last : blind->position;

	if (first < told->first)
		told->first = first;
	if (last > told->last)
		told->last = last;
}

static bool was_stopped_at(const struct places_told *told, const struct source_place *place)
{
	for (size_t i = 0; i < told->count; i++) {
		if (is_same_place(&told->items[i], place))
			return true;
	}
	return false;
}

static bool passes(void *context, size_t core, const struct values_access *access)
{
	struct session *session = context;
	struct source_place place;

	if (session->possible != POSSIBLE_STOP)
		return true;
	if (access->verdict == VALUES_BLIND) {
		if (!was_told(&session->blind_told, core, access->position))
			return false;
		extend(&session->blind_told, access);
		return true;
	}
	if (access->supposed == SUPPOSED_ELSEWHERE)
		return true;
	if (session->places_told.count == 0)
		return false;
	place = place_of(session, session->histories[core], access->position);
	return was_stopped_at(&session->places_told, &place);
}

/* The same for the same watchpoints in any order. */
static uint64_t sum_of(const struct watch_list *list)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < list->count; i++)
		sum += hash_u64(hash_u64(list->items[i].address) ^
		                (list->items[i].size << 2 | list->items[i].kind));
	return sum;
}

/* A move that does not go on with the last one has stopped nowhere yet. */
static void begin_run(struct session *session, size_t core, bool forward)
{
	struct places_told *told = &session->places_told;
	uint64_t watches = sum_of(&session->watches);

	if (told->core == core && told->position == session->cursors[core].position &&
	    told->forward == forward && told->watches == watches)
		return;
	told->count = 0;
	told->core = core;
	told->forward = forward;
	told->watches = watches;
}

void session_met(struct session *session, size_t core)
{
	session->places_told.position = session->cursors[core].position;
}

/* Without memory for it the place is one more stop. */
static void add_place(struct places_told *told, const struct source_place *place)
{
	if (vec_reserve((void **)&told->items, &told->capacity, told->count + 1,
	                sizeof(*told->items)) == STATUS_OK)
		told->items[told->count++] = *place;
}

static struct values_range way_of(uint64_t from, uint64_t to)
{
	return from < to ? (struct values_range){from, to, true}
	                 : (struct values_range){to, from, false};
}

bool session_meet(struct session *session, size_t core, uint64_t to, struct watch_hit *hit)
{
	const struct values_range way = way_of(session->cursors[core].position, to);
	const struct watch_pass pass = {.passes = passes, .context = session};
	struct source_place place;
	struct session_place at;

	if (session->watches.count == 0)
		return false;
	begin_run(session, core, way.forward);
	if (!session_find_watch(session, core, &way, &pass, hit))
		return false;
	at = session_place(session, core, hit->access.position);
	if (hit->access.verdict == VALUES_BLIND)
		session->blind_told = (struct blind_told){true, at.core, at.position, at.position};
	if (hit->access.verdict == VALUES_POSSIBLE) {
		place = place_of(session, session->histories[core], hit->access.position);
		add_place(&session->places_told, &place);
	}
	return true;
}

void session_why_blind(const struct session *session, size_t core, uint64_t position,
                       struct text *out)
{
	const struct values *values = session->values[session_place(session, core, position).core];

	if (values)
		values_why_blind(values, out);
}

bool session_is_later_halt(const struct session *session, size_t core, uint64_t position)
{
	return session_core_count(session) > 1 && !session->assumptions.single_writer &&
	       position == history_length(session_history(session, core));
}

size_t session_watched_at(const struct session *session, size_t core, uint64_t position,
                          uint64_t address, void *out, size_t size)
{
	struct values *values = session->values[session_place(session, core, position).core];
	size_t known;

	if (values)
		values_keep_windows(values, true);
	known = session_memory_at(session, core, position, address, out, size);
	if (values)
		values_keep_windows(values, false);
	return known;
}

void session_format_address(struct session *session, uint64_t address, struct text *out)
{
	const struct source_lines *lines;
	const struct symbols *symbols;
	struct source_line line;

	/* Without memory for them there are no names. */
	if (session_symbols(session, &symbols) != STATUS_OK)
		symbols = NULL;
	symbols_format(symbols, address, out);
	if (session_source_lines(session, &lines) == STATUS_OK &&
	    source_lines_find(lines, address, &line))
		text_printf(out, " (%s:%d)", line.file, line.line);
}

bool session_format_variable(struct session *session, uint64_t address, struct text *out)
{
	const struct symbols *symbols;

	return session_symbols(session, &symbols) == STATUS_OK &&
	       symbols_format_object(symbols, address, out);
}

void session_format_place(struct session *session, size_t core, uint64_t position, struct text *out)
{
	struct source_place place = place_of(session, session->histories[core], position);

	text_printf(out, "position %" PRIu64, position);
	if (!place.is_known)
		return;
	text_puts(out, ", ");
	session_format_address(session, place.pc, out);
}

/* Candidates of one place, one after the other. */
struct group {
	struct session *session;
	struct source_place place;
	uint64_t more; /* after the first */
};

static bool passes_group(void *context, size_t core, const struct values_access *access)
{
	struct group *group = context;
	struct session *session = group->session;
	struct source_place place;

	if (access->verdict == VALUES_BLIND)
		return true;
	place = place_of(session, session->histories[core], access->position);
	if (!is_same_place(&place, &group->place))
		return false;
	group->more++;
	return true;
}

static void write_group(struct session *session, size_t core, const struct watch_hit *first,
                        const struct group *group, struct text *out)
{
	text_puts(out, "  ");
	session_format_place(session, core, first->access.position, out);
	if (group->more > 0)
		text_printf(out, ", and %" PRIu64 " more of this line", group->more);
	text_char(out, '\n');
}

void session_list_possible(struct session *session, size_t core, uint64_t from, struct text *out)
{
	struct values_range way = way_of(from, session->cursors[core].position);
	struct group group = {.session = session};
	const struct watch_pass pass = {.passes = passes_group, .context = &group};
	struct values_may_alias rest = {0};
	struct watch_hit first;
	struct watch_hit hit;
	bool found = session_find_watch(session, core, &way, &pass, &hit);

	for (unsigned int i = 0; i < LINES_MOST && found; i++) {
		first = hit;
		if (first.access.verdict == VALUES_PROVED)
			return;
		group.place = place_of(session, session->histories[core], first.access.position);
		group.more = 0;
		if (way.forward)
			way.first = first.access.position + 1;
		else
			way.last = first.access.position;
		found = session_find_watch(session, core, &way, &pass, &hit);
		write_group(session, core, &first, &group, out);
	}
	if (!found)
		return;
	session_find_doubt(session, core, &way, &rest);
	text_printf(out, "  and %" PRIu64 " more\n", rest.count - group.more);
}
