/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The system event log: what the operating system says of its address spaces while it is traced, in
 * the order in which it happened. In: a text, a message a line (docs/formats/event-log.md). Out:
 * the messages as values. Trace metadata, sections 5.5 to 5.8.
 */
#ifndef CSREPLAY_SNAPSHOT_EVENT_LOG_H
#define CSREPLAY_SNAPSHOT_EVENT_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/diag.h"
#include "base/status.h"
#include "base/str.h"

enum system_event_kind {
#define X(name, text, arguments, fewest) SYSTEM_EVENT_##name,
#include "snapshot/events/event_log.def"
#undef X
	SYSTEM_EVENTS, /* how many */
};

/* 5.5.1: something begins to be, ends, or is said to be there. */
enum system_event_state {
	SYSTEM_EVENT_START,
	SYSTEM_EVENT_END,
	SYSTEM_EVENT_CURRENT,
};

/* What patch_code says of the code that is there from then on. */
enum patched_code {
	PATCHED_CODE_NONE, /* nothing: the code is to be found where it was put */
	PATCHED_CODE_ID,   /* a number or hash that something outside the log knows */
	PATCHED_CODE_BYTES,
};

/* A register of a trace source, as define_trace sets it. */
struct system_event_register {
	struct str name; /* "ETMCR" if the message gives a number alone */
	uint64_t value;
};

/* One message. Fields that its kind does not have are zero. */
struct system_event {
	enum system_event_kind kind;
	enum system_event_state state; /* of all but PATCH_CODE */
	bool has_time;
	uint64_t time; /* of the CoreSight timestamp, as trace has it */
	uint64_t pid;
	uint64_t tid;
	uint64_t asid;
	uint64_t address; /* base of an image; start of patched code */
	uint64_t length;  /* PATCH_CODE: bytes */
	struct str image; /* a file's name, as written */
	struct str uuid;
	enum patched_code code;
	uint64_t code_id;
	struct bytes code_bytes; /* `length` of them, in the order of memory */
	uint8_t trace_id;        /* TRACE: ATB ID */
	struct str source;       /* TRACE: which trace source */
	const struct system_event_register *registers;
	size_t register_count;
	struct place place;
};

struct event_log {
	const struct system_event *events; /* by time, or as written if not every one has a time */
	size_t count;
	bool has_times; /* every event has one */
};

/*
 * Reads a log. Lines that are no message are reported to `diags` and left out; times that go back
 * are reported. What the log keeps lies in `arena`; slices of `content` and `name` are kept too.
 * NO_MEM is the only failure.
 */
MUST_USE enum status event_log_read(struct arena *arena, struct str name, struct str content,
                                    struct diag_list *diags, struct event_log *log);

/* "declare_process" and so on. */
const char *system_event_name(enum system_event_kind kind);

#endif
