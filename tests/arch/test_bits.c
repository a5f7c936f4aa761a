/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Known-bits arithmetic against brute force. Each relation is tried at a small width with every
 * combination of known and unknown bits in its result and its operands; all solutions are counted
 * out. Must hold: where there is a solution the relation does not fail, and no bit is learned that
 * differs in one of them (the truth is never excluded). How many of the bits that could be known
 * are, is held to a floor; for relations that move bits or add them, to all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arch/uop/bits.h"

enum {
	RESULT,
	A,
	B,
	C,
	ARGUMENTS,
	MOST_PARTIALS = 81,
};

/* What an argument may be: all partly known numbers of `width` bits, or sets of flags. */
struct domain {
	struct bits items[MOST_PARTIALS];
	size_t count;
	unsigned int width;
	bool is_flags;
};

struct relation {
	const char *name;
	unsigned int widths[ARGUMENTS]; /* 0 for C: it is not there; FLAGS: flags */
	uint64_t (*truth)(uint64_t a, uint64_t b, uint64_t c, unsigned int n);
	bool (*refine)(struct bits v[ARGUMENTS], unsigned int n);
	unsigned int n;
	unsigned int floor; /* per mille of what can be known */
};

enum { FLAGS = 99, NONE = 0, W = 4 };

static uint64_t low(uint64_t x)
{
	return x & bits_mask(W);
}

static int64_t sign(uint64_t x, unsigned int width)
{
	return (int64_t)(x << (64 - width)) >> (64 - width);
}

/* bit 0 of n: b is inverted */
static uint64_t true_add(uint64_t a, uint64_t b, uint64_t c, unsigned int n)
{
	return low(a + ((n & 1) != 0 ? ~b : b) + c);
}

static bool refine_add(struct bits v[ARGUMENTS], unsigned int n)
{
	struct bits_sum sum = {&v[A], &v[B], &v[C], (n & 1) != 0};

	return bits_add(&v[RESULT], &sum, W);
}

static uint64_t true_add_flags(uint64_t a, uint64_t b, uint64_t c, unsigned int n)
{
	uint64_t second = low((n & 1) != 0 ? ~b : b);
	uint64_t sum = a + second + c;
	int64_t wide = sign(a, W) + sign(second, W) + (int64_t)c;
	unsigned int flags = 0;

	if (sign(sum, W) < 0)
		flags |= FLAG_N;
	if (low(sum) == 0)
		flags |= FLAG_Z;
	if (sum != low(sum))
		flags |= FLAG_C;
	if (sign(sum, W) != wide)
		flags |= FLAG_V;
	return UINT64_C(1) << flags;
}

static bool refine_add_flags(struct bits v[ARGUMENTS], unsigned int n)
{
	struct bits_sum sum = {&v[A], &v[B], &v[C], (n & 1) != 0};

	return bits_add_flags(&v[RESULT], &sum, W);
}

static uint64_t true_test(uint64_t a, uint64_t b, uint64_t c, unsigned int n)
{
	(void)b;
	(void)c;
	(void)n;
	return UINT64_C(1) << ((sign(a, W) < 0 ? FLAG_N : 0) | (a == 0 ? FLAG_Z : 0));
}

static bool refine_test(struct bits v[ARGUMENTS], unsigned int n)
{
	(void)n;
	return bits_test_flags(&v[RESULT], &v[A], W);
}

static uint64_t true_logic(uint64_t a, uint64_t b, uint64_t c, unsigned int n)
{
	(void)c;
	return n == 0 ? (a & b) : n == 1 ? (a | b) : (a ^ b);
}

static bool refine_logic(struct bits v[ARGUMENTS], unsigned int n)
{
	if (n == 0)
		return bits_and(&v[RESULT], &v[A], &v[B], W);
	if (n == 1)
		return bits_or(&v[RESULT], &v[A], &v[B], W);
	return bits_xor(&v[RESULT], &v[A], &v[B], W);
}

static uint64_t true_mul(uint64_t a, uint64_t b, uint64_t c, unsigned int n)
{
	(void)c;
	(void)n;
	return low(a * b);
}

static bool refine_mul(struct bits v[ARGUMENTS], unsigned int n)
{
	(void)n;
	return bits_mul(&v[RESULT], &v[A], &v[B], W);
}

static uint64_t true_divide(uint64_t a, uint64_t b, uint64_t c, unsigned int is_signed)
{
	(void)c;
	if (b == 0)
		return 0;
	return low(is_signed ? (uint64_t)(sign(a, W) / sign(b, W)) : a / b);
}

static bool refine_divide(struct bits v[ARGUMENTS], unsigned int is_signed)
{
	return is_signed ? bits_sdiv(&v[RESULT], &v[A], &v[B], W)
	                 : bits_udiv(&v[RESULT], &v[A], &v[B], W);
}

static uint64_t true_shift(uint64_t a, uint64_t b, uint64_t c, unsigned int kind)
{
	unsigned int by = (unsigned int)b & (W - 1);

	(void)c;
	if (kind == SHIFT_LEFT)
		return low(a << by);
	if (kind == SHIFT_RIGHT)
		return a >> by;
	if (kind == SHIFT_RIGHT_SIGNED)
		return low((uint64_t)(sign(a, W) >> by));
	return low(a >> by | a << (W - by));
}

static bool refine_shift(struct bits v[ARGUMENTS], unsigned int kind)
{
	return bits_shift(&v[RESULT], &v[A], &v[B], (enum bits_shift)kind, W);
}

static uint64_t true_extract(uint64_t a, uint64_t b, uint64_t c, unsigned int lsb)
{
	(void)c;
	return low((a << W | b) >> lsb);
}

static bool refine_extract(struct bits v[ARGUMENTS], unsigned int lsb)
{
	return bits_extract_pair(&v[RESULT], &v[A], &v[B], lsb, W);
}

/* n: lsb * 1000 + len * 100 + to * 10 + signed */
static struct bits_field field_of(unsigned int n)
{
	return (struct bits_field){n / 1000, n / 100 % 10, n / 10 % 10};
}

static uint64_t true_field(uint64_t a, uint64_t b, uint64_t c, unsigned int n)
{
	struct bits_field field = field_of(n);
	uint64_t bits = a >> field.lsb & bits_mask(field.len);

	(void)b;
	(void)c;
	if (n % 10 != 0)
		bits = (uint64_t)sign(bits, field.len);
	return low(bits << field.to);
}

static bool refine_field(struct bits v[ARGUMENTS], unsigned int n)
{
	return bits_field(&v[RESULT], &v[A], field_of(n), n % 10 != 0, W);
}

static uint64_t true_insert(uint64_t a, uint64_t b, uint64_t c, unsigned int n)
{
	struct bits_field field = field_of(n);
	uint64_t mask = bits_mask(field.len) << field.to;

	(void)c;
	return (b & ~mask) | (a >> field.lsb << field.to & mask);
}

static bool refine_insert(struct bits v[ARGUMENTS], unsigned int n)
{
	return bits_insert(&v[RESULT], &v[B], &v[A], field_of(n), W);
}

static uint64_t true_swizzle(uint64_t a, uint64_t b, uint64_t c, unsigned int swap)
{
	uint64_t result = 0;

	(void)b;
	(void)c;
	for (unsigned int i = 0; i < W; i++)
		result |= (a >> (i ^ swap) & 1) << i;
	return result;
}

static bool refine_swizzle(struct bits v[ARGUMENTS], unsigned int swap)
{
	return bits_swizzle(&v[RESULT], &v[A], swap, W);
}

static uint64_t true_count(uint64_t a, uint64_t b, uint64_t c, unsigned int is_signed)
{
	uint64_t count = 0;

	(void)b;
	(void)c;
	if (!is_signed) {
		while (count < W && (a >> (W - 1 - count) & 1) == 0)
			count++;
		return count;
	}
	while (count < W - 1 && (a >> (W - 2 - count) & 1) == a >> (W - 1))
		count++;
	return count;
}

static bool refine_count(struct bits v[ARGUMENTS], unsigned int is_signed)
{
	return is_signed ? bits_cls(&v[RESULT], &v[A], W) : bits_clz(&v[RESULT], &v[A], W);
}

static uint64_t true_select(uint64_t a, uint64_t b, uint64_t c, unsigned int n)
{
	(void)n;
	return c != 0 ? a : b;
}

static bool refine_select(struct bits v[ARGUMENTS], unsigned int n)
{
	(void)n;
	return bits_select(&v[RESULT], &v[C], &v[A], &v[B], W);
}

static uint64_t true_equal(uint64_t a, uint64_t b, uint64_t c, unsigned int n)
{
	(void)c;
	(void)n;
	return a == b;
}

static bool refine_equal(struct bits v[ARGUMENTS], unsigned int n)
{
	(void)n;
	return bits_equal(&v[RESULT], &v[A], &v[B], W);
}

static unsigned int state_of(uint64_t flags)
{
	return (unsigned int)__builtin_ctzll(flags);
}

/* By the words of the Arm ARM, C1.2.4. */
static uint64_t true_condition(uint64_t a, uint64_t b, uint64_t c, unsigned int condition)
{
	unsigned int state = state_of(a);
	bool is_n = (state & FLAG_N) != 0;
	bool is_z = (state & FLAG_Z) != 0;
	bool is_c = (state & FLAG_C) != 0;
	bool is_v = (state & FLAG_V) != 0;
	const bool holds[8] = {
	        is_z, is_c, is_n, is_v, is_c && !is_z, is_n == is_v, is_n == is_v && !is_z, true};

	(void)b;
	(void)c;
	return holds[condition / 2] != (condition % 2 == 1 && condition != 15);
}

static bool refine_condition(struct bits v[ARGUMENTS], unsigned int condition)
{
	return bits_condition(&v[RESULT], &v[A], condition);
}

static uint64_t true_pack(uint64_t a, uint64_t b, uint64_t c, unsigned int n)
{
	(void)b;
	(void)c;
	(void)n;
	return state_of(a);
}

static bool refine_pack(struct bits v[ARGUMENTS], unsigned int n)
{
	(void)n;
	return bits_pack_flags(&v[RESULT], &v[A]);
}

static uint64_t true_unpack(uint64_t a, uint64_t b, uint64_t c, unsigned int n)
{
	(void)b;
	(void)c;
	(void)n;
	return UINT64_C(1) << a;
}

static bool refine_unpack(struct bits v[ARGUMENTS], unsigned int n)
{
	(void)n;
	return bits_pack_flags(&v[A], &v[RESULT]);
}

static const struct relation relations[] = {
        {"add", {W, W, W, NONE}, true_add, refine_add, 0, 1000},
        {"flags of add", {FLAGS, W, W, NONE}, true_add_flags, refine_add_flags, 0, 1000},
        {"flags of sub", {FLAGS, W, W, 1}, true_add_flags, refine_add_flags, 1, 1000},
        {"test", {FLAGS, W, NONE, NONE}, true_test, refine_test, 0, 1000},
        {"and", {W, W, W, NONE}, true_logic, refine_logic, 0, 1000},
        {"or", {W, W, W, NONE}, true_logic, refine_logic, 1, 1000},
        {"xor", {W, W, W, NONE}, true_logic, refine_logic, 2, 1000},
        {"mul", {W, W, W, NONE}, true_mul, refine_mul, 0, 500},
        {"udiv", {W, W, W, NONE}, true_divide, refine_divide, 0, 430},
        {"sdiv", {W, W, W, NONE}, true_divide, refine_divide, 1, 50},
        {"shift left", {W, W, W, NONE}, true_shift, refine_shift, SHIFT_LEFT, 1000},
        {"shift right", {W, W, W, NONE}, true_shift, refine_shift, SHIFT_RIGHT, 1000},
        {"shift signed", {W, W, W, NONE}, true_shift, refine_shift, SHIFT_RIGHT_SIGNED, 1000},
        {"rotate", {W, W, W, NONE}, true_shift, refine_shift, SHIFT_ROTATE, 1000},
        {"extract", {W, W, W, NONE}, true_extract, refine_extract, 3, 1000},
        {"extract all", {W, W, W, NONE}, true_extract, refine_extract, 0, 1000},
        {"field", {W, W, NONE, NONE}, true_field, refine_field, 1200, 1000},
        {"field up", {W, W, NONE, NONE}, true_field, refine_field, 310, 1000},
        {"field signed", {W, W, NONE, NONE}, true_field, refine_field, 1201, 1000},
        {"field signed up", {W, W, NONE, NONE}, true_field, refine_field, 211, 1000},
        {"field whole", {W, W, NONE, NONE}, true_field, refine_field, 401, 1000},
        {"insert", {W, W, W, NONE}, true_insert, refine_insert, 1210, 1000},
        {"reverse bits", {W, W, NONE, NONE}, true_swizzle, refine_swizzle, 3, 1000},
        {"reverse pairs", {W, W, NONE, NONE}, true_swizzle, refine_swizzle, 2, 1000},
        {"clz", {W, W, NONE, NONE}, true_count, refine_count, 0, 900},
        {"cls", {W, W, NONE, NONE}, true_count, refine_count, 1, 800},
        {"select", {W, W, W, 1}, true_select, refine_select, 0, 1000},
        {"equal", {1, W, W, NONE}, true_equal, refine_equal, 0, 1000},
        {"hi", {1, FLAGS, NONE, NONE}, true_condition, refine_condition, 8, 1000},
        {"le", {1, FLAGS, NONE, NONE}, true_condition, refine_condition, 13, 1000},
        {"vs", {1, FLAGS, NONE, NONE}, true_condition, refine_condition, 6, 1000},
        {"lt", {1, FLAGS, NONE, NONE}, true_condition, refine_condition, 11, 1000},
        {"eq", {1, FLAGS, NONE, NONE}, true_condition, refine_condition, 0, 1000},
        {"cc", {1, FLAGS, NONE, NONE}, true_condition, refine_condition, 3, 1000},
        {"mi", {1, FLAGS, NONE, NONE}, true_condition, refine_condition, 4, 1000},
        {"always", {1, FLAGS, NONE, NONE}, true_condition, refine_condition, 15, 1000},
        {"pack", {W, FLAGS, NONE, NONE}, true_pack, refine_pack, 0, 1000},
        {"unpack", {FLAGS, W, NONE, NONE}, true_unpack, refine_unpack, 0, 1000},
};

/* Every combination of 0, 1 and unknown in `width` bits; without any it is the number 0. */
static void fill_numbers(struct domain *domain, unsigned int width)
{
	size_t count = 1;

	for (unsigned int i = 0; i < width; i++)
		count *= 3;
	*domain = (struct domain){.count = count, .width = width};
	for (size_t n = 0; n < count; n++) {
		struct bits *item = &domain->items[n];
		size_t digits = n;

		item->known = ~bits_mask(width);
		for (unsigned int i = 0; i < width; i++, digits /= 3) {
			if (digits % 3 == 2)
				continue;
			item->known |= UINT64_C(1) << i;
			item->value |= (uint64_t)(digits % 3) << i;
		}
	}
}

/* Each state alone, the states of each condition, and all of them. */
static void fill_flags(struct domain *domain)
{
	*domain = (struct domain){.count = 31, .is_flags = true};
	for (unsigned int i = 0; i < 31; i++) {
		uint32_t states = i < 16 ? 1U << i : bits_condition_states(i - 16);

		assert_true(bits_learn_states(&domain->items[i], states));
	}
}

static void fill(struct domain *domain, unsigned int width)
{
	if (width == FLAGS)
		fill_flags(domain);
	else
		fill_numbers(domain, width);
}

static bool agrees(const struct bits *b, uint64_t value)
{
	return ((b->value ^ value) & b->known) == 0;
}

/* The numbers that the argument stands for, one after the other; false after the last. */
static bool next_number(const struct domain *domain, const struct bits *b, uint64_t *number)
{
	uint64_t limit = domain->is_flags ? 16 : UINT64_C(1) << domain->width;

	for (; *number < limit; ++*number) {
		if (agrees(b, domain->is_flags ? UINT64_C(1) << *number : *number))
			return true;
	}
	return false;
}

static uint64_t number_of(const struct domain *domain, uint64_t number)
{
	return domain->is_flags ? UINT64_C(1) << number : number;
}

/* What all solutions have in common. */
struct common {
	uint64_t ones[ARGUMENTS];
	uint64_t any[ARGUMENTS];
	uint64_t count;
};

static void note(struct common *common, const uint64_t numbers[ARGUMENTS])
{
	for (unsigned int i = 0; i < ARGUMENTS; i++) {
		common->ones[i] = common->count == 0 ? numbers[i] : common->ones[i] & numbers[i];
		common->any[i] |= numbers[i];
	}
	common->count++;
}

static struct common solve(const struct relation *r, const struct domain *domains,
                           const struct bits v[ARGUMENTS])
{
	struct common common = {.count = 0};
	uint64_t n[ARGUMENTS];
	uint64_t numbers[ARGUMENTS];

	for (n[A] = 0; next_number(&domains[A], &v[A], &n[A]); n[A]++) {
		for (n[B] = 0; next_number(&domains[B], &v[B], &n[B]); n[B]++) {
			for (n[C] = 0; next_number(&domains[C], &v[C], &n[C]); n[C]++) {
				for (unsigned int i = A; i <= C; i++)
					numbers[i] = number_of(&domains[i], n[i]);
				numbers[RESULT] =
				        r->truth(numbers[A], numbers[B], numbers[C], r->n);
				if (agrees(&v[RESULT], numbers[RESULT]))
					note(&common, numbers);
			}
		}
	}
	return common;
}

struct score {
	uint64_t possible; /* bits that can be learned */
	uint64_t learned;
	uint64_t contradictions;
	uint64_t found;
};

static unsigned int ones(uint64_t x)
{
	return (unsigned int)__builtin_popcountll(x);
}

static uint64_t domain_mask(const struct domain *domain)
{
	return domain->is_flags ? FLAGS_ANY : bits_mask(domain->width);
}

static void check_case(const struct relation *r, const struct domain *domains,
                       const struct bits before[ARGUMENTS], struct score *score)
{
	struct common common = solve(r, domains, before);
	struct bits v[ARGUMENTS];
	bool holds = true;

	memcpy(v, before, sizeof(v));
	for (unsigned int round = 0; round < 3 && holds; round++)
		holds = r->refine(v, r->n);
	if (common.count == 0) {
		score->contradictions++;
		score->found += !holds;
		return;
	}
	assert_true(holds);
	for (unsigned int i = 0; i < ARGUMENTS; i++) {
		uint64_t mask = domain_mask(&domains[i]);
		uint64_t best = ~(common.ones[i] ^ common.any[i]) & mask;

		assert_int_equal(before[i].known & ~v[i].known, 0);
		assert_int_equal(v[i].known & mask & ~best, 0);
		assert_int_equal((v[i].value ^ common.ones[i]) & v[i].known & mask, 0);
		assert_int_equal(v[i].value & ~v[i].known, 0);
		score->possible += ones(best & ~before[i].known);
		score->learned += ones(v[i].known & mask & ~before[i].known);
	}
}

static struct score check_relation(const struct relation *r)
{
	struct domain domains[ARGUMENTS];
	struct score score = {0};

	for (unsigned int i = 0; i < ARGUMENTS; i++)
		fill(&domains[i], r->widths[i]);
	for (size_t d = 0; d < domains[RESULT].count; d++) {
		for (size_t a = 0; a < domains[A].count; a++) {
			for (size_t bc = 0; bc < domains[B].count * domains[C].count; bc++) {
				const struct bits v[ARGUMENTS] = {
				        domains[RESULT].items[d], domains[A].items[a],
				        domains[B].items[bc % domains[B].count],
				        domains[C].items[bc / domains[B].count]};

				check_case(r, domains, v, &score);
			}
		}
	}
	return score;
}

static void relation_of_partly_known_values_never_excludes_the_truth(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(relations) / sizeof(relations[0]); i++) {
		struct score score = check_relation(&relations[i]);
		uint64_t rate = score.possible == 0 ? 1000 : score.learned * 1000 / score.possible;

		print_message("%-16s learned %9llu of %9llu bits (%llu per mille), found %llu of "
		              "%llu contradictions\n",
		              relations[i].name, (unsigned long long)score.learned,
		              (unsigned long long)score.possible, (unsigned long long)rate,
		              (unsigned long long)score.found,
		              (unsigned long long)score.contradictions);
		assert_true(rate >= relations[i].floor);
		if (relations[i].floor == 1000)
			assert_int_equal(score.found, score.contradictions);
	}
}

/* What all pairs of numbers have in common whose sum has these flags. */
struct hull {
	uint64_t all_a; /* bits that are 1 in all, and in any */
	uint64_t any_a;
	uint64_t all_b;
	uint64_t any_b;
	uint32_t states;
};

static void add_pair(struct hull *c, uint64_t a, uint64_t b, uint32_t state)
{
	bool is_first = c->states == 0;

	c->all_a = is_first ? a : c->all_a & a;
	c->all_b = is_first ? b : c->all_b & b;
	c->any_a |= a;
	c->any_b |= b;
	c->states |= state;
}

static void add_hull(struct hull *c, const struct hull *other)
{
	struct hull sum = *c;

	if (other->states == 0)
		return;
	add_pair(&sum, other->all_a, other->all_b, other->states);
	add_pair(&sum, other->any_a, other->any_b, other->states);
	if (c->states == 0)
		sum.all_a = other->all_a, sum.all_b = other->all_b;
	*c = sum;
}

/* As flags are numbered. */
static unsigned int flags_of_sum(uint64_t a, uint64_t b, uint64_t carry, unsigned int width)
{
	uint64_t top = UINT64_C(1) << (width - 1);
	uint64_t sum = (a + b + carry) & bits_mask(width);
	unsigned int flags = 0;

	if ((sum & top) != 0)
		flags |= FLAG_N;
	if (sum == 0)
		flags |= FLAG_Z;
	if ((a + b + carry) >> width != 0)
		flags |= FLAG_C;
	if ((~(a ^ b) & (a ^ sum) & top) != 0)
		flags |= FLAG_V;
	return flags;
}

static void check_free(const struct hull by_state[16], uint32_t allowed, unsigned int carry,
                       unsigned int width)
{
	struct bits flags = {0, ~(uint64_t)allowed & FLAGS_ANY};
	struct bits a = {0, 0};
	struct bits b = {0, 0};
	struct bits c = {carry, 1};
	const struct bits_sum sum = {&a, &b, &c, false};
	struct hull found = {0};
	uint64_t mask = bits_mask(width);

	for (unsigned int i = 0; i < 16; i++) {
		if ((allowed >> i & 1) != 0)
			add_hull(&found, &by_state[i]);
	}
	assert_int_equal(bits_add_flags(&flags, &sum, width), found.states != 0);
	if (found.states == 0)
		return;
	assert_int_equal(bits_flag_states(&flags), found.states);
	assert_int_equal(a.known, ~(found.all_a ^ found.any_a) & mask);
	assert_int_equal(a.value, found.all_a);
	assert_int_equal(b.known, ~(found.all_b ^ found.any_b) & mask);
	assert_int_equal(b.value, found.all_b);
}

/* Which is looked up with a few bits, and must be what all of them give. */
static void flags_of_unknown_operands_say_all_there_is(void **state)
{
	(void)state;
	for (unsigned int width = 2; width <= 8; width++) {
		for (unsigned int carry = 0; carry < 2; carry++) {
			struct hull by_state[16] = {{0}};

			for (uint64_t i = 0; i < (uint64_t)1 << 2 * width; i++) {
				uint64_t a = i & bits_mask(width);
				uint64_t b = i >> width;
				unsigned int flags = flags_of_sum(a, b, carry, width);

				add_pair(&by_state[flags], a, b, UINT32_C(1) << flags);
			}
			for (uint32_t allowed = 1; allowed <= FLAGS_ANY; allowed++)
				check_free(by_state, allowed, carry, width);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(relation_of_partly_known_values_never_excludes_the_truth),
	        cmocka_unit_test(flags_of_unknown_operands_say_all_there_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
