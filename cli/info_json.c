/* SPDX-License-Identifier: Apache-2.0 */
/* `csreplay info` as JSON; see info_report.h. One function a member. */
#include "base/json.h"
#include "cli/cli.h"
#include "cli/info_report.h"

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

static void json_devices(const struct info_report *r)
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
	struct gap gap;

	json_list(out, "gaps");
	for (size_t i = 0; history_gap(history, i, &gap); i++) {
		json_object(out);
		json_u64(out, "position", gap.position);
		json_str(out, "reason", str_of(gap_reason_text(gap.reason)));
		if (gap.has_address)
			json_hex(out, "address", gap.address);
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
static void json_crash(const struct info_report *r, size_t core)
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

/* The Linux task at the halt, as far as it is known. */
static void json_task(const struct info_report *r, size_t core)
{
	struct session_task task;

	if (!session_task(r->session, core, history_length(session_history(r->session, core)),
	                  &task))
		return;
	json_key(r->out, "task");
	json_open(r->out, '{');
	json_hex(r->out, "address", task.then.address);
	if (task.then.has_name)
		json_str(r->out, "name", str_of(task.then.name));
	if (task.then.has_pid)
		json_u64(r->out, "pid", task.then.pid);
	if (task.then.has_tgid)
		json_u64(r->out, "tgid", task.then.tgid);
	if (task.then.has_state)
		json_u64(r->out, "state", task.then.state);
	json_close(r->out, '}');
}

/* System registers of the core at the halt, those that it has. */
static void json_system(const struct info_report *r, size_t core)
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

static void json_cores(const struct info_report *r)
{
	json_list(r->out, "cores");
	for (size_t i = 0; i < r->snapshot->core_count; i++) {
		const struct snap_core *core = &r->snapshot->cores[i];
		const struct history *history = session_history(r->session, i);
		const struct snap_register *pc = info_pc(core);

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
		json_task(r, i);
		json_system(r, i);
		json_gaps(history, r->out);
		json_close(r->out, '}');
	}
	json_close(r->out, ']');
}

static void json_parting(void *context, size_t core, uint32_t context_id, struct str why)
{
	const struct info_report *r = *(const struct info_report *const *)context;

	json_object(r->out);
	json_hex(r->out, "context_id", context_id);
	json_str(r->out, "core", r->snapshot->cores[core].device->name);
	json_str(r->out, "reason", why);
	json_close(r->out, '}');
}

static void json_parted(const struct info_report *r)
{
	json_list(r->out, "parted_contexts");
	r->out->failed |= session_visit_parted(r->session, json_parting, &r) != STATUS_OK;
	json_close(r->out, ']');
}

static void json_clusters(const struct info_report *r)
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

static void json_sources(const struct info_report *r)
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

static void json_buffers(const struct info_report *r)
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

static void json_unclaimed_ids(const struct info_report *r)
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

static void json_facts(const struct info_report *r)
{
	const struct diag_list *facts = session_facts(r->session);

	json_list(r->out, "not_trusted");
	for (size_t i = 0; i < facts->count; i++) {
		const struct diag *fact = &facts->items[i];

		json_object(r->out);
		if (fact->place.file.n > 0)
			json_str(r->out, "file", fact->place.file);
		if (fact->place.line > 0)
			json_u64(r->out, "line", fact->place.line);
		json_str(r->out, "text", str_of(fact->text));
		json_close(r->out, '}');
	}
	json_close(r->out, ']');
}

static void json_images(const struct info_report *r)
{
	json_list(r->out, "images");
	for (size_t i = 0; i < r->snapshot->image_count; i++) {
		const struct elf_image *image = r->snapshot->images[i];

		json_object(r->out);
		json_str(r->out, "file", image->path);
		json_str(r->out, "from", str_of(info_image_origin(r->snapshot, i)));
		json_hex(r->out, "address", info_lowest_address(image));
		json_hex(r->out, "entry", image->entry);
		json_u64(r->out, "segments", image->segment_count);
		json_close(r->out, '}');
	}
	json_close(r->out, ']');
}

static void json_modules(const struct info_report *r)
{
	json_list(r->out, "modules");
	for (size_t i = 0; i < r->snapshot->module_count; i++) {
		const struct snap_module *module = &r->snapshot->modules[i];
		struct text id = {0};

		text_hex_bytes(&id, module->build_id.pos, bytes_left(&module->build_id));
		json_object(r->out);
		json_str(r->out, "file", module->path);
		json_hex(r->out, "address", module->address);
		if (id.length > 0)
			json_str(r->out, "build_id", text_str(&id));
		if (module->image)
			json_str(r->out, "image", module->image->path);
		json_close(r->out, '}');
		text_fini(&id);
	}
	json_close(r->out, ']');
}

static void json_assumptions(const struct info_report *r)
{
	json_key(r->out, "assumptions");
	json_open(r->out, '{');
	for (unsigned int i = 0; i < ASSUMPTIONS && session_reconstructs(r->session); i++)
		json_bool(r->out, assumption_name((enum assumption)i),
		          session_assumes(r->session, (enum assumption)i));
	json_close(r->out, '}');
}

void info_write_json(const struct info_report *r)
{
	json_open(r->out, '{');
	json_str(r->out, "snapshot", r->snapshot->path);
	json_str(r->out, "description", r->snapshot->description);
	json_cores(r);
	json_clusters(r);
	json_parted(r);
	json_sources(r);
	json_buffers(r);
	json_unclaimed_ids(r);
	json_facts(r);
	json_images(r);
	json_modules(r);
	json_devices(r);
	json_assumptions(r);
	json_close(r->out, '}');
	text_char(r->out, '\n');
}
