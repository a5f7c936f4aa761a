/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of code that is written over; see patch_table.h. */
#include "snapshot/elf_object/patch_table.h"

#include "snapshot/elf_object/relocate_rows.h"

enum {
	INSTRUCTION = 4,
	NOPS_MOST = 5, /* two before a function, a BTI, two after: DYNAMIC_FTRACE_WITH_CALL_OPS */
};

static const struct patch_table tables[] = {
#define X(section, bits, entry, relative, length)                                                  \
	{section, bits, entry, relative, PATCH_LENGTH_##length},
#include "snapshot/elf_object/patch_table.def"
#undef X
};

const struct patch_bounded patch_bounded[PATCH_BOUNDED] = {
        {"__jump_table", "__start___jump_table", "__stop___jump_table"},
        {"__mcount_loc", "__start_mcount_loc", "__stop_mcount_loc"},
};

const struct patch_table *patch_table_of(struct str section, bool is_64bit)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		if (tables[i].bits == (is_64bit ? 64 : 32) &&
		    str_eq(section, str_of(tables[i].section)))
			return &tables[i];
	}
	return NULL;
}

uint64_t patch_table_address(const struct patch_table *table, const uint8_t *entry, uint64_t place)
{
	uint64_t value = relocate_read(entry, table->is_relative ? 4 : table->bits / 8);

	if (value == 0 || !table->is_relative)
		return value;
	return place + (uint64_t)relocate_extend(value, 32);
}

/* A64: NOP, or BTI of any target. */
static bool is_nop(uint64_t opcode)
{
	return opcode == 0xd503201f || (opcode & 0xffffff3f) == 0xd503241f;
}

size_t patch_table_length(const struct patch_table *table, const uint8_t *entry,
                          const uint8_t *code, size_t size)
{
	size_t length = 0;

	if (table->length == PATCH_LENGTH_BYTE_10)
		return entry[10];
	while (table->length == PATCH_LENGTH_NOPS && length < (size_t)NOPS_MOST * INSTRUCTION &&
	       length + INSTRUCTION <= size && is_nop(relocate_read(code + length, INSTRUCTION)))
		length += INSTRUCTION;
	return length > 0 ? length : INSTRUCTION;
}
