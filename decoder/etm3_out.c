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

enum status etm3_out_add(struct etm3_out *out, enum element_type type, uint64_t index,
                         struct element **element)
{
	compact(out);
	TRY(vec_reserve((void **)&out->items, &out->capacity, out->count + 1,
	                sizeof(*out->items)));
	*element = &out->items[out->count++];
	**element = (struct element){.type = type, .trace_id = out->trace_id, .offset = index};
	return STATUS_OK;
}

enum status etm3_out_take(struct etm3_out *out, struct element *element)
{
	if (etm3_out_count(out) <= out->doubtful)
		return STATUS_END;
	*element = out->items[out->next++];
	return STATUS_OK;
}

void etm3_out_doubt(struct etm3_out *out, size_t count)
{
	out->doubtful = count;
}

void etm3_out_cancel(struct etm3_out *out)
{
	out->count -= out->doubtful;
	out->doubtful = 0;
}
