/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64 SVE as micro-operations: Arm ARM C4.1.35 and on, operations in C8.2. Vectors, of which only
 * the low 128 bits are registers here, become unknown. Counts of the vector length are exact. A
 * store is a range that may have been written, as far as the predicate that rules it reaches; that
 * bound, which WHILELO and WHILELT give, is all that is followed of predicates.
 */
#include "arch/a64/sem_a64_expand.h"

enum {
	LARGEST_VECTOR = 256, /* bytes */
	PATTERN_ALL = 31,
};

/* n times the bytes of a vector divided by 2 to the power of `scale`. */
static unsigned int vector_lengths(struct sem *s, int64_t n, unsigned int scale)
{
	unsigned int length = REG_VL;

	if (scale > 0)
		length = uop_field(s->b, UOP_FIELD, 64, REG_VL,
		                   (struct bits_field){scale, 64 - scale, 0});
	return n == 1 ? length
	              : uop_make(s->b, UOP_MUL, 64, length, uop_constant(s->b, (uint64_t)n));
}

/* ADDVL, ADDPL: Xd|SP = Xn|SP + imm6 * VL (or VL / 8); RDVL where there is no Xn. */
void sem_sve_vector_length(struct sem *s, unsigned int scale)
{
	unsigned int length = vector_lengths(s, SIGNED_FIELD(s, imm6), scale);

	if (!HAS_FIELD(s, Rn))
		sem_set_x(s, FIELD(s, Rd), length);
	else
		uop_define(s->b, FIELD(s, Rd), uop_sum(s->b, 64, FIELD(s, Rn), length, false));
}

/* CNT, INC, DEC of elements of a whole vector; other patterns depend on more than the length. */
void sem_sve_count(struct sem *s, unsigned int adds)
{
	unsigned int rd = FIELD(s, Rd);
	unsigned int count;

	if (FIELD(s, pattern) != PATTERN_ALL) {
		sem_set_x_unknown(s, rd, 64);
		return;
	}
	count = vector_lengths(s, (int64_t)FIELD(s, imm4) + 1, FIELD(s, size));
	if (adds != 0)
		count = uop_sum(s->b, 64, sem_x(FIELD(s, Rd)), count, FLAG(s, D));
	sem_set_x(s, rd, count);
}

enum sve_writes {
	SVE_V = 1, /* Zd; also what writes a scalar of the vector registers */
	SVE_X = 2,
	SVE_FLAGS = 4,
	SVE_FPSR = 8,
	SVE_PREDICATE = 16,
};

/*
 * Predicates that an opcode with Pd in bits 3..0 may write: a pair begins at an even one, or (PEXT)
 * at any, P15 being followed by P0.
 */
static void predicates_unknown(struct sem *s)
{
	unsigned int first = FIELD(s, Rd) & 14;

	for (unsigned int i = 0; i < 3; i++) {
		unsigned int p = (first + i) % 16;

		if (p < 8)
			uop_define_unknown(s->b, REG_P0 + p, 64);
	}
}

/* `writes`: all that any opcode of the row writes beside predicates. */
void sem_sve_unknown(struct sem *s, unsigned int writes)
{
	unsigned int rd = FIELD(s, Rd);

	if ((writes & SVE_V) != 0)
		sem_set_v_unknown(s, rd);
	if ((writes & SVE_X) != 0)
		sem_set_x_unknown(s, rd, 64);
	if ((writes & SVE_FLAGS) != 0)
		uop_define_unknown(s->b, REG_NZCV, 16);
	if ((writes & SVE_FPSR) != 0)
		uop_define_unknown(s->b, REG_FPSR, 64);
	if ((writes & SVE_PREDICATE) != 0)
		predicates_unknown(s);
}

/* 1 if a comes before the second by the condition (LO or LT). */
static unsigned int is_before(struct sem *s, unsigned int width, unsigned int a,
                              unsigned int second, unsigned int condition)
{
	unsigned int flags = uop_emit(s->b, (struct uop){.op = UOP_SUB_FLAGS,
	                                                 .width = 16,
	                                                 .size = (uint8_t)width,
	                                                 .a = (uint8_t)a,
	                                                 .b = (uint8_t)second,
	                                                 .c = (uint8_t)uop_constant(s->b, 1)});

	return uop_emit(s->b, (struct uop){.op = UOP_CONDITION,
	                                   .width = 1,
	                                   .a = (uint8_t)flags,
	                                   .b = SLOT_NONE,
	                                   .c = SLOT_NONE,
	                                   .condition = (uint8_t)condition});
}

/*
 * WHILELO, WHILELT: as many elements as there are numbers from Xn to Xm, if Xn comes first. N says
 * that there are any, Z that there are none, C that the vector is not full, V is zero.
 */
void sem_sve_while(struct sem *s, unsigned int condition)
{
	enum { LOWER = 3 };
	unsigned int size = FIELD(s, size);
	unsigned int width = FLAG(s, sf) ? 64 : 32;
	unsigned int pd = FIELD(s, Pd);
	unsigned int most = uop_constant(s->b, LARGEST_VECTOR >> size);
	unsigned int one = uop_constant(s->b, 1);
	unsigned int any = is_before(s, width, sem_x(FIELD(s, Rn)), sem_x(FIELD(s, Rm)), condition);
	unsigned int count = uop_sum(s->b, width, sem_x(FIELD(s, Rm)), sem_x(FIELD(s, Rn)), true);
	unsigned int none = uop_make(s->b, UOP_XOR, 1, any, one);
	unsigned int carry = uop_make(s->b, UOP_OR, 1, none, uop_unknown(s->b, 1));
	unsigned int packed = uop_field(s->b, UOP_FIELD, 4, any, (struct bits_field){0, 1, 3});

	packed = uop_insert(s->b, 4, packed, none, (struct bits_field){0, 1, 2});
	packed = uop_insert(s->b, 4, packed, carry, (struct bits_field){0, 1, 1});
	uop_define(s->b, REG_NZCV, uop_make(s->b, UOP_UNPACK, 16, packed, SLOT_NONE));
	if (pd >= 8)
		return;
	count = uop_select(s->b, 64, is_before(s, 64, count, most, LOWER), count, most);
	count = uop_select(s->b, 64, any, count, SLOT_ZERO);
	uop_define(s->b, REG_P0 + pd,
	           uop_field(s->b, UOP_FIELD, 64, count, (struct bits_field){0, 16, size}));
}

/* Contiguous loads whose Rm is a general register: all but those with bits 15:13 odd, and 3. */
static bool has_index(const struct sem *s)
{
	return HAS_FIELD(s, Rm) && (FIELD(s, form) == 3 || FIELD(s, form) % 2 == 0);
}

/* Loads into `count` registers; 0 says that bits 22:21 do. Prefetches are among these rows. */
void sem_sve_load(struct sem *s, unsigned int count)
{
	if (count == 0)
		count = FIELD(s, size) + 1;
	uop_use(s->b, FIELD(s, Rn));
	if (has_index(s))
		uop_use(s->b, sem_x(FIELD(s, Rm)));
	for (unsigned int i = 0; i < count; i++)
		sem_set_v_unknown(s, (FIELD(s, Rd) + i) % 32);
}

/* The bytes that a store of one vector writes at most, by the predicate that rules it. */
static unsigned int store_bound(struct sem *s)
{
	unsigned int element = FIELD(s, size);
	unsigned int memory = FIELD(s, msz);
	unsigned int bytes = REG_P0 + FIELD(s, Pg);

	if (element == 0)
		return bytes;
	bytes = uop_sum(s->b, 64, bytes, uop_constant(s->b, (1U << element) - 1), false);
	return uop_field(s->b, UOP_FIELD, 64, bytes,
	                 (struct bits_field){element, 64 - element - memory, memory});
}

/* How contiguous stores say where: a number of vectors from the base, an index, or the base. */
enum sve_address { SVE_NUMBER, SVE_INDEX, SVE_BASE };

/* Contiguous stores of one to four registers. */
void sem_sve_store(struct sem *s, unsigned int kind)
{
	enum { MOST = 4 * LARGEST_VECTOR, NUMBERS = 8 };
	unsigned int rm = FIELD(s, Rm);
	unsigned int rn = FIELD(s, Rn);
	struct uop_place at = {rn, 0};
	bool is_single = kind == SVE_BASE || FIELD(s, form) == 2;

	if (kind == SVE_NUMBER) {
		at.offset = -(int64_t)NUMBERS * MOST;
		uop_clobber(s->b, at, 2 * NUMBERS * MOST, 0);
		return;
	}
	if (kind == SVE_INDEX && rm == 31)
		opcode_reject(&s->opcode);
	if (kind == SVE_INDEX)
		at.base = uop_sum(s->b, 64, rn, sem_extended(s, 64, rm, 3, FIELD(s, msz)), false);
	if (is_single && FIELD(s, size) >= FIELD(s, msz))
		uop_clobber_bounded(s->b, at, LARGEST_VECTOR, store_bound(s));
	else
		uop_clobber(s->b, at, MOST, 0);
}

/* STR of a vector, or of a predicate with 3 as `scale`: one of them at imm9 times its size. */
void sem_sve_store_register(struct sem *s, unsigned int scale)
{
	int64_t imm9 = SIGNED_FIELD(s, imm9);
	struct uop_place at = {0, 0};

	at.base = uop_sum(s->b, 64, FIELD(s, Rn), vector_lengths(s, imm9, scale), false);
	uop_clobber(s->b, at, LARGEST_VECTOR >> scale, 0);
}

/* Stores to addresses that vectors hold, and what else is not a range. */
void sem_sve_scatter(struct sem *s, unsigned int arg)
{
	(void)arg;
	s->b->insn.flags |= UOP_KILLS_MEMORY;
}
