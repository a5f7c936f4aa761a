/* SPDX-License-Identifier: Apache-2.0 */
/* Region allocator: a list of blocks, objects cut from the first. */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/huge_pages.h"

enum { ARENA_BLOCK = 16 * 1024 };

struct arena_block {
	struct arena_block *next;
	size_t used;
	size_t size;
	alignas(max_align_t) unsigned char data[];
};

static size_t room_left(const struct arena_block *block)
{
	return block ? block->size - block->used : 0;
}

/* Objects are cut from it next, unless the block that they are cut from has more room left. */
static struct arena_block *add_block(struct arena *a, size_t size)
{
	size_t least = (a->is_large ? HUGE_PAGE : ARENA_BLOCK) - sizeof(struct arena_block);
	size_t room = size > least ? size : least;
	struct arena_block *block = huge_pages_malloc(sizeof(*block) + room);
	struct arena_block **at = &a->blocks;

	if (!block)
		return NULL;
	if (room_left(a->blocks) > room - size)
		at = &a->blocks->next;
	block->used = 0;
	block->size = room;
	block->next = *at;
	*at = block;
	return block;
}

void *arena_alloc(struct arena *a, size_t size)
{
	const size_t align = alignof(max_align_t);
	struct arena_block *block = a->blocks;
	void *object;

	if (size == 0 || size > SIZE_MAX / 2)
		return NULL;
	size = (size + align - 1) / align * align;
	if (room_left(block) < size)
		block = add_block(a, size);
	if (!block)
		return NULL;
	object = block->data + block->used;
	block->used += size;
	memset(object, 0, size);
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
