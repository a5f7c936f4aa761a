/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One instruction executed forward on what is known of registers and memory. In: its
 * micro-operations, the registers, a reader of memory. Out: every temporary, and with it what the
 * definitions and accesses of the instruction come to.
 */
#ifndef CSREPLAY_ARCH_UOP_UOP_RUN_H
#define CSREPLAY_ARCH_UOP_UOP_RUN_H

#include "arch/uop/uop_insn.h"

struct uop_memory {
	/* What is known of the `size` bytes (1 to 8, little endian) at `address`. */
	struct bits (*read)(void *context, uint64_t address, unsigned int size);
	void *context;
};

struct uop_run {
	const struct uop_insn *insn;
	const struct bits *registers; /* REG_COUNT of them, before the instruction */
	struct bits temps[UOP_TEMPS];
};

/* False if the instruction contradicts itself, which no consistent table does. */
MUST_USE bool uop_run(const struct uop_insn *insn, const struct bits *registers,
                      const struct uop_memory *memory, struct uop_run *run);

/* Value of any slot but SLOT_NONE. */
struct bits uop_run_slot(const struct uop_run *run, unsigned int slot);
/* Value of a register after the instruction, which does not kill registers. */
struct bits uop_run_after(const struct uop_run *run, unsigned int reg);
/* First byte of an access. */
struct bits uop_run_address(const struct uop_run *run, const struct uop_access *access);
/* How many bytes it reads or writes, at most. */
uint64_t uop_run_length(const struct uop_run *run, const struct uop_access *access);
/* 1 or 0 for an access that happens or does not, unknown if its condition is. */
struct bits uop_run_happens(const struct uop_run *run, const struct uop_access *access);

#endif
