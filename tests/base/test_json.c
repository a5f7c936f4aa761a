/* SPDX-License-Identifier: Apache-2.0 */
/* JSON pieces: commas, escapes, UTF-8. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"

static void assert_quoted(struct str s, const char *want)
{
	struct text t = {0};

	json_quote(&t, s);
	assert_string_equal(t.data, want);
	text_fini(&t);
}

static void json_quote_escapes_what_must_be(void **state)
{
	(void)state;
	assert_quoted(STR(""), "\"\"");
	assert_quoted(STR("a\"b\\c/"), "\"a\\\"b\\\\c/\"");
	assert_quoted(STR("\0\x01\n\x1f\x20\x7f"), "\"\\u0000\\u0001\\u000a\\u001f \x7f\"");
}

static void json_quote_keeps_utf8(void **state)
{
	(void)state;
	assert_quoted(STR("\xc2\x80\xdf\xbf"), "\"\xc2\x80\xdf\xbf\"");
	assert_quoted(STR("\xe0\xa0\x80\xef\xbf\xbf"), "\"\xe0\xa0\x80\xef\xbf\xbf\"");
	assert_quoted(STR("\xed\x9f\xbf\xee\x80\x80"), "\"\xed\x9f\xbf\xee\x80\x80\"");
	assert_quoted(STR("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"),
	              "\"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\"");
}

/* One U+FFFD for each byte of what is no UTF-8 (RFC 3629). */
static void json_quote_replaces_what_is_no_utf8(void **state)
{
	(void)state;
	assert_quoted(STR("\x80"), "\"\\ufffd\"");
	assert_quoted(STR("\xff"), "\"\\ufffd\"");
	assert_quoted(STR("\xc2"), "\"\\ufffd\"");
	assert_quoted(STR("\xc2z"), "\"\\ufffdz\"");
	assert_quoted(STR("\xc0\x80"), "\"\\ufffd\\ufffd\"");
	assert_quoted(STR("\xe0\x9f\xbf"), "\"\\ufffd\\ufffd\\ufffd\"");
	assert_quoted(STR("\xed\xa0\x80"), "\"\\ufffd\\ufffd\\ufffd\"");
	assert_quoted(STR("\xf0\x8f\xbf\xbf"), "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
	assert_quoted(STR("\xf4\x90\x80\x80"), "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
	assert_quoted(STR("\xf0\x9f\x98"), "\"\\ufffd\\ufffd\\ufffd\"");
	assert_quoted(STR("\xc1\xbf"), "\"\\ufffd\\ufffd\"");
	assert_quoted(STR("\xc2\xc0"), "\"\\ufffd\\ufffd\"");
	assert_quoted(STR("\xf5\x80\x80\x80"), "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
	assert_quoted(STR("\xe2(\x80"), "\"\\ufffd(\\ufffd\"");
	assert_quoted(STR("\xe2\x82("), "\"\\ufffd\\ufffd(\"");
	assert_quoted(STR("\xf0\x9f\x98("), "\"\\ufffd\\ufffd\\ufffd(\"");
}

/* What is after the slice is not of it, though it would make the sequence whole. */
static void json_quote_ends_with_the_slice(void **state)
{
	(void)state;
	assert_quoted((struct str){"\xc2\x80", 1}, "\"\\ufffd\"");
	assert_quoted((struct str){"\xe2\x82\xac", 2}, "\"\\ufffd\\ufffd\"");
	assert_quoted((struct str){"\xf0\x9f\x98\x80", 3}, "\"\\ufffd\\ufffd\\ufffd\"");
	assert_quoted((struct str){"\xf0\x9f\x98\x80", 4}, "\"\xf0\x9f\x98\x80\"");
	assert_quoted((struct str){"ab", 1}, "\"a\"");
}

static void json_members_have_commas_between(void **state)
{
	struct text t = {0};

	(void)state;
	json_open(&t, '{');
	json_u64(&t, "max", UINT64_MAX);
	json_str(&t, "text", STR("a,b"));
	json_hex(&t, "address", 0xffff0000);
	json_hex(&t, "zero", 0);
	json_bool(&t, "yes", true);
	json_bool(&t, "no", false);
	json_key(&t, "list");
	json_open(&t, '[');
	json_item(&t);
	text_decimal(&t, 1);
	json_item(&t);
	json_open(&t, '{');
	json_close(&t, '}');
	json_item(&t);
	json_open(&t, '[');
	json_close(&t, ']');
	json_close(&t, ']');
	json_key(&t, "value");
	json_item(&t);
	text_puts(&t, "null");
	json_str(&t, "ends:", STR("{"));
	json_str(&t, "last", STR(""));
	json_close(&t, '}');
	assert_string_equal(
	        t.data,
	        "{\"max\":18446744073709551615,\"text\":\"a,b\","
	        "\"address\":\"0xffff0000\",\"zero\":\"0x0\",\"yes\":true,"
	        "\"no\":false,\"list\":[1,{},[]],\"value\":null,\"ends:\":\"{\",\"last\":\"\"}");
	text_fini(&t);
}

/* JSON lines: each line is an object of its own. */
static void json_line_begins_without_comma(void **state)
{
	struct text t = {0};

	(void)state;
	for (int i = 0; i < 2; i++) {
		json_item(&t);
		json_open(&t, '{');
		json_u64(&t, "n", 1);
		json_close(&t, '}');
		text_char(&t, '\n');
	}
	assert_string_equal(t.data, "{\"n\":1}\n{\"n\":1}\n");
	text_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(json_quote_escapes_what_must_be),
	        cmocka_unit_test(json_quote_keeps_utf8),
	        cmocka_unit_test(json_quote_replaces_what_is_no_utf8),
	        cmocka_unit_test(json_quote_ends_with_the_slice),
	        cmocka_unit_test(json_members_have_commas_between),
	        cmocka_unit_test(json_line_begins_without_comma),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
