/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All sources of one buffer as one list of elements, in the order in which the buffer's bytes
 * complete them: the order of OpenCSD's lister.
 */
#ifndef CSREPLAY_DECODER_LISTING_H
#define CSREPLAY_DECODER_LISTING_H

#include "decoder/decoder.h"

struct listing;

/*
 * Opens every source that may be in `buffer`, or `only` alone if it is not NULL. A source that
 * cannot be decoded is reported in `diags` and left out. The snapshot must outlive the listing.
 */
MUST_USE enum status listing_open(const struct snapshot *snapshot, const struct snap_buffer *buffer,
                                  const struct snap_source *only,
                                  const struct decoder_options *options, struct diag_list *diags,
                                  struct listing **listing);
void listing_destroy(struct listing *listing); /* NULL is fine */

/* As decoder_next(). */
MUST_USE enum status listing_next(struct listing *listing, struct element *element);

/*
 * True, with the place, if the buffer stopped being frames of a formatter: after it no source is
 * listed, and EO_TRACE is missing.
 */
bool listing_broken_at(const struct listing *listing, uint64_t *offset);

#endif
