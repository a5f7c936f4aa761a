/* SPDX-License-Identifier: Apache-2.0 */
/* See fuzz_source.h. */
#include "fuzz_source.h"

#include <string.h>

#include "base/text.h"
#include "fuzz.h"
#include "fuzz_batches.h"

static const char *const register_names[][FUZZ_REGISTERS] = {
        [PROTOCOL_ETM3] = {"ETMCR", "ETMCCER", "ETMIDR", "ETMTRACEIDR"},
        [PROTOCOL_PTM] = {"ETMCR", "ETMCCER", "ETMIDR", "ETMTRACEIDR"},
        [PROTOCOL_ETM4] = {"TRCCONFIGR", "TRCTRACEIDR", "TRCIDR0", "TRCIDR1", "TRCIDR2", "TRCIDR8",
                           "TRCDEVARCH"},
        [PROTOCOL_ETE] = {"TRCCONFIGR", "TRCTRACEIDR", "TRCIDR0", "TRCIDR1", "TRCIDR2", "TRCIDR8",
                          "TRCDEVARCH"},
        [PROTOCOL_ITM] = {"CONTROL_REGISTER"},
        [PROTOCOL_STM] = {"STMTCSR"},
};

static void take_registers(struct fuzz_source *fuzz, enum protocol protocol, struct bytes *in)
{
	struct snap_device *device = &fuzz->device;

	device->registers = fuzz->registers;
	for (unsigned int i = 0; i < FUZZ_REGISTERS; i++) {
		const char *name = register_names[protocol][i];
		uint64_t value = fuzz_number(in, 4);

		if (!name)
			continue;
		for (unsigned int k = 0; k < 4; k++)
			fuzz->values[i][k] = (uint8_t)(value >> (8 * k));
		fuzz->registers[device->register_count++] = (struct snap_register){
		        .name = str_of(name), .bits = 32, .value = fuzz->values[i]};
	}
}

static void take_core(struct fuzz_source *fuzz, unsigned int kind)
{
	static const struct {
		enum core_arch arch;
		const char *type;
	} kinds[4] = {
	        {CORE_A64, "Cortex-A53"},
	        {CORE_A32, "Cortex-A15"},
	        {CORE_M, "Cortex-M4"},
	        {CORE_M, "Cortex-M33"},
	};

	fuzz->core_device = (struct snap_device){
	        .name = STR("cpu"), .class = DEVICE_CORE, .type = str_of(kinds[kind].type)};
	fuzz->core = (struct snap_core){.device = &fuzz->core_device, .arch = kinds[kind].arch};
}

static void take_packing(struct fuzz_source *fuzz, unsigned int packing)
{
	bool is_frames = packing != 0;

	fuzz->buffer.format = is_frames ? BUFFER_CORESIGHT : BUFFER_SOURCE_DATA;
	fuzz->options.tpiu = packing == 2;
	fuzz->options.tpiu_hsync = packing == 3 || packing == 5;
	fuzz->options.dstream = packing >= 4;
}

static void take_memory(struct fuzz_source *fuzz, struct bytes *in)
{
	uint64_t address = fuzz_number(in, 8);
	size_t size = (size_t)fuzz_number(in, 2);
	struct bytes memory;
	struct mem_region region;

	if (size > bytes_left(in))
		size = bytes_left(in);
	FUZZ_CHECK(bytes_take(in, size, &memory) == STATUS_OK);
	fuzz->core.memory = memmap_create();
	FUZZ_CHECK(fuzz->core.memory);
	region = (struct mem_region){
	        .address = address, .length = size, .space = SPACE_ANY, .data = memory.pos};
	/* An empty region, or one that wraps, is refused: there is no memory then. */
	(void)!memmap_add(fuzz->core.memory, &region);
	FUZZ_CHECK(memmap_freeze(fuzz->core.memory) == STATUS_OK);
}

void fuzz_source_init(struct fuzz_source *fuzz, enum protocol protocol, const uint8_t *data,
                      size_t size)
{
	struct bytes in = bytes_of(data, size);
	unsigned int options = (unsigned int)fuzz_number(&in, 1);
	unsigned int kinds = (unsigned int)fuzz_number(&in, 1);

	*fuzz = (struct fuzz_source){.compares = options & FUZZ_PACKETS,
	                             .options = {
	                                     .splits_sources = options & FUZZ_SPLITS_SOURCES,
	                                     .keeps_to_code = options & FUZZ_KEEPS_TO_CODE,
	                             }};
	if (protocol == PROTOCOL_ETM4 && options & FUZZ_ETE)
		protocol = PROTOCOL_ETE;
	fuzz->device = (struct snap_device){.name = STR("source"), .class = DEVICE_TRACE_SOURCE};
	take_registers(fuzz, protocol, &in);
	take_core(fuzz, kinds & 3);
	take_packing(fuzz, kinds >> 2 & 7);
	take_memory(fuzz, &in);
	fuzz->trace = bytes_of(in.pos, bytes_left(&in));
	fuzz->source = (struct snap_source){.device = &fuzz->device,
	                                    .protocol = protocol,
	                                    .core = options & FUZZ_NO_CORE ? NULL : &fuzz->core};
	fuzz->buffer.name = STR("buffer");
	fuzz->buffer.data = fuzz->trace;
}

void fuzz_source_fini(struct fuzz_source *fuzz)
{
	memmap_destroy(fuzz->core.memory);
}

static bool is_memory(const struct fuzz_source *fuzz, uint64_t address, uint64_t size)
{
	uint8_t seen[4096];

	while (size > 0) {
		size_t part = size < sizeof(seen) ? (size_t)size : sizeof(seen);

		if (memmap_read(fuzz->core.memory, SPACE_ANY, address, seen, part) != part)
			return false;
		address += part;
		size -= part;
	}
	return true;
}

static void check_range(const struct fuzz_source *fuzz, const struct element *element)
{
	uint64_t size = element->range.end - element->range.start;
	uint64_t count = element->range.count;
	bool is_t32 = element->isa == ISA_T32;

	/* The address space of an Arm core in AArch32 state ends at 4 GiB. */
	if (element->range.end < element->range.start)
		size = (uint32_t)size;
	FUZZ_CHECK(count > 0);
	FUZZ_CHECK(size >= count * (is_t32 ? 2 : 4) && size <= count * 4);
	FUZZ_CHECK(element->range.last_size == 4 || (is_t32 && element->range.last_size == 2));
	FUZZ_CHECK(fuzz->source.core);
	/* Up to a source address of an ETE nobody looks at what lies before the last one. */
	if (fuzz->source.protocol == PROTOCOL_ETE)
		FUZZ_CHECK(is_memory(fuzz, element->range.end - element->range.last_size,
		                     element->range.last_size));
	else
		FUZZ_CHECK(is_memory(fuzz, element->range.start, size));
}

/* What was seen of a decoder. Printing is what costs: of many elements, only some are printed. */
struct seen {
	bool in_json;     /* print so too */
	struct text text; /* of the last one printed */
	uint64_t hash;    /* of the elements that are no packets (FNV-1a) */
	uint64_t count;   /* of these */
	uint64_t packets;
};

static void mix(struct seen *seen, uint64_t value)
{
	seen->hash = (seen->hash ^ value) * UINT64_C(0x100000001b3);
}

static void print(struct seen *seen, const struct element *element)
{
	text_clear(&seen->text);
	if (seen->in_json)
		element_format_json(element, &seen->text);
	FUZZ_CHECK(text_status(&seen->text) == STATUS_OK);
	text_clear(&seen->text);
	element_format_text(element, &seen->text);
	FUZZ_CHECK(text_status(&seen->text) == STATUS_OK);
}

static bool is_to_print(uint64_t count)
{
	return count < 24 || count % 64 == 0;
}

static void see(struct seen *seen, const struct element *element)
{
	if (element->type == ELEMENT_PACKET) {
		if (is_to_print(seen->packets++))
			print(seen, element);
		return;
	}
	mix(seen, element->type);
	mix(seen, element->offset);
	if (element->type == ELEMENT_INSTR_RANGE)
		mix(seen, element->range.start ^ element->range.end << 1);
	if (!is_to_print(seen->count++))
		return;
	print(seen, element);
	for (size_t i = 0; i < seen->text.length; i++)
		mix(seen, (uint8_t)seen->text.data[i]);
}

/* One byte is at most 24 atoms, of a few elements each; a packet may speak of some before. */
static uint64_t most_elements(const struct fuzz_source *fuzz)
{
	return 1000 + 200 * (uint64_t)bytes_left(&fuzz->trace);
}

static void pull(const struct fuzz_source *fuzz, struct decoder *decoder, struct seen *seen)
{
	struct element element;
	uint64_t position = 0;
	uint64_t offset;
	bool is_ended = false;
	enum status status;

	while ((status = decoder_next(decoder, &element)) == STATUS_OK) {
		uint64_t before = position;
		uint64_t address;

		FUZZ_CHECK(!is_ended);
		is_ended = element.type == ELEMENT_EO_TRACE;
		position = decoder_position(decoder);
		FUZZ_CHECK(position >= before && position <= bytes_left(&fuzz->trace));
		(void)decoder_next_address(decoder, &address);
		if (element.type == ELEMENT_INSTR_RANGE)
			check_range(fuzz, &element);
		see(seen, &element);
		FUZZ_CHECK(seen->count <= most_elements(fuzz));
	}
	FUZZ_CHECK(status == STATUS_END);
	FUZZ_CHECK(is_ended || decoder_broken_at(decoder, &offset));
	FUZZ_CHECK(decoder_next(decoder, &element) == STATUS_END);
}

/* False if the input's registers are none that can be decoded. */
static bool decode(const struct fuzz_source *fuzz, bool packets, struct seen *seen)
{
	struct decoder_options options = fuzz->options;
	struct diag_list diags = {0};
	struct decoder *decoder;
	enum status status;

	options.packets = packets;
	seen->in_json = packets;
	seen->hash = UINT64_C(0xcbf29ce484222325);
	status = decoder_open(NULL, &fuzz->source, &fuzz->buffer, &options, &diags, &decoder);
	FUZZ_CHECK((status == STATUS_OK) == (diags.errors == 0));
	FUZZ_CHECK(status == STATUS_OK || !decoder);
	if (status == STATUS_OK)
		pull(fuzz, decoder, seen);
	decoder_destroy(decoder);
	diag_list_fini(&diags);
	return status == STATUS_OK;
}

void fuzz_decode(enum protocol protocol, const uint8_t *data, size_t size)
{
	struct fuzz_source fuzz;
	struct seen seen[2] = {0};

	fuzz_source_init(&fuzz, protocol, data, size);
	if (decode(&fuzz, false, &seen[0]) && fuzz.compares) {
		FUZZ_CHECK(decode(&fuzz, true, &seen[1]));
		FUZZ_CHECK(seen[0].count == seen[1].count);
		FUZZ_CHECK(seen[0].hash == seen[1].hash);
		fuzz_check_batches(&fuzz.source, &fuzz.buffer, &fuzz.options,
		                   &(struct batches_seen){0});
	}
	text_fini(&seen[0].text);
	text_fini(&seen[1].text);
	fuzz_source_fini(&fuzz);
}
