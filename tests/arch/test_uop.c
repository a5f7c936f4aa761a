/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions solved backward: registers hidden before them, or after them, are found again from
 * the rest. The nodes here are what a solver has: registers before, temporaries, constants.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arch/a32/a32.h"
#include "arch/a64/a64.h"
#include "arch/uop/uop_run.h"

enum { SLOTS = 256 };

struct solution {
	struct uop_builder builder;
	struct bits nodes[SLOTS];
	struct bits none;
};

static struct bits *node(struct solution *s, unsigned int slot)
{
	if (slot == SLOT_NONE)
		return &s->none;
	if (slot == SLOT_ZERO)
		s->nodes[slot] = bits_of(0);
	else if (slot >= SLOT_CONSTANT)
		s->nodes[slot] = bits_of(s->builder.constants[slot - SLOT_CONSTANT]);
	return &s->nodes[slot];
}

static void begin(struct solution *s, uint32_t opcode)
{
	memset(s->nodes, 0, sizeof(s->nodes));
	sem_a64(opcode, 0x1000, &s->builder);
}

/* To the fixed point; false on a contradiction. */
static bool solve(struct solution *s)
{
	const struct uop_insn *insn = &s->builder.insn;

	for (unsigned int round = 0; round < 4; round++) {
		for (size_t i = 0; i < insn->op_count; i++) {
			const struct uop *op = &insn->ops[i];

			if (!uop_refine(op, node(s, op->dst), node(s, op->a), node(s, op->b),
			                node(s, op->c)))
				return false;
		}
	}
	return true;
}

static struct bits *after(struct solution *s, unsigned int reg)
{
	return node(s, uop_insn_after(&s->builder.insn, reg));
}

static void sum_and_operand_known_give_the_other_operand(void **state)
{
	static struct solution s;

	(void)state;
	begin(&s, 0x8b020020); /* ADD x0, x1, x2 */
	s.nodes[2] = bits_of(0x1000);
	*after(&s, 0) = bits_of(0x7fff1234);
	assert_true(solve(&s));
	assert_int_equal(s.nodes[1].known, UINT64_MAX);
	assert_int_equal(s.nodes[1].value, 0x7fff0234);
}

static void low_bits_of_difference_give_low_bits_of_operand(void **state)
{
	static struct solution s;

	(void)state;
	begin(&s, 0xcb020020); /* SUB x0, x1, x2 */
	s.nodes[2] = (struct bits){0x34, 0xff};
	*after(&s, 0) = (struct bits){0x10, 0xfff};
	assert_true(solve(&s));
	assert_int_equal(s.nodes[1].known, 0xff);
	assert_int_equal(s.nodes[1].value, 0x44);
}

static void product_with_odd_number_is_divided(void **state)
{
	static struct solution s;

	(void)state;
	begin(&s, 0x9b027c20); /* MUL x0, x1, x2 */
	s.nodes[2] = bits_of(0x6364136223846793);
	*after(&s, 0) = bits_of(UINT64_C(0x6364136223846793) * 0x1234567);
	assert_true(solve(&s));
	assert_int_equal(s.nodes[1].known, UINT64_MAX);
	assert_int_equal(s.nodes[1].value, 0x1234567);
}

static void checksum_is_run_backward(void **state)
{
	static struct solution s;
	struct bits result;

	(void)state;
	begin(&s, 0x1ac25820); /* CRC32CW w0, w1, w2 */
	s.nodes[1] = bits_of(0xcafe1234);
	s.nodes[2] = bits_of(0x89abcdef);
	assert_true(solve(&s));
	result = *after(&s, 0);
	assert_int_equal(result.known, UINT64_MAX);
	begin(&s, 0x1ac25820);
	*after(&s, 0) = result;
	s.nodes[2] = bits_of(0x89abcdef);
	assert_true(solve(&s));
	assert_int_equal(s.nodes[1].known, UINT32_MAX);
	assert_int_equal(s.nodes[1].value, 0xcafe1234);
}

static void condition_that_failed_bounds_what_was_compared(void **state)
{
	static struct solution s;
	struct bits flags;

	(void)state;
	begin(&s, 0x54000048); /* B.HI, not taken */
	*node(&s, s.builder.insn.branch.slot) = bits_of(0);
	assert_true(solve(&s));
	flags = s.nodes[REG_NZCV];
	begin(&s, 0x71001c1f); /* CMP w0, 7 */
	*after(&s, REG_NZCV) = flags;
	assert_true(solve(&s));
	assert_int_equal(s.nodes[0].known, 0xfffffff8);
	assert_int_equal(s.nodes[0].value, 0);
}

static void branch_on_equal_unites_what_was_compared(void **state)
{
	static struct solution s;

	(void)state;
	begin(&s, 0xeb01001f); /* CMP x0, x1 */
	assert_true(bits_learn_states(after(&s, REG_NZCV), bits_condition_states(0)));
	s.nodes[0] = (struct bits){0x1200, 0xff00};
	s.nodes[1] = (struct bits){0x34, 0xff};
	assert_true(solve(&s));
	assert_int_equal(s.nodes[0].value, 0x1234);
	assert_int_equal(s.nodes[1].known, 0xffff);
}

static void selected_value_tells_the_condition(void **state)
{
	static struct solution s;

	(void)state;
	begin(&s, 0x9a820020); /* CSEL x0, x1, x2, eq */
	s.nodes[1] = bits_of(5);
	s.nodes[2] = bits_of(6);
	*after(&s, 0) = bits_of(6);
	assert_true(solve(&s));
	assert_int_equal(bits_flag_states(&s.nodes[REG_NZCV]), bits_condition_states(1));
}

static void disagreement_is_a_contradiction(void **state)
{
	static struct solution s;

	(void)state;
	begin(&s, 0x91000420); /* ADD x0, x1, 1 */
	s.nodes[1] = bits_of(5);
	*after(&s, 0) = bits_of(7);
	assert_false(solve(&s));
	assert_int_equal(s.nodes[1].value, 5);
	assert_int_equal(after(&s, 0)->value, 7);
}

static void upper_half_of_a_32_bit_result_is_zero(void **state)
{
	static struct solution s;

	(void)state;
	begin(&s, 0x0b020020); /* ADD w0, w1, w2 */
	assert_true(solve(&s));
	assert_int_equal(after(&s, 0)->known, 0xffffffff00000000);
	*after(&s, 0) = bits_of(UINT64_C(1) << 32);
	assert_false(solve(&s));
}

static void compared_lanes_that_are_equal_are_learned(void **state)
{
	static struct solution s;
	unsigned int n = slot_of_vector(1, 0);

	(void)state;
	begin(&s, 0x6e228c20); /* CMEQ v0.16b, v1.16b, v2.16b */
	s.nodes[slot_of_vector(2, 0)] = bits_of(0x1122334455667788);
	*after(&s, slot_of_vector(0, 0)) = (struct bits){0xff00, 0xffff};
	assert_true(solve(&s));
	assert_int_equal(s.nodes[n].value, 0x7700);
	assert_int_equal(s.nodes[n].known, 0xff00);
}

/* FLAG_MAP_AXFLAG and the like, by the words of the Arm ARM, on every state. */
static void flag_maps_follow_the_manual(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 16; i++) {
		struct bits flags = bits_of(UINT64_C(1) << i);
		struct bits inverted = {0, 0};
		struct bits external = {0, 0};
		bool z = (i & FLAG_Z) != 0;
		bool c = (i & FLAG_C) != 0;
		bool v = (i & FLAG_V) != 0;
		unsigned int expected = (z || v ? FLAG_Z : 0U) | (c && !v ? FLAG_C : 0U);

		assert_true(bits_map_flags(&inverted, &flags, FLAG_MAP_CFINV));
		assert_int_equal(bits_flag_states(&inverted), 1U << (i ^ FLAG_C));
		assert_true(bits_map_flags(&external, &flags, FLAG_MAP_AXFLAG));
		assert_int_equal(bits_flag_states(&external), 1U << expected);
	}
}

static void assert_format(const struct uop_insn *insn, const char *expected)
{
	struct text text = {0};

	uop_insn_format(insn, &text);
	assert_string_equal(text.data ? text.data : "", expected);
	text_fini(&text);
}

static const struct uop_insn *a64(uint32_t opcode)
{
	static struct uop_builder builder;

	sem_a64(opcode, 0x1000, &builder);
	return &builder.insn;
}

static const struct uop_insn *a32(uint32_t opcode)
{
	static struct uop_builder builder;

	sem_a32(opcode, 0x1000, &builder);
	return &builder.insn;
}

static void branches_are_written_with_all_that_they_depend_on(void **state)
{
	(void)state;
	assert_format(a64(0xd503201f), ""); /* NOP */
	assert_format(a64(0x14000002), "branch direct 0x1008 - 0 0\n");
	assert_format(a64(0xd61f0020), "branch indirect 0x0 x1 0 64\n");
	assert_format(a64(0x54000040), "t0 = CONDITION.1 nzcv - - {condition 0}\n"
	                               "branch conditional 0x1008 t0 1 0\n");
	assert_format(a64(0xd4000001), "branch exception 0x0 - 0 0\n");
	assert_format(a32(0xe12fff1e), "t0 = FIELD.32 x14 - - {lsb 1 len 31 to 1}\n"
	                               "branch indirect 0x0 t0 0 32 state x14\n");
	assert_format(a32(0x012fff1e), /* BXEQ lr */
	              "t0 = CONDITION.1 nzcv - - {condition 0}\n"
	              "t1 = FIELD.32 x14 - - {lsb 1 len 31 to 1}\n"
	              "branch conditional indirect 0x0 t1 0 32 when t0 state x14\n");
	assert_format(a32(0x01a0f00e), /* MOVEQ pc, lr */
	              "t0 = CONDITION.1 nzcv - - {condition 0}\n"
	              "t1 = FIELD.32 x14 - - {lsb 1 len 31 to 1}\n"
	              "branch conditional indirect 0x0 t1 0 32 when t0 state x14\n");
}

static void what_is_killed_and_accessed_is_written(void **state)
{
	(void)state;
	assert_format(a64(0xffffffff), "kills registers\nkills memory\n");
	assert_format(a64(0xa8810400), /* STP x0, x1, [x0], #16 */
	              "clobber 0 [x0 + 0] - length 16 align 0\n"
	              "t0 = ADD.64 x0 0x10 0\n"
	              "x0 is t0\n");
	assert_format(a32(0x05810004), /* STREQ r0, [r1, #4] */
	              "store 4 [x1 + 4] x0 when t0 is 1\n"
	              "t0 = CONDITION.1 nzcv - - {condition 0}\n"
	              "- = STORE.32 - - - {access 0}\n");
	assert_format(a64(0xd2800021), "x1 is 0x1\n"); /* MOV x1, 1 */
	assert_format(a64(0xf9400041), "load 8 [x2 + 0] t0\n"
	                               "t0 = LOAD.64 - - - {access 0}\n"
	                               "x1 is t0\n");
}

static void registers_and_operations_have_names(void **state)
{
	static const struct {
		unsigned int reg;
		const char *name;
	} names[] = {
	        {0, "x0"},
	        {30, "x30"},
	        {REG_SP, "sp"},
	        {REG_NZCV, "nzcv"},
	        {REG_SPSR_EL3, "spsr_el3"},
	        {REG_P0, "p0.bound"},
	        {REG_P0 + 7, "p7.bound"},
	        {REG_V0, "v0.lo"},
	        {REG_V0 + 7, "v3.hi"},
	        {REG_COUNT - 1, "v31.hi"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct text text = {0};

		uop_register_name(names[i].reg, &text);
		assert_string_equal(text.data, names[i].name);
		text_fini(&text);
	}
	assert_string_equal(uop_op_name(UOP_UNKNOWN), "UNKNOWN");
	assert_string_equal(uop_op_name(UOP_MAP_FLAGS), "MAP_FLAGS");
	assert_string_equal(uop_op_name(UOP_OPS), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(sum_and_operand_known_give_the_other_operand),
	        cmocka_unit_test(low_bits_of_difference_give_low_bits_of_operand),
	        cmocka_unit_test(product_with_odd_number_is_divided),
	        cmocka_unit_test(checksum_is_run_backward),
	        cmocka_unit_test(condition_that_failed_bounds_what_was_compared),
	        cmocka_unit_test(branch_on_equal_unites_what_was_compared),
	        cmocka_unit_test(selected_value_tells_the_condition),
	        cmocka_unit_test(disagreement_is_a_contradiction),
	        cmocka_unit_test(upper_half_of_a_32_bit_result_is_zero),
	        cmocka_unit_test(compared_lanes_that_are_equal_are_learned),
	        cmocka_unit_test(flag_maps_follow_the_manual),
	        cmocka_unit_test(branches_are_written_with_all_that_they_depend_on),
	        cmocka_unit_test(what_is_killed_and_accessed_is_written),
	        cmocka_unit_test(registers_and_operations_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
