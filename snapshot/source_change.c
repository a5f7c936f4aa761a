/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trace sources that were set up anew while they traced, and got another trace ID so that it can be
 * seen (trace metadata, 5.8). In: define_trace messages. Out: a source for each further ID, of the
 * same core and after the one before it, with the registers that the message sets.
 */
#include <string.h>

#include "base/text.h"
#include "snapshot/load.h"

/* The source that a message is about: by its device's name, or by an ID that it has elsewhere. */
static const struct snap_source *find_source(const struct snapshot *snapshot,
                                             const struct system_event *e)
{
	const struct event_log *log = &snapshot->log->events;

	for (size_t i = 0; i < snapshot->source_count; i++) {
		if (str_eq_nocase(snapshot->sources[i].device->name, e->source))
			return &snapshot->sources[i];
	}
	for (size_t i = 0; i < log->count; i++) {
		const struct system_event *other = &log->events[i];

		if (other->kind != SYSTEM_EVENT_TRACE || !str_eq(other->source, e->source))
			continue;
		for (size_t j = 0; j < snapshot->source_count; j++) {
			uint8_t id;

			if (snap_source_trace_id(&snapshot->sources[j], &id) &&
			    id == other->trace_id && !snapshot->sources[j].before)
				return &snapshot->sources[j];
		}
	}
	return NULL;
}

/* The source that has the ID, or NULL. */
static const struct snap_source *owner_of_id(const struct snapshot *snapshot, uint8_t id)
{
	for (size_t i = 0; i < snapshot->source_count; i++) {
		uint8_t own;

		if (snap_source_trace_id(&snapshot->sources[i], &own) && own == id)
			return &snapshot->sources[i];
	}
	return NULL;
}

/* Room for one more source in the snapshot and in its core: pointers move along. */
static enum status make_room(struct loader *loader, const struct snap_source **base)
{
	struct snapshot *snapshot = loader->snapshot;
	struct snap_source *old = snapshot->sources;
	struct snap_source *sources;

	TRY(load_array(loader, snapshot->source_count + 1, sizeof(*sources), (void **)&sources));
	memcpy(sources, old, snapshot->source_count * sizeof(*sources));
	for (size_t i = 0; i < snapshot->source_count; i++) {
		if (sources[i].before)
			sources[i].before = sources + (sources[i].before - old);
	}
	for (size_t i = 0; i < snapshot->core_count; i++) {
		struct snap_core *core = &snapshot->cores[i];
		struct snap_source **list;

		TRY(load_array(loader, core->source_count + 1, sizeof(struct snap_source *),
		               (void **)&list));
		for (size_t j = 0; j < core->source_count; j++)
			list[j] = sources + (core->sources[j] - old);
		core->sources = list;
	}
	*base = sources + (*base - old);
	snapshot->sources = sources;
	return STATUS_OK;
}

/* Sets a register of 32 bits, or adds it; the room for it is there. */
static enum status set_register(struct loader *loader, struct snap_device *device, struct str name,
                                uint64_t value, struct place place)
{
	enum { BITS = 32 };
	size_t i = 0;
	uint8_t *bytes;

	TRY(load_array(loader, BITS / 8, 1, (void **)&bytes));
	for (unsigned int b = 0; b < BITS / 8; b++)
		bytes[b] = (uint8_t)(value >> 8 * b);
	while (i < device->register_count && !str_eq_nocase(device->registers[i].name, name))
		i++;
	device->register_count += i == device->register_count;
	device->registers[i] =
	        (struct snap_register){.name = name, .bits = BITS, .value = bytes, .place = place};
	return STATUS_OK;
}

/* The source's device, with another name and with the registers of the message. */
static enum status clone_device(struct loader *loader, const struct snap_source *base,
                                const struct system_event *e, struct snap_device **device)
{
	struct str id_register = snap_source_id_name(base);
	struct text name = {0};
	struct snap_register *registers;
	size_t count = base->device->register_count;

	TRY(load_array(loader, 1, sizeof(**device), (void **)device));
	TRY(load_array(loader, count + e->register_count + 1, sizeof(*registers),
	               (void **)&registers));
	if (count > 0)
		memcpy(registers, base->device->registers, count * sizeof(*registers));
	**device = *base->device;
	(*device)->registers = registers;
	text_printf(&name, "%.*s:0x%02x", STR_ARG(base->device->name), e->trace_id);
	(*device)->name = arena_str(loader->arena, text_str(&name));
	text_fini(&name);
	if (!(*device)->name.p)
		return STATUS_NO_MEM;
	(*device)->place = e->place;
	for (size_t i = 0; i < e->register_count; i++)
		TRY(set_register(loader, *device, e->registers[i].name, e->registers[i].value,
		                 e->place));
	if (base->options || id_register.n == 0)
		return STATUS_OK;
	return set_register(loader, *device, id_register, e->trace_id, e->place);
}

/* A package's source has its ID among its options. */
static enum status clone_options(struct loader *loader, const struct snap_source *base, uint8_t id,
                                 const struct source_options **options)
{
	struct source_options *copy;

	*options = NULL;
	if (!base->options)
		return STATUS_OK;
	TRY(load_array(loader, 1, sizeof(*copy), (void **)&copy));
	*copy = *base->options;
	copy->given[SOURCE_OPTION_TRACE_ID] = true;
	copy->values[SOURCE_OPTION_TRACE_ID] = id;
	*options = copy;
	return STATUS_OK;
}

/* The last of what `base` became so far. */
static const struct snap_source *newest(const struct snapshot *snapshot,
                                        const struct snap_source *base)
{
	for (size_t i = 0; i < snapshot->source_count; i++) {
		if (snapshot->sources[i].before == base)
			return newest(snapshot, &snapshot->sources[i]);
	}
	return base;
}

static enum status add_source(struct loader *loader, const struct system_event *e,
                              const struct snap_source *base)
{
	struct snapshot *snapshot = loader->snapshot;
	const struct source_options *options;
	const struct snap_source *before;
	struct snap_source *source;
	struct snap_device *device;
	struct snap_core *core = base->core;
	size_t at = 0;

	TRY(make_room(loader, &base));
	before = newest(snapshot, base);
	TRY(clone_device(loader, base, e, &device));
	TRY(clone_options(loader, base, e->trace_id, &options));
	source = &snapshot->sources[snapshot->source_count++];
	*source = *base;
	source->device = device;
	source->options = options;
	source->before = before;
	if (!core)
		return STATUS_OK;
	while (core->sources[at] != before)
		at++;
	memmove(core->sources + at + 2, core->sources + at + 1,
	        (core->source_count - at - 1) * sizeof(struct snap_source *));
	core->sources[at + 1] = source;
	core->source_count++;
	return STATUS_OK;
}

static enum status take(struct loader *loader, const struct system_event *e)
{
	const struct snapshot *snapshot = loader->snapshot;
	const struct snap_source *base = find_source(snapshot, e);
	const struct snap_source *owner = owner_of_id(snapshot, e->trace_id);

	if (!base) {
		diag_warning(loader->diags, e->place,
		             "define_trace: there is no trace source \"%.*s\"", STR_ARG(e->source));
		return STATUS_OK;
	}
	if (!protocol_is_program_flow(base->protocol)) {
		diag_warning(
		        loader->diags, e->place,
		        "define_trace: \"%.*s\" is no source of program flow: the message is left "
		        "out",
		        STR_ARG(e->source));
		return STATUS_OK;
	}
	/* What the snapshot says of it already. */
	if (owner == base && newest(snapshot, base) == base)
		return STATUS_OK;
	if (owner) {
		diag_warning(
		        loader->diags, e->place,
		        "define_trace: trace ID 0x%02x is that of \"%.*s\" already: what of it is "
		        "\"%.*s\" cannot be told, and the message is left out",
		        e->trace_id, STR_ARG(owner->device->name), STR_ARG(e->source));
		return STATUS_OK;
	}
	return add_source(loader, e, base);
}

enum status load_source_changes(struct loader *loader)
{
	const struct system_log *log = loader->snapshot->log;

	for (size_t i = 0; log && i < log->events.count; i++) {
		const struct system_event *e = &log->events.events[i];

		if (e->kind == SYSTEM_EVENT_TRACE && e->state != SYSTEM_EVENT_END)
			TRY(take(loader, e));
	}
	return STATUS_OK;
}
