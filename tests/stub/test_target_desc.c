/* SPDX-License-Identifier: Apache-2.0 */
/* The target description: which registers, with which numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "stub/target_desc.h"

static size_t count_of(const char *text, const char *part)
{
	size_t count = 0;

	for (const char *p = strstr(text, part); p; p = strstr(p + 1, part))
		count++;
	return count;
}

static void description_without_fpu_has_core_and_trace(void **state)
{
	struct text xml = {0};

	(void)state;
	target_desc_write(false, &xml);
	assert_int_equal(count_of(xml.data, "<reg "), 34 + 4);
	assert_int_equal(count_of(xml.data, "org.gnu.gdb.aarch64.core"), 1);
	assert_int_equal(count_of(xml.data, "org.gnu.gdb.aarch64.fpu"), 0);
	assert_int_equal(count_of(xml.data, "org.csreplay.trace"), 1);
	/* lldb's first probe is register 0, which must be one that is always known. */
	assert_non_null(
	        strstr(xml.data, "<reg name=\"pc\" bitsize=\"64\" type=\"code_ptr\" regnum=\"0\""));
	assert_non_null(strstr(xml.data, "<reg name=\"cpsr\" bitsize=\"32\" type=\"cpsr_flags\""));
	assert_false(target_desc_has(REG_v0, false));
	assert_true(target_desc_has(REG_trace_pos, false));
	text_fini(&xml);
}

static void description_with_fpu_has_vectors(void **state)
{
	struct text xml = {0};

	(void)state;
	target_desc_write(true, &xml);
	assert_int_equal(count_of(xml.data, "<reg "), 34 + 34 + 4);
	assert_int_equal(count_of(xml.data, "bitsize=\"128\" type=\"aarch64v\""), 32);
	assert_true(strstr(xml.data, "<union id=\"aarch64v\">") < strstr(xml.data, "name=\"v0\""));
	assert_true(target_desc_has(REG_v0, true));
	text_fini(&xml);
}

static void xml_escape_leaves_no_markup(void **state)
{
	struct text out = {0};

	(void)state;
	xml_escape(&out, STR("a<b>&\"c\x01\xff"));
	assert_string_equal(out.data, "a&lt;b&gt;&amp;&quot;c??");
	text_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(description_without_fpu_has_core_and_trace),
	        cmocka_unit_test(description_with_fpu_has_vectors),
	        cmocka_unit_test(xml_escape_leaves_no_markup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
