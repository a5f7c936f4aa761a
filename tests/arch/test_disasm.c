/* SPDX-License-Identifier: Apache-2.0 */
/* Disassembly: the form of the text, and what is not known to capstone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arch/disasm.h"

struct line {
	uint32_t opcode;
	unsigned int size;
	enum isa isa;
	const char *text; /* at 0x400000 */
};

static void assert_lines(const struct line *lines, size_t count)
{
	struct disasm *disasm = disasm_create();
	struct text text = {0};

	assert_non_null(disasm);
	for (size_t i = 0; i < count; i++) {
		text_clear(&text);
		disasm_text(disasm, 0x400000, lines[i].opcode, lines[i].size, lines[i].isa, &text);
		assert_int_equal(text_status(&text), STATUS_OK);
		assert_string_equal(text.data, lines[i].text);
	}
	text_fini(&text);
	disasm_destroy(disasm);
}

static void disasm_a64_is_mnemonic_and_operands(void **state)
{
	static const struct line lines[] = {
	        {0xd503201f, 4, ISA_A64, "nop"},
	        {0xd65f03c0, 4, ISA_A64, "ret"},
	        {0xd65f0020, 4, ISA_A64, "ret x1"},
	        {0xaa0103e0, 4, ISA_A64, "mov x0, x1"},
	        {0xf94007e0, 4, ISA_A64, "ldr x0, [sp, #8]"},
	        {0xa9bf7bfd, 4, ISA_A64, "stp x29, x30, [sp, #-0x10]!"},
	        {0x91004021, 4, ISA_A64, "add x1, x1, #0x10"},
	        {0xd4000001, 4, ISA_A64, "svc #0"},
	        {0xd5033fdf, 4, ISA_A64, "isb"},
	};

	(void)state;
	assert_lines(lines, sizeof(lines) / sizeof(lines[0]));
}

static void disasm_a64_label_is_address(void **state)
{
	static const struct line lines[] = {
	        {0x14000001, 4, ISA_A64, "b 0x400004"},
	        {0x97ffffff, 4, ISA_A64, "bl 0x3ffffc"},
	        {0x54000041, 4, ISA_A64, "b.ne 0x400008"},
	        {0xb4000020, 4, ISA_A64, "cbz x0, 0x400004"},
	        {0x37080020, 4, ISA_A64, "tbnz w0, #1, 0x400004"},
	        {0x10000040, 4, ISA_A64, "adr x0, 0x400008"},
	        {0xb0000000, 4, ISA_A64, "adrp x0, 0x401000"},
	        {0x58000041, 4, ISA_A64, "ldr x1, 0x400008"},
	};

	(void)state;
	assert_lines(lines, sizeof(lines) / sizeof(lines[0]));
}

static void disasm_unknown_opcode_is_directive(void **state)
{
	static const struct line lines[] = {
	        {0x00000000, 4, ISA_A64, ".inst 0x00000000"},
	        {0xd65f0bff, 4, ISA_A64, ".inst 0xd65f0bff"},
	        {0x74000000, 4, ISA_A64, ".inst 0x74000000"},
	        {0xf7f0a000, 4, ISA_JAZELLE, ".inst 0xf7f0a000"},
	        {0xffffffff, 4, ISA_A32, ".inst 0xffffffff"},
	        {0x0000de9e, 2, ISA_UNKNOWN, ".inst 0xde9e"},
	        {0xffffffff, 4, ISA_T32, ".inst.w 0xffffffff"},
	        /* Half of a wide instruction. */
	        {0x0000f3af, 2, ISA_T32, ".inst.n 0xf3af"},
	        /* A narrow one in the place of a wide one. */
	        {0xbf000000, 4, ISA_T32, ".inst.w 0xbf000000"},
	};

	(void)state;
	assert_lines(lines, sizeof(lines) / sizeof(lines[0]));
}

static void disasm_a32_t32_is_known(void **state)
{
	static const struct line lines[] = {
	        {0xe1a00001, 4, ISA_A32, "mov r0, r1"},
	        {0xe12fff1e, 4, ISA_A32, "bx lr"},
	        {0x00004770, 2, ISA_T32, "bx lr"},
	        {0xe3c00001, 4, ISA_A32, "bic r0, r0, #1"},
	        {0x0a000000, 4, ISA_A32, "beq 0x400008"},
	        {0xebfffffe, 4, ISA_A32, "bl 0x400000"},
	        {0xd0fe, 2, ISA_T32, "beq 0x400000"},
	        {0xdb00, 2, ISA_T32, "blt 0x400004"},
	        {0xdf01, 2, ISA_T32, "svc #1"},
	        {0xe7fe, 2, ISA_T32, "b 0x400000"},
	        {0xb101, 2, ISA_T32, "cbz r1, 0x400004"},
	        {0xf0008001, 4, ISA_T32, "beq.w 0x400006"},
	        {0xf000f800, 4, ISA_T32, "bl 0x400004"},
	        {0xf000e800, 4, ISA_T32, "blx 0x400004"},
	        {0xf3af8000, 4, ISA_T32, "nop.w"},
	        /* of the M profile alone */
	        {0xf3ef8009, 4, ISA_T32, "mrs r0, psp"},
	        {0xf3808809, 4, ISA_T32, "msr psp, r0"},
	        {0xf3808811, 4, ISA_T32, "msr basepri, r0"},
	        {0xf3ef8205, 4, ISA_T32, "mrs r2, ipsr"},
	};

	(void)state;
	assert_lines(lines, sizeof(lines) / sizeof(lines[0]));
}

static void disasm_destroy_null_is_fine(void **state)
{
	(void)state;
	disasm_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(disasm_a64_is_mnemonic_and_operands),
	        cmocka_unit_test(disasm_a64_label_is_address),
	        cmocka_unit_test(disasm_unknown_opcode_is_directive),
	        cmocka_unit_test(disasm_a32_t32_is_known),
	        cmocka_unit_test(disasm_destroy_null_is_fine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
