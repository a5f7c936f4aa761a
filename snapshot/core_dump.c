/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An ELF core file as the snapshot's memory and registers: alone, with a core for each thread, or
 * beside a snapshot or trace package that has neither. docs/formats/elf-core.md.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "snapshot/device_type.h"
#include "snapshot/elf_core/elf_core.h"
#include "snapshot/elf_core/elf_module.h"
#include "snapshot/elf_core/elf_registers.h"
#include "snapshot/load.h"

enum {
	MACHINE_AARCH64 = 183, /* EM_AARCH64 */
	DATA_ENCODING = 5,     /* EI_DATA */
	BIG_ENDIAN_DATA = 2,   /* ELFDATA2MSB */
};

static enum status add_registers(struct loader *loader, bool is_64bit,
                                 const struct elf_thread *thread, struct snap_device *device)
{
	struct elf_register *registers;
	size_t count;

	TRY(elf_thread_registers(thread, is_64bit, loader->arena, &registers, &count));
	TRY(load_array(loader, count, sizeof(*device->registers), (void **)&device->registers));
	for (size_t i = 0; i < count; i++)
		device->registers[i] = (struct snap_register){.name = registers[i].name,
		                                              .bits = registers[i].bits,
		                                              .value = registers[i].value,
		                                              .place = device->place};
	device->register_count = count;
	return STATUS_OK;
}

/* The segments that the file has bytes of. All devices share the list. */
static enum status make_dumps(struct loader *loader, const struct elf_image *image,
                              struct snap_device *made)
{
	TRY(load_array(loader, image->segment_count, sizeof(*made->dumps), (void **)&made->dumps));
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct elf_segment *segment = &image->segments[i];
		struct text name = {0};

		if (segment->file_size == 0)
			continue;
		text_printf(&name, "load%zu", i);
		made->dumps[made->dump_count] = (struct snap_dump){
		        .section = arena_str(loader->arena, text_str(&name)),
		        .file = image->path,
		        .path = STR(""),
		        .space = SPACE_ANY,
		        .address = segment->address,
		        .length = segment->file_size,
		        .offset = (uint64_t)(segment->data - image->file.begin),
		        .data = segment->data,
		        .place = place_file(image->path),
		};
		text_fini(&name);
		if (!made->dumps[made->dump_count++].section.p)
			return STATUS_NO_MEM;
	}
	return STATUS_OK;
}

static enum core_arch arch_of(const struct elf_image *image)
{
	return image->is_64bit ? CORE_A64 : CORE_A32;
}

static enum status name_thread(struct loader *loader, const struct elf_thread *thread,
                               struct str *name)
{
	struct text text = {0};

	text_printf(&text, "thread_%" PRIu32, thread->tid);
	*name = arena_str(loader->arena, text_str(&text));
	text_fini(&text);
	return name->p ? STATUS_OK : STATUS_NO_MEM;
}

static enum status make_cores(struct loader *loader, const struct elf_image *image,
                              const struct elf_core *core)
{
	struct snapshot *snapshot = loader->snapshot;
	struct snap_device made = {.class = DEVICE_CORE,
	                           .class_name = STR("core"),
	                           .type = image->is_64bit ? STR("ARMv8-A") : STR("ARMv7-A"),
	                           .location = STR(""),
	                           .file = image->path,
	                           .place = place_file(image->path)};

	TRY(make_dumps(loader, image, &made));
	TRY(load_array(loader, core->thread_count, sizeof(made), (void **)&snapshot->devices));
	TRY(load_array(loader, core->thread_count, sizeof(*snapshot->cores),
	               (void **)&snapshot->cores));
	for (size_t i = 0; i < core->thread_count; i++) {
		struct snap_device *device = &snapshot->devices[i];

		*device = made;
		TRY(name_thread(loader, &core->threads[i], &device->name));
		TRY(add_registers(loader, core->is_64bit, &core->threads[i], device));
		snapshot->cores[i] = (struct snap_core){
		        .device = device, .index = i, .arch = arch_of(image), .cluster = STR("")};
	}
	snapshot->device_count = core->thread_count;
	snapshot->core_count = core->thread_count;
	return STATUS_OK;
}

/* The thread that the user names, or the first: the one that got the signal. */
static const struct elf_thread *choose_thread(struct loader *loader, const struct elf_core *core,
                                              const struct snapshot_options *options)
{
	for (size_t i = 0; options->has_core_thread && i < core->thread_count; i++) {
		if (core->threads[i].tid == options->core_thread)
			return &core->threads[i];
	}
	if (!options->has_core_thread)
		return &core->threads[0];
	(void)diag_error(loader->diags, STATUS_NOT_FOUND, place_none(),
	                 "the core file has no thread %llu",
	                 (unsigned long long)options->core_thread);
	return NULL;
}

static struct snap_device *device_of(struct snapshot *snapshot, const struct snap_core *core)
{
	return &snapshot->devices[core->device - snapshot->devices];
}

/* The thread's registers for a core that has none. BAD_DATA if it cannot be a thread's. */
static enum status complete_core(struct loader *loader, const struct elf_image *image,
                                 const struct elf_thread *thread, struct snap_core *target)
{
	struct snap_device *device = device_of(loader->snapshot, target);
	bool known;

	TRY(add_registers(loader, image->is_64bit, thread, device));
	target->arch = device_type_arch(device, &known);
	if (target->arch == arch_of(image))
		return STATUS_OK;
	return diag_error(loader->diags, STATUS_BAD_DATA, place_file(image->path),
	                  "core \"%.*s\" is %s, the threads of the core file are %s",
	                  STR_ARG(device->name), core_arch_name(target->arch),
	                  core_arch_name(arch_of(image)));
}

/*
 * Registers for the one core that has none, memory for each that has none. The thread is named by
 * the user if `is_named`.
 */
static enum status complete_cores(struct loader *loader, const struct elf_image *image,
                                  const struct elf_thread *thread, bool is_named)
{
	struct snapshot *snapshot = loader->snapshot;
	struct snap_device made = {.class = DEVICE_CORE};
	struct snap_core *target = NULL;
	size_t bare = 0;

	TRY(make_dumps(loader, image, &made));
	for (size_t i = 0; i < snapshot->core_count; i++) {
		struct snap_device *device = device_of(snapshot, &snapshot->cores[i]);
		bool known;

		if (device->dump_count == 0) {
			device->dumps = made.dumps;
			device->dump_count = made.dump_count;
		}
		if (device->register_count > 0)
			continue;
		target = bare++ == 0 ? &snapshot->cores[i] : target;
		(void)device_type_arch(device, &known);
		if (!known)
			snapshot->cores[i].arch = arch_of(image);
	}
	if (bare == 1 && !is_named && loader->snapshot->private->core_notes.lacks_first)
		return diag_error(loader->diags, STATUS_NOT_FOUND, place_none(),
		                  "the core file's first thread, which got the signal, is damaged: "
		                  "name another one with --core-dump FILE@TID");
	if (bare == 1)
		return complete_core(loader, image, thread, target);
	diag_warning(loader->diags, place_file(image->path),
	             "registers of thread %" PRIu32
	             " are not used: %zu cores have none, expected 1",
	             thread->tid, bare);
	return STATUS_OK;
}

/* The list of modules; what is found for them comes later. */
static enum status list_modules(struct loader *loader, const struct elf_image *image,
                                const struct elf_core *core)
{
	struct snapshot *snapshot = loader->snapshot;
	struct elf_memory *memory;
	struct elf_module *modules;
	size_t count;

	TRY(load_array(loader, image->segment_count, sizeof(*memory), (void **)&memory));
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct elf_segment *segment = &image->segments[i];

		memory[i] = (struct elf_memory){
		        segment->address, bytes_of(segment->data, (size_t)segment->file_size)};
	}
	TRY(elf_modules_find(core, memory, image->segment_count, loader->arena, &modules, &count));
	TRY(load_array(loader, count, sizeof(*snapshot->modules), (void **)&snapshot->modules));
	for (size_t i = 0; i < count; i++) {
		snapshot->modules[i] = (struct snap_module){.path = modules[i].path,
		                                            .address = modules[i].address,
		                                            .header = modules[i].header,
		                                            .build_id = modules[i].build_id};
	}
	snapshot->module_count = count;
	return STATUS_OK;
}

static enum status open_dump(struct loader *loader, struct str path, struct elf_image **image,
                             struct elf_core *core)
{
	struct str copy = arena_str(loader->arena, path);
	struct elf_core_notes notes;
	enum status status;

	if (!copy.p)
		return STATUS_NO_MEM;
	status = elf_image_open(copy.p, NULL, place_none(), loader->diags, image);
	if (status == STATUS_NOT_FOUND || status == STATUS_IO)
		return STATUS_USAGE;
	TRY(status);
	/* Closed with the snapshot from here on, whatever comes. */
	loader->snapshot->private->core_dump = *image;
	if (!(*image)->is_core)
		return diag_error(loader->diags, STATUS_BAD_DATA, place_none(),
		                  "\"%.*s\" is an ELF file, but no core file", STR_ARG(path));
	if ((*image)->file.begin[DATA_ENCODING] == BIG_ENDIAN_DATA)
		return diag_error(loader->diags, STATUS_UNSUPPORTED, place_none(),
		                  "core file \"%.*s\" is big endian, expected little endian",
		                  STR_ARG(path));
	if ((*image)->is_64bit != ((*image)->machine == MACHINE_AARCH64))
		return diag_error(loader->diags, STATUS_UNSUPPORTED, place_none(),
		                  "core file \"%.*s\": class and machine %u do not fit",
		                  STR_ARG(path), (*image)->machine);
	if ((*image)->is_cut)
		diag_warning(loader->diags, place_file((*image)->path),
		             "the core file is cut: memory that it ends before is unknown");
	notes = (struct elf_core_notes){(*image)->notes, (*image)->note_count, (*image)->is_64bit,
	                                place_file((*image)->path)};
	TRY(elf_core_read(&notes, loader->arena, loader->diags, core));
	loader->snapshot->private->core_notes = *core;
	return list_modules(loader, *image, core);
}

enum status load_core_alone(struct loader *loader, const char *path,
                            const struct snapshot_options *options)
{
	struct elf_image *image;
	struct elf_core core = {0};

	if (options->core_dump.n > 0)
		return diag_error(loader->diags, STATUS_USAGE, place_none(),
		                  "\"%s\" is an ELF file itself: --core-dump is for a snapshot or "
		                  "trace package",
		                  path);
	TRY(open_dump(loader, str_of(path), &image, &core));
	loader->snapshot->path = image->path;
	loader->snapshot->description = STR("");
	TRY(make_cores(loader, image, &core));
	return load_array(loader, 1, sizeof(*loader->snapshot->sources),
	                  (void **)&loader->snapshot->sources);
}

enum status load_core_beside(struct loader *loader, const struct snapshot_options *options)
{
	const struct elf_thread *thread;
	struct elf_image *image;
	struct elf_core core = {0};

	if (options->core_dump.n == 0)
		return STATUS_OK;
	TRY(open_dump(loader, options->core_dump, &image, &core));
	thread = choose_thread(loader, &core, options);
	return thread ? complete_cores(loader, image, thread, options->has_core_thread)
	              : STATUS_NOT_FOUND;
}

enum { PAGE = 4096 };

/* A search for a module's file. */
struct search {
	struct loader *loader;
	struct snap_module *module;
	struct str *other; /* the path of a file that is another version; empty if none was found */
	struct text *others; /* its build ID, or what else it lacks */
};

/* By the build ID, or without one by the first page, of which all has to be there. */
static bool is_version(const struct snap_module *module, const struct elf_image *image)
{
	size_t known = bytes_left(&module->header);
	size_t size = bytes_left(&image->file);

	if (bytes_left(&module->build_id) > 0)
		return bytes_equal(module->build_id, elf_image_build_id(image));
	if (size > PAGE)
		size = PAGE;
	return known >= size && memcmp(module->header.pos, image->file.pos, size) == 0;
}

static uint64_t offset_of(const struct elf_image *image, const struct elf_segment *segment)
{
	return (uint64_t)(segment->data - image->file.begin);
}

/* Moves the image to where the module lies; false if the mappings are not those of its segments. */
static bool place_module(const struct elf_core *core, const struct snap_module *module,
                         struct elf_image *image)
{
	uint64_t bias = 0;
	bool is_found = false;

	for (size_t i = 0; i < image->segment_count && !is_found; i++) {
		const struct elf_segment *segment = &image->segments[i];

		is_found = segment->file_size > 0 && offset_of(image, segment) < PAGE;
		bias = module->address + offset_of(image, segment) - segment->address;
	}
	if (!is_found || (bias != 0 && !image->is_movable))
		return false;
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct elf_segment *segment = &image->segments[i];

		if (!segment->writable && segment->file_size > 0 &&
		    !elf_core_maps(core, module->path, segment->address + bias,
		                   offset_of(image, segment), segment->file_size))
			return false;
	}
	return elf_image_move(image, bias) == STATUS_OK;
}

static void note_other(const struct search *s, const struct elf_image *image, const char *reason)
{
	struct bytes id = elf_image_build_id(image);

	if (s->other->n > 0)
		return;
	*s->other = arena_str(s->loader->arena, image->path);
	if (reason)
		text_puts(s->others, reason);
	else if (bytes_left(&id) == 0)
		text_puts(s->others, "has no build ID");
	else {
		text_puts(s->others, "has ");
		text_hex_bytes(s->others, id.pos, bytes_left(&id));
	}
}

/* The file at `path`, if it is the module's. OK in any case but NO_MEM. */
static enum status try_file(const struct search *s, const char *path)
{
	struct snapshot *snapshot = s->loader->snapshot;
	struct diag_list unheard = {0};
	struct elf_image *image;
	enum status status = elf_image_open(path, NULL, place_none(), &unheard, &image);

	diag_list_fini(&unheard);
	if (status != STATUS_OK)
		return status == STATUS_NO_MEM ? status : STATUS_OK;
	if (!is_version(s->module, image)) {
		note_other(s, image,
		           bytes_left(&s->module->build_id) > 0 ? NULL
		           : bytes_left(&s->module->header) > 0 ? "has another first page"
		                                                : "cannot be compared");
	} else if (!place_module(&snapshot->private->core_notes, s->module, image)) {
		note_other(s, image, "has segments that were not mapped so");
	} else {
		image->is_mapped = true;
		s->module->image = image;
		snapshot->images[snapshot->image_count++] = image;
		snapshot->mapped_images = snapshot->image_count;
		return STATUS_OK;
	}
	elf_image_close(image);
	return STATUS_OK;
}

/* The file, if it lies in the folder: what a core file says opens nothing else. */
static enum status try_path(const struct search *s, struct str folder, struct str name)
{
	struct text path = {0};
	enum status status;

	if (s->module->image)
		return STATUS_OK;
	text_add(&path, folder);
	text_char(&path, '/');
	text_add(&path, name);
	text_char(&path, '\0');
	status = text_status(&path);
	if (status == STATUS_OK && snap_files_is_inside(folder, text_str(&path).p))
		status = try_file(s, text_str(&path).p);
	text_fini(&path);
	return status;
}

/* True if --image has the module's file, which is put where it lies if nobody says where. */
static bool is_given(const struct loader *loader, const struct snapshot_options *options,
                     struct snap_module *module)
{
	const struct snapshot *snapshot = loader->snapshot;

	for (size_t i = 0; i < options->image_count; i++) {
		struct elf_image *image = snapshot->images[i];

		if (bytes_left(&module->build_id) == 0 || !is_version(module, image))
			continue;
		if (!options->images[i].has_load_address && image->load_bias == 0 &&
		    !image->is_object)
			(void)place_module(&snapshot->private->core_notes, module, image);
		module->image = image;
		return true;
	}
	return false;
}

/* The part of a path after its last slash, or up to it with the slash. */
static struct str part_of(struct str path, bool is_folder)
{
	size_t n = path.n;

	while (n > 0 && path.p[n - 1] != '/')
		n--;
	return is_folder ? (struct str){path.p, n} : str_skip(path, n);
}

static void warn_of_module(const struct search *s)
{
	struct place place = place_file(s->loader->snapshot->private->core_dump->path);
	struct text id = {0};

	if (bytes_left(&s->module->build_id) == 0)
		text_puts(&id, "no build ID in the core file");
	else {
		text_puts(&id, "build ID ");
		text_hex_bytes(&id, s->module->build_id.pos, bytes_left(&s->module->build_id));
	}
	if (s->other->n > 0)
		diag_warning(s->loader->diags, place,
		             "mapped file \"%.*s\" (%.*s): \"%.*s\" %.*s and is not used; give the "
		             "right one with --sysroot or --image",
		             STR_ARG(s->module->path), STR_ARG(text_str(&id)), STR_ARG(*s->other),
		             STR_ARG(text_str(s->others)));
	else if (bytes_left(&s->module->header) > 0)
		diag_warning(s->loader->diags, place,
		             "mapped file \"%.*s\" (%.*s) is neither under --sysroot nor beside "
		             "the core "
		             "file: its code is missing; --sysroot / takes what this machine has "
		             "there, --image any file",
		             STR_ARG(s->module->path), STR_ARG(text_str(&id)));
	text_fini(&id);
}

static enum status find_module(struct loader *loader, const struct snapshot_options *options,
                               struct snap_module *module)
{
	struct str folder = part_of(loader->snapshot->private->core_dump->path, true);
	struct text others = {0};
	struct str other = {0};
	struct search s = {loader, module, &other, &others};
	enum status status = STATUS_OK;

	if (options->sysroot.n > 0)
		status = try_path(&s, options->sysroot, module->path);
	if (status == STATUS_OK)
		status = try_path(&s, folder, part_of(module->path, false));
	if (status == STATUS_OK && !module->image)
		warn_of_module(&s);
	text_fini(&others);
	return status;
}

enum status load_core_files(struct loader *loader, const struct snapshot_options *options)
{
	struct snapshot *snapshot = loader->snapshot;

	for (size_t i = 0; i < snapshot->module_count; i++) {
		if (!is_given(loader, options, &snapshot->modules[i]))
			TRY(find_module(loader, options, &snapshot->modules[i]));
	}
	return STATUS_OK;
}
