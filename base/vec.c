/* SPDX-License-Identifier: Apache-2.0 */
/* Growth of the growable arrays. */
#include "base/vec.h"

#include <stdint.h>
#include <stdlib.h>

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
	moved = realloc(*items, grown * item_size);
	if (!moved)
		return STATUS_NO_MEM;
	*items = moved;
	*capacity = grown;
	return STATUS_OK;
}
