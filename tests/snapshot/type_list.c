/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Offsets of members of an ELF file's structures: of each line "STRUCTURE PATH" (or "STRUCTURE")
 * of standard input its offset and size in decimal, or "?". All of them are looked for at once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "snapshot/line_table/elf_sections.h"
#include "snapshot/type_layout/type_layout.h"

enum { WANTED_MOST = 256, LINE_MOST = 200 };

static char lines[WANTED_MOST][LINE_MOST];

static size_t read_wanted(struct member_wanted *wanted)
{
	size_t count = 0;

	while (count < WANTED_MOST && fgets(lines[count], LINE_MOST, stdin)) {
		char *path = strchr(lines[count], ' ');

		lines[count][strcspn(lines[count], "\n")] = '\0';
		if (path)
			*path++ = '\0';
		wanted[count] = (struct member_wanted){lines[count], path ? path : ""};
		count++;
	}
	return count;
}

int main(int argc, char **argv)
{
	struct member_wanted wanted[WANTED_MOST];
	struct member_layout found[WANTED_MOST];
	struct diag_list diags = {0};
	struct file_map map = {0};
	struct elf_sections *file;
	struct debug_sections sections;
	size_t count = read_wanted(wanted);

	if (argc != 2 || file_map_open(argv[1], place_none(), &diags, &map) != STATUS_OK)
		return 1;
	file = elf_sections_open(file_map_bytes(&map));
	if (!file)
		return 1;
	sections = type_layout_sections(file);
	if (type_layout_find(&sections, wanted, count, found) != STATUS_OK)
		return 1;
	for (size_t i = 0; i < count; i++) {
		if (found[i].is_found)
			printf("%llu %llu\n", (unsigned long long)found[i].offset,
			       (unsigned long long)found[i].size);
		else
			printf("?\n");
	}
	elf_sections_close(file);
	file_map_close(&map);
	diag_list_fini(&diags);
	return 0;
}
