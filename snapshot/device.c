/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device file: what the device is, its registers, its memory dumps.
 * Snapshot format 1.0, section 3.2.
 */
#include "snapshot/device_type.h"
#include "snapshot/file/schema.h"
#include "snapshot/load.h"

struct context {
	struct loader *loader;
	const struct ini_file *file;
	struct snap_device *device;
};

static const struct {
	const char *name;
	enum device_class class;
} classes[] = {
        {"core", DEVICE_CORE},
        {"trace_source", DEVICE_TRACE_SOURCE},
        {"memory_space", DEVICE_MEMORY_SPACE},
};

static enum device_class class_of(struct str name)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		if (str_eq_nocase(name, str_of(classes[i].name)))
			return classes[i].class;
	}
	return DEVICE_OTHER;
}

/* A debug view needs no class: then the type says it, or that there is a program counter. */
static enum device_class guess_class(const struct snap_device *device)
{
	if (device_type_protocol(device->type) != PROTOCOL_UNKNOWN)
		return DEVICE_TRACE_SOURCE;
	if (snap_device_register(device, STR("PC")) || snap_device_register(device, STR("R15")))
		return DEVICE_CORE;
	return DEVICE_OTHER;
}

static enum status load_registers(const struct context *c)
{
	struct snap_device *device = c->device;
	size_t count = 0;

	for (size_t i = 0; i < c->file->section_count; i++) {
		if (schema_is(SCHEMA_REGS, &c->file->sections[i]))
			count += c->file->sections[i].entry_count;
	}
	TRY(load_array(c->loader, count, sizeof(*device->registers), (void **)&device->registers));
	for (size_t i = 0; i < c->file->section_count; i++) {
		const struct ini_section *section = &c->file->sections[i];

		for (size_t j = 0; schema_is(SCHEMA_REGS, section) && j < section->entry_count;
		     j++) {
			enum status status =
			        load_register(c->loader, c->file, &section->entries[j],
			                      &device->registers[device->register_count]);

			if (status == STATUS_NO_MEM)
				return status;
			if (status == STATUS_OK)
				device->register_count++;
		}
	}
	return STATUS_OK;
}

/* Takes what the file has of the dump; diagnosed if it is not all. */
static enum status cut_dump(const struct context *c, struct snap_dump *dump, struct bytes bytes,
                            bool has_length)
{
	size_t size = bytes_left(&bytes);
	uint64_t there = dump->offset < size ? size - dump->offset : 0;
	uint64_t wanted = has_length ? dump->length : there;

	dump->length = wanted < there ? wanted : there;
	if (dump->offset > size)
		(void)diag_error(c->loader->diags, STATUS_BAD_DATA, dump->place,
		                 "dump \"%.*s\": offset 0x%llx is beyond file \"%.*s\" of %zu "
		                 "bytes",
		                 STR_ARG(dump->section), (unsigned long long)dump->offset,
		                 STR_ARG(dump->file), size);
	else if (wanted > there)
		(void)diag_error(c->loader->diags, STATUS_BAD_DATA, dump->place,
		                 "dump \"%.*s\": file \"%.*s\" has %llu bytes at offset 0x%llx, "
		                 "expected %llu",
		                 STR_ARG(dump->section), STR_ARG(dump->file),
		                 (unsigned long long)there, (unsigned long long)dump->offset,
		                 (unsigned long long)wanted);
	else if (dump->length == 0)
		diag_warning(c->loader->diags, dump->place, "dump \"%.*s\" is empty",
		             STR_ARG(dump->section));
	if (dump->length == 0)
		return STATUS_OK;
	if (dump->address + (dump->length - 1) < dump->address) {
		dump->length = -dump->address;
		(void)diag_error(c->loader->diags, STATUS_BAD_DATA, dump->place,
		                 "dump \"%.*s\" goes beyond the end of the address space",
		                 STR_ARG(dump->section));
	}
	dump->data = bytes.pos + dump->offset;
	return STATUS_OK;
}

static enum status load_dump(const struct context *c, const struct ini_section *section,
                             struct snap_dump *dump)
{
	struct loader *loader = c->loader;
	struct str space = ini_section_value(section, STR("space"));
	bool has_length = ini_section_find(section, STR("length")) != NULL;
	struct bytes bytes;

	dump->section = section->name;
	dump->place = ini_place(c->file, section->line);
	dump->file = ini_section_value(section, STR("file"));
	dump->space = SPACE_ANY;
	if (!schema_check_keys(SCHEMA_DUMP, c->file, section, loader->diags))
		return STATUS_BAD_DATA;
	TRY(load_number(loader, c->file, section, STR("address"), &dump->address));
	TRY(load_number(loader, c->file, section, STR("offset"), &dump->offset));
	TRY(load_number(loader, c->file, section, STR("length"), &dump->length));
	dump->said_length = dump->length;
	if (space_parse(space, &dump->space) != STATUS_OK)
		return diag_error(loader->diags, STATUS_BAD_DATA, dump->place,
		                  "dump \"%.*s\": unknown space \"%.*s\"", STR_ARG(dump->section),
		                  STR_ARG(space));
	TRY(snap_files_map(loader->files, dump->file, dump->place, loader->diags, &bytes,
	                   &dump->path));
	return cut_dump(c, dump, bytes, has_length);
}

/* A dump that cannot be used stays in the list, without bytes. */
enum status load_dumps(struct loader *loader, const struct ini_file *file,
                       struct snap_device *device)
{
	struct context c = {loader, file, device};
	size_t count = 0;

	for (size_t i = 0; i < file->section_count; i++)
		count += schema_is(SCHEMA_DUMP, &file->sections[i]);
	TRY(load_array(loader, count, sizeof(*device->dumps), (void **)&device->dumps));
	for (size_t i = 0; i < file->section_count; i++) {
		const struct ini_section *section = &file->sections[i];
		struct snap_dump *dump = &device->dumps[device->dump_count];
		enum status status;

		if (!schema_is(SCHEMA_DUMP, section))
			continue;
		status = load_dump(&c, section, dump);
		if (status == STATUS_NO_MEM)
			return status;
		if (status != STATUS_OK)
			dump->length = 0;
		device->dump_count++;
	}
	return STATUS_OK;
}

/* Section 3.2: a file has these sections, and dumps belong to cores and memory spaces. */
static void warn_of_unused(const struct context *c)
{
	static const enum schema_section known[] = {SCHEMA_DEVICE, SCHEMA_REGS, SCHEMA_DUMP};
	const struct snap_device *device = c->device;

	schema_check_sections(known, sizeof(known) / sizeof(known[0]), c->file, c->loader->diags);
	if (device->class == DEVICE_CORE || device->class == DEVICE_MEMORY_SPACE)
		return;
	for (size_t i = 0; i < device->dump_count; i++)
		diag_warning(c->loader->diags, device->dumps[i].place,
		             "dump \"%.*s\" is ignored: device \"%.*s\" is neither a core nor a "
		             "memory space",
		             STR_ARG(device->dumps[i].section), STR_ARG(device->name));
}

enum status load_device(struct loader *loader, struct str file, struct place place,
                        struct snap_device *device)
{
	struct ini_file ini;
	struct context c = {loader, &ini, device};
	const struct ini_section *section;

	*device = (struct snap_device){.file = file};
	TRY(load_ini(loader, file, place, &ini));
	section = schema_find(SCHEMA_DEVICE, &ini, loader->diags);
	if (!section)
		return STATUS_BAD_DATA;
	device->place = ini_place(&ini, section->line);
	device->name = ini_section_value(section, STR("name"));
	device->class_name = ini_section_value(section, STR("class"));
	device->type = ini_section_value(section, STR("type"));
	device->location = ini_section_value(section, STR("location"));
	if (device->name.n == 0)
		device->name = file; /* the missing key is reported; it still needs a name */
	TRY(load_registers(&c));
	TRY(load_dumps(loader, &ini, device));
	device->class = class_of(device->class_name);
	if (device->class_name.n == 0) {
		device->class = guess_class(device);
		diag_warning(loader->diags, device->place, "device \"%.*s\" has no class",
		             STR_ARG(device->name));
	}
	warn_of_unused(&c);
	/* What a core's register was is asked of the snapshot alone; a source has to be decoded. */
	return device->class == DEVICE_CORE ? load_contested(device) : STATUS_OK;
}
