/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The notes of an ELF core file that Linux made for AArch64 or ARM: threads with their registers,
 * the signal, the files that were mapped. In: an ELF image that is a core file (elf_image.h). Out:
 * slices of it; nothing is copied but lists. docs/formats/elf-core.md has the layouts.
 */
#ifndef CSREPLAY_SNAPSHOT_ELF_CORE_ELF_CORE_H
#define CSREPLAY_SNAPSHOT_ELF_CORE_ELF_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/diag.h"
#include "base/status.h"
#include "base/str.h"
#include "snapshot/elf_core/elf_sve.h"

/* What the notes between one NT_PRSTATUS and the next say; bytes that are not there are empty. */
struct elf_thread {
	uint32_t tid;
	struct bytes signal;  /* si_signo, 4 bytes; of the thread that got it, which is the first */
	struct bytes general; /* 34 times 8 bytes: X0 to X30, SP, PC, PSTATE; ARM: 18 times 4, R0 to
	                         CPSR */
	struct bytes fp;      /* AArch64: NT_PRFPREG: V0 to V31, FPSR, FPCR */
	struct bytes vfp;     /* ARM: NT_ARM_VFP: D0 to D31, FPSCR */
	struct bytes tls;     /* NT_ARM_TLS: TPIDR_EL0, and perhaps TPIDR2_EL0; ARM: TPIDRURO */
	struct bytes pac;     /* NT_ARM_PAC_MASK: data, instructions */
	struct bytes call;    /* NT_ARM_SYSTEM_CALL: a number, 4 bytes */
	struct elf_sve sve;   /* NT_ARM_SVE */
	struct bytes siginfo; /* NT_SIGINFO; of that thread, too */
};

/* A row of NT_FILE: a file's bytes from `offset` on lie at start to before end. */
struct elf_mapping {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	struct str path;
};

struct elf_core {
	bool is_64bit;
	bool lacks_first; /* the thread that got the signal is not in the list */
	struct elf_thread *threads;
	size_t thread_count;
	struct elf_mapping *mappings;
	size_t mapping_count;
};

/* The PT_NOTE segments of a little-endian core file, which outlive what is read. */
struct elf_core_notes {
	const struct bytes *items;
	size_t count;
	bool is_64bit;      /* ELFCLASS64: AArch64, else ARM */
	struct place place; /* the file, for what is said of it */
};

/*
 * Reads the notes; lists are in the arena. A note that is cut or too small is left out with a
 * warning, and so are those of a thread that has no sound NT_PRSTATUS. BAD_DATA, with an error, if
 * no thread is left; NO_MEM.
 */
MUST_USE enum status elf_core_read(const struct elf_core_notes *notes, struct arena *arena,
                                   struct diag_list *diags, struct elf_core *core);

#endif
