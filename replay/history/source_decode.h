/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoding a trace source into parts of a history, on several threads where its trace can be cut.
 *
 * The trace is cut at synchronization points (decoder/decoder.h): a piece begins at the first
 * synchronization point after its first byte and ends at the first one after its last. Each is
 * decoded by itself, with a decoder that has seen nothing before. After that, piece by piece, what
 * one decoder knows at its end must be what the next one knew at its start; where it is not, the
 * first goes on in its place. So what comes out is what one decoder would have made of it all,
 * whatever the trace.
 *
 * In: a source, its buffer. Out: parts, in order, and where execution goes on after them. Each
 * thread has a code graph of its own; nothing is shared while they work.
 */
#ifndef CSREPLAY_REPLAY_HISTORY_SOURCE_DECODE_H
#define CSREPLAY_REPLAY_HISTORY_SOURCE_DECODE_H

#include "replay/history/history_part.h"
#include "replay/history/history_read.h"

struct source_decode {
	/* To be set. */
	const struct snapshot *snapshot;
	const struct snap_core *core;
	const struct snap_source *source;
	const struct snap_buffer *buffer;
	const struct history_options *options;
	const struct memmap *memory; /* the core's; NULL: as the snapshot has it */
	struct diag_list *diags;
	/* Made: owned by the caller, even after a failure. */
	struct graph **graphs;
	size_t graph_count;
	struct part_builder *parts; /* in order */
	size_t part_count;
	size_t part_capacity;
	bool is_opened; /* false: the source cannot be decoded, `diags` says why */
	bool has_next;
	uint64_t next; /* address at which execution goes on; valid if has_next */
};

/* NO_MEM and INTERRUPTED are the only failures. */
MUST_USE enum status source_decode(struct source_decode *decode);
void source_decode_fini(struct source_decode *decode);

#endif
