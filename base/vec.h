/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Growable arrays: a typed pointer, a count and a capacity that the owner keeps side by side and
 * frees with free(). The idiom:
 *
 *	TRY(vec_reserve((void **)&v->items, &v->capacity, v->count + 1, sizeof(*v->items)));
 *	v->items[v->count++] = item;
 */
#ifndef CSREPLAY_BASE_VEC_H
#define CSREPLAY_BASE_VEC_H

#include <stddef.h>

#include "base/status.h"

/*
 * Makes room for `need` items of `item_size` bytes, growing by half at least. NO_MEM leaves the
 * array as it was.
 */
MUST_USE enum status vec_reserve(void **items, size_t *capacity, size_t need, size_t item_size);

#endif
