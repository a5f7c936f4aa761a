/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns of opcodes, and those of all tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arch/pattern/pattern.h"
#include "tests/support/opcode_rows.h"

static void pattern_bits_and_fields_are_read_from_the_highest_bit_on(void **state)
{
	struct pattern pattern;

	(void)state;
	/* ADD x1, x2, #3 */
	assert_true(pattern_parse("sf op S 100010 sh imm12:12 Rn:5 Rd:5", &pattern));
	assert_int_equal(pattern.mask, 0x1f800000);
	assert_int_equal(pattern.match, 0x11000000);
	assert_true(pattern_matches(&pattern, 0x91000c41));
	assert_false(pattern_matches(&pattern, 0x92000c41));
	assert_int_equal(pattern_field(&pattern, 0x91000c41, FIELD_sf), 1);
	assert_int_equal(pattern_field(&pattern, 0x91000c41, FIELD_op), 0);
	assert_int_equal(pattern_field(&pattern, 0x91000c41, FIELD_imm12), 3);
	assert_int_equal(pattern_field(&pattern, 0x91000c41, FIELD_Rn), 2);
	assert_int_equal(pattern_field(&pattern, 0x91000c41, FIELD_Rd), 1);
	assert_true(pattern_has(&pattern, FIELD_sh));
	assert_false(pattern_has(&pattern, FIELD_Rm));
}

static void pattern_dots_and_fields_with_bits_are_in_the_mask_as_far_as_given(void **state)
{
	struct pattern pattern;

	(void)state;
	assert_true(pattern_parse("1.0 size=1. 000 00000000 00000000 Rd=0.... 111", &pattern));
	assert_int_equal(pattern.mask, 0xb7ffff87);
	assert_int_equal(pattern.match, 0x90000007);
	assert_int_equal(pattern_field(&pattern, 0xd8000027, FIELD_size), 3);
	assert_int_equal(pattern_field(&pattern, 0xd8000027, FIELD_Rd), 4);
}

static void pattern_field_in_two_pieces_is_one_number(void **state)
{
	struct pattern pattern;

	(void)state;
	assert_true(pattern_parse("1110010110 imm9:6 010 imm9:3 Rn:5 .....", &pattern));
	assert_int_equal(pattern_field(&pattern, 0xe5815400, FIELD_imm9), 0xd);
	assert_int_equal(pattern_signed_field(&pattern, 0xe5815400, FIELD_imm9), 0xd);
	assert_int_equal(pattern_signed_field(&pattern, 0xe5bf5c00, FIELD_imm9), -1);
	assert_int_equal(pattern_signed_field(&pattern, 0xe5a04000, FIELD_imm9), -256);
}

static void pattern_of_16_bits_has_zeros_above(void **state)
{
	struct pattern pattern;

	(void)state;
	assert_true(pattern_parse("00011 op . Rm:3 Rn:3 Rd:3", &pattern));
	assert_int_equal(pattern.mask, 0xfffff800);
	assert_int_equal(pattern.match, 0x00001800);
	assert_int_equal(pattern_field(&pattern, 0x1c8a, FIELD_Rm), 2);
	assert_int_equal(pattern_field(&pattern, 0x1c8a, FIELD_op), 1);
}

static void pattern_that_is_none_is_refused(void **state)
{
	static const char *const texts[] = {
	        "",                                    /* no bits */
	        "0000000000000000000000000000000",     /* 31 */
	        "000000000000000000000000000000000",   /* 33 */
	        "Rd:5 000000000000000000000000000 op", /* 33 with the last field */
	        "Rd:32",                               /* a whole opcode */
	        "Rd:33",                               /* too wide */
	        "Rd:0 00000000000000000000000000000000",
	        "Rd: 00000000000000000000000000000000",
	        "Rd:x 0000000000000000",
	        "Rd:99999999999999999999",
	        "nobody:5 000000000000000000000000000", /* no such field */
	        "R:5 0000000000000000000000000x",       /* no such bit */
	        "Rd=012 00000000000000000000000000000",
	        "op op op op op op op op op op op op op op op 00000000000000000", /* pieces */
	};
	struct pattern pattern;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (pattern_parse(texts[i], &pattern))
			fail_msg("\"%s\" is taken", texts[i]);
	}
}

static void pattern_set_has_a_key_of_12_bits_at_most(void **state)
{
	static struct pattern_set set;
	struct pattern pattern;

	(void)state;
	assert_true(pattern_parse("imm26:26 000000", &pattern));
	assert_true(pattern_set_init(&set, &pattern, 1, (struct pattern_key){{8, 8}, {0, 4}}));
	assert_false(pattern_set_init(&set, &pattern, 1, (struct pattern_key){{8, 9}, {0, 4}}));
}

/* Each is a candidate of all keys. */
static void pattern_set_has_so_many_candidates_at_most(void **state)
{
	static struct pattern_set set;
	struct pattern patterns[4];

	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_true(pattern_parse("imm26:26 000000", &patterns[i]));
	assert_true(pattern_set_init(&set, patterns, 3, (struct pattern_key){{8, 8}, {16, 4}}));
	assert_false(pattern_set_init(&set, patterns, 4, (struct pattern_key){{8, 8}, {16, 4}}));
}

enum { TABLES = 3 };

static struct opcode_table *const tables[TABLES] = {&a64_opcodes, &a32_opcodes, &t32_opcodes};

/* The finalizer of MurmurHash3, as random numbers. */
static uint32_t mixed(uint32_t n)
{
	n = (n ^ n >> 16) * 0x85ebca6b;
	n = (n ^ n >> 13) * 0xc2b2ae35;
	return n ^ n >> 16;
}

static void tables_consist_of_patterns(void **state)
{
	struct sem_row_info row;
	struct pattern pattern;

	(void)state;
	for (size_t t = 0; t < TABLES; t++) {
		for (size_t i = 0; i < tables[t]->count; i++) {
			assert_true(opcode_row_info(tables[t], i, &row));
			if (!pattern_parse(tables[t]->rows[i].pattern, &pattern))
				fail_msg("%s is no pattern", row.name);
			assert_int_equal(pattern.mask, row.mask);
			assert_int_equal(pattern.match, row.match);
		}
		assert_false(opcode_row_info(tables[t], tables[t]->count, &row));
	}
}

static size_t search(struct opcode_table *table, uint32_t opcode)
{
	struct sem_row_info row;
	size_t i = 0;

	while (opcode_row_info(table, i, &row) && (opcode & row.mask) != row.match)
		i++;
	return i;
}

/* By each row of the table a hundred times, one after the other, a random opcode and one of the
 * row. */
static uint32_t sample(struct opcode_table *table, uint32_t number)
{
	struct sem_row_info row = {.mask = 0};

	assert_true(opcode_row_info(table, number / 200, &row));
	return number % 2 == 0 ? mixed(number) : row.match | (mixed(number) & ~row.mask);
}

static void tables_find_the_first_row_as_a_search_does(void **state)
{
	(void)state;
	for (size_t t = 0; t < TABLES; t++) {
		for (uint32_t i = 0; i < 200 * tables[t]->count; i++) {
			uint32_t opcode = sample(tables[t], i);

			assert_int_equal(opcode_find(tables[t], opcode), search(tables[t], opcode));
		}
	}
}

static enum flow flow_of(size_t table, uint32_t opcode)
{
	uint64_t target;

	if (table == 0)
		return flow_a64(opcode, 0, &target);
	return table == 1 ? flow_a32(opcode, 0, &target) : flow_t32(opcode, 0, &target);
}

/* Which opcodes have a flow is known of most without a look at the rows; and it is true. */
static void tables_say_no_flow_of_most_and_only_of_what_has_none(void **state)
{
	static const struct pattern_key keys[TABLES] = {A64_KEY, A32_KEY, T32_KEY};

	(void)state;
	for (size_t t = 0; t < TABLES; t++) {
		unsigned int without = 0;
		unsigned int said = 0;

		for (uint32_t i = 0; i < 200 * tables[t]->count; i++) {
			uint32_t opcode = sample(tables[t], i);
			bool may = opcode_may_flow(tables[t], keys[t], opcode);
			bool has = flow_of(t, opcode) != FLOW_NONE;

			if (has && !may)
				fail_msg("%08x has a flow", opcode);
			without += !has;
			said += !may;
		}
		assert_true(said > without / 4 * 3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(pattern_bits_and_fields_are_read_from_the_highest_bit_on),
	        cmocka_unit_test(pattern_dots_and_fields_with_bits_are_in_the_mask_as_far_as_given),
	        cmocka_unit_test(pattern_field_in_two_pieces_is_one_number),
	        cmocka_unit_test(pattern_of_16_bits_has_zeros_above),
	        cmocka_unit_test(pattern_that_is_none_is_refused),
	        cmocka_unit_test(pattern_set_has_a_key_of_12_bits_at_most),
	        cmocka_unit_test(pattern_set_has_so_many_candidates_at_most),
	        cmocka_unit_test(tables_consist_of_patterns),
	        cmocka_unit_test(tables_find_the_first_row_as_a_search_does),
	        cmocka_unit_test(tables_say_no_flow_of_most_and_only_of_what_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
