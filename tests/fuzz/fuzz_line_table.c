/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as .debug_line; the first tells the byte order, the next 8 are an address that is
 * looked up. Holds: nothing outside is read, an answer has a name and a line, and is the same when
 * it is asked for again.
 */
#include <string.h>

#include "fuzz.h"
#include "snapshot/line_table/line_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char strings[] = "one.c\0two/three.h";
	struct bytes in = bytes_of(data, size);
	struct line_sections sections = {
	        .line_strings = bytes_of(strings, sizeof(strings)),
	        .strings = bytes_of(strings, sizeof(strings)),
	        .is_big_endian = (fuzz_number(&in, 1) & 1) != 0,
	};
	uint64_t address = fuzz_number(&in, 8);
	struct line_table *table;
	struct source_line first;
	struct source_line again;

	sections.lines = bytes_of(in.pos, bytes_left(&in));
	table = line_table_open(&sections);
	if (table && line_table_find(table, address, &first)) {
		FUZZ_CHECK(first.line > 0 && !strchr(first.file, '/'));
		FUZZ_CHECK(line_table_find(table, address, &again));
		FUZZ_CHECK(first.line == again.line && first.file == again.file);
	}
	line_table_close(table);
	return 0;
}
