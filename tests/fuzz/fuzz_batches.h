/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What decoder_pull() must hold against decoder_next(), on one trace source: in a source and its
 * buffer; the program ends at once if a property does not hold. What must hold:
 *   - atom batches, expanded, and the elements between them are the elements of decoder_next(), but
 * for Idx of a range: an atom batch has that of its first packet;
 *   - an atom batch's runs follow one another by edges of the graph, and so does the first one of
 * an atom batch that says so; its numbers are those of its runs;
 *   - each run that is given out was visited, and where the decoder is drained no other was;
 *   - synchronization points and pauses change nothing;
 *   - of two decoders at one synchronization point with one description, all that comes after it is
 * the same.
 */
#ifndef CSREPLAY_TESTS_FUZZ_FUZZ_BATCHES_H
#define CSREPLAY_TESTS_FUZZ_FUZZ_BATCHES_H

#include "decoder/decoder.h"

/* What was looked at, so that who calls it can say that it was not nothing. */
struct batches_seen {
	uint64_t elements;
	uint64_t batches;
	uint64_t joined; /* atom batches of more than one run */
	uint64_t counts; /* cycle counts in them that are elements */
	uint64_t sync_points;
	uint64_t pauses;
	uint64_t resumed; /* synchronization points from which on another decoder was compared */
};

/* `seen` is added to. */
void fuzz_check_batches(const struct snap_source *source, const struct snap_buffer *buffer,
                        const struct decoder_options *options, struct batches_seen *seen);

#endif
