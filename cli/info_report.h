/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `csreplay info` tells of a snapshot, and the two forms that it tells it in. In: a snapshot
 * and the session on it. Out: a text. Registers' values are not listed but those of JSON's system
 * registers: that is the debugger's work.
 */
#ifndef CSREPLAY_CLI_INFO_REPORT_H
#define CSREPLAY_CLI_INFO_REPORT_H

#include "replay/session/session.h"
#include "replay/survey/survey.h"

struct info_report {
	const struct snapshot *snapshot;
	struct session *session; /* not const: it keeps what it is asked for */
	struct unclaimed_ids unclaimed_ids;
	struct text *out;
};

/* Aligned tables under their names (info_text.c). */
void info_write_text(const struct info_report *r);
/* One object of docs/schema/info.schema.json, and a newline (info_json.c). */
void info_write_json(const struct info_report *r);

/* The PC that the snapshot has of a core, or NULL. */
const struct snap_register *info_pc(const struct snap_core *core);
/* Of an image's segments. */
uint64_t info_lowest_address(const struct elf_image *image);
/* Where an image comes from: those that a dump names add no memory. */
const char *info_image_origin(const struct snapshot *snapshot, size_t index);

#endif
