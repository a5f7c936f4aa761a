/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64 vector operations that make an element of one of Vn and one of Vm, and some with that of Vd:
 * products, and sums and products twice as wide. Arm ARM C4.1.96, "three different", "three same"
 * and "vector x indexed element"; C7.2.
 */
#include "arch/a64/sem_a64_expand.h"

/* What is made of elements, in the terms of the opcode fields. */
struct element_op {
	unsigned int size;  /* bits of an element of Vm */
	unsigned int width; /* bits of an element of the result */
	bool is_wide;       /* elements of Vn are as wide as those of the result */
	bool multiplies;    /* else it adds */
	bool accumulates;   /* to the element of Vd, */
	bool subtracts;     /* or from it; without that Vm's from Vn's */
	bool is_signed;     /* how elements are widened */
	bool has_index;     /* Vm's element is the same for all */
	unsigned int m;     /* register */
	unsigned int index;
	unsigned int first; /* number of the first element of Vn and Vm */
};

/* An element of a vector, widened. */
static unsigned int element(struct sem *s, unsigned int v, unsigned int number, unsigned int size,
                            const struct element_op *op)
{
	unsigned int lsb = number * size;
	unsigned int slot = slot_of_vector(v, lsb / 64);

	if (size == 64)
		return slot;
	return uop_field(s->b, op->is_signed ? UOP_SIGNED : UOP_FIELD, op->width, slot,
	                 (struct bits_field){lsb % 64, size, 0});
}

static unsigned int make_element(struct sem *s, const struct element_op *op, unsigned int i)
{
	unsigned int n = op->is_wide ? element(s, FIELD(s, Rn), i, op->width, op)
	                             : element(s, FIELD(s, Rn), op->first + i, op->size, op);
	unsigned int m = element(s, op->m, op->has_index ? op->index : op->first + i, op->size, op);

	if (!op->multiplies)
		return uop_sum(s->b, op->width, n, m, op->subtracts);
	n = uop_make(s->b, UOP_MUL, op->width, n, m);
	if (!op->accumulates)
		return n;
	return uop_sum(s->b, op->width, element(s, FIELD(s, Rd), i, op->width, op), n,
	               op->subtracts);
}

static void make_vector(struct sem *s, const struct element_op *op, bool is_whole)
{
	unsigned int halves[2] = {SLOT_ZERO, SLOT_ZERO};
	unsigned int count = 64 / op->width;

	for (unsigned int half = 0; half < (is_whole ? 2 : 1); half++) {
		struct uop_element made[UOP_ELEMENTS];

		for (unsigned int i = 0; i < count; i++)
			made[i] = (struct uop_element){make_element(s, op, half * count + i), 0};
		halves[half] = uop_gather(s->b, op->width / 8, made);
	}
	sem_set_v(s, FIELD(s, Rd), halves[0], halves[1]);
}

/* MUL; MLA and MLS, with the argument 1: U says which */
void sem_vector_multiply(struct sem *s, unsigned int accumulates)
{
	unsigned int size = 8U << FIELD(s, size);
	const struct element_op op = {.size = size,
	                              .width = size,
	                              .multiplies = true,
	                              .accumulates = accumulates != 0,
	                              .subtracts = accumulates != 0 && FLAG(s, U),
	                              .m = FIELD(s, Rm)};

	if (size == 64)
		opcode_reject(&s->opcode);
	else
		make_vector(s, &op, FLAG(s, Q));
}

/* The form of those that widen, by bits 15 to 12 of the opcode. */
static bool is_long_form(unsigned int form, struct element_op *op)
{
	switch (form) {
	case 0: /* SADDL, UADDL */
	case 1: /* SADDW, UADDW */
	case 2: /* SSUBL, USUBL */
	case 3: /* SSUBW, USUBW */
		op->is_wide = (form & 1) != 0;
		op->subtracts = (form & 2) != 0;
		return true;
	case 8:  /* SMLAL, UMLAL */
	case 10: /* SMLSL, UMLSL */
	case 12: /* SMULL, UMULL */
		op->multiplies = true;
		op->accumulates = form != 12;
		op->subtracts = form == 10;
		return true;
	default:
		return false;
	}
}

/* Those that widen the lower halves of their operands, or with Q the upper. */
void sem_vector_long(struct sem *s, unsigned int form)
{
	unsigned int size = 8U << FIELD(s, size);
	struct element_op op = {.size = size,
	                        .width = 2 * size,
	                        .is_signed = !FLAG(s, U),
	                        .m = FIELD(s, Rm),
	                        .first = FLAG(s, Q) ? 64 / size : 0};

	if (size == 64 || !is_long_form(form, &op))
		opcode_reject(&s->opcode);
	else
		make_vector(s, &op, true);
}

/* Vm's element by index: in a register below 16 if elements have 16 bits. */
static bool read_index(const struct sem *s, struct element_op *op)
{
	unsigned int low = FIELD(s, M);

	op->has_index = true;
	op->m = FIELD(s, Rm);
	op->index = FIELD(s, H) << 1 | FIELD(s, L);
	if (FIELD(s, size) == 1)
		op->index = op->index << 1 | low;
	else
		op->m |= low << 4;
	op->size = 8U << FIELD(s, size);
	return FIELD(s, size) == 1 || FIELD(s, size) == 2;
}

/* MUL; MLA (1) and MLS (2) */
void sem_vector_multiply_index(struct sem *s, unsigned int accumulates)
{
	struct element_op op = {
	        .multiplies = true, .accumulates = accumulates != 0, .subtracts = accumulates == 2};

	if (!read_index(s, &op)) {
		opcode_reject(&s->opcode);
		return;
	}
	op.width = op.size;
	make_vector(s, &op, FLAG(s, Q));
}

void sem_vector_long_index(struct sem *s, unsigned int form)
{
	struct element_op op = {.is_signed = !FLAG(s, U)};

	if (!read_index(s, &op) || !is_long_form(form, &op)) {
		opcode_reject(&s->opcode);
		return;
	}
	op.width = 2 * op.size;
	op.first = FLAG(s, Q) ? 64 / op.size : 0;
	make_vector(s, &op, true);
}

/* ADDV: the sum of all elements, of as many bits as one; with the argument 1 twice as wide, as
 * SADDLV and UADDLV have it. */
void sem_vector_sum(struct sem *s, unsigned int is_long)
{
	unsigned int size = 8U << FIELD(s, size);
	unsigned int count = (FLAG(s, Q) ? 128U : 64U) / size;
	const struct element_op op = {.width = is_long != 0 ? 2 * size : size,
	                              .is_signed = is_long != 0 && !FLAG(s, U)};
	unsigned int sum = SLOT_ZERO;

	if (size == 64 || count == 2) {
		opcode_reject(&s->opcode);
		return;
	}
	for (unsigned int i = 0; i < count; i++) {
		unsigned int made = element(s, FIELD(s, Rn), i, size, &op);

		sum = i == 0 ? made : uop_sum(s->b, op.width, sum, made, false);
	}
	sem_set_v(s, FIELD(s, Rd), sum, SLOT_ZERO);
}

/* SADDLP, UADDLP: sums of neighbours, twice as wide. */
void sem_vector_pairs_long(struct sem *s, unsigned int arg)
{
	unsigned int size = 8U << FIELD(s, size);
	const struct element_op op = {.width = 2 * size, .is_signed = !FLAG(s, U)};
	unsigned int halves[2] = {SLOT_ZERO, SLOT_ZERO};
	unsigned int n = FIELD(s, Rn);

	(void)arg;
	if (size == 64) {
		opcode_reject(&s->opcode);
		return;
	}
	for (unsigned int half = 0; half < (FLAG(s, Q) ? 2 : 1); half++) {
		struct uop_element made[UOP_ELEMENTS];

		for (unsigned int i = 0; i < 64 / op.width; i++) {
			unsigned int at = 2 * (half * (64 / op.width) + i);
			unsigned int low = element(s, n, at, size, &op);

			made[i] = (struct uop_element){uop_sum(s->b, op.width, low,
			                                       element(s, n, at + 1, size, &op),
			                                       false),
			                               0};
		}
		halves[half] = uop_gather(s->b, op.width / 8, made);
	}
	sem_set_v(s, FIELD(s, Rd), halves[0], halves[1]);
}
