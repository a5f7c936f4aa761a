/* SPDX-License-Identifier: Apache-2.0 */
/* A module's file and the kernel's list of modules; see module_image.h. */
#include "snapshot/linux_kernel/module_image.h"

#include <string.h>

#include "base/file.h"
#include "snapshot/line_table/elf_sections.h"
#include "snapshot/linux_kernel/layout.h"

enum { SECTIONS_MOST = 256 };

struct search {
	struct str path; /* of the module's file, for messages */
	struct arena *arena;
	struct diag_list *diags;
	struct elf_sections *file;
	struct bytes symbols; /* of the file */
	struct bytes names;
	struct symbol_form form;
	struct str name; /* the module's, as the kernel calls it */
	struct linux_module module;
	bool is_found;
	struct image_option *image;
	bool has_failed; /* without memory */
	bool is_contradicted;
	size_t next; /* symbol of the file, from which on the next one of memory is looked for */
	uint64_t bases[SECTIONS_MOST]; /* of sections by number; 0: not known */
};

/* What a core dumped, as it was at the halt: not what images were loaded with. */
static size_t read_memory(void *context, uint64_t address, void *out, size_t size)
{
	const struct memmap *memory = context;
	size_t done = 0;

	while (done < size && address + done >= address) {
		struct mem_span span;
		size_t count;

		if (memmap_find(memory, SPACE_ANY, address + done, &span) != STATUS_OK ||
		    span.region->is_initial)
			break;
		count = bytes_left(&span.bytes) < size - done ? bytes_left(&span.bytes)
		                                              : size - done;
		memcpy((uint8_t *)out + done, span.bytes.pos, count);
		done += count;
	}
	return done;
}

/* The value of a key of .modinfo, "key=value" with a NUL after each. */
static struct str find_info(struct bytes info, struct str key)
{
	while (bytes_left(&info) > 0) {
		const char *text = (const char *)info.pos;
		struct str row = {text, strnlen(text, bytes_left(&info))};

		if (str_has_prefix(row, key))
			return str_skip(row, key.n);
		info.pos += row.n < bytes_left(&info) ? row.n + 1 : row.n;
	}
	return (struct str){"", 0};
}

static void take_module(void *context, const struct linux_module *module)
{
	struct search *s = context;

	if (!s->is_found && str_eq(str_of(module->name), s->name)) {
		s->module = *module;
		s->is_found = true;
	}
}

/* Those that the file has: a kernel adds some, for its own jumps. */
static void take_section(void *context, struct str name, uint64_t address)
{
	struct search *s = context;
	struct elf_section_address section = {.address = address};

	if (s->image->section_count == SECTIONS_MOST || !elf_sections_has_memory(s->file, name))
		return;
	section.name = arena_str(s->arena, name);
	s->has_failed |= section.name.p == NULL;
	s->image->sections[s->image->section_count++] = section;
}

static bool number_at(const struct search *s, uint64_t at, unsigned int size, uint64_t *value)
{
	struct bytes in = s->symbols;

	return bytes_skip(&in, (size_t)at) == STATUS_OK && bytes_le(&in, size, value) == STATUS_OK;
}

/* Symbol `number` of the file, as linux_symbol has it; false after the last one. */
static bool read_symbol(const struct search *s, size_t number, struct linux_symbol *symbol)
{
	uint64_t at = number * s->form.size;
	struct bytes names = s->names;
	uint64_t name;
	uint64_t section;

	if (number >= bytes_left(&s->symbols) / s->form.size ||
	    !number_at(s, at, SYMBOL_NAME, &name) ||
	    !number_at(s, at + s->form.section_at, SYMBOL_SECTION, &section) ||
	    !number_at(s, at + s->form.address_at, s->form.number, &symbol->address) ||
	    !number_at(s, at + s->form.size_at, s->form.number, &symbol->size))
		return false;
	symbol->section = (uint32_t)section;
	symbol->name = str_of(NULL);
	if (name < bytes_left(&names) && bytes_skip(&names, (size_t)name) == STATUS_OK)
		symbol->name = (struct str){
		        (const char *)names.pos,
		        strnlen((const char *)names.pos, bytes_left(&names) < OS_NAME_MOST - 1
		                                                 ? bytes_left(&names)
		                                                 : OS_NAME_MOST - 1)};
	return true;
}

/*
 * The kernel keeps symbols in the order of the file, with their sections' numbers; what it adds is
 * where the section lies. Mapping symbols ($x, $d) have many of one name.
 */
static void take_symbol(void *context, const struct linux_symbol *kept)
{
	struct search *s = context;
	struct linux_symbol own;

	if (s->is_contradicted || kept->section == 0 || kept->section >= SECTIONS_MOST ||
	    kept->name.n == 0 || kept->name.p[0] == '$')
		return;
	for (size_t i = s->next; read_symbol(s, i, &own); i++) {
		uint64_t base = kept->address - own.address;

		if (own.section != kept->section || own.size != kept->size ||
		    !str_eq(own.name, kept->name))
			continue;
		s->next = i + 1;
		s->is_contradicted |= s->bases[own.section] != 0 && s->bases[own.section] != base;
		s->bases[own.section] = base;
		return;
	}
	s->is_contradicted = true;
}

static enum status fail(const struct search *s, enum status status, const char *why)
{
	return diag_error(s->diags, status, place_none(), "--module \"%.*s\": %s", STR_ARG(s->path),
	                  why);
}

static enum status fail_lost(const struct search *s, enum status status, const char *what,
                             uint64_t lost)
{
	struct text why = {0};

	text_printf(&why, "%s: ", what);
	linux_say_lost(status, lost, &why);
	status = text_status(&why) == STATUS_OK ? fail(s, status, text_str(&why).p) : STATUS_NO_MEM;
	text_fini(&why);
	return status;
}

/* Where memory lacks sect_attrs: by the symbols in the module's own memory. */
static enum status place_by_symbols(struct search *s, const struct linux_kernel *kernel,
                                    const struct os_memory *memory, uint64_t *lost)
{
	s->image->section_count = 0;
	TRY(linux_module_symbols(kernel, memory, &s->module, take_symbol, s, lost));
	for (size_t i = 1; i < SECTIONS_MOST; i++) {
		if (s->bases[i] != 0)
			take_section(s, elf_sections_name(s->file, i), s->bases[i]);
	}
	return STATUS_OK;
}

static enum status place(struct search *s, const struct linux_kernel *kernel,
                         const struct os_memory *memory)
{
	uint64_t lost = 0;
	enum status status = linux_modules(kernel, memory, take_module, s, &lost);

	if (!s->is_found && status != STATUS_OK)
		return fail_lost(s, status, "the kernel's list of modules", lost);
	if (!s->is_found)
		return diag_error(s->diags, STATUS_NOT_FOUND, place_none(),
		                  "--module \"%.*s\": the kernel had no module \"%.*s\" loaded",
		                  STR_ARG(s->path), STR_ARG(s->name));
	status = linux_module_sections(kernel, memory, &s->module, take_section, s, &lost);
	if (status != STATUS_OK)
		status = place_by_symbols(s, kernel, memory, &lost);
	if (s->is_contradicted)
		return fail(s, STATUS_BAD_DATA,
		            "another file than the kernel loaded: its symbols are not those that "
		            "the kernel kept");
	if (status != STATUS_OK)
		return fail_lost(s, status, "where its sections lie", lost);
	if (s->has_failed)
		return STATUS_NO_MEM;
	return s->image->section_count > 0
	               ? STATUS_OK
	               : fail(s, STATUS_NOT_FOUND, "the kernel has none of its sections");
}

static enum status place_in(struct search *s, const struct snapshot *snapshot)
{
	struct os_memory memory = {read_memory, NULL};
	struct symbols *symbols = NULL;
	struct linux_kernel *kernel = NULL;
	enum status status;

	if (snapshot->core_count == 0)
		return fail(s, STATUS_NOT_FOUND, "the snapshot has no core");
	memory.context = snapshot->cores[0].memory;
	TRY(symbols_open(snapshot->images, snapshot->image_count, &symbols));
	status = linux_kernel_open(snapshot->images, snapshot->image_count, symbols, &memory,
	                           &kernel);
	if (status == STATUS_OK) {
		s->form = symbol_form_of(kernel);
		status = place(s, kernel, &memory);
	} else if (status != STATUS_NO_MEM) {
		status = fail(s, status, linux_kernel_why_not(status));
	}
	linux_kernel_close(kernel);
	symbols_close(symbols);
	return status;
}

enum status module_image_place(const struct snapshot *snapshot, struct str path,
                               struct arena *arena, struct diag_list *diags,
                               struct image_option *image)
{
	struct search s = {.path = path, .arena = arena, .diags = diags, .image = image};
	struct str terminated = arena_str(arena, path);
	struct file_map map = {0};
	enum status status;

	*image = (struct image_option){.path = terminated};
	image->sections = arena_alloc(arena, SECTIONS_MOST * sizeof(*image->sections));
	if (!terminated.p || !image->sections)
		return STATUS_NO_MEM;
	TRY(file_map_open(terminated.p, place_none(), diags, &map));
	s.file = elf_sections_open(file_map_bytes(&map));
	if (s.file) {
		s.name = find_info(elf_sections_get(s.file, STR(".modinfo")), STR("name="));
		s.symbols = elf_sections_get(s.file, STR(".symtab"));
		s.names = elf_sections_get(s.file, STR(".strtab"));
	}
	status = s.name.n > 0 ? place_in(&s, snapshot)
	                      : fail(&s, STATUS_BAD_DATA,
	                             "no kernel module: it has no name in a section .modinfo");
	elf_sections_close(s.file);
	file_map_close(&map);
	return status;
}
