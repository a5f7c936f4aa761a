/* SPDX-License-Identifier: Apache-2.0 */
/* Suppositions on stores of unknown address, batch by batch from the end; see coherent.h. */
#include "replay/values/solver/coherent.h"

#include <stdlib.h>
#include <string.h>

#include "replay/values/solver/memdep_clobber.h"
#include "replay/values/solver/solver.h"
#include "replay/values/ssa/ssa.h"

enum {
	WINDOW_LEAST = 512, /* instructions of the first window */
	WINDOW_GROWTH = 4,
	/* Stores of which a round takes the addresses after those that are settled, at least. */
	AHEAD = 8,
	IDLE_MOST = 4,    /* rounds that find nothing more */
	ROUNDS_MOST = 16, /* in which addresses settle from the end on */
	BATCHES_MOST = 8,
	DROPS_MOST = 12,    /* rounds that drop what does not follow again */
	CULPRITS_MOST = 16, /* stores that lead to contradictions */
	/* Instructions that are solved in all, at least, and of a long window. */
	WORK_LEAST = 3 << 20,
	WORK_TIMES = 24,
};

struct coherence {
	const struct history *history;
	struct solve_options options;
	struct solver *best; /* without suppositions, or under those that were accepted */
	struct suppositions *accepted;
	struct suppositions trial; /* they are not yet, or will not be */
	uint64_t work;             /* instructions that may still be solved */
	uint32_t *batch;           /* stores of unknown address, the last one first */
	size_t batch_count;
	bool has_conflicted; /* a guess in this window led to a contradiction */
};

/* What a round has found of the addresses of the batch. */
struct guessed {
	size_t settled; /* from the end on, so many are what they were before */
	size_t changed;
};

/* A way to guess the addresses of a batch; *settled: of how many of it, from the end on. */
typedef enum status guess_way(struct coherence *c, size_t *settled);

static uint64_t *supposed_at(const struct solver *s, struct suppositions *supposed, uint32_t access)
{
	return &supposed->of[s->memory.access_count - 1 - access];
}

/* Makes room for one an access; of new ones nothing is supposed. */
static enum status make_room(struct suppositions *supposed, size_t count)
{
	uint64_t *of;

	if (count <= supposed->count)
		return STATUS_OK;
	of = realloc(supposed->of, count * sizeof(*of));
	if (!of)
		return STATUS_NO_MEM;
	for (size_t i = supposed->count; i < count; i++)
		of[i] = SUPPOSED_NOT;
	supposed->of = of;
	supposed->count = count;
	return STATUS_OK;
}

/* A store, or what writes a range, to an address that is not known. */
static bool is_open_store(const struct solver *s, uint32_t access)
{
	const struct memdep_access *a = &s->memory.accesses[access];

	return a->kind != ACCESS_LOAD && a->index != ACCESS_KILL && a->state == ACCESS_OPEN &&
	       (~a->address.known & ADDRESS_BITS) != 0 && supposed_of(s, access) == SUPPOSED_NOT;
}

/* Where the access goes by the values that were found; false if not all of that is known. */
static bool address_of(const struct solver *s, uint32_t access, uint64_t *address)
{
	struct bits found = memdep_address(s, &s->memory.accesses[access]);

	*address = found.value & ADDRESS_BITS;
	return (~found.known & ADDRESS_BITS) == 0;
}

/* A store can go there: not to what is read only, nor to code that is what it was. */
static bool is_writable(const struct solver *s, uint64_t address)
{
	struct memdep_granule granule =
	        memdep_known_granule(s, memdep_canonical(address) & ~UINT64_C(7));
	uint8_t byte = (uint8_t)(1u << (address & 7));

	return ((granule.contents.constant | granule.contents.code) & byte) == 0;
}

static enum status solve_trial(struct coherence *c, bool is_lenient, struct solver *s)
{
	struct solve_options options = c->options;
	uint64_t dyns = c->options.window.to - c->options.window.from;

	options.supposed = &c->trial;
	options.is_lenient = is_lenient;
	c->work -= c->work < dyns ? c->work : dyns;
	return solve_init(s, c->history, &options);
}

/*
 * Takes the addresses that follow from the trial, of the first `count` of the batch; the stores
 * before them are supposed to hit nothing.
 */
static struct guessed take_addresses(struct coherence *c, const struct solver *s, size_t count)
{
	bool is_same = s->w.options.from == c->best->w.options.from;
	struct guessed found = {0, 0};

	for (size_t i = 0; i < c->batch_count; i++) {
		uint64_t *at = supposed_at(c->best, &c->trial, c->batch[i]);
		uint64_t address;

		if (i >= count) {
			*at = SUPPOSED_NOWHERE;
			continue;
		}
		/* A store that hides its own address where it goes is left there. */
		if (!is_same || !address_of(s, c->batch[i], &address) || !is_writable(s, address))
			address = *at;
		found.settled += i == found.settled && *at == address;
		found.changed += *at != address;
		*at = address;
	}
	return found;
}

static enum status guess_round(struct coherence *c, size_t count, struct guessed *found)
{
	struct solver s;
	enum status status = solve_trial(c, true, &s);

	if (status == STATUS_OK)
		*found = take_addresses(c, &s, count);
	solve_fini(&s);
	return status;
}

/* All addresses at once, as long as fewer and fewer of them change: few stores hit a pointer. */
static enum status guess_all(struct coherence *c, size_t *settled)
{
	struct guessed found = {0, 1};
	size_t least = SIZE_MAX;

	for (unsigned int idle = 0; idle < IDLE_MOST && found.changed > 0 && c->work > 0;) {
		TRY(guess_round(c, c->batch_count, &found));
		idle = found.changed < least ? 0 : idle + 1;
		least = found.changed < least ? found.changed : least;
	}
	*settled = found.changed > 0 ? found.settled : c->batch_count;
	return STATUS_OK;
}

/*
 * Those of the last stores depend on none of the others: so addresses settle from the end on, of
 * those that are settled and of some more at a time.
 */
static enum status guess_on(struct coherence *c, size_t *settled)
{
	unsigned int idle = 0;
	size_t ahead = AHEAD;

	*settled = 0;
	for (unsigned int round = 0;
	     round < ROUNDS_MOST && idle < IDLE_MOST && *settled < c->batch_count && c->work > 0;
	     round++) {
		size_t count = *settled + ahead;
		struct guessed found = {0, 0};

		TRY(guess_round(c, count, &found));
		ahead = found.settled >= count ? 2 * ahead : AHEAD;
		idle = found.settled > *settled ? 0 : idle + 1;
		*settled = found.settled > *settled ? found.settled : *settled;
	}
	return STATUS_OK;
}

/* What is supposed of the access, if anything is, follows again. */
static bool follows(const struct solver *s, uint32_t access)
{
	uint64_t supposed = supposed_of(s, access);
	uint64_t address;

	return supposed == SUPPOSED_NOT || (address_of(s, access, &address) && address == supposed);
}

/* Drops what is supposed of stores whose address does not follow. True if there was none. */
static bool drop_others(struct coherence *c, const struct solver *s)
{
	bool all = true;

	for (uint32_t i = 0; i < s->memory.access_count; i++) {
		if (follows(s, i))
			continue;
		*supposed_at(s, &c->trial, i) = SUPPOSED_NOT;
		all = false;
	}
	return all;
}

/* What is supposed now is what the best solution rests on. */
static enum status take_over(struct coherence *c)
{
	TRY(make_room(c->accepted, c->trial.count));
	memcpy(c->accepted->of, c->trial.of, c->trial.count * sizeof(*c->trial.of));
	return STATUS_OK;
}

/* Nothing contradicts, and no code that ran was written where it was not known before. */
static bool is_whole(const struct coherence *c, const struct solver *s)
{
	return !s->has_conflict && s->w.options.from == c->best->w.options.from;
}

/* Of the trial nothing is left but what was accepted. */
static void restore(struct coherence *c)
{
	for (size_t i = 0; i < c->trial.count; i++)
		c->trial.of[i] = i < c->accepted->count ? c->accepted->of[i] : SUPPOSED_NOT;
}

/* What was accepted, and the guesses of the first `count` of the batch. */
static void suppose_first(struct coherence *c, const uint64_t *guesses, size_t count)
{
	restore(c);
	for (size_t i = 0; i < count; i++) {
		if (guesses[i] != SUPPOSED_NOWHERE)
			*supposed_at(c->best, &c->trial, c->batch[i]) = guesses[i];
	}
}

/* Whether nothing contradicts under the guesses of the first `count`. */
static enum status try_first(struct coherence *c, const uint64_t *guesses, size_t count, bool *fits)
{
	struct solver s;
	enum status status;

	suppose_first(c, guesses, count);
	status = solve_trial(c, false, &s);
	*fits = status == STATUS_OK && is_whole(c, &s);
	solve_fini(&s);
	return status;
}

/* Drops the guess of the store with which, from the end on, a contradiction comes. */
static enum status drop_culprit(struct coherence *c, uint64_t *guesses)
{
	size_t good = 0;
	size_t bad = c->batch_count;

	while (bad - good > 1 && c->work > 0) {
		size_t middle = good + (bad - good) / 2;
		bool fits;

		TRY(try_first(c, guesses, middle, &fits));
		if (fits)
			good = middle;
		else
			bad = middle;
	}
	guesses[bad - 1] = SUPPOSED_NOWHERE;
	return STATUS_OK;
}

/*
 * Solves under the guesses of the batch. Accepted if all addresses follow again, but of those that
 * are dropped on the way, and nothing contradicts.
 */
static enum status verify(struct coherence *c, const uint64_t *guesses, bool *accepted,
                          bool *conflicts)
{
	*accepted = false;
	*conflicts = false;
	suppose_first(c, guesses, c->batch_count);
	for (unsigned int round = 0; round < DROPS_MOST && !*accepted; round++) {
		struct solver s;
		enum status status = solve_trial(c, false, &s);

		*conflicts = status == STATUS_OK && !is_whole(c, &s);
		*accepted = status == STATUS_OK && !*conflicts && drop_others(c, &s);
		if (*accepted) {
			solve_fini(c->best);
			*c->best = s;
			c->best->supposed = c->accepted;
			return take_over(c);
		}
		solve_fini(&s);
		if (status != STATUS_OK || *conflicts)
			return status;
	}
	return STATUS_OK;
}

/* The same of the first `settled` of the batch, without those that lead to a contradiction. */
static enum status accept(struct coherence *c, size_t settled, bool *accepted)
{
	uint64_t *guesses = calloc(c->batch_count, sizeof(*guesses));
	enum status status = guesses ? STATUS_OK : STATUS_NO_MEM;
	bool conflicts = true;

	*accepted = false;
	for (size_t i = 0; guesses && i < c->batch_count; i++)
		guesses[i] = i < settled ? *supposed_at(c->best, &c->trial, c->batch[i])
		                         : SUPPOSED_NOWHERE;
	for (unsigned int i = 0; i < CULPRITS_MOST && status == STATUS_OK && conflicts; i++) {
		status = verify(c, guesses, accepted, &conflicts);
		c->has_conflicted |= conflicts;
		if (c->work == 0)
			break;
		if (status == STATUS_OK && conflicts)
			status = drop_culprit(c, guesses);
	}
	free(guesses);
	return status;
}

static void collect(struct coherence *c)
{
	c->batch_count = 0;
	for (uint32_t i = (uint32_t)c->best->memory.access_count; i-- > 0;) {
		if (is_open_store(c->best, i))
			c->batch[c->batch_count++] = i;
	}
}

/* Guesses where the open stores went, in one way. *is_progress: fewer are open then. */
static enum status suppose_batch(struct coherence *c, guess_way *guess, bool *is_progress)
{
	size_t before = c->batch_count;
	bool accepted = false;
	size_t settled;

	*is_progress = false;
	restore(c);
	for (size_t i = 0; i < c->batch_count; i++)
		*supposed_at(c->best, &c->trial, c->batch[i]) = SUPPOSED_NOWHERE;
	TRY(guess(c, &settled));
	if (settled > 0)
		TRY(accept(c, settled, &accepted));
	if (!accepted)
		return STATUS_OK;
	collect(c);
	*is_progress = c->batch_count < before;
	return STATUS_OK;
}

/* In the window that is solved now, batch by batch. */
static enum status suppose(struct coherence *c)
{
	bool is_progress = true;

	TRY(make_room(&c->trial, c->best->memory.access_count));
	free(c->batch);
	c->batch = calloc(c->best->memory.access_count + 1, sizeof(*c->batch));
	if (!c->batch)
		return STATUS_NO_MEM;
	collect(c);
	for (unsigned int i = 0; is_progress && i < BATCHES_MOST && c->batch_count > 0; i++) {
		TRY(suppose_batch(c, guess_all, &is_progress));
		if (!is_progress)
			TRY(suppose_batch(c, guess_on, &is_progress));
	}
	return STATUS_OK;
}

/* All that is supposed follows again. */
static bool all_follow(const struct solver *s)
{
	for (uint32_t i = 0; i < s->memory.access_count; i++) {
		if (!follows(s, i))
			return false;
	}
	return true;
}

/* Solves a window under what was accepted of a shorter one, and supposes more. */
static enum status solve_under(struct coherence *c)
{
	enum status status;

	c->options.supposed = c->accepted;
	c->has_conflicted = false;
	status = solve_init(c->best, c->history, &c->options);
	if (status == STATUS_OK && !c->best->has_conflict && !all_follow(c->best)) {
		solve_fini(c->best);
		suppositions_fini(c->accepted);
		status = solve_init(c->best, c->history, &c->options);
	}
	if (status != STATUS_OK || c->best->has_conflict)
		return status;
	c->options.window.from = c->best->w.options.from;
	return suppose(c);
}

static size_t count_open(const struct solver *s)
{
	size_t count = 0;

	for (uint32_t i = 0; i < s->memory.access_count; i++)
		count += is_open_store(s, i);
	return count;
}

/* The same anew, without what was accepted of a shorter one, if that leaves fewer stores open. */
static enum status solve_anew(struct coherence *c)
{
	struct solver with = *c->best;
	struct suppositions accepted = *c->accepted;
	/* Before what it rests on is taken away. */
	size_t open = with.has_conflict ? SIZE_MAX : count_open(&with);
	enum status status;

	*c->accepted = (struct suppositions){NULL, 0};
	status = solve_under(c);
	if (status == STATUS_OK && open <= count_open(c->best)) {
		solve_fini(c->best);
		suppositions_fini(c->accepted);
		*c->best = with;
		*c->accepted = accepted;
		return STATUS_OK;
	}
	solve_fini(&with);
	suppositions_fini(&accepted);
	return status;
}

/*
 * In longer and longer windows: in the last instructions few stores are open, and what was accepted
 * there, where nothing was known of what is before, is a start for more.
 */
static enum status grow(struct coherence *c, uint64_t from)
{
	uint64_t to = c->options.window.to;
	uint64_t length = WINDOW_LEAST;

	/* The shorter ones were looked at, when what was accepted of them was. */
	if (c->accepted->count > 0 && (to - from) / WINDOW_GROWTH > length)
		length = (to - from) / WINDOW_GROWTH;
	while (true) {
		enum status status;

		c->options.window.from = to - from > length ? to - length : from;
		status = solve_under(c);
		if (status == STATUS_OK && (c->has_conflicted || c->best->has_conflict))
			status = solve_anew(c);
		/* What contradicts in a short window does so in a long one. */
		if (status != STATUS_OK || c->best->has_conflict || to - from <= length)
			return status;
		solve_fini(c->best);
		length *= WINDOW_GROWTH;
	}
}

enum status coherent_init(struct solver *s, const struct history *history,
                          const struct solve_options *options, struct suppositions *supposed)
{
	uint64_t dyns = options->window.to - options->window.from;
	uint64_t work = dyns * WORK_TIMES;
	struct coherence c = {.history = history,
	                      .options = *options,
	                      .best = s,
	                      .accepted = supposed,
	                      .work = work > WORK_LEAST ? work : WORK_LEAST};
	enum status status;

	c.options.log = NULL;
	status = grow(&c, options->window.from);
	free(c.batch);
	suppositions_fini(&c.trial);
	return status;
}
