/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sections by name; see elf_sections.h. libelf is given memory, not a descriptor, and so opens
 * nothing. It would decompress, too, but writes to the headers of the file when it does, which are
 * mapped read-only.
 */
#include "snapshot/line_table/elf_sections.h"

#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/vec.h"
#include "snapshot/elf_core/elf_module.h"

enum {
	PACKED_MOST = 1032, /* what zlib makes of a byte, at most */
	GNU_HEADER = 12,
};

struct elf_sections {
	Elf *elf;
	size_t names;
	bool is_big_endian;
	void **buffers; /* of what was compressed */
	size_t count;
	size_t capacity;
};

struct elf_sections *elf_sections_open(struct bytes file)
{
	struct elf_sections *sections = calloc(1, sizeof(*sections));
	const char *ident;
	char *data;

	if (!sections)
		return NULL;
	/* libelf wants a pointer that is not const; it does not write through it. */
	memcpy(&data, &file.pos, sizeof(data));
	if (elf_version(EV_CURRENT) != EV_NONE && bytes_left(&file) > 0)
		sections->elf = elf_memory(data, bytes_left(&file));
	ident = sections->elf ? elf_getident(sections->elf, NULL) : NULL;
	if (!ident || elf_kind(sections->elf) != ELF_K_ELF ||
	    elf_getshdrstrndx(sections->elf, &sections->names) != 0) {
		elf_sections_close(sections);
		return NULL;
	}
	sections->is_big_endian = ident[EI_DATA] == ELFDATA2MSB;
	return sections;
}

void elf_sections_close(struct elf_sections *sections)
{
	if (!sections)
		return;
	(void)elf_end(sections->elf);
	for (size_t i = 0; i < sections->count; i++)
		free(sections->buffers[i]);
	free(sections->buffers);
	free(sections);
}

bool elf_sections_are_big_endian(const struct elf_sections *sections)
{
	return sections->is_big_endian;
}

static struct bytes bytes_of_section(Elf_Scn *section)
{
	const Elf_Data *data = elf_rawdata(section, NULL);

	return data && data->d_buf ? bytes_of(data->d_buf, data->d_size) : bytes_of(NULL, 0);
}

/* What zlib packed, if it is of `size` bytes; else empty. */
static struct bytes decompress(struct elf_sections *sections, struct bytes packed, uint64_t size)
{
	const struct bytes nothing = bytes_of(NULL, 0);
	uLongf length = (uLongf)size;
	uint8_t *buffer;

	if (size == 0 || size / PACKED_MOST > bytes_left(&packed))
		return nothing;
	if (vec_reserve((void **)&sections->buffers, &sections->capacity, sections->count + 1,
	                sizeof(*sections->buffers)) != STATUS_OK)
		return nothing;
	buffer = malloc((size_t)size);
	if (!buffer)
		return nothing;
	sections->buffers[sections->count++] = buffer;
	if (uncompress(buffer, &length, packed.pos, (uLong)bytes_left(&packed)) != Z_OK ||
	    length != size)
		return nothing;
	return bytes_of(buffer, (size_t)size);
}

/* ".zdebug": "ZLIB", the size in 8 bytes, big endian, and what zlib made. */
static struct bytes read_gnu_compressed(struct elf_sections *sections, Elf_Scn *section)
{
	struct bytes b = bytes_of_section(section);
	uint64_t size = 0;

	if (bytes_left(&b) < GNU_HEADER || memcmp(b.pos, "ZLIB", 4) != 0)
		return bytes_of(NULL, 0);
	for (unsigned int i = 4; i < GNU_HEADER; i++)
		size = size << 8 | b.pos[i];
	return decompress(sections, bytes_of(b.pos + GNU_HEADER, bytes_left(&b) - GNU_HEADER),
	                  size);
}

/* gABI, "Section Compression". */
static struct bytes read_compressed(struct elf_sections *sections, Elf_Scn *section)
{
	struct bytes b = bytes_of_section(section);
	GElf_Chdr header;

	if (!gelf_getchdr(section, &header) || header.ch_type != ELFCOMPRESS_ZLIB ||
	    bytes_skip(&b, gelf_getclass(sections->elf) == ELFCLASS64
	                           ? sizeof(Elf64_Chdr)
	                           : sizeof(Elf32_Chdr)) != STATUS_OK)
		return bytes_of(NULL, 0);
	return decompress(sections, b, header.ch_size);
}

static struct bytes read_section(struct elf_sections *sections, Elf_Scn *section,
                                 const GElf_Shdr *header)
{
	if (header->sh_type == SHT_NOBITS)
		return bytes_of(NULL, 0);
	return (header->sh_flags & SHF_COMPRESSED) != 0 ? read_compressed(sections, section)
	                                                : bytes_of_section(section);
}

/* True if the section is called ".zREST" where `name` is ".REST". */
static bool is_gnu_compressed(const char *found, struct str name)
{
	return strncmp(found, ".z", 2) == 0 && str_eq(str_of(found + 2), str_skip(name, 1));
}

struct bytes elf_sections_get(struct elf_sections *sections, struct str name)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(sections->elf, section)) != NULL) {
		const char *found = NULL;

		if (gelf_getshdr(section, &header))
			found = elf_strptr(sections->elf, sections->names, header.sh_name);
		if (found && str_eq(str_of(found), name))
			return read_section(sections, section, &header);
		if (found && header.sh_type != SHT_NOBITS && is_gnu_compressed(found, name))
			return read_gnu_compressed(sections, section);
	}
	return bytes_of(NULL, 0);
}

struct str elf_sections_name(const struct elf_sections *sections, size_t number)
{
	Elf_Scn *section = elf_getscn(sections->elf, number);
	GElf_Shdr header;

	if (!section || !gelf_getshdr(section, &header))
		return str_of(NULL);
	return str_of(elf_strptr(sections->elf, sections->names, header.sh_name));
}

bool elf_sections_place(struct elf_sections *sections, struct str name, uint64_t *address,
                        uint64_t *size)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(sections->elf, section)) != NULL) {
		const char *found = NULL;

		if (gelf_getshdr(section, &header) && (header.sh_flags & SHF_ALLOC) != 0)
			found = elf_strptr(sections->elf, sections->names, header.sh_name);
		if (!found || !str_eq(str_of(found), name))
			continue;
		*address = header.sh_addr;
		*size = header.sh_size;
		return true;
	}
	return false;
}

bool elf_sections_has_memory(struct elf_sections *sections, struct str name)
{
	uint64_t address;
	uint64_t size;

	return elf_sections_place(sections, name, &address, &size);
}

struct bytes elf_sections_build_id(struct elf_sections *sections)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(sections->elf, section)) != NULL) {
		struct bytes id;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_NOTE)
			continue;
		id = elf_notes_build_id(read_section(sections, section, &header));
		if (bytes_left(&id) > 0)
			return id;
	}
	return bytes_of(NULL, 0);
}
