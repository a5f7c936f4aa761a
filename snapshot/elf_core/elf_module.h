/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs and libraries that a core file says were mapped, and what it holds of them: Linux dumps
 * the first page of each (core(5), bit 4 of coredump_filter), which has the program headers and
 * mostly the build ID. In: NT_FILE (elf_core.h) and the core file's memory. Out: slices of it.
 * System V gABI, ELF header, program headers, notes.
 */
#ifndef CSREPLAY_SNAPSHOT_ELF_CORE_ELF_MODULE_H
#define CSREPLAY_SNAPSHOT_ELF_CORE_ELF_MODULE_H

#include "snapshot/elf_core/elf_core.h"

/* Bytes that the core file holds of memory. */
struct elf_memory {
	uint64_t address;
	struct bytes bytes;
};

struct elf_module {
	struct str path;       /* as NT_FILE has it, without " (deleted)" */
	uint64_t address;      /* where the file's first byte lies */
	struct bytes header;   /* what is known from there on, of the first mapping; may be empty */
	struct bytes build_id; /* empty if what is known has none */
};

/*
 * The modules of `core`: each file that is mapped from its first byte on, once for each place where
 * it was loaded. What is known not to be ELF is none. The list is in the arena. NO_MEM.
 */
MUST_USE enum status elf_modules_find(const struct elf_core *core, const struct elf_memory *memory,
                                      size_t memory_count, struct arena *arena,
                                      struct elf_module **modules, size_t *module_count);

/*
 * True if a mapping of the file shows the byte at `offset` of it at `address`, and the `size` - 1
 * that follow.
 */
bool elf_core_maps(const struct elf_core *core, struct str path, uint64_t address, uint64_t offset,
                   uint64_t size);

/* NT_GNU_BUILD_ID of notes that are aligned to 4 bytes; empty if they have none. */
struct bytes elf_notes_build_id(struct bytes notes);

#endif
