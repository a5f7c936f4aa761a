/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64 loads and stores of structures of vectors (LD1 to LD4R, ST1 to ST4) as micro-operations: Arm
 * ARM C4.1.94, operations in C7.2.
 */
#include "arch/a64/sem_a64_expand.h"

/* Write-back of vector structures: by their size, or by a register. */
static void advance_base(struct sem *s, unsigned int bytes)
{
	unsigned int rn = FIELD(s, Rn);
	unsigned int rm = FIELD(s, Rm);

	if (!FLAG(s, post))
		return;
	uop_define(s->b, rn,
	           uop_sum(s->b, 64, rn, rm == 31 ? uop_constant(s->b, bytes) : rm, false));
}

/* LD2 to LD4, ST2 to ST4: the elements of the registers take turns. */
static void interleave(struct sem *s, unsigned int count, struct uop_place at)
{
	const struct uop_structure structure = {count, FLAG(s, Q) ? 2 : 1, 1U << FIELD(s, size)};
	unsigned int slots[STRUCTURE_VECTORS * STRUCTURE_WORDS] = {0};

	for (unsigned int i = 0; i < count * structure.words; i++)
		slots[i] = slot_of_vector((FIELD(s, Rt) + i / structure.words) % 32,
		                          i % structure.words);
	uop_structure_transfer(s->b, &structure, FLAG(s, L), at, slots);
	for (unsigned int i = 0; i < count && FLAG(s, L) && !FLAG(s, Q); i++)
		uop_define(s->b, slot_of_vector((FIELD(s, Rt) + i) % 32, 1), SLOT_ZERO);
}

/* LD1 to LD4, ST1 to ST4 of whole registers. */
void sem_vector_multiple(struct sem *s, unsigned int arg)
{
	/* by opcode field: registers, and with bit 3 it interleaves; 0 is reserved */
	static const uint8_t forms[16] = {12, 0, 4, 0, 11, 0, 3, 1, 10, 0, 2};
	unsigned int form = forms[FIELD(s, opcode)];
	unsigned int count = form & 7;
	unsigned int bytes = FLAG(s, Q) ? 16 : 8;
	struct uop_place at = {FIELD(s, Rn), 0};
	bool interleaves = (form & 8) != 0;

	(void)arg;
	if (form == 0 || (interleaves && FIELD(s, size) == 3 && bytes == 8)) {
		opcode_reject(&s->opcode);
		return;
	}
	if (interleaves)
		interleave(s, count, at);
	for (unsigned int i = 0; i < count && !interleaves; i++) {
		unsigned int v = (FIELD(s, Rt) + i) % 32;
		struct uop_place element = sem_place_after(at, (int64_t)i * bytes);

		if (FLAG(s, L))
			sem_load_vector(s, v, bytes, element);
		else
			sem_store_vector(s, v, bytes, element);
	}
	advance_base(s, count * bytes);
}

/* One element of each of several registers. */
struct lane {
	unsigned int bytes;
	unsigned int index;
	unsigned int count; /* registers */
	bool replicates;
};

static bool decode_lane(const struct sem *s, struct lane *lane)
{
	unsigned int scale = FIELD(s, scale);
	unsigned int size = FIELD(s, size);
	unsigned int index = FIELD(s, Q) << 3 | FIELD(s, S) << 2 | size;

	lane->count = (FIELD(s, o0) << 1 | FIELD(s, R)) + 1;
	lane->replicates = scale == 3;
	if (scale == 3) {
		lane->bytes = 1U << size;
		return FLAG(s, L) && !FLAG(s, S);
	}
	if (scale == 2 && size == 1) {
		lane->bytes = 8;
		lane->index = index >> 3;
		return !FLAG(s, S);
	}
	lane->bytes = 1U << scale;
	lane->index = index >> scale;
	return (index & (lane->bytes - 1)) == 0;
}

/* The value in every lane of 64 bits. */
static unsigned int in_each_lane(struct sem *s, unsigned int value, unsigned int bytes)
{
	uint64_t ones = UINT64_MAX / bits_mask(8 * bytes);

	return bytes == 8 ? value : uop_make(s->b, UOP_MUL, 64, value, uop_constant(s->b, ones));
}

static void load_lane(struct sem *s, const struct lane *lane, struct uop_place at, unsigned int v)
{
	unsigned int value = uop_load(s->b, at, lane->bytes);
	unsigned int bit = lane->index * lane->bytes * 8;
	unsigned int slot = slot_of_vector(v, bit / 64);
	unsigned int all;

	if (lane->replicates) {
		all = in_each_lane(s, value, lane->bytes);
		sem_set_v(s, v, all, FLAG(s, Q) ? all : SLOT_ZERO);
		return;
	}
	uop_define(s->b, slot,
	           uop_insert(s->b, 64, slot, value,
	                      (struct bits_field){0, 8 * lane->bytes, bit % 64}));
}

static void store_lane(struct sem *s, const struct lane *lane, struct uop_place at, unsigned int v)
{
	unsigned int bit = lane->index * lane->bytes * 8;

	uop_store(s->b, at, lane->bytes,
	          uop_field(s->b, UOP_FIELD, 64, slot_of_vector(v, bit / 64),
	                    (struct bits_field){bit % 64, 8 * lane->bytes, 0}));
}

/* LD1 to LD4, ST1 to ST4 of one lane, LD1R to LD4R. */
void sem_vector_single(struct sem *s, unsigned int arg)
{
	struct lane lane = {0};

	(void)arg;
	if (!decode_lane(s, &lane)) {
		opcode_reject(&s->opcode);
		return;
	}
	for (unsigned int i = 0; i < lane.count; i++) {
		unsigned int v = (FIELD(s, Rt) + i) % 32;
		struct uop_place at = {FIELD(s, Rn), (int64_t)i * lane.bytes};

		if (FLAG(s, L))
			load_lane(s, &lane, at, v);
		else
			store_lane(s, &lane, at, v);
	}
	advance_base(s, lane.count * lane.bytes);
}
