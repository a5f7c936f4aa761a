/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements on their way from the flow of ETMv3 or PTM to the caller: a list that is filled a
 * packet at a time and taken from one by one. The newest elements may be in doubt, as in ETMv3
 * where the next packet may cancel them: these are not given out yet.
 *
 * OpenCSD's ETMv3 decoder uses element objects again without clearing their instruction set, and
 * lists what it finds there with a context that no I-Sync packet gave. `recycled` follows that: a
 * ring of objects, their number, which is the oldest in use.
 */
#ifndef CSREPLAY_DECODER_FLOW_ETM_QUEUE_H
#define CSREPLAY_DECODER_FLOW_ETM_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "decoder/element/element.h"

enum { ETM_RING_MOST = 128 };

struct etm_ring {
	enum isa isas[ETM_RING_MOST];
	size_t size;
	size_t first;
};

struct etm_queue {
	struct element *items; /* owned; [next, count) are not taken yet */
	size_t next;
	size_t count;
	size_t capacity;
	size_t doubtful; /* the last ones of them that are in doubt */
	uint8_t trace_id;
	struct etm_ring recycled;
};

void etm_queue_fini(struct etm_queue *out);

/* Appends an element; `*element` is to be filled and valid until the next one. NO_MEM. */
MUST_USE enum status etm_queue_add(struct etm_queue *out, enum element_type type, uint64_t index,
                                   struct element **element);

/* The next element that is not in doubt; END if there is none. */
MUST_USE enum status etm_queue_take(struct etm_queue *out, struct element *element);

/* How many are not taken yet, in doubt or not; the one that is `back` places from the newest. */
static inline size_t etm_queue_count(const struct etm_queue *out)
{
	return out->count - out->next;
}

static inline const struct element *etm_queue_newest(const struct etm_queue *out, size_t back)
{
	return &out->items[out->count - 1 - back];
}

/* The instruction set that OpenCSD's object for the newest element held before. */
enum isa etm_queue_recycled_isa(const struct etm_queue *out);

/*
 * Puts the newest `count` in doubt, if there are no others: where there are, OpenCSD gives them
 * all out (OcsdGenElemList::pendLastNElem() has the comparison the wrong way round).
 */
void etm_queue_doubt(struct etm_queue *out, size_t count);
/* Takes back those in doubt; takes back all. */
void etm_queue_cancel(struct etm_queue *out);
void etm_queue_reset(struct etm_queue *out);

#endif
