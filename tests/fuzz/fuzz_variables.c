/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as debug sections: an address of code and the sizes of .debug_info, .debug_abbrev and
 * the lists of ranges; the rest are lists of locations, and what other sections have as well.
 * Registers, and memory at odd addresses, are known in part. Holds: nothing outside is read, it
 * ends, and what is said is the same when it is asked again.
 */
#include <string.h>

#include "fuzz.h"
#include "snapshot/variables/variables.h"

static void fill(struct variable_bytes *value, uint64_t seed)
{
	for (size_t i = 0; i < value->size; i++) {
		value->bytes[i] = (uint8_t)(seed + i);
		value->known[i] = (seed + i) % 3 != 0;
	}
}

static void read_register(void *context, uint64_t number, struct variable_bytes *value)
{
	(void)context;
	value->size = number < 32 ? 8 : number < 64 ? 0 : VARIABLE_REGISTER_BYTES;
	fill(value, number);
}

static void read_at_entry(void *context, uint64_t function, uint64_t number,
                          struct variable_bytes *value)
{
	read_register(context, function + number, value);
}

static void read_frame(void *context, struct variable_bytes *value)
{
	(void)context;
	value->size = 8;
	memset(value->bytes, 0x10, value->size);
	memset(value->known, true, value->size);
}

static void read_memory(void *context, uint64_t address, struct variable_bytes *value)
{
	(void)context;
	fill(value, address);
}

static struct bytes part(struct bytes *in, uint64_t size)
{
	struct bytes found = bytes_of(in->pos, bytes_left(in));

	if (size >= bytes_left(in)) {
		*in = bytes_of(in->end, 0);
		return found;
	}
	found = bytes_of(in->pos, (size_t)size);
	FUZZ_CHECK(bytes_skip(in, (size_t)size) == STATUS_OK);
	return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct variable_machine machine = {NULL, read_register, read_at_entry,
	                                                read_frame, read_memory};
	struct bytes in = bytes_of(data, size);
	struct variable_scope scope = {fuzz_number(&in, 4), false};
	uint64_t info = fuzz_number(&in, 2);
	uint64_t abbreviations = fuzz_number(&in, 2);
	uint64_t ranges = fuzz_number(&in, 2);
	struct variable_sections sections = {.bias = 0x1000};
	struct variables_found found;
	struct text once = {0};
	struct text again = {0};
	enum status status;

	sections.debug.info = part(&in, info);
	sections.debug.abbreviations = part(&in, abbreviations);
	sections.ranges = sections.range_lists = part(&in, ranges);
	sections.locations = sections.location_lists = in;
	sections.addresses = sections.debug.strings = sections.debug.line_strings = in;
	sections.debug.string_offsets = sections.ranges;
	status = variables_write(&sections, &scope, &machine, &once, &found);
	FUZZ_CHECK(variables_write(&sections, &scope, &machine, &again, &found) == status);
	FUZZ_CHECK(str_eq(text_str(&once), text_str(&again)));
	scope.is_caller = true;
	(void)!variables_write(&sections, &scope, &machine, &once, &found);
	text_fini(&once);
	text_fini(&again);
	return 0;
}
