/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ELF images, read with libelf from the mapped file (System V ABI, ELF header and program headers;
 * ELF for the Arm and Arm 64-bit architectures). Every offset is checked against the file here, as
 * libelf hands out program headers as they are.
 */
#include "snapshot/elf_image.h"

#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "snapshot/elf_core/elf_module.h"

struct open_image {
	struct elf_image image; /* first, so that the public pointer leads back here */
	struct file_map map;
	char *path;
};

struct source {
	struct place place;
	struct diag_list *diags;
};

static enum status fail(const struct source *source, const struct elf_image *image,
                        enum status status, const char *text)
{
	return diag_error(source->diags, status, source->place, "ELF \"%.*s\": %s",
	                  STR_ARG(image->path), text);
}

bool elf_image_is_elf(struct bytes file)
{
	return bytes_left(&file) >= SELFMAG && memcmp(file.pos, ELFMAG, SELFMAG) == 0;
}

static enum status read_header(struct elf_image *image, Elf *elf, const struct source *source)
{
	GElf_Ehdr header;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
		return fail(source, image, STATUS_BAD_DATA, "not a sound ELF file");
	if (header.e_machine != EM_AARCH64 && header.e_machine != EM_ARM)
		return diag_error(source->diags, STATUS_UNSUPPORTED, source->place,
		                  "ELF \"%.*s\" is for machine %u, expected %u (AArch64) or %u "
		                  "(Arm)",
		                  STR_ARG(image->path), header.e_machine, EM_AARCH64, EM_ARM);
	if (header.e_type == ET_REL)
		return fail(
		        source, image, STATUS_UNSUPPORTED,
		        "a relocatable file (an object, a kernel module), whose sections have no "
		        "addresses yet; link it, or give its code as a dump");
	image->is_64bit = gelf_getclass(elf) == ELFCLASS64;
	image->is_core = header.e_type == ET_CORE;
	image->is_movable = header.e_type == ET_DYN;
	image->machine = header.e_machine;
	image->entry = header.e_entry;
	image->space = SPACE_ANY;
	return STATUS_OK;
}

/* Appends a loadable segment; the room for it is there. */
static enum status add_segment(struct elf_image *image, const GElf_Phdr *header,
                               const struct source *source)
{
	size_t size = bytes_left(&image->file);
	uint64_t end = header->p_offset + header->p_filesz;
	struct elf_segment segment = {
	        .address = header->p_vaddr,
	        .file_size = header->p_filesz,
	        .memory_size = header->p_memsz,
	        .writable = (header->p_flags & PF_W) != 0,
	        .executable = (header->p_flags & PF_X) != 0,
	};

	if (image->is_core &&
	    (header->p_offset > size || header->p_filesz > size - header->p_offset)) {
		image->is_cut = true;
		segment.file_size = header->p_offset > size ? 0 : size - header->p_offset;
	} else if (header->p_offset > size || header->p_filesz > size - header->p_offset) {
		return diag_error(source->diags, STATUS_BAD_DATA, source->place,
		                  "ELF \"%.*s\": a segment ends at byte 0x%llx, the file at 0x%zx",
		                  STR_ARG(image->path), (unsigned long long)end, size);
	}
	if (segment.memory_size < segment.file_size)
		return fail(source, image, STATUS_BAD_DATA,
		            "a segment is larger in the file than in memory");
	if (segment.memory_size == 0)
		return STATUS_OK;
	if (segment.address + (segment.memory_size - 1) < segment.address)
		return fail(source, image, STATUS_BAD_DATA,
		            "a segment goes beyond the end of the address space");
	segment.data = image->file.pos + (segment.file_size > 0 ? header->p_offset : 0);
	image->segments[image->segment_count++] = segment;
	return STATUS_OK;
}

/* The part of the notes that the file has; the room for it is there. */
static void add_notes(struct elf_image *image, const GElf_Phdr *header)
{
	size_t size = bytes_left(&image->file);
	size_t length;

	if (header->p_offset >= size)
		return;
	length = header->p_filesz < size - header->p_offset ? (size_t)header->p_filesz
	                                                    : size - (size_t)header->p_offset;
	image->is_cut = image->is_cut || length < header->p_filesz;
	image->notes[image->note_count++] = bytes_of(image->file.pos + header->p_offset, length);
}

static enum status read_segments(struct elf_image *image, Elf *elf, const struct source *source)
{
	size_t count;
	GElf_Phdr header;

	if (elf_getphdrnum(elf, &count) != 0 || count > bytes_left(&image->file))
		return fail(source, image, STATUS_BAD_DATA, "its program headers cannot be read");
	if (count > 0) {
		image->segments = calloc(count, sizeof(*image->segments));
		image->notes = calloc(count, sizeof(*image->notes));
		if (!image->segments || !image->notes)
			return STATUS_NO_MEM;
	}
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(elf, (int)i, &header))
			return fail(source, image, STATUS_BAD_DATA,
			            "its program headers cannot be read");
		if (header.p_type == PT_LOAD)
			TRY(add_segment(image, &header, source));
		if (header.p_type == PT_NOTE)
			add_notes(image, &header);
	}
	if (image->segment_count == 0)
		return fail(source, image, STATUS_BAD_DATA, "it has no loadable segment");
	return STATUS_OK;
}

static enum status read_image(struct elf_image *image, const struct source *source)
{
	/* libelf wants a pointer that is not const; it does not write through it. */
	char *data;
	Elf *elf = NULL;
	enum status status;

	memcpy(&data, &image->file.pos, sizeof(data));
	if (!elf_image_is_elf(image->file))
		return fail(source, image, STATUS_BAD_DATA, "not an ELF file");
	if (elf_version(EV_CURRENT) != EV_NONE)
		elf = elf_memory(data, bytes_left(&image->file));
	if (!elf)
		return fail(source, image, STATUS_BAD_DATA, "not a sound ELF file");
	status = read_header(image, elf, source);
	if (status == STATUS_OK)
		status = read_segments(image, elf, source);
	(void)elf_end(elf);
	return status;
}

struct bytes elf_image_build_id(const struct elf_image *image)
{
	for (size_t i = 0; i < image->note_count; i++) {
		struct bytes id = elf_notes_build_id(image->notes[i]);

		if (bytes_left(&id) > 0)
			return id;
	}
	return bytes_of(NULL, 0);
}

enum status elf_image_move(struct elf_image *image, uint64_t bias)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		uint64_t moved = image->segments[i].address + bias;

		if (moved + (image->segments[i].memory_size - 1) < moved)
			return STATUS_BAD_DATA;
	}
	for (size_t i = 0; i < image->segment_count; i++)
		image->segments[i].address += bias;
	image->entry += bias;
	image->load_bias += bias;
	return STATUS_OK;
}

static enum status move_to(struct elf_image *image, uint64_t load_address,
                           const struct source *source)
{
	uint64_t lowest = UINT64_MAX;

	for (size_t i = 0; i < image->segment_count; i++) {
		if (image->segments[i].address < lowest)
			lowest = image->segments[i].address;
	}
	if (elf_image_move(image, load_address - lowest) == STATUS_OK)
		return STATUS_OK;
	return diag_error(source->diags, STATUS_BAD_DATA, source->place,
	                  "ELF \"%.*s\": loaded at 0x%llx it goes beyond the end of the address "
	                  "space",
	                  STR_ARG(image->path), (unsigned long long)load_address);
}

enum status elf_image_open(const char *path, const uint64_t *load_address, struct place place,
                           struct diag_list *diags, struct elf_image **image)
{
	struct source source = {place, diags};
	struct open_image *open = calloc(1, sizeof(*open));
	enum status status = STATUS_NO_MEM;

	if (!open)
		return STATUS_NO_MEM;
	/* The path as the debugger may use it from anywhere; a file that is not there stays. */
	open->path = realpath(path, NULL);
	if (!open->path)
		open->path = strdup(path);
	if (open->path)
		status = file_map_open(open->path, place, diags, &open->map);
	if (status == STATUS_OK) {
		open->image.path = str_of(open->path);
		open->image.file = file_map_bytes(&open->map);
		status = read_image(&open->image, &source);
	}
	if (status == STATUS_OK && load_address)
		status = move_to(&open->image, *load_address, &source);
	if (status == STATUS_OK)
		*image = &open->image;
	else
		elf_image_close(&open->image);
	return status;
}

enum status elf_image_open_bytes(struct bytes file, struct str path, struct place place,
                                 struct diag_list *diags, struct elf_image **image)
{
	struct source source = {place, diags};
	struct open_image *open = calloc(1, sizeof(*open));
	enum status status;

	if (!open)
		return STATUS_NO_MEM;
	open->image.path = path;
	open->image.file = file;
	status = read_image(&open->image, &source);
	if (status == STATUS_OK)
		*image = &open->image;
	else
		elf_image_close(&open->image);
	return status;
}

void elf_image_close(struct elf_image *image)
{
	struct open_image *open = (struct open_image *)image;

	if (!open)
		return;
	file_map_close(&open->map);
	free(open->path);
	free(open->image.segments);
	free(open->image.notes);
	free(open);
}
