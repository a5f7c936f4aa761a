/* SPDX-License-Identifier: Apache-2.0 */
/* Linked lists: merge sort of them, reversal, a ring, a priority queue of pointers. */
#include "program.h"

struct cell {
	struct cell *next;
	int32_t value;
	int16_t small;
	int8_t tiny;
};

static struct cell cells[40];
static struct cell *heap[41];
static unsigned int heap_count;

NOINLINE static struct cell *merge(struct cell *a, struct cell *b)
{
	struct cell head;
	struct cell *last = &head;

	while (a && b) {
		if (a->value <= b->value) {
			last = last->next = a;
			a = a->next;
		} else {
			last = last->next = b;
			b = b->next;
		}
	}
	last->next = a ? a : b;
	return head.next;
}

NOINLINE static struct cell *sort(struct cell *list)
{
	struct cell *slow = list;
	struct cell *fast;

	if (!list || !list->next)
		return list;
	for (fast = list->next; fast && fast->next; fast = fast->next->next)
		slow = slow->next;
	fast = slow->next;
	slow->next = NULL;
	return merge(sort(list), sort(fast));
}

NOINLINE static struct cell *reverse(struct cell *list)
{
	struct cell *done = NULL;

	while (list) {
		struct cell *next = list->next;

		list->next = done;
		done = list;
		list = next;
	}
	return done;
}

NOINLINE static void heap_put(struct cell *c)
{
	unsigned int at = ++heap_count;

	for (; at > 1 && heap[at / 2]->small > c->small; at /= 2)
		heap[at] = heap[at / 2];
	heap[at] = c;
}

NOINLINE static struct cell *heap_get(void)
{
	struct cell *top = heap[1];
	struct cell *last = heap[heap_count--];
	unsigned int at = 1;

	while (2 * at <= heap_count) {
		unsigned int child = 2 * at;

		if (child < heap_count && heap[child + 1]->small < heap[child]->small)
			child++;
		if (last->small <= heap[child]->small)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = last;
	return top;
}

uint32_t program(uint32_t rounds)
{
	uint32_t random = 5;
	uint32_t sum = 0;

	for (uint32_t round = 0; round < rounds; round++) {
		struct cell *list = NULL;

		for (int i = 0; i < 30; i++) {
			uint32_t r = next_random(&random);

			cells[i] = (struct cell){list, (int32_t)r, (int16_t)(r >> 7), (int8_t)r};
			list = &cells[i];
			heap_put(list);
		}
		list = reverse(sort(list));
		for (struct cell *c = list; c; c = c->next)
			sum = sum * 3 + (uint32_t)(c->value >> 4) + (uint32_t)c->tiny;
		while (heap_count > 0)
			sum += (uint32_t)(heap_get() - cells) << (heap_count % 8);
	}
	return sum;
}
