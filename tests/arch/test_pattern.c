/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns of opcodes, and those of all tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arch/a32/a32.h"
#include "arch/pattern/pattern.h"

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

static void pattern_set_stops_at_what_is_no_pattern(void **state)
{
	static const char *const texts[] = {"imm26:26 000000", "nobody:32"};
	static struct pattern_set set;
	struct pattern patterns[2];

	(void)state;
	assert_int_equal(
	        pattern_set_init(&set, patterns, texts, 2, (struct pattern_key){{8, 8}, {0, 4}}),
	        1);
	assert_int_equal(
	        pattern_set_init(&set, patterns, texts, 1, (struct pattern_key){{8, 8}, {0, 4}}),
	        1);
	assert_int_equal(
	        pattern_set_init(&set, patterns, texts, 1, (struct pattern_key){{8, 9}, {0, 4}}),
	        0); /* 13 bits */
}

static const char *const a64_texts[] = {
#define X(name, pattern, expand, arg) pattern,
#include "arch/a64/sem_a64.def"
};

static const char *const a32_texts[] = {
#include "arch/a32/sem_a32.def"
};

static const char *const t32_texts[] = {
#include "arch/a32/sem_t32.def"
};

#undef X

struct table {
	const char *const *texts;
	size_t count;
	bool (*row)(size_t index, struct sem_row_info *row);
	size_t (*row_of)(uint32_t opcode);
};

#define TABLE(isa)                                                                                 \
	{                                                                                          \
		isa##_texts, sizeof(isa##_texts) / sizeof(isa##_texts[0]), sem_##isa##_row,        \
		        sem_##isa##_row_of                                                         \
	}

static const struct table tables[] = {
        TABLE(a64),
        TABLE(a32),
        TABLE(t32),
};

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
	for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++) {
		for (size_t i = 0; i < tables[t].count; i++) {
			assert_true(tables[t].row(i, &row));
			if (!pattern_parse(tables[t].texts[i], &pattern))
				fail_msg("%s is no pattern", row.name);
			assert_int_equal(pattern.mask, row.mask);
			assert_int_equal(pattern.match, row.match);
		}
		assert_false(tables[t].row(tables[t].count, &row));
	}
}

static size_t search(const struct table *table, uint32_t opcode)
{
	struct sem_row_info row;
	size_t i = 0;

	while (table->row(i, &row) && (opcode & row.mask) != row.match)
		i++;
	return i;
}

static void tables_find_the_first_row_as_a_search_does(void **state)
{
	struct sem_row_info row;

	(void)state;
	for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++) {
		for (uint32_t i = 0; i < 100 * tables[t].count; i++) {
			uint32_t opcode = mixed(i);

			assert_int_equal(tables[t].row_of(opcode), search(&tables[t], opcode));
			assert_true(tables[t].row(i / 100, &row));
			opcode = row.match | (opcode & ~row.mask);
			assert_int_equal(tables[t].row_of(opcode), search(&tables[t], opcode));
		}
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
	        cmocka_unit_test(pattern_set_stops_at_what_is_no_pattern),
	        cmocka_unit_test(tables_consist_of_patterns),
	        cmocka_unit_test(tables_find_the_first_row_as_a_search_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
