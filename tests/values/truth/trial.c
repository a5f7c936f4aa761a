/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots cut from a recording; see trial.h. */
#include "tests/values/truth/trial.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/register.h"
#include "replay/history/history_part.h"
#include "replay/values/explain/explain.h"
#include "replay/values/solver/solver.h"
#include "tests/history/made_exception.h"
#include "tests/values/truth/step.h"

const uint64_t trial_distances[DISTANCES] = {100, 1000, 10000, 100000, UINT64_MAX};

enum {
	REGISTERS_MOST = 80,
	WRONG_SHOWN = 5,
	STACK_ABOUT = 1 << 15,
	HOLE = 512,
	NEAR = 1000, /* positions before the end that are looked at one by one */
	STRIDE = 5,  /* after them */
};

/* A snapshot of one core, and the values of its past. */
struct cut {
	const struct trial *trial;
	struct snapshot snapshot;
	struct snap_core core;
	struct snap_source source;
	struct snap_source *sources[1];
	struct snap_device device;
	struct register_file file;
	struct snap_register registers[REGISTERS_MOST];
	uint8_t bytes[REGISTERS_MOST][16];
	uint8_t **copies; /* of the recording's ranges */
	struct history *history;
	struct values *values;
	struct solver solver; /* of a trial with a window */
	size_t window_from;
	unsigned int flipped_register; /* in the file, or REGISTERS_MOST */
	uint64_t flipped_address;
	bool has_flipped_address;
	uint64_t random;
	uint64_t elements; /* of the history, so far */
};

static uint64_t next_random(struct cut *c)
{
	c->random ^= c->random << 13;
	c->random ^= c->random >> 7;
	c->random ^= c->random << 17;
	return c->random;
}

static size_t random_below(struct cut *c, size_t n)
{
	uint64_t random = next_random(c);

	return n > 0 ? (size_t)(random % n) : 0;
}

/* What is recorded of a register of the file at a state; false if nothing is. */
static bool truth_of(const struct cut *c, size_t at, unsigned int number, uint8_t *bytes)
{
	const struct recording *r = c->trial->recording;
	const struct state *s = &r->states[at];
	unsigned int index = step_register_index(r->arch, number);
	const uint64_t *vectors = s->has_vectors ? r->vectors[at] : NULL;
	uint64_t words[2] = {0, 0};

	if (index < GENERAL) {
		if ((s->known >> index & 1) == 0)
			return false;
		words[0] = s->x[index];
	} else if (r->arch == CORE_M && s->has_stacks && (number == M_msp || number == M_psp)) {
		words[0] = number == M_msp ? s->msp : s->psp;
	} else if (r->arch == CORE_M && s->has_stacks && number == M_control) {
		words[0] = (s->psr & 0x1ff) == 0 ? 2 : 0; /* threads have the process stack */
	} else if (number == REGISTER_PC) {
		words[0] = s->pc;
	} else if (index == STEP_FLAGS) {
		if (!s->has_flags)
			return false;
		words[0] = s->psr;
	} else if (index >= STEP_VECTORS && index < STEP_NOTHING && vectors) {
		index -= STEP_VECTORS;
		words[0] = vectors[r->arch == CORE_A64 ? 2 * index : index];
		words[1] = r->arch == CORE_A64 ? vectors[2 * index + 1] : 0;
	} else {
		return false;
	}
	for (unsigned int i = 0; i < 16; i++)
		bytes[i] = (uint8_t)(words[i / 8] >> 8 * (i % 8));
	return true;
}

static void make_registers(struct cut *c)
{
	unsigned int count = 0;
	unsigned int numbers[REGISTERS_MOST];
	const char *type = "";

	for (unsigned int i = 0; i < c->file.trace; i++) {
		const struct register_info *info = &c->file.table[i];
		const char *bar = strchr(info->snapshot_names, '|');
		struct str name = str_of(info->snapshot_names);

		if (!truth_of(c, c->trial->to, i, c->bytes[count]))
			continue;
		if (bar)
			name.n = (size_t)(bar - info->snapshot_names);
		c->registers[count] = (struct snap_register){
		        .name = name, .bits = info->bits, .value = c->bytes[count]};
		numbers[count++] = i;
	}
	if (c->trial->flip == FLIP_REGISTER && count > 1) {
		unsigned int which = 1 + (unsigned int)random_below(c, count - 1);
		unsigned int bit = (unsigned int)random_below(c, c->registers[which].bits);

		while (step_register_index(c->file.arch, numbers[which]) >= GENERAL) {
			which = 1 + (unsigned int)random_below(c, count - 1);
			bit = (unsigned int)random_below(c, c->registers[which].bits);
		}
		c->bytes[which][bit / 8] ^= (uint8_t)(1u << bit % 8);
		c->flipped_register = numbers[which];
	}
	if (c->file.arch == CORE_M)
		type = c->trial->recording->has_security ? "Cortex-M33" : "Cortex-M3";
	c->device = (struct snap_device){.name = STR("cpu_0"),
	                                 .class = DEVICE_CORE,
	                                 .type = str_of(type),
	                                 .registers = c->registers,
	                                 .register_count = count};
}

static bool is_dumped(const struct cut *c, const struct range *range, uint64_t address)
{
	const struct state *end = &c->trial->recording->states[c->trial->to];
	uint64_t sp = end->x[c->file.arch == CORE_A64 ? 31 : 13];

	if (range->read_only || c->trial->dumps == DUMPS_ALL)
		return true;
	if (c->trial->dumps == DUMPS_STACK)
		return address - (sp - STACK_ABOUT) < UINT64_C(2) * STACK_ABOUT;
	/* Also within words. */
	return c->trial->dumps == DUMPS_HOLES && ((address + 3) / HOLE) % 2 == 0;
}

/* Adds the part of a range from `offset` on in which all bytes are dumped or none is. */
static uint64_t add_part(struct cut *c, size_t index, uint64_t offset)
{
	const struct range *range = &c->trial->recording->ranges[index];
	bool is_there = false;
	uint64_t n;

	for (n = 0; offset + n < range->length; n++) {
		bool here = range_knows(c->trial->recording, range, offset + n) &&
		            is_dumped(c, range, range->address + offset + n);

		if (n == 0)
			is_there = here;
		if (here != is_there)
			break;
	}
	if (is_there) {
		struct mem_region region = {.address = range->address + offset,
		                            .length = n,
		                            .space = SPACE_ANY,
		                            .read_only = range->read_only,
		                            .data = c->copies[index] + offset,
		                            .origin = STR("recording")};

		if (memmap_add(c->core.memory, &region) != STATUS_OK)
			exit(2);
	}
	return offset + n;
}

static bool has_code_at(const struct trial *t, uint64_t address)
{
	for (size_t i = t->from; i < t->to; i++) {
		if (address - t->recording->states[i].pc < 4)
			return true;
	}
	return false;
}

/* A byte that the trial changes, or NULL. */
static uint8_t *byte_to_flip(struct cut *c)
{
	const struct recording *r = c->trial->recording;

	for (unsigned int tries = 0; tries < 100; tries++) {
		size_t index = random_below(c, r->range_count);
		uint64_t offset = random_below(c, r->ranges[index].length);
		uint64_t address = r->ranges[index].address + offset;

		/* Bytes that somebody changed matter more than the many that nobody did. */
		if (tries % 2 == 0 && r->change_count > 0) {
			address = r->changes[random_below(c, r->change_count)].address;
			for (index = 0; index < r->range_count; index++) {
				offset = address - r->ranges[index].address;
				if (offset < r->ranges[index].length)
					break;
			}
		}
		if (index == r->range_count || has_code_at(c->trial, address))
			continue;
		c->flipped_address = address;
		c->has_flipped_address = true;
		return &c->copies[index][offset];
	}
	return NULL;
}

static bool is_flow(const struct cut *c, const struct insn_view *step)
{
	(void)c;
	return step->insn.class != INSN_OTHER || step->insn.it_count > 0;
}

static void flip_code(struct cut *c)
{
	const struct trial *t = c->trial;

	for (unsigned int tries = 0; tries < 100; tries++) {
		size_t near = t->to - t->from < 2000 ? t->to - t->from : 2000;
		size_t at = t->to - 1 - random_below(c, near);
		struct insn_view was;
		struct insn_view is;

		step_read(t->recording, at, &was);
		for (size_t i = 0; i < t->recording->range_count; i++) {
			const struct range *range = &t->recording->ranges[i];
			uint64_t offset = was.address - range->address;
			unsigned int bit = (unsigned int)random_below(c, (size_t)8 * was.size);

			if (offset >= range->length)
				continue;
			c->copies[i][offset + bit / 8] ^= (uint8_t)(1u << bit % 8);
			step_read_bytes(t->recording, at, c->copies[i] + offset, &is);
			if (!is_flow(c, &was) && !is_flow(c, &is) && was.size == is.size)
				return;
			c->copies[i][offset + bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
	}
}

/* Another core has written all that can be written, but no code. */
static void scramble(struct cut *c)
{
	const struct recording *r = c->trial->recording;

	for (size_t i = 0; i < r->range_count; i++) {
		const struct range *range = &r->ranges[i];

		for (uint64_t k = 0; k < range->length && !range->read_only; k++)
			c->copies[i][k] = (uint8_t)next_random(c);
	}
	for (size_t at = c->trial->from; at < c->trial->to; at++) {
		for (size_t i = 0; i < r->range_count; i++) {
			uint64_t offset = r->states[at].pc - r->ranges[i].address;

			for (uint64_t k = offset; offset < r->ranges[i].length && k < offset + 4 &&
			                          k < r->ranges[i].length;
			     k++)
				c->copies[i][k] = r->ranges[i].bytes[k];
		}
	}
}

static void make_memory(struct cut *c)
{
	const struct recording *r = c->trial->recording;
	uint8_t *byte;

	c->core.memory = memmap_create();
	c->copies = calloc(r->range_count, sizeof(*c->copies));
	for (size_t i = 0; i < r->range_count; i++) {
		c->copies[i] = malloc(r->ranges[i].length);
		memcpy(c->copies[i], r->ranges[i].bytes, r->ranges[i].length);
	}
	if (c->trial->is_shared)
		scramble(c);
	if (c->trial->flip == FLIP_MEMORY) {
		byte = byte_to_flip(c);
		if (byte)
			*byte ^= (uint8_t)(1u << random_below(c, 8));
	} else if (c->trial->flip == FLIP_CODE) {
		flip_code(c);
	}
	for (size_t i = 0; i < r->range_count; i++) {
		for (uint64_t offset = 0; offset < r->ranges[i].length;)
			offset = add_part(c, i, offset);
	}
	if (memmap_freeze(c->core.memory) != STATUS_OK)
		exit(2);
}

/* Where the instruction before a state led to: an exception may have come between. */
static uint64_t next_pc(const struct recording *r, size_t at)
{
	for (size_t i = 0; r->arch == CORE_M && i < r->between_count; i++) {
		const struct element *e = &r->betweens[i].element;

		if (r->betweens[i].position == at && e->type == ELEMENT_EXCEPTION &&
		    e->exception.has_return_address)
			return e->exception.return_address;
	}
	return r->states[at].pc;
}

/* What an atom says of the instruction: CBZ and A64's branches tell it by where they went. */
static bool is_taken(const struct cut *c, size_t at, const struct insn_view *step)
{
	const struct recording *r = c->trial->recording;

	if (step->insn.class == INSN_OTHER && r->protocol != PROTOCOL_ETM3)
		return true;
	if (r->states[at].isa != ISA_A64 && !step_is_executed(r, at, step))
		return false;
	/* A branch without a condition is taken, were it to the next instruction. */
	return step->insn.class == INSN_OTHER || !step->insn.is_conditional ||
	       step_has_condition(r, at, step) || next_pc(r, at + 1) != step->address + step->size;
}

static bool is_in_gap(const struct trial *t, size_t at)
{
	return t->gap_length > 0 && at < t->gap && at + t->gap_length >= t->gap;
}

static size_t gap_before(const struct trial *t, size_t at)
{
	return t->gap_length > 0 && at >= t->gap ? t->gap_length : 0;
}

/* Position in the history of a state that is not in the gap, and back. */
static size_t position_of(const struct trial *t, size_t at)
{
	return at - t->from - gap_before(t, at);
}

static size_t state_of(const struct trial *t, size_t position)
{
	size_t at = t->from + position;

	return t->gap_length > 0 && at + t->gap_length >= t->gap ? at + t->gap_length : at;
}

/* Instructions from `at` on up to a branch, or whatever else ends a range. */
static size_t range_at(const struct cut *c, size_t at, struct element *e)
{
	const struct trial *t = c->trial;
	const struct recording *r = t->recording;
	struct insn_view step;
	size_t i = at;

	*e = (struct element){.type = ELEMENT_INSTR_RANGE, .isa = r->states[at].isa};
	e->range.start = r->states[at].pc;
	do {
		step_read(r, i, &step);
		i++;
	} while (i < t->to && r->protocol != PROTOCOL_ETM3 && step.insn.class == INSN_OTHER &&
	         !step_has_between(r, i) && !is_in_gap(t, i) &&
	         r->states[i].pc == step.address + step.size);
	e->range.end = step.address + step.size;
	e->range.count = (uint32_t)(i - at);
	e->range.last_size = (uint8_t)step.size;
	e->range.last_class = step.insn.class;
	e->range.last_subclass = step.insn.subclass;
	e->range.last_conditional = step.insn.is_conditional;
	e->range.last_executed = is_taken(c, i - 1, &step);
	return i;
}

/* Where an element lies in the trace says which came first. */
static void add_element(struct cut *c, struct part_builder *b, const struct element *e)
{
	struct decoded decoded = {.is_drained = true, .element = *e};

	decoded.element.offset = ++c->elements;
	tell_exception(&decoded.element, c->source.protocol, c->core.arch);
	if (part_add(b, &decoded) != STATUS_OK)
		exit(2);
}

static void add_gap(struct cut *c, struct part_builder *b)
{
	static const struct element elements[] = {
	        [GAP_AS_TRACE_ON] = {.type = ELEMENT_TRACE_ON},
	        [GAP_AS_OVERFLOW] = {.type = ELEMENT_TRACE_ON, .trace_on = TRACE_ON_OVERFLOW},
	        [GAP_AS_BAD_PACKET] = {.type = ELEMENT_NO_SYNC, .no_sync = NO_SYNC_BAD_PACKET},
	};

	if (c->trial->gap_shown != GAP_AS_NOTHING)
		add_element(c, b, &elements[c->trial->gap_shown]);
}

static void make_history(struct cut *c)
{
	const struct trial *t = c->trial;
	const struct recording *r = t->recording;
	struct graph *graph = graph_create();
	struct part_builder b;
	size_t between = 0;
	uint64_t end = r->states[t->to].pc;

	if (!graph || part_init(&b, &c->core, graph) != STATUS_OK)
		exit(2);
	while (between < r->between_count && r->betweens[between].position <= t->from)
		between++;
	if (r->has_security)
		add_element(c, &b,
		            &(struct element){.type = ELEMENT_PE_CONTEXT,
		                              .context.security = r->security});
	for (size_t at = t->from; at < t->to;) {
		struct element e;

		if (is_in_gap(t, at)) {
			add_gap(c, &b);
			at = t->gap;
			continue;
		}
		for (; between < r->between_count && r->betweens[between].position <= at; between++)
			add_element(c, &b, &r->betweens[between].element);
		at = range_at(c, at, &e);
		add_element(c, &b, &e);
	}
	for (; between < r->between_count && r->betweens[between].position <= t->to; between++)
		add_element(c, &b, &r->betweens[between].element);
	if (part_end(&b) != STATUS_OK ||
	    history_of_part(&c->core, &graph, &b, &end, &c->history) != STATUS_OK)
		exit(2);
	part_fini(&b);
	graph_destroy(graph);
}

static bool solve_window_of(struct cut *c)
{
	const struct trial *t = c->trial;
	size_t length = position_of(t, t->to);
	struct solve_options options = {.single_writer = !t->is_shared,
	                                .abi = t->abi || t->trusts,
	                                .private_locals = t->trusts};

	c->window_from = random_below(c, length);
	options.window.from = c->window_from;
	options.window.to =
	        length - c->window_from > t->window ? c->window_from + t->window : length;
	options.window.handler_preserves = true;
	return solve_init(&c->solver, c->history, &options) == STATUS_OK;
}

/* Whether the flipped register or byte has not been written since: it says what it was told. */
static bool repeats_flip(const struct cut *c, size_t at, unsigned int number)
{
	if (number != c->flipped_register)
		return false;
	for (size_t i = at; i < c->trial->to; i++) {
		if (step_defines(c->trial->recording, i, number))
			return false;
	}
	return true;
}

static void show(const struct cut *c, size_t at, const char *what, uint64_t said, uint64_t truth,
                 const struct score *score)
{
	if (score->wrong > WRONG_SHOWN)
		return;
	printf("WRONG: part %zu..%zu seed %" PRIu64
	       " dumps %d window %zu+%zu: state %zu (%zu before the end), "
	       "pc %#" PRIx64 ": %s is %#" PRIx64 ", was %#" PRIx64 "\n",
	       c->trial->from, c->trial->to, c->trial->seed, (int)c->trial->dumps, c->window_from,
	       c->trial->window, at, c->trial->to - at, c->trial->recording->states[at].pc, what,
	       said, truth);
}

static void read_value(struct cut *c, size_t at, unsigned int number, struct value *value)
{
	if (c->trial->window == 0)
		values_register(c->values, position_of(c->trial, at), number, value);
	else
		step_window_register(&c->solver, position_of(c->trial, at), &c->file, number,
		                     value);
}

static void check_register(struct cut *c, size_t at, unsigned int number,
                           const struct insn_view *step, struct score *score)
{
	uint8_t truth[16];
	struct value value;
	uint64_t said = 0;
	uint64_t true_word = 0;
	bool is_wrong = false;
	unsigned int index = step_register_index(c->file.arch, number);

	if (!truth_of(c, at, number, truth))
		return;
	read_value(c, at, number, &value);
	for (unsigned int i = 0; i < value.size; i++) {
		is_wrong |= ((value.bits[i] ^ truth[i]) & value.known[i]) != 0;
		said |= i < 8 ? (uint64_t)value.bits[i] << 8 * i : 0;
		true_word |= i < 8 ? (uint64_t)truth[i] << 8 * i : 0;
	}
	if (is_wrong) {
		score->wrong++;
		score->wrong_apart += !repeats_flip(c, at, number);
		if (c->trial->flip == FLIP_NONE)
			show(c, at, c->file.table[number].name, said, true_word, score);
	}
	for (unsigned int d = 0; d < DISTANCES && index < GENERAL; d++) {
		if (c->trial->to - at > trial_distances[d])
			continue;
		score->all[d].asked++;
		score->all[d].known += value_is_known(&value);
		if (!step_uses(step, index))
			continue;
		score->read[d].asked++;
		score->read[d].known += value_is_known(&value);
	}
}

static void check_position(struct cut *c, size_t at, bool with_vectors, struct score *score)
{
	struct insn_view step;

	step_expand(c->trial->recording, at, &step);
	for (unsigned int number = 1; number < c->file.trace; number++) {
		if (with_vectors || step_register_index(c->file.arch, number) < STEP_VECTORS)
			check_register(c, at, number, &step, score);
	}
}

static bool word_repeats_flip(const struct cut *c, size_t at, uint64_t address)
{
	const struct recording *r = c->trial->recording;

	if (!c->has_flipped_address || c->flipped_address - address >= 8)
		return false;
	for (size_t i = 0; i < r->change_count; i++) {
		if (r->changes[i].step >= at && r->changes[i].step < c->trial->to &&
		    c->flipped_address - r->changes[i].address < r->changes[i].length)
			return false;
	}
	return true;
}

static void check_word(struct cut *c, size_t at, uint64_t address, struct score *score)
{
	struct recording *r = c->trial->recording;
	uint8_t bytes[8] = {0};
	uint64_t said = 0;
	uint64_t truth = 0;
	size_t known;
	bool is_wrong = false;

	if (c->trial->window == 0) {
		known = values_memory(c->values, position_of(c->trial, at), address, bytes, 8);
	} else {
		struct bits word = solve_granule(&c->solver, position_of(c->trial, at),
		                                 address & ~UINT64_C(7));

		address &= ~UINT64_C(7);
		for (known = 0; known < 8 && (word.known >> 8 * known & 0xff) == 0xff; known++)
			bytes[known] = (uint8_t)(word.value >> 8 * known);
	}
	recording_go(r, at);
	for (size_t i = 0; i < known; i++) {
		const uint8_t *byte = recording_byte(r, address + i);

		if (!byte)
			return;
		is_wrong |= *byte != bytes[i];
		said |= (uint64_t)bytes[i] << 8 * i;
		truth |= (uint64_t)*byte << 8 * i;
	}
	score->memory.asked++;
	score->memory.known += known == 8;
	if (!is_wrong)
		return;
	score->wrong++;
	score->wrong_apart += !word_repeats_flip(c, at, address);
	if (c->trial->flip == FLIP_NONE) {
		char name[32];

		(void)snprintf(name, sizeof(name), "m%" PRIx64, address);
		show(c, at, name, said, truth, score);
	}
}

/*
 * A change by an instruction, or by the next that makes one. Were it one of all changes, each would
 * be another if one instruction changed a byte more: what a kernel writes is not always the same.
 */
static const struct change *pick_change(struct cut *c)
{
	const struct recording *r = c->trial->recording;
	size_t step = random_below(c, r->count);
	size_t low = 0;
	size_t high = r->change_count - 1;
	size_t n = 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (r->changes[middle].step < step)
			low = middle + 1;
		else
			high = middle;
	}
	step = r->changes[low].step;
	while (low + n < r->change_count && r->changes[low + n].step == step)
		n++;
	return &r->changes[low + random_below(c, n)];
}

/* A place that is looked at: by the change that it is about, or anywhere. */
static uint64_t place_of_word(struct cut *c)
{
	const struct recording *r = c->trial->recording;
	const struct range *range = &r->ranges[random_below(c, r->range_count)];

	if (r->change_count > 0 && next_random(c) % 4 != 0)
		return pick_change(c)->address + random_below(c, 12) - 4;
	return range->address + random_below(c, range->length);
}

static size_t first_asked(const struct cut *c)
{
	const struct trial *t = c->trial;

	return t->window == 0 ? t->from : state_of(t, (size_t)c->solver.w.options.from);
}

static void check(struct cut *c, struct score *score)
{
	const struct trial *t = c->trial;
	size_t first = first_asked(c);
	size_t last = t->window == 0 ? t->to : state_of(t, (size_t)c->solver.w.options.to);
	size_t near = last - first < t->positions ? last - first : t->positions;

	for (size_t i = 1; i <= near; i += i < NEAR ? 1 : STRIDE) {
		if (!is_in_gap(t, last - i))
			check_position(c, last - i, i % 16 == 1, score);
	}
	for (size_t i = 0; i < t->spread + t->words && last > first; i++) {
		size_t at = first + random_below(c, last - first);

		if (is_in_gap(t, at))
			continue;
		if (i < t->spread)
			check_position(c, at, true, score);
		else
			check_word(c, at, place_of_word(c), score);
	}
}

static void cut_fini(struct cut *c)
{
	if (c->trial->window == 0)
		values_destroy(c->values);
	else
		solve_fini(&c->solver);
	history_destroy(c->history);
	memmap_destroy(c->core.memory);
	for (size_t i = 0; i < c->trial->recording->range_count; i++)
		free(c->copies[i]);
	free(c->copies);
	free(c);
}

bool trial_run(const struct trial *trial, struct score *score)
{
	struct cut *c = calloc(1, sizeof(*c));
	struct text trouble = {0};
	struct values_options options = values_options_of(trial->is_shared ? 2 : 1);
	uint64_t wrong = score->wrong_apart;
	bool has_conflict;

	if (!c)
		return false;
	options.abi = trial->abi || trial->trusts;
	options.private_locals = trial->trusts;
	options.coherent = trial->trusts;
	c->trial = trial;
	c->random = (trial->seed + 1) * 0x9e3779b97f4a7c15ull;
	c->flipped_register = REGISTERS_MOST;
	c->file = register_file_of(trial->recording->arch);
	c->source.protocol = trial->recording->protocol;
	c->sources[0] = &c->source;
	c->core = (struct snap_core){.device = &c->device,
	                             .arch = trial->recording->arch,
	                             .sources = c->sources,
	                             .source_count = 1};
	recording_go(trial->recording, trial->to);
	make_registers(c);
	make_memory(c);
	make_history(c);
	score->trials++;
	if (trial->window == 0) {
		c->values = values_create(c->history, &options);
		if (!c->values)
			return false;
	} else if (!solve_window_of(c)) {
		return false;
	}
	check(c, score);
	if (trial->window == 0) {
		why_trouble(c->values, &trouble);
		has_conflict = trouble.length > 0;
	} else {
		has_conflict = c->solver.has_conflict;
	}
	score->conflicts += has_conflict;
	score->tainted += score->wrong_apart > wrong;
	if (has_conflict && trial->flip == FLIP_NONE)
		printf("CONFLICT: part %zu..%zu seed %" PRIu64
		       " gap %zu-%zu as %d window %zu+%zu: %s\n",
		       trial->from, trial->to, trial->seed, trial->gap, trial->gap_length,
		       (int)trial->gap_shown, c->window_from, trial->window,
		       trouble.data ? trouble.data : "");
	text_fini(&trouble);
	cut_fini(c);
	return true;
}
