/* SPDX-License-Identifier: Apache-2.0 */
/* Two sequences of keys beside each other: stretches, gaps, and what the search costs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/compare/alignment.h"

struct sequence {
	const uint64_t *keys;
	size_t count;
	const uint64_t *gaps; /* positions, rising */
	size_t gap_count;
	uint64_t reads;
};

static uint64_t key_of(void *context, uint64_t position)
{
	struct sequence *s = context;

	assert_true(position < s->count);
	s->reads++;
	return s->keys[position];
}

static uint64_t next_gap(void *context, uint64_t position)
{
	const struct sequence *s = context;

	for (size_t i = 0; i < s->gap_count; i++) {
		if (s->gaps[i] >= position)
			return s->gaps[i];
	}
	return ALIGNMENT_NO_GAP;
}

static struct alignment *open_alignment(struct sequence *a, struct sequence *b)
{
	struct sequence *s[ALIGNMENT_SIDES] = {a, b};
	struct alignment_side sides[ALIGNMENT_SIDES];
	struct alignment *alignment;

	for (int i = 0; i < ALIGNMENT_SIDES; i++)
		sides[i] = (struct alignment_side){key_of, next_gap, s[i], 0, s[i]->count};
	assert_int_equal(alignment_open(sides, &alignment), STATUS_OK);
	return alignment;
}

/*
 * The stretches as text, such as "=3 -0+2 =1": what is the same, what A and B have alone, "~" for
 * "-" where gaps account for it. Checks that they cover both sides.
 */
static void expect(struct sequence *a, struct sequence *b, const char *expected)
{
	struct alignment *alignment = open_alignment(a, b);
	struct alignment_stretch s;
	uint64_t at[ALIGNMENT_SIDES] = {0, 0};
	char text[512] = "";
	enum status status;

	while ((status = alignment_next(alignment, &s)) == STATUS_OK) {
		size_t n = strlen(text);

		if (s.is_same)
			(void)snprintf(text + n, sizeof(text) - n, " =%llu",
			               (unsigned long long)s.count[ALIGNMENT_A]);
		else
			(void)snprintf(text + n, sizeof(text) - n, " %c%llu+%llu",
			               s.is_gap ? '~' : '-',
			               (unsigned long long)s.count[ALIGNMENT_A],
			               (unsigned long long)s.count[ALIGNMENT_B]);
		for (int i = 0; i < ALIGNMENT_SIDES; i++) {
			assert_int_equal(s.position[i], at[i]);
			at[i] += s.count[i];
		}
		assert_true(s.count[ALIGNMENT_A] + s.count[ALIGNMENT_B] > 0);
	}
	assert_int_equal(status, STATUS_END);
	assert_int_equal(at[ALIGNMENT_A], a->count);
	assert_int_equal(at[ALIGNMENT_B], b->count);
	assert_string_equal(text[0] ? text + 1 : text, expected);
	alignment_close(alignment);
}

/* Sequences out of characters. */
static struct sequence *of(const char *text)
{
	struct sequence *s = test_calloc(1, sizeof(*s));
	uint64_t *keys = test_calloc(strlen(text) + 1, sizeof(*keys));

	for (size_t i = 0; text[i]; i++)
		keys[i] = (uint64_t)text[i];
	s->keys = keys;
	s->count = strlen(text);
	return s;
}

static void drop(struct sequence *s)
{
	test_free((void *)(uintptr_t)s->keys);
	test_free(s);
}

static void expect_text(const char *a, const char *b, const char *expected)
{
	struct sequence *first = of(a);
	struct sequence *second = of(b);

	expect(first, second, expected);
	drop(first);
	drop(second);
}

/* As expect_text(), with one gap in A. */
static void expect_gap(const char *a, uint64_t gap, const char *b, const char *expected)
{
	struct sequence *first = of(a);
	struct sequence *second = of(b);

	first->gaps = &gap;
	first->gap_count = 1;
	expect(first, second, expected);
	drop(first);
	drop(second);
}

static void alignment_of_nothing_is_nothing(void **state)
{
	(void)state;
	expect_text("", "", "");
}

static void alignment_of_one_empty_side_is_the_other(void **state)
{
	(void)state;
	expect_text("", "abc", "-0+3");
	expect_text("abc", "", "-3+0");
}

static void alignment_of_equal_sides_is_one_stretch(void **state)
{
	(void)state;
	expect_text("abcdefgh", "abcdefgh", "=8");
}

static void alignment_finds_what_one_side_has_more(void **state)
{
	(void)state;
	expect_text("abcdefghijklmnop", "abcdXYefghijklmnop", "=4 -0+2 =12");
	expect_text("abcdXYefghijklmnop", "abcdefghijklmnop", "=4 -2+0 =12");
	expect_text("abcdefghijkl", "Xabcdefghijkl", "-0+1 =12");
}

static void alignment_finds_what_was_replaced(void **state)
{
	(void)state;
	expect_text("abcdXefghijklmnop", "abcdYefghijklmnop", "=4 -1+1 =12");
}

/* The end of both sides is as good an anchor as eight keys. */
static void alignment_finds_short_ends(void **state)
{
	(void)state;
	expect_text("abcdXe", "abcdYe", "=4 -1+1 =1");
	expect_text("abcde", "abcd", "=4 -1+0");
	expect_text("abcdX", "abcdY", "=4 -1+1");
}

static void alignment_tells_differences_near_each_other_apart(void **state)
{
	(void)state;
	expect_text("abcdXefgYhijklmnopq", "abcdUefgVhijklmnopq", "=4 -1+1 =3 -1+1 =10");
}

/* Every fifth is another one: never eight in a row are the same. */
static void alignment_finds_its_way_through_many_differences(void **state)
{
	enum { COUNT = 10000, EVERY = 5 };
	static uint64_t keys[2][COUNT];
	struct sequence a = {.keys = keys[0], .count = COUNT};
	struct sequence b = {.keys = keys[1], .count = COUNT};
	struct alignment *alignment;
	struct alignment_stretch s;
	size_t different = 0;

	(void)state;
	for (size_t i = 0; i < COUNT; i++) {
		keys[0][i] = i;
		keys[1][i] = i % EVERY == 0 ? i + COUNT : i;
	}
	alignment = open_alignment(&a, &b);
	while (alignment_next(alignment, &s) == STATUS_OK) {
		if (s.is_same)
			continue;
		assert_int_equal(s.count[ALIGNMENT_A], 1);
		assert_int_equal(s.count[ALIGNMENT_B], 1);
		different++;
	}
	assert_int_equal(different, COUNT / EVERY);
	alignment_close(alignment);
}

static void alignment_of_another_turn_is_one_stretch(void **state)
{
	(void)state;
	expect_text("(abc)(abc)(abc)defghijkl", "(abc)(abc)(abc)(abc)defghijkl", "=15 -0+5 =9");
}

static void alignment_takes_the_nearest_of_two_places(void **state)
{
	(void)state;
	/* "mnopqrst" comes twice in B. */
	expect_text("abcdmnopqrstuv", "abcdXmnopqrstmnopqrstuv", "=4 -0+1 =8 -0+8 =2");
}

static void alignment_in_a_gap_is_a_gap(void **state)
{
	(void)state;
	expect_gap("abcdefghijklmnop", 4, "abcdXYefghijklmnop", "=4 ~0+2 =12");
	/* B's gap does not account for what B has more, nor does A's gap elsewhere. */
	expect_gap("abcdXYefghijklmnop", 4, "abcdefghijklmnop", "=4 -2+0 =12");
	expect_gap("abcdefghijklmnop", 5, "abcdXYefghijklmnop", "=4 -0+2 =12");
	/* At both ends. */
	expect_gap("efghijkl", 0, "abcdefghijkl", "~0+4 =8");
	expect_gap("abcd", 4, "abcdefghijkl", "=4 ~0+8");
}

/* As expect_gap(), with a gap in each. */
static void expect_gaps(const char *a, uint64_t a_gap, const char *b, uint64_t b_gap,
                        const char *expected)
{
	struct sequence *first = of(a);
	struct sequence *second = of(b);

	first->gaps = &a_gap;
	first->gap_count = 1;
	second->gaps = &b_gap;
	second->gap_count = 1;
	expect(first, second, expected);
	drop(first);
	drop(second);
}

/* A lost what B shows, and then B lost what A shows. */
static void alignment_of_two_losses_is_a_gap(void **state)
{
	(void)state;
	expect_gaps("abcdXYefghijklmn", 4, "abcdUVWefghijklmn", 7, "=4 ~2+3 =10");
	expect_gaps("abcdUVWefghijklmn", 7, "abcdXYefghijklmn", 4, "=4 ~3+2 =10");
	expect_gaps("abcdXYefghijklmn", 4, "abcdUVWefghijklmn", 4, "=4 -2+3 =10");
	expect_gaps("abcdXYefghijklmn", 6, "abcdUVWefghijklmn", 7, "=4 -2+3 =10");
}

static void alignment_of_strangers_is_no_gap(void **state)
{
	(void)state;
	expect_gaps("abcd", 0, "efgh", 4, "-4+4");
	expect_gaps("abcd", 4, "efgh", 0, "-4+4");
	expect_gaps("abcd", 0, "efgh", 0, "-4+4");
}

/* The gap is in the loop, and the turns that A lacks show only at the loop's end. */
static void alignment_of_turns_in_a_gap_is_a_gap(void **state)
{
	(void)state;
	expect_gap("(abc)(abc)defghijkl", 5, "(abc)(abc)(abc)(abc)defghijkl", "=10 ~0+10 =9");
	expect_gap("(abc)(abc)defghijkl", 8, "(abc)(abc)(abc)(abc)defghijkl", "=10 ~0+10 =9");
}

/* After a gap a few instructions, then a gap again: they are found however few they are. */
static void alignment_finds_islands_between_gaps(void **state)
{
	const uint64_t gaps[] = {4, 6, 9};
	struct sequence *a = of("abcdXYfgh12345678");
	struct sequence *b = of("abcd.....XY......fgh..........12345678");

	(void)state;
	a->gaps = gaps;
	a->gap_count = 3;
	expect(a, b, "=4 ~0+5 =2 ~0+6 =3 ~0+10 =8");
	expect(b, a, "=4 ~5+0 =2 ~6+0 =3 ~10+0 =8");
	drop(a);
	drop(b);
}

/* Keys 0, 1, 2, ... with a stretch of others before them. */
static void fill(uint64_t *keys, size_t others, size_t count)
{
	for (size_t i = 0; i < count; i++)
		keys[i] = i < others ? UINT64_C(1) << 40 | i : i - others;
}

static void alignment_finds_its_way_within_the_horizon(void **state)
{
	const size_t count = 3 << 19;
	const size_t more = ALIGNMENT_HORIZON - ALIGNMENT_ANCHOR;
	uint64_t *keys[2] = {malloc(count * 8), malloc((count + more) * 8)};
	struct sequence a = {.keys = keys[0], .count = count};
	struct sequence b = {.keys = keys[1], .count = count + more};
	struct alignment *alignment;
	struct alignment_stretch s;

	(void)state;
	assert_non_null(keys[0]);
	assert_non_null(keys[1]);
	fill(keys[0], 0, count);
	fill(keys[1], more, count + more);
	alignment = open_alignment(&a, &b);
	assert_int_equal(alignment_next(alignment, &s), STATUS_OK);
	assert_int_equal(s.count[ALIGNMENT_A], 0);
	assert_int_equal(s.count[ALIGNMENT_B], more);
	while (alignment_next(alignment, &s) == STATUS_OK)
		assert_true(s.is_same);
	alignment_close(alignment);
	free(keys[0]);
	free(keys[1]);
}

/* Reads of keys a position of both sides together. */
static uint64_t cost(struct sequence *a, struct sequence *b)
{
	struct alignment *alignment = open_alignment(a, b);
	struct alignment_stretch s;
	uint64_t reads;

	a->reads = b->reads = 0;
	while (alignment_next(alignment, &s) == STATUS_OK)
		;
	alignment_close(alignment);
	reads = a->reads + b->reads;
	return reads / (a->count + b->count);
}

/* However the sides differ, the search reads a position a bounded number of times. */
static void alignment_costs_no_more_than_the_length(void **state)
{
	enum { COUNT = 1 << 16 };
	static uint64_t keys[2][COUNT];
	struct sequence a = {.keys = keys[0], .count = COUNT};
	struct sequence b = {.keys = keys[1], .count = COUNT};

	(void)state;
	for (size_t every = 1; every <= 64; every++) {
		for (size_t i = 0; i < COUNT; i++) {
			keys[0][i] = i;
			keys[1][i] = i % every == 0 ? i + COUNT : i;
		}
		assert_true(cost(&a, &b) <= 512);
	}
	/* The worst that loops can do: each is full of the other's keys, and no order fits. */
	for (size_t i = 0; i < COUNT; i++) {
		keys[0][i] = i % 8;
		keys[1][i] = 7 - i % 8;
	}
	assert_true(cost(&a, &b) <= 512);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(alignment_of_nothing_is_nothing),
	        cmocka_unit_test(alignment_of_one_empty_side_is_the_other),
	        cmocka_unit_test(alignment_of_equal_sides_is_one_stretch),
	        cmocka_unit_test(alignment_finds_what_one_side_has_more),
	        cmocka_unit_test(alignment_finds_what_was_replaced),
	        cmocka_unit_test(alignment_finds_short_ends),
	        cmocka_unit_test(alignment_tells_differences_near_each_other_apart),
	        cmocka_unit_test(alignment_finds_its_way_through_many_differences),
	        cmocka_unit_test(alignment_of_another_turn_is_one_stretch),
	        cmocka_unit_test(alignment_takes_the_nearest_of_two_places),
	        cmocka_unit_test(alignment_in_a_gap_is_a_gap),
	        cmocka_unit_test(alignment_of_two_losses_is_a_gap),
	        cmocka_unit_test(alignment_of_strangers_is_no_gap),
	        cmocka_unit_test(alignment_of_turns_in_a_gap_is_a_gap),
	        cmocka_unit_test(alignment_finds_islands_between_gaps),
	        cmocka_unit_test(alignment_finds_its_way_within_the_horizon),
	        cmocka_unit_test(alignment_costs_no_more_than_the_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
