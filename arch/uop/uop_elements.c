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

/* The slot of a doubleword of memory. */
static unsigned int join(struct uop_builder *b, const struct uop_structure *s,
                         const unsigned int *slots, unsigned int word)
{
	struct uop_element from[UOP_ELEMENTS] = {{0, 0}};

	for (unsigned int i = 0; i < WORD / s->size; i++) {
		unsigned int number = word * (WORD / s->size) + i; /* of all elements */
		unsigned int byte = number / s->vectors * s->size;
		unsigned int vector = number % s->vectors;

		from[i] = (struct uop_element){slots[vector * s->words + byte / WORD], byte % WORD};
	}
	return uop_gather(b, s->size, from);
}

/* The slot of a doubleword of the registers; `memory` are those of memory. */
static unsigned int part(struct uop_builder *b, const struct uop_structure *s,
                         const unsigned int *memory, unsigned int word)
{
	struct uop_element from[UOP_ELEMENTS] = {{0, 0}};

	for (unsigned int i = 0; i < WORD / s->size; i++) {
		unsigned int number = word % s->words * (WORD / s->size) + i; /* of the vector's */
		unsigned int byte = (number * s->vectors + word / s->words) * s->size;

		from[i] = (struct uop_element){memory[byte / WORD], byte % WORD};
	}
	return uop_gather(b, s->size, from);
}

void uop_structure_transfer(struct uop_builder *b, const struct uop_structure *s, bool is_load,
                            struct uop_place at,
                            const unsigned int slots[STRUCTURE_VECTORS * STRUCTURE_WORDS])
{
	unsigned int memory[STRUCTURE_VECTORS * STRUCTURE_WORDS] = {0};
	unsigned int words = s->vectors * s->words;

	for (unsigned int i = 0; i < words; i++, at.offset += WORD) {
		if (is_load)
			memory[i] = uop_load(b, at, WORD);
		else
			uop_store(b, at, WORD, join(b, s, slots, i));
	}
	for (unsigned int i = 0; i < words && is_load; i++)
		uop_define(b, slots[i], part(b, s, memory, i));
}
