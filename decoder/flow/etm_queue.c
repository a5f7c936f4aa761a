/* SPDX-License-Identifier: Apache-2.0 */
/* The list of elements between the flow of ETMv3 or PTM and the caller. */
#include "decoder/flow/etm_queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

void etm_queue_fini(struct etm_queue *out)
{
	free(out->items);
	out->items = NULL;
}

/* Elements that were taken make room. */
static void compact(struct etm_queue *out)
{
	size_t left = etm_queue_count(out);

	if (out->next == 0)
		return;
	if (left > 0)
		memmove(out->items, out->items + out->next, left * sizeof(*out->items));
	out->next = 0;
	out->count = left;
}

/* All objects of the ring are in use: it grows as OpenCSD's does, the oldest first. */
static void grow_ring(struct etm_ring *ring)
{
	size_t size = ring->size == 0 ? 8 : ring->size + ring->size / 2;
	struct etm_ring grown = {.size = size};

	if (size > ETM_RING_MOST)
		return;
	for (size_t i = 0; i < size; i++)
		grown.isas[i] = i < ring->size ? ring->isas[(ring->first + i) % ring->size]
		                               : ISA_A32; /* of a new object */
	*ring = grown;
}

/* The object of the element that is `place` places after the oldest one. */
static enum isa *ring_isa(struct etm_ring *ring, size_t place)
{
	return &ring->isas[(ring->first + place) % ring->size];
}

/* The element leaves its object after. */
static void recycle(struct etm_queue *out, size_t place)
{
	const struct element *element = &out->items[out->next + place];

	if (element->type == ELEMENT_INSTR_RANGE || element->type == ELEMENT_PE_CONTEXT)
		*ring_isa(&out->recycled, place) = element->isa;
}

enum isa etm_queue_recycled_isa(const struct etm_queue *out)
{
	const struct etm_ring *ring = &out->recycled;

	return ring->isas[(ring->first + etm_queue_count(out) - 1) % ring->size];
}

enum status etm_queue_add(struct etm_queue *out, enum element_type type, uint64_t index,
                          struct element **element)
{
	compact(out);
	if (etm_queue_count(out) >= out->recycled.size)
		grow_ring(&out->recycled);
	TRY(vec_reserve((void **)&out->items, &out->capacity, out->count + 1, sizeof(*out->items)));
	*element = &out->items[out->count++];
	**element = (struct element){.type = type, .trace_id = out->trace_id, .offset = index};
	return STATUS_OK;
}

enum status etm_queue_take(struct etm_queue *out, struct element *element)
{
	if (etm_queue_count(out) <= out->doubtful)
		return STATUS_END;
	recycle(out, 0);
	out->recycled.first = (out->recycled.first + 1) % out->recycled.size;
	*element = out->items[out->next++];
	return STATUS_OK;
}

void etm_queue_doubt(struct etm_queue *out, size_t count)
{
	out->doubtful = count >= etm_queue_count(out) ? count : 0;
}

void etm_queue_cancel(struct etm_queue *out)
{
	for (; out->doubtful > 0; out->doubtful--) {
		recycle(out, etm_queue_count(out) - 1);
		out->count--;
	}
}

void etm_queue_reset(struct etm_queue *out)
{
	etm_queue_doubt(out, etm_queue_count(out));
	etm_queue_cancel(out);
	out->recycled.first = 0;
}
