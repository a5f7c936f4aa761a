/* SPDX-License-Identifier: Apache-2.0 */
/* Code that a core wrote itself; see written_code.h. */
#include "replay/values/written_code.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "decoder/flow/flow.h"
#include "replay/values/solver/solver.h"

enum {
	ROUNDS = 40,       /* that look for contents, of a short history; */
	ROUNDS_LEAST = 8,  /* of a long one */
	ROUNDS_MORE = 8,   /* that only look whether what was found holds */
	WORK = 20000000,   /* instructions that all rounds look at, about */
	WINDOW = 2000000,  /* instructions before the halt that are looked at */
	LINE = 64,         /* bytes that are taken for code together */
	LOOK_ROUND = 8192, /* bytes of written code on either side of where it was entered */
	REGIONS = 64,      /* of memory that are known to be written, at most */
};

/* A store to code. */
struct hit {
	uint64_t position;
	uint64_t first; /* addresses of its bytes */
	uint64_t last;
};

struct hits {
	struct hit *items; /* by position */
	size_t count;
	size_t capacity;
};

/* What a time of the past was found to be. */
struct finding {
	uint64_t place;
	bool is_final;
	uint8_t *bytes;
	uint8_t *known;
};

struct findings {
	struct finding *items;
	size_t count;
	size_t capacity;
};

struct follower {
	const struct snapshot *snapshot;
	struct history_options build;
	const struct values_options *allowed;
	struct code_past *past;
	struct history *history;
	struct hits hits;
	struct findings findings;
	struct refuted_code refuted;
	const struct mem_region *written[REGIONS]; /* that stores of the history went to */
	size_t written_count;
	bool is_announced;      /* code did what is done for code that was written */
	uint64_t refuted_place; /* up to there in the trace code is not what it is at the halt */
	bool has_conflict; /* code and trace disagree, or these and what is known at the halt */
	/* That is so in a history that nothing changes any more: stores are guessed past it. */
	bool is_lenient;
	bool tried_final;
	bool only_checks; /* nothing more is looked for */
	bool changes;     /* the history is to be made anew */
};

static void forget_findings(struct follower *f)
{
	for (size_t i = 0; i < f->findings.count; i++)
		free(f->findings.items[i].bytes);
	f->findings.count = 0;
}

/* For stores to code (through_writes), or for what code was. */
static enum status solve(const struct follower *f, bool through_writes, struct solver *s)
{
	uint64_t to = history_length(f->history);
	struct solve_options options = {
	        .window = {.from = to > WINDOW ? to - WINDOW : 0,
	                   .to = to,
	                   .handler_preserves = f->allowed->handler_preserves,
	                   .interrupt = f->allowed->interrupt},
	        .single_writer = f->allowed->single_writer,
	        .is_lenient = through_writes && f->is_lenient,
	        .through_writes = through_writes,
	        .code_unchanged = true,
	};

	return solve_init(s, f->history, &options);
}

/* One of the bytes of the line was executed, in memory that can be written. */
static bool is_code_line(const struct follower *f, uint32_t view, uint64_t address)
{
	const struct memmap *memory = history_memory(f->history);
	uint64_t line = address & ~(uint64_t)(LINE - 1);
	const struct code_range *range = code_past_range(f->past, line);

	/* A single byte at an odd address, too. */
	if (range && range->first <= line + (LINE - 1))
		return true;
	for (uint64_t i = 0; i < LINE; i += 2) {
		struct mem_span span;

		if (memmap_find(memory, view, line + i, &span) == STATUS_OK &&
		    !span.region->read_only && history_executed_extent(f->history, &span) > 0)
			return true;
	}
	return false;
}

static enum status add_hit(struct follower *f, const struct solver *s,
                           const struct memdep_access *a)
{
	uint64_t first = memdep_canonical(memdep_address(s, a).value);
	struct hit hit = {window_position_of(&s->w, a->dyn), first, first + a->size - 1};

	if (hit.last < first ||
	    (!is_code_line(f, s->memory.view, first) && !is_code_line(f, s->memory.view, hit.last)))
		return STATUS_OK;
	TRY(vec_reserve((void **)&f->hits.items, &f->hits.capacity, f->hits.count + 1,
	                sizeof(*f->hits.items)));
	f->hits.items[f->hits.count++] = hit;
	return STATUS_OK;
}

static const struct mem_region *region_of(const struct history *history, uint32_t view,
                                          uint64_t address)
{
	struct mem_span span;

	return memmap_find(history_memory(history), view, address, &span) == STATUS_OK ? span.region
	                                                                               : NULL;
}

static bool is_written(const struct follower *f, const struct mem_region *region)
{
	for (size_t i = 0; i < f->written_count; i++) {
		if (f->written[i] == region)
			return true;
	}
	return false;
}

/* Where there is code that cannot have run, it matters which memory is written at all. */
static void add_written(struct follower *f, const struct solver *s, const struct memdep_access *a)
{
	const struct mem_region *region =
	        region_of(f->history, s->memory.view, memdep_canonical(memdep_address(s, a).value));

	if (region && f->written_count < REGIONS && !is_written(f, region))
		f->written[f->written_count++] = region;
}

/*
 * What cannot have run was written: its memory is, or code was announced and it was come to from
 * other memory. A dump that lacks code, and has zeros in its place, is no sign of that.
 */
static bool was_written(const struct follower *f, const struct refuted_run *run)
{
	const struct mem_region *region = region_of(f->history, run->view, run->walk.start);

	return memmap_is_past(history_memory(f->history), run->walk.start) ||
	       is_written(f, region) ||
	       (f->is_announced && region_of(f->history, run->view, run->from) != region);
}

/* The stores to code that the history shows, if it is taken for true. */
static enum status find_hits(struct follower *f)
{
	struct solver s;
	enum status status = solve(f, true, &s);

	f->hits.count = 0;
	f->written_count = refuted_code_stack(f->history, s.memory.view, &f->written[0]);
	f->has_conflict = s.has_conflict || f->is_lenient;
	for (size_t i = 0; i < s.memory.access_count && status == STATUS_OK; i++) {
		const struct memdep_access *a = &s.memory.accesses[i];

		if (a->kind == ACCESS_STORE && a->index != ACCESS_KILL && a->size > 0 &&
		    (a->state == ACCESS_PLACED || a->state == ACCESS_UNLINKED)) {
			if (f->refuted.count > 0)
				add_written(f, &s, a);
			status = add_hit(f, &s, a);
		}
	}
	solve_fini(&s);
	return status;
}

/* What is hit changes. */
static enum status add_ranges(struct follower *f)
{
	for (size_t i = 0; i < f->hits.count; i++) {
		const struct hit *hit = &f->hits.items[i];

		TRY(code_past_add(f->past, hit->first, hit->last, &f->changes));
	}
	return STATUS_OK;
}

/* The time is no longer what is at the halt: that was not so. */
static void drop_final(struct code_past *past)
{
	struct code_time *last = past->time_count > 0 ? &past->times[past->time_count - 1] : NULL;

	if (!last || !last->is_final)
		return;
	free(last->bytes);
	past->time_count--;
}

/* What of the run's bytes was hit is not known in its time. */
static void doubt(struct follower *f, uint32_t epoch, const struct walk *walk,
                  const struct hit *hit)
{
	struct code_time *time = &f->past->times[epoch - 1];

	for (uint64_t at = hit->first;; at++) {
		const struct code_range *range = code_past_range(f->past, at);

		if (at - walk->start < walk->end - walk->start && range && range->first <= at) {
			size_t i = range->offset + (size_t)(at - range->first);

			f->changes |= time->is_final || time->known[i] == CODE_KNOWN;
			time->known[i] = CODE_DOUBTED;
		}
		if (at == hit->last)
			return;
	}
}

/* Code is what it is at the halt from this time on, as far as is known. */
static bool is_final(const struct follower *f, uint32_t epoch)
{
	return epoch > 0 && epoch <= f->past->time_count && f->past->times[epoch - 1].is_final;
}

/*
 * Code is what it was found to be from its time on until it is written: what ran after that, with
 * no new time between, is not known to have been that. What ran before is not what it is at the
 * halt: a gap can hide the store, and what the last time then shows of it refutes that.
 */
static void doubt_rewritten(struct follower *f)
{
	const struct memmap *memory = history_memory(f->history);
	struct history_runs runs;
	struct history_run run;
	size_t next = 0;
	size_t first = 0; /* of the hits in this time */
	size_t end;
	uint32_t epoch = 0;

	if (f->hits.count == 0)
		return;
	history_runs_begin(&runs, f->history, 0);
	while (history_runs_next(&runs, &run)) {
		const struct basic_block *block = &run.graph->nodes[run.node];
		uint32_t now = memmap_past_epoch(memory, block->view);

		if (now != epoch)
			first = next;
		epoch = now;
		while (next < f->hits.count &&
		       f->hits.items[next].position < run.position + block->walk.count)
			next++;
		end = is_final(f, epoch) ? f->hits.count : next;
		for (size_t i = first; i < end && epoch > 0 && epoch <= f->past->time_count; i++)
			doubt(f, epoch, &block->walk, &f->hits.items[i]);
	}
}

/* The last time was taken for that of the halt, and is not. */
static bool final_fails(const struct follower *f)
{
	const struct code_past *past = f->past;
	const struct code_time *last =
	        past->time_count > 0 ? &past->times[past->time_count - 1] : NULL;

	if (!last || !last->is_final)
		return false;
	for (size_t i = 0; i < past->size; i++) {
		if (last->known[i] == CODE_DOUBTED)
			return true;
	}
	return f->has_conflict;
}

/*
 * The dynamic instruction that the gap at a position is, or SIZE_MAX if more than that happened
 * there.
 */
static size_t gap_dyn(const struct solver *s, uint64_t position)
{
	size_t dyn;

	if (s->has_conflict || position <= s->w.options.from || position > s->w.options.to)
		return SIZE_MAX;
	dyn = window_dyn_of(&s->w, position);
	if (dyn < 2 || window_template(&s->w, dyn - 1)->is_code ||
	    !window_template(&s->w, dyn - 2)->is_code)
		return SIZE_MAX;
	return dyn - 1;
}

/*
 * An exception is in the same dynamic instruction as the gap, and what ran after it was not seen.
 */
static bool has_exception(const struct history *history, uint64_t position)
{
	struct history_event event;

	for (size_t i = history_event_index(history, position);
	     history_event(history, i, &event) && event.position == position; i++) {
		enum element_type type = event.element.type;

		if (type != ELEMENT_ADDR_NACC && type != ELEMENT_TIMESTAMP &&
		    type != ELEMENT_CYCLE_COUNT && type != ELEMENT_EVENT)
			return true;
	}
	return false;
}

static bool is_near(uint64_t address, uint64_t other)
{
	return (address > other ? address - other : other - address) <= LOOK_ROUND;
}

/* What memory held in the changing bytes near the gap's address. True if that is new of any. */
static bool read_past(const struct follower *f, const struct solver *s, const struct gap *gap,
                      size_t dyn, struct finding *found)
{
	const struct code_past *past = f->past;
	size_t number = code_past_find(past, gap->place);
	const struct code_time *old = number > 0 ? &past->times[number - 1] : NULL;
	bool is_new = false;

	if (old && old->place != gap->place)
		old = NULL;
	for (size_t r = 0; r < past->range_count; r++) {
		const struct code_range *range = &past->ranges[r];

		for (uint64_t i = 0; i <= range->last - range->first; i++) {
			uint64_t at = range->first + i;
			unsigned int shift = 8u * (unsigned int)(at & 7);
			struct bits granule;

			if (!is_near(at, gap->address) ||
			    (old && old->known[range->offset + i] != CODE_UNKNOWN))
				continue;
			granule = memdep_granule_at(s, dyn, at & ~UINT64_C(7));
			if ((granule.known >> shift & 0xff) != 0xff)
				continue;
			found->bytes[range->offset + i] = (uint8_t)(granule.value >> shift);
			found->known[range->offset + i] = CODE_KNOWN;
			is_new = true;
		}
	}
	return is_new;
}

static enum status add_finding(struct follower *f, uint64_t place, struct finding **found)
{
	struct findings *list = &f->findings;
	uint8_t *bytes;

	TRY(vec_reserve((void **)&list->items, &list->capacity, list->count + 1,
	                sizeof(*list->items)));
	bytes = calloc(f->past->size + 1, 2);
	if (!bytes)
		return STATUS_NO_MEM;
	*found = &list->items[list->count++];
	**found = (struct finding){place, false, bytes, bytes + f->past->size};
	return STATUS_OK;
}

static enum status look_at_gap(struct follower *f, const struct solver *s, const struct gap *gap)
{
	struct finding *found;
	size_t dyn;

	if (gap->reason != GAP_CODE_WRITTEN || gap->place == 0)
		return STATUS_OK;
	/* A time of its own in any case: what code was before shall not be taken for this. */
	TRY(add_finding(f, gap->place, &found));
	dyn = gap_dyn(s, gap->position);
	if (dyn != SIZE_MAX && !has_exception(f->history, gap->position))
		f->changes |= read_past(f, s, gap, dyn, found);
	return STATUS_OK;
}

/* What code was where the trace leads to it. */
static enum status find_contents(struct follower *f)
{
	struct solver s;
	struct gap gap;
	enum status status = solve(f, false, &s);

	for (size_t i = 0; status == STATUS_OK && history_gap(f->history, i, &gap); i++)
		status = look_at_gap(f, &s, &gap);
	solve_fini(&s);
	return status;
}

/* From the first place after the last store on, code is what it is at the halt. */
static enum status find_final(struct follower *f)
{
	uint64_t last = f->hits.count > 0 ? f->hits.items[f->hits.count - 1].position : 0;
	struct finding *found;
	struct gap gap;

	if (f->tried_final)
		return STATUS_OK;
	f->tried_final = true;
	for (size_t i = 0; history_gap(f->history, i, &gap); i++) {
		if (gap.reason != GAP_CODE_WRITTEN || gap.place == 0 || gap.position <= last ||
		    gap.place <= f->refuted_place)
			continue;
		TRY(add_finding(f, gap.place, &found));
		found->is_final = true;
		f->changes = true;
		return STATUS_OK;
	}
	return STATUS_OK;
}

/* Now that no history reads the past. */
static enum status apply_findings(struct follower *f)
{
	struct code_past *past = f->past;

	for (size_t i = 0; i < f->findings.count; i++) {
		const struct finding *found = &f->findings.items[i];
		struct code_time *time;
		enum status status = code_past_time(past, found->place, &time);

		if (status == STATUS_UNSUPPORTED)
			continue;
		TRY(status);
		time->is_final = found->is_final;
		for (size_t b = 0; b < past->size; b++) {
			if (found->known[b] != CODE_KNOWN || time->known[b] != CODE_UNKNOWN)
				continue;
			time->bytes[b] = found->bytes[b];
			time->known[b] = CODE_KNOWN;
		}
		while (time->is_final && &past->times[past->time_count - 1] != time)
			free(past->times[--past->time_count].bytes);
	}
	forget_findings(f);
	return STATUS_OK;
}

static enum status build_again(struct follower *f)
{
	const struct snap_core *core = history_core(f->history);
	struct diag_list unheard = {0}; /* it was all said when it was built first */
	struct history *built = NULL;
	enum status status;

	history_destroy(f->history);
	f->history = NULL;
	TRY(apply_findings(f));
	f->build.past = f->past;
	status = history_build(f->snapshot, core, &f->build, &unheard, &built);
	diag_list_fini(&unheard);
	f->history = built;
	f->changes = false;
	return status;
}

/* The place in the trace of the first gap after a position: what is further on is later. */
static uint64_t place_after(const struct history *history, uint64_t position)
{
	struct gap gap;

	for (size_t i = history_gap_index(history, position + 1); history_gap(history, i, &gap);
	     i++) {
		if (gap.offset != 0)
			return gap.offset;
	}
	return UINT64_MAX;
}

/* What cannot have run was written after that, whatever stores are known. */
static enum status add_refuted(struct follower *f)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->refuted.count; i++) {
		const struct refuted_run *run = &f->refuted.items[i];
		uint64_t place = place_after(f->history, run->position);

		if (!was_written(f, run))
			continue;
		TRY(code_past_add(f->past, run->walk.start, run->walk.end - 1, &f->changes));
		f->refuted_place = place > f->refuted_place ? place : f->refuted_place;
		f->tried_final = false;
		f->refuted.items[kept++] = *run;
	}
	for (size_t i = 0; i < kept && !f->changes; i++) {
		const struct refuted_run *run = &f->refuted.items[i];
		uint32_t epoch = memmap_past_epoch(history_memory(f->history), run->view);
		struct hit all = {run->position, run->walk.start, run->walk.end - 1};

		if (epoch > 0 && epoch <= f->past->time_count)
			doubt(f, epoch, &run->walk, &all);
	}
	return STATUS_OK;
}

/* One step towards the fixed point: what is to be decoded otherwise. */
static enum status look(struct follower *f)
{
	TRY(refuted_code_find(f->history, &f->refuted));
	TRY(find_hits(f));
	TRY(add_ranges(f));
	TRY(add_refuted(f));
	if (f->changes || f->past->range_count == 0)
		return STATUS_OK;
	doubt_rewritten(f);
	if (final_fails(f)) {
		drop_final(f->past);
		f->changes = true;
	}
	if (f->only_checks)
		return STATUS_OK;
	if (!f->changes)
		TRY(find_contents(f));
	return f->changes ? STATUS_OK : find_final(f);
}

/* The first store after the gap to what is missing there. */
static const struct hit *store_after(const struct follower *f, const struct gap *gap)
{
	for (size_t i = 0; i < f->hits.count; i++) {
		const struct hit *hit = &f->hits.items[i];

		/* An opcode has four bytes at most. */
		if (hit->position >= gap->position && hit->last >= gap->address &&
		    hit->first <= gap->address + 3)
			return hit;
	}
	return NULL;
}

static enum status name_stores(const struct follower *f)
{
	struct gap gap;

	for (size_t i = 0; history_gap(f->history, i, &gap); i++) {
		const struct hit *hit =
		        gap.reason == GAP_CODE_WRITTEN ? store_after(f, &gap) : NULL;

		if (hit)
			TRY(history_note_store(f->history, i, hit->position));
	}
	return STATUS_OK;
}

/* How often the history is decoded to find more. */
static unsigned int rounds_of(uint64_t length)
{
	uint64_t rounds = WORK / (length + 1);

	if (rounds < ROUNDS_LEAST)
		return ROUNDS_LEAST;
	return rounds > ROUNDS ? ROUNDS : (unsigned int)rounds;
}

static enum status follow_rounds(struct follower *f)
{
	unsigned int rounds = rounds_of(history_length(f->history));

	for (unsigned int round = 0; round < rounds + ROUNDS_MORE; round++) {
		f->only_checks = round >= rounds;
		TRY(look(f));
		if (!f->changes && f->has_conflict && !f->is_lenient) {
			f->is_lenient = true;
			TRY(look(f));
		}
		if (!f->changes)
			return name_stores(f);
		TRY(build_again(f));
	}
	/* What was not looked at to the end is not said. */
	while (f->past->time_count > 0)
		free(f->past->times[--f->past->time_count].bytes);
	return build_again(f);
}

enum status written_code_follow(const struct snapshot *snapshot,
                                const struct history_options *build,
                                const struct values_options *allowed, bool is_seen,
                                struct code_past *past, struct history **history)
{
	struct follower f = {.snapshot = snapshot,
	                     .build = *build,
	                     .allowed = allowed,
	                     .past = past,
	                     .history = *history};
	enum status status;

	if (history_data(*history) || memmap_has_epochs(history_memory(*history)))
		return STATUS_OK;
	f.is_announced = code_change_is_likely(*history);
	if (!is_seen && !f.is_announced && !refuted_code_is_on_stack(*history))
		return STATUS_OK;
	status = follow_rounds(&f);
	forget_findings(&f);
	free(f.findings.items);
	refuted_code_fini(&f.refuted);
	free(f.hits.items);
	*history = f.history;
	/* Too large to be looked at: it is what it was. */
	return status == STATUS_UNSUPPORTED ? STATUS_OK : status;
}
