/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64 opcodes as micro-operations: the pairs of opcodes that are easily taken for each other, the
 * completeness of what is written, and what the reconstruction relies on. That the operations are
 * right is shown by running them: tests/semantics.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arch/uop/uop_run.h"

#include "tests/support/opcode_rows.h"

static struct uop_builder builder;

static const struct uop_insn *insn_of(uint32_t opcode)
{
	sem_a64(opcode, 0x1000, &builder);
	return &builder.insn;
}

static bool kills_all(uint32_t opcode)
{
	const struct uop_insn *insn = insn_of(opcode);

	return (insn->flags & UOP_KILLS_ALL) == UOP_KILLS_ALL && insn->def_count == 0 &&
	       insn->op_count == 0;
}

static bool changes(uint32_t opcode, unsigned int reg)
{
	return uop_insn_after(insn_of(opcode), reg) != reg;
}

static unsigned int accesses(uint32_t opcode, enum uop_access_kind kind)
{
	const struct uop_insn *insn = insn_of(opcode);
	unsigned int count = 0;

	for (unsigned int i = 0; i < insn->access_count; i++)
		count += insn->accesses[i].kind == kind;
	return count;
}

/* True if the value that the register gets is entirely unknown. */
static bool forgets(uint32_t opcode, unsigned int reg)
{
	const struct uop_insn *insn = insn_of(opcode);
	unsigned int slot = uop_insn_after(insn, reg);

	for (unsigned int i = 0; i < insn->op_count; i++) {
		if (insn->ops[i].dst == slot)
			return insn->ops[i].op == UOP_UNKNOWN;
	}
	return false;
}

static void opcode_in_no_row_kills_everything(void **state)
{
	(void)state;
	assert_true(kills_all(0x00201000)); /* not allocated */
	assert_true(kills_all(0x80800000)); /* SME: fmopa */
	assert_true(kills_all(0xffffffff));
	assert_true(kills_all(0xd503307f)); /* TCOMMIT */
	assert_true(kills_all(0xd5032020)); /* Rt of a hint that is not 31 */
	assert_int_equal(insn_of(0xffffffff)->flags & UOP_NOT_IN_TABLE, UOP_NOT_IN_TABLE);
	assert_int_equal(insn_of(0xd503201f)->flags, 0); /* NOP */
}

static void opcode_with_reserved_field_kills_everything(void **state)
{
	(void)state;
	assert_true(kills_all(0x32400000)); /* ORR w0, w0 with N set */
	assert_true(kills_all(0x9240fc00)); /* AND with all of its mask set */
	assert_true(kills_all(0x52c00000)); /* MOVZ w0 with a shift of 32 */
	assert_true(kills_all(0x0b00fc00)); /* ADD w0 with a shift of 63 */
	assert_true(kills_all(0x8bc00000)); /* ADD with ROR */
	assert_true(kills_all(0xb8200800)); /* STR with option 000 */
	assert_true(kills_all(0x48217c00)); /* CASP with an odd register */
	assert_true(kills_all(0x1ea04000)); /* FMOV with the reserved type */
}

static void swp_is_not_prfm(void **state)
{
	(void)state;
	assert_int_equal(accesses(0xf8a18002, ACCESS_STORE), 1); /* SWPA x1, x2, [x0] */
	assert_true(changes(0xf8a18002, 2));
	assert_int_equal(insn_of(0xf9800000)->access_count, 0); /* PRFM [x0] */
	assert_int_equal(insn_of(0xf9800000)->flags, 0);
	assert_int_equal(insn_of(0xf8a16800)->access_count, 0); /* PRFM [x0, x1] */
	assert_int_equal(insn_of(0xf8800000)->access_count, 0); /* PRFUM [x0] */
	assert_int_equal(insn_of(0xd8000000)->access_count, 0); /* PRFM literal */
	assert_true(kills_all(0xf8800400));                     /* its reserved post-indexed form */
}

static void loads_of_acquire_kind_write_their_register(void **state)
{
	(void)state;
	assert_true(changes(0xf8bfc001, 1));                     /* LDAPR x1, [x0] */
	assert_true(changes(0xd9400001, 1));                     /* LDAPUR x1, [x0] */
	assert_int_equal(accesses(0xd9000001, ACCESS_STORE), 1); /* STLUR x1, [x0] */
	assert_int_equal(accesses(0xd9400001, ACCESS_LOAD), 1);
}

static void store_exclusive_may_not_happen(void **state)
{
	const struct uop_insn *insn = insn_of(0xc8027c01); /* STXR w2, x1, [x0] */

	(void)state;
	assert_int_equal(insn->access_count, 1);
	assert_int_equal(insn->accesses[0].when, uop_insn_after(insn, 2));
	assert_false(insn->accesses[0].when_value);
	assert_true(forgets(0xc8027c01, 2));
	/* its status is its data */
	assert_int_equal(insn_of(0xc8017c01)->flags & UOP_KILLS_MEMORY, UOP_KILLS_MEMORY);
}

static void casp_writes_both_registers_and_both_words(void **state)
{
	(void)state;
	assert_true(changes(0x48207c82, 0)); /* CASP x0, x1, x2, x3, [x4] */
	assert_true(changes(0x48207c82, 1));
	assert_false(changes(0x48207c82, 2));
	assert_int_equal(accesses(0x48207c82, ACCESS_STORE), 2);
}

static void pointer_authentication_changes_registers(void **state)
{
	(void)state;
	assert_true(changes(0xd503233f, 30)); /* PACIASP */
	assert_true(changes(0xd50323bf, 30)); /* AUTIASP */
	assert_true(changes(0xd50320ff, 30)); /* XPACLRI */
	assert_true(changes(0xd503211f, 17)); /* PACIA1716 */
	assert_false(changes(0xd503211f, 30));
	assert_true(changes(0xdac10020, 0));   /* PACIA x0, x1 */
	assert_true(changes(0xd503251f, 16));  /* CHKFEAT x16 */
	assert_false(changes(0xd503245f, 30)); /* BTI c */
}

static void branch_with_authentication_proves_low_bits_only(void **state)
{
	(void)state;
	assert_int_equal(insn_of(0xd61f0020)->branch.target_bits, 64); /* BR x1 */
	assert_int_equal(insn_of(0xd71f0822)->branch.target_bits, 16); /* BRAA x1, x2 */
	assert_int_equal(insn_of(0xd71f0822)->branch.slot, 1);
	assert_int_equal(insn_of(0xd65f0bff)->branch.target_bits, 16); /* RETAA */
	assert_int_equal(insn_of(0xd65f0bff)->branch.slot, REG_LR);
	assert_false(changes(0xd65f0bff, REG_LR));
	assert_true(changes(0xd73f0820, REG_LR)); /* BLRAA x1, x0 */
	assert_true(changes(0xd63f083f, REG_LR)); /* BLRAAZ x1 */
}

static void branch_on_flags_or_register_gives_a_fact(void **state)
{
	const struct uop_insn *insn = insn_of(0x54000040); /* B.EQ + 8 */

	(void)state;
	assert_int_equal(insn->branch.kind, BRANCH_CONDITIONAL);
	assert_int_equal(insn->branch.target, 0x1008);
	assert_int_equal(insn->ops[0].op, UOP_CONDITION);
	assert_int_equal(insn->branch.taken_value, 1);
	assert_true(uop_insn_uses(insn, REG_NZCV));
	insn = insn_of(0xb5000043); /* CBNZ x3 */
	assert_int_equal(insn->ops[0].op, UOP_EQUAL);
	assert_int_equal(insn->branch.taken_value, 0);
	assert_true(uop_insn_uses(insn, 3));
	insn = insn_of(0x5400004e); /* B.AL */
	assert_int_equal(insn->branch.kind, BRANCH_DIRECT);
	assert_int_equal(insn_of(0xd4000001)->branch.kind, BRANCH_EXCEPTION); /* SVC */
	assert_int_equal(insn_of(0xd69f03e0)->branch.kind, BRANCH_RETURN);    /* ERET */
}

static void flags_are_changed_where_they_are(void **state)
{
	static const uint32_t yes[] = {
	        0xd51b4200, /* MSR NZCV, x0 */
	        0xba00040f, /* RMIF x0, 0, 15 */
	        0x3a00080d, /* SETF8 w0 */
	        0x3a00480d, /* SETF16 w0 */
	        0xd500401f, /* CFINV */
	        0x1e202000, /* FCMP s0, s0 */
	        0x1e200410, /* FCCMPE */
	        0x1e7e0000, /* FJCVTZS */
	        0xd53b2400, /* MRS x0, RNDR */
	        0x25201c00, /* WHILELO p0.b, x0, x0 */
	        0x2550c000, /* PTEST */
	        0x24000000, /* CMPHS p0.b */
	        0x45208000, /* MATCH */
	        0x19400400, /* CPYM */
	};
	static const uint32_t no[] = {
	        0x8b000000, /* ADD */
	        0x9a820420, /* CSINC */
	        0xd53b4200, /* MRS x0, NZCV */
	        0x1e602c00, /* FCSEL d */
	        0x4e228c20, /* CMEQ v0.16b */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		assert_true(changes(yes[i], REG_NZCV));
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		assert_false(changes(no[i], REG_NZCV));
}

static void floating_point_that_writes_general_registers_says_so(void **state)
{
	static const uint32_t opcodes[] = {
	        0x9e780000, /* FCVTZS x0, d0 */
	        0x1e380000, /* FCVTZS w0, s0 */
	        0x9e5817c0, /* FCVTZS x0, d30, 59 */
	        0x9e660000, /* FMOV x0, d0 */
	        0x1e260000, /* FMOV w0, s0 */
	        0x9ee60000, /* FMOV x0, h0 */
	        0x9eae0000, /* FMOV x0, v0.d[1] */
	        0x4e083c00, /* UMOV x0, v0.d[0] */
	        0x0e012c00, /* SMOV w0, v0.b[0] */
	        0x0420e3e0, /* CNTB x0 */
	        0x0430e3e0, /* INCB x0 */
	        0x04bf5020, /* RDVL x0, 1 */
	        0x04205020, /* ADDVL x0, x0, 1 */
	        0x25208000, /* CNTP x0 */
	        0x0520a000, /* LASTA w0 */
	        0x25288800, /* SQINCP x0 */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++)
		assert_true(changes(opcodes[i], 0) || kills_all(opcodes[i]));
	assert_false(forgets(0x9ee60000, 0));
	assert_false(forgets(0x9e660000, 0));
	assert_true(forgets(0x9e780000, 0));
	/* and to a vector register: all of it */
	assert_true(changes(0x9e670000, slot_of_vector(0, 1)));  /* FMOV d0, x0 */
	assert_false(changes(0x9eaf0000, slot_of_vector(0, 0))); /* FMOV v0.d[1], x0 */
	assert_true(changes(0x1ee70000, slot_of_vector(0, 0)));
}

static void operation_with_unknown_result_says_what_it_reads(void **state)
{
	(void)state;
	assert_true(uop_insn_uses(insn_of(0x9e620060), 3));  /* SCVTF d0, x3 */
	assert_true(uop_insn_uses(insn_of(0xa4034060), 3));  /* LD1B z0, [x3, x3] */
	assert_false(uop_insn_uses(insn_of(0xa403a040), 3)); /* LD1B z0, [x2, 3, mul vl] */
	assert_true(uop_insn_uses(insn_of(0xdac10060), 3));  /* PACIA x0, x3 */
	assert_true(uop_insn_uses(insn_of(0xd51bd063), 3));  /* MSR TPIDRRO_EL0, x3 */
	assert_true(uop_insn_uses(insn_of(0x9ac33000), 3));  /* PACGA x0, x0, x3 */
	assert_true(uop_insn_uses(insn_of(0x4e020c60), 3));  /* DUP v0.8h, w3 */
}

static void sve_stores_are_ranges_or_kill_memory(void **state)
{
	(void)state;
	assert_int_equal(accesses(0xe400e000, ACCESS_CLOBBER), 1); /* ST1B [x0] */
	assert_int_equal(accesses(0xe4014000, ACCESS_CLOBBER), 1); /* ST1B [x0, x1] */
	assert_int_equal(accesses(0xe5804000, ACCESS_CLOBBER), 1); /* STR z0 */
	assert_int_equal(insn_of(0xe4008000)->flags & UOP_KILLS_MEMORY, UOP_KILLS_MEMORY);
	assert_true(changes(0xa400a000, slot_of_vector(0, 0))); /* LD1B z0 */
	assert_true(changes(0xa420e01f, slot_of_vector(0, 1))); /* LD2B z31, z0 */
}

static void memory_that_system_instructions_change_is_said(void **state)
{
	(void)state;
	assert_int_equal(accesses(0xd50b7420, ACCESS_CLOBBER), 1); /* DC ZVA */
	assert_int_equal(accesses(0xd50b7420, ACCESS_STORE), 8);
	assert_int_equal(insn_of(0xd50b7420)->accesses[0].when_value, 0);
	assert_int_equal(insn_of(0xd50b7520)->access_count, 0);                /* IC IVAU */
	assert_int_equal(insn_of(0x19000400)->flags & 2, UOP_KILLS_MEMORY);    /* CPYFP */
	assert_int_equal(insn_of(0xd508871f)->flags, UOP_CHANGES_TRANSLATION); /* TLBI VMALLE1 */
	assert_int_equal(insn_of(0xd5182000)->flags,                           /* MSR TTBR0_EL1 */
	                 UOP_CHANGES_TRANSLATION | UOP_SPARES_KERNEL);
	assert_int_equal(insn_of(0xd5182020)->flags, /* MSR TTBR1_EL1 */
	                 UOP_CHANGES_TRANSLATION | UOP_KEEPS_KERNEL);
	assert_int_equal(insn_of(0xd51c2000)->flags, UOP_CHANGES_TRANSLATION); /* MSR TTBR0_EL2 */
}

static void move_shares_the_register_of_its_source(void **state)
{
	(void)state;
	assert_int_equal(uop_insn_after(insn_of(0xaa0103e0), 0), 1);       /* MOV x0, x1 */
	assert_int_equal(uop_insn_after(insn_of(0x910003fd), 29), REG_SP); /* MOV x29, sp */
	assert_int_equal(insn_of(0x910003fd)->op_count, 0);
	assert_int_equal(uop_insn_after(insn_of(0x4ea11c20), slot_of_vector(0, 1)),
	                 slot_of_vector(1, 1)); /* MOV v0.16b, v1.16b */
	assert_int_equal(uop_insn_after(insn_of(0xd538d080), 0), REG_TPIDR_EL1);
}

static void write_back_to_the_transferred_register_is_unknown(void **state)
{
	(void)state;
	assert_true(forgets(0xf8408421, 1));                       /* LDR x1, [x1], 8 */
	assert_true(forgets(0xa8c10400, 0));                       /* LDP x0, x1, [x0], 16 */
	assert_int_equal(accesses(0xa8810400, ACCESS_CLOBBER), 1); /* STP x0, x1, [x0], 16 */
	assert_true(forgets(0xa9400000, 0));                       /* LDP x0, x0 */
}

static void stack_pointer_of_another_level_is_another_register(void **state)
{
	(void)state;
	assert_true(changes(0xd5184100, REG_SP_EL0)); /* MSR SP_EL0, x0 */
	assert_false(changes(0xd5184100, REG_SP));
	assert_true(forgets(0xd50041bf, REG_SP));      /* MSR SPSel, 1 */
	assert_true(forgets(0xd69f03e0, REG_NZCV));    /* ERET */
	assert_true(forgets(0xd5184020, REG_ELR_EL2)); /* MSR ELR_EL1, x0 may mean EL2's */
	assert_int_equal(uop_insn_after(insn_of(0xd5184020), REG_ELR_EL1), 0);
	assert_true(changes(0xd5184000, REG_SPSR_EL1)); /* MSR SPSR_EL1, x0 */
	assert_true(forgets(0xd5184000, REG_SPSR_EL2));
	assert_true(forgets(0xd51c4000, REG_SPSR_EL1));  /* MSR SPSR_EL2, x0 */
	assert_false(forgets(0xd51e4000, REG_SPSR_EL1)); /* MSR SPSR_EL3, x0 */
}

/* Slots of what reads and writes are in range, and every temporary is written before it is read. */
static void check_shape(uint32_t opcode)
{
	const struct uop_insn *insn = insn_of(opcode);
	unsigned int written = 0;

	for (unsigned int i = 0; i < insn->op_count; i++) {
		const struct uop *op = &insn->ops[i];
		const uint8_t operands[3] = {op->a, op->b, op->c};

		assert_in_range(op->width, 1, 64);
		for (unsigned int k = 0; k < 3; k++) {
			if (operands[k] >= SLOT_TEMP && operands[k] < SLOT_CONSTANT)
				assert_true(operands[k] < SLOT_TEMP + written);
		}
		if (op->op != UOP_STORE)
			assert_int_equal(op->dst, SLOT_TEMP + written++);
	}
	assert_int_equal(written, insn->temp_count);
	for (unsigned int i = 0; i < insn->def_count; i++) {
		assert_true(insn->defs[i].reg < REG_COUNT);
		for (unsigned int k = 0; k < i; k++)
			assert_int_not_equal(insn->defs[i].reg, insn->defs[k].reg);
	}
}

static void every_row_is_reached_and_well_formed(void **state)
{
	struct sem_row_info info;
	uint32_t seed = 1;

	(void)state;
	for (size_t row = 0; sem_a64_row(row, &info); row++) {
		bool reached = false;

		assert_int_equal(info.match & ~info.mask, 0);
		for (unsigned int i = 0; i < 20000; i++) {
			uint32_t opcode = info.match | (seed & ~info.mask);

			seed = seed * 1664525 + 1013904223;
			seed ^= seed >> 15;
			reached = reached || sem_a64_row_of(opcode) == row;
			if (i < 500)
				check_shape(opcode);
		}
		if (!reached)
			fail_msg("no opcode reaches row %s", info.name);
	}
}

static void stored_copy_is_the_same_instruction(void **state)
{
	struct arena arena = {0};
	const struct uop_insn *insn = insn_of(0xa9bf7bfd); /* STP x29, x30, [sp, -16]! */
	const struct uop_insn *copy = uop_insn_store(&arena, insn);
	struct text a = {0};
	struct text b = {0};

	(void)state;
	assert_non_null(copy);
	uop_insn_format(insn, &a);
	uop_insn_format(copy, &b);
	assert_string_equal(a.data, b.data);
	assert_string_equal(a.data, "store 8 [sp + -16] x29\n"
	                            "store 8 [sp + -8] x30\n"
	                            "- = STORE.64 - - - {access 0}\n"
	                            "- = STORE.64 - - - {access 1}\n"
	                            "t0 = ADD.64 sp 0xfffffffffffffff0 0\n"
	                            "sp is t0\n");
	text_fini(&a);
	text_fini(&b);
	arena_fini(&arena);
}

static struct bits no_memory(void *context, uint64_t address, unsigned int size)
{
	(void)context;
	(void)address;
	(void)size;
	return (struct bits){0, 0};
}

/* What a predicate has at most: bytes from the vector's start on (C8.2, WHILELO). */
static void predicate_of_a_loop_reaches_as_far_as_the_loop_has_elements(void **state)
{
	static const struct {
		uint32_t opcode;
		uint64_t from;
		uint64_t to;
		uint64_t bytes;
	} cases[] = {
	        {0x25241c60, 3, 5, 2}, /* whilelo p0.b, x3, x4 */
	        {0x25241c60, 5, 5, 0}, {0x25241c60, 5, 3, 0},
	        {0x25a41c60, 3, 5, 8},                        /* whilelo p0.s, x3, x4 */
	        {0x25a41c60, 6, 5, 0}, {0x25241460, 3, 5, 2}, /* whilelt p0.b, x3, x4 */
	        {0x25241460, 5, 3, 0}, {0x25241460, UINT64_MAX, 1, 2},
	};
	const struct uop_memory memory = {no_memory, NULL};
	static struct uop_run run;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bits registers[REG_COUNT] = {0};
		struct bits reaches;

		registers[3] = bits_of(cases[i].from);
		registers[4] = bits_of(cases[i].to);
		assert_true(uop_run(insn_of(cases[i].opcode), registers, &memory, &run));
		reaches = uop_run_after(&run, REG_P0);
		assert_true(bits_all_known(&reaches, 64));
		assert_int_equal(reaches.value, cases[i].bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(predicate_of_a_loop_reaches_as_far_as_the_loop_has_elements),
	        cmocka_unit_test(opcode_in_no_row_kills_everything),
	        cmocka_unit_test(opcode_with_reserved_field_kills_everything),
	        cmocka_unit_test(swp_is_not_prfm),
	        cmocka_unit_test(loads_of_acquire_kind_write_their_register),
	        cmocka_unit_test(store_exclusive_may_not_happen),
	        cmocka_unit_test(casp_writes_both_registers_and_both_words),
	        cmocka_unit_test(pointer_authentication_changes_registers),
	        cmocka_unit_test(branch_with_authentication_proves_low_bits_only),
	        cmocka_unit_test(branch_on_flags_or_register_gives_a_fact),
	        cmocka_unit_test(flags_are_changed_where_they_are),
	        cmocka_unit_test(floating_point_that_writes_general_registers_says_so),
	        cmocka_unit_test(operation_with_unknown_result_says_what_it_reads),
	        cmocka_unit_test(sve_stores_are_ranges_or_kill_memory),
	        cmocka_unit_test(memory_that_system_instructions_change_is_said),
	        cmocka_unit_test(move_shares_the_register_of_its_source),
	        cmocka_unit_test(write_back_to_the_transferred_register_is_unknown),
	        cmocka_unit_test(stack_pointer_of_another_level_is_another_register),
	        cmocka_unit_test(every_row_is_reached_and_well_formed),
	        cmocka_unit_test(stored_copy_is_the_same_instruction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
