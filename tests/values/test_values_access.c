/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accesses as they are met: those that are proved, those that may be one, stretches of which
 * nothing is known. What was executed is in each test's first comment.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/history/interrupt.h"
#include "tests/values/made_a64.h"

#define NOP            UINT32_C(0xd503201f)
#define STP_X1_X4_X2   UINT32_C(0xa9001041)
#define STP_X1_X4_X3   UINT32_C(0xa9001061)
#define LDR_X0_X4      UINT32_C(0xf9400080)
#define STRB_W4_X3     UINT32_C(0x39000064)
#define UNKNOWN_OPCODE UINT32_C(0x00c0ffee)

enum { MOST = 16 };

struct met {
	struct values_access all[MOST];
	size_t count;
	size_t wanted;
};

static bool take(void *context, const struct values_access *access)
{
	struct met *met = context;

	assert_true(met->count < MOST);
	met->all[met->count++] = *access;
	return met->count < met->wanted;
}

static struct met visit(struct program *p, struct values_range range, struct values_target target)
{
	struct met met = {.wanted = MOST + 1};

	assert_int_equal(values_visit_accesses(p->values, &range, &target, take, &met), STATUS_OK);
	return met;
}

static void assert_met(const struct met *met, size_t i, enum values_verdict verdict,
                       uint64_t position)
{
	assert_true(i < met->count);
	assert_int_equal(met->all[i].verdict, verdict);
	assert_int_equal(met->all[i].position, position);
}

/*
 *	0 str x1, [x2]
 *	1 str x4, [x3]		X3 is not known: it may be to DATA
 *	2 str x4, [x3]
 *	3 str x1, [x2]		but what it writes is not X4
 *	4 str x4, [x3]		this one would show
 */
static void accesses_come_in_the_order_of_the_move(void **state)
{
	static const struct values_target word = {DATA_AT, 8, false, true};
	struct program p;
	struct met met;

	(void)state;
	BEGIN(&p, STR_X1_X2, STR_X4_X3, STR_X4_X3, STR_X1_X2, STR_X4_X3, MOV_X3_0, NOP);
	put_u64(p.data, 0x100);
	put_u64(p.data + 8, 0x100);
	put_u64(p.x[4], UINT64_C(0x4444444444444444));
	run(&p, COUNT);
	met = visit(&p, (struct values_range){0, 7, true}, word);
	assert_int_equal(met.count, 4);
	assert_met(&met, 0, VALUES_PROVED, 0);
	assert_int_equal(met.all[0].address, DATA_AT);
	assert_met(&met, 1, VALUES_POSSIBLE, 1);
	assert_met(&met, 2, VALUES_POSSIBLE, 2);
	assert_met(&met, 3, VALUES_PROVED, 3);
	met = visit(&p, (struct values_range){0, 7, false}, word);
	assert_int_equal(met.count, 4);
	assert_met(&met, 0, VALUES_PROVED, 3);
	assert_met(&met, 1, VALUES_POSSIBLE, 2);
	assert_met(&met, 2, VALUES_POSSIBLE, 1);
	assert_met(&met, 3, VALUES_PROVED, 0);
	/* Of the range alone. */
	met = visit(&p, (struct values_range){1, 3, false}, word);
	assert_int_equal(met.count, 2);
	assert_met(&met, 0, VALUES_POSSIBLE, 2);
	assert_met(&met, 1, VALUES_POSSIBLE, 1);
	met = visit(&p, (struct values_range){2, 2, true}, word);
	assert_int_equal(met.count, 0);
	end(&p);
}

static void visit_ends_when_no_more_is_wanted(void **state)
{
	static const struct values_range all = {0, 4, false};
	static const struct values_target word = {DATA_AT, 8, false, true};
	struct program p;

	(void)state;
	BEGIN(&p, STR_X1_X2, STR_X1_X2, STR_X1_X2, NOP);
	put_u64(p.data, 0x100);
	run(&p, COUNT);
	for (size_t wanted = 1; wanted <= 3; wanted++) {
		struct met met = {.wanted = wanted};

		assert_int_equal(values_visit_accesses(p.values, &all, &word, take, &met),
		                 STATUS_OK);
		assert_int_equal(met.count, wanted);
		assert_met(&met, wanted - 1, VALUES_PROVED, 3 - wanted);
	}
	end(&p);
}

/* A pair is two accesses, or one of unknown place twice. */
static void instruction_is_met_once(void **state)
{
	static const struct values_target words = {DATA_AT, 16, false, true};
	struct program p;

	(void)state;
	BEGIN(&p, STP_X1_X4_X2, STP_X1_X4_X3, MOV_X3_0, MOV_X4_0, MOV_X1_7);
	put_u64(p.x[1], 7);
	run(&p, COUNT);
	for (unsigned int forward = 0; forward < 2; forward++) {
		struct met met = visit(&p, (struct values_range){0, 5, forward != 0}, words);

		assert_int_equal(met.count, 2);
		assert_met(&met, forward ? 0 : 1, VALUES_PROVED, 0);
		assert_met(&met, forward ? 1 : 0, VALUES_POSSIBLE, 1);
		assert_int_equal(met.all[forward ? 0 : 1].address, DATA_AT + (forward ? 0 : 8));
	}
	end(&p);
}

/*
 *	0 str x4, [x3]		what it stored is not what byte 0 is after it; bytes 1 to 7 are
 *	1 strb w1, [x2]		covered
 */
static void store_shows_by_what_is_found_after_it(void **state)
{
	static const struct values_range all = {0, 5, false};
	struct program p;
	struct met met;

	(void)state;
	BEGIN(&p, STR_X4_X3, UINT32_C(0x39000041), MOV_X3_0, NOP, NOP);
	put_u64(p.x[1], 0x88);
	run(&p, COUNT);
	/* X4 at the halt is 0, and the data is not. */
	met = visit(&p, all, (struct values_target){DATA_AT + 1, 7, false, true});
	assert_int_equal(met.count, 0);
	/* It can't have hit the byte without the others. */
	met = visit(&p, all, (struct values_target){DATA_AT, 8, false, true});
	assert_met(&met, 0, VALUES_PROVED, 1);
	end(&p);
}

static void load_may_be_a_read_alone(void **state)
{
	static const struct values_range all = {0, 4, true};
	struct program p;
	struct met met;

	(void)state;
	BEGIN(&p, NOP, LDR_X0_X4, MOV_X0_1, MOV_X4_0);
	put_u64(p.x[0], 1);
	run(&p, COUNT);
	met = visit(&p, all, (struct values_target){DATA_AT, 8, true, false});
	assert_int_equal(met.count, 1);
	assert_met(&met, 0, VALUES_POSSIBLE, 1);
	met = visit(&p, all, (struct values_target){DATA_AT, 8, false, true});
	assert_int_equal(met.count, 0);
	end(&p);
}

/* Where snapshot and trace disagree nothing is known. */
static void blind_stretch_is_one(void **state)
{
	static const struct values_target word = {DATA_AT, 8, true, true};
	struct program p;
	struct met met;

	(void)state;
	BEGIN(&p, NOP, STR_X1_X2, ADD_X1_X1_5, NOP);
	put_u64(p.x[1], 0x105);
	run(&p, COUNT);
	met = visit(&p, (struct values_range){1, 4, true}, word);
	assert_int_equal(met.count, 1);
	assert_met(&met, 0, VALUES_BLIND, 1);
	assert_int_equal(met.all[0].last, 3);
	met = visit(&p, (struct values_range){1, 4, false}, word);
	assert_int_equal(met.count, 1);
	assert_met(&met, 0, VALUES_BLIND, 3);
	assert_int_equal(met.all[0].last, 1);
	end(&p);
}

/* It may have written code, so that what ran before it is not known. */
static void window_begins_after_what_it_cannot_cross(void **state)
{
	static const struct values_target word = {DATA_AT, 8, false, true};
	static const uint32_t ic_iallu = UINT32_C(0xd508751f);
	struct text why = {0};
	struct program p;
	struct met met;

	(void)state;
	BEGIN(&p, NOP, STR_X4_X3, NOP, MOV_X3_0, MOV_X4_0, STR_X1_X2, NOP);
	put_u64(p.data, 0x100);
	for (unsigned int k = 0; k < 4; k++)
		p.code[8 + k] = (uint8_t)(ic_iallu >> 8 * k);
	run(&p, COUNT);
	met = visit(&p, (struct values_range){0, 7, true}, word);
	assert_int_equal(met.count, 2);
	assert_met(&met, 0, VALUES_BLIND, 0);
	assert_int_equal(met.all[0].last, 2);
	assert_met(&met, 1, VALUES_PROVED, 5);
	met = visit(&p, (struct values_range){0, 7, false}, word);
	assert_int_equal(met.count, 2);
	assert_met(&met, 0, VALUES_PROVED, 5);
	assert_met(&met, 1, VALUES_BLIND, 2);
	assert_int_equal(met.all[1].last, 0);
	values_why_blind(p.values, &why);
	text_char(&why, '\0');
	assert_memory_equal(why.data, "a store of unknown address may have written code ", 49);
	text_fini(&why);
	end(&p);
}

static bool always(void *context)
{
	(void)context;
	return true;
}

static void interrupt_is_no_answer(void **state)
{
	static const struct values_range all = {0, 2, false};
	static const struct values_target word = {DATA_AT, 8, false, true};
	struct interrupt interrupt = {.asked = always};
	struct met met = {.wanted = MOST};
	struct values *values;
	struct program p;

	(void)state;
	BEGIN(&p, STR_X1_X2, NOP);
	put_u64(p.data, 0x100);
	run(&p, COUNT);
	p.options.interrupt = &interrupt;
	values = values_create(p.f.history, &p.options);
	assert_int_equal(values_visit_accesses(values, &all, &word, take, &met),
	                 STATUS_INTERRUPTED);
	assert_int_equal(met.count, 0);
	interrupt = (struct interrupt){.asked = NULL};
	assert_int_equal(values_visit_accesses(values, &all, &word, take, &met), STATUS_OK);
	assert_int_equal(met.count, 1);
	values_destroy(values);
	end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(accesses_come_in_the_order_of_the_move),
	        cmocka_unit_test(visit_ends_when_no_more_is_wanted),
	        cmocka_unit_test(instruction_is_met_once),
	        cmocka_unit_test(store_shows_by_what_is_found_after_it),
	        cmocka_unit_test(load_may_be_a_read_alone),
	        cmocka_unit_test(blind_stretch_is_one),
	        cmocka_unit_test(window_begins_after_what_it_cannot_cross),
	        cmocka_unit_test(interrupt_is_no_answer),
	};

	(void)open_fixture;
	(void)run_of;
	(void)assert_is;
	(void)assert_unknown;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
