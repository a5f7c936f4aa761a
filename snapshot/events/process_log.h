/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes over time, as a system event log tells them. In: its messages. Out: states, one after
 * the other, between which code appeared, changed or went; in which of them each image and each
 * patch was there; whose a value of CONTEXTIDR was. Trace metadata, sections 5.3, 5.5 and 5.7.
 *
 * State 0 is before the first change; each time at which messages say START or END, or that code
 * was patched, begins the next one. Where the log has no times, each such message does. What is
 * said to be CURRENT, or ends, and was not said to begin, was there from the first state on.
 */
#ifndef CSREPLAY_SNAPSHOT_PROCESS_LOG_H
#define CSREPLAY_SNAPSHOT_PROCESS_LOG_H

#include "snapshot/events/event_log.h"

/* What the operating system puts into CONTEXTIDR (5.3.1). */
enum contextidr_form {
	/*
	 * What the log says: of a log without ASIDs the number of a thread or process; else an ASID
	 * too, alone or in bits 0 to 7 below such a number. Where two readings name two processes,
	 * nobody knows.
	 */
	CONTEXTIDR_AS_LOGGED,
	CONTEXTIDR_PID,  /* the number of a thread or process */
	CONTEXTIDR_ASID, /* an ASID, in bits 0 to 7; what is above counts for nothing */
	CONTEXTIDR_BOTH, /* such a number in bits 8 to 31, and perhaps an ASID in bits 0 to 7 */
};

/* States first <= s < end. */
struct state_range {
	uint32_t first;
	uint32_t end;
};

/* Code that was there: an image, of a process or a library, or a patch. */
struct logged_code {
	const struct system_event *event; /* PROCESS, LIBRARY or PATCH_CODE */
	struct state_range states;        /* not empty */
};

struct logged_name;

struct process_log {
	const uint64_t *times; /* at which state i + 1 begins; of a log with times */
	uint32_t states;       /* how many, at least 1 */
	bool has_times;
	bool has_processes;             /* it names a process beside the kernel, process 0 (5.6) */
	const struct logged_code *code; /* in the order of the messages */
	size_t code_count;
	const struct logged_name *names; /* by kind and number */
	size_t name_count;
	bool has_asids;
};

/* What the messages amount to. It lies in `arena` and points into `events`. NO_MEM. */
MUST_USE enum status process_log_make(struct arena *arena, const struct event_log *events,
                                      struct process_log *log);

/*
 * In which states a moment may be that is not before *earliest and not after *latest; NULL: that
 * is not known.
 */
struct state_range process_log_states(const struct process_log *log, const uint64_t *earliest,
                                      const uint64_t *latest);

/*
 * The process to which CONTEXTIDR's value `id` belongs in each of these states in which it belongs
 * to any. NOT_FOUND if no message names one, UNAVAILABLE if they name several.
 */
MUST_USE enum status process_log_owner(const struct process_log *log, enum contextidr_form form,
                                       uint32_t id, struct state_range states, uint64_t *pid);

#endif
