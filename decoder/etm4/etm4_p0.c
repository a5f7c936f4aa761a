/* SPDX-License-Identifier: Apache-2.0 */
/* The queue of ETMv4 elements that await their commit. IHI 0064, "Speculation". */
#include "decoder/etm4/etm4_p0.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

enum status p0_push(struct p0_queue *q, const struct p0 *item)
{
	if (q->head > 0 && q->tail == q->capacity) {
		memmove(q->items, q->items + q->head, (q->tail - q->head) * sizeof(*q->items));
		q->tail -= q->head;
		q->head = 0;
	}
	TRY(vec_reserve((void **)&q->items, &q->capacity, q->tail + 1, sizeof(*q->items)));
	q->items[q->tail++] = *item;
	return STATUS_OK;
}

struct p0 *p0_oldest(struct p0_queue *q)
{
	return p0_is_empty(q) ? NULL : &q->items[q->head];
}

void p0_drop_oldest(struct p0_queue *q)
{
	if (!p0_is_empty(q))
		q->head++;
	if (p0_is_empty(q))
		p0_clear(q);
}

void p0_clear(struct p0_queue *q)
{
	q->head = 0;
	q->tail = 0;
}

void p0_fini(struct p0_queue *q)
{
	free(q->items);
	*q = (struct p0_queue){0};
}

/* How many P0 elements an entry is. */
static uint32_t p0_count(const struct p0 *item)
{
	if (!item->is_p0)
		return 0;
	return item->kind == P0_ATOMS || item->kind == P0_UNSEEN ? item->count : 1;
}

uint32_t p0_cancel(struct p0_queue *q, uint32_t count)
{
	size_t kept = q->tail; /* entries [kept, tail) stay */
	size_t at = q->tail;

	while (count > 0 && at > q->head) {
		struct p0 *item = &q->items[--at];
		uint32_t holds = p0_count(item);

		if (holds > count) {
			item->count -= count;
			count = 0;
			at++;
		} else if (holds > 0) {
			count -= holds;
		} else if (item->kind >= P0_EVENT) {
			q->items[--kept] = *item;
		}
	}
	memmove(&q->items[at], &q->items[kept], (q->tail - kept) * sizeof(*q->items));
	q->tail = at + (q->tail - kept);
	return count;
}

static void remove_at(struct p0_queue *q, size_t at)
{
	q->tail--;
	memmove(&q->items[at], &q->items[at + 1], (q->tail - at) * sizeof(*q->items));
}

bool p0_mispredict(struct p0_queue *q)
{
	for (size_t at = q->tail; at-- > q->head;) {
		struct p0 *item = &q->items[at];

		if (item->kind == P0_ATOMS) {
			item->atoms ^= UINT32_C(1) << (item->count - 1);
			return true;
		}
		if (item->kind == P0_UNSEEN)
			return true;
		if (item->kind == P0_ADDRESS)
			remove_at(q, at);
	}
	return false;
}
