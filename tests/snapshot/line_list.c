/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines of addresses, for line_table.py: `line_list ELF`, addresses in hex on standard input,
 * a line each; "FILE:LINE" or "?" for each on standard output.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/file.h"
#include "snapshot/line_table/elf_sections.h"
#include "snapshot/line_table/line_table.h"

static struct line_table *open_table(struct elf_sections *sections)
{
	const struct line_sections lines = {
	        .lines = elf_sections_get(sections, STR(".debug_line")),
	        .line_strings = elf_sections_get(sections, STR(".debug_line_str")),
	        .strings = elf_sections_get(sections, STR(".debug_str")),
	        .is_big_endian = elf_sections_are_big_endian(sections),
	};

	return line_table_open(&lines);
}

int main(int argc, char **argv)
{
	struct diag_list diags = {0};
	struct elf_sections *sections;
	struct line_table *table;
	struct source_line line;
	struct file_map map;
	uint64_t address;

	if (argc != 2 || file_map_open(argv[1], place_none(), &diags, &map) != STATUS_OK)
		return 1;
	sections = elf_sections_open(file_map_bytes(&map));
	table = sections ? open_table(sections) : NULL;
	while (scanf("%" SCNx64, &address) == 1) {
		if (table && line_table_find(table, address, &line))
			printf("%s:%d\n", line.file, line.line);
		else
			printf("?\n");
	}
	line_table_close(table);
	elf_sections_close(sections);
	file_map_close(&map);
	diag_list_fini(&diags);
	return 0;
}
