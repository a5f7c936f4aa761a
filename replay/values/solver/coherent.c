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
	IDLE_MOST = 4,    /* rounds that find nothing more */
	ROUNDS_MOST = 16, /* of guess_spared() */
	BATCHES_MOST = 8,
	DROPS_MOST = 12,    /* rounds that drop what does not follow again */
	CULPRITS_MOST = 16, /* stores that lead to contradictions */
	/* Instructions that guess_all() runs in all. */
	WORK_MOST = 3 << 20,
	WORK_LONG = 3 << 19, /* in a window of so many, where each costs more */
	WINDOW_LONG = 150000,
	SPARED_PART = 2,  /* of that, for guess_spared() */
	COPIED_A_RUN = 8, /* instructions that are copied in the time that one is run in */
};

struct coherence {
	const struct history *history;
	struct solve_options options;
	struct solver *best; /* without suppositions, or under those that were accepted */
	struct suppositions *accepted;
	struct suppositions trial;   /* they are not yet, or will not be */
	struct suppositions carried; /* what guess_spared() found in a shorter window */
	uint64_t work;               /* instructions that may still be run */
	uint64_t spared_work;        /* the same by guess_spared() */
	uint32_t *batch;             /* stores of unknown address, the last one first */
	size_t batch_count;
};

/* A way to guess the addresses of a batch. */
typedef enum status guess_way(struct coherence *c);

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

/* Where the access goes by the values that were found. */
static struct bits address_of(const struct solver *s, uint32_t access)
{
	return memdep_masked(memdep_address(s, &s->memory.accesses[access]), ADDRESS_BITS);
}

/* Solves the trial: what it supposes beyond what `of` was solved under. */
static enum status solve_trial(struct coherence *c, const struct solver *of, struct solver *s,
                               bool is_lenient)
{
	enum status status = solve_extend(s, of, &c->trial, is_lenient);
	uint64_t work = s->w.dyn_count / COPIED_A_RUN + s->runs;

	c->work -= c->work < work ? c->work : work;
	return status;
}

/* No code that ran was written where that is not known without suppositions. */
static bool is_whole(const struct coherence *c, const struct solver *s)
{
	enum window_cut cut = CUT_NONE;

	return c->options.through_writes || solve_valid_from(s, &cut) == 0;
}

/*
 * Takes the addresses that follow from the trial, if it is whole; how many are others than before.
 * What `lost` says is supposed of a store whose address follows no longer; if that is SUPPOSED_NOT
 * it is left where it was: one that hides its own address where it goes.
 */
static size_t take_addresses(struct coherence *c, const struct solver *s, uint64_t lost)
{
	size_t changed = 0;

	if (s->w.options.from != c->best->w.options.from)
		return 0;
	for (size_t i = 0; i < c->batch_count; i++) {
		uint64_t *at = supposed_at(c->best, &c->trial, c->batch[i]);
		struct bits address = address_of(s, c->batch[i]);

		if (address.known != ADDRESS_BITS || !memdep_may_be_written(s, address))
			address.value = lost == SUPPOSED_NOT ? *at : lost;
		changed += *at != address.value;
		*at = address.value;
	}
	return changed;
}

/* Solves the trial as a guess, which passes over what contradicts, and takes what follows. */
static enum status guess_round(struct coherence *c, uint64_t lost, size_t *changed)
{
	struct solver s;
	enum status status = solve_trial(c, c->best, &s, true);

	*changed = status == STATUS_OK ? take_addresses(c, &s, lost) : 0;
	if (*changed > 0 && lost == SUPPOSED_SPARES)
		status = suppositions_note_hits(&c->trial, &s);
	solve_fini(&s);
	return status;
}

/*
 * All addresses at once, where nothing is known of a store it hits nothing; as long as fewer and
 * fewer of them change: few stores hit a pointer.
 */
static enum status guess_all(struct coherence *c)
{
	size_t least = SIZE_MAX;
	size_t changed = 1;

	for (unsigned int idle = 0; idle < IDLE_MOST && changed > 0 && c->work > 0;) {
		TRY(guess_round(c, SUPPOSED_NOT, &changed));
		idle = changed < least ? 0 : idle + 1;
		least = changed < least ? changed : least;
	}
	return STATUS_OK;
}

/* Rounds of guess_spared(), from where the trial is on. */
static enum status spare_on(struct coherence *c)
{
	size_t changed = 1;

	TRY(suppositions_note_hits(&c->trial, c->best));
	for (unsigned int i = 0; i < ROUNDS_MOST && changed > 0 && c->work > 0; i++)
		TRY(guess_round(c, SUPPOSED_SPARES, &changed));
	return STATUS_OK;
}

/* Begins with what was found in a shorter window, or with nothing. */
static void begin_spared(struct coherence *c, bool is_carried)
{
	for (size_t i = 0; i < c->batch_count; i++) {
		uint64_t carried = *supposed_at(c->best, &c->carried, c->batch[i]);

		*supposed_at(c->best, &c->trial, c->batch[i]) =
		        is_carried && carried < SUPPOSED_SPARES ? carried : SUPPOSED_SPARES;
	}
}

/* How many of the batch are supposed somewhere. */
static size_t count_placed(const struct coherence *c, struct suppositions *supposed)
{
	size_t count = 0;

	for (size_t i = 0; i < c->batch_count; i++)
		count += *supposed_at(c->best, supposed, c->batch[i]) < SUPPOSED_SPARES;
	return count;
}

/*
 * A store of which nothing is known hits nothing that accesses of known address go to, unless the
 * same instruction does at another time, and may have hit all else: what is reached through
 * pointers is mostly reached through pointers alone. This is wrong of few stores, and finds fewer
 * addresses. From where a shorter window left off, and if that is not all, from the beginning.
 */
static enum status guess_spared(struct coherence *c)
{
	size_t placed;

	TRY(suppositions_spare(&c->trial, c->best));
	TRY(make_room(&c->carried, c->trial.count));
	placed = count_placed(c, &c->carried);
	begin_spared(c, true);
	TRY(spare_on(c));
	if (placed > 0 && count_placed(c, &c->trial) < c->batch_count) {
		memcpy(c->carried.of, c->trial.of, c->trial.count * sizeof(*c->trial.of));
		begin_spared(c, false);
		TRY(spare_on(c));
		if (count_placed(c, &c->trial) < count_placed(c, &c->carried))
			memcpy(c->trial.of, c->carried.of, c->trial.count * sizeof(*c->trial.of));
	}
	memcpy(c->carried.of, c->trial.of, c->trial.count * sizeof(*c->trial.of));
	for (size_t i = 0; i < c->batch_count; i++) {
		uint64_t *at = supposed_at(c->best, &c->trial, c->batch[i]);

		if (*at == SUPPOSED_SPARES)
			*at = SUPPOSED_NOWHERE;
	}
	return STATUS_OK;
}

/* What is supposed of the access, if anything is, follows again. */
static bool follows(const struct solver *s, uint32_t access)
{
	uint64_t supposed = supposed_of(s, access);
	struct bits address;

	if (supposed == SUPPOSED_NOT)
		return true;
	address = address_of(s, access);
	return address.known == ADDRESS_BITS && address.value == supposed;
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

/* A solution under the guesses of the first of a batch, with which nothing contradicts. */
struct fit {
	struct solver s;
	bool has_solver; /* else it is the best one, under none of them */
	size_t count;
};

static void drop_fit(struct fit *fit)
{
	if (fit->has_solver)
		solve_fini(&fit->s);
	fit->has_solver = false;
}

/* Extends the fit to the guesses of the first `count`; it stays what it was if they contradict. */
static enum status extend_fit(struct coherence *c, struct fit *fit, const uint64_t *guesses,
                              size_t count, bool *fits)
{
	struct solver s;
	enum status status;

	suppose_first(c, guesses, count);
	status = solve_trial(c, fit->has_solver ? &fit->s : c->best, &s, false);
	*fits = status == STATUS_OK && !s.has_conflict && is_whole(c, &s);
	if (*fits) {
		drop_fit(fit);
		*fit = (struct fit){s, true, count};
	} else {
		solve_fini(&s);
	}
	return status;
}

/* Drops the guess of the store with which, from the end on, a contradiction comes. */
static enum status drop_culprit(struct coherence *c, struct fit *fit, uint64_t *guesses)
{
	size_t bad = c->batch_count;

	while (bad - fit->count > 1 && c->work > 0) {
		size_t middle = fit->count + (bad - fit->count) / 2;
		bool fits;

		TRY(extend_fit(c, fit, guesses, middle, &fits));
		bad = fits ? bad : middle;
	}
	guesses[bad - 1] = SUPPOSED_NOWHERE;
	return STATUS_OK;
}

/* Fits all guesses but those that lead to a contradiction. */
static enum status fit_all(struct coherence *c, struct fit *fit, uint64_t *guesses, bool *fits)
{
	*fits = false;
	for (unsigned int i = 0; i < CULPRITS_MOST && c->work > 0; i++) {
		TRY(extend_fit(c, fit, guesses, c->batch_count, fits));
		if (*fits)
			break;
		TRY(drop_culprit(c, fit, guesses));
	}
	return STATUS_OK;
}

/* Marks as doubtful what is supposed in the window beyond what was accepted. */
static void doubt(struct coherence *c)
{
	for (size_t i = 0; i < c->best->memory.access_count; i++) {
		uint64_t *of = &c->trial.of[i];

		if (*of < SUPPOSED_SPARES && (i >= c->accepted->count || c->accepted->of[i] != *of))
			*of |= SUPPOSED_DOUBTFUL;
	}
}

/*
 * Drops from the trial the stores whose address does not follow but by way of what they store
 * themselves, or others that do not: two that each say where the other went are coherent anywhere.
 * *all: there was none.
 */
static enum status drop_circles(struct coherence *c, bool *all)
{
	struct solver s;
	enum status status;

	doubt(c);
	status = solve_trial(c, c->best, &s, true);
	*all = true;
	for (uint32_t i = 0; status == STATUS_OK && i < s.memory.access_count; i++) {
		uint64_t *of = supposed_at(&s, &c->trial, i);

		if (!supposed_is_doubtful(&s, i))
			continue;
		*all &= follows(&s, i);
		*of = follows(&s, i) ? supposed_of(&s, i) : SUPPOSED_NOT;
	}
	solve_fini(&s);
	return status;
}

/* Drops from the trial, of which `s` is the solution, what does not follow, until all does. */
static enum status settle(struct coherence *c, struct solver *s, bool *accepted)
{
	for (unsigned int round = 0; round < DROPS_MOST; round++) {
		bool all = drop_others(c, s);

		if (all)
			TRY(drop_circles(c, &all));
		if (all) {
			TRY(take_over(c));
			solve_replace(c->best, s);
			c->best->supposed = c->accepted;
			*accepted = true;
			return STATUS_OK;
		}
		solve_fini(s);
		TRY(solve_trial(c, c->best, s, false));
		if (s->has_conflict)
			break;
	}
	return STATUS_OK;
}

/*
 * Solves under the guesses of the batch but those that lead to a contradiction. Accepted if all
 * addresses follow again, but of those that are dropped on the way.
 */
static enum status accept(struct coherence *c, bool *accepted)
{
	uint64_t *guesses = calloc(c->batch_count, sizeof(*guesses));
	struct fit fit = {.has_solver = false};
	enum status status = guesses ? STATUS_OK : STATUS_NO_MEM;
	bool fits = false;

	*accepted = false;
	for (size_t i = 0; guesses && i < c->batch_count; i++)
		guesses[i] = *supposed_at(c->best, &c->trial, c->batch[i]);
	if (status == STATUS_OK)
		status = fit_all(c, &fit, guesses, &fits);
	if (status == STATUS_OK && fits)
		status = settle(c, &fit.s, accepted);
	drop_fit(&fit);
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

	*is_progress = false;
	restore(c);
	for (size_t i = 0; i < c->batch_count; i++)
		*supposed_at(c->best, &c->trial, c->batch[i]) = SUPPOSED_NOWHERE;
	TRY(guess(c));
	TRY(accept(c, &accepted));
	if (!accepted)
		return STATUS_OK;
	collect(c);
	*is_progress = c->batch_count < before;
	return STATUS_OK;
}

/* The same by guess_spared(), with work of its own. */
static enum status suppose_spared(struct coherence *c, bool *is_progress)
{
	uint64_t work = c->work;
	enum status status;

	c->work = c->spared_work;
	status = suppose_batch(c, guess_spared, is_progress);
	c->spared_work = c->work;
	c->work = work;
	return status;
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
		TRY(suppose_spared(c, &is_progress));
		if (!is_progress)
			TRY(suppose_batch(c, guess_all, &is_progress));
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

/* `doubt`: SUPPOSED_DOUBTFUL or 0. */
static void doubt_accepted(struct coherence *c, uint64_t doubt)
{
	for (size_t i = 0; i < c->accepted->count; i++) {
		uint64_t *of = &c->accepted->of[i];

		if (*of < SUPPOSED_SPARES)
			*of = (*of & ~SUPPOSED_DOUBTFUL) | doubt;
	}
}

/*
 * Solves a window under what was accepted of a shorter one, doubtful as far as it does not follow
 * in this one, and supposes more.
 */
static enum status solve_under(struct coherence *c)
{
	enum status status;

	c->options.supposed = c->accepted;
	doubt_accepted(c, SUPPOSED_DOUBTFUL);
	status = solve_init(c->best, c->history, &c->options);
	doubt_accepted(c, 0);
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

/* The same where that contradicts: without what was accepted of a shorter one. */
static enum status solve_anew(struct coherence *c)
{
	solve_fini(c->best);
	suppositions_fini(c->accepted);
	return solve_under(c);
}

/*
 * In longer and longer windows: in the last instructions few stores are open, and what was accepted
 * there, where nothing was known of what is before, is a start for more.
 */
static enum status grow(struct coherence *c, uint64_t from)
{
	uint64_t to = c->options.window.to;
	uint64_t part = (to - from + WINDOW_GROWTH - 1) / WINDOW_GROWTH;
	uint64_t length = WINDOW_LEAST;

	/* The shorter ones were looked at, when what was accepted of them was. */
	if (c->accepted->count > 0 && part > length)
		length = part;
	while (true) {
		enum status status;

		c->options.window.from = to - from > length ? to - length : from;
		status = solve_under(c);
		if (status == STATUS_OK && c->best->has_conflict)
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
	uint64_t work = dyns < WINDOW_LONG ? WORK_MOST : WORK_LONG;
	struct coherence c = {.history = history,
	                      .options = *options,
	                      .best = s,
	                      .accepted = supposed,
	                      .work = work,
	                      .spared_work = work / SPARED_PART};
	enum status status;

	c.options.log = NULL;
	status = grow(&c, options->window.from);
	free(c.batch);
	suppositions_fini(&c.trial);
	suppositions_fini(&c.carried);
	return status;
}
