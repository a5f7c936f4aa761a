/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an exception's entry and a return do to the registers of A64 that belong to levels: SP, and
 * each level's SP, ELR and SPSR (Arm ARM, AArch64.TakeException() and AArch64.ExceptionReturn()).
 * In: the levels before and after, as traced, and where the handler is entered. Out: definitions.
 *
 * Which stack pointer is in use is known after an exception's entry, which selects the level's own,
 * up to an instruction that selects another (MSR SPSel). The offset in the table of vectors says
 * which one was in use before the entry (Arm ARM D1.3.1, "Exception vectors"), and SPSR.M which
 * one is after a return to EL1 or higher. General registers and flags are what they were; a return
 * sets the flags, as the instruction's own micro-operations say. Code at EL0 that is not known has
 * changed what EL0 can write, and nothing else.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SSA_LEVEL_CHANGE_H
#define CSREPLAY_REPLAY_VALUES_SSA_LEVEL_CHANGE_H

#include "arch/uop/uop.h"
#include "decoder/element/element.h"

struct level_change {
	bool is_return;     /* the instruction before was an exception return */
	bool has_entry;     /* then, or else, an exception was taken to a handler that is traced */
	bool has_stay;      /* in between code at EL0 ran that is not known, and nothing else */
	bool is_unseen;     /* of the entry nothing is known but its vector */
	bool spares_kernel; /* the stay has written no memory of a kernel */
	bool has_own_sp;    /* before, the SP in use was that of the level */
	uint64_t vector;    /* has_entry: address of the handler's first instruction */
	uint64_t returns;   /* and the preferred return address, */
	bool has_returns;   /* if it is what ELR has: not after a fault of the address itself */
	bool is_indirect;   /* to which a register led: its low two bits are not traced */
	bool is_interrupt;  /* asynchronous */
	enum exception_level from; /* EL_UNKNOWN: not known */
	enum exception_level to;
};

/*
 * Adds what the change does to `b`, which has begun; with a stay it kills all registers and memory
 * but for the definitions. True if that is known; `*has_own_sp` is then what holds after it. False,
 * with nothing added, if it is not.
 */
bool level_change_define(const struct level_change *change, struct uop_builder *b,
                         bool *has_own_sp);

/* At the vector an exception is taken from the same level, with its own SP in use. */
bool level_change_is_from_own_sp(uint64_t vector);
/* The register that a return from the level takes the state from; SLOT_NONE for EL0. */
unsigned int level_change_spsr(enum exception_level level);

/* An exception that is not traced was taken, and returned from: to which level is not known. */
void level_change_forget(struct uop_builder *b);

#endif
