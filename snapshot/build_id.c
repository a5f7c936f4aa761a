/* SPDX-License-Identifier: Apache-2.0 */
/* Build IDs of images against those in memory; see build_id.h. */
#include "snapshot/build_id.h"

#include "snapshot/elf_core/elf_module.h"
#include "snapshot/space.h"

/* A build ID that is in memory, and who says so. */
struct found_id {
	struct bytes id;
	struct place place;
	const char *kind; /* of `name` */
	struct str name;
};

/* Where bytes of the image's file lie in memory; false if no segment has them. */
static bool find_address(const struct elf_image *image, struct bytes part, uint64_t *address)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct elf_segment *segment = &image->segments[i];
		uintptr_t at = (uintptr_t)part.pos - (uintptr_t)segment->data;

		if (segment->data && at < segment->file_size &&
		    bytes_left(&part) <= segment->file_size - at) {
			*address = segment->address + at;
			return true;
		}
	}
	return false;
}

/* The build ID in the notes that the dump has at an address; empty if it has none. */
static struct bytes dumped_id(const struct snap_dump *dump, uint64_t address, size_t size)
{
	uint64_t at = address - dump->address;

	if (address < dump->address || at >= dump->length || size > dump->length - at)
		return bytes_of(NULL, 0);
	return elf_notes_build_id(bytes_of(dump->data + at, size));
}

/* True if a dump has another; an image of one context is in none of them for sure. */
static bool find_in_dumps(const struct snapshot *snapshot, const struct elf_image *image,
                          struct bytes notes, struct found_id *found)
{
	uint64_t address;

	if (image->context.has_id || image->context.has_vmid ||
	    !find_address(image, notes, &address))
		return false;
	for (size_t i = 0; i < snapshot->core_count; i++) {
		const struct snap_device *device = snapshot->cores[i].device;

		for (size_t j = 0; j < device->dump_count; j++) {
			const struct snap_dump *dump = &device->dumps[j];

			found->id = dumped_id(dump, address, bytes_left(&notes));
			found->place = dump->place;
			found->kind = "dump";
			found->name = dump->section;
			if (space_meets(dump->space, image->space) && bytes_left(&found->id) > 0 &&
			    !bytes_equal(found->id, elf_notes_build_id(notes)))
				return true;
		}
	}
	return false;
}

/* True if a file that was mapped where the image lies has another. */
static bool find_in_modules(const struct snapshot *snapshot, const struct elf_image *image,
                            struct bytes id, struct found_id *found)
{
	for (size_t i = 0; i < snapshot->module_count; i++) {
		const struct snap_module *module = &snapshot->modules[i];

		if (bytes_left(&module->build_id) == 0 || bytes_equal(module->build_id, id))
			continue;
		for (size_t j = 0; j < image->segment_count; j++) {
			const struct elf_segment *segment = &image->segments[j];

			*found = (struct found_id){module->build_id, place_file(image->path),
			                           "mapped file", module->path};
			if (module->address - segment->address < segment->memory_size)
				return true;
		}
	}
	return false;
}

static void say(const struct elf_image *image, struct bytes id, const struct found_id *found,
                struct diag_list *diags)
{
	struct text ids[2] = {{0}, {0}};

	text_hex_bytes(&ids[0], id.pos, bytes_left(&id));
	text_hex_bytes(&ids[1], found->id.pos, bytes_left(&found->id));
	diag_warning(diags, found->place,
	             "image \"%.*s\" has build ID %.*s, but %s \"%.*s\" has %.*s where it lies: it "
	             "is another build",
	             STR_ARG(image->path), STR_ARG(text_str(&ids[0])), found->kind,
	             STR_ARG(found->name), STR_ARG(text_str(&ids[1])));
	text_fini(&ids[0]);
	text_fini(&ids[1]);
}

void build_id_check(const struct snapshot *snapshot, const struct elf_image *image,
                    struct diag_list *diags)
{
	struct found_id found;

	for (size_t i = 0; i < image->note_count; i++) {
		struct bytes id = elf_notes_build_id(image->notes[i]);

		if (bytes_left(&id) == 0)
			continue;
		if (find_in_dumps(snapshot, image, image->notes[i], &found) ||
		    find_in_modules(snapshot, image, id, &found))
			say(image, id, &found, diags);
		return;
	}
}
