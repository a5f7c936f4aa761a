/* SPDX-License-Identifier: Apache-2.0 */
/* Diagnostics: the text forms, the order, the limit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

#include <cmocka.h>

#include "base/diag.h"

/* For AddressSanitizer: too large an allocation fails as it does without. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static void assert_format(const struct diag *diag, const char *text)
{
	struct text t = {0};

	diag_format(diag, &t);
	assert_string_equal(t.data, text);
	text_fini(&t);
}

static void diag_format_shows_each_kind_of_place(void **state)
{
	struct diag_list list = {0};

	(void)state;
	assert_int_equal(diag_error(&list, STATUS_BAD_DATA, place_line(STR("a.ini"), 14),
	                            "key \"%s\" is %d", "x", 7),
	                 STATUS_BAD_DATA);
	diag_warning(&list, place_offset(STR("b.bin"), 0), "%s %d", "odd", 5);
	diag_note(&list, place_file(STR("c")), "%s is %d", "fine", 3);
	assert_int_equal(diag_error(&list, STATUS_IO, place_none(), "no place"), STATUS_IO);
	assert_int_equal(list.count, 4);
	assert_int_equal(list.errors, 2);
	assert_int_equal(list.dropped, 0);
	assert_int_equal(list.items[0].status, STATUS_BAD_DATA);
	assert_int_equal(list.items[1].status, STATUS_OK);
	assert_format(&list.items[0], "a.ini:14: error: key \"x\" is 7");
	assert_format(&list.items[1], "b.bin+0x0: warning: odd 5");
	assert_format(&list.items[2], "c: note: fine is 3");
	assert_format(&list.items[3], "error: no place");
	diag_list_fini(&list);
	assert_int_equal(list.count, 0);
}

static void diag_keeps_its_own_copy_of_the_file_name(void **state)
{
	struct diag_list list = {0};
	char name[] = "name.ini and more";

	(void)state;
	diag_note(&list, place_line((struct str){name, 8}, 3), "text");
	memset(name, 'x', sizeof(name) - 1);
	assert_format(&list.items[0], "name.ini:3: note: text");
	assert_string_equal(list.items[0].file, "name.ini");
	diag_list_fini(&list);
}

static void diag_beyond_the_most_is_counted_and_dropped(void **state)
{
	struct diag_list list = {0};

	(void)state;
	for (int i = 0; i < DIAG_MOST + 5; i++) {
		if (i % 2 == 0)
			(void)diag_error(&list, STATUS_BAD_DATA, place_none(), "error %d", i);
		else
			diag_warning(&list, place_none(), "warning %d", i);
	}
	assert_int_equal(list.count, DIAG_MOST);
	assert_int_equal(list.dropped, 5);
	assert_int_equal(list.errors, DIAG_MOST / 2 + 3);
	assert_format(&list.items[DIAG_MOST - 1], "warning: warning 999");
	diag_list_fini(&list);
}

/* Fills the list with that many, of which every other one is an error. */
static void fill(struct diag_list *list, const char *name, int count)
{
	for (int i = 0; i < count; i++) {
		if (i % 2 == 0)
			(void)diag_error(list, STATUS_BAD_DATA, place_line(str_of(name), 1), "%d",
			                 i);
		else
			diag_warning(list, place_line(str_of(name), 1), "%d", i);
	}
}

static void diag_list_move_puts_all_after_the_others(void **state)
{
	struct diag_list to = {0};
	struct diag_list from = {0};

	(void)state;
	fill(&to, "to", 3);
	fill(&from, "from", 2);
	from.dropped = 7;
	diag_list_move(&to, &from);
	assert_int_equal(to.count, 5);
	assert_int_equal(to.errors, 3);
	assert_int_equal(to.dropped, 7);
	assert_format(&to.items[2], "to:1: error: 2");
	assert_format(&to.items[3], "from:1: error: 0");
	assert_format(&to.items[4], "from:1: warning: 1");
	assert_null(from.items);
	assert_int_equal(from.count + from.capacity + from.errors + from.dropped, 0);
	/* Both are lists as before. */
	diag_list_move(&to, &from);
	assert_int_equal(to.count, 5);
	fill(&from, "again", 1);
	diag_list_move(&to, &from);
	assert_int_equal(to.count, 6);
	assert_int_equal(to.errors, 4);
	assert_format(&to.items[5], "again:1: error: 0");
	diag_list_fini(&to);
	diag_list_move(&to, &from);
	assert_int_equal(to.count, 0);
	fill(&from, "first", 1);
	diag_list_move(&to, &from);
	assert_format(&to.items[0], "first:1: error: 0");
	diag_list_fini(&to);
}

static void diag_list_move_beyond_the_most_is_counted_and_dropped(void **state)
{
	struct diag_list to = {0};
	struct diag_list from = {0};

	(void)state;
	fill(&to, "to", DIAG_MOST - 2);
	fill(&from, "from", 5);
	from.dropped = 1;
	diag_list_move(&to, &from);
	assert_int_equal(to.count, DIAG_MOST);
	assert_int_equal(to.errors, (DIAG_MOST - 2) / 2 + 3);
	assert_int_equal(to.dropped, 1 + 3);
	assert_format(&to.items[DIAG_MOST - 1], "from:1: warning: 1");
	fill(&from, "more", 2);
	diag_list_move(&to, &from);
	assert_int_equal(to.count, DIAG_MOST);
	assert_int_equal(to.dropped, 6);
	assert_int_equal(from.count, 0);
	diag_list_fini(&to);
}

/* One that fits and two that do not: those are freed, it is not. */
static void diag_list_move_keeps_what_fits(void **state)
{
	struct diag_list to = {0};
	struct diag_list from = {0};

	(void)state;
	fill(&to, "to", DIAG_MOST - 1);
	fill(&from, "from", 3);
	diag_list_move(&to, &from);
	assert_int_equal(to.count, DIAG_MOST);
	assert_int_equal(to.dropped, 2);
	fill(&from, "after", 3);
	assert_format(&to.items[DIAG_MOST - 1], "from:1: error: 0");
	diag_list_fini(&from);
	diag_list_fini(&to);
}

/* There is no memory for such a name, and no character for such a number. */
static void diag_without_memory_or_text_is_counted_and_dropped(void **state)
{
	struct diag_list list = {0};

	(void)state;
	diag_warning(&list, place_file((struct str){"x", SIZE_MAX / 2}), "a text that is freed");
	assert_int_equal(list.count, 0);
	assert_int_equal(list.dropped, 1);
	assert_int_equal(
	        diag_error(&list, STATUS_IO, place_file(STR("x")), "%lc", (wint_t)0x7fffffff),
	        STATUS_IO);
	assert_int_equal(list.count, 0);
	assert_int_equal(list.dropped, 2);
	assert_int_equal(list.errors, 1);
	diag_note(&list, place_none(), "next");
	assert_format(&list.items[0], "note: next");
	diag_list_fini(&list);
}

static void diag_severity_has_a_name(void **state)
{
	(void)state;
	assert_string_equal(severity_name(SEVERITY_NOTE), "note");
	assert_string_equal(severity_name(SEVERITY_WARNING), "warning");
	assert_string_equal(severity_name(SEVERITY_ERROR), "error");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(diag_format_shows_each_kind_of_place),
	        cmocka_unit_test(diag_keeps_its_own_copy_of_the_file_name),
	        cmocka_unit_test(diag_beyond_the_most_is_counted_and_dropped),
	        cmocka_unit_test(diag_list_move_puts_all_after_the_others),
	        cmocka_unit_test(diag_list_move_beyond_the_most_is_counted_and_dropped),
	        cmocka_unit_test(diag_list_move_keeps_what_fits),
	        cmocka_unit_test(diag_without_memory_or_text_is_counted_and_dropped),
	        cmocka_unit_test(diag_severity_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
