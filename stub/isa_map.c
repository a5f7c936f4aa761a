/* SPDX-License-Identifier: Apache-2.0 */
/* An ELF file of mapping symbols and call frame information only; see isa_map.h. */
#include "stub/isa_map.h"

#include <stdlib.h>

#include "base/vec.h"
#include "console/threads.h"

/* ELF, gABI 4.1 chapter 4, as far as it is used here. */
enum {
	HEADER_SIZE = 52,
	SECTION_SIZE = 40,
	SYMBOL_SIZE = 16,
	TYPE_EXECUTABLE = 2,
	MACHINE_ARM = 40,
	VERSION = 1,
	FLAGS_EABI_5 = 0x05000000,
	SECTION_PROGRAM_BITS = 1,
	SECTION_SYMBOL_TABLE = 2,
	SECTION_STRING_TABLE = 3,
	SECTION_NO_BITS = 8,
	/* Writable, since gdb may read what is not from here instead of from the stub. */
	WRITE_ALLOCATE_EXECUTE = 7,
};

#define TEXT_SIZE UINT32_C(0xfffffffe) /* all addresses but the last halfword's */

/* Where a run of this instruction set begins. */
struct start {
	uint32_t address;
	bool is_t32;
};

struct start_list {
	struct start *items; /* by address; neighbours differ in the instruction set */
	size_t count;
	size_t capacity;
};

// clang-format off
/*
 * One CIE and one FDE for all addresses: the frame's address is SP, and the return address, in
 * register 14, is undefined.
 */
static const uint8_t frames[] = {
	0x10, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, /* CIE of 16 bytes */
	1, 0, 2, 0x7c, 14,                     /* version, no augmentation, factors 2 and -4, LR */
	0x0c, 13, 0,                           /* DW_CFA_def_cfa SP + 0 */
	0x07, 14, 0, 0,                        /* DW_CFA_undefined LR; padding */
	0x0c, 0, 0, 0, 0, 0, 0, 0,             /* FDE of 12 bytes, of the CIE at 0 */
	0, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff,    /* from address 0, that many bytes */
};
static const char symbol_names[] = "\0$a\0$t";
enum { NAME_A32 = 1, NAME_T32 = 4 };
static const char section_names[] = "\0.text\0.debug_frame\0.symtab\0.strtab\0.shstrtab";
// clang-format on

static int compare_starts(const void *left, const void *right)
{
	const struct start *a = left;
	const struct start *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return (int)a->is_t32 - (int)b->is_t32;
}

static enum status add_core(struct start_list *list, const struct history *history)
{
	struct history_code code;

	for (size_t i = 0; history_code(history, i, &code); i++) {
		bool is_a32 = code.isa == ISA_A32;

		if (!is_a32 && code.isa != ISA_T32 && code.isa != ISA_TEE)
			continue;
		TRY(vec_reserve((void **)&list->items, &list->capacity, list->count + 1,
		                sizeof(*list->items)));
		list->items[list->count++] = (struct start){(uint32_t)code.start, !is_a32};
	}
	return STATUS_OK;
}

static enum status collect(struct start_list *list, const struct session *session)
{
	size_t kept = 0;

	for (size_t i = 0; i < session_core_count(session); i++) {
		if (threads_has(session, i))
			TRY(add_core(list, session_history(session, i)));
	}
	if (list->count == 0)
		return STATUS_OK;
	qsort(list->items, list->count, sizeof(*list->items), compare_starts);
	for (size_t i = 1; i < list->count; i++) {
		if (list->items[i].is_t32 != list->items[kept].is_t32)
			list->items[++kept] = list->items[i];
	}
	list->count = kept + 1;
	return STATUS_OK;
}

static void put(struct text *out, uint32_t value, unsigned int bytes)
{
	for (unsigned int i = 0; i < bytes; i++)
		text_char(out, (char)(value >> (8 * i)));
}

static void put_bytes(struct text *out, const void *bytes, size_t count)
{
	text_add(out, (struct str){bytes, count});
}

/* The sections, in the order of the file; their contents lie one after the other. */
enum {
	SECTION_NONE,
	SECTION_TEXT,
	SECTION_FRAMES,
	SECTION_SYMBOLS,
	SECTION_SYMBOL_NAMES,
	SECTION_SECTION_NAMES,
	SECTIONS,
};

struct section {
	uint32_t name; /* offset in section_names */
	uint32_t type;
	uint32_t flags;
	uint32_t size;
	uint32_t link;
	uint32_t info;
	uint32_t entry_size;
};

static uint32_t content_size(const struct section *section)
{
	return section->type == SECTION_NO_BITS ? 0 : section->size;
}

static void put_header(struct text *out, uint32_t sections_at)
{
	put_bytes(out,
	          "\x7f"
	          "ELF\1\1\1\0\0\0\0\0\0\0\0\0",
	          16);
	put(out, TYPE_EXECUTABLE, 2);
	put(out, MACHINE_ARM, 2);
	put(out, VERSION, 4);
	put(out, 0, 4); /* entry */
	put(out, 0, 4); /* program headers: none */
	put(out, sections_at, 4);
	put(out, FLAGS_EABI_5, 4);
	put(out, HEADER_SIZE, 2);
	put(out, 0, 4); /* size and number of program headers */
	put(out, SECTION_SIZE, 2);
	put(out, SECTIONS, 2);
	put(out, SECTION_SECTION_NAMES, 2);
}

static void put_symbols(struct text *out, const struct start_list *list)
{
	for (unsigned int i = 0; i < SYMBOL_SIZE; i++)
		text_char(out, '\0');
	for (size_t i = 0; i < list->count; i++) {
		put(out, list->items[i].is_t32 ? NAME_T32 : NAME_A32, 4);
		put(out, list->items[i].address, 4);
		put(out, 0, 4); /* size */
		put(out, 0, 2); /* local, no type, default visibility */
		put(out, SECTION_TEXT, 2);
	}
}

static void put_sections(struct text *out, const struct section *sections)
{
	uint32_t at = HEADER_SIZE;

	for (unsigned int i = 0; i < SECTIONS; i++) {
		const struct section *s = &sections[i];

		put(out, s->name, 4);
		put(out, s->type, 4);
		put(out, s->flags, 4);
		put(out, 0, 4); /* address */
		put(out, i == SECTION_NONE ? 0 : at, 4);
		put(out, s->size, 4);
		put(out, s->link, 4);
		put(out, s->info, 4);
		put(out, i == SECTION_NONE ? 0 : 1, 4); /* alignment */
		put(out, s->entry_size, 4);
		at += content_size(s);
	}
}

static void write_file(const struct start_list *list, struct text *out)
{
	uint32_t symbols = (uint32_t)list->count + 1;
	const struct section sections[SECTIONS] = {
	        [SECTION_TEXT] = {1, SECTION_NO_BITS, WRITE_ALLOCATE_EXECUTE, TEXT_SIZE, 0, 0, 0},
	        [SECTION_FRAMES] = {7, SECTION_PROGRAM_BITS, 0, sizeof(frames), 0, 0, 0},
	        [SECTION_SYMBOLS] = {20, SECTION_SYMBOL_TABLE, 0, symbols * SYMBOL_SIZE,
	                             SECTION_SYMBOL_NAMES, symbols, SYMBOL_SIZE},
	        [SECTION_SYMBOL_NAMES] = {28, SECTION_STRING_TABLE, 0, sizeof(symbol_names), 0, 0,
	                                  0},
	        [SECTION_SECTION_NAMES] = {36, SECTION_STRING_TABLE, 0, sizeof(section_names), 0, 0,
	                                   0},
	};
	uint32_t at = HEADER_SIZE;

	for (unsigned int i = 0; i < SECTIONS; i++)
		at += content_size(&sections[i]);
	put_header(out, at);
	put_bytes(out, frames, sizeof(frames));
	put_symbols(out, list);
	put_bytes(out, symbol_names, sizeof(symbol_names));
	put_bytes(out, section_names, sizeof(section_names));
	put_sections(out, sections);
}

void isa_map_write(const struct session *session, struct text *out)
{
	struct start_list list = {0};

	if (collect(&list, session) != STATUS_OK)
		out->failed = true;
	else if (list.count > 0)
		write_file(&list, out);
	free(list.items);
}
