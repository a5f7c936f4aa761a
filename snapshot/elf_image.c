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

#include "base/arena.h"
#include "base/file.h"
#include "snapshot/elf_core/elf_module.h"
#include "snapshot/elf_object/patch_table.h"
#include "snapshot/elf_object/relocate.h"

struct open_image {
	struct elf_image image; /* first, so that the public pointer leads back here */
	struct file_map map;
	struct arena arena; /* sections of an object */
	char *path;
};

struct source {
	struct place place;
	struct diag_list *diags;
	struct elf_placement placement;
	struct arena *arena; /* of the image */
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
	image->is_object = header.e_type == ET_REL;
	image->is_64bit = gelf_getclass(elf) == ELFCLASS64;
	image->is_core = header.e_type == ET_CORE;
	image->is_movable = header.e_type == ET_DYN;
	image->is_big_endian = header.e_ident[EI_DATA] == ELFDATA2MSB;
	image->machine = header.e_machine;
	image->entry = header.e_entry;
	image->space = SPACE_ANY;
	/* An object is linked first, a core has no code. */
	if (image->is_big_endian && image->machine == EM_ARM && !image->is_object &&
	    !image->is_core && (header.e_flags & EF_ARM_BE8) == 0)
		return fail(source, image, STATUS_UNSUPPORTED,
		            "its code is big endian, too (BE-32: linked without --be8)");
	if (image->is_object &&
	    (image->is_big_endian || image->is_64bit != (image->machine == EM_AARCH64)))
		return fail(source, image, STATUS_UNSUPPORTED,
		            "a relocatable file that is big endian or of an ABI with other "
		            "relocations (ILP32)");
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

/* A table of code that is written over. */
struct patches {
	const struct patch_table *table;
	const uint8_t *entries;
	size_t size;      /* bytes of it */
	uint64_t address; /* of the table itself, in a linked file */
};

/* True if the section is such a table. */
static bool is_patches(const struct elf_image *image, Elf *elf, size_t number,
                       struct patches *patches)
{
	size_t size = bytes_left(&image->file);
	Elf_Scn *section = elf_getscn(elf, number);
	const char *name = NULL;
	GElf_Shdr header;
	size_t names;

	if (section && gelf_getshdr(section, &header) && header.sh_type == SHT_PROGBITS &&
	    header.sh_offset <= size && header.sh_size <= size - header.sh_offset &&
	    elf_getshdrstrndx(elf, &names) == 0)
		name = elf_strptr(elf, names, header.sh_name);
	if (!name)
		return false;
	*patches = (struct patches){patch_table_of(str_of(name), image->is_64bit),
	                            image->file.pos + header.sh_offset, (size_t)header.sh_size,
	                            header.sh_addr};
	return patches->table != NULL;
}

static struct bytes code_at(const struct elf_image *image, uint64_t address)
{
	const struct elf_segments segments = {image->segments, image->segment_count};

	return elf_segments_code(&segments, address);
}

/* The code at `address`, as the entry at `offset` says, is a hole. */
static enum status add_patch(struct elf_holes *holes, const struct elf_image *image,
                             const struct patches *patches, size_t offset, uint64_t address)
{
	struct bytes code = code_at(image, address);

	return elf_holes_add(holes, address,
	                     patch_table_length(patches->table, patches->entries + offset, code.pos,
	                                        bytes_left(&code)));
}

/* A section of an object; bytes NULL: it is not placed, or the file has none of it. */
struct section {
	bool is_placed;
	bool is_empty; /* SHT_NOBITS */
	uint64_t address;
	uint64_t flags;
	size_t size;
	uint8_t *bytes;
	bool *lacks; /* one a byte: it is not known */
};

struct object {
	Elf *elf;
	struct elf_image *image;
	const struct source *source;
	struct section *sections; /* by number */
	size_t count;
	size_t pieces; /* of known bytes, at most */
	struct elf_holes *holes;
};

/* Where the user says that a section lies. */
static bool find_address(const struct source *source, struct str name, uint64_t *address)
{
	for (size_t i = 0; i < source->placement.section_count; i++) {
		if (str_eq(source->placement.sections[i].name, name)) {
			*address = source->placement.sections[i].address;
			return true;
		}
	}
	if (!source->placement.load_address || !str_eq(name, STR(".text")))
		return false;
	*address = *source->placement.load_address;
	return true;
}

static enum status place_section(const struct object *o, const GElf_Shdr *header, uint64_t address,
                                 struct section *section)
{
	size_t size = bytes_left(&o->image->file);

	section->is_empty = header->sh_type == SHT_NOBITS;
	if (header->sh_size == 0)
		return STATUS_OK;
	if (!section->is_empty &&
	    (header->sh_offset > size || header->sh_size > size - header->sh_offset))
		return fail(o->source, o->image, STATUS_BAD_DATA, "a section ends after the file");
	if (address + (header->sh_size - 1) < address)
		return fail(o->source, o->image, STATUS_BAD_DATA,
		            "a section goes beyond the end of the address space");
	section->is_placed = true;
	section->address = address;
	section->flags = header->sh_flags;
	section->size = (size_t)header->sh_size;
	if (section->is_empty)
		return STATUS_OK;
	section->bytes = arena_alloc(o->source->arena, section->size);
	section->lacks = arena_alloc(o->source->arena, section->size * sizeof(bool));
	if (!section->bytes || !section->lacks)
		return STATUS_NO_MEM;
	memcpy(section->bytes, o->image->file.pos + header->sh_offset, section->size);
	return STATUS_OK;
}

static bool section_header(const struct object *o, size_t number, GElf_Shdr *header)
{
	Elf_Scn *section = elf_getscn(o->elf, number);

	return section && gelf_getshdr(section, header);
}

/* All sections that the user gives an address, of several with one name the first. */
static enum status place_sections(struct object *o)
{
	size_t names;
	size_t placed = 0;

	if (elf_getshdrstrndx(o->elf, &names) != 0)
		return STATUS_OK;
	for (size_t i = 1; i < o->count; i++) {
		GElf_Shdr header;
		const char *name;
		uint64_t address;
		bool is_taken = false;

		if (!section_header(o, i, &header) || (header.sh_flags & SHF_ALLOC) == 0)
			continue;
		name = elf_strptr(o->elf, names, header.sh_name);
		if (!name || !find_address(o->source, str_of(name), &address))
			continue;
		for (size_t j = 1; j < i && !is_taken; j++)
			is_taken = o->sections[j].is_placed && o->sections[j].address == address;
		if (is_taken)
			continue;
		TRY(place_section(o, &header, address, &o->sections[i]));
		placed++;
	}
	return placed > 0 ? STATUS_OK : STATUS_NOT_FOUND;
}

/* Each name of the user is that of a section with memory. */
static enum status check_names(const struct object *o)
{
	size_t names;

	for (size_t i = 0; i < o->source->placement.section_count; i++) {
		struct str wanted = o->source->placement.sections[i].name;
		bool is_there = false;

		for (size_t j = 1; j < o->count && elf_getshdrstrndx(o->elf, &names) == 0; j++) {
			GElf_Shdr header;
			const char *name;

			if (!section_header(o, j, &header) || (header.sh_flags & SHF_ALLOC) == 0)
				continue;
			name = elf_strptr(o->elf, names, header.sh_name);
			is_there |= name && str_eq(str_of(name), wanted);
		}
		if (!is_there)
			return diag_error(o->source->diags, STATUS_BAD_DATA, o->source->place,
			                  "ELF \"%.*s\" has no section \"%.*s\" with memory",
			                  STR_ARG(o->image->path), STR_ARG(wanted));
	}
	return STATUS_OK;
}

/* The symbol's address; false if nobody knows it. */
static bool find_symbol(const struct object *o, Elf_Data *symbols, size_t number,
                        struct relocation *relocation)
{
	bool is_arm = !o->image->is_64bit;
	GElf_Sym symbol;

	if (!symbols || number > INT32_MAX || !gelf_getsym(symbols, (int)number, &symbol))
		return false;
	relocation->is_function = GELF_ST_TYPE(symbol.st_info) == STT_FUNC;
	relocation->is_thumb = is_arm && relocation->is_function && (symbol.st_value & 1) != 0;
	relocation->symbol = symbol.st_value - relocation->is_thumb;
	if (symbol.st_shndx == SHN_ABS || number == 0)
		return true;
	if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= o->count ||
	    !o->sections[symbol.st_shndx].is_placed)
		return false;
	relocation->symbol += o->sections[symbol.st_shndx].address;
	return true;
}

static enum status relocate_at(struct object *o, struct section *section, uint64_t offset,
                               uint64_t info, Elf_Data *symbols, struct relocation *relocation)
{
	size_t size;

	relocation->type = (uint32_t)GELF_R_TYPE(info);
	relocation->is_64bit = o->image->is_64bit;
	relocation->place = section->address + offset;
	size = relocation_size(relocation->is_64bit, relocation->type);
	if (offset > section->size || (size > section->size - offset && size < RELOCATION_MOST))
		return fail(o->source, o->image, STATUS_BAD_DATA,
		            "a relocation is outside of its section");
	size = size < section->size - offset ? size : section->size - (size_t)offset;
	if (size == 0)
		return STATUS_OK;
	if (find_symbol(o, symbols, GELF_R_SYM(info), relocation) &&
	    size == relocation_size(relocation->is_64bit, relocation->type) &&
	    relocate(relocation, section->bytes + offset) == STATUS_OK)
		return STATUS_OK;
	memset(section->lacks + offset, true, size);
	o->pieces++;
	return STATUS_OK;
}

/* A section of relocations. */
struct relocations {
	size_t of; /* number of the section that they are of */
	Elf_Data *data;
	Elf_Data *symbols;
	bool has_addend;
	size_t count;
};

/* One of them: where in its section, its type and symbol, its addend. */
static enum status read_relocation(const struct object *o, const struct relocations *all, size_t i,
                                   GElf_Rela *one)
{
	GElf_Rel rel = {0};

	*one = (GElf_Rela){0};
	if (!all->data || (all->has_addend ? !gelf_getrela(all->data, (int)i, one)
	                                   : !gelf_getrel(all->data, (int)i, &rel)))
		return fail(o->source, o->image, STATUS_BAD_DATA, "its relocations cannot be read");
	if (!all->has_addend) {
		one->r_offset = rel.r_offset;
		one->r_info = rel.r_info;
	}
	return STATUS_OK;
}

static enum status relocate_section(struct object *o, const struct relocations *all)
{
	for (size_t i = 0; i < all->count; i++) {
		struct relocation relocation = {.has_addend = all->has_addend};
		GElf_Rela one;

		TRY(read_relocation(o, all, i, &one));
		relocation.addend = one.r_addend;
		TRY(relocate_at(o, &o->sections[all->of], one.r_offset, one.r_info, all->symbols,
		                &relocation));
	}
	return STATUS_OK;
}

/* What is done with each section of relocations. */
typedef enum status use_relocations(struct object *o, const struct relocations *all);

static enum status each_relocations(struct object *o, use_relocations *use)
{
	for (size_t i = 1; i < o->count; i++) {
		Elf_Scn *section = elf_getscn(o->elf, i);
		struct relocations all;
		GElf_Shdr header;
		Elf_Scn *table;

		if (!section || !gelf_getshdr(section, &header) ||
		    (header.sh_type != SHT_RELA && header.sh_type != SHT_REL) ||
		    header.sh_info >= o->count || header.sh_entsize == 0)
			continue;
		table = elf_getscn(o->elf, header.sh_link);
		all = (struct relocations){header.sh_info, elf_getdata(section, NULL),
		                           table ? elf_getdata(table, NULL) : NULL,
		                           header.sh_type == SHT_RELA,
		                           (size_t)(header.sh_size / header.sh_entsize)};
		all.count = all.count < INT32_MAX ? all.count : INT32_MAX;
		TRY(use(o, &all));
	}
	return STATUS_OK;
}

static enum status relocate_placed(struct object *o, const struct relocations *all)
{
	return o->sections[all->of].bytes ? relocate_section(o, all) : STATUS_OK;
}

/* The relocations of a table say where its code is, whether it is placed itself or not. */
static enum status add_object_patches(struct object *o, const struct relocations *all)
{
	struct patches patches;

	if (!is_patches(o->image, o->elf, all->of, &patches))
		return STATUS_OK;
	for (size_t i = 0; i < all->count; i++) {
		size_t entry = patches.table->entry;
		struct relocation to = {0};
		int64_t addend;
		GElf_Rela one;

		TRY(read_relocation(o, all, i, &one));
		if (one.r_offset % entry != 0 || one.r_offset >= patches.size ||
		    patches.size - one.r_offset < entry ||
		    !find_symbol(o, all->symbols, GELF_R_SYM(one.r_info), &to))
			continue;
		addend = all->has_addend
		                 ? one.r_addend
		                 : (int32_t)patch_table_address(patches.table,
		                                                patches.entries + one.r_offset, 0);
		TRY(add_patch(o->holes, o->image, &patches, (size_t)one.r_offset,
		              to.symbol + (uint64_t)addend));
	}
	return STATUS_OK;
}

/* The known bytes of a section, a segment each stretch of them. */
static void add_section(struct object *o, const struct section *section)
{
	struct elf_segment segment = {
	        .address = section->address,
	        .memory_size = section->size,
	        .writable = (section->flags & SHF_WRITE) != 0,
	        .executable = (section->flags & SHF_EXECINSTR) != 0,
	        .data = o->image->file.pos,
	};

	if (section->is_empty)
		o->image->segments[o->image->segment_count++] = segment;
	for (size_t begin = 0, end; section->bytes && begin < section->size; begin = end) {
		bool lacks = section->lacks[begin];

		for (end = begin; end < section->size && section->lacks[end] == lacks;)
			end++;
		if (lacks)
			continue;
		segment.address = section->address + begin;
		segment.memory_size = end - begin;
		segment.file_size = end - begin;
		segment.data = section->bytes + begin;
		o->image->segments[o->image->segment_count++] = segment;
	}
}

static void add_section_notes(struct object *o)
{
	size_t size = bytes_left(&o->image->file);

	for (size_t i = 1; i < o->count; i++) {
		GElf_Shdr header;

		if (section_header(o, i, &header) && header.sh_type == SHT_NOTE &&
		    header.sh_offset <= size && header.sh_size <= size - header.sh_offset)
			o->image->notes[o->image->note_count++] = bytes_of(
			        o->image->file.pos + header.sh_offset, (size_t)header.sh_size);
	}
}

static enum status make_object_segments(struct object *o)
{
	o->image->segments = calloc(o->pieces + o->count + 1, sizeof(*o->image->segments));
	o->image->notes = calloc(o->count + 1, sizeof(*o->image->notes));
	o->image->section_addresses = arena_alloc(o->source->arena, o->count * sizeof(uint64_t));
	if (!o->image->segments || !o->image->notes || !o->image->section_addresses)
		return STATUS_NO_MEM;
	o->image->section_count = o->count;
	for (size_t i = 1; i < o->count; i++) {
		o->image->section_addresses[i] = o->sections[i].address;
		if (o->sections[i].is_placed)
			add_section(o, &o->sections[i]);
	}
	add_section_notes(o);
	if (o->image->segment_count == 0)
		return fail(o->source, o->image, STATUS_BAD_DATA,
		            "nothing of the sections that are placed is known");
	return STATUS_OK;
}

/* A relocatable file: its sections where the user says, as a linker makes them. */
static enum status read_object(struct elf_image *image, Elf *elf, const struct source *source,
                               struct elf_holes *holes)
{
	struct object o = {.elf = elf, .image = image, .source = source, .holes = holes};
	enum status status;

	if (!source->arena || elf_getshdrnum(elf, &o.count) != 0 ||
	    o.count > bytes_left(&image->file))
		o.count = 0;
	o.sections = calloc(o.count + 1, sizeof(*o.sections));
	if (!o.sections)
		return STATUS_NO_MEM;
	status = check_names(&o);
	if (status == STATUS_OK)
		status = place_sections(&o);
	if (status == STATUS_NOT_FOUND)
		status = fail(source, image, STATUS_UNSUPPORTED,
		              "a relocatable file (an object, a kernel module): say where its "
		              "sections lie, --image FILE,.text=ADDRESS,.data=ADDRESS (Linux: "
		              "/sys/module/NAME/sections)");
	if (status == STATUS_OK)
		status = each_relocations(&o, relocate_placed);
	if (status == STATUS_OK)
		status = make_object_segments(&o);
	if (status == STATUS_OK)
		status = each_relocations(&o, add_object_patches);
	free(o.sections);
	return status;
}

/* All entries of a table of a linked file. */
static enum status add_patches(const struct elf_image *image, const struct patches *patches,
                               struct elf_holes *holes)
{
	size_t entry = patches->table->entry;

	for (size_t at = 0; patches->size - at >= entry; at += entry) {
		uint64_t address = patch_table_address(patches->table, patches->entries + at,
		                                       patches->address + at);

		if (address != 0)
			TRY(add_patch(holes, image, patches, at, address));
	}
	return STATUS_OK;
}

/* What lies between the symbols of one of them, in a table of symbols. */
static enum status add_bounded(const struct elf_image *image, Elf *elf, const GElf_Shdr *header,
                               Elf_Data *symbols, struct elf_holes *holes)
{
	uint64_t begin[PATCH_BOUNDED] = {0};
	uint64_t end[PATCH_BOUNDED] = {0};
	GElf_Sym symbol;

	for (int i = 1; symbols && gelf_getsym(symbols, i, &symbol); i++) {
		const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);

		for (size_t k = 0; name && name[0] == '_' && k < PATCH_BOUNDED; k++) {
			if (strcmp(name, patch_bounded[k].begin) == 0)
				begin[k] = symbol.st_value;
			if (strcmp(name, patch_bounded[k].end) == 0)
				end[k] = symbol.st_value;
		}
	}
	for (size_t k = 0; k < PATCH_BOUNDED; k++) {
		struct bytes table = code_at(image, begin[k]);
		struct patches patches = {
		        patch_table_of(str_of(patch_bounded[k].section), image->is_64bit),
		        table.pos, (size_t)(end[k] - begin[k]), begin[k]};

		if (begin[k] < end[k] && end[k] - begin[k] <= bytes_left(&table))
			TRY(add_patches(image, &patches, holes));
	}
	return STATUS_OK;
}

static enum status add_linked_patches(const struct elf_image *image, Elf *elf,
                                      struct elf_holes *holes)
{
	size_t count;

	if (elf_getshdrnum(elf, &count) != 0)
		return STATUS_OK;
	for (size_t i = 1; i < count; i++) {
		Elf_Scn *section = elf_getscn(elf, i);
		struct patches patches;
		GElf_Shdr header;

		if (is_patches(image, elf, i, &patches))
			TRY(add_patches(image, &patches, holes));
		if (section && gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
			TRY(add_bounded(image, elf, &header, elf_getdata(section, NULL), holes));
	}
	return STATUS_OK;
}

static enum status cut_patches(struct elf_image *image, struct elf_holes *holes,
                               const struct source *source)
{
	struct elf_segments segments = {image->segments, image->segment_count};
	uint64_t bytes;

	if (!image->is_core) /* a core file's are dumps, and held against each other as these are */
		TRY(elf_holes_add_rivals(holes, &segments));
	TRY(elf_holes_cut(holes, &segments, &bytes));
	image->segments = segments.items;
	image->segment_count = segments.count;
	if (bytes > 0)
		diag_note(source->diags, source->place,
		          "ELF \"%.*s\": %llu bytes of code at %zu places are such as a kernel "
		          "writes over (alternatives, static keys, traced functions), or differ "
		          "between segments: a dump says what was there, the file does not",
		          STR_ARG(image->path), (unsigned long long)bytes, holes->count);
	return STATUS_OK;
}

static enum status read_linked(struct elf_image *image, Elf *elf, const struct source *source,
                               struct elf_holes *holes)
{
	TRY(read_segments(image, elf, source));
	return image->is_core ? STATUS_OK : add_linked_patches(image, elf, holes);
}

static enum status read_image(struct elf_image *image, const struct source *source)
{
	struct elf_holes holes = {.count = 0};
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
		status = image->is_object ? read_object(image, elf, source, &holes)
		                          : read_linked(image, elf, source, &holes);
	if (status == STATUS_OK)
		status = cut_patches(image, &holes, source);
	free(holes.items);
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

enum status elf_image_open_placed(const char *path, const struct elf_placement *placement,
                                  struct place place, struct diag_list *diags,
                                  struct elf_image **image)
{
	struct open_image *open = calloc(1, sizeof(*open));
	struct source source = {place, diags, *placement, open ? &open->arena : NULL};
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
	if (status == STATUS_OK && placement->section_count > 0 && !open->image.is_object)
		status = fail(&source, &open->image, STATUS_BAD_DATA,
		              "it is linked: sections lie in its segments; give FILE@ADDRESS");
	if (status == STATUS_OK && placement->load_address && !open->image.is_object)
		status = move_to(&open->image, *placement->load_address, &source);
	if (status == STATUS_OK)
		*image = &open->image;
	else
		elf_image_close(&open->image);
	return status;
}

enum status elf_image_open(const char *path, const uint64_t *load_address, struct place place,
                           struct diag_list *diags, struct elf_image **image)
{
	const struct elf_placement placement = {.load_address = load_address};

	return elf_image_open_placed(path, &placement, place, diags, image);
}

enum status elf_image_open_bytes(struct bytes file, struct str path, struct place place,
                                 struct diag_list *diags, struct elf_image **image)
{
	struct source source = {.place = place, .diags = diags};
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
	arena_fini(&open->arena);
	free(open->image.segments);
	free(open->image.notes);
	free(open);
}
