/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recordings of crashes with truth beside them (corpus/crashes of the reference material). In: the
 * snapshot, truth.bin and memtruth.bin unpacked. Out: the recording, with what the trace shows
 * between instructions.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "replay/session/session.h"
#include "tests/support/memmap_regions.h"
#include "tests/values/truth/recording.h"

enum { RECORD = 272, RECORD_PSTATE = 264, CPSR_T = 1 << 5 };

static uint64_t u64_at(struct bytes b, size_t offset)
{
	uint64_t value = 0;

	if (bytes_seek(&b, offset) != STATUS_OK || bytes_le(&b, 8, &value) != STATUS_OK)
		exit(2);
	return value;
}

static void read_states(struct recording *r, struct bytes truth)
{
	if (bytes_left(&truth) < RECORD)
		exit(2);
	r->count = bytes_left(&truth) / RECORD - 1;
	r->states = calloc(r->count + 1, sizeof(*r->states));
	for (size_t i = 0; i <= r->count; i++) {
		struct state *s = &r->states[i];

		s->pc = u64_at(truth, i * RECORD);
		for (unsigned int x = 0; x < GENERAL; x++)
			s->x[x] = u64_at(truth, i * RECORD + 8 + 8 * (size_t)x);
		s->known = r->arch == CORE_A64 ? UINT32_MAX : 0x7fff;
		s->psr = (uint32_t)u64_at(truth, i * RECORD + RECORD_PSTATE);
		s->has_flags = true;
		s->isa = r->arch == CORE_A64 ? ISA_A64 : (s->psr & CPSR_T) != 0 ? ISA_T32 : ISA_A32;
	}
}

static void read_changes(struct recording *r, struct bytes b)
{
	uint64_t step;
	uint64_t length;
	uint64_t address;

	while (bytes_le(&b, 4, &step) == STATUS_OK && bytes_le(&b, 4, &length) == STATUS_OK &&
	       bytes_le(&b, 8, &address) == STATUS_OK) {
		const uint8_t *old = b.pos;
		const uint8_t *new = old + length;

		for (uint64_t at = 0; at < length; at += CHANGE_MOST) {
			struct change c = {.step = step, .address = address + at};

			c.length = (uint8_t)(length - at < CHANGE_MOST ? length - at : CHANGE_MOST);
			memcpy(c.old, old + at, c.length);
			memcpy(c.new, new + at, c.length);
			recording_add_change(r, &c);
		}
		if (bytes_skip(&b, 2 * length) != STATUS_OK)
			break;
	}
	r->at_change = r->change_count;
}

static void read_memory(struct recording *r, const struct snap_core *core)
{
	size_t count;
	struct mem_region *regions = memmap_regions(core->memory, &count);

	for (size_t i = 0; i < count; i++) {
		struct range range = {.address = regions[i].address,
		                      .length = regions[i].length,
		                      .bytes = malloc(regions[i].length),
		                      .read_only = regions[i].read_only};

		memcpy(range.bytes, regions[i].data, range.length);
		recording_add_range(r, range);
	}
	free(regions);
}

static void read_history(struct recording *r, const struct history *history)
{
	size_t shift = r->count - (size_t)history_length(history);
	struct history_event event;

	r->first = shift;
	for (size_t i = 0; history_event(history, i, &event); i++) {
		recording_room((void *)&r->betweens, &r->between_capacity, r->between_count,
		               sizeof(*r->betweens));
		r->betweens[r->between_count++] =
		        (struct between){(size_t)event.position + shift, event.element};
	}
	for (size_t i = r->first; i < r->count; i++) {
		struct instruction insn;

		history_at(history, i - shift, &insn);
		if (insn.address == r->states[i].pc)
			continue;
		printf("the history is not what was recorded, at %zu\n", i);
		exit(2);
	}
}

bool read_corpus(struct recording *r, const char *folder, const char *truth, const char *changes)
{
	struct diag_list diags = {0};
	struct snapshot_options options = {0};
	struct history_options building = {0};
	struct snapshot *snapshot = NULL;
	struct session *session = NULL;
	struct file_map maps[2] = {{0}, {0}};
	bool is_fine = snapshot_open(folder, &options, &diags, &snapshot) == STATUS_OK &&
	               file_map_open(truth, place_none(), &diags, &maps[0]) == STATUS_OK &&
	               file_map_open(changes, place_none(), &diags, &maps[1]) == STATUS_OK &&
	               session_open(snapshot, &building, &diags, &session) == STATUS_OK;

	if (is_fine) {
		r->arch = snapshot->cores[0].arch;
		r->protocol = snapshot->cores[0].sources[0]->protocol;
		read_states(r, file_map_bytes(&maps[0]));
		read_changes(r, file_map_bytes(&maps[1]));
		read_memory(r, &snapshot->cores[0]);
		r->at = r->count;
		read_history(r, session_history(session, 0));
	} else {
		printf("%s cannot be read\n", folder);
	}
	session_destroy(session);
	snapshot_destroy(snapshot);
	file_map_close(&maps[0]);
	file_map_close(&maps[1]);
	diag_list_fini(&diags);
	return is_fine;
}
