/* SPDX-License-Identifier: Apache-2.0 */
/* Modules of core files, read with the bounded cursor; see elf_module.h. */
#include "snapshot/elf_core/elf_module.h"

#include <string.h>

enum {
	PROGRAM_LOAD = 1,
	PROGRAM_NOTE = 4,
	NOTE_GNU_BUILD_ID = 3,
	CLASS = 4, /* EI_CLASS */
	CLASS_64 = 2,
};

/* Where the fields of the ELF header and of a program header are, and how wide addresses are. */
struct layout {
	uint8_t word;
	uint8_t table;      /* e_phoff */
	uint8_t entry_size; /* e_phentsize; e_phnum follows */
	uint8_t entry_least;
	uint8_t offset; /* p_offset */
	uint8_t address;
	uint8_t file_size;
	uint8_t memory_size;
};

static const struct layout layouts[2] = {{4, 28, 42, 32, 4, 8, 16, 20},
                                         {8, 32, 54, 56, 8, 16, 32, 40}};

struct program_header {
	uint64_t type;
	uint64_t offset;
	uint64_t address;
	uint64_t file_size;
	uint64_t memory_size;
};

static bool is_elf(const struct bytes *header)
{
	return bytes_left(header) >= 4 && memcmp(header->pos, "\177ELF", 4) == 0;
}

static enum status number_at(const struct bytes *header, uint64_t offset, unsigned int size,
                             uint64_t *value)
{
	struct bytes b = *header;

	if (offset > bytes_left(&b))
		return STATUS_TRUNCATED;
	TRY(bytes_skip(&b, (size_t)offset));
	return bytes_le(&b, size, value);
}

/* Where program header `index` is; END after the last. */
static enum status find_program_header(const struct bytes *header, const struct layout *layout,
                                       uint64_t index, uint64_t *at)
{
	uint64_t size;
	uint64_t count;

	TRY(number_at(header, layout->table, layout->word, at));
	TRY(number_at(header, layout->entry_size, 2, &size));
	TRY(number_at(header, layout->entry_size + 2U, 2, &count));
	if (index >= count || size < layout->entry_least)
		return STATUS_END;
	if (*at > bytes_left(header))
		return STATUS_TRUNCATED;
	*at += index * size;
	return STATUS_OK;
}

/* Program header `index`; END after the last, TRUNCATED where the page ends before it. */
static enum status read_program_header(const struct bytes *header, uint64_t index,
                                       struct program_header *p)
{
	const struct layout *layout;
	uint64_t at;

	if (!is_elf(header) || bytes_left(header) <= CLASS)
		return STATUS_END;
	layout = &layouts[header->pos[CLASS] == CLASS_64];
	TRY(find_program_header(header, layout, index, &at));
	TRY(number_at(header, at, 4, &p->type));
	TRY(number_at(header, at + layout->offset, layout->word, &p->offset));
	TRY(number_at(header, at + layout->address, layout->word, &p->address));
	TRY(number_at(header, at + layout->file_size, layout->word, &p->file_size));
	return number_at(header, at + layout->memory_size, layout->word, &p->memory_size);
}

/* Name and description end at a multiple of 4 (System V gABI, "Note Section"). */
static enum status take_part(struct bytes *notes, uint64_t size, struct bytes *part)
{
	struct bytes padding;

	TRY(bytes_take(notes, (size_t)size, part));
	return bytes_take(notes, (size_t)(-size & 3), &padding);
}

struct bytes elf_notes_build_id(struct bytes notes)
{
	uint64_t sizes[3]; /* of name and description, and the type */
	struct bytes name;
	struct bytes id;

	while (bytes_le(&notes, 4, &sizes[0]) == STATUS_OK &&
	       bytes_le(&notes, 4, &sizes[1]) == STATUS_OK &&
	       bytes_le(&notes, 4, &sizes[2]) == STATUS_OK &&
	       take_part(&notes, sizes[0], &name) == STATUS_OK &&
	       take_part(&notes, sizes[1], &id) == STATUS_OK) {
		if (sizes[2] == NOTE_GNU_BUILD_ID && bytes_left(&name) == sizeof("GNU") &&
		    memcmp(name.pos, "GNU", sizeof("GNU")) == 0)
			return id;
	}
	return bytes_of(NULL, 0);
}

/* The build ID in what is known of the file's first page. */
static struct bytes find_build_id(const struct bytes *header)
{
	struct program_header p;

	for (uint64_t i = 0; read_program_header(header, i, &p) == STATUS_OK; i++) {
		struct bytes notes = *header;
		struct bytes id;

		if (p.type != PROGRAM_NOTE || p.offset > bytes_left(&notes) ||
		    p.file_size > bytes_left(&notes) - p.offset)
			continue;
		id = elf_notes_build_id(
		        bytes_of(notes.pos + (size_t)p.offset, (size_t)p.file_size));
		if (bytes_left(&id) > 0)
			return id;
	}
	return bytes_of(NULL, 0);
}

/* How many bytes from its first on it takes in memory, as far as its program headers say. */
static uint64_t extent_of(const struct bytes *header)
{
	struct program_header p;
	uint64_t first = UINT64_MAX;
	uint64_t end = 0;

	for (uint64_t i = 0; read_program_header(header, i, &p) == STATUS_OK; i++) {
		if (p.type != PROGRAM_LOAD || p.address < p.offset)
			continue;
		if (p.address - p.offset < first)
			first = p.address - p.offset;
		if (p.address + p.memory_size > end)
			end = p.address + p.memory_size;
	}
	return end > first ? end - first : 0;
}

static struct bytes known_from(const struct elf_memory *memory, size_t count, uint64_t start,
                               uint64_t end)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t size = bytes_left(&memory[i].bytes);
		uint64_t ahead = start - memory[i].address;

		if (start < memory[i].address || ahead >= size)
			continue;
		size -= ahead;
		return bytes_of(memory[i].bytes.pos + (size_t)ahead,
		                (size_t)(end - start < size ? end - start : size));
	}
	return bytes_of(NULL, 0);
}

/* A file that was removed since has this after its name. */
static struct str name_of(struct str path)
{
	static const struct str deleted = {" (deleted)", sizeof(" (deleted)") - 1};

	if (path.n > deleted.n && str_has_suffix_nocase(path, deleted))
		path.n -= deleted.n;
	return path;
}

enum status elf_modules_find(const struct elf_core *core, const struct elf_memory *memory,
                             size_t memory_count, struct arena *arena, struct elf_module **modules,
                             size_t *module_count)
{
	struct elf_module *list = arena_alloc(arena, (core->mapping_count + 1) * sizeof(*list));
	uint64_t end = 0; /* of the last module: rows of it before are its own */
	size_t count = 0;

	if (!list)
		return STATUS_NO_MEM;
	for (size_t i = 0; i < core->mapping_count; i++) {
		const struct elf_mapping *row = &core->mappings[i];
		struct elf_module module = {.path = name_of(row->path), .address = row->start};

		if (row->offset != 0 || row->end <= row->start ||
		    (count > 0 && row->start < end && str_eq(module.path, list[count - 1].path)))
			continue;
		module.header = known_from(memory, memory_count, row->start, row->end);
		if (bytes_left(&module.header) > 0 && !is_elf(&module.header))
			continue;
		module.build_id = find_build_id(&module.header);
		end = row->start + extent_of(&module.header);
		list[count++] = module;
	}
	*modules = list;
	*module_count = count;
	return STATUS_OK;
}

bool elf_core_maps(const struct elf_core *core, struct str path, uint64_t address, uint64_t offset,
                   uint64_t size)
{
	for (size_t i = 0; i < core->mapping_count; i++) {
		const struct elf_mapping *row = &core->mappings[i];

		if (address >= row->start && address < row->end && size <= row->end - address &&
		    offset >= row->offset && offset - row->offset == address - row->start &&
		    str_eq(name_of(row->path), path))
			return true;
	}
	return false;
}
