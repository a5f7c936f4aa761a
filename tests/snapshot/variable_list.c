/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variables at addresses of an ELF file: of each hexadecimal address of standard input the list of
 * snapshot/variables, in a machine in which register n is 0x100000 * (n + 1), the frame is at
 * 0x7000000, and a byte of memory is the low one of its address, or, of every 64th, not known.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "snapshot/line_table/elf_sections.h"
#include "snapshot/variables/variables.h"

enum { REGISTERS = 32, FRAME = 0x7000000, UNKNOWN = 63 };

static void set(struct variable_bytes *value, uint64_t number)
{
	value->size = sizeof(number);
	for (unsigned int i = 0; i < sizeof(number); i++) {
		value->bytes[i] = (uint8_t)(number >> 8 * i);
		value->known[i] = true;
	}
}

static void read_register(void *context, uint64_t number, struct variable_bytes *value)
{
	(void)context;
	if (number < REGISTERS)
		set(value, 0x100000 * (number + 1));
}

static void read_at_entry(void *context, uint64_t function, uint64_t number,
                          struct variable_bytes *value)
{
	(void)function;
	read_register(context, number, value);
}

static void read_frame(void *context, struct variable_bytes *value)
{
	(void)context;
	set(value, FRAME);
}

static void read_memory(void *context, uint64_t address, struct variable_bytes *value)
{
	(void)context;
	for (size_t i = 0; i < value->size; i++) {
		value->bytes[i] = (uint8_t)(address + i);
		value->known[i] = (address + i) % 64 != UNKNOWN;
	}
}

int main(int argc, char **argv)
{
	static const struct variable_machine machine = {NULL, read_register, read_at_entry,
	                                                read_frame, read_memory};
	struct diag_list diags = {0};
	struct file_map map = {0};
	struct variable_sections sections;
	struct variables_found found;
	struct elf_sections *file;
	struct text out = {0};
	char line[64];

	if (argc != 2 || file_map_open(argv[1], place_none(), &diags, &map) != STATUS_OK)
		return 1;
	file = elf_sections_open(file_map_bytes(&map));
	if (!file)
		return 1;
	sections = variables_sections(file, 0);
	while (fgets(line, sizeof(line), stdin)) {
		const struct variable_scope scope = {strtoull(line, NULL, 16), false};

		if (variables_write(&sections, &scope, &machine, &out, &found) != STATUS_OK)
			text_puts(&out, "none\n");
		text_puts(&out, "==\n");
	}
	text_char(&out, '\0');
	fputs(out.data, stdout);
	text_fini(&out);
	elf_sections_close(file);
	file_map_close(&map);
	diag_list_fini(&diags);
	return 0;
}
