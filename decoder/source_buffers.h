/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of its buffers a source's trace is read from. Snapshot format 1.0, 3.3.4: a source's data
 * may be in several buffers, as where a system replicates it into an ETB and a TPIU. In: a source
 * with its buffers, in the order given. Out: those that are to be decoded, in that order.
 *
 * The format does not say whether two buffers hold parts of a trace or the same trace twice. What
 * the source wrote is compared: where one buffer's bytes are found as a whole in another's, it is
 * the same trace, and used once; all others are parts, one after the other.
 */
#ifndef CSREPLAY_DECODER_SOURCE_BUFFERS_H
#define CSREPLAY_DECODER_SOURCE_BUFFERS_H

#include "base/diag.h"
#include "base/status.h"
#include "snapshot/snapshot.h"

/*
 * Writes indexes into snapshot->buffers to `chosen`, which has room for source->buffer_count, and
 * how many to `*count`. A buffer in which another source has the same trace ID is none of its, and
 * so there may be none (snap_source_shares_id()). Of the others a buffer without a byte of the
 * source is left out, unless all are: then the first is chosen. A note in `diags` for each that is
 * left out as a copy. NO_MEM.
 */
MUST_USE enum status source_buffers_choose(const struct snapshot *snapshot,
                                           const struct snap_source *source,
                                           struct diag_list *diags, size_t *chosen, size_t *count);

#endif
