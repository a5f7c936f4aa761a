/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of vectors that change places; see uop_elements.h. */
#include "arch/uop/uop_elements.h"

enum { WORD = 8 }; /* bytes */

unsigned int uop_gather(struct uop_builder *b, unsigned int size,
                        const struct uop_element from[UOP_ELEMENTS])
{
	unsigned int made = from[0].slot;

	for (unsigned int i = 0; i < WORD / size && size < WORD; i++) {
		const struct bits_field field = {8 * from[i].byte, 8 * size, 8 * size * i};

		if (i == 0)
			made = uop_field(b, UOP_FIELD, 64, from[i].slot, field);
		else
			made = uop_insert(b, 64, made, from[i].slot, field);
	}
	return made;
}

unsigned int uop_structure_join(struct uop_builder *b, const struct uop_structure *s,
                                unsigned int slots[STRUCTURE_VECTORS][STRUCTURE_WORDS],
                                unsigned int word)
{
	struct uop_element from[UOP_ELEMENTS] = {{0, 0}};

	for (unsigned int i = 0; i < WORD / s->size; i++) {
		unsigned int number = word * (WORD / s->size) + i; /* of all elements */
		unsigned int byte = number / s->vectors * s->size;

		from[i] =
		        (struct uop_element){slots[number % s->vectors][byte / WORD], byte % WORD};
	}
	return uop_gather(b, s->size, from);
}

unsigned int uop_structure_part(struct uop_builder *b, const struct uop_structure *s,
                                const unsigned int slots[STRUCTURE_VECTORS * STRUCTURE_WORDS],
                                unsigned int vector, unsigned int word)
{
	struct uop_element from[UOP_ELEMENTS] = {{0, 0}};

	for (unsigned int i = 0; i < WORD / s->size; i++) {
		unsigned int number = word * (WORD / s->size) + i; /* of the vector's elements */
		unsigned int byte = (number * s->vectors + vector) * s->size;

		from[i] = (struct uop_element){slots[byte / WORD], byte % WORD};
	}
	return uop_gather(b, s->size, from);
}
