/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Region allocator: many small objects that are freed all at once. One arena a loaded snapshot.
 */
#ifndef CSREPLAY_BASE_ARENA_H
#define CSREPLAY_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct arena_block;

struct arena {
	struct arena_block *blocks; /* the one that objects are cut from first */
	bool is_large;              /* set before its first use: it is to have megabytes */
};

/* Zeroed memory for any type, valid until arena_fini(). NULL without memory or if size is 0. */
void *arena_alloc(struct arena *a, size_t size);

/* A NUL-terminated copy; its p is NULL without memory. */
struct str arena_str(struct arena *a, struct str s);

void arena_fini(struct arena *a);

#endif
