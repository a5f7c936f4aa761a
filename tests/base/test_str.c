/* SPDX-License-Identifier: Apache-2.0 */
/* String slices: comparing, cutting, numbers. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"

static const struct str none = {NULL, 0};

static void assert_str(struct str s, const char *text)
{
	assert_true(str_eq(s, str_of(text)));
}

static void str_of_null_is_empty(void **state)
{
	(void)state;
	assert_int_equal(str_of(NULL).n, 0);
	assert_non_null(str_of(NULL).p);
	assert_int_equal(str_of("abc").n, 3);
}

static void str_eq_compares_length_and_bytes(void **state)
{
	(void)state;
	assert_true(str_eq(STR("ab"), STR("ab")));
	assert_false(str_eq(STR("ab"), STR("abc")));
	assert_false(str_eq(STR("ab"), STR("aB")));
	assert_true(str_eq(none, STR("")));
	assert_true(str_eq(STR("a\0b"), STR("a\0b")));
	assert_false(str_eq(STR("a\0b"), STR("a\0c")));
}

static void str_nocase_folds_ascii_only(void **state)
{
	(void)state;
	assert_true(str_eq_nocase(STR("aBz@["), STR("AbZ@[")));
	assert_false(str_eq_nocase(STR("@"), STR("`")));
	assert_false(str_eq_nocase(STR("["), STR("{")));
	assert_false(str_eq_nocase(STR("\xc0"), STR("\xe0")));
	assert_false(str_eq_nocase(STR("ab"), STR("abc")));
	assert_false(str_eq_nocase(STR("abc"), STR("ab")));
	assert_false(str_eq_nocase(STR("abc"), STR("ABD")));
	assert_false(str_eq_nocase(STR("abc"), STR("bBC")));
	assert_true(str_eq_nocase(none, none));
	assert_int_equal(str_order_nocase(STR("aBz@["), STR("AbZ@[")), 0);
	assert_true(str_order_nocase(STR("@"), STR("`")) < 0);
	assert_true(str_order_nocase(STR("\xe0"), STR("\xc0")) > 0);
	assert_true(str_order_nocase(STR("AB"), STR("abc")) < 0);
	assert_true(str_order_nocase(STR("abc"), STR("AB")) > 0);
	assert_true(str_order_nocase(STR("b"), STR("ABC")) > 0);
	assert_int_equal(str_order_nocase(none, none), 0);
}

static void str_prefix_and_suffix_at_their_bounds(void **state)
{
	(void)state;
	assert_true(str_has_prefix(STR("abc"), STR("abc")));
	assert_true(str_has_prefix(STR("abc"), STR("")));
	assert_true(str_has_prefix(STR("abc"), none));
	assert_false(str_has_prefix(STR("ab"), STR("abc")));
	assert_false(str_has_prefix(STR("Abc"), STR("ab")));
	assert_true(str_has_prefix_nocase(STR("Abc"), STR("aB")));
	assert_false(str_has_prefix_nocase(STR("Abc"), STR("aD")));
	assert_false(str_has_suffix_nocase(STR("x.INI"), STR(".ina")));
	assert_true(str_has_suffix_nocase(STR("x.INI"), STR(".ini")));
	assert_true(str_has_suffix_nocase(STR(".ini"), STR(".ini")));
	assert_false(str_has_suffix_nocase(STR("ini"), STR(".ini")));
	assert_false(str_has_suffix_nocase(STR("x.inix"), STR(".ini")));
	assert_true(str_has_suffix_nocase(none, none));
	assert_true(str_has_suffix_nocase(STR("x"), none));
}

static void str_trim_takes_blanks_of_both_ends(void **state)
{
	(void)state;
	assert_str(str_trim(STR(" \t\r\n\v\fa b \t")), "a b");
	assert_str(str_trim(STR("a")), "a");
	assert_str(str_trim(STR("   ")), "");
	assert_str(str_trim(STR(" ")), "");
	assert_int_equal(str_trim(STR("\f")).n, 0);
	assert_str(str_trim(STR("")), "");
	assert_str(str_trim(none), "");
}

static void str_skip_beyond_the_end_is_empty(void **state)
{
	(void)state;
	assert_str(str_skip(STR("abc"), 1), "bc");
	assert_str(str_skip(STR("abc"), 3), "");
	assert_str(str_skip(STR("abc"), SIZE_MAX), "");
	assert_int_equal(str_skip(none, 0).n, 0);
	assert_int_equal(str_skip(none, 5).n, 0);
}

static void str_find_without_hit_is_length(void **state)
{
	(void)state;
	assert_int_equal(str_find(STR("a=b=c"), '='), 1);
	assert_int_equal(str_find(STR("abc"), '='), 3);
	assert_int_equal(str_find(STR("ab"), '\0'), 2);
	assert_int_equal(str_find(none, 'a'), 0);
}

static void str_next_part_gives_each_part_once(void **state)
{
	static const char *const parts[] = {"a", "", "b c", ""};
	struct str rest = STR(" a,, b c ,");
	size_t count = 0;

	(void)state;
	while (rest.p) {
		struct str part = str_next_part(&rest, ',');

		assert_true(count < 4);
		assert_str(part, parts[count++]);
	}
	assert_int_equal(count, 4);
	assert_int_equal(rest.n, 0);
	rest = STR("");
	assert_str(str_next_part(&rest, ','), "");
	assert_null(rest.p);
}

static void str_print_length_is_cut_to_int(void **state)
{
	(void)state;
	assert_int_equal(str_print_length(STR("abc")), 3);
	assert_int_equal(str_print_length((struct str){"", (size_t)INT_MAX + 1}), INT_MAX);
}

struct number {
	struct str text;
	enum status status;
	uint64_t value;
};

static void str_to_u64_at_its_bounds(void **state)
{
	const struct number numbers[] = {
	        {STR("0"), STATUS_OK, 0},
	        {STR("007"), STATUS_OK, 7},
	        {STR("18446744073709551615"), STATUS_OK, UINT64_MAX},
	        {STR("18446744073709551616"), STATUS_TRUNCATED, 0},
	        {STR("99999999999999999999"), STATUS_TRUNCATED, 0},
	        {STR("99999999999999999999x"), STATUS_BAD_DATA, 0},
	        {STR("0xffffffffffffffff"), STATUS_OK, UINT64_MAX},
	        {STR("0XFf"), STATUS_OK, 255},
	        {STR("0x10000000000000000"), STATUS_TRUNCATED, 0},
	        {STR("0x00000000000000000001"), STATUS_OK, 1},
	        {STR(""), STATUS_BAD_DATA, 0},
	        {STR("0x"), STATUS_BAD_DATA, 0},
	        {STR("x1"), STATUS_BAD_DATA, 0},
	        {STR("1a"), STATUS_BAD_DATA, 0},
	        {STR("-1"), STATUS_BAD_DATA, 0},
	        {STR("+1"), STATUS_BAD_DATA, 0},
	        {STR(" 1"), STATUS_BAD_DATA, 0},
	        {STR("1 "), STATUS_BAD_DATA, 0},
	        {STR("1_000"), STATUS_BAD_DATA, 0},
	        {STR("0x0x1"), STATUS_BAD_DATA, 0},
	        {STR("1\0"), STATUS_BAD_DATA, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		uint64_t value = 0xa5;

		assert_int_equal(str_to_u64(numbers[i].text, &value), numbers[i].status);
		assert_int_equal(value, numbers[i].status == STATUS_OK ? numbers[i].value : 0xa5);
	}
}

static void str_hex_to_u64_takes_no_prefix(void **state)
{
	const struct number numbers[] = {
	        {STR("ffffFFFF00000001"), STATUS_OK, 0xffffffff00000001},
	        {STR("10"), STATUS_OK, 16},
	        {STR("0x10"), STATUS_BAD_DATA, 0},
	        {STR("1ffffffffffffffff"), STATUS_TRUNCATED, 0},
	        {STR("g"), STATUS_BAD_DATA, 0},
	        {STR(""), STATUS_BAD_DATA, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		uint64_t value = 0xa5;

		assert_int_equal(str_hex_to_u64(numbers[i].text, &value), numbers[i].status);
		assert_int_equal(value, numbers[i].status == STATUS_OK ? numbers[i].value : 0xa5);
	}
}

static void str_printable_hides_what_is_no_text(void **state)
{
	(void)state;
	assert_int_equal(str_printable(' '), ' ');
	assert_int_equal(str_printable('~'), '~');
	assert_int_equal(str_printable('\x1f'), '?');
	assert_int_equal(str_printable('\x7f'), '?');
	assert_int_equal(str_printable((char)0xe4), '?');
}

static void str_folder_is_what_a_path_lies_in(void **state)
{
	(void)state;
	assert_str(str_folder(STR("a/b/c")), "a/b");
	assert_str(str_folder(STR("a/b/")), "a/b");
	assert_str(str_folder(STR("/a")), "/");
	assert_str(str_folder(STR("a")), ".");
	assert_str(str_folder(none), ".");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(str_of_null_is_empty),
	        cmocka_unit_test(str_eq_compares_length_and_bytes),
	        cmocka_unit_test(str_nocase_folds_ascii_only),
	        cmocka_unit_test(str_prefix_and_suffix_at_their_bounds),
	        cmocka_unit_test(str_trim_takes_blanks_of_both_ends),
	        cmocka_unit_test(str_skip_beyond_the_end_is_empty),
	        cmocka_unit_test(str_find_without_hit_is_length),
	        cmocka_unit_test(str_next_part_gives_each_part_once),
	        cmocka_unit_test(str_print_length_is_cut_to_int),
	        cmocka_unit_test(str_printable_hides_what_is_no_text),
	        cmocka_unit_test(str_folder_is_what_a_path_lies_in),
	        cmocka_unit_test(str_to_u64_at_its_bounds),
	        cmocka_unit_test(str_hex_to_u64_takes_no_prefix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
