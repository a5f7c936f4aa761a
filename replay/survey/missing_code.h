/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code that a core executed and no dump or image has. In: the places where the trace could not be
 * followed, with the bytes of trace that passed until it could again. Out: ranges of addresses,
 * those that cost most first, each with what would give it.
 */
#ifndef CSREPLAY_REPLAY_SURVEY_MISSING_CODE_H
#define CSREPLAY_REPLAY_SURVEY_MISSING_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"
#include "snapshot/snapshot.h"

/* A page of 4 KiB with code that is missing, or several that lie together. */
struct missing_range {
	uint64_t first; /* lowest and highest address at which an opcode was wanted */
	uint64_t last;
	uint64_t gaps;
	uint64_t bytes; /* of trace */
};

/* Zeroed to begin with; ended with missing_code_fini(). */
struct missing_code {
	struct missing_range *pages; /* by address */
	size_t count;
	size_t capacity;
	uint64_t total; /* bytes of trace in all, lost or not */
};

/* An opcode at `address` was wanted. NO_MEM. */
MUST_USE enum status missing_code_add(struct missing_code *missing, uint64_t address,
                                      uint64_t bytes);
void missing_code_fini(struct missing_code *missing);

/* A warning for each range, up to a number of them. NO_MEM. */
MUST_USE enum status missing_code_report(const struct missing_code *missing,
                                         const struct snapshot *snapshot,
                                         const struct snap_core *core, struct diag_list *diags);

#endif
