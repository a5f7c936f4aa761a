/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements of vectors that change places: in permutations, and between vectors and the structures
 * that LD2 to LD4, ST2 to ST4, VLD2 to VLD4 and VST2 to VST4 have in memory, one element of each
 * vector after the other (Arm ARM, C7.2 "LD2 (multiple structures)" and its kin, F6.1 "VLD2
 * (multiple 2-element structures)"). In: slots of 64 bits. Out: micro-operations that make others
 * of their elements.
 */
#ifndef CSREPLAY_ARCH_UOP_UOP_ELEMENTS_H
#define CSREPLAY_ARCH_UOP_UOP_ELEMENTS_H

#include "arch/uop/uop_build.h"

enum { UOP_ELEMENTS = 8, STRUCTURE_VECTORS = 4, STRUCTURE_WORDS = 2 };

/* Where an element is: a slot and the lowest byte in it. */
struct uop_element {
	unsigned int slot;
	unsigned int byte;
};

/* A slot of 64 bits made of 8 / size elements, from the lowest up; size: bytes, 1, 2, 4 or 8. */
unsigned int uop_gather(struct uop_builder *b, unsigned int size,
                        const struct uop_element from[UOP_ELEMENTS]);

struct uop_structure {
	unsigned int vectors; /* 2 to STRUCTURE_VECTORS */
	unsigned int words;   /* doublewords of a vector, 1 or 2 */
	unsigned int size;    /* bytes of an element: 1, 2, 4 or 8 */
};

/* The slot of a doubleword of memory; slots[v][w] is doubleword w of vector v. */
unsigned int uop_structure_join(struct uop_builder *b, const struct uop_structure *s,
                                unsigned int slots[STRUCTURE_VECTORS][STRUCTURE_WORDS],
                                unsigned int word);
/* The slot of doubleword `word` of a vector; `slots` are the doublewords of memory. */
unsigned int uop_structure_part(struct uop_builder *b, const struct uop_structure *s,
                                const unsigned int slots[STRUCTURE_VECTORS * STRUCTURE_WORDS],
                                unsigned int vector, unsigned int word);

#endif
