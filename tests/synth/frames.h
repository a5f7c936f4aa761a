/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CoreSight trace formatter: bytes with their trace IDs in, 16-byte frames out. IHI 0029
 * (CoreSight architecture), chapter D4.
 */
#ifndef CSREPLAY_TESTS_SYNTH_FRAMES_H
#define CSREPLAY_TESTS_SYNTH_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "tests/synth/buf.h"

struct frame_stream {
	unsigned int id; /* 1 to 0x6f */
	const uint8_t *data;
	size_t size;
};

/* How the bytes of several streams take turns. */
struct frame_options {
	size_t turn; /* bytes of a stream before the next one's; 0: whole streams */
	unsigned int
	        repeat; /* the ID is written again at the start of every so many frames; 0: never */
};

/* The streams, interleaved, as whole frames; what is left of the last one has ID 0. */
void frames_put(struct buf *out, const struct frame_stream *streams, size_t count,
                const struct frame_options *options);

#endif
