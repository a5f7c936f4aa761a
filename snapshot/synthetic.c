/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots without snapshot files; see synthetic.h. */
#include "snapshot/synthetic.h"

#include "snapshot/load.h"

static enum status copy_str(struct loader *loader, struct str from, struct str *to)
{
	*to = from.n > 0 ? arena_str(loader->arena, from) : STR("");
	return to->p ? STATUS_OK : STATUS_NO_MEM;
}

static enum status add_images(struct memmap *map, const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->mapped_images; i++) {
		const struct elf_image *image = snapshot->images[i];

		for (size_t j = 0; j < image->segment_count; j++) {
			const struct elf_segment *segment = &image->segments[j];

			if (segment->file_size > 0)
				TRY(memmap_add(map, &(struct mem_region){
				                            .address = segment->address,
				                            .length = segment->file_size,
				                            .space = image->space,
				                            .context = image->context,
				                            .kind = REGION_IMAGE,
				                            .is_initial = elf_segment_is_initial(
				                                    image, segment),
				                            .data = segment->data,
				                            .origin = image->path}));
		}
	}
	return STATUS_OK;
}

static enum status add_core(struct loader *loader, const struct synthetic_core *made)
{
	struct snapshot *snapshot = loader->snapshot;
	struct snap_device *device = &snapshot->devices[snapshot->device_count];
	struct snap_core *core = &snapshot->cores[snapshot->core_count];

	*device = (struct snap_device){.class = DEVICE_CORE,
	                               .class_name = STR("core"),
	                               .location = STR(""),
	                               .file = snapshot->path,
	                               .place = place_file(snapshot->path)};
	TRY(copy_str(loader, made->name, &device->name));
	TRY(copy_str(loader, made->type, &device->type));
	*core = (struct snap_core){.device = device,
	                           .index = snapshot->core_count,
	                           .arch = made->arch,
	                           .cluster = STR("")};
	core->memory = memmap_create();
	if (!core->memory)
		return STATUS_NO_MEM;
	memmap_set_devices(core->memory, snapshot->device_ranges, snapshot->device_range_count);
	snapshot->device_count++;
	snapshot->core_count++;
	for (size_t i = 0; i < made->region_count; i++)
		TRY(memmap_add(core->memory, &made->regions[i]));
	TRY(add_images(core->memory, snapshot));
	return memmap_freeze(core->memory);
}

static enum status make(struct loader *loader, const struct synthetic_snapshot *made,
                        const struct snapshot_options *options)
{
	struct snapshot *snapshot = loader->snapshot;

	TRY(load_device_ranges(loader, options));
	TRY(copy_str(loader, str_of(made->path), &snapshot->path));
	TRY(copy_str(loader, made->description, &snapshot->description));
	TRY(load_array(loader, made->core_count, sizeof(*snapshot->devices),
	               (void **)&snapshot->devices));
	TRY(load_array(loader, made->core_count, sizeof(*snapshot->cores),
	               (void **)&snapshot->cores));
	TRY(load_images(loader, options));
	for (size_t i = 0; i < made->core_count; i++)
		TRY(add_core(loader, &made->cores[i]));
	return load_one_cluster(loader);
}

enum status snapshot_make(const struct synthetic_snapshot *made,
                          const struct snapshot_options *options, struct diag_list *diags,
                          struct snapshot **snapshot)
{
	struct loader loader;
	enum status status = loader_begin(&loader, diags);

	if (status == STATUS_OK)
		status = make(&loader, made, options);
	return loader_end(&loader, status, snapshot);
}
