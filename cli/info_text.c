/* SPDX-License-Identifier: Apache-2.0 */
/* `csreplay info` as aligned tables; see info_report.h. One function a table. */
#include "cli/info_report.h"
#include "cli/table.h"

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

static void write_devices(const struct info_report *r)
{
	static const char *const titles[] = {"name",      "class", "type", "location",
	                                     "registers", "dumps", "file"};
	struct table table = table_begin(titles, 7);

	for (size_t i = 0; i < r->snapshot->device_count; i++) {
		const struct snap_device *device = &r->snapshot->devices[i];

		table_cell(&table, device->name);
		table_cell(&table, table_or_dash(device->class_name));
		table_cell(&table, table_or_dash(device->type));
		table_cell(&table, table_or_dash(device->location));
		table_cell_printf(&table, "%zu", device->register_count);
		table_cell_printf(&table, "%zu", device->dump_count);
		table_cell(&table, device->file);
	}
	table_end(&table, "devices", r->out);
}

static void write_cores(const struct info_report *r)
{
	static const char *const titles[] = {"thread",  "name",         "type", "state",  "pc",
	                                     "sources", "instructions", "gaps", "cluster"};
	struct table table = table_begin(titles, 9);

	for (size_t i = 0; i < r->snapshot->core_count; i++) {
		const struct snap_core *core = &r->snapshot->cores[i];
		const struct history *history = session_history(r->session, i);
		const struct snap_register *pc = info_pc(core);
		struct text sources = {0};
		size_t gaps = history_gap_count(history);

		add_sources(core, &sources);
		table_cell_printf(&table, "%zu", i + 1);
		table_cell(&table, core->device->name);
		table_cell(&table, table_or_dash(core->device->type));
		table_cell(&table, str_of(core_arch_name(core->arch)));
		if (pc)
			table_cell_printf(&table, "0x%llx",
			                  (unsigned long long)snap_register_value(pc));
		else
			table_cell(&table, STR("-"));
		table_cell_text(&table, &sources);
		table_cell_printf(&table, "%llu", (unsigned long long)history_length(history));
		table_cell_printf(&table, "%zu", gaps);
		table_cell(&table, table_or_dash(core->cluster));
	}
	table_end(&table, "cores", r->out);
}

static void add_devices(const struct snap_cluster *cluster, struct text *names)
{
	for (size_t i = 0; i < cluster->device_count; i++)
		add_name(names, cluster->devices[i]->name);
}

/* The one without a name, of all cores, says nothing. */
static void write_clusters(const struct info_report *r)
{
	static const char *const titles[] = {"name", "devices"};
	struct table table = table_begin(titles, 2);

	for (size_t i = 0; i < r->snapshot->cluster_count; i++) {
		const struct snap_cluster *cluster = &r->snapshot->clusters[i];
		struct text devices = {0};

		if (cluster->name.n == 0)
			continue;
		add_devices(cluster, &devices);
		table_cell(&table, cluster->name);
		table_cell_text(&table, &devices);
	}
	table_end(&table, "clusters", r->out);
}

static void write_crashes(const struct info_report *r)
{
	static const char *const titles[] = {"core", "cause"};
	struct table table = table_begin(titles, 2);

	for (size_t i = 0; i < r->snapshot->core_count; i++) {
		struct text line = {0};
		struct crash crash;

		if (!session_crash(r->session, i, &crash))
			continue;
		crash_format(&crash, &line);
		table_cell(&table, r->snapshot->cores[i].device->name);
		table_cell_text(&table, &line);
	}
	table_end(&table, "crash", r->out);
}

/* Of a Linux kernel, where --image vmlinux says how tasks are read. */
static void write_tasks(const struct info_report *r)
{
	static const char *const titles[] = {"core", "task"};
	struct table table = table_begin(titles, 2);

	for (size_t i = 0; i < r->snapshot->core_count; i++) {
		struct session_task task;
		struct text line = {0};

		if (!session_task(r->session, i, history_length(session_history(r->session, i)),
		                  &task))
			continue;
		session_task_format(&task, &line);
		table_cell(&table, r->snapshot->cores[i].device->name);
		table_cell_text(&table, &line);
	}
	table_end(&table, "tasks at the halt", r->out);
}

struct parted_table {
	const struct info_report *r;
	struct table table;
};

static void add_parted(void *context, size_t core, uint32_t context_id, struct str why)
{
	struct parted_table *parted = context;

	table_cell_printf(&parted->table, "0x%x", (unsigned int)context_id);
	table_cell(&parted->table, parted->r->snapshot->cores[core].device->name);
	table_cell(&parted->table, why);
}

static void write_parted(const struct info_report *r)
{
	static const char *const titles[] = {"context", "core", "why"};
	struct parted_table parted = {r, table_begin(titles, 3)};

	r->out->failed |= session_visit_parted(r->session, add_parted, &parted) != STATUS_OK;
	table_end(&parted.table, "contexts that are several threads", r->out);
}

static void write_sources(const struct info_report *r)
{
	static const char *const titles[] = {"name", "type", "protocol", "id", "core", "buffers"};
	struct table table = table_begin(titles, 6);

	for (size_t i = 0; i < r->snapshot->source_count; i++) {
		const struct snap_source *source = &r->snapshot->sources[i];
		struct text buffers = {0};
		uint8_t id;

		add_buffers(r->snapshot, source, &buffers);
		table_cell(&table, source->device->name);
		table_cell(&table, table_or_dash(source->device->type));
		table_cell(&table, str_of(protocol_name(source->protocol)));
		if (snap_source_trace_id(source, &id))
			table_cell_printf(&table, "0x%02x", id);
		else
			table_cell(&table, STR("-"));
		table_cell(&table, source->core ? source->core->device->name : STR("-"));
		table_cell_text(&table, &buffers);
	}
	table_end(&table, "trace sources", r->out);
}

static void write_buffers(const struct info_report *r)
{
	static const char *const titles[] = {"name", "format", "bytes", "file"};
	struct table table = table_begin(titles, 4);

	for (size_t i = 0; i < r->snapshot->buffer_count; i++) {
		const struct snap_buffer *buffer = &r->snapshot->buffers[i];

		table_cell(&table, buffer->name);
		table_cell(&table, table_or_dash(buffer->format_name));
		table_cell_printf(&table, "%zu", bytes_left(&buffer->data));
		table_cell(&table, table_or_dash(buffer->file));
	}
	table_end(&table, "trace buffers", r->out);
}

static void write_unclaimed_ids(const struct info_report *r)
{
	static const char *const titles[] = {"buffer", "id", "bytes", "first", "last"};
	struct table table = table_begin(titles, 5);

	for (size_t i = 0; i < r->unclaimed_ids.count; i++) {
		const struct unclaimed_id *id = &r->unclaimed_ids.items[i];

		table_cell(&table, r->snapshot->buffers[id->buffer].name);
		table_cell_printf(&table, "0x%02x", id->id);
		table_cell_printf(&table, "%llu", (unsigned long long)id->bytes);
		table_cell_printf(&table, "%llu", (unsigned long long)id->first);
		table_cell_printf(&table, "%llu", (unsigned long long)id->last);
	}
	table_end(&table, "trace IDs without a source", r->out);
}

static void write_dumps(const struct info_report *r)
{
	static const char *const titles[] = {"device", "dump",   "space", "address",
	                                     "bytes",  "offset", "file"};
	struct table table = table_begin(titles, 7);

	for (size_t i = 0; i < r->snapshot->device_count; i++) {
		const struct snap_device *device = &r->snapshot->devices[i];

		for (size_t j = 0; j < device->dump_count; j++) {
			const struct snap_dump *dump = &device->dumps[j];

			table_cell(&table, device->name);
			table_cell(&table, dump->section);
			table_cell(&table, str_of(space_text(dump->space)));
			table_cell_printf(&table, "0x%llx", (unsigned long long)dump->address);
			table_cell_printf(&table, "%llu", (unsigned long long)dump->length);
			table_cell_printf(&table, "0x%llx", (unsigned long long)dump->offset);
			table_cell(&table, dump->file);
		}
	}
	table_end(&table, "memory dumps", r->out);
}

static void write_images(const struct info_report *r)
{
	static const char *const titles[] = {"from", "address", "segments", "file"};
	struct table table = table_begin(titles, 4);

	for (size_t i = 0; i < r->snapshot->image_count; i++) {
		const struct elf_image *image = r->snapshot->images[i];

		table_cell(&table, str_of(info_image_origin(r->snapshot, i)));
		table_cell_printf(&table, "0x%llx", (unsigned long long)info_lowest_address(image));
		table_cell_printf(&table, "%zu", image->segment_count);
		table_cell(&table, image->path);
	}
	table_end(&table, "images", r->out);
}

static void write_modules(const struct info_report *r)
{
	static const char *const titles[] = {"address", "build ID", "image", "file"};
	struct table table = table_begin(titles, 4);

	for (size_t i = 0; i < r->snapshot->module_count; i++) {
		const struct snap_module *module = &r->snapshot->modules[i];
		struct text id = {0};

		text_hex_bytes(&id, module->build_id.pos, bytes_left(&module->build_id));
		table_cell_printf(&table, "0x%llx", (unsigned long long)module->address);
		table_cell(&table, id.length > 0 ? text_str(&id) : STR("-"));
		table_cell(&table, module->image ? module->image->path : STR("-"));
		table_cell(&table, module->path);
		text_fini(&id);
	}
	table_end(&table, "mapped files", r->out);
}

static void write_assumptions(const struct info_report *r)
{
	static const char *const titles[] = {"assumption", "", ""};
	struct table table = table_begin(titles, 3);

	for (unsigned int i = 0; i < ASSUMPTIONS && session_reconstructs(r->session); i++) {
		table_cell(&table, str_of(assumption_name((enum assumption)i)));
		table_cell(&table, session_assumes(r->session, (enum assumption)i) ? STR("on")
		                                                                   : STR("off"));
		table_cell(&table, str_of(assumption_text((enum assumption)i)));
	}
	table_end(&table, "values of the past", r->out);
}

void info_write_text(const struct info_report *r)
{
	text_printf(r->out, "snapshot %.*s\n", STR_ARG(r->snapshot->path));
	if (r->snapshot->description.n > 0)
		text_printf(r->out, "%.*s\n", STR_ARG(r->snapshot->description));
	write_cores(r);
	write_clusters(r);
	write_crashes(r);
	write_tasks(r);
	write_parted(r);
	write_sources(r);
	write_buffers(r);
	write_unclaimed_ids(r);
	write_images(r);
	write_modules(r);
	write_dumps(r);
	write_devices(r);
	write_assumptions(r);
}
