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
	struct register_file file = register_file_of(CORE_A64);
	struct text xml = {0};

	(void)state;
	target_desc_write(&file, &xml);
	assert_int_equal(count_of(xml.data, "<reg "), 34 + 4);
	assert_int_equal(count_of(xml.data, "org.gnu.gdb.aarch64.core"), 1);
	assert_int_equal(count_of(xml.data, "org.gnu.gdb.aarch64.fpu"), 0);
	assert_int_equal(count_of(xml.data, "org.csreplay.trace"), 1);
	/* lldb's first probe is register 0, which must be one that is always known. */
	assert_non_null(
	        strstr(xml.data, "<reg name=\"pc\" bitsize=\"64\" type=\"code_ptr\" regnum=\"0\""));
	assert_non_null(strstr(xml.data, "<reg name=\"cpsr\" bitsize=\"32\" type=\"cpsr_flags\""));
	assert_false(register_file_has(&file, A64_v0));
	assert_true(register_file_has(&file, A64_trace_pos));
	text_fini(&xml);
}

static void description_with_fpu_has_vectors(void **state)
{
	struct register_file file = register_file_of(CORE_A64);
	struct text xml = {0};

	(void)state;
	file.features |= 1U << REGISTER_FPU;
	target_desc_write(&file, &xml);
	assert_int_equal(count_of(xml.data, "<reg "), 34 + 34 + 4);
	assert_int_equal(count_of(xml.data, "bitsize=\"128\" type=\"aarch64v\""), 32);
	assert_true(strstr(xml.data, "<union id=\"aarch64v\">") < strstr(xml.data, "name=\"v0\""));
	assert_true(register_file_has(&file, A64_v0));
	text_fini(&xml);
}

static void assert_has(const struct text *xml, const char *part, size_t count)
{
	assert_int_equal(count_of(xml->data, part), count);
}

static void description_of_a32_is_arm_core_and_vfp(void **state)
{
	struct register_file file = register_file_of(CORE_A32);
	struct text xml = {0};

	(void)state;
	target_desc_write(&file, &xml);
	assert_has(&xml, "<reg ", 17 + 4);
	assert_has(&xml, "<architecture>arm</architecture>", 1);
	assert_has(&xml, "org.gnu.gdb.arm.core", 1);
	assert_has(&xml, "org.gnu.gdb.arm.vfp", 0);
	assert_has(&xml, "org.csreplay.trace", 1);
	assert_has(&xml, "<reg name=\"pc\" bitsize=\"32\" type=\"code_ptr\" regnum=\"0\"", 1);
	assert_has(&xml, "<reg name=\"cpsr\" bitsize=\"32\" type=\"cpsr_flags\" regnum=\"16\"", 1);
	assert_has(&xml, "<field name=\"T\" start=\"5\" end=\"5\"/>", 1);
	text_clear(&xml);
	file.features |= 1U << REGISTER_FPU;
	target_desc_write(&file, &xml);
	assert_has(&xml, "<reg ", 17 + 33 + 4);
	assert_has(&xml, "org.gnu.gdb.arm.vfp", 1);
	assert_has(&xml, "bitsize=\"64\" type=\"ieee_double\"", 32);
	text_fini(&xml);
}

static void description_of_m_is_m_profile_and_m_system(void **state)
{
	struct register_file file = register_file_of(CORE_M);
	struct text xml = {0};

	(void)state;
	target_desc_write(&file, &xml);
	assert_has(&xml, "<reg ", 17 + 4);
	assert_has(&xml, "org.gnu.gdb.arm.m-profile", 1);
	assert_has(&xml, "org.gnu.gdb.arm.m-system", 0);
	assert_has(&xml, "<reg name=\"xpsr\"", 1);
	assert_has(&xml, "name=\"cpsr\"", 0);
	assert_has(&xml, "<field name=\"T\" start=\"24\" end=\"24\"/>", 1);
	text_clear(&xml);
	file.features |= 1U << REGISTER_SYSTEM | 1U << REGISTER_FPU;
	target_desc_write(&file, &xml);
	assert_has(&xml, "<reg ", 17 + 17 + 6 + 4);
	/* gdb refuses one stack pointer without the other. */
	assert_has(&xml, "<reg name=\"msp\"", 1);
	assert_has(&xml, "<reg name=\"psp\"", 1);
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
	        cmocka_unit_test(description_of_a32_is_arm_core_and_vfp),
	        cmocka_unit_test(description_of_m_is_m_profile_and_m_system),
	        cmocka_unit_test(xml_escape_leaves_no_markup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
