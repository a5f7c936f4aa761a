/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watchpoints on accesses that are reconstructed: which instruction is the first that a move meets,
 * which may be one, and of which nothing is known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/session/watch.h"
#include "tests/values/made_a64.h"

#define NOP          UINT32_C(0xd503201f)
#define STRB_W1_X2_3 UINT32_C(0x39000c41)

/* What a move finds: nothing if `position` is NOWHERE. */
enum { NOWHERE = 99 };

/*
 *	0 str x1, [x2]		8 bytes at DATA
 *	1 nop
 *	2 ldr x0, [x2]		the same
 *	3 str x1, [x2, #8]	those after
 *	4 strb w1, [x2, #3]	one of the first
 *	5 nop
 */
static void begin_watched(struct program *p)
{
	BEGIN(p, STR_X1_X2, NOP, LDR_X0_X2, STR_X1_X2_8, STRB_W1_X2_3, NOP);
	/* Byte 3 of 0x100 was zero before it was stored there again. */
	put_u64(p->x[0], 0x100);
	put_u64(p->data, 0x100);
	put_u64(p->data + 8, 0x100);
	run(p, COUNT);
}

static void assert_hit(struct program *p, struct watch watch, struct values_range range,
                       uint64_t position, uint64_t address)
{
	const struct watch_source source = {.values = p->values};
	struct watch_list list = {.stops_after = true};

	assert_int_equal(watch_add(&list, &watch), STATUS_OK);
	for (unsigned int after = 0; after < 2; after++) {
		struct watch_hit hit;
		bool found;

		list.stops_after = after != 0;
		found = watch_find(&list, &source, &range, NULL, &hit);
		assert_int_equal(found, position != NOWHERE);
		if (!found)
			continue;
		assert_int_equal(hit.access.position, position);
		assert_int_equal(hit.access.address, address);
		assert_int_equal(hit.watch.address, watch.address);
		/* Forward with the instruction done, if so asked; backward with it undone. */
		assert_int_equal(hit.stop, position + (range.forward ? after : !after));
	}
	free(list.items);
}

static void watch_finds_the_first_access_of_its_kind(void **state)
{
	static const struct {
		struct watch watch;
		uint64_t first_forward;
		uint64_t first_backward;
		uint64_t address; /* forward, and of the one backward */
		uint64_t address_backward;
	} cases[] = {
	        {{WATCH_WRITE, DATA_AT, 8}, 0, 4, DATA_AT, DATA_AT + 3},
	        {{WATCH_READ, DATA_AT, 8}, 2, 2, DATA_AT, DATA_AT},
	        {{WATCH_ACCESS, DATA_AT, 8}, 0, 4, DATA_AT, DATA_AT + 3},
	        {{WATCH_ACCESS, DATA_AT, 1}, 0, 2, DATA_AT, DATA_AT},
	        {{WATCH_WRITE, DATA_AT + 7, 1}, 0, 0, DATA_AT + 7, DATA_AT + 7},
	        {{WATCH_WRITE, DATA_AT + 7, 2}, 0, 3, DATA_AT + 7, DATA_AT + 8},
	        {{WATCH_WRITE, DATA_AT + 8, 1}, 3, 3, DATA_AT + 8, DATA_AT + 8},
	        {{WATCH_WRITE, DATA_AT + 15, 4}, 3, 3, DATA_AT + 15, DATA_AT + 15},
	        {{WATCH_READ, DATA_AT + 8, 8}, NOWHERE, NOWHERE, 0, 0},
	        {{WATCH_ACCESS, DATA_AT + 16, 8}, NOWHERE, NOWHERE, 0, 0},
	        {{WATCH_ACCESS, DATA_AT - 8, 8}, NOWHERE, NOWHERE, 0, 0},
	        {{WATCH_ACCESS, DATA_AT - 8, 9}, 0, 2, DATA_AT, DATA_AT},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct program p;

		begin_watched(&p);
		assert_hit(&p, cases[i].watch, (struct values_range){0, 6, true},
		           cases[i].first_forward, cases[i].address);
		assert_hit(&p, cases[i].watch, (struct values_range){0, 6, false},
		           cases[i].first_backward, cases[i].address_backward);
		end(&p);
	}
}

/* The first position is in the range, the last is not. */
static void watch_looks_at_no_instruction_outside_of_its_range(void **state)
{
	static const struct watch reads = {WATCH_READ, DATA_AT, 8};
	static const struct {
		uint64_t first;
		uint64_t last;
		bool is_found;
	} cases[] = {{0, 6, true},  {2, 3, true},  {2, 6, true},  {0, 3, true},
	             {0, 2, false}, {3, 6, false}, {2, 2, false}, {4, 2, false}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (unsigned int forward = 0; forward < 2; forward++) {
			struct program p;

			begin_watched(&p);
			assert_hit(
			        &p, reads,
			        (struct values_range){cases[i].first, cases[i].last, forward != 0},
			        cases[i].is_found ? 2 : NOWHERE, DATA_AT);
			end(&p);
		}
	}
}

/* Of several the one that the move meets first; of one instruction the one that was set first. */
static void watch_that_is_met_first_wins(void **state)
{
	static const struct watch all[] = {{WATCH_READ, DATA_AT, 8},
	                                   {WATCH_WRITE, DATA_AT + 8, 8},
	                                   {WATCH_WRITE, DATA_AT, 1},
	                                   {WATCH_WRITE, DATA_AT + 1, 1},
	                                   {WATCH_READ, DATA_AT + 8, 8}};
	struct watch_list list = {.items = NULL};
	struct watch_source source;
	struct watch_hit hit;
	struct program p;

	(void)state;
	begin_watched(&p);
	source = (struct watch_source){.values = p.values};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		assert_int_equal(watch_add(&list, &all[i]), STATUS_OK);
	assert_true(watch_find(&list, &source, &(struct values_range){0, 6, true}, NULL, &hit));
	assert_int_equal(hit.access.position, 0);
	assert_int_equal(hit.watch.address, DATA_AT);
	assert_int_equal(hit.watch.kind, WATCH_WRITE);
	assert_true(watch_find(&list, &source, &(struct values_range){0, 6, false}, NULL, &hit));
	assert_int_equal(hit.access.position, 3);
	assert_int_equal(hit.watch.address, DATA_AT + 8);
	assert_true(watch_find(&list, &source, &(struct values_range){0, 3, false}, NULL, &hit));
	assert_int_equal(hit.access.position, 2);
	watch_remove(&list, &all[2]);
	watch_remove(&list, &(struct watch){WATCH_WRITE, DATA_AT, 2}); /* none */
	assert_int_equal(list.count, 4);
	assert_true(watch_find(&list, &source, &(struct values_range){0, 6, true}, NULL, &hit));
	assert_int_equal(hit.watch.address, DATA_AT + 1);
	source.values = NULL; /* nobody knows */
	assert_false(watch_find(&list, &source, &(struct values_range){0, 6, true}, NULL, &hit));
	free(list.items);
	end(&p);
}

static void watch_list_has_each_once(void **state)
{
	struct watch watch = {WATCH_WRITE, DATA_AT, WATCH_MOST};
	struct watch_list list = {.items = NULL};

	(void)state;
	assert_int_equal(watch_add(&list, &watch), STATUS_OK);
	assert_int_equal(watch_add(&list, &watch), STATUS_OK);
	assert_int_equal(list.count, 1);
	watch.size = WATCH_MOST + 1;
	assert_int_equal(watch_add(&list, &watch), STATUS_UNSUPPORTED);
	watch.size = 0;
	assert_int_equal(watch_add(&list, &watch), STATUS_UNSUPPORTED);
	assert_int_equal(list.count, 1);
	for (unsigned int i = 0; i < 3; i++) { /* another in one of them */
		watch = (struct watch){i == 0 ? WATCH_READ : WATCH_WRITE,
		                       i == 1 ? DATA_AT + 1 : DATA_AT, i == 2 ? 1 : WATCH_MOST};
		assert_int_equal(watch_add(&list, &watch), STATUS_OK);
		assert_int_equal(list.count, 2 + i);
	}
	watch_remove(&list, &list.items[0]);
	assert_int_equal(list.count, 3);
	free(list.items);
}

static struct values_may_alias doubt_of(struct program *p, const struct watch *watches,
                                        size_t count, struct values_range range)
{
	const struct watch_source source = {.values = p->values};
	struct watch_list list = {.items = NULL};
	struct values_may_alias doubt;

	for (size_t i = 0; i < count; i++)
		assert_int_equal(watch_add(&list, &watches[i]), STATUS_OK);
	watch_may_alias(&list, &source, &range, &doubt);
	free(list.items);
	return doubt;
}

/* Two wild stores: the second would show if it had hit the data, the first may be what it shows. */
static void store_of_unknown_address_is_a_doubt(void **state)
{
	static const struct watch words[] = {
	        {WATCH_WRITE, DATA_AT, 8}, {WATCH_READ, DATA_AT, 8}, {WATCH_WRITE, DATA_AT + 8, 8}};
	struct values_may_alias d;
	struct program p;

	(void)state;
	BEGIN(&p, NOP, STR_X4_X3, NOP, STR_X4_X3, NOP, MOV_X3_0, MOV_X4_0);
	run(&p, COUNT);
	d = doubt_of(&p, words, 1, (struct values_range){0, 7, true});
	assert_int_equal(d.count, 2);
	assert_int_equal(d.position, 1);
	assert_int_equal(d.blind_first, d.blind_last);
	d = doubt_of(&p, words, 1, (struct values_range){0, 7, false});
	assert_int_equal(d.count, 2);
	assert_int_equal(d.position, 3);
	d = doubt_of(&p, words, 1, (struct values_range){2, 7, true});
	assert_int_equal(d.count, 1);
	assert_int_equal(d.position, 3);
	d = doubt_of(&p, words, 1, (struct values_range){0, 3, false});
	assert_int_equal(d.count, 1);
	assert_int_equal(d.position, 1);
	d = doubt_of(&p, words + 1, 1, (struct values_range){0, 7, true});
	assert_int_equal(d.count, 0); /* no store is a read */
	d = doubt_of(&p, words, 3, (struct values_range){0, 7, true});
	assert_int_equal(d.count, 4); /* each may be to either word */
	assert_int_equal(d.position, 1);
	d = doubt_of(&p, words, 1, (struct values_range){2, 2, true});
	assert_int_equal(d.count, 0);
	end(&p);
}

static void load_of_unknown_address_is_a_doubt_of_reads(void **state)
{
	static const struct watch watches[] = {
	        {WATCH_WRITE, DATA_AT, 8}, {WATCH_READ, DATA_AT, 8}, {WATCH_ACCESS, DATA_AT, 8}};
	struct program p;

	(void)state;
	BEGIN(&p, NOP, UINT32_C(0xf9400080), MOV_X0_1, MOV_X4_0); /* ldr x0, [x4] */
	put_u64(p.x[0], 1);
	run(&p, COUNT);
	for (unsigned int i = 0; i < 3; i++) {
		struct values_may_alias d =
		        doubt_of(&p, &watches[i], 1, (struct values_range){0, 4, true});

		assert_int_equal(d.count, i == 0 ? 0 : 1);
		if (d.count > 0)
			assert_int_equal(d.position, 1);
	}
	end(&p);
}

/* Where trace and snapshot disagree nothing is known of any instruction. */
static void contradiction_is_a_blind_range(void **state)
{
	static const struct watch word = {WATCH_WRITE, DATA_AT, 8};
	struct values_may_alias d;
	struct program p;

	(void)state;
	BEGIN(&p, STR_X1_X2, ADD_X1_X1_5);
	put_u64(p.x[1], 0x105);
	run(&p, COUNT);
	d = doubt_of(&p, &word, 1, (struct values_range){0, 2, true});
	assert_int_equal(d.count, 0);
	assert_int_equal(d.blind_first, 0);
	assert_int_equal(d.blind_last, 2);
	assert_hit(&p, word, (struct values_range){0, 2, true}, NOWHERE, 0);
	end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(watch_finds_the_first_access_of_its_kind),
	        cmocka_unit_test(watch_looks_at_no_instruction_outside_of_its_range),
	        cmocka_unit_test(watch_that_is_met_first_wins),
	        cmocka_unit_test(watch_list_has_each_once),
	        cmocka_unit_test(store_of_unknown_address_is_a_doubt),
	        cmocka_unit_test(load_of_unknown_address_is_a_doubt_of_reads),
	        cmocka_unit_test(contradiction_is_a_blind_range),
	};

	(void)open_fixture;
	(void)run_of;
	(void)x1_value;
	(void)assert_is;
	(void)assert_unknown;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
