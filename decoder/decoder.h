/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decoder's public face: one trace source of a snapshot in, generic elements out, pulled one
 * by one. What is inside (deframe -> packets -> flow) depends on the source's protocol.
 */
#ifndef CSREPLAY_DECODER_DECODER_H
#define CSREPLAY_DECODER_DECODER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"
#include "decoder/element.h"
#include "decoder/graph.h"
#include "snapshot/snapshot.h"

struct decoder;

struct decoder_options {
	bool packets; /* yield every packet too, as ELEMENT_PACKET, before what it causes */
	/* How the buffer was captured, over what the snapshot says; not for one source's bytes. */
	bool tpiu;       /* from a trace port, with full synchronisation packets */
	bool tpiu_hsync; /* and half-word ones */
	bool dstream;    /* and in the blocks of a DSTREAM */
	/* ETE: a branch not taken in front of a source address ends a range. */
	bool splits_sources;
	/*
	 * The graph that runs are followed through, for a caller of decoder_pull(): it must outlive
	 * the decoder. NULL: the decoder makes one for itself. One decoder at a time may use it,
	 * and all of them must be of the same source.
	 */
	struct graph *graph;
};

/*
 * What comes next: an element, or runs as legs through the graph (leg_count > 0, element not set).
 * A source that is not followed through a graph gives its runs as elements.
 */
struct decoded {
	const struct leg *legs; /* valid until the next call */
	size_t leg_count;
	bool is_drained; /* all runs visited in the graph so far were given out by now */
	struct element element;
};

/* True if this build decodes the protocol. */
bool decoder_supports(enum protocol protocol);

/*
 * Opens the trace of `source` in `buffer`. BAD_DATA if a register that the protocol needs is
 * missing or contradicts itself, UNSUPPORTED for a protocol or a buffer format that is not
 * handled; one error in `diags`. An empty buffer and a last frame that is not whole are warnings.
 * The snapshot must outlive the decoder.
 */
MUST_USE enum status decoder_open(const struct snapshot *snapshot, const struct snap_source *source,
                                  const struct snap_buffer *buffer,
                                  const struct decoder_options *options, struct diag_list *diags,
                                  struct decoder **decoder);
void decoder_destroy(struct decoder *decoder); /* NULL is fine */

/*
 * The next element. END after the last one (EO_TRACE). Bad data is no failure: it becomes
 * elements. NO_MEM leaves the decoder at its end. The element's pointers are valid until the next
 * call.
 */
MUST_USE enum status decoder_next(struct decoder *decoder, struct element *element);

/* The same, for who can take runs by the leg. Not to be mixed with decoder_next(). */
MUST_USE enum status decoder_pull(struct decoder *decoder, struct decoded *decoded);

/*
 * True, with the place in the buffer, if the decoder came to its end where the buffer stops
 * being frames of a formatter: EO_TRACE is missing then.
 */
bool decoder_broken_at(const struct decoder *decoder, uint64_t *offset);

uint8_t decoder_trace_id(const struct decoder *decoder);

/* Bytes of the buffer that were consumed so far: progress, and the order between sources. */
uint64_t decoder_position(const struct decoder *decoder);

/*
 * Where the trace says that execution stands now, behind the last element: true with the address
 * of the instruction that comes next, false if the trace does not say.
 */
bool decoder_next_address(const struct decoder *decoder, uint64_t *address);

#endif
