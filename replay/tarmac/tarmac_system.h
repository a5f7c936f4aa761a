/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registers of a Tarmac text that no register file of a debugger has: system registers
 * (SCTLR_EL1), saved ones (SPSR_EL1, ELR_EL2), those of other modes (r13_svc, SP_EL0). In: "R"
 * lines. Out: a list of names, and what each holds at a position. Private to replay/tarmac, but for
 * what tarmac_source.h says of it.
 *
 * A name is that of the line in small letters, with the bank of its context: "R13 (SVC)" is
 * r13_svc. Registers of other modes are those of the slots (tarmac_slot.h), the others are kept by
 * name. Two names may be one register: of AArch32 and AArch64 (SCTLR, SCTLR_EL1; DFAR, FAR_EL1),
 * without a bank and with one (DFSR, DFSR_S), of 32 and 64 bits (TTBR0_S, TTBR0_64_S). So a write
 * to one makes unknown what the others hold. Parts of CPSR are written in it, too.
 */
#ifndef CSREPLAY_REPLAY_TARMAC_TARMAC_SYSTEM_H
#define CSREPLAY_REPLAY_TARMAC_TARMAC_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/isa.h"
#include "base/arena.h"
#include "base/status.h"
#include "replay/tarmac/log/log.h"
#include "replay/tarmac/tarmac_slot.h"

/* Wider ones are not kept: parts of SVE. */
enum { TARMAC_SYSTEM_BYTES_MOST = 16 };

struct tarmac_system_register {
	struct str name;
	struct str stem;     /* of the name, without bank and width */
	struct str a64_stem; /* the same as AArch64 calls it */
	struct str bank;     /* "el1", "s", or empty */
	bool is_a64;         /* the bank is an exception level */
	unsigned int size;   /* bytes: 1, 2, 4, 8 or 16; the widest that a line had */
	unsigned int slot;   /* TARMAC_SLOT_NONE: it is kept by its name */
};

struct tarmac_system {
	struct tarmac_system_register *items;
	size_t count;
	size_t capacity;
	struct arena texts;
};

/* A write of what is called so may change which addresses mean which memory. */
bool tarmac_system_is_translation(struct str name);

/*
 * Takes an "R" line at `time` of `log`, which is that of the core's registers: its keys from
 * SLOT_COUNT on are for this. `place` is where the register file has it, if it does. NO_MEM.
 */
MUST_USE enum status tarmac_system_add(struct tarmac_system *system, struct word_log *log,
                                       const struct tarmac_register *reg,
                                       const struct slot_place *place, uint64_t time);

/*
 * Bits of CPSR or xPSR that the register is, which stand at the same places in it (NZCV, DAIF,
 * IPSR); 0 if it is none. Its own name has its value until the whole is written.
 */
uint32_t tarmac_system_psr_part(struct str name);

/* CPSR or xPSR is written or lost at `time`: what its parts hold is not known by their names.
 * NO_MEM. */
MUST_USE enum status tarmac_system_hide_psr(struct tarmac_system *system, struct word_log *log,
                                            uint64_t time);

/* What register `index` holds at `time` of the finished log. */
void tarmac_system_read(const struct tarmac_system *system, const struct word_log *log,
                        size_t index, uint64_t time, struct value *value);

void tarmac_system_fini(struct tarmac_system *system);

#endif
