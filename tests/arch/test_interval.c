/* SPDX-License-Identifier: Apache-2.0 */
/* Intervals modulo 2^64: nothing that is true is ever excluded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arch/uop/interval.h"

/* Numbers around the places where intervals go over the end, signed and unsigned. */
static const uint64_t numbers[] = {
        0,
        1,
        2,
        0x41ffb0,
        INT64_MAX - UINT64_C(1),
        INT64_MAX,
        UINT64_C(1) << 63,
        (UINT64_C(1) << 63) + 1,
        UINT64_MAX - 1,
        UINT64_MAX,
};

static const uint64_t halves[] = {0,          1,          2,          0x41ffb0,   0x7ffffffe,
                                  0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff};

enum {
	NUMBERS = sizeof(numbers) / sizeof(numbers[0]),
	HALVES = sizeof(halves) / sizeof(halves[0]),
};

static bool holds(struct interval i, uint64_t x)
{
	return x - i.first <= interval_span(i);
}

static void check_pair(struct interval a, struct interval b)
{
	struct interval meet = interval_meet(a, b);
	struct interval sum = interval_add(a, b);
	struct interval difference = interval_subtract(a, b);

	for (unsigned int x = 0; x < NUMBERS; x++) {
		if (!holds(a, numbers[x]))
			continue;
		if (holds(b, numbers[x]))
			assert_true(holds(meet, numbers[x]));
		for (unsigned int y = 0; y < NUMBERS; y++) {
			if (!holds(b, numbers[y]))
				continue;
			assert_true(holds(sum, numbers[x] + numbers[y]));
			assert_true(holds(difference, numbers[x] - numbers[y]));
		}
	}
}

static void interval_arithmetic_excludes_nothing_that_is_true(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < NUMBERS * NUMBERS; i++) {
		for (unsigned int k = 0; k < NUMBERS * NUMBERS; k++)
			check_pair(interval_of(numbers[i / NUMBERS], numbers[i % NUMBERS]),
			           interval_of(numbers[k / NUMBERS], numbers[k % NUMBERS]));
	}
}

static void interval_zeroed_is_every_number(void **state)
{
	struct bits b = {0, 0};

	(void)state;
	for (unsigned int x = 0; x < NUMBERS; x++)
		assert_true(holds((struct interval){0, 0}, numbers[x]));
	assert_true(interval_to_bits((struct interval){0, 0}, &b));
	assert_int_equal(b.known, 0);
}

static void interval_of_number_is_its_bits(void **state)
{
	struct bits b = {0, 0};
	struct bits other = {1, 1};

	(void)state;
	assert_true(interval_to_bits(interval_of(0x1234, 0x1234), &b));
	assert_int_equal(b.known, UINT64_MAX);
	assert_int_equal(b.value, 0x1234);
	assert_false(interval_to_bits(interval_of(0x1234, 0x1234), &other));
}

/* Of x - k with these flags alone: x is in what the flags say of it. */
static void check_compare(uint64_t x, uint64_t k, uint8_t width)
{
	const struct uop op = {.op = UOP_SUB_FLAGS, .width = 16, .size = width};
	const struct bits compared = {0, ~bits_mask(width)};
	struct bits a = bits_of(x);
	struct bits b = bits_of(k);
	struct bits one = bits_of(1);
	struct bits flags = {0, 0};
	const struct bits_sum sum = {&a, &b, &one, true};
	struct interval v[4] = {{0, 0}, {0, 0}, interval_of(k, k), interval_of(1, 1)};

	assert_true(bits_add_flags(&flags, &sum, width));
	/* All sets of states that hold the true one. */
	for (uint32_t states = 1; states <= FLAGS_ANY; states++) {
		struct bits known = {0, ~(uint64_t)states};
		const struct bits bits[4] = {known, compared, b, one};

		if ((states & bits_flag_states(&flags)) == 0)
			continue;
		v[1] = (struct interval){0, 0};
		interval_refine(&op, bits, v);
		assert_true(holds(v[1], x));
	}
}

static void interval_of_comparison_holds_what_was_compared(void **state)
{
	(void)state;
	for (unsigned int x = 0; x < NUMBERS; x++) {
		for (unsigned int k = 0; k < NUMBERS; k++)
			check_compare(numbers[x], numbers[k], 64);
	}
	for (unsigned int x = 0; x < HALVES; x++) {
		for (unsigned int k = 0; k < HALVES; k++)
			check_compare(halves[x], halves[k], 32);
	}
}

/* Of x1 op x2 modulo 2^32, of which intervals are known: all three are in what follows. */
static void check_half_sum(struct interval a, struct interval b, const struct uop *op)
{
	const struct bits half = {0, ~bits_mask(32)};
	bool subtracts = op->op == UOP_SUB;
	const struct bits bits[4] = {half, half, half, bits_of(subtracts)};
	struct interval v[4] = {{0, 0}, a, b, interval_of(subtracts, subtracts)};

	interval_refine(op, bits, v);
	for (unsigned int x = 0; x < HALVES; x++) {
		for (unsigned int y = 0; y < HALVES; y++) {
			uint64_t sum = subtracts ? halves[x] - halves[y] : halves[x] + halves[y];

			if (!holds(a, halves[x]) || !holds(b, halves[y]))
				continue;
			assert_true(holds(v[0], sum & UINT32_MAX));
			assert_true(holds(v[1], halves[x]) && holds(v[2], halves[y]));
		}
	}
}

static void interval_of_half_sum_excludes_nothing_that_is_true(void **state)
{
	const struct uop ops[] = {{.op = UOP_ADD, .width = 32}, {.op = UOP_SUB, .width = 32}};

	(void)state;
	for (unsigned int i = 0; i < HALVES * HALVES * HALVES * HALVES; i++) {
		unsigned int a = i % (HALVES * HALVES);
		unsigned int b = i / (HALVES * HALVES);

		for (unsigned int k = 0; k < 2; k++)
			check_half_sum(interval_of(halves[a / HALVES], halves[a % HALVES]),
			               interval_of(halves[b / HALVES], halves[b % HALVES]),
			               &ops[k]);
	}
}

/* 0 - 4 is after all else. A register whose upper half is not known is not said anything of. */
static void interval_of_half_sum_is_modulo(void **state)
{
	const struct uop op = {.op = UOP_SUB, .width = 32};
	const struct bits none = {0, 0};
	const struct bits bits[4] = {{0, ~bits_mask(32)}, none, bits_of(4), bits_of(1)};
	struct interval v[4] = {interval_of(0, UINT32_MAX), interval_of(0, 2), interval_of(4, 4),
	                        interval_of(1, 1)};

	(void)state;
	interval_refine(&op, bits, v);
	assert_int_equal(v[0].first, UINT32_C(0xfffffffc));
	assert_int_equal(interval_span(v[0]), 2);
	v[0] = interval_of(0, 0x10);
	v[1] = (struct interval){0, 0};
	interval_refine(&op, bits, v);
	assert_int_equal(interval_span(v[1]), UINT64_MAX);
}

static void interval_of_sum_goes_both_ways(void **state)
{
	const struct uop op = {.op = UOP_SUB, .width = 64};
	const struct bits none = {0, 0};
	const struct bits bits[4] = {none, none, bits_of(0x40), bits_of(1)};
	struct interval v[4] = {
	        interval_of(0, 0x2000), {0, 0}, interval_of(0x40, 0x40), interval_of(1, 1)};

	(void)state;
	interval_refine(&op, bits, v); /* v[0] is v[1] - 0x40 */
	assert_int_equal(v[1].first, 0x40);
	assert_int_equal(interval_span(v[1]), 0x2000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(interval_arithmetic_excludes_nothing_that_is_true),
	        cmocka_unit_test(interval_zeroed_is_every_number),
	        cmocka_unit_test(interval_of_number_is_its_bits),
	        cmocka_unit_test(interval_of_comparison_holds_what_was_compared),
	        cmocka_unit_test(interval_of_sum_goes_both_ways),
	        cmocka_unit_test(interval_of_half_sum_excludes_nothing_that_is_true),
	        cmocka_unit_test(interval_of_half_sum_is_modulo),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
