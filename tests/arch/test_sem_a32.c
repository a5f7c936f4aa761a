/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A32 and T32 opcodes as micro-operations: conditions, the PC, opcodes that are easily taken for
 * each other, the completeness of what is written. That the operations are right is shown by
 * running them: tests/semantics.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arch/a32/a32.h"
#include "arch/uop/uop_run.h"

enum { ADDRESS = 0x1000, CONDITION_EQ = 0 };

static struct uop_builder builder;

static const struct uop_insn *a32(uint32_t opcode)
{
	sem_a32(opcode, ADDRESS, &builder);
	return &builder.insn;
}

static const struct uop_insn *t32(uint32_t opcode)
{
	sem_t32(opcode, ADDRESS, SEM_NO_IT, &builder);
	return &builder.insn;
}

static const struct uop_insn *t32_if_equal(uint32_t opcode)
{
	sem_t32(opcode, ADDRESS, CONDITION_EQ, &builder);
	return &builder.insn;
}

static bool kills_all(const struct uop_insn *insn)
{
	return (insn->flags & UOP_KILLS_ALL) == UOP_KILLS_ALL && insn->def_count == 0 &&
	       insn->op_count == 0 && (insn->flags & UOP_NOT_IN_TABLE) != 0;
}

static bool changes(const struct uop_insn *insn, unsigned int reg)
{
	return uop_insn_after(insn, reg) != reg;
}

/* The operation that makes a slot, UOP_OPS if none does. */
static enum uop_op maker_of(const struct uop_insn *insn, unsigned int slot)
{
	for (unsigned int i = 0; i < insn->op_count; i++) {
		if (insn->ops[i].dst == slot)
			return (enum uop_op)insn->ops[i].op;
	}
	return UOP_OPS;
}

static bool forgets(const struct uop_insn *insn, unsigned int reg)
{
	return maker_of(insn, uop_insn_after(insn, reg)) == UOP_UNKNOWN;
}

static uint64_t constant(const struct uop_insn *insn, unsigned int slot)
{
	assert_in_range(slot, SLOT_CONSTANT, SLOT_ZERO - 1);
	return insn->constants[slot - SLOT_CONSTANT];
}

static struct bits read_nothing(void *context, uint64_t address, unsigned int size)
{
	(void)context;
	(void)address;
	(void)size;
	return (struct bits){0, 0};
}

/* What a register is after the instruction, with R0 = 1, R1 = 5 and these flags before it. */
static struct bits result(const struct uop_insn *insn, unsigned int reg, unsigned int nzcv)
{
	static struct uop_run run;
	static struct bits registers[REG_COUNT];
	struct uop_memory memory = {read_nothing, NULL};

	registers[0] = bits_of(1);
	registers[1] = bits_of(5);
	registers[REG_NZCV] = bits_of(UINT64_C(1) << nzcv);
	assert_true(uop_run(insn, registers, &memory, &run));
	return uop_run_after(&run, reg);
}

static void opcode_in_no_row_kills_everything(void **state)
{
	(void)state;
	assert_true(kills_all(a32(0xffffffff)));
	assert_true(kills_all(a32(0xee000110)));               /* MCR p1: no known coprocessor */
	assert_true(kills_all(a32(0xed901e00)));               /* LDC p14 */
	assert_true(kills_all(t32(0xed901e00)));               /* LDC p14, or a load of MVE */
	assert_true(kills_all(t32(0xec200a00)));               /* VLSTM */
	assert_true(kills_all(t32(0xf00fc001)));               /* LE: a loop of Armv8.1-M */
	assert_true(kills_all(t32(0xea51233f)));               /* SQSHLL: a long shift of MVE */
	assert_true(kills_all(t32(0x0000b650)));               /* SETEND */
	assert_true(kills_all(a32(0xf1010200)));               /* SETEND BE */
	assert_int_equal(a32(0xe320f000)->flags, UOP_AARCH32); /* NOP */
	assert_int_equal(t32(0x0000bf00)->flags, UOP_AARCH32);
	sem_t32(0xbf00, ADDRESS, SEM_NO_IT + 1, &builder); /* an IT state that nobody knows */
	assert_true(kills_all(&builder.insn));
}

static void unpredictable_registers_kill_everything(void **state)
{
	(void)state;
	assert_true(kills_all(a32(0xe00f0291))); /* MUL pc, r1, r2 */
	assert_true(kills_all(a32(0xe5dff004))); /* LDRB pc */
	assert_true(kills_all(a32(0xe8bf0001))); /* LDM pc! */
	assert_true(kills_all(a32(0xe1a0031f))); /* MOV r0, pc, LSL r3 */
	assert_true(kills_all(a32(0xe1c030d0))); /* LDRD r3 */
	assert_true(kills_all(t32(0xe8902001))); /* LDM with SP in its list */
	assert_true(kills_all(t32(0xfb0ff001))); /* MUL r0, pc, r1 */
}

static void condition_selects_old_or_new_value(void **state)
{
	(void)state;
	assert_int_equal(result(a32(0x00810000), 0, FLAG_Z).value, 6); /* ADDEQ r0, r1, r0 */
	assert_int_equal(result(a32(0x00810000), 0, 0).value, 1);
	assert_int_equal(result(t32_if_equal(0x1808), 0, FLAG_Z).value, 6); /* ADDEQ r0, r1, r0 */
	assert_int_equal(result(t32_if_equal(0x1808), 0, 0).value, 1);
	assert_int_equal(a32(0x05810000)->accesses[0].when_value, true); /* STREQ r0, [r1] */
	assert_int_equal(maker_of(&builder.insn, builder.insn.accesses[0].when), UOP_CONDITION);
	assert_int_equal(a32(0xe5810000)->accesses[0].when, SLOT_NONE);
}

static void data_processing_in_it_block_keeps_flags(void **state)
{
	(void)state;
	assert_true(changes(t32(0x1808), REG_NZCV));
	assert_false(changes(t32_if_equal(0x1808), REG_NZCV));
	assert_true(changes(t32_if_equal(0x4288), REG_NZCV)); /* CMP */
	assert_true(kills_all(t32_if_equal(0xb108)));         /* CBZ */
	assert_true(kills_all(t32_if_equal(0xd001)));         /* BEQ */
	assert_int_equal(t32_if_equal(0xe001)->branch.kind, BRANCH_CONDITIONAL);
}

static void pc_is_a_constant_ahead(void **state)
{
	const struct uop_insn *insn;

	(void)state;
	insn = a32(0xe1a0000f); /* MOV r0, pc */
	assert_int_equal(constant(insn, uop_insn_after(insn, 0)), ADDRESS + 8);
	insn = t32(0x4678);
	assert_int_equal(constant(insn, uop_insn_after(insn, 0)), ADDRESS + 4);
	sem_t32(0x4801, ADDRESS + 2, SEM_NO_IT, &builder); /* LDR r0, [pc, #4] */
	assert_int_equal(constant(&builder.insn, builder.insn.accesses[0].address), ADDRESS + 4);
	assert_int_equal(builder.insn.accesses[0].offset, 4);
	insn = t32(0xf000f802); /* BL */
	assert_int_equal(constant(insn, uop_insn_after(insn, 14)), ADDRESS + 5);
	assert_int_equal(insn->branch.target, ADDRESS + 8);
	insn = a32(0xeb000000);
	assert_int_equal(constant(insn, uop_insn_after(insn, 14)), ADDRESS + 4);
}

static void write_of_pc_branches(void **state)
{
	const struct uop_insn *insn = a32(0xe8bd8010); /* POP {r4, pc} */

	(void)state;
	assert_int_equal(insn->branch.kind, BRANCH_INDIRECT);
	assert_true(insn->branch.interworks);
	assert_int_equal(maker_of(insn, insn->branch.state), UOP_LOAD);
	assert_int_equal(a32(0x08bd8010)->branch.kind, BRANCH_CONDITIONAL_INDIRECT);
	assert_int_equal(maker_of(&builder.insn, builder.insn.branch.when), UOP_CONDITION);
	assert_true(a32(0xe1a0f00e)->branch.interworks);  /* MOV pc, lr */
	assert_false(t32(0x000046f7)->branch.interworks); /* T32 stays T32 */
	assert_int_equal(builder.insn.branch.kind, BRANCH_INDIRECT);
	assert_int_equal(t32(0x00004770)->branch.state, 14); /* BX lr */
	assert_int_equal(t32_if_equal(0x4770)->branch.kind, BRANCH_CONDITIONAL_INDIRECT);
	assert_int_equal(t32(0xe8dff001)->branch.kind, BRANCH_INDIRECT); /* TBB [pc, r1] */
	assert_false(builder.insn.branch.interworks);
}

static bool changes_mode(const struct uop_insn *insn)
{
	return changes(insn, REG_A32_MODE) && changes(insn, 13) && changes(insn, 14);
}

static void exception_return_brings_flags_and_banked_registers(void **state)
{
	const struct uop_insn *insn = a32(0xe25ef004); /* SUBS pc, lr, #4 */

	(void)state;
	assert_int_equal(insn->branch.kind, BRANCH_RETURN);
	assert_true(uop_insn_uses(insn, REG_A32_SPSR));
	assert_int_equal(maker_of(insn, uop_insn_after(insn, REG_NZCV)), UOP_UNPACK);
	assert_true(changes_mode(insn));
	assert_false(changes(insn, 7));
	assert_true(changes_mode(t32(0xf3de8f04))); /* SUBS pc, lr, #4 */
	assert_true(changes_mode(a32(0xe8fd8001))); /* LDM sp!, {r0, pc}^ */
	assert_true(changes_mode(a32(0xe8fddfff))); /* LDM sp!, {r0-r12, lr, pc}^: it fits */
	assert_true(changes_mode(a32(0xe8d0ffff))); /* LDM r0, {r0-r12, sp, lr, pc}^ */
	assert_true(changes_mode(a32(0xf102001f))); /* CPS #31 */
	assert_false(changes(a32(0xf10c0080), 13)); /* CPSID i */
	assert_true(changes_mode(a32(0xe121f000))); /* MSR CPSR_c, r0 */
	assert_false(changes(a32(0xe128f000), 13)); /* MSR CPSR_f, r0 */
	assert_true(changes(&builder.insn, REG_NZCV));
	assert_true(changes(t32(0xf3808808), 13)); /* MSR MSP, r0 */
}

/* It would be too much for one instruction; what is not followed is said. */
static void conditional_changes_of_mode_forget_all_modes(void **state)
{
	static const uint32_t opcodes[] = {
	        0x0121f000, /* MSREQ CPSR_c, r0 */
	        0x025ef004, /* SUBSEQ pc, lr, #4 */
	        0x08fd8001, /* LDMEQ sp!, {r0, pc}^ */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++) {
		const struct uop_insn *insn = a32(opcodes[i]);

		assert_int_equal(insn->flags, UOP_AARCH32);
		for (unsigned int reg = 8; reg <= REG_SP; reg++)
			assert_true(changes(insn, reg));
		for (unsigned int reg = REG_A32_MODE; reg <= REG_A32_SPSR_UND; reg++)
			assert_true(changes(insn, reg));
		assert_int_equal(maker_of(insn, uop_insn_after(insn, 13)), UOP_SELECT);
	}
}

static void scr_is_carried(void **state)
{
	(void)state;
	assert_int_equal(uop_insn_after(a32(0xee013f11), REG_A32_SCR),
	                 3); /* MCR p15, 0, r3, c1, c1, 0 */
	assert_true((builder.insn.flags & UOP_CHANGES_TRANSLATION) != 0);
	assert_true(uop_insn_uses(a32(0xee113f11), REG_A32_SCR)); /* MRC */
	assert_false(changes(a32(0xee013f10), REG_A32_SCR));      /* MCR p15, 0, r3, c1, c0, 0 */
}

static void parts_of_xpsr_are_no_mode(void **state)
{
	(void)state;
	assert_true(forgets(t32(0xf3ef8014), 0));                   /* MRS r0, CONTROL */
	assert_true(forgets(t32(0xf3ef8005), 0));                   /* MRS r0, IPSR */
	assert_false(uop_insn_uses(t32(0xf3ef8003), REG_A32_MODE)); /* MRS r0, XPSR */
	assert_true(uop_insn_uses(&builder.insn, REG_NZCV));
	assert_false(changes(t32(0xf3808014), REG_A32_SPSR)); /* MSR CONTROL, r0 */
}

/* M profile: what an instruction leaves in a register, of a handler or a thread, on MSP or PSP. */
static struct bits after_m(uint32_t opcode, bool is_handler, bool on_psp, unsigned int reg)
{
	static struct bits registers[REG_COUNT];
	static const struct uop_memory memory = {NULL, NULL};
	struct uop_run run;

	for (unsigned int i = 0; i < REG_COUNT; i++)
		registers[i] = bits_of(0x100 + 4 * i);
	registers[2] = bits_of(0x203);
	registers[REG_M_HANDLER] = bits_of(is_handler);
	registers[REG_M_ON_PSP] = bits_of(on_psp);
	assert_true(uop_run(t32(opcode), registers, &memory, &run));
	return uop_run_after(&run, reg);
}

static void assert_after_m(struct bits b, uint32_t expected)
{
	assert_int_equal(b.known & UINT32_MAX, UINT32_MAX);
	assert_int_equal(b.value, expected);
}

static void stack_pointers_of_m_are_those_in_use(void **state)
{
	enum {
		MRS_R0_MSP = 0x08,
		MRS_R0_PSP = 0x09,
		IN_USE = 0x100 + 4 * 13,
		OTHER = 0x100 + 4 * REG_M_OTHER_SP,
	};
	const uint32_t mrs = 0xf3ef8000;
	const uint32_t msr_r2 = 0xf3828800;

	(void)state;
	assert_after_m(after_m(mrs | MRS_R0_MSP, true, false, 0), IN_USE);
	assert_after_m(after_m(mrs | MRS_R0_PSP, true, false, 0), OTHER);
	assert_after_m(after_m(msr_r2 | MRS_R0_PSP, true, false, REG_M_OTHER_SP), 0x200);
	assert_after_m(after_m(msr_r2 | MRS_R0_PSP, true, false, 13), IN_USE);
	assert_after_m(after_m(msr_r2 | MRS_R0_MSP, true, false, 13), 0x200);
	assert_after_m(after_m(msr_r2 | MRS_R0_MSP, true, false, REG_M_OTHER_SP), OTHER);
	/* A thread may be unprivileged: then 0 is read, and nothing written. */
	assert_int_equal(after_m(mrs | MRS_R0_PSP, false, true, 0).known & UINT32_MAX, 0);
	assert_int_equal(after_m(msr_r2 | MRS_R0_PSP, false, true, 13).known & 0x300, 0);
	assert_after_m(after_m(msr_r2 | MRS_R0_PSP, false, true, REG_M_OTHER_SP), OTHER);
	/* CONTROL: a handler's SP stays, PSPLIM changes none. */
	assert_after_m(after_m(msr_r2 | 20, true, false, 13), IN_USE);
	assert_after_m(after_m(msr_r2 | 20, true, false, REG_M_OTHER_SP), OTHER);
	assert_int_equal(after_m(msr_r2 | 20, false, false, 13).known & UINT32_MAX, 0);
	assert_int_equal(after_m(msr_r2 | 20, false, false, REG_M_ON_PSP).known & 1, 0);
	assert_int_equal(after_m(msr_r2 | 20, true, false, REG_M_FPCA).known & 1, 0);
	assert_after_m(after_m(msr_r2 | 11, false, true, 13), IN_USE);
}

static void multiple_transfer_has_one_access_a_register(void **state)
{
	const struct uop_insn *insn = a32(0xe92d5fff); /* STMDB sp!, {r0-r12, lr} */

	(void)state;
	assert_int_equal(insn->access_count, 14);
	assert_int_equal(insn->accesses[0].offset, -56);
	assert_int_equal(insn->accesses[13].data, 14);
	insn = a32(0x08bdffff); /* LDMEQ sp!, {r0-pc} */
	assert_int_equal(insn->access_count, 16);
	assert_false(kills_all(insn));
	assert_true(forgets(a32(0xe8b00003), 0)); /* LDM r0!, {r0, r1}: loaded or written back */
	assert_false(forgets(t32(0x0000c803), 0));
	/* STM r1!, {r0, r1}: what it stores of the base is unknown */
	insn = a32(0xe8a10003);
	assert_int_equal(maker_of(insn, insn->accesses[1].data), UOP_UNKNOWN);
}

static void store_exclusive_may_not_happen(void **state)
{
	const struct uop_insn *insn = a32(0xe1802f91); /* STREX r2, r1, [r0] */

	(void)state;
	assert_int_equal(insn->access_count, 1);
	assert_int_equal(insn->accesses[0].when, uop_insn_after(insn, 2));
	assert_false(insn->accesses[0].when_value);
	assert_true(forgets(insn, 2));
	insn = t32_if_equal(0xe8401200);
	assert_int_equal(maker_of(insn, insn->accesses[0].when), UOP_SELECT);
	assert_false(insn->accesses[0].when_value);
	assert_int_equal(a32(0xe1801f91)->flags & UOP_KILLS_MEMORY, UOP_KILLS_MEMORY);
}

static void flags_outside_of_nzcv_are_pstate(void **state)
{
	(void)state;
	assert_true(forgets(a32(0xe1010052), REG_PSTATE));  /* QADD r0, r2, r1 */
	assert_false(changes(a32(0xe6110f92), REG_PSTATE)); /* SADD8: GE alone */
	assert_true(changes(a32(0xe6110f92), REG_A32_GE));
	assert_false(changes(a32(0xe6210f92), REG_A32_GE)); /* QADD8 */
	assert_false(changes(a32(0xe6a10f32), REG_A32_GE)); /* SSAT16 */
	assert_true(forgets(a32(0xe6a10f32), REG_PSTATE));
	assert_true(forgets(a32(0xe6a10012), REG_PSTATE));  /* SSAT */
	assert_true(forgets(a32(0xe1001281), REG_PSTATE));  /* SMLABB */
	assert_false(changes(a32(0xe1600281), REG_PSTATE)); /* SMULBB */
	assert_false(changes(a32(0xe0810002), REG_PSTATE)); /* ADD */
	assert_false(changes(t32(0xfa91f012), REG_A32_GE)); /* QADD16 */
	assert_true(changes(t32(0xfaa1f042), REG_A32_GE));  /* UASX */
	assert_true(forgets(t32(0xf3af800d), 12));          /* PACBTI */
	assert_false(changes(t32(0xf3af8002), 12));         /* WFE.W */
}

static void vector_registers_are_halves_of_v(void **state)
{
	const struct uop_insn *insn = a32(0xecb08b04); /* VLDM r0!, {d8, d9} */

	(void)state;
	assert_int_equal(insn->access_count, 2);
	assert_true(changes(insn, slot_of_vector(4, 0)));
	assert_true(changes(insn, slot_of_vector(4, 1)));
	assert_true(changes(insn, 0));
	insn = a32(0xeeb08b41); /* VMOV.F64 d8, d1 */
	assert_int_equal(uop_insn_after(insn, slot_of_vector(4, 0)), slot_of_vector(0, 1));
	assert_true(forgets(a32(0xee308b01), slot_of_vector(4, 0))); /* VADD.F64 d8, d0, d1 */
	assert_false(changes(&builder.insn, slot_of_vector(4, 1)));
	assert_true(changes(a32(0xeef1fa10), REG_NZCV)); /* VMRS APSR_nzcv, FPSCR */
	/* VSWP q0, q1 writes both */
	assert_true(changes(a32(0xf3b20042), slot_of_vector(1, 1)));
	assert_true(changes(t32(0xffb20042), slot_of_vector(1, 0)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(opcode_in_no_row_kills_everything),
	        cmocka_unit_test(unpredictable_registers_kill_everything),
	        cmocka_unit_test(condition_selects_old_or_new_value),
	        cmocka_unit_test(data_processing_in_it_block_keeps_flags),
	        cmocka_unit_test(pc_is_a_constant_ahead),
	        cmocka_unit_test(write_of_pc_branches),
	        cmocka_unit_test(exception_return_brings_flags_and_banked_registers),
	        cmocka_unit_test(conditional_changes_of_mode_forget_all_modes),
	        cmocka_unit_test(parts_of_xpsr_are_no_mode),
	        cmocka_unit_test(scr_is_carried),
	        cmocka_unit_test(stack_pointers_of_m_are_those_in_use),
	        cmocka_unit_test(multiple_transfer_has_one_access_a_register),
	        cmocka_unit_test(store_exclusive_may_not_happen),
	        cmocka_unit_test(flags_outside_of_nzcv_are_pstate),
	        cmocka_unit_test(vector_registers_are_halves_of_v),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
