/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The assumed tier: where stores of unknown address went, if that is coherent
 * (replay/values/solver/coherent.c), marked apart from what is proved. In: programs whose pointer
 * lies at DATA and is DATA + 0x80 at the end. Out: the words that are known at their start, and
 * whether they are proved.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "replay/history/interrupt.h"
#include "replay/values/solver/solver.h"
#include "tests/values/adversary.h"

#define LDR_X3_X2      UINT32_C(0xf9400043)
#define STR_X4_X2      UINT32_C(0xf9000044)
#define LDR_X5_X2_8    UINT32_C(0xf9400445)
#define STR_X4_X5      UINT32_C(0xf90000a4)
#define STR_X4_X0_M128 UINT32_C(0xf8180004) /* stur x4, [x0, #-128] */
#define LDR_X0_X3      UINT32_C(0xf9400060)
#define STXR_W5_X4_X3  UINT32_C(0xc8057c64)

enum { FORGETS = 4 };

/* X0, X3, X4 and X5 as they were are lost. */
static const uint32_t forgets[FORGETS] = {MOV_X0_0, MOV_X3_0, MOV_X4_0, MOV_X5_0};

static void run_it(struct program *p, const uint32_t *opcodes, size_t count)
{
	static const unsigned int overwritten[] = {0, 3, 4, 5};
	uint32_t code[CODE_MOST];

	memcpy(code, opcodes, count * sizeof(*code));
	memcpy(code + count, forgets, sizeof(forgets));
	begin(p, code, count + FORGETS);
	for (size_t i = 0; i < sizeof(overwritten) / sizeof(overwritten[0]); i++)
		set(p, overwritten[i], 0);
	put_u64(p->data, DATA + 0x80);
	put_u64(p->data + 8, DATA + 0x100);
	assumes_coherent = true;
	run(p);
	assumes_coherent = false;
}

static bool is_proved(struct program *p, uint64_t address)
{
	bool proved;

	values_proved_only(p->values, true);
	proved = bytes_known(p, 0, address) == 8;
	values_proved_only(p->values, false);
	return proved;
}

/* Pointers are what they are at the end, if the stores through them hit none. */
static void store_goes_where_its_pointer_says(void **state)
{
	static const uint32_t code[] = {LDR_X0_X2, STR_X4_X0, LDR_X5_X2_8, STR_X4_X5};
	struct program p;
	struct value value;

	(void)state;
	run_it(&p, code, 4);
	assert_int_equal(bytes_known(&p, 0, DATA), 8);
	assert_int_equal(bytes_known(&p, 0, DATA + 8), 8);
	assert_false(is_proved(&p, DATA));
	assert_false(is_proved(&p, DATA + 8));
	/* What was overwritten is not known in either tier. */
	assert_int_equal(bytes_known(&p, 0, DATA + 0x80), 0);
	assert_int_equal(bytes_known(&p, 0, DATA + 0x100), 0);
	assert_int_equal(bytes_known(&p, 0, DATA + 0x200), 8);
	assert_false(is_proved(&p, DATA + 0x200));
	values_register(p.values, 1, A64_x0, &value);
	assert_true(value_is_known(&value) && value.is_assumed);
	assert_int_equal(value_u64(&value), DATA + 0x80);
	/* A register that is proved is not marked. */
	values_register(p.values, 1, A64_x0 + 2, &value);
	assert_true(value_is_known(&value) && !value.is_assumed);
	values_proved_only(p.values, true);
	values_register(p.values, 1, A64_x0, &value);
	assert_false(value_is_known(&value));
	end(&p);
}

/* A range of up to 256 bytes, and a store that may have failed: one access each, at its place. */
static void what_may_have_written_there_goes_where_its_pointer_says(void **state)
{
	static const uint32_t writes[] = {SVE_ST1B, STXR_W5_X4_X3};

	(void)state;
	for (size_t i = 0; i < sizeof(writes) / sizeof(writes[0]); i++) {
		const uint32_t code[] = {LDR_X3_X2, writes[i]};
		struct program p;

		run_it(&p, code, 2);
		assert_int_equal(bytes_known(&p, 0, DATA), 8);
		assert_false(is_proved(&p, DATA));
		assert_int_equal(bytes_known(&p, 0, DATA + 0x80), 0);
		assert_int_equal(bytes_known(&p, 0, DATA + 0x178) == 8, writes[i] == STXR_W5_X4_X3);
		assert_int_equal(bytes_known(&p, 0, DATA + 0x180), 8);
		end(&p);
	}
}

/* Who was interrupted gets the answer the next time. */
static void interrupted_assumption_is_looked_at_again(void **state)
{
	static const uint32_t code[] = {LDR_X0_X2, STR_X4_X0, LDR_X5_X2_8, STR_X4_X5};
	struct interrupt interrupt = {.has_come = false};
	struct values_options options;
	struct values *values;
	struct program p;
	struct value value;

	(void)state;
	run_it(&p, code, 4);
	options = *values_allowed(p.values);
	options.interrupt = &interrupt;
	values = values_create(p.history, &options);
	assert_non_null(values);
	values_proved_only(values, true);
	values_register(values, 1, A64_x0, &value);
	values_proved_only(values, false);
	interrupt.has_come = true;
	values_register(values, 1, A64_x0, &value);
	assert_false(value_is_known(&value));
	interrupt.has_come = false;
	values_register(values, 1, A64_x0, &value);
	assert_true(value_is_known(&value) && value.is_assumed);
	values_destroy(values);
	end(&p);
}

struct met {
	uint64_t position[4];
	enum values_assumed supposed[4];
	size_t count;
};

static bool take(void *context, const struct values_access *access)
{
	struct met *met = context;

	assert_true(met->count < 4);
	assert_int_equal(access->verdict, VALUES_POSSIBLE);
	met->position[met->count] = access->position;
	met->supposed[met->count++] = access->supposed;
	return true;
}

/*
 * Possible they stay: that is what is proved. A store goes where its pointer leads, or hit what
 * that was read from (points_to.c).
 */
static void possible_access_is_assumed_to_be_somewhere(void **state)
{
	static const struct {
		uint64_t address;
		size_t count;
		enum values_assumed first; /* of the store at position 1 */
		enum values_assumed last;  /* at 3, or the same one */
	} cases[] = {
	        {DATA, 2, SUPPOSED_ELSEWHERE, SUPPOSED_ELSEWHERE},
	        {DATA + 0x80, 1, SUPPOSED_THERE, SUPPOSED_THERE},
	        {DATA + 0x100, 2, SUPPOSED_ELSEWHERE, SUPPOSED_THERE},
	};
	static const uint32_t code[] = {LDR_X0_X2, STR_X4_X0, LDR_X5_X2_8, STR_X4_X5};
	struct program p;

	(void)state;
	run_it(&p, code, 4);
	for (unsigned int i = 0; i < 6; i++) {
		const struct values_target target = {cases[i / 2].address, 8, false, true};
		const struct values_range all = {0, 4, true};
		bool proved_only = i % 2 == 1;
		struct met met = {.count = 0};

		values_proved_only(p.values, proved_only);
		assert_int_equal(values_visit_accesses(p.values, &all, &target, take, &met),
		                 STATUS_OK);
		assert_int_equal(met.count, cases[i / 2].count);
		assert_int_equal(met.position[0], 1);
		assert_int_equal(met.supposed[0], proved_only ? SUPPOSED_OPEN : cases[i / 2].first);
		assert_int_equal(met.supposed[met.count - 1],
		                 proved_only ? SUPPOSED_OPEN : cases[i / 2].last);
	}
	end(&p);
}

/* Supposed to hit nothing it would hit its own pointer: that is not coherent. */
static void store_that_hits_its_pointer_stays_unknown(void **state)
{
	static const uint32_t code[] = {LDR_X0_X2, STR_X4_X0_M128};
	struct program p;
	struct value value;

	(void)state;
	run_it(&p, code, 2);
	assert_int_equal(bytes_known(&p, 0, DATA), 0);
	values_register(p.values, 1, A64_x0, &value);
	assert_false(value_is_known(&value));
	assert_true(is_proved(&p, DATA + 0x200));
	end(&p);
}

/* What was supposed of a shorter window and not accepted here is not what comes out. */
static void what_was_not_accepted_does_not_come_out(void **state)
{
	static const uint32_t code[] = {STR_X4_X2, LDR_X3_X2};
	struct solve_options options;
	struct suppositions supposed;
	struct program p;
	struct solver s;

	(void)state;
	run_it(&p, code, 2);
	assert_true(values_window(p.values, 0, values_allowed(p.values), &options));
	supposed = (struct suppositions){.of = malloc(2 * sizeof(uint64_t)), .count = 2};
	assert_non_null(supposed.of);
	supposed.of[0] = SUPPOSED_NOT;
	supposed.of[1] = SUPPOSED_NOWHERE; /* of the store, whose address is known */
	assert_int_equal(coherent_init(&s, p.history, &options, &supposed), STATUS_OK);
	for (size_t i = 0; i < supposed.count; i++)
		assert_true(supposed.of[i] == SUPPOSED_NOT);
	solve_fini(&s);
	suppositions_fini(&supposed);
	end(&p);
}

/* Without stores of unknown address there is nothing to assume. */
static void what_is_proved_is_not_marked(void **state)
{
	static const uint32_t code[] = {LDR_X3_X2, LDR_X0_X3};
	struct program p;

	(void)state;
	run_it(&p, code, 2);
	assert_true(is_proved(&p, DATA));
	assert_true(is_proved(&p, DATA + 0x80));
	end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(store_goes_where_its_pointer_says),
	        cmocka_unit_test(what_may_have_written_there_goes_where_its_pointer_says),
	        cmocka_unit_test(interrupted_assumption_is_looked_at_again),
	        cmocka_unit_test(possible_access_is_assumed_to_be_somewhere),
	        cmocka_unit_test(store_that_hits_its_pointer_stays_unknown),
	        cmocka_unit_test(what_was_not_accepted_does_not_come_out),
	        cmocka_unit_test(what_is_proved_is_not_marked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
