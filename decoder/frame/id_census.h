/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which trace IDs a buffer of formatter frames has, with how many bytes, and where. IHI 0029,
 * formatter frames and "ATB ID values". In: a buffer. Out: a count an ID.
 *
 * The null ID 0x00 is padding, 0x7b a flush response and 0x7d a trigger; no source has them. The
 * others from 0x70 on are reserved: where one is, or an ID in whose turn there is not one byte,
 * there are no frames, as in memory after the trace. What is from there on is not counted.
 */
#ifndef CSREPLAY_DECODER_FRAME_ID_CENSUS_H
#define CSREPLAY_DECODER_FRAME_ID_CENSUS_H

#include "decoder/frame/deframe.h"

enum { TRACE_IDS = 128 };

struct id_count {
	uint64_t bytes;
	uint64_t first; /* place in the buffer of the first byte; valid if bytes > 0 */
	uint64_t last;  /* and of the last */
	/* It has a synchronization packet of some protocol: it is a trace. */
	bool is_synced;
};

struct id_census {
	struct id_count ids[TRACE_IDS];
	bool is_broken;
	uint64_t broken_at; /* place where there are no frames any more; valid if is_broken */
	/* Private. */
	int current_id;
	uint8_t zeros[TRACE_IDS]; /* the ID's bytes before: how many 0x00, 0xff; up to a limit */
	uint8_t ones[TRACE_IDS];
};

void id_census_init(struct id_census *census);

/*
 * Counts a buffer of frames, or a part of one, whole frames that begin at `place` of it; parts are
 * to come in order.
 */
void id_census_add(struct id_census *census, struct bytes frames, uint64_t place);

/* Counts a buffer in any format but one source's bytes, of which there are no IDs. */
void id_census_add_buffer(struct id_census *census, enum deframe_format format, struct bytes data);

#endif
