/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any text as a system event log. Holds: every line is empty, a comment, a message or has a
 * diagnostic; messages are in the order of their times or, without, of their lines; what a message
 * keeps is as long as it says. Of what the messages amount to: states are in the log's, no two
 * pieces of code of one process lie over each other, and each lies in one place.
 */
#include <stdlib.h>

#include "fuzz.h"
#include "snapshot/events/events.h"

static void check_event(const struct system_event *e)
{
	FUZZ_CHECK(e->kind < SYSTEM_EVENTS && system_event_name(e->kind));
	FUZZ_CHECK(e->register_count == 0 || e->kind == SYSTEM_EVENT_TRACE);
	if (e->kind == SYSTEM_EVENT_TRACE)
		FUZZ_CHECK(e->trace_id >= 1 && e->trace_id <= 0x6f);
	if (e->kind == SYSTEM_EVENT_PATCH_CODE)
		FUZZ_CHECK(e->length > 0 && e->address + (e->length - 1) >= e->address);
	if (e->code == PATCHED_CODE_BYTES)
		FUZZ_CHECK(bytes_left(&e->code_bytes) == e->length);
}

static uint64_t count_told(struct str content)
{
	uint64_t lines = 0;

	while (content.n > 0) {
		size_t end = str_find(content, '\n');
		struct str line = str_trim((struct str){content.p, end});

		lines += line.n > 0 && line.p[0] != '#';
		content = str_skip(content, end < content.n ? end + 1 : end);
	}
	return lines;
}

enum { CODE_MOST = 64, FORMS = CONTEXTIDR_BOTH + 1 };

static int compare_code(const void *a, const void *b)
{
	const struct logged_code *x = a;
	const struct logged_code *y = b;

	if (x->states.first != y->states.first)
		return x->states.first < y->states.first ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

static bool overlap(const struct code_piece *a, const struct code_piece *b)
{
	return a->pid == b->pid && a->address <= b->last && b->address <= a->last &&
	       a->states.first < b->states.end && b->states.first < a->states.end;
}

static void check_pieces(const struct code_pieces *pieces, uint32_t states)
{
	struct code_places places = {0};

	FUZZ_CHECK(code_pieces_places(pieces, states, &places) == STATUS_OK);
	for (size_t i = 0; i < pieces->count; i++) {
		const struct code_piece *piece = &pieces->items[i];
		size_t at = code_places_find(&places, piece->address);

		FUZZ_CHECK(piece->states.first < piece->states.end && piece->states.end <= states);
		FUZZ_CHECK(at < places.count && places.items[at].first == piece->address);
		for (size_t j = 0; j < i; j++)
			FUZZ_CHECK(!overlap(piece, &pieces->items[j]));
	}
	for (size_t i = 1; i < places.count; i++)
		FUZZ_CHECK(places.items[i - 1].last < places.items[i].first);
	code_places_fini(&places);
}

static void check_code(const struct process_log *log)
{
	struct logged_code order[CODE_MOST];
	struct code_pieces pieces = {0};

	if (log->code_count > CODE_MOST)
		return;
	for (size_t i = 0; i < log->code_count; i++)
		order[i] = log->code[i];
	qsort(order, log->code_count, sizeof(order[0]), compare_code);
	for (size_t i = 0; i < log->code_count; i++) {
		const struct system_event *e = order[i].event;
		bool is_patch = e->kind == SYSTEM_EVENT_PATCH_CODE;
		struct code_piece piece = {.pid = e->pid,
		                           .address = e->address,
		                           .last = is_patch ? e->address + (e->length - 1)
		                                            : e->address | 0xff,
		                           .states = order[i].states,
		                           .is_patch = is_patch};

		FUZZ_CHECK(code_pieces_add(&pieces, &piece, true) == STATUS_OK);
	}
	check_pieces(&pieces, log->states);
	code_pieces_fini(&pieces);
}

static void check_processes(struct arena *arena, const struct event_log *events)
{
	struct process_log log;

	FUZZ_CHECK(process_log_make(arena, events, &log) == STATUS_OK);
	FUZZ_CHECK(log.states >= 1 && log.states <= events->count + 1);
	for (size_t i = 0; i < events->count; i++) {
		const struct system_event *e = &events->events[i];
		struct state_range states = process_log_states(&log, &e->time, &e->time);
		uint64_t pid;

		FUZZ_CHECK(states.first < states.end && states.end <= log.states);
		for (unsigned int form = 0; form < FORMS; form++)
			(void)!process_log_owner(&log, (enum contextidr_form)form,
			                         (uint32_t)(e->pid ^ e->asid), states, &pid);
	}
	check_code(&log);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str content = {size > 0 ? (const char *)data : "", size};
	struct arena arena = {0};
	struct diag_list diags = {0};
	struct event_log log;

	FUZZ_CHECK(event_log_read(&arena, STR("log"), content, &diags, &log) == STATUS_OK);
	for (size_t i = 0; i < log.count; i++) {
		check_event(&log.events[i]);
		if (i > 0 && log.has_times)
			FUZZ_CHECK(log.events[i - 1].time <= log.events[i].time);
		if (i > 0 && !log.has_times)
			FUZZ_CHECK(log.events[i - 1].place.line < log.events[i].place.line);
	}
	FUZZ_CHECK(log.count + diags.errors == count_told(content));
	check_processes(&arena, &log);
	diag_list_fini(&diags);
	arena_fini(&arena);
	return 0;
}
