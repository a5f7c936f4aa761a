/* SPDX-License-Identifier: Apache-2.0 */
/* What expanders of A64 have in common; see sem_a64_expand.h. */
#include "arch/a64/sem_a64_expand.h"

unsigned int sem_extended(struct sem *s, unsigned int width, unsigned int slot, unsigned int option,
                          unsigned int shift)
{
	unsigned int len = 8U << (option & 3);

	if (len > width - shift)
		len = width - shift;
	if (len == width)
		return slot;
	return uop_field(s->b, (option & 4) != 0 ? UOP_SIGNED : UOP_FIELD, width, slot,
	                 (struct bits_field){0, len, shift});
}
