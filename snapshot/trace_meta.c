/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trace metadata, trace.ini: trace buffers, the sources of each core, the buffers of each
 * source. Snapshot format 1.0, section 3.3.
 */
#include <stdlib.h>

#include "base/vec.h"
#include "snapshot/file/schema.h"
#include "snapshot/load.h"

/* An association, by indexes: core and source, or source and buffer. */
struct pair {
	size_t left;
	size_t right;
	bool of_stream; /* source and buffer: said of stream 0 alone */
};

struct pairs {
	struct pair *items;
	size_t count;
	size_t capacity;
};

struct context {
	struct loader *loader;
	const struct ini_file *file;
	struct place place; /* of the entry being read */
};

/* What a name may stand for: `count` things, the name of each through `name_at`. */
struct names {
	const char *what;       /* for messages */
	enum severity severity; /* of a name that stands for nothing */
	struct str (*name_at)(const struct snapshot *snapshot, size_t index);
	size_t count;
};

static struct str core_name(const struct snapshot *snapshot, size_t index)
{
	return snapshot->cores[index].device->name;
}

static struct str source_name(const struct snapshot *snapshot, size_t index)
{
	return snapshot->sources[index].device->name;
}

static struct str source_location(const struct snapshot *snapshot, size_t index)
{
	return snapshot->sources[index].device->location;
}

static struct str buffer_name(const struct snapshot *snapshot, size_t index)
{
	return snapshot->buffers[index].name;
}

/*
 * The index of what is called `name`: exactly, or else without regard to case if only one is.
 * NOT_FOUND, diagnosed.
 */
static enum status look_up(const struct context *c, const struct names *names, struct str name,
                           size_t *index)
{
	size_t matches = 0;

	for (size_t i = 0; i < names->count; i++) {
		struct str candidate = names->name_at(c->loader->snapshot, i);

		if (str_eq(candidate, name)) {
			*index = i;
			return STATUS_OK;
		}
		if (str_eq_nocase(candidate, name)) {
			*index = i;
			matches++;
		}
	}
	if (matches == 1)
		return STATUS_OK;
	if (names->severity == SEVERITY_WARNING)
		diag_warning(c->loader->diags, c->place, "there is no %s \"%.*s\"", names->what,
		             STR_ARG(name));
	else
		(void)diag_error(c->loader->diags, STATUS_NOT_FOUND, c->place,
		                 "there is no %s \"%.*s\"", names->what, STR_ARG(name));
	return STATUS_NOT_FOUND;
}

static enum status add_pair(struct pairs *pairs, struct pair pair)
{
	TRY(vec_reserve((void **)&pairs->items, &pairs->capacity, pairs->count + 1,
	                sizeof(*pairs->items)));
	pairs->items[pairs->count++] = pair;
	return STATUS_OK;
}

enum buffer_format load_buffer_format(struct str name)
{
	if (str_eq_nocase(name, STR("coresight")))
		return BUFFER_CORESIGHT;
	if (str_eq_nocase(name, STR("source_data")))
		return BUFFER_SOURCE_DATA;
	if (str_has_prefix_nocase(name, STR("dstream")))
		return BUFFER_DSTREAM;
	return BUFFER_OTHER;
}

static const struct ini_section *find_section(const struct ini_file *file, struct str name)
{
	for (size_t i = 0; i < file->section_count; i++) {
		if (str_eq_nocase(file->sections[i].name, name))
			return &file->sections[i];
	}
	return NULL;
}

/* 3.3: sections that are no buffer's. */
static bool has_a_meaning(const struct ini_section *section)
{
	return schema_is(SCHEMA_TRACE_BUFFERS, section) ||
	       schema_is(SCHEMA_CORE_TRACE_SOURCES, section) ||
	       schema_is(SCHEMA_SOURCE_BUFFERS, section);
}

static bool is_buffer(const struct snapshot *snapshot, struct str id)
{
	for (size_t i = 0; i < snapshot->buffer_count; i++) {
		if (str_eq_nocase(snapshot->buffers[i].id, id))
			return true;
	}
	return false;
}

/* A buffer whose files cannot be had stays in the list, without data. */
static enum status load_buffer(struct context *c, struct str id)
{
	struct loader *loader = c->loader;
	const struct ini_section *section = find_section(c->file, id);
	struct snap_buffer *buffer = &loader->snapshot->buffers[loader->snapshot->buffer_count];
	enum status status;

	if (!section) {
		(void)diag_error(loader->diags, STATUS_BAD_DATA, c->place,
		                 "buffer \"%.*s\" has no section", STR_ARG(id));
		return STATUS_OK;
	}
	if (has_a_meaning(section) || is_buffer(loader->snapshot, id)) {
		(void)diag_error(loader->diags, STATUS_BAD_DATA, c->place,
		                 "buffer ID \"%.*s\" is %s", STR_ARG(id),
		                 has_a_meaning(section) ? "a section of the format"
		                                        : "in the list already");
		return STATUS_OK;
	}
	loader->snapshot->buffer_count++;
	(void)schema_check_keys(SCHEMA_BUFFER, c->file, section, loader->diags);
	buffer->id = id;
	buffer->place = ini_place(c->file, section->line);
	buffer->name = ini_section_value(section, STR("name"));
	buffer->file = ini_section_value(section, STR("file"));
	buffer->format_name = ini_section_value(section, STR("format"));
	buffer->format = load_buffer_format(buffer->format_name);
	buffer->data = bytes_of("", 0);
	buffer->is_one_file = str_find(buffer->file, ',') == buffer->file.n;
	if (buffer->name.n == 0)
		buffer->name = id;
	if (!ini_section_find(section, STR("file")))
		return STATUS_OK;
	status = snap_files_join(loader->files, buffer->file, buffer->place, loader->diags,
	                         &buffer->data);
	return status == STATUS_NO_MEM ? status : STATUS_OK;
}

static enum status load_buffers(struct context *c)
{
	const struct ini_section *section =
	        schema_find(SCHEMA_TRACE_BUFFERS, c->file, c->loader->diags);
	const struct ini_entry *list = section ? ini_section_find(section, STR("buffers")) : NULL;
	struct str rest;
	size_t count = 0;

	if (!list)
		return STATUS_OK;
	c->place = ini_place(c->file, list->line);
	for (rest = list->value; rest.p; count++)
		(void)str_next_part(&rest, ',');
	TRY(load_array(c->loader, count, sizeof(struct snap_buffer),
	               (void **)&c->loader->snapshot->buffers));
	for (rest = list->value; rest.p;) {
		struct str id = str_next_part(&rest, ',');

		if (id.n > 0)
			TRY(load_buffer(c, id));
		else
			diag_warning(c->loader->diags, c->place,
			             "the list of buffers has an empty place");
	}
	return STATUS_OK;
}

/* One source of a core: a name, or "@" and a location. */
static enum status pair_source(struct context *c, struct pairs *pairs, size_t core, struct str name)
{
	struct names names = {"trace source", SEVERITY_ERROR, source_name,
	                      c->loader->snapshot->source_count};
	struct pair pair = {.left = core};

	if (str_has_prefix(name, STR("@"))) {
		names.what = "trace source at";
		names.name_at = source_location;
		name = str_trim(str_skip(name, 1));
	}
	if (look_up(c, &names, name, &pair.right) != STATUS_OK)
		return STATUS_OK;
	for (size_t i = 0; i < pairs->count; i++) {
		if (pairs->items[i].right != pair.right)
			continue;
		diag_warning(c->loader->diags, c->place,
		             "trace source \"%.*s\" has a core already: \"%.*s\"",
		             STR_ARG(source_name(c->loader->snapshot, pair.right)),
		             STR_ARG(core_name(c->loader->snapshot, pairs->items[i].left)));
		return STATUS_OK;
	}
	return add_pair(pairs, pair);
}

static enum status read_core_sources(struct context *c, struct pairs *pairs)
{
	const struct ini_section *section =
	        schema_find(SCHEMA_CORE_TRACE_SOURCES, c->file, c->loader->diags);
	struct names cores = {"core", SEVERITY_WARNING, core_name, c->loader->snapshot->core_count};

	for (size_t i = 0; section && i < section->entry_count; i++) {
		const struct ini_entry *entry = &section->entries[i];
		struct str rest = ini_unquote(entry->value);
		size_t core;

		c->place = ini_place(c->file, entry->line);
		/* A snapshot of one core of several may well name the others. */
		if (look_up(c, &cores, entry->key, &core) != STATUS_OK)
			continue;
		/* A location may hold commas: it is no list. */
		if (str_has_prefix(rest, STR("@"))) {
			TRY(pair_source(c, pairs, core, rest));
			continue;
		}
		while (rest.p)
			TRY(pair_source(c, pairs, core, str_next_part(&rest, ',')));
	}
	return STATUS_OK;
}

/* Gives each core its sources, in the order of the pairs. */
static enum status assign_core_sources(struct loader *loader, const struct pairs *pairs)
{
	struct snapshot *snapshot = loader->snapshot;

	for (size_t i = 0; i < pairs->count; i++)
		snapshot->cores[pairs->items[i].left].source_count++;
	for (size_t i = 0; i < snapshot->core_count; i++) {
		struct snap_core *core = &snapshot->cores[i];

		TRY(load_array(loader, core->source_count, sizeof(struct snap_source *),
		               (void **)&core->sources));
		core->source_count = 0;
	}
	for (size_t i = 0; i < pairs->count; i++) {
		struct snap_core *core = &snapshot->cores[pairs->items[i].left];
		struct snap_source *source = &snapshot->sources[pairs->items[i].right];

		core->sources[core->source_count++] = source;
		source->core = core;
	}
	return STATUS_OK;
}

/*
 * Splits "NAME(stream:N)". True if the entry is of the stream that program flow comes in: of
 * stream 0, or of all.
 */
static bool is_flow_stream(const struct context *c, struct str key, struct str *name,
                           bool *of_stream)
{
	size_t open = str_find(key, '(');
	struct str inner = str_skip(key, open + 1);
	uint64_t stream = 0;
	size_t colon;

	*name = str_trim((struct str){key.p, open});
	*of_stream = open < key.n;
	if (!*of_stream)
		return true;
	if (inner.n > 0 && inner.p[inner.n - 1] == ')')
		inner.n--;
	colon = str_find(inner, ':');
	if (!str_eq_nocase(str_trim((struct str){inner.p, colon}), STR("stream")) ||
	    str_to_u64(str_trim(str_skip(inner, colon + 1)), &stream) != STATUS_OK) {
		(void)diag_error(c->loader->diags, STATUS_BAD_DATA, c->place,
		                 "\"%.*s\" is no trace source, expected NAME or NAME(stream:N)",
		                 STR_ARG(key));
		return false;
	}
	if (stream != 0)
		diag_warning(c->loader->diags, c->place,
		             "stream %llu of trace source \"%.*s\" is not decoded: program flow "
		             "comes in stream 0",
		             (unsigned long long)stream, STR_ARG(*name));
	return stream == 0;
}

/* The second time is no second trace. */
static enum status pair_buffer(const struct context *c, struct pairs *pairs, struct pair pair)
{
	for (size_t i = 0; i < pairs->count; i++) {
		const struct pair *other = &pairs->items[i];

		if (other->left != pair.left || other->right != pair.right ||
		    other->of_stream != pair.of_stream)
			continue;
		diag_warning(c->loader->diags, c->place,
		             "trace source \"%.*s\" is said to be in buffer \"%.*s\" twice",
		             STR_ARG(source_name(c->loader->snapshot, pair.left)),
		             STR_ARG(buffer_name(c->loader->snapshot, pair.right)));
		return STATUS_OK;
	}
	return add_pair(pairs, pair);
}

static enum status read_source_buffers(struct context *c, const struct ini_section *section,
                                       struct pairs *pairs)
{
	const struct snapshot *snapshot = c->loader->snapshot;
	struct names sources = {"trace source", SEVERITY_ERROR, source_name,
	                        snapshot->source_count};
	struct names buffers = {"trace buffer", SEVERITY_ERROR, buffer_name,
	                        snapshot->buffer_count};

	for (size_t i = 0; i < section->entry_count; i++) {
		struct str rest = ini_unquote(section->entries[i].value);
		struct pair pair;
		struct str name;

		c->place = ini_place(c->file, section->entries[i].line);
		if (!is_flow_stream(c, section->entries[i].key, &name, &pair.of_stream) ||
		    look_up(c, &sources, name, &pair.left) != STATUS_OK)
			continue;
		while (rest.p) {
			struct str buffer = str_next_part(&rest, ',');

			if (look_up(c, &buffers, buffer, &pair.right) == STATUS_OK)
				TRY(pair_buffer(c, pairs, pair));
		}
	}
	return STATUS_OK;
}

/* True if nothing says which of several sources the buffer's bytes are of. */
static bool is_nobodys(const struct snapshot *snapshot, const struct snap_buffer *buffer)
{
	return buffer->format == BUFFER_SOURCE_DATA && snapshot->buffer_count > 1 &&
	       snapshot->source_count > 1;
}

/*
 * Without the section every source is in every buffer that can tell sources apart; the format means
 * that there is one.
 */
static enum status pair_all(struct context *c, struct pairs *pairs)
{
	const struct snapshot *snapshot = c->loader->snapshot;

	if (snapshot->buffer_count > 1)
		diag_warning(c->loader->diags, place_file(c->file->name),
		             "section [source_buffers] is missing and there are %zu buffers: each "
		             "source is looked for in all",
		             snapshot->buffer_count);
	for (size_t j = 0; j < snapshot->buffer_count; j++) {
		const struct snap_buffer *buffer = &snapshot->buffers[j];

		if (is_nobodys(snapshot, buffer)) {
			(void)diag_error(
			        c->loader->diags, STATUS_BAD_DATA, buffer->place,
			        "buffer \"%.*s\" has the data of one source, and no section "
			        "[source_buffers] says of which",
			        STR_ARG(buffer->name));
			continue;
		}
		for (size_t i = 0; i < snapshot->source_count; i++)
			TRY(add_pair(pairs, (struct pair){i, j, false}));
	}
	return STATUS_OK;
}

static enum status assign_source_buffers(struct loader *loader, const struct pairs *pairs)
{
	for (size_t i = 0; i < loader->snapshot->source_count; i++) {
		struct snap_source *source = &loader->snapshot->sources[i];
		bool of_stream = false;
		size_t *buffers;
		size_t count = 0;

		for (size_t j = 0; j < pairs->count; j++) {
			if (pairs->items[j].left != i)
				continue;
			of_stream = of_stream || pairs->items[j].of_stream;
			count++;
		}
		TRY(load_array(loader, count, sizeof(*buffers), (void **)&buffers));
		for (size_t j = 0; j < pairs->count; j++) {
			/* What is said of the stream alone counts more. */
			if (pairs->items[j].left == i && pairs->items[j].of_stream == of_stream)
				buffers[source->buffer_count++] = pairs->items[j].right;
		}
		source->buffers = buffers;
	}
	return STATUS_OK;
}

static void warn_of_sections(const struct context *c)
{
	for (size_t i = 0; i < c->file->section_count; i++) {
		const struct ini_section *section = &c->file->sections[i];

		if (!has_a_meaning(section) && !schema_is(SCHEMA_TIMESTAMP, section) &&
		    !is_buffer(c->loader->snapshot, section->name))
			diag_warning(c->loader->diags, ini_place(c->file, section->line),
			             "section [%.*s] is ignored", STR_ARG(section->name));
	}
}

/* Tools that save what they traced say the frequency; the format has no such section. */
static void load_frequency(struct context *c)
{
	struct diag_list *diags = c->loader->diags;
	uint64_t *hz = &c->loader->snapshot->timestamp_hz;
	const struct ini_section *section = NULL;
	const struct ini_entry *entry = NULL;

	if (!is_buffer(c->loader->snapshot, STR("timestamp")))
		section = schema_find(SCHEMA_TIMESTAMP, c->file, diags);
	if (section)
		entry = ini_section_find(section, STR("frequency"));
	if (!entry)
		return;
	if (str_to_u64(ini_unquote(entry->value), hz) == STATUS_OK && *hz > 0)
		return;
	*hz = 0;
	diag_warning(diags, ini_place(c->file, entry->line),
	             "frequency \"%.*s\" is no number of ticks a second, and is ignored",
	             STR_ARG(entry->value));
}

static enum status load_associations(struct context *c, struct pairs *core_sources,
                                     struct pairs *source_buffers)
{
	const struct ini_section *section =
	        schema_find(SCHEMA_SOURCE_BUFFERS, c->file, c->loader->diags);

	TRY(read_core_sources(c, core_sources));
	TRY(assign_core_sources(c->loader, core_sources));
	if (section)
		TRY(read_source_buffers(c, section, source_buffers));
	else
		TRY(pair_all(c, source_buffers));
	return assign_source_buffers(c->loader, source_buffers);
}

enum status load_trace(struct loader *loader, struct str file, struct place place)
{
	struct ini_file ini;
	struct context c = {.loader = loader, .file = &ini};
	struct pairs core_sources = {0};
	struct pairs source_buffers = {0};
	enum status status = load_ini(loader, file, place, &ini);

	if (status != STATUS_OK)
		return status == STATUS_NO_MEM ? status : STATUS_OK;
	status = load_buffers(&c);
	load_frequency(&c);
	warn_of_sections(&c);
	if (status == STATUS_OK)
		status = load_associations(&c, &core_sources, &source_buffers);
	free(core_sources.items);
	free(source_buffers.items);
	return status;
}
