/* SPDX-License-Identifier: Apache-2.0 */
/* An allocator with size classes, headers and coalescing; its users link and walk what they get. */
#include "program.h"

enum { HEAP = 6000 };

struct block {
	uint32_t size; /* bit 0: in use */
	uint32_t before;
	struct block *next;
	struct block *previous;
};

struct node {
	struct node *left;
	struct node *right;
	uint32_t key;
	uint8_t name[5];
};

static uint64_t heap[HEAP / 8];
static struct block *free_list;
static uint32_t in_use;

#define HEADER offsetof(struct block, next)

static void unlink_block(struct block *b)
{
	if (b->previous)
		b->previous->next = b->next;
	else
		free_list = b->next;
	if (b->next)
		b->next->previous = b->previous;
}

static void link_block(struct block *b)
{
	b->previous = NULL;
	b->next = free_list;
	if (free_list)
		free_list->previous = b;
	free_list = b;
}

static struct block *after(struct block *b)
{
	return (struct block *)((char *)b + (b->size & ~1u));
}

static void begin_heap(void)
{
	struct block *last;

	free_list = (struct block *)heap;
	free_list->size = HEAP - 32;
	free_list->before = 0;
	free_list->next = free_list->previous = NULL;
	last = after(free_list);
	last->size = 1;
	last->before = HEAP - 32;
}

NOINLINE static void *take(uint32_t size)
{
	struct block *b = free_list;

	size = (size + HEADER + 15) & ~15u;
	if (size < 32)
		size = 32;
	while (b && b->size < size)
		b = b->next;
	if (!b)
		return NULL;
	unlink_block(b);
	if (b->size - size >= 32) {
		struct block *rest = (struct block *)((char *)b + size);

		rest->size = b->size - size;
		rest->before = size;
		after(rest)->before = rest->size;
		b->size = size;
		link_block(rest);
	}
	b->size |= 1;
	in_use += b->size & ~1u;
	return (char *)b + HEADER;
}

NOINLINE static void give(void *p)
{
	struct block *b = (struct block *)((char *)p - HEADER);
	struct block *next;

	b->size &= ~1u;
	in_use -= b->size;
	next = after(b);
	if ((next->size & 1) == 0) {
		unlink_block(next);
		b->size += next->size;
	}
	if (b->before != 0) {
		struct block *before = (struct block *)((char *)b - b->before);

		if ((before->size & 1) == 0) {
			unlink_block(before);
			before->size += b->size;
			b = before;
		}
	}
	after(b)->before = b->size;
	link_block(b);
}

NOINLINE static struct node *insert(struct node *tree, uint32_t key)
{
	if (!tree) {
		struct node *n = take(sizeof(*n));

		if (!n)
			return NULL;
		n->left = n->right = NULL;
		n->key = key;
		for (int i = 0; i < 5; i++)
			n->name[i] = (uint8_t)(key >> i);
		return n;
	}
	if (key < tree->key)
		tree->left = insert(tree->left, key);
	else
		tree->right = insert(tree->right, key);
	return tree;
}

NOINLINE static uint32_t fell(struct node *tree)
{
	uint32_t sum;

	if (!tree)
		return 0;
	sum = fell(tree->left) + tree->key * tree->name[3];
	sum += fell(tree->right);
	give(tree);
	return sum;
}

uint32_t program(uint32_t rounds)
{
	uint32_t random = 2463534242u;
	uint32_t sum = 0;
	void *kept[8] = {NULL};

	begin_heap();
	for (uint32_t round = 0; round < rounds; round++) {
		struct node *tree = NULL;

		for (uint32_t i = 0; i < 12; i++) {
			uint32_t r = next_random(&random);

			tree = insert(tree, r & 0xffff);
			if (kept[r % 8]) {
				give(kept[r % 8]);
				kept[r % 8] = NULL;
			} else {
				kept[r % 8] = take(20 + (r >> 20) % 100);
			}
		}
		sum = sum * 17 + fell(tree) + in_use;
	}
	return sum;
}
