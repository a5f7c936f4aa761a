/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Relocations of little-endian AArch64 and Arm objects: IHI 0056 and IHI 0044, relocation codes.
 * In: a relocation with the addresses that it speaks of. Out: the bytes at its place. What needs a
 * veneer or a table that the linker or the loader makes is not carried out: nobody knows where that
 * lies.
 */
#ifndef CSREPLAY_SNAPSHOT_ELF_OBJECT_RELOCATE_H
#define CSREPLAY_SNAPSHOT_ELF_OBJECT_RELOCATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct relocation {
	uint32_t type;
	bool is_64bit;    /* R_AARCH64_*, else R_ARM_* */
	uint64_t place;   /* P: the address of what is relocated */
	uint64_t symbol;  /* S: without the bit that says Thumb */
	bool is_function; /* the symbol is one (STT_FUNC) */
	bool is_thumb;    /* T: and one in Thumb state */
	bool has_addend;  /* SHT_RELA; else it is in the place's bytes */
	int64_t addend;   /* A */
};

enum { RELOCATION_MOST = 8 }; /* bytes at a place */

/* Bytes that a type changes: none of R_*_NONE; of a type that is not known the most there are. */
size_t relocation_size(bool is_64bit, uint32_t type);

/*
 * Changes relocation_size() bytes at `at`. UNSUPPORTED if the type is not carried out, or would
 * need a veneer here; BAD_DATA if the value does not fit. The bytes stay as they are, then.
 */
MUST_USE enum status relocate(const struct relocation *relocation, uint8_t *at);

#endif
