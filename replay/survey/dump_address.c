/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dumps at odd addresses. The address of a T32 function has bit 0 set where it is a symbol's or a
 * pointer's (Arm ARM, interworking); who takes it for the address of a dump shifts all code by a
 * byte. Whether that is so, two histories of the first bytes of trace say: which fits the code.
 */
#include <stdlib.h>

#include "replay/history/history.h"
#include "replay/survey/survey_parts.h"
#include "snapshot/memmap.h"

enum {
	TRIAL_BYTES = 1 << 20,
	INSTRUCTIONS_LEAST = 8,
	TIMES_LEAST = 4,
};

/* A snapshot like another, of which one core has other memory and buffers end early. */
struct variant {
	struct snapshot snapshot;
	struct snap_core core;
	struct snap_source *sources;
	struct snap_source **source_list;
	struct snap_buffer *buffers;
	struct memmap *memory;
};

/* How well a history fits its code. */
struct fit {
	uint64_t instructions;
	uint64_t gaps; /* for code that is missing or wrong */
};

static enum status add_dumps(struct memmap *memory, const struct snap_device *device,
                             const bool *is_moved)
{
	for (size_t i = 0; i < device->dump_count; i++) {
		const struct snap_dump *dump = &device->dumps[i];

		if (dump->length > 0)
			TRY(memmap_add(memory,
			               &(struct mem_region){.address = dump->address - is_moved[i],
			                                    .length = dump->length,
			                                    .space = dump->space,
			                                    .data = dump->data,
			                                    .origin = dump->file}));
	}
	return STATUS_OK;
}

static enum status add_images(struct memmap *memory, const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->mapped_images; i++) {
		const struct elf_image *image = snapshot->images[i];

		for (size_t j = 0; j < image->segment_count; j++) {
			const struct elf_segment *segment = &image->segments[j];

			if (segment->file_size > 0)
				TRY(memmap_add(memory,
				               &(struct mem_region){.address = segment->address,
				                                    .length = segment->file_size,
				                                    .space = SPACE_ANY,
				                                    .data = segment->data,
				                                    .origin = image->path}));
		}
	}
	return STATUS_OK;
}

/* The core's own dumps, those that are to be moved a byte lower, and the images. */
static enum status make_memory(struct variant *v, const struct snapshot *snapshot,
                               const struct snap_core *core, const bool *is_moved)
{
	v->memory = memmap_create();
	if (!v->memory)
		return STATUS_NO_MEM;
	TRY(add_dumps(v->memory, core->device, is_moved));
	TRY(add_images(v->memory, snapshot));
	return memmap_freeze(v->memory);
}

static enum status make_variant(struct variant *v, const struct snapshot *snapshot,
                                const struct snap_core *core, const bool *is_moved)
{
	*v = (struct variant){.snapshot = *snapshot, .core = *core};
	v->sources = calloc(core->source_count + 1, sizeof(*v->sources));
	v->source_list = calloc(core->source_count + 1, sizeof(struct snap_source *));
	v->buffers = calloc(snapshot->buffer_count + 1, sizeof(*v->buffers));
	if (!v->sources || !v->source_list || !v->buffers)
		return STATUS_NO_MEM;
	TRY(make_memory(v, snapshot, core, is_moved));
	for (size_t i = 0; i < snapshot->buffer_count; i++) {
		v->buffers[i] = snapshot->buffers[i];
		if (bytes_left(&v->buffers[i].data) > TRIAL_BYTES)
			v->buffers[i].data.end = v->buffers[i].data.pos + TRIAL_BYTES;
	}
	for (size_t i = 0; i < core->source_count; i++) {
		v->sources[i] = *core->sources[i];
		v->sources[i].core = &v->core;
		v->source_list[i] = &v->sources[i];
	}
	v->core.memory = v->memory;
	v->core.sources = v->source_list;
	v->snapshot.buffers = v->buffers;
	return STATUS_OK;
}

static void free_variant(struct variant *v)
{
	free(v->sources);
	free(v->source_list);
	free(v->buffers);
	memmap_destroy(v->memory);
}

static struct fit fit_of(const struct history *history)
{
	struct fit fit = {.instructions = history_length(history)};
	struct gap gap;

	for (size_t i = 0; history_gap(history, i, &gap); i++) {
		enum gap_reason reason = gap.reason;

		if (reason == GAP_NO_MEMORY || reason == GAP_MISFIT || reason == GAP_BAD_PACKET ||
		    reason == GAP_NO_PATH)
			fit.gaps += gap.merged + 1;
	}
	return fit;
}

static enum status find_fit(const struct snapshot *snapshot, const struct snap_core *core,
                            const bool *is_moved, struct fit *fit)
{
	const struct history_options options = {0};
	struct diag_list unheard = {0};
	struct history *history = NULL;
	struct variant v;
	enum status status = make_variant(&v, snapshot, core, is_moved);

	if (status == STATUS_OK)
		status = history_build(&v.snapshot, &v.core, &options, &unheard, &history);
	if (status == STATUS_OK)
		*fit = fit_of(history);
	history_destroy(history);
	diag_list_fini(&unheard);
	free_variant(&v);
	return status;
}

static bool is_better(const struct fit *other, const struct fit *own)
{
	return other->instructions >= INSTRUCTIONS_LEAST && other->gaps < own->gaps &&
	       other->gaps <= own->gaps / TIMES_LEAST;
}

static void say(const struct snap_dump *dump, const struct fit *other, const struct fit *own,
                struct diag_list *diags)
{
	diag_warning(diags, dump->place,
	             "dump \"%.*s\" begins at 0x%llx; at 0x%llx the trace fits its code better: "
	             "%llu instructions with %llu gaps for missing or wrong code, instead of %llu "
	             "with %llu. Bit 0 of an address of T32 code is no part of it",
	             STR_ARG(dump->section), (unsigned long long)dump->address,
	             (unsigned long long)dump->address - 1, (unsigned long long)other->instructions,
	             (unsigned long long)other->gaps, (unsigned long long)own->instructions,
	             (unsigned long long)own->gaps);
}

/* `is_odd` says which dumps to move. They are named without which the fit is worse again. */
static enum status judge(const struct snapshot *snapshot, const struct snap_core *core,
                         bool *is_odd, bool *none, struct diag_list *diags)
{
	const struct snap_device *device = core->device;
	struct fit own;
	struct fit all;

	TRY(find_fit(snapshot, core, none, &own));
	TRY(find_fit(snapshot, core, is_odd, &all));
	if (!is_better(&all, &own))
		return STATUS_OK;
	for (size_t i = 0; i < device->dump_count; i++) {
		struct fit others;

		if (!is_odd[i])
			continue;
		is_odd[i] = false;
		TRY(find_fit(snapshot, core, is_odd, &others));
		is_odd[i] = true;
		if (others.gaps > all.gaps)
			say(&device->dumps[i], &all, &own, diags);
	}
	return STATUS_OK;
}

static enum status try_core(const struct snapshot *snapshot, const struct snap_core *core,
                            struct diag_list *diags)
{
	const struct snap_device *device = core->device;
	bool *is_odd = calloc(2 * device->dump_count + 1, sizeof(*is_odd));
	enum status status = is_odd ? STATUS_OK : STATUS_NO_MEM;
	bool is_any = false;

	for (size_t i = 0; is_odd && i < device->dump_count; i++) {
		is_odd[i] = device->dumps[i].length > 0 && (device->dumps[i].address & 1);
		is_any |= is_odd[i];
	}
	if (is_any && core->source_count > 0)
		status = judge(snapshot, core, is_odd, is_odd + device->dump_count, diags);
	free(is_odd);
	return status;
}

enum status survey_try_dumps(const struct snapshot *snapshot, struct diag_list *diags)
{
	for (size_t i = 0; i < snapshot->core_count; i++)
		TRY(try_core(snapshot, &snapshot->cores[i], diags));
	return STATUS_OK;
}
