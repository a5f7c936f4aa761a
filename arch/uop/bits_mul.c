/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Known bits through products, quotients, counts of leading bits and checksums; see bits.h. These
 * relations mix all bits: what is learned are low bits, bounds, and whole values.
 */
#include "arch/uop/bits.h"

/* ISO C has no name for them; gcc and clang do. */
__extension__ typedef unsigned __int128 wide_unsigned;
__extension__ typedef __int128 wide_signed;

/* The inverse of an odd number modulo 2^64: each round doubles the bits that are right. */
static uint64_t inverse_of_odd(uint64_t x)
{
	uint64_t inverse = x; /* right in 3 bits */

	for (unsigned int round = 0; round < 5; round++)
		inverse *= 2 - x * inverse;
	return inverse;
}

/* How many low bits are known to be zero. */
static unsigned int zeros_low(const struct bits *b, unsigned int width)
{
	uint64_t other = (b->value | ~b->known) & bits_mask(width);

	return other == 0 ? width : (unsigned int)__builtin_ctzll(other);
}

static unsigned int smaller(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Low bits of the product, from those of both operands. */
static bool mul_low(struct bits *result, const struct bits *a, const struct bits *b,
                    unsigned int width)
{
	unsigned int za = zeros_low(a, width);
	unsigned int zb = zeros_low(b, width);
	unsigned int known = smaller(bits_known_low(a, width) + zb, bits_known_low(b, width) + za);

	known = smaller(known, width);
	return bits_learn(result, a->value * b->value, bits_mask(known));
}

/* The product's upper bits, from how large it can be. */
static bool mul_bound(struct bits *result, const struct bits *a, const struct bits *b,
                      unsigned int width)
{
	uint64_t max;

	if (__builtin_mul_overflow(bits_max(a, width), bits_max(b, width), &max) ||
	    max > bits_mask(width))
		return true;
	return bits_learn_range(result, width, bits_min(a, width) * bits_min(b, width), max);
}

/* Low bits of `a` from those of the product and of a `b` whose lowest set bit is known. */
static bool mul_back(const struct bits *result, struct bits *a, const struct bits *b,
                     unsigned int width)
{
	unsigned int low = bits_known_low(b, width);
	uint64_t digits = b->value & bits_mask(low);
	unsigned int shift;
	unsigned int known;

	if (digits == 0)
		return true;
	shift = (unsigned int)__builtin_ctzll(digits);
	known = smaller(bits_known_low(result, width), low);
	if (known <= shift)
		return true;
	return bits_learn(a, (result->value >> shift) * inverse_of_odd(b->value >> shift),
	                  bits_mask(known - shift));
}

/* Where the product cannot have wrapped, `a` is near result / b. */
static bool mul_quotient(const struct bits *result, struct bits *a, const struct bits *b,
                         unsigned int width)
{
	uint64_t max;
	uint64_t divisor = bits_max(b, width);
	uint64_t least = bits_min(b, width);

	if (__builtin_mul_overflow(bits_max(a, width), divisor, &max) || max > bits_mask(width) ||
	    least == 0)
		return true;
	return bits_learn_range(a, width,
	                        bits_min(result, width) / divisor +
	                                (bits_min(result, width) % divisor != 0),
	                        bits_max(result, width) / least);
}

bool bits_mul(struct bits *result, struct bits *a, struct bits *b, unsigned int width)
{
	uint64_t mask = bits_mask(width);

	if (bits_all_known(a, width) && bits_all_known(b, width))
		return bits_learn(result, a->value * b->value, mask);
	/* a product that has fewer low zeros than one of its factors is none */
	return bits_learn(result, 0,
	                  bits_mask(smaller(zeros_low(a, width) + zeros_low(b, width), width))) &&
	       mul_low(result, a, b, width) && mul_bound(result, a, b, width) &&
	       mul_back(result, a, b, width) && mul_back(result, b, a, width) &&
	       mul_quotient(result, a, b, width) && mul_quotient(result, b, a, width);
}

static uint64_t umulh(uint64_t a, uint64_t b)
{
	return (uint64_t)((wide_unsigned)a * b >> 64);
}

bool bits_umulh(struct bits *result, struct bits *a, struct bits *b)
{
	/* it grows with both operands */
	return bits_learn_range(result, 64, umulh(bits_min(a, 64), bits_min(b, 64)),
	                        umulh(bits_max(a, 64), bits_max(b, 64)));
}

bool bits_smulh(struct bits *result, struct bits *a, struct bits *b)
{
	if (!bits_all_known(a, 64) || !bits_all_known(b, 64))
		return true;
	return bits_learn(result,
	                  (uint64_t)((wide_signed)(int64_t)a->value * (int64_t)b->value >> 64),
	                  UINT64_MAX);
}

/* The dividend is in quotient * divisor .. that + divisor - 1. */
static bool dividend_of(const struct bits *result, struct bits *a, uint64_t divisor,
                        unsigned int width)
{
	uint64_t min;
	uint64_t max;

	if (divisor == 0)
		return true;
	if (__builtin_mul_overflow(bits_min(result, width), divisor, &min))
		return false;
	if (__builtin_mul_overflow(bits_max(result, width), divisor, &max) ||
	    __builtin_add_overflow(max, divisor - 1, &max) || max > bits_mask(width))
		max = bits_mask(width);
	return bits_learn_range(a, width, min, max);
}

bool bits_udiv(struct bits *result, struct bits *a, struct bits *b, unsigned int width)
{
	uint64_t least = bits_min(b, width);
	uint64_t most = bits_max(b, width);

	if (most == 0)
		return bits_learn(result, 0, bits_mask(width));
	if (!bits_learn_range(result, width, least == 0 ? 0 : bits_min(a, width) / most,
	                      bits_max(a, width) / (least == 0 ? 1 : least)))
		return false;
	return least != most || dividend_of(result, a, most, width);
}

static int64_t sign_extend(uint64_t x, unsigned int width)
{
	uint64_t sign = (uint64_t)1 << (width - 1);

	return (int64_t)(((x & bits_mask(width)) ^ sign) - sign);
}

bool bits_sdiv(struct bits *result, struct bits *a, struct bits *b, unsigned int width)
{
	uint64_t sign = (uint64_t)1 << (width - 1);
	int64_t dividend = sign_extend(a->value, width);
	int64_t divisor = sign_extend(b->value, width);

	if ((a->known & b->known & sign) != 0 && ((a->value | b->value) & sign) == 0)
		return bits_udiv(result, a, b, width);
	if (!bits_all_known(b, width) || (divisor != 0 && !bits_all_known(a, width)))
		return true;
	if (divisor == 0)
		return bits_learn(result, 0, bits_mask(width));
	if (divisor == -1) /* the most negative number stays what it is */
		return bits_learn(result, 0 - a->value, bits_mask(width));
	return bits_learn(result, (uint64_t)(dividend / divisor), bits_mask(width));
}

/* Leading zeros of a number of `width` bits. */
static uint64_t count_leading(uint64_t x, unsigned int width)
{
	return x == 0 ? width : (uint64_t)__builtin_clzll(x) - (64 - width);
}

bool bits_clz(struct bits *result, struct bits *a, unsigned int width)
{
	uint64_t mask = bits_mask(width);
	uint64_t least;
	uint64_t most;

	if (!bits_learn_range(result, width, count_leading(bits_max(a, width), width),
	                      count_leading(bits_min(a, width), width)))
		return false;
	least = bits_min(result, width);
	most = bits_max(result, width);
	if (least > width)
		return false;
	if (!bits_learn(a, 0, mask & ~bits_mask(width - (unsigned int)least)))
		return false;
	if (least != most || least == width)
		return true;
	return bits_learn(a, mask, (uint64_t)1 << (width - 1 - (unsigned int)least));
}

/* Bits of `a` above and at bit `low`, which is at most width - 1, are all the same. */
static bool all_same_from(struct bits *a, unsigned int low, unsigned int width)
{
	uint64_t mask = bits_mask(width) & ~bits_mask(low);

	if ((a->known & mask) == 0)
		return true;
	return bits_learn(a, (a->value & mask) != 0 ? mask : 0, mask);
}

bool bits_cls(struct bits *result, struct bits *a, unsigned int width)
{
	/* a bit of `change` says that a bit of a differs from its upper neighbour */
	struct bits change = {(a->value ^ a->value >> 1), a->known & a->known >> 1};
	unsigned int least;
	unsigned int most;
	uint64_t sign;
	uint64_t next;

	change.value &= change.known;
	sign = (uint64_t)1 << (width - 1);
	if (!bits_learn(result, 0, sign) || !bits_clz(result, &change, width - 1))
		return false;
	least = (unsigned int)bits_min(result, width);
	most = (unsigned int)bits_max(result, width - 1);
	if (least >= width)
		return false;
	if (!all_same_from(a, width - 1 - least, width))
		return false;
	if (least != most || least == width - 1)
		return true;
	next = (uint64_t)1 << (width - 2 - least);
	if ((a->known & sign) != 0)
		return bits_learn(a, (a->value & sign) != 0 ? 0 : next, next);
	if ((a->known & next) == 0)
		return true;
	return bits_learn(a, (a->value & next) != 0 ? 0 : sign, sign) &&
	       all_same_from(a, width - 1 - least, width);
}

static uint32_t crc_forward(uint32_t crc, unsigned int bits, uint32_t polynomial)
{
	for (unsigned int i = 0; i < bits; i++)
		crc = (crc & 1) != 0 ? crc >> 1 ^ polynomial : crc >> 1;
	return crc;
}

/* The polynomial's top bit is set, so that the top bit tells whether it was added. */
static uint32_t crc_backward(uint32_t crc, unsigned int bits, uint32_t polynomial)
{
	for (unsigned int i = 0; i < bits; i++)
		crc = (crc >> 31) != 0 ? (crc ^ polynomial) << 1 | 1 : crc << 1;
	return crc;
}

bool bits_crc32(struct bits *result, struct bits *sum, struct bits *data, unsigned int bytes,
                bool castagnoli)
{
	uint32_t polynomial = castagnoli ? 0x82f63b78 : 0xedb88320;
	unsigned int first = smaller(8 * bytes, 32);
	unsigned int second = 8 * bytes - first;
	uint32_t upper = (uint32_t)(data->value >> 32);
	struct bits mixed = {0, ~bits_mask(first)};
	uint32_t crc;

	if (second > 0 && (data->known >> 32) != UINT32_MAX)
		return true;
	if (bits_all_known(sum, 32) && bits_all_known(data, first)) {
		crc = (uint32_t)(sum->value ^ (data->value & bits_mask(first)));
		crc = crc_forward(crc, first, polynomial);
		if (second > 0)
			crc = crc_forward(crc ^ upper, second, polynomial);
		return bits_learn(result, crc, bits_mask(32));
	}
	if (!bits_all_known(result, 32))
		return true;
	crc = (uint32_t)result->value;
	if (second > 0)
		crc = crc_backward(crc, second, polynomial) ^ upper;
	crc = crc_backward(crc, first, polynomial);
	/* what was fed in: sum ^ data, the data's missing bits being zero */
	mixed.value |= data->value & bits_mask(first);
	mixed.known |= data->known & bits_mask(first);
	return bits_learn(sum, crc ^ mixed.value, mixed.known & bits_mask(32)) &&
	       bits_learn(data, crc ^ sum->value, sum->known & bits_mask(first));
}
