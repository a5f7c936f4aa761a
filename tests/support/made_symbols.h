/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An ELF file of 64 bits with functions alone, made by hand: header, three section headers (none,
 * symbols, names), symbols, names (System V ABI, "Object Files"). Included once a test program.
 */
#ifndef CSREPLAY_TESTS_SUPPORT_MADE_SYMBOLS_H
#define CSREPLAY_TESTS_SUPPORT_MADE_SYMBOLS_H

#include <string.h>

#include "snapshot/symbols/symbols.h"

struct made_function {
	const char *name;
	uint64_t start;
	uint64_t size;
	uint8_t type; /* STT_FUNC is 2 */
};

enum { MADE_SYMBOLS = 0x200, MADE_NAMES = 0x800, MADE_SIZE = 0x1000 };

static uint8_t made_file[MADE_SIZE];
static struct elf_image made_image;
static struct elf_image *made_images[] = {&made_image};

static inline void put(size_t at, unsigned int size, uint64_t value)
{
	for (unsigned int i = 0; i < size; i++)
		made_file[at + i] = (uint8_t)(value >> 8 * i);
}

static inline void put_section(size_t index, uint32_t type, uint64_t offset, uint64_t size,
                               uint32_t link)
{
	size_t at = 0x40 + 0x40 * index;

	put(at + 4, 4, type);
	put(at + 8, 8, 4); /* executable, so that a symbol without type counts */
	put(at + 24, 8, offset);
	put(at + 32, 8, size);
	put(at + 40, 4, link);
}

/* Fills the file and the image that stands for it. */
static inline void make_functions(const struct made_function *functions, size_t count)
{
	size_t name = 1;

	memset(made_file, 0, sizeof(made_file));
	put(5, 1, 1);
	put(0x28, 8, 0x40);
	put(0x3c, 2, 3);
	for (size_t i = 0; i < count; i++) {
		size_t at = MADE_SYMBOLS + 24 * i;

		put(at, 4, name);
		put(at + 4, 1, 0x10U | functions[i].type);
		put(at + 6, 2, 1);
		put(at + 8, 8, functions[i].start);
		put(at + 16, 8, functions[i].size);
		memcpy(made_file + MADE_NAMES + name, functions[i].name, strlen(functions[i].name));
		name += strlen(functions[i].name) + 1;
	}
	put_section(1, 2, MADE_SYMBOLS, 24 * count, 2);
	put_section(2, 3, MADE_NAMES, MADE_SIZE - MADE_NAMES, 0);
	made_image = (struct elf_image){.file = bytes_of(made_file, sizeof(made_file)),
	                                .is_64bit = true,
	                                .machine = 183,
	                                .space = SPACE_ANY};
}

#endif
