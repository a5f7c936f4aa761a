/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recordings of Tarmac texts with data. In: the text, an image for what it starts with. Out: the
 * recording of one core: registers and memory as far as the text tells them, and nothing more.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/uop/uop_run.h"
#include "replay/session/session.h"
#include "replay/tarmac/tarmac_source.h"
#include "tests/values/truth/step.h"

enum { PAGE = 4096 };

struct reader {
	struct recording *r;
	const struct tarmac_core *core;
	const struct history *history;
	struct register_file file;
	struct insn_view step;
	struct uop_run run;
	struct bits registers[REG_COUNT];
};

static struct range *page_of(struct recording *r, uint64_t address)
{
	uint64_t first = address & ~(uint64_t)(PAGE - 1);
	struct range range;

	for (size_t i = 0; i < r->range_count; i++) {
		if (r->ranges[i].address == first)
			return &r->ranges[i];
	}
	range = (struct range){.address = first,
	                       .length = PAGE,
	                       .bytes = calloc(1, PAGE),
	                       .known_from = malloc(PAGE * sizeof(uint32_t))};
	memset(range.known_from, 0xff, PAGE * sizeof(uint32_t));
	recording_add_range(r, range);
	return &r->ranges[r->range_count - 1];
}

static uint32_t *from_of(struct recording *r, uint64_t address)
{
	return &page_of(r, address)->known_from[address % PAGE];
}

/* At this state it is so; if it was not so before, somebody else wrote it. */
static void know(struct recording *r, uint64_t address, size_t at, uint8_t value)
{
	uint8_t *byte = &page_of(r, address)->bytes[address % PAGE];

	if (*from_of(r, address) == UINT32_MAX || *byte != value)
		*from_of(r, address) = (uint32_t)at;
	*byte = value;
}

/* The state before an instruction, and the bytes of it. */
static void read_state(struct reader *reader, size_t at)
{
	struct recording *r = reader->r;
	struct state *s = &r->states[at];
	struct instruction insn;
	uint32_t opcode;

	if (history_pc(reader->history, at, &s->pc) != STATUS_OK)
		exit(2);
	for (unsigned int number = 1; number < reader->file.trace; number++) {
		unsigned int index = step_register_index(reader->file.arch, number);
		struct value value;

		if (index > STEP_FLAGS)
			continue;
		tarmac_register_at(reader->core, at, number, &value);
		if (index == STEP_FLAGS) {
			s->psr = (uint32_t)value_u64(&value);
			s->has_flags = value_is_known(&value);
		} else if (value_is_known(&value)) {
			s->x[index] = value_u64(&value);
			s->known |= 1u << index;
		}
	}
	if (at == r->count) {
		s->isa = r->states[at - 1].isa;
		return;
	}
	history_at(reader->history, at, &insn);
	s->isa = insn.isa;
	opcode = (uint32_t)insn.opcode;
	if (insn.isa == ISA_T32 && insn.size == 4)
		opcode = opcode << 16 | opcode >> 16;
	for (unsigned int i = 0; i < insn.size; i++)
		know(r, insn.address + i, 0, (uint8_t)(opcode >> 8 * i));
}

static struct bits read_nothing(void *context, uint64_t address, unsigned int size)
{
	(void)context;
	(void)address;
	(void)size;
	return (struct bits){0, 0};
}

/* A byte before and after an instruction that may have written it. */
static void note_byte(struct reader *reader, size_t at, uint64_t address)
{
	struct recording *r = reader->r;
	struct change c = {.step = at, .address = address, .length = 1};
	bool was_known = tarmac_memory_at(reader->core, at, address, c.old, 1) == 1;
	bool is_known = tarmac_memory_at(reader->core, at + 1, address, c.new, 1) == 1;
	uint8_t first;

	if (*from_of(r, address) == UINT32_MAX &&
	    tarmac_memory_at(reader->core, 0, address, &first, 1) == 1)
		know(r, address, 0, first);
	if (was_known)
		know(r, address, at, c.old[0]);
	if (!is_known) {
		*from_of(r, address) = UINT32_MAX;
	} else if (!was_known) {
		know(r, address, at + 1, c.new[0]);
	} else if (c.old[0] != c.new[0]) {
		recording_add_change(r, &c);
		page_of(r, address)->bytes[address % PAGE] = c.new[0];
	}
}

static void note_access(struct reader *reader, size_t at, uint64_t address, uint64_t length)
{
	for (uint64_t i = 0; i < length; i++)
		note_byte(reader, at, address + i);
}

static void note_accesses(struct reader *reader, size_t at)
{
	struct uop_memory memory = {read_nothing, NULL};
	const struct uop_insn *insn = &reader->step.builder.insn;
	const struct state *s = &reader->r->states[at];

	step_expand(reader->r, at, &reader->step);
	memset(reader->registers, 0, sizeof(reader->registers));
	for (unsigned int i = 0; i < GENERAL; i++) {
		if ((s->known >> i & 1) != 0)
			reader->registers[i] = bits_of(s->x[i]);
	}
	if (s->has_flags)
		reader->registers[REG_NZCV] = bits_of(UINT64_C(1) << (s->psr >> 28 & 15));
	if (!uop_run(insn, reader->registers, &memory, &reader->run))
		return;
	for (size_t i = 0; i < insn->access_count; i++) {
		struct bits address = uop_run_address(&reader->run, &insn->accesses[i]);
		uint64_t length = uop_run_length(&reader->run, &insn->accesses[i]);

		if (bits_all_known(&address, 64))
			note_access(reader, at, address.value, length);
	}
}

static void read_events(struct reader *reader)
{
	struct recording *r = reader->r;
	struct history_event event;
	struct gap gap;
	size_t g = 0;

	for (size_t i = 0;; r->between_count++) {
		bool has_event = history_event(reader->history, i, &event);
		bool has_gap = history_gap(reader->history, g, &gap);

		if (!has_event && !has_gap)
			return;
		recording_room((void *)&r->betweens, &r->between_capacity, r->between_count,
		               sizeof(*r->betweens));
		if (has_gap && (!has_event || gap.position <= event.position)) {
			r->betweens[r->between_count] =
			        (struct between){gap.position, {.type = ELEMENT_TRACE_ON}};
			g++;
		} else {
			r->betweens[r->between_count] =
			        (struct between){event.position, event.element};
			i++;
		}
	}
}

static bool read_core(struct recording *r, const struct tarmac_core *data,
                      const struct session *session, size_t core)
{
	struct reader *reader = calloc(1, sizeof(*reader));

	reader->r = r;
	reader->core = data;
	reader->history = session_history(session, core);
	r->arch = session_core(session, core)->arch;
	r->count = (size_t)history_last(reader->history);
	reader->file = register_file_of(r->arch);
	r->states = calloc(r->count + 1, sizeof(*r->states));
	for (size_t at = 0; at <= r->count && r->count > 0; at++)
		read_state(reader, at);
	for (size_t at = 0; at < r->count; at++)
		note_accesses(reader, at);
	read_events(reader);
	r->at = r->count;
	r->at_change = r->change_count;
	free(reader);
	return r->count > 0;
}

bool read_tarmac(struct recording *r, const char *path, const char *image, size_t core)
{
	struct image_option images = {.path = str_of(image)};
	struct input_options options = {.snapshot = {.images = &images, .image_count = 1}};
	struct history_options building = {0};
	struct diag_list diags = {0};
	struct snapshot *snapshot = NULL;
	struct session *session = NULL;
	bool is_fine;

	if (strcmp(image, "-") == 0)
		options.snapshot.image_count = 0;
	is_fine = input_open(path, &options, &diags, &snapshot) == STATUS_OK &&
	          session_open(snapshot, &building, &diags, &session) == STATUS_OK &&
	          core < session_core_count(session);
	is_fine = is_fine && read_core(r, input_core(snapshot, core), session, core);
	if (!is_fine)
		printf("%s cannot be read\n", path);
	session_destroy(session);
	snapshot_destroy(snapshot);
	diag_list_fini(&diags);
	return is_fine;
}
