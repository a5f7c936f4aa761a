/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which parts of an outcome log ran which code: the outcome log's blocks in groups, and for each
 * group the nodes of the code graph that were run in it. A search for an address looks into the
 * groups that ran one of its nodes and steps over all others.
 */
#ifndef CSREPLAY_REPLAY_HISTORY_ADDRESS_INDEX_H
#define CSREPLAY_REPLAY_HISTORY_ADDRESS_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct address_index;

/* NULL without memory. */
struct address_index *address_index_create(void);
void address_index_destroy(struct address_index *index); /* NULL is fine */

/*
 * The next group: blocks from `first_block` on to where the next group begins. The nodes may be in
 * any order. NO_MEM.
 */
MUST_USE enum status address_index_add(struct address_index *index, size_t first_block,
                                       const uint32_t *nodes, size_t count);

size_t address_index_groups(const struct address_index *index);
size_t address_index_first_block(const struct address_index *index, size_t group);
/* The group of the block; there must be one. O(log n). */
size_t address_index_group_of(const struct address_index *index, size_t block);

/* True if one of the nodes was run in the group. */
bool address_index_meets(const struct address_index *index, size_t group, const uint32_t *nodes,
                         size_t count);

/* Calls `visit` for each node of the group, by number. */
void address_index_nodes(const struct address_index *index, size_t group,
                         void (*visit)(void *context, uint32_t node), void *context);

#endif
