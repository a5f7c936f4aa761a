/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a Linux kernel is that moved itself when it started (KASLR). In: vmlinux as it was linked,
 * the dumps and registers of the cores. Out: the image at the addresses where memory has it.
 *
 * Nothing moves that fits where it was linked, or of which the user says where it lies. Else an
 * offset is taken if its code is there, and either VBAR_EL1 of a core is that of its exception
 * vectors, or its banner is there and the words that the kernel relocated speak of the same place.
 * The latter, since a dump may show the kernel at a second address, too: Linux maps all memory
 * once more.
 */
#include <inttypes.h>
#include <string.h>

#include "snapshot/line_table/elf_sections.h"
#include "snapshot/load.h"

enum {
	ALIGNMENT = 64 * 1024, /* of every offset */
	PAGE = 4096,
	WORD = 4,
	WORDS_LEAST = PAGE / WORD, /* of code to compare */
	PERCENT_LEAST = 90,        /* of them equal: a kernel writes over some */
	BANNER_MOST = 512,
	SYMBOL_SIZE = 24,
	BINDING = 0xf0, /* of st_info */
	LOCAL = 0,
	RELOCATION_SIZE = 24,
	RELATIVE = 1027, /* R_AARCH64_RELATIVE: the word is where the addend was moved to */
	KERNEL_BIT = 55, /* of addresses that TTBR1 translates */
	MACHINE_A64 = 183,
};

enum kernel_symbol { STEXT, ETEXT, VECTORS, BANNER, KERNEL_SYMBOLS };

static const char *const symbol_names[KERNEL_SYMBOLS] = {
        [STEXT] = "_stext", [ETEXT] = "_etext", [VECTORS] = "vectors", [BANNER] = "linux_banner"};

struct kernel {
	const struct snapshot *snapshot;
	struct elf_image *image;
	struct memmap *memory; /* what the cores' dumps have */
	uint64_t symbols[KERNEL_SYMBOLS];
	struct bytes relocations;
	uint8_t banner[BANNER_MOST];
	size_t banner_size;
};

/* How much of two things is the same. */
struct agreement {
	uint64_t equal;
	uint64_t compared;
};

/* An offset that was proved, and how. */
struct finding {
	uint64_t offset;
	struct agreement code;
	const char *witness;
	size_t count; /* of offsets */
};

/* The symbols of vmlinux, where it was linked; false if one is not there. A local one is not it. */
static bool find_symbols(struct kernel *k, struct elf_sections *file)
{
	struct bytes table = elf_sections_get(file, STR(".symtab"));
	struct bytes names = elf_sections_get(file, STR(".strtab"));
	size_t found = 0;

	for (; bytes_left(&table) >= SYMBOL_SIZE && found < KERNEL_SYMBOLS;
	     table.pos += SYMBOL_SIZE) {
		struct bytes row = table;
		uint64_t name = 0;
		uint64_t kind = 0;
		uint64_t value = 0;
		const char *text;

		if (bytes_le(&row, 4, &name) != STATUS_OK ||
		    bytes_le(&row, 4, &kind) != STATUS_OK ||
		    bytes_le(&row, 8, &value) != STATUS_OK || name >= bytes_left(&names) ||
		    (kind & BINDING) == LOCAL)
			continue;
		text = (const char *)names.pos + name;
		for (size_t i = 0; i < KERNEL_SYMBOLS; i++) {
			size_t size = strlen(symbol_names[i]) + 1;

			if (k->symbols[i] != 0 || size > bytes_left(&names) - name ||
			    memcmp(text, symbol_names[i], size) != 0)
				continue;
			k->symbols[i] = value;
			found += value != 0;
		}
	}
	return found == KERNEL_SYMBOLS;
}

/* The banner in the image's file; false if it is not there. */
static bool find_banner(struct kernel *k)
{
	uint64_t address = k->symbols[BANNER];

	for (size_t i = 0; i < k->image->segment_count; i++) {
		const struct elf_segment *segment = &k->image->segments[i];
		uint64_t offset = address - segment->address;
		size_t most;

		if (address < segment->address || offset >= segment->file_size)
			continue;
		most = segment->file_size - offset < BANNER_MOST
		               ? (size_t)(segment->file_size - offset)
		               : BANNER_MOST;
		k->banner_size = strnlen((const char *)segment->data + offset, most);
		memcpy(k->banner, segment->data + offset, k->banner_size);
		return k->banner_size > 0 && k->banner_size < most;
	}
	return false;
}

/* A part of a segment against memory, page by page. */
static void compare_part(const struct kernel *k, const struct elf_segment *segment, uint64_t first,
                         uint64_t end, uint64_t offset, struct agreement *code)
{
	uint8_t there[PAGE];

	for (uint64_t at = first; at < end;) {
		uint64_t left = PAGE - at % PAGE < end - at ? PAGE - at % PAGE : end - at;
		size_t size = memmap_read(k->memory, SPACE_ANY, at + offset, there, (size_t)left);

		for (size_t i = 0; i + WORD <= size; i += WORD) {
			code->compared++;
			code->equal +=
			        memcmp(there + i, segment->data + (at - segment->address) + i,
			               WORD) == 0;
		}
		at += left;
	}
}

static struct agreement compare_code(const struct kernel *k, uint64_t offset)
{
	struct agreement code = {0, 0};

	for (size_t i = 0; i < k->image->segment_count; i++) {
		const struct elf_segment *segment = &k->image->segments[i];
		uint64_t first = segment->address;
		uint64_t end = first + segment->file_size;

		if (first < k->symbols[STEXT])
			first = k->symbols[STEXT];
		if (end > k->symbols[ETEXT])
			end = k->symbols[ETEXT];
		if (first < end)
			compare_part(k, segment, first, end, offset, &code);
	}
	return code;
}

/* The banner is there; `is_other`: something else is. */
static bool has_banner(const struct kernel *k, uint64_t offset, bool *is_other)
{
	uint8_t there[BANNER_MOST];
	size_t size = memmap_read(k->memory, SPACE_ANY, k->symbols[BANNER] + offset, there,
	                          k->banner_size + 1);

	*is_other = memcmp(there, k->banner, size < k->banner_size ? size : k->banner_size) != 0 ||
	            (size > k->banner_size && there[k->banner_size] != 0);
	return size > k->banner_size && !*is_other;
}

/* Most of the words that the kernel relocated are what they are if it was moved by the offset. */
static bool is_relocated(const struct kernel *k, uint64_t offset)
{
	struct agreement words = {0, 0};
	struct bytes table = k->relocations;

	while (bytes_left(&table) >= RELOCATION_SIZE) {
		uint64_t address = 0;
		uint64_t info = 0;
		uint64_t addend = 0;
		uint64_t there = 0;
		uint8_t bytes[sizeof(there)];
		struct bytes word = bytes_of(bytes, sizeof(bytes));

		if (bytes_le(&table, 8, &address) != STATUS_OK ||
		    bytes_le(&table, 8, &info) != STATUS_OK ||
		    bytes_le(&table, 8, &addend) != STATUS_OK || info != RELATIVE ||
		    memmap_read(k->memory, SPACE_ANY, address + offset, bytes, sizeof(bytes)) !=
		            sizeof(bytes) ||
		    bytes_le(&word, sizeof(bytes), &there) != STATUS_OK)
			continue;
		words.compared++;
		words.equal += there == addend + offset;
	}
	return words.equal > words.compared / 2;
}

static bool is_code_there(const struct kernel *k, uint64_t offset, struct agreement *code)
{
	*code = compare_code(k, offset);
	return code->compared >= WORDS_LEAST && code->equal * 100 > code->compared * PERCENT_LEAST;
}

/* Takes the offset if it is proved, by VBAR_EL1 or else by the banner. */
static void try_offset(const struct kernel *k, uint64_t offset, bool by_vectors,
                       struct finding *finding)
{
	bool is_other;
	bool is_banner = has_banner(k, offset, &is_other);
	struct agreement code;

	if (offset % ALIGNMENT != 0 || (finding->count > 0 && finding->offset == offset) ||
	    is_other || (!by_vectors && (!is_banner || !is_relocated(k, offset))) ||
	    !is_code_there(k, offset, &code))
		return;
	*finding = (struct finding){offset, code, by_vectors ? "VBAR_EL1" : symbol_names[BANNER],
	                            finding->count + 1};
}

static void try_vectors(const struct kernel *k, struct finding *finding)
{
	for (size_t i = 0; i < k->snapshot->core_count; i++) {
		const struct snap_register *vbar =
		        snap_device_register(k->snapshot->cores[i].device, STR("VBAR_EL1"));

		if (vbar)
			try_offset(k, snap_register_value(vbar) - k->symbols[VECTORS], true,
			           finding);
	}
}

/* Every place of a dump where the banner can be. */
static void try_dump(const struct kernel *k, const struct snap_dump *dump, struct finding *finding)
{
	uint64_t skip = (k->symbols[BANNER] - dump->address) % ALIGNMENT;

	for (; skip < dump->length; skip += ALIGNMENT)
		try_offset(k, dump->address + skip - k->symbols[BANNER], false, finding);
}

static void try_dumps(const struct kernel *k, struct finding *finding)
{
	for (size_t i = 0; i < k->snapshot->core_count; i++) {
		const struct snap_device *device = k->snapshot->cores[i].device;

		for (size_t j = 0; j < device->dump_count; j++)
			try_dump(k, &device->dumps[j], finding);
	}
}

/* All dumps of all cores that the kernel's states see. */
static enum status read_dumps(const struct snapshot *snapshot, struct memmap *memory)
{
	for (size_t i = 0; i < snapshot->core_count; i++) {
		const struct snap_device *device = snapshot->cores[i].device;

		for (size_t j = 0; j < device->dump_count; j++) {
			const struct snap_dump *dump = &device->dumps[j];
			const struct mem_region region = {.address = dump->address,
			                                  .length = dump->length,
			                                  .space = SPACE_ANY,
			                                  .data = dump->data,
			                                  .origin = dump->file};

			if (dump->length > 0 && space_meets(dump->space, SPACE_N))
				TRY(memmap_add(memory, &region));
		}
	}
	return memmap_freeze(memory);
}

static void say(struct loader *loader, const struct kernel *k, const struct finding *finding)
{
	bool is_down = finding->offset >> 63 != 0;

	diag_note(loader->diags, place_none(),
	          "ELF \"%.*s\": the kernel was moved by %s0x%" PRIx64
	          ": it is placed there (%" PRIu64 " of %" PRIu64
	          " words of code are in memory there, and %s agrees)",
	          STR_ARG(k->image->path), is_down ? "-" : "",
	          is_down ? -finding->offset : finding->offset, finding->code.equal,
	          finding->code.compared, finding->witness);
}

static void place(struct loader *loader, struct kernel *k)
{
	struct finding finding = {.count = 0};
	struct agreement code;

	if (is_code_there(k, 0, &code))
		return;
	try_vectors(k, &finding);
	if (finding.count == 0)
		try_dumps(k, &finding);
	if (finding.count > 1)
		diag_warning(loader->diags, place_none(),
		             "ELF \"%.*s\": memory has the kernel at several offsets, such as "
		             "0x%" PRIx64 ": it stays where it was linked; give FILE@ADDRESS",
		             STR_ARG(k->image->path), finding.offset);
	else if (finding.count == 1 && elf_image_move(k->image, finding.offset) == STATUS_OK)
		say(loader, k, &finding);
}

static bool may_be_kernel(const struct elf_image *image)
{
	return image->is_64bit && image->machine == MACHINE_A64 && !image->is_core &&
	       !image->is_object && !image->is_mapped && !image->is_logged &&
	       image->load_bias == 0 && image->segment_count > 0 &&
	       (image->segments[0].address >> KERNEL_BIT & 1) != 0;
}

static enum status place_kernel(struct loader *loader, struct elf_image *image)
{
	struct kernel k = {.snapshot = loader->snapshot, .image = image};
	struct elf_sections *file = elf_sections_open(image->file);
	enum status status = STATUS_OK;

	if (file && !elf_sections_are_big_endian(file) && find_symbols(&k, file) &&
	    find_banner(&k)) {
		k.relocations = elf_sections_get(file, STR(".rela.dyn"));
		k.memory = memmap_create();
		status = k.memory ? read_dumps(loader->snapshot, k.memory) : STATUS_NO_MEM;
		if (status == STATUS_OK)
			place(loader, &k);
	}
	memmap_destroy(k.memory);
	elf_sections_close(file);
	return status;
}

enum status load_kernel_offsets(struct loader *loader, const struct snapshot_options *options)
{
	for (size_t i = 0; i < options->image_count; i++) {
		struct elf_image *image = loader->snapshot->images[i];

		if (!options->images[i].has_load_address && may_be_kernel(image))
			TRY(place_kernel(loader, image));
	}
	return STATUS_OK;
}
