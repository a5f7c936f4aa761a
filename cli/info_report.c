/* SPDX-License-Identifier: Apache-2.0 */
/* What both forms of `csreplay info` tell alike; see info_report.h. */
#include "cli/info_report.h"

const struct snap_register *info_pc(const struct snap_core *core)
{
	const struct register_file file = register_file_of(core->arch);

	return register_in_snapshot(&file, REGISTER_PC, core->device);
}

uint64_t info_lowest_address(const struct elf_image *image)
{
	uint64_t lowest = UINT64_MAX;

	for (size_t i = 0; i < image->segment_count; i++) {
		if (image->segments[i].address < lowest)
			lowest = image->segments[i].address;
	}
	return lowest;
}

const char *info_image_origin(const struct snapshot *snapshot, size_t index)
{
	if (snapshot->images[index]->is_mapped)
		return "core file";
	return index < snapshot->mapped_images ? "--image" : "dump";
}
