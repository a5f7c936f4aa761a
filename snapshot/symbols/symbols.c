/* SPDX-License-Identifier: Apache-2.0 */
/* Symbol tables of ELF images, read through a bounded cursor; see symbols.h. */
#include "snapshot/symbols/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* Of the System V ABI, and of e_machine. */
enum {
	SECTION_SYMBOLS = 2,
	SECTION_DYNAMIC_SYMBOLS = 11,
	SECTION_ALLOCATED = 2,
	SECTION_EXECUTABLE = 4,
	SYMBOL_NOTYPE = 0,
	SYMBOL_OBJECT = 1,
	SYMBOL_FUNCTION = 2,
	SYMBOL_IFUNC = 10,
	MACHINE_ARM = 40,
	LITTLE_ENDIAN_FILE = 1,
};

/* One function of an image. */
struct entry {
	uint64_t start;
	uint64_t end;   /* its start where it has no size yet */
	uint64_t limit; /* then the end of its section, UINT64_MAX where that is not known */
	struct str name;
	uint8_t rank; /* of two at one address the lower is better */
};

struct symbol_table {
	const struct elf_image *image;
	struct entry *entries;
	size_t count;
	size_t capacity;
};

/* Objects of a name. */
struct object_search {
	struct str name;
	uint64_t address;
	uint64_t size;
	size_t count;
	bool is_global;
};

struct symbols {
	size_t count;
	struct symbol_table tables[];
};

/* A section header, as far as it is needed. */
struct section {
	uint64_t type;
	uint64_t flags;
	uint64_t address;
	uint64_t offset;
	uint64_t size;
	uint64_t link;
	uint64_t item_size;
};

/* The file's table of sections. */
struct sections {
	struct bytes file;
	bool is_64bit;
	uint64_t offset;
	uint64_t count;
};

enum { HEADER_64 = 64, HEADER_32 = 40 };

/* A number at an offset of the file. */
static enum status number_at(const struct bytes *file, uint64_t offset, unsigned int size,
                             uint64_t *value)
{
	struct bytes at = *file;

	if (offset > SIZE_MAX)
		return STATUS_TRUNCATED;
	TRY(bytes_seek(&at, (size_t)offset));
	return bytes_le(&at, size, value);
}

static enum status find_sections(const struct elf_image *image, struct sections *sections)
{
	bool wide = image->is_64bit;
	uint64_t order;

	*sections = (struct sections){.file = image->file, .is_64bit = wide};
	TRY(number_at(&sections->file, 5, 1, &order));
	if (order != LITTLE_ENDIAN_FILE)
		return STATUS_UNSUPPORTED;
	TRY(number_at(&sections->file, wide ? 0x28 : 0x20, wide ? 8 : 4, &sections->offset));
	return number_at(&sections->file, wide ? 0x3c : 0x30, 2, &sections->count);
}

static enum status read_section(const struct sections *s, uint64_t index, struct section *section)
{
	unsigned int word = s->is_64bit ? 8 : 4;
	uint64_t at = s->offset + index * (s->is_64bit ? HEADER_64 : HEADER_32);

	if (index >= s->count)
		return STATUS_NOT_FOUND;
	TRY(number_at(&s->file, at + 4, 4, &section->type));
	TRY(number_at(&s->file, at + 8, word, &section->flags));
	TRY(number_at(&s->file, at + 8 + word, word, &section->address));
	at += 8 + 2 * (uint64_t)word;
	TRY(number_at(&s->file, at, word, &section->offset));
	TRY(number_at(&s->file, at + word, word, &section->size));
	TRY(number_at(&s->file, at + 2 * (uint64_t)word, 4, &section->link));
	return number_at(&s->file, at + 2 * (uint64_t)word + 8 + word, word, &section->item_size);
}

/* The NUL-terminated name at `offset` of a table of strings; empty if it is not there. */
static struct str name_at(const struct sections *s, const struct section *strings, uint64_t offset)
{
	struct bytes at = s->file;
	const uint8_t *end;

	if (offset >= strings->size || strings->offset > bytes_left(&at) ||
	    strings->size > bytes_left(&at) - strings->offset ||
	    bytes_seek(&at, (size_t)(strings->offset + offset)) != STATUS_OK)
		return (struct str){"", 0};
	end = memchr(at.pos, 0, (size_t)(strings->size - offset));
	if (!end)
		return (struct str){"", 0};
	return (struct str){(const char *)at.pos, (size_t)(end - at.pos)};
}

/* A symbol as the file has it. */
struct raw_symbol {
	uint64_t name;
	uint64_t info;
	uint64_t section;
	uint64_t value;
	uint64_t size;
};

static enum status read_symbol_64(const struct bytes *file, uint64_t at, struct raw_symbol *symbol)
{
	TRY(number_at(file, at, 4, &symbol->name));
	TRY(number_at(file, at + 4, 1, &symbol->info));
	TRY(number_at(file, at + 6, 2, &symbol->section));
	TRY(number_at(file, at + 8, 8, &symbol->value));
	return number_at(file, at + 16, 8, &symbol->size);
}

static enum status read_symbol_32(const struct bytes *file, uint64_t at, struct raw_symbol *symbol)
{
	TRY(number_at(file, at, 4, &symbol->name));
	TRY(number_at(file, at + 4, 4, &symbol->value));
	TRY(number_at(file, at + 8, 4, &symbol->size));
	TRY(number_at(file, at + 12, 1, &symbol->info));
	return number_at(file, at + 14, 2, &symbol->section);
}

static enum status read_symbol(const struct sections *s, uint64_t at, struct raw_symbol *symbol)
{
	return s->is_64bit ? read_symbol_64(&s->file, at, symbol)
	                   : read_symbol_32(&s->file, at, symbol);
}

/* It names code: a function, or an entry of assembler code. */
static bool is_function(const struct sections *s, const struct raw_symbol *symbol, struct str name)
{
	unsigned int type = symbol->info & 15;
	struct section section;

	if (symbol->section == 0 || name.n == 0 || name.p[0] == '$')
		return false;
	if (type == SYMBOL_FUNCTION || type == SYMBOL_IFUNC)
		return true;
	return type == SYMBOL_NOTYPE && read_section(s, symbol->section, &section) == STATUS_OK &&
	       (section.flags & SECTION_EXECUTABLE) != 0;
}

/* It names data. Of a local variable in .bss gcc for bare-metal Arm says the size and no type. */
static bool is_object(const struct sections *s, const struct raw_symbol *symbol)
{
	unsigned int type = symbol->info & 15;
	struct section section;

	if (symbol->section == 0)
		return false;
	if (type == SYMBOL_OBJECT)
		return true;
	return type == SYMBOL_NOTYPE && symbol->size > 0 &&
	       read_section(s, symbol->section, &section) == STATUS_OK &&
	       (section.flags & (SECTION_ALLOCATED | SECTION_EXECUTABLE)) == SECTION_ALLOCATED;
}

/* Where a symbol is; false if its section is not placed. */
static bool find_address(const struct elf_image *image, const struct raw_symbol *symbol,
                         uint64_t *address)
{
	*address = symbol->value + image->load_bias;
	if (!image->is_object)
		return true;
	if (symbol->section >= image->section_count ||
	    image->section_addresses[symbol->section] == 0)
		return false;
	*address += image->section_addresses[symbol->section];
	return true;
}

/* Where the section ends that a symbol at `start` is in. */
static uint64_t find_limit(const struct elf_image *image, const struct sections *s,
                           const struct raw_symbol *symbol, uint64_t start)
{
	struct section section;
	uint64_t begin;

	if (read_section(s, symbol->section, &section) != STATUS_OK)
		return UINT64_MAX;
	begin = image->is_object ? image->section_addresses[symbol->section]
	                         : section.address + image->load_bias;
	return start - begin < section.size && section.size < UINT64_MAX - begin
	               ? begin + section.size
	               : UINT64_MAX;
}

static enum status add_symbol(struct symbol_table *table, const struct sections *s,
                              const struct section *strings, const struct raw_symbol *symbol)
{
	struct str name = name_at(s, strings, symbol->name);
	unsigned int type = symbol->info & 15;
	uint64_t start;
	uint64_t end;
	bool is_local = symbol->info >> 4 == 0;

	if (!is_function(s, symbol, name) || !find_address(table->image, symbol, &start))
		return STATUS_OK;
	/* Bit 0 of a function of T32 is no part of its address. */
	if (table->image->machine == MACHINE_ARM && type != SYMBOL_NOTYPE)
		start &= ~UINT64_C(1);
	TRY(vec_reserve((void **)&table->entries, &table->capacity, table->count + 1,
	                sizeof(*table->entries)));
	end = start;
	if (symbol->size < UINT64_MAX - start)
		end = start + symbol->size;
	table->entries[table->count++] = (struct entry){
	        .start = start,
	        .end = end,
	        .limit = end == start ? find_limit(table->image, s, symbol, start) : 0,
	        .name = name,
	        .rank = (uint8_t)((type == SYMBOL_NOTYPE ? 2 : 0) + (is_local ? 1 : 0)),
	};
	return STATUS_OK;
}

static enum status read_table(struct symbol_table *table, const struct sections *s,
                              const struct section *section)
{
	uint64_t size = s->is_64bit ? 24 : 16;
	struct section strings;

	if (read_section(s, section->link, &strings) != STATUS_OK)
		return STATUS_OK;
	for (uint64_t i = 0; i < section->size / size; i++) {
		struct raw_symbol symbol;

		if (read_symbol(s, section->offset + i * size, &symbol) != STATUS_OK)
			break;
		TRY(add_symbol(table, s, &strings, &symbol));
	}
	return STATUS_OK;
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a;
	const struct entry *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if ((x->end == x->start) != (y->end == y->start))
		return x->end == x->start ? 1 : -1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->name.p < y->name.p ? -1 : x->name.p > y->name.p;
}

/* A function without a size reaches to what comes after it, or to the end of its section. */
static void end_before(struct entry *entry, uint64_t next)
{
	if (entry->end == entry->start)
		entry->end = next < entry->limit ? next : entry->limit;
}

/* One entry an address, none inside another, and an end for each. */
static void tidy(struct symbol_table *table)
{
	size_t kept = 0;

	if (table->count > 0)
		qsort(table->entries, table->count, sizeof(*table->entries), compare_entries);
	for (size_t i = 0; i < table->count; i++) {
		struct entry entry = table->entries[i];
		struct entry *before = kept > 0 ? &table->entries[kept - 1] : NULL;

		if (before && (entry.start == before->start ||
		               (entry.start < before->end && entry.end <= before->end)))
			continue;
		if (before)
			end_before(before, entry.start);
		table->entries[kept++] = entry;
	}
	/* The last one reaches no further than its segment. */
	for (size_t i = 0; kept > 0 && i < table->image->segment_count; i++) {
		const struct elf_segment *segment = &table->image->segments[i];
		struct entry *last = &table->entries[kept - 1];

		if (last->start - segment->address < segment->memory_size)
			end_before(last, segment->address + segment->memory_size);
	}
	table->count = kept;
}

static enum status open_table(struct symbol_table *table, const struct elf_image *image)
{
	struct sections sections;

	table->image = image;
	if (image->is_core || find_sections(image, &sections) != STATUS_OK)
		return STATUS_OK;
	for (unsigned int type = SECTION_SYMBOLS;; type = SECTION_DYNAMIC_SYMBOLS) {
		struct section section;

		for (uint64_t i = 0; read_section(&sections, i, &section) == STATUS_OK; i++) {
			if (section.type == type)
				TRY(read_table(table, &sections, &section));
		}
		if (type == SECTION_DYNAMIC_SYMBOLS)
			break;
	}
	tidy(table);
	return STATUS_OK;
}

enum status symbols_open(struct elf_image *const *images, size_t count, struct symbols **symbols)
{
	struct symbols *opened = calloc(1, sizeof(*opened) + count * sizeof(opened->tables[0]));

	if (!opened)
		return STATUS_NO_MEM;
	opened->count = count;
	for (size_t i = 0; i < count; i++) {
		enum status status = open_table(&opened->tables[i], images[i]);

		if (status != STATUS_OK) {
			symbols_close(opened);
			return status;
		}
	}
	*symbols = opened;
	return STATUS_OK;
}

void symbols_close(struct symbols *symbols)
{
	for (size_t i = 0; symbols && i < symbols->count; i++)
		free(symbols->tables[i].entries);
	free(symbols);
}

/* The image's last entry at or before the address that has it. */
static const struct entry *find_entry(const struct symbol_table *table, uint64_t address)
{
	size_t low = 0;
	size_t high = table->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->entries[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && address < table->entries[low - 1].end ? &table->entries[low - 1] : NULL;
}

static bool is_seen_by_all(const struct elf_image *image)
{
	return image->space == SPACE_ANY && !image->context.has_id && !image->context.has_vmid &&
	       !image->is_logged;
}

bool symbols_find(const struct symbols *symbols, uint64_t address, struct function_symbol *found)
{
	const struct symbol_table *table = NULL;
	const struct entry *entry = NULL;

	for (size_t i = 0; symbols && i < symbols->count; i++) {
		const struct entry *other = find_entry(&symbols->tables[i], address);

		if (!other)
			continue;
		if (entry &&
		    !(is_seen_by_all(table->image) && is_seen_by_all(symbols->tables[i].image)))
			return false;
		if (!entry) {
			entry = other;
			table = &symbols->tables[i];
		}
	}
	if (!entry)
		return false;
	*found = (struct function_symbol){entry->start, entry->end,
	                                  (uint64_t)(table - symbols->tables), entry->name};
	return true;
}

static void take_object(void *context, struct str name, uint64_t address,
                        const struct raw_symbol *symbol)
{
	struct object_search *search = context;
	bool is_global = symbol->info >> 4 != 0;

	if (!str_eq(name, search->name))
		return;
	/* The table of dynamic symbols has some of the other one again. */
	if (search->count > 0 && (search->address == address || (search->is_global && !is_global)))
		return;
	search->count = is_global && !search->is_global ? 1 : search->count + 1;
	search->is_global = is_global;
	search->address = address;
	search->size = symbol->size;
}

/* Told of an object symbol, and where it is. */
typedef void object_visit(void *context, struct str name, uint64_t address,
                          const struct raw_symbol *symbol);

static void visit_table(const struct elf_image *image, const struct sections *s,
                        const struct section *section, object_visit *visit, void *context)
{
	uint64_t size = s->is_64bit ? 24 : 16;
	struct section strings;

	if (read_section(s, section->link, &strings) != STATUS_OK)
		return;
	for (uint64_t i = 0; i < section->size / size; i++) {
		struct raw_symbol symbol;
		uint64_t address;

		if (read_symbol(s, section->offset + i * size, &symbol) != STATUS_OK)
			return;
		if (is_object(s, &symbol) && find_address(image, &symbol, &address))
			visit(context, name_at(s, &strings, symbol.name), address, &symbol);
	}
}

static void visit_objects(const struct symbols *symbols, object_visit *visit, void *context)
{
	for (size_t i = 0; symbols && i < symbols->count; i++) {
		const struct elf_image *image = symbols->tables[i].image;
		struct sections sections;
		struct section section;

		if (image->is_core || find_sections(image, &sections) != STATUS_OK)
			continue;
		for (uint64_t k = 0; read_section(&sections, k, &section) == STATUS_OK; k++) {
			if (section.type == SECTION_SYMBOLS ||
			    section.type == SECTION_DYNAMIC_SYMBOLS)
				visit_table(image, &sections, &section, visit, context);
		}
	}
}

size_t symbols_find_object(const struct symbols *symbols, struct str name, uint64_t *address,
                           uint64_t *size)
{
	struct object_search search = {.name = name};

	visit_objects(symbols, take_object, &search);
	*address = search.address;
	*size = search.size;
	return search.count;
}

/* The object that an address is in. */
struct place_search {
	uint64_t address;
	struct str name;
	uint64_t offset;
	bool is_found;
};

static void take_place(void *context, struct str name, uint64_t address,
                       const struct raw_symbol *symbol)
{
	struct place_search *search = context;

	if (search->is_found || name.n == 0 || search->address - address >= symbol->size)
		return;
	search->is_found = true;
	search->name = name;
	search->offset = search->address - address;
}

bool symbols_format_object(const struct symbols *symbols, uint64_t address, struct text *out)
{
	struct place_search search = {.address = address};

	visit_objects(symbols, take_place, &search);
	if (!search.is_found)
		return false;
	text_add(out, search.name);
	if (search.offset > 0)
		text_printf(out, "+0x%llx", (unsigned long long)search.offset);
	return true;
}

/* Objects whose names begin so, for symbols_visit(). */
struct prefix_search {
	struct str prefix;
	symbols_name *visit;
	void *context;
};

static void take_name(void *context, struct str name, uint64_t address,
                      const struct raw_symbol *symbol)
{
	const struct prefix_search *search = context;

	(void)symbol;
	if (name.n > 0 && str_has_prefix(name, search->prefix))
		search->visit(search->context, name, address, false);
}

void symbols_visit(const struct symbols *symbols, struct str prefix, symbols_name *visit,
                   void *context)
{
	struct prefix_search search = {prefix, visit, context};

	for (size_t i = 0; symbols && i < symbols->count; i++) {
		for (size_t k = 0; k < symbols->tables[i].count; k++) {
			const struct entry *entry = &symbols->tables[i].entries[k];

			if (str_has_prefix(entry->name, prefix))
				visit(context, entry->name, entry->start, true);
		}
	}
	visit_objects(symbols, take_name, &search);
}

void symbols_format(const struct symbols *symbols, uint64_t address, struct text *out)
{
	struct function_symbol found;

	if (!symbols_find(symbols, address, &found)) {
		text_printf(out, "0x%llx", (unsigned long long)address);
		return;
	}
	text_add(out, found.name);
	if (address != found.start)
		text_printf(out, "+0x%llx", (unsigned long long)(address - found.start));
}
