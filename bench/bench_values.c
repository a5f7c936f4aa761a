/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the reconstruction of values costs: opens a session, solves windows of its first core with
 * a history, and asks for all registers as the first `g` after an attach does.
 *
 *	bench_values SNAPSHOT [BACK]
 *
 * In: a snapshot; how many instructions before the halt the large window begins (default: all).
 * Out: lines "NAME VALUE" on stdout, times in nanoseconds of the processor, the median of several
 * runs; memory in bytes, as the allocator counts what is in use.
 */
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "arch/register.h"
#include "base/diag.h"
#include "bench/report.h"
#include "replay/history/history.h"
#include "replay/session/session.h"
#include "replay/values/solver/solver.h"
#include "replay/values/values.h"
#include "snapshot/snapshot.h"

enum {
	RUNS = 7,
	DEFAULT_WINDOW = 10000, /* instructions: the first one solved */
	GROWN_WINDOW = 160000,  /* that it grows to for a debugger's registers */
};

static uint64_t now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

static uint64_t in_use(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

static void say_median(const char *name, uint64_t times[RUNS])
{
	qsort(times, RUNS, sizeof(times[0]), compare_times);
	say(name, times[RUNS / 2]);
}

/* Opens the session anew each time: a plain decode of the same trace. */
static struct session *bench_open(const struct snapshot *snapshot, struct diag_list *diags)
{
	struct session *session = NULL;
	uint64_t times[RUNS];

	for (size_t i = 0; i < RUNS; i++) {
		uint64_t begin = now();

		session_destroy(session);
		begin = now();
		must(session_open(snapshot, &(struct history_options){.threads = 1}, diags,
		                  &session),
		     "session");
		times[i] = now() - begin;
	}
	say_median("open", times);
	return session;
}

/* The window of the last `back` instructions, to the fixed point. */
static void bench_solve(const struct history *history, uint64_t back, bool single_writer)
{
	uint64_t length = history_length(history);
	struct solve_options options = {
	        .window = {length - (back < length ? back : length), length, true, false},
	        .single_writer = single_writer,
	};
	uint64_t times[RUNS];
	struct solver solver;

	for (size_t i = 0; i < RUNS; i++) {
		uint64_t before = in_use();
		uint64_t begin = now();

		must(solve_init(&solver, history, &options), "solve");
		times[i] = now() - begin;
		if (i == RUNS - 1) {
			say("solve_bytes", in_use() - before);
			say("solve_steps", solver.w.dyn_count);
			say("solve_runs", solver.runs);
		}
		solve_fini(&solver);
	}
	say_median("solve", times);
}

/* All registers one instruction before the halt, as the first `g` after an attach asks. */
static void bench_first(const char *name, const struct history *history,
                        const struct values_options *options)
{
	uint64_t length = history_length(history);
	uint64_t times[RUNS];

	for (size_t i = 0; i < RUNS; i++) {
		uint64_t begin = now();
		struct values *values = values_create(history, options);
		struct value value;

		must(values ? STATUS_OK : STATUS_NO_MEM, "values");
		for (unsigned int reg = A64_x0; reg <= A64_v31; reg++)
			values_register(values, length > 0 ? length - 1 : 0, reg, &value);
		times[i] = now() - begin;
		values_destroy(values);
	}
	say_median(name, times);
}

int main(int argc, char **argv)
{
	struct snapshot_options options = {0};
	struct snapshot *snapshot = NULL;
	struct diag_list diags = {0};
	struct values_options allowed;
	const struct history *history;
	struct session *session;
	size_t core = 0;
	uint64_t back;

	if (argc < 2 || argc > 3) {
		(void)fprintf(stderr, "usage: bench_values SNAPSHOT [BACK]\n");
		return 2;
	}
	must(snapshot_open(argv[1], &options, &diags, &snapshot), "snapshot");
	session = bench_open(snapshot, &diags);
	while (core < session_core_count(session) &&
	       history_length(session_history(session, core)) == 0)
		core++;
	must(core < session_core_count(session) ? STATUS_OK : STATUS_NOT_FOUND, "a history");
	history = session_history(session, core);
	allowed = values_options_of(session_core_count(session));
	back = argc == 3 ? strtoull(argv[2], NULL, 10) : history_length(history);
	say("instructions", back < history_length(history) ? back : history_length(history));
	bench_solve(history, back, allowed.single_writer);
	allowed.register_window = DEFAULT_WINDOW;
	bench_first("first", history, &allowed);
	allowed.register_window = GROWN_WINDOW;
	bench_first("first_grown", history, &allowed);
	session_destroy(session);
	snapshot_destroy(snapshot);
	diag_list_fini(&diags);
	return 0;
}
