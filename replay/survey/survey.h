/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of a snapshot's trace is not decoded, why, and which setting would decode it. In: a
 * snapshot. Out: diagnostics, each with the file to change, and the list of trace IDs that no
 * source claims.
 */
#ifndef CSREPLAY_REPLAY_SURVEY_SURVEY_H
#define CSREPLAY_REPLAY_SURVEY_SURVEY_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"
#include "snapshot/snapshot.h"

struct history;
struct trace_ids; /* decoder/decoder.h */

/* A trace ID that occurs in a buffer and is that of no source said to be in it. */
struct unclaimed_id {
	size_t buffer; /* index in the snapshot */
	uint8_t id;
	uint64_t bytes;
	uint64_t first; /* places in the buffer of its first and last byte */
	uint64_t last;
};

struct unclaimed_ids {
	struct unclaimed_id *items; /* by buffer, then by ID */
	size_t count;
};

/*
 * Counts the IDs of all buffers with frames. Of memory after the trace, where there are no frames,
 * nothing is counted. `seen` is what decoding has seen of each buffer, or NULL: one whose IDs are
 * known and claimed is not read again. NO_MEM. To be ended with unclaimed_ids_fini() in any case.
 */
MUST_USE enum status survey_ids(const struct snapshot *snapshot, const struct trace_ids *seen,
                                struct unclaimed_ids *ids);
void unclaimed_ids_fini(struct unclaimed_ids *ids);

/* A warning for each. NO_MEM. */
MUST_USE enum status survey_warn_of_ids(const struct snapshot *snapshot,
                                        const struct unclaimed_ids *ids, struct diag_list *diags);

/*
 * Of a core whose history is empty: a warning if there is trace of it, but no synchronization
 * point. `seen` is what decoding has seen of each buffer. NO_MEM.
 */
MUST_USE enum status survey_warn_unsynchronized(const struct snapshot *snapshot,
                                                const struct snap_core *core,
                                                const struct trace_ids *seen,
                                                struct diag_list *diags);

/* What the warnings of missing code of both functions below have in their texts. */
#define SURVEY_MISSING_CODE "no dump or image has"

/*
 * Of a history: a warning if it has gaps for want of opcodes, with their number and the range of
 * addresses that has most of them. NO_MEM.
 */
MUST_USE enum status survey_warn_of_missing_code(const struct snapshot *snapshot,
                                                 const struct history *history,
                                                 struct diag_list *diags);

/*
 * Decodes all of the trace: an error for a source that cannot be decoded, a warning for each range
 * of code that is missing and for the IDs above, and for a setting other than the snapshot's with
 * which more is decoded, as trials with a part of the trace show. NO_MEM.
 */
MUST_USE enum status survey_trace(const struct snapshot *snapshot, struct diag_list *diags);

#endif
