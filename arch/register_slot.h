/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the registers that a debugger sees (arch/register.h) to those of micro-operations
 * (arch/uop/uop_insn.h). In: a number of a register file. Out: where the solver has its value.
 */
#ifndef CSREPLAY_ARCH_REGISTER_SLOT_H
#define CSREPLAY_ARCH_REGISTER_SLOT_H

#include "arch/register.h"
#include "arch/uop/uop.h"

struct register_slot {
	uint8_t slot;
	uint8_t count; /* of slots, 64 bits each; 0: the solver does not have it */
	uint8_t bits;  /* of the one slot that the register has; 0 where count is 2 */
	bool is_flags; /* slot is REG_NZCV, the flags are bits 31 to 28 of the register */
};

struct register_slot register_slot_of(enum core_arch arch, unsigned int number);

#endif
