/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Known-bits arithmetic: values of which some bits are known, and what a relation between such
 * values proves about each of them.
 *
 * Every bits_OP() function takes the result and the operands of one operation, all as far as they
 * are known, and refines all of them in place: forward (operands say the result) and backward
 * (the result and some operands say the others) at once. Contract of each:
 *   - monotone: a known bit never changes and is never forgotten, so that any order of calls ends
 *     in the same fixed point;
 *   - sound: a bit is learned only if it has that value in every solution of the relation;
 *   - false means that the relation has no solution: two provenances disagree. Nothing is ever
 *     overwritten, but some arguments may have been refined before that was found.
 * Arguments may be the same object. Of all of them only the low `width` bits (1 to 64) are looked
 * at and learned.
 *
 * Condition flags are a value of 16 bits of which exactly one is set: bit N*8 + Z*4 + C*2 + V. A
 * bit known to be zero excludes that state. So "higher, or not taken" facts, which no single
 * flag expresses, are kept whole.
 */
#ifndef CSREPLAY_ARCH_UOP_BITS_H
#define CSREPLAY_ARCH_UOP_BITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct bits {
	uint64_t value; /* 0 where unknown */
	uint64_t known; /* mask */
};

enum {
	FLAG_V = 1,
	FLAG_C = 2,
	FLAG_Z = 4,
	FLAG_N = 8,
	FLAGS_ANY = 0xffff, /* set of all states */
};

static inline uint64_t bits_mask(unsigned int width)
{
	return width >= 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
}

static inline struct bits bits_of(uint64_t value)
{
	return (struct bits){value, UINT64_MAX};
}

static inline bool bits_all_known(const struct bits *b, unsigned int width)
{
	return (~b->known & bits_mask(width)) == 0;
}

static inline bool bits_none_known(const struct bits *b, unsigned int width)
{
	return (b->known & bits_mask(width)) == 0;
}

/* Adds a fact; false, and nothing changed, if it contradicts what is known. */
MUST_USE static inline bool bits_learn(struct bits *b, uint64_t value, uint64_t known)
{
	if (((b->value ^ value) & b->known & known) != 0)
		return false;
	b->value |= value & known;
	b->known |= known;
	return true;
}

/* The bits above `width` are zero. */
MUST_USE static inline bool bits_narrow(struct bits *b, unsigned int width)
{
	return bits_learn(b, 0, ~bits_mask(width));
}

static inline struct bits bits_not(struct bits b)
{
	return (struct bits){~b.value & b.known, b.known};
}

/* Smallest and largest value that the low `width` bits can have. */
static inline uint64_t bits_min(const struct bits *b, unsigned int width)
{
	return b->value & bits_mask(width);
}

static inline uint64_t bits_max(const struct bits *b, unsigned int width)
{
	return (b->value | ~b->known) & bits_mask(width);
}

/* How many bits from bit 0 up are known without a hole, at most `width`. */
unsigned int bits_known_low(const struct bits *b, unsigned int width);

/* The low `width` bits, unsigned, are in min..max. */
MUST_USE bool bits_learn_range(struct bits *b, unsigned int width, uint64_t min, uint64_t max);

/* The low `width` bits of both are equal. */
MUST_USE bool bits_same(struct bits *a, struct bits *b, unsigned int width);

/* Sets of flag states, as bit masks of 16. */
uint32_t bits_flag_states(const struct bits *flags);
MUST_USE bool bits_learn_states(struct bits *flags, uint32_t states);
/* The states in which the condition (Arm ARM C1.2.4; 14 and 15 are always) holds. */
uint32_t bits_condition_states(unsigned int condition);
/* N, Z, C, V as bits 3..0, each known if all possible states agree on it. */
struct bits bits_flags_packed(const struct bits *flags);

/* An addition: result == a + b + carry, or with `invert` a + ~b + carry. */
struct bits_sum {
	struct bits *a;
	struct bits *b;
	struct bits *carry; /* bit 0 */
	bool invert;        /* b is taken inverted: a subtraction if carry is 1 */
};

MUST_USE bool bits_add(struct bits *result, const struct bits_sum *sum, unsigned int width);
/* `flags` are those that the addition sets. */
MUST_USE bool bits_add_flags(struct bits *flags, const struct bits_sum *sum, unsigned int width);
/* `flags` are those of a logical operation with the result `a`: N and Z of it, C and V zero. */
MUST_USE bool bits_test_flags(struct bits *flags, struct bits *a, unsigned int width);

MUST_USE bool bits_and(struct bits *result, struct bits *a, struct bits *b, unsigned int width);
MUST_USE bool bits_or(struct bits *result, struct bits *a, struct bits *b, unsigned int width);
MUST_USE bool bits_xor(struct bits *result, struct bits *a, struct bits *b, unsigned int width);

MUST_USE bool bits_mul(struct bits *result, struct bits *a, struct bits *b, unsigned int width);
/* The upper 64 of the 128 bits of the product. */
MUST_USE bool bits_umulh(struct bits *result, struct bits *a, struct bits *b);
MUST_USE bool bits_smulh(struct bits *result, struct bits *a, struct bits *b);
/* Division as the instructions do it: by zero gives zero, the signed one rounds towards zero. */
MUST_USE bool bits_udiv(struct bits *result, struct bits *a, struct bits *b, unsigned int width);
MUST_USE bool bits_sdiv(struct bits *result, struct bits *a, struct bits *b, unsigned int width);

enum bits_shift { SHIFT_LEFT, SHIFT_RIGHT, SHIFT_RIGHT_SIGNED, SHIFT_ROTATE };

/* `a` shifted by `amount` modulo `width`, which is 32 or 64 (or any power of two). */
MUST_USE bool bits_shift(struct bits *result, struct bits *a, struct bits *amount,
                         enum bits_shift kind, unsigned int width);
/* The low `width` bits of (high:low) >> lsb, with 0 <= lsb < width. */
MUST_USE bool bits_extract_pair(struct bits *result, struct bits *high, struct bits *low,
                                unsigned int lsb, unsigned int width);

/* A field of `len` bits (at least 1) at `lsb` of the operand goes to `to` of the result. */
struct bits_field {
	unsigned int lsb;
	unsigned int len;
	unsigned int to;
};

/* The rest of the result is zero, or above the field its sign. to + len <= width. */
MUST_USE bool bits_field(struct bits *result, struct bits *a, struct bits_field field,
                         bool is_signed, unsigned int width);
/* The rest of the result is that of `base`. */
MUST_USE bool bits_insert(struct bits *result, struct bits *base, struct bits *a,
                          struct bits_field field, unsigned int width);
/* Bit i of the result is bit i ^ `swap` of `a`: byte and bit reversals. */
MUST_USE bool bits_swizzle(struct bits *result, struct bits *a, unsigned int swap,
                           unsigned int width);
/* The low `count` bits are those of `a`, all others unknown. */
MUST_USE bool bits_low(struct bits *result, struct bits *a, unsigned int count);

MUST_USE bool bits_clz(struct bits *result, struct bits *a, unsigned int width);
MUST_USE bool bits_cls(struct bits *result, struct bits *a, unsigned int width);
/* CRC-32 of `bytes` (1, 2, 4, 8) of `data` onto `sum`; Castagnoli's polynomial or IEEE 802.3's. */
MUST_USE bool bits_crc32(struct bits *result, struct bits *sum, struct bits *data,
                         unsigned int bytes, bool castagnoli);

/* result == (choice ? a : b), choice being bit 0. */
MUST_USE bool bits_select(struct bits *result, struct bits *choice, struct bits *a, struct bits *b,
                          unsigned int width);
/* Bit 0 of the result is set if the condition holds in `flags`. */
MUST_USE bool bits_condition(struct bits *result, struct bits *flags, unsigned int condition);
/* Bit 0 of the result is set if the low bits of a and b are equal. */
MUST_USE bool bits_equal(struct bits *result, struct bits *a, struct bits *b, unsigned int width);
/* The result is N, Z, C, V of `flags` as bits 3..0. Both ways, so it is also the inverse. */
MUST_USE bool bits_pack_flags(struct bits *result, struct bits *flags);

enum bits_flag_map { FLAG_MAP_CFINV, FLAG_MAP_AXFLAG, FLAG_MAP_XAFLAG, FLAG_MAPS };

/* The result is what that instruction makes of `flags`. */
MUST_USE bool bits_map_flags(struct bits *result, struct bits *flags, enum bits_flag_map map);

enum bits_lane_kind {
	LANES_COMPARE, /* all ones where `condition` holds of the flags of x - y, else zero */
	LANES_CHOOSE,  /* x where it holds, else y */
	LANES_ADD,
	LANES_SUBTRACT,
	LANES_TEST, /* all ones where x & y is not zero */
};

/* An operation on the lanes of 64 bits of a vector. */
struct bits_lanes {
	enum bits_lane_kind kind;
	unsigned int condition;
	unsigned int size; /* bits of a lane */
	/* x and y are neighbours: those of `a` make the lower half of the result, of `b` the upper
	 */
	bool is_pairwise;
};

MUST_USE bool bits_each_lane(struct bits *result, struct bits *a, struct bits *b,
                             struct bits_lanes lanes);
/* Lanes of `size` bits, from bit `lsb` of the lanes twice as large of b:a. */
MUST_USE bool bits_narrow_lanes(struct bits *result, struct bits *a, struct bits *b,
                                unsigned int size, unsigned int lsb);

#endif
