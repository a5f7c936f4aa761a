/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atom packets of one byte each that lie one after the other, taken together. In: what each header
 * byte says, and the bytes. Out: atoms, as graph_run() takes them.
 */
#ifndef CSREPLAY_DECODER_FLOW_ATOM_RUN_H
#define CSREPLAY_DECODER_FLOW_ATOM_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "decoder/flow/graph.h"

/* By header byte; count 0: no packet of atoms alone. */
struct atom_headers {
	uint8_t counts[256];
	uint32_t atoms[256]; /* bit 0 is the oldest, 1 is E */
};

struct atom_run {
	uint32_t atoms; /* bit 0 is the oldest */
	unsigned int count;
	const uint8_t *end; /* of the packets */
};

/* Those at the cursor, which stays there: as many as a batch has runs at most, or of one packet. */
static inline struct atom_run atom_run_gather(const struct atom_headers *headers,
                                              const struct bytes *in, bool joins_packets)
{
	struct atom_run run = {.end = in->pos};

	while (run.end < in->end) {
		unsigned int count = headers->counts[*run.end];

		if (count == 0 || run.count + count > GRAPH_BATCH_RUNS)
			break;
		run.atoms |= headers->atoms[*run.end++] << run.count;
		run.count += count;
		if (!joins_packets)
			break;
	}
	return run;
}

/* The packet that the atom after the first `ran` is in. */
static inline const uint8_t *atom_run_at(const struct atom_headers *headers, const struct bytes *in,
                                         unsigned int ran)
{
	const uint8_t *at = in->pos;

	while (ran >= headers->counts[*at])
		ran -= headers->counts[*at++];
	return at;
}

/* What is left of the packet in which the `ran` first of them end, and not all; the cursor is
 * there. */
static inline struct atom_run atom_run_rest(const struct atom_headers *headers, struct bytes *in,
                                            unsigned int ran)
{
	while (ran >= headers->counts[*in->pos])
		ran -= headers->counts[*in->pos++];
	return (struct atom_run){headers->atoms[*in->pos] >> ran, headers->counts[*in->pos] - ran,
	                         in->pos + 1};
}

#endif
