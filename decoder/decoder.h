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
#include "decoder/flow/flow.h"
#include "snapshot/snapshot.h"

struct decoder;

/* True if this build decodes the protocol. */
bool decoder_supports(enum protocol protocol);

/* What a buffer is decoded with where its user says nothing of how it was captured. */
struct decoder_options decoder_options_of(const struct snap_buffer *buffer);

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

/* The same, for who can take runs by the atom batch. Not to be mixed with decoder_next(). */
MUST_USE enum status decoder_pull(struct decoder *decoder, struct decoded *decoded);

/*
 * Pauses at `end` of the buffer, a multiple of 16, until a call of this moves it; after the
 * buffer's end there is no limit. For decoders that decoder_can_begin_at() names.
 */
void decoder_limit(struct decoder *decoder, uint64_t end);

/* True if the source can be decoded in pieces, each from an A-Sync on. */
bool decoder_can_begin_at(const struct snap_source *source, const struct snap_buffer *buffer);

/*
 * At a synchronization point, before the next pull: the place in the buffer of the A-Sync that it
 * is after, and a description of all that what comes depends on. NO_MEM.
 */
uint64_t decoder_sync_point_offset(const struct decoder *decoder);
MUST_USE enum status decoder_describe_sync_point(const struct decoder *decoder, struct text *out);

/*
 * True, with the place in the buffer, if the decoder came to its end where the buffer stops
 * being frames of a formatter: EO_TRACE is missing then.
 */
bool decoder_broken_at(const struct decoder *decoder, uint64_t *offset);

uint8_t decoder_trace_id(const struct decoder *decoder);

/* The IDs of frames that were decoded or passed over so far; not known if there are no frames. */
struct trace_ids decoder_seen_ids(const struct decoder *decoder);

/* Bytes of the buffer that were consumed so far: progress, and the order between sources. */
uint64_t decoder_position(const struct decoder *decoder);

/*
 * Where the trace says that execution stands now, after the last element: true with the address
 * of the instruction that comes next, false if the trace does not say.
 */
bool decoder_next_address(const struct decoder *decoder, uint64_t *address);

/* The rest of the public face of this room. */
#include "decoder/buffer_format.h"
#include "decoder/listing.h"
#include "decoder/source_buffers.h"
#include "decoder/source_stream.h"

#endif
