/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of blocks and the nodes run in them: a Roaring bitmap a group (roaringbitmap.org). */
#include "replay/history/address_index.h"

#include <roaring/roaring.h>
#include <stdlib.h>

#include "base/vec.h"

struct group {
	size_t first_block;
	roaring_bitmap_t *nodes;
};

struct address_index {
	struct group *groups;
	size_t count;
	size_t capacity;
};

struct address_index *address_index_create(void)
{
	return calloc(1, sizeof(struct address_index));
}

void address_index_destroy(struct address_index *index)
{
	if (!index)
		return;
	for (size_t i = 0; i < index->count; i++)
		roaring_bitmap_free(index->groups[i].nodes);
	free(index->groups);
	free(index);
}

enum status address_index_add(struct address_index *index, size_t first_block,
                              const uint32_t *nodes, size_t count)
{
	roaring_bitmap_t *bitmap = roaring_bitmap_of_ptr(count, nodes);

	if (!bitmap)
		return STATUS_NO_MEM;
	if (vec_reserve((void **)&index->groups, &index->capacity, index->count + 1,
	                sizeof(*index->groups)) != STATUS_OK) {
		roaring_bitmap_free(bitmap);
		return STATUS_NO_MEM;
	}
	roaring_bitmap_run_optimize(bitmap);
	roaring_bitmap_shrink_to_fit(bitmap);
	index->groups[index->count++] = (struct group){first_block, bitmap};
	return STATUS_OK;
}

size_t address_index_groups(const struct address_index *index)
{
	return index->count;
}

size_t address_index_first_block(const struct address_index *index, size_t group)
{
	return index->groups[group].first_block;
}

size_t address_index_group_of(const struct address_index *index, size_t block)
{
	size_t low = 0;
	size_t high = index->count;

	/* The last group that begins at or before the block lies in [low, high). */
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (index->groups[middle].first_block <= block)
			low = middle;
		else
			high = middle;
	}
	return low;
}

bool address_index_meets(const struct address_index *index, size_t group, const uint32_t *nodes,
                         size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (roaring_bitmap_contains(index->groups[group].nodes, nodes[i]))
			return true;
	}
	return false;
}

struct visitor {
	void (*visit)(void *context, uint32_t node);
	void *context;
};

static bool visit_node(uint32_t node, void *context)
{
	const struct visitor *visitor = context;

	visitor->visit(visitor->context, node);
	return true;
}

void address_index_nodes(const struct address_index *index, size_t group,
                         void (*visit)(void *context, uint32_t node), void *context)
{
	struct visitor visitor = {visit, context};

	roaring_iterate(index->groups[group].nodes, visit_node, &visitor);
}
