/* SPDX-License-Identifier: Apache-2.0 */
/* Growth of the growable arrays. */
#include "base/vec.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/huge_pages.h"

enum { COPIED_LEAST = HUGE_PAGE / 2, COPIED_MOST = 16 * HUGE_PAGE }; /* bytes */

/*
 * What is neither small nor so large that two of it are too much is copied: moved by realloc(), new
 * pages of it would hardly ever be huge ones.
 */
static void *move(void *items, size_t size, size_t grown)
{
	void *moved;

	if (!items || grown < COPIED_LEAST || grown > COPIED_MOST) {
		moved = realloc(items, grown);
		if (moved)
			huge_pages_advise(moved, grown);
		return moved;
	}
	moved = huge_pages_malloc(grown);
	if (!moved)
		return NULL;
	memcpy(moved, items, size);
	free(items);
	return moved;
}

enum status vec_reserve(void **items, size_t *capacity, size_t need, size_t item_size)
{
	size_t grown = *capacity + *capacity / 2;
	void *moved;

	if (need <= *capacity)
		return STATUS_OK;
	if (grown < need)
		grown = need < 8 ? 8 : need;
	if (grown > SIZE_MAX / item_size)
		return STATUS_NO_MEM;
	moved = move(*items, *capacity * item_size, grown * item_size);
	if (!moved)
		return STATUS_NO_MEM;
	*items = moved;
	*capacity = grown;
	return STATUS_OK;
}
