/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The registers of a core file's thread, by the names of [regs]. In: slices of its notes. Out:
 * names and slices of these. docs/formats/elf-core.md.
 */
#ifndef CSREPLAY_SNAPSHOT_ELF_CORE_ELF_REGISTERS_H
#define CSREPLAY_SNAPSHOT_ELF_CORE_ELF_REGISTERS_H

#include "snapshot/elf_core/elf_core.h"

struct elf_register {
	struct str name;
	unsigned int bits;    /* at most 128 */
	const uint8_t *value; /* little endian, (bits + 7) / 8 bytes */
};

/* What the notes have; list and names are in the arena. NO_MEM. */
MUST_USE enum status elf_thread_registers(const struct elf_thread *thread, bool is_64bit,
                                          struct arena *arena, struct elf_register **registers,
                                          size_t *count);

#endif
