/* SPDX-License-Identifier: Apache-2.0 */
/* Small ELF files for tests, written byte by byte. */
#ifndef CSREPLAY_TESTS_SNAPSHOT_ELF_BYTES_H
#define CSREPLAY_TESTS_SNAPSHOT_ELF_BYTES_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct elf_part {
	uint32_t flags;
	uint64_t offset;
	uint64_t address;
	uint64_t file_size;
	uint64_t memory_size;
};

struct elf_form {
	bool is_64bit;
	bool big_endian;
	uint16_t machine;
};

struct elf_writer {
	uint8_t *at;
	bool big_endian;
};

static inline void elf_put(struct elf_writer *w, unsigned int size, uint64_t value)
{
	for (unsigned int i = 0; i < size; i++)
		w->at[i] = (uint8_t)(value >> 8 * (w->big_endian ? size - 1 - i : i));
	w->at += size;
}

static inline void elf_put_part(struct elf_writer *w, bool is_64bit, const struct elf_part *part)
{
	unsigned int size = is_64bit ? 8 : 4;

	elf_put(w, 4, PT_LOAD);
	if (is_64bit)
		elf_put(w, 4, part->flags);
	elf_put(w, size, part->offset);
	elf_put(w, size, part->address);
	elf_put(w, size, part->address);
	elf_put(w, size, part->file_size);
	elf_put(w, size, part->memory_size);
	if (!is_64bit)
		elf_put(w, 4, part->flags);
	elf_put(w, size, 4);
}

/*
 * An executable of `size` bytes in all, `out` zeroed before: header, program headers, and what
 * lies after them stays zero.
 */
static inline void elf_build(uint8_t *out, size_t size, const struct elf_form *form,
                             const struct elf_part *parts, uint16_t count)
{
	struct elf_writer w = {out, form->big_endian};
	unsigned int word = form->is_64bit ? 8 : 4;
	uint16_t header = form->is_64bit ? 64 : 52;

	memset(out, 0, size);
	memcpy(out, ELFMAG, SELFMAG);
	out[EI_CLASS] = form->is_64bit ? ELFCLASS64 : ELFCLASS32;
	out[EI_DATA] = form->big_endian ? ELFDATA2MSB : ELFDATA2LSB;
	out[EI_VERSION] = EV_CURRENT;
	w.at += EI_NIDENT;
	elf_put(&w, 2, ET_EXEC);
	elf_put(&w, 2, form->machine);
	elf_put(&w, 4, EV_CURRENT);
	elf_put(&w, word, parts[0].address);
	elf_put(&w, word, header);
	elf_put(&w, word, 0);
	elf_put(&w, 4, form->big_endian && form->machine == EM_ARM ? EF_ARM_BE8 : 0);
	elf_put(&w, 2, header);
	elf_put(&w, 2, form->is_64bit ? 56 : 32);
	elf_put(&w, 2, count);
	elf_put(&w, 2, 0);
	elf_put(&w, 2, 0);
	elf_put(&w, 2, 0);
	for (uint16_t i = 0; i < count; i++)
		elf_put_part(&w, form->is_64bit, &parts[i]);
}

#endif
