/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64 vector operations that compilers make of loops over integers, as micro-operations on the
 * elements of a vector's two halves: shifts by a constant, widening, permutations, sums over a
 * vector. Arm ARM C4.1.96, C7.2.
 */
#include "arch/a64/sem_a64_expand.h"

/* A shift by a constant, as immh:immb encodes it. */
struct constant_shift {
	unsigned int size;  /* bits of an element; 0: reserved */
	unsigned int left;  /* bits, for a shift to the left */
	unsigned int right; /* and to the right */
};

static struct constant_shift shift_of(const struct sem *s)
{
	unsigned int immh = FIELD(s, immh);
	unsigned int value = immh << 3 | FIELD(s, immb);
	unsigned int size;

	if (immh == 0)
		return (struct constant_shift){0, 0, 0};
	size = 8U << (31 - (unsigned int)__builtin_clz(immh));
	return (struct constant_shift){size, value - size, 2 * size - value};
}

/* The element at bit `lsb` of a slot, shifted to the right, of as many bits. */
static unsigned int shifted_right(struct sem *s, unsigned int slot, unsigned int lsb,
                                  struct constant_shift by, bool is_signed)
{
	unsigned int right = by.right;

	if (right == by.size && !is_signed)
		return SLOT_ZERO;
	right -= right == by.size ? 1 : 0; /* all of it is the sign */
	return uop_field(s->b, is_signed ? UOP_SIGNED : UOP_FIELD, by.size, slot,
	                 (struct bits_field){lsb + right, by.size - right, 0});
}

static unsigned int shifted_left(struct sem *s, unsigned int slot, unsigned int lsb,
                                 struct constant_shift by)
{
	return uop_field(s->b, UOP_FIELD, by.size, slot,
	                 (struct bits_field){lsb, by.size - by.left, by.left});
}

/* 64 bits of the result, of the half of Vn. */
static unsigned int shift_half(struct sem *s, unsigned int kind, struct constant_shift by,
                               unsigned int half)
{
	unsigned int n = slot_of_vector(FIELD(s, Rn), half);
	struct uop_element made[UOP_ELEMENTS];
	unsigned int result;

	for (unsigned int i = 0; i < 64 / by.size; i++) {
		unsigned int lsb = i * by.size;

		made[i] = (struct uop_element){kind == VECTOR_LEFT
		                                       ? shifted_left(s, n, lsb, by)
		                                       : shifted_right(s, n, lsb, by, !FLAG(s, U)),
		                               0};
	}
	result = uop_gather(s->b, by.size / 8, made);
	if (kind != VECTOR_RIGHT_ADD)
		return result;
	return uop_emit(s->b, (struct uop){.op = UOP_LANES,
	                                   .width = 64,
	                                   .a = (uint8_t)slot_of_vector(FIELD(s, Rd), half),
	                                   .b = (uint8_t)result,
	                                   .c = SLOT_NONE,
	                                   .lanes = {.kind = LANES_ADD, .size = (uint8_t)by.size}});
}

/* SSHR, USHR; SHL; SSRA, USRA */
void sem_vector_shift(struct sem *s, unsigned int kind)
{
	struct constant_shift by = shift_of(s);
	unsigned int halves[2] = {SLOT_ZERO, SLOT_ZERO};

	if (by.size == 0 || (by.size == 64 && !FLAG(s, Q))) {
		opcode_reject(&s->opcode);
		return;
	}
	for (unsigned int half = 0; half < (FLAG(s, Q) ? 2 : 1); half++)
		halves[half] = shift_half(s, kind, by, half);
	sem_set_v(s, FIELD(s, Rd), halves[0], halves[1]);
}

/* The same of one element of 64 bits. */
void sem_vector_shift_scalar(struct sem *s, unsigned int kind)
{
	struct constant_shift by = shift_of(s);

	if (by.size != 64)
		opcode_reject(&s->opcode);
	else
		sem_set_v(s, FIELD(s, Rd), shift_half(s, kind, by, 0), SLOT_ZERO);
}

/* SSHLL, USHLL, of the lower half of Vn, or with Q of the upper. */
void sem_vector_widen(struct sem *s, unsigned int arg)
{
	struct constant_shift by = shift_of(s);
	unsigned int n = slot_of_vector(FIELD(s, Rn), FIELD(s, Q));
	enum uop_op op = FLAG(s, U) ? UOP_FIELD : UOP_SIGNED;
	unsigned int halves[2];

	(void)arg;
	if (by.size == 0 || by.size == 64) {
		opcode_reject(&s->opcode);
		return;
	}
	for (unsigned int half = 0; half < 2; half++) {
		struct uop_element made[UOP_ELEMENTS];

		for (unsigned int i = 0; i < 32 / by.size; i++) {
			const struct bits_field field = {32 * half + i * by.size, by.size, by.left};

			made[i] =
			        (struct uop_element){uop_field(s->b, op, 2 * by.size, n, field), 0};
		}
		halves[half] = uop_gather(s->b, 2 * by.size / 8, made);
	}
	sem_set_v(s, FIELD(s, Rd), halves[0], halves[1]);
}

/* Where an element of Vn is, or of Vm; bytes are its size. */
static struct uop_element element_of(unsigned int v, unsigned int number, unsigned int bytes)
{
	return (struct uop_element){slot_of_vector(v, number * bytes / 8), number * bytes % 8};
}

static struct uop_element permuted(const struct sem *s, unsigned int kind, unsigned int i,
                                   unsigned int bytes)
{
	unsigned int count = (FLAG(s, Q) ? 16 : 8) / bytes;
	unsigned int part = FIELD(s, op);
	unsigned int n = FIELD(s, Rn);
	unsigned int m = FIELD(s, Rm);

	switch (kind) {
	case PERMUTE_UZP:
		i = 2 * i + part;
		return i < count ? element_of(n, i, bytes) : element_of(m, i - count, bytes);
	case PERMUTE_TRN:
		return element_of(i % 2 == 0 ? n : m, i / 2 * 2 + part, bytes);
	default:
		return element_of(i % 2 == 0 ? n : m, i / 2 + part * count / 2, bytes);
	}
}

/* UZP1, UZP2; TRN1, TRN2; ZIP1, ZIP2 */
void sem_vector_permute(struct sem *s, unsigned int kind)
{
	unsigned int bytes = 1U << FIELD(s, size);
	unsigned int halves[2] = {SLOT_ZERO, SLOT_ZERO};

	if (bytes == 8 && !FLAG(s, Q)) {
		opcode_reject(&s->opcode);
		return;
	}
	for (unsigned int half = 0; half < (FLAG(s, Q) ? 2 : 1); half++) {
		struct uop_element from[UOP_ELEMENTS];

		for (unsigned int i = 0; i < 8 / bytes; i++)
			from[i] = permuted(s, kind, half * (8 / bytes) + i, bytes);
		halves[half] = uop_gather(s->b, bytes, from);
	}
	sem_set_v(s, FIELD(s, Rd), halves[0], halves[1]);
}

/* REV64, REV32, REV16: the argument is how many bytes are turned around. */
void sem_vector_reverse(struct sem *s, unsigned int container)
{
	unsigned int bytes = 1U << FIELD(s, size);
	unsigned int halves[2] = {SLOT_ZERO, SLOT_ZERO};

	if (bytes >= container) {
		opcode_reject(&s->opcode);
		return;
	}
	for (unsigned int half = 0; half < (FLAG(s, Q) ? 2 : 1); half++) {
		struct uop_element from[UOP_ELEMENTS];

		for (unsigned int i = 0; i < 8 / bytes; i++)
			from[i] = element_of(FIELD(s, Rn),
			                     half * (8 / bytes) + (i ^ (container / bytes - 1)),
			                     bytes);
		halves[half] = uop_gather(s->b, bytes, from);
	}
	sem_set_v(s, FIELD(s, Rd), halves[0], halves[1]);
}

/* ADDP of the two halves of a vector. */
void sem_vector_sum_halves(struct sem *s, unsigned int arg)
{
	unsigned int n = FIELD(s, Rn);

	(void)arg;
	sem_set_v(s, FIELD(s, Rd),
	          uop_sum(s->b, 64, slot_of_vector(n, 0), slot_of_vector(n, 1), false), SLOT_ZERO);
}
