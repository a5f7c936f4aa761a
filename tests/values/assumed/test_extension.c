/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A solution under more suppositions is that which solving anew under all of them finds
 * (replay/values/solver/extension.c). In: programs with stores of unknown address. Out: all SSA
 * values and words of memory of both.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "replay/values/solver/solver.h"
#include "tests/values/adversary.h"

#define LDR_X5_X2_8   UINT32_C(0xf9400445)
#define LDR_X6_X2_16  UINT32_C(0xf9400846)
#define STR_X19_X5    UINT32_C(0xf90000b3)
#define STR_X4_X6     UINT32_C(0xf90000c4)
#define STXR_W5_X4_X3 UINT32_C(0xc8057c64)

enum {
	STORES = 3, /* two that have their addresses from memory, and one that may have failed */
	ACCESSES = 7,
	INSTRUCTIONS = 13,
};

static const uint32_t code[INSTRUCTIONS] = {
        LDR_X5_X2_8, STR_X19_X5, LDR_X6_X2_16, STR_X4_X6, STXR_W5_X4_X3, LDR_X1_X2, LDR_X1_X2_8,
        MOV_X0_0,    MOV_X3_0,   MOV_X4_0,     MOV_X5_0,  MOV_X6_0,      NOP,
};

/* Accesses by number from the end of the window, which the stores are. */
static const size_t stores[STORES] = {ACCESSES - 1 - 1, ACCESSES - 1 - 3, ACCESSES - 1 - 4};

/* Where the loads read, where nothing reads, and the other words of suppositions. */
static const uint64_t places[] = {
        SUPPOSED_NOT, SUPPOSED_NOWHERE, DATA, DATA + 8, DATA + 16, DATA + 0x80, DATA + 0x84,
};

enum { PLACES = sizeof(places) / sizeof(places[0]) };

static void begin_it(struct program *p, struct solve_options *options)
{
	static const unsigned int overwritten[] = {0, 3, 4, 5, 6};

	begin(p, code, INSTRUCTIONS);
	for (size_t i = 0; i < sizeof(overwritten) / sizeof(overwritten[0]); i++)
		set(p, overwritten[i], 0);
	set(p, 1, DATA + 0x80);
	put_u64(p->data + 8, DATA + 0x80);
	put_u64(p->data + 16, DATA + 0x100);
	run(p);
	assert_true(values_window(p->values, 0, values_allowed(p->values), options));
}

static void suppose_nothing(struct suppositions *supposed)
{
	*supposed = (struct suppositions){
	        .of = malloc(ACCESSES * sizeof(*supposed->of)),
	        .count = ACCESSES,
	};
	assert_non_null(supposed->of);
	for (size_t i = 0; i < ACCESSES; i++)
		supposed->of[i] = SUPPOSED_NOT;
}

/* All that `less` knows, and nothing else of it. */
static void assert_has(struct bits more, struct bits less)
{
	assert_true((less.known & ~more.known) == 0);
	assert_true(((less.value ^ more.value) & less.known) == 0);
}

/* All that is known of the window is known there, too, if anything is. */
static void assert_knows(const struct solver *more, const struct solver *less)
{
	assert_false(less->has_conflict && !more->has_conflict);
	if (more->has_conflict)
		return;
	for (uint32_t i = 0; i < less->w.ssa_count; i++)
		assert_has(more->ssa_values[i], less->ssa_values[i]);
	for (uint64_t at = DATA; at < DATA + 0x108; at += 8) {
		for (uint64_t position = 0; position <= INSTRUCTIONS; position++)
			assert_has(solve_granule(more, position, at),
			           solve_granule(less, position, at));
	}
}

static void assert_same(const struct solver *a, const struct solver *b)
{
	assert_knows(a, b);
	assert_knows(b, a);
}

/* What is supposed of the stores that read their addresses is not known to be wrong. */
static bool is_true_of(const struct solver *s, const size_t at[STORES])
{
	for (unsigned int i = 0; i < 2; i++) {
		struct bits address = solve_register(s, 1 + 2 * i, REG_X0 + 5 + i);

		if (places[at[i]] < SUPPOSED_SPARES && address.known == UINT64_MAX &&
		    address.value != places[at[i]])
			return false;
	}
	return true;
}

/*
 * All places of the three stores: at once, and one by one, which finds more: what follows while
 * a store may have gone anywhere, as which words it may have hit at all, holds still. What is
 * supposed of a store whose address has come to light on the way is not looked at.
 */
static void extension_says_what_solving_anew_says(void **state)
{
	struct solve_options options;
	struct suppositions supposed;
	struct program p;
	struct solver of;
	size_t conflicts = 0;

	(void)state;
	begin_it(&p, &options);
	suppose_nothing(&supposed);
	assert_int_equal(solve_init(&of, p.history, &options), STATUS_OK);
	assert_int_equal(of.memory.access_count, ACCESSES);
	options.supposed = &supposed;
	for (size_t n = 0; n < PLACES * PLACES * PLACES; n++) {
		const size_t at[STORES] = {n % PLACES, n / PLACES % PLACES, n / PLACES / PLACES};
		struct solver steps[STORES];
		struct solver anew;
		struct solver once;

		for (size_t i = 0; i < STORES; i++)
			supposed.of[stores[i]] = places[at[i]];
		assert_int_equal(solve_init(&anew, p.history, &options), STATUS_OK);
		assert_int_equal(solve_extend(&once, &of, &supposed, false), STATUS_OK);
		assert_same(&anew, &once);
		conflicts += anew.has_conflict;
		for (size_t i = 0; i < STORES; i++)
			supposed.of[stores[i]] = SUPPOSED_NOT;
		for (size_t i = STORES; i-- > 0;) {
			supposed.of[stores[i]] = places[at[i]];
			assert_int_equal(solve_extend(&steps[i],
			                              i + 1 < STORES ? &steps[i + 1] : &of,
			                              &supposed, false),
			                 STATUS_OK);
		}
		if (is_true_of(&steps[0], at))
			assert_knows(&steps[0], &anew);
		for (size_t i = 0; i < STORES; i++)
			solve_fini(&steps[i]);
		solve_fini(&once);
		solve_fini(&anew);
	}
	assert_true(conflicts > 0 && conflicts < PLACES * PLACES * PLACES);
	solve_fini(&of);
	suppositions_fini(&supposed);
	end(&p);
}

/* What it was made from stays what it was, and what takes its place has the window. */
static void solution_is_replaced(void **state)
{
	struct solve_options options;
	struct suppositions supposed;
	struct program p;
	struct solver before;
	struct solver of;
	struct solver s;

	(void)state;
	begin_it(&p, &options);
	suppose_nothing(&supposed);
	for (size_t i = 0; i < STORES; i++)
		supposed.of[stores[i]] = SUPPOSED_NOWHERE;
	assert_int_equal(solve_init(&before, p.history, &options), STATUS_OK);
	assert_int_equal(solve_init(&of, p.history, &options), STATUS_OK);
	assert_int_equal(solve_extend(&s, &of, &supposed, false), STATUS_OK);
	assert_same(&before, &of);
	assert_int_equal(solve_register(&of, 1, REG_X0 + 5).known, 0);
	assert_int_equal(solve_register(&s, 1, REG_X0 + 5).value, DATA + 0x80);
	solve_replace(&of, &s);
	assert_int_equal(solve_register(&of, 1, REG_X0 + 5).value, DATA + 0x80);
	solve_fini(&s);
	solve_fini(&of);
	solve_fini(&before);
	suppositions_fini(&supposed);
	end(&p);
}

/* What contradicts is passed over by who guesses. */
static void lenient_extension_has_no_conflict(void **state)
{
	struct solve_options options;
	struct suppositions supposed;
	struct program p;
	struct solver of;
	struct solver s;

	(void)state;
	begin_it(&p, &options);
	suppose_nothing(&supposed);
	supposed.of[stores[0]] = DATA + 8;
	supposed.of[stores[1]] = SUPPOSED_NOWHERE;
	supposed.of[stores[2]] = SUPPOSED_NOWHERE;
	assert_int_equal(solve_init(&of, p.history, &options), STATUS_OK);
	for (unsigned int lenient = 0; lenient < 2; lenient++) {
		assert_int_equal(solve_extend(&s, &of, &supposed, lenient != 0), STATUS_OK);
		assert_int_equal(s.has_conflict, lenient == 0);
		solve_fini(&s);
	}
	solve_fini(&of);
	suppositions_fini(&supposed);
	end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(extension_says_what_solving_anew_says),
	        cmocka_unit_test(solution_is_replaced),
	        cmocka_unit_test(lenient_extension_has_no_conflict),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
