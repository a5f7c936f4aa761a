/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The system event log of a snapshot: that of --events, or the file system-event-log of a trace
 * package (trace metadata, sections 5 and 6.4). In: the file, the images that it names. Out:
 * processes over time and the pieces of code that they had.
 */
#ifndef CSREPLAY_SNAPSHOT_SYSTEM_LOG_H
#define CSREPLAY_SNAPSHOT_SYSTEM_LOG_H

#include "snapshot/events/events.h"

#define SYSTEM_LOG_NAME "system-event-log"

struct elf_image;

struct system_log {
	struct str path; /* as the user or the package names it */
	struct event_log events;
	struct process_log processes;
	enum contextidr_form form;
	struct code_pieces pieces;
	struct code_places places; /* of the pieces */
	/* The processes that have code of their own, but for the kernel; rising. */
	uint64_t *owners;
	size_t owner_count;
	struct elf_image **images; /* that the pieces are of */
	size_t image_count;
	size_t image_capacity;
};

/* The number of a process among the owners, or owner_count. */
size_t system_log_owner(const struct system_log *log, uint64_t pid);

/* The process to which a value of CONTEXTIDR belongs at the halt; as process_log_owner(). */
MUST_USE enum status system_log_process(const struct system_log *log, uint32_t id, uint64_t *pid);

#endif
