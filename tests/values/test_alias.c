/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of the past where accesses overlap. In: the programs of alias_program.h from fixed seeds,
 * with their state at the end. Out: failure, with the seed, where a value, a window or a watchpoint
 * disagrees with what was executed, and where hardly anything is said at all.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "replay/values/solver/solver.h"
#include "replay/values/values_access.h"
#include "tests/values/alias_program.h"

enum {
	PROGRAMS = 300,
	DENSE_PROGRAMS = 8500,
	SHARED_PROGRAMS = 300,
	LONG_PROGRAMS = 150,
	WINDOWS = 2, /* of each program */
};

struct trial {
	uint64_t seed;
	struct alias_program truth;
	struct program p;
};

/* How much was said, that silence does not pass. */
struct tally {
	uint64_t registers, registers_known;
	uint64_t bytes, bytes_known;
	uint64_t changes, changes_found;
	uint64_t solved; /* bits of registers and memory that windows know */
	uint64_t runs;   /* of steps, to find that out */
};

static void check_registers(const struct trial *t, uint64_t position, struct tally *tally)
{
	for (unsigned int x = 0; x < XS; x++) {
		uint64_t truth = t->truth.at[position].x[x];
		struct value v;

		values_register(t->p.values, position, A64_x0 + x, &v);
		tally->registers++;
		tally->registers_known += value_is_known(&v);
		for (unsigned int i = 0; i < 8; i++) {
			if (((v.bits[i] ^ (uint8_t)(truth >> 8 * i)) & v.known[i]) != 0)
				fail_msg("seed %" PRIu64 ": X%u at %" PRIu64 " was %" PRIx64,
				         t->seed, x, position, truth);
		}
	}
}

static void check_memory(const struct trial *t, uint64_t position, struct tally *tally)
{
	for (unsigned int i = 0; i < MEMORY; i++) {
		uint8_t truth = t->truth.at[position].memory[i];
		uint8_t byte;

		tally->bytes++;
		if (values_memory(t->p.values, position, DATA + (uint64_t)i, &byte, 1) == 0)
			continue;
		tally->bytes_known++;
		if (byte != truth)
			fail_msg("seed %" PRIu64 ": byte %u at %" PRIu64 " was %02x, not %02x",
			         t->seed, i, position, truth, byte);
	}
}

static void check_values(const struct trial *t, struct tally *tally)
{
	struct text trouble = {0};

	for (uint64_t position = 0; position <= t->truth.steps; position++) {
		check_registers(t, position, tally);
		check_memory(t, position, tally);
	}
	why_trouble(t->p.values, &trouble);
	if (trouble.length > 0)
		fail_msg("seed %" PRIu64 ": %s", t->seed, trouble.data);
	text_fini(&trouble);
}

static bool is_right(struct bits said, uint64_t truth)
{
	return ((said.value ^ truth) & said.known) == 0;
}

static void check_solved(const struct trial *t, const struct solver *s, uint64_t position,
                         struct tally *tally)
{
	const struct machine *truth = &t->truth.at[position];

	for (unsigned int x = 0; x < XS; x++) {
		struct bits said = solve_register(s, position, REG_X0 + x);

		tally->solved += (uint64_t)__builtin_popcountll(said.known);
		if (!is_right(said, truth->x[x]))
			fail_msg("seed %" PRIu64 ": X%u at %" PRIu64 " of a window was %" PRIx64,
			         t->seed, x, position, truth->x[x]);
	}
	for (unsigned int i = 0; i < MEMORY; i += 8) {
		struct bits said = solve_granule(s, position, DATA + (uint64_t)i);

		tally->solved += (uint64_t)__builtin_popcountll(said.known);
		if (!is_right(said, get(truth, i, 8)))
			fail_msg("seed %" PRIu64 ": word %u at %" PRIu64
			         " of a window was %" PRIx64,
			         t->seed, i / 8, position, get(truth, i, 8));
	}
}

static void check_window(const struct trial *t, uint64_t from, uint64_t to, struct tally *tally)
{
	const struct solve_options options = {.window = {from, to, true},
	                                      .single_writer = !t->truth.is_shared};
	struct solver s;

	assert_int_equal(solve_init(&s, t->p.history, &options), STATUS_OK);
	if (s.has_conflict)
		fail_msg("seed %" PRIu64 ": conflict in %" PRIu64 " to %" PRIu64, t->seed, from,
		         to);
	for (uint64_t position = from; position <= to; position++)
		check_solved(t, &s, position, tally);
	tally->runs += s.runs;
	solve_fini(&s);
}

/* The last one ends at the halt. */
static void check_windows(struct trial *t, struct tally *tally)
{
	unsigned int steps = (unsigned int)t->truth.steps;

	for (unsigned int i = 1; i <= WINDOWS; i++) {
		unsigned int from = one_of(&t->truth, steps);
		unsigned int length = 1 + one_of(&t->truth, steps - from);

		check_window(t, from, i == WINDOWS ? steps : from + length, tally);
	}
}

/* Whoever watches the word is stopped there, or told that it may have been there. */
static void check_change(const struct trial *t, uint64_t step, unsigned int word,
                         struct tally *tally)
{
	const struct values_range range = {step, step + 1, true};
	const struct values_target target = {
	        .address = DATA + 8 * (uint64_t)word, .size = 8, .writes = true};
	struct values_access access;
	struct values_may_alias doubt;

	tally->changes++;
	if (values_find_access(t->p.values, &range, &target, &access)) {
		tally->changes_found++;
		return;
	}
	values_find_may_alias(t->p.values, &range, &target, &doubt);
	if (doubt.count == 0 && doubt.blind_first == doubt.blind_last)
		fail_msg("seed %" PRIu64 ": missed that %" PRIu64 " changed word %u", t->seed, step,
		         word);
}

/* Accesses as they are met. */
struct met {
	const struct trial *t;
	bool forward;
	bool any;
	uint64_t last;          /* position */
	uint8_t at[STEPS_MOST]; /* verdict and 1; 0: not met */
};

static bool take(void *context, const struct values_access *access)
{
	struct met *met = context;
	uint64_t end = access->position;

	if (met->any && (met->forward ? end <= met->last : end >= met->last))
		fail_msg("seed %" PRIu64 ": %" PRIu64 " is met after %" PRIu64, met->t->seed, end,
		         met->last);
	met->any = true;
	if (access->verdict == VALUES_BLIND)
		end = access->last;
	met->last = end;
	for (uint64_t at = access->position;; at += met->forward ? 1 : UINT64_MAX) {
		met->at[at] = (uint8_t)(access->verdict + 1);
		if (at == end)
			return true;
	}
}

/* Who goes through all of the history meets each change, and the same whichever way. */
static void check_visit(const struct trial *t, unsigned int word)
{
	const struct values_target target = {
	        .address = DATA + 8 * (uint64_t)word, .size = 8, .writes = true};
	struct met met[2];

	for (unsigned int forward = 0; forward < 2; forward++) {
		const struct values_range all = {0, t->truth.steps, forward != 0};

		met[forward] = (struct met){.t = t, .forward = all.forward};
		assert_int_equal(
		        values_visit_accesses(t->p.values, &all, &target, take, &met[forward]),
		        STATUS_OK);
	}
	for (uint64_t step = 0; step < t->truth.steps; step++) {
		if (met[0].at[step] == 0 && (t->truth.changed[step] >> word & 1) != 0)
			fail_msg("seed %" PRIu64 ": %" PRIu64 " is not met", t->seed, step);
	}
	assert_memory_equal(met[0].at, met[1].at, sizeof(met[0].at));
}

static void check_watchpoints(const struct trial *t, struct tally *tally)
{
	for (unsigned int word = 0; word < MEMORY / 8; word++)
		check_visit(t, word);
	for (uint64_t step = 0; step < t->truth.steps; step++) {
		for (unsigned int word = 0; word < MEMORY / 8; word++) {
			if ((t->truth.changed[step] >> word & 1) != 0)
				check_change(t, step, word, tally);
		}
	}
}

/* Runs what was executed, of whose end the registers and what the dump holds are known. */
static void run_program(struct trial *t)
{
	const struct machine *last = &t->truth.at[t->truth.steps];

	begin(&t->p, t->truth.code, t->truth.count);
	memcpy(t->p.runs, t->truth.runs, sizeof(t->p.runs));
	memcpy(t->p.data, last->memory, MEMORY);
	for (unsigned int x = 0; x < XS; x++)
		set(&t->p, x, last->x[x]);
	if (one_of(&t->truth, 4) == 0)
		t->p.data_size = 1 + one_of(&t->truth, MEMORY);
	t->p.other_cores = t->truth.is_shared;
	run(&t->p);
}

/* Programs of a kind; what else there is to a program is of its seed. */
static struct tally check_programs(uint64_t count, const struct alias_program *kind)
{
	static struct trial t;
	struct tally tally = {0};

	t.truth = *kind;
	for (t.seed = 0; t.seed < count / TEST_SHARE; t.seed++) {
		alias_program_make(&t.truth, t.seed);
		run_program(&t);
		check_values(&t, &tally);
		check_windows(&t, &tally);
		check_watchpoints(&t, &tally);
		end(&t.p);
	}
	return tally;
}

/*
 * So much was said when the engine was last changed: programs and answers are the same on every
 * machine. Whoever changes what is said writes it down here, and why if it is less. It is of all
 * programs: where only a share of them ran, what counts is that nothing said was wrong.
 */
static void assert_says(const struct tally *t, struct tally written)
{
	print_message("known: %" PRIu64 " of %" PRIu64 " registers, %" PRIu64 " of %" PRIu64
	              " bytes, %" PRIu64 " of %" PRIu64 " changes; windows: %" PRIu64
	              " bits in %" PRIu64 " runs\n",
	              t->registers_known, t->registers, t->bytes_known, t->bytes, t->changes_found,
	              t->changes, t->solved, t->runs);
	if (TEST_SHARE > 1)
		return;
	assert_int_equal(t->registers_known, written.registers_known);
	assert_int_equal(t->bytes_known, written.bytes_known);
	assert_int_equal(t->changes_found, written.changes_found);
	assert_int_equal(t->solved, written.solved);
	assert_int_equal(t->runs, written.runs);
}

static void accesses_of_few_words_are_right(void **state)
{
	static const struct alias_program kind = {.is_dense = false};
	struct tally tally = check_programs(PROGRAMS, &kind);

	(void)state;
	assert_says(&tally, (struct tally){.registers_known = 25514,
	                                   .bytes_known = 241948,
	                                   .changes_found = 346,
	                                   .solved = 2718201,
	                                   .runs = 2695});
}

static void accesses_of_long_programs_are_right(void **state)
{
	static const struct alias_program kind = {.is_long = true};
	struct tally tally = check_programs(LONG_PROGRAMS, &kind);

	(void)state;
	assert_says(&tally, (struct tally){.registers_known = 116615,
	                                   .bytes_known = 843557,
	                                   .changes_found = 2124,
	                                   .solved = 9749917,
	                                   .runs = 18355});
}

static void accesses_that_nearly_all_overlap_are_right(void **state)
{
	static const struct alias_program kind = {.is_dense = true};
	struct tally tally = check_programs(DENSE_PROGRAMS, &kind);

	(void)state;
	assert_says(&tally, (struct tally){.registers_known = 526895,
	                                   .bytes_known = 4617447,
	                                   .changes_found = 4293,
	                                   .solved = 60451206,
	                                   .runs = 38742});
}

static void accesses_between_those_of_another_core_are_right(void **state)
{
	static const struct alias_program kind = {.is_shared = true};
	struct tally tally = check_programs(SHARED_PROGRAMS, &kind);

	(void)state;
	assert_says(&tally, (struct tally){.registers_known = 23993,
	                                   .bytes_known = 16789,
	                                   .changes_found = 286,
	                                   .solved = 1431591,
	                                   .runs = 2588});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(accesses_of_few_words_are_right),
	        cmocka_unit_test(accesses_of_long_programs_are_right),
	        cmocka_unit_test(accesses_that_nearly_all_overlap_are_right),
	        cmocka_unit_test(accesses_between_those_of_another_core_are_right),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
