/* SPDX-License-Identifier: Apache-2.0 */
/* Suppositions on stores of unknown address, batch by batch from the end; see coherent.h. */
#include "replay/values/solver/coherent.h"

#include <stdlib.h>
#include <string.h>

#include "replay/values/solver/memdep_clobber.h"
#include "replay/values/solver/solver.h"
#include "replay/values/ssa/ssa.h"

enum {
	/* Stores of which a round takes the addresses after those that are settled, at least. */
	AHEAD = 8,
	IDLE_MOST = 4, /* rounds that settle no more */
	BATCHES_MOST = 8,
	DROPS_MOST = 6, /* rounds that drop what does not follow again */
	/* Instructions that are solved for one window in all, at least, and of a long one. */
	WORK_LEAST = 1 << 21,
	WORK_TIMES = 12,
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
};

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

/* A store that happened, to an address that is not known. */
static bool is_open_store(const struct solver *s, uint32_t access)
{
	const struct memdep_access *a = &s->memory.accesses[access];

	return a->kind == ACCESS_STORE && a->index != ACCESS_KILL && a->state == ACCESS_OPEN &&
	       memdep_access_of(s, a)->when == SLOT_NONE && supposed_of(s, access) == SUPPOSED_NOT;
}

/* Where the access goes by the values that were found; false if not all of that is known. */
static bool address_of(const struct solver *s, uint32_t access, uint64_t *address)
{
	struct bits found = memdep_address(s, &s->memory.accesses[access]);

	*address = found.value & ADDRESS_BITS;
	return (~found.known & ADDRESS_BITS) == 0;
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
 * Takes the addresses that follow from the trial, of the stores that are settled, whose address was
 * supposed before, and of some more; those before them are supposed to hit nothing. Returns how
 * many are settled.
 */
static size_t take_addresses(struct coherence *c, const struct solver *s, size_t count)
{
	bool is_same = s->w.options.from == c->best->w.options.from;
	size_t settled = 0;

	for (size_t i = 0; i < c->batch_count; i++) {
		uint64_t *at = supposed_at(c->best, &c->trial, c->batch[i]);
		uint64_t address;

		if (i >= count) {
			*at = SUPPOSED_NOWHERE;
			continue;
		}
		/* A store that hides its own address where it goes is left there. */
		if (!is_same || !address_of(s, c->batch[i], &address))
			address = *at;
		settled += i == settled && *at == address;
		*at = address;
	}
	return settled;
}

/*
 * Supposes an address of as many of the batch as that can be said of, as far as a guess goes. Those
 * of the last stores depend on none of the others: so addresses settle from the end on.
 */
static enum status guess(struct coherence *c, size_t *settled)
{
	unsigned int idle = 0;
	size_t ahead = AHEAD;
	enum status status = STATUS_OK;

	*settled = 0;
	for (size_t i = 0; i < c->batch_count; i++) {
		uint64_t *at = supposed_at(c->best, &c->trial, c->batch[i]);

		if (*at == SUPPOSED_NOT)
			*at = SUPPOSED_NOWHERE;
		else
			ahead++; /* from a shorter window */
	}
	while (status == STATUS_OK && idle < IDLE_MOST && *settled < c->batch_count &&
	       c->work > 0) {
		struct solver s;

		status = solve_trial(c, true, &s);
		if (status == STATUS_OK) {
			size_t now = take_addresses(c, &s, *settled + ahead);

			ahead = now >= *settled + ahead ? 2 * ahead : AHEAD;
			idle = now > *settled ? 0 : idle + 1;
			*settled = now > *settled ? now : *settled;
		}
		solve_fini(&s);
	}
	return status;
}

/* Drops what is supposed of stores whose address does not follow. True if there was none. */
static bool drop_others(struct coherence *c, const struct solver *s)
{
	bool all = true;

	for (uint32_t i = 0; i < s->memory.access_count; i++) {
		uint64_t supposed = supposed_of(s, i);
		uint64_t address;

		if (supposed == SUPPOSED_NOT || (address_of(s, i, &address) && address == supposed))
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

/*
 * Solves under the suppositions on the first `count` of the batch. Accepted if all addresses follow
 * again, but of those that are dropped on the way, and nothing contradicts.
 */
static enum status verify(struct coherence *c, size_t count, bool *accepted)
{
	*accepted = false;
	for (size_t i = 0; i < c->batch_count; i++) {
		uint64_t *at = supposed_at(c->best, &c->trial, c->batch[i]);

		if (i >= count || *at == SUPPOSED_NOWHERE)
			*at = SUPPOSED_NOT;
	}
	for (unsigned int round = 0; round < DROPS_MOST; round++) {
		struct solver s;
		enum status status = solve_trial(c, false, &s);
		bool is_whole = status == STATUS_OK && !s.has_conflict &&
		                s.w.options.from == c->best->w.options.from;

		*accepted = is_whole && drop_others(c, &s);
		if (*accepted) {
			solve_fini(c->best);
			*c->best = s;
			c->best->supposed = c->accepted;
			return take_over(c);
		}
		solve_fini(&s);
		if (!is_whole)
			return status;
	}
	return STATUS_OK;
}

static void collect(struct coherence *c)
{
	c->batch_count = 0;
	for (uint32_t i = (uint32_t)c->best->memory.access_count; i-- > 0;) {
		if (is_open_store(c->best, i))
			c->batch[c->batch_count++] = i;
	}
}

/* One batch: all stores of unknown address that are left. */
static enum status suppose_batch(struct coherence *c, bool *accepted)
{
	size_t before = c->batch_count;
	size_t count;

	collect(c);
	*accepted = false;
	if (c->batch_count == 0 || (before > 0 && c->batch_count >= before))
		return STATUS_OK;
	TRY(guess(c, &count));
	for (; count > 0 && !*accepted; count /= 2)
		TRY(verify(c, count, accepted));
	return STATUS_OK;
}

static enum status suppose(struct coherence *c)
{
	bool accepted = true;

	TRY(make_room(&c->trial, c->best->memory.access_count));
	c->batch = calloc(c->best->memory.access_count + 1, sizeof(*c->batch));
	if (!c->batch)
		return STATUS_NO_MEM;
	for (unsigned int i = 0; accepted && i < BATCHES_MOST; i++)
		TRY(suppose_batch(c, &accepted));
	return STATUS_OK;
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
	                      .trial = *supposed,
	                      .work = work > WORK_LEAST ? work : WORK_LEAST};
	enum status status;

	/* What a shorter window rests on is where the trial begins. */
	*supposed = (struct suppositions){NULL, 0};
	c.options.supposed = NULL;
	c.options.log = NULL;
	status = solve_init(s, history, &c.options);
	c.options.window.from = s->w.options.from;
	if (status == STATUS_OK && !s->has_conflict)
		status = suppose(&c);
	free(c.batch);
	suppositions_fini(&c.trial);
	return status;
}
