/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace package: contents.ini and the trace metadata that it names. In: these files. Out: the
 * model of snapshot.h: buffers, a trace source for each [trace_N], and a core without registers for
 * each source of program flow. Trace metadata, sections 6.3 and 6.4.
 *
 * Where trace IDs are used twice there are several metadata files (6.3.1), each named by a section
 * of its own with its buffers. Then names get "@" and the metadata file's after them.
 *
 * The specification leaves the description of memory open: [dump] sections of contents.ini, as in
 * a device file of a snapshot, say it here. All cores see that memory.
 */
#include "base/text.h"
#include "snapshot/device_type.h"
#include "snapshot/file/schema.h"
#include "snapshot/load.h"
#include "snapshot/source_option.h"

enum { FIRST_ID = 0x01, LAST_ID = 0x6f }; /* section 4.6: trace source id */

/* A metadata file: the sources that it describes are in its buffers alone. */
struct group {
	struct ini_file metadata;
	const struct ini_section *about; /* its [buffer]; NULL: it cannot be used */
	size_t first_source;             /* index in the snapshot */
	size_t source_count;
};

struct context {
	struct loader *loader;
	struct ini_file contents;
	struct group *groups;
	size_t group_count;
	const struct group *group; /* the one being read */
	size_t *buffer_groups;     /* of each buffer of the snapshot, its group */
};

static enum status open_ini(struct loader *loader, struct str name, struct place place,
                            struct ini_file *file)
{
	struct bytes bytes;
	struct str content;

	TRY(snap_files_map(loader->files, name, place, loader->diags, &bytes, NULL));
	content = (struct str){(const char *)bytes.pos, bytes_left(&bytes)};
	return ini_load_either(loader->arena, name, content, loader->diags, file);
}

/* A name of the group being read, told apart from those of other groups. */
static enum status make_name(const struct context *c, struct str name, struct str *made)
{
	struct text text = {0};

	*made = name;
	if (c->group_count < 2)
		return STATUS_OK;
	text_printf(&text, "%.*s@%.*s", STR_ARG(name), STR_ARG(c->group->metadata.name));
	*made = arena_str(c->loader->arena, text_str(&text));
	text_fini(&text);
	return made->p ? STATUS_OK : STATUS_NO_MEM;
}

/* True for "buffer" and a number: the format shows buffer0, buffer1. */
static bool is_buffer_key(struct str key)
{
	uint64_t number;

	return str_has_prefix_nocase(key, STR("buffer")) &&
	       str_to_u64(str_skip(key, sizeof("buffer") - 1), &number) == STATUS_OK;
}

/* A buffer whose file cannot be had stays in the list, without data. */
static enum status load_buffer(const struct context *c, const struct ini_entry *entry)
{
	struct loader *loader = c->loader;
	struct snapshot *snapshot = loader->snapshot;
	struct snap_buffer *buffer = &snapshot->buffers[snapshot->buffer_count];
	enum status status;

	c->buffer_groups[snapshot->buffer_count++] = (size_t)(c->group - c->groups);
	buffer->id = entry->key;
	TRY(make_name(c, entry->key, &buffer->name));
	buffer->file = ini_unquote(entry->value);
	buffer->place = ini_place(&c->contents, entry->line);
	buffer->format_name = ini_section_value(c->group->about, STR("format"));
	buffer->format = load_buffer_format(buffer->format_name);
	buffer->data = bytes_of("", 0);
	buffer->is_one_file = true;
	status = snap_files_map(loader->files, buffer->file, buffer->place, loader->diags,
	                        &buffer->data, NULL);
	return status == STATUS_NO_MEM ? status : STATUS_OK;
}

static enum status load_buffers(const struct context *c, const struct ini_section *trace)
{
	for (size_t i = 0; i < trace->entry_count; i++) {
		const struct ini_entry *entry = &trace->entries[i];

		if (is_buffer_key(entry->key))
			TRY(load_buffer(c, entry));
		else if (!str_eq_nocase(entry->key, STR("metadata")))
			diag_warning(c->loader->diags, ini_place(&c->contents, entry->line),
			             "section [%.*s]: unknown key \"%.*s\" is ignored",
			             STR_ARG(trace->name), STR_ARG(entry->key));
	}
	return STATUS_OK;
}

/* True if the key is the name of a trace unit's register. */
static bool is_register_key(struct str key)
{
	static const char *const prefixes[] = {"ETM", "TRC", "ITM", "STM", "CONTROL_REGISTER"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		if (str_has_prefix_nocase(key, str_of(prefixes[i])))
			return true;
	}
	return false;
}

/* One key of a [trace_N]: the format, an option or a register. */
static enum status load_key(const struct context *c, const struct ini_entry *entry,
                            struct snap_device *device, struct source_options *options)
{
	struct loader *loader = c->loader;
	enum source_option option = source_option_find(entry->key);
	struct str value = ini_unquote(entry->value);
	struct place place = ini_place(&c->group->metadata, entry->line);

	if (str_eq_nocase(entry->key, STR("format")))
		return STATUS_OK;
	if (option < SOURCE_OPTIONS) {
		if (options->given[option])
			diag_warning(loader->diags, place,
			             "section [%.*s]: key \"%.*s\" is ignored: it was there before",
			             STR_ARG(device->name), STR_ARG(entry->key));
		else if (source_option_set(options, option, value) != STATUS_OK)
			(void)diag_error(loader->diags, STATUS_BAD_DATA, place,
			                 "section [%.*s]: %.*s is \"%.*s\", expected one of %.*s",
			                 STR_ARG(device->name), STR_ARG(entry->key), STR_ARG(value),
			                 STR_ARG(source_option_values(option)));
		return STATUS_OK;
	}
	if (is_register_key(entry->key)) {
		enum status status = load_register(loader, &c->group->metadata, entry,
		                                   &device->registers[device->register_count]);

		device->register_count += status == STATUS_OK;
		return status == STATUS_NO_MEM ? status : STATUS_OK;
	}
	diag_warning(loader->diags, place, "section [%.*s]: unknown key \"%.*s\" is ignored",
	             STR_ARG(device->name), STR_ARG(entry->key));
	return STATUS_OK;
}

/* The trace ID in the section's name. BAD_DATA, diagnosed, if it is none or taken. */
static enum status parse_id(const struct context *c, const struct ini_section *section, uint8_t *id)
{
	const struct snapshot *snapshot = c->loader->snapshot;
	struct place place = ini_place(&c->group->metadata, section->line);
	uint64_t number;

	if (str_to_u64(str_skip(section->name, sizeof("trace_") - 1), &number) != STATUS_OK ||
	    number < FIRST_ID || number > LAST_ID)
		return diag_error(c->loader->diags, STATUS_BAD_DATA, place,
		                  "section [%.*s] names no trace source, expected trace_%d to "
		                  "trace_%d",
		                  STR_ARG(section->name), FIRST_ID, LAST_ID);
	for (size_t i = c->group->first_source; i < snapshot->source_count; i++) {
		uint8_t other;

		if (!snap_source_trace_id(&snapshot->sources[i], &other) || other != number)
			continue;
		return diag_error(c->loader->diags, STATUS_BAD_DATA, place,
		                  "section [%.*s] is ignored: line %llu has that trace source too",
		                  STR_ARG(section->name),
		                  (unsigned long long)snapshot->sources[i].device->place.line);
	}
	*id = (uint8_t)number;
	return STATUS_OK;
}

static struct snap_device *add_device(struct loader *loader, enum device_class class,
                                      struct str name, struct place place)
{
	struct snap_device *device = &loader->snapshot->devices[loader->snapshot->device_count++];

	device->name = name;
	device->class = class;
	device->class_name = class == DEVICE_CORE ? STR("core") : STR("trace_source");
	device->type = (struct str){"", 0};
	device->location = (struct str){"", 0};
	device->file = place.file;
	device->place = place;
	return device;
}

/* A source of program flow has a core of its own, "core_N". */
static enum status add_core(const struct context *c, struct snap_source *source, uint8_t id)
{
	struct loader *loader = c->loader;
	struct snapshot *snapshot = loader->snapshot;
	struct snap_core *core = &snapshot->cores[snapshot->core_count];
	struct text name = {0};
	struct str kept;

	text_printf(&name, "core_%u", id);
	kept = arena_str(loader->arena, text_str(&name));
	text_fini(&name);
	if (kept.p)
		TRY(make_name(c, kept, &kept));
	TRY(load_array(loader, 1, sizeof(struct snap_source *), (void **)&core->sources));
	if (!kept.p)
		return STATUS_NO_MEM;
	core->device = add_device(loader, DEVICE_CORE, kept, source->device->place);
	core->index = snapshot->core_count++;
	core->cluster = (struct str){"", 0};
	core->sources[core->source_count++] = source;
	source->core = core;
	return STATUS_OK;
}

static enum status load_source(const struct context *c, const struct ini_section *section)
{
	struct loader *loader = c->loader;
	struct snapshot *snapshot = loader->snapshot;
	struct snap_source *source = &snapshot->sources[snapshot->source_count];
	struct source_options *options;
	struct snap_device *device;
	struct str name;
	uint8_t id = 0;

	if (parse_id(c, section, &id) != STATUS_OK)
		return STATUS_OK;
	(void)schema_check_keys(SCHEMA_PACKAGE_SOURCE, &c->group->metadata, section, loader->diags);
	TRY(load_array(loader, 1, sizeof(*options), (void **)&options));
	TRY(make_name(c, section->name, &name));
	device = add_device(loader, DEVICE_TRACE_SOURCE, name,
	                    ini_place(&c->group->metadata, section->line));
	device->type = ini_section_value(section, STR("format"));
	TRY(load_array(loader, section->entry_count, sizeof(*device->registers),
	               (void **)&device->registers));
	for (size_t i = 0; i < section->entry_count; i++)
		TRY(load_key(c, &section->entries[i], device, options));
	options->given[SOURCE_OPTION_TRACE_ID] = true;
	options->values[SOURCE_OPTION_TRACE_ID] = id;
	source_option_set_version(options, device->type);
	*source = (struct snap_source){
	        .device = device,
	        .protocol = device_type_protocol(device->type),
	        .options = options,
	};
	source_option_check(source, loader->diags);
	snapshot->source_count++;
	return protocol_is_program_flow(source->protocol) ? add_core(c, source, id) : STATUS_OK;
}

/* The sources of the group being read. */
static enum status load_sources(const struct context *c)
{
	struct loader *loader = c->loader;
	const struct ini_file *file = &c->group->metadata;

	for (size_t i = 0; i < file->section_count; i++) {
		const struct ini_section *section = &file->sections[i];

		if (schema_is(SCHEMA_PACKAGE_SOURCE, section))
			TRY(load_source(c, section));
		else if (!schema_is(SCHEMA_PACKAGE_BUFFER, section))
			diag_warning(loader->diags, ini_place(file, section->line),
			             "section [%.*s] is ignored", STR_ARG(section->name));
	}
	if (loader->snapshot->source_count == c->group->first_source)
		(void)diag_error(loader->diags, STATUS_BAD_DATA, place_file(file->name),
		                 "no section [trace_N] describes a trace source");
	return STATUS_OK;
}

static enum status load_all_sources(struct context *c)
{
	struct loader *loader = c->loader;
	struct snapshot *snapshot = loader->snapshot;
	size_t count = 0;

	for (size_t i = 0; i < c->group_count; i++)
		count += c->groups[i].metadata.section_count;
	TRY(load_array(loader, 2 * count, sizeof(*snapshot->devices), (void **)&snapshot->devices));
	TRY(load_array(loader, count, sizeof(*snapshot->sources), (void **)&snapshot->sources));
	TRY(load_array(loader, count, sizeof(*snapshot->cores), (void **)&snapshot->cores));
	for (size_t i = 0; i < c->group_count; i++) {
		struct group *group = &c->groups[i];

		c->group = group;
		group->first_source = snapshot->source_count;
		if (group->about)
			TRY(load_sources(c));
		group->source_count = snapshot->source_count - group->first_source;
	}
	return snapshot->source_count > 0 ? STATUS_OK : STATUS_BAD_DATA;
}

/* True if the frames of the buffer have bytes of the trace ID. IHI 0029, CoreSight formatter. */
static bool has_id(const struct snap_buffer *buffer, uint8_t id)
{
	enum { FRAME = 16, FLAGS = 15 };
	struct bytes frames = buffer->data;
	struct bytes frame;

	if (buffer->format != BUFFER_CORESIGHT)
		return true;
	while (bytes_take(&frames, FRAME, &frame) == STATUS_OK) {
		for (size_t i = 0; i < FLAGS; i += 2) {
			if (frame.pos[i] == (uint8_t)(id << 1 | 1))
				return true;
		}
	}
	return false;
}

static size_t count_buffers(const struct context *c, size_t group)
{
	size_t count = 0;

	for (size_t i = 0; i < c->loader->snapshot->buffer_count; i++)
		count += c->buffer_groups[i] == group;
	return count;
}

/* 4.6: an unformatted buffer has one source's metadata. True if nothing says which of several. */
static bool is_nobodys(const struct context *c, size_t group, const struct snap_buffer *buffer)
{
	return buffer->format == BUFFER_SOURCE_DATA && c->groups[group].source_count > 1 &&
	       count_buffers(c, group) > 1;
}

/* A source is in each buffer of its group that has its trace ID; nothing else says where. */
static enum status assign_to_source(const struct context *c, size_t group,
                                    struct snap_source *source)
{
	const struct snapshot *snapshot = c->loader->snapshot;
	uint8_t id = source->options->values[SOURCE_OPTION_TRACE_ID];
	bool is_only = count_buffers(c, group) == 1;
	size_t *buffers;

	TRY(load_array(c->loader, snapshot->buffer_count, sizeof(*buffers), (void **)&buffers));
	for (size_t i = 0; i < snapshot->buffer_count; i++) {
		const struct snap_buffer *buffer = &snapshot->buffers[i];

		if (c->buffer_groups[i] == group && !is_nobodys(c, group, buffer) &&
		    (is_only || has_id(buffer, id)))
			buffers[source->buffer_count++] = i;
	}
	source->buffers = buffers;
	return STATUS_OK;
}

static void report_nobodys(const struct context *c)
{
	const struct snapshot *snapshot = c->loader->snapshot;

	for (size_t i = 0; i < snapshot->buffer_count; i++) {
		const struct group *group = &c->groups[c->buffer_groups[i]];
		const struct snap_buffer *buffer = &snapshot->buffers[i];

		if (is_nobodys(c, c->buffer_groups[i], buffer))
			(void)diag_error(c->loader->diags, STATUS_BAD_DATA, buffer->place,
			                 "buffer \"%.*s\" has the data of one source, and \"%.*s\" "
			                 "describes %zu for %zu buffers: name a metadata file for "
			                 "each source, in a [trace...] section with its buffers",
			                 STR_ARG(buffer->name), STR_ARG(group->metadata.name),
			                 group->source_count,
			                 count_buffers(c, c->buffer_groups[i]));
	}
}

static enum status assign_buffers(const struct context *c)
{
	report_nobodys(c);
	for (size_t i = 0; i < c->group_count; i++) {
		const struct group *group = &c->groups[i];

		for (size_t j = 0; j < group->source_count; j++)
			TRY(assign_to_source(
			        c, i, &c->loader->snapshot->sources[group->first_source + j]));
	}
	return STATUS_OK;
}

/* The memory belongs to the first core; the others see it as that of another core. */
static enum status load_memory_of(const struct context *c)
{
	const struct snapshot *snapshot = c->loader->snapshot;

	for (size_t i = 0; i < snapshot->device_count; i++) {
		if (snapshot->devices[i].class == DEVICE_CORE)
			return load_dumps(c->loader, &c->contents, &snapshot->devices[i]);
	}
	return STATUS_OK;
}

/* [trace], or another section whose name begins so and which names a metadata file. */
static bool is_trace(const struct ini_section *section)
{
	return schema_is(SCHEMA_CONTENTS, section) && (section->name.n == sizeof("trace") - 1 ||
	                                               ini_section_find(section, STR("metadata")));
}

static void warn_of_sections(const struct context *c)
{
	for (size_t i = 0; i < c->contents.section_count; i++) {
		const struct ini_section *section = &c->contents.sections[i];

		if (!is_trace(section) && !schema_is(SCHEMA_DUMP, section))
			diag_warning(c->loader->diags, ini_place(&c->contents, section->line),
			             "section [%.*s] is ignored", STR_ARG(section->name));
	}
}

/* The group of a metadata file, NULL if there is none. */
static struct group *find_group(const struct context *c, struct str name)
{
	for (size_t i = 0; i < c->group_count; i++) {
		if (str_eq(c->groups[i].metadata.name, name))
			return &c->groups[i];
	}
	return NULL;
}

/* Opens the metadata file of a section, unless another has named it. */
static enum status open_group(struct context *c, const struct ini_section *section)
{
	const struct ini_entry *metadata;
	struct group *group = &c->groups[c->group_count];
	struct str name;

	if (!schema_check_keys(SCHEMA_CONTENTS, &c->contents, section, c->loader->diags))
		return STATUS_BAD_DATA;
	metadata = ini_section_find(section, STR("metadata"));
	name = ini_unquote(metadata->value);
	if (find_group(c, name))
		return STATUS_OK;
	TRY(open_ini(c->loader, name, ini_place(&c->contents, metadata->line), &group->metadata));
	group->about = schema_find(SCHEMA_PACKAGE_BUFFER, &group->metadata, c->loader->diags);
	c->group_count++;
	return STATUS_OK;
}

/* The metadata files. Fails if none can be had. */
static enum status open_groups(struct context *c, size_t *entries)
{
	enum status first = STATUS_OK;

	*entries = 0;
	TRY(load_array(c->loader, c->contents.section_count, sizeof(*c->groups),
	               (void **)&c->groups));
	for (size_t i = 0; i < c->contents.section_count; i++) {
		const struct ini_section *section = &c->contents.sections[i];
		enum status status;

		if (!is_trace(section))
			continue;
		*entries += section->entry_count;
		status = open_group(c, section);
		if (status == STATUS_NO_MEM)
			return status;
		first = first == STATUS_OK ? status : first;
	}
	if (c->group_count > 0)
		return STATUS_OK;
	if (first != STATUS_OK)
		return first;
	return diag_error(c->loader->diags, STATUS_BAD_DATA, place_file(c->contents.name),
	                  "section [trace] is missing");
}

static enum status load_all_buffers(struct context *c, size_t entries)
{
	TRY(load_array(c->loader, entries, sizeof(struct snap_buffer),
	               (void **)&c->loader->snapshot->buffers));
	TRY(load_array(c->loader, entries, sizeof(*c->buffer_groups), (void **)&c->buffer_groups));
	for (size_t i = 0; i < c->contents.section_count; i++) {
		const struct ini_section *section = &c->contents.sections[i];

		if (!is_trace(section))
			continue;
		c->group = find_group(c, ini_unquote(ini_section_value(section, STR("metadata"))));
		if (c->group && c->group->about)
			TRY(load_buffers(c, section));
	}
	return STATUS_OK;
}

enum status load_contents(struct loader *loader)
{
	struct context c = {.loader = loader};
	size_t entries;

	TRY(open_ini(loader, STR(PACKAGE_HEAD), place_file(loader->snapshot->path), &c.contents));
	warn_of_sections(&c);
	TRY(open_groups(&c, &entries));
	TRY(load_all_buffers(&c, entries));
	TRY(load_all_sources(&c));
	TRY(assign_buffers(&c));
	return load_memory_of(&c);
}

void load_contents_arch(struct snapshot *snapshot)
{
	bool is_32bit = snapshot->image_count > 0;

	for (size_t i = 0; i < snapshot->image_count; i++)
		is_32bit = is_32bit && !snapshot->images[i]->is_64bit;
	for (size_t i = 0; i < snapshot->core_count; i++) {
		struct snap_core *core = &snapshot->cores[i];
		enum protocol protocol = core->sources[0]->protocol;
		bool is_old = protocol == PROTOCOL_ETM3 || protocol == PROTOCOL_PTM;

		core->arch = is_old || is_32bit ? CORE_A32 : CORE_A64;
	}
}
