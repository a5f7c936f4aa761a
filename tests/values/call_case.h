/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of small programs, and what replay/values/solver/abi.h has to find of them. In: programs
 * whose first instruction calls number 3 and goes on at number 1. Included once a test program.
 */
#ifndef CSREPLAY_TESTS_VALUES_CALL_CASE_H
#define CSREPLAY_TESTS_VALUES_CALL_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/values/solver/solver.h"

enum { CALLS_MOST = 3, RESTORES_SEEN = 2, RUNS_MOST = 12, FUNCTION = 3 };

/* Instructions that were executed one after the other; the last one is a branch. */
struct run {
	uint32_t first;
	uint32_t count;
};

/* What abi_init() finds of a call; steps. */
struct found {
	uint32_t begin;
	uint32_t end;                     /* 0: there is no call */
	uint32_t same;                    /* registers that are kept, but are not the same node */
	uint32_t restored[RESTORES_SEEN]; /* loads of what was saved; 0: no more */
	bool keeps_sp;
};

static void check_call(const struct abi *abi, const struct abi_call *call,
                       const struct found *found)
{
	uint32_t restores = 0;

	while (restores < RESTORES_SEEN && found->restored[restores] > 0)
		restores++;
	assert_int_equal(call->begin, found->begin);
	assert_int_equal(call->dyn, found->end);
	assert_int_equal(call->count, found->same);
	assert_int_equal(call->keeps_sp, found->keeps_sp);
	assert_int_equal(call->restore_count, restores);
	for (uint32_t i = 0; i < restores; i++)
		assert_int_equal(abi->restores[call->restores + i], found->restored[i]);
}

static void check_calls(const struct history *history, const struct found *calls)
{
	struct solve_options options = {.single_writer = true, .abi = true};
	size_t count = 0;
	struct solver s;

	options.window =
	        (struct window_options){.to = history_length(history), .handler_preserves = true};
	assert_int_equal(solve_init(&s, history, &options), STATUS_OK);
	while (count < CALLS_MOST && calls[count].end > 0)
		count++;
	assert_int_equal(s.abi.call_count, count);
	for (size_t i = 0; i < count; i++)
		check_call(&s.abi, &s.abi.calls[i], &calls[i]);
	solve_fini(&s);
}

#endif
