/* SPDX-License-Identifier: Apache-2.0 */
/* A value followed to where it was made; see origin.h. */
#include "replay/past/origin.h"

#include <stdlib.h>

#include "base/vec.h"
#include "replay/history/history.h"
#include "replay/past/last_writer.h"
#include "replay/past/made_of.h"
#include "replay/past/other_writers.h"
#include "replay/past/past_window.h"

enum {
	LOOP_MOST = 16,       /* steps of a loop that are told once */
	CONSTANT_LOOK = 1024, /* steps back in which a constant is looked for */
	CONSTANT_DEPTH = 4,
	OTHER_STORES_MOST = 16, /* of other cores, of which one left what is found */
};

/* Where the search is: what is followed has its value before the step `at`. */
struct trail {
	struct values *values;
	struct origin *out;
	struct past_place at;
	bool is_memory;
	unsigned int reg;
	uint64_t address;
	uint64_t size;
	struct bits held; /* what is known of these bytes */
	bool is_possible;
	bool is_over;
};

const char *origin_word(enum origin_kind kind)
{
	static const char *const words[ORIGIN_KINDS] = {
#define WAY(name, word, text) word,
#define END(name, word, text) word,
#include "replay/past/origin.def"
	};

	return words[kind];
}

const char *origin_text(enum origin_kind kind)
{
	static const char *const texts[ORIGIN_KINDS] = {
#define WAY(name, word, text) text,
#define END(name, word, text) text,
#include "replay/past/origin.def"
	};

	return texts[kind];
}

bool origin_is_end(enum origin_kind kind)
{
	return origin_text(kind)[0] != '\0';
}

static unsigned int stack_pointer(const struct trail *t)
{
	return history_core(values_history(t->values))->arch == CORE_A64 ? REG_SP : 13;
}

static bool is_same_code(const struct origin_step *a, const struct origin_step *b)
{
	return a->kind == b->kind && a->code.is_there && b->code.is_there &&
	       a->code.pc == b->code.pc;
}

/* The last `size` steps do what the same number before them did. */
static bool is_loop(const struct origin *o, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (!is_same_code(&o->steps[o->count - 1 - i], &o->steps[o->count - 1 - i - size]))
			return false;
	}
	return true;
}

static void fold_loop(struct origin *o)
{
	size_t size = 1;

	while (size <= LOOP_MOST && 2 * size <= o->count && !is_loop(o, size))
		size++;
	if (size > LOOP_MOST || 2 * size > o->count)
		return;
	for (size_t i = 0; i < size; i++) {
		struct origin_step *kept = &o->steps[o->count - 2 * size + i];
		const struct origin_step *gone = &o->steps[o->count - size + i];

		kept->repeats += 1 + gone->repeats;
		kept->oldest = gone->repeats > 0 ? gone->oldest : gone->position;
		kept->possible += gone->possible;
		kept->is_possible |= gone->is_possible;
	}
	o->count -= size;
}

/* Takes the step; the search ends with it if its kind says so. */
static enum status add(struct trail *t, const struct origin_step *step)
{
	struct origin *o = t->out;

	t->is_over = origin_is_end(step->kind);
	TRY(vec_reserve((void **)&o->steps, &o->capacity, o->count + 1, sizeof(*o->steps)));
	o->steps[o->count] = *step;
	o->steps[o->count].is_possible |= t->is_possible;
	t->is_possible = o->steps[o->count++].is_possible;
	if (!t->is_over)
		fold_loop(o);
	if (!t->is_over && o->count == ORIGIN_STEPS) {
		o->steps[o->count - 1].kind = ORIGIN_MOST;
		t->is_over = true;
	}
	return STATUS_OK;
}

/* A step of the window as a step of the origin. */
static struct origin_step step_of(const struct trail *t, size_t step)
{
	const struct window *w = past_dyns(&t->at.window);

	return (struct origin_step){
	        .position = window_position_of(w, step),
	        .code = past_code_of(w, step),
	        .reg = t->reg,
	};
}

/* An end that is no instruction. */
static enum status end_at(struct trail *t, enum origin_kind kind, uint64_t position,
                          uint64_t possible)
{
	const struct origin_step step = {
	        .kind = kind,
	        .position = position,
	        .is_memory = t->is_memory,
	        .reg = t->reg,
	        .address = t->address,
	        .size = t->size,
	        .possible = possible,
	        .is_possible = possible > 0,
	        .value = {.bits = t->held, .width = 8 * (unsigned int)t->size},
	};

	return add(t, &step);
}

/* What lies between instructions leaves what is not known. */
static enum origin_kind kind_of_event(const struct trail *t, uint64_t position)
{
	return history_has_gap_at(values_history(t->values), position) ? ORIGIN_GAP : ORIGIN_SYSTEM;
}

/* The register was made of constants of instructions alone, not long ago. */
static bool is_constant(const struct trail *t, size_t step, unsigned int reg, unsigned int depth)
{
	const struct past_window *window = &t->at.window;
	struct made_of m;
	size_t end = step;
	unsigned int slot;

	while (step > 0 && end - step < CONSTANT_LOOK &&
	       !past_writes(past_dyns(window), step - 1, reg))
		step--;
	if (step == 0 || end - step == CONSTANT_LOOK || depth == 0)
		return false;
	slot = made_of_register(past_dyns(window), step - 1, reg);
	if (slot == SLOT_NONE)
		return false;
	m = made_of_slot(window, step - 1, slot);
	if (m.is_more || m.is_not_known || m.count > 1)
		return false;
	return m.count == 0 ||
	       (m.sources[0] < REG_COUNT && is_constant(t, step - 1, m.sources[0], depth - 1));
}

/* Leaves what is not a constant. */
static void drop_constants(const struct trail *t, size_t step, struct made_of *m)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < m->count; i++) {
		if (m->sources[i] >= REG_COUNT ||
		    !is_constant(t, step, m->sources[i], CONSTANT_DEPTH))
			m->sources[count++] = m->sources[i];
	}
	m->count = count;
}

static void say_sources(const struct trail *t, size_t step, const struct made_of *m,
                        struct origin_step *s)
{
	for (unsigned int i = 0; i < m->count && i < ORIGIN_SOURCES; i++) {
		if (m->sources[i] >= REG_COUNT)
			continue;
		s->sources[s->source_count].reg = m->sources[i];
		s->sources[s->source_count++].value =
		        past_slot(&t->at.window, step, m->sources[i],
		                  past_register_width(t->values, m->sources[i]));
	}
}

/* Where an access of the step `t->at` goes, from a larger window if a smaller one does not say. */
static struct past_value address_of(struct trail *t, unsigned int index)
{
	uint64_t position = window_position_of(past_dyns(&t->at.window), t->at.dyn);

	for (;;) {
		const struct window *w = past_dyns(&t->at.window);
		struct past_place wider;
		struct past_value address =
		        past_address(&t->at.window, window_access(w, t->at.dyn) + index);

		if (past_value_is_known(&address) || !window_template(w, t->at.dyn)->is_code ||
		    !values_widen(t->values))
			return address;
		if (!past_window_at(t->values, position, &wider))
			return (struct past_value){.width = 64};
		t->at = wider;
	}
}

/* The value was loaded by an access of the step. */
static void go_to_memory(struct trail *t, unsigned int index, struct origin_step *s)
{
	const struct template *template = window_template(past_dyns(&t->at.window), t->at.dyn);
	unsigned int size = template->insn->accesses[index].size;
	struct past_value address;

	s->kind = ORIGIN_NO_ADDRESS;
	if (template->kills_memory)
		return;
	address = address_of(t, index);
	if (!past_value_is_known(&address))
		return;
	s->kind = s->is_memory ? ORIGIN_STORE : ORIGIN_LOAD;
	s->value.is_assumed |= address.is_assumed;
	t->is_memory = true;
	t->address = address.bits.value;
	t->size = size;
	t->held = memdep_masked(s->value.bits, bits_mask(8 * size));
	if (!s->is_memory) {
		s->address = t->address;
		s->size = t->size;
	}
}

/* The step made the value, of s, of this. `way`: what it is if the search goes on. */
static enum status go_on(struct trail *t, size_t step, struct made_of m, struct origin_step *s)
{
	enum origin_kind way = m.is_changed ? ORIGIN_COMPUTE : ORIGIN_MOVE;

	t->at.dyn = step;
	if (!m.is_more && m.count > 1)
		drop_constants(t, step, &m);
	if (m.is_not_known) {
		s->kind = s->code.is_there ? ORIGIN_RESULT : kind_of_event(t, s->position);
	} else if (m.count == 0) {
		s->kind = ORIGIN_IMMEDIATE;
	} else if (m.count > 1 || m.is_more) {
		s->kind = ORIGIN_COMBINED;
		say_sources(t, step, &m, s);
	} else if (m.sources[0] >= REG_COUNT) {
		go_to_memory(t, m.sources[0] - REG_COUNT, s);
	} else if (m.sources[0] == stack_pointer(t)) {
		s->kind = ORIGIN_STACK;
	} else {
		/* An instruction whose condition did not hold. */
		bool is_none =
		        !s->is_memory && !m.is_changed && !m.is_cut && m.sources[0] == t->reg;

		s->kind = s->is_memory ? ORIGIN_STORE : way;
		t->is_memory = false;
		t->reg = m.sources[0];
		if (is_none)
			return STATUS_OK;
	}
	return add(t, s);
}

static enum status follow_register(struct trail *t)
{
	const struct past_window *window = &t->at.window;
	struct origin_step s;
	size_t step;
	unsigned int slot;
	enum status status = past_last_write(window, t->at.dyn, t->reg, &step);

	if (status == STATUS_NOT_FOUND) {
		uint64_t from = past_dyns(window)->options.from;

		t->size = 0;
		if (past_window_older(t->values, &t->at))
			return STATUS_OK;
		TRY(past_status(t->values));
		return end_at(t, from == 0 ? ORIGIN_INPUT : ORIGIN_BLIND, from, 0);
	}
	if (status != STATUS_OK)
		return status;
	s = step_of(t, step);
	slot = made_of_register(past_dyns(window), step, t->reg);
	if (slot == SLOT_NONE) {
		s.kind = s.code.is_there ? ORIGIN_RESULT : kind_of_event(t, s.position);
		return add(t, &s);
	}
	s.value = past_slot(window, step, slot, past_register_width(t->values, t->reg));
	return go_on(t, step, made_of_slot(window, step, slot), &s);
}

/* The store as a step, of which nothing is said of what it stored. */
static struct origin_step step_of_store(const struct trail *t, const struct last_writer *found)
{
	struct origin_step s = step_of(t, found->at.dyn);

	s.possible = found->possible;
	s.is_possible = found->possible > 0;
	s.is_candidate = found->is_only;
	s.is_memory = true;
	s.address = t->address;
	s.size = t->size;
	s.kind = kind_of_event(t, s.position);
	s.value = (struct past_value){t->held, 8 * (unsigned int)t->size, false};
	if (found->is_candidate && !found->is_only)
		s.kind = ORIGIN_CANDIDATES;
	return s;
}

/* The part of what is followed that the store wrote, and what it wrote it of. */
static enum status follow_store(struct trail *t, const struct last_writer *found)
{
	const struct past_window *window = &found->at.window;
	const struct memdep_access *a = &window->proved->memory.accesses[found->access];
	const struct uop_access *access;
	struct past_value address = past_address(window, found->access);
	uint64_t skip = 0;
	struct origin_step s;

	t->at = found->at;
	s = step_of_store(t, found);
	if (a->index == ACCESS_KILL || a->kind != ACCESS_STORE || s.kind == ORIGIN_CANDIDATES)
		return add(t, &s);
	access = memdep_access_of(window->proved, a);
	s.is_somewhere = !past_value_is_known(&address);
	if (s.is_somewhere) {
		s.size = a->size;
	} else {
		s.address = t->address > address.bits.value ? t->address : address.bits.value;
		s.size = t->address + t->size - s.address;
		if (s.size > address.bits.value + a->size - s.address)
			s.size = address.bits.value + a->size - s.address;
		skip = s.address - address.bits.value;
	}
	s.is_part = s.size < t->size;
	s.value = past_slot(window, found->at.dyn, access->data, 64);
	s.value.width = 8 * (unsigned int)s.size;
	s.value.bits = memdep_masked(
	        (struct bits){s.value.bits.value >> 8 * skip, s.value.bits.known >> 8 * skip},
	        bits_mask(s.value.width));
	s.value.is_assumed |= address.is_assumed;
	return go_on(t, found->at.dyn, made_of_slot(window, found->at.dyn, access->data), &s);
}

static uint64_t own_position(const struct last_writer *own)
{
	return window_position_of(past_dyns(&own->at.window), own->at.dyn);
}

/* What is followed is not what the store left. */
static bool is_refuted(const struct trail *t, const struct other_writer *other)
{
	return ((other->value.bits.value ^ t->held.value) & other->value.bits.known &
	        t->held.known) != 0;
}

/* The part of what is followed that the store wrote. */
static struct origin_step step_of_other(const struct trail *t, const struct other_writer *other)
{
	const struct other_store *store = &other->store;
	uint64_t ahead = (t->address - store->address) & ADDRESS_BITS;
	uint64_t behind = ahead < store->size ? 0 : (store->address - t->address) & ADDRESS_BITS;
	uint64_t skip = ahead < store->size ? ahead : 0;
	uint64_t end = behind + store->size - skip;
	struct origin_step s = {
	        .kind = ORIGIN_OTHER_CORE,
	        .position = store->position,
	        .code = other->code,
	        .is_memory = true,
	        .reg = REG_COUNT,
	        .address = t->address + behind,
	        .size = (end < t->size ? end : t->size) - behind,
	        .other = other->history,
	        .other_first = store->first,
	        .other_last = store->last,
	};

	s.is_part = s.size < t->size;
	s.value = (struct past_value){.width = s.size < 8 ? 8 * (unsigned int)s.size : 64,
	                              .is_assumed = other->value.is_assumed};
	if (skip < 8)
		s.value.bits = memdep_masked(
		        (struct bits){store->data.value >> 8 * skip, store->data.known >> 8 * skip},
		        bits_mask(s.value.width));
	return s;
}

/*
 * Something else may have written it after the store of another core did: this core, another one,
 * or what is not traced.
 */
static enum status find_doubt(struct trail *t, const struct past_subject *subject,
                              uint64_t position, const struct last_writer *own,
                              const struct other_store *store, bool *is_doubtful)
{
	struct other_writers younger;
	enum status status =
	        other_writers_find(t->values, subject, store->first, position, 1, &younger);

	*is_doubtful = younger.is_open || younger.is_unknown || younger.is_cut ||
	               store->last > position ||
	               (own->possible > 0 && own->youngest >= store->first) ||
	               (own->is_blind && own->blind >= store->first) ||
	               (own->is_found && store->first <= own_position(own));
	other_writers_fini(&younger);
	return status;
}

/* Ends with another core's store, if one may be younger than this core's. */
static enum status find_other(struct trail *t, uint64_t position, struct last_writer *own)
{
	const struct past_subject subject = {
	        .is_memory = true, .address = t->address, .size = t->size};
	uint64_t after = own->is_found ? own_position(own) + 1 : 0;
	struct other_writers others;
	enum status status = other_writers_find(t->values, &subject, after, position,
	                                        OTHER_STORES_MOST, &others);
	size_t i = 0;

	/* One that left something else came before what left this. */
	while (status == STATUS_OK && i < others.count && is_refuted(t, &others.all[i]))
		i++;
	if (status == STATUS_OK && i < others.count) {
		struct origin_step s = step_of_other(t, &others.all[i]);

		status = find_doubt(t, &subject, position, own, &others.all[i].store,
		                    &s.is_possible);
		s.possible = i;
		s.is_possible |= i > 0;
		if (status == STATUS_OK)
			status = add(t, &s);
	}
	own->possible += i;
	other_writers_fini(&others);
	return status;
}

static enum status follow_memory(struct trail *t)
{
	uint64_t position = window_position_of(past_dyns(&t->at.window), t->at.dyn);
	struct last_writer found;

	if (past_is_constant(&t->at, t->address, t->size))
		return end_at(t, ORIGIN_CONSTANT, position, 0);
	if (past_is_device(&t->at, t->address, t->size))
		return end_at(t, ORIGIN_DEVICE, position, 0);
	TRY(last_writer_find(t->values, position,
	                     &(struct last_writer_of){t->address, t->size, t->held}, &found));
	TRY(find_other(t, position, &found));
	if (t->is_over)
		return STATUS_OK;
	if (!found.is_found && found.is_blind)
		return end_at(t, ORIGIN_BLIND, found.blind, found.possible);
	if (!found.is_found)
		return end_at(t, ORIGIN_INPUT, 0, found.possible);
	return follow_store(t, &found);
}

/* The PC is where the last instruction went. */
static enum status follow_pc(struct trail *t)
{
	const struct past_window *window = &t->at.window;
	const struct window *w = past_dyns(window);
	size_t step = t->at.dyn;
	struct origin_step s;
	unsigned int slot;

	if (step == 0)
		return end_at(t, ORIGIN_INPUT, w->options.from, 0);
	s = step_of(t, --step);
	s.value = t->out->value;
	slot = window_template(w, step)->insn->branch.slot;
	if (!s.code.is_there || window_template(w, step)->insn->branch.kind < BRANCH_INDIRECT ||
	    slot == SLOT_NONE) {
		s.kind = s.code.is_there ? ORIGIN_FLOW : kind_of_event(t, s.position);
		return add(t, &s);
	}
	return go_on(t, step, made_of_slot(window, step, slot), &s);
}

static enum status follow(struct trail *t)
{
	if (t->is_memory)
		return follow_memory(t);
	return t->reg == REG_COUNT ? follow_pc(t) : follow_register(t);
}

static struct past_value subject_value(const struct trail *t)
{
	struct past_value pc = {.width = 64};

	if (!t->is_memory && t->reg == REG_COUNT) {
		if (history_pc(values_history(t->values),
		               window_position_of(past_dyns(&t->at.window), t->at.dyn),
		               &pc.bits.value) == STATUS_OK)
			pc.bits.known = UINT64_MAX;
		return pc;
	}
	if (!t->is_memory)
		return past_slot(&t->at.window, t->at.dyn, t->reg,
		                 past_register_width(t->values, t->reg));
	return past_bytes(&t->at.window, t->at.dyn, t->address,
	                  t->size < 8 ? (unsigned int)t->size : 8);
}

enum status origin_find(struct values *values, uint64_t position,
                        const struct past_subject *subject, struct origin *origin)
{
	struct trail t = {.values = values, .out = origin};
	enum core_arch arch = history_core(values_history(values))->arch;
	enum status status = STATUS_OK;

	*origin = (struct origin){.reg = REG_COUNT, .value = {.width = 64}};
	t.is_memory = subject->is_memory;
	t.address = subject->address;
	t.size = subject->size;
	if (!t.is_memory) {
		struct register_slot slot = register_slot_of(arch, subject->number);

		if (slot.count == 0 && subject->number != REGISTER_PC)
			return STATUS_UNSUPPORTED;
		t.reg = slot.count == 0 ? REG_COUNT : slot.slot;
		origin->reg = t.reg;
	}
	if (!past_window_at(values, position, &t.at)) {
		TRY(past_status(values));
		return end_at(&t, ORIGIN_BLIND, position, 0);
	}
	origin->value = subject_value(&t);
	if (t.is_memory)
		t.held = origin->value.bits;
	while (status == STATUS_OK && !t.is_over)
		status = follow(&t);
	return status;
}

void origin_fini(struct origin *origin)
{
	free(origin->steps);
	*origin = (struct origin){0};
}
