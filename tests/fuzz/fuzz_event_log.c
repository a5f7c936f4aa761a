/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any text as a system event log. Holds: every line is empty, a comment, a message or has a
 * diagnostic; messages are in the order of their times or, without, of their lines; what a message
 * keeps is as long as it says.
 */
#include <stdlib.h>

#include "fuzz.h"
#include "snapshot/events/event_log.h"

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
	diag_list_fini(&diags);
	arena_fini(&arena);
	return 0;
}
