/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What decoder_pull() must hold against decoder_next(), on one trace source: in a source and its
 * buffer; the program ends at once if a property does not hold. What must hold:
 *   - legs, expanded, and the elements between them are the elements of decoder_next(), but for Idx
 *     of a range: a leg has that of its first packet;
 *   - a leg's runs follow one another by edges of the graph, and so does the first one of a leg
 * that says so; its numbers are those of its runs;
 *   - each run that is given out was visited, and where the decoder is drained no other was;
 *   - joints and pauses change nothing;
 *   - of two decoders at one joint with one description, all that comes behind it is the same.
 */
#ifndef CSREPLAY_TESTS_FUZZ_FUZZ_LEGS_H
#define CSREPLAY_TESTS_FUZZ_FUZZ_LEGS_H

#include "decoder/decoder.h"

/* What was looked at, so that who calls it can say that it was not nothing. */
struct legs_seen {
	uint64_t elements;
	uint64_t legs;
	uint64_t joined; /* legs of more than one run */
	uint64_t joints;
	uint64_t pauses;
	uint64_t resumed; /* joints from which on another decoder was compared */
};

/* `seen` is added to. */
void fuzz_check_legs(const struct snap_source *source, const struct snap_buffer *buffer,
                     const struct decoder_options *options, struct legs_seen *seen);

#endif
