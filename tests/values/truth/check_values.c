/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Says how much of the past of a recording is known from its end, and whether any of it is wrong.
 *
 *	check_values REQUESTS corpus FOLDER TRUTH MEMTRUTH
 *	check_values REQUESTS qemu a64|a32|m LOG FROM TO DUMPS [SEEN]
 *	check_values REQUESTS tarmac FILE IMAGE|- CORE
 *
 * REQUESTS are [OPTION=NUMBER...] [and OPTION=NUMBER...]...; what follows an `and` is scored as
 *what is before it, but for the options that it names.
 *
 * The end of the recording is scored, then `ends` random ends and `windows` random windows, half
 * of them with dumps that lack something. `flips`: so many ends with one bit wrong in a register,
 * in memory, in code. Exit 1 if a value is wrong, or values contradict each other, with nothing
 * flipped.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/values/truth/step.h"
#include "tests/values/truth/trial.h"

enum { REQUESTS_MOST = 8 };

struct request {
	uint64_t ends;
	uint64_t windows;
	uint64_t flips;
	uint64_t seed;
	uint64_t positions; /* next to the end, that are looked at */
	uint64_t spread;
	uint64_t words;
	uint64_t most; /* instructions before an end, at random ends */
	/* Of the first request alone, for all of them: */
	uint64_t atoms; /* not 0: the trace is ETMv3's, and says of each instruction if it was
	                   executed */
	uint64_t irqs; /* not 0: an interrupt that is not traced after about so many instructions */
	/* Of each: */
	uint64_t abi;   /* not 0: under that assumption; values may be wrong where it is violated */
	uint64_t trust; /* the same of all that can be assumed of the code */
};

struct option {
	const char *name;
	size_t offset;
};

static const struct option option_names[] = {
        {"ends=", offsetof(struct request, ends)},
        {"windows=", offsetof(struct request, windows)},
        {"flips=", offsetof(struct request, flips)},
        {"seed=", offsetof(struct request, seed)},
        {"positions=", offsetof(struct request, positions)},
        {"spread=", offsetof(struct request, spread)},
        {"words=", offsetof(struct request, words)},
        {"most=", offsetof(struct request, most)},
        {"atoms=", offsetof(struct request, atoms)},
        {"irqs=", offsetof(struct request, irqs)},
        {"abi=", offsetof(struct request, abi)},
        {"trust=", offsetof(struct request, trust)},
};

static bool take_option(struct request *request, const char *argument)
{
	for (size_t i = 0; i < sizeof(option_names) / sizeof(option_names[0]); i++) {
		size_t n = strlen(option_names[i].name);

		if (strncmp(argument, option_names[i].name, n) != 0)
			continue;
		*(uint64_t *)(void *)((char *)request + option_names[i].offset) =
		        strtoull(argument + n, NULL, 0);
		return true;
	}
	return false;
}

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 20;
}

static void print_share(struct tally t)
{
	if (t.asked > 0)
		printf(" %5.1f", 100.0 * (double)t.known / (double)t.asked);
	else
		printf("     -");
}

static void print_shares(const char *name, const struct tally *tallies, unsigned int count)
{
	printf("  %s", name);
	for (unsigned int i = 0; i < count; i++)
		print_share(tallies[i]);
}

static void print_score(const char *name, const struct score *s)
{
	printf("%-8s %5" PRIu64 " trials", name, s->trials);
	print_shares("read", s->read, DISTANCES - 1);
	print_shares("all", s->all, DISTANCES - 1);
	print_shares("memory", &s->memory, 1);
	printf("  of %" PRIu64 "  wrong %" PRIu64 "  conflicts %" PRIu64 "\n",
	       s->all[DISTANCES - 1].asked + s->memory.asked, s->wrong, s->conflicts);
}

/* The whole recording from its end. */
static void run_end(struct recording *r, const struct request *request, struct score *score)
{
	struct trial t = {.recording = r,
	                  .from = r->first,
	                  .to = r->count,
	                  .seed = request->seed,
	                  .abi = request->abi != 0,
	                  .trusts = request->trust != 0,
	                  .positions = request->positions,
	                  .spread = request->spread,
	                  .words = 4 * request->words};

	(void)trial_run(&t, score);
}

/* A part with an end somewhere. */
static struct trial random_part(struct recording *r, const struct request *request,
                                uint64_t *random)
{
	struct trial t = {.recording = r,
	                  .from = r->first,
	                  .seed = next_random(random),
	                  .abi = request->abi != 0,
	                  .trusts = request->trust != 0};
	size_t length;

	t.to = r->first + 1 + next_random(random) % (r->count - r->first);
	length = 1 + next_random(random) % request->most;
	if (next_random(random) % 2 == 0 && t.to - t.from > length)
		t.from = t.to - length;
	t.positions = 100;
	t.spread = request->spread;
	t.words = request->words;
	return t;
}

/* Leaves some instructions out. */
static void add_gap(struct trial *t, uint64_t *random)
{
	const struct recording *r = t->recording;
	struct insn_view before;
	size_t last;

	if (t->to - t->from < 10)
		return;
	t->gap_length = 1 + next_random(random) % ((t->to - t->from) / 4);
	t->gap = t->from + 2 + t->gap_length +
	         next_random(random) % (t->to - t->from - t->gap_length - 2);
	t->gap_shown = (enum gap_shown)(next_random(random) % GAPS_SHOWN);
	if (t->gap >= t->to) {
		t->gap_length = 0;
		return;
	}
	/* A gap that nothing shows has to be one that code shows. */
	last = t->gap - t->gap_length - 1;
	step_read(r, last, &before);
	if (t->gap_shown == GAP_AS_NOTHING &&
	    (before.insn.class != INSN_OTHER ||
	     r->states[t->gap].pc == r->states[last].pc + before.size))
		t->gap_shown = GAP_AS_TRACE_ON;
}

static void run_parts(struct recording *r, const struct request *request, uint64_t count,
                      bool in_windows, struct score *score)
{
	uint64_t random = request->seed + in_windows;

	for (uint64_t i = 0; i < count; i++) {
		struct trial t = random_part(r, request, &random);

		if (i % 2 != 0)
			t.dumps = (enum dumps)(i / 2 % 4);
		t.is_shared = i % 16 == 5;
		if (i % 3 == 2)
			add_gap(&t, &random);
		if (in_windows)
			t.window = 1 + next_random(&random) % request->most;
		(void)trial_run(&t, score);
	}
}

static void run_flips(struct recording *r, const struct request *request)
{
	static const char *const names[] = {"none", "register", "memory", "code"};
	uint64_t random = request->seed;

	for (unsigned int flip = FLIP_REGISTER; flip <= FLIP_CODE; flip++) {
		struct score s = {0};

		for (uint64_t i = 0; i < request->flips; i++) {
			struct trial t = random_part(r, request, &random);

			t.positions = 1000;
			t.flip = (enum flip)flip;
			(void)trial_run(&t, &s);
		}
		printf("flip %-8s: %" PRIu64 " trials, %" PRIu64 " conflicts, %" PRIu64
		       " with wrong values; %" PRIu64 " of %" PRIu64 " values wrong (%" PRIu64
		       " apart from the flipped one)\n",
		       names[flip], s.trials, s.conflicts, s.tainted, s.wrong,
		       s.all[DISTANCES - 1].known + s.memory.known, s.wrong_apart);
	}
}

static bool is_bad(const struct score *s)
{
	return s->wrong > 0 || s->conflicts > 0;
}

static int run(struct recording *r, const struct request *request)
{
	struct score scores[3] = {{.wrong = 0}};

	run_end(r, request, &scores[0]);
	print_score("end", &scores[0]);
	run_parts(r, request, request->ends, false, &scores[1]);
	run_parts(r, request, request->windows, true, &scores[2]);
	if (request->ends > 0)
		print_score("ends", &scores[1]);
	if (request->windows > 0)
		print_score("windows", &scores[2]);
	if (request->flips > 0)
		run_flips(r, request);
	return is_bad(&scores[0]) || is_bad(&scores[1]) || is_bad(&scores[2]);
}

static bool open_recording(struct recording *r, int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[0], "corpus") == 0)
		return read_corpus(r, argv[1], argv[2], argv[3]);
	if (argc == 4 && strcmp(argv[0], "tarmac") == 0)
		return read_tarmac(r, argv[1], argv[2], strtoul(argv[3], NULL, 0));
	if ((argc == 6 || argc == 7) && strcmp(argv[0], "qemu") == 0) {
		r->arch = argv[1][0] == 'm' ? CORE_M : argv[1][1] == '6' ? CORE_A64 : CORE_A32;
		r->has_security = strncmp(argv[1], "m33", 3) == 0;
		r->security = strcmp(argv[1], "m33ns") == 0 ? SECURITY_NON_SECURE : SECURITY_SECURE;
		return read_qemu(r, argv[2], strtoull(argv[3], NULL, 16),
		                 strtoull(argv[4], NULL, 16), argv[5], argc == 7 ? argv[6] : NULL);
	}
	printf("usage: see the file's first lines\n");
	return false;
}

static void add_between(struct recording *r, size_t position, const struct element *e)
{
	recording_room((void *)&r->betweens, &r->between_capacity, r->between_count,
	               sizeof(*r->betweens));
	r->betweens[r->between_count++] = (struct between){position, *e};
}

/* Interrupts whose handlers are not traced, where nothing else is. */
static void add_interrupts(struct recording *r, uint64_t about, uint64_t random)
{
	enum { IRQ = 14 };
	struct between *old = r->betweens;
	size_t old_count = r->between_count;
	size_t next = 0;

	r->betweens = NULL;
	r->between_count = 0;
	r->between_capacity = 0;
	for (size_t at = r->first + 1; at <= r->count; at++) {
		struct element e = {.type = ELEMENT_EXCEPTION};
		bool has_other = next < old_count && old[next].position <= at;

		for (; next < old_count && old[next].position <= at; next++)
			add_between(r, old[next].position, &old[next].element);
		if (has_other || next_random(&random) % about != 0)
			continue;
		e.exception.number = IRQ;
		e.exception.has_return_address = true;
		e.exception.return_address = r->states[at].pc;
		add_between(r, at, &e);
		add_between(r, at, &(struct element){.type = ELEMENT_TRACE_ON});
	}
	free(old);
}

/* The requests that the arguments begin with; how many arguments these are. */
static int take_requests(int argc, char **argv, struct request *requests, size_t *count)
{
	int i = 1;

	requests[0] =
	        (struct request){.positions = 10000, .spread = 100, .words = 100, .most = 20000};
	*count = 1;
	for (; i < argc; i++) {
		if (*count < REQUESTS_MOST && strcmp(argv[i], "and") == 0) {
			requests[*count] = requests[*count - 1];
			++*count;
		} else if (!take_option(&requests[*count - 1], argv[i])) {
			break;
		}
	}
	return i;
}

int main(int argc, char **argv)
{
	static struct recording recording;
	struct request requests[REQUESTS_MOST];
	size_t count;
	int taken = take_requests(argc, argv, requests, &count);
	int failed = 0;

	if (!open_recording(&recording, argc - taken, argv + taken))
		return 2;
	if (requests[0].atoms != 0)
		recording.protocol = PROTOCOL_ETM3;
	if (requests[0].irqs != 0)
		add_interrupts(&recording, requests[0].irqs, requests[0].seed);
	printf("%zu instructions, %zu changes of memory\n", recording.count - recording.first,
	       recording.change_count);
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			printf("and\n");
		failed |= run(&recording, &requests[i]);
	}
	recording_fini(&recording);
	return failed;
}
