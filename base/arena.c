/* SPDX-License-Identifier: Apache-2.0 */
/* Region allocator: a list of blocks, objects cut from the newest. */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ARENA_BLOCK = 16 * 1024 };

struct arena_block {
	struct arena_block *next;
	size_t used;
	size_t size;
	alignas(max_align_t) unsigned char data[];
};

void *arena_alloc(struct arena *a, size_t size)
{
	const size_t align = alignof(max_align_t);
	struct arena_block *block = a->blocks;
	void *object;

	if (size == 0 || size > SIZE_MAX / 2)
		return NULL;
	size = (size + align - 1) / align * align;
	if (!block || block->size - block->used < size) {
		size_t room = size > ARENA_BLOCK ? size : ARENA_BLOCK;

		block = calloc(1, sizeof(*block) + room);
		if (!block)
			return NULL;
		block->size = room;
		block->next = a->blocks;
		a->blocks = block;
	}
	object = block->data + block->used;
	block->used += size;
	return object;
}

struct str arena_str(struct arena *a, struct str s)
{
	char *copy = s.n < SIZE_MAX ? arena_alloc(a, s.n + 1) : NULL;

	if (!copy)
		return (struct str){NULL, 0};
	if (s.n > 0)
		memcpy(copy, s.p, s.n);
	return (struct str){copy, s.n};
}

void arena_fini(struct arena *a)
{
	while (a->blocks) {
		struct arena_block *next = a->blocks->next;

		free(a->blocks);
		a->blocks = next;
	}
}
