/* SPDX-License-Identifier: Apache-2.0 */
/* Relocations of .debug_line; see object_lines.h. System V ABI, "Relocation", "Symbol Table". */
#include "snapshot/line_table/object_lines.h"

#include <stdlib.h>
#include <string.h>

#include "snapshot/elf_object/relocate.h"

enum { SYMBOL_SIZE = 24, SYMBOL_SECTION = 6, SYMBOL_VALUE = 8, ADDRESS_SIZE = 8 };

struct work {
	const uint64_t *addresses; /* of sections by number; 0: not placed */
	size_t count;
	struct bytes symbols;
	uint8_t *lines;
	size_t size;
};

/* An entry of SHT_RELA. */
static enum status read_relocation(struct bytes *b, uint64_t *offset, uint64_t *symbol,
                                   struct relocation *relocation)
{
	uint64_t info;
	uint64_t addend;

	TRY(bytes_le(b, 8, offset));
	TRY(bytes_le(b, 8, &info));
	TRY(bytes_le(b, 8, &addend));
	*symbol = info >> 32;
	*relocation = (struct relocation){.type = (uint32_t)info,
	                                  .is_64bit = true,
	                                  .has_addend = true,
	                                  .addend = (int64_t)addend};
	return STATUS_OK;
}

/* The address of a symbol; of one in a section without memory, such as .debug_str, its offset. */
static bool find_symbol(const struct work *w, uint64_t number, bool is_address, uint64_t *value)
{
	struct bytes b = w->symbols;
	struct bytes at_value;
	uint64_t section;

	if (number >= bytes_left(&b) / SYMBOL_SIZE ||
	    bytes_skip(&b, (size_t)number * SYMBOL_SIZE) != STATUS_OK)
		return false;
	at_value = b;
	if (bytes_skip(&b, SYMBOL_SECTION) != STATUS_OK || bytes_le(&b, 2, &section) != STATUS_OK ||
	    bytes_skip(&at_value, SYMBOL_VALUE) != STATUS_OK ||
	    bytes_le(&at_value, 8, value) != STATUS_OK || section == 0 || section >= w->count)
		return false;
	*value += w->addresses[section];
	return !is_address || w->addresses[section] != 0;
}

static enum status apply_all(const struct work *w, struct bytes relocations)
{
	while (bytes_left(&relocations) > 0) {
		struct relocation one;
		uint64_t offset;
		uint64_t symbol;
		size_t size;

		TRY(read_relocation(&relocations, &offset, &symbol, &one));
		size = relocation_size(one.is_64bit, one.type);
		if (offset > w->size || size > w->size - offset)
			return STATUS_BAD_DATA;
		one.place = offset;
		if (!find_symbol(w, symbol, size == ADDRESS_SIZE, &one.symbol) ||
		    relocate(&one, w->lines + offset) != STATUS_OK)
			memset(w->lines + offset, 0xff, size);
	}
	return STATUS_OK;
}

uint8_t *object_lines_make(struct elf_sections *sections, const uint64_t *addresses, size_t count,
                           size_t *size)
{
	struct bytes lines = elf_sections_get(sections, STR(".debug_line"));
	struct work w = {.addresses = addresses,
	                 .count = count,
	                 .symbols = elf_sections_get(sections, STR(".symtab")),
	                 .size = bytes_left(&lines)};

	if (w.size == 0)
		return NULL;
	w.lines = malloc(w.size);
	if (!w.lines)
		return NULL;
	memcpy(w.lines, lines.pos, w.size);
	if (apply_all(&w, elf_sections_get(sections, STR(".rela.debug_line"))) != STATUS_OK) {
		free(w.lines);
		return NULL;
	}
	*size = w.size;
	return w.lines;
}
