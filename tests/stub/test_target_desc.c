/* SPDX-License-Identifier: Apache-2.0 */
/* The target description: which registers, with which numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
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

/* Registers beside the file follow it, in a feature of their own. */
static void description_of_system_registers_is_a_feature(void **state)
{
	static const struct system_register items[] = {
	        {{"esr_el1", 7}, {"ESR_EL1", 7}, 32},
	        {{"sctlr_el1", 9}, {"SCTLR_EL1", 9}, 64},
	};
	struct register_file file = register_file_of(CORE_A64);
	struct text expected = {0};
	struct text xml = {0};

	(void)state;
	file.system = items;
	file.system_count = 2;
	target_desc_write(&file, &xml);
	text_printf(&expected,
	            "<feature name=\"org.csreplay.system\">\n<reg name=\"esr_el1\" bitsize=\"32\" "
	            "type=\"uint32\" regnum=\"%u\" group=\"system\" save-restore=\"no\"/>\n<reg "
	            "name=\"sctlr_el1\" bitsize=\"64\" type=\"uint64\" regnum=\"%u\" "
	            "group=\"system\" save-restore=\"no\"/>\n</feature>\n</target>\n",
	            file.count, file.count + 1);
	assert_non_null(strstr(xml.data, expected.data));
	text_clear(&xml);
	file.system_count = 0;
	target_desc_write(&file, &xml);
	assert_null(strstr(xml.data, "org.csreplay.system"));
	text_fini(&expected);
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

/* The flags of cpsr, as "NAME bit" or "NAME first-last", from a description. */
static void flags_of(enum core_arch arch, struct text *out)
{
	struct register_file file = register_file_of(arch);
	struct text xml = {0};
	char name[16];
	unsigned int start;
	unsigned int end;

	target_desc_write(&file, &xml);
	for (const char *at = strstr(xml.data, "<flags id=\"cpsr_flags\" size=\"4\">");
	     (at = strstr(at, "<field ")) != NULL; at++) {
		assert_int_equal(sscanf(at, "<field name=\"%15[^\"]\" start=\"%u\" end=\"%u\"/>",
		                        name, &start, &end),
		                 3);
		if (start == end)
			text_printf(out, "%s %u, ", name, start);
		else
			text_printf(out, "%s %u-%u, ", name, start, end);
	}
	text_fini(&xml);
}

/* Arm ARM: SPSR_EL1 (C5.2.18) for AArch64, CPSR (G8.2.33); Armv8-M ARM: XPSR (D1.2). */
static void description_has_the_flags_of_the_architecture(void **state)
{
	static const char *const flags[] = {
	        [CORE_A64] =
	                "SP 0, EL 2-3, nRW 4, F 6, I 7, A 8, D 9, BTYPE 10-11, SSBS 12, IL 20, "
	                "SS 21, PAN 22, UAO 23, DIT 24, TCO 25, V 28, C 29, Z 30, N 31, ",
	        [CORE_A32] =
	                "M 0-4, T 5, F 6, I 7, A 8, E 9, IT_7_2 10-15, GE 16-19, DIT 21, PAN 22, "
	                "SSBS 23, J 24, IT_1_0 25-26, Q 27, V 28, C 29, Z 30, N 31, ",
	        [CORE_M] = "Exception 0-8, IT_7_2 10-15, GE 16-19, B 21, T 24, IT_1_0 25-26, Q 27, "
	                   "V 28, C 29, Z 30, N 31, ",
	};

	(void)state;
	for (unsigned int arch = CORE_A64; arch <= CORE_M; arch++) {
		struct text found = {0};

		flags_of((enum core_arch)arch, &found);
		assert_string_equal(found.data, flags[arch]);
		text_fini(&found);
	}
}

/* As gdb's aarch64-fpu.xml has them: lanes of 128 bits. */
static void description_of_vectors_has_each_lane(void **state)
{
	static const char *const lanes[] = {
	        "<vector id=\"v_d_f\" type=\"ieee_double\" count=\"2\"/>",
	        "<vector id=\"v_d_u\" type=\"uint64\" count=\"2\"/>",
	        "<vector id=\"v_d_s\" type=\"int64\" count=\"2\"/>",
	        "<vector id=\"v_s_f\" type=\"ieee_single\" count=\"4\"/>",
	        "<vector id=\"v_s_u\" type=\"uint32\" count=\"4\"/>",
	        "<vector id=\"v_s_s\" type=\"int32\" count=\"4\"/>",
	        "<vector id=\"v_h_f\" type=\"ieee_half\" count=\"8\"/>",
	        "<vector id=\"v_h_u\" type=\"uint16\" count=\"8\"/>",
	        "<vector id=\"v_h_s\" type=\"int16\" count=\"8\"/>",
	        "<vector id=\"v_b_u\" type=\"uint8\" count=\"16\"/>",
	        "<vector id=\"v_b_s\" type=\"int8\" count=\"16\"/>",
	        "<vector id=\"v_q_u\" type=\"uint128\" count=\"1\"/>",
	        "<vector id=\"v_q_s\" type=\"int128\" count=\"1\"/>",
	        "<union id=\"v_b\"><field name=\"u\" type=\"v_b_u\"/><field name=\"s\" "
	        "type=\"v_b_s\"/></union>",
	        "<union id=\"v_d\"><field name=\"f\" type=\"v_d_f\"/><field name=\"u\" "
	        "type=\"v_d_u\"/><field name=\"s\" type=\"v_d_s\"/></union>",
	        "<union id=\"aarch64v\"><field name=\"d\" type=\"v_d\"/><field name=\"s\" "
	        "type=\"v_s\"/><field name=\"h\" type=\"v_h\"/><field name=\"b\" "
	        "type=\"v_b\"/><field name=\"q\" type=\"v_q\"/></union>",
	};
	struct register_file file = register_file_of(CORE_A64);
	struct text xml = {0};

	(void)state;
	file.features |= 1U << REGISTER_FPU;
	target_desc_write(&file, &xml);
	for (size_t i = 0; i < sizeof(lanes) / sizeof(lanes[0]); i++)
		assert_int_equal(count_of(xml.data, lanes[i]), 1);
	assert_int_equal(count_of(xml.data, "<vector "), 13);
	assert_int_equal(count_of(xml.data, " save-restore=\"no\""), 4);
	assert_int_equal(count_of(xml.data, "</feature>"), count_of(xml.data, "<feature "));
	text_fini(&xml);
}

/* gdb-target.dtd: a target holds its architecture, then features; each of these its registers. */
static void description_has_each_register_whole(void **state)
{
	static const char *const begin =
	        "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n"
	        "<target version=\"1.0\">\n<architecture>";
	static const char *const end = "/>\n</feature>\n</target>\n";

	(void)state;
	for (unsigned int arch = CORE_A64; arch <= CORE_M; arch++) {
		struct register_file file = register_file_of((enum core_arch)arch);
		struct text xml = {0};
		struct text expected = {0};
		size_t described = 0;

		file.features |= 1U << REGISTER_FPU;
		target_desc_write(&file, &xml);
		assert_memory_equal(xml.data, begin, strlen(begin));
		assert_string_equal(xml.data + xml.length - strlen(end), end);
		for (unsigned int i = 0; i < file.count; i++) {
			const struct register_info *info = &file.table[i];

			text_clear(&expected);
			text_printf(&expected,
			            "\n<reg name=\"%s\" bitsize=\"%u\" type=\"%s\" "
			            "regnum=\"%u\" group=\"%s\"%s/>\n",
			            info->name, info->bits, info->type, i, info->group,
			            i < file.trace ? "" : " save-restore=\"no\"");
			assert_int_equal(count_of(xml.data, expected.data),
			                 register_file_has(&file, i));
			described += register_file_has(&file, i);
		}
		assert_int_equal(count_of(xml.data, "<reg "), described);
		text_fini(&xml);
		text_fini(&expected);
	}
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
	        cmocka_unit_test(description_of_system_registers_is_a_feature),
	        cmocka_unit_test(description_of_a32_is_arm_core_and_vfp),
	        cmocka_unit_test(description_of_m_is_m_profile_and_m_system),
	        cmocka_unit_test(description_has_the_flags_of_the_architecture),
	        cmocka_unit_test(description_of_vectors_has_each_lane),
	        cmocka_unit_test(description_has_each_register_whole),
	        cmocka_unit_test(xml_escape_leaves_no_markup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
