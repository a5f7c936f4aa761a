/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a source wrote, without a hole: one of its buffers, or several of which each is proved to go
 * on where the one before ends. In: the buffers that source_buffers_choose() chose. Out: streams,
 * in the same order; between two of them something may be missing.
 *
 * That nothing is missing between two buffers follows only where they overlap: the end of the first
 * is, byte for byte, the beginning of the second, and in it both say the same two timestamps, one
 * after the other, of which the second is later. Timestamps of a source never go back (IHI 0014,
 * 0035, 0064), so that it steps from the one to the other once, and both buffers have that place.
 * Bytes alone prove nothing, since a loop writes the same ones again and again, and neither do
 * buffers that only touch: no protocol numbers its packets, a timestamp is that of a clock which
 * need not tick between two instructions, and a cycle count is one since the last, not a place.
 */
#ifndef CSREPLAY_DECODER_SOURCE_STREAM_H
#define CSREPLAY_DECODER_SOURCE_STREAM_H

#include "base/diag.h"
#include "base/status.h"
#include "snapshot/snapshot.h"

struct source_stream {
	const struct snap_buffer
	        *buffer; /* of the snapshot, unless joined; then the source's bytes */
	bool is_joined;
};

struct source_streams {
	struct source_stream *items;
	size_t count;
	struct source_join *joins; /* what joined ones hold, `room` of them; private */
	size_t room;
};

/*
 * `chosen`: indexes into snapshot->buffers. A note in `diags` for each two that are joined, and a
 * warning where they overlap the other way round: their order is wrong. NO_MEM. To be ended with
 * source_streams_fini() in any case; what decodes a stream must not outlive it.
 */
MUST_USE enum status source_streams_make(const struct snapshot *snapshot,
                                         const struct snap_source *source, const size_t *chosen,
                                         size_t count, struct diag_list *diags,
                                         struct source_streams *streams);
void source_streams_fini(struct source_streams *streams);

#endif
