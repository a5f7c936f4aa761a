/* SPDX-License-Identifier: Apache-2.0 */
/* Modules of a kernel and where their sections lie; see linux_kernel.h. */
#include <inttypes.h>

#include "snapshot/linux_kernel/layout.h"

enum {
	MODULES_MOST = 1 << 14,
	SECTIONS_MOST = 1 << 12,
	SYMBOLS_MOST = 1 << 20,
};

static enum status read_module(const struct linux_kernel *kernel, const struct os_memory *memory,
                               uint64_t address, struct linux_module *module, uint64_t *lost)
{
	const struct member_layout *name = &kernel->members[LINUX_MODULE_NAME];

	*module = (struct linux_module){.address = address};
	*lost = address + name->offset;
	if (!os_read_string(memory, *lost, (size_t)name->size, module->name))
		return STATUS_TRUNCATED;
	module->has_base =
	        linux_read_member(kernel, memory, address, LINUX_MODULE_BASE, &module->base) &&
	        linux_read_member(kernel, memory, address, LINUX_MODULE_SIZE, &module->size);
	return STATUS_OK;
}

enum status linux_modules(const struct linux_kernel *kernel, const struct os_memory *memory,
                          linux_module_visit *visit, void *context, uint64_t *lost)
{
	const struct member_layout *next = &kernel->members[LINUX_MODULE_NEXT];
	uint64_t head = kernel->variables[LINUX_MODULES];
	uint64_t at = head; /* a struct list_head: the next one's address comes first in it */

	if (head == 0 || !next->is_found || !kernel->members[LINUX_MODULE_NAME].is_found)
		return STATUS_NOT_FOUND;
	for (unsigned int i = 0; i < MODULES_MOST; i++) {
		struct linux_module module;

		*lost = at;
		if (!os_read_number(memory, at, kernel->pointer, &at))
			return STATUS_TRUNCATED;
		if (at == head)
			return STATUS_OK;
		TRY(read_module(kernel, memory, at - next->offset, &module, lost));
		visit(context, &module);
	}
	return STATUS_BAD_DATA;
}

void linux_say_lost(enum status status, uint64_t lost, struct text *out)
{
	if (status == STATUS_TRUNCATED)
		text_printf(out, "what is at 0x%" PRIx64 " is not in memory", lost);
	else if (status == STATUS_NOT_FOUND)
		text_puts(out, "this kernel keeps no such list, or another one than is known here");
	else
		text_puts(out, "the list does not end");
}

/* False if the kernel lacks one of the members. */
static bool has_members(const struct linux_kernel *kernel, const enum linux_member *needed,
                        size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!kernel->members[needed[i]].is_found)
			return false;
	}
	return true;
}

/* The section's name and address at an entry of sect_attrs. */
static enum status tell_section(const struct linux_kernel *kernel, const struct os_memory *memory,
                                uint64_t entry, linux_section_visit *visit, void *context,
                                uint64_t *lost)
{
	char name[OS_NAME_MOST];
	uint64_t string;
	uint64_t address;

	*lost = entry;
	if (!linux_read_member(kernel, memory, entry, LINUX_SECTION_NAME, &string) ||
	    !linux_read_member(kernel, memory, entry, LINUX_SECTION_ADDRESS, &address))
		return STATUS_TRUNCATED;
	*lost = string;
	if (!os_read_string(memory, string, OS_NAME_MOST, name))
		return STATUS_TRUNCATED;
	if (!str_has_prefix(str_of(name), STR(".init")))
		visit(context, str_of(name), address);
	return STATUS_OK;
}

enum status linux_module_sections(const struct linux_kernel *kernel, const struct os_memory *memory,
                                  const struct linux_module *module, linux_section_visit *visit,
                                  void *context, uint64_t *lost)
{
	static const enum linux_member needed[] = {LINUX_MODULE_SECTIONS, LINUX_SECTION_COUNT,
	                                           LINUX_SECTION_FIRST,   LINUX_SECTION,
	                                           LINUX_SECTION_NAME,    LINUX_SECTION_ADDRESS};
	uint64_t attributes;
	uint64_t count;

	if (!has_members(kernel, needed, sizeof(needed) / sizeof(needed[0])))
		return STATUS_NOT_FOUND;
	*lost = module->address + kernel->members[LINUX_MODULE_SECTIONS].offset;
	if (!os_read_number(memory, *lost, kernel->pointer, &attributes))
		return STATUS_TRUNCATED;
	*lost = attributes;
	if (!linux_read_member(kernel, memory, attributes, LINUX_SECTION_COUNT, &count))
		return STATUS_TRUNCATED;
	if (count > SECTIONS_MOST)
		return STATUS_BAD_DATA;
	for (uint64_t i = 0; i < count; i++)
		TRY(tell_section(kernel, memory,
		                 attributes + kernel->members[LINUX_SECTION_FIRST].offset +
		                         i * kernel->members[LINUX_SECTION].size,
		                 visit, context, lost));
	return STATUS_OK;
}

/* Symbols of a module, as the kernel kept them. */
struct kept_symbols {
	const struct os_memory *memory;
	struct symbol_form form;
	uint64_t names;
};

/* An entry of its symbol table (System V ABI, "Symbol Table"). */
static enum status tell_symbol(const struct kept_symbols *kept, uint64_t entry,
                               linux_symbol_visit *visit, void *context, uint64_t *lost)
{
	const struct os_memory *memory = kept->memory;
	const struct symbol_form *form = &kept->form;
	struct linux_symbol symbol;
	char name[OS_NAME_MOST];
	uint64_t offset;
	uint64_t section;

	*lost = entry;
	if (!os_read_number(memory, entry, SYMBOL_NAME, &offset) ||
	    !os_read_number(memory, entry + form->section_at, SYMBOL_SECTION, &section) ||
	    !os_read_number(memory, entry + form->address_at, form->number, &symbol.address) ||
	    !os_read_number(memory, entry + form->size_at, form->number, &symbol.size))
		return STATUS_TRUNCATED;
	*lost = kept->names + offset;
	if (!os_read_string(memory, *lost, OS_NAME_MOST, name))
		return STATUS_TRUNCATED;
	symbol.name = str_of(name);
	symbol.section = (uint32_t)section;
	visit(context, &symbol);
	return STATUS_OK;
}

enum status linux_module_symbols(const struct linux_kernel *kernel, const struct os_memory *memory,
                                 const struct linux_module *module, linux_symbol_visit *visit,
                                 void *context, uint64_t *lost)
{
	static const enum linux_member needed[] = {LINUX_MODULE_SYMBOLS, LINUX_SYMBOLS_TABLE,
	                                           LINUX_SYMBOLS_COUNT, LINUX_SYMBOLS_NAMES};
	struct kept_symbols symbols = {memory, symbol_form_of(kernel), 0};
	uint64_t kept;
	uint64_t table;
	uint64_t count;

	if (!has_members(kernel, needed, sizeof(needed) / sizeof(needed[0])))
		return STATUS_NOT_FOUND;
	*lost = module->address + kernel->members[LINUX_MODULE_SYMBOLS].offset;
	if (!os_read_number(memory, *lost, kernel->pointer, &kept))
		return STATUS_TRUNCATED;
	*lost = kept;
	if (!linux_read_member(kernel, memory, kept, LINUX_SYMBOLS_TABLE, &table) ||
	    !linux_read_member(kernel, memory, kept, LINUX_SYMBOLS_COUNT, &count) ||
	    !linux_read_member(kernel, memory, kept, LINUX_SYMBOLS_NAMES, &symbols.names))
		return STATUS_TRUNCATED;
	if (count > SYMBOLS_MOST)
		return STATUS_BAD_DATA;
	for (uint64_t i = 1; i < count; i++)
		TRY(tell_symbol(&symbols, table + i * symbols.form.size, visit, context, lost));
	return STATUS_OK;
}
