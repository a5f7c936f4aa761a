/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `csreplay info`: what a snapshot holds, as aligned tables or as one JSON object. Registers'
 * values are not listed: that is the debugger's work.
 */
#include "base/json.h"
#include "cli/cli.h"
#include "replay/survey/survey.h"

enum {
	COLUMNS_MOST = 10,
	INDENT = 2,
	GAP = 2, /* blanks between columns */
};

/* A table in the making: cells one after the other, each ended by a NUL. */
struct table {
	size_t columns;
	struct text cells;
};

struct report {
	const struct snapshot *snapshot;
	const struct session *session;
	struct unclaimed_ids unclaimed_ids;
	struct text *out;
};

static void cell(struct table *table, struct str s)
{
	text_add(&table->cells, s);
	text_char(&table->cells, '\0');
}

static void cell_printf(struct table *table, const char *format, ...) PRINTF_LIKE(2, 3);

static void cell_printf(struct table *table, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text_vprintf(&table->cells, format, args);
	va_end(args);
	text_char(&table->cells, '\0');
}

static struct str next_cell(struct str *rest)
{
	struct str s = {rest->p, str_find(*rest, '\0')};

	*rest = str_skip(*rest, s.n + 1);
	return s;
}

static struct table table_begin(const char *const *titles, size_t columns)
{
	struct table table = {.columns = columns};

	for (size_t i = 0; i < columns; i++)
		cell(&table, str_of(titles[i]));
	return table;
}

/* Writes the table under its name and frees it; nothing if it has no row but the titles. */
static void table_end(struct table *table, const char *name, struct text *out)
{
	size_t widths[COLUMNS_MOST] = {0};
	struct str rest = text_str(&table->cells);
	size_t cells = 0;

	for (; rest.n > 0; cells++) {
		struct str s = next_cell(&rest);

		if (s.n > widths[cells % table->columns])
			widths[cells % table->columns] = s.n;
	}
	rest = text_str(&table->cells);
	if (cells > table->columns)
		text_printf(out, "\n%s\n", name);
	for (size_t i = 0; cells > table->columns && i < cells; i++) {
		size_t column = i % table->columns;
		struct str s = next_cell(&rest);

		text_printf(out, "%*s%.*s", column == 0 ? INDENT : 0, "", STR_ARG(s));
		if (column + 1 < table->columns)
			text_printf(out, "%*s", (int)(widths[column] - s.n) + GAP, "");
		else
			text_char(out, '\n');
	}
	if (table->cells.failed)
		out->failed = true;
	text_fini(&table->cells);
}

static struct str or_dash(struct str s)
{
	return s.n > 0 ? s : STR("-");
}

/* A cell of a text, which is freed. */
static void cell_text(struct table *table, struct text *text)
{
	cell(table, or_dash(text_str(text)));
	table->cells.failed |= text->failed;
	text_fini(text);
}

/* Names of the list, with commas between them. */
static void add_name(struct text *names, struct str name)
{
	if (names->length > 0)
		text_char(names, ',');
	text_add(names, name);
}

static void add_sources(const struct snap_core *core, struct text *names)
{
	for (size_t i = 0; i < core->source_count; i++)
		add_name(names, core->sources[i]->device->name);
}

static void add_buffers(const struct snapshot *snapshot, const struct snap_source *source,
                        struct text *names)
{
	for (size_t i = 0; i < source->buffer_count; i++)
		add_name(names, snapshot->buffers[source->buffers[i]].name);
}

static const struct snap_register *pc_of(const struct snap_core *core)
{
	const struct register_file file = register_file_of(core->arch);

	return register_in_snapshot(&file, REGISTER_PC, core->device);
}

static void write_devices(const struct report *r)
{
	static const char *const titles[] = {"name",      "class", "type", "location",
	                                     "registers", "dumps", "file"};
	struct table table = table_begin(titles, 7);

	for (size_t i = 0; i < r->snapshot->device_count; i++) {
		const struct snap_device *device = &r->snapshot->devices[i];

		cell(&table, device->name);
		cell(&table, or_dash(device->class_name));
		cell(&table, or_dash(device->type));
		cell(&table, or_dash(device->location));
		cell_printf(&table, "%zu", device->register_count);
		cell_printf(&table, "%zu", device->dump_count);
		cell(&table, device->file);
	}
	table_end(&table, "devices", r->out);
}

static void write_cores(const struct report *r)
{
	static const char *const titles[] = {"thread",  "name",         "type", "state",  "pc",
	                                     "sources", "instructions", "gaps", "cluster"};
	struct table table = table_begin(titles, 9);

	for (size_t i = 0; i < r->snapshot->core_count; i++) {
		const struct snap_core *core = &r->snapshot->cores[i];
		const struct history *history = session_history(r->session, i);
		const struct snap_register *pc = pc_of(core);
		struct text sources = {0};
		size_t gaps;

		(void)history_gaps(history, &gaps);
		add_sources(core, &sources);
		cell_printf(&table, "%zu", i + 1);
		cell(&table, core->device->name);
		cell(&table, or_dash(core->device->type));
		cell(&table, str_of(core_arch_name(core->arch)));
		if (pc)
			cell_printf(&table, "0x%llx", (unsigned long long)snap_register_value(pc));
		else
			cell(&table, STR("-"));
		cell_text(&table, &sources);
		cell_printf(&table, "%llu", (unsigned long long)history_length(history));
		cell_printf(&table, "%zu", gaps);
		cell(&table, or_dash(core->cluster));
	}
	table_end(&table, "cores", r->out);
}

static void add_devices(const struct snap_cluster *cluster, struct text *names)
{
	for (size_t i = 0; i < cluster->device_count; i++)
		add_name(names, cluster->devices[i]->name);
}

/* The one without a name, of all cores, says nothing. */
static void write_clusters(const struct report *r)
{
	static const char *const titles[] = {"name", "devices"};
	struct table table = table_begin(titles, 2);

	for (size_t i = 0; i < r->snapshot->cluster_count; i++) {
		const struct snap_cluster *cluster = &r->snapshot->clusters[i];
		struct text devices = {0};

		if (cluster->name.n == 0)
			continue;
		add_devices(cluster, &devices);
		cell(&table, cluster->name);
		cell_text(&table, &devices);
	}
	table_end(&table, "clusters", r->out);
}

static void write_crashes(const struct report *r)
{
	static const char *const titles[] = {"core", "cause"};
	struct table table = table_begin(titles, 2);

	for (size_t i = 0; i < r->snapshot->core_count; i++) {
		struct text line = {0};
		struct crash crash;

		if (!session_crash(r->session, i, &crash))
			continue;
		crash_format(&crash, &line);
		cell(&table, r->snapshot->cores[i].device->name);
		cell(&table, text_str(&line));
		text_fini(&line);
	}
	table_end(&table, "crash", r->out);
}

static void write_sources(const struct report *r)
{
	static const char *const titles[] = {"name", "type", "protocol", "id", "core", "buffers"};
	struct table table = table_begin(titles, 6);

	for (size_t i = 0; i < r->snapshot->source_count; i++) {
		const struct snap_source *source = &r->snapshot->sources[i];
		struct text buffers = {0};
		uint8_t id;

		add_buffers(r->snapshot, source, &buffers);
		cell(&table, source->device->name);
		cell(&table, or_dash(source->device->type));
		cell(&table, str_of(protocol_name(source->protocol)));
		if (snap_source_trace_id(source, &id))
			cell_printf(&table, "0x%02x", id);
		else
			cell(&table, STR("-"));
		cell(&table, source->core ? source->core->device->name : STR("-"));
		cell_text(&table, &buffers);
	}
	table_end(&table, "trace sources", r->out);
}

static void write_buffers(const struct report *r)
{
	static const char *const titles[] = {"name", "format", "bytes", "file"};
	struct table table = table_begin(titles, 4);

	for (size_t i = 0; i < r->snapshot->buffer_count; i++) {
		const struct snap_buffer *buffer = &r->snapshot->buffers[i];

		cell(&table, buffer->name);
		cell(&table, or_dash(buffer->format_name));
		cell_printf(&table, "%zu", bytes_left(&buffer->data));
		cell(&table, or_dash(buffer->file));
	}
	table_end(&table, "trace buffers", r->out);
}

static void write_unclaimed_ids(const struct report *r)
{
	static const char *const titles[] = {"buffer", "id", "bytes", "first", "last"};
	struct table table = table_begin(titles, 5);

	for (size_t i = 0; i < r->unclaimed_ids.count; i++) {
		const struct unclaimed_id *id = &r->unclaimed_ids.items[i];

		cell(&table, r->snapshot->buffers[id->buffer].name);
		cell_printf(&table, "0x%02x", id->id);
		cell_printf(&table, "%llu", (unsigned long long)id->bytes);
		cell_printf(&table, "%llu", (unsigned long long)id->first);
		cell_printf(&table, "%llu", (unsigned long long)id->last);
	}
	table_end(&table, "trace IDs without a source", r->out);
}

static void write_dumps(const struct report *r)
{
	static const char *const titles[] = {"device", "dump",   "space", "address",
	                                     "bytes",  "offset", "file"};
	struct table table = table_begin(titles, 7);

	for (size_t i = 0; i < r->snapshot->device_count; i++) {
		const struct snap_device *device = &r->snapshot->devices[i];

		for (size_t j = 0; j < device->dump_count; j++) {
			const struct snap_dump *dump = &device->dumps[j];

			cell(&table, device->name);
			cell(&table, dump->section);
			cell(&table, str_of(space_text(dump->space)));
			cell_printf(&table, "0x%llx", (unsigned long long)dump->address);
			cell_printf(&table, "%llu", (unsigned long long)dump->length);
			cell_printf(&table, "0x%llx", (unsigned long long)dump->offset);
			cell(&table, dump->file);
		}
	}
	table_end(&table, "memory dumps", r->out);
}

static uint64_t lowest_address(const struct elf_image *image)
{
	uint64_t lowest = UINT64_MAX;

	for (size_t i = 0; i < image->segment_count; i++) {
		if (image->segments[i].address < lowest)
			lowest = image->segments[i].address;
	}
	return lowest;
}

/* Where an image comes from: only those of --image add memory. */
static const char *image_origin(const struct snapshot *snapshot, size_t index)
{
	return index < snapshot->mapped_images ? "--image" : "dump";
}

static void write_images(const struct report *r)
{
	static const char *const titles[] = {"from", "address", "segments", "file"};
	struct table table = table_begin(titles, 4);

	for (size_t i = 0; i < r->snapshot->image_count; i++) {
		const struct elf_image *image = r->snapshot->images[i];

		cell(&table, str_of(image_origin(r->snapshot, i)));
		cell_printf(&table, "0x%llx", (unsigned long long)lowest_address(image));
		cell_printf(&table, "%zu", image->segment_count);
		cell(&table, image->path);
	}
	table_end(&table, "images", r->out);
}

static void write_assumptions(const struct report *r)
{
	static const char *const titles[] = {"assumption", "", ""};
	struct table table = table_begin(titles, 3);

	for (unsigned int i = 0; i < ASSUMPTIONS && session_reconstructs(r->session); i++) {
		cell(&table, str_of(assumption_name((enum assumption)i)));
		cell(&table,
		     session_assumes(r->session, (enum assumption)i) ? STR("on") : STR("off"));
		cell(&table, str_of(assumption_text((enum assumption)i)));
	}
	table_end(&table, "values of the past", r->out);
}

static void write_text(const struct report *r)
{
	text_printf(r->out, "snapshot %.*s\n", STR_ARG(r->snapshot->path));
	if (r->snapshot->description.n > 0)
		text_printf(r->out, "%.*s\n", STR_ARG(r->snapshot->description));
	write_cores(r);
	write_clusters(r);
	write_crashes(r);
	write_sources(r);
	write_buffers(r);
	write_unclaimed_ids(r);
	write_images(r);
	write_dumps(r);
	write_devices(r);
	write_assumptions(r);
}

static void json_list(struct text *out, const char *name)
{
	json_key(out, name);
	json_open(out, '[');
}

static void json_object(struct text *out)
{
	json_item(out);
	json_open(out, '{');
}

static void json_devices(const struct report *r)
{
	json_list(r->out, "devices");
	for (size_t i = 0; i < r->snapshot->device_count; i++) {
		const struct snap_device *device = &r->snapshot->devices[i];

		json_object(r->out);
		json_str(r->out, "name", device->name);
		json_str(r->out, "class", device->class_name);
		json_str(r->out, "type", device->type);
		json_str(r->out, "location", device->location);
		json_u64(r->out, "registers", device->register_count);
		json_str(r->out, "file", device->file);
		json_list(r->out, "dumps");
		for (size_t j = 0; j < device->dump_count; j++) {
			const struct snap_dump *dump = &device->dumps[j];

			json_object(r->out);
			json_str(r->out, "name", dump->section);
			json_str(r->out, "space", str_of(space_text(dump->space)));
			json_hex(r->out, "address", dump->address);
			json_u64(r->out, "bytes", dump->length);
			json_u64(r->out, "offset", dump->offset);
			json_str(r->out, "file", dump->file);
			json_close(r->out, '}');
		}
		json_close(r->out, ']');
		json_close(r->out, '}');
	}
	json_close(r->out, ']');
}

static void json_gaps(const struct history *history, struct text *out)
{
	size_t count;
	const struct gap *gaps = history_gaps(history, &count);

	json_list(out, "gaps");
	for (size_t i = 0; i < count; i++) {
		json_object(out);
		json_u64(out, "position", gaps[i].position);
		json_str(out, "reason", str_of(gap_reason_text(gaps[i].reason)));
		if (gaps[i].has_address)
			json_hex(out, "address", gaps[i].address);
		json_close(out, '}');
	}
	json_close(out, ']');
}

static void json_syndrome(const struct crash *crash, struct text *out)
{
	const struct syndrome *s = &crash->syndrome;
	struct text registers = {0};

	json_str(out, "what", str_of(s->what));
	if (s->signal != SYNDROME_NONE)
		json_str(out, "signal", str_of(syndrome_signal_name(s->signal)));
	if (s->access != SYNDROME_NO_ACCESS)
		json_str(out, "access", str_of(syndrome_access_name(s->access)));
	json_list(out, "details");
	for (size_t i = 0; i < s->detail_count; i++) {
		json_item(out);
		json_quote(out, str_of(s->details[i]));
	}
	json_close(out, ']');
	crash_format_registers(crash, &registers);
	if (registers.length > 0)
		json_str(out, "registers", text_str(&registers));
	text_fini(&registers);
}

/* The core's crash; nothing if none is known. */
static void json_crash(const struct report *r, size_t core)
{
	static const char *const sources[] = {
	        [CRASH_REGISTERS] = "registers",
	        [CRASH_TRACE] = "trace",
	        [CRASH_OPCODE] = "instruction",
	};
	struct text line = {0};
	struct crash crash;

	if (!session_crash(r->session, core, &crash))
		return;
	crash_format(&crash, &line);
	json_key(r->out, "crash");
	json_open(r->out, '{');
	json_str(r->out, "text", text_str(&line));
	json_str(r->out, "from", str_of(sources[crash.source]));
	if (crash.source == CRASH_REGISTERS)
		json_str(r->out, "status", str_of(crash.status));
	json_bool(r->out, "is_halt", crash.is_halt);
	json_syndrome(&crash, r->out);
	if (crash.has_pc)
		json_hex(r->out, "pc", crash.pc);
	if (crash.has_address)
		json_hex(r->out, "address", crash.address);
	if (crash.has_branch)
		json_hex(r->out, "branch", crash.branch);
	if (crash.has_position)
		json_u64(r->out, "position", crash.position);
	json_close(r->out, '}');
	text_fini(&line);
}

/* System registers of the core at the halt, those that it has. */
static void json_system(const struct report *r, size_t core)
{
	const struct register_file *file = session_core_registers(r->session, core);
	const struct history *history = session_history(r->session, core);

	json_list(r->out, "system_registers");
	for (unsigned int i = 0; i < file->system_count; i++) {
		struct text digits = {0};
		struct value value;

		session_register_at(r->session, core, history_last(history), file->count + i,
		                    &value);
		if (!value_is_known(&value))
			continue;
		text_puts(&digits, "0x");
		cli_put_number(&digits, value.bits, value.size);
		json_object(r->out);
		json_str(r->out, "name", file->system[i].name);
		json_str(r->out, "value", text_str(&digits));
		json_close(r->out, '}');
		r->out->failed |= digits.failed;
		text_fini(&digits);
	}
	json_close(r->out, ']');
}

static void json_cores(const struct report *r)
{
	json_list(r->out, "cores");
	for (size_t i = 0; i < r->snapshot->core_count; i++) {
		const struct snap_core *core = &r->snapshot->cores[i];
		const struct history *history = session_history(r->session, i);
		const struct snap_register *pc = pc_of(core);

		json_object(r->out);
		json_u64(r->out, "thread", i + 1);
		json_str(r->out, "name", core->device->name);
		json_str(r->out, "type", core->device->type);
		json_str(r->out, "state", str_of(core_arch_name(core->arch)));
		if (pc)
			json_hex(r->out, "pc", snap_register_value(pc));
		if (core->cluster.n > 0)
			json_str(r->out, "cluster", core->cluster);
		json_list(r->out, "sources");
		for (size_t j = 0; j < core->source_count; j++) {
			json_item(r->out);
			json_quote(r->out, core->sources[j]->device->name);
		}
		json_close(r->out, ']');
		json_u64(r->out, "instructions", history_length(history));
		json_crash(r, i);
		json_system(r, i);
		json_gaps(history, r->out);
		json_close(r->out, '}');
	}
	json_close(r->out, ']');
}

static void json_clusters(const struct report *r)
{
	json_list(r->out, "clusters");
	for (size_t i = 0; i < r->snapshot->cluster_count; i++) {
		const struct snap_cluster *cluster = &r->snapshot->clusters[i];

		json_object(r->out);
		if (cluster->name.n > 0)
			json_str(r->out, "name", cluster->name);
		json_list(r->out, "devices");
		for (size_t j = 0; j < cluster->device_count; j++) {
			json_item(r->out);
			json_quote(r->out, cluster->devices[j]->name);
		}
		json_close(r->out, ']');
		json_close(r->out, '}');
	}
	json_close(r->out, ']');
}

static void json_sources(const struct report *r)
{
	json_list(r->out, "sources");
	for (size_t i = 0; i < r->snapshot->source_count; i++) {
		const struct snap_source *source = &r->snapshot->sources[i];
		uint8_t id;

		json_object(r->out);
		json_str(r->out, "name", source->device->name);
		json_str(r->out, "type", source->device->type);
		json_str(r->out, "protocol", str_of(protocol_name(source->protocol)));
		if (snap_source_trace_id(source, &id))
			json_u64(r->out, "trace_id", id);
		if (source->core)
			json_str(r->out, "core", source->core->device->name);
		json_list(r->out, "buffers");
		for (size_t j = 0; j < source->buffer_count; j++) {
			json_item(r->out);
			json_quote(r->out, r->snapshot->buffers[source->buffers[j]].name);
		}
		json_close(r->out, ']');
		json_close(r->out, '}');
	}
	json_close(r->out, ']');
}

static void json_buffers(const struct report *r)
{
	json_list(r->out, "buffers");
	for (size_t i = 0; i < r->snapshot->buffer_count; i++) {
		const struct snap_buffer *buffer = &r->snapshot->buffers[i];

		json_object(r->out);
		json_str(r->out, "id", buffer->id);
		json_str(r->out, "name", buffer->name);
		json_str(r->out, "format", buffer->format_name);
		json_u64(r->out, "bytes", bytes_left(&buffer->data));
		json_str(r->out, "file", buffer->file);
		json_close(r->out, '}');
	}
	json_close(r->out, ']');
}

static void json_unclaimed_ids(const struct report *r)
{
	json_list(r->out, "unclaimed_ids");
	for (size_t i = 0; i < r->unclaimed_ids.count; i++) {
		const struct unclaimed_id *id = &r->unclaimed_ids.items[i];

		json_object(r->out);
		json_str(r->out, "buffer", r->snapshot->buffers[id->buffer].name);
		json_u64(r->out, "trace_id", id->id);
		json_u64(r->out, "bytes", id->bytes);
		json_u64(r->out, "first", id->first);
		json_u64(r->out, "last", id->last);
		json_close(r->out, '}');
	}
	json_close(r->out, ']');
}

static void json_images(const struct report *r)
{
	json_list(r->out, "images");
	for (size_t i = 0; i < r->snapshot->image_count; i++) {
		const struct elf_image *image = r->snapshot->images[i];

		json_object(r->out);
		json_str(r->out, "file", image->path);
		json_str(r->out, "from", str_of(image_origin(r->snapshot, i)));
		json_hex(r->out, "address", lowest_address(image));
		json_hex(r->out, "entry", image->entry);
		json_u64(r->out, "segments", image->segment_count);
		json_close(r->out, '}');
	}
	json_close(r->out, ']');
}

static void json_assumptions(const struct report *r)
{
	json_key(r->out, "assumptions");
	json_open(r->out, '{');
	for (unsigned int i = 0; i < ASSUMPTIONS && session_reconstructs(r->session); i++)
		json_bool(r->out, assumption_name((enum assumption)i),
		          session_assumes(r->session, (enum assumption)i));
	json_close(r->out, '}');
}

static void write_json(const struct report *r)
{
	json_open(r->out, '{');
	json_str(r->out, "snapshot", r->snapshot->path);
	json_str(r->out, "description", r->snapshot->description);
	json_cores(r);
	json_clusters(r);
	json_sources(r);
	json_buffers(r);
	json_unclaimed_ids(r);
	json_images(r);
	json_devices(r);
	json_assumptions(r);
	json_close(r->out, '}');
	text_char(r->out, '\n');
}

enum { CONTEXTS_TOLD = 8 };

/* A note, if what the trace calls several contexts all have the one code of the snapshot. */
static void note_contexts(const struct session *session, size_t core)
{
	const struct history *history = session_history(session, core);
	uint32_t ids[CONTEXTS_TOLD];
	size_t known = 0;
	bool more = false;
	struct history_event event;
	struct text list = {0};

	for (size_t i = 0; !more && history_event(history, i, &event); i++) {
		const struct element *e = &event.element;
		size_t at = 0;

		if (e->type != ELEMENT_PE_CONTEXT || !e->context.has_context_id)
			continue;
		while (at < known && ids[at] != e->context.context_id)
			at++;
		more = at == CONTEXTS_TOLD;
		if (at == known && !more) {
			ids[known++] = e->context.context_id;
			text_printf(&list, "%s0x%x", at > 0 ? ", " : "", ids[at]);
		}
	}
	if (known > 1 && !memmap_has_contexts(history_memory(history)))
		cli_note("core \"%.*s\": one code map serves the contexts %.*s%s; --image "
		         "ELF,context=ID gives one of its own",
		         STR_ARG(session_core(session, core)->device->name),
		         STR_ARG(text_str(&list)), more ? " and others" : "");
	text_fini(&list);
}

/* `context`: a bool, JSON is wanted. */
static enum cli_exit report(const struct cli_args *args, struct session *session, void *context)
{
	struct text out = {0};
	struct report report = {
	        .snapshot = session_snapshot(session), .session = session, .out = &out};
	enum cli_exit code;

	(void)args;
	if (survey_ids(report.snapshot, session_trace_ids(session), &report.unclaimed_ids) !=
	    STATUS_OK)
		out.failed = true;
	else if (*(const bool *)context)
		write_json(&report);
	else
		write_text(&report);
	unclaimed_ids_fini(&report.unclaimed_ids);
	code = cli_flush(&out);
	text_fini(&out);
	for (size_t i = 0; i < session_core_count(session); i++)
		note_contexts(session, i);
	return code;
}

enum cli_exit cmd_info(const struct cli_args *args)
{
	bool json;
	enum cli_exit code = cli_format(args, "text", &json);

	return code == CLI_FINE ? cli_with_session(args, report, &json) : code;
}
