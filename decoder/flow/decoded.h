/* SPDX-License-Identifier: Apache-2.0 */
/* What a decoder is asked for, and what it yields: what decoder.h and protocol.h have in common. */
#ifndef CSREPLAY_DECODER_FLOW_DECODED_H
#define CSREPLAY_DECODER_FLOW_DECODED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/element/element.h"
#include "decoder/flow/graph.h"

/* IDs of trace sources that occur in a buffer: bit ID % 64 of bits[ID / 64]. */
struct trace_ids {
	bool is_known;
	uint64_t bits[2];
};

struct decoder_options {
	bool packets; /* yield every packet too, as ELEMENT_PACKET, before what it causes */
	/* How the buffer was captured, over what the snapshot says; not for one source's bytes. */
	bool tpiu;       /* from a trace port, with full synchronisation packets */
	bool tpiu_hsync; /* and half-word ones */
	bool dstream;    /* and in the blocks of a DSTREAM */
	/*
	 * A range that no branch ends, as before an exception, goes only as far as execution can
	 * have gone by the code; then an I_RANGE_NOPATH that is_unreached says where it had to
	 * come. Without, it goes on through whatever lies there, as OpenCSD 1.8's do.
	 */
	bool keeps_to_code;
	/* ETE: a branch not taken before a source address ends a range. */
	bool splits_sources;
	/*
	 * The graph that runs are followed through, for a caller of decoder_pull(): it must outlive
	 * the decoder. NULL: the decoder makes one for itself. One decoder at a time may use it,
	 * and all of them must be of the same source.
	 */
	struct graph *graph;
	/* The IDs that occur in the buffer, if that is known. */
	struct trace_ids ids;
	/*
	 * Where in the buffer to begin, a multiple of 16, as if what is before had not been traced;
	 * for decoders that decoder_can_begin_at() names.
	 */
	uint64_t begin;
	bool stops_at_sync_points;
	/* The core's memory, perhaps read with another choice; NULL: as the snapshot has it. */
	const struct memmap *memory;
};

/*
 * What comes next: an element, or runs as atom batches through the graph (batch_count > 0, element
 * not set). A source that is not followed through a graph gives its runs as elements.
 *
 * Or a synchronization point (no atom batch, no element), if the caller asked for them: a place
 * after an A-Sync from which on nothing depends on what was before the A-Sync, if the source keeps
 * its rules. Two decoders that stand at the same synchronization point with the same description
 * yield the same from there on.
 */
struct decoded {
	bool is_sync_point;
	bool is_paused;                   /* no atom batch, no element: the limit was met */
	const struct atom_batch *batches; /* valid until the next call */
	size_t batch_count;
	const struct cycle_count *counts; /* of the batches, in their order; valid as long */
	bool is_drained; /* all runs visited in the graph so far were given out by now */
	struct element element;
};

#endif
