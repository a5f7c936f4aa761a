/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a debugger's requests cost inside the stub: opens a session and times steps, continues,
 * seeks and searches in it, without the wire.
 *
 *	bench_session SNAPSHOT [ADDRESS]
 *
 * In: a snapshot; the address in hex of an instruction executed once, at or near the oldest
 * position (default: that of the oldest instruction). Out: lines "NAME VALUE" on stdout, times in
 * nanoseconds; a time that was taken often has its median and its 99th percentile. It measures the
 * first core with a history.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/diag.h"
#include "base/str.h"
#include "bench/report.h"
#include "replay/history/history.h"
#include "replay/session/session.h"
#include "snapshot/snapshot.h"

enum {
	SAMPLES = 20001,
	SEARCHES = 21,
	PC_NUMBER = 0, /* the PC is the first register of every description */
};

struct bench {
	struct session *session;
	const struct history *history;
	size_t core;
	uint64_t length;
	uint64_t random;
	uint64_t times[SAMPLES];
};

static uint64_t now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

/* A field of /proc/self/status, in KiB; 0 where the system does not say. */
static uint64_t own_memory(const char *field)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[256];
	size_t length = strlen(field);
	uint64_t kib = 0;

	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, field, length) == 0)
			kib = strtoull(line + length, NULL, 10);
	if (file)
		(void)fclose(file);
	return kib;
}

/* The same positions in every run: xorshift64. */
static uint64_t random_position(struct bench *b)
{
	b->random ^= b->random << 13;
	b->random ^= b->random >> 7;
	b->random ^= b->random << 17;
	return b->random % (b->length + 1);
}

static void say_times(struct bench *b, const char *name, size_t count)
{
	char full[64];

	qsort(b->times, count, sizeof(b->times[0]), compare_times);
	(void)snprintf(full, sizeof(full), "%s_median", name);
	say(full, b->times[count / 2]);
	(void)snprintf(full, sizeof(full), "%s_99", name);
	say(full, b->times[count * 99 / 100]);
}

/* What every stop asks for: a session that only notes the position would seem free. */
static void read_pc(struct bench *b)
{
	struct value value;

	session_register(b->session, b->core, PC_NUMBER, &value);
}

static void do_step_back(struct bench *b)
{
	(void)session_step(b->session, b->core, DIRECTION_BACKWARD);
}

static void do_continue_back(struct bench *b)
{
	(void)session_continue(b->session, b->core, DIRECTION_BACKWARD, NULL, NULL);
}

static void do_continue_forward(struct bench *b)
{
	(void)session_continue(b->session, b->core, DIRECTION_FORWARD, NULL, NULL);
}

static void do_seek(struct bench *b)
{
	must(session_seek(b->session, b->core, random_position(b)), "seek");
}

enum stand { STAND_BEGIN, STAND_END, STAND_ANY };

static const struct {
	const char *name;
	enum stand from; /* where the core stands before; getting there is not timed */
	void (*request)(struct bench *b);
} requests[] = {
        {"step_back_at_end", STAND_END, do_step_back},
        {"step_back_anywhere", STAND_ANY, do_step_back},
        {"step_back_at_begin", STAND_BEGIN, do_step_back},
        {"continue_back_at_begin", STAND_BEGIN, do_continue_back},
        {"continue_at_end", STAND_END, do_continue_forward},
        {"seek", STAND_ANY, do_seek},
};

static void bench_requests(struct bench *b)
{
	for (size_t r = 0; r < sizeof(requests) / sizeof(requests[0]); r++) {
		for (size_t i = 0; i < SAMPLES; i++) {
			uint64_t from = requests[r].from == STAND_BEGIN ? 0
			                : requests[r].from == STAND_END ? b->length
			                                                : random_position(b);
			uint64_t begin;

			must(session_seek(b->session, b->core, from), "seek");
			begin = now();
			requests[r].request(b);
			read_pc(b);
			b->times[i] = now() - begin;
		}
		say_times(b, requests[r].name, SAMPLES);
	}
}

/* How long a search goes on without asking whether to stop. */
struct silence {
	uint64_t asked;
	uint64_t longest;
};

static void note_silence(struct silence *silence)
{
	uint64_t t = now();

	if (t - silence->asked > silence->longest)
		silence->longest = t - silence->asked;
	silence->asked = t;
}

static bool ask_silence(void *context)
{
	note_silence(context);
	return false;
}

/* From the halt back to the one place that executed `address`, over all gaps. */
static void bench_search(struct bench *b, uint64_t address)
{
	struct silence silence = {0, 0};
	struct history_search search = {&address, 1, ask_silence, &silence};
	uint64_t found = 0;

	for (size_t i = 0; i < SEARCHES; i++) {
		uint64_t begin = now();

		silence.asked = begin;
		must(history_find_backward(b->history, &search, b->length, 0, &found), "search");
		b->times[i] = now() - begin;
		note_silence(&silence);
		if (i == 0)
			say("search_first", b->times[0]);
	}
	say("search_found_at", found);
	say("search_silence", silence.longest);
	say_times(b, "search", SEARCHES);
}

/* The same by continues of which each stops at every gap, so that there are many. */
static void bench_continues(struct bench *b, uint64_t address)
{
	uint64_t begin = now();
	uint64_t count = 0;
	struct stop stop;

	session_set_gap_policy(b->session, GAP_POLICY_STOP);
	must(session_break_set(b->session, address), "breakpoint");
	must(session_seek(b->session, b->core, b->length), "seek");
	do {
		stop = session_continue(b->session, b->core, DIRECTION_BACKWARD, NULL, NULL);
		count++;
	} while (stop.reason == STOP_GAP);
	say("continues", now() - begin);
	say("continue_count", count);
	say("continues_found", stop.reason == STOP_BREAKPOINT);
	session_break_clear_all(b->session);
}

static void bench_session(struct bench *b, const char *address_text)
{
	uint64_t address = 0;

	while (b->core < session_core_count(b->session) &&
	       history_length(session_history(b->session, b->core)) == 0)
		b->core++;
	if (b->core == session_core_count(b->session)) {
		(void)fprintf(stderr, "bench_session: no core has a history\n");
		exit(1);
	}
	b->history = session_history(b->session, b->core);
	b->length = history_length(b->history);
	say("instructions", b->length);
	if (address_text)
		address = strtoull(address_text, NULL, 16);
	else
		must(history_pc(b->history, 0, &address), "the oldest instruction");
	bench_search(b, address);
	bench_continues(b, address);
	bench_requests(b);
}

int main(int argc, char **argv)
{
	static struct bench bench = {.random = 0x9e3779b97f4a7c15U};
	struct snapshot_options options = {0};
	struct snapshot *snapshot = NULL;
	struct diag_list diags = {0};
	uint64_t anonymous;
	uint64_t begin;

	if (argc < 2 || argc > 3) {
		(void)fprintf(stderr, "usage: bench_session SNAPSHOT [ADDRESS]\n");
		return 2;
	}
	must(snapshot_open(argv[1], &options, &diags, &snapshot), "snapshot");
	anonymous = own_memory("RssAnon:");
	begin = now();
	must(session_open(snapshot, &(struct history_options){0}, &diags, &bench.session),
	     "session");
	say("open", now() - begin);
	say("opened_kib", own_memory("RssAnon:") - anonymous);
	bench_session(&bench, argc == 3 ? argv[2] : NULL);
	/* Some of it may be made when it is first needed. */
	say("used_kib", own_memory("RssAnon:") - anonymous);
	session_destroy(bench.session);
	snapshot_destroy(snapshot);
	diag_list_fini(&diags);
	return 0;
}
