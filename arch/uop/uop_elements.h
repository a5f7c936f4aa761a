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

/*
 * Loads or stores it. `slots` are the registers' doublewords, vector by vector, each of which a
 * load defines.
 */
void uop_structure_transfer(struct uop_builder *b, const struct uop_structure *s, bool is_load,
                            struct uop_place at,
                            const unsigned int slots[STRUCTURE_VECTORS * STRUCTURE_WORDS]);

#endif
