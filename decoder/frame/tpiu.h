/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formatter frames as a trace port sends them (CoreSight Architecture IHI 0029, "Frame
 * synchronization packet", "Halfword synchronization packet"). In: what was captured from the
 * port, or a file of a DSTREAM. Out: frames of 16 bytes, pulled one by one.
 *
 * Between frames the port may send full synchronisation packets (0x7fffffff), within frames
 * half-word ones (0x7fff); neither is data. The first full one is where frames begin. A DSTREAM
 * stores blocks of 512 bytes; each ends with 8 that are its own, and frames go on across.
 *
 * Places count captured bytes: the DSTREAM's own are left out.
 */
#ifndef CSREPLAY_DECODER_FRAME_TPIU_H
#define CSREPLAY_DECODER_FRAME_TPIU_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"

enum {
	TPIU_FRAME = 16,
	DSTREAM_BLOCK = 512,
	DSTREAM_DATA = 504, /* of a block, at its start */
};

struct tpiu {
	struct bytes in;
	bool has_hsync;
	bool is_dstream;
	bool is_synced; /* the first full synchronisation packet was found */
};

/* `data` must outlive the reader. */
void tpiu_init(struct tpiu *tpiu, struct bytes data, bool has_hsync, bool is_dstream);

/*
 * The next frame, and the place where it begins. END: no whole frame is left. BAD_DATA: there is
 * a synchronisation packet where none may be, so that the bytes are no frames; so says every later
 * call too.
 */
MUST_USE enum status tpiu_next(struct tpiu *tpiu, uint8_t frame[TPIU_FRAME], uint64_t *place);

/* Bytes of `data` that were read. */
uint64_t tpiu_consumed(const struct tpiu *tpiu);

#endif
