/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening a snapshot: snapshot.ini, then everything that it names.
 * Snapshot format 1.0, section 3.1.
 */
#include "snapshot/snapshot.h"

#include <stdlib.h>

#include "snapshot/device_type.h"
#include "snapshot/file/schema.h"
#include "snapshot/load.h"

enum status loader_begin(struct loader *loader, struct diag_list *diags)
{
	struct snapshot *snapshot = calloc(1, sizeof(*snapshot));

	*loader = (struct loader){.diags = diags};
	if (!snapshot)
		return STATUS_NO_MEM;
	snapshot->private = calloc(1, sizeof(*snapshot->private));
	if (!snapshot->private) {
		free(snapshot);
		return STATUS_NO_MEM;
	}
	loader->snapshot = snapshot;
	loader->arena = &snapshot->private->arena;
	loader->files = &snapshot->private->files;
	loader->files->arena = loader->arena;
	return STATUS_OK;
}

enum status loader_end(struct loader *loader, enum status status, struct snapshot **snapshot)
{
	*snapshot = status == STATUS_OK ? loader->snapshot : NULL;
	if (status != STATUS_OK)
		snapshot_destroy(loader->snapshot);
	return status;
}

static enum status check_version(struct loader *loader, const struct ini_file *head)
{
	const struct ini_section *section = schema_find(SCHEMA_SNAPSHOT, head, loader->diags);
	const struct ini_entry *version;
	struct str value;

	if (!section)
		return STATUS_BAD_DATA;
	version = ini_section_find(section, STR("version"));
	if (!version)
		return STATUS_BAD_DATA;
	value = ini_unquote(version->value);
	if (!str_eq(value, STR("1.0")))
		return diag_error(loader->diags, STATUS_UNSUPPORTED, ini_place(head, version->line),
		                  "version \"%.*s\" is not supported, expected \"1.0\"",
		                  STR_ARG(value));
	loader->snapshot->description = ini_section_value(section, STR("description"));
	return STATUS_OK;
}

/* True if an earlier device has the name: the first keeps it for those who look it up. */
static bool name_is_taken(const struct snapshot *snapshot, const struct snap_device *device,
                          struct str *file)
{
	for (size_t i = 0; i < snapshot->device_count; i++) {
		if (!str_eq(snapshot->devices[i].name, device->name))
			continue;
		*file = snapshot->devices[i].file;
		return true;
	}
	return false;
}

/* 3.1.2: keys are unique. The devices of both are read. */
static void warn_of_second_key(struct loader *loader, const struct ini_file *head,
                               const struct ini_section *list, size_t index)
{
	const struct ini_entry *entry = &list->entries[index];
	const struct ini_entry *first = ini_section_find(list, entry->key);

	if (first != entry)
		diag_warning(
		        loader->diags, ini_place(head, entry->line),
		        "key \"%.*s\" of the device list is that of line %llu too; both devices "
		        "are read",
		        STR_ARG(entry->key), (unsigned long long)first->line);
}

static enum status load_devices(struct loader *loader, const struct ini_file *head)
{
	const struct ini_section *list = schema_find(SCHEMA_DEVICE_LIST, head, loader->diags);
	struct snapshot *snapshot = loader->snapshot;
	struct str other;

	if (!list)
		return STATUS_BAD_DATA;
	TRY(load_array(loader, list->entry_count, sizeof(*snapshot->devices),
	               (void **)&snapshot->devices));
	for (size_t i = 0; i < list->entry_count; i++) {
		struct snap_device *device = &snapshot->devices[snapshot->device_count];
		enum status status;

		warn_of_second_key(loader, head, list, i);
		status = load_device(loader, ini_unquote(list->entries[i].value),
		                     ini_place(head, list->entries[i].line), device);

		if (status == STATUS_NO_MEM)
			return status;
		if (status != STATUS_OK)
			continue;
		if (name_is_taken(snapshot, device, &other))
			(void)diag_error(loader->diags, STATUS_BAD_DATA, device->place,
			                 "the name \"%.*s\" is that of the device in \"%.*s\" too",
			                 STR_ARG(device->name), STR_ARG(other));
		snapshot->device_count++;
	}
	if (snapshot->device_count > 0)
		return STATUS_OK;
	return diag_error(loader->diags, STATUS_BAD_DATA, ini_place(head, list->line),
	                  "no device of the device list can be used");
}

static enum status load_cores_and_sources(struct loader *loader)
{
	struct snapshot *snapshot = loader->snapshot;

	TRY(load_array(loader, snapshot->device_count, sizeof(*snapshot->cores),
	               (void **)&snapshot->cores));
	TRY(load_array(loader, snapshot->device_count, sizeof(*snapshot->sources),
	               (void **)&snapshot->sources));
	for (size_t i = 0; i < snapshot->device_count; i++) {
		const struct snap_device *device = &snapshot->devices[i];
		struct snap_core *core = &snapshot->cores[snapshot->core_count];
		bool known = true;

		if (device->class == DEVICE_TRACE_SOURCE) {
			snapshot->sources[snapshot->source_count++] = (struct snap_source){
			        .device = device,
			        .protocol = device_type_protocol(device->type),
			};
		}
		if (device->class != DEVICE_CORE)
			continue;
		*core = (struct snap_core){.device = device, .index = snapshot->core_count++};
		core->arch = device_type_arch(device, &known);
		if (!known)
			diag_warning(loader->diags, device->place,
			             "core \"%.*s\": unknown type \"%.*s\", its registers say %s",
			             STR_ARG(device->name), STR_ARG(device->type),
			             core_arch_name(core->arch));
	}
	return STATUS_OK;
}

/* Clusters: format 1.0, section 3.1.3. */

/* By name, or else without regard to case; NULL if there is none. */
static struct snap_device *find_device(const struct snapshot *snapshot, struct str name)
{
	struct snap_device *found = NULL;

	for (size_t i = 0; i < snapshot->device_count; i++) {
		struct snap_device *device = &snapshot->devices[i];

		if (str_eq(device->name, name))
			return device;
		if (!found && str_eq_nocase(device->name, name))
			found = device;
	}
	return found;
}

static const struct snap_cluster *find_cluster(const struct snapshot *snapshot, struct str name)
{
	for (size_t i = 0; i < snapshot->cluster_count; i++) {
		if (str_eq(snapshot->clusters[i].name, name))
			return &snapshot->clusters[i];
	}
	return NULL;
}

/* The cluster that has the device already, or NULL. */
static const struct snap_cluster *cluster_of(const struct snapshot *snapshot,
                                             const struct snap_device *device)
{
	for (size_t i = 0; i < snapshot->cluster_count; i++) {
		const struct snap_cluster *cluster = &snapshot->clusters[i];

		for (size_t j = 0; j < cluster->device_count; j++) {
			if (cluster->devices[j] == device)
				return cluster;
		}
	}
	return NULL;
}

static void add_to_cluster(struct loader *loader, struct snap_cluster *cluster, struct str name)
{
	struct snapshot *snapshot = loader->snapshot;
	const struct snap_device *device = find_device(snapshot, name);
	const struct snap_cluster *other;

	if (!device) {
		diag_warning(loader->diags, cluster->place,
		             "cluster \"%.*s\": there is no device \"%.*s\"",
		             STR_ARG(cluster->name), STR_ARG(name));
		return;
	}
	other = cluster_of(snapshot, device);
	if (other) {
		diag_warning(loader->diags, cluster->place,
		             "cluster \"%.*s\": device \"%.*s\" is in cluster \"%.*s\" already",
		             STR_ARG(cluster->name), STR_ARG(name), STR_ARG(other->name));
		return;
	}
	cluster->devices[cluster->device_count++] = device;
	for (size_t i = 0; i < snapshot->core_count; i++) {
		if (snapshot->cores[i].device == device)
			snapshot->cores[i].cluster = cluster->name;
	}
}

static enum status load_cluster(struct loader *loader, const struct ini_file *head,
                                const struct ini_entry *entry)
{
	struct snapshot *snapshot = loader->snapshot;
	struct snap_cluster *cluster = &snapshot->clusters[snapshot->cluster_count];
	const struct snap_cluster *first = find_cluster(snapshot, entry->key);
	struct str rest = ini_unquote(entry->value);

	if (first) {
		diag_warning(loader->diags, ini_place(head, entry->line),
		             "cluster \"%.*s\" is ignored: the first of that name is in line %llu",
		             STR_ARG(entry->key), (unsigned long long)first->place.line);
		return STATUS_OK;
	}
	cluster->name = entry->key;
	cluster->place = ini_place(head, entry->line);
	TRY(load_array(loader, snapshot->device_count, sizeof(struct snap_device *),
	               (void **)&cluster->devices));
	snapshot->cluster_count++;
	while (rest.p)
		add_to_cluster(loader, cluster, str_next_part(&rest, ','));
	return STATUS_OK;
}

static enum status load_clusters(struct loader *loader, const struct ini_file *head,
                                 const struct ini_section *section)
{
	TRY(load_array(loader, section->entry_count, sizeof(*loader->snapshot->clusters),
	               (void **)&loader->snapshot->clusters));
	for (size_t i = 0; i < section->entry_count; i++)
		TRY(load_cluster(loader, head, &section->entries[i]));
	return STATUS_OK;
}

enum status load_one_cluster(struct loader *loader)
{
	struct snapshot *snapshot = loader->snapshot;
	struct snap_cluster *cluster;

	if (snapshot->clusters || snapshot->core_count == 0)
		return STATUS_OK;
	TRY(load_array(loader, 1, sizeof(*cluster), (void **)&snapshot->clusters));
	cluster = snapshot->clusters;
	cluster->name = STR("");
	TRY(load_array(loader, snapshot->core_count, sizeof(struct snap_device *),
	               (void **)&cluster->devices));
	for (size_t i = 0; i < snapshot->core_count; i++)
		cluster->devices[cluster->device_count++] = snapshot->cores[i].device;
	snapshot->cluster_count = 1;
	return STATUS_OK;
}

enum status load_images(struct loader *loader, const struct snapshot_options *options)
{
	struct snapshot *snapshot = loader->snapshot;
	size_t most = options->image_count + snapshot->module_count;

	for (size_t i = 0; i < snapshot->device_count; i++)
		most += snapshot->devices[i].dump_count;
	TRY(load_array(loader, most, sizeof(struct elf_image *), (void **)&snapshot->images));
	snapshot->debug_folder = arena_str(loader->arena, options->debug_folder);
	if (!snapshot->debug_folder.p)
		return STATUS_NO_MEM;
	for (size_t i = 0; i < options->image_count; i++) {
		const struct image_option *option = &options->images[i];
		const struct elf_placement placement = {
		        option->has_load_address ? &option->load_address : NULL, option->sections,
		        option->section_count};
		struct str path = arena_str(loader->arena, option->path);
		struct elf_image *image;
		enum status status;

		if (!path.p)
			return STATUS_NO_MEM;
		status = elf_image_open_placed(path.p, &placement, place_none(), loader->diags,
		                               &image);
		if (status == STATUS_NOT_FOUND || status == STATUS_IO)
			return STATUS_USAGE;
		TRY(status);
		if ((unsigned int)option->space != 0)
			image->space = option->space;
		image->context = option->context;
		snapshot->images[snapshot->image_count++] = image;
	}
	snapshot->mapped_images = snapshot->image_count;
	return STATUS_OK;
}

static bool has_image(const struct snapshot *snapshot, struct str path)
{
	for (size_t i = 0; i < snapshot->image_count; i++) {
		if (str_eq(snapshot->images[i]->path, path))
			return true;
	}
	return false;
}

/* Moves the image to where the dump shows the file's bytes. */
static void place_image(struct elf_image *image, const struct snap_dump *dump)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct elf_segment *segment = &image->segments[i];
		uint64_t offset = (uint64_t)(segment->data - image->file.begin);

		if (dump->offset < offset || dump->offset - offset >= segment->file_size)
			continue;
		/* What cannot be placed stays where it was linked. */
		if (elf_image_move(image, dump->address - segment->address -
		                                  (dump->offset - offset)) == STATUS_OK)
			return;
	}
}

/*
 * An ELF file that a dump names: the dump shows its bytes, the image is for symbols. What is no
 * sound ELF for Arm is a dump like others.
 */
static enum status load_dump_image(struct loader *loader, const struct snap_dump *dump)
{
	struct snapshot *snapshot = loader->snapshot;
	struct diag_list unheard = {0};
	struct elf_image *image;
	struct bytes file;
	enum status status;

	if (has_image(snapshot, dump->path))
		return STATUS_OK;
	TRY(snap_files_map(loader->files, dump->file, dump->place, loader->diags, &file, NULL));
	if (!elf_image_is_elf(file))
		return STATUS_OK;
	status = elf_image_open_bytes(file, dump->path, dump->place, &unheard, &image);
	if (status == STATUS_OK) {
		place_image(image, dump);
		snapshot->images[snapshot->image_count++] = image;
	}
	diag_list_fini(&unheard);
	return status == STATUS_NO_MEM ? status : STATUS_OK;
}

static enum status load_dump_images(struct loader *loader)
{
	for (size_t i = 0; i < loader->snapshot->device_count; i++) {
		const struct snap_device *device = &loader->snapshot->devices[i];

		for (size_t j = 0; j < device->dump_count; j++) {
			if (device->dumps[j].length > 0 && device->dumps[j].path.n > 0)
				TRY(load_dump_image(loader, &device->dumps[j]));
		}
	}
	return STATUS_OK;
}

static enum status load_head(struct loader *loader)
{
	static const enum schema_section known[] = {SCHEMA_SNAPSHOT, SCHEMA_DEVICE_LIST,
	                                            SCHEMA_CLUSTERS, SCHEMA_TRACE};
	struct ini_file head;
	const struct ini_section *clusters;
	const struct ini_section *trace;

	TRY(load_ini(loader, STR(SNAPSHOT_HEAD), place_file(loader->snapshot->path), &head));
	TRY(check_version(loader, &head));
	schema_check_sections(known, sizeof(known) / sizeof(known[0]), &head, loader->diags);
	TRY(load_devices(loader, &head));
	TRY(load_cores_and_sources(loader));
	clusters = schema_find(SCHEMA_CLUSTERS, &head, loader->diags);
	if (clusters)
		TRY(load_clusters(loader, &head, clusters));
	trace = schema_find(SCHEMA_TRACE, &head, loader->diags);
	if (trace && ini_section_find(trace, STR("metadata")))
		TRY(load_trace(loader, ini_section_value(trace, STR("metadata")),
		               ini_place(&head, ini_section_find(trace, STR("metadata"))->line)));
	return STATUS_OK;
}

enum status load_device_ranges(struct loader *loader, const struct snapshot_options *options)
{
	struct snapshot *snapshot = loader->snapshot;
	struct device_range *ranges;

	TRY(load_array(loader, options->device_range_count, sizeof(*ranges), (void **)&ranges));
	for (size_t i = 0; i < options->device_range_count; i++)
		ranges[i] = options->device_ranges[i];
	snapshot->device_ranges = ranges;
	snapshot->device_range_count = options->device_range_count;
	return STATUS_OK;
}

static enum status load_programs(struct loader *loader, const struct snapshot_options *options)
{
	TRY(load_images(loader, options));
	TRY(load_core_files(loader, options));
	return load_kernel_offsets(loader, options);
}

static enum status load(struct loader *loader, const struct snapshot_options *options)
{
	bool is_trace_package = loader->snapshot->is_trace_package;

	TRY(is_trace_package ? load_contents(loader) : load_head(loader));
	TRY(load_one_cluster(loader));
	TRY(load_core_beside(loader, options));
	TRY(load_programs(loader, options));
	TRY(load_dump_images(loader));
	TRY(load_system_log(loader, options));
	TRY(load_source_changes(loader));
	if (is_trace_package && !loader->snapshot->private->core_dump)
		load_contents_arch(loader->snapshot);
	return load_memory(loader);
}

/* Nothing but an ELF core file. */
static enum status load_core_file(struct loader *loader, const char *path,
                                  const struct snapshot_options *options)
{
	TRY(load_core_alone(loader, path, options));
	TRY(load_one_cluster(loader));
	TRY(load_programs(loader, options));
	TRY(load_system_log(loader, options));
	return load_memory(loader);
}

static enum status locate_and_load(struct loader *loader, const char *path,
                                   const struct snapshot_options *options)
{
	bool is_elf;

	loader->files->allow_outside = options->allow_outside;
	TRY(load_device_ranges(loader, options));
	TRY(load_is_elf(path, &is_elf));
	if (is_elf)
		return load_core_file(loader, path, options);
	TRY(load_locate(loader, path));
	return load(loader, options);
}

enum status snapshot_open(const char *path, const struct snapshot_options *options,
                          struct diag_list *diags, struct snapshot **snapshot)
{
	static const struct snapshot_options none;
	struct loader loader;
	enum status status = loader_begin(&loader, diags);

	if (!options)
		options = &none;
	if (status == STATUS_OK)
		status = locate_and_load(&loader, path, options);
	return loader_end(&loader, status, snapshot);
}

void snapshot_destroy(struct snapshot *snapshot)
{
	if (!snapshot)
		return;
	if (snapshot->destroy_extension)
		snapshot->destroy_extension(snapshot->extension);
	for (size_t i = 0; i < snapshot->core_count; i++)
		memmap_destroy(snapshot->cores[i].memory);
	for (size_t i = 0; i < snapshot->memory_space_count; i++)
		memmap_destroy(snapshot->memory_spaces[i].memory);
	for (size_t i = 0; i < snapshot->image_count; i++)
		elf_image_close(snapshot->images[i]);
	elf_image_close(snapshot->private->core_dump);
	load_system_log_fini(snapshot->log);
	snap_files_fini(&snapshot->private->files);
	snap_files_fini(&snapshot->private->beside);
	file_map_close(&snapshot->private->events);
	arena_fini(&snapshot->private->arena);
	free(snapshot->private);
	free(snapshot);
}

const struct snap_memory_space *snapshot_memory_space(const struct snapshot *snapshot,
                                                      struct str name)
{
	for (size_t i = 0; i < snapshot->memory_space_count; i++) {
		if (str_eq_nocase(snapshot->memory_spaces[i].device->name, name))
			return &snapshot->memory_spaces[i];
	}
	return NULL;
}

const struct snap_buffer *snapshot_buffer(const struct snapshot *snapshot, struct str name)
{
	for (size_t i = 0; i < snapshot->buffer_count; i++) {
		if (str_eq(snapshot->buffers[i].name, name))
			return &snapshot->buffers[i];
	}
	return NULL;
}
