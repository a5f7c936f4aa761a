/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64 vector operations that string functions are made of, as micro-operations on the two halves of
 * a vector: comparisons, minimum and maximum, sums, narrowing. Arm ARM C4.1.96, C7.2.
 */
#include "arch/a64/sem_a64_expand.h"

struct lane_op {
	enum uop_op op; /* LANES or PAIRS */
	enum bits_lane_kind kind;
	unsigned int condition;
};

static unsigned int emit_lanes(struct sem *s, struct lane_op op, unsigned int a,
                               unsigned int second)
{
	return uop_emit(s->b, (struct uop){.op = (uint8_t)op.op,
	                                   .width = 64,
	                                   .a = (uint8_t)a,
	                                   .b = (uint8_t)second,
	                                   .c = SLOT_NONE,
	                                   .lanes = {
	                                           .kind = (uint8_t)op.kind,
	                                           .condition = (uint8_t)op.condition,
	                                           .size = (uint8_t)(8U << FIELD(s, size)),
	                                   }});
}

/* Lanes of 64 bits are for whole vectors. */
static bool is_reserved_size(const struct sem *s)
{
	return FIELD(s, size) == 3 && !FLAG(s, Q);
}

/*
 * Pairs of a vector of 64 bits are those of both halves together: of Vn in the lower half of the
 * result, of Vm in the upper. Of 128 bits, Vn alone makes the lower half.
 */
static void pairwise(struct sem *s, struct lane_op op)
{
	unsigned int n = FIELD(s, Rn);
	unsigned int m = FIELD(s, Rm);
	unsigned int low;

	if (!FLAG(s, Q)) {
		low = emit_lanes(s, op, slot_of_vector(n, 0), slot_of_vector(m, 0));
		sem_set_v(s, FIELD(s, Rd), low, SLOT_ZERO);
		return;
	}
	if (FIELD(s, size) == 3) { /* one lane a half: its pair is in two slots */
		low = uop_sum(s->b, 64, slot_of_vector(n, 0), slot_of_vector(n, 1), false);
		sem_set_v(s, FIELD(s, Rd), low,
		          uop_sum(s->b, 64, slot_of_vector(m, 0), slot_of_vector(m, 1), false));
		return;
	}
	low = emit_lanes(s, op, slot_of_vector(n, 0), slot_of_vector(n, 1));
	sem_set_v(s, FIELD(s, Rd), low,
	          emit_lanes(s, op, slot_of_vector(m, 0), slot_of_vector(m, 1)));
}

/* The operation on both halves; a second operand of SLOT_ZERO is zero in both. */
static void on_halves(struct sem *s, struct lane_op op, bool with_zero)
{
	unsigned int n = FIELD(s, Rn);
	unsigned int m = FIELD(s, Rm);
	unsigned int halves[2] = {SLOT_ZERO, SLOT_ZERO};

	for (unsigned int half = 0; half < (FLAG(s, Q) ? 2 : 1); half++)
		halves[half] = emit_lanes(s, op, slot_of_vector(n, half),
		                          with_zero ? SLOT_ZERO : slot_of_vector(m, half));
	sem_set_v(s, FIELD(s, Rd), halves[0], halves[1]);
}

/* ADD, SUB (by U), CMTST */
void sem_vector_lanes(struct sem *s, unsigned int kind)
{
	struct lane_op op = {UOP_LANES, (enum bits_lane_kind)kind, 0};

	if (kind == LANES_ADD && FLAG(s, U))
		op.kind = LANES_SUBTRACT;
	if (is_reserved_size(s))
		opcode_reject(&s->opcode);
	else
		on_halves(s, op, false);
}

/* NEG */
void sem_vector_negate(struct sem *s, unsigned int arg)
{
	const struct lane_op op = {UOP_LANES, LANES_SUBTRACT, 0};
	unsigned int halves[2] = {SLOT_ZERO, SLOT_ZERO};

	(void)arg;
	if (is_reserved_size(s)) {
		opcode_reject(&s->opcode);
		return;
	}
	for (unsigned int half = 0; half < (FLAG(s, Q) ? 2 : 1); half++)
		halves[half] = emit_lanes(s, op, SLOT_ZERO, slot_of_vector(FIELD(s, Rn), half));
	sem_set_v(s, FIELD(s, Rd), halves[0], halves[1]);
}

/* ADDP */
void sem_vector_pairs(struct sem *s, unsigned int kind)
{
	if (is_reserved_size(s))
		opcode_reject(&s->opcode);
	else
		pairwise(s, (struct lane_op){UOP_PAIRS, (enum bits_lane_kind)kind, 0});
}

/* The condition for U = 0 is in the low four bits of the argument, for U = 1 in the next. */
static unsigned int condition_of(const struct sem *s, unsigned int conditions)
{
	return FLAG(s, U) ? conditions >> 4 & 15 : conditions & 15;
}

static struct lane_op comparison(const struct sem *s, unsigned int conditions)
{
	return (struct lane_op){UOP_LANES, LANES_COMPARE, condition_of(s, conditions)};
}

void sem_vector_compare(struct sem *s, unsigned int conditions)
{
	if (is_reserved_size(s))
		opcode_reject(&s->opcode);
	else
		on_halves(s, comparison(s, conditions), false);
}

void sem_vector_compare_zero(struct sem *s, unsigned int conditions)
{
	if (is_reserved_size(s))
		opcode_reject(&s->opcode);
	else
		on_halves(s, comparison(s, conditions), true);
}

/* Minimum and maximum; bit 8 of the argument: pairwise. */
void sem_vector_choose(struct sem *s, unsigned int conditions)
{
	struct lane_op op = {UOP_LANES, LANES_CHOOSE, condition_of(s, conditions)};

	if (FIELD(s, size) == 3) {
		opcode_reject(&s->opcode);
		return;
	}
	if (conditions >> 8 != 0) {
		op.op = UOP_PAIRS;
		pairwise(s, op);
	} else {
		on_halves(s, op, false);
	}
}

void sem_vector_not(struct sem *s, unsigned int arg)
{
	unsigned int n = FIELD(s, Rn);
	unsigned int halves[2] = {SLOT_ZERO, SLOT_ZERO};

	(void)arg;
	for (unsigned int half = 0; half < (FLAG(s, Q) ? 2 : 1); half++)
		halves[half] = uop_make(s->b, UOP_XOR, 64, slot_of_vector(n, half),
		                        uop_constant(s->b, UINT64_MAX));
	sem_set_v(s, FIELD(s, Rd), halves[0], halves[1]);
}

/* 64 bits of high:low from byte `first` on, which is 0 to 7. */
static unsigned int bytes_of_pair(struct sem *s, unsigned int high, unsigned int low,
                                  unsigned int first)
{
	if (first == 0)
		return low;
	return uop_emit(s->b, (struct uop){.op = UOP_EXTRACT,
	                                   .width = 64,
	                                   .a = (uint8_t)high,
	                                   .b = (uint8_t)low,
	                                   .c = SLOT_NONE,
	                                   .amount = (uint8_t)(8 * first)});
}

/* EXT: bytes of Vm:Vn from a number on. */
void sem_vector_extract(struct sem *s, unsigned int arg)
{
	unsigned int n = FIELD(s, Rn);
	unsigned int m = FIELD(s, Rm);
	unsigned int first = FIELD(s, imm4);
	unsigned int halves[4] = {slot_of_vector(n, 0), slot_of_vector(n, 1), slot_of_vector(m, 0),
	                          slot_of_vector(m, 1)};
	unsigned int at = first / 8;

	(void)arg;
	if (!FLAG(s, Q) && first >= 8) {
		opcode_reject(&s->opcode);
		return;
	}
	if (!FLAG(s, Q)) {
		sem_set_v(s, FIELD(s, Rd), bytes_of_pair(s, halves[2], halves[0], first),
		          SLOT_ZERO);
		return;
	}
	sem_set_v(s, FIELD(s, Rd), bytes_of_pair(s, halves[at + 1], halves[at], first % 8),
	          at + 2 < 4 ? bytes_of_pair(s, halves[at + 2], halves[at + 1], first % 8)
	                     : SLOT_ZERO);
}

/* XTN with `plain`, else SHRN; both with a 2 write the upper half alone. */
void sem_vector_narrow(struct sem *s, unsigned int plain)
{
	unsigned int n = FIELD(s, Rn);
	unsigned int rd = FIELD(s, Rd);
	unsigned int immh = plain != 0 ? 0 : FIELD(s, immh);
	unsigned int size = plain != 0 ? 8U << FIELD(s, size) : 0;
	unsigned int shift = 0;
	unsigned int result;

	if (immh != 0) {
		size = 8U << (31 - (unsigned int)__builtin_clz(immh));
		shift = 2 * size - (immh << 3 | FIELD(s, immb));
	}
	if (size > 32 || (plain == 0 && immh == 0)) {
		opcode_reject(&s->opcode);
		return;
	}
	result = uop_emit(s->b, (struct uop){.op = UOP_NARROW,
	                                     .width = 64,
	                                     .a = (uint8_t)slot_of_vector(n, 0),
	                                     .b = (uint8_t)slot_of_vector(n, 1),
	                                     .c = SLOT_NONE,
	                                     .narrow = {(uint8_t)size, (uint8_t)shift}});
	if (FLAG(s, Q))
		uop_define(s->b, slot_of_vector(rd, 1), result);
	else
		sem_set_v(s, rd, result, SLOT_ZERO);
}
