/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as .debug_info and .debug_abbrev: the first tells the byte order, two how many bytes of
 * what follows are abbreviations. Holds: nothing outside is read, it ends, and what is found of a
 * structure's members is the same when it is asked for alone.
 */
#include "fuzz.h"
#include "snapshot/type_layout/type_layout.h"

enum { WANTED = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char strings[] = "\0tk\0ls\0cm\0nx";
	static const uint8_t offsets[] = {0, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 7, 0, 0, 0};
	static const struct member_wanted wanted[WANTED] = {
	        {"tk", "cm"}, {"tk", "ls.nx"}, {"ls", "pv|nx"}, {"tk", ""}};
	struct bytes in = bytes_of(data, size);
	struct debug_sections sections = {
	        .strings = bytes_of(strings, sizeof(strings)),
	        .line_strings = bytes_of(strings, sizeof(strings)),
	        .string_offsets = bytes_of(offsets, sizeof(offsets)),
	        .is_big_endian = (fuzz_number(&in, 1) & 1) != 0,
	};
	size_t abbreviations = (size_t)fuzz_number(&in, 2);
	struct member_layout found[WANTED];

	if (abbreviations > bytes_left(&in))
		abbreviations = bytes_left(&in);
	sections.abbreviations = bytes_of(in.pos, abbreviations);
	if (bytes_skip(&in, abbreviations) != STATUS_OK)
		return 0;
	sections.info = bytes_of(in.pos, bytes_left(&in));
	if (type_layout_find(&sections, wanted, WANTED, found) != STATUS_OK)
		return 0;
	for (unsigned int i = 0; i < WANTED; i++) {
		struct member_layout alone;

		FUZZ_CHECK(type_layout_find(&sections, &wanted[i], 1, &alone) == STATUS_OK);
		FUZZ_CHECK(!found[i].is_found || alone.is_found);
	}
	return 0;
}
