/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the registers of Tarmac text are kept: slots of 8 bytes, so that a register and its other
 * names are one place. In: a register of an "R" line, or of a register file, and the core's mode.
 * Out: a slot and the bytes of it.
 *
 * AArch32 registers lie in the AArch64 ones as the architecture maps them (Arm ARM D1.20.1):
 * R13_svc is X19, S1 is bytes 4 to 7 of V0. Which of the banked ones a plain name means is decided
 * by the mode, which has a slot of its own.
 */
#ifndef CSREPLAY_REPLAY_TARMAC_TARMAC_SLOT_H
#define CSREPLAY_REPLAY_TARMAC_TARMAC_SLOT_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/isa.h"
#include "replay/tarmac/tarmac.h"

enum tarmac_slot {
	SLOT_X,                       /* X0..X30 */
	SLOT_SP_EL = SLOT_X + 31,     /* SP_EL0..SP_EL3 */
	SLOT_SP_MON = SLOT_SP_EL + 4, /* R13 and R14 of Monitor mode */
	SLOT_LR_MON,
	SLOT_SP_M, /* M profile: main, process; the same, Non-secure */
	SLOT_PSR = SLOT_SP_M + 4,
	SLOT_FPSR,
	SLOT_FPCR,
	SLOT_FPSCR,
	SLOT_PRIMASK,
	SLOT_BASEPRI,
	SLOT_FAULTMASK,
	SLOT_CONTROL,
	SLOT_MODE, /* struct tarmac_context, see tarmac_context_pack() */
	SLOT_V,    /* V0..V31, the low half first */
	SLOT_COUNT = SLOT_V + 64,
	TARMAC_SLOT_NONE = SLOT_COUNT,
};

/* What decides between banks. */
struct tarmac_context {
	enum core_arch arch; /* of the state that the core is in, not of its register file */
	enum tarmac_mode mode;
	enum tarmac_security security;
	/* M profile: which stack pointer is SP. */
	bool has_stack;
	bool is_process;
	bool has_hypervisor; /* EL2 was executed before: EL0 may be in the regime of EL2 */
	uint8_t regime;      /* tarmac_regime_of() it, once packed */
};

/*
 * Translation regimes: what an address means depends on the exception level and the security state
 * (Arm ARM D8.1.2). EL0 has that of EL1, unless there is a hypervisor, whose applications have that
 * of EL2; then it is one by itself. EL3 has one, whatever the security state says. Numbers are
 * below TARMAC_REGIMES; that of no mode and no security state is 0.
 */
enum { TARMAC_REGIMES = 6 * (TARMAC_REALM + 1) };
uint8_t tarmac_regime_of(const struct tarmac_context *context);
bool tarmac_is_el2(enum tarmac_mode mode);
bool tarmac_is_el3(enum tarmac_mode mode); /* Monitor mode is, too */

struct slot_place {
	unsigned int slot; /* TARMAC_SLOT_NONE: the register is not kept */
	uint8_t from;      /* byte of the slot, which may be in the next one */
	uint8_t size;      /* bytes */
	/* A write to it leaves the bytes above zero, or unknown, up to `whole` bytes from the slot.
	 */
	uint8_t whole;
	bool zeroes;
};

/* The place of a line's register. */
struct slot_place tarmac_slot_of(const struct tarmac_register *reg,
                                 const struct tarmac_context *context);

/* The place of register `number` of the file, below its trace registers. */
struct slot_place tarmac_slot_of_number(const struct register_file *file, unsigned int number,
                                        const struct tarmac_context *context);

/* As a value of SLOT_MODE with its known bytes, and back. */
uint64_t tarmac_context_pack(const struct tarmac_context *context, uint8_t *known);
void tarmac_context_unpack(uint64_t packed, uint8_t known, struct tarmac_context *context);

/* The mode that a program status register says, A or R profile. NONE if it is none. */
enum tarmac_mode tarmac_mode_of_psr(uint64_t psr);

#endif
