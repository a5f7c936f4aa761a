/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NT_ARM_SVE of a core file: the registers of SVE, or, of a thread that has not used any since its
 * last system call, those of SIMD and floating point. Layout: Linux, struct user_sve_header in
 * asm/ptrace.h, and Documentation/arm64/sve.rst, section 8.
 */
#ifndef CSREPLAY_SNAPSHOT_ELF_CORE_ELF_SVE_H
#define CSREPLAY_SNAPSHOT_ELF_CORE_ELF_SVE_H

#include <stddef.h>

#include "base/bytes.h"
#include "base/status.h"

enum {
	SVE_Z = 32,
	SVE_P = 16,
	SVE_QUADWORD = 16,    /* bytes; vectors are whole ones */
	SVE_LENGTH_MOST = 256 /* bytes of a vector: Arm ARM, 2048 bits */
};

/* Slices of the note; what it does not say is empty. */
struct elf_sve {
	struct bytes fp;     /* V0 to V31, FPSR, FPCR, as NT_PRFPREG has them; then nothing else */
	size_t length;       /* bytes of Z0; 0: the note has none of it */
	struct bytes vl;     /* the same as the note has it: 2 bytes */
	struct bytes z;      /* SVE_Z times `length` */
	struct bytes p;      /* SVE_P times length / 8, and FFR as one more */
	struct bytes status; /* FPSR, FPCR: 4 bytes each */
};

/*
 * TRUNCATED if the note is too short for what it says, BAD_DATA if it says a vector length that
 * there is not.
 */
MUST_USE enum status elf_sve_read(struct bytes note, struct elf_sve *sve);

#endif
