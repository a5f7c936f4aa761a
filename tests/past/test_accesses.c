/* SPDX-License-Identifier: Apache-2.0 */
/* Writes and reads of small A64 programs; what was executed is in each test's first comment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/past/past.h"
#include "tests/values/made_a64.h"

#define NOP          UINT32_C(0xd503201f)
#define MOV_X0_X1    UINT32_C(0xaa0103e0)
#define STP_X4_X5_X3 UINT32_C(0xa9001464)

static const struct past_subject word = {.is_memory = true, .address = DATA_AT, .size = 8};
static const struct past_subject x1 = {.number = A64_x1};

static struct past_accesses find(struct program *p, struct past_accesses_of of)
{
	struct past_accesses found;

	assert_int_equal(past_accesses_find(p->values, &of, &found), STATUS_OK);
	return found;
}

static void assert_told(const struct past_accesses *found, size_t i, enum past_verdict verdict,
                        uint64_t position)
{
	assert_true(i < found->count);
	assert_string_equal(past_verdict_word(found->all[i].verdict), past_verdict_word(verdict));
	assert_int_equal(found->all[i].position, position);
	assert_int_equal(found->all[i].last, position);
}

/*
 *	0 str x1, [x2]
 *	1 str x4, [x3]		X3 and X4 are not known: it may be to DATA
 *	2 ldr x0, [x2]
 *	3 mov x3, #0
 *	4 mov x4, #0
 */
static void accesses_to_memory_are_told_the_youngest_first(void **state)
{
	struct past_accesses_of of = {.subject = word, .writes = true, .end = 5, .most = 9};
	struct past_accesses found;
	struct program p;

	(void)state;
	BEGIN(&p, STR_X1_X2, STR_X4_X3, LDR_X0_X2, MOV_X3_0, MOV_X4_0);
	put_u64(p.x[0], 0x100);
	put_u64(p.data, 0x100);
	run(&p, COUNT);
	found = find(&p, of);
	assert_int_equal(found.count, 2);
	assert_told(&found, 0, PAST_POSSIBLE, 1);
	assert_false(past_value_is_known(&found.all[0].value));
	assert_told(&found, 1, PAST_PROVED, 0);
	assert_true(found.all[1].is_write);
	assert_int_equal(found.all[1].value.bits.value, 0x100);
	assert_int_equal(found.all[1].code.pc, CODE);
	assert_false(found.is_cut);
	past_accesses_fini(&found);
	of.most = 1;
	found = find(&p, of);
	assert_int_equal(found.count, 1);
	assert_told(&found, 0, PAST_POSSIBLE, 1);
	assert_true(found.is_cut);
	past_accesses_fini(&found);
	/* Before the last answer is the next candidate. */
	of.end = 1;
	found = find(&p, of);
	assert_told(&found, 0, PAST_PROVED, 0);
	past_accesses_fini(&found);
	of = (struct past_accesses_of){.subject = word, .reads = true, .end = 5, .most = 9};
	found = find(&p, of);
	assert_int_equal(found.count, 1);
	assert_told(&found, 0, PAST_PROVED, 2);
	assert_false(found.all[0].is_write);
	assert_int_equal(found.all[0].value.bits.value, 0x100);
	past_accesses_fini(&found);
	end(&p);
}

/* 0 stp x4, x5, [x3]: either may be what it wrote there, if it did. */
static void accesses_of_a_pair_that_are_possible_have_no_value(void **state)
{
	const struct past_accesses_of of = {.subject = word, .writes = true, .end = 2, .most = 9};
	struct past_accesses found;
	struct program p;

	(void)state;
	BEGIN(&p, STP_X4_X5_X3, MOV_X3_0);
	put_u64(p.x[4], STORED);
	put_u64(p.x[5], STORED);
	run(&p, COUNT);
	found = find(&p, of);
	assert_int_equal(found.count, 1);
	assert_told(&found, 0, PAST_POSSIBLE, 0);
	assert_int_equal(found.all[0].value.bits.known, 0);
	past_accesses_fini(&found);
	end(&p);
}

/*
 *	0 mov x1, #7
 *	1 mov x0, x1
 *	2 add x1, x1, #5
 *	3 str x1, [x2]
 */
static void accesses_of_a_register_in_both_directions(void **state)
{
	struct past_accesses_of of = {.subject = x1, .writes = true, .end = 4, .most = 9};
	struct past_accesses found;
	struct program p;

	(void)state;
	BEGIN(&p, MOV_X1_7, MOV_X0_X1, ADD_X1_X1_5, STR_X1_X2);
	put_u64(p.x[0], 7);
	put_u64(p.x[1], 12);
	put_u64(p.data, 12);
	run(&p, COUNT);
	found = find(&p, of);
	assert_int_equal(found.count, 2);
	assert_told(&found, 0, PAST_PROVED, 2);
	assert_int_equal(found.all[0].value.bits.value, 12);
	assert_told(&found, 1, PAST_PROVED, 0);
	assert_int_equal(found.all[1].value.bits.value, 7);
	past_accesses_fini(&found);
	of.forward = true;
	of.first = 1;
	found = find(&p, of);
	assert_int_equal(found.count, 1);
	assert_told(&found, 0, PAST_PROVED, 2);
	past_accesses_fini(&found);
	of = (struct past_accesses_of){.subject = x1, .reads = true, .end = 4, .most = 9};
	found = find(&p, of);
	assert_int_equal(found.count, 3);
	assert_told(&found, 0, PAST_PROVED, 3);
	assert_told(&found, 1, PAST_PROVED, 2);
	assert_int_equal(found.all[1].value.bits.value, 7);
	assert_told(&found, 2, PAST_PROVED, 1);
	past_accesses_fini(&found);
	end(&p);
}

/* A gap may have written registers and memory. */
static void accesses_in_a_gap_are_possible(void **state)
{
	const struct element elements[] = {
	        range(CODE, 1, INSN_OTHER, true),
	        {.type = ELEMENT_NO_SYNC},
	        range(CODE + 4, 2, INSN_OTHER, true),
	};
	struct past_accesses_of of = {.subject = x1, .writes = true, .end = 3, .most = 9};
	struct past_accesses found;
	struct text said = {0};
	struct past_names names;
	struct program p;

	(void)state;
	BEGIN(&p, MOV_X1_7, NOP, MOV_X0_X1);
	put_u64(p.x[0], 0x100);
	finish(&p, elements, 3);
	found = find(&p, of);
	assert_int_equal(found.count, 2);
	assert_told(&found, 0, PAST_POSSIBLE, 0);
	assert_false(found.all[0].code.is_there);
	assert_told(&found, 1, PAST_PROVED, 0);
	names = (struct past_names){.history = p.f.history};
	past_accesses_format(&names, &found, &said);
	assert_non_null(strstr(said.data, "possible: whether it was done is not known\n"));
	assert_non_null(strstr(said.data, "#2   0  0x1000: write, after it 0x7\n"));
	text_fini(&said);
	past_accesses_fini(&found);
	of.subject = word;
	found = find(&p, of);
	assert_int_equal(found.count, 1);
	assert_told(&found, 0, PAST_POSSIBLE, 0);
	past_accesses_fini(&found);
	end(&p);
}

static void accesses_of_what_is_not_reconstructed(void **state)
{
	const struct past_accesses_of of = {
	        .subject = {.number = REGISTER_PC}, .writes = true, .end = 2, .most = 9};
	struct past_accesses found;
	struct program p;

	(void)state;
	BEGIN(&p, NOP, NOP);
	run(&p, COUNT);
	assert_int_equal(past_accesses_find(p.values, &of, &found), STATUS_UNSUPPORTED);
	past_accesses_fini(&found);
	end(&p);
}

/* Snapshot and trace disagree: nothing is known of what was written. */
static void accesses_where_nothing_is_known_are_blind(void **state)
{
	struct past_accesses_of of = {.subject = x1, .writes = true, .end = 2, .most = 9};
	struct past_accesses found;
	struct program p;

	(void)state;
	BEGIN(&p, MOV_X1_7, NOP);
	run(&p, COUNT);
	for (unsigned int i = 0; i < 3; i++) {
		of.subject = i == 1 ? word : x1;
		of.forward = i == 2;
		found = find(&p, of);
		assert_int_equal(found.count, 1);
		assert_int_equal(found.all[0].verdict, PAST_BLIND);
		assert_int_equal(found.all[0].position, of.forward ? 0 : 1);
		assert_int_equal(found.all[0].last, of.forward ? 1 : 0);
		past_accesses_fini(&found);
	}
	end(&p);
}

/*
 *	0 mov x1, #7
 *	1 mov x0, x1
 *	2 mov x1, #7		the same again: one stretch
 *	3 add x1, x1, #5
 */
static void stretches_have_no_hole_and_equal_ones_are_one(void **state)
{
	struct past_stretches_of of = {.subject = x1, .first = 0, .last = 4, .most = 9};
	struct past_stretches found;
	struct program p;

	(void)state;
	BEGIN(&p, MOV_X1_7, MOV_X0_X1, MOV_X1_7, ADD_X1_X1_5);
	put_u64(p.x[0], 7);
	put_u64(p.x[1], 12);
	run(&p, COUNT);
	assert_int_equal(past_stretches_find(p.values, &of, &found), STATUS_OK);
	assert_int_equal(found.count, 3);
	assert_int_equal(found.all[0].first, 4);
	assert_int_equal(found.all[0].last, 4);
	assert_int_equal(found.all[0].value.bits.value, 12);
	assert_int_equal(found.all[1].first, 1);
	assert_int_equal(found.all[1].last, 3);
	assert_int_equal(found.all[1].value.bits.value, 7);
	assert_int_equal(found.all[2].first, 0);
	assert_int_equal(found.all[2].last, 0);
	assert_int_equal(found.all[2].value.bits.known, 0);
	assert_false(found.is_cut);
	past_stretches_fini(&found);
	of.most = 1;
	of.first = 2;
	of.last = 3;
	assert_int_equal(past_stretches_find(p.values, &of, &found), STATUS_OK);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.all[0].first, 2);
	assert_int_equal(found.all[0].last, 3);
	assert_false(found.is_cut);
	past_stretches_fini(&found);
	end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(accesses_to_memory_are_told_the_youngest_first),
	        cmocka_unit_test(accesses_of_a_pair_that_are_possible_have_no_value),
	        cmocka_unit_test(accesses_of_a_register_in_both_directions),
	        cmocka_unit_test(accesses_in_a_gap_are_possible),
	        cmocka_unit_test(accesses_of_what_is_not_reconstructed),
	        cmocka_unit_test(accesses_where_nothing_is_known_are_blind),
	        cmocka_unit_test(stretches_have_no_hole_and_equal_ones_are_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
