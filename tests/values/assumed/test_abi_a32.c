/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that returned, of A32 and T32 code: which registers they keep, where these were saved, and
 * whether SP is the same (AAPCS32 6.1). The frame pointer is R11 in A32 code and R7 in T32 code.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/values/call_case.h"
#include "tests/values/made_a32.h"

#define NOP          UINT32_C(0xe320f000)
#define BL_4         UINT32_C(0xeb000002)
#define BX_LR        UINT32_C(0xe12fff1e)
#define BXEQ_LR      UINT32_C(0x012fff1e)
#define BX_R12       UINT32_C(0xe12fff1c)
#define MOV_R4_0     UINT32_C(0xe3a04000)
#define MOV_R9_0     UINT32_C(0xe3a09000)
#define MOV_R11_0    UINT32_C(0xe3a0b000)
#define MOV_R12_0    UINT32_C(0xe3a0c000)
#define PUSH_R4_LR   UINT32_C(0xe92d4010)
#define POP_R4_PC    UINT32_C(0xe8bd8010)
#define POP_R4_LR    UINT32_C(0xe8bd4010)
#define PUSH_LR      UINT32_C(0xe52de004)
#define POP_PC       UINT32_C(0xe49df004)
#define SUB_SP_8     UINT32_C(0xe24dd008)
#define ADD_SP_8     UINT32_C(0xe28dd008)
#define MOV_R11_SP   UINT32_C(0xe1a0b00d)
#define MOV_SP_R11   UINT32_C(0xe1a0d00b)
#define MOV_SP_R7    UINT32_C(0xe1a0d007)
#define MOV_R7_SP    UINT32_C(0xe1a0700d)
#define SUB_SP_SP_R0 UINT32_C(0xe04dd000)
#define LDR_R4_SP    UINT32_C(0xe59d4000)
#define LDR_R4_R2    UINT32_C(0xe5924000)

#define T_MOV_R4_0  0x2400
#define T_PUSH_R4   0xb510 /* push {r4, lr} */
#define T_POP_R4    0xbd10 /* pop {r4, pc} */
#define T_SUB_SP_8  0xb082
#define T_MOV_R7_SP 0x466f
#define T_MOV_SP_R7 0x46bd
#define T_MOV_SP_FP 0x46dd /* mov sp, r11 */

enum { BODY_MOST = 8 };

/* What is called, to its return: a call that begins at 0 and ends after it. */
struct function {
	uint32_t opcodes[BODY_MOST];
	uint32_t count;
	struct found call;
};

static void check(struct program *p, enum isa isa, const struct function *f)
{
	uint32_t size = isa == ISA_A32 ? 4 : 2;
	const struct element elements[] = {
	        run_of(isa, CODE, 1, CODE + 4, 4),
	        run_at(isa, CODE + 16, f->count, true, true),
	        run_at(isa, CODE + 4, 1, false, true),
	};
	struct found calls[CALLS_MOST] = {f->call};

	if (f->call.same + f->call.restored[0] > 0 || f->call.keeps_sp)
		calls[0].end = f->count + 1;
	put_u32(p->r[R_PC], CODE + 4 + size);
	leads_to(CODE + 4 + size);
	finish(p, elements, 3);
	check_calls(p->f.history, calls);
	end(p);
}

static void check_a32(const struct function *f)
{
	uint32_t opcodes[4 + BODY_MOST] = {BL_4, NOP, NOP, NOP};
	struct program p;

	memcpy(opcodes + 4, f->opcodes, sizeof(f->opcodes));
	begin_a32(&p, opcodes, 4 + BODY_MOST);
	check(&p, ISA_A32, f);
}

/* The call is BL, of 4 bytes. */
static void check_t32(const struct function *f)
{
	uint16_t opcodes[8 + BODY_MOST] = {0xf000, 0xf806, T_NOP, T_NOP,
	                                   T_NOP,  T_NOP,  T_NOP, T_NOP};
	struct program p;

	for (size_t i = 0; i < BODY_MOST; i++)
		opcodes[8 + i] = (uint16_t)f->opcodes[i];
	begin_t32(&p, opcodes, 8 + BODY_MOST);
	check(&p, ISA_T32, f);
}

static void a32_call_keeps_registers(void **state)
{
	static const struct function functions[] = {
	        {{NOP, BX_LR}, 2, {0}},
	        {{MOV_R4_0, BX_LR}, 2, {.same = 1, .keeps_sp = true}},
	        {{MOV_R4_0, MOV_R11_0, BX_LR}, 3, {.same = 2, .keeps_sp = true}},
	        {{MOV_R9_0, MOV_R12_0, BX_LR}, 3, {0}},
	        {{MOV_R4_0, BX_R12}, 2, {.same = 1, .keeps_sp = true}},
	        {{MOV_R4_0, BXEQ_LR}, 2, {.same = 1, .keeps_sp = true}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		check_a32(&functions[i]);
}

static void a32_call_restores_through_sp(void **state)
{
	static const struct function functions[] = {
	        {{PUSH_R4_LR, MOV_R4_0, POP_R4_PC},
	         3,
	         {.same = 1, .restored = {3}, .keeps_sp = true}},
	        {{PUSH_R4_LR, MOV_R4_0, POP_R4_LR, BX_LR},
	         4,
	         {.same = 1, .restored = {3}, .keeps_sp = true}},
	        {{PUSH_LR, POP_PC}, 2, {.restored = {2}, .keeps_sp = true}},
	        {{LDR_R4_SP, BX_LR}, 2, {.same = 1, .restored = {1}, .keeps_sp = true}},
	        {{LDR_R4_R2, BX_LR}, 2, {.same = 1, .keeps_sp = true}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		check_a32(&functions[i]);
}

static void a32_sp_is_the_same_if_constants_or_r11_say_so(void **state)
{
	static const struct function functions[] = {
	        {{SUB_SP_8, ADD_SP_8, BX_LR}, 3, {.keeps_sp = true}},
	        {{SUB_SP_8, MOV_R4_0, BX_LR}, 3, {.same = 1}},
	        {{MOV_R11_SP, SUB_SP_8, MOV_SP_R11, BX_LR}, 4, {.same = 1, .keeps_sp = true}},
	        {{MOV_R7_SP, SUB_SP_8, MOV_SP_R7, BX_LR}, 4, {.same = 1}},
	        {{MOV_R11_SP, SUB_SP_SP_R0, MOV_SP_R11, BX_LR}, 4, {.same = 1}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		check_a32(&functions[i]);
}

static void t32_call_keeps_what_a32_code_does_with_r7_as_frame_pointer(void **state)
{
	static const struct function functions[] = {
	        {{T_MOV_R4_0, T_BX_LR}, 2, {.same = 1, .keeps_sp = true}},
	        {{T_PUSH_R4, T_MOV_R4_0, T_POP_R4},
	         3,
	         {.same = 1, .restored = {3}, .keeps_sp = true}},
	        {{T_MOV_R7_SP, T_SUB_SP_8, T_MOV_SP_R7, T_BX_LR}, 4, {.same = 1, .keeps_sp = true}},
	        {{T_MOV_R4_0, T_SUB_SP_8, T_MOV_SP_FP, T_BX_LR}, 4, {.same = 1}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		check_t32(&functions[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a32_call_keeps_registers),
	        cmocka_unit_test(a32_call_restores_through_sp),
	        cmocka_unit_test(a32_sp_is_the_same_if_constants_or_r11_say_so),
	        cmocka_unit_test(t32_call_keeps_what_a32_code_does_with_r7_as_frame_pointer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
