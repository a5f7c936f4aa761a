/* SPDX-License-Identifier: Apache-2.0 */
/* The list of elements between the flow of ETMv3 or PTM and the caller. */
#include "decoder/etm3_out.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

void etm3_out_fini(struct etm3_out *out)
{
	free(out->items);
	out->items = NULL;
}

/* Elements that were taken make room. */
static void compact(struct etm3_out *out)
{
	size_t left = etm3_out_count(out);

	if (out->next == 0)
		return;
	if (left > 0)
		memmove(out->items, out->items + out->next, left * sizeof(*out->items));
	out->next = 0;
	out->count = left;
}

/* All objects of the ring are in use: it grows as OpenCSD's does, the oldest first. */
static void grow_ring(struct etm3_ring *ring)
{
	size_t size = ring->size == 0 ? 8 : ring->size + ring->size / 2;
	struct etm3_ring grown = {.size = size};

	if (size > ETM3_RING_MOST)
		return;
	for (size_t i = 0; i < size; i++)
		grown.isas[i] = i < ring->size ? ring->isas[(ring->first + i) % ring->size]
		                               : ISA_A32; /* of a new object */
	*ring = grown;
}

/* The object of the element that is `place` places behind the oldest one. */
static enum isa *ring_isa(struct etm3_ring *ring, size_t place)
{
	return &ring->isas[(ring->first + place) % ring->size];
}

/* The element leaves its object behind. */
static void recycle(struct etm3_out *out, size_t place)
{
	const struct element *element = &out->items[out->next + place];

	if (element->type == ELEMENT_INSTR_RANGE || element->type == ELEMENT_PE_CONTEXT)
		*ring_isa(&out->recycled, place) = element->isa;
}

enum isa etm3_out_recycled_isa(const struct etm3_out *out)
{
	const struct etm3_ring *ring = &out->recycled;

	return ring->isas[(ring->first + etm3_out_count(out) - 1) % ring->size];
}

enum status etm3_out_add(struct etm3_out *out, enum element_type type, uint64_t index,
                         struct element **element)
{
	compact(out);
	if (etm3_out_count(out) >= out->recycled.size)
		grow_ring(&out->recycled);
	TRY(vec_reserve((void **)&out->items, &out->capacity, out->count + 1, sizeof(*out->items)));
	*element = &out->items[out->count++];
	**element = (struct element){.type = type, .trace_id = out->trace_id, .offset = index};
	return STATUS_OK;
}

enum status etm3_out_take(struct etm3_out *out, struct element *element)
{
	if (etm3_out_count(out) <= out->doubtful)
		return STATUS_END;
	recycle(out, 0);
	out->recycled.first = (out->recycled.first + 1) % out->recycled.size;
	*element = out->items[out->next++];
	return STATUS_OK;
}

void etm3_out_doubt(struct etm3_out *out, size_t count)
{
	out->doubtful = count >= etm3_out_count(out) ? count : 0;
}

void etm3_out_cancel(struct etm3_out *out)
{
	for (; out->doubtful > 0; out->doubtful--) {
		recycle(out, etm3_out_count(out) - 1);
		out->count--;
	}
}

void etm3_out_reset(struct etm3_out *out)
{
	etm3_out_doubt(out, etm3_out_count(out));
	etm3_out_cancel(out);
	out->recycled.first = 0;
}
